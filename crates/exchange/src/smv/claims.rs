//! Properties as specifications, and fairness as JUSTICE and COMPASSION.
//!
//! The constraints and formulas of `NuSMV` are about states, ours are about positions: a state and the step that leaves
//! it. The variables `act` of a state name the step that led there, so the event of a position is read one state later:
//! as `X (act_P = a)` in a formula, and as `act_P = a` where only "infinitely often" matters. A step predicate that
//! mixes events and the state is recorded in a bit by the step.
//!
//! `NuSMV` checks a CTL formula only in those initial states where a fair run begins; by our definition it is claimed
//! of all of them. So under fairness every state gets a transition to a fair state `out`, and the path quantifiers are
//! restricted to the runs that never take it.

use model::property::{Ctl, Formula, Kind, Paths};
use model::{Expr, Requirement};

use super::names::Smv;
use crate::export::Refusal;
use crate::export::assumed::automaton;
use crate::export::expressions::{is_about_step, joined, truth};

/// The step predicates that are recorded, with their texts.
#[derive(Clone, Default)]
pub(super) struct Record(pub(super) Vec<(Expr, String)>);

impl Record {
    /// The bit that says whether a predicate was true of the last step.
    fn bit(&mut self, smv: &Smv, predicate: &Expr) -> Result<String, Refusal> {
        let before = Smv { ahead: true, ..*smv };
        let text = truth(&before, predicate)?;
        let known = self.0.iter().position(|(_, known)| *known == text);
        let number = known.unwrap_or_else(|| {
            self.0.push((predicate.clone(), text));
            self.0.len() - 1
        });
        Ok(name(number))
    }
}

/// The name of a bit. A name of the user's does not begin with an underscore.
pub(super) fn name(number: usize) -> String {
    format!("_step{number}")
}

/// What the formulas of a file must account for.
#[derive(Clone, Copy, Default)]
pub(super) struct FormulaContext {
    /// Whether there is a transition `out`.
    pub(super) out: bool,
    /// Whether there may be a fault.
    pub(super) fault: bool,
}

/// A fairness constraint.
pub(super) fn constraint(
    smv: &Smv,
    record: &mut Record,
    Requirement { when, then, .. }: &Requirement,
    context: FormulaContext,
) -> Result<String, Refusal> {
    let then = infinitely_often(smv, record, then)?;
    let mut ends = Vec::new();
    ends.extend(context.fault.then(|| "fault".to_owned()));
    ends.extend(context.out.then(|| "out".to_owned()));
    if *when == Expr::Bool(true) {
        ends.push(then);
        return Ok(format!("JUSTICE {}", joined(&ends, "|", "")));
    }
    let mut parts: Vec<String> = ends.into_iter().map(|end| format!("!{end}")).collect();
    parts.push(infinitely_often(smv, record, when)?);
    Ok(format!("COMPASSION ({}, {then})", joined(&parts, "&", "")))
}

/// A state predicate that is true infinitely often iff the step predicate is.
fn infinitely_often(smv: &Smv, record: &mut Record, predicate: &Expr) -> Result<String, Refusal> {
    match predicate {
        Expr::Taken(_) => truth(smv, predicate),
        _ if !is_about_step(predicate) => truth(smv, predicate),
        // A disjunction is true infinitely often iff one of its parts is.
        Expr::Or(parts) => {
            let parts = parts
                .iter()
                .map(|part| infinitely_often(smv, record, part))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(joined(&parts, "|", "FALSE"))
        }
        _ => record.bit(smv, predicate),
    }
}

/// A specification: its keyword and its formula.
pub(super) fn specification(
    smv: &Smv,
    record: &mut Record,
    kind: &Kind,
    FormulaContext { out, fault }: FormulaContext,
) -> Result<(&'static str, String), Refusal> {
    Ok(match kind {
        Kind::Invariant(predicate) => {
            let claimed = truth(smv, predicate)?;
            ("INVARSPEC", if fault { format!("(!fault & {claimed})") } else { claimed })
        }
        Kind::Ltl(formula) => {
            let mut claimed = linear(smv, record, formula)?;
            if out {
                claimed = format!("((G !out) -> {claimed})");
            }
            ("LTLSPEC", if fault { format!("((G !fault) & {claimed})") } else { claimed })
        }
        Kind::Ctl(formula) => {
            let claimed = branching(smv, formula, out)?;
            ("CTLSPEC", if fault { format!("((AG !fault) & {claimed})") } else { claimed })
        }
        Kind::Never(_) => return Err(automaton("NuSMV")),
    })
}

