//! Facts about a whole system: which actions are ever enabled, which values each location takes, whether it gets stuck.
//!
//! They are read off the complete graph, which is the one that properties are decided on ([`graph_cache`](super::known)). Of a
//! system with more states than asked for nothing is said, nor of one in which a fault is reachable, so that what is said
//! depends on the system alone: not on the threads, and not on what was explored before.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::property::Kind;
use model::{
    ActionId, Expr, Fairness, Instance, Label, Name, Path, Property, Session, State, StopReason, Subject,
    System, Task,
};

use super::packing::Packing;
use super::space::{Aim, Space, Stop, label};
use super::{Explicit, WORDS, instance};

/// What is true of all reachable states together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The number of reachable states.
    pub states: usize,
    /// The actions that are enabled in some reachable state.
    pub enabled: BTreeSet<ActionId>,
    /// The values of location cells: pairs of a cell and a value.
    pub locations: BTreeSet<(usize, i64)>,
    /// A shortest path to a deadlock of the wanted kind.
    pub stuck: Option<Path>,
}

/// Why there is no survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsurveyed {
    /// There are more states than asked for.
    More,
    /// They take too much memory.
    Memory,
    /// There is a fault, or the states cannot be listed, or there was no time.
    Otherwise,
}

impl From<Stop> for Unsurveyed {
    fn from(ended: Stop) -> Unsurveyed {
        match ended {
            Stop::Stopped(StopReason::Memory) => Unsurveyed::Memory,
            _ => Unsurveyed::Otherwise,
        }
    }
}

impl Explicit {
    /// Surveys a system of at most `most` states; `stuck` says which deadlocks are of interest.
    pub fn survey(
        &self,
        subject: &Subject,
        most: usize,
        stuck: &dyn Fn(&Instance, &State) -> bool,
        session: &Session<'_>,
    ) -> Result<Survey, Unsurveyed> {
        let property =
            Property { name: Name::default(), binders: Vec::new(), kind: Kind::Invariant(Expr::Bool(true)) };
        let task = Task { subject: subject.clone(), fairness: Fairness::none(), property };
        let system = subject.system();
        let (instance, packing) = instance(&task).map_err(|_| Unsurveyed::Otherwise)?;
        match packing.words {
            1 => self.survey_in::<1>(system, instance, &packing, most, stuck, session),
            2 => self.survey_in::<2>(system, instance, &packing, most, stuck, session),
            3 => self.survey_in::<3>(system, instance, &packing, most, stuck, session),
            4 => self.survey_in::<4>(system, instance, &packing, most, stuck, session),
            5..=8 => self.survey_in::<8>(system, instance, &packing, most, stuck, session),
            9..=16 => self.survey_in::<16>(system, instance, &packing, most, stuck, session),
            _ => self.survey_in::<WORDS>(system, instance, &packing, most, stuck, session),
        }
    }

    fn survey_in<const W: usize>(
        &self,
        system: &Arc<System>,
        instance: &Instance,
        packing: &Packing,
        most: usize,
        stuck: &dyn Fn(&Instance, &State) -> bool,
        session: &Session<'_>,
    ) -> Result<Survey, Unsurveyed> {
        let aim = Aim { invariant: None, shared_level: self.shared_level, reduction: None };
        let explored = self.known.take(system, true, session.threads <= 1);
        let mut space = Space::<W>::new(instance, packing, &aim, explored);
        space.start(most.saturating_add(1), session)?;
        if space.is_partial() {
            return Err(Unsurveyed::More);
        }
        let complete = space.explore(most.saturating_add(1), session)?;
        let few = complete && space.states() <= most;
        let survey = if few { Ok(survey(&space, stuck)) } else { Err(Unsurveyed::More) };
        self.known.put(system, space.into_explored(), session.memory / 4);
        survey
    }
}

/// The facts of a graph that is complete.
fn survey<const W: usize>(space: &Space<'_, W>, stuck: &dyn Fn(&Instance, &State) -> bool) -> Survey {
    let instance = space.instance;
    let is_location = |cell: &usize| instance.system.variable(instance.cells[*cell].variable).name == "@";
    let cells: Vec<usize> = (0..instance.cells.len()).filter(is_location).collect();
    let (mut enabled, mut locations) = (BTreeSet::new(), BTreeSet::new());
    let mut deadlocks = BTreeSet::new();
    for number in space.numbers() {
        let state = space.state(number);
        locations.extend(cells.iter().map(|cell| (*cell, state.0[*cell])));
        for step in space.steps(number).labels {
            match label(*step) {
                Label::Action(action) => {
                    enabled.insert(action);
                }
                Label::Idle if stuck(instance, &state) => {
                    deadlocks.insert(number);
                }
                Label::Idle => {}
            }
        }
    }
    let nearest =
        if deadlocks.is_empty() { None } else { space.nearest(|number| deadlocks.contains(&number)) };
    Survey { states: space.states(), enabled, locations, stuck: nearest.map(|number| space.path(number)) }
}
