//! The variables, channels and processes of a Promela model, and what they are called in ours.
//!
//! A proctype becomes a family of processes. How many can be alive at once is [counted](super::count) beforehand. SPIN lets
//! processes die in the reverse order of their creation, so those of one proctype that are alive are always the first
//! ones of the family, and one number, `P_alive`, says which. A process that does not live yet is at the beginning of its code; when
//! it dies, it resets its variables and goes back there. What the creator writes, parameters and variables whose initial
//! value depends on them, is shared: an array with an element for each process of the family.
//!
//! Every channel of the model has a number, which is the value of a variable of type `chan`. Those of one declaration have
//! consecutive numbers and are one [`Group`]. Which groups a variable may hold is found out [beforehand](super::points).

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::{Diagnostic, nearest};
use lang::syntax::{Expr as Tree, ExprKind, Name, Span};

use super::flow::Flow;
use super::syntax::{Base, Declaration, Expr, File, Initial, Node, Place, Process};
use crate::numbers::Interval;
use crate::tree::{expr, free, int, named};

pub(super) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// The greatest number of elements of an array.
const ELEMENTS: i64 = 100_000;

/// The type of a variable or a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number(Interval),
    /// Symbols of `mtype` and 0, and [nothing else](super::symbols).
    Symbol,
    Chan,
    /// A `typedef`, by number.
    Record(usize),
}

/// The values of `mtype`, which is a byte.
pub(super) const SYMBOL: Interval = Interval::new(0, 255);

impl Kind {
    /// Its numbers, if it is not a channel or a record.
    pub(super) fn numbers(&self) -> Option<Interval> {
        match self {
            Kind::Number(values) => Some(*values),
            Kind::Symbol => Some(SYMBOL),
            Kind::Chan | Kind::Record(_) => None,
        }
    }
}

/// Where a variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// It is shared.
    Shared,
    /// Each process has its own.
    Local,
    /// It is shared, with an element for each process.
    PerProcess,
    /// It is a channel that never changes: its group.
    Channel(usize),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) called: String,
    pub(super) kind: Kind,
    pub(super) size: Option<i64>,
    pub(super) place: Where,
    pub(super) declared: Declaration,
    /// The group of the channels it holds at first, if it is declared with one.
    pub(super) group: Option<usize>,
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) called: String,
    /// The name, our name, the type and the number of elements of each field.
    pub(super) fields: Vec<(String, String, Kind, Option<i64>)>,
    /// The first values of the elements of fields that are declared with some.
    pub(super) first: BTreeMap<String, Vec<i64>>,
}

/// A step on the way to a part of a record.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Field(String),
    Element(i64),
}

/// The channels of one declaration.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) called: String,
    pub(super) capacity: i64,
    /// The types of the values of a message: numbers, symbols, or channels.
    pub(super) fields: Vec<Kind>,
    /// The number of the first one.
    pub(super) first: i64,
    /// How many there are for each process, or in all.
    pub(super) each: i64,
    /// The proctype that declares it.
    pub(super) owner: Option<usize>,
    pub(super) count: i64,
    pub(super) span: Span,
}

impl Group {
    /// The number of the last one.
    pub(super) fn last(&self) -> i64 {
        self.first + self.count - 1
    }
}

/// A proctype.
#[derive(Debug)]
pub(super) struct Proctype<'a> {
    pub(super) source: &'a Process,
    pub(super) called: String,
    pub(super) flow: Flow,
    pub(super) variables: BTreeMap<String, Variable>,
    /// Its variables, parameters first, in order.
    pub(super) order: Vec<String>,
    /// How many are alive at the beginning.
    pub(super) active: i64,
    /// How many there can be at once.
    pub(super) count: i64,
    /// Whether `run` creates some.
    pub(super) runs: bool,
    /// The number of the first one that is active at the beginning.
    pub(super) first_pid: i64,
    /// The index of the family.
    pub(super) index: String,
    /// The variables that hold the number of living processes, and the number of each process.
    pub(super) alive: String,
    pub(super) pid: String,
    /// The labels of places.
    pub(super) places: Vec<String>,
    /// The label of a place after death.
    pub(super) dead: String,
}

