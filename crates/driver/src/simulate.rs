//! Walks through a model with the reference semantics, at random or as the user chooses.
//!
//! In each state every action is evaluated. A guard that faults ends the walk at once, because every run through this
//! state meets the fault. An update that faults is offered like a step, and ends the walk if it is chosen. Random
//! choices are uniform over steps and are repeated by the seed.
//!
//! For a random initial state, each cell gets a random initial value until the result is initial. If `init`
//! predicates make that too rare, we take the first initial state. A cell that may hold any integer starts near 0.
//! Where any integer may be chosen, integers near 0 and near the values of the state are offered.

use std::sync::Arc;

use lang::Model;
use model::initial::initial_states;
use model::instance::{Cell, Start};
use model::splitmix::SplitMix;
use model::{ActionId, Fault, Instance, Label, Path, Position, State, semantics};

use crate::check::{self, Problem};
use crate::read::Names;
use crate::replay::{Run, in_words};
use crate::report::trace::Stage;
use crate::report::{Step, Trace, fault, trace};

/// How often random values are tried as an initial state.
const TRIES: usize = 1000;

/// The number of values of the state around which integers are offered, where any may be chosen.
const NEARBY: usize = 4;

/// A walk through a model, and the means to continue it.
pub struct Simulation {
    instance: Arc<Instance>,
    /// That of the model as it is written, if values are forgotten in it.
    written: Option<Arc<Instance>>,
    random: SplitMix,
    positions: Vec<Position>,
    current: State,
}

/// The possible continuations of the current state.
pub enum Next {
    /// One of these. There is at least one.
    Steps(Vec<Choice>),
    /// Nothing: no action is enabled.
    Deadlock,
    /// Evaluating a guard is a fault, described in a sentence.
    Fault(String),
}

/// A step that can be taken, or a fault.
pub struct Choice {
    /// The step as shown. It changes nothing if it is a fault.
    pub step: Step,
    /// If taking it is a fault: a sentence about it.
    pub fault: Option<String>,
    label: Label,
    target: State,
}

/// How a random walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It took all its steps.
    Done,
    /// No action is enabled in its last state.
    Deadlock,
    /// A fault, described in a sentence.
    Fault(String),
}

impl Simulation {
    /// Begins a walk in a random initial state.
    pub fn begin(model: &Model, seed: u64) -> Result<Simulation, Problem> {
        let instance = instance(model)?;
        let mut random = SplitMix(seed);
        let current = initial(&instance, &instance, &mut random)?.ok_or(Problem::NoInitialState)?;
        Ok(Simulation { instance, written: written(model), random, positions: Vec::new(), current })
    }

    /// Begins a walk in a random one of those initial states in which these names have these values. The error is a
    /// sentence.
    pub fn begin_where(model: &Model, values: &[(String, String)], seed: u64) -> Result<Simulation, String> {
        let instance = instance(model).map_err(|problem| problem.to_string())?;
        let names = Names::new(&instance);
        let mut some = (*instance).clone();
        for (name, text) in values {
            let read = names.read(name, text).map_err(|wrong| in_words(&wrong, &names))?;
            for (cell, value) in read {
                let possible = match &some.starts[cell] {
                    Start::Any => instance.cells[cell].domain.contains(value),
                    Start::Among(values) => values.contains(&value),
                };
                if !possible {
                    return Err(format!("in no initial state {}", binding(name, text)));
                }
                some.starts[cell] = Start::Among(vec![value]);
            }
        }
        let mut random = SplitMix(seed);
        let found = initial(&instance, &some, &mut random).map_err(|problem| problem.to_string())?;
        let current = found.ok_or_else(|| {
            let all: Vec<String> = values.iter().map(|(name, text)| binding(name, text)).collect();
            format!("in no initial state {}", all.join(" and "))
        })?;
        Ok(Simulation { instance, written: written(model), random, positions: Vec::new(), current })
    }

    /// Begins a walk in the initial state of this number, counted from 1 in the order of the values. The error is a
    /// sentence.
    pub fn begin_at(model: &Model, number: usize, seed: u64) -> Result<Simulation, String> {
        let instance = instance(model).map_err(|problem| problem.to_string())?;
        let endless = |(cell, start): (&Cell, &Start)| cell.domain.is_unbounded() && *start == Start::Any;
        if instance.cells.iter().zip(&instance.starts).any(endless) {
            return Err(
                "there are infinitely many initial states; choose one by values, as in x=1".to_owned()
            );
        }
        let mut found = None;
        let mut count = 0;
        for state in initial_states(&instance).take(number) {
            found = Some(state.map_err(|fault| fault::in_init(&instance, &fault))?);
            count += 1;
        }
        let current = found.filter(|_| count == number && number > 0).ok_or_else(|| match count {
            0 => "initial states are counted from 1".to_owned(),
            1 => "there is only one initial state".to_owned(),
            _ => format!("there are only {count} initial states"),
        })?;
        Ok(Simulation {
            instance,
            written: written(model),
            random: SplitMix(seed),
            positions: Vec::new(),
            current,
        })
    }

