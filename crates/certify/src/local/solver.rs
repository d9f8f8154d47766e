//! Questions to the SAT solver: can these clauses over a circuit be satisfied?
//!
//! Only the gates that a clause depends on reach the solver, each as the clauses of its definition [Tse68]. An input
//! comes with its attached fact. A choice has two redundant clauses: if both branches are equal, so is the choice. A
//! question may be asked again after more clauses have been added, and for one literal after the other. The solver is
//! trusted only when it says no; when it says yes, the circuit is evaluated.

use std::collections::HashMap;

use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, SolverOpts, Var, lbool};

use super::budget::Budget;
use super::circuit::{Circuit, Gate, Lit, Values};
use super::encoder::Halt;
use rustc_hash::FxHashMap;

/// Clauses, and the state of the solver.
pub(crate) struct Question<'a> {
    solver: Solver<Watch<'a>>,
    variables: FxHashMap<usize, Var>,
}

/// Counts the work of the solver: decisions and learned clauses.
struct Watch<'a>(&'a Budget<'a>);

/// A conflict counts as much work as this many gates.
const CONFLICT: u64 = 50;

impl Callbacks for Watch<'_> {
    fn stop(&self) -> bool {
        self.0.spend(1).is_err()
    }

    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            // If the budget is exceeded, `stop` is called next and ends the search.
            let _ = self.0.spend(CONFLICT);
        }
    }
}

impl<'a> Question<'a> {
    /// No clauses yet.
    pub(crate) fn new(budget: &'a Budget<'a>) -> Question<'a> {
        Question { solver: Solver::new(SolverOpts::default(), Watch(budget)), variables: HashMap::default() }
    }

    /// Adds a clause.
    pub(crate) fn require(&mut self, circuit: &Circuit, clause: &[Lit]) {
        self.define(circuit, clause);
        self.clause(clause);
    }

    /// Adds the definitions of gates.
    fn define(&mut self, circuit: &Circuit, clause: &[Lit]) {
        let mut pending: Vec<usize> = clause.iter().map(|lit| lit.gate()).collect();
        let mut new = Vec::new();
        while let Some(gate) = pending.pop() {
            if self.variables.contains_key(&gate) {
                continue;
            }
            self.variables.insert(gate, self.solver.new_var_default());
            new.push(gate);
            pending.extend(circuit.gate(gate).below().map(Lit::gate));
            pending.extend(circuit.attached(gate).map(Lit::gate));
        }
        for gate in new {
            let this = Lit::of(gate);
            match circuit.gate(gate) {
                Gate::And(a, b) => {
                    self.clause(&[!this, a]);
                    self.clause(&[!this, b]);
                    self.clause(&[this, !a, !b]);
                }
                Gate::Choose(c, a, b) => {
                    self.clause(&[!this, !c, a]);
                    self.clause(&[!this, c, b]);
                    self.clause(&[this, !c, !a]);
                    self.clause(&[this, c, !b]);
                    if a.gate() != b.gate() {
                        self.clause(&[!this, a, b]);
                        self.clause(&[this, !a, !b]);
                    }
                }
                Gate::Free if this == Lit::TRUE => self.clause(&[this]),
                Gate::Free => {
                    if let Some(fact) = circuit.attached(gate) {
                        self.clause(&[fact]);
                    }
                }
            }
        }
    }

    /// The truth of every gate in an assignment that satisfies all clauses and makes a literal true, if there is one.
    pub(crate) fn answer(&mut self, circuit: &Circuit, truth: Lit) -> Result<Option<Values>, Halt> {
        self.define(circuit, &[truth]);
        let assumed = batsat::Lit::new(self.variables[&truth.gate()], !truth.is_negated());
        match self.solver.solve_limited(&[assumed]) {
            answer if answer == lbool::FALSE => Ok(None),
            answer if answer == lbool::TRUE => Ok(Some(circuit.values(|gate| {
                // An input that no clause depends on may have any value. Its attached fact allows 0.
                self.variables
                    .get(&gate)
                    .is_some_and(|variable| self.solver.value_var(*variable) == lbool::TRUE)
            }))),
            _ => Err(self.solver.cb().0.spend(0).err().unwrap_or(Halt::Effort)),
        }
    }

    /// Adds a clause over gates that have variables.
    fn clause(&mut self, clause: &[Lit]) {
        let mut literals: Vec<batsat::Lit> = clause
            .iter()
            .map(|lit| batsat::Lit::new(self.variables[&lit.gate()], !lit.is_negated()))
            .collect();
        self.solver.add_clause_reuse(&mut literals);
    }
}

#[cfg(test)]
mod tests {
    use model::StopReason;
    use model::splitmix::SplitMix;

    use super::*;

    /// Compares random circuits with few inputs with trying all assignments.
    #[test]
    fn answers_agree_with_trying_all_assignments() {
        let mut random = SplitMix(5);
        let mut outcomes = [0, 0];
        for _ in 0..2000 {
            let mut circuit = Circuit::new();
            let mut lits: Vec<Lit> = (0..4).map(|_| circuit.input()).collect();
            let fact = circuit.or(lits[0], !lits[1]);
            circuit.attach(lits[0], fact);
            circuit.attach(lits[1], fact);
            let inputs = lits.clone();
            for _ in 0..12 {
                let mut pick = || {
                    let lit = lits[random.below(lits.len() as u64) as usize];
                    if random.below(2) == 0 { lit } else { !lit }
                };
                let (a, b, c) = (pick(), pick(), pick());
                lits.push(if lits.len().is_multiple_of(2) {
                    circuit.and(a, b)
                } else {
                    circuit.choose(a, b, c)
                });
            }
            let goals: Vec<Lit> = lits[lits.len() - 3..].to_vec();
            let expected = (0..16u32).any(|word| {
                let values = circuit.values(|gate| {
                    inputs.iter().position(|i| i.gate() == gate).is_some_and(|i| word >> i & 1 == 1)
                });
                values.of(fact) && goals.iter().all(|goal| values.of(*goal))
            });
            let budget = Budget::new(u64::MAX, &|| None);
            let mut question = Question::new(&budget);
            goals.iter().for_each(|goal| question.require(&circuit, &[*goal]));
            let answer = question.answer(&circuit, Lit::TRUE).expect("no limit");
            if let Some(values) = &answer {
                assert!(values.of(fact) && goals.iter().all(|goal| values.of(*goal)));
            }
            assert_eq!(answer.is_some(), expected);
            outcomes[usize::from(expected)] += 1;
        }
        assert!(outcomes.iter().all(|count| *count > 100), "{outcomes:?}");
    }

    #[test]
    fn a_limit_ends_the_search() {
        // Nine pigeons in eight holes.
        let mut circuit = Circuit::new();
        let sits: Vec<Vec<Lit>> = (0..9).map(|_| (0..8).map(|_| circuit.input()).collect()).collect();
        let time: (u64, &dyn Fn() -> Option<StopReason>, Halt) =
            (u64::MAX, &|| Some(StopReason::Time), Halt::Stopped(StopReason::Time));
        for (units, stop, halt) in [time, (5000, &|| None, Halt::Effort)] {
            let budget = Budget::new(units, stop);
            let mut question = Question::new(&budget);
            for pigeon in &sits {
                question.require(&circuit, pigeon);
            }
            for a in 0..9 {
                for b in 0..a {
                    for (one, other) in sits[a].iter().zip(&sits[b]) {
                        question.require(&circuit, &[!*one, !*other]);
                    }
                }
            }
            assert_eq!(question.answer(&circuit, Lit::TRUE).err(), Some(halt));
        }
    }
}
