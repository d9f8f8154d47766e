//! Verdicts under various kinds of fairness.

use model::answer::{Counterexample, Label, Site};
use model::fairness::{Requirement, Word};
use model::semantics::Fault;
use model::{Answer, Expr, Fairness, Formula, State, Update, VariableId};

use super::world::{
    I, World, always, atom, check, event, eventually, holds, implies, incremented, is, lasso, less, not, of,
    place, range, read, set,
};

/// Two processes (idle 0, trying 1, critical 2) and a semaphore that is free when 0. A process may stay idle.
fn semaphore() -> (World, VariableId) {
    let mut world = World::new();
    let taken = world.shared("taken", range(0, 1));
    let p = world.process("P", Some(2));
    let at = world.local(p, "at", range(0, 2));
    let own = || of(at, Expr::Index(I));
    let here = |value| Expr::eq(Expr::Read(own()), Expr::Int(value));
    let go = |value| (own(), Expr::Int(value));
    let stay_or_go = Update::Either(vec![
        (Expr::Bool(true), Update::Skip),
        (Expr::Bool(true), Update::Assign(vec![go(1)])),
    ]);
    world.action(p, "idle", here(0), stay_or_go);
    let enter = Update::Assign(vec![go(2), (place(taken), Expr::Int(1))]);
    world.action(p, "try", Expr::and([here(1), is(taken, 0)]), enter);
    let leave = Update::Assign(vec![go(0), (place(taken), Expr::Int(0))]);
    world.action(p, "crit", here(2), leave);
    (world, at)
}

fn at(variable: VariableId, process: i64, value: i64) -> Expr {
    Expr::eq(Expr::Read(of(variable, Expr::Int(process))), Expr::Int(value))
}

/// `G (P[1] tries -> F P[1] is critical)`
fn access(at_: VariableId) -> Formula {
    always(implies(atom(at(at_, 1, 1)), eventually(atom(at(at_, 1, 2)))))
}

#[test]
fn a_semaphore_excludes() {
    let (world, at_) = semaphore();
    let both = Expr::and([at(at_, 1, 2), at(at_, 2, 2)]);
    assert!(holds(&world.invariant(Expr::negated(both))));
    let Answer::Fails(Counterexample::Path(path)) = check(&world.invariant(Expr::negated(at(at_, 2, 2)))).0
    else {
        panic!("a process can be critical")
    };
    assert_eq!(path.positions.len(), 2);
}

#[test]
fn weak_fairness_is_not_enough_and_strong_is() {
    let (world, at_) = semaphore();
    let under = |fairness| holds(&world.ltl(access(at_), fairness));
    assert!(!under(Fairness::none()));
    assert!(!under(Fairness::every_action(&world.0, Word::Weak)));
    assert!(!under(Fairness::every_process(&world.0, Word::Weak)));
    assert!(under(Fairness::every_action(&world.0, Word::Strong)));
    assert!(under(Fairness::every_process(&world.0, Word::Strong)));
    assert!(under(Fairness::global()));
}

#[test]
fn a_disjunction_is_as_weak_as_its_weakest_alternative() {
    let (world, at_) = semaphore();
    let strong = Fairness::every_action(&world.0, Word::Strong);
    let weak = Fairness::every_action(&world.0, Word::Weak);
    assert!(!holds(&world.ltl(access(at_), strong.or(&weak))));
    assert!(!holds(&world.ltl(access(at_), weak.or(&strong))));
    assert!(holds(&world.ltl(access(at_), strong.or(&Fairness::global()))));
    assert!(holds(&world.ltl(access(at_), strong.and(&weak))));
}

#[test]
fn only_global_fairness_forces_a_choice_inside_an_action() {
    let (world, at_) = semaphore();
    let tries = eventually(atom(at(at_, 1, 1)));
    assert!(!holds(&world.ltl(tries.clone(), Fairness::every_action(&world.0, Word::Strong))));
    assert!(holds(&world.ltl(tries, Fairness::global())));
}

#[test]
fn the_cycle_without_fairness_is_as_short_as_it_can_be() {
    let (world, at_) = semaphore();
    let found = lasso(&world.ltl(access(at_), Fairness::none()));
    // Process 1 tries, and process 2 stays idle for ever.
    assert_eq!((found.cycle, found.positions.len()), (1, 2));
}

/// A test whether a component of the product can be left would be wrong: the automaton may leave it for a state in
/// which it gets stuck, but the run is globally fair.
#[test]
fn global_fairness_is_a_fact_of_the_system_and_not_of_the_product() {
    let mut world = World::new();
    let s = world.shared("s", range(1, 2));
    world.0.variables[0].initial = model::system::Initial::Among(vec![Expr::Int(1)]);
    let p = world.process("P", None);
    world.action(p, "there", is(s, 1), set(s, 2));
    world.action(p, "back", is(s, 2), set(s, 1));
    // p is true in both states and q in the first; the run satisfies p W G q because it satisfies G p.
    let p_w_gq = Formula::WeakUntil(Box::new(atom(less(read(s), 3))), Box::new(always(atom(is(s, 1)))));
    assert!(!holds(&world.ltl(not(p_w_gq), Fairness::global())));
}

