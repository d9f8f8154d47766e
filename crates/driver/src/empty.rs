//! Finds out whether an answer *holds* is empty: there is no initial state, or no run is fair.
//!
//! Then every claim about all runs is true and says nothing, and a report must not look as if all were well. To find
//! out whether any run is fair we ask, within budgets, whether `false` holds: it does exactly if no run is fair. Before
//! that, a fair run is guessed ([`crate::round_robin`]). Nothing is asked where the answer is known: weak, strong and strong
//! global fairness can always be met (they are *feasible* [AFK88]), and without `init` predicates there is an initial state.
//! Most engines note if there is none.
//!
//! If no run is fair, the report says which requirements are to blame. Each requirement is
//! left out in turn, and put back if the rest can be met without it. So what remains cannot be met, and without any one of
//! its requirements it can. If a question stays open or there are too many, the set may be larger than needed, and the
//! report says so. At last two changes are tried that often help: `weak` in place of `unconditional`, and a process that may
//! always skip.

use std::sync::Arc;

use model::fairness::Word;
use model::property::Kind;
use model::system::{Action, Participant};
use model::{
    Answer, Assumption, Expr, Fairness, Family, FamilyId, Formula, Name, Note as Fact, Property, Requirement,
    StopReason, Subject, Task, Update,
};

use crate::ask::Panel;
use crate::ask::plan::EngineKind;
use crate::report::note::{Conflict, NoFairRun, Note, Relief};
use crate::report::{Outcome, Verdict, plain};
use crate::round_robin::finds_a_fair_run;
use crate::world::World;

/// In how many rounds a question is asked.
const ROUNDS: u32 = 7;

/// The greatest number of questions about one fairness.
const QUESTIONS: usize = 60;

/// What is known of the runs of one model.
#[derive(Default)]
pub(crate) struct Emptiness {
    known: Vec<(Fairness, Runs)>,
}

/// What is known of the runs that a fairness allows.
#[derive(Clone)]
enum Runs {
    Some,
    None(Box<Note>),
    Unknown,
}

impl Emptiness {
    /// Adds to an outcome *holds* that it is empty, if it is, and why.
    pub(crate) fn add(&mut self, panel: &Panel, task: &Task, outcome: &mut Outcome, world: &World<'_>) {
        let is_known = outcome.notes.contains(&Note::Fact(Fact::NoInitialState));
        if outcome.verdict != Verdict::Holds || is_known {
            return;
        }
        let fairness = match task.property.kind {
            Kind::Invariant(_) => Fairness::none(),
            _ => task.fairness.clone(),
        };
        let doubtful = !fairness.alternatives.iter().any(Assumption::can_be_met);
        let notes_initial = [EngineKind::Explicit, EngineKind::Symbolic, EngineKind::Counter];
        let begins = task.system().init.is_empty()
            || outcome.engine.is_some_and(|engine| notes_initial.contains(&engine));
        if !doubtful && begins {
            return;
        }
        let runs = if let Some((_, runs)) = self.known.iter().find(|(known, _)| *known == fairness) {
            runs.clone()
        } else {
            let start = (world.clock)();
            let is_over = |most| (world.clock)().saturating_sub(start) >= most;
            let stop = || {
                (world.stop)()
                    .or_else(|| world.property_time.is_some_and(is_over).then_some(StopReason::Time))
            };
            let world = &World { stop: &stop, ..*world };
            let runs = Search { panel, world, subject: &task.subject, left: QUESTIONS }.runs(&fairness);
            self.known.push((fairness, runs.clone()));
            runs
        };
        match runs {
            Runs::Some => {}
            Runs::None(note) => {
                outcome.notes.retain(|note| !note.is_about_realisability());
                outcome.notes.push(*note);
            }
            Runs::Unknown if doubtful && !outcome.notes.iter().any(Note::is_about_realisability) => {
                outcome.notes.push(Note::Fact(Fact::RealisabilityUnknown { limit: true }));
            }
            Runs::Unknown => {}
        }
    }
}

/// The questions about one fairness.
struct Search<'a> {
    panel: &'a Panel,
    world: &'a World<'a>,
    subject: &'a Subject,
    /// How many questions may still be asked.
    left: usize,
}

