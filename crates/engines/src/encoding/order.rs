//! The order of the variables, from who reads and writes what.
//!
//! A diagram is small if cells that depend on one another are near. The cells of a process form a block. A
//! shared cell that one process alone writes joins the block of that process; one that few processes use stands
//! before the last of its users; one that more than half of them write stands on top of all. The blocks stand in the
//! order of the communication: processes are nodes, and those that use a cell in common, or take part in the same
//! action, or read one another's cells, should be near. We start with the order of the instance, in which rings and
//! lines are what they are, and try the moves of FORCE [AMS03]: each process goes to the mean of its neighbours'
//! places, as long as the sum of the distances becomes less.
//!
//! The order decides about time and memory only. Tests run the same tasks under random orders.

use std::collections::{BTreeMap, BTreeSet};

use model::system::Update;
use model::{ActionId, Expr, Instance, ground};

/// How often the processes are moved.
const ROUNDS: usize = 30;

/// The cells from the top of the order to the bottom.
pub(crate) fn order(instance: &Instance) -> Vec<usize> {
    let uses = Uses::new(instance);
    let processes = instance.processes.len();
    let place = places(processes, &uses.neighbours(instance));
    // The key of a cell: on top or not, the place of its block, whether it is one of the block's own.
    let key = |cell: usize| {
        if let Some(owner) = instance.cells[cell].owner {
            return (1, place[owner.0 as usize], 1, cell);
        }
        let (writers, users) = (&uses.writers[cell], &uses.users[cell]);
        let last = |among: &BTreeSet<usize>| among.iter().map(|process| place[*process]).max();
        match (writers.len(), last(writers), last(users)) {
            (1, Some(writer), _) => (1, writer, 0, cell),
            (many, _, Some(user)) if 2 * many <= processes => (1, user, 0, cell),
            _ => (0, 0, 0, cell),
        }
    };
    let mut order: Vec<usize> = (0..instance.cells.len()).collect();
    order.sort_by_key(|cell| key(*cell));
    order
}

/// Which processes write a cell, and which read or write it.
pub(crate) struct Uses {
    pub(crate) writers: Vec<BTreeSet<usize>>,
    pub(crate) users: Vec<BTreeSet<usize>>,
}

impl Uses {
    pub(crate) fn new(instance: &Instance) -> Uses {
        let none = vec![BTreeSet::new(); instance.cells.len()];
        let mut uses = Uses { writers: none.clone(), users: none };
        for (number, action) in instance.actions.iter().enumerate() {
            let id = ActionId(number as u32);
            let mut read = ground::reads(instance, &ground::guard(instance, id));
            let mut written = BTreeSet::new();
            touched(instance, &ground::update_within(instance, id, ground::PARTS), &mut read, &mut written);
            for (process, _) in &action.participants {
                let process = process.0 as usize;
                written.iter().for_each(|cell| _ = uses.writers[*cell].insert(process));
                read.union(&written).for_each(|cell| _ = uses.users[*cell].insert(process));
            }
        }
        uses
    }

    /// How much each pair of processes has to do with one another.
    fn neighbours(&self, instance: &Instance) -> BTreeMap<(usize, usize), usize> {
        let mut weights = BTreeMap::new();
        let half = instance.processes.len() / 2;
        for (cell, users) in self.users.iter().enumerate() {
            let owner = instance.cells[cell].owner.map(|process| process.0 as usize);
            let users: BTreeSet<usize> = users.iter().copied().chain(owner).collect();
            // What (nearly) everyone uses says nothing about who should be near whom.
            if users.len() > half.max(2) {
                continue;
            }
            for a in &users {
                users.range(a + 1..).for_each(|b| *weights.entry((*a, *b)).or_default() += 1);
            }
        }
        for action in &instance.actions {
            if let [(a, _), (b, _)] = &action.participants[..] {
                let (a, b) = (a.0.min(b.0) as usize, a.0.max(b.0) as usize);
                *weights.entry((a, b)).or_default() += 1;
            }
        }
        weights
    }
}

/// The place of each process in a line in which neighbours are near.
fn places(processes: usize, neighbours: &BTreeMap<(usize, usize), usize>) -> Vec<usize> {
    let length = |places: &[usize]| {
        neighbours.iter().map(|((a, b), weight)| weight * places[*a].abs_diff(places[*b])).sum::<usize>()
    };
    let mut best: Vec<usize> = (0..processes).collect();
    let mut shortest = length(&best);
    let mut places = best.clone();
    for _ in 0..ROUNDS {
        let mut pull = vec![(0usize, 0usize); processes];
        for ((a, b), weight) in neighbours {
            for (one, other) in [(*a, *b), (*b, *a)] {
                pull[one].0 += weight * places[other];
                pull[one].1 += weight;
            }
        }
        let mut line: Vec<usize> = (0..processes).collect();
        // A thousandth of a place is fine enough; who has no neighbour stays.
        line.sort_by_key(|process| match pull[*process] {
            (_, 0) => (1000 * places[*process], *process),
            (sum, weight) => (1000 * sum / weight, *process),
        });
        for (place, process) in line.into_iter().enumerate() {
            places[process] = place;
        }
        let now = length(&places);
        if now < shortest {
            shortest = now;
            best.clone_from(&places);
        }
    }
    best
}

/// The cells that an update may read and write.
fn touched(instance: &Instance, update: &Update, read: &mut BTreeSet<usize>, written: &mut BTreeSet<usize>) {
    match update {
        Update::Skip => {}
        Update::Assign(assignments) => {
            for (place, expr) in assignments {
                for index in place.process.iter().map(|process| &**process).chain(&place.position) {
                    read.extend(ground::reads(instance, index));
                }
                read.extend(ground::reads(instance, expr));
                // The place itself, as if it were read.
                let mut cells = ground::reads(instance, &Expr::Read(place.clone()));
                cells.retain(|cell| instance.cells[*cell].variable == place.variable);
                written.extend(cells);
            }
        }
        Update::Sequence(updates) => updates.iter().for_each(|u| touched(instance, u, read, written)),
        Update::If(condition, yes, no) => {
            read.extend(ground::reads(instance, condition));
            touched(instance, yes, read, written);
            touched(instance, no, read, written);
        }
        Update::Either(branches) => {
            for (condition, update) in branches {
                read.extend(ground::reads(instance, condition));
                touched(instance, update, read, written);
            }
        }
        Update::Choose(_, condition, body) => {
            read.extend(ground::reads(instance, condition));
            touched(instance, body, read, written);
        }
    }
}
