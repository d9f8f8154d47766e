//! Parses the expressions of C, by precedence.
//!
//! Chains of operators lean to the left and are limited in length, so the height of a tree is limited too. Operators
//! on bits are refused, except those that are arithmetic: a shift by a constant multiplies or divides, and the bits of a
//! constant are rests of quotients, so `x & 7`, `x | 4` and `x ^ 1` are sums of such. Of two truth values `&`, `|` and `^` are
//! logical. `~x` is `-x - 1`. A cast to a signed integer keeps the value, as those have no size here.

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::lexer::{Kind as Lexeme, Token, refused};
use super::parser::{Parser, too_large};
use super::syntax::{Binary, Expr, Kind, Node};

/// Limit on the operators of one chain.
const CHAIN: usize = 500;

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Names that the compiler replaces by texts.
const TEXTS: [&str; 4] = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__FILE__"];

/// Operators with two operands, by precedence, loosest first; `None` are those on bits.
const LEVELS: [&[(&str, Option<Binary>)]; 7] = [
    &[("|", None)],
    &[("^", None)],
    &[("&", None)],
    &[("==", Some(Binary::Equal)), ("!=", Some(Binary::Unequal))],
    &[
        ("<", Some(Binary::Less)),
        ("<=", Some(Binary::LessEqual)),
        (">", Some(Binary::Greater)),
        (">=", Some(Binary::GreaterEqual)),
    ],
    &[("+", Some(Binary::Add)), ("-", Some(Binary::Sub))],
    &[("*", Some(Binary::Mul)), ("/", Some(Binary::Div)), ("%", Some(Binary::Rem))],
];

/// The level of shifts lies between comparisons and sums.
const SUMS: usize = 5;

