//! The abstract system as a model: the explicit engine decides it as the search of the counter engine does, and the judge
//! checks the answer.
//!
//! `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many random models there are and which.

#[path = "../../../engines/tests/all/counter/generate.rs"]
mod generate;

use std::path::Path;

use certify::Standing;
use driver::World;
use engines::{Counter, Engine, Explicit};
use model::{Answer, Note, Reason, Session};

use generate::Random;

/// Larger abstract systems are left out.
const STATES: usize = 300;

/// Whether the abstract system, with the least bounds, satisfies the property; nothing if that is not known.
fn holds(task: &model::Task) -> Option<bool> {
    let engine = Counter::new(Box::new(Explicit::default()));
    let session = Session::unlimited();
    let answer = engine.check(task, &session).ok()?;
    let raised = session.notes.into_inner().expect("notes").contains(&Note::BoundsRaised);
    match answer {
        Answer::Holds(_) => Some(!raised),
        Answer::Fails(_) | Answer::Unknown(Reason::Spurious { .. }) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Compares the verdicts on all properties of a model. Returns how many hold and how many do not.
fn compared(text: &str) -> [usize; 2] {
    let loaded = lang::load("some", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    let mut counts = [0, 0];
    for check in &model.checks {
        let name = &check.task.property.name;
        let Some(expected) = holds(&check.task) else { continue };
        let world = World::unlimited();
        let Ok(written) = driver::abstraction(&model, &|known| known == name, STATES, &world) else {
            continue;
        };
        let loaded = lang::load("written", &written, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{written}", loaded.diagnostics));
        let [check] = &model.checks[..] else { panic!("one property:\n{written}") };
        let answer = Explicit::default().check(&check.task, &Session::unlimited()).expect("taken");
        let answer = certify::certify(&check.task, answer).unwrap_or_else(|flaw| panic!("{flaw}\n{written}"));
        assert_eq!(answer.standing(), Standing::Checked, "{name}\n{written}");
        assert_eq!(matches!(answer.answer(), Answer::Holds(_)), expected, "{name} of\n{text}\n{written}");
        counts[usize::from(!expected)] += 1;
    }
    counts
}

#[test]
fn the_written_system_has_the_verdict_of_the_search() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/counter");
    let mut counts = [0, 0];
    let mut texts = Vec::new();
    for name in ["terminate", "mux_sem", "semaphore", "arrivals", "test_and_set"] {
        texts.push(std::fs::read_to_string(folder.join(format!("{name}.fair"))).expect("an example"));
    }
    let random = &mut Random(crate::setting("FAIRLY_SEED", 125));
    texts.extend((0..crate::setting("FAIRLY_TASKS", 25)).map(|_| generate::model(random)));
    for text in texts {
        let [holding, others] = compared(&text);
        counts = [counts[0] + holding, counts[1] + others];
    }
    println!("{} abstract systems satisfy their property, {} do not", counts[0], counts[1]);
    assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
}
