//! The declarations of a flat model in our language, and the names of everything in it.
//!
//! The variables of an instance are the fields of a record with the name of the instance, so `p0.master` is called so
//! here too. A character that our names do not have becomes `_`, and a name that is taken gets a `_` at its end.

use std::collections::{BTreeMap, HashSet};

use lang::syntax::{
    Event, Expr as Tree, ExprKind, Field, Initial, Item, ItemKind, Name, Party, Span, Type, Variables,
};

use super::core::{Binary, Core, Kind, Unary, Variable};
use super::flat::{Domain, Flat, Value};
use super::parser::Parsed;
use super::reading::{Reading, Running};
use super::sorts::{Sort, Sorts};
use super::syntax::Role;
use crate::text::refused;
use crate::tree::{declaration, expr, int, item, name, named, range};

/// A flat model with names.
pub(super) struct Model<'a> {
    pub(super) flat: &'a Flat,
    pub(super) sorts: Sorts<'a>,
    /// Per variable, how it is read and written.
    pub(super) places: Vec<Tree>,
    /// Per definition, its name, if it is written as a definition.
    pub(super) define_names: Vec<Option<String>>,
    /// Per enum, its name and those of its members.
    enums: Vec<(String, Vec<String>)>,
    /// Per process.
    pub(super) processes: Vec<String>,
    /// Per variable, a name for its next value, or for its value if it is an input.
    pub(super) next_names: Vec<String>,
    /// Per variable, a name for the number of the alternative that is chosen for it.
    pub(super) choice_names: Vec<String>,
    records: Vec<Item>,
    shared: Vec<Item>,
}

/// Names that are in use.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn claim(&mut self, wish: &str) -> String {
        let mut name = plain(wish);
        while lang::is_reserved(&name) || !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// A name of our language.
pub(super) fn plain(wish: &str) -> String {
    let letter = |next: char| if next.is_ascii_alphanumeric() { next } else { '_' };
    let name: String = wish.chars().map(letter).collect();
    let digit = name.starts_with(|first: char| first.is_ascii_digit()) || name.is_empty() || name == "_";
    if digit { format!("n{name}") } else { name }
}

/// Variables by their paths.
enum Tier {
    Variables(Vec<Variable>),
    Parts(Vec<(String, Tier)>),
}

fn place(tiers: &mut Vec<(String, Tier)>, path: &[String], variable: Variable) {
    let Some((first, rest)) = path.split_first() else { return };
    let at = tiers
        .iter()
        .position(|(name, tier)| name == first && matches!(tier, Tier::Parts(_)) != rest.is_empty());
    let at = at.unwrap_or_else(|| {
        let tier = if rest.is_empty() { Tier::Variables(Vec::new()) } else { Tier::Parts(Vec::new()) };
        tiers.push((first.clone(), tier));
        tiers.len() - 1
    });
    match &mut tiers[at].1 {
        Tier::Variables(variables) => variables.push(variable),
        Tier::Parts(parts) => place(parts, rest, variable),
    }
}

