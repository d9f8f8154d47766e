//! LTL by the tableau of [LP85], over steps.
//!
//! The formula is rewritten to atoms, negation, conjunction, `X`, `U`, `Y` and `S`, and its distinct parts are numbered,
//! smaller ones first. A *node* is a step of the system with a guess for every part with one of these operators; the truth
//! of the other parts follows. There is an edge from a node to one whose step follows, if the guesses agree with it: `X a`
//! is guessed iff `a` is true at the next node, `a U b` iff `b` is true now, or `a` is true now and `a U b` at the next
//! node. A set of nodes is *fulfilling* if for every `a U b` it has a node where `a U b` is false or `b` is true.
//!
//! A fair run violates the formula iff a fair, fulfilling, strongly connected set can be reached from a node
//! whose step leaves an initial state and in which the formula is false. *If there is such a run*, guess what
//! is true: the nodes form a path, and those it visits infinitely often are such a set, since a true `a U b`
//! has a true `b` later. *If there is such a set*, the path to it and then a tour of it, repeated, is a fair
//! run, and by induction over the parts every guess on it is true. For `X a` the edges say so. A guessed
//! `a U b` comes with a true `a` and is guessed again at the next node, until `b` is true; if that were put off
//! for ever, `a U b` would be guessed and `b` false all over the set, which is fulfilling. A denied `a U b`
//! comes with a false `b`, and with a false `a` or denied again at the next node; so no `b` is reached
//! through `a`.
//!
//! For the past, an edge also requires that `Y a` is guessed at the next node iff `a` is true now, and `a S b` iff `b` is
//! true there, or `a` is true there and `a S b` now. At an initial node `Y a` is false and `a S b` is what `b` is. So the
//! guesses about the past are true on every path from an initial node.
//!
//! Our nodes are steps where those of the paper are states, because atoms may be about the action taken.

use model::instance::{Environment, Instance};
use model::{Fault, Formula, semantics};

use super::fair::{Marks, Nodes};
use super::graph::Graph;
use super::{Halt, Undecided};

/// Whether every fair run satisfies the formula.
pub(super) fn holds(
    instance: &Instance,
    graph: &Graph,
    fairness: &Marks,
    formula: &Formula,
    limit: usize,
) -> Result<bool, Halt> {
    let mut tableau = Tableau { instance, graph, parts: Vec::new() };
    let whole = tableau.add(formula, &mut Environment::default())?;
    let (nodes, truths) = tableau.reachable_nodes(whole, limit)?;
    let goals: Vec<Vec<bool>> = (tableau.parts.iter().enumerate())
        .filter_map(|(part, kind)| match kind {
            Part::Until(_, b) => Some(truths.iter().map(|truth| !truth[part] || truth[*b]).collect()),
            _ => None,
        })
        .collect();
    Ok(!fairness.fair_nodes(graph, &nodes, &goals)?.contains(&true))
}

/// A part of the formula; other parts by number.
#[derive(PartialEq)]
enum Part {
    /// Whether it is true of each step.
    Atom(Vec<bool>),
    Not(usize),
    And(Vec<usize>),
    Next(usize),
    Until(usize, usize),
    Previous(usize),
    Since(usize, usize),
}

struct Tableau<'a> {
    instance: &'a Instance,
    graph: &'a Graph,
    /// Invariant: a part comes after the parts it is made of, and no two are equal.
    parts: Vec<Part>,
}

