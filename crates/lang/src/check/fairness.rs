//! Lowers fairness declarations to requirements, in disjunctive form.
//!
//! A word about a family is a requirement with a binder over its processes. A word about a label is one requirement for
//! each action taken there, for every process, partner and argument. `&` combines every alternative of one side with
//! every alternative of the other, so their number is limited. `for` over a conjunction adds a binder; over a
//! disjunction it becomes the conjunction of its instances.

use std::collections::BTreeMap;

use model::expr::{Party, Pattern};
use model::fairness::{Assumption, Word};
use model::system::Participant;
use model::{Binder, Expr, Fairness, FamilyId, Instance, Requirement, ground};

use super::events::roles;
use super::names::{Context, Scope};
use super::order::order;
use super::{Checker, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Event, Fair, FairKind, FairWord, ItemKind, Name, Span};

/// Limit on the alternatives of an assumption.
const ALTERNATIVES: usize = 64;

/// Limit on the requirements of an alternative.
const REQUIREMENTS: usize = 10_000;

/// The approximate number of nodes of a requirement.
pub(super) const REQUIREMENT: usize = 10;

/// A named assumption.
#[derive(Clone)]
pub(super) struct Assumed {
    span: Span,
    /// `None` if there is an error in it.
    fairness: Option<Fairness>,
    used: bool,
}

/// `wf(l)`, `sf(l)`, `uf(l)`
#[derive(Clone, Copy)]
pub(super) struct Annotation<'a> {
    pub(super) word: FairWord,
    pub(super) family: FamilyId,
    pub(super) label: &'a Name,
}

impl<'a> Checker<'a> {
    /// Lowers all fairness declarations.
    pub(super) fn fairness(&mut self) {
        let mut declared: Vec<(&'a Name, &'a Fair)> = Vec::new();
        let mut numbers: BTreeMap<&'a str, usize> = BTreeMap::new();
        let file = self.file;
        for item in &file.items {
            let ItemKind::Fairness { name: Some(name), fair } = &item.kind else { continue };
            if let Some(first) = self.assumed.get(name.text.as_str()) {
                self.name_taken(name, first.span);
            } else {
                self.assumed.insert(&name.text, Assumed { span: name.span, fairness: None, used: false });
                numbers.insert(&name.text, declared.len());
            }
            declared.push((name, fair));
        }
        let mentions: Vec<Vec<usize>> = declared
            .iter()
            .map(|(_, fair)| {
                let mut names = Vec::new();
                names_in(fair, &mut names);
                names.iter().filter_map(|name| numbers.get(name.text.as_str()).copied()).collect()
            })
            .collect();
        let (sorted, cycles) = order(&mentions);
        for cycle in cycles {
            let name = declared[cycle[0]].0;
            self.error(
                name.span,
                format!("fairness `{}` is defined in terms of itself", name.text),
                "needs its own meaning",
            );
        }
        for number in sorted {
            let (name, fair) = declared[number];
            let fairness = self.fair(&mut file_scope(), fair);
            if numbers.get(name.text.as_str()) == Some(&number)
                && let Some(assumed) = self.assumed.get_mut(name.text.as_str())
            {
                assumed.fairness = fairness;
            }
        }
        for item in &file.items {
            if let ItemKind::Fairness { name: None, fair } = &item.kind
                && let Some(fairness) = self.fair(&mut file_scope(), fair)
            {
                self.unnamed = self.unnamed.and(&fairness);
                self.few_enough(item.span, self.unnamed.alternatives.len());
            }
        }
        for Annotation { word, family, label } in self.annotations.clone() {
            let party = Party { family, process: None, label: Some(label.text.clone()) };
            let pattern = Pattern { participants: vec![party], arguments: None };
            let requirements = self.requirements(word_of(word), &pattern, label.span);
            self.annotated = self.annotated.and(&Fairness::all_of(requirements));
        }
    }

