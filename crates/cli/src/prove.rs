//! `fairly prove`: lets the local engine prove a property, and writes the proof to a file.

use std::fs;
use std::sync::Arc;

use driver::model::{Instance, Task};
use driver::{Engines, Model, Options, Outcome, Verdict, Verified, World};

use crate::arguments::ProveArguments;
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::load::load;
use crate::progress::Meter;
use crate::proof::{self, About};
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::text::{Text, number};
use crate::world::in_world;

/// The engine that writes proofs.
const ENGINE: &str = "local";

/// Runs the command.
pub(crate) fn run(arguments: &ProveArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let _enforced = limits.enforce();
    let Some((source, model)) = load(Source::read(&arguments.file), &arguments.set) else {
        return Exit::BadInput;
    };
    if let Some(message) = one_property(&model, &arguments.property) {
        complain(&message);
        return Exit::BadInput;
    }
    let options = Options {
        engines: Engines::named(ENGINE).unwrap_or_default(),
        fairness: arguments.fairness,
        properties: vec![arguments.property.clone()],
        settings: arguments.set.clone(),
        without_notes: true,
        explain: false,
        strict: false,
        engine_options: arguments.engine_option.clone(),
    };
    let report =
        in_world(&limits, &Meter::new(), 1, |world| driver::check(&model, &options, world, &mut |_, _| {}));
    match report {
        Err(problem) => {
            complain(&format!("{}: {problem}", source.path));
            Exit::BadInput
        }
        Ok(report) => match report.outcomes.first() {
            Some(outcome) => {
                in_world(&limits, &Meter::new(), 1, |world| written(arguments, &model, outcome, world))
            }
            None => Exit::BadInput,
        },
    }
}

/// The error in the name of a property to be proved: it selects none, or several.
fn one_property(model: &Model, name: &str) -> Option<String> {
    let names = [name.to_owned()];
    if let Some(message) = driver::unknown_property(&names, &[model]) {
        return Some(message);
    }
    let all = model.checks.iter().map(|check| &check.task.property.name);
    let meant: Vec<&driver::Name> = all.filter(|property| driver::selected(&names, property)).collect();
    match meant[..] {
        [first, _, ..] => {
            Some(format!("`{name}` is a family of {} properties: name one, like '{first}'", meant.len()))
        }
        _ => None,
    }
}

/// Writes the proof, or says why there is none.
fn written(arguments: &ProveArguments, model: &Model, outcome: &Outcome, world: &World<'_>) -> Exit {
    let mut screen = Screen::new();
    let proof = match (&outcome.proof, outcome.verdict) {
        (Some(proof), Verdict::Holds) => proof,
        (_, verdict) => {
            screen.show(&Text::new([&outcome.property].into_iter()).outcome(outcome));
            complain(&format!("there is no proof of `{}`", outcome.property));
            return match verdict {
                _ if outcome.dispute.is_some() => Exit::Dispute,
                Verdict::Fails => Exit::NotAsExpected,
                Verdict::Holds | Verdict::Unknown => Exit::Undecided,
            };
        }
    };
    let standing = match (outcome.checked, task(arguments, model, &outcome.property)) {
        (true, _) => Verified::Checked,
        (false, None) => Verified::Unfinished("the property is gone".to_owned()),
        (false, Some(task)) => driver::verify(&task, (**proof).clone(), world),
    };
    let about = About {
        model: model.system().name.clone(),
        settings: arguments.set.iter().cloned().collect(),
        property: outcome.property.to_string(),
        claim: outcome.claim.clone(),
        assumed: arguments.fairness.name().to_owned(),
        fairness: outcome.fairness.clone(),
    };
    let instance = Instance::new(Arc::clone(model.system())).map_err(|obstacle| obstacle.to_string());
    let text = match instance.and_then(|instance| proof::write(&about, &instance, proof)) {
        Ok(text) => text,
        Err(message) => {
            complain(&message);
            return Exit::Undecided;
        }
    };
    if let Some(path) = &arguments.output {
        if let Err(error) = fs::write(path, text) {
            complain(&format!("cannot write {}: {error}", path.display()));
            return Exit::BadInput;
        }
        let parts = proof.cases.iter().flat_map(|case| &case.parts);
        let eliminations: usize = parts.map(|part| part.eliminations.len()).sum();
        screen.show(&format!(
            "{}: proved, {} exposed predicates, {} eliminations, {} nodes; {}\n",
            outcome.property,
            number(proof.exposed.len() as u64),
            number(eliminations as u64),
            number(proof.diagrams.nodes.len() as u64),
            if standing == Verified::Checked { "checked" } else { "not checked" },
        ));
    } else {
        screen.show(&text);
    }
    match standing {
        Verified::Checked => Exit::Fine,
        Verified::Unfinished(why) => {
            complain(&why);
            Exit::Undecided
        }
        Verified::Refused(why) => {
            complain(&format!("the judge refuses the proof, which is an error in Fairly: {why}"));
            Exit::Dispute
        }
    }
}

/// The task that was proved.
fn task(arguments: &ProveArguments, model: &Model, property: &driver::Name) -> Option<Task> {
    let mut task = model.checks.iter().find(|check| check.task.property.name == *property)?.task.clone();
    if let Some(fairness) = arguments.fairness.replacement(task.system()) {
        task.fairness = fairness;
    }
    Some(task)
}
