//! Says what a check would take: searches for a while, and computes from that what the asked workers would do.

use std::sync::Arc;
use std::time::Duration;

use cluster::plan::{Plan, Sample, sample};
use driver::{Model, Options};

use crate::arguments::CheckArguments;
use crate::exit::Exit;
use crate::limits::{Limits, stopped};
use crate::screen::Screen;
use crate::sources::Source;
use crate::style::{STRONG, paint};
use crate::text::number;

/// How long a sample takes, unless a limit says so.
const SAMPLE: Duration = Duration::from_mins(1);

/// Shows a plan for each selected property.
pub(crate) fn show(
    arguments: &CheckArguments,
    models: &[(Source, Arc<Model>)],
    options: &Options,
    limits: &Limits,
) -> Exit {
    let workers = arguments.workers.map_or(1, std::num::NonZero::get);
    // On one machine they share the memory.
    let memory = if arguments.listen.is_some() { limits.memory } else { limits.memory / workers as u64 };
    let time = arguments.bounds.time_limit.map_or(SAMPLE, |limit| limit.min(SAMPLE));
    let mut screen = Screen::new();
    for (source, model) in models {
        screen.show(&format!("{}\n", paint(STRONG, &source.path)));
        for task in driver::tasks(model, options) {
            if stopped() {
                return Exit::Undecided;
            }
            let text = match sample(&task, time, limits.memory, &stopped) {
                Ok(sample) => described(&sample, &sample.plan(workers, memory), workers, memory),
                Err(_) => "the states cannot be listed, or the property is a CTL formula".to_owned(),
            };
            screen.show(&format!("  {}  {text}\n", task.property.name));
        }
    }
    Exit::Fine
}

/// A plan in sentences.
fn described(sample: &Sample, plan: &Plan, workers: usize, memory: u64) -> String {
    let Sample { states, steps, bytes, levels, seconds, is_complete, has_exception, .. } = *sample;
    let per_state = |of: u64| of as f64 / states.max(1) as f64;
    let found = format!(
        "{} states in {levels} levels, {:.1} steps from each, in {seconds:.1} s: {} states per second, {:.0} bytes per state",
        number(states),
        per_state(steps),
        number((states as f64 / seconds.max(1e-3)) as u64),
        per_state(bytes),
    );
    if has_exception {
        return format!("{found}\n      there is a violation or a fault among them");
    }
    if is_complete {
        return format!("{found}\n      these are all states: one process is enough");
    }
    let who = |workers: usize| match workers {
        1 => "one worker".to_owned(),
        _ => format!("{} workers", number(workers as u64)),
    };
    let needed = sample.needed(workers, memory).zip(sample.total);
    let all = needed.map_or_else(String::new, |((workers, seconds), total)| {
        let (total, workers, time) = (number(total as u64), who(workers), duration(seconds));
        format!(
            "\n      if there are about {total} states, which is a guess, {workers} of this size need {time}"
        )
    });
    let who = who(workers);
    format!(
        "{found}\n      {who} with {} MiB each: about {} states per second, room for about {} states, {} MB per second sent by \
         each{all}\n      properties about runs take two to four times as long as the states alone",
        number(memory >> 20),
        number(plan.states_per_second as u64),
        number(plan.room as u64),
        number((plan.sent_per_second / 1e6) as u64),
    )
}

/// A time, in the unit that fits.
fn duration(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} seconds"),
        120.0..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        7200.0..172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ => format!("{} days", number((seconds / 86_400.0) as u64)),
    }
}
