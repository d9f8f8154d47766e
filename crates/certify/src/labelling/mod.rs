//! Judges two-sided labels ([`model::labelling`]): turns each premise into a formula without quantifiers that must have
//! no model, and asks two solvers that share no code.
//!
//! The judge trusts nothing of the evidence. Its sets are expressions over the cells; the judge carries out the system's
//! steps on symbolic states by itself, and what the evidence says of a step (which action, which choices) is only a
//! suggestion of which one to look at. A premise counts if *both* solvers find no model of its negation. If one finds a
//! model the evidence is wrong, and the [`Flaw`] says which premise it is. If a solver is missing or does not know,
//! or an expression is beyond linear arithmetic, the answer stands as claimed.
//!
//! The premises are those of the table in [`model::labelling`]. All assume the invariant and the ranges of the cells,
//! which hold in every reachable state: the first premises say so, and that no fault happens in them.

mod arguments;
pub(crate) mod chosen;
mod court;
mod paths;
mod shape;
mod steps;
mod terms;

use model::instance::{Environment, Start};
use model::labelling::{Label as SidedLabel, Labelling};
use model::property::Kind;
use model::{Core, Ctl, Expr, Fairness, Formula as Ltl, Instance, Label, Requirement, State, Task, ground};
use smt::{Formula, Linear, Solvers};

use self::court::Court;
use self::steps::{Step, steps};
use self::terms::{Beyond, Reader, Store};
use crate::Standing;
use crate::flaw::Flaw;

/// Why a labelling is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is wrong.
    Flaw(Flaw),
    /// It cannot be told.
    Open,
}

impl From<Beyond> for Trouble {
    fn from(_: Beyond) -> Trouble {
        Trouble::Open
    }
}

/// Judges that a labelling shows that the property of a task holds.
pub(crate) fn holds(
    task: &Task,
    instance: &Instance,
    labelling: &Labelling,
    solvers: &Solvers,
) -> Result<Standing, Flaw> {
    within(|| {
        let mut judge = Judge::new(task, instance, labelling, solvers)?;
        let root = root(instance, &task.property.kind).ok_or(Trouble::Open)?;
        judge.premises()?;
        let store = Store::at(instance.cells.len(), &[]);
        let outside = Formula::and([judge.initial(&store)?, judge.must(&root, &store)?.negated()]);
        judge.court.impossible(&outside, "every initial state is in the label of the property")
    })
}

/// Judges that a labelling shows that the property of a task fails in an initial state.
pub(crate) fn fails(
    task: &Task,
    instance: &Instance,
    state: &State,
    labelling: &Labelling,
    solvers: &Solvers,
) -> Result<Standing, Flaw> {
    crate::replay::first(instance, state)?;
    within(|| {
        // What is said of a formula of branching time that a formula of linear time follows from is no refutation.
        if let Kind::Ltl(_) | Kind::Never(_) = task.property.kind {
            return Err(Trouble::Open);
        }
        let mut judge = Judge::new(task, instance, labelling, solvers)?;
        let root = root(instance, &task.property.kind).ok_or(Trouble::Open)?;
        judge.premises()?;
        let known: Vec<(usize, i64)> = state.0.iter().copied().enumerate().collect();
        match judge.may(&root, &Store::at(instance.cells.len(), &known))? {
            Formula::Bool(false) => Ok(()),
            _ => Err(premise("the label of the property leaves out the initial state")),
        }
    })
}

/// What came of a judgement, numbers beyond 128 bits included.
fn within(work: impl FnOnce() -> Result<(), Trouble>) -> Result<Standing, Flaw> {
    match smt::guarded(work) {
        Ok(Ok(())) => Ok(Standing::Checked),
        Ok(Err(Trouble::Flaw(flaw))) => Err(flaw),
        Ok(Err(Trouble::Open)) | Err(_) => Ok(Standing::Claimed),
    }
}

fn premise(what: impl Into<String>) -> Trouble {
    Trouble::Flaw(Flaw::Unshown(what.into()))
}

/// The formula that is labelled: one of branching time from which the property follows in every initial state.
fn root(instance: &Instance, kind: &Kind) -> Option<Core> {
    match ground::kind(instance, kind) {
        Kind::Invariant(predicate) => {
            let bad = Core::Not(Box::new(Core::Atom(predicate)));
            let reach = Core::Until(Box::new(Core::Atom(Expr::Bool(true))), Box::new(bad));
            Some(Core::Not(Box::new(reach)))
        }
        Kind::Ctl(formula) => Some(Core::of(&formula)),
        Kind::Ltl(formula) => of_all_states(&formula).map(|formula| Core::of(&formula)),
        Kind::Never(_) => None,
    }
}

