//! Whether a fairness assumption can be met from wherever a system may be.
//!
//! The question that [`notes`](super::notes) answers in passing when a property holds, asked for its own sake.

use model::property::Kind;
use model::{Expr, Formula, Instance, Property, Reason, Session, State, Task, ground};

use super::emptiness::state_without_a_fair_run;
use super::letters::{Letters, Predicates};
use super::notes::everything;
use super::packing::Packing;
use super::requirements::Alternative;
use super::space::{Aim, Space, Stop};
use super::{Explicit, instance};

impl Explicit {
    /// The nearest reachable state from which no run is fair, if there is one; the task's property does not matter.
    /// Nothing is known, and `None` is returned as the error, if a fault is in the way.
    pub fn unfair_state(&self, task: &Task, session: &Session<'_>) -> Result<Option<State>, Option<Reason>> {
        let kind = Kind::Ltl(Formula::Atom(Expr::Bool(true)));
        let task = &Task { property: Property { kind, ..task.property.clone() }, ..task.clone() };
        let (instance, packing) = instance(task).map_err(|refusal| Some(Reason::Refused(refusal)))?;
        match packing.words {
            1 => self.unfair_state_in::<1>(task, instance, &packing, session),
            2 => self.unfair_state_in::<2>(task, instance, &packing, session),
            3 => self.unfair_state_in::<3>(task, instance, &packing, session),
            4 => self.unfair_state_in::<4>(task, instance, &packing, session),
            5..=8 => self.unfair_state_in::<8>(task, instance, &packing, session),
            9..=16 => self.unfair_state_in::<16>(task, instance, &packing, session),
            _ => self.unfair_state_in::<{ super::WORDS }>(task, instance, &packing, session),
        }
    }

    fn unfair_state_in<const W: usize>(
        &self,
        task: &Task,
        instance: &Instance,
        packing: &Packing,
        session: &Session<'_>,
    ) -> Result<Option<State>, Option<Reason>> {
        let mut predicates = Predicates::default();
        let alternatives: Vec<Alternative> = ground::fairness(instance, &task.fairness)
            .alternatives
            .iter()
            .map(|assumption| Alternative::new(instance, assumption, &mut predicates))
            .collect();
        if alternatives.iter().any(Alternative::is_realisable) {
            return Ok(None);
        }
        let aim = Aim { invariant: None, shared_level: self.shared_level, reduction: None };
        let explored = self.known.take(task.system(), true, session.threads <= 1);
        let mut space = Space::<W>::new(instance, packing, &aim, explored);
        let ended = space.start(self.most, session).and_then(|()| space.explore(self.most, session));
        match ended {
            Ok(true) if !space.is_partial() => {}
            Ok(_) => return Err(Some(self.too_many())),
            Err(Stop::Stopped(stop)) => {
                return Err(Some(Reason::Stopped { stop, done: Some((space.states() as u64, "states")) }));
            }
            Err(_) => return Err(None),
        }
        let mut letters = Letters::new(instance, packing, &predicates);
        letters.look_at(&space).map_err(|_| None)?;
        let found = state_without_a_fair_run(&space, &letters, &everything(), &alternatives, session);
        let found = found
            .map_err(|stop| Some(Reason::Stopped { stop, done: Some((space.states() as u64, "states")) }))?
            .map(|number| space.state(number));
        self.known.put(task.system(), space.into_explored(), session.memory / 4);
        Ok(found)
    }
}
