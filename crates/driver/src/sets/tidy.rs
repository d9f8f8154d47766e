//! Expressions of engines as people write them: `x >= 1`, not `-1 * x + 1 <= 0`.
//!
//! Comparisons of linear terms get positive coefficients and their constant on the right. In a conjunction, bounds of the
//! same term are joined, and a disjunction loses the cases that the bounds rule out. The meaning never changes.

use model::Expr;
use model::expr::Operator;

/// Coefficients with what they are of.
type Terms = Vec<(i64, Expr)>;

/// A linear term: its parts, and a constant.
type Linear = (Terms, i64);

/// An expression as a linear term. `None` if it is not linear, or a number is large.
fn linear(expr: &Expr) -> Option<Linear> {
    match expr {
        Expr::Int(value) => Some((Vec::new(), *value)),
        Expr::Read(_) => Some((vec![(1, expr.clone())], 0)),
        Expr::Neg(a) => scaled(-1, linear(a)?),
        Expr::Binary(Operator::Mul, a, b) => match (&**a, &**b) {
            (Expr::Int(factor), other) | (other, Expr::Int(factor)) => scaled(*factor, linear(other)?),
            _ => None,
        },
        Expr::Binary(Operator::Sub, a, b) => added(linear(a)?, scaled(-1, linear(b)?)?),
        Expr::Sum(parts) => parts.iter().try_fold((Vec::new(), 0), |sum, part| added(sum, linear(part)?)),
        _ => None,
    }
}

fn scaled(factor: i64, (terms, constant): Linear) -> Option<Linear> {
    let scale = |(own, of): (i64, Expr)| Some((own.checked_mul(factor)?, of));
    Some((terms.into_iter().map(scale).collect::<Option<_>>()?, constant.checked_mul(factor)?))
}

fn added((mut terms, constant): Linear, (others, more): Linear) -> Option<Linear> {
    for (factor, of) in others {
        match terms.iter_mut().find(|(_, known)| *known == of) {
            Some((own, _)) => *own = own.checked_add(factor)?,
            None => terms.push((factor, of)),
        }
    }
    Some((terms, constant.checked_add(more)?))
}

/// A sum of terms with positive coefficients and a constant.
fn sum(terms: &[(i64, Expr)], constant: i64) -> Expr {
    let term = |(factor, of): &(i64, Expr)| match factor {
        1 => of.clone(),
        _ => Expr::binary(Operator::Mul, Expr::Int(*factor), of.clone()),
    };
    let mut parts: Vec<Expr> = terms.iter().map(term).collect();
    if constant > 0 && !parts.is_empty() {
        parts.push(Expr::Int(constant));
    }
    let whole = match parts.len() {
        0 => return Expr::Int(constant),
        1 => parts.remove(0),
        _ => Expr::Sum(parts),
    };
    if constant < 0 { Expr::binary(Operator::Sub, whole, Expr::Int(-constant)) } else { whole }
}

/// An expression in which no coefficient of a comparison is negative: `x >= 1`, not `-1 * x + 1 <= 0`.
pub(crate) fn tidied(expr: &Expr) -> Expr {
    let sides = |a: &Expr, b: &Expr| -> Option<(Terms, Terms, i64)> {
        let (terms, constant) = added(linear(a)?, scaled(-1, linear(b)?)?)?;
        let terms = terms.into_iter().filter(|(factor, _)| *factor != 0);
        let (left, right): (Vec<_>, Vec<_>) = terms.partition(|(factor, _)| *factor > 0);
        let right = right.into_iter().map(|(factor, of)| Some((factor.checked_neg()?, of)));
        Some((left, right.collect::<Option<_>>()?, constant.checked_neg()?))
    };
    match expr {
        Expr::Binary(operator, a, b) => {
            if operator.opposite().is_none() {
                return linear(expr).map_or_else(|| expr.clone(), |(terms, k)| plain(expr, terms, k));
            }
            match sides(a, b) {
                // `left - right op constant`
                Some((left, right, constant)) if left.is_empty() && !right.is_empty() => {
                    constant.checked_neg().map_or_else(
                        || expr.clone(),
                        |constant| Expr::binary(operator.mirrored(), sum(&right, 0), Expr::Int(constant)),
                    )
                }
                Some((left, right, constant)) => {
                    Expr::binary(*operator, sum(&left, 0), sum(&right, constant))
                }
                None => expr.clone(),
            }
        }
        Expr::Sum(_) | Expr::Neg(_) => {
            linear(expr).map_or_else(|| expr.clone(), |(terms, k)| plain(expr, terms, k))
        }
        Expr::And(parts) => {
            let mut all = Vec::new();
            for part in parts.iter().map(tidied) {
                match part {
                    Expr::And(parts) => all.extend(parts),
                    part => all.push(part),
                }
            }
            joined(narrowed(apart(all)))
        }
        Expr::Or(parts) => {
            let parts = parts.iter().map(tidied).filter(|part| *part != Expr::Bool(false));
            let mut all: Vec<Expr> = Vec::new();
            for part in parts {
                match part {
                    Expr::Bool(true) => return part,
                    Expr::Or(parts) => all.extend(parts),
                    part if !all.contains(&part) => all.push(part),
                    _ => {}
                }
            }
            let mut all = united(all);
            match all.len() {
                0 => Expr::Bool(false),
                1 => all.remove(0),
                _ => Expr::Or(all),
            }
        }
        Expr::Not(a) => opposite(a).map_or_else(|| expr.map(&mut tidied), |opposite| tidied(&opposite)),
        other => other.clone(),
    }
}

