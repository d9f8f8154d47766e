//! Results for people: a line per property, and the run that shows it for a property that fails.
//!
//! The mark shows the answer (✓ holds, ✗ fails, ? unknown), its colour whether that is as expected. If several
//! members of a family fail in the same way, only the first member's run is shown; the others say how to see theirs.
//! A fault makes every property fail, and its path is shown once.

use std::fmt::Write;
use std::time::Duration;

use driver::report::{Kind, Labelled, Recurrence};
use driver::{Counterexample, Expect, Name, Note, Outcome, Verdict};

use crate::style::{BAD, GOOD, QUIET, STRONG, UNSURE, paint};
use crate::{facts, ledger, trace};

pub(crate) const INDENT: &str = "      ";

/// Shows the outcomes of one file one after the other.
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub(crate) struct Text {
    /// The width of the longest name.
    width: usize,
    /// The runs that were shown: the property, and a description of similar runs.
    shown: Vec<(Name, Likeness)>,
    /// Whether the last outcome was long and needs an empty line after it.
    long: bool,
    /// Whether to show what only explains how an answer was found.
    verbose: bool,
    /// Whether to show every step and every value in full.
    full: bool,
    /// Whether to say why a property holds.
    reasons: bool,
}

/// The reason why the runs of two properties are similar.
#[derive(PartialEq, Eq)]
enum Likeness {
    /// They lead to this fault.
    Fault(String),
    /// The properties are of this family, and both are as expected, or neither is.
    Family(String, bool),
}

impl Text {
    /// Shows properties with these names.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a Name>) -> Text {
        Text {
            width: names.map(|name| name.to_string().chars().count()).max().unwrap_or(0),
            shown: Vec::new(),
            long: false,
            verbose: false,
            full: false,
            reasons: false,
        }
    }

    /// The same, showing how answers were found or not, and runs in full or not.
    pub(crate) fn showing(self, verbose: bool, full: bool) -> Text {
        Text { verbose, full, ..self }
    }

    /// The same, saying why properties hold or not.
    pub(crate) fn giving_reasons(self, reasons: bool) -> Text {
        Text { reasons, ..self }
    }

    /// An outcome.
    pub(crate) fn outcome(&mut self, outcome: &Outcome) -> String {
        // Writing to a string does not fail, here and below.
        let mut text = if std::mem::take(&mut self.long) { "\n".to_owned() } else { String::new() };
        text += &headline(outcome, self.width);
        if let Some(counterexample) = &outcome.counterexample {
            let likeness = likeness(outcome, counterexample);
            match self.shown.iter().find(|(_, shown)| *shown == likeness) {
                Some((first, Likeness::Fault(_))) => {
                    let _ =
                        writeln!(text, "{INDENT}{}", paint(QUIET, format!("the fault shown for {first}")));
                }
                Some((_, Likeness::Family(..))) if counterexample.trace.is_none() => {}
                Some((_, Likeness::Family(..))) => {
                    let advice = format!("--property '{}' shows the run", outcome.property);
                    let _ = writeln!(text, "{INDENT}{}", paint(QUIET, advice));
                }
                None => {
                    self.shown.push((outcome.property.clone(), likeness));
                    self.long = true;
                    text += &evidence(&outcome.claim, &outcome.fairness, counterexample, self.full);
                }
            }
        }
        if self.verbose && !outcome.statistics.is_empty() {
            let counted = |(name, count): &(&str, u64)| format!("{} {name}", number(*count));
            let counted: Vec<String> = outcome.statistics.iter().map(counted).collect();
            let _ = writeln!(text, "{INDENT}{}", paint(QUIET, wrapped(&counted.join(", "), INDENT)));
        }
        if self.reasons && !outcome.reasons.is_empty() {
            self.long = true;
            for line in &outcome.reasons {
                let _ = writeln!(text, "{INDENT}  {}", wrapped_at(line, 8, "          "));
            }
        }
        if !outcome.labels.is_empty() {
            self.long = true;
            text += &labels(&outcome.labels);
        }
        for note in outcome.notes.iter().filter(|note| self.verbose || is_news(note, outcome)) {
            let _ = writeln!(text, "{INDENT}{}", wrapped(&note.to_string(), INDENT));
        }
        text
    }
}

