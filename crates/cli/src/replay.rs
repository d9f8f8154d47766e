//! `fairly replay`: lets the judge say whether a saved counterexample is one of a model, shows it, and goes on from its end.

use driver::replay::{self, Judged, Run};
use driver::{Check, Ending, Model, Simulation};

use crate::arguments::ReplayArguments;
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::load::load;
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::style::{BAD, GOOD, QUIET, STRONG, UNSURE, paint};
use crate::text::{self, INDENT, wrapped_at};
use crate::world::in_world;
use crate::{saved, simulate, trace};

/// Runs the command.
pub(crate) fn run(arguments: &ReplayArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let Some((source, model)) = load(Source::read(&arguments.file), &arguments.set) else {
        return Exit::BadInput;
    };
    let saved = match saved::read(&arguments.trace, arguments.property.as_deref()) {
        Ok(saved) => saved,
        Err(message) => {
            complain(&message);
            return Exit::BadInput;
        }
    };
    let name = arguments.property.as_deref().or(saved.property.as_deref());
    let find = |model: &Model| check(arguments, model, name).inspect_err(|message| complain(message));
    if find(&model).is_err() {
        return Exit::BadInput;
    }
    let run = match replay::read(&model, &saved) {
        Ok(run) => run,
        Err(message) => {
            complain(&format!("{} is no trace of {}: {message}", arguments.trace.display(), source.path));
            return Exit::BadInput;
        }
    };
    let model = in_world(&limits, &Meter::new(), 1, |world| run.model(&model, world).clone());
    let Ok(check) = find(&model) else { return Exit::BadInput };
    let judged = in_world(&limits, &Meter::new(), 1, |world| run.judged(&model, &check.task, world));
    let mut screen = Screen::new();
    screen.show(&format!("{}, {}\n", paint(STRONG, &source.path), arguments.trace.display()));
    let exit = show_judged(&mut screen, &check, &model, &run, &judged);
    match arguments.go_on {
        Some(steps) => exit.or(go_on(arguments, &mut screen, &model, &run, steps, &limits)),
        None => exit,
    }
}

/// The property of this name, under the fairness asked for.
fn check(arguments: &ReplayArguments, model: &Model, name: Option<&str>) -> Result<Check, String> {
    let Some(name) = name else {
        return Err(format!(
            "{} does not say which property it violates; name it with --property",
            arguments.trace.display()
        ));
    };
    let wanted = [name.to_owned()];
    if let Some(message) = driver::unknown_property(&wanted, &[model]) {
        return Err(message);
    }
    let selected = |check: &&Check| driver::selected(&wanted, &check.task.property.name);
    let found: Vec<&Check> = model.checks.iter().filter(selected).collect();
    let [check] = found[..] else {
        return Err(format!("`{name}` is a family of properties; choose a member with --property"));
    };
    let mut check = check.clone();
    if let Some(fairness) = arguments.fairness.replacement(check.task.system()) {
        check.task.fairness = fairness;
    }
    Ok(check)
}

fn show_judged(screen: &mut Screen, check: &Check, model: &Model, run: &Run, judged: &Judged) -> Exit {
    let (style, mark, exit) = match judged {
        Judged::Genuine(_) => (GOOD, "✓", Exit::Fine),
        Judged::Refused(_) => (BAD, "✗", Exit::NotAsExpected),
        Judged::Open(_) => (UNSURE, "?", Exit::Undecided),
    };
    let verdict = match judged {
        Judged::Genuine(_) => "a counterexample",
        Judged::Refused(_) => "not a counterexample",
        Judged::Open(_) => "undecided",
    };
    let task = &check.task;
    let name = paint(STRONG, task.property.name.to_string());
    screen.show(&format!("  {} {name}  {}\n", paint(style, mark), paint(style, verdict)));
    let system = task.system();
    let claim = check.claim();
    match judged {
        Judged::Genuine(found) => {
            screen.show(&text::evidence(
                &claim,
                &driver::report::assumed(system, &task.fairness),
                found,
                false,
            ));
        }
        Judged::Refused(why) | Judged::Open(why) => {
            let shown =
                run.trace(model).map_or_else(String::new, |run| trace::abridged(&run, INDENT, trace::TEXT));
            screen.show(&format!("\n{INDENT}{}\n\n{shown}\n", wrapped_at(&claim, INDENT.len(), "        ")));
            screen.show(&format!("{INDENT}{}\n", wrapped_at(why, INDENT.len(), INDENT)));
        }
    }
    exit
}

/// Takes random steps from the end of a run.
fn go_on(
    arguments: &ReplayArguments,
    screen: &mut Screen,
    model: &Model,
    run: &Run,
    steps: u64,
    limits: &Limits,
) -> Exit {
    if in_world(limits, &Meter::new(), 1, |world| run.flaw(model, world)).is_some() {
        complain("it is not a run of the model, so nothing follows from its end");
        return Exit::NotAsExpected;
    }
    let seed = arguments.seed.unwrap_or_else(simulate::arbitrary_seed);
    match Simulation::go_on(model, run, seed) {
        Ok(mut simulation) => {
            screen.show(&format!("\n  from its end {}\n", paint(QUIET, format!("(seed {seed})"))));
            match simulate::random(&mut simulation, screen, steps) {
                Ending::Done | Ending::Deadlock => Exit::Fine,
                Ending::Fault(_) => Exit::NotAsExpected,
            }
        }
        Err(problem) => {
            complain(&problem.to_string());
            Exit::BadInput
        }
    }
}
