//! Finds what becomes of each process on the cycle of a lasso, and what those need that never act.
//! [`violated`](super::violated) says which fairness the cycle violates.
//!
//! On a lasso an action is enabled infinitely often iff it is enabled at some position of the cycle, and taken
//! infinitely often iff it is the label of one. So a table of enabledness, with a row per action and a column per
//! position of the cycle, answers everything. Weak fairness of an action or a process rules the lasso out iff it is
//! enabled at every position and never taken. Strong fairness rules it out iff it is enabled at some position and
//! never taken. Strong global fairness rules it out iff a step that leaves a state of the cycle is not on it.
//!
//! A process *rests* if all it could do, and all it does, is `stay`: to go on or not, as it likes. Another one that never
//! acts needs those parts of the guards of its next actions ([`pending`]) that are false at some position.
//!
//! The cost is one guard per action and position.

use std::collections::BTreeSet;

use model::instance::ActionInstance;
use model::property::Kind;
use model::system::Update;
use model::{ActionId, Fault, Instance, Label, Lasso, Position, ProcessId, State, ground, semantics, show};

use super::remedies::Remedies;
use super::violated::remedies;
use crate::advise::rank::is_failure;
use crate::pending::pending;

/// A process and its fate on the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its location, if it never acts and has one.
    pub location: Option<String>,
    /// Its fate.
    pub fate: Fate,
    /// The numbers of the steps of the cycle before which it could act.
    pub could_act: Vec<usize>,
    /// Its actions that could be taken and never are, if it acts.
    pub passed_over: Vec<PassedOver>,
}

/// An action that is enabled on the cycle and not taken there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// Its name.
    pub action: String,
    /// The numbers of the steps before which it could be taken.
    pub before: Vec<usize>,
    /// The actions that disable it.
    pub ended_by: Vec<String>,
}

/// The fate of a process on the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It takes this many of the steps.
    Acts(usize),
    /// It could act before this many of the steps but takes none: it starves.
    Starves {
        /// The number of steps before which it is enabled; at least one.
        enabled: usize,
        /// The conditions that are sometimes false in the guards of its next actions.
        waits: Vec<Waiting>,
    },
    /// It could act before this many of the steps; but whatever it could do, it might as well stay as it is, and does.
    Rests(usize),
    /// It takes no step. What it could do belongs to the environment, of which nothing is asked, or is a failure.
    Outside {
        /// These actions, unless all of the process belongs to the environment.
        could: Vec<String>,
        /// The conditions that are sometimes false in the guards of its own next actions.
        waits: Vec<Waiting>,
    },
    /// It is never enabled.
    Blocked(Vec<Waiting>),
    /// It has no action that others could enable: it has terminated.
    Ended,
}

/// An action that waits for a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The action.
    pub action: String,
    /// The number of steps of the cycle before which it is enabled.
    pub enabled: usize,
    /// The conditions that are false at some position of the cycle.
    pub conditions: Vec<String>,
    /// Whether there are others, for which the language has no words.
    pub others: bool,
    /// The steps that keep making one of the conditions false, if each is true somewhere on the cycle and all never are.
    pub in_turn: Vec<String>,
}

/// The fates of the processes, and what would rule the run out. `claim` is the property's claim.
pub(crate) fn starvation(
    instance: &Instance,
    lasso: &Lasso,
    claim: &Kind,
) -> Result<(Vec<Process>, Remedies), Fault> {
    let table = Table { read: read(instance, claim), ..Table::new(instance, lasso)? };
    // Nobody waits for the environment, least of all for what it could not do anyway.
    let is_shown =
        |id: &ProcessId| !(table.only_stutters(*id) || table.is_outside(*id) && table.is_blocked(*id));
    let ids = (0..instance.processes.len() as u32).map(ProcessId).filter(is_shown);
    let processes = ids.map(|id| table.process(id));
    Ok((processes.collect(), remedies(&table, claim)?))
}

/// The fates of the processes in a state in which nobody can act. `None` if somebody can.
pub(crate) fn deadlock(instance: &Instance, state: &State) -> Option<Vec<Process>> {
    let positions = vec![Position { state: state.clone(), label: Label::Idle }];
    let lasso = Lasso { positions, cycle: 0 };
    let table = Table::new(instance, &lasso).ok()?;
    let nobody = table.actions.iter().all(|(enabled, _)| enabled.is_empty());
    nobody.then(|| (0..instance.processes.len() as u32).map(|id| table.process(ProcessId(id))).collect())
}

