//! Writes ground expressions as text, in languages that distinguish truth values from numbers.
//!
//! Our expressions do not: truth is 0 and 1, and an index over truth values is a number once it is ground. So an
//! expression is written as a truth value or as a number, depending on its context, and converted if it is of the other
//! kind. The languages differ in their operators, in how a place is read and in how an event is expressed. Every
//! compound expression is in parentheses, so their precedences do not matter.
//!
//! The text always has a value: a divisor that may be 0 is replaced by 1 where it is 0, and an index outside its array
//! reads some element. This is sound because the condition under which the original has a value (`defined`) is written
//! next to it wherever it may be false.

use model::expr::{Operator, Place};
use model::system::Scalar;
use model::{ActionId, Expr, Instance, VariableId};

use super::range::{constant, events, interval};
use super::refusal;
use crate::export::Refusal;

/// The operators that all languages share.
pub(crate) struct Signs {
    /// `false` and `true`.
    pub(crate) truth: [&'static str; 2],
    pub(crate) not: &'static str,
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    pub(crate) implies: &'static str,
    pub(crate) equivalent: &'static str,
    pub(crate) unequal: &'static str,
    pub(crate) quotient: &'static str,
    pub(crate) remainder: &'static str,
    /// `if c { a } else { b }`.
    pub(crate) conditional: fn(&str, &str, &str) -> String,
}

/// A language to write in.
pub(crate) trait Language {
    /// Its operators.
    const SIGNS: Signs;
    /// The instance that is exported.
    fn instance(&self) -> &Instance;
    /// The value of a place.
    fn read(&self, place: &Place) -> Result<String, Refusal>;
    /// A constant of a variable's type.
    fn value(&self, variable: VariableId, value: i64) -> String;
    /// The condition that one of these actions is taken.
    fn taken(&self, actions: &[ActionId]) -> String;
}

/// A truth value, checked to compute within 32 bits.
pub(crate) fn truth<L: Language>(language: &L, expr: &Expr) -> Result<String, Refusal> {
    interval(language.instance(), expr)?;
    write_truth(language, expr)
}

/// The value of an expression for a variable, checked to compute within 32 bits.
pub(crate) fn value<L: Language>(language: &L, variable: VariableId, expr: &Expr) -> Result<String, Refusal> {
    interval(language.instance(), expr)?;
    match constant(expr) {
        Some(value) => Ok(language.value(variable, value)),
        None if is_bool(language.instance(), variable) => write_truth(language, expr),
        None => write_number(language, expr),
    }
}

/// A number, checked to compute within 32 bits.
pub(crate) fn number<L: Language>(language: &L, expr: &Expr) -> Result<String, Refusal> {
    interval(language.instance(), expr)?;
    write_number(language, expr)
}

/// Whether a variable holds truth values.
pub(crate) fn is_bool(instance: &Instance, variable: VariableId) -> bool {
    instance.system.variable(variable).kind.scalar == Scalar::Bool
}

/// Whether an expression is about the step that leaves a state, not about the state alone.
pub(crate) fn is_about_step(expr: &Expr) -> bool {
    expr.any(&mut |expr| matches!(expr, Expr::Taken(_)))
}

/// `parts` with `sign` between them; `empty` if there are none.
pub(crate) fn joined(parts: &[String], sign: &str, empty: &str) -> String {
    match parts.len() {
        0 => empty.to_owned(),
        1 => parts.concat(),
        _ => format!("({})", parts.join(&format!(" {sign} "))),
    }
}

/// Whether an expression is a truth value; a constant number may be either.
fn is_truth(instance: &Instance, expr: &Expr) -> bool {
    match expr {
        Expr::Bool(_) | Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Taken(_) => true,
        Expr::Read(place) => is_bool(instance, place.variable),
        Expr::If(_, a, b) => is_truth(instance, a) || is_truth(instance, b),
        Expr::Binary(operator, _, _) => {
            !matches!(operator, Operator::Sub | Operator::Mul | Operator::Div | Operator::Mod)
        }
        _ => false,
    }
}

/// Limit on the length of the text of one expression. Some expressions must repeat an operand, which can multiply the
/// length at every level.
const LENGTH: usize = 1 << 20;

/// Refuses a text that is too long.
pub(crate) fn check_length(text: String) -> Result<String, Refusal> {
    if text.len() > LENGTH { Err(refusal("an expression becomes too long")) } else { Ok(text) }
}

fn write_truth<L: Language>(language: &L, expr: &Expr) -> Result<String, Refusal> {
    truth_text(language, expr).and_then(check_length)
}

fn write_number<L: Language>(language: &L, expr: &Expr) -> Result<String, Refusal> {
    number_text(language, expr).and_then(check_length)
}

fn truth_text<L: Language>(language: &L, expr: &Expr) -> Result<String, Refusal> {
    let (signs, instance) = (L::SIGNS, language.instance());
    if let Some(value) = constant(expr) {
        return Ok(signs.truth[usize::from(value != 0)].to_owned());
    }
    if !is_truth(instance, expr) {
        return Ok(format!("({} {} 0)", write_number(language, expr)?, signs.unequal));
    }
    let all = |parts: &[Expr]| -> Result<Vec<String>, Refusal> {
        parts.iter().map(|part| write_truth(language, part)).collect()
    };
    Ok(match expr {
        Expr::Read(place) => language.read(place)?,
        Expr::Not(a) => format!("({}{})", signs.not, write_truth(language, a)?),
        Expr::And(parts) => joined(&all(parts)?, signs.and, signs.truth[1]),
        Expr::Or(parts) => joined(&all(parts)?, signs.or, signs.truth[0]),
        Expr::If(c, a, b) => {
            let [c, a, b] = [c, a, b].map(|part| write_truth(language, part));
            (signs.conditional)(&c?, &a?, &b?)
        }
        Expr::Binary(Operator::Implies, a, b) => {
            format!("({} {} {})", write_truth(language, a)?, signs.implies, write_truth(language, b)?)
        }
        Expr::Binary(operator @ (Operator::Eq | Operator::Ne), a, b)
            if is_truth(instance, a) || is_truth(instance, b) =>
        {
            let equal = match (constant(a), constant(b)) {
                (None, Some(1)) => write_truth(language, a)?,
                (None, Some(0)) => format!("({}{})", signs.not, write_truth(language, a)?),
                _ => {
                    let (a, b) = (write_truth(language, a)?, write_truth(language, b)?);
                    format!("({a} {} {b})", signs.equivalent)
                }
            };
            if *operator == Operator::Eq { equal } else { format!("({}{equal})", signs.not) }
        }
        Expr::Binary(operator, a, b) => {
            let sign = match operator {
                Operator::Eq => "=",
                Operator::Ne => signs.unequal,
                Operator::Lt => "<",
                Operator::Le => "<=",
                Operator::Gt => ">",
                _ => ">=",
            };
            // A constant of an enum is written by its name.
            let right = match (&**a, constant(b)) {
                (Expr::Read(place), Some(value)) => language.value(place.variable, value),
                _ => write_number(language, b)?,
            };
            format!("({} {sign} {right})", write_number(language, a)?)
        }
        Expr::Taken(pattern) => match &events(instance, pattern)?[..] {
            [] => signs.truth[0].to_owned(),
            actions => language.taken(actions),
        },
        other => unreachable!("{other:?} is a number, or it is not ground"),
    })
}

fn number_text<L: Language>(language: &L, expr: &Expr) -> Result<String, Refusal> {
    let (signs, instance) = (L::SIGNS, language.instance());
    if let Some(value) = constant(expr) {
        return Ok(if value < 0 { format!("({value})") } else { value.to_string() });
    }
    if is_truth(instance, expr) {
        return Ok((signs.conditional)(&write_truth(language, expr)?, "1", "0"));
    }
    let all = |parts: &[Expr]| -> Result<Vec<String>, Refusal> {
        parts.iter().map(|part| write_number(language, part)).collect()
    };
    Ok(match expr {
        Expr::Read(place) => language.read(place)?,
        Expr::Neg(a) => format!("(0 - {})", write_number(language, a)?),
        Expr::Sum(parts) => joined(&all(parts)?, "+", "0"),
        Expr::Min(parts) => extreme::<L>(all(parts)?, "<=")?,
        Expr::Max(parts) => extreme::<L>(all(parts)?, ">=")?,
        Expr::If(c, a, b) => {
            let c = write_truth(language, c)?;
            (signs.conditional)(&c, &write_number(language, a)?, &write_number(language, b)?)
        }
        Expr::Binary(operator @ (Operator::Div | Operator::Mod), a, b) => divided(language, *operator, a, b)?,
        Expr::Binary(operator, a, b) => {
            let sign = if *operator == Operator::Mul { "*" } else { "-" };
            format!("({} {sign} {})", write_number(language, a)?, write_number(language, b)?)
        }
        other => unreachable!("{other:?} is a truth value, or it is not ground"),
    })
}

/// The least or the greatest of several, by comparing them pairwise in rounds. Each comparison repeats its operands, so
/// the length is quadratic in their number.
fn extreme<L: Language>(mut parts: Vec<String>, sign: &str) -> Result<String, Refusal> {
    while parts.len() > 1 {
        let better = |pair: &[String]| match pair {
            [a, b] => check_length((L::SIGNS.conditional)(&format!("({a} {sign} {b})"), a, b)),
            _ => Ok(pair.concat()),
        };
        parts = parts.chunks(2).map(better).collect::<Result<_, _>>()?;
    }
    Ok(parts.pop().unwrap_or_else(|| "0".to_owned()))
}

/// Euclidean division by means of a division by positive numbers, for either way of rounding.
fn divided<L: Language>(language: &L, operator: Operator, a: &Expr, b: &Expr) -> Result<String, Refusal> {
    let Signs { conditional, quotient, remainder, .. } = L::SIGNS;
    let instance = language.instance();
    let ((least, _), (lo, hi)) = (interval(instance, a)?, interval(instance, b)?);
    interval(instance, &Expr::Neg(Box::new(b.clone())))?;
    let (a, mut b) = (write_number(language, a)?, write_number(language, b)?);
    if lo <= 0 && 0 <= hi {
        b = conditional(&format!("({b} = 0)"), "1", &b);
    }
    let negative = format!("({b} < 0)");
    let size = if lo >= 0 { b.clone() } else { conditional(&negative, &format!("(0 - {b})"), &b) };
    let mut rest = check_length(format!("({a} {remainder} {size})"))?;
    if least < 0 {
        rest = conditional(&format!("({rest} < 0)"), &format!("({rest} + {size})"), &rest);
    }
    if operator == Operator::Mod {
        return Ok(rest);
    }
    let part = if least < 0 {
        format!("(({a} - {rest}) {quotient} {size})")
    } else {
        format!("({a} {quotient} {size})")
    };
    Ok(if lo >= 0 { part } else { conditional(&negative, &format!("(0 - {part})"), &part) })
}
