//! Enumerates the reachable states and decides invariants and LTL on the finite graph they form.
//!
//! An invariant is checked state by state while the graph grows. For an LTL formula the graph is built first;
//! then its product with the automaton of the negated formula is searched for a cycle that the automaton
//! accepts and that meets the fairness. A fault met on the way makes any property fail.
//!
//! The pieces, in the order of use: `term` and `program` compile the system, `letters` is what property
//! and fairness see of a step, `store` and `space` hold the reachable states, `product` joins them with
//! the automaton, `emptiness` looks for the run, `notes` says what a property that holds leaves unsaid.
//!
//! Everything is done in a fixed order by one thread: the same task gets the same answer and the same lasso.
//! Time and memory grow with the number of steps times the size of the automaton.

mod emptiness;
mod letters;
mod notes;
mod product;
mod program;
#[cfg(test)]
mod random;
mod space;
mod store;
mod term;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::Arc;

use automata::{Automaton, translate};
use model::answer::{Counterexample, Site};
use model::property::Kind;
use model::system::{Initial, Scalar};
use model::{Answer, Expr, Formula, Instance, Proof, Reason, Refusal, Run, StopReason, Task, ground};

use self::emptiness::{Alternative, accepted_run};
use self::letters::Predicates;
use self::notes::{note_realisability, note_vacuity, triggers};
use self::product::Product;
use self::program::Program;
use self::space::{Aim, Ended, Space};
use crate::Engine;

/// The explicit engine.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// Whether to look, once a property holds, for triggers that never occur and for reachable states without
    /// a fair run. The second takes another pass over the graph.
    pub notes: bool,
}

impl Default for Explicit {
    fn default() -> Explicit {
        Explicit { notes: true }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn accepts(&self, task: &Task) -> Result<(), Refusal> {
        instance(task).map(|_| ())
    }

    fn check(&self, task: &Task, run: &Run<'_>) -> Answer {
        let instance = match instance(task) {
            Ok(instance) => instance,
            Err(Refusal { reason, instead }) => {
                return Answer::Unknown(Reason { stop: None, message: reason, hint: instead });
            }
        };
        let program = Program::new(instance);
        let mut space = Space::new(&program);
        let ended = match ground::kind(&program.instance, &task.property.kind) {
            Kind::Invariant(invariant) => self.invariant(task, &invariant, &mut space, run),
            Kind::Ltl(formula) => self.ltl(task, &formula, &mut space, run),
            Kind::Ctl(_) => unreachable!("CTL is refused"),
        };
        match ended {
            Ok(answer) => answer,
            Err(Ended::Fault { path, site, fault }) => {
                Answer::Fails(Counterexample::Fault { path, site, fault })
            }
            Err(Ended::Violated(path)) => Answer::Fails(Counterexample::Path(path)),
            Err(Ended::Stopped(stop)) => Answer::Unknown(stopped(&space, stop)),
        }
    }
}

impl Explicit {
    /// Whether a ground state predicate is true in every reachable state. Fairness has no part in it.
    fn invariant(
        &self,
        task: &Task,
        invariant: &Expr,
        space: &mut Space<'_>,
        run: &Run<'_>,
    ) -> Result<Answer, Ended> {
        let instance = &space.program.instance;
        let mut predicates = Predicates::default();
        let number = predicates.number(instance, invariant, Site::Property);
        let triggers = triggers(instance, &task.property.kind, &mut predicates);
        explore(space, &predicates, &Aim { invariant: Some(number), keep_steps: false }, run)?;
        self.note(space, run, || note_vacuity(space, &triggers, run));
        Ok(Answer::Holds(Proof::Exhaustive))
    }

    /// Whether every fair run satisfies a ground formula.
    fn ltl(
        &self,
        task: &Task,
        formula: &Formula,
        space: &mut Space<'_>,
        run: &Run<'_>,
    ) -> Result<Answer, Ended> {
        let instance = &space.program.instance;
        let automaton = negation(formula, run).map_err(Ended::Stopped)?;
        let mut predicates = Predicates::default();
        // The automaton knows all atoms of the formula, also those it does not need: their faults count.
        let atoms: Vec<usize> =
            automaton.atoms.iter().map(|atom| predicates.number(instance, atom, Site::Property)).collect();
        let triggers = triggers(instance, &task.property.kind, &mut predicates);
        let mut alternatives = Vec::new();
        for assumption in ground::fairness(instance, &task.fairness).alternatives {
            let mut number = |expr: &Expr| predicates.number(instance, expr, Site::Fairness);
            let requirements = assumption.requirements.iter();
            let requirements = requirements.map(|r| (number(&r.when), number(&r.then))).collect();
            alternatives.push(Alternative { requirements, global: assumption.global });
        }
        explore(space, &predicates, &Aim { invariant: None, keep_steps: true }, run)?;
        let product = Product::new(space, &automaton, &atoms, run).map_err(Ended::Stopped)?;
        run.count("automaton states", automaton.states.len() as u64);
        run.count("product states", product.len() as u64);
        let found = accepted_run(space, &product, automaton.marks, &alternatives, run);
        if let Some(lasso) = found.map_err(Ended::Stopped)? {
            return Ok(Answer::Fails(Counterexample::Lasso(lasso)));
        }
        self.note(space, run, || note_vacuity(space, &triggers, run));
        if self.notes && !task.fairness.is_none() {
            note_realisability(space, &alternatives, run);
        }
        Ok(Answer::Holds(Proof::Exhaustive))
    }

