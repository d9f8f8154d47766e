//! Shows the progress of a search on one line of standard error, which is overwritten, and below it a line per worker.
//!
//! It is shown only on a terminal, and only after the command has taken a second. Where there is no terminal, `--verbose`
//! writes down every ten seconds how far the workers are.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cluster::Figures;
use driver::{Name, Progress};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen::complain;
use crate::text::number;

/// The time before progress is first shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The least time between two updates.
const PACE: Duration = Duration::from_millis(150);

/// The time between two reports about workers where there is no terminal.
const REPORTS: Duration = Duration::from_secs(10);

/// How many workers have a line of their own.
const SHOWN: usize = 16;

/// The progress line.
pub(crate) struct Meter {
    lines: MultiProgress,
    bar: ProgressBar,
    begin: Instant,
    phase: Mutex<Phase>,
    workers: Mutex<Workers>,
}

/// The lines of workers, and what was last shown there.
#[derive(Default)]
struct Workers {
    bars: Vec<ProgressBar>,
    shown: Option<(Instant, Vec<u64>)>,
}

/// What is being counted, and since when.
struct Phase {
    property: Name,
    name: &'static str,
    begin: Instant,
    /// When it was last shown.
    shown: Option<Instant>,
}

impl Meter {
    /// A line that is not shown yet.
    pub(crate) fn new() -> Meter {
        // On anything but a terminal this target shows nothing.
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let bar = line(&lines, "{spinner} {wide_msg}");
        let begin = Instant::now();
        Meter {
            lines,
            bar,
            begin,
            phase: Mutex::new(Phase { property: Name::default(), name: "", begin, shown: None }),
            workers: Mutex::default(),
        }
    }

    /// Shows how far workers are: on a terminal, or in reports if they are asked for.
    pub(crate) fn watch(&self, seen: &[(&str, Figures)], reports: bool) {
        let Ok(mut workers) = self.workers.lock() else { return };
        let is_terminal = std::io::stderr().is_terminal();
        let pace = if is_terminal { PACE } else { REPORTS };
        let since = workers.shown.as_ref().map_or(self.begin, |(shown, _)| *shown);
        if self.begin.elapsed() < PATIENCE || since.elapsed() < pace || !(is_terminal || reports) {
            return;
        }
        let before =
            |worker: usize| workers.shown.as_ref().and_then(|(_, states)| states.get(worker)).copied();
        let texts: Vec<String> = seen
            .iter()
            .enumerate()
            .map(|(worker, (host, figures))| {
                let new = figures.states.saturating_sub(before(worker).unwrap_or(0));
                described(host, figures, (new as f64 / since.elapsed().as_secs_f64()) as u64)
            })
            .collect();
        for (worker, text) in texts.into_iter().enumerate() {
            if !is_terminal {
                complain(&text);
            } else if worker < SHOWN {
                if worker == workers.bars.len() {
                    workers.bars.push(line(&self.lines, "  {wide_msg}"));
                }
                workers.bars[worker].set_message(text);
            }
        }
        workers.shown = Some((Instant::now(), seen.iter().map(|(_, figures)| figures.states).collect()));
    }

    /// Shows the progress on a property.
    pub(crate) fn update(&self, property: &Name, progress: &Progress) {
        let Ok(mut phase) = self.phase.lock() else { return };
        if phase.property != *property || phase.name != progress.phase {
            let begin = Instant::now();
            *phase = Phase { property: property.clone(), name: progress.phase, begin, shown: None };
        }
        if self.begin.elapsed() < PATIENCE || phase.shown.is_some_and(|shown| shown.elapsed() < PACE) {
            return;
        }
        phase.shown = Some(Instant::now());
        let Progress { phase: name, count, unit } = progress;
        let seconds = phase.begin.elapsed().as_secs_f64();
        let rate = if seconds < 0.1 { 0 } else { (*count as f64 / seconds) as u64 };
        let rate = if rate == 0 { String::new() } else { format!(", {} per second", number(rate)) };
        self.bar.set_message(format!("{property}: {name}, {} {unit}{rate}", number(*count)));
        self.bar.tick();
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn clear(&self) {
        if let Ok(mut workers) = self.workers.lock() {
            for bar in std::mem::take(&mut *workers).bars {
                bar.finish_and_clear();
                self.lines.remove(&bar);
            }
        }
        self.bar.finish_and_clear();
        self.bar.reset();
    }
}

/// One more line.
fn line(lines: &MultiProgress, template: &str) -> ProgressBar {
    let bar = lines.add(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// How far a worker is, with the states that it finds in a second.
fn described(host: &str, figures: &Figures, rate: u64) -> String {
    let Figures { round, states, bytes, sent, .. } = *figures;
    let rate = if rate == 0 { String::new() } else { format!(", {} per second", number(rate)) };
    format!(
        "{host}: {}, level {round}, {} states{rate}, {} MiB, {} MB sent",
        figures.phase_name(),
        number(states),
        number(bytes >> 20),
        number(sent / 1_000_000)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_described_in_one_line() {
        let figures =
            Figures { phase: 0, round: 31, states: 2_113_456, steps: 9, bytes: 430 << 20, sent: 12_500_000 };
        let text = "node7: exploring, level 31, 2,113,456 states, 61,000 per second, 430 MiB, 12 MB sent";
        assert_eq!(described("node7", &figures, 61_000), text);
    }
}
