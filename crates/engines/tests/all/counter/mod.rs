//! The counter engine as a whole: its answers are true for each small number of processes.

mod counted;
mod drawn;
mod generate;
mod hostile;
mod limits;
mod permits;
mod random;
mod wide;

use certify::Standing;
use engines::{Counter, Engine, Explicit};
use model::{Answer, Counterexample, Note, Reason, Refusal, RefusalKind, Session, StopReason, Task, setting};

fn counter() -> Counter {
    Counter::new(Box::new(Explicit { notes: false, ..Explicit::default() }))
}

fn tasks(text: &str) -> Vec<Task> {
    let loaded = lang::load("test", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// The answer to the only property of a model, judged.
fn answer(text: &str) -> Answer {
    let task = &tasks(text)[0];
    let engine = counter();
    engine.accepts(task).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let answer = engine.check(task, &Session::unlimited()).expect("taken");
    let answer = certify::certify(task, answer).expect("good evidence");
    if matches!(answer.answer(), Answer::Fails(_)) {
        assert_eq!(answer.standing(), Standing::Checked);
    }
    answer.into_answer()
}

/// Why a model is refused, for its first property.
fn refusal(text: &str) -> Refusal {
    counter().accepts(&tasks(text)[0]).expect_err("outside the class")
}

/// The reason in a refusal because processes cannot be counted.
fn why(refusal: &Refusal) -> &str {
    match &refusal.kind {
        RefusalKind::Uncountable { why, instead } if !instead.is_empty() => why,
        other => panic!("{other:?}"),
    }
}

/// The explicit engine's answers on the members of a task with this value for all parameters.
fn concretely(task: &Task, value: i64) -> Vec<Answer> {
    with_values(task, &vec![value; task.system().parameters.len()])
}

/// The explicit engine's answers on the members of a task with these values for the parameters.
fn with_values(task: &Task, values: &[i64]) -> Vec<Answer> {
    let greatest = values.iter().max().copied().unwrap_or(0) + 1;
    let mut members: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in &task.property.binders {
        members = members
            .iter()
            .flat_map(|m| (0..=greatest).map(|k| [&m[..], &[k]].concat()).collect::<Vec<_>>())
            .collect();
    }
    let looks = std::sync::atomic::AtomicU32::new(0);
    let stop = || (looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 8).then_some(StopReason::Time);
    let check = |member: Vec<i64>| {
        // Not every number is a member.
        let task = setting::set(task, values, &member)?;
        let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
        let engine = Explicit { notes: false, ..Explicit::default() };
        engine.check(&task, &session).ok()
    };
    members.into_iter().filter_map(check).collect()
}

#[test]
fn what_is_kept_from_one_fairness_to_the_next_changes_no_answer() {
    use model::Fairness;
    use model::fairness::Word;
    let (mut seen, mut holding) = (0, 0);
    for name in ["mux_sem", "barrier", "terminate", "readers_writers"] {
        let path = format!("{}/../../examples/counter/{name}.fair", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example");
        let engine = counter();
        for task in tasks(&text) {
            let system = task.system();
            let fairness = [
                Fairness::none(),
                task.fairness.clone(),
                Fairness::every_action(system, Word::Weak),
                Fairness::every_process(system, Word::Weak),
                Fairness::every_action(system, Word::Strong),
                Fairness::none(),
            ];
            for fairness in fairness {
                let task = Task { fairness, ..task.clone() };
                if engine.accepts(&task).is_err() {
                    continue;
                }
                // The notes contain the counts, so they must be the same as well.
                let reported = |engine: &Counter| {
                    let session = Session::unlimited();
                    let answer = engine.check(&task, &session).expect("taken");
                    let notes = session.notes.into_inner().expect("nothing panicked");
                    (format!("{answer:?}"), notes, matches!(answer, Answer::Holds(_)))
                };
                let (kept, fresh) = (reported(&engine), reported(&counter()));
                assert_eq!(kept, fresh, "{name}: {}", task.property.name);
                seen += 1;
                holding += usize::from(kept.2);
            }
        }
    }
    assert!(holding > 20 && holding + 10 < seen, "{holding} of {seen} hold");
}

#[test]
fn more_abstract_steps_than_allowed_are_no_answer() {
    let text = "param N >= 2; shared x: bool; process P[i: 1..N] { on: x = true; halt; }
        property p: F x under weak P;";
    let task = &tasks(text)[0];
    assert!(matches!(counter().check(task, &Session::unlimited()), Ok(Answer::Holds(_))));
    let reported = |engine: &Counter, task: &Task| {
        let answer = engine.check(task, &Session::unlimited()).expect("taken");
        let Answer::Unknown(Reason::TooLarge { what }) = answer else { panic!("{answer:?}") };
        let (what, holding) = what.split_once("; ").expect("small instances are searched");
        assert_eq!(holding, "it holds for N = 2..7");
        what.to_owned()
    };
    let few = Counter { step_limit: 1, ..counter() };
    for _ in 0..2 {
        assert_eq!(reported(&few, task), "there are too many abstract steps to count");
    }
    // Each requirement costs as many steps as there are.
    let words = [model::fairness::Word::Weak, model::fairness::Word::Strong];
    let every = words.iter().flat_map(|word| {
        let system = task.system();
        [model::Fairness::every_action(system, *word), model::Fairness::every_process(system, *word)]
    });
    let requirements = every.flat_map(|fairness| fairness.alternatives[0].requirements.clone()).collect();
    let many = Task { fairness: model::Fairness::all_of(requirements), ..task.clone() };
    let session = Session::unlimited();
    counter().check(task, &session).expect("taken");
    let statistics = session.statistics.into_inner().expect("nothing panicked");
    let steps = statistics.iter().find(|(name, _)| *name == "transitions").expect("it is counted").1;
    let tight = Counter { step_limit: usize::try_from(steps).expect("few"), ..counter() };
    assert_eq!(reported(&tight, &many), "there are too many requirements to count");
    let one = tight.check(task, &Session::unlimited()).expect("taken");
    assert!(matches!(one, Answer::Holds(_)), "one is not too many");
}

#[test]
fn that_somebody_is_always_enabled_is_not_that_anybody_is() {
    // For every `y` some process is enabled, but none stays enabled.
    let text = "param N >= 2; shared y: bool;
        process T { loop { flip: y = !y; } }
        process P[i: 1..N] { local b: bool in {false, true}; local out: bool;
            action leave when !out && b == y { out = true; } }
        property somebody: F exists i in 1..N: P[i].out under weak P & weak T;";
    let answer = answer(text);
    assert!(matches!(answer, Answer::Fails(Counterexample::Instance { .. })), "{answer:?}");
}

#[test]
fn whoever_retries_does_so_only_finitely_often_for_good() {
    let text = "param N >= 1;
        process P[i: 1..N] {
            zero: skip;
            one: either { back: skip; goto zero; } or { done: skip; }
            halt;
        }
        property p: F G !taken(P.done) under none;";
    // One letter alone does not show it: processes that leave `one` for good never enter the two letters together
    // again.
    assert!(matches!(answer(text), Answer::Holds(_)));
}

#[test]
fn weak_fairness_is_not_enough_for_a_semaphore_and_two_processes_show_it() {
    let text = "param N >= 1; shared x: bool = true;
        process P[i: 1..N] { loop { idle: stay; try: request x; crit: release x; } }
        property access[i: 1..N]: G (P[i]@try -> F P[i]@crit) under weak P;";
    match answer(text) {
        Answer::Fails(Counterexample::Instance { values, member, .. }) => {
            assert_eq!((values, member), (vec![2], vec![1]));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_named_processes_may_be_the_same() {
    let text = |claim: &str| {
        format!(
            "param N >= 1; process P[i: 1..N] {{ a: skip; b: skip; halt; }}
            property p[i: 1..N]: forall j in 1..N: G ({claim}) under weak P;"
        )
    };
    assert!(matches!(answer(&text("P[i]@a && P[j]@b -> i != j")), Answer::Holds(_)));
    // With one process the two are the same; with two they may differ.
    assert!(
        matches!(answer(&text("i == j")), Answer::Fails(Counterexample::Instance { values, .. }) if values == [2])
    );
    assert!(
        matches!(answer(&text("i != j")), Answer::Fails(Counterexample::Instance { values, .. }) if values == [1])
    );
}

#[test]
fn families_of_the_same_size_and_of_different_sizes() {
    let two = |second: &str| {
        format!(
            "param N >= 2; param M >= 2;
            process P[i: 1..N] {{ a: skip; halt; }}
            process Q[i: 1..{second}] {{ b: skip; halt; }}
            property p: F ((forall i in 1..N: P[i]@end) && forall i in 1..{second}: Q[i]@end) under weak processes;"
        )
    };
    assert!(matches!(answer(&two("N")), Answer::Holds(_)));
    assert!(matches!(answer(&two("M")), Answer::Holds(_)));
    assert!(matches!(answer(&two("N + 1")), Answer::Holds(_)));
}

#[test]
fn a_coordinator_picks_a_process_with_a_parameter() {
    let text = "param N >= 1; shared given: array[1..N] of bool;
        process C { action give(j: 1..N) when !given[j] { given[j] = true; } }
        process P[i: 1..N] { wait: await given[i]; halt; }
        property all_of_them: F forall j in 1..N: given[j] under weak C;";
    assert!(matches!(answer(text), Answer::Holds(_)));
}

#[test]
fn a_fault_that_an_instance_reaches_is_found() {
    let text = "param N >= 1; shared x: 0..2;
        process P[i: 1..N] { up: x = x + 1; halt; }
        property p: G x >= 0;";
    match answer(text) {
        Answer::Fails(Counterexample::Instance { values, evidence, .. }) => {
            assert_eq!(values, [3]);
            assert!(matches!(*evidence, Counterexample::Fault { .. }));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_semaphore_with_several_permits_is_understood() {
    let text = |claim: &str| {
        format!(
            "param N >= 1; shared free: 0..3 = 3;
            process P[i: 1..N] {{ loop {{ rest: stay; get: when free > 0 {{ free = free - 1; }} in_it: skip;
                out: free = free + 1; }} }}
            {claim};"
        )
    };
    let holding = [
        "invariant p: count(i in 1..N: P[i]@in_it) <= 3",
        "invariant p: count(i in 1..N: P[i]@in_it || P[i]@out) <= 3",
        "invariant p: free == 2 -> exists i in 1..N: P[i]@in_it || P[i]@out",
        "property p: G ((exists i in 1..N: P[i]@get) -> F exists i in 1..N: P[i]@in_it) under weak P",
        "property p[i: 1..N]: G (P[i]@get -> F P[i]@in_it) under weak P & strong P.get",
    ];
    for claim in holding {
        let answer = answer(&text(claim));
        assert!(matches!(answer, Answer::Holds(_)), "{claim}: {answer:?}");
    }
    for (claim, size) in [
        ("invariant p: count(i in 1..N: P[i]@in_it) <= 2", 3),
        ("property p[i: 1..N]: G (P[i]@get -> F P[i]@in_it) under weak P", 4),
    ] {
        match answer(&text(claim)) {
            Answer::Fails(Counterexample::Instance { values, .. }) => assert_eq!(values, [size], "{claim}"),
            other => panic!("{claim}: {other:?}"),
        }
    }
}

#[test]
fn a_number_up_to_n_counts_processes() {
    let text = |claim: &str| {
        format!(
            "param N >= 2; shared arrived: 0..N; shared open: bool;
            process P[i: 1..N] {{
                come: atomic {{ arrived = arrived + 1; if arrived == N {{ open = true; }} }}
                wait: await open;
                go: skip;
                halt;
            }}
            {claim};"
        )
    };
    let holding = [
        "invariant p: (exists i in 1..N: P[i]@go) -> forall j in 1..N: !P[j]@come",
        "invariant p: open -> arrived == N",
        "invariant p: count(i in 1..N: P[i]@come) == N -> arrived == 0",
        "property p[i: 1..N]: F P[i]@end under weak P",
        "property p: F G (arrived == N && forall j in 1..N: P[j]@end) under weak P",
    ];
    for claim in holding {
        let answer = answer(&text(claim));
        assert!(matches!(answer, Answer::Holds(_)), "{claim}: {answer:?}");
    }
    for (claim, size) in [
        ("invariant p: arrived <= 3", 4),
        ("invariant p: arrived == N -> open && exists i in 1..N: P[i]@go", 2),
    ] {
        match answer(&text(claim)) {
            Answer::Fails(Counterexample::Instance { values, .. }) => assert_eq!(values, [size], "{claim}"),
            other => panic!("{claim}: {other:?}"),
        }
    }
}

#[test]
fn a_number_that_is_no_count_of_processes_is_not_taken_for_one() {
    // How often somebody went round is not where anybody is.
    let text = "param N >= 2; shared v: 0..N;
        process P[i: 1..N] { loop { a: when v < N { v = v + 1; } b: skip; } }
        process Q { loop { down: when v > 0 { v = v - 1; } } }
        invariant p: v <= N;";
    match answer(text) {
        Answer::Unknown(Reason::Other(reason)) => {
            assert!(reason.contains("`v` is not shown to be the number of processes"), "{reason}");
            assert!(reason.contains("it holds for N = 2.."), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    // Who goes round twice is counted twice, which leads to a fault.
    let text = "param N >= 2; shared v: 0..N;
        process P[i: 1..N] { loop { a: v = v + 1; b: skip; } }
        invariant p: v >= 0;";
    assert!(matches!(answer(text), Answer::Fails(Counterexample::Instance { .. })));
}

#[test]
fn sums_over_a_family_and_counts_together_are_compared_with_numbers() {
    let text = |claim: &str| {
        format!(
            "param N >= 2; shared free: 0..2 = 2;
            process P[i: 1..N] {{ local weight: 0..2;
                action take when weight == 0 && free > 0 {{ free = free - 1; weight = weight + 1; }}
                action more when weight == 1 && free > 0 {{ free = free - 1; weight = 2; }}
                action drop when weight > 0 {{ free = free + weight; weight = 0; }}
            }}
            {claim};"
        )
    };
    let holding = [
        "invariant p: free + sum(j in 1..N: P[j].weight) == 2",
        "invariant p: sum(j in 1..N: P[j].weight) <= 2",
        "invariant p: count(j in 1..N: P[j].weight == 1) + count(j in 1..N: P[j].weight == 2) <= 2",
        "invariant p: count(j in 1..N: P[j].weight == 2) == 1 -> count(j in 1..N: P[j].weight == 0) == N - 1",
    ];
    for claim in holding {
        let answer = answer(&text(claim));
        assert!(matches!(answer, Answer::Holds(_)), "{claim}: {answer:?}");
    }
    let claim = "invariant p: sum(j in 1..N: P[j].weight) <= 1";
    assert!(matches!(answer(&text(claim)), Answer::Fails(_)));
}

#[test]
fn strong_global_fairness_is_used_as_far_as_it_is_strong() {
    let text = "param N >= 2; shared x: bool = true;
        process P[i: 1..N] { loop { idle: stay; try: request x; crit: release x; } }
        property access[i: 1..N]: G (P[i]@try -> F P[i]@crit) under global;";
    assert!(matches!(answer(text), Answer::Holds(_)));
}

#[test]
fn numbers_of_processes_are_compared_with_each_other_where_counts_tell() {
    let rooms = |guard: &str, claim: &str| {
        format!(
            "param N >= 2; shared inside: 0..N = 0;
            process P[i: 1..N] {{
                loop {{
                    come: when {guard} {{ inside += 1; }}
                    look: skip;
                    go: inside -= 1;
                }}
            }}
            invariant p: {claim};"
        )
    };
    let weights = |claim: &str| {
        format!(
            "param N >= 2;
            process P[i: 1..N] {{ local w: 0..2; loop {{ a: choose x in 0..2 {{ w = x; }} }} }}
            invariant p: {claim};"
        )
    };
    let here = "count(j in 1..N: P[j]@look) + count(j in 1..N: P[j]@go)";
    for text in [
        rooms("true", "inside == count(j in 1..N: P[j]@look || P[j]@go)"),
        rooms("true", &format!("{here} - inside == 0")),
        rooms("true", &format!("{here} <= N")),
        rooms("true", "N - inside == count(j in 1..N: P[j]@come)"),
        rooms("true", "count(j in 1..N: P[j]@look) <= count(j in 1..N: !P[j]@go)"),
        weights("sum(j in 1..N: P[j].w) <= 2 * N"),
        weights("sum(j in 1..N: P[j].w) <= 2 * count(j in 1..N: P[j].w > 0)"),
    ] {
        let task = &tasks(&text)[0];
        let answer = counter().check(task, &Session::unlimited()).expect("taken");
        let certified = certify::certify(task, answer).expect("good evidence");
        assert!(matches!(certified.answer(), Answer::Holds(_)), "{text}: {:?}", certified.answer());
        assert_eq!(certified.standing(), Standing::Checked, "{text}");
    }
    for text in [
        rooms("true", "inside == count(j in 1..N: P[j]@look)"),
        rooms("true", "count(j in 1..N: P[j]@look) <= count(j in 1..N: P[j]@go)"),
        rooms("true", "2 * inside <= N"),
        weights("sum(j in 1..N: P[j].w) < 2 * N"),
    ] {
        assert!(matches!(answer(&text), Answer::Fails(_)), "{text}");
    }
    // A guard that is always true.
    assert!(matches!(answer(&rooms(&format!("inside == {here}"), "inside <= N")), Answer::Holds(_)));
    // Both sides may grow.
    for text in [
        rooms("true", "2 * inside <= N + count(j in 1..N: P[j]@look || P[j]@go)"),
        rooms("2 * inside < N", "true"),
    ] {
        let answer = answer(&text);
        let Answer::Unknown(Reason::Other(reason)) = answer else { panic!("{text}: {answer:?}") };
        assert!(reason.contains("has no bound"), "{reason}");
    }
}

#[test]
fn what_is_outside_the_class_is_refused_by_name() {
    let system = |body: &str, property: &str| format!("param N >= 2; {body} property p: {property};");
    let cases = [
        (system("shared turn: 1..N; process P[i: 1..N] { a: await turn == i; }", "F true"), "`turn`"),
        (system("shared n: int; process P[i: 1..N] { a: n = n + 1; }", "F true"), "`n`"),
        (system("shared n: 0..N; process P[i: 1..N] { a: n = 2 * n; }", "F true"), "`n`"),
        (system("shared n: 0..N; process P[i: 1..N] { a: await n == i; }", "F true"), "index"),
        (system("shared n: 0..N; shared k: 0..9; process P[i: 1..N] { a: k = n; }", "F true"), "`n`"),
        (
            system(
                "shared c: 0..1; process P[i: 1..N] { a: c = if 2 * count(j in 1..N: P[j]@a) > N { 1 } else { 0 }; }",
                "F true",
            ),
            "with a multiple",
        ),
        (system("process P[i: 1..N] { a: await i == N || P[i + 1]@a; }", "F true"), "`P.a`"),
        (
            system("process P[i: 1..N] { local y: 0..9 = if i == 1 { 1 } else { 0 }; a: skip; }", "F true"),
            "`P.y`",
        ),
        (system("process P[i: 1..N] { a: skip; }", "F P[1]@end"), "property `p`"),
        (system("process P[i: 1..N] { a: skip; }", "F true under justice (P[3]@a)"), "P[3]@a"),
        (
            system(
                "process P[i: 1..N] { local k: 0..1; a: await exists j in 1..N: 1 / P[j].k == 1; }",
                "F true",
            ),
            "fault",
        ),
        (system("shared x: 0..9 = N; process P[i: 1..N] { a: skip; }", "F true"), "`x`"),
        (system("process P[i: 1..N] { a: skip; }", "F exists i in 1..N: G P[i]@a"), "property `p`"),
        (system("process P[i: 1..N] { a: skip; }", "AF true"), "CTL"),
        (system("process P[i: 1..2 * N] { a: skip; }", "F true"), "`P`"),
        (system("process P[i: 1..N] { local t: int; a: t = t + 1; b: await t < 5; }", "F true"), "`P.a`"),
        (
            system(
                "process P[i: 1..N] { local k: 0..1; a: await forall j in 1..i - 1: P[j].k <= k; }",
                "F true",
            ),
            "`P.a`",
        ),
        (
            system(
                "shared f: array[1..N] of bool; process C { a: choose j in 1..N { f[j] = true; } }
                process P[i: 1..N] { b: skip; }",
                "F true",
            ),
            "`C.a`",
        ),
    ];
    for (text, named) in cases {
        let refusal = refusal(&text);
        let reason = why(&refusal);
        assert!(reason.contains(named), "`{named}` is not in: {reason}");
    }
    assert_eq!(refusal("process P { a: skip; } property p: F true;").kind, RefusalKind::NotOpen);
}

#[test]
fn fairness_outside_the_class_is_left_out_and_named() {
    let text = "param N >= 2; process P[i: 1..N] { loop { a: skip; } } property p: F true under global;";
    let task = &tasks(text)[0];
    let session = Session::unlimited();
    assert!(matches!(counter().check(task, &session), Ok(Answer::Holds(_))));
    let notes = session.notes.into_inner().expect("notes");
    let unused = |note: &Note| matches!(note, Note::FairnessNotUsed { requirement: None, .. });
    assert!(notes.iter().any(unused), "{notes:?}");
}

#[test]
fn the_judge_looks_at_the_instance_that_the_evidence_speaks_of() {
    let text = "param N >= 1; shared x: bool = true;
        process P[i: 1..N] { loop { idle: stay; try: request x; crit: release x; } }
        property access[i: 1..N]: G (P[i]@try -> F P[i]@crit) under weak P;";
    let task = &tasks(text)[0];
    let Ok(Answer::Fails(found)) = counter().check(task, &Session::unlimited()) else { panic!("it fails") };
    let Counterexample::Instance { values, member, evidence } = &found else { panic!("{found:?}") };
    let judged = |found: Counterexample| certify::certify(task, Answer::Fails(found));
    assert!(judged(found.clone()).is_ok());
    let forged = |values: Vec<i64>, member: Vec<i64>, evidence: Counterexample| {
        judged(Counterexample::Instance { values, member, evidence: Box::new(evidence) }).is_err()
    };
    assert!(forged(vec![3], member.clone(), (**evidence).clone()), "a run of two processes is none of three");
    assert!(forged(vec![0], member.clone(), (**evidence).clone()), "below the bound");
    assert!(forged(vec![], member.clone(), (**evidence).clone()), "without a value");
    assert!(forged(values.clone(), vec![2], (**evidence).clone()), "the other process gets in");
    assert!(forged(values.clone(), vec![3], (**evidence).clone()), "no member");
    assert!(forged(values.clone(), vec![], (**evidence).clone()), "no member at all");
    assert!(forged(values.clone(), member.clone(), found.clone()), "wrapped twice");
    assert!(judged((**evidence).clone()).is_err(), "not wrapped");
    let instance = setting::set(task, values, member).expect("an instance");
    assert!(certify::certify(&instance, Answer::Fails((**evidence).clone())).is_ok());
    assert!(
        certify::certify(&instance, Answer::Fails(found.clone())).is_err(),
        "of an instance there is no instance"
    );
}

#[test]
fn giving_a_parameter_its_value_is_what_the_command_line_does() {
    for entry in
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/counter")).expect("examples")
    {
        let path = entry.expect("an example").path();
        let text = std::fs::read_to_string(&path).expect("an example");
        let open = lang::load("test", &text, &[]).model.expect("no errors");
        let parameters = &open.system().parameters;
        let settings: Vec<_> = parameters.iter().map(|p| (p.name.clone(), "3".to_owned())).collect();
        let values = vec![3; parameters.len()];
        let closed = lang::load("test", &text, &settings).model.expect("no errors");
        let set = setting::system(open.system(), &values).expect("values above the bounds");
        let ours = model::Instance::new(set.into()).expect("an instance");
        let theirs = closed.subject.instance().expect("no open parameters");
        assert_eq!((&ours.cells, &ours.starts), (&theirs.cells, &theirs.starts), "{}", path.display());
        assert_eq!(ours.actions, theirs.actions, "{}", path.display());
    }
}
