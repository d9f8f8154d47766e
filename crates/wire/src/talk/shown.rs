//! What the session found, as events for the page.

use driver::advise;
use driver::explain::{Explanation, Remedies, words};
use driver::graph::{LassoPart, StateGraph};
use driver::report::Trace;
use driver::truth::Part;
use driver::{Advice, Note, Outcome, Report, Severity};
use fairly::session::{
    self, Asked, Continuation, Document, Judged, Kind, Symbol, SymbolKind, Walked, beginning, complete,
};
use serde::Serialize;

use super::offsets::Offsets;
use super::run::{Run, Taken, offer, run};
use super::written;
use crate::results::{self, Pairs};

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[allow(clippy::large_enum_variant)] // one at a time, and written at once
enum Event<'a> {
    Opened {
        diagnostics: Vec<Marked<'a>>,
        outline: Vec<Declared<'a>>,
        properties: Vec<Named<'a>>,
        /// The files that the text names.
        files: Vec<&'a str>,
        /// The language, if it is not ours: then the page does not offer to write into the text.
        language: Option<&'static str>,
    },
    Outcome {
        fairness: &'a str,
        words: String,
        as_expected: Option<bool>,
        result: results::Result<'a>,
        claim: &'a str,
        run: Option<Run<'a>>,
        story: Option<Story<'a>>,
    },
    Completed {
        from: usize,
        options: Vec<Offer<'a>>,
    },
    Notes {
        notes: Vec<String>,
    },
    Advice {
        #[serde(flatten)]
        advice: crate::advice::Entry<'a>,
        claim: &'a str,
        /// What to do about the present assumption.
        present: Option<String>,
        /// What it needs, in a sentence; nothing if that is a choice of requirements.
        says: Option<String>,
        /// How to assume less than strong global fairness.
        less: Option<String>,
        /// Whether strong global fairness is offered.
        offers_global: bool,
        /// Further sentences about the sets.
        beside: Vec<String>,
    },
    Graph {
        states: Vec<Pairs<String, String>>,
        levels: &'a [usize],
        fair: &'a [bool],
        faulty: Vec<usize>,
        steps: Vec<Arrow<'a>>,
        refuted: bool,
    },
    Walked {
        run: Run<'a>,
        choices: &'a [usize],
        ending: Option<&'static str>,
        fault: Option<&'a str>,
        offers: Vec<Offered<'a>>,
    },
    Truth {
        parts: Vec<Truth<'a>>,
        watches: Vec<Watched<'a>>,
    },
    Loaded {
        run: Run<'a>,
        property: Option<&'a str>,
        judged: Option<&'static str>,
        why: Option<&'a str>,
        fairness: Vec<results::Fair<'a>>,
    },
}

#[derive(Serialize)]
struct Marked<'a> {
    severity: &'static str,
    message: &'a str,
    label: &'a str,
    help: Option<&'a str>,
    span: Option<[usize; 2]>,
}

#[derive(Serialize)]
struct Declared<'a> {
    kind: &'static str,
    name: &'a str,
    at: [usize; 2],
    span: [usize; 2],
    children: Vec<Declared<'a>>,
}

/// A property, or a member of a family, and where it is declared.
#[derive(Serialize)]
struct Named<'a> {
    name: String,
    family: &'a str,
    span: Option<[usize; 2]>,
}

/// A counterexample, or the reasons for an answer, in sentences.
#[derive(Serialize)]
struct Story<'a> {
    beginning: Option<&'a str>,
    steps: &'a [String],
    fates: Vec<Fate<'a>>,
    remedy: Option<String>,
    /// Assumptions that rule the run out, as they would be declared.
    assumptions: Vec<String>,
    foundation: Option<String>,
    dropped: Vec<(&'a str, &'static str)>,
}

#[derive(Serialize)]
struct Fate<'a> {
    process: &'a str,
    kind: &'static str,
    sentence: String,
    could_act: &'a [usize],
}

/// Something that can be written.
#[derive(Serialize)]
struct Offer<'a> {
    label: &'a str,
    kind: &'static str,
    detail: &'static str,
}

#[derive(Serialize)]
struct Arrow<'a> {
    from: usize,
    to: usize,
    action: &'a str,
    part: Option<&'static str>,
}

