//! Looks for a violation in what is explored of a graph, and explores more of it.
//!
//! An invariant is tested state by state while the graph grows. For everything else the product of the graph with the
//! automaton of the violations is searched for a fair cycle. That takes as long as exploring, so it is done whenever the
//! graph has grown eightfold: a violation near the initial states is found without exploring the rest, whatever the
//! fairness, and the searches together cost at most a seventh more than the last one.

use automata::{Automaton, lift, trim};
use model::answer::{Counterexample, Site};
use model::property::Kind;
use model::{Answer, Expr, Formula, Note, Proof, Session, StopReason, Task, ground};

use super::Explicit;
use super::emptiness::accepted_run;
use super::letters::{Letters, Predicates};
use super::notes::note_realisability;
use super::product;
use super::requirements::Alternative;
use super::space::{Space, Stop};
use crate::translation::translated;
use crate::triggers::{Trigger, note_vacuity, triggers};

/// By how much a graph grows between two looks at it.
const GROWTH: usize = 8;

/// What there must not be.
pub(super) enum Target {
    /// A reachable state where this ground predicate is false.
    State(Expr),
    /// A fair run like this.
    Run(Violations),
}

/// The runs that violate a property: those that meet what is lifted and that the automaton accepts.
pub(super) struct Violations {
    /// The atoms of the property that the automaton may not know.
    atoms: Vec<Expr>,
    /// What is asked of the long run, for which no automaton is needed: requirements, as `(when, then)`.
    lifted: Vec<(Expr, Expr)>,
    /// It lists all its atoms, also those it does not need: their faults count.
    automaton: Automaton,
}

impl Target {
    /// What violates a ground property that is not CTL.
    pub(super) fn new(kind: &Kind, session: &Session<'_>) -> Result<Target, StopReason> {
        Ok(match kind {
            Kind::Invariant(invariant) => Target::State(invariant.clone()),
            Kind::Ltl(formula) => Target::Run(violations(formula, session)?),
            Kind::Never(never) => {
                let automaton = trim(never.automaton.with_atoms(never.atoms.clone()));
                Target::Run(Violations { atoms: Vec::new(), lifted: Vec::new(), automaton })
            }
            Kind::Ctl(_) => unreachable!("CTL is refused"),
        })
    }

    /// The predicate that must be true in every state, if that is all.
    pub(super) fn invariant(&self) -> Option<&Expr> {
        match self {
            Target::State(invariant) => Some(invariant),
            Target::Run(_) => None,
        }
    }
}

/// A search for a target.
#[derive(Clone, Copy)]
pub(super) struct Look<'t> {
    pub(super) engine: &'t Explicit,
    pub(super) task: &'t Task,
    pub(super) target: &'t Target,
}

