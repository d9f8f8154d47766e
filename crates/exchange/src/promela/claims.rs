//! Properties and their fairness as `ltl` blocks.
//!
//! Weak fairness of every process is SPIN's option `-f`, if every action belongs to one process. Everything else is a
//! premise of the formula: `fair -> φ`. Requirements that something happens infinitely often share one conjunct (see
//! `observers`). A requirement `GF when -> GF then` is a conjunct of its own; only a few are accepted, because SPIN's
//! translation takes time exponential in their number. Strong global fairness is about every step of the state graph
//! and cannot be expressed, and neither can CTL.

use model::expr::{Operator, Party, Pattern};
use model::fairness::Word;
use model::property::Kind;
use model::{Assumption, Expr, Formula, Instance, Requirement, Task, ground};

use super::expressions::{Writer, is_plain};
use super::observers::Observers;
use crate::export::Refusal;
use crate::export::assumed::automaton;
use crate::export::range::defined;
use crate::export::refusal;

/// Limit on the length of a formula. SPIN reads formulas into a buffer of fixed length.
const LENGTH: usize = 1500;
/// Longer atoms are recorded in bits.
const ATOM: usize = 100;
/// Limit on the weight of the premises. A requirement with a condition weighs 2, all those without one together weigh
/// 1.
const WEIGHT: usize = 4;

/// A property for SPIN.
pub(super) struct Claim {
    /// The formula. It is evaluated after `delay` steps.
    pub(super) formula: String,
    /// By how many steps the evaluation is delayed.
    pub(super) delay: usize,
    /// Whether it needs `-f`.
    pub(super) scheduled: bool,
    /// How its fairness is expressed.
    pub(super) fairness: String,
}

/// The claim of a task, or why SPIN cannot check it.
pub(super) fn claim(writer: &Writer, observers: &mut Observers, task: &Task) -> Result<Claim, Refusal> {
    let formula = match ground::kind(writer.instance, &task.property.kind) {
        Kind::Invariant(predicate) => Formula::Globally(Box::new(Formula::Atom(predicate))),
        Kind::Ltl(formula) => formula,
        Kind::Ctl(_) => {
            return Err(Refusal {
                reason: "it is a CTL formula, and SPIN checks linear time only".to_owned(),
                instead: "say it in LTL if it can be said there".to_owned(),
            });
        }
        Kind::Never(_) => return Err(automaton("SPIN")),
    };
    let premises = match &task.property.kind {
        Kind::Invariant(_) => Premises { note: "none needed".to_owned(), ..Premises::default() },
        _ => premises(writer.instance, task)?,
    };
    let mut delay = lookahead(&formula, 0);
    for requirement in premises.alternatives.iter().flat_map(|alternative| &alternative.conditional) {
        delay = delay.max(events_in(&requirement.when)).max(events_in(&requirement.then));
    }
    let mut text = Text { writer, observers, delay };
    let mut alternatives = Vec::new();
    for Alternative { again, conditional } in premises.alternatives {
        let mut parts = Vec::new();
        if !again.is_empty() {
            parts.push(format!("([] <> {})", text.observers.round(again)));
        }
        for Requirement { when, then, .. } in conditional {
            parts.push(format!("(([] <> {}) -> ([] <> {}))", text.atom(&when, 0)?, text.atom(&then, 0)?));
        }
        alternatives.push(if parts.len() == 1 {
            parts.concat()
        } else {
            format!("({})", parts.join(" && "))
        });
    }
    let claimed = text.formula(&formula, 0)?;
    let formula = match alternatives.len() {
        0 => claimed,
        1 => format!("({} -> {claimed})", alternatives.concat()),
        _ => format!("(({}) -> {claimed})", alternatives.join(" || ")),
    };
    if formula.len() > LENGTH {
        return Err(refusal("its formula is longer than what SPIN can read"));
    }
    observers.delay = observers.delay.max(delay);
    Ok(Claim { formula, delay, scheduled: premises.scheduled, fairness: premises.note })
}

