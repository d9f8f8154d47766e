//! Judges whether a lasso is fair, and records in the ledger how.
//!
//! What happens infinitely often on a lasso is what happens on its cycle. So a requirement `GF when -> GF then` is met
//! iff no step of the cycle satisfies `when` or some step of it satisfies `then`, and strong global fairness is met iff
//! every step of the system that leaves a state of the cycle is a step of the cycle. A lasso is fair if all
//! requirements of one alternative are met. The ledger is about the first such alternative.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use model::expr::Party;
use model::fairness::{Assumption, Fairness, Word};
use model::instance::{Environment, Instance};
use model::semantics::Step;
use model::system::{Scalar, System};
use model::{Expr, Fault, Label, Lasso, Pattern, Requirement, Session, State, StopReason, semantics, show};

use crate::choices::each_choice;
use crate::end::{End, NoValue};
use crate::flaw::{Flaw, Unmet};
use crate::limits::Limits;

/// Approximate bytes per ledger entry, with its text.
const ENTRY: usize = 128;

/// Approximate bytes per position of a cycle when all its steps are looked up.
const POSITION: usize = 96;

/// A requirement and how the cycle of a lasso meets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The requirement in the user's names: `weak P[1].exit`.
    pub requirement: String,
    /// The word it is declared with; `None` for strong global fairness.
    pub word: Option<Word>,
    /// The action or process it is about, in the user's names, if it is about one: `P[1].exit`.
    pub target: Option<String>,
    /// The process whose action it is about, or which it is about itself: `P[1]`; the first of several.
    pub process: Option<String>,
    /// Which requirement of the assumption it is drawn from; strong global fairness comes last.
    pub declared: usize,
    /// How it is met.
    pub how: How,
}

/// How a cycle meets a requirement. Positions are indices into [`Lasso::positions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The action or process acts at this position.
    Taken {
        /// Where.
        position: usize,
    },
    /// The action or process is not enabled at this position, which is enough for weak fairness.
    NotEnabled {
        /// Where.
        position: usize,
    },
    /// The condition that the requirement asks for is true at this position.
    Holds {
        /// Where.
        position: usize,
    },
    /// The condition that triggers the requirement is never true on the cycle.
    NeverTriggered,
    /// Every step that leaves a state of the cycle is on it.
    Global,
}

/// The ledger of a lasso: how its cycle meets each requirement of the first alternative that it meets.
pub type Ledger = Vec<Entry>;

/// Why an alternative was not shown to be met.
enum NotMet {
    /// It is not met.
    Unmet(Unmet),
    /// A limit was reached.
    Stopped(StopReason),
}

impl From<StopReason> for NotMet {
    fn from(stop: StopReason) -> NotMet {
        NotMet::Stopped(stop)
    }
}

impl NotMet {
    /// The requirement has no value.
    fn no_value(requirement: String, reason: NoValue) -> NotMet {
        match reason {
            NoValue::Fault(fault) => NotMet::Unmet(Unmet::Fault { requirement, fault }),
            NoValue::Stopped(stop) => NotMet::Stopped(stop),
        }
    }
}

