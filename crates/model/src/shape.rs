//! The shapes of values that are stored in several variables: records, sets and sequences. Only used to show states.
//!
//! Such a value has one variable per *leaf*, with consecutive ids: a record those of its fields, a set one truth value for
//! every possible member, a sequence its length and then those of its items. Arrays, sets and the items of sequences are
//! dimensions of the leaves inside them. [`spots`] finds for everything that has a value in a state the cells that hold it.

use crate::instance::{Instance, ProcessId};
use crate::show::{Spot, SpotName};
use crate::system::{Channel, Scalar, System, VariableId};

/// A variable of the user with a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaped {
    /// Its name.
    pub name: String,
    /// The first of its leaves.
    pub first: VariableId,
    /// Its shape.
    pub shape: Shape,
}

/// The shape of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A single value.
    One,
    /// An array.
    Array(Box<Shape>),
    /// A record: its name, and its fields.
    Record(String, Vec<(String, Shape)>),
    /// A set of values of this type.
    Set(Scalar),
    /// A sequence.
    Sequence(Box<Shape>),
}

impl Shape {
    /// The number of variables that store it.
    pub fn leaves(&self) -> usize {
        match self {
            Shape::One | Shape::Set(_) => 1,
            Shape::Array(inner) => inner.leaves(),
            Shape::Record(_, fields) => fields.iter().map(|(_, field)| field.leaves()).sum(),
            Shape::Sequence(inner) => 1 + inner.leaves(),
        }
    }
}

/// The cells that hold a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A single value.
    Cell(usize),
    /// The elements of an array.
    List(Vec<Layout>),
    /// A record: its name, and its fields.
    Record(String, Vec<(String, Layout)>),
    /// A set: the type of its members, and each possible member with the cell that says whether it is one.
    Set(Scalar, Vec<(i64, usize)>),
    /// A sequence: its length, and its items.
    Sequence(usize, Vec<Layout>),
    /// A channel: its length, and the fields of each message, the oldest first.
    Queue(usize, Vec<Vec<Layout>>),
}

impl Layout {
    /// All its cells.
    pub fn cells(&self) -> Vec<usize> {
        match self {
            Layout::Cell(cell) => vec![*cell],
            Layout::List(parts) => parts.iter().flat_map(Layout::cells).collect(),
            Layout::Record(_, fields) => fields.iter().flat_map(|(_, field)| field.cells()).collect(),
            Layout::Set(_, members) => members.iter().map(|(_, cell)| *cell).collect(),
            Layout::Sequence(length, items) => {
                std::iter::once(*length).chain(items.iter().flat_map(Layout::cells)).collect()
            }
            Layout::Queue(length, messages) => {
                let fields = messages.iter().flatten().flat_map(Layout::cells);
                std::iter::once(*length).chain(fields).collect()
            }
        }
    }
}

impl System {
    /// The variable of the user that a variable is a leaf of, if it has a shape, and the number of leaves before it.
    pub fn shaped(&self, variable: VariableId) -> Option<(&Shaped, usize)> {
        self.shaped.iter().find_map(|own| {
            let before = variable.0.checked_sub(own.first.0)? as usize;
            (before < own.shape.leaves()).then_some((own, before))
        })
    }

    /// How a place is written: the name of its variable, `owner` before it, with these indices.
    pub fn place_name(&self, owner: &str, variable: VariableId, indices: &[String]) -> String {
        let mut indices = indices.iter();
        let Some((own, mut leaf)) = self.shaped(variable) else {
            let name = format!("{owner}{}", self.variable(variable).name);
            return indices.fold(name, |name, index| format!("{name}[{index}]"));
        };
        let mut name = format!("{owner}{}", own.name);
        let mut shape = &own.shape;
        loop {
            match shape {
                Shape::One => return name,
                Shape::Sequence(_) if leaf == 0 => return format!("len({name})"),
                Shape::Record(_, fields) => {
                    let mut inside = None;
                    for (field, part) in fields {
                        if leaf < part.leaves() {
                            inside = Some((field, part));
                            break;
                        }
                        leaf -= part.leaves();
                    }
                    let Some((field, part)) = inside else { return name };
                    name = format!("{name}.{field}");
                    shape = part;
                }
                Shape::Array(inner) | Shape::Sequence(inner) => {
                    leaf -= usize::from(matches!(shape, Shape::Sequence(_)));
                    name = indices.next().map_or(name.clone(), |index| format!("{name}[{index}]"));
                    shape = inner;
                }
                Shape::Set(_) => {
                    return indices.next().map_or(name.clone(), |index| format!("{name}[{index}]"));
                }
            }
        }
    }
}

