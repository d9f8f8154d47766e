//! Judges two-sided labels ([`model::labelling`]). Each premise becomes a formula without quantifiers that must have no
//! model, and two solvers that share no code are asked.
//!
//! The judge trusts nothing in the evidence. Its sets are expressions over the cells. The judge itself executes the
//! system's steps on symbolic states; what the evidence says about a step (its action and choices) is only a suggestion
//! of which step to consider. A premise is shown if *both* solvers find no model of its negation. If one finds a model,
//! the evidence is wrong, and the [`Flaw`] says which premise is false. If a solver is missing or does not know, or an
//! expression is beyond linear arithmetic, the answer remains claimed.
//!
//! The premises are those of the table in [`model::labelling`]. All assume the invariant and the ranges of the cells,
//! which hold in every reachable state. The first premises show this, and that no fault happens in those states.

mod arguments;
mod chosen;
mod effect;
mod linear;
mod paths;
mod product;
mod shape;
mod steps;
mod terms;
mod two_solvers;

use arith::{Linear, Overflow};
use model::automaton::Automaton;
use model::instance::{Environment, Start};
use model::labelling::{Label as SidedLabel, Labelling, Refutation};
use model::property::Kind;
use model::{Core, Expr, Fairness, Instance, Label, Requirement, Task, ground};
use smt::{Formula, Solvers};

pub(crate) use self::chosen::suggestions;
pub use self::effect::effect;
use self::linear::{is_deterministic, root};
use self::steps::{Step, steps};
use self::terms::{ReadError, Reader, Store};
use self::two_solvers::TwoSolvers;
use crate::end::{End, undecided};
use crate::flaw::Flaw;
use crate::limits::Limits;
use crate::replay::Replay;

impl From<Overflow> for End {
    fn from(_: Overflow) -> End {
        undecided("a number that is too large")
    }
}

impl From<ReadError> for End {
    fn from(error: ReadError) -> End {
        match error {
            ReadError::Unsupported(what) => undecided(what),
            ReadError::Stopped(stop) => stop.into(),
        }
    }
}

/// Judges whether a labelling shows that the property of a task holds.
pub(crate) fn holds(
    task: &Task,
    instance: &Instance,
    labelling: &Labelling,
    solvers: &Solvers,
    limits: &Limits<'_>,
) -> Result<(), End> {
    let stop = limits.stop();
    let stop = || stop().is_some();
    let mut judge = LabelJudge::new(task, instance, labelling, solvers, limits, &stop)?;
    if let Some(product) = &labelling.product {
        return judge.in_product(task, product)?.accepts_nothing();
    }
    let root = root(instance, &task.property.kind).ok_or_else(no_labels)?;
    judge.premises()?;
    let store = Store::at(instance.cells.len(), &[]);
    let outside = Formula::and([judge.initial(&store)?, judge.must(&root, &store)?.negated()]);
    judge.two_solvers.impossible(&outside, "every initial state is in the label of the property")
}

/// Judges whether a labelling shows that the property of a task fails in an initial state.
pub(crate) fn fails(
    replay: &Replay<'_>,
    task: &Task,
    refutation: &Refutation,
    solvers: &Solvers,
) -> Result<(), End> {
    let Replay { instance, limits, .. } = *replay;
    let Refutation { state, labelling, run } = refutation;
    replay.first(state)?;
    if let Some(run) = run {
        replay.path(run)?;
        if run.positions.first().map_or(&run.last, |position| &position.state) != state {
            return Err(premise("the run begins in the initial state"));
        }
    }
    let stop = limits.stop();
    let stop = || stop().is_some();
    let mut judge = LabelJudge::new(task, instance, labelling, solvers, limits, &stop)?;
    if let Some(product) = &labelling.product {
        let judge = judge.in_product(task, product)?;
        return judge.accepts(state, run.as_ref(), &product.label);
    }
    if let Kind::Ltl(formula) = ground::kind(instance, &task.property.kind) {
        // Otherwise a refutation of the branching-time formula does not refute the property.
        let same = is_deterministic(&formula) && (task.fairness.is_none() || formula.is_true_without_runs());
        if !same {
            return Err(premise("the labels are those of a formula that means the same"));
        }
    }
    let root = root(instance, &task.property.kind).ok_or_else(no_labels)?;
    judge.premises()?;
    let known: Vec<(usize, i64)> = state.0.iter().copied().enumerate().collect();
    match judge.may(&root, &Store::at(instance.cells.len(), &known))? {
        Formula::Bool(false) => Ok(()),
        _ => Err(premise("the label of the property leaves out the initial state")),
    }
}

