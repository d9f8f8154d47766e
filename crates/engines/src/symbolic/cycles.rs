//! Steps that lie on no cycle, because one cell says so.
//!
//! On a cycle every cell comes back to its value. So take the graph of the values of one cell, with an edge from `v` to
//! `w` if some step changes the cell so; a step that changes it along an edge between two strong components of this graph
//! lies on no cycle. Leave such steps out; other cells may then have fewer edges, and so on. A process that
//! can never do again what it has to do in between stands still, and then so do those that wait for it, one
//! after the other. The fixpoint for fair runs would find the same by removing states layer by layer, which
//! takes as many rounds as the longest way is long; here it takes one look at each cell.

use std::collections::BTreeSet;

use super::system::System;
use crate::bdd::{Bdd, Relation};
use crate::encoding::Stop;
use crate::regions::{Product, Region};

/// Cells with more values than this are not looked at: the values a value leads to are the bits of a word.
const VALUES: usize = 64;

/// The steps of each group that may lie on a cycle of the region; nothing if all may.
pub(super) fn on_cycles(
    system: &System<'_>,
    product: &Product<'_, '_>,
    region: &Region,
) -> Result<Option<Vec<Relation>>, Stop> {
    let table = system.table;
    let mut sources = Vec::with_capacity(system.groups.len());
    for group in 0..system.groups.len() {
        sources.push(steps_begin(product, region, group)?);
    }
    let mut relations: Vec<Relation> = system
        .diagrams
        .groups
        .iter()
        .map(|group| group.relation.restricted(group.relation.predicate.clone()))
        .collect();
    let count = |cell: usize| system.cells.values(cell).count();
    let of_group = |group: usize| system.groups[group].writes.iter().copied().filter(|c| count(*c) <= VALUES);
    let mut edges: Vec<Vec<(usize, Edges)>> = vec![Vec::new(); system.groups.len()];
    let mut changed: BTreeSet<usize> = (0..system.groups.len()).collect();
    let mut any = false;
    while !changed.is_empty() {
        let mut cells = BTreeSet::new();
        for group in std::mem::take(&mut changed) {
            edges[group].clear();
            for cell in of_group(group) {
                let found = edges_of(system, cell, &relations[group], &sources[group])?;
                edges[group].push((cell, found));
                cells.insert(cell);
            }
        }
        for cell in cells {
            let mut all = vec![0; count(cell)];
            for (_, of_cell) in edges.iter().flatten().filter(|(of, _)| *of == cell) {
                all.iter_mut().zip(of_cell).for_each(|(all, edges)| *all |= edges);
            }
            let reach = closed(all);
            for group in 0..system.groups.len() {
                let Some((_, own)) = edges[group].iter().find(|(of, _)| *of == cell) else { continue };
                let crossing = crossing(system, cell, own, &reach)?;
                if !table.is_never(&crossing) {
                    let predicate = table.minus(&relations[group].predicate, &crossing)?;
                    relations[group] = relations[group].restricted(predicate);
                    changed.insert(group);
                    any = true;
                }
            }
        }
    }
    Ok(any.then_some(relations))
}

/// Per value of a cell, the values that a step can change it to, as bits.
type Edges = Vec<u64>;

/// The states where steps of a group begin.
fn steps_begin(product: &Product<'_, '_>, region: &Region, group: usize) -> Result<Bdd, Stop> {
    let table = product.table;
    let mut sources = Vec::new();
    for (number, arc) in product.arcs.iter().enumerate() {
        if !table.is_never(&region.sets[arc.target]) {
            let mut set = table.and(&region.sets[arc.source], arc.label.of(group))?;
            if let Some(barred) = region.barred.get(number) {
                set = table.minus(&set, &barred[group])?;
            }
            sources.push(set);
        }
    }
    Ok(table.any(sources)?)
}

/// How the steps of a relation from some states change a cell.
fn edges_of(system: &System<'_>, cell: usize, relation: &Relation, sources: &Bdd) -> Result<Edges, Stop> {
    let (table, cells) = (system.table, system.cells);
    let bits: Vec<u32> = cells.bits_of(cell).collect();
    let changes = table.project(relation, sources, &bits)?;
    let mut edges = Vec::new();
    for value in cells.values(cell) {
        let from = table.and(&changes, &cells.is(table, cell, value)?)?;
        let mut targets = 0;
        for (number, other) in cells.values(cell).enumerate() {
            if !table.is_never(&table.and(&from, &cells.becomes(table, cell, other)?)?) {
                targets |= 1 << number;
            }
        }
        edges.push(targets);
    }
    Ok(edges)
}

/// Per value, the values that can be reached from it.
fn closed(mut edges: Edges) -> Edges {
    for between in 0..edges.len() {
        let further = edges[between];
        for reach in &mut edges {
            if *reach >> between & 1 == 1 {
                *reach |= further;
            }
        }
    }
    edges
}

/// The changes of a cell along edges from whose end its beginning cannot be reached.
fn crossing(system: &System<'_>, cell: usize, edges: &Edges, reach: &Edges) -> Result<Bdd, Stop> {
    let (table, cells) = (system.table, system.cells);
    let mut crossing = table.never();
    for (value, from) in cells.values(cell).enumerate() {
        for (other, to) in cells.values(cell).enumerate() {
            let is_edge = edges[value] >> other & 1 == 1;
            if is_edge && value != other && reach[other] >> value & 1 == 0 {
                let change = table.and(&cells.is(table, cell, from)?, &cells.becomes(table, cell, to)?)?;
                crossing = table.or(&crossing, &change)?;
            }
        }
    }
    Ok(crossing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_reaches_what_a_path_reaches() {
        // 0 -> 1 -> 2 -> 1, and 3 alone.
        assert_eq!(closed(vec![0b0010, 0b0100, 0b0010, 0]), [0b0110, 0b0110, 0b0110, 0]);
    }
}
