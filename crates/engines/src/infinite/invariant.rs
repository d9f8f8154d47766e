//! Invariants: at each place the strongest conjunction of candidate atoms.
//!
//! The candidates are the inequalities of guards, initial conditions and atoms of the property, their negations, the
//! comparisons of a cell with the constants it is assigned, equations between the values after a step, and differences
//! and sums of two cells that occur together. To these come the affine [equations](super::equations) between cells, and
//! [divisibilities](divisible) of what is tested for equality [Gra91].
//!
//! At first a place that no edge has reached is empty. When an edge reaches it, a model of the step shows which
//! candidates are false there; they are removed until the step implies the rest [FL01]. The result is inductive. We
//! ask the solver about one edge at a time and about all candidates of its target at once. Each model removes as many
//! candidates as it can, also at the places that a random walk from there visits. So the number of queries is small
//! compared with edges times candidates.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::equations::Equations;
use super::oracles::{Oracles, Satisfiability, Stop};
use super::program::{Edge, Program};
use super::walk::Walks;
use super::witness::At;

/// The greatest number of candidates at one place.
const CANDIDATES: usize = 400;
/// The divisors of divisibilities.
const DIVISORS: std::ops::RangeInclusive<i128> = 2..=10;
/// The number of walks at the beginning, and their length.
const WALKS: usize = 20;
const STROLL: usize = 60;
/// The number of states that are derived from one model.
const VARIATIONS: usize = 8;

/// An inductive invariant for each place; false where no run comes.
pub(super) fn invariants(
    program: &Program,
    further: &BTreeSet<Formula>,
    oracles: &mut Oracles<'_>,
) -> Result<Vec<Formula>, Stop> {
    let mut search = Search {
        program,
        candidates: candidates(program, further)?,
        known: vec![None; program.places.len()],
        equations: vec![Equations::none(); program.places.len()],
        pending: VecDeque::new(),
        walks: Walks::new(program, oracles)?,
    };
    search.run(oracles)?;
    let mut invariants = Vec::new();
    for (atoms, equations) in search.known.iter().zip(&search.equations) {
        invariants.push(match atoms {
            None => Formula::Bool(false),
            Some(atoms) => irredundant(claimed(atoms, equations), oracles)?,
        });
    }
    Ok(invariants)
}

struct Search<'p> {
    program: &'p Program,
    candidates: Vec<Formula>,
    /// Per place, the candidates that are left; `None` if the place has not been reached.
    known: Vec<Option<Vec<Formula>>>,
    /// Per place that was reached, the equations that are left.
    equations: Vec<Equations>,
    /// Places that lost candidates after the edges that leave them were examined.
    pending: VecDeque<usize>,
    walks: Walks<'p>,
}

