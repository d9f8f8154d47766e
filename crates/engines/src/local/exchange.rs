//! Which processes can be exchanged, and the demands that an exchange turns into one another.
//!
//! Two processes are *alike* if nobody looks at either, they have the same local states and classes, and the same is
//! written in their actions and in the requirements about them but for the names of their own cells. To exchange two
//! that are alike changes nothing in the abstract system. So what a search with such a system removes because of the demand
//! of one of them it may remove because of the same demand of each other, and what is said of the one is true of the
//! others with its name replaced: with many processes the events of one demand are found at the price of one.
//!
//! What is written is compared, not what is meant. Processes that mention their own index other than to name their
//! cells are not alike, and neither are those whose actions the task tells apart by more than whose they are, or who meet others.

// What a set is equal to, and its hash, never change.
#![allow(clippy::mutable_key_type)]

use std::collections::{BTreeMap, HashMap};

use model::instance::Environment;
use model::system::Update;
use model::{Expr, Place, StopReason, ground};

use super::behaviour::{Locals, Partition};
use super::sharing::{Demanded, Seen, Sharing};
use crate::bdd::{Bdd, Cells, Table};
use crate::events::{collect_events, decide};

/// Per process, the number of its kind; processes that are not like any other have none.
pub(super) fn alike(
    sharing: &Sharing<'_>,
    locals: &[Locals],
    atoms: &[&Expr],
    demanded: &[Vec<Demanded>],
) -> Vec<Option<usize>> {
    let none = vec![None; locals.len()];
    let has_events = |expr: &Expr| {
        let mut events = Vec::new();
        collect_events(expr, &mut events);
        !events.is_empty()
    };
    let of_many = |demanded: &Demanded| {
        let Demanded { requirement, about, actions } = demanded;
        about.is_none()
            && (actions.is_some() || has_events(&requirement.when) || has_events(&requirement.then))
    };
    if atoms.iter().any(|atom| has_events(atom)) || demanded.iter().flatten().any(of_many) {
        return none;
    }
    let mut kinds: Vec<Account<'_>> = Vec::new();
    let mut numbers = Vec::with_capacity(locals.len());
    for (process, locals) in locals.iter().enumerate() {
        let Some(account) = Account::of(sharing, process, locals, demanded) else {
            numbers.push(None);
            continue;
        };
        let known = kinds.iter().position(|kind| *kind == account);
        numbers.push(Some(known.unwrap_or(kinds.len())));
        if known.is_none() {
            kinds.push(account);
        }
    }
    numbers
}

/// All that is written about a process, without its name.
#[derive(PartialEq)]
struct Account<'a> {
    states: &'a [Vec<i64>],
    initial: &'a [usize],
    /// The variable and the position of each of its cells.
    cells: Vec<(u32, &'a [i64])>,
    commands: Vec<(Expr, Update)>,
    /// Per requirement about it: the alternative, which of its actions are meant, and what is asked if one of them is taken
    /// and if none is.
    requirements: Vec<(usize, Option<Vec<usize>>, [Expr; 4])>,
}

impl<'a> Account<'a> {
    fn of(
        sharing: &'a Sharing<'_>,
        process: usize,
        locals: &'a Locals,
        demanded: &[Vec<Demanded>],
    ) -> Option<Account<'a>> {
        let instance = sharing.instance;
        let own = &sharing.own[process];
        let unseen = |cell: &usize| matches!(&sharing.seen[*cell], Seen::Constants(seen) if seen.is_empty());
        let index = instance.processes[process].index?;
        if !own.iter().all(unseen) || !sharing.meetings_of[process].is_empty() {
            return None;
        }
        let name = Name { sharing, process, index };
        let mut commands = Vec::new();
        for action in &sharing.actions[process] {
            let (guard, update) = &sharing.commands[action.0 as usize];
            commands.push((name.forgotten(guard), name.forgotten_in(update)?));
        }
        let mut requirements = Vec::new();
        for (alternative, demanded) in demanded.iter().enumerate() {
            for Demanded { requirement, about, actions } in demanded {
                if *about != Some(process) {
                    continue;
                }
                let place = |action| sharing.actions[process].iter().position(|own| *own == action);
                let actions = match actions {
                    Some(actions) => {
                        Some(actions.iter().map(|action| place(*action)).collect::<Option<_>>()?)
                    }
                    None => None,
                };
                let decided = |expr: &Expr, truth: bool| {
                    let known = decide(expr, &|_| Some(Expr::Bool(truth)));
                    name.forgotten(&ground::expression(instance, &known, &mut Environment::default()))
                };
                let (when, then) = (&requirement.when, &requirement.then);
                if actions.is_none() && decided(when, true) != decided(when, false)
                    || actions.is_none() && decided(then, true) != decided(then, false)
                {
                    return None;
                }
                let all =
                    [decided(when, true), decided(then, true), decided(when, false), decided(then, false)];
                requirements.push((alternative, actions, all));
            }
        }
        let cell = |cell: &usize| (instance.cells[*cell].variable.0, &instance.cells[*cell].position[..]);
        Some(Account {
            states: &locals.states,
            initial: &locals.initial,
            cells: own.iter().map(cell).collect(),
            commands,
            requirements,
        })
    }
}