impl Parser<'_> {
    /// An expression, perhaps with commas.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut expr = self.assignment()?;
        let mut length = 0;
        while self.is(",") {
            self.next();
            self.longer(&mut length)?;
            let next = self.assignment()?;
            expr = joined(expr, next, Node::Comma);
        }
        Ok(expr)
    }

    /// An expression without a comma.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let target = parser.conditional()?;
            let token = parser.peek();
            let operator = match token.text.as_str() {
                "=" => None,
                "+=" => Some(Binary::Add),
                "-=" => Some(Binary::Sub),
                "*=" => Some(Binary::Mul),
                "/=" => Some(Binary::Div),
                "%=" => Some(Binary::Rem),
                "<<=" | ">>=" | "&=" | "|=" | "^=" => {
                    let operator = parser.next();
                    let by = parser.assignment()?;
                    let span = target.span.to(by.span);
                    let value = parser.on_bits(operator, target.clone(), &by)?;
                    return assigned(&target, None, value, span);
                }
                _ => return Ok(target),
            };
            place(&target)?;
            parser.next();
            let value = parser.assignment()?;
            let span = target.span.to(value.span);
            assigned(&target, operator, value, span)
        })
    }

    /// `a ? b : c`, or less.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let test = self.disjunction()?;
        if !self.is("?") {
            return Ok(test);
        }
        self.next();
        self.deeper(|parser| {
            let yes = parser.expression()?;
            parser.expect(":")?;
            let no = parser.conditional()?;
            let span = test.span.to(no.span);
            Ok(Expr { node: Node::Conditional(Box::new(test), Box::new(yes), Box::new(no)), span })
        })
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let mut expr = self.conjunction()?;
        let mut length = 0;
        while self.take("||") {
            self.longer(&mut length)?;
            let next = self.conjunction()?;
            expr = joined(expr, next, Node::Or);
        }
        Ok(expr)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut expr = self.level(0)?;
        let mut length = 0;
        while self.take("&&") {
            self.longer(&mut length)?;
            let next = self.level(0)?;
            expr = joined(expr, next, Node::And);
        }
        Ok(expr)
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let below =
            |parser: &mut Self| if level + 1 == SUMS { parser.shift() } else { parser.level(level + 1) };
        let mut expr = below(self)?;
        let mut length = 0;
        loop {
            let token = self.peek();
            let found =
                operators.iter().find(|(text, _)| *text == token.text && token.kind == Lexeme::Symbol);
            let Some((_, operator)) = found else { return Ok(expr) };
            self.next();
            self.longer(&mut length)?;
            let next = below(self)?;
            let Some(operator) = *operator else {
                expr = self.on_bits(token, expr, &next)?;
                continue;
            };
            expr = joined(expr, next, |a, b| Node::Binary(operator, a, b));
        }
    }

    fn shift(&mut self) -> Parsed<Expr> {
        let mut expr = self.level(SUMS)?;
        let mut length = 0;
        while self.is("<<") || self.is(">>") {
            let token = self.next();
            self.longer(&mut length)?;
            let by = self.level(SUMS)?;
            expr = self.on_bits(token, expr, &by)?;
        }
        Ok(expr)
    }

    /// An operator on bits that is arithmetic, because one side is a constant, or logical, because both are truth values.
    fn on_bits(&self, token: &Token, expr: Expr, by: &Expr) -> Parsed<Expr> {
        let span = expr.span.to(by.span);
        let sign = token.text.trim_end_matches('=');
        let node = match (sign, self.constant(by)) {
            ("<<", Ok(by @ 0..=61)) => {
                let factor = Expr { node: Node::Number(1 << by), span: token.span };
                Node::Binary(Binary::Mul, Box::new(expr), Box::new(factor))
            }
            (">>", Ok(by @ 0..=61)) => Node::Floored(Box::new(expr), 1 << by),
            ("<<" | ">>", _) => return Err(refused(token.span, "an operator on bits")),
            (sign, Ok(bits)) => return with_bits(sign, expr, bits, token.span).map(|value| typed(by, value)),
            (sign, Err(_)) => match self.constant(&expr) {
                Ok(bits) => {
                    let value = with_bits(sign, by.clone(), bits, token.span)?;
                    return Ok(typed(&expr, value));
                }
                Err(_) if is_truth(&expr) && is_truth(by) && is_pure(by) => {
                    let (a, b) = (Box::new(expr), Box::new(by.clone()));
                    match sign {
                        "&" => Node::And(a, b),
                        "|" => Node::Or(a, b),
                        _ => Node::Binary(Binary::Unequal, a, b),
                    }
                }
                Err(_) => return Err(refused(token.span, "an operator on bits of two variables")),
            },
        };
        Ok(Expr { node, span })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(Parser::unary_here)
    }

    fn unary_here(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let begin = token.span;
        match token.text.as_str() {
            _ if token.kind == Lexeme::Text => {}
            "-" | "!" => {
                self.next();
                let operand = self.unary()?;
                let span = begin.to(operand.span);
                let node = match (token.text.as_str(), &operand.node) {
                    ("-", Node::Number(number)) => {
                        Node::Number(number.checked_neg().ok_or_else(|| too_large(span))?)
                    }
                    ("-", _) => Node::Minus(Box::new(operand)),
                    _ => Node::Not(Box::new(operand)),
                };
                return Ok(Expr { node, span });
            }
            "+" => {
                self.next();
                return self.unary();
            }
            "++" | "--" => {
                self.next();
                let operand = self.unary()?;
                let by = if token.text == "++" { 1 } else { -1 };
                let span = begin.to(operand.span);
                return stepped(&operand, by, false, span);
            }
            "&" => {
                self.next();
                let operand = self.unary()?;
                let Node::Name(name) = operand.node else {
                    return Err(refused(begin, "a pointer to something that is no variable"));
                };
                return Ok(Expr { node: Node::Address(name), span: begin.to(operand.span) });
            }
            "*" => {
                self.next();
                let operand = self.unary()?;
                let node = match operand.node {
                    Node::Name(name) if !name.starts_with('*') => Node::Name(format!("*{name}")),
                    // `*&x` is `x`.
                    Node::Address(name) => Node::Name(name),
                    _ => return Err(refused(begin, "a pointer that is computed")),
                };
                return Ok(Expr { node, span: begin.to(operand.span) });
            }
            "~" => {
                self.next();
                let operand = self.unary()?;
                let span = begin.to(operand.span);
                let one = Expr { node: Node::Number(1), span };
                let minus = Expr { node: Node::Minus(Box::new(operand)), span };
                return Ok(Expr { node: Node::Binary(Binary::Sub, Box::new(minus), Box::new(one)), span });
            }
            "__extension__" => {
                self.next();
                return self.unary();
            }
            "sizeof" => return self.size(),
            "(" if self.is_type(1) => {
                self.next();
                let (kind, _, is_pointer) = self.type_name()?;
                let end = self.expect(")")?;
                let operand = self.unary()?;
                let span = begin.to(end).to(operand.span);
                if is_pointer && !matches!(operand.node, Node::Call(..)) {
                    return Err(refused(begin.to(end), "a pointer"));
                }
                return Ok(match kind {
                    _ if is_pointer => Expr { span, ..operand },
                    Kind::Structure(_) => return Err(refused(begin.to(end), "such a conversion")),
                    // Its value stays, as signed integers have no size here; but it is signed then.
                    Kind::Void | Kind::Other => Expr { span, ..operand },
                    kind => Expr { node: Node::Cast(kind, Box::new(operand)), span },
                });
            }
            _ => {}
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            let token = self.peek();
            match token.text.as_str() {
                _ if token.kind != Lexeme::Symbol => return Ok(expr),
                "++" | "--" => {
                    let by = if token.text == "++" { 1 } else { -1 };
                    let span = expr.span.to(token.span);
                    expr = stepped(&expr, by, true, span)?;
                    self.next();
                }
                "[" => {
                    let (name, mut indices) = path(expr.node, token.span)?;
                    self.next();
                    indices.push(self.expression()?);
                    let end = self.expect("]")?;
                    expr =
                        Expr { node: Node::Element(format!("{name}[]"), indices), span: expr.span.to(end) };
                }
                "->" | "." => {
                    let (name, indices) = path(expr.node, token.span)?;
                    self.next();
                    let (field, end) = self.name()?;
                    if token.text == "->" && (name.starts_with('*') || !indices.is_empty()) {
                        return Err(refused(token.span, "a pointer in a structure"));
                    }
                    let star = if token.text == "->" { "*" } else { "" };
                    let name = format!("{star}{name}.{field}");
                    let node =
                        if indices.is_empty() { Node::Name(name) } else { Node::Element(name, indices) };
                    expr = Expr { node, span: expr.span.to(end) };
                }
                _ => return Ok(expr),
            }
        }
    }

    /// `sizeof`, of a type or a variable.
    fn size(&mut self) -> Parsed<Expr> {
        let begin = self.next().span;
        if !(self.is("(") && self.is_type(1)) {
            let operand = self.unary()?;
            let span = begin.to(operand.span);
            let (name, _) = path(operand.node, span)?;
            return Ok(Expr { node: Node::Size(name), span });
        }
        self.next();
        let (_, bytes, is_pointer) = self.type_name()?;
        let span = begin.to(self.expect(")")?);
        match bytes.filter(|_| !is_pointer) {
            Some(bytes) => Ok(in_bytes(bytes, span)),
            None => Err(refused(span, "a size that depends on the machine")),
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let span = token.span;
        match token.kind {
            Lexeme::Number => {
                self.next();
                let number = number(token)?;
                let value = Expr { node: Node::Number(number), span };
                if is_unsigned(token, number) {
                    return Ok(Expr { node: Node::Cast(Kind::Natural(32), Box::new(value)), span });
                }
                Ok(value)
            }
            Lexeme::Text => {
                self.next();
                if token.text.starts_with('"') {
                    let is_text = |token: &Token| token.kind == Lexeme::Text && token.text.starts_with('"');
                    let mut end = span;
                    while is_text(self.peek()) {
                        end = self.next().span;
                    }
                    return Ok(Expr { node: Node::Text, span: span.to(end) });
                }
                let value = character(&token.text[1..token.text.len() - 1]);
                let value = value.ok_or_else(|| refused(span, "this character"))?;
                Ok(Expr { node: Node::Number(value), span })
            }
            _ if self.is("?") => {
                self.next();
                Ok(Expr { node: Node::Any, span })
            }
            _ if self.is("[") => {
                self.next();
                let first = self.conditional()?;
                self.expect(",")?;
                let last = self.conditional()?;
                let end = self.expect("]")?;
                let node = Node::Between(self.constant(&first)?, self.constant(&last)?);
                Ok(Expr { node, span: span.to(end) })
            }
            _ if self.is("(") => {
                self.next();
                if self.is("{") {
                    return Err(refused(span, "a statement inside an expression"));
                }
                let expr = self.expression()?;
                let end = self.expect(")")?;
                Ok(Expr { span: span.to(end), ..expr })
            }
            _ => {
                let (name, span) = self.name().map_err(|_| self.unexpected("a number, a name or `(`"))?;
                if TEXTS.contains(&name.as_str()) {
                    return Ok(Expr { node: Node::Text, span });
                }
                if !self.take("(") {
                    return Ok(Expr { node: Node::Name(name), span });
                }
                let mut arguments = Vec::new();
                while !self.is(")") {
                    arguments.push(self.assignment()?);
                    if !self.take(",") {
                        break;
                    }
                }
                let end = self.expect(")")?;
                Ok(Expr { node: Node::Call(name, arguments), span: span.to(end) })
            }
        }
    }

    fn longer(&mut self, length: &mut usize) -> Parsed<()> {
        *length += 1;
        if *length > CHAIN {
            let span = self.peek().span;
            return Err(Diagnostic::error(span, "this expression is too long", "given up here").into());
        }
        Ok(())
    }
}

