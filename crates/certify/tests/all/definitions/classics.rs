//! Textbook cases, and cases that have misled model checkers.

use std::sync::Arc;

use certify::oracle::{Decision, Why, decide};
use certify::{Entry, Flaw, How, Standing, Unmet, certify, ledger};
use model::expr::{Binder, Span};
use model::fairness::{Fairness, Word};
use model::property::{Kind, Paths};
use model::system::Parameter;
use model::{
    ActionId, Answer, Counterexample, Ctl, Expr, Formula, Index, Label, Lasso, Position, Proof, Reason,
    Requirement, State, StopReason, Subject,
};

use super::naive::{Alternative, Atom, Demand, Phi, counterexample};
use super::worlds::World;

const LIMIT: usize = 100_000;

fn at(value: i64) -> Phi {
    Phi::Atom(Atom::At(0, value))
}

fn eventually(phi: Phi) -> Phi {
    Phi::F(Box::new(phi))
}

fn always(phi: Phi) -> Phi {
    Phi::G(Box::new(phi))
}

fn under(demands: Vec<Demand>) -> Vec<Alternative> {
    vec![Alternative { demands, global: false }]
}

fn global() -> Vec<Alternative> {
    vec![Alternative { demands: Vec::new(), global: true }]
}

fn decision(world: &World, fairness: &[Alternative], phi: &Phi) -> Decision {
    decide(&world.task(fairness, Kind::Ltl(world.formula(phi))), LIMIT).expect("a small task")
}

/// `G (P[1]@try -> F P[1]@crit)` for the semaphore.
fn no_starvation() -> Phi {
    let process = |location: i64| Phi::Atom(Atom::At(1, location));
    always(Phi::Implies(Box::new(process(1)), Box::new(eventually(process(2)))))
}

/// Weak fairness of each process, and compassion `(P[i]@try && x, P[i]@crit)` if `granted`.
fn semaphore_fairness(world: &World, granted: bool) -> Fairness {
    let i = Index(0);
    let binder = || Binder { index: i, span: Span::between(1, 2) };
    let process = model::expr::Party {
        family: model::FamilyId(0),
        process: Some(Box::new(Expr::Index(i))),
        label: None,
    };
    let pattern = model::Pattern { participants: vec![process], arguments: None };
    let mut requirements = vec![Requirement::of(Word::Weak, pattern, vec![binder()])];
    if granted {
        let mut place = world.places[1].clone();
        place.process = Some(Box::new(Expr::Index(i)));
        let here = |location: i64| Expr::eq(Expr::Read(place.clone()), Expr::Int(location));
        let free = Expr::Read(world.places[0].clone());
        let requested = Expr::And(vec![here(1), free]);
        requirements.push(Requirement::compassion(requested, here(2), vec![binder()]));
    }
    Fairness::all_of(requirements)
}

#[test]
fn weak_fairness_is_not_enough_and_strong_is() {
    let world = World::semaphore();
    let mut task = world.task(&[], Kind::Ltl(world.formula(&no_starvation())));
    task.fairness = semaphore_fairness(&world, false);
    assert_eq!(decide(&task, LIMIT), Ok(Decision { why: Why::Fails, realisable: Some(true) }));
    task.fairness = semaphore_fairness(&world, true);
    assert_eq!(decide(&task, LIMIT), Ok(Decision { why: Why::Holds, realisable: Some(true) }));
}

