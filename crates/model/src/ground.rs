//! Grounding: the same expressions with every index replaced by its value and every quantifier unrolled.
//!
//! Engines that need a flat system call this instead of carrying environments. A ground expression has no
//! [`Expr::Index`], [`Expr::Quantified`] or [`Expr::Enabled`] (which becomes the disjunction of guards). The
//! processes and arguments of [`Expr::Taken`] are constants unless they read variables. Constants are folded where
//! that removes no fault: `false && e` becomes `false`, but `e && false` stays if `e` may fault. Grounding preserves
//! the value and the fault of an expression in every state; a test compares it with [`semantics`](crate::semantics).
//! The size grows by the product of the nested spans.

use std::collections::BTreeSet;

use crate::expr::{Binder, Expr, Index, Operator, Pattern, Place, Quantifier, Span};
use crate::fairness::{Assumption, Fairness, Requirement};
use crate::instance::{ActionId, Environment, Instance};
use crate::property::{Ctl, Formula, Kind, Never};
use crate::semantics;
use crate::system::Update;

/// Updates with more parts take too much memory if choices are unrolled.
pub const PARTS: usize = 1 << 20;

/// An expression without indices, quantifiers and `enabled`.
pub fn expression(instance: &Instance, expr: &Expr, environment: &mut Environment) -> Expr {
    let mut ground = |expr: &Expr| expression(instance, expr, environment);
    match expr {
        Expr::Bool(_) | Expr::Int(_) | Expr::Parameter(_) => expr.clone(),
        Expr::Index(index) => environment.get(*index).map_or_else(|| expr.clone(), Expr::Int),
        Expr::Read(place) => Expr::Read(self::place(instance, place, environment)),
        Expr::Not(a) => match ground(a) {
            Expr::Bool(value) => Expr::Bool(!value),
            other => Expr::Not(Box::new(other)),
        },
        Expr::Neg(a) => match ground(a) {
            Expr::Int(value) if value != i64::MIN => Expr::Int(-value),
            other => Expr::Neg(Box::new(other)),
        },
        Expr::And(parts) => conjunction(parts.iter().map(ground)),
        Expr::Or(parts) => disjunction(parts.iter().map(ground)),
        Expr::Sum(parts) => sum(parts.iter().map(ground).collect()),
        Expr::Min(parts) => extreme(parts.iter().map(ground).collect(), Iterator::min, Expr::Min),
        Expr::Max(parts) => extreme(parts.iter().map(ground).collect(), Iterator::max, Expr::Max),
        Expr::Binary(operator, a, b) => {
            let (a, b) = (ground(a), ground(b));
            fold(*operator, a, b)
        }
        Expr::If(condition, a, b) => match ground(condition) {
            Expr::Bool(true) => ground(a),
            Expr::Bool(false) => ground(b),
            other => {
                let (a, b) = (ground(a), ground(b));
                Expr::If(Box::new(other), Box::new(a), Box::new(b))
            }
        },
        Expr::Quantified(quantifier, binder, body) => {
            let parts = over(binder, environment, |environment| expression(instance, body, environment));
            let as_number = |part| match part {
                Expr::Bool(value) => Expr::Int(i64::from(value)),
                other => Expr::If(Box::new(other), Box::new(Expr::Int(1)), Box::new(Expr::Int(0))),
            };
            match quantifier {
                Quantifier::Forall => conjunction(parts.into_iter()),
                Quantifier::Exists => disjunction(parts.into_iter()),
                Quantifier::Count => sum(parts.into_iter().map(as_number).collect()),
                Quantifier::Sum => sum(parts),
                Quantifier::Min => Expr::Min(parts),
                Quantifier::Max => Expr::Max(parts),
            }
        }
        Expr::Taken(pattern) => Expr::Taken(self::pattern(instance, pattern, environment)),
        Expr::Enabled(pattern) => enabled(instance, pattern, environment),
    }
}

