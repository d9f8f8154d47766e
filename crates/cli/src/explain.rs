//! `fairly explain`: says step by step why a property fails, or what it rests on if it holds.
//!
//! The driver makes the sentences; this file adds headings, numbers and margins.

use std::fmt::Write;

use driver::explain::{Dropped, Explanation, Failure, Fate, Process, Remedies, Support, Waiting};
use driver::report::Kind;
use driver::{Counterexample, Options, Outcome, Verdict};

use crate::arguments::ExplainArguments;
use crate::exit::Exit;
use crate::in_order::InOrder;
use crate::limits::{self, Limits};
use crate::load::load;
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::style::{BAD, GOOD, LOOP, QUIET, STRONG, UNSURE, paint};
use crate::text::{wrapped, wrapped_at};
use crate::trace::Piece;
use crate::world::in_world;
use crate::{invariants, ledger, text, trace};

const INDENT: &str = "      ";

/// The column where the text about a requirement begins.
const MARGIN: &str = "                    ";

/// Runs the command.
pub(crate) fn run(arguments: &ExplainArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let _enforced = limits.enforce();
    let source = arguments.file.as_ref().map_or_else(|| Ok(Source::example()), |path| Source::read(path));
    let Some((source, model)) = load(source, &arguments.set) else { return Exit::BadInput };
    let options = Options {
        engines: arguments.engine,
        fairness: arguments.fairness,
        properties: arguments.property.clone(),
        settings: arguments.set.clone(),
        without_notes: false,
        explain: true,
        strict: false,
        engine_options: Vec::new(),
    };
    if let Some(message) = driver::unknown_property(&options.properties, &[&model]) {
        complain(&message);
        return Exit::BadInput;
    }
    let (meter, mut screen) = (Meter::new(), Screen::new());
    let mut exit = Exit::Fine;
    let mut heading = format!("{}\n", paint(STRONG, &source.path));
    let mut each = |outcome: &Outcome| {
        meter.clear();
        if outcome.verdict == Verdict::Unknown {
            exit = exit.or(if outcome.dispute.is_some() { Exit::Dispute } else { Exit::Undecided });
        }
        if !screen.show(
            &(std::mem::take(&mut heading)
                + &explained(outcome, &source.path)
                + &invariants::shown(&model, outcome)),
        ) {
            limits::stop_everything();
        }
    };
    let checked = in_world(&limits, &meter, limits::threads(arguments.threads), |world| {
        let mut known = InOrder::default();
        let mut each = |place: usize, outcome: &Outcome| known.add(place, outcome.clone(), &mut each);
        driver::check(&model, &options, world, &mut each)
    });
    if let Err(problem) = checked {
        complain(&format!("{}: {problem}", source.path));
        return Exit::BadInput;
    }
    exit
}

/// The explanation of an outcome.
fn explained(outcome: &Outcome, path: &str) -> String {
    let (mark, style) = match outcome.verdict {
        Verdict::Holds if outcome.caveat().is_some() => ("✓", UNSURE),
        Verdict::Holds => ("✓", GOOD),
        Verdict::Fails => ("✗", BAD),
        Verdict::Unknown => ("?", UNSURE),
    };
    let mut text = format!(
        "\n  {} {}  {}\n{INDENT}{}\n",
        paint(style, mark),
        paint(STRONG, outcome.property.to_string()),
        paint(style, text::verdict(outcome)),
        wrapped(&outcome.claim, "        ")
    );
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "{INDENT}{}", wrapped(&format!("under {}", outcome.fairness), "            "));
    match (&outcome.explanation, &outcome.counterexample) {
        (Some(Explanation::Fails(failure)), Some(counterexample)) => {
            text += &run_text(failure, counterexample);
            if !counterexample.ledger.is_empty() {
                let _ = writeln!(text, "{}", heading("Why the run is fair"));
                text += &ledger::lines(&counterexample.ledger, INDENT);
            }
            if let Some(remedies) = &failure.remedies {
                text += &ruled_out(remedies, outcome, path);
            }
        }
        // The notes below say all there is to say.
        (Some(Explanation::Holds(_)), _) if outcome.is_empty() => {}
        (Some(Explanation::Holds(support)), _) => text += &rests_on(support),
        (_, Some(counterexample)) => {
            text += &paragraph(&ending(counterexample).unwrap_or_default());
        }
        (None, None) if outcome.verdict == Verdict::Holds && !outcome.is_empty() => {
            let _ = writeln!(text, "{}", heading("Why it holds"));
            text += &paragraph("It is true in every reachable state; fairness has no part in it.");
        }
        _ => {}
    }
    for note in outcome.notes.iter().filter(|note| text::is_news(note, outcome)) {
        text.push('\n');
        text += &paragraph(&note.to_string());
    }
    text
}

