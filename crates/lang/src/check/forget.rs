//! Forgets variables whose values can no longer matter.
//!
//! A local variable is *live* at a location if some way of control from there reads it before it is written again. A step
//! after which it is not live sets it back to its initial value. So a variable that only holds a received message until
//! it is used, or counts the rounds of a loop, makes no states of its own. A process without code has one location, and so
//! has the system as a whole, for shared variables: these are forgotten if every action writes them before it reads them.
//!
//! States that differ in variables that are not live have the same actions, with the same outcomes up to such
//! variables. So the system with the resets and the one without are bisimilar, and no property can tell them apart that
//! does not read these variables. Strong global fairness can, because it counts the steps of the state graph. Therefore
//! nothing is forgotten in a file that assumes it, and no variable that a property, a fairness or another process reads
//! (decision 0030). A guarded command acts at every location, so what it reads is live everywhere. The messages of a channel
//! are not forgotten, even if nobody reads them: a queue whose messages have other values would be hard to understand.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use model::expr::Operator;
use model::system::{Initial, Participant};
use model::{Action, Expr, FamilyId, Place, Subject, System, Task, Update, VariableId};

use super::fold;
use super::paths::{in_expr, sequence};
use crate::{Check, Kept, Model};

/// The part of one process in an action.
struct Part<'s> {
    /// The process, in the action.
    own: Option<Expr>,
    action: &'s Action,
    /// Where it acts; `None` for everywhere.
    at: Option<i64>,
}

/// Where control may be after some of an update, and whether the variable has been written by then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// `None` if the location has not changed.
    to: Option<i64>,
    written: bool,
}

/// What an action does to one variable of one process.
struct Effect {
    /// Whether it may read it before it writes it.
    reads: bool,
    /// Whether it may read it at all.
    mentions: bool,
    /// Whether it may write it.
    writes: bool,
    ways: BTreeSet<Way>,
}

/// The model with its local variables set back where they are not live. One with open parameters, unbounded integers or
/// strong global fairness stays as it is. [`Model::as_written`] leads back.
#[must_use]
pub fn forget(model: Model) -> Model {
    if model.subject.instance().is_none() || !model.system().is_bounded() {
        return model;
    }
    let global = |check: &&Check| check.task.fairness.alternatives.iter().any(|assumption| assumption.global);
    if let Some(check) = model.checks.iter().find(global) {
        let property = check.task.property.name.to_string();
        let all = (0..model.system().variables.len() as u32).map(|id| (VariableId(id), property.clone()));
        let kept = reset(&mut (**model.system()).clone(), &all.collect());
        let kept = kept.into_iter().map(|kept| Kept { global: true, ..kept }).collect();
        return Model { kept, ..model };
    }
    let mut read: BTreeMap<VariableId, String> = BTreeMap::new();
    for Check { task, .. } in &model.checks {
        let requirements = task.fairness.alternatives.iter().flat_map(|assumption| &assumption.requirements);
        let fairness = requirements.flat_map(|requirement| [&requirement.when, &requirement.then]);
        for expr in task.property.kind.atoms().into_iter().chain(fairness) {
            in_expr(expr, &mut |variable, _| {
                read.entry(variable).or_insert_with(|| task.property.name.to_string());
            });
        }
    }
    let mut system = (**model.system()).clone();
    let kept = reset(&mut system, &read);
    if system == **model.system() {
        return Model { kept, ..model };
    }
    // A system that differs in updates only has an instance if the other has one.
    let Ok(subject) = Subject::new(Arc::new(system)) else { return model };
    let checks = model.checks.iter().cloned().map(|check| {
        let task = Task { subject: subject.clone(), ..check.task };
        Check { task, ..check }
    });
    let (integers, lines) = (model.integers.clone(), model.lines.clone());
    Model { checks: checks.collect(), subject, integers, lines, kept, written: Some(Arc::new(model)) }
}

