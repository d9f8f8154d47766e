//! Splits a system: what is shared, what is local to a process, and what others see of that.
//!
//! A cell that a process owns is hidden, unless somebody else looks at it: the guard or update of another process, an
//! `init` predicate, an atom of the property, or a requirement about another process. What is looked at is *seen*,
//! and only as sharply as it is looked at: if all ask the same (`P[j]@crit`), what is seen is the answer, and
//! otherwise the value. Seen things are exposed from the beginning; all else is exposed on demand.
//!
//! A requirement is *about* the one process whose cells and actions it mentions, if there is one. What the others say is seen:
//! if a requirement mentions a rendezvous, so is what that depends on.
//!
//! Most actions are of one process. Those of several processes, or of none, are *meetings* ([`Meeting`]).

use std::collections::{BTreeMap, BTreeSet};

use model::expr::Operator;
use model::fairness::Assumption;
use model::instance::Environment;
use model::system::Update;
use model::{ActionId, Expr, Instance, ProcessId, Requirement, ground};

use crate::events::{collect_events, enabled};

/// What others see of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Whether it has one of these values, and which; nothing if there are none.
    Constants(BTreeSet<i64>),
    /// Its value.
    Value,
}

/// A ground requirement of an alternative.
pub(super) struct Demanded {
    pub(super) requirement: Requirement,
    /// The process that it is about, if there is one.
    pub(super) about: Option<usize>,
    /// The actions it is about, if it is weak, strong or unconditional fairness of actions that can be listed.
    pub(super) actions: Option<Vec<ActionId>>,
}

/// The actions that some processes take together, or those of no process.
pub(super) struct Meeting {
    /// The processes, in increasing order.
    pub(super) processes: Vec<usize>,
    pub(super) actions: Vec<ActionId>,
}

/// A system, sharing.
pub(super) struct Sharing<'a> {
    pub(super) instance: &'a Instance,
    /// Per process, its cells.
    pub(super) own: Vec<Vec<usize>>,
    /// Per process, the actions that it takes alone.
    pub(super) actions: Vec<Vec<ActionId>>,
    /// All other actions, by who takes them.
    pub(super) meetings: Vec<Meeting>,
    /// Per process, the meetings that it takes part in.
    pub(super) meetings_of: Vec<Vec<usize>>,
    /// Guard and update of each action, ground.
    pub(super) commands: Vec<(Expr, Update)>,
    /// Per cell, what others see of it.
    pub(super) seen: Vec<Seen>,
}

impl<'a> Sharing<'a> {
    /// What processes see of one another, whatever the property.
    pub(super) fn new(instance: &'a Instance) -> Sharing<'a> {
        let mut own = vec![Vec::new(); instance.processes.len()];
        for (number, cell) in instance.cells.iter().enumerate() {
            if let Some(owner) = cell.owner {
                own[owner.0 as usize].push(number);
            }
        }
        let mut actions = vec![Vec::new(); instance.processes.len()];
        let mut together: BTreeMap<Vec<usize>, Vec<ActionId>> = BTreeMap::new();
        let mut commands = Vec::with_capacity(instance.actions.len());
        for (id, action) in (0..).map(ActionId).zip(&instance.actions) {
            let processes: BTreeSet<usize> = action.participants.iter().map(|(p, _)| p.0 as usize).collect();
            match processes.iter().collect::<Vec<_>>()[..] {
                [process] => actions[*process].push(id),
                _ => together.entry(processes.into_iter().collect()).or_default().push(id),
            }
            commands.push((ground::guard(instance, id), ground::update_within(instance, id, ground::PARTS)));
        }
        let seen = vec![Seen::Constants(BTreeSet::new()); instance.cells.len()];
        let meeting = |(processes, actions)| Meeting { processes, actions };
        let meetings: Vec<Meeting> = together.into_iter().map(meeting).collect();
        let mut meetings_of = vec![Vec::new(); instance.processes.len()];
        for (number, meeting) in meetings.iter().enumerate() {
            meeting.processes.iter().for_each(|process| meetings_of[*process].push(number));
        }
        let mut sharing =
            Sharing { instance, own, actions, meetings, meetings_of, commands: Vec::new(), seen };
        for (action, (guard, update)) in instance.actions.iter().zip(&commands) {
            let readers: Vec<usize> = action.participants.iter().map(|(p, _)| p.0 as usize).collect();
            sharing.look(guard, &readers);
            sharing.look_in(update, &readers);
        }
        for predicate in &instance.system.init {
            sharing.look(&ground::expression(instance, predicate, &mut Environment::default()), &[]);
        }
        sharing.commands = commands;
        sharing
    }

    /// Whether guards and updates see everything that any process owns.
    pub(super) fn hides_nothing(&self) -> bool {
        let mut own = self.own.iter().flatten().peekable();
        let sharp = |cell: &usize| match &self.seen[*cell] {
            Seen::Value => true,
            Seen::Constants(constants) => {
                let domain = self.instance.cells[*cell].domain;
                domain.hi.abs_diff(domain.lo) <= constants.len() as u64
            }
        };
        own.peek().is_some() && own.all(sharp)
    }

    /// The requirements of an alternative; what they say of other processes than the one they are about is seen.
    pub(super) fn demanded(&mut self, assumption: &Assumption) -> Vec<Demanded> {
        let mut all = Vec::new();
        for requirement in &assumption.requirements {
            let requirement = Requirement {
                when: self.plain(&requirement.when),
                then: self.plain(&requirement.then),
                ..requirement.clone()
            };
            let actions = self.instance.actions_of(&requirement);
            let about = self.about(&requirement, actions.as_deref());
            let readers: Vec<usize> = about.into_iter().collect();
            self.look(&requirement.when, &readers);
            self.look(&requirement.then, &readers);
            all.push(Demanded { requirement, about, actions });
        }
        all
    }

    /// An expression without `enabled`.
    pub(super) fn plain(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Enabled(pattern) => {
                let meaning = enabled(self.instance, pattern);
                ground::expression(self.instance, &meaning, &mut Environment::default())
            }
            other => other.map(&mut |part| self.plain(part)),
        }
    }

