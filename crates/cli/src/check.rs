//! `fairly check`: loads every file, checks its properties, shows what came of them.
//!
//! All files are loaded first, so that bad input is told before a long search and a property that no file has
//! is found out. A file that cannot be loaded does not keep the others from being checked.

use std::num::NonZeroUsize;
use std::path::Path;

use driver::{Circumstances, Model, Options, Outcome};

use crate::arguments::{CheckArguments, Format};
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::{Source, is_program};
use crate::style::{STRONG, paint};
use crate::text::{self, Text};
use crate::{dispute, json, load, solver};

/// Runs the command.
pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let limits = Limits::new(arguments.time_limit, arguments.memory_limit);
    limits::catch_interrupts();
    let mut exit = Exit::Fine;
    let mut models = Vec::new();
    let question = arguments.program.question();
    if let Some(message) = misfit(arguments, question.is_some()) {
        complain(message);
        return Exit::BadInput;
    }
    for source in sources(&arguments.files) {
        let loaded = match (&source, &question) {
            (Ok(program), Some(question)) if program.is_program() => load::program(source, question),
            _ => load::load(source, &arguments.set),
        };
        match loaded {
            Some(loaded) => models.push(loaded),
            None => exit = exit.or(Exit::BadInput),
        }
    }
    let options = Options {
        engines: arguments.engine.clone(),
        fairness: arguments.fairness,
        properties: arguments.property.clone(),
        settings: arguments.set.clone(),
        solvers: Some(solver::installed()),
    };
    let all: Vec<&Model> = models.iter().map(|(_, model)| model).collect();
    // A file that could not be loaded may be the one that has the property.
    if exit == Exit::Fine
        && let Some(message) = driver::unknown_property(&options.properties, &all)
    {
        complain(&message);
        return Exit::BadInput;
    }
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok());
    let mut session = Session {
        threads: threads.map_or(1, NonZeroUsize::get),
        limits,
        options,
        meter: Meter::new(),
        screen: Screen::new(),
        format: arguments.format,
        first: true,
    };
    let mut results = Vec::new();
    for (source, model) in &models {
        let (outcomes, outcome) = session.check(source, model);
        exit = exit.or(outcome);
        results.extend(outcomes.into_iter().map(|outcome| (source.path.as_str(), outcome)));
    }
    match arguments.format {
        Format::Json => {
            session.screen.show(&json::document(results.iter().map(|(path, outcome)| (*path, outcome))));
        }
        Format::Text if !results.is_empty() => {
            session.screen.show(&format!("\n{}", text::summary(results.iter().map(|(_, outcome)| outcome))));
        }
        Format::Text => {}
    }
    exit
}

/// What does not go together on the command line, in a sentence.
fn misfit(arguments: &CheckArguments, asked: bool) -> Option<&'static str> {
    let programs = arguments.files.iter().filter(|path| is_program(path)).count();
    let models = arguments.files.len() - programs;
    match (programs, asked) {
        (0, true) => Some(
            "--termination, --safety, --ctl and --ltl ask something of a program (.t2); what is asked of a model \
             (.fair) stands in its file",
        ),
        (1.., false) => Some(
            "a program (.t2) says nothing of what it should do: ask with --termination, --safety, --ctl or --ltl",
        ),
        (1.., true) if models > 0 => {
            Some("check programs (.t2) and models (.fair) with commands of their own")
        }
        (1.., true) if !arguments.set.is_empty() => Some("a program (.t2) has no constants to set"),
        _ => None,
    }
}

/// The named files, or the example.
fn sources(files: &[String]) -> Vec<Result<Source, String>> {
    if files.is_empty() {
        return vec![Ok(Source::example())];
    }
    files.iter().map(|path| Source::read(path)).collect()
}

/// What stays the same from file to file.
struct Session {
    options: Options,
    limits: Limits,
    threads: usize,
    meter: Meter,
    screen: Screen,
    format: Format,
    /// Whether no file has been shown yet.
    first: bool,
}

impl Session {
    /// Checks one file and shows the outcomes as they come.
    fn check(&mut self, source: &Source, model: &Model) -> (Vec<Outcome>, Exit) {
        let names = model.checks.iter().map(|check| check.task.property.name.as_str());
        let names: Vec<&str> =
            names.filter(|name| driver::selected(&self.options.properties, name)).collect();
        let Session { options, limits, threads, meter, screen, format, first } = self;
        if names.is_empty() && !options.properties.is_empty() {
            return (Vec::new(), Exit::Fine);
        }
        let stop = || limits.stop();
        let progress = |property: &str, progress: &driver::Progress| meter.update(property, progress);
        let circumstances = Circumstances {
            stop: &stop,
            progress: &progress,
            clock: &|| limits.elapsed(),
            memory: limits.memory,
            threads: *threads,
        };
        let mut text = Text::new(names.iter().copied());
        let mut exit = Exit::Fine;
        let gap = if std::mem::replace(first, false) { "" } else { "\n" };
        let mut heading = format!("{gap}{}\n", paint(STRONG, &source.path));
        let mut show = |lines: &str| {
            meter.clear();
            if *format == Format::Text && !screen.show(lines) {
                limits::stop_everything();
            }
        };
        let mut each = |outcome: &Outcome| {
            exit = exit.or(judge(outcome));
            show(&(std::mem::take(&mut heading) + &text.outcome(outcome)));
            if let Some(dispute) = &outcome.dispute {
                exit = exit.or(Exit::Dispute);
                dispute::write_down(Path::new("."), source, &outcome.property, &dispute.details);
            }
        };
        match driver::check(model, options, &circumstances, &mut each) {
            Ok(report) => {
                if report.outcomes.is_empty() {
                    show(&(heading + "  there is nothing to check: no property is declared\n"));
                }
                (report.outcomes, exit)
            }
            Err(problem) => {
                complain(&format!("{}: {problem}", source.path));
                (Vec::new(), Exit::BadInput)
            }
        }
    }
}

/// What an outcome means for the exit code.
fn judge(outcome: &Outcome) -> Exit {
    match outcome.as_expected() {
        _ if outcome.dispute.is_some() => Exit::Dispute,
        Some(true) => Exit::Fine,
        Some(false) => Exit::NotAsExpected,
        None => Exit::Undecided,
    }
}
