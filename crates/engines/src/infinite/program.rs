//! The program of an instance, as a graph: places, and edges with a guard and an affine update.
//!
//! A *place* fixes the values of the *control* cells: locations, truth values, members of enums, short ranges. The
//! places are found by following the edges from the initial ones. All other cells are data: variable `v` of the
//! arithmetic is cell `v`, and variables beyond the cells are integers chosen in a step. An edge is one way through
//! an action from one place. Its guard is a formula over the data and the chosen integers, and the next value of each
//! changed cell is a linear term over them. So the preimage of a set over an edge is a substitution. Deadlocks have
//! an edge `idle`.
//!
//! [`Program::faults`] lists the states in which an action faults: a value leaves its range, an index leaves its array, or
//! nothing can be chosen. An edge exists where no fault happens on it; in the states of a fault there may be others.

use std::collections::BTreeMap;

use arith::{Linear, Overflow, Var};
use model::instance::{Environment, Start};
use model::system::{Scalar, Update};
use model::{ActionId, Index, Instance, Label, Session, ground};
use smt::Formula;

use super::expression::{Read, Store, Unsupported, cells, current, truth, value};
use super::oracles::{Stop, count_branch};

/// A place, by position in [`Program::places`].
pub(super) type PlaceId = usize;

/// A graph with places and edges.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The number of cells. Variables with larger numbers are chosen in a step.
    pub(super) cells: usize,
    /// The values of control cells at each place.
    pub(super) places: Vec<Vec<(usize, i64)>>,
    /// The initial states: places with formulas over the data.
    pub(super) initial: Vec<(PlaceId, Formula)>,
    /// The edges.
    pub(super) edges: Vec<Edge>,
    /// The states in which faults happen, and the action.
    pub(super) faults: Vec<(PlaceId, Formula, ActionId)>,
    /// The possible initial values for which an `init` predicate faults.
    pub(super) initial_faults: Vec<Formula>,
    /// Choices for which it is not yet known whether they have an outcome.
    open: Vec<(PlaceId, ActionId, Open)>,
}

/// The condition under which a choice is made, the integer, and the condition on it.
type Open = (Formula, Var, Formula);

/// A way through an action.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) source: PlaceId,
    pub(super) target: PlaceId,
    pub(super) label: Label,
    /// When it can be taken, over data and chosen integers.
    pub(super) guard: Formula,
    /// The cells it changes, with their next values.
    pub(super) update: BTreeMap<Var, Linear>,
    /// How the choices of the action's update are resolved on it.
    pub(super) choices: Vec<Linear>,
}

impl Edge {
    /// Turns a formula about the next values into one about the values before.
    pub(super) fn before(&self, formula: &Formula) -> Result<Formula, Overflow> {
        formula.replaced(&|var| self.update.get(&var))
    }
}

/// A range with at most this many values is control.
const SHORT: u64 = 8;

/// The greatest number of places and of edges.
const PLACES: usize = 2_000;
const EDGES: usize = 20_000;

/// The message for an action with more ways than [`EDGES`].
const OUTCOMES: &str = "an action with very many outcomes";

/// The error that there is more of something than the engine can list.
fn too_many<T>(what: &str) -> Result<T, Stop> {
    Err(Stop::Unsupported(what.to_owned()))
}

/// The program of an instance.
pub(super) fn program(instance: &Instance, session: &Session<'_>) -> Result<Program, Stop> {
    // First with all small cells as control, then with only locations and enums.
    let finite = |cell: usize, short: u64| {
        let domain = instance.cells[cell].domain;
        let scalar = &instance.system.variable(instance.cells[cell].variable).kind.scalar;
        match scalar {
            Scalar::Enum(_) => true,
            Scalar::Bool => short > 0,
            Scalar::Range(_) => short > 0 && domain.hi.abs_diff(domain.lo) < short,
            Scalar::Int => false,
        }
    };
    let build = |short: u64| {
        let control = (0..instance.cells.len()).filter(|cell| finite(*cell, short)).collect();
        let (program, numbers) = (Program::empty(instance), BTreeMap::new());
        let built = Builder { instance, session, control, program, numbers }.build();
        built.map_err(|stop| match stop {
            Stop::Overflow => Unsupported::from(Overflow).into(),
            other => other,
        })
    };
    match build(SHORT) {
        Err(Stop::Unsupported(_)) => build(0),
        other => other,
    }
}

