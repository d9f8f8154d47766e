//! Shows the progress of a search on one line of standard error, which is overwritten.
//!
//! It is shown only on a terminal, and only after the command has taken a second.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use driver::{Name, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::number;

/// The time before progress is first shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The least time between two updates.
const PACE: Duration = Duration::from_millis(150);

/// The progress line.
pub(crate) struct Meter {
    bar: ProgressBar,
    begin: Instant,
    phase: Mutex<Phase>,
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
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        let begin = Instant::now();
        Meter {
            bar,
            begin,
            phase: Mutex::new(Phase { property: Name::default(), name: "", begin, shown: None }),
        }
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
        self.bar.finish_and_clear();
        self.bar.reset();
    }
}