    /// Begins a walk at the end of a run.
    pub fn go_on(model: &Model, run: &Run, seed: u64) -> Result<Simulation, Problem> {
        let instance = instance(model)?;
        Ok(Simulation {
            instance,
            written: written(model),
            random: SplitMix(seed),
            positions: Vec::new(),
            current: run.path().last,
        })
    }

    /// Begins with this many steps of a run, or with all of them; they can be taken back.
    pub fn along(model: &Model, run: &Run, steps: usize, seed: u64) -> Result<Simulation, Problem> {
        let instance = instance(model)?;
        let Path { mut positions, last } = run.path();
        let current = positions.get(steps).map_or(last, |position| position.state.clone());
        positions.truncate(steps);
        Ok(Simulation { instance, written: written(model), random: SplitMix(seed), positions, current })
    }

    fn stage(&self) -> Stage<'_> {
        Stage::with(&self.instance, self.written.as_deref())
    }

    /// The walk so far.
    pub fn trace(&self) -> Trace {
        let path = Path { positions: self.positions.clone(), last: self.current.clone() };
        trace::path(self.stage(), &path)
    }

    /// What can happen now.
    pub fn next(&self) -> Next {
        let mut choices = Vec::new();
        let nearby = self.nearby();
        for action in (0..self.instance.actions.len() as u32).map(ActionId) {
            let label = Label::Action(action);
            let sentence = |fault: &Fault| fault::in_action(&self.instance, &self.current, action, fault);
            let choice = |target: State, fault: Option<String>| {
                let step = trace::step(self.stage(), label, &self.current, &target);
                Choice { step, fault, label, target }
            };
            match semantics::enabled(&self.instance, &self.current, action) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(fault) => return Next::Fault(sentence(&fault)),
            }
            match semantics::successors_with(&self.instance, &self.current, action, &|_| nearby.clone()) {
                Ok(targets) => choices.extend(targets.into_iter().map(|target| choice(target, None))),
                Err(fault) => choices.push(choice(self.current.clone(), Some(sentence(&fault)))),
            }
        }
        if choices.is_empty() { Next::Deadlock } else { Next::Steps(choices) }
    }

    /// Integers to offer where any may be chosen: a few around 0 and around the values of unbounded cells.
    fn nearby(&self) -> Vec<i64> {
        if self.instance.system.endless_choice().is_none() {
            return Vec::new();
        }
        let cells = self.instance.cells.iter().zip(&self.current.0);
        let values = cells.filter(|(cell, _)| cell.domain.is_unbounded()).map(|(_, value)| *value);
        let mut nearby: Vec<i64> = std::iter::once(0)
            .chain(values.take(NEARBY))
            .flat_map(|value| [value.saturating_sub(1), value, value.saturating_add(1)])
            .collect();
        nearby.sort_unstable();
        nearby.dedup();
        nearby
    }

    /// Takes a step. A fault leaves the walk unchanged.
    pub fn take(&mut self, choice: Choice) {
        if choice.fault.is_none() {
            let state = std::mem::replace(&mut self.current, choice.target);
            self.positions.push(Position { state, label: choice.label });
        }
    }

    /// Takes back the last step; false if there is none.
    pub fn undo(&mut self) -> bool {
        match self.positions.pop() {
            Some(position) => {
                self.current = position.state;
                true
            }
            None => false,
        }
    }

    /// The number of a random one of several choices.
    pub fn draw(&mut self, choices: &[Choice]) -> usize {
        self.random.below(choices.len() as u64) as usize
    }

    /// A random one of several choices.
    pub fn pick(&mut self, mut choices: Vec<Choice>) -> Choice {
        let number = self.draw(&choices);
        choices.swap_remove(number)
    }

    /// Takes up to this many random steps.
    pub fn walk(&mut self, steps: u64) -> Ending {
        let mut taken = 0;
        loop {
            match self.next() {
                Next::Deadlock => return Ending::Deadlock,
                Next::Fault(fault) => return Ending::Fault(fault),
                Next::Steps(_) if taken == steps => return Ending::Done,
                Next::Steps(choices) => {
                    let mut choice = self.pick(choices);
                    if let Some(fault) = choice.fault.take() {
                        return Ending::Fault(fault);
                    }
                    self.take(choice);
                    taken += 1;
                }
            }
        }
    }
}

fn written(model: &Model) -> Option<Arc<Instance>> {
    model.written.as_ref().and_then(|written| written.subject.instance()).cloned()
}

fn instance(model: &Model) -> Result<Arc<Instance>, Problem> {
    check::instance(model)?;
    Ok(Arc::clone(model.subject.instance().expect("it has just been there")))
}

/// `x = 1`, or `P@try` for a location.
fn binding(name: &str, text: &str) -> String {
    if name.ends_with('@') { format!("{name}{text}") } else { format!("{name} = {text}") }
}

/// A random initial state of an instance, or of the same with fewer initial values, if there is one.
fn initial(whole: &Instance, some: &Instance, random: &mut SplitMix) -> Result<Option<State>, Problem> {
    choose(some, random).map_err(|fault| Problem::InitFault(fault::in_init(whole, &fault)))
}

