//! Parses Promela expressions and formulas of LTL. Operators bind as in C; between `&&` and `|` stand `U`, `W` and `V`, and
//! below `||` stand `->` and `<->`, both only in formulas.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Name, Span, Unary as Modality};

use super::syntax::{Binary, Expr, Node, Place, Unary};
use super::tokens::{Kind, Token};

pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep expressions and statements may nest.
pub(super) const DEPTH: usize = 150;

/// Reads tokens one by one.
pub(super) struct Reader<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) at: usize,
    /// Whether temporal operators are read as such.
    pub(super) temporal: bool,
    pub(super) depth: usize,
}

/// The value of an expression of numbers.
pub(super) fn constant_of(tokens: Vec<Token<'_>>) -> Parsed<i64> {
    let mut reader = Reader::new(tokens);
    let expr = reader.expression()?;
    if reader.current().kind != Kind::End {
        return Err(reader.unexpected("the end of the line").into());
    }
    expr.constant(&|_| None).ok_or_else(|| {
        Diagnostic::error(expr.span, "this is not a constant", "only numbers can stand here").into()
    })
}

impl<'a> Reader<'a> {
    pub(super) fn new(tokens: Vec<Token<'a>>) -> Reader<'a> {
        Reader { tokens, at: 0, temporal: false, depth: 0 }
    }

    pub(super) fn peek(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn current(&self) -> Token<'a> {
        self.peek(0)
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.current();
        self.at += 1;
        token
    }

    pub(super) fn is(&self, text: &str) -> bool {
        let token = self.current();
        token.text == text && matches!(token.kind, Kind::Word | Kind::Symbol)
    }

    pub(super) fn takes(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.takes(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`")).into()) }
    }

    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.current();
        let found = match token.kind {
            Kind::End => "the text ends here".to_owned(),
            _ => format!("`{}` is not expected here", token.text),
        };
        Diagnostic::error(token.span, found, format!("expected {expected}"))
    }

    pub(super) fn refused<T>(&self, message: &str) -> Parsed<T> {
        Err(Diagnostic::error(self.current().span, message, "not supported").into())
    }

    /// The span from a token to the last one that was read.
    pub(super) fn since(&self, first: Token<'a>) -> Span {
        let last = self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span;
        // A macro may end before it begins.
        if last.end >= first.span.start {
            Span { start: first.span.start, end: last.end }
        } else {
            first.span
        }
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        if self.current().kind != Kind::Word {
            return Err(self.unexpected("a name").into());
        }
        let token = self.next();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(
                Diagnostic::error(self.current().span, "this is nested too deeply", "simplify it").into()
            );
        }
        self.depth += 1;
        let found = inner(self);
        self.depth -= 1;
        found
    }

    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|reader| reader.binary(0))
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let first = self.current();
        let mut left = self.deeper(Self::prefix)?;
        while let Some((operator, binds)) = self.operator() {
            if binds < level {
                break;
            }
            self.next();
            let right = self.deeper(|reader| reader.binary(binds + 1))?;
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
        if self.temporal {
            match token.text {
                "->" | "implies" => return Some((Binary::Implies, 0)),
                "<->" | "equivalent" => return Some((Binary::Iff, 0)),
                "U" | "until" | "stronguntil" => return Some((Binary::Until, 3)),
                "W" | "weakuntil" => return Some((Binary::WeakUntil, 3)),
                "V" | "release" => return Some((Binary::Release, 3)),
                "/\\" => return Some((Binary::And, 2)),
                "\\/" => return Some((Binary::Or, 1)),
                _ => {}
            }
        }
        Some(match token.text {
            "||" => (Binary::Or, 1),
            "&&" => (Binary::And, 2),
            "|" => (Binary::BitOr, 4),
            "^" => (Binary::BitXor, 5),
            "&" => (Binary::BitAnd, 6),
            "==" => (Binary::Eq, 7),
            "!=" => (Binary::Ne, 7),
            "<" => (Binary::Lt, 8),
            "<=" => (Binary::Le, 8),
            ">" => (Binary::Gt, 8),
            ">=" => (Binary::Ge, 8),
            "<<" => (Binary::ShiftLeft, 9),
            ">>" => (Binary::ShiftRight, 9),
            "+" => (Binary::Add, 10),
            "-" => (Binary::Subtract, 10),
            "*" => (Binary::Multiply, 11),
            "/" => (Binary::Divide, 11),
            "%" => (Binary::Remainder, 11),
            _ => return None,
        })
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
        self.next();
        let operand =
            self.deeper(|reader| if level == usize::MAX { reader.prefix() } else { reader.binary(level) })?;
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
                self.next();
                Node::Number(value)
            }
            (Kind::Word, "true" | "skip") => {
                self.next();
                Node::Number(1)
            }
            (Kind::Word, "false") => {
                self.next();
                Node::Number(0)
            }
            (Kind::Word, "timeout") => {
                self.next();
                Node::Timeout
            }
            (Kind::Word, "run") => {
                self.next();
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
            _ => return Err(self.unexpected("an expression").into()),
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
            let at = self.next().text == "@";
            let (process, number) = (place.name, place.index);
            if at {
                Node::At(process, number, self.name()?)
            } else {
                Node::Of(process, number, self.place()?)
            }
        } else if (self.is("?") || self.is("??")) && matches!(self.peek(1).text, "[" | "[]") {
            let random = self.next().text == "??";
            let values = if self.takes("[]") {
                Vec::new()
            } else {
                self.next();
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
        let before = self.tokens[self.at - 1].span.end == self.current().span.start;
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
        let name = self.name()?;
        let index = self.index()?.map(Box::new);
        let mut fields = Vec::new();
        while self.is(".") && self.peek(1).kind == Kind::Word {
            self.next();
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
                    (Binary::And, Some(0)) => return Some(0),
                    (Binary::Or, Some(value)) if value != 0 => return Some(1),
                    _ => {}
                }
                let right = right.constant(known);
                match (operator, right) {
                    (Binary::And, Some(0)) => return Some(0),
                    (Binary::Or, Some(value)) if value != 0 => return Some(1),
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
    let truth = i64::from;
    Some(match operator {
        Binary::Or => truth(a != 0 || b != 0),
        Binary::And => truth(a != 0 && b != 0),
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::Lt => truth(a < b),
        Binary::Le => truth(a <= b),
        Binary::Gt => truth(a > b),
        Binary::Ge => truth(a >= b),
        Binary::ShiftLeft => a.checked_shl(u32::try_from(b).ok().filter(|by| *by < 32)?)?,
        Binary::ShiftRight => a.checked_shr(u32::try_from(b).ok().filter(|by| *by < 32)?)?,
        Binary::Add => a.checked_add(b)?,
        Binary::Subtract => a.checked_sub(b)?,
        Binary::Multiply => a.checked_mul(b)?,
        Binary::Divide => a.checked_div(b)?,
        Binary::Remainder => a.checked_rem(b)?,
        Binary::Implies | Binary::Iff | Binary::Until | Binary::WeakUntil | Binary::Release => return None,
    })
}
