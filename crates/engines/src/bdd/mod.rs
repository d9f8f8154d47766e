//! Binary decision diagrams: sets of states and relations between them, within the limits of a run.
//!
//! This folder owns the decision diagram package (`oxidd`, diagrams with complemented edges [BRB90]); nobody else
//! sees a node. A [`Table`] has *bits*; each bit has a *current* and a *next* variable, which lie on neighbouring
//! levels, the current one above, and never part. A [`Bdd`] is a set: of states if it speaks of current
//! variables only. [`Relation`] says what a step does to the bits it writes and nothing of the others, and images
//! and preimages are computed in one pass (`relation`). [`Cells`] lays values of finite domains out in bits. When
//! the diagrams grow, the table moves bits to better levels (`sift`); no set changes by that.
//!
//! Nodes that nothing refers to any more are collected now and then, between operations. The table has a fixed
//! capacity; an operation that finds it full is repeated after a collection, and a table full of living nodes is
//! [`StopReason::Memory`]. The package also collects on a thread of its own when the table is nearly full, and a
//! request to collect is ignored meanwhile; so a request is repeated until it is heard.
//!
//! Every operation may stop: the session is asked between operations, after many small ones or a few large ones, and
//! inside the operations that are our own (`apply`, `relation`).

mod apply;
mod cells;
mod relation;
mod sift;
mod union;

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use model::task::Progress;
use model::{Session, StopReason};
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OptBool, SatCountCache};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, HasLevel, LevelNo, Manager, ManagerRef,
    Node,
};
use oxidd_core::util::num::Natural;
use oxidd_rules_bdd::complement_edge::EdgeTag;

pub use cells::Cells;
pub use relation::Relation;
pub use union::Union;

/// The number of nodes at which the table is first looked at.
const FIRST_LOOK: usize = 1 << 18;
/// The number of nodes up to which dead ones may pile up.
const PILE: usize = 1 << 22;
/// The bytes behind one node: the node itself and its place in the hash table of its level.
const BYTES_PER_NODE: u64 = 32;
/// The bytes of an entry of the operation cache.
const BYTES_PER_ENTRY: u64 = 20;
/// How many operations pass between two looks at the number of nodes.
const INTERVAL: u64 = 16;
/// After how many operations, or new nodes, the run is asked whether to stop.
const OPERATIONS: u64 = 1024;
const NODES: usize = 100_000;
/// How many times an operation that finds the table full is repeated.
const REPEATS: u32 = 3;

/// A Boolean function of the variables of a table: a set, or a relation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(BCDDFunction);

/// How a table behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The greatest number of nodes, whatever the memory.
    pub nodes: usize,
    /// Whether bits may move to better levels: once this many living nodes are there, and whenever their number
    /// has grown eightfold since, or twofold if they fill a quarter of the table.
    pub sift_from: usize,
    /// The greatest number of entries of the operation cache.
    pub entries: u64,
    /// How often each unit of work is counted: more than once if others should have their turn earlier.
    pub price: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { nodes: 1 << 28, sift_from: 100_000, entries: 1 << 19, price: 1 }
    }
}

/// The units of work of an operation, of each node that it makes, and of each step of a recursion.
const WORK_OF_OPERATION: u64 = 30;
const WORK_OF_NODE: u64 = 30;
const WORK_OF_STEP: u64 = 6;
/// The units of work of an entry of the operation cache: the package writes every one at the beginning.
const WORK_OF_ENTRY: u64 = 1;
/// The units of work of a node when its bit changes places with another.
const WORK_OF_EXCHANGE: u64 = 60;

/// The number of nodes that fit into so many bytes.
pub fn nodes_in(bytes: u64) -> u64 {
    bytes / BYTES_PER_NODE
}

/// A table of nodes.
pub struct Table<'a> {
    manager: BCDDManagerRef,
    session: &'a Session<'a>,
    limits: Limits,
    /// The number of nodes it can hold.
    capacity: usize,
    /// The last bits, that belong to no state.
    choices: Range<u32>,
    never: Bdd,
    always: Bdd,
    operations: Cell<u64>,
    /// The steps of all recursions, and the limit that interrupted an operation.
    steps: Cell<u64>,
    interrupted: Cell<Option<StopReason>>,
    /// The numbers of nodes and of steps when the operation began.
    begun_at: Cell<(usize, u64)>,
    /// The number of nodes when the run was asked last.
    asked_at: Cell<usize>,
    /// The number of nodes at which dead ones are collected.
    next_look: Cell<usize>,
    /// The number of living nodes after the bits were moved last.
    settled: Cell<usize>,
    peak: Cell<usize>,
    collections: Cell<u64>,
    /// How often the bits were moved.
    moves: Cell<u64>,
    phase: Cell<&'static str>,
}

