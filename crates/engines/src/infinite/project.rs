//! Elimination of existential quantifiers over integers, as far as it is exact and cheap.
//!
//! A quantifier moves into a disjunction, and a disjunction that mentions the variable is distributed over a
//! conjunction while few parts result. In a conjunction, an equation in which the variable has the coefficient ±1
//! gives its value. Otherwise bounds are combined in pairs [Pug91]: there is an integer between all lower and all upper bounds
//! iff there is one between each lower and each upper bound. A pair in which the variable has the coefficient ±1 once gives
//! an inequality; a pair that is far enough apart always has an integer in between, as a quotient has. Otherwise, or if
//! numbers become too large, there is no result here and the caller asks the solver.

use arith::Var;
use smt::Formula;

/// The greatest number of parts of a disjunction.
const PARTS: usize = 128;

/// A formula without the variable with this number. It is true iff some integer for the variable makes `formula`
/// true.
pub(super) fn exists(formula: &Formula, variable: usize) -> Option<Formula> {
    let var = Var(variable as u32);
    if !formula.vars().contains(&var) {
        return Some(formula.clone());
    }
    match formula {
        Formula::Or(parts) => {
            let parts: Option<Vec<Formula>> = parts.iter().map(|part| exists(part, variable)).collect();
            Some(Formula::or(parts?))
        }
        Formula::And(parts) => {
            let (with, without): (Vec<Formula>, Vec<Formula>) =
                parts.iter().cloned().partition(|part| part.vars().contains(&var));
            let mut cubes: Vec<Vec<Formula>> = vec![Vec::new()];
            for part in with {
                let alternatives = match part {
                    Formula::Or(alternatives) => alternatives,
                    other => vec![other],
                };
                if cubes.len() * alternatives.len() > PARTS {
                    return None;
                }
                cubes = cubes
                    .iter()
                    .flat_map(|cube| {
                        alternatives.iter().map(move |alternative| {
                            let mut cube = cube.clone();
                            match alternative {
                                Formula::And(inner) => cube.extend(inner.iter().cloned()),
                                other => cube.push(other.clone()),
                            }
                            cube
                        })
                    })
                    .collect();
            }
            let mut results = Vec::new();
            for cube in cubes {
                let nested =
                    cube.iter().any(|part| matches!(part, Formula::Or(_)) && part.vars().contains(&var));
                results.push(if nested {
                    exists(&Formula::and(cube), variable)?
                } else {
                    of_cube(&cube, var)?
                });
            }
            Some(Formula::and(without.into_iter().chain([Formula::or(results)])))
        }
        atom => of_cube(std::slice::from_ref(atom), var),
    }
}

/// The same for a conjunction. The variable must not occur inside a disjunction.
fn of_cube(cube: &[Formula], var: Var) -> Option<Formula> {
    let equation = cube.iter().find_map(|part| match part {
        Formula::Zero(term) if term.coefficient(var).abs() == 1 => Some(term),
        _ => None,
    });
    if let Some(term) = equation {
        // c·v + rest = 0 with c = ±1, so v = -c·rest.
        let sign = term.coefficient(var);
        let value = term.without(var).times(-sign).ok()?;
        let with = |v: Var| (v == var).then_some(&value);
        return Formula::try_and(cube.iter().map(|part| part.replaced(&with))).ok();
    }
    let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for part in cube {
        match part {
            Formula::AtMost(term) if term.coefficient(var) > 0 => upper.push(term),
            Formula::AtMost(term) if term.coefficient(var) < 0 => lower.push(term),
            Formula::Zero(term) if term.coefficient(var) != 0 => return None,
            Formula::Divides(_, term, _) if term.coefficient(var) != 0 => return None,
            other => rest.push(other.clone()),
        }
    }
    if lower.is_empty() || upper.is_empty() {
        return Some(Formula::and(rest));
    }
    for low in &lower {
        for high in &upper {
            // a·v + s <= 0 and -b·v + t <= 0 give b·s + a·t <= 0, and follow from b·s + a·t <= -(a - 1)·(b - 1).
            let (a, b) = (high.coefficient(var), -low.coefficient(var));
            let apart = high.times(b).and_then(|high| high.plus(a, low)).ok()?;
            if a == 1 || b == 1 {
                rest.push(Formula::at_most(&apart));
                continue;
            }
            let enough = (a - 1).checked_mul(b - 1)?.checked_neg()?;
            match apart.as_constant() {
                Some(apart) if apart <= enough => {}
                Some(constant) if constant > 0 => return Some(Formula::Bool(false)),
                _ => return None,
            }
        }
    }
    Some(Formula::and(rest))
}

#[cfg(test)]
mod tests {
    use arith::Linear;

    use super::*;

    /// Compares with the definition on all values of a small box; the eliminated variable ranges over a larger one.
    #[test]
    fn a_projection_is_true_where_some_value_exists() {
        let mut seed = 5u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let (mut eliminated, mut trues) = (0, 0);
        for _ in 0..400 {
            let mut atom = || {
                let coefficient = |r: u64| i128::from(r) - 1;
                let term = Linear::of(
                    i128::from(random(7)) - 3,
                    [
                        (Var(0), coefficient(random(3))),
                        (Var(1), coefficient(random(3))),
                        (Var(2), i128::from(random(5)) - 2),
                    ],
                )
                .expect("small");
                if random(4) == 0 { Formula::zero(&term) } else { Formula::at_most(&term) }
            };
            let formula = Formula::and([Formula::or([atom(), atom()]), atom(), atom()]);
            let Some(result) = exists(&formula, 2) else { continue };
            assert!(!result.vars().contains(&Var(2)));
            eliminated += 1;
            for (x, y) in (-3..=3).flat_map(|x| (-3..=3).map(move |y| (x, y))) {
                let at = |z: i128| move |var: Var| [x, y, z][var.0 as usize];
                let expected = (-20..=20).any(|z| formula.holds(&at(z)) == Ok(true));
                assert_eq!(result.holds(&at(0)), Ok(expected), "{formula:?} at {x}, {y}");
                trues += usize::from(expected);
            }
        }
        assert!(eliminated > 200 && trues > 1000, "{eliminated} {trues}");
    }
}