fn heading(words: &str) -> String {
    format!("\n    {}", paint(STRONG, words))
}

fn paragraph(words: &str) -> String {
    format!("{INDENT}{}\n", wrapped(words, INDENT))
}

/// The run, and the fates of the processes.
fn run_text(failure: &Failure, counterexample: &Counterexample) -> String {
    let mut text = format!("{}\n{}", heading("The run"), paragraph(&failure.beginning));
    let cycle = counterexample.trace.as_ref().and_then(|trace| trace.cycle);
    for piece in counterexample.trace.as_ref().map_or_else(Vec::new, trace::pieces) {
        let first = piece.steps().start;
        if cycle == Some(first) {
            let steps = failure.steps.len() - first;
            let words = if steps == 1 {
                "Then this step for ever:".to_owned()
            } else {
                format!("Then these {steps} steps for ever:")
            };
            let _ = writeln!(text, "{INDENT}{}", paint(LOOP, words));
        }
        let bar = if cycle.is_some_and(|cycle| first >= cycle) { paint(LOOP, "│") } else { " ".to_owned() };
        let (sign, sentence) = match &piece {
            Piece::Step(number) => ((number + 1).to_string(), failure.steps[*number].clone()),
            Piece::Gap(steps) => ("⋮".to_owned(), trace::omission(steps)),
        };
        let _ = writeln!(text, "{INDENT}{bar}{sign:>4}  {}", wrapped_at(&sentence, 13, "             "));
    }
    if let Some(ending) = ending(counterexample) {
        let _ = writeln!(text, "{INDENT}{}", paint(BAD, ending));
    }
    if let Some(remedies) = &failure.remedies {
        let _ = writeln!(text, "{}", heading("Who waits"));
        for process in &failure.processes {
            text += &paragraph(&fate(process, remedies.cycle));
        }
    }
    text
}

fn ending(found: &Counterexample) -> Option<String> {
    match &found.kind {
        Kind::Lasso => None,
        Kind::Path => Some("Here the invariant is false; fairness has no part in it.".to_owned()),
        Kind::Fault(sentence) => {
            Some(format!("Here a fault ends the run, {sentence}; fairness has no part in it."))
        }
        Kind::State => Some("In this initial state the formula is false.".to_owned()),
        Kind::Prefix => Some(format!("The property is {}; no fairness can help.", text::lost(found))),
        Kind::Beginning => Some("From here the run can go on like this for ever, fairly.".to_owned()),
    }
}

/// The fate of a process on the loop, in a sentence.
pub(crate) fn fate(process: &Process, cycle: usize) -> String {
    let name = &process.name;
    let at = process.location.as_ref().map(|location| format!(", at {location},")).unwrap_or_default();
    let steps = if cycle == 1 { "the one step".to_owned() } else { format!("the {cycle} steps") };
    match &process.fate {
        Fate::Acts(1) if cycle == 1 => format!("{name} takes the one step of the loop."),
        Fate::Acts(taken) if *taken == cycle => format!("{name} takes all {cycle} steps of the loop."),
        Fate::Acts(taken) => format!("{name} takes {taken} of {steps} of the loop."),
        Fate::Starves { enabled, waits } => {
            let often = if *enabled == cycle {
                "all the time".to_owned()
            } else {
                format!("before {enabled} of {steps} of the loop")
            };
            format!("{name}{at} starves: it could act {often} and never does.{}", needs(waits))
        }
        Fate::Rests(_) => format!("{name}{at} rests: it may stay where it is."),
        Fate::Blocked(waits) => format!("{name}{at} is blocked: it can never act.{}", needs(waits)),
        Fate::Ended => format!("{name}{at} has terminated."),
    }
}

