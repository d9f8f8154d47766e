//! The abstract system as plain data, for drawing: what the engine searches when it answers for every number of processes.
//!
//! A state binds, for each letter that some process has, how many do (`2+` is two or more), then what is kept of the order
//! of processes, then the shared variables. A step has the name of its action, with the letters between which
//! processes move. If the property names a process, its letter is marked with the name of the index.

use model::show::{self as shown, Binding, Spot, SpotName, Value};
use model::{Refusal, Session, StopReason, Task};

use super::Counter;
use super::class;
use super::contexts::{Abstract, Fold};
use super::emptiness::moves;
use super::meter::Meter;
use super::show;
use super::space::{AbstractStep, Stop};

/// The abstract system of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The states; the first ones that are listed in `initial` are where runs begin.
    pub states: Vec<Vec<Binding>>,
    /// The initial states.
    pub initial: Vec<usize>,
    /// Source, target and name of each step. Steps that look alike are one.
    pub steps: Vec<(usize, usize, String)>,
}

/// Why there is no abstract system to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDrawn {
    /// Processes cannot be counted.
    Refused(Refusal),
    /// It has more states than wanted.
    TooLarge,
    /// A limit was reached.
    Stopped(StopReason),
    /// Something else is wrong, in words.
    Other(String),
}

impl Counter {
    /// The abstract system in which a property is decided, with at most so many states.
    pub fn drawn(&self, task: &Task, most: usize, session: &Session<'_>) -> Result<Drawn, NotDrawn> {
        let class = std::sync::Arc::new(class::class(task).map_err(NotDrawn::Refused)?);
        let mut abstraction = self.cache.take(task.system(), &class, 0).ok_or(NotDrawn::TooLarge)?;
        abstraction.explore(None, most.saturating_mul(STEPS_PER_STATE), session).map_err(not_drawn)?;
        let (fold, space) = abstraction.explored();
        if space.states.len() > most {
            return Err(NotDrawn::TooLarge);
        }
        let meter = Meter::new(session, "drawing", "states");
        let mut drawn = Drawn {
            states: Vec::new(),
            initial: space.initial.iter().map(|state| *state as usize).collect(),
            steps: Vec::new(),
        };
        for state in &space.states {
            drawn.states.push(bindings(fold, state, &meter).map_err(not_drawn)?);
        }
        for step in &space.steps {
            let drawn_step = (step.source as usize, step.target as usize, named(fold, step));
            // The steps that leave a state are adjacent.
            let mut same = drawn.steps.iter().rev().take_while(|known| known.0 == drawn_step.0);
            if !same.any(|known| *known == drawn_step) {
                drawn.steps.push(drawn_step);
            }
        }
        Ok(drawn)
    }
}

/// A state has at most about so many steps, one per context and effect.
pub(super) const STEPS_PER_STATE: usize = 1_000;

/// Why there is no abstract system to draw.
pub(super) fn not_drawn(stop: Stop) -> NotDrawn {
    match stop {
        Stop::Stopped(stop) => NotDrawn::Stopped(stop),
        Stop::TooLarge(_) => NotDrawn::TooLarge,
        Stop::Fault(fault) => NotDrawn::Other(format!("a fault may be reachable: {fault}")),
        Stop::TwoOrders => {
            NotDrawn::Other("both tickets and indices decide the order of processes".to_owned())
        }
        Stop::NoCount(name) => NotDrawn::Other(format!("`{name}` is not shown to count processes")),
        Stop::Unbalanced => {
            NotDrawn::Other("numbers of processes are compared, and their difference has no bound".to_owned())
        }
    }
}

/// The bindings of a state.
pub(super) fn bindings(fold: &mut Fold, state: &Abstract, meter: &Meter<'_>) -> Result<Vec<Binding>, Stop> {
    let binding = |name: String, value: String| Binding {
        spot: Spot::Variable(SpotName::from(name.as_str())),
        value: Value::Member(value),
    };
    let mut all = Vec::new();
    for &(letter, count) in &state.counts {
        let more = if fold.letters.is_saturated(letter, count) { "+" } else { "" };
        all.push(binding(format!("#({})", show::letter(fold, letter)), format!("{count}{more}")));
    }
    for (family, whole) in state.whole.iter().enumerate() {
        for (component, kept) in fold.letters.components.iter().zip(fold.sides.kept(*whole)) {
            if component.family == family
                && let Some(letter) = kept
            {
                let end = if component.first { "first" } else { "last" };
                all.push(binding(end.to_owned(), show::letter(fold, *letter)));
            }
        }
    }
    fold.begin();
    if let Some(scene) = fold.state_scene(state, meter)? {
        let cells = scene.world.shared_cells().iter();
        all.extend(cells.map(|cell| shown::cell(&scene.world.instance, *cell, scene.state.0[*cell])));
    }
    Ok(all)
}

/// The name of a step: its action, and who becomes what.
pub(super) fn named(fold: &Fold, step: &AbstractStep) -> String {
    let moved: Vec<String> = moves(step)
        .map(|(from, to)| format!("{} → {}", show::letter(fold, from), show::letter(fold, to)))
        .collect();
    if moved.is_empty() { step.name.to_string() } else { format!("{}: {}", step.name, moved.join(", ")) }
}
