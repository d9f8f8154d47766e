//! Properties of linear time: decides whether an automaton of their violations accepts some fair run.
//!
//! In the [`product`] we label the states from which fair runs begin, as `EG true`; the marks of the automaton are
//! further requirements. With the reference automaton the label is evidence for either verdict. A run that repeats a
//! state is shown as a lasso, any other run by its beginning.

use std::collections::BTreeSet;

use model::{Answer, Automaton, Core, Counterexample, Expr, Labelling, Proof, Reason, Refutation, tableau};
use smt::Formula;

use super::demand::on_edges;
use super::invariant::invariants;
use super::label::{Analysis, EdgeDemand, Goal};
use super::oracles::{Oracles, Stop};
use super::product::product;
use super::program::Program;
use super::witness::{At, Trace, show, unrolled};
use super::{Decision, evidence, inconclusive};

/// The runs that violate a property: an automaton that accepts them if they also meet further `(when, then)` pairs.
pub(super) struct Words<'w> {
    pub(super) automaton: &'w Automaton,
    pub(super) lifted: &'w [(Expr, Expr)],
    /// Whether it is the reference automaton.
    pub(super) reference: bool,
}

impl Decision<'_> {
    /// Decides a property of linear time with the reference automaton, if that is not too large.
    pub(super) fn linear(
        &self,
        program: &Program,
        invariant: &[Formula],
        alternatives: &[Vec<EdgeDemand>],
        oracles: &mut Oracles<'_>,
    ) -> Result<Answer, Stop> {
        let Some(automaton) = tableau::violations(self.instance, &self.task.property.kind) else {
            return Ok(inconclusive());
        };
        let words = Words { automaton: &automaton, lifted: &[], reference: true };
        self.accepted(program, invariant, &words, alternatives, oracles)
    }

    /// Decides whether some fair run is accepted.
    pub(super) fn accepted(
        &self,
        program: &Program,
        system: &[Formula],
        words: &Words<'_>,
        alternatives: &[Vec<EdgeDemand>],
        oracles: &mut Oracles<'_>,
    ) -> Result<Answer, Stop> {
        let product = product(self.instance, program, words.automaton, self.session)?;
        let along =
            |formulas: &[Formula]| product.origin.iter().map(|edge| formulas[*edge].clone()).collect();
        let mut further = product.marks.clone();
        for (when, then) in words.lifted {
            let (when, then) =
                (on_edges(self.instance, program, when)?, on_edges(self.instance, program, then)?);
            further.push(EdgeDemand { when: along(&when), then: along(&then) });
        }
        let alternatives: Vec<Vec<EdgeDemand>> = alternatives
            .iter()
            .map(|demands| {
                let own = demands.iter().map(|d| EdgeDemand { when: along(&d.when), then: along(&d.then) });
                own.chain(further.iter().cloned()).collect()
            })
            .collect();
        let mut atoms = BTreeSet::new();
        let letters = alternatives.iter().flatten().flat_map(|demand| demand.when.iter().chain(&demand.then));
        letters.for_each(|formula| formula.collect_atoms(&mut atoms));
        let mut invariant = invariants(&product.program, &atoms, oracles)?;
        for (own, (place, _)) in invariant.iter_mut().zip(&product.pairs) {
            *own = Formula::and([system[*place].clone(), own.clone()]);
        }
        let mut analysis = Analysis {
            instance: self.instance,
            program: &product.program,
            invariant,
            alternatives,
            global: self.global(),
            is_product: true,
            labelled: Vec::new(),
        };
        let runs = Core::Globally(Box::new(Core::Atom(Expr::Bool(true))));
        let sides = analysis.label(&runs, Goal::OneInitial, oracles)?;
        let mut none = true;
        for (place, initial) in &product.program.initial {
            none &= oracles.is_empty(&Formula::and([initial.clone(), sides.may[*place].clone()]))?;
            let found = Formula::and([initial.clone(), sides.must[*place].clone()]);
            if let Some(model) = oracles.model(&found)? {
                let at = At::of(&product.program, *place, &|var| model.value(var));
                let evidence = || evidence::in_product(program, system, &product, &analysis, true);
                return Ok(Self::accepting(&analysis, &runs, at, || evidence().filter(|_| words.reference)));
            }
        }
        if !none {
            return Ok(inconclusive());
        }
        let proof = evidence::in_product(program, system, &product, &analysis, false)
            .filter(|_| words.reference)
            .map(|labelling| Proof::Labelling(Box::new(labelling)));
        Ok(Answer::Holds(proof.unwrap_or(Proof::Exhaustive)))
    }

    /// The counterexample of a fair run that begins in a state of a product: the run itself if it is periodic,
    /// otherwise labels with its beginning.
    fn accepting(
        analysis: &Analysis<'_>,
        runs: &Core,
        at: At,
        labelling: impl Fn() -> Option<Labelling>,
    ) -> Answer {
        let mut trace = Trace::default();
        let lasso = show(analysis, runs, true, at.clone(), &mut trace).and_then(|_| trace.lasso(analysis));
        if let Some(lasso) = lasso {
            return Answer::Fails(Counterexample::Lasso(lasso));
        }
        let label = analysis.labelled.iter().find(|labelled| labelled.formula == *runs);
        let run = label.and_then(|label| unrolled(analysis, label, at));
        let refutation = run.and_then(|run| {
            let state = run.positions.first().map_or(&run.last, |position| &position.state).clone();
            Some(Refutation { state, labelling: labelling()?, run: Some(run) })
        });
        match refutation {
            Some(refutation) => Answer::Fails(Counterexample::Labelling(Box::new(refutation))),
            None => Answer::Unknown(Reason::NoEvidence),
        }
    }
}
