//! From a syntax tree to a system with tasks: checks names, types and ranges, and lowers the file.
//!
//! There is one pass per kind of declaration, in the order in which they depend on each other: names; constants,
//! parameters and definitions; families; the locations of their code; variables and channels; actions; fairness;
//! properties. Checking happens while lowering: an expression is lowered to the model together with its kind and an
//! interval that contains its values ([`expressions`]), and errors are reported on the way. A part with an error gets
//! the kind [`Kind::Unknown`], and nothing more is reported about it.
//!
//! All errors of a file are reported, those of the parser and those found here. Text that the parser skipped may have
//! declared something, so a name that occurs there is never reported as unknown.
//!
//! The work is linear in the size of the file, except for the expansion of definitions. That is limited by [`COPIES`]
//! and [`DEPTH`], and what a number can produce by [`Instance::LIMIT`].

mod arrays;
mod bounds;
mod channels;
mod choices;
pub(crate) mod code;
mod constants;
mod definitions;
mod events;
mod expressions;
mod fairness;
pub(crate) mod flow;
mod fold;
mod forget;
mod indices;
mod initial;
mod interval;
mod joint;
mod lets;
mod macros;
mod names;
mod networks;
mod never;
mod operators;
mod order;
mod parameters;
mod paths;
mod places;
mod properties;
mod rendezvous;
mod sequences;
mod sets;
mod shapes;
mod steps;
mod stuttering;
mod temporal;
mod together;
mod types;
mod updates;
mod values;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::system::{EnumId, IndexName, ParameterId, Scalar, System};
use model::{Automaton, Binder, Fairness, FamilyId, Index, Requirement, Subject, VariableId};

use crate::diagnostic::{Diagnostic, Severity};
use crate::include::{Texts, gather};
use crate::syntax::{File, ItemKind, Span, Variables};
use crate::{Lines, Loaded, Model};
use channels::Channel;
use code::Code;
use constants::Setting;
use definitions::Named;
use fairness::{Annotation, Assumed};
pub use forget::forget;
use interval::Interval;
use macros::Macro;
use names::Global;
use shapes::{Record, Shape};

/// Limit on the depth of an expression after definitions are expanded.
const DEPTH: usize = 1200;

/// How much of [`DEPTH`] a level of nesting uses. An operand of a chain of operators uses one: it makes the tree
/// deeper, but needs no stack here.
const LEVEL: usize = 4;

/// Limit on the nodes written by expanding definitions and by repeating operands.
const COPIES: usize = 1_000_000;

/// Limit on reported errors. The rest is only counted.
const ERRORS: usize = 100;

/// Loads a file: returns its model, if it has no errors, and its diagnostics.
///
/// `settings` are names and values as given by `--set NAME=VALUE`. The file may not name other files; for that there is
/// [`load_files`].
pub fn load(name: &str, text: &str, settings: &[(String, String)]) -> Loaded {
    load_with(name, text, settings, &|file| Err(format!("cannot read {file}: there are no files here")))
}

/// Like [`load`], but `automata` returns the automaton of a file that is named, or a message that says why there is
/// none.
pub fn load_with(name: &str, text: &str, settings: &[(String, String)], automata: &Automata<'_>) -> Loaded {
    load_files(name, text, settings, automata, &|file| {
        Err(format!("cannot include {file}: there are no files here"))
    })
}

/// Like [`load_with`], but `texts` returns the text of a model that is included, or a message that says why there is none.
pub fn load_files(
    name: &str,
    text: &str,
    settings: &[(String, String)],
    automata: &Automata<'_>,
    texts: &Texts<'_>,
) -> Loaded {
    let (sources, file, diagnostics) = gather(name, text, texts);
    let checked = |file: &File, diagnostics| {
        let mut checker = Checker::new(name, &sources.text, file, diagnostics, automata);
        checker.included = sources.starts();
        checker.check(settings)
    };
    let Loaded { mut model, diagnostics, values } = checked(&file, diagnostics);
    if let Some(open) = &model
        && let Some(file) = parameters::as_integers(&file, open)
        && let Some(closed) = checked(&file, Vec::new()).model
    {
        let integers = open.system().parameters.clone();
        model = Some(Model { integers, ..closed });
    }
    let diagnostics = diagnostics.into_iter().map(|diagnostic| sources.settle(diagnostic));
    Loaded { model, diagnostics: diagnostics.collect(), values }
}