    /// Warns about named declarations that no property uses. Called when all properties have been lowered.
    pub(super) fn warn_of_unused_fairness(&mut self) {
        for (name, assumed) in self.assumed.clone() {
            if !assumed.used && assumed.fairness.is_some() && self.unparsed_words.is_empty() {
                let message = format!("fairness `{name}` is never used");
                let warning = Diagnostic::warning(assumed.span, message, "no property is under it");
                self.report(warning.help(format!(
                    "write `under {name}` at a property, or declare it without a name to apply it to all"
                )));
            }
        }
    }

    /// Lowers a fairness expression; `None` if there is an error in it.
    pub(super) fn fair(&mut self, scope: &mut Scope<'a>, fair: &'a Fair) -> Option<Fairness> {
        match &fair.kind {
            FairKind::Of(word, event) => self.fairness_of(scope, word_of(*word), event),
            FairKind::All(word) => {
                let size = REQUIREMENT * self.system.actions.len();
                self.copy(fair.span, size).then(|| Fairness::every_action(&self.system, word_of(*word)))
            }
            FairKind::Processes(word) => {
                let size = REQUIREMENT * self.system.families.len();
                self.copy(fair.span, size).then(|| Fairness::every_process(&self.system, word_of(*word)))
            }
            FairKind::Justice(p) => {
                let p = self.condition(scope, p);
                (!p.is_unknown()).then(|| Fairness::all_of(vec![Requirement::justice(p.expr, Vec::new())]))
            }
            FairKind::Compassion(p, q) => {
                let (p, q) = (self.condition(scope, p), self.condition(scope, q));
                if p.is_unknown() || q.is_unknown() {
                    return None;
                }
                Some(Fairness::all_of(vec![Requirement::compassion(p.expr, q.expr, Vec::new())]))
            }
            FairKind::For(binder, body) => self.for_each(scope, binder, body, fair.span),
            FairKind::Global => Some(Fairness::global()),
            FairKind::None => Some(Fairness::none()),
            FairKind::Named(name) => self.named_fairness(name),
            FairKind::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.fair(scope, part)).collect();
                let mut all = Fairness::none();
                for part in parts {
                    let part = part?;
                    if !self
                        .few_enough(fair.span, all.alternatives.len().saturating_mul(part.alternatives.len()))
                    {
                        return None;
                    }
                    all = all.and(&part);
                    if !self.short_enough(fair.span, &all) {
                        return None;
                    }
                }
                Some(all)
            }
            FairKind::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.fair(scope, part)).collect();
                let parts: Vec<Fairness> = parts.into_iter().collect::<Option<_>>()?;
                let alternatives: Vec<Assumption> =
                    parts.into_iter().flat_map(|part| part.alternatives).collect();
                self.few_enough(fair.span, alternatives.len()).then_some(Fairness { alternatives })
            }
        }
    }

    fn few_enough(&mut self, span: Span, alternatives: usize) -> bool {
        if alternatives > ALTERNATIVES {
            let message = format!("this assumption has more than {ALTERNATIVES} alternatives");
            self.error(span, message, "`|` under `&` or `for` multiplies");
        }
        alternatives <= ALTERNATIVES
    }

    fn short_enough(&mut self, span: Span, fairness: &Fairness) -> bool {
        let longest = fairness.alternatives.iter().map(|a| a.requirements.len()).max().unwrap_or(0);
        if longest > REQUIREMENTS {
            let message = format!("this assumption has more than {REQUIREMENTS} requirements");
            self.error(span, message, "too large");
        }
        longest <= REQUIREMENTS
    }

    fn named_fairness(&mut self, name: &'a Name) -> Option<Fairness> {
        let text = name.text.as_str();
        if let Some(assumed) = self.assumed.get_mut(text) {
            assumed.used = true;
            return assumed.fairness.clone();
        }
        if !self.unparsed_words.contains(text) {
            let diagnostic =
                Diagnostic::error(name.span, format!("there is no fairness `{text}`"), "not declared");
            let diagnostic = match self.names.get(text) {
                Some((_, super::names::Global::Family(_))) => {
                    diagnostic.help(format!("`weak {text}` is weak fairness of `{text}`"))
                }
                _ => self.suggest(diagnostic, text, self.assumed.keys().copied()),
            };
            self.report(diagnostic);
        }
        None
    }

    /// `for i in 1..N: …`
    fn for_each(
        &mut self,
        scope: &mut Scope<'a>,
        binder: &'a syntax::Binder,
        body: &'a Fair,
        span: Span,
    ) -> Option<Fairness> {
        let iterations = self.iterations;
        let bound = self.binder(scope, binder);
        let around = self.for_each.len();
        self.for_each.extend(bound.as_ref().map(|(bound, _)| bound.clone()));
        let inner = self.fair(scope, body);
        self.for_each.truncate(around);
        self.iterations = iterations;
        scope.bound.pop();
        let ((bound, ranged), mut inner) = (bound?, inner?);
        if let [assumption] = inner.alternatives.as_mut_slice() {
            for requirement in &mut assumption.requirements {
                requirement.binders.insert(0, bound.clone());
            }
            return Some(inner);
        }
        let Some((lo, hi)) = ranged.known() else {
            let message = "`for` over alternatives needs a range that is known";
            self.error(super::bounds::span_of(&binder.range), message, "depends on a parameter or an index");
            return None;
        };
        let mut all = Fairness::none();
        for value in lo..=hi {
            let instance = replace(&inner, &bound, &Expr::Int(value));
            if !self.few_enough(span, all.alternatives.len().saturating_mul(instance.alternatives.len())) {
                return None;
            }
            all = all.and(&instance);
        }
        Some(all)
    }

    /// `weak P[1].try`
    fn fairness_of(&mut self, scope: &Scope<'a>, word: Word, event: &'a Event) -> Option<Fairness> {
        let mut scope = scope.within(Context::rigid("the process of a fairness word"));
        let pattern = self.pattern(&mut scope, event)?;
        Some(Fairness::all_of(self.requirements(word, &pattern, event.span)))
    }

    /// The requirements that a word about an event, written at `span`, stands for.
    fn requirements(&mut self, word: Word, pattern: &Pattern, span: Span) -> Vec<Requirement> {
        let requirements = self.requirements_of(word, pattern);
        if word == Word::Unconditional {
            let with_outer = |requirement: &Requirement| {
                let binders = self.for_each.iter().chain(&requirement.binders).cloned().collect();
                Requirement { binders, ..requirement.clone() }
            };
            self.unconditional.push((span, requirements.iter().map(with_outer).collect()));
        }
        requirements
    }

    /// Reports every `unconditional` whose event matches no action, because it would require nothing. Weak and strong
    /// fairness of such an event require nothing anyway.
    pub(super) fn every_event_matches(&mut self, instance: &Instance) {
        for (span, requirements) in std::mem::take(&mut self.unconditional) {
            let assumption = Assumption { requirements, global: false };
            if ground::requirements(instance, &assumption).is_empty() {
                let message = "no action matches this event, so it cannot be taken infinitely often";
                self.report(Diagnostic::error(span, message, "matches no action").help(
                    "an action that no process can take, or a rendezvous without a partner, does not exist",
                ));
            }
        }
    }

    fn requirements_of(&mut self, word: Word, pattern: &Pattern) -> Vec<Requirement> {
        if pattern.participants.iter().all(|party| party.label.is_none()) {
            return vec![self.of_processes(word, pattern)];
        }
        let mut requirements = Vec::new();
        for number in 0..self.system.actions.len() {
            let participants = &self.system.actions[number].participants;
            for roles in roles(&pattern.participants, participants) {
                let requirement = self.of_action(word, pattern, number, &roles);
                // An action of several processes of a family has several roles for one.
                if requirements.last() != Some(&requirement) {
                    requirements.push(requirement);
                }
            }
        }
        if requirements.is_empty() {
            // A rendezvous without a partner: never enabled, never taken.
            requirements.push(Requirement::of(word, pattern.clone(), Vec::new()));
        }
        requirements
    }

    /// A word about processes: it refers to all their actions together.
    fn of_processes(&mut self, word: Word, pattern: &Pattern) -> Requirement {
        let mut pattern = pattern.clone();
        let mut binders = Vec::new();
        for party in &mut pattern.participants {
            let own = self.system.family(party.family).index.clone();
            if let (None, Some(own)) = (&party.process, own) {
                let is_taken = binders.iter().any(|binder: &Binder| binder.index == own.index);
                let index = if is_taken {
                    let name = self.system.indices[own.index.0 as usize].clone();
                    self.fresh(&name.name, name.scalar)
                } else {
                    own.index
                };
                party.process = Some(Box::new(Expr::Index(index)));
                binders.push(Binder { index, span: own.span });
            }
        }
        Requirement::of(word, pattern, binders)
    }

    /// A word about an action. `roles[k]` says which participant the `k`-th party is.
    fn of_action(&self, word: Word, pattern: &Pattern, number: usize, roles: &[usize]) -> Requirement {
        let action = &self.system.actions[number];
        let mut parameters = action.parameters.clone();
        let mut binders = Vec::new();
        let mut participants = Vec::new();
        for (at, participant) in action.participants.iter().enumerate() {
            let Participant { family, index, label, .. } = participant;
            let given = roles
                .iter()
                .position(|role| *role == at)
                .and_then(|party| pattern.participants[party].process.clone());
            if let (Some(index), Some(process)) = (index, &given) {
                // The ranges of parameters may depend on the process.
                for parameter in &mut parameters {
                    *parameter = fold::replace_in_binder(parameter, *index, process);
                }
            }
            if let (Some(index), None, Some(own)) = (index, &given, &self.system.family(*family).index) {
                binders.push(Binder { index: *index, span: own.span.clone() });
            }
            let process = given.or(participant.process().map(Box::new));
            participants.push(Party { family: *family, process, label: Some(label.clone()) });
        }
        let arguments = pattern.arguments.clone().unwrap_or_else(|| {
            let values = parameters.iter().map(|parameter| Expr::Index(parameter.index)).collect();
            binders.append(&mut parameters);
            values
        });
        Requirement::of(word, Pattern { participants, arguments: Some(arguments) }, binders)
    }
}

/// An assumption with `value` in place of the bound index.
pub(super) fn replace(fairness: &Fairness, binder: &Binder, value: &Expr) -> Fairness {
    let assumption = |assumption: &Assumption| Assumption {
        requirements: assumption
            .requirements
            .iter()
            .map(|requirement| fold::replace_in_requirement(requirement, binder.index, value))
            .collect(),
        global: assumption.global,
    };
    Fairness { alternatives: fairness.alternatives.iter().map(assumption).collect() }
}

fn file_scope<'a>() -> Scope<'a> {
    Scope::file(Context::of_steps("a fairness requirement"))
}

fn word_of(word: FairWord) -> Word {
    match word {
        FairWord::Weak => Word::Weak,
        FairWord::Strong => Word::Strong,
        FairWord::Unconditional => Word::Unconditional,
    }
}

/// The names of other declarations in a fairness expression.
fn names_in<'f>(fair: &'f Fair, names: &mut Vec<&'f Name>) {
    match &fair.kind {
        FairKind::Named(name) => names.push(name),
        FairKind::And(parts) | FairKind::Or(parts) => parts.iter().for_each(|part| names_in(part, names)),
        FairKind::For(_, body) => names_in(body, names),
        _ => {}
    }
}
