//! The infinite engine: programs over unbounded integers, by ranking functions and recurrent sets.
//!
//! A task becomes a graph of places and edges with linear guards and updates ([`program`]), and we compute an
//! [`invariant`]. A property of branching time is labelled from two sides ([`label`]), following [CKP15] but without
//! its one-sided approximations: where the two sides differ, the answer is *unknown*, never *fails*. A property of
//! linear time is treated as one of branching time where that is equivalent, and otherwise as a question about fair
//! runs of a product ([`product`]). To show that no fair run stays in a set we remove steps ([`rank`]); to show that
//! one does, we find closed sets ([`recur`]). A periodic run is shown as a lasso ([`witness`]).
//!
//! `int` means all integers here: an overflow of 64 bits, which is a fault where states are enumerated, does not
//! exist (decision 0018). Other faults do, and a property holds only if none is reachable. The problem is
//! undecidable, so the engine is incomplete. Strong global fairness is met by runs that never come back to a state, and by
//! those that nothing can lead elsewhere ([`global`]); it is used for nothing else, but a property of all runs that holds
//! without it holds with it. Searches are limited by numbers of rounds, so that answers do not depend
//! on the clock.

use std::collections::BTreeSet;
use std::sync::Arc;

use automata::lift;
use model::property::Kind;
use model::{
    Answer, Assumption, Core, Counterexample, Expr, Formula as Ltl, Instance, Lasso, Proof, Reason, Refusal,
    RefusalKind, Refutation, Session, State, Task, ground, semantics,
};
use smt::{Formula, Solvers};

use self::demand::{demands, on_edges};
use self::invariant::invariants;
use self::label::{Analysis, EdgeDemand, Goal};
use self::linear::Words;
use self::oracles::{Oracles, Stop};
use self::product::branching;
use self::program::{Program, program};
use self::witness::{At, Trace, go_on, show, truth};
use crate::encoding::ranges::one_instance;
use crate::translation::translated;
use crate::turns::Turns;
use crate::{Engine, Prepared};

mod accelerate;
mod cases;
mod closed;
mod concrete;
mod demand;
mod equations;
mod evidence;
mod expression;
mod farkas;
mod faults;
mod global;
mod invariant;
mod label;
mod linear;
mod merge;
mod moves;
mod oracles;
mod pieces;
mod product;
mod program;
mod project;
mod rank;
mod reach;
mod recur;
#[cfg(test)]
mod reference;
mod returning;
mod size;
mod trim;
mod walk;
mod witness;

/// The stack of the worker thread. Expressions are walked recursively, and may be a thousand levels deep.
const STACK: usize = 64 << 20;

/// The infinite engine.
#[derive(Clone, Debug)]
pub struct Infinite {
    /// How solvers are started.
    pub solvers: Solvers,
    /// Whether to also accept tasks without unbounded variables.
    pub finite: bool,
    /// Whether evidence has both sides of every label, also those that the answer does not need.
    pub both_sides: bool,
}

impl Engine for Infinite {
    fn name(&self) -> &'static str {
        "infinite"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let instance = one_instance(task)?;
        let is_global = |assumption: &Assumption| assumption.global;
        let global = !matches!(task.property.kind, Kind::Invariant(_))
            && task.fairness.alternatives.iter().any(is_global);
        if instance.is_bounded() && !self.finite {
            return Err(Refusal::of(RefusalKind::Bounded));
        }
        let (task, instance, solvers) = (task.clone(), Arc::clone(instance), self.solvers.clone());
        let both_sides = self.both_sides;
        let mut without = task.clone();
        without.fairness.alternatives.iter_mut().for_each(|assumption| assumption.global = false);
        let of_all_runs = task.property.kind.is_of_all_runs();
        Ok(Box::new(Turns::new(STACK, move |session: &Session<'_>| {
            let stop = || (session.stop)().is_some();
            let decided = |task: &Task, both_sides: bool| {
                let decision = Decision { task, instance: &instance, session, both_sides };
                let answer = decision.decide(&solvers, &stop);
                match answer.unwrap_or_else(|stop| Answer::Unknown(stop.into())) {
                    // The requirements alone were looked at when the loop was closed.
                    Answer::Fails(Counterexample::Lasso(lasso)) if global && !decision.is_fair(&lasso) => {
                        Answer::Unknown(Reason::NoEvidence)
                    }
                    answer => answer,
                }
            };
            if !global || !of_all_runs {
                return decided(&task, both_sides);
            }
            // Where a formula is sure to be false without it, a run shows that, which need not be fair with it.
            match decided(&without, false) {
                // A run that is fair without it need not be fair with it.
                Answer::Fails(found) if !matches!(found, Counterexample::Fault { .. }) => {
                    match decided(&task, both_sides) {
                        Answer::Unknown(reason) if reason.stop().is_none() => {
                            Answer::Unknown(Reason::Refused(Refusal::of(RefusalKind::Global)))
                        }
                        answer => answer,
                    }
                }
                answer => answer,
            }
        })))
    }
}

