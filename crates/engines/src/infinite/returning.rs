//! Recurrent sets in which a run meets its requirements again and again, but not in equal rounds.
//!
//! `while (1) { i = n; while (i > 0) i--; z = 1; z = 0; n++; }` makes `z` true infinitely often, and every round is longer than
//! the one before, so no cycle of steps is repeated. We take a cycle that meets all requirements, and the loops of one step at
//! its places, and search for the greatest set of states with such a step into the set. The set is fair if between steps that
//! meet all requirements a ranking function falls: one linear term per place, found by [Farkas' lemma](super::farkas). It is
//! a simple case of the funnels of [CGM21], one loop inside another.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::moves::{Move, Rank};
use super::oracles::{Oracles, Stop, unless_overflow};
use super::program::Program;
use super::rank::{RestrictedEdge, falling};
use super::recur::{Recurrence, live};

/// The number of cycles that are tried.
const CYCLES: usize = 12;

/// A fair recurrent set made of one of these cycles and the loops at its places.
pub(super) fn returning(
    program: &Program,
    component: &[RestrictedEdge],
    cycles: &[Vec<usize>],
    stay: &[Formula],
    wanted: &[Formula],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Recurrence>, Stop> {
    let mut tried = 0;
    for cycle in cycles {
        let places: BTreeSet<usize> = cycle.iter().map(|number| component[*number].source).collect();
        let is_inner = |(number, step): &(usize, &RestrictedEdge)| {
            step.source == step.target && places.contains(&step.source) && !cycle.contains(number)
        };
        let inner: Vec<usize> =
            component.iter().enumerate().filter(is_inner).map(|(number, _)| number).collect();
        let steps: Vec<RestrictedEdge> =
            cycle.iter().chain(&inner).map(|number| component[*number].clone()).collect();
        let requirements = steps.first().map_or(0, |step| step.when.len());
        let asked: Vec<usize> =
            (0..requirements).filter(|it| steps.iter().any(|step| step.when[*it])).collect();
        let meets = |step: &RestrictedEdge| asked.iter().all(|requirement| step.then[*requirement]);
        // Of one edge all steps meet the requirements, or none, so that its moves can be told apart.
        let divided = steps
            .iter()
            .any(|step| steps.iter().any(|other| other.edge == step.edge && meets(other) != meets(step)));
        if inner.is_empty() || divided || !steps[..cycle.len()].iter().any(meets) {
            continue;
        }
        if tried == CYCLES {
            break;
        }
        tried += 1;
        let met: BTreeSet<usize> = steps.iter().filter(|step| meets(step)).map(|step| step.edge).collect();
        let found = unless_overflow(live(program, &steps, stay, wanted, oracles))?;
        if let Some(found) = found
            && let Some(found) = unless_overflow(ranked(program, found, &met, oracles))?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The recurrence with ranks at the moves over edges that do not meet the requirements, if there are such ranks.
fn ranked(
    program: &Program,
    found: Recurrence,
    met: &BTreeSet<usize>,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Recurrence>, Stop> {
    let meets = |found: &Move| found.edge.is_some_and(|edge| met.contains(&edge));
    let (mut moves, waiting): (Vec<Move>, Vec<Move>) = found.moves.into_iter().partition(meets);
    let mut steps = Vec::new();
    for one in &waiting {
        let Some(edge) = one.edge else { return Ok(None) };
        let update = program.edges[edge]
            .update
            .iter()
            .map(|(var, term)| Ok((*var, term.replaced(&|var| one.chosen.get(&var))?)))
            .collect::<Result<BTreeMap<Var, Linear>, Overflow>>()?;
        // Where it leads to a move that meets the requirements, nothing need fall.
        let there = |among: &[Move]| {
            Formula::or(among.iter().filter(|next| next.place == one.target).map(|next| next.states.clone()))
        };
        let after =
            Formula::and([there(&waiting), there(&moves).negated()]).replaced(&|var| update.get(&var))?;
        let guard = Formula::and([one.states.clone(), after]);
        if !oracles.is_empty(&guard)? {
            let (source, target) = (one.place, one.target);
            steps.push(RestrictedEdge {
                edge,
                source,
                target,
                guard,
                update,
                when: Vec::new(),
                then: Vec::new(),
            });
        }
    }
    let Some(function) = falling(&steps, oracles)? else { return Ok(None) };
    for mut one in waiting {
        let rounds =
            function.get(&one.place).map_or_else(|| Ok(Linear::default()), |term| term.shifted(1))?;
        one.rank = Some(Rank { rounds, scale: 1, rest: 0 });
        moves.push(one);
    }
    Ok(Some(Recurrence { ordered: false, moves }))
}
