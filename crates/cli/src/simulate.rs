//! `fairly simulate`: a random walk that can be repeated by its seed, or a walk the user chooses step by step.

use std::fmt::Write;
use std::io::{self, BufRead, IsTerminal};
use std::time::SystemTime;

use driver::{Choice, Ending, Model, Next, Simulation, World, replay};

use crate::arguments::SimulateArguments;
use crate::exit::Exit;
use crate::load::load;
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::style::{ACTOR, BAD, QUIET, STRONG, paint};
use crate::values::InitialState;
use crate::{saved, trace};

const INDENT: &str = "  ";

/// Runs the command.
pub(crate) fn run(arguments: &SimulateArguments) -> Exit {
    let source = match &arguments.file {
        Some(path) => Source::read(path),
        None => Ok(Source::example()),
    };
    let Some((source, model)) = load(source, &arguments.set) else { return Exit::BadInput };
    let seed = arguments.seed.unwrap_or_else(arbitrary_seed);
    let mut simulation = match begun(arguments, &model, seed) {
        Ok(simulation) => simulation,
        Err(problem) => {
            complain(&format!("{}: {problem}", source.path));
            return Exit::BadInput;
        }
    };
    let mut screen = Screen::new();
    let seed = paint(QUIET, format!("(seed {seed})"));
    screen.show(&format!("{} {seed}\n", paint(STRONG, &source.path)));
    if arguments.interactive {
        interactive(&mut simulation, &mut screen)
    } else {
        match random(&mut simulation, &mut screen, arguments.steps) {
            Ending::Done | Ending::Deadlock => Exit::Fine,
            Ending::Fault(_) => Exit::NotAsExpected,
        }
    }
}

/// The walk at its beginning: in an initial state, or at the end of a trace.
fn begun(arguments: &SimulateArguments, model: &Model, seed: u64) -> Result<Simulation, String> {
    if let Some(file) = &arguments.from {
        let saved = saved::read(file, arguments.property.as_deref())?;
        let run = replay::read(model, &saved)
            .map_err(|message| format!("{} is no trace of it: {message}", file.display()))?;
        if let Some(flaw) = run.flaw(model, &World::unlimited()) {
            return Err(format!("{} is no run of it: {flaw}", file.display()));
        }
        return Simulation::go_on(model, &run, seed).map_err(|problem| problem.to_string());
    }
    match &arguments.initial[..] {
        [] => Simulation::begin(model, seed).map_err(|problem| problem.to_string()),
        [InitialState::Number(number)] => Simulation::begin_at(model, *number, seed),
        wishes => {
            let values = wishes.iter().map(|wish| match wish {
                InitialState::Value(name, value) => Ok((name.clone(), value.clone())),
                InitialState::Number(_) => {
                    Err("choose the initial state by its number or by values, not by both".to_owned())
                }
            });
            Simulation::begin_where(model, &values.collect::<Result<Vec<_>, String>>()?, seed)
        }
    }
}

/// Takes random steps and shows them.
pub(crate) fn random(simulation: &mut Simulation, screen: &mut Screen, steps: u64) -> Ending {
    let ending = simulation.walk(steps);
    screen.show(&trace::lines(&simulation.trace(), INDENT));
    match &ending {
        Ending::Done => {}
        Ending::Deadlock => {
            screen.show(&format!("{INDENT}   {}\n", deadlock()));
        }
        Ending::Fault(sentence) => {
            screen.show(&format!("{INDENT}   {}\n", fault(sentence)));
        }
    }
    ending
}

/// The user's choice.
enum Wish {
    Take(usize),
    Random,
    Undo,
    Quit,
}

/// Asks for every step until the user quits or the input ends.
fn interactive(simulation: &mut Simulation, screen: &mut Screen) -> Exit {
    let mut exit = Exit::Fine;
    loop {
        // Writing to a string does not fail, here and below.
        let mut text = format!("\n{}", trace::last(&simulation.trace(), INDENT));
        let mut choices = match simulation.next() {
            Next::Steps(choices) => choices,
            Next::Deadlock => {
                let _ = writeln!(text, "{INDENT}{}", deadlock());
                Vec::new()
            }
            Next::Fault(sentence) => {
                exit = Exit::NotAsExpected;
                let _ = writeln!(text, "{INDENT}{}", fault(&sentence));
                Vec::new()
            }
        };
        if !screen.show(&(text + &menu(&choices))) {
            return exit;
        }
        let choice = match ask(screen, choices.len()) {
            Wish::Quit => return exit,
            Wish::Take(number) => choices.swap_remove(number),
            Wish::Random => simulation.pick(choices),
            Wish::Undo => {
                if !simulation.undo() {
                    screen.show(&format!("{INDENT}this is where the walk begins\n"));
                }
                continue;
            }
        };
        if let Some(sentence) = &choice.fault {
            exit = Exit::NotAsExpected;
            screen.show(&format!("{INDENT}{}\n", fault(sentence)));
        }
        simulation.take(choice);
    }
}

/// Asks for one of this many choices.
fn ask(screen: &mut Screen, choices: usize) -> Wish {
    let numbers = match choices {
        0 => String::new(),
        1 => "1 or r to go on, ".to_owned(),
        _ => format!("1 to {choices}, r random, "),
    };
    loop {
        screen.show(&format!("{INDENT}{numbers}u undo, q quit > "));
        let mut line = String::new();
        let length = io::stdin().lock().read_line(&mut line);
        if !io::stdin().is_terminal() {
            // The input of a script is not echoed by a terminal.
            screen.show(&format!("{}\n", line.trim()));
        }
        match line.trim() {
            _ if !matches!(length, Ok(1..)) => return Wish::Quit,
            "q" => return Wish::Quit,
            "u" => return Wish::Undo,
            "r" if choices > 0 => return Wish::Random,
            answer => match answer.parse::<usize>() {
                Ok(number) if 1 <= number && number <= choices => return Wish::Take(number - 1),
                _ => screen.show(&format!("{INDENT}that is not one of the choices\n")),
            },
        };
    }
}

/// The choices, numbered.
fn menu(choices: &[Choice]) -> String {
    let digits = choices.len().to_string().len();
    let width = choices.iter().map(|choice| choice.step.action.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (number, choice) in choices.iter().enumerate() {
        let effect = match &choice.fault {
            Some(_) => paint(BAD, "a fault"),
            None => trace::effect(&choice.step, 0, &ToString::to_string).replace('\n', " "),
        };
        let action = &choice.step.action;
        let gap = width - action.chars().count();
        let _ =
            writeln!(text, "{INDENT}{:>digits$}  {}{:gap$}   {effect}", number + 1, paint(ACTOR, action), "");
    }
    text
}

fn deadlock() -> String {
    paint(STRONG, "deadlock: no action is enabled")
}

fn fault(sentence: &str) -> String {
    paint(BAD, format!("✗ fault {sentence}"))
}

/// A seed that is different every time, and short enough to type.
pub(crate) fn arbitrary_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos() as u64 % 1_000_003)
}
