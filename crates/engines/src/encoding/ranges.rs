//! Which tasks can be turned into diagrams: those of one instance in which every variable has a range that can be
//! listed, under requirements that speak of steps.
//!
//! A variable of unbounded type is taken if nothing ever assigns to it.

use std::sync::Arc;

use model::instance::Start;
use model::property::Kind;
use model::system::{Initial, Scalar, Update};
use model::{Instance, Refusal, Task, VariableId};

/// The greatest number of values of a variable.
const VALUES: u64 = 1 << 12;

/// The instance and the least and greatest value of each cell, or why the method does not apply.
pub(crate) fn instance(task: &Task, engine: &str) -> Result<(Instance, Vec<(i64, i64)>), Refusal> {
    let system = &task.system;
    let refusal = |reason: String, instead: &str| Err(Refusal { reason, instead: instead.to_owned() });
    if let Some(parameter) = system.parameters.first() {
        let name = &parameter.name;
        let all: Vec<String> = system.parameters.iter().map(|p| format!("--set {}=…", p.name)).collect();
        return refusal(
            format!("{name} is a parameter, and the {engine} engine checks one instance at a time"),
            &format!("choose a value with {}", all.join(" ")),
        );
    }
    if !task.property.binders.is_empty() {
        return refusal(
            format!("`{}` stands for a family of properties", task.property.name),
            "choose values for the parameters it depends on",
        );
    }
    if !matches!(task.property.kind, Kind::Invariant(_))
        && task.fairness.alternatives.iter().any(|assumption| assumption.global)
    {
        return refusal(
            format!("the {engine} engine does not know strong global fairness"),
            "use the explicit engine, or strong fairness of all actions",
        );
    }
    let instance = Instance::new(Arc::clone(system))
        .map_err(|obstacle| Refusal { reason: obstacle.to_string(), instead: String::new() })?;
    let written: Vec<bool> = (0..system.variables.len() as u32)
        .map(|variable| system.actions.iter().any(|action| writes(&action.update, VariableId(variable))))
        .collect();
    let mut domains = Vec::with_capacity(instance.cells.len());
    for (cell, start) in instance.cells.iter().zip(&instance.starts) {
        let variable = system.variable(cell.variable);
        let mut domain = (cell.domain.lo, cell.domain.hi);
        if variable.kind.scalar == Scalar::Int {
            if written[cell.variable.0 as usize] || variable.initial == Initial::Any {
                return refusal(
                    format!("`{}` may be any integer, and the {engine} engine needs ranges", variable.name),
                    "give its type a range, or use the explicit engine",
                );
            }
            if let Start::Among(values) = start {
                let ends = (values.iter().min(), values.iter().max());
                domain = (*ends.0.unwrap_or(&0), *ends.1.unwrap_or(&0));
            }
        }
        if domain.1.abs_diff(domain.0) >= VALUES && domain.0 <= domain.1 {
            return refusal(
                format!(
                    "`{}` has more values than the {VALUES} that the {engine} engine can list",
                    variable.name
                ),
                "make its range smaller, or use the explicit engine",
            );
        }
        domains.push(domain);
    }
    Ok((instance, domains))
}

/// Whether an update assigns to a variable.
fn writes(update: &Update, variable: VariableId) -> bool {
    match update {
        Update::Skip => false,
        Update::Assign(assignments) => assignments.iter().any(|(place, _)| place.variable == variable),
        Update::Sequence(updates) => updates.iter().any(|update| writes(update, variable)),
        Update::If(_, yes, no) => writes(yes, variable) || writes(no, variable),
        Update::Either(branches) => branches.iter().any(|(_, update)| writes(update, variable)),
        Update::Choose(_, _, body) => writes(body, variable),
    }
}
