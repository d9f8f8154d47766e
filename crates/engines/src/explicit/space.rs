//! The reachable states and their steps, breadth first.
//!
//! States are numbered by their distance from the initial ones, which come first, and each remembers the
//! state it was first reached from, so that paths are shortest. A state without an enabled action gets the
//! step `idle` to itself. The search ends early at a fault, at a violated invariant, or at a limit; if it
//! ends by itself there is no fault anywhere in the reachable states.

use model::answer::{Path, Position, Site, State};
use model::initial::initial_states;
use model::semantics::Fault;
use model::{ActionId, Label, Run, StopReason};

use super::letters::{Alphabet, Predicates};
use super::program::{Program, Values};
use super::store::{Layout, Store};
use super::term::Moment;
use crate::graph::{Edge, Graph};
use crate::watch::{Watch, bytes_of};

/// The label number of the step `idle`.
const IDLE: u32 = u32::MAX;

/// The reachable part of a system.
pub(super) struct Space<'a> {
    pub(super) program: &'a Program,
    layout: Layout,
    store: Store,
    /// The state each state was first reached from; initial states are their own parents.
    pub(super) parents: Vec<u32>,
    /// The number of initial states, which are the first ones.
    pub(super) initial: u32,
    /// The steps, if they are kept; the class of an edge is its letter.
    pub(super) graph: Graph,
    /// The label of each step, if they are kept.
    labels: Vec<u32>,
    /// The letters that occur.
    pub(super) alphabet: Alphabet,
    /// The number of steps, kept or not.
    pub(super) transitions: u64,
}

/// Why a search ended early.
pub(super) enum Ended {
    /// At a fault; without a path it is in an `init` predicate.
    Fault { path: Option<Path>, site: Site, fault: Fault },
    /// At a state where the invariant is false.
    Violated(Path),
    /// At a limit.
    Stopped(StopReason),
}

/// What to look for on the way.
pub(super) struct Aim {
    /// A predicate that must be true in every state.
    pub(super) invariant: Option<usize>,
    /// Whether steps are kept.
    pub(super) keep_steps: bool,
}

impl<'a> Space<'a> {
    /// A space without states.
    pub(super) fn new(program: &'a Program) -> Space<'a> {
        let layout = Layout::new(&program.instance);
        Space {
            program,
            store: Store::new(layout.words()),
            layout,
            parents: Vec::new(),
            initial: 0,
            graph: Graph::default(),
            labels: Vec::new(),
            alphabet: Alphabet::default(),
            transitions: 0,
        }
    }

    /// Adds all reachable states. After an early end the space holds what was seen.
    pub(super) fn explore(&mut self, predicates: &Predicates, aim: &Aim, run: &Run<'_>) -> Result<(), Ended> {
        let mut watch = Watch::new(run, "exploring", "states", 0);
        let program = self.program;
        for state in initial_states(&program.instance) {
            let state = state.map_err(|fault| Ended::Fault { path: None, site: Site::Init, fault })?;
            self.insert(&state.0, None).map_err(Ended::Stopped)?;
            watch.tick(|| self.bytes()).map_err(Ended::Stopped)?;
        }
        self.initial = self.store.len() as u32;
        let mut watch = Watch::new(run, "exploring", "states", 0);
        let mut next = 0;
        while (next as usize) < self.store.len() {
            self.expand(next, predicates, aim)?;
            watch.tick(|| self.bytes()).map_err(Ended::Stopped)?;
            next += 1;
        }
        Ok(())
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.store.len()
    }

    /// A state in the user's terms.
    pub(super) fn state(&self, number: u32) -> State {
        State(self.layout.unpack(self.store.get(number)))
    }

    /// The label of a step that was kept.
    pub(super) fn label(&self, step: usize) -> Label {
        label(self.labels[step])
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.store.bytes()
            + bytes_of(&self.parents)
            + self.graph.bytes()
            + bytes_of(&self.labels)
            + self.alphabet.bytes()
    }

    /// The steps that leave a state, or the fault in it.
    fn expand(&mut self, number: u32, predicates: &Predicates, aim: &Aim) -> Result<(), Ended> {
        let values = self.layout.unpack(self.store.get(number));
        let mut steps: Vec<(u32, Values)> = Vec::new();
        for action in self.program.actions() {
            let targets = self
                .program
                .successors(&values, action)
                .map_err(|fault| self.fault_at(number, Site::Action(action), fault))?;
            steps.extend(targets.into_iter().map(|target| (action.0, target)));
        }
        if steps.is_empty() {
            steps.push((IDLE, values.clone()));
        }
        let moment = Moment { instance: &self.program.instance, state: &values, label: None };
        let here = predicates.of_state(moment).map_err(|(site, fault)| self.fault_at(number, site, fault))?;
        if aim.invariant.is_some_and(|invariant| !here.contains(invariant)) {
            return Err(Ended::Violated(self.path(number)));
        }
        self.transitions += steps.len() as u64;
        // Steps of the same action have the same letter and stand together.
        let mut last: Option<(u32, u32)> = None;
        for (action, target) in steps {
            let letter = match last {
                Some((same, letter)) if same == action => letter,
                _ => {
                    let letter = predicates
                        .of_step(&here, moment, label(action))
                        .map_err(|(site, fault)| self.fault_at(number, site, fault))?;
                    self.alphabet.number(letter)
                }
            };
            last = Some((action, letter));
            let target = self.insert(&target, Some(number)).map_err(Ended::Stopped)?;
            if aim.keep_steps {
                self.graph.add_edge(Edge { target, class: letter });
                self.labels.push(action);
            }
        }
        if aim.keep_steps {
            self.graph.close_node();
        }
        Ok(())
    }

    fn insert(&mut self, values: &[i64], parent: Option<u32>) -> Result<u32, StopReason> {
        let mut words = vec![0; self.layout.words()];
        self.layout.pack(values, &mut words);
        let (number, new) = self.store.insert(&words).ok_or(StopReason::Memory)?;
        if new {
            self.parents.push(parent.unwrap_or(number));
        }
        Ok(number)
    }

    fn fault_at(&self, number: u32, site: Site, fault: Fault) -> Ended {
        Ended::Fault { path: Some(self.path(number)), site, fault }
    }

    /// A shortest path to a state.
    fn path(&self, mut number: u32) -> Path {
        let last = self.state(number);
        let mut positions = Vec::new();
        while self.parents[number as usize] != number {
            let parent = self.parents[number as usize];
            let (source, target) = (self.state(parent), self.state(number));
            let leads = |action: &ActionId| {
                self.program.successors(&source.0, *action).is_ok_and(|targets| targets.contains(&target.0))
            };
            let action = self.program.actions().find(leads).expect("a parent has a step to its child");
            positions.push(Position { state: source, label: Label::Action(action) });
            number = parent;
        }
        positions.reverse();
        Path { positions, last }
    }
}

fn label(number: u32) -> Label {
    if number == IDLE { Label::Idle } else { Label::Action(ActionId(number)) }
}
