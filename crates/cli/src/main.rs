//! The command `fairly`: reads files, lets the driver answer, shows the results.
//!
//! Everything that touches the world is in this crate: files, clock, signals, terminal, memory. A command returns an
//! [`Exit`], whose codes scripts rely on. The work is done in a thread with a large stack, because formulas and code
//! may be nested as deep as the parser allows. A panic anywhere is reported as an error of this program, without a
//! backtrace.

mod advise;
mod arguments;
mod automaton;
mod check;
mod crew;
mod diagnostics;
mod dispute;
mod dump;
mod exit;
mod explain;
mod explore;
mod export;
mod facts;
mod graph;
mod html;
mod in_order;
mod invariants;
mod itf;
mod junit;
mod ledger;
mod limits;
mod list;
mod load;
mod lsp;
mod manual;
mod markup;
mod mcp;
mod overdue;
mod plan;
mod print;
mod progress;
mod proof;
mod prove;
mod replay;
mod rpc;
mod saved;
mod screen;
mod shell;
mod simulate;
mod sources;
mod style;
mod text;
mod trace;
mod values;
mod verify;
mod watch;
mod worker;
mod world;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;
use exit::Exit;

/// The size of the stack. It is virtual memory; pages that are never touched cost nothing.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(language) = arguments.command.language() {
        sources::read_as(language);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Advise(arguments) => advise::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Prove(arguments) => prove::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Print(arguments) => print::run(&arguments),
        Command::Automaton(arguments) => automaton::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Worker(arguments) => worker::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::man(&arguments),
        Command::Bench(_) => {
            screen::complain("benchmarks have their own program: `cargo run --release -p fairly-bench`");
            Exit::BadInput
        }
    });
    let exit = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit,
        Ok(Err(payload)) => {
            let text = payload.downcast_ref::<&str>().copied();
            let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            screen::complain(&format!(
                "Fairly broke down ({}); this is an error in Fairly, please report it",
                text.unwrap_or("without a message")
            ));
            Exit::Dispute
        }
        Err(error) => {
            screen::complain(&format!("cannot start a thread: {error}"));
            Exit::Undecided
        }
    };
    ExitCode::from(exit.code())
}
