//! Calls: functions are inlined, and a few names have a meaning of their own.
//!
//! An expression with calls is taken apart: its calls are done first, in order, and their results stand in their
//! place. So does a division by a large number, and a conversion to an unsigned type, whose value is tested: as part of a
//! condition they would have to be eliminated from it, which is possible for small numbers only. This is right because operands do not interfere (`effects`); behind `&&`, `||`, `?:` and a comma, where it
//! would not be, the parts become branches of their own.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::lexer::refused;
use super::lower::{Frame, Lower, filled};
use super::operands::in_bytes;
use super::parser::constant;
use super::syntax::{Binary, Expr, Function, Kind, Node};
use super::values::{assign, chosen, number, variable};
use crate::program::syntax::{Node as Term, Tree};

/// Limit on calls in calls.
const NESTING: usize = 50;

type Lowered<T = ()> = Result<T, Box<Diagnostic>>;

/// Functions that a program may call without a body, apart from those that choose a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The run counts only if the argument is true.
    Assume,
    /// The argument must be true.
    Assert,
    /// Must not be called.
    Error,
    /// Ends the program.
    Exit,
    /// Writes something, which is not part of the state.
    Print,
    /// Gives memory back.
    Free,
    /// Reads numbers, which may be any, into variables.
    Read,
}

fn known(name: &str) -> Option<Known> {
    Some(match name {
        "assume" | "__VERIFIER_assume" | "assume_abort_if_not" => Known::Assume,
        "assert" | "__VERIFIER_assert" => Known::Assert,
        "__VERIFIER_error" | "reach_error" | "__assert_fail" => Known::Error,
        "abort" | "exit" | "_Exit" | "_exit" => Known::Exit,
        "free" => Known::Free,
        "scanf" | "fscanf" | "sscanf" => Known::Read,
        "printf" | "fprintf" | "puts" | "fputs" | "putchar" | "fflush" | "perror" | "srand" => Known::Print,
        _ => return None,
    })
}

/// The element that an index names, in the order of their list; no run has another index.
fn among(elements: &[String], index: &Expr, span: Span, with: &dyn Fn(String) -> Node) -> Expr {
    let element = |number: usize| Expr { node: with(elements[number].clone()), span };
    if let Node::Number(number) = index.node {
        let number = usize::try_from(number).ok().filter(|number| *number < elements.len());
        return number.map_or(Expr { node: Node::Never, span }, element);
    }
    let mut found = Expr { node: Node::Never, span };
    for number in (0..elements.len()).rev() {
        let constant = Box::new(Expr { node: Node::Number(number as i64), span });
        let test = Node::Binary(Binary::Equal, Box::new(index.clone()), constant);
        let test = Box::new(Expr { node: test, span });
        found = Expr { node: Node::Conditional(test, Box::new(element(number)), Box::new(found)), span };
    }
    found
}

/// Whether an index is computed before the elements are looked at: it has effects, or cases.
fn is_put_aside(index: &Expr) -> bool {
    let mut found = false;
    index.visit(&mut |part| {
        found |= matches!(
            part.node,
            Node::Assign(..)
                | Node::AssignElement(..)
                | Node::Step { .. }
                | Node::Any
                | Node::Between(..)
                | Node::Call(..)
                | Node::Conditional(..)
                | Node::Element(..)
        );
    });
    found
}

