//! Turns a C program into blocks of commands between locations.
//!
//! One statement is one step: an expression, the condition of a branch, the parameters of a call. Functions are
//! inlined, so a call of a function that is being called is refused. As there is no recursion, every function has one
//! copy of its variables, `f.x`, whatever the number of its calls. A variable without a value has any. Control that
//! does nothing (`goto`, the end of a branch) is no step: the two locations become one. Only where this would close a
//! loop without any step, it is an empty step, so that `while (1);` runs for ever.
//!
//! `calls` has what happens at calls and inside expressions with calls, `values` those without, `storage` what variables begin
//! with.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::{Diagnostic, nearest};
use lang::syntax::Span;

use super::effects::ordered;
use super::lexer::refused;
use super::parser::constant;
use super::storage::assigned;
use super::syntax::{Declaration, Do, Expr, Kind, Node, Statement, Unit};
use super::values::{Evaluator, Path, assign, compare, number, variable};
use crate::program::syntax::{Block, Command, Comparison, Located, Node as Term, Program, Tree};

/// Limit on the blocks of a program.
const BLOCKS: usize = 50_000;

type Lowered<T = ()> = Result<T, Box<Diagnostic>>;

/// A program as blocks, and the names it has in its source.
pub(super) struct Flow {
    pub(super) program: Program,
    /// The program variables that a name of the source may mean.
    pub(super) names: BTreeMap<String, Vec<String>>,
    /// The names of global variables.
    pub(super) globals: BTreeSet<String>,
    /// The locations of a label of the source; `exit` is the end, `error` where assertions fail.
    pub(super) labels: BTreeMap<String, Vec<String>>,
    /// Whether there are assertions.
    pub(super) asserts: bool,
    /// The locations where an assertion has failed.
    pub(super) errors: Vec<String>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// The location where the program has ended.
pub(super) const EXIT: &str = "exit";
/// The location where an assertion has failed.
pub(super) const ERROR: &str = "error";

/// The blocks of a program. `line` is the line of a byte.
pub(super) fn flow(unit: &Unit, line: &dyn Fn(usize) -> usize) -> Lowered<Flow> {
    let Some(main) = unit.functions.get("main") else {
        let names = unit.functions.keys().map(String::as_str);
        let fault = Diagnostic::outside("the program has no function `main`");
        return Err(match nearest("main", names) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        }
        .into());
    };
    let mut lower = Lower {
        unit,
        blocks: Vec::new(),
        locations: Vec::new(),
        here: 0,
        kinds: BTreeMap::new(),
        arrays: BTreeMap::new(),
        structures: BTreeMap::new(),
        bytes: BTreeMap::new(),
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
        scopes: vec![BTreeMap::new()],
        frames: Vec::new(),
        exits: Vec::new(),
        switches: Vec::new(),
        labels: BTreeMap::new(),
        first: Vec::new(),
        asserts: false,
        exit: 0,
        error: 0,
        errors: Vec::new(),
        temporaries: 0,
        fixed: BTreeMap::new(),
        assigned: assigned(unit),
        warnings: Vec::new(),
    };
    let start = lower.fresh();
    lower.exit = lower.fresh();
    lower.error = lower.fresh();
    for global in &unit.globals {
        lower.global(global)?;
    }
    lower.here = lower.fresh();
    let entry = lower.here;
    let (end, span) = (lower.exit, main.span);
    lower.function("main", main, end, None)?;
    let first = std::mem::take(&mut lower.first);
    lower.blocks.push(RawBlock { from: start, commands: first, to: entry, span });
    Ok(lower.finished(start, line))
}

/// A block between numbered locations.
struct RawBlock {
    from: usize,
    commands: Vec<Command>,
    to: usize,
    span: Span,
}

/// A function that is being inlined.
pub(super) struct Frame {
    pub(super) name: String,
    /// Where a call goes on.
    pub(super) after: usize,
    /// The variable of its result.
    pub(super) result: Option<(String, Kind)>,
    /// The locations of its labels, with a place where each is used, and whether it was defined.
    pub(super) labels: BTreeMap<String, (usize, Span, bool)>,
    /// Whether what follows may be done more than once, apart from loops around it.
    pub(super) repeats: bool,
}

