//! Tests: what the session says is what the driver says, once for each meaning, and it can be ended.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::*;
use crate::Verdict;

const LOCK: &str = "
shared free: bool = true;
process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
invariant mutex: !(P[1]@leave && P[2]@leave);
property enters: G (P[1]@enter -> F P[1]@leave) under weak P;
property strongly: G (P[1]@enter -> F P[1]@leave) under strong P.enter & weak P;
";

fn open(text: &str) -> Document {
    Document::open("test", text, &[], &|file| Err(format!("{file} is not here")))
}

/// The verdicts, and how often work looked at the clock.
fn checked(session: &mut Session, text: &str) -> (Vec<Verdict>, usize) {
    let looks = AtomicUsize::new(0);
    let cancel = Cancel::default();
    let clock = || {
        looks.fetch_add(1, Ordering::Relaxed);
        Duration::ZERO
    };
    let watch = Watch { clock: &clock, ..Watch::new(&cancel) };
    let mut told = Vec::new();
    let report = session
        .check(&open(text), &Asked::default(), &watch, &mut |outcome| told.push(outcome.property.to_string()))
        .expect("a report");
    let names: Vec<String> = report.outcomes.iter().map(|outcome| outcome.property.to_string()).collect();
    told.sort();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(told, sorted, "each outcome is told once");
    let verdicts = report.outcomes.iter().map(|outcome| outcome.verdict).collect();
    (verdicts, looks.into_inner())
}

fn work(session: &mut Session, text: &str) -> usize {
    checked(session, text).1
}

#[test]
fn what_means_the_same_is_not_decided_again() {
    use Verdict::{Fails, Holds};
    let mut session = Session::default();
    assert_eq!(checked(&mut session, LOCK).0, [Holds, Fails, Holds]);
    let comment = format!("// A lock.\n{LOCK}");
    let expectation = LOCK.replace("under weak P;", "under weak P expect fails;");
    for text in [LOCK, &comment, &expectation] {
        assert_eq!(checked(&mut session, text).0, [Holds, Fails, Holds]);
        assert_eq!(work(&mut session, text), 0, "{text}");
    }
    let other = LOCK.replace("strong P.enter & weak P", "weak P.enter");
    assert_eq!(checked(&mut session, &other).0, [Holds, Fails, Fails]);
    let fresh = work(&mut Session::default(), &other);
    session = Session::default();
    work(&mut session, LOCK);
    assert!(work(&mut session, &other) < fresh, "only one property has changed");
    let system = LOCK.replace("free: bool = true", "free: bool = false");
    assert_eq!(checked(&mut session, &system).0, [Holds, Fails, Fails]);
}

#[test]
fn an_expectation_is_that_of_the_text_at_hand() {
    let mut session = Session::default();
    let expected = |session: &mut Session, text: &str| {
        let cancel = Cancel::default();
        let report = session.check(&open(text), &Asked::default(), &Watch::new(&cancel), &mut |_| {});
        report.expect("a report").outcomes[1].as_expected()
    };
    assert_eq!(expected(&mut session, LOCK), Some(false));
    let text = LOCK.replace("under weak P;", "under weak P expect fails;");
    assert_eq!(expected(&mut session, &text), Some(true));
    assert_eq!(expected(&mut session, LOCK), Some(false));
}

#[test]
fn advice_and_explanations_are_kept_too() {
    let document = open(LOCK);
    let cancel = Cancel::default();
    let watch = Watch::new(&cancel);
    let mut session = Session::default();
    let names = ["enters".to_owned()];
    let advice = session.advise(&document, &names, &watch, &mut |_| {}).expect("advice");
    assert_eq!(advice[0].minimal, [["strong P[1]"], ["strong P[1].enter"]]);
    let asked = Asked { properties: names.to_vec(), ..Asked::default() };
    let report = session.explain(&document, &asked, &watch, &mut |_| {}).expect("a report");
    assert!(matches!(report.outcomes[0].explanation, Some(Explanation::Fails(_))));
    // Cancelled work would find nothing; what is known needs none.
    cancel.cancel();
    assert_eq!(session.advise(&document, &names, &watch, &mut |_| {}), Ok(advice));
    assert_eq!(session.explain(&document, &asked, &watch, &mut |_| {}), Ok(report));
    let strongly = Asked { properties: vec!["strongly".to_owned()], ..Asked::default() };
    let report = session.check(&document, &strongly, &watch, &mut |_| {}).expect("a report");
    assert_eq!(report.outcomes[0].verdict, Verdict::Unknown);
    let again = session.check(&document, &strongly, &Watch::new(&Cancel::default()), &mut |_| {});
    assert_eq!(again.expect("a report").outcomes[0].verdict, Verdict::Holds);
}

