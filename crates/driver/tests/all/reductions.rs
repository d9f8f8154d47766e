//! Compares reduced searches with unreduced ones, with the oracle and with the judge.
//!
//! Random models first (`FAIRLY_TASKS` and `FAIRLY_SEED` choose how many and which), then the known traps for unsound
//! reductions, each as its own model.

use std::collections::BTreeMap;

use certify::oracle::{self, Why};
use engines::{Engine, Explicit};
use model::note::Unrealisable;
use model::{Answer, Counterexample, Note, Session, Task};

use crate::differential::random::Random;
use crate::differential::{families, shrink};

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

/// An engine that tries reductions from the first state on, or never.
fn engine(reductions: bool) -> Explicit {
    Explicit { reductions, reduce_beyond: 0, probes: false, ..Explicit::default() }
}

/// The result of an engine on a task.
struct Seen {
    answer: Answer,
    notes: Vec<Note>,
    statistics: BTreeMap<&'static str, u64>,
}

impl Seen {
    fn new(task: &Task, reductions: bool) -> Seen {
        let session = Session::unlimited();
        let answer = engine(reductions).check(task, &session).expect("the explicit engine accepts the task");
        let statistics = session.statistics.into_inner().expect("nothing panicked");
        Seen {
            answer,
            notes: session.notes.into_inner().expect("nothing panicked"),
            statistics: statistics.into_iter().collect(),
        }
    }

    /// The notes that are not about the reduction.
    fn remarks(&self) -> Vec<Note> {
        let remark = |note: &Note| match note {
            // The state that is shown may differ.
            Note::Unrealisable(Unrealisable::From(_)) => {
                Some(Note::Unrealisable(Unrealisable::From(Vec::new())))
            }
            Note::Vacuous { .. }
            | Note::EmptyAutomaton { .. }
            | Note::Unrealisable(_)
            | Note::RealisabilityUnknown { .. } => Some(note.clone()),
            _ => None,
        };
        self.notes.iter().filter_map(remark).collect()
    }

    fn count(&self, name: &str) -> u64 {
        self.statistics.get(name).copied().unwrap_or(0)
    }

    fn is_reduced(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, Note::Reduced(_)))
    }
}

/// Numbers of results, by name.
type Tally = BTreeMap<&'static str, u64>;

/// The first disagreement on any property of a model.
fn disagreement(source: &str, tally: &mut Tally) -> Option<String> {
    let Some(model) = lang::load("random", source, &[]).model else {
        *tally.entry("rejected by the front end").or_default() += 1;
        return None;
    };
    for check in &model.checks {
        let (full, reduced) = (Seen::new(&check.task, false), Seen::new(&check.task, true));
        let name = &check.task.property.name;
        if let Some(flaw) = compare(&check.task, &full, &reduced) {
            return Some(format!("on `{name}`: {flaw}"));
        }
        *tally.entry("compared").or_default() += 1;
        if reduced.is_reduced() {
            *tally.entry("reduced").or_default() += 1;
            let by_names = reduced.count("permutations") > 0;
            *tally.entry(if by_names { "by symmetry" } else { "by order" }).or_default() += 1;
            if let Answer::Holds(_) = reduced.answer {
                *tally.entry("reduced and holds").or_default() += 1;
                *tally.entry("states").or_default() += full.count("states");
                *tally.entry("states of the reduced graphs").or_default() += reduced.count("states");
            }
        }
        let Ok(decision) = oracle::decide(&check.task, LIMIT) else { continue };
        *tally.entry("decided by the oracle").or_default() += 1;
        let agrees = match (&reduced.answer, decision.why) {
            (Answer::Holds(_), why) => why == Why::Holds,
            (Answer::Fails(Counterexample::Fault { .. }), why) => why == Why::Fault,
            (Answer::Fails(_), why) => why != Why::Holds,
            (Answer::Unknown(_), _) => false,
        };
        if !agrees {
            return Some(format!("on `{name}`: {:?}, the oracle says {:?}", reduced.answer, decision.why));
        }
    }
    None
}

