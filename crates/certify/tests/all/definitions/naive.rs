//! The definitions again, by unrolling and by trying everything.

use std::collections::BTreeSet;

use model::fairness::Word;
use model::{Label, Lasso, Position, State};

use super::worlds::{Random, World};

/// A predicate of a step.
#[derive(Clone, Debug)]
pub(crate) enum Atom {
    /// A cell has a value.
    At(usize, i64),
    /// An event of the world is taken.
    Taken(usize),
    /// An event of the world is enabled.
    Enabled(usize),
    Not(Box<Atom>),
}

/// A requirement.
#[derive(Clone, Debug)]
pub(crate) enum Demand {
    /// Weak, strong or unconditional fairness of an event.
    Of(Word, usize),
    Justice(Atom),
    Compassion(Atom, Atom),
}

/// A conjunction of requirements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternative {
    pub(crate) demands: Vec<Demand>,
    pub(crate) global: bool,
}

/// A linear-time formula.
#[derive(Clone, Debug)]
pub(crate) enum Phi {
    Atom(Atom),
    Not(Box<Phi>),
    And(Box<Phi>, Box<Phi>),
    Or(Box<Phi>, Box<Phi>),
    Implies(Box<Phi>, Box<Phi>),
    X(Box<Phi>),
    F(Box<Phi>),
    G(Box<Phi>),
    U(Box<Phi>, Box<Phi>),
    W(Box<Phi>, Box<Phi>),
    R(Box<Phi>, Box<Phi>),
    Y(Box<Phi>),
    O(Box<Phi>),
    H(Box<Phi>),
    S(Box<Phi>, Box<Phi>),
}

/// The greatest depth of past operators in a random formula.
pub(crate) const TURNS: usize = 2;

/// A step of a world.
pub(crate) type Step = (State, Label, State);

pub(crate) fn atom(world: &World, atom: &Atom, state: &State, label: Label) -> bool {
    let among = |event: usize, label: Label| match label {
        Label::Idle => false,
        Label::Action(action) => world.events[event].actions.contains(&action.0),
    };
    match atom {
        Atom::At(cell, value) => state.0[*cell] == *value,
        Atom::Taken(event) => among(*event, label),
        Atom::Enabled(event) => world.steps[state].iter().any(|(label, _)| among(*event, *label)),
        Atom::Not(a) => !self::atom(world, a, state, label),
    }
}

/// Whether a formula is true at position `k` of the unrolled lasso, where position `k` is `k` modulo the cycle. Every
/// position that is visited from `k` on is among the next ones, as many as the lasso has. What a past operator says is
/// the same in every turn after the first [`TURNS`].
pub(crate) fn holds(world: &World, phi: &Phi, lasso: &Lasso, k: usize) -> bool {
    let at = |phi: &Phi, k: usize| holds(world, phi, lasso, k);
    let turns = if looks_back(phi) { 1 + TURNS } else { 1 };
    let horizon = k + turns * lasso.positions.len();
    match phi {
        Phi::Atom(a) => {
            let period = lasso.positions.len() - lasso.cycle;
            let k = if k < lasso.cycle { k } else { lasso.cycle + (k - lasso.cycle) % period };
            atom(world, a, &lasso.positions[k].state, lasso.positions[k].label)
        }
        Phi::Not(a) => !at(a, k),
        Phi::And(a, b) => at(a, k) && at(b, k),
        Phi::Or(a, b) => at(a, k) || at(b, k),
        Phi::Implies(a, b) => !at(a, k) || at(b, k),
        Phi::X(a) => at(a, k + 1),
        Phi::F(a) => (k..=horizon).any(|j| at(a, j)),
        Phi::G(a) => (k..=horizon).all(|j| at(a, j)),
        Phi::U(a, b) => (k..=horizon).any(|j| at(b, j) && (k..j).all(|i| at(a, i))),
        Phi::W(a, b) => {
            (k..=horizon).any(|j| at(b, j) && (k..j).all(|i| at(a, i))) || (k..=horizon).all(|i| at(a, i))
        }
        Phi::R(a, b) => (k..=horizon).all(|j| at(b, j) || (k..j).any(|i| at(a, i))),
        Phi::Y(a) => k > 0 && at(a, k - 1),
        Phi::O(a) => (0..=k).any(|j| at(a, j)),
        Phi::H(a) => (0..=k).all(|j| at(a, j)),
        Phi::S(a, b) => (0..=k).any(|j| at(b, j) && (j + 1..=k).all(|i| at(a, i))),
    }
}

