//! Finds out what would rule a run out: which fairness its cycle violates, and whether that is enough for the property.
//!
//! The first follows from the table of what is enabled and taken on the cycle ([`Table`]). The second needs an engine: with an
//! assumption that rules this run out, others may be left. And a property may hold under an assumption only because its
//! premise never happens then, which helps nobody ([`premise`](crate::premise)).
//!
//! If everything that weak and strong fairness could ask for is taken on the cycle, a process that is blocked there shows
//! what else could be asked for: that what it needs is true again and again.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

use model::expr::{Operator, Party, Place};
use model::fairness::Word;
use model::instance::ActionInstance;
use model::property::{Ctl, Kind, Paths};
use model::semantics::{self, Step};
use model::system::{Action, Participant, Update};
use model::{
    ActionId, Answer, Counterexample, Expr, Fairness, Family, FamilyId, Fault, Formula, Instance, Label,
    Lasso, Pattern, ProcessId, Property, Requirement, State, System, Task, ground, show,
};

use super::starvation::{Fate, Neglected, Table};
use super::support::account;
use crate::advise::AdditionKind;
use crate::advise::rank::is_failure;
use crate::empty;
use crate::options::FairnessOption;
use crate::premise;
use crate::report::{Binding, plain};
use crate::spoken_of::{spoken_of, taken_in};

/// At most this many assumptions are listed.
const LISTED: usize = 6;
/// At most this many conditions of blocked processes are tried.
const CONDITIONS: usize = 3;
/// At most this many states around a cycle are looked at for what the claim speaks of.
const AROUND: usize = 2_000;

/// An assumption that rules the run out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// As it is declared: `strong P[1].enter`.
    pub text: String,
    /// The same as data.
    pub requirement: Requirement,
    /// What becomes of the property if it is assumed as well.
    pub effect: Effect,
}

/// What becomes of a property if more is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It holds.
    Holds,
    /// It holds only because nothing else can move meanwhile: with a process that may always stutter it fails.
    Brittle,
    /// It holds only because this premise of it never happens.
    Vacuous(String),
    /// It holds only because no run is fair any more.
    Empty,
    /// It fails: other runs are left.
    Fails,
    /// That is not known.
    Unknown,
}

/// A step that leaves a state of the cycle and is not on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of the step of the run before which it could be taken.
    pub before: usize,
    /// Its action.
    pub action: String,
    /// What it would change; empty if nothing.
    pub changes: Vec<Binding>,
    /// Whether its action is taken elsewhere on the cycle, or there with another result.
    pub taken: bool,
    /// An action of a process that never can act on the cycle, and could after it.
    pub then: Option<String>,
    /// A part of the claim that is false all along the cycle and can become true some steps after this one.
    pub towards: Option<String>,
}

/// Requirements that are enough for a property in addition to what is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enough {
    /// As they are declared.
    pub set: Vec<String>,
    /// The open parameters, `N`, for every value of which they are.
    pub every: Option<String>,
    /// What they ask for.
    pub kind: AdditionKind,
}

/// What would rule the run out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct Remedies {
    /// The number of steps of the cycle; 0 in a deadlock.
    pub cycle: usize,
    /// Assumptions that each rule the run out: those with the weakest word that any action or process needs, with
    /// processes that the property names first, and without failures and those that rest if there are others. Empty if every
    /// action and process that is enabled on the cycle acts.
    pub weakest: Vec<Remedy>,
    /// Strong fairness of what is enabled only at times, if weak fairness of something else rules the run out as well.
    stronger: Vec<Remedy>,
    /// How many more assumptions with the same word there are.
    pub further: usize,
    /// Whether weak fairness is enough for these.
    pub weak: bool,
    /// Per rung of the ladder of fairness kinds, weakest first, whether it rules the run out.
    pub ladder: Vec<(FairnessOption, bool)>,
    /// Per process that is blocked, what it needs, as an assumption that this is true again and again. The cycle never
    /// has it.
    pub conditions: Vec<Remedy>,
    /// What becomes of the property if a rung that rules the run out is assumed as well, for each that was asked about.
    pub effects: Vec<(FairnessOption, Effect)>,
    /// Fairness of steps of the environment that could be taken on the cycle and never are, failures left out. Asked about
    /// only if no fairness of the model's own steps rules the run out.
    pub environment: Vec<Remedy>,
    /// Whether some fairness is assumed already.
    pub assumed: bool,
    /// A step that leaves a state of the cycle and is not on it: if there is one, a step out of the loop that changes what the
    /// property speaks of.
    pub left_out: Option<LeftOut>,
    /// That the process which takes this step gets to where it leads again and again, if it is where it begins again and again.
    pub choice: Option<Remedy>,
    /// What is enough for the property, if no single requirement that rules the run out is.
    pub enough: Option<Enough>,
    /// Whether nothing but strong global fairness is enough, whatever is expected of failures and of the environment.
    pub fails_whatever_is_expected: bool,
    /// Whether no action is enabled on the cycle.
    pub deadlock: bool,
    /// Whether the states are bounded. Only there does strong global fairness imply all other kinds.
    pub bounded: bool,
    /// A run that is left, in a sentence: under strong global fairness if that is not enough, or else under the first of
    /// the weakest assumptions if none of them is.
    pub left: Option<String>,
    /// The actions that are failures by their labels: `Server.crash`. Fairness of everything asks for them too.
    pub failures: Vec<String>,
    /// Failures, and actions of the environment that belong to processes of the model, where a process may have to take one of
    /// them because it can do nothing else. They count for the fairness of these processes.
    pub forced: Vec<String>,
    /// All actions of the environment that change something. Strong global fairness asks for them too.
    pub outside: Vec<String>,
}

