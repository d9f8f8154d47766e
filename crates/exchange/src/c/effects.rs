//! What an expression reads and writes, to refuse those whose meaning depends on the order of evaluation.
//!
//! C leaves the order of operands open: `x++ + x` has no meaning, and `f() + g()` may have two. We evaluate from left
//! to right, which is right if no operand writes what another one reads or writes. If one does, the expression is
//! refused. `&&`, `||`, `?:` and the comma fix the order of their operands.

use std::collections::BTreeSet;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::syntax::{Do, Expr, Function, Node, Statement, Unit};

/// The names that an expression reads and writes, as they are written in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    /// What functions that it calls write. This is done before the call returns.
    called: BTreeSet<String>,
}

impl Effects {
    fn and(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.called.extend(other.called);
    }

    /// Whether this element of an array may be written.
    fn change(&self, element: &str) -> bool {
        self.writes.iter().chain(&self.called).any(|other| other == element || may_be_same(other, element))
    }
}

/// An element of an array as it is written, `a[1]`; `a[]` if it is not known which.
fn element(name: &str, index: &[Expr]) -> String {
    let mut numbers = index.iter().map(|index| match index.node {
        Node::Number(number) => Some(number),
        _ => None,
    });
    if index.is_empty() || name.matches("[]").count() != index.len() {
        return name.to_owned();
    }
    let known = numbers
        .try_fold(name.to_owned(), |name, number| Some(name.replacen("[]", &format!("[{}]", number?), 1)));
    known.unwrap_or_else(|| name.to_owned())
}

/// Whether two names of elements of one array may mean the same.
fn may_be_same(a: &str, b: &str) -> bool {
    let array = |name: &str| {
        let mut inside = false;
        let kept = |c: &char| {
            inside = if *c == '[' { true } else { inside && *c != ']' };
            !inside || *c == '['
        };
        name.chars().filter(kept).collect::<String>()
    };
    array(a) == array(b) && (a == b || a.contains("[]") || b.contains("[]"))
}

/// Checks that the order of evaluation does not matter.
pub(super) fn ordered(unit: &Unit, expr: &Expr) -> Result<Effects, Box<Diagnostic>> {
    let of = |expr: &Expr| ordered(unit, expr);
    Ok(match &expr.node {
        Node::Number(_)
        | Node::Text
        | Node::Any
        | Node::Between(..)
        | Node::Never
        | Node::Size(_)
        | Node::Address(_) => Effects::default(),
        Node::Name(name) => Effects { reads: BTreeSet::from([name.clone()]), ..Effects::default() },
        Node::Minus(a) | Node::Not(a) | Node::Cast(_, a) | Node::Floored(a, _) | Node::Modulo(a, _) => of(a)?,
        // An array is read and written as a whole, unless the element is known.
        Node::Element(name, index) => {
            let mut effects = apart(index.iter().map(of).collect::<Result<_, _>>()?, expr.span)?;
            let element = element(name, index);
            if effects.change(&element) {
                return Err(unordered(name, expr.span));
            }
            effects.reads.insert(element);
            effects
        }
        Node::AssignElement(name, index, _, value) => {
            let parts = index.iter().chain([&**value]).map(of).collect::<Result<_, _>>()?;
            let mut effects = apart(parts, expr.span)?;
            let element = element(name, index);
            if effects.change(&element) {
                return Err(unordered(name, expr.span));
            }
            effects.writes.insert(element.clone());
            effects.reads.insert(element);
            effects
        }
        Node::Binary(_, a, b) => apart(vec![of(a)?, of(b)?], expr.span)?,
        Node::And(a, b) | Node::Or(a, b) | Node::Comma(a, b) => {
            let mut effects = of(a)?;
            effects.and(of(b)?);
            effects
        }
        Node::Conditional(a, b, c) => {
            let mut effects = of(a)?;
            effects.and(of(b)?);
            effects.and(of(c)?);
            effects
        }
        Node::Assign(name, operator, value) => {
            let mut effects = of(value)?;
            if effects.writes.contains(name) || (operator.is_some() && effects.called.contains(name)) {
                return Err(unordered(name, expr.span));
            }
            effects.writes.insert(name.clone());
            if operator.is_some() {
                effects.reads.insert(name.clone());
            }
            effects
        }
        Node::Step { name, .. } => {
            let names = BTreeSet::from([name.clone()]);
            Effects { reads: names.clone(), writes: names, called: BTreeSet::new() }
        }
        Node::Call(name, arguments) => {
            let parts = arguments.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            let mut effects = apart(parts, expr.span)?;
            if let Some(function) = unit.functions.get(name) {
                for (argument, parameter) in arguments.iter().zip(&function.parameters) {
                    // The function may change what it gets a pointer to.
                    let pointed = match &argument.node {
                        Node::Address(name) => name.clone(),
                        Node::Name(name) if parameter.is_pointer => format!("*{name}[]"),
                        _ => continue,
                    };
                    effects.reads.insert(pointed.clone());
                    effects.called.insert(pointed);
                }
                let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::from([name.clone()]));
                mentioned(unit, function, &mut names, &mut seen);
                // A parameter or local variable of the same name is taken for the global one; this refuses too much at worst.
                let globals = unit.globals.iter().filter(|global| names.contains(&global.name));
                for global in globals {
                    for leaf in unit.leaves(global.kind, &global.sizes) {
                        let name = format!("{}{}", global.name, leaf.path);
                        effects.reads.insert(name.clone());
                        effects.called.insert(name);
                    }
                }
            }
            effects
        }
    })
}

