//! The abstract system of a property, kept from one fairness to the next.
//!
//! What is abstractly reachable does not depend on the fairness, and what a requirement says of the abstract system does
//! not depend on the others. So whoever asks about one property under many assumptions has it explored once, and each
//! requirement derived once; what is left per question is the search for a cycle. Predicates that a later fairness
//! speaks of become further columns of the steps.
//!
//! What is too large is remembered as well, so that nobody tries it twice: to explore more steps than allowed, or to look
//! at the steps once for each of more requirements than [`SHARE`] allows, over all questions together.
//!
//! Two tasks have the same abstraction if they agree in what [`class`](super::class) reads off them beside the fairness.
//! Only the abstractions of the last property are kept.

use std::sync::{Arc, Mutex, PoisonError};

use model::{Label, Session, System};

use super::class::Class;
use super::contexts::Fold;
use super::justice::Justice;
use super::requirements::{self, Derived};
use super::space::{self, Predicate, Space, Stop};

/// How many abstractions of one property are kept.
const KEPT: usize = 4;
/// For each step that may be explored, as many may be looked at to derive requirements.
const SHARE: usize = 3;
/// Why an abstraction is not explored.
const STEPS: &str = "abstract steps";

/// A place for what is known of the last property.
#[derive(Default)]
pub struct AbstractionCache(Mutex<Vec<Kept>>);

/// An abstract system, as far as it is known.
pub(super) struct Kept {
    pub(super) fold: Fold,
    pub(super) justice: Justice,
    /// What is known of each step, in this order.
    pub(super) predicates: Vec<Predicate>,
    space: Option<Space>,
    /// How many of the predicates are columns of the steps.
    columns: usize,
    /// Per requirement, by its number in [`Justice`], what it says of the abstract system.
    derived: Vec<Option<Arc<Vec<Derived>>>>,
    ranks: Option<Arc<Vec<Derived>>>,
    /// Whether there are more steps than allowed.
    given_up: bool,
    /// How many steps were looked at to derive requirements.
    looked_at: usize,
    raise: u8,
}

impl AbstractionCache {
    /// Takes what is known of a task's abstraction, or nothing yet; `None` if there is no instance.
    pub(super) fn take(&self, system: &Arc<System>, class: &Arc<Class>, raise: u8) -> Option<Kept> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|kept| Arc::ptr_eq(&kept.fold.system, system) && kept.fold.class.kind == class.kind);
        let same = |kept: &Kept| kept.raise == raise && abstracts_alike(&kept.fold.class, class);
        if let Some(at) = all.iter().position(same) {
            let mut kept = all.remove(at);
            kept.fold.class = Arc::clone(class);
            return Some(kept);
        }
        Some(Kept {
            fold: Fold::new(system, class, raise)?,
            justice: Justice::new(Vec::new()),
            predicates: Vec::new(),
            space: None,
            columns: 0,
            derived: Vec::new(),
            ranks: None,
            given_up: false,
            looked_at: 0,
            raise,
        })
    }

    /// Keeps what is known.
    pub(super) fn put(&self, kept: Kept) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, kept);
        all.truncate(KEPT);
    }
}

/// Whether two tasks about one system and property have the same abstraction.
fn abstracts_alike(a: &Class, b: &Class) -> bool {
    let within = |a: &Class, b: &Class| a.demands.iter().all(|demand| b.demands.contains(demand));
    a.counted == b.counted
        && a.actions == b.actions
        && a.marks == b.marks
        && a.orders == b.orders
        && within(a, b)
        && within(b, a)
}

impl Kept {
    /// The place of a predicate among the columns of a step.
    pub(super) fn column(&mut self, predicate: Predicate) -> usize {
        self.predicates.iter().position(|known| *known == predicate).unwrap_or_else(|| {
            self.predicates.push(predicate);
            self.predicates.len() - 1
        })
    }

    /// Sees to it that the steps are known, with all columns that were asked for; at most so many steps.
    pub(super) fn explore(&mut self, most: usize, session: &Session<'_>) -> Result<(), Stop> {
        let Kept { fold, justice, predicates, space, columns, given_up, .. } = self;
        if *given_up {
            return Err(Stop::TooLarge(STEPS));
        }
        match space {
            None => {
                let explored = space::explore(fold, justice, predicates, None, most, session);
                *given_up = matches!(explored, Err(Stop::TooLarge(STEPS)));
                *space = Some(explored?);
            }
            Some(space) => {
                for step in &mut space.steps {
                    let Some(scene) = fold.scene(&step.context) else { continue };
                    let label = step.effect.as_ref().map_or(Label::Idle, |e| Label::Action(e.action));
                    for predicate in &predicates[*columns..] {
                        step.truth.push(scene.truth(&predicate.expr, label, &predicate.values)?);
                    }
                }
            }
        }
        *columns = predicates.len();
        Ok(())
    }

    /// The steps, once they are explored, and what is needed to show them.
    pub(super) fn explored(&mut self) -> Option<(&mut Fold, &Space)> {
        Some((&mut self.fold, self.space.as_ref()?))
    }

    /// What requirements, by their numbers, say of the abstract system; columns as in [`requirements::derive`], and the
    /// number of steps that may be explored.
    pub(super) fn derive(
        &mut self,
        fair: &[(usize, Option<(usize, usize)>)],
        most: usize,
        session: &Session<'_>,
    ) -> Result<Vec<Arc<Vec<Derived>>>, Stop> {
        let Some(space) = &self.space else { return Ok(Vec::new()) };
        let is_new = |number: usize| self.derived.get(number).is_none_or(Option::is_none);
        let new = fair.iter().filter(|(number, _)| is_new(*number)).count();
        let looked_at = self.looked_at.saturating_add(new.saturating_mul(space.steps.len()));
        if looked_at > most.saturating_mul(SHARE) {
            return Err(Stop::TooLarge("requirements"));
        }
        self.looked_at = looked_at;
        let mut all = Vec::new();
        for &(number, columns) in fair {
            if self.derived.len() <= number {
                self.derived.resize(number + 1, None);
            }
            if self.derived[number].is_none() {
                let derived =
                    requirements::derive(&mut self.fold, &mut self.justice, space, number, columns, session)?;
                self.derived[number] = Some(Arc::new(derived));
            }
            all.extend(self.derived[number].clone());
        }
        let ranks = self.ranks.get_or_insert_with(|| Arc::new(requirements::ranks(&self.fold, space)));
        all.push(Arc::clone(ranks));
        Ok(all)
    }
}