impl Search<'_> {
    fn run(&mut self, oracles: &mut Oracles<'_>) -> Result<(), Stop> {
        let program = self.program;
        for round in 0..WALKS {
            let Some(at) = self.walks.begin(round) else { break };
            self.admit(at);
        }
        for (place, formula) in &program.initial {
            self.weaken(*place, formula, None, oracles)?;
        }
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); program.places.len()];
        for (number, edge) in program.edges.iter().enumerate() {
            leaving[edge.source].push(number);
        }
        while let Some(place) = self.pending.pop_front() {
            for number in &leaving[place] {
                let edge = &program.edges[*number];
                let Some(here) = &self.known[place] else { continue };
                let here = claimed(here, &self.equations[place]);
                let step = Formula::and(here.into_iter().chain([edge.guard.clone()]));
                self.weaken(edge.target, &step, Some(*number), oracles)?;
            }
        }
        Ok(())
    }

    /// Removes candidates of a place until the rest is true after a step over an edge or, without an edge, where
    /// `step` is true.
    fn weaken(
        &mut self,
        place: usize,
        step: &Formula,
        edge: Option<usize>,
        oracles: &mut Oracles<'_>,
    ) -> Result<(), Stop> {
        let program = self.program;
        let before = |atom: &Formula| match edge {
            None => Ok(atom.clone()),
            Some(edge) => program.edges[edge].before(atom),
        };
        loop {
            let known = self.known[place].as_ref().map(|atoms| claimed(atoms, &self.equations[place]));
            let claimed = known.map(|atoms| Formula::try_and(atoms.iter().map(before))).transpose()?;
            let violated = claimed.map_or(Formula::Bool(true), |claimed| claimed.negated());
            let query = Formula::and([step.clone(), violated]);
            match oracles.find(&query)? {
                Satisfiability::Unsatisfiable => return Ok(()),
                Satisfiability::Model(model) => {
                    // Models of solvers are full of zeros. States that differ in some values remove more candidates.
                    let cells = (0..program.cells as u32).map(Var);
                    let all = query.vars().into_iter().chain(cells);
                    let mut values: BTreeMap<Var, i128> = all.map(|var| (var, model.value(var))).collect();
                    for _ in 0..VARIATIONS {
                        let value = |var| values.get(&var).copied().unwrap_or(0);
                        self.admit(match edge {
                            None => At::of(program, place, &value),
                            Some(edge) => At::of(program, program.edges[edge].source, &value)
                                .after(program, edge, &value)?,
                        });
                        self.walks.vary(&mut values, step);
                    }
                }
                // The solver does not know, so we claim nothing about this place.
                Satisfiability::Unknown => {
                    self.known[place] = Some(Vec::new());
                    self.equations[place] = Equations::none();
                    self.enqueue(place);
                    return Ok(());
                }
            }
        }
    }

    /// Removes the candidates that are false in a state, and in the states that a random walk from there visits: an
    /// inductive invariant that contains the first state contains the others.
    fn admit(&mut self, mut at: At) {
        for _ in 0..STROLL {
            let mut atoms = self.known[at.place].take();
            let before = atoms.as_ref().map(Vec::len);
            let left = atoms.get_or_insert_with(|| self.candidates.clone());
            left.retain(|atom| at.satisfies(atom) == Ok(true));
            let value = |var: Var| at.values[var.0 as usize];
            let fewer = if before.is_some() {
                self.equations[at.place].admit(&value)
            } else {
                let control = &self.program.places[at.place];
                let is_data = |cell: &Var| !control.iter().any(|(fixed, _)| *fixed == cell.0 as usize);
                let cells: Vec<Var> = (0..self.program.cells as u32).map(Var).filter(is_data).collect();
                self.equations[at.place] = Equations::of(&cells, &value);
                true
            };
            if fewer || before != Some(left.len()) {
                self.enqueue(at.place);
            }
            self.known[at.place] = atoms;
            let Some((_, _, after)) = self.walks.step(&at) else { return };
            at = after;
        }
    }

    fn enqueue(&mut self, place: usize) {
        if !self.pending.contains(&place) {
            self.pending.push_back(place);
        }
    }
}

/// What is claimed at a place.
fn claimed(atoms: &[Formula], equations: &Equations) -> Vec<Formula> {
    strongest(atoms).into_iter().chain(equations.formulas()).collect()
}

/// Among inequalities that differ only in their constants, those that imply the others.
fn strongest(atoms: &[Formula]) -> Vec<Formula> {
    let mut greatest: BTreeMap<&[(Var, i128)], &Linear> = BTreeMap::new();
    for atom in atoms {
        if let Formula::AtMost(term) = atom {
            let known = greatest.entry(term.terms()).or_insert(term);
            if term.free() > known.free() {
                *known = term;
            }
        }
    }
    let inequalities = greatest.into_values().map(|term| Formula::AtMost(term.clone()));
    let others = atoms.iter().filter(|atom| matches!(atom, Formula::Divides(..))).cloned();
    inequalities.chain(others).collect()
}

/// The atoms that the others do not imply.
fn irredundant(mut atoms: Vec<Formula>, oracles: &mut Oracles<'_>) -> Result<Formula, Stop> {
    let mut position = 0;
    while position < atoms.len() && atoms.len() <= CANDIDATES {
        let atom = atoms.remove(position);
        if !oracles.implies(&Formula::and(atoms.iter().cloned()), &atom)? {
            atoms.insert(position, atom);
            position += 1;
        }
    }
    Ok(Formula::and(atoms))
}