/// Whether two names are different elements of one array.
fn are_apart(a: &str, b: &str) -> bool {
    let array = |name: &str| name.split('[').next().unwrap_or("").to_owned();
    array(a) == array(b) && !may_be_same(a, b) && a.matches('[').count() == b.matches('[').count()
}

/// The effects of operands in any order.
fn apart(parts: Vec<Effects>, span: Span) -> Result<Effects, Box<Diagnostic>> {
    let mut all = Effects::default();
    for part in parts {
        let touched = |a: &Effects, b: &Effects| {
            let mut written = a.writes.iter().chain(&a.called);
            let uses = |name: &String| {
                // A pointer may point to anything, and an array may be another one under the name of a parameter.
                let anything = |name: &String| name.starts_with('*');
                let same = |other: &String| {
                    other == name
                        || anything(name)
                        || anything(other)
                        || (name.contains('[') && other.contains('[') && !are_apart(name, other))
                };
                b.reads.iter().chain(&b.writes).any(same)
            };
            written.find(|name| uses(name)).cloned()
        };
        if let Some(name) = touched(&all, &part).or_else(|| touched(&part, &all)) {
            return Err(unordered(&name, span));
        }
        all.and(part);
    }
    Ok(all)
}

fn unordered(name: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("C does not say in which order `{name}` is read and written here");
    Diagnostic::error(span, message, "one operand may change what another one uses")
        .help("write it as several statements")
        .into()
}

/// The names in a function and in those that it calls.
fn mentioned(unit: &Unit, function: &Function, names: &mut BTreeSet<String>, seen: &mut BTreeSet<String>) {
    let mut visit = |expr: &Expr| {
        expr.visit(&mut |part| match &part.node {
            Node::Name(name)
            | Node::Assign(name, ..)
            | Node::Step { name, .. }
            | Node::Element(name, _)
            | Node::AssignElement(name, ..)
            | Node::Address(name) => {
                // The whole variable, for a part of it.
                let end = name.find(['.', '[']).unwrap_or(name.len());
                names.insert(name[..end].to_owned());
            }
            _ => {}
        });
    };
    function.body.iter().for_each(|statement| statement.visit(&mut visit));
    let mut calls = BTreeSet::new();
    let mut visit = |expr: &Expr| {
        expr.visit(&mut |part| {
            if let Node::Call(name, _) = &part.node {
                calls.insert(name.clone());
            }
        });
    };
    function.body.iter().for_each(|statement| statement.visit(&mut visit));
    for name in calls {
        if let Some(function) = unit.functions.get(&name)
            && seen.insert(name)
        {
            mentioned(unit, function, names, seen);
        }
    }
}

impl Expr {
    /// Calls a function on every part.
    pub(super) fn visit(&self, each: &mut dyn FnMut(&Expr)) {
        each(self);
        match &self.node {
            Node::Number(_)
            | Node::Name(_)
            | Node::Address(_)
            | Node::Size(_)
            | Node::Text
            | Node::Any
            | Node::Between(..)
            | Node::Never
            | Node::Step { .. } => {}
            Node::Minus(a)
            | Node::Not(a)
            | Node::Assign(_, _, a)
            | Node::Cast(_, a)
            | Node::Floored(a, _)
            | Node::Modulo(a, _) => a.visit(each),
            Node::Element(_, index) => index.iter().for_each(|part| part.visit(each)),
            Node::AssignElement(_, index, _, value) => {
                index.iter().for_each(|part| part.visit(each));
                value.visit(each);
            }
            Node::Binary(_, a, b) | Node::And(a, b) | Node::Or(a, b) | Node::Comma(a, b) => {
                a.visit(each);
                b.visit(each);
            }
            Node::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|part| part.visit(each)),
            Node::Call(_, arguments) => arguments.iter().for_each(|part| part.visit(each)),
        }
    }
}

impl Statement {
    /// Calls a function on every expression.
    pub(super) fn visit(&self, each: &mut dyn FnMut(&Expr)) {
        match &self.node {
            Do::Nothing | Do::Goto(_) | Do::Break | Do::Continue | Do::Return(None) => {}
            Do::Evaluate(expr) | Do::Return(Some(expr)) => each(expr),
            Do::Declare(declared) => {
                for one in declared {
                    one.value.iter().for_each(&mut *each);
                    one.values.iter().flatten().for_each(|(_, value)| each(value));
                }
            }
            Do::Block(statements) => statements.iter().for_each(|statement| statement.visit(each)),
            Do::If(test, yes, no) => {
                each(test);
                yes.visit(each);
                no.iter().for_each(|no| no.visit(each));
            }
            Do::While(test, body)
            | Do::Repeat(body, test)
            | Do::Switch(test, body)
            | Do::Case(test, body) => {
                each(test);
                body.visit(each);
            }
            Do::For { first, test, step, body } => {
                first.iter().for_each(|first| first.visit(each));
                test.iter().chain(step).for_each(&mut *each);
                body.visit(each);
            }
            Do::Default(body) | Do::Label(_, body) => body.visit(each),
        }
    }
}
