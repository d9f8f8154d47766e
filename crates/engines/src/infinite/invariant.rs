//! Invariants: at each place the strongest conjunction of atoms that occur in the program.
//!
//! The candidates are the inequalities of guards, initial conditions and atoms of the property, their negations, the
//! comparisons of a cell with the constants it is assigned, and differences and sums of two cells that occur together.
//! A place that no edge has reached is empty; when an edge reaches it, a model of the step shows which candidates are
//! false there, and they go, until the step implies those that are left [FL01]. What is left is inductive. The
//! solver is asked about one edge at a time and about all candidates of its target at once, and each model removes
//! as many as it can, so the number of queries is small against edges times candidates.

use std::collections::{BTreeSet, VecDeque};

use smt::{Formula, Linear, Var};

use super::program::Program;
use super::tools::{Ended, Found, Tools};

/// The greatest number of candidates at one place.
const CANDIDATES: usize = 400;

/// Per place an inductive invariant; false where no run comes.
pub(super) fn invariants(
    program: &Program,
    further: &BTreeSet<Formula>,
    tools: &mut Tools<'_>,
) -> Result<Vec<Formula>, Ended> {
    let candidates = candidates(program, further);
    let mut known: Vec<Option<Vec<Formula>>> = vec![None; program.places.len()];
    let mut pending: VecDeque<usize> = VecDeque::new();
    for (place, formula) in &program.initial {
        if weaken(formula, Formula::clone, &candidates, &mut known[*place], tools)? {
            enqueue(&mut pending, *place);
        }
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); program.places.len()];
    for (number, edge) in program.edges.iter().enumerate() {
        leaving[edge.source].push(number);
    }
    while let Some(place) = pending.pop_front() {
        for number in &leaving[place] {
            let edge = &program.edges[*number];
            let Some(here) = &known[place] else { continue };
            let step = Formula::and(here.iter().cloned().chain([edge.guard.clone()]));
            let mut target = known[edge.target].take();
            let changed = weaken(&step, |atom| edge.before(atom), &candidates, &mut target, tools)?;
            known[edge.target] = target;
            if changed {
                enqueue(&mut pending, edge.target);
            }
        }
    }
    let mut invariants = Vec::new();
    for atoms in known {
        invariants.push(match atoms {
            None => Formula::Bool(false),
            Some(atoms) => irredundant(atoms, tools)?,
        });
    }
    Ok(invariants)
}

fn enqueue(pending: &mut VecDeque<usize>, place: usize) {
    if !pending.contains(&place) {
        pending.push_back(place);
    }
}

/// Makes what is known of a place true after `step` as well; whether that changed it.
fn weaken(
    step: &Formula,
    before: impl Fn(&Formula) -> Formula,
    candidates: &[Formula],
    known: &mut Option<Vec<Formula>>,
    tools: &mut Tools<'_>,
) -> Result<bool, Ended> {
    let mut changed = false;
    loop {
        let claimed = known.as_ref().map(|atoms| Formula::and(atoms.iter().map(&before)));
        let violated = claimed.map_or(Formula::Bool(true), |claimed| claimed.negated());
        let query = Formula::and([step.clone(), violated]);
        let model = match tools.find(&query)? {
            Found::Nothing => return Ok(changed),
            Found::Model(model) => model,
            // Nobody knows: nothing is claimed of this place.
            Found::Unknown => {
                *known = Some(Vec::new());
                return Ok(true);
            }
        };
        changed = true;
        let atoms = known.take().unwrap_or_else(|| candidates.to_vec());
        *known = Some(atoms.into_iter().filter(|atom| model.satisfies(&before(atom))).collect());
    }
}

/// The atoms that the others do not imply.
fn irredundant(mut atoms: Vec<Formula>, tools: &mut Tools<'_>) -> Result<Formula, Ended> {
    let mut position = 0;
    while position < atoms.len() && atoms.len() <= CANDIDATES {
        let atom = atoms.remove(position);
        if !tools.implies(&Formula::and(atoms.iter().cloned()), &atom)? {
            atoms.insert(position, atom);
            position += 1;
        }
    }
    Ok(Formula::and(atoms))
}

fn candidates(program: &Program, further: &BTreeSet<Formula>) -> Vec<Formula> {
    let mut atoms = further.clone();
    for edge in &program.edges {
        edge.guard.collect_atoms(&mut atoms);
    }
    for (_, formula) in &program.initial {
        formula.collect_atoms(&mut atoms);
    }
    let is_data = |term: &Linear| term.terms().iter().all(|(var, _)| (var.0 as usize) < program.cells);
    let mut found: BTreeSet<Formula> = BTreeSet::new();
    let mut add = |term: &Linear| {
        if is_data(term) && !term.terms().is_empty() {
            for term in [term.clone(), term.times(-1), term.times(-1).shifted(1), term.shifted(1)] {
                found.insert(Formula::at_most(&term));
            }
        }
    };
    let mut pairs: BTreeSet<(Var, Var)> = BTreeSet::new();
    let mut constants: BTreeSet<(Var, i128)> = BTreeSet::new();
    for atom in &atoms {
        if let Formula::AtMost(term) | Formula::Zero(term) = atom {
            add(term);
            if let [(a, _), (b, _)] = term.terms() {
                pairs.insert((*a, *b));
            }
            if let [(var, 1 | -1)] = term.terms() {
                constants.insert((*var, -term.free() * term.terms()[0].1));
            }
        }
    }
    for edge in &program.edges {
        for (var, term) in &edge.update {
            match term.as_constant() {
                Some(value) => {
                    constants.insert((*var, value));
                }
                None => add(&Linear::var(*var).plus(-1, term)),
            }
            if let [(other, 1)] = term.terms()
                && other != var
            {
                pairs.insert((*var.min(other), *var.max(other)));
            }
        }
    }
    for (var, value) in &constants {
        add(&Linear::var(*var).shifted(-value));
    }
    for (a, b) in pairs {
        if is_data(&Linear::var(b)) {
            add(&Linear::var(a).plus(-1, &Linear::var(b)));
            add(&Linear::var(a).plus(1, &Linear::var(b)));
        }
    }
    found.into_iter().filter(|atom| !matches!(atom, Formula::Bool(_))).take(CANDIDATES).collect()
}
