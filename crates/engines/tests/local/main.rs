//! The local engine on small models: traps that catch unsound local reasoning, refusals, and what it reports.

use certify::certify;
use engines::local::Variant;
use engines::{Engine, Local};
use model::{Answer, Run, Task};

fn tasks(source: &str) -> Vec<Task> {
    let loaded = lang::load("test", source, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{source}: {:?}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// Whether a property holds, by every variant with and without symmetry; the judge agrees with each answer.
fn holds(task: &Task) -> bool {
    let mut verdicts = Vec::new();
    for variant in [Variant::Auto, Variant::A, Variant::B] {
        for symmetry in [true, false] {
            let engine = Local { variant, symmetry, ..Local::default() };
            engine.accepts(task).unwrap_or_else(|refusal| panic!("{refusal:?}"));
            let answer = engine.check(task, &Run::unlimited());
            let certified = certify(task, answer).unwrap_or_else(|flaw| panic!("{variant:?}: {flaw}"));
            verdicts.push(match certified.answer() {
                Answer::Holds(_) => true,
                Answer::Fails(_) => false,
                Answer::Unknown(reason) => panic!("{variant:?}: {}", reason.message),
            });
        }
    }
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "the variants differ: {verdicts:?}");
    verdicts[0]
}

fn verdicts(source: &str) -> Vec<bool> {
    tasks(source).iter().map(holds).collect()
}

/// Without the step `idle` no run would stay in the deadlock, and the property would have a proof. Variant A needs it
/// to be a step of some process: nobody else takes infinitely many.
#[test]
fn a_deadlock_is_a_run_that_idles() {
    let source = "
        shared x, y: bool = true;
        process P { loop { one: request x; two: request y; crit: skip; back: x, y = true, true; } }
        process Q { loop { one: request y; two: request x; crit: skip; back: x, y = true, true; } }
        property p: G (P@one -> F P@crit) under weak processes;
        property q: G F (P@crit || Q@crit)  under strong processes;";
    assert_eq!(verdicts(source), [false, false]);
}

/// The abstract step `idle` must be possible where every process has *some* local state in which it is blocked; and
/// where it is not really, refinement shows it.
#[test]
fn idling_that_is_not_real_is_excluded() {
    let source = "
        shared x: bool = true;
        process P[i: 1..3] { loop { rest: skip; wait: request x; crit: skip; out: release x; } }
        property p: G F x        under weak processes;
        property q: G F P[2]@crit  under weak processes & strong P[2].wait;
        property r: G F P[2]@crit  under weak processes;";
    assert_eq!(verdicts(source), [true, true, false]);
}

/// Each of two processes makes one of the two things happen. If in variant A all marks of the automaton had to be seen on
/// steps of the same process, this would have a proof.
#[test]
fn two_processes_that_take_turns_meet_two_marks_together() {
    let source = "
        shared x: bool;
        process P { action on when !x { x = true; } }
        process Q { action off when x { x = false; } }
        property p: F G !taken(P) || F G !taken(Q) under none;
        property q: G F taken(P) && G F taken(Q) under none;";
    assert_eq!(verdicts(source), [false, true]);
}

/// A requirement about `taken` that nothing breaks at first is broken once others have removed states: it must be asked
/// again after each removal, not only after its own.
#[test]
fn a_requirement_of_steps_is_asked_again_when_others_have_removed_something() {
    let source = "
        shared k: 0..3;
        process P {
            action up when k < 3 { k = k + 1; }
            action down when k > 0 { k = k - 1; }
            action rest { skip; }
        }
        process Q { loop { a: skip; b: await k == 3; c: k = 0; } }
        fairness f: unconditional P.up & unconditional P.down & unconditional Q & compassion (k == 3, false);
        property p: F false under f;
        property q: F G k < 2 under f;
        property r: F G k < 2 under unconditional P.up & unconditional P.down;";
    assert_eq!(verdicts(source), [true, true, false]);
}

/// What is assumed of others is weakened: where a class has local states with and without `when`, nothing is assumed.
/// The other way round these properties would have proofs.
#[test]
fn fairness_of_others_is_assumed_only_where_all_local_states_have_it() {
    let source = "
        shared x: bool = true;
        process P[i: 1..2] {
            loop { rest: stay; wait: request x; crit: stay; out: release x; }
        }
        process Q { loop { look: await x; } }
        property p: G F x          under weak processes;
        property q: G F x          under weak processes & for i in 1..2: compassion (P[i]@crit, P[i]@out);
        property r: G F taken(Q)   under weak processes & for i in 1..2: compassion (P[i]@crit, P[i]@out);
        property s: G F taken(Q)   under weak processes & strong Q & for i in 1..2: compassion (P[i]@crit, P[i]@out);";
    assert_eq!(verdicts(source), [false, true, false, true]);
}

#[test]
fn a_fault_of_a_process_that_the_property_does_not_speak_of_is_found() {
    let source = "
        shared x: bool = true;
        process P[i: 1..2] { local n: 0..2; loop { a: request x; b: n = n + 1; c: release x; d: if n == 2 { n = 0; } } }
        process Q[i: 1..2] { local n: 0..2; loop { a: request x; b: n = n + 1; c: release x; } }
        property p: G (P[1]@b -> F P[1]@c) under weak processes;";
    assert_eq!(verdicts(source), [false]);
    let without = source.split("process Q").next().unwrap_or_default().to_owned()
        + "property p: G (P[1]@b -> F P[1]@c) under weak processes;";
    assert_eq!(verdicts(&without), [true]);
}

#[test]
fn mutual_exclusion_is_an_invariant_of_what_is_exposed() {
    let source = "
        const N = 6;
        shared x: bool = true;
        process P[i: 1..N] { loop { rest: stay; wait: request x; crit: skip; out: release x; } }
        invariant mutex: count(i in 1..N: P[i]@crit) <= 1;
        invariant never: count(i in 1..N: P[i]@out) == 0;
        invariant no_deadlock: !deadlock;";
    assert_eq!(verdicts(source), [true, false, true]);
}

#[test]
fn the_number_of_refinements_does_not_grow_with_the_number_of_processes() {
    let refinements = |processes: usize| {
        let source = format!(
            "const N = {processes};
            shared x: bool = true;
            process P[i: 1..N] {{ loop {{ rest: stay; wait: request x; crit: skip; out: release x; }} }}
            property p: G (P[1]@wait -> F P[1]@crit) under weak P & strong P[1].wait;"
        );
        let run = Run::unlimited();
        let answer = Local::default().check(&tasks(&source)[0], &run);
        assert!(matches!(answer, Answer::Holds(_)));
        let statistics = run.statistics.into_inner().expect("nobody panicked");
        statistics.into_iter().find(|(name, _)| *name == "refinements").map(|(_, number)| number)
    };
    assert_eq!(refinements(3), Some(2));
    assert_eq!(refinements(12), Some(2));
}

#[test]
fn the_report_says_in_the_users_names_what_was_exposed() {
    let source = "
        shared x: bool = true;
        process P[i: 1..3] { loop { rest: stay; wait: request x; crit: skip; out: release x; } }
        property p: G (P[1]@wait -> F P[1]@crit) under weak P & strong P[1].wait;";
    let run = Run::unlimited();
    Local::default().check(&tasks(source)[0], &run);
    let notes = run.notes.into_inner().expect("nobody panicked").join("\n");
    assert!(notes.contains("of each P[i] whether it is at "), "{notes}");
}

#[test]
fn what_the_method_cannot_do_is_refused_with_advice() {
    let refusal = |source: &str| {
        let refusal = Local::default().accepts(&tasks(source)[0]).expect_err("the engine refuses this");
        assert!(!refusal.instead.is_empty(), "{refusal:?}");
        refusal.reason
    };
    let one = "shared x: bool; process P { loop { a: x = !x; } } property p: G F x under weak P;";
    assert!(refusal(one).contains("fewer than two processes"));
    let two = "shared x: bool; process P[i: 1..2] { loop { a: x = !x; } }";
    assert!(refusal(&format!("{two} property p: G F x under global;")).contains("strong global"));
    assert!(refusal(&format!("{two} property p: AG AF x;")).contains("CTL"));
    let int =
        "shared k: int; process P[i: 1..2] { loop { a: k = k + 1; } } property p: F k > 3 under weak P;";
    assert!(refusal(int).contains("any integer"));
    let meeting = "chan c: [0] of bool; shared x: bool; process P { loop { a: c!true; } } process Q { loop { b: c?x; } }
        property p: G F x under weak processes;";
    assert!(refusal(meeting).contains("rendezvous"));
    let open =
        "process P[i: 1..2] { local n: 0..1; action a when forall j in 1..2: P[j].n == n { n = 1 - n; } }
        property p: G F P[1].n == 0 under weak P;";
    assert!(refusal(open).contains("nothing is local"));
}
