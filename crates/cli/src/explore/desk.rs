//! A desk per tab: its session and the worker that does its long work. A tab that goes away leaves its desk, and the work on
//! it is cancelled. A tab is there as long as it listens for changes on disk; when it turns to another file, it listens
//! anew before the server notices that the old connection has ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use fairly::session::{Bounds, Cancel, Session, Watch, Worker};
use wire::talk::{self, Request};

use crate::limits::Limits;

/// At most so many tabs have a desk; the one that was used least recently is cleared for another.
const MOST: usize = 16;

/// Progress is told this often.
const OFTEN: Duration = Duration::from_millis(100);

/// A function that gives the text of a file that a model names.
pub(super) type Files = Box<dyn Fn(&str) -> Result<String, String> + Send>;

/// All desks, the least recently used first.
pub(super) struct Desks {
    limits: Limits,
    threads: usize,
    /// The settings of the command line.
    pub(super) settings: Vec<(String, String)>,
    all: Mutex<Vec<(String, Arc<Worker<Session>>)>>,
    /// How many connections of each tab listen.
    listening: Mutex<BTreeMap<String, usize>>,
}

impl Desks {
    pub(super) fn new(limits: Limits, threads: usize, settings: Vec<(String, String)>) -> Desks {
        Desks { limits, threads, settings, all: Mutex::default(), listening: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Arc<Worker<Session>>)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker of a tab.
    fn worker(&self, tab: &str) -> std::io::Result<Arc<Worker<Session>>> {
        let mut all = self.lock();
        let known = all.iter().position(|(name, _)| name == tab).map(|place| all.remove(place));
        let desk = match known {
            Some(desk) => desk,
            None => (tab.to_owned(), Arc::new(Worker::start(Session::default())?)),
        };
        if all.len() == MOST {
            all.remove(0);
        }
        let worker = Arc::clone(&desk.1);
        all.push(desk);
        Ok(worker)
    }

    /// A connection of a tab listens while this is kept. When the last one has ended, its work ends and is forgotten.
    pub(super) fn listen<'d>(&'d self, tab: &'d str) -> Listening<'d> {
        *self.listeners().entry(tab.to_owned()).or_default() += 1;
        Listening { desks: self, tab }
    }

    fn listeners(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels work of these kinds of a tab.
    pub(super) fn cancel(&self, tab: &str, kinds: &[&str]) {
        if let Some((_, worker)) = self.lock().iter().find(|(name, _)| name == tab) {
            worker.cancel(kinds);
        }
    }

    /// Gives a request of a tab to its worker, or answers it now if that is a matter of moments. Events come out of what is
    /// returned; if it ends without the last event, another request has taken the place of this one.
    pub(super) fn answer(
        &self,
        tab: &str,
        request: Request,
        files: Files,
    ) -> std::io::Result<(mpsc::Receiver<String>, Cancel)> {
        let (tell, told) = mpsc::channel();
        let (limits, threads) = (self.limits, self.threads);
        let kind = request.long_work();
        let work = move |session: &mut Session, cancel: &Cancel| {
            work(&request, &*files, session, cancel, limits, threads, &tell);
        };
        let cancel = if let Some(kind) = kind {
            self.worker(tab)?.give(kind, work)
        } else {
            let cancel = Cancel::default();
            work(&mut Session::default(), &cancel);
            cancel
        };
        Ok((told, cancel))
    }
}

/// A connection that listens.
pub(super) struct Listening<'d> {
    desks: &'d Desks,
    tab: &'d str,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        let mut listeners = self.desks.listeners();
        let count = listeners.entry(self.tab.to_owned()).or_default();
        *count = count.saturating_sub(1);
        if *count == 0 {
            listeners.remove(self.tab);
            self.desks.lock().retain(|(name, _)| name != self.tab);
        }
    }
}

fn work(
    request: &Request,
    files: &dyn Fn(&str) -> Result<String, String>,
    session: &mut Session,
    cancel: &Cancel,
    limits: Limits,
    threads: usize,
    tell: &mpsc::Sender<String>,
) {
    // If nobody listens any more, whoever listened has cancelled the work.
    let last = Mutex::new(None::<Instant>);
    let progress = |property: &driver::Name, progress: &driver::Progress| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= OFTEN) {
            *last = Some(Instant::now());
            let _ = tell.send(talk::progress(property, progress));
        }
    };
    let solvers = limits.solvers();
    let watch = Watch {
        cancel,
        progress: &progress,
        clock: &|| limits.elapsed(),
        bounds: Bounds { time: None, memory: limits.memory, threads },
        solvers: Some(&solvers),
    };
    talk::answer(request, session, files, &watch, &mut |event| {
        let _ = tell.send(event);
    });
}
