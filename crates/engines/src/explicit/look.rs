//! Searches the explored part of a graph for a violation, and explores more of it.
//!
//! An invariant is tested state by state while the graph grows. For every other property, the product of the graph
//! with the automaton of the violations is searched for a fair cycle. A search takes as long as exploring, so there
//! is one when `Explicit::first_look` states are expanded, and whenever the graph has grown eightfold since. Whether
//! there is one at a later limit, too, is up to the caller. In this way a violation near the initial states is found without
//! exploring the rest, whatever the fairness, and all earlier searches together cost at most a seventh of the last
//! one. If none is found, but a path after which the property is false, whatever follows, that path is the answer
//! ([`prefix`]).

use automata::{Automaton, lift, trim};
use model::answer::{Counterexample, Lasso, Site};
use model::note::Unchecked;
use model::property::Kind;
use model::{Answer, Ctl, Expr, Formula, Note, Proof, Session, StopReason, Task, ground};

use super::Explicit;
use super::branching;
use super::emptiness::{accepted_run, no_run_is_accepted};
use super::evidence;
use super::letters::{Letters, Predicates};
use super::notes::note_realisability;
use super::prefix;
use super::product::{self, Product};
use super::reach::{self, Reach, Reached};
use super::regenerated::Regenerated;
use super::requirements::Alternative;
use super::space::{Space, Stop};
use super::states::States;
use super::successors::Successors;
use super::table::Programs;
use crate::translation::translated;
use crate::triggers::{Trigger, note_vacuity, triggers};
use crate::watch::Watch;

/// The factor by which a graph grows between two searches.
const GROWTH: usize = 8;

/// The violations of a property.
pub(super) enum Target {
    /// A reachable state where this ground predicate is false.
    State(Expr),
    /// A fair run among these.
    Run(Violations),
    /// An initial state where this ground formula is false.
    Branching(Ctl),
}

/// The runs that violate a property: those that meet the lifted requirements and that the automaton accepts.
pub(super) struct Violations {
    /// Atoms of the property that may be missing in the automaton.
    atoms: Vec<Expr>,
    /// Requirements that were lifted out of the formula, as `(when, then)`; they need no automaton.
    lifted: Vec<(Expr, Expr)>,
    /// It lists all its atoms, also those that no edge tests, because their faults count.
    pub(super) automaton: Automaton,
}

impl Target {
    /// The violations of a ground property.
    pub(super) fn new(kind: &Kind, session: &Session<'_>) -> Result<Target, StopReason> {
        Ok(match kind {
            Kind::Invariant(invariant) => Target::State(invariant.clone()),
            Kind::Ltl(formula) => Target::of_formula(formula, session)?,
            Kind::Never(never) => {
                let automaton = trim(never.automaton.with_atoms(never.atoms.clone()));
                Target::Run(Violations { atoms: Vec::new(), lifted: Vec::new(), automaton })
            }
            Kind::Ctl(formula) => Target::Branching(formula.clone()),
        })
    }

    /// The violations of a ground LTL formula.
    pub(super) fn of_formula(formula: &Formula, session: &Session<'_>) -> Result<Target, StopReason> {
        Ok(Target::Run(violations(formula, session)?))
    }

    /// The predicate that must be true in every state, if the property is an invariant.
    pub(super) fn invariant(&self) -> Option<&Expr> {
        match self {
            Target::State(invariant) => Some(invariant),
            Target::Run(_) | Target::Branching(_) => None,
        }
    }
}

/// A search for violations of one task.
#[derive(Clone, Copy)]
pub(super) struct Look<'t> {
    pub(super) engine: &'t Explicit,
    pub(super) task: &'t Task,
    pub(super) target: &'t Target,
    /// Whether to look when the limit on states is reached, although the next look is not due yet.
    pub(super) looks_at_limit: bool,
}