fn no_labels() -> End {
    undecided("a property that has no labels")
}

fn premise(what: impl Into<String>) -> End {
    End::Flaw(Flaw::Unshown(what.into()))
}

/// A labelling under examination, of the system or of a product.
struct LabelJudge<'a> {
    instance: &'a Instance,
    limits: &'a Limits<'a>,
    labels: &'a [SidedLabel],
    /// Per place, the invariant.
    invariant: Vec<Expr>,
    /// The alternatives of the fairness, ground. In a product the marks follow the requirements.
    alternatives: Vec<Vec<Demand>>,
    /// Per alternative, whether it also asks for strong global fairness.
    global: Vec<bool>,
    /// The atoms of the property and the fairness, ground. None may fault in a reachable state.
    predicates: Vec<Expr>,
    /// Whether every run is fair.
    all_fair: bool,
    two_solvers: TwoSolvers<'a>,
    places: Vec<Place>,
    /// In a product, the reference automaton.
    automaton: Option<Automaton>,
}

/// A place and its steps.
#[derive(Clone)]
struct Place {
    /// The cells it fixes.
    known: Vec<(usize, i64)>,
    /// Its symbolic state.
    store: Store,
    /// The steps that leave it.
    steps: Vec<Step>,
}

/// A demand on fair runs.
#[derive(Clone)]
enum Demand {
    /// `GF when -> GF then`.
    Requirement(Requirement),
    /// The automaton takes edges with this mark infinitely often.
    Mark(usize),
    /// This is true infinitely often, by its `must` or, if not, by its `may`.
    Again(Core, bool),
}

impl<'a> LabelJudge<'a> {
    fn new(
        task: &Task,
        instance: &'a Instance,
        labelling: &'a Labelling,
        solvers: &'a Solvers,
        limits: &'a Limits<'a>,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<LabelJudge<'a>, End> {
        let fairness = match task.property.kind {
            // An invariant is claimed of all reachable states, even those without a fair run.
            Kind::Invariant(_) => Fairness::none(),
            _ => ground::fairness(instance, &task.fairness),
        };
        // Sets that contain all fair runs are judged without strong global fairness, which only rules runs out.
        let global = fairness.alternatives.iter().map(|alternative| alternative.global).collect();
        let all_fair = fairness.is_none();
        let kind = ground::kind(instance, &task.property.kind);
        let asked = fairness.alternatives.iter().flat_map(|alternative| &alternative.requirements);
        let asked = asked.flat_map(|requirement| [&requirement.when, &requirement.then]);
        let predicates = kind.atoms().into_iter().chain(asked).cloned().collect();
        let requirements = |alternative: model::Assumption| {
            alternative.requirements.into_iter().map(Demand::Requirement).collect()
        };
        let alternatives: Vec<Vec<Demand>> = fairness.alternatives.into_iter().map(requirements).collect();
        let demands: Vec<usize> = alternatives.iter().map(Vec::len).collect();
        shape::examine(instance, labelling, &demands).map_err(End::Flaw)?;
        let mut places = Vec::new();
        for known in &labelling.places {
            let store = Store::at(instance.cells.len(), known);
            places.push(Place { known: known.clone(), store, steps: Vec::new() });
        }
        let two_solvers = TwoSolvers::open(solvers, stop, limits)?;
        let invariant = labelling.invariant.clone();
        let labels = &labelling.labels;
        Ok(LabelJudge {
            instance,
            limits,
            labels,
            invariant,
            alternatives,
            global,
            predicates,
            all_fair,
            two_solvers,
            places,
            automaton: None,
        })
    }