#[test]
fn quantified_claims_speak_of_every_process() {
    let world = World::semaphore();
    let i = Index(0);
    let binder = |hi: i64| Binder { index: i, span: Span::between(1, hi) };
    let mut place = world.places[1].clone();
    place.process = Some(Box::new(Expr::Index(i)));
    let here = |location: i64| Expr::eq(Expr::Read(place.clone()), Expr::Int(location));

    // Under weak fairness some process that tries may starve; with compassion none does. If a process tries for ever,
    // one of them is always served.
    let [at_try, at_crit] = [1, 2].map(|location| Formula::Atom(here(location)));
    let served =
        Formula::Implies(Box::new(at_try.clone()), Box::new(Formula::Finally(Box::new(at_crit.clone()))));
    let served = Formula::Globally(Box::new(served));
    let tries = Formula::Forall(binder(2), Box::new(Formula::Globally(Box::new(at_try))));
    let some_served = Formula::Exists(binder(2), Box::new(Formula::Finally(Box::new(at_crit))));
    let weak = semaphore_fairness(&world, false);
    let strong = semaphore_fairness(&world, true);
    let holds = |fairness: &Fairness, kind: Kind| {
        let mut task = world.task(&[], kind);
        task.fairness = fairness.clone();
        decide(&task, LIMIT).expect("a small task").why
    };
    let every = |hi: i64| Kind::Ltl(Formula::Forall(binder(hi), Box::new(served.clone())));
    assert_eq!(holds(&weak, every(2)), Why::Fails);
    assert_eq!(holds(&strong, every(2)), Why::Holds);
    assert_eq!(holds(&weak, every(0)), Why::Holds);
    assert_eq!(holds(&weak, every(3)), Why::Fault);
    let progress = Formula::Implies(
        Box::new(Formula::Next(Box::new(Formula::Next(Box::new(tries))))),
        Box::new(some_served),
    );
    assert_eq!(holds(&weak, Kind::Ltl(progress)), Why::Holds);

    let ctl = |location: i64| Box::new(Ctl::Atom(here(location)));
    let can = |location: i64| Ctl::Globally(Paths::All, Box::new(Ctl::Finally(Paths::Some, ctl(location))));
    let must =
        Ctl::Globally(Paths::All, Box::new(Ctl::Implies(ctl(1), Box::new(Ctl::Finally(Paths::All, ctl(2))))));
    assert_eq!(holds(&weak, Kind::Ctl(Ctl::Forall(binder(2), Box::new(can(2))))), Why::Holds);
    assert_eq!(holds(&weak, Kind::Ctl(Ctl::Exists(binder(2), Box::new(must.clone())))), Why::Fails);
    assert_eq!(holds(&strong, Kind::Ctl(Ctl::Forall(binder(2), Box::new(must.clone())))), Why::Holds);
    assert_eq!(holds(&strong, Kind::Ctl(Ctl::Exists(binder(0), Box::new(must)))), Why::Fails);
}

/// P[1] waits at `try` while P[2] takes and gives back the semaphore.
fn starvation() -> Lasso {
    let position = |state: [i64; 3], action: u32| Position {
        state: State(state.to_vec()),
        label: Label::Action(ActionId(action)),
    };
    let positions = vec![
        position([1, 0, 0], 0),
        position([1, 1, 0], 1),
        position([1, 1, 1], 3),
        position([0, 1, 2], 5),
        position([0, 1, 3], 7),
    ];
    Lasso { positions, cycle: 1 }
}

#[test]
fn the_ledger_says_how_each_requirement_is_met() {
    let world = World::semaphore();
    let mut task = world.task(&[], Kind::Ltl(world.formula(&no_starvation())));
    task.fairness = semaphore_fairness(&world, false);
    let answer = Answer::Fails(Counterexample::Lasso(starvation()));
    let certified = certify(&task, answer.clone()).expect("a counterexample");
    assert_eq!((certified.standing(), certified.answer()), (Standing::Checked, &answer));
    let entry = |requirement: &str, word: Word, how: How| Entry {
        requirement: requirement.to_owned(),
        word: Some(word),
        target: requirement.strip_prefix("weak ").map(str::to_owned),
        process: requirement.strip_prefix("weak ").map(str::to_owned),
        declared: 0,
        how,
    };
    let weak = [
        entry("weak P[1]", Word::Weak, How::NotEnabled { position: 3 }),
        entry("weak P[2]", Word::Weak, How::Taken { position: 1 }),
    ];
    assert_eq!((certified.ledger(), &ledger(&task, &starvation())[..]), (&weak[..], &weak[..]));
    assert_eq!(certified.into_answer(), answer);
    // An unfair lasso has no ledger.
    task.fairness = semaphore_fairness(&world, true);
    assert_eq!(ledger(&task, &starvation()), []);
    // P[2] never waits while P[1] goes round alone.
    let positions = [[1, 0, 0], [1, 1, 0], [0, 2, 0], [0, 3, 0]]
        .iter()
        .zip([0, 2, 4, 6])
        .map(|(state, action)| Position {
            state: State(state.to_vec()),
            label: Label::Action(ActionId(action)),
        })
        .collect();
    let alone = Lasso { positions, cycle: 0 };
    task.fairness.alternatives[0].requirements.remove(0);
    assert_eq!(
        ledger(&task, &alone),
        [
            entry("compassion (P[1]@try && x, P[1]@crit)", Word::Compassion, How::Holds { position: 2 }),
            entry("compassion (P[2]@try && x, P[2]@crit)", Word::Compassion, How::NeverTriggered),
        ]
    );
}