/// Everything that has a value in a state, in the order of its first cell, with the cells that hold the value. The
/// elements of an array that is declared as a variable are shown one by one.
pub fn spots(instance: &Instance) -> Vec<(Spot, Layout)> {
    let mut found = Vec::new();
    let mut last: Option<(VariableId, Option<ProcessId>, Vec<i64>)> = None;
    for (number, cell) in instance.cells.iter().enumerate() {
        let system = &instance.system;
        let holds =
            |channel: &&Channel| channel.length == cell.variable || channel.fields.contains(&cell.variable);
        if let Some(channel) = system.channels.iter().find(holds) {
            // The length variable stands for the whole channel; in an array of channels, for the one at its position.
            if channel.length == cell.variable {
                let indices = positions(instance, channel.length, &cell.position);
                let name =
                    indices.iter().fold(channel.name.clone(), |name, index| format!("{name}[{index}]"));
                let name = SpotName::of_variable(instance, &name, None, &cell.position);
                found.push((Spot::Variable(name), queue(instance, channel, number, &cell.position)));
            }
            continue;
        }
        let Some((own, before)) = system.shaped(cell.variable) else {
            let located = cell.owner.filter(|owner| {
                let family = instance.processes[owner.0 as usize].family;
                system.family(family).location == Some(cell.variable)
            });
            let spot = match located {
                Some(process) => Spot::Location(SpotName::of_process(instance, process)),
                None => {
                    Spot::Variable(SpotName::of_variable(instance, &cell.name, cell.owner, &cell.position))
                }
            };
            found.push((spot, Layout::Cell(number)));
            continue;
        };
        let mut shape = &own.shape;
        let mut arrays = 0;
        while let Shape::Array(inner) = shape {
            shape = inner;
            arrays += 1;
        }
        let outer = cell.position[..arrays].to_vec();
        let here = Some((own.first, cell.owner, outer.clone()));
        if before > 0 || here == last {
            continue;
        }
        last = here;
        let indices = positions(instance, cell.variable, &outer);
        let owner = cell
            .owner
            .map_or_else(String::new, |owner| format!("{}.", instance.processes[owner.0 as usize].name));
        let name = format!("{owner}{}", own.name);
        let name = indices.iter().fold(name, |name, index| format!("{name}[{index}]"));
        let name = SpotName::of_variable(instance, &name, cell.owner, &outer);
        found.push((Spot::Variable(name), layout(instance, shape, own.first, cell.owner, &outer)));
    }
    found
}

/// How the indices of a variable are written.
fn positions(instance: &Instance, variable: VariableId, position: &[i64]) -> Vec<String> {
    let name = |(dimension, index): (usize, &i64)| instance.system.position_name(variable, dimension, *index);
    position.iter().enumerate().map(name).collect()
}

/// The cells of a value whose leaves begin with `first`, at this position of their arrays.
fn layout(
    instance: &Instance,
    shape: &Shape,
    first: VariableId,
    owner: Option<ProcessId>,
    position: &[i64],
) -> Layout {
    // A position that is within the dimensions has a cell.
    let cell = |position: &[i64]| instance.cell(first, owner, position).unwrap_or(0);
    let indices = |variable: VariableId| {
        let (lo, hi) = instance.dimensions(variable).get(position.len()).copied().unwrap_or((1, 0));
        (lo..=hi).map(|index| position.iter().copied().chain([index]).collect::<Vec<i64>>())
    };
    match shape {
        Shape::One => Layout::Cell(cell(position)),
        Shape::Array(inner) => {
            let element = |position: Vec<i64>| layout(instance, inner, first, owner, &position);
            Layout::List(indices(first).map(element).collect())
        }
        Shape::Set(scalar) => {
            let member = |position: Vec<i64>| (position.last().copied().unwrap_or(0), cell(&position));
            Layout::Set(scalar.clone(), indices(first).map(member).collect())
        }
        Shape::Sequence(inner) => {
            let items = VariableId(first.0 + 1);
            let item = |position: Vec<i64>| layout(instance, inner, items, owner, &position);
            Layout::Sequence(cell(position), indices(items).map(item).collect())
        }
        Shape::Record(name, fields) => {
            let mut first = first.0;
            let mut parts = Vec::new();
            for (field, shape) in fields {
                parts.push((field.clone(), layout(instance, shape, VariableId(first), owner, position)));
                first += shape.leaves() as u32;
            }
            Layout::Record(name.clone(), parts)
        }
    }
}

/// The cells of a channel, or of the one at this position of an array of channels.
fn queue(instance: &Instance, channel: &Channel, length: usize, position: &[i64]) -> Layout {
    let Some(slots) =
        channel.fields.first().and_then(|field| instance.dimensions(*field).get(position.len()))
    else {
        return Layout::Queue(length, Vec::new());
    };
    let message = |slot: i64| {
        let position: Vec<i64> = position.iter().copied().chain([slot]).collect();
        let mut fields = channel.fields.iter();
        let field = |shape: &Shape| {
            let first = fields.next().copied().unwrap_or(channel.length);
            fields.by_ref().take(shape.leaves() - 1).for_each(drop);
            layout(instance, shape, first, None, &position)
        };
        channel.shapes.iter().map(field).collect::<Vec<_>>()
    };
    Layout::Queue(length, (slots.0..=slots.1).map(message).collect())
}
