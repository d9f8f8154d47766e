//! The premises about runs: cases, reached states, and parts (premises 5 to 7). `elimination` has those about
//! eliminations.
//!
//! The edges of the automaton are numbered, and the number of the edge is an input beside the state and the label. So a
//! premise over all product steps is one question, and a hypothesis about one edge or one label is a clause that names
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use model::instance::Environment;
use model::proof::{Case, Class, Demand, Elimination, ProductSet, Root};
use model::{Automaton, Expr, ProcessId, semantics, show, tableau};

use super::cases;
use super::circuit::Lit;
use super::elimination::Before;
use super::encoder::Halt;
use super::premises::{Missed, ProofJudge};
use super::sets::is_root;
use crate::acceptance::components;
use crate::end::End;
use crate::flaw::{Flaw, Premise};

/// Shows that no fair run violates the property.
pub(crate) fn no_violation(judge: &mut ProofJudge<'_>) -> Result<(), End> {
    let Some(automaton) = tableau::violations(judge.instance, &judge.task.property.kind) else {
        return Err(Halt::Unsupported("a reference automaton that is too large").into());
    };
    let parts = judge.local.cases.iter().flat_map(|case| &case.parts);
    let wanted: Vec<_> = parts.flat_map(|part| &part.eliminations).filter_map(escape).collect();
    judge.encode_moves(wanted)?;
    let mut runs = RunJudge::new(judge, automaton)?;
    for (number, case) in runs.judge.local.cases.iter().enumerate() {
        runs.form(case).map_or(Ok(()), |what| Err(flaw(Premise::Form, format!("case {number}: {what}"))))?;
    }
    runs.cases()?;
    let mut shown: Vec<&ProductSet> = Vec::new();
    for (number, case) in runs.judge.local.cases.iter().enumerate() {
        if !shown.contains(&&case.reached) {
            runs.reached(number, case)?;
            shown.push(&case.reached);
        }
        runs.parts(number, case)?;
        for part in &case.parts {
            runs.part(&format!("case {number}"), case, part, None)?;
        }
    }
    Ok(())
}

/// The action and the way by which states are escaped from.
pub(crate) fn escape(elimination: &Elimination) -> Option<(usize, usize)> {
    match elimination {
        Elimination::Escaped { action, way, .. } => Some((*action, *way)),
        _ => None,
    }
}

/// An edge of the automaton.
pub(crate) struct Move {
    pub(crate) source: usize,
    pub(crate) target: usize,
    marks: Vec<usize>,
    /// The condition that it is the edge of the inputs and admits the step.
    pub(crate) taken: Lit,
}

/// `GF when -> GF then` in the circuit.
#[derive(Clone)]
pub(crate) struct Obligation {
    pub(crate) when: Lit,
    /// Whether `when` depends on the step that is taken.
    pub(crate) by_step: bool,
    /// Per edge.
    pub(crate) then: Vec<Lit>,
    /// The labels that `then` mentions.
    pub(crate) labels: BTreeSet<usize>,
}

impl Obligation {
    /// One that no step on any of so many edges meets.
    pub(crate) fn never(edges: usize) -> Obligation {
        let then = vec![Lit::FALSE; edges];
        Obligation { when: Lit::TRUE, by_step: false, then, labels: BTreeSet::new() }
    }
}

/// Steps in cases; nothing if there are too many.
pub(crate) type Cases = Option<Rc<Vec<cases::Case>>>;

/// The steps that cases are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Steps {
    /// Those with this label.
    Of(usize),
    /// Those whose label the literal that is decided does not mention.
    Others,
    /// All.
    Any,
}

/// The judge, with the reference automaton in its circuit.
pub(crate) struct RunJudge<'j, 'a> {
    pub(crate) judge: &'j mut ProofJudge<'a>,
    pub(crate) automaton: Automaton,
    pub(crate) moves: Vec<Move>,
    obligations: BTreeMap<(usize, usize, Vec<i64>), Obligation>,
    /// Per edge, steps and literal to be decided, the cases.
    pub(crate) cases: BTreeMap<(usize, Steps, Lit), Cases>,
    /// Labels whose steps have too many cases with some edge.
    pub(crate) too_many: BTreeSet<usize>,
}

