//! Families and the types of variables, and the number of processes, cells and actions of an instance.
//!
//! Neither a family nor a type may be empty. An instance has a limited number of cells and processes; a declaration
//! that exceeds it is refused before anything of that size is built.

use model::system::{Initial, Scalar, Type};
use model::{Binder, Expr, FamilyId, Instance, VariableId};

use super::bounds::{Ranged, span_of};
use super::interval::Interval;
use super::names::{Context, Global, Scope};
use super::{Checker, Kind, Variable, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ItemKind, Range, Span, Variables};

/// The size of what has been declared so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) processes: u64,
    pub(super) cells: u64,
    pub(super) actions: u64,
    /// Whether the total has been reported as too large.
    full: bool,
}

/// A type and facts about its values.
pub(super) struct Declared {
    pub(super) kind: Type,
    pub(super) facts: Variable,
    /// The number of elements, if that is known.
    pub(super) elements: Option<u64>,
}

impl<'a> Checker<'a> {
    /// Lowers the index of every family.
    pub(super) fn families(&mut self) {
        for number in 0..self.families.len() {
            let process = self.families[number].source;
            let [binder] = &process.indices[..] else {
                if process.indices.is_empty() {
                    self.tally.processes += 1;
                } else {
                    self.several_indices(number);
                }
                continue;
            };
            let scope = Scope::file(Context::rigid("the range of a family"));
            let Some(ranged) = self.range(&scope, &binder.range) else { continue };
            let what = format!("family `{}` has no processes", process.name.text);
            if self.refuse_empty(&binder.range, &ranged, &what) {
                continue;
            }
            let length = ranged.length().unwrap_or(1);
            self.tally.processes = self.tally.processes.saturating_add(length);
            if self.tally.processes > Instance::LIMIT as u64 {
                let what = format!("family `{}` has {length} processes", process.name.text);
                self.tally.processes -= length;
                self.refuse_size(span_of(&binder.range), length, &what, &[&binder.range]);
                continue;
            }
            let index = self.fresh(&binder.name.text, ranged.scalar());
            self.families[number].range = Some(ranged.dimension());
            self.system.families[number].index = Some(Binder { index, span: ranged.span });
        }
    }

    /// Lowers the types and initial values of all variables, and the channels.
    pub(super) fn variables(&mut self) {
        for (variables, owner, first) in self.declarations.clone() {
            self.declared(variables, owner, first);
        }
        for number in 0..self.families.len() {
            self.location_variable(FamilyId(number as u32));
        }
        for number in 0..self.channels.len() {
            self.channel(number);
        }
        let file = self.file;
        for item in &file.items {
            if let ItemKind::Init(predicate) = &item.kind {
                let typed =
                    self.condition(&mut Scope::file(Context::of_system("an `init` predicate")), predicate);
                self.system.init.push(typed.expr);
            }
        }
    }

    /// Fills in variables declared together, whose ids begin with `first`.
    fn declared(&mut self, variables: &'a Variables, owner: Option<FamilyId>, first: VariableId) {
        if self.has_shape(&variables.kind) {
            return self.declared_shape(variables, owner, first);
        }
        let mut scope = Scope::file(Context::rigid("a type"));
        scope.owner = owner;
        let declared = self.type_of(&scope, &variables.kind);
        if let Some(elements) = declared.as_ref().and_then(|declared| declared.elements)
            && !self.count_cells(variables, owner, elements)
        {
            return;
        }
        let initial = self.initial(variables, owner, declared.as_ref(), first);
        let Some(declared) = declared else { return };
        let first = first.0 as usize;
        for id in first..first + variables.names.len() {
            self.variables[id] = declared.facts.clone();
            self.name_dimensions(VariableId(id as u32));
            self.system.variables[id].kind = declared.kind.clone();
            // Without one there was an error, and any value will do.
            self.system.variables[id].initial = initial.clone().unwrap_or(Initial::Any);
        }
    }

