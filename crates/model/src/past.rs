//! Past operators in automata, by deterministic monitors.
//!
//! Whoever translates a formula treats its past formulas as literals. This file takes the resulting automaton, whose
//! atoms are step predicates and past formulas, and returns one over step predicates that accepts the same words.
//!
//! A past formula is a circuit over the atoms now and some *bits*, which remember the position before: for `Y a`
//! the truth of `a` there, for `a S b` its own truth there. `a S b` is true now if `b` is, or `a` is and the bit is.
//! `O a` is `true S a`, and `H a` is `!O !a`. At the first position all bits are false. So the bits now and the letter
//! determine the truth of every past formula and the next bits.
//!
//! A state of the result is a state of the automaton with the bits. An edge splits into cases: each adds literals to the
//! cube until the past literals of the edge are known to be true and the next bits are known. A state only keeps the
//! bits that a past literal on some edge ahead depends on; the others are false. With `n` bits there are at most
//! `2^n` times as many states.

use std::collections::{BTreeMap, BTreeSet};

use crate::automaton::{Automaton, Cube, Edge};
use crate::expr::Expr;
use crate::property::Formula;

/// An automaton over step predicates that accepts the same words as one over step predicates and past formulas. The
/// formulas have neither quantifiers nor operators of the future. `give_up` is called with the number of edges so far;
/// if it returns true, the result is `None`.
pub fn monitored(automaton: &Automaton<Formula>, give_up: &dyn Fn(usize) -> bool) -> Option<Automaton> {
    let mut monitor = Monitor::default();
    let meanings: Vec<usize> = automaton.atoms.iter().map(|atom| monitor.add(atom)).collect();
    if monitor.bits.is_empty() {
        return Some(automaton.with_atoms(monitor.atoms));
    }
    let needed = needed(automaton, &meanings, &monitor);
    let mut numbers: BTreeMap<(usize, Bits), usize> = BTreeMap::new();
    let mut reached: Vec<(usize, Bits)> = Vec::new();
    let mut number = |state: usize, bits: Bits, reached: &mut Vec<_>| {
        *numbers.entry((state, bits)).or_insert_with_key(|pair| {
            reached.push(pair.clone());
            reached.len() - 1
        })
    };
    let initial: Vec<usize> =
        automaton.initial.iter().map(|state| number(*state, Bits::new(), &mut reached)).collect();
    let mut states: Vec<Vec<Edge>> = Vec::new();
    let mut count = 0;
    while let Some((state, bits)) = reached.get(states.len()).cloned() {
        let mut edges = Vec::new();
        for edge in &automaton.states[state] {
            let wanted: Vec<(usize, bool)> =
                edge.cube.literals().map(|(atom, truth)| (meanings[atom], truth)).collect();
            for (cube, next) in monitor.cases(&wanted, &bits, &needed[edge.target]) {
                let target = number(edge.target, next, &mut reached);
                edges.push(Edge { cube, marks: edge.marks.clone(), target });
                count += 1;
                if give_up(count) {
                    return None;
                }
            }
        }
        states.push(edges);
    }
    Some(Automaton { atoms: monitor.atoms, initial, states, marks: automaton.marks })
}

/// The bits that are true, by number.
type Bits = BTreeSet<usize>;

/// Per state, the bits that the past literals on the edges ahead depend on.
fn needed(automaton: &Automaton<Formula>, meanings: &[usize], monitor: &Monitor) -> Vec<Bits> {
    let tested = |edges: &Vec<Edge>| -> Bits {
        let literals = edges.iter().flat_map(|edge| edge.cube.literals());
        literals.flat_map(|(atom, _)| monitor.bits_below(meanings[atom])).collect()
    };
    let mut needed: Vec<Bits> = automaton.states.iter().map(tested).collect();
    loop {
        let mut changed = false;
        for (state, edges) in automaton.states.iter().enumerate() {
            for edge in edges {
                let more: Vec<usize> = needed[edge.target].difference(&needed[state]).copied().collect();
                changed |= !more.is_empty();
                needed[state].extend(more);
            }
        }
        if !changed {
            return needed;
        }
    }
}

/// A part of a past formula; other parts by number.
#[derive(PartialEq)]
enum Part {
    Constant(bool),
    Atom(usize),
    Not(usize),
    And(Vec<usize>),
    /// The truth of the first part at the position before.
    Previous(usize, usize),
    /// `a S b`, with the number of its bit.
    Since(usize, usize, usize),
}

/// The circuit of some past formulas.
#[derive(Default)]
struct Monitor {
    atoms: Vec<Expr>,
    /// Invariant: a part comes after the parts it is made of.
    parts: Vec<Part>,
    /// The part whose truth each bit remembers.
    bits: Vec<usize>,
}

