//! Guesses which families, array dimensions and variables refer to the same set of process identities.
//!
//! The index of a family, the dimensions it selects elements of, and the variables it is assigned to or compared with
//! all hold identities of the same processes. [ID96] calls such a type a scalarset. We find them by unification over
//! the system as written, where indices still have names. The guess need not be right: [`symmetry`](super::symmetry)
//! checks on the instance whether the processes can be exchanged.

use std::collections::{BTreeMap, BTreeSet};

use model::expr::Operator;
use model::{Binder, Expr, FamilyId, Index, Instance, Pattern, Place, Update, VariableId};

/// A set of identities, and where they occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scalarset {
    /// The least and the greatest identity.
    pub(super) lo: i64,
    pub(super) hi: i64,
    /// The families whose processes have these identities.
    pub(super) families: BTreeSet<FamilyId>,
    /// The dimensions of variables that are indexed by them.
    pub(super) dimensions: BTreeSet<(VariableId, usize)>,
    /// The variables whose values are identities.
    pub(super) values: BTreeSet<VariableId>,
}

impl Scalarset {
    /// How many identities there are.
    pub(super) fn size(&self) -> usize {
        (self.hi - self.lo + 1) as usize
    }

    /// The position of a value among the identities, if it is one.
    pub(super) fn position(&self, value: i64) -> Option<usize> {
        (self.lo <= value && value <= self.hi).then(|| (value - self.lo) as usize)
    }
}

/// The sets of identities of an instance, in the order of its families.
pub(super) fn scalarsets(instance: &Instance) -> Vec<Scalarset> {
    let mut classes = SpotClasses::default();
    let system = &instance.system;
    for action in &system.actions {
        for participant in &action.participants {
            if let Some(index) = participant.index {
                classes.join(Some(Spot::Index(index)), Some(Spot::Family(participant.family)));
            }
        }
        classes.expr(instance, &action.guard);
        classes.update(instance, &action.update);
    }
    for (number, family) in system.families.iter().enumerate() {
        if let Some(Binder { index, .. }) = &family.index {
            classes.join(Some(Spot::Index(*index)), Some(Spot::Family(FamilyId(number as u32))));
        }
    }
    system.init.iter().for_each(|predicate| {
        classes.expr(instance, predicate);
    });
    let mut sets: Vec<Scalarset> = Vec::new();
    for (number, family) in system.families.iter().enumerate() {
        let id = FamilyId(number as u32);
        if family.index.is_none() || sets.iter().any(|set| set.families.contains(&id)) {
            continue;
        }
        let spots = classes.joined(Spot::Family(id));
        let mut members = instance.members(id).filter_map(|id| instance.processes[id.0 as usize].index);
        let Some(lo) = members.next() else { continue };
        let mut set = Scalarset { lo, hi: members.last().unwrap_or(lo), ..Scalarset::default() };
        for spot in spots {
            match spot {
                Spot::Family(family) => set.families.extend([family]),
                Spot::Dimension(variable, dimension) => set.dimensions.extend([(variable, dimension)]),
                Spot::Value(variable) => set.values.extend([variable]),
                Spot::Index(_) => {}
            }
        }
        if set.size() > 1 {
            sets.push(set);
        }
    }
    sets
}

/// A place in the system that may hold an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Family(FamilyId),
    Index(Index),
    Dimension(VariableId, usize),
    Value(VariableId),
}

/// The spots that hold the same type of value: a union-find structure without ranks.
#[derive(Default)]
struct SpotClasses {
    parent: BTreeMap<Spot, Spot>,
}

impl SpotClasses {
    fn root(&self, mut spot: Spot) -> Spot {
        while let Some(parent) = self.parent.get(&spot) {
            spot = *parent;
        }
        spot
    }

    fn join(&mut self, a: Option<Spot>, b: Option<Spot>) {
        if let (Some(a), Some(b)) = (a, b) {
            let (a, b) = (self.root(a), self.root(b));
            if a != b {
                self.parent.insert(a, b);
            }
        }
    }

    fn joined(&self, spot: Spot) -> Vec<Spot> {
        let root = self.root(spot);
        let others = self.parent.keys().filter(|other| self.root(**other) == root);
        others.copied().chain([root]).collect()
    }

    /// Unifies the spots in an expression. Returns the spot whose value the expression has.
    fn expr(&mut self, instance: &Instance, expr: &Expr) -> Option<Spot> {
        match expr {
            Expr::Index(index) => Some(Spot::Index(*index)),
            Expr::Read(place) => Some(self.place(instance, place)),
            Expr::Binary(Operator::Eq | Operator::Ne, a, b) => {
                let (a, b) = (self.expr(instance, a), self.expr(instance, b));
                self.join(a, b);
                None
            }
            Expr::If(condition, a, b) => {
                self.expr(instance, condition);
                let (a, b) = (self.expr(instance, a), self.expr(instance, b));
                self.join(a, b);
                a.or(b)
            }
            Expr::Taken(pattern) | Expr::Enabled(pattern) => {
                self.pattern(instance, pattern);
                None
            }
            other => {
                other.children().into_iter().for_each(|child| {
                    self.expr(instance, child);
                });
                None
            }
        }
    }

    fn place(&mut self, instance: &Instance, place: &Place) -> Spot {
        if let (Some(process), Some(family)) =
            (&place.process, instance.system.variable(place.variable).owner)
        {
            let spot = self.expr(instance, process);
            self.join(spot, Some(Spot::Family(family)));
        }
        for (dimension, index) in place.position.iter().enumerate() {
            let spot = self.expr(instance, index);
            self.join(spot, Some(Spot::Dimension(place.variable, dimension)));
        }
        Spot::Value(place.variable)
    }

    fn pattern(&mut self, instance: &Instance, pattern: &Pattern) {
        for party in &pattern.participants {
            if let Some(process) = &party.process {
                let spot = self.expr(instance, process);
                self.join(spot, Some(Spot::Family(party.family)));
            }
        }
    }

    fn update(&mut self, instance: &Instance, update: &Update) {
        match update {
            Update::Skip => {}
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    let (place, value) = (self.place(instance, place), self.expr(instance, value));
                    self.join(Some(place), value);
                }
            }
            Update::Sequence(updates) => updates.iter().for_each(|update| self.update(instance, update)),
            Update::If(condition, yes, no) => {
                self.expr(instance, condition);
                self.update(instance, yes);
                self.update(instance, no);
            }
            Update::Either(branches) => {
                for (condition, branch) in branches {
                    self.expr(instance, condition);
                    self.update(instance, branch);
                }
            }
            Update::Choose(_, condition, body) => {
                self.expr(instance, condition);
                self.update(instance, body);
            }
        }
    }
}
