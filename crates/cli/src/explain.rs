//! `fairly explain`: says step by step why a property fails, or what it rests on if it holds.
//!
//! The driver makes the sentences; this file adds headings, numbers and margins.

use std::fmt::Write;
use std::path::Path;

use driver::explain::{
    Dropped, Effect, Explanation, Failure, NOT_KNOWN, Remedies, STOPPED, Support, capitalised, ending,
    enough_to_hold, fate, foundation, kinds, need, needed_elsewhere, remedy,
};
use driver::report::{Kind, Note};
use driver::{Certify, Counterexample, FairnessOption, Model, Options, Outcome, Verdict};

use crate::arguments::ExplainArguments;
use crate::exit::Exit;
use crate::in_order::InOrder;
use crate::limits::{self, Limits};
use crate::load::{self, NOT_ASKED, SILENT};
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::{Source, is_silent};
use crate::style::{BAD, GOOD, LOOP, QUIET, STRONG, UNSURE, paint};
use crate::text::{wrapped, wrapped_at};
use crate::trace::Piece;
use crate::world::in_world;
use crate::{facts, invariants, ledger, shell, text, trace};

const INDENT: &str = "      ";

/// Runs the command.
pub(crate) fn run(arguments: &ExplainArguments) -> Exit {
    let limits = Limits::new(arguments.bounds.time_limit, arguments.bounds.memory_limit);
    limits::catch_interrupts();
    let _enforced = limits.enforce();
    let source = arguments.file.as_ref().map_or_else(|| Ok(Source::example()), |path| Source::read(path));
    let question = arguments.program.question();
    if let Ok(source) = &source {
        let wrong = match &question {
            None if is_silent(Path::new(&source.path)) => Some(SILENT),
            Some(_) if !source.is_program() && source.language().is_none() => Some(NOT_ASKED),
            _ => None,
        };
        if let Some(wrong) = wrong {
            complain(wrong);
            return Exit::BadInput;
        }
    }
    let loaded = match source {
        Ok(program) if program.is_program() => load::program(Ok(program), question.as_ref()),
        source => load::load(source.map(|source| source.asking(question.as_ref())), &arguments.set),
    };
    let Some((source, model)) = loaded else { return Exit::BadInput };
    let options = Options {
        engines: arguments.engine,
        fairness: arguments.fairness,
        properties: arguments.property.clone(),
        settings: arguments.set.clone(),
        as_written: false,
        without_notes: false,
        explain: true,
        labels: false,
        strict: false,
        engine_options: Vec::new(),
        certify: Certify::Auto,
        keeps_proofs: false,
    };
    if let Some(message) = driver::unknown_property(&options.properties, &[&model]) {
        complain(&message);
        return Exit::BadInput;
    }
    let (meter, mut screen) = (Meter::new(), Screen::new());
    let mut exit = Exit::Fine;
    let mut heading = format!("{}\n", paint(STRONG, &source.path));
    let command = |name: &str| shell::command(name, &source.path, &arguments.set);
    // Of the members of a family that come out alike, the first is explained.
    let mut explained_families: Vec<(String, Verdict)> = Vec::new();
    let mut each = |outcome: &Outcome| {
        meter.clear();
        let family = (outcome.property.family.clone(), outcome.verdict);
        let is_named = options.properties.contains(&outcome.property.to_string());
        let again = !is_named && !outcome.property.member.is_empty() && explained_families.contains(&family);
        explained_families.push(family);
        if outcome.verdict == Verdict::Unknown {
            exit = exit.or(if outcome.dispute.is_some() { Exit::Dispute } else { Exit::Undecided });
        }
        if !screen.show(
            &(std::mem::take(&mut heading)
                + &if again {
                    in_short(outcome, &command)
                } else {
                    explained(outcome, &command) + &invariants::shown(&model, outcome)
                }),
        ) {
            limits::stop_everything();
        }
    };
    let checked = in_world(&limits, &meter, limits::threads(arguments.threads), |world| {
        let mut known = InOrder::default();
        let mut each = |place: usize, outcome: &Outcome| known.add(place, outcome.clone(), &mut each);
        let forms: Vec<&Model> =
            std::iter::once(&model).chain(source.others.iter().map(|form| &**form)).collect();
        driver::check_forms(&forms, &options, world, &mut each)
    });
    if let Err(problem) = checked {
        complain(&format!("{}: {problem}", source.path));
        return Exit::BadInput;
    }
    exit
}

