//! Reads what solvers answer: symbolic expressions, values, formulas.
//!
//! The grammar of formulas is the small part of SMT-LIB in which z3 writes the result of eliminating quantifiers and
//! the interpretations of Horn predicates: `and or not => ite let`, comparisons, `+ - *` with constants, `div` and `mod`
//! by constants only inside comparisons of a remainder with a number. Anything else is not understood, and neither are
//! numbers that are too large. Depth is bounded, because a solver's text is input.

use std::collections::BTreeMap;

use arith::{Linear, Ratio, Var};

use crate::formula::Formula;

/// How deep expressions may nest.
const DEPTH: usize = 2_000;

/// A symbolic expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sexpr {
    Word(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    pub(crate) fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(items) => Some(items),
            Sexpr::Word(_) => None,
        }
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Sexpr::Word(word) => Some(word),
            Sexpr::List(_) => None,
        }
    }
}

/// Counts parentheses, so that it is known when an answer of several lines is complete.
pub(crate) fn balance(line: &str) -> i64 {
    let mut quoted = false;
    let mut count = 0;
    for c in line.chars() {
        match c {
            '"' | '|' => quoted = !quoted,
            '(' if !quoted => count += 1,
            ')' if !quoted => count -= 1,
            _ => {}
        }
    }
    count
}

/// The expressions of a text; nothing if it is malformed.
pub(crate) fn sexprs(text: &str) -> Option<Vec<Sexpr>> {
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        match c {
            '(' if open.len() > DEPTH => return None,
            '(' => open.push(Vec::new()),
            ')' => {
                let done = open.pop()?;
                open.last_mut()?.push(Sexpr::List(done));
            }
            c if c.is_whitespace() => {}
            '|' | '"' => {
                let end = rest.find(|(_, d)| *d == c)?.0;
                open.last_mut()?.push(Sexpr::Word(text[start..=end].to_owned()));
            }
            _ => {
                let mut end = text.len();
                while let Some((position, next)) = rest.peek() {
                    if next.is_whitespace() || matches!(next, '(' | ')') {
                        end = *position;
                        break;
                    }
                    rest.next();
                }
                open.last_mut()?.push(Sexpr::Word(text[start..end].to_owned()));
            }
        }
    }
    let mut all = open;
    (all.len() == 1).then(|| all.remove(0))
}

/// A number: `5`, `(- 5)`, `1.0`, `(/ 1 2)`, `(- (/ 1.0 2.0))`.
pub(crate) fn number(expr: &Sexpr) -> Option<Ratio> {
    match expr {
        Sexpr::Word(word) => {
            let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
            let denominator =
                10i128.checked_pow(u32::try_from(fraction.trim_end_matches('0').len()).ok()?)?;
            Ratio::new(format!("{whole}{}", fraction.trim_end_matches('0')).parse().ok()?, denominator)
        }
        Sexpr::List(items) => match (items.first()?.word()?, &items[1..]) {
            ("-", [a]) => {
                let a = number(a)?;
                Ratio::new(a.numerator.checked_neg()?, a.denominator)
            }
            ("/", [a, b]) => {
                let (a, b) = (number(a)?, number(b)?);
                Ratio::new(a.numerator.checked_mul(b.denominator)?, a.denominator.checked_mul(b.numerator)?)
            }
            ("to_real", [a]) => number(a),
            _ => None,
        },
    }
}

/// What a word stands for: a variable of ours, or a name bound by `let` or by a definition.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Term(Linear),
    Truth(Formula),
}

/// The formula an expression is, with these names.
pub(crate) fn formula(expr: &Sexpr, names: &BTreeMap<String, Meaning>) -> Option<Formula> {
    truth(expr, &mut names.clone(), 0)
}

/// The variable that is written `v12`.
pub(crate) fn variable(word: &str) -> Option<Var> {
    word.strip_prefix('v')?.parse().ok().map(Var)
}

fn truth(expr: &Sexpr, names: &mut BTreeMap<String, Meaning>, depth: usize) -> Option<Formula> {
    if depth > DEPTH {
        return None;
    }
    let deeper = depth + 1;
    match expr {
        Sexpr::Word(word) if word == "true" => Some(Formula::Bool(true)),
        Sexpr::Word(word) if word == "false" => Some(Formula::Bool(false)),
        Sexpr::Word(word) => match names.get(word)? {
            Meaning::Truth(formula) => Some(formula.clone()),
            Meaning::Term(_) => None,
        },
        Sexpr::List(items) => {
            let Some(operator) = items.first()?.word() else { return divisibility(items, names, deeper) };
            let arguments = &items[1..];
            match (operator, arguments) {
                ("and" | "or", _) => {
                    let parts: Option<Vec<Formula>> =
                        arguments.iter().map(|a| truth(a, names, deeper)).collect();
                    Some(if operator == "and" { Formula::and(parts?) } else { Formula::or(parts?) })
                }
                ("not", [a]) => Some(truth(a, names, deeper)?.negated()),
                ("=>", [a, b]) => Some(truth(a, names, deeper)?.implies(&truth(b, names, deeper)?)),
                ("ite", [c, a, b]) => {
                    let c = truth(c, names, deeper)?;
                    let (a, b) = (truth(a, names, deeper)?, truth(b, names, deeper)?);
                    Some(Formula::or([Formula::and([c.clone(), a]), Formula::and([c.negated(), b])]))
                }
                ("let", [bindings, body]) => {
                    let meanings = bind(bindings, names, deeper)?;
                    let shadowed: Vec<_> =
                        meanings.into_iter().map(|(name, m)| (name.clone(), names.insert(name, m))).collect();
                    let result = truth(body, names, deeper);
                    for (name, old) in shadowed {
                        match old {
                            Some(old) => names.insert(name, old),
                            None => names.remove(&name),
                        };
                    }
                    result
                }
                ("=", [a, b]) if truth(a, names, deeper).is_some() => {
                    let (a, b) = (truth(a, names, deeper)?, truth(b, names, deeper)?);
                    Some(Formula::or([
                        Formula::and([a.clone(), b.clone()]),
                        Formula::and([a.negated(), b.negated()]),
                    ]))
                }
                ("=", [a, b]) => remainder(a, b, names, deeper)
                    .or_else(|| remainder(b, a, names, deeper))
                    .or_else(|| Formula::eq(&term(a, names, deeper)?, &term(b, names, deeper)?).ok()),
                (operator @ ("<=" | "<" | ">=" | ">"), [a, b]) => {
                    let (a, b) = (term(a, names, deeper)?, term(b, names, deeper)?);
                    let compared = match operator {
                        "<=" => Formula::le(&a, &b),
                        "<" => Formula::lt(&a, &b),
                        ">=" => Formula::le(&b, &a),
                        _ => Formula::lt(&b, &a),
                    };
                    compared.ok()
                }
                _ => None,
            }
        }
    }
}

