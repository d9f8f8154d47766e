//! `fairly export`: a model in the language of another checker; what cannot be said there is named.

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
    if let Some(message) = driver::unknown_property(&arguments.property, &[&model]) {
        complain(&message);
        return Exit::BadInput;
    }
    let replacement = arguments.fairness.replacement(&model.system);
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

fn write(arguments: &ExportArguments, exported: &Exported) -> Exit {
    match &arguments.output {
        Some(path) => {
            if let Err(error) = fs::write(path, &exported.text) {
                complain(&format!("cannot write {path}: {error}"));
                return Exit::BadInput;
            }
        }
        None => {
            Screen::new().show(&exported.text);
        }
    }
    for (name, refusal) in &exported.refused {
        complain(&format!("property `{name}` is left out: {}", sentence(&refusal.reason, &refusal.instead)));
    }
    if exported.refused.is_empty() { Exit::Fine } else { Exit::Undecided }
}

/// A reason, and what to do instead if something can be done.
fn sentence(reason: &str, instead: &str) -> String {
    if instead.is_empty() { reason.to_owned() } else { format!("{reason}; {instead}") }
}