/// How a reduced search differs from an unreduced one, or why the judge refuses it.
fn compare(task: &Task, full: &Seen, reduced: &Seen) -> Option<String> {
    if let Err(flaw) = certify::certify(task, reduced.answer.clone()) {
        return Some(format!("the judge refuses the evidence: {flaw}"));
    }
    let same = match (&full.answer, &reduced.answer) {
        (Answer::Holds(_), Answer::Holds(_)) => true,
        // If there are faults and violations, either may be found first.
        (Answer::Fails(_), Answer::Fails(_)) => true,
        _ => false,
    };
    if !same {
        return Some(format!("reduced {:?}, unreduced {:?}", reduced.answer, full.answer));
    }
    (full.remarks() != reduced.remarks())
        .then(|| format!("reduced {:?}, unreduced {:?}", reduced.notes, full.notes))
}

#[test]
fn a_reduction_does_not_change_the_answer_on_random_models() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 300), crate::setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = families::source(&mut Random::new(seed, number));
        shrink::agree(&format!("seed {seed}, task {number}"), &source, &mut tally, disagreement);
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("reduced") * 4 > count, "reductions are rare: {tally:?}");
    assert!(seen("decided by the oracle") * 2 > count, "the oracle is rarely asked: {tally:?}");
    assert!(seen("states of the reduced graphs") * 3 < seen("states") * 2, "little is reduced: {tally:?}");
    assert!(seen("rejected by the front end") * 20 < count, "too many are rejected: {tally:?}");
}