/// The assumptions that are part of the formula.
#[derive(Default)]
struct Premises {
    /// A run is fair if it meets one of these; if there are none, every run is fair.
    alternatives: Vec<Alternative>,
    /// Whether `-f` covers the rest.
    scheduled: bool,
    note: String,
}

struct Alternative {
    /// What must happen infinitely often.
    again: Vec<Expr>,
    /// Requirements with a condition.
    conditional: Vec<Requirement>,
}

fn premises(instance: &Instance, task: &Task) -> Result<Premises, Refusal> {
    let system = &instance.system;
    let mut fairness = ground::fairness(instance, &task.fairness);
    if fairness.is_none() {
        return Ok(Premises { note: "none".to_owned(), ..Premises::default() });
    }
    if fairness.alternatives.iter().any(|assumption| assumption.global) {
        return Err(refusal(
            "strong global fairness (`global`) speaks of every step of the state graph, which no formula can",
        ));
    }
    let mut notes = Vec::new();
    let mut scheduled = false;
    if let [Assumption { requirements, .. }] = &mut fairness.alternatives[..] {
        let of_process = |requirement: &Requirement| {
            requirement.word == Word::Weak
                && requirement.of.as_ref().is_some_and(|of| process(instance, of).is_some())
        };
        let scheduled_processes: Vec<_> = requirements
            .iter()
            .filter(|requirement| of_process(requirement))
            .filter_map(|requirement| requirement.of.as_ref().and_then(|of| process(instance, of)))
            .collect();
        let alone = instance.actions.iter().all(|action| action.participants.len() == 1);
        let every = instance.actions.iter().all(|action| {
            action.participants.iter().all(|(process, _)| scheduled_processes.contains(&(process.0 as usize)))
        });
        if alone && every && !scheduled_processes.is_empty() {
            scheduled = true;
            requirements.retain(|requirement| !of_process(requirement));
            notes.push("weak fairness of every process by -f".to_owned());
        }
    }
    let mut alternatives = Vec::new();
    let mut weight = 0;
    for assumption in fairness.alternatives {
        let (again, conditional): (Vec<_>, Vec<_>) =
            assumption.requirements.into_iter().partition(|requirement| requirement.when == Expr::Bool(true));
        weight += 2 * conditional.len() + usize::from(!again.is_empty());
        if weight > WEIGHT {
            let names: Vec<String> =
                conditional.iter().map(|r| model::show::requirement(system, r)).collect();
            return Err(refusal(format!(
                "SPIN's formulas cannot hold so many requirements: {}",
                names.join(", ")
            )));
        }
        for requirement in &conditional {
            notes.push(format!("{} in the formula", model::show::requirement(system, requirement)));
        }
        if !again.is_empty() {
            let names: Vec<String> = again.iter().map(|r| model::show::requirement(system, r)).collect();
            notes.push(format!("{} by rounds", names.join(", ")));
        }
        let again = again.into_iter().map(|requirement| requirement.then).collect::<Vec<_>>();
        if !again.is_empty() || !conditional.is_empty() {
            alternatives.push(Alternative { again, conditional });
        }
    }
    Ok(Premises { alternatives, scheduled, note: notes.join("; ") })
}

/// The process of a pattern that means all actions of one process.
fn process(instance: &Instance, pattern: &Pattern) -> Option<usize> {
    let Pattern { participants, arguments: None } = pattern else { return None };
    let [Party { family, process, label: None }] = &participants[..] else { return None };
    let index = match process.as_deref() {
        Some(Expr::Int(value)) => Some(*value),
        Some(_) => return None,
        None if instance.system.family(*family).index.is_none() => None,
        None => return None,
    };
    instance.process(*family, index).ok().map(|id| id.0 as usize)
}

