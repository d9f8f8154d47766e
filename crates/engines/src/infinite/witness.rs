//! Witnesses: builds a concrete run from the labels of a formula.
//!
//! The moves of a label are a strategy. From a state in `must` of an existential formula we follow them, computing
//! the chosen integers, until the end of a path, or until a position of a cycle recurs with the same state; then
//! there is a lasso. After the last state that matters the run continues with arbitrary steps until a state recurs.
//! Not every run in a recurrent set is periodic. If it is not, there is no lasso, and the labels are the evidence.

use std::collections::BTreeMap;

use arith::{Linear, Overflow, Var};
use model::{Core, Lasso, Path, Position, State};
use smt::Formula;

use super::label::{Analysis, EdgeDemand, Labelled};
use super::moves::Move;
use super::program::Program;

/// The greatest length of a run that is shown.
const STEPS: usize = 20_000;

/// The number of rounds of a cycle that are shown if the run is not periodic.
const ROUNDS: usize = 3;

/// A state at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) place: usize,
    pub(super) values: Vec<i128>,
}

/// A run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// States, each with the edge that leaves it.
    positions: Vec<(At, usize)>,
    /// Where the cycle begins, once the run is a lasso.
    cycle: Option<usize>,
    /// Whether only the beginning of a run is wanted, with a few rounds of its cycle.
    beginning: bool,
    /// Whether it shows only a part of what makes the formula true or false; labels show the rest.
    part: bool,
}

impl At {
    /// Whether a formula is true here.
    pub(super) fn satisfies(&self, formula: &Formula) -> Result<bool, Overflow> {
        formula.holds(&|var| self.value(var))
    }

    /// A state at a place, by the values of its data.
    pub(super) fn of(program: &Program, place: usize, value: &dyn Fn(Var) -> i128) -> At {
        let mut values: Vec<i128> = (0..program.cells as u32).map(|cell| value(Var(cell))).collect();
        for (cell, value) in &program.places[place] {
            values[*cell] = i128::from(*value);
        }
        At { place, values }
    }

    /// The formula that is true in this state only.
    pub(super) fn point(&self, program: &Program) -> Result<Formula, Overflow> {
        let fixed = |cell: usize| program.places[self.place].iter().any(|(control, _)| *control == cell);
        let data = (0..program.cells).filter(|cell| !fixed(*cell)).map(|cell| Var(cell as u32));
        Formula::try_and(data.map(|var| Formula::eq(&Linear::var(var), &Linear::constant(self.value(var)))))
    }

    /// Whether an edge can be taken with these integers.
    pub(super) fn can(
        &self,
        program: &Program,
        edge: usize,
        chosen: &dyn Fn(Var) -> i128,
    ) -> Result<bool, Overflow> {
        let of = |var: Var| if (var.0 as usize) < self.values.len() { self.value(var) } else { chosen(var) };
        program.edges[edge].guard.holds(&of)
    }

    fn value(&self, var: Var) -> i128 {
        self.values.get(var.0 as usize).copied().unwrap_or(0)
    }

    fn state(&self) -> Option<State> {
        self.values.iter().map(|value| i64::try_from(*value).ok()).collect::<Option<_>>().map(State)
    }

    /// The state after a move.
    pub(super) fn after(
        &self,
        program: &Program,
        edge: usize,
        chosen: &dyn Fn(Var) -> i128,
    ) -> Result<At, Overflow> {
        let edge = &program.edges[edge];
        let of = |var: Var| if (var.0 as usize) < self.values.len() { self.value(var) } else { chosen(var) };
        let mut values = self.values.clone();
        for (var, term) in &edge.update {
            values[var.0 as usize] = term.value(&of)?;
        }
        for (cell, value) in &program.places[edge.target] {
            values[*cell] = i128::from(*value);
        }
        Ok(At { place: edge.target, values })
    }
}

impl Trace {
    /// A run of which only the beginning is wanted.
    pub(super) fn beginning() -> Trace {
        Trace { beginning: true, ..Trace::default() }
    }

    /// Whether the run is a lasso.
    pub(super) fn is_lasso(&self) -> bool {
        self.cycle.is_some()
    }

    /// Whether the run alone does not show the formula true or false.
    pub(super) fn is_part(&self) -> bool {
        self.part
    }

