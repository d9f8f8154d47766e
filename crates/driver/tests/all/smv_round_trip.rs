//! Random models are exported to SMV and read back, and must keep their verdicts: LTL, CTL and invariants, under every
//! fairness that SMV can express. The oracle judges the original, the explicit engine what was read back.
//!
//! `FAIRLY_MODELS` and `FAIRLY_SEED` choose how many random models and which.

use certify::oracle;
use driver::import::{self, Language};
use engines::{Engine, Explicit};
use exchange::export::smv;
use model::property::Kind;
use model::{Answer, Session, Task};

use crate::differential::generate;
use crate::differential::random::Random;
use crate::tool::Tally;

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

fn kind(task: &Task) -> &'static str {
    match task.property.kind {
        Kind::Invariant(_) => "invariant",
        Kind::Ltl(_) => "LTL",
        Kind::Ctl(_) => "CTL",
        Kind::Never(_) => "automaton",
    }
}

/// Whether the one specification of an SMV text holds.
fn holds(text: &str) -> Result<bool, String> {
    let loaded = driver::load_foreign(Language::Smv, "model", text, &[], "", &[], &import::no_files);
    let Some(model) = loaded.model else {
        return Err(format!("not read: {:?}\n{text}", loaded.diagnostics));
    };
    let engine = Explicit { notes: false, ..Explicit::default() };
    // The last one may be the invariant that no state is stuck.
    let task = &model.checks[0].task;
    match engine.check(task, &Session::unlimited()) {
        Ok(Answer::Holds(_)) => Ok(true),
        Ok(Answer::Fails(_)) => Ok(false),
        other => Err(format!("{other:?}\n{text}")),
    }
}

#[test]
fn exported_models_that_are_read_back_keep_their_verdicts() {
    let (count, seed) = (crate::setting("FAIRLY_MODELS", 6), crate::setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        for check in &model.checks {
            let task = &check.task;
            let Ok(decision) = oracle::decide(task, LIMIT) else {
                *tally.entry("too large for the oracle").or_default() += 1;
                continue;
            };
            let Ok(exported) = smv(std::slice::from_ref(task)) else {
                *tally.entry("refused").or_default() += 1;
                continue;
            };
            let expected = decision.holds();
            *tally.entry(kind(task)).or_default() += 1;
            *tally.entry(if expected { "hold" } else { "fail" }).or_default() += 1;
            *tally.entry("under COMPASSION").or_default() +=
                u64::from(exported.text.contains("\nCOMPASSION"));
            *tally.entry("under JUSTICE").or_default() += u64::from(exported.text.contains("\nJUSTICE"));
            match holds(&exported.text) {
                Ok(found) if found == expected => {}
                Ok(found) => panic!(
                    "seed {seed}, model {number}, `{}`: {expected} before, {found} after\n{source}\n{}",
                    task.property.name, exported.text
                ),
                Err(message) => panic!("seed {seed}, model {number}: {message}\n{source}"),
            }
        }
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    for what in ["hold", "fail", "LTL"] {
        assert!(seen(what) > 0, "there is none: {what}, {tally:?}");
    }
}