impl<'a> Table<'a> {
    /// A table with this many bits, in the order of their numbers from the top.
    pub fn new(bits: usize, limits: Limits, session: &'a Session<'a>) -> Table<'a> {
        Table::with_choices(bits, 0, limits, session)
    }

    /// The same with bits for choices in addition. States do not have them, so no set of states may depend on them.
    pub fn with_choices(
        of_states: usize,
        choices: u32,
        limits: Limits,
        session: &'a Session<'a>,
    ) -> Table<'a> {
        let bits = of_states + choices as usize;
        // As many cache entries as there will be nodes, at a guess from the number of bits.
        let entries = limits.entries.min(1 << (8 + bits / 3).clamp(12, 40)).max(1 << 10);
        let entries = entries.min((session.memory / 8 / BYTES_PER_ENTRY).max(1 << 10).next_power_of_two());
        let left = session.memory.saturating_sub(entries * BYTES_PER_ENTRY);
        let capacity = nodes_in(left).clamp(1 << 10, limits.nodes as u64) as usize;
        let manager = new_manager(capacity, entries as usize, 1);
        // If this uses up the budget, the first operation says so.
        let _ = session.spend(entries * limits.price * WORK_OF_ENTRY);
        let (never, always) = manager.with_manager_exclusive(|manager| {
            manager.add_vars(2 * bits as u32);
            (Bdd(BCDDFunction::f(manager)), Bdd(BCDDFunction::t(manager)))
        });
        Table {
            manager,
            session,
            limits,
            capacity,
            choices: of_states as u32..bits as u32,
            never,
            always,
            operations: Cell::new(0),
            steps: Cell::new(0),
            interrupted: Cell::new(None),
            begun_at: Cell::new((0, 0)),
            asked_at: Cell::new(0),
            next_look: Cell::new(FIRST_LOOK.min(capacity / 4).min(limits.sift_from.saturating_mul(4))),
            settled: Cell::new(limits.sift_from / 8),
            peak: Cell::new(0),
            collections: Cell::new(0),
            moves: Cell::new(0),
            phase: Cell::new("building"),
        }
    }

    /// The bits for choices.
    pub fn choice_bits(&self) -> Range<u32> {
        self.choices.clone()
    }

    /// The empty set.
    pub fn never(&self) -> Bdd {
        self.never.clone()
    }

    /// The set of everything.
    pub fn always(&self) -> Bdd {
        self.always.clone()
    }

    /// The set of everything or nothing.
    pub fn constant(&self, truth: bool) -> Bdd {
        if truth { self.always() } else { self.never() }
    }

    /// Whether a set is empty.
    pub fn is_never(&self, a: &Bdd) -> bool {
        *a == self.never
    }

    /// Whether a set is everything.
    pub fn is_always(&self, a: &Bdd) -> bool {
        *a == self.always
    }

    /// Where the current variable of a bit is true.
    pub fn current(&self, bit: u32) -> Result<Bdd, StopReason> {
        self.attempt(|| self.manager.with_manager_shared(|m| BCDDFunction::var(m, 2 * bit)))
    }

    /// Where the next variable of a bit is true.
    pub fn next(&self, bit: u32) -> Result<Bdd, StopReason> {
        self.attempt(|| self.manager.with_manager_shared(|m| BCDDFunction::var(m, 2 * bit + 1)))
    }

    /// The complement.
    pub fn not(&self, a: &Bdd) -> Result<Bdd, StopReason> {
        self.attempt(|| a.0.not())
    }

    /// The intersection.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, StopReason> {
        self.conjunction((a, false), (b, false), false)
    }

    /// The union.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, StopReason> {
        self.conjunction((a, true), (b, true), true)
    }

    /// What is in `a` and not in `b`.
    pub fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, StopReason> {
        self.conjunction((a, false), (b, true), false)
    }

    /// Where both say the same.
    pub fn equal(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, StopReason> {
        self.attempt(|| a.0.equiv(&b.0))
    }

    /// `a` where the condition is true and `b` elsewhere.
    pub fn choose(&self, condition: &Bdd, a: &Bdd, b: &Bdd) -> Result<Bdd, StopReason> {
        self.attempt(|| condition.0.ite(&a.0, &b.0))
    }

    /// Whether `a` is a subset of `b`.
    pub fn is_subset(&self, a: &Bdd, b: &Bdd) -> Result<bool, StopReason> {
        Ok(self.is_never(&self.minus(a, b)?))
    }

    /// The union of many sets, joined from the bottom levels upwards, where that is cheap.
    pub fn any(&self, mut sets: Vec<Bdd>) -> Result<Bdd, StopReason> {
        sets.sort_by_cached_key(|set| std::cmp::Reverse(self.top(set)));
        sets.iter().try_fold(self.never(), |union, set| self.or(set, &union))
    }

    /// The intersection of many sets, likewise.
    pub fn all(&self, mut sets: Vec<Bdd>) -> Result<Bdd, StopReason> {
        sets.sort_by_cached_key(|set| std::cmp::Reverse(self.top(set)));
        sets.iter().try_fold(self.always(), |intersection, set| self.and(set, &intersection))
    }

    /// What remains of a set when the current variables of some bits are forgotten.
    pub fn forget(&self, a: &Bdd, bits: &[u32]) -> Result<Bdd, StopReason> {
        self.forget_cube(a, &self.cube(bits)?)
    }

    /// The same, the bits given as a cube.
    pub fn forget_cube(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, StopReason> {
        self.attempt(|| a.0.exists(&cube.0))
    }

    /// The set of the states in which all of these bits are true.
    pub fn cube(&self, bits: &[u32]) -> Result<Bdd, StopReason> {
        self.all(bits.iter().map(|bit| self.current(*bit)).collect::<Result<_, _>>()?)
    }

    /// The current and next values of a few bits on steps of a relation from a set of states: everything else in the
    /// intersection is forgotten.
    pub fn project(&self, relation: &Relation, set: &Bdd, keep: &[u32]) -> Result<Bdd, StopReason> {
        let bits = self.manager.with_manager_shared(|m| m.num_vars()) / 2;
        let mut others = Vec::new();
        for bit in (0..bits).filter(|bit| !keep.contains(bit)) {
            others.extend([self.current(bit)?, self.next(bit)?]);
        }
        let others = self.all(others)?;
        let predicate = &relation.predicate;
        self.attempt(|| predicate.0.apply_exists(BooleanOperator::And, &set.0, &others.0))
    }

    /// The topmost level that a set depends on; greater than all others if it depends on none.
    pub fn top(&self, a: &Bdd) -> u32 {
        a.0.with_manager_shared(|m, edge| match m.get_node(edge) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) => LevelNo::MAX,
        })
    }

    /// The topmost bit that a set of states depends on, and what remains of the set where it is false and where it is
    /// true; nothing if the set is empty or everything.
    pub fn branch(&self, a: &Bdd) -> Option<(u32, Bdd, Bdd)> {
        let level = self.top(a);
        let (yes, no) = a.0.cofactors()?;
        let variable = self.manager.with_manager_shared(|m| m.level_to_var(level));
        Some((variable / 2, Bdd(no), Bdd(yes)))
    }

    /// The bits that a set of states depends on.
    pub fn support(&self, a: &Bdd) -> BTreeSet<u32> {
        let (mut bits, mut seen, mut pending) = (BTreeSet::new(), HashSet::new(), vec![a.clone()]);
        while let Some(set) = pending.pop() {
            if let Some((bit, no, yes)) = self.branch(&set) {
                bits.insert(bit);
                pending.extend([no, yes].into_iter().filter(|below| seen.insert(below.clone())));
            }
        }
        bits
    }

    /// An element of a set of states as the values of all bits; of a bit that does not matter, false.
    pub fn pick(&self, a: &Bdd) -> Option<Vec<bool>> {
        let cube = a.0.pick_cube(|_, _, _| false)?;
        Some(cube.chunks(2).map(|pair| pair.first() == Some(&OptBool::True)).collect())
    }

    /// Whether the state with these values of the bits is in a set of states.
    pub fn contains(&self, a: &Bdd, state: &[bool]) -> bool {
        a.0.with_manager_shared(|m, edge| {
            let mut edge = edge;
            while let Node::Inner(node) = m.get_node(edge) {
                let bit = m.level_to_var(node.level()) / 2;
                let (yes, no) = BCDDFunction::cofactors_node(edge.tag(), node);
                edge = if state[bit as usize] { yes } else { no };
            }
            edge.tag() == EdgeTag::None
        })
    }

    /// The number of elements of a set of states, if it is less than 2⁶⁴. Valid if all codes are: see [`Cells`].
    pub fn count(&self, a: &Bdd) -> Option<u64> {
        let bits = self.manager.with_manager_shared(|m| m.num_vars()) / 2;
        let mut cache = SatCountCache::<Natural, std::hash::RandomState>::default();
        let count = a.0.sat_count(2 * bits, &mut cache) >> (bits + self.choices.len() as u32);
        u64::try_from(&count).ok()
    }

    /// The number of nodes of a set.
    pub fn size(&self, a: &Bdd) -> usize {
        a.0.node_count()
    }

    /// Tells the user what is being done.
    pub fn begin(&self, phase: &'static str) {
        self.phase.set(phase);
    }

    /// Records what the table has seen.
    pub fn report(&self) {
        self.session.count("peak nodes", self.peak.get().max(self.nodes()) as u64);
        if self.moves.get() > 0 {
            self.session.count("reorderings", self.moves.get());
        }
        if self.collections.get() > 0 {
            self.session.count("collections", self.collections.get());
        }
    }

    /// Moves bits to better levels, if there is room to do it.
    pub fn reorder(&self) -> Result<(), StopReason> {
        // Every bit passes every level.
        let bits = self.manager.with_manager_shared(|manager| u64::from(manager.num_vars() / 2));
        self.session.spend(self.collect() as u64 * bits * WORK_OF_EXCHANGE * self.limits.price)?;
        let stop = || (self.session.stop)().is_some();
        self.manager.with_manager_exclusive(|m| sift::sift(m, self.capacity, &stop));
        self.moves.set(self.moves.get() + 1);
        self.settled.set(self.collect());
        self.ask()
    }

    /// The result of an operation, which is repeated after a collection, and with bits moved, if the table is full.
    fn attempt(&self, operation: impl Fn() -> AllocResult<BCDDFunction>) -> Result<Bdd, StopReason> {
        let operations = self.operations.get() + 1;
        self.operations.set(operations);
        if operations.is_multiple_of(INTERVAL) {
            self.look()?;
        }
        for repeat in 0..=REPEATS {
            self.begun_at.set((self.nodes(), self.steps.get()));
            let result = operation();
            self.session.spend(WORK_OF_OPERATION * self.limits.price + self.work())?;
            if let Ok(result) = result {
                return Ok(Bdd(result));
            }
            if let Some(stop) = self.interrupted.take() {
                return Err(stop);
            }
            self.peak.set(self.capacity);
            let mut living = self.collect();
            self.ask()?;
            // The operands may be small, and only their order bad.
            if repeat == 0 && living > self.settled.get() && self.limits.sift_from < usize::MAX {
                self.reorder()?;
                living = self.settled.get();
            }
            if living > self.capacity / 10 * 9 {
                break;
            }
        }
        Err(StopReason::Memory)
    }

    /// The units of work since the operation began. Of an operation of the package only the nodes that it makes are
    /// known.
    fn work(&self) -> u64 {
        let (nodes, steps) = self.begun_at.get();
        let made = self.nodes().saturating_sub(nodes) as u64;
        (made * WORK_OF_NODE + (self.steps.get() - steps) * WORK_OF_STEP) * self.limits.price
    }

    /// Collects dead nodes and moves bits, if it is time to.
    fn look(&self) -> Result<(), StopReason> {
        let nodes = self.nodes();
        self.peak.set(self.peak.get().max(nodes));
        let grown = nodes.abs_diff(self.asked_at.get()) > NODES;
        if grown || self.operations.get().is_multiple_of(OPERATIONS) {
            self.asked_at.set(nodes);
            self.ask()?;
        }
        if nodes <= self.next_look.get() {
            return Ok(());
        }
        let mut living = self.collect();
        let grown = living > self.settled.get().max(self.limits.sift_from / 8).saturating_mul(8);
        // Before the table is full it is worth a try to move bits earlier.
        let crowded = living > self.capacity / 4
            && living > self.limits.sift_from
            && living > self.settled.get().saturating_mul(2);
        if grown || crowded {
            self.reorder()?;
            living = self.settled.get();
        }
        let enough = (2 * self.next_look.get()).min(PILE).max(4 * living);
        self.next_look.set(enough.min(living + (self.capacity - living.min(self.capacity)) / 2));
        Ok(())
    }

    fn ask(&self) -> Result<(), StopReason> {
        (self.session.progress)(&Progress {
            phase: self.phase.get(),
            count: self.operations.get(),
            unit: "operations",
        });
        (self.session.stop)().map_or(Ok(()), Err)
    }

    /// Collects dead nodes; the number of living ones.
    fn collect(&self) -> usize {
        self.collections.set(self.collections.get() + 1);
        self.manager.with_manager_shared(|m| {
            loop {
                let before = m.gc_count();
                m.gc();
                if m.gc_count() != before {
                    return m.num_inner_nodes();
                }
                // The package's own collection is under way.
                std::thread::yield_now();
            }
        })
    }

    /// The number of nodes, dead ones included.
    fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|m| m.approx_num_inner_nodes())
    }
}

#[cfg(test)]
mod tests;
