//! Two solvers, who must agree.

use smt::{Answer, Formula, Program, Solver, Solvers};

use super::{Stop, premise};

/// Two running solvers.
pub(super) struct TwoSolvers<'s> {
    solvers: [Solver<'s>; 2],
}

/// The judge is not interrupted: the number of premises is that of the evidence, and each has a limit.
const NEVER: &(dyn Fn() -> bool + Sync) = &|| false;

impl<'s> TwoSolvers<'s> {
    /// Starts both; `None` if one is missing.
    pub(super) fn open(solvers: &'s Solvers) -> Option<TwoSolvers<'s>> {
        let start = |program| Solver::new(solvers, program, NEVER).ok();
        Some(TwoSolvers { solvers: [start(Program::Z3)?, start(Program::Cvc5)?] })
    }

    /// Whether both find no model of a formula.
    pub(super) fn holds(&mut self, formula: &Formula) -> Result<bool, Stop> {
        match self.impossible(formula, "") {
            Ok(()) => Ok(true),
            Err(Stop::Flaw(_)) => Ok(false),
            Err(Stop::Open) => Err(Stop::Open),
        }
    }

    /// That a formula has no model; if it has one, `what` is not shown.
    pub(super) fn impossible(&mut self, formula: &Formula, what: &str) -> Result<(), Stop> {
        match formula {
            Formula::Bool(false) => return Ok(()),
            Formula::Bool(true) => return Err(premise(what)),
            _ => {}
        }
        for solver in &mut self.solvers {
            match solver.check_with(formula) {
                Answer::Unsat => {}
                Answer::Sat => return Err(premise(what)),
                Answer::Unknown => return Err(Stop::Open),
            }
        }
        Ok(())
    }
}
