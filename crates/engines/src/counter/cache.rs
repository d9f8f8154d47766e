//! Abstract systems, kept from one question to the next.
//!
//! The abstract system does not depend on the fairness, and the requirements derived from one requirement do not
//! depend on the others. So if a property is asked about under many assumptions, its abstract system is explored
//! once, and each requirement is derived once. A search that was stopped by a limit continues where it stopped.
//!
//! Using a cached result costs as much work as computing it ([`meter`](super::meter)), so no answer depends on the
//! contents of the cache. Two tasks share an abstract system if they have the same property and
//! [`class`](super::class) finds the same in both, apart from the fairness.

use std::sync::{Arc, Mutex, PoisonError};

use model::{Expr, Session, System};

use super::class::Class;
use super::contexts::Fold;
use super::explore::{Exploration, STEP_BYTES};
use super::fair::Fair;
use super::meter::Meter;
use super::requirements::{self, Derived};
use super::space::{Predicate, Space, Stop};

/// How many abstract systems are kept.
const KEPT: usize = 64;

/// How many bytes they may take together.
const KEPT_BYTES: u64 = 1 << 28;

/// The greatest number of requirements to derive from, if the abstract system has the greatest number of steps.
const SHARE: usize = 3;

/// A cache of abstract systems, the last one used first.
#[derive(Default)]
pub struct AbstractionCache(Mutex<Vec<Abstraction>>);

/// An abstract system, as far as it is explored.
pub(super) struct Abstraction {
    pub(super) fold: Fold,
    exploration: Exploration,
    /// The requirements derived from each requirement of the task.
    derived: Vec<(Fair, Priced)>,
    /// The requirements derived from the order of the processes.
    ranks: Option<Priced>,
    /// How much is added to the bounds of the counters.
    raise: u8,
}

/// Derived requirements, and the work it took to derive them.
struct Priced {
    price: u64,
    derived: Arc<Vec<Derived>>,
}

impl AbstractionCache {
    /// Takes the abstract system of a task out of the cache, or makes an unexplored one. `None` if there is no
    /// instance.
    pub(super) fn take(&self, system: &Arc<System>, class: &Arc<Class>, raise: u8) -> Option<Abstraction> {
        let same = |kept: &Abstraction| {
            kept.raise == raise
                && Arc::ptr_eq(&kept.fold.system, system)
                && abstracts_alike(&kept.fold.class, class)
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = all.iter().position(same) {
            let mut kept = all.remove(at);
            kept.fold.class = Arc::clone(class);
            return Some(kept);
        }
        drop(all);
        Some(Abstraction {
            fold: Fold::new(system, class, raise)?,
            exploration: Exploration::default(),
            derived: Vec::new(),
            ranks: None,
            raise,
        })
    }

    /// Stores an abstract system. Drops the oldest ones if there are too many, or if together they take more than a
    /// quarter of the memory.
    pub(super) fn put(&self, abstraction: Abstraction, memory: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, abstraction);
        let mut bytes = 0;
        let fitting = all.iter().take(KEPT).take_while(|kept| {
            bytes += kept.exploration.space.steps.len() as u64 * STEP_BYTES;
            bytes <= KEPT_BYTES.min(memory / 4)
        });
        // The last one is always kept, for its next turn.
        let fitting = fitting.count().max(1);
        all.truncate(fitting);
    }
}

/// Whether two tasks about one system have the same abstraction.
fn abstracts_alike(a: &Class, b: &Class) -> bool {
    let within = |a: &Class, b: &Class| a.count_bounds.iter().all(|one| b.count_bounds.contains(one));
    a.kind == b.kind
        && a.counted == b.counted
        && a.tallies == b.tallies
        && a.actions == b.actions
        && a.marks == b.marks
        && a.orders == b.orders
        && within(a, b)
        && within(b, a)
}

impl Abstraction {
    /// Explores the abstract system, up to the first violation of the invariant.
    pub(super) fn explore(
        &mut self,
        invariant: Option<&Expr>,
        step_limit: usize,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        self.exploration.explore(&mut self.fold, invariant, step_limit, session)?;
        self.fold.weigh()
    }

    /// The number of a predicate's column. Its values are computed if they are not cached.
    pub(super) fn column(&mut self, predicate: Predicate, meter: &Meter<'_>) -> Result<usize, Stop> {
        self.exploration.space.column(predicate, meter)
    }

    /// The abstract system, and the data needed to show it.
    pub(super) fn explored(&mut self) -> (&mut Fold, &Space) {
        (&mut self.fold, &self.exploration.space)
    }

    /// The requirements derived for the abstract system; columns as in [`requirements::derive`]. Fails if there are
    /// too many for a system of `step_limit` steps.
    pub(super) fn derive(
        &mut self,
        fair: &[(&Fair, Option<(usize, usize)>)],
        step_limit: usize,
        session: &Session<'_>,
    ) -> Result<Vec<Arc<Vec<Derived>>>, Stop> {
        let Abstraction { fold, exploration: Exploration { space, .. }, .. } = self;
        if fair.len().saturating_mul(space.steps.len()) > step_limit.saturating_mul(SHARE) {
            return Err(Stop::TooLarge("requirements"));
        }
        let meter = Meter::new(session, "deriving requirements", "steps");
        let mut all = Vec::new();
        for &(fair, columns) in fair {
            let derived = if let Some((_, known)) = self.derived.iter().find(|(known, _)| known == fair) {
                known.pay(&meter)?
            } else {
                let priced =
                    Priced::make(&meter, || requirements::derive(fold, space, fair, columns, &meter))?;
                let derived = Arc::clone(&priced.derived);
                self.derived.push((fair.clone(), priced));
                derived
            };
            all.push(derived);
        }
        let ranks = if let Some(known) = &self.ranks {
            known.pay(&meter)?
        } else {
            let priced = Priced::make(&meter, || requirements::ranks(fold, space, &meter))?;
            Arc::clone(&self.ranks.insert(priced).derived)
        };
        all.push(ranks);
        Ok(all)
    }
}

impl Priced {
    /// Derives requirements, and records the work.
    fn make(meter: &Meter<'_>, derive: impl FnOnce() -> Result<Vec<Derived>, Stop>) -> Result<Priced, Stop> {
        let begin = meter.spent();
        let derived = Arc::new(derive()?);
        Ok(Priced { price: meter.spent() - begin, derived })
    }

    /// Charges the recorded work again.
    fn pay(&self, meter: &Meter<'_>) -> Result<Arc<Vec<Derived>>, Stop> {
        meter.spend(self.price)?;
        Ok(Arc::clone(&self.derived))
    }
}
