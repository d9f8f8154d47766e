//! What a property assumes, for languages in which fairness is a conjunction of requirements.
//!
//! And where it may be a fault to evaluate a property or its fairness: `defined` conditions on their atoms.

use model::property::{Ctl, Formula, Kind};
use model::{Expr, Instance, Refusal, Requirement, Task, ground};

use super::range::defined;
use super::refusal;

/// The ground requirements of a task, whose fairness is one conjunction of them.
pub(super) fn requirements(
    instance: &Instance,
    task: &Task,
    tool: &str,
) -> Result<Vec<Requirement>, Refusal> {
    let alternatives = alternatives(instance, task, tool)?;
    match <[Vec<Requirement>; 1]>::try_from(alternatives) {
        Ok([requirements]) => Ok(requirements),
        Err(alternatives) if alternatives.is_empty() => Ok(Vec::new()),
        Err(_) => {
            Err(refusal(format!("its fairness has alternatives (`|`), and {tool} knows conjunctions only")))
        }
    }
}

/// The alternatives of a task's fairness, each a list of ground requirements; none if every run is fair.
pub(super) fn alternatives(
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

/// The conditions under which the atoms of a property, and what it assumes, have a value; those that may not.
pub(super) fn definedness<'a>(
    instance: &Instance,
    kind: &Kind,
    requirements: impl IntoIterator<Item = &'a Requirement>,
) -> Result<Vec<Expr>, Refusal> {
    let mut atoms = Vec::new();
    match kind {
        Kind::Invariant(predicate) => atoms.push(predicate),
        Kind::Ltl(formula) => linear_atoms(formula, &mut atoms),
        Kind::Ctl(formula) => branching_atoms(formula, &mut atoms),
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

fn linear_atoms<'a>(formula: &'a Formula, atoms: &mut Vec<&'a Expr>) {
    match formula {
        Formula::Atom(atom) => atoms.push(atom),
        Formula::Not(a) | Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a) => {
            linear_atoms(a, atoms);
        }
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| linear_atoms(part, atoms)),
        Formula::Implies(a, b) | Formula::Until(a, b) | Formula::WeakUntil(a, b) | Formula::Release(a, b) => {
            [a, b].into_iter().for_each(|part| linear_atoms(part, atoms));
        }
        Formula::Forall(_, body) | Formula::Exists(_, body) => linear_atoms(body, atoms),
    }
}

fn branching_atoms<'a>(formula: &'a Ctl, atoms: &mut Vec<&'a Expr>) {
    match formula {
        Ctl::Atom(atom) => atoms.push(atom),
        Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => branching_atoms(a, atoms),
        Ctl::And(parts) | Ctl::Or(parts) => parts.iter().for_each(|part| branching_atoms(part, atoms)),
        Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
            [a, b].into_iter().for_each(|part| branching_atoms(part, atoms));
        }
        Ctl::Forall(_, body) | Ctl::Exists(_, body) => branching_atoms(body, atoms),
    }
}
