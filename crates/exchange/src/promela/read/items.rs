//! The declarations of a translated model: records, variables, channels, and the variables that stand for what SPIN
//! knows of processes.

use lang::diagnostic::Diagnostic;
use lang::syntax::{
    Comments, Expr as Tree, ExprKind, Field, Initial as Start, Item, ItemKind, Member, MemberKind, Network,
    Process as Family, Span, Statement, Type, Variables,
};

use super::actions::assign;
use super::syntax::Initial;
use super::translate::{Translator, Who, of_family};
use super::world::{Kind, Result, Step, Variable, Where, World};
use crate::numbers::Interval;
use crate::tree::{declaration, expr, int, item, name, named, range};

fn numbers(values: Interval, span: Span) -> Type {
    Type::Range(range(values.lo, values.hi, span))
}

fn array(size: i64, of: Type, span: Span) -> Type {
    Type::Array(range(0, size - 1, span), Box::new(of))
}

fn list(values: Vec<Tree>, span: Span) -> Tree {
    expr(ExprKind::List(values), span)
}

/// The type of a variable or a field, as in the declaration.
fn kind_of(world: &World<'_>, kind: &Kind, size: Option<i64>, span: Span) -> Type {
    let one = match kind {
        Kind::Record(number) => Type::Named(name(world.records[*number].called.clone(), span)),
        Kind::Symbol => Type::Named(name(world.mtype.as_ref().map_or("", |(called, _)| called), span)),
        _ => numbers(world.values(kind), span),
    };
    match size {
        None => one,
        Some(size) => array(size, one, span),
    }
}

fn shared(called: &str, kind: Type, initial: Option<Tree>, span: Span) -> Item {
    let initial = initial.map(Start::Value);
    declaration(ItemKind::Shared(Variables { names: vec![name(called, span)], kind, initial }), span)
}

/// The value that a variable has before anything is stored in it; `None` if it is the default of its type.
fn initial(world: &World<'_>, variable: &Variable, slot: Option<(usize, i64)>) -> Option<Tree> {
    let span = variable.declared.name.span;
    if matches!(variable.kind, Kind::Record(_)) {
        let begins = world.begins_with_values(&variable.kind);
        return begins.then(|| world.beginning(&variable.kind, variable.size, &[], true, span));
    }
    let values = world.values(&variable.kind);
    let wrapped = |value: i64| (value - values.lo).rem_euclid(values.hi - values.lo + 1) + values.lo;
    let value = |at: i64| -> i64 {
        if let Some(group) = variable.group {
            let group = &world.groups[group];
            return group.first + slot.map_or(0, |(_, slot)| slot * group.each) + at;
        }
        let constant = |expr: &super::syntax::Expr| match slot {
            None => world.at_first(expr),
            Some((process, slot)) => starting(world, process, slot, expr, 0),
        };
        let given = match &variable.declared.initial {
            Initial::Value(value) => constant(value),
            Initial::List(values) => {
                usize::try_from(at).ok().and_then(|at| values.get(at)).and_then(constant)
            }
            _ => None,
        };
        wrapped(given.unwrap_or(0))
    };
    Some(match variable.size {
        None => world.value_of(&variable.kind, value(0), span),
        Some(size) => {
            list((0..size).map(|at| world.value_of(&variable.kind, value(at), span)).collect(), span)
        }
    })
}

/// The value of an initial expression for a process that is active from the beginning.
fn starting(
    world: &World<'_>,
    process: usize,
    slot: i64,
    expr: &super::syntax::Expr,
    depth: usize,
) -> Option<i64> {
    let family = &world.processes[process];
    expr.constant(&|name| {
        if depth > 20 {
            return None;
        }
        if name == "_pid" {
            return Some(family.first_pid + slot);
        }
        match family.variables.get(name) {
            Some(variable) => match &variable.declared.initial {
                Initial::Value(value) => starting(world, process, slot, value, depth + 1),
                Initial::None => Some(0),
                _ => None,
            },
            None => world.first_value(name, 20 - depth),
        }
    })
}

/// Refuses initial values that are not known: those that depend on elements of arrays, or on channels.
pub(super) fn check_beginnings(world: &World<'_>) -> Result<()> {
    let refuse = |variable: &Variable| {
        let message = "an initial value that depends on more than plain variables is not supported";
        Err(Diagnostic::error(variable.declared.name.span, message, "of this variable").into())
    };
    let given = |variable: &Variable| match &variable.declared.initial {
        Initial::Value(value) => vec![value.clone()],
        Initial::List(values) => values.clone(),
        _ => Vec::new(),
    };
    for variable in world.globals.values() {
        if !matches!(variable.kind, Kind::Chan)
            && given(variable).iter().any(|value| world.at_first(value).is_none())
        {
            return refuse(variable);
        }
    }
    for (number, family) in world.processes.iter().enumerate().filter(|(_, family)| family.active > 0) {
        let parameters = family.source.parameters.len();
        for variable in family.order[parameters..].iter().map(|name| &family.variables[name]) {
            let is_known = |value| starting(world, number, 0, value, 0).is_some();
            if variable.place == Where::PerProcess
                && variable.group.is_none()
                && !given(variable).iter().all(is_known)
            {
                return refuse(variable);
            }
        }
    }
    Ok(())
}

