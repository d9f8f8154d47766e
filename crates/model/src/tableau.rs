//! The reference automaton: it accepts the runs that violate a property.
//!
//! Local proofs and labels refer to its states, so the engine that writes a proof and the judge that checks it must
//! use the same automaton, and the judge must trust it. It is therefore built in the simplest way, the tableau of
//! [GPVW95] with marks on edges as in [Cou99], and from the property alone. The crate `automata` builds the smaller
//! automata that engines prefer for searching.
//!
//! The formula is negated and negations are pushed to the atoms, which leaves `∧`, `∨`, `X`, `U` and `R`. A state is
//! a set of formulas that the rest of the run must satisfy. Its edges are the ways to satisfy them now. They come
//! from
//!
//! - `a U b = b ∨ (a ∧ X (a U b))`, where the second way *postpones* the formula,
//! - `a R b = b ∧ (a ∨ X (a R b))`.
//!
//! An edge tests the literals of its way and leads to the set of formulas under `X`. There is a mark for each formula
//! `a U b`, on every edge that does not postpone it. A run that postpones it for ever is not accepting. A run of the
//! system that satisfies the formula can take the first way of `U` whenever `b` is true, so it is accepted.
//! Conversely, an accepted run satisfies the formula, by induction over the formula.
//!
//! A past formula is a literal here. In the end [`past`] adds a deterministic monitor for each of them.
//!
//! Two simple reductions keep the automaton small: an edge is left out if another edge to the same state tests fewer
//! of its literals and has all its marks, and states with the same edges are merged. The result is a function of the
//! formula alone. States and edges are exponential in the formula, so there is a limit.

use std::collections::{BTreeMap, BTreeSet};

use crate::automaton::{Automaton, Cube, Edge};
use crate::expr::Expr;
use crate::ground;
use crate::instance::Instance;
use crate::past;
use crate::property::{Formula, Kind};

/// The greatest number of edges of a reference automaton.
pub const LIMIT: usize = 20_000;

/// An automaton over ground step predicates that accepts exactly the runs that violate a property. For a formula this
/// is the tableau of its negation, also for a CTL formula that is [equivalent](crate::Ctl::as_linear) to one of linear
/// time; for an automaton that must accept no run it is that automaton. `None` for invariants and other CTL formulas,
/// and if the tableau is too large.
pub fn violations(instance: &Instance, kind: &Kind) -> Option<Automaton> {
    match ground::kind(instance, kind) {
        Kind::Ltl(formula) => refuting(&formula),
        Kind::Never(never) => Some(never.automaton.with_atoms(never.atoms)),
        Kind::Ctl(formula) => refuting(&formula.as_linear()?),
        Kind::Invariant(_) => None,
    }
}

/// The tableau of the negation of a formula without quantifiers; `None` if it is too large.
pub fn refuting(formula: &Formula) -> Option<Automaton> {
    let mut terms = Terms::default();
    let root = terms.translate(formula, false);
    let untils: Vec<usize> =
        (0..terms.known.len()).filter(|t| matches!(terms.known[*t], Term::Until(..))).collect();
    let mut numbers: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
    let mut sets = vec![BTreeSet::from([root])];
    numbers.insert(sets[0].clone(), 0);
    let mut states = Vec::new();
    let mut count = 0;
    while let Some(set) = sets.get(states.len()) {
        let mut edges = Vec::new();
        for way in terms.ways(set)? {
            let target = *numbers.entry(way.next.clone()).or_insert_with(|| {
                sets.push(way.next.clone());
                sets.len() - 1
            });
            let with = |truth| way.literals.iter().filter(move |(_, t)| **t == truth).map(|(atom, _)| *atom);
            let cube = Cube { positive: with(true).collect(), negative: with(false).collect() };
            let marks = (0..untils.len()).filter(|mark| !way.postponed.contains(&untils[*mark])).collect();
            edges.push(Edge { cube, marks, target });
        }
        let edges = without_weaker(edges);
        count += edges.len();
        if count > LIMIT {
            return None;
        }
        states.push(edges);
    }
    let automaton = Automaton { atoms: terms.atoms, initial: vec![0], states, marks: untils.len() };
    let mut automaton = past::monitored(&automaton, &|edges| edges > LIMIT)?;
    automaton.states = automaton.states.into_iter().map(without_weaker).collect();
    Some(merged(automaton))
}

/// A formula with negations only on atoms. Its parts are given by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Constant(bool),
    Literal(usize, bool),
    And(Vec<usize>),
    Or(Vec<usize>),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
}

/// A set of terms without duplicates.
#[derive(Default)]
struct Terms {
    /// Step predicates and past formulas.
    atoms: Vec<Formula>,
    known: Vec<Term>,
    numbers: BTreeMap<Term, usize>,
}

/// A way to satisfy a set of formulas now.
#[derive(Clone, Default)]
struct Way {
    pending: Vec<usize>,
    met: BTreeSet<usize>,
    literals: BTreeMap<usize, bool>,
    next: BTreeSet<usize>,
    postponed: BTreeSet<usize>,
}

impl Terms {
    fn number(&mut self, term: Term) -> usize {
        *self.numbers.entry(term.clone()).or_insert_with(|| {
            self.known.push(term);
            self.known.len() - 1
        })
    }

    fn literal(&mut self, atom: &Expr, positive: bool) -> usize {
        match atom {
            Expr::Bool(truth) => self.number(Term::Constant(*truth == positive)),
            Expr::Not(inner) => self.literal(inner, !positive),
            _ => self.literal_of(Formula::Atom(atom.clone()), positive),
        }
    }