/// Like [`load_with`], for a tree that was made from `text`, perhaps by translating it from another language, with the
/// diagnostics so far.
pub fn load_tree(
    name: &str,
    text: &str,
    (file, mut diagnostics): (&File, Vec<Diagnostic>),
    settings: &[(String, String)],
    automata: &Automata<'_>,
) -> Loaded {
    for item in &file.items {
        if let ItemKind::Include(name) = &item.kind {
            let message = format!("cannot include {}: there are no files here", name.text);
            diagnostics.push(Diagnostic::error(name.span, message, ""));
        }
    }
    Checker::new(name, text, file, diagnostics, automata).check(settings)
}

/// Returns the automaton in a file, over the names of its propositions, or an error message.
pub type Automata<'a> = dyn Fn(&str) -> Result<Automaton<String>, String> + 'a;

/// The kind of value that an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Enum(EnumId),
    /// The expression has an error, which has been reported.
    Unknown,
}

/// Facts about a variable that are not in [`System::variables`].
#[derive(Clone, Debug)]
struct Variable {
    kind: Kind,
    /// The values of each element.
    range: Interval,
    /// The indices of each dimension.
    dimensions: Vec<Dimension>,
}

/// The indices of an array, a family or an array of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dimension {
    values: Interval,
    /// A number, or a member of an enum.
    kind: Kind,
}

