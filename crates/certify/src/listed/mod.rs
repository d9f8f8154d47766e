//! Judges listed proofs: walks through all listed states with its own successors and its own automaton.
//!
//! [`model::proof::listed`] says what such a proof is and why it proves the property. Everything is checked that is
//! said there, state by state: the initial states are listed; no guard, update, atom or requirement faults; every step
//! ends in a listed state; an invariant is true. For the other properties the product states of the set are followed
//! along every edge of the reference automaton ([`model::tableau`]), and each edge is checked against the tree of each
//! alternative (`tree`). For a CTL formula about some runs the steps are kept, and the labels of its subformulas are
//! checked one after the other (`labels`). `system` and `terms` compute steps and predicates as [`model::semantics`] defines
//! them, `states` finds states in the list. Linear in the edges of the product, times the depth of the tree.

mod labels;
mod states;
mod system;
mod terms;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::ControlFlow;

use model::initial::{Advance, initial_states};
use model::instance::{Environment, Instance};
use model::packing::Packing;
use model::proof::{Listed, Missing, Reason, Tree};
use model::property::Kind;
use model::{Assumption, Automaton, Fault, State, Task, semantics, show, tableau};

use crate::choices::each_choice;
use crate::end::{End, undecided};
use crate::flaw::Flaw;
use crate::limits::Limits;
use states::States;
use system::{Expansion, Predicate, Prepared, label};
use terms::Moment;
pub(crate) use tree::{Facts, Paths, Wrong};

/// How many values are tried for an initial state between two checks of the limits.
const INTERVAL: usize = 1 << 12;

/// Judges a proof that a property holds. Returns without an error if everything is shown.
pub(crate) fn judge(
    task: &Task,
    instance: &Instance,
    listed: &Listed,
    limits: &Limits<'_>,
) -> Result<(), End> {
    if instance.system.endless_choice().is_some() {
        return Err(form("any integer can be chosen, so the steps cannot be listed"));
    }
    let packing = Packing::new(instance);
    if !listed.states.len().is_multiple_of(packing.words) {
        return Err(form("the list of states is cut off"));
    }
    let states = States::new(packing, &listed.states, limits)?;
    if (1..states.len()).any(|state| states.packed(state - 1) >= states.packed(state)) {
        return Err(form("the states are not in increasing order"));
    }
    let prepared = Prepared::new(instance);
    let is_labelled = matches!(task.property.kind, Kind::Ctl(_)) && listed.trees.is_empty();
    if !is_labelled && !listed.labels.is_empty() {
        return Err(form("only a CTL formula has labels"));
    }
    let claim = match &task.property.kind {
        Kind::Invariant(_) if !listed.trees.is_empty() => return Err(form("an invariant has no trees")),
        Kind::Invariant(predicate) => {
            Claim::Invariant(prepared.predicate(predicate, &Environment::default()))
        }
        Kind::Ctl(formula) if is_labelled => {
            let walk = Walk { prepared, states, claim: Claim::Labels, limits };
            return labels::judge(&walk, task, formula, &listed.labels);
        }
        Kind::Ctl(_) if tableau::violations(instance, &task.property.kind).is_none() => {
            return Err(form("a CTL formula about some runs has no trees but labels"));
        }
        kind => {
            let automaton = tableau::violations(instance, kind)
                .ok_or_else(|| undecided("the reference automaton is too large"))?;
            Claim::Runs(Product::new(task, &prepared, automaton, listed, states.len())?)
        }
    };
    let walk = Walk { prepared, states, claim, limits };
    walk.initial(|position| walk.is_left_out(position))?;
    walk.all(|position, moment, found, targets| walk.state(position, moment, found, targets))
}

/// What is claimed of the listed states.
enum Claim<'p> {
    Invariant(Predicate),
    Runs(Product<'p>),
    /// See [`labels`].
    Labels,
}

/// The product with the reference automaton, and what is shown of it.
struct Product<'p> {
    automaton: Automaton,
    atoms: Vec<Predicate>,
    alternatives: Vec<Alternative<'p>>,
    /// All steps that trees speak of, in increasing order.
    missing: Vec<Missing>,
}

/// One alternative of the fairness.
struct Alternative<'p> {
    /// `when` and `then`.
    requirements: Vec<[Predicate; 2]>,
    paths: Paths<'p>,
}

impl<'p> Product<'p> {
    fn new(
        task: &Task,
        prepared: &Prepared<'_>,
        automaton: Automaton,
        listed: &'p Listed,
        states: usize,
    ) -> Result<Product<'p>, End> {
        let assumptions = &task.fairness.alternatives;
        if assumptions.len() != listed.trees.len() {
            return Err(form("there is not one tree for each alternative of the fairness"));
        }
        let mut alternatives = Vec::new();
        let mut missing = Vec::new();
        for (assumption, tree) in assumptions.iter().zip(&listed.trees) {
            if tree.addresses.len() != states * automaton.states.len() {
                return Err(form("there is not one address for each product state"));
            }
            let requirements = requirements(prepared, assumption)?;
            let paths =
                Paths::new(tree, automaton.marks, requirements.len(), assumption.global).map_err(form)?;
            alternatives.push(Alternative { requirements, paths });
            for block in &tree.blocks {
                if let Reason::Uncovered(steps) = &block.reason {
                    missing.extend_from_slice(steps);
                }
            }
        }
        missing.sort_unstable();
        missing.dedup();
        if missing.last().is_some_and(|step| step.state as usize >= states) {
            return Err(form("a state is not in the list"));
        }
        let none = Environment::default();
        let atoms = automaton.atoms.iter().map(|atom| prepared.predicate(atom, &none)).collect();
        Ok(Product { automaton, atoms, alternatives, missing })
    }
}

