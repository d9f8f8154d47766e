//! What a reader of a minimal set of requirements asks next: why each of them is needed, and what it does not say.
//!
//! A requirement is needed because without it, or with `weak` in place of `strong`, some fair run violates the property. And
//! `strong P.agree` does not force `agree` where the choice between it and other steps comes only once: taking another one
//! ends the choice.

use std::collections::BTreeSet;

use model::expr::{Operator, Party};
use model::fairness::Word;
use model::system::Update;
use model::{Expr, Fairness, FamilyId, System, VariableId};

use super::asker::{AskResult, Asker};
use super::rank::is_failure;
use super::targets::{Target, declarations};
use crate::explain::{account, names};
use crate::report::plain;

/// Why a requirement of a minimal set cannot be left out, or made weak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The requirement as it is declared.
    pub requirement: String,
    /// The same with `weak`, if it is a strong one.
    pub weaker: Option<String>,
    /// A run that the others and the weaker one allow, in a sentence.
    pub run: String,
}

/// A requirement on one of several steps that begin at the same place, to which the process does not come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The requirement as it is declared.
    pub requirement: String,
    /// The label of the step.
    pub label: String,
    /// The labels of the others.
    pub others: Vec<String>,
}

/// A requirement on a process that can meet it by a failure, and must where it can do nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// The requirement as it is declared.
    pub requirement: String,
    /// The failures: `Participant.crash`.
    pub failures: Vec<String>,
}

/// For each requirement of a set, a run that is left without it, or if it is only weak, where one is found. Over unbounded
/// integers that may take solvers long, so nothing is said there.
pub(super) fn reasons(asker: &mut Asker<'_>, set: &[(Target, Word)], all: &[Target]) -> Vec<Reason> {
    if !asker.task().subject.is_bounded() {
        return Vec::new();
    }
    let system = asker.task().system().clone();
    let mut found = Vec::new();
    for (changed, (target, word)) in set.iter().enumerate() {
        let weaker = (*word == Word::Strong).then_some(Word::Weak);
        let others = set.iter().enumerate().filter(|(number, _)| *number != changed);
        let others = others.flat_map(|(_, (target, word))| target.requirements(&system, *word));
        let own = weaker.into_iter().flat_map(|word| target.requirements(&system, word));
        let AskResult::Fails(run) = asker.ask(&Fairness::all_of(others.chain(own).collect())) else {
            continue;
        };
        let Some(run) = account(asker.task(), &run) else { continue };
        let declared = |word: Word| declarations(&system, &[(target, word)], all).join(" & ");
        found.push(Reason { requirement: declared(*word), weaker: weaker.map(declared), run });
    }
    found
}

/// The requirements of some sets that another step at the same place can meet as well, unless the set names all of these.
pub(super) fn choices(system: &System, sets: &[Vec<(Target, Word)>]) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    for set in sets {
        for (target, word) in set {
            let Some((label, mut others)) = alternatives(system, target) else { continue };
            let is_named = |label: &String| {
                set.iter().any(|(other, _)| alternatives(system, other).is_some_and(|(own, _)| own == *label))
            };
            if others.is_empty() || others.iter().all(is_named) {
                continue;
            }
            others.dedup();
            let requirement = target.declarations(system, *word).join(" & ");
            let choice = Choice { requirement, label, others };
            if !found.contains(&choice) {
                found.push(choice);
            }
        }
    }
    found
}

