//! Which processes and steps a property speaks of. Advice and explanations name these processes first.

use std::collections::BTreeSet;

use model::instance::Environment;
use model::property::Kind;
use model::{ActionId, Expr, Instance, ProcessId, ground};

/// The processes whose cells or actions a property mentions.
pub(crate) fn spoken_of(instance: &Instance, kind: &Kind) -> BTreeSet<ProcessId> {
    let kind = ground::kind(instance, kind);
    let mut found = BTreeSet::new();
    for atom in kind.atoms() {
        let cells = ground::reads(instance, atom);
        found.extend(cells.into_iter().filter_map(|cell| instance.cells[cell].owner));
        atom.any(&mut |part| {
            if let Expr::Taken(pattern) | Expr::Enabled(pattern) = part
                && let Ok(actions) = instance.matching(pattern, &Environment::default())
            {
                let participants = actions.iter().flat_map(|action| &instance.action(*action).participants);
                // An event that says nothing of processes would mention all of them.
                if !pattern.participants.is_empty() {
                    found.extend(participants.map(|(process, _)| *process));
                }
            }
            false
        });
    }
    found
}

/// The actions of which a property says whether they are taken.
pub(crate) fn taken_in(instance: &Instance, kind: &Kind) -> BTreeSet<ActionId> {
    let kind = ground::kind(instance, kind);
    let mut found = BTreeSet::new();
    for atom in kind.atoms() {
        atom.any(&mut |part| {
            if let Expr::Taken(pattern) = part
                && let Ok(actions) = instance.matching(pattern, &Environment::default())
            {
                found.extend(actions);
            }
            false
        });
    }
    found
}
