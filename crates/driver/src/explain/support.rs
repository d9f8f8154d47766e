//! Finds what a property that holds rests on: the requirements without which it would fail.
//!
//! Each declared requirement is dropped in turn, and the rest of the assumption is asked again. If the property still
//! holds, this requirement alone is not needed. If it fails, the new run shows what the requirement is for. Two
//! requirements may each be superfluous but not both. If no fairness is needed at all, single requirements are not
//! examined.
//!
//! The cost is one more decision per requirement, on a graph that is already known.

use std::cell::OnceCell;

use model::{Answer, Counterexample, Fairness, Instance, Lasso, Proof, Task, setting, show};

use super::labels;
use super::starvation::{self, Fate, Process};
use super::story::{listed, place};
use super::words::either;
use crate::empty;
use crate::report::{Verdict, evidence, plain};

/// What a property that holds rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// Whether some fairness is assumed.
    pub assumed: bool,
    /// The answer without any fairness; *holds* if none is assumed.
    pub without: Verdict,
    /// A run that appears without any fairness, in a sentence.
    pub account: Option<String>,
    /// What happens without each requirement; empty if none is needed, here and beside other processes.
    pub dropped: Vec<Dropped>,
    /// Whether it holds without any fairness only because nothing else can move meanwhile: with a process that may always
    /// stutter it fails.
    pub brittle: bool,
}

/// A requirement, and the result without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The requirement, as it would be declared.
    pub requirement: String,
    /// The answer if all other requirements are kept.
    pub verdict: Verdict,
    /// If it fails: the run that appears, in a sentence.
    pub account: Option<String>,
    /// If it holds: whether that is only because nothing else can move meanwhile, although the whole assumption is enough
    /// with a process that may always stutter.
    pub brittle: bool,
}

/// What a property that holds rests on. `None` for an invariant, which does not depend on fairness.
pub(crate) fn support(task: &Task, decide: &dyn Fn(&Task) -> Option<Answer>) -> Option<Support> {
    if matches!(task.property.kind, model::property::Kind::Invariant(_)) {
        return None;
    }
    let beside = empty::beside(task);
    let verdict_beside = |fairness: &Fairness| {
        let subject = beside.clone()?;
        match decide(&Task { subject, fairness: fairness.clone(), ..task.clone() })? {
            Answer::Holds(_) => Some(Verdict::Holds),
            Answer::Fails(_) => Some(Verdict::Fails),
            Answer::Unknown(_) => None,
        }
    };
    let fails_beside = |fairness: &Fairness| verdict_beside(fairness) == Some(Verdict::Fails);
    if task.fairness.is_none() {
        let (without, dropped, brittle) = (Verdict::Holds, Vec::new(), fails_beside(&task.fairness));
        return Some(Support { assumed: false, without, account: None, dropped, brittle });
    }
    let under = |fairness: Fairness| {
        let answer = decide(&Task { fairness, ..task.clone() });
        match answer {
            Some(Answer::Holds(_)) => (Verdict::Holds, None),
            Some(Answer::Fails(found)) => (Verdict::Fails, account(task, &found)),
            Some(Answer::Unknown(_)) | None => (Verdict::Unknown, None),
        }
    };
    let (without, account) = under(Fairness::none());
    let brittle = without == Verdict::Holds && fails_beside(&Fairness::none());
    let mut dropped = Vec::new();
    // What is not enough beside others says nothing about its parts.
    let can_tell = OnceCell::new();
    let mut drop =
        |requirement: String, fairness: Fairness, (verdict, account): (Verdict, Option<String>)| {
            let brittle = verdict == Verdict::Holds
                && *can_tell.get_or_init(|| verdict_beside(&task.fairness) == Some(Verdict::Holds))
                && fails_beside(&fairness);
            dropped.push(Dropped { requirement, verdict, account, brittle });
        };
    let alone = task
        .fairness
        .alternatives
        .iter()
        .map(|a| a.requirements.len() + usize::from(a.global))
        .sum::<usize>()
        == 1;
    if without != Verdict::Holds || brittle {
        for (number, alternative) in task.fairness.alternatives.iter().enumerate() {
            for (k, requirement) in alternative.requirements.iter().enumerate() {
                let mut fairness = task.fairness.clone();
                fairness.alternatives[number].requirements.remove(k);
                let requirement = plain::requirement(task.system(), requirement);
                let found = if alone { (without, account.clone()) } else { under(fairness.clone()) };
                drop(requirement, fairness, found);
            }
            if alternative.global {
                let mut fairness = task.fairness.clone();
                fairness.alternatives[number].global = false;
                let found = if alone { (without, account.clone()) } else { under(fairness.clone()) };
                drop("global".to_owned(), fairness, found);
            }
        }
    }
    Some(Support { assumed: true, without, account, dropped, brittle })
}

