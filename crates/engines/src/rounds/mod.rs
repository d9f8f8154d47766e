//! Searches in rounds, on parts of a graph that lie in different places.
//!
//! A *worker* has a part of the graph: the states whose hash names it. A [`Phase`] is what all workers do together: in
//! every round each works on its own part and posts messages to the others, and what is posted in one round is received
//! in the next. A phase ends when nobody has anything to do and no message is under way. A [`Carrier`] carries the
//! messages: between threads ([`threads`]), or between processes, which is not done here. Nothing here reads or writes
//! anything but memory.
//!
//! [`explore`] finds the reachable states, [`fair`] decides whether a fair run stays in them for ever, by trimming what
//! no fair run can use [CP03], and [`global`] does so under strong global fairness, by colouring components [Orz04].
//! [`decide`] puts them together. What they need of a system is a [`Source`].
//!
//! No worker knows the whole graph, so the result is a verdict and not a run. A run is searched again where it can be shown.

pub mod decide;
pub mod explore;
pub mod fair;
pub mod global;
mod masks;
pub mod nodes;
pub mod outbox;
mod queue;
#[cfg(feature = "full")]
pub mod threads;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{Session, StopReason, Task};

pub use self::explore::{Blocks, Part, Window};
pub use self::nodes::{Mask, Move, Table};
pub use self::outbox::Outbox;

/// What the workers do together, seen by one of them.
pub trait Phase: 'static {
    /// Takes in messages of one kind that a worker has posted, one after the other.
    fn receive(&mut self, from: usize, kind: usize, messages: &[u64], out: &mut Outbox) -> Result<(), Halt>;

    /// Works on the present round, on about `quantum` items. Returns whether there is more to do in this round.
    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt>;

    /// Whether there is something to do in the next round, whatever is received.
    fn goes_on(&self) -> bool;
}

/// Carries messages between the workers.
pub trait Carrier {
    /// The number of this worker.
    fn me(&self) -> usize;

    /// The number of workers.
    fn workers(&self) -> usize;

    /// Runs a phase to its end. Every worker must run the same phases in the same order.
    fn run<P: Phase>(&mut self, phase: P) -> Result<P, Halt>;
}

/// Why a worker ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// There is a fault, or a state where the invariant is false.
    Exception,
    /// A limit is reached.
    Limit(StopReason),
    /// There are more states, or more requirements, than can be numbered.
    TooLarge,
    /// Another worker has ended.
    Elsewhere,
    /// Steps that are somewhere else cannot be read.
    Unread,
}

/// A packed state.
pub type Words<const W: usize> = [u64; W];

/// What is needed of a system.
pub trait Source<const W: usize>: 'static {
    /// Calls a function for each initial state. Ends early if that returns an error.
    fn initial(&self, each: &mut dyn FnMut(Words<W>) -> Result<(), Halt>) -> Result<(), Halt>;

    /// Appends the steps that leave a state; a deadlock has the step `idle` to itself. Returns the number of the state's
    /// valuation. An exception is an error.
    fn expand(
        &mut self,
        state: &Words<W>,
        labels: &mut Vec<u16>,
        targets: &mut Vec<Words<W>>,
    ) -> Result<u32, Halt>;

    /// Per alternative of the fairness, the number of requirements and marks, and whether runs are also strongly globally
    /// fair; `None` if only states matter.
    fn alternatives(&self) -> Option<Vec<(usize, bool)>>;

    /// What the automaton and an alternative make of steps, once all states are expanded.
    fn table<const B: usize>(&self, alternative: usize) -> Table<B>;

    /// Per trigger of the property, whether it occurs in these steps or in the states that were expanded.
    fn occurs(&self, part: &mut Part) -> Result<Vec<bool>, Halt>;
}

/// How far a worker is. It is written by the worker and read by whoever watches it.
#[derive(Debug, Default)]
pub struct Gauge {
    /// The number of states it has.
    pub states: AtomicU64,
    /// The number of steps that leave them.
    pub steps: AtomicU64,
    /// The number of rounds in this phase.
    pub round: AtomicU64,
    /// The bytes it has allocated.
    pub bytes: AtomicU64,
    /// The number of bytes it has posted.
    pub sent: AtomicU64,
    /// The number of the phase: see [`PHASES`].
    pub phase: AtomicU64,
    /// The number of states it had at the end of each level.
    pub levels: Mutex<Vec<u64>>,
    /// A limit that is reached: zero, or one more than the position in [`STOPS`].
    stop: AtomicU64,
}

/// The names of the phases.
pub const PHASES: [&str; 4] = ["exploring", "combining", "trimming", "colouring"];

const STOPS: [StopReason; 4] =
    [StopReason::Cancelled, StopReason::Time, StopReason::Memory, StopReason::Work];

impl Gauge {
    /// Tells the worker to stop.
    pub fn stop(&self, reason: StopReason) {
        let position = STOPS.iter().position(|known| *known == reason).unwrap_or(0);
        self.stop.store(position as u64 + 1, Ordering::Relaxed);
    }

    /// Fails if the worker was told to stop, or if it has allocated more than it may.
    pub(crate) fn check(&self, bytes: u64, memory: u64) -> Result<(), Halt> {
        self.bytes.store(bytes, Ordering::Relaxed);
        match self.stop.load(Ordering::Relaxed) {
            0 if bytes > memory => Err(Halt::Limit(StopReason::Memory)),
            0 => Ok(()),
            stop => Err(Halt::Limit(STOPS[stop as usize - 1])),
        }
    }

    /// Notes that a phase begins.
    pub(crate) fn begin(&self, phase: usize) {
        self.phase.store(phase as u64, Ordering::Relaxed);
        self.round.store(0, Ordering::Relaxed);
    }
}

/// Those who decide a task elsewhere: with files, or on other machines.
pub trait Crew: Send + Sync + std::fmt::Debug {
    /// Decides a task, or says in a sentence why it was not decided.
    fn decide(&self, task: &Task, session: &Session<'_>) -> Result<Decided, NotDecided>;
}

/// What was found out about a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Whether there is a violation or a fault.
    pub fails: bool,
    /// The number of reachable states. If the property fails, of those that were found.
    pub states: u64,
    /// The number of steps that leave them.
    pub steps: u64,
    /// Per trigger of the property, whether it occurs.
    pub occurs: Vec<bool>,
}

/// Why a task was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDecided {
    /// It is not for this crew.
    Refused(String),
    /// A limit was reached after so many states.
    Stopped(StopReason, u64),
    /// Something went wrong; a sentence says what.
    Lost(String),
}

/// A name for a task: equal for equal tasks, and for others in practice not.
pub fn fingerprint(task: &Task) -> String {
    let text = format!("{:?} {:?} {:?}", task.system(), task.property.kind, task.fairness);
    let mut words = [0x6c62_272e_07bb_0142_u64, 0x62b8_2175_6295_c58d];
    for (position, byte) in text.bytes().enumerate() {
        let word = &mut words[position % 2];
        *word = (*word ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // Each of `words` has seen every second byte. Mixed, both halves of the name depend on all bytes.
    let mixed = words[0].rotate_left(32) ^ words[1].wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:016x}{mixed:016x}", words[0] ^ words[1].rotate_left(17))
}
