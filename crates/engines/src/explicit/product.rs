//! The product of a state space and an automaton, which is never stored.
//!
//! A node is a pair of a state and a state of the automaton; an edge is a step of the system together with an
//! edge of the automaton that admits the step's letter. Its runs are the runs of the system read by the
//! automaton. The edges of a node are enumerated from the steps of its state and a table of what the automaton
//! can do on each letter, so the product costs a few words per node and nothing per edge.
//!
//! A component is judged in one pass over its edges. An action is enabled at a node if a step with its label leaves
//! the state, whether or not the automaton can follow it: enabledness is a fact about the system. It is taken if an
//! edge with its label stays inside. No fair run stays in the component if an action with weak fairness is enabled at
//! every node and taken nowhere. If an action with strong fairness is enabled somewhere and taken nowhere, the nodes
//! where it is enabled are deleted.

use std::cell::RefCell;

use automata::{Automaton, Edge, accepting_states};
use model::StopReason;

use super::letters::Letters;
use super::requirements::{Alternative, OfActions};
use super::space::Steps;
use super::states::States;
use crate::graph::bits::Bits;
use crate::graph::fair::{Fair, Judgement};
use crate::watch::{Watch, bytes_of};

/// A state space, an automaton that reads it, and one alternative of a fairness.
pub(super) struct Product<'p, S> {
    pub(super) space: &'p S,
    pub(super) letters: &'p Letters,
    pub(super) alternative: &'p Alternative,
    pub(super) marks: usize,
    /// A node is `state << shift | q`.
    pub(super) shift: u32,
    /// The initial states of the automaton.
    initial: Vec<u32>,
    roots: Vec<u32>,
    /// Per state of the automaton, whether its component is accepting.
    accepting: Vec<bool>,
    /// The moves of the automaton, ordered by letter and then by automaton state; and where those of each letter and
    /// state begin.
    moves: Vec<Move>,
    first: Vec<u32>,
    /// The sets of marks of moves, without duplicates.
    mark_sets: Vec<Bits>,
    facts: RefCell<Facts>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Move {
    target: u32,
    /// The position in `mark_sets`.
    marks: u32,
}

/// An edge of the product, without its source.
pub(super) struct Arc {
    /// The position of the step among those that leave the state.
    pub(super) step: usize,
    pub(super) label: u16,
    pub(super) letter: usize,
    marks: u32,
    pub(super) target: u32,
}

/// The facts about the component that is being judged.
struct Facts {
    /// Per requirement about actions: the number of nodes where one is enabled, and the last such node.
    enabled: Vec<(u32, u32)>,
    /// Per requirement about actions, whether one is taken.
    taken: Vec<bool>,
    /// The letters of edges inside. Per letter, the component it was last seen in.
    letters: Vec<usize>,
    last_seen: Vec<u32>,
    judged: u32,
    /// Per set of marks, whether an edge inside has it.
    mark_sets: Vec<bool>,
}

/// What the edges inside a component satisfy.
pub(super) struct ComponentFacts {
    /// The marks that they carry.
    pub(super) marks: Bits,
    /// Per requirement about actions, whether an edge takes one.
    pub(super) taken: Vec<bool>,
    /// Per requirement about actions, the number of nodes where one is enabled.
    pub(super) enabled: Vec<usize>,
    /// The predicates that are true of some edge, if there are requirements about steps.
    predicates: Bits,
}

impl ComponentFacts {
    /// Whether a predicate is true of some edge.
    pub(super) fn occurs(&self, predicate: usize) -> bool {
        self.predicates.contains(predicate)
    }
}

/// Whether the nodes of a product can be numbered, and are not more than the limit.
pub(super) fn fits(space: &impl States, automaton: &Automaton, number_limit: usize) -> bool {
    (space.bound() as u64) << shift(automaton) < (number_limit as u64).min(u64::from(u32::MAX) - 1)
}