impl Program {
    fn empty(instance: &Instance) -> Program {
        Program {
            cells: instance.cells.len(),
            places: Vec::new(),
            initial: Vec::new(),
            edges: Vec::new(),
            faults: Vec::new(),
            initial_faults: Vec::new(),
            open: Vec::new(),
        }
    }

    /// A program without faults.
    pub(super) fn of_parts(
        cells: usize,
        places: Vec<Vec<(usize, i64)>>,
        initial: Vec<(PlaceId, Formula)>,
        edges: Vec<Edge>,
    ) -> Program {
        let (faults, initial_faults, open) = (Vec::new(), Vec::new(), Vec::new());
        Program { cells, places, initial, edges, faults, initial_faults, open }
    }

    /// Adds the faults of choices without an outcome. `some` computes when a choice has one.
    pub(super) fn resolve<E>(
        &mut self,
        mut some: impl FnMut(Var, &Formula) -> Result<Formula, E>,
    ) -> Result<(), E> {
        for (place, action, (when, var, condition)) in std::mem::take(&mut self.open) {
            let fault = Formula::and([when, some(var, &condition)?.negated()]);
            self.faults.push((place, fault, action));
        }
        Ok(())
    }

    /// The truth of a ground expression at a place, where it does not fault.
    pub(super) fn at(
        &self,
        instance: &Instance,
        place: PlaceId,
        expr: &model::Expr,
    ) -> Result<Formula, Unsupported> {
        Ok(self.read(instance, place, expr)?.result)
    }

    /// The truth of a ground expression at a place, and where it faults.
    pub(super) fn read(
        &self,
        instance: &Instance,
        place: PlaceId,
        expr: &model::Expr,
    ) -> Result<Read<Formula>, Unsupported> {
        truth(instance, expr, &current(self.cells, &self.places[place]))
    }
}

struct Builder<'a> {
    instance: &'a Instance,
    session: &'a Session<'a>,
    control: Vec<usize>,
    program: Program,
    numbers: BTreeMap<Vec<(usize, i64)>, PlaceId>,
}

/// The result of an update so far.
#[derive(Clone)]
struct Branch {
    when: Formula,
    store: Store,
    choices: Vec<Linear>,
}

