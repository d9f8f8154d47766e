//! Turns a C program into blocks of commands between locations.
//!
//! One statement is one step: an expression, the condition of a branch, the parameters of a call. Functions are
//! inlined, so a call of a function that is being called is refused. As there is no recursion, every function has one
//! copy of its variables, `f.x`, whatever the number of its calls. A variable without a value has any. Control that
//! does nothing (`goto`, the end of a branch) is no step: the two locations become one. Only where this would close a
//! loop without any step, it is an empty step, so that `while (1);` runs for ever.
//!
//! `calls` has what happens at calls and inside expressions with calls, `values` those without.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::{Diagnostic, nearest};
use lang::syntax::Span;

use super::effects::ordered;
use super::lexer::refused;
use super::parser::constant;
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
        temporaries: 0,
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
    /// The arrays, with their sizes.
    arrays: BTreeMap<String, usize>,
    names: BTreeMap<String, Vec<String>>,
    taken: BTreeSet<String>,
    pub(super) scopes: Vec<BTreeMap<String, String>>,
    pub(super) frames: Vec<Frame>,
    /// Where `break` and `continue` lead.
    exits: Vec<(usize, Option<usize>)>,
    /// The cases of the switches around.
    switches: Vec<Cases>,
    labels: BTreeMap<String, Vec<usize>>,
    /// The first values of variables.
    first: Vec<Command>,
    pub(super) asserts: bool,
    pub(super) exit: usize,
    pub(super) error: usize,
    pub(super) temporaries: usize,
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
        if declared.kind != Kind::Integer {
            self.kinds.insert(name.clone(), declared.kind);
        }
        let known = self.names.entry(declared.name.clone()).or_default();
        if !known.contains(&name) {
            known.push(name.clone());
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(declared.name.clone(), name.clone());
        }
        name
    }

    /// The program variable and the size of the array that a name means here.
    pub(super) fn array(&self, name: &str, span: Span) -> Lowered<(String, usize)> {
        let name = self.variable(name, span)?;
        match self.arrays.get(&name) {
            Some(size) => Ok((name, *size)),
            None => Err(Diagnostic::error(span, format!("`{name}` is no array"), "has no elements").into()),
        }
    }

    /// Whether a name means an array here.
    pub(super) fn is_array(&self, name: &str) -> bool {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.is_some_and(|found| self.arrays.contains_key(found))
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
            let names = self.scopes.iter().flat_map(|scope| scope.keys().map(String::as_str));
            let fault = Diagnostic::error(span, format!("`{name}` is not declared"), "not known here");
            return Err(match nearest(name, names) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            }
            .into());
        };
        if self.kinds.get(found) == Some(&Kind::Other) {
            return Err(refused(span, "a parameter of `main` that is no integer"));
        }
        Ok(found.clone())
    }

    /// The elements of an array as variables of their own, each with its first value.
    fn elements(&mut self, name: &str, declared: &Declaration, size: usize) -> Vec<Declaration> {
        self.arrays.insert(name.to_owned(), size);
        let element = |number: usize| {
            let value = declared.values.get(number).cloned();
            // If some values are given, the others are 0.
            let zero = Expr { node: Node::Number(0), span: declared.span };
            let value = value.or_else(|| (!declared.values.is_empty()).then_some(zero));
            Declaration {
                name: format!("{name}[{number}]"),
                value,
                size: None,
                values: Vec::new(),
                ..declared.clone()
            }
        };
        let elements: Vec<Declaration> = (0..size).map(element).collect();
        for element in &elements {
            if declared.kind != Kind::Integer {
                self.kinds.insert(element.name.clone(), declared.kind);
            }
            // In a formula it is written `a[0]`.
            let written = element.name.replacen(name, &declared.name, 1);
            let known = self.names.entry(written).or_default();
            if !known.contains(&element.name) {
                known.push(element.name.clone());
            }
        }
        elements
    }

    fn global(&mut self, global: &Declaration) -> Lowered {
        // Several declarations of one variable are allowed; one of them may have a value.
        let name = match self.scopes[0].get(&global.name) {
            Some(name) => name.clone(),
            None => self.declare(global),
        };
        if let Some(size) = global.size {
            for element in self.elements(&name, global, size) {
                let value = element.value.as_ref();
                let value = value.map(|value| constant(value, &self.unit.constants)).transpose()?;
                self.begin(&element.name, value, global.elsewhere, global.span);
            }
            return Ok(());
        }
        let value = match &global.value {
            Some(value) => Some(constant(value, &self.unit.constants)?),
            None => None,
        };
        self.begin(&name, value, global.elsewhere, global.span);
        Ok(())
    }

    /// The first value of a variable that lasts: 0 unless it is given.
    fn begin(&mut self, name: &str, value: Option<i64>, elsewhere: bool, span: Span) {
        let known = self
            .first
            .iter()
            .position(|command| matches!(command, Command::Assign { variable, .. } if variable == name));
        let value = match value {
            Some(value) => match self.kinds.get(name) {
                Some(Kind::Truth) => i64::from(value != 0),
                Some(Kind::Natural(bits)) => value.rem_euclid(1 << bits),
                _ => value,
            },
            None if known.is_some() => return,
            None if elsewhere => {
                // Its first value is not known, but it has one of its type.
                self.first.extend(self.any(name, span));
                return;
            }
            None => 0,
        };
        if let Some(known) = known {
            self.first.remove(known);
        }
        self.first.push(assign(name, number(value, span)));
    }

    fn declaration(&mut self, declared: &Declaration) -> Lowered {
        let name = self.declare(declared);
        let parts = match declared.size {
            Some(size) => self.elements(&name, declared, size),
            None => vec![Declaration { name, ..declared.clone() }],
        };
        // What has no value gets one in one step.
        let mut chosen = Vec::new();
        for part in &parts {
            if declared.lasting || declared.elsewhere {
                let value = part.value.as_ref();
                let value = value.map(|value| constant(value, &self.unit.constants)).transpose()?;
                self.begin(&part.name, value, declared.elsewhere, declared.span);
            } else if let Some(value) = &part.value {
                ordered(self.unit, value)?;
                let value = self.hoisted(value)?;
                let span = declared.span.to(value.span);
                let assigned = Expr { node: Node::Assign(part.name.clone(), None, Box::new(value)), span };
                let values = self.evaluator().value(&assigned)?;
                self.step(values.into_iter().map(|(path, _)| path), span)?;
            } else if !self.begins() || declared.kind != Kind::Integer {
                // At the beginning of `main` an integer has any value anyway.
                chosen.extend(self.any(&part.name, declared.span));
            }
        }
        if chosen.is_empty() { Ok(()) } else { self.step([chosen], declared.span) }
    }

    /// Whether nothing was done yet.
    fn begins(&self) -> bool {
        self.frames.len() == 1 && !self.frames[0].repeats && self.exits.is_empty()
    }

    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, expr: &Expr) -> Lowered {
        ordered(self.unit, expr)?;
        if self.call(expr)? {
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
        let test = self.hoisted(test)?;
        let paths = self.evaluator().test(&test)?;
        if let [(path, truth)] = &paths[..]
            && path.is_empty()
        {
            return self.jump(if *truth { yes } else { no }, test.span);
        }
        let from = self.here;
        for (path, truth) in paths {
            self.block(from, path, if truth { yes } else { no }, test.span)?;
        }
        self.here = self.fresh();
        Ok(())
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
        let globals = self.unit.globals.iter().map(|global| global.name.clone());
        let globals = globals.chain(self.arrays.keys().flat_map(|name| {
            let size = self.arrays[name];
            let global = self.unit.globals.iter().any(|global| global.name == *name);
            (0..if global { size } else { 0 }).map(move |number| format!("{name}[{number}]"))
        }));
        Flow { program, names: self.names, globals: globals.collect(), labels, asserts: self.asserts }
    }
}