/// The approximate size in bytes of the table of automaton moves for each letter.
pub(super) fn table_bytes(letters: &Letters, automaton: &Automaton) -> u64 {
    let edges: usize = automaton.states.iter().map(Vec::len).sum();
    let of_letter = edges * (64 + automaton.marks / 8) + automaton.states.len() * 8;
    // Moves are numbered with 32 bits.
    if letters.len() * edges > u32::MAX as usize { u64::MAX } else { (letters.len() * of_letter) as u64 }
}

/// Moves nodes that have not been seen to the entries or to the queue.
fn meet(
    nodes: &mut Vec<u32>,
    seen: &mut Bits,
    is_entry: &impl Fn(u32) -> bool,
    entries: &mut Vec<u32>,
    queue: &mut Vec<u32>,
) {
    for node in nodes.drain(..) {
        if !seen.contains(node as usize) {
            seen.insert(node as usize);
            if is_entry(node) { entries.push(node) } else { queue.push(node) }
        }
    }
}

/// Pairs of a state and a state of the automaton are numbered `state << shift | q`.
pub(super) fn shift(automaton: &Automaton) -> u32 {
    automaton.states.len().next_power_of_two().trailing_zeros()
}

/// What the automaton can do on each letter, ordered by letter and then by its states; and where that of each letter and
/// state begins. A function makes a move of a letter and an edge that admits it.
pub(super) fn moves<M: PartialEq>(
    letters: &Letters,
    automaton: &Automaton,
    atoms: &[usize],
    mut of: impl FnMut(&Bits, &Edge) -> M,
) -> (Vec<M>, Vec<u32>) {
    let (mut moves, mut first) = (Vec::new(), vec![0]);
    for number in 0..letters.len() {
        let letter = letters.letter(number);
        for q in 0..1 << shift(automaton) {
            let edges = automaton.states.get(q).map_or(&[][..], |edges| edges);
            let admitted = edges.iter().filter(|edge| edge.cube.admits(|atom| letter.contains(atoms[atom])));
            let mut list: Vec<M> = admitted.map(|edge| of(letter, edge)).collect();
            list.dedup();
            moves.extend(list);
            first.push(moves.len() as u32);
        }
    }
    (moves, first)
}

