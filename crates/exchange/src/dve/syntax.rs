//! The syntax tree of a DVE file, with a [`Span`] on everything a message may point at.

use lang::syntax::{Name, Span};

use crate::operators::Binary;

/// A file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Constants and variables of the whole file.
    pub(super) variables: Vec<Variable>,
    pub(super) channels: Vec<Channel>,
    pub(super) processes: Vec<Process>,
    /// Whether all processes take their steps together.
    pub(super) synchronous: bool,
    /// The process that says which runs violate the property, if there is one.
    pub(super) property: Option<Name>,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    /// 0 to 255.
    Byte,
    /// 16 bits with a sign.
    Int,
}

/// `const byte n = 3` or `byte a[2] = {1, 0}`.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) is_constant: bool,
    pub(super) kind: Type,
    pub(super) name: Name,
    /// The number of elements of an array.
    pub(super) size: Option<Expr>,
    /// The initial value, or those of the first elements.
    pub(super) initial: Vec<Expr>,
}

/// `channel c` or `channel {byte, int} c[2]`.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) name: Name,
    /// The types of the values of a message, if they are declared.
    pub(super) fields: Option<Vec<Type>>,
    /// The number of messages it holds; 0 for a handshake.
    pub(super) capacity: Expr,
}

/// A process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) name: Name,
    pub(super) variables: Vec<Variable>,
    pub(super) states: Vec<Name>,
    pub(super) initial: Option<Name>,
    /// Sets of states, each of which a property process must visit infinitely often.
    pub(super) accepting: Vec<Vec<Name>>,
    /// While a process is in such a state, only processes in such states step.
    pub(super) committed: Vec<Name>,
    /// Conditions that must be true in a state.
    pub(super) assertions: Vec<(Name, Expr)>,
    pub(super) transitions: Vec<Transition>,
}

/// `from -> to { guard g; sync c!e; effect x = e; }`
#[derive(Debug)]
pub(super) struct Transition {
    pub(super) from: Name,
    pub(super) to: Name,
    /// All of them must be true.
    pub(super) guards: Vec<Expr>,
    pub(super) message: Option<Message>,
    pub(super) effects: Vec<(Expr, Expr)>,
    pub(super) span: Span,
}

/// `c!e` or `c?x`
#[derive(Debug)]
pub(super) struct Message {
    pub(super) channel: Name,
    pub(super) sends: bool,
    /// What is sent, or the variables that take it.
    pub(super) values: Vec<Expr>,
    pub(super) span: Span,
}

/// An expression or a temporal formula.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) span: Span,
}

/// The kinds of expressions.
#[derive(Debug)]
pub(super) enum Node {
    Number(i64),
    /// A variable or a constant.
    Name(String),
    /// `a[e]`
    Item(Name, Box<Expr>),
    /// `P.s`: process `P` is in state `s`.
    At(Name, Name),
    /// `P->x` or `P->a[e]`: a variable of process `P`.
    Of(Name, Name, Option<Box<Expr>>),
    /// `full(c)`, `empty(c)`
    Test(&'static str, Name),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Negative,
    /// All bits turned over.
    Complement,
    Temporal(lang::syntax::Unary),
}