/// A task to decide.
struct Decision<'t> {
    task: &'t Task,
    instance: &'t Instance,
    session: &'t Session<'t>,
    both_sides: bool,
}

impl Decision<'_> {
    fn decide(&self, solvers: &Solvers, stop: &(dyn Fn() -> bool + Sync)) -> Result<Answer, Stop> {
        size::check(self.instance, self.task)?;
        let mut program = program(self.instance, self.session)?;
        self.session.count("locations", program.places.len() as u64);
        self.session.count("edges", program.edges.len() as u64);
        let mut oracles = Oracles::new(solvers, stop, self.session, program.cells)?;
        program.resolve(|var, condition| oracles.some(var, condition))?;
        let answer = self.within(&program, &mut oracles);
        self.session.count("solver queries", oracles.queries());
        self.session.count("solver milliseconds", oracles.waited().as_millis() as u64);
        answer
    }

    fn within(&self, program: &Program, oracles: &mut Oracles<'_>) -> Result<Answer, Stop> {
        let kind = ground::kind(self.instance, &self.task.property.kind);
        let fairness = ground::fairness(self.instance, &self.task.fairness);
        let mut alternatives = Vec::new();
        for assumption in &fairness.alternatives {
            alternatives.push(demands(self.instance, program, assumption)?);
        }
        let invariant = invariants(program, &self.atoms(program, &kind, &alternatives)?, oracles)?;
        let predicates = faults::predicates(self.instance, &kind, &fairness);
        let invariant = match self.without_faults(program, &predicates, invariant, oracles)? {
            Ok(invariant) => invariant,
            Err(answer) => return Ok(answer),
        };
        let analysis = |alternatives| Analysis {
            instance: self.instance,
            program,
            invariant: invariant.clone(),
            alternatives,
            global: self.global(),
            is_product: false,
            labelled: Vec::new(),
        };
        match &kind {
            Kind::Invariant(predicate) => {
                let bad = Core::Not(Box::new(Core::Atom(predicate.clone())));
                let reach = Core::Until(Box::new(Core::Atom(Expr::Bool(true))), Box::new(bad));
                let mut analysis = Analysis { global: vec![false], ..analysis(vec![Vec::new()]) };
                self.branching(&mut analysis, &Core::Not(Box::new(reach)), oracles)
            }
            Kind::Ctl(formula) => self.branching(&mut analysis(alternatives), &Core::of(formula), oracles),
            Kind::Ltl(formula) => {
                let branching =
                    branching(formula).filter(|_| fairness.is_none() || formula.is_true_without_runs());
                if let Some(formula) = branching {
                    return self.branching(&mut analysis(alternatives), &Core::of(&formula), oracles);
                }
                let answer = self.linear(program, &invariant, &alternatives, oracles)?;
                if !matches!(answer, Answer::Unknown(_)) {
                    return Ok(answer);
                }
                let (lifted, rest) = lift(&Ltl::Not(Box::new(formula.clone())));
                let automaton = translated(&rest, self.session).map_err(Stop::Stopped)?;
                let words = Words { automaton: &automaton, lifted: &lifted, reference: false };
                self.accepted(program, &invariant, &words, &alternatives, oracles)
            }
            Kind::Never(_) => self.linear(program, &invariant, &alternatives, oracles),
        }
    }

    /// The atoms of property and fairness, as candidates for invariants.
    fn atoms(
        &self,
        program: &Program,
        kind: &Kind,
        alternatives: &[Vec<EdgeDemand>],
    ) -> Result<BTreeSet<Formula>, Stop> {
        let mut atoms = BTreeSet::new();
        for expr in kind.atoms() {
            let mut seen = BTreeSet::new();
            for formula in on_edges(self.instance, program, expr)? {
                if seen.insert(formula.clone()) {
                    formula.collect_atoms(&mut atoms);
                }
            }
        }
        for demand in alternatives.iter().flatten() {
            demand.when.iter().chain(&demand.then).for_each(|formula| formula.collect_atoms(&mut atoms));
        }
        Ok(atoms)
    }

    /// Decides a formula of branching time. If labels are wanted, we first look for all states where it is true.
    fn branching(
        &self,
        analysis: &mut Analysis<'_>,
        formula: &Core,
        oracles: &mut Oracles<'_>,
    ) -> Result<Answer, Stop> {
        if self.both_sides {
            let answer = self.labelled(analysis, formula, Goal::AllStates, oracles)?;
            if !matches!(answer, Answer::Unknown(_)) {
                return Ok(answer);
            }
            analysis.labelled.clear();
        }
        self.labelled(analysis, formula, Goal::AllInitial, oracles)
    }

    fn labelled(
        &self,
        analysis: &mut Analysis<'_>,
        formula: &Core,
        goal: Goal,
        oracles: &mut Oracles<'_>,
    ) -> Result<Answer, Stop> {
        let sides = analysis.label(formula, goal, oracles)?;
        let mut holds = true;
        for (place, initial) in &analysis.program.initial {
            holds &= oracles.implies(initial, &sides.must[*place])?;
            let refuting = Formula::and([initial.clone(), sides.may[*place].negated()]);
            if let Some(model) = oracles.model(&refuting)? {
                let at = At::of(analysis.program, *place, &|var| model.value(var));
                return Ok(self.refuted(analysis, formula, &at));
            }
        }
        if holds {
            let proof = evidence::labelling(analysis, formula, true, self.both_sides)
                .map(|labelling| Proof::Labelling(Box::new(labelling)));
            return Ok(Answer::Holds(proof.unwrap_or(Proof::Exhaustive)));
        }
        Ok(inconclusive())
    }

    /// Whether the cycle of a lasso meets an alternative of the fairness.
    fn is_fair(&self, lasso: &Lasso) -> bool {
        let cycle = &lasso.positions[lasso.cycle.min(lasso.positions.len())..];
        let happens = |predicate: &Expr| {
            cycle
                .iter()
                .any(|position| semantics::step_predicate(self.instance, predicate, position) == Ok(true))
        };
        let fairness = ground::fairness(self.instance, &self.task.fairness);
        fairness.alternatives.iter().any(|assumption| {
            let met =
                assumption.requirements.iter().all(|asked| !happens(&asked.when) || happens(&asked.then));
            met && (!assumption.global || global::is_covered(self.instance, lasso))
        })
    }

    /// Per alternative of the fairness, whether it asks for strong global fairness.
    fn global(&self) -> Vec<bool> {
        self.task.fairness.alternatives.iter().map(|assumption| assumption.global).collect()
    }

    /// The answer for an initial state that violates a formula, with a run that shows it if there is one.
    fn refuted(&self, analysis: &mut Analysis<'_>, formula: &Core, at: &At) -> Answer {
        debug_assert!(truth(analysis, formula, false, at), "the state is outside the label");
        let state =
            at.values.iter().map(|value| i64::try_from(*value).ok()).collect::<Option<_>>().map(State);
        let mut trace = Trace::default();
        let end = show(analysis, formula, false, at.clone(), &mut trace);
        let run = end.filter(|_| !trace.is_part()).and_then(|end| {
            if matches!(self.task.property.kind, Kind::Invariant(_)) {
                return trace.path(analysis.program, &end).map(Counterexample::Path);
            }
            if !trace.is_lasso() {
                go_on(analysis.program, end, &mut trace)?;
            }
            // The path to the violation was continued by arbitrary steps, which need not be fair.
            trace.lasso(analysis).filter(|lasso| self.is_fair(lasso)).map(Counterexample::Lasso)
        });
        let all_runs = match &self.task.property.kind {
            Kind::Ctl(formula) => formula.of_all_runs().is_some(),
            _ => true,
        };
        if let Some(evidence) = run.filter(|_| all_runs && !self.both_sides) {
            return Answer::Fails(evidence);
        }
        // If no state comes back, the run is shown up to its cycle and a few rounds on; if no run alone refutes the formula,
        // up to a state where labels do.
        let mut trace = Trace::beginning();
        let shown = show(analysis, formula, false, at.clone(), &mut trace);
        let run = shown.and_then(|end| trace.path(analysis.program, &end));
        match (evidence::labelling(analysis, formula, false, self.both_sides), state) {
            (Some(labelling), Some(state)) => {
                let refutation = Refutation { state, labelling, run };
                return Answer::Fails(Counterexample::Labelling(Box::new(refutation)));
            }
            (None, Some(state)) if matches!(self.task.property.kind, Kind::Ctl(_)) => {
                return Answer::Fails(Counterexample::State(state));
            }
            _ => {}
        }
        Answer::Unknown(Reason::NoEvidence)
    }
}

fn inconclusive() -> Answer {
    Answer::Unknown(Reason::NoRanking)
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Stopped(stop) => Reason::stopped(stop),
            Stop::TooManyQueries(limit) => {
                Reason::TooLarge { what: format!("it takes more than {limit} queries of solvers") }
            }
            Stop::Overflow => Reason::Other("numbers became too large to compute with".to_owned()),
            Stop::Absent(why) => Reason::NoSolver { why },
            Stop::Unsupported(what) => Reason::NotLinear { what },
        }
    }
}