fn looks_back(phi: &Phi) -> bool {
    match phi {
        Phi::Atom(_) => false,
        Phi::Not(a) | Phi::X(a) | Phi::F(a) | Phi::G(a) => looks_back(a),
        Phi::And(a, b) | Phi::Or(a, b) | Phi::Implies(a, b) | Phi::U(a, b) | Phi::W(a, b) | Phi::R(a, b) => {
            looks_back(a) || looks_back(b)
        }
        Phi::Y(_) | Phi::O(_) | Phi::H(_) | Phi::S(..) => true,
    }
}

/// Whether a run is fair that takes exactly this set of steps infinitely often.
pub(crate) fn is_fair(world: &World, fairness: &[Alternative], set: &BTreeSet<Step>) -> bool {
    let some = |test: &dyn Fn(&State, Label) -> bool| set.iter().any(|(state, label, _)| test(state, *label));
    let taken = |event: usize| some(&|s, l| atom(world, &Atom::Taken(event), s, l));
    let enabled = |event: usize| some(&|s, l| atom(world, &Atom::Enabled(event), s, l));
    let disabled = |event: usize| some(&|s, l| !atom(world, &Atom::Enabled(event), s, l));
    let is_met = |demand: &Demand| match demand {
        // A word about no action requires nothing.
        Demand::Of(_, event) if world.events[*event].actions.is_empty() => true,
        Demand::Of(Word::Unconditional, event) => taken(*event),
        Demand::Of(Word::Weak, event) => taken(*event) || disabled(*event),
        Demand::Of(_, event) => taken(*event) || !enabled(*event),
        Demand::Justice(p) => some(&|s, l| atom(world, p, s, l)),
        Demand::Compassion(p, q) => !some(&|s, l| atom(world, p, s, l)) || some(&|s, l| atom(world, q, s, l)),
    };
    let covered = || {
        set.iter().all(|(state, _, _)| {
            world.steps[state]
                .iter()
                .all(|(label, target)| set.contains(&(state.clone(), *label, target.clone())))
        })
    };
    fairness
        .iter()
        .any(|alternative| alternative.demands.iter().all(is_met) && (!alternative.global || covered()))
}

/// Whether a lasso is a fair run of the world that violates the formula.
pub(crate) fn is_counterexample(world: &World, fairness: &[Alternative], phi: &Phi, lasso: &Lasso) -> bool {
    let Lasso { positions, cycle } = lasso;
    if positions.get(*cycle).is_none() || positions.iter().any(|p| !world.steps.contains_key(&p.state)) {
        return false;
    }
    let steps: Vec<Step> = (0..positions.len())
        .map(|k| {
            let next = if k + 1 < positions.len() { k + 1 } else { *cycle };
            (positions[k].state.clone(), positions[k].label, positions[next].state.clone())
        })
        .collect();
    world.initial.contains(&positions[0].state)
        && steps.iter().all(|(s, label, t)| world.steps[s].contains(&(*label, t.clone())))
        && is_fair(world, fairness, &steps[*cycle..].iter().cloned().collect())
        && !holds(world, phi, lasso, 0)
}

/// Calls `visit` with every lasso of at most `bound` positions until it returns false. Returns whether it never did.
pub(crate) fn every_lasso(world: &World, bound: usize, visit: &mut dyn FnMut(&Lasso) -> bool) -> bool {
    let mut positions = Vec::new();
    world.initial.iter().all(|state| extend(world, bound, state, &mut positions, visit))
}

fn extend(
    world: &World,
    bound: usize,
    state: &State,
    positions: &mut Vec<Position>,
    visit: &mut dyn FnMut(&Lasso) -> bool,
) -> bool {
    if positions.len() == bound {
        return true;
    }
    world.steps[state].iter().all(|(label, target)| {
        positions.push(Position { state: state.clone(), label: *label });
        let closed = (0..positions.len()).filter(|k| positions[*k].state == *target).collect::<Vec<_>>();
        let go_on = closed.into_iter().all(|cycle| visit(&Lasso { positions: positions.clone(), cycle }))
            && extend(world, bound, target, positions, visit);
        positions.pop();
        go_on
    })
}

/// A counterexample of at most `bound` positions with a shortest stem, if there is one.
pub(crate) fn counterexample(
    world: &World,
    fairness: &[Alternative],
    phi: &Phi,
    bound: usize,
) -> Option<Lasso> {
    (1..=bound).find_map(|bound| {
        let mut found = None;
        every_lasso(world, bound, &mut |lasso| {
            if lasso.positions.len() == bound && is_counterexample(world, fairness, phi, lasso) {
                found = Some(lasso.clone());
            }
            found.is_none()
        });
        found
    })
}