    /// Notes what an expression that these processes evaluate says of the cells of others.
    pub(super) fn look(&mut self, expr: &Expr, readers: &[usize]) {
        match expr {
            Expr::Binary(Operator::Eq | Operator::Ne, a, b) => {
                if let (Expr::Read(place), Expr::Int(value)) | (Expr::Int(value), Expr::Read(place)) =
                    (&**a, &**b)
                    && let Some(Ok(cell)) = self.instance.constant_cell(place)
                {
                    if self.is_foreign(cell, readers)
                        && let Seen::Constants(constants) = &mut self.seen[cell]
                    {
                        constants.insert(*value);
                    }
                } else {
                    [a, b].into_iter().for_each(|part| self.look(part, readers));
                }
            }
            Expr::Enabled(_) => {
                let plain = self.plain(expr);
                self.look(&plain, readers);
            }
            other => {
                if let Expr::Read(place) = other {
                    let cells: Vec<usize> = match self.instance.constant_cell(place) {
                        Some(cell) => cell.into_iter().collect(),
                        None => (0..self.instance.cells.len())
                            .filter(|cell| self.instance.cells[*cell].variable == place.variable)
                            .collect(),
                    };
                    for cell in cells {
                        if self.is_foreign(cell, readers) {
                            self.seen[cell] = Seen::Value;
                        }
                    }
                }
                other.children().into_iter().for_each(|part| self.look(part, readers));
            }
        }
    }

    fn look_in(&mut self, update: &Update, readers: &[usize]) {
        match update {
            Update::Skip => {}
            Update::Assign(assignments) => {
                for (place, expr) in assignments {
                    place.process.iter().for_each(|process| self.look(process, readers));
                    place.position.iter().for_each(|position| self.look(position, readers));
                    self.look(expr, readers);
                }
            }
            Update::Sequence(updates) => updates.iter().for_each(|update| self.look_in(update, readers)),
            Update::If(condition, yes, no) => {
                self.look(condition, readers);
                self.look_in(yes, readers);
                self.look_in(no, readers);
            }
            Update::Either(branches) => {
                for (condition, update) in branches {
                    self.look(condition, readers);
                    self.look_in(update, readers);
                }
            }
            Update::Choose(_, condition, body) => {
                self.look(condition, readers);
                self.look_in(body, readers);
            }
        }
    }

    fn is_foreign(&self, cell: usize, readers: &[usize]) -> bool {
        self.instance.cells[cell].owner.is_some_and(|owner| !readers.contains(&(owner.0 as usize)))
    }

    /// The one process whose cells and actions a requirement mentions.
    fn about(&self, requirement: &Requirement, actions: Option<&[ActionId]>) -> Option<usize> {
        let mut processes = BTreeSet::new();
        let mut mention = |process: &ProcessId| _ = processes.insert(process.0 as usize);
        let mut events = Vec::new();
        match actions {
            Some(actions) => {
                for action in actions {
                    self.instance.action(*action).participants.iter().for_each(|(p, _)| mention(p));
                }
            }
            None => [&requirement.when, &requirement.then]
                .into_iter()
                .for_each(|expr| collect_events(expr, &mut events)),
        }
        for event in events {
            // An event whose process depends on the state may be of anybody.
            let found = self.instance.always_matching(event, &Environment::default())?;
            for action in found {
                self.instance.action(action).participants.iter().for_each(|(p, _)| mention(p));
            }
        }
        // What the enabledness of listed actions depends on is seen by their guards.
        if actions.is_none() {
            for expr in [&requirement.when, &requirement.then] {
                for cell in ground::reads(self.instance, expr) {
                    self.instance.cells[cell].owner.iter().for_each(&mut mention);
                }
            }
        }
        (processes.len() == 1).then(|| processes.pop_first()).flatten()
    }
}
