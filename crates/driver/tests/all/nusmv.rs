//! A second opinion: `NuSMV` checks exported SMV models, and must agree with the oracle.
//!
//! The papers' programs in `examples/split`, and random models from the generator of the differential tests: LTL, CTL
//! and invariants. `FAIRLY_NUSMV_MODELS` and `FAIRLY_SEED` choose how many random models and which. Without `NuSMV`
//! on the path the tests say that they were skipped.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use certify::oracle;
use exchange::export::smv;
use lang::Check;
use model::Task;
use model::property::Kind;

use crate::differential::generate;
use crate::differential::random::Random;
use crate::tool::{Tally, example, folder, output, runs};

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

fn installed() -> bool {
    let there = runs("NuSMV", &["-h"]);
    if !there {
        println!("skipped: this test needs NuSMV on the path");
    }
    there
}

/// `NuSMV`'s verdicts on the specifications of a text, in the order in which it checks them.
fn verdicts(folder: &Path, text: &str) -> Vec<bool> {
    fs::write(folder.join("model.smv"), text).expect("a file");
    let report = output(folder, 120, "NuSMV", &["-dcx", "model.smv"]).expect("NuSMV ends in time");
    let verdicts: Vec<bool> = report
        .lines()
        .filter(|line| line.starts_with("-- specification") || line.starts_with("-- invariant"))
        .map(|line| {
            assert!(line.ends_with("is true") || line.ends_with("is false"), "{report}\n{text}");
            line.ends_with("is true")
        })
        .collect();
    assert_eq!(verdicts.len(), text.matches("SPEC NAME ").count(), "{report}\n{text}");
    verdicts
}

fn kind(task: &Task) -> &'static str {
    match task.property.kind {
        Kind::Invariant(_) => "invariant",
        Kind::Ltl(_) => "LTL",
        Kind::Ctl(_) => "CTL",
        Kind::Never(_) => "automaton",
    }
}

/// Checks every property separately and compares. Returns the first disagreement.
fn disagreement(folder: &Path, checks: &[Check], tally: &mut Tally) -> Option<String> {
    for Check { task, expected, .. } in checks {
        let holds = match (oracle::decide(task, LIMIT), expected) {
            (Ok(decision), _) => decision.holds(),
            (Err(_), Some(expected)) => expected.holds(),
            (Err(_), None) => {
                *tally.entry("too large for the oracle").or_default() += 1;
                continue;
            }
        };
        let Ok(exported) = smv(std::slice::from_ref(task)) else {
            *tally.entry("refused").or_default() += 1;
            continue;
        };
        let text = exported.text;
        *tally.entry(kind(task)).or_default() += 1;
        *tally.entry(if holds { "hold" } else { "fail" }).or_default() += 1;
        *tally.entry("under COMPASSION").or_default() += u64::from(text.contains("\nCOMPASSION"));
        *tally.entry("with faults").or_default() += u64::from(text.contains("next(fault)"));
        *tally.entry("with bits").or_default() += u64::from(text.contains("next(_step"));
        if verdicts(folder, &text) != [holds] {
            let name = &task.property.name;
            return Some(format!("`{name}`: we say {holds}, NuSMV says {}\n{text}", !holds));
        }
    }
    None
}

#[test]
fn nusmv_agrees_on_the_papers_programs() {
    if !installed() {
        return;
    }
    let folder = folder("nusmv_examples");
    let mut tally = Tally::new();
    let programs = ["mux_sem", "mux_sem_counter", "mux_sem_nondet", "bakery", "dining_phil", "cond_term"];
    for name in programs {
        let model = lang::load(name, &example(&format!("split/{name}")), &[]).model.expect("a model");
        if let Some(flaw) = disagreement(&folder, &model.checks, &mut tally) {
            panic!("{name}: {flaw}");
        }
    }
    println!("{tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("refused") == 0 && seen("hold") > 5 && seen("fail") > 5, "{tally:?}");
}

#[test]
fn nusmv_agrees_on_random_models() {
    if !installed() {
        return;
    }
    let (count, seed) = (crate::setting("FAIRLY_NUSMV_MODELS", 100), crate::setting("FAIRLY_SEED", 2026));
    let folder = folder("nusmv_random");
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        if let Some(flaw) = disagreement(&folder, &model.checks, &mut tally) {
            panic!("seed {seed}, model {number}: {flaw}\n{source}");
        }
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("hold") * 5 > count && seen("fail") * 5 > count, "one verdict is rare: {tally:?}");
    for kind in ["LTL", "CTL", "invariant", "under COMPASSION", "with faults", "with bits"] {
        assert!(seen(kind) > 0, "there is none: {kind}, {tally:?}");
    }
}

#[test]
fn several_properties_in_one_file_keep_their_verdicts() {
    if !installed() {
        return;
    }
    let source =
        "shared x: 0..2; process P { action up when x < 2 { x = x + 1; } action back when x == 2 { x = 0; } }
        invariant small: x < 2; property again: G F x == 0; property stays: F G x == 1;
        property may: AG EF x == 1; property must: EG x < 2;";
    let model = lang::load("several", source, &[]).model.expect("a model");
    let tasks: Vec<Task> = model.checks.into_iter().map(|check| check.task).collect();
    let text = smv(&tasks).expect("all can be said").text;
    // CTL comes first, then LTL, then invariants.
    assert_eq!(verdicts(&folder("nusmv_several"), &text), [true, false, true, false, false]);
}

#[test]
fn a_branching_formula_is_judged_in_initial_states_without_a_fair_run_too() {
    if !installed() {
        return;
    }
    // No run is fair, so `E` is false and `A` is true. NuSMV alone would not consider the initial state.
    let source = "shared x: bool; process P { action a { x = false; } }
        property one: EG !x under justice (x); property every: AF x under justice (x); property now: x && AG x under justice (x);";
    let model = lang::load("unfair", source, &[]).model.expect("a model");
    let tasks: Vec<Task> = model.checks.into_iter().map(|check| check.task).collect();
    let ours: Vec<bool> =
        tasks.iter().map(|task| oracle::decide(task, LIMIT).expect("a decision").holds()).collect();
    assert_eq!(ours, [false, true, false]);
    let text = smv(&tasks).expect("all can be said").text;
    assert_eq!(verdicts(&folder("nusmv_unfair"), &text), ours, "{text}");
}