/// The number of steps after a position until everything is known that a formula says about it with `X` and `taken`.
fn lookahead(formula: &Formula, nexts: usize) -> usize {
    match formula {
        Formula::Atom(atom) => nexts + events_in(atom),
        Formula::Next(a) => lookahead(a, nexts + 1),
        Formula::Not(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Previous(a)
        | Formula::Once(a)
        | Formula::Historically(a) => lookahead(a, nexts),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().map(|part| lookahead(part, nexts)).max().unwrap_or(0)
        }
        Formula::Implies(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b)
        | Formula::Since(a, b) => lookahead(a, nexts).max(lookahead(b, nexts)),
        Formula::Forall(..) | Formula::Exists(..) => unreachable!("the formula is ground"),
    }
}

/// 1 if an expression is about the step that leaves a position, 0 if it is about the state alone.
fn events_in(expr: &Expr) -> usize {
    usize::from(expr.any(&mut |expr| matches!(expr, Expr::Taken(_))))
}

/// Writes formulas that are evaluated with a delay.
struct Text<'a> {
    writer: &'a Writer<'a>,
    observers: &'a mut Observers,
    delay: usize,
}

impl Text<'_> {
    fn formula(&mut self, formula: &Formula, nexts: usize) -> Result<String, Refusal> {
        Ok(match formula {
            Formula::Atom(atom) => self.atom(atom, nexts)?,
            Formula::Next(a) => self.formula(a, nexts + 1)?,
            Formula::Not(a) => format!("(! {})", self.formula(a, nexts)?),
            Formula::Finally(a) => format!("(<> {})", self.formula(a, nexts)?),
            Formula::Globally(a) => format!("([] {})", self.formula(a, nexts)?),
            Formula::And(parts) => self.joined(parts, " && ", "true", nexts)?,
            Formula::Or(parts) => self.joined(parts, " || ", "false", nexts)?,
            Formula::Implies(a, b) => format!("({} -> {})", self.formula(a, nexts)?, self.formula(b, nexts)?),
            Formula::Until(a, b) => format!("({} U {})", self.formula(a, nexts)?, self.formula(b, nexts)?),
            Formula::WeakUntil(a, b) => {
                format!("({} W {})", self.formula(a, nexts)?, self.formula(b, nexts)?)
            }
            Formula::Release(a, b) => format!("({} V {})", self.formula(a, nexts)?, self.formula(b, nexts)?),
            Formula::Previous(_) | Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) => {
                return Err(refusal("it has a past operator, and SPIN's formulas are about the future only"));
            }
            Formula::Forall(..) | Formula::Exists(..) => unreachable!("the formula is ground"),
        })
    }

    fn joined(
        &mut self,
        parts: &[Formula],
        sign: &str,
        empty: &str,
        nexts: usize,
    ) -> Result<String, Refusal> {
        let texts: Vec<String> =
            parts.iter().map(|part| self.formula(part, nexts)).collect::<Result<_, _>>()?;
        Ok(match texts.len() {
            0 => format!("({empty})"),
            1 => texts.concat(),
            _ => format!("({})", texts.join(sign)),
        })
    }

    /// An atom `nexts` positions ahead, read with a delay of `delay` steps.
    fn atom(&mut self, atom: &Expr, nexts: usize) -> Result<String, Refusal> {
        if let Expr::Bool(value) = atom {
            return Ok(format!("({value})"));
        }
        let ago = self.delay - nexts;
        let instance = self.writer.instance;
        let text = self.writer.expression(atom)?;
        let short = text.len() <= ATOM && is_plain(instance, atom)?;
        if ago > 0 || !short || defined(instance, atom)? != Expr::Bool(true) {
            return Ok(format!("({})", self.observers.bit(atom, &text, ago)));
        }
        // To SPIN `&&`, `||` and `!` are operators of the formula; a comparison is one atom.
        let opaque =
            matches!(atom, Expr::And(_) | Expr::Or(_) | Expr::Not(_) | Expr::Binary(Operator::Implies, ..));
        Ok(if opaque { format!("(({text}) != 0)") } else { format!("({text})") })
    }
}
