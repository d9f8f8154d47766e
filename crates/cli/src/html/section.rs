//! The section of a property: why it fails and what to assume instead, or what it rests on.
//!
//! The order is that of a reader's questions: what is wrong, in a few sentences; what to assume instead; then the run
//! itself, why it is fair, and what would rule it out.

use std::fmt::Write;

use driver::advise::Needs;
use driver::advise::words;
use driver::explain::{
    Dropped, Explanation, Failure, Fate, LeftOut, Remedies, STOPPED, Support, fate, foundation, kinds, remedy,
};
use driver::report::{Entry, Kind, Labelled, Note};
use driver::{Advice, Counterexample, Outcome, Verdict};

use super::{code, diagram, prose, sign};
use crate::markup::escaped;
use crate::{facts, ledger, text};

/// The section of a property.
pub(super) fn section(
    outcome: &Outcome,
    advice: Option<&Advice>,
    anchor: &str,
    line: &diagram::LineOf<'_>,
) -> String {
    let (sign, class, expectation) = sign(outcome);
    let comma = if expectation.is_empty() { "" } else { ", " };
    let mut text = format!(
        "<section id=\"{anchor}\">\n<h2>{} <span class=\"verdict {class}\"><b aria-hidden=\"true\">{sign}</b> {}{comma}{expectation}</span></h2>\n\
         <p class=\"claim\"><code>{}</code><br><small>assuming <code>{}</code></small>{}</p>\n",
        escaped(&outcome.property.to_string()),
        outcome.in_words(),
        code(&outcome.claim),
        code(&outcome.fairness),
        text::found_by(outcome).map_or_else(String::new, |found| {
            let evidence = outcome.evidence.map(|evidence| format!(" · evidence: {}", evidence.name()));
            format!("<br><small class=\"found\">{}{}</small>", escaped(&found), evidence.unwrap_or_default())
        }),
    );
    match (&outcome.explanation, &outcome.counterexample) {
        (Some(Explanation::Fails(failure)), Some(counterexample)) => {
            text += &fails(failure, counterexample, advice, line);
        }
        // The notes below say all there is to say.
        _ if outcome.is_empty() => {}
        (Some(Explanation::Holds(support)), _) => text += &holds(support, &outcome.reasons),
        (None, Some(counterexample)) => text += &paragraph(&ending(&counterexample.kind)),
        (None | Some(Explanation::Fails(_)), None) => {
            if outcome.verdict == Verdict::Holds {
                text += &paragraph("It is true in every reachable state; fairness has no part in it.");
                text += &outcome.reasons.iter().map(|line| paragraph(line)).collect::<String>();
            }
        }
    }
    if !outcome.labels.is_empty() {
        text += &labels(&outcome.labels);
    }
    let is_news = |note: &&Note| text::is_news(note, outcome) && **note != Note::WithoutFairness;
    for note in outcome.notes.iter().filter(is_news) {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "<p class=\"note\"><b>Note</b> {}.</p>", prose(&note.to_string()));
    }
    text + "</section>\n"
}

/// In which states the parts of a property are true.
fn labels(labels: &[Labelled]) -> String {
    let mut text = "<h3>Where its parts are true</h3>\n<div class=\"scroll\"><table class=\"fair\"><thead><tr>\
         <th scope=\"col\">Part</th><th scope=\"col\">True</th><th scope=\"col\">False</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for Labelled { formula, holds, fails, whole } in labels {
        let open = if *whole { "" } else { "; elsewhere it is not known" };
        let shown = |set: &str| if set.is_empty() { "nowhere".to_owned() } else { prose(set) };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}{open}</td></tr>",
            code(formula),
            shown(holds),
            shown(fails),
        );
    }
    text + "</tbody></table></div>\n"
}

fn paragraph(words: &str) -> String {
    format!("<p>{}</p>\n", prose(words))
}

