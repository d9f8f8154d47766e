//! `fairly export`: writes a model in the language of another checker, and names what cannot be expressed there.
//!
//! A TLA+ module has the name of its file, and TLC needs a configuration file next to it: `-o lock.tla` also writes
//! `lock.cfg`. On standard output the configuration follows the end of the module, where TLA+ stops reading.

use std::ffi::OsStr;
use std::fs;

use driver::export::{self, Exported};

use crate::arguments::{ExportArguments, Language};
use crate::exit::Exit;
use crate::load::load;
use crate::screen::{Screen, complain};
use crate::sources::Source;

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
        .filter(|check| driver::selected(&arguments.property, &check.task.property.name))
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
