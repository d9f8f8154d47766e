//! Finds the minimal sufficient choices of levels, by learning from the choices that fail.
//!
//! The question is monotone: if it holds under a choice, it holds under every higher one. So the failing choices are
//! those below some maximal failing ones, and a choice suffices iff it is below none of these: for each maximal
//! failing choice `m` it must raise some target above its level in `m`. That list of raised levels is a conflict, and
//! the minimal sufficient choices are the minimal hitting sets of all conflicts [Rei87] [LS08]. Neither list is known
//! at first. As with implicit hitting sets [IPLM15], we try the cheapest choice that hits the known conflicts. Either
//! it suffices, or it fails and we *grow* it to a maximal failing choice, which gives the smallest conflict that this
//! failure can teach.
//!
//! Growing raises many levels at once and divides them if that is too much, so a conflict of `k` targets among `n`
//! costs about `k log n` questions. A reply may say that a failure reaches further than the question, because a run
//! that is fair to more targets is a counterexample to more choices; this saves most questions. Choices below a known
//! failure or above a known success are not asked.

use model::StopReason;

use super::hitting::{Conflict, Hitting, Levels, Next, is_at_most};

/// The greatest number of questions for one property.
const QUESTIONS: usize = 4_000;

/// The greatest number of candidates that may be left undecided.
const UNDECIDED: usize = 3;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The choice suffices.
    Holds,
    /// It does not suffice; nor does this choice, which is at least as high.
    Fails(Levels),
    /// It is not known. If a limit is the reason, the search ends.
    Unknown(Option<StopReason>),
}

/// How much work to spend on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// All that is needed.
    Full,
    /// Only look for failures that are cheap to find.
    Probe,
}

/// Whether an enumeration is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// These are all.
    All,
    /// There may be others that cost as much or more.
    Cheapest,
    /// A limit was reached, or a question stayed open; there may be others.
    Some,
}

/// Questions about choices, with the known answers.
pub(super) struct Search<'a> {
    /// Per target, the cost of each level above 0, growing.
    pub(super) costs: Vec<Vec<u64>>,
    /// Answers questions. With [`Effort::Probe`], the answer is only used to grow a failure, so it may be unknown
    /// instead of a success.
    ask: &'a mut dyn FnMut(&Levels, Effort) -> Reply,
    /// Choices that are known to fail.
    pub(super) failing: Vec<Levels>,
    /// Choices that are known to suffice.
    pub(super) holding: Vec<Levels>,
    asked: usize,
}