fn fails(
    failure: &Failure,
    counterexample: &Counterexample,
    advice: Option<&Advice>,
    line: &diagram::LineOf<'_>,
) -> String {
    let mut text = String::new();
    if let Some(remedies) = &failure.remedies {
        text += "<h3>What goes wrong</h3>\n<p>There is a run that is fair and violates the claim. On its loop, which repeats \
             for ever:</p>\n";
        text += &fates(failure);
        let waits = |fate: &Fate| matches!(fate, Fate::Starves { .. } | Fate::Blocked(_));
        if !failure.processes.iter().any(|process| waits(&process.fate))
            && let Some(LeftOut { before, action, .. }) = &remedies.left_out
        {
            text += &paragraph(&format!(
                "Nobody starves or is blocked; but before step {before} `{action}` could lead elsewhere, and on this run it never does."
            ));
        }
        text += &instead(remedies, advice);
    } else {
        text += &paragraph(&ending(&counterexample.kind));
        if !failure.processes.is_empty() {
            text += &paragraph(STOPPED);
            text += &fates(failure);
        }
    }
    if let Some(trace) = &counterexample.trace {
        text += "<h3>The run</h3>\n";
        text += &diagram::diagram(trace, failure, &counterexample.kind, line);
    }
    if let Some(recurrence) = &counterexample.recurrence {
        text += "<h3>Why it can go on for ever</h3>\n";
        let _ = write!(text, "<p>{}</p>\n<ul>\n", recurrence.since());
        for sentence in recurrence.sentences() {
            let _ = writeln!(text, "<li>{}</li>", prose(&sentence));
        }
        text += "</ul>\n";
    }
    if matches!(counterexample.kind, Kind::State) && counterexample.facts.len() > 1 {
        text += "<h3>The formula, state by state</h3>\n";
        let lines = anstream::adapter::strip_str(&facts::lines(&counterexample.facts, "")).to_string();
        let _ = writeln!(text, "<pre>{}</pre>", escaped(lines.trim_end()));
    }
    if !counterexample.ledger.is_empty() {
        text += &fair(&counterexample.ledger);
    }
    if let Some(remedies) = &failure.remedies {
        text += &ruled_out(remedies);
    }
    text
}

/// What becomes of the processes.
fn fates(failure: &Failure) -> String {
    let cycle = failure.remedies.as_ref().map_or(0, |remedies| remedies.cycle);
    let mut text = "<ul class=\"plights\">\n".to_owned();
    for process in &failure.processes {
        let class = match process.fate {
            Fate::Starves { .. } => "starves",
            Fate::Blocked(_) => "blocked",
            Fate::Acts(_) | Fate::Rests(_) | Fate::Outside { .. } | Fate::Ended => "",
        };
        let _ = writeln!(text, "<li class=\"{class}\">{}</li>", prose(&fate(process, cycle)));
    }
    text + "</ul>\n"
}

fn ending(kind: &Kind) -> String {
    match kind {
        Kind::Lasso | Kind::Beginning => "There is a fair run that violates it.".to_owned(),
        Kind::Path => {
            "A state can be reached in which the invariant is false; fairness has no part in it.".to_owned()
        }
        Kind::Fault(sentence) => format!("A fault can be reached, {sentence}; fairness has no part in it."),
        Kind::Prefix => {
            "After the last step of this path the property is false, whatever follows; no fairness can \
                         help."
                .to_owned()
        }
        Kind::State => "There is an initial state in which the formula is false.".to_owned(),
    }
}

