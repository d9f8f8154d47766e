//! The syntax tree of an SMV file.

pub(super) use lang::syntax::Name;
use lang::syntax::Span;

/// A module.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) items: Vec<Item>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    State,
    Frozen,
    Input,
}

/// Which value of a variable an assignment gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// `init(x) := e`
    First,
    /// `next(x) := e`
    Next,
    /// `x := e`
    Always,
}

/// The kinds of specifications, in the order in which `NuSMV` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Logic {
    Ctl,
    Compute,
    Ltl,
    Psl,
    Invariant,
}

/// A declaration of a module.
#[derive(Debug)]
pub(super) enum Item {
    Variables(Role, Vec<(Name, Type)>),
    Define(Name, Definition),
    /// `CONSTANTS a, b;` The names need no declaration here.
    Constants(Vec<Name>),
    Assign(When, Expr, Expr),
    Init(Expr),
    Invar(Expr),
    Trans(Expr),
    Justice(Expr),
    Compassion(Expr, Expr),
    Specification {
        logic: Logic,
        name: Option<Name>,
        body: Result<Expr, String>,
        span: Span,
    },
    /// `ISA m`: the declarations of `m`, here.
    Isa(Name),
}

/// What a `DEFINE` stands for.
#[derive(Clone, Debug)]
pub(super) enum Definition {
    Value(Expr),
    /// `[a, b]`
    Array(Vec<Definition>),
}

/// The type of a variable.
#[derive(Debug)]
pub(super) enum Type {
    Bool,
    Range(Expr, Expr),
    Enumeration(Vec<Expr>),
    Word { signed: bool, width: Expr },
    Array(Expr, Expr, Box<Type>),
    Instance { process: bool, module: Name, arguments: Vec<Expr> },
}

/// An expression or formula.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Neg,
    /// LTL, the past included.
    Next,
    Globally,
    Finally,
    Previous,
    /// `Z`: as `Y`, but true at the first position.
    PreviousIfAny,
    Historically,
    Once,
    AllNext,
    SomeNext,
    AllFinally,
    SomeFinally,
    AllGlobally,
    SomeGlobally,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Implies,
    Iff,
    Xor,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    In,
    Union,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Concat,
    Until,
    Release,
    Since,
    Triggered,
    /// `A [p U q]`
    AllUntil,
    SomeUntil,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Bool(bool),
    Int(i64),
    Word {
        signed: bool,
        width: u32,
        value: i64,
    },
    Name(String),
    This,
    Dot(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// `c ? a : b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Case(Vec<(Expr, Expr)>),
    Set(Vec<Expr>),
    /// `1..3` as a set
    Range(Box<Expr>, Box<Expr>),
    /// `next(e)`
    Later(Box<Expr>),
    Call(String, Vec<Expr>),
    /// `F [1, 3] p`, `EBF 1..3 p`
    Bounded(Unary, u32, u32, Box<Expr>),
    /// `A [p BU 1..3 q]`
    BoundedUntil {
        all: bool,
        least: u32,
        most: u32,
        hold: Box<Expr>,
        reach: Box<Expr>,
    },
}
