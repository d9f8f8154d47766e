//! Evidence in the user's names: a counterexample as a trace, with the ledger of its fairness and, for a CTL formula,
//! the facts that make it false.
//!
//! If the property is false after a few steps of a run, whatever follows, only these steps are shown: what the run does
//! then, and why it is fair, has no part in the violation.

use std::collections::BTreeSet;

use certify::How;
use model::{Instance, Path, Task, setting, show};

use super::{Counterexample, Entry, Fact, Kind, Met, fault, recurrence, trace};
use crate::report::trace::Stage;

/// A counterexample as data. `None` if its instance cannot be made. `written` is the instance of the model as it is
/// written, if values are forgotten in that of the task.
pub(crate) fn counterexample(
    task: &Task,
    evidence: &model::Counterexample,
    written: Option<&Instance>,
) -> Option<Counterexample> {
    if let model::Counterexample::Instance { values, member, evidence } = evidence {
        // The judge makes sure that evidence is never wrapped twice.
        return counterexample(&setting::set(task, values, member)?, evidence, None);
    }
    let instance = task.instance()?;
    let stage = Stage::with(instance, written);
    if let Some(path) = bad_prefix(task, evidence) {
        let facts = facts(task, instance, evidence);
        let facts = facts.into_iter().filter(|fact| fact.state <= path.positions.len()).collect();
        let trace = Some(trace::path(stage, &path));
        let ledger = Vec::new();
        return Some(Counterexample { kind: Kind::Prefix, trace, ledger, facts, recurrence: None });
    }
    let recurrence = match evidence {
        model::Counterexample::Labelling(refutation) => {
            let run = refutation.run.as_ref();
            run.and_then(|run| recurrence::recurrence(instance, &refutation.labelling, run))
        }
        _ => None,
    };
    let (kind, trace) = match evidence {
        model::Counterexample::Lasso(lasso) => (Kind::Lasso, Some(trace::lasso(stage, lasso))),
        model::Counterexample::Path(path) => (Kind::Path, Some(trace::path(stage, path))),
        model::Counterexample::State(state) => (Kind::State, Some(trace::single(instance, state))),
        model::Counterexample::Labelling(refutation) => match &refutation.run {
            Some(run) if recurrence.is_some() => (Kind::Beginning, Some(trace::path(stage, run))),
            Some(run) => (Kind::State, Some(trace::path(stage, run))),
            None => (Kind::State, Some(trace::single(instance, &refutation.state))),
        },
        model::Counterexample::Instance { .. } => return None,
        model::Counterexample::Fault { path, site, fault: happened } => {
            let at = path.as_ref().map(|path| &path.last);
            let told = fault::sentence(task, instance, at, *site, happened);
            (Kind::Fault(told), path.as_ref().map(|path| trace::path(stage, path)))
        }
    };
    let ledger = match evidence {
        model::Counterexample::Lasso(lasso) => certify::ledger(task, lasso).into_iter().map(entry).collect(),
        _ => Vec::new(),
    };
    let mut facts = facts(task, instance, evidence);
    let several = |facts: &[Fact]| facts.iter().map(|fact| &fact.formula).collect::<BTreeSet<_>>().len() > 2;
    if kind == Kind::Beginning && !several(&facts) {
        // The run says all that a formula of one operator does.
        facts.clear();
    }
    Some(Counterexample { kind, trace, ledger, facts, recurrence })
}

/// The path of a counterexample after which the property is false, whatever follows, if there is one.
pub(crate) fn bad_prefix(task: &Task, evidence: &model::Counterexample) -> Option<Path> {
    match evidence {
        model::Counterexample::Instance { values, member, evidence } => {
            certify::bad_prefix(&setting::set(task, values, member)?, evidence)
        }
        evidence => certify::bad_prefix(task, evidence),
    }
}

fn facts(task: &Task, instance: &Instance, evidence: &model::Counterexample) -> Vec<Fact> {
    let shown = |fact: certify::Fact| Fact {
        state: fact.state,
        formula: show::ctl(task.system(), &fact.formula),
        holds: fact.holds,
        checked: fact.checked,
    };
    certify::facts(task, instance, evidence).into_iter().map(shown).collect()
}

/// The scope of a counterexample, if it is about one of many instances: `N = 3, i = 1`.
pub(crate) fn scope(task: &Task, evidence: &model::Counterexample) -> Option<String> {
    let model::Counterexample::Instance { values, member, .. } = evidence else { return None };
    let parameters = task.system().parameters.iter().map(|parameter| parameter.name.as_str()).zip(values);
    let name = |index: model::Index| task.system().indices[index.0 as usize].name.as_str();
    let indices = task.property.binders.iter().map(|binder| name(binder.index)).zip(member);
    let parts: Vec<String> =
        parameters.chain(indices).map(|(name, value)| format!("{name} = {value}")).collect();
    Some(parts.join(", "))
}

/// The judge counts positions from 0. The step that leaves a position has the next number.
fn entry(entry: certify::Entry) -> Entry {
    let met = match entry.how {
        How::Taken { position } => Met::Taken(position + 1),
        How::NotEnabled { position } => Met::Disabled(position + 1),
        How::Holds { position } => Met::Occurs(position + 1),
        How::NeverTriggered => Met::Untriggered,
        How::Global => Met::Everything,
    };
    let certify::Entry { requirement, word, target, process, declared, .. } = entry;
    Entry { requirement, word, target, process, declared, met }
}
