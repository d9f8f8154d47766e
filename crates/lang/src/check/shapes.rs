//! The shapes of values: records, sets and bounded sequences, and the variables in which they are stored.
//!
//! The model knows single values and arrays of them. A variable with another shape becomes one variable per *leaf*: a
//! record one or more for each field, a set a truth value for every possible member, a sequence its length and its
//! items. An array around them is one more dimension of every leaf. The leaves have consecutive ids, in the order in
//! which they are written, so a part of a value is found by counting leaves. Items of a sequence beyond its length have
//! their default values, so that equal sequences are equal states.

use model::expr::Span as Values;
use model::system::{Initial, Scalar, Shaped, Type};
use model::{Expr, FamilyId, Instance, VariableId};

use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Context, Global, Scope};
use super::order::order;
use super::types::type_span;
use super::{Checker, Dimension, Kind, Variable, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{self, Field, ItemKind, Name, Variables};

/// Limit on the leaves of a type.
const LEAVES: usize = 1000;

/// `record Vote { term: 0..3, from: Node }`
pub(super) struct Record<'a> {
    pub(super) name: &'a Name,
    pub(super) fields: &'a [Field],
    /// The number of its leaves; `None` if it contains itself or has too many.
    leaves: Option<usize>,
}

/// The type of a single value.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) scalar: Scalar,
    pub(super) kind: Kind,
    pub(super) range: Interval,
}

/// The type of a value.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    One(Leaf),
    Array(Values, Dimension, Box<Shape>),
    /// A record, by number, and the shapes of its fields.
    Record(usize, Vec<Shape>),
    /// A set, with the values that may be in it.
    Set(Values, Dimension),
    /// A sequence of at most so many items.
    Seq(i64, Box<Shape>),
}

/// A variable that stores a leaf.
struct Stored {
    name: String,
    kind: Type,
    facts: Variable,
    default: Expr,
}

impl Shape {
    /// The number of variables that store it.
    pub(super) fn leaves(&self) -> usize {
        match self {
            Shape::One(_) | Shape::Set(..) => 1,
            Shape::Array(_, _, inner) => inner.leaves(),
            Shape::Record(_, fields) => fields.iter().map(Shape::leaves).sum(),
            Shape::Seq(_, inner) => 1 + inner.leaves(),
        }
    }

    /// The number of single values in it, if that is known.
    pub(super) fn cells(&self) -> Option<u64> {
        match self {
            Shape::One(_) => Some(1),
            Shape::Set(span, own) => known(span).then(|| own.values.length()),
            Shape::Array(span, own, inner) => {
                known(span).then(|| own.values.length())?.checked_mul(inner.cells()?)
            }
            Shape::Record(_, fields) => {
                fields.iter().try_fold(0u64, |sum, field| sum.checked_add(field.cells()?))
            }
            Shape::Seq(room, inner) => inner.cells()?.checked_mul(*room as u64)?.checked_add(1),
        }
    }

    /// Whether there is a sequence in it.
    pub(super) fn has_sequence(&self) -> bool {
        match self {
            Shape::One(_) | Shape::Set(..) => false,
            Shape::Array(_, _, inner) => inner.has_sequence(),
            Shape::Record(_, fields) => fields.iter().any(Shape::has_sequence),
            Shape::Seq(..) => true,
        }
    }

    /// The type of each leaf.
    pub(super) fn leaf_types(&self) -> Vec<Leaf> {
        match self {
            Shape::One(leaf) => vec![leaf.clone()],
            Shape::Set(..) => vec![TRUTH],
            Shape::Array(_, _, inner) => inner.leaf_types(),
            Shape::Record(_, fields) => fields.iter().flat_map(Shape::leaf_types).collect(),
            Shape::Seq(room, inner) => {
                std::iter::once(Shape::length(*room)).chain(inner.leaf_types()).collect()
            }
        }
    }

    /// The length of a sequence with this room.
    pub(super) fn length(room: i64) -> Leaf {
        let (scalar, range) = (Scalar::Range(Values::between(0, room)), Interval::new(0, room));
        Leaf { scalar, kind: Kind::Int, range }
    }
}