    /// Notes about a property that holds.
    fn note(&self, space: &Space<'_>, run: &Run<'_>, about_the_property: impl FnOnce()) {
        if !self.notes {
            return;
        }
        if space.initial == 0 {
            run.note("there is no initial state: the `init` predicates exclude all of them");
        } else {
            about_the_property();
        }
    }
}

/// The instance to search, or why the method does not apply.
fn instance(task: &Task) -> Result<Instance, Refusal> {
    let system = &task.system;
    let refusal = |reason: String, instead: String| Err(Refusal { reason, instead });
    if let Some(parameter) = system.parameters.first() {
        let name = &parameter.name;
        let all: Vec<String> = system.parameters.iter().map(|p| format!("--set {}=…", p.name)).collect();
        return refusal(
            format!("{name} is a parameter, and the explicit engine checks one instance at a time"),
            format!("choose a value with {}", all.join(" ")),
        );
    }
    if !task.property.binders.is_empty() {
        return refusal(
            format!("`{}` stands for a family of properties", task.property.name),
            "choose values for the parameters it depends on".to_owned(),
        );
    }
    if let Kind::Ctl(_) = task.property.kind {
        return refusal(
            format!(
                "`{}` is a CTL property, and the explicit engine checks invariants and LTL",
                task.property.name
            ),
            "if it begins with A and has an LTL form, write it in LTL".to_owned(),
        );
    }
    for variable in &system.variables {
        if variable.kind.scalar == Scalar::Int && variable.initial == Initial::Any {
            return refusal(
                format!(
                    "`{}` may be any integer at first, so there are infinitely many initial states",
                    variable.name
                ),
                "give it an initial value, or a range for its type".to_owned(),
            );
        }
    }
    Instance::new(Arc::clone(system))
        .map_err(|obstacle| Refusal { reason: obstacle.to_string(), instead: String::new() })
}

/// Explores the state space and counts what was seen, also if the search ended early.
fn explore(space: &mut Space<'_>, predicates: &Predicates, aim: &Aim, run: &Run<'_>) -> Result<(), Ended> {
    let ended = space.explore(predicates, aim, run);
    run.count("states", space.len() as u64);
    run.count("transitions", space.transitions);
    ended
}

/// The automaton of the negated formula.
fn negation(formula: &Formula, run: &Run<'_>) -> Result<Automaton, StopReason> {
    /// A generous guess at the memory behind one term of the translation.
    const BYTES_PER_TERM: u64 = 256;
    let stop = Cell::new(StopReason::Memory);
    let give_up = |made: usize| {
        if let Some(reason) = (run.stop)() {
            stop.set(reason);
            return true;
        }
        made as u64 * BYTES_PER_TERM > run.memory
    };
    translate(&Formula::Not(Box::new(formula.clone())), &give_up).ok_or_else(|| stop.get())
}

/// What to say when a limit ended the search.
fn stopped(space: &Space<'_>, stop: StopReason) -> Reason {
    let seen = space.len();
    let (what, mut hint) = match stop {
        StopReason::Cancelled => ("the search was interrupted", String::new()),
        StopReason::Time => {
            ("the time limit was reached", "raise `--time-limit`, or make the instance smaller".to_owned())
        }
        StopReason::Memory => (
            "the memory limit was reached",
            "raise `--memory-limit`, or make the instance smaller".to_owned(),
        ),
    };
    let unbounded = space.program.instance.cells.iter().find(|cell| cell.domain.is_unbounded());
    if let (Some(cell), false) = (unbounded, hint.is_empty()) {
        hint = format!("{hint}; `{}` is unbounded, so there may be infinitely many states", cell.name);
    }
    Reason { stop: Some(stop), message: format!("{what} after {seen} states"), hint }
}
