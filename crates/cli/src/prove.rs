//! `fairly prove`: lets an engine prove a property, and writes the proof to a file.

use std::fs;

use driver::model::packing::Packing;
use driver::model::{Proof, Task, show};
use driver::{
    Certify, EngineKind, Engines, FairnessOption, Model, Options, Outcome, Verdict, Verified, World,
};

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

/// The engines that give proofs to keep, in the order in which they are asked.
const PROVERS: [EngineKind; 3] = [EngineKind::Local, EngineKind::Explicit, EngineKind::Symbolic];

/// Runs the command.
pub(crate) fn run(arguments: &ProveArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let _enforced = limits.enforce();
    let Some((source, model)) = load(Source::read(&arguments.file), &arguments.set) else {
        return Exit::BadInput;
    };
    let model = driver::meant(&model, arguments.fairness);
    if let Some(message) = one_property(model, &arguments.property) {
        complain(&message);
        return Exit::BadInput;
    }
    let engines = match arguments.engine {
        Some(Engines::Named(engine)) => vec![engine],
        // A parameter has no value: the proof is for every number of processes.
        _ if model.subject.instance().is_none() => vec![EngineKind::Counter],
        _ => PROVERS.to_vec(),
    };
    let mut exit = Exit::BadInput;
    for (number, engine) in engines.iter().enumerate() {
        let options = Options {
            engines: Engines::Named(*engine),
            fairness: arguments.fairness,
            properties: vec![arguments.property.clone()],
            settings: arguments.set.clone(),
            as_written: false,
            without_notes: true,
            explain: false,
            labels: false,
            strict: false,
            engine_options: arguments.engine_option.clone(),
            certify: Certify::Always,
            keeps_proofs: true,
        };
        let report = in_world(&limits, &Meter::new(), 1, |world| {
            driver::check(model, &options, world, &mut |_, _| {})
        });
        let report = match report {
            Ok(report) => report,
            Err(problem) => {
                complain(&format!("{}: {problem}", source.path));
                return Exit::BadInput;
            }
        };
        let Some(outcome) = report.outcomes.first() else { return Exit::BadInput };
        // If there is no proof, the next may have one.
        let is_last =
            number + 1 == engines.len() || outcome.verdict == Verdict::Fails || outcome.dispute.is_some();
        if outcome.proof.is_some() || is_last {
            exit = in_world(&limits, &Meter::new(), 1, |world| written(arguments, model, outcome, world));
            break;
        }
    }
    exit
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
    let Some(task) = task(arguments, model, &outcome.property) else { return Exit::BadInput };
    let standing =
        if outcome.checked { Verified::Checked } else { driver::verify(&task, proof.clone(), world) };
    let about = About {
        model: model.system().name.clone(),
        settings: arguments.set.iter().cloned().collect(),
        property: outcome.property.to_string(),
        // With all definitions expanded: what they mean may change, and the proof is of what they mean now.
        claim: show::kind(task.system(), &task.property.kind),
        assumed: arguments.fairness.name().to_owned(),
        fairness: match arguments.fairness {
            FairnessOption::Declared => show::fairness(task.system(), &task.fairness),
            named => named.name().to_owned(),
        },
    };
    let text = match proof::write(&about, &task, proof) {
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
        let checked = if standing == Verified::Checked { "checked" } else { "not checked" };
        screen.show(&format!("{}: proved, {}; {checked}\n", outcome.property, contents(&task, proof)));
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

/// What a proof consists of.
fn contents(task: &Task, proof: &Proof) -> String {
    let count = |what: usize| number(what as u64);
    match proof {
        Proof::Local(local) | Proof::Diagrams(local) => {
            let parts = local.cases.iter().flat_map(|case| &case.parts);
            let eliminations: usize = parts.map(|part| part.eliminations.len()).sum();
            format!(
                "{} exposed predicates, {} eliminations, {} nodes",
                count(local.exposed.len()),
                count(eliminations),
                count(local.diagrams.nodes.len()),
            )
        }
        Proof::Listed(listed) => {
            let words = task.instance().map_or(1, |instance| Packing::new(instance).words);
            let states = count(listed.states.len() / words);
            if !listed.labels.is_empty() {
                return format!("{states} listed states, {} labels", count(listed.labels.len()));
            }
            let blocks: usize = listed.trees.iter().map(|tree| tree.blocks.len()).sum();
            format!("{states} listed states, {} blocks", count(blocks))
        }
        Proof::Counted(counted) => {
            let blocks: usize = counted.arguments.iter().map(|argument| argument.tree.blocks.len()).sum();
            format!(
                "{} counts for every number of processes, {} blocks",
                count(counted.states.len()),
                count(blocks)
            )
        }
        Proof::Exhaustive | Proof::Labelling(_) => String::new(),
    }
}
