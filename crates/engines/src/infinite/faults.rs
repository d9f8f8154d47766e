//! Faults: a reachable fault is the answer; otherwise the invariant is strengthened to exclude faults.
//!
//! The states in which an action faults are a set to be reached like any other. If an initial state has a path to it,
//! that path is the counterexample, whatever the property (decision 0003). If none has, the states from which the set
//! cannot be reached are closed under steps and become part of the invariant.

use model::answer::Site;
use model::{ActionId, Answer, Counterexample, Fault, Path, Reason, semantics};
use smt::Formula;

use super::Decision;
use super::label::Analysis;
use super::oracles::{Oracles, Stop};
use super::program::Program;
use super::witness::{At, path};

impl Decision<'_> {
    /// An invariant in which no fault happens, or the answer if a fault may happen.
    pub(super) fn without_faults(
        &self,
        program: &Program,
        mut invariant: Vec<Formula>,
        oracles: &mut Oracles<'_>,
    ) -> Result<Result<Vec<Formula>, Answer>, Stop> {
        let open = || Ok(Err(Answer::Unknown(Reason::PossibleFault)));
        let mut faulty = vec![Formula::Bool(false); program.places.len()];
        for (place, formula, _) in &program.faults {
            if !oracles.is_empty(&Formula::and([invariant[*place].clone(), formula.clone()]))? {
                let Some(fault) = oracles.project(formula)? else { return open() };
                faulty[*place] = Formula::or([faulty[*place].clone(), fault]);
            }
        }
        if faulty.iter().all(|set| *set == Formula::Bool(false)) {
            return Ok(Ok(invariant));
        }
        let alternatives = vec![Vec::new()];
        let (instance, labelled) = (self.instance, Vec::new());
        let analysis = Analysis { instance, program, invariant: invariant.clone(), alternatives, labelled };
        let reaching = analysis.reaching(&faulty, oracles)?;
        let mut excluded = true;
        for (place, initial) in &program.initial {
            let may = Formula::and([initial.clone(), reaching.sides.may[*place].clone()]);
            excluded &= oracles.is_empty(&may)?;
            let must = Formula::and([initial.clone(), reaching.sides.must[*place].clone()]);
            if let Some(model) = oracles.model(&must)? {
                let at = At::of(program, *place, &|var| model.value(var));
                if let Some(evidence) = path(&analysis, &reaching, at).and_then(|path| self.fault(path)) {
                    return Ok(Err(Answer::Fails(evidence)));
                }
            }
        }
        if !excluded {
            return open();
        }
        // The states from which no fault can be reached contain all initial states and are closed under steps.
        for (own, may) in invariant.iter_mut().zip(&reaching.sides.may) {
            *own = Formula::and([own.clone(), may.negated()]);
        }
        Ok(Ok(invariant))
    }

    /// The fault of some action in the last state of a path.
    fn fault(&self, path: Path) -> Option<Counterexample> {
        let actions = (0..self.instance.actions.len() as u32).map(ActionId);
        let (action, fault) = actions
            .filter_map(|action| {
                Some((action, semantics::successors(self.instance, &path.last, action).err()?))
            })
            .find(|(_, fault)| *fault != Fault::EndlessChoice)?;
        Some(Counterexample::Fault { path: Some(path), site: Site::Action(action), fault })
    }
}