    fn literal_of(&mut self, atom: Formula, positive: bool) -> usize {
        let known = self.atoms.iter().position(|known| *known == atom);
        let atom = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        self.number(Term::Literal(atom, positive))
    }

    /// The term of a formula or, if not `positive`, of its negation.
    fn translate(&mut self, formula: &Formula, positive: bool) -> usize {
        let all = |terms: &mut Terms, parts: &[Formula]| -> Vec<usize> {
            parts.iter().map(|part| terms.translate(part, positive)).collect()
        };
        let term = match formula {
            Formula::Atom(atom) => return self.literal(atom, positive),
            Formula::Previous(_) | Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) => {
                return self.literal_of(formula.clone(), positive);
            }
            Formula::Not(a) => return self.translate(a, !positive),
            Formula::And(parts) if positive => Term::And(all(self, parts)),
            Formula::Or(parts) if !positive => Term::And(all(self, parts)),
            Formula::And(parts) | Formula::Or(parts) => Term::Or(all(self, parts)),
            Formula::Implies(a, b) => {
                let parts = vec![self.translate(a, !positive), self.translate(b, positive)];
                if positive { Term::Or(parts) } else { Term::And(parts) }
            }
            Formula::Next(a) => Term::Next(self.translate(a, positive)),
            Formula::Finally(a) | Formula::Globally(a) => {
                let a = self.translate(a, positive);
                if matches!(formula, Formula::Finally(_)) == positive {
                    Term::Until(self.number(Term::Constant(true)), a)
                } else {
                    Term::Release(self.number(Term::Constant(false)), a)
                }
            }
            Formula::Until(a, b) | Formula::Release(a, b) => {
                let (a, b) = (self.translate(a, positive), self.translate(b, positive));
                if matches!(formula, Formula::Until(..)) == positive {
                    Term::Until(a, b)
                } else {
                    Term::Release(a, b)
                }
            }
            // `a W b` is `b R (a ∨ b)`.
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.translate(a, positive), self.translate(b, positive));
                if positive {
                    Term::Release(b, self.number(Term::Or(vec![a, b])))
                } else {
                    Term::Until(b, self.number(Term::And(vec![a, b])))
                }
            }
            Formula::Forall(..) | Formula::Exists(..) => unreachable!("a ground formula has no quantifiers"),
        };
        self.number(term)
    }

    /// The ways to satisfy a set of terms now; `None` if there are too many.
    fn ways(&self, set: &BTreeSet<usize>) -> Option<Vec<Way>> {
        let mut open = vec![Way { pending: set.iter().copied().collect(), ..Way::default() }];
        let mut ways = Vec::new();
        while let Some(mut way) = open.pop() {
            if open.len() + ways.len() > LIMIT {
                return None;
            }
            let Some(number) = way.pending.pop() else {
                ways.push(way);
                continue;
            };
            if !way.met.insert(number) {
                open.push(way);
                continue;
            }
            match &self.known[number] {
                Term::Constant(true) => open.push(way),
                Term::Constant(false) => {}
                Term::Literal(atom, truth) => {
                    if *way.literals.entry(*atom).or_insert(*truth) == *truth {
                        open.push(way);
                    }
                }
                Term::And(parts) => {
                    way.pending.extend(parts);
                    open.push(way);
                }
                Term::Or(parts) => open.extend(parts.iter().rev().map(|part| {
                    let mut way = way.clone();
                    way.pending.push(*part);
                    way
                })),
                Term::Next(a) => {
                    way.next.insert(*a);
                    open.push(way);
                }
                Term::Until(a, b) => {
                    let mut now = way.clone();
                    now.pending.push(*b);
                    way.pending.push(*a);
                    way.next.insert(number);
                    way.postponed.insert(number);
                    open.extend([way, now]);
                }
                Term::Release(a, b) => {
                    way.pending.push(*b);
                    let mut now = way.clone();
                    now.pending.push(*a);
                    way.next.insert(number);
                    open.extend([way, now]);
                }
            }
        }
        Some(ways)
    }
}

/// Removes the edges that another edge to the same state makes superfluous, and sorts the others.
fn without_weaker(mut edges: Vec<Edge>) -> Vec<Edge> {
    fn within(a: &[usize], b: &[usize]) -> bool {
        a.iter().all(|x| b.contains(x))
    }
    let covers = |a: &Edge, b: &Edge| {
        a.target == b.target
            && within(&a.cube.positive, &b.cube.positive)
            && within(&a.cube.negative, &b.cube.negative)
            && within(&b.marks, &a.marks)
    };
    edges.sort();
    edges.dedup();
    let kept = edges.iter().filter(|edge| !edges.iter().any(|other| other != *edge && covers(other, edge)));
    kept.cloned().collect()
}

/// Merges states that have the same edges, until there are none.
fn merged(mut automaton: Automaton) -> Automaton {
    loop {
        let mut first: BTreeMap<&[Edge], usize> = BTreeMap::new();
        let mut renamed = Vec::new();
        let mut kept = Vec::new();
        for edges in &automaton.states {
            let number = *first.entry(edges).or_insert_with(|| {
                kept.push(edges.clone());
                kept.len() - 1
            });
            renamed.push(number);
        }
        let is_stable = kept.len() == automaton.states.len();
        for edges in &mut kept {
            edges.iter_mut().for_each(|edge| edge.target = renamed[edge.target]);
            *edges = without_weaker(std::mem::take(edges));
        }
        automaton.initial.iter_mut().for_each(|state| *state = renamed[*state]);
        automaton.states = kept;
        if is_stable {
            return automaton;
        }
    }
}
