//! How the nodes of a breadth-first search were reached, in little more than a byte for each.
//!
//! Nodes are numbered as they are found, and they are expanded in the same order. So the parents of 0, 1, 2, … never
//! decrease, and two bits for each node are enough to know them: a one when it is found, a zero when it is expanded. The
//! parent of a node is the number of zeroes before its one. Which of its parent's edges led to it takes a byte, more in the
//! rare case that there are very many.

use std::collections::HashMap;

/// An edge that has this number, or a greater one, is remembered elsewhere.
const FAR: u8 = u8::MAX;

/// How nodes were reached.
#[derive(Default)]
pub(super) struct Ancestry {
    /// How many nodes have no parent. They come first.
    roots: u64,
    /// Ones and zeroes, in the order of the search, and how many of them there are.
    bits: Vec<u64>,
    length: u64,
    /// Per node that is no root, the number of the edge that led to it.
    edges: Vec<u8>,
    /// The numbers that do not fit there.
    far: HashMap<u64, u32>,
}

impl Ancestry {
    /// That a node was found that nobody led to.
    pub(super) fn add_root(&mut self) {
        debug_assert!(self.length == 0);
        self.roots += 1;
    }

    /// That a node was found by this edge of the one that is expanded.
    #[inline]
    pub(super) fn add(&mut self, edge: u32) {
        let short = u8::try_from(edge).unwrap_or(FAR);
        if short == FAR {
            self.far.insert(self.edges.len() as u64, edge);
        }
        self.edges.push(short);
        self.push(true);
    }

    /// That the next node is expanded from now on.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.push(false);
    }

    fn push(&mut self, bit: bool) {
        let place = self.length % u64::from(u64::BITS);
        if place == 0 {
            self.bits.push(0);
        }
        if let Some(word) = self.bits.last_mut() {
            *word |= u64::from(bit) << place;
        }
        self.length += 1;
    }

    /// The path to a node: a root, and the numbers of the edges from there.
    pub(super) fn path(&self, mut node: u64) -> (u64, Vec<u32>) {
        let mut edges = Vec::new();
        let (mut place, mut found) = (self.length, self.edges.len() as u64);
        while node >= self.roots {
            let number = node - self.roots;
            // Ancestors come earlier, so this goes through the bits once, from back to front.
            while found > number {
                place -= 1;
                found -= self.bits[(place / 64) as usize] >> (place % 64) & 1;
            }
            let short = self.edges[number as usize];
            edges.push(if short == FAR { self.far[&number] } else { u32::from(short) });
            node = place - found;
        }
        edges.reverse();
        (node, edges)
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        (self.bits.capacity() * 8 + self.edges.capacity() + self.far.capacity() * 32) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Random;

    #[test]
    fn paths_are_those_of_parents_that_are_stored() {
        let mut random = Random(9);
        for _ in 0..200 {
            let mut ancestry = Ancestry::default();
            let roots = 1 + random.below(3);
            let mut parents: Vec<(u64, u32)> = (0..roots).map(|root| (root, 0)).collect();
            (0..roots).for_each(|_| ancestry.add_root());
            let mut next = 0;
            while next < parents.len() && parents.len() < 300 {
                for _ in 0..random.below(4) {
                    let edge = if random.below(9) == 0 { 250 + random.below(10) as u32 } else { 3 };
                    parents.push((next as u64, edge));
                    ancestry.add(edge);
                }
                ancestry.advance();
                next += 1;
            }
            for node in 0..parents.len() as u64 {
                let (mut root, mut edges) = (node, Vec::new());
                while root >= roots {
                    edges.push(parents[root as usize].1);
                    root = parents[root as usize].0;
                }
                edges.reverse();
                assert_eq!(ancestry.path(node), (root, edges));
            }
        }
    }
}