/// Whether the ends of a range are numbers.
fn known(span: &Values) -> bool {
    matches!((&*span.lo, &*span.hi), (Expr::Int(_), Expr::Int(_)))
}

/// The type of a truth value, as a leaf.
pub(super) const TRUTH: Leaf = Leaf { scalar: Scalar::Bool, kind: Kind::Bool, range: Interval::TRUTH };

impl<'a> Checker<'a> {
    /// Finds the records of the file and counts their leaves, before anything is declared.
    pub(super) fn records(&mut self) {
        let file = self.file;
        let mut numbers = std::collections::BTreeMap::new();
        for item in &file.items {
            if let ItemKind::Record { name, fields } = &item.kind {
                numbers.entry(name.text.as_str()).or_insert(self.records.len());
                self.records.push(Record { name, fields, leaves: None });
            }
        }
        let mentions: Vec<Vec<usize>> = self
            .records
            .iter()
            .map(|record| {
                let named = record.fields.iter().filter_map(|field| record_in(&field.kind));
                named.filter_map(|name| numbers.get(name).copied()).collect()
            })
            .collect();
        let (sorted, cycles) = order(&mentions);
        for cycle in cycles {
            let first = self.records[cycle[0]].name;
            let message = format!("record `{}` contains itself", first.text);
            let mut diagnostic = Diagnostic::error(first.span, message, "it would never end");
            for other in &cycle[1..] {
                diagnostic = diagnostic.related(self.records[*other].name.span, "through this");
            }
            self.report(diagnostic);
        }
        for number in sorted {
            let fields = self.records[number].fields;
            let name = self.records[number].name;
            let mut seen = std::collections::BTreeMap::new();
            for Field { name, .. } in fields {
                if let Some(first) = seen.insert(name.text.as_str(), name.span) {
                    self.name_taken(name, first);
                }
            }
            let leaves = fields.iter().try_fold(0usize, |sum, field| {
                Some(sum.saturating_add(self.leaf_count(&field.kind, &numbers)?))
            });
            if leaves.is_some_and(|leaves| leaves > LEAVES) {
                let message = format!("record `{}` has more than {LEAVES} parts", name.text);
                self.error(name.span, message, "too large");
            }
            self.records[number].leaves = leaves.filter(|leaves| *leaves <= LEAVES);
        }
        self.record_numbers = numbers;
    }

    /// The number of variables that store a type; `None` if it contains a record with an error.
    fn leaf_count(
        &self,
        kind: &syntax::Type,
        numbers: &std::collections::BTreeMap<&'a str, usize>,
    ) -> Option<usize> {
        match kind {
            syntax::Type::Array(_, inner) => self.leaf_count(inner, numbers),
            syntax::Type::Seq(_, inner) => Some(1 + self.leaf_count(inner, numbers)?),
            syntax::Type::Named(name) => match numbers.get(name.text.as_str()) {
                Some(number) => self.records[*number].leaves,
                None => Some(1),
            },
            syntax::Type::Set(inner) => self.leaf_count(inner, numbers).map(|_| 1),
            syntax::Type::Bool(_) | syntax::Type::Int(_) | syntax::Type::Range(_) => Some(1),
        }
    }

    /// Variables whose type is computed later, one for every leaf; returns the first.
    pub(super) fn new_variables(
        &mut self,
        name: &str,
        owner: Option<FamilyId>,
        kind: &syntax::Type,
    ) -> VariableId {
        let first = self.new_variable(name, owner);
        for _ in 1..self.leaf_count(kind, &self.record_numbers).unwrap_or(1) {
            self.new_variable(name, owner);
        }
        first
    }

    /// Whether values of a type are more than single values and arrays of them.
    pub(super) fn has_shape(&self, kind: &syntax::Type) -> bool {
        match kind {
            syntax::Type::Array(_, inner) => self.has_shape(inner),
            syntax::Type::Seq(..) | syntax::Type::Set(_) => true,
            syntax::Type::Named(name) => self.record_numbers.contains_key(name.text.as_str()),
            _ => false,
        }
    }

