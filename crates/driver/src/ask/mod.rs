//! Asks engines about tasks: one path from a question to a certified answer.
//!
//! A [`Panel`] is the engines for one subject, with what they keep from task to task. A [`Question`] is a task that they
//! have looked at: who takes it, and who refuses and why. It is asked in rounds ([`plan`] says who goes when and with
//! how much work); each turn ends with the judge ([`attempt`]), and answers that should never be are found by
//! [`dispute`]. `check`, `advise`, `explain`, notes and `prove` all ask here.
//!
//! Turns and budgets depend on the task alone, and so do the answers: what an engine keeps from task to task makes it
//! faster and nothing else.

mod attempt;
mod dispute;
pub(crate) mod plan;

use std::time::Duration;

use engines::explicit::{GraphCache, WAITING};
use engines::{Engine, Prepared};
use model::{Answer, Note, Reason, Refusal, StopReason, Subject, Task};

pub(crate) use attempt::panic_message;
use attempt::{Attempt, attempt};
use plan::{Building, EngineKind, EngineOption, Engines};

use crate::judging::Judging;
use crate::report::{Dispute, Verdict};
use crate::world::World;

/// The engines that are asked about one subject.
pub(crate) struct Panel {
    choice: Engines,
    /// Whether it is asked again with more work.
    in_rounds: bool,
    subject: Subject,
    engines: Vec<(EngineKind, Box<dyn Engine>)>,
    judging: Judging,
    /// The graph of the subject.
    pub(crate) cache: GraphCache,
}

impl Panel {
    /// The engines of the user's choice, told to work like this, where the program has so many forms. `notes` says whether
    /// they look for what nobody asked for.
    pub(crate) fn new(
        choice: Engines,
        forms: usize,
        subject: &Subject,
        options: &[EngineOption],
        notes: bool,
        judging: Judging,
        world: &World<'_>,
    ) -> Panel {
        let cache = GraphCache::default();
        let in_rounds = plan::in_rounds(choice, forms);
        let (solvers, crew) = (world.solvers, world.crew);
        let building = Building { options, cache: &cache, solvers, crew, notes, judging, in_rounds };
        let engines =
            plan::order(choice, subject).into_iter().map(|kind| (kind, plan::build(kind, &building)));
        Panel { choice, in_rounds, subject: subject.clone(), engines: engines.collect(), judging, cache }
    }

    /// All engines in rounds, without notes, for the driver's own questions, such as whether any run is fair.
    pub(crate) fn aside(subject: &Subject, world: &World<'_>) -> Panel {
        Panel::new(Engines::Auto, 1, subject, &[], false, Judging::ASIDE, world)
    }

    /// These engines, asked in rounds as `auto` asks all of them, without notes.
    pub(crate) fn only(kinds: &[EngineKind], subject: &Subject, world: &World<'_>) -> Panel {
        let mut panel = Panel::aside(subject, world);
        panel.engines.retain(|(kind, _)| kinds.contains(kind));
        panel
    }

    /// A panel of these engines, which are asked as `choice` says.
    #[cfg(test)]
    pub(crate) fn of(
        choice: Engines,
        subject: &Subject,
        engines: Vec<(EngineKind, Box<dyn Engine>)>,
    ) -> Panel {
        let judging = Judging::from(crate::options::Certify::Auto);
        let in_rounds = plan::in_rounds(choice, 1);
        Panel { choice, in_rounds, subject: subject.clone(), engines, judging, cache: GraphCache::default() }
    }

    /// Lets every engine look at a task.
    pub(crate) fn question<'p>(&'p self, task: &'p Task) -> Question<'p> {
        let mut question = Question {
            panel: self,
            task,
            in_rounds: self.in_rounds,
            seats: Vec::new(),
            refusals: Vec::new(),
            attempts: Vec::new(),
            broken: Vec::new(),
            stopped: None,
            settled: false,
        };
        for (kind, engine) in &self.engines {
            match engine.prepare(task) {
                Ok(prepared) => {
                    question.seats.push(Seat { engine: *kind, prepared, waiting: None, is_done: false });
                }
                Err(refusal) => question.refusals.push((*kind, refusal)),
            }
        }
        question.settled = question.seats.is_empty();
        question
    }

