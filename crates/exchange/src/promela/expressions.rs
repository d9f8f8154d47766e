//! Writes ground expressions as Promela text.
//!
//! Promela's operators are those of C, with 0 and 1 for truth, so most are written as they are. The exceptions:
//! `a -> b` is `!a || b`; `if`, `min` and `max` are conditional expressions `(c -> a : b)`; Euclidean division is
//! corrected where an operand may be negative, because C rounds towards 0. `-a` is `0 - a`, because SPIN prints a
//! formula without our spaces and parentheses before it reads it: `x < -1` would be read as the beginning of `x <-> …`,
//! and `x - -1` as a decrement. `taken` reads `last`, where each step leaves the number of its action. SPIN's formulas
//! do not allow conditional expressions, hence [`is_plain`].

use model::expr::{Operator, Place};
use model::{Expr, Instance};

use super::names::Names;
use crate::export::Refusal;
use crate::export::range::{constant, events, interval};

/// How tightly an operator binds, as in C.
mod strength {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const COMPARE: u8 = 3;
    pub(super) const ADD: u8 = 4;
    pub(super) const MULTIPLY: u8 = 5;
    pub(super) const UNARY: u8 = 6;
    pub(super) const ATOM: u8 = 7;
}

/// Writes expressions of an instance.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    pub(super) instance: &'a Instance,
    pub(super) names: &'a Names,
}

