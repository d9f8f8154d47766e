//! Names: what is declared for the whole file, what a name means in a scope, and messages about unknown names.
//!
//! All declarations of the file share one namespace, including the members of enums. Labels belong to their process.
//! Fairness declarations and properties have namespaces of their own. A scope adds the locals of one process and the
//! names bound on the way in: indices, parameters of actions and definitions, choices. Nothing may be shadowed, so the
//! order of lookups does not matter.

use std::collections::BTreeSet;

use model::system::{EnumId, Enumeration, FamilyId, Initial, Marked, Scalar, Type, VariableId};

use super::channels::Channel;
use super::code::Code;
use super::definitions::{Named, NamedKind};
use super::expressions::Typed;
use super::interval::Interval;
use super::joint::Joint;
use super::macros::Macro;
use super::places::Reference;
use super::temporal::Temporal;
use super::{Checker, ERRORS, Family, Kind, Variable};
use crate::diagnostic::{Diagnostic, nearest};
use crate::syntax::{File, ItemKind, MemberKind, Name, Process, Span};

/// Limit on the names that are compared with an unknown one.
const CANDIDATES: usize = 2000;

/// Limit on the names bound at once.
const BOUND: usize = 1000;

/// What a name declared for the whole file means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    /// A constant, parameter or definition.
    Named(usize),
    Enum(EnumId),
    Member(EnumId, i64),
    Record(usize),
    Shared(VariableId),
    Channel(usize),
    /// A joint event.
    Event(usize),
    Family(FamilyId),
    Macro(usize),
}

/// What a name bound in a scope means.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// An index, or the argument of a definition.
    Value(Typed),
    /// The argument of a definition, with temporal operators.
    Temporal(Temporal),
    /// The argument of a macro: whatever it refers to.
    Refers(Reference),
    /// A value of the state that `let` has named.
    Let(Typed),
}

/// Where an expression stands, which decides what it may refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    /// What it is, with an article: `a guard`.
    pub(super) what: &'static str,
    /// Whether it may read variables and locations.
    pub(super) reads: bool,
    /// Whether it may ask what is enabled.
    pub(super) enabled: bool,
    /// Whether it may ask what is taken.
    pub(super) taken: bool,
}

impl Context {
    /// An expression with the same value in every state.
    pub(super) const fn rigid(what: &'static str) -> Context {
        Context { what, reads: false, enabled: false, taken: false }
    }

    /// An expression of the system itself: guards and the values of assignments.
    pub(super) const fn of_system(what: &'static str) -> Context {
        Context { what, reads: true, enabled: false, taken: false }
    }

    /// A state predicate that observes the system.
    pub(super) const fn of_states(what: &'static str) -> Context {
        Context { what, reads: true, enabled: true, taken: false }
    }

    /// A predicate of steps.
    pub(super) const fn of_steps(what: &'static str) -> Context {
        Context { what, reads: true, enabled: true, taken: true }
    }
}

/// The names an expression may use in addition to those of the whole file.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    /// The family whose locals can be used without a process.
    pub(super) owner: Option<FamilyId>,
    /// Bound names, innermost last.
    pub(super) bound: Vec<(&'a Name, Meaning)>,
    pub(super) context: Context,
    /// Whether the locals of the owner cannot be named here: in a macro.
    pub(super) hides_locals: bool,
    /// The rank of the definition whose body this is. Only definitions of lower rank may be expanded.
    pub(super) rank: usize,
}

impl<'a> Scope<'a> {
    /// A scope with nothing but the names of the whole file.
    pub(super) fn file(context: Context) -> Scope<'a> {
        Scope { owner: None, bound: Vec::new(), context, hides_locals: false, rank: usize::MAX }
    }

    /// The family whose locals can be named.
    pub(super) fn locals(&self) -> Option<FamilyId> {
        self.owner.filter(|_| !self.hides_locals)
    }

    /// The same names in another place.
    pub(super) fn within(&self, context: Context) -> Scope<'a> {
        Scope { context, ..self.clone() }
    }
}