#[test]
fn another_fairness_has_another_answer() {
    let mut session = Session::default();
    let cancel = Cancel::default();
    let mut verdict = |fairness| {
        let asked = Asked { properties: vec!["enters".to_owned()], fairness, ..Asked::default() };
        let report = session.check(&open(LOCK), &asked, &Watch::new(&cancel), &mut |_| {});
        report.expect("a report").outcomes[0].verdict
    };
    for _ in 0..2 {
        assert_eq!(verdict(FairnessOption::Strong), Verdict::Holds);
        assert_eq!(verdict(FairnessOption::Weak), Verdict::Fails);
        assert_eq!(verdict(FairnessOption::Declared), Verdict::Fails);
    }
}

#[test]
fn a_text_with_errors_has_diagnostics_and_an_outline_but_no_answers() {
    let document = open("shared x: 0..2;\nprocess P { up: y = 1; }\nproperty p: F x == 1;");
    let spans: Vec<&str> = document
        .diagnostics
        .iter()
        .filter_map(|it| it.span)
        .map(|it| &document.text[it.start..it.end])
        .collect();
    assert_eq!(spans, ["y"]);
    let names: Vec<(&str, &str)> =
        document.outline.iter().map(|symbol| (symbol.kind.name(), symbol.name.as_str())).collect();
    assert_eq!(names, [("variable", "x"), ("process", "P"), ("property", "p")]);
    assert_eq!(document.outline[1].children[0].name, "up");
    let cancel = Cancel::default();
    let answer = Session::default().check(&document, &Asked::default(), &Watch::new(&cancel), &mut |_| {});
    assert_eq!(answer, Err(Obstacle::NoModel));
    assert!(graph(&document, None, &[], 10, &Watch::new(&cancel)).is_err());
    assert!(simulate(&document, &Walk::default()).is_err());
}

#[test]
fn names_that_mean_nothing_are_told() {
    let cancel = Cancel::default();
    let asked = Asked { properties: vec!["entres".to_owned()], ..Asked::default() };
    let answer = Session::default().check(&open(LOCK), &asked, &Watch::new(&cancel), &mut |_| {});
    let message = answer.expect_err("no such property").to_string();
    assert_eq!(message, "there is no property `entres`; did you mean `enters`?");
    let watch = Watch::new(&cancel);
    let message = graph(&open(LOCK), None, &["fre".to_owned()], 10, &watch).expect_err("no such variable");
    assert_eq!(message, "there is no variable or location `fre`; did you mean `free`?");
    let message = graph(&open(LOCK), None, &[], 7, &watch).expect_err("too large");
    assert_eq!(message, "there are more than 7 states");
    assert_eq!(graph(&open(LOCK), Some("enters"), &[], 8, &watch).expect("a graph").states.len(), 8);
}

#[test]
fn advice_is_written_into_the_text_and_then_the_property_holds() {
    let texts = [
        LOCK.to_owned(),
        LOCK.replace(" under weak P;", ";"),
        LOCK.replace(" under weak P;", " expect holds;"),
        LOCK.replace(" under weak P;", " under weak P & weak all | global expect holds;"),
    ];
    let cancel = Cancel::default();
    for text in texts {
        let document = open(&text);
        let set = ["strong P[1].enter".to_owned(), "for i in 1..2: weak P[i]".to_owned()];
        for requirements in [&set[..1], &set[..]] {
            let Edit { span, text: new } =
                assume(&document, &"enters".into(), requirements).expect("an edit");
            let mut edited = text.clone();
            edited.replace_range(span.start..span.end, &new);
            let asked = Asked { properties: vec!["enters".to_owned()], ..Asked::default() };
            let report = Session::default().check(&open(&edited), &asked, &Watch::new(&cancel), &mut |_| {});
            assert_eq!(report.expect("a report").outcomes[0].verdict, Verdict::Holds, "{edited}");
        }
        assert_eq!(assume(&document, &"mutex".into(), &set), None);
        assert_eq!(assume(&document, &"nothing".into(), &set), None);
    }
}