pub(super) struct Lower<'u> {
    pub(super) unit: &'u Unit,
    blocks: Vec<RawBlock>,
    /// Per location, the one it is the same as, and the byte of the first statement there.
    locations: Vec<(usize, Option<usize>)>,
    pub(super) here: usize,
    pub(super) kinds: BTreeMap<String, Kind>,
    /// The arrays, by their paths, with their sizes.
    arrays: BTreeMap<String, Vec<usize>>,
    /// The variables that are structures.
    pub(super) structures: BTreeMap<String, usize>,
    /// How many bytes a variable, or an element of an array, has.
    bytes: BTreeMap<String, usize>,
    names: BTreeMap<String, Vec<String>>,
    taken: BTreeSet<String>,
    pub(super) scopes: Vec<BTreeMap<String, String>>,
    pub(super) frames: Vec<Frame>,
    /// Where `break` and `continue` lead.
    pub(super) exits: Vec<(usize, Option<usize>)>,
    /// The cases of the switches around.
    switches: Vec<Cases>,
    labels: BTreeMap<String, Vec<usize>>,
    /// The first values of variables.
    pub(super) first: Vec<Command>,
    pub(super) asserts: bool,
    pub(super) exit: usize,
    pub(super) error: usize,
    /// Where a function is called that must not be, and that has a body.
    pub(super) errors: Vec<usize>,
    pub(super) temporaries: usize,
    /// The global variables that never change, with their values.
    pub(super) fixed: BTreeMap<String, i64>,
    /// The names that something is assigned to somewhere, or whose address is taken.
    pub(super) assigned: BTreeSet<String>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// The locations of the cases of a `switch`, and of its default.
#[derive(Default)]
struct Cases {
    values: BTreeMap<i64, usize>,
    default: Option<usize>,
}

