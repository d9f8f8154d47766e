//! Refusals before any work, and clean ends at limits.

use std::sync::atomic::{AtomicU64, Ordering};

use engines::{Engine, Explicit};
use model::expr::Operator;
use model::property::{Kind, Paths};
use model::system::{Initial, Parameter, Scalar};
use model::{
    Answer, Ctl, Declared, Expr, Fairness, Reason, Refusal, RefusalKind, Session, StopReason, Task, Update,
    VariableId,
};

use super::world::{
    World, always, atom, eventually, holds, implies, incremented, is, less, place, range, read, set,
};

/// A number that grows for ever.
fn growing() -> World {
    let mut world = World::new();
    let n = world.shared("n", Scalar::Int);
    let p = world.process("P", None);
    world.action(p, "up", Expr::Bool(true), Update::Assign(vec![(place(n), incremented(n))]));
    world
}

fn refusal(task: &Task) -> Refusal {
    Explicit::default().accepts(task).expect_err("refused")
}

fn unknown(task: &Task, session: &Session<'_>) -> Reason {
    match Explicit::default().check(task, session).expect("taken") {
        Answer::Unknown(reason) => reason,
        other => panic!("{other:?} is not unknown"),
    }
}

#[test]
fn what_it_cannot_do_is_refused_with_the_declaration_to_blame() {
    let mut world = growing();
    world.0.variables[0].initial = Initial::Any;
    let anything = refusal(&world.invariant(Expr::Bool(true)));
    assert_eq!(anything, Refusal::about(Declared::Variable(VariableId(0)), RefusalKind::AnyInteger));
    world.0.parameters.push(Parameter { name: "N".to_owned(), least: 2 });
    let open = refusal(&world.invariant(Expr::Bool(true)));
    assert_eq!(open, Refusal::of(RefusalKind::Open));
}

#[test]
fn an_infinite_search_ends_at_the_memory_limit() {
    let world = growing();
    let branching = Kind::Ctl(Ctl::Globally(Paths::All, Box::new(Ctl::Atom(Expr::Bool(true)))));
    let claims = [
        world.invariant(Expr::Bool(true)),
        world.ltl(always(atom(Expr::Bool(true))), Fairness::none()),
        world.task(Fairness::none(), branching),
    ];
    for task in claims {
        let session = Session::new(&|| None, &|_| {}, 10_000_000, 1);
        let reason = unknown(&task, &session);
        let Reason::Stopped { stop: StopReason::Memory, done: Some((done, "states")) } = reason else {
            panic!("{reason:?}")
        };
        let statistics = session.statistics.into_inner().expect("nothing panicked");
        let states = statistics.iter().find(|(name, _)| *name == "states").map(|(_, count)| *count);
        assert!(states.is_some_and(|states| states == done && states > 10_000), "{statistics:?}");
    }
}

#[test]
fn a_search_ends_when_time_is_up_or_the_user_interrupts() {
    let world = growing();
    for stop in [StopReason::Time, StopReason::Cancelled] {
        let seen = AtomicU64::new(0);
        let progress = |progress: &model::task::Progress| seen.store(progress.count, Ordering::Relaxed);
        let stopped = || (seen.load(Ordering::Relaxed) > 50_000).then_some(stop);
        let session = Session::new(&stopped, &progress, u64::MAX, 1);
        let reason = unknown(&world.invariant(Expr::Bool(true)), &session);
        assert_eq!(reason.stop(), Some(stop));
        assert!(seen.load(Ordering::Relaxed) < 60_000);
    }
}

#[test]
fn a_limit_ends_every_phase() {
    // The stop comes at the k-th question, so that it meets each phase in turn. Once the verdict is known it stays,
    // and only the evidence for it and the search for unrealisable fairness end early.
    let mut world = World::new();
    let x = world.shared("x", range(0, 30_000));
    let p = world.process("P", None);
    world.action(p, "up", less(read(x), 30_000), Update::Assign(vec![(place(x), incremented(x))]));
    world.action(p, "reset", is(x, 30_000), set(x, 0));
    // Weak fairness is realisable without a search.
    let fairness = Fairness::every_action(&world.0, model::fairness::Word::Unconditional);
    let task = world.ltl(always(eventually(atom(is(x, 5)))), fairness);
    let mut phases = Vec::new();
    for patience in 0.. {
        let asked = AtomicU64::new(0);
        let phase = std::sync::Mutex::new("");
        let progress = |progress: &model::task::Progress| *phase.lock().expect("no panic") = progress.phase;
        // The phase in which the first stop was given.
        let stopped_in = std::sync::OnceLock::new();
        let stop = || {
            (asked.fetch_add(1, Ordering::Relaxed) >= patience).then(|| {
                stopped_in.get_or_init(|| *phase.lock().expect("no panic"));
                StopReason::Time
            })
        };
        let session = Session::new(&stop, &progress, u64::MAX, 1);
        let notes = || session.notes.lock().expect("no panic").len();
        match (Explicit { first_look: usize::MAX, reductions: false, ..Explicit::default() })
            .check(&task, &session)
            .expect("taken")
        {
            Answer::Unknown(reason) => assert_eq!((reason.stop(), notes()), (Some(StopReason::Time), 0)),
            Answer::Holds(_) if notes() == 0 => break,
            Answer::Holds(_) => {
                let stopped_in = stopped_in.get().expect("it was asked to stop");
                assert!(["looking for fair runs", "writing down why it holds"].contains(stopped_in));
            }
            Answer::Fails(_) => panic!("the counter passes 5 in every round"),
        }
        let stopped_in = stopped_in.get().copied().expect("it was asked to stop");
        // The translation of the formula comes first and reports no progress.
        if !stopped_in.is_empty() && phases.last() != Some(&stopped_in) {
            phases.push(stopped_in);
        }
    }
    let expected =
        ["exploring", "looking for fair cycles", "looking for fair runs", "writing down why it holds"];
    assert_eq!(phases, expected);
}

