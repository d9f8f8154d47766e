//! Quantifier-free formulas of linear integer arithmetic.
//!
//! Negations are pushed to the atoms when a formula is made, where all but those of a divisibility vanish: over the
//! integers `!(t <= 0)` is `1 - t <= 0`, and `!(t = 0)` is a disjunction. Inequalities are divided by the common
//! divisor of their coefficients. Conjunctions and disjunctions are flat, without repetition and without constants.
//! There is no further simplification, which is a solver's work.

use std::collections::BTreeSet;

use arith::{Linear, Overflow, Var};

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// A truth value.
    Bool(bool),
    /// `t <= 0`.
    AtMost(Linear),
    /// `t = 0`.
    Zero(Linear),
    /// The number, at least 2, divides `t` if the last field is true, and does not if it is false.
    Divides(i128, Linear, bool),
    /// Conjunction of at least two.
    And(Vec<Formula>),
    /// Disjunction of at least two.
    Or(Vec<Formula>),
}

impl Formula {
    /// `t <= 0`.
    pub fn at_most(term: &Linear) -> Formula {
        match term.as_constant() {
            Some(value) => Formula::Bool(value <= 0),
            None => Formula::AtMost(term.tightened()),
        }
    }

    /// `a <= b`.
    pub fn le(a: &Linear, b: &Linear) -> Result<Formula, Overflow> {
        Ok(Formula::at_most(&a.plus(-1, b)?))
    }

    /// `a < b`.
    pub fn lt(a: &Linear, b: &Linear) -> Result<Formula, Overflow> {
        Ok(Formula::at_most(&a.plus(-1, b)?.successor()))
    }

    /// `t = 0`.
    pub fn zero(term: &Linear) -> Formula {
        match term.as_constant() {
            Some(value) => Formula::Bool(value == 0),
            None => term.primitive().map_or(Formula::Bool(false), Formula::Zero),
        }
    }

    /// `a = b`.
    pub fn eq(a: &Linear, b: &Linear) -> Result<Formula, Overflow> {
        Ok(Formula::zero(&a.plus(-1, b)?))
    }

    /// `a != b`.
    pub fn ne(a: &Linear, b: &Linear) -> Result<Formula, Overflow> {
        Ok(Formula::eq(a, b)?.negated())
    }

    /// `number | t`.
    pub fn divides(number: i128, term: &Linear) -> Formula {
        let number = number.abs();
        match (number, term.as_constant()) {
            (0, _) => Formula::zero(term),
            (1, _) => Formula::Bool(true),
            (_, Some(value)) => Formula::Bool(value % number == 0),
            _ => Formula::Divides(number, term.clone(), true),
        }
    }

