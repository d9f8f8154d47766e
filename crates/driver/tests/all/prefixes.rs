//! What is shown of a violation: a path if the property is false after it, whatever follows, and otherwise a loop.
//!
//! Random models go through `check`, `explain` and `advise`. What they show is replayed with the reference semantics, and
//! whether a formula can still become true is decided here, on the automaton that `automata` makes of it, which the
//! judge does not know. The oracle decides that no kind of fairness helps where the advice says so, and whether the
//! property holds if something is assumed as well that rules a run out. `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many
//! random models and which.

use std::collections::{BTreeMap, BTreeSet};

use certify::oracle;
use driver::advise::{Hopeless, Needs};
use driver::explain::{Effect, Explanation, Remedies};
use driver::report::{Counterexample, Kind as Shown};
use driver::{FairnessOption, Options, Trace, Verdict, World};
use model::property::Kind;
use model::{
    ActionId, Automaton, Expr, Fairness, Formula, Instance, Label, Position, Property, State, Task, ground,
    semantics, show,
};

use crate::differential::generate;
use crate::differential::random::Random;

/// The oracle is not asked about more states or tableau nodes.
const LIMIT: usize = 3_000;

/// Numbers of results, by name.
type Tally = BTreeMap<&'static str, u64>;

#[test]
fn a_violation_is_shown_as_a_path_iff_nothing_after_it_matters() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 70), crate::setting("FAIRLY_SEED", 16));
    let mut tally = Tally::new();
    let mut number = 0;
    while tally.get("failing").copied().unwrap_or(0) < count {
        let source = generate::source(&mut Random::new(seed, number));
        number += 1;
        if let Some(model) = lang::load("random", &source, &[]).model {
            examine(&model, &format!("seed {seed}, model {}:\n{source}", number - 1), &mut tally);
        }
    }
    println!("{number} models: {tally:?}");
    for what in ["a path", "a loop", "advice with a path", "advice with a loop", "enough", "not enough"] {
        assert!(tally.get(what).is_some_and(|times| *times > count / 20), "{what} is rare: {tally:?}");
    }
}

fn examine(model: &lang::Model, about: &str, tally: &mut Tally) {
    let options = Options { explain: true, ..Options::default() };
    let report = driver::check(model, &options, &World::unlimited(), &mut |_, _| {}).expect("a report");
    let advised = driver::advise(
        model,
        &options,
        &driver::advise::Wanted::sets(1),
        None,
        &World::unlimited(),
        &mut |_, _| {},
    );
    let advised = advised.expect("advice");
    for ((outcome, advice), check) in report.outcomes.iter().zip(&advised).zip(&model.checks) {
        let task = &check.task;
        let about = format!("{about}\n{}", outcome.property);
        let instance = task.instance().expect("no parameters");
        let formula = match ground::kind(instance, &task.property.kind) {
            Kind::Ltl(formula) => formula,
            Kind::Ctl(formula) if formula.of_all_runs().is_some() => formula.of_all_runs().expect("it is"),
            _ => continue,
        };
        if outcome.verdict != Verdict::Fails || outcome.is_fault() {
            continue;
        }
        let counterexample = outcome.counterexample.as_ref().expect("a counterexample");
        if !matches!(counterexample.kind, Shown::Lasso | Shown::Prefix) {
            continue;
        }
        *tally.entry("failing").or_default() += 1;
        let hope = Hope::new(instance, &formula);
        let is_path = hope.verify(counterexample, &about);
        *tally.entry(if is_path { "a path" } else { "a loop" }).or_default() += 1;
        let Some(Explanation::Fails(failure)) = &outcome.explanation else {
            panic!("no explanation: {about}")
        };
        assert_eq!(failure.remedies.is_none(), is_path, "who waits, and for what: {about}");
        if let Some(remedies) = &failure.remedies {
            effects(task, remedies, &about, tally);
        }
        assert_eq!(failure.steps.len(), counterexample.trace.as_ref().map_or(0, |trace| trace.steps.len()));
        if let Some(shown) = &advice.counterexample {
            let is_path = hope.verify(shown, &about);
            *tally.entry(if is_path { "advice with a path" } else { "advice with a loop" }).or_default() += 1;
            assert_eq!(is_path, advice.needs == Needs::Hopeless(Hopeless::Prefix), "{about}");
            if is_path {
                no_fairness_helps(task, &about);
            }
        }
    }
}

/// Asks the oracle what becomes of the property under each assumption that rules a run out.
fn effects(task: &Task, remedies: &Remedies, about: &str, tally: &mut Tally) {
    let rungs = remedies.effects.iter().map(|(rung, effect)| {
        (
            rung.name().to_owned(),
            rung.replacement(task.system()).expect("it replaces the declared one"),
            effect,
        )
    });
    let single = remedies
        .weakest
        .iter()
        .chain(&remedies.conditions)
        .chain(&remedies.environment)
        .chain(&remedies.choice)
        .map(|remedy| {
            (remedy.text.clone(), Fairness::all_of(vec![remedy.requirement.clone()]), &remedy.effect)
        });
    for (name, more, effect) in rungs.chain(single) {
        let fairness = task.fairness.and(&more);
        let Ok(decision) = oracle::decide(&Task { fairness: fairness.clone(), ..task.clone() }, LIMIT) else {
            continue;
        };
        match effect {
            Effect::Unknown => continue,
            Effect::Fails => assert!(!decision.holds(), "under {name}: {about}"),
            Effect::Vacuous(_) | Effect::Empty | Effect::Brittle => {
                assert!(decision.holds(), "under {name}: {about}");
            }
            Effect::Holds => {
                assert!(decision.holds(), "under {name}: {about}");
                // Something is left that is fair.
                let kind = Kind::Ltl(Formula::Atom(Expr::Bool(false)));
                let property = Property { kind, ..task.property.clone() };
                if let Ok(empty) = oracle::decide(&Task { property, fairness, ..task.clone() }, LIMIT) {
                    assert!(!empty.holds(), "under {name} no run is fair: {about}");
                    if remedies.conditions.iter().any(|remedy| remedy.text == name) {
                        *tally.entry("enough as a condition").or_default() += 1;
                    }
                }
            }
        }
        *tally.entry(if decision.holds() { "enough" } else { "not enough" }).or_default() += 1;
    }
}

