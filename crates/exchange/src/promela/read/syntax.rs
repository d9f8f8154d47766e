//! The syntax tree of a Promela file, with a [`Span`] on everything a message may point at.
//!
//! `for`, `select` and calls of an `inline` are written out by the parser, as SPIN does it.

use lang::syntax::{Name, Span, Unary as Modality};

use crate::operators::Binary;

/// A file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// All symbols of `mtype` declarations, in order.
    pub(super) symbols: Vec<Vec<Name>>,
    pub(super) records: Vec<(Name, Vec<Declaration>)>,
    pub(super) variables: Vec<Declaration>,
    pub(super) processes: Vec<Process>,
    pub(super) never: Option<Vec<Statement>>,
    pub(super) formulas: Vec<(Option<Name>, Expr)>,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// From this number to that one: `bit`, `byte`, `int` and the like.
    Range(i64, i64),
    /// `mtype`
    Symbol,
    Chan,
    Record(Name),
}

/// A variable or a parameter.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) name: Name,
    pub(super) base: Base,
    /// The number of elements of an array.
    pub(super) size: Option<Expr>,
    pub(super) initial: Initial,
}

/// An initial value.
#[derive(Clone, Debug)]
pub(super) enum Initial {
    /// Zero.
    None,
    Value(Expr),
    /// `{1, 2}`
    List(Vec<Expr>),
    /// `[2] of {byte, chan}`
    Channel(Expr, Vec<Base>),
}

/// A proctype, or `init`.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) name: Name,
    /// How many are active from the beginning.
    pub(super) active: Option<Expr>,
    pub(super) parameters: Vec<Declaration>,
    /// `provided (e)`
    pub(super) provided: Option<Expr>,
    pub(super) body: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) labels: Vec<Name>,
    pub(super) action: Action,
    pub(super) span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Declare(Vec<Declaration>),
    /// A condition, or a `run` on its own.
    Wait(Expr),
    Else,
    Assign(Place, Expr),
    Send {
        channel: Place,
        values: Vec<Expr>,
        sorted: bool,
    },
    /// `c?x`, `c??x` (any message that matches), `c?<x>` (the message stays)
    Receive {
        channel: Place,
        values: Vec<Expr>,
        random: bool,
        copies: bool,
    },
    Assert(Expr),
    /// `printf` and the like: a step without an effect.
    Print,
    If(Vec<Vec<Statement>>),
    Do(Vec<Vec<Statement>>),
    Goto(Name),
    Break,
    Block(Vec<Statement>),
    Atomic(Vec<Statement>),
    /// `d_step`
    Deterministic(Vec<Statement>),
    /// `{ … } unless { … }`
    Unless(Vec<Statement>, Vec<Statement>),
}

/// A variable, an element of an array, or a field: `a[i].b[j]`
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: Name,
    /// The element of each part, if it is an array: of `a`, then of the field `b`, and so on.
    pub(super) index: Option<Box<Expr>>,
    pub(super) fields: Vec<(Name, Option<Expr>)>,
}

/// An expression or a temporal formula.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Number(i64),
    Place(Place),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(c)`
    Length(Place),
    /// `empty`, `nempty`, `full`, `nfull`
    Test(&'static str, Place),
    /// `c?[x, 1]`, `c??[x, 1]`
    Poll {
        channel: Place,
        values: Vec<Expr>,
        random: bool,
    },
    /// `eval(e)` as a field that is received.
    Eval(Box<Expr>),
    Run(Name, Vec<Expr>),
    /// `P[e]@l`
    At(Name, Option<Box<Expr>>, Name),
    /// `P[e]:x`
    Of(Name, Option<Box<Expr>>, Place),
    Timeout,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Negative,
    Complement,
    Temporal(Modality),
}

impl Place {
    /// A variable without index and fields.
    pub(super) fn plain(name: Name) -> Place {
        Place { name, index: None, fields: Vec::new() }
    }

    /// Whether it is a name alone.
    pub(super) fn is_plain(&self) -> bool {
        self.index.is_none() && self.fields.is_empty()
    }
}

impl Expr {
    /// A number.
    pub(super) fn number(value: i64, span: Span) -> Expr {
        Expr { node: Node::Number(value), span }
    }
}
