//! Encodes the steps of an action in a circuit.
//!
//! The successor is a function of the state and of *choices*: further inputs that select a branch of each `Either` and
//! a value of each `Choose`. So an action has one symbolic successor, however many it has in a state. A choice is
//! *valid* if the branch it selects is admissible. The update faults if it faults for some choice, because the
//! semantics resolves all of them.

use model::{ActionId, Place, Update};

use super::circuit::Lit;
use super::encoder::{Encoder, Halt, Scope, Writes};
use super::number::Number;

/// The steps of an action from the state of the inputs.
pub(crate) struct ActionStep {
    /// The condition that the action is enabled and the choices are valid.
    pub(crate) enabled: Lit,
    /// The condition that the guard or the update faults for these choices.
    pub(crate) fault: Lit,
    /// The successor.
    pub(crate) writes: Writes,
}

/// The effect of an update for the choices of the inputs.
struct Effect {
    writes: Writes,
    valid: Lit,
    fault: Lit,
}

/// The steps of an action.
pub(crate) fn step(encoder: &mut Encoder<'_>, action: ActionId) -> Result<ActionStep, Halt> {
    let instance = encoder.instance;
    step_by(encoder, action, &instance.system.actions[instance.action(action).action].update)
}

/// The steps of an action with another update: one of the [ways](model::ground::ways) to resolve its choices.
pub(crate) fn step_by(
    encoder: &mut Encoder<'_>,
    action: ActionId,
    update: &Update,
) -> Result<ActionStep, Halt> {
    let (guard, broken) = encoder.guard(action)?;
    let environment = encoder.instance.action(action).environment.clone();
    let state = Writes::new();
    let mut effect = apply(encoder, update, &mut Scope::state(&state, environment))?;
    let cells = &encoder.cells;
    effect.writes.retain(|cell, bits| *bits != cells[*cell]);
    let enabled = encoder.circuit.and(guard, effect.valid);
    let fault = encoder.circuit.and(guard, effect.fault);
    Ok(ActionStep { enabled, fault: encoder.circuit.or(broken, fault), writes: effect.writes })
}

fn apply(encoder: &mut Encoder<'_>, update: &Update, scope: &mut Scope<'_>) -> Result<Effect, Halt> {
    encoder.tick()?;
    match update {
        Update::Skip => Ok(Effect { writes: scope.at.clone(), valid: Lit::TRUE, fault: Lit::FALSE }),
        Update::Assign(assignments) => assign(encoder, assignments, scope),
        Update::Sequence(updates) => {
            let mut total = Effect { writes: scope.at.clone(), valid: Lit::TRUE, fault: Lit::FALSE };
            for update in updates {
                let environment = scope.environment.clone();
                let effect = apply(encoder, update, &mut Scope::state(&total.writes, environment))?;
                let fault = encoder.circuit.and(total.valid, effect.fault);
                let fault = encoder.circuit.or(total.fault, fault);
                let valid = encoder.circuit.and(total.valid, effect.valid);
                total = Effect { writes: effect.writes, valid, fault };
            }
            Ok(total)
        }
        Update::If(condition, yes, no) => {
            let (condition, broken) = encoder.predicate(condition, scope)?;
            let yes = apply(encoder, yes, scope)?;
            let no = apply(encoder, no, scope)?;
            let fault = encoder.circuit.choose(condition, yes.fault, no.fault);
            Ok(Effect {
                writes: merged(encoder, condition, &yes.writes, &no.writes),
                valid: encoder.circuit.choose(condition, yes.valid, no.valid),
                fault: encoder.circuit.or(broken, fault),
            })
        }
        Update::Either(branches) => {
            let mut options = Vec::with_capacity(branches.len());
            for (condition, branch) in branches {
                let (condition, broken) = encoder.predicate(condition, scope)?;
                options.push((condition, broken, apply(encoder, branch, scope)?));
            }
            Ok(any_of(encoder, options, scope.at))
        }
        Update::Choose(binder, condition, body) => {
            let (lo, hi) = encoder.span(&binder.span, scope)?;
            let mut options = Vec::new();
            for value in lo..=hi {
                scope.environment.bind(binder.index, value);
                let option = encoder.predicate(condition, scope).and_then(|(condition, broken)| {
                    apply(encoder, body, scope).map(|effect| (condition, broken, effect))
                });
                scope.environment.unbind();
                options.push(option?);
            }
            Ok(any_of(encoder, options, scope.at))
        }
    }
}