#[test]
fn a_deadlock_idles_for_ever() {
    let mut world = World::new();
    let x = world.shared("x", range(0, 2));
    let p = world.process("P", None);
    world.action(p, "step", less(read(x), 2), Update::Assign(vec![(place(x), incremented(x))]));
    let moves = always(eventually(atom(Expr::Taken(event(p, None, None)))));
    let found = lasso(&world.ltl(moves, Fairness::every_action(&world.0, Word::Strong)));
    assert_eq!(found.positions.last().map(|position| position.label), Some(Label::Idle));
    assert_eq!((found.cycle, found.positions.len()), (2, 3));
    let deadlock_free = Expr::Enabled(model::Pattern::default());
    assert!(!holds(&world.invariant(deadlock_free)));
    assert!(holds(&world.ltl(eventually(always(atom(is(x, 2)))), Fairness::none())));
    // Nothing can be taken in a deadlock, so no run is unconditionally fair and every property holds.
    assert!(holds(
        &world.ltl(atom(Expr::Bool(false)), Fairness::every_action(&world.0, Word::Unconditional))
    ));
}

#[test]
fn a_fault_is_found_with_a_shortest_path_whatever_is_claimed() {
    let mut world = World::new();
    let x = world.shared("x", range(0, 3));
    let p = world.process("P", None);
    world.action(p, "up", Expr::Bool(true), Update::Assign(vec![(place(x), incremented(x))]));
    for task in [
        world.invariant(Expr::Bool(true)),
        world.ltl(atom(Expr::Bool(true)), Fairness::none()),
        world.ltl(eventually(atom(is(x, 3))), Fairness::global()),
    ] {
        let Answer::Fails(Counterexample::Fault { path: Some(path), site, fault }) = check(&task).0 else {
            panic!("the range is left")
        };
        assert_eq!((path.positions.len(), path.last), (3, State(vec![3])));
        assert!(matches!(site, Site::Action(_)));
        assert!(matches!(fault, Fault::OutsideRange { value: 4, .. }));
    }
}

#[test]
fn faults_in_atoms_and_requirements_are_found_even_if_the_formula_does_not_need_them() {
    let mut world = World::new();
    let x = world.shared("x", range(0, 1));
    let p = world.process("P", None);
    world.action(p, "flip", is(x, 1), set(x, 0));
    world.action(p, "flop", is(x, 0), set(x, 1));
    let quotient = Expr::binary(model::expr::Operator::Div, Expr::Int(1), read(x));
    let faulty = Expr::eq(quotient, Expr::Int(1));
    let site = |task: &model::Task| match check(task).0 {
        Answer::Fails(Counterexample::Fault { path: Some(path), site, .. }) => (path.positions.len(), site),
        other => panic!("{other:?} is not a fault"),
    };
    let needless = Formula::Or(vec![atom(Expr::Bool(true)), atom(faulty.clone())]);
    assert_eq!(site(&world.ltl(needless, Fairness::none())), (0, Site::Property));
    let fairness = Fairness::all_of(vec![Requirement::justice(faulty.clone(), Vec::new())]);
    assert_eq!(site(&world.ltl(atom(Expr::Bool(true)), fairness.clone())), (0, Site::Fairness));
    let guarded = Expr::and([is(x, 1), faulty.clone()]);
    assert!(holds(&world.ltl(always(eventually(atom(guarded))), Fairness::none())));
    // An invariant does not depend on fairness.
    let invariant = world.task(fairness, model::property::Kind::Invariant(less(read(x), 2)));
    assert!(holds(&invariant));
}

#[test]
fn more_requirements_than_bits_in_a_word_are_met_one_by_one() {
    let count = 150;
    let mut world = World::new();
    let x = world.shared("x", range(0, count - 1));
    let p = world.process("P", None);
    let next = Expr::binary(model::expr::Operator::Mod, incremented(x), Expr::Int(count));
    world.action(p, "next", Expr::Bool(true), Update::Assign(vec![(place(x), next)]));
    world.action(p, "stay", Expr::Bool(true), Update::Skip);
    let each = (0..count).map(|value| Requirement::justice(is(x, value), Vec::new()));
    let all = Fairness::all_of(each.collect());
    assert!(holds(&world.ltl(always(eventually(atom(is(x, 77)))), all.clone())));
    let found = lasso(&world.ltl(eventually(always(less_atom(x, 77))), all));
    assert_eq!((found.cycle, found.positions.len()), (0, count as usize));
}

fn less_atom(x: VariableId, bound: i64) -> Formula {
    atom(less(read(x), bound))
}
