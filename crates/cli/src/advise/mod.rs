//! `fairly advise`: which fairness the properties of a model need.
//!
//! The advice is shown at the end, because the ladder is one table. An interrupt or a limit ends the work early, and
//! what is known by then is shown, also if the work does not notice that it should end.

mod text;

use std::path::Path;
use std::sync::Arc;

use driver::advise::{Extent, Needs, Wanted};
use driver::{Advice, Model, Options, Problem, Verdict};

use crate::arguments::{AdviseArguments, Format};
use crate::dispute;
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::load::{again, load};
use crate::overdue::supervised;
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::world::in_world;

/// How many minimal assumptions are shown if not all are asked for.
const CHEAPEST: usize = 5;

/// Runs the command.
pub(crate) fn run(arguments: &AdviseArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let loading = limits.enforce();
    let source = match &arguments.file {
        None => Ok(Source::example()),
        Some(path) => Source::read(path),
    };
    let Some((source, model)) = load(source, &arguments.set) else { return Exit::BadInput };
    if let Some(message) = driver::unknown_property(&arguments.property, &[&model]) {
        complain(&message);
        return Exit::BadInput;
    }
    if let Some(message) = driver::advise::unknown_target(&model, &arguments.not_fair_to) {
        complain(&message);
        return Exit::BadInput;
    }
    let options = Options {
        properties: arguments.property.clone(),
        settings: arguments.set.clone(),
        ..Options::default()
    };
    let wanted = Wanted {
        sets: if arguments.all { usize::MAX } else { CHEAPEST },
        fine: arguments.fine,
        not_fair_to: arguments.not_fair_to.clone(),
    };
    drop(loading);
    let (source, model) = (Arc::new(source), Arc::new(model));
    let advised = advise(&source, &model, &options, wanted, limits, limits::threads(arguments.threads));
    let advice = match advised {
        Ok(advice) => advice,
        Err(problem) => {
            complain(&format!("{}: {problem}", source.path));
            return Exit::BadInput;
        }
    };
    for advice in &advice {
        if let Some(dispute) = &advice.dispute {
            dispute::write_down(Path::new("."), &source, &advice.property.to_string(), &dispute.details);
        }
    }
    Screen::new().show(&match arguments.format {
        Format::Text => text::report(&source.path, &advice),
        Format::Json => wire::advice::document(&source.path, &advice),
    });
    advice.iter().map(exit_of).fold(Exit::Fine, Exit::or)
}

/// The advice on the selected properties, as far as it is known when the work ends or is given up.
fn advise(
    source: &Arc<Source>,
    model: &Arc<Model>,
    options: &Options,
    wanted: Wanted,
    limits: Limits,
    threads: usize,
) -> Result<Vec<Advice>, Problem> {
    let mut known = driver::advise::nothing_known(model, options);
    let meter = Arc::new(Meter::new());
    let work = {
        let (source, model, options, meter) =
            (Arc::clone(source), Arc::clone(model), options.clone(), Arc::clone(&meter));
        move |send: &mut dyn FnMut((usize, Advice))| {
            let reload = |appended: &str, settings: &[(String, String)]| again(&source, appended, settings);
            let mut each = |place: usize, advice: &Advice| send((place, advice.clone()));
            in_world(&limits, &meter, threads, |world| {
                driver::advise(&model, &options, &wanted, Some(&reload), world, &mut each)
            })
        }
    };
    let advised = supervised(limits, work, &mut |(place, advice)| known[place] = advice);
    meter.clear();
    advised.unwrap_or_else(|stop| Ok(known.into_iter().map(|advice| advice.given_up(stop)).collect()))
}

/// The exit code for a piece of advice.
fn exit_of(advice: &Advice) -> Exit {
    let open = !advice.finished
        || advice.ladder.verdicts.contains(&Verdict::Unknown)
        || advice.extent == Extent::Some
        || advice.surplus.partial && advice.needs != Needs::Branching
        || advice.needs == Needs::Unknown;
    match &advice.dispute {
        Some(_) => Exit::Dispute,
        None if open => Exit::Undecided,
        None => Exit::Fine,
    }
}