/// Asks the oracle about every kind of fairness.
fn no_fairness_helps(task: &Task, about: &str) {
    for rung in driver::advise::RUNGS.into_iter().filter(|rung| *rung != FairnessOption::Declared) {
        let fairness = rung.replacement(task.system()).expect("it replaces the declared one");
        if let Ok(decision) = oracle::decide(&Task { fairness, ..task.clone() }, LIMIT) {
            assert_ne!(decision.why, oracle::Why::Holds, "under {}: {about}", rung.name());
        }
    }
}

/// Whether a formula can still become true.
struct Hope<'a> {
    instance: &'a Instance,
    automaton: Automaton,
    /// The states of the automaton that accept some word.
    live: BTreeSet<usize>,
}

impl<'a> Hope<'a> {
    fn new(instance: &'a Instance, formula: &Formula) -> Hope<'a> {
        let automaton = automata::translate(formula, &|_| false).expect("a small automaton");
        // The states that can be reached from a state by at least one edge.
        let reach = |from: usize| {
            let mut reached: BTreeSet<usize> = BTreeSet::new();
            let mut pending = vec![from];
            while let Some(state) = pending.pop() {
                let targets = automaton.states[state].iter().map(|edge| edge.target);
                pending.extend(targets.filter(|target| reached.insert(*target)));
            }
            reached
        };
        let reached: Vec<BTreeSet<usize>> = (0..automaton.states.len()).map(reach).collect();
        let is_core = |state: &usize| {
            let inside = |other: usize| reached[*state].contains(&other) && reached[other].contains(state);
            let within = (0..automaton.states.len()).filter(|other| inside(*other));
            let edges = within.flat_map(|other| &automaton.states[other]).filter(|edge| inside(edge.target));
            let marks: BTreeSet<usize> = edges.flat_map(|edge| edge.marks.iter().copied()).collect();
            inside(*state) && marks.len() == automaton.marks
        };
        let core: BTreeSet<usize> = (0..automaton.states.len()).filter(is_core).collect();
        let is_live = |state: &usize| core.contains(state) || !core.is_disjoint(&reached[*state]);
        let live = (0..automaton.states.len()).filter(is_live).collect();
        Hope { instance, automaton, live }
    }

    /// The states of the automaton after a position.
    fn after(&self, states: &BTreeSet<usize>, state: &State, label: Label) -> BTreeSet<usize> {
        let position = Position { state: state.clone(), label };
        let truth = |atom| semantics::step_predicate(self.instance, atom, &position).expect("no fault");
        let letter: Vec<bool> = self.automaton.atoms.iter().map(truth).collect();
        let edges = states.iter().flat_map(|state| &self.automaton.states[*state]);
        edges.filter(|edge| edge.cube.admits(|atom| letter[atom])).map(|edge| edge.target).collect()
    }

    /// Whether the formula is false after some steps, whatever follows: on every letter of the last state.
    fn is_lost(&self, states: &BTreeSet<usize>, last: &State) -> bool {
        let actions = (0..self.instance.actions.len() as u32).map(|action| Label::Action(ActionId(action)));
        actions.chain([Label::Idle]).all(|label| self.after(states, last, label).is_disjoint(&self.live))
    }

    /// Whether a path is shown. It must be lost at its end and not before, and a loop never.
    fn verify(&self, counterexample: &Counterexample, about: &str) -> bool {
        let trace = counterexample.trace.as_ref().expect("a trace");
        let (positions, last) = replayed(self.instance, trace).unwrap_or_else(|| panic!("no run: {about}"));
        let mut states: BTreeSet<usize> = self.automaton.initial.iter().copied().collect();
        let is_path = trace.cycle.is_none();
        assert!(!is_path || counterexample.ledger.is_empty(), "a path is not fair: {about}");
        let cycle = trace.cycle.unwrap_or(positions.len());
        let rounds = if is_path { 0 } else { self.automaton.states.len() + 1 };
        let unrolled = positions.iter().chain((0..rounds).flat_map(|_| &positions[cycle..]));
        for Position { state, label } in unrolled {
            assert!(!self.is_lost(&states, state), "false already, whatever follows: {about}");
            states = self.after(&states, state, *label);
        }
        assert_eq!(self.is_lost(&states, &last), is_path, "{about}");
        is_path
    }
}

/// The steps of a trace and its last state, if it is a run of the model.
fn replayed(instance: &Instance, trace: &Trace) -> Option<(Vec<Position>, State)> {
    let mut initial = model::initial::initial_states(instance).map(|state| state.expect("no fault"));
    let mut state = initial.find(|state| show::state(instance, state) == trace.initial)?;
    let mut positions = Vec::new();
    for step in &trace.steps {
        let steps = semantics::steps(instance, &state).expect("no fault");
        let taken = steps.into_iter().find(|candidate| {
            show::label(instance, candidate.label) == step.action
                && show::changes(instance, &state, &candidate.target) == step.changes
        })?;
        positions.push(Position { state, label: taken.label });
        state = taken.target;
    }
    Some((positions, state))
}