/// What is enabled and taken on the cycle.
pub(super) struct Table<'a> {
    pub(super) instance: &'a Instance,
    pub(super) lasso: &'a Lasso,
    /// Per action: at which positions of the cycle it is enabled, and whether it is taken at one.
    pub(super) actions: Vec<(BTreeSet<usize>, bool)>,
    /// The cells that the claim reads.
    pub(super) read: BTreeSet<usize>,
}

/// How often an action or a process that is never taken on the cycle is enabled there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Neglected {
    /// It is taken, or never enabled.
    Not,
    /// At some positions: strong fairness is violated.
    Sometimes,
    /// At all positions: weak fairness is violated as well.
    Always,
}

impl<'a> Table<'a> {
    pub(super) fn new(instance: &'a Instance, lasso: &'a Lasso) -> Result<Table<'a>, Fault> {
        let cycle = lasso.cycle..lasso.positions.len();
        let mut actions = Vec::new();
        for action in (0..instance.actions.len() as u32).map(ActionId) {
            let mut enabled = BTreeSet::new();
            for position in cycle.clone() {
                if semantics::enabled(instance, &lasso.positions[position].state, action)? {
                    enabled.insert(position);
                }
            }
            let taken = cycle.clone().any(|k| lasso.positions[k].label == Label::Action(action));
            actions.push((enabled, taken));
        }
        Ok(Table { instance, lasso, actions, read: BTreeSet::new() })
    }

    pub(super) fn cycle(&self) -> usize {
        self.lasso.positions.len() - self.lasso.cycle
    }

    /// A state of the cycle.
    pub(super) fn state(&self) -> &State {
        &self.lasso.positions[self.lasso.cycle].state
    }

    /// The actions of a process.
    pub(super) fn of(&self, process: ProcessId) -> impl Iterator<Item = (ActionId, &ActionInstance)> {
        let takes_part =
            move |action: &ActionInstance| action.participants.iter().any(|(p, _)| *p == process);
        (0..).map(ActionId).zip(&self.instance.actions).filter(move |(_, action)| takes_part(action))
    }

    /// The positions at which some of the actions are enabled, and whether one of them is taken.
    pub(super) fn together(&self, actions: impl Iterator<Item = ActionId>) -> (BTreeSet<usize>, bool) {
        actions.fold((BTreeSet::new(), false), |(mut positions, taken), action| {
            let (enabled, is_taken) = &self.actions[action.0 as usize];
            positions.extend(enabled);
            (positions, taken || *is_taken)
        })
    }

    pub(super) fn neglected(&self, (enabled, taken): &(BTreeSet<usize>, bool)) -> Neglected {
        if *taken || enabled.is_empty() {
            Neglected::Not
        } else if enabled.len() < self.cycle() {
            Neglected::Sometimes
        } else {
            Neglected::Always
        }
    }

    pub(super) fn process(&self, id: ProcessId) -> Process {
        let process = &self.instance.processes[id.0 as usize];
        let steps = self.lasso.positions[self.lasso.cycle..].iter().filter(|position| match position.label {
            Label::Action(action) => self.of(id).any(|(own, _)| own == action),
            Label::Idle => false,
        });
        let taken = steps.count();
        let (enabled, _) = self.together(self.of(id).map(|(action, _)| action));
        // Where it could do what may be asked of it, and not only what the environment does, or fail.
        let (could_do_its_own, _) = self.together(self.own_enabled(id).into_iter());
        let rests = || enabled.iter().all(|position| self.may_rest(id, *position));
        let fate = if taken > 0 {
            let stays = !self.is_outside(id) && self.changes_nothing(id) && rests();
            if stays { Fate::Rests(enabled.len()) } else { Fate::Acts(taken) }
        } else {
            let waits: Vec<Waiting> = self.waits(id).into_iter().map(|(waiting, _)| waiting).collect();
            let named = |(_, action): (ActionId, &ActionInstance)| action.name.clone();
            // Nobody waits for what the environment does, or for a failure.
            let asked: Vec<String> =
                self.of(id).filter(|(own, _)| self.is_asked(*own) && !self.fails(*own)).map(named).collect();
            let own = |mut waits: Vec<Waiting>| {
                waits.retain(|waiting| asked.contains(&waiting.action));
                waits
            };
            match (enabled.len(), waits.is_empty()) {
                (0, true) => Fate::Ended,
                (0, false) => {
                    let of_own = own(waits.clone());
                    Fate::Blocked(if of_own.is_empty() { waits } else { of_own })
                }
                _ if self.is_outside(id) => Fate::Outside { could: Vec::new(), waits: Vec::new() },
                _ if could_do_its_own.is_empty() => Fate::Outside {
                    could: self.of(id).filter(|(own, _)| self.is_enabled(*own)).map(named).collect(),
                    waits: own(waits),
                },
                (steps, _) if rests() => Fate::Rests(steps),
                _ => Fate::Starves { enabled: could_do_its_own.len(), waits: own(waits) },
            }
        };
        let location = self.instance.system.family(process.family).location;
        let location = location.filter(|_| !matches!(fate, Fate::Acts(_))).map(|variable| {
            let cell = self.instance.cells_of(variable, Some(id)).start;
            show::value(self.instance, cell, self.state().0[cell]).to_string()
        });
        let could_act = if matches!(fate, Fate::Starves { .. }) { &could_do_its_own } else { &enabled };
        let could_act = could_act.iter().map(|position| position + 1).collect();
        let passed_over = if matches!(fate, Fate::Acts(_)) { self.passed_over(id) } else { Vec::new() };
        Process { name: process.name.clone(), location, fate, could_act, passed_over }
    }

    /// The actions of a process that could be taken and never are. Nothing is asked of the environment, and nobody waits for
    /// a failure.
    fn passed_over(&self, id: ProcessId) -> Vec<PassedOver> {
        let positions = self.lasso.cycle..self.lasso.positions.len();
        let next =
            |position: usize| if position + 1 < positions.end { position + 1 } else { positions.start };
        let mut found = Vec::new();
        for (action, named) in self.of(id).filter(|(action, _)| self.is_asked(*action)) {
            let (enabled, taken) = &self.actions[action.0 as usize];
            if *taken || enabled.is_empty() || self.fails(action) {
                continue;
            }
            let ends = enabled.iter().filter(|position| !enabled.contains(&next(**position)));
            let mut ended_by: Vec<String> = Vec::new();
            for position in ends {
                let name = show::label(self.instance, self.lasso.positions[*position].label);
                if !ended_by.contains(&name) {
                    ended_by.push(name);
                }
            }
            let before = enabled.iter().map(|position| position + 1).collect();
            // What could make the claim true comes first.
            let update = &self.instance.system.actions[named.action].update;
            let is_relevant = self.read.iter().any(|cell| update.writes(self.instance.cells[*cell].variable));
            found.push((!is_relevant, PassedOver { action: named.name.clone(), before, ended_by }));
        }
        found.sort_by_key(|(is_other, _)| *is_other);
        found.into_iter().map(|(_, one)| one).collect()
    }

    /// Whether an action is a failure that could be taken on the cycle.
    pub(super) fn could_fail(&self, action: ActionId) -> bool {
        self.fails(action) && self.is_enabled(action)
    }

    /// The next actions of processes that never can act on the cycle. Nobody waits for a failure or for the environment.
    pub(super) fn waiting_for_others(&self) -> Vec<ActionId> {
        let ids = (0..self.instance.processes.len() as u32).map(ProcessId);
        let blocked = ids.filter(|id| self.is_blocked(*id));
        let next = |id: ProcessId| {
            let own = self.of(id).map(|(action, _)| action);
            own.filter(move |action| pending(self.instance, *action, id, self.state()).is_some())
        };
        blocked.flat_map(next).filter(|action| self.is_asked(*action) && !self.fails(*action)).collect()
    }

    /// Whether a process can never act on the cycle.
    fn is_blocked(&self, id: ProcessId) -> bool {
        self.of(id).all(|(action, _)| !self.is_enabled(action))
    }

    fn is_enabled(&self, action: ActionId) -> bool {
        !self.actions[action.0 as usize].0.is_empty()
    }

    /// Whether fairness may ask for an action: nothing is asked of the environment.
    fn is_asked(&self, action: ActionId) -> bool {
        let system = &self.instance.system;
        !system.is_environment(&system.actions[self.instance.action(action).action])
    }

    /// The actions of a process that are enabled on the cycle and may be asked for. Nobody asks for a failure.
    fn own_enabled(&self, id: ProcessId) -> Vec<ActionId> {
        let own = self.of(id).map(|(action, _)| action);
        own.filter(|action| self.is_asked(*action) && !self.fails(*action) && self.is_enabled(*action))
            .collect()
    }

    /// Whether an action is a failure by its label.
    fn fails(&self, action: ActionId) -> bool {
        self.instance.action(action).participants.iter().any(|(_, label)| is_failure(label))
    }

    /// Whether a process is there only so that nothing may happen.
    fn only_stutters(&self, id: ProcessId) -> bool {
        let actions = &self.instance.system.actions;
        self.is_outside(id) && self.of(id).all(|(_, action)| actions[action.action].update == Update::Skip)
    }

    /// Whether a process is part of the environment.
    pub(super) fn is_outside(&self, id: ProcessId) -> bool {
        self.instance.system.is_outside(self.instance.processes[id.0 as usize].family)
    }

    /// Whether no step of a process on the cycle changes anything.
    fn changes_nothing(&self, id: ProcessId) -> bool {
        let positions = &self.lasso.positions;
        (self.lasso.cycle..positions.len()).all(|k| {
            let next = if k + 1 < positions.len() { k + 1 } else { self.lasso.cycle };
            let is_own = |action| self.of(id).any(|(own, _)| own == action);
            !matches!(positions[k].label, Label::Action(action) if is_own(action))
                || positions[k].state == positions[next].state
        })
    }

    /// Whether each enabled action of a process, at a position of the cycle, may go on or change nothing, as `stay` may.
    /// An action that can do nothing but change nothing is no rest: then the step itself is what counts.
    fn may_rest(&self, id: ProcessId, position: usize) -> bool {
        let state = &self.lasso.positions[position].state;
        self.of(id).filter(|(action, _)| self.actions[action.0 as usize].0.contains(&position)).all(
            |(action, _)| {
                semantics::successors(self.instance, state, action).is_ok_and(|targets| {
                    targets.contains(state) && targets.iter().any(|target| target != state)
                })
            },
        )
    }
}

