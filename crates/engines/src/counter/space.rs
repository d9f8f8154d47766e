//! The reachable abstract states and their steps.
//!
//! From each abstract state every context is tried with every action of the processes it singles out, on a concrete
//! scene with that context. The steps found are exactly the images of concrete steps of instances of all sizes,
//! from states that are abstractly reachable. An edge is kept per context and effect, not per pair of states:
//! requirements look at contexts. The step `idle` is added where some concrete state behind the abstract one may
//! have nothing enabled.

use std::collections::HashMap;
use std::sync::Arc;

use model::{Expr, Fault, Index, Instance, Label, Note, Session, State, StopReason};

use super::beginnings;
use super::contexts::{Abstract, Context, Fold};
use super::justice::{Each, Justice};
use super::world::Effect;
use crate::watch::Watch;

/// A generous guess at the memory behind one edge.
const BYTES: u64 = 600;

/// Why there is no answer.
pub(super) enum Stop {
    Stopped(StopReason),
    /// A fault on a scene: some state behind an abstract one that is reachable.
    Fault(Fault),
    TooLarge(&'static str),
    /// Both tickets and indices decide.
    TwoOrders,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Stop {
        Stop::Stopped(reason)
    }
}

/// A predicate of a step, with values for indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Predicate {
    pub(super) expr: Expr,
    pub(super) values: Vec<(Index, i64)>,
}

impl Predicate {
    /// Without indices beside those that the property names.
    pub(super) fn closed(expr: &Expr) -> Predicate {
        Predicate { expr: expr.clone(), values: Vec::new() }
    }
}

/// A step of the abstract system.
pub(super) struct Step {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) context: Arc<Context>,
    /// `None` for `idle`.
    pub(super) effect: Option<Effect>,
    /// The action as the user would write it, with the names of processes left out.
    pub(super) name: Arc<str>,
    /// The truth of each predicate.
    pub(super) truth: Vec<bool>,
}

/// The abstract system.
pub(super) struct Space {
    pub(super) states: Vec<Abstract>,
    pub(super) initial: Vec<u32>,
    /// Where each state was first reached from.
    pub(super) parents: Vec<u32>,
    /// Grouped by source, in the order of the states.
    pub(super) steps: Vec<Step>,
    /// The first state that violates the invariant.
    pub(super) violating: Option<u32>,
}

