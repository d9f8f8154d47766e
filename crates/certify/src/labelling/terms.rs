//! Expressions of the model as terms and formulas of linear arithmetic, over symbolic states.
//!
//! A [`Store`] says what each cell holds, as a linear term; reading a cell is looking it up. The value of an expression
//! is a list of cases, conditions that exclude each other and cover everything, each with a term: `if`, `min`, truth
//! values used as numbers and remainders make cases. What is not linear, and what could be a fault (a division, an index
//! that depends on the state), is [`Unread::Beyond`] the judge, who then leaves the answer as claimed.
//!
//! This is the judge's own reading, next to that of [`model::semantics`]; a test holds the two together. It shares
//! nothing with the engine's.

use arith::{Linear, Overflow, Var};
use model::expr::{Operator, Pattern, Place, Quantifier};
use model::instance::Environment;
use model::{ActionId, Binder, Expr, Index, Instance, Label, StopReason, semantics};
use smt::Formula;

use crate::limits::Limits;

/// Why an expression was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The judge cannot express this.
    Beyond(&'static str),
    /// A limit was reached.
    Stopped(StopReason),
}

pub(crate) use Unread::Beyond;

impl From<Overflow> for Unread {
    fn from(_: Overflow) -> Unread {
        Beyond("a number that is too large")
    }
}

impl From<StopReason> for Unread {
    fn from(stop: StopReason) -> Unread {
        Unread::Stopped(stop)
    }
}

/// What every cell, and every chosen index, holds; in a product also the state of the automaton, which is 0 elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) cells: Vec<Linear>,
    pub(crate) chosen: Vec<(Index, Linear)>,
    pub(crate) state: usize,
}

/// How many cases a value may have.
const CASES: usize = 256;

/// The greatest divisor of a remainder.
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

/// Reads expressions in a store; event atoms speak of the step `label` that leaves it.
pub(crate) struct Reader<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) store: &'a Store,
    pub(crate) label: Option<Label>,
    pub(crate) limits: &'a Limits<'a>,
}