impl Builder<'_> {
    fn build(mut self) -> Result<Program, Stop> {
        self.initial()?;
        let mut next = 0;
        while next < self.program.places.len() {
            self.leave(next)?;
            next += 1;
            if self.program.places.len() > PLACES || self.program.edges.len() > EDGES {
                return too_many("more locations than the engine can list");
            }
        }
        Ok(self.program)
    }

    fn place(&mut self, values: Vec<(usize, i64)>) -> PlaceId {
        if let Some(number) = self.numbers.get(&values) {
            return *number;
        }
        let number = self.program.places.len();
        self.numbers.insert(values.clone(), number);
        self.program.places.push(values);
        number
    }

    /// Every choice of initial control values, with the condition on the data.
    fn initial(&mut self) -> Result<(), Stop> {
        let values = |cell: usize| -> Vec<i64> {
            match &self.instance.starts[cell] {
                Start::Among(values) => values.clone(),
                Start::Any => {
                    (self.instance.cells[cell].domain.lo..=self.instance.cells[cell].domain.hi).collect()
                }
            }
        };
        let mut choices: Vec<Vec<(usize, i64)>> = vec![Vec::new()];
        for cell in self.control.clone() {
            let values = values(cell);
            if choices.len() * values.len() > 4 * PLACES {
                return too_many("very many initial locations");
            }
            choices = choices
                .iter()
                .flat_map(|choice| {
                    values.iter().map(move |value| choice.iter().copied().chain([(cell, *value)]).collect())
                })
                .collect();
        }
        let mut data = Vec::new();
        for (cell, start) in self.instance.starts.iter().enumerate() {
            if self.control.contains(&cell) {
                continue;
            }
            let term = Linear::var(Var(cell as u32));
            let domain = self.instance.cells[cell].domain;
            data.push(match start {
                Start::Any if domain.is_unbounded() => Formula::Bool(true),
                Start::Any => within(&term, domain.lo, domain.hi)?,
                Start::Among(values) => Formula::try_or(
                    values.iter().map(|value| Formula::eq(&term, &Linear::constant(i128::from(*value)))),
                )?,
            });
        }
        for choice in choices {
            count_branch(self.session)?;
            let store = current(self.program.cells, &choice);
            let mut parts = data.clone();
            for predicate in &self.instance.system.init {
                let predicate = ground::expression(self.instance, predicate, &mut Environment::default());
                let Read { result, fault } = truth(self.instance, &predicate, &store)?;
                let fault = Formula::and(parts.iter().cloned().chain([fault]));
                if fault != Formula::Bool(false) {
                    self.program.initial_faults.push(fault);
                }
                parts.push(result);
            }
            let formula = Formula::and(parts);
            if formula != Formula::Bool(false) {
                let place = self.place(choice);
                self.program.initial.push((place, formula));
            }
        }
        Ok(())
    }

    /// The edges that leave a place.
    fn leave(&mut self, source: PlaceId) -> Result<(), Stop> {
        let store = current(self.program.cells, &self.program.places[source]);
        let mut guards = Vec::new();
        for id in (0..self.instance.actions.len() as u32).map(ActionId) {
            count_branch(self.session)?;
            let Read { result: guard, fault } =
                truth(self.instance, &ground::guard(self.instance, id), &store)?;
            if fault != Formula::Bool(false) {
                self.program.faults.push((source, fault, id));
            }
            if guard == Formula::Bool(false) {
                continue;
            }
            guards.push(guard.clone());
            let action = self.instance.action(id);
            let update = &self.instance.system.actions[action.action].update;
            let begin = Branch { when: guard, store: store.clone(), choices: Vec::new() };
            let mut environment = action.environment.clone();
            let (mut faults, mut open) = (Vec::new(), Vec::new());
            let branches =
                self.apply(update, vec![begin], &mut environment, &mut Vec::new(), &mut faults, &mut open)?;
            for fault in faults {
                if fault != Formula::Bool(false) {
                    self.program.faults.push((source, fault, id));
                }
            }
            self.program.open.extend(open.into_iter().map(|open| (source, id, open)));
            for branch in branches {
                self.arrive(source, Label::Action(id), &branch)?;
            }
        }
        let idle = Formula::or(guards).negated();
        if idle != Formula::Bool(false) {
            self.arrive(source, Label::Idle, &Branch { when: idle, store, choices: Vec::new() })?;
        }
        Ok(())
    }

    /// Adds the edges of a branch: one per place it may lead to.
    fn arrive(&mut self, source: PlaceId, label: Label, branch: &Branch) -> Result<(), Stop> {
        let mut ways: Vec<(Formula, Vec<(usize, i64)>)> = vec![(branch.when.clone(), Vec::new())];
        for cell in &self.control {
            let term = &branch.store.cells[*cell];
            let domain = self.instance.cells[*cell].domain;
            let values: Vec<i64> = match term.as_constant() {
                Some(value) => i64::try_from(value).into_iter().collect(),
                None => (domain.lo..=domain.hi).collect(),
            };
            let mut further = Vec::new();
            for (when, at) in &ways {
                count_branch(self.session)?;
                for value in &values {
                    let when = Formula::and([
                        when.clone(),
                        Formula::eq(term, &Linear::constant(i128::from(*value)))?,
                    ]);
                    if when != Formula::Bool(false) {
                        let mut at = at.clone();
                        at.push((*cell, *value));
                        further.push((when, at));
                    }
                }
            }
            if further.len() > PLACES {
                return too_many("a step with very many outcomes");
            }
            ways = further;
        }
        let update: BTreeMap<Var, Linear> = (0..self.program.cells)
            .filter(|cell| !self.control.contains(cell))
            .map(|cell| (Var(cell as u32), branch.store.cells[cell].clone()))
            .filter(|(var, term)| *term != Linear::var(*var))
            .collect();
        for (guard, at) in ways {
            let target = self.place(at);
            let (update, choices) = (update.clone(), branch.choices.clone());
            self.program.edges.push(Edge { source, target, label, guard, update, choices });
        }
        Ok(())
    }

    /// The branches an update leads to; its faults go to `faults`. `chosen` has the indices of the surrounding
    /// choices among all integers, with their variables.
    fn apply(
        &self,
        update: &Update,
        branches: Vec<Branch>,
        environment: &mut Environment,
        chosen: &mut Vec<(Index, Linear)>,
        faults: &mut Vec<Formula>,
        open: &mut Vec<Open>,
    ) -> Result<Vec<Branch>, Stop> {
        let mut done = Vec::new();
        for mut branch in branches {
            count_branch(self.session)?;
            branch.store.chosen.clone_from(chosen);
            if branch.when == Formula::Bool(false) {
                continue;
            }
            match update {
                Update::Skip => done.push(branch),
                Update::Assign(assignments) => {
                    self.assign(assignments, branch, environment, &mut done, faults)?;
                }
                Update::Sequence(updates) => {
                    let mut current = vec![branch];
                    for update in updates {
                        current = self.apply(update, current, environment, chosen, faults, open)?;
                    }
                    done.extend(current);
                }
                Update::If(condition, yes, no) => {
                    let condition = self.condition(condition, &branch, environment, faults)?;
                    for (condition, update) in [(condition.clone(), yes), (condition.negated(), no)] {
                        let taken = branch.and(condition);
                        done.extend(self.apply(update, vec![taken], environment, chosen, faults, open)?);
                    }
                }
                Update::Either(alternatives) => {
                    let mut some = Vec::new();
                    for (position, (condition, update)) in alternatives.iter().enumerate() {
                        let condition = self.condition(condition, &branch, environment, faults)?;
                        some.push(condition.clone());
                        let mut taken = branch.and(condition);
                        taken.choices.push(Linear::constant(position as i128));
                        done.extend(self.apply(update, vec![taken], environment, chosen, faults, open)?);
                    }
                    faults.push(Formula::and([branch.when.clone(), Formula::or(some).negated()]));
                }
                Update::Choose(binder, condition, body) if is_endless(binder) => {
                    let var = Linear::var(Var((self.program.cells + branch.endless()) as u32));
                    chosen.push((binder.index, var.clone()));
                    branch.store.chosen.clone_from(chosen);
                    let condition = self.condition(condition, &branch, environment, faults)?;
                    let number = self.program.cells + branch.endless();
                    match super::project::exists(&condition, number) {
                        Some(some) => faults.push(Formula::and([branch.when.clone(), some.negated()])),
                        None => open.push((branch.when.clone(), Var(number as u32), condition.clone())),
                    }
                    let mut taken = branch.and(condition);
                    taken.choices.push(var);
                    let result = self.apply(body, vec![taken], environment, chosen, faults, open);
                    chosen.pop();
                    done.extend(result?);
                }
                Update::Choose(binder, condition, body) => {
                    let mut bound = |expr: &model::Expr| {
                        model::semantics::rigid(expr, environment)
                            .map_err(|fault| Unsupported(format!("a fault in a choice: {fault}")))
                    };
                    let (lo, hi) = (bound(&binder.span.lo)?, bound(&binder.span.hi)?);
                    if hi.abs_diff(lo) > PLACES as u64 && lo <= hi {
                        return too_many("a choice among very many values");
                    }
                    let mut some = Vec::new();
                    for value in lo..=hi {
                        environment.bind(binder.index, value);
                        let condition = self.condition(condition, &branch, environment, faults);
                        let result = condition.map_err(Stop::from).and_then(|condition| {
                            some.push(condition.clone());
                            let mut taken = branch.and(condition);
                            taken.choices.push(Linear::constant(i128::from(value)));
                            self.apply(body, vec![taken], environment, chosen, faults, open)
                        });
                        environment.unbind();
                        done.extend(result?);
                        if done.len() > EDGES {
                            return too_many(OUTCOMES);
                        }
                    }
                    faults.push(Formula::and([branch.when.clone(), Formula::or(some).negated()]));
                }
            }
            if done.len() > EDGES {
                return too_many(OUTCOMES);
            }
        }
        Ok(done)
    }

    /// The truth of a condition of an update; its fault goes to `faults`.
    fn condition(
        &self,
        condition: &model::Expr,
        branch: &Branch,
        environment: &mut Environment,
        faults: &mut Vec<Formula>,
    ) -> Result<Formula, Unsupported> {
        let condition = ground::expression(self.instance, condition, environment);
        let Read { result, fault } = truth(self.instance, &condition, &branch.store)?;
        faults.push(Formula::and([branch.when.clone(), fault]));
        Ok(result)
    }

    fn assign(
        &self,
        assignments: &[(model::Place, model::Expr)],
        branch: Branch,
        environment: &mut Environment,
        done: &mut Vec<Branch>,
        faults: &mut Vec<Formula>,
    ) -> Result<(), Stop> {
        // All right-hand sides are read before anything is written.
        let (when, before) = (branch.when.clone(), branch.store.clone());
        let mut ways = vec![branch];
        for (place, expr) in assignments {
            let place = place.map(&mut |index| ground::expression(self.instance, index, environment));
            let cells = cells(self.instance, &place, &before)?;
            let expr = ground::expression(self.instance, expr, environment);
            let cases = value(self.instance, &expr, &before)?;
            faults.extend([cells.fault, cases.fault].map(|fault| Formula::and([when.clone(), fault])));
            let mut further = Vec::new();
            for way in &ways {
                count_branch(self.session)?;
                let pairs =
                    cells.result.iter().flat_map(|cell| cases.result.iter().map(move |case| (cell, case)));
                for ((here, cell), (when, term)) in pairs {
                    let domain = self.instance.cells[*cell].domain;
                    let mut taken = way.and(Formula::and([here.clone(), when.clone()]));
                    if !domain.is_unbounded() {
                        let inside = within(term, domain.lo, domain.hi)?;
                        faults.push(Formula::and([taken.when.clone(), inside.negated()]));
                        taken = taken.and(inside);
                    }
                    taken.store.cells[*cell] = term.clone();
                    if taken.when != Formula::Bool(false) {
                        further.push(taken);
                    }
                }
            }
            if further.len() > EDGES {
                return too_many(OUTCOMES);
            }
            ways = further;
        }
        done.extend(ways);
        Ok(())
    }
}

impl Branch {
    fn and(&self, condition: Formula) -> Branch {
        Branch { when: Formula::and([self.when.clone(), condition]), ..self.clone() }
    }

    /// The number of integers chosen among all integers.
    fn endless(&self) -> usize {
        self.choices.iter().filter(|choice| choice.as_constant().is_none()).count()
    }
}

/// `lo <= term <= hi`.
fn within(term: &Linear, lo: i64, hi: i64) -> Result<Formula, Overflow> {
    let (lo, hi) = (Linear::constant(i128::from(lo)), Linear::constant(i128::from(hi)));
    Formula::try_and([Formula::le(&lo, term), Formula::le(term, &hi)])
}

/// Whether an index ranges over all integers.
fn is_endless(binder: &model::Binder) -> bool {
    matches!((&*binder.span.lo, &*binder.span.hi), (model::Expr::Int(i64::MIN), model::Expr::Int(i64::MAX)))
}
