//! The syntax tree of a text in the format of T2: blocks of commands, and one kind of tree for terms, formulas and
//! temporal formulas.
//!
//! The first token does not show whether a term or a formula follows (`(x + 1) > 0`, `(x > 0) && …`). So there is one
//! tree for both, and the translation reports where the wrong one is used. Sums, products, conjunctions and
//! disjunctions have any number of operands. The height of a tree is the nesting of parentheses in its text, which the
//! parser limits.

use model::property::Paths;

use lang::syntax::Span;

/// A program.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// The location before the first block.
    pub(super) start: Option<Located<String>>,
    /// The location of errors, in safety tests.
    pub(super) cutpoint: Option<Located<String>>,
    /// The blocks, in order.
    pub(super) blocks: Vec<Block>,
}

/// Something and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// Commands that are one step between two locations.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) from: Located<String>,
    pub(super) commands: Vec<Command>,
    pub(super) to: Located<String>,
}

/// A command.
#[derive(Debug)]
pub(super) enum Command {
    /// `x := t`; annotated if `AT(…)` stands before it.
    Assign { variable: String, value: Tree, annotated: bool },
    /// `assume(f)`
    Assume(Tree),
}

/// A term, a formula or a temporal formula.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) node: Node,
    pub(super) span: Span,
}

/// The kinds of trees.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Number(i64),
    Variable(String),
    /// `nondet()`
    Any,
    Negative(Box<Tree>),
    /// The operands, and whether each is subtracted.
    Sum(Vec<(bool, Tree)>),
    /// The first operand, and the factors and divisors after it.
    Product(Box<Tree>, Vec<(Factor, Tree)>),
    Compare(Comparison, Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    /// `A f`, `E f`
    Quantified(Paths, Box<Tree>),
    /// `F f`, `U f, g` and the like; one or two operands.
    Temporal(Temporal, Vec<Tree>),
}

/// An operator that binds like multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    Times,
    Divided,
    Remainder,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

/// A temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temporal {
    Finally,
    Globally,
    Next,
    Until,
    WeakUntil,
}

impl Temporal {
    /// Whether it has two operands.
    pub(super) fn is_binary(self) -> bool {
        matches!(self, Temporal::Until | Temporal::WeakUntil)
    }
}
