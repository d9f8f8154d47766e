//! The syntax tree of an integer program: blocks of commands, and one kind of tree for terms, formulas and temporal
//! formulas.
//!
//! The first token does not show whether a term or a formula follows (`(x + 1) > 0`, `(x > 0) && …`). So there is one
//! tree for both, and the translation reports where the wrong one is used. Sums, products, conjunctions and
//! disjunctions have any number of operands. The height of a tree is the nesting of parentheses in its text, which the
//! parser limits.

use model::expr::Operator;
use model::property::Paths;

use lang::syntax::Span;

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// The location before the first block.
    pub(crate) start: Option<Located<String>>,
    /// The location of errors, in safety tests.
    pub(crate) cutpoint: Option<Located<String>>,
    /// The blocks, in order.
    pub(crate) blocks: Vec<Block>,
}

/// Something and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// Commands that are one step between two locations.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) from: Located<String>,
    pub(crate) commands: Vec<Command>,
    pub(crate) to: Located<String>,
}

/// A command.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// `x := t`; annotated if `AT(…)` stands before it. A name that begins with `%` is known in this block only.
    Assign { variable: String, value: Tree, annotated: bool },
    /// `assume(f)`
    Assume(Tree),
}

/// A term, a formula or a temporal formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) node: Node,
    pub(crate) span: Span,
}

impl Tree {
    /// Calls a function with this tree and all its parts, each before its own parts, in the order of the text.
    pub(crate) fn visit<'t>(&'t self, each: &mut dyn FnMut(&'t Tree)) {
        let mut pending = vec![self];
        while let Some(tree) = pending.pop() {
            each(tree);
            match &tree.node {
                Node::Number(_) | Node::Variable(_) | Node::Any | Node::Truth(_) | Node::At(_) => {}
                Node::Negative(a) | Node::Not(a) | Node::Quantified(_, a) => pending.push(a),
                Node::Sum(parts) => pending.extend(parts.iter().rev().map(|(_, part)| part)),
                Node::Product(first, factors) => {
                    pending.extend(factors.iter().rev().map(|(_, factor)| factor));
                    pending.push(first);
                }
                Node::Compare(_, a, b) => pending.extend([&**b, &**a]),
                Node::And(parts) | Node::Or(parts) | Node::Temporal(_, parts) => {
                    pending.extend(parts.iter().rev());
                }
            }
        }
    }
}

/// The kinds of trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Number(i64),
    Variable(String),
    /// A condition that is always true or never.
    Truth(bool),
    /// The program is at this location. Only in properties.
    At(String),
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
pub(crate) enum Factor {
    Times,
    /// Rounded towards zero.
    Divided,
    Remainder,
    /// A quotient by a positive number, rounded down.
    Floored,
    /// The rest then, which is never negative.
    Modulo,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

impl Comparison {
    /// The one that is true where this one is not.
    pub(crate) fn opposite(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
            Comparison::Equal => Comparison::Unequal,
            Comparison::Unequal => Comparison::Equal,
        }
    }

    /// The operator of the model.
    pub(crate) fn operator(self) -> Operator {
        match self {
            Comparison::Less => Operator::Lt,
            Comparison::LessEqual => Operator::Le,
            Comparison::Greater => Operator::Gt,
            Comparison::GreaterEqual => Operator::Ge,
            Comparison::Equal => Operator::Eq,
            Comparison::Unequal => Operator::Ne,
        }
    }
}

/// A temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    Finally,
    Globally,
    Next,
    Until,
    WeakUntil,
}

impl Temporal {
    /// Whether it has two operands.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Temporal::Until | Temporal::WeakUntil)
    }
}
