//! Properties and fairness as temporal formulas.
//!
//! TLA+ ignores stuttering, and so do our formulas of `G` and `F` over state predicates: they are written as they are.
//! TLA+ has no `X`, `U`, `W` or `R`. An event may only occur where TLA+ allows an action, below "infinitely often" and
//! "from some point on": `[]<><<A>>_vars`. The step `idle` of a deadlock is stuttering for ever in TLA+, so a condition
//! on idle steps is also written as a condition on the state.
//!
//! Weak and strong fairness of actions and processes are `WF_vars` and `SF_vars`. Every step changes `vars`, so an
//! action of TLA+ is enabled exactly where ours is.

use model::fairness::Word;
use model::property::{Formula, Kind};
use model::{Expr, Requirement};

use super::names::Tla;
use crate::export::Refusal;
use crate::export::assumed::automaton;
use crate::export::expressions::{is_about_step, joined, truth};
use crate::export::range::events;
use crate::export::refusal;

/// The assumptions of a task as formulas: first those about actions and processes, then the others.
///
/// Weak and strong fairness of actions leave every finite run a fair continuation [AL91]; other assumptions may not.
pub(super) fn fairness(
    tla: &Tla,
    alternatives: &[Vec<Requirement>],
) -> Result<(Vec<String>, Vec<String>), Refusal> {
    let of_actions = |requirement: &Requirement| matches!(requirement.word, Word::Weak | Word::Strong);
    let all = |requirements: &[Requirement]| -> Result<Vec<String>, Refusal> {
        requirements.iter().map(|requirement| self::requirement(tla, requirement)).collect()
    };
    if let [requirements] = alternatives {
        let (actions, others): (Vec<_>, Vec<_>) = requirements.iter().cloned().partition(of_actions);
        return Ok((all(&actions)?, all(&others)?));
    }
    let mut texts = Vec::new();
    for requirements in alternatives {
        texts.push(joined(&all(requirements)?, "/\\", "TRUE"));
    }
    let either: Vec<String> = if texts.is_empty() { texts } else { vec![joined(&texts, "\\/", "")] };
    let closed = alternatives.iter().flatten().all(of_actions);
    Ok(if closed { (either, Vec::new()) } else { (Vec::new(), either) })
}

fn requirement(tla: &Tla, Requirement { word, of, when, then, .. }: &Requirement) -> Result<String, Refusal> {
    if let (Some(of), Word::Weak | Word::Strong) = (of, word) {
        let actions = events(tla.instance, of)?;
        let names = actions.iter().map(|action| tla.naming.actions[action.0 as usize].as_str());
        let names = names.collect::<Vec<_>>().join(" \\/ ");
        return Ok(format!("{}_vars({names})", if *word == Word::Weak { "WF" } else { "SF" }));
    }
    let then = infinitely_often(tla, then)?;
    if *when == Expr::Bool(true) {
        Ok(then)
    } else {
        Ok(format!("({} => {then})", infinitely_often(tla, when)?))
    }
}

/// The formula that a step predicate is true infinitely often.
fn infinitely_often(tla: &Tla, predicate: &Expr) -> Result<String, Refusal> {
    match predicate {
        _ if !is_about_step(predicate) => Ok(format!("([]<>{})", truth(tla, predicate)?)),
        Expr::Taken(_) => Ok(format!("([]<><<{}>>_vars)", truth(tla, predicate)?)),
        // A disjunction is true infinitely often iff one of its parts is.
        Expr::Or(parts) => {
            let parts =
                parts.iter().map(|part| infinitely_often(tla, part)).collect::<Result<Vec<_>, _>>()?;
            Ok(joined(&parts, "\\/", "FALSE"))
        }
        _ => {
            let (step, idle) = (truth(tla, predicate)?, truth(tla, &on_idle_step(predicate))?);
            Ok(format!("(([]<><<{step}>>_vars) \\/ ([]<>(Stuck /\\ {idle})))"))
        }
    }
}

