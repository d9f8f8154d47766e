//! Shows by walking through diagrams that a step from one set ends in another. This comes before the solver.
//!
//! That no step leads out of a set is an implication between two large diagrams that differ only where a step writes. A
//! solver has to find out node by node that one implies the other, which takes exponentially long for a ring of neighbours.
//! Diagrams with the same order of tests are compared in one walk, as in [Bry86]: from the roots, by the first test
//! that any of them begins with, to every combination that can be reached; none may be a violation. Below the last test
//! that the step changes, equal diagrams imply each other at once.
//!
//! The walk is sound for any order of the tests. If they are out of order it may fail to show what is true, and then
//! the solver is asked. It builds no gates.

use std::collections::HashMap;

use model::proof::Root;

use super::circuit::{Circuit, Gate, Lit};
use super::sets::Sets;
use rustc_hash::{FxHashMap, FxHashSet};

/// Limit on the combinations that a walk visits.
const PLACES: usize = 200_000;

/// What is known about tests before and after some steps.
#[derive(Default)]
pub(crate) struct TestEffects {
    /// Tests with a known outcome before the step.
    pub(crate) before: FxHashMap<u32, bool>,
    /// The outcome after the step of each test that the step may change.
    pub(crate) after: FxHashMap<u32, Becomes>,
    /// The last test in `after`.
    pub(crate) last: Option<u32>,
}

/// The outcome of a test after a step.
#[derive(Clone, Copy)]
pub(crate) enum Becomes {
    /// Always this.
    Known(bool),
    /// The outcome of another test before the step, or its opposite.
    Test(u32, bool),
    /// Something else.
    Other,
}

impl TestEffects {
    /// Whether the walk shows that every such step from a state in all of `from` ends in `into`; and its cost.
    pub(crate) fn leads(&self, sets: &Sets<'_>, from: [Root; 2], into: Root) -> (bool, u64) {
        let mut pending = vec![(from, into)];
        let mut seen: FxHashSet<([Root; 2], Root)> = FxHashSet::default();
        while let Some((from, into)) = pending.pop() {
            let from = from.map(|root| self.settled(sets, root));
            let Some((into, test)) = self.ends(sets, into) else { return (false, seen.len() as u64) };
            let is_same = || from.contains(&into) && self.last.is_none_or(|last| last < sets.place(into));
            if from.contains(&Root::FALSE) || into == Root::TRUE || is_same() {
                continue;
            }
            if !seen.insert((from, into)) {
                continue;
            }
            let first = from.into_iter().filter(|root| root.node().is_some()).map(|root| sets.place(root));
            let Some(test) = first.chain(test.map(|(place, _)| place)).min() else {
                return (false, seen.len() as u64);
            };
            if seen.len() > PLACES {
                return (false, seen.len() as u64);
            }
            for outcome in [false, true] {
                let from = from.map(|root| match root.node() {
                    Some(_) if sets.place(root) == test => sets.below(root, outcome),
                    _ => root,
                });
                let into = self.decided(sets, into, test, outcome);
                pending.push((from, into));
            }
        }
        (true, seen.len() as u64)
    }

    /// A set after skipping the tests whose outcome is known before the step.
    fn settled(&self, sets: &Sets<'_>, mut root: Root) -> Root {
        while root.node().is_some() {
            let Some(outcome) = self.before.get(&sets.place(root)) else { break };
            root = sets.below(root, *outcome);
        }
        root
    }

    /// A set after skipping the tests whose outcome is known after the step, and the earlier test that decides the next
    /// one, perhaps inverted; `None` if there is no such test.
    fn ends(&self, sets: &Sets<'_>, mut root: Root) -> Option<(Root, Option<(u32, bool)>)> {
        while root.node().is_some() {
            let (place, inverted) = self.source(sets.place(root))?;
            match place {
                Err(outcome) => root = sets.below(root, outcome),
                Ok(place) => match self.before.get(&place) {
                    Some(outcome) => root = sets.below(root, *outcome != inverted),
                    None => return Some((root, Some((place, inverted)))),
                },
            }
        }
        Some((root, None))
    }

    /// What decides a test after the step: a test before it, perhaps inverted, or a known outcome.
    fn source(&self, place: u32) -> Option<(Result<u32, bool>, bool)> {
        match self.after.get(&place) {
            None => Some((Ok(place), false)),
            Some(Becomes::Known(outcome)) => Some((Err(*outcome), false)),
            Some(Becomes::Test(other, inverted)) => Some((Ok(*other), *inverted)),
            Some(Becomes::Other) => None,
        }
    }

    /// A set after the step, if a test before the step has this outcome.
    fn decided(&self, sets: &Sets<'_>, root: Root, test: u32, outcome: bool) -> Root {
        match root.node().and_then(|_| self.source(sets.place(root))) {
            Some((Ok(place), inverted)) if place == test => sets.below(root, outcome != inverted),
            _ => root,
        }
    }
}

/// Literals that are true, and what they directly imply.
pub(crate) struct Facts<'c> {
    circuit: &'c Circuit,
    known: FxHashMap<usize, Option<bool>>,
}

