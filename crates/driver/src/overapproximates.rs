//! What an answer about a system says of the program it was read from, where the system does more.
//!
//! Every run of the program is one of the system, so what holds of all runs of the system holds of the program's. A
//! run of the system need not be one of the program, so nothing follows from a counterexample, nor from a run that
//! is shown to exist.

use model::Task;
use model::property::Kind;

use crate::report::{Outcome, Verdict};

/// Takes back a verdict that need not be true of the program.
pub(crate) fn qualify(task: &Task, outcome: &mut Outcome) {
    if task.system().overapproximates.is_empty() || outcome.verdict == Verdict::Unknown {
        return;
    }
    let of_all_runs = match &task.property.kind {
        Kind::Invariant(_) | Kind::Ltl(_) | Kind::Never(_) => true,
        Kind::Ctl(formula) => formula.of_all_runs().is_some(),
    };
    if outcome.verdict == Verdict::Holds && of_all_runs {
        return;
    }
    let said = outcome.verdict.name();
    outcome.verdict = Verdict::Unknown;
    outcome.checked = false;
    outcome.counterexample = None;
    outcome
        .notes
        .insert(0, format!("what was checked does more than the program, and the property {said} of that"));
    outcome.notes.extend(task.system().overapproximates.iter().cloned());
}
