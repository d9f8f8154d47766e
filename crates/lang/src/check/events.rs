//! Events: which actions `taken`, `enabled` and the fairness words refer to.
//!
//! An event names processes, perhaps with labels and with the arguments of an action. Everything it names must exist:
//! the family, the process as far as its index is known, the label as that of a step, the number of arguments and, as
//! far as they are known, their values.

use model::expr::{Party, Pattern};
use model::system::Participant;
use model::{Expr, FamilyId};

use super::definitions::count;
use super::expressions::Typed;
use super::names::{Context, Global, Scope};
use super::{Checker, Dimension, Kind, stuttering};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Event, Name, Span};

impl<'a> Checker<'a> {
    /// `taken(a)`
    pub(super) fn taken(&mut self, scope: &mut Scope<'a>, event: &'a Event, span: Span) -> Typed {
        let Context { what, taken, enabled, .. } = scope.context;
        if !taken {
            let message = format!("`taken` is about a step, but {what} is about a state");
            let diagnostic = Diagnostic::error(span, message, "not known in a state");
            let help = if enabled {
                "`enabled(…)` is a fact about a state"
            } else {
                "events are allowed in LTL properties and in fairness"
            };
            self.report(diagnostic.help(help));
            return Typed::unknown();
        }
        self.of_event(scope, event, Expr::Taken)
    }

    /// `enabled(a)`
    pub(super) fn enabled(&mut self, scope: &mut Scope<'a>, event: &'a Event, span: Span) -> Typed {
        if !self.may_ask_enabled(scope, "enabled", span) {
            return Typed::unknown();
        }
        self.of_event(scope, event, Expr::Enabled)
    }

    fn of_event(&mut self, scope: &mut Scope<'a>, event: &'a Event, say: fn(Pattern) -> Expr) -> Typed {
        if let Some(number) = self.joint_event(event) {
            let sites = self.sites_of(number, event.span);
            return sites.map_or_else(Typed::unknown, |sites| {
                Typed::truth(Expr::or(sites.into_iter().map(pattern_of).map(say)))
            });
        }
        self.pattern(scope, event).map_or_else(Typed::unknown, |pattern| Typed::truth(say(pattern)))
    }

    /// `deadlock`
    pub(super) fn deadlock(&mut self, scope: &Scope<'a>, span: Span) -> Typed {
        if !self.may_ask_enabled(scope, "deadlock", span) {
            return Typed::unknown();
        }
        if !self.stutters {
            return Typed::truth(Expr::negated(Expr::Enabled(Pattern::default())));
        }
        // Nothing but the step that stutters.
        let own = (0..self.system.families.len() as u32 - 1).map(|number| {
            let party = Party { family: FamilyId(number), process: None, label: None };
            Expr::Enabled(Pattern { participants: vec![party], arguments: None })
        });
        Typed::truth(Expr::negated(Expr::or(own)))
    }

    /// Whether `enabled` is allowed here. What is enabled depends on the guards, so guards may not use it.
    fn may_ask_enabled(&mut self, scope: &Scope<'a>, word: &str, span: Span) -> bool {
        let Context { what, enabled, .. } = scope.context;
        if !enabled {
            let message = format!("`{word}` observes the system, and {what} is part of it");
            let diagnostic = Diagnostic::error(span, message, "depends on the guards of actions");
            self.report(diagnostic.help("events are allowed in properties and in fairness"));
        }
        enabled
    }

    /// The actions an event means.
    pub(super) fn pattern(&mut self, scope: &mut Scope<'a>, event: &'a Event) -> Option<Pattern> {
        if let Some(number) = self.joint_event(event) {
            let mut sites = self.sites_of(number, event.span)?;
            if sites.len() > 1 {
                let message = "every process has several places at which it takes this event";
                let diagnostic = Diagnostic::error(event.span, message, "which one is meant?");
                self.report(diagnostic.help("name a process and a label: `P.l`"));
                return None;
            }
            return sites.pop().map(pattern_of);
        }
        let parties: Vec<Option<Party>> =
            event.parties.iter().map(|party| self.party(scope, party)).collect();
        let arguments = event.arguments.as_ref().map(|arguments| {
            arguments.iter().map(|argument| self.expression(scope, argument)).collect::<Vec<Typed>>()
        });
        let participants: Vec<Party> = parties.into_iter().collect::<Option<_>>()?;
        let arguments = match (arguments, &event.arguments) {
            (Some(values), Some(sources)) => Some(self.arguments(event, &participants, &values, sources)?),
            _ => None,
        };
        // After an error elsewhere, an action that the event means may be missing.
        if participants.len() > 1
            && !self.has_errors()
            && !self
                .system
                .actions
                .iter()
                .any(|action| !roles(&participants, &action.participants).is_empty())
        {
            let label = "no action involves all of these";
            self.error(event.span, "these processes never act together", label);
            return None;
        }
        Some(Pattern { participants, arguments })
    }

