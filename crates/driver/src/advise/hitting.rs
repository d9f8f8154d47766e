//! Minimal hitting sets of conflicts that become known one by one, the cheapest first.
//!
//! A choice gives each target a level: 0 for nothing, higher for more. A *conflict* is a list of targets with
//! levels, and a choice *hits* it if it gives one of them at least that level. With one level this is the
//! classical problem. With two levels, strong fairness hits whatever weak fairness hits.
//!
//! [Rei87] builds a tree: a node is a choice, and for a conflict that it does not hit there is a child for each way
//! to hit it. We search the tree best first. The value of a node is its cost plus a lower bound of what must be
//! added: the cheapest way to hit each of some conflicts that share no target. A choice that hits all known conflicts
//! is a *candidate*: the caller accepts it, or refutes it with a conflict it does not hit.
//!
//! Every accepted choice is minimal. If a smaller choice were acceptable, it would hit every conflict, so on some
//! path of the tree the nodes below it are never refuted and never discarded. All of them have at most its cost,
//! which is less, since higher levels cost more; so it would have come first. For the same reason every minimal
//! choice comes in the end.
//!
//! The cost is exponential in the worst case, like the number of results; a limit on the number of nodes ends the
//! search.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// A level for each target.
pub(super) type Levels = Vec<u8>;

/// Targets with levels, of which at least one must be reached.
pub(super) type Conflict = Vec<(usize, u8)>;

/// The greatest number of nodes.
const NODES: usize = 200_000;

/// An enumeration of the minimal choices that hit all conflicts.
pub(super) struct Hitting {
    /// Per target, the cost of each level above 0, growing.
    costs: Vec<Vec<u64>>,
    conflicts: Vec<Conflict>,
    accepted: Vec<Levels>,
    /// The smallest value first; among equals, the choice that prefers the first targets.
    queue: BinaryHeap<(Reverse<u64>, Levels)>,
    seen: HashSet<Levels>,
    left: usize,
}

/// The result of a step of the enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The cheapest choice that hits all conflicts and is not above an accepted one.
    Candidate(Levels),
    /// There is no other.
    Exhausted,
    /// The limit on nodes was reached.
    TooMany,
}

impl Hitting {
    /// An enumeration without conflicts.
    pub(super) fn new(costs: Vec<Vec<u64>>) -> Hitting {
        let nothing = vec![0; costs.len()];
        Hitting {
            seen: HashSet::from([nothing.clone()]),
            queue: BinaryHeap::from([(Reverse(0), nothing)]),
            costs,
            conflicts: Vec::new(),
            accepted: Vec::new(),
            left: NODES,
        }
    }

    /// The next candidate. It must be accepted, refuted or left undecided before the next call.
    pub(super) fn next(&mut self) -> Next {
        while let Some((Reverse(worth), levels)) = self.queue.pop() {
            if self.accepted.iter().any(|accepted| is_at_most(accepted, &levels)) {
                continue;
            }
            let now = self.worth(&levels);
            if now > worth {
                self.queue.push((Reverse(now), levels));
                continue;
            }
            if self.left == 0 {
                return Next::TooMany;
            }
            self.left -= 1;
            let missed = self.conflicts.iter().filter(|conflict| !hits(&levels, conflict));
            let Some(conflict) = missed.min_by_key(|conflict| conflict.len()) else {
                return Next::Candidate(levels);
            };
            for &(target, level) in conflict {
                let mut child = levels.clone();
                child[target] = level;
                if self.seen.insert(child.clone()) {
                    self.queue.push((Reverse(self.worth(&child)), child));
                }
            }
        }
        Next::Exhausted
    }

    /// Accepts the last candidate.
    pub(super) fn accept(&mut self, levels: Levels) {
        self.accepted.push(levels);
    }

    /// Refutes the last candidate by a conflict that it does not hit.
    pub(super) fn refute(&mut self, levels: Levels, conflict: Conflict) {
        debug_assert!(!hits(&levels, &conflict), "a conflict that the candidate hits does not refute it");
        self.queue.push((Reverse(self.worth(&levels)), levels));
        self.learn(conflict);
    }

    /// Adds a conflict.
    pub(super) fn learn(&mut self, conflict: Conflict) {
        // Drop conflicts that are hit whenever this one is.
        self.conflicts.retain(|old| !conflict.iter().all(|way| implies(old, *way)));
        self.conflicts.push(conflict);
    }