    /// Shows everything that the labels rely on.
    fn premises(&mut self) -> Result<(), End> {
        self.invariant()?;
        for label in self.labels {
            self.label(label)?;
        }
        Ok(())
    }

    /// Shows that the invariant contains the initial states and is closed under steps, and that no fault happens in it.
    fn invariant(&mut self) -> Result<(), End> {
        let anywhere = Store::at(self.instance.cells.len(), &[]);
        let outside =
            Formula::and([self.initial(&anywhere)?, self.inside(&self.invariant, &anywhere)?.negated()]);
        self.two_solvers.impossible(&outside, "the invariant contains every initial state")?;
        self.two_solvers.impossible(&self.initial_fault(&anywhere)?, "no initial predicate faults")?;
        for place in 0..self.places.len() {
            let (steps, faults) = steps(self.instance, &self.places[place].store, self.limits)?;
            let here = self.here(place)?;
            for fault in self.predicate_faults(&self.places[place].store, &steps)? {
                let reached = Formula::and([here.clone(), fault]);
                self.two_solvers.impossible(&reached, "no predicate faults in a reachable state")?;
            }
            for fault in faults {
                let reached = Formula::and([here.clone(), fault.when]);
                match self.two_solvers.impossible(&reached, "no fault is reachable") {
                    Err(End::Flaw(_)) if !fault.is_sure => {
                        return Err(undecided("a value for every choice was not found"));
                    }
                    other => other?,
                }
            }
            self.places[place].steps = steps;
        }
        self.is_closed()
    }

    /// The conditions under which the atoms of the property or the fairness fault, in a state or on a step that leaves it.
    fn predicate_faults(&self, store: &Store, steps: &[Step]) -> Result<Vec<Formula>, ReadError> {
        let mut faults = Vec::new();
        for predicate in &self.predicates {
            if predicate.any(&mut |part| matches!(part, Expr::Taken(_))) {
                for step in steps {
                    let reader = Reader::new(self.instance, store, self.limits).on_step(step.label);
                    reader.truth(predicate, &mut Environment::default())?;
                    faults.push(Formula::and([step.when.clone(), reader.fault()]));
                }
            } else {
                let reader = Reader::new(self.instance, store, self.limits);
                reader.truth(predicate, &mut Environment::default())?;
                faults.push(reader.fault());
            }
        }
        faults.retain(|fault| *fault != Formula::Bool(false));
        Ok(faults)
    }

    /// Shows that no step leads out of the invariant.
    fn is_closed(&mut self) -> Result<(), End> {
        for place in 0..self.places.len() {
            let here = self.here(place)?;
            for step in &self.places[place].steps {
                let left = self.inside(&self.invariant, &step.next)?.negated();
                let leaving = Formula::and([here.clone(), step.when.clone(), left]);
                self.two_solvers.impossible(&leaving, "the invariant is closed under steps")?;
            }
        }
        Ok(())
    }

    fn label(&mut self, label: &SidedLabel) -> Result<(), End> {
        if label.must.iter().any(|set| *set != Expr::Bool(false)) {
            self.with_demands(&label.formula, true, |judge| judge.must_label(label))?;
        }
        if label.may.iter().all(|set| *set == Expr::Bool(true)) {
            return Ok(());
        }
        self.with_demands(&label.formula, false, |judge| judge.may_label(label))
    }

    /// Judges a side of a label with the demands that its formula adds to every alternative of the fairness.
    fn with_demands(
        &mut self,
        formula: &Core,
        must: bool,
        judged: impl FnOnce(&mut Self) -> Result<(), End>,
    ) -> Result<(), End> {
        let Core::Infinitely(parts) = formula else { return judged(self) };
        let demands = || parts.iter().map(|part| Demand::Again(part.clone(), must));
        self.alternatives.iter_mut().for_each(|alternative| alternative.extend(demands()));
        let result = judged(self);
        for alternative in &mut self.alternatives {
            alternative.truncate(alternative.len() - parts.len());
        }
        result
    }

