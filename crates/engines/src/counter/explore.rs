//! Finds the reachable abstract states and their steps.
//!
//! For each abstract state we try every context with every action of the processes it singles out, on a concrete
//! state with that context. The steps found are exactly the images of concrete steps, of instances of all sizes, from
//! states that are abstractly reachable. The step `idle` is added if some concrete state of the abstract one may have
//! nothing enabled.
//!
//! If a step contradicts a sum that contexts were left out for ([`sums`](super::sums)), the exploration begins anew
//! without that sum.
//!
//! States are expanded one after the other. An expansion is added as a whole or not at all, so a search that was
//! stopped by a limit can continue later. The work of each expansion is recorded, and charged again to later searches
//! that find it done.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Expr, Label, Note, Session};

use super::contexts::{Abstract, Context, Fold};
use super::initial;
use super::justice::{Each, Justice};
use super::letters::LetterId;
use super::meter::{Meter, TRUTH};
use super::space::{AbstractStep, Space, Stop};
use super::world::{Effect, Scene};
use rustc_hash::FxHashMap as Map;

/// An estimate of the memory per step.
pub(super) const STEP_BYTES: u64 = 1_000;

/// The error if the abstraction has too many steps.
const STEPS: Stop = Stop::TooLarge("abstract steps");

/// The error if the abstraction has a state that no instance has.
const NO_INSTANCE: Stop = Stop::TooLarge("states without an instance");

/// The abstract system as far as it is explored.
#[derive(Default)]
pub(super) struct Exploration {
    pub(super) space: Space,
    numbers: Map<Abstract, u32>,
    /// The work it took to find the initial states.
    beginning: Option<u64>,
    /// The work it took to expand each of the first states.
    prices: Vec<u64>,
    /// The work of explorations that were given up because a sum that they relied on is not constant.
    discarded: u64,
    /// The names of the actions, by position in the system.
    names: Map<usize, Arc<str>>,
}

/// A step whose target has no number yet.
struct FoundStep {
    target: Abstract,
    context: Arc<Context>,
    scene: Arc<Scene>,
    effect: Option<Effect>,
    name: Arc<str>,
}

/// Contexts that single out one process, and a concrete state with each.
type Singles = Vec<Placed>;

/// A context with a concrete state that has it.
type Placed = (Arc<Context>, Arc<Scene>);

/// The result of expanding a state.
enum Expansion {
    /// Its steps, and its contexts that single out one process.
    Steps(Vec<FoundStep>, Singles),
    /// The state violates the invariant.
    Violation,
}

impl Exploration {
    /// Explores all states, or up to the first one that violates the invariant. Fails if there are more than
    /// `step_limit` steps.
    pub(super) fn explore(
        &mut self,
        fold: &mut Fold,
        invariant: Option<&Expr>,
        step_limit: usize,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let meter = Meter::new(session, "counting", "contexts");
        meter.spend(self.discarded)?;
        self.find_initial(fold, &meter)?;
        if self.space.states.is_empty() {
            session.note(Note::NoInitialState);
        }
        for price in &self.prices {
            meter.spend(*price)?;
        }
        let patterns = patterns(fold);
        while self.prices.len() < self.space.states.len() && self.space.violating.is_none() {
            let begin = meter.spent();
            let number = self.prices.len() as u32;
            let state = self.space.states[number as usize].clone();
            fold.begin();
            match self.expand(fold, &state, &patterns, invariant, &meter)? {
                Expansion::Steps(found, singles) => {
                    let effects =
                        found.iter().filter_map(|step| Some((&*step.context, step.effect.as_ref()?)));
                    let refuted = fold.sums.learn(&fold.letters, effects);
                    self.add(number, found);
                    self.space.singled_out.push(singles);
                    if refuted {
                        let prices = self.prices.drain(..).chain(self.beginning.take());
                        self.discarded += prices.sum::<u64>() + meter.spent() - begin;
                        self.space = Space::default();
                        self.numbers.clear();
                        self.find_initial(fold, &meter)?;
                        continue;
                    }
                }
                Expansion::Violation => self.space.violating = Some(number),
            }
            self.prices.push(meter.spent() - begin);
            if self.space.steps.len() > step_limit {
                return Err(STEPS);
            }
            meter.room(self.space.steps.len() as u64 * STEP_BYTES)?;
        }
        fold.sums.finish();
        if self.space.steps.len() > step_limit { Err(STEPS) } else { Ok(()) }
    }

    /// Finds the initial states, unless they are known.
    fn find_initial(&mut self, fold: &mut Fold, meter: &Meter<'_>) -> Result<(), Stop> {
        if let Some(price) = self.beginning {
            return Ok(meter.spend(price)?);
        }
        let begin = meter.spent();
        fold.begin();
        let candidates = initial::states(fold, meter)?;
        let fresh = self.discarded == 0;
        if fresh && !fold.class.tallies.is_empty() {
            fold.begin_sums(&candidates)?;
        }
        let mut initial = Vec::new();
        for candidate in candidates {
            let Some(scene) = fold.state_scene(&candidate, meter)? else { continue };
            let mut begins = true;
            for predicate in &fold.system.init {
                begins &= scene.truth(predicate, Label::Idle, &[])?;
            }
            if begins {
                initial.push(candidate);
            }
        }
        if fresh && fold.class.tallies.is_empty() {
            fold.begin_sums(&initial)?;
        }
        for state in initial {
            let number = self.number(state);
            self.space.initial.push(number);
        }
        self.beginning = Some(meter.spent() - begin);
        Ok(())
    }

