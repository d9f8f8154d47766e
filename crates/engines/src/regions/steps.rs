//! Sets of steps, and what a fair run must do again and again.
//!
//! A step predicate is, for each group, a state predicate. For most groups it is the same: fairness of one process
//! speaks of the steps of that process and of enabledness, which is a fact of the state. So a set of steps keeps the
//! states of the few groups that differ, and one set for all others.

use std::collections::BTreeMap;

use crate::bdd::{Bdd, Table};
use crate::encoding::Stop;

/// A set of steps: those of group `g` that leave a state of `at[g]`, or of `otherwise` if `g` is not there.
#[derive(Clone)]
pub(crate) struct Steps {
    pub(crate) otherwise: Bdd,
    pub(crate) at: BTreeMap<usize, Bdd>,
    /// Whether every step that leaves a state of `otherwise` is in the set.
    pub(crate) covers: bool,
}

impl Steps {
    pub(crate) fn new(table: &Table<'_>, otherwise: Bdd, at: BTreeMap<usize, Bdd>) -> Result<Steps, Stop> {
        let mut covers = true;
        for set in at.values() {
            covers = covers && table.is_subset(&otherwise, set)?;
        }
        Ok(Steps { otherwise, at, covers })
    }

    /// Every step.
    pub(crate) fn all(table: &Table<'_>) -> Steps {
        Steps { otherwise: table.always(), at: BTreeMap::new(), covers: true }
    }

    /// The states whose steps of a group are in the set.
    pub(crate) fn of(&self, group: usize) -> &Bdd {
        self.at.get(&group).unwrap_or(&self.otherwise)
    }
}

/// `GF when -> GF then`; without `when`, `GF then`.
#[derive(Clone)]
pub(crate) struct Demand {
    pub(crate) when: Option<Steps>,
    pub(crate) then: Steps,
}

/// What a fair run must do again and again.
#[derive(Clone, Default)]
pub(crate) struct Demands {
    /// On the steps of the system.
    pub(crate) of_steps: Vec<Demand>,
    /// The number of marks of the automaton that must occur.
    pub(crate) marks: usize,
}
