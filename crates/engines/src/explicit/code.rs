//! Expressions and updates of any size, prepared for packed states.
//!
//! What is too large for a [table](super::table) becomes a tree whose leaves are fields of a packed state. Evaluating it
//! allocates nothing, and an update is carried out on the words themselves. The reference semantics, in contrast, unpacks
//! the state, and finds each cell anew from its variable and indices.
//!
//! There is no value where the reference semantics reports a fault, or where an expression has a form that is not known
//! here. Then the caller asks the reference semantics.

use model::expr::Operator;
use model::packing::{Field, Packing};
use model::{Expr, Instance, Place, Update, semantics};

use super::store::Words;

/// A ground expression over packed states.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Constant(i64),
    Read(Field),
    /// An element of an array, or a local of a process, that depends on the state.
    Select(Box<Selection>),
    Not(Box<Code>),
    Neg(Box<Code>),
    And(Vec<Code>),
    Or(Vec<Code>),
    Sum(Vec<Code>),
    Min(Vec<Code>),
    Max(Vec<Code>),
    Binary(Operator, Box<(Code, Code)>),
    If(Box<(Code, Code, Code)>),
}

/// One of several cells, by the values of indices.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    /// The indices with their least and greatest values, the slowest first.
    indices: Vec<(Code, i64, i64)>,
    /// One cell per combination.
    fields: Vec<Field>,
}

/// A ground update of packed states.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// All at once.
    Assign(Vec<(Selection, Code)>),
    Sequence(Vec<Effect>),
    If(Code, Box<(Effect, Effect)>),
    /// Any one whose condition is true.
    Either(Vec<(Code, Effect)>),
}

/// The code of expressions and updates of an instance.
#[derive(Clone, Copy)]
pub(super) struct Coder<'a> {
    pub(super) instance: &'a Instance,
    pub(super) packing: &'a Packing,
}

impl Coder<'_> {
    /// The code of a ground expression. `None` if it is about events.
    pub(super) fn code(self, expr: &Expr) -> Option<Code> {
        let list = |parts: &[Expr]| parts.iter().map(|part| self.code(part)).collect::<Option<Vec<_>>>();
        let boxed = |part: &Expr| self.code(part).map(Box::new);
        Some(match expr {
            Expr::Bool(truth) => Code::Constant(i64::from(*truth)),
            Expr::Int(number) => Code::Constant(*number),
            Expr::Read(place) => {
                let selection = self.selection(place)?;
                match &selection.fields[..] {
                    [only] if selection.indices.is_empty() => Code::Read(*only),
                    _ => Code::Select(Box::new(selection)),
                }
            }
            Expr::Not(a) => Code::Not(boxed(a)?),
            Expr::Neg(a) => Code::Neg(boxed(a)?),
            Expr::And(parts) => Code::And(list(parts)?),
            Expr::Or(parts) => Code::Or(list(parts)?),
            Expr::Sum(parts) => Code::Sum(list(parts)?),
            Expr::Min(parts) => Code::Min(list(parts)?),
            Expr::Max(parts) => Code::Max(list(parts)?),
            Expr::Binary(operator, a, b) => Code::Binary(*operator, Box::new((self.code(a)?, self.code(b)?))),
            Expr::If(a, b, c) => Code::If(Box::new((self.code(a)?, self.code(b)?, self.code(c)?))),
            Expr::Parameter(_)
            | Expr::Index(_)
            | Expr::Quantified(..)
            | Expr::Taken(_)
            | Expr::Enabled(_) => return None,
        })
    }

    /// The cells that a place may be. Indices that are constants are resolved.
    fn selection(self, place: &Place) -> Option<Selection> {
        let Coder { instance, packing } = self;
        let family = instance.system.variable(place.variable).owner;
        // Per index: its code if it depends on the state, and the values it may have.
        let mut indices: Vec<(Option<Code>, i64, i64)> = Vec::new();
        let mut add = |index: &Expr, lo: i64, hi: i64| -> Option<()> {
            indices.push(match self.code(index)? {
                Code::Constant(value) => (None, value, value),
                code => (Some(code), lo, hi),
            });
            Some(())
        };
        if let (Some(family), Some(process)) = (family, &place.process) {
            let numbers =
                || instance.members(family).filter_map(|member| instance.processes[member.0 as usize].index);
            add(process, numbers().min()?, numbers().max()?)?;
        }
        for (index, (lo, hi)) in place.position.iter().zip(instance.dimensions(place.variable)) {
            add(index, *lo, *hi)?;
        }
        let mut fields = Vec::new();
        let mut values: Vec<i64> = indices.iter().map(|(_, lo, _)| *lo).collect();
        if indices.iter().any(|(_, lo, hi)| lo > hi) {
            return None;
        }
        loop {
            let (process, position) = match place.process {
                Some(_) if family.is_some() => (Some(values[0]), &values[1..]),
                _ => (None, &values[..]),
            };
            let owner = match family {
                None => None,
                Some(family) => Some(instance.process(family, process).ok()?),
            };
            let cell = instance.cell(place.variable, owner, position).ok()?;
            fields.push(packing.fields[cell]);
            let Some(last) = (0..values.len()).rev().find(|k| values[*k] < indices[*k].2) else { break };
            values[last] += 1;
            for k in last + 1..values.len() {
                values[k] = indices[k].1;
            }
        }
        let indices = indices.into_iter().filter_map(|(code, lo, hi)| code.map(|code| (code, lo, hi)));
        Some(Selection { indices: indices.collect(), fields })
    }

    /// The code of a ground update. `None` if it has too many parts, or chooses among all integers.
    pub(super) fn effect(self, update: &Update) -> Option<Effect> {
        (parts(update) <= LARGEST).then(|| self.effect_of(update)).flatten()
    }

    fn effect_of(self, update: &Update) -> Option<Effect> {
        Some(match update {
            Update::Skip => Effect::Sequence(Vec::new()),
            Update::Assign(assignments) => {
                let code = |(place, value): &(Place, Expr)| Some((self.selection(place)?, self.code(value)?));
                Effect::Assign(assignments.iter().map(code).collect::<Option<_>>()?)
            }
            Update::Sequence(updates) => {
                Effect::Sequence(updates.iter().map(|update| self.effect_of(update)).collect::<Option<_>>()?)
            }
            Update::If(condition, yes, no) => {
                let branches = (self.effect_of(yes)?, self.effect_of(no)?);
                Effect::If(self.code(condition)?, Box::new(branches))
            }
            Update::Either(branches) => {
                let code = |(condition, branch): &(Expr, Update)| {
                    Some((self.code(condition)?, self.effect_of(branch)?))
                };
                Effect::Either(branches.iter().map(code).collect::<Option<_>>()?)
            }
            Update::Choose(..) => return None,
        })
    }
}

