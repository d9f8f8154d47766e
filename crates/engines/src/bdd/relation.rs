//! What a step does, and images and preimages under it in one pass.
//!
//! A relation is a predicate `t` of current and next variables together with the bits `W` that the step writes.
//! It says nothing of the other bits: they stay as they are, and it may read them. So the image of a set is
//! `∃ W. s ∧ t` with the next variables of `W` renamed to current ones, and the preimage is `∃ W'. t ∧ s'`.
//! Conjunction, quantification and renaming are one recursion over both diagrams, as in Sylvan's `relnext` and
//! `relprev` [DP17]: since the two variables of a bit lie on neighbouring levels, a call looks at one bit. Where no
//! written bit is left below and the relation is exhausted, the set is returned as it is; that is why there
//! are no frame conditions.
//!
//! Results go to the operation cache of the package under a number that belongs to the relation and direction.
//! Levels change when bits are moved, and the cache is emptied then; so a relation looks up the levels of its
//! bits anew.

use std::cell::RefCell;

use model::StopReason;
use oxidd::bcdd::BCDDFunction;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function, HasLevel, LevelNo, Manager, ManagerRef, Node};
use oxidd_core::util::{EdgeDropGuard, Own, Ref, new_substitution_id};
use oxidd_core::{ApplyCache, DiagramRules, HasApplyCache};
use oxidd_rules_bdd::complement_edge::BCDDOp;

use super::apply::{Handle, Nodes};
use super::{Bdd, Table};

/// A relation between states: what a step reads, and what it does to the bits it writes.
pub struct Relation {
    /// The predicate of current and next variables.
    pub predicate: Bdd,
    /// The bits it writes.
    writes: Vec<u32>,
    /// The numbers of image and preimage in the operation cache.
    forward: u32,
    backward: u32,
    places: RefCell<Places>,
}

/// Where the written bits are.
#[derive(Default)]
struct Places {
    /// The number of times that bits had been moved when this was looked up.
    moves: Option<u64>,
    /// Per pair of levels, whether its bit is written.
    written: Vec<bool>,
    /// The first pair of levels with no written bit at or below it.
    end: u32,
}

impl Relation {
    /// The relation with this predicate, which mentions next variables of `writes` only.
    pub fn new(predicate: Bdd, writes: Vec<u32>) -> Relation {
        Relation {
            predicate,
            writes,
            forward: new_substitution_id(),
            backward: new_substitution_id(),
            places: RefCell::default(),
        }
    }

    /// The bits it writes.
    pub fn writes(&self) -> &[u32] {
        &self.writes
    }

    /// The relation without some of its steps.
    #[must_use]
    pub fn restricted(&self, predicate: Bdd) -> Relation {
        Relation::new(predicate, self.writes.clone())
    }
}

impl Table<'_> {
    /// The states that a relation leads to from a set of states.
    pub fn image(&self, set: &Bdd, relation: &Relation) -> Result<Bdd, StopReason> {
        self.relate::<true>(set, relation, relation.forward)
    }

    /// The states from which a relation leads into a set of states.
    pub fn preimage(&self, set: &Bdd, relation: &Relation) -> Result<Bdd, StopReason> {
        self.relate::<false>(set, relation, relation.backward)
    }

    /// The steps of a relation that lead into a set of states: the set, with the current variable of each written bit
    /// replaced by the next one.
    pub fn after(&self, set: &Bdd, relation: &Relation) -> Result<Bdd, StopReason> {
        let mut after = set.clone();
        for bit in &relation.writes {
            let current = self.current(*bit)?;
            let one = self.forget(&self.and(&after, &current)?, &[*bit])?;
            let zero = self.forget(&self.minus(&after, &current)?, &[*bit])?;
            after = self.choose(&self.next(*bit)?, &one, &zero)?;
        }
        Ok(after)
    }

    fn relate<const FORWARD: bool>(
        &self,
        set: &Bdd,
        relation: &Relation,
        number: u32,
    ) -> Result<Bdd, StopReason> {
        if self.is_never(set) {
            return Ok(self.never());
        }
        self.attempt(|| {
            self.manager.with_manager_shared(|nodes| {
                let mut places = relation.places.borrow_mut();
                places.look_up(nodes, &relation.writes);
                let pass = Pass { table: self, nodes, written: &places.written, end: places.end, number };
                let (s, t) = (set.0.as_edge(nodes), relation.predicate.0.as_edge(nodes));
                Ok(BCDDFunction::from_edge(nodes, pass.relate::<FORWARD>(s, t)?))
            })
        })
    }
}

