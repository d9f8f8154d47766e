//! Expressions prepared for evaluation in very many states.
//!
//! [`model::semantics`] defines the value of an expression, and interprets trees with environments. Here every index
//! is replaced by its value, quantifiers are unrolled, cells and sets of actions are looked up once. The result is a
//! smaller tree. It has no faults of its own: where the definition would be a fault, or where an expression has a form
//! that is not known here, evaluation gives `None`, and the caller asks the definition. A test compares the two.

use model::expr::Operator;
use model::instance::Environment;
use model::{Expr, Index, Instance, Place, Quantifier, Span, semantics};

/// An expression without indices.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Constant(i64),
    Cell(usize),
    /// The value of a place whose cell depends on the state.
    Read(Box<Where>),
    Not(Box<Term>),
    Neg(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Sum(Vec<Term>),
    Min(Vec<Term>),
    Max(Vec<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
    If(Box<(Term, Term, Term)>),
    /// Whether the step takes one of these actions.
    Taken(Vec<bool>),
    /// Whether one of these actions is enabled.
    Enabled(Vec<usize>),
    /// Left to the definition.
    Unknown,
}

/// A place: a variable, the process that owns it, and the position in the array.
#[derive(Clone, Debug)]
pub(super) struct Where {
    place: Place,
    process: Option<Term>,
    position: Vec<Term>,
}

/// A step that leaves a state, and what is known of the state.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) instance: &'a Instance,
    pub(super) state: &'a [i64],
    /// Per action, whether it is enabled; empty while guards are being evaluated.
    pub(super) enabled: &'a [bool],
    /// The action, by number; `None` for `idle`, or if there is no step.
    pub(super) action: Option<usize>,
}

/// The most values of an index for which an expression is unrolled.
const UNROLLED: i64 = 4096;

/// The values of a rigid span, if there are not too many.
pub(super) fn values(span: &Span, environment: &mut Environment) -> Option<std::ops::RangeInclusive<i64>> {
    if !span.lo.is_rigid() || !span.hi.is_rigid() {
        return None;
    }
    let lo = semantics::rigid(&span.lo, environment).ok()?;
    let hi = semantics::rigid(&span.hi, environment).ok()?;
    (hi.checked_sub(lo)? < UNROLLED).then_some(lo..=hi)
}

/// The term of an expression.
pub(super) fn term(instance: &Instance, expr: &Expr, environment: &mut Environment) -> Term {
    let mut of = |expr: &Expr| term(instance, expr, environment);
    match expr {
        Expr::Bool(truth) => Term::Constant(i64::from(*truth)),
        Expr::Int(value) => Term::Constant(*value),
        Expr::Index(index) => environment.get(*index).map_or(Term::Unknown, Term::Constant),
        Expr::Read(place) => read(instance, place, environment),
        Expr::Not(a) => Term::Not(Box::new(of(a))),
        Expr::Neg(a) => Term::Neg(Box::new(of(a))),
        Expr::And(parts) => Term::And(parts.iter().map(of).collect()),
        Expr::Or(parts) => Term::Or(parts.iter().map(of).collect()),
        Expr::Sum(parts) => Term::Sum(parts.iter().map(of).collect()),
        Expr::Min(parts) => Term::Min(parts.iter().map(of).collect()),
        Expr::Max(parts) => Term::Max(parts.iter().map(of).collect()),
        Expr::Binary(operator, a, b) => folded(*operator, of(a), of(b)),
        Expr::If(a, b, c) => Term::If(Box::new((of(a), of(b), of(c)))),
        Expr::Quantified(quantifier, binder, body) => {
            let Some(values) = values(&binder.span, environment) else { return Term::Unknown };
            let parts =
                unrolled(binder.index, values, environment, |environment| term(instance, body, environment));
            match quantifier {
                Quantifier::Forall => Term::And(parts),
                Quantifier::Exists => Term::Or(parts),
                Quantifier::Count | Quantifier::Sum => Term::Sum(parts),
                Quantifier::Min => Term::Min(parts),
                Quantifier::Max => Term::Max(parts),
            }
        }
        Expr::Taken(pattern) => {
            instance.always_matching(pattern, environment).map_or(Term::Unknown, |actions| {
                let mut taken = vec![false; instance.actions.len()];
                actions.iter().for_each(|action| taken[action.0 as usize] = true);
                Term::Taken(taken)
            })
        }
        Expr::Enabled(pattern) => instance
            .always_matching(pattern, environment)
            .map_or(Term::Unknown, |actions| Term::Enabled(actions.iter().map(|a| a.0 as usize).collect())),
        Expr::Parameter(_) => Term::Unknown,
    }
}

/// The operator applied to two terms, computed if they are constants.
fn folded(operator: Operator, a: Term, b: Term) -> Term {
    if let (Term::Constant(x), Term::Constant(y)) = (&a, &b)
        && let Ok(value) = semantics::binary(operator, *x, *y)
    {
        return Term::Constant(value);
    }
    Term::Binary(operator, Box::new(a), Box::new(b))
}

/// One result per value of an index.
pub(super) fn unrolled<T>(
    index: Index,
    values: std::ops::RangeInclusive<i64>,
    environment: &mut Environment,
    mut body: impl FnMut(&mut Environment) -> T,
) -> Vec<T> {
    let mut bound = |value: i64| {
        environment.bind(index, value);
        let result = body(environment);
        environment.unbind();
        result
    };
    values.map(&mut bound).collect()
}

fn read(instance: &Instance, place: &Place, environment: &mut Environment) -> Term {
    let place = located(instance, place, environment);
    match place.constant(instance) {
        Some(cell) => Term::Cell(cell),
        None => Term::Read(Box::new(place)),
    }
}

