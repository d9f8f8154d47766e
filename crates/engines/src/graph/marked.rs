//! A stored graph with requirements: each edge belongs to a class, and requirements depend only on the class.
//!
//! This is the simplest graph with requirements, for graphs that are small or have few classes. A part is given by
//! the broken requirements; their `when` edges are deleted.

use super::bits::Bits;
use super::fair::{Fair, Judgement};
use super::{Edge, Graph};

/// The requirements that the edges of one class satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The requirements whose `when` these edges satisfy.
    pub when: Bits,
    /// The requirements whose `then` these edges satisfy.
    pub then: Bits,
}

/// A graph whose edges have classes, and the requirements that each class satisfies.
pub struct Marked<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The classes.
    pub classes: &'a [Class],
    /// The number of requirements.
    pub requirements: usize,
}

impl Marked<'_> {
    /// The next edge of a node that triggers no broken requirement, and its number; moves the cursor past it.
    pub fn edge(&self, broken: &Bits, node: u32, cursor: &mut u64) -> Option<(usize, Edge)> {
        let leaving = self.graph.leaving(node);
        while leaving.start + (*cursor as usize) < leaving.end {
            let number = leaving.start + *cursor as usize;
            let edge = self.graph.edge(number);
            *cursor += 1;
            if !self.classes[edge.class as usize].when.meets(broken) {
                return Some((number, edge));
            }
        }
        None
    }
}

impl Fair for Marked<'_> {
    /// The broken requirements.
    type Part = Bits;

    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    fn successors(&self, broken: &Bits, node: u32, targets: &mut Vec<u32>) {
        let mut cursor = 0;
        while let Some((_, edge)) = self.edge(broken, node, &mut cursor) {
            targets.push(edge.target);
        }
    }

    fn judge(&self, broken: &Bits, component: &[u32], inside: impl Fn(u32) -> bool) -> Judgement<Bits> {
        let (mut when, mut then) = (Bits::empty(self.requirements), Bits::empty(self.requirements));
        for &node in component {
            let mut cursor = 0;
            while let Some((_, edge)) = self.edge(broken, node, &mut cursor) {
                if inside(edge.target) {
                    when.add(&self.classes[edge.class as usize].when);
                    then.add(&self.classes[edge.class as usize].then);
                }
            }
        }
        let newly_broken = when.without(&then);
        if newly_broken.is_empty() {
            return Judgement::Fair;
        }
        let mut broken = broken.clone();
        broken.add(&newly_broken);
        Judgement::Smaller(component.to_vec(), broken)
    }
}