impl<'p, S: States> Product<'p, S> {
    /// A product. `atoms` are the numbers of the automaton's atoms among the predicates.
    pub(super) fn new(
        space: &'p S,
        letters: &'p Letters,
        automaton: &Automaton,
        atoms: &[usize],
        alternative: &'p Alternative,
    ) -> Product<'p, S> {
        let shift = shift(automaton);
        let mut mark_sets: Vec<Bits> = Vec::new();
        let mut number_of = |marks: &[usize]| {
            let set = Bits::of(automaton.marks, |mark| marks.contains(&mark));
            mark_sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                mark_sets.push(set);
                mark_sets.len() - 1
            }) as u32
        };
        let (moves, first) = moves(letters, automaton, atoms, |_, edge| Move {
            target: edge.target as u32,
            marks: number_of(&edge.marks),
        });
        let pairs = |state: u32| automaton.initial.iter().map(move |q| state << shift | *q as u32);
        let roots = space.initial().into_iter().flat_map(pairs).collect();
        let initial = automaton.initial.iter().map(|q| *q as u32).collect();
        let requirements = alternative.of_actions.len();
        let facts = RefCell::new(Facts {
            enabled: vec![(0, u32::MAX); requirements],
            taken: vec![false; requirements],
            letters: Vec::new(),
            last_seen: vec![0; letters.len()],
            judged: 0,
            mark_sets: vec![false; mark_sets.len()],
        });
        let (accepting, marks) = (accepting_states(automaton), automaton.marks);
        Product {
            space,
            letters,
            alternative,
            marks,
            shift,
            initial,
            roots,
            accepting,
            moves,
            first,
            mark_sets,
            facts,
        }
    }

    /// The number of states of the automaton.
    pub(super) fn states_of_automaton(&self) -> usize {
        self.accepting.len()
    }

    /// The initial nodes.
    pub(super) fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The nodes where runs first enter an accepting component of the automaton. Every cycle that the automaton
    /// accepts can be reached from these nodes. The search up to them does not compute components.
    pub(super) fn entries(&self, watch: &mut Watch<'_>) -> Result<Vec<u32>, StopReason> {
        let accepting = |node: u32| self.accepting[(node & ((1 << self.shift) - 1)) as usize];
        if self.accepting.iter().all(|accepting| *accepting) {
            return Ok(self.roots.clone());
        }
        let q_of = |node: u32| node & ((1 << self.shift) - 1);
        let whole = self.whole();
        let mut seen = Bits::empty(self.nodes());
        let (mut queue, mut entries, mut targets) = (Vec::new(), Vec::new(), self.roots.clone());
        if self.initial.iter().all(|q| self.may_stay(*q)) {
            // Then a run can reach every state with the automaton as it was at the beginning. Most formulas are about what
            // comes after some moment. To find these moments, steps are looked at only where the automaton can leave.
            targets.retain(|root| accepting(*root));
            let expanded =
                (0..self.space.bound() as u32).filter(|state| self.letters.valuation(*state).is_some());
            for state in expanded {
                watch.tick(|| seen.bytes() + bytes_of(&queue) + bytes_of(&entries))?;
                for &q in self.initial.iter().filter(|q| self.may_leave(state, **q)) {
                    self.visit(&whole, state << self.shift | q, |arc| targets.push(arc.target));
                }
                targets.retain(|target| accepting(*target) || !self.initial.contains(&q_of(*target)));
                meet(&mut targets, &mut seen, &accepting, &mut entries, &mut queue);
            }
        }
        let mut next = 0;
        loop {
            meet(&mut targets, &mut seen, &accepting, &mut entries, &mut queue);
            let Some(&node) = queue.get(next) else { return Ok(entries) };
            watch.tick(|| seen.bytes() + bytes_of(&queue) + bytes_of(&entries))?;
            next += 1;
            self.visit(&whole, node, |arc| targets.push(arc.target));
        }
    }

    /// Whether the automaton can stay in a state, whatever the letter.
    fn may_stay(&self, q: u32) -> bool {
        (0..self.letters.len()).all(|letter| self.moves(letter, q as usize).iter().any(|to| to.target == q))
    }

    /// Whether some step of a state may lead the automaton elsewhere.
    fn may_leave(&self, state: u32, q: u32) -> bool {
        let Some(valuation) = self.letters.valuation(state) else { return false };
        let mut letters =
            (0..self.letters.class_count).map(|class| valuation * self.letters.class_count + class);
        letters.any(|letter| self.moves(letter, q as usize).iter().any(|to| to.target != q))
    }

    /// The state of the system a node stands for.
    #[inline]
    pub(super) fn state(&self, node: u32) -> u32 {
        node >> self.shift
    }

    /// The part in which nothing is deleted.
    pub(super) fn whole(&self) -> Bits {
        Bits::empty(self.alternative.of_steps.len())
    }

    /// Visits the edges of a node that are not deleted.
    #[inline]
    pub(super) fn visit(&self, broken: &Bits, node: u32, visit: impl FnMut(Arc)) {
        self.space.with_steps(self.state(node), |steps| self.visit_steps(broken, node, steps, visit));
    }

    /// Visits the edges of a node that are not deleted, given the steps of its state.
    #[inline]
    fn visit_steps(&self, broken: &Bits, node: u32, steps: Steps<'_>, mut visit: impl FnMut(Arc)) {
        let state = self.state(node);
        let q = (node & ((1 << self.shift) - 1)) as usize;
        let Steps { targets, labels } = steps;
        let Some(valuation) = self.letters.valuation(state) else { return };
        let check = !broken.is_empty();
        for (step, (target, label)) in targets.iter().zip(labels).enumerate() {
            let letter = valuation * self.letters.class_count + self.letters.event_class(*label);
            let moves = self.moves(letter, q);
            if check && !moves.is_empty() && self.triggers(letter, broken) {
                continue;
            }
            for Move { target: to, marks } in moves {
                visit(Arc { step, label: *label, letter, marks: *marks, target: target << self.shift | to });
            }
        }
    }

    /// What the automaton can do on a letter.
    #[inline]
    fn moves(&self, letter: usize, q: usize) -> &[Move] {
        let place = letter << self.shift | q;
        &self.moves[self.first[place] as usize..self.first[place + 1] as usize]
    }

    /// The marks of an edge.
    pub(super) fn marks_of(&self, arc: &Arc) -> &Bits {
        &self.mark_sets[arc.marks as usize]
    }

    /// Whether a step with this letter triggers a broken requirement about steps.
    #[inline]
    fn triggers(&self, letter: usize, broken: &Bits) -> bool {
        let letter = self.letters.letter(letter);
        let mut of_steps = self.alternative.of_steps.iter().enumerate();
        of_steps.any(|(r, (when, _))| broken.contains(r) && when.is_none_or(|w| letter.contains(w)))
    }

    /// Whether some action that a requirement is about is enabled in a state.
    pub(super) fn is_enabled(&self, state: u32, requirement: u32) -> bool {
        let is_about = |label: &u16| self.alternative.about(*label).contains(&requirement);
        self.space.with_labels(state, |labels| labels.iter().any(is_about))
    }

    /// Per state of the component, the first step of the system that leaves it and is not a step of the component, if
    /// there is one.
    fn uncovered_steps<'c>(
        &'c self,
        broken: &'c Bits,
        component: &'c [u32],
        inside: &'c impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = (u32, u32)> + 'c {
        let mut covered = Vec::new();
        component.chunk_by(|a, b| self.state(*a) == self.state(*b)).filter_map(move |same_state| {
            let state = self.state(same_state[0]);
            covered.clear();
            covered.resize(self.space.with_labels(state, <[u16]>::len), false);
            for node in same_state {
                self.visit(broken, *node, |arc| covered[arc.step] |= inside(arc.target));
            }
            covered.iter().position(|covered| !covered).map(|step| (state, step as u32))
        })
    }

    /// The states of a component that a step leaves which is not one of the component, each with the position of such
    /// a step.
    pub(super) fn uncovered(
        &self,
        broken: &Bits,
        component: &[u32],
        inside: &impl Fn(u32) -> bool,
    ) -> Vec<(u32, u32)> {
        self.uncovered_steps(broken, component, inside).collect()
    }

    /// What the edges inside a component satisfy.
    pub(super) fn facts(
        &self,
        broken: &Bits,
        component: &[u32],
        inside: &impl Fn(u32) -> bool,
    ) -> ComponentFacts {
        let facts = &mut *self.facts.borrow_mut();
        self.gather(facts, broken, component, inside);
        let mut predicates = Bits::empty(self.letters.predicates());
        facts.letters.iter().for_each(|letter| predicates.add(self.letters.letter(*letter)));
        ComponentFacts {
            marks: self.marks_seen(facts),
            taken: facts.taken.clone(),
            enabled: facts.enabled.iter().map(|(count, _)| *count as usize).collect(),
            predicates,
        }
    }

    /// The marks of the edges inside a component.
    fn marks_seen(&self, facts: &Facts) -> Bits {
        let sets = self.mark_sets.iter().zip(&facts.mark_sets).filter(|(_, seen)| **seen);
        sets.fold(Bits::empty(self.marks), |mut all, (set, _)| {
            all.add(set);
            all
        })
    }

    /// Collects the facts of a component.
    fn gather(&self, facts: &mut Facts, broken: &Bits, component: &[u32], inside: &impl Fn(u32) -> bool) {
        facts.judged += 1;
        facts.letters.clear();
        facts.enabled.fill((0, u32::MAX));
        facts.taken.fill(false);
        facts.mark_sets.fill(false);
        let of_actions = !self.alternative.of_actions.is_empty();
        let of_steps = !self.alternative.of_steps.is_empty();
        for &node in component {
            self.space.with_steps(self.state(node), |steps| {
                for label in steps.labels.iter().filter(|_| of_actions) {
                    for &r in self.alternative.about(*label) {
                        let (count, last) = &mut facts.enabled[r as usize];
                        if *last != node {
                            *last = node;
                            *count += 1;
                        }
                    }
                }
                self.visit_steps(broken, node, steps, |arc| {
                    if !inside(arc.target) {
                        return;
                    }
                    facts.mark_sets[arc.marks as usize] = true;
                    if of_actions {
                        self.alternative
                            .about(arc.label)
                            .iter()
                            .for_each(|r| facts.taken[*r as usize] = true);
                    }
                    if of_steps
                        && std::mem::replace(&mut facts.last_seen[arc.letter], facts.judged) != facts.judged
                    {
                        facts.letters.push(arc.letter);
                    }
                });
            });
        }
    }
}