/// The greatest number of parts of an update that is prepared. Larger ones would take much memory.
const LARGEST: usize = 4_096;

/// The number of assignments and conditions of an update.
fn parts(update: &Update) -> usize {
    match update {
        Update::Skip => 0,
        Update::Assign(assignments) => assignments.len(),
        Update::Sequence(updates) => updates.iter().map(parts).sum(),
        Update::If(_, yes, no) => 1 + parts(yes) + parts(no),
        Update::Either(branches) => branches.iter().map(|(_, branch)| 1 + parts(branch)).sum(),
        Update::Choose(_, _, body) => 1 + parts(body),
    }
}

impl Selection {
    /// The cell in a state. `None` if an index is outside its range.
    #[inline]
    fn field(&self, words: &[u64]) -> Option<Field> {
        let mut place = 0;
        for (index, lo, hi) in &self.indices {
            let value = index.value(words)?;
            if value < *lo || *hi < value {
                return None;
            }
            place = place * (hi - lo + 1) as usize + (value - lo) as usize;
        }
        Some(self.fields[place])
    }
}

impl Code {
    /// The value in a packed state.
    pub(super) fn value(&self, words: &[u64]) -> Option<i64> {
        match self {
            Code::Constant(value) => Some(*value),
            Code::Read(field) => Some(field.decode(words)),
            Code::Select(selection) => Some(selection.field(words)?.decode(words)),
            Code::Not(a) => Some(1 - a.value(words)?),
            Code::Neg(a) => a.value(words)?.checked_neg(),
            Code::And(parts) => {
                for part in parts {
                    if part.value(words)? == 0 {
                        return Some(0);
                    }
                }
                Some(1)
            }
            Code::Or(parts) => {
                for part in parts {
                    if part.value(words)? != 0 {
                        return Some(1);
                    }
                }
                Some(0)
            }
            Code::Sum(parts) => parts.iter().try_fold(0i64, |sum, part| sum.checked_add(part.value(words)?)),
            Code::Min(parts) => parts
                .iter()
                .try_fold(None, |least: Option<i64>, part| {
                    let value = part.value(words)?;
                    Some(Some(least.map_or(value, |least| least.min(value))))
                })
                .flatten(),
            Code::Max(parts) => parts
                .iter()
                .try_fold(None, |greatest: Option<i64>, part| {
                    let value = part.value(words)?;
                    Some(Some(greatest.map_or(value, |greatest| greatest.max(value))))
                })
                .flatten(),
            Code::Binary(operator, operands) => {
                let a = operands.0.value(words)?;
                if *operator == Operator::Implies && a == 0 {
                    return Some(1);
                }
                let b = operands.1.value(words)?;
                match operator {
                    Operator::Implies => Some(b),
                    Operator::Eq => Some(i64::from(a == b)),
                    Operator::Ne => Some(i64::from(a != b)),
                    Operator::Lt => Some(i64::from(a < b)),
                    Operator::Le => Some(i64::from(a <= b)),
                    Operator::Gt => Some(i64::from(a > b)),
                    Operator::Ge => Some(i64::from(a >= b)),
                    Operator::Sub => a.checked_sub(b),
                    Operator::Mul | Operator::Div | Operator::Mod => semantics::binary(*operator, a, b).ok(),
                }
            }
            Code::If(parts) => {
                let (condition, yes, no) = &**parts;
                if condition.value(words)? == 0 { no.value(words) } else { yes.value(words) }
            }
        }
    }
}

