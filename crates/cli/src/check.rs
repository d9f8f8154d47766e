//! `fairly check`: loads every file, checks its properties, shows what came of them.
//!
//! All files are loaded first, so that bad input is told before a long search and a property that no file has
//! is found out. A file that cannot be loaded does not keep the others from being checked. Files share the time limit. Most
//! need little of their share, so what is undecided is checked again while there is time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use driver::advise::Wanted;
use driver::import::Language;
use driver::{
    Crew, EngineKind, Engines, FairnessOption, Model, Name, Note, Options, Outcome, Problem, Report,
    StopReason, Verdict, World,
};
use smt::Solvers;

use crate::arguments::{CheckArguments, Format, ProgramArguments};
use crate::crew;
use crate::dump::Dump;
use crate::exit::Exit;
use crate::html::{self, Page};
use crate::in_order::InOrder;
use crate::limits::{self, Limits};
use crate::load::{NOT_ASKED, SILENT, again};
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::{self, Source, is_foreign, is_program, is_silent};
use crate::style::{STRONG, paint};
use crate::text::{self, Text};
use crate::world::in_world;
use crate::{dispute, invariants, itf, junit, list, load, plan, watch};

/// Runs the command.
pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    if arguments.watch {
        return watch::again_and_again(&arguments.files, &mut || once(arguments, limits.counted_anew()));
    }
    once(arguments, limits)
}

/// Checks the files once.
fn once(arguments: &CheckArguments, limits: Limits) -> Exit {
    let loading = limits.enforce();
    let mut exit = Exit::Fine;
    let mut models = Vec::new();
    let question = arguments.program.question();
    if let Some(message) = misfit(arguments, question.is_some()) {
        complain(message);
        return Exit::BadInput;
    }
    for source in sources(&arguments.files) {
        let loaded = match (&source, &question) {
            (Ok(program), question) if program.is_program() => load::program(source, question.as_ref()),
            _ => load::load(source.map(|source| source.asking(question.as_ref())), &arguments.set),
        };
        match loaded {
            Some((source, model)) => models.push((source, Arc::new(model))),
            None => exit = exit.or(Exit::BadInput),
        }
    }
    let mut options = crew::options(arguments);
    let is_large = arguments.disk.is_some() || arguments.workers.is_some() || arguments.cluster.is_some();
    if is_large || arguments.approximate {
        options.engines = Engines::Named(EngineKind::Explicit);
    }
    drop(loading);
    let all: Vec<&Model> = models.iter().map(|(_, model)| &**model).collect();
    // A file that could not be loaded may be the one that has the property.
    if exit == Exit::Fine
        && let Some(message) = driver::unknown_property(&options.properties, &all)
    {
        complain(&message);
        return Exit::BadInput;
    }
    let lonely = models.iter().find(|(source, model)| is_one_actor(source, model, options.fairness));
    if let Some((source, _)) = lonely {
        complain(&format!(
            "{}: in a synchronous model all variables move together, so there is no action or process that fairness could \
             favour: use JUSTICE or COMPASSION in the file, or --fairness global",
            source.path
        ));
        return Exit::BadInput;
    }
    if arguments.list {
        let models = models.iter().map(|(source, model)| (source, &**model));
        let text = match arguments.format {
            Format::Text => list::text(models, &options),
            Format::Json => list::json(models, &options),
        };
        Screen::new().show(&text);
        return exit;
    }
    if arguments.plan {
        return exit.or(plan::show(arguments, &models, &options, &limits));
    }
    let dump = match arguments.smt.as_deref().map(Dump::into).transpose() {
        Ok(dump) => dump,
        Err(message) => {
            complain(&message);
            return Exit::BadInput;
        }
    };
    let mut session = Session {
        solvers: match &dump {
            Some(dump) => dump.of(limits.solvers()),
            None => limits.solvers(),
        },
        threads: limits::threads(arguments.threads),
        crew: None,
        limits,
        property_time: arguments.property_time_limit,
        options,
        meter: Arc::new(Meter::new()),
        screen: Screen::new(),
        format: arguments.format,
        detail: Detail { explain: arguments.explain, verbose: arguments.verbose, full: arguments.full },
        first: true,
    };
    let mut reports: Vec<(&str, Report)> =
        models.iter().map(|(source, _)| (source.path.as_str(), Report::default())).collect();
    // The files with the time that each has had. Those that their share did not suffice for are checked again.
    let mut pending: Vec<(usize, Option<Duration>)> =
        (0..models.len()).map(|number| (number, None)).collect();
    while !pending.is_empty() {
        let mut open = Vec::new();
        for (place, &(number, had)) in pending.iter().enumerate() {
            let (source, model) = &models[number];
            let share = session.limits.share(pending.len() - place);
            let is_too_little = |(had, share): (Duration, Duration)| share.is_zero() || share < had * AGAIN;
            if had.zip(share).is_some_and(is_too_little) {
                continue;
            }
            session.crew =
                match crew::of(arguments, source, model, &session.options, &session.limits, &session.meter) {
                    Ok(crew) => crew,
                    Err(message) => {
                        complain(&message);
                        return Exit::BadInput;
                    }
                };
            let report = &mut reports[number].1;
            match session.check(source, model, share, report) {
                Ok(true) => {}
                Ok(false) => open.push((number, share)),
                Err(problem) => {
                    complain(&format!("{}: {problem}", source.path));
                    exit = exit.or(Exit::BadInput);
                }
            }
        }
        pending = open;
    }
    let outcomes = || reports.iter().flat_map(|(_, report)| &report.outcomes);
    exit = outcomes().map(exit_of).fold(exit, Exit::or);
    if reports.iter().any(|(_, report)| report.refused_notes().next().is_some()) {
        exit = exit.or(Exit::NotAsExpected);
    }
    // Whoever checks nothing by mistake should not be told that all is well.
    if outcomes().next().is_none() {
        exit = exit.or(Exit::NotAsExpected);
    }
    match arguments.format {
        Format::Json => {
            session.screen.show(&wire::results::document(&reports));
        }
        Format::Text if outcomes().next().is_some() => {
            let refused = reports.iter().map(|(_, report)| report.refused_notes().count()).sum();
            session.screen.show(&format!("\n{}", text::summary(outcomes(), refused)));
        }
        Format::Text => {}
    }
    let problems = write_down(arguments, &reports).into_iter();
    let page = arguments.html.as_ref().and_then(|path| session.write_pages(path, &models, &reports).err());
    let dumped = dump.and_then(|dump| dump.problem());
    for problem in problems.chain(page).chain(dumped) {
        complain(&problem);
        exit = exit.or(Exit::BadInput);
    }
    exit
}