impl Tableau<'_> {
    fn push(&mut self, part: Part) -> usize {
        self.parts.iter().position(|other| *other == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    fn constant(&mut self, value: bool) -> usize {
        self.push(Part::Atom(vec![value; self.graph.steps.len()]))
    }

    fn not(&mut self, a: usize) -> usize {
        self.push(Part::Not(a))
    }

    fn or(&mut self, parts: Vec<usize>) -> usize {
        let denied = parts.into_iter().map(|part| self.not(part)).collect();
        let none = self.push(Part::And(denied));
        self.not(none)
    }

    /// The number of a formula rewritten to the kinds of parts.
    fn add(&mut self, formula: &Formula, environment: &mut Environment) -> Result<usize, Fault> {
        Ok(match formula {
            Formula::Atom(atom) => {
                let mut truth = Vec::new();
                for step in &self.graph.steps {
                    let position = self.graph.position(step);
                    truth.push(semantics::step_predicate_in(self.instance, atom, &position, environment)?);
                }
                self.push(Part::Atom(truth))
            }
            Formula::Not(a) => {
                let a = self.add(a, environment)?;
                self.not(a)
            }
            Formula::And(parts) => {
                let parts = parts.iter().map(|part| self.add(part, environment)).collect::<Result<_, _>>()?;
                self.push(Part::And(parts))
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.add(part, environment)).collect::<Result<_, _>>()?;
                self.or(parts)
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.add(a, environment)?, self.add(b, environment)?);
                let denied = self.not(a);
                self.or(vec![denied, b])
            }
            Formula::Next(a) => {
                let a = self.add(a, environment)?;
                self.push(Part::Next(a))
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.add(a, environment)?, self.add(b, environment)?);
                self.push(Part::Until(a, b))
            }
            Formula::Finally(a) => {
                let (always, a) = (self.constant(true), self.add(a, environment)?);
                self.push(Part::Until(always, a))
            }
            Formula::Globally(a) => {
                let (never, a) = (self.constant(false), self.add(a, environment)?);
                self.release(never, a)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.add(a, environment)?, self.add(b, environment)?);
                self.release(a, b)
            }
            // a W b = b R (a || b)
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.add(a, environment)?, self.add(b, environment)?);
                let either = self.or(vec![a, b]);
                self.release(b, either)
            }
            Formula::Previous(a) => {
                let a = self.add(a, environment)?;
                self.push(Part::Previous(a))
            }
            Formula::Once(a) => {
                let (always, a) = (self.constant(true), self.add(a, environment)?);
                self.push(Part::Since(always, a))
            }
            // H a = !O !a
            Formula::Historically(a) => {
                let (always, a) = (self.constant(true), self.add(a, environment)?);
                let denied = self.not(a);
                let once = self.push(Part::Since(always, denied));
                self.not(once)
            }
            Formula::Since(a, b) => {
                let (a, b) = (self.add(a, environment)?, self.add(b, environment)?);
                self.push(Part::Since(a, b))
            }
            Formula::Forall(binder, body) | Formula::Exists(binder, body) => {
                let lo = semantics::rigid(&binder.span.lo, environment)?;
                let hi = semantics::rigid(&binder.span.hi, environment)?;
                let mut parts = Vec::new();
                for value in lo..=hi {
                    environment.bind(binder.index, value);
                    parts.push(self.add(body, environment)?);
                    environment.unbind();
                }
                let all = matches!(formula, Formula::Forall(..));
                if all { self.push(Part::And(parts)) } else { self.or(parts) }
            }
        })
    }

    /// a R b = !(!a U !b)
    fn release(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let until = self.push(Part::Until(a, b));
        self.not(until)
    }

    /// The nodes that can be reached from an initial node in which `whole` is false, and the truth of each
    /// part in each of them.
    fn reachable_nodes(&self, whole: usize, limit: usize) -> Result<(Nodes, Vec<Vec<bool>>), Undecided> {
        let is_guessed = |part: &&Part| !matches!(part, Part::Atom(_) | Part::Not(_) | Part::And(_));
        let guessed = self.parts.iter().filter(is_guessed).count();
        let guesses = u32::try_from(guessed).ok().and_then(|count| 1usize.checked_shl(count));
        let guesses = guesses.filter(|count| count.saturating_mul(self.graph.steps.len()) <= limit);
        let guesses = guesses.ok_or(Undecided::TooManyNodes)?;

        // Per step, the truths of its nodes, without inconsistent ones.
        let truths: Vec<Vec<Vec<bool>>> = (0..self.graph.steps.len())
            .map(|step| {
                (0..guesses)
                    .map(|guess| self.truth(step, guess))
                    .filter(|truth| self.possible(truth))
                    .collect()
            })
            .collect();
        // A node gets its number when it is first reached.
        let mut numbers: Vec<Vec<Option<usize>>> = truths.iter().map(|of| vec![None; of.len()]).collect();
        let mut met: Vec<(usize, usize)> = Vec::new();
        for &state in &self.graph.initial {
            for &step in &self.graph.leaving[state] {
                let begins = |truth: &[bool]| !truth[whole] && self.has_no_past(truth);
                for guess in (0..truths[step].len()).filter(|&guess| begins(&truths[step][guess])) {
                    numbers[step][guess] = Some(met.len());
                    met.push((step, guess));
                }
            }
        }
        let mut nodes = Nodes { steps: Vec::new(), successors: Vec::new() };
        while let Some(&(step, guess)) = met.get(nodes.steps.len()) {
            let mut successors = Vec::new();
            for &next in &self.graph.leaving[self.graph.steps[step].target] {
                for (other, truth) in truths[next].iter().enumerate() {
                    if self.consistent(&truths[step][guess], truth) {
                        successors.push(*numbers[next][other].get_or_insert_with(|| {
                            met.push((next, other));
                            met.len() - 1
                        }));
                    }
                }
            }
            nodes.steps.push(step);
            nodes.successors.push(successors);
        }
        let truths = met.into_iter().map(|(step, guess)| truths[step][guess].clone()).collect();
        Ok((nodes, truths))
    }

    /// The truth of every part, where the bits of `guess` are the truth of the guessed parts in order.
    fn truth(&self, step: usize, guess: usize) -> Vec<bool> {
        let mut truth: Vec<bool> = Vec::with_capacity(self.parts.len());
        let mut rest = guess;
        for part in &self.parts {
            truth.push(match part {
                Part::Atom(of) => of[step],
                Part::Not(a) => !truth[*a],
                Part::And(parts) => parts.iter().all(|part| truth[*part]),
                Part::Next(_) | Part::Until(..) | Part::Previous(_) | Part::Since(..) => {
                    let bit = rest & 1 == 1;
                    rest >>= 1;
                    bit
                }
            });
        }
        truth
    }

    /// Whether what is true agrees with there being no position before.
    fn has_no_past(&self, truth: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(part, kind)| match kind {
            Part::Previous(_) => !truth[part],
            Part::Since(_, b) => truth[part] == truth[*b],
            _ => true,
        })
    }

    /// Whether a node can have a successor at all: `a U b` is true if `b` is, and only if `a` or `b` is.
    fn possible(&self, truth: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(part, kind)| match kind {
            Part::Until(a, b) => {
                if truth[part] {
                    truth[*a] || truth[*b]
                } else {
                    !truth[*b]
                }
            }
            _ => true,
        })
    }

    /// Whether the guesses now agree with what is true next.
    fn consistent(&self, now: &[bool], next: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(part, kind)| match kind {
            Part::Next(a) => now[part] == next[*a],
            Part::Until(a, b) => now[part] == (now[*b] || now[*a] && next[part]),
            Part::Previous(a) => next[part] == now[*a],
            Part::Since(a, b) => next[part] == (next[*b] || next[*a] && now[part]),
            _ => true,
        })
    }
}
