//! Step predicates on the edges of a program: requirements, and the letters an automaton reads.
//!
//! An edge is labelled with one action, so `taken` is decided on it, up to comparisons with the state. The result is
//! a predicate of the state that the edge leaves.

use model::fairness::Assumption;
use model::{Expr, Instance, Label};
use smt::Formula;

use super::expression::Unsupported;
use super::label::EdgeDemand;
use super::program::{Edge, Program};
use crate::events;

/// The condition under which each edge satisfies a ground step predicate.
pub(super) fn on_edges(
    instance: &Instance,
    program: &Program,
    predicate: &Expr,
) -> Result<Vec<Formula>, Unsupported> {
    let mut found = Vec::with_capacity(program.edges.len());
    for edge in &program.edges {
        found.push(program.at(instance, edge.source, &decided(instance, edge, predicate))?);
    }
    Ok(found)
}

/// A step predicate on an edge, as a predicate of the state that the edge leaves.
pub(super) fn decided(instance: &Instance, edge: &Edge, predicate: &Expr) -> Expr {
    let action = match edge.label {
        Label::Idle => None,
        Label::Action(id) => Some(instance.action(id)),
    };
    events::decide(predicate, &|pattern| Some(events::taken(instance, pattern, action)))
}

/// The demands of a ground assumption.
pub(super) fn demands(
    instance: &Instance,
    program: &Program,
    assumption: &Assumption,
) -> Result<Vec<EdgeDemand>, Unsupported> {
    let pair = |when: &Expr, then: &Expr| -> Result<EdgeDemand, Unsupported> {
        Ok(EdgeDemand { when: on_edges(instance, program, when)?, then: on_edges(instance, program, then)? })
    };
    assumption.requirements.iter().map(|requirement| pair(&requirement.when, &requirement.then)).collect()
}
