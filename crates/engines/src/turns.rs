//! Lets work that runs to its end be done in turns.
//!
//! The work has a thread of its own, with a large stack, because operations on diagrams and formulas recurse. When the
//! budget of a turn is used up, the thread pauses in [`Session::spend`], and the next turn goes on from there. So nothing
//! is done twice, and the answer is that of one run with the sum of the budgets.
//!
//! A paused thread keeps its memory. If there are many, or one may hold much, it is ended instead, and the next turn
//! begins anew with the sum of the budgets: the answer is the same, and only time is lost.
//!
//! The session of a turn is borrowed, and the thread outlives it. Whoever waits for the thread looks at the session for
//! it, a thousand times a second, and passes on what it says.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use model::task::Progress;
use model::{Answer, Note, Reason, Session, StopReason};

use crate::Prepared;

/// How often the session is looked at.
const TICK: Duration = Duration::from_millis(1);
/// The greatest number of paused threads.
const MOST_PAUSED: usize = 16;
/// The part of the memory that a paused thread may hold. A unit of work takes about a byte at most.
const PART: u64 = 16;

/// The number of threads that are paused now.
static PAUSED: AtomicUsize = AtomicUsize::new(0);

/// What is to be done.
type Work = dyn Fn(&Session<'_>) -> Answer + Send + Sync;

/// Work in turns.
pub(crate) struct Turns {
    work: Arc<Work>,
    /// The stack of its thread, in bytes.
    stack: usize,
    /// The sum of the budgets.
    granted: u64,
    paused: Option<Paused>,
}

impl Turns {
    /// Work that has not begun. Its thread has a stack of so many bytes.
    pub(crate) fn new(stack: usize, work: impl Fn(&Session<'_>) -> Answer + Send + Sync + 'static) -> Turns {
        Turns { work: Arc::new(work), stack, granted: 0, paused: None }
    }

    /// Does all of it within a session, which is looked at directly.
    fn at_once(&self, session: &Session<'_>) -> Answer {
        let answer = std::thread::scope(|scope| {
            let worker = std::thread::Builder::new().stack_size(self.stack);
            let work = &*self.work;
            let worker = worker.spawn_scoped(scope, || work(session)).ok()?;
            Some(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        answer.unwrap_or_else(no_thread)
    }
}

impl Prepared for Turns {
    fn answer(&mut self, session: &Session<'_>) -> Answer {
        if !session.is_budgeted() && self.paused.is_none() {
            return self.at_once(session);
        }
        let more = if session.is_budgeted() { session.budget } else { u64::MAX };
        self.granted = self.granted.saturating_add(more);
        let worker = match self.paused.take() {
            Some(paused) => paused.go_on(self.granted),
            None => Worker::start(&self.work, self.stack, self.granted, session.memory),
        };
        let Some(worker) = worker else { return no_thread() };
        let before = worker.shared.spent.load(Ordering::Relaxed);
        let event = worker.wait(session);
        let spent = worker.shared.spent.load(Ordering::Relaxed).saturating_sub(before);
        session.spent.fetch_add(spent, Ordering::Relaxed);
        match event {
            Some(Event::Paused) => {
                self.paused = Paused::new(worker, session.memory);
                Answer::Unknown(Reason::stopped(StopReason::Work))
            }
            Some(Event::Done(result)) => {
                let Done { answer, statistics, notes } = *result;
                statistics.into_iter().for_each(|(name, number)| session.count(name, number));
                notes.into_iter().for_each(|note| session.note(note));
                answer
            }
            None => match worker.thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a thread that ends says so"),
            },
        }
    }
}

/// The answer if no thread can be started.
fn no_thread() -> Answer {
    Answer::Unknown(Reason::stopped(StopReason::Memory))
}

/// A thread that works.
struct Worker {
    shared: Arc<Shared>,
    events: Receiver<Event>,
    /// Goes on, or ends if this is dropped.
    go_on: Sender<()>,
    thread: JoinHandle<()>,
}

/// What a thread and whoever waits for it tell each other.
#[derive(Default)]
struct Shared {
    /// The units of work that may be done.
    granted: AtomicU64,
    /// The units of work that were done when it paused or ended.
    spent: AtomicU64,
    /// What the session says.
    stop: Mutex<Option<StopReason>>,
    /// The clock of the session, in nanoseconds.
    clock: AtomicU64,
    /// Progress that was not passed on yet.
    progress: Mutex<Option<Progress>>,
}

/// What happens to a thread.
enum Event {
    Paused,
    Done(Box<Done>),
}

/// The results of a thread.
struct Done {
    answer: Answer,
    statistics: Vec<(&'static str, u64)>,
    notes: Vec<Note>,
}

impl Worker {
    fn start(work: &Arc<Work>, stack: usize, granted: u64, memory: u64) -> Option<Worker> {
        let shared = Arc::new(Shared { granted: AtomicU64::new(granted), ..Shared::default() });
        let (go_on, gone_on) = channel();
        let (sender, events) = channel();
        let thread = {
            let (work, shared) = (Arc::clone(work), Arc::clone(&shared));
            let main = move || run(&*work, memory, &shared, &sender, &Mutex::new(gone_on));
            std::thread::Builder::new().stack_size(stack).spawn(main).ok()?
        };
        Some(Worker { shared, events, go_on, thread })
    }

    /// Waits until the thread pauses or is done, and looks at the session for it meanwhile. `None` if it panics.
    fn wait(&self, session: &Session<'_>) -> Option<Event> {
        let Shared { stop, clock, progress, .. } = &*self.shared;
        loop {
            let now = (session.clock)().as_nanos() as u64;
            clock.store(now, Ordering::Relaxed);
            *lock(stop) = (session.stop)();
            if let Some(progress) = lock(progress).take() {
                (session.progress)(&progress);
            }
            match self.events.recv_timeout(TICK) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// The main function of a thread.
fn run(work: &Work, memory: u64, shared: &Shared, events: &Sender<Event>, gone_on: &Mutex<Receiver<()>>) {
    let stop = || *lock(&shared.stop);
    let clock = || Duration::from_nanos(shared.clock.load(Ordering::Relaxed));
    let progress = |progress: &Progress| *lock(&shared.progress) = Some(progress.clone());
    let more = |spent: u64| {
        while spent > shared.granted.load(Ordering::Relaxed) {
            shared.spent.store(spent, Ordering::Relaxed);
            // If nobody waits any more, the work is given up.
            if events.send(Event::Paused).is_err() || lock(gone_on).recv().is_err() {
                return false;
            }
        }
        true
    };
    let session = Session {
        more: Some(&more),
        ..Session::new(&stop, &progress, memory, 1).timed(&clock).with_budget(0)
    };
    let answer = work(&session);
    shared.spent.store(session.spent.into_inner(), Ordering::Relaxed);
    let statistics = session.statistics.into_inner().unwrap_or_else(PoisonError::into_inner);
    let notes = session.notes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let _ = events.send(Event::Done(Box::new(Done { answer, statistics, notes })));
}

/// A thread that is paused. Dropping it ends the thread.
struct Paused(Option<Worker>);

impl Paused {
    /// Keeps a thread, unless there are too many or it may hold too much.
    fn new(worker: Worker, memory: u64) -> Option<Paused> {
        let holds = worker.shared.spent.load(Ordering::Relaxed);
        if holds > memory / PART || PAUSED.fetch_add(1, Ordering::Relaxed) >= MOST_PAUSED {
            if holds <= memory / PART {
                PAUSED.fetch_sub(1, Ordering::Relaxed);
            }
            end(worker);
            return None;
        }
        Some(Paused(Some(worker)))
    }

    /// Lets the thread go on, up to so many units of work in all.
    fn go_on(mut self, granted: u64) -> Option<Worker> {
        let worker = self.0.take()?;
        PAUSED.fetch_sub(1, Ordering::Relaxed);
        worker.shared.granted.store(granted, Ordering::Relaxed);
        worker.go_on.send(()).ok()?;
        Some(worker)
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        if let Some(worker) = self.0.take() {
            PAUSED.fetch_sub(1, Ordering::Relaxed);
            end(worker);
        }
    }
}

/// Ends a paused thread, and waits until its memory is free.
fn end(worker: Worker) {
    let Worker { go_on, events, thread, .. } = worker;
    drop((go_on, events));
    // If it panicked, that was after it was given up.
    let _ = thread.join();
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use model::Proof;

    use super::*;

    const HOLDS: Answer = Answer::Holds(Proof::Exhaustive);

    /// Work of a hundred units that counts what it does in `done`.
    fn hundred(done: &Arc<AtomicU64>) -> Turns {
        let done = Arc::clone(done);
        Turns::new(1 << 20, move |session| {
            for _ in 0..100 {
                if let Some(stop) = (session.stop)().or_else(|| session.spend(1).err()) {
                    return Answer::Unknown(Reason::stopped(stop));
                }
                done.fetch_add(1, Ordering::Relaxed);
            }
            session.count("units", 100);
            session.note(Note::NoInitialState);
            HOLDS
        })
    }

    fn paused() -> Answer {
        Answer::Unknown(Reason::stopped(StopReason::Work))
    }

    // Other tests of this crate pause threads, too, and may take all places; so these tests do not ask for one.

    #[test]
    fn turns_add_up_to_one_run() {
        let done = Arc::new(AtomicU64::new(0));
        let mut turns = hundred(&done);
        for _ in 0..9 {
            let session = Session::unlimited().with_budget(10);
            assert_eq!(turns.answer(&session), paused());
            assert!(session.notes.into_inner().expect("no panic").is_empty());
        }
        let session = Session::unlimited().with_budget(10);
        assert_eq!(turns.answer(&session), HOLDS);
        assert_eq!(session.counted("units"), Some(100));
        assert_eq!(session.notes.into_inner().expect("no panic"), [Note::NoInitialState]);
        assert!(done.load(Ordering::Relaxed) >= 100);
    }

    #[test]
    fn the_last_turn_may_have_no_budget() {
        let done = Arc::new(AtomicU64::new(0));
        let mut turns = hundred(&done);
        assert_eq!(turns.answer(&Session::unlimited().with_budget(7)), paused());
        assert_eq!(turns.answer(&Session::unlimited()), HOLDS);
        assert_eq!(hundred(&done).answer(&Session::unlimited()), HOLDS);
    }

    #[test]
    fn a_thread_that_may_hold_too_much_is_ended_and_begins_anew() {
        let done = Arc::new(AtomicU64::new(0));
        let mut turns = hundred(&done);
        let session = || Session::new(&|| None, &|_| {}, PART * 20, 1).with_budget(40);
        assert_eq!(turns.answer(&session()), paused());
        assert!(turns.paused.is_none());
        assert_eq!(turns.answer(&session()), paused());
        assert_eq!(turns.answer(&session()), HOLDS);
        assert_eq!(done.load(Ordering::Relaxed), 40 + 80 + 100);
    }

    #[test]
    fn a_limit_of_the_session_reaches_the_thread() {
        let begun = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&begun);
        let mut turns = Turns::new(1 << 20, move |session| {
            seen.store(true, Ordering::Relaxed);
            loop {
                if let Some(stop) = (session.stop)() {
                    return Answer::Unknown(Reason::stopped(stop));
                }
                std::thread::yield_now();
            }
        });
        let stop = || begun.load(Ordering::Relaxed).then_some(StopReason::Cancelled);
        let session = Session::new(&stop, &|_| {}, u64::MAX, 1).with_budget(1);
        assert_eq!(turns.answer(&session), Answer::Unknown(Reason::stopped(StopReason::Cancelled)));
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let mut turns = Turns::new(1 << 20, |_| panic!("broken"));
        let turn = || turns.answer(&Session::unlimited().with_budget(1));
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(turn)).expect_err("it panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"broken"));
    }
}