#[test]
fn flaws_speak_the_names_of_the_user() {
    let world = World::semaphore();
    let mut task = world.task(&[], Kind::Ltl(world.formula(&no_starvation())));
    let mut says = |fairness: Fairness, edit: &dyn Fn(&mut Lasso)| {
        let mut lasso = starvation();
        edit(&mut lasso);
        task.fairness = fairness;
        certify(&task, Answer::Fails(Counterexample::Lasso(lasso))).expect_err("a forgery").to_string()
    };
    let weak = || semaphore_fairness(&world, false);
    assert_eq!(
        says(weak(), &|lasso| lasso.positions[3].label = Label::Action(ActionId(2))),
        "step 4: action P[1].try is not enabled"
    );
    assert_eq!(says(weak(), &|lasso| drop(lasso.positions.remove(0))), "the first state is not initial");
    assert_eq!(
        says(weak(), &|lasso| lasso.cycle = 2),
        "the cycle does not close: step 5, P[2].exit, does not lead back to state 2; it gives P[2]@idle"
    );
    assert_eq!(
        says(weak(), &|lasso| lasso.positions[2].label = Label::Action(ActionId(2))),
        "step 3: P[1].try does not lead to the next state; it gives P[1]@crit, P[2]@try"
    );
    assert_eq!(
        says(semaphore_fairness(&world, true), &|_| {}),
        "requirement `compassion (P[1]@try && x, P[1]@crit)` is triggered on the cycle but not met"
    );
    assert_eq!(
        says(Fairness::global(), &|_| {}),
        "strong global fairness: the step P[2].idle leaves state 1 of the cycle but is not on it"
    );
    assert_eq!(
        says(weak(), &|lasso| lasso.positions[0].label = Label::Idle),
        "step 1: `idle` is taken only in a deadlock, but action P[1].idle is enabled"
    );
    assert_eq!(
        says(semaphore_fairness(&world, true).or(&Fairness::global()), &|_| {}),
        "no alternative of the fairness is met; 1: requirement `compassion (P[1]@try && x, P[1]@crit)` is \
         triggered on the cycle but not met; 2: strong global fairness: the step P[2].idle leaves state \
         1 of the cycle but is not on it"
    );
}

#[test]
fn only_global_fairness_forces_one_of_two_outcomes() {
    // One action that may stay or move on.
    let world = World::graph(&[0], &[vec![vec![0, 1]], vec![vec![1]]]);
    let leaves = eventually(at(1));
    let strong = under(vec![Demand::Of(Word::Strong, 0)]);
    assert_eq!(decision(&world, &strong, &leaves).why, Why::Fails);
    assert_eq!(decision(&world, &global(), &leaves).why, Why::Holds);
    let lasso = counterexample(&world, &strong, &leaves, 2).expect("it may stay for ever");
    let task = world.task(&global(), Kind::Ltl(world.formula(&leaves)));
    let flaw = certify(&task, Answer::Fails(Counterexample::Lasso(lasso))).expect_err("unfair");
    assert!(
        matches!(&flaw, Flaw::Unfair(reasons) if matches!(reasons[..], [Unmet::Global { .. }])),
        "{flaw}"
    );
}

#[test]
fn a_deadlock_idles_for_ever() {
    let world = World::graph(&[0], &[vec![vec![1]], vec![vec![]]]);
    let stuck = eventually(always(at(1)));
    for fairness in [under(Vec::new()), under(vec![Demand::Of(Word::Weak, 0)]), global()] {
        assert_eq!(decision(&world, &fairness, &stuck).why, Why::Holds);
    }
    let again = always(eventually(at(0)));
    let positions = [(0, Label::Action(ActionId(0))), (1, Label::Idle)];
    let positions = positions.map(|(state, label)| Position { state: State(vec![state]), label }).to_vec();
    for fairness in [under(vec![Demand::Of(Word::Strong, 0)]), global()] {
        assert_eq!(decision(&world, &fairness, &again).why, Why::Fails);
        let task = world.task(&fairness, Kind::Ltl(world.formula(&again)));
        let lasso = Lasso { positions: positions.clone(), cycle: 1 };
        assert!(certify(&task, Answer::Fails(Counterexample::Lasso(lasso))).is_ok());
    }
}

#[test]
fn unconditional_fairness_of_a_disabled_action_makes_everything_vacuous_and_unrealisable() {
    let world = World::graph(&[0], &[vec![vec![0], vec![]]]);
    let fairness = under(vec![Demand::Of(Word::Unconditional, 1)]);
    for phi in [Phi::Atom(Atom::At(0, 7)), Phi::Not(Box::new(Phi::Atom(Atom::At(0, 7))))] {
        assert_eq!(decision(&world, &fairness, &phi), Decision { why: Why::Holds, realisable: Some(false) });
    }
    // Weak and strong fairness of it require nothing.
    for word in [Word::Weak, Word::Strong] {
        let decision = decision(&world, &under(vec![Demand::Of(word, 1)]), &Phi::Atom(Atom::At(0, 7)));
        assert_eq!(decision, Decision { why: Why::Fails, realisable: Some(true) });
    }
}

