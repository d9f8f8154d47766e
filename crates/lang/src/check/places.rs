//! What a name, `a[e]`, `P[e].y` or `P[e]@l` refers to: values, variables, locations, processes, channels.
//!
//! A reference is followed from its name outwards; each `[…]`, `.` and `@` must fit what stands before it. A caller
//! that needs a value, a place to write or a channel takes it from the [`Reference`], or reports what it found instead.
//! An index that is always outside its array or family is an error. One that may be outside is left to run time, where
//! it is a fault.

use model::expr::Operator;
use model::{Expr, FamilyId, Place, VariableId};

use super::bounds::Ranged;
use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Global, Meaning, Scope};
use super::operators::strict;
use super::shapes::{Leaf, Located, Shape};
use super::values::Value;
use super::{Checker, Kind, LEVEL};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, ExprKind, Name, Span};

/// What a reference denotes.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    Value(Typed),
    /// A variable, with one position per pair of brackets.
    Variable {
        id: VariableId,
        process: Option<Expr>,
        position: Vec<Expr>,
    },
    /// A family, a process of it, or a single process. `given` has the first of several indices while others are
    /// missing.
    Process {
        family: FamilyId,
        index: Option<Typed>,
        given: Vec<Typed>,
    },
    Channel {
        number: usize,
        index: Option<Typed>,
    },
    /// A constant array, with one position per pair of brackets, fewer than it has dimensions.
    Table {
        number: usize,
        position: Vec<Typed>,
    },
    /// A place with parts: a record, a set, a sequence, or an array of these.
    Stored(Located),
    /// A computed value with parts.
    Whole(Value),
    /// It has an error that was reported already.
    Unknown,
}

/// A place that holds one value.
#[derive(Clone, Debug)]
pub(super) struct TypedPlace {
    pub(super) place: Place,
    pub(super) kind: Kind,
    pub(super) range: Interval,
}

impl TypedPlace {
    /// Some place that holds a value of this type; only its type is used.
    pub(super) fn of_leaf(leaf: &Leaf) -> TypedPlace {
        let place = Place { variable: VariableId(0), process: None, position: Vec::new() };
        TypedPlace { place, kind: leaf.kind, range: leaf.range }
    }
}