/// The negation of an expression, if it can be said without one.
fn opposite(expr: &Expr) -> Option<Expr> {
    use Operator::{Ge, Le};
    let not = |part: &Expr| Expr::Not(Box::new(part.clone()));
    Some(match expr {
        Expr::Bool(value) => Expr::Bool(!value),
        Expr::Not(a) => (**a).clone(),
        Expr::And(parts) => Expr::Or(parts.iter().map(not).collect()),
        Expr::Or(parts) => Expr::And(parts.iter().map(not).collect()),
        Expr::Binary(operator, a, b) => {
            // Of integers only: a comparison of other values stays as it is.
            let (a, b) = (a.clone(), b.clone());
            let one_more = |of: &Expr| Expr::Sum(vec![of.clone(), Expr::Int(1)]);
            let is_number = linear(&a).is_some() && linear(&b).is_some();
            match operator {
                Le if is_number => Expr::binary(Ge, *a, one_more(&b)),
                Ge if is_number => Expr::binary(Le, one_more(&a), *b),
                _ => Expr::Binary(operator.opposite()?, a, b),
            }
        }
        _ => return None,
    })
}

/// What a part says of the value of a term: the least and the greatest.
fn bounds(part: &Expr) -> Option<(&Expr, Option<i64>, Option<i64>)> {
    let Expr::Binary(operator, of, bound) = part else { return None };
    let Expr::Int(bound) = **bound else { return None };
    match operator {
        Operator::Le => Some((of, None, Some(bound))),
        Operator::Lt => Some((of, None, Some(bound.checked_sub(1)?))),
        Operator::Ge => Some((of, Some(bound), None)),
        Operator::Gt => Some((of, Some(bound.checked_add(1)?), None)),
        Operator::Eq => Some((of, Some(bound), Some(bound))),
        _ => None,
    }
}

/// The values that a case allows a term to have, if it says nothing else.
fn interval(case: &Expr) -> Option<(&Expr, i64, i64)> {
    let of = |(of, low, high): (_, Option<i64>, Option<i64>)| {
        Some((of, low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX)))
    };
    match case {
        Expr::And(parts) => {
            let mut all = parts.iter().map(|part| bounds(part).and_then(of));
            let first = all.next()??;
            all.try_fold(first, |(term, low, high), next| {
                let (same, least, most) = next?;
                (term == same).then_some((term, low.max(least), high.min(most)))
            })
        }
        part => bounds(part).and_then(of),
    }
}

/// The condition that a term has a value between two, where the least and the greatest number are no bounds.
fn between(of: &Expr, low: i64, high: i64) -> Expr {
    let compare = |operator, bound| Expr::binary(operator, of.clone(), Expr::Int(bound));
    match (low, high) {
        (i64::MIN, i64::MAX) => Expr::Bool(true),
        (i64::MIN, high) => compare(Operator::Le, high),
        (low, i64::MAX) => compare(Operator::Ge, low),
        (low, high) if low == high => compare(Operator::Eq, low),
        (low, high) => Expr::And(vec![compare(Operator::Ge, low), compare(Operator::Le, high)]),
    }
}

