//! Leaves locations of a program out, the ones that need the fewest new blocks first.
//!
//! Programs have thousands of blocks, and most of their locations are left out. So a block is the numbers of its commands, it
//! is not looked at again unless it changes, and a location is looked at again only if a block around it did. The blocks keep
//! the order that joining each in its place gives.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::{Block, Command};

/// A block that may be a join of several.
pub(super) struct Joint {
    from: usize,
    to: usize,
    /// The written blocks that it begins and ends with.
    ends: (usize, usize),
    /// The numbers of its commands.
    pub(super) commands: Vec<usize>,
    /// Whether all of its commands are of each kind.
    pub(super) kinds: Kinds,
}

/// What is true of all commands of a block.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    /// They change nothing that is seen.
    pub(super) misses: bool,
    /// They divide by no large number.
    pub(super) small: bool,
    /// They are linear, and choose nothing.
    pub(super) plain: bool,
}

/// A program from which locations are left out.
pub(super) struct Joining {
    blocks: Vec<Block>,
    pub(super) commands: Vec<Command>,
    /// `None` is a block that was joined with those before it.
    joints: Vec<Option<Joint>>,
    /// The block after each one in the program, whether it is still there or not.
    next: Vec<Option<usize>>,
    /// Per location, the blocks that lead to it, and those that leave it, in order.
    into: Vec<BTreeSet<usize>>,
    out: Vec<Vec<usize>>,
    names: Vec<String>,
    /// The numbers of blocks and of their commands.
    number: usize,
    length: usize,
}

impl Joining {
    pub(super) fn new(blocks: Vec<Block>, kinds: impl Fn(&Block) -> Kinds) -> Joining {
        let names: BTreeSet<&String> =
            blocks.iter().flat_map(|block| [&block.from.value, &block.to.value]).collect();
        let places: BTreeMap<&String, usize> = names.iter().copied().zip(0..).collect();
        let mut joining = Joining {
            commands: Vec::new(),
            joints: Vec::new(),
            next: (1..=blocks.len()).map(|next| (next < blocks.len()).then_some(next)).collect(),
            into: vec![BTreeSet::new(); names.len()],
            out: vec![Vec::new(); names.len()],
            names: names.iter().map(|name| (*name).clone()).collect(),
            number: blocks.len(),
            length: blocks.iter().map(|block| block.commands.len()).sum(),
            blocks: Vec::new(),
        };
        for (number, block) in blocks.iter().enumerate() {
            let (from, to) = (places[&block.from.value], places[&block.to.value]);
            joining.into[to].insert(number);
            joining.out[from].push(number);
            let first = joining.commands.len();
            joining.commands.extend(block.commands.iter().cloned());
            joining.joints.push(Some(Joint {
                from,
                to,
                ends: (number, number),
                commands: (first..joining.commands.len()).collect(),
                kinds: kinds(block),
            }));
        }
        joining.blocks = blocks;
        joining
    }

    /// Leaves out locations while there are at most `limit` blocks, and those after which there are at most `commands` in all
    /// blocks. `may` says of one that is not in `kept`, by the blocks that lead to it and those that leave it, whether it may be
    /// left out.
    pub(super) fn join(
        &mut self,
        kept: &BTreeSet<String>,
        limit: usize,
        commands: usize,
        may: impl Fn(&[Command], &[&Joint], &[&Joint]) -> bool,
    ) {
        // By the number of new blocks, and then by name.
        let mut open: BTreeSet<(isize, usize)> = BTreeSet::new();
        let mut listed: Vec<Option<isize>> = vec![None; self.names.len()];
        let mut changed: BTreeSet<usize> = (0..self.names.len()).collect();
        loop {
            for place in std::mem::take(&mut changed) {
                if let Some(growth) = listed[place].take() {
                    open.remove(&(growth, place));
                }
                if !kept.contains(&self.names[place]) && self.is_candidate(place, &may) {
                    let (into, out) = (self.into[place].len(), self.out[place].len());
                    let growth = (into * out) as isize - (into + out) as isize;
                    listed[place] = Some(growth);
                    open.insert((growth, place));
                }
            }
            let Some((growth, place)) = open.first().copied() else { return };
            let Some(number) = self.number.checked_add_signed(growth).filter(|number| *number <= limit)
            else {
                return;
            };
            let (into, out) = (&self.into[place], &self.out[place]);
            let (before, after) = (self.length(into.iter()), self.length(out.iter()));
            let length = self.length + before * out.len() + after * into.len() - before - after;
            if length > commands.max(self.length) {
                listed[place] = None;
                open.remove(&(growth, place));
                continue;
            }
            (self.number, self.length) = (number, length);
            changed = self.leave_out(place);
            changed.insert(place);
        }
    }

