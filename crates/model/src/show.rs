//! States, actions, expressions, requirements and formulas as text, in the user's names.
//!
//! The text is close to the source language but is not parsed again. The printer of the language works on syntax
//! trees and is in the front end.

use crate::answer::{Label, State};
use crate::expr::{Binder, Expr, Index, Operator, Pattern, Place, Quantifier, Span};
use crate::fairness::{Assumption, Fairness, Requirement, Word};
use crate::instance::{Cell, Instance, Process, ProcessId};
use crate::property::{Ctl, Formula, Kind, Never, Paths};
use crate::shape::{Layout, Shape, spots};
use crate::system::{Action, Enumeration, FamilyId, Participant, Scalar, System};

/// The name of a step: its action's, or `idle`.
pub fn label(instance: &Instance, label: Label) -> String {
    match label {
        Label::Idle => "idle".to_owned(),
        Label::Action(action) => instance.action(action).name.clone(),
    }
}

/// A value in a state: `true`, `3`, `red`, `Vote { term: 1 }`, `{1, 2}`, `[1, 2]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A member of an enum, or a location, by its name.
    Member(String),
    /// A record: its name, and its fields.
    Record(String, Vec<(String, Value)>),
    /// The members of a set, in order.
    Set(Vec<Value>),
    /// The items of a sequence, or the elements of an array.
    List(Vec<Value>),
    /// The messages of a channel, the oldest first, each with its fields.
    Queue(Vec<Vec<Value>>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(truth) => truth.fmt(f),
            Value::Int(number) => number.fmt(f),
            Value::Member(name) => f.write_str(name),
            Value::Record(name, fields) => {
                let field = |(field, value): &(String, Value)| format!("{field}: {value}");
                let fields: Vec<String> = fields.iter().map(field).collect();
                write!(f, "{name} {{ {} }}", fields.join(", "))
            }
            Value::Set(members) => write!(f, "{{{}}}", separated(members, ", ")),
            Value::List(items) => write!(f, "[{}]", separated(items, ", ")),
            Value::Queue(messages) => {
                let message = |fields: &Vec<Value>| separated(fields, ",");
                write!(f, "[{}]", messages.iter().map(message).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

fn separated(values: &[Value], by: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(by)
}

/// The value of a cell: `true`, `3`, `red`.
pub fn value(instance: &Instance, cell: usize, value: i64) -> Value {
    let variable = instance.system.variable(instance.cells[cell].variable);
    scalar_value(&instance.system, &variable.kind.scalar, value)
}

/// Something that has a value in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A variable, an element of one, or a channel: `x`, `f[2]`, `P[1].y`.
    Variable(SpotName),
    /// The control location of the process with this name.
    Location(SpotName),
}

/// The name of a spot. It knows which of its characters are the number that tells neighbours apart: of an element of an
/// array its last index, of what a process owns the index of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpotName {
    text: String,
    number: Option<(std::ops::Range<usize>, i64)>,
}

impl From<&str> for SpotName {
    fn from(text: &str) -> SpotName {
        SpotName { text: text.to_owned(), number: None }
    }
}

impl SpotName {
    /// A name that is this number between two texts.
    pub fn numbered(before: &str, number: i64, after: &str) -> SpotName {
        let text = format!("{before}{number}{after}");
        let place = before.len()..text.len() - after.len();
        SpotName { text, number: Some((place, number)) }
    }

    /// The name of a process.
    pub(crate) fn of_process(instance: &Instance, process: ProcessId) -> SpotName {
        let Process { family, index, name } = &instance.processes[process.0 as usize];
        let before = format!("{}[", instance.system.family(*family).name);
        match index.map(|index| SpotName::numbered(&before, index, "]")) {
            // Members of an enum, and several indices, are written in another way.
            Some(numbered) if numbered.text == *name => numbered,
            _ => name.as_str().into(),
        }
    }

    /// The name of what stands at this position of an array, or is owned by this process.
    pub(crate) fn of_variable(
        instance: &Instance,
        text: &str,
        owner: Option<ProcessId>,
        position: &[i64],
    ) -> SpotName {
        let number = match (position.last(), owner) {
            (Some(last), _) => {
                let end = text.len() - 1;
                let place = end.saturating_sub(last.to_string().len())..end;
                text.ends_with(&format!("[{last}]")).then_some((place, *last))
            }
            (None, Some(process)) => SpotName::of_process(instance, process).number,
            (None, None) => None,
        };
        SpotName { text: text.to_owned(), number }
    }

    /// The name.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it differs from another only in its number, which is the next one.
    pub fn follows(&self, other: &SpotName) -> bool {
        let (Some((_, number)), Some((_, before))) = (&self.number, &other.number) else { return false };
        before.checked_add(1) == Some(*number) && self.around() == other.around()
    }

    /// The names from this one to the last of its neighbours, as one: `f[1..3]`.
    #[must_use]
    pub fn through(&self, last: &SpotName) -> SpotName {
        let (before, after) = self.around();
        let numbers = [self, last].map(|name| name.number.as_ref().map_or(0, |(_, number)| *number));
        let [least, greatest] = numbers;
        SpotName::from(format!("{before}{least}..{greatest}{after}").as_str())
    }

    /// What stands before and after the number.
    fn around(&self) -> (&str, &str) {
        let place = self.number.as_ref().map_or(0..0, |(place, _)| place.clone());
        (&self.text[..place.start], &self.text[place.end..])
    }
}

impl std::fmt::Display for SpotName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Something that has a value in a state, with its value: `x = true`, `P[1]@try`, `c = [1 2]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable or location.
    pub spot: Spot,
    /// The value.
    pub value: Value,
}

impl Binding {
    /// The name of the variable; that of a location ends in `@`.
    pub fn name(&self) -> String {
        match &self.spot {
            Spot::Variable(name) => name.text.clone(),
            Spot::Location(process) => format!("{process}@"),
        }
    }

    /// The process, if this is a location.
    pub fn located(&self) -> Option<&str> {
        match &self.spot {
            Spot::Variable(_) => None,
            Spot::Location(process) => Some(&process.text),
        }
    }
}

impl std::fmt::Display for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.spot {
            Spot::Variable(name) => write!(f, "{name} = {}", self.value),
            Spot::Location(process) => write!(f, "{process}@{}", self.value),
        }
    }
}

/// Bindings, separated by commas: `x = true, P[1]@try`.
pub fn listed(bindings: &[Binding]) -> String {
    bindings.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A cell with its value.
pub fn cell(instance: &Instance, cell: usize, value: i64) -> Binding {
    let Cell { variable, owner, name, position, .. } = &instance.cells[cell];
    let located = owner.filter(|owner| {
        let family = instance.processes[owner.0 as usize].family;
        instance.system.family(family).location == Some(*variable)
    });
    let spot = match located {
        Some(process) => Spot::Location(SpotName::of_process(instance, process)),
        None => Spot::Variable(SpotName::of_variable(instance, name, *owner, position)),
    };
    Binding { spot, value: self::value(instance, cell, value) }
}

/// All cells of a state with their values; channels as queues.
pub fn state(instance: &Instance, state: &State) -> Vec<Binding> {
    cells(instance, state, &|_| true)
}

/// The cells of `after` that differ from `before`, with their new values; channels as queues.
pub fn changes(instance: &Instance, before: &State, after: &State) -> Vec<Binding> {
    cells(instance, after, &|cell| before.0[cell] != after.0[cell])
}

/// What a state has where `shown` selects a cell. Something with several cells is shown as a whole if any of them is.
fn cells(instance: &Instance, state: &State, shown: &dyn Fn(usize) -> bool) -> Vec<Binding> {
    spots(instance)
        .into_iter()
        .filter(|(_, layout)| layout.cells().into_iter().any(shown))
        .map(|(spot, layout)| Binding { spot, value: whole(instance, &layout, state) })
        .collect()
}

/// The value that lies in some cells of a state.
pub fn whole(instance: &Instance, layout: &Layout, state: &State) -> Value {
    let part = |layout: &Layout| whole(instance, layout, state);
    match layout {
        Layout::Cell(cell) => value(instance, *cell, state.0[*cell]),
        Layout::List(parts) => Value::List(parts.iter().map(part).collect()),
        Layout::Record(name, fields) => {
            let fields = fields.iter().map(|(field, layout)| (field.clone(), part(layout)));
            Value::Record(name.clone(), fields.collect())
        }
        Layout::Set(scalar, members) => {
            let members = members.iter().filter(|(_, cell)| state.0[*cell] != 0);
            Value::Set(members.map(|(member, _)| scalar_value(&instance.system, scalar, *member)).collect())
        }
        Layout::Sequence(length, items) => {
            Value::List(items.iter().take(state.0[*length] as usize).map(part).collect())
        }
        Layout::Queue(length, messages) => {
            let messages = messages.iter().take(state.0[*length] as usize);
            Value::Queue(messages.map(|fields| fields.iter().map(part).collect()).collect())
        }
    }
}

fn scalar_value(system: &System, scalar: &Scalar, value: i64) -> Value {
    match scalar {
        Scalar::Bool => Value::Bool(value != 0),
        Scalar::Enum(id) => match system.enumeration(*id).members.get(value as usize) {
            Some(member) => Value::Member(member.clone()),
            None => Value::Int(value),
        },
        Scalar::Range(_) | Scalar::Int => Value::Int(value),
    }
}

/// How tightly an operator binds; a looser operand is put in parentheses.
mod strength {
    pub(super) const IMPLIES: u8 = 1;
    pub(super) const OR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const UNTIL: u8 = 4;
    pub(super) const COMPARE: u8 = 5;
    pub(super) const ADD: u8 = 6;
    pub(super) const MULTIPLY: u8 = 7;
    pub(super) const UNARY: u8 = 8;
    pub(super) const ATOM: u8 = 9;
}

fn parenthesised((text, own): (String, u8), least: u8) -> String {
    if own < least { format!("({text})") } else { text }
}

/// An expression.
pub fn expression(system: &System, expr: &Expr) -> String {
    with_strength(system, expr).0
}

fn operand(system: &System, expr: &Expr, least: u8) -> String {
    parenthesised(with_strength(system, expr), least)
}

fn with_strength(system: &System, expr: &Expr) -> (String, u8) {
    use strength::{ADD, AND, ATOM, COMPARE, IMPLIES, MULTIPLY, OR, UNARY};
    let join = |parts: &[Expr], sign: &str, own: u8, empty: &str| {
        if parts.is_empty() {
            return (empty.to_owned(), ATOM);
        }
        let parts: Vec<String> = parts.iter().map(|part| operand(system, part, own + 1)).collect();
        (parts.join(sign), own)
    };
    let call = |name: &str, parts: &[Expr]| {
        let parts: Vec<String> = parts.iter().map(|part| expression(system, part)).collect();
        (format!("{name}({})", parts.join(", ")), ATOM)
    };
    match expr {
        Expr::Bool(value) => (value.to_string(), ATOM),
        Expr::Int(value) => (value.to_string(), if *value < 0 { UNARY } else { ATOM }),
        Expr::Parameter(id) => (system.parameters[id.0 as usize].name.clone(), ATOM),
        Expr::Index(index) => (system.indices[index.0 as usize].name.clone(), ATOM),
        Expr::Read(place) => match membership(system, place) {
            Some(text) => (text, COMPARE),
            None => (self::place(system, place), ATOM),
        },
        Expr::Not(a) if is_any_enabled(a) => ("deadlock".to_owned(), ATOM),
        Expr::Not(a) => (format!("!{}", operand(system, a, UNARY)), UNARY),
        Expr::Neg(a) => (format!("-{}", operand(system, a, UNARY)), UNARY),
        Expr::And(parts) => join(parts, " && ", AND, "true"),
        Expr::Or(parts) => join(parts, " || ", OR, "false"),
        // A ground `count`: how many of these are true.
        Expr::Sum(parts) if parts.len() > 1 && parts.iter().all(|part| counted(part).is_some()) => {
            let parts: Vec<Expr> = parts.iter().filter_map(counted).cloned().collect();
            call("count", &parts)
        }
        Expr::Sum(parts) => join(parts, " + ", ADD, "0"),
        Expr::Min(parts) => call("min", parts),
        Expr::Max(parts) => call("max", parts),
        Expr::Binary(operator, a, b) => {
            if let Operator::Eq | Operator::Ne = operator
                && let (Expr::Index(index), Expr::Int(value)) | (Expr::Int(value), Expr::Index(index)) =
                    (&**a, &**b)
                && let Scalar::Enum(_) = system.indices[index.0 as usize].scalar
            {
                let name = &system.indices[index.0 as usize].name;
                let sign = if *operator == Operator::Eq { "==" } else { "!=" };
                return (format!("{name} {sign} {}", system.index_value_name(*index, *value)), COMPARE);
            }
            if let (Operator::Eq | Operator::Ne, Expr::Read(place), Expr::Int(value)) = (operator, &**a, &**b)
                && let Scalar::Enum(id) = &system.variable(place.variable).kind.scalar
                && let Some(member) = system.enumeration(*id).members.get(*value as usize)
            {
                let text = self::place(system, place);
                return match (operator, system.is_location(place.variable)) {
                    (Operator::Eq, true) => (format!("{text}{member}"), ATOM),
                    (_, true) => (format!("!{text}{member}"), UNARY),
                    (Operator::Eq, false) => (format!("{text} == {member}"), COMPARE),
                    (_, false) => (format!("{text} != {member}"), COMPARE),
                };
            }
            let (sign, own, left, right) = match operator {
                Operator::Sub => ("-", ADD, ADD, ADD + 1),
                Operator::Mul => ("*", MULTIPLY, MULTIPLY, MULTIPLY + 1),
                Operator::Div => ("/", MULTIPLY, MULTIPLY, MULTIPLY + 1),
                Operator::Mod => ("%", MULTIPLY, MULTIPLY, MULTIPLY + 1),
                Operator::Eq => ("==", COMPARE, COMPARE + 1, COMPARE + 1),
                Operator::Ne => ("!=", COMPARE, COMPARE + 1, COMPARE + 1),
                Operator::Lt => ("<", COMPARE, COMPARE + 1, COMPARE + 1),
                Operator::Le => ("<=", COMPARE, COMPARE + 1, COMPARE + 1),
                Operator::Gt => (">", COMPARE, COMPARE + 1, COMPARE + 1),
                Operator::Ge => (">=", COMPARE, COMPARE + 1, COMPARE + 1),
                Operator::Implies => ("->", IMPLIES, IMPLIES + 1, IMPLIES),
            };
            (format!("{} {sign} {}", operand(system, a, left), operand(system, b, right)), own)
        }
        Expr::If(condition, a, b) => {
            let [condition, a, b] = [condition, a, b].map(|part| expression(system, part));
            (format!("if {condition} {{ {a} }} else {{ {b} }}"), ATOM)
        }
        Expr::Quantified(quantifier, binder, body) => {
            let range = range(system, binder);
            let renamed = without_capture(system, binder, &[body]);
            let system = renamed.as_ref().unwrap_or(system);
            let name = &system.indices[binder.index.0 as usize].name;
            let body = expression(system, body);
            match quantifier {
                Quantifier::Forall => (format!("forall {name} in {range}: {body}"), 0),
                Quantifier::Exists => (format!("exists {name} in {range}: {body}"), 0),
                Quantifier::Count => (format!("count({name} in {range}: {body})"), ATOM),
                Quantifier::Sum => (format!("sum({name} in {range}: {body})"), ATOM),
                Quantifier::Min => (format!("min({name} in {range}: {body})"), ATOM),
                Quantifier::Max => (format!("max({name} in {range}: {body})"), ATOM),
            }
        }
        Expr::Taken(pattern) => (format!("taken({})", self::pattern(system, pattern)), ATOM),
        Expr::Enabled(_) if is_any_enabled(expr) => ("!deadlock".to_owned(), UNARY),
        Expr::Enabled(pattern) => (format!("enabled({})", self::pattern(system, pattern)), ATOM),
    }
}

/// The condition of a part of a ground `count`, which is 1 or 0.
fn counted(part: &Expr) -> Option<&Expr> {
    match part {
        Expr::If(condition, one, none) if **one == Expr::Int(1) && **none == Expr::Int(0) => Some(condition),
        _ => None,
    }
}

/// Whether an expression says that some action is enabled, whichever.
fn is_any_enabled(expr: &Expr) -> bool {
    matches!(expr, Expr::Enabled(pattern) if pattern.participants.is_empty())
}

/// The system with the index of a binder renamed, if another of the same name occurs in its scope.
fn without_capture(system: &System, binder: &Binder, scope: &[&Expr]) -> Option<System> {
    let name = |index: &Index| &system.indices[index.0 as usize].name;
    let own = name(&binder.index);
    let mut clashes = |part: &Expr| match part {
        Expr::Index(index) => *index != binder.index && name(index) == own,
        _ => false,
    };
    scope.iter().any(|part| part.any(&mut clashes)).then(|| renamed(system, binder.index))
}

/// A span: `1..N`.
pub fn span(system: &System, span: &Span) -> String {
    format!("{}..{}", operand(system, &span.lo, strength::ADD), operand(system, &span.hi, strength::ADD))
}

/// The values of a binder: `1..N`, or the name of an enum if they are all its members.
fn range(system: &System, binder: &Binder) -> String {
    if let Scalar::Enum(id) = &system.indices[binder.index.0 as usize].scalar {
        let Enumeration { name, members } = system.enumeration(*id);
        if binder.span == Span::between(0, members.len() as i64 - 1) {
            return name.clone();
        }
    }
    span(system, &binder.span)
}

/// The index of a process.
fn process(system: &System, family: FamilyId, index: &Expr) -> String {
    match (index, &system.family(family).index) {
        (Expr::Int(value), Some(binder)) => system.index_value_name(binder.index, *value),
        _ => expression(system, index),
    }
}

fn place(system: &System, place: &Place) -> String {
    let variable = system.variable(place.variable);
    let mut owner = String::new();
    if let Some(family) = variable.owner {
        owner.push_str(&system.family(family).name);
        if let Some(process) = &place.process {
            owner = format!("{owner}[{}]", self::process(system, family, process));
        }
        if !system.is_location(place.variable) {
            owner.push('.');
        }
    }
    let index = |(dimension, index): (usize, &Expr)| match index {
        Expr::Int(value) => system.position_name(place.variable, dimension, *value),
        _ => expression(system, index),
    };
    let indices: Vec<String> = place.position.iter().enumerate().map(index).collect();
    system.place_name(&owner, place.variable, &indices)
}

/// A place that says whether a value is in a set: `x in S`.
fn membership(system: &System, place: &Place) -> Option<String> {
    let (own, mut leaf) = system.shaped(place.variable)?;
    let mut shape = &own.shape;
    let scalar = loop {
        match shape {
            Shape::Set(scalar) => break scalar,
            Shape::One => return None,
            Shape::Array(inner) => shape = inner,
            Shape::Sequence(inner) => {
                leaf = leaf.checked_sub(1)?;
                shape = inner;
            }
            Shape::Record(_, fields) => {
                let inside = fields.iter().find(|(_, part)| {
                    let here = leaf < part.leaves();
                    leaf -= if here { 0 } else { part.leaves() };
                    here
                });
                shape = &inside?.1;
            }
        }
    };
    let (member, position) = place.position.split_last()?;
    let member = match member {
        Expr::Int(value) => scalar_value(system, scalar, *value).to_string(),
        _ => operand(system, member, strength::ADD),
    };
    let set = Place { position: position.to_vec(), ..place.clone() };
    Some(format!("{member} in {}", self::place(system, &set)))
}

/// The actions a pattern matches: `P[1].try`, `P`, `any`.
pub fn pattern(system: &System, pattern: &Pattern) -> String {
    let mut text = if pattern.participants.is_empty() { "any".to_owned() } else { String::new() };
    for (number, party) in pattern.participants.iter().enumerate() {
        if number > 0 {
            text.push('+');
        }
        text.push_str(&system.family(party.family).name);
        if let Some(process) = &party.process {
            text = format!("{text}[{}]", self::process(system, party.family, process));
        }
        if let Some(label) = &party.label {
            text = format!("{text}.{label}");
        }
    }
    if let Some(arguments) = pattern.arguments.as_ref().filter(|arguments| !arguments.is_empty()) {
        let parameters = parameters(system, pattern);
        let argument = |(number, argument): (usize, &Expr)| match (argument, parameters.get(number)) {
            (Expr::Int(value), Some(parameter)) => system.index_value_name(parameter.index, *value),
            _ => expression(system, argument),
        };
        let arguments: Vec<String> = arguments.iter().enumerate().map(argument).collect();
        text = format!("{text}({})", arguments.join(","));
    }
    text
}

/// The parameters of the actions that a pattern names.
fn parameters<'s>(system: &'s System, pattern: &Pattern) -> &'s [Binder] {
    let named = |action: &&Action| {
        pattern.participants.iter().any(|party| {
            let same =
                |own: &Participant| own.family == party.family && Some(&own.label) == party.label.as_ref();
            action.participants.iter().any(same)
        })
    };
    system.actions.iter().find(named).map_or(&[], |action| &action.parameters)
}

/// A requirement as it would be declared: `weak P[1].try`, `compassion (x, P[1]@crit)`. One about all processes of a
/// family is written in its shortest form, `weak P`.
pub fn requirement(system: &System, requirement: &Requirement) -> String {
    if let Some(text) = of_whole_families(system, requirement) {
        return text;
    }
    let renamed = with_distinct_names(system, &requirement.binders);
    let system = renamed.as_ref().unwrap_or(system);
    let mut text = String::new();
    for binder in &requirement.binders {
        // Several indices of a family: `i][k`.
        let name = system.indices[binder.index.0 as usize].name.replace("][", ", ");
        text = format!("{text}for {name} in {}: ", range(system, binder));
    }
    let word = requirement.word.name();
    match (&requirement.of, requirement.word) {
        (Some(of), _) => format!("{text}{word} {}", pattern(system, of)),
        (None, Word::Justice) => format!("{text}{word} ({})", expression(system, &requirement.then)),
        (None, _) => format!(
            "{text}{word} ({}, {})",
            expression(system, &requirement.when),
            expression(system, &requirement.then)
        ),
    }
}

/// A requirement about all processes of its families and all arguments, without indices.
fn of_whole_families(system: &System, requirement: &Requirement) -> Option<String> {
    let of = requirement.of.as_ref().filter(|of| !of.participants.is_empty())?;
    let mut bound = requirement.binders.clone();
    let mut text = String::new();
    for (number, party) in of.participants.iter().enumerate() {
        let family = system.family(party.family);
        if let (Some(process), Some(own)) = (&party.process, &family.index) {
            // Every process of the family, by its own index.
            let every = |binder: &Binder| **process == Expr::Index(binder.index) && binder.span == own.span;
            bound.remove(bound.iter().position(every)?);
        } else if party.process.is_some() {
            return None;
        }
        let plus = if number > 0 { "+" } else { "" };
        let label = party.label.as_ref().map(|label| format!(".{label}")).unwrap_or_default();
        text = format!("{text}{plus}{}{label}", family.name);
    }
    let is_all = |binder: &Binder| {
        let all = system.actions.iter().flat_map(|action| &action.parameters).any(|own| own == binder);
        let argument = Expr::Index(binder.index);
        all && of.arguments.iter().flatten().filter(|other| **other == argument).count() == 1
    };
    let rest = bound.len() == of.arguments.iter().flatten().count() && bound.iter().all(is_all);
    rest.then(|| format!("{} {text}", requirement.word.name()))
}

/// The system with some of these binders renamed, if two have the same name: `i` and `i2`.
fn with_distinct_names(system: &System, binders: &[Binder]) -> Option<System> {
    let name = |system: &System, binder: &Binder| system.indices[binder.index.0 as usize].name.clone();
    let mut all: Option<System> = None;
    for (number, binder) in binders.iter().enumerate() {
        let now = all.as_ref().unwrap_or(system);
        let own = name(now, binder);
        if binders[..number].iter().any(|earlier| name(now, earlier) == own) {
            all = Some(renamed(now, binder.index));
        }
    }
    all
}

/// The names of a system, with a new one for this index.
fn renamed(system: &System, index: Index) -> System {
    let is_taken = |wanted: &String| {
        system.indices.iter().any(|index| index.name == *wanted)
            || system.parameters.iter().any(|parameter| parameter.name == *wanted)
            || system.variables.iter().any(|variable| variable.name == *wanted)
            || system.enums.iter().any(|of| of.name == *wanted || of.members.contains(wanted))
            || system.families.iter().any(|family| family.name == *wanted)
    };
    let own = &system.indices[index.0 as usize].name;
    let mut wanted = (2u32..).map(|k| format!("{own}{k}"));
    let free = wanted.find(|wanted| !is_taken(wanted));
    let mut named = names(system);
    named.indices[index.0 as usize].name = free.unwrap_or_else(|| own.clone());
    named
}

/// The parts of a system that names are taken from.
pub fn names(system: &System) -> System {
    System {
        parameters: system.parameters.clone(),
        enums: system.enums.clone(),
        indices: system.indices.clone(),
        variables: system.variables.clone(),
        families: system.families.clone(),
        shaped: system.shaped.clone(),
        enum_dimensions: system.enum_dimensions.clone(),
        ..System::default()
    }
}

/// A fairness assumption in one line.
pub fn fairness(system: &System, fairness: &Fairness) -> String {
    let assumption = |assumption: &Assumption| {
        let mut parts: Vec<String> = Vec::new();
        for part in assumption.requirements.iter().map(|one| requirement(system, one)) {
            // Two actions with one label are written once.
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        if assumption.global {
            parts.push("global".to_owned());
        }
        if parts.is_empty() { "none".to_owned() } else { parts.join(" & ") }
    };
    let alternatives: Vec<String> = fairness.alternatives.iter().map(assumption).collect();
    alternatives.join(" | ")
}

/// What a property claims.
pub fn kind(system: &System, kind: &Kind) -> String {
    match kind {
        Kind::Invariant(expr) => expression(system, expr),
        Kind::Ltl(f) => formula(system, f),
        Kind::Ctl(f) => ctl(system, f),
        Kind::Never(Never { file, automaton, atoms }) => {
            let meaning = |(name, atom): (&String, &Expr)| {
                format!("{} = {}", proposition(name), expression(system, atom))
            };
            let meanings: Vec<String> = automaton.atoms.iter().zip(atoms).map(meaning).collect();
            let with = if meanings.is_empty() { "" } else { " with " };
            format!("never automaton \"{file}\"{with}{}", meanings.join(", "))
        }
    }
}

/// The name of a proposition, in quotes unless it looks like a name of the language.
fn proposition(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| !c.is_ascii_digit());
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// A linear-time formula.
pub fn formula(system: &System, formula: &Formula) -> String {
    formula_with_strength(system, formula).0
}

fn formula_with_strength(system: &System, formula: &Formula) -> (String, u8) {
    use strength::{AND, IMPLIES, OR, UNARY, UNTIL};
    let part = |f: &Formula, least: u8| parenthesised(formula_with_strength(system, f), least);
    let join = |parts: &[Formula], sign: &str, own: u8| {
        let parts: Vec<String> = parts.iter().map(|f| part(f, own + 1)).collect();
        (parts.join(sign), own)
    };
    match formula {
        Formula::Atom(atom) => with_strength(system, atom),
        Formula::Not(a) => (format!("!{}", part(a, UNARY)), UNARY),
        Formula::And(parts) => join(parts, " && ", AND),
        Formula::Or(parts) => join(parts, " || ", OR),
        Formula::Implies(a, b) => (format!("{} -> {}", part(a, IMPLIES + 1), part(b, IMPLIES)), IMPLIES),
        Formula::Next(a) => (format!("X {}", part(a, UNARY)), UNARY),
        Formula::Finally(a) => (format!("F {}", part(a, UNARY)), UNARY),
        Formula::Globally(a) => (format!("G {}", part(a, UNARY)), UNARY),
        Formula::Until(a, b) => (format!("{} U {}", part(a, UNTIL + 1), part(b, UNTIL + 1)), UNTIL),
        Formula::WeakUntil(a, b) => (format!("{} W {}", part(a, UNTIL + 1), part(b, UNTIL + 1)), UNTIL),
        Formula::Release(a, b) => (format!("{} R {}", part(a, UNTIL + 1), part(b, UNTIL + 1)), UNTIL),
        Formula::Previous(a) => (format!("Y {}", part(a, UNARY)), UNARY),
        Formula::Once(a) => (format!("O {}", part(a, UNARY)), UNARY),
        Formula::Historically(a) => (format!("H {}", part(a, UNARY)), UNARY),
        Formula::Since(a, b) => (format!("{} S {}", part(a, UNTIL + 1), part(b, UNTIL + 1)), UNTIL),
        Formula::Forall(binder, body) | Formula::Exists(binder, body) => {
            let word = if matches!(formula, Formula::Forall(..)) { "forall" } else { "exists" };
            let range = range(system, binder);
            let renamed = without_capture(system, binder, &body.atoms());
            let system = renamed.as_ref().unwrap_or(system);
            let name = &system.indices[binder.index.0 as usize].name;
            (format!("{word} {name} in {range}: {}", formula_with_strength(system, body).0), 0)
        }
    }
}

/// A branching-time formula.
pub fn ctl(system: &System, formula: &Ctl) -> String {
    ctl_with_strength(system, formula).0
}

fn ctl_with_strength(system: &System, formula: &Ctl) -> (String, u8) {
    use strength::{AND, ATOM, IMPLIES, OR, UNARY};
    let letter = |paths: &Paths| if *paths == Paths::All { "A" } else { "E" };
    let part = |f: &Ctl, least: u8| parenthesised(ctl_with_strength(system, f), least);
    let join = |parts: &[Ctl], sign: &str, own: u8| {
        let parts: Vec<String> = parts.iter().map(|f| part(f, own + 1)).collect();
        (parts.join(sign), own)
    };
    match formula {
        Ctl::Atom(atom) => with_strength(system, atom),
        Ctl::Not(a) => (format!("!{}", part(a, UNARY)), UNARY),
        Ctl::And(parts) => join(parts, " && ", AND),
        Ctl::Or(parts) => join(parts, " || ", OR),
        Ctl::Implies(a, b) => (format!("{} -> {}", part(a, IMPLIES + 1), part(b, IMPLIES)), IMPLIES),
        Ctl::Next(paths, a) => (format!("{}X {}", letter(paths), part(a, UNARY)), UNARY),
        Ctl::Finally(paths, a) => (format!("{}F {}", letter(paths), part(a, UNARY)), UNARY),
        Ctl::Globally(paths, a) => (format!("{}G {}", letter(paths), part(a, UNARY)), UNARY),
        Ctl::Until(paths, a, b) => (format!("{}[{} U {}]", letter(paths), part(a, 0), part(b, 0)), ATOM),
        Ctl::WeakUntil(paths, a, b) => (format!("{}[{} W {}]", letter(paths), part(a, 0), part(b, 0)), ATOM),
        Ctl::Infinitely(paths, parts) => {
            let parts: Vec<String> = parts.iter().map(|a| format!("G F {}", part(a, UNARY))).collect();
            (format!("{}[{}]", letter(paths), parts.join(" && ")), ATOM)
        }
        Ctl::Forall(binder, body) | Ctl::Exists(binder, body) => {
            let word = if matches!(formula, Ctl::Forall(..)) { "forall" } else { "exists" };
            let range = range(system, binder);
            let renamed = without_capture(system, binder, &body.atoms());
            let system = renamed.as_ref().unwrap_or(system);
            let name = &system.indices[binder.index.0 as usize].name;
            (format!("{word} {name} in {range}: {}", ctl_with_strength(system, body).0), 0)
        }
    }
}