#[derive(Serialize)]
struct Offered<'a> {
    #[serde(flatten)]
    step: Taken<'a>,
    fault: Option<&'a str>,
}

#[derive(Serialize)]
#[allow(clippy::struct_field_names)] // the page knows it by this name
struct Truth<'a> {
    property: &'a str,
    formula: &'a str,
    depth: usize,
    truth: &'a [Option<bool>],
}

#[derive(Serialize)]
struct Watched<'a> {
    text: &'a str,
    values: Option<&'a [Option<String>]>,
    wrong: Option<&'a str>,
}

pub(super) fn opened(document: &Document) -> String {
    let offsets = Offsets::new(&document.text);
    let diagnostics = document.diagnostics.iter().map(|it| Marked {
        severity: if it.severity == Severity::Error { "error" } else { "warning" },
        message: &it.message,
        label: &it.label,
        help: it.help.as_deref(),
        span: it.span.map(|span| offsets.span(span)),
    });
    let span = |family: &str| {
        let is_claim = |it: &Symbol| matches!(it.kind, SymbolKind::Property | SymbolKind::Invariant);
        let found = document.outline.iter().find(|it| it.name == family && is_claim(it));
        // What a translation adds stands nowhere in the text.
        found.filter(|it| it.span.start < it.span.end).map(|symbol| offsets.span(symbol.span))
    };
    let properties = document.properties().map(|name| Named {
        name: name.to_string(),
        family: &name.family,
        span: span(&name.family),
    });
    written(&Event::Opened {
        diagnostics: diagnostics.collect(),
        outline: declared(&document.outline, &offsets),
        properties: properties.collect(),
        files: document.files().collect(),
        language: (!document.is_ours()).then(|| document.language.name()),
    })
}

fn declared<'a>(symbols: &'a [Symbol], offsets: &Offsets<'_>) -> Vec<Declared<'a>> {
    let one = |symbol: &'a Symbol| Declared {
        kind: symbol.kind.name(),
        name: &symbol.name,
        at: offsets.span(symbol.name_span),
        span: offsets.span(symbol.span),
        children: declared(&symbol.children, offsets),
    };
    symbols.iter().map(one).collect()
}

pub(super) fn completed(document: &Document, byte: usize) -> String {
    let found = complete(document, byte);
    let options = found.iter().map(|it| Offer {
        label: &it.text,
        kind: match it.kind {
            None => "keyword",
            Some(Kind::Process | Kind::Record) => "class",
            Some(Kind::Constant | Kind::Parameter | Kind::Member) => "constant",
            Some(Kind::Enum) => "enum",
            Some(Kind::Definition | Kind::Macro) => "function",
            Some(Kind::Label | Kind::Action | Kind::Fairness) => "property",
            Some(_) => "variable",
        },
        detail: it.detail,
    });
    let from = beginning(&document.text[..byte]);
    let from = Offsets::new(&document.text).of(from);
    written(&Event::Completed { from, options: options.collect() })
}

pub(super) fn outcome(document: &Document, asked: &Asked, outcome: &Outcome) -> String {
    let trace = outcome.counterexample.as_ref().and_then(|found| found.trace.as_ref());
    written(&Event::Outcome {
        fairness: asked.fairness.name(),
        words: outcome.in_words(),
        as_expected: outcome.as_expected(),
        result: results::result(&document.name, outcome),
        claim: &outcome.claim,
        run: trace.map(|trace| run(document, trace)),
        story: outcome.explanation.as_ref().map(story),
    })
}