    fn is_candidate(&self, place: usize, may: &impl Fn(&[Command], &[&Joint], &[&Joint]) -> bool) -> bool {
        let into: Vec<&Joint> = self.into[place].iter().filter_map(|block| self.joint(*block)).collect();
        let out: Vec<&Joint> = self.out[place].iter().filter_map(|block| self.joint(*block)).collect();
        let repeats = out.iter().any(|block| block.to == place);
        !into.is_empty() && !out.is_empty() && !repeats && may(&self.commands, &into, &out)
    }

    fn joint(&self, block: usize) -> Option<&Joint> {
        self.joints[block].as_ref()
    }

    /// The number of commands in these blocks.
    fn length<'b>(&self, blocks: impl Iterator<Item = &'b usize>) -> usize {
        blocks.filter_map(|block| self.joint(*block)).map(|joint| joint.commands.len()).sum()
    }

    /// Joins every block that leads to a location with every one that leaves it. The locations around it.
    fn leave_out(&mut self, place: usize) -> BTreeSet<usize> {
        let mut around = BTreeSet::new();
        let mut out = Vec::new();
        for block in std::mem::take(&mut self.out[place]) {
            let Some(second) = self.joints[block].take() else { continue };
            self.into[second.to].remove(&block);
            around.insert(second.to);
            out.push(second);
        }
        for block in std::mem::take(&mut self.into[place]) {
            let Some(first) = self.joints[block].take() else { continue };
            around.insert(first.from);
            let mut numbers = Vec::new();
            for second in &out {
                // The first one takes the number of the block.
                let number = if numbers.is_empty() { block } else { self.after(numbers[numbers.len() - 1]) };
                self.joints[number] = Some(first.then(second));
                self.into[second.to].insert(number);
                numbers.push(number);
            }
            let leaving = &mut self.out[first.from];
            if let Some(position) = leaving.iter().position(|other| *other == block) {
                leaving.splice(position..=position, numbers);
            }
        }
        around
    }

    /// A number for a block after this one.
    fn after(&mut self, block: usize) -> usize {
        let number = self.joints.len();
        self.joints.push(None);
        self.next.push(self.next[block]);
        self.next[block] = Some(number);
        number
    }

    /// The blocks, in order.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(self.number);
        let mut at = (!self.joints.is_empty()).then_some(0);
        while let Some(number) = at {
            if let Some(joint) = &self.joints[number] {
                blocks.push(Block {
                    from: self.blocks[joint.ends.0].from.clone(),
                    commands: joint.commands.iter().map(|command| self.commands[*command].clone()).collect(),
                    to: self.blocks[joint.ends.1].to.clone(),
                });
            }
            at = self.next[number];
        }
        blocks
    }
}

