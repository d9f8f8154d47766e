//! The union of many sets of which one at a time is replaced.
//!
//! The sets are the leaves of a complete binary tree, and each inner node is the union of its two children. Replacing
//! one of `n` sets costs `log n` unions instead of `n`; and a set that meets few of them finds these by going down, with
//! about `log n` intersections for each.

use model::StopReason;

use super::{Bdd, Table};

/// A union that can change part by part.
pub struct Union {
    /// Node `k` has the children `2 k` and `2 k + 1`; the root is node 1.
    nodes: Vec<Bdd>,
}

impl Union {
    /// The union of this many empty sets.
    pub fn new(table: &Table<'_>, parts: usize) -> Union {
        Union { nodes: vec![table.never(); 2 * parts.max(1).next_power_of_two()] }
    }

    /// The union of these sets.
    pub fn of(table: &Table<'_>, sets: impl ExactSizeIterator<Item = Bdd>) -> Result<Union, StopReason> {
        let mut union = Union::new(table, sets.len());
        let leaves = union.nodes.len() / 2;
        for (part, set) in sets.enumerate() {
            union.nodes[leaves + part] = set;
        }
        for node in (1..leaves).rev() {
            union.nodes[node] = table.or(&union.nodes[2 * node], &union.nodes[2 * node + 1])?;
        }
        Ok(union)
    }

    /// Replaces one of the sets.
    pub fn set(&mut self, table: &Table<'_>, part: usize, set: Bdd) -> Result<(), StopReason> {
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
    pub fn all(&self) -> &Bdd {
        &self.nodes[1]
    }

    /// The sets that another one meets, in order.
    pub fn met_by(&self, table: &Table<'_>, set: &Bdd) -> Result<Vec<usize>, StopReason> {
        let leaves = self.nodes.len() / 2;
        let mut found = Vec::new();
        let mut pending = vec![(1, set.clone())];
        while let Some((node, set)) = pending.pop() {
            let both = table.and(&set, &self.nodes[node])?;
            if table.is_never(&both) {
                continue;
            }
            if node < leaves {
                pending.push((2 * node + 1, both.clone()));
                pending.push((2 * node, both));
            } else {
                found.push(node - leaves);
            }
        }
        Ok(found)
    }
}
