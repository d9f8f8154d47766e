//! Two solvers that must agree.

use smt::{Answer, Formula, Program, Solver, Solvers};

use super::premise;
use crate::end::{End, undecided};
use crate::limits::Limits;

/// Two running solvers.
pub(super) struct TwoSolvers<'s> {
    solvers: [Solver<'s>; 2],
    limits: &'s Limits<'s>,
}

impl<'s> TwoSolvers<'s> {
    /// Starts both solvers, if both are installed. `stop` is called while they work and says whether a limit is
    /// reached.
    pub(super) fn open(
        solvers: &'s Solvers,
        stop: &'s (dyn Fn() -> bool + Sync),
        limits: &'s Limits<'s>,
    ) -> Result<TwoSolvers<'s>, End> {
        let start =
            |program| Solver::new(solvers, program, stop).map_err(|absent| undecided(absent.to_string()));
        Ok(TwoSolvers { solvers: [start(Program::Z3)?, start(Program::Cvc5)?], limits })
    }

    /// Whether both find no model of a formula.
    pub(super) fn holds(&mut self, formula: &Formula) -> Result<bool, End> {
        match self.impossible(formula, "") {
            Ok(()) => Ok(true),
            Err(End::Flaw(_)) => Ok(false),
            Err(unfinished) => Err(unfinished),
        }
    }

    /// Shows that a formula has no model. If it has one, the flaw is that `what` is not shown.
    pub(super) fn impossible(&mut self, formula: &Formula, what: &str) -> Result<(), End> {
        self.limits.check()?;
        match formula {
            Formula::Bool(false) => return Ok(()),
            Formula::Bool(true) => return Err(premise(what)),
            _ => {}
        }
        for solver in &mut self.solvers {
            match solver.check_with(formula) {
                Answer::Unsat => {}
                Answer::Sat => return Err(premise(what)),
                Answer::Unknown => {
                    self.limits.check()?;
                    return Err(undecided("a solver does not know"));
                }
            }
        }
        Ok(())
    }
}
