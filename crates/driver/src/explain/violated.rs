//! What the cycle of a lasso violates: fairness that it does not have, steps of the environment that it does not take, and
//! conditions that are never true on it.
//!
//! All of this follows from the table of what is enabled and taken on the cycle ([`Table`]). If everything that weak and
//! strong fairness could ask for is taken there, a process that is blocked shows what else could be asked for: that what
//! it needs is true again and again.

use std::collections::BTreeSet;

use model::expr::Party;
use model::fairness::Word;
use model::instance::ActionInstance;
use model::property::Kind;
use model::semantics::Step;
use model::system::{Action, Update};
use model::{
    ActionId, Expr, Fault, Instance, Label, Lasso, Pattern, ProcessId, Requirement, semantics, show,
};

use super::effects::names;
use super::exits::{choice, left_out};
use super::remedies::{Effect, LeftOut, Remedies, Remedy};
use super::starvation::{Fate, Neglected, Table};
use crate::advise::rank::is_failure;
use crate::options::FairnessOption;
use crate::report::plain;
use crate::spoken_of::{spoken_of, taken_in};

/// At most this many assumptions are listed.
const LISTED: usize = 6;
/// At most this many conditions of blocked processes are tried.
const CONDITIONS: usize = 3;

/// An action or a process, of which fairness could be asked.
struct Asked {
    pattern: Pattern,
    processes: Vec<ProcessId>,
    neglected: Neglected,
    is_failure: bool,
}

/// What would rule the run out, as far as the run tells. `claim` is the property's claim.
pub(super) fn remedies(table: &Table<'_>, claim: &Kind) -> Result<Remedies, Fault> {
    let of_process = |id: ProcessId| {
        let facts = table.together(table.of(id).map(|(action, _)| action));
        Asked {
            pattern: Pattern { participants: vec![party(table, id, None)], arguments: None },
            processes: vec![id],
            neglected: table.neglected(&facts),
            // It could meet what is asked of it by failing.
            is_failure: table.of(id).any(|(action, _)| table.could_fail(action)),
        }
    };
    // Nothing is asked of the environment.
    let system = &table.instance.system;
    let is_own = |action: &ActionInstance| !system.is_environment(&system.actions[action.action]);
    let own = table.instance.actions.iter().zip(&table.actions).filter(|(action, _)| is_own(action));
    let actions: Vec<Asked> = own.map(|(action, facts)| of_action(table, action, facts)).collect();
    let environment =
        outside(table, claim).into_iter().map(|requirement| remedy(table, requirement)).collect();
    let ids = (0..table.instance.processes.len() as u32).map(ProcessId);
    // Fairness of a process that is partly environment could be met by what the environment does.
    let is_partly = |id: ProcessId| system.is_partly_outside(table.instance.processes[id.0 as usize].family);
    let processes: Vec<Asked> = ids.clone().filter(|id| !table.is_outside(*id)).map(of_process).collect();
    let asked_of: Vec<Asked> =
        ids.filter(|id| !table.is_outside(*id) && !is_partly(*id)).map(of_process).collect();
    let spoken_of = spoken_of(table.instance, claim);
    // Nobody asks for a failure, or a process that rests to act, if asking for something else is enough.
    let rests = |process: &ProcessId| matches!(table.process(*process).fate, Fate::Rests(_));
    let reluctance = |asked: &Asked| (asked.is_failure, asked.processes.iter().any(rests));
    // A scheduler serves processes, so these come first.
    let mut neglected: Vec<(&Asked, (bool, bool))> = asked_of
        .iter()
        .chain(&actions)
        .filter(|asked| asked.neglected != Neglected::Not)
        .map(|asked| (asked, reluctance(asked)))
        .collect();
    let least = neglected.iter().map(|(_, reluctance)| *reluctance).min();
    neglected.retain(|(_, reluctance)| Some(*reluctance) == least);
    let weak = neglected.iter().any(|(asked, _)| asked.neglected == Neglected::Always);
    let (word, least) =
        if weak { (Word::Weak, Neglected::Always) } else { (Word::Strong, Neglected::Sometimes) };
    neglected.sort_by_key(|(asked, _)| !asked.processes.iter().any(|one| spoken_of.contains(one)));
    neglected.retain(|(asked, _)| asked.neglected == least);
    let further = neglected.len().saturating_sub(LISTED);
    let weakest = neglected
        .iter()
        .take(LISTED)
        .map(|(asked, _)| remedy(table, Requirement::of(word, asked.pattern.clone(), Vec::new())));
    let (step, towards) = left_out(table, claim)?.unzip();
    let choice = step.as_ref().and_then(|(position, step)| choice(table, *position, step));
    let taken = |label: Label| matches!(label, Label::Action(action) if table.actions[action.0 as usize].1);
    let left_out = step.map(|(position, Step { label, target })| LeftOut {
        before: position + 1,
        action: show::label(table.instance, label),
        changes: show::changes(table.instance, &table.lasso.positions[position].state, &target),
        taken: taken(label),
        then: table.waiting_for_others().into_iter().find_map(|action| {
            let is_enabled = semantics::enabled(table.instance, &target, action) == Ok(true);
            is_enabled.then(|| table.instance.action(action).name.clone())
        }),
        towards: towards.flatten(),
    });
    let some =
        |list: &[Asked], least: &[Neglected]| list.iter().any(|asked| least.contains(&asked.neglected));
    let (strong, always) = ([Neglected::Sometimes, Neglected::Always], [Neglected::Always]);
    let ladder = vec![
        (FairnessOption::None, false),
        (FairnessOption::ProcessWeak, some(&processes, &always)),
        (FairnessOption::Weak, some(&actions, &always)),
        (FairnessOption::ProcessStrong, some(&processes, &strong)),
        (FairnessOption::Strong, some(&actions, &strong)),
        (FairnessOption::Global, left_out.is_some()),
    ];
    let cycle = &table.lasso.positions[table.lasso.cycle..];
    let deadlock = cycle.iter().all(|position| position.label == Label::Idle);
    Ok(Remedies {
        cycle: if deadlock { 0 } else { table.cycle() },
        weakest: weakest.collect(),
        further,
        weak,
        ladder,
        conditions: conditions_of(table, &spoken_of),
        effects: Vec::new(),
        environment,
        assumed: false,
        rests: resting_in(table),
        left_out,
        choice,
        enough: None,
        fails_whatever_is_expected: false,
        deadlock,
        bounded: true,
        left: None,
        failures: names(system, &|action, party| !system.is_environment(action) && is_failure(&party.label)),
        forced: Vec::new(),
        outside: names(system, &|action, _| system.is_environment(action) && action.update != Update::Skip),
    })
}

