//! Parses Promela expressions and formulas of LTL. Operators bind as in C; between `&&` and `|` stand `U`, `W` and `V`, and
//! below `||` stand `->` and `<->`, both only in formulas.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Unary as Modality};

use super::syntax::{Expr, Node, Place, Unary};
use super::tokens::{Kind, Token};
use crate::numbers::{Arithmetic, Bits};
use crate::operators::{self, Binary};
pub(super) use crate::text::Parsed;
use crate::text::{Reader, nested, reads};

/// Reads expressions.
pub(super) struct Expressions<'a> {
    pub(super) reader: Reader<'a>,
    /// Whether temporal operators are read as such.
    pub(super) temporal: bool,
    /// Names of variables that blocks declare, and what they are called instead; the last one counts.
    pub(super) renamed: Vec<(&'a str, String)>,
}

reads!(Expressions);

/// The value of an expression of numbers.
pub(super) fn constant_of(tokens: Vec<Token<'_>>) -> Parsed<i64> {
    let mut reader = Expressions::new(tokens);
    let expr = reader.expression()?;
    if !reader.is_end() {
        return reader.unexpected("the end of the line");
    }
    expr.constant(&|_| None).ok_or_else(|| {
        Diagnostic::error(expr.span, "this is not a constant", "only numbers can stand here").into()
    })
}