    /// `P[1].try`
    fn party(&mut self, scope: &mut Scope<'a>, party: &'a syntax::Party) -> Option<Party> {
        if let Some(&(_, Global::Channel(number))) = self.names.get(party.process.text.as_str()) {
            return self.channel_party(scope, party, number);
        }
        if self.stutters && party.process.text == stuttering::NAME {
            return self.stuttering_party(party);
        }
        let family = self.family_named(&party.process);
        let kinds: Vec<Kind> = family.map(|family| self.index_kinds(family)).unwrap_or_default();
        let kinds = kinds.into_iter().chain(std::iter::repeat(Kind::Int));
        let indices = party.indices.iter().zip(kinds);
        let indices: Vec<(Typed, Span)> =
            indices.map(|(index, kind)| (self.of_kind(scope, index, kind), index.span)).collect();
        let family = family?;
        let process = match &indices[..] {
            [] => None,
            given => Some(Box::new(self.process_at(family, &party.process.text, given)?)),
        };
        let label = match &party.label {
            None => None,
            Some(label) => Some(self.step_label(family, label)?),
        };
        Some(Party { family, process, label })
    }

    fn family_named(&mut self, name: &'a Name) -> Option<FamilyId> {
        let text = name.text.as_str();
        match self.names.get(text) {
            Some(&(_, Global::Family(family))) => return Some(family),
            _ if self.unparsed_words.contains(text) => return None,
            _ => {}
        }
        let diagnostic =
            Diagnostic::error(name.span, format!("there is no process `{text}`"), "not a process");
        let families = self.system.families.iter().map(|family| family.name.as_str());
        let events = self.joint.iter().map(super::joint::Joint::name);
        let mut diagnostic = self.suggest(diagnostic, text, families.chain(events));
        if text == stuttering::NAME {
            diagnostic = diagnostic.help(format!("`{text};` adds this step to the model"));
        }
        if let Some(&(first, _)) = self.names.get(text) {
            diagnostic = diagnostic.related(first, "declared here");
        }
        self.report(diagnostic);
        None
    }

    /// A label at which a process of the family takes a step.
    fn step_label(&mut self, family: FamilyId, label: &'a Name) -> Option<String> {
        let text = label.text.as_str();
        let known = self.family(family);
        let owner = &known.source.name.text;
        let diagnostic = match known.labels.get(text) {
            Some(found) if found.arity.is_some() => return Some(text.to_owned()),
            Some(found) => {
                let message = format!("`{text}` of `{owner}` takes no step");
                let diagnostic = Diagnostic::error(label.span, message, "names a place, not an action");
                diagnostic.related(found.span, "declared here")
            }
            None if self.unparsed_words.contains(text) => return None,
            None => {
                let message = format!("`{owner}` has no action `{text}`");
                let labels = known.labels.iter().filter(|(_, label)| label.arity.is_some());
                self.suggest(
                    Diagnostic::error(label.span, message, "not an action"),
                    text,
                    labels.map(|(name, _)| name.as_str()),
                )
            }
        };
        self.report(diagnostic);
        None
    }

    /// The arguments of an action, if it takes that many.
    fn arguments(
        &mut self,
        event: &'a Event,
        participants: &[Party],
        values: &[Typed],
        sources: &'a [syntax::Expr],
    ) -> Option<Vec<Expr>> {
        let span = sources.first().map_or(event.span, |first| first.span.to(sources[sources.len() - 1].span));
        let labelled = participants.iter().find_map(|party| Some((party.family, party.label.as_ref()?)));
        let labelled = labelled.filter(|(family, _)| (family.0 as usize) < self.families.len());
        let Some((family, label)) = labelled else {
            self.error(span, "arguments belong to an action", "no label is named");
            return None;
        };
        let arity = self.family(family).labels.get(label).and_then(|label| label.arity).unwrap_or(0);
        if arity != values.len() {
            let name = format!("{}.{label}", self.family(family).source.name.text);
            let message = format!("action `{name}` takes {}, not {}", count(arity, "argument"), values.len());
            self.error(span, message, "wrong number of arguments");
            return None;
        }
        let ranges =
            self.family(family).labels.get(label).map(|label| label.ranges.clone()).unwrap_or_default();
        let mut values = values.to_vec();
        for ((value, source), Dimension { values: range, kind }) in values.iter_mut().zip(sources).zip(ranges)
        {
            *value = self.expect_kind(value.clone(), source.span, kind);
            if !value.is_unknown() && value.range.is_disjoint(range) {
                let message = format!("action `{label}` has no such argument");
                let bounds = format!("it goes from {} to {}", range.lo, range.hi);
                self.always_wrong(Diagnostic::error(source.span, message, bounds));
            }
        }
        if values.iter().any(|value| value.kind == Kind::Unknown) {
            return None;
        }
        Some(values.iter().map(|value| value.expr.clone()).collect())
    }
}

/// The actions in which one process takes part.
fn pattern_of(party: Party) -> Pattern {
    Pattern { participants: vec![party], arguments: None }
}

/// The ways in which parties can be different participants of an action.
pub(super) fn roles(parties: &[Party], participants: &[Participant]) -> Vec<Vec<usize>> {
    let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
    for party in parties {
        let other = |participant: &Participant| match (party.process.as_deref(), participant.only) {
            (Some(Expr::Int(named)), Some(only)) => *named != only,
            _ => false,
        };
        let fits = |participant: &Participant| {
            participant.family == party.family
                && !other(participant)
                && party.label.as_ref().is_none_or(|label| *label == participant.label)
        };
        ways = ways
            .iter()
            .flat_map(|way| {
                let free = (0..participants.len()).filter(|at| !way.contains(at) && fits(&participants[*at]));
                free.map(|at| way.iter().copied().chain([at]).collect()).collect::<Vec<Vec<usize>>>()
            })
            .collect();
    }
    ways
}