impl<S: States> Fair for Product<'_, S> {
    /// The broken requirements about steps. Nodes that strong fairness deletes are removed from the component
    /// instead.
    type Part = Bits;

    fn nodes(&self) -> usize {
        self.space.bound() << self.shift
    }

    #[inline]
    fn successors(&self, broken: &Bits, node: u32, targets: &mut Vec<u32>) {
        if self.letters.class_count > 1 {
            self.visit(broken, node, |arc| targets.push(arc.target));
            return;
        }
        // All steps of a state have the same letter.
        let (state, q) = (self.state(node), (node & ((1 << self.shift) - 1)) as usize);
        let Some(letter) = self.letters.valuation(state) else { return };
        if !broken.is_empty() && self.triggers(letter, broken) {
            return;
        }
        let moves = self.moves(letter, q);
        let moves_to = |target: &u32| {
            let states = target << self.shift;
            moves.iter().map(move |Move { target, .. }| states | target)
        };
        match moves {
            [] => {}
            [Move { target: to, .. }] => self.space.with_steps(state, |steps| {
                targets.extend(steps.targets.iter().map(|target| target << self.shift | to));
            }),
            _ => {
                self.space.with_steps(state, |steps| {
                    targets.extend(steps.targets.iter().flat_map(moves_to));
                });
            }
        }
        // A search examines the last of them first.
        if let Some(next) = targets.last() {
            self.letters.expect(self.state(*next));
            self.space.expect(self.state(*next));
        }
    }

    fn judge(&self, broken: &Bits, component: &[u32], inside: impl Fn(u32) -> bool) -> Judgement<Bits> {
        let q = (component[0] & ((1 << self.shift) - 1)) as usize;
        if !self.accepting[q] {
            return Judgement::Hopeless;
        }
        // Whether a component covers its steps is a fact about all of it: no part of it covers more (see
        // `emptiness`).
        if self.alternative.global && self.uncovered_steps(broken, component, &inside).next().is_some() {
            return Judgement::Hopeless;
        }
        let facts = &mut *self.facts.borrow_mut();
        self.gather(facts, broken, component, &inside);
        let marks = self.marks_seen(facts);
        if (0..self.marks).any(|mark| !marks.contains(mark)) {
            return Judgement::Hopeless;
        }
        let mut deleted = Vec::new();
        for (r, word) in self.alternative.of_actions.iter().enumerate() {
            let enabled = facts.enabled[r].0 as usize;
            match word {
                _ if facts.taken[r] => {}
                OfActions::Unconditional => return Judgement::Hopeless,
                OfActions::Weak if enabled == component.len() => return Judgement::Hopeless,
                OfActions::Strong if enabled > 0 => deleted.push(r as u32),
                OfActions::Weak | OfActions::Strong => {}
            }
        }
        let mut newly_broken = false;
        let mut all_broken = broken.clone();
        for (r, (when, then)) in self.alternative.of_steps.iter().enumerate() {
            let occurs = |predicate: usize| {
                facts.letters.iter().any(|letter| self.letters.letter(*letter).contains(predicate))
            };
            if occurs(*then) {
                continue;
            }
            match when {
                None => return Judgement::Hopeless,
                Some(when) if occurs(*when) => {
                    all_broken.insert(r);
                    newly_broken = true;
                }
                Some(_) => {}
            }
        }
        if !deleted.is_empty() || newly_broken {
            let stays = |node: &&u32| !deleted.iter().any(|r| self.is_enabled(self.state(**node), *r));
            let nodes: Vec<u32> = component.iter().filter(stays).copied().collect();
            return Judgement::Smaller(nodes, all_broken);
        }
        Judgement::Fair
    }
}
