//! Finds the processes of a family that neither the system nor the property distinguishes.
//!
//! A permutation of the members is an *automorphism* if it maps the instance and the property to themselves. The
//! automorphisms form a group, and two members in the same orbit are interchangeable. We try the exchanges of members
//! that are at most two apart, and the rotation by one, and keep those that are automorphisms. They generate a
//! subgroup, so members that are found interchangeable are, but some pairs may be missed. Exchanges find families
//! without order, even if the property names one member; the rotation finds rings.
//!
//! Cost: comparing the texts of all actions for a few permutations per member.

use model::property::Kind;
use model::{Ctl, Expr, Formula, Instance, ground};

use super::permute::{Permutation, normal};
use super::symmetry::automorphisms;

/// Per family of the system, the classes of members that are not distinguished. A single process is one class without
/// a member.
pub fn orbits(instance: &Instance, kind: &Kind) -> Vec<Vec<Vec<i64>>> {
    let mut orbits: Vec<Vec<Vec<i64>>> = (0..instance.system.families.len() as u32)
        .map(|family| {
            let members = instance.members(model::FamilyId(family));
            members
                .filter_map(|id| instance.processes[id.0 as usize].index)
                .map(|index| vec![index])
                .collect()
        })
        .collect();
    let kind = ground::kind(instance, kind);
    let text = claim(instance, &kind, None);
    for (set, maps) in automorphisms(instance, &offered) {
        let mut class: Vec<usize> = (0..set.size()).collect();
        for map in maps {
            let permutation = Permutation { set: &set, map };
            if text.is_none() || claim(instance, &kind, Some(&permutation)) != text {
                continue;
            }
            for (from, to) in permutation.map.iter().enumerate() {
                let (old, new) = (class[from].max(class[*to]), class[from].min(class[*to]));
                class.iter_mut().filter(|class| **class == old).for_each(|class| *class = new);
            }
        }
        for family in &set.families {
            let orbits = &mut orbits[family.0 as usize];
            orbits.clear();
            for least in 0..set.size() {
                let alike: Vec<i64> =
                    (0..set.size()).filter(|k| class[*k] == least).map(|k| set.lo + k as i64).collect();
                if !alike.is_empty() {
                    orbits.push(alike);
                }
            }
        }
    }
    orbits
}

/// The permutations that are tried.
fn offered(size: usize) -> Vec<Vec<usize>> {
    let identity: Vec<usize> = (0..size).collect();
    let mut maps = Vec::new();
    for apart in 1..=2 {
        for first in 0..size.saturating_sub(apart) {
            let mut map = identity.clone();
            map.swap(first, first + apart);
            maps.push(map);
        }
    }
    let mut rotation = identity;
    rotation.rotate_left(1);
    maps.push(rotation);
    maps
}

/// A ground property, permuted, as text in a normal form; `None` if the permuted form does not exist.
fn claim(instance: &Instance, kind: &Kind, permutation: Option<&Permutation<'_>>) -> Option<String> {
    match kind {
        Kind::Invariant(expr) => atom(instance, expr, permutation),
        Kind::Ltl(formula) => linear(instance, formula, permutation),
        Kind::Ctl(formula) => branching(instance, formula, permutation),
        Kind::Never(never) => {
            let atoms = never.atoms.iter().map(|expr| atom(instance, expr, permutation));
            atoms.collect::<Option<Vec<_>>>().map(|atoms| atoms.join(";"))
        }
    }
}

fn atom(instance: &Instance, expr: &Expr, permutation: Option<&Permutation<'_>>) -> Option<String> {
    let permuted = match permutation {
        None => expr.clone(),
        Some(permutation) => permutation.plain(instance, expr)?,
    };
    Some(format!("{:?}", normal(instance, &permuted)))
}

/// The operands of a connective, sorted if it commutes.
fn parts(sign: &str, texts: impl Iterator<Item = Option<String>>, commutes: bool) -> Option<String> {
    let mut texts = texts.collect::<Option<Vec<_>>>()?;
    if commutes {
        texts.sort_unstable();
    }
    Some(format!("{sign}({})", texts.join(",")))
}

