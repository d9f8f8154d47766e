//! Decides which properties do not depend on steps at which nothing happens.
//!
//! A step is *silent* if its action matches no event atom of the task and writes no cell that an atom reads. The
//! position it leaves looks like the next one, except that no event is taken there. A formula is *insensitive* if its
//! truth does not change when any number of silent steps are inserted or removed anywhere. That is a stronger
//! condition than being free of `X`: `taken(a) U taken(b)` is true of the steps `a b` and false of `a c b`, with a
//! silent `c`. (The same distinction is called interruptible in [SY20].)
//!
//! We compute how a silent step in front affects the truth of a formula. A formula *lasts* if it stays true when a silent
//! step is inserted in front, and it *returns* if it stays true when one is removed. A state predicate does both.
//! `taken(a)` returns, since it is false at a silent step, and `!taken(a)` lasts. `G x` is insensitive if `x` lasts, and
//! `F x` if `x` returns. `x U y` is insensitive if `x` lasts, `y` returns and, for a silent step just before `y`, either
//! `y` lasts or `x` is true at every silent step. In both words the silent steps before a visible one form a block. Every
//! such formula has the same truth in the whole block and, by induction over the formula, in both words. So this is also
//! right for infinitely many silent steps. `O x`, `H x` and `x S y` are insensitive if their operands last and return:
//! these have the same truth in the whole block. `X` and `Y` are refused. A requirement `GF when -> GF then` is
//! insensitive if both predicates return, which is always so for the words weak, strong and unconditional.
//!
//! Faults of atoms count as well. A state predicate is faulty before a silent step if it is after it. An atom with
//! events might be faulty for one action only, so it must be free of faults.

use std::collections::BTreeSet;

use model::expr::{Operator, Party};
use model::instance::{ActionInstance, Environment};
use model::property::Kind;
use model::{Expr, Fairness, Formula, Instance, Pattern};

use super::footprint::{Footprint, is_total, reads};

/// The events and cells that property and fairness depend on.
#[derive(Debug, Default)]
pub(super) struct Observed {
    cells: BTreeSet<usize>,
    events: Vec<Pattern>,
}