impl Remedies {
    /// Whether no weak, strong or global fairness is enough: the property is known to fail even under strong global fairness,
    /// which implies all others, although that rules this run out.
    pub fn is_hopeless(&self) -> bool {
        self.bounded && self.effect(FairnessOption::Global) == Some(&Effect::Fails)
    }

    /// What becomes of the property if this kind of fairness is assumed as well, if that was asked about.
    pub(crate) fn effect(&self, rung: FairnessOption) -> Option<&Effect> {
        self.effects.iter().find(|(own, _)| *own == rung).map(|(_, effect)| effect)
    }

    /// Whether a requirement that is enough for the property is known.
    pub(crate) fn has_one_that_is_enough(&self) -> bool {
        let all = self.weakest.iter().chain(&self.conditions).chain(&self.environment).chain(&self.choice);
        all.into_iter().any(|remedy| remedy.effect == Effect::Holds)
    }

    /// Fills in what follows of kinds of fairness that were asked about in vain: a property that holds under one requirement holds
    /// under a kind that has it among others, and what holds under weak fairness does under strong fairness.
    fn imply_effects(&mut self) {
        use FairnessOption::{ProcessStrong, ProcessWeak, Strong, Weak};
        let holds = |remedy: &&Remedy| matches!(remedy.effect, Effect::Holds | Effect::Brittle);
        let enough: Vec<Requirement> =
            self.weakest.iter().filter(holds).map(|remedy| remedy.requirement.clone()).collect();
        let known: Vec<(FairnessOption, Effect)> = self.effects.clone();
        let holds = |rung| known.contains(&(rung, Effect::Holds));
        for (rung, effect) in self.effects.iter_mut().filter(|(_, effect)| *effect == Effect::Unknown) {
            let weaker =
                matches!(rung, Strong) && holds(Weak) || matches!(rung, ProcessStrong) && holds(ProcessWeak);
            if weaker || enough.iter().any(|one| includes(*rung, one)) {
                *effect = Effect::Holds;
            }
        }
    }

    /// The same of requirements that are enough together: `all` is what is assumed then, `present` what is assumed already.
    pub(super) fn imply_from(&mut self, present: &Fairness, all: &Fairness) {
        let ([present], [all]) = (&present.alternatives[..], &all.alternatives[..]) else { return };
        let added = || all.requirements.iter().filter(|one| !present.requirements.contains(one));
        for (rung, effect) in self.effects.iter_mut().filter(|(_, effect)| *effect == Effect::Unknown) {
            if added().all(|one| includes(*rung, one)) {
                *effect = Effect::Holds;
            }
        }
    }

    /// The assumptions that are enough for the property, if there are any; otherwise those that rule the run out.
    pub fn assumptions(&self) -> impl Iterator<Item = &Remedy> {
        let enough = |remedy: &&Remedy| remedy.effect == Effect::Holds;
        let some = self.weakest.iter().any(|remedy| enough(&remedy));
        self.weakest.iter().filter(move |remedy| !some || enough(remedy))
    }
}

/// Whether a property that holds under some fairness holds under more.
pub(crate) fn is_monotone(kind: &Kind) -> bool {
    !matches!(kind, Kind::Ctl(formula) if formula.of_all_runs().is_none())
}