impl<'a> Checker<'a> {
    /// Enters everything the file declares. Variables and families get their ids; their types are computed later.
    pub(super) fn declare(&mut self) {
        let file = self.file;
        for item in &file.items {
            match &item.kind {
                ItemKind::Const { name, value } => self.declare_named(name, NamedKind::Const(value)),
                ItemKind::Param { name, least } => self.declare_named(name, NamedKind::Param(least)),
                ItemKind::Define { name, parameters, body } => {
                    self.declare_named(name, NamedKind::Define(parameters, body));
                }
                ItemKind::Macro { name, parameters, body } => {
                    self.enter(name, Global::Macro(self.macros.len()));
                    self.macros.push(Macro { name, parameters, body });
                }
                ItemKind::Enum { name, members } => {
                    let id = EnumId(self.system.enums.len() as u32);
                    self.enter(name, Global::Enum(id));
                    for (value, member) in (0..).zip(members) {
                        self.enter(member, Global::Member(id, value));
                    }
                    let members = members.iter().map(|member| member.text.clone()).collect();
                    self.system.enums.push(Enumeration { name: name.text.clone(), members });
                }
                ItemKind::Record { name, .. } => {
                    if let Some(number) = self.record_numbers.get(name.text.as_str()) {
                        self.enter(name, Global::Record(*number));
                    }
                }
                ItemKind::Shared(variables) => {
                    self.declarations.push((variables, None, self.next_variable()));
                    for name in &variables.names {
                        let id = self.new_variables(&name.text, None, &variables.kind);
                        self.enter(name, Global::Shared(id));
                    }
                }
                ItemKind::Chan { name, range, capacity, network, fields } => {
                    self.enter(name, Global::Channel(self.channels.len()));
                    self.channels.push(Channel::new(name, range.as_ref(), capacity, *network, fields));
                }
                ItemKind::Event(names) => {
                    for name in names {
                        self.enter(name, Global::Event(self.joint.len()));
                        self.joint.push(Joint::new(name));
                    }
                }
                ItemKind::Process(process) => self.declare_family(process),
                ItemKind::Include(_)
                | ItemKind::Stuttering
                | ItemKind::Init(_)
                | ItemKind::Fairness { .. }
                | ItemKind::Invariant { .. }
                | ItemKind::Property { .. }
                | ItemKind::Never { .. } => {}
            }
        }
        // This comes after all names of the file, so that a local cannot take a name declared further down.
        for number in 0..self.families.len() {
            self.declare_locals(FamilyId(number as u32));
        }
    }

    fn next_variable(&self) -> VariableId {
        VariableId(self.variables.len() as u32)
    }

    /// A variable whose type is computed later.
    pub(super) fn new_variable(&mut self, name: &str, owner: Option<FamilyId>) -> VariableId {
        let kind = Type { dimensions: Vec::new(), scalar: Scalar::Bool };
        let initial = Initial::Any;
        self.system.variables.push(model::Variable { name: name.to_owned(), owner, kind, initial });
        self.variables.push(Variable { kind: Kind::Unknown, range: Interval::ALL, dimensions: Vec::new() });
        VariableId(self.variables.len() as u32 - 1)
    }

    fn declare_named(&mut self, name: &'a Name, kind: NamedKind<'a>) {
        self.enter(name, Global::Named(self.named.len()));
        self.named.push(Named::new(name, kind));
    }

    fn declare_family(&mut self, process: &'a Process) {
        let id = FamilyId(self.families.len() as u32);
        self.enter(&process.name, Global::Family(id));
        if process.environment {
            self.system.environment.push(Marked { family: id, label: None });
        }
        self.system.families.push(model::Family {
            name: process.name.text.clone(),
            index: None,
            location: None,
        });
        self.families.push(Family {
            source: process,
            range: None,
            several: Vec::new(),
            locals: std::collections::BTreeMap::new(),
            code: Code::default(),
            labels: std::collections::BTreeMap::new(),
        });
    }