pub(crate) fn flaw(premise: Premise, what: String) -> End {
    End::Flaw(Flaw::Premise { premise, what, state: Vec::new(), step: None, target: Vec::new() })
}

impl<'j, 'a> RunJudge<'j, 'a> {
    pub(crate) fn new(judge: &'j mut ProofJudge<'a>, automaton: Automaton) -> Result<RunJudge<'j, 'a>, Halt> {
        let mut atoms = Vec::new();
        for atom in &automaton.atoms {
            atoms.push(judge.step_predicate(atom, Environment::default())?.0);
        }
        let edges: Vec<_> = automaton
            .states
            .iter()
            .enumerate()
            .flat_map(|(s, edges)| edges.iter().map(move |e| (s, e)))
            .collect();
        let circuit = &mut judge.encoder.circuit;
        let width = usize::BITS - edges.len().saturating_sub(1).leading_zeros();
        let bits: Vec<Lit> = (0..width).map(|_| circuit.input()).collect();
        judge.encoder.selectors.extend(bits.iter().map(|lit| lit.gate()));
        let mut moves = Vec::new();
        for (number, (source, edge)) in edges.into_iter().enumerate() {
            let select =
                bits.iter().enumerate().map(|(bit, lit)| if number >> bit & 1 == 1 { *lit } else { !*lit });
            let letters =
                edge.cube.literals().map(|(atom, truth)| if truth { atoms[atom] } else { !atoms[atom] });
            let all: Vec<Lit> = select.chain(letters).collect();
            let taken = circuit.all(all);
            moves.push(Move { source, target: edge.target, marks: edge.marks.clone(), taken });
        }
        let (obligations, cases, too_many) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Ok(RunJudge { judge, automaton, moves, obligations, cases, too_many })
    }

    /// The first error in the form of a case.
    pub(crate) fn form(&self, case: &Case) -> Option<String> {
        let (states, marks) = (self.automaton.states.len(), self.automaton.marks);
        let is_set =
            |set: &ProductSet| set.len() == states && set.iter().all(|root| is_root(self.judge.local, *root));
        let Some(alternative) = self.judge.task.fairness.alternatives.get(case.alternative) else {
            return Some(format!("there is no alternative {}", case.alternative));
        };
        if let Some(class) = &case.class
            && (class.mark.is_some_and(|mark| mark >= marks)
                || class
                    .processes
                    .iter()
                    .any(|process| process.0 as usize >= self.judge.instance.processes.len()))
        {
            return Some("its class has a mark or a process that does not exist".to_owned());
        }
        if !is_set(&case.reached) {
            return Some(format!("`reached` is not a set for {states} states of the automaton"));
        }
        for part in &case.parts {
            if part.states.iter().any(|state| *state >= states) {
                return Some("a part has a state that the automaton has not".to_owned());
            }
            for (number, elimination) in part.eliminations.iter().enumerate() {
                let (demand, sets) = match elimination {
                    Elimination::Unmet { demand, closed, removed } => (Some(demand), vec![closed, removed]),
                    Elimination::Trimmed { removed } => (None, vec![removed]),
                    Elimination::Escaped { closed, removed, .. } => {
                        if !alternative.global {
                            return Some(format!("elimination {number} is one of strong global fairness"));
                        }
                        (None, vec![closed, removed])
                    }
                };
                if !sets.into_iter().all(is_set) {
                    return Some(format!(
                        "elimination {number} has no set for {states} states of the automaton"
                    ));
                }
                let exists = match demand {
                    None => true,
                    Some(Demand::Mark(mark)) => *mark < marks,
                    Some(Demand::Class) => case.class.is_some(),
                    Some(Demand::Requirement { number, values }) => {
                        alternative.requirements.get(*number).is_some_and(|requirement| {
                            bound(&requirement.binders, values).is_some_and(|environment| {
                                semantics::exists(self.judge.instance, requirement, &environment)
                            })
                        })
                    }
                };
                if !exists {
                    return Some(format!("elimination {number} is of a demand that does not exist"));
                }
            }
        }
        None
    }