/// Whether a note says something of the answer. Which engines gave up before another answered does not.
pub(crate) fn is_news(note: &Note, outcome: &Outcome) -> bool {
    outcome.verdict == Verdict::Unknown || !matches!(note, Note::GaveUp { .. })
}

/// The notes about a model as a whole.
pub(crate) fn notes(notes: &[Note]) -> String {
    let line =
        |note: &Note| format!("  {} {}\n", paint(UNSURE, "note:"), wrapped_at(&note.to_string(), 8, INDENT));
    let lines = notes.iter().map(line);
    if notes.is_empty() { String::new() } else { format!("\n{}", lines.collect::<String>()) }
}

fn likeness(outcome: &Outcome, counterexample: &Counterexample) -> Likeness {
    if let Kind::Fault(sentence) = &counterexample.kind {
        return Likeness::Fault(sentence.clone());
    }
    Likeness::Family(outcome.property.family.clone(), outcome.as_expected() == Some(true))
}

/// In which states the parts of a property are true.
fn labels(labels: &[Labelled]) -> String {
    let mut text = format!("\n{INDENT}Where its parts are true:\n");
    for Labelled { formula, holds, fails, whole } in labels {
        let _ = writeln!(text, "{INDENT}  {}", paint(STRONG, wrapped_at(formula, 8, "            ")));
        for (word, set) in [("true", holds), ("false", fails)] {
            let set = match (set.is_empty(), whole) {
                (true, true) => "nowhere",
                (true, false) => "nowhere, as far as is known",
                (false, _) => set,
            };
            let _ = writeln!(text, "{INDENT}    {word:5}  {}", wrapped_at(set, 17, "                 "));
        }
        if !whole {
            let _ = writeln!(text, "{INDENT}    {}", paint(QUIET, "elsewhere it is not known"));
        }
    }
    text
}

/// What is wrong at the end of a run that is shown, and how it can go on for ever if that is not shown.
pub(crate) fn at_the_end(counterexample: &Counterexample) -> String {
    let verdict = match &counterexample.kind {
        Kind::Lasso => None,
        Kind::Path if counterexample.facts.is_empty() => Some("here the invariant is false".to_owned()),
        Kind::Path => Some("here what is claimed of all states is false".to_owned()),
        Kind::Fault(sentence) => Some(format!("fault {sentence}")),
        Kind::State if counterexample.has_steps() => {
            Some("here a part of the formula decides that it is false in the initial state".to_owned())
        }
        Kind::State => Some("in this initial state the formula is false".to_owned()),
        Kind::Beginning => Some(match &counterexample.recurrence {
            Some(recurrence) => {
                format!("from state {} on the run can go on like this for ever", recurrence.from)
            }
            None => "from here the run can go on like this for ever".to_owned(),
        }),
        Kind::Prefix => Some(format!("{}; no fairness can help", counterexample.lost())),
    };
    let mut text = String::new();
    if let Some(verdict) = verdict {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "{INDENT}   {}", paint(BAD, format!("✗ {verdict}")));
    }
    for sentence in counterexample.recurrence.iter().flat_map(Recurrence::sentences) {
        let _ = writeln!(text, "{INDENT}     {}", wrapped_at(&sentence, 11, "               "));
    }
    text
}