/// Intervals of one term, with neighbours and those that overlap joined.
fn merged(mut intervals: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    intervals.retain(|(low, high)| low <= high);
    intervals.sort_unstable();
    let mut all: Vec<(i64, i64)> = Vec::new();
    for (low, high) in intervals {
        match all.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
            _ => all.push((low, high)),
        }
    }
    all
}

/// The cases of a disjunction, with those about the values of one term joined.
fn united(cases: Vec<Expr>) -> Vec<Expr> {
    let mut terms: Vec<Expr> = Vec::new();
    for (of, ..) in cases.iter().filter_map(interval) {
        if !terms.contains(of) {
            terms.push(of.clone());
        }
    }
    let (known, mut all): (Vec<Expr>, Vec<Expr>) =
        cases.into_iter().partition(|case| interval(case).is_some());
    let mut joined = Vec::new();
    for term in &terms {
        let own = known.iter().filter_map(interval).filter(|(of, ..)| *of == term);
        let own = merged(own.map(|(_, low, high)| (low, high)).collect());
        joined.extend(own.into_iter().map(|(low, high)| between(term, low, high)));
    }
    if joined.contains(&Expr::Bool(true)) {
        return vec![Expr::Bool(true)];
    }
    joined.append(&mut all);
    joined
}

/// The parts of a conjunction, with the values that one term must not have joined: `x <= 0 || x >= 4`, not `x != 1 && x != 2
/// && x != 3`.
fn apart(parts: Vec<Expr>) -> Vec<Expr> {
    let excluded = |part: &Expr| match part {
        Expr::Binary(Operator::Ne, of, value) => match **value {
            Expr::Int(value) if linear(of).is_some() => Some(((**of).clone(), value)),
            _ => None,
        },
        _ => None,
    };
    let mut all = Vec::new();
    let mut terms: Vec<(Expr, Vec<(i64, i64)>)> = Vec::new();
    for part in parts {
        match excluded(&part) {
            Some((of, value)) => match terms.iter_mut().find(|(known, _)| *known == of) {
                Some((_, values)) => values.push((value, value)),
                None => terms.push((of, vec![(value, value)])),
            },
            None => all.push(part),
        }
    }
    for (of, values) in terms {
        for (low, high) in merged(values) {
            all.push(match (low.checked_sub(1), high.checked_add(1)) {
                (Some(below), Some(above)) if low < high => {
                    Expr::Or(vec![between(&of, i64::MIN, below), between(&of, above, i64::MAX)])
                }
                _ => Expr::binary(Operator::Ne, of.clone(), Expr::Int(low)),
            });
        }
    }
    all
}

/// Whether a part is true, or false, where the others are.
fn decided(part: &Expr, others: &[&Expr]) -> Option<bool> {
    if let Expr::And(parts) = part {
        let known: Vec<Option<bool>> = parts.iter().map(|part| decided(part, others)).collect();
        let is_false = known.contains(&Some(false));
        let is_true = known.iter().all(|value| *value == Some(true));
        return if is_false { Some(false) } else { is_true.then_some(true) };
    }
    let (of, least, greatest) = bounds(part)?;
    let same = || others.iter().filter_map(|other| bounds(other)).filter(|(other, ..)| *other == of);
    let low = same().filter_map(|(_, low, _)| low).max();
    let high = same().filter_map(|(.., high)| high).min();
    let beyond = |low: Option<i64>, high: Option<i64>| low.zip(high).is_some_and(|(low, high)| low > high);
    if beyond(low, greatest) || beyond(least, high) {
        return Some(false);
    }
    let above = least.is_none_or(|least| low.is_some_and(|low| low >= least));
    let below = greatest.is_none_or(|greatest| high.is_some_and(|high| high <= greatest));
    (above && below).then_some(true)
}

