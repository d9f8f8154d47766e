//! Notes that nobody asked for: about the model as a whole and about single properties.
//!
//! | note | true if |
//! | --- | --- |
//! | a deadlock can be reached | a reachable state has no enabled action, and a process there has not terminated |
//! | never reached, never enabled | no reachable state has a process of the family at the label, or enables an action with it |
//! | not realisable | a reachable state has no fair run |
//! | holds without any fairness | some is declared for the property, and it holds under none |
//! | holds whatever a part is | it still holds with the part replaced by the constant that makes it strongest ([`parts`]) |
//!
//! All are decided on the complete graph of the system, by the explicit engine, whichever engine answered, and only
//! if there are at most [`STATE_LIMIT`] states, in little memory. So they depend on the model alone, and cost a few
//! passes over a small graph that is usually known already. In a model with a reachable fault every property fails
//! for that reason, and there are no notes. Larger models, and those with open parameters, get the notes of the
//! engine that answered (triggers that never occur, and unrealisable fairness) and one that says what was not looked
//! for, so that the absence of a note has a meaning.

mod parts;
mod whole;

use std::cell::OnceCell;

use ::engines::explicit::{GraphCache, Survey, Unsurveyed};
use ::engines::{Engine, Explicit};
use lang::Model;
use model::property::Kind;
use model::{Answer, Expr, Fairness, Formula, Name, Property, Session, Subject, Task};

pub use parts::{Part, parts};

use crate::report::note::{NotLookedFor, Note};
use crate::report::{Outcome, Verdict};
use crate::world::World;

/// Systems with more states are not examined.
pub const STATE_LIMIT: usize = 20_000;

/// Nor are systems whose states take more bytes: with hundreds of processes each state has hundreds of successors.
const SPACE: u64 = 256 << 20;

/// The data for the notes of one model.
pub(crate) struct Notes {
    engine: Explicit,
    /// The survey, or why there is none, once it was tried.
    survey: OnceCell<Result<Survey, Unsurveyed>>,
    /// The notes about the realisability of each assumption.
    realisable: Vec<(Fairness, Vec<Note>)>,
}

impl Notes {
    /// Notes that use a graph which other engines share.
    pub(crate) fn new(cache: &GraphCache) -> Notes {
        let engine = Explicit {
            notes: false,
            evidence: 0,
            reductions: false,
            cache: cache.clone(),
            ..Explicit::default()
        };
        Notes { engine, survey: OnceCell::new(), realisable: Vec::new() }
    }

    /// Notes about the model as a whole.
    pub(crate) fn of_model(&mut self, model: &Model, world: &World<'_>) -> Vec<Note> {
        match self.survey(&model.subject, world) {
            Ok(survey) => whole::notes(model, survey),
            Err(Unsurveyed::TooManyStates) => vec![Note::NotLookedFor(NotLookedFor::States(STATE_LIMIT))],
            Err(Unsurveyed::Memory) => vec![Note::NotLookedFor(NotLookedFor::Memory)],
            Err(Unsurveyed::Other) => {
                let open =
                    model.system().parameters.first().map(|open| NotLookedFor::Open(open.name.clone()));
                open.map(Note::NotLookedFor).into_iter().collect()
            }
        }
    }

    /// Adds notes about a property to its outcome. `declared` says whether its fairness is the user's own, `implied` whether
    /// the language of the file makes the claim.
    pub(crate) fn add(
        &mut self,
        task: &Task,
        (declared, implied): (bool, bool),
        outcome: &mut Outcome,
        world: &World<'_>,
    ) {
        // Of an empty answer everything else could be said, too.
        if outcome.verdict == Verdict::Unknown
            || outcome.is_fault()
            || outcome.is_empty()
            || self.survey(&task.subject, world).is_err()
        {
            return;
        }
        let fair = !matches!(task.property.kind, Kind::Invariant(_)) && !task.fairness.is_none();
        if fair {
            outcome.notes.retain(|note| !note.is_unrealisable());
            outcome.notes.extend(self.not_realisable(task, world));
        }
        if outcome.verdict != Verdict::Holds {
            return;
        }
        let holds = |task: &Task| {
            let session = Session { threads: 1, ..world.session() };
            matches!(self.engine.check(task, &session), Ok(Answer::Holds(_)))
        };
        if declared && fair {
            let without = Task { fairness: Fairness::none(), ..task.clone() };
            if holds(&without) {
                outcome.notes.push(Note::WithoutFairness);
            }
        }
        if implied || outcome.notes.iter().any(Note::is_vacuity) {
            return;
        }
        let found = parts::irrelevant(task, &holds);
        let (conditions, others): (Vec<Part>, Vec<Part>) = found.into_iter().partition(|part| part.condition);
        let texts = |parts: Vec<Part>| parts.into_iter().map(|part| part.text).collect::<Vec<_>>();
        for note in [Note::WithoutConditions(texts(conditions)), Note::VacuousInPart(texts(others))] {
            if !matches!(&note, Note::WithoutConditions(parts) | Note::VacuousInPart(parts) if parts.is_empty())
            {
                outcome.notes.push(note);
            }
        }
    }

    fn survey(&mut self, subject: &Subject, world: &World<'_>) -> Result<&Survey, Unsurveyed> {
        let engine = &self.engine;
        let survey = self.survey.get_or_init(|| {
            let memory = world.memory.min(SPACE);
            let session = Session { memory, ..world.session() };
            engine.survey(subject, STATE_LIMIT, &whole::is_stuck, &session)
        });
        survey.as_ref().map_err(|why| *why)
    }

    /// The notes about the realisability of a task's fairness.
    fn not_realisable(&mut self, task: &Task, world: &World<'_>) -> Vec<Note> {
        if let Some((_, notes)) = self.realisable.iter().find(|(fairness, _)| *fairness == task.fairness) {
            return notes.clone();
        }
        // A claim that is true of every run, so that the engine only reports realisability.
        let anything = Kind::Ltl(Formula::Atom(Expr::Bool(true)));
        let property = Property { name: Name::default(), binders: Vec::new(), kind: anything };
        let session = Session { threads: 1, ..world.session() };
        let engine = Explicit { notes: true, ..self.engine.clone() };
        let answered = engine.check(&Task { property, ..task.clone() }, &session);
        let notes = session.notes.into_inner().unwrap_or_default().into_iter().map(Note::Fact);
        let notes: Vec<Note> = notes.filter(|note| answered.is_ok() && note.is_unrealisable()).collect();
        self.realisable.push((task.fairness.clone(), notes.clone()));
        notes
    }
}