    fn declare_locals(&mut self, id: FamilyId) {
        let process = self.family(id).source;
        if !process.body.is_empty() {
            // The location comes first, so that states show it first.
            self.system.families[id.0 as usize].location = Some(self.new_variable("@", Some(id)));
        }
        for (number, binder) in process.indices.iter().enumerate() {
            let before = process.indices[..number].iter();
            let first = before.map(|other| &other.name).find(|other| other.text == binder.name.text);
            self.refuse_shadowing(&binder.name, first.map(|first| first.span));
        }
        for member in &process.members {
            let MemberKind::Local(variables) = &member.kind else { continue };
            self.declarations.push((variables, Some(id), self.next_variable()));
            for name in &variables.names {
                let variable = self.new_variables(&name.text, Some(id), &variables.kind);
                let mut indices = process.indices.iter().map(|binder| &binder.name);
                let first = indices.find(|index| index.text == name.text).map(|index| index.span);
                let first = first.or(self.family(id).locals.get(name.text.as_str()).map(|(_, span)| *span));
                self.refuse_shadowing(name, first);
                // The local is still entered, so that its uses are not reported as well.
                let locals = &mut self.families[id.0 as usize].locals;
                locals.entry(name.text.as_str()).or_insert((variable, name.span));
            }
        }
    }

    fn enter(&mut self, name: &'a Name, global: Global) {
        match self.names.get(name.text.as_str()) {
            Some(&(first, _)) => self.name_taken(name, first),
            None => {
                self.names.insert(&name.text, (name.span, global));
            }
        }
    }

    /// Reports a name that is already taken, either by `first` or by a declaration of the file. Returns whether it is.
    fn refuse_shadowing(&mut self, name: &Name, first: Option<Span>) -> bool {
        let first = first.or(self.names.get(name.text.as_str()).map(|(span, _)| *span));
        if let Some(first) = first {
            self.name_taken(name, first);
        }
        first.is_some()
    }

    /// Reports that a name is declared twice.
    pub(super) fn name_taken(&mut self, name: &Name, first: Span) {
        let message = format!("the name `{}` is taken", name.text);
        self.report(
            Diagnostic::error(name.span, message, "declared again").related(first, "first declared here"),
        );
    }

    /// Binds a name until the caller pops it from `scope.bound`.
    pub(super) fn bind(&mut self, scope: &mut Scope<'a>, name: &'a Name, meaning: Meaning) {
        let bound =
            scope.bound.iter().find(|(other, _)| other.text == name.text).map(|(other, _)| other.span);
        let local = scope.locals().and_then(|owner| self.family(owner).locals.get(name.text.as_str()));
        let first = bound.or(local.map(|(_, span)| *span));
        if scope.bound.len() == BOUND {
            self.error(name.span, format!("more than {BOUND} names are bound at once"), "one too many");
        }
        // We cannot know which of the two a use of the name means.
        let refused = self.refuse_shadowing(name, first);
        scope.bound.push((name, if refused { Meaning::Value(Typed::unknown()) } else { meaning }));
    }