/// What to assume instead.
fn instead(remedies: &Remedies, advice: Option<&Advice>) -> String {
    let mut text = "<h3>What to assume instead</h3>\n".to_owned();
    let Some(advice) = advice else {
        return text + &paragraph(&remedy(remedies));
    };
    match advice.needs {
        Needs::Some | Needs::Global if !advice.minimal.is_empty() => {
            text += &words::present(advice).map_or_else(String::new, |sentence| paragraph(&sentence));
            let several = advice.minimal.len() > 1;
            let mut less = None;
            let sentence = if advice.needs == Needs::Global {
                let said = words::beyond_strong(advice);
                if !said.offers_global {
                    return text + &paragraph(&said.sentence);
                }
                less = said.less;
                said.sentence
            } else if several {
                "Under any one of these alone the property holds, and no part of it can be left out:"
                    .to_owned()
            } else {
                "Under this alone the property holds, and no part of it can be left out:".to_owned()
            };
            text += &paragraph(&sentence);
            for (number, requirements) in advice.minimal.iter().enumerate() {
                text += &declaration(advice, requirements);
                text += &words::brittle(advice, number).map_or_else(String::new, paragraph);
                if let Some((_, premise)) = advice.vacuous.iter().find(|(set, _)| *set == number) {
                    let premise = escaped(premise);
                    let _ = writeln!(text, "<p>Vacuous: under it <code>{premise}</code> never happens.</p>");
                }
            }
            text += &less.map_or_else(String::new, |less| paragraph(&less));
            if let Some(requirements) = &advice.if_it_ends {
                text += &declaration(advice, requirements);
            }
            text += &words::beside(advice).iter().map(|sentence| paragraph(sentence)).collect::<String>();
            if let Some(requirements) = &advice.for_family {
                let _ = writeln!(text, "<p>Enough for all of {}:</p>", escaped(&advice.property.family));
                text += &declaration(advice, requirements);
            }
        }
        Needs::Nothing | Needs::Branching | Needs::Hopeless(_) => {
            let said = words::needs(advice).into_iter().chain(words::present(advice));
            text += &said.map(|sentence| paragraph(&sentence)).collect::<String>();
        }
        Needs::Some | Needs::Global | Needs::More | Needs::Excluded | Needs::Unknown => {
            text += &paragraph(&remedy(remedies));
            text += "<p>Whether that is enough was not decided here; <code>fairly advise</code> takes its time.</p>\n";
        }
    }
    text
}

/// An assumption in a form that can be pasted.
fn declaration(advice: &Advice, requirements: &[String]) -> String {
    let requirements: Vec<String> = requirements.iter().map(|one| escaped(one)).collect();
    let (word, end) = words::clause(advice);
    format!("<pre class=\"assume\">{word} {}{end}</pre>\n", requirements.join("\n       &amp; "))
}

/// How the cycle meets each requirement.
fn fair(entries: &[Entry]) -> String {
    let mut text = "<h3>Why the run is fair</h3>\n<div class=\"scroll\"><table class=\"fair\"><thead><tr>\
         <th scope=\"col\">Requirement</th><th scope=\"col\">How the loop meets it</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for (requirement, how) in ledger::rows(entries) {
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>",
            code(&requirement),
            escaped(&how)
        );
    }
    text + "</tbody></table></div>\n"
}

/// What would rule the run out.
fn ruled_out(remedies: &Remedies) -> String {
    let text = format!("<h3>What would rule this run out</h3>\n{}", paragraph(&remedy(remedies)));
    let kinds = kinds(remedies);
    if kinds.is_empty() { text } else { text + &paragraph(&kinds) }
}

/// What a property that holds rests on.
fn holds(support: &Support, reasons: &[String]) -> String {
    let mut text = paragraph(&foundation(support));
    text += &reasons.iter().map(|line| paragraph(line)).collect::<String>();
    if support.dropped.is_empty() {
        return text;
    }
    text += "<div class=\"scroll\"><table class=\"fair\"><thead><tr><th scope=\"col\">Requirement</th>\
         <th scope=\"col\">Needed</th><th scope=\"col\">Without it</th></tr></thead>\n<tbody>\n";
    for Dropped { requirement, verdict, account, brittle } in &support.dropped {
        let needed = match verdict {
            Verdict::Fails => "yes",
            Verdict::Holds if *brittle => "not here",
            Verdict::Holds => "no",
            Verdict::Unknown => "not known",
        };
        let without = match (verdict, account) {
            (_, Some(account)) => account.as_str(),
            (Verdict::Holds, None) if *brittle => {
                "it still holds, but only because nothing else can move meanwhile"
            }
            (Verdict::Holds, None) => "it still holds",
            (_, None) => "",
        };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\"><code>{}</code></th><td>{needed}</td><td>{}</td></tr>",
            code(requirement),
            escaped(without)
        );
    }
    text + "</tbody></table></div>\n"
}