impl<'a> Model<'a> {
    pub(super) fn new(flat: &'a Flat, claims: &[Core]) -> Model<'a> {
        let sorts = Sorts::new(flat, claims);
        let mut names = Names::default();
        // Words that are no names of processes or fairness.
        names.0.extend(["any", "all"].map(str::to_owned));
        let mut tiers = Vec::new();
        for (variable, declared) in flat.variables.iter().enumerate() {
            if declared.role != Role::Input {
                place(&mut tiers, &declared.path, variable);
            }
        }
        // What is seen most has the first choice of names.
        let tiers: Vec<(String, Tier)> =
            tiers.into_iter().map(|(name, tier)| (names.claim(&name), tier)).collect();
        let enums = sorts.enums.iter().enumerate().map(|(at, values)| {
            let members = values.iter().map(|value| match value {
                Value::Symbol(symbol) => names.claim(symbol),
                Value::Number(number) => names.claim(&format!("n{number}")),
            });
            let members = members.collect();
            let wish = if at == 0 { "Values".to_owned() } else { format!("Values{}", at + 1) };
            (names.claim(&wish), members)
        });
        let enums = enums.collect();
        let processes = flat.processes.iter().map(|(path, _)| {
            if path.is_empty() {
                names.claim("main")
            } else {
                let wish = plain(&path.join("_"));
                let free = !names.0.contains(&wish);
                names.claim(&if free { wish } else { format!("{wish}_process") })
            }
        });
        let processes = processes.collect();
        let define_names = flat.defines.iter().map(|define| {
            let mentions = &define.mentions;
            let inputs = mentions.now.iter().any(|variable| flat.variables[*variable].role == Role::Input);
            let simple = !inputs && mentions.later.is_empty() && mentions.running.is_empty();
            let simple =
                simple && !mentions.set && !mentions.nothing && sorts.of(&define.body) != Sort::Nothing;
            simple.then(|| names.claim(&define.path.join("_")))
        });
        let define_names = define_names.collect();
        let next_names = flat.variables.iter().map(|variable| {
            let position: Vec<String> = variable.position.iter().map(|(at, ..)| format!("_{at}")).collect();
            let position = position.concat();
            let path = variable.path.join("_");
            let prefix = if variable.role == Role::Input { "" } else { "next_" };
            names.claim(&format!("{prefix}{path}{position}"))
        });
        let next_names: Vec<String> = next_names.collect();
        let choice_names = next_names.iter().map(|name| names.claim(&format!("{name}_choice"))).collect();
        let mut model = Model {
            flat,
            sorts,
            places: vec![int(0, Span::default()); flat.variables.len()],
            define_names,
            enums,
            processes,
            next_names,
            choice_names,
            records: Vec::new(),
            shared: Vec::new(),
        };
        for (called, tier) in &tiers {
            let span = model.first_span(tier);
            let kind = model.declare(called, tier, &named(called.clone(), span), &mut names);
            let names = vec![name(called.clone(), span)];
            let variables = Variables { names, kind, initial: Some(Initial::Any(span)) };
            model.shared.push(declaration(ItemKind::Shared(variables), span));
        }
        model
    }

    fn first_span(&self, tier: &Tier) -> Span {
        match tier {
            Tier::Variables(variables) => self.flat.variables[variables[0]].span,
            Tier::Parts(parts) => parts.first().map_or(Span::default(), |(_, tier)| self.first_span(tier)),
        }
    }

    /// The type of what is called so, and the places of its parts.
    fn declare(&mut self, called: &str, tier: &Tier, at: &Tree, names: &mut Names) -> Type {
        match tier {
            Tier::Variables(variables) => {
                let declared = &self.flat.variables[variables[0]];
                let mut kind = self.domain(variables[0]);
                for (_, lo, hi) in declared.position.iter().rev() {
                    kind = Type::Array(range(*lo, *hi, declared.span), Box::new(kind));
                }
                for variable in variables {
                    let declared = &self.flat.variables[*variable];
                    let position = declared.position.iter();
                    self.places[*variable] = position
                        .fold(at.clone(), |array, (index, ..)| item(array, int(*index, declared.span)));
                }
                kind
            }
            Tier::Parts(parts) => {
                let span = self.first_span(tier);
                let mut used = Names::default();
                let mut fields = Vec::new();
                for (part, tier) in parts {
                    let field = name(used.claim(part), span);
                    let at = expr(ExprKind::Field(Box::new(at.clone()), field.clone()), span);
                    let kind = self.declare(&format!("{called}_{part}"), tier, &at, names);
                    fields.push(Field { name: field, kind });
                }
                let mut wish = plain(called);
                wish[..1].make_ascii_uppercase();
                let record = name(names.claim(&wish), span);
                self.records.push(declaration(ItemKind::Record { name: record.clone(), fields }, span));
                Type::Named(record)
            }
        }
    }

    fn domain(&self, variable: Variable) -> Type {
        let declared = &self.flat.variables[variable];
        let span = declared.span;
        match &declared.domain {
            Domain::Bool => Type::Bool(span),
            Domain::Range(lo, hi) => Type::Range(range(*lo, *hi, span)),
            Domain::Numbers(values) => Type::Range(range(values[0], values[values.len() - 1], span)),
            Domain::Word { signed, width } => {
                let half = 1i64 << (width - 1);
                Type::Range(if *signed { range(-half, half - 1, span) } else { range(0, 2 * half - 1, span) })
            }
            Domain::Symbols(_) => match self.sorts.variable(variable) {
                Sort::Symbol(own) => Type::Named(name(self.enums[own].0.clone(), span)),
                _ => Type::Bool(span),
            },
        }
    }

    pub(super) fn is_input(&self, variable: Variable) -> bool {
        self.flat.variables[variable].role == Role::Input
    }

    /// A member of an enum.
    pub(super) fn member(&self, own: usize, value: &Value, span: Span) -> Parsed<Tree> {
        let at = self.sorts.member(value).filter(|found| *found == own);
        let at = at.and_then(|own| self.sorts.enums[own].iter().position(|other| other == value));
        match at {
            Some(at) => Ok(named(self.enums[own].1[at].clone(), span)),
            None => refused(span, "this is not a value of the enumeration", "another value is needed here"),
        }
    }

    /// The values that a variable can have, as trees.
    pub(super) fn members(&self, variable: Variable) -> Option<Vec<Tree>> {
        let declared = &self.flat.variables[variable];
        let span = declared.span;
        match (&declared.domain, self.sorts.variable(variable)) {
            (Domain::Symbols(values), Sort::Symbol(own)) => {
                Some(values.iter().filter_map(|value| self.member(own, value, span).ok()).collect())
            }
            (Domain::Numbers(values), _) => Some(values.iter().map(|value| int(*value, span)).collect()),
            (Domain::Bool, _) => Some([false, true].map(|truth| expr(ExprKind::Bool(truth), span)).to_vec()),
            _ => None,
        }
    }

    /// The event that a process takes a step.
    pub(super) fn taken(&self, process: usize, span: Span) -> Tree {
        let process = name(self.processes[process].clone(), span);
        let party = Party { process, indices: Vec::new(), label: None };
        expr(ExprKind::Taken(Event { parties: vec![party], arguments: None, span }), span)
    }

    /// The declarations of enums, records, variables and definitions.
    pub(super) fn declarations(&self) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        for (called, members) in &self.enums {
            let span = Span::default();
            let members: Vec<Name> = members.iter().map(|member| name(member.clone(), span)).collect();
            items.push(declaration(ItemKind::Enum { name: name(called.clone(), span), members }, span));
        }
        items.extend(self.records.iter().cloned());
        items.extend(self.shared.iter().cloned());
        let none = BTreeMap::new();
        for (define, called) in self.flat.defines.iter().zip(&self.define_names) {
            let Some(called) = called else { continue };
            let reading = Reading::new(self, &none, Running::Unknown);
            let body = reading.value(&define.body, self.sorts.of(&define.body))?;
            let kind =
                ItemKind::Define { name: name(called.clone(), define.span), parameters: Vec::new(), body };
            items.push(declaration(kind, define.span));
        }
        Ok(items)
    }

