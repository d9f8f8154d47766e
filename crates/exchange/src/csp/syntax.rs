//! The syntax tree of a CSP# file.

pub(super) use lang::syntax::Name;
use lang::syntax::Span;

/// A file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) defines: Vec<(Name, Expr)>,
    /// `enum {a, b};`: constants 0, 1, …
    pub(super) constants: Vec<(Name, i64)>,
    pub(super) variables: Vec<Variable>,
    pub(super) channels: Vec<(Name, Expr)>,
    pub(super) processes: Vec<Definition>,
    /// `#alphabet P {a, b.1};`
    pub(super) alphabets: Vec<(Name, Vec<Event>)>,
    pub(super) assertions: Vec<Assertion>,
}

/// `var x:{0..3} = 0;`, `var a[N] = [1, 2];`
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    /// The sizes of an array.
    pub(super) sizes: Vec<Expr>,
    pub(super) range: Option<(Expr, Expr)>,
    pub(super) initial: Vec<Expr>,
}

/// `P(i, j) = …;`
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) body: Process,
}

/// A claim about a process.
#[derive(Debug)]
pub(super) struct Assertion {
    pub(super) process: Name,
    pub(super) arguments: Vec<Expr>,
    pub(super) claim: Claim,
    pub(super) span: Span,
}

/// The kinds of claims.
#[derive(Clone, Debug)]
pub(super) enum Claim {
    /// `|= φ`
    Formula(Expr),
    DeadlockFree,
    /// `nonterminating`: there is always a next step, so the process does not end either.
    Nonterminating,
    /// A kind of claim that is not checked, by its word.
    LeftOut(String),
    /// `reaches p`
    Reaches(Expr),
}

/// How an event is annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    Weak,
    Strong,
    Unconditional,
    WeakLive,
    StrongLive,
}

/// `a.i.(i + 1)%N`
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) name: Name,
    pub(super) arguments: Vec<Expr>,
}

/// A process.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) kind: Term,
    pub(super) span: Span,
}

/// The kinds of processes.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Skip,
    Stop,
    Call(Name, Vec<Expr>),
    /// `wf(a.1){x = 1;} -> P`
    Prefix {
        annotation: Option<Annotation>,
        event: Event,
        program: Vec<Statement>,
        then: Box<Process>,
    },
    /// `{x = 1;} -> P`: a step without a name.
    Silent(Vec<Statement>, Box<Process>),
    Send(Name, Vec<Expr>, Vec<Statement>, Box<Process>),
    /// `c?[x > 0]x{…} -> P`
    Receive(Name, Option<Expr>, Vec<Expr>, Vec<Statement>, Box<Process>),
    Guard(Expr, Box<Process>),
    /// `atomic { P }`: its steps come before those of others.
    Atomic(Box<Process>),
    /// `if`: the test is a step of its own; `ifa`: it is made together with the first step; `ifb`: it waits.
    If {
        word: IfWord,
        condition: Expr,
        yes: Box<Process>,
        no: Option<Box<Process>>,
    },
    /// `case { c : P … default : Q }`
    Case(Vec<(Option<Expr>, Process)>),
    Choice(Vec<Process>),
    Internal(Vec<Process>),
    Sequence(Vec<Process>),
    Interleave(Vec<Process>),
    Parallel(Vec<Process>),
    /// `||| x:{0..2} @ P(x)`, also with `||`, `[]`, `<>`, `;`
    Indexed(Operator, Vec<(Name, Vec<Values>)>, Box<Process>),
}

/// `if`, `ifa`, `ifb`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IfWord {
    Plain,
    Atomic,
    Blocking,
}

/// An operator on processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Interleave,
    Parallel,
    Choice,
    Internal,
    Sequence,
}

/// Some values of an index.
#[derive(Clone, Debug)]
pub(super) enum Values {
    One(Expr),
    Range(Expr, Expr),
}

/// A statement of a program.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// `x = e`, `a[i] = e`
    Assign(Expr, Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// `while (c) { … }`
    While(Expr, Vec<Statement>),
    /// `var i = e`: a variable of the program.
    Local(Name, Expr),
}

/// An expression or formula.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Int(i64),
    Bool(bool),
    /// A name, or an event of a formula with its arguments.
    Name(String, Vec<Expr>),
    Item(String, Vec<Expr>),
    Call(String),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `[]`, `<>`, `X`
    Globally(Box<Expr>),
    Finally(Box<Expr>),
    Next(Box<Expr>),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Xor,
    Implies,
    Iff,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Until,
    Release,
    WeakUntil,
}