/// The path of a variable or a part of one, with its indices.
fn path(node: Node, span: Span) -> Parsed<(String, Vec<Expr>)> {
    match node {
        Node::Name(name) => Ok((name, Vec::new())),
        Node::Element(name, indices) => Ok((name, indices)),
        _ => Err(refused(span, "a part of something that is no variable")),
    }
}

/// A size, which is unsigned.
pub(super) fn in_bytes(bytes: usize, span: Span) -> Expr {
    let number = Expr { node: Node::Number(bytes as i64), span };
    Expr { node: Node::Cast(Kind::Natural(32), Box::new(number)), span }
}

/// The value of a character between quotes; `None` if it has no one meaning.
pub(super) fn character(inside: &str) -> Option<i64> {
    let mut rest = inside.chars();
    let Some(escaped) = inside.strip_prefix('\\') else {
        return rest.next().filter(|c| c.is_ascii() && rest.next().is_none()).map(|c| c as i64);
    };
    // A character beyond ASCII may be negative or not.
    let ascii = |value: i64| (0..128).contains(&value).then_some(value);
    if let Some(digits) = escaped.strip_prefix('x') {
        return i64::from_str_radix(digits, 16).ok().and_then(ascii);
    }
    if escaped.starts_with(|c: char| c.is_digit(8)) && escaped.len() <= 3 {
        return i64::from_str_radix(escaped, 8).ok().and_then(ascii);
    }
    Some(match escaped {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "\\" | "'" | "\"" | "?" => i64::from(escaped.as_bytes()[0]),
        _ => return None,
    })
}