    /// The lasso, if the run is one and its cycle is fair.
    pub(super) fn lasso(&self, analysis: &Analysis<'_>) -> Option<Lasso> {
        let cycle = self.cycle?;
        let on_cycle = &self.positions[cycle..];
        let happens = |on: &[Formula]| on_cycle.iter().any(|(at, edge)| at.satisfies(&on[*edge]) == Ok(true));
        let never = |on: &[Formula]| on_cycle.iter().all(|(at, edge)| at.satisfies(&on[*edge]) == Ok(false));
        let met = |demand: &EdgeDemand| happens(&demand.then) || never(&demand.when);
        let fair = analysis.alternatives.iter().any(|demands| demands.iter().all(met));
        fair.then_some(Lasso { positions: self.positions(analysis.program)?, cycle })
    }

    /// The path to this state.
    pub(super) fn path(&self, program: &Program, last: &At) -> Option<Path> {
        Some(Path { positions: self.positions(program)?, last: last.state()? })
    }

    fn positions(&self, program: &Program) -> Option<Vec<Position>> {
        let position = |(at, edge): &(At, usize)| {
            Some(Position { state: at.state()?, label: program.edges[*edge].label })
        };
        self.positions.iter().map(position).collect()
    }
}

/// Extends a run from a state in `must` of the formula (or, if not `positive`, outside its `may`) by a run that shows
/// why, or a part of it. Returns where it ends, unless it is a lasso. `None` if the run cannot be computed.
pub(super) fn show(
    analysis: &Analysis<'_>,
    formula: &Core,
    positive: bool,
    from: At,
    trace: &mut Trace,
) -> Option<At> {
    match (formula, positive) {
        (Core::Atom(_), _) => Some(from),
        (Core::Not(a), _) => show(analysis, a, !positive, from, trace),
        (Core::And(parts), true) | (Core::Or(parts), false) => {
            // One run can show only one claim about the future.
            let mut future = parts.iter().filter(|part| is_temporal(part));
            let Some(part) = future.next() else { return Some(from) };
            trace.part |= future.next().is_some();
            show(analysis, part, positive, from, trace)
        }
        (Core::Or(parts), true) | (Core::And(parts), false) => {
            let part = parts.iter().find(|part| truth(analysis, part, positive, &from))?;
            show(analysis, part, positive, from, trace)
        }
        (Core::Next(a), true) => {
            let labelled = known(analysis, formula)?;
            let next = labelled.layers.first()?.iter().find(|found| found.applies(&from))?;
            let at = next.take(analysis.program, from, trace)?;
            show(analysis, a, true, at, trace)
        }
        (Core::Until(a, b), true) => {
            // A condition that must hold all along is shown by the run itself only if it is a state predicate.
            trace.part |= is_temporal(a);
            let at = along(analysis, known(analysis, formula)?, from, trace)?;
            show(analysis, b, true, at, trace)
        }
        (Core::Globally(_) | Core::Infinitely(_), true) => {
            trace.part |= match formula {
                Core::Globally(a) => is_temporal(a),
                Core::Infinitely(parts) => parts.iter().any(is_temporal),
                _ => false,
            };
            let labelled = known(analysis, formula)?;
            let at = along(analysis, labelled, from, trace)?;
            round(analysis, labelled, at, trace)
        }
        // What is claimed of all runs no run shows.
        (Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_), false) => {
            trace.part = true;
            Some(from)
        }
    }
}

/// The beginning of a run that the label of `EG` shows: to a cycle, and a few times around it.
pub(super) fn unrolled(analysis: &Analysis<'_>, labelled: &Labelled, from: At) -> Option<Path> {
    let mut trace = Trace::default();
    let mut at = along(analysis, labelled, from, &mut trace)?;
    let of = |at: &At| {
        labelled.cycles.iter().find_map(|(_, cycle)| {
            let position = cycle.moves.iter().position(|found| found.applies(at))?;
            Some((cycle, position))
        })
    };
    let (cycle, mut position) = of(&at)?;
    for _ in 0..ROUNDS * cycle.moves.len() {
        at = cycle.moves[position].take(analysis.program, at, &mut trace)?;
        position = if cycle.ordered {
            (position + 1) % cycle.moves.len()
        } else {
            cycle.moves.iter().position(|found| found.applies(&at))?
        };
    }
    trace.path(analysis.program, &at)
}

/// The path to a state at the end of the layers of `EU`, with that state.
pub(super) fn path(analysis: &Analysis<'_>, labelled: &Labelled, from: At) -> Option<Path> {
    let mut trace = Trace::default();
    let end = along(analysis, labelled, from, &mut trace)?;
    trace.path(analysis.program, &end)
}

