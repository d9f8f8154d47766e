//! Quantifier elimination for the integers: a formula that is true iff the given one is for some value of an unknown.
//!
//! Conjuncts without the unknown stay; the others are split into cases (conjunctions of literals). In a case with
//! an equation that is solved and put into the others, scaled by its coefficient, which must divide it. Otherwise every lower bound `l <= a·x` is combined with every
//! upper bound `b·x <= u`: over the rationals `b·l <= a·u` is exact, and over the integers it is wherever one of the
//! two coefficients is one. Failing that, we follow [Coo72]: scale the unknown to coefficient one, note the
//! divisibility this asks for, and try the values from each lower bound up to a period away.
//!
//! Programs rarely need more than an equation or unit bounds, so the cost is that of the cases; it is bounded by
//! giving up.

use super::{Formula, Hard, Linear, Test, Unknown};

/// How many cases are distinguished.
const CASES: usize = 256;

/// How long the period of the divisibilities may be.
const PERIOD: i128 = 64;

/// How many summands a result may have.
const SIZE: usize = 20_000;

/// A formula without `unknown` that is true iff `formula` is for some integer value of it.
pub(crate) fn eliminate(formula: &Formula, unknown: Unknown) -> Result<Formula, Hard> {
    let parts = match formula {
        Formula::And(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let (with, mut without): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.mentions(unknown));
    if with.is_empty() {
        return Ok(formula.clone());
    }
    let mut alternatives = Vec::new();
    for case in cases(&with, unknown)? {
        alternatives.push(some_value(&case, unknown)?);
    }
    without.push(Formula::or(alternatives));
    let result = Formula::and(without);
    if result.size() > SIZE { Err(Hard::Long) } else { Ok(result) }
}

/// A conjunction: formulas without the unknown, literals with it.
#[derive(Clone, Default)]
struct Case {
    rest: Vec<Formula>,
    literals: Vec<(Test, Linear)>,
}

/// The conjunction of `parts`, as a disjunction of cases. Inequations count as two cases.
fn cases(parts: &[Formula], unknown: Unknown) -> Result<Vec<Case>, Hard> {
    let mut cases = vec![Case::default()];
    for part in parts {
        let mut extended = Vec::new();
        for case in &cases {
            for alternative in alternatives(part, unknown)? {
                let mut case = case.clone();
                case.rest.extend(alternative.rest);
                case.literals.extend(alternative.literals);
                extended.push(case);
                if extended.len() > CASES {
                    return Err(Hard::Long);
                }
            }
        }
        cases = extended;
    }
    Ok(cases)
}

fn alternatives(part: &Formula, unknown: Unknown) -> Result<Vec<Case>, Hard> {
    let literal = |test: Test, sum: Linear| Case { rest: Vec::new(), literals: vec![(test, sum)] };
    Ok(match part {
        other if !other.mentions(unknown) => {
            vec![Case { rest: vec![other.clone()], literals: Vec::new() }]
        }
        Formula::And(parts) => cases(parts, unknown)?,
        Formula::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part, unknown)?);
                if all.len() > CASES {
                    return Err(Hard::Long);
                }
            }
            all
        }
        Formula::Literal(Test::NotZero, sum) => vec![
            literal(Test::AtMost, sum.plus(1, &Linear::constant(1))?),
            literal(Test::AtMost, Linear::constant(1).plus(-1, sum)?),
        ],
        Formula::Literal(test, sum) => vec![literal(*test, sum.clone())],
    })
}

/// That a case is true for some value.
fn some_value(case: &Case, unknown: Unknown) -> Result<Formula, Hard> {
    let equations = case.literals.iter().filter(|(test, _)| *test == Test::Zero);
    let solved = equations.min_by_key(|(_, sum)| sum.coefficient(unknown).unsigned_abs());
    let mut parts = case.rest.clone();
    if let Some((_, equation)) = solved {
        // a·x + r == 0 means that |a| divides r, and |a|·x is -sgn(a)·r.
        let coefficient = equation.coefficient(unknown);
        let size = coefficient.checked_abs().ok_or(Hard::Large)?;
        let rest = equation.with(unknown, &Linear::default())?;
        let multiple = rest.times(-coefficient.signum())?;
        parts.push(divides(true, size, rest));
        for (test, sum) in &case.literals {
            let own = sum.coefficient(unknown);
            let scaled = sum.with(unknown, &Linear::default())?.times(size)?.plus(own, &multiple)?;
            let scaled_divisor = |divisor: &i128| divisor.checked_mul(size).ok_or(Hard::Large);
            let test = match test {
                Test::Divisible(divisor) => Test::Divisible(scaled_divisor(divisor)?),
                Test::Indivisible(divisor) => Test::Indivisible(scaled_divisor(divisor)?),
                other => *other,
            };
            parts.push(Formula::literal(test, scaled));
        }
        return Ok(Formula::and(parts));
    }
    let mut bounds = Bounds::default();
    for (test, sum) in &case.literals {
        bounds.add(*test, sum, unknown)?;
    }
    parts.push(if bounds.divisibilities.is_empty() && bounds.are_unit() {
        bounds.combined()?
    } else {
        bounds.tried()?
    });
    Ok(Formula::and(parts))
}

