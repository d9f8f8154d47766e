//! Reduces the number of parts of a disjunction, without a solver.
//!
//! Programs branch on conditions that do not matter, and the preimage of a set over the branches has parts that
//! differ in one condition and its negation. `(p ∧ a) ∨ (¬p ∧ a)` is `a`, and `(a ∧ b) ∨ a` is `a` [Qui52]; both
//! rules are applied until nothing changes. Parts are compared as sets of conjuncts. The cost is at worst cubic in
//! the number of parts, and callers have few.

use std::collections::BTreeSet;

use smt::Formula;

/// Parts with the same union, perhaps fewer.
pub(super) fn merged(parts: Vec<Formula>) -> Vec<Formula> {
    let mut cubes: Vec<BTreeSet<Formula>> = Vec::new();
    for part in parts {
        let mut pending = Some(conjuncts(part));
        while let Some(cube) = pending.take() {
            if cubes.iter().any(|other| other.is_subset(&cube)) {
                break;
            }
            let partner = cubes.iter().position(|other| resolvent(other, &cube).is_some());
            pending = partner.and_then(|position| resolvent(&cubes.swap_remove(position), &cube));
            if pending.is_none() {
                cubes.retain(|other| !cube.is_subset(other));
                cubes.push(cube);
            }
        }
    }
    cubes.into_iter().map(Formula::and).collect()
}

fn conjuncts(formula: Formula) -> BTreeSet<Formula> {
    match formula {
        Formula::And(parts) => parts.into_iter().collect(),
        Formula::Bool(true) => BTreeSet::new(),
        other => BTreeSet::from([other]),
    }
}

/// The union of two conjunctions that differ in one conjunct and its negation, as one conjunction.
fn resolvent(a: &BTreeSet<Formula>, b: &BTreeSet<Formula>) -> Option<BTreeSet<Formula>> {
    if a.len() != b.len() {
        return None;
    }
    let mut only = a.difference(b);
    let (own, None) = (only.next()?, only.next()) else { return None };
    let other = b.difference(a).next()?;
    (own.negated() == *other || other.negated() == *own).then(|| a.intersection(b).cloned().collect())
}

#[cfg(test)]
mod tests {
    use arith::{Linear, Var};

    use super::*;

    #[test]
    fn merged_parts_have_the_same_union() {
        let var = |number| Linear::var(Var(number));
        let atoms: Vec<Formula> = (0..3)
            .flat_map(|number| {
                let positive = Formula::lt(&Linear::default(), &var(number)).expect("small");
                [positive.negated(), positive]
            })
            .collect();
        let mut seed = 3u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        let mut fewer = 0;
        for _ in 0..2_000 {
            let count = 1 + random(6);
            let parts: Vec<Formula> = (0..count)
                .map(|_| Formula::and((0..=random(3)).map(|_| atoms[random(6)].clone()).collect::<Vec<_>>()))
                .collect();
            let result = merged(parts.clone());
            fewer += usize::from(result.len() < parts.len());
            let (before, after) = (Formula::or(parts), Formula::or(result));
            for point in 0..8 {
                let of = |Var(number): Var| i128::from(point >> number & 1 == 1);
                assert_eq!(before.holds(&of), after.holds(&of), "{before:?} became {after:?}");
            }
        }
        assert!(fewer > 500, "{fewer}");
    }
}
