//! What a move of a label does to the cells, for people to read.
//!
//! The judge executes the move on the symbolic states of its place, as it does to judge it. A cycle whose sets are taken
//! in turn is executed from its first set to its last, so that what a whole round does is known as well.

use arith::Linear;
use model::expr::Operator;
use model::labelling::{Labelling, Move};
use model::{Expr, Instance, Session};

use super::steps::chosen_step;
use super::terms::Store;
use crate::limits::Limits;

/// The cells that some moves of a labelling, one after the other, change, each with its value afterwards over the values
/// before. `None` if a move has several outcomes in different states, or the values are not linear.
pub fn effect(instance: &Instance, labelling: &Labelling, moves: &[Move]) -> Option<Vec<(usize, Expr)>> {
    let place = |number: usize| match &labelling.product {
        Some(product) => product.places.get(number).map(|(place, _)| *place),
        None => Some(number),
    };
    let known = labelling.places.get(place(moves.first()?.place)?)?;
    let first = Store::at(instance.cells.len(), known);
    let session = Session::unlimited();
    let limits = Limits::new(&session);
    let mut store = first.clone();
    for movement in moves {
        let steps = chosen_step(instance, &store, movement.step?, &movement.choices, &limits).ok()?;
        let (next, others) = steps.split_first()?;
        if others.iter().any(|other| other.next.cells != next.next.cells) {
            return None;
        }
        store = next.next.clone();
    }
    let changed = first.cells.iter().zip(&store.cells).enumerate().filter(|(_, (old, new))| old != new);
    changed.map(|(cell, (_, new))| Some((cell, term(instance, new)?))).collect()
}

/// A linear term over the cells.
fn term(instance: &Instance, term: &Linear) -> Option<Expr> {
    let mut parts = Vec::new();
    for (var, coefficient) in term.terms() {
        let factor = Expr::Int(i64::try_from(*coefficient).ok()?);
        let cell = instance.read(var.0 as usize)?;
        parts.push(Expr::binary(Operator::Mul, factor, cell));
    }
    parts.push(Expr::Int(i64::try_from(term.free()).ok()?));
    Some(Expr::Sum(parts))
}

#[cfg(test)]
mod tests {
    use model::{ActionId, Label, State, semantics};

    use super::*;

    #[test]
    fn what_a_move_changes_is_what_its_step_changes() {
        let text = "shared x, y: int; shared a: array[0..1] of int;
            process P { loop { s: either { one: x, y = y + 1, 3 * x - 2; } or { two: a[1], x = x + y, 0; }
                or { three: y = y; } } }
            process Q[i: 1..2] { local z: int = 0; loop { step: z, x = z + i, x - z; } }
            invariant p: true;";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let instance = model.subject.instance().expect("an instance");
        let (mut compared, mut rounds) = (0, 0);
        for first in model::initial::initial_states(instance).take(1) {
            let first = first.expect("no fault");
            let control: Vec<(usize, i64)> = (0..instance.cells.len())
                .filter(|cell| !instance.cells[*cell].domain.is_unbounded())
                .map(|cell| (cell, first.0[cell]))
                .collect();
            let labelling = Labelling {
                places: vec![control.clone()],
                invariant: Vec::new(),
                labels: Vec::new(),
                product: None,
            };
            for id in (0..instance.actions.len() as u32).map(ActionId) {
                let one = |choices: Vec<Expr>| Move {
                    place: 0,
                    states: Expr::Bool(true),
                    step: Some(Label::Action(id)),
                    choices,
                    target: 0,
                    reading: 0,
                    rank: None,
                };
                // Nothing is chosen in these steps, or one of three.
                for choices in [vec![], vec![Expr::Int(0)], vec![Expr::Int(1)], vec![Expr::Int(2)]] {
                    let movement = one(choices);
                    let Some(effect) = effect(instance, &labelling, std::slice::from_ref(&movement)) else {
                        continue;
                    };
                    let twice = effect_twice(instance, &labelling, &movement);
                    for numbers in 0..81_i64 {
                        let mut state = first.clone();
                        let free =
                            (0..state.0.len()).filter(|cell| instance.cells[*cell].domain.is_unbounded());
                        for (position, cell) in free.enumerate() {
                            state.0[cell] = numbers / 3_i64.pow(position as u32 % 4) % 3 - 1;
                        }
                        let after = apply(instance, &state, &effect);
                        let known = semantics::successors(instance, &state, id).expect("no fault");
                        assert!(known.contains(&after), "action {id:?}, {:?}, {state:?}", movement.choices);
                        compared += 1;
                        if let Some(twice) = twice.as_ref().filter(|_| after.0 != state.0) {
                            assert_eq!(apply(instance, &after, &effect), apply(instance, &state, twice));
                            rounds += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 200 && rounds > 100, "{compared}, {rounds}");
    }

    fn effect_twice(
        instance: &Instance,
        labelling: &Labelling,
        movement: &Move,
    ) -> Option<Vec<(usize, Expr)>> {
        effect(instance, labelling, &[movement.clone(), movement.clone()])
    }

    /// The state after a change.
    fn apply(instance: &Instance, state: &State, effect: &[(usize, Expr)]) -> State {
        let mut after = state.clone();
        for (cell, term) in effect {
            let mut environment = model::instance::Environment::default();
            after.0[*cell] = semantics::evaluate(instance, term, state, &mut environment).expect("no fault");
        }
        after
    }
}