#[test]
fn a_walk_is_repeated_by_its_choices() {
    let document = open(LOCK);
    let random = Walk { random: 12, seed: 7, ..Walk::default() };
    let walked = simulate(&document, &random).expect("a walk");
    assert_eq!((walked.trace.steps.len(), walked.choices.len()), (12, 12));
    let again = Walk { choices: walked.choices.clone(), seed: 7, ..Walk::default() };
    assert_eq!(simulate(&document, &again), Ok(walked.clone()));
    let shorter = Walk { choices: walked.choices[..5].to_vec(), seed: 7, ..Walk::default() };
    assert_eq!(simulate(&document, &shorter).expect("a walk").trace.steps, walked.trace.steps[..5]);
    let wrong = Walk { choices: vec![99], ..Walk::default() };
    assert!(
        simulate(&document, &wrong)
            .expect_err("no such step")
            .starts_with("choice 1 is number 99, but there are ")
    );
}

#[test]
fn a_walk_goes_on_from_any_step_of_a_counterexample_and_the_judge_knows_it() {
    let document = open(LOCK);
    let cancel = Cancel::default();
    let watch = Watch::new(&cancel);
    let report =
        Session::default().check(&document, &Asked::default(), &watch, &mut |_| {}).expect("a report");
    let trace = report.outcomes[1].counterexample.as_ref().and_then(|found| found.trace.as_ref());
    let trace = trace.expect("a run");
    let saved = Saved::of(trace);
    assert!(matches!(replay(&document, &saved, "enters", &watch), Ok(Judged::Genuine(_))));
    assert!(matches!(replay(&document, &saved, "strongly", &watch), Ok(Judged::Refused(_))));
    for steps in 0..=trace.steps.len() {
        let beginning = Beginning::Along(saved.clone(), steps);
        let walked = simulate(&document, &Walk { beginning, ..Walk::default() }).expect("a walk");
        assert_eq!(walked.trace.initial, trace.initial);
        assert_eq!(walked.trace.steps, trace.steps[..steps]);
        assert!(matches!(walked.next, Continuation::Steps(offers) if !offers.is_empty()));
    }
    let mut forged = saved;
    forged.actions[0] = "P[2].leave".to_owned();
    let walk = Walk { beginning: Beginning::Along(forged, 1), ..Walk::default() };
    assert!(simulate(&document, &walk).expect_err("no run").starts_with("it is no run of this model"));
}

#[test]
fn long_work_ends_soon_after_it_is_cancelled() {
    let large = "shared a: array[1..7] of 0..9; process P[i: 1..7] { loop { up: a[i] = (a[i] + 1) % 10; } }
        property never: G F sum(i in 1..7: a[i]) == 63 under strong P;";
    let document = open(large);
    let worker = Worker::start(Session::default()).expect("a thread");
    let (tell, told) = std::sync::mpsc::channel();
    let (began, begun) = std::sync::mpsc::channel();
    let cancel = worker.give("check", move |session, cancel| {
        let progress = |_: &Name, _: &Progress| {
            let _ = began.send(());
        };
        let watch = Watch { progress: &progress, ..Watch::new(cancel) };
        let report = session.check(&document, &Asked::default(), &watch, &mut |_| {});
        tell.send(report).expect("someone listens");
    });
    begun.recv().expect("progress is told");
    let asked = Instant::now();
    cancel.cancel();
    let report = told.recv().expect("an end").expect("a report");
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_eq!(report.outcomes[0].verdict, Verdict::Unknown);
}
