//! Parses the expressions and formulas of SMV. One grammar has all of them; what may stand where is found out later.
//!
//! From loosest to tightest: `->` (to the right), `<->`, `?:`, `|` `xor` `xnor`, `&`, `U` `V` `S` `T`, prefix temporal
//! operators, comparisons, `in`, `union`, ranges, shifts, `+` `-`, `*` `/` `mod`, `::`, and prefix `!` and `-`.
//!
//! PSL has a grammar of its own, in `psl`.

use lang::diagnostic::Diagnostic;

use super::parser::{Parsed, Parser};
use super::syntax::{Binary, Expr, Kind, Unary};
use crate::text::{Kind as Token, nested};

/// How long a chain of operators of one level may be, except for `&` and `|`.
pub(super) const CHAIN: usize = 200;

pub(super) fn expr(kind: Kind, from: &Expr, to: &Expr) -> Expr {
    Expr { kind, span: from.span.to(to.span) }
}

pub(super) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: Kind::Binary(operator, Box::new(left), Box::new(right)), span }
}

pub(super) fn unary(operator: Unary, operand: Expr) -> Expr {
    let span = operand.span;
    Expr { kind: Kind::Unary(operator, Box::new(operand)), span }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        if self.psl {
            return self.formula_of_psl();
        }
        nested(self, |parser| {
            let left = parser.equivalence()?;
            if !parser.takes("->") {
                return Ok(left);
            }
            Ok(binary(Binary::Implies, left, parser.expression()?))
        })
    }

    /// Operators of one level, from left to right.
    fn chain(
        &mut self,
        operators: &[(&str, Binary)],
        operand: impl Fn(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let mut left = operand(self)?;
        let mut length = 0;
        while let Some((text, operator)) = operators.iter().find(|(text, _)| self.is(text)) {
            length += 1;
            if length > CHAIN {
                return Err(Diagnostic::error(
                    self.current().span,
                    format!("more than {CHAIN} operators in a row"),
                    "use DEFINE for parts of it",
                )
                .into());
            }
            self.expect(text)?;
            left = binary(*operator, left, operand(self)?);
        }
        Ok(left)
    }

    fn equivalence(&mut self) -> Parsed<Expr> {
        self.chain(&[("<->", Binary::Iff)], Self::conditional)
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.disjunction()?;
        if !self.takes("?") {
            return Ok(condition);
        }
        nested(self, |parser| {
            let yes = parser.expression()?;
            parser.expect(":")?;
            let no = parser.conditional()?;
            let span = condition.span.to(no.span);
            Ok(Expr { kind: Kind::If(Box::new(condition), Box::new(yes), Box::new(no)), span })
        })
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let mut left = self.conjunction()?;
        loop {
            if self.is("|") {
                let mut parts = vec![left];
                while self.takes("|") {
                    parts.push(self.conjunction()?);
                }
                left = expr(Kind::Or(parts.clone()), &parts[0], &parts[parts.len() - 1]);
            } else if self.takes("xor") {
                left = binary(Binary::Xor, left, self.conjunction()?);
            } else if self.takes("xnor") {
                left = binary(Binary::Iff, left, self.conjunction()?);
            } else {
                return Ok(left);
            }
        }
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let first = self.temporal()?;
        if !self.is("&") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.takes("&") {
            parts.push(self.temporal()?);
        }
        Ok(expr(Kind::And(parts.clone()), &parts[0], &parts[parts.len() - 1]))
    }

    fn temporal(&mut self) -> Parsed<Expr> {
        self.chain(
            &[("U", Binary::Until), ("V", Binary::Release), ("S", Binary::Since), ("T", Binary::Triggered)],
            Self::prefixed,
        )
    }

    fn prefixed(&mut self) -> Parsed<Expr> {
        nested(self, |parser| {
            let start = parser.current();
            if start.kind != Token::Word && start.text != "!" {
                return parser.comparison();
            }
            let operator = match start.text {
                "X" => Unary::Next,
                "G" => Unary::Globally,
                "F" => Unary::Finally,
                "Y" => Unary::Previous,
                "Z" => Unary::PreviousIfAny,
                "H" => Unary::Historically,
                "O" => Unary::Once,
                "AX" => Unary::AllNext,
                "EX" => Unary::SomeNext,
                "AF" => Unary::AllFinally,
                "EF" => Unary::SomeFinally,
                "AG" => Unary::AllGlobally,
                "EG" => Unary::SomeGlobally,
                "EBF" | "ABF" | "EBG" | "ABG" => {
                    parser.advance();
                    let (least, most) = parser.steps("..")?;
                    let operator = match start.text {
                        "EBF" => Unary::SomeFinally,
                        "ABF" => Unary::AllFinally,
                        "EBG" => Unary::SomeGlobally,
                        _ => Unary::AllGlobally,
                    };
                    let operand = Box::new(parser.prefixed()?);
                    let span = start.span.to(operand.span);
                    return Ok(Expr { kind: Kind::Bounded(operator, least, most, operand), span });
                }
                "A" | "E" if parser.follows("[") => return parser.path_until(),
                // `! AG p`: a negated temporal formula; otherwise it binds more tightly than a comparison.
                "!" => {
                    parser.advance();
                    let operand = parser.prefixed_or_primary()?;
                    let (operand, temporal) = operand;
                    let span = start.span.to(operand.span);
                    let negated = Expr { kind: Kind::Unary(Unary::Not, Box::new(operand)), span };
                    return if temporal { Ok(negated) } else { parser.comparison_from(negated) };
                }
                _ => return parser.comparison(),
            };
            parser.advance();
            let bounds = matches!(start.text, "G" | "F" | "H" | "O") && parser.is("[");
            if bounds {
                parser.expect("[")?;
                let (least, most) = parser.steps(",")?;
                parser.expect("]")?;
                let operand = Box::new(parser.prefixed()?);
                let span = start.span.to(operand.span);
                return Ok(Expr { kind: Kind::Bounded(operator, least, most, operand), span });
            }
            let operand = parser.prefixed()?;
            let span = start.span.to(operand.span);
            Ok(Expr { kind: Kind::Unary(operator, Box::new(operand)), span })
        })
    }

    /// What stands after `!`, and whether it is a temporal formula.
    fn prefixed_or_primary(&mut self) -> Parsed<(Expr, bool)> {
        const TEMPORAL: [&str; 19] = [
            "X", "G", "F", "Y", "Z", "H", "O", "AX", "EX", "AF", "EF", "AG", "EG", "EBF", "ABF", "EBG",
            "ABG", "A", "E",
        ];
        let word = self.current();
        if word.kind == Token::Word && TEMPORAL.contains(&word.text) {
            return Ok((self.prefixed()?, true));
        }
        if word.text == "!" {
            return nested(self, |parser| {
                parser.advance();
                let (operand, temporal) = parser.prefixed_or_primary()?;
                let span = word.span.to(operand.span);
                Ok((Expr { kind: Kind::Unary(Unary::Not, Box::new(operand)), span }, temporal))
            });
        }
        Ok((self.primary()?, false))
    }

    /// `1..3`, or with a comma.
    pub(super) fn steps(&mut self, between: &str) -> Parsed<(u32, u32)> {
        let least = self.small()?;
        self.expect(between)?;
        Ok((least, self.small()?))
    }

    pub(super) fn small(&mut self) -> Parsed<u32> {
        match self.current().text.parse() {
            Ok(value @ 0..=1000) if self.current().kind == Token::Number => {
                self.advance();
                Ok(value)
            }
            _ => self.unexpected("a number up to 1000"),
        }
    }

    /// `A [p U q]`
    fn path_until(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let all = start.text == "A";
        self.expect("[")?;
        let both = self.expression_until()?;
        let end = self.expect("]")?;
        let span = start.span.to(end);
        let (hold, reach, bounds) = both;
        let (hold, reach) = (Box::new(hold), Box::new(reach));
        let operator = if all { Binary::AllUntil } else { Binary::SomeUntil };
        Ok(Expr {
            kind: match bounds {
                None => Kind::Binary(operator, hold, reach),
                Some((least, most)) => Kind::BoundedUntil { all, least, most, hold, reach },
            },
            span,
        })
    }

    /// `p U q` inside the brackets of CTL, where `U` is looser than every other operator.
    fn expression_until(&mut self) -> Parsed<BoundedUntil> {
        let hold = self.expression()?;
        if self.takes("BU") {
            let bounds = self.steps("..")?;
            return Ok((hold, self.expression()?, Some(bounds)));
        }
        if self.takes("U") {
            return Ok((hold, self.expression()?, None));
        }
        // The grammar of LTL has taken `U` already: `a & p U q | b` is `(a & p) U (q | b)` here.
        match split_until(hold) {
            Some((hold, reach)) => Ok((hold, reach, None)),
            None => self.unexpected("`U`"),
        }
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let first = self.primary()?;
        self.comparison_from(first)
    }

    /// A comparison whose first operand has been read.
    fn comparison_from(&mut self, first: Expr) -> Parsed<Expr> {
        let mut first = Some(first);
        let mut left = self.membership(first.take())?;
        loop {
            let operator = match self.current().text {
                "=" => Binary::Eq,
                "!=" => Binary::Ne,
                "<" => Binary::Lt,
                ">" => Binary::Gt,
                "<=" => Binary::Le,
                ">=" => Binary::Ge,
                _ => return Ok(left),
            };
            self.advance();
            left = binary(operator, left, self.membership(None)?);
        }
    }

    fn membership(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let mut left = self.union(first)?;
        while self.takes("in") {
            left = binary(Binary::In, left, self.union(None)?);
        }
        Ok(left)
    }

    fn union(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let mut left = self.set(first)?;
        while self.takes("union") {
            left = binary(Binary::Union, left, self.set(None)?);
        }
        Ok(left)
    }

    fn set(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let lo = self.shift_from(first)?;
        if !self.takes("..") {
            return Ok(lo);
        }
        let hi = self.shift()?;
        let span = lo.span.to(hi.span);
        Ok(Expr { kind: Kind::Range(Box::new(lo), Box::new(hi)), span })
    }

    pub(super) fn shift(&mut self) -> Parsed<Expr> {
        self.shift_from(None)
    }

    fn shift_from(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let first = self.sum_from(first)?;
        let first = std::cell::Cell::new(Some(first));
        self.chain(&[("<<", Binary::Shl), (">>", Binary::Shr)], |parser| match first.take() {
            Some(first) => Ok(first),
            None => parser.sum_from(None),
        })
    }

    fn sum_from(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let first = std::cell::Cell::new(Some(self.product_from(first)?));
        self.chain(&[("+", Binary::Add), ("-", Binary::Sub)], |parser| match first.take() {
            Some(first) => Ok(first),
            None => parser.product_from(None),
        })
    }

    fn product_from(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let first = std::cell::Cell::new(Some(self.concatenation_from(first)?));
        let operators = [("*", Binary::Mul), ("/", Binary::Div), ("mod", Binary::Mod)];
        self.chain(&operators, |parser| match first.take() {
            Some(first) => Ok(first),
            None => parser.concatenation_from(None),
        })
    }

    fn concatenation_from(&mut self, first: Option<Expr>) -> Parsed<Expr> {
        let first = std::cell::Cell::new(Some(match first {
            Some(first) => first,
            None => self.primary()?,
        }));
        self.chain(&[("::", Binary::Concat)], |parser| match first.take() {
            Some(first) => Ok(first),
            None => parser.primary(),
        })
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        nested(self, |parser| {
            let mut left = parser.operand()?;
            loop {
                if parser.takes(".") {
                    let token = parser.current();
                    if token.kind != Token::Word && token.kind != Token::Number {
                        return parser.unexpected("a name");
                    }
                    parser.advance();
                    let span = left.span.to(token.span);
                    left = Expr { kind: Kind::Dot(Box::new(left), token.text.to_owned()), span };
                } else if parser.is("[") && !matches!(left.kind, Kind::Unary(..)) {
                    parser.advance();
                    let index = Box::new(parser.expression()?);
                    let low = if parser.takes(":") { Some(Box::new(parser.expression()?)) } else { None };
                    let span = left.span.to(parser.expect("]")?);
                    let kind = match low {
                        None => Kind::Index(Box::new(left), index),
                        Some(low) => Kind::Bits(Box::new(left), index, low),
                    };
                    left = Expr { kind, span };
                } else {
                    return Ok(left);
                }
            }
        })
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let token = self.current();
        let span = token.span;
        match token.kind {
            Token::Number => {
                self.advance();
                let kind = number(token.text).ok_or_else(|| {
                    Box::new(Diagnostic::error(span, format!("`{}` is not a number", token.text), "not read"))
                })?;
                Ok(Expr { kind, span })
            }
            Token::Word if self.is_name() && self.follows("(") => {
                Err(Diagnostic::error(span, "functions are not supported", "not a function of NuSMV 2.6")
                    .into())
            }
            Token::Word if self.is_name() => {
                self.advance();
                Ok(Expr { kind: Kind::Name(token.text.to_owned()), span })
            }
            Token::Word => self.keyword(),
            Token::Symbol => match token.text {
                "(" => {
                    self.advance();
                    let mut inner = self.expression()?;
                    inner.span = span.to(self.expect(")")?);
                    Ok(inner)
                }
                "{" => {
                    self.advance();
                    let mut parts = vec![self.expression()?];
                    while self.takes(",") {
                        parts.push(self.expression()?);
                    }
                    let span = span.to(self.expect("}")?);
                    Ok(Expr { kind: Kind::Set(parts), span })
                }
                "!" | "-" | "+" => {
                    self.advance();
                    let operand = self.primary()?;
                    let span = span.to(operand.span);
                    let operator = match token.text {
                        "!" => Unary::Not,
                        "-" => Unary::Neg,
                        _ => return Ok(Expr { span, ..operand }),
                    };
                    Ok(Expr { kind: Kind::Unary(operator, Box::new(operand)), span })
                }
                _ => self.unexpected("an expression"),
            },
            Token::Text | Token::End => self.unexpected("an expression"),
        }
    }

    fn keyword(&mut self) -> Parsed<Expr> {
        let token = self.current();
        let span = token.span;
        match token.text {
            "TRUE" | "FALSE" => {
                self.advance();
                Ok(Expr { kind: Kind::Bool(token.text == "TRUE"), span })
            }
            "self" => {
                self.advance();
                Ok(Expr { kind: Kind::This, span })
            }
            "case" => {
                self.advance();
                let mut branches = Vec::new();
                while !self.is("esac") || branches.is_empty() {
                    let condition = self.expression()?;
                    self.expect(":")?;
                    let value = self.expression()?;
                    self.expect(";")?;
                    branches.push((condition, value));
                }
                let span = span.to(self.expect("esac")?);
                Ok(Expr { kind: Kind::Case(branches), span })
            }
            "next" => {
                self.advance();
                self.expect("(")?;
                let operand = Box::new(self.expression()?);
                let span = span.to(self.expect(")")?);
                Ok(Expr { kind: Kind::Later(operand), span })
            }
            "count" | "abs" | "min" | "max" | "bool" | "word1" | "toint" | "signed" | "unsigned"
            | "extend" | "resize" | "sizeof" | "uwconst" | "swconst" | "MIN" | "MAX" => {
                self.advance();
                self.expect("(")?;
                let mut arguments = vec![self.expression()?];
                while self.takes(",") {
                    arguments.push(self.expression()?);
                }
                let span = span.to(self.expect(")")?);
                Ok(Expr { kind: Kind::Call(token.text.to_ascii_lowercase(), arguments), span })
            }
            // In parentheses of its own grammar a formula is an operand: `(A [p U q])` is read there, `p & A [p U q]` here.
            "A" | "E" if self.follows("[") => self.path_until(),
            _ => self.unexpected("an expression"),
        }
    }
}