    /// The conjunction.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::join(parts, true)
    }

    /// The disjunction.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::join(parts, false)
    }

    /// The conjunction of parts that can be computed, or why one of them cannot.
    pub fn try_and<E>(parts: impl IntoIterator<Item = Result<Formula, E>>) -> Result<Formula, E> {
        Formula::try_join(parts, true)
    }

    /// The disjunction of parts that can be computed, or why one of them cannot.
    pub fn try_or<E>(parts: impl IntoIterator<Item = Result<Formula, E>>) -> Result<Formula, E> {
        Formula::try_join(parts, false)
    }

    /// Stops at the first error; what comes behind it, or behind a part that decides, is not computed.
    fn try_join<E>(parts: impl IntoIterator<Item = Result<Formula, E>>, neutral: bool) -> Result<Formula, E> {
        let mut error = None;
        let known = parts.into_iter().map_while(|part| part.map_err(|e| error = Some(e)).ok());
        let joined = Formula::join(known, neutral);
        error.map_or(Ok(joined), Err)
    }

    /// Conjunction or disjunction; `neutral` tells which.
    fn join(parts: impl IntoIterator<Item = Formula>, neutral: bool) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut add = |part: Formula| {
            if seen.insert(part.clone()) {
                flat.push(part);
            }
        };
        for part in parts {
            match part {
                Formula::Bool(value) if value == neutral => {}
                Formula::Bool(value) => return Formula::Bool(value),
                Formula::And(inner) if neutral => inner.into_iter().for_each(&mut add),
                Formula::Or(inner) if !neutral => inner.into_iter().for_each(&mut add),
                other => add(other),
            }
        }
        match flat.len() {
            0 => Formula::Bool(neutral),
            1 => flat.remove(0),
            _ if neutral => Formula::And(flat),
            _ => Formula::Or(flat),
        }
    }

    /// The negation.
    #[must_use]
    pub fn negated(&self) -> Formula {
        match self {
            Formula::Bool(value) => Formula::Bool(!value),
            Formula::AtMost(term) => Formula::at_most(&term.opposite().successor()),
            Formula::Zero(term) => Formula::or([
                Formula::at_most(&term.successor()),
                Formula::at_most(&term.opposite().successor()),
            ]),
            Formula::Divides(number, term, truth) => Formula::Divides(*number, term.clone(), !truth),
            Formula::And(parts) => Formula::or(parts.iter().map(Formula::negated)),
            Formula::Or(parts) => Formula::and(parts.iter().map(Formula::negated)),
        }
    }

    /// `self -> other`.
    #[must_use]
    pub fn implies(&self, other: &Formula) -> Formula {
        Formula::or([self.negated(), other.clone()])
    }

    /// The formula with variables replaced; those for which there is no replacement stay.
    pub fn replaced<'l>(&self, by: &dyn Fn(Var) -> Option<&'l Linear>) -> Result<Formula, Overflow> {
        Ok(match self {
            Formula::Bool(value) => Formula::Bool(*value),
            Formula::AtMost(term) => Formula::at_most(&term.replaced(by)?),
            Formula::Zero(term) => Formula::zero(&term.replaced(by)?),
            Formula::Divides(number, term, truth) => {
                let formula = Formula::divides(*number, &term.replaced(by)?);
                if *truth { formula } else { formula.negated() }
            }
            Formula::And(parts) => Formula::try_and(parts.iter().map(|part| part.replaced(by)))?,
            Formula::Or(parts) => Formula::try_or(parts.iter().map(|part| part.replaced(by)))?,
        })
    }

    /// Whether it is true under a valuation.
    pub fn holds(&self, of: &dyn Fn(Var) -> i128) -> Result<bool, Overflow> {
        Ok(match self {
            Formula::Bool(value) => *value,
            Formula::AtMost(term) => term.value(of)? <= 0,
            Formula::Zero(term) => term.value(of)? == 0,
            Formula::Divides(number, term, truth) => (term.value(of)? % number == 0) == *truth,
            Formula::And(parts) | Formula::Or(parts) => {
                let conjunction = matches!(self, Formula::And(_));
                for part in parts {
                    if part.holds(of)? != conjunction {
                        return Ok(!conjunction);
                    }
                }
                conjunction
            }
        })
    }

    /// Adds the variables that occur.
    pub fn collect_vars(&self, vars: &mut BTreeSet<Var>) {
        match self {
            Formula::Bool(_) => {}
            Formula::AtMost(term) | Formula::Zero(term) | Formula::Divides(_, term, _) => {
                vars.extend(term.terms().iter().map(|(var, _)| *var));
            }
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.collect_vars(vars)),
        }
    }

    /// The variables that occur, in increasing order.
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut vars = BTreeSet::new();
        self.collect_vars(&mut vars);
        vars
    }

    /// Adds the atoms that occur, as they stand.
    pub fn collect_atoms(&self, atoms: &mut BTreeSet<Formula>) {
        match self {
            Formula::Bool(_) => {}
            Formula::AtMost(_) | Formula::Zero(_) | Formula::Divides(..) => {
                atoms.insert(self.clone());
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.collect_atoms(atoms));
            }
        }
    }

    /// A conjunction of atoms that implies the formula and is true under a valuation under which the formula is.
    pub fn implicant(&self, of: &dyn Fn(Var) -> i128) -> Result<Vec<Formula>, Overflow> {
        let mut atoms = Vec::new();
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            match formula {
                Formula::And(parts) => pending.extend(parts.iter().rev()),
                Formula::Or(parts) => {
                    for part in parts {
                        if part.holds(of)? {
                            pending.push(part);
                            break;
                        }
                    }
                }
                Formula::Bool(_) => {}
                atom => atoms.push(atom.clone()),
            }
        }
        Ok(atoms)
    }

    /// The number of atoms, counted as often as they occur.
    pub fn size(&self) -> usize {
        match self {
            Formula::Bool(_) => 0,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(Formula::size).sum(),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All formulas of a small kind are true where their negation is false.
    #[test]
    fn a_negation_is_true_where_the_formula_is_false() -> Result<(), Overflow> {
        let (x, y) = (Linear::var(Var(0)), Linear::var(Var(1)));
        let atoms = [
            Formula::le(&x.times(2)?, &y.shifted(3)?)?,
            Formula::eq(&x.times(2)?, &y.times(2)?)?,
            Formula::eq(&x.times(2)?, &y.times(4)?.shifted(1)?)?,
            Formula::divides(3, &x.plus(1, &y)?),
            Formula::lt(&y, &x)?,
        ];
        let pairs = atoms.iter().flat_map(|a| atoms.iter().map(move |b| (a.clone(), b.clone())));
        for formula in pairs.flat_map(|(a, b)| [Formula::and([a.clone(), b.clone()]), a.implies(&b)]) {
            for (i, j) in (-4..=4).flat_map(|i| (-4..=4).map(move |j| (i, j))) {
                let of = |var: Var| if var == Var(0) { i } else { j };
                assert_ne!(formula.holds(&of)?, formula.negated().holds(&of)?, "{formula:?} at {i}, {j}");
                if formula.holds(&of)? {
                    let implicant = Formula::and(formula.implicant(&of)?);
                    assert!(implicant.holds(&of)?, "{implicant:?} of {formula:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn an_overflow_in_a_part_is_an_error_unless_the_rest_decides() {
        let (x, huge) = (Linear::var(Var(0)), Linear::constant(1 << 126));
        let large = || huge.times(2).map(|term| Formula::at_most(&term.plus(1, &x).unwrap_or_default()));
        let positive = || Formula::lt(&Linear::default(), &x);
        assert_eq!(Formula::try_and([positive(), large()]), Err(Overflow));
        assert_eq!(Formula::try_and([Ok(Formula::Bool(false)), large()]), Ok(Formula::Bool(false)));
        assert_eq!(Formula::try_or([positive(), positive()]), positive());
    }
}
