//! Quantifier elimination over the integers: a formula that is true iff the given one is true for some value of an
//! unknown.
//!
//! Conjuncts without the unknown stay. The others are split into cases, which are conjunctions of literals. If a case
//! has an equation, we scale the other literals by its coefficient and substitute its solution; the coefficient must
//! divide the solution. Otherwise we combine every lower bound `l <= a·x` with every upper bound `b·x <= u` into
//! `b·l <= a·u`. This is exact over the rationals, and over the integers if one of the two coefficients is one. If it
//! is not exact, we follow [Coo72]: scale the unknown to coefficient one, record the divisibility this requires, and
//! try the values from each lower bound up to one period away.
//!
//! Programs rarely need more than an equation or unit bounds, so the number of cases decides the cost. `CASES`,
//! `PERIOD` and `SIZE` limit the work; beyond them we give up.

use crate::condition::{Condition, Test};
use crate::linear::{Linear, Var};
use crate::number::{Overflow, lcm, product};

/// Limit on the number of cases.
const CASES: usize = 256;

/// Limit on the period of the divisibility constraints.
const PERIOD: i128 = 64;

/// Limit on the number of summands in a result.
const SIZE: usize = 20_000;

/// Why a variable cannot be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EliminationError {
    /// A number becomes too large.
    TooLarge,
    /// The condition would become too long.
    TooLong,
}

impl From<Overflow> for EliminationError {
    fn from(_: Overflow) -> EliminationError {
        EliminationError::TooLarge
    }
}

/// A condition without `unknown` that is true iff `formula` is true for some integer value of it.
pub fn eliminate(formula: &Condition, unknown: Var) -> Result<Condition, EliminationError> {
    let parts = match formula {
        Condition::And(parts) => parts.clone(),
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
    without.push(Condition::or(alternatives));
    let result = Condition::and(without);
    if result.size() > SIZE { Err(EliminationError::TooLong) } else { Ok(result) }
}

/// A conjunction: formulas without the unknown, literals with it.
#[derive(Clone, Default)]
struct Case {
    rest: Vec<Condition>,
    literals: Vec<(Test, Linear)>,
}

/// The conjunction of `parts` as a disjunction of cases. An inequation becomes two cases.
fn cases(parts: &[Condition], unknown: Var) -> Result<Vec<Case>, EliminationError> {
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
                    return Err(EliminationError::TooLong);
                }
            }
        }
        cases = extended;
    }
    Ok(cases)
}

fn alternatives(part: &Condition, unknown: Var) -> Result<Vec<Case>, EliminationError> {
    let literal = |test: Test, sum: Linear| Case { rest: Vec::new(), literals: vec![(test, sum)] };
    Ok(match part {
        other if !other.mentions(unknown) => {
            vec![Case { rest: vec![other.clone()], literals: Vec::new() }]
        }
        Condition::And(parts) => cases(parts, unknown)?,
        Condition::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part, unknown)?);
                if all.len() > CASES {
                    return Err(EliminationError::TooLong);
                }
            }
            all
        }
        Condition::Literal(Test::NotZero, sum) => {
            vec![literal(Test::AtMost, sum.successor()), literal(Test::AtMost, sum.opposite().successor())]
        }
        Condition::Literal(test, sum) => vec![literal(*test, sum.clone())],
    })
}

/// The condition that a case is true for some value of the unknown.
fn some_value(case: &Case, unknown: Var) -> Result<Condition, EliminationError> {
    let equations = case.literals.iter().filter(|(test, _)| *test == Test::Zero);
    let solved = equations.min_by_key(|(_, sum)| sum.coefficient(unknown).unsigned_abs());
    let mut parts = case.rest.clone();
    if let Some((_, equation)) = solved {
        // a·x + r == 0 means that |a| divides r, and |a|·x is -sgn(a)·r.
        let coefficient = equation.coefficient(unknown);
        let size = coefficient.abs();
        let rest = equation.without(unknown);
        let multiple = rest.times(-coefficient.signum())?;
        parts.push(divides(true, size, rest));
        for (test, sum) in &case.literals {
            let own = sum.coefficient(unknown);
            let scaled = sum.without(unknown).times(size)?.plus(own, &multiple)?;
            let scaled_divisor = |divisor: &i128| product(*divisor, size);
            let test = match test {
                Test::Divisible(divisor) => Test::Divisible(scaled_divisor(divisor)?),
                Test::Indivisible(divisor) => Test::Indivisible(scaled_divisor(divisor)?),
                other => *other,
            };
            parts.push(Condition::literal(test, scaled));
        }
        return Ok(Condition::and(parts));
    }
    let mut bounds = Bounds::default();
    for (test, sum) in &case.literals {
        bounds.add(*test, sum, unknown)?;
    }
    parts.push(if bounds.divisibilities.is_empty() && bounds.are_unit() {
        bounds.combined()?
    } else {
        bounds.values_in_period()?
    });
    Ok(Condition::and(parts))
}