impl Observed {
    /// What a ground property and fairness depend on, or why they are not insensitive.
    pub(super) fn new(
        instance: &Instance,
        kind: &Kind,
        fairness: &Fairness,
    ) -> Result<Observed, &'static str> {
        let mut observed = Observed::default();
        match kind {
            Kind::Invariant(invariant) => {
                observed.atom(instance, invariant)?;
                return Ok(observed);
            }
            Kind::Ltl(formula) => {
                let silence_effect = observed.formula(instance, formula)?;
                if !silence_effect.is_insensitive() {
                    return Err(SENSITIVE);
                }
            }
            Kind::Never(_) => return Err("an automaton may count steps at which nothing happens"),
            Kind::Ctl(_) => return Err("it is a CTL property"),
        }
        for assumption in &fairness.alternatives {
            if assumption.global {
                return Err("strong global fairness depends on every step");
            }
            for requirement in &assumption.requirements {
                for predicate in [&requirement.when, &requirement.then] {
                    if !observed.atom(instance, predicate)?.returns {
                        return Err("the fairness depends on steps at which nothing happens");
                    }
                }
            }
        }
        Ok(observed)
    }

    /// Whether steps of an action may be visible.
    pub(super) fn sees(&self, instance: &Instance, action: &ActionInstance, footprint: &Footprint) -> bool {
        footprint.writes_into(&self.cells)
            || self.events.iter().any(|event| may_match(instance, event, action))
    }

    fn atom(&mut self, instance: &Instance, expr: &Expr) -> Result<SilenceEffect, &'static str> {
        let mut with_events = false;
        expr.any(&mut |part| {
            if let Expr::Taken(pattern) = part {
                with_events = true;
                self.events.push(pattern.clone());
            }
            false
        });
        if with_events && !is_total(instance, expr) {
            return Err("an atom with events may have a fault");
        }
        self.cells.extend(reads(instance, expr));
        Ok(silence_effect(expr))
    }

    fn formula(&mut self, instance: &Instance, formula: &Formula) -> Result<SilenceEffect, &'static str> {
        let mut of = |formula: &Formula| self.formula(instance, formula);
        let insensitive =
            |condition: bool| if condition { Ok(SilenceEffect::INSENSITIVE) } else { Err(SENSITIVE) };
        match formula {
            Formula::Atom(expr) => self.atom(instance, expr),
            Formula::Not(a) => Ok(of(a)?.not()),
            Formula::And(parts) => {
                Ok(SilenceEffect::all(parts.iter().map(of).collect::<Result<Vec<_>, _>>()?))
            }
            Formula::Or(parts) => {
                Ok(SilenceEffect::any(parts.iter().map(of).collect::<Result<Vec<_>, _>>()?))
            }
            Formula::Implies(a, b) => Ok(SilenceEffect::any([of(a)?.not(), of(b)?])),
            Formula::Next(_) => Err("it uses X"),
            Formula::Previous(_) => Err("it uses Y"),
            Formula::Once(a) | Formula::Historically(a) => insensitive(of(a)?.is_insensitive()),
            Formula::Since(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                insensitive(a.is_insensitive() && b.is_insensitive())
            }
            Formula::Finally(a) => insensitive(of(a)?.returns),
            Formula::Globally(a) => insensitive(of(a)?.lasts),
            Formula::Until(a, b) | Formula::WeakUntil(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                insensitive(until(a, b))
            }
            // a R b is !(!a U !b).
            Formula::Release(a, b) => {
                let (a, b) = (of(a)?.not(), of(b)?.not());
                insensitive(until(a, b))
            }
            Formula::Forall(..) | Formula::Exists(..) => Err("it has quantifiers that were not written out"),
        }
    }
}

const SENSITIVE: &str = "it depends on steps at which nothing happens";

/// Whether a predicate is true of a step whenever it is true of the step with silent steps in front.
pub(super) fn returns(expr: &Expr) -> bool {
    silence_effect(expr).returns
}

/// How a silent step in front affects the truth of a formula.
#[derive(Clone, Copy, Debug)]
struct SilenceEffect {
    /// If it is true, it is also true with a silent step in front.
    lasts: bool,
    /// If it is true with a silent step in front, it is also true without.
    returns: bool,
    /// Its truth at a silent step, if it is the same at all of them.
    in_silence: Option<bool>,
}

impl SilenceEffect {
    const INSENSITIVE: SilenceEffect = SilenceEffect { lasts: true, returns: true, in_silence: None };

    fn is_insensitive(self) -> bool {
        self.lasts && self.returns
    }

    fn not(self) -> SilenceEffect {
        let in_silence = self.in_silence.map(|truth| !truth);
        SilenceEffect { lasts: self.returns, returns: self.lasts, in_silence }
    }

