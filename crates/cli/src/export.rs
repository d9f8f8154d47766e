//! `fairly export`: writes a model in the language of another checker, and names what cannot be expressed there.
//!
//! A TLA+ module has the name of its file, and TLC needs a configuration file next to it: `-o lock.tla` also writes
//! `lock.cfg`. On standard output the configuration follows the end of the module, where TLA+ stops reading.

use std::ffi::OsStr;
use std::fs;

use driver::export::{self, Exported};
use driver::graph::NoGraph;
use driver::{Model, Name, abstraction, selected};

use crate::arguments::{ExportArguments, Language};
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::load::load;
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::world::in_world;

/// The greatest number of states of an abstract system that is written.
const WRITTEN: usize = 5_000;

/// Runs the command.
pub(crate) fn run(arguments: &ExportArguments) -> Exit {
    let Some((source, model)) = load(Source::read(&arguments.file), &arguments.set) else {
        return Exit::BadInput;
    };
    let model = model.as_written();
    if let Some(message) = driver::unknown_property(&arguments.property, &[model]) {
        complain(&message);
        return Exit::BadInput;
    }
    if arguments.to == Language::Fair {
        return abstract_system(arguments, model, &source.path);
    }
    let module = match module(arguments, &model.system().name) {
        Ok(module) => module,
        Err(message) => {
            complain(&message);
            return Exit::BadInput;
        }
    };
    let replacement = arguments.fairness.replacement(model.system());
    let tasks: Vec<_> = model
        .checks
        .iter()
        .filter(|check| selected(&arguments.property, &check.task.property.name))
        .map(|check| {
            let mut task = check.task.clone();
            if let Some(fairness) = &replacement {
                task.fairness = fairness.clone();
            }
            task
        })
        .collect();
    let exported = match arguments.to {
        Language::Promela => export::promela(&tasks),
        Language::Smv => export::smv(&tasks),
        Language::Tla => export::tla(&tasks, &module),
        Language::Fair => unreachable!("it is written above"),
    };
    match exported {
        Ok(exported) => write(arguments, &exported),
        Err(refusal) => {
            complain(&format!(
                "{} cannot be exported: {}",
                source.path,
                sentence(&refusal.reason, &refusal.instead)
            ));
            Exit::Undecided
        }
    }
}

/// The name of the TLA+ module: that of the output file or, without one, of the model.
fn module(arguments: &ExportArguments, model: &str) -> Result<String, String> {
    let is_name =
        |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic()) && export::identifier(name) == name;
    let Some(path) = arguments.output.as_ref().filter(|_| arguments.to == Language::Tla) else {
        let name = export::identifier(model);
        return Ok(if is_name(&name) { name } else { format!("m{name}") });
    };
    let stem = path.file_stem().and_then(OsStr::to_str).filter(|stem| is_name(stem));
    match (stem, path.extension().and_then(OsStr::to_str)) {
        (Some(stem), Some("tla")) => Ok(stem.to_owned()),
        _ => Err(format!(
            "`{}` cannot hold a TLA+ module: it has the name of its file, which begins with a letter, goes on with \
             letters, digits and `_`, ends in `.tla`, and is not that of a standard module",
            path.display()
        )),
    }
}

/// Writes the abstract system in which a property is decided for every number of processes.
fn abstract_system(arguments: &ExportArguments, model: &Model, path: &str) -> Exit {
    if model.subject.instance().is_some() {
        complain(&format!(
            "{path} has no parameter without a value; `fairly print` writes a model in its own language"
        ));
        return Exit::Undecided;
    }
    let limits = Limits::new(None, None);
    limits::catch_interrupts();
    let is_chosen = |name: &Name| selected(&arguments.property, name);
    let replacement = arguments.fairness.replacement(model.system());
    let mut model = model.clone();
    for check in &mut model.checks {
        if let Some(fairness) = &replacement {
            check.task.fairness = fairness.clone();
        }
    }
    match in_world(&limits, &Meter::new(), 1, |world| abstraction(&model, &is_chosen, WRITTEN, world)) {
        Ok(text) => write(arguments, &Exported { text, companion: None, refused: Vec::new() }),
        Err(NoGraph::TooLarge) => {
            complain(&format!(
                "the abstract system of {path} has more than {WRITTEN} states, too many to write"
            ));
            Exit::Undecided
        }
        Err(NoGraph::Stopped) => {
            complain("interrupted");
            Exit::Undecided
        }
        Err(NoGraph::Abstract(why)) => {
            complain(&format!("{path} has no abstract system: {why}"));
            Exit::Undecided
        }
        Err(NoGraph::Problem(problem)) => {
            complain(&format!("{path} has no abstract system: {problem}"));
            Exit::Undecided
        }
        Err(other) => unreachable!("{other:?} is about graphs of other models"),
    }
}

fn write(arguments: &ExportArguments, exported: &Exported) -> Exit {
    let Exported { text, companion, .. } = exported;
    if let Some(path) = &arguments.output {
        let beside = path.with_extension("cfg");
        let files = std::iter::once((path, text)).chain(companion.iter().map(|text| (&beside, text)));
        for (path, text) in files {
            if let Err(error) = fs::write(path, text) {
                complain(&format!("cannot write {}: {error}", path.display()));
                return Exit::BadInput;
            }
        }
    } else {
        let mut screen = Screen::new();
        screen.show(text);
        if let Some(companion) = companion {
            screen.show(&format!("\nThe configuration:\n\n{companion}"));
        }
    }
    for (name, refusal) in &exported.refused {
        complain(&format!("property `{name}` is left out: {}", sentence(&refusal.reason, &refusal.instead)));
    }
    if exported.refused.is_empty() { Exit::Fine } else { Exit::Undecided }
}

/// A reason, with a suggestion if there is one.
fn sentence(reason: &str, instead: &str) -> String {
    if instead.is_empty() { reason.to_owned() } else { format!("{reason}; {instead}") }
}
