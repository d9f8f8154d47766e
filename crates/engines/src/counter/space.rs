//! The abstract system: states, the steps between them, and the truth of predicates on steps.
//!
//! A step is kept per context and effect, not per pair of states, because requirements depend on contexts. It keeps
//! the concrete state on which it was found. Atoms of the property, and requirements about no counted process, are
//! evaluated there. A *column* is the truth of one predicate on every step.

use std::sync::Arc;

use model::{Expr, Fault, Index, Label, StopReason};

use super::contexts::{Abstract, Context};
use super::meter::{Meter, TRUTH};
use super::world::{Effect, Scene, World};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Stopped(StopReason),
    /// A fault in a concrete state of a reachable abstract one.
    Fault(Fault),
    TooLarge(&'static str),
    /// Both tickets and indices decide the order of processes.
    TwoOrders,
    /// This variable is not the number of processes with certain letters.
    NoCount(String),
    /// Numbers of processes are compared with each other, and more processes may be on either side.
    Unbalanced,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Stop {
        Stop::Stopped(reason)
    }
}

/// A predicate of a step, with values for indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Predicate {
    pub(super) expr: Expr,
    pub(super) values: Vec<(Index, i64)>,
}

impl Predicate {
    /// A predicate without indices, except those that the property names.
    pub(super) fn closed(expr: &Expr) -> Predicate {
        Predicate { expr: expr.clone(), values: Vec::new() }
    }
}

/// A step of the abstract system.
pub(super) struct AbstractStep {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) context: Arc<Context>,
    /// A concrete state with the context.
    pub(super) scene: Arc<Scene>,
    /// `None` for `idle`.
    pub(super) effect: Option<Effect>,
    /// The action as the user would write it, without the indices of processes.
    pub(super) name: Arc<str>,
}

impl AbstractStep {
    /// The label of the step that its concrete state takes.
    pub(super) fn label(&self) -> Label {
        self.effect.as_ref().map_or(Label::Idle, |effect| Label::Action(effect.action))
    }
}

/// The abstract system.
#[derive(Default)]
pub(super) struct Space {
    pub(super) states: Vec<Abstract>,
    pub(super) initial: Vec<u32>,
    /// Grouped by source, in the order of the states.
    pub(super) steps: Vec<AbstractStep>,
    /// Per state, the contexts that single out one process, and a concrete state with each.
    pub(super) singled_out: Vec<Vec<(Arc<Context>, Arc<Scene>)>>,
    /// The first state that violates the invariant.
    pub(super) violating: Option<u32>,
    columns: Vec<Column>,
}

/// A predicate, and its truth on every step or the first fault in it.
struct Column {
    predicate: Predicate,
    truth: Result<Vec<bool>, Fault>,
}

impl Space {
    /// The number of a predicate's column. It is computed if it is new. Fails if there is a fault in it.
    pub(super) fn column(&mut self, predicate: Predicate, meter: &Meter<'_>) -> Result<usize, Stop> {
        let known = self.columns.iter().position(|column| column.predicate == predicate);
        let number = if let Some(number) = known {
            let mut prices = self.steps.iter().map(price);
            prices.try_for_each(|price| meter.spend(price))?;
            number
        } else {
            let truth = self.evaluate(&predicate, meter)?;
            self.columns.push(Column { predicate, truth });
            self.columns.len() - 1
        };
        match &self.columns[number].truth {
            Ok(_) => Ok(number),
            Err(fault) => Err(Stop::Fault(fault.clone())),
        }
    }

    /// The truth of a predicate on every step. All steps are charged, even those after a fault.
    fn evaluate(
        &self,
        predicate: &Predicate,
        meter: &Meter<'_>,
    ) -> Result<Result<Vec<bool>, Fault>, StopReason> {
        let mut truth = Ok(Vec::new());
        // The predicate with the parameters of the instance that was met last.
        let mut set: Option<(Arc<World>, Arc<Expr>)> = None;
        for step in &self.steps {
            meter.spend(price(step))?;
            let Ok(column) = &mut truth else { continue };
            let world = &step.scene.world;
            if !set.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, world)) {
                set = Some((Arc::clone(world), world.set(&predicate.expr)));
            }
            let Some((_, expr)) = &set else { unreachable!("it has just been set") };
            match step.scene.truths(&[expr], step.label(), &predicate.values) {
                Ok([value]) => column.push(value),
                Err(fault) => truth = Err(fault),
            }
        }
        Ok(truth)
    }

    /// Whether a predicate is true of a step, by its column.
    pub(super) fn truth(&self, column: usize, step: usize) -> bool {
        self.columns[column].truth.as_ref().is_ok_and(|truth| truth[step])
    }
}

/// The price of evaluating a predicate on a step.
fn price(step: &AbstractStep) -> u64 {
    TRUTH + step.scene.state.0.len() as u64
}
