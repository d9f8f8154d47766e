//! The lowered form of a task in a proof file: what a checker needs, and nothing else.
//!
//! Every index is replaced by its value, quantifiers are unrolled, cells and actions are numbers. Expressions and updates
//! are nested arrays whose first element says what they are. `docs/proofs.md` describes them, and
//! `tools/check_proof.py` gives them their meaning in another language.

use driver::model::automaton::Edge;
use driver::model::expr::Quantifier;
use driver::model::instance::{Environment, Start};
use driver::model::proof::labels;
use driver::model::property::Kind;
use driver::model::{
    ActionId, Automaton, Binder, Core, Ctl, Expr, Instance, Pattern, Place, ProcessId, Task, Update, ground,
    semantics, tableau,
};
use serde_json::{Map, Value, json};

use super::sign;

/// What cannot be lowered, in a sentence.
type Result<T> = std::result::Result<T, String>;

/// The most values for which a quantifier or a choice is unrolled.
const UNROLLED: i64 = 100_000;

/// The system, the claim and the fairness of a task. The claim of a CTL formula is its core if its parts are labelled.
pub(super) fn task(task: &Task, instance: &Instance, is_labelled: bool) -> Result<Map<String, Value>> {
    let lower = Lower { instance };
    let mut members = Map::new();
    members.insert("system".to_owned(), lower.system()?);
    match &task.property.kind {
        Kind::Invariant(predicate) => {
            members.insert("invariant".to_owned(), lower.expr(predicate, &mut Environment::default())?);
        }
        kind => {
            if let (true, Kind::Ctl(formula)) = (is_labelled, kind) {
                members.insert("formula".to_owned(), lower.core(&core(instance, formula))?);
            } else {
                let automaton = tableau::violations(instance, kind)
                    .ok_or("the automaton of the property cannot be written")?;
                members.insert("automaton".to_owned(), lower.automaton(&automaton)?);
            }
            let alternatives = task.fairness.alternatives.iter().map(|assumption| {
                let requirements =
                    ground::requirements(instance, assumption).into_iter().map(|(number, values, _)| {
                        // The ground form spells out what is enabled; the original is shorter.
                        let original = &assumption.requirements[number];
                        let environment = &mut Environment::default();
                        for (binder, value) in original.binders.iter().zip(values) {
                            environment.bind(binder.index, value);
                        }
                        let when = lower.expr(&original.when, environment)?;
                        Ok(json!([when, lower.expr(&original.then, environment)?]))
                    });
                let requirements = requirements.collect::<Result<Vec<Value>>>()?;
                Ok(json!({ "requirements": requirements, "global": assumption.global }))
            });
            members.insert("alternatives".to_owned(), alternatives.collect::<Result<Value>>()?);
        }
    }
    Ok(members)
}

/// The subformulas of a task's property that have labels, in the order of the labels.
pub(super) fn labelled(task: &Task, instance: &Instance) -> Result<Vec<Value>> {
    let Kind::Ctl(formula) = &task.property.kind else { return Ok(Vec::new()) };
    let lower = Lower { instance };
    let formulas = labels::labelled(&core(instance, formula), task.fairness.is_none());
    formulas.iter().map(|formula| lower.core(formula)).collect()
}

fn core(instance: &Instance, formula: &Ctl) -> Core {
    Core::of(&ground::ctl(instance, formula, &mut Environment::default()))
}

struct Lower<'a> {
    instance: &'a Instance,
}

