//! The solvers of one decision, and the queries they get.
//!
//! One solver decides integer arithmetic and finds rational coefficients. Another, started when it is first needed,
//! solves Horn clauses. *Unknown* counts as "not shown": every caller asks so that this is safe. A limit of the
//! session ends the whole decision. While a solver works, the session is asked every few milliseconds.

use std::collections::BTreeSet;
use std::time::Duration;

use arith::{Overflow, Ratio, Var};
use model::{Session, StopReason};
use smt::{Absent, Answer, Clause, Formula, Program, Solver, Solvers};

use super::project;

/// Why a decision ended early.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// A limit of the session was reached.
    Stopped(StopReason),
    /// A number became too large.
    Overflow,
    /// The limit on the number of queries was reached.
    TooManyQueries(u64),
    /// There is no solver.
    Absent(String),
    /// The method does not apply to the task, as it turned out.
    Unsupported(String),
}

impl From<Overflow> for Stop {
    fn from(_: Overflow) -> Stop {
        Stop::Overflow
    }
}

impl From<Absent> for Stop {
    fn from(absent: Absent) -> Stop {
        Stop::Absent(absent.to_string())
    }
}

impl From<super::expression::Unsupported> for Stop {
    fn from(unsupported: super::expression::Unsupported) -> Stop {
        Stop::Unsupported(unsupported.0)
    }
}

/// The result of a search; `None` if its numbers became too large.
pub(super) fn unless_overflow<T>(found: Result<Option<T>, Stop>) -> Result<Option<T>, Stop> {
    match found {
        Err(Stop::Overflow) => Ok(None),
        other => other,
    }
}

/// The limit on the work of z3 for a system of inequalities, or for Horn clauses: about half a second.
const EFFORT: u64 = 1_500_000;

/// The units of work of a solver query. A query that was asked before costs the same, so that nothing depends on what
/// other tasks have asked.
const QUERY: u64 = 50_000;

/// The units of work of an edge of a program, or of a branch of an update.
const BRANCH: u64 = 500;

/// Counts an edge or a branch that is built without a solver, and ends the decision at a limit.
pub(super) fn count_branch(session: &Session<'_>) -> Result<(), Stop> {
    session.spend(BRANCH).map_err(Stop::Stopped)?;
    (session.stop)().map_or(Ok(()), |stop| Err(Stop::Stopped(stop)))
}

/// The least and greatest number of atoms of a formula that is simplified.
const SHORT: usize = 4;
const LONG: usize = 200;

/// The solvers of one run.
pub(super) struct Oracles<'a> {
    solvers: &'a Solvers,
    stop: &'a (dyn Fn() -> bool + Sync),
    session: &'a Session<'a>,
    integers: Solver<'a>,
    clauses: Option<Solver<'a>>,
    /// The number of cells. Variables with larger numbers are chosen in a step.
    cells: usize,
}