/// Whether fairness among actors is asked for where there is only one: a synchronous model of SMV.
fn is_one_actor(source: &Source, model: &Model, fairness: FairnessOption) -> bool {
    let among = matches!(
        fairness,
        FairnessOption::Weak
            | FairnessOption::Strong
            | FairnessOption::ProcessWeak
            | FairnessOption::ProcessStrong
    );
    among && source.language() == Some(Language::Smv) && model.system().families.len() == 1
}

/// Writes the files that are asked for; a sentence for each that cannot be written.
fn write_down(arguments: &CheckArguments, reports: &[(&str, Report)]) -> Vec<String> {
    let written = |path: &Path, text: String| {
        fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    let junit = arguments.junit.as_ref().map(|path| written(path, junit::document(reports)));
    let itf = arguments.itf.as_ref().map(|place| itf::write(place, reports));
    [junit, itf].into_iter().flatten().filter_map(Result::err).collect()
}

/// What does not go together on the command line, in a sentence.
fn misfit(arguments: &CheckArguments, asked: bool) -> Option<&'static str> {
    let number = |test: &dyn Fn(&Path) -> bool| arguments.files.iter().filter(|path| test(path)).count();
    let (programs, translated) = (number(&is_program), number(&is_foreign));
    let models = arguments.files.len() - programs - translated;
    let ProgramArguments { termination, fairness_pair, stuck, .. } = &arguments.program;
    let of_programs = *termination || !fairness_pair.is_empty() || stuck.is_some();
    let is_listed = matches!(arguments.engine, Engines::Auto | Engines::Named(EngineKind::Explicit));
    if arguments.disk.is_some() && !is_listed {
        return Some(
            "--disk is for the engine that lists states: leave out --engine, or use --engine explicit",
        );
    }
    if arguments.approximate && !is_listed {
        return Some(
            "--approximate is for the engine that lists states: leave out --engine, or use --engine explicit",
        );
    }
    match (programs, translated) {
        (0, 0) if asked => Some(NOT_ASKED),
        (1.., _) if !asked && number(&is_silent) > 0 => Some(SILENT),
        (1.., _) if models + translated > 0 => Some(
            "check programs (.t2, .c, .smt2) and models (.fair, .dve, .smv, …) with commands of their own",
        ),
        (0, 1..) if asked && models > 0 => {
            Some("what is asked is about models in another language: check those in ours (.fair) separately")
        }
        (0, 1..) if of_programs => {
            Some("--termination, --fairness-pair and --stuck are about programs (.t2, .c, .smt2)")
        }
        (1.., _) | (_, 1..) if !arguments.set.is_empty() && models == 0 => {
            Some("a program (.t2, .c, .smt2) or a model in another language has no constants to set")
        }
        _ => None,
    }
}