/// The contents of a proof that the judge has checked, in sentences; none if the answer comes from a search.
pub(crate) fn reasons(task: &Task, proof: &Proof) -> Vec<String> {
    match proof {
        Proof::Exhaustive | Proof::Listed(_) | Proof::Counted(_) | Proof::Diagrams(_) => Vec::new(),
        Proof::Labelling(labelling) => {
            let mut lines = vec!["This is why, as two solvers have checked.".to_owned()];
            lines.extend(labels::proof(task, labelling));
            lines
        }
        Proof::Local(local) => {
            let invariants = local.invariants.len();
            let cases = match local.cases.len() {
                0 => String::new(),
                1 => " and ranks for one case".to_owned(),
                many => format!(" and ranks for {many} cases"),
            };
            let processes = if invariants == 1 {
                "one process".to_owned()
            } else {
                format!("each of {invariants} processes")
            };
            vec![format!(
                "A local proof carries it: an invariant for {processes}{cases}, which the judge has checked."
            )]
        }
    }
}

/// A run in a sentence. For a task about every value of the parameters, it includes the values of the run.
pub(crate) fn account(task: &Task, found: &Counterexample) -> Option<String> {
    match found {
        Counterexample::Lasso(lasso) => {
            if let Some(path) = evidence::bad_prefix(task, found) {
                return Some(match path.positions.len() {
                    0 => "it can be false at once, whatever follows".to_owned(),
                    1 => "it can be false after one step, whatever follows".to_owned(),
                    steps => format!("it can be false after {steps} steps, whatever follows"),
                });
            }
            let instance = task.instance()?;
            let (processes, _) = starvation::starvation(instance, lasso, &task.property.kind).ok()?;
            Some(in_a_sentence(instance, lasso, &processes))
        }
        Counterexample::Instance { values, member, evidence } => {
            let run = account(&setting::set(task, values, member)?, evidence)?;
            Some(format!("{run} ({})", evidence::scope(task, found)?))
        }
        _ => None,
    }
}

