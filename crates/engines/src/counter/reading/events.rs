//! Checks the patterns of `taken` and `enabled`.
//!
//! A pattern names processes by indices that stand for processes of the right family: those that act or that the
//! property names, and those that are quantified. A number, or an index that stands for something else, would select
//! the process with that number, which a context does not know. The same is true of arguments whose values are
//! processes. Whether an action is enabled is a statement about its guard, in which all processes that the pattern
//! does not name are quantified.

use model::expr::{Party, Pattern};
use model::system::Action;
use model::{Expr, Refusal};

use super::{Range, Reader, Role};
use crate::counter::class::refuse;

impl Reader<'_> {
    /// The rank of `taken`: the acting processes are known.
    pub(super) fn taken(&mut self, pattern: &Pattern) -> Result<usize, Refusal> {
        for party in &pattern.participants {
            self.party(party)?;
        }
        let system = self.system;
        let mut rank = 0;
        for action in system.actions.iter().filter(|action| fits(pattern, action)) {
            rank = rank.max(self.arguments(pattern, action)?);
        }
        Ok(rank)
    }

    /// The rank of `enabled`: a guard is true for some processes.
    pub(super) fn enabled(&mut self, pattern: &Pattern) -> Result<usize, Refusal> {
        let system = self.system;
        let mut most = 0;
        for action in system.actions.iter().filter(|action| fits(pattern, action)) {
            let arguments = self.arguments(pattern, action)?;
            let mut named: Vec<&Party> = pattern.participants.iter().collect();
            let mut more = 0;
            for participant in &action.participants {
                let family = self.counted.iter().position(|c| c.family == participant.family);
                let meant = |party: &&Party| party.family == participant.family;
                let role = match named.iter().position(meant).map(|at| named.remove(at)) {
                    Some(party) => self.party(party)?,
                    None => None,
                };
                let role = match (role, family) {
                    (Some(role), _) => role,
                    (None, None) => Role::Finite,
                    (None, Some(family)) => {
                        more += 1;
                        Role::Bound(family)
                    }
                };
                if let Some(index) = participant.index {
                    self.bind(index, role);
                }
            }
            for binder in &action.parameters {
                match self.range(&binder.span, binder.index, &[&action.guard])? {
                    Range::Finite => self.bind(binder.index, Role::Finite),
                    Range::Whole(family) => {
                        more += 1;
                        self.bind(binder.index, Role::Bound(family));
                    }
                    Range::Part(..) => return self.odd_range(&binder.span),
                }
            }
            most = most.max(more + self.rank(&action.guard)?.max(arguments));
        }
        Ok(most)
    }

    /// The role of a process in a pattern; `None` if it may be any process.
    fn party(&self, party: &Party) -> Result<Option<Role>, Refusal> {
        let Some(process) = party.process.as_deref() else { return Ok(None) };
        let counted = self.counted.iter().position(|counted| counted.family == party.family);
        let role = match (process, counted) {
            (Expr::Index(index), Some(family)) if self.is_process(process, family) => self.role(*index),
            (Expr::Index(index), None) => self.role(*index).filter(|role| *role == Role::Finite),
            (Expr::Int(_), None) => Some(Role::Finite),
            _ => None,
        };
        if role.is_some() { Ok(role) } else { self.particular() }
    }

    /// Checks the arguments in a pattern; returns their rank.
    fn arguments(&mut self, pattern: &Pattern, action: &Action) -> Result<usize, Refusal> {
        let mut rank = 0;
        for (argument, binder) in pattern.arguments.iter().flatten().zip(&action.parameters) {
            match self.range(&binder.span, binder.index, &[&action.guard])? {
                Range::Finite => rank = rank.max(self.rank(argument)?),
                Range::Whole(family) if self.is_process(argument, family) => {}
                Range::Whole(_) => return self.particular(),
                Range::Part(..) => return self.odd_range(&binder.span),
            }
        }
        Ok(rank)
    }

    fn particular<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{} speaks of a particular process", self.site),
            "speak of a quantified process of that family, or of any",
        )
    }
}

/// Whether an action may match a pattern, for some participants.
fn fits(pattern: &Pattern, action: &Action) -> bool {
    pattern.participants.iter().all(|party| {
        action.participants.iter().any(|participant| {
            participant.family == party.family
                && party.label.as_ref().is_none_or(|label| *label == participant.label)
        })
    })
}