/// One of the options whose condition is true, selected by new inputs. It is a fault if there is none.
fn any_of(encoder: &mut Encoder<'_>, options: Vec<(Lit, Lit, Effect)>, at: &Writes) -> Effect {
    let circuit = &mut encoder.circuit;
    let width = usize::BITS - options.len().saturating_sub(1).leading_zeros();
    let choice: Vec<Lit> = (0..width).map(|_| circuit.input()).collect();
    let possible = circuit.any(options.iter().map(|(condition, _, _)| *condition).collect::<Vec<_>>());
    let mut total = Effect { writes: at.clone(), valid: Lit::FALSE, fault: !possible };
    for (number, (condition, broken, effect)) in options.into_iter().enumerate() {
        let circuit = &mut encoder.circuit;
        let bits = choice.iter().enumerate();
        let selected =
            bits.map(|(bit, lit)| if number >> bit & 1 == 1 { *lit } else { !*lit }).collect::<Vec<_>>();
        let selected = circuit.all(selected);
        let taken = circuit.and(selected, condition);
        let fault = circuit.and(taken, effect.fault);
        let fault = circuit.or(fault, broken);
        total.fault = circuit.or(total.fault, fault);
        let valid = circuit.and(taken, effect.valid);
        total.valid = circuit.or(total.valid, valid);
        total.writes = merged(encoder, selected, &effect.writes, &total.writes);
    }
    total
}

/// Reads all expressions first, then writes the places from left to right.
fn assign(
    encoder: &mut Encoder<'_>,
    assignments: &[(Place, model::Expr)],
    scope: &mut Scope<'_>,
) -> Result<Effect, Halt> {
    let mut fault = Lit::FALSE;
    let mut written = Vec::with_capacity(assignments.len());
    for (place, expr) in assignments {
        let (cells, nowhere) = encoder.candidates(place, scope)?;
        let (value, broken) = encoder.value(expr, scope)?;
        let broken = encoder.circuit.or(nowhere, broken);
        fault = encoder.circuit.or(fault, broken);
        written.push((cells, value));
    }
    let mut writes = scope.at.clone();
    for (cells, value) in written {
        for (condition, cell) in cells {
            let domain = encoder.instance.cells[cell].domain;
            let (lo, hi) = (i128::from(domain.lo), i128::from(domain.hi));
            let outside = encoder.circuit.outside(&value, lo, hi);
            let outside = encoder.circuit.and(condition, outside);
            fault = encoder.circuit.or(fault, outside);
            let offset = encoder.circuit.minus(&value, &Number::constant(lo));
            let old = encoder.bits(&writes, cell);
            let circuit = &mut encoder.circuit;
            let new =
                old.iter().enumerate().map(|(bit, old)| circuit.choose(condition, offset.bit(bit), *old));
            let new = new.collect();
            writes.insert(cell, new);
        }
    }
    Ok(Effect { writes, valid: Lit::TRUE, fault })
}

/// The writes `a` where the condition is true, else `b`.
fn merged(encoder: &mut Encoder<'_>, condition: Lit, a: &Writes, b: &Writes) -> Writes {
    let mut merged = Writes::new();
    for cell in a.keys().chain(b.keys()) {
        if merged.contains_key(cell) {
            continue;
        }
        let (x, y) = (encoder.bits(a, *cell), encoder.bits(b, *cell));
        let bits = x.iter().zip(&y).map(|(x, y)| encoder.circuit.choose(condition, *x, *y)).collect();
        merged.insert(*cell, bits);
    }
    merged
}