impl Effect {
    /// Replaces the states from a position on by what the update makes of them. A state may occur several times after
    /// that. `None` if there is a fault; then the list is of no use.
    pub(super) fn apply<const W: usize>(&self, states: &mut Vec<Words<W>>, from: usize) -> Option<()> {
        match self {
            Effect::Assign(assignments) => {
                for state in &mut states[from..] {
                    let before = *state;
                    for (place, value) in assignments {
                        let field = place.field(&before)?;
                        let value = value.value(&before)?;
                        if value < field.lo || field.hi < value {
                            return None;
                        }
                        state[field.word] = state[field.word] & !field.mask() | field.encode(value);
                    }
                }
            }
            Effect::Sequence(effects) => {
                for effect in effects {
                    effect.apply(states, from)?;
                }
            }
            Effect::If(condition, branches) => {
                let branch = |state: &Words<W>| {
                    Some(if condition.value(state)? == 0 { &branches.1 } else { &branches.0 })
                };
                if states.len() - from == 1 {
                    return branch(&states[from])?.apply(states, from);
                }
                each(states, from, |state, states| {
                    states.push(*state);
                    branch(state)?.apply(states, states.len() - 1)
                })?;
            }
            Effect::Either(branches) => each(states, from, |state, states| {
                let before = states.len();
                for (condition, branch) in branches {
                    if condition.value(state)? != 0 {
                        states.push(*state);
                        branch.apply(states, states.len() - 1)?;
                    }
                }
                (states.len() > before).then_some(())
            })?,
        }
        Some(())
    }
}

/// Replaces each of the states from a position on by those that are appended for it.
fn each<const W: usize>(
    states: &mut Vec<Words<W>>,
    from: usize,
    mut append: impl FnMut(&Words<W>, &mut Vec<Words<W>>) -> Option<()>,
) -> Option<()> {
    let end = states.len();
    for number in from..end {
        let state = states[number];
        append(&state, states)?;
    }
    states.drain(from..end);
    Some(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::initial::initial_states;
    use model::{ActionId, ground};

    use super::super::random;
    use super::*;
    use crate::graph::tests::Random;

    #[test]
    fn code_has_the_value_and_the_outcomes_of_the_reference_semantics() {
        let mut random = Random(7);
        let (mut values, mut faults, mut outcomes, mut several) = (0, 0, 0, 0);
        for _ in 0..1_500 {
            let task = random::task(&mut random);
            let instance = Arc::clone(task.subject.instance().expect("no open parameters"));
            let packing = Packing::new(&instance);
            let coder = Coder { instance: &instance, packing: &packing };
            let Some(Ok(mut state)) = initial_states(&instance).next() else { continue };
            let actions = (0..instance.actions.len() as u32).map(ActionId);
            let prepared: Vec<(ActionId, Code, Effect)> = actions
                .filter_map(|action| {
                    let guard = coder.code(&ground::guard(&instance, action))?;
                    Some((action, guard, coder.effect(&ground::update(&instance, action))?))
                })
                .collect();
            for _ in 0..8 {
                let mut words = [0; 4];
                packing.pack(&state, &mut words);
                let mut next = Vec::new();
                for (action, guard, effect) in &prepared {
                    let enabled = semantics::enabled(&instance, &state, *action);
                    assert_eq!(guard.value(&words).map(|value| value != 0), enabled.clone().ok());
                    values += 1;
                    if enabled != Ok(true) {
                        continue;
                    }
                    let mut found = vec![words];
                    let Some(()) = effect.apply(&mut found, 0) else {
                        assert!(semantics::successors(&instance, &state, *action).is_err());
                        faults += 1;
                        continue;
                    };
                    let mut found: Vec<_> = found.iter().map(|words| packing.unpack(words)).collect();
                    found.sort();
                    found.dedup();
                    several += usize::from(found.len() > 1);
                    outcomes += 1;
                    assert_eq!(Ok(&found), semantics::successors(&instance, &state, *action).as_ref());
                    next.extend(found);
                }
                if next.is_empty() {
                    break;
                }
                state = next.swap_remove(random.below(next.len() as u64) as usize);
            }
        }
        let counts = format!("{values} values, {faults} faults, {outcomes} updates, {several} with a choice");
        assert!(values > 20_000 && faults > 50 && outcomes > 5_000 && several > 100, "{counts}");
    }
}