/// The named files, or the example.
fn sources(files: &[PathBuf]) -> Vec<Result<Source, String>> {
    if files.is_empty() {
        return vec![Ok(Source::example())];
    }
    let read = |path: &PathBuf| match sources::files(path) {
        Ok(files) => files.iter().map(|file| Source::read(file)).collect(),
        Err(message) => vec![Err(message)],
    };
    files.iter().flat_map(read).collect()
}

/// A file is checked again if it gets at least so many times the time that it had.
const AGAIN: u32 = 2;

/// How long the report with pictures may wait for the ladder and the minimal assumptions.
const ADVICE: Duration = Duration::from_secs(20);

/// How many minimal assumptions it shows per property.
const ADVISED: usize = 3;

/// What is shown of an answer.
#[derive(Clone, Copy)]
struct Detail {
    /// Whether to show the invariants of proofs.
    explain: bool,
    /// Whether to show which engines gave up before another answered.
    verbose: bool,
    /// Whether to show runs in full.
    full: bool,
}

/// What stays the same from file to file.
struct Session {
    options: Options,
    solvers: Solvers,
    /// Who decides tasks about large graphs, if not this process in its memory.
    crew: Option<Arc<dyn Crew>>,
    limits: Limits,
    /// How long one property may take.
    property_time: Option<Duration>,
    threads: usize,
    meter: Arc<Meter>,
    screen: Screen,
    format: Format,
    detail: Detail,
    /// Whether no file has been shown yet.
    first: bool,
}