impl Writer<'_> {
    /// An expression, checked to stay within 32 bits.
    pub(super) fn expression(&self, expr: &Expr) -> Result<String, Refusal> {
        interval(self.instance, expr)?;
        match expr {
            Expr::Int(value) => Ok(value.to_string()),
            _ => self.write(expr).map(|(text, _)| text),
        }
    }

    /// An expression that can stand next to any operator.
    pub(super) fn operand(&self, expr: &Expr) -> Result<String, Refusal> {
        interval(self.instance, expr)?;
        self.tight(expr, strength::ATOM)
    }

    /// The text of a place.
    pub(super) fn place(&self, place: &Place) -> Result<String, Refusal> {
        Ok(match self.names.element(self.instance, place) {
            (name, None) => name.to_owned(),
            (name, Some(index)) => format!("{name}[{}]", self.expression(&index)?),
        })
    }

    fn tight(&self, expr: &Expr, least: u8) -> Result<String, Refusal> {
        let (text, own) = self.write(expr)?;
        Ok(if own < least { format!("({text})") } else { text })
    }

    fn write(&self, expr: &Expr) -> Result<(String, u8), Refusal> {
        use strength::{ADD, AND, ATOM, COMPARE, MULTIPLY, OR, UNARY};
        let join = |parts: &[Expr], sign: &str, own: u8, empty: &str| {
            let texts: Vec<String> =
                parts.iter().map(|part| self.tight(part, own + 1)).collect::<Result<_, _>>()?;
            Ok(if texts.is_empty() { (empty.to_owned(), ATOM) } else { (texts.join(sign), own) })
        };
        Ok(match expr {
            Expr::Bool(value) => (value.to_string(), ATOM),
            Expr::Int(value) if *value < 0 => (format!("0 - {}", value.unsigned_abs()), ADD),
            Expr::Int(value) => (value.to_string(), ATOM),
            Expr::Read(place) => (self.place(place)?, ATOM),
            Expr::Not(a) => (format!("!{}", self.tight(a, ATOM)?), UNARY),
            Expr::Neg(a) => (format!("0 - {}", self.tight(a, ADD + 1)?), ADD),
            Expr::And(parts) => return join(parts, " && ", AND, "true"),
            Expr::Or(parts) => return join(parts, " || ", OR, "false"),
            Expr::Sum(parts) => return join(parts, " + ", ADD, "0"),
            Expr::Min(parts) => (self.extreme(parts, "<")?, ATOM),
            Expr::Max(parts) => (self.extreme(parts, ">")?, ATOM),
            // Counting true parts needs no conditional, because truth is 0 and 1.
            Expr::If(c, a, b) if constant(a) == Some(1) && constant(b) == Some(0) => {
                (self.tight(c, ATOM)?, ATOM)
            }
            Expr::If(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|part| self.tight(part, ATOM));
                (format!("({} -> {} : {})", c?, a?, b?), ATOM)
            }
            Expr::Binary(operator, a, b) => {
                let plain = |sign: &str, own: u8, left: u8, right: u8| -> Result<(String, u8), Refusal> {
                    let right = match (&**a, operator, constant(b)) {
                        // A constant of an enum is written by its name.
                        (Expr::Read(place), Operator::Eq | Operator::Ne, Some(value)) => {
                            self.names.value(self.instance, place.variable, value)
                        }
                        _ => self.tight(b, right)?,
                    };
                    Ok((format!("{} {sign} {right}", self.tight(a, left)?), own))
                };
                match operator {
                    Operator::Sub => plain("-", ADD, ADD, ADD + 1)?,
                    Operator::Mul => plain("*", MULTIPLY, MULTIPLY, MULTIPLY + 1)?,
                    Operator::Eq => plain("==", COMPARE, COMPARE + 1, COMPARE + 1)?,
                    Operator::Ne => plain("!=", COMPARE, COMPARE + 1, COMPARE + 1)?,
                    Operator::Lt => plain("<", COMPARE, COMPARE + 1, COMPARE + 1)?,
                    Operator::Le => plain("<=", COMPARE, COMPARE + 1, COMPARE + 1)?,
                    Operator::Gt => plain(">", COMPARE, COMPARE + 1, COMPARE + 1)?,
                    Operator::Ge => plain(">=", COMPARE, COMPARE + 1, COMPARE + 1)?,
                    Operator::Implies => {
                        let (a, b) = (self.tight(a, ATOM)?, self.tight(b, OR + 1)?);
                        (format!("!{a} || {b}"), OR)
                    }
                    Operator::Div if positive(self.instance, a, b)? => {
                        plain("/", MULTIPLY, MULTIPLY, MULTIPLY + 1)?
                    }
                    Operator::Mod if positive(self.instance, a, b)? => {
                        plain("%", MULTIPLY, MULTIPLY, MULTIPLY + 1)?
                    }
                    Operator::Div | Operator::Mod => {
                        let (a, b) = (self.tight(a, ATOM)?, self.tight(b, ATOM)?);
                        let size = format!("({b} < 0 -> -{b} : {b})");
                        let remainder = format!("({a} % {b} < 0 -> {a} % {b} + {size} : {a} % {b})");
                        match operator {
                            Operator::Mod => (remainder, ATOM),
                            _ => (format!("(({a} - {remainder}) / {b})"), ATOM),
                        }
                    }
                }
            }
            Expr::Taken(pattern) => {
                let numbers: Vec<u32> =
                    events(self.instance, pattern)?.into_iter().map(|id| id.0 + 1).collect();
                let tests: Vec<String> = numbers.iter().map(|number| format!("last == {number}")).collect();
                match tests.len() {
                    0 => ("false".to_owned(), ATOM),
                    1 => (tests.concat(), COMPARE),
                    _ => (tests.join(" || "), OR),
                }
            }
            Expr::Parameter(_) | Expr::Index(_) | Expr::Quantified(..) | Expr::Enabled(_) => {
                unreachable!("the expression is ground, and its interval is known")
            }
        })
    }

    fn extreme(&self, parts: &[Expr], sign: &str) -> Result<String, Refusal> {
        let mut texts = parts.iter().map(|part| self.tight(part, strength::ATOM));
        let first = texts.next().unwrap_or_else(|| Ok("0".to_owned()))?;
        texts.try_fold(first, |best, next| {
            let next = next?;
            Ok(format!("({best} {sign} {next} -> {best} : {next})"))
        })
    }
}

/// Whether an expression can be written without a conditional expression, and without `last`.
pub(super) fn is_plain(instance: &Instance, expr: &Expr) -> Result<bool, Refusal> {
    let mut refused = None;
    let plain = !expr.any(&mut |expr| match expr {
        Expr::Min(_) | Expr::Max(_) | Expr::Taken(_) => true,
        Expr::If(_, a, b) => !(constant(a) == Some(1) && constant(b) == Some(0)),
        Expr::Binary(Operator::Div | Operator::Mod, a, b) => match positive(instance, a, b) {
            Ok(positive) => !positive,
            Err(reason) => {
                refused = Some(reason);
                true
            }
        },
        _ => false,
    });
    refused.map_or(Ok(plain), Err)
}

/// Whether C divides these as we do.
fn positive(instance: &Instance, a: &Expr, b: &Expr) -> Result<bool, Refusal> {
    Ok(interval(instance, a)?.0 >= 0 && interval(instance, b)?.0 >= 0)
}