impl<'c> Facts<'c> {
    /// What is known if all of these are true.
    pub(crate) fn new(circuit: &'c Circuit, all: &[Lit]) -> Facts<'c> {
        let mut known = HashMap::default();
        let mut pending = all.to_vec();
        while let Some(lit) = pending.pop() {
            let is_new = known.insert(lit.gate(), Some(!lit.is_negated())).is_none();
            if let (Gate::And(a, b), false, true) = (circuit.gate(lit.gate()), lit.is_negated(), is_new) {
                pending.extend([a, b]);
            }
        }
        known.insert(0, Some(true));
        Facts { circuit, known }
    }

    /// The truth of a literal, if it is known.
    pub(crate) fn truth(&mut self, lit: Lit) -> Option<bool> {
        self.evaluated(lit, 0)
    }

    fn evaluated(&mut self, lit: Lit, depth: usize) -> Option<bool> {
        let of = |truth: Option<bool>| truth.map(|truth| truth != lit.is_negated());
        if let Some(known) = self.known.get(&lit.gate()) {
            return of(*known);
        }
        // Predicates of few cells are shallow. Deep gates are diagrams, which are walked and not evaluated.
        if depth > 20 {
            return None;
        }
        let truth = match self.circuit.gate(lit.gate()) {
            Gate::Free => None,
            Gate::And(a, b) => match (self.evaluated(a, depth + 1), self.evaluated(b, depth + 1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Gate::Choose(c, a, b) => match self.evaluated(c, depth + 1) {
                Some(true) => self.evaluated(a, depth + 1),
                Some(false) => self.evaluated(b, depth + 1),
                None => None,
            },
        };
        self.known.insert(lit.gate(), truth);
        of(truth)
    }
}

#[cfg(test)]
mod tests {
    use model::ActionId;
    use model::proof::{Builder, Local, Test};
    use model::splitmix::SplitMix;

    use super::*;
    use crate::local::budget::Budget;
    use crate::local::encoder::Encoder;
    use crate::local::update;

    /// Steps that keep, set, copy, invert and mix bits.
    const SOURCE: &str = "
        shared a, b, c, d, e: bool;
        process P {
            action plain when a && !d { skip; }
            action fixed when b { a, b = true, false; }
            action moved when !e { a, c, d = c, !a, d; }
            action mixed when c { b = a != e; }
        }
        invariant p: true;";

    /// What is shown is true of all states, with tests in order and out of order. In order, and where a step neither
    /// knows nor mixes anything, everything that is true is shown.
    #[test]
    fn what_is_shown_is_true_and_much_is_shown() {
        let model = lang::load("test", SOURCE, &[]).model.expect("the model is right");
        let instance = std::sync::Arc::clone(model.subject.instance().expect("no open parameters"));
        let budget = Budget::new(u64::MAX, &|| None);
        let mut random = SplitMix(8);
        let mut tally = [0, 0, 0];
        for round in 0..6000 {
            let ordered = round % 2 == 0;
            let mut builder = Builder::default();
            let mut roots = vec![Root::FALSE, Root::TRUE];
            for level in (0..5).rev() {
                let mut made = Vec::new();
                for _ in 0..3 {
                    let mut pick = || roots[random.below(roots.len() as u64) as usize];
                    let (no, yes) = (pick(), pick());
                    let cell = if ordered { level } else { random.below(5) as usize };
                    made.push(builder.node(Test::Bit { cell, bit: 0 }, no, yes));
                }
                roots.extend(made);
            }
            let mut pick = || roots[random.below(roots.len() as u64) as usize];
            let (from, into) = ([pick(), pick()], pick());
            let local = Local { diagrams: builder.finish(), ..Local::default() };
            let mut encoder = Encoder::new(&instance, u64::MAX, &budget);
            let mut sets = Sets::new(&mut encoder, &local).expect("no limit");
            let action = random.below(4) as u32;
            let step = update::step(&mut encoder, ActionId(action)).expect("no limit");
            let successor = sets.successor(&mut encoder, step.writes).expect("no limit");
            let test_effects = sets.test_effects(&encoder, &[step.enabled], Some(&successor));
            let shown = test_effects.leads(&sets, from, into).0;
            let inputs: Vec<usize> = encoder.cells.iter().flatten().map(|bit| bit.gate()).collect();
            let is_true = (0..32usize).all(|word| {
                let values = encoder.circuit.values(|gate| {
                    inputs.iter().position(|input| *input == gate).is_some_and(|i| word >> i & 1 == 1)
                });
                let within = |root: Root| sets.contains(&encoder, root, None, &values);
                !values.of(step.enabled)
                    || !from.into_iter().all(within)
                    || sets.contains(&encoder, into, Some(&successor), &values)
            });
            assert!(!shown || is_true, "round {round}, action {action}");
            assert!(shown || !is_true || !ordered || action > 1, "round {round}, action {action}");
            tally[usize::from(shown) + usize::from(is_true)] += 1;
        }
        assert!(tally[0] > 500 && tally[1] > 0 && tally[2] > 500, "{tally:?}");
    }
}
