//! Expressions made ready for evaluation in many states.
//!
//! A [`Term`] is a ground expression in which constant places have become cells and constant patterns sets of
//! actions. Its value, and its fault, in every state is that of the expression under
//! [`model::semantics`]; the order of evaluation is the same. What is left over because its meaning depends
//! on the state in an unusual way (`taken(P[turn])`) is handed to the reference semantics as it is.

use model::answer::{Label, Position, State};
use model::expr::{Operator, Pattern, Place};
use model::instance::Environment;
use model::semantics::{self, Fault};
use model::{Expr, Instance, VariableId};

use crate::graph::bits::Bits;

/// An expression, compiled.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Constant(i64),
    Read(Slot),
    Not(Box<Term>),
    Neg(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Sum(Vec<Term>),
    Min(Vec<Term>),
    Max(Vec<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
    If(Box<Term>, Box<Term>, Box<Term>),
    /// The step's action is one of these.
    Taken(Bits),
    /// An event atom whose actions depend on the state.
    Event(Box<Expr>),
}

/// What is read or written.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// Always the same cell.
    Cell(usize),
    /// Always a fault.
    Nowhere(Fault),
    /// A cell that depends on the state.
    Computed { variable: VariableId, process: Option<Box<Term>>, position: Vec<Term> },
}

/// Where a term is evaluated: in a state, and in the step that leaves it if `taken` is to have a meaning.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) instance: &'a Instance,
    pub(super) state: &'a [i64],
    pub(super) label: Option<Label>,
}

impl Term {
    /// Whether the term is true.
    pub(super) fn holds(&self, moment: Moment<'_>) -> Result<bool, Fault> {
        Ok(self.value(moment)? != 0)
    }

    /// The value of the term.
    pub(super) fn value(&self, moment: Moment<'_>) -> Result<i64, Fault> {
        match self {
            Term::Constant(value) => Ok(*value),
            Term::Read(slot) => Ok(moment.state[slot.cell(moment)?]),
            Term::Not(a) => Ok(1 - a.value(moment)?),
            Term::Neg(a) => a.value(moment)?.checked_neg().ok_or(Fault::Overflow),
            Term::And(parts) => {
                for part in parts {
                    if part.value(moment)? == 0 {
                        return Ok(0);
                    }
                }
                Ok(1)
            }
            Term::Or(parts) => {
                for part in parts {
                    if part.value(moment)? != 0 {
                        return Ok(1);
                    }
                }
                Ok(0)
            }
            Term::Sum(parts) => parts
                .iter()
                .try_fold(0i64, |sum, part| sum.checked_add(part.value(moment)?).ok_or(Fault::Overflow)),
            Term::Min(parts) => extreme(parts, moment, i64::min),
            Term::Max(parts) => extreme(parts, moment, i64::max),
            Term::Binary(Operator::Implies, a, b) => {
                if a.value(moment)? == 0 {
                    Ok(1)
                } else {
                    b.value(moment)
                }
            }
            Term::Binary(operator, a, b) => semantics::binary(*operator, a.value(moment)?, b.value(moment)?),
            Term::If(condition, a, b) => {
                if condition.value(moment)? == 0 {
                    b.value(moment)
                } else {
                    a.value(moment)
                }
            }
            Term::Taken(actions) => Ok(match moment.label {
                Some(Label::Action(action)) => i64::from(actions.contains(action.0 as usize)),
                Some(Label::Idle) | None => 0,
            }),
            Term::Event(expr) => {
                let state = State(moment.state.to_vec());
                let truth = match moment.label {
                    Some(label) => {
                        semantics::step_predicate(moment.instance, expr, &Position { state, label })
                    }
                    None => semantics::state_predicate(moment.instance, expr, &state),
                };
                truth.map(i64::from)
            }
        }
    }
}

impl Slot {
    /// Compiles a ground place.
    pub(super) fn new(instance: &Instance, place: &Place) -> Slot {
        match instance.constant_cell(place) {
            Some(Ok(cell)) => Slot::Cell(cell),
            Some(Err(fault)) => Slot::Nowhere(fault),
            None => Slot::Computed {
                variable: place.variable,
                process: place.process.as_ref().map(|process| Box::new(compile(instance, process))),
                position: place.position.iter().map(|index| compile(instance, index)).collect(),
            },
        }
    }

    /// The cell meant at a moment.
    pub(super) fn cell(&self, moment: Moment<'_>) -> Result<usize, Fault> {
        match self {
            Slot::Cell(cell) => Ok(*cell),
            Slot::Nowhere(fault) => Err(fault.clone()),
            Slot::Computed { variable, process, position } => {
                let instance = moment.instance;
                let owner = match instance.system.variable(*variable).owner {
                    None => None,
                    Some(family) => {
                        let index = process.as_ref().map(|process| process.value(moment)).transpose()?;
                        Some(instance.process(family, index)?)
                    }
                };
                let position =
                    position.iter().map(|index| index.value(moment)).collect::<Result<Vec<i64>, Fault>>()?;
                instance.cell(*variable, owner, &position)
            }
        }
    }
}

/// Compiles a ground expression.
pub(super) fn compile(instance: &Instance, expr: &Expr) -> Term {
    let one = |expr: &Expr| Box::new(compile(instance, expr));
    let all = |parts: &[Expr]| parts.iter().map(|part| compile(instance, part)).collect();
    match expr {
        Expr::Bool(value) => Term::Constant(i64::from(*value)),
        Expr::Int(value) => Term::Constant(*value),
        Expr::Read(place) => Term::Read(Slot::new(instance, place)),
        Expr::Not(a) => Term::Not(one(a)),
        Expr::Neg(a) => Term::Neg(one(a)),
        Expr::And(parts) => Term::And(all(parts)),
        Expr::Or(parts) => Term::Or(all(parts)),
        Expr::Sum(parts) => Term::Sum(all(parts)),
        Expr::Min(parts) => Term::Min(all(parts)),
        Expr::Max(parts) => Term::Max(all(parts)),
        Expr::Binary(operator, a, b) => Term::Binary(*operator, one(a), one(b)),
        Expr::If(condition, a, b) => Term::If(one(condition), one(a), one(b)),
        Expr::Taken(pattern) => match constant_actions(instance, pattern) {
            Some(actions) => Term::Taken(actions),
            None => Term::Event(Box::new(expr.clone())),
        },
        Expr::Enabled(_) => Term::Event(Box::new(expr.clone())),
        Expr::Parameter(_) | Expr::Index(_) | Expr::Quantified(..) => {
            unreachable!("a ground expression has no parameters, indices and quantifiers")
        }
    }
}

/// The actions a pattern matches, if that is the same everywhere and no fault.
fn constant_actions(instance: &Instance, pattern: &Pattern) -> Option<Bits> {
    let constant = |expr: &Expr| matches!(expr, Expr::Int(_) | Expr::Bool(_));
    let processes = pattern.participants.iter().filter_map(|party| party.process.as_deref());
    if !processes.chain(pattern.arguments.iter().flatten()).all(constant) {
        return None;
    }
    let actions = instance.matching(pattern, &Environment::default()).ok()?;
    let mut bits = Bits::empty(instance.actions.len());
    for action in actions {
        bits.insert(action.0 as usize);
    }
    Some(bits)
}

fn extreme(parts: &[Term], moment: Moment<'_>, better: fn(i64, i64) -> i64) -> Result<i64, Fault> {
    let mut best: Option<i64> = None;
    for part in parts {
        let next = part.value(moment)?;
        best = Some(best.map_or(next, |best| better(best, next)));
    }
    best.ok_or(Fault::EmptyExtreme)
}