/// States 0 with `p, q` and 1 with `p` alternate. All runs satisfy `p W G q` because of `G p`, so its negation fails,
/// also under strong global fairness. The component of the product that shows this has edges to the part of the
/// automaton that waits for `G q`. A checker that takes it for unfair because of these edges says *holds*.
#[test]
fn a_globally_fair_component_of_the_product_need_not_be_terminal() {
    let world = World::graph(&[0], &[vec![vec![1]], vec![vec![0]]]);
    let p = Phi::Or(Box::new(at(0)), Box::new(at(1)));
    let claim = Phi::Not(Box::new(Phi::W(Box::new(p), Box::new(always(at(0))))));
    assert_eq!(decision(&world, &global(), &claim).why, Why::Fails);
    let lasso = counterexample(&world, &global(), &claim, 3).expect("the only run");
    let task = world.task(&global(), Kind::Ltl(world.formula(&claim)));
    assert!(certify(&task, Answer::Fails(Counterexample::Lasso(lasso))).is_ok());
}

#[test]
fn a_run_is_fair_by_one_of_two_alternatives_and_not_by_halves() {
    // Two loops at one state. Each alternative requires one of them and forbids the other.
    let world = World::graph(&[0], &[vec![vec![0], vec![0]]]);
    let only = |taken: usize, other: usize| Alternative {
        demands: vec![
            Demand::Of(Word::Unconditional, taken),
            Demand::Compassion(Atom::Taken(other), Atom::At(0, 7)),
        ],
        global: false,
    };
    let fairness = [only(0, 1), only(1, 0)];
    let settles = |event: usize| eventually(always(Phi::Atom(Atom::Taken(event))));
    let either = || Phi::Or(Box::new(settles(0)), Box::new(settles(1)));
    assert_eq!(decision(&world, &fairness, &either()).why, Why::Holds);
    assert_eq!(decision(&world, &fairness, &settles(0)).why, Why::Fails);
    assert_eq!(decision(&world, &fairness[..1], &settles(0)).why, Why::Holds);
    assert_eq!(decision(&world, &under(Vec::new()), &either()).why, Why::Fails);
}

#[test]
fn what_cannot_be_checked_is_claimed() {
    let world = World::graph(&[0], &[vec![vec![1]], vec![vec![]]]);
    let ltl = || Kind::Ltl(world.formula(&eventually(at(1))));
    let reason = Reason::stopped(StopReason::Time);
    for answer in [Answer::Holds(Proof::Exhaustive), Answer::Unknown(reason)] {
        let certified = certify(&world.task(&under(Vec::new()), ltl()), answer).expect("nothing to check");
        assert_eq!(certified.standing(), Standing::Claimed);
    }
    let ctl = world.task(&under(Vec::new()), Kind::Ctl(Ctl::Atom(world.expr(&Atom::At(0, 1)))));
    let state = |value: i64| Answer::Fails(Counterexample::State(State(vec![value])));
    assert_eq!(certify(&ctl, state(0)).map(|certified| certified.standing()), Ok(Standing::Claimed));
    assert_eq!(certify(&ctl, state(1)), Err(Flaw::NotInitial));
    assert!(matches!(certify(&ctl, state(2)), Err(Flaw::OutsideDomain { .. })));
}

#[test]
fn a_run_of_one_instance_is_no_answer_for_all_of_them() {
    let world = World::graph(&[0], &[vec![vec![0]]]);
    let position = Position { state: State(vec![0]), label: Label::Action(ActionId(0)) };
    let answer = Answer::Fails(Counterexample::Lasso(Lasso { positions: vec![position], cycle: 0 }));
    let task = world.task(&under(Vec::new()), Kind::Ltl(world.formula(&eventually(at(7)))));
    assert!(certify(&task, answer.clone()).is_ok());

    let mut family = task.clone();
    family.property.binders.push(Binder { index: Index(0), span: Span::between(1, 2) });
    assert!(matches!(certify(&family, answer.clone()), Err(Flaw::NotAnInstance(_))));
    assert!(decide(&family, LIMIT).is_err());

    let mut open = (**task.system()).clone();
    open.parameters.push(Parameter { name: "N".to_owned(), least: 2 });
    let open = model::Task { subject: Subject::Open(Arc::new(open)), ..task };
    assert!(matches!(certify(&open, answer), Err(Flaw::NotAnInstance(_))));
    assert!(decide(&open, LIMIT).is_err());
}