/// Checks the only property of a model with and without reductions, by the oracle and by the judge. Returns whether
/// it holds, and the result of the reduced search.
fn checked(source: &str) -> (bool, Seen) {
    assert_eq!(disagreement(source, &mut Tally::new()), None, "{source}");
    let loaded = lang::load("trap", source, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let [check] = &model.checks[..] else { panic!("one property is expected") };
    let seen = Seen::new(&check.task, true);
    (matches!(seen.answer, Answer::Holds(_)), seen)
}

#[test]
fn an_action_is_not_put_off_for_ever_by_a_loop() {
    let (holds, seen) = checked(
        "shared x: bool;
        process Ann { loop { a: skip; b: skip; } }
        process Bob { set: x = true; }
        invariant never: !x;",
    );
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn an_action_is_not_put_off_for_ever_because_one_way_out_is_new() {
    // `again` and `leave` are followed together and `first` is postponed. A run that never leaves must contain it.
    let (holds, seen) = checked(
        "shared x, y: bool;
        process Ann { loop { before: skip; either { again: skip; } or { leave: skip; goto out; } } out: halt; }
        process Bob { first: x = true; second: y = true; }
        property both: G (x -> F y);",
    );
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn an_action_that_may_become_enabled_is_waited_for() {
    // After `leave`, `use` is no longer possible; it needs `set` first.
    let (holds, seen) = checked(
        "shared y, used: bool;
        process Ann { either { leave: skip; } or { use: when y { used = true; } } rest: skip; }
        process Bob { set: y = true; done: skip; }
        invariant unused: !used;",
    );
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn a_run_in_which_nothing_visible_happens_is_kept() {
    let (holds, seen) = checked(
        "shared x: bool;
        process Ann { loop { a: skip; b: skip; } }
        process Bob { before: skip; set: x = true; }
        property some_day: F x;",
    );
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn a_fault_of_an_action_that_is_put_off_is_found() {
    let (holds, seen) = checked(
        "shared x: 0..1 = 1;
        process Ann { loop { a: skip; b: skip; } }
        process Bob { before: skip; add: x = x + 1; }
        property again: G F taken(Ann.a) under weak Ann;",
    );
    assert!(
        !holds && matches!(seen.answer, Answer::Fails(Counterexample::Fault { .. })),
        "{:?}",
        seen.answer
    );
}

#[test]
fn a_fault_in_a_guard_that_is_false_later_on_is_found() {
    // `skip_it` alone would be a stubborn set: no action makes `z` true, so `test` is never enabled. But while the
    // process is there, setting `x` makes the guard of `test` faulty.
    let (holds, seen) = checked(
        "shared x: 0..1;
        shared z, seen: bool;
        process Bob { either { test: when 10 / (1 - x) > 0 && z { skip; } } or { skip_it: await !z; } done: skip; }
        process Ann { set: x = 1; more: seen = true; }
        property some_day: F seen;",
    );
    assert!(
        !holds && matches!(seen.answer, Answer::Fails(Counterexample::Fault { .. })),
        "{:?}",
        seen.answer
    );
}

#[test]
fn a_deadlock_is_found_though_no_action_is_visible() {
    let philosophers = |first: &str| {
        format!(
            "const N = 4;
            shared fork: array[0..N-1] of bool = true;
            process P[i: 0..N-1] {{ loop {{
                think: skip;
                left:  request fork[{first}];
                right: request fork[i + (i + 1) % N - {first}];
                back:  release fork[i];
                again: release fork[(i + 1) % N];
            }} }}
            invariant live: !deadlock;"
        )
    };
    let (holds, seen) = checked(&philosophers("i"));
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
    let (holds, seen) = checked(&philosophers("(if i == 0 { 1 } else { i })"));
    assert!(holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn a_deadlock_that_idles_for_ever_is_kept() {
    let (holds, seen) = checked(
        "shared x: bool;
        process Ann { a: skip; b: skip; }
        process Bob { c: skip; d: skip; }
        property some_day: F x;",
    );
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn enabledness_is_that_of_the_state_also_where_the_action_is_left_out() {
    // `use` is enabled again and again, even where only steps of other actions are kept.
    let source = "shared x: bool;
        process Ann { loop { on: x = true; off: x = false; } }
        process Bob { loop { use: await x; rest: skip; } }
        process Cat { loop { c: skip; d: skip; } }
        process Dan { loop { e: skip; f: skip; } }
        property used: G F taken(Bob.use) under weak Ann & WORD Bob.use & weak Bob.rest;";
    let (holds, seen) = checked(&source.replace("WORD", "strong"));
    assert!(holds && seen.is_reduced(), "{:?}", seen.notes);
    let (holds, seen) = checked(&source.replace("WORD", "weak"));
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

#[test]
fn events_next_to_each_other_are_not_reduced() {
    let source = "
        process Ann { a: skip; }
        process Bob { b: skip; }
        process Cat { c: skip; }
        property PROPERTY;";
    // False only of the run `a b c`; a step in between would hide it.
    let (holds, seen) =
        checked(&source.replace("PROPERTY", "apart: !(taken(Ann) && (taken(Ann) U taken(Bob)))"));
    assert!(!holds && !seen.is_reduced(), "{:?}", seen.notes);
    let (holds, seen) = checked(&source.replace("PROPERTY", "next: !(taken(Ann) && X taken(Bob))"));
    assert!(!holds && !seen.is_reduced(), "{:?}", seen.notes);
    let (holds, seen) = checked(&source.replace("PROPERTY", "after: !F (taken(Ann) && F taken(Bob))"));
    assert!(!holds && seen.is_reduced(), "{:?}", seen.notes);
}

/// Milner's scheduler.
const SCHEDULER: &str = "
    chan ini[0..N-1]: [0] of bool;
    process First { loop { a: skip; start: ini[1]!true; work: skip; wait: ini[0]?_; } }
    process Cycle[i: 1..N-1] { loop {
        wait: ini[i]?_;
        a: skip;
        either { work: skip; start: ini[(i + 1) % N]!true; } or { first: ini[(i + 1) % N]!true; then: skip; }
    } }
    property works: G F taken(First.work) under strong Cycle.wait & strong First.wait;";

#[test]
fn what_holds_without_fairness_holds_with_it() {
    let (holds, seen) = checked(&format!("const N = 4; {SCHEDULER}"));
    assert!(holds && seen.is_reduced(), "{:?}", seen.notes);
    assert!(seen.notes.contains(&Note::HoldsWithoutFairness), "{:?}", seen.notes);
}

#[test]
fn a_scheduler_of_two_hundred_is_answered() {
    let source = format!("const N = 200; {SCHEDULER}");
    let model = lang::load("scheduler", &source, &[]).model.expect("a model");
    let session = Session::unlimited();
    let answer = Explicit::default().check(&model.checks[0].task, &session);
    assert!(matches!(answer, Ok(Answer::Holds(_))), "{answer:?}");
}

#[test]
fn whether_fairness_is_realisable_is_still_said() {
    let (holds, seen) = checked(
        "shared x, y: bool;
        process Ann { a: skip; b: x = true; }
        process Bob { c: skip; d: skip; }
        property never: G !y under justice (!x);",
    );
    assert!(holds && !seen.is_reduced(), "{:?}", seen.notes);
    assert!(seen.notes.iter().any(|note| matches!(note, Note::Unrealisable(_))), "{:?}", seen.notes);
}

/// Mutual exclusion by a semaphore, with this property.
fn semaphore(property: &str) -> String {
    format!(
        "const N = 4;
        shared x: bool = true;
        process P[i: 1..N] {{ loop {{ idle: stay; try: request x; crit: skip; exit: release x; }} }}
        {property}"
    )
}

#[test]
fn exchangeable_processes_are_searched_once() {
    let (holds, seen) = checked(&semaphore("invariant mutex: count(i in 1..N: P[i]@crit) <= 1;"));
    assert!(holds && seen.count("permutations") == 24, "{:?}", seen.notes);
    let (holds, seen) = checked(&semaphore("invariant idle: forall i in 1..N: !P[i]@exit;"));
    assert!(!holds && seen.count("permutations") == 24, "{:?}", seen.notes);
    // The lasso of the quotient has one round; in the run each process is starved in turn, so it has several.
    let (holds, seen) = checked(&semaphore("property calm: F G !(exists i in 1..N: P[i]@crit);"));
    assert!(!holds && seen.count("permutations") == 24, "{:?}", seen.notes);
}

#[test]
fn a_property_or_fairness_of_one_process_is_not_reduced_by_symmetry() {
    let (_, seen) = checked(&semaphore("invariant first: !P[1]@crit;"));
    assert_eq!(seen.count("permutations"), 0, "{:?}", seen.notes);
    // Under fairness of each process some process is served, but the quotient does not show which one.
    let property = "property served: G F (exists i in 1..N: P[i]@crit) under weak P & strong P.try;";
    let (holds, seen) = checked(&semaphore(property));
    assert!(!holds && seen.count("permutations") == 0, "{:?}", seen.notes);
}

#[test]
fn processes_told_apart_by_order_or_in_a_ring_are_not_exchangeable() {
    for statement in
        ["await i < turn;", "turn = (i % N) + 1;", "when turn > 1 { turn = i; }", "await i != 2;"]
    {
        let source = format!(
            "const N = 3;
            shared turn: 1..N = any;
            process P[i: 1..N] {{ loop {{ a: {statement} b: turn = i; }} }}
            invariant some: exists i in 1..N: P[i]@a;"
        );
        let (_, seen) = checked(&source);
        assert_eq!(seen.count("permutations"), 0, "{statement} {:?}", seen.notes);
    }
}

#[test]
fn identities_in_variables_are_exchanged_along() {
    let (holds, seen) = checked(
        "const N = 3;
        shared turn: 0..N;
        shared wants: array[1..N] of bool;
        process P[i: 1..N] { loop {
            ask:  wants[i] = true;
            take: when turn == 0 { turn = i; }
            give: when turn == i { wants[turn] = false; turn = 0; }
        } }
        invariant owner: turn == 0 || wants[turn];",
    );
    // The invariant evaluates `wants[turn]` only where there is an owner.
    assert!(holds && seen.count("permutations") == 6, "{:?}", seen.notes);
}