    /// Notes which dimensions of a variable are indexed by enums.
    pub(super) fn name_dimensions(&mut self, variable: VariableId) {
        let dimensions = self.variables[variable.0 as usize].dimensions.iter().enumerate();
        let named = dimensions.filter_map(|(number, own)| match own.kind {
            Kind::Enum(id) => Some((variable, number, id)),
            _ => None,
        });
        self.system.enum_dimensions.extend(named);
    }

    fn location_variable(&mut self, id: FamilyId) {
        let Some(variable) = self.system.family(id).location else { return };
        let (enumeration, first) = self.enumerate_locations(id);
        let variable = &mut self.system.variables[variable.0 as usize];
        variable.kind = Type { dimensions: Vec::new(), scalar: Scalar::Enum(enumeration) };
        variable.initial = Initial::Among(vec![Expr::Int(first)]);
        self.tally.cells = self.tally.cells.saturating_add(self.copies_of(id));
    }

    /// Lowers a type; `None` if there is an error in it.
    pub(super) fn type_of(&mut self, scope: &Scope<'a>, kind: &'a syntax::Type) -> Option<Declared> {
        let mut dimensions = Vec::new();
        let mut intervals = Vec::new();
        let mut elements = Some(1u64);
        let mut element = kind;
        let mut failed = false;
        while let syntax::Type::Array(range, inner) = element {
            let ranged = self.range(scope, range);
            let ranged =
                ranged.filter(|ranged| !self.refuse_empty(range, ranged, "the array has no elements"));
            match ranged {
                None => failed = true,
                Some(ranged) => {
                    let length = ranged.length();
                    elements = elements.and_then(|elements| Some(elements.saturating_mul(length?)));
                    intervals.push(ranged.dimension());
                    dimensions.push(ranged.span);
                }
            }
            element = inner;
        }
        let (scalar, kind, range) = self.scalar(scope, element)?;
        if failed {
            return None;
        }
        let facts = Variable { kind, range, dimensions: intervals };
        Some(Declared { kind: Type { dimensions, scalar }, facts, elements })
    }

    pub(super) fn scalar(
        &mut self,
        scope: &Scope<'a>,
        kind: &'a syntax::Type,
    ) -> Option<(Scalar, Kind, Interval)> {
        match kind {
            syntax::Type::Bool(_) => Some((Scalar::Bool, Kind::Bool, Interval::TRUTH)),
            syntax::Type::Int(_) => Some((Scalar::Int, Kind::Int, Interval::ALL)),
            syntax::Type::Range(range) => {
                let ranged = self.range(scope, range)?;
                if self.refuse_empty(range, &ranged, "the type has no values") {
                    return None;
                }
                let values = ranged.values();
                Some((Scalar::Range(ranged.span), Kind::Int, values))
            }
            syntax::Type::Named(name) => {
                let text = name.text.as_str();
                match self.names.get(text) {
                    Some(&(_, Global::Enum(id))) => {
                        let last = self.system.enumeration(id).members.len() as i64 - 1;
                        return Some((Scalar::Enum(id), Kind::Enum(id), Interval::new(0, last)));
                    }
                    Some(&(first, _)) => {
                        let diagnostic =
                            Diagnostic::error(name.span, format!("`{text}` is not a type"), "not a type");
                        self.report(diagnostic.related(first, "declared here"));
                    }
                    None if self.unparsed_words.contains(text) => {}
                    None => {
                        let diagnostic =
                            Diagnostic::error(name.span, format!("unknown type `{text}`"), "not declared");
                        let types = self.system.enums.iter().map(|kind| kind.name.as_str());
                        let types = types.chain(self.record_numbers.keys().copied());
                        let diagnostic = self.suggest(diagnostic, text, types.chain(["bool", "int"]));
                        self.report(diagnostic);
                    }
                }
                None
            }
            // These have no single values.
            syntax::Type::Array(..) | syntax::Type::Set(_) | syntax::Type::Seq(..) => None,
        }
    }

