//! Reads expressions of the model as terms and formulas of linear arithmetic, over symbolic states.
//!
//! A [`Store`] maps each cell to a linear term; reading a cell looks it up. The value of an expression is a list of
//! cases: conditions that exclude each other, each with a fraction that is a whole number there. `if`, `min`, truth values
//! used as numbers, divisions by a number, and indices that depend on the state make cases. The cases cover everything but
//! the states in which the evaluation faults. The reader remembers the condition of these ([`Reader::fault`]); the truth of
//! an expression there is arbitrary, but it is one truth for each state. Something that is not linear is
//! [`ReadError::Unsupported`], and the answer remains claimed.
//!
//! This is the judge's own reading, in addition to [`model::semantics`]; a test compares the two. It shares nothing
//! with the engine's.

use std::cell::RefCell;

use arith::{Linear, Overflow, Var};
use model::expr::{Operator, Pattern, Place, Quantifier};
use model::instance::Environment;
use model::{ActionId, Binder, Expr, Index, Instance, Label, StopReason, semantics};
use smt::Formula;

use crate::limits::Limits;

/// Why an expression could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// The judge cannot express this.
    Unsupported(&'static str),
    /// A limit was reached.
    Stopped(StopReason),
}

pub(crate) use ReadError::Unsupported;

impl From<Overflow> for ReadError {
    fn from(_: Overflow) -> ReadError {
        Unsupported("a number that is too large")
    }
}

impl From<StopReason> for ReadError {
    fn from(stop: StopReason) -> ReadError {
        ReadError::Stopped(stop)
    }
}

/// The values of all cells and chosen indices. In a product, also the state of the automaton, which is 0 elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) cells: Vec<Linear>,
    pub(crate) chosen: Vec<(Index, Linear)>,
    pub(crate) state: usize,
}

/// Limit on the cases of a value.
const CASES: usize = 256;

/// Limit on the divisor of a quotient or a remainder.
const DIVISOR: i128 = 64;

/// A case of a value: where `when` is true, it is `term / over`, and a whole number.
#[derive(Clone, Debug)]
struct Case {
    when: Formula,
    term: Linear,
    over: i128,
}

impl Case {
    fn always(term: Linear) -> Case {
        Case { when: Formula::Bool(true), term, over: 1 }
    }

    fn number(&self) -> Option<i128> {
        self.term.as_constant().filter(|_| self.over == 1)
    }

    /// Two terms that compare as this case and another one do.
    fn beside(&self, other: &Case) -> Result<(Linear, Linear), Overflow> {
        Ok((self.term.times(other.over)?, other.term.times(self.over)?))
    }

    /// This case, where another one also applies, with another value.
    fn and(&self, other: &Case, term: Linear, over: i128) -> Case {
        Case { when: Formula::and([self.when.clone(), other.when.clone()]), term, over }
    }
}

impl Store {
    /// The state in which each cell has its own variable, except those with known values.
    pub(crate) fn at(cells: usize, known: &[(usize, i64)]) -> Store {
        let mut store = Store {
            cells: (0..cells as u32).map(|cell| Linear::var(Var(cell))).collect(),
            chosen: Vec::new(),
            state: 0,
        };
        for (cell, value) in known {
            store.cells[*cell] = Linear::constant(i128::from(*value));
        }
        store
    }
}

/// Reads expressions in a store. Event atoms are about the step `label` that leaves it.
pub(crate) struct Reader<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) store: &'a Store,
    pub(crate) label: Option<Label>,
    pub(crate) limits: &'a Limits<'a>,
    /// The conditions under which what is being read is evaluated.
    under: RefCell<Vec<Formula>>,
    /// The conditions of faults so far.
    faults: RefCell<Vec<Formula>>,
}