impl<'a> Search<'a> {
    /// A search without known answers.
    pub(super) fn new(costs: Vec<Vec<u64>>, ask: &'a mut dyn FnMut(&Levels, Effort) -> Reply) -> Search<'a> {
        Search { costs, ask, failing: Vec::new(), holding: Vec::new(), asked: 0 }
    }

    /// The highest levels.
    pub(super) fn top(&self) -> Levels {
        self.costs.iter().map(|costs| costs.len() as u8).collect()
    }

    /// Whether a choice suffices.
    pub(super) fn decide(&mut self, levels: &Levels) -> Reply {
        self.decide_with(levels, Effort::Full)
    }

    fn decide_with(&mut self, levels: &Levels, effort: Effort) -> Reply {
        if self.holding.iter().any(|known| is_at_most(known, levels)) {
            return Reply::Holds;
        }
        if let Some(known) = self.failing.iter().find(|known| is_at_most(levels, known)) {
            return Reply::Fails(known.clone());
        }
        self.asked += 1;
        let reply = (self.ask)(levels, effort);
        match &reply {
            Reply::Holds => {
                self.holding.retain(|known| !is_at_most(levels, known));
                self.holding.push(levels.clone());
            }
            Reply::Fails(further) => {
                self.failing.retain(|known| !is_at_most(known, further));
                self.failing.push(further.clone());
            }
            Reply::Unknown(_) => {}
        }
        reply
    }

    /// The minimal choices that suffice, the cheapest first, at most `limit` of them.
    pub(super) fn minimal(&mut self, limit: usize) -> (Vec<Levels>, Extent) {
        let mut hitting = Hitting::new(self.costs.clone());
        let mut found: Vec<Levels> = Vec::new();
        let mut extent = Extent::All;
        let mut undecided = 0;
        for known in self.failing.clone() {
            hitting.learn(self.conflict(&known));
        }
        loop {
            let candidate = match hitting.next() {
                Next::Exhausted => return (found, extent),
                Next::TooMany => return (found, Extent::Some),
                Next::Candidate(_) if self.asked > QUESTIONS => return (found, Extent::Some),
                Next::Candidate(_) if found.len() >= limit => {
                    return (found, if extent == Extent::All { Extent::Cheapest } else { extent });
                }
                Next::Candidate(levels) => levels,
            };
            match self.decide(&candidate) {
                Reply::Holds => {
                    // After an unknown answer, a smaller choice may suffice too.
                    if extent == Extent::All || self.is_minimal(&candidate) {
                        found.push(candidate.clone());
                    }
                    hitting.accept(candidate);
                }
                Reply::Fails(failing) => {
                    let grown = self.grow(failing);
                    hitting.refute(candidate, self.conflict(&grown));
                }
                Reply::Unknown(Some(_)) => return (found, Extent::Some),
                Reply::Unknown(None) => {
                    extent = Extent::Some;
                    undecided += 1;
                    if undecided > UNDECIDED {
                        return (found, extent);
                    }
                }
            }
        }
    }

    /// Whether a sufficient choice is known to be minimal: every choice with one level less fails.
    fn is_minimal(&self, levels: &Levels) -> bool {
        (0..levels.len()).filter(|target| levels[*target] > 0).all(|target| {
            let mut lower = levels.clone();
            lower[target] -= 1;
            self.failing.iter().any(|known| is_at_most(&lower, known))
        })
    }

    /// A failing choice above this one that is maximal, as far as the answers are known.
    fn grow(&mut self, mut failing: Levels) -> Levels {
        let top = self.top();
        let highest = top.iter().copied().max().unwrap_or(0);
        let mut raises: Vec<(usize, u8)> = Vec::new();
        for level in 1..=highest {
            raises
                .extend((0..top.len()).filter(|target| top[*target] >= level).map(|target| (target, level)));
        }
        let mut pending = vec![&raises[..]];
        while let Some(chunk) = pending.pop() {
            let mut raised = failing.clone();
            for &(target, level) in chunk {
                raised[target] = raised[target].max(level);
            }
            if raised == failing {
                continue;
            }
            match self.decide_with(&raised, Effort::Probe) {
                Reply::Fails(further) => failing = further,
                _ if chunk.len() > 1 => {
                    let (first, second) = chunk.split_at(chunk.len() / 2);
                    pending.extend([second, first]);
                }
                _ => {}
            }
        }
        failing
    }

    /// The levels of which one must be raised to escape a failing choice.
    fn conflict(&self, failing: &Levels) -> Conflict {
        let top = self.top();
        let raises = (0..failing.len()).map(|target| (target, failing[target] + 1));
        raises.filter(|(target, level)| *level <= top[*target]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_suffices_is_not_called_minimal_while_less_is_undecided() {
        let answer = |undecided: Levels, probes: bool| {
            let mut ask = |levels: &Levels, effort: Effort| match levels[..] {
                _ if *levels == undecided => Reply::Unknown(None),
                _ if effort == Effort::Probe && !probes => Reply::Unknown(None),
                [1, 1] => Reply::Holds,
                _ => Reply::Fails(levels.clone()),
            };
            Search::new(vec![vec![1], vec![1]], &mut ask).minimal(10)
        };
        for probes in [true, false] {
            assert_eq!(answer(vec![1, 0], probes), (vec![], Extent::Some));
            assert_eq!(answer(vec![2, 2], probes), (vec![vec![1, 1]], Extent::All));
        }
    }
}
