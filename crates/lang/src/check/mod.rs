//! From a syntax tree to its meaning: names, types and ranges are checked, and the file becomes a system with
//! tasks.
//!
//! One pass per kind of declaration, in the order in which they depend on each other: names; constants,
//! parameters and definitions; families; the locations of their code; variables and channels; actions;
//! fairness; properties. Lowering and checking are one: an expression is lowered to its model together with
//! its kind and an interval that contains its values ([`expressions`]), and what is wrong is reported on the
//! way. A part with an error gets the kind [`Kind::Unknown`], about which nothing more is said.
//!
//! All errors of a file are reported, those of the parser and those found here. What the parser skipped may
//! have declared something, so a name that occurs there is never called unknown.
//!
//! The work is linear in the size of the file except where definitions are put in place; what they produce
//! is bounded by [`COPIES`] and [`DEPTH`], and what a number can produce by [`Instance::LIMIT`].

mod channels;
mod choices;
mod code;
mod constants;
mod definitions;
mod events;
mod expressions;
mod fairness;
mod flow;
mod fold;
mod initial;
mod interval;
mod names;
mod never;
mod operators;
mod order;
mod places;
mod properties;
mod ranges;
mod rendezvous;
mod steps;
mod temporal;
mod types;
mod updates;
mod visit;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::system::{EnumId, IndexName, ParameterId, Scalar, System};
use model::{Automaton, Binder, Fairness, FamilyId, Index, Requirement, Subject, VariableId};

use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::{File, Span, Variables};
use crate::{Lines, Loaded, Model};
use channels::Channel;
use code::Code;
use constants::Setting;
use definitions::Named;
use fairness::{Annotation, Assumed};
use interval::Interval;
use names::Global;
use rendezvous::Meeting;

/// How deep the tree of an expression may become once definitions are put in place.
const DEPTH: usize = 1200;

/// How much of [`DEPTH`] a level of nesting uses up. A link of a chain of operators uses one: it makes the tree
/// deeper, but needs no stack here.
const LEVEL: usize = 4;

/// How many nodes may be written by putting definitions in place and by repeating operands.
const COPIES: usize = 1_000_000;

/// How many errors are reported before the rest is only counted.
const ERRORS: usize = 100;

/// Reads a file: its model, if it has one, and what is wrong with it.
///
/// `settings` are names and values as given by `--set NAME=VALUE`. There are no automata; [`load_with`] has them.
pub fn load(name: &str, text: &str, settings: &[(String, String)]) -> Loaded {
    load_with(name, text, settings, &|file| Err(format!("cannot read {file}: there are no files here")))
}

/// [`load`] with a way to the automata that the file names, or to a message that says why there is none.
pub fn load_with(name: &str, text: &str, settings: &[(String, String)], automata: &Automata<'_>) -> Loaded {
    let (file, diagnostics) = crate::parse(text);
    let mut checker = Checker::new(name, text, &file, diagnostics, automata);
    checker.declare();
    checker.constants(settings);
    checker.families();
    checker.layout();
    checker.variables();
    checker.actions();
    checker.meetings();
    checker.definitions();
    checker.fairness();
    let checks = checker.properties();
    checker.finish(checks)
}

/// From the name of a file to the automaton in it, over the names of its propositions.
pub type Automata<'a> = dyn Fn(&str) -> Result<Automaton<String>, String> + 'a;

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Enum(EnumId),
    /// Of an expression with an error, which has been reported.
    Unknown,
}

/// What is known of a variable beside its place in [`System::variables`].
#[derive(Clone, Debug)]
struct Variable {
    kind: Kind,
    /// The values of each element.
    range: Interval,
    /// The indices of each dimension.
    dimensions: Vec<Interval>,
}

/// What is known of a family beside its place in [`System::families`].
struct Family<'a> {
    source: &'a crate::syntax::Process,
    /// The values of its index, if it has one.
    range: Option<Interval>,
    locals: BTreeMap<&'a str, (VariableId, Span)>,
    /// Its sequential code, laid out.
    code: Code<'a>,
    /// The labels of its statements and actions.
    labels: BTreeMap<String, code::Label>,
}

/// The state of a check.
struct Checker<'a> {
    text: &'a str,
    /// The first byte of each line.
    lines: Vec<usize>,
    file: &'a File,
    system: System,
    diagnostics: Vec<Diagnostic>,
    /// What has been reported, so that a part lowered twice is blamed once.
    reported: BTreeSet<(usize, usize, String)>,
    /// Errors beyond [`ERRORS`].
    unreported: usize,
    /// Lines with a parse error: what is wrong with them has been said.
    misread: BTreeSet<usize>,
    /// Words in text that the parser could not read.
    excused: BTreeSet<&'a str>,
    settings: Vec<Setting>,
    /// Settings that have been blamed for an empty or too large range, which is said once.
    blamed: BTreeSet<Vec<usize>>,
    names: BTreeMap<&'a str, (Span, Global)>,
    /// Constants, parameters and definitions.
    named: Vec<Named<'a>>,
    /// Variables declared together, with their owner and the id of the first.
    declarations: Vec<(&'a Variables, Option<FamilyId>, VariableId)>,
    variables: Vec<Variable>,
    families: Vec<Family<'a>>,
    channels: Vec<Channel<'a>>,
    /// The rendezvous of the step being lowered.
    meeting: Option<Meeting>,
    assumed: BTreeMap<&'a str, Assumed>,
    annotations: Vec<Annotation<'a>>,
    /// The words `unconditional`, each with the requirements it stands for.
    unconditional: Vec<(Span, Vec<Requirement>)>,
    /// What the `for` around a fairness bind, outermost first.
    for_each: Vec<Binder>,
    automata: &'a Automata<'a>,
    /// The automata asked for so far, or why there are none.
    read: BTreeMap<&'a str, Result<Arc<Automaton<String>>, String>>,
    /// The indices that claims bind, and those of them that the claim being lowered does not bind yet: claims that
    /// are written alike are equal.
    claimed: Vec<Index>,
    spare: Vec<Index>,
    /// The declarations without a name, together.
    unnamed: Fairness,
    /// The annotations, together.
    annotated: Fairness,
    /// The number of cells, processes and actions counted so far, of which an instance has a limited number.
    tally: types::Tally,
    /// Whether what is being lowered is never evaluated: always wrong is then no error.
    dead: usize,
    depth: usize,
    /// Whether [`DEPTH`] has been exceeded.
    deep: bool,
    copies: usize,
    /// How often the innermost quantifier's body is evaluated in a constant.
    iterations: u64,
    /// Where the definitions being put in place are used, outermost first.
    uses: Vec<Span>,
}