    /// Lowers a type; `None` if there is an error in it.
    pub(super) fn shape_of(&mut self, scope: &Scope<'a>, kind: &'a syntax::Type) -> Option<Shape> {
        match kind {
            syntax::Type::Array(range, inner) => {
                let ranged = self.range(scope, range);
                let ranged =
                    ranged.filter(|ranged| !self.refuse_empty(range, ranged, "the array has no elements"));
                let inner = self.shape_of(scope, inner);
                let ranged = ranged?;
                Some(Shape::Array(ranged.span.clone(), ranged.dimension(), Box::new(inner?)))
            }
            syntax::Type::Set(element) => self.set_of(scope, element),
            syntax::Type::Seq(room, inner) => {
                let room = self.room(room);
                let inner = self.shape_of(scope, inner);
                Some(Shape::Seq(room?, Box::new(inner?)))
            }
            syntax::Type::Named(name) => match self.names.get(name.text.as_str()) {
                Some(&(_, Global::Record(number))) => {
                    // One that contains itself has been reported.
                    self.records[number].leaves?;
                    // The types of fields see the names of the file only.
                    let scope = Scope::file(Context::rigid("a type"));
                    let fields = self.records[number].fields.iter();
                    let fields: Vec<_> = fields.map(|field| self.shape_of(&scope, &field.kind)).collect();
                    Some(Shape::Record(number, fields.into_iter().collect::<Option<_>>()?))
                }
                _ => self.leaf(scope, kind),
            },
            _ => self.leaf(scope, kind),
        }
    }

    fn leaf(&mut self, scope: &Scope<'a>, kind: &'a syntax::Type) -> Option<Shape> {
        let (scalar, kind, range) = self.scalar(scope, kind)?;
        Some(Shape::One(Leaf { scalar, kind, range }))
    }

    fn set_of(&mut self, scope: &Scope<'a>, element: &'a syntax::Type) -> Option<Shape> {
        let shape = self.shape_of(scope, element)?;
        let (span, values) = match shape {
            Shape::One(Leaf { scalar: Scalar::Range(span), kind, range }) => {
                (span, Dimension { values: range, kind })
            }
            Shape::One(Leaf { scalar: Scalar::Bool | Scalar::Enum(_), kind, range }) => {
                (Values::between(range.lo, range.hi), Dimension { values: range, kind })
            }
            _ => {
                let message =
                    "the members of a set are truth values, members of an enum, or numbers of a range";
                self.error(type_span(element), message, "cannot be listed");
                return None;
            }
        };
        Some(Shape::Set(span, values))
    }

    /// The room of a sequence.
    fn room(&mut self, room: &'a syntax::Expr) -> Option<i64> {
        let mut scope = Scope::file(Context::rigid("the room of a sequence"));
        let typed = self.number(&mut scope, room);
        let typed = self.evaluate(typed, room.span);
        if typed.is_unknown() {
            return None;
        }
        let (message, label) = match fold::constant(&typed.expr) {
            Some(room) if (1..=Instance::LIMIT as i64).contains(&room) => return Some(room),
            Some(room) if room < 1 => {
                (format!("a sequence cannot have room for {room} items"), "at least one".to_owned())
            }
            Some(room) => (
                format!("the system is too large: a sequence of {room} items"),
                format!("at most {} fit", Instance::LIMIT),
            ),
            None => {
                ("the room of a sequence is a known number".to_owned(), "depends on a parameter".to_owned())
            }
        };
        self.report_blaming(Diagnostic::error(room.span, message, label), &[room]);
        None
    }