/// The default value of a variable of a process that does not live.
fn unborn(world: &World<'_>, variable: &Variable) -> Option<Tree> {
    let span = variable.declared.name.span;
    match (&variable.kind, variable.size) {
        (kind @ Kind::Record(_), size) => {
            let begins = world.begins_with_values(kind);
            begins.then(|| world.beginning(kind, size, &[], false, span))
        }
        (kind, size) => {
            let values = world.values(kind);
            let zero = || world.value_of(kind, 0.clamp(values.lo, values.hi), span);
            Some(match size {
                None => zero(),
                Some(size) => list((0..size).map(|_| zero()).collect(), span),
            })
        }
    }
}

/// The declarations of the whole file.
pub(super) fn globals(world: &World<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let span = Span::default();
    if let Some((called, members)) = &world.mtype {
        let members = members.iter().map(|member| name(member.clone(), span)).collect();
        items.push(declaration(ItemKind::Enum { name: name(called.clone(), span), members }, span));
    }
    for record in &world.records {
        let fields = record.fields.iter().map(|(_, called, kind, size)| Field {
            name: name(called.clone(), span),
            kind: kind_of(world, kind, *size, span),
        });
        let kind = ItemKind::Record { name: name(record.called.clone(), span), fields: fields.collect() };
        items.push(declaration(kind, span));
    }
    channels(world, &mut items);
    for known in &world.order {
        let variable = &world.globals[known];
        if variable.place != Where::Shared {
            continue;
        }
        let span = variable.declared.name.span;
        let kind = kind_of(world, &variable.kind, variable.size, span);
        items.push(shared(&variable.called, kind, initial(world, variable, None), span));
    }
    for (number, family) in world.processes.iter().enumerate().filter(|(_, family)| family.count > 0) {
        let span = family.source.name.span;
        for known in &family.order {
            let variable = &family.variables[known];
            if variable.place != Where::PerProcess {
                continue;
            }
            let kind = kind_of(world, &variable.kind, variable.size, span);
            let value = |slot: i64| {
                if slot < family.active {
                    initial(world, variable, Some((number, slot)))
                } else {
                    unborn(world, variable)
                }
            };
            let (kind, first) = if family.is_family() {
                let values: Option<Vec<Tree>> = (0..family.count).map(value).collect();
                (array(family.count, kind, span), values.map(|values| list(values, span)))
            } else {
                (kind, value(0))
            };
            items.push(shared(&variable.called, kind, first, span));
        }
        if family.runs {
            let values = Interval::new(0, 255);
            let pid = |slot: i64| int(if slot < family.active { family.first_pid + slot } else { 0 }, span);
            let (kind, first) = if family.is_family() {
                (
                    array(family.count, numbers(values, span), span),
                    list((0..family.count).map(pid).collect(), span),
                )
            } else {
                (numbers(values, span), pid(0))
            };
            items.push(shared(&family.pid, kind, Some(first), span));
            let kind = numbers(Interval::new(0, family.count), span);
            items.push(shared(&family.alive, kind, Some(int(family.active, span)), span));
        }
    }
    if let Some(alive) = &world.alive {
        let all: i64 = world.processes.iter().map(|process| process.active).sum();
        items.push(shared(alive, numbers(Interval::new(0, 255), span), Some(int(all, span)), span));
    }
    let meets = world.groups.iter().any(|group| group.capacity == 0);
    if let Some(holder) = &world.holder {
        items.push(shared(holder, numbers(Interval::new(0, 256), span), Some(int(0, span)), span));
        if meets {
            items.push(shared(
                &world.partner,
                numbers(Interval::new(0, 256), span),
                Some(int(0, span)),
                span,
            ));
        }
    }
    for (called, kind) in world.scratch.values() {
        let zero = world.value_of(kind, 0, span);
        items.push(shared(called, kind_of(world, kind, None, span), Some(zero), span));
    }
    items
}