fn story(explanation: &Explanation) -> Story<'_> {
    match explanation {
        Explanation::Fails(failure) => {
            let cycle = failure.remedies.as_ref().map_or(0, |remedies| remedies.cycle);
            let fates = failure.processes.iter().map(|process| Fate {
                sentence: driver::explain::fate(process, cycle),
                process: process.name.as_str(),
                kind: match process.fate {
                    driver::explain::Fate::Acts(_) => "acts",
                    driver::explain::Fate::Starves { .. } => "starves",
                    driver::explain::Fate::Rests(_) | driver::explain::Fate::Outside { .. } => "rests",
                    driver::explain::Fate::Blocked(_) => "blocked",
                    driver::explain::Fate::Ended => "ended",
                },
                could_act: &process.could_act,
            });
            Story {
                beginning: Some(&failure.beginning),
                steps: &failure.steps,
                fates: fates.collect(),
                remedy: failure
                    .remedies
                    .as_ref()
                    .map_or_else(|| words::enough_to_hold(failure), |remedies| Some(words::remedy(remedies))),
                assumptions: failure.remedies.iter().flat_map(Remedies::assumptions).collect(),
                foundation: None,
                dropped: Vec::new(),
            }
        }
        Explanation::Holds(support) => {
            let dropped = support.dropped.iter();
            Story {
                beginning: None,
                steps: &[],
                fates: Vec::new(),
                remedy: None,
                assumptions: Vec::new(),
                foundation: Some(words::foundation(support)),
                dropped: dropped.map(|it| (it.requirement.as_str(), words::need(it))).collect(),
            }
        }
    }
}

pub(super) fn notes(report: &Report) -> String {
    written(&Event::Notes { notes: report.notes.iter().map(Note::to_string).collect() })
}

pub(super) fn advice(advice: &Advice) -> String {
    let beyond = (advice.needs == advise::Needs::Global).then(|| advise::words::beyond_strong(advice));
    written(&Event::Advice {
        advice: crate::advice::entry(advice),
        claim: &advice.claim,
        present: advise::words::present(advice),
        says: advise::words::needs(advice),
        less: beyond.as_ref().and_then(|beyond| beyond.less.clone()),
        offers_global: beyond.is_some_and(|beyond| beyond.offers_global),
        beside: advise::words::beside(advice),
    })
}

pub(super) fn graph(graph: &StateGraph) -> String {
    let steps = graph.steps.iter().map(|step| Arrow {
        from: step.from,
        to: step.to,
        action: &step.action,
        part: step.part.map(|part| match part {
            LassoPart::Stem => "stem",
            LassoPart::Cycle => "cycle",
        }),
    });
    written(&Event::Graph {
        states: graph.states.iter().map(|state| results::texts(state)).collect(),
        levels: &graph.levels,
        fair: &graph.fair,
        faulty: graph.faulty.iter().copied().collect(),
        steps: steps.collect(),
        refuted: graph.refuted,
    })
}

pub(super) fn walked(document: &Document, walked: &Walked) -> String {
    let (ending, fault, offers) = match &walked.next {
        Continuation::Steps(offers) => (None, None, offers.as_slice()),
        Continuation::Deadlock => (Some("deadlock"), None, &[][..]),
        Continuation::Fault(fault) => (Some("fault"), Some(fault.as_str()), &[][..]),
    };
    let offers = offers.iter().map(|it| Offered { step: offer(&it.step), fault: it.fault.as_deref() });
    written(&Event::Walked {
        run: run(document, &walked.trace),
        choices: &walked.choices,
        ending,
        fault,
        offers: offers.collect(),
    })
}

/// The parts of each property, and the values of watched expressions.
pub(super) fn truth(found: &session::Truth, watches: &[String]) -> String {
    let parts = found.parts.iter().flat_map(|(property, parts)| {
        parts.iter().map(move |Part { formula, depth, truth }| Truth {
            property,
            formula,
            depth: *depth,
            truth,
        })
    });
    let watches = watches.iter().zip(&found.watched).map(|(text, values)| Watched {
        text,
        values: values.as_deref().ok(),
        wrong: values.as_ref().err().map(String::as_str),
    });
    written(&Event::Truth { parts: parts.collect(), watches: watches.collect() })
}

pub(super) fn loaded(
    document: &Document,
    trace: &Trace,
    property: Option<&str>,
    judged: Option<&Judged>,
) -> String {
    let (judged, why, fairness) = match judged {
        None => (None, None, Vec::new()),
        Some(Judged::Genuine(found)) => {
            (Some("genuine"), None, found.ledger.iter().map(results::requirement).collect())
        }
        Some(Judged::Refused(why)) => (Some("refused"), Some(why.as_str()), Vec::new()),
        Some(Judged::Open(why)) => (Some("open"), Some(why.as_str()), Vec::new()),
    };
    written(&Event::Loaded { run: run(document, trace), property, judged, why, fairness })
}