/// Whether a kind of fairness of everything has this requirement among others.
fn includes(rung: FairnessOption, one: &Requirement) -> bool {
    use FairnessOption::{ProcessStrong, ProcessWeak, Strong, Weak};
    let Some(of) = one.of.as_ref().filter(|_| matches!(one.word, Word::Weak | Word::Strong)) else {
        return false;
    };
    let is_action = of.participants.iter().all(|party| party.label.is_some());
    match rung {
        Weak => is_action && one.word == Word::Weak,
        ProcessWeak => !is_action && one.word == Word::Weak,
        Strong => is_action,
        ProcessStrong => !is_action,
        _ => false,
    }
}

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
    let mut neglected: Vec<(&Asked, (bool, bool))> = actions
        .iter()
        .chain(&asked_of)
        .filter(|asked| asked.neglected != Neglected::Not)
        .map(|asked| (asked, reluctance(asked)))
        .collect();
    let least = neglected.iter().map(|(_, reluctance)| *reluctance).min();
    neglected.retain(|(_, reluctance)| Some(*reluctance) == least);
    let weak = neglected.iter().any(|(asked, _)| asked.neglected == Neglected::Always);
    let (word, least) =
        if weak { (Word::Weak, Neglected::Always) } else { (Word::Strong, Neglected::Sometimes) };
    neglected.sort_by_key(|(asked, _)| !asked.processes.iter().any(|one| spoken_of.contains(one)));
    let stronger = neglected
        .iter()
        .filter(|(asked, _)| asked.neglected != least)
        .take(LISTED)
        .map(|(asked, _)| remedy(table, Requirement::of(Word::Strong, asked.pattern.clone(), Vec::new())))
        .collect();
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
        stronger,
        further,
        weak,
        ladder,
        conditions: conditions_of(table, &spoken_of),
        effects: Vec::new(),
        environment,
        assumed: false,
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
    // A step that changes nothing ends no loop. And where the claim says what follows if the environment takes a step or does
    // not, to ask for that step is no remedy.
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

/// A step that leaves a state of the cycle, and the position of the state.
type Exit = (usize, Step);

/// A step that leaves a state of the cycle and is not on it. A step to a state that is not on the cycle is preferred, and of
/// those one after which a process can act that never can on the cycle; or else the first on a shortest way to what the claim
/// speaks of and the cycle never has, with that.
fn left_out(table: &Table<'_>, claim: &Kind) -> Result<Option<(Exit, Option<String>)>, Fault> {
    let Some(first) = certify::left_out(table.instance, table.lasso)? else { return Ok(None) };
    let exits = exits(table)?;
    let waiting = table.waiting_for_others();
    let enabled = |target: &State, action| semantics::enabled(table.instance, target, action) == Ok(true);
    let lets_act = |exit: &&Exit| waiting.iter().any(|action| enabled(&exit.1.target, *action));
    if let Some(exit) = exits.iter().find(lets_act) {
        return Ok(Some((exit.clone(), None)));
    }
    if let Some((exit, towards)) = towards(table, claim, &exits) {
        return Ok(Some((exit, towards)));
    }
    let changes = |(position, step): &&Exit| {
        let state = &table.lasso.positions[*position].state;
        table.read.iter().any(|cell| state.0[*cell] != step.target.0[*cell])
    };
    let exit = exits.iter().find(changes).or_else(|| exits.first());
    Ok(Some((exit.cloned().unwrap_or(first), None)))
}

/// The steps from the states of the cycle to others.
fn exits(table: &Table<'_>) -> Result<Vec<Exit>, Fault> {
    let cycle = table.lasso.cycle..table.lasso.positions.len();
    let states: BTreeSet<&State> = cycle.clone().map(|k| &table.lasso.positions[k].state).collect();
    let mut exits = Vec::new();
    for position in cycle {
        let steps = semantics::steps(table.instance, &table.lasso.positions[position].state)?;
        let leaving = steps.into_iter().filter(|step| !states.contains(&step.target));
        exits.extend(leaving.map(|step| (position, step)));
    }
    Ok(exits)
}

/// The first step on a shortest way from the cycle to a state in which a part of the claim has a value that it never has on the
/// cycle; with this part, if the way is longer.
fn towards(table: &Table<'_>, claim: &Kind, exits: &[Exit]) -> Option<(Exit, Option<String>)> {
    let instance = table.instance;
    let claim = ground::kind(instance, claim);
    let is_true = |atom: &Expr, state: &State| semantics::state_predicate(instance, atom, state) == Ok(true);
    let mut wanted: Vec<Expr> = Vec::new();
    let of_states = |atom: &&Expr| !atom.any(&mut |part| matches!(part, Expr::Taken(_)));
    for atom in claim.atoms().into_iter().filter(of_states) {
        let cycle = &table.lasso.positions[table.lasso.cycle..];
        let values: BTreeSet<bool> = cycle.iter().map(|position| is_true(atom, &position.state)).collect();
        match values.into_iter().collect::<Vec<_>>()[..] {
            [true] => wanted.push(Expr::negated(atom.clone())),
            [false] => wanted.push(atom.clone()),
            _ => {}
        }
    }
    let mut seen: BTreeSet<State> = exits.iter().map(|(_, step)| step.target.clone()).collect();
    let mut pending: VecDeque<(State, &Exit)> =
        exits.iter().map(|exit| (exit.1.target.clone(), exit)).collect();
    while let Some((state, exit)) = pending.pop_front() {
        if let Some(atom) = wanted.iter().find(|atom| is_true(atom, &state)) {
            let is_written = state != exit.1.target && plain::can_be_written(&instance.system, atom);
            let towards = is_written.then(|| plain::expression(&instance.system, atom));
            return Some((exit.clone(), towards));
        }
        for step in semantics::steps(instance, &state).ok()? {
            if seen.len() < AROUND && seen.insert(step.target.clone()) {
                pending.push_back((step.target, exit));
            }
        }
    }
    None
}