/// The value of a number, and its type if that is unsigned.
fn literal(expr: &Expr) -> Option<(i64, Option<Kind>)> {
    match &expr.node {
        Node::Number(value) => Some((*value, None)),
        Node::Cast(kind @ Kind::Natural(32..), inner) => match inner.node {
            Node::Number(value) if (0..=i64::from(u32::MAX)).contains(&value) => Some((value, Some(*kind))),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a variable that never changes, with its type.
fn fixed(value: i64, kind: Option<Kind>, span: Span) -> Node {
    let number = Node::Number(value);
    match kind {
        Some(kind @ (Kind::Long | Kind::Natural(32..))) => {
            Node::Cast(kind, Box::new(Expr { node: number, span }))
        }
        _ => number,
    }
}

/// The value of an operation on constants, such as sizes, with its type.
fn folded(operator: Binary, a: &Expr, b: &Expr) -> Option<Node> {
    let ((first, own), (second, other)) = (literal(a)?, literal(b)?);
    let unsigned = own.or(other)?;
    // Signed constants are left to the evaluator, as are those that wrap around.
    if first < 0 || second < 0 || first > i64::from(u32::MAX) || second > i64::from(u32::MAX) {
        return None;
    }
    let whole = Node::Binary(operator, Box::new(a.clone()), Box::new(b.clone()));
    let value = constant(&Expr { node: whole, span: a.span }, &BTreeMap::new()).ok()?;
    let fits = (0..=i64::from(u32::MAX)).contains(&value);
    if operator.compares() {
        return Some(Node::Number(value));
    }
    let number = Box::new(Expr { node: Node::Number(value), span: a.span });
    fits.then_some(Node::Cast(unsigned, number))
}

/// What a parameter gets.
enum Given {
    Value(Expr),
    /// What it points to has these names in the function.
    Pointer(Vec<(String, String)>),
    /// The values of this structure, and its number.
    Structure(String, usize),
}

impl Lower<'_> {
    /// Whether an expression takes steps of its own: it calls something, or has an index that is put aside.
    pub(super) fn calls(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.visit(&mut |part| match &part.node {
            Node::Call(name, _) => found |= self.unit.functions.contains_key(name) || chosen(name).is_none(),
            Node::Element(_, indices) | Node::AssignElement(_, indices, ..) => {
                found |= indices.len() > 1 || indices.iter().any(is_put_aside);
            }
            _ => {}
        });
        found
    }

    /// Inlines a function here; `after` is where its calls go on.
    pub(super) fn function(
        &mut self,
        name: &str,
        function: &Function,
        after: usize,
        result: Option<(String, Kind)>,
    ) -> Lowered {
        let falls_off = result.clone();
        let frame =
            Frame { name: name.to_owned(), after, result, labels: BTreeMap::new(), repeats: name != "main" };
        if name == "main" {
            self.scopes.push(BTreeMap::new());
            function.parameters.iter().for_each(|parameter| {
                self.declare(parameter);
            });
        }
        self.inside(frame, &function.body)?;
        if let Some((result, _)) = falls_off {
            // The end of the body without `return`: the result is anything.
            let any = self.any(&result, function.span);
            self.step([any], function.span)?;
        }
        self.jump(after, function.span)?;
        self.leave()
    }

    /// Does a call that is a statement; says whether the expression was one.
    pub(super) fn call(&mut self, expr: &Expr) -> Lowered<bool> {
        let Node::Call(name, arguments) = &expr.node else { return Ok(false) };
        if self.unit.functions.contains_key(name) {
            if known(name) == Some(Known::Error) {
                // A place of its own, that nothing else is at.
                self.asserts = true;
                self.step([Vec::new()], expr.span)?;
                self.errors.push(self.here);
                self.step([Vec::new()], expr.span)?;
            }
            self.inlined(name, arguments, expr.span)?;
            return Ok(true);
        }
        let one = || match &arguments[..] {
            [argument] => Ok(argument),
            _ => Err(Box::new(Diagnostic::error(
                expr.span,
                format!("`{name}` has one argument"),
                "not so here",
            ))),
        };
        match known(name) {
            None if self.unit.declared.get(name) == Some(&Kind::Void) => {
                self.unknown(name, arguments, expr.span)?;
            }
            None => return Ok(false),
            Some(Known::Free) => {}
            Some(Known::Print) => {
                for argument in arguments {
                    // Texts, and streams that a header declares.
                    let outside = match &argument.node {
                        // What is no number has no effect either.
                        Node::Name(name) => {
                            self.meaning(name).is_none_or(|found| self.kinds.get(found) == Some(&Kind::Other))
                        }
                        node => matches!(node, Node::Text),
                    };
                    if !outside {
                        self.effect(argument)?;
                    }
                }
            }
            Some(Known::Read) => self.read(arguments)?,
            Some(Known::Assume) => {
                let test = self.tested(one()?)?;
                let paths = self.evaluator().test(&test)?;
                let paths: Vec<_> =
                    paths.into_iter().filter(|(_, truth)| *truth).map(|(path, _)| path).collect();
                if paths.is_empty() {
                    // No run gets further.
                    let never = Tree { node: Term::Truth(false), span: expr.span };
                    self.step([vec![crate::program::syntax::Command::Assume(never)]], expr.span)?;
                } else if !paths.iter().all(Vec::is_empty) {
                    self.step(paths, expr.span)?;
                }
            }
            Some(Known::Assert) => {
                self.asserts = true;
                let (good, bad) = (self.fresh(), self.error);
                self.branch(one()?, good, bad)?;
                self.here = good;
            }
            Some(Known::Error) => {
                self.asserts = true;
                self.jump(self.error, expr.span)?;
            }
            Some(Known::Exit) => {
                self.jump(self.exit, expr.span)?;
            }
        }
        Ok(true)
    }

    /// Calls a function that is only declared: nothing of the program changes.
    fn unknown(&mut self, name: &str, arguments: &[Expr], span: Span) -> Lowered {
        for argument in arguments {
            if !matches!(argument.node, Node::Text) {
                self.effect(argument)?;
            }
        }
        let message =
            format!("`{name}` has no body: any value of its type is returned, and nothing is changed");
        if !self.warnings.iter().any(|known| known.message == message) {
            self.warnings.push(Diagnostic::warning(span, message, "called here"));
        }
        Ok(())
    }

    /// Inlines a call; the variable of its result, if it has one.
    fn inlined(&mut self, name: &str, arguments: &[Expr], span: Span) -> Lowered<Option<String>> {
        let unit = self.unit;
        let Some(function) = unit.functions.get(name) else {
            let message = format!("`{name}` has no body here, so what it does is not known");
            return Err(Diagnostic::error(span, message, "called here")
                .help("`__VERIFIER_nondet_int()` is any integer")
                .into());
        };
        if self.frames.iter().any(|frame| frame.name == name) {
            return Err(refused(span, "recursion"));
        }
        if self.frames.len() > NESTING {
            return Err(Diagnostic::error(span, "calls are nested too deeply", "given up here").into());
        }
        if arguments.len() != function.parameters.len() {
            let message = format!("`{name}` has {} parameters", function.parameters.len());
            return Err(Diagnostic::error(span, message, format!("{} are given", arguments.len())).into());
        }
        let mut given = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            given.push(if parameter.is_pointer || parameter.kind == Kind::Other {
                Given::Pointer(self.pointed(&parameter.name, argument))
            } else if let Kind::Structure(number) = parameter.kind {
                let from = match &argument.node {
                    Node::Name(name) => self.meaning(name).cloned(),
                    _ => None,
                };
                let from = from.filter(|from| self.structures.get(from) == Some(&number));
                let from = from.ok_or_else(|| refused(argument.span, "such a value of a structure"))?;
                Given::Structure(from, number)
            } else {
                Given::Value(self.hoisted(argument)?)
            });
        }
        // A function does not see the variables of its caller.
        let scopes = self.scopes.split_off(1);
        self.scopes.push(BTreeMap::new());
        let after = self.fresh();
        let result = (function.result != Kind::Void).then(|| {
            let result = format!("{name}.return");
            if function.result != Kind::Integer {
                self.kinds.insert(result.clone(), function.result);
            }
            (result, function.result)
        });
        let frame =
            Frame { name: name.to_owned(), after, result: None, labels: BTreeMap::new(), repeats: true };
        self.frames.push(frame);
        let parameters: Vec<String> = function.parameters.iter().map(|one| self.declare(one)).collect();
        self.frames.pop();
        let mut passed: Option<Expr> = None;
        for (parameter, given) in parameters.into_iter().zip(given) {
            let argument = match given {
                Given::Value(argument) => argument,
                Given::Pointer(aliases) => {
                    self.scopes.last_mut().into_iter().for_each(|scope| scope.extend(aliases.clone()));
                    continue;
                }
                Given::Structure(from, number) => {
                    self.copy(&parameter, &from, number, span)?;
                    continue;
                }
            };
            let assigned = Expr { node: Node::Assign(parameter, None, Box::new(argument)), span };
            passed = Some(match passed {
                Some(before) => Expr { node: Node::Comma(Box::new(before), Box::new(assigned)), span },
                None => assigned,
            });
        }
        if let Some(passed) = passed {
            let paths = self.evaluator().value(&passed)?;
            self.step(paths.into_iter().map(|(path, _)| path), span)?;
        }
        self.function(name, function, after, result.clone())?;
        self.here = after;
        self.scopes.truncate(1);
        self.scopes.extend(scopes);
        Ok(result.map(|(name, _)| name))
    }

    /// The expression over program variables, after its calls and what must be computed before it is tested.
    pub(super) fn hoisted(&mut self, expr: &Expr) -> Lowered<Expr> {
        let expr = self.after_calls(expr)?;
        self.settled(expr, false)
    }

    /// A condition over program variables, after its calls and what must be computed before.
    pub(super) fn tested(&mut self, expr: &Expr) -> Lowered<Expr> {
        let expr = self.after_calls(expr)?;
        self.settled(expr, true)
    }

    /// Reads numbers into variables. If nothing can be read, a variable keeps its value, which could have been read too.
    fn read(&mut self, arguments: &[Expr]) -> Lowered {
        let mut read = Vec::new();
        for argument in arguments {
            match &argument.node {
                Node::Text => {}
                Node::Address(name) => {
                    let variable = self.variable(name, argument.span)?;
                    read.extend(self.any(&variable, argument.span));
                }
                // A stream that a header declares.
                Node::Name(name) if !self.is_declared(name) => {}
                _ => return Err(refused(argument.span, "a pointer that is computed")),
            }
        }
        let span = arguments.first().map_or_else(Span::default, |first| first.span);
        self.step([read], span)
    }

    /// The expression with variables in place of values that are tested and cannot be part of a condition.
    fn settled(&mut self, expr: Expr, tested: bool) -> Lowered<Expr> {
        let span = expr.span;
        let mut changes = false;
        expr.visit(&mut |part| changes |= matches!(part.node, Node::Assign(..) | Node::Step { .. }));
        let mut inside =
            |a: Box<Expr>, tested: bool| Ok::<_, Box<Diagnostic>>(Box::new(self.settled(*a, tested)?));
        let node = match expr.node {
            Node::Assign(name, operator, value) => Node::Assign(name, operator, inside(value, false)?),
            // What is computed before must not depend on what is done in between.
            node if changes => node,
            Node::Not(a) => Node::Not(inside(a, true)?),
            Node::And(a, b) => Node::And(inside(a, true)?, inside(b, true)?),
            Node::Or(a, b) => Node::Or(inside(a, true)?, inside(b, true)?),
            Node::Conditional(test, a, b) => {
                Node::Conditional(inside(test, true)?, inside(a, tested)?, inside(b, tested)?)
            }
            Node::Binary(operator, a, b) if operator.compares() => {
                let bits = self.evaluator().common(&a, &b);
                Node::Binary(operator, Box::new(self.side(*a, bits)?), Box::new(self.side(*b, bits)?))
            }
            node if tested => {
                let expr = Expr { node, span };
                let bits = self.evaluator().common(&expr, &expr);
                return self.side(expr, bits);
            }
            Node::Binary(operator, a, b) => Node::Binary(operator, inside(a, false)?, inside(b, false)?),
            Node::Minus(a) => Node::Minus(inside(a, false)?),
            Node::Cast(kind, a) => Node::Cast(kind, inside(a, kind == Kind::Truth)?),
            node => node,
        };
        Ok(Expr { node, span })
    }

    /// A value that is compared, after a conversion to an unsigned type if there is one.
    fn side(&mut self, expr: Expr, bits: Option<u32>) -> Lowered<Expr> {
        if !self.evaluator().is_divided(&expr, bits) {
            return Ok(expr);
        }
        let (kept, span) = (self.temporary(), expr.span);
        if let Some(bits) = bits {
            self.kinds.insert(kept.clone(), Kind::Natural(bits));
        }
        self.kept(&kept, expr)?;
        Ok(Expr { node: Node::Name(kept), span })
    }

    /// Assigns a value to a new variable, in a step of its own.
    fn kept(&mut self, name: &str, value: Expr) -> Lowered {
        let span = value.span;
        let assigned = Expr { node: Node::Assign(name.to_owned(), None, Box::new(value)), span };
        let paths = self.evaluator().value(&assigned)?;
        self.step(paths.into_iter().map(|(path, _)| path), span)
    }

    /// The expression over program variables, after its calls.
    fn after_calls(&mut self, expr: &Expr) -> Lowered<Expr> {
        let span = expr.span;
        let node = match &expr.node {
            Node::Number(_) | Node::Text | Node::Any | Node::Between(..) | Node::Never => expr.node.clone(),
            Node::Address(_) => return Err(refused(span, "a pointer")),
            Node::Size(name) => return Ok(in_bytes(self.size(name, span)?, span)),
            Node::Element(name, indices) => {
                let (path, sizes) = self.array(name, span)?;
                let index = self.index(indices, &sizes, span)?;
                return Ok(among(&filled(&path, &sizes), &index, span, &|element| Node::Name(element)));
            }
            Node::AssignElement(name, indices, operator, value) => {
                let (path, sizes) = self.array(name, span)?;
                let (index, value) = (self.index(indices, &sizes, span)?, self.after_calls(value)?);
                return Ok(among(&filled(&path, &sizes), &index, span, &|element| {
                    Node::Assign(element, *operator, Box::new(value.clone()))
                }));
            }
            Node::Name(name) => match self.unit.constants.get(name) {
                Some(value) if !self.is_declared(name) => Node::Number(*value),
                _ if !self.is_declared(name) && (name == "true" || name == "false") => {
                    Node::Number(i64::from(name == "true"))
                }
                _ => {
                    let variable = self.variable(name, span)?;
                    match self.fixed.get(&variable) {
                        Some(value) => fixed(*value, self.kinds.get(&variable).copied(), span),
                        None => Node::Name(variable),
                    }
                }
            },
            Node::Minus(a) => Node::Minus(Box::new(self.after_calls(a)?)),
            Node::Not(a) => Node::Not(Box::new(self.after_calls(a)?)),
            Node::Cast(kind, a) => {
                let a = self.after_calls(a)?;
                match (kind, literal(&a)) {
                    // A larger number would have a wider type.
                    (Kind::Integer, Some((value, _))) if i32::try_from(value).is_ok() => Node::Number(value),
                    _ => Node::Cast(*kind, Box::new(a)),
                }
            }
            Node::Floored(a, by) => Node::Floored(Box::new(self.after_calls(a)?), *by),
            Node::Modulo(a, by) => Node::Modulo(Box::new(self.after_calls(a)?), *by),
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.after_calls(a)?, self.after_calls(b)?);
                let folded = folded(*operator, &a, &b);
                folded.unwrap_or_else(|| Node::Binary(*operator, Box::new(a), Box::new(b)))
            }
            Node::And(_, b) | Node::Or(_, b) if self.calls(b) => return self.chosen_by_branch(expr),
            Node::Conditional(_, b, c) if self.calls(b) || self.calls(c) => {
                return self.chosen_by_branch(expr);
            }
            Node::Comma(a, b) if self.calls(b) => {
                self.effect(a)?;
                return self.after_calls(b);
            }
            Node::And(a, b) => {
                let a = self.after_calls(a)?;
                Node::And(Box::new(a), Box::new(self.after_calls(b)?))
            }
            Node::Or(a, b) => {
                let a = self.after_calls(a)?;
                Node::Or(Box::new(a), Box::new(self.after_calls(b)?))
            }
            Node::Comma(a, b) => {
                let a = self.after_calls(a)?;
                Node::Comma(Box::new(a), Box::new(self.after_calls(b)?))
            }
            Node::Conditional(a, b, c) => {
                let (a, b) = (self.after_calls(a)?, self.after_calls(b)?);
                Node::Conditional(Box::new(a), Box::new(b), Box::new(self.after_calls(c)?))
            }
            Node::Assign(name, operator, value) => {
                let value = self.after_calls(value)?;
                Node::Assign(self.variable(name, span)?, *operator, Box::new(value))
            }
            Node::Step { name, by, old } => {
                Node::Step { name: self.variable(name, span)?, by: *by, old: *old }
            }
            Node::Call(name, arguments) => {
                if !self.unit.functions.contains_key(name) {
                    if chosen(name).is_some() {
                        return Ok(expr.clone());
                    }
                    if known(name).is_some() {
                        let message = format!("`{name}` has no value");
                        return Err(Diagnostic::error(span, message, "used as a value").into());
                    }
                    if let Some(kind) = self.unit.declared.get(name).copied()
                        && kind != Kind::Void
                    {
                        self.unknown(name, arguments, span)?;
                        let kept = self.temporary();
                        if kind != Kind::Integer {
                            self.kinds.insert(kept.clone(), kind);
                        }
                        let any = self.any(&kept, span);
                        self.step([any], span)?;
                        return Ok(Expr { node: Node::Name(kept), span });
                    }
                }
                let Some(result) = self.inlined(name, arguments, span)? else {
                    let message = format!("`{name}` returns nothing");
                    return Err(Diagnostic::error(span, message, "used as a value").into());
                };
                // Another call of the function would overwrite its result.
                let kept = self.temporary();
                if let Some(kind) = self.kinds.get(&result).copied() {
                    self.kinds.insert(kept.clone(), kind);
                }
                self.step([vec![assign(&kept, variable(&result, span))]], span)?;
                Node::Name(kept)
            }
        };
        Ok(Expr { node, span })
    }

    /// The position of an element among all of an array, which is tested for each of them.
    fn index(&mut self, indices: &[Expr], sizes: &[usize], span: Span) -> Lowered<Expr> {
        let mut all = Vec::new();
        for index in indices {
            let index = self.hoisted(index)?;
            all.push(if is_put_aside(&index) { self.aside(index)? } else { index });
        }
        if let [index] = &all[..] {
            return Ok(index.clone());
        }
        // Each index must be inside, not only their combination.
        let make = |node: Node| Expr { node, span };
        let number = |value: usize| Box::new(make(Node::Number(value as i64)));
        let mut position = make(Node::Number(0));
        let mut inside: Option<Expr> = None;
        for (index, size) in all.iter().zip(sizes) {
            let longer = make(Node::Binary(Binary::Mul, Box::new(position), number(*size)));
            position = make(Node::Binary(Binary::Add, Box::new(longer), Box::new(index.clone())));
            let least = make(Node::Binary(Binary::GreaterEqual, Box::new(index.clone()), number(0)));
            let most = make(Node::Binary(Binary::Less, Box::new(index.clone()), number(*size)));
            let own = make(Node::And(Box::new(least), Box::new(most)));
            inside = Some(match inside {
                Some(before) => make(Node::And(Box::new(before), Box::new(own))),
                None => own,
            });
        }
        if let Ok(position) = constant(&position, &BTreeMap::new()) {
            let is_inside = inside.is_some_and(|inside| constant(&inside, &BTreeMap::new()) == Ok(1));
            return Ok(make(Node::Number(if is_inside { position } else { -1 })));
        }
        let Some(inside) = inside else { return Ok(position) };
        let outside = Box::new(make(Node::Number(-1)));
        self.aside(make(Node::Conditional(Box::new(inside), Box::new(position), outside)))
    }

    /// A variable that has the value of an expression from now on.
    fn aside(&mut self, expr: Expr) -> Lowered<Expr> {
        let (kept, span) = (self.temporary(), expr.span);
        self.kept(&kept, expr)?;
        Ok(Expr { node: Node::Name(kept), span })
    }

    fn is_declared(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains_key(name))
    }

    /// A new variable that the source does not have.
    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("call.{}", self.temporaries)
    }

    /// The value of `&&`, `||` or `?:` with calls behind its first operand: one branch per case.
    fn chosen_by_branch(&mut self, expr: &Expr) -> Lowered<Expr> {
        let span = expr.span;
        let (yes, no, after) = (self.fresh(), self.fresh(), self.fresh());
        let kept = self.temporary();
        if let Node::Conditional(test, a, b) = &expr.node {
            self.branch(test, yes, no)?;
            let mut values = Vec::new();
            for (location, value) in [(yes, a), (no, b)] {
                self.here = location;
                let value = self.hoisted(value)?;
                values.push((self.here, value));
            }
            // Both values have the type that C converts them to.
            if let [(_, a), (_, b)] = &values[..] {
                let kind = self.evaluator().joined(a, b);
                self.kinds.insert(kept.clone(), kind);
            }
            for (location, value) in values {
                self.here = location;
                self.kept(&kept, value)?;
                self.jump(after, span)?;
            }
        } else {
            self.branch(expr, yes, no)?;
            for (location, value) in [(yes, 1), (no, 0)] {
                self.here = location;
                self.step([vec![assign(&kept, number(value, span))]], span)?;
                self.jump(after, span)?;
            }
        }
        self.here = after;
        Ok(Expr { node: Node::Name(kept), span })
    }
}