impl<'a> Checker<'a> {
    /// The value of a reference.
    pub(super) fn read(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Typed {
        let reference = self.reference(scope, expr);
        self.read_reference(reference, expr)
    }

    /// The single value of a reference that `expr` has made.
    pub(super) fn read_reference(&mut self, reference: Reference, expr: &'a syntax::Expr) -> Typed {
        let (message, label) = match reference {
            Reference::Value(typed) => return typed,
            Reference::Unknown => return Typed::unknown(),
            Reference::Variable { id, process, position } => {
                return match self.element(id, process, position, expr.span) {
                    Some(TypedPlace { place, kind, range }) => {
                        Typed { expr: Expr::Read(place), kind, range, total: false }
                    }
                    None => Typed::unknown(),
                };
            }
            Reference::Process { family, index: None, .. } if self.family(family).range.is_some() => {
                ("is a family of processes, not a value", "a family of processes")
            }
            Reference::Process { .. } => ("is a process, not a value", "a process"),
            Reference::Channel { .. } => ("is a channel, not a value", "a channel"),
            Reference::Table { .. } => ("is an array: which element?", "an array"),
            Reference::Stored(Located { shape: Shape::Array(..), .. }) => {
                ("is an array: which element?", "an array")
            }
            Reference::Stored(Located { shape: Shape::Record(..), .. })
            | Reference::Whole(Value::Record(..)) => ("is a record: which field?", "a record"),
            Reference::Stored(Located { shape: Shape::Set(..), .. }) | Reference::Whole(Value::Set(_)) => {
                ("is a set, not one value", "a set")
            }
            Reference::Stored(_) | Reference::Whole(_) => ("is a sequence, not one value", "a sequence"),
        };
        let mut diagnostic =
            Diagnostic::error(expr.span, format!("`{}` {message}", self.written(expr.span)), label);
        diagnostic.help = match reference {
            Reference::Process { .. } => {
                Some("its locals are read with `.`, its locations with `@`".to_owned())
            }
            Reference::Table { .. } | Reference::Stored(Located { shape: Shape::Array(..), .. }) => {
                Some(format!("write `{}[…]`", self.written(expr.span)))
            }
            Reference::Stored(Located { shape: Shape::Set(..), .. }) | Reference::Whole(Value::Set(_)) => {
                Some("`x in S`, `|S|` and quantifiers are about a set".to_owned())
            }
            Reference::Stored(Located { shape: Shape::Seq(..), .. }) | Reference::Whole(Value::Seq(_)) => {
                Some("`head(q)`, `q[k]` and `len(q)` are about a sequence".to_owned())
            }
            Reference::Stored(_) | Reference::Whole(_) => {
                Some(format!("write `{}.…`", self.written(expr.span)))
            }
            _ => Some("`len(c)`, `empty(c)` and `full(c)` are about a channel".to_owned()),
        };
        self.report(diagnostic);
        Typed::unknown()
    }

    /// What an expression refers to.
    pub(super) fn reference(&mut self, scope: &mut Scope<'a>, expr: &'a syntax::Expr) -> Reference {
        if self.is_too_deep(expr.span) {
            return Reference::Unknown;
        }
        self.depth += LEVEL;
        let reference = match &expr.kind {
            ExprKind::Name(text) => self.named_reference(scope, text, expr.span),
            ExprKind::Item(base, index) => {
                let base = (self.reference(scope, base), base.span);
                self.item(scope, base, index, expr.span)
            }
            ExprKind::Field(base, name) => {
                let reference = self.reference(scope, base);
                self.field(scope, reference, base.span, name)
            }
            ExprKind::At(base, label) => {
                let reference = self.reference(scope, base);
                self.location(scope, reference, base.span, label)
            }
            _ => match self.value(scope, expr, None) {
                value if value.is_unknown() => Reference::Unknown,
                Value::One(typed) => Reference::Value(typed),
                value => Reference::Whole(value),
            },
        };
        self.depth -= LEVEL;
        reference
    }

    fn named_reference(&mut self, scope: &mut Scope<'a>, text: &str, span: Span) -> Reference {
        if let Some((_, meaning)) = scope.bound.iter().rev().find(|(name, _)| name.text == text) {
            let meaning: Meaning = meaning.clone();
            return self.bound_reference(scope, meaning, span);
        }
        if let Some(owner) = scope.locals()
            && let Some(&(id, _)) = self.family(owner).locals.get(text)
        {
            if !self.may_read(scope, span, "a local variable") {
                return Reference::Unknown;
            }
            let process = self.own_index(owner).map(|index| index.expr);
            return self.variable_reference(id, process);
        }
        let Some(&(_, global)) = self.names.get(text) else {
            self.unknown_name(scope, text, span);
            return Reference::Unknown;
        };
        match global {
            Global::Named(number) => self.named_value(scope, number, span),
            Global::Member(id, value) => Reference::Value(Typed::literal(Kind::Enum(id), value)),
            Global::Shared(id) => {
                if !self.may_read(scope, span, "a variable") {
                    return Reference::Unknown;
                }
                self.variable_reference(id, None)
            }
            Global::Channel(number) => Reference::Channel { number, index: None },
            Global::Family(family) => Reference::Process { family, index: None, given: Vec::new() },
            Global::Enum(_) | Global::Record(_) => {
                self.error(span, format!("`{text}` is a type, not a value"), "a type");
                Reference::Unknown
            }
            Global::Event(_) => {
                let message = format!("`{text}` is an event, not a value");
                let help = format!("`sync {text};` takes it, `taken({text})` says that it is taken");
                self.report(Diagnostic::error(span, message, "an event").help(help));
                Reference::Unknown
            }
            Global::Macro(_) => {
                self.error(span, format!("`{text}` is a macro, not a value"), "a macro");
                Reference::Unknown
            }
        }
    }

    /// What a bound name refers to.
    fn bound_reference(&mut self, scope: &Scope<'a>, meaning: Meaning, span: Span) -> Reference {
        let reads = match &meaning {
            Meaning::Let(_) | Meaning::Refers(Reference::Variable { .. } | Reference::Stored(_)) => true,
            Meaning::Refers(Reference::Whole(value)) => {
                let reads = |typed: &&Typed| typed.expr.any(&mut |part| matches!(part, Expr::Read(_)));
                value.leaves().iter().any(reads)
            }
            Meaning::Refers(Reference::Value(value)) => {
                value.expr.any(&mut |part| matches!(part, Expr::Read(_)))
            }
            _ => false,
        };
        if reads && !self.may_read(scope, span, "this name") {
            return Reference::Unknown;
        }
        match meaning {
            Meaning::Refers(Reference::Value(value)) => Reference::Value(self.bound_value(span, &value)),
            Meaning::Refers(reference) => reference,
            meaning => match self.bound(&meaning, span) {
                value if value.is_unknown() => Reference::Unknown,
                value => Reference::Value(value),
            },
        }
    }

    fn named_value(&mut self, scope: &mut Scope<'a>, number: usize, span: Span) -> Reference {
        let value = match self.named[number].kind {
            super::definitions::NamedKind::Define(..) => {
                let lower =
                    |checker: &mut Self, scope: &mut Scope<'a>, body| checker.value(scope, body, None);
                return match self.expand(scope, number, &[], span, lower, false) {
                    Some(Value::One(typed)) if !typed.is_unknown() => Reference::Value(typed),
                    Some(value) if !value.is_unknown() => Reference::Whole(value),
                    _ => Reference::Unknown,
                };
            }
            // A constant on a cycle has no value yet; the cycle has been reported.
            _ => self.named[number].value.clone(),
        };
        if self.named[number].table.is_some() {
            return Reference::Table { number, position: Vec::new() };
        }
        if value.is_unknown() { Reference::Unknown } else { Reference::Value(value) }
    }

    /// The definition a call names.
    pub(super) fn definition(&mut self, scope: &Scope<'a>, name: &'a Name) -> Option<usize> {
        let text = name.text.as_str();
        if scope.bound.iter().any(|(bound, _)| bound.text == text)
            || scope.locals().is_some_and(|owner| self.family(owner).locals.contains_key(text))
        {
            self.error(name.span, format!("`{text}` takes no arguments"), "not a definition");
            return None;
        }
        match self.names.get(text) {
            Some(&(_, Global::Named(number))) => Some(number),
            Some(&(first, Global::Macro(_))) => {
                let diagnostic =
                    Diagnostic::error(name.span, format!("`{text}` is a macro, not a value"), "a macro");
                let diagnostic = diagnostic.related(first, "declared here");
                self.report(diagnostic.help(format!("`{text}(…);` is a statement; `define` names a value")));
                None
            }
            Some(&(first, _)) => {
                let diagnostic =
                    Diagnostic::error(name.span, format!("`{text}` takes no arguments"), "not a definition");
                self.report(diagnostic.related(first, "declared here"));
                None
            }
            None if self.unparsed_words.contains(text) => None,
            None => {
                let diagnostic =
                    Diagnostic::error(name.span, format!("unknown definition `{text}`"), "not declared");
                let known = self.names.iter().filter(|(_, (_, global))| matches!(global, Global::Named(_)));
                self.report(self.suggest(diagnostic, text, known.map(|(name, _)| *name)));
                None
            }
        }
    }

    /// `base[index]`
    fn item(
        &mut self,
        scope: &mut Scope<'a>,
        (base, base_span): (Reference, Span),
        index: &'a syntax::Expr,
        span: Span,
    ) -> Reference {
        let kind = self.index_kind(&base);
        let mut value = self.of_kind(scope, index, kind);
        let text = self.written(base_span);
        match base {
            Reference::Variable { id, process, mut position } => {
                let Some(&dimension) = self.variables[id.0 as usize].dimensions.get(position.len()) else {
                    if self.variables[id.0 as usize].kind != Kind::Unknown {
                        self.error(span, format!("`{text}` is not an array"), "has no elements");
                    }
                    return Reference::Unknown;
                };
                if value.is_unknown() {
                    return Reference::Unknown;
                }
                self.check_index(&value, index.span, dimension.values, &format!("the array `{text}`"));
                position.push(value.expr);
                Reference::Variable { id, process, position }
            }
            Reference::Process { family, index: None, mut given } => {
                let Some(range) = self.family(family).range else {
                    if self.family(family).source.indices.is_empty() {
                        self.error(span, format!("`{text}` is a single process"), "has no index");
                    }
                    return Reference::Unknown;
                };
                if value.is_unknown() {
                    return Reference::Unknown;
                }
                let several = self.family(family).several.clone();
                let values = several.get(given.len()).unwrap_or(&range).values;
                self.check_index(&value, index.span, values, &format!("the family `{text}`"));
                given.push(value);
                if given.len() < several.len() {
                    return Reference::Process { family, index: None, given };
                }
                Reference::Process { family, index: Some(self.flat_index(family, given)), given: Vec::new() }
            }
            Reference::Channel { number, index: own }
                if own.is_some() || self.channels[number].is_single() =>
            {
                self.peek(scope, (number, own), &value, (base_span, index.span))
            }
            Reference::Channel { number, .. } => {
                let Some(range) = self.channels[number].range.clone() else { return Reference::Unknown };
                if value.is_unknown() {
                    return Reference::Unknown;
                }
                self.check_index(
                    &value,
                    index.span,
                    range.values(),
                    &format!("the array of channels `{text}`"),
                );
                Reference::Channel { number, index: Some(value) }
            }
            Reference::Table { number, mut position } => {
                let lengths = self.named[number].table.as_ref().map(|table| table.lengths.clone());
                let lengths = lengths.unwrap_or_default();
                let length = lengths.get(position.len()).copied().unwrap_or(1);
                value = self.table_index(value, index.span, (text, length));
                if value.is_unknown() {
                    return Reference::Unknown;
                }
                let own = Interval::new(1, length);
                self.check_index(&value, index.span, own, &format!("the array `{text}`"));
                if value.range.is_disjoint(own) && self.unevaluated == 0 {
                    return Reference::Unknown;
                }
                position.push(value);
                if position.len() < lengths.len() {
                    return Reference::Table { number, position };
                }
                match self.table_element(number, &position, span) {
                    typed if typed.is_unknown() => Reference::Unknown,
                    typed => Reference::Value(typed),
                }
            }
            Reference::Unknown => Reference::Unknown,
            base @ (Reference::Stored(_) | Reference::Whole(_)) => {
                if value.is_unknown() {
                    return Reference::Unknown;
                }
                self.item_of(base, base_span, value, index.span).unwrap_or(Reference::Unknown)
            }
            Reference::Value(_) | Reference::Process { .. } => {
                self.error(span, format!("`{text}` is not an array"), "has no elements");
                Reference::Unknown
            }
        }
    }

    /// What the indices of something are. Those of something unknown, such as a parameter of a definition before it is
    /// used, may be anything.
    fn index_kind(&self, base: &Reference) -> Kind {
        let dimension = match base {
            // The index of a table is a number or a member of an enum.
            Reference::Unknown | Reference::Table { .. } => return Kind::Unknown,
            Reference::Variable { id, position, .. } => {
                self.variables[id.0 as usize].dimensions.get(position.len()).copied()
            }
            Reference::Process { family, given, .. } => {
                let known = self.family(*family);
                known.several.get(given.len()).copied().or(known.range)
            }
            Reference::Channel { number, index: None } => {
                self.channels[*number].range.as_ref().map(Ranged::dimension)
            }
            Reference::Stored(Located { shape: Shape::Array(_, own, _), .. }) => Some(*own),
            Reference::Whole(Value::Array(own, _)) => *own,
            _ => None,
        };
        dimension.map_or(Kind::Int, |own| own.kind)
    }

    /// Reports an index that is always outside.
    pub(super) fn check_index(&mut self, index: &Typed, span: Span, range: Interval, of: &str) {
        if !index.range.is_disjoint(range) {
            return;
        }
        let what = match index.range.only() {
            Some(value) => format!("index {value} is outside {of}"),
            None => format!("this index is always outside {of}"),
        };
        let label = format!("{of} goes from {} to {}", range.lo, range.hi);
        self.always_wrong(Diagnostic::error(span, what, label));
    }

    /// `process.name`
    fn field(&mut self, scope: &Scope<'a>, base: Reference, base_span: Span, name: &'a Name) -> Reference {
        match base {
            Reference::Stored(ref located) => {
                if let Shape::Record(record, shapes) = &located.shape {
                    let Some((number, before)) = self.field_of(*record, name, Some(shapes)) else {
                        return Reference::Unknown;
                    };
                    return Self::located(located.part(shapes[number].clone(), before, []));
                }
            }
            Reference::Whole(Value::Record(record, parts)) => {
                return match self.field_of(record, name, None).map(|(number, _)| parts[number].clone()) {
                    Some(Value::One(typed)) => Reference::Value(typed),
                    Some(Value::Unknown) | None => Reference::Unknown,
                    Some(part) => Reference::Whole(part),
                };
            }
            _ => {}
        }
        let Some((family, process)) = self.one_process(base, base_span, '.', name) else {
            return Reference::Unknown;
        };
        let text = name.text.as_str();
        if let Some(&(id, _)) = self.family(family).locals.get(text) {
            if !self.may_read(scope, name.span, "a local variable") {
                return Reference::Unknown;
            }
            return self.variable_reference(id, process.map(|index| index.expr));
        }
        if self.unparsed_words.contains(text) {
            return Reference::Unknown;
        }
        let known = self.family(family);
        let owner = &known.source.name.text;
        let diagnostic = Diagnostic::error(
            name.span,
            format!("`{owner}` has no local variable `{text}`"),
            "not declared there",
        );
        let diagnostic = if known.labels.get(text).is_some_and(|label| label.point.is_some()) {
            diagnostic.help(format!("`{text}` is a label, read as `{}@{text}`", self.written(base_span)))
        } else {
            self.suggest(diagnostic, text, known.locals.keys().copied())
        };
        self.report(diagnostic);
        Reference::Unknown
    }

    /// `process@label`
    fn location(
        &mut self,
        scope: &Scope<'a>,
        base: Reference,
        base_span: Span,
        label: &'a Name,
    ) -> Reference {
        let Some((family, process)) = self.one_process(base, base_span, '@', label) else {
            return Reference::Unknown;
        };
        if !self.may_read(scope, label.span, "a location") {
            return Reference::Unknown;
        }
        let Some(location) = self.location_of(family, label, base_span) else { return Reference::Unknown };
        let variable = self.system.family(family).location.unwrap_or(VariableId(0));
        let place =
            Place { variable, process: process.map(|index| Box::new(index.expr)), position: Vec::new() };
        let at = Typed { expr: Expr::Read(place), kind: Kind::Int, range: Interval::ALL, total: false };
        Reference::Value(strict(Operator::Eq, at, Typed::literal(Kind::Int, location), Kind::Bool))
    }

    /// The location a label names.
    fn location_of(&mut self, family: FamilyId, label: &'a Name, base_span: Span) -> Option<i64> {
        let known = self.family(family);
        let (text, owner) = (label.text.as_str(), &known.source.name.text);
        let found = known.labels.get(text);
        if let Some(location) =
            found.and_then(|label| label.point).and_then(|point| known.code.location(point))
        {
            return Some(location);
        }
        if self.unparsed_words.contains(text) {
            return None;
        }
        let diagnostic = if found.is_some() {
            Diagnostic::error(
                label.span,
                format!("`{text}` is an action of `{owner}`, not a location"),
                "not a location",
            )
        } else if known.source.body.is_empty() {
            Diagnostic::error(
                label.span,
                format!("`{owner}` has no statements, so no locations"),
                "not a location",
            )
        } else {
            let diagnostic =
                Diagnostic::error(label.span, format!("`{owner}` has no label `{text}`"), "not a label");
            if known.locals.contains_key(text) {
                diagnostic.help(format!(
                    "`{text}` is a local variable, read as `{}.{text}`",
                    self.written(base_span)
                ))
            } else {
                let labels = known.labels.iter().filter(|(_, label)| label.point.is_some());
                self.suggest(diagnostic, text, labels.map(|(name, _)| name.as_str()))
            }
        };
        self.report(diagnostic);
        None
    }

    /// The one process before a `.` or an `@`.
    fn one_process(
        &mut self,
        base: Reference,
        span: Span,
        sign: char,
        after: &Name,
    ) -> Option<(FamilyId, Option<Typed>)> {
        let text = self.written(span);
        match base {
            Reference::Process { family, index: None, given }
                if !self.family(family).source.indices.is_empty() =>
            {
                let diagnostic =
                    Diagnostic::error(span, format!("`{text}` is a family: of which process?"), "a family");
                let missing = "[…]".repeat(self.family(family).source.indices.len() - given.len());
                self.report(diagnostic.help(format!("write `{text}{missing}{sign}{}`", after.text)));
                None
            }
            Reference::Process { family, index, .. } => Some((family, index)),
            Reference::Unknown => None,
            Reference::Value(_)
            | Reference::Variable { .. }
            | Reference::Channel { .. }
            | Reference::Stored(_)
            | Reference::Whole(_)
            | Reference::Table { .. } => {
                let (what, needed) = match sign {
                    '.' => ("neither a process nor a record", "`.` needs a process or a record before it"),
                    _ => ("not a process", "`@` needs a process before it"),
                };
                let diagnostic = Diagnostic::error(span, format!("`{text}` is {what}"), needed);
                let function = ["head", "tail", "len", "empty", "full"].contains(&after.text.as_str());
                self.report(match &after.text[..] {
                    own if function && sign == '.' => diagnostic.help(format!("write `{own}({text})`")),
                    _ => diagnostic,
                });
                None
            }
        }
    }

    /// The place of a variable, if all its dimensions are given.
    pub(super) fn element(
        &mut self,
        id: VariableId,
        process: Option<Expr>,
        position: Vec<Expr>,
        span: Span,
    ) -> Option<TypedPlace> {
        let variable = &self.variables[id.0 as usize];
        let (kind, range) = (variable.kind, variable.range);
        if kind == Kind::Unknown {
            return None;
        }
        if position.len() < variable.dimensions.len() {
            let message = format!("`{}` is an array: which element?", self.written(span));
            let diagnostic = Diagnostic::error(span, message, "an array");
            self.report(diagnostic.help(format!("write `{}[…]`", self.written(span))));
            return None;
        }
        Some(TypedPlace {
            place: Place { variable: id, process: process.map(Box::new), position },
            kind,
            range,
        })
    }
}
