//! Where a run that need not repeat a state stays for ever: recurrent sets, each a condition with the step that leads on.
//!
//! The sets are those of the labels that the judge has checked. The run that is shown enters them at some state and stays
//! in them from there on. Values on the right of a change are those before the step.

use std::collections::BTreeSet;

use model::labelling::{Cycle, Labelling, Move, Product};
use model::{Instance, Label, Path, State, semantics, show};

use crate::explain::place;
use crate::sets::Sets;

/// Sets of states in which a run stays for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The state of the trace from which on the run is in them.
    pub from: usize,
    /// Whether each set leads into the next, and the last into the first. Otherwise each leads into one of them.
    pub ordered: bool,
    /// The sets. If they are taken in turn, the first is the one that the run enters first.
    pub sets: Vec<RecurrentSet>,
    /// What a round through all sets changes, if they are taken in turn: names and terms over the values before.
    pub round: Option<Vec<(String, String)>>,
}

/// A set of states, and the step that leads on from each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrentSet {
    /// Where control is; empty if there is only one place.
    pub place: String,
    /// The condition on the values; `true` if there is none.
    pub condition: String,
    /// The action.
    pub action: String,
    /// What it changes: names and terms over the values before. `None` if that differs from state to state.
    pub changes: Option<Vec<(String, String)>>,
}

/// More sets than this are not shown one by one, if they are taken in turn.
const MANY: usize = 8;

impl Recurrence {
    /// From which step on the run is in the sets, before their sentences.
    pub fn since(&self) -> String {
        match self.from {
            0 => "From the beginning on, the run stays where one of these is true, and goes from one to another:"
                .to_owned(),
            step => format!(
                "After step {step}, the run stays where one of these is true, and goes from one to another:"
            ),
        }
    }

    /// A sentence per set, and one about a round. Of many sets only the first is described.
    pub fn sentences(&self) -> Vec<String> {
        let many = self.ordered && self.round.is_some() && self.sets.len() > MANY;
        let shown = if many { &self.sets[..1] } else { &self.sets[..] };
        let mut lines: Vec<String> = shown.iter().map(RecurrentSet::sentence).collect();
        if many {
            lines.push(format!("then {} more steps of this kind", self.sets.len() - 1));
        }
        if let Some(round) = self.round.as_ref().filter(|_| self.sets.len() > 1) {
            lines.push(format!("so a round {}", changed(round)));
        }
        lines
    }
}

impl RecurrentSet {
    fn sentence(&self) -> String {
        let RecurrentSet { place, condition, action, changes } = self;
        let here = match (place.is_empty(), condition.as_str()) {
            (true, _) => format!("while `{condition}`"),
            (false, "true") => format!("at {place}"),
            (false, _) => format!("at {place} while `{condition}`"),
        };
        let does = match changes {
            Some(changes) if !changes.is_empty() => format!(" and {}", changed(changes)),
            _ => String::new(),
        };
        format!("{here}, {action} can be taken{does}")
    }
}

/// A step by its name. That of a statement without a label is named by its line.
fn step(instance: &Instance, label: Label) -> String {
    if let Label::Action(action) = label
        && let [(process, own)] = &instance.action(action).participants[..]
        && place(own) != *own
    {
        return format!("the step of {} at {}", instance.processes[process.0 as usize].name, place(own));
    }
    show::label(instance, label)
}

/// What is changed, in words.
fn changed(changes: &[(String, String)]) -> String {
    if changes.is_empty() {
        return "leaves all numbers as they are".to_owned();
    }
    let shown: Vec<String> = changes.iter().map(|(name, term)| format!("`{name} = {term}`")).collect();
    format!("makes {}", shown.join(", "))
}

/// The sets in which a run ends up, if it does.
pub(super) fn recurrence(instance: &Instance, labelling: &Labelling, run: &Path) -> Option<Recurrence> {
    let states: Vec<&State> =
        run.positions.iter().map(|position| &position.state).chain(std::iter::once(&run.last)).collect();
    let labels = labelling.labels.iter().chain(labelling.product.as_ref().map(|product| &product.label));
    let cycles = labels.flat_map(|label| &label.path.cycles);
    let entered = cycles.filter_map(|cycle| {
        let inside = |state: &&State| cycle.moves.iter().any(|one| has(instance, labelling, one, state));
        let after = states.iter().rev().take_while(|state| inside(state)).count();
        (after > 0).then(|| (states.len() - after, cycle))
    });
    let (from, cycle) = entered.min_by_key(|(from, _)| *from)?;
    let mut moves = cycle.moves.clone();
    if cycle.ordered {
        let first = moves.iter().position(|one| has(instance, labelling, one, states[from])).unwrap_or(0);
        moves.rotate_left(first);
    }
    Some(described(instance, labelling, from, &Cycle { moves, ..*cycle }))
}

fn described(instance: &Instance, labelling: &Labelling, from: usize, cycle: &Cycle) -> Recurrence {
    let sets = Sets::new(instance, labelling);
    let is_control = |cell: usize| {
        let fixed = |place: &Vec<(usize, i64)>| place.iter().any(|(known, _)| *known == cell);
        labelling.places.iter().all(fixed)
    };
    let changes = |moves: &[Move]| {
        let all = certify::effect(instance, labelling, moves)?;
        let shown = all
            .iter()
            .filter(|(cell, _)| !is_control(*cell))
            .map(|(cell, term)| (show::cell(instance, *cell, 0).name(), sets.expression(term)));
        Some(shown.collect::<Vec<(String, String)>>())
    };
    let set = |one: &Move| RecurrentSet {
        place: sets.names(&BTreeSet::from([system_place(labelling, one.place)])),
        condition: sets.expression(&one.states),
        action: one.step.map_or_else(String::new, |label| step(instance, label)),
        changes: changes(std::slice::from_ref(one)),
    };
    Recurrence {
        from,
        ordered: cycle.ordered,
        sets: cycle.moves.iter().map(set).collect(),
        round: if cycle.ordered { changes(&cycle.moves) } else { None },
    }
}

/// The place of the system for a place that a move names.
fn system_place(labelling: &Labelling, place: usize) -> usize {
    let in_product = |Product { places, .. }: &Product| places.get(place).map(|(place, _)| *place);
    labelling.product.as_ref().and_then(in_product).unwrap_or(place)
}

/// Whether a state is in the set of a move.
fn has(instance: &Instance, labelling: &Labelling, one: &Move, state: &State) -> bool {
    let at = labelling.places.get(system_place(labelling, one.place));
    let here = at.is_some_and(|known| known.iter().all(|(cell, value)| state.0[*cell] == *value));
    here && semantics::state_predicate(instance, &one.states, state) == Ok(true)
}
