//! Which tasks can be counted, and how far: every expression has a rank, or there is a reason why not.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::balance::{Balance, speaks_of_others};
use super::{Counted, Counting, Fair, Further, Tally, tally};
use crate::expr::{Binder, Expr, Index, Operator, Pattern, Place, Quantifier, Span};
use crate::fairness::Requirement;
use crate::property::{Formula, Kind};
use crate::system::{Action, FamilyId, Initial, Scalar, System, Update, VariableId};
use crate::tableau;
use crate::task::Task;

/// How far an expression tells numbers of processes with a letter apart; see the lemma of [`counting`](super).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rank {
    /// Of all processes with the letter.
    pub(super) all: u32,
    /// Of those that are not singled out.
    pub(super) others: u32,
    /// Whether an event names a quantified process: then the process that acts is singled out, too.
    actor: bool,
}

impl Rank {
    /// Of comparisons of a number of processes with values below this.
    pub(super) fn of_all(all: u32) -> Rank {
        Rank { all, ..Rank::default() }
    }

    pub(super) fn max(self, other: Rank) -> Rank {
        Rank {
            all: self.all.max(other.all),
            others: self.others.max(other.others),
            actor: self.actor || other.actor,
        }
    }

    /// Whether the expression does not speak of processes that it does not name.
    pub(super) fn is_zero(self) -> bool {
        self == Rank::default()
    }

    /// The bound that it needs where so many processes are singled out by those who evaluate it.
    fn bound(self, singled_out: u32) -> u32 {
        let singled_out = singled_out + u32::from(self.actor);
        self.all.max(if self.others == 0 { 0 } else { self.others.saturating_add(singled_out) })
    }

    /// The same of an update. While it is made the process that acts has a letter of its own, so it is singled out.
    fn of_update(self) -> Rank {
        Rank { all: 0, others: self.all.max(self.others), actor: false }
    }
}

/// A rank, or why there is none.
type Ranked = Result<Rank, String>;