/// Continues a run with arbitrary steps until it is a lasso.
pub(super) fn go_on(program: &Program, from: At, trace: &mut Trace) -> Option<()> {
    let begin = trace.positions.len();
    let mut at = from;
    for _ in 0..STEPS.min(2_000) {
        if let Some(cycle) = trace.positions[begin..].iter().position(|(before, _)| *before == at) {
            trace.cycle = Some(begin + cycle);
            return Some(());
        }
        let leaving = program.edges.iter().enumerate().filter(|(_, edge)| edge.source == at.place);
        let (number, _) = leaving
            .filter(|(_, edge)| edge.choices.iter().all(|choice| choice.as_constant().is_some()))
            .find(|(_, edge)| at.satisfies(&edge.guard) == Ok(true))?;
        let next = at.after(program, number, &|_| 0).ok()?;
        trace.positions.push((at, number));
        at = next;
    }
    None
}

impl Move {
    fn applies(&self, at: &At) -> bool {
        self.place == at.place && at.satisfies(&self.states) == Ok(true)
    }

    fn take(&self, program: &Program, from: At, trace: &mut Trace) -> Option<At> {
        let edge = self.edge?;
        let chosen =
            self.chosen.iter().map(|(var, term)| Some((*var, term.value(&|var| from.value(var)).ok()?)));
        let chosen = chosen.collect::<Option<BTreeMap<Var, i128>>>()?;
        let next = from.after(program, edge, &|var| chosen.get(&var).copied().unwrap_or(0)).ok()?;
        trace.positions.push((from, edge));
        (trace.positions.len() < STEPS).then_some(next)
    }
}

/// Follows layers down to their end: a state where `b` is true, or one on a cycle.
fn along(analysis: &Analysis<'_>, labelled: &Labelled, from: At, trace: &mut Trace) -> Option<At> {
    let mut at = from;
    loop {
        let on_cycle =
            labelled.cycles.iter().flat_map(|(_, cycle)| &cycle.moves).any(|found| found.applies(&at));
        if on_cycle {
            return Some(at);
        }
        // The first layer with the state is the nearest to the end.
        let next = labelled.layers.iter().flatten().find(|found| found.applies(&at))?;
        if next.edge.is_none() {
            return Some(at);
        }
        at = next.take(analysis.program, at, trace)?;
    }
}

/// Repeats a cycle until a state recurs.
fn round(analysis: &Analysis<'_>, labelled: &Labelled, from: At, trace: &mut Trace) -> Option<At> {
    let (cycle, mut position) = labelled.cycles.iter().find_map(|(_, cycle)| {
        let position = cycle.moves.iter().position(|found| found.applies(&from))?;
        Some((cycle, position))
    })?;
    let mut met: Vec<(usize, usize)> = Vec::new();
    let mut at = from;
    for done in 0..1_000 {
        if trace.beginning && done == ROUNDS * cycle.moves.len() {
            return Some(at);
        }
        let again = met.iter().find(|(p, index)| *p == position && trace.positions[*index].0 == at);
        if let Some((_, index)) = again {
            trace.cycle = Some(*index);
            return Some(at);
        }
        met.push((position, trace.positions.len()));
        at = cycle.moves[position].take(analysis.program, at, trace)?;
        // If numbers grow for ever, the run is not periodic.
        at.state()?;
        position = if cycle.ordered {
            (position + 1) % cycle.moves.len()
        } else {
            cycle.moves.iter().position(|found| found.applies(&at))?
        };
    }
    None
}

fn known<'l>(analysis: &'l Analysis<'_>, formula: &Core) -> Option<&'l Labelled> {
    analysis.labelled.iter().find(|labelled| labelled.formula == *formula)
}

fn is_temporal(formula: &Core) -> bool {
    match formula {
        Core::Atom(_) => false,
        Core::Not(a) => is_temporal(a),
        Core::And(parts) | Core::Or(parts) => parts.iter().any(is_temporal),
        Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => true,
    }
}

/// Whether a formula is certainly true in a state or, if not `positive`, certainly false.
pub(super) fn truth(analysis: &Analysis<'_>, formula: &Core, positive: bool, at: &At) -> bool {
    match formula {
        Core::Atom(atom) => analysis
            .program
            .at(analysis.instance, at.place, atom)
            .is_ok_and(|formula| at.satisfies(&formula) == Ok(positive)),
        Core::Not(a) => truth(analysis, a, !positive, at),
        Core::And(parts) if positive => parts.iter().all(|part| truth(analysis, part, true, at)),
        Core::Or(parts) if !positive => parts.iter().all(|part| truth(analysis, part, false, at)),
        Core::And(parts) | Core::Or(parts) => parts.iter().any(|part| truth(analysis, part, positive, at)),
        _ => known(analysis, formula).is_some_and(|labelled| {
            let sides = &labelled.sides;
            let side = if positive { &sides.must } else { &sides.may };
            at.satisfies(&side[at.place]) == Ok(positive)
        }),
    }
}
