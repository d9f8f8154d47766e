//! Exit codes, the same as those of `fairly check`, and which of two takes precedence. Which one a row of a table has is
//! decided by [`Comparison::exit`](crate::comparison::Comparison::exit).

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as expected.
    Fine,
    /// A verdict, or a ratio, is not as expected.
    NotAsExpected,
    /// Bad input or usage.
    BadInput,
    /// Something is undecided.
    Undecided,
}

impl Exit {
    /// The number the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::NotAsExpected => 1,
            Exit::BadInput => 2,
            Exit::Undecided => 3,
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
        };
        if rank(other) > rank(self) { other } else { self }
    }
}