/// What the actions of a waiting process need.
fn needs(waits: &[Waiting]) -> String {
    let need = |waiting: &Waiting| {
        let conditions: Vec<String> =
            waiting.conditions.iter().map(|condition| format!("`{condition}`")).collect();
        if conditions.is_empty() {
            format!(" Nothing stands in the way of {}.", waiting.action)
        } else {
            format!(" {} needs {}.", waiting.action, conditions.join(" and "))
        }
    };
    waits.iter().take(3).map(need).collect()
}

/// What would rule the run out.
fn ruled_out(remedies: &Remedies, outcome: &Outcome, path: &str) -> String {
    let mut text = format!("{}\n", heading("What would rule this run out"));
    text += &paragraph(&remedy(remedies));
    let kinds = |wanted: bool| -> Vec<&str> {
        remedies
            .ladder
            .iter()
            .filter(|(_, rules_out)| *rules_out == wanted)
            .map(|(rung, _)| rung.name())
            .collect()
    };
    let verdicts = [(kinds(true), "would"), (kinds(false), "would not")];
    let verdicts = verdicts.iter().filter(|(kinds, _)| !kinds.is_empty());
    let verdicts: Vec<String> =
        verdicts.map(|(kinds, word)| format!("{} {word}", kinds.join(", "))).collect();
    text += &paragraph(&format!("Asked of every action or process: {}.", verdicts.join("; ")));
    if remedies.weakest.is_empty() && remedies.left_out.is_none() {
        return text;
    }
    text += &paragraph(&format!(
        "Other runs may remain; `fairly advise {path} --property '{}'` finds assumptions that are enough.",
        outcome.property
    ));
    text
}

/// The weakest assumptions against a run, in a sentence.
pub(crate) fn remedy(remedies: &Remedies) -> String {
    let quoted: Vec<String> = remedies.weakest.iter().map(|assumption| format!("`{assumption}`")).collect();
    let more = if remedies.further > 0 {
        format!(" (and {} more like these)", remedies.further)
    } else {
        String::new()
    };
    match (&quoted[..], &remedies.left_out) {
        ([], None) => "No fairness: the loop takes every step that leaves its states.".to_owned(),
        ([], Some((step, action))) => format!(
            "Only strong global fairness, `global`: every action that is enabled on the loop is taken on it, but before \
             step {step} {action} could lead elsewhere, and never does."
        ),
        (all, _) => {
            let either = if all.len() == 1 { "" } else { "Any one of " };
            let weak = if remedies.weak {
                ""
            } else {
                "; weak fairness is not enough, because none is enabled all the time"
            };
            format!("{either}{}{more}{weak}.", all.join(", "))
        }
    }
}

/// What a property that holds rests on.
fn rests_on(support: &Support) -> String {
    let mut text = format!("{}\n", heading("What it rests on"));
    text += &paragraph(&foundation(support));
    text += &support.proof.as_deref().map(paragraph).unwrap_or_default();
    for Dropped { requirement, verdict, account } in &support.dropped {
        let (style, word) = match verdict {
            Verdict::Fails => (STRONG, "needed"),
            Verdict::Holds => (QUIET, "not needed"),
            Verdict::Unknown => (UNSURE, "unknown"),
        };
        let _ = writeln!(
            text,
            "{INDENT}  {}  {}",
            paint(style, format!("{word:10}")),
            wrapped_at(requirement, MARGIN.len(), MARGIN)
        );
        if let Some(account) = account {
            let _ = writeln!(
                text,
                "{MARGIN}{}",
                wrapped_at(&format!("without it {account}"), MARGIN.len(), MARGIN)
            );
        }
    }
    if support.dropped.iter().filter(|dropped| dropped.verdict == Verdict::Holds).count() > 1 {
        text += &paragraph(
            "What is not needed can be left out alone; `fairly advise` says what can be left out together.",
        );
    }
    text
}

/// Whether any fairness is needed, in a sentence.
pub(crate) fn foundation(support: &Support) -> String {
    match (support.assumed, support.without) {
        (false, _) => "Nothing: no fairness is assumed.".to_owned(),
        (true, Verdict::Holds) => {
            "Nothing: it holds without any fairness, although some is assumed.".to_owned()
        }
        (true, Verdict::Unknown) => "Whether it needs fairness was not decided.".to_owned(),
        (true, Verdict::Fails) => match &support.account {
            Some(account) => format!("It needs fairness: without any, {account}."),
            None => "It needs fairness: without any it fails.".to_owned(),
        },
    }
}
