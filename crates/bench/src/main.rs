//! The command `fairly-bench`: measures `fairly` from outside, as a user would run it.
//!
//! There are two kinds of measurement. [`run`] runs the rows of published tables and shows our figures next to
//! those of other checkers. [`choice`] compares the automatic choice of an engine with the best engine. Both run
//! `fairly` as a child process ([`measure`], [`process`]) and know of it only its command line and its JSON. Rows,
//! models and examples are read from the repository this program was built in ([`files`]).

#[cfg(not(unix))]
compile_error!("fairly-bench measures processes as Unix does; build the other crates without it");

mod arguments;
mod choice;
mod comparison;
mod document;
mod exit;
mod files;
mod interrupt;
mod measure;
mod nusmv;
mod peers;
mod process;
mod rows;
mod run;
mod screen;
mod spin;
mod table;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let exit = match &arguments.command {
        Some(Command::Choice(choice)) => choice::run(choice),
        None => run::run(&arguments.tables),
    };
    ExitCode::from(exit.code())
}