/// See [`Counting::new`].
pub(super) fn counting(task: &Task, tallies: &[Tally], raise: u32) -> Result<Counting, String> {
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
    let class = Class { system, counted: &counted, tallies, further: RefCell::default() };
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
    let mut bound = 1;
    for tally in tallies {
        bound = bound.max(tally.range(system, &counted, 0)? + 1);
    }
    for action in &system.actions {
        bound = bound.max(class.action(action)?.bound(1));
    }
    for predicate in &system.init {
        bound = bound.max(class.rank(predicate, &mut Scope::default())?.bound(0));
    }
    let mut balances = Vec::new();
    for atom in &atoms {
        bound = bound.max(class.atom(atom, &mut scope, &mut balances)?.bound(0));
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
            let ranked = each.and_then(|each| Some((each, class.requirement(requirement, each).ok()?)));
            // A requirement that is left out makes more runs fair. It must not be a fault; one about events is none.
            if ranked.is_none() && requirement.of.is_none() && automaton.is_some() {
                return Err("a requirement of the fairness cannot be counted".to_owned());
            }
            all.push(ranked.map(|(each, needed)| {
                bound = bound.max(needed);
                predicates.extend([requirement.when.clone(), requirement.then.clone()]);
                let (when, then) = (predicates.len() - 2, predicates.len() - 1);
                Fair { requirement: requirement.clone(), each, when, then }
            }));
        }
        fairness.push(all);
    }
    let mut further = class.further.into_inner();
    further.iter_mut().for_each(|further| further.bound = further.bound.saturating_add(raise));
    bound = bound.saturating_add(raise);
    let (system, sizes) = (Arc::clone(system), RefCell::new(HashMap::new()));
    let (tallies, bounds) = (tallies.to_vec(), RefCell::new(vec![HashMap::new(); counted.len()]));
    Ok(Counting {
        system,
        counted,
        named,
        bound,
        further,
        bounds,
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
    /// Whether this is part of an update.
    updates: bool,
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
    /// The letters of which more is to be known than of others.
    further: RefCell<Vec<Further>>,
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
    fn action(&self, action: &Action) -> Ranked {
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
            if has_parameter(end) || !self.rank(end, &mut scope)?.is_zero() {
                return Err("a parameter of an action ranges over processes".to_owned());
            }
        }
        let guard = self.rank(&action.guard, &mut scope)?;
        scope.added = self.tallies.iter().map(|tally| tally.most_added(&action.update)).collect();
        scope.updates = true;
        Ok(guard.max(self.update(&action.update, &mut scope, actor)?.of_update()))
    }

    /// The bound that a requirement needs, about no counted process or about each of a family.
    ///
    /// One process is enough to stand for several, although of those one may act and another may not: `Somebody` looks for
    /// processes with `when` and with `then`, and whoever has them without acting has them when it acts, if events occur
    /// only where they make something true. `Letter` asks for nothing where a process with the letter acts. But then nothing
    /// may be a fault for one of them only, so nothing that could be one is computed.
    fn requirement(&self, requirement: &Requirement, each: Option<(Index, usize)>) -> Result<u32, String> {
        let mut scope = Scope { processes: each.into_iter().collect(), ..Scope::default() };
        let sides = [&requirement.when, &requirement.then];
        let rank = self.rank(sides[0], &mut scope)?.max(self.rank(sides[1], &mut scope)?);
        let mut one_is_enough = each.is_none();
        if each.is_some() {
            let events = sides.iter().any(|side| speaks_of_events(side));
            let is_fine = |side: &&Expr| favours_events(side);
            one_is_enough = !events
                || sides.iter().all(is_fine)
                    && sides.iter().all(|side| self.ranked(side, &mut scope, true).is_ok());
        }
        let least = if one_is_enough { 1 } else { 2 };
        Ok(rank.bound(u32::from(each.is_some())).max(least))
    }

    /// The rank of an update, which writes no local of a counted process but the one that acts.
    fn update(&self, update: &Update, scope: &mut Scope, actor: Option<Index>) -> Ranked {
        match update {
            Update::Skip => Ok(Rank::default()),
            Update::Assign(assignments) => {
                let mut rank = Rank::default();
                for (place, expr) in assignments {
                    if let Some(number) =
                        self.tallies.iter().position(|tally| tally.variable == place.variable.0 as usize)
                    {
                        let tally = &self.tallies[number];
                        tally.added(place, expr)?;
                        let range = tally.range(self.system, self.counted, scope.added[number])?;
                        rank = rank.max(Rank::of_all(range));
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
                let mut rank = Rank::default();
                for update in updates {
                    rank = rank.max(self.update(update, scope, actor)?);
                }
                Ok(rank)
            }
            Update::If(condition, yes, no) => {
                let branches = self.update(yes, scope, actor)?.max(self.update(no, scope, actor)?);
                Ok(branches.max(self.rank(condition, scope)?))
            }
            Update::Either(branches) => {
                let mut rank = Rank::default();
                for (condition, branch) in branches {
                    rank = rank.max(self.rank(condition, scope)?).max(self.update(branch, scope, actor)?);
                }
                Ok(rank)
            }
            Update::Choose(binder, condition, body) => {
                self.constant(binder, scope)?;
                Ok(self.rank(condition, scope)?.max(self.update(body, scope, actor)?))
            }
        }
    }

    /// A binder whose index is a number, in a range that is the same in every instance.
    fn constant(&self, binder: &Binder, scope: &mut Scope) -> Result<(), String> {
        for end in [&binder.span.lo, &binder.span.hi] {
            if has_parameter(end) || !self.rank(end, scope)?.is_zero() {
                return Err("an index ranges over something else than all processes of a family".to_owned());
            }
        }
        Ok(())
    }

    /// The rank of an atom of the property. It may compare numbers of processes with each other.
    fn atom(&self, expr: &Expr, scope: &mut Scope, balances: &mut Vec<Balance>) -> Ranked {
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
        let mut rank = Rank::default();
        for part in parts {
            rank = rank.max(self.atom(part, scope, balances)?);
        }
        Ok(rank)
    }

    pub(super) fn rank(&self, expr: &Expr, scope: &mut Scope) -> Ranked {
        self.ranked(expr, scope, false)
    }

    /// The rank of an expression. `of_all` says that it is evaluated for one process after the other: then it must not be
    /// a fault, because which one is evaluated would matter.
    fn ranked(&self, expr: &Expr, scope: &mut Scope, of_all: bool) -> Ranked {
        let all = |scope: &mut Scope, parts: &[&Expr]| {
            let mut rank = Rank::default();
            for part in parts {
                rank = rank.max(self.ranked(part, scope, of_all)?);
            }
            Ok(rank)
        };
        match expr {
            Expr::Bool(_) | Expr::Int(_) => Ok(Rank::default()),
            Expr::Parameter(_) => Err("the number of processes is used as a number".to_owned()),
            Expr::Index(_) if scope.process(expr).is_some() => {
                Err("the index of a process is used as a number".to_owned())
            }
            Expr::Index(_) => Ok(Rank::default()),
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
                        return Ok(Rank::of_all(rank));
                    }
                }
                let same = scope.process(a).is_some() && scope.process(a) == scope.process(b);
                match operator {
                    Operator::Eq | Operator::Ne if same => Ok(Rank::default()),
                    _ if compares || *operator == Operator::Implies => all(scope, &[a, b]),
                    _ if of_all => Err("something is computed for each process".to_owned()),
                    _ => all(scope, &[a, b]),
                }
            }
            Expr::Quantified(quantifier, binder, body) => match self.family_of(&binder.span) {
                Some(family) if matches!(quantifier, Quantifier::Forall | Quantifier::Exists) => {
                    let rank = self.inside(binder, family, body, scope)?;
                    Ok(match self.singles_out(binder, body)? {
                        None => rank.max(Rank::of_all(1)),
                        Some(by) => Rank { others: rank.others.saturating_add(1), ..rank.max(by) },
                    })
                }
                Some(_) => Err("a count is not compared with a number".to_owned()),
                None => {
                    self.constant(binder, scope)?;
                    self.ranked(body, scope, of_all)
                }
            },
            Expr::Taken(pattern) => Ok(self.pattern(pattern, scope)?.1),
            Expr::Enabled(pattern) => {
                let (open, mut rank) = self.pattern(pattern, scope)?;
                for action in &self.system.actions {
                    rank = rank.max(self.guard(action, of_all)?);
                }
                // One process is tried after the other.
                rank.others = if rank.others == 0 { 0 } else { rank.others.saturating_add(u32::from(open)) };
                Ok(rank)
            }
        }
    }

    /// The rank of a guard.
    fn guard(&self, action: &Action, of_all: bool) -> Ranked {
        let mut scope = Scope::default();
        for participant in &action.participants {
            let family = self.counted(participant.family);
            scope.processes.extend(participant.index.zip(family));
        }
        self.ranked(&action.guard, &mut scope, of_all)
    }

    /// Whether the body of a quantifier tells its process from others with the same letter: by comparing it with another
    /// one, or by an event. If so, says whether the process that acts is one of those.
    fn singles_out(&self, binder: &Binder, body: &Expr) -> Result<Option<Rank>, String> {
        let is_it = |expr: &Expr| *expr == Expr::Index(binder.index);
        let names = |pattern: &Pattern| {
            pattern.participants.iter().any(|party| party.process.as_deref().is_some_and(is_it))
        };
        let takes = body.any(&mut |part| matches!(part, Expr::Taken(pattern) if names(pattern)));
        if takes {
            return Ok(Some(Rank { actor: true, ..Rank::default() }));
        }
        let compares = body.any(&mut |part| {
            matches!(part, Expr::Binary(Operator::Eq | Operator::Ne, a, b) if is_it(a) || is_it(b))
        });
        let mut tells = compares;
        if body.any(&mut |part| matches!(part, Expr::Enabled(pattern) if names(pattern))) {
            for action in &self.system.actions {
                tells |= self.guard(action, true)?.others > 0;
            }
        }
        Ok(tells.then(Rank::default))
    }

    /// The rank of the body of a quantifier over a family.
    pub(super) fn inside(&self, binder: &Binder, family: usize, body: &Expr, scope: &mut Scope) -> Ranked {
        scope.processes.push((binder.index, family));
        let rank = self.ranked(body, scope, true);
        scope.processes.pop();
        rank
    }

    /// The rank of a count that is compared with a number; `None` if it is something else.
    fn count(&self, count: &Expr, number: &Expr, scope: &mut Scope) -> Option<Ranked> {
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
        let ranked = self.inside(binder, family, body, scope);
        Some(ranked.and_then(|rank| {
            if let Some(by) = self.singles_out(binder, body)? {
                return Ok(Rank { others: rank.others.saturating_add(number + 1), ..rank.max(by) });
            }
            if scope.updates || speaks_of_others(binder, body) {
                return Ok(rank.max(Rank::of_all(number + 1)));
            }
            // Only numbers of processes with certain letters matter.
            let (index, body) = (binder.index, (**body).clone());
            let further = Further { family, index, body, bound: number + 1 };
            let mut known = self.further.borrow_mut();
            if !known.contains(&further) {
                known.push(further);
            }
            Ok(rank.max(Rank::of_all(1)))
        }))
    }

    /// The rank of a place that is read or written.
    fn place(&self, place: &Place, scope: &mut Scope, of_all: bool) -> Ranked {
        let Place { variable, process, position } = place;
        if self.tallies.iter().any(|tally| tally.variable == variable.0 as usize) {
            return Err("a number of processes is not compared with a number".to_owned());
        }
        let VariableId(_) = variable;
        let counted = self.system.variable(*variable).owner.and_then(|family| self.counted(family));
        let mut rank = Rank::default();
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

    /// Whether an event is about any process of a counted family, and the rank of what it names.
    fn pattern(&self, pattern: &Pattern, scope: &mut Scope) -> Result<(bool, Rank), String> {
        let mut rank = Rank::default();
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
                        rank = rank.max(self.rank(process, scope)?);
                    }
                }
            }
        }
        for argument in pattern.arguments.iter().flatten() {
            rank = rank.max(self.rank(argument, scope)?);
        }
        Ok((open, rank))
    }
}

/// Whether an expression speaks of steps.
fn speaks_of_events(expr: &Expr) -> bool {
    expr.any(&mut |part| matches!(part, Expr::Taken(_)))
}

/// Whether an expression that is false would not become true if an event in it did not happen.
fn favours_events(expr: &Expr) -> bool {
    match expr {
        Expr::Taken(_) => true,
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(favours_events),
        Expr::Binary(Operator::Implies, a, b) => !speaks_of_events(a) && favours_events(b),
        other => !speaks_of_events(other),
    }
}
