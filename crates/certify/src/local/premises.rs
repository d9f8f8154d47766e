//! The premises about states: initiation, no fault, consecution, and the claim of an invariant (premises 1 to 4).
//!
//! Each is a question that the solver must answer with no. A question has a violation (a literal) and hypotheses, but
//! hypotheses are only added when needed: if the solver finds an assignment, the hypotheses that are false in it are
//! added. If none is false, the assignment is a real violation. Most questions involve few processes, so most of `θ`
//! never reaches the solver.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use model::instance::{Environment, Start};
use model::property::Kind;
use model::{ActionId, Expr, Instance, Label, State, Task, ground, show};

use super::cases::{Case, cases};
use super::circuit::{Lit, Values};
use super::count;
use super::encoder::{Encoder, Halt, Scope, Writes};
use super::implication::TestEffects;
use super::moves::Steps;
use super::number::Number;
use super::sets::{Sets, Successor, subject};
use super::solver::Question;
use super::update;
use crate::choices::each_choice;
use crate::end::{End, Unfinished, undecided};
use crate::flaw::{Flaw, Premise};
use model::proof::{Local, Root};

impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        match halt {
            Halt::Stopped(stop) => stop.into(),
            Halt::Effort => End::Unfinished(Unfinished::Effort),
            Halt::Unsupported(what) => undecided(format!("it meets {what}")),
        }
    }
}

/// The judge of one proof, with the model in a circuit and the sets of the proof.
pub(crate) struct ProofJudge<'a> {
    pub(crate) task: &'a Task,
    pub(crate) instance: &'a Instance,
    pub(crate) local: &'a Local,
    pub(crate) encoder: Encoder<'a>,
    pub(crate) sets: Sets<'a>,
    /// The condition that the state of the inputs is initial.
    pub(crate) initial: Lit,
    /// Per label, the condition that the step can be taken: an action is enabled and its choices are valid, or there is
    /// a deadlock.
    pub(crate) enabled: Vec<Lit>,
    /// Per action, the successor.
    pub(crate) successors: Vec<Successor>,
    /// Per cell, the actions that may write it.
    pub(crate) writers: BTreeMap<usize, Vec<usize>>,
    /// The condition that the label is that of a step that can be taken.
    pub(crate) step: Lit,
    /// The steps of moves.
    pub(crate) steps: Steps,
}

/// Hypotheses, as clauses, that are false for some values.
pub(crate) type Missed = Vec<Vec<Lit>>;

