//! Which variables of type `mtype` hold symbols and nothing else.
//!
//! These become variables of an enum, so that states show symbols by their names. An `mtype` is a byte in SPIN, so a model may
//! also calculate with it or store any number in it. Then it stays a number here. A variable, a field of a record or a field of
//! a message holds symbols if everything that is stored in it is a symbol, 0, or comes from something that holds symbols.
//! The greatest set with this property is found by leaving out what violates it until nothing does. What is only read as a
//! number, as in a sum, is converted there.

use std::collections::BTreeSet;

use super::count::run_of;
use super::flow::Step;
use super::points::Points;
use super::syntax::{Expr, Initial, Node, Place};
use super::world::{Kind, SYMBOL, Variable, World};
use crate::tree::free;

/// Something that holds values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    /// A variable of a proctype, or of the whole file.
    Variable(Option<usize>, String),
    /// A field of a `typedef`.
    Part(usize, String),
    /// A field of the messages of a group of channels.
    Field(usize, usize),
}

/// Makes numbers of what holds more than symbols, and gives names to the symbols if something is left.
pub(super) fn settle(world: &mut World<'_>, points: &Points) {
    loop {
        let found = numbers(world, points);
        if found.is_empty() {
            break;
        }
        for holder in found {
            let kind = match holder {
                Holder::Variable(Some(process), name) => {
                    world.processes[process].variables.get_mut(&name).map(|variable| &mut variable.kind)
                }
                Holder::Variable(None, name) => {
                    world.globals.get_mut(&name).map(|variable| &mut variable.kind)
                }
                Holder::Part(record, name) => {
                    let mut fields = world.records[record].fields.iter_mut();
                    fields.find(|(own, ..)| *own == name).map(|(_, _, kind, _)| kind)
                }
                Holder::Field(group, field) => world.groups[group].fields.get_mut(field),
            };
            if let Some(kind) = kind {
                *kind = Kind::Number(SYMBOL);
            }
        }
    }
    let locals = world.processes.iter().flat_map(|process| process.variables.values());
    let variables = world.globals.values().chain(locals).map(|variable| &variable.kind);
    let parts = world.records.iter().flat_map(|record| record.fields.iter().map(|(_, _, kind, _)| kind));
    let fields = world.groups.iter().flat_map(|group| &group.fields);
    if variables.chain(parts).chain(fields).any(|kind| *kind == Kind::Symbol) {
        let mut members: Vec<(i64, String)> =
            world.symbols.iter().map(|(name, value)| (*value, name.clone())).collect();
        members.sort();
        let called = free("mtype", &mut world.taken);
        let mut names: Vec<String> =
            members.into_iter().map(|(_, name)| free(&name, &mut world.taken)).collect();
        names.insert(0, free("unset", &mut world.taken));
        world.mtype = Some((called, names));
    }
}

/// What is said to hold symbols, and is given something else.
fn numbers(world: &World<'_>, points: &Points) -> BTreeSet<Holder> {
    let mut found = BTreeSet::new();
    let mut store = |(holder, kind): (Holder, &Kind), fits: bool| {
        if *kind == Kind::Symbol && !fits {
            found.insert(holder);
        }
    };
    let mut begin = |variable: &Variable, name: &str, process: Option<usize>| {
        let values = match &variable.declared.initial {
            Initial::Value(value) => std::slice::from_ref(value),
            Initial::List(values) => values,
            Initial::None | Initial::Channel(..) => &[],
        };
        for value in values {
            let holder = Holder::Variable(process, name.to_owned());
            store((holder, &variable.kind), is_symbol(world, value, process));
        }
    };
    for (name, variable) in &world.globals {
        begin(variable, name, None);
    }
    for (number, process) in world.processes.iter().enumerate() {
        for (name, variable) in &process.variables {
            begin(variable, name, Some(number));
        }
    }
    for (number, process) in world.processes.iter().enumerate() {
        let own = Some(number);
        let edges = process.flow.nodes.iter().flat_map(|node| node.edges.iter().chain(&node.escapes));
        for step in edges.map(|edge| &edge.step) {
            if let Some((created, values)) = run_of(step)
                && let Ok(created) = world.process(created)
            {
                let other = &world.processes[created];
                for (parameter, value) in other.source.parameters.iter().zip(values) {
                    let name = &parameter.name.text;
                    let kind = &other.variables[name].kind;
                    let holder = Holder::Variable(Some(created), name.clone());
                    store((holder, kind), is_symbol(world, value, own));
                }
            }
            match step {
                Step::Assign(place, value) => {
                    if let Some(target) = held(world, place, own) {
                        store(target, is_symbol(world, value, own));
                    }
                }
                Step::Send { channel, values, .. } => {
                    for group in points.of(channel, own, world) {
                        let fields = world.groups[group].fields.iter().enumerate();
                        for ((field, kind), value) in fields.zip(values) {
                            store((Holder::Field(group, field), kind), is_symbol(world, value, own));
                        }
                    }
                }
                Step::Receive { channel, values, .. } => {
                    for group in points.of(channel, own, world) {
                        for (kind, value) in world.groups[group].fields.iter().zip(values) {
                            let Node::Place(place) = &value.node else { continue };
                            if let Some(target) = held(world, place, own) {
                                store(target, *kind == Kind::Symbol);
                            }
                        }
                    }
                }
                Step::Skip | Step::Wait(_) | Step::Else(_) | Step::Assert(_) => {}
            }
        }
    }
    found
}

/// What a place is a part of, and its type.
fn held<'a>(world: &'a World<'_>, place: &Place, process: Option<usize>) -> Option<(Holder, &'a Kind)> {
    let (variable, is_own) = world.find(&place.name, process).ok()?;
    let kind = world.kind_at(variable, place)?;
    let Some((last, _)) = place.fields.last() else {
        let owner = process.filter(|_| is_own);
        return Some((Holder::Variable(owner, place.name.text.clone()), kind));
    };
    let mut outer = place.clone();
    outer.fields.pop();
    let Kind::Record(record) = world.kind_at(variable, &outer)? else { return None };
    Some((Holder::Part(*record, last.text.clone()), kind))
}

/// Whether an expression is a symbol, 0, or something that holds symbols.
fn is_symbol(world: &World<'_>, expr: &Expr, process: Option<usize>) -> bool {
    match &expr.node {
        Node::Number(0) => true,
        Node::Place(place) => match held(world, place, process) {
            Some((_, kind)) => *kind == Kind::Symbol,
            None => place.is_plain() && world.symbols.contains_key(&place.name.text),
        },
        Node::If(_, yes, no) => is_symbol(world, yes, process) && is_symbol(world, no, process),
        Node::Eval(inner) => is_symbol(world, inner, process),
        _ => false,
    }
}