/// A formula of branching time with `A` before every temporal operator: if it is true, the formula is true of all runs.
fn of_all_states(formula: &Ltl) -> Option<Ctl> {
    use model::property::Paths::All;
    if let Some(predicate) = predicate(formula) {
        return Some(Ctl::Atom(predicate));
    }
    let boxed = |formula: &Ltl| of_all_states(formula).map(Box::new);
    let all = |parts: &[Ltl]| parts.iter().map(of_all_states).collect::<Option<Vec<_>>>();
    Some(match formula {
        Ltl::And(parts) => Ctl::And(all(parts)?),
        Ltl::Or(parts) => Ctl::Or(all(parts)?),
        Ltl::Implies(a, b) => Ctl::Implies(Box::new(Ctl::Atom(predicate(a)?)), boxed(b)?),
        Ltl::Next(a) => Ctl::Next(All, boxed(a)?),
        Ltl::Globally(a) => Ctl::Globally(All, boxed(a)?),
        Ltl::Finally(a) => Ctl::Finally(All, boxed(a)?),
        Ltl::Until(a, b) => Ctl::Until(All, boxed(a)?, boxed(b)?),
        Ltl::WeakUntil(a, b) => Ctl::WeakUntil(All, boxed(a)?, boxed(b)?),
        _ => return None,
    })
}

/// Whether a formula means the same with `A` before every temporal operator: at most one part of a disjunction speaks
/// of the future, and what must come speaks of states [Mai00].
pub(crate) fn is_deterministic(formula: &Ltl) -> bool {
    let state = |formula: &Ltl| predicate(formula).is_some();
    state(formula)
        || match formula {
            Ltl::And(parts) => parts.iter().all(is_deterministic),
            Ltl::Or(parts) => {
                parts.iter().all(is_deterministic) && parts.iter().filter(|part| !state(part)).count() <= 1
            }
            Ltl::Implies(a, b) => state(a) && is_deterministic(b),
            Ltl::Next(a) | Ltl::Globally(a) => is_deterministic(a),
            Ltl::Finally(a) => state(a),
            Ltl::Until(a, b) | Ltl::WeakUntil(a, b) => state(a) && state(b),
            _ => false,
        }
}

/// Whether a formula with `A` before every temporal operator is true where no fair run begins.
pub(crate) fn is_vacuous(formula: &Ltl) -> bool {
    match formula {
        Ltl::Atom(_) | Ltl::Not(_) => false,
        Ltl::And(parts) => parts.iter().all(is_vacuous),
        Ltl::Or(parts) => parts.iter().any(is_vacuous),
        Ltl::Implies(_, b) => is_vacuous(b),
        _ => true,
    }
}

/// The condition on states that a formula without temporal operators is.
fn predicate(formula: &Ltl) -> Option<Expr> {
    let all = |parts: &[Ltl]| parts.iter().map(predicate).collect::<Option<Vec<_>>>();
    match formula {
        Ltl::Atom(atom) => (!atom.any(&mut |part| matches!(part, Expr::Taken(_)))).then(|| atom.clone()),
        Ltl::Not(a) => predicate(a).map(Expr::negated),
        Ltl::And(parts) => all(parts).map(Expr::And),
        Ltl::Or(parts) => all(parts).map(Expr::Or),
        Ltl::Implies(a, b) => Some(Expr::Or(vec![Expr::negated(predicate(a)?), predicate(b)?])),
        _ => None,
    }
}

/// A labelling under examination.
struct Judge<'a> {
    instance: &'a Instance,
    labelling: &'a Labelling,
    /// The alternatives of the fairness, ground.
    alternatives: Vec<Vec<Requirement>>,
    /// Whether every run is fair.
    all_fair: bool,
    court: Court<'a>,
    /// Per place, its symbolic state and the steps that leave it.
    places: Vec<(Store, Vec<Step>)>,
}