impl Look<'_> {
    /// Decides the task on a space with initial states, and expands at most `state_limit` states. The first
    /// `searched` expanded states are known to contain no violation; `searched` is updated. `None` if the limit is
    /// too small, or if some initial states are left out and there is no violation from the others.
    pub(super) fn search<const W: usize>(
        &self,
        space: &mut Space<'_, W>,
        searched: &mut usize,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        if *searched >= state_limit || space.is_partial() && space.ends_within(*searched) {
            return Ok(None);
        }
        match self.target {
            Target::State(_) => self.invariant(space, searched, state_limit, session),
            Target::Run(violations) => self.runs(violations, space, searched, state_limit, session),
            Target::Branching(formula) => {
                branching::decide(*self, formula, space, searched, state_limit, session)
            }
        }
    }

    /// Whether a state predicate is true in every reachable state. Fairness does not matter.
    fn invariant<const W: usize>(
        &self,
        space: &mut Space<'_, W>,
        searched: &mut usize,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        space.test_expanded(*searched, state_limit, session)?;
        let complete = space.explore(state_limit, session)?;
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
        Ok(Some(Answer::Holds(self.proof(space, None, session))))
    }

    /// Whether no fair run is a violation.
    fn runs<const W: usize>(
        &self,
        violations: &Violations,
        space: &mut Space<'_, W>,
        searched: &mut usize,
        state_limit: usize,
        session: &Session<'_>,
    ) -> Result<Option<Answer>, Stop> {
        session.count("automaton states", violations.automaton.states.len() as u64);
        let mut runs = Runs::new(self.task, violations, space.successors);
        // After a path to one of these states every run is a violation, and some run is fair with this alternative.
        let hopeless = prefix::accepting_everything(runs.automaton);
        // Against a CTL formula a path says less than a run.
        let of_runs = !matches!(self.task.property.kind, Kind::Ctl(_));
        let keepable = runs.violating.iter().position(|alternative| of_runs && alternative.is_realisable());
        loop {
            let due = self.due(*searched);
            let enough = due.min(state_limit);
            let complete = space.explore(enough, session)?;
            // The first turn ends with a look: many violations are very near.
            if !complete && enough < due && *searched > 0 && !self.looks_at_limit {
                return Ok(None);
            }
            runs.letters
                .evaluate(space)
                .map_err(|(number, site, fault)| Stop::fault(Some(space.path(number)), site, fault))?;
            runs.check_size(space, self.engine.number_limit, session).map_err(Stop::TooLarge)?;
            let product = (&runs.letters, runs.automaton, &runs.atoms[..]);
            let found =
                if no_run_is_accepted(space, product, &runs.violating, session).map_err(Stop::Limit)? {
                    Ok(None)
                } else {
                    accepted_run(space, &runs.letters, runs.automaton, &runs.atoms, &runs.violating, session)
                };
            if let Some(lasso) = found.map_err(Stop::Limit)? {
                return Ok(Some(Answer::Fails(Counterexample::Lasso(lasso))));
            }
            if !complete
                && let Some(alternative) = keepable
                && hopeless.contains(&true)
            {
                let alternative = &runs.violating[alternative];
                let product = Product::new(space, &runs.letters, runs.automaton, &runs.atoms, alternative);
                let held = space.bytes() + runs.letters.bytes();
                let mut watch = Watch::new(session, "looking for bad prefixes", "product states", held);
                if let Some(path) =
                    prefix::shortest_to(&product, &hopeless, &mut watch).map_err(Stop::Limit)?
                {
                    return Ok(Some(Answer::Fails(Counterexample::Path(path))));
                }
            }
            *searched = space.expanded();
            if complete && !space.is_partial() {
                break;
            }
            if complete || *searched >= state_limit {
                return Ok(None);
            }
        }
        if self.engine.notes
            && runs.automaton.initial.is_empty()
            && let Kind::Never(never) = &self.task.property.kind
        {
            session.note(Note::EmptyAutomaton { file: never.file.clone() });
        }
        if self.engine.notes && space.is_empty() {
            session.note(Note::NoInitialState);
        } else if self.engine.notes {
            runs.note_vacuity(space, session);
            if !self.task.fairness.is_none() {
                note_realisability(space, &runs.letters, &runs.alternatives, session);
            }
        }
        Ok(Some(Answer::Holds(self.proof(space, None, session))))
    }

    /// Whether no fair run of a large system is a violation, on states whose steps are not stored. Looks as often as a
    /// search of the space does.
    pub(super) fn runs_unstored<const W: usize>(
        &self,
        violations: &Violations,
        space: &Space<'_, W>,
        reached: &mut Reached<W>,
        mut searched: usize,
        (state_limit, shared_level): (usize, usize),
        session: &Session<'_>,
    ) -> Result<Unstored, StopReason> {
        let successors = space.successors;
        let mut runs = Runs::new(self.task, violations, successors);
        if !self.is_simple(&runs) || space.is_empty() {
            return Ok(Unstored::NotHere);
        }
        let mut programs = Programs::new(&successors.instance, &successors.packing);
        let predicate = programs.predicate(&Expr::Bool(true));
        let anything = reach::Invariant { programs: &programs, predicate };
        loop {
            let due = self.due(searched);
            let enough = due.min(state_limit);
            let reach = reached.explore(successors, &anything, enough, shared_level, session)?;
            if reach == Reach::Exception {
                return Ok(Unstored::NotHere);
            }
            let complete = reached.is_complete();
            // With so few steps evidence can be given.
            if complete && reached.size().1 <= self.engine.evidence {
                return Ok(Unstored::NotHere);
            }
            if !complete && enough < due && !self.looks_at_limit {
                return Ok(Unstored::TooManyStates);
            }
            let initial = (0..space.initial()).map(|number| space.words(number));
            let Some(graph) = Regenerated::new(reached, successors, initial) else {
                return Ok(Unstored::NotHere);
            };
            runs.letters.forget_states();
            if runs.letters.evaluate(&graph).is_err()
                || runs.check_size(&graph, self.engine.number_limit, session).is_err()
            {
                return Ok(Unstored::NotHere);
            }
            let found =
                accepted_run(&graph, &runs.letters, runs.automaton, &runs.atoms, &runs.violating, session)?;
            if let Some(lasso) = found {
                return Ok(Unstored::Fails(lasso));
            }
            if complete {
                if self.engine.notes {
                    runs.note_vacuity(&graph, session);
                }
                session.count("automaton states", runs.automaton.states.len() as u64);
                return Ok(Unstored::Holds);
            }
            drop(graph);
            searched = reached.expanded();
            if searched >= state_limit {
                return Ok(Unstored::TooManyStates);
            }
        }
    }

    /// Whether no fair run among these states, which are all, is a violation.
    pub(super) fn runs_of<const W: usize>(
        &self,
        violations: &Violations,
        successors: &Successors<W>,
        states: &impl States,
        session: &Session<'_>,
    ) -> Result<Unstored, StopReason> {
        let mut runs = Runs::new(self.task, violations, successors);
        if !self.is_simple(&runs)
            || runs.letters.evaluate(states).is_err()
            || runs.check_size(states, self.engine.number_limit, session).is_err()
        {
            return Ok(Unstored::NotHere);
        }
        session.count("automaton states", runs.automaton.states.len() as u64);
        let found =
            accepted_run(states, &runs.letters, runs.automaton, &runs.atoms, &runs.violating, session)?;
        if let Some(lasso) = found {
            return Ok(Unstored::Fails(lasso));
        }
        if self.engine.notes {
            runs.note_vacuity(states, session);
        }
        Ok(Unstored::Holds)
    }

    /// Whether there is nothing to be said beside the verdict that needs stored steps.
    fn is_simple(&self, runs: &Runs<'_>) -> bool {
        let realisable = runs.alternatives.iter().any(Alternative::is_realisable);
        (realisable || !self.engine.notes) && !runs.automaton.initial.is_empty()
    }

    /// How many states are expanded before the next search, if these have been searched.
    fn due(&self, searched: usize) -> usize {
        let first_look = self.engine.first_look;
        if searched < first_look { first_look } else { searched.saturating_mul(GROWTH) }
    }

    /// Evidence that the property holds, if it is wanted and can be had. For a CTL formula there is the labelling that
    /// decided it.
    pub(super) fn proof<const W: usize>(
        &self,
        space: &Space<'_, W>,
        labelling: Option<&branching::Labelling<'_, '_, W>>,
        session: &Session<'_>,
    ) -> Proof {
        let Explicit { evidence: edge_limit, .. } = *self.engine;
        if edge_limit == 0 {
            return Proof::Exhaustive;
        }
        let is_invariant = self.target.invariant().is_some();
        let listed = if space.is_reduced() {
            Err(Unchecked::Reduced)
        } else {
            evidence::listed(space, self.task, is_invariant, labelling, edge_limit, session)
        };
        match listed {
            Ok(listed) => Proof::Listed(Box::new(listed)),
            Err(why) => {
                session.note(Note::Unchecked(why));
                Proof::Exhaustive
            }
        }
    }
}

