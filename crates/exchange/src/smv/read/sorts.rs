//! The sort of an expression: a truth value, a number, a word, or a name of an enumeration.
//!
//! Names of enumerations have no declaration in SMV, and the same name may stand in several of them. In our language a name
//! belongs to one enum. So enumerations with a common name, and those whose values are compared or assigned to each other,
//! become one enum. A number that is mixed with names is a member too.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::core::{Binary, Core, Kind, Unary, Variable};
use super::flat::{Domain, Flat, Value};

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Bool,
    Number,
    Word {
        signed: bool,
        width: u32,
    },
    /// A member of an enum.
    Symbol(usize),
    /// None that is known: it never has a value.
    Nothing,
}

/// The sorts of a model.
pub(super) struct Sorts<'a> {
    flat: &'a Flat,
    /// The members of each enum, in order.
    pub(super) enums: Vec<Vec<Value>>,
    enum_of: HashMap<Value, usize>,
    defines: RefCell<HashMap<usize, Sort>>,
}

/// Sets of values that have grown together.
#[derive(Default)]
struct Groups {
    parent: BTreeMap<Value, Value>,
}

impl Groups {
    fn root(&mut self, value: &Value) -> Value {
        let mut root = value.clone();
        while let Some(next) = self.parent.get(&root).filter(|next| **next != root) {
            root = next.clone();
        }
        self.parent.insert(value.clone(), root.clone());
        root
    }

    fn join(&mut self, values: &BTreeSet<Value>) {
        let mut values = values.iter();
        if let Some(first) = values.next() {
            let root = self.root(first);
            for other in values {
                let other = self.root(other);
                self.parent.insert(other, root.clone());
            }
        }
    }
}

impl<'a> Sorts<'a> {
    /// Finds the enums of a model. `claims` are formulas that are not in it.
    pub(super) fn new(flat: &'a Flat, claims: &[Core]) -> Sorts<'a> {
        let mut groups = Groups::default();
        let outcomes = Outcomes { flat, defines: RefCell::default() };
        for variable in &flat.variables {
            if let Domain::Symbols(values) = &variable.domain {
                groups.join(&values.iter().cloned().collect());
            }
        }
        let mut visit = |core: &Core| outcomes.join_in(core, &mut groups);
        flat.defines.iter().for_each(|define| visit(&define.body));
        let conditions = flat.init.iter().chain(&flat.invar).chain(&flat.trans).chain(&flat.justice);
        let pairs = flat.compassion.iter().flat_map(|(a, b)| [a, b]);
        let formulas = flat.specifications.iter().filter_map(|own| own.body.as_ref().ok());
        conditions.chain(pairs).chain(formulas).chain(claims).for_each(&mut visit);
        let next = flat
            .next
            .iter()
            .flat_map(|(variable, values)| values.values().map(move |value| (variable, value)));
        for (variable, value) in flat.first.iter().chain(&flat.always).chain(next) {
            outcomes.join_in(value, &mut groups);
            let mut both = outcomes.of_variable(*variable);
            both.extend(outcomes.of(value));
            if both.iter().any(is_symbol) {
                groups.join(&both);
            }
        }
        let mut members: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
        for value in groups.parent.keys().cloned().collect::<Vec<_>>() {
            members.entry(groups.root(&value)).or_default().push(value);
        }
        let enums: Vec<Vec<Value>> =
            members.into_values().filter(|values| values.iter().any(is_symbol)).collect();
        let enum_of = enums.iter().enumerate();
        let enum_of = enum_of.flat_map(|(at, values)| values.iter().map(move |value| (value.clone(), at)));
        Sorts { flat, enum_of: enum_of.collect(), enums, defines: RefCell::default() }
    }

    /// The sort of a variable.
    pub(super) fn variable(&self, variable: Variable) -> Sort {
        match &self.flat.variables[variable].domain {
            Domain::Bool => Sort::Bool,
            Domain::Numbers(_) | Domain::Range(..) => Sort::Number,
            Domain::Word { signed, width } => Sort::Word { signed: *signed, width: *width },
            Domain::Symbols(values) => {
                let name = values.iter().find(|value| is_symbol(value));
                name.and_then(|name| self.enum_of.get(name))
                    .map_or(Sort::Nothing, |found| Sort::Symbol(*found))
            }
        }
    }

    /// The sort of an expression.
    pub(super) fn of(&self, core: &Core) -> Sort {
        match &core.kind {
            Kind::Bool(_) | Kind::Running(_) | Kind::And(_) | Kind::Or(_) => self.connective(core),
            Kind::Int(_) | Kind::Range(..) => Sort::Number,
            Kind::Word { signed, width, .. } => Sort::Word { signed: *signed, width: *width },
            Kind::Symbol(name) => {
                let found = self.enum_of.get(&Value::Symbol(name.clone()));
                found.map_or(Sort::Nothing, |found| Sort::Symbol(*found))
            }
            Kind::Read(variable) | Kind::Later(variable) => self.variable(*variable),
            Kind::Define(define) => {
                let known = self.defines.borrow().get(define).copied();
                known.unwrap_or_else(|| {
                    let sort = self.of(&self.flat.defines[*define].body);
                    self.defines.borrow_mut().insert(*define, sort);
                    sort
                })
            }
            Kind::Unary(Unary::Neg, a) => self.of(a),
            Kind::Unary(Unary::Not, a) => self.of(a),
            Kind::Unary(..) => Sort::Bool,
            Kind::Binary(operator, a, b) => match operator {
                Binary::Union => self.either(&[a, b]),
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => self.either(&[a, b]),
                Binary::Shl | Binary::Shr => self.of(a),
                Binary::Xor | Binary::Iff => match self.of(a) {
                    word @ Sort::Word { .. } => word,
                    _ => Sort::Bool,
                },
                Binary::Concat => match (self.of(a), self.of(b)) {
                    (Sort::Word { width: a, .. }, Sort::Word { width: b, .. }) => {
                        Sort::Word { signed: false, width: a.saturating_add(b) }
                    }
                    _ => Sort::Nothing,
                },
                _ => Sort::Bool,
            },
            Kind::If(_, a, b) => self.either(&[a, b]),
            Kind::Set(parts) => self.either(&parts.iter().collect::<Vec<_>>()),
            Kind::Bits(_, high, low) => Sort::Word { signed: false, width: high - low + 1 },
            Kind::Call(name, parts) => self.call(name, parts),
            Kind::Nothing(_) => Sort::Nothing,
        }
    }

    /// `&` and `|` are also for words.
    fn connective(&self, core: &Core) -> Sort {
        match &core.kind {
            Kind::And(parts) | Kind::Or(parts) => match self.of(&parts[0]) {
                word @ Sort::Word { .. } => word,
                _ => Sort::Bool,
            },
            _ => Sort::Bool,
        }
    }

    /// The sort of several expressions together: a number among names is a name.
    pub(super) fn either(&self, parts: &[&Core]) -> Sort {
        let mut found = Sort::Nothing;
        for part in parts {
            match self.of(part) {
                Sort::Nothing => {}
                symbol @ Sort::Symbol(_) => return symbol,
                sort if found == Sort::Nothing => found = sort,
                word @ Sort::Word { .. } => found = word,
                _ => {}
            }
        }
        found
    }

    fn call(&self, name: &str, parts: &[Core]) -> Sort {
        let width = |part: &Core| if let Sort::Word { width, .. } = self.of(part) { width } else { 1 };
        let number =
            |at: usize| parts.get(at).and_then(Core::constant).and_then(|value| u32::try_from(value).ok());
        match name {
            "bool" => Sort::Bool,
            "word1" => Sort::Word { signed: false, width: 1 },
            "signed" | "unsigned" => Sort::Word { signed: name == "signed", width: width(&parts[0]) },
            "uwconst" | "swconst" => Sort::Word { signed: name == "swconst", width: number(1).unwrap_or(1) },
            "extend" | "resize" => match self.of(&parts[0]) {
                Sort::Word { signed, width } => {
                    let other = number(1).unwrap_or(1);
                    Sort::Word {
                        signed,
                        width: if name == "extend" { width.saturating_add(other) } else { other },
                    }
                }
                other => other,
            },
            _ => Sort::Number,
        }
    }

    /// The enum that a value is a member of.
    pub(super) fn member(&self, value: &Value) -> Option<usize> {
        self.enum_of.get(value).copied()
    }
}

fn is_symbol(value: &Value) -> bool {
    matches!(value, Value::Symbol(_))
}

/// The names and numbers that an expression may stand for.
struct Outcomes<'a> {
    flat: &'a Flat,
    defines: RefCell<HashMap<usize, BTreeSet<Value>>>,
}