    fn may_label(&mut self, label: &SidedLabel) -> Result<(), End> {
        match &label.formula {
            Core::Next(a) => self.may_next(label, a),
            Core::Until(a, b) => self.may_until(label, a, b),
            Core::Globally(a) => self.may_globally(label, a),
            Core::Infinitely(_) => self.may_globally(label, &Core::Atom(Expr::Bool(true))),
            _ => Err(premise("a label belongs to an existential operator")),
        }
    }

    /// Shows that a state outside of `may` has no step to a state where the operand may be true.
    fn may_next(&mut self, label: &SidedLabel, a: &Core) -> Result<(), End> {
        for place in 0..self.places.len() {
            let Place { store, steps, .. } = self.places[place].clone();
            let outside = Formula::and([self.here(place)?, self.inside(&label.may, &store)?.negated()]);
            for step in &steps {
                let there = Formula::and([self.may(a, &step.next)?, self.may_be_fair(&step.next)?]);
                let found = Formula::and([outside.clone(), step.when.clone(), there]);
                self.two_solvers.impossible(&found, "`EX` is false outside of its label")?;
            }
        }
        Ok(())
    }

    /// Shows that a state outside of `may` does not satisfy the second operand, and that no step leads back inside.
    fn may_until(&mut self, label: &SidedLabel, a: &Core, b: &Core) -> Result<(), End> {
        for place in 0..self.places.len() {
            let Place { store, steps, .. } = self.places[place].clone();
            let outside = Formula::and([self.here(place)?, self.inside(&label.may, &store)?.negated()]);
            let done = Formula::and([outside.clone(), self.may(b, &store)?, self.may_be_fair(&store)?]);
            self.two_solvers.impossible(&done, "what `EU` leads to is inside of its label")?;
            let waiting = Formula::and([outside, self.may(a, &store)?]);
            for step in &steps {
                let back =
                    Formula::and([waiting.clone(), step.when.clone(), self.inside(&label.may, &step.next)?]);
                self.two_solvers.impossible(&back, "no step leads into the label of `EU` from outside")?;
            }
        }
        Ok(())
    }

    /// A formula that contains the reachable states at a place.
    fn here(&self, place: usize) -> Result<Formula, ReadError> {
        let store = &self.places[place].store;
        let own = self.state_truth(&self.invariant[place], store)?;
        let ranges = self.instance.cells.iter().zip(&store.cells).map(|(cell, term)| match cell.domain {
            domain if domain.is_unbounded() => Ok(Formula::Bool(true)),
            domain => between(term, domain.lo, domain.hi),
        });
        Ok(Formula::try_and(ranges.chain([Ok(own)]))?)
    }

    /// The initial states, by definition.
    fn initial(&self, store: &Store) -> Result<Formula, ReadError> {
        let mut parts = self.beginning(store)?;
        for predicate in &self.instance.system.init {
            parts.push(self.state_truth(predicate, store)?);
        }
        Ok(Formula::and(parts))
    }

    /// The condition that cells have values with which they may begin.
    fn beginning(&self, store: &Store) -> Result<Vec<Formula>, ReadError> {
        let mut parts = Vec::new();
        for ((cell, start), term) in self.instance.cells.iter().zip(&self.instance.starts).zip(&store.cells) {
            parts.push(match start {
                Start::Any if cell.domain.is_unbounded() => Formula::Bool(true),
                Start::Any => between(term, cell.domain.lo, cell.domain.hi)?,
                Start::Among(values) => Formula::try_or(
                    values.iter().map(|value| Formula::eq(term, &Linear::constant(i128::from(*value)))),
                )?,
            });
        }
        Ok(parts)
    }

    /// The condition that an `init` predicate faults, where those before it are true.
    fn initial_fault(&self, store: &Store) -> Result<Formula, ReadError> {
        let mut parts = self.beginning(store)?;
        let mut faults = Vec::new();
        for predicate in &self.instance.system.init {
            let reader = Reader::new(self.instance, store, self.limits);
            let truth = reader.truth(predicate, &mut Environment::default())?;
            faults.push(Formula::and(parts.iter().cloned().chain([reader.fault()])));
            parts.push(truth);
        }
        Ok(Formula::or(faults))
    }