    /// Between which numbers the values of an expression lie, if that is known.
    pub(super) fn interval(&self, core: &Core) -> Option<(i64, i64)> {
        let bounded = |lo: i64, hi: i64| (lo.abs() < 1 << 40 && hi.abs() < 1 << 40).then_some((lo, hi));
        match &core.kind {
            Kind::Int(value) | Kind::Word { value, .. } => Some((*value, *value)),
            Kind::Read(variable) | Kind::Later(variable) => match &self.flat.variables[*variable].domain {
                Domain::Range(lo, hi) => Some((*lo, *hi)),
                Domain::Numbers(values) => Some((values[0], values[values.len() - 1])),
                _ => None,
            },
            Kind::Define(define) => self.interval(&self.flat.defines[*define].body),
            Kind::Range(lo, hi) => Some((*lo, *hi)),
            Kind::If(_, a, b) if matches!(b.kind, Kind::Nothing(_)) => self.interval(a),
            Kind::If(_, a, b) | Kind::Binary(Binary::Union, a, b) => {
                let ((a, b), (c, d)) = (self.interval(a)?, self.interval(b)?);
                Some((a.min(c), b.max(d)))
            }
            Kind::Set(parts) => {
                let parts: Option<Vec<(i64, i64)>> = parts.iter().map(|part| self.interval(part)).collect();
                let parts = parts?;
                Some((parts.iter().map(|part| part.0).min()?, parts.iter().map(|part| part.1).max()?))
            }
            Kind::Unary(Unary::Neg, a) => self.interval(a).map(|(lo, hi)| (-hi, -lo)),
            Kind::Binary(operator, a, b) => {
                let ((a, b), (c, d)) = (self.interval(a)?, self.interval(b)?);
                match operator {
                    Binary::Add => bounded(a + c, b + d),
                    Binary::Sub => bounded(a - d, b - c),
                    Binary::Mul if a.abs().max(b.abs()) < 1 << 20 && c.abs().max(d.abs()) < 1 << 20 => {
                        let products = [a * c, a * d, b * c, b * d];
                        Some((*products.iter().min()?, *products.iter().max()?))
                    }
                    Binary::Mod if a >= 0 && c > 0 => Some((0, b.min(d - 1))),
                    Binary::Div if a >= 0 && c > 0 => Some((a / d, b / c)),
                    _ => None,
                }
            }
            Kind::Call(name, parts) if name == "count" => Some((0, parts.len() as i64)),
            Kind::Call(name, parts) if name == "toint" => {
                (self.sorts.of(&parts[0]) == Sort::Bool).then_some((0, 1))
            }
            _ => None,
        }
    }

    /// The names that an expression can stand for, if that is known.
    pub(super) fn possible(&self, core: &Core) -> Option<Vec<Value>> {
        match &core.kind {
            Kind::Symbol(name) => Some(vec![Value::Symbol(name.clone())]),
            Kind::Int(value) => Some(vec![Value::Number(*value)]),
            Kind::Read(variable) | Kind::Later(variable) => match &self.flat.variables[*variable].domain {
                Domain::Symbols(values) => Some(values.clone()),
                Domain::Numbers(values) => Some(values.iter().map(|value| Value::Number(*value)).collect()),
                Domain::Range(lo, hi) if hi - lo < 64 => Some((*lo..=*hi).map(Value::Number).collect()),
                _ => None,
            },
            Kind::Define(define) => self.possible(&self.flat.defines[*define].body),
            Kind::If(_, a, b) | Kind::Binary(Binary::Union, a, b) => {
                let mut found = self.possible(a)?;
                found.extend(self.possible(b)?);
                Some(found)
            }
            Kind::Set(parts) => {
                let parts: Option<Vec<Vec<Value>>> = parts.iter().map(|part| self.possible(part)).collect();
                Some(parts?.concat())
            }
            Kind::Nothing(_) => Some(Vec::new()),
            Kind::Call(name, _) if name == "toint" => Some(vec![Value::Number(0), Value::Number(1)]),
            _ => None,
        }
    }
}