/// A counterexample of at most `bound` positions, if a random walk finds one soon.
pub(crate) fn wandering_counterexample(
    random: &mut Random,
    world: &World,
    fairness: &[Alternative],
    phi: &Phi,
    bound: usize,
) -> Option<Lasso> {
    for _ in 0..20_000 {
        let length = 1 + random.below(bound);
        let mut positions: Vec<Position> = Vec::new();
        let mut state = world.initial[random.below(world.initial.len())].clone();
        while positions.len() < length {
            let leaving = &world.steps[&state];
            let (label, target) = leaving[random.below(leaving.len())].clone();
            positions.push(Position { state, label });
            state = target;
        }
        // If any cycle is fair, the longest one is.
        if let Some(cycle) = positions.iter().position(|position| position.state == state) {
            let lasso = Lasso { positions, cycle };
            if is_counterexample(world, fairness, phi, &lasso) {
                return Some(lasso);
            }
        }
    }
    None
}

/// Every strongly connected set of reachable steps: the sets that a run can take infinitely often.
pub(crate) fn strongly_connected_sets(world: &World) -> Vec<BTreeSet<Step>> {
    let steps: Vec<Step> = world
        .reachable()
        .iter()
        .flat_map(|s| world.steps[s].iter().map(|(label, t)| (s.clone(), *label, t.clone())))
        .collect();
    assert!(steps.len() <= 12, "too many steps to try every set of them");
    let sets = (1..1u32 << steps.len())
        .map(|bits| (0..steps.len()).filter(|k| bits >> k & 1 == 1).map(|k| steps[k].clone()).collect());
    sets.filter(is_strongly_connected).collect()
}

/// Whether every step of a set can be followed, inside the set, by every step of it.
fn is_strongly_connected(set: &BTreeSet<Step>) -> bool {
    set.iter().all(|(_, _, start)| {
        let mut states = vec![start];
        let mut next = 0;
        while next < states.len() {
            for (source, _, target) in set {
                if source == states[next] && !states.contains(&target) {
                    states.push(target);
                }
            }
            next += 1;
        }
        set.iter().all(|(source, _, _)| states.contains(&source))
    })
}

pub(crate) fn random_atom(random: &mut Random, world: &World) -> Atom {
    let atom = match random.below(4) {
        0 => Atom::Taken(random.below(world.events.len())),
        1 => Atom::Enabled(random.below(world.events.len())),
        _ => {
            let cell = random.below(world.places.len());
            let states: Vec<&State> = world.steps.keys().collect();
            Atom::At(cell, states[random.below(states.len())].0[cell])
        }
    };
    if random.chance(25) { Atom::Not(Box::new(atom)) } else { atom }
}

pub(crate) fn random_phi(random: &mut Random, world: &World, depth: usize) -> Phi {
    if depth == 0 || random.chance(10) {
        return Phi::Atom(random_atom(random, world));
    }
    if random.chance(20) {
        return random_past(random, world, depth.min(TURNS));
    }
    let a = Box::new(random_phi(random, world, depth - 1));
    match random.below(10) {
        0 => return Phi::Not(a),
        1 => return Phi::X(a),
        2 => return Phi::F(a),
        3 => return Phi::G(a),
        _ => {}
    }
    let b = Box::new(random_phi(random, world, depth - 1));
    match random.below(6) {
        0 => Phi::And(a, b),
        1 => Phi::Or(a, b),
        2 => Phi::Implies(a, b),
        3 => Phi::U(a, b),
        4 => Phi::W(a, b),
        _ => Phi::R(a, b),
    }
}

fn random_past(random: &mut Random, world: &World, depth: usize) -> Phi {
    if depth == 0 {
        return Phi::Atom(random_atom(random, world));
    }
    let a = Box::new(random_past(random, world, depth - 1));
    match random.below(6) {
        0 => Phi::Not(a),
        1 => Phi::Y(a),
        2 => Phi::O(a),
        3 => Phi::H(a),
        number => {
            let b = Box::new(random_past(random, world, depth - 1));
            if number == 4 { Phi::Or(a, b) } else { Phi::S(a, b) }
        }
    }
}

pub(crate) fn random_demand(random: &mut Random, world: &World) -> Demand {
    match random.below(8) {
        0 => Demand::Of(Word::Unconditional, random.below(world.events.len())),
        1 | 2 => Demand::Of(Word::Weak, random.below(world.events.len())),
        3 | 4 => Demand::Of(Word::Strong, random.below(world.events.len())),
        5 => Demand::Justice(random_atom(random, world)),
        _ => Demand::Compassion(random_atom(random, world), random_atom(random, world)),
    }
}

pub(crate) fn random_fairness(random: &mut Random, world: &World) -> Vec<Alternative> {
    (0..=random.below(2))
        .map(|_| Alternative {
            demands: (0..random.below(3)).map(|_| random_demand(random, world)).collect(),
            global: random.chance(20),
        })
        .collect()
}
