//! Exported SMV models have the states and steps of the reference semantics.
//!
//! The text is read back and evaluated by a reader that knows SMV but nothing of ours. On random models we compare
//! the initial states, the actions with their successors in each reachable state, and the faults. Fairness and
//! specifications are compared with `NuSMV`, where it is installed. `FAIRLY_SMV_MODELS` and `FAIRLY_SEED` choose how
//! many models and which.

use std::collections::{BTreeMap, BTreeSet};

use exchange::export::identifier;
use model::initial::initial_states;
use model::instance::Instance;
use model::{Label, State, Task, semantics};

use crate::differential::generate;
use crate::differential::random::Random;
use crate::smv::{self, Smv};

/// The greatest number of states of a model.
const LIMIT: usize = 300;

/// The greatest number of pairs of actions that are tried in the states of a model.
const PAIRS: usize = 40_000;

/// An exported text, read back, with its instance.
struct Pair {
    instance: Instance,
    smv: Smv,
    /// Per cell, its name in the text.
    cells: Vec<String>,
}

impl Pair {
    fn new(task: &Task, text: &str) -> Pair {
        let instance = Instance::new(task.system().clone()).expect("an instance");
        // The comment after a variable or a constant says which cell it is.
        let named: BTreeMap<&str, &str> = text
            .lines()
            .filter_map(|line| {
                let (declared, cell) = line.split_once("; -- ")?;
                Some((cell, declared.split_whitespace().next()?))
            })
            .collect();
        let cells = instance.cells.iter().map(|cell| named[cell.name.as_str()].to_owned()).collect();
        Pair { smv: Smv::read(text), instance, cells }
    }

    /// A state of ours as a state of the text, after no action.
    fn state(&self, state: &State) -> smv::State {
        let mut values: smv::State = self.smv.variables.iter().map(|name| (name.clone(), 0)).collect();
        for name in acts(&self.smv) {
            values.insert(name.to_owned(), self.smv.symbols["off"]);
        }
        for (name, value) in self.cells.iter().zip(&state.0) {
            if values.contains_key(name) {
                values.insert(name.clone(), *value);
            }
        }
        values
    }

    /// The values of our cells.
    fn back(&self, values: &smv::State) -> State {
        State(
            self.cells
                .iter()
                .map(|name| self.smv.value(&smv::Expr::Name(name.clone()), values, values))
                .collect(),
        )
    }

    /// The initial states according to the text.
    fn initial(&self) -> BTreeSet<State> {
        let mut states = vec![smv::State::new()];
        for name in &self.smv.variables {
            let values = match self.smv.init.get(name) {
                Some(value) => self.smv.values(value, &smv::State::new(), &smv::State::new()),
                None => self.smv.domains[name].clone(),
            };
            let extended = |state: &smv::State| {
                let state = state.clone();
                values.clone().into_iter().map(move |value| {
                    let mut state = state.clone();
                    state.insert(name.clone(), value);
                    state
                })
            };
            states = states.iter().flat_map(extended).collect();
        }
        let admissible = |s: &smv::State| self.smv.initial.iter().all(|e| self.smv.value(e, s, s) != 0);
        states.iter().filter(|state| admissible(state)).map(|state| self.back(state)).collect()
    }

    /// The steps according to the text: the names of actions, and successors.
    fn steps(&self, state: &State) -> BTreeSet<(String, State)> {
        let now = self.state(state);
        let mut steps = BTreeSet::new();
        // Everything the processes might do, each alone and two at once.
        let off = self.smv.symbols.get("off").copied();
        let acting = |choice: &smv::State| acts(&self.smv).filter(|name| Some(choice[*name]) != off).count();
        let mut choices = vec![now.clone()];
        for name in acts(&self.smv) {
            let set = |choice: &smv::State, value: &i64| {
                let mut choice = choice.clone();
                choice.insert(name.to_owned(), *value);
                choice
            };
            let extended = choices.iter().flat_map(|choice| {
                self.smv.domains[name].iter().map(move |value| set(choice, value)).collect::<Vec<_>>()
            });
            choices = extended.filter(|choice| acting(choice) <= 2).collect();
        }
        for mut next in choices {
            if self.smv.steps.iter().any(|constraint| self.smv.value(constraint, &now, &next) == 0) {
                continue;
            }
            let choice = next.clone();
            for name in self.cells.iter().filter(|name| now.contains_key(*name)) {
                let value = self.smv.value(&self.smv.next[name], &now, &choice);
                assert!(self.smv.domains[name].contains(&value), "`{name}` becomes {value}");
                next.insert(name.clone(), value);
            }
            steps.insert((self.action(&next), self.back(&next)));
        }
        steps
    }