impl<'a> ProofJudge<'a> {
    /// Encodes a model, and shows the premises about states.
    pub(crate) fn new(
        task: &'a Task,
        instance: &'a Instance,
        local: &'a Local,
        mut encoder: Encoder<'a>,
    ) -> Result<ProofJudge<'a>, End> {
        let sets = Sets::new(&mut encoder, local)?;
        let (enabled, successors) = (Vec::new(), Vec::new());
        let (initial, step, writers) = (Lit::FALSE, Lit::FALSE, BTreeMap::new());
        let steps = Steps::new();
        let mut judge = ProofJudge {
            task,
            instance,
            local,
            encoder,
            sets,
            initial,
            enabled,
            successors,
            writers,
            step,
            steps,
        };
        judge.initiation()?;
        judge.actions()?;
        judge.atoms()?;
        judge.consecution()?;
        if let Kind::Invariant(predicate) = &task.property.kind {
            judge.invariant(predicate)?;
        }
        Ok(judge)
    }

    /// Values of the inputs that make one of the violations true and no hypothesis false, if there are any. Violations
    /// are tried one after the other, and learned clauses are kept.
    pub(crate) fn refute(
        &mut self,
        violations: &[Lit],
        missed: &mut dyn FnMut(&mut ProofJudge<'a>, &Values) -> Result<Missed, Halt>,
    ) -> Result<Option<Values>, Halt> {
        let mut question = Question::new(self.encoder.budget);
        for violation in violations.iter().filter(|violation| **violation != Lit::FALSE) {
            while let Some(values) = question.answer(&self.encoder.circuit, *violation)? {
                let clauses = missed(self, &values)?;
                if clauses.is_empty() {
                    return Ok(Some(values));
                }
                for clause in clauses {
                    question.require(&self.encoder.circuit, &clause);
                }
                self.encoder.tick()?;
            }
        }
        Ok(None)
    }

    /// The local invariants that are false for these values.
    pub(crate) fn missed_invariants(&mut self, values: &Values) -> Result<Missed, Halt> {
        let mut missed = Missed::new();
        for root in &self.local.invariants {
            if !self.sets.contains(&self.encoder, *root, None, values) {
                missed.push(vec![self.sets.holds(&mut self.encoder, *root)?]);
            }
        }
        Ok(missed)
    }

    /// The same. If no invariant is missed, also the clause over all actions that the label is that of a step.
    pub(crate) fn missed_step(&mut self, values: &Values) -> Result<Missed, Halt> {
        let mut missed = self.missed_invariants(values)?;
        if missed.is_empty() && !values.of(self.step) {
            missed.push(vec![self.step]);
        }
        Ok(missed)
    }

    /// The flaw that these values violate a premise.
    pub(crate) fn broken(&self, premise: Premise, what: String, values: &Values, step: Option<usize>) -> End {
        let state = self.state(values, None);
        let (step, target) = match step {
            None => (None, Vec::new()),
            Some(label) if label < self.instance.actions.len() => {
                let name = show::label(self.instance, Label::Action(ActionId(label as u32)));
                let target = self.state(values, self.successors.get(label));
                (Some(name), show::changes(self.instance, &state, &target))
            }
            Some(_) => (Some(show::label(self.instance, Label::Idle)), Vec::new()),
        };
        End::Flaw(Flaw::Premise { premise, what, state: show::state(self.instance, &state), step, target })
    }

    /// The state of the inputs, or a successor.
    fn state(&self, values: &Values, successor: Option<&Successor>) -> State {
        let cells = self.instance.cells.iter().enumerate().map(|(number, cell)| {
            let written = successor.and_then(|successor| successor.writes.get(&number));
            let bits = written.unwrap_or(&self.encoder.cells[number]);
            let above = bits.iter().enumerate().map(|(bit, lit)| u64::from(values.of(*lit)) << bit).sum();
            cell.domain.lo.wrapping_add_unsigned(above)
        });
        State(cells.collect())
    }

    /// Premise 1.
    fn initiation(&mut self) -> Result<(), End> {
        let instance = self.instance;
        let mut conditions = Vec::new();
        for (number, start) in instance.starts.iter().enumerate() {
            let Start::Among(values) = start else { continue };
            let domain = instance.cells[number].domain;
            let bits = self.encoder.cells[number].clone();
            let circuit = &mut self.encoder.circuit;
            let cell = circuit.offset(&bits, domain.lo, domain.hi);
            let among: Vec<Lit> = values
                .iter()
                .map(|value| circuit.equal(&cell, &Number::constant(i128::from(*value))))
                .collect();
            conditions.push(circuit.any(among));
        }
        let mut initial = self.encoder.circuit.all(conditions);
        let state = Writes::new();
        for predicate in &instance.system.init {
            let scope = &mut Scope::state(&state, Environment::default());
            let (truth, fault) = self.encoder.predicate(predicate, scope)?;
            let faults = self.encoder.circuit.and(initial, fault);
            if let Some(values) = self.refute(&[faults], &mut |_, _| Ok(Missed::new()))? {
                return Err(self.broken(Premise::Initiation, "`init` is a fault".to_owned(), &values, None));
            }
            initial = self.encoder.circuit.and(initial, truth);
        }
        self.initial = initial;
        let mut outside = Vec::new();
        for root in &self.local.invariants {
            outside.push(!self.sets.holds(&mut self.encoder, *root)?);
        }
        let violations =
            outside.into_iter().map(|outside| self.encoder.circuit.and(initial, outside)).collect::<Vec<_>>();
        if let Some(values) = self.refute(&violations, &mut |_, _| Ok(Missed::new()))? {
            let what =
                format!("an initial state is outside the invariant of {}", self.outside(&values, None));
            return Err(self.broken(Premise::Initiation, what, &values, None));
        }
        Ok(())
    }

    /// The first process whose invariant is false.
    fn outside(&self, values: &Values, successor: Option<&Successor>) -> String {
        let holds = |root| self.sets.contains(&self.encoder, root, successor, values);
        let process = self.local.invariants.iter().position(|root| !holds(*root));
        process.map_or_else(String::new, |process| subject(self.instance, self.local, process).to_owned())
    }

    /// Encodes all actions, and shows that none of them faults: a part of premise 2.
    fn actions(&mut self) -> Result<(), End> {
        let mut faults = Vec::new();
        let mut steps = Vec::new();
        let mut deadlock = Vec::new();
        for action in (0..self.instance.actions.len() as u32).map(ActionId) {
            let step = update::step(&mut self.encoder, action)?;
            deadlock.push(!self.encoder.guard(action)?.0);
            let taken = self.encoder.taken(action.0 as usize);
            steps.push(self.encoder.circuit.and(taken, step.enabled));
            faults.push(if self.is_excluded(step.fault) { Lit::FALSE } else { step.fault });
            self.enabled.push(step.enabled);
            for cell in step.writes.keys() {
                self.writers.entry(*cell).or_default().push(action.0 as usize);
            }
            let successor = self.sets.successor(&mut self.encoder, step.writes)?;
            self.successors.push(successor);
        }
        let idle = self.encoder.taken(self.instance.actions.len());
        let deadlock = self.encoder.circuit.all(deadlock);
        self.enabled.push(deadlock);
        steps.push(self.encoder.circuit.and(idle, deadlock));
        self.step = self.encoder.circuit.any(steps);
        if let Some(values) = self.refute(&faults, &mut ProofJudge::missed_invariants)? {
            let action = faults.iter().position(|fault| values.of(*fault)).unwrap_or(0);
            let what = format!("{} may be a fault", self.instance.actions[action].name);
            return Err(self.broken(Premise::NoFault, what, &values, None));
        }
        Ok(())
    }

    /// The rest of premise 2: no atom of the property and no requirement faults.
    fn atoms(&mut self) -> Result<(), End> {
        let property = ground::kind(self.instance, &self.task.property.kind);
        let mut faults = Vec::new();
        for atom in property.atoms() {
            faults.push(self.step_predicate(atom, Environment::default())?.1);
        }
        self.no_fault(&faults, "the property")?;
        if let Kind::Invariant(_) = property {
            return Ok(());
        }
        let mut faults = Vec::new();
        for requirement in self.task.fairness.alternatives.iter().flat_map(|a| &a.requirements) {
            let mut read = |environment: &Environment| -> Result<(), Halt> {
                faults.push(self.step_predicate(&requirement.when, environment.clone())?.1);
                faults.push(self.step_predicate(&requirement.then, environment.clone())?.1);
                Ok(())
            };
            let flow = each_choice(&requirement.binders, &mut Environment::default(), &mut |environment| {
                read(environment).map_or_else(ControlFlow::Break, ControlFlow::Continue)
            });
            let no_range = |_| Halt::Unsupported("a requirement whose indices have no values");
            if let ControlFlow::Break(halt) = flow.map_err(no_range)? {
                return Err(halt.into());
            }
        }
        self.no_fault(&faults, "the fairness")
    }

    fn no_fault(&mut self, faults: &[Lit], site: &str) -> Result<(), End> {
        let faults: Vec<Lit> = faults.iter().copied().filter(|fault| !self.is_excluded(*fault)).collect();
        match self.refute(&faults, &mut ProofJudge::missed_step)? {
            None => Ok(()),
            Some(values) => {
                let label = self.encoder.label_in(&values);
                Err(self.broken(Premise::NoFault, format!("{site} may be a fault"), &values, Some(label)))
            }
        }
    }

    /// A step predicate over the inputs: its truth, and whether it faults.
    pub(crate) fn step_predicate(
        &mut self,
        predicate: &Expr,
        environment: Environment,
    ) -> Result<(Lit, Lit), Halt> {
        let state = Writes::new();
        self.encoder.predicate(predicate, &mut Scope { at: &state, environment, step: true })
    }

    /// Premise 3.
    fn consecution(&mut self) -> Result<(), End> {
        for action in 0..self.instance.actions.len() {
            let mark = self.mark();
            let (enabled, mut known) = (self.enabled[action], HashMap::default());
            let test_effects = self.test_effects(&[enabled], action);
            let mut outside = Vec::new();
            for root in &self.local.invariants {
                if self.sets.is_touched(*root, &self.successors[action])
                    && !self.leads(&test_effects, [*root, Root::TRUE], *root)
                    && !self.leads_in_cases(&[enabled], action, *root, *root)
                {
                    let successor = &self.successors[action];
                    outside.push(!self.sets.holds_after(&mut self.encoder, *root, successor, &mut known)?);
                }
            }
            let violations: Vec<Lit> =
                outside.into_iter().map(|outside| self.encoder.circuit.and(enabled, outside)).collect();
            if let Some(values) = self.refute(&violations, &mut ProofJudge::missed_invariants)? {
                let process = self.outside(&values, Some(&self.successors[action]));
                let name = &self.instance.actions[action].name;
                let what = format!("{name} leads out of the invariant of {process}");
                return Err(self.broken(Premise::Consecution, what, &values, Some(action)));
            }
            self.forget(mark);
        }
        Ok(())
    }

    /// What is known about tests on steps with this label on which all facts are true.
    pub(crate) fn test_effects(&self, facts: &[Lit], label: usize) -> TestEffects {
        self.sets.test_effects(&self.encoder, facts, self.successors.get(label))
    }

    /// Whether a walk shows that such steps from states in all of `from` end in `into`, without the solver.
    pub(crate) fn leads(&self, test_effects: &TestEffects, from: [Root; 2], into: Root) -> bool {
        let (shown, work) = test_effects.leads(&self.sets, from, into);
        // Visiting a combination costs less than a gate. If the budget is exceeded, the next tick returns the error.
        self.encoder.budget.spend(work / 4).is_ok() && shown
    }

    /// The steps with this label on which all facts are true, in cases in which a literal is decided.
    pub(crate) fn cases(&self, facts: &[Lit], decided: Lit, label: usize) -> Option<Vec<Case>> {
        let (cases, work) = cases(&self.encoder, &self.sets, facts, decided, self.successors.get(label));
        self.encoder.budget.spend(work / 4).ok().and(cases)
    }

    /// Whether walks show, case by case, that such steps from `from` end in `into`.
    fn leads_in_cases(&self, facts: &[Lit], label: usize, from: Root, into: Root) -> bool {
        let leads = |case: &Case| self.leads(&case.effects, [from, Root::TRUE], into);
        self.cases(facts, Lit::FALSE, label).is_some_and(|cases| cases.iter().all(leads))
    }

    /// Whether walks show that an invariant of the whole system excludes what a literal says.
    fn is_excluded(&self, lit: Lit) -> bool {
        match self.local.invariants[..] {
            _ if lit == Lit::FALSE => true,
            [whole] => self.leads_in_cases(&[lit], usize::MAX, whole, Root::FALSE),
            _ => false,
        }
    }

    /// Premise 4.
    fn invariant(&mut self, predicate: &Expr) -> Result<(), End> {
        let local = self.local;
        if let Some(set) = count::diagram(self.instance, &mut self.encoder, &mut self.sets, predicate)? {
            let test_effects = self.test_effects(&[], usize::MAX);
            if local.invariants.iter().any(|root| self.leads(&test_effects, [*root, Root::TRUE], set)) {
                return Ok(());
            }
        }
        let (truth, _) = self.step_predicate(predicate, Environment::default())?;
        if self.is_excluded(!truth) {
            return Ok(());
        }
        if let Some(values) = self.refute(&[!truth], &mut ProofJudge::missed_invariants)? {
            let what = "the local invariants do not imply the property".to_owned();
            return Err(self.broken(Premise::Invariant, what, &values, None));
        }
        Ok(())
    }

    /// The current number of gates, for [`forget`](ProofJudge::forget).
    pub(crate) fn mark(&self) -> usize {
        self.encoder.circuit.len()
    }

    /// Removes the gates built since a mark.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.encoder.circuit.truncate(mark);
        self.sets.forget(mark);
    }
}