    fn all(parts: impl IntoIterator<Item = SilenceEffect>) -> SilenceEffect {
        let mut all = SilenceEffect { in_silence: Some(true), ..SilenceEffect::INSENSITIVE };
        for part in parts {
            all.lasts &= part.lasts;
            all.returns &= part.returns;
            all.in_silence = match (all.in_silence, part.in_silence) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        all.lasts |= all.in_silence == Some(true);
        all.returns |= all.in_silence == Some(false);
        all
    }

    fn any(parts: impl IntoIterator<Item = SilenceEffect>) -> SilenceEffect {
        SilenceEffect::all(parts.into_iter().map(SilenceEffect::not)).not()
    }
}

fn until(a: SilenceEffect, b: SilenceEffect) -> bool {
    a.lasts && b.returns && (b.lasts || a.in_silence == Some(true))
}

fn silence_effect(expr: &Expr) -> SilenceEffect {
    if !expr.any(&mut |part| matches!(part, Expr::Taken(_))) {
        let in_silence = if let Expr::Bool(truth) = expr { Some(*truth) } else { None };
        return SilenceEffect { in_silence, ..SilenceEffect::INSENSITIVE };
    }
    match expr {
        Expr::Taken(_) => SilenceEffect { lasts: false, returns: true, in_silence: Some(false) },
        Expr::Not(a) => silence_effect(a).not(),
        Expr::And(parts) => SilenceEffect::all(parts.iter().map(silence_effect)),
        Expr::Or(parts) => SilenceEffect::any(parts.iter().map(silence_effect)),
        Expr::Binary(Operator::Implies, a, b) => {
            SilenceEffect::any([silence_effect(a).not(), silence_effect(b)])
        }
        // Numbers computed from events: nothing is known.
        _ => SilenceEffect { lasts: false, returns: false, in_silence: None },
    }
}

/// Whether an event pattern may match an action in some state.
fn may_match(instance: &Instance, pattern: &Pattern, action: &ActionInstance) -> bool {
    let constant = |expr: &Expr| {
        let rigid = !expr.any(&mut |part| matches!(part, Expr::Read(_) | Expr::Enabled(_) | Expr::Taken(_)));
        rigid.then(|| model::semantics::rigid(expr, &mut Environment::default()).ok()).flatten()
    };
    let fits = |party: &Party| {
        action.participants.iter().any(|(process, label)| {
            let process = &instance.processes[process.0 as usize];
            let same_index = match party.process.as_deref().map(constant) {
                Some(Some(value)) => process.index == Some(value),
                _ => true,
            };
            process.family == party.family
                && same_index
                && party.label.as_ref().is_none_or(|other| other == label)
        })
    };
    let same_arguments = pattern.arguments.as_ref().is_none_or(|arguments| {
        arguments.len() == action.arguments.len()
            && arguments
                .iter()
                .zip(&action.arguments)
                .all(|(argument, value)| constant(argument).is_none_or(|constant| constant == *value))
    });
    pattern.participants.iter().all(fits) && same_arguments
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::System;

    use super::*;
    use crate::graph::tests::Random;

    /// A position of a word: two state predicates, and whether each of two events is taken.
    type Letter = [bool; 4];

    /// An infinite word: its letters, and the position that follows the last one.
    type Word = (Vec<Letter>, usize);

    /// A state predicate or an event, encoded in its operand; its truth is in the letters.
    fn atom(number: usize) -> Expr {
        match number {
            0 | 1 => Expr::eq(Expr::Int(number as i64), Expr::Int(7)),
            _ => Expr::Taken(Pattern {
                participants: Vec::new(),
                arguments: Some(vec![Expr::Int(number as i64)]),
            }),
        }
    }

    fn random_atom(random: &mut Random) -> Expr {
        let simple = |random: &mut Random| atom(random.below(4) as usize);
        match random.below(5) {
            0 => Expr::Not(Box::new(simple(random))),
            1 => Expr::And(vec![simple(random), simple(random)]),
            2 => Expr::binary(Operator::Implies, simple(random), simple(random)),
            _ => simple(random),
        }
    }

    fn random_formula(random: &mut Random, size: u64) -> Formula {
        if size == 0 {
            return Formula::Atom(random_atom(random));
        }
        let a = Box::new(random_formula(random, size - 1));
        let b = Box::new(random_formula(random, random.0 % size));
        match random.below(8) {
            0 => Formula::Not(a),
            1 => Formula::And(vec![*a, *b]),
            2 => Formula::Implies(a, b),
            3 => Formula::Finally(a),
            4 => Formula::Globally(a),
            5 => Formula::Until(a, b),
            6 => Formula::WeakUntil(a, b),
            _ => Formula::Release(a, b),
        }
    }

    fn truth(expr: &Expr, letter: Letter) -> bool {
        match expr {
            Expr::Not(a) => !truth(a, letter),
            Expr::And(parts) => parts.iter().all(|part| truth(part, letter)),
            Expr::Binary(Operator::Implies, a, b) => !truth(a, letter) || truth(b, letter),
            atomic => letter[(0..4).find(|number| atom(*number) == *atomic).expect("an atom")],
        }
    }

    /// The truth of a formula at every position, by the definition.
    fn truths(formula: &Formula, word: &Word) -> Vec<bool> {
        let (letters, cycle) = word;
        let count = letters.len();
        let next = |k: usize| if k + 1 < count { k + 1 } else { *cycle };
        let until = |a: &[bool], b: &[bool]| -> Vec<bool> {
            let from = |start: usize| {
                let mut k = start;
                for _ in 0..=count {
                    if b[k] || !a[k] {
                        return b[k];
                    }
                    k = next(k);
                }
                false
            };
            (0..count).map(from).collect()
        };
        let not = |a: &[bool]| -> Vec<bool> { a.iter().map(|truth| !truth).collect() };
        let always = vec![true; count];
        match formula {
            Formula::Atom(expr) => letters.iter().map(|letter| truth(expr, *letter)).collect(),
            Formula::Not(a) => not(&truths(a, word)),
            Formula::And(parts) => {
                let parts: Vec<Vec<bool>> = parts.iter().map(|part| truths(part, word)).collect();
                (0..count).map(|k| parts.iter().all(|part| part[k])).collect()
            }
            Formula::Implies(a, b) => {
                truths(a, word).iter().zip(truths(b, word)).map(|(a, b)| !a || b).collect()
            }
            Formula::Finally(a) => until(&always, &truths(a, word)),
            Formula::Globally(a) => not(&until(&always, &not(&truths(a, word)))),
            Formula::Until(a, b) => until(&truths(a, word), &truths(b, word)),
            Formula::WeakUntil(a, b) => {
                let (a, b) = (truths(a, word), truths(b, word));
                let neither: Vec<bool> = a.iter().zip(&b).map(|(a, b)| !a && !b).collect();
                not(&until(&not(&b), &neither))
            }
            Formula::Release(a, b) => not(&until(&not(&truths(a, word)), &not(&truths(b, word)))),
            other => unreachable!("{other:?} is not made here"),
        }
    }

    /// The word with silent steps inserted.
    fn interrupted(random: &mut Random, (letters, cycle): &Word) -> Word {
        let mut result = (Vec::new(), 0);
        for (k, letter) in letters.iter().enumerate() {
            if k == *cycle {
                result.1 = result.0.len();
            }
            for _ in 0..random.below(3) {
                result.0.push([letter[0], letter[1], false, false]);
            }
            result.0.push(*letter);
        }
        result
    }

    #[test]
    fn silent_steps_do_not_change_the_truth_of_what_is_called_insensitive() {
        let instance = Instance::new(Arc::new(System::default())).expect("an empty system");
        let mut random = Random(11);
        let (mut insensitive, mut sensitive) = (0, 0);
        for round in 0..6_000 {
            let formula = random_formula(&mut random, round % 4);
            let kind = Kind::Ltl(formula.clone());
            let verdict = Observed::new(&instance, &kind, &Fairness::none());
            let mut changed = false;
            for _ in 0..20 {
                let length = 1 + random.below(4) as usize;
                let letters = (0..length).map(|_| std::array::from_fn(|_| random.below(2) == 1)).collect();
                let word: Word = (letters, random.below(length as u64) as usize);
                let other = interrupted(&mut random, &word);
                changed |= truths(&formula, &word)[0] != truths(&formula, &other)[0];
            }
            match verdict {
                Ok(_) => {
                    assert!(!changed, "{formula:?} is sensitive");
                    insensitive += 1;
                }
                Err(_) => sensitive += usize::from(changed),
            }
        }
        assert!(insensitive > 1_000 && sensitive > 1_000, "{insensitive} insensitive, {sensitive} sensitive");
    }
}