#[test]
fn a_long_line_of_states_overflows_no_stack() {
    let mut world = World::new();
    let x = world.shared("x", range(0, 300_000));
    let p = world.process("P", None);
    world.action(p, "up", less(read(x), 300_000), Update::Assign(vec![(place(x), incremented(x))]));
    assert!(holds(&world.ltl(eventually(always(atom(is(x, 300_000)))), Fairness::none())));
}

#[test]
fn integers_without_a_range_have_no_end_although_ours_do() {
    let run = |scalar: Scalar| {
        let mut world = World::new();
        let n = world.shared("n", scalar);
        let p = world.process("P", None);
        let square = Expr::binary(Operator::Mul, read(n), Expr::Int(i64::MAX / 3));
        world.action(p, "up", less(square, 5), Update::Assign(vec![(place(n), incremented(n))]));
        world.action(p, "on", Expr::Bool(true), Update::Assign(vec![(place(n), incremented(n))]));
        let task = world.invariant(less(read(n), 100));
        Explicit::default().check(&task, &Session::unlimited()).expect("taken")
    };
    assert_eq!(run(Scalar::Int), Answer::Unknown(Reason::Overflow));
    assert!(matches!(run(range(0, 50)), Answer::Fails(_)), "within a range it is a fault");
}

#[test]
fn where_stored_steps_do_not_fit_they_are_computed() {
    let mut world = World::new();
    let numbers: Vec<VariableId> = (0..5).map(|n| world.shared(&format!("x{n}"), range(0, 11))).collect();
    for (number, n) in numbers.iter().enumerate() {
        let process = world.process(&format!("P{number}"), None);
        let up = Update::Assign(vec![(place(*n), incremented(*n))]);
        world.action(process, "up", less(read(*n), 11), up);
        world.action(process, "reset", is(*n, 11), set(*n, 0));
    }
    let fairness = Fairness::every_action(&world.0, model::fairness::Word::Weak);
    let claim = always(eventually(atom(is(numbers[0], 5))));
    let (fair, unfair) = (world.ltl(claim.clone(), fairness), world.ltl(claim, Fairness::none()));
    // The search for components needs about 20 MB, states and stored steps as much again.
    let memory = 32_000_000;
    for stores_steps in [true, false] {
        // Looks come late, so that nothing is found before the memory ends.
        let engine = Explicit {
            stores_steps,
            first_look: usize::MAX,
            probes: false,
            reductions: false,
            evidence: 0,
            ..Explicit::default()
        };
        let session = Session::new(&|| None, &|_| {}, memory, 1);
        let holds = engine.check(&fair, &session).expect("taken");
        assert!(matches!(holds, Answer::Holds(_)), "{holds:?}");
        assert_eq!(session.counted("states"), Some(248_832));
        let fails = engine.check(&unfair, &Session::new(&|| None, &|_| {}, memory, 1)).expect("taken");
        assert!(matches!(fails, Answer::Fails(_)), "{fails:?}");
        let standing = certify::certify(&unfair, fails).map(|certified| certified.standing());
        assert_eq!(standing, Ok(certify::Standing::Checked));
        let little = Session::new(&|| None, &|_| {}, memory / 4, 1);
        let unknown = engine.check(&fair, &little).expect("taken");
        assert!(matches!(unknown, Answer::Unknown(_)), "{unknown:?}");
    }
}

#[test]
fn more_states_than_can_be_numbered_are_too_many_and_nothing_else() {
    // Thirty thousand states, and twice as many combinations with the automaton.
    let mut world = World::new();
    let x = world.shared("x", range(0, 30_000));
    let p = world.process("P", None);
    world.action(p, "up", less(read(x), 30_000), Update::Assign(vec![(place(x), incremented(x))]));
    let invariant = world.invariant(Expr::Bool(true));
    let response = world.ltl(
        always(implies(atom(is(x, 5)), eventually(atom(is(x, 30_000))))),
        Fairness::every_action(&world.0, model::fairness::Word::Weak),
    );
    let engine = |number_limit| Explicit { number_limit, reductions: false, ..Explicit::default() };
    for (task, enough) in [(&invariant, 40_000), (&response, 200_000)] {
        for threads in [1, 3] {
            let session = || Session::new(&|| None, &|_| {}, u64::MAX, threads);
            let few = engine(9_000).check(task, &session()).expect("taken");
            let Answer::Unknown(Reason::TooLarge { what }) = few else { panic!("{few:?}") };
            assert!(what.contains("more than 9000 states"), "{what}");
            let many = engine(enough).check(task, &session()).expect("taken");
            assert!(matches!(many, Answer::Holds(_)), "{many:?}");
        }
    }
    // The states can be numbered, the combinations cannot.
    let few = engine(35_000).check(&response, &Session::unlimited()).expect("taken");
    let Answer::Unknown(Reason::TooLarge { what }) = few else { panic!("{few:?}") };
    assert!(what.contains("too many combinations"), "{what}");
}