impl Reader<'_> {
    /// The truth of an expression.
    pub(crate) fn truth(&self, expr: &Expr, environment: &mut Environment) -> Result<Formula, Unread> {
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
                let label = self.label.ok_or(Beyond("`taken` in a condition on states"))?;
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
                    Ok::<_, Unread>(Formula::and([when.clone(), Formula::ne(term, &zero)?]))
                };
                Formula::try_or(cases.iter().map(part))?
            }
        })
    }

    /// When an action is enabled.
    pub(crate) fn guard(&self, action: ActionId) -> Result<Formula, Unread> {
        let action = self.instance.action(action);
        self.truth(&self.instance.system.actions[action.action].guard, &mut action.environment.clone())
    }

    /// The value of an expression, case by case.
    pub(crate) fn value(
        &self,
        expr: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, Linear)>, Unread> {
        let always = |term: Linear| vec![(Formula::Bool(true), term)];
        Ok(match expr {
            Expr::Int(number) => always(Linear::constant(i128::from(*number))),
            Expr::Index(index) => {
                let chosen = self.store.chosen.iter().rev().find(|(chosen, _)| chosen == index);
                if let Some((_, term)) = chosen {
                    always(term.clone())
                } else {
                    let value = environment.get(*index).ok_or(Beyond("an index without a value"))?;
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
                    _ => Err(Beyond("a product of variables")),
                })?
            }
            Expr::Binary(Operator::Mod, a, b) => self.remainder(a, b, environment)?,
            Expr::Binary(Operator::Div, ..) => return Err(Beyond("a division")),
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
            Expr::Parameter(_) => return Err(Beyond("an open parameter")),
            _ => {
                let truth = self.truth(expr, environment)?;
                let mut cases = under(&truth, always(Linear::constant(1)));
                cases.extend(under(&truth.negated(), always(Linear::default())));
                cases
            }
        })
    }

    /// The cell of a place whose process and position do not depend on the state.
    pub(crate) fn cell(&self, place: &Place, environment: &mut Environment) -> Result<usize, Unread> {
        const WHERE: Unread = Beyond("an index that depends on the state, or lies outside");
        let mut constant = |expr: &Expr| -> Result<i64, Unread> {
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

    fn truths(&self, parts: &[Expr], environment: &mut Environment) -> Result<Vec<Formula>, Unread> {
        parts.iter().map(|part| self.truth(part, environment)).collect()
    }

    fn mapped(
        &self,
        expr: &Expr,
        environment: &mut Environment,
        f: impl Fn(&Linear) -> Linear,
    ) -> Result<Vec<(Formula, Linear)>, Unread> {
        let cases = self.value(expr, environment)?;
        Ok(cases.into_iter().map(|(when, term)| (when, f(&term))).collect())
    }

    /// `a % b` for a small constant `b`: one case per remainder.
    fn remainder(
        &self,
        a: &Expr,
        b: &Expr,
        environment: &mut Environment,
    ) -> Result<Vec<(Formula, Linear)>, Unread> {
        let divisor = match self.value(b, environment)?.as_slice() {
            [(Formula::Bool(true), term)] => term.as_constant(),
            _ => None,
        };
        let size = divisor.map(i128::abs).filter(|size| (1..=DIVISOR).contains(size));
        let size = size.ok_or(Beyond("a remainder that is not by a small number"))?;
        let mut cases = Vec::new();
        for (when, term) in self.value(a, environment)? {
            for rest in 0..size {
                let fits = Formula::divides(size, &term.shifted(-rest)?);
                push(&mut cases, Formula::and([when.clone(), fits]), Linear::constant(rest))?;
            }
        }
        Ok(cases)
    }

    /// The actions a pattern matches, which does not depend on the state.
    fn matching(&self, pattern: &Pattern, environment: &Environment) -> Result<Vec<ActionId>, Unread> {
        let children = Expr::Taken(pattern.clone());
        if children.any(&mut |part| matches!(part, Expr::Read(_))) {
            return Err(Beyond("an action that depends on the state"));
        }
        self.instance.matching(pattern, environment).map_err(|_| Beyond("an action that does not exist"))
    }
}

/// Something for each value of a binder.
fn over<T>(
    binder: &Binder,
    environment: &mut Environment,
    mut each: impl FnMut(&mut Environment) -> Result<T, Unread>,
) -> Result<Vec<T>, Unread> {
    let ends = semantics::rigid(&binder.span.lo, environment)
        .and_then(|lo| Ok((lo, semantics::rigid(&binder.span.hi, environment)?)));
    let (lo, hi) = ends.map_err(|_| Beyond("a range that has no value"))?;
    if hi >= lo && hi.abs_diff(lo) > CASES as u64 {
        return Err(Beyond("a long range"));
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

fn push(cases: &mut Vec<(Formula, Linear)>, when: Formula, term: Linear) -> Result<(), Unread> {
    if when != Formula::Bool(false) {
        cases.push((when, term));
    }
    if cases.len() > CASES { Err(Beyond("a value with very many cases")) } else { Ok(()) }
}

fn under(condition: &Formula, cases: Vec<(Formula, Linear)>) -> Vec<(Formula, Linear)> {
    let narrowed = cases.into_iter().map(|(when, term)| (Formula::and([condition.clone(), when]), term));
    narrowed.filter(|(when, _)| *when != Formula::Bool(false)).collect()
}

fn paired(
    a: &[(Formula, Linear)],
    b: &[(Formula, Linear)],
    f: impl Fn(&Linear, &Linear) -> Result<Linear, Unread>,
) -> Result<Vec<(Formula, Linear)>, Unread> {
    let mut cases = Vec::new();
    for (first, a) in a {
        for (second, b) in b {
            push(&mut cases, Formula::and([first.clone(), second.clone()]), f(a, b)?)?;
        }
    }
    Ok(cases)
}

/// The least or the greatest of several values; there must be one.
fn extreme(least: bool, values: Vec<Vec<(Formula, Linear)>>) -> Result<Vec<(Formula, Linear)>, Unread> {
    let mut values = values.into_iter();
    let mut best = values.next().ok_or(Beyond("`min` or `max` over no values"))?;
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
