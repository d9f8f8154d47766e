//! Work that does not notice a limit: it is given up soon after, so that it does not hold up the user.
//!
//! [`supervised`] work goes on in a thread that nobody waits for any more, and the command goes on with what it has sent.
//! [`Limits::enforce`] ends the program, also while a model is being read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use driver::StopReason;

use crate::exit::Exit;
use crate::limits::{Limits, PAUSE, resident};
use crate::screen::complain;

/// How long work may go on after it should have stopped, at least.
const GRACE: Duration = Duration::from_millis(400);

/// The bytes that any work may take, whatever the limit.
const LITTLE: u64 = 16 << 20;

/// The stack of supervised work: expressions of a model are as deep as its author likes.
const STACK: usize = 256 << 20;

impl Limits {
    /// Ends the program if it has not ended by itself soon after it should have stopped, until what is returned is
    /// dropped. What was shown by then stands; the rest is undecided.
    pub(crate) fn enforce(&self) -> Enforced {
        let mut overdue = Overdue::new(*self);
        let in_force = Arc::new(AtomicBool::new(true));
        let enforced = Enforced(Arc::clone(&in_force));
        std::thread::spawn(move || {
            while in_force.load(Ordering::Relaxed) {
                std::thread::sleep(PAUSE);
                let Some(stop) = overdue.look() else { continue };
                let why = driver::report::stopped(stop);
                complain(&format!("{why}, and the work did not end in time; what is not shown is undecided"));
                disk::remove_unfinished();
                std::process::exit(Exit::Undecided.code().into());
            }
        });
        enforced
    }

    /// How long work may go on after it should have stopped: [`GRACE`], or a twelfth of the time limit. So the command ends
    /// half a second after a limit, or a tenth of it.
    fn grace(&self) -> Duration {
        self.time.map_or(GRACE, |limit| GRACE.max(limit / 12))
    }
}

/// Limits are enforced until it is dropped.
pub(crate) struct Enforced(Arc<AtomicBool>);

impl Drop for Enforced {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Notices that work goes on after it should have stopped.
struct Overdue {
    limits: Limits,
    since: Option<Instant>,
    /// The resident size above which work is given no grace.
    full: u64,
}

impl Overdue {
    fn new(limits: Limits) -> Overdue {
        let grown = resident() + LITTLE;
        let full = limits.memory.saturating_add(limits.memory / 14).max(grown);
        Overdue { limits, since: None, full }
    }

    /// The limit that was reached, if that is too long ago.
    fn look(&mut self) -> Option<StopReason> {
        let Some(stop) = self.limits.stop() else {
            self.since = None;
            return None;
        };
        let since = *self.since.get_or_insert_with(Instant::now);
        let full = stop == StopReason::Memory && resident() > self.full;
        (full || since.elapsed() > self.limits.grace()).then_some(stop)
    }
}

/// Does some work in a thread of its own; what it sends is handled in this one. If it does not stop soon after a
/// limit, we no longer wait for it and return which limit it was.
pub(crate) fn supervised<M: Send + 'static, R: Send + 'static>(
    limits: Limits,
    work: impl FnOnce(&mut dyn FnMut(M)) -> R + Send + 'static,
    handle: &mut dyn FnMut(M),
) -> Result<R, StopReason> {
    enum Message<M, R> {
        Sent(M),
        Done(R),
    }
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        // If nobody listens any more, the work was given up.
        let result = work(&mut |message| drop(sender.send(Message::Sent(message))));
        let _ = sender.send(Message::Done(result));
    });
    let worker = worker.expect("a thread can be started");
    let mut overdue = Overdue::new(limits);
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(Message::Sent(message)) => handle(message),
            Ok(Message::Done(result)) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(payload) => std::panic::resume_unwind(payload),
                Ok(()) => unreachable!("work that ends says so"),
            },
        }
        if let Some(stop) = overdue.look() {
            disk::remove_unfinished();
            return Err(stop);
        }
    }
}
