//! A walk through a model, as plain data: where it begins and which step was chosen each time. The same walk leads to the
//! same state, so to take a step back is to leave out the last choice, and to try something else from an earlier state is
//! to leave out more.

use driver::replay::{self, Saved};
use driver::{Next, Simulation, World};

use super::Document;
use crate::Trace;
use crate::report::Step;

/// A walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Where it begins.
    pub beginning: Beginning,
    /// Which of the steps on offer is taken each time, counted from 0.
    pub choices: Vec<usize>,
    /// How many random steps are taken then.
    pub random: u64,
    /// The seed of what is random. The walk of `fairly simulate --seed` is that of the same seed here.
    pub seed: u64,
}

/// Where a walk begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// In a random initial state.
    #[default]
    Random,
    /// In the initial state of this number, counted from 1.
    Number(usize),
    /// In a random one of the initial states in which these names have these values.
    Values(Vec<(String, String)>),
    /// With this many steps of a run, such as a counterexample.
    Along(Saved, usize),
}

/// Where a walk has led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    /// All its states and steps.
    pub trace: Trace,
    /// The choices that led there, the random ones included.
    pub choices: Vec<usize>,
    /// What can happen next.
    pub next: Continuation,
}

/// What can happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// One of these.
    Steps(Vec<Offer>),
    /// Nothing: no action is enabled.
    Deadlock,
    /// A fault ends the run here, in a sentence.
    Fault(String),
}

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The step.
    pub step: Step,
    /// If taking it is a fault: a sentence about it.
    pub fault: Option<String>,
}

/// Takes a walk. The error is a sentence.
pub fn simulate(document: &Document, walk: &Walk) -> Result<Walked, String> {
    document.no_program("there is no walk through its unbounded integers")?;
    let model = document.checked_model().map_err(|obstacle| obstacle.to_string())?;
    let mut simulation = match &walk.beginning {
        Beginning::Random => Simulation::begin(model, walk.seed).map_err(|problem| problem.to_string())?,
        Beginning::Number(number) => Simulation::begin_at(model, *number, walk.seed)?,
        Beginning::Values(values) => Simulation::begin_where(model, values, walk.seed)?,
        Beginning::Along(saved, steps) => {
            let run = replay::read(model, saved)?;
            let model = run.model(model, &World::unlimited());
            if let Some(flaw) = run.flaw(model, &World::unlimited()) {
                return Err(format!("it is no run of this model: {flaw}"));
            }
            Simulation::along(model, &run, *steps, walk.seed).map_err(|problem| problem.to_string())?
        }
    };
    let mut choices = Vec::new();
    let mut random = walk.random;
    loop {
        let offers = match simulation.next() {
            Next::Steps(offers) => offers,
            Next::Deadlock => return Ok(walked(&simulation, choices, Continuation::Deadlock)),
            Next::Fault(fault) => return Ok(walked(&simulation, choices, Continuation::Fault(fault))),
        };
        let number = if let Some(number) = walk.choices.get(choices.len()) {
            if *number >= offers.len() {
                let step = choices.len() + 1;
                return Err(format!(
                    "choice {step} is number {number}, but there are {} steps",
                    offers.len()
                ));
            }
            *number
        } else if random > 0 {
            random -= 1;
            simulation.draw(&offers)
        } else {
            let offers = offers.into_iter().map(|choice| Offer { step: choice.step, fault: choice.fault });
            return Ok(walked(&simulation, choices, Continuation::Steps(offers.collect())));
        };
        let Some(chosen) = offers.into_iter().nth(number) else { continue };
        choices.push(number);
        if let Some(fault) = chosen.fault {
            return Ok(walked(&simulation, choices, Continuation::Fault(fault)));
        }
        simulation.take(chosen);
    }
}

fn walked(simulation: &Simulation, choices: Vec<usize>, next: Continuation) -> Walked {
    Walked { trace: simulation.trace(), choices, next }
}
