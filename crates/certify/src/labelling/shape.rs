//! Checks that a labelling is well formed. Evidence may be garbage and is refused before it is used.
//!
//! Lists have the right lengths, numbers are in range, places fix the same cells and exclude each other, and
//! expressions read only cells: no indices, parameters or events.

use model::automaton::Automaton;
use model::instance::Instance;
use model::labelling::{Argument, Label as SidedLabel, Labelling, Move, Product};
use model::{Core, Expr, Label, Place};

use super::fair;
use crate::flaw::Flaw;

/// Reports the first error in the form of a labelling.
pub(super) fn examine(
    instance: &Instance,
    labelling: &Labelling,
    alternatives: &[usize],
) -> Result<(), Flaw> {
    let examiner = Examiner { instance, places: labelling.places.len(), alternatives };
    let cells = |known: &[(usize, i64)]| known.iter().map(|(cell, _)| *cell).collect::<Vec<_>>();
    let first = labelling.places.first().map(|known| cells(known)).unwrap_or_default();
    ensure(first.is_sorted() && first.windows(2).all(|pair| pair[0] < pair[1]), "the cells of a place")?;
    ensure(first.iter().all(|cell| *cell < instance.cells.len()), "the cells of a place")?;
    ensure(labelling.places.iter().all(|known| cells(known) == first), "the cells of a place")?;
    let mut sorted = labelling.places.clone();
    sorted.sort();
    ensure(sorted.windows(2).all(|pair| pair[0] != pair[1]), "a place that is there twice")?;
    examiner.set(&labelling.invariant)?;
    labelling.labels.iter().try_for_each(|label| examiner.label(label))
}

/// Reports the first error in the form of a product. `places` is the number of places of the system.
pub(super) fn examine_product(
    instance: &Instance,
    product: &Product,
    places: usize,
    automaton: &Automaton,
    alternatives: &[usize],
) -> Result<(), Flaw> {
    let examiner = Examiner { instance, places: product.places.len(), alternatives };
    let mut sorted = product.places.clone();
    sorted.sort_unstable();
    ensure(sorted.windows(2).all(|pair| pair[0] != pair[1]), "a place that is there twice")?;
    let known = |(place, state): &(usize, usize)| *place < places && *state < automaton.states.len();
    ensure(sorted.iter().all(known), "a place of the product")?;
    examiner.set(&product.invariant)?;
    examiner.label(&product.label)?;
    ensure(product.label.formula == fair(), "the label of a product")?;
    let path = &product.label.path;
    let moves = path.cycles.iter().flat_map(|cycle| &cycle.moves).chain(path.layers.iter().flatten());
    for movement in moves {
        let (_, state) = product.places[movement.place];
        ensure(movement.reading < automaton.states[state].len(), "the edge that reads a move")?;
    }
    Ok(())
}

struct Examiner<'a> {
    instance: &'a Instance,
    places: usize,
    /// Per alternative of the fairness, the number of its demands.
    alternatives: &'a [usize],
}

impl Examiner<'_> {
    fn label(&self, label: &SidedLabel) -> Result<(), Flaw> {
        self.core(&label.formula)?;
        self.set(&label.must)?;
        self.set(&label.may)?;
        for cycle in &label.path.cycles {
            ensure(cycle.alternative < self.alternatives.len(), "the alternative of a cycle")?;
            ensure(!cycle.moves.is_empty(), "a cycle without moves")?;
        }
        let cycles = label.path.cycles.iter().flat_map(|cycle| &cycle.moves);
        cycles.chain(label.path.layers.iter().flatten()).try_for_each(|movement| self.movement(movement))?;
        let open = label.may.iter().all(|set| *set == Expr::Bool(true));
        // What is to be true infinitely often is a further demand each.
        let more = match &label.formula {
            Core::Infinitely(parts) => parts.len(),
            _ => 0,
        };
        if matches!(label.formula, Core::Globally(_) | Core::Infinitely(_)) && !open {
            ensure(label.arguments.len() == self.alternatives.len(), "the number of lists of arguments")?;
        }
        for (arguments, requirements) in label.arguments.iter().zip(self.alternatives) {
            for argument in arguments {
                match argument {
                    Argument::Rank(ranks) => self.set(ranks)?,
                    Argument::Nested { places, functions } => {
                        self.subset(places)?;
                        for function in functions {
                            ensure(function.len() == places.len(), "the length of a nested rank")?;
                            function.iter().try_for_each(|expr| self.expr(expr))?;
                        }
                    }
                    Argument::Requirement { within, requirement } => {
                        self.set(within)?;
                        ensure(*requirement < *requirements + more, "the number of a requirement")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn movement(&self, movement: &Move) -> Result<(), Flaw> {
        ensure(movement.place < self.places && movement.target < self.places, "the place of a move")?;
        if let Some(Label::Action(action)) = movement.step {
            ensure((action.0 as usize) < self.instance.actions.len(), "the action of a move")?;
        }
        self.expr(&movement.states)?;
        movement.rank.iter().try_for_each(|rank| self.expr(rank))?;
        movement.choices.iter().try_for_each(|choice| self.expr(choice))
    }

    fn subset(&self, places: &[usize]) -> Result<(), Flaw> {
        let known = places.iter().all(|place| *place < self.places);
        ensure(known && places.windows(2).all(|pair| pair[0] < pair[1]), "the places of an argument")
    }

    /// A set has one expression per place.
    fn set(&self, set: &[Expr]) -> Result<(), Flaw> {
        ensure(set.len() == self.places, "the number of places of a set")?;
        set.iter().try_for_each(|expr| self.expr(expr))
    }

    fn core(&self, formula: &Core) -> Result<(), Flaw> {
        match formula {
            Core::Atom(atom) => self.expr(atom),
            Core::Not(a) | Core::Next(a) | Core::Globally(a) => self.core(a),
            Core::And(parts) | Core::Or(parts) | Core::Infinitely(parts) => {
                parts.iter().try_for_each(|part| self.core(part))
            }
            Core::Until(a, b) => self.core(a).and_then(|()| self.core(b)),
        }
    }

    fn expr(&self, expr: &Expr) -> Result<(), Flaw> {
        let strange = expr.any(&mut |part| match part {
            Expr::Read(place) => !self.is_place(place),
            Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Quantified(..)
            | Expr::Taken(_)
            | Expr::Enabled(_) => true,
            _ => false,
        });
        ensure(!strange, "an expression that reads more than cells")
    }

    fn is_place(&self, place: &Place) -> bool {
        let system = &self.instance.system;
        let Some(variable) = system.variables.get(place.variable.0 as usize) else { return false };
        let indexed = variable.owner.is_some_and(|family| system.family(family).index.is_some());
        variable.kind.dimensions.len() == place.position.len() && indexed == place.process.is_some()
    }
}

fn ensure(condition: bool, what: &'static str) -> Result<(), Flaw> {
    if condition { Ok(()) } else { Err(Flaw::Malformed(what)) }
}
