//! Expressions: the one language of guards, updates, fairness requirements and atoms of properties.
//!
//! An expression is a tree over the variables of a [`System`](crate::System) and over *indices*: names bound
//! by a process family, an action's parameters, a quantifier or a nondeterministic choice. Values are
//! integers; truth is 0 and 1, an enum member is its position. A *rigid* expression mentions no variable,
//! only constants, parameters and indices, so it has the same value in every state; spans are rigid.
//!
//! Evaluation is strict except that `And`, `Or`, `Implies`, `If` and the quantifiers go from left to
//! right and stop as soon as the result is known: `y != 0 && x / y > 1` is safe, `x / y > 1 && y != 0` is not.
//! `And`, `Or`, `Sum`, `Min`, `Max` take any number of operands, so that unrolling a quantifier over a
//! thousand processes does not make a tree a thousand levels deep.

use crate::system::{FamilyId, ParameterId, VariableId};

/// A bound name; [`System::indices`](crate::System::indices) knows how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Index(pub u32);

/// An inclusive range `lo..hi` with rigid ends; empty if `hi < lo`. The range of all 64-bit integers stands for all
/// integers ([`Span::is_endless`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The least value.
    pub lo: Box<Expr>,
    /// The greatest value.
    pub hi: Box<Expr>,
}

impl Span {
    /// The range between two numbers.
    pub fn between(lo: i64, hi: i64) -> Span {
        Span { lo: Box::new(Expr::Int(lo)), hi: Box::new(Expr::Int(hi)) }
    }

    /// All integers.
    pub fn integers() -> Span {
        Span::between(i64::MIN, i64::MAX)
    }

    /// Whether it stands for all integers, so its values cannot be listed.
    pub fn is_endless(&self) -> bool {
        *self.lo == Expr::Int(i64::MIN) && *self.hi == Expr::Int(i64::MAX)
    }
}

/// An index together with the values it ranges over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binder {
    /// The bound name.
    pub index: Index,
    /// Its values, in increasing order.
    pub span: Span,
}

/// A place that is read or written: a variable, the process if it is local, and the position if it is an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The variable.
    pub variable: VariableId,
    /// The index of the owning process; `None` for shared variables and for processes without an index.
    pub process: Option<Box<Expr>>,
    /// One expression per dimension of the variable's type.
    pub position: Vec<Expr>,
}

impl Place {
    /// The place with its process and position replaced.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Place {
        Place {
            variable: self.variable,
            process: self.process.as_ref().map(|process| Box::new(f(process))),
            position: self.position.iter().map(f).collect(),
        }
    }
}

/// How a quantifier combines its body over the values of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// True if the body is true for every value.
    Forall,
    /// True if the body is true for some value.
    Exists,
    /// The number of values for which the body is true.
    Count,
    /// The sum of the body over all values.
    Sum,
    /// The least value of the body; a fault over an empty span.
    Min,
    /// The greatest value of the body; a fault over an empty span.
    Max,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Operator {
    Sub,
    Mul,
    /// Euclidean division: `a == b * (a / b) + a % b` with `0 <= a % b < |b|`. Zero divisors are faults.
    Div,
    /// The Euclidean remainder.
    Mod,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `a -> b`; `b` is not evaluated if `a` is false.
    Implies,
}

impl Operator {
    /// The same comparison with its sides exchanged.
    #[must_use]
    pub fn mirrored(self) -> Operator {
        match self {
            Operator::Lt => Operator::Gt,
            Operator::Le => Operator::Ge,
            Operator::Gt => Operator::Lt,
            Operator::Ge => Operator::Le,
            other => other,
        }
    }

    /// The comparison that is true where this one is false, if it is a comparison.
    pub fn opposite(self) -> Option<Operator> {
        Some(match self {
            Operator::Eq => Operator::Ne,
            Operator::Ne => Operator::Eq,
            Operator::Lt => Operator::Ge,
            Operator::Le => Operator::Gt,
            Operator::Gt => Operator::Le,
            Operator::Ge => Operator::Lt,
            _ => return None,
        })
    }
}

/// The actions that an event atom refers to.
///
/// An action matches if each listed participant is one of its participants, and, when arguments are given,
/// its arguments have these values. The pattern without participants matches every action (and never `idle`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Pattern {
    /// The processes (and labels) that must take part.
    pub participants: Vec<Party>,
    /// The values of the action's parameters; `None` for any.
    pub arguments: Option<Vec<Expr>>,
}

impl Pattern {
    /// Whether it matches the same actions in every state.
    pub fn is_rigid(&self) -> bool {
        let processes = self.participants.iter().filter_map(|party| party.process.as_deref());
        processes.chain(self.arguments.iter().flatten()).all(Expr::is_rigid)
    }

    /// The pattern with its processes and arguments replaced.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Pattern {
        let mut mapped = self.clone();
        for party in &mut mapped.participants {
            if let Some(process) = &mut party.process {
                **process = f(process);
            }
        }
        for argument in mapped.arguments.iter_mut().flatten() {
            *argument = f(argument);
        }
        mapped
    }
}

