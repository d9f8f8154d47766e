//! Finds what should never be: an answer the judge refuses, or certified answers that differ.
//!
//! Either is an error of this program, not of the user's model. What is found is written down in full, the
//! task and every answer, so that the error can be looked for without running anything again. `Outcome::adopt` in
//! `check` then gives no verdict, and the command ends with exit code 4.

use std::fmt::Write;

use model::show::listed;
use model::{Answer, Task, show};

use super::attempt::Attempt;
use crate::report::evidence::counterexample;
use crate::report::{Counterexample, Dispute, Kind, Verdict};

/// What is wrong with these attempts at a task, if anything.
pub(super) fn among(task: &Task, attempts: &[Attempt]) -> Option<Dispute> {
    let refused = attempts.iter().find_map(|attempt| match &attempt.result {
        Err(flaw) => {
            Some(format!("the judge refuses the evidence of the engine {}: {flaw}", attempt.engine.name()))
        }
        Ok(_) => None,
    });
    let by = |verdict| attempts.iter().find(|attempt| attempt.verdict() == verdict);
    let differ = match (by(Verdict::Holds), by(Verdict::Fails)) {
        (Some(yes), Some(no)) => Some(format!(
            "the engines disagree: {} says holds, {} says fails",
            yes.engine.name(),
            no.engine.name()
        )),
        _ => None,
    };
    let summary = refused.or(differ)?;
    let details = details(task, attempts, &summary);
    Some(Dispute { summary, details })
}

/// The task and all answers as text.
fn details(task: &Task, attempts: &[Attempt], summary: &str) -> String {
    let system = task.system();
    let mut text = format!("{summary}\n\n");
    let property = &task.property;
    // Writing to a string does not fail.
    let _ = writeln!(text, "system    {}", system.name);
    let _ = writeln!(text, "property  {}: {}", property.name, show::kind(system, &property.kind));
    let _ = writeln!(text, "fairness  {}", show::fairness(system, &task.fairness));
    for attempt in attempts {
        let _ = writeln!(text, "\nengine {}", attempt.engine.name());
        match &attempt.result {
            Err(flaw) => {
                let _ = writeln!(text, "  refused by the judge: {flaw}");
            }
            Ok(certified) => {
                let standing = certified.standing();
                let _ = writeln!(text, "  {} ({standing:?})", attempt.verdict().name());
                if let Answer::Fails(evidence) = certified.answer()
                    && let Some(shown) = counterexample(task, evidence, None)
                {
                    write_counterexample(&mut text, &shown);
                }
            }
        }
        for (name, number) in &attempt.statistics {
            let _ = writeln!(text, "  {name}: {number}");
        }
    }
    text
}

fn write_counterexample(text: &mut String, counterexample: &Counterexample) {
    if let Kind::Fault(fault) = &counterexample.kind {
        let _ = writeln!(text, "  fault {fault}");
    }
    let Some(trace) = &counterexample.trace else { return };
    let _ = writeln!(text, "  0  {}", listed(&trace.initial));
    for (number, step) in trace.steps.iter().enumerate() {
        if trace.cycle == Some(number) {
            let _ = writeln!(text, "  cycle:");
        }
        let _ = writeln!(text, "  {}  {}: {}", number + 1, step.action, listed(&step.changes));
    }
}