impl Joint {
    /// This block, and then another one.
    fn then(&self, second: &Joint) -> Joint {
        Joint {
            from: self.from,
            to: second.to,
            ends: (self.ends.0, second.ends.1),
            commands: self.commands.iter().chain(&second.commands).copied().collect(),
            kinds: Kinds {
                misses: self.kinds.misses && second.kinds.misses,
                small: self.kinds.small && second.kinds.small,
                plain: self.kinds.plain && second.kinds.plain,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use lang::syntax::Span;
    use model::splitmix::SplitMix;

    use super::super::syntax::{Located, Node, Tree};
    use super::*;

    const LONGEST: usize = 7;
    const IN_ALL: usize = 40;

    /// Joins blocks as the definition says: all of them are looked at each time.
    fn obvious(mut blocks: Vec<Block>, kept: &BTreeSet<String>, limit: usize) -> Vec<Block> {
        loop {
            let places: BTreeSet<String> = blocks.iter().map(|block| block.from.value.clone()).collect();
            let candidates = places.into_iter().filter(|place| !kept.contains(place)).filter_map(|place| {
                let into = || blocks.iter().filter(|block| block.to.value == place);
                let out = || blocks.iter().filter(|block| block.from.value == place);
                let (sum, product) = (into().count() + out().count(), into().count() * out().count());
                let length = |block: &Block| block.commands.len();
                let longest = into().map(length).max()? + out().map(length).max()?;
                let repeats = out().any(|block| block.to.value == place);
                let all = |blocks: &mut dyn Iterator<Item = &Block>| blocks.map(length).sum::<usize>();
                let (before, after) = (all(&mut into()), all(&mut out()));
                let total = all(&mut blocks.iter());
                let longer = total + before * out().count() + after * into().count() - before - after;
                let fits = blocks.len() + product <= limit + sum
                    && longest <= LONGEST
                    && longer <= total.max(IN_ALL);
                (fits && !repeats).then_some((product as isize - sum as isize, place))
            });
            let Some((_, place)) = candidates.min() else { return blocks };
            let out: Vec<Block> = blocks.iter().filter(|block| block.from.value == place).cloned().collect();
            let before = blocks.into_iter().filter(|block| block.from.value != place);
            blocks = before
                .flat_map(|block| {
                    if block.to.value != place {
                        return vec![block];
                    }
                    let joined = |next: &Block| Block {
                        commands: block.commands.iter().chain(&next.commands).cloned().collect(),
                        to: next.to.clone(),
                        ..block.clone()
                    };
                    out.iter().map(joined).collect()
                })
                .collect();
        }
    }

    fn shown(blocks: &[Block]) -> Vec<String> {
        blocks.iter().map(|block| format!("{block:?}")).collect()
    }

    #[test]
    fn blocks_are_joined_as_if_all_were_looked_at_each_time() {
        let mut random = SplitMix(31);
        let mut below = |bound: usize| random.below(bound as u64) as usize;
        let mut joined = 0;
        for round in 0..400 {
            let places = 2 + below(8);
            let place = |number: usize| Located { value: format!("l{number}"), span: Span::default() };
            let blocks: Vec<Block> = (0..below(16))
                .map(|block| {
                    let commands = (0..below(3)).map(|command| {
                        let value = (10 * block + command) as i64;
                        Command::Assume(Tree { node: Node::Number(value), span: Span::default() })
                    });
                    let commands = commands.collect();
                    Block { from: place(below(places)), commands, to: place(below(places)) }
                })
                .collect();
            let kept = BTreeSet::from([place(0).value, place(below(places)).value]);
            let limit = blocks.len() + below(8);
            let kinds = |_: &Block| Kinds { misses: true, small: true, plain: true };
            let mut joining = Joining::new(blocks.clone(), kinds);
            joining.join(&kept, limit, IN_ALL, |_, into, out| {
                let longest = |blocks: &[&Joint]| blocks.iter().map(|block| block.commands.len()).max();
                longest(into).zip(longest(out)).is_some_and(|(into, out)| into + out <= LONGEST)
            });
            let expected = obvious(blocks.clone(), &kept, limit);
            assert_eq!(shown(&joining.blocks()), shown(&expected), "round {round}");
            joined += usize::from(expected.len() != blocks.len());
        }
        assert!(joined > 100, "{joined}");
    }
}