/// How a search without stored steps ended.
pub(super) enum Unstored {
    Holds,
    Fails(Lasso),
    /// There are more states than may be expanded.
    TooManyStates,
    /// The space must be searched: there is a state where the invariant is false or a fault, or notes need it.
    NotHere,
}

/// What a search for violating runs needs to know of a task.
pub(super) struct Runs<'v> {
    automaton: &'v Automaton,
    /// The numbers of the automaton's atoms among the predicates.
    pub(super) atoms: Vec<usize>,
    /// The alternatives of the fairness.
    alternatives: Vec<Alternative>,
    /// The same, with the requirements that were lifted out of the formula.
    pub(super) violating: Vec<Alternative>,
    /// What makes the property vacuous if it never occurs, each with its number among the predicates.
    triggers: Vec<Trigger>,
    pub(super) trigger_numbers: Vec<usize>,
    pub(super) letters: Letters,
}

impl<'v> Runs<'v> {
    pub(super) fn new<const W: usize>(
        task: &Task,
        violations: &'v Violations,
        successors: &Successors<W>,
    ) -> Runs<'v> {
        let (instance, packing) = (&successors.instance, &successors.packing);
        let Violations { atoms: others, lifted, automaton } = violations;
        let mut predicates = Predicates::default();
        let atoms: Vec<usize> =
            automaton.atoms.iter().map(|atom| predicates.number(atom, Site::Property)).collect();
        let lifted: Vec<(Option<usize>, usize)> = lifted
            .iter()
            .map(|(when, then)| {
                let when = (*when != Expr::Bool(true)).then(|| predicates.number(when, Site::Property));
                (when, predicates.number(then, Site::Property))
            })
            .collect();
        // A lifted requirement may combine several atoms, but a fault in each of them counts.
        for atom in others {
            predicates.number(atom, Site::Property);
        }
        let triggers = triggers(instance, &task.property.kind);
        let trigger = |trigger: &Trigger| predicates.number(&trigger.predicate, Site::Property);
        let trigger_numbers = triggers.iter().map(trigger).collect();
        let alternatives: Vec<Alternative> = ground::fairness(instance, &task.fairness)
            .alternatives
            .iter()
            .map(|assumption| Alternative::new(instance, assumption, &mut predicates))
            .collect();
        let violating = alternatives.iter().map(|a| a.and(&lifted)).collect();
        let letters = Letters::new(instance, packing, &predicates);
        Runs { automaton, atoms, alternatives, violating, triggers, trigger_numbers, letters }
    }

    /// Whether the product of some states with the automaton can be searched. The error is a sentence that says why not.
    fn check_size(
        &self,
        states: &impl States,
        number_limit: usize,
        session: &Session<'_>,
    ) -> Result<(), String> {
        let of_automaton = self.automaton.states.len();
        if !product::fits(states, self.automaton, number_limit) {
            return Err(format!(
                "the states have too many combinations with the {of_automaton} of the automaton of the formula"
            ));
        }
        if product::table_bytes(&self.letters, self.automaton) >= session.memory {
            return Err(format!(
                "the property and the fairness tell {} kinds of steps apart, and with an automaton of {of_automaton} \
                 states a table of all that can happen does not fit into the memory",
                self.letters.len(),
            ));
        }
        Ok(())
    }

    /// Notes that the property is vacuous, if it is.
    fn note_vacuity(&self, states: &impl States, session: &Session<'_>) {
        let occurs = |trigger: usize| self.letters.occurs(states, self.trigger_numbers[trigger]);
        note_vacuity(&self.triggers, &occurs, session);
    }
}

/// The violations of a ground formula.
fn violations(formula: &Formula, session: &Session<'_>) -> Result<Violations, StopReason> {
    let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
    let automaton = translated(&rest, session)?;
    // An atom that is a lifted predicate by itself, perhaps negated, is evaluated there.
    let lifted_alone = |atom: &Expr| {
        let negated = Expr::negated(atom.clone());
        lifted.iter().any(|(when, then)| [when, then].iter().any(|part| **part == *atom || **part == negated))
    };
    let known = |atom: &Expr| automaton.atoms.contains(atom) || lifted_alone(atom);
    let atoms = formula.atoms().into_iter().filter(|atom| !known(atom)).cloned().collect();
    Ok(Violations { atoms, lifted, automaton })
}