impl Monitor {
    fn push(&mut self, part: Part) -> usize {
        self.parts.iter().position(|known| *known == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    fn not(&mut self, a: usize) -> usize {
        match self.parts[a] {
            Part::Not(inner) => inner,
            _ => self.push(Part::Not(a)),
        }
    }

    fn or(&mut self, parts: Vec<usize>) -> usize {
        let denied = parts.into_iter().map(|part| self.not(part)).collect();
        let none = self.push(Part::And(denied));
        self.not(none)
    }

    fn since(&mut self, a: usize, b: usize) -> usize {
        let same = |part: &Part| matches!(part, Part::Since(own_a, own_b, _) if (*own_a, *own_b) == (a, b));
        if let Some(known) = self.parts.iter().position(same) {
            return known;
        }
        let bit = self.bits.len();
        self.parts.push(Part::Since(a, b, bit));
        self.bits.push(self.parts.len() - 1);
        self.parts.len() - 1
    }

    fn add(&mut self, formula: &Formula) -> usize {
        let all = |monitor: &mut Monitor, parts: &[Formula]| -> Vec<usize> {
            parts.iter().map(|part| monitor.add(part)).collect()
        };
        match formula {
            Formula::Atom(Expr::Bool(truth)) => self.push(Part::Constant(*truth)),
            Formula::Atom(Expr::Not(inner)) => {
                let inner = self.add(&Formula::Atom((**inner).clone()));
                self.not(inner)
            }
            Formula::Atom(atom) => {
                let known = self.atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
                    self.atoms.push(atom.clone());
                    self.atoms.len() - 1
                });
                self.push(Part::Atom(known))
            }
            Formula::Not(a) => {
                let a = self.add(a);
                self.not(a)
            }
            Formula::And(parts) => {
                let parts = all(self, parts);
                self.push(Part::And(parts))
            }
            Formula::Or(parts) => {
                let parts = all(self, parts);
                self.or(parts)
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                let denied = self.not(a);
                self.or(vec![denied, b])
            }
            Formula::Previous(a) => {
                let a = self.add(a);
                let bit = self.bits.iter().position(|known| *known == a).unwrap_or_else(|| {
                    self.bits.push(a);
                    self.bits.len() - 1
                });
                self.push(Part::Previous(a, bit))
            }
            Formula::Once(a) => {
                let (always, a) = (self.push(Part::Constant(true)), self.add(a));
                self.since(always, a)
            }
            Formula::Historically(a) => {
                let (always, a) = (self.push(Part::Constant(true)), self.add(a));
                let denied = self.not(a);
                let once = self.since(always, denied);
                self.not(once)
            }
            Formula::Since(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                self.since(a, b)
            }
            other => unreachable!("{other:?} is not about the past"),
        }
    }

    /// The bits that the truth of a part depends on, now or later.
    fn bits_below(&self, part: usize) -> Bits {
        let (mut bits, mut seen) = (Bits::new(), BTreeSet::new());
        let mut pending = vec![part];
        while let Some(part) = pending.pop() {
            if !seen.insert(part) {
                continue;
            }
            match &self.parts[part] {
                Part::Constant(_) | Part::Atom(_) => {}
                Part::Not(a) => pending.push(*a),
                Part::And(parts) => pending.extend(parts),
                Part::Previous(a, bit) => {
                    bits.insert(*bit);
                    pending.push(*a);
                }
                Part::Since(a, b, bit) => {
                    bits.insert(*bit);
                    pending.extend([*a, *b]);
                }
            }
        }
        bits
    }

    /// The letters on which the wanted parts have their wanted truth, as disjoint cubes, each with the next bits among
    /// those needed.
    fn cases(&self, wanted: &[(usize, bool)], bits: &Bits, needed: &Bits) -> Vec<(Cube, Bits)> {
        let mut cases = Vec::new();
        let mut open: Vec<BTreeMap<usize, bool>> = vec![BTreeMap::new()];
        while let Some(letter) = open.pop() {
            let truth = self.truth(&letter, bits);
            if wanted.iter().any(|(part, value)| truth[*part] == Some(!value)) {
                continue;
            }
            let asked = wanted.iter().map(|(part, _)| *part).chain(needed.iter().map(|bit| self.bits[*bit]));
            let atom = asked.into_iter().find_map(|part| self.unknown(part, &truth));
            if let Some(atom) = atom {
                for value in [false, true] {
                    let mut split = letter.clone();
                    split.insert(atom, value);
                    open.push(split);
                }
                continue;
            }
            let with = |value| letter.iter().filter(move |(_, own)| **own == value).map(|(atom, _)| *atom);
            let cube = Cube { positive: with(true).collect(), negative: with(false).collect() };
            let next = needed.iter().copied().filter(|bit| truth[self.bits[*bit]] == Some(true)).collect();
            cases.push((cube, next));
        }
        cases
    }

    /// The truth of every part on the letters that agree with this one, if they all give it the same.
    fn truth(&self, letter: &BTreeMap<usize, bool>, bits: &Bits) -> Vec<Option<bool>> {
        let mut truth: Vec<Option<bool>> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let value = match part {
                Part::Constant(value) => Some(*value),
                Part::Atom(atom) => letter.get(atom).copied(),
                Part::Not(a) => truth[*a].map(|a| !a),
                Part::And(parts) if parts.iter().any(|part| truth[*part] == Some(false)) => Some(false),
                Part::And(parts) => parts.iter().all(|part| truth[*part] == Some(true)).then_some(true),
                Part::Previous(_, bit) => Some(bits.contains(bit)),
                Part::Since(a, b, bit) => match truth[*b] {
                    Some(true) => Some(true),
                    Some(false) if !bits.contains(bit) => Some(false),
                    Some(false) => truth[*a],
                    None if bits.contains(bit) && truth[*a] == Some(true) => Some(true),
                    None => None,
                },
            };
            truth.push(value);
        }
        truth
    }

    /// An atom on which a part of unknown truth depends.
    fn unknown(&self, part: usize, truth: &[Option<bool>]) -> Option<usize> {
        if truth[part].is_some() {
            return None;
        }
        let below = match &self.parts[part] {
            Part::Atom(atom) => return Some(*atom),
            Part::Constant(_) | Part::Previous(..) => return None,
            Part::Not(a) => vec![*a],
            Part::And(parts) => parts.clone(),
            Part::Since(a, b, _) => vec![*b, *a],
        };
        below.into_iter().find_map(|part| self.unknown(part, truth))
    }
}
