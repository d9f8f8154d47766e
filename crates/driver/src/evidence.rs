//! Evidence in the user's names: a counterexample as a trace, with the ledger of its fairness.

use certify::How;
use model::{Instance, Task};

use crate::report::{Counterexample, Entry, Kind, Met};
use crate::trace;

/// What a counterexample shows.
pub(crate) fn counterexample(
    task: &Task,
    instance: &Instance,
    evidence: &model::Counterexample,
) -> Counterexample {
    let (kind, trace) = match evidence {
        model::Counterexample::Lasso(lasso) => (Kind::Lasso, Some(trace::lasso(instance, lasso))),
        model::Counterexample::Path(path) => (Kind::Path, Some(trace::path(instance, path))),
        model::Counterexample::State(state) => (Kind::State, Some(trace::single(instance, state))),
        model::Counterexample::Fault { path, site, fault } => {
            let path = path.as_ref().map(|path| trace::path(instance, path));
            (Kind::Fault(trace::fault(instance, *site, fault)), path)
        }
    };
    let ledger = match evidence {
        model::Counterexample::Lasso(lasso) => certify::ledger(task, lasso).into_iter().map(entry).collect(),
        _ => Vec::new(),
    };
    Counterexample { kind, trace, ledger }
}

/// The judge counts positions from 0; the step that leaves a position has the next number.
fn entry(entry: certify::Entry) -> Entry {
    let met = match entry.how {
        How::Taken { position } => Met::Taken(position + 1),
        How::NotEnabled { position } => Met::Disabled(position + 1),
        How::Holds { position } => Met::Occurs(position + 1),
        How::NeverTriggered => Met::Untriggered,
        How::Global => Met::Everything,
    };
    Entry { requirement: entry.requirement, met }
}