impl Proctype<'_> {
    /// Whether the family has an index.
    pub(super) fn is_family(&self) -> bool {
        self.count > 1
    }

    /// Whether its code can come to its end.
    pub(super) fn ends(&self) -> bool {
        let flow = &self.flow;
        let mut seen = BTreeSet::from([flow.start]);
        let mut open = vec![flow.start];
        while let Some(at) = open.pop() {
            let node = &flow.nodes[at];
            for edge in node.edges.iter().chain(&node.escapes) {
                if seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        seen.contains(&flow.end)
    }
}

/// Everything that is declared.
#[derive(Debug)]
pub(super) struct World<'a> {
    pub(super) symbols: BTreeMap<String, i64>,
    /// What `mtype` is called, and its values from 0 on, if a variable holds symbols.
    pub(super) mtype: Option<(String, Vec<String>)>,
    pub(super) records: Vec<Record>,
    pub(super) globals: BTreeMap<String, Variable>,
    /// The names of globals, in order.
    pub(super) order: Vec<String>,
    pub(super) groups: Vec<Group>,
    pub(super) processes: Vec<Proctype<'a>>,
    pub(super) taken: BTreeSet<String>,
    /// The variable that holds the number of living processes, if processes come and go.
    pub(super) alive: Option<String>,
    /// The places of each proctype between steps; empty if they are not known yet.
    pub(super) stops: Vec<BTreeSet<usize>>,
    /// The variable that says which process must not be interrupted, if there can be one between steps.
    pub(super) holder: Option<String>,
    /// Variables that hold the fields of a message during a rendezvous, and whose it is.
    /// The key is the position of a field, and whether it is a symbol.
    pub(super) scratch: BTreeMap<(usize, bool), (String, Kind)>,
    pub(super) partner: String,
    /// The global numbers that only one process writes, with its proctype.
    pub(super) owned: BTreeMap<String, usize>,
}