/// Resets the variables of a system where they are not live. `read` are the variables that must keep their values, each with
/// a property that reads it. Returns those that would be reset but for that.
fn reset(system: &mut System, read: &BTreeMap<VariableId, String>) -> Vec<Kept> {
    let channels = system.channels.iter().flat_map(|channel| channel.fields.iter().chain([&channel.length]));
    let messages: BTreeSet<VariableId> = channels.copied().collect();
    let mut resets: BTreeMap<usize, Vec<Update>> = BTreeMap::new();
    let mut kept: Vec<Kept> = Vec::new();
    for (number, variable) in system.variables.iter().enumerate() {
        let id = VariableId(number as u32);
        let location = variable.owner.and_then(|family| system.family(family).location);
        if Some(id) == location || messages.contains(&id) {
            continue;
        }
        let own = resets_of(system, id, variable.owner, location).unwrap_or_default();
        if let Some(property) = read.get(&id) {
            let variable = name_of(system, id);
            if !own.is_empty() && kept.iter().all(|known| known.variable != variable) {
                kept.push(Kept { variable, property: property.clone(), global: false });
            }
            continue;
        }
        for (action, update) in own {
            resets.entry(action).or_default().push(update);
        }
    }
    for (action, resets) in resets {
        let update = std::mem::replace(&mut system.actions[action].update, Update::Skip);
        let updates = std::iter::once(update).chain(joined(resets));
        system.actions[action].update = sequence(updates.collect());
    }
    kept
}

/// A variable as the user knows it: `P.y`. A part of a record, a set or a sequence has the name of the whole.
fn name_of(system: &System, id: VariableId) -> String {
    let variable = system.variable(id);
    let name = system.shaped(id).map_or(&variable.name, |(whole, _)| &whole.name);
    match variable.owner {
        Some(family) => format!("{}.{name}", system.family(family).name),
        None => name.clone(),
    }
}

/// Resets under the same condition become one.
fn joined(resets: Vec<Update>) -> Vec<Update> {
    let mut always = Vec::new();
    let mut tested: Vec<(Expr, Vec<(Place, Expr)>)> = Vec::new();
    for reset in resets {
        match reset {
            Update::Assign(assignments) => always.extend(assignments),
            Update::If(condition, yes, _) => {
                let Update::Assign(assignments) = *yes else { continue };
                match tested.iter_mut().find(|(own, _)| *own == condition) {
                    Some((_, known)) => known.extend(assignments),
                    None => tested.push((condition, assignments)),
                }
            }
            _ => {}
        }
    }
    let mut updates = Vec::new();
    if !always.is_empty() {
        updates.push(Update::Assign(always));
    }
    for (condition, assignments) in tested {
        updates.push(Update::If(condition, Box::new(Update::Assign(assignments)), Box::new(Update::Skip)));
    }
    updates
}

/// The resets of one variable, each with the number of its action; `None` if the variable must keep its value.
fn resets_of(
    system: &System,
    variable: VariableId,
    family: Option<FamilyId>,
    location: Option<VariableId>,
) -> Option<Vec<(usize, Update)>> {
    let mut parts = Vec::new();
    for (number, action) in system.actions.iter().enumerate() {
        let Some(family) = family else {
            parts.push((number, Part { own: None, action, at: None }));
            continue;
        };
        let own: Vec<&Participant> = action.participants.iter().filter(|own| own.family == family).collect();
        for participant in &own {
            let own = participant.process();
            let at = location.and_then(|location| location_of(&action.guard, location, own.as_ref()));
            parts.push((number, Part { own, action, at }));
        }
        // Only the process itself may read it.
        let owners: Vec<Option<Expr>> = own.iter().map(|own| own.process()).collect();
        let mut foreign = false;
        in_action(action, &mut |expr| foreign |= is_foreign(expr, variable, &owners));
        if foreign {
            return None;
        }
    }
    let mut effects = Vec::new();
    for (number, part) in &parts {
        let (reads, mentions, writes) = (false, false, false);
        let mut walk = Walk { variable, location, own: part.own.as_ref(), system, reads, mentions, writes };
        walk.expr(&part.action.guard, &BTreeSet::from([START]));
        let ways = walk.update(&part.action.update, BTreeSet::from([START]))?;
        effects.push((
            *number,
            part,
            Effect { reads: walk.reads, mentions: walk.mentions, writes: walk.writes, ways },
        ));
    }
    if effects.iter().all(|(_, _, effect)| !effect.writes) {
        return None;
    }
    // A shared variable that is only written is there to be looked at.
    if family.is_none() && effects.iter().all(|(_, _, effect)| !effect.mentions) {
        return None;
    }
    let places = match location.map(|location| &system.variable(location).kind.scalar) {
        None => 1,
        Some(model::system::Scalar::Enum(id)) => system.enumeration(*id).members.len() as i64,
        Some(_) => return None,
    };
    let live = live(places, &effects);
    let (values, single) = reset_values(system, variable)?;
    let mut resets = Vec::new();
    for (number, part, effect) in &effects {
        let here = |at: i64| part.at.is_none_or(|own| own == at);
        let after: BTreeSet<i64> = (0..places)
            .filter(|at| here(*at))
            .flat_map(|at| effect.ways.iter().map(move |way| way.to.unwrap_or(at)))
            .collect();
        // Where it is not live before and not written it has its initial value already.
        let stale = effect.writes || !single || (0..places).any(|at| here(at) && live.contains(&at));
        let dead: Vec<i64> = after.iter().copied().filter(|at| !live.contains(at)).collect();
        if !stale || dead.is_empty() {
            continue;
        }
        let process = part.own.clone().map(Box::new);
        let assignments: Vec<(Place, Expr)> = values
            .iter()
            .map(|(position, value)| {
                let index = family.and_then(|family| system.family(family).index.as_ref());
                let value = match (index, &part.own) {
                    (Some(binder), Some(own)) => fold::replace(value, binder.index, own),
                    _ => value.clone(),
                };
                (Place { variable, process: process.clone(), position: position.clone() }, value)
            })
            .collect();
        let reset = Update::Assign(assignments);
        if dead.len() == after.len() {
            resets.push((*number, reset));
        } else if let Some(location) = location {
            let at = Expr::Read(Place { variable: location, process, position: Vec::new() });
            let there = fold::or(dead.into_iter().map(|place| Expr::eq(at.clone(), Expr::Int(place))));
            resets.push((*number, Update::If(there, Box::new(reset), Box::new(Update::Skip))));
        }
    }
    Some(resets)
}

