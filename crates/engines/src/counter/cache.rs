//! Abstract systems, kept from one question to the next.
//!
//! What is abstractly reachable does not depend on the fairness, and what a requirement says of the abstract system does
//! not depend on the other requirements. So a property that is asked about under many assumptions has its abstract system
//! explored once, and each requirement is derived once. A search that a limit has ended goes on where it stopped.
//!
//! What is found here is charged as if it were made ([`meter`](super::meter)), so no answer depends on what is kept. Two
//! tasks share an abstract system if they have the same property and agree in what [`class`](super::class) reads off
//! them beside the fairness.

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

/// How many requirements may be derived if there are as many steps as are allowed.
const SHARE: usize = 3;

/// A place for abstract systems, the last one used first.
#[derive(Default)]
pub struct AbstractionCache(Mutex<Vec<Abstraction>>);

/// An abstract system, as far as it is known.
pub(super) struct Abstraction {
    pub(super) fold: Fold,
    exploration: Exploration,
    /// What requirements say of the abstract system.
    derived: Vec<(Fair, Priced)>,
    /// What the order of the processes says.
    ranks: Option<Priced>,
    /// By how much the bounds are raised.
    raise: u8,
}

/// Requirements of the abstract system, and what it cost to derive them.
struct Priced {
    price: u64,
    derived: Arc<Vec<Derived>>,
}

impl AbstractionCache {
    /// Takes the abstract system of a task, or makes an unexplored one; `None` if there is no instance.
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

    /// Keeps an abstract system, and drops the oldest ones if there are too many, or if all of them take more than a
    /// quarter of the memory.
    pub(super) fn put(&self, abstraction: Abstraction, memory: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, abstraction);
        let mut bytes = 0;
        let fitting = all.iter().take(KEPT).take_while(|kept| {
            bytes += kept.exploration.space.steps.len() as u64 * STEP_BYTES;
            bytes <= KEPT_BYTES.min(memory / 4)
        });
        // The last one is kept in any case, for its next turn.
        let fitting = fitting.count().max(1);
        all.truncate(fitting);
    }
}

/// Whether two tasks about one system have the same abstraction.
fn abstracts_alike(a: &Class, b: &Class) -> bool {
    let within = |a: &Class, b: &Class| a.count_bounds.iter().all(|one| b.count_bounds.contains(one));
    a.kind == b.kind
        && a.counted == b.counted
        && a.actions == b.actions
        && a.marks == b.marks
        && a.orders == b.orders
        && within(a, b)
        && within(b, a)
}

impl Abstraction {
    /// Explores the abstract system, as far as an invariant is true.
    pub(super) fn explore(
        &mut self,
        invariant: Option<&Expr>,
        most: usize,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        self.exploration.explore(&mut self.fold, invariant, most, session)
    }

    /// The number of a predicate's column; its values are computed unless they are known.
    pub(super) fn column(&mut self, predicate: Predicate, meter: &Meter<'_>) -> Result<usize, Stop> {
        self.exploration.space.column(predicate, meter)
    }

    /// The abstract system, and what is needed to show it.
    pub(super) fn explored(&mut self) -> (&mut Fold, &Space) {
        (&mut self.fold, &self.exploration.space)
    }

    /// What requirements say of the abstract system; columns as in [`requirements::derive`]. Fails if there are too many
    /// for a system of `most` steps.
    pub(super) fn derive(
        &mut self,
        fair: &[(&Fair, Option<(usize, usize)>)],
        most: usize,
        session: &Session<'_>,
    ) -> Result<Vec<Arc<Vec<Derived>>>, Stop> {
        let Abstraction { fold, exploration: Exploration { space, .. }, .. } = self;
        if fair.len().saturating_mul(space.steps.len()) > most.saturating_mul(SHARE) {
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
    /// Derives requirements, and notes the price.
    fn make(meter: &Meter<'_>, derive: impl FnOnce() -> Result<Vec<Derived>, Stop>) -> Result<Priced, Stop> {
        let begin = meter.spent();
        let derived = Arc::new(derive()?);
        Ok(Priced { price: meter.spent() - begin, derived })
    }

    /// Charges the price again.
    fn pay(&self, meter: &Meter<'_>) -> Result<Arc<Vec<Derived>>, Stop> {
        meter.spend(self.price)?;
        Ok(Arc::clone(&self.derived))
    }
}
