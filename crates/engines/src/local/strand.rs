//! The ways of one process along an abstract run.
//!
//! A [`LocalGraph`] is the graph of pairs (position, local state) along a lasso, in which a fair cycle is sought; a [`Tree`] has
//! the local states that the process can have moment by moment, which shows where it gets stuck. A [`LocalPath`] is what
//! comes of it: the moves of the process, those with which the abstract run goes on and those it does not notice.
//!
//! While others move and nothing changes that this process can see, one position is like the next. A strand has one
//! for each such stretch: if every process moves once in the cycle, each strand stays small however many there are.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use model::ActionId;
use model::answer::Label;

use super::feasible::{Cut, Judge, Why};
use crate::graph::bits::Bits;
use crate::graph::marked::Class;
use crate::graph::{Edge, Graph};

/// A move of a process along an abstract run.
#[derive(Clone, Debug)]
pub(super) struct LocalMove {
    /// Whether the abstract run goes on with it.
    pub(super) advances: bool,
    /// What the process does, if it does something.
    pub(super) action: Option<ActionId>,
    /// Its local state afterwards.
    pub(super) local: usize,
}

/// The infinite path of a process: where it begins, a stem and a cycle of moves.
pub(super) struct LocalPath {
    pub(super) begin: usize,
    pub(super) stem: Vec<LocalMove>,
    pub(super) cycle: Vec<LocalMove>,
}

impl LocalPath {
    /// The move at a moment, and the moment after it.
    pub(super) fn edge(&self, cursor: usize) -> &LocalMove {
        self.stem.get(cursor).unwrap_or_else(|| &self.cycle[cursor - self.stem.len()])
    }

    pub(super) fn next(&self, cursor: usize) -> usize {
        if cursor + 1 < self.stem.len() + self.cycle.len() { cursor + 1 } else { self.stem.len() }
    }
}

/// The graph of pairs (position, local state) of a process along a lasso.
pub(super) struct LocalGraph {
    pub(super) graph: Graph,
    /// Position and local state of each node; the first are where the process can begin.
    pub(super) nodes: Vec<(usize, usize)>,
    pub(super) roots: usize,
    /// Where each node was first reached from.
    pub(super) parents: Vec<u32>,
    /// What the process does on each edge, and how many times.
    pub(super) labels: Vec<(LocalMove, usize)>,
    pub(super) classes: Vec<Class>,
    /// The requirements about the process; bit 0 of a class is that the abstract run goes on, then they follow.
    pub(super) requirements: Vec<usize>,
    pub(super) bits: usize,
}

impl LocalGraph {
    pub(super) fn new(judge: &Judge<'_, '_, '_>, process: usize) -> LocalGraph {
        let requirements: Vec<usize> = (0..judge.demanded.len())
            .filter(|number| judge.demanded[*number].about == Some(process))
            .collect();
        let bits = requirements.len() + 1;
        let mut strand = LocalGraph {
            graph: Graph::default(),
            nodes: Vec::new(),
            roots: 0,
            parents: Vec::new(),
            labels: Vec::new(),
            classes: Vec::new(),
            requirements,
            bits,
        };
        let mut numbers: HashMap<(usize, usize), u32> = HashMap::new();
        let mut known: HashMap<(Bits, Bits), u32> = HashMap::new();
        let initial = &judge.system.locals[process].initial;
        let members: BTreeSet<usize> = judge.members(0, process).collect();
        for state in initial.iter().filter(|state| members.contains(state)) {
            let number = strand.nodes.len() as u32;
            numbers.insert((0, *state), number);
            strand.nodes.push((0, *state));
            strand.parents.push(number);
        }
        strand.roots = strand.nodes.len();
        let mut node = 0;
        while node < strand.nodes.len() {
            let (position, local) = strand.nodes[node];
            let advances = judge.advances(position, process, local);
            let last = judge.stretch(position, process, &strand.requirements);
            let (next, times) = (judge.next(last), last + 1 - position);
            let edges = advances.into_iter().map(|(to, action)| (times, next, to, action));
            let unnoticed = judge.unnoticed(position, process, local);
            let edges = edges.chain(unnoticed.iter().map(|(to, action)| (0, position, *to, *action)));
            for (times, next, to, action) in edges {
                let advances = times > 0;
                let label = match action {
                    Some(action) => Label::Action(action),
                    None => judge.label(position),
                };
                let mut when = Bits::of(bits, |bit| bit == 0);
                let mut then = Bits::of(bits, |bit| bit == 0 && advances);
                for (bit, requirement) in strand.requirements.iter().enumerate() {
                    let (asks, meets) = judge.sees(*requirement, position, process, local, label);
                    if asks {
                        when.insert(bit + 1);
                    }
                    if meets {
                        then.insert(bit + 1);
                    }
                }
                let count = strand.classes.len() as u32;
                let class = *known.entry((when.clone(), then.clone())).or_insert(count);
                if class == count {
                    strand.classes.push(Class { when, then });
                }
                let count = strand.nodes.len() as u32;
                let target = *numbers.entry((next, to)).or_insert(count);
                if target == count {
                    strand.nodes.push((next, to));
                    strand.parents.push(node as u32);
                }
                strand.graph.add_edge(Edge { target, class });
                strand.labels.push((LocalMove { advances, action, local: to }, times.max(1)));
            }
            strand.graph.close_node();
            node += 1;
        }
        strand
    }
}

