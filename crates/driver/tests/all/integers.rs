//! The examples over unbounded integers: every property has the verdict it expects, by the infinite engine.
//!
//! `FAIRLY_EXAMPLE` is a part of the names of those to run. The test prints the verdicts, whether the judge has
//! checked them, and the times.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use driver::{EngineKind, Engines, Options, StopReason, Verdict, World};

/// Far more than any of them needs.
const LIMIT: Duration = Duration::from_mins(10);

#[test]
fn every_example_over_integers_is_answered_as_expected() {
    let wanted = std::env::var("FAIRLY_EXAMPLE").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut decided = 0;
    for path in examples() {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        if !name.contains(&wanted) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("an example can be read");
        let loaded = driver::load(&name, &text, &[], &|file| Err(format!("no {file}")));
        assert_eq!(loaded.diagnostics, [], "{name}");
        let model = loaded.model.expect("an example has no errors");
        let start = Instant::now();
        let world = World {
            stop: &|| (start.elapsed() > LIMIT).then_some(StopReason::Time),
            clock: &|| start.elapsed(),
            memory: 2 << 30,
            solvers: &smt::installed(),
            ..World::unlimited()
        };
        let options = Options { engines: Engines::Named(EngineKind::Infinite), ..Options::default() };
        let mut each = |_: usize, outcome: &driver::Outcome| {
            let (property, verdict) = (&outcome.property, outcome.verdict.name());
            let standing = if outcome.checked { "checked" } else { "claimed" };
            println!(
                "{name} {property}: {verdict}, {standing}, {:.2} s {:?}",
                outcome.time.as_secs_f64(),
                outcome.notes
            );
            assert!(outcome.dispute.is_none(), "{name} {property}: {:?}", outcome.dispute);
            decided += usize::from(outcome.verdict != Verdict::Unknown);
            if outcome.as_expected() != Some(true) {
                wrong.push(format!("{name} {property}: {verdict} {:?}", outcome.notes));
            }
        };
        driver::check(&model, &options, &world, &mut each).expect("an example can be checked");
    }
    assert!(wrong.is_empty() && decided > 0, "not as expected:\n{}", wrong.join("\n"));
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/infinite");
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "fair"))
        .collect();
    paths.sort();
    paths
}