/// The guard of an action, without indices.
pub fn guard(instance: &Instance, action: ActionId) -> Expr {
    let action = instance.action(action);
    expression(instance, &instance.system.actions[action.action].guard, &mut action.environment.clone())
}

/// The update of an action, without indices; [`Update::Choose`] becomes [`Update::Either`]. A choice among all
/// integers stays, with its index.
pub fn update(instance: &Instance, action: ActionId) -> Update {
    update_within(instance, action, usize::MAX)
}

/// The same; but if it would have more than `most` parts, choices stay, with their indices, where indices are only read as
/// values.
pub fn update_within(instance: &Instance, action: ActionId, most: usize) -> Update {
    let action = instance.action(action);
    let update = &instance.system.actions[action.action].update;
    let environment = &mut action.environment.clone();
    let keeps = most < usize::MAX && !has_room(update, environment, &mut most.clone());
    ground_update(instance, update, environment, keeps)
}

/// The ways to resolve the choices of an action: its update without indices, with one branch in each [`Update::Either`].
/// Whatever the action does in a state, it does in one of these ways. `None` if there are more than `most`.
pub fn ways(instance: &Instance, action: ActionId, most: usize) -> Option<Vec<Update>> {
    ways_of(&update_within(instance, action, PARTS), most)
}

fn ways_of(update: &Update, most: usize) -> Option<Vec<Update>> {
    let ways = match update {
        Update::Skip | Update::Assign(_) => vec![update.clone()],
        Update::Sequence(updates) => {
            let mut ways = vec![Vec::new()];
            for update in updates {
                let next = ways_of(update, most)?;
                if ways.len() * next.len() > most {
                    return None;
                }
                let longer = |way: &Vec<Update>| -> Vec<Vec<Update>> {
                    next.iter().map(|last| way.iter().chain([last]).cloned().collect()).collect()
                };
                ways = ways.iter().flat_map(longer).collect();
            }
            ways.into_iter().map(Update::Sequence).collect()
        }
        // A state goes into one of the branches, so each way of a branch need only occur once.
        Update::If(condition, yes, no) => {
            let (yes, no) = (ways_of(yes, most)?, ways_of(no, most)?);
            let nth = |ways: &[Update], n: usize| Box::new(ways[n.min(ways.len() - 1)].clone());
            let both = |n| Update::If(condition.clone(), nth(&yes, n), nth(&no, n));
            (0..yes.len().max(no.len())).map(both).collect()
        }
        Update::Either(branches) => {
            let mut ways = Vec::new();
            for (condition, branch) in branches {
                let alone = |way| Update::Either(vec![(condition.clone(), way)]);
                ways.extend(ways_of(branch, most)?.into_iter().map(alone));
            }
            ways
        }
        Update::Choose(..) => return None,
    };
    (!ways.is_empty() && ways.len() <= most).then_some(ways)
}

/// A fairness assumption whose requirements have no binders. Only requirements that
/// [exist](semantics::exists) are in it.
pub fn fairness(instance: &Instance, fairness: &Fairness) -> Fairness {
    let mut alternatives = Vec::new();
    for assumption in &fairness.alternatives {
        let requirements =
            requirements(instance, assumption).into_iter().map(|(_, _, ground)| ground).collect();
        alternatives.push(Assumption { requirements, global: assumption.global });
    }
    Fairness { alternatives }
}

/// The ground requirements of one assumption, in the same order as [`fairness`] lists them. Each comes with its
/// position in the assumption and the values of its binders.
pub fn requirements(instance: &Instance, assumption: &Assumption) -> Vec<(usize, Vec<i64>, Requirement)> {
    let mut ground = Vec::new();
    for (number, requirement) in assumption.requirements.iter().enumerate() {
        let mut push = |values: &[i64], requirement| ground.push((number, values.to_vec(), requirement));
        ground_requirement(instance, requirement, &mut Vec::new(), &mut Environment::default(), &mut push);
    }
    ground
}

