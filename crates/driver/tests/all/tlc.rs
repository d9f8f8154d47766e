//! A second opinion: TLC checks exported TLA+ models, and must agree with the oracle.
//!
//! The papers' programs in `examples/split` and random models from the generator of the differential tests.
//! `FAIRLY_TLC_MODELS` and `FAIRLY_SEED` choose how many random models and which. The tests need `java`, and
//! the path of `tla2tools.jar` in `TLA2TOOLS`; without these they say that they were skipped.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use certify::oracle;
use exchange::export::{Exported, tla};
use lang::Check;
use model::property::Kind;

use crate::differential::generate;
use crate::differential::random::Random;
use crate::tool::{Tally, example, folder, output, runs};

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

/// The path of TLC.
fn installed() -> Option<String> {
    let jar = std::env::var("TLA2TOOLS").ok().filter(|jar| Path::new(jar).exists());
    let jar = jar.filter(|_| runs("java", &["-version"]));
    if jar.is_none() {
        println!("skipped: this test needs java, and the path of tla2tools.jar in TLA2TOOLS");
    }
    jar
}

/// Whether TLC finds no error; `None` if it takes too long.
fn holds(folder: &Path, jar: &str, Exported { text, companion, .. }: &Exported) -> Option<bool> {
    fs::write(folder.join("model.tla"), text).expect("a file");
    fs::write(folder.join("model.cfg"), companion.as_deref().expect("a configuration")).expect("a file");
    let arguments = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", jar, "tlc2.TLC", "-workers", "1"];
    let report = output(folder, 120, "java", &[&arguments[..], &["-metadir", "states", "model"]].concat())?;
    // TLC reports an error if a formula cannot be false.
    if report.contains("No error has been found") || report.contains("Temporal formula is a tautology") {
        return Some(true);
    }
    let violated = ["is violated", "properties were violated", "is trivially false", "is equal to FALSE"]
        .iter()
        .any(|sign| report.contains(sign));
    assert!(violated, "{report}\n{text}");
    Some(false)
}

/// Checks every property separately and compares. Returns the first disagreement.
fn disagreement(folder: &Path, jar: &str, checks: &[Check], tally: &mut Tally) -> Option<String> {
    for Check { task, expected, .. } in checks {
        let ours = match (oracle::decide(task, LIMIT), expected) {
            (Ok(decision), _) => decision.holds(),
            (Err(_), Some(expected)) => expected.holds(),
            (Err(_), None) => {
                *tally.entry("too large for the oracle").or_default() += 1;
                continue;
            }
        };
        let Ok(exported) = tla(std::slice::from_ref(task), "model") else {
            *tally.entry("refused").or_default() += 1;
            continue;
        };
        let Some(theirs) = holds(folder, jar, &exported) else {
            *tally.entry("not judged in time").or_default() += 1;
            continue;
        };
        let text = &exported.text;
        let kind = if matches!(task.property.kind, Kind::Invariant(_)) { "invariant" } else { "LTL" };
        *tally.entry(kind).or_default() += 1;
        *tally.entry(if ours { "hold" } else { "fail" }).or_default() += 1;
        *tally.entry("by actions").or_default() +=
            u64::from(text.contains(" last, ") || text.contains(" last\n"));
        *tally.entry("with faults").or_default() += u64::from(text.contains("NoFault =="));
        *tally.entry("with a tick").or_default() += u64::from(text.contains(" tick\n"));
        if ours != theirs {
            return Some(format!("`{}`: we say {ours}, TLC says {theirs}\n{text}", task.property.name));
        }
    }
    None
}

#[test]
fn tlc_agrees_on_the_papers_programs() {
    let Some(jar) = installed() else { return };
    let folder = folder("tlc_examples");
    let mut tally = Tally::new();
    // Small instances only: TLC takes time exponential in the number of strong requirements.
    let programs = [
        ("mux_sem", "2"),
        ("mux_sem_nondet", "2"),
        ("bakery", "2"),
        ("dining_phil", "2"),
        ("cond_term", "2"),
    ];
    for (name, size) in programs {
        let settings = [("N".to_owned(), size.to_owned())];
        let model = lang::load(name, &example(&format!("split/{name}")), &settings).model.expect("a model");
        if let Some(flaw) = disagreement(&folder, &jar, &model.checks, &mut tally) {
            panic!("{name}: {flaw}");
        }
    }
    println!("{tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("refused") == 0 && seen("hold") > 5 && seen("fail") > 5, "{tally:?}");
}

#[test]
fn tlc_agrees_on_random_models() {
    let Some(jar) = installed() else { return };
    let (count, seed) = (crate::setting("FAIRLY_TLC_MODELS", 24), crate::setting("FAIRLY_SEED", 2026));
    let folder = folder("tlc_random");
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        if let Some(flaw) = disagreement(&folder, &jar, &model.checks, &mut tally) {
            panic!("seed {seed}, model {number}: {flaw}\n{source}");
        }
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("hold") > 0 && seen("fail") > 0, "one verdict is rare: {tally:?}");
}
