//! Whether a fairness assumption can be met from wherever a system may be.
//!
//! The question that [`notes`](super::notes) answers in passing when a property holds, asked for its own sake.

use model::property::Kind;
use model::{Expr, Formula, Instance, Property, Reason, Run, State, Task, ground};

use super::emptiness::state_without_a_fair_run;
use super::letters::{Letters, Predicates};
use super::notes::everything;
use super::packing::Packing;
use super::requirements::Alternative;
use super::space::{Aim, Ended, Space};
use super::{Explicit, instance, stopped};

impl Explicit {
    /// The nearest reachable state from which no run is fair, if there is one; the task's property does not matter.
    /// Nothing is known, and `None` is returned as the error, if a fault is in the way.
    pub fn unfair_state(&self, task: &Task, run: &Run<'_>) -> Result<Option<State>, Option<Reason>> {
        let refused =
            |refusal: model::Refusal| Reason { stop: None, message: refusal.reason, hint: refusal.instead };
        let kind = Kind::Ltl(Formula::Atom(Expr::Bool(true)));
        let task = &Task { property: Property { kind, ..task.property.clone() }, ..task.clone() };
        let (instance, packing) = instance(task).map_err(|refusal| Some(refused(refusal)))?;
        match packing.words {
            1 => self.sought::<1>(task, &instance, &packing, run),
            2 => self.sought::<2>(task, &instance, &packing, run),
            3 => self.sought::<3>(task, &instance, &packing, run),
            4 => self.sought::<4>(task, &instance, &packing, run),
            5..=8 => self.sought::<8>(task, &instance, &packing, run),
            9..=16 => self.sought::<16>(task, &instance, &packing, run),
            _ => self.sought::<{ super::WORDS }>(task, &instance, &packing, run),
        }
    }

    fn sought<const W: usize>(
        &self,
        task: &Task,
        instance: &Instance,
        packing: &Packing,
        run: &Run<'_>,
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
        let explored = self.known.take(&task.system, true, run.threads <= 1);
        let mut space = Space::<W>::new(instance, packing, &aim, explored);
        let ended = space.start(self.most, run).and_then(|()| space.explore(self.most, run));
        match ended {
            Ok(true) if !space.is_partial() => {}
            Ok(_) => return Err(Some(self.too_many())),
            Err(Ended::Stopped(stop)) => return Err(Some(stopped(&space, stop))),
            Err(_) => return Err(None),
        }
        let mut letters = Letters::new(instance, packing, &predicates);
        letters.look_at(&space).map_err(|_| None)?;
        let found = state_without_a_fair_run(&space, &letters, &everything(), &alternatives, run);
        let found = found.map_err(|stop| Some(stopped(&space, stop)))?.map(|number| space.state(number));
        self.known.put(&task.system, space.into_explored(), run.memory / 4);
        Ok(found)
    }
}