    /// The number of rounds in which a question is asked.
    pub(crate) fn rounds(&self) -> u32 {
        plan::rounds(self.in_rounds)
    }

    /// Asks a question to the end, or for so many rounds.
    pub(crate) fn ask(&self, task: &Task, rounds: u32, world: &World<'_>) -> Settled {
        let mut question = self.question(task);
        for round in 0..rounds.min(self.rounds()) {
            question.ask(round, world);
        }
        question.settle()
    }

    /// Asks a question of the driver's own, for so many rounds. There are rounds even if the engine has been named.
    pub(crate) fn ask_aside(&self, task: &Task, rounds: u32, world: &World<'_>) -> Settled {
        let mut question = self.question(task);
        question.in_rounds = true;
        for round in 0..rounds {
            question.ask(round, world);
        }
        question.settle()
    }
}

/// Those of some engines that take a task.
pub(crate) fn takers(kinds: &[EngineKind], task: &Task) -> Vec<EngineKind> {
    let world = World::unlimited();
    let building = Building {
        options: &[],
        cache: &GraphCache::default(),
        solvers: world.solvers,
        crew: None,
        notes: false,
        judging: Judging::ASIDE,
        in_rounds: false,
    };
    let takes = |kind: &EngineKind| plan::build(*kind, &building).accepts(task).is_ok();
    kinds.iter().copied().filter(takes).collect()
}

/// A task that the engines of a panel have looked at.
pub(crate) struct Question<'p> {
    panel: &'p Panel,
    task: &'p Task,
    /// Whether it is asked again with more work.
    in_rounds: bool,
    seats: Vec<Seat<'p>>,
    refusals: Vec<(EngineKind, Refusal)>,
    /// The last attempt of each engine.
    attempts: Vec<Attempt>,
    /// Engines that broke down, with what they said.
    broken: Vec<(EngineKind, String)>,
    /// The limit that kept an engine from its turn.
    stopped: Option<StopReason>,
    settled: bool,
}

/// An engine that takes the task.
struct Seat<'p> {
    engine: EngineKind,
    prepared: Box<dyn Prepared + 'p>,
    /// How many states it knew and had not expanded after its last turn, if it lists states.
    waiting: Option<u64>,
    /// Whether more work would not help it.
    is_done: bool,
}

