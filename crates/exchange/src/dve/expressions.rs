//! Translates DVE expressions.
//!
//! In DVE truth is a number, as in C: `P.cs + Q.cs > 1` counts processes in a state. Ours keeps truth and numbers apart, so a
//! translated expression says which it is, and is converted where the other is needed. It also has an interval that
//! contains its values. With that, a value is made to wrap around only where it may leave its type, and a division gets
//! the case of a negative dividend only where there is one: DVE rounds towards zero, ours is Euclidean.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Event, Expr as Tree, ExprKind, Name, Span, Unary as Prefix};

use super::names::{Meaning, Names, Scope};
use super::syntax::{Expr, Node, Type, Unary};
use crate::numbers::{Interval, Value, arithmetic};
use crate::operators::Binary;
use crate::tree::{binary, expr, int, item, named, unary};

impl Type {
    pub(super) fn range(self) -> Interval {
        match self {
            Type::Byte => Interval::new(0, 255),
            Type::Int => Interval::new(-32_768, 32_767),
        }
    }
}

/// The value of a constant expression.
pub(super) fn constant(expr: &Expr, names: &Names, scope: Option<&Scope>) -> Result<i64, Box<Diagnostic>> {
    let (_, range) = Translator { names, scope, outside: false }.value(expr)?.number();
    if range.lo == range.hi {
        return Ok(range.lo);
    }
    Err(Diagnostic::error(expr.span, "this must be a constant", "it depends on a variable").into())
}

/// Translates expressions of one process, or of no process.
#[derive(Clone, Copy)]
pub(super) struct Translator<'a> {
    pub(super) names: &'a Names,
    pub(super) scope: Option<&'a Scope>,
    /// Whether the expression stands outside its process, so that variables of the process need its name.
    pub(super) outside: bool,
}

type Translated<T> = Result<T, Box<Diagnostic>>;