/// A value computed with a constant: unsigned if the constant is.
fn typed(constant: &Expr, value: Expr) -> Expr {
    match unsigned(constant) {
        Some(kind) => Expr { span: value.span, node: Node::Cast(kind, Box::new(value)) },
        None => value,
    }
}

/// The type of an expression of constants, if it is unsigned.
fn unsigned(expr: &Expr) -> Option<Kind> {
    match &expr.node {
        Node::Cast(kind @ Kind::Natural(32..), _) => Some(*kind),
        Node::Minus(a) | Node::Floored(a, _) | Node::Modulo(a, _) => unsigned(a),
        Node::Binary(operator, a, b) if !operator.compares() => unsigned(a).or_else(|| unsigned(b)),
        Node::Conditional(_, a, b) => unsigned(a).or_else(|| unsigned(b)),
        _ => None,
    }
}

/// Whether an expression is 0 or 1 by its form.
fn is_truth(expr: &Expr) -> bool {
    match &expr.node {
        Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Cast(Kind::Truth, _) => true,
        Node::Binary(operator, ..) => operator.compares(),
        _ => false,
    }
}

/// Whether an expression has no effects and the same value each time.
fn is_pure(expr: &Expr) -> bool {
    let mut pure = true;
    expr.visit(&mut |part| {
        pure &= !matches!(
            part.node,
            Node::Assign(..)
                | Node::AssignElement(..)
                | Node::Step { .. }
                | Node::Call(..)
                | Node::Any
                | Node::Between(..)
        );
    });
    pure
}