    /// The scope of the code of a process: its indices and its locals.
    pub(super) fn process_scope(&self, id: FamilyId, context: Context) -> Scope<'a> {
        let mut scope = Scope::file(context);
        scope.owner = Some(id);
        for (number, binder) in self.family(id).source.indices.iter().enumerate() {
            let index = self.own_index_at(id, number).unwrap_or_else(Typed::unknown);
            scope.bound.push((&binder.name, Meaning::Value(index)));
        }
        scope
    }

    /// The index of a family, as an expression.
    pub(super) fn own_index(&self, id: FamilyId) -> Option<Typed> {
        let binder = self.system.family(id).index.as_ref()?;
        let dimension = self.family(id).range;
        let range = dimension.map_or(Interval::ALL, |own| own.values);
        let kind = dimension.map_or(Kind::Int, |own| own.kind);
        Some(Typed { expr: model::Expr::Index(binder.index), kind, range, total: true })
    }

    /// Reports an unknown name.
    pub(super) fn unknown_name(&mut self, scope: &Scope<'a>, text: &str, span: Span) {
        if self.unparsed_words.contains(text) {
            return;
        }
        if self.reported.len() >= ERRORS {
            self.error(span, format!("unknown name `{text}`"), "not declared");
            return;
        }
        let message = format!("unknown name `{text}`");
        let mut diagnostic = Diagnostic::error(span, message, "not declared");
        if let Some(help) = self.known_elsewhere(scope, text) {
            diagnostic = diagnostic.help(help);
        } else {
            let locals =
                scope.locals().into_iter().flat_map(|owner| self.family(owner).locals.keys().copied());
            let bound = scope.bound.iter().map(|(name, _)| name.text.as_str());
            diagnostic =
                self.suggest(diagnostic, text, self.names.keys().copied().chain(locals).chain(bound));
            if diagnostic.help.is_none() {
                diagnostic = self.suggest(diagnostic, text, ["true", "false"]);
            }
        }
        self.report(diagnostic);
    }

    /// Suggests the nearest candidate, if one is near enough. There is no search among very many candidates, nor for an
    /// error that will not be shown.
    pub(super) fn suggest<'c>(
        &self,
        diagnostic: Diagnostic,
        word: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Diagnostic {
        if self.reported.len() >= ERRORS {
            return diagnostic;
        }
        match nearest(word, candidates.into_iter().take(CANDIDATES)) {
            Some(candidate) => diagnostic.help(format!("did you mean `{candidate}`?")),
            None => diagnostic,
        }
    }

    /// Advice for a name that is unknown here but known in another scope.
    fn known_elsewhere(&self, scope: &Scope<'a>, text: &str) -> Option<String> {
        if let Some(owner) = scope.owner
            && self.family(owner).source.indices.iter().any(|binder| binder.name.text == text)
        {
            return Some(format!(
                "{} is the same for all processes and may not mention the index",
                scope.context.what
            ));
        }
        for family in &self.families {
            let name = &family.source.name.text;
            let process = format!("{name}{}", "[…]".repeat(family.source.indices.len()));
            if family.locals.contains_key(text) {
                return Some(format!("`{text}` is a local variable of `{name}`, read as `{process}.{text}`"));
            }
            if family.labels.get(text).is_some_and(|label| label.point.is_some()) {
                return Some(format!("`{text}` is a label of `{name}`, read as `{process}@{text}`"));
            }
        }
        None
    }
}

/// The words on lines with a parse error and between the declarations. What they declare is not in the tree.
pub(super) fn unparsed_words<'a>(
    text: &'a str,
    file: &File,
    diagnostics: &[Diagnostic],
) -> BTreeSet<&'a str> {
    let mut words = BTreeSet::new();
    if diagnostics.is_empty() {
        return words;
    }
    let mut add = |from: usize, to: usize| {
        let part = text.get(from..to).unwrap_or_default();
        words
            .extend(part.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()));
    };
    // What is included stands further on in the text, not where it is included.
    let mut items: Vec<Span> = file.items.iter().map(|item| item.span).collect();
    items.sort_by_key(|span| span.start);
    let mut end = 0;
    for span in items {
        add(end, span.start);
        end = span.end.max(end);
    }
    add(end, text.len());
    for span in diagnostics.iter().filter_map(|diagnostic| diagnostic.span) {
        let start = text[..floor(text, span.start)].rfind('\n').map_or(0, |at| at + 1);
        let from = floor(text, span.end.max(span.start));
        let stop = text[from..].find('\n').map_or(text.len(), |at| from + at);
        add(start, stop);
    }
    words
}

/// The last character boundary at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
