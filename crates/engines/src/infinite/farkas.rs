//! Terms with unknown coefficients, and the systems of inequalities that determine them.
//!
//! A template is a linear term whose coefficients are unknowns; there is one template per place. By Farkas' lemma, a
//! template is never negative where a conjunction of inequalities is true if it is a combination of them with
//! non-negative multipliers. This is a linear system over the unknowns and the multipliers, about rationals. A
//! solution is scaled to integers.

use std::collections::BTreeMap;

use arith::{Linear, Overflow, Ratio, Var};
use smt::Formula;

use super::oracles::{Oracles, Stop};
use super::rank::RestrictedEdge;

/// A term per place; 0 where there is none.
pub(super) type Function = BTreeMap<usize, Linear>;

/// A template: a linear expression over unknowns for each variable of the program, and one for the constant.
pub(super) type Template = (BTreeMap<Var, Linear>, Linear);

/// `f(s) - f(s')` over the state before and the chosen integers.
pub(super) fn difference(
    step: &RestrictedEdge,
    templates: &BTreeMap<usize, Template>,
) -> Result<Template, Overflow> {
    let (mut terms, mut constant) = templates[&step.source].clone();
    let (after, free) = &templates[&step.target];
    constant = constant.plus(-1, free)?;
    for (cell, unknown) in after {
        let own = Linear::var(*cell);
        let term = step.update.get(cell).unwrap_or(&own);
        constant = constant.plus(-term.free(), unknown)?;
        for (var, coefficient) in term.terms() {
            let entry = terms.entry(*var).or_default();
            *entry = entry.plus(-coefficient, unknown)?;
        }
    }
    Ok((terms, constant))
}

/// States that the coefficients of a template are not a linear combination of those of some functions; constants do
/// not count.
pub(super) fn independent(
    templates: &BTreeMap<usize, Template>,
    functions: &[Function],
) -> Result<Formula, Overflow> {
    // The functions as vectors over the unknowns, in reduced echelon form: each has a pivot that no other has.
    let mut rows: Vec<(Var, Linear)> = Vec::new();
    for function in functions {
        let mut row = Linear::default();
        for (place, (unknowns, _)) in templates {
            for (cell, unknown) in unknowns {
                let coefficient = function.get(place).map_or(0, |term| term.coefficient(*cell));
                row = row.plus(coefficient, unknown)?;
            }
        }
        for (pivot, other) in &rows {
            row = row.times(other.coefficient(*pivot))?.plus(-row.coefficient(*pivot), other)?;
        }
        let Some((pivot, leading)) = row.terms().first().copied() else { continue };
        for (_, other) in &mut rows {
            *other = other.times(leading)?.plus(-other.coefficient(pivot), &row)?;
        }
        rows.push((pivot, row));
    }
    let common =
        rows.iter().try_fold(1, |common, (pivot, row)| arith::product(common, row.coefficient(*pivot)))?;
    // The rest of a coefficient after subtracting the functions: 0 everywhere for a linear combination of them.
    let mut parts = Vec::new();
    for unknown in templates.values().flat_map(|(unknowns, _)| unknowns.values()) {
        let var = unknown.terms()[0].0;
        let mut left = unknown.times(common)?;
        for (pivot, row) in &rows {
            let share = Linear::var(*pivot).times(common / row.coefficient(*pivot))?;
            left = left.plus(-row.coefficient(var), &share)?;
        }
        parts.extend([left.successor(), left.opposite().successor()].map(Formula::AtMost));
    }
    Ok(Formula::or(parts))
}

/// Integer functions that solve a system.
pub(super) fn solved(
    system: &[Formula],
    templates: &[BTreeMap<usize, Template>],
    oracles: &mut Oracles<'_>,
) -> Result<Option<Vec<Function>>, Stop> {
    let unknown = |term: &Linear| term.terms()[0].0;
    let mut wanted: Vec<Var> = Vec::new();
    for (terms, constant) in templates.iter().flat_map(BTreeMap::values) {
        wanted.extend(terms.values().map(unknown));
        wanted.push(unknown(constant));
    }
    let Some(values) = oracles.solution(system, &wanted)? else { return Ok(None) };
    let scale = Ratio::common_denominator(&values)?;
    let values = values.into_iter().map(|value| value.scaled(scale)).collect::<Result<Vec<_>, _>>()?;
    let mut values = values.into_iter();
    let mut functions = Vec::new();
    for template in templates {
        let mut function = BTreeMap::new();
        for (place, (terms, _)) in template {
            let coefficients: Vec<(Var, i128)> =
                terms.keys().map(|cell| (*cell, values.next().unwrap_or(0))).collect();
            function.insert(*place, Linear::of(values.next().unwrap_or(0), coefficients)?);
        }
        functions.push(function);
    }
    Ok(Some(functions))
}

/// Numbers the unknowns of a system.
#[derive(Default)]
pub(super) struct Unknowns(u32);

impl Unknowns {
    pub(super) fn fresh(&mut self) -> Var {
        self.0 += 1;
        Var(self.0 - 1)
    }
}

pub(super) fn sum(a: &Template, b: &Template) -> Result<Template, Overflow> {
    let mut terms = a.0.clone();
    for (var, term) in &b.0 {
        let entry = terms.entry(*var).or_default();
        *entry = entry.plus(1, term)?;
    }
    Ok((terms, a.1.plus(1, &b.1)?))
}

/// Adds to a system that a template is never negative where a conjunction is true, by Farkas' lemma. The system is
/// about rationals, so nothing here may be rounded as inequalities over integers are.
pub(super) fn never_negative(
    cube: &[Formula],
    template: &Template,
    unknowns: &mut Unknowns,
    system: &mut Vec<Formula>,
) -> Result<(), Overflow> {
    let (mut terms, mut constant) = template.clone();
    for atom in cube {
        let (Formula::AtMost(term) | Formula::Zero(term)) = atom else { continue };
        let multiplier = Linear::var(unknowns.fresh());
        if matches!(atom, Formula::AtMost(_)) {
            system.push(Formula::AtMost(multiplier.opposite()));
        }
        constant = constant.plus(term.free(), &multiplier)?;
        for (var, coefficient) in term.terms() {
            let entry = terms.entry(*var).or_default();
            *entry = entry.plus(*coefficient, &multiplier)?;
        }
    }
    system.extend(terms.into_values().map(Formula::Zero));
    system.push(Formula::AtMost(constant.opposite()));
    Ok(())
}
