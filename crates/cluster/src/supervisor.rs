//! The supervisor: starts workers or waits for them, gives them a task, and watches them.
//!
//! A worker that is gone, or silent for too long, ends the attempt: what it had is lost. The supervisor then says which
//! one it was and how far it had come, and ends the others. If workers find a violation they stop; the run is searched for
//! by somebody else.

use std::fmt;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use engines::rounds::{Crew, Decided, Halt, NotDecided, fingerprint};
use model::task::Progress;
use model::{Session, StopReason, Task};

use crate::forecast;
use crate::peers::is_same;
use crate::talk::{Figures, Frame, OVER, VERSION, receive, send};

/// How long a started worker may take to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a worker may be silent, and how long it may take to understand its job.
const SILENCE: Duration = Duration::from_secs(10);
const PREPARATION: Duration = Duration::from_mins(2);
/// How long a stranger may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// How often limits are looked at.
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for the news which worker was lost, once one has lost another.
const NEWS: Duration = Duration::from_millis(700);

/// How workers are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// So many processes on this machine.
    Processes(usize),
    /// One on each of these hosts, by ssh.
    Hosts(Vec<String>),
    /// So many are started by somebody else.
    Wait(usize),
}

/// Decides tasks with several workers.
pub struct Cluster {
    /// How workers are started.
    pub start: Start,
    /// The address where workers reach the supervisor. With port 0 the system chooses one.
    pub listen: String,
    /// What shows that a worker belongs to this supervisor.
    pub secret: String,
    /// The program that workers run.
    pub program: PathBuf,
    /// From what workers make the tasks.
    pub payload: Vec<u8>,
    /// The fingerprints of these tasks. Others are not for workers.
    pub tasks: Vec<String>,
    /// The bytes that each may allocate; if it is `None`, each decides by itself.
    pub memory: Option<u64>,
    /// The workers that were started, once they are.
    pub started: Started,
    /// Sees how far each worker is.
    pub watcher: Option<Box<Watcher>>,
}

/// Sees the hosts of the workers, and how far each is.
pub type Watcher = dyn Fn(&[(&str, Figures)]) + Send + Sync;

/// The workers that were started. They are ended when it is dropped.
#[derive(Default)]
pub struct Started(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    Before,
    Live(Live),
    /// Workers that somebody else had started were lost, and nobody starts others.
    Gone,
}

struct Live {
    listener: TcpListener,
    children: Vec<(String, Child)>,
}

impl Drop for Live {
    fn drop(&mut self) {
        for (_, child) in &mut self.children {
            // A process that has ended already need not be ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secret is not shown.
        f.debug_struct("Cluster")
            .field("start", &self.start)
            .field("listen", &self.listen)
            .finish_non_exhaustive()
    }
}

/// A worker that has come.
struct Member {
    host: String,
    address: String,
    stream: TcpStream,
    figures: Figures,
    heard: Instant,
    is_ready: bool,
    found: Option<Decided>,
    /// How many states it had at the end of each level, if it has said so.
    levels: Vec<u64>,
}

impl Crew for Cluster {
    fn decide(&self, task: &Task, session: &Session<'_>) -> Result<Decided, NotDecided> {
        if !self.tasks.contains(&fingerprint(task)) {
            return Err(NotDecided::Refused("it is not a task of the file".to_owned()));
        }
        let mut state = self.started.0.lock().map_err(|_| lost("the supervisor broke down"))?;
        if let State::Before = *state {
            *state = State::Live(self.start()?);
        }
        let State::Live(live) = &mut *state else {
            return Err(lost("the workers were lost with an earlier property"));
        };
        let result = self.attempt(live, task, session);
        if matches!(result, Err(NotDecided::Lost(_) | NotDecided::Stopped(..))) {
            // Whoever is left may be in any state. Dropping ends them.
            *state = if let Start::Wait(_) = self.start { State::Gone } else { State::Before };
        }
        result
    }
}

fn lost(sentence: &str) -> NotDecided {
    NotDecided::Lost(sentence.to_owned())
}

impl Cluster {
    /// The number of workers.
    fn count(&self) -> usize {
        match &self.start {
            Start::Processes(count) | Start::Wait(count) => *count,
            Start::Hosts(hosts) => hosts.len(),
        }
    }