impl Question<'_> {
    /// Whether there is nothing more to ask.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    /// Whether every engine refuses the task.
    pub(crate) fn is_refused(&self) -> bool {
        self.seats.is_empty()
    }

    /// The engines that do not take the task, and why.
    pub(crate) fn refusals(&self) -> &[(EngineKind, Refusal)] {
        &self.refusals
    }

    /// Gives every engine its turn in a round, until one decides.
    pub(crate) fn ask(&mut self, round: u32, world: &World<'_>) {
        let Panel { choice, subject, judging, .. } = self.panel;
        for seat in &mut self.seats {
            if self.settled || seat.is_done {
                continue;
            }
            if let Some(stop) = (world.stop)() {
                // What was found before the limit stands.
                self.settled = matches!(stop, StopReason::Time | StopReason::Cancelled);
                if self.settled {
                    self.stopped = Some(stop);
                    break;
                }
            }
            for extra in 0..=plan::EXTRA {
                let budget = plan::budget(*choice, self.in_rounds, seat.engine, subject, round + extra);
                match attempt(seat.engine, &mut *seat.prepared, self.task, budget, *judging, world) {
                    Ok(attempt) => {
                        seat.is_done = !attempt.may_go_on();
                        self.settled = attempt.is_final() && *choice != Engines::All;
                        let before = std::mem::replace(&mut seat.waiting, attempt.counted(WAITING));
                        self.attempts.retain(|earlier| earlier.engine != attempt.engine);
                        self.attempts.push(attempt);
                        let is_near_its_end =
                            before.zip(seat.waiting).is_some_and(|(before, now)| now < before);
                        if self.settled || seat.is_done || !is_near_its_end {
                            break;
                        }
                    }
                    Err(message) => {
                        seat.is_done = true;
                        self.broken.push((seat.engine, message));
                        break;
                    }
                }
            }
        }
        self.settled |= self.seats.iter().all(|seat| seat.is_done);
    }

    /// What came of it.
    pub(crate) fn settle(self) -> Settled {
        let Question { panel, task, attempts, refusals, broken, stopped, .. } = self;
        let dispute = dispute::among(task, &attempts);
        // If there is a dispute, the choice below does not matter. Otherwise the answers agree, and the first that decides is taken.
        // If none decides, the last is taken: it was allowed most work.
        let decided = attempts.iter().position(|attempt| attempt.verdict() != Verdict::Unknown);
        let chosen = match panel.choice {
            Engines::Auto => attempts.len().saturating_sub(1),
            Engines::All | Engines::Named(_) => 0,
        };
        let chosen = decided.unwrap_or(chosen);
        let mut settled = Settled {
            found: None,
            others: Vec::new(),
            until_one_decides: panel.choice == Engines::Auto,
            refusals,
            broken,
            stopped,
            dispute,
        };
        for (number, attempt) in attempts.into_iter().enumerate() {
            if number == chosen {
                let verdict = attempt.verdict();
                let Attempt { engine, result, statistics, notes, .. } = attempt;
                let (answer, checked) = match result {
                    Ok(certified) => {
                        let checked = certified.standing() == certify::Standing::Checked;
                        (Some(certified.into_answer()), checked)
                    }
                    Err(_) => (None, false),
                };
                settled.found = Some(Found { engine, verdict, answer, checked, statistics, notes });
            } else {
                let reason = attempt.reason().cloned();
                let verdict = attempt.verdict();
                let Attempt { engine, time, spent, .. } = attempt;
                settled.others.push(Other { engine, verdict, reason, time, spent });
            }
        }
        settled
    }
}

/// What came of a question.
pub(crate) struct Settled {
    /// The attempt that speaks for all; `None` if no engine was asked.
    pub(crate) found: Option<Found>,
    /// The other attempts.
    pub(crate) others: Vec<Other>,
    /// Whether engines were asked until one decided.
    pub(crate) until_one_decides: bool,
    /// The engines that did not take the task, and why.
    pub(crate) refusals: Vec<(EngineKind, Refusal)>,
    /// The engines that broke down, and what they said.
    pub(crate) broken: Vec<(EngineKind, String)>,
    /// The limit that kept an engine from its turn.
    pub(crate) stopped: Option<StopReason>,
    /// What should never be.
    pub(crate) dispute: Option<Dispute>,
}

/// The attempt that answers a question, or, if none does, the last.
pub(crate) struct Found {
    pub(crate) engine: EngineKind,
    pub(crate) verdict: Verdict,
    /// `None` if the judge refused it.
    pub(crate) answer: Option<Answer>,
    pub(crate) checked: bool,
    pub(crate) statistics: Vec<(&'static str, u64)>,
    pub(crate) notes: Vec<Note>,
}

/// An attempt beside the one that answers a question.
pub(crate) struct Other {
    pub(crate) engine: EngineKind,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<Reason>,
    pub(crate) time: Duration,
    pub(crate) spent: u64,
}

impl Settled {
    /// The certified answer, unless something should never be.
    pub(crate) fn into_answer(self) -> Option<Answer> {
        if self.dispute.is_some() { None } else { self.found?.answer }
    }
}
