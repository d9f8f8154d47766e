//! Expressions as linear terms and formulas, where the values of some cells are known.
//!
//! A [`Store`] gives the value of each cell as a linear term over the values before the step and over the integers
//! chosen in it; cells that the place fixes hold constants. So an expression becomes a term by reading the store.
//! `if`, `min`, `max` and truth values used as numbers make several *cases*: conditions that exclude each other and
//! together cover everything. Products need a constant factor. A remainder by a constant is supported where it is
//! compared with a number. Everything that is not linear is [`Unsupported`], and so is an expression for which
//! constants alone do not exclude a fault.
//!
//! Numbers are unbounded, so an overflow of 64 bits is not detected.

use arith::{Linear, Overflow, Var};
use model::expr::Operator;
use model::instance::Environment;
use model::{Expr, Index, Instance, Place, ground};
use smt::Formula;

use crate::events;

/// A part of the model that the engine cannot express, in the user's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unsupported(pub(super) String);

impl From<Overflow> for Unsupported {
    fn from(_: Overflow) -> Unsupported {
        Unsupported("a number that is too large to compute with".to_owned())
    }
}

/// The values of cells and chosen indices.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// Per cell, its value.
    pub(super) cells: Vec<Linear>,
    /// The integers chosen so far.
    pub(super) chosen: Vec<(Index, Linear)>,
}

/// The greatest number of cases of one term.
const CASES: usize = 64;

/// The truth of an expression without indices other than chosen ones.
pub(super) fn truth(instance: &Instance, expr: &Expr, store: &Store) -> Result<Formula, Unsupported> {
    Reader { instance, store }.truth(expr)
}

/// The value of such an expression: conditions that exclude each other, each with a term.
pub(super) fn value(
    instance: &Instance,
    expr: &Expr,
    store: &Store,
) -> Result<Vec<(Formula, Linear)>, Unsupported> {
    Reader { instance, store }.cases(expr)
}

/// The cell of a place.
pub(super) fn cell(instance: &Instance, place: &Place, store: &Store) -> Result<usize, Unsupported> {
    Reader { instance, store }.cell(place)
}

struct Reader<'a> {
    instance: &'a Instance,
    store: &'a Store,
}