fn candidates(program: &Program, further: &BTreeSet<Formula>) -> Result<Vec<Formula>, Overflow> {
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
            for term in [term.clone(), term.opposite(), term.opposite().successor(), term.successor()] {
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
        afterwards(edge, program.cells)?.iter().for_each(&mut add);
        for (var, term) in &edge.update {
            match term.as_constant() {
                Some(value) => {
                    constants.insert((*var, value));
                }
                None => add(&Linear::var(*var).plus(-1, term)?),
            }
            if let [(other, 1)] = term.terms()
                && other != var
            {
                pairs.insert((*var.min(other), *var.max(other)));
            }
        }
    }
    for (var, value) in &constants {
        add(&Linear::var(*var).shifted(-value)?);
    }
    for (a, b) in pairs {
        if is_data(&Linear::var(b)) {
            add(&Linear::var(a).plus(-1, &Linear::var(b))?);
            add(&Linear::var(a).plus(1, &Linear::var(b))?);
        }
    }
    let inequalities = found.into_iter().filter(|atom| !matches!(atom, Formula::Bool(_))).take(CANDIDATES);
    Ok(inequalities.chain(divisible(program, &atoms)?).collect())
}

/// Divisibilities of cells and of differences that some guard compares for equality: a counter that moves in steps of two
/// may miss a number, or may not. The divisors are steps and common factors of the values that are assigned.
fn divisible(program: &Program, atoms: &BTreeSet<Formula>) -> Result<BTreeSet<Formula>, Overflow> {
    let mut tested: BTreeSet<Linear> = BTreeSet::new();
    for atom in atoms {
        let own = match atom {
            // `t == c`
            Formula::Zero(term) => term,
            // `t <= c - 1`, if `t >= c + 1` is there too.
            Formula::AtMost(term) if atoms.contains(&Formula::at_most(&term.opposite().shifted(2)?)) => term,
            _ => continue,
        };
        let is_unit = |(var, factor): &(Var, i128)| (var.0 as usize) < program.cells && factor.abs() == 1;
        if own.terms().len() <= 2 && own.terms().iter().all(is_unit) {
            let term = own.shifted(-own.free())?;
            let leads = term.terms().first().is_some_and(|(_, factor)| *factor > 0);
            tested.insert(if leads { term } else { term.opposite() });
        }
    }
    let mut found = BTreeSet::new();
    for term in tested {
        let mut divisors: BTreeSet<i128> = BTreeSet::new();
        for (var, _) in term.terms() {
            for value in program.edges.iter().filter_map(|edge| edge.update.get(var)) {
                let factor = match value.terms() {
                    [(own, 1)] if own == var => value.free().abs(),
                    _ => value.content(),
                };
                divisors.extend(Some(factor).filter(|factor| DIVISORS.contains(factor)));
            }
        }
        let cells = term.terms().iter().map(|(var, _)| Linear::var(*var));
        for part in cells.chain([term.clone()]) {
            for divisor in &divisors {
                for rest in 0..*divisor {
                    found.insert(Formula::divides(*divisor, &part.shifted(-rest)?));
                }
            }
        }
    }
    Ok(found.into_iter().take(CANDIDATES / 4).collect())
}

/// Terms over the cells that are 0 after a step over an edge: how the next values are related.
fn afterwards(edge: &Edge, cells: usize) -> Result<Vec<Linear>, Overflow> {
    // A value before the step, or a chosen integer, in terms of the values after it.
    let mut known: BTreeMap<Var, Linear> = BTreeMap::new();
    for (cell, term) in &edge.update {
        if let [(var, 1)] = term.terms()
            && (var == cell || var.0 as usize >= cells)
        {
            let value = Linear::var(*cell).shifted(-term.free())?;
            known.entry(*var).or_insert(value);
        }
    }
    let is_known =
        |var: Var| known.contains_key(&var) || ((var.0 as usize) < cells && !edge.update.contains_key(&var));
    let related = edge
        .update
        .iter()
        .filter(|(_, term)| term.terms().len() > 1 && term.terms().iter().all(|(var, _)| is_known(*var)));
    related.map(|(cell, term)| Linear::var(*cell).plus(-1, &term.replaced(&|var| known.get(&var))?)).collect()
}
