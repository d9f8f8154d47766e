//! The local engine on small models: traps that catch unsound local reasoning, refusals, and what it reports.

use certify::certify;
use engines::local::Variant;
use engines::{Engine, Local};
use model::{Answer, Note, RefusalKind, Session, Task};

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
            let answer = engine.check(task, &Session::unlimited());
            let answer = answer.unwrap_or_else(|refusal| panic!("{refusal:?}"));
            let certified = certify(task, answer).unwrap_or_else(|flaw| panic!("{variant:?}: {flaw}"));
            verdicts.push(match certified.answer() {
                Answer::Holds(_) => true,
                Answer::Fails(_) => false,
                Answer::Unknown(reason) => panic!("{variant:?}: {reason:?}"),
            });
        }
    }
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "the variants differ: {verdicts:?}");
    verdicts[0]
}

fn verdicts(source: &str) -> Vec<bool> {
    let verdicts: Vec<bool> = tasks(source).iter().map(holds).collect();
    assert_eq!(verdicts, oracle(source), "the oracle");
    verdicts
}

/// What the definitions say.
fn oracle(source: &str) -> Vec<bool> {
    tasks(source)
        .iter()
        .map(|task| certify::oracle::decide(task, 100_000).expect("it is small").holds())
        .collect()
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

/// Nobody takes a step again and again here, so the pigeons of variant A need a hole for `idle`: without one there would be
/// no case in which the second property is violated.
#[test]
fn a_pigeonhole_over_processes_has_a_place_for_idling() {
    let source = "
        shared x: bool = true;
        process P[i: 1..2] { one: request x; two: await x; }
        property p: F G !x;
        property q: G F x under strong processes;
        property r: F (taken(P[1]) && X G !enabled(P[1])) || F (taken(P[2]) && X G !enabled(P[2]));";
    assert_eq!(verdicts(source), [true, false, true]);
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

/// `Q.rest` is possible in every local state, so the lasso in which `x` stays false and `Q` rests has nothing that a
/// process could not do. It is unfair all the same, and that is seen only in the locals of `Q`: `Q.on` is enabled at every
/// other position. A rule that takes such lassos for real, or assumes of `Q` only what all its local states have, finds a
/// counterexample where there is none.
#[test]
fn a_lasso_that_every_local_state_can_follow_may_be_unfair_by_a_when() {
    let source = "
        shared x: bool = true;
        process P { loop { a: stay; b: x = false; } }
        process Q { local n: 0..1; action on when n == 1 { x = true; } action rest { n = 1 - n; } }
        property p: G F x under strong Q.on & weak Q;
        property q: G F x under weak Q.on & weak Q;
        property r: G F x under strong Q.on & compassion (Q.n == 0, Q.n == 2 - 1);";
    assert_eq!(verdicts(source), [true, false, true]);
}

/// The same with a `then`: that `Q.n` is 2 is possible in the class of all local states and never true while `x` is false.
#[test]
fn a_lasso_that_every_local_state_can_follow_may_be_unfair_by_a_then() {
    let source = "
        shared x: bool = true;
        process P { loop { a: stay; b: x = false; c: stay; d: x = true; } }
        process Q {
            local n: 0..2;
            action rest when n < 2 { n = 1 - n; }
            action up when x { n = 2; }
            action down when n == 2 { n = 0; }
        }
        property p: G F x under justice (Q.n == 2) & weak Q.down;
        property q: G F x under weak Q.down;
        property r: G F x under justice (Q.n == 2);";
    assert_eq!(verdicts(source), [true, false, false]);
}

/// Requirements over the locals of two processes, neither of which the property speaks of: along a lasso both have fair
/// paths, but no two that are fair together.
#[test]
fn requirements_about_several_processes_are_met_together() {
    let source = "
        shared x: bool = true;
        shared t: bool;
        process P { loop { a: stay; b: x = false; c: stay; d: x = true; } }
        process Q { local n: 0..1; action go when !x && !t { n, t = 1 - n, true; } action reset when x { n = 0; } }
        process R { local n: 0..1; action go when !x && t { n, t = 1 - n, false; } action reset when x { n = 1; } }
        init R.n == 1;
        property p: G F x under justice (Q.n == 1 && R.n == 0 && !t);
        property q: G F x under justice (Q.n == 1 && R.n == 1);";
    let verdicts = verdicts(source);
    assert!(verdicts[0], "{verdicts:?}");
}

#[test]
fn initial_values_that_depend_on_one_another_stay_together() {
    let source = "
        shared x: bool;
        process P[i: 1..2] { local n: 0..1 = any; local m: 0..1; action tick { x, m = n == 1, 1 - m; } }
        init P[1].n != P[2].n;
        invariant one: P[1].n + P[2].n == 1;
        property p: G F x && G F !x under weak processes;
        property q: G F x           under weak P[1];";
    assert_eq!(verdicts(source), [true, true, false]);
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
        let session = Session::unlimited();
        let answer = Local::default().check(&tasks(&source)[0], &session);
        assert!(matches!(answer, Ok(Answer::Holds(_))));
        let statistics = session.statistics.into_inner().expect("nobody panicked");
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
    let session = Session::unlimited();
    Local::default().check(&tasks(source)[0], &session).expect("taken");
    let notes = session.notes.into_inner().expect("nobody panicked");
    let [Note::Exposed { whole, predicates, .. }] = &notes[..] else { panic!("{notes:?}") };
    assert_eq!(whole[..], ["P[1]"]);
    assert!(predicates.iter().any(|p| p.starts_with("of each P[i] whether it is at ")), "{predicates:?}");
}

/// What is passed in a rendezvous is local to both sides, and nobody else sees it.
#[test]
fn a_rendezvous_passes_what_others_do_not_see() {
    let source = "
        chan c: [0] of 0..3;
        process S { local v: 0..3; loop { make: v = (v + 1) % 4; give: c!v; } }
        process R { local y: 0..3; loop { take: c?y; use: skip; } }
        process Other[i: 1..2] { loop { a: stay; b: skip; } }
        invariant same: R@use -> R.y == S.v || S@give;
        invariant never: R.y != 2;
        property again: G F R.y == 2 under weak processes;
        property after: G (S@give && S.v == 2 -> F (R@use && R.y == 2)) under weak processes;
        property skips: G !(R@use && R.y == 1 && X (R@take && X (R@use && R.y == 3))) under weak processes;
        property stuck: F G S@give under weak processes;
        property unfair: G F R@use under weak Other;";
    assert_eq!(verdicts(source), [true, false, true, true, true, false, false]);
}

/// Who passes a value and who gets it agree on it; if they need not, the last property fails.
#[test]
fn processes_agree_on_what_they_pass() {
    let source = "
        chan c: [0] of 0..1;
        process S[i: 1..2] { local v: 0..1 = any; loop { a: c!v; b: v = 1 - v; } }
        process R { local y: 0..1; loop { get: c?y; next: c?y; } }
        invariant some: R.y == 0;
        property both: F (R@next && R.y == 1) under strong processes;
        property one: G (R@next && R.y == 1 -> F R.y == 0) under strong processes;";
    assert_eq!(verdicts(source), oracle(source));
}

/// The system idles where no two can meet, though each of them could meet somebody in its place.
#[test]
fn a_deadlock_is_one_of_all_meetings() {
    let source = "
        chan c: [0] of bool;
        chan d: [0] of bool;
        shared x: bool;
        process P { local v: bool = any; if v { a: c!true; } else { b: d!true; } }
        process Q { local w: bool = any; if w { a: c?_; } else { b: d?_; } done: x = true; }
        process R { loop { a: await x; b: x = false; } }
        property p: F x under weak processes;
        property q: F x || F (P.v != Q.w) under weak processes;
        property r: F (P.v != Q.w) || F !x under weak processes;
        invariant s: !deadlock || !Q@a && !Q@b || P.v != Q.w || P@halted;";
    let source = source.replace(" || P@halted", "");
    assert_eq!(verdicts(&source), oracle(&source));
    assert_eq!(verdicts(&source)[..2], [false, true]);
}

/// Three processes act at once; who acts is told by nobody alone. Steps of the environment belong to no process.
#[test]
fn events_of_many_and_steps_of_nobody_are_taken() {
    let source = "
        event e;
        chan c: [1] lossy of 0..1;
        process P[i: 1..3] { local n: 0..2 = any; loop { a: n = (n + i) % 3; b: sync e; d: skip; } }
        process S { loop { a: c!1; } }
        process R { local y: 0..1; loop { a: c?y; } }
        property all: G F taken(P[1].b) under weak processes;
        property before: G (P[2]@d -> (!P[3]@b || P[2]@d) U !P[2]@d) under weak processes;
        property two: G F P[2].n == 0 under weak processes;
        property lost: F R.y == 1 under weak processes;
        property found: F R.y == 1 under weak processes & compassion (taken(c.lose), false);";
    assert_eq!(verdicts(source), oracle(source));
    assert!(!verdicts(source)[3] && verdicts(source)[4]);
}

/// Where some tuple of local states is a fault, it is found iff the processes can be in it together.
#[test]
fn a_fault_of_two_is_one_of_both() {
    let source = |least: &str| {
        format!(
            "chan c: [0] of 0..2;
            process S {{ local v: 0..{least} = any; loop {{ a: skip; b: c!v; }} }}
            process R {{ local w: 0..2; local y: 0..1 = 1; loop {{ a: c?w; b: y = 1 / (2 - w); }} }}
            process Q {{ local z: 0..1; loop {{ a: z = 1 - z; }} }}
            invariant p: Q.z <= 1;
            property q: G F Q.z == 0 under weak Q;"
        )
    };
    assert_eq!(verdicts(&source("1")), [true, true]);
    assert_eq!(verdicts(&source("2")), [false, false]);
}

#[test]
fn what_the_method_cannot_do_is_refused() {
    let refusal =
        |source: &str| Local::default().accepts(&tasks(source)[0]).expect_err("the engine refuses this").kind;
    let one = "shared x: bool; process P { loop { a: x = !x; } } property p: G F x under weak P;";
    assert_eq!(refusal(one), RefusalKind::OneProcess);
    let two = "shared x: bool; process P[i: 1..2] { loop { a: x = !x; } }";
    assert_eq!(refusal(&format!("{two} property p: G F x under global;")), RefusalKind::Global);
    assert_eq!(refusal(&format!("{two} property p: AG AF x;")), RefusalKind::Ctl);
    let int =
        "shared k: int; process P[i: 1..2] { loop { a: k = k + 1; } } property p: F k > 3 under weak P;";
    assert_eq!(refusal(int), RefusalKind::Unbounded);
    let open =
        "process P[i: 1..2] { local n: 0..1; action a when forall j in 1..2: P[j].n == n { n = 1 - n; } }
        property p: G F P[1].n == 0 under weak P;";
    assert_eq!(refusal(open), RefusalKind::NothingLocal);
}