impl Lower<'_> {
    pub(super) fn fresh(&mut self) -> usize {
        self.locations.push((self.locations.len(), None));
        self.locations.len() - 1
    }

    /// The location that this one is the same as.
    fn same(&self, mut location: usize) -> usize {
        while self.locations[location].0 != location {
            location = self.locations[location].0;
        }
        location
    }

    /// From here the program goes on there, without a step. Code that follows is not reached from here.
    pub(super) fn jump(&mut self, to: usize, span: Span) -> Lowered {
        let (from, to) = (self.same(self.here), self.same(to));
        if from == to {
            self.block(from, Vec::new(), to, span)?;
        } else {
            let byte = self.locations[from].1;
            self.locations[from].0 = to;
            let known = &mut self.locations[to].1;
            *known = known.or(byte);
        }
        self.here = self.fresh();
        Ok(())
    }

    pub(super) fn block(&mut self, from: usize, commands: Path, to: usize, span: Span) -> Lowered {
        if self.blocks.len() == BLOCKS {
            let message = "the program is too large when its functions are inlined";
            return Err(Diagnostic::error(span, message, "given up here").into());
        }
        self.blocks.push(RawBlock { from, commands, to, span });
        Ok(())
    }

    /// Steps along these paths to a new location.
    pub(super) fn step(&mut self, paths: impl IntoIterator<Item = Path>, span: Span) -> Lowered {
        let to = self.fresh();
        let from = self.here;
        for path in paths {
            self.block(from, path, to, span)?;
        }
        self.here = to;
        Ok(())
    }

    pub(super) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { kinds: &self.kinds, temporaries: 0 }
    }

    /// A program variable for a variable of the source.
    pub(super) fn declare(&mut self, declared: &Declaration) -> String {
        let plain = match self.frames.last() {
            Some(frame) if frame.name != "main" => format!("{}.{}", frame.name, declared.name),
            _ => declared.name.clone(),
        };
        // The same declaration of an inlined function is the same variable at every call.
        let mut name = plain.clone();
        let key = format!("{plain} {}", declared.span.start);
        let mut number = 1;
        while self.taken.contains(&name) && !self.taken.contains(&format!("{name} = {key}")) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        self.taken.insert(name.clone());
        self.taken.insert(format!("{name} = {key}"));
        let is_whole = !declared.is_pointer && declared.sizes.is_empty();
        match declared.kind {
            Kind::Structure(number) if is_whole => {
                self.structures.insert(name.clone(), number);
                self.kinds.insert(name.clone(), Kind::Other);
            }
            _ if !is_whole => drop(self.kinds.insert(name.clone(), Kind::Other)),
            Kind::Integer => {}
            kind => drop(self.kinds.insert(name.clone(), kind)),
        }
        let mut visible = vec![(declared.name.clone(), name.clone())];
        if !declared.is_pointer {
            for leaf in self.unit.leaves(declared.kind, &declared.sizes) {
                let (written, path) =
                    (format!("{}{}", declared.name, leaf.path), format!("{name}{}", leaf.path));
                for (written, element) in
                    filled(&written, &leaf.sizes).into_iter().zip(filled(&path, &leaf.sizes))
                {
                    if leaf.kind != Kind::Integer {
                        self.kinds.insert(element.clone(), leaf.kind);
                    }
                    // In a formula it is written `a[0]`.
                    let known = self.names.entry(written).or_default();
                    if !known.contains(&element) {
                        known.push(element);
                    }
                }
                if let Some(bytes) = declared.bytes {
                    self.bytes.insert(path.clone(), bytes);
                }
                if !leaf.sizes.is_empty() {
                    self.arrays.insert(path.clone(), leaf.sizes);
                }
                visible.push((written, path));
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(visible);
        }
        name
    }

    /// What a name means here, if anything.
    pub(super) fn meaning(&self, name: &str) -> Option<&String> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The names under which a pointer makes visible what an address, an array or another pointer stands for.
    pub(super) fn pointed(&self, pointer: &str, at: &Expr) -> Vec<(String, String)> {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for (name, meaning) in self.scopes.iter().flatten() {
            let part_of = |whole: &str| {
                let rest = name.strip_prefix(whole)?;
                (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
            };
            let alias = match &at.node {
                Node::Address(whole) => part_of(whole).map(|rest| format!("*{pointer}{rest}")),
                Node::Name(other) => {
                    let star = name.strip_prefix('*').and_then(|name| name.strip_prefix(other.as_str()));
                    let star = star.filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
                    let elements = part_of(other).filter(|rest| rest.starts_with('['));
                    let star = star.map(|rest| format!("*{pointer}{rest}"));
                    star.or_else(|| elements.map(|rest| format!("{pointer}{rest}")))
                }
                _ => None,
            };
            // Inner scopes come last.
            found.extend(alias.map(|alias| (alias, meaning.clone())));
        }
        found.into_iter().collect()
    }

    /// The size of a variable, or of an element of an array.
    pub(super) fn size(&self, name: &str, span: Span) -> Lowered<usize> {
        let mut path = name.to_owned();
        for inner in 0..4 {
            let known = self.meaning(&path).filter(|meaning| self.bytes.contains_key(*meaning));
            if let Some(meaning) = known {
                let sizes = self.arrays.get(meaning).map_or(&[][..], Vec::as_slice);
                let own: usize = sizes.iter().rev().take(inner).product();
                return Ok(own * self.bytes[meaning]);
            }
            path.push_str("[]");
        }
        Err(refused(span, "a size that depends on the machine"))
    }

    /// The path and the sizes of the array that a path means here.
    pub(super) fn array(&self, name: &str, span: Span) -> Lowered<(String, Vec<usize>)> {
        let found = self.meaning(name).and_then(|path| Some((path.clone(), self.arrays.get(path)?.clone())));
        found.ok_or_else(|| {
            let message = format!("`{name}` is no array of integers here");
            Diagnostic::error(span, message, "has no such elements").into()
        })
    }

    /// Chooses any value for a variable.
    pub(super) fn any(&self, name: &str, span: Span) -> Path {
        let any = Tree { node: Term::Any, span };
        let most = match self.kinds.get(name) {
            Some(Kind::Truth) => 1,
            Some(Kind::Natural(bits)) => (1 << bits) - 1,
            _ => return vec![assign(name, any)],
        };
        let value = variable("%any", span);
        let range = [(Comparison::GreaterEqual, 0), (Comparison::LessEqual, most)];
        let range = range
            .map(|(test, bound)| Command::Assume(compare(test, value.clone(), number(bound, span), span)));
        std::iter::once(assign("%any", any)).chain(range).chain([assign(name, value)]).collect()
    }

    /// The program variable that a name means here.
    pub(super) fn variable(&self, name: &str, span: Span) -> Lowered<String> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        let Some(found) = found else {
            if name.starts_with('*') {
                return Err(refused(span, "a pointer of which it is not known where it points"));
            }
            let names = self.scopes.iter().flat_map(|scope| scope.keys().map(String::as_str));
            let fault = Diagnostic::error(span, format!("`{name}` is not declared"), "not known here");
            return Err(match nearest(name, names) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            }
            .into());
        };
        if self.kinds.get(found) == Some(&Kind::Other) {
            return Err(refused(span, "a pointer, an array or a structure as a value"));
        }
        Ok(found.clone())
    }

    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, expr: &Expr) -> Lowered {
        ordered(self.unit, expr)?;
        match &expr.node {
            // What a function returns is not asked for here, if it returns anything.
            Node::Comma(a, b) if self.calls(expr) => {
                self.effect(a)?;
                return self.effect(b);
            }
            Node::Conditional(test, a, b) if self.calls(a) || self.calls(b) => {
                let (yes, no, after) = (self.fresh(), self.fresh(), self.fresh());
                self.branch(test, yes, no)?;
                for (begin, side) in [(yes, a), (no, b)] {
                    self.here = begin;
                    self.effect(side)?;
                    self.jump(after, expr.span)?;
                }
                self.here = after;
                return Ok(());
            }
            _ => {}
        }
        if self.call(expr)? || self.copied(expr)? {
            return Ok(());
        }
        let expr = self.hoisted(expr)?;
        let paths = self.evaluator().value(&expr)?;
        // An expression without effects is no step.
        if paths.iter().all(|(path, _)| path.is_empty()) {
            return Ok(());
        }
        self.step(paths.into_iter().map(|(path, _)| path), expr.span)
    }

    /// From here there, if the condition is true, and otherwise to the second location.
    pub(super) fn branch(&mut self, test: &Expr, yes: usize, no: usize) -> Lowered {
        ordered(self.unit, test)?;
        match &test.node {
            Node::Not(test) => return self.branch(test, no, yes),
            Node::Comma(a, b) if self.calls(a) => {
                self.effect(a)?;
                return self.branch(b, yes, no);
            }
            Node::And(a, b) if self.calls(b) => {
                let between = self.fresh();
                self.branch(a, between, no)?;
                self.here = between;
                return self.branch(b, yes, no);
            }
            Node::Or(a, b) if self.calls(b) => {
                let between = self.fresh();
                self.branch(a, yes, between)?;
                self.here = between;
                return self.branch(b, yes, no);
            }
            _ => {}
        }
        let test = self.tested(test)?;
        let paths = self.evaluator().test(&test)?;
        if let [(path, truth)] = &paths[..]
            && path.is_empty()
        {
            return self.jump(if *truth { yes } else { no }, test.span);
        }
        let from = self.here;
        let ranges = self.ranges(&test);
        for (mut path, truth) in paths {
            path.extend(ranges.iter().cloned());
            self.block(from, path, if truth { yes } else { no }, test.span)?;
        }
        self.here = self.fresh();
        Ok(())
    }

    /// That the unsigned variables of a condition are in their ranges. They always are, so this changes nothing; but engines
    /// would have to find it out.
    fn ranges(&self, test: &Expr) -> Path {
        let mut natural: BTreeMap<String, i64> = BTreeMap::new();
        test.visit(&mut |part| {
            if let Node::Name(name) | Node::Assign(name, ..) | Node::Step { name, .. } = &part.node
                && let Some(Kind::Natural(bits)) = self.kinds.get(name)
            {
                natural.insert(name.clone(), (1 << bits) - 1);
            }
        });
        let range = |(name, most): (String, i64)| {
            [(Comparison::GreaterEqual, 0), (Comparison::LessEqual, most)].map(|(comparison, bound)| {
                let (value, bound) = (variable(&name, test.span), number(bound, test.span));
                Command::Assume(compare(comparison, value, bound, test.span))
            })
        };
        natural.into_iter().flat_map(range).collect()
    }

    fn statements(&mut self, statements: &[Statement]) -> Lowered {
        self.scopes.push(BTreeMap::new());
        for statement in statements {
            self.statement(statement)?;
        }
        self.scopes.pop();
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Lowered {
        let span = statement.span;
        let here = self.same(self.here);
        let byte = &mut self.locations[here].1;
        if !matches!(statement.node, Do::Block(_) | Do::Label(..) | Do::Nothing) {
            *byte = byte.or(Some(span.start));
        }
        match &statement.node {
            Do::Nothing => Ok(()),
            Do::Evaluate(expr) => self.effect(expr),
            Do::Declare(declared) => declared.iter().try_for_each(|declared| self.declaration(declared)),
            Do::Block(statements) => self.statements(statements),
            Do::If(test, yes, no) => {
                let (then, otherwise) = (self.fresh(), self.fresh());
                self.branch(test, then, otherwise)?;
                self.here = then;
                self.scoped(yes)?;
                if let Some(no) = no {
                    let after = self.fresh();
                    self.jump(after, span)?;
                    self.here = otherwise;
                    self.scoped(no)?;
                    self.jump(after, span)?;
                    self.here = after;
                } else {
                    self.jump(otherwise, span)?;
                    self.here = otherwise;
                }
                Ok(())
            }
            Do::While(test, body) => {
                let (head, inside, after) = (self.fresh(), self.fresh(), self.fresh());
                self.jump(head, span)?;
                self.here = head;
                self.branch(test, inside, after)?;
                self.here = inside;
                self.body(body, after, Some(head))?;
                self.jump(head, span)?;
                self.here = after;
                Ok(())
            }
            Do::Repeat(body, test) => {
                let (head, tail, after) = (self.fresh(), self.fresh(), self.fresh());
                self.jump(head, span)?;
                self.here = head;
                self.body(body, after, Some(tail))?;
                self.jump(tail, span)?;
                self.here = tail;
                self.branch(test, head, after)?;
                self.here = after;
                Ok(())
            }
            Do::For { first, test, step, body } => {
                self.scopes.push(BTreeMap::new());
                if let Some(first) = first {
                    self.statement(first)?;
                }
                let (head, tail, inside, after) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
                self.jump(head, span)?;
                self.here = head;
                match test {
                    Some(test) => self.branch(test, inside, after)?,
                    None => self.jump(inside, span)?,
                }
                self.here = inside;
                self.body(body, after, Some(tail))?;
                self.jump(tail, span)?;
                self.here = tail;
                if let Some(step) = step {
                    self.effect(step)?;
                }
                self.jump(head, span)?;
                self.here = after;
                self.scopes.pop();
                Ok(())
            }
            Do::Switch(value, body) => self.switch(value, body),
            Do::Case(value, body) => {
                let value = constant(value, &self.unit.constants)?;
                let to = self.switches.last().and_then(|cases| cases.values.get(&value)).copied();
                self.enter_case(to, body, span)
            }
            Do::Default(body) => {
                let to = self.switches.last().and_then(|cases| cases.default);
                self.enter_case(to, body, span)
            }
            Do::Label(name, body) => {
                let (location, defined) = self.label(name, span);
                if defined {
                    let message = format!("the label `{name}` is there twice");
                    return Err(Diagnostic::error(span, message, "the second one").into());
                }
                if let Some(frame) = self.frames.last_mut() {
                    // What stands behind a label may be done again.
                    frame.repeats = true;
                    if let Some(label) = frame.labels.get_mut(name) {
                        label.2 = true;
                    }
                }
                self.labels.entry(name.clone()).or_default().push(location);
                self.jump(location, span)?;
                self.here = location;
                self.statement(body)
            }
            Do::Goto(name) => {
                let (location, _) = self.label(name, span);
                self.jump(location, span)
            }
            Do::Break => match self.exits.last() {
                Some((to, _)) => self.jump(*to, span),
                None => {
                    Err(Diagnostic::error(span, "`break` is not in a loop or switch", "leads nowhere").into())
                }
            },
            Do::Continue => match self.exits.iter().rev().find_map(|(_, to)| *to) {
                Some(to) => self.jump(to, span),
                None => Err(Diagnostic::error(span, "`continue` is not in a loop", "leads nowhere").into()),
            },
            Do::Return(value) => self.return_statement(value.as_ref(), span),
        }
    }

    /// A statement that is a scope of its own.
    fn scoped(&mut self, statement: &Statement) -> Lowered {
        self.statements(std::slice::from_ref(statement))
    }

    /// The body of a loop or switch.
    fn body(&mut self, body: &Statement, after: usize, again: Option<usize>) -> Lowered {
        self.exits.push((after, again));
        self.scoped(body)?;
        self.exits.pop();
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) -> Lowered {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (after, result) = (frame.after, frame.result.clone());
        match (value, result) {
            (Some(value), Some((name, _))) => {
                ordered(self.unit, value)?;
                let value = self.hoisted(value)?;
                let assigned = Node::Assign(name, None, Box::new(value));
                let paths = self.evaluator().value(&Expr { node: assigned, span })?;
                self.step(paths.into_iter().map(|(path, _)| path), span)?;
            }
            // What `main` returns does not matter, but it may be a call.
            (Some(value), None) => self.effect(value)?,
            (None, _) => {}
        }
        self.jump(after, span)
    }

    fn switch(&mut self, value: &Expr, body: &Statement) -> Lowered {
        ordered(self.unit, value)?;
        let mut cases = Cases::default();
        self.cases(body, &mut cases)?;
        let after = self.fresh();
        let value = self.hoisted(value)?;
        let paths = self.evaluator().value(&value)?;
        let from = self.here;
        let span = value.span;
        for (path, value) in paths {
            let is = |case: i64, test: Comparison| compare(test, value.clone(), number(case, span), span);
            for (case, to) in &cases.values {
                let assumed = Command::Assume(is(*case, Comparison::Equal));
                self.block(from, path.iter().cloned().chain([assumed]).collect(), *to, span)?;
            }
            let others = cases.values.keys().map(|case| is(*case, Comparison::Unequal)).collect();
            let assumed = Command::Assume(Tree { node: Term::And(others), span });
            let path = path.iter().cloned().chain([assumed]).collect();
            self.block(from, path, cases.default.unwrap_or(after), span)?;
        }
        // What stands before the first case is not reached.
        self.here = self.fresh();
        self.switches.push(cases);
        self.body(body, after, None)?;
        self.switches.pop();
        self.jump(after, span)?;
        self.here = after;
        Ok(())
    }

    fn enter_case(&mut self, to: Option<usize>, body: &Statement, span: Span) -> Lowered {
        let Some(to) = to else {
            return Err(Diagnostic::error(span, "this case is in no switch", "belongs to nothing").into());
        };
        self.jump(to, span)?;
        self.here = to;
        self.statement(body)
    }

    /// The cases of a switch, not those of switches inside.
    fn cases(&mut self, statement: &Statement, cases: &mut Cases) -> Lowered {
        match &statement.node {
            Do::Block(statements) => statements.iter().try_for_each(|statement| self.cases(statement, cases)),
            Do::If(_, yes, no) => {
                self.cases(yes, cases)?;
                no.iter().try_for_each(|no| self.cases(no, cases))
            }
            Do::While(_, body) | Do::Repeat(body, _) | Do::For { body, .. } | Do::Label(_, body) => {
                self.cases(body, cases)
            }
            Do::Case(value, body) => {
                let number = constant(value, &self.unit.constants)?;
                let location = self.fresh();
                if cases.values.insert(number, location).is_some() {
                    return Err(
                        Diagnostic::error(value.span, "this case is there twice", "the second one").into()
                    );
                }
                self.cases(body, cases)
            }
            Do::Default(body) => {
                let location = self.fresh();
                if cases.default.replace(location).is_some() {
                    let message = "this switch has two defaults";
                    return Err(Diagnostic::error(statement.span, message, "the second one").into());
                }
                self.cases(body, cases)
            }
            _ => Ok(()),
        }
    }

    /// The location of a label of the function, and whether it was defined.
    fn label(&mut self, name: &str, span: Span) -> (usize, bool) {
        let known = self.frames.last().and_then(|frame| frame.labels.get(name));
        if let Some((location, _, defined)) = known {
            return (*location, *defined);
        }
        let location = self.fresh();
        if let Some(frame) = self.frames.last_mut() {
            frame.labels.insert(name.to_owned(), (location, span, false));
        }
        (location, false)
    }

    /// Inlines the body of a function here; its parameters have been declared and assigned.
    pub(super) fn inside(&mut self, frame: Frame, body: &[Statement]) -> Lowered {
        self.frames.push(frame);
        let exits = std::mem::take(&mut self.exits);
        let switches = std::mem::take(&mut self.switches);
        self.statements(body)?;
        (self.exits, self.switches) = (exits, switches);
        Ok(())
    }

    /// Leaves a function: every label was defined.
    pub(super) fn leave(&mut self) -> Lowered {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        for (name, (_, span, defined)) in frame.labels {
            if !defined {
                let message = format!("there is no label `{name}` in `{}`", frame.name);
                return Err(Diagnostic::error(span, message, "leads nowhere").into());
            }
        }
        Ok(())
    }

    /// The blocks that can be reached, with names for their locations.
    fn finished(self, start: usize, line: &dyn Fn(usize) -> usize) -> Flow {
        let blocks: Vec<(usize, &RawBlock, usize)> =
            self.blocks.iter().map(|block| (self.same(block.from), block, self.same(block.to))).collect();
        let mut successors: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, _, to) in &blocks {
            successors.entry(*from).or_default().push(*to);
        }
        let mut reached = BTreeSet::from([start]);
        let mut pending = vec![start];
        while let Some(location) = pending.pop() {
            for to in successors.get(&location).into_iter().flatten() {
                if reached.insert(*to) {
                    pending.push(*to);
                }
            }
        }
        let mut names: BTreeMap<usize, String> = BTreeMap::new();
        names.insert(self.same(self.exit), EXIT.to_owned());
        if self.asserts {
            names.insert(self.same(self.error), ERROR.to_owned());
        }
        let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
        // In the order of the text, so that the first of several on a line has the plain name.
        let byte = |location: usize| self.locations[location].1;
        let mut order: Vec<usize> = reached.iter().copied().collect();
        order.sort_by_key(|location| (byte(*location), *location));
        for location in order {
            names.entry(location).or_insert_with(|| {
                let Some(at) = byte(location) else { return format!("start_{location}") };
                let at = line(at);
                let count = lines.entry(at).or_insert(0);
                *count += 1;
                if *count == 1 { format!("line_{at}") } else { format!("line_{at}_{count}") }
            });
        }
        names.insert(start, "start".to_owned());
        let name = |location: usize, span: Span| Located { value: names[&location].clone(), span };
        let mut program = Program { start: Some(name(start, Span::default())), ..Program::default() };
        let kept = blocks.into_iter().filter(|(from, _, _)| reached.contains(from));
        for (from, block, to) in kept {
            let (from, to) = (name(from, block.span), name(to, block.span));
            program.blocks.push(Block { from, commands: block.commands.clone(), to });
        }
        let named = |location: &usize| names.get(&self.same(*location)).cloned();
        let mut labels: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (label, locations) in &self.labels {
            labels.insert(label.clone(), locations.iter().filter_map(named).collect());
        }
        labels.entry(EXIT.to_owned()).or_insert_with(|| vec![EXIT.to_owned()]);
        labels.entry(ERROR.to_owned()).or_insert_with(|| vec![ERROR.to_owned()]);
        let errors: Vec<String> = std::iter::once(self.error)
            .chain(self.errors.iter().copied())
            .filter_map(|at| named(&at))
            .collect();
        let globals = self.unit.globals.iter().flat_map(|global| {
            let leaves = self.unit.usable(global.kind, &global.sizes).into_iter();
            leaves.flat_map(|leaf| filled(&format!("{}{}", global.name, leaf.path), &leaf.sizes))
        });
        let (globals, asserts) = (globals.collect(), self.asserts);
        let warnings = self.unit.warnings.iter().cloned().chain(self.warnings).collect();
        Flow { program, names: self.names, globals, labels, asserts, errors, warnings }
    }
}

/// The elements of an array, by its path: each index in turn, the last one fastest.
pub(super) fn filled(path: &str, sizes: &[usize]) -> Vec<String> {
    let Some((size, rest)) = sizes.split_first() else { return vec![path.to_owned()] };
    (0..*size).flat_map(|number| filled(&path.replacen("[]", &format!("[{number}]"), 1), rest)).collect()
}