/// The beginning of a step.
const START: Way = Way { to: None, written: false };

/// The locations at which a variable is live: the least solution of the equations.
fn live(places: i64, effects: &[(usize, &Part<'_>, Effect)]) -> BTreeSet<i64> {
    let mut live = BTreeSet::new();
    loop {
        let before = live.len();
        for at in 0..places {
            let needed = effects.iter().any(|(_, part, effect)| {
                let needs = |way: &Way| !way.written && live.contains(&way.to.unwrap_or(at));
                part.at.is_none_or(|own| own == at) && (effect.reads || effect.ways.iter().any(needs))
            });
            if needed {
                live.insert(at);
            }
        }
        if live.len() == before {
            return live;
        }
    }
}

/// The location at which a process acts, if its guard says so.
fn location_of(guard: &Expr, location: VariableId, own: Option<&Expr>) -> Option<i64> {
    let parts = if let Expr::And(parts) = guard { parts.as_slice() } else { std::slice::from_ref(guard) };
    parts.iter().find_map(|part| match part {
        Expr::Binary(Operator::Eq, a, b) => match (&**a, &**b) {
            (Expr::Read(place), Expr::Int(at))
                if place.variable == location && place.process.as_deref() == own =>
            {
                Some(*at)
            }
            _ => None,
        },
        _ => None,
    })
}

/// Whether an expression reads a variable of a process that does not act.
fn is_foreign(expr: &Expr, variable: VariableId, owners: &[Option<Expr>]) -> bool {
    expr.any(&mut |part| match part {
        Expr::Read(place) if place.variable == variable => {
            !owners.iter().any(|own| own.as_ref() == place.process.as_deref())
        }
        _ => false,
    })
}

/// Calls `f` with every expression of an action.
fn in_action(action: &Action, f: &mut dyn FnMut(&Expr)) {
    f(&action.guard);
    for parameter in &action.parameters {
        f(&parameter.span.lo);
        f(&parameter.span.hi);
    }
    in_update(&action.update, f);
}

fn in_update(update: &Update, f: &mut dyn FnMut(&Expr)) {
    match update {
        Update::Skip => {}
        Update::Assign(assignments) => {
            for (place, value) in assignments {
                place.process.iter().map(|own| &**own).chain(&place.position).for_each(&mut *f);
                f(value);
            }
        }
        Update::Sequence(updates) => updates.iter().for_each(|update| in_update(update, f)),
        Update::If(condition, yes, no) => {
            f(condition);
            in_update(yes, f);
            in_update(no, f);
        }
        Update::Either(branches) => {
            for (condition, branch) in branches {
                f(condition);
                in_update(branch, f);
            }
        }
        Update::Choose(binder, condition, body) => {
            f(&binder.span.lo);
            f(&binder.span.hi);
            f(condition);
            in_update(body, f);
        }
    }
}

/// Follows an update along all its ways.
struct Walk<'s> {
    variable: VariableId,
    location: Option<VariableId>,
    own: Option<&'s Expr>,
    system: &'s System,
    reads: bool,
    mentions: bool,
    writes: bool,
}

impl Walk<'_> {
    /// Notes whether an expression reads the variable on a way on which it is not written.
    fn expr(&mut self, expr: &Expr, ways: &BTreeSet<Way>) {
        if self.mentions && ways.iter().all(|way| way.written) {
            return;
        }
        let (variable, own) = (self.variable, self.own);
        let reads = |part: &Expr| matches!(part, Expr::Read(place) if place.variable == variable && place.process.as_deref() == own);
        if expr.any(&mut |part| reads(part)) {
            self.mentions = true;
            self.reads |= !ways.iter().all(|way| way.written);
        }
    }

    /// The ways after an update; `None` if they are not known.
    fn update(&mut self, update: &Update, ways: BTreeSet<Way>) -> Option<BTreeSet<Way>> {
        match update {
            Update::Skip => Some(ways),
            Update::Assign(assignments) => self.assign(assignments, ways),
            Update::Sequence(updates) => {
                updates.iter().try_fold(ways, |ways, update| self.update(update, ways))
            }
            Update::If(condition, yes, no) => {
                self.expr(condition, &ways);
                let mut after = self.update(yes, ways.clone())?;
                after.extend(self.update(no, ways)?);
                Some(after)
            }
            Update::Either(branches) => {
                let mut after = BTreeSet::new();
                for (condition, branch) in branches {
                    self.expr(condition, &ways);
                    after.extend(self.update(branch, ways.clone())?);
                }
                Some(after)
            }
            Update::Choose(binder, condition, body) => {
                for part in [&*binder.span.lo, &*binder.span.hi, condition] {
                    self.expr(part, &ways);
                }
                self.update(body, ways)
            }
        }
    }

    fn assign(&mut self, assignments: &[(Place, Expr)], mut ways: BTreeSet<Way>) -> Option<BTreeSet<Way>> {
        let mut written = BTreeSet::new();
        for (place, value) in assignments {
            place.position.iter().chain([value]).for_each(|part| self.expr(part, &ways));
        }
        for (place, value) in assignments {
            if place.process.as_deref() != self.own {
                continue;
            }
            if Some(place.variable) == self.location {
                let Expr::Int(to) = value else { return None };
                ways = ways.into_iter().map(|way| Way { to: Some(*to), ..way }).collect();
            }
            if place.variable == self.variable {
                self.writes = true;
                let position: Option<Vec<i64>> = place.position.iter().map(fold::constant).collect();
                written.extend(position);
            }
        }
        if Some(written.len() as u64) == elements(self.system, self.variable) {
            ways = ways.into_iter().map(|way| Way { written: true, ..way }).collect();
        }
        Some(ways)
    }
}