    /// Reports a range without values where there must be some; returns whether it did.
    pub(super) fn refuse_empty(&mut self, range: &'a Range, ranged: &Ranged, what: &str) -> bool {
        let text = self.written(span_of(range));
        let diagnostic = if ranged.is_empty() {
            let ends = ranged.known().map(|(lo, hi)| format!(": it goes from {lo} to {hi}"));
            let message = format!("the range `{text}` is empty{}", ends.unwrap_or_default());
            Diagnostic::error(span_of(range), message, what)
        } else if ranged.lo.only().is_some_and(|lo| ranged.hi.lo < lo) && self.is_open() {
            let message = format!("the range `{text}` is empty for some values of the parameters");
            Diagnostic::error(span_of(range), message, what).help("give the parameter a greater bound")
        } else {
            return false;
        };
        self.report_blaming(diagnostic, &[&range.lo, &range.hi]);
        true
    }

    /// The number of processes of a family, as far as it is known.
    pub(super) fn copies_of(&self, id: FamilyId) -> u64 {
        if self.is_open() { 1 } else { self.family(id).range.map_or(1, |own| own.values.length()) }
    }

    /// Counts the cells of variables declared together; returns false if there are too many, which is reported.
    pub(super) fn count_cells(
        &mut self,
        variables: &'a Variables,
        owner: Option<FamilyId>,
        elements: u64,
    ) -> bool {
        let copies = owner.map_or(1, |owner| self.copies_of(owner));
        let cells = elements.saturating_mul(copies).saturating_mul(variables.names.len() as u64);
        self.tally.cells = self.tally.cells.saturating_add(cells);
        let fits = self.tally.cells <= Instance::LIMIT as u64;
        if !fits {
            self.tally.cells = self.tally.cells.saturating_sub(cells);
            let mut ranges: Vec<&'a Range> =
                owner.into_iter().flat_map(|owner| self.index_ranges(owner)).collect();
            let mut element = &variables.kind;
            while let syntax::Type::Array(range, inner) = element {
                ranges.push(range);
                element = inner;
            }
            let name = variables.names.first().map_or("", |name| name.text.as_str());
            let what = format!("{cells} values of `{name}`");
            self.refuse_size(type_span(&variables.kind), cells, &what, &ranges);
        }
        fits
    }

    /// The ranges of a family's indices, as written.
    pub(super) fn index_ranges(&self, id: FamilyId) -> impl Iterator<Item = &'a Range> + use<'a> {
        self.family(id).source.indices.iter().map(|binder| &binder.range)
    }

    /// Reports something too large for an instance: everything that alone exceeds the limit, and the first declaration
    /// with which the total does.
    pub(super) fn refuse_size(&mut self, span: Span, size: u64, what: &str, ranges: &[&'a Range]) {
        if size <= Instance::LIMIT as u64 && std::mem::replace(&mut self.tally.full, true) {
            return;
        }
        let message = format!("the system is too large: {what}");
        let label = format!("at most {} fit", Instance::LIMIT);
        let ends: Vec<&syntax::Expr> = ranges.iter().flat_map(|range| [&range.lo, &range.hi]).collect();
        self.report_blaming(Diagnostic::error(span, message, label), &ends);
    }

    /// The default value of a type: `false`, the first member, 0 or the least value.
    pub(super) fn default_value(scalar: &Scalar) -> Expr {
        match scalar {
            Scalar::Bool => Expr::Bool(false),
            Scalar::Int | Scalar::Enum(_) => Expr::Int(0),
            Scalar::Range(span) => {
                let above = fold::binary(model::expr::Operator::Le, (*span.lo).clone(), Expr::Int(0));
                let below = fold::binary(model::expr::Operator::Le, Expr::Int(0), (*span.hi).clone());
                fold::choice(fold::and([above, below]), Expr::Int(0), (*span.lo).clone())
            }
        }
    }
}

/// Where a type stands in the source.
pub(super) fn type_span(kind: &syntax::Type) -> Span {
    match kind {
        syntax::Type::Bool(span) | syntax::Type::Int(span) => *span,
        syntax::Type::Named(name) => name.span,
        syntax::Type::Range(range) => span_of(range),
        syntax::Type::Array(range, _) => span_of(range),
        syntax::Type::Set(element) => type_span(element),
        syntax::Type::Seq(room, _) => room.span,
    }
}
