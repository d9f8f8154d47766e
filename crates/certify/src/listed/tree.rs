//! The check of one edge against a tree of blocks.
//!
//! Go down from the top as long as both ends are in the same block and the edge remains. If the blocks differ, the
//! edge must lead to the one with the lower number. In a common block the edge must satisfy the premise of the reason.
//! [`model::proof::listed`] says why this is enough.

use model::Fault;
use model::proof::{Missing, Reason, Tree};

/// A tree, with the path from the top to each block.
pub(crate) struct Paths<'t> {
    tree: &'t Tree,
    paths: Vec<Vec<u32>>,
}

/// What the check asks about an edge.
pub(crate) trait Facts {
    /// Whether it carries this mark.
    fn carries(&self, mark: usize) -> bool;
    /// Whether it satisfies `then` of this requirement.
    fn then(&self, requirement: usize) -> Result<bool, Fault>;
    /// Whether it satisfies `when` of this requirement.
    fn when(&self, requirement: usize) -> Result<bool, Fault>;
    /// Its step.
    fn step(&self) -> Missing;
}

/// What is wrong with an edge.
pub(crate) enum Wrong {
    /// It leads to a block with a higher number.
    Rises,
    /// It is in a block of this reason, and does not satisfy its premise.
    Premise(u32),
    /// It remains in a block that is not divided any further.
    Remains(u32),
    /// A requirement faults.
    Fault(Fault),
}

impl<'t> Paths<'t> {
    /// The paths of a tree, unless it is not well formed: a mark, a requirement or a block does not exist, or reasons
    /// speak of strong global fairness where it is not assumed.
    pub(crate) fn new(
        tree: &'t Tree,
        marks: usize,
        requirements: usize,
        global: bool,
    ) -> Result<Paths<'t>, &'static str> {
        let mut paths: Vec<Vec<u32>> = Vec::with_capacity(tree.blocks.len());
        let mut is_divided = vec![false; tree.blocks.len()];
        for (number, block) in tree.blocks.iter().enumerate() {
            let mut path = match block.parent {
                None => Vec::new(),
                Some(parent) if (parent as usize) < number => {
                    is_divided[parent as usize] = true;
                    paths[parent as usize].clone()
                }
                Some(_) => return Err("a block comes before the block that it is a part of"),
            };
            path.push(number as u32);
            paths.push(path);
            match &block.reason {
                Reason::Accept(mark) if *mark >= marks => return Err("a mark does not exist"),
                Reason::Never(number) if *number >= requirements => {
                    return Err("a requirement does not exist");
                }
                Reason::Uncovered(_) if !global => return Err("strong global fairness is not assumed"),
                Reason::Uncovered(steps) if !steps.is_sorted() => return Err("steps are not in order"),
                _ => {}
            }
        }
        let is_innermost = |address: &u32| {
            *address == Tree::OUTSIDE || is_divided.get(*address as usize).is_some_and(|divided| !divided)
        };
        if !tree.addresses.iter().all(is_innermost) {
            return Err("an address is not that of an innermost block");
        }
        Ok(Paths { tree, paths })
    }

    /// The address of a product state, by its position.
    pub(crate) fn address(&self, position: usize) -> u32 {
        self.tree.addresses[position]
    }

    /// Checks an edge between two product states of the set, given by their addresses.
    pub(crate) fn check(&self, from: u32, to: u32, edge: &impl Facts) -> Result<(), Wrong> {
        let (from, to) = (&self.paths[from as usize], &self.paths[to as usize]);
        for (a, b) in from.iter().zip(to) {
            if b < a {
                return Ok(());
            }
            if b > a {
                return Err(Wrong::Rises);
            }
            let remains = match &self.tree.blocks[*a as usize].reason {
                Reason::Trivial => return Err(Wrong::Premise(*a)),
                Reason::Accept(mark) if edge.carries(*mark) => return Err(Wrong::Premise(*a)),
                Reason::Accept(_) => false,
                Reason::Never(number) => {
                    if edge.then(*number).map_err(Wrong::Fault)? {
                        return Err(Wrong::Premise(*a));
                    }
                    !edge.when(*number).map_err(Wrong::Fault)?
                }
                Reason::Uncovered(steps) => {
                    let step = edge.step();
                    if steps.binary_search(&step).is_ok() {
                        return Err(Wrong::Premise(*a));
                    }
                    let is_left = |state: u32| steps.binary_search_by_key(&state, |s| s.state).is_ok();
                    !is_left(step.state) && !is_left(step.target)
                }
            };
            if !remains {
                return Ok(());
            }
        }
        // Invariant: addresses are innermost blocks, so both paths end here.
        Err(Wrong::Remains(from.last().copied().unwrap_or_default()))
    }
}
