//! The carrier of one worker, which has nobody to send anything to.

use engines::rounds::{Carrier, Halt, Outbox, PHASES, Phase, explore::Desk};
use model::Session;
use model::task::Progress;
use std::sync::atomic::Ordering::Relaxed;

/// How many items are worked on between two checks of the limits.
const QUANTUM: usize = 1 << 14;

/// One worker, in this thread.
pub(crate) struct Alone<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) desk: &'a Desk,
    pub(crate) states: u64,
}

impl Carrier for Alone<'_> {
    fn me(&self) -> usize {
        0
    }

    fn workers(&self) -> usize {
        1
    }

    fn run<P: Phase>(&mut self, mut phase: P) -> Result<P, Halt> {
        let mut out = Outbox::new(0, 1);
        loop {
            while phase.work(QUANTUM, &mut out)? {
                let number = self.desk.gauge.phase.load(Relaxed) as usize;
                let phase = PHASES.get(number).copied().unwrap_or("working");
                (self.session.progress)(&Progress { phase, count: self.states, unit: "states" });
                if let Some(stop) = (self.session.stop)() {
                    return Err(Halt::Limit(stop));
                }
            }
            if !phase.goes_on() {
                return Ok(phase);
            }
        }
    }
}
