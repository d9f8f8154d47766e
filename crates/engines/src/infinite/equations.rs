//! Affine equations between cells that hold in a set of states, from single states of the set [Kar76].
//!
//! The equations of one state give every cell its value. A further state satisfies some of the equations; the others are
//! combined with one of them so that it satisfies them too, and that one is dropped. So the equations are always those
//! of the affine hull of the states so far, and they can change only as often as there are cells. States come from
//! walks and from models of steps, as in symbolic abstraction [RSY04].

use arith::{Linear, Overflow, Var};
use smt::Formula;

/// Terms that are 0 in all states so far; they are linearly independent.
#[derive(Clone, Debug)]
pub(super) struct Equations(Vec<Linear>);

/// Coefficients beyond this are not worth keeping.
const LARGE: i128 = 1 << 40;

impl Equations {
    /// The equations of one state.
    pub(super) fn of(cells: &[Var], value: &dyn Fn(Var) -> i128) -> Equations {
        let equation = |cell: &Var| Linear::var(*cell).shifted(-value(*cell));
        Equations(cells.iter().filter_map(|cell| equation(cell).ok()).collect())
    }

    /// No equations.
    pub(super) fn none() -> Equations {
        Equations(Vec::new())
    }

    /// Keeps what is also true of another state; says whether that is less than before.
    pub(super) fn admit(&mut self, value: &dyn Fn(Var) -> i128) -> bool {
        let changed = self.joined(value);
        changed.unwrap_or_else(|Overflow| {
            self.0.clear();
            true
        })
    }

    fn joined(&mut self, value: &dyn Fn(Var) -> i128) -> Result<bool, Overflow> {
        let values = self.0.iter().map(|term| term.value(value)).collect::<Result<Vec<_>, _>>()?;
        // The simplest equation is the one to be combined with.
        let violated = (0..values.len()).filter(|number| values[*number] != 0);
        let Some(dropped) = violated.min_by_key(|number| self.0[*number].terms().len()) else {
            return Ok(false);
        };
        let (pivot, by) = (self.0.remove(dropped), values[dropped]);
        let others = values.iter().enumerate().filter(|(number, _)| *number != dropped);
        for (term, (_, own)) in self.0.iter_mut().zip(others) {
            if *own != 0 {
                let combined = term.times(by)?.plus(-own, &pivot)?;
                *term = combined.primitive().unwrap_or_default();
            }
        }
        let small = |term: &Linear| {
            !term.terms().is_empty() && term.terms().iter().all(|(_, number)| number.abs() < LARGE)
        };
        self.0.retain(small);
        Ok(true)
    }

    /// The equations.
    pub(super) fn formulas(&self) -> impl Iterator<Item = Formula> {
        self.0.iter().map(Formula::zero)
    }
}

#[cfg(test)]
mod tests {
    use model::splitmix::SplitMix;

    use super::*;

    #[test]
    fn the_equations_of_states_on_a_line_are_those_of_the_line() {
        let cells = [Var(0), Var(1), Var(2)];
        let line = |t: i128| move |var: Var| [3 + 2 * t, 5 - t, 7][var.0 as usize];
        let mut equations = Equations::of(&cells, &line(0));
        assert!(equations.admit(&line(1)));
        for t in -5..5 {
            assert!(!equations.admit(&line(t)), "{t}");
        }
        assert_eq!(equations.formulas().count(), 2);
        assert!(equations.admit(&|_| 0));
        assert_eq!(equations.formulas().count(), 1);
    }

    #[test]
    fn every_state_satisfies_the_equations_and_their_number_is_that_of_the_hull() {
        let cells: Vec<Var> = (0..5).map(Var).collect();
        for seed in 0..200 {
            let mut random = SplitMix(seed);
            let mut draw = || random.below(7) as i128 - 3;
            let states: Vec<Vec<i128>> = (0..4).map(|_| (0..5).map(|_| draw()).collect()).collect();
            let of = |state: &[i128]| {
                let state = state.to_vec();
                move |var: Var| state[var.0 as usize]
            };
            let mut equations = Equations::of(&cells, &of(&states[0]));
            for state in &states[1..] {
                equations.admit(&of(state));
            }
            for state in &states {
                for formula in equations.formulas() {
                    assert_eq!(formula.holds(&of(state)), Ok(true), "{formula:?} {state:?}");
                }
            }
            assert!(equations.formulas().count() >= 5 - 3, "each further state drops at most one");
        }
    }
}