    /// Premise 5.
    fn cases(&self) -> Result<(), End> {
        let instance = self.judge.instance;
        let acting: BTreeSet<ProcessId> = instance
            .actions
            .iter()
            .flat_map(|action| &action.participants)
            .map(|(process, _)| *process)
            .collect();
        for alternative in 0..self.judge.task.fairness.alternatives.len() {
            let classes: Vec<Option<&Class>> = (self.judge.local.cases.iter())
                .filter(|case| case.alternative == alternative)
                .map(|case| case.class.as_ref())
                .collect();
            if classes.contains(&None) {
                continue;
            }
            let marks: BTreeSet<Option<usize>> = classes.iter().flatten().map(|class| class.mark).collect();
            let lacks = |mark: Option<usize>| {
                let of_mark = || classes.iter().flatten().filter(move |class| class.mark == mark);
                let process =
                    acting.iter().find(|process| !of_mark().any(|class| class.processes.contains(process)));
                match process {
                    Some(process) => {
                        Some(format!("steps of {}", instance.processes[process.0 as usize].name))
                    }
                    None if of_mark().any(|class| class.unowned) => None,
                    None => Some("`idle`, or steps of no process".to_owned()),
                }
            };
            if !marks.iter().any(|mark| lacks(*mark).is_none()) {
                let what = match marks.first() {
                    None => "there is no case".to_owned(),
                    Some(mark) => format!("no case covers {}", lacks(*mark).unwrap_or_default()),
                };
                return Err(flaw(
                    Premise::Cases,
                    format!("alternative {alternative} of the fairness: {what}"),
                ));
            }
        }
        Ok(())
    }

    /// Premise 6.
    fn reached(&mut self, number: usize, case: &Case) -> Result<(), End> {
        for state in self.automaton.initial.clone() {
            let inside = self.holds(case.reached[state])?;
            let violation = self.judge.encoder.circuit.and(self.judge.initial, !inside);
            if let Some(values) = self.judge.refute(&[violation], &mut |_, _| Ok(Missed::new()))? {
                let what = format!(
                    "case {number}: an initial state, with state {state} of the automaton, is not reached"
                );
                return Err(self.judge.broken(Premise::Reached, what, &values, None));
            }
        }
        let before = Before::new(&case.reached, None);
        let never = Obligation::never(self.moves.len());
        self.closed(&case.reached, &never, &before, Premise::Reached, &|_| {
            format!("case {number}: a step leads out of what is reached")
        })
    }

    /// Premise 7.
    fn parts(&self, number: usize, case: &Case) -> Result<(), End> {
        let states: Vec<Vec<_>> = (self.automaton.states.iter())
            .map(|edges| edges.iter().map(|edge| (edge, edge.target)).collect())
            .collect();
        let component = components(&states, &|| self.judge.encoder.budget.spend(1))?;
        let mut inside: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        for one in &self.moves {
            if component[one.source] == component[one.target] {
                let (states, marks) = inside.entry(component[one.source]).or_default();
                states.extend([one.source, one.target]);
                marks.extend(&one.marks);
            }
        }
        for (states, marks) in inside.values() {
            let has_all_marks = marks.len() == self.automaton.marks;
            let is_covered =
                case.parts.iter().any(|part| states.iter().all(|state| part.states.contains(state)));
            if has_all_marks && !is_covered {
                let what = format!("case {number}: no part contains the states {states:?} of the automaton");
                return Err(flaw(Premise::Parts, what));
            }
        }
        Ok(())
    }