/// The explanation of an outcome without colours.
pub(crate) fn plain(outcome: &Outcome) -> String {
    anstream::adapter::strip_str(&explained(outcome, &|name| format!("fairly {name} FILE"))).to_string()
}

/// The name of a property and its verdict.
fn headline(outcome: &Outcome) -> String {
    let (mark, style) = match outcome.verdict {
        Verdict::Holds if outcome.caveat().is_some() => ("✓", UNSURE),
        Verdict::Holds => ("✓", GOOD),
        Verdict::Fails => ("✗", BAD),
        Verdict::Unknown => ("?", UNSURE),
    };
    let expects = outcome.expected.is_some() && outcome.as_expected() == Some(true);
    let as_expected = if expects { ", as expected" } else { "" };
    format!(
        "\n  {} {}  {}\n",
        paint(style, mark),
        paint(STRONG, outcome.property.to_string()),
        paint(style, outcome.in_words()) + as_expected + &text::scope(&outcome.scope)
    )
}

/// What is said of a further member of a family.
fn in_short(outcome: &Outcome, command: &dyn Fn(&str) -> String) -> String {
    let property = shell::quoted(&outcome.property.to_string());
    headline(outcome) + &paragraph(&format!("`{} --property {property}` explains it.", command("explain")))
}

/// The explanation of an outcome. `command` writes a command about this model.
fn explained(outcome: &Outcome, command: &dyn Fn(&str) -> String) -> String {
    let mut text = headline(outcome) + &format!("{INDENT}{}\n", wrapped(&outcome.claim, "        "));
    // Writing to a string does not fail, here and below.
    // An invariant is assumed nothing, and has only paths against it.
    let on_a_path = |found: &Counterexample| matches!(found.kind, Kind::Path | Kind::Fault(_));
    let is_invariant =
        outcome.explanation.is_none() || outcome.counterexample.as_ref().is_some_and(on_a_path);
    if outcome.fairness != "none" || !is_invariant {
        let _ = writeln!(text, "{INDENT}{}", wrapped(&format!("under {}", outcome.fairness), "            "));
    }
    match (&outcome.explanation, &outcome.counterexample) {
        (Some(Explanation::Fails(failure)), Some(counterexample)) => {
            text += &run_text(failure, counterexample);
            if !counterexample.ledger.is_empty() {
                let _ = writeln!(text, "{}", heading("Why the run is fair"));
                text += &ledger::lines(&counterexample.ledger, INDENT);
            }
            if let Some(remedies) = &failure.remedies {
                text += &ruled_out(remedies, outcome, command);
            } else if counterexample.kind == Kind::Beginning {
                let _ = writeln!(text, "{}", heading("What would be enough"));
                text += &match enough_to_hold(failure) {
                    Some(sentence) => paragraph(&sentence),
                    None => paragraph(NOT_KNOWN) + &paragraph(&advised(outcome, command)),
                };
            }
        }
        // The notes below say all there is to say.
        (Some(Explanation::Holds(_)), _) if outcome.is_empty() => {}
        (Some(Explanation::Holds(support)), _) => text += &rests_on(support, &outcome.reasons),
        (_, Some(counterexample)) => {
            text += &paragraph(&ending(counterexample).unwrap_or_default());
        }
        (None, None) if outcome.verdict == Verdict::Holds && !outcome.is_empty() => {
            let _ = writeln!(text, "{}", heading("Why it holds"));
            text += &paragraph("It is true in every reachable state; fairness has no part in it.");
            text += &outcome.reasons.iter().map(|line| paragraph(line)).collect::<String>();
        }
        _ => {}
    }
    // What an engine used of an assumption that is not needed would contradict that.
    let needless =
        matches!(&outcome.explanation, Some(Explanation::Holds(it)) if it.without == Verdict::Holds);
    let is_news = |note: &&Note| {
        text::is_news(note, outcome)
            && **note != Note::WithoutFairness
            && !(needless && note.is_about_use_of_fairness())
    };
    let (how, news): (Vec<&Note>, Vec<&Note>) =
        outcome.notes.iter().filter(is_news).partition(|note| note.is_about_the_argument());
    for note in news {
        text.push('\n');
        text += &paragraph(&(capitalised(&note.to_string()) + "."));
    }
    if !how.is_empty() {
        let _ = writeln!(text, "{}", heading("How it was shown for every number of processes"));
    }
    for note in how {
        text += &paragraph(&(capitalised(&note.to_string()) + "."));
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
    let pieces = counterexample.trace.as_ref().map_or_else(Vec::new, |run| trace::pieces(run, trace::TEXT));
    for piece in pieces {
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
        let _ = writeln!(text, "{INDENT}{}", paint(BAD, wrapped(&ending, INDENT)));
    }
    if let Some(recurrence) = &counterexample.recurrence {
        let _ = writeln!(text, "{}", heading("Why it can go on for ever"));
        text += &paragraph(&recurrence.since());
        text +=
            &recurrence.sentences().iter().map(|line| paragraph(&format!("- {line}"))).collect::<String>();
    }
    if matches!(counterexample.kind, Kind::State) && counterexample.facts.len() > 1 {
        let _ = writeln!(text, "{}", heading("The formula, state by state"));
        text += &facts::lines(&counterexample.facts, INDENT);
    }
    match &failure.remedies {
        Some(_) => drop(writeln!(text, "{}", heading("Who acts and who does not"))),
        None if !failure.processes.is_empty() => {
            let _ = writeln!(text, "{}", heading("Who is blocked"));
            text += &paragraph(STOPPED);
        }
        None => {}
    }
    let cycle = failure.remedies.as_ref().map_or(0, |remedies| remedies.cycle);
    text + &failure.processes.iter().map(|process| paragraph(&fate(process, cycle))).collect::<String>()
}

/// What would rule the run out.
fn ruled_out(remedies: &Remedies, outcome: &Outcome, command: &dyn Fn(&str) -> String) -> String {
    let mut text = format!("{}\n", heading("What would rule this run out"));
    text += &paragraph(&remedy(remedies));
    let kinds = kinds(remedies);
    if !kinds.is_empty() {
        text += &paragraph(&kinds);
    }
    let may_be_enough =
        |(_, effect): &(FairnessOption, Effect)| matches!(effect, Effect::Holds | Effect::Unknown);
    if remedies.enough.is_some()
        || !kinds.is_empty() && (remedies.effects.is_empty() || remedies.effects.iter().any(may_be_enough))
    {
        text += &paragraph(&advised(outcome, command));
    }
    text
}

/// Where to find out what is enough.
fn advised(outcome: &Outcome, command: &dyn Fn(&str) -> String) -> String {
    format!(
        "`{} --property {}` lists what is enough, and says why.",
        command("advise"),
        shell::quoted(&outcome.property.to_string())
    )
}

/// What a property that holds rests on.
fn rests_on(support: &Support, reasons: &[String]) -> String {
    let mut text = format!("{}\n", heading("What it rests on"));
    text += &paragraph(&foundation(support));
    text += &reasons.iter().map(|line| paragraph(line)).collect::<String>();
    let width = support.dropped.iter().map(|dropped| need(dropped).len()).max().unwrap_or(0).max(10);
    let margin = " ".repeat(INDENT.len() + width + 4);
    for dropped in &support.dropped {
        let style = match dropped.verdict {
            Verdict::Fails => STRONG,
            Verdict::Holds => QUIET,
            Verdict::Unknown => UNSURE,
        };
        let _ = writeln!(
            text,
            "{INDENT}  {}  {}",
            paint(style, format!("{:width$}", need(dropped))),
            wrapped_at(&dropped.requirement, margin.len(), &margin)
        );
        if let Some(account) = dropped.account.as_ref().filter(|_| dropped.account != support.account) {
            let sentence = format!("without it {account}");
            let _ = writeln!(text, "{margin}{}", wrapped_at(&sentence, margin.len(), &margin));
        }
    }
    text += &needed_elsewhere(support).map_or_else(String::new, paragraph);
    let is_needless = |dropped: &&Dropped| dropped.verdict == Verdict::Holds && !dropped.brittle;
    if support.dropped.iter().filter(is_needless).count() > 1 {
        text += &paragraph(
            "What is not needed can be left out alone; `fairly advise` says what can be left out together.",
        );
    }
    text
}
