//! Reads expressions of the model as terms and formulas of linear arithmetic, over symbolic states.
//!
//! A [`Store`] maps each cell to a linear term; reading a cell looks it up. The value of an expression is a list of
//! cases: conditions that exclude each other and cover everything, each with a term. `if`, `min`, truth values used as
//! numbers and remainders make cases. Something that is not linear, or that could be a fault (a division, an index that
//! depends on the state), is [`ReadError::Unsupported`], and the answer remains claimed.
//!
//! This is the judge's own reading, in addition to [`model::semantics`]; a test compares the two. It shares nothing
//! with the engine's.

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

/// Limit on the divisor of a remainder.
const DIVISOR: i128 = 64;

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
}

impl Reader<'_> {
    /// The truth of an expression.
    pub(crate) fn truth(&self, expr: &Expr, environment: &mut Environment) -> Result<Formula, ReadError> {
        self.limits.tick()?;
        Ok(match expr {
            Expr::Bool(value) => Formula::Bool(*value),
            Expr::Not(a) => self.truth(a, environment)?.negated(),
            Expr::And(parts) => Formula::and(self.truths(parts, environment)?),
            Expr::Or(parts) => Formula::or(self.truths(parts, environment)?),
            Expr::Binary(Operator::Implies, a, b) => {
                self.truth(a, environment)?.implies(&self.truth(b, environment)?)
            }
            Expr::Binary(operator, a, b) if compared(*operator) => {
                let (a, b) = (self.value(a, environment)?, self.value(b, environment)?);
                let mut cases = Vec::new();
                for (first, a) in &a {
                    for (second, b) in &b {
                        let holds = match operator {
                            Operator::Eq => Formula::eq(a, b),
                            Operator::Ne => Formula::ne(a, b),
                            Operator::Lt => Formula::lt(a, b),
                            Operator::Le => Formula::le(a, b),
                            Operator::Gt => Formula::lt(b, a),
                            _ => Formula::le(b, a),
                        };
                        cases.push(Formula::and([first.clone(), second.clone(), holds?]));
                    }
                }
                Formula::or(cases)
            }
            Expr::If(condition, a, b) => {
                let condition = self.truth(condition, environment)?;
                let (a, b) = (self.truth(a, environment)?, self.truth(b, environment)?);
                Formula::or([Formula::and([condition.clone(), a]), Formula::and([condition.negated(), b])])
            }
            Expr::Quantified(Quantifier::Forall, binder, body) => {
                Formula::and(over(binder, environment, |env| self.truth(body, env))?)
            }
            Expr::Quantified(Quantifier::Exists, binder, body) => {
                Formula::or(over(binder, environment, |env| self.truth(body, env))?)
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
                let cases = self.value(expr, environment)?;
                let zero = Linear::default();
                let part = |(when, term): &(Formula, Linear)| {
                    Ok::<_, ReadError>(Formula::and([when.clone(), Formula::ne(term, &zero)?]))
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

    /// The value of an expression, case by case.
    pub(crate) fn value(
        &self,
        expr: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, Linear)>, ReadError> {
        let always = |term: Linear| vec![(Formula::Bool(true), term)];
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
            Expr::Read(place) => always(self.store.cells[self.cell(place, environment)?].clone()),
            Expr::Neg(a) => self.mapped(a, environment, Linear::opposite)?,
            Expr::Sum(parts) => {
                let mut sum = always(Linear::default());
                for part in parts {
                    sum = paired(&sum, &self.value(part, environment)?, |a, b| Ok(a.plus(1, b)?))?;
                }
                sum
            }
            Expr::Binary(Operator::Sub, a, b) => {
                let (a, b) = (self.value(a, environment)?, self.value(b, environment)?);
                paired(&a, &b, |a, b| Ok(a.plus(-1, b)?))?
            }
            Expr::Binary(Operator::Mul, a, b) => {
                let (a, b) = (self.value(a, environment)?, self.value(b, environment)?);
                paired(&a, &b, |a, b| match (a.as_constant(), b.as_constant()) {
                    (Some(number), _) => Ok(b.times(number)?),
                    (_, Some(number)) => Ok(a.times(number)?),
                    _ => Err(Unsupported("a product of variables")),
                })?
            }
            Expr::Binary(Operator::Mod, a, b) => self.remainder(a, b, environment)?,
            Expr::Binary(Operator::Div, ..) => return Err(Unsupported("a division")),
            Expr::Min(parts) | Expr::Max(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.value(part, environment)?);
                }
                extreme(matches!(expr, Expr::Min(_)), values)?
            }
            Expr::If(condition, a, b) => {
                let condition = self.truth(condition, environment)?;
                let mut cases = under(&condition, self.value(a, environment)?);
                cases.extend(under(&condition.negated(), self.value(b, environment)?));
                cases
            }
            Expr::Quantified(quantifier, binder, body) if !truthful(*quantifier) => {
                let values = over(binder, environment, |env| self.value(body, env))?;
                match quantifier {
                    Quantifier::Min | Quantifier::Max => extreme(*quantifier == Quantifier::Min, values)?,
                    _ => {
                        let mut sum = always(Linear::default());
                        for value in values {
                            sum = paired(&sum, &value, |a, b| Ok(a.plus(1, b)?))?;
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

    /// The cell of a place whose process and position do not depend on the state.
    pub(crate) fn cell(&self, place: &Place, environment: &mut Environment) -> Result<usize, ReadError> {
        const WHERE: ReadError = Unsupported("an index that depends on the state, or lies outside");
        let mut constant = |expr: &Expr| -> Result<i64, ReadError> {
            match self.value(expr, environment)?.as_slice() {
                [(Formula::Bool(true), term)] => {
                    term.as_constant().and_then(|value| i64::try_from(value).ok()).ok_or(WHERE)
                }
                _ => Err(WHERE),
            }
        };
        let owner = match self.instance.system.variable(place.variable).owner {
            None => None,
            Some(family) => {
                let index = place.process.as_ref().map(|index| constant(index)).transpose()?;
                Some(self.instance.process(family, index).map_err(|_| WHERE)?)
            }
        };
        let position = place.position.iter().map(constant).collect::<Result<Vec<_>, _>>()?;
        self.instance.cell(place.variable, owner, &position).map_err(|_| WHERE)
    }

    fn truths(&self, parts: &[Expr], environment: &mut Environment) -> Result<Vec<Formula>, ReadError> {
        parts.iter().map(|part| self.truth(part, environment)).collect()
    }

    fn mapped(
        &self,
        expr: &Expr,
        environment: &mut Environment,
        f: impl Fn(&Linear) -> Linear,
    ) -> Result<Vec<(Formula, Linear)>, ReadError> {
        let cases = self.value(expr, environment)?;
        Ok(cases.into_iter().map(|(when, term)| (when, f(&term))).collect())
    }

    /// `a % b` for a small constant `b`: one case per remainder.
    fn remainder(
        &self,
        a: &Expr,
        b: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, Linear)>, ReadError> {
        let divisor = match self.value(b, environment)?.as_slice() {
            [(Formula::Bool(true), term)] => term.as_constant(),
            _ => None,
        };
        let size = divisor.map(i128::abs).filter(|size| (1..=DIVISOR).contains(size));
        let size = size.ok_or(Unsupported("a remainder that is not by a small number"))?;
        let mut cases = Vec::new();
        for (when, term) in self.value(a, environment)? {
            for rest in 0..size {
                let fits = Formula::divides(size, &term.shifted(-rest)?);
                push(&mut cases, Formula::and([when.clone(), fits]), Linear::constant(rest))?;
            }
        }
        Ok(cases)
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

fn push(cases: &mut Vec<(Formula, Linear)>, when: Formula, term: Linear) -> Result<(), ReadError> {
    if when != Formula::Bool(false) {
        cases.push((when, term));
    }
    if cases.len() > CASES { Err(Unsupported("a value with very many cases")) } else { Ok(()) }
}

fn under(condition: &Formula, cases: Vec<(Formula, Linear)>) -> Vec<(Formula, Linear)> {
    let narrowed = cases.into_iter().map(|(when, term)| (Formula::and([condition.clone(), when]), term));
    narrowed.filter(|(when, _)| *when != Formula::Bool(false)).collect()
}

fn paired(
    a: &[(Formula, Linear)],
    b: &[(Formula, Linear)],
    f: impl Fn(&Linear, &Linear) -> Result<Linear, ReadError>,
) -> Result<Vec<(Formula, Linear)>, ReadError> {
    let mut cases = Vec::new();
    for (first, a) in a {
        for (second, b) in b {
            push(&mut cases, Formula::and([first.clone(), second.clone()]), f(a, b)?)?;
        }
    }
    Ok(cases)
}

/// The least or the greatest of several values; there must be one.
fn extreme(least: bool, values: Vec<Vec<(Formula, Linear)>>) -> Result<Vec<(Formula, Linear)>, ReadError> {
    let mut values = values.into_iter();
    let mut best = values.next().ok_or(Unsupported("`min` or `max` over no values"))?;
    for next in values {
        let mut cases = Vec::new();
        for (first, a) in &best {
            for (second, b) in &next {
                let (small, large) = if least { (a, b) } else { (b, a) };
                let both = Formula::and([first.clone(), second.clone()]);
                push(&mut cases, Formula::and([both.clone(), Formula::le(small, large)?]), a.clone())?;
                push(&mut cases, Formula::and([both, Formula::lt(large, small)?]), b.clone())?;
            }
        }
        best = cases;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::splitmix::SplitMix;
    use model::system::{Initial, Scalar, Type, Variable};
    use model::{State, System, VariableId};

    use super::*;

    fn random(random: &mut SplitMix, depth: u32, truth: bool) -> Expr {
        let mut part = |truth: bool| self::random(random, depth - 1, truth);
        if depth == 0 {
            let place = |number| Place { variable: VariableId(number), process: None, position: Vec::new() };
            return match (truth, random.below(3)) {
                (true, choice) => Expr::Bool(choice == 0),
                (false, 0) => Expr::Int(random.below(7) as i64 - 3),
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
            (false, 3) => Expr::binary(Operator::Mod, a, Expr::Int(2 + random.below(2) as i64)),
            (false, 4) => Expr::binary(Operator::Mul, a, Expr::Int(random.below(5) as i64 - 2)),
            (false, _) => Expr::binary(Operator::Sub, Expr::Sum(vec![a, b]), low),
        }
    }

    #[test]
    fn an_expression_has_the_truth_that_it_has_by_the_semantics() {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            owner: None,
            kind: Type { dimensions: Vec::new(), scalar: Scalar::Int },
            initial: Initial::Any,
        };
        let system = System { variables: vec![variable("x"), variable("y")], ..System::default() };
        let instance = Instance::new(Arc::new(system)).expect("an instance");
        let store = Store::at(2, &[]);
        let session = model::Session::unlimited();
        let limits = Limits::new(&session);
        let mut generator = SplitMix(5);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..400 {
            let expr = random(&mut generator, 3, true);
            let reader = Reader { instance: &instance, store: &store, label: None, limits: &limits };
            let Ok(formula) = reader.truth(&expr, &mut Environment::default()) else { continue };
            for (x, y) in (-3..=3).flat_map(|x| (-3..=3).map(move |y| (x, y))) {
                let by_definition = semantics::state_predicate(&instance, &expr, &State(vec![x, y]));
                let read = formula.holds(&|var: Var| i128::from(if var.0 == 0 { x } else { y }));
                let read = read.expect("small");
                assert_eq!(by_definition, Ok(read), "{expr:?} at {x}, {y}: {formula:?}");
                *(if read { &mut yes } else { &mut no }) += 1;
            }
        }
        assert!(yes > 1000 && no > 1000, "{yes} {no}");
    }
}