impl Outcomes<'_> {
    fn of_variable(&self, variable: Variable) -> BTreeSet<Value> {
        match &self.flat.variables[variable].domain {
            Domain::Symbols(values) => values.iter().cloned().collect(),
            Domain::Numbers(values) => values.iter().map(|value| Value::Number(*value)).collect(),
            Domain::Range(lo, hi) if hi - lo < 64 => (*lo..=*hi).map(Value::Number).collect(),
            _ => BTreeSet::new(),
        }
    }

    fn of(&self, core: &Core) -> BTreeSet<Value> {
        match &core.kind {
            Kind::Symbol(name) => [Value::Symbol(name.clone())].into(),
            Kind::Int(value) => [Value::Number(*value)].into(),
            Kind::Range(lo, hi) if hi - lo < 64 => (*lo..=*hi).map(Value::Number).collect(),
            Kind::Read(variable) | Kind::Later(variable) => self.of_variable(*variable),
            Kind::Define(define) => {
                let known = self.defines.borrow().get(define).cloned();
                known.unwrap_or_else(|| {
                    let found = self.of(&self.flat.defines[*define].body);
                    self.defines.borrow_mut().insert(*define, found.clone());
                    found
                })
            }
            Kind::If(_, a, b) | Kind::Binary(Binary::Union, a, b) => {
                let mut found = self.of(a);
                found.extend(self.of(b));
                found
            }
            Kind::Set(parts) => parts.iter().flat_map(|part| self.of(part)).collect(),
            // A truth value as a number.
            Kind::Call(name, _) if name == "toint" => [Value::Number(0), Value::Number(1)].into(),
            _ => BTreeSet::new(),
        }
    }

    /// Joins what is compared or stands side by side in an expression.
    fn join_in(&self, core: &Core, groups: &mut Groups) {
        let together = match &core.kind {
            Kind::Binary(Binary::Eq | Binary::Ne | Binary::In | Binary::Union, a, b) | Kind::If(_, a, b) => {
                let mut both = self.of(a);
                both.extend(self.of(b));
                both
            }
            Kind::Set(_) => self.of(core),
            _ => BTreeSet::new(),
        };
        if together.iter().any(is_symbol) {
            groups.join(&together);
        }
        core.children().into_iter().for_each(|part| self.join_in(part, groups));
    }
}
