//! The union of many sets of which one at a time is replaced.
//!
//! The sets are the leaves of a complete binary tree, and each inner node is the union of its two children. Replacing
//! one of `n` sets costs `log n` unions instead of `n`.

use model::StopReason;

use crate::bdd::{Bdd, Table};

/// A union that can change part by part.
pub(super) struct Union {
    /// Node `k` has the children `2 k` and `2 k + 1`; the root is node 1.
    nodes: Vec<Bdd>,
}

impl Union {
    /// The union of this many empty sets.
    pub(super) fn new(table: &Table<'_>, parts: usize) -> Union {
        Union { nodes: vec![table.never(); 2 * parts.max(1).next_power_of_two()] }
    }

    /// Replaces one of the sets.
    pub(super) fn set(&mut self, table: &Table<'_>, part: usize, set: Bdd) -> Result<(), StopReason> {
        let mut node = self.nodes.len() / 2 + part;
        self.nodes[node] = set;
        while node > 1 {
            node /= 2;
            let union = table.or(&self.nodes[2 * node], &self.nodes[2 * node + 1])?;
            if union == self.nodes[node] {
                break;
            }
            self.nodes[node] = union;
        }
        Ok(())
    }

    /// The union of all sets.
    pub(super) fn all(&self) -> &Bdd {
        &self.nodes[1]
    }
}
