//! The nodes that a phase is still to work on.
//!
//! With steps in memory the first that came is the next. With steps in a file nodes are taken in the order of their numbers,
//! from the least to the greatest and then again, so that the file is read from one end to the other. Nodes that come
//! meanwhile and lie ahead are taken in the same sweep.

use std::collections::VecDeque;

use super::explore::Part;
use crate::graph::bits::Bits;

/// Nodes in a queue.
pub(super) enum Queue {
    /// As they came. A node may be in it several times.
    InTurn(VecDeque<u32>),
    /// In the order of their numbers, from `next` on.
    InOrder { waiting: Bits, next: usize, count: usize },
}

impl Queue {
    /// An empty queue of nodes below a bound.
    pub(super) fn new(part: &Part, bound: usize) -> Queue {
        if part.is_streamed() {
            Queue::InOrder { waiting: Bits::empty(bound), next: 0, count: 0 }
        } else {
            Queue::InTurn(VecDeque::new())
        }
    }

    /// The queue of all nodes of a set.
    pub(super) fn of(part: &Part, nodes: &Bits) -> Queue {
        if part.is_streamed() {
            Queue::InOrder { count: nodes.count(), waiting: nodes.clone(), next: 0 }
        } else {
            Queue::InTurn(nodes.numbers().map(|node| node as u32).collect())
        }
    }

    #[inline]
    pub(super) fn push(&mut self, node: u32) {
        match self {
            Queue::InTurn(queue) => queue.push_back(node),
            Queue::InOrder { waiting, count, .. } => {
                if !waiting.contains(node as usize) {
                    waiting.insert(node as usize);
                    *count += 1;
                }
            }
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        match self {
            Queue::InTurn(queue) => queue.pop_front(),
            Queue::InOrder { waiting, next, count } => {
                let node = waiting.next(*next).or_else(|| waiting.next(0))?;
                waiting.remove(node);
                *next = node + 1;
                *count -= 1;
                Some(node as u32)
            }
        }
    }

    /// The one that came last, if it matters which.
    #[inline]
    pub(super) fn pop_last(&mut self) -> Option<u32> {
        match self {
            Queue::InTurn(queue) => queue.pop_back(),
            Queue::InOrder { .. } => self.pop(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Queue::InTurn(queue) => queue.is_empty(),
            Queue::InOrder { count, .. } => *count == 0,
        }
    }

    /// The bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Queue::InTurn(queue) => queue.len() as u64 * 4,
            Queue::InOrder { waiting, .. } => waiting.bytes(),
        }
    }
}