impl<'a> Oracles<'a> {
    /// Starts the first solver.
    pub(super) fn new(
        solvers: &'a Solvers,
        stop: &'a (dyn Fn() -> bool + Sync),
        session: &'a Session<'a>,
        cells: usize,
    ) -> Result<Oracles<'a>, Stop> {
        let integers = Solver::new(solvers, Program::Z3, stop)?;
        Ok(Oracles { solvers, stop, session, integers, clauses: None, cells })
    }

    /// Ends the decision at a limit.
    pub(super) fn check_limits(&self) -> Result<(), Stop> {
        if let Some(stop) = (self.session.stop)() {
            return Err(Stop::Stopped(stop));
        }
        self.session.spend(QUERY).map_err(Stop::Stopped)?;
        let limit = self.solvers.queries;
        if self.queries() >= limit { Err(Stop::TooManyQueries(limit)) } else { Ok(()) }
    }

    /// How many queries were asked.
    pub(super) fn queries(&self) -> u64 {
        self.integers.queries + self.clauses.as_ref().map_or(0, |solver| solver.queries)
    }

    /// How long their answers were waited for.
    pub(super) fn waited(&self) -> Duration {
        self.integers.waited + self.clauses.as_ref().map_or(Duration::ZERO, |solver| solver.waited)
    }

    /// Whether a formula certainly has no model.
    pub(super) fn is_empty(&mut self, formula: &Formula) -> Result<bool, Stop> {
        self.check_limits()?;
        Ok(match formula {
            Formula::Bool(value) => !value,
            other => self.integers.check_with(other) == Answer::Unsat,
        })
    }

    /// Whether a formula certainly implies another.
    pub(super) fn implies(&mut self, a: &Formula, b: &Formula) -> Result<bool, Stop> {
        self.is_empty(&Formula::and([a.clone(), b.negated()]))
    }

    /// Searches for a model of a formula.
    pub(super) fn find(&mut self, formula: &Formula) -> Result<Satisfiability, Stop> {
        self.check_limits()?;
        if let Formula::Bool(value) = formula {
            let anything = Model { vars: Vec::new(), values: Vec::new() };
            return Ok(if *value { Satisfiability::Model(anything) } else { Satisfiability::Unsatisfiable });
        }
        let vars: Vec<Var> = formula.vars().into_iter().collect();
        let (answer, values) = self.integers.model(formula, &vars);
        Ok(match answer {
            Answer::Sat => Satisfiability::Model(Model { vars, values }),
            Answer::Unsat => Satisfiability::Unsatisfiable,
            Answer::Unknown => Satisfiability::Unknown,
        })
    }

    /// A model of a formula; `None` if none is found.
    pub(super) fn model(&mut self, formula: &Formula) -> Result<Option<Model>, Stop> {
        Ok(match self.find(formula)? {
            Satisfiability::Model(model) => Some(model),
            Satisfiability::Unsatisfiable | Satisfiability::Unknown => None,
        })
    }

    /// The number of cells. Variables with larger numbers are chosen in a step.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// A formula over cells alone that is true if suitable chosen integers exist.
    pub(super) fn project(&mut self, formula: &Formula) -> Result<Option<Formula>, Stop> {
        self.check_limits()?;
        let chosen: BTreeSet<Var> = formula.vars().split_off(&Var(self.cells as u32));
        let mut result = formula.clone();
        for var in &chosen {
            match project::exists(&result, var.0 as usize) {
                Some(without) => result = without,
                None => return Ok(self.integers.eliminate(&chosen, &result)),
            }
        }
        Ok(Some(result))
    }

    /// A formula that is true if some integer for a variable makes a condition true.
    pub(super) fn some(&mut self, var: Var, condition: &Formula) -> Result<Formula, Stop> {
        // A form of a program whose choices are too involved must not take the time of the others.
        self.integers.effort(4 * EFFORT);
        let found = self.integers.eliminate(&BTreeSet::from([var]), condition);
        self.integers.effort(0);
        found.ok_or_else(|| Stop::Unsupported("a choice whose condition is too complex".to_owned()))
    }

    /// A rational solution of a system, as values of these unknowns.
    pub(super) fn solution(
        &mut self,
        system: &[Formula],
        unknowns: &[Var],
    ) -> Result<Option<Vec<Ratio>>, Stop> {
        self.check_limits()?;
        self.integers.effort(EFFORT);
        let (answer, values) = self.integers.rational(system, unknowns);
        self.integers.effort(0);
        Ok((answer == Answer::Sat).then_some(values))
    }

    /// An interpretation of Horn clauses, as of [`Solver::horn`].
    pub(super) fn horn(
        &mut self,
        arities: &[usize],
        clauses: &[Clause],
    ) -> Result<(Answer, Vec<Formula>), Stop> {
        self.check_limits()?;
        let solver = match &mut self.clauses {
            Some(solver) => solver,
            none => none.insert(Solver::new(self.solvers, Program::Z3, self.stop)?),
        };
        solver.effort(EFFORT);
        Ok(solver.horn(arities, clauses))
    }

    /// A formula that is equivalent inside `within`. If the formula is long, parts that `within` and the rest imply
    /// are left out.
    pub(super) fn short(&mut self, within: &Formula, formula: Formula) -> Result<Formula, Stop> {
        if self.implies(within, &formula)? {
            return Ok(Formula::Bool(true));
        }
        let Formula::And(mut parts) = formula else { return Ok(formula) };
        let mut position = 0;
        while position < parts.len() && (SHORT..LONG).contains(&parts.iter().map(Formula::size).sum()) {
            let part = parts.remove(position);
            let rest = Formula::and(parts.iter().cloned().chain([within.clone()]));
            if self.implies(&rest, &part)? {
                continue;
            }
            let mut left = part;
            if let Formula::Or(cases) = &left {
                let mut possible = Vec::new();
                for case in cases {
                    if !self.is_empty(&Formula::and([rest.clone(), case.clone()]))? {
                        possible.push(case.clone());
                    }
                }
                left = Formula::or(possible);
            }
            parts.insert(position, left);
            position += 1;
        }
        Ok(Formula::and(parts))
    }

    /// A disjunction that is equivalent inside `within`, without parts that the others imply.
    pub(super) fn lean(&mut self, within: &Formula, formula: Formula) -> Result<Formula, Stop> {
        if self.is_empty(&Formula::and([within.clone(), formula.clone()]))? {
            return Ok(Formula::Bool(false));
        }
        if self.implies(within, &formula)? {
            return Ok(Formula::Bool(true));
        }
        let Formula::Or(mut parts) = formula else { return Ok(formula) };
        let mut position = 0;
        while position < parts.len() && parts.len() > 1 {
            let part = parts.remove(position);
            let rest = Formula::or(parts.iter().cloned());
            if !self.implies(&Formula::and([within.clone(), part.clone()]), &rest)? {
                parts.insert(position, part);
                position += 1;
            }
        }
        Ok(Formula::or(parts))
    }
}

/// The result of a search for a model.
pub(super) enum Satisfiability {
    /// There is none.
    Unsatisfiable,
    /// This one.
    Model(Model),
    /// It is not known whether there is one.
    Unknown,
}

/// Values for variables. Variables without a value may have any.
#[derive(Clone, Debug)]
pub(super) struct Model {
    vars: Vec<Var>,
    values: Vec<i128>,
}

impl Model {
    /// The value of a variable; 0 if it may have any.
    pub(super) fn value(&self, var: Var) -> i128 {
        self.vars.binary_search(&var).map_or(0, |position| self.values[position])
    }
}
