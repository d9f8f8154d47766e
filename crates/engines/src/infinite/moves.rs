//! Moves: from a set of states, over an edge, with chosen integers, into another set.
//!
//! The states that an edge leads into a set are its preimage: the guard and the other set, both over the values
//! before the step. Integers chosen in the step are given as terms over those values, because a run must be shown,
//! not only exist. Candidate terms come from the preimage: the value that leaves a cell unchanged, and the bounds
//! that the formula sets for the integer. If the integer has only the coefficients ±1, the bounds are enough: if any
//! integer works, one of these does [Coo72].

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::program::Program;

/// From these states this edge leads into the target set.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) place: usize,
    pub(super) states: Formula,
    /// The edge; `None` for states that are already in the set.
    pub(super) edge: Option<usize>,
    /// The chosen integers, as terms over the state before.
    pub(super) chosen: BTreeMap<Var, Linear>,
    pub(super) target: usize,
    /// For a move on a loop that is repeated finitely often: an upper bound on what is left to do.
    pub(super) rank: Option<Rank>,
}

/// `scale * max(rounds, 0) + rest`: an upper bound on the rounds left, and the steps left in this round.
#[derive(Clone, Debug)]
pub(super) struct Rank {
    pub(super) rounds: Linear,
    pub(super) scale: i128,
    pub(super) rest: i128,
}

/// The greatest number of terms tried for one integer, and of moves over one edge.
const TERMS: usize = 8;
const MOVES: usize = 24;

/// The moves over an edge with this guard, from `from` into `into`.
pub(super) fn moves(
    program: &Program,
    edge: usize,
    guard: &Formula,
    from: &Formula,
    into: &Formula,
) -> Result<Vec<Move>, Overflow> {
    let taken = &program.edges[edge];
    let preimage = Formula::and([guard.clone(), from.clone(), taken.before(into)?]);
    let mut open = vec![(preimage, BTreeMap::new())];
    let mut done = Vec::new();
    // Integers are chosen in a fixed order, so equal preimages lead to the same results.
    let mut seen = BTreeSet::new();
    while let Some((preimage, chosen)) = open.pop() {
        let known = !seen.insert((chosen.len(), preimage.clone()));
        if known || preimage == Formula::Bool(false) || done.len() >= MOVES {
            continue;
        }
        let next = taken
            .choices
            .iter()
            .flat_map(|choice| choice.terms().iter().map(|(var, _)| *var))
            .find(|var| var.0 as usize >= program.cells && !chosen.contains_key(var));
        let Some(next) = next else {
            done.push(Move {
                place: taken.source,
                states: preimage,
                edge: Some(edge),
                chosen,
                target: taken.target,
                rank: None,
            });
            continue;
        };
        for term in terms(&preimage, next, &taken.update)?.into_iter().rev() {
            let mut chosen = chosen
                .iter()
                .map(|(var, old): (&Var, &Linear)| Ok((*var, old.with(next, &term)?)))
                .collect::<Result<BTreeMap<Var, Linear>, Overflow>>()?;
            chosen.insert(next, term.clone());
            open.push((preimage.replaced(&|var| (var == next).then_some(&term))?, chosen));
        }
    }
    Ok(done)
}

/// Candidate values for a chosen integer.
fn terms(formula: &Formula, var: Var, update: &BTreeMap<Var, Linear>) -> Result<Vec<Linear>, Overflow> {
    let mut found: Vec<Linear> = Vec::new();
    let mut add = |term: Linear| {
        if !found.contains(&term) && term.coefficient(var) == 0 {
            found.push(term);
        }
    };
    let mut atoms = BTreeSet::new();
    formula.collect_atoms(&mut atoms);
    let (mut equal, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
    for atom in &atoms {
        let (Formula::AtMost(term) | Formula::Zero(term)) = atom else { continue };
        let coefficient = term.coefficient(var);
        if coefficient.abs() != 1 {
            continue;
        }
        // ±var + rest (<)= 0 bounds var by ∓rest.
        let bound = term.without(var).times(-coefficient)?;
        match atom {
            Formula::Zero(_) => equal.push(bound),
            _ if coefficient < 0 => lower.push(bound),
            _ => upper.push(bound),
        }
    }
    // An equation that must be true determines the integer.
    let parts =
        if let Formula::And(parts) = formula { parts.as_slice() } else { std::slice::from_ref(formula) };
    let forced = parts.iter().find_map(|part| match part {
        Formula::Zero(term) if term.coefficient(var).abs() == 1 => {
            Some(term.without(var).times(-term.coefficient(var)))
        }
        _ => None,
    });
    if let Some(forced) = forced {
        return Ok(vec![forced?]);
    }
    equal.into_iter().for_each(&mut add);
    for (cell, term) in update {
        // cell' = ±var + rest is the value before if var is ±(cell - rest).
        let coefficient = term.coefficient(var);
        if coefficient.abs() == 1 {
            add(Linear::var(*cell).plus(-1, &term.without(var))?.times(coefficient)?);
        }
    }
    lower.into_iter().chain(upper).for_each(&mut add);
    if found.is_empty() {
        // A quotient has a larger coefficient; near zero it is one of these.
        found.extend([0, 1, -1].map(Linear::constant));
    }
    found.truncate(TERMS);
    Ok(found)
}