/// How a local state was first reached: whether the abstract run went on, what the process did, and its local state
/// before; nothing at the beginning.
type Origin = Option<(bool, Option<ActionId>, usize)>;

/// The local states that a process can have along an abstract run, with how it came to be in them; the cycle of a lasso
/// is gone through until nothing new comes.
pub(super) struct Tree {
    process: usize,
    /// Per moment: each local state, and the move and local state that it was first reached by.
    moments: Vec<BTreeMap<usize, Origin>>,
    positions: Vec<usize>,
}

impl Tree {
    pub(super) fn new(judge: &Judge<'_, '_, '_>, process: usize) -> Tree {
        let members: BTreeSet<usize> = judge.members(0, process).collect();
        let initial = judge.system.locals[process].initial.iter();
        let first = initial.filter(|state| members.contains(state)).map(|state| (*state, None)).collect();
        Tree { process, moments: vec![first], positions: vec![0] }
    }

    /// Follows the run; if the process gets stuck, what to expose.
    pub(super) fn grow(&mut self, judge: &Judge<'_, '_, '_>) -> Option<Cut> {
        let mut seen: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
        loop {
            let position = *self.positions.last().expect("there is a moment");
            self.wait(judge, position);
            let here = self.moments.last().expect("there is a moment");
            if position >= judge.walk.moves.len() {
                return None;
            }
            if !seen.insert((position, here.keys().copied().collect())) {
                return None;
            }
            let mut next: BTreeMap<usize, Origin> = BTreeMap::new();
            for state in here.keys() {
                for (to, action) in judge.advances(position, self.process, *state) {
                    next.entry(to).or_insert(Some((true, action, *state)));
                }
            }
            if next.is_empty() {
                let why = if judge.group(position).is_idle() { Why::Idle } else { Why::Step };
                let can = |state: &usize| !judge.advances(position, self.process, *state).is_empty();
                let mut states = here.keys().copied().collect();
                let mut others: BTreeSet<usize> = judge.members(position, self.process).filter(can).collect();
                // In an abstract deadlock it has local states for each of its meetings, but perhaps none for all of them.
                if others.is_empty()
                    && let Some(at_odds) = judge.at_odds(position, self.process)
                {
                    (states, others) = at_odds;
                }
                return Some(Cut { process: self.process, states, others, why });
            }
            self.moments.push(next);
            self.positions.push(judge.next(position));
        }
    }

    /// Adds what the process can do while the abstract run waits.
    fn wait(&mut self, judge: &Judge<'_, '_, '_>, position: usize) {
        let here = self.moments.last_mut().expect("there is a moment");
        let mut pending: VecDeque<usize> = here.keys().copied().collect();
        while let Some(state) = pending.pop_front() {
            for (to, action) in judge.unnoticed(position, self.process, state).iter() {
                if let Entry::Vacant(entry) = here.entry(*to) {
                    entry.insert(Some((false, *action, state)));
                    pending.push_back(*to);
                }
            }
        }
    }

    /// Whether the process can be in a local state at a moment.
    pub(super) fn is_at(&self, moment: usize, state: usize) -> bool {
        self.moments[moment].contains_key(&state)
    }

    /// The local states at a moment.
    pub(super) fn at(&self, moment: usize) -> Vec<usize> {
        self.moments[moment].keys().copied().collect()
    }

    /// How the process comes to be in a local state at a moment, or in any: its first local state, then moves.
    pub(super) fn path(&self, moment: usize, state: Option<usize>) -> Vec<(bool, Option<ActionId>, usize)> {
        let mut moment = moment;
        let mut state = state.or_else(|| self.moments[moment].keys().next().copied()).unwrap_or(0);
        let mut path = Vec::new();
        while let Some(Some((advances, action, before))) = self.moments[moment].get(&state) {
            path.push((*advances, *action, state));
            state = *before;
            moment -= usize::from(*advances);
        }
        path.push((false, None, state));
        path.reverse();
        path
    }
}