/// A formula without quantifiers, its atoms ground.
pub fn formula(instance: &Instance, formula: &Formula, environment: &mut Environment) -> Formula {
    match formula {
        Formula::Atom(atom) => Formula::Atom(expression(instance, atom, environment)),
        Formula::Forall(binder, body) => {
            Formula::And(over(binder, environment, |environment| self::formula(instance, body, environment)))
        }
        Formula::Exists(binder, body) => {
            Formula::Or(over(binder, environment, |environment| self::formula(instance, body, environment)))
        }
        _ => formula.map(&mut |part| self::formula(instance, part, environment)),
    }
}

/// A CTL formula without quantifiers over indices, its atoms ground.
pub fn ctl(instance: &Instance, formula: &Ctl, environment: &mut Environment) -> Ctl {
    match formula {
        Ctl::Atom(atom) => Ctl::Atom(expression(instance, atom, environment)),
        Ctl::Forall(binder, body) => {
            Ctl::And(over(binder, environment, |environment| ctl(instance, body, environment)))
        }
        Ctl::Exists(binder, body) => {
            Ctl::Or(over(binder, environment, |environment| ctl(instance, body, environment)))
        }
        _ => formula.map(&mut |part| ctl(instance, part, environment)),
    }
}

/// What a property claims, without indices.
pub fn kind(instance: &Instance, kind: &Kind) -> Kind {
    let environment = &mut Environment::default();
    match kind {
        Kind::Invariant(expr) => Kind::Invariant(expression(instance, expr, environment)),
        Kind::Ltl(formula) => Kind::Ltl(self::formula(instance, formula, environment)),
        Kind::Ctl(formula) => Kind::Ctl(ctl(instance, formula, environment)),
        Kind::Never(never) => {
            let atoms = never.atoms.iter().map(|atom| expression(instance, atom, environment)).collect();
            Kind::Never(Never { atoms, ..never.clone() })
        }
    }
}

/// The cells a ground expression may read, event atoms excepted.
pub fn reads(instance: &Instance, expr: &Expr) -> BTreeSet<usize> {
    let mut cells = BTreeSet::new();
    expr.any(&mut |expr| {
        if let Expr::Read(place) = expr {
            match instance.constant_cell(place) {
                Some(Ok(cell)) => {
                    cells.insert(cell);
                }
                Some(Err(_)) => {}
                None => cells.extend(
                    (0..instance.cells.len()).filter(|&cell| instance.cells[cell].variable == place.variable),
                ),
            }
        }
        false
    });
    cells
}

/// Whether the guard of an action is false in every state, and evaluating it never faults.
///
/// `own` are the indices of the action's participants: reading their locals is never a fault.
pub(crate) fn is_false(guard: &Expr, own: &[Index], environment: &mut Environment) -> bool {
    match guard {
        Expr::And(parts) => {
            for part in parts {
                if is_false(part, own, environment) {
                    return true;
                }
                if !is_total(part, own) {
                    return false;
                }
            }
            false
        }
        other if other.is_rigid() => semantics::rigid(other, environment) == Ok(0),
        _ => false,
    }
}

/// Whether an expression certainly evaluates without a fault. May be false for an expression that does.
fn is_total(expr: &Expr, own: &[Index]) -> bool {
    !expr.any(&mut |expr| match expr {
        Expr::Neg(_) | Expr::Sum(_) | Expr::Min(_) | Expr::Max(_) | Expr::Taken(_) | Expr::Enabled(_) => true,
        Expr::Binary(operator, _, _) => {
            matches!(operator, Operator::Sub | Operator::Mul | Operator::Div | Operator::Mod)
        }
        Expr::Quantified(quantifier, _, _) => !matches!(quantifier, Quantifier::Forall | Quantifier::Exists),
        Expr::Read(place) => {
            let is_own = |process: &Expr| matches!(process, Expr::Index(index) if own.contains(index));
            !place.position.is_empty() || !place.process.as_deref().is_none_or(is_own)
        }
        _ => false,
    })
}