/// The operands of an `U`, and the steps it is limited to.
type BoundedUntil = (Expr, Expr, Option<(u32, u32)>);

/// Takes a formula apart at the one `U` that stands outside all parentheses.
fn split_until(formula: Expr) -> Option<(Expr, Expr)> {
    let span = formula.span;
    let join = |kind: Kind| Expr { kind, span };
    match formula.kind {
        Kind::Binary(Binary::Until, a, b) => Some((*a, *b)),
        Kind::And(mut parts) => {
            let at = parts.iter().position(has_until)?;
            let mut after = parts.split_off(at + 1);
            let (a, b) = split_until(parts.pop()?)?;
            parts.push(a);
            after.insert(0, b);
            Some((join(Kind::And(parts)), join(Kind::And(after))))
        }
        Kind::Or(mut parts) => {
            let at = parts.iter().position(has_until)?;
            let mut after = parts.split_off(at + 1);
            let (a, b) = split_until(parts.pop()?)?;
            parts.push(a);
            after.insert(0, b);
            Some((join(Kind::Or(parts)), join(Kind::Or(after))))
        }
        Kind::Binary(operator @ (Binary::Implies | Binary::Iff | Binary::Xor), a, b) => {
            if has_until(&a) {
                let (hold, reach) = split_until(*a)?;
                Some((hold, join(Kind::Binary(operator, Box::new(reach), b))))
            } else {
                let (hold, reach) = split_until(*b)?;
                Some((join(Kind::Binary(operator, a, Box::new(hold))), reach))
            }
        }
        _ => None,
    }
}