impl<'a> Judge<'a> {
    fn new(
        task: &Task,
        instance: &'a Instance,
        labelling: &'a Labelling,
        solvers: &'a Solvers,
    ) -> Result<Judge<'a>, Trouble> {
        let fairness = match task.property.kind {
            // An invariant is claimed of all reachable states, fair or not.
            Kind::Invariant(_) => Fairness::none(),
            _ => ground::fairness(instance, &task.fairness),
        };
        if fairness.alternatives.iter().any(|alternative| alternative.global) {
            return Err(Trouble::Open);
        }
        let all_fair = fairness.is_none();
        let alternatives: Vec<Vec<Requirement>> =
            fairness.alternatives.into_iter().map(|alternative| alternative.requirements).collect();
        shape::examine(instance, labelling, &alternatives).map_err(Trouble::Flaw)?;
        let mut places = Vec::new();
        for known in &labelling.places {
            places.push((Store::at(instance.cells.len(), known), Vec::new()));
        }
        let court = Court::open(solvers).ok_or(Trouble::Open)?;
        Ok(Judge { instance, labelling, alternatives, all_fair, court, places })
    }

    /// Everything that the labels rely on.
    fn premises(&mut self) -> Result<(), Trouble> {
        self.invariant()?;
        for label in &self.labelling.labels {
            self.label(label)?;
        }
        Ok(())
    }

    /// The invariant contains the initial states and is closed under steps, and no fault happens in it.
    fn invariant(&mut self) -> Result<(), Trouble> {
        let anywhere = Store::at(self.instance.cells.len(), &[]);
        let outside = Formula::and([
            self.initial(&anywhere)?,
            self.inside(&self.labelling.invariant, &anywhere)?.negated(),
        ]);
        self.court.impossible(&outside, "the invariant contains every initial state")?;
        for place in 0..self.places.len() {
            let (steps, faults) = steps(self.instance, &self.places[place].0)?;
            let here = self.here(place)?;
            for fault in faults {
                self.court.impossible(&Formula::and([here.clone(), fault]), "no fault is reachable")?;
            }
            for step in &steps {
                let left = self.inside(&self.labelling.invariant, &step.next)?.negated();
                let leaving = Formula::and([here.clone(), step.when.clone(), left]);
                self.court.impossible(&leaving, "the invariant is closed under steps")?;
            }
            self.places[place].1 = steps;
        }
        Ok(())
    }

    fn label(&mut self, label: &SidedLabel) -> Result<(), Trouble> {
        if label.must.iter().any(|set| *set != Expr::Bool(false)) {
            self.must_label(label)?;
        }
        if label.may.iter().all(|set| *set == Expr::Bool(true)) {
            return Ok(());
        }
        match &label.formula {
            Core::Next(a) => self.may_next(label, a),
            Core::Until(a, b) => self.may_until(label, a, b),
            Core::Globally(a) => self.may_globally(label, a),
            _ => Err(premise("a label belongs to an existential operator")),
        }
    }

    /// A state outside of `may` has no step to where the operand may be true.
    fn may_next(&mut self, label: &SidedLabel, a: &Core) -> Result<(), Trouble> {
        for place in 0..self.places.len() {
            let (store, steps) = self.places[place].clone();
            let outside = Formula::and([self.here(place)?, self.inside(&label.may, &store)?.negated()]);
            for step in &steps {
                let there = Formula::and([self.may(a, &step.next)?, self.may_be_fair(&step.next)?]);
                let found = Formula::and([outside.clone(), step.when.clone(), there]);
                self.court.impossible(&found, "`EX` is false outside of its label")?;
            }
        }
        Ok(())
    }

    /// A state outside of `may` does not satisfy the second operand, and does not get back inside.
    fn may_until(&mut self, label: &SidedLabel, a: &Core, b: &Core) -> Result<(), Trouble> {
        for place in 0..self.places.len() {
            let (store, steps) = self.places[place].clone();
            let outside = Formula::and([self.here(place)?, self.inside(&label.may, &store)?.negated()]);
            let done = Formula::and([outside.clone(), self.may(b, &store)?, self.may_be_fair(&store)?]);
            self.court.impossible(&done, "what `EU` leads to is inside of its label")?;
            let waiting = Formula::and([outside, self.may(a, &store)?]);
            for step in &steps {
                let back =
                    Formula::and([waiting.clone(), step.when.clone(), self.inside(&label.may, &step.next)?]);
                self.court.impossible(&back, "no step leads into the label of `EU` from outside")?;
            }
        }
        Ok(())
    }

    /// The reachable states at a place, as far as is known.
    fn here(&self, place: usize) -> Result<Formula, Beyond> {
        let store = &self.places[place].0;
        let own = self.state_truth(&self.labelling.invariant[place], store)?;
        let ranges = self.instance.cells.iter().zip(&store.cells).map(|(cell, term)| match cell.domain {
            domain if domain.is_unbounded() => Formula::Bool(true),
            domain => between(term, domain.lo, domain.hi),
        });
        Ok(Formula::and(ranges.chain([own])))
    }

    /// The initial states, by definition.
    fn initial(&self, store: &Store) -> Result<Formula, Beyond> {
        let mut parts = Vec::new();
        for ((cell, start), term) in self.instance.cells.iter().zip(&self.instance.starts).zip(&store.cells) {
            parts.push(match start {
                Start::Any if cell.domain.is_unbounded() => Formula::Bool(true),
                Start::Any => between(term, cell.domain.lo, cell.domain.hi),
                Start::Among(values) => Formula::or(
                    values.iter().map(|value| Formula::eq(term, &Linear::constant(i128::from(*value)))),
                ),
            });
        }
        for predicate in &self.instance.system.init {
            parts.push(self.state_truth(predicate, store)?);
        }
        Ok(Formula::and(parts))
    }

    /// That a state belongs to a set, which is given per place.
    fn inside(&self, set: &[Expr], store: &Store) -> Result<Formula, Beyond> {
        let mut cases = Vec::new();
        for (known, own) in self.labelling.places.iter().zip(set) {
            let at = at(known, store);
            if at != Formula::Bool(false) {
                cases.push(Formula::and([at, self.state_truth(own, store)?]));
            }
        }
        Ok(Formula::or(cases))
    }

    fn state_truth(&self, expr: &Expr, store: &Store) -> Result<Formula, Beyond> {
        Reader { instance: self.instance, store, label: None }.truth(expr, &mut Environment::default())
    }

    /// The truth of a step predicate on a step with this label from a state.
    fn step_truth(&self, expr: &Expr, store: &Store, label: Label) -> Result<Formula, Beyond> {
        let reader = Reader { instance: self.instance, store, label: Some(label) };
        reader.truth(expr, &mut Environment::default())
    }

    /// States where a formula is true by its labels.
    fn must(&self, formula: &Core, store: &Store) -> Result<Formula, Beyond> {
        self.side(formula, store, true)
    }

    /// States that the labels do not exclude.
    fn may(&self, formula: &Core, store: &Store) -> Result<Formula, Beyond> {
        self.side(formula, store, false)
    }

    fn side(&self, formula: &Core, store: &Store, must: bool) -> Result<Formula, Beyond> {
        let all = |parts: &[Core]| {
            parts.iter().map(|part| self.side(part, store, must)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match formula {
            Core::Atom(atom) => self.state_truth(atom, store)?,
            Core::Not(a) => self.side(a, store, !must)?.negated(),
            Core::And(parts) => Formula::and(all(parts)?),
            Core::Or(parts) => Formula::or(all(parts)?),
            Core::Next(_) | Core::Until(..) | Core::Globally(_) => {
                match self.labelling.labels.iter().find(|label| label.formula == *formula) {
                    Some(label) => self.inside(if must { &label.must } else { &label.may }, store)?,
                    None => Formula::Bool(!must),
                }
            }
        })
    }

    fn must_be_fair(&self, store: &Store) -> Result<Formula, Beyond> {
        if self.all_fair { Ok(Formula::Bool(true)) } else { self.must(&fair(), store) }
    }

    fn may_be_fair(&self, store: &Store) -> Result<Formula, Beyond> {
        if self.all_fair { Ok(Formula::Bool(true)) } else { self.may(&fair(), store) }
    }
}

/// That there is a fair run.
fn fair() -> Core {
    Core::Globally(Box::new(Core::Atom(Expr::Bool(true))))
}

/// That a state is at a place.
fn at(known: &[(usize, i64)], store: &Store) -> Formula {
    Formula::and(
        known
            .iter()
            .map(|(cell, value)| Formula::eq(&store.cells[*cell], &Linear::constant(i128::from(*value)))),
    )
}

fn between(term: &Linear, lo: i64, hi: i64) -> Formula {
    Formula::and([
        Formula::le(&Linear::constant(i128::from(lo)), term),
        Formula::le(term, &Linear::constant(i128::from(hi))),
    ])
}