    /// Fills in variables declared together whose type has a shape. The ids of their leaves begin with `first`.
    pub(super) fn declared_shape(
        &mut self,
        variables: &'a Variables,
        owner: Option<FamilyId>,
        first: VariableId,
    ) {
        let mut scope = Scope::file(Context::rigid("a type"));
        scope.owner = owner;
        let shape = self.shape_of(&scope, &variables.kind);
        if let Some(shape) = &shape {
            let cells = shape.cells().unwrap_or(1);
            if !self.count_cells(variables, owner, cells) {
                return;
            }
        }
        let initials = self.shaped_initial(variables, owner, shape.as_ref());
        let Some(shape) = shape else { return };
        let leaves = shape.leaves();
        if self.leaf_count(&variables.kind, &self.record_numbers) != Some(leaves) {
            return;
        }
        for (number, name) in variables.names.iter().enumerate() {
            let root = VariableId(first.0 + (number * leaves) as u32);
            self.store(&name.text, &shape, root);
            if let Some(initials) = &initials {
                for (offset, initial) in initials.iter().enumerate() {
                    self.system.variables[root.0 as usize + offset].initial = initial.clone();
                }
            }
            let of = self.shown_shape(&shape);
            self.system.shaped.push(Shaped { name: name.text.clone(), first: root, shape: of });
            self.shapes.insert(root, shape.clone());
        }
    }

    /// Gives the variables from `first` on the types of the leaves of a shape, and their default values.
    pub(super) fn store(&mut self, name: &str, shape: &Shape, first: VariableId) {
        self.store_within(name, shape, first, (Vec::new(), Vec::new()));
    }

    /// The same inside arrays with these dimensions.
    pub(super) fn store_within(
        &mut self,
        name: &str,
        shape: &Shape,
        first: VariableId,
        within: (Vec<Values>, Vec<Dimension>),
    ) {
        let mut stored = Vec::new();
        self.leaves_of(name, shape, within, &mut stored);
        for (offset, Stored { name, kind, facts, default }) in stored.into_iter().enumerate() {
            let id = first.0 as usize + offset;
            self.variables[id] = facts;
            self.name_dimensions(VariableId(id as u32));
            let variable = &mut self.system.variables[id];
            variable.name = name;
            variable.kind = kind;
            variable.initial = Initial::Among(vec![default]);
        }
    }

    fn leaves_of(
        &self,
        name: &str,
        shape: &Shape,
        (spans, dimensions): (Vec<Values>, Vec<Dimension>),
        stored: &mut Vec<Stored>,
    ) {
        let one = |name: String, leaf: &Leaf, spans: Vec<Values>, dimensions: Vec<Dimension>| Stored {
            name,
            kind: Type { dimensions: spans, scalar: leaf.scalar.clone() },
            facts: Variable { kind: leaf.kind, range: leaf.range, dimensions },
            default: Self::default_value(&leaf.scalar),
        };
        let longer = |span: &Values, own: &Dimension| {
            let spans = spans.iter().cloned().chain([span.clone()]).collect();
            (spans, dimensions.iter().copied().chain([*own]).collect())
        };
        match shape {
            Shape::One(leaf) => stored.push(one(name.to_owned(), leaf, spans, dimensions)),
            Shape::Array(span, own, inner) => self.leaves_of(name, inner, longer(span, own), stored),
            Shape::Record(number, fields) => {
                for (field, shape) in self.records[*number].fields.iter().zip(fields) {
                    let name = format!("{name}.{}", field.name.text);
                    self.leaves_of(&name, shape, (spans.clone(), dimensions.clone()), stored);
                }
            }
            Shape::Set(span, own) => {
                let (spans, dimensions) = longer(span, own);
                stored.push(one(name.to_owned(), &TRUTH, spans, dimensions));
            }
            Shape::Seq(room, inner) => {
                let length =
                    one(format!("len({name})"), &Shape::length(*room), spans.clone(), dimensions.clone());
                stored.push(length);
                let own = Dimension { values: Interval::new(0, room - 1), kind: Kind::Int };
                self.leaves_of(name, inner, longer(&Values::between(0, room - 1), &own), stored);
            }
        }
    }

    /// A shape as it is shown.
    pub(super) fn shown_shape(&self, shape: &Shape) -> model::system::Shape {
        match shape {
            Shape::One(_) => model::system::Shape::One,
            Shape::Array(_, _, inner) => model::system::Shape::Array(Box::new(self.shown_shape(inner))),
            Shape::Record(number, fields) => {
                let record = &self.records[*number];
                let names = record.fields.iter().map(|field| field.name.text.clone());
                let fields = names.zip(fields.iter().map(|field| self.shown_shape(field))).collect();
                model::system::Shape::Record(record.name.text.clone(), fields)
            }
            Shape::Set(span, own) => model::system::Shape::Set(match own.kind {
                Kind::Bool => Scalar::Bool,
                Kind::Enum(id) => Scalar::Enum(id),
                _ => Scalar::Range(span.clone()),
            }),
            Shape::Seq(_, inner) => model::system::Shape::Sequence(Box::new(self.shown_shape(inner))),
        }
    }