/// `when` and `then` of all requirements of an assumption, in the order of
/// [`ground::requirements`](model::ground::requirements).
fn requirements(prepared: &Prepared<'_>, assumption: &Assumption) -> Result<Vec<[Predicate; 2]>, End> {
    let mut all = Vec::new();
    for requirement in &assumption.requirements {
        let mut visit = |environment: &mut Environment| {
            if semantics::exists(prepared.instance, requirement, environment) {
                let of = |expr| prepared.predicate(expr, environment);
                all.push([of(&requirement.when), of(&requirement.then)]);
            }
            ControlFlow::<()>::Continue(())
        };
        let _ = each_choice(&requirement.binders, &mut Environment::default(), &mut visit)
            .map_err(|fault| Flaw::Fault { during: "the fairness".to_owned(), fault })?;
    }
    Ok(all)
}

/// The walk through all listed states.
struct Walk<'w> {
    prepared: Prepared<'w>,
    states: States<'w>,
    claim: Claim<'w>,
    limits: &'w Limits<'w>,
}

/// An edge of the product, and the requirements of an alternative.
struct ProductEdge<'e> {
    requirements: &'e [[Predicate; 2]],
    marks: &'e [usize],
    moment: Moment<'e>,
    step: Missing,
}

impl Facts for ProductEdge<'_> {
    fn carries(&self, mark: usize) -> bool {
        self.marks.contains(&mark)
    }

    fn then(&self, requirement: usize) -> Result<bool, Fault> {
        self.requirements[requirement][1].holds(&self.moment)
    }

    fn when(&self, requirement: usize) -> Result<bool, Fault> {
        self.requirements[requirement][0].holds(&self.moment)
    }

    fn step(&self) -> Missing {
        self.step
    }
}