/// The requirements on processes that have to meet them by failures somewhere, if `may` says so of their family: those of
/// some sets, and those of an assumption.
pub(super) fn forced(
    system: &System,
    sets: &[Vec<(Target, Word)>],
    assumed: &Fairness,
    mut may: impl FnMut(FamilyId) -> bool,
) -> (Vec<Forced>, Vec<Forced>) {
    let of_sets = sets.iter().flatten().filter(|(target, _)| !target.is_action());
    let of_sets =
        of_sets.map(|(target, word)| (target.family(), target.declarations(system, *word).join(" & ")));
    let assumed = assumed.alternatives.iter().flat_map(|one| &one.requirements).filter_map(|one| {
        let [Party { family, label: None, .. }] = one.of.as_ref()?.participants[..] else { return None };
        Some((family, plain::requirement(system, one)))
    });
    let mut found = |asked: Vec<(FamilyId, String)>| {
        let mut found: Vec<Forced> = Vec::new();
        for (family, requirement) in asked {
            let failures = names(system, &|_, own| own.family == family && is_failure(&own.label));
            let forced = Forced { requirement, failures };
            if !forced.failures.is_empty() && !found.contains(&forced) && may(family) {
                found.push(forced);
            }
        }
        found
    };
    (found(of_sets.collect()), found(assumed.collect()))
}

/// The label of a step of one process, and those of the other steps that begin where it does.
fn alternatives(system: &System, target: &Target) -> Option<(String, Vec<String>)> {
    let first = target.first_action()?;
    let action = &system.actions[first];
    let [own] = &action.participants[..] else { return None };
    let place = begins_at(system, first)?;
    if comes_back(system, place) {
        return None;
    }
    let others = (0..system.actions.len()).filter(|other| begins_at(system, *other) == Some(place));
    let labels = others.map(|other| system.actions[other].participants[0].label.clone());
    Some((own.label.clone(), labels.filter(|label| *label != own.label).collect()))
}

/// The family of the first process of an action and the location where it is, if the guard begins with that.
fn begins_at(system: &System, action: usize) -> Option<(u32, i64)> {
    let action = &system.actions[action];
    let family = action.participants.first()?.family;
    let location = system.family(family).location?;
    let begin = match &action.guard {
        Expr::And(parts) => parts.first()?,
        other => other,
    };
    match begin {
        Expr::Binary(Operator::Eq, place, value) => match (&**place, &**value) {
            (Expr::Read(place), Expr::Int(value)) if place.variable == location => Some((family.0, *value)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a process may come back to a location, as far as the steps tell whose locations are constants.
fn comes_back(system: &System, (family, location): (u32, i64)) -> bool {
    let Some(variable) = system.family(FamilyId(family)).location else { return true };
    let mut pending = vec![location];
    let mut reached = BTreeSet::new();
    while let Some(from) = pending.pop() {
        for number in
            (0..system.actions.len()).filter(|other| begins_at(system, *other) == Some((family, from)))
        {
            let mut next = Vec::new();
            if !goes_to(&system.actions[number].update, variable, &mut next) || next.is_empty() {
                return true;
            }
            pending.extend(next.into_iter().filter(|to| reached.insert(*to)));
        }
    }
    reached.contains(&location)
}

/// The locations to which an update goes. False if it goes to one that is not a constant.
fn goes_to(update: &Update, variable: VariableId, found: &mut Vec<i64>) -> bool {
    let mut constants = |expr: &Expr| constants(expr, found);
    match update {
        Update::Skip => true,
        Update::Assign(parts) => {
            parts.iter().filter(|(place, _)| place.variable == variable).all(|(_, expr)| constants(expr))
        }
        Update::Sequence(parts) => parts.iter().all(|part| goes_to(part, variable, found)),
        Update::If(_, yes, no) => goes_to(yes, variable, found) && goes_to(no, variable, found),
        Update::Either(branches) => branches.iter().all(|(_, branch)| goes_to(branch, variable, found)),
        Update::Choose(_, _, body) => goes_to(body, variable, found),
    }
}

/// The values of an expression, if they are constants that conditions choose from.
fn constants(expr: &Expr, found: &mut Vec<i64>) -> bool {
    match expr {
        Expr::Int(value) => {
            found.push(*value);
            true
        }
        Expr::If(_, yes, no) => constants(yes, found) && constants(no, found),
        _ => false,
    }
}
