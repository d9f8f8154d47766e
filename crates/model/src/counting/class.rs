//! Which tasks can be counted, and up to which bound: every expression has a rank, or there is a reason why not.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::balance::Balance;
use super::{Counted, Counting, Fair, Tally, tally};
use crate::expr::{Binder, Expr, Index, Operator, Pattern, Place, Quantifier, Span};
use crate::property::{Formula, Kind};
use crate::system::{Action, FamilyId, Initial, Scalar, System, Update, VariableId};
use crate::tableau;
use crate::task::Task;

/// A rank, or why there is none.
type Rank = Result<u32, String>;

/// See [`Counting::new`].
pub(super) fn counting(task: &Task, tallies: &[Tally]) -> Result<Counting, String> {
    let system = task.system();
    let (automaton, atoms) = match &task.property.kind {
        Kind::Invariant(predicate) => (None, vec![predicate.clone()]),
        Kind::Ltl(formula) if has_quantifier(formula) => {
            return Err("a quantifier over processes is outside a temporal operator".to_owned());
        }
        Kind::Ltl(formula) => {
            let automaton = tableau::refuting(formula).ok_or("the reference automaton is too large")?;
            // Atoms that are not in the automaton must not be faults either.
            let atoms = automaton.atoms.iter().chain(formula.atoms()).cloned().collect();
            (Some(automaton), atoms)
        }
        Kind::Ctl(_) | Kind::Never(_) => {
            return Err("only invariants and LTL formulas are counted".to_owned());
        }
    };
    let counted = families(system)?;
    for (number, tally) in tallies.iter().enumerate() {
        tally.is_well_formed(system, &counted)?;
        if tallies[..number].iter().any(|other| other.variable == tally.variable) {
            return Err("a variable is two numbers of processes".to_owned());
        }
    }
    let class = Class { system, counted: &counted, tallies };
    class.variables()?;
    let mut scope = Scope::default();
    let named = match &task.property.binders[..] {
        [] => None,
        [binder] => {
            let family =
                class.family_of(&binder.span).ok_or("the property names something else than a process")?;
            scope.processes.push((binder.index, family));
            Some((binder.index, family))
        }
        _ => return Err("the property names several processes".to_owned()),
    };
    // Besides the named process there may be one that acts, and for requirements a third.
    let mut bound = 2;
    for tally in tallies {
        bound = bound.max(tally.range(system, &counted, 0)? + 1);
    }
    for action in &system.actions {
        bound = bound.max(class.action(action)? + 1);
    }
    for predicate in &system.init {
        bound = bound.max(class.rank(predicate, &mut Scope::default())?);
    }
    let mut balances = Vec::new();
    for atom in &atoms {
        bound = bound.max(class.atom(atom, &mut scope, &mut balances)? + 1);
    }
    let (atoms, mut predicates) = (atoms.len(), atoms);
    let mut fairness = Vec::new();
    for alternative in &task.fairness.alternatives {
        let mut all = Vec::new();
        for requirement in &alternative.requirements {
            let each = match &requirement.binders[..] {
                [] => Some(None),
                [binder] => class.family_of(&binder.span).map(|family| Some((binder.index, family))),
                _ => None,
            };
            let ranked = each.and_then(|each| {
                let mut scope = Scope { processes: each.into_iter().collect(), ..Scope::default() };
                let when = class.rank(&requirement.when, &mut scope).ok()?;
                Some((each, when.max(class.rank(&requirement.then, &mut scope).ok()?)))
            });
            // A requirement that is left out makes more runs fair. It must not be a fault; one about events is none.
            if ranked.is_none() && requirement.of.is_none() && automaton.is_some() {
                return Err("a requirement of the fairness cannot be counted".to_owned());
            }
            all.push(ranked.map(|(each, rank)| {
                bound = bound.max(rank + 2);
                predicates.extend([requirement.when.clone(), requirement.then.clone()]);
                let (when, then) = (predicates.len() - 2, predicates.len() - 1);
                Fair { requirement: requirement.clone(), each, when, then }
            }));
        }
        fairness.push(all);
    }
    let (system, sizes) = (Arc::clone(system), RefCell::new(HashMap::new()));
    let tallies = tallies.to_vec();
    Ok(Counting {
        system,
        counted,
        named,
        bound,
        automaton,
        atoms,
        predicates,
        fairness,
        tallies,
        balances,
        sizes,
    })
}