impl Walk<'_> {
    /// Passes on every listed state with the steps that leave it, and the positions of their targets. There is no
    /// fault, and all targets are listed.
    fn all(
        &self,
        mut visit: impl FnMut(usize, Moment<'_>, &Expansion, &[u32]) -> Result<(), End>,
    ) -> Result<(), End> {
        let (mut values, mut buffer) = (Vec::new(), Vec::new());
        let (mut found, mut targets) = (Expansion::default(), Vec::new());
        for position in 0..self.states.len() {
            self.limits.tick()?;
            self.states.unpack(position, &mut values);
            self.shape(&values)?;
            self.prepared
                .expand(&values, &mut found)
                .map_err(|fault| self.wrong(position, None, &format!("there is a fault: {fault}")))?;
            targets.clear();
            for (step, action) in found.actions.iter().enumerate() {
                let target = &found.targets[step * values.len()..(step + 1) * values.len()];
                let Some(target) = self.states.find(target, &mut buffer) else {
                    let step = Some((*action, target));
                    return Err(self.wrong(position, step, "a step ends in a state that is not listed"));
                };
                targets.push(target);
            }
            let moment = Moment {
                instance: self.prepared.instance,
                state: &values,
                enabled: &found.enabled,
                action: None,
            };
            visit(position, moment, &found, &targets)?;
        }
        Ok(())
    }

    /// Whether what is claimed of the listed states is true in one of them.
    fn state(
        &self,
        position: usize,
        moment: Moment<'_>,
        found: &Expansion,
        targets: &[u32],
    ) -> Result<(), End> {
        match &self.claim {
            Claim::Invariant(predicate) => {
                let holds = predicate.holds(&moment).map_err(|fault| {
                    self.wrong(position, None, &format!("the invariant is a fault: {fault}"))
                })?;
                if holds { Ok(()) } else { Err(self.wrong(position, None, "the invariant is false")) }
            }
            Claim::Runs(product) => self.edges(product, position, moment, found, targets),
            Claim::Labels => Ok(()),
        }
    }

    /// Whether every initial state is listed. `flaw` says what else is wrong with one.
    fn initial(&self, flaw: impl Fn(u32) -> Option<&'static str>) -> Result<(), End> {
        let mut states = initial_states(self.prepared.instance);
        let mut buffer = Vec::new();
        loop {
            let state = match states.advance(INTERVAL) {
                Advance::End => return Ok(()),
                Advance::Searching => {
                    self.limits.check()?;
                    continue;
                }
                Advance::Found(Err(fault)) => {
                    return Err(Flaw::Fault { during: "`init`".to_owned(), fault }.into());
                }
                Advance::Found(Ok(state)) => state,
            };
            self.limits.tick()?;
            let what = match self.states.find(&state.0, &mut buffer) {
                None => Some("an initial state is not listed"),
                Some(position) => flaw(position),
            };
            if let Some(what) = what {
                let state = show::state(self.prepared.instance, &state);
                let what = what.to_owned();
                return Err(Flaw::Listed { what, state, step: None, target: Vec::new() }.into());
            }
        }
    }

    /// Whether an initial product state of this initial state is in no block.
    fn is_left_out(&self, position: u32) -> Option<&'static str> {
        let Claim::Runs(product) = &self.claim else { return None };
        let first = position as usize * product.automaton.states.len();
        let is_outside = |alternative: &Alternative<'_>| {
            let mut initial = product.automaton.initial.iter();
            initial.any(|q| alternative.paths.address(first + q) == Tree::OUTSIDE)
        };
        let is_left_out = product.alternatives.iter().any(is_outside);
        is_left_out.then_some("an initial product state is left out")
    }

    /// Whether every cell has a value that it can hold.
    fn shape(&self, values: &[i64]) -> Result<(), End> {
        let cells = &self.prepared.instance.cells;
        if cells.iter().zip(values).all(|(cell, value)| cell.domain.contains(*value)) {
            Ok(())
        } else {
            Err(form("a cell has a value outside its range"))
        }
    }

    /// Checks all edges of the product that leave a state.
    fn edges(
        &self,
        product: &Product<'_>,
        position: usize,
        moment: Moment<'_>,
        found: &Expansion,
        targets: &[u32],
    ) -> Result<(), End> {
        let steps = || found.actions.iter().zip(targets);
        let missing = product.missing.partition_point(|step| (step.state as usize) < position);
        for step in product.missing[missing..].iter().take_while(|step| step.state as usize == position) {
            if !steps().any(|(action, target)| label(*action) == step.label && *target == step.target) {
                return Err(self.wrong(position, None, "a step of the proof does not exist"));
            }
        }
        let fault = |action, fault: Fault| {
            let target = &found.targets[..moment.state.len()];
            self.wrong(position, Some((action, target)), &format!("a predicate is a fault: {fault}"))
        };
        let mut letter = vec![false; product.atoms.len()];
        let width = product.automaton.states.len();
        for (number, (action, target)) in steps().enumerate() {
            let moment = Moment { action: *action, ..moment };
            for (truth, atom) in letter.iter_mut().zip(&product.atoms) {
                if number == 0 || atom.is_of_steps {
                    *truth = atom.holds(&moment).map_err(|f| fault(*action, f))?;
                }
            }
            let step = Missing { state: position as u32, label: label(*action), target: *target };
            for alternative in &product.alternatives {
                for predicate in alternative.requirements.iter().flatten() {
                    if !predicate.is_total && (number == 0 || predicate.is_of_steps) {
                        predicate.holds(&moment).map_err(|f| fault(*action, f))?;
                    }
                }
                for (q, edges) in product.automaton.states.iter().enumerate() {
                    let from = alternative.paths.address(position * width + q);
                    if from == Tree::OUTSIDE {
                        continue;
                    }
                    for edge in edges.iter().filter(|edge| edge.cube.admits(|atom| letter[atom])) {
                        let to = alternative.paths.address(*target as usize * width + edge.target);
                        let what = if to == Tree::OUTSIDE {
                            "a step leaves the set of product states".to_owned()
                        } else {
                            let requirements = &alternative.requirements;
                            let facts = ProductEdge { requirements, marks: &edge.marks, moment, step };
                            match alternative.paths.check(from, to, &facts) {
                                Ok(()) => continue,
                                Err(wrong) => sentence(&wrong),
                            }
                        };
                        let first = number * moment.state.len();
                        let after = &found.targets[first..first + moment.state.len()];
                        return Err(self.wrong(position, Some((*action, after)), &what));
                    }
                }
            }
        }
        Ok(())
    }

    /// What is wrong in a listed state, perhaps with a step that leaves it.
    fn wrong(&self, position: usize, step: Option<(Option<usize>, &[i64])>, what: &str) -> End {
        let instance = self.prepared.instance;
        let mut values = Vec::new();
        self.states.unpack(position, &mut values);
        let before = State(values);
        let target =
            step.map_or_else(Vec::new, |(_, after)| show::changes(instance, &before, &State(after.to_vec())));
        let step = step.map(|(action, _)| show::label(instance, label(action)));
        let state = show::state(instance, &before);
        Flaw::Listed { what: what.to_owned(), state, step, target }.into()
    }
}

pub(crate) fn sentence(wrong: &Wrong) -> String {
    match wrong {
        Wrong::Rises => "a step leads to a block with a higher number".to_owned(),
        Wrong::Premise(block) => format!("a step contradicts the reason of block {block}"),
        Wrong::Remains(block) => format!("a step remains in block {block}, which is not divided any further"),
        Wrong::Fault(fault) => format!("a requirement is a fault: {fault}"),
    }
}

/// The proof is not well formed, or is not one of this task.
fn form(what: &'static str) -> End {
    Flaw::Listed { what: what.to_owned(), state: Vec::new(), step: None, target: Vec::new() }.into()
}
