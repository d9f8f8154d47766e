//! The notes that the engine adds to a verdict.

use model::fairness::{Requirement, Word};
use model::note::Unrealisable;
use model::show::{Binding, Spot, Value};
use model::{Answer, Expr, Fairness, Note, Update, VariableId};

use super::world::{
    World, always, atom, check, eventually, implies, incremented, is, less, place, range, read, set,
};

/// A counter from 0 to 2 that stops there.
fn counter() -> (World, VariableId) {
    let mut world = World::new();
    let x = world.shared("x", range(0, 3));
    let p = world.process("P", None);
    world.action(p, "up", less(read(x), 2), Update::Assign(vec![(place(x), incremented(x))]));
    (world, x)
}

/// The note about a trigger.
fn never(trigger: &str, in_part: bool) -> Note {
    Note::Vacuous { triggers: vec![trigger.to_owned()], in_part }
}

#[test]
fn a_trigger_that_never_occurs_is_noted() {
    let (world, x) = counter();
    let response = |value| always(implies(atom(is(x, value)), eventually(atom(is(x, 0)))));
    let (answer, notes, _) = check(&world.ltl(response(3), Fairness::none()));
    assert!(matches!(answer, Answer::Holds(_)));
    assert_eq!(notes, [never("x == 3", false)]);
    let (_, notes, _) = check(&world.ltl(response(0), Fairness::none()));
    assert!(notes.is_empty(), "{notes:?}");
    let implication = Expr::binary(model::expr::Operator::Implies, is(x, 3), is(x, 0));
    for task in [world.invariant(implication.clone()), world.ltl(always(atom(implication)), Fairness::none())]
    {
        assert_eq!(check(&task).1, [never("x == 3", false)]);
    }
    let both = model::Formula::And(vec![response(0), response(3)]);
    assert_eq!(check(&world.ltl(both, Fairness::none())).1, [never("x == 3", true)]);
}

#[test]
fn a_state_without_a_fair_run_is_noted() {
    let (world, x) = counter();
    let (answer, notes, _) =
        check(&world.ltl(eventually(atom(is(x, 3))), Fairness::every_action(&world.0, Word::Unconditional)));
    assert!(matches!(answer, Answer::Holds(_)));
    assert_eq!(notes, [Note::Unrealisable(Unrealisable::Everywhere)]);
    let (_, notes, _) =
        check(&world.ltl(eventually(atom(is(x, 2))), Fairness::every_action(&world.0, Word::Strong)));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn only_states_without_a_fair_run_count() {
    let mut world = World::new();
    let x = world.shared("x", range(0, 1));
    let p = world.process("P", None);
    world.action(p, "wait", is(x, 0), Update::Skip);
    world.action(p, "stop", is(x, 0), set(x, 1));
    let fairness = Fairness::all_of(vec![Requirement::justice(is(x, 0), Vec::new())]);
    let (_, notes, _) = check(&world.ltl(always(atom(is(x, 0))), fairness));
    let stuck = Binding { spot: Spot::Variable("x".into()), value: Value::Int(1) };
    assert_eq!(notes, [Note::Unrealisable(Unrealisable::From(vec![stuck]))]);
}

#[test]
fn a_system_without_initial_states_is_noted() {
    let (mut world, x) = counter();
    world.0.init.push(is(x, 1));
    for task in [world.invariant(is(x, 7)), world.ltl(atom(is(x, 7)), Fairness::none())] {
        let (answer, notes, _) = check(&task);
        assert!(matches!(answer, Answer::Holds(_)));
        assert_eq!(notes, [Note::NoInitialState]);
    }
}

#[test]
fn states_and_steps_are_counted() {
    let (world, x) = counter();
    let (_, _, counts) = check(&world.invariant(less(read(x), 3)));
    assert_eq!(counts, [("states", 3), ("transitions", 3)]);
    let (_, _, counts) = check(&world.ltl(eventually(atom(is(x, 2))), Fairness::none()));
    let expected = [("automaton states", 1), ("states", 3), ("transitions", 3)];
    assert_eq!(counts, expected);
}