fn channels(world: &World<'_>, items: &mut Vec<Item>) {
    for group in world.groups.iter().filter(|group| group.count > 0) {
        let span = group.span;
        let mut fields: Vec<Type> =
            group.fields.iter().map(|kind| kind_of(world, kind, None, span)).collect();
        if group.capacity == 0 {
            if world.holder.is_some() {
                fields.push(numbers(Interval::new(0, 256), span));
            }
            let numbers = (group.count > 1).then(|| range(group.first, group.last(), span));
            let kind = ItemKind::Chan {
                name: name(group.called.clone(), span),
                range: numbers,
                capacity: int(0, span),
                network: Network::default(),
                fields,
            };
            items.push(declaration(kind, span));
            continue;
        }
        let message = if fields.len() == 1 {
            fields.remove(0)
        } else {
            let called = format!("{}_message", group.called);
            let fields = fields.into_iter().enumerate();
            let fields = fields.map(|(at, kind)| Field { name: name(format!("f{}", at + 1), span), kind });
            let kind = ItemKind::Record { name: name(called.clone(), span), fields: fields.collect() };
            items.push(declaration(kind, span));
            Type::Named(name(called, span))
        };
        let queue = Type::Seq(int(group.capacity, span), Box::new(message));
        let kind = if group.count == 1 {
            queue
        } else {
            Type::Array(range(group.first, group.last(), span), Box::new(queue))
        };
        items.push(shared(&group.called, kind, None, span));
    }
}

/// A proctype with its code.
pub(super) fn family(world: &World<'_>, process: usize, body: Vec<Statement>) -> Item {
    let family = &world.processes[process];
    let span = family.source.name.span;
    let mut members = Vec::new();
    for known in &family.order {
        let variable = &family.variables[known];
        if variable.place != Where::Local {
            continue;
        }
        let span = variable.declared.name.span;
        let kind = kind_of(world, &variable.kind, variable.size, span);
        let initial = initial(world, variable, None).map(Start::Value);
        let variables = Variables { names: vec![name(variable.called.clone(), span)], kind, initial };
        members.push(Member { kind: MemberKind::Local(variables), span, comments: Comments::default() });
    }
    let indices = if family.is_family() {
        vec![lang::syntax::Binder {
            name: name(family.index.clone(), span),
            range: range(0, family.count - 1, span),
        }]
    } else {
        Vec::new()
    };
    let family = Family {
        environment: false,
        name: name(family.called.clone(), span),
        indices,
        members,
        body,
        trailing: Vec::new(),
    };
    declaration(ItemKind::Process(family), span)
}

/// A part of a record, and its type.
fn part(world: &World<'_>, (tree, kind): (Tree, Kind), step: Step, span: Span) -> (Tree, Kind) {
    match (step, &kind) {
        (Step::Element(index), _) => (item(tree, int(index, span)), kind),
        (Step::Field(field), Kind::Record(record)) => {
            let known = world.records[*record].fields.iter().find(|(own, ..)| *own == field);
            let (called, kind) =
                known.map_or((field, kind.clone()), |(_, called, kind, _)| (called.clone(), kind.clone()));
            (expr(ExprKind::Field(Box::new(tree), name(called, span)), span), kind)
        }
        _ => (tree, kind),
    }
}

/// Statements that reset all variables and channels of a process that dies.
pub(super) fn resets(translator: Translator<'_>, who: &Who) -> Vec<Statement> {
    let world = translator.world;
    let family = &world.processes[who.process];
    let span = family.source.name.span;
    let mut effects = Vec::new();
    for known in &family.order {
        let variable = &family.variables[known];
        let place = named(variable.called.clone(), span);
        let begins = world.begins_with_values(&variable.kind);
        match variable.place {
            Where::Local | Where::PerProcess if matches!(variable.kind, Kind::Record(_)) && !begins => {
                let base = if variable.place == Where::Local { place } else { of_family(place, who) };
                for (path, kind) in world.leaves(&variable.kind, variable.size) {
                    let part = path.into_iter().fold((base.clone(), variable.kind.clone()), |own, step| {
                        part(world, own, step, span)
                    });
                    effects.push(assign(part.0, world.value_of(&kind, 0, span)));
                }
            }
            Where::Local => {
                if let Some(value) = initial(world, variable, None) {
                    effects.push(assign(place, value));
                }
            }
            Where::PerProcess => {
                if let Some(value) = unborn(world, variable) {
                    effects.push(assign(of_family(place, who), value));
                }
            }
            Where::Shared | Where::Channel(_) => {}
        }
    }
    if family.runs {
        effects.push(assign(of_family(named(family.pid.clone(), span), who), int(0, span)));
    }
    for (number, group) in world.groups.iter().enumerate() {
        if group.owner != Some(who.process) || group.capacity == 0 {
            continue;
        }
        let (first, _) = translator.own_channel(number, span);
        for at in 0..group.each {
            let own = lang::syntax::Binary::Add;
            let place = if group.count == 1 {
                named(group.called.clone(), span)
            } else {
                item(
                    named(group.called.clone(), span),
                    crate::tree::binary(own, first.clone(), int(at, span)),
                )
            };
            effects.push(assign(place, list(Vec::new(), span)));
        }
    }
    effects
}
