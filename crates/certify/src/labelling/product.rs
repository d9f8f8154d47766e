//! The product with the reference automaton, and what its labels say about a property of linear time.
//!
//! The automaton is [`model::tableau::violations`]. The judge computes it; evidence only refers to its states and edges
//! by number. A step of the product is a step of the system with an edge that can read it. Reachable states of the
//! product are reachable in the system, so the invariant of the system is assumed. That no fault happens is shown for
//! the system alone, where every reachable state counts.
//!
//! A run that is given is followed concretely. At each position the automaton must have a state, reached by reading
//! what came before, such that the product state is in the label. At the end there must be one that is on a cycle.

use model::automaton::Edge;
use model::labelling::{Label as SidedLabel, Move, Product};
use model::{Expr, Path, Position, State, Task, semantics, tableau};
use smt::Formula;

use super::steps::Step;
use super::terms::{ReadError, Store};
use super::{Demand, LabelJudge, Place, fair, premise, shape};
use crate::end::{End, undecided};
use crate::flaw::Flaw;

impl<'a> LabelJudge<'a> {
    /// The judge of a product, after its premises have been shown.
    pub(super) fn in_product(mut self, task: &Task, product: &'a Product) -> Result<LabelJudge<'a>, End> {
        let automaton = tableau::violations(self.instance, &task.property.kind)
            .ok_or_else(|| undecided("the automaton of the property is too large"))?;
        for alternative in &mut self.alternatives {
            alternative.extend((0..automaton.marks).map(Demand::Mark));
        }
        let demands: Vec<usize> = self.alternatives.iter().map(Vec::len).collect();
        shape::examine_product(self.instance, product, self.places.len(), &automaton, &demands)
            .map_err(End::Flaw)?;
        self.invariant()?;
        self.automaton = Some(automaton);
        self.all_fair = false;
        self.labels = std::slice::from_ref(&product.label);
        let mut places = Vec::new();
        let mut invariant = Vec::new();
        for ((place, state), own) in product.places.iter().zip(&product.invariant) {
            let Place { known, mut store, steps } = self.places[*place].clone();
            store.state = *state;
            let steps = self.read(&store, steps, None)?;
            places.push(Place { known, store, steps });
            invariant.push(Expr::And(vec![self.invariant[*place].clone(), own.clone()]));
        }
        self.places = places;
        self.invariant = invariant;
        for store in self.beginnings(&[]) {
            let outside = self.inside(&self.invariant, &store)?.negated();
            let outside = Formula::and([self.initial(&store)?, outside]);
            self.two_solvers.impossible(&outside, "the invariant contains every initial state")?;
        }
        self.is_closed()?;
        self.label(&product.label)?;
        Ok(self)
    }

    /// Shows that every initial state is outside of the label: no fair run is accepted.
    pub(super) fn accepts_nothing(mut self) -> Result<(), End> {
        for store in self.beginnings(&[]) {
            let found = Formula::and([self.initial(&store)?, self.may(&fair(), &store)?]);
            self.two_solvers
                .impossible(&found, "no fair run that violates the property begins in an initial state")?;
        }
        Ok(())
    }

    /// Shows that an initial state is in the label: a fair run from it is accepted. A given run must stay in the label
    /// and reach a cycle.
    pub(super) fn accepts(self, state: &State, run: Option<&Path>, label: &SidedLabel) -> Result<(), End> {
        let mut reading = Vec::new();
        for store in self.beginnings(&values(state)) {
            if self.must(&fair(), &store)? == Formula::Bool(true) {
                reading.push(store.state);
            }
        }
        if reading.is_empty() {
            return Err(premise("a run that violates the property begins in the initial state"));
        }
        let Some(run) = run else { return Ok(()) };
        for (number, position) in run.positions.iter().enumerate() {
            self.limits.check()?;
            let next = run.positions.get(number + 1).map_or(&run.last, |next| &next.state);
            let mut after = Vec::new();
            for edge in reading.iter().flat_map(|state| self.edges(*state)) {
                let store = self.concretely(next, edge.target);
                if !after.contains(&edge.target)
                    && self.admits(edge, position)?
                    && self.must(&fair(), &store)? == Formula::Bool(true)
                {
                    after.push(edge.target);
                }
            }
            reading = after;
        }
        let cycles: Vec<&Move> = label.path.cycles.iter().flat_map(|cycle| &cycle.moves).collect();
        for state in reading {
            if self.covered(&cycles, &self.concretely(&run.last, state))? == Formula::Bool(true) {
                return Ok(());
            }
        }
        Err(premise("the run that is shown comes to a cycle inside of the label"))
    }

    /// The steps that edges of the automaton can read, or only `edge`. Without an automaton, all steps.
    pub(super) fn read(
        &self,
        store: &Store,
        steps: Vec<Step>,
        number: Option<usize>,
    ) -> Result<Vec<Step>, ReadError> {
        let Some(automaton) = &self.automaton else { return Ok(steps) };
        let mut found = Vec::new();
        for step in steps {
            for (_, edge) in
                self.edges(store.state).iter().enumerate().filter(|(n, _)| number.is_none_or(|own| own == *n))
            {
                let mut when = vec![step.when.clone()];
                for (atom, truth) in edge.cube.literals() {
                    let letter = self.step_truth(&automaton.atoms[atom], store, step.label)?;
                    when.push(if truth { letter } else { letter.negated() });
                }
                let when = Formula::and(when);
                if when != Formula::Bool(false) {
                    let next = Store { state: edge.target, ..step.next.clone() };
                    found.push(Step { when, next, marks: edge.marks.clone(), ..step.clone() });
                }
            }
        }
        Ok(found)
    }

    /// The marks of the edge that reads a move.
    pub(super) fn marks(&self, movement: &Move) -> &[usize] {
        let edges = self.edges(self.places[movement.place].store.state);
        edges.get(movement.reading).map_or(&[], |edge| &edge.marks)
    }

    fn edges(&self, state: usize) -> &[Edge] {
        self.automaton.as_ref().and_then(|automaton| automaton.states.get(state)).map_or(&[], Vec::as_slice)
    }

    /// The state of the system in which these cells are known, combined with each initial state of the automaton.
    fn beginnings(&self, known: &[(usize, i64)]) -> Vec<Store> {
        let initial = self.automaton.iter().flat_map(|automaton| &automaton.initial);
        let store = Store::at(self.instance.cells.len(), known);
        initial.map(|state| Store { state: *state, ..store.clone() }).collect()
    }

    fn concretely(&self, state: &State, automaton: usize) -> Store {
        Store { state: automaton, ..Store::at(self.instance.cells.len(), &values(state)) }
    }

    /// Whether an edge can read the step that leaves a position.
    fn admits(&self, edge: &Edge, position: &Position) -> Result<bool, End> {
        for (atom, truth) in edge.cube.literals() {
            let atoms = self.automaton.as_ref().map_or(&[][..], |automaton| &automaton.atoms);
            let found =
                semantics::step_predicate(self.instance, &atoms[atom], position).map_err(|fault| {
                    End::Flaw(Flaw::Fault { during: "an atom of the property".to_owned(), fault })
                })?;
            if found != truth {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn values(state: &State) -> Vec<(usize, i64)> {
    state.0.iter().copied().enumerate().collect()
}
