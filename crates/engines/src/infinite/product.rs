//! Linear time: the product with the automaton of the violations, and formulas that need no automaton.
//!
//! If every disjunction of a formula has at most one temporal part, and `F` and `U` apply to state predicates only,
//! the formula means the same with `A` before every operator [Mai00], in states where a fair run begins. Such a
//! formula is decided as one of branching time, for which there is evidence of both kinds. For any other formula we
//! build the product with an automaton of its violations: places are pairs, an edge reads the letter of its step, and
//! each mark of the automaton is a requirement. The property holds iff no initial state has a fair run in the
//! product. We first use the reference automaton ([`model::tableau`]), because the judge knows it. If that does not
//! decide the property, subformulas about the long run only are lifted out as requirements, and a smaller automaton
//! of the rest is tried.

use std::collections::BTreeMap;

use model::automaton::Automaton;
use model::property::Paths;
use model::{Ctl, Formula as Ltl, Instance, Session};
use smt::Formula;

use super::demand::on_edges;
use super::label::EdgeDemand;
use super::oracles::{Stop, count_branch};
use super::program::{Edge, Program};

/// The formula of branching time that is equivalent to this formula, if it is found.
pub(super) fn branching(formula: &Ltl) -> Option<Ctl> {
    if let Some(predicate) = formula.as_predicate() {
        return Some(Ctl::Atom(predicate));
    }
    let boxed = |formula: &Ltl| branching(formula).map(Box::new);
    let state = |formula: &Ltl| formula.as_predicate().map(|predicate| Box::new(Ctl::Atom(predicate)));
    Some(match formula {
        Ltl::And(parts) => Ctl::And(parts.iter().map(branching).collect::<Option<_>>()?),
        Ltl::Or(parts) => {
            (parts.iter().filter(|part| part.as_predicate().is_none()).count() <= 1).then_some(())?;
            Ctl::Or(parts.iter().map(branching).collect::<Option<_>>()?)
        }
        Ltl::Implies(a, b) => Ctl::Implies(state(a)?, boxed(b)?),
        Ltl::Next(a) => Ctl::Next(Paths::All, boxed(a)?),
        Ltl::Globally(a) => Ctl::Globally(Paths::All, boxed(a)?),
        Ltl::Finally(a) => Ctl::Finally(Paths::All, state(a)?),
        Ltl::Until(a, b) => Ctl::Until(Paths::All, state(a)?, state(b)?),
        Ltl::WeakUntil(a, b) => Ctl::WeakUntil(Paths::All, state(a)?, state(b)?),
        _ => return None,
    })
}

/// The product of a program with an automaton.
pub(super) struct Product {
    pub(super) program: Program,
    /// Per place, the place of the system's program and the state of the automaton.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Per edge, the edge of the system's program.
    pub(super) origin: Vec<usize>,
    /// Per edge, the edge of the automaton that reads it, among those that leave its state.
    pub(super) reading: Vec<usize>,
    /// The marks of the automaton.
    pub(super) marks: Vec<EdgeDemand>,
}

/// The greatest number of edges of a product.
const EDGES: usize = 40_000;

/// The product. Its runs are the runs of the system with all ways in which the automaton can read them.
pub(super) fn product(
    instance: &Instance,
    program: &Program,
    automaton: &Automaton,
    session: &Session<'_>,
) -> Result<Product, Stop> {
    let mut letters = Vec::new();
    for atom in &automaton.atoms {
        letters.push(on_edges(instance, program, atom)?);
    }
    let mut builder = Builder { numbers: BTreeMap::new(), pairs: Vec::new() };
    let mut initial = Vec::new();
    for (place, formula) in &program.initial {
        for state in &automaton.initial {
            initial.push((builder.place(*place, *state), formula.clone()));
        }
    }
    let (mut edges, mut origin, mut readings) = (Vec::new(), Vec::new(), Vec::new());
    let mut marks: Vec<Vec<Formula>> = vec![Vec::new(); automaton.marks];
    let mut next = 0;
    while next < builder.pairs.len() {
        let (place, state) = builder.pairs[next];
        for (number, edge) in program.edges.iter().enumerate().filter(|(_, edge)| edge.source == place) {
            for (position, reading) in automaton.states[state].iter().enumerate() {
                count_branch(session)?;
                let letter = reading.cube.literals().map(|(atom, truth)| {
                    let letter = &letters[atom][number];
                    if truth { letter.clone() } else { letter.negated() }
                });
                let guard = Formula::and(std::iter::once(edge.guard.clone()).chain(letter));
                if guard == Formula::Bool(false) {
                    continue;
                }
                let target = builder.place(edge.target, reading.target);
                edges.push(Edge { source: next, target, guard, ..edge.clone() });
                origin.push(number);
                readings.push(position);
                for (mark, on) in marks.iter_mut().enumerate() {
                    on.push(Formula::Bool(reading.marks.contains(&mark)));
                }
            }
        }
        if edges.len() > EDGES {
            return Err(Stop::Unsupported("a product with the formula that is too large".to_owned()));
        }
        next += 1;
    }
    let places = builder.pairs.iter().map(|(place, _)| program.places[*place].clone()).collect();
    let always = vec![Formula::Bool(true); edges.len()];
    let marks = marks.into_iter().map(|then| EdgeDemand { when: always.clone(), then }).collect();
    let program = Program::of_parts(program.cells, places, initial, edges);
    Ok(Product { program, pairs: builder.pairs, origin, reading: readings, marks })
}

struct Builder {
    numbers: BTreeMap<(usize, usize), usize>,
    pairs: Vec<(usize, usize)>,
}

impl Builder {
    fn place(&mut self, place: usize, state: usize) -> usize {
        let next = self.pairs.len();
        *self.numbers.entry((place, state)).or_insert_with(|| {
            self.pairs.push((place, state));
            next
        })
    }
}
