//! Saved counterexamples, on random models: what a report shows is one when it is read back, whatever its kind; and
//! no trace at all is one to a property that holds. `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many models and which.

use std::collections::BTreeMap;

use driver::replay::{self, Judged, Saved};
use driver::report::Kind;
use driver::{Options, Verdict, World};

use crate::differential::generate;
use crate::differential::random::Random;

#[test]
fn what_is_shown_is_a_counterexample_again_and_nothing_is_one_to_what_holds() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 200), crate::setting("FAIRLY_SEED", 16));
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        let about = format!("seed {seed}, model {number}:\n{source}");
        let world = World::unlimited();
        let report = driver::check(&model, &Options::default(), &world, &mut |_, _| {}).expect("a report");
        let mut traces = Vec::new();
        for (outcome, check) in report.outcomes.iter().zip(&model.checks) {
            let Some(found) = &outcome.counterexample else { continue };
            let Some(trace) = &found.trace else { continue };
            let about = format!("{about}\n{}: {:?}", outcome.property, found.kind);
            let run =
                replay::read(&model, &Saved::of(trace)).unwrap_or_else(|wrong| panic!("{wrong}: {about}"));
            let judged = run.judged(&model, &check.task, &world);
            let kind = match (&found.kind, &judged) {
                (Kind::Lasso, Judged::Genuine(again)) => {
                    assert_eq!((&again.trace, &again.ledger), (&found.trace, &found.ledger), "{about}");
                    "a loop"
                }
                (Kind::Path, Judged::Genuine(_)) => "a path",
                (Kind::Prefix, Judged::Genuine(_)) => "a bad prefix",
                (Kind::Fault(_), Judged::Genuine(_)) => "a fault",
                // Against a CTL formula only a run can be judged.
                (Kind::Path | Kind::State | Kind::Beginning, Judged::Open(_)) if !outcome.checked => "open",
                _ => panic!("{judged:?}: {about}"),
            };
            *tally.entry(kind).or_default() += 1;
            traces.push(run);
        }
        for (outcome, check) in report.outcomes.iter().zip(&model.checks) {
            for run in traces.iter().filter(|_| outcome.verdict == Verdict::Holds) {
                let judged = run.judged(&model, &check.task, &world);
                assert!(
                    !matches!(judged, Judged::Genuine(_)),
                    "{} holds: {judged:?}: {about}",
                    outcome.property
                );
                *tally.entry("refused").or_default() += 1;
            }
        }
    }
    println!("{tally:?}");
    for what in ["a loop", "a path", "a bad prefix", "a fault", "refused"] {
        assert!(tally.get(what).is_some_and(|times| *times > 5), "{what} is rare: {tally:?}");
    }
}