/// Whether a formula has a quantifier that is not part of an atom.
fn has_quantifier(formula: &Formula) -> bool {
    match formula {
        Formula::Forall(..) | Formula::Exists(..) => true,
        Formula::Atom(_) => false,
        Formula::Not(a)
        | Formula::Next(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Previous(a)
        | Formula::Once(a)
        | Formula::Historically(a) => has_quantifier(a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_quantifier),
        Formula::Implies(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b)
        | Formula::Since(a, b) => has_quantifier(a) || has_quantifier(b),
    }
}

/// The families whose sizes are open. Each parameter is the size of one.
fn families(system: &System) -> Result<Vec<Counted>, String> {
    let mut counted: Vec<Counted> = Vec::new();
    for (number, family) in system.families.iter().enumerate() {
        let Some(binder) = &family.index else { continue };
        let Some((parameter, offset)) = open_end(&binder.span.hi) else {
            if has_parameter(&binder.span.hi) || has_parameter(&binder.span.lo) {
                return Err(format!(
                    "the size of the family `{}` is not a parameter plus a number",
                    family.name
                ));
            }
            continue;
        };
        let Expr::Int(first) = *binder.span.lo else {
            return Err(format!("the first index of the family `{}` is not a number", family.name));
        };
        let family = FamilyId(number as u32);
        counted.push(Counted { family, index: binder.index, parameter, first, offset });
    }
    for number in 0..system.parameters.len() {
        if counted.iter().filter(|counted| counted.parameter == number).count() != 1 {
            let name = &system.parameters[number].name;
            return Err(format!("the parameter `{name}` is not the size of exactly one family"));
        }
    }
    Ok(counted)
}

/// The parameter and the number that an expression is the sum of.
pub(super) fn open_end(expr: &Expr) -> Option<(usize, i64)> {
    match expr {
        Expr::Parameter(id) => Some((id.0 as usize, 0)),
        Expr::Sum(parts) => match &parts[..] {
            [Expr::Parameter(id), Expr::Int(offset)] | [Expr::Int(offset), Expr::Parameter(id)] => {
                Some((id.0 as usize, *offset))
            }
            _ => None,
        },
        Expr::Binary(Operator::Sub, a, b) => match (&**a, &**b) {
            (Expr::Parameter(id), Expr::Int(offset)) => Some((id.0 as usize, offset.checked_neg()?)),
            _ => None,
        },
        _ => None,
    }
}

fn has_parameter(expr: &Expr) -> bool {
    expr.any(&mut |part| matches!(part, Expr::Parameter(_)))
}

/// The indices that stand for counted processes. All others stand for numbers.
#[derive(Default)]
pub(super) struct Scope {
    processes: Vec<(Index, usize)>,
    /// Per tally, how much may have been added to it before; nothing if nothing was.
    added: Vec<i64>,
}

impl Scope {
    fn process(&self, expr: &Expr) -> Option<usize> {
        let Expr::Index(index) = expr else { return None };
        self.processes.iter().find(|(known, _)| known == index).map(|(_, family)| *family)
    }
}

pub(super) struct Class<'s> {
    pub(super) system: &'s System,
    pub(super) counted: &'s [Counted],
    pub(super) tallies: &'s [Tally],
}