/// A summary of all files, in one line, with the number of notes that are not accepted.
pub(crate) fn summary<'a>(outcomes: impl Iterator<Item = &'a Outcome>, refused_notes: usize) -> String {
    let (mut holds, mut fails, mut unknown, mut unexpected) = (0, 0, 0, 0);
    for outcome in outcomes {
        match outcome.verdict {
            Verdict::Holds => holds += 1,
            Verdict::Fails => fails += 1,
            Verdict::Unknown => unknown += 1,
        }
        unexpected += usize::from(outcome.as_expected() == Some(false));
    }
    let all = holds + fails + unknown;
    let mut parts = Vec::new();
    for (count, one, many) in [(holds, "holds", "hold"), (fails, "fails", "fail")] {
        if count > 0 {
            parts.push(format!("{} {}", number(count), if count == 1 { one } else { many }));
        }
    }
    if unknown > 0 {
        parts.push(format!("{} undecided", number(unknown)));
    }
    let properties = if all == 1 { "property" } else { "properties" };
    let (style, remark) = match (unexpected, unknown) {
        (0, 0) => (GOOD, "all as expected".to_owned()),
        (0, _) if unknown == all => (UNSURE, "nothing is known".to_owned()),
        (0, _) => (UNSURE, "the rest as expected".to_owned()),
        _ => (BAD, format!("{} not as expected", number(unexpected as u64))),
    };
    let refused = match refused_notes {
        0 => String::new(),
        1 => format!("; {}", paint(BAD, "1 note is not accepted")),
        many => format!("; {}", paint(BAD, format!("{many} notes are not accepted"))),
    };
    format!("{} {properties}: {}; {}{refused}\n", number(all), parts.join(", "), paint(style, remark))
}

/// A number with its thousands separated.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Mark, name, verdict, expectation, and further information in brackets.
fn headline(outcome: &Outcome, width: usize) -> String {
    let style = match outcome.as_expected() {
        Some(true) => GOOD,
        Some(false) if outcome.caveat().is_some() && outcome.expected != Some(Expect::Fails) => UNSURE,
        Some(false) => BAD,
        None => UNSURE,
    };
    let mark = match outcome.verdict {
        Verdict::Holds => "✓",
        Verdict::Fails => "✗",
        Verdict::Unknown => "?",
    };
    let expectation = match (outcome.expected, outcome.as_expected()) {
        (None, _) => String::new(),
        (Some(_), Some(true)) => format!("  {}", paint(QUIET, "as expected")),
        (Some(Expect::Holds), _) if outcome.caveat().is_some() => String::new(),
        (Some(expected), _) => format!("  {}", paint(style, format!("expected: {}", expected.name()))),
    };
    let brackets = brackets(outcome);
    format!(
        "  {} {}{:gap$}  {}{expectation}{brackets}\n",
        paint(style, mark),
        paint(STRONG, outcome.property.to_string()),
        "",
        paint(style, outcome.in_words()),
        gap = width.saturating_sub(outcome.property.to_string().chars().count()),
    )
}

fn brackets(outcome: &Outcome) -> String {
    match found_by(outcome) {
        Some(found_by) => format!("  {}", paint(QUIET, format!("[{found_by}]"))),
        None => String::new(),
    }
}

/// Who answered and how: the engine, whether the judge has checked it, the scope, the number of states, the time.
pub(crate) fn found_by(outcome: &Outcome) -> Option<String> {
    let engine = outcome.engine?;
    let mut parts = vec![engine.name().to_owned()];
    if outcome.verdict != Verdict::Unknown {
        parts.push(if outcome.checked { "checked" } else { "claimed" }.to_owned());
    }
    if outcome.scope != "this instance" {
        parts.push(outcome.scope.clone());
    }
    if let Some((_, states)) = outcome.statistics.iter().find(|(name, _)| *name == "states") {
        parts.push(format!("{} states", number(*states)));
    }
    parts.push(time(outcome.time));
    Some(parts.join(" · "))
}