/// A place whose process and position have become terms.
pub(super) fn located(instance: &Instance, place: &Place, environment: &mut Environment) -> Where {
    let process = place.process.as_ref().map(|process| term(instance, process, environment));
    let position = place.position.iter().map(|index| term(instance, index, environment)).collect();
    Where { place: place.clone(), process, position }
}

impl Where {
    /// The cell, if it is the same in every state.
    fn constant(&self, instance: &Instance) -> Option<usize> {
        let is_constant = |term: &Term| matches!(term, Term::Constant(_));
        let none = Moment { instance, state: &[], enabled: &[], action: None };
        let constant = self.process.iter().chain(&self.position).all(is_constant);
        if constant { self.cell(&none) } else { None }
    }

    /// The cell in a state.
    pub(super) fn cell(&self, moment: &Moment<'_>) -> Option<usize> {
        let instance = moment.instance;
        let owner = match instance.system.variable(self.place.variable).owner {
            None => None,
            Some(family) => {
                let index = match &self.process {
                    None => None,
                    Some(process) => Some(process.value(moment)?),
                };
                Some(instance.process(family, index).ok()?)
            }
        };
        let mut position = [0; 4];
        for (value, index) in position.iter_mut().zip(&self.position) {
            *value = index.value(moment)?;
        }
        let position = position.get(..self.position.len())?;
        instance.cell(self.place.variable, owner, position).ok()
    }
}

impl Term {
    /// The truth at a moment.
    pub(super) fn truth(&self, moment: &Moment<'_>) -> Option<bool> {
        self.value(moment).map(|value| value != 0)
    }

    /// The value at a moment; `None` if the definition must be asked.
    pub(super) fn value(&self, moment: &Moment<'_>) -> Option<i64> {
        match self {
            Term::Constant(value) => Some(*value),
            Term::Cell(cell) => Some(moment.state[*cell]),
            Term::Read(place) => Some(moment.state[place.cell(moment)?]),
            Term::Not(a) => Some(1 - a.value(moment)?),
            Term::Neg(a) => a.value(moment)?.checked_neg(),
            Term::And(parts) => {
                for part in parts {
                    if part.value(moment)? == 0 {
                        return Some(0);
                    }
                }
                Some(1)
            }
            Term::Or(parts) => {
                for part in parts {
                    if part.value(moment)? != 0 {
                        return Some(1);
                    }
                }
                Some(0)
            }
            Term::Sum(parts) => parts.iter().try_fold(0i64, |sum, part| sum.checked_add(part.value(moment)?)),
            Term::Min(parts) | Term::Max(parts) => {
                let mut best: Option<i64> = None;
                for part in parts {
                    let next = part.value(moment)?;
                    let least = matches!(self, Term::Min(_));
                    best = Some(best.map_or(next, |b| if least { b.min(next) } else { b.max(next) }));
                }
                best
            }
            Term::Binary(Operator::Implies, a, b) => {
                if a.value(moment)? == 0 {
                    Some(1)
                } else {
                    b.value(moment)
                }
            }
            Term::Binary(operator, a, b) => {
                semantics::binary(*operator, a.value(moment)?, b.value(moment)?).ok()
            }
            Term::If(parts) => {
                let (condition, yes, no) = &**parts;
                if condition.value(moment)? == 0 { no.value(moment) } else { yes.value(moment) }
            }
            Term::Taken(actions) => Some(i64::from(moment.action.is_some_and(|action| actions[action]))),
            Term::Enabled(actions) => {
                if moment.enabled.is_empty() && !actions.is_empty() {
                    return None;
                }
                Some(i64::from(actions.iter().any(|action| moment.enabled[*action])))
            }
            Term::Unknown => None,
        }
    }

    /// Whether it depends on the step, and not only on the state.
    pub(super) fn is_of_steps(&self) -> bool {
        match self {
            Term::Taken(_) | Term::Unknown => true,
            Term::Constant(_) | Term::Cell(_) | Term::Enabled(_) => false,
            Term::Read(place) => place.process.iter().chain(&place.position).any(Term::is_of_steps),
            Term::Not(a) | Term::Neg(a) => a.is_of_steps(),
            Term::And(parts) | Term::Or(parts) | Term::Sum(parts) | Term::Min(parts) | Term::Max(parts) => {
                parts.iter().any(Term::is_of_steps)
            }
            Term::Binary(_, a, b) => a.is_of_steps() || b.is_of_steps(),
            Term::If(parts) => [&parts.0, &parts.1, &parts.2].into_iter().any(Term::is_of_steps),
        }
    }

    /// Whether it certainly has a value in every state: no arithmetic, no place that depends on the state.
    pub(super) fn is_total(&self) -> bool {
        match self {
            Term::Constant(_) | Term::Cell(_) | Term::Taken(_) | Term::Enabled(_) => true,
            Term::Not(a) => a.is_total(),
            Term::And(parts) | Term::Or(parts) => parts.iter().all(Term::is_total),
            Term::Binary(operator, a, b) => {
                let may_fail = [Operator::Sub, Operator::Mul, Operator::Div, Operator::Mod];
                !may_fail.contains(operator) && a.is_total() && b.is_total()
            }
            Term::If(parts) => parts.0.is_total() && parts.1.is_total() && parts.2.is_total(),
            Term::Read(_) | Term::Neg(_) | Term::Sum(_) | Term::Min(_) | Term::Max(_) | Term::Unknown => {
                false
            }
        }
    }
}