/// A process whose name is to be left out.
struct Name<'a> {
    sharing: &'a Sharing<'a>,
    process: usize,
    index: i64,
}

impl Name<'_> {
    fn is_own(&self, place: &Place) -> bool {
        let instance = self.sharing.instance;
        let family = instance.processes[self.process].family;
        instance.system.variable(place.variable).owner == Some(family)
            && place.process.as_deref() == Some(&Expr::Int(self.index))
    }

    /// An expression in which its own cells have no owner.
    fn forgotten(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Read(place) => Expr::Read(self.forgotten_at(place)),
            other => other.map(&mut |part| self.forgotten(part)),
        }
    }

    fn forgotten_at(&self, place: &Place) -> Place {
        let mut place =
            if self.is_own(place) { Place { process: None, ..place.clone() } } else { place.clone() };
        place.position = place.position.iter().map(|position| self.forgotten(position)).collect();
        place
    }

    /// The same for an update; nothing if it writes what somebody else owns.
    fn forgotten_in(&self, update: &Update) -> Option<Update> {
        Some(match update {
            Update::Skip => Update::Skip,
            Update::Assign(assignments) => {
                let mut forgotten = Vec::new();
                for (place, expr) in assignments {
                    let is_owned = self.sharing.instance.system.variable(place.variable).owner.is_some();
                    if is_owned && !self.is_own(place) {
                        return None;
                    }
                    forgotten.push((self.forgotten_at(place), self.forgotten(expr)));
                }
                Update::Assign(forgotten)
            }
            Update::Sequence(updates) => Update::Sequence(
                updates.iter().map(|update| self.forgotten_in(update)).collect::<Option<_>>()?,
            ),
            Update::If(condition, yes, no) => Update::If(
                self.forgotten(condition),
                Box::new(self.forgotten_in(yes)?),
                Box::new(self.forgotten_in(no)?),
            ),
            Update::Either(branches) => {
                let branch = |(condition, update): &(Expr, Update)| {
                    Some((self.forgotten(condition), self.forgotten_in(update)?))
                };
                Update::Either(branches.iter().map(branch).collect::<Option<_>>()?)
            }
            Update::Choose(binder, condition, body) => {
                Update::Choose(binder.clone(), self.forgotten(condition), Box::new(self.forgotten_in(body)?))
            }
        })
    }
}

/// A demand, and the process that it is about.
pub(super) type Member = (usize, usize);

/// The demands of one alternative that exchanges turn into one another.
#[derive(Default)]
pub(super) struct Twins {
    /// Per demand, its set.
    set: Vec<Option<usize>>,
    /// The members of each set, at least two.
    sets: Vec<Vec<Member>>,
}

impl Twins {
    /// The demands of an alternative, where the processes of the same number in `alike` and the same classes can be
    /// exchanged.
    pub(super) fn new(demanded: &[Demanded], alike: &[Option<usize>], partitions: &[Partition]) -> Twins {
        // By kind, classes, and which of the demands about the process it is.
        let mut found: BTreeMap<(usize, &[usize], usize), Vec<Member>> = BTreeMap::new();
        let mut count = vec![0; alike.len()];
        for (number, demanded) in demanded.iter().enumerate() {
            if let Some(process) = demanded.about
                && let Some(kind) = alike[process]
            {
                let key = (kind, &partitions[process].class[..], count[process]);
                found.entry(key).or_default().push((number, process));
                count[process] += 1;
            }
        }
        let sets: Vec<Vec<Member>> = found.into_values().filter(|set| set.len() > 1).collect();
        let mut set = vec![None; demanded.len()];
        for (number, members) in sets.iter().enumerate() {
            members.iter().for_each(|(demand, _)| set[*demand] = Some(number));
        }
        Twins { set, sets }
    }

    /// The set of a demand, if it has one.
    pub(super) fn of(&self, demand: usize) -> Option<&[Member]> {
        let set = self.set.get(demand).copied().flatten()?;
        Some(&self.sets[set])
    }

    /// Whether an exchange would move a process.
    pub(super) fn moves(&self, process: usize) -> bool {
        self.sets.iter().flatten().any(|(_, member)| *member == process)
    }
}

/// A set in which one cell stands for another with the same values.
pub(super) fn renamed(
    table: &Table<'_>,
    cells: &Cells,
    set: &Bdd,
    from: usize,
    to: usize,
) -> Result<Bdd, StopReason> {
    let (from, to) = (cells.bits_of(from), cells.bits_of(to));
    let mut known: HashMap<Bdd, Bdd> = HashMap::new();
    let mut pending = vec![set.clone()];
    while let Some(set) = pending.last().cloned() {
        let Some((bit, no, yes)) = table.branch(&set) else {
            known.insert(set.clone(), set);
            pending.pop();
            continue;
        };
        match (known.get(&no), known.get(&yes)) {
            (Some(no), Some(yes)) => {
                let bit = if from.contains(&bit) { to.start + bit - from.start } else { bit };
                let renamed = table.choose(&table.current(bit)?, yes, no)?;
                known.insert(set, renamed);
                pending.pop();
            }
            (known_no, known_yes) => {
                let missing = [known_no.is_none().then_some(no), known_yes.is_none().then_some(yes)];
                pending.extend(missing.into_iter().flatten());
            }
        }
    }
    Ok(known.remove(set).unwrap_or_else(|| set.clone()))
}
