//! Which fairness an engineer would assume first.
//!
//! A scheduler serves processes, so fairness of a process comes before fairness of a single action of it. Processes that
//! the property speaks of come before others. An action of two processes singles out one partner, which schedulers rarely
//! do; it is a target only on request, or if nothing else is enough.
//!
//! Nobody promises that something fails. So failures are targets only if nothing else is enough, and before them processes
//! that have one: where such a process can do nothing else, fairness of it asks for the failure. An action is taken for a
//! failure if its label says so (`crash`, `lose`), or if near the initial states it disables actions with other labels,
//! never enables anything, and writes nothing that the property reads.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use model::initial::{Advance, initial_states};
use model::property::Kind;
use model::{ActionId, Instance, ProcessId, Requirement, State, VariableId, ground, semantics};

use super::targets::Target;
use crate::spoken_of::spoken_of;

/// Parts of labels that speak of a failure.
const FAILURES: [&str; 26] = [
    "break",
    "breaks",
    "corrupt",
    "corrupts",
    "crash",
    "crashes",
    "die",
    "dies",
    "disconnect",
    "disconnects",
    "drop",
    "drops",
    "duplicate",
    "duplicates",
    "fail",
    "fails",
    "failure",
    "fault",
    "kill",
    "kills",
    "lose",
    "loses",
    "loss",
    "lost",
    "partition",
    "tear",
];
/// The number of states that are looked at for actions that only disable, and the number of guards.
const STATES: usize = 1_000;
const GUARDS: usize = 300_000;

/// Targets to choose from, and the price of each, from 0 (assumed first) to 3.
pub(super) struct Candidates {
    pub(super) targets: Vec<Target>,
    pub(super) prices: Vec<u64>,
}

impl Candidates {
    /// What weak and strong fairness of each target cost. Sets with few strong requirements come first, then small ones; of
    /// those that are left, the prices decide.
    pub(super) fn costs(&self) -> Vec<Vec<u64>> {
        let weak = 4 * self.targets.len() as u64 + 1;
        let strong = weak * (self.targets.len() as u64 + 1);
        self.prices.iter().map(|price| vec![weak + price, strong + price]).collect()
    }
}

/// The usual candidates first, then more and more; the last stage has all. `fine` leaves out the stages without
/// partners. Without an instance there is one stage.
pub(super) fn stages(
    targets: &[Target],
    instance: Option<&Instance>,
    kind: &Kind,
    disabling: &BTreeSet<ActionId>,
    fine: bool,
) -> Vec<Candidates> {
    let Some(instance) = instance else {
        return vec![Candidates { targets: targets.to_vec(), prices: vec![0; targets.len()] }];
    };
    let ranks =
        Ranks { spoken_of: spoken_of(instance, kind), disabling: &irrelevant(instance, kind, disabling) };
    let first = if fine { Tier::Partner } else { Tier::Usual };
    let tiers: Vec<Tier> = targets.iter().map(|target| ranks.tier(instance, target).max(first)).collect();
    let up_to = |last: Tier| {
        let kept = targets.iter().zip(&tiers).filter(|(_, tier)| **tier <= last);
        let kept: Vec<Target> = kept.map(|(target, _)| target.clone()).collect();
        let prices = kept.iter().map(|target| ranks.price(instance, target)).collect();
        Candidates { targets: kept, prices }
    };
    tiers.iter().copied().collect::<BTreeSet<Tier>>().into_iter().map(up_to).collect()
}

/// Whether a requirement asks for a failure.
pub(crate) fn asks_for_a_failure(requirement: &Requirement) -> bool {
    let mut parties = requirement.of.iter().flat_map(|of| &of.participants);
    parties.any(|party| party.label.as_deref().is_some_and(is_failure))
}

/// How readily a target is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// A process, or an action of one process.
    Usual,
    /// An action of two processes.
    Partner,
    /// A process that may meet what is asked of it by a failure.
    MayFail,
    /// A failure.
    Failure,
}

/// The ranks of the targets of a property.
struct Ranks<'a> {
    /// The processes that the property speaks of.
    spoken_of: BTreeSet<ProcessId>,
    /// Actions that only disable others.
    disabling: &'a BTreeSet<ActionId>,
}

impl Ranks<'_> {
    /// How readily a target is used.
    fn tier(&self, instance: &Instance, target: &Target) -> Tier {
        let actions: Vec<ActionId> = target.subjects(instance).into_iter().flatten().collect();
        if !target.is_action() {
            let fails = actions.iter().any(|action| is_named_failure(instance, *action));
            return if fails { Tier::MayFail } else { Tier::Usual };
        }
        if actions.iter().any(|action| is_named_failure(instance, *action))
            || actions.iter().all(|action| self.disabling.contains(action))
        {
            Tier::Failure
        } else if actions.iter().any(|action| instance.action(*action).participants.len() > 1) {
            Tier::Partner
        } else {
            Tier::Usual
        }
    }

    /// The price of a target beside its strength, from 0 to 3.
    fn price(&self, instance: &Instance, target: &Target) -> u64 {
        let actions: Vec<ActionId> = target.subjects(instance).into_iter().flatten().collect();
        let mut processes = actions.iter().flat_map(|action| instance.action(*action).participants.iter());
        let is_spoken_of = processes.any(|(process, _)| self.spoken_of.contains(process));
        if !target.is_action() && actions.iter().any(|action| self.disabling.contains(action)) {
            return 3;
        }
        2 * u64::from(target.is_action()) + u64::from(!is_spoken_of)
    }
}