/// The constraints of a case on the unknown `x`.
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
    fn add(&mut self, test: Test, sum: &Linear, unknown: Var) -> Result<(), EliminationError> {
        let coefficient = sum.coefficient(unknown);
        let rest = sum.without(unknown);
        let size = coefficient.abs();
        match test {
            Test::AtMost if coefficient > 0 => self.upper.push((size, rest.opposite())),
            Test::AtMost => self.lower.push((size, rest)),
            Test::Zero => {
                let value = rest.times(-coefficient.signum())?;
                self.lower.push((size, value.clone()));
                self.upper.push((size, value));
            }
            Test::Divisible(divisor) => self.divisibilities.push((true, divisor, coefficient, rest)),
            Test::Indivisible(divisor) => self.divisibilities.push((false, divisor, coefficient, rest)),
            Test::NotZero => return Err(EliminationError::TooLong),
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

    /// Combines every lower bound with every upper bound.
    fn combined(&self) -> Result<Condition, EliminationError> {
        let mut parts = Vec::new();
        for (a, lower) in &self.lower {
            for (b, upper) in &self.upper {
                parts.push(Condition::literal(Test::AtMost, lower.times(*b)?.plus(-a, upper)?));
            }
        }
        Ok(Condition::and(parts))
    }

    /// Tries one period of values from each lower bound, or from 0 if there are no lower or no upper bounds.
    fn values_in_period(&self) -> Result<Condition, EliminationError> {
        let coefficients = self.lower.iter().chain(&self.upper).map(|(a, _)| *a);
        let scale = coefficients.chain(self.divisibilities.iter().map(|(_, _, a, _)| *a)).try_fold(1, lcm)?;
        // From here on the unknown is y = scale·x, and `scale` divides it.
        let mut period = scale;
        for (_, divisor, a, _) in &self.divisibilities {
            period = lcm(period, product(*divisor, scale / a)?)?;
        }
        if period > PERIOD {
            return Err(EliminationError::TooLong);
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
                let y = start.shifted(distance)?;
                let mut parts = vec![divides(true, scale, y.clone())];
                for (positive, divisor, a, rest) in &self.divisibilities {
                    let factor = scale / a;
                    let sum = rest.times(factor.abs())?.plus(factor.signum(), &y)?;
                    let divisor = product(*divisor, factor.abs())?;
                    parts.push(divides(*positive, divisor, sum));
                }
                if both {
                    for (a, lower) in &self.lower {
                        parts.push(Condition::literal(Test::AtMost, lower.times(scale / a)?.plus(-1, &y)?));
                    }
                    for (b, upper) in &self.upper {
                        parts.push(Condition::literal(Test::AtMost, y.plus(-(scale / b), upper)?));
                    }
                }
                alternatives.push(Condition::and(parts));
            }
        }
        Ok(Condition::or(alternatives))
    }
}

fn divides(positive: bool, divisor: i128, sum: Linear) -> Condition {
    match (divisor.abs(), positive) {
        (1, true) => Condition::truth(),
        (1, false) => Condition::falsity(),
        (divisor, true) => Condition::literal(Test::Divisible(divisor), sum),
        (divisor, false) => Condition::literal(Test::Indivisible(divisor), sum),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers: `SplitMix64`.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % bound
        }
    }

    /// The truth of a formula for values of the unknowns, by definition.
    fn holds(formula: &Condition, values: &[i128]) -> bool {
        match formula {
            Condition::And(parts) => parts.iter().all(|part| holds(part, values)),
            Condition::Or(parts) => parts.iter().any(|part| holds(part, values)),
            Condition::Literal(test, sum) => {
                let value = sum.value(&|var| values[var.0 as usize]).expect("small");
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

    fn random(random: &mut Random, depth: u32) -> Condition {
        if depth > 0 && random.below(3) > 0 {
            let parts: Vec<Condition> =
                (0..2 + random.below(2)).map(|_| self::random(random, depth - 1)).collect();
            return if random.below(2) == 0 { Condition::And(parts) } else { Condition::Or(parts) };
        }
        let mut sum = Linear::constant(i128::from(random.below(9)) - 4);
        for unknown in 0..3 {
            let coefficient = i128::from(random.below(7)) - 3;
            sum = sum.plus(coefficient, &Linear::var(Var(unknown))).expect("small");
        }
        let test = match random.below(6) {
            0 => Test::Zero,
            1 => Test::NotZero,
            2 => Test::Divisible(2 + i128::from(random.below(2))),
            3 => Test::Indivisible(2),
            _ => Test::AtMost,
        };
        Condition::literal(test, sum)
    }

    #[test]
    fn what_is_left_is_true_where_some_value_makes_the_formula_true() {
        let seed = 7;
        let mut generator = Random(seed);
        let (mut yes, mut no, mut hard) = (0, 0, 0);
        for round in 0..1500 {
            let formula = random(&mut generator, 2);
            let Ok(left) = eliminate(&formula, Var(2)) else {
                hard += 1;
                continue;
            };
            assert!(!left.mentions(Var(2)), "seed {seed}, round {round}: {formula:?}");
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
        let sum = |a: &[(u32, i128)]| Linear::of(0, a.iter().map(|(var, c)| (Var(*var), *c))).expect("small");
        let formula = Condition::and([
            Condition::literal(Test::AtMost, sum(&[(1, 1), (0, -1)])),
            Condition::literal(Test::AtMost, sum(&[(0, 1), (2, -1)])),
        ]);
        let expected = Condition::literal(Test::AtMost, sum(&[(1, 1), (2, -1)]));
        assert_eq!(eliminate(&formula, Var(0)), Ok(expected));
    }

    #[test]
    fn a_double_is_even() {
        // y == 2·x, without x.
        let sum = Linear::of(0, [(Var(0), -2), (Var(1), 1)]).expect("small");
        let even = eliminate(&Condition::literal(Test::Zero, sum), Var(0)).expect("small");
        for y in -4..=4 {
            assert_eq!(holds(&even, &[0, y]), y % 2 == 0, "{y}: {even:?}");
        }
    }

    #[test]
    fn too_many_cases_are_given_up() {
        let unequal = |n: i128| {
            let sum = Linear::of(n, [(Var(0), 1), (Var(1), n)]).expect("small");
            Condition::literal(Test::NotZero, sum)
        };
        assert_eq!(eliminate(&Condition::and((1..40).map(unequal)), Var(0)), Err(EliminationError::TooLong));
    }
}