impl Translator<'_> {
    /// A number and its range.
    pub(super) fn number(&self, expr: &Expr) -> Translated<(Tree, Interval)> {
        Ok(self.value(expr)?.number())
    }

    /// A condition.
    pub(super) fn truth(&self, expr: &Expr) -> Translated<Tree> {
        Ok(self.value(expr)?.truth())
    }

    /// A variable that is written, and its type.
    pub(super) fn place(&self, expr: &Expr) -> Translated<(Tree, Type)> {
        let (name, position) = match &expr.node {
            Node::Name(name) => (name, None),
            Node::Item(name, position) => (&name.text, Some(position)),
            _ => {
                return Err(Diagnostic::error(expr.span, "only a variable can be written", "not this").into());
            }
        };
        let Meaning::Variable { called, kind, size } = self.names.find(name, expr.span, self.scope)? else {
            return Err(
                Diagnostic::error(expr.span, "a constant cannot be written", "it keeps its value").into()
            );
        };
        let place = named(called.clone(), expr.span);
        Ok(match (position, size) {
            (None, None) => (place, *kind),
            // An array alone is its first element.
            (None, Some(_)) => (item(place, int(0, expr.span)), *kind),
            (Some(position), _) => (item(place, self.number(position)?.0), *kind),
        })
    }

    pub(super) fn value(&self, expr: &Expr) -> Translated<Value> {
        let span = expr.span;
        let number = |tree: Tree, range: Interval| Ok(Value { tree, range: Some(range) });
        match &expr.node {
            Node::Number(value) => number(int(*value, span), Interval::new(*value, *value)),
            Node::Name(name) => self.read(None, name, None, span),
            Node::Item(name, position) => self.read(None, &name.text, Some(position), span),
            Node::Of(process, name, position) => {
                self.read(Some(self.names.process(process)?), &name.text, position.as_deref(), span)
            }
            Node::At(process, state) => {
                let scope = self.names.process(process)?;
                let label = Name { text: scope.state(state)?.to_owned(), span: state.span };
                let process = Box::new(named(scope.called.clone(), process.span));
                Ok(Value { tree: expr_at(process, label, span), range: None })
            }
            Node::Test(test, channel) => {
                let channel = Box::new(named(self.names.channel(channel)?, channel.span));
                let kind = if *test == "full" { ExprKind::Full(channel) } else { ExprKind::Empty(channel) };
                Ok(Value { tree: crate::tree::expr(kind, span), range: None })
            }
            Node::Unary(operator, operand) => self.unary(*operator, operand),
            Node::Binary(operator, left, right) => self.binary(*operator, left, right, span),
        }
    }

    /// The value of a variable or constant, of this process or of another one.
    fn read(&self, of: Option<&Scope>, name: &str, position: Option<&Expr>, span: Span) -> Translated<Value> {
        let position = position.map(|position| self.number(position)).transpose()?;
        let meaning = self.names.find(name, span, of.or(self.scope))?;
        let own = self.scope.filter(|scope| self.outside && scope.variables.contains_key(name));
        let of = of.filter(|scope| scope.variables.contains_key(name)).or(own);
        // An array alone is its first element.
        let first = || (int(0, span), Interval::new(0, 0));
        let position = if meaning.is_array() { position.or_else(|| Some(first())) } else { position };
        let (tree, range) = match (meaning, position) {
            (Meaning::Constant(value), None) => (int(*value, span), Interval::new(*value, *value)),
            // Our tables begin with 1.
            (Meaning::Table(called, values), Some((position, _))) => {
                let next = binary(Operator::Add, position, int(1, span));
                let values = values.iter().map(|value| Interval::new(*value, *value));
                let range = values.reduce(Interval::join).unwrap_or(Interval::new(0, 0));
                (item(named(called.clone(), span), next), range)
            }
            (Meaning::Variable { called, kind, size }, position) if size.is_some() || position.is_none() => {
                let name = Name { text: called.clone(), span };
                let variable = match of {
                    Some(scope) => {
                        let process = Box::new(named(scope.called.clone(), span));
                        expr(ExprKind::Field(process, name), span)
                    }
                    None => named(name.text, span),
                };
                (position.into_iter().fold(variable, |array, (at, _)| item(array, at)), kind.range())
            }
            _ => {
                return Err(Diagnostic::error(
                    span,
                    format!("`{name}` is not an array"),
                    "it has no elements",
                )
                .into());
            }
        };
        Ok(Value { tree, range: Some(range) })
    }

    fn unary(&self, operator: Unary, operand: &Expr) -> Translated<Value> {
        let operand = self.value(operand)?;
        Ok(match operator {
            Unary::Not => Value { tree: unary(Prefix::Not, operand.truth()), range: None },
            Unary::Temporal(operator) => Value { tree: unary(operator, operand.truth()), range: None },
            Unary::Negative => {
                let (tree, Interval { lo, hi }) = operand.number();
                Value { tree: unary(Prefix::Neg, tree), range: Some(Interval::new(-hi, -lo)) }
            }
            Unary::Complement => {
                let (tree, Interval { lo, hi }) = operand.number();
                let span = tree.span;
                let tree = binary(Operator::Sub, unary(Prefix::Neg, tree), int(1, span));
                Value { tree, range: Some(Interval::new(-hi - 1, -lo - 1)) }
            }
        })
    }

    fn binary(&self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Translated<Value> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        let operator = match operator {
            Binary::Logic(operator) => {
                return Ok(Value { tree: binary(operator, left.truth(), right.truth()), range: None });
            }
            Binary::Compare(operator) => {
                return Ok(Value { tree: binary(operator, left.number().0, right.number().0), range: None });
            }
            Binary::Number(operator) => operator,
        };
        let ((left, first), (right, second)) = (left.number(), right.number());
        let (tree, range) = arithmetic(operator, (left, first), (right, second), span)?;
        let widest = Interval::new(-(1 << 40), 1 << 40);
        if !widest.contains(range) {
            return Err(
                Diagnostic::error(span, "this number may become too large", "more than 40 bits").into()
            );
        }
        Ok(Value { tree, range: Some(range) })
    }
}

fn expr_at(process: Box<Tree>, label: Name, span: Span) -> Tree {
    expr(ExprKind::At(process, label), span)
}

/// The claim that some step is possible.
pub(super) fn no_deadlock(span: Span) -> Tree {
    expr(ExprKind::Enabled(Event { parties: Vec::new(), arguments: None, span }), span)
}
