//! Walks through the state graph of a text with the reference semantics.

use std::collections::BTreeSet;
use std::sync::Arc;

use lang::Model;
use model::initial::initial_states;
use model::semantics::{self, Fault, Step};
use model::show::{self, Binding};
use model::{Instance, State};

/// The model of a text without errors.
pub(crate) fn model(text: &str) -> Model {
    model_with(text, &[])
}

/// The same with values given by `--set`.
pub(crate) fn model_with(text: &str, settings: &[(&str, &str)]) -> Model {
    let settings: Vec<(String, String)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let loaded = lang::load("test", text, &settings);
    loaded.model.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics))
}

/// A system in a state.
pub(crate) struct Walk {
    pub(crate) instance: Arc<Instance>,
    pub(crate) state: State,
}

/// The instance of a text without open parameters.
fn instance(text: &str) -> Arc<Instance> {
    Arc::clone(model(text).subject.instance().expect("no open parameters"))
}

/// Bindings on one line.
fn line(bindings: &[Binding]) -> String {
    bindings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Starts in the first initial state.
pub(crate) fn start(text: &str) -> Walk {
    let instance = instance(text);
    let state = initial_states(&instance).next().expect("an initial state").expect("no fault");
    Walk { instance, state }
}

/// All initial states, each on a line.
pub(crate) fn initial(text: &str) -> Vec<String> {
    let instance = instance(text);
    let states =
        initial_states(&instance).map(|state| line(&show::state(&instance, &state.expect("no fault"))));
    states.collect()
}

impl Walk {
    /// The state.
    pub(crate) fn here(&self) -> String {
        line(&show::state(&self.instance, &self.state))
    }

    fn steps(&self) -> Vec<Step> {
        semantics::steps(&self.instance, &self.state).expect("no fault")
    }

    fn name(&self, step: &Step) -> String {
        show::label(&self.instance, step.label)
    }

    /// The actions that can be taken, each once.
    pub(crate) fn enabled(&self) -> Vec<String> {
        let mut names: Vec<String> = self.steps().iter().map(|step| self.name(step)).collect();
        names.dedup();
        names
    }

    /// The outcomes of an action: what each changes, one per line.
    pub(crate) fn outcomes(&self, action: &str) -> Vec<String> {
        let steps = self.steps();
        let steps = steps.iter().filter(|step| self.name(step) == action);
        steps.map(|step| line(&show::changes(&self.instance, &self.state, &step.target))).collect()
    }

    /// Takes an action with a single outcome and returns what changed.
    pub(crate) fn take(&mut self, action: &str) -> String {
        let outcomes = self.outcomes(action);
        assert_eq!(outcomes.len(), 1, "outcomes of {action} in {}", self.here());
        self.take_to(action, &outcomes[0])
    }

    /// Takes an action to one of its outcomes.
    pub(crate) fn take_to(&mut self, action: &str, outcome: &str) -> String {
        let steps = self.steps();
        let step = steps.into_iter().find(|step| {
            self.name(step) == action
                && line(&show::changes(&self.instance, &self.state, &step.target)) == outcome
        });
        let step = step.unwrap_or_else(|| panic!("{action} to {outcome} in {}", self.here()));
        self.state = step.target;
        outcome.to_owned()
    }

    /// The fault that happens in this state.
    pub(crate) fn fault(&self) -> Fault {
        semantics::steps(&self.instance, &self.state).expect_err("a fault")
    }

    /// The number of reachable states.
    pub(crate) fn reachable(&self) -> usize {
        let mut seen = BTreeSet::from([self.state.clone()]);
        let mut pending = vec![self.state.clone()];
        while let Some(state) = pending.pop() {
            for step in semantics::steps(&self.instance, &state).expect("no fault") {
                if seen.insert(step.target.clone()) {
                    pending.push(step.target);
                }
            }
        }
        seen.len()
    }

    /// The truth of a state predicate of the first check of the same text.
    pub(crate) fn holds(&self, predicate: &model::Expr) -> bool {
        semantics::state_predicate(&self.instance, predicate, &self.state).expect("no fault")
    }
}

/// The system of a text, for its tables.
pub(crate) fn system(text: &str) -> Arc<model::System> {
    Arc::clone(model(text).system())
}
