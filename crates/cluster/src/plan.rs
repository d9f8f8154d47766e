//! What a search would take, from the beginning of it.
//!
//! One worker explores for a while. From its states, steps and bytes a small model computes what several workers would do:
//! each step that leads to a state of another worker costs both sides some time and the network some bytes. How many states
//! there are in all cannot be known from a sample. The plan says how many would fit, and how many there may be, which is a
//! guess ([`forecast`]).

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use engines::explicit::compiled::{self, Compiled, Uncompiled, Visitor};
use engines::rounds::explore::{Desk, explore};
use engines::rounds::threads::together;
use engines::rounds::{Gauge, Halt};
use model::{Session, StopReason, Task};

use crate::forecast;

/// The processor time that a step to a state of another worker costs, on both sides together.
const OF_REMOTE: f64 = 110e-9;
/// The bytes that go over the network for a state of another worker that is met for the first time, beside its words.
const OF_GHOST: f64 = 16.0;
/// More workers are not planned for.
const MOST: usize = 10_000;
/// How often it is looked whether a sample is over.
const PAUSE: Duration = Duration::from_millis(20);

/// The beginning of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The states that were found.
    pub states: u64,
    /// The steps that leave those that were expanded.
    pub steps: u64,
    /// The bytes they took.
    pub bytes: u64,
    /// The number of levels.
    pub levels: u64,
    /// The number of words of a state.
    pub words: usize,
    /// How long it took.
    pub seconds: f64,
    /// Whether these are all states.
    pub is_complete: bool,
    /// Whether there is a fault or a violation among them.
    pub has_exception: bool,
    /// How many states there may be in all, if that can be guessed.
    pub total: Option<f64>,
}

/// What several workers would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The states they find in a second.
    pub states_per_second: f64,
    /// The bytes that each sends in a second.
    pub sent_per_second: f64,
    /// The states for which they have room.
    pub room: f64,
}

impl Sample {
    /// What so many workers would do, each with a processor and so much memory.
    pub fn plan(&self, workers: usize, memory: u64) -> Plan {
        let states = self.states.max(1) as f64;
        let degree = self.steps as f64 / states;
        let elsewhere = 1.0 - 1.0 / workers as f64;
        let of_state = self.seconds / states + degree * elsewhere * OF_REMOTE;
        // Of the steps that lead to a state, one per worker makes a ghost.
        let ghosts = (workers as f64 - 1.0) * (1.0 - (1.0 - 1.0 / workers as f64).powf(degree));
        let bytes = self.bytes as f64 / states + ghosts * (8.0 * self.words as f64 + 24.0);
        let states_per_second = workers as f64 / of_state;
        let sent = ghosts * (8.0 * self.words as f64 + OF_GHOST);
        Plan {
            states_per_second,
            sent_per_second: states_per_second * sent / workers as f64,
            room: workers as f64 * memory as f64 / bytes,
        }
    }

    /// How many workers with so much memory would be needed, at least so many, and for how many seconds; if that can be
    /// guessed.
    pub fn needed(&self, least: usize, memory: u64) -> Option<(usize, f64)> {
        let total = self.total?;
        let workers = (least..MOST).find(|workers| self.plan(*workers, memory).room >= total)?;
        Some((workers, total / self.plan(workers, memory).states_per_second))
    }
}

/// Explores for a while.
pub fn sample(
    task: &Task,
    time: Duration,
    memory: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Sample, Uncompiled> {
    let session = Session::unlimited();
    let gauge = Arc::new(Gauge::default());
    let desk = Desk { memory, gauge: Arc::clone(&gauge) };
    compiled::compile(task, &session, Work { desk, time, stop })
}

struct Work<'w> {
    desk: Desk,
    time: Duration,
    stop: &'w dyn Fn() -> bool,
}

impl Visitor for Work<'_> {
    type Output = Sample;

    fn visit<const W: usize>(self, compiled: Compiled<W>) -> Sample {
        let Work { desk, time, stop } = self;
        let begin = Instant::now();
        let keeps_steps = !compiled.is_about_states();
        let words = compiled.packing().words;
        let once = std::sync::Mutex::new(Some(compiled));
        let gauge = Arc::clone(&desk.gauge);
        let ended = std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                let mut ended = together(1, |thread| {
                    let compiled =
                        once.lock().ok().and_then(|mut once| once.take()).ok_or(Halt::Elsewhere)?;
                    explore(thread, compiled, keeps_steps, &desk).map(|(part, _)| (part.states, part.steps))
                });
                ended.pop().unwrap_or(Err(Halt::Elsewhere))
            });
            while !work.is_finished() {
                if begin.elapsed() >= time || stop() {
                    gauge.stop(StopReason::Time);
                }
                std::thread::sleep(PAUSE);
            }
            work.join().unwrap_or(Err(Halt::Elsewhere))
        });
        let seconds = begin.elapsed().as_secs_f64();
        let counted = (gauge.states.load(Relaxed), gauge.steps.load(Relaxed));
        let (states, steps) = ended.map_or(counted, |(states, steps)| (u64::from(states), steps));
        Sample {
            states,
            steps,
            bytes: gauge.bytes.load(Relaxed),
            levels: gauge.round.load(Relaxed),
            words,
            seconds,
            is_complete: ended.is_ok(),
            has_exception: ended == Err(Halt::Exception),
            total: gauge.levels.lock().ok().and_then(|levels| forecast::total(&levels)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_workers_are_faster_and_have_more_room_but_not_in_proportion() {
        let sample = Sample {
            states: 1_000_000,
            steps: 4_000_000,
            bytes: 80_000_000,
            levels: 50,
            words: 2,
            seconds: 1.0,
            is_complete: false,
            has_exception: false,
            total: None,
        };
        let plans = [1, 2, 4, 64].map(|workers| sample.plan(workers, 1 << 30));
        assert!((plans[0].states_per_second - 1e6).abs() < 1.0 && plans[0].sent_per_second == 0.0);
        for pair in plans.windows(2) {
            assert!(pair[0].states_per_second < pair[1].states_per_second && pair[0].room < pair[1].room);
        }
        assert!(plans[2].states_per_second < 4e6 && plans[2].room < 4.0 * plans[0].room);
        assert_eq!(sample.needed(1, 1 << 30), None);
        let (workers, seconds) = Sample { total: Some(1e8), ..sample }.needed(1, 1 << 30).expect("planned");
        // Eight workers would have room if nobody had ghosts.
        assert!((8..40).contains(&workers) && seconds > 100.0 / workers as f64, "{workers} {seconds}");
        assert_eq!(Sample { total: Some(1e30), ..sample }.needed(1, 1 << 30), None);
    }
}
