//! How much evidence engines make for the judge, and how much work the judge may do with it. The user's word for it is
//! [`Certify`].

use certify::Effort;
use engines::{counter, explicit};

use crate::options::Certify;

/// [`Judging::reduce_beyond`] if no evidence is wanted.
const SMALL: usize = 20_000;
/// [`Judging::reduce_beyond`] if evidence is wanted, which a reduction would lose. So many states have about a million
/// steps.
const CHECKED: usize = 100_000;

/// The units of work that are done for evidence on diagrams: about a second.
const DIAGRAMS: u64 = 100_000_000;

/// How much is done for the judge, and how much the judge does.
#[derive(Clone, Copy)]
pub(crate) struct Judging {
    /// The most edges of a product for which a search gives evidence.
    pub(crate) edges: u64,
    /// The same for counts of processes.
    pub(crate) counts: u64,
    /// The most units of work that are done for evidence on diagrams.
    pub(crate) diagrams: u64,
    /// Whether searches may be reduced.
    pub(crate) reductions: bool,
    /// Graphs with at most this many states are searched without a reduction.
    pub(crate) reduce_beyond: usize,
    /// Whether labels have both sides, also those that the verdict does not need.
    pub(crate) labels: bool,
    /// The judge's effort on a proof; `None` if no *holds* is judged.
    pub(crate) effort: Option<Effort>,
}

impl Judging {
    /// For questions of the driver itself: a proof that an engine makes anyway is judged, and searches make none.
    pub(crate) const ASIDE: Judging = Judging {
        edges: 0,
        counts: 0,
        diagrams: 0,
        reductions: true,
        reduce_beyond: SMALL,
        labels: false,
        effort: Some(Effort::Brief),
    };
}

impl From<Certify> for Judging {
    fn from(certify: Certify) -> Judging {
        match certify {
            Certify::Auto => Judging {
                edges: explicit::EVIDENCE,
                counts: counter::EVIDENCE,
                diagrams: DIAGRAMS,
                reduce_beyond: CHECKED,
                ..Judging::ASIDE
            },
            Certify::Always => Judging {
                edges: u64::MAX,
                counts: u64::MAX,
                diagrams: u64::MAX,
                reductions: false,
                reduce_beyond: CHECKED,
                effort: Some(Effort::Full),
                ..Judging::ASIDE
            },
            Certify::Never => Judging { effort: None, ..Judging::ASIDE },
        }
    }
}
