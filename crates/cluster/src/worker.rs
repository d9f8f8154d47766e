//! A worker: a process that works on one task for a supervisor.
//!
//! It connects to the supervisor, gets a job, connects with the other workers, and works. Threads of its own tell the
//! supervisor how far it is and notice when the supervisor is gone. If another worker dies, this one tells the supervisor
//! that it has ended ([`Halt::Elsewhere`]), or just waits; the supervisor ends the attempt, and [`watch`] then begins the
//! program anew or ends it. After a task nothing of it should be left, whatever
//! happened. So a worker does not go back to an earlier state: the program begins anew, in the same process.

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engines::explicit::compiled::{self, Compiled, Visitor};
use engines::rounds::explore::Desk;
use engines::rounds::{self, Decided, Gauge, Halt};
use model::{Session, StopReason, Task};

use crate::talk::{Figures, Frame, OVER, VERSION, receive, send};
use crate::{dataflow, peers};

/// Why a supervisor is refused that does not keep to the protocol.
const UNEXPECTED: &str = "the supervisor sent an unexpected message; is it another version of Fairly?";

/// How often the supervisor is told how far it is.
const PACE: Duration = Duration::from_millis(200);
/// The stack of the thread that compiles: expressions of a model are as deep as its author likes.
const STACK: usize = 256 << 20;
/// The pause before the next attempt to connect.
const PAUSE: Duration = Duration::from_millis(100);

/// Makes tasks of what a supervisor sends.
pub type Tasks = dyn Fn(&[u8]) -> Result<Vec<Task>, String>;

/// Who a worker is, and what it may do.
pub struct Worker<'w> {
    /// Where the supervisor is reached.
    pub supervisor: String,
    /// What shows that both belong together.
    pub secret: String,
    /// What the worker is called in messages.
    pub host: String,
    /// How long to try to reach the supervisor.
    pub patience: Duration,
    /// The bytes it may allocate, unless the supervisor says so.
    pub memory: u64,
    /// The tasks that a payload stands for, or why it stands for none.
    pub tasks: &'w Tasks,
    /// Lets the program begin anew.
    pub again: fn(),
}

/// How the work of a worker ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The supervisor cannot be reached.
    Unreached(String),
    /// The supervisor or the worker does not want to go on, and why.
    Refused(String),
    /// The task is decided. There may be another one.
    Done,
}