/// The cells that a claim reads.
fn read(instance: &Instance, claim: &Kind) -> BTreeSet<usize> {
    let claim = ground::kind(instance, claim);
    claim.atoms().into_iter().flat_map(|atom| ground::reads(instance, atom)).collect()
}

#[cfg(test)]
mod tests {
    use model::Answer;
    use model::Task;
    use model::fairness::{Fairness, Word};

    use super::*;

    /// The system, and a lasso that violates the only property.
    fn lasso(text: &str) -> (Task, std::sync::Arc<Instance>, Lasso) {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let task = model.checks[0].task.clone();
        let engine = &crate::all_engines()[0];
        let Ok(Answer::Fails(model::Counterexample::Lasso(lasso))) =
            engine.check(&task, &model::Session::unlimited())
        else {
            panic!("there is a lasso")
        };
        let instance = std::sync::Arc::clone(task.instance().expect("an instance"));
        (task, instance, lasso)
    }

    fn texts(remedies: &Remedies) -> Vec<&str> {
        remedies.weakest.iter().map(|remedy| remedy.text.as_str()).collect()
    }

    const LOCK: &str = "
        shared x: bool = true;
        process P[i: 1..2] { loop { rest: stay; enter: request x; leave: release x; } }
        process Q { halt; }
        property enters: G (P[1]@enter -> F P[1]@leave) under weak P;";