impl Reader<'_> {
    fn truth(&self, expr: &Expr) -> Result<Formula, Unsupported> {
        Ok(match expr {
            Expr::Bool(value) => Formula::Bool(*value),
            Expr::Not(a) => self.truth(a)?.negated(),
            Expr::And(parts) | Expr::Or(parts) => {
                let conjunction = matches!(expr, Expr::And(_));
                let mut done = Vec::new();
                for part in parts {
                    let part = self.truth(part)?;
                    // The later parts are not evaluated.
                    let last = part == Formula::Bool(!conjunction);
                    done.push(part);
                    if last {
                        break;
                    }
                }
                if conjunction { Formula::and(done) } else { Formula::or(done) }
            }
            Expr::Binary(Operator::Implies, a, b) => match self.truth(a)? {
                Formula::Bool(false) => Formula::Bool(true),
                a => a.implies(&self.truth(b)?),
            },
            Expr::Binary(
                operator @ (Operator::Eq
                | Operator::Ne
                | Operator::Lt
                | Operator::Le
                | Operator::Gt
                | Operator::Ge),
                a,
                b,
            ) => self.comparison(*operator, a, b)?,
            Expr::If(condition, a, b) => match self.truth(condition)? {
                Formula::Bool(true) => self.truth(a)?,
                Formula::Bool(false) => self.truth(b)?,
                condition => Formula::or([
                    Formula::and([condition.clone(), self.truth(a)?]),
                    Formula::and([condition.negated(), self.truth(b)?]),
                ]),
            },
            Expr::Enabled(pattern) => {
                let enabled = events::enabled(self.instance, pattern);
                let enabled = ground::expression(self.instance, &enabled, &mut Environment::default());
                if enabled == *expr {
                    return Err(Unsupported("an `enabled` that depends on the state".to_owned()));
                }
                self.truth(&enabled)?
            }
            number => {
                let cases = self.cases(number)?;
                let zero = Linear::default();
                let part = |(when, term): &(Formula, Linear)| {
                    Ok::<_, Overflow>(Formula::and([when.clone(), Formula::ne(term, &zero)?]))
                };
                Formula::try_or(cases.iter().map(part))?
            }
        })
    }

    fn comparison(&self, operator: Operator, a: &Expr, b: &Expr) -> Result<Formula, Unsupported> {
        if let (Expr::Binary(Operator::Mod, dividend, divisor), Operator::Eq | Operator::Ne) = (a, operator)
            && let Some(equal) = self.remainder(dividend, divisor, b)?
        {
            return Ok(if operator == Operator::Eq { equal } else { equal.negated() });
        }
        let (a, b) = (self.cases(a)?, self.cases(b)?);
        let mut parts = Vec::new();
        for (when_a, a) in &a {
            for (when_b, b) in &b {
                let compared = match operator {
                    Operator::Eq => Formula::eq(a, b),
                    Operator::Ne => Formula::ne(a, b),
                    Operator::Lt => Formula::lt(a, b),
                    Operator::Le => Formula::le(a, b),
                    Operator::Gt => Formula::lt(b, a),
                    _ => Formula::le(b, a),
                };
                parts.push(Formula::and([when_a.clone(), when_b.clone(), compared?]));
            }
        }
        Ok(Formula::or(parts))
    }

    /// `dividend % divisor == rest` for constant divisor and rest.
    fn remainder(
        &self,
        dividend: &Expr,
        divisor: &Expr,
        rest: &Expr,
    ) -> Result<Option<Formula>, Unsupported> {
        let (dividend, divisor, rest) = (self.cases(dividend)?, self.cases(divisor)?, self.cases(rest)?);
        let ([(_, dividend)], [(_, divisor)], [(_, rest)]) = (&dividend[..], &divisor[..], &rest[..]) else {
            return Ok(None);
        };
        let (Some(divisor), Some(rest)) = (divisor.as_constant(), rest.as_constant()) else {
            return Ok(None);
        };
        if divisor == 0 {
            return Ok(None);
        }
        if rest < 0 || divisor.abs() <= rest {
            return Ok(Some(Formula::Bool(false)));
        }
        Ok(Some(Formula::divides(divisor, &dividend.shifted(-rest)?)))
    }

    fn cases(&self, expr: &Expr) -> Result<Vec<(Formula, Linear)>, Unsupported> {
        let always = |term: Linear| Ok(vec![(Formula::Bool(true), term)]);
        match expr {
            Expr::Int(value) => always(Linear::constant(i128::from(*value))),
            Expr::Bool(value) => always(Linear::constant(i128::from(*value))),
            Expr::Index(index) => {
                let chosen = self.store.chosen.iter().rev().find(|(chosen, _)| chosen == index);
                chosen.map_or_else(
                    || Err(Unsupported("an index without a value".to_owned())),
                    |(_, term)| always(term.clone()),
                )
            }
            Expr::Read(place) => always(self.store.cells[self.cell(place)?].clone()),
            Expr::Neg(a) => {
                Ok(self.cases(a)?.into_iter().map(|(when, term)| (when, term.opposite())).collect())
            }
            Expr::Sum(parts) => {
                let mut sum = vec![(Formula::Bool(true), Linear::default())];
                for part in parts {
                    sum = combined(&sum, &self.cases(part)?, |a, b| Ok(a.plus(1, b)?))?;
                }
                Ok(sum)
            }
            Expr::Binary(Operator::Sub, a, b) => {
                combined(&self.cases(a)?, &self.cases(b)?, |a, b| Ok(a.plus(-1, b)?))
            }
            Expr::Binary(Operator::Mul, a, b) => {
                combined(&self.cases(a)?, &self.cases(b)?, |a, b| match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => Ok(b.times(factor)?),
                    (_, Some(factor)) => Ok(a.times(factor)?),
                    _ => Err(Unsupported("a product of two variables".to_owned())),
                })
            }
            Expr::Binary(operator @ (Operator::Div | Operator::Mod), a, b) => {
                combined(&self.cases(a)?, &self.cases(b)?, |a, b| match (a.as_constant(), b.as_constant()) {
                    (Some(a), Some(b)) if b != 0 => Ok(Linear::constant(if *operator == Operator::Div {
                        a.div_euclid(b)
                    } else {
                        a.rem_euclid(b)
                    })),
                    _ => Err(Unsupported("a division".to_owned())),
                })
            }
            Expr::Min(parts) | Expr::Max(parts) => {
                let least = matches!(expr, Expr::Min(_));
                let mut parts = parts.iter();
                let Some(first) = parts.next() else {
                    return Err(Unsupported("`min` or `max` over no values".to_owned()));
                };
                let mut best = self.cases(first)?;
                for part in parts {
                    let next = self.cases(part)?;
                    let mut both = Vec::new();
                    for (when_a, a) in &best {
                        for (when_b, b) in &next {
                            let first = if least { Formula::le(a, b)? } else { Formula::le(b, a)? };
                            let when = Formula::and([when_a.clone(), when_b.clone()]);
                            both.push((Formula::and([when.clone(), first.clone()]), a.clone()));
                            both.push((Formula::and([when, first.negated()]), b.clone()));
                        }
                    }
                    best = few(both)?;
                }
                Ok(best)
            }
            Expr::If(condition, a, b) => match self.truth(condition)? {
                Formula::Bool(true) => self.cases(a),
                Formula::Bool(false) => self.cases(b),
                condition => {
                    let under = |condition: Formula, cases: Vec<(Formula, Linear)>| {
                        cases
                            .into_iter()
                            .map(move |(when, term)| (Formula::and([condition.clone(), when]), term))
                    };
                    let (a, b) = (self.cases(a)?, self.cases(b)?);
                    let negated = condition.negated();
                    few(under(condition, a).chain(under(negated, b)).collect())
                }
            },
            Expr::Parameter(_) | Expr::Quantified(..) | Expr::Taken(_) => {
                Err(Unsupported("an expression that is not ground".to_owned()))
            }
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Binary(..) | Expr::Enabled(_) => {
                let truth = self.truth(expr)?;
                let falsity = truth.negated();
                few(vec![(truth, Linear::constant(1)), (falsity, Linear::default())])
            }
        }
    }

    fn cell(&self, place: &Place) -> Result<usize, Unsupported> {
        let mut fixed = place.clone();
        let parts = fixed.process.iter_mut().map(|process| &mut **process).chain(&mut fixed.position);
        for part in parts {
            let cases = self.cases(part)?;
            let constant = match &cases[..] {
                [(_, term)] => term.as_constant().and_then(|value| i64::try_from(value).ok()),
                _ => None,
            };
            let Some(constant) = constant else {
                let name = &self.instance.system.variable(place.variable).name;
                return Err(Unsupported(format!("an index of `{name}` that is not known at each location")));
            };
            *part = Expr::Int(constant);
        }
        match self.instance.constant_cell(&fixed) {
            Some(Ok(cell)) => Ok(cell),
            Some(Err(fault)) => Err(Unsupported(format!("a fault that cannot be excluded: {fault}"))),
            None => Err(Unsupported("a place that is not known".to_owned())),
        }
    }
}