    /// Starts the workers.
    fn start(&self) -> Result<Live, NotDecided> {
        let listener = TcpListener::bind(&self.listen)
            .map_err(|error| NotDecided::Lost(format!("cannot listen at {}: {error}", self.listen)))?;
        let address = listener.local_addr().map_err(|error| NotDecided::Lost(error.to_string()))?;
        let mut live = Live { listener, children: Vec::new() };
        let names: Vec<String> = match &self.start {
            Start::Processes(count) => (1..=*count).map(|number| format!("number {number}")).collect(),
            Start::Hosts(hosts) => hosts.clone(),
            Start::Wait(_) => Vec::new(),
        };
        for name in names {
            let mut command = if let Start::Hosts(_) = self.start {
                // Workers reach the supervisor under the name that was given, with the port that was chosen.
                let here = self.listen.rsplit_once(':').map_or(self.listen.as_str(), |(host, _)| host);
                let mut command = Command::new("ssh");
                let there =
                    format!("{} worker {here}:{} --secret-from -", self.program.display(), address.port());
                command.args(["-o", "BatchMode=yes", &name, &there]);
                command
            } else {
                let mut command = Command::new(&self.program);
                command.args(["worker", &address.to_string(), "--secret-from", "-"]);
                command
            };
            own_group(&mut command);
            let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
            let mut child = child
                .map_err(|error| NotDecided::Lost(format!("the worker {name} cannot be started: {error}")))?;
            let told = child.stdin.take().map(|mut input| writeln!(input, "{}", self.secret));
            live.children.push((name.clone(), child));
            if !matches!(told, Some(Ok(()))) {
                return Err(NotDecided::Lost(format!("the worker {name} does not listen")));
            }
        }
        Ok(live)
    }

    /// Lets the workers decide a task.
    fn attempt(&self, live: &mut Live, task: &Task, session: &Session<'_>) -> Result<Decided, NotDecided> {
        let name = fingerprint(task);
        let mut members = self.gather(live, session)?;
        let (sender, news) = mpsc::channel();
        for (number, member) in members.iter().enumerate() {
            let stream = member.stream.try_clone().map_err(|error| lost(&error.to_string()))?;
            let sender = sender.clone();
            std::thread::spawn(move || {
                loop {
                    let frame = receive(&stream).map_err(|error| error.to_string());
                    let is_over = frame.is_err();
                    if sender.send((number, frame)).is_err() || is_over {
                        return;
                    }
                }
            });
        }
        let memory = self.memory.unwrap_or(u64::MAX);
        let job = Frame::Job { payload: self.payload.clone(), task: name, memory };
        members.iter().for_each(|member| tell(member, &job));
        let result = self.watch(&mut members, &news, live, session);
        // They begin anew, or end if the supervisor does.
        for member in &members {
            if member.found.is_none() {
                tell(member, &Frame::Refused(OVER.to_owned()));
            }
            let _ = member.stream.shutdown(Shutdown::Both);
        }
        session.count("workers", members.len() as u64);
        session.count("bytes sent", members.iter().map(|member| member.figures.sent).sum());
        session.count(
            "states of one worker",
            members.iter().map(|member| member.figures.states).max().unwrap_or(0),
        );
        result
    }