impl Search<'_> {
    fn runs(&mut self, fairness: &Fairness) -> Runs {
        if self.subject.instance().is_some_and(|instance| finds_a_fair_run(instance, fairness)) {
            return Runs::Some;
        }
        match self.is_empty(fairness) {
            Some(false) => return Runs::Some,
            None => return Runs::Unknown,
            Some(true) => {}
        }
        if fairness.is_none() || self.is_empty(&Fairness::none()) == Some(true) {
            return Runs::None(Box::new(Note::Fact(Fact::NoInitialState)));
        }
        let found = fairness.alternatives.iter().map(|alternative| self.conflict(alternative));
        let (conflicts, found): (Vec<Assumption>, Vec<Conflict>) = found.unzip();
        let reliefs = [Relief::Weak, Relief::Stuttering];
        let reliefs = reliefs.into_iter().filter(|relief| self.helps(*relief, &conflicts)).collect();
        Runs::None(Box::new(Note::NoFairRun(NoFairRun { conflicts: found, reliefs })))
    }

    /// Whether no run is fair. `None` if it is not known.
    fn is_empty(&mut self, fairness: &Fairness) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let task = Task { subject: self.subject.clone(), fairness: fairness.clone(), property: never() };
        decided(self.panel, &task, self.world)
    }

    /// Requirements of an assumption that cannot be met together.
    fn conflict(&mut self, assumption: &Assumption) -> (Assumption, Conflict) {
        let mut minimal = true;
        let mut kept = assumption.clone();
        let mut try_without = |search: &mut Self, kept: &mut Assumption, less: Assumption| match search
            .is_empty(&Fairness { alternatives: vec![less.clone()] })
        {
            Some(true) => *kept = less,
            Some(false) => {}
            None => minimal = false,
        };
        // Those that can always be met are seldom to blame.
        let mut few = Assumption { requirements: kept.requirements.clone(), global: false };
        few.requirements.retain(|one| !one.can_be_met());
        if few != kept {
            try_without(self, &mut kept, few);
        }
        if kept.global {
            let less = Assumption { global: false, ..kept.clone() };
            try_without(self, &mut kept, less);
        }
        let mut place = 0;
        while place < kept.requirements.len() && kept.requirements.len() + usize::from(kept.global) > 1 {
            let mut less = kept.clone();
            less.requirements.remove(place);
            let before = kept.requirements.len();
            try_without(self, &mut kept, less);
            place += usize::from(kept.requirements.len() == before);
        }
        let system = self.subject.system();
        let requirements = kept.requirements.iter().map(|one| plain::requirement(system, one));
        let requirements = requirements.chain(kept.global.then(|| "global".to_owned())).collect();
        (kept, Conflict { requirements, minimal })
    }

    /// Whether some run is fair after a change.
    fn helps(&mut self, relief: Relief, conflicts: &[Assumption]) -> bool {
        match relief {
            Relief::Weak => {
                let weaker = |one: &Requirement| match &one.of {
                    Some(of) if one.word == Word::Unconditional => {
                        Requirement::of(Word::Weak, of.clone(), one.binders.clone())
                    }
                    _ => one.clone(),
                };
                let weaker = |assumption: &Assumption| Assumption {
                    requirements: assumption.requirements.iter().map(weaker).collect(),
                    global: assumption.global,
                };
                let changed: Vec<Assumption> = conflicts.iter().map(weaker).collect();
                changed != conflicts && self.is_empty(&Fairness { alternatives: changed }) == Some(false)
            }
            Relief::Stuttering => {
                let fairness = Fairness { alternatives: conflicts.to_vec() };
                let Some(subject) = stuttering(self.subject) else { return false };
                let task = Task { subject, fairness, property: never() };
                let panel = Panel::aside(&task.subject, self.world);
                decided(&panel, &task, self.world) == Some(false)
            }
        }
    }
}

/// The claim that every fair run violates.
fn never() -> Property {
    let kind = Kind::Ltl(Formula::Atom(Expr::Bool(false)));
    Property { name: Name::default(), binders: Vec::new(), kind }
}

/// Whether no run is fair by the fairness of a task with the claim [`never`].
fn decided(panel: &Panel, task: &Task, world: &World<'_>) -> Option<bool> {
    match panel.ask_aside(task, ROUNDS, world).into_answer() {
        Some(Answer::Holds(_)) => Some(true),
        Some(Answer::Fails(_)) => Some(false),
        Some(Answer::Unknown(_)) | None => None,
    }
}

/// The subject of a task with a process more, which may always skip: it shows what holds only because nothing else can move.
/// `None` if that is clear: the property speaks of deadlocks, of which there would be none, or it asks for runs to exist, or
/// the model stutters already.
pub(crate) fn beside(task: &Task) -> Option<Subject> {
    let is_deadlock = |part: &Expr| matches!(part, Expr::Enabled(pattern) if pattern.participants.is_empty());
    let kind = &task.property.kind;
    let asks_for_runs = match kind {
        Kind::Invariant(_) => true,
        Kind::Ctl(formula) => formula.of_all_runs().is_none(),
        _ => false,
    };
    let stutters = |action: &Action| action.guard == Expr::Bool(true) && action.update == Update::Skip;
    let is_clear = asks_for_runs
        || kind.atoms().into_iter().any(|atom| atom.any(&mut |part| is_deadlock(part)))
        || task.system().actions.iter().any(stutters);
    if is_clear { None } else { stuttering(&task.subject) }
}

/// The same subject with a process more, which may always skip.
fn stuttering(subject: &Subject) -> Option<Subject> {
    let mut system = (**subject.system()).clone();
    let family = FamilyId(system.families.len() as u32);
    system.families.push(Family { name: "Stutter".to_owned(), index: None, location: None });
    system.actions.push(Action {
        participants: vec![Participant { family, index: None, only: None, label: "stutter".to_owned() }],
        parameters: Vec::new(),
        guard: Expr::Bool(true),
        update: Update::Skip,
    });
    Subject::new(Arc::new(system)).ok()
}