impl Places {
    fn look_up(&mut self, nodes: &Nodes<'_>, writes: &[u32]) {
        let moves = nodes.reorder_count();
        if self.moves == Some(moves) {
            return;
        }
        self.moves = Some(moves);
        self.written = vec![false; nodes.num_levels() as usize / 2];
        self.end = 0;
        for bit in writes {
            let place = nodes.var_to_level(2 * bit) / 2;
            self.written[place as usize] = true;
            self.end = self.end.max(place + 1);
        }
    }
}

/// One recursion.
struct Pass<'m, 'id: 'm> {
    table: &'m Table<'m>,
    nodes: &'m Nodes<'id>,
    written: &'m [bool],
    end: u32,
    number: u32,
}

impl<'id> Pass<'_, 'id> {
    fn relate<const FORWARD: bool>(
        &self,
        s: Ref<'_, Handle<'id>>,
        t: Ref<'_, Handle<'id>>,
    ) -> AllocResult<Own<Handle<'id>>> {
        let nodes = self.nodes;
        if self.is_never(s) || self.is_never(t) {
            return Ok(BCDDFunction::f_edge(nodes));
        }
        let (level_s, level_t) = (self.level(s), self.level(t));
        if level_t == LevelNo::MAX && (level_s == LevelNo::MAX || level_s / 2 >= self.end) {
            return Ok(nodes.clone_edge(s));
        }
        let cache = nodes.apply_cache();
        if let Some(([known], [])) = cache.get_extended(nodes, BCDDOp::Substitute, (&[s, t], &[self.number]))
        {
            return Ok(known);
        }
        self.table.step()?;
        let place = level_s.min(level_t) / 2;
        let (current, next) = (2 * place, 2 * place + 1);
        let (s1, s0) = self.cofactors(s, current);
        let (t1, t0) = self.cofactors(t, current);
        let (r1, r0) = if self.written[place as usize] {
            let ((t11, t10), (t01, t00)) = (self.cofactors(t1, next), self.cofactors(t0, next));
            // The first index of `t` is the value before the step, the second the value after it.
            if FORWARD {
                (self.either::<FORWARD>(s0, t01, s1, t11)?, self.either::<FORWARD>(s0, t00, s1, t10)?)
            } else {
                (self.either::<FORWARD>(s0, t10, s1, t11)?, self.either::<FORWARD>(s0, t00, s1, t01)?)
            }
        } else {
            let r1 = EdgeDropGuard::new(nodes, self.relate::<FORWARD>(s1, t1)?);
            let r0 = EdgeDropGuard::new(nodes, self.relate::<FORWARD>(s0, t0)?);
            (r1, r0)
        };
        let children = [r1.into_edge(), r0.into_edge()];
        let result =
            <<Nodes<'id> as Manager>::Rules as DiagramRules<_, _, _>>::reduce(nodes, current, children)
                .then_insert(nodes, current)?;
        cache.add_extended(nodes, BCDDOp::Substitute, (&[s, t], &[self.number]), (&[result.borrowed()], &[]));
        Ok(result)
    }

    /// The union of two results.
    fn either<const FORWARD: bool>(
        &self,
        s0: Ref<'_, Handle<'id>>,
        t0: Ref<'_, Handle<'id>>,
        s1: Ref<'_, Handle<'id>>,
        t1: Ref<'_, Handle<'id>>,
    ) -> AllocResult<EdgeDropGuard<'_, Nodes<'id>>> {
        let a = EdgeDropGuard::new(self.nodes, self.relate::<FORWARD>(s0, t0)?);
        let b = EdgeDropGuard::new(self.nodes, self.relate::<FORWARD>(s1, t1)?);
        let union = self.table.or_edges(self.nodes, a.borrowed(), b.borrowed())?;
        Ok(EdgeDropGuard::new(self.nodes, union))
    }

    fn is_never(&self, f: Ref<'_, Handle<'id>>) -> bool {
        let never = EdgeDropGuard::new(self.nodes, BCDDFunction::f_edge(self.nodes));
        f == never.borrowed()
    }

    fn level(&self, f: Ref<'_, Handle<'id>>) -> LevelNo {
        match self.nodes.get_node(f) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) => LevelNo::MAX,
        }
    }

    /// What remains where the variable on a level is true, and where it is false.
    fn cofactors<'f>(
        &'f self,
        f: Ref<'f, Handle<'id>>,
        level: LevelNo,
    ) -> (Ref<'f, Handle<'id>>, Ref<'f, Handle<'id>>) {
        match self.nodes.get_node(f) {
            Node::Inner(node) if node.level() == level => BCDDFunction::cofactors_node(f.tag(), node),
            _ => (f, f),
        }
    }
}