/// What a case says of the unknown `x`.
#[derive(Default)]
struct Bounds {
    /// `(a, l)`: `l <= a·x`, with `a > 0`.
    lower: Vec<(i128, Linear)>,
    /// `(b, u)`: `b·x <= u`, with `b > 0`.
    upper: Vec<(i128, Linear)>,
    /// `(positive, d, a, r)`: `d` divides `a·x + r`, or does not.
    divisibilities: Vec<(bool, i128, i128, Linear)>,
}

impl Bounds {
    fn add(&mut self, test: Test, sum: &Linear, unknown: Unknown) -> Result<(), Hard> {
        let coefficient = sum.coefficient(unknown);
        let rest = sum.with(unknown, &Linear::default())?;
        let size = coefficient.checked_abs().ok_or(Hard::Large)?;
        match test {
            Test::AtMost if coefficient > 0 => self.upper.push((size, rest.times(-1)?)),
            Test::AtMost => self.lower.push((size, rest)),
            Test::Zero => {
                let value = rest.times(-coefficient.signum())?;
                self.lower.push((size, value.clone()));
                self.upper.push((size, value));
            }
            Test::Divisible(divisor) => self.divisibilities.push((true, divisor, coefficient, rest)),
            Test::Indivisible(divisor) => self.divisibilities.push((false, divisor, coefficient, rest)),
            Test::NotZero => return Err(Hard::Long),
        }
        Ok(())
    }

    /// Whether every pair of bounds has a coefficient of one.
    fn are_unit(&self) -> bool {
        self.lower.iter().all(|(a, _)| *a == 1)
            || self.upper.iter().all(|(b, _)| *b == 1)
            || self.lower.is_empty()
            || self.upper.is_empty()
    }

    /// Every lower bound with every upper bound.
    fn combined(&self) -> Result<Formula, Hard> {
        let mut parts = Vec::new();
        for (a, lower) in &self.lower {
            for (b, upper) in &self.upper {
                parts.push(Formula::literal(Test::AtMost, lower.times(*b)?.plus(-a, upper)?));
            }
        }
        Ok(Formula::and(parts))
    }

    /// The values from each lower bound up to a period away, or from 0 if one side is open.
    fn tried(&self) -> Result<Formula, Hard> {
        let coefficients = self.lower.iter().chain(&self.upper).map(|(a, _)| *a);
        let scale = coefficients
            .chain(self.divisibilities.iter().map(|(_, _, a, _)| *a))
            .try_fold(1, common_multiple)?;
        // From here on the unknown is y = scale·x, and `scale` divides it.
        let mut period = scale;
        for (_, divisor, a, _) in &self.divisibilities {
            period = common_multiple(period, divisor.checked_mul(scale / a).ok_or(Hard::Large)?)?;
        }
        if period > PERIOD {
            return Err(Hard::Long);
        }
        let (both, starts) = if self.lower.is_empty() || self.upper.is_empty() {
            (false, vec![Linear::default()])
        } else {
            let starts =
                self.lower.iter().map(|(a, lower)| lower.times(scale / a)).collect::<Result<_, _>>()?;
            (true, starts)
        };
        let mut alternatives = Vec::new();
        for start in &starts {
            for distance in 0..period {
                let y = start.plus(1, &Linear::constant(distance))?;
                let mut parts = vec![divides(true, scale, y.clone())];
                for (positive, divisor, a, rest) in &self.divisibilities {
                    let factor = scale / a;
                    let sum = rest.times(factor.abs())?.plus(factor.signum(), &y)?;
                    let divisor = divisor.checked_mul(factor.abs()).ok_or(Hard::Large)?;
                    parts.push(divides(*positive, divisor, sum));
                }
                if both {
                    for (a, lower) in &self.lower {
                        parts.push(Formula::literal(Test::AtMost, lower.times(scale / a)?.plus(-1, &y)?));
                    }
                    for (b, upper) in &self.upper {
                        parts.push(Formula::literal(Test::AtMost, y.plus(-(scale / b), upper)?));
                    }
                }
                alternatives.push(Formula::and(parts));
            }
        }
        Ok(Formula::or(alternatives))
    }
}

fn divides(positive: bool, divisor: i128, sum: Linear) -> Formula {
    match (divisor.abs(), positive) {
        (1, true) => Formula::truth(),
        (1, false) => Formula::falsity(),
        (divisor, true) => Formula::literal(Test::Divisible(divisor), sum),
        (divisor, false) => Formula::literal(Test::Indivisible(divisor), sum),
    }
}

