//! Nothing is as expected only because there is no initial state or no fair run, unless the model says so.
//!
//! The cases of the suite say where they are empty on purpose. On random models the oracle decides whether there is a
//! fair run, and whether the requirements that are said to be in conflict are, all of them and no fewer. `FAIRLY_TASKS`
//! and `FAIRLY_SEED` choose how many random models and which.

use std::collections::BTreeMap;
use std::path::Path;

use certify::oracle::{self, Why};
use driver::report::note::{NoFairRun, Relief};
use driver::{Caveat, Note, Options, Outcome, Verdict, World};
use lang::Model;
use model::property::Kind;
use model::{Expr, Fairness, Formula, Property, Requirement, Task};

use crate::differential::generate;
use crate::differential::random::Random;
use crate::suite::markdown;

/// The oracle is not asked about more states or tableau nodes.
const LIMIT: usize = 3_000;

fn outcomes(model: &Model, options: &Options) -> Vec<Outcome> {
    driver::check(model, options, &World::unlimited(), &mut |_, _| {}).expect("a report").outcomes
}

fn loaded(source: &str) -> Model {
    let loaded = lang::load("test", source, &[]);
    loaded.model.unwrap_or_else(|| panic!("{source}\n{:?}", loaded.diagnostics))
}

#[test]
fn every_case_of_the_suite_is_as_expected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite");
    let mut vacuous = 0;
    let mut wrong = Vec::new();
    // A fault is never as expected.
    for case in markdown::all(&root).into_iter().filter(|case| !case.faults) {
        let loaded = driver::load("case", &case.source, &case.settings, &|file| case.text(file));
        let model = loaded.model.unwrap_or_else(|| panic!("{}", case.place()));
        let report = driver::check(&model, &Options::default(), &World::unlimited(), &mut |_, _| {});
        // Some cases are about parameters without a value.
        for outcome in report.map_or_else(|_| Vec::new(), |report| report.outcomes) {
            vacuous += usize::from(outcome.is_empty());
            if outcome.as_expected() == Some(false) {
                wrong.push(format!("{}: {} {:?}", case.place(), outcome.property, outcome.notes));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(vacuous > 3, "some cases are empty on purpose");
}

/// Whether no run is fair, as the oracle decides.
fn is_empty(task: &Task, fairness: Fairness) -> Option<bool> {
    let property = Property { kind: Kind::Ltl(Formula::Atom(Expr::Bool(false))), ..task.property.clone() };
    let decision = oracle::decide(&Task { fairness, property, subject: task.subject.clone() }, LIMIT).ok()?;
    Some(decision.why == Why::Holds)
}

#[test]
fn an_answer_is_empty_iff_no_run_is_fair_and_the_conflict_is_minimal() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 200), crate::setting("FAIRLY_SEED", 61));
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        let options = Options { without_notes: number % 2 == 0, ..Options::default() };
        for (outcome, check) in outcomes(&model, &options).iter().zip(&model.checks) {
            let task = &check.task;
            let about = format!("seed {seed}, model {number}: {}\n{source}", outcome.property);
            if outcome.verdict != Verdict::Holds {
                assert_eq!(outcome.caveat(), None, "{about}");
                continue;
            }
            let is_invariant = matches!(task.property.kind, Kind::Invariant(_));
            let fairness = if is_invariant { Fairness::none() } else { task.fairness.clone() };
            let Some(expected) = is_empty(task, fairness) else { continue };
            assert_eq!(outcome.is_empty(), expected, "{about}");
            assert_eq!(outcome.as_expected(), Some(!expected), "{about}");
            *tally.entry(if expected { "empty" } else { "not empty" }).or_default() += 1;
            for note in &outcome.notes {
                if let Note::NoFairRun(NoFairRun { conflicts, .. }) = note {
                    assert_eq!(outcome.caveat(), Some(Caveat::NoFairRun));
                    assert_eq!(conflicts.len(), task.fairness.alternatives.len());
                    for (conflict, alternative) in conflicts.iter().zip(&task.fairness.alternatives) {
                        assert!(conflict.minimal, "nothing stopped the search: {about}");
                        let shown = |one: &Requirement| {
                            driver::report::assumed(task.system(), &Fairness::all_of(vec![one.clone()]))
                        };
                        let mut named: Vec<Requirement> = Vec::new();
                        for one in &alternative.requirements {
                            let is_new = named.iter().all(|other| shown(other) != shown(one));
                            if is_new && conflict.requirements.contains(&shown(one)) {
                                named.push(one.clone());
                            }
                        }
                        let global = conflict.requirements.iter().any(|name| name == "global");
                        assert_eq!(
                            named.len() + usize::from(global),
                            conflict.requirements.len(),
                            "{conflict:?}, {about}"
                        );
                        let meets = |requirements: Vec<Requirement>, global: bool| {
                            let mut fairness = Fairness::all_of(requirements);
                            fairness.alternatives[0].global = global;
                            is_empty(task, fairness) == Some(false)
                        };
                        assert!(!meets(named.clone(), global), "it can be met: {conflict:?}, {about}");
                        for left_out in 0..named.len() {
                            let mut fewer = named.clone();
                            fewer.remove(left_out);
                            assert!(meets(fewer, global), "fewer conflict: {conflict:?}, {about}");
                        }
                        let size = if conflict.requirements.len() > 1 { "several" } else { "one" };
                        *tally.entry(size).or_default() += 1;
                    }
                }
            }
        }
    }
    println!("{tally:?}");
    for what in ["empty", "not empty", "several", "one"] {
        assert!(tally.get(what).is_some_and(|times| *times > 2), "{what} is rare: {tally:?}");
    }
}

