//! Which properties do not care how often nothing happens.
//!
//! A step is *silent* if its action matches no event atom of the task and writes no cell that an atom reads; it
//! leaves a position that looks like the next one, except that nothing is taken there. A formula is *insensitive*
//! if putting in or leaving out silent steps, anywhere and any number of them, does not change its truth. That is
//! more than being free of `X`: `taken(a) U taken(b)` is true of the steps `a b` and false of `a c b`, with a
//! silent `c`. (The same distinction is called interruptible in [SY20].)
//!
//! We look at what a silent step in front does to the truth of a formula. It *lasts* if it stays true, it
//! *returns* if what is true with the silent step is true without it. A state predicate does both, `taken(a)`
//! returns, since it is false at a silent step, and `!taken(a)` lasts. `G x` is insensitive if `x` lasts, `F x` if
//! `x` returns, `x U y` if `x` lasts and `y` returns and, for a silent step just before `y`, either `y` lasts or
//! `x` is true at every silent step. In both words the silent steps before a visible one form a block, in which
//! every such formula has one truth, and by induction over the formula it is the same in both words; so this is
//! also right for infinitely many silent steps. `X` is refused. A requirement `GF when -> GF then` is insensitive
//! if both predicates return, which the words weak, strong and unconditional always give.
//!
//! Faults of atoms count as well. An atom of the state is faulty before and after a silent step alike; an atom
//! with events might be faulty for one action only, so it must be free of faults.

use std::collections::BTreeSet;

use model::expr::{Operator, Party};
use model::instance::{ActionInstance, Environment};
use model::property::Kind;
use model::{Expr, Fairness, Formula, Instance, Pattern};

use super::footprint::{Footprint, is_total, reads};

/// What property and fairness look at.
#[derive(Debug, Default)]
pub(super) struct Observed {
    cells: BTreeSet<usize>,
    events: Vec<Pattern>,
}

impl Observed {
    /// What a ground property and fairness look at; or, in words, why they are not insensitive.
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
                let temper = observed.formula(instance, formula)?;
                if !(temper.lasts && temper.returns) {
                    return Err(SENSITIVE);
                }
            }
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

    /// Whether steps of an action may be seen.
    pub(super) fn sees(&self, instance: &Instance, action: &ActionInstance, footprint: &Footprint) -> bool {
        footprint.writes_into(&self.cells)
            || self.events.iter().any(|event| may_match(instance, event, action))
    }

    fn atom(&mut self, instance: &Instance, expr: &Expr) -> Result<Temper, &'static str> {
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
        Ok(temper(expr))
    }

    fn formula(&mut self, instance: &Instance, formula: &Formula) -> Result<Temper, &'static str> {
        let mut of = |formula: &Formula| self.formula(instance, formula);
        let insensitive = |condition: bool| if condition { Ok(Temper::INSENSITIVE) } else { Err(SENSITIVE) };
        match formula {
            Formula::Atom(expr) => self.atom(instance, expr),
            Formula::Not(a) => Ok(of(a)?.not()),
            Formula::And(parts) => Ok(Temper::all(parts.iter().map(of).collect::<Result<Vec<_>, _>>()?)),
            Formula::Or(parts) => Ok(Temper::any(parts.iter().map(of).collect::<Result<Vec<_>, _>>()?)),
            Formula::Implies(a, b) => Ok(Temper::any([of(a)?.not(), of(b)?])),
            Formula::Next(_) => Err("it uses X"),
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

/// Whether a predicate is true of a step whenever it is true of the step after silent ones.
pub(super) fn returns(expr: &Expr) -> bool {
    temper(expr).returns
}

/// How the truth of a formula is affected by a silent step in front.
#[derive(Clone, Copy, Debug)]
struct Temper {
    /// What is true stays true.
    lasts: bool,
    /// What is true then was true before.
    returns: bool,
    /// It is true at every silent step.
    true_in_silence: bool,
    /// It is false at every silent step.
    false_in_silence: bool,
}

impl Temper {
    const INSENSITIVE: Temper =
        Temper { lasts: true, returns: true, true_in_silence: false, false_in_silence: false };

    fn not(self) -> Temper {
        Temper {
            lasts: self.returns,
            returns: self.lasts,
            true_in_silence: self.false_in_silence,
            false_in_silence: self.true_in_silence,
        }
    }

    fn all(parts: impl IntoIterator<Item = Temper>) -> Temper {
        let mut both = Temper { true_in_silence: true, ..Temper::INSENSITIVE };
        for part in parts {
            both.lasts &= part.lasts;
            both.returns &= part.returns;
            both.true_in_silence &= part.true_in_silence;
            both.false_in_silence |= part.false_in_silence;
        }
        both.lasts |= both.true_in_silence;
        both.returns |= both.false_in_silence;
        both
    }

    fn any(parts: impl IntoIterator<Item = Temper>) -> Temper {
        Temper::all(parts.into_iter().map(Temper::not)).not()
    }
}

fn until(a: Temper, b: Temper) -> bool {
    a.lasts && b.returns && (b.lasts || a.true_in_silence)
}

fn temper(expr: &Expr) -> Temper {
    if !expr.any(&mut |part| matches!(part, Expr::Taken(_))) {
        let (yes, no) = (*expr == Expr::Bool(true), *expr == Expr::Bool(false));
        return Temper { true_in_silence: yes, false_in_silence: no, ..Temper::INSENSITIVE };
    }
    match expr {
        Expr::Taken(_) => {
            Temper { lasts: false, returns: true, true_in_silence: false, false_in_silence: true }
        }
        Expr::Not(a) => temper(a).not(),
        Expr::And(parts) => Temper::all(parts.iter().map(temper)),
        Expr::Or(parts) => Temper::any(parts.iter().map(temper)),
        Expr::Binary(Operator::Implies, a, b) => Temper::any([temper(a).not(), temper(b)]),
        // Numbers made of events: nothing is known.
        _ => Temper { lasts: false, returns: false, true_in_silence: false, false_in_silence: false },
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