    /// Waits until all workers have come.
    fn gather(&self, live: &mut Live, session: &Session<'_>) -> Result<Vec<Member>, NotDecided> {
        let begin = Instant::now();
        let mut members: Vec<Member> = Vec::new();
        live.listener.set_nonblocking(true).map_err(|error| lost(&error.to_string()))?;
        while members.len() < self.count() {
            if let Some(stop) = (session.stop)() {
                return Err(NotDecided::Stopped(stop, 0));
            }
            (session.progress)(&Progress {
                phase: "waiting for workers",
                count: members.len() as u64,
                unit: "workers",
            });
            match live.listener.accept() {
                Ok((stream, address)) => {
                    if let Some(member) = self.introduced(stream, &address.ip().to_string())? {
                        members.push(member);
                    }
                    continue;
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(lost(&error.to_string())),
            }
            if let Some(sentence) = fallen(live) {
                return Err(NotDecided::Lost(sentence));
            }
            if !matches!(self.start, Start::Wait(_)) && begin.elapsed() > PATIENCE {
                let (came, count) = (members.len(), self.count());
                return Err(NotDecided::Lost(format!("only {came} of {count} workers have come")));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(members)
    }

    /// A worker that has come, if it knows the secret.
    fn introduced(&self, stream: TcpStream, ip: &str) -> Result<Option<Member>, NotDecided> {
        let prepared = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_nodelay(true))
            .and_then(|()| stream.set_read_timeout(Some(INTRODUCTION)))
            .and_then(|()| receive(&stream));
        let Ok(Frame::Hello { secret, version, host, port }) = prepared else { return Ok(None) };
        if !is_same(secret.as_bytes(), self.secret.as_bytes()) {
            let _ = send(
                &stream,
                &Frame::Refused("the secret is wrong: worker and supervisor must have the same".to_owned()),
            );
            return Ok(None);
        }
        if version != VERSION {
            let sentence =
                format!("the worker {host} is of version {version}, and the supervisor of {VERSION}");
            let _ = send(&stream, &Frame::Refused(sentence.clone()));
            return Err(NotDecided::Lost(sentence));
        }
        stream.set_read_timeout(None).map_err(|error| lost(&error.to_string()))?;
        let address = if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") };
        let (figures, heard) = (Figures::default(), Instant::now());
        Ok(Some(Member {
            host,
            address,
            stream,
            figures,
            heard,
            is_ready: false,
            found: None,
            levels: Vec::new(),
        }))
    }

    /// Watches the workers until they have decided the task.
    fn watch(
        &self,
        members: &mut [Member],
        news: &Receiver<(usize, Result<Frame, String>)>,
        live: &mut Live,
        session: &Session<'_>,
    ) -> Result<Decided, NotDecided> {
        let states = |members: &[Member]| members.iter().map(|member| member.figures.states).sum::<u64>();
        let mut suspicion: Option<Instant> = None;
        loop {
            let (number, frame) = match news.recv_timeout(PAUSE) {
                Ok(news) => news,
                Err(RecvTimeoutError::Disconnected) => return Err(lost("all workers are gone")),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(stop) = (session.stop)() {
                        return Err(NotDecided::Stopped(stop, states(members)));
                    }
                    let silent = members.iter().find(|member| {
                        let patience = if member.is_ready { SILENCE } else { PREPARATION };
                        member.found.is_none() && member.heard.elapsed() > patience
                    });
                    if let Some(member) = silent {
                        return Err(NotDecided::Lost(was_lost(
                            member,
                            "says nothing any more",
                            states(members),
                        )));
                    }
                    if suspicion.is_some_and(|since| since.elapsed() > NEWS) {
                        return Err(lost("a worker has lost the connection to another one"));
                    }
                    continue;
                }
            };
            members[number].heard = Instant::now();
            match frame {
                Ok(Frame::Ready) => {
                    members[number].is_ready = true;
                    if members.iter().all(|member| member.is_ready) {
                        let addresses: Vec<String> =
                            members.iter().map(|member| member.address.clone()).collect();
                        for (me, member) in members.iter().enumerate() {
                            tell(member, &Frame::Go { me: me as u64, addresses: addresses.clone() });
                        }
                    }
                }
                Ok(Frame::Gauge(figures)) => {
                    members[number].figures = figures;
                    let phase = figures.phase_name();
                    (session.progress)(&Progress { phase, count: states(members), unit: "states" });
                    if let Some(watcher) = &self.watcher {
                        let seen: Vec<(&str, Figures)> =
                            members.iter().map(|member| (member.host.as_str(), member.figures)).collect();
                        watcher(&seen);
                    }
                }
                Ok(Frame::Levels(levels)) => members[number].levels = levels,
                Ok(Frame::Found(Ok(decided))) => {
                    members[number].found = Some(decided);
                    if members.iter().all(|member| member.found.is_some()) {
                        let found: Vec<&Decided> =
                            members.iter().filter_map(|member| member.found.as_ref()).collect();
                        if found.windows(2).any(|pair| pair[0] != pair[1]) {
                            return Err(lost("the workers do not agree; this is an error in Fairly"));
                        }
                        return Ok(found[0].clone());
                    }
                }
                Ok(Frame::Found(Err(Halt::Exception))) => {
                    return Ok(Decided { fails: true, states: states(members), ..Decided::default() });
                }
                Ok(Frame::Found(Err(Halt::Limit(StopReason::Memory)))) => {
                    return Err(NotDecided::Lost(is_full(members, number)));
                }
                Ok(Frame::Found(Err(Halt::Limit(stop)))) => {
                    return Err(NotDecided::Stopped(stop, states(members)));
                }
                Ok(Frame::Found(Err(Halt::TooLarge))) => {
                    return Err(NotDecided::Refused("there is more than the workers can number".to_owned()));
                }
                // Some other worker is gone. Which one, its own connection says in a moment.
                Ok(Frame::Found(Err(Halt::Elsewhere | Halt::Unread))) => {
                    suspicion.get_or_insert_with(Instant::now);
                }
                Ok(Frame::Refused(why)) => {
                    return Err(NotDecided::Lost(format!("the worker {}: {why}", members[number].host)));
                }
                Ok(_) => {
                    return Err(NotDecided::Lost(format!(
                        "the worker {} sent an unexpected message; is it another version of Fairly?",
                        members[number].host
                    )));
                }
                Err(_) if members[number].found.is_some() => {}
                Err(_) => {
                    if let Some(stop) = (session.stop)() {
                        return Err(NotDecided::Stopped(stop, states(members)));
                    }
                    let how = if fallen(live).is_some() { "has ended" } else { "is gone" };
                    return Err(NotDecided::Lost(was_lost(&members[number], how, states(members))));
                }
            }
        }
    }
}

/// Tells a worker something. If it is gone, its silence will say so.
fn tell(member: &Member, frame: &Frame) {
    let _ = send(&member.stream, frame);
}

/// What happened to a worker that has ended, in a sentence.
fn fallen(live: &mut Live) -> Option<String> {
    for (name, child) in &mut live.children {
        if let Ok(Some(status)) = child.try_wait() {
            let mut said = String::new();
            if let Some(mut errors) = child.stderr.take() {
                // The process has ended, so this comes to an end.
                let _ = errors.read_to_string(&mut said);
            }
            let said = said.trim();
            let said = if said.is_empty() { String::new() } else { format!(": {said}") };
            return Some(format!("the worker {name} has ended ({status}){said}"));
        }
    }
    None
}

/// That a worker was lost, in a sentence.
fn was_lost(member: &Member, how: &str, all: u64) -> String {
    let Figures { round, states, .. } = member.figures;
    let phase = member.figures.phase_name();
    format!(
        "the worker on {} {how}: it was {phase}, at level {round}, and had {states} states of {all}; what it had is lost",
        member.host
    )
}

/// That a worker has no more memory, in a sentence.
fn is_full(members: &[Member], number: usize) -> String {
    let states: u64 = members.iter().map(|member| member.figures.states).sum();
    let bytes: u64 = members.iter().map(|member| member.figures.bytes).sum();
    let Member { figures, levels, .. } = &members[number];
    let remedy = remedy(levels, figures.states, states, members.len());
    format!(
        "the worker on {} has no more memory: {states} states took {} MiB on {} workers; {remedy}",
        members[number].host,
        bytes >> 20,
        members.len()
    )
}

/// What would help a worker that is full. It knows the sizes of its levels, and has some of all states so far.
fn remedy(levels: &[u64], own: u64, states: u64, workers: usize) -> String {
    let Some(total) = forecast::total(levels) else {
        return "with more workers, or with more memory for each, it would go on".to_owned();
    };
    // Hashes spread the states evenly, so its levels are those of all in small.
    let all = total * states.max(1) as f64 / own.max(1) as f64;
    let needed = workers as f64 * all / states.max(1) as f64;
    let more = (needed.ceil() as usize).saturating_sub(workers).max(1);
    format!(
        "there may be {} states in all, so it would take about {more} more {} of this size",
        round(all),
        if more == 1 { "machine" } else { "machines" }
    )
}

/// A number with two digits that are not zero, because the others would not be known.
fn round(number: f64) -> u64 {
    let scale = 10f64.powi((number.max(1.0).log10().floor() as i32 - 1).max(0));
    ((number / scale).round() * scale) as u64
}

/// Keeps the signals of a terminal from a process: the supervisor ends it.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_full_worker_says_how_many_machines_it_would_take() {
        let binomial = |level: u64| (0..level).fold(1, |ways, chosen| ways * (40 - chosen) / (chosen + 1));
        let levels: Vec<u64> = (0..16).map(|level| (0..=level).map(binomial).sum()).collect();
        let own = levels[15];
        let said = super::remedy(&levels, own, 2 * own, 2);
        assert!(said.starts_with("there may be ") && said.ends_with("more machines of this size"), "{said}");
        assert!(super::remedy(&levels[..4], own, 2 * own, 2).starts_with("with more workers"));
    }
}