impl Class<'_> {
    /// The counted family that an index ranges over.
    pub(super) fn family_of(&self, span: &Span) -> Option<usize> {
        let (parameter, offset) = open_end(&span.hi)?;
        let is_it = |counted: &Counted| {
            (counted.parameter, counted.offset) == (parameter, offset) && *span.lo == Expr::Int(counted.first)
        };
        self.counted.iter().position(is_it)
    }

    fn counted(&self, family: FamilyId) -> Option<usize> {
        self.counted.iter().position(|counted| counted.family == family)
    }

    /// Ranges and initial values must not depend on parameters, nor on the process.
    fn variables(&self) -> Result<(), String> {
        for (number, variable) in self.system.variables.iter().enumerate() {
            if self.tallies.iter().any(|tally| tally.variable == number) {
                continue;
            }
            let mut ends: Vec<&Expr> =
                variable.kind.dimensions.iter().flat_map(|s| [&*s.lo, &*s.hi]).collect();
            match &variable.kind.scalar {
                Scalar::Range(span) => ends.extend([&*span.lo, &*span.hi]),
                Scalar::Int => return Err(format!("`{}` is unbounded", variable.name)),
                Scalar::Bool | Scalar::Enum(_) => {}
            }
            if let Initial::Among(values) | Initial::Elements(values) = &variable.initial {
                ends.extend(values);
            }
            let is_counted = variable.owner.is_some_and(|family| self.counted(family).is_some());
            let depends = |expr: &&Expr| {
                expr.any(&mut |part| {
                    matches!(part, Expr::Parameter(_)) || is_counted && matches!(part, Expr::Index(_))
                })
            };
            if ends.iter().any(depends) {
                return Err(format!(
                    "the range or the first value of `{}` depends on the number of processes",
                    variable.name
                ));
            }
        }
        Ok(())
    }

    /// The rank of an action: of its guard and of its update.
    fn action(&self, action: &Action) -> Rank {
        let mut scope = Scope::default();
        let mut actor = None;
        for participant in &action.participants {
            let Some(family) = self.counted(participant.family) else { continue };
            let (None, Some(index), None) = (actor, participant.index, participant.only) else {
                return Err(format!("`{}` is an action of several counted processes", participant.label));
            };
            actor = Some(index);
            scope.processes.push((index, family));
        }
        let spans = action.parameters.iter().map(|binder| &binder.span);
        for end in spans.flat_map(|span| [&*span.lo, &*span.hi]) {
            if has_parameter(end) || self.rank(end, &mut scope)? > 0 {
                return Err("a parameter of an action ranges over processes".to_owned());
            }
        }
        let guard = self.rank(&action.guard, &mut scope)?;
        scope.added = self.tallies.iter().map(|tally| tally.most_added(&action.update)).collect();
        Ok(guard.max(self.update(&action.update, &mut scope, actor)?))
    }

    /// The rank of an update, which writes no local of a counted process but the one that acts.
    fn update(&self, update: &Update, scope: &mut Scope, actor: Option<Index>) -> Rank {
        match update {
            Update::Skip => Ok(0),
            Update::Assign(assignments) => {
                let mut rank = 0;
                for (place, expr) in assignments {
                    if let Some(number) =
                        self.tallies.iter().position(|tally| tally.variable == place.variable.0 as usize)
                    {
                        let tally = &self.tallies[number];
                        tally.added(place, expr)?;
                        rank = rank.max(tally.range(self.system, self.counted, scope.added[number])?);
                        continue;
                    }
                    let owner = self.system.variable(place.variable).owner;
                    let is_counted = owner.is_some_and(|family| self.counted(family).is_some());
                    let own = actor.map(|index| Box::new(Expr::Index(index)));
                    if is_counted && (own.is_none() || place.process != own) {
                        return Err("an action writes a local of another process".to_owned());
                    }
                    rank = rank.max(self.place(place, scope, false)?).max(self.rank(expr, scope)?);
                }
                Ok(rank)
            }
            Update::Sequence(updates) => {
                updates.iter().try_fold(0, |rank, update| Ok(self.update(update, scope, actor)?.max(rank)))
            }
            Update::If(condition, yes, no) => {
                let branches = self.update(yes, scope, actor)?.max(self.update(no, scope, actor)?);
                Ok(branches.max(self.rank(condition, scope)?))
            }
            Update::Either(branches) => branches.iter().try_fold(0, |rank, (condition, branch)| {
                Ok(self.rank(condition, scope)?.max(self.update(branch, scope, actor)?).max(rank))
            }),
            Update::Choose(binder, condition, body) => {
                self.constant(binder, scope)?;
                Ok(self.rank(condition, scope)?.max(self.update(body, scope, actor)?))
            }
        }
    }

    /// A binder whose index is a number, in a range that is the same in every instance.
    fn constant(&self, binder: &Binder, scope: &mut Scope) -> Result<(), String> {
        for end in [&binder.span.lo, &binder.span.hi] {
            if has_parameter(end) || self.rank(end, scope)? > 0 {
                return Err("an index ranges over something else than all processes of a family".to_owned());
            }
        }
        Ok(())
    }

    /// The rank of an atom of the property. It may compare numbers of processes with each other.
    fn atom(&self, expr: &Expr, scope: &mut Scope, balances: &mut Vec<Balance>) -> Rank {
        let parts = match expr {
            Expr::Not(a) => vec![&**a],
            Expr::And(parts) | Expr::Or(parts) => parts.iter().collect(),
            Expr::Binary(Operator::Implies, a, b) => vec![&**a, b],
            Expr::Binary(operator, a, b) if operator.opposite().is_some() => {
                return self.rank(expr, scope).or_else(|why| {
                    let (balance, rank) = Balance::new(self, a, b, scope).ok_or(why)?;
                    balances.push(balance);
                    Ok(rank)
                });
            }
            _ => return self.rank(expr, scope),
        };
        parts.into_iter().try_fold(0, |rank, part| Ok(self.atom(part, scope, balances)?.max(rank)))
    }

    pub(super) fn rank(&self, expr: &Expr, scope: &mut Scope) -> Rank {
        self.ranked(expr, scope, false)
    }

    /// The rank of an expression. `of_all` says that it is evaluated for one process after the other: then it must not be
    /// a fault, because which one is evaluated would matter.
    fn ranked(&self, expr: &Expr, scope: &mut Scope, of_all: bool) -> Rank {
        let all = |scope: &mut Scope, parts: &[&Expr]| {
            let mut rank = 0;
            for part in parts {
                rank = rank.max(self.ranked(part, scope, of_all)?);
            }
            Ok(rank)
        };
        match expr {
            Expr::Bool(_) | Expr::Int(_) => Ok(0),
            Expr::Parameter(_) => Err("the number of processes is used as a number".to_owned()),
            Expr::Index(_) if scope.process(expr).is_some() => {
                Err("the index of a process is used as a number".to_owned())
            }
            Expr::Index(_) => Ok(0),
            Expr::Read(place) => self.place(place, scope, of_all),
            Expr::Not(a) => all(scope, &[a]),
            Expr::And(parts) | Expr::Or(parts) => all(scope, &parts.iter().collect::<Vec<_>>()),
            Expr::If(a, b, c) => all(scope, &[a, b, c]),
            Expr::Neg(_) | Expr::Sum(_) | Expr::Min(_) | Expr::Max(_) if of_all => {
                Err("something is computed for each process".to_owned())
            }
            Expr::Neg(a) => all(scope, &[a]),
            Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
                all(scope, &parts.iter().collect::<Vec<_>>())
            }
            Expr::Binary(operator, a, b) => {
                let compares = operator.opposite().is_some();
                if compares && let Some(rank) = self.count(a, b, scope).or_else(|| self.count(b, a, scope)) {
                    return rank;
                }
                for (number, tally) in self.tallies.iter().enumerate().filter(|_| compares) {
                    let added = scope.added.get(number).copied().unwrap_or(0);
                    if let Some(rank) = tally.compared(a, b, self.counted, added) {
                        return Ok(rank);
                    }
                }
                let same = scope.process(a).is_some() && scope.process(a) == scope.process(b);
                match operator {
                    Operator::Eq | Operator::Ne if same => Ok(0),
                    _ if compares || *operator == Operator::Implies => all(scope, &[a, b]),
                    _ if of_all => Err("something is computed for each process".to_owned()),
                    _ => all(scope, &[a, b]),
                }
            }
            Expr::Quantified(quantifier, binder, body) => match self.family_of(&binder.span) {
                Some(family) if matches!(quantifier, Quantifier::Forall | Quantifier::Exists) => {
                    Ok(1 + self.inside(binder, family, body, scope)?)
                }
                Some(_) => Err("a count is not compared with a number".to_owned()),
                None => {
                    self.constant(binder, scope)?;
                    self.ranked(body, scope, of_all)
                }
            },
            Expr::Taken(pattern) => {
                self.pattern(pattern, scope)?;
                Ok(0)
            }
            Expr::Enabled(pattern) => {
                let open = self.pattern(pattern, scope)?;
                let guards = self.system.actions.iter().map(|action| {
                    let mut scope = Scope::default();
                    for participant in &action.participants {
                        let family = self.counted(participant.family);
                        scope.processes.extend(participant.index.zip(family));
                    }
                    self.ranked(&action.guard, &mut scope, of_all)
                });
                let rank =
                    guards.into_iter().try_fold(0, |rank, guard| Ok::<u32, String>(guard?.max(rank)))?;
                Ok(rank + u32::from(open))
            }
        }
    }

    /// The rank of the body of a quantifier over a family.
    pub(super) fn inside(&self, binder: &Binder, family: usize, body: &Expr, scope: &mut Scope) -> Rank {
        scope.processes.push((binder.index, family));
        let rank = self.ranked(body, scope, true);
        scope.processes.pop();
        rank
    }

    /// The rank of a count that is compared with a number; `None` if it is something else.
    fn count(&self, count: &Expr, number: &Expr, scope: &mut Scope) -> Option<Rank> {
        let Expr::Quantified(Quantifier::Count, binder, body) = count else { return None };
        let family = self.family_of(&binder.span)?;
        let number = match (number, open_end(number)) {
            (Expr::Int(number), _) => *number,
            // The processes that are not counted are compared with a number: size = N - first + 1 + offset.
            (_, Some((parameter, more)))
                if parameter == self.counted[family].parameter && tally::is_small(more) =>
            {
                let Counted { first, offset, .. } = &self.counted[family];
                (1 - first + offset).checked_sub(more)?
            }
            _ => return None,
        };
        let Ok(number) = u32::try_from(number.clamp(0, i64::from(u32::MAX / 4))) else { return None };
        Some(self.inside(binder, family, body, scope).map(|rank| number + 1 + rank))
    }

    /// The rank of a place that is read or written.
    fn place(&self, place: &Place, scope: &mut Scope, of_all: bool) -> Rank {
        let Place { variable, process, position } = place;
        if self.tallies.iter().any(|tally| tally.variable == variable.0 as usize) {
            return Err("a number of processes is not compared with a number".to_owned());
        }
        let VariableId(_) = variable;
        let counted = self.system.variable(*variable).owner.and_then(|family| self.counted(family));
        let mut rank = 0;
        match (counted, process) {
            (Some(family), Some(process)) if scope.process(process) == Some(family) => {}
            (Some(_), _) => return Err("a process is chosen by its index".to_owned()),
            (None, None) => {}
            (None, Some(process)) if of_all && !matches!(**process, Expr::Int(_)) => {
                return Err("a process is chosen for each process".to_owned());
            }
            (None, Some(process)) => rank = self.ranked(process, scope, of_all)?,
        }
        for part in position {
            if of_all && !matches!(part, Expr::Int(_)) {
                return Err("an element of an array is chosen for each process".to_owned());
            }
            rank = rank.max(self.ranked(part, scope, of_all)?);
        }
        Ok(rank)
    }

    /// Whether an event is about any process of a counted family.
    fn pattern(&self, pattern: &Pattern, scope: &mut Scope) -> Result<bool, String> {
        let mut open = pattern.participants.is_empty();
        for party in &pattern.participants {
            match (self.counted(party.family), &party.process) {
                (Some(_), None) => open = true,
                (Some(family), Some(process)) if scope.process(process) == Some(family) => {}
                (Some(_), Some(_)) => return Err("an event names a process by its index".to_owned()),
                (None, process) => {
                    // An action of a process that is not counted may have a counted partner.
                    open = true;
                    if let Some(process) = process {
                        self.rank(process, scope)?;
                    }
                }
            }
        }
        for argument in pattern.arguments.iter().flatten() {
            self.rank(argument, scope)?;
        }
        Ok(open)
    }
}