    #[test]
    fn a_process_that_can_act_now_and_then_and_never_does_starves() {
        let (task, instance, lasso) = lasso(LOCK);
        let (processes, remedies) = starvation(&instance, &lasso, &task.property.kind).expect("no fault");
        let waits = vec![Waiting {
            action: "P[1].enter".to_owned(),
            enabled: 2,
            conditions: vec!["x".to_owned()],
            others: false,
            in_turn: Vec::new(),
        }];
        assert_eq!(processes[0].fate, Fate::Starves { enabled: 2, waits });
        assert_eq!(processes[0].location.as_deref(), Some("enter"));
        assert_eq!(processes[0].could_act, [2, 3]);
        assert_eq!(processes[1].fate, Fate::Acts(3));
        assert_eq!(processes[2].fate, Fate::Ended);
        assert_eq!(texts(&remedies), ["strong P[1]", "strong P[1].enter"]);
        assert!(!remedies.weak && remedies.further == 0);
    }

    #[test]
    fn a_process_that_may_stay_where_it_is_rests_and_does_not_starve() {
        let fates = |text: &str| {
            let (task, instance, lasso) = lasso(text);
            let (processes, _) = starvation(&instance, &lasso, &task.property.kind).expect("no fault");
            processes.into_iter().map(|process| process.fate).collect::<Vec<Fate>>()
        };
        let rests = "process P { loop { rest: stay; work: skip; } } process Q { loop { a: skip; } }
            property p: F P@work under weak Q;";
        assert_eq!(fates(rests), [Fate::Rests(1), Fate::Acts(1)]);
        // One that takes only such steps, and stays, rests as well.
        let alone = rests
            .replace("process Q { loop { a: skip; } }", "process Q { halt; }")
            .replace("weak Q", "weak P");
        assert_eq!(fates(&alone), [Fate::Rests(1), Fate::Ended]);
        // What the environment may do meanwhile is no reason to say that it could act all the time.
        let sometimes = "shared x, y, z: bool;
            process P { environment action fail { z = !z; } action go when x { y = true; } }
            process Q { loop { on: x = true; off: x = false; } }
            property p: F y under weak Q;";
        assert!(matches!(fates(sometimes)[..], [Fate::Starves { enabled: 1, .. }, Fate::Acts(2)]));
        // A step that must be taken to get on, or that can only change nothing, is waited for.
        for starves in
            [rests.replace("stay", "skip"), rests.replace("rest: stay; work: skip;", "rest: skip;")]
        {
            let starves = starves.replace("F P@work", "F taken(P)");
            assert!(matches!(fates(&starves)[0], Fate::Starves { enabled: 1, .. }), "{starves}");
        }
    }

