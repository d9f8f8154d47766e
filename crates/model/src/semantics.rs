//! The semantics of a system: initial states, enabled actions, steps, and the truth of a step predicate.
//!
//! This file is the definition: the engines, the judge and the oracle must agree with it. It interprets expression
//! trees directly and is slow. The rules:
//!
//! - A state is initial if each cell has one of its initial values and every `init` predicate is true.
//! - An action is enabled where its guard is true. Its update yields one successor per way of resolving `Either` and
//!   `Choose`. The outcomes of a choice among all integers cannot be listed; [`successors_with`] lists those with
//!   given integers.
//! - In a state where no action is enabled, and only there, the system takes the step `idle`, which changes
//!   nothing. There is no other stuttering.
//! - A *fault* (a value leaves its range, an index leaves its array, a division by zero, an overflow of 64 bits) is
//!   an event of its own. A property holds only if no fault is reachable: neither in a guard or an update, nor in an
//!   atom of the property or the fairness evaluated in a reachable state.

use crate::answer::{Label, Position, State};
use crate::expr::{Expr, Index, Operator, Pattern, Place, Quantifier, Span};
use crate::fairness::Requirement;
use crate::instance::{ActionId, Environment, Instance, Start};
use crate::system::{Demand, Update};

/// A run-time error in the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A division or remainder by zero.
    DivisionByZero,
    /// A number that does not fit in 64 bits.
    Overflow,
    /// A cell is assigned a value outside its range.
    OutsideRange {
        /// The cell.
        name: String,
        /// The value.
        value: i64,
        /// The least value of the range.
        lo: i64,
        /// The greatest value of the range.
        hi: i64,
    },
    /// An index outside its array.
    OutsideArray {
        /// The variable.
        name: String,
        /// The index.
        value: i64,
        /// The least index.
        lo: i64,
        /// The greatest index.
        hi: i64,
    },
    /// A reference to a process that does not exist.
    NoSuchProcess {
        /// The family.
        name: String,
        /// The index.
        value: i64,
        /// The least index of the family.
        lo: i64,
        /// The greatest index of the family.
        hi: i64,
    },
    /// A choice among no values.
    EmptyChoice,
    /// An assertion of the model is false: its text.
    Asserted(String),
    /// A check that the language makes fails: its text. A sequence has no room, or a set gets a wrong member.
    Refused(String),
    /// `min` or `max` over no values. An index outside a constant table or a sequence is one too.
    EmptyExtreme,
    /// The outcomes of a choice among all integers should have been listed. This is not a fault of the model, and no
    /// task fails because of it.
    EndlessChoice,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::DivisionByZero => write!(f, "division by zero"),
            Fault::Overflow => write!(f, "a number leaves the 64 bits it is computed with"),
            Fault::OutsideRange { name, value, lo, hi } => {
                write!(f, "`{name}` would become {value}, outside its range {lo}..{hi}")
            }
            Fault::OutsideArray { name, value, lo, hi } => {
                write!(f, "index {value} is outside the array `{name}`, which goes from {lo} to {hi}")
            }
            Fault::NoSuchProcess { name, value, lo, hi } => {
                write!(f, "there is no process `{name}[{value}]`, the family goes from {lo} to {hi}")
            }
            Fault::EmptyChoice => write!(f, "no value or alternative is admissible"),
            Fault::Asserted(text) => write!(f, "the assertion {text} is false"),
            Fault::Refused(text) => f.write_str(text),
            Fault::EmptyExtreme => {
                write!(f, "`min` or `max` over no values, or an index outside a constant table or a sequence")
            }
            Fault::EndlessChoice => write!(f, "any integer can be chosen, so the outcomes cannot be listed"),
        }
    }
}

/// A step `(s, a, s')`, without its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The action, or `idle`.
    pub label: Label,
    /// The successor.
    pub target: State,
}

