//! The syntax tree of a C program over integers.
//!
//! Variables are integers, or arrays and structures of them. `_Bool` makes an assignment normalise its value, an unsigned
//! type makes it wrap around. What is not in the subset never gets into a tree: the parser refuses it where it stands.
//!
//! A part of a variable has a *path* as its name, with `[]` where an index stands: `p.x`, `a[]`, `tasks[].left`, `m[][]`. What
//! a pointer points to is `*p`.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// A program.
#[derive(Debug, Default)]
pub(super) struct Unit {
    /// The variables outside functions, in order.
    pub(super) globals: Vec<Declaration>,
    /// The functions that have a body.
    pub(super) functions: BTreeMap<String, Function>,
    /// The constants of enumerations.
    pub(super) constants: BTreeMap<String, i64>,
    /// The structures.
    pub(super) structures: Vec<Structure>,
    /// The functions that are declared, with the kinds of their results.
    pub(super) declared: BTreeMap<String, Kind>,
    /// What was read in a way that its author should know of.
    pub(super) warnings: Vec<Diagnostic>,
}

/// A structure: its fields in order.
#[derive(Debug, Default)]
pub(super) struct Structure {
    pub(super) fields: Vec<Declaration>,
}

/// A part of a variable that is an integer, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Its path without the name of the variable: `[].left`.
    pub(super) path: String,
    pub(super) kind: Kind,
    /// The sizes that the indices in its path have.
    pub(super) sizes: Vec<usize>,
}

impl Unit {
    /// The parts of a variable.
    pub(super) fn leaves(&self, kind: Kind, sizes: &[usize]) -> Vec<Leaf> {
        let own = "[]".repeat(sizes.len());
        let Kind::Structure(number) = kind else {
            return vec![Leaf { path: own, kind, sizes: sizes.to_vec() }];
        };
        let fields = self.structures.get(number).map_or(&[][..], |known| &known.fields);
        let inside = |field: &Declaration| {
            let leaves = self.leaves(field.kind, &field.sizes).into_iter();
            let path = format!("{own}.{}", field.name);
            leaves
                .map(|leaf| Leaf {
                    path: format!("{path}{}", leaf.path),
                    sizes: [sizes, &leaf.sizes].concat(),
                    ..leaf
                })
                .collect::<Vec<_>>()
        };
        fields.iter().flat_map(inside).collect()
    }
}

impl Unit {
    /// The parts of a variable that are integers, or arrays of them.
    pub(super) fn usable(&self, kind: Kind, sizes: &[usize]) -> Vec<Leaf> {
        let mut leaves = self.leaves(kind, sizes);
        leaves.retain(|leaf| leaf.kind != Kind::Other);
        leaves
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) name: String,
    /// Its kind, that of its elements, or that of what it points to.
    pub(super) kind: Kind,
    /// How many bytes one of that kind has, where that does not depend on the machine.
    pub(super) bytes: Option<usize>,
    pub(super) is_pointer: bool,
    pub(super) value: Option<Expr>,
    /// For an array, the numbers of its elements, outer first.
    pub(super) sizes: Vec<usize>,
    /// For an array or a structure, the values of a list, with the parts they are for, `[0]` or `.x`; the other parts are 0.
    pub(super) values: Option<Vec<(String, Expr)>>,
    /// Whether it keeps its value from call to call.
    pub(super) lasting: bool,
    /// Whether it is defined elsewhere, so that its first value is not known.
    pub(super) elsewhere: bool,
    pub(super) span: Span,
}

/// The kinds of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// A signed type that is wider than `int`. It only matters beside unsigned types.
    Long,
    /// An unsigned type of this many bits.
    Natural(u32),
    Truth,
    /// A structure, by its number.
    Structure(usize),
    /// Something that is no integer. It cannot be used.
    Other,
    /// Nothing: the result of a function without one.
    Void,
}

/// A function with a body.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) result: Kind,
    pub(super) parameters: Vec<Declaration>,
    pub(super) body: Vec<Statement>,
    pub(super) span: Span,
}

/// A statement.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) node: Do,
    pub(super) span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub(super) enum Do {
    Nothing,
    Evaluate(Expr),
    Declare(Vec<Declaration>),
    Block(Vec<Statement>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    /// `do … while (e);`
    Repeat(Box<Statement>, Expr),
    For {
        first: Option<Box<Statement>>,
        test: Option<Expr>,
        step: Option<Expr>,
        body: Box<Statement>,
    },
    Switch(Expr, Box<Statement>),
    Case(Expr, Box<Statement>),
    Default(Box<Statement>),
    Label(String, Box<Statement>),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Number(i64),
    Name(String),
    /// A text: only an argument of a function that prints.
    Text,
    /// `?`: any integer.
    Any,
    /// `[0, 9]`: any integer from the first to the last.
    Between(i64, i64),
    Minus(Box<Expr>),
    Not(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// `(type) e`
    Cast(Kind, Box<Expr>),
    /// The quotient by a number, rounded down, and the rest then: operators on bits by constants.
    Floored(Box<Expr>, i64),
    Modulo(Box<Expr>, i64),
    /// `a[e]`, with one index for each `[]` in the path.
    Element(String, Vec<Expr>),
    /// `a[i] = e`, and `a[i] op= e`.
    AssignElement(String, Vec<Expr>, Option<Binary>, Box<Expr>),
    /// `&x`
    Address(String),
    /// `sizeof x`
    Size(String),
    /// No run gets here: an index outside of its array.
    Never,
    /// `x = e`, and `x op= e`.
    Assign(String, Option<Binary>, Box<Expr>),
    /// `++x`, `x++`, `--x`, `x--`: what is added, and whether the old value is the result.
    Step {
        name: String,
        by: i64,
        old: bool,
    },
    Call(String, Vec<Expr>),
}

/// Operators on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

impl Binary {
    /// Whether its result is 0 or 1.
    pub(super) fn compares(self) -> bool {
        !matches!(self, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem)
    }
}