fn linear(instance: &Instance, formula: &Formula, permutation: Option<&Permutation<'_>>) -> Option<String> {
    let of = |formula: &Formula| linear(instance, formula, permutation);
    let two = |sign: &str, a: &Formula, b: &Formula| parts(sign, [of(a), of(b)].into_iter(), false);
    match formula {
        Formula::Atom(expr) => atom(instance, expr, permutation),
        Formula::Not(a) => parts("!", [of(a)].into_iter(), false),
        Formula::And(all) => parts("&", all.iter().map(of), true),
        Formula::Or(all) => parts("|", all.iter().map(of), true),
        Formula::Implies(a, b) => two("->", a, b),
        Formula::Next(a) => parts("X", [of(a)].into_iter(), false),
        Formula::Finally(a) => parts("F", [of(a)].into_iter(), false),
        Formula::Globally(a) => parts("G", [of(a)].into_iter(), false),
        Formula::Until(a, b) => two("U", a, b),
        Formula::WeakUntil(a, b) => two("W", a, b),
        Formula::Release(a, b) => two("R", a, b),
        Formula::Previous(a) => parts("Y", [of(a)].into_iter(), false),
        Formula::Once(a) => parts("O", [of(a)].into_iter(), false),
        Formula::Historically(a) => parts("H", [of(a)].into_iter(), false),
        Formula::Since(a, b) => two("S", a, b),
        // A ground formula has no quantifiers.
        Formula::Forall(..) | Formula::Exists(..) => None,
    }
}

fn branching(instance: &Instance, formula: &Ctl, permutation: Option<&Permutation<'_>>) -> Option<String> {
    let of = |formula: &Ctl| branching(instance, formula, permutation);
    let one = |sign: String, a: &Ctl| parts(&sign, [of(a)].into_iter(), false);
    let two = |sign: String, a: &Ctl, b: &Ctl| parts(&sign, [of(a), of(b)].into_iter(), false);
    match formula {
        Ctl::Atom(expr) => atom(instance, expr, permutation),
        Ctl::Not(a) => one("!".to_owned(), a),
        Ctl::And(all) => parts("&", all.iter().map(of), true),
        Ctl::Or(all) => parts("|", all.iter().map(of), true),
        Ctl::Implies(a, b) => two("->".to_owned(), a, b),
        Ctl::Next(paths, a) => one(format!("{paths:?} X"), a),
        Ctl::Finally(paths, a) => one(format!("{paths:?} F"), a),
        Ctl::Globally(paths, a) => one(format!("{paths:?} G"), a),
        Ctl::Until(paths, a, b) => two(format!("{paths:?} U"), a, b),
        Ctl::WeakUntil(paths, a, b) => two(format!("{paths:?} W"), a, b),
        Ctl::Infinitely(paths, all) => parts(&format!("{paths:?} GF"), all.iter().map(of), true),
        Ctl::Forall(..) | Ctl::Exists(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn of(text: &str) -> Vec<Vec<Vec<i64>>> {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let instance = Arc::clone(model.subject.instance().expect("no open parameters"));
        orbits(&instance, &model.checks[0].task.property.kind)
    }

    const LOCK: &str = "shared x: bool = true;
        process P[i: 1..4] { loop { rest: stay; try: request x; exit: release x; } } ";

    #[test]
    fn members_that_the_property_treats_alike_are_alike() {
        assert_eq!(of(&format!("{LOCK} property p: GF !x;")), [[[1, 2, 3, 4]]]);
        let each = "property p: forall i in 1..4: G (P[i]@try -> F P[i]@exit);";
        assert_eq!(of(&format!("{LOCK} {each}")), [[[1, 2, 3, 4]]]);
    }

    #[test]
    fn a_member_that_the_property_names_stands_alone() {
        assert_eq!(of(&format!("{LOCK} property p: GF P[1]@exit;")), [vec![vec![1], vec![2, 3, 4]]]);
        assert_eq!(of(&format!("{LOCK} property p: GF P[3]@exit;")), [vec![vec![1, 2, 4], vec![3]]]);
    }

    #[test]
    fn members_of_a_ring_are_alike_unless_one_is_named() {
        let ring = "shared fork: array[1..3] of bool = true;
            process P[i: 1..3] { loop { left: request fork[i]; right: request fork[i % 3 + 1];
                down: atomic { fork[i] = true; fork[i % 3 + 1] = true; } } } ";
        assert_eq!(of(&format!("{ring} property p: GF (exists i in 1..3: P[i]@down);")), [[[1, 2, 3]]]);
        assert_eq!(of(&format!("{ring} property p: GF P[2]@down;")), [[[1], [2], [3]]]);
    }

    #[test]
    fn members_that_the_system_tells_apart_are_not_alike() {
        let text = "shared x: 0..9; process P[i: 1..3] { loop { a: x = i + 1; } } property p: GF x == 9;";
        assert_eq!(of(text), [[[1], [2], [3]]]);
        assert_eq!(of("process Q { loop { a: skip; } } property p: GF Q@a;"), [Vec::<Vec<i64>>::new()]);
    }
}
