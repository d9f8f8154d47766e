//! The fair region, with two shortcuts that need no proof.
//!
//! Before the fixpoint of [`crate::regions::fair`] begins, states in which the automaton is stuck are left out, and so
//! are steps that lie on no cycle for a simple reason ([`super::cycles`]). And if all states are one strong component
//! that meets every demand, two closures show it, where the fixpoint would need one per demand.

use std::rc::Rc;

use super::cycles::on_cycles;
use super::system::System;
use crate::encoding::Stop;
use crate::regions::fair::{Search, Unrecorded, contains};
use crate::regions::{Demands, Product, Region, Sets};

/// The greatest fair region within some sets, perhaps empty.
pub(super) fn fair_region(
    system: &System<'_>,
    product: &Product<'_, '_>,
    within: Sets,
    demands: &Demands,
) -> Result<Region, Stop> {
    let within = can_go_on(product, within)?;
    let mut search = Search::new(product, within, demands, Unrecorded(product.table));
    search.ask_unmet()?;
    if !product.is_nowhere(&search.region.sets) {
        if let Some(relations) = on_cycles(system, product, &search.region)? {
            search.region.relations = Rc::new(relations);
        }
        search.settle()?;
    }
    Ok(search.region)
}

/// The states in which the automaton is not stuck: those of the label of some arc.
fn can_go_on(product: &Product<'_, '_>, mut sets: Sets) -> Result<Sets, Stop> {
    let table = product.table;
    let mut labels = vec![Vec::new(); product.states];
    for arc in product.arcs.iter().filter(|arc| !table.is_never(&sets[arc.target])) {
        labels[arc.source].push(arc.label.otherwise.clone());
        labels[arc.source].extend(arc.label.at.values().cloned());
    }
    for (set, labels) in sets.iter_mut().zip(labels) {
        *set = table.and(set, &table.any(labels)?)?;
    }
    Ok(sets)
}

/// Whether a region is one strong component that meets all demands; `anchor` is one of its states.
pub(super) fn is_one_fair_component(
    product: &Product<'_, '_>,
    region: &Region,
    anchor: &Sets,
    demands: &Demands,
) -> Result<bool, Stop> {
    for demand in &demands.of_steps {
        let asks = match &demand.when {
            None => true,
            Some(when) => !product.is_nowhere(&product.sources(region, when)?),
        };
        if asks && product.is_nowhere(&product.sources(region, &demand.then)?) {
            return Ok(false);
        }
    }
    for mark in 0..demands.marks {
        if product.is_nowhere(&product.sources_of_mark(region, mark)?) {
            return Ok(false);
        }
    }
    Ok(contains(product.table, &product.backward(anchor, region)?, &region.sets)?
        && contains(product.table, &product.forward(anchor, region)?, &region.sets)?)
}