impl<'a> Expressions<'a> {
    pub(super) fn new(tokens: Vec<Token<'a>>) -> Expressions<'a> {
        Expressions { reader: Reader::new(tokens), temporal: false, renamed: Vec::new() }
    }

    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        nested(self, |reader| reader.binary(0))
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let first = self.current();
        let mut left = nested(self, Self::prefix)?;
        while let Some((operator, binds)) = self.operator() {
            if binds < level {
                break;
            }
            self.advance();
            let right = nested(self, |reader| reader.binary(binds + 1))?;
            let span = self.since(first);
            left = Expr { node: Node::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(Binary, usize)> {
        let token = self.current();
        if !matches!(token.kind, Kind::Symbol | Kind::Word) {
            return None;
        }
        let logic = |operator, binds| Some((Binary::Logic(operator), binds));
        match token.text {
            "->" | "implies" if self.temporal => logic(Operator::Implies, operators::IMPLICATION),
            "<->" | "equivalent" if self.temporal => logic(Operator::Iff, operators::IMPLICATION),
            "U" | "until" | "stronguntil" if self.temporal => logic(Operator::Until, operators::TEMPORAL),
            "W" | "weakuntil" if self.temporal => logic(Operator::WeakUntil, operators::TEMPORAL),
            "V" | "release" if self.temporal => logic(Operator::Release, operators::TEMPORAL),
            "/\\" if self.temporal => logic(Operator::And, operators::AND),
            "\\/" if self.temporal => logic(Operator::Or, operators::OR),
            symbol => operators::of_c(symbol),
        }
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let first = self.current();
        let temporal = match first.text {
            "[]" | "always" => Some((Modality::Globally, 3)),
            "<>" | "eventually" => Some((Modality::Finally, 3)),
            "X" | "next" => Some((Modality::Next, 4)),
            _ => None,
        };
        let (operator, level) = match (first.text, temporal) {
            _ if !matches!(first.kind, Kind::Symbol | Kind::Word) => return self.primary(),
            (_, Some((modality, level))) if self.temporal => (Unary::Temporal(modality), level),
            ("!", _) => (Unary::Not, usize::MAX),
            ("-", _) => (Unary::Negative, usize::MAX),
            ("~", _) => (Unary::Complement, usize::MAX),
            _ => return self.primary(),
        };
        self.advance();
        let operand =
            nested(self, |reader| if level == usize::MAX { reader.prefix() } else { reader.binary(level) })?;
        Ok(Expr { node: Node::Unary(operator, Box::new(operand)), span: self.since(first) })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let first = self.current();
        if self.takes("(") {
            let mut inner = self.expression()?;
            if !self.temporal && self.takes("->") {
                let yes = self.expression()?;
                self.expect(":")?;
                let no = self.expression()?;
                inner.node = Node::If(Box::new(inner.clone()), Box::new(yes), Box::new(no));
            }
            self.expect(")")?;
            return Ok(Expr { span: self.since(first), ..inner });
        }
        let node = match (first.kind, first.text) {
            (Kind::Number, text) => {
                let Some(value) = number(text) else {
                    return Err(Diagnostic::error(
                        first.span,
                        "this is not a number of 32 bits",
                        "too large",
                    )
                    .into());
                };
                self.advance();
                Node::Number(value)
            }
            (Kind::Word, "true" | "skip") => {
                self.advance();
                Node::Number(1)
            }
            (Kind::Word, "false") => {
                self.advance();
                Node::Number(0)
            }
            (Kind::Word, "timeout") => {
                self.advance();
                Node::Timeout
            }
            (Kind::Word, "run") => {
                self.advance();
                let name = self.name()?;
                let values = self.list_in_parentheses()?;
                if self.is("priority") {
                    return self.refused("priorities of processes are not supported");
                }
                Node::Run(name, values)
            }
            (Kind::Word, "enabled" | "pc_value" | "get_priority" | "set_priority")
                if self.peek(1).text == "(" =>
            {
                return self.refused(&format!("`{}` is not supported", first.text));
            }
            (Kind::Word, "c_expr") => return self.refused("code in C is not supported"),
            (Kind::Word, "eval") if self.peek(1).text == "(" => {
                self.at += 2;
                let inner = self.expression()?;
                self.expect(")")?;
                Node::Eval(Box::new(inner))
            }
            (Kind::Word, word @ ("len" | "empty" | "nempty" | "full" | "nfull"))
                if self.peek(1).text == "(" =>
            {
                self.at += 2;
                let channel = self.place()?;
                self.expect(")")?;
                match word {
                    "len" => Node::Length(channel),
                    "empty" => Node::Test("empty", channel),
                    "nempty" => Node::Test("nempty", channel),
                    "full" => Node::Test("full", channel),
                    _ => Node::Test("nfull", channel),
                }
            }
            (Kind::Word, _) => return self.name_in_expression(),
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { node, span: self.since(first) })
    }

    /// A variable, a label or variable of another process, or a question about the messages of a channel.
    fn name_in_expression(&mut self) -> Parsed<Expr> {
        let first = self.current();
        let place = self.place()?;
        let is_remote = place.fields.is_empty()
            && (self.is("@") || self.is(":") && self.peek(1).kind == Kind::Word && self.is_joined());
        let node = if is_remote {
            let at = self.advance().text == "@";
            let (process, number) = (place.name, place.index);
            if at {
                Node::At(process, number, self.name()?)
            } else {
                Node::Of(process, number, self.place()?)
            }
        } else if (self.is("?") || self.is("??")) && matches!(self.peek(1).text, "[" | "[]") {
            let random = self.advance().text == "??";
            let values = if self.takes("[]") {
                Vec::new()
            } else {
                self.advance();
                let values = self.message("]")?;
                self.expect("]")?;
                values
            };
            Node::Poll { channel: place, values, random }
        } else {
            Node::Place(place)
        };
        Ok(Expr { node, span: self.since(first) })
    }

    /// Whether `:` at the current token has no space around it, as in `P:x`.
    fn is_joined(&self) -> bool {
        let before = self.last().span.end == self.current().span.start;
        before && self.current().span.end == self.peek(1).span.start
    }

    /// The fields of a message: `a, b` or `a(b, c)`.
    pub(super) fn message(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut values = Vec::new();
        if self.is(end) {
            return Ok(values);
        }
        values.push(self.expression()?);
        if self.takes("(") {
            if !self.is(")") {
                values.push(self.expression()?);
                while self.takes(",") {
                    values.push(self.expression()?);
                }
            }
            self.expect(")")?;
        }
        while self.takes(",") {
            values.push(self.expression()?);
        }
        Ok(values)
    }

    fn list_in_parentheses(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        let mut values = Vec::new();
        while !self.is(")") {
            values.push(self.expression()?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(values)
    }

    /// `a[i].b[j]`
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let mut name = self.name()?;
        if let Some((_, other)) = self.renamed.iter().rev().find(|(own, _)| *own == name.text) {
            name.text.clone_from(other);
        }
        let index = self.index()?.map(Box::new);
        let mut fields = Vec::new();
        while self.is(".") && self.peek(1).kind == Kind::Word {
            self.advance();
            let field = self.name()?;
            fields.push((field, self.index()?));
        }
        Ok(Place { name, index, fields })
    }

    fn index(&mut self) -> Parsed<Option<Expr>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let temporal = std::mem::replace(&mut self.temporal, false);
        let index = self.expression();
        self.temporal = temporal;
        let index = index?;
        self.expect("]")?;
        Ok(Some(index))
    }
}

/// A number as written, or the code of a character in quotes.
fn number(text: &str) -> Option<i64> {
    if let Some(inner) = text.strip_prefix('\'') {
        let inner = inner.strip_suffix('\'')?;
        let mut found = inner.chars();
        let character = match (found.next()?, found.next()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some('0')) => '\0',
            ('\\', Some(other)) => other,
            (only, None) => only,
            _ => return None,
        };
        return Some(i64::from(u32::from(character)));
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    (value <= i64::from(u32::MAX)).then_some(value)
}

impl Expr {
    /// The value, if it is a constant; `known` gives the values of names.
    pub(super) fn constant(&self, known: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let truth = i64::from;
        Some(match &self.node {
            Node::Number(value) => *value,
            Node::Place(place) if place.is_plain() => known(&place.name.text)?,
            Node::Unary(operator, operand) => {
                let value = operand.constant(known)?;
                match operator {
                    Unary::Not => truth(value == 0),
                    Unary::Negative => value.checked_neg()?,
                    Unary::Complement => !value,
                    Unary::Temporal(_) => return None,
                }
            }
            Node::Binary(operator, left, right) => {
                let left = left.constant(known);
                // Like `&&` and `||` of C, also where the other side is not known.
                match (operator, left) {
                    (Binary::Logic(Operator::And), Some(0)) => return Some(0),
                    (Binary::Logic(Operator::Or), Some(value)) if value != 0 => return Some(1),
                    _ => {}
                }
                let right = right.constant(known);
                match (operator, right) {
                    (Binary::Logic(Operator::And), Some(0)) => return Some(0),
                    (Binary::Logic(Operator::Or), Some(value)) if value != 0 => return Some(1),
                    _ => {}
                }
                return binary(*operator, left?, right?);
            }
            Node::If(condition, yes, no) => {
                let branch = if condition.constant(known)? != 0 { yes } else { no };
                branch.constant(known)?
            }
            _ => return None,
        })
    }
}

fn binary(operator: Binary, a: i64, b: i64) -> Option<i64> {
    let shift = || u32::try_from(b).ok().filter(|by| *by < 32);
    Some(match operator {
        Binary::Logic(Operator::Or) => i64::from(a != 0 || b != 0),
        Binary::Logic(Operator::And) => i64::from(a != 0 && b != 0),
        Binary::Logic(_) => return None,
        Binary::Compare(operator) => i64::from(match operator {
            Operator::Eq => a == b,
            Operator::Ne => a != b,
            Operator::Lt => a < b,
            Operator::Le => a <= b,
            Operator::Gt => a > b,
            Operator::Ge => a >= b,
            _ => return None,
        }),
        Binary::Number(operator) => match operator {
            Arithmetic::Bits(Bits::Or) => a | b,
            Arithmetic::Bits(Bits::Xor) => a ^ b,
            Arithmetic::Bits(Bits::And) => a & b,
            Arithmetic::ShiftLeft => a.checked_shl(shift()?)?,
            Arithmetic::ShiftRight => a.checked_shr(shift()?)?,
            Arithmetic::Add => a.checked_add(b)?,
            Arithmetic::Subtract => a.checked_sub(b)?,
            Arithmetic::Multiply => a.checked_mul(b)?,
            Arithmetic::Divide => a.checked_div(b)?,
            Arithmetic::Remainder => a.checked_rem(b)?,
        },
    })
}