/// Whether a lasso that is a run is fair. Returns how it meets an alternative, or why it meets none.
pub(crate) fn judge(
    instance: &Instance,
    fairness: &Fairness,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Ledger, End> {
    let mut reasons = Vec::new();
    for alternative in &fairness.alternatives {
        match meets(instance, alternative, lasso, limits) {
            Ok(ledger) => return Ok(ledger),
            Err(NotMet::Unmet(reason)) => reasons.push(reason),
            Err(NotMet::Stopped(stop)) => return Err(stop.into()),
        }
    }
    Err(Flaw::Unfair(reasons).into())
}

fn meets(
    instance: &Instance,
    assumption: &Assumption,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Ledger, NotMet> {
    let mut ledger = Ledger::new();
    for (declared, requirement) in assumption.requirements.iter().enumerate() {
        let mut enter = |environment: &mut Environment| -> Result<(), NotMet> {
            if semantics::exists(instance, requirement, environment) {
                limits.room(ledger.len(), ENTRY)?;
                let entry = entry(instance, requirement, environment, lasso, limits)?;
                ledger.push(Entry { declared, ..entry });
            }
            Ok(())
        };
        let flow = each_choice(&requirement.binders, &mut Environment::default(), &mut |environment| {
            enter(environment).map_or_else(ControlFlow::Break, ControlFlow::Continue)
        });
        let no_range =
            |fault| NotMet::no_value(show::requirement(&instance.system, requirement), NoValue::Fault(fault));
        if let ControlFlow::Break(reason) = flow.map_err(no_range)? {
            return Err(reason);
        }
    }
    if assumption.global {
        covers(instance, lasso, limits)?;
        ledger.push(Entry {
            requirement: "global".to_owned(),
            word: None,
            target: None,
            process: None,
            declared: assumption.requirements.len(),
            how: How::Global,
        });
    }
    Ok(ledger)
}

/// How the cycle meets a requirement whose binders have values, as an entry of the ledger.
fn entry(
    instance: &Instance,
    requirement: &Requirement,
    environment: &mut Environment,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Entry, NotMet> {
    let how = how(instance, requirement, environment, lasso, limits);
    let Names { name, target, process } = names(&instance.system, requirement, environment);
    match how {
        Ok(Some(how)) => {
            Ok(Entry { requirement: name, word: Some(requirement.word), target, process, declared: 0, how })
        }
        Ok(None) => Err(NotMet::Unmet(Unmet::Requirement(name))),
        Err(reason) => Err(NotMet::no_value(name, reason)),
    }
}

/// How the cycle meets a requirement whose binders have values; `None` if it does not.
fn how(
    instance: &Instance,
    requirement: &Requirement,
    environment: &mut Environment,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Option<How>, NoValue> {
    let mut satisfies = |predicate: &Expr, position: usize| {
        semantics::step_predicate_in(instance, predicate, &lasso.positions[position], environment)
    };
    let mut triggered = false;
    let mut met = None;
    // Every step of the cycle is evaluated, so that no fault is missed.
    for position in lasso.cycle..lasso.positions.len() {
        limits.check()?;
        triggered |= satisfies(&requirement.when, position)?;
        if !satisfies(&requirement.then, position)? {
            continue;
        }
        let taken = match &requirement.of {
            Some(of) => satisfies(&Expr::Taken(of.clone()), position)?,
            None => false,
        };
        // A step of the action itself is a better witness than a position where it is not enabled.
        match met {
            Some(How::Taken { .. }) => {}
            _ if taken => met = Some(How::Taken { position }),
            Some(_) => {}
            None if requirement.word == Word::Weak => met = Some(How::NotEnabled { position }),
            None => met = Some(How::Holds { position }),
        }
    }
    Ok(if triggered { met } else { Some(How::NeverTriggered) })
}

/// Whether every step of the system that leaves a state of the cycle is on the cycle.
fn covers(instance: &Instance, lasso: &Lasso, limits: &Limits<'_>) -> Result<(), NotMet> {
    match left_out_within(instance, lasso, limits) {
        Ok(None) => Ok(()),
        Ok(Some((position, step))) => Err(NotMet::Unmet(Unmet::Global {
            action: show::label(instance, step.label),
            state: position,
            changes: show::changes(instance, &lasso.positions[position].state, &step.target),
        })),
        Err(reason) => Err(NotMet::no_value("global".to_owned(), reason)),
    }
}

/// The first step of the system that leaves a state of the cycle but is not on it, with the position of the state.
pub fn left_out(instance: &Instance, lasso: &Lasso) -> Result<Option<(usize, Step)>, Fault> {
    match left_out_within(instance, lasso, &Limits::new(&Session::unlimited())) {
        Ok(found) => Ok(found),
        Err(NoValue::Fault(fault)) => Err(fault),
        Err(NoValue::Stopped(_)) => unreachable!("there is no limit"),
    }
}

fn left_out_within(
    instance: &Instance,
    lasso: &Lasso,
    limits: &Limits<'_>,
) -> Result<Option<(usize, Step)>, NoValue> {
    let positions = &lasso.positions;
    let cycle = lasso.cycle..positions.len();
    limits.room(cycle.len(), POSITION)?;
    // The states of the cycle, each with the position at which it comes first.
    let mut firsts: HashMap<&State, usize> = HashMap::new();
    let here: Vec<usize> = cycle.clone().map(|k| *firsts.entry(&positions[k].state).or_insert(k)).collect();
    let first = |k: usize| here[k - lasso.cycle];
    let taken: HashSet<(usize, Label, usize)> =
        cycle.clone().map(|k| (first(k), positions[k].label, first(lasso.next(k)))).collect();
    for k in cycle.filter(|k| first(*k) == *k) {
        limits.check()?;
        for step in semantics::steps(instance, &positions[k].state)? {
            let target = firsts.get(&step.target);
            if !target.is_some_and(|target| taken.contains(&(k, step.label, *target))) {
                return Ok(Some((k, step)));
            }
        }
    }
    Ok(None)
}

/// The texts of a requirement, of the action or process it is about, and of the first process of that.
struct Names {
    name: String,
    target: Option<String>,
    process: Option<String>,
}

/// The texts of a requirement, in which bound indices are replaced by their values.
fn names(system: &System, requirement: &Requirement, environment: &Environment) -> Names {
    let texts = |system: &System, requirement: &Requirement| {
        let of = requirement.of.as_ref();
        let alone = |of: &Pattern| {
            let first = Party { label: None, ..of.participants.first()?.clone() };
            Some(Pattern { participants: vec![first], arguments: None })
        };
        Names {
            name: show::requirement(system, requirement),
            target: of.map(|of| show::pattern(system, of)),
            process: of.and_then(alone).map(|process| show::pattern(system, &process)),
        }
    };
    if requirement.binders.is_empty() {
        return texts(system, requirement);
    }
    let mut named = show::names(system);
    for binder in &requirement.binders {
        let value = environment.get(binder.index).unwrap_or_default();
        let index = &mut named.indices[binder.index.0 as usize];
        let member = match &index.scalar {
            Scalar::Enum(id) => named.enums[id.0 as usize].members.get(value as usize).cloned(),
            _ => None,
        };
        index.name = member.unwrap_or_else(|| value.to_string());
    }
    texts(&named, &Requirement { binders: Vec::new(), ..requirement.clone() })
}
