//! Parses formulas of PSL, as far as they are formulas of LTL or CTL, by the grammar of `NuSMV` 2.6. They are written as those
//! at once.
//!
//! Here a temporal operator takes in more than in LTL: `always a -> b` is about the implication, and `F a & b` about both.
//! Operators of one level group to the left, `->` too, and `?:` to the right.

use lang::diagnostic::Diagnostic;

use super::formulas::{CHAIN, binary, expr, unary};
use super::parser::{Parsed, Parser};
use super::syntax::{Binary, Expr, Kind, Unary};
use crate::text::{Kind as Token, nested};

/// How tightly operators bind. An operator before its operand takes in all that binds more tightly.
const ALWAYS: u8 = 0;
const IMPLIES: u8 = 1;
const NEXT: u8 = 2;
const BEFORE: u8 = 3;
const UNTIL: u8 = 4;
const PATH: u8 = 5;
const MEMBER: u8 = 6;
const CHOICE: u8 = 7;

/// The greatest number of steps or events that are written out.
const STEPS: u32 = 100;

impl Parser<'_> {
    pub(super) fn formula_of_psl(&mut self) -> Parsed<Expr> {
        self.psl_from(ALWAYS)
    }

    /// An expression whose operators outside of parentheses are of this level or tighter ones.
    fn psl_from(&mut self, level: u8) -> Parsed<Expr> {
        nested(self, |parser| {
            let mut left = parser.psl_operand()?;
            for _ in 0..CHAIN {
                match parser.psl_level() {
                    Some(own) if own >= level => left = parser.psl_infix(left, own)?,
                    _ => return Ok(left),
                }
            }
            let message = format!("more than {CHAIN} operators in a row");
            Err(Diagnostic::error(parser.current().span, message, "use DEFINE for parts of it").into())
        })
    }

    /// The level of the operator that comes, if one does.
    fn psl_level(&self) -> Option<u8> {
        Some(match self.current().text {
            "->" | "<->" => IMPLIES,
            "before" | "before_" => BEFORE,
            "until" | "until_" => UNTIL,
            "in" | "union" => MEMBER,
            "?" => CHOICE,
            "|" if self.follows("|") => 8,
            "&" if self.follows("&") => 9,
            "|" => 10,
            "^" | "xor" | "xnor" => 11,
            "&" => 12,
            "=" | "!=" => 13,
            "<" | "<=" | ">" | ">=" => 14,
            "<<" | ">>" => 15,
            "+" | "-" => 16,
            "*" | "/" | "mod" | "::" => 17,
            _ => return None,
        })
    }

    /// An operator and what follows it.
    fn psl_infix(&mut self, left: Expr, level: u8) -> Parsed<Expr> {
        let word = self.advance().text;
        if level == CHOICE {
            let yes = self.expression()?;
            self.expect(":")?;
            let no = self.psl_from(CHOICE)?;
            let span = left.span.to(no.span);
            return Ok(Expr { kind: Kind::If(Box::new(left), Box::new(yes), Box::new(no)), span });
        }
        if level == BEFORE || level == UNTIL {
            // Without `!` the second operand need not come; with `_` both may hold when it does.
            let strong = self.psl_strong();
            let overlapping = word.ends_with('_') || strong && self.takes("_");
            let right = self.psl_from(level + 1)?;
            let (hold, reach) = match (level, overlapping) {
                (UNTIL, false) => (left, right),
                (UNTIL, true) => (left.clone(), both(left, right)),
                // `p before q`: `q` does not come before `p`.
                (_, true) => (unary(Unary::Not, right), left),
                (_, false) => {
                    let not_q = unary(Unary::Not, right);
                    (not_q.clone(), both(left, not_q))
                }
            };
            return Ok(until(strong, hold, reach));
        }
        if matches!(level, 8 | 9) || word == "=" {
            // `||`, `&&` and `==`
            self.takes(word);
        }
        let right = self.psl_from(level + 1)?;
        let operator = match word {
            "&" | "|" => {
                let and = word == "&";
                let span = left.span.to(right.span);
                let mut parts = match left.kind {
                    Kind::And(parts) if and => parts,
                    Kind::Or(parts) if !and => parts,
                    _ => vec![left],
                };
                parts.push(right);
                return Ok(Expr { kind: if and { Kind::And(parts) } else { Kind::Or(parts) }, span });
            }
            "->" => Binary::Implies,
            "<->" | "xnor" => Binary::Iff,
            "in" => Binary::In,
            "union" => Binary::Union,
            "=" => Binary::Eq,
            "!=" => Binary::Ne,
            "<" => Binary::Lt,
            "<=" => Binary::Le,
            ">" => Binary::Gt,
            ">=" => Binary::Ge,
            "<<" => Binary::Shl,
            ">>" => Binary::Shr,
            "+" => Binary::Add,
            "-" => Binary::Sub,
            "*" => Binary::Mul,
            "/" => Binary::Div,
            "mod" => Binary::Mod,
            "::" => Binary::Concat,
            _ => Binary::Xor,
        };
        Ok(binary(operator, left, right))
    }

    fn psl_operand(&mut self) -> Parsed<Expr> {
        let start = self.current();
        let (operator, level) = match start.text {
            "always" | "G" => (Unary::Globally, ALWAYS),
            "never" => {
                self.advance();
                return Ok(unary(Unary::Globally, unary(Unary::Not, self.psl_from(ALWAYS)?)));
            }
            "eventually" => {
                self.advance();
                self.expect("!")?;
                return Ok(unary(Unary::Finally, self.psl_from(NEXT)?));
            }
            "next" | "X" => {
                self.advance();
                // Runs are infinite, so the strong and the weak operator mean the same.
                self.psl_strong();
                // `next [p U q]` has no number.
                let at = self.at;
                if !self.takes("[") || self.current().kind != Token::Number {
                    self.at = at;
                    let level = if start.text == "X" { PATH } else { NEXT };
                    return Ok(unary(Unary::Next, self.psl_from(level)?));
                }
                let steps = self.psl_count()?;
                self.expect("]")?;
                return Ok(after(steps, self.in_parentheses()?));
            }
            "next_a" | "next_e" => {
                self.advance();
                self.psl_strong();
                let (least, most) = self.psl_range()?;
                let then = self.in_parentheses()?;
                let all = (least..=most).map(|steps| after(steps, then.clone()));
                return Ok(joined(start.text == "next_a", all.collect()));
            }
            "next_event" | "next_event_a" | "next_event_e" => return self.psl_event(),
            "F" => (Unary::Finally, PATH),
            "AX" => (Unary::AllNext, PATH),
            "EX" => (Unary::SomeNext, PATH),
            "AF" => (Unary::AllFinally, PATH),
            "EF" => (Unary::SomeFinally, PATH),
            "AG" => (Unary::AllGlobally, PATH),
            "EG" => (Unary::SomeGlobally, PATH),
            "[" => {
                self.advance();
                let hold = self.expression()?;
                let strong = self.takes("U");
                if !strong {
                    self.expect("W")?;
                }
                let reach = self.expression()?;
                self.expect("]")?;
                return Ok(until(strong, hold, reach));
            }
            _ => return self.primary(),
        };
        self.advance();
        Ok(unary(operator, self.psl_from(level)?))
    }

    /// `next_event(b)[n](p)`: at the n-th position at which `b` holds, `p` does.
    fn psl_event(&mut self) -> Parsed<Expr> {
        let word = self.advance().text;
        let strong = self.psl_strong();
        let event = self.in_parentheses()?;
        let (least, most) = if word != "next_event" {
            self.psl_range()?
        } else if self.takes("[") {
            let number = self.psl_count()?;
            self.expect("]")?;
            (number, number)
        } else {
            (1, 1)
        };
        if least == 0 {
            return self.unexpected("a range of events, which begin with 1,");
        }
        let then = self.in_parentheses()?;
        let not_yet = unary(Unary::Not, event.clone());
        let at = |number: u32| {
            let first = until(strong, not_yet.clone(), both(event.clone(), then.clone()));
            (1..number).fold(first, |inner, _| {
                until(strong, not_yet.clone(), both(event.clone(), unary(Unary::Next, inner)))
            })
        };
        Ok(joined(word != "next_event_e", (least..=most).map(at).collect()))
    }

    /// Whether the operator before ends with `!`. In `next !a` it does not.
    fn psl_strong(&mut self) -> bool {
        self.current().span.start == self.last().span.end && self.takes("!")
    }

    fn in_parentheses(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    /// `[1:3]`
    fn psl_range(&mut self) -> Parsed<(u32, u32)> {
        self.expect("[")?;
        let least = self.psl_count()?;
        self.expect(":")?;
        let most = self.psl_count()?;
        if most < least {
            return self.unexpected("a range that is not empty");
        }
        self.expect("]")?;
        Ok((least, most))
    }

    fn psl_count(&mut self) -> Parsed<u32> {
        match self.small()? {
            number @ 0..=STEPS => Ok(number),
            _ => self.unexpected(&format!("a number up to {STEPS}")),
        }
    }
}

fn both(left: Expr, right: Expr) -> Expr {
    joined(true, vec![left, right])
}

fn joined(and: bool, mut parts: Vec<Expr>) -> Expr {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let (first, last) = (parts[0].clone(), parts[parts.len() - 1].clone());
    expr(if and { Kind::And(parts) } else { Kind::Or(parts) }, &first, &last)
}

fn after(steps: u32, formula: Expr) -> Expr {
    (0..steps).fold(formula, |inner, _| unary(Unary::Next, inner))
}

/// `p U q`, or `p W q`, which is `q V (p | q)`.
fn until(strong: bool, hold: Expr, reach: Expr) -> Expr {
    if strong {
        return binary(Binary::Until, hold, reach);
    }
    let either = joined(false, vec![hold, reach.clone()]);
    binary(Binary::Release, reach, either)
}