/// The least common multiple, not negative.
fn common_multiple(a: i128, b: i128) -> Result<i128, Hard> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x.checked_rem(y).ok_or(Hard::Large)?);
    }
    (a / x).checked_mul(b).and_then(i128::checked_abs).ok_or(Hard::Large)
}

#[cfg(test)]
mod tests {
    use model::splitmix::SplitMix;

    use super::*;

    /// The truth of a formula for values of the unknowns, by definition.
    fn holds(formula: &Formula, values: &[i128]) -> bool {
        match formula {
            Formula::And(parts) => parts.iter().all(|part| holds(part, values)),
            Formula::Or(parts) => parts.iter().any(|part| holds(part, values)),
            Formula::Literal(test, sum) => {
                let terms = sum.coefficients.iter().map(|(unknown, c)| c * values[*unknown as usize]);
                let value = sum.constant + terms.sum::<i128>();
                match test {
                    Test::AtMost => value <= 0,
                    Test::Zero => value == 0,
                    Test::NotZero => value != 0,
                    Test::Divisible(d) => value.rem_euclid(*d) == 0,
                    Test::Indivisible(d) => value.rem_euclid(*d) != 0,
                }
            }
        }
    }

    fn random(random: &mut SplitMix, depth: u32) -> Formula {
        if depth > 0 && random.below(3) > 0 {
            let parts: Vec<Formula> =
                (0..2 + random.below(2)).map(|_| self::random(random, depth - 1)).collect();
            return if random.below(2) == 0 { Formula::And(parts) } else { Formula::Or(parts) };
        }
        let mut sum = Linear::constant(i128::from(random.below(9)) - 4);
        for unknown in 0..3 {
            let coefficient = i128::from(random.below(7)) - 3;
            sum = sum.plus(coefficient, &Linear::unknown(unknown)).expect("small");
        }
        let test = match random.below(6) {
            0 => Test::Zero,
            1 => Test::NotZero,
            2 => Test::Divisible(2 + i128::from(random.below(2))),
            3 => Test::Indivisible(2),
            _ => Test::AtMost,
        };
        Formula::literal(test, sum)
    }

    #[test]
    fn what_is_left_is_true_where_some_value_makes_the_formula_true() {
        let seed = 7;
        let mut generator = SplitMix(seed);
        let (mut yes, mut no, mut hard) = (0, 0, 0);
        for round in 0..1500 {
            let formula = random(&mut generator, 2);
            let Ok(left) = eliminate(&formula, 2) else {
                hard += 1;
                continue;
            };
            assert!(!left.mentions(2), "seed {seed}, round {round}: {formula:?}");
            for x in -3..=3 {
                for y in -3..=3 {
                    // The bounds and periods of these formulas lie within this distance.
                    let expected = (-60..=60).any(|z| holds(&formula, &[x, y, z]));
                    let got = holds(&left, &[x, y]);
                    assert_eq!(
                        got, expected,
                        "seed {seed}, round {round}, {x} {y}: {formula:?} gives {left:?}"
                    );
                    *(if got { &mut yes } else { &mut no }) += 1;
                }
            }
        }
        assert!(yes > 1000 && no > 1000 && hard < 500, "{yes} {no} {hard}");
    }

    #[test]
    fn unit_bounds_give_no_divisibility() {
        // y <= x && x <= z, without x: y <= z.
        let sum = |a: &[(Unknown, i128)]| Linear { coefficients: a.iter().copied().collect(), constant: 0 };
        let formula = Formula::and([
            Formula::literal(Test::AtMost, sum(&[(1, 1), (0, -1)])),
            Formula::literal(Test::AtMost, sum(&[(0, 1), (2, -1)])),
        ]);
        let expected = Formula::literal(Test::AtMost, sum(&[(1, 1), (2, -1)]));
        assert_eq!(eliminate(&formula, 0), Ok(expected));
    }

    #[test]
    fn a_double_is_even() {
        // y == 2·x, without x.
        let sum = Linear { coefficients: [(0, -2), (1, 1)].into_iter().collect(), constant: 0 };
        let even = eliminate(&Formula::literal(Test::Zero, sum), 0).expect("small");
        for y in -4..=4 {
            assert_eq!(holds(&even, &[0, y]), y % 2 == 0, "{y}: {even:?}");
        }
    }

    #[test]
    fn too_many_cases_are_given_up() {
        let unequal = |n: i128| {
            Formula::literal(
                Test::NotZero,
                Linear { coefficients: [(0, 1), (1, n)].into_iter().collect(), constant: n },
            )
        };
        assert_eq!(eliminate(&Formula::and((1..40).map(unequal)), 0), Err(Hard::Long));
    }
}
