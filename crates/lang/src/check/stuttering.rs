//! `stuttering;`: a step that changes nothing is always possible.
//!
//! It becomes a process of its own with one action, always enabled and without effect, that belongs to the
//! environment: fairness of everything leaves it out, and strong global fairness includes it, as any step. There is no
//! deadlock step then, so `deadlock` asks whether a process of the model can act.

use model::expr::Party;
use model::system::{Marked, Participant};
use model::{Action, Expr, Family, FamilyId, Update};

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ItemKind};

/// The name of the process and of its action.
pub(super) const NAME: &str = "stuttering";
const STEP: &str = "stay";

impl Checker<'_> {
    /// Adds the step, if the file asks for it.
    pub(super) fn stuttering(&mut self) {
        let file = self.file;
        let mut asked = file.items.iter().filter(|item| item.kind == ItemKind::Stuttering);
        let Some(first) = asked.next() else { return };
        if let Some(again) = asked.next() {
            let diagnostic = Diagnostic::error(again.span, "`stuttering` is said once", "again here");
            self.report(diagnostic.related(first.span, "first here"));
        }
        if let Some(&(taken, _)) = self.names.get(NAME) {
            let message = "the step of `stuttering` needs the name for itself";
            self.report(
                Diagnostic::error(taken, message, "choose another name")
                    .related(first.span, "asked for here"),
            );
        }
        self.stutters = true;
        let family = FamilyId(self.system.families.len() as u32);
        self.system.families.push(Family { name: NAME.to_owned(), index: None, location: None });
        self.system.environment.push(Marked { family, label: None });
        self.system.actions.push(Action {
            participants: vec![Participant { family, index: None, only: None, label: STEP.to_owned() }],
            parameters: Vec::new(),
            guard: Expr::Bool(true),
            update: Update::Skip,
        });
    }

    /// `stuttering.stay` or `stuttering` in an event, where the file asks for the step.
    pub(super) fn stuttering_party(&mut self, party: &syntax::Party) -> Option<Party> {
        if let Some(index) = party.indices.first() {
            self.error(index.span, format!("`{NAME}` has no index"), "one too many");
            return None;
        }
        if let Some(label) = party.label.as_ref().filter(|label| label.text != STEP) {
            let diagnostic = Diagnostic::error(
                label.span,
                format!("`{NAME}` has no action `{}`", label.text),
                "not an action",
            );
            self.report(diagnostic.help(format!("its only action is `{STEP}`")));
            return None;
        }
        // Invariant: the family was added last.
        let family = FamilyId(self.system.families.len() as u32 - 1);
        Some(Party { family, process: None, label: party.label.as_ref().map(|label| label.text.clone()) })
    }
}
