//! Expressions as linear terms and formulas, where the values of some cells are known.
//!
//! A [`Store`] gives the value of each cell as a linear term over the values before the step and over the integers
//! chosen in it; cells that the place fixes hold constants. So an expression becomes a term by reading the store.
//! `if`, `min`, `max`, truth values used as numbers, and elements of an array at an index that is not known make several
//! *cases*: conditions that exclude each other. Products need a constant factor, divisions a constant divisor. A quotient is
//! a fraction on the condition that it is a whole number; fractions can be compared, but no cell can hold one.
//! Everything that is not linear is [`Unsupported`].
//!
//! Every result comes with the condition under which the evaluation faults: an index leaves its array, a divisor is zero.
//! There the cases cover nothing, and the truth is arbitrary. Numbers are unbounded, so an overflow of 64 bits is not
//! detected.

use std::cell::RefCell;

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

/// What was read, and the condition under which reading it faults.
pub(super) struct Read<T> {
    pub(super) result: T,
    pub(super) fault: Formula,
}

/// The greatest number of cases of one term.
const CASES: usize = 64;

/// The truth of an expression without indices other than chosen ones.
pub(super) fn truth(instance: &Instance, expr: &Expr, store: &Store) -> Result<Read<Formula>, Unsupported> {
    let reader = Reader::new(instance, store);
    let result = reader.truth(expr)?;
    Ok(reader.read(result))
}

/// The value of such an expression: conditions that exclude each other, each with a term.
pub(super) fn value(
    instance: &Instance,
    expr: &Expr,
    store: &Store,
) -> Result<Read<Vec<(Formula, Linear)>>, Unsupported> {
    let reader = Reader::new(instance, store);
    let whole = |case: Case| match case.over {
        1 => Ok((case.when, case.term)),
        _ => Err(Unsupported("a quotient that is not only compared".to_owned())),
    };
    let result = reader.cases(expr)?.into_iter().map(whole).collect::<Result<_, _>>()?;
    Ok(reader.read(result))
}

/// The cells that a place may be: conditions that exclude each other, each with a cell.
pub(super) fn cells(
    instance: &Instance,
    place: &Place,
    store: &Store,
) -> Result<Read<Vec<(Formula, usize)>>, Unsupported> {
    let reader = Reader::new(instance, store);
    let result = reader.cells(place)?;
    Ok(reader.read(result))
}

/// A case of a value: where `when` is true, the value is `term / over`, and a whole number.
#[derive(Clone, Debug)]
struct Case {
    when: Formula,
    term: Linear,
    over: i128,
}

impl Case {
    fn whole(when: Formula, term: Linear) -> Case {
        Case { when, term, over: 1 }
    }

    fn constant(value: i128) -> Case {
        Case::whole(Formula::Bool(true), Linear::constant(value))
    }

    fn as_constant(&self) -> Option<i128> {
        self.term.as_constant().filter(|_| self.over == 1)
    }

    /// `self + factor * other`, where both cases apply.
    fn plus(&self, factor: i128, other: &Case) -> Result<Case, Unsupported> {
        let when = Formula::and([self.when.clone(), other.when.clone()]);
        if self.over == other.over {
            return Ok(Case { when, term: self.term.plus(factor, &other.term)?, over: self.over });
        }
        let over = self.over.checked_mul(other.over).ok_or(Overflow)?;
        let factor = factor.checked_mul(self.over).ok_or(Overflow)?;
        Ok(Case { when, term: self.term.times(other.over)?.plus(factor, &other.term)?, over })
    }

    fn times(&self, factor: i128) -> Result<Case, Unsupported> {
        let common = Linear::of(0, [(Var(0), factor), (Var(1), self.over)])?.content();
        let term = self.term.times(factor / common)?;
        Ok(Case { when: self.when.clone(), term, over: self.over / common })
    }

    /// `self <= other`, where both cases apply.
    fn le(&self, other: &Case) -> Result<Formula, Unsupported> {
        Ok(Formula::le(&self.term.times(other.over)?, &other.term.times(self.over)?)?)
    }