impl<'a> Checker<'a> {
    fn new(
        name: &str,
        text: &'a str,
        file: &'a File,
        diagnostics: Vec<Diagnostic>,
        automata: &'a Automata<'a>,
    ) -> Checker<'a> {
        let excused = names::unread(text, file, &diagnostics);
        let spans: Vec<Span> = diagnostics.iter().filter_map(|diagnostic| diagnostic.span).collect();
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut checker = Checker {
            text,
            lines: std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect(),
            file,
            system: System { name: name.to_owned(), ..System::default() },
            diagnostics,
            reported: BTreeSet::new(),
            unreported: 0,
            misread: BTreeSet::new(),
            excused,
            settings: Vec::new(),
            blamed: BTreeSet::new(),
            names: BTreeMap::new(),
            named: Vec::new(),
            declarations: Vec::new(),
            variables: Vec::new(),
            families: Vec::new(),
            channels: Vec::new(),
            meeting: None,
            assumed: BTreeMap::new(),
            annotations: Vec::new(),
            unconditional: Vec::new(),
            for_each: Vec::new(),
            automata,
            read: BTreeMap::new(),
            claimed: Vec::new(),
            spare: Vec::new(),
            unnamed: Fairness::none(),
            annotated: Fairness::none(),
            tally: types::Tally::default(),
            dead: 0,
            depth: 0,
            deep: false,
            copies: 0,
            iterations: 1,
            uses: Vec::new(),
        };
        checker.misread = spans.iter().map(|span| checker.line(span.start)).collect();
        checker
    }

    /// Adds a diagnostic, unless the same has been said of the same text.
    fn report(&mut self, mut diagnostic: Diagnostic) {
        let Span { start, end } = diagnostic.span.unwrap_or_default();
        let misread = diagnostic.span.is_some() && self.misread.contains(&self.line(start));
        if misread || !self.reported.insert((start, end, diagnostic.message.clone())) {
            return;
        }
        if self.reported.len() > ERRORS {
            self.unreported += 1;
            return;
        }
        if let Some(&span) = self.uses.first() {
            diagnostic = diagnostic.related(span, "used here");
        }
        self.diagnostics.push(diagnostic);
    }

    /// Whether something is wrong so far.
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Reports an error at a place.
    fn error(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::error(span, message, label));
    }

    /// Whether a parameter has no value, so that there are no instances to speak of.
    fn is_open(&self) -> bool {
        !self.system.parameters.is_empty()
    }

    /// An index that nothing else binds.
    fn fresh(&mut self, name: &str, scalar: Scalar) -> Index {
        let name = IndexName { name: name.to_owned(), scalar };
        if let Some(at) = self.spare.iter().position(|index| self.system.indices[index.0 as usize] == name) {
            return self.spare.remove(at);
        }
        self.system.indices.push(name);
        Index(self.system.indices.len() as u32 - 1)
    }

    fn family(&self, id: FamilyId) -> &Family<'a> {
        &self.families[id.0 as usize]
    }

    fn parameter(&mut self, name: &str, least: i64) -> ParameterId {
        self.system.parameters.push(model::system::Parameter { name: name.to_owned(), least });
        ParameterId(self.system.parameters.len() as u32 - 1)
    }

    /// What the user wrote.
    fn written(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The number of the line at this byte, from 1.
    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    /// The model, if nothing is wrong; all diagnostics in the order of the file.
    fn finish(mut self, checks: Vec<properties::Draft>) -> Loaded {
        let mut subject = None;
        if !self.has_errors() {
            match Subject::new(Arc::new(std::mem::take(&mut self.system))) {
                Ok(counted) => subject = Some(counted),
                Err(obstacle) => self.report(Diagnostic::outside(obstacle.to_string())),
            }
        }
        if let Some(instance) = subject.as_ref().and_then(Subject::instance) {
            self.every_event_matches(instance);
        }
        if self.has_errors() {
            // Warnings about a file that means nothing would only distract.
            self.diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        }
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| span.start));
        if self.unreported > 0 {
            self.diagnostics
                .push(Diagnostic::outside(format!("{} more errors are not shown", self.unreported)));
        }
        let model = subject.filter(|_| !self.has_errors()).map(|subject| Model {
            checks: checks.into_iter().map(|draft| draft.check(&subject)).collect(),
            subject,
            lines: Lines::new(self.file, &|at| self.line(at)),
        });
        Loaded { model, diagnostics: self.diagnostics }
    }
}
