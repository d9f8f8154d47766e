//! Lowers invariants and properties to the checks of the file; families are expanded into their members.
//!
//! The body of a family is lowered once, over its index; a member is the body with a number substituted. In a
//! parameterised system the members cannot be listed, so the index stays a binder of the property. A property is
//! checked under the fairness it names, or else under all declarations without a name, and always under the annotations
//! of actions. An invariant is about all reachable states, so fairness does not matter to it.

use std::collections::BTreeMap;

use model::property::Kind;
use model::{Binder, Expr, Fairness, Index, Never, Property, Subject, Task};

use super::bounds::{Ranged, span_of};
use super::expressions::Typed;
use super::fairness::{REQUIREMENT, replace};
use super::names::{Context, Scope};
use super::temporal::{CTL, LTL, Temporal};
use super::written::Written;
use super::{Checker, fold};
use crate::Check;
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Expect, Fair, ItemKind, Members, Name, Proposition, Span};

/// Limit on the members of a family of properties.
const MEMBERS: u64 = 10_000;

/// A check without its system, which is still being built.
pub(super) struct Draft {
    property: Property,
    fairness: Fairness,
    /// What is declared for all properties, if this one has an `under` of its own.
    replaced: Option<Fairness>,
    expected: Option<Expect>,
    written: Option<Written>,
}

impl Draft {
    pub(super) fn check(self, subject: &Subject) -> Check {
        let task = Task { subject: subject.clone(), fairness: self.fairness, property: self.property };
        let lowered = || model::show::kind(task.system(), &task.property.kind);
        let written = self.written.and_then(|written| written.unless_clear(&lowered()));
        Check { task, replaced: self.replaced, expected: self.expected, written, implied: false }
    }
}

/// The fairness that a property assumes.
#[derive(Clone, Copy)]
enum Assumes<'a> {
    /// An invariant needs none.
    Nothing,
    /// The declarations without a name.
    Unnamed,
    These(&'a Fair),
}

impl<'a> Assumes<'a> {
    /// What a property with this `under` clause assumes.
    fn by(under: Option<&'a Fair>) -> Assumes<'a> {
        under.map_or(Assumes::Unnamed, Assumes::These)
    }
}

/// The claim, as written.
#[derive(Clone, Copy)]
enum Body<'a> {
    Expr(&'a syntax::Expr),
    Never(&'a Name, &'a [Proposition]),
}

/// The claim, lowered, before its family is expanded.
#[derive(Clone)]
enum Claim {
    Invariant(Expr),
    Ltl(Temporal),
    Ctl(Temporal),
    Never(Never),
}

impl Claim {
    fn replace(&self, binder: &Binder, value: &Expr) -> Claim {
        match self {
            Claim::Invariant(expr) => Claim::Invariant(fold::replace(expr, binder.index, value)),
            Claim::Ltl(formula) => Claim::Ltl(formula.replace(binder.index, value)),
            Claim::Ctl(formula) => Claim::Ctl(formula.replace(binder.index, value)),
            Claim::Never(never) => {
                let atoms = never.atoms.iter().map(|atom| fold::replace(atom, binder.index, value));
                Claim::Never(Never { atoms: atoms.collect(), ..never.clone() })
            }
        }
    }

    fn kind(self) -> Kind {
        match self {
            Claim::Invariant(expr) => Kind::Invariant(expr),
            Claim::Ltl(formula) => Kind::Ltl(formula.into_ltl()),
            Claim::Ctl(formula) => Kind::Ctl(formula.into_ctl()),
            Claim::Never(never) => Kind::Never(never),
        }
    }

