//! The step of a process, or of a synchronous model as a whole.
//!
//! A step gives all state variables their next values at once. An assignment determines the next value of its variable; so
//! does a constraint `next(x) = e`. What nothing determines is chosen. A constraint is waited for as soon as the values
//! that it mentions are known, so that few values are chosen in vain. A constraint with several cases, each of
//! which determines something, becomes branches of the step.
//!
//! A variable that is assigned in every state, `x := e`, follows from the others. If nothing else needs its next value, it is
//! computed after them, from what they are then. So values that are computed from each other are not written into each other.
//!
//! An assignment to a set is a choice of one of its alternatives by number. It needs no condition, so a model that
//! consists of assignments never waits: its steps have no guard, and every state has a successor.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use lang::syntax::{
    Binary as Operator, Block, Expr as Tree, ExprKind, Set, Span, Statement, StatementKind as Do,
};

use super::core::{Binary, Core, Kind, Unary, Variable};
use super::flat::Domain;
use super::model::Model;
use super::parser::Parsed;
use super::reading::{Reading, Running};
use super::sorts::Sort;
use super::syntax::Role;
use crate::text::refused;
use crate::tree::{binary, block, choice, expr, int, name, named, range, statement};

/// The greatest number of branches of a step.
const BRANCHES: usize = 4096;
/// How much of the constraints, in parts of expressions, branches may repeat.
const REPEATED: usize = 300_000;
/// Values of at most this size are written where they are used. Others get a name.
const SMALL: usize = 60;
/// The greatest number of alternatives of one assignment.
const ALTERNATIVES: u64 = 1 << 16;

/// A step.
pub(super) struct Step {
    pub(super) body: Block,
    /// Whether it may have to wait.
    pub(super) waits: bool,
}

/// What is known at a place of a step, and what is left to do.
#[derive(Clone)]
struct State {
    /// Next values, and values of inputs.
    known: BTreeMap<Variable, Tree>,
    /// The sizes of those that are larger than a name, or more.
    sizes: BTreeMap<Variable, usize>,
    /// Next values that are assigned, and what they depend on.
    assigned: Vec<(Variable, Core, BTreeSet<Variable>)>,
    constraints: Vec<(Core, BTreeSet<Variable>)>,
    /// In how many branches this one is.
    branches: usize,
}

struct Solver<'a> {
    model: &'a Model<'a>,
    process: usize,
    span: Span,
    waits: Cell<bool>,
    /// Variables that follow from the others, in an order in which they can be computed, and their values.
    following: Vec<(Variable, Core)>,
}

/// The step of a process. `given` are the inputs whose values are parameters of the step.
pub(super) fn step(model: &Model, process: usize, given: &[(Variable, Tree)]) -> Parsed<Step> {
    let flat = model.flat;
    let span = flat.processes[process].1;
    let mut solver = Solver { model, process, span, waits: Cell::new(false), following: Vec::new() };
    let mut state = State {
        known: BTreeMap::new(),
        sizes: BTreeMap::new(),
        assigned: Vec::new(),
        constraints: Vec::new(),
        branches: 1,
    };
    state.known.extend(given.iter().cloned());
    for (variable, declared) in flat.variables.iter().enumerate() {
        if declared.role != Role::State {
            continue;
        }
        if let Some(by_process) = flat.next.get(&variable) {
            match by_process.get(&process) {
                Some(value) => state.assigned.push((variable, value.clone(), solver.needs(value))),
                // Another process assigns it, so it stays as it is.
                None => {
                    state.known.insert(variable, model.places[variable].clone());
                }
            }
        } else if let Some(value) = flat.always.get(&variable) {
            let value = later(model, value)?;
            let needs = solver.needs(&value);
            state.assigned.push((variable, value, needs));
        }
    }
    for condition in &flat.trans {
        solver.constrain(&mut state, condition);
    }
    for condition in &flat.invar {
        solver.constrain(&mut state, &later(model, condition)?);
    }
    solver.put_off(&mut state);
    let statements = solver.statements(state)?;
    Ok(Step { body: block(statements, solver.span), waits: solver.waits.get() })
}

