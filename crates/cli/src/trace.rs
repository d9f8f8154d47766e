//! Shows a trace: the first state in full, then a line per step with who acts and what changes.
//!
//! ```text
//!    0              x = true, P[1]@idle, P[2]@idle
//!    1  P[1].idle   P[1]@try
//! ╭─ 2  P[2].try    x = false, P[2]@crit
//! │  3  P[2].exit   x = true, P[2]@idle
//! ╰─ back to 1
//! ```
//!
//! Number `k` is step `k` together with the state it leads to; the cycle is what stands beside the bracket.

use std::fmt::Write;

use driver::Trace;
use driver::report::{Binding, Step};

use crate::style::{ACTOR, LOOP, QUIET, STRONG, paint};

/// Lines are broken before this column.
pub(crate) const WIDTH: usize = 100;

/// A longer name of an action does not move the columns of all others.
const ACTION: usize = 28;

/// The lines of a trace, each behind the indentation.
pub(crate) fn lines(trace: &Trace, indent: &str) -> String {
    let digits = trace.steps.len().to_string().len().max(2);
    let widest = trace.steps.iter().map(|step| step.action.chars().count()).max().unwrap_or(0).min(ACTION);
    let margin = indent.chars().count() + 3 + digits + 2 + if widest == 0 { 0 } else { widest + 3 };
    let mut text = String::new();
    let mut line = |gutter: &str, number: usize, action: &str, rest: &str, continuation: &str| {
        let gutter = if gutter.trim().is_empty() { gutter.to_owned() } else { paint(LOOP, gutter) };
        let number = paint(QUIET, format!("{number:>digits$}"));
        let space = " ".repeat((widest + 3).saturating_sub(action.chars().count()).max(1));
        let action = if action.is_empty() { String::new() } else { paint(ACTOR, action) };
        let space = if widest == 0 { "" } else { &space };
        let rest =
            rest.replace('\n', &format!("\n{indent}{continuation}{}", " ".repeat(digits + 2 + widest + 3)));
        // Writing to a string does not fail.
        let _ = writeln!(text, "{indent}{gutter}{number}  {action}{space}{rest}");
    };
    line("   ", 0, "", &list(&trace.initial, margin), "   ");
    for (number, step) in trace.steps.iter().enumerate() {
        let (gutter, continuation) = match trace.cycle {
            Some(cycle) if cycle == number => ("╭─ ", paint(LOOP, "│  ")),
            Some(cycle) if cycle < number => ("│  ", paint(LOOP, "│  ")),
            _ => ("   ", "   ".to_owned()),
        };
        line(gutter, number + 1, &step.action, &effect(step, margin), &continuation);
    }
    if let Some(cycle) = trace.cycle {
        let _ = writeln!(text, "{indent}{}", paint(LOOP, format!("╰─ back to {cycle}")));
    }
    text
}

/// The last state of a trace, in full and with its number.
pub(crate) fn last(trace: &Trace, indent: &str) -> String {
    let mut state = trace.initial.clone();
    for change in trace.steps.iter().flat_map(|step| &step.changes) {
        if let Some(binding) = state.iter_mut().find(|binding| binding.name == change.name) {
            binding.value.clone_from(&change.value);
        }
    }
    let number = format!("state {}  ", trace.steps.len());
    let margin = indent.chars().count() + number.chars().count();
    let state = list(&state, margin).replace('\n', &format!("\n{}", " ".repeat(margin)));
    format!("{indent}{}{state}\n", paint(QUIET, number))
}

/// What a step changes.
pub(crate) fn effect(step: &Step, margin: usize) -> String {
    if step.processes.is_empty() {
        paint(STRONG, "deadlock: no action is enabled")
    } else if step.changes.is_empty() {
        paint(QUIET, "nothing changes")
    } else {
        list(&step.changes, margin)
    }
}

/// Bindings in a row, broken into lines where they would grow too long.
pub(crate) fn list(bindings: &[Binding], margin: usize) -> String {
    let mut text = String::new();
    let mut column = margin;
    for (number, binding) in bindings.iter().enumerate() {
        let mut item = binding.to_string();
        if number + 1 < bindings.len() {
            item.push(',');
        }
        let width = item.chars().count();
        if number > 0 {
            if column + 1 + width > WIDTH {
                text.push('\n');
                column = margin;
            } else {
                text.push(' ');
                column += 1;
            }
        }
        text.push_str(&item);
        column += width;
    }
    text
}