impl Lower<'_> {
    fn system(&self) -> Result<Value> {
        let instance = self.instance;
        let cells: Vec<Value> = instance
            .cells
            .iter()
            .zip(&instance.starts)
            .map(|(cell, start)| {
                let start = match start {
                    Start::Any => Value::Null,
                    Start::Among(values) => json!(values),
                };
                json!({ "name": cell.name, "lo": cell.domain.lo, "hi": cell.domain.hi, "start": start })
            })
            .collect();
        let none = &mut Environment::default();
        let init = instance.system.init.iter().map(|predicate| self.expr(predicate, none));
        let init = init.collect::<Result<Value>>()?;
        let actions = instance.actions.iter().map(|action| {
            let of = &instance.system.actions[action.action];
            let environment = &mut action.environment.clone();
            let guard = self.expr(&of.guard, environment)?;
            let update = self.update(&of.update, environment)?;
            Ok(json!({ "name": action.name, "guard": guard, "update": update }))
        });
        let actions = actions.collect::<Result<Value>>()?;
        Ok(json!({ "cells": cells, "init": init, "actions": actions }))
    }

    fn core(&self, formula: &Core) -> Result<Value> {
        let list = |word: &str, parts: &[&Core]| {
            let mut list = vec![json!(word)];
            for part in parts {
                list.push(self.core(part)?);
            }
            Ok(Value::Array(list))
        };
        match formula {
            Core::Atom(atom) => Ok(json!(["atom", self.expr(atom, &mut Environment::default())?])),
            Core::Not(a) => list("not", &[a]),
            Core::And(parts) => list("and", &parts.iter().collect::<Vec<_>>()),
            Core::Or(parts) => list("or", &parts.iter().collect::<Vec<_>>()),
            Core::Next(a) => list("EX", &[a]),
            Core::Until(a, b) => list("EU", &[a, b]),
            Core::Globally(a) => list("EG", &[a]),
            Core::Infinitely(parts) => list("EGF", &parts.iter().collect::<Vec<_>>()),
        }
    }

    fn automaton(&self, automaton: &Automaton) -> Result<Value> {
        let none = &mut Environment::default();
        let atoms = automaton.atoms.iter().map(|atom| self.expr(atom, none)).collect::<Result<Value>>()?;
        let edge = |edge: &Edge| json!([edge.cube.positive, edge.cube.negative, edge.marks, edge.target]);
        let states: Vec<Value> =
            automaton.states.iter().map(|edges| edges.iter().map(edge).collect::<Value>()).collect();
        Ok(json!({
            "atoms": atoms, "marks": automaton.marks, "initial": automaton.initial, "states": states
        }))
    }

    fn list(&self, word: &str, parts: &[Expr], environment: &mut Environment) -> Result<Value> {
        let mut list = vec![json!(word)];
        for part in parts {
            list.push(self.expr(part, environment)?);
        }
        Ok(Value::Array(list))
    }

    fn expr(&self, expr: &Expr, environment: &mut Environment) -> Result<Value> {
        match expr {
            Expr::Bool(truth) => Ok(json!(truth)),
            Expr::Int(value) => Ok(json!(value)),
            Expr::Index(index) => {
                environment.get(*index).map(|value| json!(value)).ok_or_else(|| "an index is open".to_owned())
            }
            Expr::Parameter(_) => Err("a parameter is open".to_owned()),
            Expr::Read(place) => Ok(json!(["cell", self.place(place, environment)?])),
            Expr::Not(a) => Ok(json!(["not", self.expr(a, environment)?])),
            Expr::Neg(a) => Ok(json!(["neg", self.expr(a, environment)?])),
            Expr::And(parts) => self.list("and", parts, environment),
            Expr::Or(parts) => self.list("or", parts, environment),
            Expr::Sum(parts) => self.list("+", parts, environment),
            Expr::Min(parts) => self.list("min", parts, environment),
            Expr::Max(parts) => self.list("max", parts, environment),
            Expr::Binary(operator, a, b) => {
                Ok(json!([sign(*operator), self.expr(a, environment)?, self.expr(b, environment)?]))
            }
            Expr::If(a, b, c) => Ok(json!([
                "if",
                self.expr(a, environment)?,
                self.expr(b, environment)?,
                self.expr(c, environment)?
            ])),
            Expr::Quantified(quantifier, binder, body) => {
                let word = match quantifier {
                    Quantifier::Forall => "and",
                    Quantifier::Exists => "or",
                    Quantifier::Count | Quantifier::Sum => "+",
                    Quantifier::Min => "min",
                    Quantifier::Max => "max",
                };
                let mut list = vec![json!(word)];
                list.extend(unrolled(binder, environment, |environment| self.expr(body, environment))?);
                Ok(Value::Array(list))
            }
            Expr::Taken(pattern) => Ok(json!(["taken", self.actions(pattern, environment)?])),
            Expr::Enabled(pattern) => Ok(json!(["enabled", self.actions(pattern, environment)?])),
        }
    }

    /// The numbers of the actions of an event.
    fn actions(&self, pattern: &Pattern, environment: &mut Environment) -> Result<Vec<u32>> {
        if !pattern.is_rigid() {
            return Err("an event depends on the state".to_owned());
        }
        let actions = self.instance.matching(pattern, environment).map_err(|fault| fault.to_string())?;
        Ok(actions.into_iter().map(|ActionId(number)| number).collect())
    }

    /// A cell by number; or indices with their ranges, and the cells for all their values in order.
    fn place(&self, place: &Place, environment: &mut Environment) -> Result<Value> {
        let instance = self.instance;
        let owner = instance.system.variable(place.variable).owner;
        let mut indices = Vec::new();
        let mut owners = vec![None];
        if let Some(family) = owner {
            owners = instance.members(family).map(Some).collect();
            if let Some(process) = &place.process {
                let index = |owner: Option<&Option<ProcessId>>| {
                    owner.copied().flatten().and_then(|id| instance.processes[id.0 as usize].index)
                };
                let (lo, hi) = (index(owners.first()), index(owners.last()));
                indices.push(json!([lo, hi, self.expr(process, environment)?]));
            }
        }
        for ((lo, hi), index) in instance.dimensions(place.variable).iter().zip(&place.position) {
            indices.push(json!([lo, hi, self.expr(index, environment)?]));
        }
        let cells: Vec<usize> =
            owners.into_iter().flat_map(|owner| instance.cells_of(place.variable, owner)).collect();
        // If all indices are constants, there is one cell.
        let mut offset = 0;
        for index in &indices {
            let [Some(lo), Some(hi), Some(value)] = [0, 1, 2].map(|part| index[part].as_i64()) else {
                return Ok(json!([indices, cells]));
            };
            if value < lo || hi < value {
                return Ok(json!([indices, cells]));
            }
            offset = offset * (hi - lo + 1) + (value - lo);
        }
        Ok(json!(cells[offset as usize]))
    }

    fn update(&self, update: &Update, environment: &mut Environment) -> Result<Value> {
        Ok(match update {
            Update::Skip => json!(["seq"]),
            Update::Assign(assignments) => {
                let mut list = vec![json!("assign")];
                for (place, expr) in assignments {
                    list.push(json!([self.place(place, environment)?, self.expr(expr, environment)?]));
                }
                Value::Array(list)
            }
            Update::Sequence(updates) => {
                let mut list = vec![json!("seq")];
                for update in updates {
                    list.push(self.update(update, environment)?);
                }
                Value::Array(list)
            }
            Update::If(condition, yes, no) => json!([
                "if",
                self.expr(condition, environment)?,
                self.update(yes, environment)?,
                self.update(no, environment)?
            ]),
            Update::Either(branches) => {
                let mut list = vec![json!("either")];
                for (condition, branch) in branches {
                    list.push(json!([self.expr(condition, environment)?, self.update(branch, environment)?]));
                }
                Value::Array(list)
            }
            Update::Choose(binder, condition, body) => {
                let branches = unrolled(binder, environment, |environment| {
                    Ok(json!([self.expr(condition, environment)?, self.update(body, environment)?]))
                })?;
                let mut list = vec![json!("either")];
                list.extend(branches);
                Value::Array(list)
            }
        })
    }
}

/// One value per value of a binder.
fn unrolled(
    binder: &Binder,
    environment: &mut Environment,
    mut body: impl FnMut(&mut Environment) -> Result<Value>,
) -> Result<Vec<Value>> {
    let rigid = |expr: &Expr, environment: &mut Environment| {
        if !expr.is_rigid() {
            return Err("a range depends on the state".to_owned());
        }
        semantics::rigid(expr, environment).map_err(|fault| fault.to_string())
    };
    let (lo, hi) = (rigid(&binder.span.lo, environment)?, rigid(&binder.span.hi, environment)?);
    if hi.saturating_sub(lo) > UNROLLED {
        return Err("a range is too large".to_owned());
    }
    let mut values = Vec::new();
    for value in lo..=hi {
        environment.bind(binder.index, value);
        let result = body(environment);
        environment.unbind();
        values.push(result?);
    }
    Ok(values)
}