/// Why no run is fair, for the first property.
fn conflict(source: &str) -> NoFairRun {
    let outcome = outcomes(&loaded(source), &Options::default()).remove(0);
    let why = outcome.notes.into_iter().find_map(|note| match note {
        Note::NoFairRun(why) => Some(why),
        _ => None,
    });
    why.expect("no run is fair")
}

#[test]
fn a_change_is_proposed_only_if_it_helps() {
    let world = "shared x: bool; process P { action set { x = true; } action never when x && !x { skip; } }";
    let once = conflict(&format!("{world} property p: G F x under justice (!x) & weak P.set & justice (x);"));
    assert_eq!(once.reliefs, [Relief::Stuttering]);
    assert_eq!(
        once.to_string(),
        "no run is fair: `justice (!x)` cannot be met; some run is fair with a process that may always skip, \
         `process Stutter { action stutter { skip; } }`"
    );
    let impossible = conflict(&format!("{world} property p: G F x under unconditional P.never;"));
    assert_eq!(impossible.reliefs, [Relief::Weak]);
    let both = conflict(&format!("{world} property p: G F x under justice (false) | unconditional P.never;"));
    assert_eq!(
        both.to_string(),
        "no run is fair: `justice (false)` cannot be met, nor `unconditional P.never`; some run is fair with \
         `weak` in place of `unconditional`"
    );
    let nothing = conflict(&format!("{world} property p: G F x under justice (false);"));
    assert_eq!(nothing.reliefs, []);
}

#[test]
fn what_is_expected_to_hold_vacuously_must_be_vacuous() {
    let source = "shared x, y: bool; process P { loop { a: x = !x; } }
        property nobody:  false             under justice (y)  expect holds vacuously;
        property trigger: G (y -> F x)                         expect holds vacuously;
        property sound:   G F x                                expect holds vacuously;
        property quiet:   G (y -> F x)                         expect holds;
        property lucky:   G F x             under weak P       expect holds;
        property needs:   G F x             under weak P       expect fails;";
    let as_expected = |strict: bool| -> Vec<Option<bool>> {
        let options = Options { strict, ..Options::default() };
        outcomes(&loaded(source), &options).iter().map(Outcome::as_expected).collect()
    };
    assert_eq!(as_expected(false), [true, true, false, true, true, false].map(Some));
    assert_eq!(as_expected(true), [true, true, false, false, false, false].map(Some));
}