impl Session {
    /// Writes the report with pictures.
    fn write_pages(
        &self,
        path: &Path,
        models: &[(Source, Arc<Model>)],
        reports: &[(&str, Report)],
    ) -> Result<(), String> {
        let end = self.limits.elapsed() + ADVICE;
        let stop =
            || self.limits.stop().or_else(|| (self.limits.elapsed() >= end).then_some(StopReason::Time));
        let world = World {
            stop: &stop,
            progress: &|property, progress| self.meter.update(property, progress),
            clock: &|| self.limits.elapsed(),
            memory: self.limits.memory,
            threads: self.threads,
            property_time: None,
            solvers: &self.solvers,
            crew: None,
        };
        let pages = reports.iter().zip(models).map(|((path, report), (source, model))| {
            let reload = |appended: &str, settings: &[(String, String)]| again(source, appended, settings);
            let reload: Option<driver::advise::Reload<'_>> =
                if source.is_program() { None } else { Some(&reload) };
            let advice =
                driver::advise(model, &self.options, &Wanted::sets(ADVISED), reload, &world, &mut |_, _| {});
            // What cannot be advised on could not be checked either, and that was told.
            Page { path, source: &source.text, model, report, advice: advice.unwrap_or_default() }
        });
        let text = html::document(&pages.collect::<Vec<_>>());
        self.meter.clear();
        fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Checks one file for at most a `share` of the time, and shows the outcomes as they come. If it was checked before, only
    /// what is not decided in its `report`. Returns whether that was long enough.
    fn check(
        &mut self,
        source: &Source,
        model: &Arc<Model>,
        share: Option<Duration>,
        report: &mut Report,
    ) -> Result<bool, Problem> {
        let undecided = report.outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Unknown);
        let again: Vec<String> = undecided.map(|outcome| outcome.property.to_string()).collect();
        let is_first = again.is_empty();
        let options = if is_first {
            self.options.clone()
        } else {
            Options { properties: again, ..self.options.clone() }
        };
        let names = model.checks.iter().map(|check| &check.task.property.name);
        let names: Vec<&Name> = names.filter(|name| driver::selected(&options.properties, name)).collect();
        let Session {
            solvers,
            crew,
            limits,
            property_time,
            threads,
            meter,
            screen,
            format,
            detail: Detail { explain, verbose, full },
            first,
            ..
        } = self;
        if names.is_empty() && !options.properties.is_empty() {
            return Ok(true);
        }
        let mut text = Text::new(names.iter().copied()).showing(*verbose, *full).giving_reasons(*explain);
        let gap = if std::mem::replace(first, false) { "" } else { "\n" };
        let again = if is_first { "" } else { ", again, with time that others have left" };
        let mut heading = format!("{gap}{}{again}\n", paint(STRONG, &source.path));
        let mut show = |lines: &str| {
            meter.clear();
            if *format == Format::Text && !screen.show(lines) {
                limits::stop_everything();
            }
        };
        let mut each = |outcome: &Outcome| {
            let more = if *explain { invariants::shown(model, outcome) } else { String::new() };
            show(&(std::mem::take(&mut heading) + &text.outcome(outcome) + &more));
            if let Some(dispute) = &outcome.dispute {
                dispute::write_down(Path::new("."), source, &outcome.property.to_string(), &dispute.details);
            }
        };
        let end = share.map(|share| limits.elapsed() + share);
        let work = {
            let (model, others) = (Arc::clone(model), source.others.clone());
            let (options, solvers, meter) = (options.clone(), solvers.clone(), Arc::clone(meter));
            let crew = crew.clone();
            let (limits, threads, property_time) = (*limits, *threads, *property_time);
            move |send: &mut dyn FnMut((usize, Outcome))| {
                let stop =
                    || limits.stop().or_else(|| (limits.elapsed() >= end?).then_some(StopReason::Time));
                in_world(&limits, &meter, threads, |world| {
                    let world = World {
                        solvers: &solvers,
                        crew: crew.as_ref(),
                        stop: &stop,
                        property_time,
                        ..*world
                    };
                    let mut each = |position: usize, outcome: &Outcome| send((position, outcome.clone()));
                    let forms: Vec<&Model> =
                        std::iter::once(&model).chain(&others).map(|form| &**form).collect();
                    driver::check_forms(&forms, &options, &world, &mut each)
                })
            }
        };
        let mut known = InOrder::default();
        let mut handle = |(place, outcome): (usize, Outcome)| known.add(place, outcome, &mut each);
        let checked = limits::supervised(*limits, work, &mut handle).unwrap_or_else(|stop| {
            let others = driver::undecided(model, &options, stop);
            Ok(Report { outcomes: known.completed(others, &mut each), ..Report::default() })
        });
        let mut found = checked?;
        if found.outcomes.is_empty() {
            show(&(heading + "  nothing is checked: no property is declared\n"));
        }
        if *verbose && !options.without_notes {
            found.notes.extend(model.kept.iter().cloned().map(Note::Kept));
        }
        found.notes.retain(|note| !report.notes.contains(note));
        show(&text::notes(&found.notes));
        let was_cut = end.is_some_and(|end| limits.elapsed() >= end);
        let is_decided = found.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Unknown);
        if is_first {
            *report = found;
        } else {
            report.notes.append(&mut found.notes);
            for outcome in found.outcomes {
                let earlier = report.outcomes.iter_mut().find(|earlier| earlier.property == outcome.property);
                *earlier.expect("what is checked again was checked before") = outcome;
            }
        }
        Ok(is_decided || !was_cut)
    }
}

/// What an outcome means for the exit code.
fn exit_of(outcome: &Outcome) -> Exit {
    match outcome.as_expected() {
        _ if outcome.dispute.is_some() => Exit::Dispute,
        Some(true) => Exit::Fine,
        Some(false) => Exit::NotAsExpected,
        None => Exit::Undecided,
    }
}
