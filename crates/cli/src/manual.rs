//! `fairly completions` and `fairly man`: what shells and the manual know of the command line, made from its declaration.

use std::path::Path;
use std::{fs, io};

use clap::CommandFactory;
use clap_complete::generate;
use clap_mangen::{Man, generate_to};

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::exit::Exit;
use crate::screen::{Screen, complain};

/// Writes completions.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Exit {
    let mut text = Vec::new();
    generate(arguments.shell, &mut Arguments::command(), "fairly", &mut text);
    show(&text)
}

/// Writes man pages.
pub(crate) fn man(arguments: &ManArguments) -> Exit {
    if let Some(folder) = &arguments.folder {
        return match pages(folder) {
            Ok(()) => Exit::Fine,
            Err(error) => {
                complain(&format!("cannot write man pages into {}: {error}", folder.display()));
                Exit::BadInput
            }
        };
    }
    let mut text = Vec::new();
    match Man::new(Arguments::command()).render(&mut text) {
        Ok(()) => show(&text),
        Err(error) => {
            complain(&format!("cannot write the man page: {error}"));
            Exit::BadInput
        }
    }
}

/// A page for each command.
fn pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    generate_to(Arguments::command(), folder)
}

fn show(text: &[u8]) -> Exit {
    Screen::new().show(&String::from_utf8_lossy(text));
    Exit::Fine
}