    /// The condition that a state belongs to a set, which is given per place.
    fn inside(&self, set: &[Expr], store: &Store) -> Result<Formula, ReadError> {
        let mut cases = Vec::new();
        for (place, own) in self.places.iter().zip(set) {
            let at = place.has(store)?;
            if at != Formula::Bool(false) {
                cases.push(Formula::and([at, self.state_truth(own, store)?]));
            }
        }
        Ok(Formula::or(cases))
    }

    fn state_truth(&self, expr: &Expr, store: &Store) -> Result<Formula, ReadError> {
        Reader::new(self.instance, store, self.limits).truth(expr, &mut Environment::default())
    }

    /// The truth of a step predicate on a step with this label from a state.
    fn step_truth(&self, expr: &Expr, store: &Store, label: Label) -> Result<Formula, ReadError> {
        let reader = Reader::new(self.instance, store, self.limits).on_step(label);
        reader.truth(expr, &mut Environment::default())
    }

    /// The conditions under which a step with this label and these marks satisfies `when` and `then` of a demand.
    fn demand(
        &self,
        demand: &Demand,
        store: &Store,
        label: Label,
        marks: &[usize],
    ) -> Result<(Formula, Formula), ReadError> {
        Ok(match demand {
            Demand::Requirement(requirement) => (
                self.step_truth(&requirement.when, store, label)?,
                self.step_truth(&requirement.then, store, label)?,
            ),
            Demand::Mark(mark) => (Formula::Bool(true), Formula::Bool(marks.contains(mark))),
            Demand::Again(a, must) => (Formula::Bool(true), self.side(a, store, *must)?),
        })
    }

    /// The states where the labels show that a formula is true.
    fn must(&self, formula: &Core, store: &Store) -> Result<Formula, ReadError> {
        self.side(formula, store, true)
    }

    /// The states where the labels do not show that a formula is false.
    fn may(&self, formula: &Core, store: &Store) -> Result<Formula, ReadError> {
        self.side(formula, store, false)
    }

    fn side(&self, formula: &Core, store: &Store, must: bool) -> Result<Formula, ReadError> {
        let all = |parts: &[Core]| {
            parts.iter().map(|part| self.side(part, store, must)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match formula {
            Core::Atom(atom) => self.state_truth(atom, store)?,
            Core::Not(a) => self.side(a, store, !must)?.negated(),
            Core::And(parts) => Formula::and(all(parts)?),
            Core::Or(parts) => Formula::or(all(parts)?),
            Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
                match self.labels.iter().find(|label| label.formula == *formula) {
                    Some(label) => self.inside(if must { &label.must } else { &label.may }, store)?,
                    None => Formula::Bool(!must),
                }
            }
        })
    }

    fn must_be_fair(&self, store: &Store) -> Result<Formula, ReadError> {
        if self.all_fair { Ok(Formula::Bool(true)) } else { self.must(&fair(), store) }
    }

    fn may_be_fair(&self, store: &Store) -> Result<Formula, ReadError> {
        if self.all_fair { Ok(Formula::Bool(true)) } else { self.may(&fair(), store) }
    }
}

/// The formula that there is a fair run.
fn fair() -> Core {
    Core::Globally(Box::new(Core::Atom(Expr::Bool(true))))
}

impl Place {
    /// The condition that a state is at this place.
    fn has(&self, store: &Store) -> Result<Formula, Overflow> {
        if self.store.state != store.state {
            return Ok(Formula::Bool(false));
        }
        let fixed = |(cell, value): &(usize, i64)| {
            Formula::eq(&store.cells[*cell], &Linear::constant(i128::from(*value)))
        };
        Formula::try_and(self.known.iter().map(fixed))
    }
}

fn between(term: &Linear, lo: i64, hi: i64) -> Result<Formula, Overflow> {
    Formula::try_and([
        Formula::le(&Linear::constant(i128::from(lo)), term),
        Formula::le(term, &Linear::constant(i128::from(hi))),
    ])
}