impl<'a> World<'a> {
    /// What a file declares. The numbers of processes and channels are not known yet.
    /// Others ask about these labels.
    pub(super) fn new(file: &'a File, mentioned: &BTreeSet<String>) -> Result<World<'a>> {
        let mut world = World {
            symbols: symbols(file),
            mtype: None,
            records: Vec::new(),
            globals: BTreeMap::new(),
            order: Vec::new(),
            groups: Vec::new(),
            processes: Vec::new(),
            // Functions that the translation uses.
            taken: BTreeSet::from(["append", "tail"].map(str::to_owned)),
            alive: None,
            stops: Vec::new(),
            holder: None,
            scratch: BTreeMap::new(),
            partner: String::new(),
            owned: BTreeMap::new(),
        };
        for (name, fields) in &file.records {
            let record = world.record(name, fields)?;
            world.records.push(record);
        }
        for declaration in &file.variables {
            let mut taken = std::mem::take(&mut world.taken);
            let variable = world.variable(declaration, None, &mut taken);
            world.taken = taken;
            let variable = variable?;
            world.order.push(declaration.name.text.clone());
            if world.globals.insert(declaration.name.text.clone(), variable).is_some() {
                return Err(twice(&declaration.name).into());
            }
        }
        for process in &file.processes {
            let proctype = world.proctype(process, mentioned)?;
            if world.processes.iter().any(|known| known.source.name.text == process.name.text) {
                return Err(twice(&process.name).into());
            }
            world.processes.push(proctype);
        }
        if world.processes.iter().all(|process| process.active == 0) {
            let span = file.processes.first().map_or_else(Span::default, |process| process.name.span);
            return Err(Diagnostic::error(span, "no process is active at the beginning", "add `init`").into());
        }
        let mut pid = 0;
        for process in &mut world.processes {
            process.first_pid = pid;
            pid += process.active;
        }
        world.send_by_field();
        Ok(world)
    }

    /// The fields of a value of a type that are no records, by their paths, and their types.
    pub(super) fn leaves(&self, kind: &Kind, size: Option<i64>) -> Vec<(Vec<Step>, Kind)> {
        let own = match kind {
            Kind::Record(record) => {
                let mut found = Vec::new();
                for (name, _, kind, size) in &self.records[*record].fields {
                    for (path, kind) in self.leaves(kind, *size) {
                        let mut whole = vec![Step::Field(name.clone())];
                        whole.extend(path);
                        found.push((whole, kind));
                    }
                }
                found
            }
            kind => vec![(Vec::new(), kind.clone())],
        };
        let Some(size) = size else { return own };
        let at = |index: i64| {
            own.iter().map(move |(path, kind)| {
                let mut whole = vec![Step::Element(index)];
                whole.extend(path.iter().cloned());
                (whole, kind.clone())
            })
        };
        (0..size).flat_map(at).collect()
    }

    /// Whether a record of this type, or a part of it, begins with other values than 0.
    pub(super) fn begins_with_values(&self, kind: &Kind) -> bool {
        let Kind::Record(record) = kind else { return false };
        let record = &self.records[*record];
        !record.first.is_empty() || record.fields.iter().any(|(_, _, kind, _)| self.begins_with_values(kind))
    }

    /// The first value of something of this type, or of each of its elements. `given` has the numbers, unless it is a record;
    /// without `begins`, everything in a record is 0.
    pub(super) fn beginning(
        &self,
        kind: &Kind,
        size: Option<i64>,
        given: &[i64],
        begins: bool,
        span: Span,
    ) -> Tree {
        let one = |at: i64| match kind {
            Kind::Record(record) => {
                let record = &self.records[*record];
                let fields = record.fields.iter().map(|(own, called, kind, size)| {
                    let given = record.first.get(own).filter(|_| begins).map_or(&[][..], Vec::as_slice);
                    let value = self.beginning(kind, *size, given, begins, span);
                    (Name { text: called.clone(), span }, value)
                });
                let called = Name { text: record.called.clone(), span };
                expr(ExprKind::Record(called, fields.collect()), span)
            }
            kind => {
                let values = self.values(kind);
                let given = usize::try_from(at).ok().and_then(|at| given.get(at)).copied().unwrap_or(0);
                let wrapped = (given - values.lo).rem_euclid(values.hi - values.lo + 1) + values.lo;
                self.value_of(kind, wrapped, span)
            }
        };
        match size {
            None => one(0),
            Some(size) => expr(ExprKind::List((0..size).map(one).collect()), span),
        }
    }

    /// Writes records in messages as their fields.
    fn send_by_field(&mut self) {
        if self.records.is_empty() {
            return;
        }
        let mut processes = std::mem::take(&mut self.processes);
        for process in &mut processes {
            let variables = &process.variables;
            for node in &mut process.flow.nodes {
                for edge in node.edges.iter_mut().chain(&mut node.escapes) {
                    self.expand(&mut edge.step, variables);
                }
            }
        }
        self.processes = processes;
    }

    fn expand(&self, step: &mut super::flow::Step, variables: &BTreeMap<String, Variable>) {
        use super::flow::Step as Does;
        let values = match step {
            Does::Send { values, .. } | Does::Receive { values, .. } => values,
            Does::Else(others) => {
                others.iter_mut().for_each(|other| self.expand(other, variables));
                return;
            }
            _ => return,
        };
        let all = std::mem::take(values);
        for value in all {
            let Node::Place(place) = &value.node else {
                values.push(value);
                continue;
            };
            let variable = variables.get(&place.name.text).or_else(|| self.globals.get(&place.name.text));
            let record = variable.and_then(|variable| self.record_at(variable, place));
            let Some(record) = record else {
                values.push(value);
                continue;
            };
            for (path, _) in self.leaves(&Kind::Record(record), None) {
                let mut place = place.clone();
                for step in path {
                    match step {
                        Step::Field(name) => {
                            place.fields.push((Name { text: name, span: value.span }, None));
                        }
                        Step::Element(index) => {
                            if let Some((_, at)) = place.fields.last_mut() {
                                *at = Some(Expr::number(index, value.span));
                            }
                        }
                    }
                }
                values.push(Expr { node: Node::Place(place), span: value.span });
            }
        }
    }

    /// The record that a place holds, if it is one.
    fn record_at(&self, variable: &Variable, place: &Place) -> Option<usize> {
        match self.kind_at(variable, place)? {
            Kind::Record(record) => Some(*record),
            _ => None,
        }
    }

    /// The type of what a place of a variable holds.
    pub(super) fn kind_at<'b>(&'b self, variable: &'b Variable, place: &Place) -> Option<&'b Kind> {
        let mut kind = &variable.kind;
        for (field, _) in &place.fields {
            let Kind::Record(record) = kind else { return None };
            let (.., inner, _) = self.records[*record].fields.iter().find(|(own, ..)| *own == field.text)?;
            kind = inner;
        }
        Some(kind)
    }

    fn record(&mut self, name: &Name, fields: &[Declaration]) -> Result<Record> {
        let called = free(&name.text, &mut self.taken);
        let mut own = BTreeSet::new();
        let mut first = BTreeMap::new();
        let mut found = Vec::new();
        for field in fields {
            let kind = match &field.base {
                Base::Range(lo, hi) => Kind::Number(Interval::new(*lo, *hi)),
                Base::Symbol => Kind::Symbol,
                Base::Chan => Kind::Chan,
                Base::Record(inner) => Kind::Record(self.record_number(inner)?),
            };
            let size = self.size(field)?;
            let given = match &field.initial {
                Initial::None => Vec::new(),
                Initial::Value(value) => vec![self.constant(value); size.map_or(1, |size| size as usize)],
                Initial::List(values) => values.iter().map(|value| self.constant(value)).collect(),
                Initial::Channel(..) => vec![None],
            };
            let Some(given) = given.into_iter().collect::<Option<Vec<i64>>>() else {
                let message = "an initial value in a `typedef` that is no constant is not supported";
                return Err(Diagnostic::error(field.name.span, message, "not supported").into());
            };
            if !given.is_empty() {
                first.insert(field.name.text.clone(), given);
            }
            found.push((field.name.text.clone(), free(&field.name.text, &mut own), kind, size));
        }
        Ok(Record { called, fields: found, first })
    }

    fn record_number(&self, name: &Name) -> Result<usize> {
        // Records are declared before they are used, and keep their order.
        let mut called = self.records.iter().map(|record| record.called.trim_end_matches('_'));
        called.position(|known| known == name.text.trim_end_matches('_')).ok_or_else(|| {
            Diagnostic::error(name.span, format!("there is no type `{}`", name.text), "not declared").into()
        })
    }

    fn size(&self, declaration: &Declaration) -> Result<Option<i64>> {
        let Some(size) = &declaration.size else { return Ok(None) };
        if let Some(size @ 1..=ELEMENTS) = self.constant(size) {
            return Ok(Some(size));
        }
        let message = "an array has between 1 and 100,000 elements";
        Err(Diagnostic::error(size.span, message, "not this many").into())
    }

    fn variable(
        &mut self,
        declaration: &Declaration,
        owner: Option<usize>,
        taken: &mut BTreeSet<String>,
    ) -> Result<Variable> {
        let kind = match &declaration.base {
            Base::Range(lo, hi) => Kind::Number(Interval::new(*lo, *hi)),
            Base::Symbol => Kind::Symbol,
            Base::Chan => Kind::Chan,
            Base::Record(name) => Kind::Record(self.record_number(name)?),
        };
        let size = self.size(declaration)?;
        let called = free(&declaration.name.text, taken);
        let place = if owner.is_some() { Where::Local } else { Where::Shared };
        let group = match &declaration.initial {
            Initial::Channel(capacity, fields) => {
                let Some(capacity @ 0..=255) = capacity.constant(&|name| self.symbols.get(name).copied())
                else {
                    let message = "a channel holds between 0 and 255 messages";
                    return Err(Diagnostic::error(capacity.span, message, "not this many").into());
                };
                let mut values = Vec::new();
                for field in fields {
                    match field {
                        Base::Range(lo, hi) => values.push(Kind::Number(Interval::new(*lo, *hi))),
                        Base::Symbol => values.push(Kind::Symbol),
                        Base::Chan => values.push(Kind::Chan),
                        // A record is sent field by field.
                        Base::Record(name) => {
                            let leaves = self.leaves(&Kind::Record(self.record_number(name)?), None);
                            values.extend(leaves.into_iter().map(|(_, kind)| kind));
                        }
                    }
                }
                self.groups.push(Group {
                    called: String::new(),
                    capacity,
                    fields: values,
                    first: 0,
                    each: size.unwrap_or(1),
                    owner,
                    count: 0,
                    span: declaration.name.span,
                });
                Some(self.groups.len() - 1)
            }
            _ => None,
        };
        Ok(Variable { called, kind, size, place, declared: declaration.clone(), group })
    }

    fn proctype(&mut self, process: &'a Process, mentioned: &BTreeSet<String>) -> Result<Proctype<'a>> {
        let flow = super::flow::flow(&process.body, process.name.span, mentioned)?;
        let number = self.processes.len();
        let called = if process.name.text == "init" { "Init" } else { process.name.text.as_str() };
        let called = free(called, &mut self.taken);
        let active = match &process.active {
            None => 0,
            Some(number) => match number.constant(&|name| self.symbols.get(name).copied()) {
                Some(count @ 0..=255) => count,
                _ => {
                    return Err(Diagnostic::error(
                        number.span,
                        "this must be a number below 256",
                        "how many",
                    )
                    .into());
                }
            },
        };
        let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
        let mut order = Vec::new();
        let mut own = BTreeSet::new();
        for declaration in process.parameters.iter().chain(&flow.locals) {
            let variable = self.variable(declaration, Some(number), &mut own)?;
            match variables.get(&declaration.name.text) {
                None => {
                    order.push(declaration.name.text.clone());
                    variables.insert(declaration.name.text.clone(), variable);
                }
                // Blocks have variables of their own, which are one here if they are alike.
                Some(known)
                    if known.kind == variable.kind
                        && known.size == variable.size
                        && matches!(variable.declared.initial, Initial::None)
                        && matches!(known.declared.initial, Initial::None) => {}
                Some(_) => {
                    let message =
                        format!("another `{}` of this proctype is not like this one", known_as(declaration));
                    return Err(Diagnostic::error(declaration.name.span, message, "not supported").into());
                }
            }
        }
        Ok(Proctype {
            source: process,
            called,
            flow,
            variables,
            order,
            active,
            count: active,
            runs: false,
            first_pid: 0,
            index: String::new(),
            alive: String::new(),
            pid: String::new(),
            places: Vec::new(),
            dead: String::new(),
        })
    }

    /// The variable with a name, in a proctype or in the whole file.
    pub(super) fn find(&self, name: &Name, process: Option<usize>) -> Result<(&Variable, bool)> {
        let own = process.and_then(|process| self.processes[process].variables.get(&name.text));
        if let Some(own) = own {
            return Ok((own, true));
        }
        if let Some(global) = self.globals.get(&name.text) {
            return Ok((global, false));
        }
        let message = format!("there is no variable `{}`", name.text);
        let diagnostic = Diagnostic::error(name.span, message, "not declared");
        let known = self.globals.keys().chain(self.symbols.keys());
        Err(Box::new(match nearest(&name.text, known.map(String::as_str)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        }))
    }

    /// A proctype by its name.
    pub(super) fn process(&self, name: &Name) -> Result<usize> {
        let found = self.processes.iter().position(|process| process.source.name.text == name.text);
        found.ok_or_else(|| {
            Diagnostic::error(name.span, format!("there is no proctype `{}`", name.text), "not declared")
                .into()
        })
    }

    /// Whether a process is ever at a place between two steps.
    pub(super) fn is_stop(&self, process: usize, node: usize) -> bool {
        self.stops.get(process).is_none_or(|stops| stops.contains(&node))
    }

    /// The value of an expression of numbers and symbols.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i64> {
        expr.constant(&|name| self.symbols.get(name).copied())
    }

    /// The value of an expression at the beginning, when global variables have their first values.
    pub(super) fn at_first(&self, expr: &Expr) -> Option<i64> {
        expr.constant(&|name| self.first_value(name, 20))
    }

    /// The value that a symbol or a global number has at the beginning. Others may depend on others, to this depth.
    pub(super) fn first_value(&self, name: &str, depth: usize) -> Option<i64> {
        let Some(variable) = self.globals.get(name) else { return self.symbols.get(name).copied() };
        let (Some(values), None, 1..) = (variable.kind.numbers(), variable.size, depth) else { return None };
        let value = match &variable.declared.initial {
            Initial::None => 0,
            Initial::Value(value) => value.constant(&|name| self.first_value(name, depth - 1))?,
            _ => return None,
        };
        Some((value - values.lo).rem_euclid(values.hi - values.lo + 1) + values.lo)
    }

    /// A number as a value of a type.
    pub(super) fn value_of(&self, kind: &Kind, value: i64, span: Span) -> Tree {
        let members = self.mtype.as_ref().filter(|_| *kind == Kind::Symbol).map(|(_, members)| members);
        match members.and_then(|members| members.get(usize::try_from(value).ok()?)) {
            Some(member) => named(member.clone(), span),
            None => int(value, span),
        }
    }

    /// The values of a type.
    pub(super) fn values(&self, kind: &Kind) -> Interval {
        match kind {
            Kind::Number(values) => *values,
            Kind::Symbol => SYMBOL,
            // The number of a channel is a byte, and some models also keep symbols there.
            _ => Interval::new(0, self.groups.iter().map(Group::last).max().unwrap_or(0).max(255)),
        }
    }
}

fn known_as(declaration: &Declaration) -> &str {
    &declaration.name.text
}

fn twice(name: &Name) -> Diagnostic {
    let message = format!("`{}` is declared twice", name.text);
    Diagnostic::error(name.span, message, "the second time")
}

/// The symbols of `mtype`: the last one of a declaration is 1 more than those before it.
fn symbols(file: &File) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    let mut next = 1;
    for symbols in &file.symbols {
        for name in symbols.iter().rev() {
            found.insert(name.text.clone(), next);
            next += 1;
        }
    }
    found
}