fn conjunction(parts: impl Iterator<Item = Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for part in parts {
        match part {
            Expr::Bool(true) => {}
            Expr::Bool(false) if kept.iter().all(|part| is_total(part, &[])) => return Expr::Bool(false),
            Expr::Bool(false) => {
                kept.push(Expr::Bool(false));
                break;
            }
            Expr::And(inner) => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match kept.len() {
        0 => Expr::Bool(true),
        1 => kept.remove(0),
        _ => Expr::And(kept),
    }
}

fn disjunction(parts: impl Iterator<Item = Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for part in parts {
        match part {
            Expr::Bool(false) => {}
            Expr::Bool(true) if kept.iter().all(|part| is_total(part, &[])) => return Expr::Bool(true),
            Expr::Bool(true) => {
                kept.push(Expr::Bool(true));
                break;
            }
            Expr::Or(inner) => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match kept.len() {
        0 => Expr::Bool(false),
        1 => kept.remove(0),
        _ => Expr::Or(kept),
    }
}

/// The least or greatest part, computed if all are constants.
fn extreme(
    parts: Vec<Expr>,
    choose: fn(std::vec::IntoIter<i64>) -> Option<i64>,
    of: fn(Vec<Expr>) -> Expr,
) -> Expr {
    let constant = |part: &Expr| match part {
        Expr::Int(value) => Some(*value),
        _ => None,
    };
    let constants: Option<Vec<i64>> = parts.iter().map(constant).collect();
    constants.and_then(|values| choose(values.into_iter())).map_or_else(|| of(parts), Expr::Int)
}

fn sum(parts: Vec<Expr>) -> Expr {
    let total = parts.iter().try_fold(0i64, |total, part| match part {
        Expr::Int(value) => total.checked_add(*value),
        _ => None,
    });
    total.map_or_else(|| Expr::Sum(parts), Expr::Int)
}

/// `a op b`, computed if both are constants and the result is not a fault.
pub fn fold(operator: Operator, a: Expr, b: Expr) -> Expr {
    let constant = |expr: &Expr| match expr {
        Expr::Int(value) => Some(*value),
        Expr::Bool(value) => Some(i64::from(*value)),
        _ => None,
    };
    if operator == Operator::Implies {
        match (&a, &b) {
            (Expr::Bool(false), _) => return Expr::Bool(true),
            (Expr::Bool(true), _) => return b,
            _ => return Expr::binary(operator, a, b),
        }
    }
    if let (Some(x), Some(y)) = (constant(&a), constant(&b))
        && let Ok(value) = semantics::binary(operator, x, y)
    {
        return match operator {
            Operator::Sub | Operator::Mul | Operator::Div | Operator::Mod => Expr::Int(value),
            _ => Expr::Bool(value != 0),
        };
    }
    Expr::binary(operator, a, b)
}

/// The least and the greatest value of a binder whose span is rigid.
fn ends(binder: &Binder, environment: &mut Environment) -> (i64, i64) {
    let Span { lo, hi } = &binder.span;
    let (Ok(lo), Ok(hi)) = (semantics::rigid(lo, environment), semantics::rigid(hi, environment)) else {
        unreachable!("the front end checks that spans can be computed");
    };
    (lo, hi)
}

/// One result per value of a binder whose span is rigid.
fn over<T>(
    binder: &Binder,
    environment: &mut Environment,
    mut body: impl FnMut(&mut Environment) -> T,
) -> Vec<T> {
    let (lo, hi) = ends(binder, environment);
    let mut results = Vec::new();
    for value in lo..=hi {
        environment.bind(binder.index, value);
        results.push(body(environment));
        environment.unbind();
    }
    results
}

fn place(instance: &Instance, place: &Place, environment: &mut Environment) -> Place {
    place.map(&mut |index| expression(instance, index, environment))
}

fn pattern(instance: &Instance, pattern: &Pattern, environment: &mut Environment) -> Pattern {
    pattern.map(&mut |index| expression(instance, index, environment))
}

/// The disjunction of the guards of the actions a pattern matches. Processes and arguments that read
/// variables are compared with those of each action.
fn enabled(instance: &Instance, pattern: &Pattern, environment: &mut Environment) -> Expr {
    let pattern = self::pattern(instance, pattern, environment);
    let mut open = Pattern { participants: pattern.participants.clone(), arguments: None };
    let mut compared = Vec::new();
    for (number, party) in open.participants.iter_mut().enumerate() {
        if let Some(process) = party.process.take_if(|process| !process.is_rigid()) {
            compared.push((number, process));
        }
    }
    if pattern.arguments.iter().flatten().all(Expr::is_rigid) {
        open.arguments.clone_from(&pattern.arguments);
    }
    let Ok(actions) = instance.matching(&open, environment) else {
        // The pattern names a process that does not exist, so evaluating the atom is a fault. Keep it as it is.
        return Expr::Enabled(pattern);
    };
    if !compared.is_empty() || open.arguments != pattern.arguments {
        // This is rare, so we leave it to the reference semantics.
        return Expr::Enabled(pattern);
    }
    disjunction(actions.into_iter().map(|action| guard(instance, action)))
}

/// An update without indices; but choices may stay.
fn ground_update(instance: &Instance, update: &Update, environment: &mut Environment, keeps: bool) -> Update {
    let ground =
        |update: &Update, environment: &mut Environment| ground_update(instance, update, environment, keeps);
    match update {
        Update::Skip => Update::Skip,
        Update::Assign(assignments) => Update::Assign(
            assignments
                .iter()
                .map(|(target, expr)| {
                    (place(instance, target, environment), expression(instance, expr, environment))
                })
                .collect(),
        ),
        Update::Sequence(updates) => {
            let parts = updates.iter().map(|update| ground(update, environment));
            let mut kept: Vec<Update> = parts.filter(|update| *update != Update::Skip).collect();
            match kept.len() {
                0 => Update::Skip,
                1 => kept.remove(0),
                _ => Update::Sequence(kept),
            }
        }
        Update::If(condition, yes, no) => match expression(instance, condition, environment) {
            Expr::Bool(true) => ground(yes, environment),
            Expr::Bool(false) => ground(no, environment),
            condition => {
                Update::If(condition, Box::new(ground(yes, environment)), Box::new(ground(no, environment)))
            }
        },
        Update::Either(branches) => Update::Either(
            branches
                .iter()
                .map(|(condition, branch)| {
                    (expression(instance, condition, environment), ground(branch, environment))
                })
                .filter(|(condition, _)| *condition != Expr::Bool(false))
                .collect(),
        ),
        Update::Choose(binder, condition, body)
            if binder.span.is_endless()
                || keeps && is_only_a_value(binder.index, condition, body, environment) =>
        {
            let span = if binder.span.is_endless() {
                binder.span.clone()
            } else {
                Span::between(ends(binder, environment).0, ends(binder, environment).1)
            };
            let (condition, body) = (expression(instance, condition, environment), ground(body, environment));
            Update::Choose(Binder { index: binder.index, span }, condition, Box::new(body))
        }
        Update::Choose(binder, condition, body) => {
            let mut branches = over(binder, environment, |environment| {
                (expression(instance, condition, environment), ground(body, environment))
            });
            branches.retain(|(condition, _)| *condition != Expr::Bool(false));
            Update::Either(branches)
        }
    }
}

/// Whether an update without indices has at most so many parts. Those it has are taken off.
fn has_room(update: &Update, environment: &mut Environment, left: &mut usize) -> bool {
    let mut take = |expr: &Expr| {
        expr.any(&mut |_| {
            *left = left.saturating_sub(1);
            false
        });
    };
    match update {
        Update::Skip => {}
        Update::Assign(assignments) => assignments.iter().for_each(|(_, value)| take(value)),
        Update::Sequence(updates) => return updates.iter().all(|update| has_room(update, environment, left)),
        Update::If(condition, yes, no) => {
            take(condition);
            return has_room(yes, environment, left) && has_room(no, environment, left);
        }
        Update::Either(branches) => {
            return branches.iter().all(|(_, branch)| has_room(branch, environment, left));
        }
        Update::Choose(binder, _, body) if binder.span.is_endless() => {
            return has_room(body, environment, left);
        }
        Update::Choose(binder, condition, body) => {
            let is_rigid = condition.is_rigid();
            let parts = over(binder, environment, |environment| {
                *left = left.saturating_sub(1);
                let is_false = is_rigid && semantics::rigid(condition, environment) == Ok(0);
                is_false || *left > 0 && has_room(body, environment, left)
            });
            return parts.into_iter().all(|part| part);
        }
    }
    *left > 0
}

/// Whether a chosen value is only read as a value: no span and no pattern of an event depends on it, and no other index has
/// its name.
fn is_only_a_value(index: Index, condition: &Expr, body: &Update, environment: &Environment) -> bool {
    let mentions = |expr: &Expr| expr.any(&mut |part| *part == Expr::Index(index));
    let misuses = |expr: &Expr| {
        expr.any(&mut |part| match part {
            Expr::Quantified(_, Binder { index: bound, span }, _) => {
                *bound == index || mentions(&span.lo) || mentions(&span.hi)
            }
            Expr::Taken(_) | Expr::Enabled(_) => mentions(part),
            _ => false,
        })
    };
    environment.get(index).is_none() && !misuses(condition) && is_fine(body, index, &|expr| !misuses(expr))
}

/// Whether all expressions of an update pass a test, and no choice in it has this index, or a span that depends on it.
fn is_fine(update: &Update, index: Index, test: &dyn Fn(&Expr) -> bool) -> bool {
    let each = |update: &Update| is_fine(update, index, test);
    match update {
        Update::Skip => true,
        Update::Assign(assignments) => assignments.iter().all(|(place, value)| {
            place.process.iter().map(|process| &**process).chain(&place.position).chain([value]).all(test)
        }),
        Update::Sequence(updates) => updates.iter().all(each),
        Update::If(condition, yes, no) => test(condition) && each(yes) && each(no),
        Update::Either(branches) => {
            branches.iter().all(|(condition, branch)| test(condition) && each(branch))
        }
        Update::Choose(Binder { index: bound, span }, condition, body) => {
            let depends = |end: &Expr| end.any(&mut |part| *part == Expr::Index(index));
            *bound != index && !depends(&span.lo) && !depends(&span.hi) && test(condition) && each(body)
        }
    }
}

/// Pushes the instances of `requirement`, whose first binders have these values.
fn ground_requirement(
    instance: &Instance,
    requirement: &Requirement,
    values: &mut Vec<i64>,
    environment: &mut Environment,
    push: &mut dyn FnMut(&[i64], Requirement),
) {
    if let Some(binder) = requirement.binders.get(values.len()) {
        over(binder, environment, |environment| {
            values.push(environment.get(binder.index).expect("it is bound here"));
            ground_requirement(instance, requirement, values, environment, push);
            values.pop();
        });
        return;
    }
    if !semantics::exists(instance, requirement, environment) {
        return;
    }
    let of = requirement.of.as_ref().map(|of| pattern(instance, of, environment));
    let ground = Requirement {
        word: requirement.word,
        of,
        binders: Vec::new(),
        when: expression(instance, &requirement.when, environment),
        then: expression(instance, &requirement.then, environment),
    };
    push(values, ground);
}