/// Whether a state is initial.
pub fn is_initial(instance: &Instance, state: &State) -> Result<bool, Fault> {
    if state.0.len() != instance.cells.len() {
        return Ok(false);
    }
    let cells = instance.cells.iter().zip(&instance.starts).zip(&state.0);
    for ((cell, start), value) in cells {
        let possible = match start {
            Start::Any => cell.domain.contains(*value),
            Start::Among(values) => values.contains(value),
        };
        if !possible {
            return Ok(false);
        }
    }
    for predicate in &instance.system.init {
        if !state_predicate(instance, predicate, state)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether an action is enabled in a state.
pub fn enabled(instance: &Instance, state: &State, action: ActionId) -> Result<bool, Fault> {
    let action = instance.action(action);
    let guard = &instance.system.actions[action.action].guard;
    truth(instance, guard, state, None, &mut action.environment.clone())
}

/// The successors of a state by an action, each once, in a fixed order; none if it is not enabled.
pub fn successors(instance: &Instance, state: &State, action: ActionId) -> Result<Vec<State>, Fault> {
    resolved(instance, state, action, None)
}

/// Integers to try for a choice among all integers, by the index of the choice.
pub type Integers<'a> = dyn Fn(Index) -> Vec<i64> + 'a;

/// The successors for which every choice among all integers takes one of these integers. These are all successors if
/// there is no such choice.
pub fn successors_with(
    instance: &Instance,
    state: &State,
    action: ActionId,
    integers: &Integers<'_>,
) -> Result<Vec<State>, Fault> {
    resolved(instance, state, action, Some(integers))
}

fn resolved(
    instance: &Instance,
    state: &State,
    action: ActionId,
    integers: Option<&Integers<'_>>,
) -> Result<Vec<State>, Fault> {
    if !enabled(instance, state, action)? {
        return Ok(Vec::new());
    }
    let action = instance.action(action);
    let update = &instance.system.actions[action.action].update;
    let mut targets = apply(instance, update, state, &mut action.environment.clone(), integers)?;
    targets.sort();
    targets.dedup();
    Ok(targets)
}

/// All steps that leave a state. There is at least one.
pub fn steps(instance: &Instance, state: &State) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    for action in (0..instance.actions.len() as u32).map(ActionId) {
        let targets = successors(instance, state, action)?;
        steps.extend(targets.into_iter().map(|target| Step { label: Label::Action(action), target }));
    }
    if steps.is_empty() {
        steps.push(Step { label: Label::Idle, target: state.clone() });
    }
    Ok(steps)
}

/// Whether a step predicate is true of the step that leaves a position.
pub fn step_predicate(instance: &Instance, predicate: &Expr, position: &Position) -> Result<bool, Fault> {
    step_predicate_in(instance, predicate, position, &mut Environment::default())
}

/// The same for a predicate with free indices, which have the values in `environment`.
pub fn step_predicate_in(
    instance: &Instance,
    predicate: &Expr,
    position: &Position,
    environment: &mut Environment,
) -> Result<bool, Fault> {
    truth(instance, predicate, &position.state, Some(position.label), environment)
}

/// Whether a state predicate is true of a state.
pub fn state_predicate(instance: &Instance, predicate: &Expr, state: &State) -> Result<bool, Fault> {
    truth(instance, predicate, state, None, &mut Environment::default())
}

/// The value of a rigid expression: one that reads no variable.
pub fn rigid(expr: &Expr, environment: &mut Environment) -> Result<i64, Fault> {
    value(expr, environment, &|expr, _| unreachable!("{expr:?} is not rigid"))
}

/// Whether a fairness requirement exists for these values of its binders. A requirement about an event exists only if
/// the event matches an action.
pub fn exists(instance: &Instance, requirement: &Requirement, environment: &Environment) -> bool {
    let Some(of) = &requirement.of else { return true };
    // The matching actions depend on the state, or computing them is a fault: then evaluating the requirement reports
    // it.
    instance.always_matching(of, environment).is_none_or(|actions| !actions.is_empty())
}

/// The truth of an expression in a state, and of its event atoms in the step `label` that leaves it.
fn truth(
    instance: &Instance,
    expr: &Expr,
    state: &State,
    label: Option<Label>,
    environment: &mut Environment,
) -> Result<bool, Fault> {
    Ok(number(instance, expr, state, label, environment)? != 0)
}

/// The value of an expression in a state, and of its event atoms in the step `label` that leaves it.
fn number(
    instance: &Instance,
    expr: &Expr,
    state: &State,
    label: Option<Label>,
    environment: &mut Environment,
) -> Result<i64, Fault> {
    value(expr, environment, &|expr, environment| atom(instance, expr, state, label, environment))
}

/// The value of an expression that depends on the state or the step.
fn atom(
    instance: &Instance,
    expr: &Expr,
    state: &State,
    label: Option<Label>,
    environment: &mut Environment,
) -> Result<i64, Fault> {
    match expr {
        Expr::Read(place) => Ok(state.0[cell(instance, place, state, label, environment)?]),
        Expr::Taken(pattern) => {
            let label = label.expect("`taken` occurs only in step predicates");
            let matching = resolve(instance, pattern, state, Some(label), environment)?;
            Ok(i64::from(matching.iter().any(|action| label == Label::Action(*action))))
        }
        Expr::Enabled(pattern) => {
            for action in resolve(instance, pattern, state, label, environment)? {
                if enabled(instance, state, action)? {
                    return Ok(1);
                }
            }
            Ok(0)
        }
        other => unreachable!("{other:?} does not look at the state"),
    }
}

/// The actions a pattern matches in a state. Its indices may read variables (`taken(P[turn])`).
fn resolve(
    instance: &Instance,
    pattern: &Pattern,
    state: &State,
    label: Option<Label>,
    environment: &mut Environment,
) -> Result<Vec<ActionId>, Fault> {
    let mut resolved = pattern.clone();
    let mut constant = |expr: &mut Expr| -> Result<(), Fault> {
        *expr = Expr::Int(number(instance, expr, state, label, environment)?);
        Ok(())
    };
    for party in &mut resolved.participants {
        if let Some(process) = &mut party.process {
            constant(process)?;
        }
    }
    for argument in resolved.arguments.iter_mut().flatten() {
        constant(argument)?;
    }
    instance.matching(&resolved, environment)
}

/// The cell of a place in a state.
fn cell(
    instance: &Instance,
    place: &Place,
    state: &State,
    label: Option<Label>,
    environment: &mut Environment,
) -> Result<usize, Fault> {
    let owner = match instance.system.variable(place.variable).owner {
        None => None,
        Some(family) => {
            let index = match &place.process {
                None => None,
                Some(index) => Some(number(instance, index, state, label, environment)?),
            };
            Some(instance.process(family, index)?)
        }
    };
    let mut position = Vec::with_capacity(place.position.len());
    for index in &place.position {
        position.push(number(instance, index, state, label, environment)?);
    }
    instance.cell(place.variable, owner, &position)
}

/// The value of an expression in a state; event atoms are not allowed.
pub fn evaluate(
    instance: &Instance,
    expr: &Expr,
    state: &State,
    environment: &mut Environment,
) -> Result<i64, Fault> {
    number(instance, expr, state, None, environment)
}

/// The value of an expression; `atom` evaluates the parts that depend on the state or the step.
fn value(
    expr: &Expr,
    environment: &mut Environment,
    atom: &dyn Fn(&Expr, &mut Environment) -> Result<i64, Fault>,
) -> Result<i64, Fault> {
    match expr {
        Expr::Bool(truth) => Ok(i64::from(*truth)),
        Expr::Int(number) => Ok(*number),
        Expr::Index(index) => Ok(environment.get(*index).expect("every index is bound")),
        Expr::Parameter(_) => unreachable!("an instance has no open parameters"),
        Expr::Read(_) | Expr::Taken(_) | Expr::Enabled(_) => atom(expr, environment),
        Expr::Not(a) => Ok(1 - value(a, environment, atom)?),
        Expr::Neg(a) => value(a, environment, atom)?.checked_neg().ok_or(Fault::Overflow),
        Expr::And(parts) => {
            for part in parts {
                if value(part, environment, atom)? == 0 {
                    return Ok(0);
                }
            }
            Ok(1)
        }
        Expr::Or(parts) => {
            for part in parts {
                if value(part, environment, atom)? != 0 {
                    return Ok(1);
                }
            }
            Ok(0)
        }
        Expr::Sum(parts) => parts.iter().try_fold(0i64, |sum, part| {
            sum.checked_add(value(part, environment, atom)?).ok_or(Fault::Overflow)
        }),
        Expr::Min(parts) | Expr::Max(parts) => {
            let mut best: Option<i64> = None;
            for part in parts {
                let next = value(part, environment, atom)?;
                let least = matches!(expr, Expr::Min(_));
                best = Some(best.map_or(next, |best| if least { best.min(next) } else { best.max(next) }));
            }
            best.ok_or(Fault::EmptyExtreme)
        }
        Expr::Binary(Operator::Implies, a, b) => {
            if value(a, environment, atom)? == 0 {
                Ok(1)
            } else {
                value(b, environment, atom)
            }
        }
        Expr::Binary(operator, a, b) => {
            let (a, b) = (value(a, environment, atom)?, value(b, environment, atom)?);
            binary(*operator, a, b)
        }
        Expr::If(condition, a, b) => {
            let branch = if value(condition, environment, atom)? == 0 { b } else { a };
            value(branch, environment, atom)
        }
        Expr::Quantified(quantifier, binder, body) => {
            let Span { lo, hi } = &binder.span;
            let (lo, hi) = (value(lo, environment, atom)?, value(hi, environment, atom)?);
            let mut result: Option<i64> = None;
            for bound in lo..=hi {
                environment.bind(binder.index, bound);
                let next = value(body, environment, atom);
                environment.unbind();
                let next = next?;
                result = Some(match (quantifier, result) {
                    (Quantifier::Forall, _) if next == 0 => return Ok(0),
                    (Quantifier::Exists, _) if next != 0 => return Ok(1),
                    (_, None) => next,
                    (Quantifier::Min, Some(best)) => best.min(next),
                    (Quantifier::Max, Some(best)) => best.max(next),
                    (_, Some(sum)) => sum.checked_add(next).ok_or(Fault::Overflow)?,
                });
            }
            match quantifier {
                Quantifier::Forall => Ok(1),
                Quantifier::Exists => Ok(0),
                Quantifier::Count | Quantifier::Sum => Ok(result.unwrap_or(0)),
                Quantifier::Min | Quantifier::Max => result.ok_or(Fault::EmptyExtreme),
            }
        }
    }
}

/// The value of an operator on two values.
pub fn binary(operator: Operator, a: i64, b: i64) -> Result<i64, Fault> {
    let checked = |result: Option<i64>| result.ok_or(Fault::Overflow);
    match operator {
        Operator::Sub => checked(a.checked_sub(b)),
        Operator::Mul => checked(a.checked_mul(b)),
        Operator::Div | Operator::Mod if b == 0 => Err(Fault::DivisionByZero),
        Operator::Div => checked(a.checked_div_euclid(b)),
        Operator::Mod => checked(a.checked_rem_euclid(b)),
        Operator::Eq => Ok(i64::from(a == b)),
        Operator::Ne => Ok(i64::from(a != b)),
        Operator::Lt => Ok(i64::from(a < b)),
        Operator::Le => Ok(i64::from(a <= b)),
        Operator::Gt => Ok(i64::from(a > b)),
        Operator::Ge => Ok(i64::from(a >= b)),
        Operator::Implies => Ok(i64::from(a == 0 || b != 0)),
    }
}

/// The states an update leads to. There is at least one, unless a choice among all integers is restricted to
/// `integers`.
fn apply(
    instance: &Instance,
    update: &Update,
    state: &State,
    environment: &mut Environment,
    integers: Option<&Integers<'_>>,
) -> Result<Vec<State>, Fault> {
    match update {
        Update::Skip => Ok(vec![state.clone()]),
        Update::Assign(assignments) => {
            let mut writes = Vec::with_capacity(assignments.len());
            for (place, expr) in assignments {
                let cell = cell(instance, place, state, None, environment)?;
                writes.push((cell, evaluate(instance, expr, state, environment)?));
            }
            let mut target = state.clone();
            for (cell, value) in writes {
                let domain = instance.cells[cell].domain;
                if !domain.contains(value) {
                    let name = instance.cells[cell].name.clone();
                    return Err(Fault::OutsideRange { name, value, lo: domain.lo, hi: domain.hi });
                }
                target.0[cell] = value;
            }
            Ok(vec![target])
        }
        Update::Sequence(updates) => {
            let mut states = vec![state.clone()];
            for update in updates {
                let mut next = Vec::new();
                for state in &states {
                    next.extend(apply(instance, update, state, environment, integers)?);
                }
                states = next;
            }
            Ok(states)
        }
        Update::If(condition, yes, no) => {
            let branch = if evaluate(instance, condition, state, environment)? == 0 { no } else { yes };
            apply(instance, branch, state, environment, integers)
        }
        Update::Either(branches) => {
            let mut states = Vec::new();
            let mut empty = true;
            for (condition, branch) in branches {
                if evaluate(instance, condition, state, environment)? != 0 {
                    empty = false;
                    states.extend(apply(instance, branch, state, environment, integers)?);
                }
            }
            if empty { Err(Fault::EmptyChoice) } else { Ok(states) }
        }
        Update::Choose(binder, condition, body) => {
            let endless = binder.span.is_endless();
            let values: Box<dyn Iterator<Item = i64>> = if endless {
                Box::new(integers.ok_or(Fault::EndlessChoice)?(binder.index).into_iter())
            } else {
                let lo = evaluate(instance, &binder.span.lo, state, environment)?;
                let hi = evaluate(instance, &binder.span.hi, state, environment)?;
                Box::new(lo..=hi)
            };
            let mut states = Vec::new();
            let mut empty = true;
            for value in values {
                environment.bind(binder.index, value);
                let admissible = evaluate(instance, condition, state, environment);
                let result = match admissible {
                    Err(fault) => Err(fault),
                    Ok(0) => Ok(Vec::new()),
                    Ok(_) => {
                        empty = false;
                        apply(instance, body, state, environment, integers)
                    }
                };
                environment.unbind();
                states.extend(result?);
            }
            // Perhaps none of the given integers satisfies the condition although others do.
            if !empty || endless {
                return Ok(states);
            }
            let index = instance.system.indices.get(binder.index.0 as usize);
            Err(match index.and_then(|index| index.demand.clone()) {
                Some(Demand::Check(text)) => Fault::Refused(text),
                Some(Demand::Assertion(text)) => Fault::Asserted(text),
                None => Fault::EmptyChoice,
            })
        }
    }
}