    fn compared(&self, operator: Operator, other: &Case) -> Result<Formula, Unsupported> {
        let (a, b) = (self.term.times(other.over)?, other.term.times(self.over)?);
        Ok(match operator {
            Operator::Eq => Formula::eq(&a, &b),
            Operator::Ne => Formula::ne(&a, &b),
            Operator::Lt => Formula::lt(&a, &b),
            Operator::Le => Formula::le(&a, &b),
            Operator::Gt => Formula::lt(&b, &a),
            _ => Formula::le(&b, &a),
        }?)
    }

    /// For each rest of the division by `size`: the condition that it is the rest, and what is left without it.
    fn by_rest(&self, size: i128) -> Result<Vec<(i128, Case)>, Unsupported> {
        if size > CASES as i128 {
            return Err(Unsupported(format!("a division by {size}, which is more than {CASES}")));
        }
        let modulus = self.over.checked_mul(size).ok_or(Overflow)?;
        let mut cases = Vec::new();
        for rest in 0..size {
            let term = self.term.shifted(-rest.checked_mul(self.over).ok_or(Overflow)?)?;
            let when = Formula::and([self.when.clone(), Formula::divides(modulus, &term)]);
            cases.push((rest, Case { when, term, over: self.over }));
        }
        Ok(cases)
    }
}

struct Reader<'a> {
    instance: &'a Instance,
    store: &'a Store,
    /// The conditions under which what is being read is evaluated.
    under: RefCell<Vec<Formula>>,
    /// The conditions of faults so far.
    faults: RefCell<Vec<Formula>>,
}