    fn size(&self) -> usize {
        match self {
            Claim::Invariant(expr) => fold::size(expr),
            Claim::Ltl(formula) | Claim::Ctl(formula) => formula.size(),
            Claim::Never(never) => never.atoms.iter().map(fold::size).sum(),
        }
    }
}

/// The approximate number of nodes of an assumption.
fn length(fairness: &Fairness) -> usize {
    fairness.alternatives.iter().map(|assumption| REQUIREMENT * assumption.requirements.len()).sum()
}

impl<'a> Checker<'a> {
    /// Lowers all invariants and properties.
    pub(super) fn properties(&mut self) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let mut names: BTreeMap<&'a str, Span> = BTreeMap::new();
        let file = self.file;
        for item in &file.items {
            let (name, family, body, assumes, expect) = match &item.kind {
                ItemKind::Invariant { name, family, body, expect } => {
                    (name, family, Body::Expr(body), Assumes::Nothing, expect)
                }
                ItemKind::Property { name, family, body, under, expect } => {
                    (name, family, Body::Expr(body), Assumes::by(under.as_ref()), expect)
                }
                ItemKind::Never { name, family, file, propositions, under, expect } => {
                    let body = Body::Never(file, propositions);
                    (name, family, body, Assumes::by(under.as_ref()), expect)
                }
                _ => continue,
            };
            match names.get(name.text.as_str()) {
                Some(first) => self.name_taken(name, *first),
                None => {
                    names.insert(&name.text, name.span);
                }
            }
            self.property(name, family, body, assumes, *expect, &mut drafts);
        }
        self.warn_of_unused_fairness();
        if drafts.is_empty() && !self.has_errors() {
            // Nothing would be checked, although the file has properties.
            let condition = file.items.iter().find_map(|item| match &item.kind {
                ItemKind::Invariant { family, .. }
                | ItemKind::Property { family, .. }
                | ItemKind::Never { family, .. } => family.condition.as_ref(),
                _ => None,
            });
            if let Some(condition) = condition {
                self.error(condition.span, "there are no properties", "false for all members of the family");
            }
        }
        drafts
    }

