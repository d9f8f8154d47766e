//! Questions to the SAT solver: can these clauses over a circuit be satisfied?
//!
//! Only the gates that a clause depends on reach the solver, each as the three clauses of its definition [Tse68], and
//! with an input what is attached to it. A question may be asked again after more clauses have been added. The solver
//! is the only part of the judge that is believed when it says no; when it says yes, the circuit is evaluated.

use std::cell::Cell;
use std::collections::HashMap;

use batsat::{Callbacks, Solver, SolverInterface, SolverOpts, Var, lbool};
use model::StopReason;

use super::circuit::{Circuit, Gate, Lit, Values};
use super::encoder::Halt;

/// Clauses, and what the solver made of them so far.
pub(crate) struct Question<'a> {
    solver: Solver<Watch<'a>>,
    variables: HashMap<usize, Var>,
}

/// Asks the limits now and then: the solver calls it at every decision.
struct Watch<'a> {
    stop: &'a dyn Fn() -> Option<StopReason>,
    calls: Cell<u32>,
    reason: Cell<Option<StopReason>>,
}

impl Callbacks for Watch<'_> {
    fn stop(&self) -> bool {
        self.calls.set(self.calls.get().wrapping_add(1));
        if self.reason.get().is_none() && self.calls.get().is_multiple_of(256) {
            self.reason.set((self.stop)());
        }
        self.reason.get().is_some()
    }
}

impl<'a> Question<'a> {
    /// No clauses yet.
    pub(crate) fn new(stop: &'a dyn Fn() -> Option<StopReason>) -> Question<'a> {
        let watch = Watch { stop, calls: Cell::new(0), reason: Cell::new(None) };
        Question { solver: Solver::new(SolverOpts::default(), watch), variables: HashMap::new() }
    }

    /// Adds a clause.
    pub(crate) fn require(&mut self, circuit: &Circuit, clause: &[Lit]) {
        let mut pending: Vec<usize> = clause.iter().map(|lit| lit.gate()).collect();
        let mut new = Vec::new();
        while let Some(gate) = pending.pop() {
            if self.variables.contains_key(&gate) {
                continue;
            }
            self.variables.insert(gate, self.solver.new_var_default());
            new.push(gate);
            if let Gate::And(a, b) = circuit.gate(gate) {
                pending.extend([a.gate(), b.gate()]);
            }
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
                Gate::Free if this == Lit::TRUE => self.clause(&[this]),
                Gate::Free => {
                    if let Some(fact) = circuit.attached(gate) {
                        self.clause(&[fact]);
                    }
                }
            }
        }
        self.clause(clause);
    }

    /// The truth of every gate in an assignment that satisfies all clauses, if there is one.
    pub(crate) fn answer(&mut self, circuit: &Circuit) -> Result<Option<Values>, Halt> {
        match self.solver.solve_limited(&[]) {
            answer if answer == lbool::FALSE => Ok(None),
            answer if answer == lbool::TRUE => Ok(Some(circuit.values(|gate| {
                // An input that no clause depends on may have any value, and what is attached to it allows 0.
                self.variables
                    .get(&gate)
                    .is_some_and(|variable| self.solver.value_var(*variable) == lbool::TRUE)
            }))),
            _ => Err(Halt::Stopped(self.solver.cb().reason.get().unwrap_or(StopReason::Cancelled))),
        }
    }

    /// A clause over gates that have variables.
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
    use super::*;
    use model::splitmix::SplitMix;

    /// Random circuits of a few inputs, with all assignments tried.
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
                let (a, b) = (pick(), pick());
                lits.push(circuit.and(a, b));
            }
            let goals: Vec<Lit> = lits[lits.len() - 3..].to_vec();
            let expected = (0..16u32).any(|word| {
                let values = circuit.values(|gate| {
                    inputs.iter().position(|i| i.gate() == gate).is_some_and(|i| word >> i & 1 == 1)
                });
                values.of(fact) && goals.iter().all(|goal| values.of(*goal))
            });
            let mut question = Question::new(&|| None);
            goals.iter().for_each(|goal| question.require(&circuit, &[*goal]));
            let answer = question.answer(&circuit).expect("no limit");
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
        let mut question = Question::new(&|| Some(StopReason::Time));
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
        assert!(matches!(question.answer(&circuit), Err(Halt::Stopped(StopReason::Time))));
    }
}