impl Look<'_> {
    /// Decides the task on a space with initial states of which no more than `most` states may be expanded. Nothing is
    /// there to be found among the first `searched` expanded states; says how far it has come. `None` if the states do
    /// not suffice, or some initial states are left out and nothing is found from the others.
    pub(super) fn search<const W: usize>(
        &self,
        space: &mut Space<'_, W>,
        searched: &mut usize,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        if *searched >= most || space.is_partial() && space.ends_within(*searched) {
            return Ok(None);
        }
        match self.target {
            Target::State(_) => self.invariant(space, searched, most, session),
            Target::Run(violations) => self.runs(violations, space, searched, most, session),
        }
    }

    /// Whether a state predicate is true in every reachable state. Fairness has no part in it.
    fn invariant<const W: usize>(
        &self,
        space: &mut Space<'_, W>,
        searched: &mut usize,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        space.test_expanded(*searched, most, session)?;
        let complete = space.explore(most, session)?;
        *searched = space.expanded();
        if !complete || space.is_partial() {
            return Ok(None);
        }
        if self.engine.notes && space.is_empty() {
            session.note(Note::NoInitialState);
        } else if self.engine.notes {
            let triggers = triggers(space.instance, &self.task.property.kind);
            let occurs = |number: usize| space.is_somewhere(&triggers[number].predicate);
            note_vacuity(&triggers, &occurs, session);
        }
        Ok(Some(Answer::Holds(Proof::Exhaustive)))
    }

    /// Whether no fair run is a violation.
    fn runs<const W: usize>(
        &self,
        violations: &Violations,
        space: &mut Space<'_, W>,
        searched: &mut usize,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        let Explicit { notes, first_look, .. } = *self.engine;
        let instance = space.instance;
        let Violations { atoms, lifted, automaton } = violations;
        session.count("automaton states", automaton.states.len() as u64);
        let mut predicates = Predicates::default();
        let letter: Vec<usize> =
            automaton.atoms.iter().map(|atom| predicates.number(atom, Site::Property)).collect();
        let lifted: Vec<(Option<usize>, usize)> = lifted
            .iter()
            .map(|(when, then)| {
                let when = (*when != Expr::Bool(true)).then(|| predicates.number(when, Site::Property));
                (when, predicates.number(then, Site::Property))
            })
            .collect();
        // What is lifted may join atoms, and a fault of each of them counts by itself.
        for atom in atoms {
            predicates.number(atom, Site::Property);
        }
        let triggers = triggers(instance, &self.task.property.kind);
        let trigger = |trigger: &Trigger| predicates.number(&trigger.predicate, Site::Property);
        let numbers: Vec<usize> = triggers.iter().map(trigger).collect();
        let alternatives: Vec<Alternative> = ground::fairness(instance, &self.task.fairness)
            .alternatives
            .iter()
            .map(|assumption| Alternative::new(instance, assumption, &mut predicates))
            .collect();
        let violating: Vec<Alternative> = alternatives.iter().map(|a| a.and(&lifted)).collect();
        let mut letters = Letters::new(&space.successors.instance, &space.successors.packing, &predicates);
        loop {
            let enough = searched.saturating_mul(GROWTH).max(first_look).min(most);
            let complete = space.explore(enough, session)?;
            letters
                .look_at(space)
                .map_err(|(number, site, fault)| Stop::fault(Some(space.path(number)), site, fault))?;
            if !product::fits(space, automaton) {
                return Err(Stop::TooLarge(format!(
                    "the states have too many combinations with the {} of the automaton of the formula",
                    automaton.states.len()
                )));
            }
            if table(&letters, automaton) >= session.memory {
                return Err(Stop::TooLarge(format!(
                    "the property and the fairness tell {} kinds of steps apart, and with an automaton of {} states \
                     a table of all that can happen does not fit into the memory",
                    letters.len(),
                    automaton.states.len()
                )));
            }
            let found = accepted_run(space, &letters, automaton, &letter, &violating, session);
            if let Some(lasso) = found.map_err(Stop::Limit)? {
                return Ok(Some(Answer::Fails(Counterexample::Lasso(lasso))));
            }
            *searched = space.expanded();
            if complete && !space.is_partial() {
                break;
            }
            if complete || *searched >= most {
                return Ok(None);
            }
        }
        if notes
            && automaton.initial.is_empty()
            && let Kind::Never(never) = &self.task.property.kind
        {
            session.note(Note::EmptyAutomaton { file: never.file.clone() });
        }
        if notes && space.is_empty() {
            session.note(Note::NoInitialState);
        } else if notes {
            note_vacuity(&triggers, &|trigger| letters.occurs(space, numbers[trigger]), session);
            if !self.task.fairness.is_none() {
                note_realisability(space, &letters, &alternatives, session);
            }
        }
        Ok(Some(Answer::Holds(Proof::Exhaustive)))
    }
}

/// The violations of a ground formula.
fn violations(formula: &Formula, session: &Session<'_>) -> Result<Violations, StopReason> {
    let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
    let automaton = translated(&rest, session)?;
    // An atom that is lifted as it stands, or negated, is looked at there.
    let lifted_alone = |atom: &Expr| {
        let negated = Expr::negated(atom.clone());
        lifted.iter().any(|(when, then)| [when, then].iter().any(|part| **part == *atom || **part == negated))
    };
    let known = |atom: &Expr| automaton.atoms.contains(atom) || lifted_alone(atom);
    let atoms = formula.atoms().into_iter().filter(|atom| !known(atom)).cloned().collect();
    Ok(Violations { atoms, lifted, automaton })
}

/// About how many bytes the table of what an automaton can do on each letter takes.
fn table(letters: &Letters, automaton: &Automaton) -> u64 {
    let edges: usize = automaton.states.iter().map(Vec::len).sum();
    let of_letter = edges * (64 + automaton.marks / 8) + automaton.states.len() * 8;
    // Its places are numbered with 32 bits.
    if letters.len() * edges > u32::MAX as usize { u64::MAX } else { (letters.len() * of_letter) as u64 }
}