/// Facts about a family that are not in [`System::families`].
struct Family<'a> {
    source: &'a crate::syntax::Process,
    /// The values of its index in the model, if it has one.
    range: Option<Dimension>,
    /// The values of each of its indices, if it has several.
    several: Vec<Dimension>,
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
    /// The first byte of each included file.
    included: Vec<usize>,
    file: &'a File,
    system: System,
    diagnostics: Vec<Diagnostic>,
    /// Errors reported so far, so that a part that is lowered twice gets one message.
    reported: BTreeSet<(usize, usize, String)>,
    /// How often an error was reported, for the first time or again.
    complaints: usize,
    /// Errors beyond [`ERRORS`].
    unreported: usize,
    /// Lines with a parse error. No further errors are reported there.
    parse_error_lines: BTreeSet<usize>,
    /// Words in text that the parser could not read. They are not reported as unknown.
    unparsed_words: BTreeSet<&'a str>,
    settings: Vec<Setting>,
    /// Combinations of settings that were reported for an empty or too large range.
    reported_settings: BTreeSet<Vec<usize>>,
    names: BTreeMap<&'a str, (Span, Global)>,
    /// Constants, parameters and definitions.
    named: Vec<Named<'a>>,
    /// Variables declared together, with their owner and the id of the first.
    declarations: Vec<(&'a Variables, Option<FamilyId>, VariableId)>,
    variables: Vec<Variable>,
    /// The shapes of variables that are stored in several, by the first of these.
    shapes: BTreeMap<VariableId, Shape>,
    records: Vec<Record<'a>>,
    record_numbers: BTreeMap<&'a str, usize>,
    /// The shapes of the fields of the records met so far.
    record_shapes: BTreeMap<usize, Option<Vec<Shape>>>,
    families: Vec<Family<'a>>,
    channels: Vec<Channel<'a>>,
    /// The joint events.
    joint: Vec<joint::Joint<'a>>,
    macros: Vec<Macro<'a>>,
    /// The macros being expanded, outermost first.
    calls: Vec<usize>,
    assumed: BTreeMap<&'a str, Assumed>,
    annotations: Vec<Annotation<'a>>,
    /// Every `unconditional`, with the requirements it stands for.
    unconditional: Vec<(Span, Vec<Requirement>)>,
    /// The binders of the `for` around a fairness expression, outermost first.
    for_each: Vec<Binder>,
    automata: &'a Automata<'a>,
    /// The automata loaded so far, or why they could not be loaded.
    read: BTreeMap<&'a str, Result<Arc<Automaton<String>>, String>>,
    /// All indices that claims bind, and those of them that the claim being lowered does not use yet. Claims reuse
    /// indices, so that claims that are written alike are equal.
    claim_indices: Vec<Index>,
    spare_indices: Vec<Index>,
    /// The conjunction of the fairness declarations without a name.
    unnamed: Fairness,
    /// The conjunction of the annotations.
    annotated: Fairness,
    /// Where the step stands whose paths are computed.
    step: Span,
    /// Whether a step that changes nothing is always possible.
    stutters: bool,
    /// The cells, processes and actions counted so far; an instance has a limited number.
    tally: types::Tally,
    /// Greater than 0 while lowering something that is never evaluated. It then cannot be always wrong.
    unevaluated: usize,
    depth: usize,
    /// Whether [`DEPTH`] has been exceeded.
    depth_reported: bool,
    copies: usize,
    /// How often the body of the innermost quantifier of a constant is evaluated.
    iterations: u64,
    /// Where the definitions being expanded are used, outermost first.
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
        let unparsed_words = names::unparsed_words(text, file, &diagnostics);
        let spans: Vec<Span> = diagnostics.iter().filter_map(|diagnostic| diagnostic.span).collect();
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut checker = Checker {
            text,
            lines: std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect(),
            included: Vec::new(),
            file,
            system: System { name: name.to_owned(), ..System::default() },
            diagnostics,
            reported: BTreeSet::new(),
            complaints: 0,
            unreported: 0,
            parse_error_lines: BTreeSet::new(),
            unparsed_words,
            settings: Vec::new(),
            reported_settings: BTreeSet::new(),
            names: BTreeMap::new(),
            named: Vec::new(),
            declarations: Vec::new(),
            variables: Vec::new(),
            shapes: BTreeMap::new(),
            records: Vec::new(),
            record_numbers: BTreeMap::new(),
            record_shapes: BTreeMap::new(),
            families: Vec::new(),
            channels: Vec::new(),
            joint: Vec::new(),
            macros: Vec::new(),
            calls: Vec::new(),
            assumed: BTreeMap::new(),
            annotations: Vec::new(),
            unconditional: Vec::new(),
            for_each: Vec::new(),
            automata,
            read: BTreeMap::new(),
            claim_indices: Vec::new(),
            spare_indices: Vec::new(),
            unnamed: Fairness::none(),
            annotated: Fairness::none(),
            step: Span::default(),
            stutters: false,
            tally: types::Tally::default(),
            unevaluated: 0,
            depth: 0,
            depth_reported: false,
            copies: 0,
            iterations: 1,
            uses: Vec::new(),
        };
        checker.parse_error_lines = spans.iter().map(|span| checker.row(span.start)).collect();
        checker
    }

    /// The passes.
    fn check(mut self, settings: &[(String, String)]) -> Loaded {
        self.records();
        self.declare();
        self.constants(settings);
        self.families();
        self.layout();
        self.variables();
        self.macros();
        self.actions();
        self.meetings();
        self.joint_events();
        self.networks();
        self.stuttering();
        self.definitions();
        self.fairness();
        let checks = self.properties();
        self.finish(checks)
    }

    /// Adds a diagnostic, unless the same message was reported for the same text.
    fn report(&mut self, mut diagnostic: Diagnostic) {
        self.complaints += usize::from(diagnostic.severity == Severity::Error);
        let Span { start, end } = diagnostic.span.unwrap_or_default();
        let misread = diagnostic.span.is_some() && self.parse_error_lines.contains(&self.row(start));
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

    /// Whether there are errors so far.
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Reports an error at a span.
    fn error(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::error(span, message, label));
    }

    /// Whether a parameter has no value, so that there is no instance.
    fn is_open(&self) -> bool {
        !self.system.parameters.is_empty()
    }

    /// A new index.
    fn fresh(&mut self, name: &str, scalar: Scalar) -> Index {
        self.fresh_index(IndexName::new(name, scalar))
    }

    /// A new index of this name.
    fn fresh_index(&mut self, name: IndexName) -> Index {
        if let Some(at) =
            self.spare_indices.iter().position(|index| self.system.indices[index.0 as usize] == name)
        {
            return self.spare_indices.remove(at);
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

    /// The source text of a span.
    fn written(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The number of the line at this byte, from 1, in the whole text.
    fn row(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    /// Where the included file begins that this byte is in, if it is in one.
    fn file_start(&self, at: usize) -> Option<usize> {
        let before = self.included.partition_point(|start| *start <= at);
        self.included[..before].last().copied()
    }

    /// The number of the line at this byte, from 1, in its file.
    fn line(&self, at: usize) -> usize {
        let above = self.file_start(at).map_or(0, |start| self.row(start) - 1);
        self.row(at) - above
    }

    /// The model, if there are no errors, and all diagnostics in the order of the file.
    fn finish(mut self, checks: Vec<properties::Draft>) -> Loaded {
        let values = self.values();
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
            // Without a model, warnings would only distract.
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
            integers: Vec::new(),
            lines: Lines::new(self.file, &|at| self.file_start(at).is_none().then(|| self.line(at))),
            kept: Vec::new(),
            written: None,
        });
        Loaded { model, diagnostics: self.diagnostics, values }
    }
}