    /// The number of a state, which is added if it is new.
    fn number(&mut self, state: Abstract) -> u32 {
        let next = self.space.states.len() as u32;
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.space.states.push(state.clone());
            next
        })
    }

    /// Adds the steps of a state.
    fn add(&mut self, source: u32, found: Vec<FoundStep>) {
        for FoundStep { target, context, scene, effect, name } in found {
            let target = self.number(target);
            self.space.steps.push(AbstractStep { source, target, context, scene, effect, name });
        }
    }

    /// The steps from a state.
    fn expand(
        &mut self,
        fold: &mut Fold,
        state: &Abstract,
        patterns: &[Vec<usize>],
        invariant: Option<&Expr>,
        meter: &Meter<'_>,
    ) -> Result<Expansion, Stop> {
        if let Some(invariant) = invariant {
            let scene = fold.state_scene(state, meter)?.ok_or(NO_INSTANCE)?;
            if !scene.truth(invariant, Label::Idle, &[])? {
                return Ok(Expansion::Violation);
            }
        }
        let (mut found, mut singles) = (Vec::new(), Vec::new());
        // Per letter, whether a process with it can act by itself in every context.
        let mut acts: BTreeMap<LetterId, bool> = BTreeMap::new();
        for pattern in patterns {
            for context in fold.contexts(state, pattern, meter)? {
                let alone = if let [(_, letter)] = context.foci[..] { Some(letter) } else { None };
                let earlier = found.len();
                let Some(scene) = self.try_actions(fold, context, &mut found, meter)? else { continue };
                if let Some(letter) = alone {
                    *acts.entry(letter).or_insert(true) &= found.len() > earlier;
                    singles.push(scene);
                }
            }
        }
        // If an action of no counted process is enabled, it is enabled in every concrete state.
        let never_idle =
            acts.values().any(|always| *always) || found.iter().any(|step| step.context.foci.is_empty());
        if !never_idle && may_idle(fold, state, meter)? {
            found.push(idle(fold, state, meter)?);
        }
        if fold.letters.two_orders { Err(Stop::TwoOrders) } else { Ok(Expansion::Steps(found, singles)) }
    }

    /// Adds the steps that the foci of a context can take. Returns the context with a concrete state; `None` if no
    /// instance has it.
    fn try_actions(
        &mut self,
        fold: &mut Fold,
        context: Context,
        found: &mut Vec<FoundStep>,
        meter: &Meter<'_>,
    ) -> Result<Option<Placed>, Stop> {
        meter.count();
        let Some(scene) = fold.scene(&context, meter)? else { return Ok(None) };
        let before: Vec<LetterId> = context.foci.iter().map(|(_, letter)| *letter).collect();
        let (context, scene) = (Arc::new(context), Arc::new(scene));
        let class = Arc::clone(&fold.class);
        for &action in scene.actions() {
            meter.spend(TRUTH + scene.state.0.len() as u64)?;
            for effect in scene.effects(&class, &mut fold.letters, &before, action)? {
                meter.spend(TRUTH)?;
                found.push(FoundStep {
                    target: fold.after(&context, &effect),
                    context: Arc::clone(&context),
                    scene: Arc::clone(&scene),
                    effect: Some(effect),
                    name: self.name(&scene, action),
                });
            }
        }
        Ok(Some((context, scene)))
    }

    /// The name of an action without the indices of processes: `P.try`, `P.give+Q.take`.
    fn name(&mut self, scene: &Scene, action: model::ActionId) -> Arc<str> {
        let instance = &scene.world.instance;
        let action = instance.action(action);
        let name = self.names.entry(action.action).or_insert_with(|| {
            let party = |(process, label): &(model::ProcessId, String)| {
                let family = instance.processes[process.0 as usize].family;
                format!("{}.{label}", instance.system.family(family).name)
            };
            let parties: Vec<String> = action.participants.iter().map(party).collect();
            Arc::from(parties.join("+"))
        });
        Arc::clone(name)
    }
}

/// The families of the processes that actions involve, without duplicates.
pub(super) fn patterns(fold: &Fold) -> Vec<Vec<usize>> {
    let mut patterns: Vec<Vec<usize>> = fold.class.actions.iter().map(|roles| roles.foci.clone()).collect();
    for roles in &fold.class.actions {
        // A parameter may be the acting process itself.
        let mut fewer = roles.foci.clone();
        fewer.dedup();
        patterns.push(fewer);
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

/// Whether some concrete state of an abstract one has no enabled action of a counted process.
fn may_idle(fold: &mut Fold, state: &Abstract, meter: &Meter<'_>) -> Result<bool, Stop> {
    let letters: Vec<LetterId> = state.counts.iter().map(|(letter, _)| *letter).collect();
    for family in 0..fold.class.counted.len() {
        if Justice::enabled(family).surely(fold, (0, state), Each::When, &letters, meter)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The step `idle` of a state.
fn idle(fold: &mut Fold, state: &Abstract, meter: &Meter<'_>) -> Result<FoundStep, Stop> {
    let (context, scene) = fold.state_context(state, meter)?.ok_or(NO_INSTANCE)?;
    Ok(FoundStep {
        target: state.clone(),
        context: Arc::new(context),
        scene: Arc::new(scene),
        effect: None,
        name: Arc::from("idle"),
    })
}
