//! Shows a trace: the first state, then a line per step with its action and its changes.
//!
//! ```text
//!    0              x = true, P[1]@idle, P[2]@idle
//!    1  P[1].idle   P[1]@try
//! ╭─ 2  P[2].try    x = false, P[2]@crit
//! │  3  P[2].exit   x = true, P[2]@idle
//! ╰─ again from step 2
//! ```
//!
//! Number `k` is step `k` together with the state it leads to; the bracket marks the cycle. A very long stem or cycle
//! is shown without its middle ([`pieces`]), because nobody reads ten thousand steps, and states and values are shown in
//! brief; [`lines`] shows everything.

use std::fmt::Write;
use std::ops::Range;

use driver::Trace;
use driver::report::{Binding, Step, brief};

use crate::style::{ACTOR, LOOP, QUIET, STRONG, paint};

/// Lines are broken before this column.
pub(crate) const WIDTH: usize = 100;

/// The greatest width of the column of actions. A longer name sticks out.
const ACTION: usize = 28;

/// How much of a stem or a cycle is shown.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// One with at most this many steps is shown in full.
    whole: usize,
    /// Of a longer one, this many steps at its beginning and at its end are shown.
    beginning: usize,
    end: usize,
}

/// On a terminal.
pub(crate) const TEXT: Cut = Cut { whole: 60, beginning: 30, end: 10 };
/// In advice, where the loop only shows that a run is fair.
pub(crate) const ADVICE: Cut = Cut { whole: 20, beginning: 14, end: 3 };
/// In the file of `--html`.
pub(crate) const HTML: Cut = Cut { whole: 400, beginning: 120, end: 30 };

/// A piece of a run as shown: a step, by its position, or a gap where steps are left out.
pub(crate) enum Piece {
    Step(usize),
    Gap(Range<usize>),
}

impl Piece {
    /// The positions it stands for.
    pub(crate) fn steps(&self) -> Range<usize> {
        match self {
            Piece::Step(number) => *number..number + 1,
            Piece::Gap(steps) => steps.clone(),
        }
    }
}

/// The pieces of a run as it is shown to people.
pub(crate) fn pieces(trace: &Trace, cut: Cut) -> Vec<Piece> {
    let all = trace.steps.len();
    let cycle = trace.cycle.unwrap_or(all);
    let mut pieces = Vec::new();
    for part in [0..cycle, cycle..all] {
        if part.len() > cut.whole {
            let gap = part.start + cut.beginning..part.end - cut.end;
            pieces.extend((part.start..gap.start).map(Piece::Step));
            pieces.push(Piece::Gap(gap.clone()));
            pieces.extend((gap.end..part.end).map(Piece::Step));
        } else {
            pieces.extend(part.map(Piece::Step));
        }
    }
    pieces
}

/// The text in place of steps that were left out.
pub(crate) fn omission(steps: &Range<usize>) -> String {
    format!("{} more steps; `fairly check --full` shows all of them, `--itf FILE` saves them", steps.len())
}

/// The lines of a run, each with the indentation, without the steps that are left out.
pub(crate) fn abridged(trace: &Trace, indent: &str, cut: Cut) -> String {
    let brief::State { bindings, left_out } = brief::state(&trace.initial);
    let mut initial: Vec<String> = bindings.iter().map(brief::text).collect();
    if left_out {
        initial.push("all else false, 0 or empty".to_owned());
    }
    shown(trace, indent, &initial, &pieces(trace, cut), &brief::text)
}

/// The lines of a trace, each with the indentation.
pub(crate) fn lines(trace: &Trace, indent: &str) -> String {
    let all: Vec<Piece> = (0..trace.steps.len()).map(Piece::Step).collect();
    let initial: Vec<String> = trace.initial.iter().map(ToString::to_string).collect();
    shown(trace, indent, &initial, &all, &ToString::to_string)
}