fn in_a_sentence(instance: &Instance, lasso: &Lasso, processes: &[Process]) -> String {
    let cycle = &lasso.positions[lasso.cycle..];
    if cycle.iter().any(|position| position.label == model::Label::Idle) {
        return "the system comes to a deadlock".to_owned();
    }
    let mut labels: Vec<String> = Vec::new();
    for position in cycle {
        let label = show::label(instance, position.label);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    // One more is named, not counted.
    let more = if labels.len() > 5 { labels.len() - 4 } else { 0 };
    labels.truncate(labels.len() - more);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = |process: &Process| match &process.location {
        Some(location) => format!("{} at {}", process.name, place(location)),
        None => process.name.clone(),
    };
    let stuck = |test: &dyn Fn(&Fate) -> bool| {
        processes.iter().filter(|process| test(&process.fate)).map(named).collect::<Vec<String>>()
    };
    let starving = stuck(&|fate| matches!(fate, Fate::Starves { .. }));
    let blocked = stuck(&|fate| matches!(fate, Fate::Blocked(_)));
    let labels_listed = if more.is_empty() { listed(&labels) } else { labels.join(", ") + &more };
    let mut text = format!("{labels_listed} repeat for ever");
    if labels.len() == 1 {
        text = format!("{} repeats for ever", labels[0]);
    }
    let mut waiting = Vec::new();
    if !starving.is_empty() {
        let verb = if starving.len() == 1 { "starves" } else { "starve" };
        waiting.push(format!("{} {verb}", listed(&starving)));
    }
    if !blocked.is_empty() {
        let verb = if blocked.len() == 1 { "is blocked" } else { "are blocked" };
        waiting.push(format!("{} {verb}", listed(&blocked)));
    }
    // What only the environment or a failure could move.
    waiting.extend(processes.iter().filter_map(|process| match &process.fate {
        Fate::Outside { could, waits } if !waits.is_empty() => {
            Some(format!("{} could only take {}", named(process), either(could)))
        }
        _ => None,
    }));
    if !waiting.is_empty() {
        text = format!("{text} while {}", listed(&waiting));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supported(text: &str) -> Option<Support> {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let task = &model.checks[0].task;
        let engine = &crate::all_engines()[0];
        let decide = |task: &Task| engine.check(task, &model::Session::unlimited()).ok();
        assert!(matches!(decide(task), Some(Answer::Holds(_))), "it holds");
        support(task, &decide)
    }

    const LOCK: &str = "
        shared x: bool = true;
        process P[i: 1..3] { loop { rest: stay; enter: request x; leave: release x; } }
        property enters: G (P[1]@enter -> F P[1]@leave) under ";

    #[test]
    fn a_requirement_that_is_needed_shows_the_run_that_appears_without_it() {
        let support =
            supported(&format!("{LOCK} strong P[1].enter & weak P & weak P[1].rest;")).expect("LTL");
        assert_eq!((support.assumed, support.without), (true, Verdict::Fails));
        let verdicts: Vec<(&str, Verdict)> =
            support.dropped.iter().map(|dropped| (dropped.requirement.as_str(), dropped.verdict)).collect();
        let expected = [
            ("strong P[1].enter", Verdict::Fails),
            ("weak P", Verdict::Fails),
            ("weak P[1].rest", Verdict::Holds),
        ];
        assert_eq!(verdicts, expected);
        let account = support.dropped[0].account.as_deref().expect("a lasso");
        assert!(account.ends_with("while P[1] at enter starves"), "{account}");
        assert_eq!(support.dropped[2].account, None);
    }

    #[test]
    fn for_every_number_the_run_that_appears_is_one_of_a_small_instance() {
        let text = "param N >= 2; shared x: bool = true;
            process P[i: 1..N] { loop { rest: stay; enter: request x; leave: release x; } }
            property some: G ((exists i in 1..N: P[i]@enter) -> F (exists i in 1..N: P[i]@leave)) under weak P;";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let engines = crate::all_engines();
        let counter = engines.iter().find(|engine| engine.name() == "counter").expect("an engine");
        let decide = |task: &Task| counter.check(task, &model::Session::unlimited()).ok();
        let support = support(&model.checks[0].task, &decide).expect("LTL");
        let account = support.account.expect("a run");
        assert!(account.ends_with("at enter starves (N = 2)"), "{account}");
    }

    #[test]
    fn what_holds_without_fairness_needs_nothing_else_said() {
        let text = "shared x: bool; process P { loop { s: x = !x; } } property p: G F x under weak P;";
        let support = supported(text).expect("LTL");
        // But beside others it would.
        assert_eq!((support.assumed, support.without, support.brittle), (true, Verdict::Holds, true));
        assert!(support.dropped.iter().all(|dropped| dropped.brittle) && support.dropped.len() == 1);
        let support = supported(&text.replace("G F x", "G (x -> F x)")).expect("LTL");
        assert_eq!((support.without, support.brittle, support.dropped.len()), (Verdict::Holds, false, 0));
        let support = supported(&text.replace("weak P", "none")).expect("LTL");
        assert!(!support.assumed);
        assert_eq!(supported("shared x: bool; process P { s: skip; } invariant p: !x;"), None);
    }
}