fn combined(
    a: &[(Formula, Linear)],
    b: &[(Formula, Linear)],
    with: impl Fn(&Linear, &Linear) -> Result<Linear, Unsupported>,
) -> Result<Vec<(Formula, Linear)>, Unsupported> {
    let mut cases = Vec::new();
    for (when_a, a) in a {
        for (when_b, b) in b {
            cases.push((Formula::and([when_a.clone(), when_b.clone()]), with(a, b)?));
        }
    }
    few(cases)
}

/// The cases that can occur, unless there are very many.
fn few(mut cases: Vec<(Formula, Linear)>) -> Result<Vec<(Formula, Linear)>, Unsupported> {
    cases.retain(|(when, _)| *when != Formula::Bool(false));
    if cases.len() > CASES {
        return Err(Unsupported("an expression with very many cases".to_owned()));
    }
    Ok(cases)
}

/// The store in which each cell holds the value it has now: the constant that is known, or its own variable.
pub(super) fn current(cells: usize, known: &[(usize, i64)]) -> Store {
    let mut store: Vec<Linear> = (0..cells).map(|cell| Linear::var(Var(cell as u32))).collect();
    for (cell, value) in known {
        store[*cell] = Linear::constant(i128::from(*value));
    }
    Store { cells: store, chosen: Vec::new() }
}