/// `(= (mod t n) c)`.
fn remainder(a: &Sexpr, b: &Sexpr, names: &mut BTreeMap<String, Meaning>, depth: usize) -> Option<Formula> {
    let items = a.list()?;
    let [operator, dividend, divisor] = items else { return None };
    if operator.word()? != "mod" {
        return None;
    }
    let divisor = number(divisor)?.integer().filter(|divisor| *divisor != 0)?;
    let rest = number(b)?.integer()?;
    if rest < 0 || rest >= divisor.abs() {
        return Some(Formula::Bool(false));
    }
    Some(Formula::divides(divisor, &term(dividend, names, depth)?.shifted(-rest).ok()?))
}

/// `((_ divisible n) t)`.
fn divisibility(items: &[Sexpr], names: &mut BTreeMap<String, Meaning>, depth: usize) -> Option<Formula> {
    let [operator, dividend] = items else { return None };
    let [underscore, word, divisor] = operator.list()? else { return None };
    if underscore.word()? != "_" || word.word()? != "divisible" {
        return None;
    }
    Some(Formula::divides(number(divisor)?.integer()?, &term(dividend, names, depth)?))
}

fn bind(
    bindings: &Sexpr,
    names: &mut BTreeMap<String, Meaning>,
    depth: usize,
) -> Option<Vec<(String, Meaning)>> {
    let mut meanings = Vec::new();
    for binding in bindings.list()? {
        let [name, value] = binding.list()? else { return None };
        let meaning = match term(value, names, depth) {
            Some(term) => Meaning::Term(term),
            None => Meaning::Truth(truth(value, names, depth)?),
        };
        meanings.push((name.word()?.to_owned(), meaning));
    }
    Some(meanings)
}

fn term(expr: &Sexpr, names: &mut BTreeMap<String, Meaning>, depth: usize) -> Option<Linear> {
    if depth > DEPTH {
        return None;
    }
    if let Some(value) = number(expr) {
        return value.integer().map(Linear::constant);
    }
    match expr {
        Sexpr::Word(word) => match names.get(word) {
            Some(Meaning::Term(term)) => Some(term.clone()),
            Some(Meaning::Truth(_)) => None,
            None => variable(word).map(Linear::var),
        },
        Sexpr::List(items) => {
            let terms: Option<Vec<Linear>> = items[1..].iter().map(|a| term(a, names, depth + 1)).collect();
            let terms = terms?;
            match (items.first()?.word()?, &terms[..]) {
                ("+", _) => terms.iter().try_fold(Linear::default(), |sum, t| sum.plus(1, t)).ok(),
                ("-", [a]) => Some(a.opposite()),
                ("-", [a, rest @ ..]) => rest.iter().try_fold(a.clone(), |sum, t| sum.plus(-1, t)).ok(),
                ("*", [a, b]) => match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => b.times(factor).ok(),
                    (_, Some(factor)) => a.times(factor).ok(),
                    _ => None,
                },
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Formula> {
        formula(&sexprs(text)?[0], &BTreeMap::new())
    }

    #[test]
    fn what_solvers_write_is_understood() {
        let (x, y) = (Linear::var(Var(1)), Linear::var(Var(2)));
        let shifted = |term: &Linear, number| term.shifted(number).expect("small");
        assert_eq!(read("(<= (+ v1 (* (- 1) v2)) 3)"), Formula::le(&x, &shifted(&y, 3)).ok());
        assert_eq!(read("(let ((a!1 (- v1 1))) (not (>= a!1 v2)))"), Formula::lt(&shifted(&x, -1), &y).ok());
        assert_eq!(read("(= (mod v1 3) 1)"), Some(Formula::divides(3, &shifted(&x, -1))));
        assert_eq!(read("((_ divisible 2) v1)"), Some(Formula::divides(2, &x)));
        assert_eq!(read("(* v1 v2)"), None);
        assert_eq!(read("(and (<= v1 0)"), None);
        assert_eq!(read("(<= v1 99999999999999999999999999999999999999999)"), None);
        assert_eq!(read("(<= (* 99999999999999999999 (* 99999999999999999999 v1)) 0)"), None);
        assert_eq!(number(&sexprs("(- (/ 1.5 2.0))").expect("an expression")[0]), Ratio::new(-3, 4));
    }

    #[test]
    fn depth_is_bounded() {
        assert_eq!(sexprs(&"(".repeat(1_000_000)), None);
    }
}
