//! Variables, expressions and programs of CSP# in our language.
//!
//! CSP# has weak types: a variable holds a number or a truth value, and either may stand for the other. A variable whose
//! initial value is `true` or `false` is a truth value here. Without a declared range, the range of a number is what
//! its assignments can give it, found by iteration; if it grows without end, the variable is unbounded.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lang::syntax::{
    Binary as Operator, Expr as Tree, ExprKind, Initial, Item, ItemKind, Span, Statement as Step,
    StatementKind, Type, Unary as Prefix, Variables,
};

use super::syntax::{Binary, Expr, File, Kind, Process, Statement, Term, Variable};
use super::unfold::{Known, Values0};
use crate::text::Parsed;
use crate::text::refused;
use crate::tree::{
    binary, block, choice, declaration, expr, int, item, name, named, range, statement, unary,
};

/// How often ranges are widened before a variable counts as unbounded.
const ROUNDS: usize = 40;
/// A range with larger numbers counts as unbounded.
const LARGEST: i64 = 1 << 16;

/// A variable of the model.
pub(super) struct Declared<'a> {
    pub(super) written: &'a Variable,
    pub(super) called: String,
    pub(super) is_truth: bool,
    pub(super) sizes: Vec<i64>,
    /// The least and the greatest value; `None` if it is unbounded.
    pub(super) range: Option<(i64, i64)>,
    pub(super) initial: Vec<i64>,
}

/// The data of a model.
pub(super) struct Data<'a> {
    pub(super) known: &'a Known<'a>,
    pub(super) variables: HashMap<&'a str, Declared<'a>>,
    /// The order in which they are declared.
    order: Vec<&'a str>,
    /// Definitions that depend on the state, with their names and whether they are truth values.
    pub(super) defines: HashMap<&'a str, (String, bool)>,
}

