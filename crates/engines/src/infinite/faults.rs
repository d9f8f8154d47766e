//! Faults: a reachable fault is the answer; otherwise the invariant is strengthened to exclude faults.
//!
//! The states in which an action faults, or an atom of the property or the fairness does, are a set to be reached like any
//! other. If an initial state has a path to it, that path is the counterexample, whatever the property (decision 0003). If
//! none has, the states from which the set cannot be reached are closed under steps and become part of the invariant. A
//! fault in an `init` predicate is only excluded.

use model::answer::Site;
use model::expr::Operator;
use model::property::Kind;
use model::{
    ActionId, Answer, Counterexample, Expr, Fairness, Fault, Instance, Label, Path, Position, Reason,
    semantics,
};
use smt::Formula;

use super::Decision;
use super::demand::decided;
use super::label::Analysis;
use super::oracles::{Oracles, Stop};
use super::program::{PlaceId, Program};
use super::witness::{At, path};

/// The ground predicates of a task that may fault, and what they belong to.
pub(super) fn predicates(instance: &Instance, kind: &Kind, fairness: &Fairness) -> Vec<(Expr, Site)> {
    let property = kind.atoms().into_iter().map(|atom| (atom, Site::Property));
    // An invariant is about all reachable states, and not about fair runs.
    let about_runs = !matches!(kind, Kind::Invariant(_));
    let asked = fairness.alternatives.iter().flat_map(|assumption| &assumption.requirements);
    let asked = asked.filter(|_| about_runs).flat_map(|asked| [&asked.when, &asked.then]);
    let all = property.chain(asked.map(|part| (part, Site::Fairness)));
    all.filter(|(expr, _)| may_fault(instance, expr)).map(|(expr, site)| (expr.clone(), site)).collect()
}

/// Whether a ground expression has a part for which a fault is possible.
fn may_fault(instance: &Instance, expr: &Expr) -> bool {
    expr.any(&mut |part| match part {
        Expr::Read(place) => !matches!(instance.constant_cell(place), Some(Ok(_))),
        Expr::Binary(Operator::Div | Operator::Mod, ..) => true,
        Expr::Min(parts) | Expr::Max(parts) => parts.is_empty(),
        Expr::Taken(_) | Expr::Enabled(_) => {
            part.children().into_iter().any(|child| child.any(&mut |part| matches!(part, Expr::Read(_))))
        }
        _ => false,
    })
}

fn is_about_steps(expr: &Expr) -> bool {
    expr.any(&mut |part| matches!(part, Expr::Taken(_)))
}

impl Decision<'_> {
    /// An invariant in which no fault happens, or the answer if a fault may happen.
    pub(super) fn without_faults(
        &self,
        program: &Program,
        predicates: &[(Expr, Site)],
        mut invariant: Vec<Formula>,
        oracles: &mut Oracles<'_>,
    ) -> Result<Result<Vec<Formula>, Answer>, Stop> {
        let open = || Ok(Err(Answer::Unknown(Reason::PossibleFault)));
        for fault in &program.initial_faults {
            if !oracles.is_empty(fault)? {
                return open();
            }
        }
        let mut faulty = vec![Formula::Bool(false); program.places.len()];
        let of_actions = program.faults.iter().map(|(place, formula, _)| (*place, formula.clone()));
        for (place, formula) in of_actions.chain(self.in_predicates(program, predicates)?) {
            if !oracles.is_empty(&Formula::and([invariant[place].clone(), formula.clone()]))? {
                let Some(fault) = oracles.project(&formula)? else { return open() };
                faulty[place] = Formula::or([faulty[place].clone(), fault]);
            }
        }
        if faulty.iter().all(|set| *set == Formula::Bool(false)) {
            return Ok(Ok(invariant));
        }
        let (alternatives, global) = (vec![Vec::new()], vec![false]);
        let (instance, labelled) = (self.instance, Vec::new());
        let analysis = Analysis {
            instance,
            program,
            invariant: invariant.clone(),
            alternatives,
            global,
            is_product: false,
            labelled,
        };
        let reaching = analysis.reaching(&faulty, oracles)?;
        let mut excluded = true;
        for (place, initial) in &program.initial {
            let may = Formula::and([initial.clone(), reaching.sides.may[*place].clone()]);
            excluded &= oracles.is_empty(&may)?;
            let must = Formula::and([initial.clone(), reaching.sides.must[*place].clone()]);
            if let Some(model) = oracles.model(&must)? {
                let at = At::of(program, *place, &|var| model.value(var));
                if let Some(evidence) =
                    path(&analysis, &reaching, at).and_then(|path| self.fault(predicates, path))
                {
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

    /// The states in which predicates fault.
    fn in_predicates(
        &self,
        program: &Program,
        predicates: &[(Expr, Site)],
    ) -> Result<Vec<(PlaceId, Formula)>, Stop> {
        let mut found = Vec::new();
        for (predicate, _) in predicates {
            if is_about_steps(predicate) {
                for edge in &program.edges {
                    let decided = decided(self.instance, edge, predicate);
                    let fault = program.read(self.instance, edge.source, &decided)?.fault;
                    found.push((edge.source, Formula::and([edge.guard.clone(), fault])));
                }
            } else {
                for place in 0..program.places.len() {
                    found.push((place, program.read(self.instance, place, predicate)?.fault));
                }
            }
        }
        found.retain(|(_, fault)| *fault != Formula::Bool(false));
        Ok(found)
    }

    /// The fault of some action in the last state of a path, or of a predicate there.
    fn fault(&self, predicates: &[(Expr, Site)], path: Path) -> Option<Counterexample> {
        let (instance, state) = (self.instance, &path.last);
        let actions = (0..instance.actions.len() as u32).map(ActionId);
        let outcomes: Vec<_> = actions.map(|id| (id, semantics::successors(instance, state, id))).collect();
        let failed = outcomes.iter().find_map(|(action, result)| {
            let fault = result.as_ref().err().filter(|fault| **fault != Fault::EndlessChoice)?;
            Some((Site::Action(*action), fault.clone()))
        });
        let in_predicate = || {
            let taken = |(id, result): &(ActionId, Result<Vec<_>, _>)| {
                result.as_ref().is_ok_and(|targets| !targets.is_empty()).then_some(Label::Action(*id))
            };
            let mut labels: Vec<Label> = outcomes.iter().filter_map(taken).collect();
            if outcomes.iter().all(|(_, result)| result.as_ref().is_ok_and(Vec::is_empty)) {
                labels.push(Label::Idle);
            }
            predicates.iter().find_map(|(predicate, site)| {
                let fault = if is_about_steps(predicate) {
                    labels.iter().find_map(|label| {
                        let position = Position { state: state.clone(), label: *label };
                        semantics::step_predicate(instance, predicate, &position).err()
                    })
                } else {
                    semantics::state_predicate(instance, predicate, state).err()
                };
                Some((*site, fault?))
            })
        };
        let (site, fault) = failed.or_else(in_predicate)?;
        Some(Counterexample::Fault { path: Some(path), site, fault })
    }
}