fn shown(
    trace: &Trace,
    indent: &str,
    initial: &[String],
    pieces: &[Piece],
    text_of: &dyn Fn(&Binding) -> String,
) -> String {
    let digits = trace.steps.len().to_string().len().max(2);
    let widest = trace.steps.iter().map(|step| step.action.chars().count()).max().unwrap_or(0).min(ACTION);
    let margin = indent.chars().count() + 3 + digits + 2 + if widest == 0 { 0 } else { widest + 3 };
    let mut text = String::new();
    let mut line = |gutter: &str, number: Option<usize>, action: &str, rest: &str, continuation: &str| {
        let gutter = if gutter.trim().is_empty() { gutter.to_owned() } else { paint(LOOP, gutter) };
        let number = number.map_or("⋮".to_owned(), |number| number.to_string());
        let number = paint(QUIET, format!("{number:>digits$}"));
        let space = " ".repeat((widest + 3).saturating_sub(action.chars().count()).max(1));
        let action = if action.is_empty() { String::new() } else { paint(ACTOR, action) };
        let space = if widest == 0 { "" } else { &space };
        let rest =
            rest.replace('\n', &format!("\n{indent}{continuation}{}", " ".repeat(digits + 2 + widest + 3)));
        // Writing to a string does not fail.
        let _ = writeln!(text, "{indent}{gutter}{number}  {action}{space}{rest}");
    };
    line("   ", Some(0), "", &list(initial, margin), "   ");
    for piece in pieces {
        let first = piece.steps().start;
        let (gutter, continuation) = match trace.cycle {
            Some(cycle) if cycle == first => ("╭─ ", paint(LOOP, "│  ")),
            Some(cycle) if cycle < first => ("│  ", paint(LOOP, "│  ")),
            _ => ("   ", "   ".to_owned()),
        };
        match piece {
            Piece::Step(number) => {
                let step = &trace.steps[*number];
                line(gutter, Some(number + 1), &step.action, &effect(step, margin, text_of), &continuation);
            }
            Piece::Gap(steps) => line(gutter, None, "", &paint(QUIET, omission(steps)), &continuation),
        }
    }
    if let Some(cycle) = trace.cycle {
        let _ = writeln!(text, "{indent}{}", paint(LOOP, format!("╰─ again from step {}", cycle + 1)));
    }
    text
}

/// The last state of a trace, in full and with its number.
pub(crate) fn last(trace: &Trace, indent: &str) -> String {
    let mut state = trace.initial.clone();
    for change in trace.steps.iter().flat_map(|step| &step.changes) {
        if let Some(binding) = state.iter_mut().find(|binding| binding.spot == change.spot) {
            binding.value.clone_from(&change.value);
        }
    }
    let number = format!("state {}  ", trace.steps.len());
    let margin = indent.chars().count() + number.chars().count();
    let state: Vec<String> = state.iter().map(ToString::to_string).collect();
    let state = list(&state, margin).replace('\n', &format!("\n{}", " ".repeat(margin)));
    format!("{indent}{}{state}\n", paint(QUIET, number))
}

/// The changes of a step.
pub(crate) fn effect(step: &Step, margin: usize, text_of: &dyn Fn(&Binding) -> String) -> String {
    if step.processes.is_empty() {
        paint(STRONG, "deadlock: no action is enabled")
    } else if step.shown().next().is_none() {
        paint(QUIET, "nothing changes")
    } else {
        list(&step.shown().map(text_of).collect::<Vec<_>>(), margin)
    }
}

/// A list of bindings as text, broken into lines if it is too long.
fn list(bindings: &[String], margin: usize) -> String {
    let mut text = String::new();
    let mut column = margin;
    for (number, binding) in bindings.iter().enumerate() {
        let mut item = binding.clone();
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

#[cfg(test)]
mod tests {
    use driver::report::{Spot, Value};

    use super::*;

    fn run(stem: usize, cycle: usize) -> Trace {
        let x =
            |number: usize| Binding { spot: Spot::Variable("x".into()), value: Value::Int(number as i64) };
        let step = |number: usize| Step {
            action: "P.go".to_owned(),
            label: Some("go".to_owned()),
            processes: vec!["P".to_owned()],
            declared: vec![("P".to_owned(), "go".to_owned())],
            changes: vec![x(number)],
            forgotten: vec![],
        };
        let steps = (1..=stem + cycle).map(step).collect();
        Trace { initial: vec![x(0)], steps, cycle: Some(stem) }
    }

    #[test]
    fn the_middle_of_a_long_cycle_is_left_out_and_its_ends_are_not() {
        let run = run(500, 1_000);
        let text = anstream::adapter::strip_str(&abridged(&run, "", TEXT)).to_string();
        let has = |wanted: &str| text.lines().any(|line| line.contains(wanted));
        assert!(has("460 more steps") && has("960 more steps"), "{text}");
        assert!(has("╭─  501") && has("│   530") && !has("│   531") && has("│  1491"), "{text}");
        assert!(has("╰─ again from step 501"));
        assert_eq!(text.lines().count(), 1 + 2 * (TEXT.beginning + 1 + TEXT.end) + 1);
    }

    #[test]
    fn a_run_that_people_can_read_is_shown_whole() {
        let run = run(TEXT.whole, TEXT.whole);
        assert_eq!(abridged(&run, "", TEXT), lines(&run, ""));
    }
}