    #[test]
    fn a_process_that_is_never_enabled_is_blocked_by_what_is_false() {
        let (task, instance, lasso) = lasso(
            "shared a, b: bool = true;
             process P { first: request a; second: request b; }
             process Q { first: request b; second: request a; }
             property ends: F P@end under strong all;",
        );
        let (processes, remedies) = starvation(&instance, &lasso, &task.property.kind).expect("no fault");
        let waits = |action: &str, condition: &str| {
            Fate::Blocked(vec![Waiting {
                action: action.to_owned(),
                enabled: 0,
                conditions: vec![condition.to_owned()],
                others: false,
                in_turn: Vec::new(),
            }])
        };
        assert_eq!(processes[0].fate, waits("P.second", "b"));
        assert_eq!(processes[1].fate, waits("Q.second", "a"));
        assert!(remedies.weakest.is_empty() && remedies.left_out.is_none());
        assert!(remedies.ladder.iter().all(|(_, rules_out)| !rules_out));
    }

    /// If an assumption is said to rule a run out, the judge refuses the run under it; otherwise the judge accepts
    /// the run.
    #[test]
    fn what_rules_a_run_out_is_what_the_judge_says() {
        let models = [
            LOCK.to_owned(),
            LOCK.replace("under weak P", "under none"),
            LOCK.replace("under weak P", "under strong Q"),
            LOCK.replace("stay", "skip"),
            LOCK.replace("1..2", "1..3"),
            "shared x: 0..3; process P { action up when x < 3 { x = x + 1; } action down when x > 0 { x = x - 1; } }
             process Q { loop { look: await x == 3; } } property p: F taken(Q) under strong P.down;"
                .to_owned(),
            "shared x: 0..2; process P { loop { s: choose v in 0..2 { x = v; } } } property p: F x == 2;".to_owned(),
            "shared x: bool; process P { loop { s: skip; } } property p: F x;".to_owned(),
        ];
        let (mut yes, mut no) = (0, 0);
        for text in models {
            let (task, instance, lasso) = lasso(&text);
            let (_, remedies) = starvation(&instance, &lasso, &task.property.kind).expect("no fault");
            let mut rules_out = |fairness: Fairness, said: bool| {
                let task = Task { fairness, ..task.clone() };
                let answer = Answer::Fails(model::Counterexample::Lasso(lasso.clone()));
                assert_eq!(certify::certify(&task, answer).is_err(), said, "{text}: {:?}", task.fairness);
                if said { yes += 1 } else { no += 1 }
            };
            for (rung, said) in &remedies.ladder {
                rules_out(rung.replacement(task.system()).expect("a rung is a fairness"), *said);
            }
            for assumption in &texts(&remedies) {
                let source = format!("{text}\nproperty again: true under {assumption};");
                let again = lang::load("test", &source, &[]).model.expect("an assumption can be declared");
                rules_out(again.checks.last().expect("a property").task.fairness.clone(), true);
            }
            for assumption in texts(&remedies).iter().filter(|_| !remedies.weak) {
                let source = format!(
                    "{text}\nproperty again: true under {};",
                    assumption.replacen("strong", "weak", 1)
                );
                let again = lang::load("test", &source, &[]).model.expect("an assumption can be declared");
                rules_out(again.checks.last().expect("a property").task.fairness.clone(), false);
            }
            if remedies.weakest.is_empty() {
                rules_out(Fairness::every_action(task.system(), Word::Strong), false);
            }
        }
        assert!(yes > 10 && no > 10, "{yes} are, {no} are not");
    }
}
