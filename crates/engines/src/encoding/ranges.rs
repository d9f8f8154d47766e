//! Which tasks can be turned into diagrams: those of one instance in which every variable has a range that can be
//! listed.
//!
//! A variable of unbounded type is taken if nothing ever assigns to it.

use std::sync::Arc;

use model::instance::Start;
use model::system::{Initial, Scalar};
use model::{Declared, Instance, Refusal, RefusalKind, Task, VariableId};

/// The least and greatest value of each cell.
pub(crate) type Domains = Vec<(i64, i64)>;

/// The greatest number of values of a variable.
const VALUES: u64 = 1 << 12;

/// The instance and the least and greatest value of each cell, or why the method does not apply.
pub(crate) fn instance(task: &Task) -> Result<(&Arc<Instance>, Domains), Refusal> {
    let instance = one_instance(task)?;
    let system = task.system();
    let written: Vec<bool> = (0..system.variables.len() as u32)
        .map(|variable| system.actions.iter().any(|action| action.update.writes(VariableId(variable))))
        .collect();
    let mut domains = Vec::with_capacity(instance.cells.len());
    for (cell, start) in instance.cells.iter().zip(&instance.starts) {
        let variable = system.variable(cell.variable);
        let about = Declared::Variable(cell.variable);
        let mut domain = (cell.domain.lo, cell.domain.hi);
        if variable.kind.scalar == Scalar::Int {
            if written[cell.variable.0 as usize] || variable.initial == Initial::Any {
                return Err(Refusal::about(about, RefusalKind::Unbounded));
            }
            if let Start::Among(values) = start {
                let ends = (values.iter().min(), values.iter().max());
                domain = (*ends.0.unwrap_or(&0), *ends.1.unwrap_or(&0));
            }
        }
        if domain.1.abs_diff(domain.0) >= VALUES && domain.0 <= domain.1 {
            return Err(Refusal::about(about, RefusalKind::Values { most: VALUES }));
        }
        domains.push(domain);
    }
    Ok((instance, domains))
}

/// The instance that a task is about, for engines that check one instance and one property at a time.
pub(crate) fn one_instance(task: &Task) -> Result<&Arc<Instance>, Refusal> {
    let instance = task.instance().ok_or(Refusal::of(RefusalKind::Open))?;
    if task.property.binders.is_empty() {
        Ok(instance)
    } else {
        Err(Refusal::about(Declared::Property(task.property.name.clone()), RefusalKind::Family))
    }
}