impl<'a> Data<'a> {
    pub(super) fn new(
        file: &'a File,
        known: &'a Known<'a>,
        claim: &mut dyn FnMut(&str) -> String,
    ) -> Parsed<Data<'a>> {
        let mut data = Data { known, variables: HashMap::new(), order: Vec::new(), defines: HashMap::new() };
        let none = Values0::new();
        for written in &file.variables {
            let span = written.name.span;
            let sizes: Parsed<Vec<i64>> =
                written.sizes.iter().map(|size| known.constant(size, &none)).collect();
            let sizes = sizes?;
            let cells = sizes
                .iter()
                .try_fold(1i64, |all, size| all.checked_mul(*size).filter(|all| (1..=100_000).contains(all)));
            let Some(cells) = cells else {
                return refused(span, "this array has no usable size", "its size");
            };
            let is_truth = written.initial.first().is_some_and(|value| matches!(value.kind, Kind::Bool(_)));
            let given: Parsed<Vec<i64>> =
                written.initial.iter().map(|value| known.constant(value, &none)).collect();
            let given = given?;
            let range = match &written.range {
                Some((lo, hi)) => Some((known.constant(lo, &none)?, known.constant(hi, &none)?)),
                None => None,
            };
            let least = range.map_or(0, |(lo, hi)| 0.clamp(lo, hi));
            let mut initial: Vec<i64> = given;
            if !initial.is_empty() && initial.len() as i64 != cells {
                return refused(
                    span,
                    format!("{} initial values for {cells} variables", initial.len()),
                    "not as many",
                );
            }
            initial.resize(cells as usize, least);
            let called = claim(&written.name.text);
            if data.variables.contains_key(written.name.text.as_str()) {
                return refused(span, format!("`{}` is declared twice", written.name.text), "again");
            }
            data.order.push(&written.name.text);
            data.variables
                .insert(&written.name.text, Declared { written, called, is_truth, sizes, range, initial });
        }
        data.widen(file);
        for (name, value) in &file.defines {
            let truth = data.is_truth(value);
            // One over events or with temporal operators is written out where a formula uses it.
            let about_state =
                if truth { data.truth(value, &none) } else { data.number(value, &none) }.is_ok();
            if known.evaluate(value, &none, 0).is_none() && about_state {
                data.defines.insert(&name.text, (claim(&name.text), truth));
            }
        }
        Ok(data)
    }

    /// Finds the ranges of variables without a declared one.
    fn widen(&mut self, file: &'a File) {
        let mut assigned = Vec::new();
        file.processes.iter().for_each(|definition| assignments(&definition.body, &mut assigned));
        for variable in self.variables.values_mut().filter(|variable| variable.written.range.is_none()) {
            let least = variable.initial.iter().copied().min().unwrap_or(0);
            variable.range = Some((least, variable.initial.iter().copied().max().unwrap_or(0)));
        }
        for round in 0..=ROUNDS {
            let mut changed = false;
            for (target, value) in &assigned {
                let (Kind::Name(name, _) | Kind::Item(name, _)) = &target.kind else { continue };
                let new = self.interval(value);
                let Some(variable) = self.variables.get_mut(name.as_str()) else { continue };
                if variable.written.range.is_some() || variable.is_truth {
                    continue;
                }
                let Some((lo, hi)) = variable.range else { continue };
                let wider = new.map(|(low, high)| (lo.min(low), hi.max(high)));
                let wider = wider.filter(|(lo, hi)| lo.abs().max(hi.abs()) <= LARGEST && round < ROUNDS);
                if wider != variable.range {
                    variable.range = wider;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn interval(&self, value: &Expr) -> Option<(i64, i64)> {
        if let Some(known) = self.known.evaluate(value, &Values0::new(), 0) {
            return Some((known, known));
        }
        match &value.kind {
            Kind::Name(name, _) | Kind::Item(name, _) => match self.variables.get(name.as_str()) {
                Some(variable) if variable.is_truth => Some((0, 1)),
                Some(variable) => variable.range,
                None => self.interval(self.known.defines.get(name.as_str())?),
            },
            Kind::Neg(a) => self.interval(a).map(|(lo, hi)| (-hi, -lo)),
            Kind::Not(_) | Kind::Bool(_) => Some((0, 1)),
            Kind::Binary(operator, a, b) => {
                if is_condition(*operator) {
                    return Some((0, 1));
                }
                let ((a, b), (c, d)) = (self.interval(a)?, self.interval(b)?);
                match operator {
                    Binary::Add => Some((a + c, b + d)),
                    Binary::Sub => Some((a - d, b - c)),
                    Binary::Mul => {
                        let all = [a * c, a * d, b * c, b * d];
                        Some((*all.iter().min()?, *all.iter().max()?))
                    }
                    Binary::Mod if c > 0 && a >= 0 => Some((0, b.min(d - 1))),
                    Binary::Mod if c > 0 => Some((1 - d, d - 1)),
                    Binary::Div if c > 0 => Some(((a / c).min(a / d), (b / c).max(b / d))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The declarations of variables and definitions.
    pub(super) fn declarations(&self, file: &'a File) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        for own in &self.order {
            let variable = &self.variables[own];
            let span = variable.written.name.span;
            let value = |value: &i64| {
                if variable.is_truth { expr(ExprKind::Bool(*value != 0), span) } else { int(*value, span) }
            };
            let scalar = match variable.range {
                _ if variable.is_truth => Type::Bool(span),
                Some((lo, hi)) => Type::Range(range(lo, hi, span)),
                None => Type::Int(span),
            };
            let kind = variable
                .sizes
                .iter()
                .rev()
                .fold(scalar, |kind, size| Type::Array(range(0, size - 1, span), Box::new(kind)));
            let mut values: Vec<Tree> = variable.initial.iter().map(value).collect();
            for size in variable.sizes.iter().skip(1).rev() {
                let rows = values.chunks(*size as usize).map(|row| expr(ExprKind::List(row.to_vec()), span));
                values = rows.collect();
            }
            let initial =
                if variable.sizes.is_empty() { values.remove(0) } else { expr(ExprKind::List(values), span) };
            let variables = Variables {
                names: vec![name(variable.called.clone(), span)],
                kind,
                initial: Some(Initial::Value(initial)),
            };
            items.push(declaration(ItemKind::Shared(variables), span));
        }
        for (own, value) in &file.defines {
            if let Some((called, truth)) = self.defines.get(own.text.as_str()) {
                let none = Values0::new();
                let body = if *truth { self.truth(value, &none)? } else { self.number(value, &none)? };
                let kind =
                    ItemKind::Define { name: name(called.clone(), own.span), parameters: Vec::new(), body };
                items.push(declaration(kind, own.span));
            }
        }
        Ok(items)
    }

    pub(super) fn is_truth(&self, value: &Expr) -> bool {
        match &value.kind {
            Kind::Bool(_) | Kind::Not(_) | Kind::Globally(_) | Kind::Finally(_) | Kind::Next(_) => true,
            Kind::Name(name, _) | Kind::Item(name, _) => {
                let variable = self.variables.get(name.as_str()).is_some_and(|variable| variable.is_truth);
                variable || self.known.defines.get(name.as_str()).is_some_and(|value| self.is_truth(value))
            }
            Kind::Binary(operator, ..) => is_condition(*operator),
            _ => false,
        }
    }

    /// A condition. A number is true if it is not 0.
    pub(super) fn truth(&self, value: &Expr, values: &Values0) -> Parsed<Tree> {
        let span = value.span;
        if let Some(known) = self.known.evaluate(value, values, 0) {
            return Ok(expr(ExprKind::Bool(known != 0), span));
        }
        let not = |tree: Tree| unary(Prefix::Not, tree);
        let both = |operator: Operator, a: &Expr, b: &Expr| -> Parsed<Tree> {
            Ok(binary(operator, self.truth(a, values)?, self.truth(b, values)?))
        };
        match &value.kind {
            Kind::Not(a) => Ok(not(self.truth(a, values)?)),
            Kind::Binary(operator, a, b) => match operator {
                Binary::Or => both(Operator::Or, a, b),
                Binary::And => both(Operator::And, a, b),
                Binary::Xor => Ok(not(both(Operator::Iff, a, b)?)),
                Binary::Implies => both(Operator::Implies, a, b),
                Binary::Iff => both(Operator::Iff, a, b),
                Binary::Eq | Binary::Ne if self.is_truth(a) && self.is_truth(b) => {
                    let same = both(Operator::Iff, a, b)?;
                    Ok(if *operator == Binary::Eq { same } else { not(same) })
                }
                Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                    let operator = match operator {
                        Binary::Eq => Operator::Eq,
                        Binary::Ne => Operator::Ne,
                        Binary::Lt => Operator::Lt,
                        Binary::Le => Operator::Le,
                        Binary::Gt => Operator::Gt,
                        _ => Operator::Ge,
                    };
                    Ok(binary(operator, self.number(a, values)?, self.number(b, values)?))
                }
                Binary::Until | Binary::Release | Binary::WeakUntil => {
                    refused(span, "a temporal operator has no meaning here", "not a formula")
                }
                _ => Ok(binary(Operator::Ne, self.number(value, values)?, int(0, span))),
            },
            Kind::Globally(_) | Kind::Finally(_) | Kind::Next(_) => {
                refused(span, "a temporal operator has no meaning here", "not a formula")
            }
            _ if self.is_truth(value) => self.read(value, values),
            _ => Ok(binary(Operator::Ne, self.number(value, values)?, int(0, span))),
        }
    }

    /// A number. A truth value is 1 or 0.
    pub(super) fn number(&self, value: &Expr, values: &Values0) -> Parsed<Tree> {
        let span = value.span;
        if let Some(known) = self.known.evaluate(value, values, 0) {
            return Ok(int(known, span));
        }
        if self.is_truth(value) {
            return Ok(choice(self.truth(value, values)?, int(1, span), int(0, span)));
        }
        match &value.kind {
            Kind::Neg(a) => Ok(unary(Prefix::Neg, self.number(a, values)?)),
            Kind::Binary(operator, a, b) => {
                let positive = self.interval_at(a, values).is_some_and(|(lo, _)| lo >= 0);
                let (a, b) = (self.number(a, values)?, self.number(b, values)?);
                let towards_zero = |operator: Operator, a: Tree, b: Tree| {
                    if positive {
                        return binary(operator, a, b);
                    }
                    let neg = |tree: Tree| unary(Prefix::Neg, tree);
                    let above = binary(Operator::Ge, a.clone(), int(0, span));
                    choice(above, binary(operator, a.clone(), b.clone()), neg(binary(operator, neg(a), b)))
                };
                Ok(match operator {
                    Binary::Add => binary(Operator::Add, a, b),
                    Binary::Sub => binary(Operator::Sub, a, b),
                    Binary::Mul => binary(Operator::Mul, a, b),
                    Binary::Div => towards_zero(Operator::Div, a, b),
                    Binary::Mod => towards_zero(Operator::Mod, a, b),
                    _ => return refused(span, "a number is needed here", "not a number"),
                })
            }
            Kind::Call(called) => refused(span, format!("there is no function `{called}`"), "not supported"),
            _ => self.read(value, values),
        }
    }

    pub(super) fn interval_at(&self, value: &Expr, values: &Values0) -> Option<(i64, i64)> {
        match self.known.evaluate(value, values, 0) {
            Some(known) => Some((known, known)),
            None => self.interval(value),
        }
    }

    /// A variable, an element of an array, or a definition.
    pub(super) fn read(&self, value: &Expr, values: &Values0) -> Parsed<Tree> {
        let span = value.span;
        let (own, positions): (&String, &[Expr]) = match &value.kind {
            Kind::Name(own, arguments) if arguments.is_empty() => (own, &[]),
            Kind::Item(own, positions) => (own, positions),
            _ => return refused(span, "this is not a variable", "a variable is needed"),
        };
        if let Some((called, _)) = self.defines.get(own.as_str()) {
            return Ok(named(called.clone(), span));
        }
        let Some(variable) = self.variables.get(own.as_str()) else {
            return refused(span, format!("unknown name `{own}`"), "not declared");
        };
        if variable.sizes.len() != positions.len() {
            return refused(span, format!("`{own}` has {} indices", variable.sizes.len()), "not as many");
        }
        positions.iter().try_fold(named(variable.called.clone(), span), |array, position| {
            Ok(item(array, self.number(position, values)?))
        })
    }

    /// A program, as statements of one step.
    ///
    /// What is known of the values of variables decides how often a loop is done, so its rounds are written out. The
    /// variables of the program itself must always be known: they are no part of the state.
    pub(super) fn program(&self, statements: &[Statement], values: &Values0) -> Parsed<Vec<Step>> {
        let mut run = Run { values: values.clone(), fixed: values, locals: BTreeSet::new(), rounds: 0 };
        self.statements(statements, &mut run)
    }

    fn statements(&self, statements: &[Statement], run: &mut Run<'_>) -> Parsed<Vec<Step>> {
        let mut steps = Vec::new();
        for own in statements {
            match own {
                Statement::Local(local, value) => {
                    if self.variables.contains_key(local.text.as_str())
                        || run.values.contains_key(&local.text)
                    {
                        return refused(local.span, "this name is used already", "needs a name of its own");
                    }
                    run.values.insert(local.text.clone(), self.always(value, run)?);
                    run.locals.insert(local.text.clone());
                }
                Statement::Assign(target, value) => {
                    let scalar = match &target.kind {
                        Kind::Name(name, _) => Some(name),
                        _ => None,
                    };
                    if let Some(local) = scalar.filter(|name| run.locals.contains(*name)) {
                        run.values.insert(local.clone(), self.always(value, run)?);
                        continue;
                    }
                    let place = self.read(target, &run.values)?;
                    let truth = self.is_truth(target);
                    let new = if truth {
                        self.truth(value, &run.values)?
                    } else {
                        self.number(value, &run.values)?
                    };
                    steps.push(statement(
                        StatementKind::Assign { targets: vec![place], values: vec![new] },
                        target.span.to(value.span),
                    ));
                    if let Some(name) = scalar.filter(|name| !run.fixed.contains_key(*name)) {
                        match self.known.evaluate(value, &run.values, 0) {
                            Some(known) => run.values.insert(name.clone(), known),
                            None => run.values.remove(name),
                        };
                    }
                }
                Statement::If(condition, yes, no) => {
                    if let Some(known) = self.known.evaluate(condition, &run.values, 0) {
                        steps.extend(self.statements(if known != 0 { yes } else { no }, run)?);
                        continue;
                    }
                    let span = condition.span;
                    let condition = self.truth(condition, &run.values)?;
                    let before = run.values.clone();
                    let yes = block(self.statements(yes, run)?, span);
                    let after = std::mem::replace(&mut run.values, before);
                    let no = if no.is_empty() { None } else { Some(block(self.statements(no, run)?, span)) };
                    run.values.retain(|name, value| after.get(name) == Some(value));
                    steps.push(statement(StatementKind::If { condition, yes, no }, span));
                }
                Statement::While(condition, body) => {
                    while self.always(condition, run)? != 0 {
                        run.rounds += 1;
                        if run.rounds > LOOPS {
                            return refused(
                                condition.span,
                                "this loop is too long",
                                "more than 1,000 rounds",
                            );
                        }
                        steps.extend(self.statements(body, run)?);
                    }
                }
            }
        }
        Ok(steps)
    }

    /// The value of an expression of a program that must be known.
    fn always(&self, value: &Expr, run: &Run<'_>) -> Parsed<i64> {
        match self.known.evaluate(value, &run.values, 0) {
            Some(known) => Ok(known),
            None => refused(
                value.span,
                "a loop, or a variable of a program, that depends on the state is not supported",
                "not known here",
            ),
        }
    }
}

/// The longest loop of a program.
const LOOPS: usize = 1_000;

/// What is known while a program is written out.
struct Run<'a> {
    /// Parameters, and variables whose values are known here.
    values: Values0,
    /// The parameters.
    fixed: &'a Values0,
    /// The variables of the program itself.
    locals: BTreeSet<String>,
    rounds: usize,
}

fn is_condition(operator: Binary) -> bool {
    !matches!(operator, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod)
}

/// All assignments of a process.
fn assignments<'a>(process: &'a Process, found: &mut Vec<(&'a Expr, &'a Expr)>) {
    fn of_program<'a>(program: &'a [Statement], found: &mut Vec<(&'a Expr, &'a Expr)>) {
        for own in program {
            match own {
                Statement::Assign(target, value) => found.push((target, value)),
                Statement::If(_, yes, no) => {
                    of_program(yes, found);
                    of_program(no, found);
                }
                Statement::While(_, body) => of_program(body, found),
                Statement::Local(..) => {}
            }
        }
    }
    match &process.kind {
        Term::Skip | Term::Stop | Term::Call(..) => {}
        Term::Prefix { program, then, .. } | Term::Silent(program, then) => {
            of_program(program, found);
            assignments(then, found);
        }
        Term::Send(_, _, program, then) | Term::Receive(_, _, _, program, then) => {
            of_program(program, found);
            assignments(then, found);
        }
        Term::Guard(_, then) | Term::Indexed(_, _, then) | Term::Atomic(then) => assignments(then, found),
        Term::If { yes, no, .. } => {
            assignments(yes, found);
            no.iter().for_each(|no| assignments(no, found));
        }
        Term::Case(branches) => branches.iter().for_each(|(_, process)| assignments(process, found)),
        Term::Choice(parts)
        | Term::Internal(parts)
        | Term::Sequence(parts)
        | Term::Interleave(parts)
        | Term::Parallel(parts) => parts.iter().for_each(|part| assignments(part, found)),
    }
}

/// Where labels are taken: per label, the processes that have an action for it, with its name.
pub(super) type Taken = BTreeMap<(String, Vec<i64>), Vec<(String, String, Span)>>;