    /// Lowers one property or family.
    fn property(
        &mut self,
        name: &'a Name,
        family: &'a Members,
        body: Body<'a>,
        assumes: Assumes<'a>,
        expected: Option<Expect>,
        drafts: &mut Vec<Draft>,
    ) {
        let mut scope = Scope::file(LTL);
        let known = self.system.indices.len() as u32;
        self.spare_indices.clone_from(&self.claim_indices);
        let mut bound = Vec::new();
        for binder in &family.binders {
            let found = self.binder(&mut scope, binder);
            if let Some((_, ranged)) = &found {
                self.refuse_empty(&binder.range, ranged, "there are no properties");
            }
            bound.push(found);
            self.iterations = 1;
        }
        let condition = family.condition.as_ref().map(|condition| {
            let mut scope = scope.within(Context::rigid("the condition of a family"));
            (self.condition(&mut scope, condition).expr, condition.span)
        });
        let claim = self.claim(&mut scope, body, assumes);
        self.spare_indices.clear();
        self.claim_indices.extend((known..self.system.indices.len() as u32).map(Index));
        let fairness = match assumes {
            Assumes::Nothing => Some(Fairness::none()),
            Assumes::Unnamed => Some(self.unnamed.and(&self.annotated)),
            Assumes::These(fair) => {
                let mut scope = scope.within(Context::of_steps("a fairness requirement"));
                self.fair(&mut scope, fair).map(|fairness| fairness.and(&self.annotated))
            }
        };
        let Some(fairness) = fairness else { return };
        if !self.copy(name.span, length(&fairness)) {
            return;
        }
        let family_name = model::Name::from(name.text.as_str());
        let draft = |checker: &Self, name: model::Name, binders, claim: Claim, fairness, values: &[_]| {
            let property = Property { name, binders, kind: claim.kind() };
            let written = match body {
                Body::Expr(body) => checker.as_written(body, values),
                Body::Never(..) => None,
            };
            let replaced = matches!(assumes, Assumes::These(_));
            let replaced = replaced.then(|| checker.unnamed.and(&checker.annotated));
            Draft { property, fairness, replaced, expected, written }
        };
        let Some(bound) = bound.into_iter().collect::<Option<Vec<(Binder, Ranged)>>>() else { return };
        if bound.iter().any(|(_, ranged)| ranged.known().is_none()) {
            let fixed = bound.iter().all(|(binder, _)| replace(&fairness, binder, &Expr::Int(0)) == fairness);
            let message = match condition {
                Some(_) => "a condition needs a family whose members are known",
                None if !fixed => {
                    "fairness may not depend on the index of a family whose members are not known"
                }
                None => {
                    let binders = bound.into_iter().map(|(binder, _)| binder).collect();
                    drafts.push(draft(self, family_name.clone(), binders, claim, fairness, &[]));
                    return;
                }
            };
            self.error(name.span, message, "its range depends on a parameter");
            return;
        }
        let lengths = bound.iter().map(|(_, ranged)| ranged.length().unwrap_or(0));
        let members = lengths.fold(1u64, u64::saturating_mul);
        if members > MEMBERS {
            let message = format!("a family of {members} properties is too large");
            let ranges: Vec<_> = family.binders.iter().map(|binder| &binder.range).collect();
            let span = ranges.iter().map(|range| span_of(range)).reduce(Span::to).unwrap_or(name.span);
            let ends: Vec<_> = ranges.iter().flat_map(|range| [&range.lo, &range.hi]).collect();
            let diagnostic = Diagnostic::error(span, message, format!("at most {MEMBERS} members"));
            self.report_blaming(diagnostic, &ends);
            return;
        }
        if !bound.is_empty()
            && !self.copy(name.span, (claim.size() + length(&fairness)).saturating_mul(members as usize))
        {
            return;
        }
        let mut found = vec![(family_name.clone(), condition, claim, fairness, Vec::new())];
        for ((binder, ranged), source) in bound.iter().zip(&family.binders) {
            let mut longer = Vec::new();
            let (lo, hi) = ranged.known().unwrap_or((1, 0));
            for (outer, condition, claim, fairness, values) in &found {
                for value in lo..=hi {
                    let number = Expr::Int(value);
                    let member = match ranged.kind {
                        super::Kind::Int => outer.member(&[value]),
                        kind => outer.named_member(value, &self.value_name(kind, value)),
                    };
                    let condition = condition
                        .as_ref()
                        .map(|(condition, span)| (fold::replace(condition, binder.index, &number), *span));
                    let fairness = replace(fairness, binder, &number);
                    let mut values = values.clone();
                    values.push((source.name.text.as_str(), self.value_name(ranged.kind, value)));
                    longer.push((member, condition, claim.replace(binder, &number), fairness, values));
                }
            }
            found = longer;
        }
        let before = drafts.len();
        for (member, condition, claim, fairness, values) in found {
            if let Some((condition, span)) = condition {
                let typed = self.evaluate(Typed::truth(condition), span);
                if !typed.is_always() {
                    continue;
                }
            }
            drafts.push(draft(self, member, Vec::new(), claim, fairness, &values));
        }
        if let Some(condition) = family.condition.as_ref().filter(|_| drafts.len() == before) {
            let message = format!("the family `{}` has no members", name.text);
            let diagnostic = Diagnostic::warning(condition.span, message, "false for all of them");
            self.report(diagnostic);
        }
    }

    fn claim(&mut self, scope: &mut Scope<'a>, body: Body<'a>, assumes: Assumes<'a>) -> Claim {
        let body = match body {
            Body::Expr(body) => body,
            Body::Never(file, propositions) => {
                let never = self.never(scope, file, propositions);
                return never.map_or(Claim::Invariant(Expr::Bool(false)), Claim::Never);
            }
        };
        if matches!(assumes, Assumes::Nothing) {
            scope.context = Context::of_states("an invariant");
            return Claim::Invariant(self.condition(scope, body).expr);
        }
        let logic = self.logic(scope, body);
        self.refuse_mixture(logic);
        if logic.ctl.is_some() {
            scope.context = CTL;
            Claim::Ctl(self.temporal(scope, body))
        } else {
            scope.context = LTL;
            Claim::Ltl(self.temporal(scope, body))
        }
    }
}