/// An action of which fairness could be asked.
fn of_action(table: &Table<'_>, action: &ActionInstance, facts: &(BTreeSet<usize>, bool)) -> Asked {
    let parties = action.participants.iter().map(|(id, label)| party(table, *id, Some(label)));
    let arguments = action.arguments.iter().map(|value| Expr::Int(*value)).collect();
    Asked {
        pattern: Pattern { participants: parties.collect(), arguments: Some(arguments) },
        processes: action.participants.iter().map(|(process, _)| *process).collect(),
        neglected: table.neglected(facts),
        is_failure: action.participants.iter().any(|(_, label)| is_failure(label)),
    }
}

/// Fairness of steps of the environment that could be taken on the cycle and never are, failures left out.
fn outside(table: &Table<'_>, claim: &Kind) -> Vec<Requirement> {
    let system = &table.instance.system;
    // A step that changes nothing ends no loop. And where the claim says what follows if the environment takes a step or
    // does not, to ask for that step is no remedy.
    let claimed = taken_in(table.instance, claim);
    let may_help = |id: ActionId, action: &Action| {
        system.is_environment(action) && action.update != Update::Skip && !claimed.contains(&id)
    };
    let numbered = (0..).map(ActionId).zip(table.instance.actions.iter().zip(&table.actions));
    let outside = numbered.filter(|(id, (action, _))| may_help(*id, &system.actions[action.action]));
    let asked = outside.map(|(_, (action, facts))| of_action(table, action, facts));
    let requirement = |asked: Asked| {
        let word = match asked.neglected {
            Neglected::Not => return None,
            Neglected::Sometimes => Word::Strong,
            Neglected::Always => Word::Weak,
        };
        (!asked.is_failure).then(|| Requirement::of(word, asked.pattern, Vec::new()))
    };
    asked.filter_map(requirement).take(LISTED).collect()
}

/// The same of a lasso.
pub(crate) fn asked_outside(instance: &Instance, lasso: &Lasso, claim: &Kind) -> Vec<Requirement> {
    Table::new(instance, lasso).map_or_else(|_| Vec::new(), |table| outside(&table, claim))
}

/// The processes that rest on the cycle of a lasso.
pub(crate) fn resting(instance: &Instance, lasso: &Lasso) -> Vec<String> {
    Table::new(instance, lasso).map_or_else(|_| Vec::new(), |table| resting_in(&table))
}

fn resting_in(table: &Table<'_>) -> Vec<String> {
    let ids = (0..table.instance.processes.len() as u32).map(ProcessId);
    let rests = ids.map(|id| table.process(id)).filter(|process| matches!(process.fate, Fate::Rests(_)));
    rests.map(|process| process.name).collect()
}

/// What the processes that are blocked on the cycle of a lasso need, as assumptions.
pub(crate) fn conditions(instance: &Instance, lasso: &Lasso, claim: &Kind) -> Vec<Remedy> {
    let spoken_of = spoken_of(instance, claim);
    Table::new(instance, lasso).map_or_else(|_| Vec::new(), |table| conditions_of(&table, &spoken_of))
}

fn conditions_of(table: &Table<'_>, spoken_of: &BTreeSet<ProcessId>) -> Vec<Remedy> {
    let ids = (0..table.instance.processes.len() as u32).map(ProcessId);
    let mut ids: Vec<ProcessId> = ids.filter(|id| !table.is_outside(*id)).collect();
    ids.sort_by_key(|id| !spoken_of.contains(id));
    let mut found: Vec<Remedy> = Vec::new();
    // A process that only the environment could move waits too, with its own steps.
    let waits = |id: &ProcessId| matches!(table.process(*id).fate, Fate::Blocked(_) | Fate::Outside { .. });
    for id in ids.into_iter().filter(waits) {
        for (_, conditions) in table.waits(id) {
            let system = &table.instance.system;
            if !conditions.iter().all(|condition| plain::can_be_written(system, condition)) {
                continue;
            }
            let condition = match &conditions[..] {
                [] => continue,
                [only] => only.clone(),
                several => Expr::And(several.to_vec()),
            };
            let remedy = remedy(table, Requirement::justice(condition, Vec::new()));
            if found.len() < CONDITIONS && !found.contains(&remedy) {
                found.push(remedy);
            }
        }
    }
    found
}

pub(super) fn remedy(table: &Table<'_>, requirement: Requirement) -> Remedy {
    let text = plain::requirement(&table.instance.system, &requirement);
    Remedy { text, requirement, effect: Effect::Unknown }
}

/// A process that acts at this label, as a part of a pattern.
fn party(table: &Table<'_>, id: ProcessId, label: Option<&String>) -> Party {
    let process = &table.instance.processes[id.0 as usize];
    let index = process.index.map(|index| Box::new(Expr::Int(index)));
    Party { family: process.family, process: index, label: label.cloned() }
}