    /// The action that led to a state of the text.
    fn action(&self, state: &smv::State) -> String {
        let off = self.smv.symbols.get("off").copied();
        let taken: Vec<i64> =
            acts(&self.smv).map(|name| state[name]).filter(|value| Some(*value) != off).collect();
        let symbol = match taken[..] {
            [] => return "idle".to_owned(),
            [value] => self.smv.symbols.iter().find(|(_, number)| **number == value).expect("a symbol").0,
            _ => panic!("two processes act at once: {state:?}"),
        };
        let symbol = symbol.trim_end_matches('_');
        let stem = symbol.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        let names = self.instance.actions.iter().map(|action| &action.name);
        let exact = names.clone().find(|name| identifier(name) == symbol);
        let found = exact.or_else(|| names.clone().find(|name| identifier(name) == stem));
        found.unwrap_or_else(|| panic!("`{symbol}` is no action")).clone()
    }

    /// Whether the text reports a fault of the system in a state.
    fn broken(&self, state: &State) -> bool {
        let now = self.state(state);
        self.smv.definitions.get("broken").is_some_and(|broken| self.smv.value(broken, &now, &now) != 0)
    }
}

/// The variables that record the last action of each process.
fn acts(smv: &Smv) -> impl Iterator<Item = &str> {
    // No name of the generator begins like this.
    smv.variables.iter().map(String::as_str).filter(|name| name.starts_with("act_"))
}

#[test]
fn the_exported_text_has_the_states_steps_and_faults_of_the_semantics() {
    let (count, seed) = (crate::setting("FAIRLY_SMV_MODELS", 50), crate::setting("FAIRLY_SEED", 2026));
    let (mut states, mut steps, mut faults, mut deadlocks) = (0, 0, 0, 0);
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        let exported = model.checks.iter().find_map(|check| {
            let exported = exchange::export::smv(std::slice::from_ref(&check.task)).ok()?;
            Some((&check.task, exported.text))
        });
        let Some((task, text)) = exported else { continue };
        let pair = Pair::new(task, &text);
        let Ok(initial) = initial_states(&pair.instance).collect::<Result<BTreeSet<State>, _>>() else {
            continue;
        };
        assert_eq!(pair.initial(), initial, "seed {seed}, model {number}\n{source}\n{text}");
        let actions: usize = acts(&pair.smv).map(|name| pair.smv.domains[name].len()).sum();
        let limit = LIMIT.min(PAIRS / (actions * actions).max(1));
        let mut known = initial.clone();
        let mut open: Vec<State> = initial.into_iter().collect();
        while let Some(state) = open.pop() {
            states += 1;
            match semantics::steps(&pair.instance, &state) {
                Err(_) => {
                    faults += 1;
                    assert!(pair.broken(&state), "seed {seed}, model {number}, {state:?}\n{source}\n{text}");
                }
                Ok(ours) => {
                    let name = |label: Label| match label {
                        Label::Action(action) => pair.instance.action(action).name.clone(),
                        Label::Idle => "idle".to_owned(),
                    };
                    let expected: BTreeSet<(String, State)> =
                        ours.iter().map(|step| (name(step.label), step.target.clone())).collect();
                    steps += expected.len();
                    deadlocks += usize::from(ours[0].label == Label::Idle);
                    assert_eq!(
                        pair.steps(&state),
                        expected,
                        "seed {seed}, model {number}, {state:?}\n{source}\n{text}"
                    );
                    assert!(!pair.broken(&state), "seed {seed}, model {number}, {state:?}\n{source}\n{text}");
                    for step in ours {
                        if known.len() < limit && known.insert(step.target.clone()) {
                            open.push(step.target);
                        }
                    }
                }
            }
        }
    }
    println!(
        "{count} models, seed {seed}: {states} states, {steps} steps, {faults} faults, {deadlocks} deadlocks"
    );
    assert!(
        steps as u64 > count && faults > 0 && deadlocks > 0,
        "{steps} steps, {faults} faults, {deadlocks} deadlocks"
    );
}