/// What would make a process take such a step that goes to another location: that it gets there again and again if it is where
/// the step begins again and again.
fn choice(table: &Table<'_>, position: usize, step: &Step) -> Option<Remedy> {
    let instance = table.instance;
    let Label::Action(action) = step.label else { return None };
    let [(id, _)] = &instance.action(action).participants[..] else { return None };
    let process = &instance.processes[id.0 as usize];
    let variable = instance.system.family(process.family).location?;
    let cell = instance.cells_of(variable, Some(*id)).start;
    let (from, to) = (table.lasso.positions[position].state.0[cell], step.target.0[cell]);
    let at = |value: i64| {
        let index = process.index.map(|index| Box::new(Expr::Int(index)));
        let place = Place { variable, process: index, position: Vec::new() };
        Expr::Binary(Operator::Eq, Box::new(Expr::Read(place)), Box::new(Expr::Int(value)))
    };
    (from != to && !table.is_outside(*id))
        .then(|| remedy(table, Requirement::compassion(at(from), at(to), Vec::new())))
}

/// The names of actions, such as `Server.crash`, each once.
pub(crate) fn names(system: &System, wanted: &dyn Fn(&Action, &Participant) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for action in &system.actions {
        for party in action.participants.iter().filter(|party| wanted(action, party)) {
            let name = format!("{}.{}", system.family(party.family).name, party.label);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The claim that no process of a family ever has to fail, or to take a step of the environment: where it can, it can do
/// something else.
pub(crate) fn never_forced(instance: &Instance, family: FamilyId) -> Kind {
    let system = &instance.system;
    let claim = |id: ProcessId| {
        let index = instance.processes[id.0 as usize].index;
        let (mut forced, mut others) = (Vec::new(), Vec::new());
        for action in &system.actions {
            for own in action.participants.iter().filter(|own| own.family == family) {
                let process = index.map(|index| Box::new(Expr::Int(index)));
                let party = Party { family, process, label: Some(own.label.clone()) };
                let enabled = Expr::Enabled(Pattern { participants: vec![party], arguments: None });
                let is_forced = system.is_environment(action) || is_failure(&own.label);
                if is_forced { &mut forced } else { &mut others }.push(enabled);
            }
        }
        Expr::Or(std::iter::once(Expr::negated(Expr::Or(forced))).chain(others).collect())
    };
    Kind::Invariant(Expr::And(instance.members(family).map(claim).collect()))
}

/// What the processes that are blocked on the cycle of a lasso need, as assumptions.
pub(crate) fn conditions(instance: &Instance, lasso: &Lasso, claim: &Kind) -> Vec<Remedy> {
    let spoken_of = spoken_of(instance, claim);
    Table::new(instance, lasso).map_or_else(|_| Vec::new(), |table| conditions_of(&table, &spoken_of))
}

/// The claim that from every state one can be reached in which what should recur is true. Otherwise no scheduler could see to
/// it.
pub(crate) fn recurs(justice: &Requirement) -> Kind {
    let goal = Ctl::Finally(Paths::Some, Box::new(Ctl::Atom(justice.then.clone())));
    Kind::Ctl(Ctl::Globally(Paths::All, Box::new(goal)))
}

/// The claims that what should recur has a part of the property as its consequence, in every reachable state.
pub(crate) fn consequences(kind: &Kind, justice: &Requirement) -> Vec<Kind> {
    let is_of_states = |atom: &&Expr| !atom.any(&mut |part| matches!(part, Expr::Taken(_)));
    let implied =
        |atom: &Expr| Kind::Invariant(Expr::Or(vec![Expr::negated(justice.then.clone()), atom.clone()]));
    kind.atoms().into_iter().filter(is_of_states).map(implied).collect()
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

fn remedy(table: &Table<'_>, requirement: Requirement) -> Remedy {
    let text = plain::requirement(&table.instance.system, &requirement);
    Remedy { text, requirement, effect: Effect::Unknown }
}

/// A process that acts at this label, as a part of a pattern.
fn party(table: &Table<'_>, id: ProcessId, label: Option<&String>) -> Party {
    let process = &table.instance.processes[id.0 as usize];
    let index = process.index.map(|index| Box::new(Expr::Int(index)));
    Party { family: process.family, process: index, label: label.cloned() }
}

/// Finds out what becomes of the property if what rules the run out is assumed as well. `decide` answers other tasks about
/// the same system.
pub(super) fn find_effects(
    task: &Task,
    found: &Counterexample,
    remedies: &mut Remedies,
    decide: &dyn Fn(&Task) -> Option<Answer>,
) {
    let premises = premise::premises(&task.property.kind);
    let asking =
        Asking { task, premises, answer: decide, shown: account(task, found), left: Cell::new(None) };
    remedies.assumed = !task.fairness.is_none();
    let finite = task.subject.is_bounded();
    remedies.bounded = finite;
    let ruling_out = remedies.ladder.iter().filter(|(_, rules_out)| *rules_out);
    // The strongest first. On finitely many states strong global fairness implies all others: if it is not enough, nothing
    // is, and if the premise can happen under it, it can under all.
    for rung in ruling_out.map(|(rung, _)| *rung).rev() {
        let global = remedies.effects.iter().find(|(rung, _)| *rung == FairnessOption::Global && finite);
        let effect = match (global.map(|(_, effect)| effect), rung.replacement(task.system())) {
            (Some(Effect::Fails), _) => Effect::Fails,
            (Some(Effect::Holds), Some(more)) => asking.verdict(&more),
            (_, Some(more)) => asking.effect(&more),
            (_, None) => Effect::Unknown,
        };
        remedies.effects.push((rung, effect));
    }
    remedies.effects.reverse();
    let system = task.system();
    let is_free = |(family, _): &(FamilyId, &Family)| {
        let free = task.instance().map(|instance| never_forced(instance, *family));
        free.is_some_and(|claim| asking.is_true_without_fairness(claim))
    };
    let fails = |_: &Action, party: &Participant| is_failure(&party.label);
    let partly = |action: &Action, party: &Participant| {
        system.is_environment(action) && !system.is_outside(party.family)
    };
    let families = (0..).map(FamilyId).zip(&system.families);
    // Most models have nothing of the kind.
    let some = !names(system, &|action, party| fails(action, party) || partly(action, party)).is_empty();
    let free: Vec<FamilyId> =
        if some { families.filter(is_free).map(|(id, _)| id).collect() } else { Vec::new() };
    let is_forced = |party: &Participant| !free.contains(&party.family);
    remedies.forced =
        names(system, &|action, party| (fails(action, party) || partly(action, party)) && is_forced(party));
    if remedies.is_hopeless() {
        remedies.left = asking.left.take();
        return;
    }
    for remedy in &mut remedies.weakest {
        asking.left.set(None);
        remedy.effect = asking.robust_effect(&Fairness::all_of(vec![remedy.requirement.clone()]));
        remedies.left = remedies.left.take().or_else(|| asking.left.take());
    }
    let is_enough = |remedies: &[Remedy]| remedies.iter().any(|remedy| remedy.effect == Effect::Holds);
    if !is_enough(&remedies.weakest) {
        for remedy in &mut remedies.stronger {
            remedy.effect = asking.robust_effect(&Fairness::all_of(vec![remedy.requirement.clone()]));
        }
        if is_enough(&remedies.stronger) {
            remedies.weakest = std::mem::take(&mut remedies.stronger);
            (remedies.weak, remedies.further) = (false, 0);
        }
    }
    if remedies.weakest.iter().any(|remedy| remedy.effect != Effect::Fails) {
        remedies.left = None;
    }
    if is_monotone(&task.property.kind) {
        remedies.imply_effects();
    }
    if remedies.weakest.is_empty() {
        for remedy in &mut remedies.conditions {
            let more = Fairness::all_of(vec![remedy.requirement.clone()]);
            remedy.effect = match asking.effect(&more) {
                // What can never be again and again makes everything true. And to assume what is claimed helps nobody.
                Effect::Holds
                    if !asking.can_recur(&remedy.requirement)
                        || asking.is_conclusion(&remedy.requirement) =>
                {
                    Effect::Unknown
                }
                effect => effect,
            };
        }
        for remedy in &mut remedies.environment {
            remedy.effect = asking.effect(&Fairness::all_of(vec![remedy.requirement.clone()]));
        }
        if let Some(remedy) = &mut remedies.choice {
            remedy.effect = match asking.effect(&Fairness::all_of(vec![remedy.requirement.clone()])) {
                Effect::Holds if !asking.can_recur(&remedy.requirement) => Effect::Unknown,
                effect => effect,
            };
        }
    }
}

/// Asks about the same system under more fairness.
struct Asking<'a> {
    task: &'a Task,
    /// What the property holds about.
    premises: Vec<Formula>,
    answer: &'a dyn Fn(&Task) -> Option<Answer>,
    /// The run that is shown, in a sentence.
    shown: Option<String>,
    /// The last run that was found, in a sentence.
    left: Cell<Option<String>>,
}

impl Asking<'_> {
    /// Whether another claim is true under more fairness.
    fn decide(&self, claim: &Kind, more: &Fairness) -> Option<Answer> {
        let property = Property { kind: claim.clone(), ..self.task.property.clone() };
        (self.answer)(&Task { property, fairness: self.task.fairness.and(more), ..self.task.clone() })
    }

    /// The same of little fairness, which may be enough only because nothing else can move.
    fn robust_effect(&self, more: &Fairness) -> Effect {
        match self.effect(more) {
            Effect::Holds if self.fails_beside(more) => Effect::Brittle,
            effect => effect,
        }
    }

    /// Whether the property is known to fail under more fairness if a process may always stutter.
    fn fails_beside(&self, more: &Fairness) -> bool {
        let fairness = self.task.fairness.and(more);
        let answer = empty::beside(self.task)
            .and_then(|subject| (self.answer)(&Task { subject, fairness, ..self.task.clone() }));
        matches!(answer, Some(Answer::Fails(_)))
    }

    fn effect(&self, more: &Fairness) -> Effect {
        match self.verdict(more) {
            Effect::Holds => match self.is_empty(more) {
                Some(true) => Effect::Empty,
                None => Effect::Unknown,
                Some(false) => self.excluded(more),
            },
            effect => effect,
        }
    }

    /// What a property that holds rests on: a premise that never happens, or nothing of that kind.
    fn excluded(&self, more: &Fairness) -> Effect {
        let excluded = self.premises.iter().find(|premise| self.never(more, premise) == Some(true));
        let text = |premise| Effect::Vacuous(plain::formula(self.task.system(), premise));
        excluded.map_or(Effect::Holds, text)
    }

    /// The verdict, whatever it rests on.
    fn verdict(&self, more: &Fairness) -> Effect {
        match self.decide(&self.task.property.kind, more) {
            Some(Answer::Holds(_)) => Effect::Holds,
            Some(Answer::Fails(found)) => {
                self.left.set(account(self.task, &found).map(|left| self.told_apart(left, &found)));
                Effect::Fails
            }
            Some(Answer::Unknown(_)) | None => Effect::Unknown,
        }
    }

    /// A run in a sentence; with the way to its loop, if that is what tells it from the run that is shown.
    fn told_apart(&self, left: String, found: &Counterexample) -> String {
        let stem = match found {
            Counterexample::Lasso(lasso) => lasso.cycle,
            _ => 0,
        };
        let what_repeats = |sentence: &str| sentence.split(" while ").next().map(str::to_owned);
        if stem == 0 || self.shown.as_deref().and_then(what_repeats) != what_repeats(&left) {
            return left;
        }
        format!(
            "after {}, {left}",
            if stem == 1 { "another step".to_owned() } else { format!("{stem} other steps") }
        )
    }

    /// Whether no fair run satisfies a formula, if that is known.
    fn never(&self, more: &Fairness, formula: &Formula) -> Option<bool> {
        let negation = Kind::Ltl(Formula::Not(Box::new(formula.clone())));
        match self.decide(&negation, more)? {
            Answer::Holds(_) => Some(true),
            Answer::Fails(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// Whether it is known that from every state one can be reached in which what should recur is true.
    fn can_recur(&self, justice: &Requirement) -> bool {
        self.is_true_without_fairness(recurs(justice))
    }

    /// Whether what should recur is known to have a part of the claim as its consequence.
    fn is_conclusion(&self, justice: &Requirement) -> bool {
        let claims = consequences(&self.task.property.kind, justice);
        claims.into_iter().any(|claim| self.is_true_without_fairness(claim))
    }

    /// Whether another claim is known to be true without fairness.
    fn is_true_without_fairness(&self, claim: Kind) -> bool {
        let property = Property { kind: claim, ..self.task.property.clone() };
        let task = Task { property, fairness: Fairness::none(), ..self.task.clone() };
        matches!((self.answer)(&task), Some(Answer::Holds(_)))
    }

    /// Whether there is no fair run, if that is known.
    fn is_empty(&self, more: &Fairness) -> Option<bool> {
        self.never(more, &Formula::Atom(Expr::Bool(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Explanation, explanation, kinds, remedy};
    use super::*;

    /// What would rule out the run against the first property, with the effects.
    fn of(text: &str) -> Remedies {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let task = model.checks[0].task.clone();
        let session = model::Session::unlimited();
        let engine = &crate::all_engines()[0];
        let decide = |task: &Task| engine.check(task, &session).ok();
        let answer = decide(&task).expect("an answer");
        let Some(Explanation::Fails(failure)) = explanation(&task, &answer, &decide) else {
            panic!("{answer:?}")
        };
        failure.remedies.expect("it depends on fairness")
    }

    fn effects(remedies: &[Remedy]) -> Vec<(&str, Effect)> {
        remedies.iter().map(|remedy| (remedy.text.as_str(), remedy.effect.clone())).collect()
    }

    #[test]
    fn what_is_enough_is_told_from_what_rules_out_one_run() {
        // Messages may be lost in both directions. With one direction fair, the other still loses everything.
        let retry = "shared question, answer: bool;
            process Client { loop { send: question = true; wait: answer = false; } }
            process Server { action serve when question { question = false; answer = true; } }
            process Net { action lose_question when question { question = false; } action lose_answer when answer { answer = false; } }
            property served: G F taken(Server) under weak Client & strong Net;";
        let found = of(retry);
        assert!(found.weakest.iter().all(|remedy| !remedy.text.contains("lose")), "{:?}", found.weakest);
        assert!(found.assumptions().any(|remedy| remedy.effect == Effect::Holds), "{:?}", found.weakest);
        assert!(remedy(&found).contains("is enough for the property"), "{}", remedy(&found));
    }

    #[test]
    fn who_keeps_a_process_from_acting_is_named_and_what_would_let_it() {
        // One reader is inside at any time, so the writer never gets in.
        let text = "process Reader[i: 1..2] { loop { away: stay; ask: skip; read: skip; } }
            process Writer { want: await !Reader[1]@read && !Reader[2]@read; write: skip; }
            property writes: F Writer@write under strong all;";
        let found = of(text);
        let left_out = found.left_out.as_ref().expect("a step out of the loop");
        assert_eq!(left_out.then.as_deref(), Some("Writer.want"));
        assert!(left_out.action.starts_with("Reader"), "{left_out:?}");
        assert_eq!(
            effects(&found.conditions),
            [("justice (!Reader[1]@read && !Reader[2]@read)", Effect::Holds)]
        );
        let model = lang::load("test", text, &[]).model.expect("a model");
        let session = model::Session::unlimited();
        let answer = crate::all_engines()[0].check(&model.checks[0].task, &session).expect("an answer");
        let Some(Explanation::Fails(failure)) = explanation(&model.checks[0].task, &answer, &|_| None) else {
            panic!("{answer:?}")
        };
        let sentence = super::super::fate(failure.processes.last().expect("the writer"), 3);
        assert!(sentence.contains("which are never true at once: Reader["), "{sentence}");
    }

    #[test]
    fn what_holds_under_one_requirement_holds_under_kinds_that_have_it() {
        let text = "shared x: bool; process P { loop { a: x = true; } } process Q { loop { b: skip; } }
            property p: F x;";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let task = model.checks[0].task.clone();
        let session = model::Session::unlimited();
        let engine = &crate::all_engines()[0];
        // An engine that cannot deal with fairness of everything.
        let decide = |task: &Task| {
            let only = |one: &model::Assumption| one.requirements.len() < 2 && !one.global;
            task.fairness.alternatives.iter().all(only).then(|| engine.check(task, &session).ok())?
        };
        let answer = decide(&task).expect("an answer");
        let Some(Explanation::Fails(failure)) = explanation(&task, &answer, &decide) else { panic!() };
        let found = failure.remedies.expect("it depends on fairness");
        assert_eq!(found.effect(FairnessOption::Weak), Some(&Effect::Holds), "{:?}", found.effects);
        assert_eq!(found.effect(FairnessOption::Strong), Some(&Effect::Holds));
        assert_eq!(found.effect(FairnessOption::Global), Some(&Effect::Unknown));
        assert!(kinds(&found).contains("Whether `global` is enough is not known."), "{}", kinds(&found));
    }

    #[test]
    fn another_run_with_the_same_loop_is_told_apart() {
        let found = of("stuttering; shared x: 0..2;
            process P { environment action go when x == 0 { choose v in 1..2 { x = v; } } }
            property p: F x == 2;");
        assert!(found.is_hopeless(), "{:?}", found.effects);
        assert!(remedy(&found).contains("On another run, after another step, "), "{}", remedy(&found));
    }

    #[test]
    fn little_fairness_that_counts_on_nothing_else_to_move_is_marked() {
        // While Q has ended, P is the only one that can move.
        let found = of("shared x: 0..1; shared y: bool;
            process P { loop { a: x = 1; b: x = 0; } } process Q { loop { last: y = true; await !y; } }
            property p: F y && G F x == 1;");
        assert_eq!(effects(&found.weakest)[0], ("weak Q.last", Effect::Brittle), "{:?}", found.weakest);
        assert!(remedy(&found).contains("only because nothing else can move"), "{}", remedy(&found));
    }

    #[test]
    fn a_blocked_process_shows_what_should_be_true_again_and_again() {
        let crossing = "shared car: bool = true;
            process Road { loop { flow: choose next in 0..1 { car = next == 1; } } }
            process Walker { loop { wait: when !car { skip; } } }
            property crosses: G F taken(Walker) under weak Road & strong Walker;";
        let found = of(crossing);
        assert!(found.weakest.is_empty());
        assert_eq!(effects(&found.conditions), [("justice (!car)", Effect::Holds)]);
        assert!(remedy(&found).starts_with("If `justice (!car)` is assumed as well"), "{}", remedy(&found));
        // If it can never be true, everything would hold: that is no remedy.
        let never = crossing.replace("car = next == 1", "skip");
        let found = of(&never.replace("when !car", "when !car && car"));
        assert!(
            found.conditions.iter().all(|remedy| remedy.effect != Effect::Holds),
            "{:?}",
            found.conditions
        );
    }

    #[test]
    fn to_assume_what_is_claimed_is_no_remedy() {
        // `rest` waits for exactly what is claimed.
        let found = of("shared mode: 0..2;
            process P { loop { either { go: choose to in 0..1 { mode = to; } } or { rest: when mode == 2 { skip; } } } }
            process Q { loop { finish: when mode == 1 { choose to in 1..2 { mode = to; } } } }
            process R { loop { wait: when mode == 2 { skip; } } }
            property ends: F mode == 2 under strong all;");
        assert!(
            found.conditions.iter().all(|remedy| remedy.effect != Effect::Holds),
            "{:?}",
            effects(&found.conditions)
        );
        assert!(!remedy(&found).contains("justice (mode == 2)"), "{}", remedy(&found));
    }

    #[test]
    fn a_step_out_of_the_loop_is_named_and_what_would_make_it_be_taken() {
        let found = of("shared x: 0..1;
            process Task { loop { blocked: choose go in 0..1 { if go == 0 { goto blocked; } } work: skip; } }
            process Other { loop { look: x = 1 - x; } }
            property again: G F Task@work under strong all;");
        let text = remedy(&found);
        assert!(text.contains("could lead to `Task@work`, and there it never does"), "{text}");
        assert!(text.contains("`compassion (Task@blocked, Task@work)`"), "{text}");
    }

    #[test]
    fn the_step_out_of_the_loop_is_the_first_on_a_way_to_what_is_claimed() {
        let found = of("chan c: [1] of 0..2;
            process Sender { loop { send: choose v in 0..2 { c!v; } } }
            process Receiver { local x: 0..2; loop { recv: c?x; } }
            property gets_two: G F Receiver.x == 2 under weak processes;");
        let text = remedy(&found);
        assert!(text.contains("Sender.send could lead to `c = [2]`"), "{text}");
        assert!(text.contains("After that `Receiver.x == 2` could become true."), "{text}");
    }

    #[test]
    fn over_infinitely_many_states_it_says_nothing_of_other_kinds_that_global_is_not_enough() {
        let mut found =
            of("shared x: bool; process P { loop { a: x = true; } } process Q { loop { b: skip; } }
            property p: F x;");
        found
            .effects
            .iter_mut()
            .filter(|(rung, _)| *rung == FairnessOption::Global)
            .for_each(|(_, effect)| *effect = Effect::Fails);
        assert!(
            found.is_hopeless() && remedy(&found).starts_with("No weak, strong or global"),
            "{}",
            remedy(&found)
        );
        found.bounded = false;
        assert!(!remedy(&found).contains("No weak, strong or global"), "{}", remedy(&found));
        assert!(kinds(&found).contains("With `global` other runs remain"), "{}", kinds(&found));
    }

    #[test]
    fn only_who_may_have_to_fail_is_said_to() {
        let text = "shared x: bool;
            process P { action crash { skip; } action work { x = true; } } process Q { loop { b: skip; } }
            property p: F x;";
        assert!(of(text).forced.is_empty());
        let found = of(&text.replace("action work", "action work when !x"));
        assert_eq!(found.forced, ["P.crash"]);
        assert_eq!(kinds(&found).matches("But ").count(), 1, "{}", kinds(&found));
    }

    #[test]
    fn what_holds_because_its_premise_never_happens_is_no_remedy() {
        // Under strong global fairness the switch is moved for ever.
        let found = of("shared calm: bool; shared x: bool;
            environment process Weather { loop { change: choose next in 0..1 { calm = next == 1; } } }
            process P { loop { work: x = !x; } }
            property settles: F G calm -> F G x under weak P;");
        let vacuous = (FairnessOption::Global, Effect::Vacuous("F G calm".to_owned()));
        assert!(found.effects.contains(&vacuous), "{:?}", found.effects);
        assert!(
            remedy(&found).contains("never happens then. To make it hold, change the model"),
            "{}",
            remedy(&found)
        );
        assert_eq!(kinds(&found), "");
    }

    #[test]
    fn what_only_the_environment_can_end_is_not_asked_of_the_model() {
        let found = of("stuttering; shared up: bool = true; shared x: bool;
            process C {
                environment action crash when up { up = false; }
                environment action restart when !up { up = true; }
                action work when up { x = !x; }
            }
            property works: G F x under strong all & compassion (taken(C.crash), false);");
        assert!(found.weakest.is_empty(), "{:?}", found.weakest);
        assert_eq!(effects(&found.environment), [("weak C.restart", Effect::Holds)]);
        // Fairness of the process counts the crash as a step; it does not ask for it.
        assert!(!kinds(&found).contains("this asks for"), "{}", kinds(&found));
        // A crash that happens finitely often cannot happen again and again.
        assert!(found.effects.contains(&(FairnessOption::Global, Effect::Empty)), "{:?}", found.effects);
        assert!(kinds(&found).contains("With `global` no run is fair any more."), "{}", kinds(&found));
        assert!(
            remedy(&found).starts_with(
                "Only a step of the environment could end the loop, and fairness asks nothing of it."
            ),
            "{}",
            remedy(&found)
        );
    }
}