/// A step predicate, evaluated on the step `idle`.
fn on_idle_step(predicate: &Expr) -> Expr {
    match predicate {
        Expr::Taken(_) => Expr::Bool(false),
        other => other.map(&mut |part| on_idle_step(part)),
    }
}

/// The formula of a property. An invariant is claimed of every state.
pub(super) fn claim(tla: &Tla, kind: &Kind) -> Result<String, Refusal> {
    match kind {
        Kind::Invariant(predicate) => truth(tla, predicate),
        Kind::Ltl(formula) => outermost(tla, formula),
        Kind::Ctl(_) => Err(Refusal {
            reason: "it is a CTL formula, and TLA+ is a logic of linear time".to_owned(),
            instead: "say it in LTL if it can be said there".to_owned(),
        }),
        Kind::Never(_) => Err(automaton("TLC")),
    }
}

/// A formula that TLC accepts as a property. TLC splits conjunctions, and a part may not be a variable.
fn outermost(tla: &Tla, formula: &Formula) -> Result<String, Refusal> {
    match formula {
        Formula::Atom(Expr::Read(_) | Expr::And(_)) => Ok(format!("({} = TRUE)", linear(tla, formula)?)),
        Formula::And(parts) => {
            let parts = parts.iter().map(|part| outermost(tla, part)).collect::<Result<Vec<_>, _>>()?;
            Ok(joined(&parts, "/\\", "TRUE"))
        }
        _ => linear(tla, formula),
    }
}

fn linear(tla: &Tla, formula: &Formula) -> Result<String, Refusal> {
    let of = |formula: &Formula| linear(tla, formula);
    let foreign = |operator: &str| {
        Err(refusal(format!("it has the operator `{operator}`, and TLA+ has only `G` and `F`")))
    };
    Ok(match formula {
        Formula::Atom(predicate) if !is_about_step(predicate) => truth(tla, predicate)?,
        Formula::Atom(predicate) => {
            let shown = model::show::expression(&tla.instance.system, predicate);
            return Err(refusal(format!(
                "`{shown}` is about a step, which a formula of TLA+ allows only below `G F` or `F G`"
            )));
        }
        Formula::Globally(a) => match &**a {
            Formula::Finally(b) => match &**b {
                Formula::Atom(predicate) if is_about_step(predicate) => infinitely_often(tla, predicate)?,
                _ => format!("([]{})", of(a)?),
            },
            _ => format!("([]{})", of(a)?),
        },
        Formula::Finally(a) => match &**a {
            Formula::Globally(b) => match &**b {
                Formula::Atom(predicate) if is_about_step(predicate) => {
                    format!("(~{})", infinitely_often(tla, &Expr::negated(predicate.clone()))?)
                }
                _ => format!("(<>{})", of(a)?),
            },
            _ => format!("(<>{})", of(a)?),
        },
        Formula::Not(a) => format!("(~{})", of(a)?),
        Formula::And(parts) => joined(&parts.iter().map(of).collect::<Result<Vec<_>, _>>()?, "/\\", "TRUE"),
        Formula::Or(parts) => joined(&parts.iter().map(of).collect::<Result<Vec<_>, _>>()?, "\\/", "FALSE"),
        Formula::Implies(a, b) => format!("({} => {})", of(a)?, of(b)?),
        Formula::Next(_) => return foreign("X"),
        Formula::Until(..) => return foreign("U"),
        Formula::WeakUntil(..) => return foreign("W"),
        Formula::Release(..) => return foreign("R"),
        Formula::Previous(_) => return foreign("Y"),
        Formula::Once(_) => return foreign("O"),
        Formula::Historically(_) => return foreign("H"),
        Formula::Since(..) => return foreign("S"),
        Formula::Forall(..) | Formula::Exists(..) => unreachable!("the formula is ground"),
    })
}