/// Explores the abstract system, unless there are more than so many steps. With an invariant the search ends where it
/// is false.
pub(super) fn explore(
    fold: &mut Fold,
    justice: &mut Justice,
    predicates: &[Predicate],
    invariant: Option<&Expr>,
    most: usize,
    session: &Session<'_>,
) -> Result<Space, Stop> {
    let mut watch = Watch::new(session, "counting", "contexts", 0);
    let mut patterns: Vec<Vec<usize>> = fold.class.actions.iter().map(|roles| roles.foci.clone()).collect();
    for roles in &fold.class.actions {
        // A parameter may be the acting process itself.
        let mut fewer = roles.foci.clone();
        fewer.dedup();
        patterns.push(fewer);
    }
    patterns.sort();
    patterns.dedup();
    let candidates = beginnings::initial(fold)?;
    let mut space = Space {
        states: Vec::new(),
        initial: Vec::new(),
        parents: Vec::new(),
        steps: Vec::new(),
        violating: None,
    };
    let mut numbers: HashMap<Abstract, u32> = HashMap::new();
    for candidate in candidates {
        let Some(scene) = state_scene(fold, &candidate) else { continue };
        let mut begins = true;
        for predicate in &fold.system.init {
            begins &= scene.truth(predicate, Label::Idle, &[])?;
        }
        if begins {
            let number = space.states.len() as u32;
            space.initial.push(number);
            space.parents.push(number);
            numbers.insert(candidate.clone(), number);
            space.states.push(candidate);
        }
    }
    let mut next = 0;
    while next < space.states.len() {
        let state = space.states[next].clone();
        if let Some(invariant) = invariant {
            let scene = state_scene(fold, &state).ok_or(Stop::TooLarge("states without an instance"))?;
            if !scene.truth(invariant, Label::Idle, &[])? {
                space.violating = Some(next as u32);
                return Ok(space);
            }
        }
        for pattern in &patterns {
            for context in fold.contexts(&state, pattern) {
                watch.tick(|| space.steps.len() as u64 * BYTES)?;
                let Some(scene) = fold.scene(&context) else { continue };
                let before: Vec<_> = context.foci.iter().map(|(_, letter)| *letter).collect();
                let context = Arc::new(context);
                for &action in scene.actions() {
                    let class = Arc::clone(&fold.class);
                    for effect in scene.effects(&class, &mut fold.letters, &before, action)? {
                        let target = fold.after(&context, &effect);
                        let target = *numbers.entry(target.clone()).or_insert_with(|| {
                            space.states.push(target);
                            space.parents.push(next as u32);
                            space.states.len() as u32 - 1
                        });
                        let label = Label::Action(action);
                        let mut truth = Vec::new();
                        for predicate in predicates {
                            truth.push(scene.truth(&predicate.expr, label, &predicate.values)?);
                        }
                        let name = Arc::from(plain_name(&scene.world.instance, action));
                        let context = Arc::clone(&context);
                        space.steps.push(Step {
                            source: next as u32,
                            target,
                            context,
                            effect: Some(effect),
                            name,
                            truth,
                        });
                    }
                }
            }
        }
        let moves = space.steps.iter().rev().take_while(|step| step.source == next as u32);
        let fixed = moves.clone().any(|step| step.context.foci.is_empty());
        if !fixed && may_idle(fold, justice, &state)? {
            let context =
                fold.contexts(&state, &[]).into_iter().find(|context| fold.scene(context).is_some());
            let context = Arc::new(context.ok_or(Stop::TooLarge("states without an instance"))?);
            if let Some(scene) = fold.scene(&context) {
                let mut truth = Vec::new();
                for predicate in predicates {
                    truth.push(scene.truth(&predicate.expr, Label::Idle, &predicate.values)?);
                }
                let (source, target) = (next as u32, next as u32);
                space.steps.push(Step {
                    source,
                    target,
                    context,
                    effect: None,
                    name: Arc::from("idle"),
                    truth,
                });
            }
        }
        next += 1;
        if space.steps.len() > most {
            return Err(Stop::TooLarge("abstract steps"));
        }
        if fold.letters.two_orders {
            return Err(Stop::TwoOrders);
        }
        if fold.lacking {
            return Err(Stop::TooLarge("processes"));
        }
    }
    if space.states.is_empty() {
        session.note(Note::NoInitialState);
    }
    Ok(space)
}

/// A scene for an abstract state.
pub(super) fn state_scene(fold: &mut Fold, state: &Abstract) -> Option<super::world::Scene> {
    fold.contexts(state, &[]).iter().find_map(|context| fold.scene(context))
}

/// Whether some state behind an abstract one, in which no action without a counted process is enabled, has no
/// enabled action at all.
fn may_idle(fold: &mut Fold, justice: &mut Justice, state: &Abstract) -> Result<bool, Stop> {
    for family in 0..fold.class.counted.len() {
        let letters: Vec<u32> = state.counts.iter().map(|(letter, _)| *letter).collect();
        if justice.surely(fold, state, Each::Enabled(family), &letters)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The name of an action without the indices of processes: `P.try`, `P.give+Q.take(2)`.
fn plain_name(instance: &Instance, action: model::ActionId) -> String {
    let action = instance.action(action);
    let parties: Vec<String> = action
        .participants
        .iter()
        .map(|(process, label)| {
            let family = instance.processes[process.0 as usize].family;
            format!("{}.{label}", instance.system.family(family).name)
        })
        .collect();
    parties.join("+")
}

/// The shared part of a state, for those who show it.
pub(super) fn shared_state(fold: &mut Fold, state: &Abstract) -> Option<(Arc<super::world::World>, State)> {
    state_scene(fold, state).map(|scene| (scene.world, scene.state))
}