/// Whether the label of an action speaks of a failure.
fn is_named_failure(instance: &Instance, action: ActionId) -> bool {
    instance.action(action).participants.iter().any(|(_, label)| is_failure(label))
}

/// Whether a label speaks of a failure.
pub(crate) fn is_failure(label: &str) -> bool {
    label.split('_').any(|part| FAILURES.contains(&part.to_lowercase().as_str()))
}

/// The actions that disable actions with other labels in some of the first states, and enable nothing in any. None if
/// there is too much to look at.
pub(super) fn disabling(instance: &Instance) -> BTreeSet<ActionId> {
    let label = |action: ActionId| instance.action(action).action;
    let mut near = Near { instance, known: HashMap::new() };
    let (mut disables, mut enables) = (BTreeSet::new(), BTreeSet::new());
    let mut queue = VecDeque::new();
    let mut initial = initial_states(instance);
    while let Advance::Found(state) = initial.advance(STATES) {
        queue.extend(state.ok());
        if queue.len() >= STATES / 10 {
            break;
        }
    }
    let mut seen: HashSet<State> = queue.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        let Some(before) = near.enabled(&state) else { continue };
        for action in before.iter() {
            let Ok(targets) = semantics::successors(instance, &state, *action) else { continue };
            for target in targets {
                if near.is_too_large() {
                    return BTreeSet::new();
                }
                let Some(after) = near.enabled(&target) else { continue };
                if after.difference(&before).next().is_some() {
                    enables.insert(*action);
                } else if before.difference(&after).any(|other| label(*other) != label(*action)) {
                    disables.insert(*action);
                }
                if seen.len() < STATES && seen.insert(target.clone()) {
                    queue.push_back(target);
                }
            }
        }
    }
    disables.difference(&enables).copied().collect()
}

/// Those of some actions that write nothing that a property reads. What decides whether it is true is no failure, even if
/// everything ends with it.
fn irrelevant(instance: &Instance, kind: &Kind, actions: &BTreeSet<ActionId>) -> BTreeSet<ActionId> {
    let kind = ground::kind(instance, kind);
    let read: BTreeSet<VariableId> = kind
        .atoms()
        .into_iter()
        .flat_map(|atom| ground::reads(instance, atom))
        .map(|cell| instance.cells[cell].variable)
        .collect();
    let update = |action: ActionId| &instance.system.actions[instance.action(action).action].update;
    let is_relevant = |action: ActionId| read.iter().any(|variable| update(action).writes(*variable));
    actions.iter().copied().filter(|action| !is_relevant(*action)).collect()
}

/// The states near the initial ones, as far as they have been looked at.
struct Near<'a> {
    instance: &'a Instance,
    /// The enabled actions of each; `None` if a guard is faulty there.
    known: HashMap<State, Option<Rc<BTreeSet<ActionId>>>>,
}

impl Near<'_> {
    fn enabled(&mut self, state: &State) -> Option<Rc<BTreeSet<ActionId>>> {
        if let Some(known) = self.known.get(state) {
            return known.clone();
        }
        let all = (0..self.instance.actions.len() as u32).map(ActionId);
        let is_enabled = |action: &ActionId| semantics::enabled(self.instance, state, *action);
        let found: Result<BTreeSet<ActionId>, _> = all
            .filter_map(|action| is_enabled(&action).map(|enabled| enabled.then_some(action)).transpose())
            .collect();
        let found = found.ok().map(Rc::new);
        self.known.insert(state.clone(), found.clone());
        found
    }

    /// Whether more guards were evaluated than is worth it.
    fn is_too_large(&self) -> bool {
        self.known.len() * self.instance.actions.len() > GUARDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_a_failure_by_name_and_by_what_it_does() {
        let text = "shared up: bool = true;
            process Server { loop { either { serve: await up; } or { stop: when up { up = false; } } } }
            process Link { loop { send: skip; lose_it: skip; } }
            property p: GF taken(Server.serve);";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let instance = model.subject.instance().expect("an instance");
        let kind = &model.checks[0].task.property.kind;
        let ranks = Ranks { spoken_of: spoken_of(instance, kind), disabling: &disabling(instance) };
        let of = |name: &str| {
            let targets = super::super::targets::targets(
                model.system(),
                Some(instance),
                &model.checks[0].task.property,
            );
            let is_it = |target: &&Target| {
                let actions = target.subjects(instance).concat();
                let labels = actions.iter().flat_map(|action| &instance.action(*action).participants);
                target.is_action() && labels.clone().all(|(_, label)| label == name)
            };
            let target = targets.iter().find(is_it).expect("a target").clone();
            (ranks.tier(instance, &target), ranks.price(instance, &target))
        };
        assert_eq!(of("serve"), (Tier::Usual, 2));
        assert_eq!(of("stop"), (Tier::Failure, 2));
        assert_eq!(of("send"), (Tier::Usual, 3));
        assert_eq!(of("lose_it").0, Tier::Failure);
    }
}