/// The parts of a conjunction without the cases of disjunctions that the other parts rule out.
fn narrowed(mut parts: Vec<Expr>) -> Vec<Expr> {
    loop {
        let known: Vec<Expr> = parts.iter().filter(|part| bounds(part).is_some()).cloned().collect();
        let known: Vec<&Expr> = known.iter().collect();
        let mut changed = false;
        let mut all = Vec::new();
        for part in parts {
            let Expr::Or(cases) = part else {
                all.push(part);
                continue;
            };
            let before = cases.len();
            if cases.iter().any(|case| decided(case, &known) == Some(true)) {
                changed = true;
                continue;
            }
            let mut cases: Vec<Expr> =
                cases.into_iter().filter(|case| decided(case, &known) != Some(false)).collect();
            changed |= cases.len() < before;
            match cases.len() {
                0 => return vec![Expr::Bool(false)],
                1 => match cases.remove(0) {
                    Expr::And(parts) => all.extend(parts),
                    case => all.push(case),
                },
                _ => all.push(Expr::Or(cases)),
            }
        }
        parts = all;
        if !changed {
            return parts;
        }
    }
}

/// The conjunction, with `x == 1` for `x <= 1 && x >= 1`, and nothing that another part implies.
fn joined(mut parts: Vec<Expr>) -> Expr {
    use Operator::{Eq, Ge, Le};
    parts.retain(|part| *part != Expr::Bool(true));
    if parts.contains(&Expr::Bool(false)) {
        return Expr::Bool(false);
    }
    let implied = |part: &Expr, number: usize| {
        let Expr::Binary(operator @ (Le | Ge), a, b) = part else { return false };
        let Expr::Int(bound) = **b else { return false };
        parts.iter().enumerate().any(|(other, stronger)| match stronger {
            Expr::Binary(same, of, tighter) if same == operator && of == a => match **tighter {
                Expr::Int(tighter) if *operator == Le => (tighter, other) < (bound, number),
                Expr::Int(tighter) => (tighter > bound) || tighter == bound && other < number,
                _ => false,
            },
            _ => false,
        })
    };
    let needed = parts.iter().enumerate().filter(|(number, part)| !implied(part, *number));
    let mut all: Vec<Expr> = Vec::new();
    for part in needed.map(|(_, part)| part.clone()) {
        let (equal, other) = match &part {
            Expr::Binary(Le, a, b) => {
                (Expr::Binary(Eq, a.clone(), b.clone()), Expr::Binary(Ge, a.clone(), b.clone()))
            }
            Expr::Binary(Ge, a, b) => {
                (Expr::Binary(Eq, a.clone(), b.clone()), Expr::Binary(Le, a.clone(), b.clone()))
            }
            _ => (part.clone(), part.clone()),
        };
        match all.iter().position(|known| *known == other) {
            Some(place) => all[place] = equal,
            None if !all.contains(&part) => all.push(part),
            None => {}
        }
    }
    match all.len() {
        0 => Expr::Bool(true),
        1 => all.remove(0),
        _ => Expr::And(all),
    }
}

/// A term with positive coefficients first; as it was if a number is large.
fn plain(expr: &Expr, terms: Terms, constant: i64) -> Expr {
    let terms = terms.into_iter().filter(|(factor, _)| *factor != 0);
    let (positive, negative): (Vec<_>, Vec<_>) = terms.partition(|(factor, _)| *factor > 0);
    let negated = negative.into_iter().map(|(factor, of)| Some((factor.checked_neg()?, of)));
    let Some(mut negated) = negated.collect::<Option<Vec<_>>>() else { return expr.clone() };
    let mut first = sum(&positive, constant);
    let mut rest = 0;
    if positive.is_empty() && constant <= 0 && !negated.is_empty() {
        first = Expr::Neg(Box::new(sum(&[negated.remove(0)], 0)));
        rest = constant;
    }
    let whole = negated
        .iter()
        .fold(first, |whole, term| Expr::binary(Operator::Sub, whole, sum(std::slice::from_ref(term), 0)));
    match rest.checked_neg() {
        Some(0) => whole,
        Some(less) => Expr::binary(Operator::Sub, whole, Expr::Int(less)),
        None => expr.clone(),
    }
}

#[cfg(test)]
mod tests {
    use model::splitmix::SplitMix;
    use model::{Place, VariableId, show};

    use super::*;

    /// A random linear term over two variables.
    fn term(random: &mut SplitMix) -> Expr {
        let read = |variable| {
            Expr::Read(Place { variable: VariableId(variable), process: None, position: Vec::new() })
        };
        let part = |random: &mut SplitMix| match random.below(4) {
            0 => Expr::Int(random.below(9) as i64 - 4),
            1 => Expr::Neg(Box::new(read(random.below(2) as u32))),
            2 => Expr::binary(
                Operator::Mul,
                Expr::Int(random.below(7) as i64 - 3),
                read(random.below(2) as u32),
            ),
            _ => read(random.below(2) as u32),
        };
        Expr::Sum((0..=random.below(4)).map(|_| part(random)).collect())
    }

