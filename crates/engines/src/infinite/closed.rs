//! Closed sets with one more inequality, found as the coefficients of a template.
//!
//! Let a round have the affine map `u` and a guard of inequalities `g >= 0`. If `h∘u >= μ h` for some `μ >= 0` wherever the
//! guard is true, then `h >= 0` stays true. If moreover each `g∘u >= 0`, or at least `g∘u >= h`, then `g >= 0 ∧ h >= 0` is
//! closed. By [Farkas' lemma](super::farkas) the coefficients of `h` solve a linear system for each `μ`. An eigenvector of `u`
//! is such an `h`, so this finds sets in which values grow geometrically [LH18]. That the set is not empty is asked for at
//! one point, which can go around several times. What is found is only a candidate.

use std::collections::BTreeMap;

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::farkas::{Template, Unknowns, never_negative, solved, sum};
use super::oracles::{Oracles, Stop};

/// The factors by which an inequality may grow in a round.
const FACTORS: [i128; 5] = [1, 0, 2, 3, 4];

/// The most inequalities of a guard, and the most cells, for which a template is tried.
const ATOMS: usize = 12;
const CELLS: usize = 12;

/// A subset of a guard that is closed under a map, with a state that satisfies `start`.
pub(super) fn closed(
    guard: &Formula,
    map: &BTreeMap<Var, Linear>,
    start: &Formula,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Formula>, Stop> {
    let Some(model) = oracles.model(start)? else { return Ok(None) };
    let cube = guard.implicant(&|var| model.value(var))?;
    let cells: Vec<Var> =
        Formula::and(cube.iter().cloned()).vars().into_iter().chain(map.keys().copied()).collect();
    let cells: std::collections::BTreeSet<Var> = cells.into_iter().collect();
    if cube.len() > ATOMS || cells.len() > CELLS || map.is_empty() {
        return Ok(None);
    }
    let here = Formula::and(cube.iter().cloned());
    // The inequalities of the guard that the round does not keep.
    let mut broken = Vec::new();
    for atom in &cube {
        let after = atom.replaced(&|var| map.get(&var))?;
        if oracles.implies(&here, &after)? {
            continue;
        }
        let Formula::AtMost(term) = atom else { return Ok(None) };
        broken.push(term.replaced(&|var| map.get(&var))?.opposite());
    }
    for factor in FACTORS {
        let mut unknowns = Unknowns::default();
        let coefficients: BTreeMap<Var, Linear> =
            cells.iter().map(|cell| (*cell, Linear::var(unknowns.fresh()))).collect();
        let template: Template = (coefficients, Linear::var(unknowns.fresh()));
        let mut system = Vec::new();
        let grown = sum(&after(&template, map)?, &scaled(&template, -factor)?)?;
        never_negative(&cube, &grown, &mut unknowns, &mut system)?;
        for kept in &broken {
            let claim = sum(&constant(kept), &scaled(&template, -1)?)?;
            never_negative(&cube, &claim, &mut unknowns, &mut system)?;
        }
        // The point is inside.
        let mut value = template.1.clone();
        for (cell, unknown) in &template.0 {
            value = value.plus(model.value(*cell), unknown)?;
        }
        system.push(Formula::AtMost(value.opposite()));
        let templates = [BTreeMap::from([(0, template)])];
        let Some(found) = solved(&system, &templates, oracles)? else { continue };
        let inside = Formula::at_most(&found[0][&0].opposite());
        return Ok(Some(Formula::and([here, inside])));
    }
    Ok(None)
}

/// The value of a template after a round.
fn after(template: &Template, map: &BTreeMap<Var, Linear>) -> Result<Template, Overflow> {
    let (mut terms, mut free) = (BTreeMap::<Var, Linear>::new(), template.1.clone());
    for (cell, unknown) in &template.0 {
        let own = Linear::var(*cell);
        let next = map.get(cell).unwrap_or(&own);
        free = free.plus(next.free(), unknown)?;
        for (var, coefficient) in next.terms() {
            let entry = terms.entry(*var).or_default();
            *entry = entry.plus(*coefficient, unknown)?;
        }
    }
    Ok((terms, free))
}

fn scaled(template: &Template, factor: i128) -> Result<Template, Overflow> {
    let terms = template.0.iter().map(|(var, term)| Ok((*var, term.times(factor)?)));
    Ok((terms.collect::<Result<_, Overflow>>()?, template.1.times(factor)?))
}

/// A term without unknowns as a template.
fn constant(term: &Linear) -> Template {
    let terms = term.terms().iter().map(|(var, coefficient)| (*var, Linear::constant(*coefficient)));
    (terms.collect(), Linear::constant(term.free()))
}