/// A process in a [`Pattern`]: `P`, `P[i]`, `P.try`, `P[i].try`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Party {
    /// The family.
    pub family: FamilyId,
    /// The index of the process; `None` for any process of the family.
    pub process: Option<Box<Expr>>,
    /// The label it acts at; `None` for any.
    pub label: Option<String>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A truth value.
    Bool(bool),
    /// An integer, or the position of an enum member.
    Int(i64),
    /// A parameter of the system that has no value yet.
    Parameter(ParameterId),
    /// A bound name.
    Index(Index),
    /// The value of a variable.
    Read(Place),
    /// Negation.
    Not(Box<Expr>),
    /// Arithmetic negation.
    Neg(Box<Expr>),
    /// Conjunction, left to right; true if empty.
    And(Vec<Expr>),
    /// Disjunction, left to right; false if empty.
    Or(Vec<Expr>),
    /// The sum; 0 if empty.
    Sum(Vec<Expr>),
    /// The least operand; never empty.
    Min(Vec<Expr>),
    /// The greatest operand; never empty.
    Max(Vec<Expr>),
    /// An operator with two operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `if c { a } else { b }`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A quantifier over the values of an index.
    Quantified(Quantifier, Binder, Box<Expr>),
    /// A matching action is taken by this step. Only in step predicates.
    Taken(Pattern),
    /// A matching action is enabled in this state.
    Enabled(Pattern),
}

impl Expr {
    /// `a op b`.
    pub fn binary(operator: Operator, a: Expr, b: Expr) -> Expr {
        Expr::Binary(operator, Box::new(a), Box::new(b))
    }

    /// `a == b`.
    pub fn eq(a: Expr, b: Expr) -> Expr {
        Expr::binary(Operator::Eq, a, b)
    }

    /// `!a`, without doubling negations.
    pub fn negated(a: Expr) -> Expr {
        match a {
            Expr::Bool(value) => Expr::Bool(!value),
            Expr::Not(inner) => *inner,
            other => Expr::Not(Box::new(other)),
        }
    }

    /// The conjunction of `parts`, flattened; `true` if there are none.
    pub fn and(parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Expr::Bool(true) => {}
                Expr::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Expr::Bool(true),
            1 => flat.remove(0),
            _ => Expr::And(flat),
        }
    }

    /// The disjunction of `parts`, flattened; `false` if there are none.
    pub fn or(parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Expr::Bool(false) => {}
                Expr::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Expr::Bool(false),
            1 => flat.remove(0),
            _ => Expr::Or(flat),
        }
    }

    /// The direct subexpressions, those inside places, patterns and spans included.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Bool(_) | Expr::Int(_) | Expr::Parameter(_) | Expr::Index(_) => Vec::new(),
            Expr::Read(place) => place.process.iter().map(|p| &**p).chain(&place.position).collect(),
            Expr::Not(a) | Expr::Neg(a) => vec![a],
            Expr::And(parts) | Expr::Or(parts) | Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
                parts.iter().collect()
            }
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::If(a, b, c) => vec![a, b, c],
            Expr::Quantified(_, binder, body) => vec![&binder.span.lo, &binder.span.hi, body],
            Expr::Taken(pattern) | Expr::Enabled(pattern) => pattern
                .participants
                .iter()
                .filter_map(|party| party.process.as_deref())
                .chain(pattern.arguments.iter().flatten())
                .collect(),
        }
    }

    /// The expression with each of its direct subexpressions replaced.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut list = |parts: &[Expr]| parts.iter().map(&mut *f).collect::<Vec<_>>();
        match self {
            Expr::Bool(_) | Expr::Int(_) | Expr::Parameter(_) | Expr::Index(_) => self.clone(),
            Expr::And(parts) => Expr::And(list(parts)),
            Expr::Or(parts) => Expr::Or(list(parts)),
            Expr::Sum(parts) => Expr::Sum(list(parts)),
            Expr::Min(parts) => Expr::Min(list(parts)),
            Expr::Max(parts) => Expr::Max(list(parts)),
            Expr::Not(a) => Expr::Not(Box::new(f(a))),
            Expr::Neg(a) => Expr::Neg(Box::new(f(a))),
            Expr::Binary(operator, a, b) => Expr::Binary(*operator, Box::new(f(a)), Box::new(f(b))),
            Expr::If(a, b, c) => Expr::If(Box::new(f(a)), Box::new(f(b)), Box::new(f(c))),
            Expr::Read(place) => Expr::Read(place.map(f)),
            Expr::Quantified(quantifier, Binder { index, span }, body) => {
                let span = Span { lo: Box::new(f(&span.lo)), hi: Box::new(f(&span.hi)) };
                Expr::Quantified(*quantifier, Binder { index: *index, span }, Box::new(f(body)))
            }
            Expr::Taken(pattern) => Expr::Taken(pattern.map(f)),
            Expr::Enabled(pattern) => Expr::Enabled(pattern.map(f)),
        }
    }

    /// Whether it has the same value in every state and step.
    pub fn is_rigid(&self) -> bool {
        !self.any(&mut |part| {
            matches!(part, Expr::Read(_) | Expr::Taken(_) | Expr::Enabled(_) | Expr::Parameter(_))
        })
    }

    /// Whether this expression or one inside it satisfies `test`.
    pub fn any(&self, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|child| child.any(test))
    }
}