/// `x & c`, `x | c` or `x ^ c` as arithmetic, with as many bits as the number has: `x | c` is `x + c - (x & c)`.
fn with_bits(sign: &str, expr: Expr, bits: i64, at: Span) -> Parsed<Expr> {
    let span = expr.span;
    let make = |node: Node| Expr { node, span };
    let number = |value: i64| Box::new(Expr { node: Node::Number(value), span: at });
    let binary = |operator: Binary, a: Expr, b: Expr| make(Node::Binary(operator, Box::new(a), Box::new(b)));
    // The low bits, also of a negative number.
    if sign == "&" && (0..i64::MAX >> 1).contains(&bits) && (bits + 1) & bits == 0 {
        return Ok(make(Node::Modulo(Box::new(expr), bits + 1)));
    }
    if !is_pure(&expr) || bits.unsigned_abs() >= 1 << 61 {
        return Err(refused(at, "an operator on bits of such a value"));
    }
    // Of a negative constant the bits that are not set are few.
    let (mask, is_negated) = if bits < 0 { (!bits, true) } else { (bits, false) };
    let mut kept: Option<Expr> = None;
    let mut low = 0;
    while mask >> low != 0 {
        let first = (mask >> low).trailing_zeros();
        let width = (mask >> (low + first)).trailing_ones();
        let begin = low + first;
        let shifted = Node::Floored(Box::new(expr.clone()), 1 << begin);
        let rest = Node::Modulo(Box::new(if begin == 0 { expr.clone() } else { make(shifted) }), 1 << width);
        let part = make(Node::Binary(Binary::Mul, Box::new(make(rest)), number(1 << begin)));
        kept = Some(match kept {
            Some(before) => binary(Binary::Add, before, part),
            None => part,
        });
        low = begin + width;
    }
    let kept = kept.unwrap_or_else(|| *number(0));
    let both = if is_negated { binary(Binary::Sub, expr.clone(), kept) } else { kept };
    let sum = |expr: Expr| binary(Binary::Add, expr, *number(bits));
    Ok(match sign {
        "&" => both,
        "|" => binary(Binary::Sub, sum(expr), both),
        _ => binary(Binary::Sub, sum(expr), make(Node::Binary(Binary::Mul, Box::new(both), number(2)))),
    })
}

fn joined(a: Expr, b: Expr, node: impl FnOnce(Box<Expr>, Box<Expr>) -> Node) -> Expr {
    let span = a.span.to(b.span);
    Expr { node: node(Box::new(a), Box::new(b)), span }
}

/// Whether an expression denotes a variable, or an element of one.
fn place(expr: &Expr) -> Parsed<()> {
    match &expr.node {
        Node::Name(_) | Node::Element(..) => Ok(()),
        _ => Err(Diagnostic::error(expr.span, "only a variable can be assigned", "not a variable").into()),
    }
}

/// An assignment to a variable or an element.
fn assigned(target: &Expr, operator: Option<Binary>, value: Expr, span: Span) -> Parsed<Expr> {
    place(target)?;
    let value = Box::new(value);
    let node = match &target.node {
        Node::Element(name, index) => Node::AssignElement(name.clone(), index.clone(), operator, value),
        Node::Name(name) => Node::Assign(name.clone(), operator, value),
        _ => return Ok(target.clone()),
    };
    Ok(Expr { node, span })
}

/// `++` or `--`.
fn stepped(target: &Expr, by: i64, old: bool, span: Span) -> Parsed<Expr> {
    place(target)?;
    if let Node::Name(name) = &target.node {
        return Ok(Expr { node: Node::Step { name: name.clone(), by, old }, span });
    }
    let number = |value: i64| Expr { node: Node::Number(value), span };
    let new = assigned(target, Some(Binary::Add), number(by), span)?;
    if old {
        return Ok(Expr { node: Node::Binary(Binary::Sub, Box::new(new), Box::new(number(by))), span });
    }
    Ok(new)
}

/// Whether a number has an unsigned type: by its suffix, or because it is not decimal and does not fit in an `int`.
fn is_unsigned(token: &Token, value: i64) -> bool {
    let is_suffix = |c: &char| matches!(c, 'u' | 'U' | 'l' | 'L');
    token.text.chars().rev().take_while(is_suffix).any(|c| matches!(c, 'u' | 'U'))
        || (token.text.starts_with('0') && i32::try_from(value).is_err() && u32::try_from(value).is_ok())
}

/// The value of a number as it is written.
fn number(token: &Token) -> Parsed<i64> {
    let text = token.text.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    let large = |_| too_large(token.span);
    let parsed = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None if digits.contains(['.', 'e', 'f', 'p']) => return Err(refused(token.span, "floating point")),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(&digits[1..], 8),
        None => digits.parse(),
    };
    match parsed {
        Err(error) if *error.kind() == std::num::IntErrorKind::InvalidDigit => {
            Err(Diagnostic::error(token.span, "this is no number", "not understood").into())
        }
        other => other.map_err(large),
    }
}
