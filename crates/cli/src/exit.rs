//! Exit codes, which scripts rely on, and which of two wins. Each command decides what its results mean.

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as expected; a property without an expectation holds.
    Fine,
    /// Something is not as expected.
    NotAsExpected,
    /// Bad input or usage.
    BadInput,
    /// Something is undecided.
    Undecided,
    /// Certified answers disagree, or the judge refused evidence, or this program broke down.
    Dispute,
}

impl Exit {
    /// The number the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::NotAsExpected => 1,
            Exit::BadInput => 2,
            Exit::Undecided => 3,
            Exit::Dispute => 4,
        }
    }

    /// The one that matters more.
    #[must_use]
    pub(crate) fn or(self, other: Exit) -> Exit {
        let rank = |exit: Exit| match exit {
            Exit::Fine => 0,
            Exit::Undecided => 1,
            Exit::NotAsExpected => 2,
            Exit::BadInput => 3,
            Exit::Dispute => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_beats_two_beats_one_beats_three_beats_zero() {
        let order = [Exit::Dispute, Exit::BadInput, Exit::NotAsExpected, Exit::Undecided, Exit::Fine];
        assert_eq!(order.map(Exit::code), [4, 2, 1, 3, 0]);
        for (rank, better) in order.into_iter().enumerate() {
            for worse in &order[rank..] {
                assert_eq!(better.or(*worse), better);
                assert_eq!(worse.or(better), better);
            }
        }
    }
}