    /// The cost of a choice plus a lower bound of what must be added.
    fn worth(&self, levels: &Levels) -> u64 {
        let cost = |target: usize, level: u8| match level {
            0 => 0,
            _ => self.costs[target][level as usize - 1],
        };
        let mut worth = (0..levels.len()).map(|target| cost(target, levels[target])).sum();
        let mut used = vec![false; levels.len()];
        for conflict in self.conflicts.iter().filter(|conflict| !hits(levels, conflict)) {
            if conflict.iter().any(|(target, _)| used[*target]) {
                continue;
            }
            let more = |&(target, level): &(usize, u8)| cost(target, level) - cost(target, levels[target]);
            worth += conflict.iter().map(more).min().unwrap_or(0);
            conflict.iter().for_each(|(target, _)| used[*target] = true);
        }
        worth
    }
}

/// Whether a choice hits a conflict.
pub(super) fn hits(levels: &Levels, conflict: &Conflict) -> bool {
    conflict.iter().any(|&(target, level)| levels[target] >= level)
}

/// Whether each level of one choice is at most that of another.
pub(super) fn is_at_most(lower: &Levels, upper: &Levels) -> bool {
    lower.iter().zip(upper).all(|(lower, upper)| lower <= upper)
}

/// Whether reaching this level hits the conflict.
fn implies(conflict: &Conflict, (target, level): (usize, u8)) -> bool {
    conflict.iter().any(|&(other, enough)| other == target && level >= enough)
}

#[cfg(test)]
mod tests {
    use model::splitmix::SplitMix;

    use super::*;

    /// All choices with this many levels per target.
    fn all(tops: &[u8]) -> Vec<Levels> {
        tops.iter().fold(vec![Vec::new()], |choices, top| {
            choices.iter().flat_map(|c| (0..=*top).map(|level| [c.clone(), vec![level]].concat())).collect()
        })
    }

    fn minimal(choices: &[Levels]) -> Vec<Levels> {
        let smaller = |a: &Levels, b: &Levels| a != b && is_at_most(a, b);
        let mut found: Vec<Levels> =
            choices.iter().filter(|c| !choices.iter().any(|other| smaller(other, c))).cloned().collect();
        found.sort();
        found
    }

    #[test]
    fn agrees_with_the_definition_on_random_conflicts_told_at_once_or_one_by_one() {
        let (mut some, mut several) = (0, 0);
        for seed in 0..2_000 {
            let mut random = SplitMix(seed);
            let mut below = |n: u64| random.below(n) as usize;
            let tops: Vec<u8> = (0..=below(5)).map(|_| 1 + below(2) as u8).collect();
            let conflicts: Vec<Conflict> = (0..below(6))
                .map(|_| {
                    let mut conflict = Vec::new();
                    for (target, top) in tops.iter().enumerate() {
                        if below(2) == 0 {
                            conflict.push((target, 1 + below(u64::from(*top)) as u8));
                        }
                    }
                    conflict
                })
                .collect();
            let hitting: Vec<Levels> = all(&tops)
                .into_iter()
                .filter(|c| conflicts.iter().all(|conflict| hits(c, conflict)))
                .collect();
            let expected = minimal(&hitting);
            let costs: Vec<Vec<u64>> =
                tops.iter().map(|top| (1..=*top).map(|l| u64::from(l) * 3 - 2).collect()).collect();
            let cost = |levels: &Levels| -> u64 {
                levels.iter().zip(&costs).map(|(l, c)| if *l == 0 { 0 } else { c[*l as usize - 1] }).sum()
            };
            let mut search = Hitting::new(costs.clone());
            if seed % 2 == 0 {
                conflicts.iter().for_each(|conflict| search.learn(conflict.clone()));
            }
            let mut found = Vec::new();
            while let Next::Candidate(levels) = search.next() {
                if let Some(conflict) = conflicts.iter().find(|conflict| !hits(&levels, conflict)) {
                    search.refute(levels, conflict.clone());
                } else {
                    search.accept(levels.clone());
                    found.push(levels);
                }
            }
            assert!(found.is_sorted_by_key(cost), "seed {seed}: not the cheapest first");
            found.sort();
            assert_eq!(found, expected, "seed {seed}: {conflicts:?}");
            some += usize::from(!expected.is_empty());
            several += usize::from(expected.len() > 1);
        }
        assert!(some > 500 && several > 300, "{some} with, {several} with several");
    }
}