    #[test]
    fn a_tidied_expression_means_the_same() {
        let text = "shared x, y: -9..9; process P { s: skip; }";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let instance = model.subject.instance().expect("an instance");
        let mut random = SplitMix(5);
        let operators = [Operator::Le, Operator::Lt, Operator::Ge, Operator::Gt, Operator::Eq, Operator::Ne];
        for _ in 0..500 {
            let (a, b) = (term(&mut random), term(&mut random));
            let operator = operators[random.below(6) as usize];
            let expr = Expr::binary(operator, a.clone(), b.clone());
            for (x, y) in (-4..=4).flat_map(|x| (-4..=4).map(move |y| (x, y))) {
                let mut state =
                    model::initial::initial_states(instance).next().expect("a state").expect("no fault");
                (state.0[0], state.0[1]) = (x, y);
                let mirrored = |operator| match operator {
                    Operator::Le => Operator::Ge,
                    other => other,
                };
                let both =
                    Expr::And(vec![expr.clone(), Expr::binary(mirrored(operator), a.clone(), b.clone())]);
                let other = Expr::binary(operators[((x + 4) % 6) as usize], b.clone(), Expr::Int(y));
                let cases = Expr::Or(vec![Expr::Not(Box::new(both.clone())), other.clone()]);
                let narrow =
                    Expr::And(vec![cases.clone(), other, Expr::Or(vec![expr.clone(), both.clone()])]);
                for expr in [&expr, &a, &both, &cases, &narrow, &Expr::Not(Box::new(narrow.clone()))] {
                    let value = |expr: &Expr| {
                        let mut environment = model::instance::Environment::default();
                        model::semantics::evaluate(instance, expr, &state, &mut environment)
                            .expect("no fault")
                    };
                    let tidy = tidied(expr);
                    assert_eq!(value(expr), value(&tidy), "{}", show::expression(&instance.system, &tidy));
                }
            }
        }
        let x = || Expr::Read(Place { variable: VariableId(0), process: None, position: Vec::new() });
        let shown = |expr: Expr| show::expression(&instance.system, &tidied(&expr));
        let minus = Expr::binary(Operator::Mul, Expr::Int(-1), x());
        let at_least = Expr::binary(Operator::Le, Expr::Sum(vec![minus, Expr::Int(1)]), Expr::Int(0));
        let at_most = Expr::binary(Operator::Le, x(), Expr::Int(1));
        assert_eq!(shown(Expr::And(vec![at_most, at_least.clone()])), "x == 1");
        assert_eq!(shown(at_least), "x >= 1");
        assert_eq!(shown(Expr::Sum(vec![x(), Expr::Int(-1)])), "x - 1");
        let minus = || Expr::binary(Operator::Mul, Expr::Int(-1), x());
        assert_eq!(shown(Expr::Sum(vec![minus(), Expr::Int(7)])), "7 - x");
        assert_eq!(shown(Expr::Sum(vec![minus(), Expr::Int(-7)])), "-x - 7");
        let least = |value| Expr::binary(Operator::Ge, x(), Expr::Int(value));
        let most = |value| Expr::binary(Operator::Le, x(), Expr::Int(value));
        let cases = |a, b| Expr::Or(vec![a, b]);
        assert_eq!(
            shown(Expr::And(vec![cases(most(2), least(4)), cases(most(1), least(3)), least(3)])),
            "x >= 4"
        );
        assert_eq!(shown(Expr::Not(Box::new(cases(most(2), least(4))))), "x == 3");
        let is = |value| Expr::eq(x(), Expr::Int(value));
        assert_eq!(shown(Expr::Or(vec![is(3), is(1), is(2), is(7)])), "x >= 1 && x <= 3 || x == 7");
        assert_eq!(shown(Expr::Or(vec![most(-1), most(3), is(2), least(5)])), "x <= 3 || x >= 5");
        assert_eq!(shown(Expr::Not(Box::new(Expr::Or(vec![is(3), is(1), is(2)])))), "x <= 0 || x >= 4");
    }
}