impl<'a> Reader<'a> {
    /// A reader of states.
    pub(crate) fn new(instance: &'a Instance, store: &'a Store, limits: &'a Limits<'a>) -> Reader<'a> {
        let (under, faults) = (RefCell::default(), RefCell::default());
        Reader { instance, store, label: None, limits, under, faults }
    }

    /// A reader of the steps with this label.
    pub(crate) fn on_step(self, label: Label) -> Reader<'a> {
        Reader { label: Some(label), ..self }
    }

    /// The condition under which what has been read faults.
    pub(crate) fn fault(&self) -> Formula {
        Formula::or(self.faults.take())
    }

    fn faults_when(&self, when: Formula) {
        let under = self.under.borrow();
        self.faults.borrow_mut().push(Formula::and(under.iter().cloned().chain([when])));
    }

    /// Reads what is evaluated only under a condition.
    fn only_if<T>(&self, condition: &Formula, read: impl FnOnce() -> T) -> T {
        self.under.borrow_mut().push(condition.clone());
        let result = read();
        self.under.borrow_mut().pop();
        result
    }

    /// The truths of some expressions, each of which is evaluated only if those before it have this truth.
    fn while_all(
        &self,
        wanted: bool,
        parts: impl Iterator<Item = Result<Formula, ReadError>>,
    ) -> Result<Vec<Formula>, ReadError> {
        let before = self.under.borrow().len();
        let mut found = Vec::new();
        for part in parts {
            let part = part?;
            self.under.borrow_mut().push(if wanted { part.clone() } else { part.negated() });
            found.push(part);
        }
        self.under.borrow_mut().truncate(before);
        Ok(found)
    }

    /// The truth of an expression.
    pub(crate) fn truth(&self, expr: &Expr, environment: &mut Environment) -> Result<Formula, ReadError> {
        self.limits.tick()?;
        Ok(match expr {
            Expr::Bool(value) => Formula::Bool(*value),
            Expr::Not(a) => self.truth(a, environment)?.negated(),
            Expr::And(parts) => {
                Formula::and(self.while_all(true, parts.iter().map(|part| self.truth(part, environment)))?)
            }
            Expr::Or(parts) => {
                Formula::or(self.while_all(false, parts.iter().map(|part| self.truth(part, environment)))?)
            }
            Expr::Binary(Operator::Implies, a, b) => {
                let a = self.truth(a, environment)?;
                a.implies(&self.only_if(&a, || self.truth(b, environment))?)
            }
            Expr::Binary(operator, a, b) if compared(*operator) => {
                let (a, b) = (self.cases(a, environment)?, self.cases(b, environment)?);
                let mut cases = Vec::new();
                for first in &a {
                    for second in &b {
                        let (a, b) = first.beside(second)?;
                        let holds = match operator {
                            Operator::Eq => Formula::eq(&a, &b),
                            Operator::Ne => Formula::ne(&a, &b),
                            Operator::Lt => Formula::lt(&a, &b),
                            Operator::Le => Formula::le(&a, &b),
                            Operator::Gt => Formula::lt(&b, &a),
                            _ => Formula::le(&b, &a),
                        };
                        cases.push(Formula::and([first.when.clone(), second.when.clone(), holds?]));
                    }
                }
                Formula::or(cases)
            }
            Expr::If(condition, a, b) => {
                let condition = self.truth(condition, environment)?;
                let otherwise = condition.negated();
                let a = self.only_if(&condition, || self.truth(a, environment))?;
                let b = self.only_if(&otherwise, || self.truth(b, environment))?;
                Formula::or([Formula::and([condition, a]), Formula::and([otherwise, b])])
            }
            Expr::Quantified(Quantifier::Forall, binder, body) => {
                Formula::and(self.over_truths(true, binder, body, environment)?)
            }
            Expr::Quantified(Quantifier::Exists, binder, body) => {
                Formula::or(self.over_truths(false, binder, body, environment)?)
            }
            Expr::Taken(pattern) => {
                let label = self.label.ok_or(Unsupported("`taken` in a condition on states"))?;
                let matching = self.matching(pattern, environment)?;
                Formula::Bool(matching.into_iter().any(|action| label == Label::Action(action)))
            }
            Expr::Enabled(pattern) => {
                let mut guards = Vec::new();
                for action in self.matching(pattern, environment)? {
                    guards.push(self.guard(action)?);
                }
                Formula::or(guards)
            }
            _ => {
                let cases = self.cases(expr, environment)?;
                let zero = Linear::default();
                let part = |case: &Case| {
                    Ok::<_, ReadError>(Formula::and([case.when.clone(), Formula::ne(&case.term, &zero)?]))
                };
                Formula::try_or(cases.iter().map(part))?
            }
        })
    }

    /// The condition that an action is enabled.
    pub(crate) fn guard(&self, action: ActionId) -> Result<Formula, ReadError> {
        let action = self.instance.action(action);
        self.truth(&self.instance.system.actions[action.action].guard, &mut action.environment.clone())
    }

    /// The value of an expression, case by case. A quotient that is not a linear term is not supported.
    pub(crate) fn value(
        &self,
        expr: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, Linear)>, ReadError> {
        let whole = |case: Case| match case.over {
            1 => Ok((case.when, case.term)),
            _ => Err(Unsupported("a quotient that is not only compared")),
        };
        self.cases(expr, environment)?.into_iter().map(whole).collect()
    }

    /// The value of an expression of the evidence, which must have one in every state.
    pub(crate) fn total(&self, expr: &Expr) -> Result<Vec<(Formula, Linear)>, ReadError> {
        let cases = self.value(expr, &mut Environment::default())?;
        match self.fault() {
            Formula::Bool(false) => Ok(cases),
            _ => Err(Unsupported("a value that is not there in every state")),
        }
    }

    fn cases(&self, expr: &Expr, environment: &mut Environment) -> Result<Vec<Case>, ReadError> {
        let always = |term: Linear| vec![Case::always(term)];
        Ok(match expr {
            Expr::Int(number) => always(Linear::constant(i128::from(*number))),
            Expr::Index(index) => {
                let chosen = self.store.chosen.iter().rev().find(|(chosen, _)| chosen == index);
                if let Some((_, term)) = chosen {
                    always(term.clone())
                } else {
                    let value = environment.get(*index).ok_or(Unsupported("an index without a value"))?;
                    always(Linear::constant(i128::from(value)))
                }
            }
            Expr::Read(place) => {
                let read = |(when, cell): (Formula, usize)| Case {
                    when,
                    ..Case::always(self.store.cells[cell].clone())
                };
                self.cells(place, environment)?.into_iter().map(read).collect()
            }
            Expr::Neg(a) => {
                let opposite = |case: Case| Case { term: case.term.opposite(), ..case };
                self.cases(a, environment)?.into_iter().map(opposite).collect()
            }
            Expr::Sum(parts) => {
                let mut sum = always(Linear::default());
                for part in parts {
                    sum = paired(&sum, &self.cases(part, environment)?, |a, b| added(a, 1, b))?;
                }
                sum
            }
            Expr::Binary(Operator::Sub, a, b) => {
                let (a, b) = (self.cases(a, environment)?, self.cases(b, environment)?);
                paired(&a, &b, |a, b| added(a, -1, b))?
            }
            Expr::Binary(Operator::Mul, a, b) => {
                let (a, b) = (self.cases(a, environment)?, self.cases(b, environment)?);
                paired(&a, &b, |a, b| match (a.number(), b.number()) {
                    (Some(number), _) => multiplied(b, number),
                    (_, Some(number)) => multiplied(a, number),
                    _ => Err(Unsupported("a product of variables")),
                })?
            }
            Expr::Binary(operator @ (Operator::Div | Operator::Mod), a, b) => {
                self.division(*operator == Operator::Div, a, b, environment)?
            }
            Expr::Min(parts) | Expr::Max(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.cases(part, environment)?);
                }
                self.extreme(matches!(expr, Expr::Min(_)), values)?
            }
            Expr::If(condition, a, b) => {
                let condition = self.truth(condition, environment)?;
                let otherwise = condition.negated();
                let a = self.only_if(&condition, || self.cases(a, environment))?;
                let b = self.only_if(&otherwise, || self.cases(b, environment))?;
                let mut cases = under(&condition, a);
                cases.extend(under(&otherwise, b));
                cases
            }
            Expr::Quantified(quantifier, binder, body) if !truthful(*quantifier) => {
                let values = over(binder, environment, |env| self.cases(body, env))?;
                match quantifier {
                    Quantifier::Min | Quantifier::Max => {
                        self.extreme(*quantifier == Quantifier::Min, values)?
                    }
                    _ => {
                        let mut sum = always(Linear::default());
                        for value in values {
                            sum = paired(&sum, &value, |a, b| added(a, 1, b))?;
                        }
                        sum
                    }
                }
            }
            Expr::Parameter(_) => return Err(Unsupported("an open parameter")),
            _ => {
                let truth = self.truth(expr, environment)?;
                let mut cases = under(&truth, always(Linear::constant(1)));
                cases.extend(under(&truth.negated(), always(Linear::default())));
                cases
            }
        })
    }

    /// The cells that a place is, case by case. An index outside is a fault.
    pub(crate) fn cells(
        &self,
        place: &Place,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, usize)>, ReadError> {
        let mut owners = vec![(Formula::Bool(true), None)];
        if let Some(family) = self.instance.system.variable(place.variable).owner {
            owners = match &place.process {
                None => {
                    let owner = self.instance.process(family, None);
                    vec![(
                        Formula::Bool(true),
                        Some(owner.map_err(|_| Unsupported("a process without index"))?),
                    )]
                }
                Some(index) => {
                    let members: Vec<(i64, model::ProcessId)> = self
                        .instance
                        .members(family)
                        .filter_map(|id| Some((self.instance.processes[id.0 as usize].index?, id)))
                        .collect();
                    let values =
                        self.indices(index, &mut members.iter().map(|(index, _)| *index), environment)?;
                    let owner = |(when, number): (Formula, usize)| (when, Some(members[number].1));
                    values.into_iter().map(owner).collect()
                }
            };
        }
        let mut ways: Vec<(Formula, Option<model::ProcessId>, Vec<i64>)> =
            owners.into_iter().map(|(when, owner)| (when, owner, Vec::new())).collect();
        for (index, (lo, hi)) in place.position.iter().zip(self.instance.dimensions(place.variable)) {
            let values = self.indices(index, &mut (*lo..=*hi), environment)?;
            let mut further = Vec::new();
            for (when, owner, position) in &ways {
                for (condition, number) in &values {
                    let when = Formula::and([when.clone(), condition.clone()]);
                    let position = position.iter().copied().chain([lo + *number as i64]).collect();
                    if when != Formula::Bool(false) {
                        further.push((when, *owner, position));
                    }
                }
            }
            if further.len() > CASES {
                return Err(Unsupported("an index with very many values"));
            }
            ways = further;
        }
        let mut cells = Vec::new();
        for (when, owner, position) in ways {
            let cell = self.instance.cell(place.variable, owner, &position);
            cells.push((when, cell.map_err(|_| Unsupported("a cell that is not there"))?));
        }
        Ok(cells)
    }

    /// The values of an index among the possible ones, which are numbered. Any other is a fault.
    fn indices(
        &self,
        index: &Expr,
        possible: &mut dyn Iterator<Item = i64>,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, usize)>, ReadError> {
        let cases = self.cases(index, environment)?;
        let mut found = Vec::new();
        let mut somewhere = vec![Vec::new(); cases.len()];
        for (number, value) in possible.enumerate() {
            self.limits.tick()?;
            let value = Case::always(Linear::constant(i128::from(value)));
            for (case, seen) in cases.iter().zip(&mut somewhere) {
                let (a, b) = case.beside(&value)?;
                let equal = Formula::eq(&a, &b)?;
                if equal != Formula::Bool(false) {
                    found.push((Formula::and([case.when.clone(), equal.clone()]), number));
                    seen.push(equal);
                }
                if found.len() > CASES {
                    return Err(Unsupported("an index with very many values"));
                }
            }
        }
        for (case, seen) in cases.iter().zip(somewhere) {
            self.faults_when(Formula::and([case.when.clone(), Formula::or(seen).negated()]));
        }
        Ok(found)
    }

    fn over_truths(
        &self,
        wanted: bool,
        binder: &Binder,
        body: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<Formula>, ReadError> {
        let before = self.under.borrow().len();
        let found = over(binder, environment, |env| {
            let truth = self.truth(body, env)?;
            self.under.borrow_mut().push(if wanted { truth.clone() } else { truth.negated() });
            Ok(truth)
        });
        self.under.borrow_mut().truncate(before);
        found
    }

    /// `a / b` or `a % b` for a small number `b`: one case per remainder. Zero is a fault.
    fn division(
        &self,
        quotient: bool,
        a: &Expr,
        b: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<Case>, ReadError> {
        let (dividends, divisors) = (self.cases(a, environment)?, self.cases(b, environment)?);
        let mut cases = Vec::new();
        for divisor in &divisors {
            let number = divisor.number().ok_or(Unsupported("a division by a variable"))?;
            if number == 0 {
                self.faults_when(divisor.when.clone());
                continue;
            }
            if !(-DIVISOR..=DIVISOR).contains(&number) {
                return Err(Unsupported("a division by a large number"));
            }
            let size = number.abs();
            for dividend in &dividends {
                // The value is term / over, so its remainder is `rest` if over * size divides term - rest * over.
                let period = dividend.over.checked_mul(size).ok_or(Overflow)?;
                for rest in 0..size {
                    let term = dividend.term.shifted(-rest.checked_mul(dividend.over).ok_or(Overflow)?)?;
                    let fits = Formula::divides(period, &term);
                    let (term, over) = match (quotient, term.as_constant()) {
                        (false, _) => (Linear::constant(rest), 1),
                        (true, Some(number_)) => (Linear::constant(number_ / period * number.signum()), 1),
                        (true, None) => (term.times(number.signum())?, period),
                    };
                    let mut case = dividend.and(divisor, term, over);
                    case.when = Formula::and([case.when, fits]);
                    push(&mut cases, case)?;
                }
            }
        }
        Ok(cases)
    }

    /// The least or the greatest of several values. It is a fault if there are none.
    fn extreme(&self, least: bool, values: Vec<Vec<Case>>) -> Result<Vec<Case>, ReadError> {
        let mut values = values.into_iter();
        let Some(mut best) = values.next() else {
            self.faults_when(Formula::Bool(true));
            return Ok(Vec::new());
        };
        for next in values {
            let mut cases = Vec::new();
            for a in &best {
                for b in &next {
                    let (first, second) = a.beside(b)?;
                    let (small, large) = if least { (first, second) } else { (second, first) };
                    for (case, better) in
                        [(a, Formula::le(&small, &large)?), (b, Formula::lt(&large, &small)?)]
                    {
                        let mut case = a.and(b, case.term.clone(), case.over);
                        case.when = Formula::and([case.when, better]);
                        push(&mut cases, case)?;
                    }
                }
            }
            best = cases;
        }
        Ok(best)
    }

    /// The actions that a pattern matches; it must not depend on the state.
    fn matching(&self, pattern: &Pattern, environment: &Environment) -> Result<Vec<ActionId>, ReadError> {
        let children = Expr::Taken(pattern.clone());
        if children.any(&mut |part| matches!(part, Expr::Read(_))) {
            return Err(Unsupported("an action that depends on the state"));
        }
        self.instance.matching(pattern, environment).map_err(|_| Unsupported("an action that does not exist"))
    }
}

/// A result for each value of a binder.
fn over<T>(
    binder: &Binder,
    environment: &mut Environment,
    mut each: impl FnMut(&mut Environment) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let ends = semantics::rigid(&binder.span.lo, environment)
        .and_then(|lo| Ok((lo, semantics::rigid(&binder.span.hi, environment)?)));
    let (lo, hi) = ends.map_err(|_| Unsupported("a range that has no value"))?;
    if hi >= lo && hi.abs_diff(lo) > CASES as u64 {
        return Err(Unsupported("a long range"));
    }
    let mut results = Vec::new();
    for value in lo..=hi {
        environment.bind(binder.index, value);
        let result = each(environment);
        environment.unbind();
        results.push(result?);
    }
    Ok(results)
}

fn compared(operator: Operator) -> bool {
    use Operator::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(operator, Eq | Ne | Lt | Le | Gt | Ge)
}

fn truthful(quantifier: Quantifier) -> bool {
    matches!(quantifier, Quantifier::Forall | Quantifier::Exists)
}

fn push(cases: &mut Vec<Case>, case: Case) -> Result<(), ReadError> {
    if case.when != Formula::Bool(false) {
        cases.push(case);
    }
    if cases.len() > CASES { Err(Unsupported("a value with very many cases")) } else { Ok(()) }
}

fn under(condition: &Formula, cases: Vec<Case>) -> Vec<Case> {
    let narrowed =
        cases.into_iter().map(|case| Case { when: Formula::and([condition.clone(), case.when]), ..case });
    narrowed.filter(|case| case.when != Formula::Bool(false)).collect()
}

fn paired(
    a: &[Case],
    b: &[Case],
    f: impl Fn(&Case, &Case) -> Result<(Linear, i128), ReadError>,
) -> Result<Vec<Case>, ReadError> {
    let mut cases = Vec::new();
    for a in a {
        for b in b {
            let (term, over) = f(a, b)?;
            push(&mut cases, a.and(b, term, over))?;
        }
    }
    Ok(cases)
}

/// `a + factor * b`.
fn added(a: &Case, factor: i128, b: &Case) -> Result<(Linear, i128), ReadError> {
    if a.over == b.over {
        return Ok((a.term.plus(factor, &b.term)?, a.over));
    }
    let (first, second) = a.beside(b)?;
    Ok((first.plus(factor, &second)?, a.over.checked_mul(b.over).ok_or(Overflow)?))
}

/// A multiple of a value. If the factor is one of the denominator, the result is a whole term again.
fn multiplied(a: &Case, factor: i128) -> Result<(Linear, i128), ReadError> {
    Ok(if factor % a.over == 0 {
        (a.term.times(factor / a.over)?, 1)
    } else {
        (a.term.times(factor)?, a.over)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::splitmix::SplitMix;
    use model::system::{Initial, Scalar, Type, Variable};
    use model::{Span, State, System, VariableId};

    use super::*;

    fn random(random: &mut SplitMix, depth: u32, truth: bool) -> Expr {
        let mut part = |truth: bool| self::random(random, depth - 1, truth);
        if depth == 0 {
            let place = |number| Place { variable: VariableId(number), process: None, position: Vec::new() };
            return match (truth, random.below(3)) {
                (true, choice) => Expr::Bool(choice == 0),
                (false, 0) => Expr::Int(random.below(7) as i64 - 3),
                (false, 1) if random.below(3) == 0 => {
                    let position = Expr::binary(Operator::Sub, Expr::Read(place(0)), Expr::Read(place(1)));
                    Expr::Read(Place { position: vec![position], ..place(2) })
                }
                (false, choice) => Expr::Read(place(choice as u32 - 1)),
            };
        }
        let (a, b, test) = (part(truth), part(truth), part(true));
        let (low, high) = (part(false), part(false));
        let comparisons =
            [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Le, Operator::Gt, Operator::Ge];
        match (truth, random.below(6)) {
            (true, 0) => Expr::Not(Box::new(a)),
            (true, 1) => Expr::And(vec![a, b]),
            (true, 2) => Expr::Or(vec![a, b]),
            (true, 3) => Expr::binary(Operator::Implies, a, b),
            (true, _) => Expr::binary(comparisons[random.below(6) as usize], low, high),
            (false, 0) => Expr::Neg(Box::new(a)),
            (false, 1) => Expr::Min(vec![a, b]),
            (false, 2) => Expr::If(Box::new(test), Box::new(a), Box::new(b)),
            (false, 3) => {
                let operator = if random.below(2) == 0 { Operator::Mod } else { Operator::Div };
                Expr::binary(operator, a, Expr::Int(random.below(6) as i64 - 2))
            }
            (false, 4) => Expr::binary(Operator::Mul, a, Expr::Int(random.below(5) as i64 - 2)),
            (false, _) => Expr::binary(Operator::Sub, Expr::Sum(vec![a, b]), low),
        }
    }

    #[test]
    fn an_expression_has_the_truth_that_it_has_by_the_semantics() {
        let variable = |name: &str, dimensions: Vec<Span>| Variable {
            name: name.to_owned(),
            owner: None,
            kind: Type { dimensions, scalar: Scalar::Int },
            initial: Initial::Any,
        };
        let variables =
            vec![variable("x", vec![]), variable("y", vec![]), variable("a", vec![Span::between(0, 2)])];
        let system = System { variables, ..System::default() };
        let instance = Instance::new(Arc::new(system)).expect("an instance");
        let store = Store::at(5, &[]);
        let session = model::Session::unlimited();
        let limits = Limits::new(&session);
        let mut generator = SplitMix(5);
        let (mut yes, mut no, mut faults) = (0, 0, 0);
        for _ in 0..400 {
            let expr = random(&mut generator, 3, true);
            let reader = Reader::new(&instance, &store, &limits);
            let Ok(formula) = reader.truth(&expr, &mut Environment::default()) else { continue };
            let fault = reader.fault();
            for (x, y) in (-3..=3).flat_map(|x| (-3..=3).map(move |y| (x, y))) {
                let state = State(vec![x, y, x + 1, 2 * y, -1]);
                let by_definition = semantics::state_predicate(&instance, &expr, &state);
                let holds = |formula: &Formula| {
                    formula.holds(&|var: Var| i128::from(state.0[var.0 as usize])).expect("small")
                };
                assert_eq!(by_definition.is_err(), holds(&fault), "{expr:?} at {state:?}: {fault:?}");
                let Ok(by_definition) = by_definition else {
                    faults += 1;
                    continue;
                };
                assert_eq!(by_definition, holds(&formula), "{expr:?} at {state:?}: {formula:?}");
                *(if by_definition { &mut yes } else { &mut no }) += 1;
            }
        }
        assert!(yes > 1000 && no > 1000 && faults > 1000, "{yes} {no} {faults}");
    }
}