/// The claim, the run against it, in full or not, and why that run is fair.
pub(crate) fn evidence(claim: &str, fairness: &str, counterexample: &Counterexample, full: bool) -> String {
    let mut text = format!("\n{INDENT}{}\n", wrapped(claim, "        "));
    if matches!(counterexample.kind, Kind::Lasso | Kind::State | Kind::Beginning) {
        let fairness = wrapped(&format!("under {fairness}"), "            ");
        let _ = writeln!(text, "{INDENT}{}", fairness.replacen("under", &paint(QUIET, "under"), 1));
    }
    text.push('\n');
    if let Some(run) = &counterexample.trace {
        let abridged = || trace::abridged(run, INDENT, trace::TEXT);
        text.push_str(&if full { trace::lines(run, INDENT) } else { abridged() });
    }
    text += &at_the_end(counterexample);
    if counterexample.facts.len() > 1 {
        let _ = writeln!(text, "\n{INDENT}The formula is false, state by state:");
        text.push_str(&facts::lines(&counterexample.facts, "        "));
    }
    if !counterexample.ledger.is_empty() {
        let _ = writeln!(text, "\n{INDENT}The loop is fair:");
        text.push_str(&ledger::lines(&counterexample.ledger, "        "));
    }
    text
}

/// For which values of parameters an answer is, after it in brackets; nothing if there are none.
pub(crate) fn scope(scope: &str) -> String {
    match scope {
        "this instance" => String::new(),
        scope => format!("  {}", paint(QUIET, format!("[{scope}]"))),
    }
}

/// A long text broken into lines between words. The first line follows [`INDENT`], the others `indent`.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    wrapped_at(text, INDENT.len(), indent)
}

/// The same with the first line starting at this column.
pub(crate) fn wrapped_at(text: &str, mut column: usize, indent: &str) -> String {
    let mut lines = String::new();
    for (number, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if number > 0 && column + 1 + width > trace::WIDTH {
            lines = format!("{lines}\n{indent}{word}");
            column = indent.len() + width;
        } else {
            let space = if number > 0 { " " } else { "" };
            lines = format!("{lines}{space}{word}");
            column += space.len() + width;
        }
    }
    lines
}