fn choose(instance: &Instance, random: &mut SplitMix) -> Result<Option<State>, Fault> {
    if instance.starts.iter().any(|start| matches!(start, Start::Among(values) if values.is_empty())) {
        return Ok(None);
    }
    for _ in 0..TRIES {
        let values = instance.cells.iter().zip(&instance.starts).map(|(cell, start)| match start {
            Start::Among(values) => values[random.below(values.len() as u64) as usize],
            Start::Any if cell.domain.is_unbounded() => random.below(17) as i64 - 8,
            Start::Any => {
                let width = cell.domain.hi.abs_diff(cell.domain.lo).saturating_add(1);
                cell.domain.lo.wrapping_add(random.below(width) as i64)
            }
        });
        let state = State(values.collect());
        if semantics::is_initial(instance, &state)? {
            return Ok(Some(state));
        }
    }
    initial_states(instance).next().transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(text: &str, seed: u64) -> Result<Simulation, Problem> {
        let loaded = lang::load("test", text, &[]);
        Simulation::begin(&loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)), seed)
    }

    const COUNTER: &str =
        "shared x: 0..3 in {0, 1}; process P { loop { up: x = x + 1; } } process Q { loop { idle: stay; } }";

    #[test]
    fn a_seed_repeats_the_walk_and_another_gives_another() {
        let trace = |seed| {
            let mut simulation = begin(COUNTER, seed).expect("a simulation");
            let ending = simulation.walk(10);
            (simulation.trace(), ending)
        };
        assert_eq!(trace(1), trace(1));
        assert!((2..20).any(|seed| trace(seed) != trace(1)));
    }

    #[test]
    fn a_walk_ends_at_a_fault_and_says_which() {
        let mut simulation = begin(COUNTER, 3).expect("a simulation");
        let ending = simulation.walk(10_000);
        assert_eq!(ending, Ending::Fault("in P.up: `x` would become 4, outside its range 0..3".to_owned()));
    }

    #[test]
    fn a_walk_ends_at_a_deadlock() {
        let mut simulation = begin("shared x: 0..1; process P { up: x = 1; }", 0).expect("a simulation");
        assert_eq!(simulation.walk(1), Ending::Deadlock);
        assert_eq!(simulation.trace().steps.len(), 1);
    }

    #[test]
    fn an_initial_state_is_chosen_by_its_values_or_its_number() {
        let text = "shared x: 0..3 = any; shared y: 0..3 = any; init x < y; process P { s: skip; }";
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let shown = |simulation: &Simulation| model::show::listed(&simulation.trace().initial);
        let wish = |name: &str, text: &str| vec![(name.to_owned(), text.to_owned())];
        for seed in 0..20 {
            let simulation = Simulation::begin_where(&model, &wish("x", "2"), seed).expect("a simulation");
            assert_eq!(shown(&simulation), "x = 2, y = 3, P@s");
        }
        let third = Simulation::begin_at(&model, 3, 0).expect("a simulation");
        assert_eq!(shown(&third), "x = 0, y = 3, P@s");
        let message = |values: &[(String, String)]| Simulation::begin_where(&model, values, 0).err();
        assert_eq!(message(&wish("x", "3")).as_deref(), Some("in no initial state x = 3"));
        assert_eq!(message(&wish("x", "9")).as_deref(), Some("in no initial state x = 9"));
        assert_eq!(message(&wish("z", "1")).as_deref(), Some("there is no `z` in the model"));
        assert_eq!(message(&wish("x", "red")).as_deref(), Some("`red` is no value of `x`"));
        let message = |number| Simulation::begin_at(&model, number, 0).err();
        assert_eq!(message(7).as_deref(), Some("there are only 6 initial states"));
        assert_eq!(message(0).as_deref(), Some("initial states are counted from 1"));
    }

    #[test]
    fn a_step_can_be_taken_back() {
        let mut simulation = begin(COUNTER, 0).expect("a simulation");
        let before = simulation.trace();
        assert!(!simulation.undo());
        let Next::Steps(choices) = simulation.next() else { panic!("there are steps") };
        let choice = simulation.pick(choices);
        simulation.take(choice);
        assert_eq!(simulation.trace().steps.len(), 1);
        assert!(simulation.undo());
        assert_eq!(simulation.trace(), before);
    }

    #[test]
    fn initial_states_are_found_even_if_they_are_rare() {
        let rare =
            "shared a: array[1..8] of 0..99 = any; init sum(i in 1..8: a[i]) == 0; process P { s: skip; }";
        let simulation = begin(rare, 0).expect("a simulation");
        let is_zero = |binding: &crate::report::Binding| binding.value == crate::report::Value::Int(0);
        assert!(simulation.trace().initial.iter().all(|b| is_zero(b) || b.located() == Some("P")));
        let none = begin("shared x: 0..3 = any; init x > 3; process P { s: skip; }", 0);
        assert_eq!(none.err(), Some(Problem::NoInitialState));
    }
}
