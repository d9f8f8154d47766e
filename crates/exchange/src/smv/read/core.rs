//! Expressions after names are resolved: over variables of the flat model, their next values, and definitions.
//!
//! `next` stands at variables only, a `case` is a chain of conditionals, and constants are known.

use std::collections::BTreeSet;

use lang::syntax::Span;

pub(super) use super::syntax::{Binary, Unary};

/// A variable, by its number.
pub(super) type Variable = usize;

/// A resolved expression.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The kinds of resolved expressions.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Bool(bool),
    Int(i64),
    Word {
        signed: bool,
        width: u32,
        value: i64,
    },
    Symbol(String),
    Read(Variable),
    /// `next(x)`
    Later(Variable),
    Define(usize),
    /// Whether the step is one of this process.
    Running(usize),
    Unary(Unary, Box<Core>),
    Binary(Binary, Box<Core>, Box<Core>),
    And(Vec<Core>),
    Or(Vec<Core>),
    If(Box<Core>, Box<Core>, Box<Core>),
    Set(Vec<Core>),
    Range(i64, i64),
    Call(String, Vec<Core>),
    Bits(Box<Core>, u32, u32),
    /// Has no value: none of the conditions of a `case` is true, or an index is outside its array.
    Nothing(&'static str),
}

impl Core {
    pub(super) fn new(kind: Kind, span: Span) -> Core {
        Core { kind, span }
    }

    pub(super) fn binary(operator: Binary, a: Core, b: Core) -> Core {
        let span = a.span.to(b.span);
        Core::new(Kind::Binary(operator, Box::new(a), Box::new(b)), span)
    }

    pub(super) fn unary(operator: Unary, a: Core) -> Core {
        let span = a.span;
        Core::new(Kind::Unary(operator, Box::new(a)), span)
    }

    pub(super) fn negated(self) -> Core {
        match self.kind {
            Kind::Unary(Unary::Not, a) => *a,
            Kind::Bool(truth) => Core::new(Kind::Bool(!truth), self.span),
            _ => Core::unary(Unary::Not, self),
        }
    }

    pub(super) fn choice(condition: Core, yes: Core, no: Core) -> Core {
        let span = condition.span;
        Core::new(Kind::If(Box::new(condition), Box::new(yes), Box::new(no)), span)
    }

    /// The parts of an expression.
    pub(super) fn children(&self) -> Vec<&Core> {
        match &self.kind {
            Kind::Unary(_, a) | Kind::Bits(a, ..) => vec![a],
            Kind::Binary(_, a, b) => vec![a, b],
            Kind::And(parts) | Kind::Or(parts) | Kind::Set(parts) | Kind::Call(_, parts) => {
                parts.iter().collect()
            }
            Kind::If(c, a, b) => vec![c, a, b],
            _ => Vec::new(),
        }
    }

    /// How many parts it has.
    pub(super) fn size(&self) -> usize {
        1 + self.children().into_iter().map(Core::size).sum::<usize>()
    }

    /// The same with other parts.
    pub(super) fn rebuilt<E>(&self, go: &mut dyn FnMut(&Core) -> Result<Core, E>) -> Result<Core, E> {
        let mut all = |parts: &[Core]| parts.iter().map(&mut *go).collect::<Result<Vec<_>, E>>();
        let kind = match &self.kind {
            Kind::Unary(operator, a) => Kind::Unary(*operator, Box::new(go(a)?)),
            Kind::Bits(a, high, low) => Kind::Bits(Box::new(go(a)?), *high, *low),
            Kind::Binary(operator, a, b) => Kind::Binary(*operator, Box::new(go(a)?), Box::new(go(b)?)),
            Kind::And(parts) => Kind::And(all(parts)?),
            Kind::Or(parts) => Kind::Or(all(parts)?),
            Kind::Set(parts) => Kind::Set(all(parts)?),
            Kind::Call(name, parts) => Kind::Call(name.clone(), all(parts)?),
            Kind::If(c, a, b) => Kind::If(Box::new(go(c)?), Box::new(go(a)?), Box::new(go(b)?)),
            other => other.clone(),
        };
        Ok(Core { kind, span: self.span })
    }

    /// Its value, if it is a constant number.
    pub(super) fn constant(&self) -> Option<i64> {
        match &self.kind {
            Kind::Int(value) | Kind::Word { value, .. } => Some(*value),
            Kind::Unary(Unary::Neg, a) => a.constant()?.checked_neg(),
            Kind::Binary(operator, a, b) => {
                let (a, b) = (a.constant()?, b.constant()?);
                match operator {
                    Binary::Add => a.checked_add(b),
                    Binary::Sub => a.checked_sub(b),
                    Binary::Mul => a.checked_mul(b),
                    Binary::Div => a.checked_div(b),
                    Binary::Mod => a.checked_rem(b),
                    _ => None,
                }
            }
            Kind::Call(name, parts) => {
                let parts: Vec<i64> = parts.iter().map(Core::constant).collect::<Option<_>>()?;
                match (name.as_str(), &parts[..]) {
                    ("min", [a, b]) => Some(*a.min(b)),
                    ("max", [a, b]) => Some(*a.max(b)),
                    ("abs", [a]) => a.checked_abs(),
                    ("toint", [a]) => Some(*a),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// What an expression mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    pub(super) now: BTreeSet<Variable>,
    pub(super) later: BTreeSet<Variable>,
    pub(super) running: BTreeSet<usize>,
    /// Whether it may have several values.
    pub(super) set: bool,
    /// Whether it may have no value.
    pub(super) nothing: bool,
}

impl Mentions {
    /// Adds those of an expression. `define` gives those of a definition.
    pub(super) fn add(&mut self, core: &Core, define: &dyn Fn(usize) -> Mentions) {
        match &core.kind {
            Kind::Read(variable) => {
                self.now.insert(*variable);
            }
            Kind::Later(variable) => {
                self.later.insert(*variable);
            }
            Kind::Running(process) => {
                self.running.insert(*process);
            }
            Kind::Define(number) => {
                let own = define(*number);
                self.now.extend(own.now);
                self.later.extend(own.later);
                self.running.extend(own.running);
                self.set |= own.set;
                self.nothing |= own.nothing;
            }
            Kind::Set(parts) => {
                self.set |= parts.len() > 1;
                parts.iter().for_each(|part| self.add(part, define));
            }
            Kind::Range(lo, hi) => self.set |= lo < hi,
            Kind::Nothing(_) => self.nothing = true,
            // What is in a set is one truth value.
            Kind::Binary(Binary::In, a, b) => {
                let set = self.set;
                self.add(a, define);
                self.add(b, define);
                self.set = set;
            }
            Kind::Binary(Binary::Union, a, b) => {
                self.add(a, define);
                self.add(b, define);
                self.set = true;
            }
            _ => core.children().into_iter().for_each(|part| self.add(part, define)),
        }
    }
}