impl<'a> Reader<'a> {
    fn new(instance: &'a Instance, store: &'a Store) -> Reader<'a> {
        Reader { instance, store, under: RefCell::default(), faults: RefCell::default() }
    }

    fn read<T>(self, result: T) -> Read<T> {
        Read { result, fault: Formula::or(self.faults.into_inner()) }
    }

    /// Notes that the evaluation faults under a condition.
    fn fault(&self, when: Formula) {
        if when != Formula::Bool(false) {
            let under = self.under.borrow();
            self.faults.borrow_mut().push(Formula::and(under.iter().cloned().chain([when])));
        }
    }

    /// Reads what is evaluated only under a condition.
    fn if_so<T>(&self, condition: &Formula, read: impl FnOnce() -> T) -> T {
        self.under.borrow_mut().push(condition.clone());
        let result = read();
        self.under.borrow_mut().pop();
        result
    }

    fn truth(&self, expr: &Expr) -> Result<Formula, Unsupported> {
        Ok(match expr {
            Expr::Bool(value) => Formula::Bool(*value),
            Expr::Not(a) => self.truth(a)?.negated(),
            Expr::And(parts) | Expr::Or(parts) => self.in_order(matches!(expr, Expr::And(_)), parts)?,
            Expr::Binary(Operator::Implies, a, b) => match self.truth(a)? {
                Formula::Bool(false) => Formula::Bool(true),
                a => a.implies(&self.if_so(&a, || self.truth(b))?),
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
                condition => {
                    let negated = condition.negated();
                    let a = self.if_so(&condition, || self.truth(a))?;
                    let b = self.if_so(&negated, || self.truth(b))?;
                    Formula::or([Formula::and([condition, a]), Formula::and([negated, b])])
                }
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
                let zero = Linear::default();
                let part = |case: &Case| {
                    Ok::<_, Overflow>(Formula::and([case.when.clone(), Formula::ne(&case.term, &zero)?]))
                };
                Formula::try_or(self.cases(number)?.iter().map(part))?
            }
        })
    }

    /// A conjunction or a disjunction: each part is evaluated only if those before it leave the truth open.
    fn in_order(&self, conjunction: bool, parts: &[Expr]) -> Result<Formula, Unsupported> {
        let before = self.under.borrow().len();
        let mut done = Vec::new();
        for part in parts {
            let part = self.truth(part)?;
            let last = part == Formula::Bool(!conjunction);
            self.under.borrow_mut().push(if conjunction { part.clone() } else { part.negated() });
            done.push(part);
            if last {
                break;
            }
        }
        self.under.borrow_mut().truncate(before);
        Ok(if conjunction { Formula::and(done) } else { Formula::or(done) })
    }

    fn comparison(&self, operator: Operator, a: &Expr, b: &Expr) -> Result<Formula, Unsupported> {
        if let (Expr::Binary(Operator::Mod, dividend, divisor), Operator::Eq | Operator::Ne) = (a, operator)
            && let Some(equal) = self.remainder(dividend, divisor, b)?
        {
            return Ok(if operator == Operator::Eq { equal } else { equal.negated() });
        }
        for (operator, a, b) in [(operator, a, b), (operator.mirrored(), b, a)] {
            if let Some(compared) = self.quotient(operator, a, b)? {
                return Ok(compared);
            }
        }
        let (a, b) = (self.cases(a)?, self.cases(b)?);
        let mut parts = Vec::new();
        for a in &a {
            for b in &b {
                parts.push(Formula::and([a.when.clone(), b.when.clone(), a.compared(operator, b)?]));
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
        let (divisor, rest) = (self.cases(divisor)?, self.cases(rest)?);
        let ([divisor], [rest]) = (&divisor[..], &rest[..]) else { return Ok(None) };
        let (Some(divisor), Some(rest)) = (divisor.as_constant(), rest.as_constant()) else {
            return Ok(None);
        };
        if divisor == 0 {
            return Ok(None);
        }
        let possible = (0..divisor.abs()).contains(&rest);
        let part = |case: &Case| {
            let shift = rest.checked_mul(case.over).ok_or(Overflow)?;
            let modulus = divisor.checked_mul(case.over).ok_or(Overflow)?;
            let fits = Formula::divides(modulus, &case.term.shifted(-shift)?);
            Ok::<_, Overflow>(Formula::and([case.when.clone(), fits]))
        };
        let dividend = self.cases(dividend)?;
        Ok(Some(if possible { Formula::try_or(dividend.iter().map(part))? } else { Formula::Bool(false) }))
    }

    /// The comparison of a quotient by a constant with a number. It needs no cases for the rest, because a quotient that is
    /// rounded down is at most `b` if the dividend is less than the next multiple after `b` of the divisor.
    fn quotient(&self, operator: Operator, a: &Expr, b: &Expr) -> Result<Option<Formula>, Unsupported> {
        let Expr::Binary(Operator::Div, dividend, divisor) = a else { return Ok(None) };
        let divisor = match &self.cases(divisor)?[..] {
            [divisor] => divisor.as_constant().filter(|divisor| *divisor != 0),
            _ => None,
        };
        let Some(divisor) = divisor else { return Ok(None) };
        let size = divisor.checked_abs().ok_or(Overflow)?;
        let (dividends, numbers) = (self.cases(dividend)?, self.cases(b)?);
        let mut parts = Vec::new();
        for dividend in &dividends {
            for number in &numbers {
                // The quotient by a negative number is the opposite of that by its absolute value.
                let bound = number.times(divisor.signum())?.times(size)?;
                let below = dividend.le(&bound.plus(size - 1, &Case::constant(1))?)?;
                let above = bound.le(dividend)?;
                let (at_most, at_least) = if divisor > 0 { (below, above) } else { (above, below) };
                let compared = match operator {
                    Operator::Eq => Formula::and([at_most, at_least]),
                    Operator::Ne => Formula::and([at_most, at_least]).negated(),
                    Operator::Lt => at_least.negated(),
                    Operator::Le => at_most,
                    Operator::Gt => at_most.negated(),
                    _ => at_least,
                };
                parts.push(Formula::and([dividend.when.clone(), number.when.clone(), compared]));
            }
        }
        Ok(Some(Formula::or(parts)))
    }

    fn cases(&self, expr: &Expr) -> Result<Vec<Case>, Unsupported> {
        let always = |term: Linear| Ok(vec![Case::whole(Formula::Bool(true), term)]);
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
            Expr::Read(place) => {
                let read = |(when, cell): (Formula, usize)| Case::whole(when, self.store.cells[cell].clone());
                Ok(self.cells(place)?.into_iter().map(read).collect())
            }
            Expr::Neg(a) => self.cases(a)?.iter().map(|case| case.times(-1)).collect(),
            Expr::Sum(parts) => {
                let mut sum = vec![Case::constant(0)];
                for part in parts {
                    sum = combined(&sum, &self.cases(part)?, |a, b| a.plus(1, b))?;
                }
                Ok(sum)
            }
            Expr::Binary(Operator::Sub, a, b) => {
                combined(&self.cases(a)?, &self.cases(b)?, |a, b| a.plus(-1, b))
            }
            Expr::Binary(Operator::Mul, a, b) => {
                combined(&self.cases(a)?, &self.cases(b)?, |a, b| match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => b.times(factor),
                    (_, Some(factor)) => a.times(factor),
                    _ => Err(Unsupported("a product of two variables".to_owned())),
                })
            }
            Expr::Binary(operator @ (Operator::Div | Operator::Mod), a, b) => {
                let (dividends, divisors) = (self.cases(a)?, self.cases(b)?);
                let mut cases = Vec::new();
                for divisor in &divisors {
                    let Some(number) = divisor.as_constant() else {
                        return Err(Unsupported("a division by a variable".to_owned()));
                    };
                    if number == 0 {
                        self.fault(divisor.when.clone());
                        continue;
                    }
                    for dividend in &dividends {
                        for mut case in divided(*operator == Operator::Div, dividend, number)? {
                            case.when = Formula::and([case.when, divisor.when.clone()]);
                            cases.push(case);
                        }
                    }
                }
                few(cases)
            }
            Expr::Min(parts) | Expr::Max(parts) => {
                let least = matches!(expr, Expr::Min(_));
                let mut parts = parts.iter();
                let Some(first) = parts.next() else {
                    self.fault(Formula::Bool(true));
                    return Ok(Vec::new());
                };
                let mut best = self.cases(first)?;
                for part in parts {
                    let next = self.cases(part)?;
                    let mut both = Vec::new();
                    for a in &best {
                        for b in &next {
                            let first = if least { a.le(b)? } else { b.le(a)? };
                            let when = Formula::and([a.when.clone(), b.when.clone()]);
                            let (here, there) = (first.clone(), first.negated());
                            both.push(Case { when: Formula::and([when.clone(), here]), ..a.clone() });
                            both.push(Case { when: Formula::and([when, there]), ..b.clone() });
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
                    let under = |condition: Formula, cases: Vec<Case>| {
                        cases.into_iter().map(move |case| Case {
                            when: Formula::and([condition.clone(), case.when]),
                            ..case
                        })
                    };
                    let negated = condition.negated();
                    let a = self.if_so(&condition, || self.cases(a))?;
                    let b = self.if_so(&negated, || self.cases(b))?;
                    few(under(condition, a).chain(under(negated, b)).collect())
                }
            },
            Expr::Parameter(_) | Expr::Quantified(..) | Expr::Taken(_) => {
                Err(Unsupported("an expression that is not ground".to_owned()))
            }
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Binary(..) | Expr::Enabled(_) => {
                let truth = self.truth(expr)?;
                let falsity = truth.negated();
                few(vec![Case::whole(truth, Linear::constant(1)), Case::whole(falsity, Linear::default())])
            }
        }
    }

    /// The cells that a place may be. An index outside is a fault.
    fn cells(&self, place: &Place) -> Result<Vec<(Formula, usize)>, Unsupported> {
        let instance = self.instance;
        let variable = instance.system.variable(place.variable);
        let mut parts: Vec<(&Expr, i64, i64)> = Vec::new();
        if let (Some(family), Some(index)) = (variable.owner, &place.process) {
            let indices = instance.members(family).map(|member| instance.processes[member.0 as usize].index);
            let indices: Vec<i64> = indices.flatten().collect();
            if let (Some(lo), Some(hi)) = (indices.first(), indices.last()) {
                parts.push((index, *lo, *hi));
            }
        }
        let dimensions = instance.dimensions(place.variable);
        parts.extend(place.position.iter().zip(dimensions).map(|(index, (lo, hi))| (index, *lo, *hi)));
        let mut ways: Vec<(Formula, Vec<i64>)> = vec![(Formula::Bool(true), Vec::new())];
        for (index, lo, hi) in parts {
            let mut values: Vec<(Formula, i64)> = Vec::new();
            for case in self.cases(index)? {
                if let Some(value) = case.as_constant() {
                    match i64::try_from(value).ok().filter(|value| (lo..=hi).contains(value)) {
                        Some(value) => values.push((case.when, value)),
                        None => self.fault(case.when),
                    }
                    continue;
                }
                if hi.abs_diff(lo) >= CASES as u64 {
                    let name = &variable.name;
                    return Err(Unsupported(format!(
                        "an index of `{name}` that is not known at each location, among more than {CASES}"
                    )));
                }
                let (least, greatest) = (Case::constant(i128::from(lo)), Case::constant(i128::from(hi)));
                let inside = Formula::and([least.le(&case)?, case.le(&greatest)?]);
                self.fault(Formula::and([case.when.clone(), inside.negated()]));
                for value in lo..=hi {
                    let equal = case.compared(Operator::Eq, &Case::constant(i128::from(value)))?;
                    values.push((Formula::and([case.when.clone(), equal]), value));
                }
            }
            let mut further = Vec::new();
            for (when, at) in &ways {
                for (condition, value) in &values {
                    let when = Formula::and([when.clone(), condition.clone()]);
                    if when != Formula::Bool(false) {
                        further.push((when, at.iter().copied().chain([*value]).collect()));
                    }
                }
            }
            if further.len() > CASES {
                return Err(Unsupported("an expression with very many cases".to_owned()));
            }
            ways = further;
        }
        let mut found = Vec::new();
        for (when, at) in ways {
            let mut fixed = place.clone();
            let parts = fixed.process.iter_mut().map(|process| &mut **process).chain(&mut fixed.position);
            parts.zip(at).for_each(|(part, value)| *part = Expr::Int(value));
            match instance.constant_cell(&fixed) {
                Some(Ok(cell)) => found.push((when, cell)),
                Some(Err(_)) => self.fault(when),
                None => return Err(Unsupported("a place that is not known".to_owned())),
            }
        }
        Ok(found)
    }
}

/// The quotient or the rest of a case by a number that is not zero.
fn divided(quotient: bool, dividend: &Case, divisor: i128) -> Result<Vec<Case>, Unsupported> {
    if let Some(number) = dividend.as_constant() {
        let overflow =
            if quotient { number.checked_div_euclid(divisor) } else { number.checked_rem_euclid(divisor) };
        let result = overflow.ok_or(Overflow)?;
        return Ok(vec![Case { when: dividend.when.clone(), ..Case::constant(result) }]);
    }
    let size = divisor.checked_abs().ok_or(Overflow)?;
    let by_rest = dividend.by_rest(size)?.into_iter();
    if !quotient {
        return Ok(by_rest.map(|(rest, case)| Case::whole(case.when, Linear::constant(rest))).collect());
    }
    by_rest
        .map(|(_, case)| {
            let over = case.over.checked_mul(size).ok_or(Overflow)?;
            Ok(Case { term: case.term.times(divisor.signum())?, over, ..case })
        })
        .collect()
}

fn combined(
    a: &[Case],
    b: &[Case],
    with: impl Fn(&Case, &Case) -> Result<Case, Unsupported>,
) -> Result<Vec<Case>, Unsupported> {
    let mut cases = Vec::new();
    for a in a {
        for b in b {
            let when = Formula::and([a.when.clone(), b.when.clone()]);
            if when != Formula::Bool(false) {
                cases.push(Case { when, ..with(a, b)? });
            }
        }
    }
    few(cases)
}

/// The cases that can occur, unless there are very many.
fn few(mut cases: Vec<Case>) -> Result<Vec<Case>, Unsupported> {
    cases.retain(|case| case.when != Formula::Bool(false));
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