fn has_until(formula: &Expr) -> bool {
    match &formula.kind {
        Kind::Binary(Binary::Until, ..) => true,
        Kind::And(parts) | Kind::Or(parts) => parts.iter().any(has_until),
        Kind::Binary(Binary::Implies | Binary::Iff | Binary::Xor, a, b) => has_until(a) || has_until(b),
        _ => false,
    }
}

/// A number, or a constant of a word: `0ud8_15`, `0b4_0101`.
fn number(text: &str) -> Option<Kind> {
    if let Ok(value) = text.parse() {
        return Some(Kind::Int(value));
    }
    let rest = text.strip_prefix('0')?;
    let (signed, rest) = match rest.strip_prefix('s') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('u').unwrap_or(rest)),
    };
    let radix = match rest.get(..1)? {
        "b" => 2,
        "o" => 8,
        "d" => 10,
        "h" => 16,
        _ => return None,
    };
    let (width, digits) = rest[1..].split_once('_')?;
    let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits));
    let digits: String = digits.chars().filter(|digit| *digit != '_').collect();
    let value = i64::from_str_radix(&digits, radix).ok()?;
    let width = match width {
        "" if radix == 10 => return None,
        "" => u32::try_from(digits.len()).ok()? * radix.trailing_zeros(),
        width => width.parse().ok()?,
    };
    if !(1..=62).contains(&width) || value >= 1 << width {
        return None;
    }
    let value = if negative { -value } else { value };
    let value = if signed && value >= 1 << (width - 1) { value - (1 << width) } else { value };
    Some(Kind::Word { signed, width, value })
}