/// A time in a suitable unit.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use driver::model::fairness::Word;
    use driver::report::{Binding, Entry, Met, Spot, Step, Value};
    use driver::{EngineKind, Trace};

    use super::*;

    fn shared(name: &str, value: bool) -> Binding {
        Binding { spot: Spot::Variable(name.into()), value: Value::Bool(value) }
    }

    fn at(process: &str, location: &str) -> Binding {
        Binding { spot: Spot::Location(process.into()), value: Value::Member(location.to_owned()) }
    }

    /// A member of the family `live`.
    fn live(number: i64) -> Name {
        Name::from("live").member(&[number])
    }

    fn step(process: &str, label: &str, changes: Vec<Binding>) -> Step {
        Step {
            action: format!("{process}.{label}"),
            label: Some(label.to_owned()),
            processes: vec![process.to_owned()],
            declared: vec![],
            changes,
            forgotten: vec![],
        }
    }

    fn failing(property: impl Into<Name>) -> Outcome {
        let steps = vec![
            step("P[1]", "idle", vec![at("P[1]", "try")]),
            step("P[2]", "try", vec![shared("x", false), at("P[2]", "exit")]),
            step("P[1]", "look", vec![]),
            step("P[2]", "exit", vec![shared("x", true), at("P[2]", "try")]),
        ];
        let initial = vec![shared("x", true), at("P[1]", "idle"), at("P[2]", "try")];
        let entry = |requirement: &str, met| Entry {
            requirement: requirement.to_owned(),
            word: Some(Word::Weak),
            target: None,
            process: None,
            declared: 0,
            met,
        };
        Outcome {
            property: property.into(),
            claim: "G (P[1]@try -> F P[1]@crit)".to_owned(),
            verdict: Verdict::Fails,
            expected: Some(Expect::Fails),
            engine: Some(EngineKind::Explicit),
            checked: true,
            scope: "this instance".to_owned(),
            fairness: "for i in 1..2: weak P[i]".to_owned(),
            time: Duration::from_millis(12),
            statistics: vec![("states", 1234)],
            evidence: Some(driver::report::Evidence::Run),
            explanation: None,
            counterexample: Some(Counterexample {
                kind: Kind::Lasso,
                trace: Some(Trace { initial, steps, cycle: Some(1) }),
                facts: vec![],
                ledger: vec![entry("weak P[1]", Met::Taken(3)), entry("weak P[2].exit", Met::Disabled(2))],
                recurrence: None,
            }),
            reasons: vec![],
            labels: vec![],
            proof: None,
            notes: vec![],
            refusals: vec![],
            dispute: None,
            strict: false,
        }
    }

    #[test]
    fn a_lasso_is_shown_with_its_loop_and_why_it_is_fair() {
        let shown = Text::new([live(1), live(2)].iter()).outcome(&failing(live(1)));
        let expected = "  ✗ live[1]  fails  as expected  [explicit · checked · 1,234 states · 0.01 s]

      G (P[1]@try -> F P[1]@crit)
      under for i in 1..2: weak P[i]

          0              x = true, P[1]@idle, P[2]@try
          1  P[1].idle   P[1]@try
      ╭─  2  P[2].try    x = false, P[2]@exit
      │   3  P[1].look   nothing changes
      │   4  P[2].exit   x = true, P[2]@try
      ╰─ again from step 2

      The loop is fair:
        weak P[1]        taken at step 3
        weak P[2].exit   disabled before step 2
";
        assert_eq!(strip_str(&shown).to_string(), expected);
    }

    #[test]
    fn one_run_is_shown_per_family_unless_another_is_a_surprise() {
        let mut text = Text::new([live(1)].iter());
        assert!(text.outcome(&failing(live(1))).contains("again from step 2"));
        let second = text.outcome(&failing(live(2)));
        assert!(!second.contains("again from step 2") && second.contains("--property 'live[2]'"), "{second}");
        let surprise = Outcome { expected: Some(Expect::Holds), ..failing(live(3)) };
        assert!(text.outcome(&surprise).contains("again from step 2"));
    }

    #[test]
    fn the_path_to_a_fault_is_shown_once() {
        let faulty = |property: &str| {
            let mut outcome = failing(property);
            if let Some(counterexample) = &mut outcome.counterexample {
                counterexample.kind = Kind::Fault("in P[1].try: division by zero".to_owned());
            }
            outcome
        };
        let mut text = Text::new(["a".into()].iter());
        assert!(text.outcome(&faulty("a")).contains("✗ fault in P[1].try: division by zero"));
        let second = text.outcome(&faulty("b"));
        assert!(strip_str(&second).to_string().contains("fails by a fault"), "{second}");
        assert!(second.contains("the fault shown for a"), "{second}");
    }

    #[test]
    fn the_summary_counts_what_is_not_as_expected_and_what_is_undecided() {
        let good = failing("a");
        let bad = Outcome { expected: None, ..failing("b") };
        let open = Outcome { verdict: Verdict::Unknown, counterexample: None, ..failing("c") };
        let line = |outcomes: &[&Outcome]| strip_str(&summary(outcomes.iter().copied(), 0)).to_string();
        assert_eq!(line(&[&good]), "1 property: 1 fails; all as expected\n");
        assert_eq!(line(&[&good, &open]), "2 properties: 1 fails, 1 undecided; the rest as expected\n");
        assert_eq!(line(&[&good, &bad, &open]), "3 properties: 2 fail, 1 undecided; 1 not as expected\n");
    }

    #[test]
    fn a_long_text_is_broken_between_words() {
        let text = wrapped(&["word"; 40].join(" "), "  ");
        assert!(text.lines().all(|line| line.chars().count() <= trace::WIDTH - INDENT.len() + 2), "{text}");
        assert_eq!(text.lines().count(), 3);
        assert_eq!(text.split_whitespace().count(), 40);
        assert_eq!(wrapped("short", "  "), "short");
    }

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn times_are_shown_in_a_fitting_unit() {
        for (millis, text) in [(4, "0.00 s"), (1234, "1.23 s"), (61_000, "61.0 s"), (125_000, "2 min 5 s")] {
            assert_eq!(time(Duration::from_millis(millis)), text);
        }
    }
}
