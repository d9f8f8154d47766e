//! Whether an assumption is enough only because nothing else can move meanwhile.
//!
//! Where a process that is enabled is the only one, it acts without any fairness: there is nothing else to do. Such an
//! assumption is brittle: beside one more process, or if the model says `stuttering`, it is not enough. So the question is
//! asked again of the system with a process that may always stutter.

use model::{Answer, Expr, Fairness, Subject, Task};

use super::Advisor;
use super::asker::Asker;
use crate::ask::Panel;
use crate::ask::plan::ADVISING;
use crate::empty;
use crate::world::World;

impl Advisor<'_> {
    /// The same system with a process that may always stutter. `None` if states are unbounded, or if the claim speaks of
    /// deadlocks, which there would be none of.
    pub(super) fn stuttering(&self, asker: &Asker<'_>) -> Option<Stuttering> {
        let speaks_of_it = |atom: &Expr| {
            atom.any(&mut |part| matches!(part, Expr::Enabled(pattern) if pattern.participants.is_empty()))
        };
        if asker.task().property.kind.atoms().into_iter().any(speaks_of_it) {
            return None;
        }
        let subject = &asker.task().subject;
        let subject = subject.is_bounded().then(|| empty::stuttering(subject))??;
        Some(Stuttering { panel: Panel::aside(&subject, self.world), subject })
    }
}

/// A system with a process that may always stutter, and engines for it.
pub(super) struct Stuttering {
    panel: Panel,
    subject: Subject,
}

impl Stuttering {
    /// Whether the property of an asker is known to fail under this fairness if a process may always stutter.
    pub(super) fn refutes(&self, asker: &Asker<'_>, fairness: &Fairness, world: &World<'_>) -> bool {
        let task = Task { subject: self.subject.clone(), fairness: fairness.clone(), ..asker.task().clone() };
        matches!(self.panel.ask(&task, ADVISING, world).into_answer(), Some(Answer::Fails(_)))
    }
}
