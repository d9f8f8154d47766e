//! The abstract system as it is drawn: the one that is searched.

use engines::Engine;
use engines::counter::NotDrawn;
use model::property::Kind;
use model::{Answer, Session};

use super::{counter, tasks};

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/counter/{name}.fair", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("an example")
}

#[test]
fn what_is_drawn_is_what_is_searched() {
    for name in ["terminate", "mux_sem", "semaphore", "szymanski"] {
        for task in tasks(&example(name)) {
            let session = Session::unlimited();
            let engine = counter();
            let answer = engine.check(&task, &session).expect("taken");
            if !matches!((&answer, &task.property.kind), (Answer::Holds(_), Kind::Ltl(_))) {
                continue;
            }
            let drawn = engine.drawn(&task, 5_000, &Session::unlimited()).expect("it is not large");
            let statistics = session.statistics.into_inner().expect("no thread panics");
            let states = statistics.iter().find(|(name, _)| *name == "states").expect("it is counted").1;
            let name = &task.property.name;
            // Bounds may have been raised for the answer.
            assert!(drawn.states.len() as u64 <= states, "{name}: {} of {states}", drawn.states.len());
            assert!(!drawn.initial.is_empty(), "{name}");
            let mut reached = vec![false; drawn.states.len()];
            drawn.initial.iter().for_each(|state| reached[*state] = true);
            // Breadth first, so one pass reaches everything.
            for (from, to, _) in &drawn.steps {
                assert!(reached[*from], "{name}");
                reached[*to] = true;
            }
            assert!(reached.iter().all(|reached| *reached), "{name}");
        }
    }
}

#[test]
fn nodes_say_how_many_and_steps_say_who_becomes_what() {
    let task = &tasks(&example("terminate"))[0];
    let drawn = counter().drawn(task, 100, &Session::unlimited()).expect("it is small");
    let text: Vec<String> = drawn.states.iter().flatten().map(ToString::to_string).collect();
    assert!(text.iter().any(|text| text.starts_with("#(P@") && text.ends_with("= 1+")), "{text:?}");
    assert!(drawn.steps.iter().any(|(_, _, name)| name.contains(" → P@")), "{:?}", drawn.steps);
    let few = counter().drawn(task, 1, &Session::unlimited());
    assert_eq!(few, Err(NotDrawn::TooLarge));
}
