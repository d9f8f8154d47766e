//! The engine as a whole, against the oracle.

use certify::oracle::{self, Why};
use certify::{Standing, certify};
use model::{Answer, Counterexample, Run, Task, show};

use super::{Explicit, random};
use crate::Engine;
use crate::graph::tests::Random;

fn check(task: &Task) -> (Answer, Vec<String>) {
    let run = Run::unlimited();
    let engine = Explicit::default();
    engine.accepts(task).expect("the task is of a form that is accepted");
    let answer = engine.check(task, &run);
    (answer, run.notes.into_inner().expect("nothing panicked"))
}

fn describe(task: &Task) -> String {
    let system = &task.system;
    let claim = show::kind(system, &task.property.kind);
    format!("{claim}\nunder {}\n{system:#?}", show::fairness(system, &task.fairness))
}

#[test]
fn threads_and_early_looks_do_not_change_the_answer() {
    let mut random = Random(2);
    let mut fails = 0;
    for round in 0..1_500 {
        let task = random::task(&mut random);
        let (answer, notes) = check(&task);
        let context = || format!("round {round}: {answer:?}\n{}", describe(&task));
        // Every level is shared, so that threads meet.
        let engine = Explicit { shared_level: 0, ..Explicit::default() };
        let run = Run::new(&|| None, &|_| {}, u64::MAX, 3);
        assert_eq!(engine.check(&task, &run), answer, "{}", context());
        assert_eq!(run.notes.into_inner().expect("nothing panicked"), notes, "{}", context());
        // A look after every level.
        let engine = Explicit { first_look: 1, ..Explicit::default() };
        let early = engine.check(&task, &Run::unlimited());
        assert_eq!(matches!(early, Answer::Fails(_)), matches!(answer, Answer::Fails(_)), "{}", context());
        if let Answer::Fails(_) = early {
            fails += 1;
            let standing = certify(&task, early).map(|certified| certified.standing());
            assert_eq!(standing, Ok(Standing::Checked), "{}", context());
        }
    }
    assert!(fails > 300, "{fails} fail");
}

#[test]
fn reductions_do_not_change_the_answer() {
    let mut random = Random(3);
    let (mut holds, mut fails) = (0, 0);
    for round in 0..3_000 {
        let task = random::task(&mut random);
        let (answer, notes) = check(&task);
        let context = || format!("round {round}: {answer:?}\n{}", describe(&task));
        let engine = Explicit { reduce_beyond: 0, ..Explicit::default() };
        let run = Run::unlimited();
        let reduced = engine.check(&task, &run);
        let mut told = run.notes.into_inner().expect("nothing panicked");
        let before = told.len();
        told.retain(|note| !note.starts_with("reduced") && !note.contains("without any fairness"));
        if told.len() == before {
            continue;
        }
        let certified = certify(&task, reduced.clone());
        match (&answer, &reduced) {
            (Answer::Holds(_), Answer::Holds(_)) => {
                holds += 1;
                assert_eq!(told, notes, "{}", context());
            }
            (Answer::Fails(_), Answer::Fails(_)) => {
                fails += 1;
                assert_eq!(certified.map(|c| c.standing()), Ok(Standing::Checked), "{}", context());
            }
            _ => panic!("{reduced:?}, {}", context()),
        }
    }
    assert!(holds > 20 && fails > 20, "{holds} hold, {fails} fail");
}

#[test]
fn agrees_with_the_oracle_on_random_tasks() {
    let mut random = Random(1);
    let (mut holds, mut lassos, mut paths, mut faults, mut unrealisable) = (0, 0, 0, 0, 0);
    for round in 0..4_000 {
        let task = random::task(&mut random);
        let Ok(decision) = oracle::decide(&task, 20_000) else { continue };
        let (answer, notes) = check(&task);
        let context = || format!("round {round}: {answer:?}\n{}", describe(&task));
        match (&answer, decision.why) {
            (Answer::Holds(_), Why::Holds) => {
                holds += 1;
                let noted = notes.iter().any(|note| note.contains("not realisable"));
                assert_eq!(noted, decision.realisable == Some(false), "{}", context());
                unrealisable += usize::from(noted);
            }
            (Answer::Fails(Counterexample::Lasso(_)), Why::Fails) => lassos += 1,
            (Answer::Fails(Counterexample::Path(_)), Why::Fails | Why::Fault) => paths += 1,
            (Answer::Fails(Counterexample::Fault { .. }), Why::Fault) => faults += 1,
            (_, why) => panic!("the oracle says {why:?}, {}", context()),
        }
        if let Answer::Fails(_) = answer {
            let certified = certify(&task, answer.clone());
            let standing = certified.map(|certified| certified.standing());
            assert_eq!(standing, Ok(Standing::Checked), "{}", context());
        }
        assert_eq!(check(&task).0, answer, "the same task has the same answer");
    }
    let counts = [holds, lassos, paths, faults, unrealisable];
    assert!(counts.iter().zip([800, 800, 50, 100, 50]).all(|(count, least)| *count > least), "{counts:?}");
}
