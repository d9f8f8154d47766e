//! Shows that one diagram implies another by walking through both, before a solver is asked.
//!
//! That a set is not left is an implication between two large diagrams that differ only where a step writes. A solver
//! has to find out node by node that the one lies below the other, and for a ring of neighbours that takes it
//! exponentially long. Two diagrams whose tests come in the same order are compared in one walk, as in [Bry86].
//!
//! `ranks` says which gates are tests, and in which order. A gate is read as a choice by one of its tests; if the two
//! gates begin with different tests, the one of lower rank is split and the other stays. Every rule is sound whatever
//! the ranks are; if tests are out of order the walk may fail to show what is true, and then the solver is asked. Facts
//! that are known of the step at hand decide tests on the way.

use std::collections::HashMap;

use super::circuit::{Circuit, Gate, Lit};

/// Deeper walks, and walks with more pairs, are given up.
const DEPTH: usize = 1500;
const PAIRS: usize = 200_000;

/// What is known, and what follows from it at once.
pub(crate) struct Facts<'c> {
    circuit: &'c Circuit,
    ranks: &'c HashMap<usize, usize>,
    known: HashMap<usize, Option<bool>>,
    pairs: HashMap<(Lit, Lit), bool>,
}

impl<'c> Facts<'c> {
    /// What is known where all of these are true.
    pub(crate) fn new(circuit: &'c Circuit, ranks: &'c HashMap<usize, usize>, all: &[Lit]) -> Facts<'c> {
        let mut known = HashMap::new();
        let mut pending = all.to_vec();
        while let Some(lit) = pending.pop() {
            known.insert(lit.gate(), Some(!lit.is_negated()));
            if let (Gate::And(a, b), false) = (circuit.gate(lit.gate()), lit.is_negated()) {
                pending.extend([a, b]);
            }
        }
        known.insert(0, Some(true));
        Facts { circuit, ranks, known, pairs: HashMap::new() }
    }

    /// How many pairs of gates have been compared.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Whether `a` is seen to imply `b`.
    pub(crate) fn imply(&mut self, a: Lit, b: Lit) -> bool {
        self.shows(a, b, 0)
    }

    fn shows(&mut self, a: Lit, b: Lit, depth: usize) -> bool {
        let (a, b) = (self.simple(a), self.simple(b));
        if a == Lit::FALSE || b == Lit::TRUE || a == b {
            return true;
        }
        if a == Lit::TRUE && b == Lit::FALSE || a == !b || depth > DEPTH || self.pairs.len() > PAIRS {
            return false;
        }
        if let Some(known) = self.pairs.get(&(a, b)) {
            return *known;
        }
        let shown = match (self.view(a), self.view(b)) {
            (Some((test, yes, no)), Some((other, then, otherwise))) => {
                let (rank, by) = (self.ranks[&test], self.ranks[&other]);
                if test == other {
                    self.shows(yes, then, depth + 1) && self.shows(no, otherwise, depth + 1)
                } else if rank <= by {
                    self.shows(yes, b, depth + 1) && self.shows(no, b, depth + 1)
                } else {
                    self.shows(a, then, depth + 1) && self.shows(a, otherwise, depth + 1)
                }
            }
            (Some((_, yes, no)), None) => {
                self.by_parts(a, b, depth) || self.shows(yes, b, depth + 1) && self.shows(no, b, depth + 1)
            }
            (None, Some((_, then, otherwise))) => {
                self.by_parts(a, b, depth)
                    || self.shows(a, then, depth + 1) && self.shows(a, otherwise, depth + 1)
            }
            (None, None) => self.by_parts(a, b, depth),
        };
        self.pairs.insert((a, b), shown);
        shown
    }

    /// The same by the parts of a conjunction or a disjunction that is no choice.
    fn by_parts(&mut self, a: Lit, b: Lit, depth: usize) -> bool {
        if let Gate::And(x, y) = self.circuit.gate(b.gate()) {
            let is_shown = if b.is_negated() {
                self.shows(a, !x, depth + 1) || self.shows(a, !y, depth + 1)
            } else {
                self.shows(a, x, depth + 1) && self.shows(a, y, depth + 1)
            };
            if is_shown {
                return true;
            }
        }
        if let Gate::And(x, y) = self.circuit.gate(a.gate()) {
            return if a.is_negated() {
                self.shows(!x, b, depth + 1) && self.shows(!y, b, depth + 1)
            } else {
                self.shows(x, b, depth + 1) || self.shows(y, b, depth + 1)
            };
        }
        false
    }

    /// A literal as a choice: its test, what it is if the test is true, and what else.
    fn view(&self, lit: Lit) -> Option<(usize, Lit, Lit)> {
        let sign = |branch: Lit| if lit.is_negated() { !branch } else { branch };
        if self.ranks.contains_key(&lit.gate()) {
            return Some((lit.gate(), sign(Lit::TRUE), sign(Lit::FALSE)));
        }
        match self.circuit.gate(lit.gate()) {
            Gate::Choose(c, a, b) if self.ranks.contains_key(&c.gate()) => {
                let (a, b) = if c.is_negated() { (b, a) } else { (a, b) };
                Some((c.gate(), sign(a), sign(b)))
            }
            Gate::And(a, b) => {
                let ranked =
                    [(a, b), (b, a)].into_iter().filter(|(test, _)| self.ranks.contains_key(&test.gate()));
                let (test, rest) = ranked.min_by_key(|(test, _)| self.ranks[&test.gate()])?;
                let (yes, no) = if test.is_negated() { (Lit::FALSE, rest) } else { (rest, Lit::FALSE) };
                Some((test.gate(), sign(yes), sign(no)))
            }
            _ => None,
        }
    }

    /// A literal without the choices whose condition is known.
    fn simple(&mut self, mut lit: Lit) -> Lit {
        loop {
            if let Some(truth) = self.truth(lit, 0) {
                return Lit::constant(truth);
            }
            let Gate::Choose(c, a, b) = self.circuit.gate(lit.gate()) else { return lit };
            let Some(condition) = self.truth(c, 0) else { return lit };
            let branch = if condition { a } else { b };
            lit = if lit.is_negated() { !branch } else { branch };
        }
    }

    /// The truth of a literal, if it is known.
    fn truth(&mut self, lit: Lit, depth: usize) -> Option<bool> {
        let of = |truth: Option<bool>| truth.map(|truth| truth != lit.is_negated());
        if let Some(known) = self.known.get(&lit.gate()) {
            return of(*known);
        }
        // Predicates of few cells are shallow, and what is deep is a diagram, which is not to be evaluated but walked.
        if depth > 20 {
            return None;
        }
        let truth = match self.circuit.gate(lit.gate()) {
            Gate::Free => None,
            Gate::And(a, b) => match (self.truth(a, depth + 1), self.truth(b, depth + 1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Gate::Choose(c, a, b) => match self.truth(c, depth + 1) {
                Some(true) => self.truth(a, depth + 1),
                Some(false) => self.truth(b, depth + 1),
                None => None,
            },
        };
        self.known.insert(lit.gate(), truth);
        of(truth)
    }
}

#[cfg(test)]
mod tests {
    use model::splitmix::SplitMix;

    use super::*;

    /// Random circuits over a few tests in order and out of order, with facts: what is shown is true of all inputs.
    #[test]
    fn what_is_shown_is_true_and_much_is_shown() {
        let mut random = SplitMix(8);
        let mut tally = [0, 0, 0];
        for round in 0..20_000 {
            let mut circuit = Circuit::new();
            let inputs: Vec<Lit> = (0..5).map(|_| circuit.input()).collect();
            let mut lits = vec![Lit::TRUE, Lit::FALSE];
            let ordered = round % 2 == 0;
            for level in (0..5).rev() {
                let mut made = Vec::new();
                for _ in 0..3 {
                    let mut pick = || lits[random.below(lits.len() as u64) as usize];
                    let (a, b) = (pick(), pick());
                    let test = if ordered { level } else { random.below(5) as usize };
                    let node = circuit.choose(inputs[test], a, b);
                    made.push(node);
                    if !ordered {
                        made.push(!node);
                    }
                }
                lits.extend(made);
            }
            let mut pick = || lits[random.below(lits.len() as u64) as usize];
            let (a, b) = (pick(), pick());
            let fact = if round % 3 == 0 { circuit.and(inputs[1], !inputs[3]) } else { Lit::TRUE };
            let ranks = inputs.iter().zip(0..).map(|(input, rank)| (input.gate(), rank)).collect();
            let shown = Facts::new(&circuit, &ranks, &[fact]).imply(a, b);
            let is_true = (0..32usize).all(|word| {
                let values = circuit.values(|gate| {
                    inputs.iter().position(|input| input.gate() == gate).is_some_and(|i| word >> i & 1 == 1)
                });
                !values.of(fact) || !values.of(a) || values.of(b)
            });
            assert!(!shown || is_true, "round {round}");
            // Without facts and in order the walk finds everything.
            assert!(shown || !is_true || !ordered || fact != Lit::TRUE, "round {round}");
            tally[usize::from(shown) + usize::from(is_true)] += 1;
        }
        assert!(tally[0] > 1000 && tally[2] > 1000, "{tally:?}");
    }
}