    pub(crate) fn holds(&mut self, root: Root) -> Result<Lit, Halt> {
        self.judge.sets.holds(&mut self.judge.encoder, root)
    }

    /// A demand in the circuit.
    pub(crate) fn obligation(&mut self, case: &Case, demand: &Demand) -> Result<Obligation, Halt> {
        let on = |moves: &[Move], mark: usize, lit: Lit| -> Vec<Lit> {
            moves.iter().map(|one| if one.marks.contains(&mark) { lit } else { Lit::FALSE }).collect()
        };
        match demand {
            Demand::Mark(mark) => {
                let then = on(&self.moves, *mark, Lit::TRUE);
                Ok(Obligation { when: Lit::TRUE, by_step: false, then, labels: BTreeSet::new() })
            }
            Demand::Class => {
                let class =
                    case.class.clone().unwrap_or(Class { processes: Vec::new(), unowned: false, mark: None });
                let mut labels = BTreeSet::new();
                for (number, action) in self.judge.instance.actions.iter().enumerate() {
                    let by = |(process, _): &(ProcessId, String)| class.processes.contains(process);
                    if action.participants.iter().any(by) || class.unowned && action.participants.is_empty() {
                        labels.insert(number);
                    }
                }
                if class.unowned {
                    labels.insert(self.judge.instance.actions.len());
                }
                let taken: Vec<Lit> = labels.iter().map(|label| self.judge.encoder.taken(*label)).collect();
                let taken = self.judge.encoder.circuit.any(taken);
                let then = match class.mark {
                    None => vec![taken; self.moves.len()],
                    Some(mark) => on(&self.moves, mark, taken),
                };
                Ok(Obligation { when: Lit::TRUE, by_step: false, then, labels })
            }
            Demand::Requirement { number, values } => {
                let key = (case.alternative, *number, values.clone());
                if let Some(known) = self.obligations.get(&key) {
                    return Ok(known.clone());
                }
                let alternative = &self.judge.task.fairness.alternatives[case.alternative];
                let requirement = &alternative.requirements[*number];
                let environment = bound(&requirement.binders, values).unwrap_or_default();
                let (when, _) = self.judge.step_predicate(&requirement.when, environment.clone())?;
                self.judge.encoder.asked.clear();
                let (then, _) = self.judge.step_predicate(&requirement.then, environment)?;
                let labels = std::mem::take(&mut self.judge.encoder.asked);
                let by_step = requirement.when.any(&mut |expr| matches!(expr, Expr::Taken(_)));
                let obligation = Obligation { when, by_step, then: vec![then; self.moves.len()], labels };
                self.obligations.insert(key, obligation.clone());
                Ok(obligation)
            }
        }
    }

    /// A demand as text, in the user's names.
    pub(crate) fn show(&self, case: &Case, demand: &Demand) -> String {
        match demand {
            Demand::Mark(mark) => format!("mark {mark} of the automaton"),
            Demand::Class => "a step of the class".to_owned(),
            Demand::Requirement { number, values } => {
                let alternative = &self.judge.task.fairness.alternatives[case.alternative];
                let text = show::requirement(&self.judge.instance.system, &alternative.requirements[*number]);
                if values.is_empty() { format!("`{text}`") } else { format!("`{text}` for {values:?}") }
            }
        }
    }
}

/// The environment that gives binders these values, if they are in their spans.
fn bound(binders: &[model::Binder], values: &[i64]) -> Option<Environment> {
    if binders.len() != values.len() {
        return None;
    }
    let mut environment = Environment::default();
    for (binder, value) in binders.iter().zip(values) {
        let lo = semantics::rigid(&binder.span.lo, &mut environment).ok()?;
        let hi = semantics::rigid(&binder.span.hi, &mut environment).ok()?;
        if *value < lo || hi < *value {
            return None;
        }
        environment.bind(binder.index, *value);
    }
    Some(environment)
}
