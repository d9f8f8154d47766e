//! `fairly automaton`: the automaton of a formula.

use driver::AutomatonFormat;

use crate::arguments::{AutomatonArguments, Drawing};
use crate::diagnostics;
use crate::exit::Exit;
use crate::screen::Screen;
use crate::sources::Source;

/// Runs the command.
pub(crate) fn run(arguments: &AutomatonArguments) -> Exit {
    let format = match arguments.format {
        Drawing::Text => AutomatonFormat::Text,
        Drawing::Hoa => AutomatonFormat::Hoa,
        Drawing::Dot => AutomatonFormat::Dot,
    };
    match driver::automaton(&arguments.formula, arguments.negate, format) {
        Ok(text) => {
            Screen::new().show(&text);
            Exit::Fine
        }
        Err(errors) => {
            let source = Source::text("formula", &arguments.formula);
            diagnostics::show(&source, &errors);
            Exit::BadInput
        }
    }
}