    /// What a value of a shape is called in messages.
    pub(super) fn shape_name(&self, shape: &Shape) -> String {
        match shape {
            Shape::One(leaf) => self.kind_name(leaf.kind),
            Shape::Array(..) => "an array".to_owned(),
            Shape::Record(number, _) => format!("a `{}`", self.records[*number].name.text),
            Shape::Set(..) => "a set".to_owned(),
            Shape::Seq(..) => "a sequence".to_owned(),
        }
    }

    /// The place that a reference to a variable stands for: with its shape, if it has one.
    pub(super) fn variable_reference(
        &self,
        id: VariableId,
        process: Option<Expr>,
    ) -> super::places::Reference {
        use super::places::Reference;
        match self.shapes.get(&id) {
            Some(shape) => {
                Reference::Stored(Located { shape: shape.clone(), first: id, process, position: Vec::new() })
            }
            None => Reference::Variable { id, process, position: Vec::new() },
        }
    }

    /// The number of a field, and of the leaves before it.
    pub(super) fn field_of(
        &mut self,
        record: usize,
        name: &Name,
        shapes: Option<&[Shape]>,
    ) -> Option<(usize, usize)> {
        let fields = self.records[record].fields;
        if let Some(number) = fields.iter().position(|field| field.name.text == name.text) {
            let before = shapes.map_or(0, |shapes| shapes[..number].iter().map(Shape::leaves).sum());
            return Some((number, before));
        }
        self.unknown_field(record, name);
        None
    }

    /// Reports a field that a record does not have.
    pub(super) fn unknown_field(&mut self, record: usize, name: &Name) {
        let fields = self.records[record].fields;
        let message = format!("`{}` has no field `{}`", self.records[record].name.text, name.text);
        let diagnostic = Diagnostic::error(name.span, message, "not a field");
        let diagnostic =
            self.suggest(diagnostic, &name.text, fields.iter().map(|field| field.name.text.as_str()));
        self.report(diagnostic);
    }
}

/// A place with a shape: the first of its leaves, and the indices given so far.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) shape: Shape,
    pub(super) first: VariableId,
    pub(super) process: Option<Expr>,
    pub(super) position: Vec<Expr>,
}

impl Located {
    /// A part of it, `leaves` further on, with more indices.
    pub(super) fn part(
        &self,
        shape: Shape,
        leaves: usize,
        indices: impl IntoIterator<Item = Expr>,
    ) -> Located {
        Located {
            shape,
            first: VariableId(self.first.0 + leaves as u32),
            process: self.process.clone(),
            position: self.position.iter().cloned().chain(indices).collect(),
        }
    }

    /// The place of one of its leaves.
    pub(super) fn leaf(&self, leaves: usize, indices: impl IntoIterator<Item = Expr>) -> model::Place {
        model::Place {
            variable: VariableId(self.first.0 + leaves as u32),
            process: self.process.clone().map(Box::new),
            position: self.position.iter().cloned().chain(indices).collect(),
        }
    }

    /// The value of a leaf with this type.
    pub(super) fn read(&self, leaf: &Leaf, leaves: usize, indices: impl IntoIterator<Item = Expr>) -> Typed {
        let expr = Expr::Read(self.leaf(leaves, indices));
        Typed { expr, kind: leaf.kind, range: leaf.range, total: false }
    }
}

/// The record that a type contains directly, by name. Every type mentions at most one.
fn record_in(kind: &syntax::Type) -> Option<&str> {
    match kind {
        syntax::Type::Array(_, inner) | syntax::Type::Seq(_, inner) | syntax::Type::Set(inner) => {
            record_in(inner)
        }
        syntax::Type::Named(name) => Some(&name.text),
        _ => None,
    }
}
