//! `fairly verify`: lets the judge check a proof in a file.
//!
//! The proof names the property, the values of constants and the fairness, and the model is loaded with those. The
//! claims of the proof and of the model are compared as text.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use driver::model::show;
use driver::{FairnessOption, Verified};

use crate::arguments::VerifyArguments;
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::load::load;
use crate::progress::Meter;
use crate::proof::{self, Document};
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::text::wrapped_at;
use crate::world::in_world;

/// What precedes a line about a refusal.
const MARGIN: &str = "    ";

/// The greatest size of a proof file.
const LIMIT: u64 = 1 << 30;

/// Runs the command.
pub(crate) fn run(arguments: &VerifyArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let _enforced = limits.enforce();
    let document = match document(&arguments.proof) {
        Ok(document) => document,
        Err(message) => {
            complain(&format!("cannot read the proof {}: {message}", arguments.proof.display()));
            return Exit::BadInput;
        }
    };
    let settings: Vec<(String, String)> =
        document.about().settings.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let Some((source, model)) = load(Source::read(&arguments.file), &settings) else {
        return Exit::BadInput;
    };
    let refused = |why: &str| {
        let line = |line: &str| format!("{MARGIN}{}\n", wrapped_at(line, MARGIN.len(), "        "));
        let why: String = why.lines().map(line).collect();
        Screen::new().show(&format!("{}: refused\n{why}", document.about().property));
        Exit::NotAsExpected
    };
    let option = FairnessOption::ALL.into_iter().find(|option| option.name() == document.about().assumed);
    let Some(option) = option else {
        return refused(&format!("`{}` is not a kind of fairness", document.about().assumed));
    };
    let model = driver::meant(&model, option);
    let Some(check) =
        model.checks.iter().find(|check| check.task.property.name.to_string() == document.about().property)
    else {
        return refused(&format!("{} has no such property", source.path));
    };
    let mut task = check.task.clone();
    let mut fairness = show::fairness(task.system(), &task.fairness);
    if let Some(replacement) = option.replacement(task.system()) {
        task.fairness = replacement;
        option.name().clone_into(&mut fairness);
    }
    let claim = show::kind(task.system(), &task.property.kind);
    for (what, proved, own) in
        [("property", &document.about().claim, &claim), ("fairness", &document.about().fairness, &fairness)]
    {
        if proved != own {
            let lines = [
                format!("it is about another {what}:"),
                format!("    `{proved}` in the proof,"),
                format!("    `{own}` in {}", source.path),
            ];
            return refused(&lines.join("\n"));
        }
    }
    let proof = match document.proof(&task) {
        Ok(proof) => proof,
        Err(message) => return refused(&message),
    };
    match in_world(&limits, &Meter::new(), 1, |world| driver::verify(&task, proof, world)) {
        Verified::Checked => {
            Screen::new().show(&format!("{}: checked: {claim}\n", document.about().property));
            Exit::Fine
        }
        Verified::Refused(why) => refused(&why),
        Verified::Unfinished(why) => {
            complain(&why);
            Exit::Undecided
        }
    }
}

fn document(path: &Path) -> Result<Document, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(LIMIT + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > LIMIT {
        return Err(format!("it is longer than {} MiB, the limit for a proof", LIMIT >> 20));
    }
    proof::read(&text)
}
