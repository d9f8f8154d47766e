//! What is enough, or superfluous, only because nothing else can move meanwhile.
//!
//! If only one process is enabled, it acts even without fairness: there is nothing else to do. Such an
//! assumption is brittle: beside one more process, or if the model says `stuttering`, it is not enough. So the question is
//! asked again of the system with a process that may always stutter ([`empty::beside`]).

use model::fairness::Word;
use model::{Fairness, Requirement, Subject, Task};

use super::addition::Added;
use super::asker::{AskResult, Asker, Memo, QUICK};
use super::declared::Declared;
use super::hitting::Levels;
use super::minimal::Reply;
use super::{Advice, Advisor, Needs};
use crate::empty;
use crate::report::plain;
use crate::world::World;

/// A system with a process that may always stutter, and what is known of it.
pub(super) struct Stuttering {
    memo: Memo,
    subject: Subject,
}

impl Advisor<'_> {
    /// The same system with a process that may always stutter, if a property of it may say more.
    pub(super) fn stuttering(&self, asker: &Asker<'_>) -> Option<&Stuttering> {
        // What is known of a more general model says nothing of this one.
        let subject = empty::beside(asker.task()).filter(|_| self.memo.general.is_none())?;
        Some(self.stuttering.get_or_init(|| {
            let memo = Memo::new(&subject, self.world, || None);
            Stuttering { memo, subject }
        }))
    }

    /// Finds out what of the declared fairness is superfluous only because nothing else can move meanwhile, and what a
    /// claim that needs no fairness needs if something can.
    pub(super) fn find_brittle(&self, asker: &mut Asker<'_>, declared: &Declared<'_>, advice: &mut Advice) {
        let count = advice.minimal.len();
        if count > 0 && advice.brittle.len() == count && advice.needs != Needs::Global {
            advice.beside = self.on_top(asker, &Fairness::none()).map(|found| found.texts);
        }
        let asker = &*asker;
        let task = asker.task();
        let Some(stutters) = self.stuttering(asker) else { return };
        let ask = |fairness: &Fairness| stutters.ask(asker, fairness, self.world);
        if let Some(left) = &advice.surplus.left
            && matches!(ask(left), AskResult::Fails(_))
            && matches!(ask(&task.fairness), AskResult::Holds)
        {
            advice.surplus.with_stuttering =
                Some(Box::new(declared.surplus(&mut |fairness| match ask(fairness) {
                    AskResult::Holds => Reply::Holds,
                    AskResult::Fails(_) => Reply::Fails(Levels::new()),
                    AskResult::Unknown(limit) => Reply::Unknown(limit),
                })));
        }
    }

    /// The cheapest requirements that are enough for the property of an asker in addition to others even if a process may
    /// always stutter.
    pub(super) fn enough_beside(&self, asker: &Asker<'_>, present: &Fairness) -> Option<Added> {
        let mut beside = self.stuttering(asker)?.asker(asker.task(), self.world);
        if !beside.task().subject.is_bounded() {
            return None;
        }
        self.on_top(&mut beside, present).or_else(|| self.with_expectations(&mut beside, present))
    }

    /// What is enough here, with weak fairness of processes as well, as little of it as makes it enough even if a process
    /// may always stutter. This takes few questions, so it is tried where states are unbounded.
    pub(super) fn with_processes_beside(&self, asker: &Asker<'_>, added: &Added) -> Option<Added> {
        let stutters = self.stuttering(asker)?;
        let system = asker.task().system();
        let with = |more: &[Requirement]| added.all.and(&Fairness::all_of(more.to_vec()));
        let is_enough =
            |more: &[Requirement]| matches!(stutters.ask(asker, &with(more), self.world), AskResult::Holds);
        let mut more: Vec<Requirement> = Fairness::every_process(system, Word::Weak)
            .alternatives
            .into_iter()
            .flat_map(|one| one.requirements)
            .filter(|one| !added.all.alternatives.iter().all(|known| known.requirements.contains(one)))
            .collect();
        if !is_enough(&more) {
            return None;
        }
        for place in (0..more.len()).rev() {
            let mut fewer = more.clone();
            fewer.remove(place);
            if is_enough(&fewer) {
                more = fewer;
            }
        }
        let texts = more.iter().map(|one| plain::requirement(system, one)).chain(added.texts.clone());
        Some(Added::new(texts.collect(), with(&more)))
    }
}

impl Stuttering {
    /// Questions about the property of a task.
    pub(super) fn asker<'a>(&'a self, task: &Task, world: &'a World<'a>) -> Asker<'a> {
        Asker::new(&self.memo, Task { subject: self.subject.clone(), ..task.clone() }, world)
    }

    /// What becomes of the property of an asker under this fairness if a process may always stutter.
    pub(super) fn ask(&self, asker: &Asker<'_>, fairness: &Fairness, world: &World<'_>) -> AskResult {
        let mut beside = self.asker(asker.task(), world);
        // Where states are unbounded, what refutes it is found soon or never.
        if !self.subject.is_bounded() {
            beside.rounds = QUICK;
        }
        beside.ask(fairness)
    }

    /// Whether the property of an asker is known to fail under this fairness if a process may always stutter.
    pub(super) fn refutes(&self, asker: &Asker<'_>, fairness: &Fairness, world: &World<'_>) -> bool {
        matches!(self.ask(asker, fairness, world), AskResult::Fails(_))
    }
}
