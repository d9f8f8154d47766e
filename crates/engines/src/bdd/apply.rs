//! Conjunction, written so that it can be interrupted.
//!
//! The package's own operations run to the end, and one of them may fill the whole table, which takes minutes. So
//! conjunction, and with it union and difference, is our own recursion [Bry86]. It uses the package's operation cache
//! under the package's key, and so shares results with the operations that are still the package's. Every so many
//! steps of any of our recursions the limits of the session are asked ([`Table::step`]).

use std::sync::atomic::Ordering;

use model::StopReason;
use oxidd::bcdd::BCDDFunction;
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{BooleanFunction, Function, HasLevel, Manager, Node};
use oxidd_core::function::EdgeOfFunc;
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, DiagramRules, HasApplyCache};
use oxidd_rules_bdd::complement_edge::{BCDDOp, EdgeTag};

use super::{Bdd, Table};

pub(super) type Nodes<'id> = <BCDDFunction as Function>::Manager<'id>;
pub(super) type Handle<'id> = EdgeOfFunc<'id, BCDDFunction>;

/// How many steps of a recursion pass between two looks at the limits.
const STEPS: u64 = 1 << 16;

impl Table<'_> {
    /// Where both of two sets, or their complements, are true; complemented if `not` says so.
    pub(super) fn conjunction(
        &self,
        (a, not_a): (&Bdd, bool),
        (b, not_b): (&Bdd, bool),
        not: bool,
    ) -> Result<Bdd, StopReason> {
        self.attempt(|| {
            a.0.with_manager_shared(|nodes, a| {
                let (a, b) = (toggled(a, not_a), toggled(b.0.as_edge(nodes), not_b));
                let both = self.and_edges(nodes, a, b)?;
                let tag = both.tag();
                Ok(BCDDFunction::from_edge(nodes, if not { both.with_tag(!tag) } else { both }))
            })
        })
    }

    pub(super) fn and_edges<'id>(
        &self,
        nodes: &Nodes<'id>,
        f: Ref<'_, Handle<'id>>,
        g: Ref<'_, Handle<'id>>,
    ) -> AllocResult<Own<Handle<'id>>> {
        if f.with_tag(EdgeTag::None) == g.with_tag(EdgeTag::None) {
            let same = f.tag() == g.tag();
            return Ok(if same { nodes.clone_edge(f) } else { BCDDFunction::f_edge(nodes) });
        }
        let (Node::Inner(node_f), Node::Inner(node_g)) = (nodes.get_node(f), nodes.get_node(g)) else {
            let (constant, other) = if nodes.get_node(f).is_inner() { (g, f) } else { (f, g) };
            let always = constant.tag() == EdgeTag::None;
            return Ok(if always { nodes.clone_edge(other) } else { BCDDFunction::f_edge(nodes) });
        };
        // The cache has one entry for both orders of the operands.
        let (f, node_f, g, node_g) = if f < g { (f, node_f, g, node_g) } else { (g, node_g, f, node_f) };
        let cache = nodes.apply_cache();
        if let Some(known) = cache.get(nodes, BCDDOp::And, &[f, g]) {
            return Ok(known);
        }
        self.step()?;
        let level = node_f.level().min(node_g.level());
        let (f1, f0) =
            if node_f.level() == level { BCDDFunction::cofactors_node(f.tag(), node_f) } else { (f, f) };
        let (g1, g0) =
            if node_g.level() == level { BCDDFunction::cofactors_node(g.tag(), node_g) } else { (g, g) };
        let yes = EdgeDropGuard::new(nodes, self.and_edges(nodes, f1, g1)?);
        let no = EdgeDropGuard::new(nodes, self.and_edges(nodes, f0, g0)?);
        let children = [yes.into_edge(), no.into_edge()];
        let result =
            <<Nodes<'id> as Manager>::Rules as DiagramRules<_, _, _>>::reduce(nodes, level, children)
                .then_insert(nodes, level)?;
        cache.add(nodes, BCDDOp::And, &[f, g], result.borrowed());
        Ok(result)
    }

    /// The union.
    pub(super) fn or_edges<'id>(
        &self,
        nodes: &Nodes<'id>,
        f: Ref<'_, Handle<'id>>,
        g: Ref<'_, Handle<'id>>,
    ) -> AllocResult<Own<Handle<'id>>> {
        let neither = self.and_edges(nodes, toggled(f, true), toggled(g, true))?;
        let tag = neither.tag();
        Ok(neither.with_tag(!tag))
    }

    /// One more step of a recursion. If a limit is reached, the operation fails as if the table were full, and the
    /// limit is noted.
    pub(super) fn step(&self) -> AllocResult<()> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if !steps.is_multiple_of(STEPS) {
            return Ok(());
        }
        let spent = self.session.spent.load(Ordering::Relaxed).saturating_add(self.work());
        let stop =
            (self.session.stop)().or_else(|| (!self.session.allows(spent)).then_some(StopReason::Work));
        self.interrupted.set(stop);
        if stop.is_some() { Err(OutOfMemory) } else { Ok(()) }
    }
}

/// The complement of a set, if it is asked for.
fn toggled<'f, 'id>(f: Ref<'f, Handle<'id>>, not: bool) -> Ref<'f, Handle<'id>> {
    if not { f.with_tag(!f.tag()) } else { f }
}
