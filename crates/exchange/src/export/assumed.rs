//! The assumptions of a property, for languages in which fairness is a conjunction of requirements.
//!
//! Also the conditions (`defined`) under which the atoms of a property and of its fairness can be evaluated without a
//! fault.

use model::property::Kind;
use model::{Expr, Instance, Requirement, Task, ground};

use super::range::defined;
use super::refusal;
use crate::export::Refusal;

/// The ground requirements of a task, whose fairness is one conjunction of them.
pub(crate) fn requirements(
    instance: &Instance,
    task: &Task,
    tool: &str,
) -> Result<Vec<Requirement>, Refusal> {
    let alternatives = alternatives(instance, task, tool)?;
    match <[Vec<Requirement>; 1]>::try_from(alternatives) {
        Ok([requirements]) => Ok(requirements),
        Err(alternatives) if alternatives.is_empty() => Ok(Vec::new()),
        Err(_) => Err(refusal(format!(
            "its fairness has alternatives (`|`), but {tool} only supports conjunctions"
        ))),
    }
}

/// The alternatives of a task's fairness, each a list of ground requirements; none if every run is fair.
pub(crate) fn alternatives(
    instance: &Instance,
    task: &Task,
    tool: &str,
) -> Result<Vec<Vec<Requirement>>, Refusal> {
    if matches!(task.property.kind, Kind::Invariant(_)) {
        return Ok(Vec::new());
    }
    let fairness = ground::fairness(instance, &task.fairness);
    if fairness.is_none() {
        return Ok(Vec::new());
    }
    if fairness.alternatives.iter().any(|assumption| assumption.global) {
        return Err(refusal(format!(
            "strong global fairness (`global`) speaks of every step of the state graph, which {tool} cannot"
        )));
    }
    Ok(fairness.alternatives.into_iter().map(|assumption| assumption.requirements).collect())
}

/// The refusal of an automaton.
pub(crate) fn automaton(tool: &str) -> Refusal {
    Refusal {
        reason: format!("it is an automaton, and properties are written for {tool} as formulas"),
        instead: "say it in LTL if it can be said there".to_owned(),
    }
}

/// The conditions under which the atoms of a property and of its assumptions have a value, without those that are
/// always true.
pub(crate) fn definedness<'a>(
    instance: &Instance,
    kind: &Kind,
    requirements: impl IntoIterator<Item = &'a Requirement>,
) -> Result<Vec<Expr>, Refusal> {
    let mut atoms = Vec::new();
    match kind {
        Kind::Invariant(predicate) => atoms.push(predicate),
        Kind::Ltl(formula) => atoms.extend(formula.atoms()),
        Kind::Ctl(formula) => atoms.extend(formula.atoms()),
        Kind::Never(never) => atoms.extend(&never.atoms),
    }
    atoms.extend(requirements.into_iter().flat_map(|requirement| [&requirement.when, &requirement.then]));
    let mut conditions: Vec<Expr> = Vec::new();
    for atom in atoms {
        let condition = defined(instance, atom)?;
        if condition != Expr::Bool(true) && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    Ok(conditions)
}