/// The number of elements of a variable, if that is known.
fn elements(system: &System, variable: VariableId) -> Option<u64> {
    system.variable(variable).kind.dimensions.iter().try_fold(1u64, |total, span| {
        match (&*span.lo, &*span.hi) {
            (Expr::Int(lo), Expr::Int(hi)) => total.checked_mul(hi.abs_diff(*lo).checked_add(1)?),
            _ => None,
        }
    })
}

/// The elements of a variable with the values to which they are reset, and whether it begins with just these.
#[allow(clippy::type_complexity)] // positions with their values
fn reset_values(system: &System, variable: VariableId) -> Option<(Vec<(Vec<Expr>, Expr)>, bool)> {
    /// A variable with more elements keeps its value, because resetting it would cost more than it saves.
    const ELEMENTS: u64 = 64;
    let own = system.variable(variable);
    let count = elements(system, variable).filter(|count| *count <= ELEMENTS)?;
    let default = super::Checker::default_value(&own.kind.scalar);
    let (values, single): (Vec<Expr>, bool) = match &own.initial {
        Initial::Among(values) if values.len() == 1 => (vec![values[0].clone(); count as usize], true),
        Initial::Elements(values) if values.len() as u64 == count => (values.clone(), true),
        _ => (vec![default; count as usize], false),
    };
    let mut positions: Vec<Vec<Expr>> = vec![Vec::new()];
    for span in &own.kind.dimensions {
        let (Expr::Int(lo), Expr::Int(hi)) = (&*span.lo, &*span.hi) else { return None };
        positions = positions
            .into_iter()
            .flat_map(|outer| {
                (*lo..=*hi).map(move |index| outer.iter().cloned().chain([Expr::Int(index)]).collect())
            })
            .collect();
    }
    Some((positions.into_iter().zip(values).collect(), single))
}