impl Worker<'_> {
    /// Works on one task.
    pub fn work(&self) -> Ended {
        let control = match self.reach() {
            Ok(control) => control,
            Err(error) => return Ended::Unreached(format!("cannot reach {}: {error}", self.supervisor)),
        };
        match self.serve(&control) {
            Ok(ended) => ended,
            Err(error) => Ended::Unreached(format!("the connection to {} is lost: {error}", self.supervisor)),
        }
    }

    fn reach(&self) -> std::io::Result<TcpStream> {
        let end = Instant::now() + self.patience;
        loop {
            match TcpStream::connect(&self.supervisor) {
                Ok(stream) => return Ok(stream),
                Err(error) if Instant::now() >= end => return Err(error),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn serve(&self, control: &TcpStream) -> std::io::Result<Ended> {
        control.set_nodelay(true)?;
        // Others reach this machine where the supervisor does.
        let listener = TcpListener::bind((control.local_addr()?.ip(), 0))?;
        let port = u64::from(listener.local_addr()?.port());
        let (secret, version) = (self.secret.clone(), VERSION.to_owned());
        send(control, &Frame::Hello { secret, version, host: self.host.clone(), port })?;
        let (payload, name, memory) = match receive(control)? {
            Frame::Job { payload, task, memory } => (payload, task, memory),
            Frame::Refused(why) => return Ok(refused(why)),
            _ => return Ok(Ended::Refused(UNEXPECTED.to_owned())),
        };
        let task = (self.tasks)(&payload).and_then(|tasks| {
            let is_it = |task: &Task| rounds::fingerprint(task) == name;
            tasks
                .into_iter()
                .find(is_it)
                .ok_or_else(|| "the task is not that of the supervisor's model".to_owned())
        });
        let task = match task {
            Ok(task) => task,
            Err(why) => {
                send(control, &Frame::Refused(why.clone()))?;
                return Ok(Ended::Refused(why));
            }
        };
        send(control, &Frame::Ready)?;
        let (me, addresses) = match receive(control)? {
            Frame::Go { me, addresses } => (me as usize, addresses),
            Frame::Refused(why) => return Ok(refused(why)),
            _ => return Ok(Ended::Refused(UNEXPECTED.to_owned())),
        };
        let gauge = Arc::new(Gauge::default());
        let voice = Arc::new(Mutex::new(control.try_clone()?));
        let is_done = Arc::new(AtomicBool::new(false));
        watch(control.try_clone()?, Arc::clone(&is_done), self.again);
        report(Arc::clone(&voice), Arc::clone(&gauge));
        let streams = peers::connect(&listener, me, &addresses, &self.secret)?;
        let memory = if memory == u64::MAX { self.memory } else { memory };
        let found = decide(task, streams, me, Desk { memory, gauge: Arc::clone(&gauge) });
        is_done.store(true, Relaxed);
        let voice = voice.lock().expect("no thread panics while it speaks");
        send(&voice, &Frame::Gauge(figures(&gauge)))?;
        if found == Err(Halt::Limit(StopReason::Memory)) && gauge.phase.load(Relaxed) == 0 {
            let levels = gauge.levels.lock().map_or_else(|_| Vec::new(), |levels| levels.clone());
            send(&voice, &Frame::Levels(levels))?;
        }
        send(&voice, &Frame::Found(found))?;
        Ok(Ended::Done)
    }
}

/// The supervisor does not go on, at least not with this task.
fn refused(why: String) -> Ended {
    if why == OVER { Ended::Done } else { Ended::Refused(why) }
}

/// Decides a task together with others.
fn decide(task: Task, streams: Vec<Option<TcpStream>>, me: usize, desk: Desk) -> Result<Decided, Halt> {
    let (sender, receiver) = mpsc::channel();
    let early = sender.clone();
    let work = move || {
        let work = Work { streams, me, desk, early };
        // It was compiled by the supervisor, which has the same version.
        let found = compiled::compile(&task, &Session::unlimited(), work).unwrap_or(Err(Halt::TooLarge));
        let _ = sender.send(found);
    };
    if std::thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
        return Err(Halt::TooLarge);
    }
    receiver.recv().unwrap_or(Err(Halt::Elsewhere))
}

struct Work {
    streams: Vec<Option<TcpStream>>,
    me: usize,
    desk: Desk,
    /// Where to say that the worker has halted.
    early: mpsc::Sender<Result<Decided, Halt>>,
}

impl Visitor for Work {
    type Output = Result<Decided, Halt>;

    fn visit<const W: usize>(self, compiled: Compiled<W>) -> Self::Output {
        let Work { streams, me, desk, early } = self;
        let gauge = Arc::clone(&desk.gauge);
        let once = Mutex::new(Some((compiled, early)));
        let found = dataflow::work(streams, me, gauge, move |timely| {
            let taken = once.lock().ok().and_then(|mut once| once.take());
            let (compiled, early) = taken.ok_or(Halt::Elsewhere)?;
            let found = rounds::decide::decide(timely, compiled, &desk);
            if found.is_err() {
                // The others wait for this one. The supervisor must know before anybody ends.
                let _ = early.send(found.clone());
                loop {
                    std::thread::park();
                }
            }
            found
        });
        found.unwrap_or(Err(Halt::Elsewhere))
    }
}

/// Notices when the supervisor is gone, or wants the program to begin anew, as it does after a task.
fn watch(control: TcpStream, is_done: Arc<AtomicBool>, again: fn()) {
    std::thread::spawn(move || {
        if receive(&control).is_ok() || is_done.load(Relaxed) {
            again();
        }
        std::process::exit(3);
    });
}

/// Tells the supervisor how far the worker is.
fn report(voice: Arc<Mutex<TcpStream>>, gauge: Arc<Gauge>) {
    std::thread::spawn(move || {
        loop {
            let Ok(voice) = voice.lock() else { return };
            if send(&voice, &Frame::Gauge(figures(&gauge))).is_err() {
                return;
            }
            drop(voice);
            std::thread::sleep(PACE);
        }
    });
}

/// How far the worker is.
fn figures(gauge: &Gauge) -> Figures {
    let number = |number: &std::sync::atomic::AtomicU64| number.load(Relaxed);
    Figures {
        phase: number(&gauge.phase),
        round: number(&gauge.round),
        states: number(&gauge.states),
        steps: number(&gauge.steps),
        bytes: number(&gauge.bytes),
        sent: number(&gauge.sent),
    }
}