/// An expression about the next state.
pub(super) fn later(model: &Model, core: &Core) -> Parsed<Core> {
    match &core.kind {
        Kind::Read(variable) => match model.flat.variables[*variable].role {
            Role::State => Ok(Core::new(Kind::Later(*variable), core.span)),
            Role::Frozen => Ok(core.clone()),
            Role::Input => refused(core.span, "an input cannot be constrained in every state", "an IVAR"),
        },
        Kind::Later(_) => refused(core.span, "`next` has no meaning here", "about the current state only"),
        Kind::Running(_) => refused(core.span, "`running` has no meaning here", "about the state only"),
        Kind::Define(define) => later(model, &model.flat.defines[*define].body),
        _ => core.rebuilt(&mut |part| later(model, part)),
    }
}

impl Solver<'_> {
    /// The next values and inputs that an expression mentions.
    fn needs(&self, core: &Core) -> BTreeSet<Variable> {
        let mentions = self.model.flat.mentions(core);
        let inputs = mentions.now.into_iter().filter(|variable| self.model.is_input(*variable));
        mentions.later.into_iter().chain(inputs).collect()
    }

    /// Finds the variables that follow from the others, and leaves only the others to be determined.
    fn put_off(&mut self, state: &mut State) {
        let always = &self.model.flat.always;
        let follows = |variable: &Variable, value: &Core| {
            always.contains_key(variable) && self.alternatives(value) == 1
        };
        let (mut following, mut others): (Vec<_>, Vec<_>) =
            state.assigned.drain(..).partition(|(variable, value, _)| follows(variable, value));
        // What must be known earlier, and what that needs.
        let of_constraints = state.constraints.iter().flat_map(|(_, needs)| needs);
        let of_others = others.iter().flat_map(|(_, _, needs)| needs);
        let mut needed: BTreeSet<Variable> = of_constraints.chain(of_others).copied().collect();
        while let Some(at) = following.iter().position(|(variable, ..)| needed.contains(variable)) {
            let early = following.remove(at);
            needed.extend(&early.2);
            others.push(early);
        }
        let mut open: BTreeSet<Variable> = following.iter().map(|(variable, ..)| *variable).collect();
        let computable = |open: &BTreeSet<Variable>, (_, _, needs): &(Variable, Core, BTreeSet<Variable>)| {
            needs.is_disjoint(open)
        };
        while let Some(at) = following.iter().position(|one| computable(&open, one)) {
            let (variable, ..) = following.remove(at);
            open.remove(&variable);
            self.following.push((variable, always[&variable].clone()));
        }
        // The rest depends on itself, which is reported.
        state.assigned = others;
        state.assigned.extend(following);
        state.assigned.sort_by_key(|(variable, ..)| *variable);
    }

    fn follows(&self, variable: Variable) -> bool {
        self.following.iter().any(|(own, _)| *own == variable)
    }

    fn constrain(&self, state: &mut State, condition: &Core) {
        match self.opened(condition).kind {
            Kind::And(parts) => parts.iter().for_each(|part| self.constrain(state, part)),
            kind => {
                let condition = Core::new(kind, condition.span);
                let needs = self.needs(&condition);
                state.constraints.push((condition, needs));
            }
        }
    }

    /// A condition with its connective outside: definitions that are about the step, negations and implications are
    /// written out.
    fn opened(&self, condition: &Core) -> Core {
        let span = condition.span;
        match &condition.kind {
            Kind::Define(define) if self.model.define_names[*define].is_none() => {
                self.opened(&self.model.flat.defines[*define].body)
            }
            Kind::Binary(Binary::Implies, a, b) => {
                Core::new(Kind::Or(vec![(**a).clone().negated(), (**b).clone()]), span)
            }
            Kind::Unary(Unary::Not, a) => match self.opened(a).kind {
                Kind::And(parts) => Core::new(Kind::Or(parts.into_iter().map(Core::negated).collect()), span),
                Kind::Or(parts) => Core::new(Kind::And(parts.into_iter().map(Core::negated).collect()), span),
                Kind::Unary(Unary::Not, inner) => self.opened(&inner),
                Kind::If(c, x, y) if !matches!(y.kind, Kind::Nothing(_)) => {
                    Core::choice(*c, x.negated(), y.negated())
                }
                _ => condition.clone(),
            },
            _ => condition.clone(),
        }
    }

    fn reading<'b>(
        &'b self,
        known: &'b BTreeMap<Variable, Tree>,
        asserted: &'b RefCell<Vec<(Tree, &'static str)>>,
    ) -> Reading<'b> {
        let mut reading = Reading::new(self.model, known, Running::Process(self.process));
        reading.asserted = Some(asserted);
        reading
    }

    fn statements(&self, mut state: State) -> Parsed<Vec<Statement>> {
        let mut done = Vec::new();
        loop {
            let is_known =
                |needs: &BTreeSet<Variable>| needs.iter().all(|variable| state.known.contains_key(variable));
            // What is assigned.
            if let Some(at) = state.assigned.iter().position(|(_, _, needs)| is_known(needs)) {
                let (variable, value, _) = state.assigned.remove(at);
                if let Some(rest) = self.determine(&mut state, variable, &value, true, &mut done)? {
                    done.push(self.inside(rest, state)?);
                    return Ok(done);
                }
                continue;
            }
            // What can be tested.
            if let Some(at) = state.constraints.iter().position(|(_, needs)| is_known(needs)) {
                let (condition, _) = state.constraints.remove(at);
                let asserted = RefCell::default();
                let tree = self.reading(&state.known, &asserted).truth(&condition)?;
                Self::assert(&mut done, asserted);
                if tree.kind != ExprKind::Bool(true) {
                    self.waits.set(true);
                    done.push(statement(Do::Await(tree), condition.span));
                }
                continue;
            }
            // What a constraint determines.
            let found = state.constraints.iter().enumerate();
            let mut found =
                found.filter_map(|(at, (condition, _))| Some((at, self.determined(&state, condition)?)));
            if let Some((at, (variable, value))) = found.next() {
                state.constraints.remove(at);
                if let Some(rest) = self.determine(&mut state, variable, &value, false, &mut done)? {
                    done.push(self.inside(rest, state)?);
                    return Ok(done);
                }
                continue;
            }
            // Cases.
            if let Some((at, cases)) = self.cases(&state) {
                state.constraints.remove(at);
                done.push(self.branches(&state, cases)?);
                return Ok(done);
            }
            // A choice of a variable that some constraint is about, one with few unknown variables first.
            let unknown = |needs: &BTreeSet<Variable>| -> Vec<Variable> {
                needs.iter().copied().filter(|variable| !state.known.contains_key(variable)).collect()
            };
            let is_assigned = |variable: &Variable| state.assigned.iter().any(|(own, ..)| own == variable);
            let narrow = state.constraints.iter().map(|(_, needs)| unknown(needs)).min_by_key(Vec::len);
            let wanted = narrow
                .into_iter()
                .flatten()
                .chain(state.assigned.iter().flat_map(|(_, _, needs)| unknown(needs)));
            let free = (0..self.model.flat.variables.len()).filter(|variable| {
                self.model.flat.variables[*variable].role == Role::State
                    && !state.known.contains_key(variable)
                    && !self.follows(*variable)
            });
            let next = wanted.chain(free).find(|variable| !is_assigned(variable));
            let Some(variable) = next else {
                if let Some((variable, value, _)) = state.assigned.first() {
                    let path = self.model.flat.variables[*variable].path.join(".");
                    return refused(
                        value.span,
                        format!("the value of `{path}` depends on itself"),
                        "circular",
                    );
                }
                done.push(self.assignment(&state));
                done.extend(self.afterwards(&state)?);
                return Ok(done);
            };
            let called = name(self.model.next_names[variable].clone(), self.span);
            state.known.insert(variable, named(called.text.clone(), self.span));
            let set = self.domain(variable);
            let kind = Do::Choose {
                name: called,
                set,
                condition: None,
                body: block(self.statements(state)?, self.span),
            };
            done.push(statement(kind, self.span));
            return Ok(done);
        }
    }

    fn domain(&self, variable: Variable) -> Set {
        let span = self.span;
        match (self.model.members(variable), &self.model.flat.variables[variable].domain) {
            (Some(members), _) => Set::Listed(members, span),
            (None, Domain::Range(lo, hi)) => Set::Range(range(*lo, *hi, span)),
            (None, Domain::Word { signed: false, width }) => Set::Range(range(0, (1i64 << width) - 1, span)),
            (None, Domain::Word { width, .. }) => {
                let half = 1i64 << (width - 1);
                Set::Range(range(-half, half - 1, span))
            }
            (None, _) => Set::Range(range(0, 0, span)),
        }
    }

    fn assert(done: &mut Vec<Statement>, asserted: RefCell<Vec<(Tree, &'static str)>>) {
        for (condition, text) in asserted.into_inner() {
            let span = condition.span;
            let text = Some(name(text, span));
            done.push(statement(Do::Assert { condition, text }, span));
        }
    }

    /// Gives a variable its value. If it is one of several, the choice is returned and the rest is done inside it.
    fn determine(
        &self,
        state: &mut State,
        variable: Variable,
        value: &Core,
        assigned: bool,
        done: &mut Vec<Statement>,
    ) -> Parsed<Option<Chosen>> {
        let span = value.span;
        let sort = self.model.sorts.variable(variable);
        let alternatives = self.alternatives(value);
        if alternatives > ALTERNATIVES {
            return refused(span, format!("this set has more than {ALTERNATIVES} alternatives"), "too large");
        }
        let asserted = RefCell::default();
        let called = self.model.next_names[variable].clone();
        let mut before = Vec::new();
        let tree = {
            let reading = self.reading(&state.known, &asserted);
            let tree = if alternatives == 1 {
                Self::only(&reading, value, sort)?
            } else {
                let number = named(self.model.choice_names[variable].clone(), span);
                self.picked(&reading, value, &number, 0, sort)?
            };
            if let Some(fits) = reading.fits(variable, &tree, value) {
                if assigned {
                    before.extend(self.misfit(variable, fits));
                } else {
                    self.waits.set(true);
                    before.push(statement(Do::Await(fits), span));
                }
            }
            tree
        };
        let mut inside = Vec::new();
        Self::assert(&mut inside, asserted);
        inside.extend(before);
        let mentioned = |needs: &BTreeSet<Variable>| needs.contains(&variable);
        let used = state.assigned.iter().any(|(_, _, needs)| mentioned(needs))
            || state.constraints.iter().any(|(_, needs)| mentioned(needs));
        let simple = matches!(
            tree.kind,
            ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Field(..)
        );
        let inner = self.needs(value).iter().filter_map(|part| state.sizes.get(part)).max().copied();
        let size = value.size().saturating_mul(inner.unwrap_or(1));
        if used && !simple && size <= SMALL {
            state.sizes.insert(variable, size);
        }
        let known = if used && !simple && size > SMALL {
            let names = vec![Some(name(called.clone(), span))];
            inside.push(statement(Do::Let { names, value: tree, receives: false }, span));
            named(called, span)
        } else {
            tree
        };
        state.known.insert(variable, known);
        if alternatives == 1 {
            done.extend(inside);
            return Ok(None);
        }
        Ok(Some(Chosen { name: self.model.choice_names[variable].clone(), alternatives, inside, span }))
    }

    /// Reports a value that a variable cannot have, where its type does not.
    fn misfit(&self, variable: Variable, fits: Tree) -> Option<Statement> {
        let span = fits.span;
        let is_silent = matches!(self.model.sorts.variable(variable), Sort::Symbol(_))
            || matches!(self.model.flat.variables[variable].domain, Domain::Numbers(_));
        let text = Some(name("this value is not one of the variable's", span));
        is_silent.then(|| statement(Do::Assert { condition: fits, text }, span))
    }

    fn inside(
        &self,
        Chosen { name: called, alternatives, mut inside, span }: Chosen,
        state: State,
    ) -> Parsed<Statement> {
        inside.extend(self.statements(state)?);
        let set = Set::Range(range(0, alternatives as i64 - 1, span));
        let kind = Do::Choose { name: name(called, span), set, condition: None, body: block(inside, span) };
        Ok(statement(kind, span))
    }

    /// How many values an expression may have at most.
    fn alternatives(&self, core: &Core) -> u64 {
        match &core.kind {
            Kind::Set(parts) => {
                parts.iter().fold(0u64, |sum, part| sum.saturating_add(self.alternatives(part)))
            }
            Kind::Binary(Binary::Union, a, b) => self.alternatives(a).saturating_add(self.alternatives(b)),
            Kind::Range(lo, hi) => hi.saturating_sub(*lo).max(0) as u64 + 1,
            Kind::If(_, a, b) => self.alternatives(a).max(self.alternatives(b)),
            Kind::Define(define) if self.model.flat.defines[*define].mentions.set => {
                self.alternatives(&self.model.flat.defines[*define].body)
            }
            _ => 1,
        }
    }

    /// The value of an expression that has one, perhaps written as a set.
    fn only(reading: &Reading, core: &Core, sort: Sort) -> Parsed<Tree> {
        match &core.kind {
            Kind::Range(lo, _) => reading.value(&Core::new(Kind::Int(*lo), core.span), sort),
            _ => reading.value(core, sort),
        }
    }

    /// The alternative with a number, counted from `offset`; the last one if there are not as many.
    fn picked(&self, reading: &Reading, core: &Core, number: &Tree, offset: u64, sort: Sort) -> Parsed<Tree> {
        let span = core.span;
        let below = |end: u64| binary(Operator::Lt, number.clone(), int(end as i64, span));
        match &core.kind {
            Kind::Set(_) | Kind::Binary(Binary::Union, ..) => {
                let parts: Vec<&Core> = core.children();
                let mut starts = vec![offset];
                for part in &parts {
                    starts.push(starts[starts.len() - 1] + self.alternatives(part));
                }
                let last = parts.len() - 1;
                let mut all = self.picked(reading, parts[last], number, starts[last], sort)?;
                for at in (0..last).rev() {
                    all = choice(
                        below(starts[at + 1]),
                        self.picked(reading, parts[at], number, starts[at], sort)?,
                        all,
                    );
                }
                Ok(all)
            }
            Kind::Range(lo, hi) if matches!(sort, Sort::Symbol(_)) => {
                let values = (*lo..=*hi).map(|value| Core::new(Kind::Int(value), span)).collect();
                self.picked(reading, &Core::new(Kind::Set(values), span), number, offset, sort)
            }
            Kind::Range(lo, hi) => {
                let moved = binary(Operator::Add, number.clone(), int(lo - offset as i64, span));
                Ok(expr(ExprKind::Min(vec![moved, int(*hi, span)]), span))
            }
            Kind::If(c, a, b) => {
                reading.conditional(c, a, b, &|part| self.picked(reading, part, number, offset, sort))
            }
            Kind::Define(define) if self.model.flat.defines[*define].mentions.set => {
                self.picked(reading, &self.model.flat.defines[*define].body, number, offset, sort)
            }
            _ => reading.value(core, sort),
        }
    }

    /// The variable whose next value, or whose value as an input, this is, if it is not known yet.
    fn target(&self, state: &State, core: &Core) -> Option<Variable> {
        let variable = match core.kind {
            Kind::Later(variable) => variable,
            Kind::Read(variable) if self.model.is_input(variable) => variable,
            _ => return None,
        };
        let open =
            !state.known.contains_key(&variable) && !state.assigned.iter().any(|(own, ..)| *own == variable);
        open.then_some(variable)
    }

    /// The variable that a constraint determines, and its value.
    fn determined(&self, state: &State, condition: &Core) -> Option<(Variable, Core)> {
        let is_known =
            |core: &Core| self.needs(core).iter().all(|variable| state.known.contains_key(variable));
        match &condition.kind {
            Kind::Unary(Unary::Not, a) => {
                Some((self.target(state, a)?, Core::new(Kind::Bool(false), condition.span)))
            }
            Kind::Binary(Binary::Eq | Binary::Iff, a, b) => {
                [(a, b), (b, a)].into_iter().find_map(|(target, value)| {
                    let variable = self.target(state, target)?;
                    let same = self.sort_fits(variable, value) && !self.model.flat.mentions(value).set;
                    (same && is_known(value)).then(|| (variable, (**value).clone()))
                })
            }
            Kind::Binary(Binary::In, a, set) => {
                let variable = self.target(state, a)?;
                (self.sort_fits(variable, set) && is_known(set)).then(|| (variable, (**set).clone()))
            }
            // Each side determines the same variable.
            Kind::If(c, a, b) if is_known(c) => {
                let (variable, yes) = self.determined(state, a)?;
                let (other, no) = match b.kind {
                    Kind::Nothing(_) => (variable, (**b).clone()),
                    _ => self.determined(state, b)?,
                };
                (variable == other).then(|| (variable, Core::choice((**c).clone(), yes, no)))
            }
            _ => Some((self.target(state, condition)?, Core::new(Kind::Bool(true), condition.span))),
        }
    }

    fn sort_fits(&self, variable: Variable, value: &Core) -> bool {
        match (self.model.sorts.variable(variable), self.model.sorts.of(value)) {
            (Sort::Symbol(_), Sort::Number) => true,
            (own, other) => own == other,
        }
    }

    /// A constraint with cases that determine something.
    fn cases(&self, state: &State) -> Option<(usize, Vec<Core>)> {
        for (at, (condition, needs)) in state.constraints.iter().enumerate() {
            let cases = match self.opened(condition).kind {
                Kind::Or(parts) => self.flattened(parts),
                Kind::If(c, a, b) => {
                    let yes = Core::new(Kind::And(vec![(*c).clone(), *a]), condition.span);
                    match b.kind {
                        // None of the conditions is true: an error of the model, which is found when the whole is tested.
                        Kind::Nothing(_) => continue,
                        _ => vec![yes, Core::new(Kind::And(vec![c.negated(), *b]), condition.span)],
                    }
                }
                _ => continue,
            };
            // A single variable is chosen and tested at once. Branches repeat what is left to do.
            let unknown = needs.iter().filter(|variable| !state.known.contains_key(variable)).count();
            let others = state.constraints.iter().enumerate().filter(|(other, _)| *other != at);
            let rest: usize = others.map(|(_, (condition, _))| condition.size()).sum();
            let branches = state.branches.saturating_mul(cases.len());
            let fits = unknown > 1 && branches <= BRANCHES && branches.saturating_mul(rest + 1) <= REPEATED;
            if fits && cases.iter().all(|case| self.is_useful(state, case)) {
                return Some((at, cases));
            }
        }
        None
    }

    fn flattened(&self, parts: Vec<Core>) -> Vec<Core> {
        let mut found = Vec::new();
        for part in parts {
            match self.opened(&part).kind {
                Kind::Or(inner) => found.extend(self.flattened(inner)),
                kind => found.push(Core::new(kind, part.span)),
            }
        }
        found
    }

    /// Whether a case determines something, or needs nothing that is unknown.
    fn is_useful(&self, state: &State, case: &Core) -> bool {
        let mut inner = State { constraints: Vec::new(), ..state.clone() };
        self.constrain(&mut inner, case);
        inner.constraints.iter().any(|(condition, _)| self.determined(state, condition).is_some())
            || inner
                .constraints
                .iter()
                .all(|(_, needs)| needs.iter().all(|variable| state.known.contains_key(variable)))
    }

    fn branches(&self, state: &State, cases: Vec<Core>) -> Parsed<Statement> {
        let branches = state.branches * cases.len();
        let mut blocks = Vec::new();
        for case in cases {
            let mut inner = State { branches, ..state.clone() };
            self.constrain(&mut inner, &case);
            blocks.push(block(self.statements(inner)?, case.span));
        }
        self.waits.set(true);
        Ok(statement(Do::Either(blocks), self.span))
    }

    /// All state variables get their next values.
    fn assignment(&self, state: &State) -> Statement {
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        for (variable, declared) in self.model.flat.variables.iter().enumerate() {
            let place = &self.model.places[variable];
            if declared.role == Role::State && !self.follows(variable) && state.known[&variable] != *place {
                targets.push(place.clone());
                values.push(state.known[&variable].clone());
            }
        }
        let kind = if targets.is_empty() { Do::Skip } else { Do::Assign { targets, values } };
        statement(kind, self.span)
    }

    /// Gives the variables that follow from the others their values.
    fn afterwards(&self, state: &State) -> Parsed<Vec<Statement>> {
        let mut done = Vec::new();
        for (variable, value) in &self.following {
            let asserted = RefCell::default();
            let reading = self.reading(&state.known, &asserted);
            let tree = Self::only(&reading, value, self.model.sorts.variable(*variable))?;
            let fits = reading.fits(*variable, &tree, value);
            drop(reading);
            Self::assert(&mut done, asserted);
            done.extend(fits.and_then(|fits| self.misfit(*variable, fits)));
            let targets = vec![self.model.places[*variable].clone()];
            done.push(statement(Do::Assign { targets, values: vec![tree] }, value.span));
        }
        Ok(done)
    }
}

/// A choice of an alternative.
struct Chosen {
    name: String,
    alternatives: u64,
    /// What is done first inside it.
    inside: Vec<Statement>,
    span: Span,
}
