//! Who decides tasks about large graphs, if not this process in its memory: the disk, or other processes.
//!
//! Workers are told the model as it was read here: the arguments of this command, the text of the file, and the files beside
//! it. They make the tasks from that in the same way as this command does.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use cluster::{Cluster, Start, Started};
use disk::Disk;
use driver::model::Task;
use driver::{Crew, EngineOption, Model, Options, fingerprint};
use serde::{Deserialize, Serialize};

use crate::arguments::{Arguments, CheckArguments, Command};
use crate::limits::Limits;
use crate::load::again;
use crate::progress::Meter;
use crate::sources::{self, Source};

/// The variable with the secret that workers and supervisor share.
pub(crate) const SECRET: &str = "FAIRLY_SECRET";

/// What a worker is told.
#[derive(Serialize, Deserialize)]
struct Bundle {
    arguments: Vec<String>,
    path: String,
    text: String,
    beside: Vec<(String, String)>,
}

/// Who decides the tasks of a file, if that is asked for; or why nobody can.
pub(crate) fn of(
    arguments: &CheckArguments,
    source: &Source,
    model: &Model,
    options: &Options,
    limits: &Limits,
    meter: &Arc<Meter>,
) -> Result<Option<Arc<dyn Crew>>, String> {
    if let Some(folder) = &arguments.disk {
        return Ok(Some(Arc::new(Disk { folder: folder.clone(), resume: arguments.resume, sorting: None })));
    }
    let Some(start) = start(arguments)? else { return Ok(None) };
    // A program over integers has no states that could be listed.
    if source.is_program() {
        return Ok(None);
    }
    let bundle = Bundle {
        arguments: std::env::args_os().map(|part| part.to_string_lossy().into_owned()).collect(),
        path: source.path.clone(),
        text: source.text.clone(),
        beside: source.read_beside(),
    };
    let payload = serde_json::to_vec(&bundle).map_err(|error| error.to_string())?;
    let memory = match &start {
        Start::Processes(count) => Some(limits.memory / *count as u64),
        Start::Hosts(_) | Start::Wait(_) => arguments.bounds.memory_limit,
    };
    let program = match start {
        Start::Hosts(_) => PathBuf::from("fairly"),
        _ => std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?,
    };
    let (meter, reports) = (Arc::clone(meter), arguments.verbose);
    Ok(Some(Arc::new(Cluster {
        secret: secret(&start)?,
        start,
        listen: arguments.listen.clone().unwrap_or_else(|| "127.0.0.1:0".to_owned()),
        program,
        payload,
        tasks: driver::tasks(model, options).iter().map(fingerprint).collect(),
        memory,
        started: Started::default(),
        watcher: Some(Box::new(move |seen| meter.watch(seen, reports))),
    })))
}

/// How workers are started, if they are asked for.
fn start(arguments: &CheckArguments) -> Result<Option<Start>, String> {
    if let Some(file) = &arguments.cluster {
        let text = Source::read(file)?.text;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let hosts: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        if hosts.is_empty() {
            return Err(format!("{} names no host", file.display()));
        }
        return Ok(Some(Start::Hosts(hosts)));
    }
    let Some(count) = arguments.workers else { return Ok(None) };
    Ok(Some(if arguments.listen.is_some() {
        Start::Wait(count.get())
    } else {
        Start::Processes(count.get())
    }))
}

/// The secret of a run: that of the user, or a random one if all workers are started by this process.
fn secret(start: &Start) -> Result<String, String> {
    if let Some(secret) = std::env::var(SECRET).ok().filter(|secret| !secret.is_empty()) {
        return Ok(secret);
    }
    if let Start::Wait(_) = start {
        return Err(format!("workers that are started by somebody else need a shared secret: set {SECRET}"));
    }
    // Two keys of the standard hasher, which the system chooses at random.
    let part = || {
        use std::hash::{BuildHasher, RandomState};
        format!("{:016x}", RandomState::new().hash_one(std::process::id()))
    };
    let random = std::fs::File::open("/dev/urandom").and_then(|mut file| {
        let mut bytes = [[0; 16]; 2];
        std::io::Read::read_exact(&mut file, bytes.as_flattened_mut())?;
        Ok(bytes.map(|half| format!("{:032x}", u128::from_le_bytes(half))).concat())
    });
    Ok(random.unwrap_or_else(|_| part() + &part()))
}

/// The tasks that a worker was told of.
pub(crate) fn tasks(payload: &[u8]) -> Result<Vec<Task>, String> {
    let strange = || "what the supervisor sends is not understood".to_owned();
    let bundle: Bundle = serde_json::from_slice(payload).map_err(|_| strange())?;
    let command = Arguments::try_parse_from(&bundle.arguments).map_err(|_| strange())?.command;
    if let Some(language) = command.language() {
        sources::read_as(language);
    }
    let Command::Check(arguments) = command else { return Err(strange()) };
    let question = arguments.program.question();
    let source = Source::given(&bundle.path, &bundle.text, bundle.beside).asking(question.as_ref());
    let model = again(&source, "", &arguments.set).model.ok_or_else(|| "the model has errors".to_owned())?;
    Ok(driver::tasks(&model, &options(&arguments)))
}

/// What to check, and how, as the command says.
pub(crate) fn options(arguments: &CheckArguments) -> Options {
    let approximate = arguments.approximate.then_some(EngineOption::APPROXIMATE);
    Options {
        engines: arguments.engine,
        fairness: arguments.fairness,
        properties: arguments.property.clone(),
        settings: arguments.set.clone(),
        as_written: arguments.as_written,
        without_notes: arguments.no_notes,
        explain: arguments.html.is_some(),
        labels: arguments.labels,
        strict: arguments.strict,
        engine_options: arguments.engine_option.iter().copied().chain(approximate).collect(),
        certify: arguments.certify,
        keeps_proofs: false,
    }
}