fn linear(smv: &Smv, record: &mut Record, formula: &Formula) -> Result<String, Refusal> {
    let mut of = |formula: &Formula| linear(smv, record, formula);
    Ok(match formula {
        Formula::Atom(predicate) => match predicate {
            Expr::Taken(_) => format!("(X {})", truth(smv, predicate)?),
            _ if is_about_step(predicate) => format!("(X {})", record.bit(smv, predicate)?),
            _ => truth(smv, predicate)?,
        },
        Formula::Not(a) => format!("(!{})", of(a)?),
        Formula::Next(a) => format!("(X {})", of(a)?),
        Formula::Finally(a) => format!("(F {})", of(a)?),
        Formula::Globally(a) => format!("(G {})", of(a)?),
        Formula::And(parts) => joined(&parts.iter().map(of).collect::<Result<Vec<_>, _>>()?, "&", "TRUE"),
        Formula::Or(parts) => joined(&parts.iter().map(of).collect::<Result<Vec<_>, _>>()?, "|", "FALSE"),
        Formula::Implies(a, b) => format!("({} -> {})", of(a)?, of(b)?),
        Formula::Until(a, b) => format!("({} U {})", of(a)?, of(b)?),
        Formula::Release(a, b) => format!("({} V {})", of(a)?, of(b)?),
        Formula::WeakUntil(a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            format!("({b} V ({a} | {b}))")
        }
        Formula::Previous(a) => format!("(Y {})", of(a)?),
        Formula::Once(a) => format!("(O {})", of(a)?),
        Formula::Historically(a) => format!("(H {})", of(a)?),
        Formula::Since(a, b) => format!("({} S {})", of(a)?, of(b)?),
        Formula::Forall(..) | Formula::Exists(..) => unreachable!("the formula is ground"),
    })
}

/// A formula whose quantifiers range over all fair runs, or over those that never go `out`.
fn branching(smv: &Smv, formula: &Ctl, out: bool) -> Result<String, Refusal> {
    let of = |formula: &Ctl| branching(smv, formula, out);
    let letter = |paths: &Paths| if *paths == Paths::All { 'A' } else { 'E' };
    let not = |text: &str| format!("(!{text})");
    Ok(match formula {
        Ctl::Atom(predicate) => truth(smv, predicate)?,
        Ctl::Not(a) => not(&of(a)?),
        Ctl::And(parts) => joined(&parts.iter().map(of).collect::<Result<Vec<_>, _>>()?, "&", "TRUE"),
        Ctl::Or(parts) => joined(&parts.iter().map(of).collect::<Result<Vec<_>, _>>()?, "|", "FALSE"),
        Ctl::Implies(a, b) => format!("({} -> {})", of(a)?, of(b)?),
        Ctl::Next(paths, a) if !out => format!("({}X {})", letter(paths), of(a)?),
        Ctl::Finally(paths, a) if !out => format!("({}F {})", letter(paths), of(a)?),
        Ctl::Globally(paths, a) if !out => format!("({}G {})", letter(paths), of(a)?),
        Ctl::Until(paths, a, b) if !out => format!("{} [{} U {}]", letter(paths), of(a)?, of(b)?),
        Ctl::Next(Paths::Some, a) => format!("(EX ({} & EG !out))", of(a)?),
        Ctl::Next(Paths::All, a) => format!("(!EX (!{} & EG !out))", of(a)?),
        Ctl::Finally(Paths::Some, a) => until("TRUE", &of(a)?, out),
        Ctl::Finally(Paths::All, a) => not(&always(&not(&of(a)?), out)),
        Ctl::Globally(Paths::Some, a) => always(&of(a)?, out),
        Ctl::Globally(Paths::All, a) => not(&until("TRUE", &not(&of(a)?), out)),
        Ctl::Until(Paths::Some, a, b) => until(&of(a)?, &of(b)?, out),
        // The negation of: `b` is never true, or a state with neither `a` nor `b` comes before any `b`.
        Ctl::Until(Paths::All, a, b) => {
            let (a, b) = (of(a)?, not(&of(b)?));
            format!("(!({} | {}))", always(&b, out), until(&b, &format!("({b} & !{a})"), out))
        }
        Ctl::WeakUntil(Paths::Some, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            format!("({} | {})", until(&a, &b, out), always(&a, out))
        }
        Ctl::WeakUntil(Paths::All, a, b) => {
            let (a, b) = (of(a)?, not(&of(b)?));
            not(&until(&b, &format!("({b} & !{a})"), out))
        }
        Ctl::Infinitely(..) => {
            return Err(crate::export::refusal("a formula of CTL* that is not one of CTL"));
        }
        Ctl::Forall(..) | Ctl::Exists(..) => unreachable!("the formula is ground"),
    })
}

/// Some fair run all of whose states satisfy `a`.
fn always(a: &str, out: bool) -> String {
    if out { format!("(EG ({a} & !out))") } else { format!("(EG {a})") }
}

/// Some fair run satisfies `a U b`.
fn until(a: &str, b: &str, out: bool) -> String {
    if out { format!("E [({a} & !out) U ({b} & EG !out)]") } else { format!("E [{a} U {b}]") }
}
