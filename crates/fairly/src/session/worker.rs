//! A thread that does one piece of work after another on a state of its own.
//!
//! Work that was cancelled ends within a fraction of a second. If it does not, because an engine is in the middle of
//! something that cannot be interrupted, it is left to itself: its state is lost, and the next piece begins with a fresh
//! one.
//!
//! Work has a kind. A new piece supersedes the one of the same kind: it is cancelled if it runs, and forgotten if it
//! waits. So a check of an old text ends when there is a new text, and a graph does not end a check.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::watch::Cancel;

/// The stack of the thread: expressions of a model are as deep as its author likes.
const STACK: usize = 256 << 20;

/// How often it is looked whether work was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// How often work that was cancelled is looked at before it is left to itself.
const LOOKS: u32 = 15;

/// A thread that works on a state.
pub struct Worker<S> {
    shared: Arc<Shared<S>>,
}

struct Shared<S> {
    queue: Mutex<Queue<S>>,
    changed: Condvar,
}

struct Queue<S> {
    waiting: Vec<Job<S>>,
    running: Option<(&'static str, Cancel)>,
    closed: bool,
}

struct Job<S> {
    kind: &'static str,
    cancel: Cancel,
    work: Work<S>,
}

type Work<S> = Box<dyn FnOnce(&mut S, &Cancel) + Send>;

impl<S: Default + Send + 'static> Worker<S> {
    /// Starts the thread. The error is that of the system, which cannot make one.
    pub fn start(state: S) -> std::io::Result<Worker<S>> {
        let queue = Queue { waiting: Vec::new(), running: None, closed: false };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        thread::Builder::new().name("worker".to_owned()).stack_size(STACK).spawn(move || run(&own, state))?;
        Ok(Worker { shared })
    }

    /// Gives the thread a piece of work, which supersedes the one of the same kind. What is returned cancels it.
    pub fn give(&self, kind: &'static str, work: impl FnOnce(&mut S, &Cancel) + Send + 'static) -> Cancel {
        let cancel = Cancel::default();
        let mut queue = self.shared.lock();
        queue.end(&|other| other == kind);
        queue.waiting.push(Job { kind, cancel: cancel.clone(), work: Box::new(work) });
        self.shared.changed.notify_all();
        cancel
    }

    /// Gives the thread a piece of work that waits for its turn and supersedes nothing; `cancel` ends it.
    pub fn queue(&self, cancel: Cancel, work: impl FnOnce(&mut S, &Cancel) + Send + 'static) {
        let mut queue = self.shared.lock();
        queue.waiting.push(Job { kind: "", cancel, work: Box::new(work) });
        self.shared.changed.notify_all();
    }

    /// Cancels the work of these kinds and forgets what waits of them.
    pub fn cancel(&self, kinds: &[&str]) {
        self.shared.lock().end(&|kind| kinds.contains(&kind));
    }

    /// Whether any work runs or waits.
    pub fn is_busy(&self) -> bool {
        let queue = self.shared.lock();
        queue.running.is_some() || !queue.waiting.is_empty()
    }
}

impl<S> Drop for Worker<S> {
    /// Cancels everything; the thread ends when it notices.
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.end(&|_| true);
        queue.closed = true;
        self.shared.changed.notify_all();
    }
}

impl<S> Shared<S> {
    /// The queue. It is in order even if a thread panicked: no change to it can be interrupted.
    fn lock(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Queue<S> {
    fn end(&mut self, which: &dyn Fn(&str) -> bool) {
        self.waiting.retain(|job| {
            let ended = which(job.kind);
            if ended {
                job.cancel.cancel();
            }
            !ended
        });
        if let Some((kind, cancel)) = &self.running
            && which(kind)
        {
            cancel.cancel();
        }
    }
}

fn run<S: Default + Send + 'static>(shared: &Shared<S>, mut state: S) {
    loop {
        let mut queue = shared.lock();
        while queue.waiting.is_empty() && !queue.closed {
            queue = shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if queue.closed {
            return;
        }
        let job = queue.waiting.remove(0);
        queue.running = Some((job.kind, job.cancel.clone()));
        drop(queue);
        state = done(job, state);
        shared.lock().running = None;
    }
}

/// The state after a piece of work; a fresh one if it broke down or does not end although it was cancelled.
fn done<S: Default + Send + 'static>(job: Job<S>, mut state: S) -> S {
    let (tell, told) = mpsc::channel();
    let cancel = job.cancel.clone();
    let work = move || {
        // The next piece of work may succeed after a panic. The message of the panic has been shown.
        let work = std::panic::AssertUnwindSafe(|| (job.work)(&mut state, &job.cancel));
        let _ = std::panic::catch_unwind(work);
        let _ = tell.send(state);
    };
    if thread::Builder::new().name("work".to_owned()).stack_size(STACK).spawn(work).is_err() {
        return S::default();
    }
    let mut looks = 0;
    loop {
        match told.recv_timeout(LOOK) {
            Ok(state) => return state,
            Err(RecvTimeoutError::Disconnected) => return S::default(),
            Err(RecvTimeoutError::Timeout) => looks += u32::from(cancel.is_cancelled()),
        }
        if looks > LOOKS {
            return S::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_new_piece_supersedes_those_of_its_kind_and_no_others() {
        let worker = Worker::start(Vec::new()).expect("a thread");
        let (began, begun) = mpsc::channel();
        let first = worker.give("check", move |seen: &mut Vec<u32>, cancel| {
            began.send(()).expect("someone listens");
            while !cancel.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            seen.push(1);
        });
        begun.recv().expect("the first begins");
        worker.give("graph", |seen, _| seen.push(2));
        worker.give("graph", |seen, _| seen.push(3));
        assert!(!first.is_cancelled());
        worker.give("check", |seen, _| seen.push(4));
        assert!(first.is_cancelled());
        let (tell, told) = mpsc::channel();
        worker.give("end", move |seen, _| tell.send(seen.clone()).expect("someone listens"));
        assert_eq!(told.recv().expect("an answer"), [1, 3, 4]);
    }

    #[test]
    fn work_that_does_not_end_is_left_to_itself() {
        let worker = Worker::start(7).expect("a thread");
        let (let_go, held) = mpsc::channel::<()>();
        let (began, begun) = mpsc::channel();
        let deaf = worker.give("check", move |state: &mut u32, _| {
            began.send(*state).expect("someone listens");
            let _ = held.recv();
            *state = 8;
        });
        assert_eq!(begun.recv(), Ok(7));
        deaf.cancel();
        let (tell, told) = mpsc::channel();
        worker.give("graph", move |state, _| tell.send(*state).expect("someone listens"));
        assert_eq!(told.recv_timeout(Duration::from_mins(1)), Ok(0), "the state is a fresh one");
        drop(let_go);
    }

    #[test]
    fn a_panic_does_not_end_the_worker_and_the_end_of_the_worker_cancels() {
        let worker = Worker::start(0).expect("a thread");
        let (tell, told) = mpsc::channel();
        worker.give("a", |_, _| std::panic::panic_any("a test"));
        worker.give("b", move |state, cancel| {
            *state += 1;
            tell.send(*state).expect("someone listens");
            while !cancel.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            tell.send(*state).expect("someone listens");
        });
        assert_eq!(told.recv(), Ok(1));
        assert!(worker.is_busy());
        drop(worker);
        assert_eq!(told.recv(), Ok(1));
    }
}
