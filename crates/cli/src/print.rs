//! `fairly print`: writes a model in standard format, or one in another language in ours.

use crate::arguments::PrintArguments;
use crate::diagnostics;
use crate::exit::Exit;
use crate::load::is_for_others;
use crate::screen::{Screen, complain};
use crate::sources::Source;

/// Runs the command.
pub(crate) fn run(arguments: &PrintArguments) -> Exit {
    let source = match Source::read(&arguments.file) {
        Ok(source) => source,
        Err(message) => {
            complain(&message);
            return Exit::BadInput;
        }
    };
    if let Some(language) = source.language() {
        return match driver::translated(language, &source.text, &|file| source.beside(file)) {
            Ok(text) => {
                Screen::new().show(&text);
                Exit::Fine
            }
            Err(error) => {
                diagnostics::show(&source, &[*error]);
                Exit::BadInput
            }
        };
    }
    if is_for_others(&source) {
        return Exit::BadInput;
    }
    match driver::format(&source.text) {
        Err(errors) => {
            diagnostics::show(&source, &errors);
            Exit::BadInput
        }
        Ok(formatted) if !arguments.check => {
            Screen::new().show(&formatted);
            Exit::Fine
        }
        Ok(formatted) if formatted == source.text => Exit::Fine,
        Ok(_) => {
            complain(&format!("{} is not formatted; fairly print shows how it would be", source.path));
            Exit::NotAsExpected
        }
    }
}
