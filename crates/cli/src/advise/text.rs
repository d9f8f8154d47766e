//! Advice for people: the ladder as one table, then what each property needs.
//!
//! Properties with the same claim are shown together, since they differ only in their fairness. If the members of a
//! family need the same kind of fairness, only the first one is shown in full.

use std::fmt::Write;

use driver::advise::words;
use driver::advise::{AdditionKind, Extent, Hopeless, Needs, RUNGS};
use driver::explain::{capitalised, listed};
use driver::report::brief;
use driver::{Advice, Expect, FairnessOption, Verdict};

use crate::style::{BAD, GOOD, QUIET, STRONG, UNSURE, paint};
use crate::text::{INDENT, wrapped};
use crate::{text, trace};

/// The indentation of a declaration and of its further lines.
const DECLARATION: &str = "          ";

/// The advice on a file.
pub(crate) fn report(path: &str, advice: &[Advice]) -> String {
    let mut text = format!("{}\n", paint(STRONG, path));
    if advice.is_empty() {
        return text + "  there is nothing to advise on: no property is declared\n";
    }
    text += &table(advice);
    let mut covered: Vec<&str> = Vec::new();
    for (number, first) in advice.iter().enumerate() {
        if covered.contains(&first.claim.as_str()) {
            continue;
        }
        let rest = &advice[number..];
        let same: Vec<&Advice> = rest.iter().filter(|other| other.claim == first.claim).collect();
        // The members of a family differ only in names.
        let is_alike = |other: &&Advice| {
            other.claim != first.claim && family(other) == family(first) && other.needs == first.needs
        };
        let alike: Vec<&Advice> = rest.iter().filter(is_alike).collect();
        covered.extend(same.iter().chain(&alike).map(|other| other.claim.as_str()));
        text += &section(&same, &alike);
    }
    text
}

fn family(advice: &Advice) -> &str {
    &advice.property.family
}

/// The names of properties with the same claim.
fn heading(same: &[&Advice]) -> String {
    let names: Vec<String> = same.iter().map(|advice| paint(STRONG, advice.property.to_string())).collect();
    format!("  {}", names.join(", "))
}

/// The ladder of all properties.
fn table(advice: &[Advice]) -> String {
    let width = advice.iter().map(|advice| advice.property.to_string().chars().count()).max().unwrap_or(0);
    let mut text = format!("\n  {:width$}", "");
    for rung in RUNGS {
        let _ = write!(text, "  {}", paint(QUIET, rung.name()));
    }
    text.push('\n');
    for advice in advice {
        let gap = width - advice.property.to_string().chars().count();
        let _ = write!(text, "  {}{:gap$}", paint(STRONG, advice.property.to_string()), "");
        for rung in RUNGS {
            let (style, mark) = match advice.ladder.verdict(rung) {
                Verdict::Holds => (GOOD, "✓"),
                Verdict::Fails => (BAD, "✗"),
                Verdict::Unknown => (UNSURE, "?"),
            };
            let room = rung.name().chars().count();
            // If nothing is declared, the last column would only repeat the first.
            let (style, mark) = if rung == FairnessOption::Declared && !advice.declares {
                (QUIET, "·")
            } else {
                (style, mark)
            };
            let before = (room - 1) / 2;
            let _ = write!(
                text,
                "  {:before$}{}{:after$}",
                "",
                paint(style, mark),
                "",
                after = room - 1 - before
            );
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let mut legend = "  Each kind alone; in a model, process-weak is `weak processes` and weak is `weak all`. The last\n  column is what the property assumes: its `under`, or else what the model declares (· is nothing).".to_owned();
    let fails_with_more = |advice: &Advice| {
        let of = |rung| advice.ladder.verdict(rung);
        let more = [FairnessOption::Weak, FairnessOption::Strong].map(of);
        of(FairnessOption::None) == Verdict::Holds && more.contains(&Verdict::Fails)
    };
    if advice.iter().any(fails_with_more) {
        legend +=
            "\n  A claim that some run exists may fail with more fairness, because fewer runs are fair.";
    }
    let global_is_less = |advice: &Advice| {
        let of = |rung| advice.ladder.verdict(rung);
        let some = [FairnessOption::Weak, FairnessOption::Strong].map(of).contains(&Verdict::Holds);
        of(FairnessOption::None) == Verdict::Fails && some && of(FairnessOption::Global) == Verdict::Fails
    };
    if advice.iter().any(global_is_less) {
        legend += "\n  Where states are infinitely many, global asks nothing of a run that comes back to none of them; so it\n  can be less than weak and strong.";
    }
    text + &paint(QUIET, legend) + "\n"
}

/// The text about properties with the same claim, with a word on those that are alike.
fn section(same: &[&Advice], alike: &[&Advice]) -> String {
    let advice = same[0];
    let scope = text::scope(&advice.scope);
    let mut text = format!("\n{}{scope}\n", heading(same));
    let _ = writeln!(text, "{INDENT}{}\n", wrapped(&advice.claim, "        "));
    let fails = |advice: &&Advice| {
        advice.expected == Some(Expect::Fails)
            && advice.ladder.verdict(FairnessOption::Declared) == Verdict::Fails
    };
    if same.iter().all(fails) {
        let _ = writeln!(text, "{INDENT}{}\n", paint(QUIET, "It fails, as expected."));
    }
    for advice in same {
        let about = declared(advice, same.len() > 1);
        if !about.is_empty() {
            text += &about;
            text.push('\n');
        }
    }
    // What is enough beyond weak and strong fairness is of interest to those that do not assume it.
    let lacks = |advice: &&&Advice| advice.ladder.verdict(FairnessOption::Declared) == Verdict::Fails;
    let asking =
        same.iter().find(|advice| lacks(advice) && matches!(advice.needs, Needs::Global | Needs::Branching));
    // What the only set asks for may be what is assumed, and that has been said.
    let is_said = advice.declares
        && advice.needs == Needs::Some
        && advice.minimal == [vec![advice.declared.clone()]]
        && advice.beside.is_none()
        && advice.vacuous.is_empty();
    if is_said {
        text += reasons(advice).trim_start_matches('\n');
    } else {
        text += &needs(asking.unwrap_or(&advice));
    }
    text += &others(advice, alike);
    let mut notes: Vec<&driver::Note> = Vec::new();
    for note in same.iter().flat_map(|advice| &advice.notes) {
        if !notes.contains(&note) {
            notes.push(note);
            let _ = writeln!(text, "\n{INDENT}{}", wrapped(&(capitalised(&note.to_string()) + "."), INDENT));
        }
    }
    text
}

/// What the other members of a family need, and what is enough for all of them.
fn others(advice: &Advice, alike: &[&Advice]) -> String {
    let mut text = String::new();
    if let Some(next) = alike.first() {
        let names: Vec<String> = alike.iter().map(|other| other.property.to_string()).collect();
        let who = match names.len() {
            1..=4 => listed(&names),
            many => format!("{}, … and {} ({many} in all)", names[0], names[many - 1]),
        };
        let one = names.len() == 1;
        let (does, needs) = if one { ("does", "needs") } else { ("do", "need") };
        let tells = format!("--property '{}' tells", next.property);
        let words = match advice.needs {
            Needs::Nothing => format!("Nor {does} {who} need any."),
            Needs::Hopeless(_) => format!("No fairness helps {who} either; {tells} why."),
            Needs::Some => format!("{who} {needs} such fairness too; {tells} which."),
            Needs::Global | Needs::Excluded | Needs::More | Needs::Branching | Needs::Unknown => {
                format!("The same goes for {who}; {tells} more.")
            }
        };
        let _ = writeln!(text, "\n{INDENT}{}", paint(QUIET, wrapped(&words, INDENT)));
    }
    // What counts on nothing else to move is not offered to all, if there is something to add.
    let brittle = advice.brittle.contains(&0) && advice.addition.is_some();
    if let Some(requirements) = advice.for_family.as_ref().filter(|_| !brittle) {
        let _ = writeln!(text, "\n{INDENT}Enough for all of {}:", family(advice));
        text += &declaration(advice, requirements);
    }
    text
}

fn needs(advice: &Advice) -> String {
    let Some(sentence) = words::needs(advice) else { return assumptions(advice) };
    let said = |style| format!("{INDENT}{}\n", paint(style, wrapped(&sentence, INDENT)));
    match advice.needs {
        Needs::Nothing if advice.vacuous.is_empty() => said(GOOD) + &limits(advice),
        Needs::Global => {
            let beyond = words::beyond_strong(advice);
            let style = match beyond.offers_global {
                true => GOOD,
                false if advice.addition.is_none() && beyond.repairs_nothing => BAD,
                false => QUIET,
            };
            let mut text = said(style);
            if beyond.offers_global {
                text += &declaration(advice, &advice.minimal[0]);
            }
            text += &addition(advice);
            if let Some(less) = beyond.less {
                let _ = writeln!(text, "{INDENT}{}", wrapped(&less, INDENT));
                text += &advice.if_it_ends.as_ref().map_or_else(String::new, |set| declaration(advice, set));
            }
            if beyond.shows_run {
                let _ = writeln!(text, "\n{INDENT}{}", words::fair_run(advice));
                text += &run(advice);
            }
            let limits = if advice.declares { limits(advice) } else { String::new() };
            if limits.is_empty() { text } else { text + "\n" + &limits }
        }
        Needs::Branching => {
            let mut text = format!("{INDENT}{}\n", wrapped(&sentence, INDENT));
            // What is to be added to what is assumed has been said.
            if let Some(example) = advice.addition.as_ref().filter(|_| !advice.declares) {
                let _ = writeln!(text, "{INDENT}{}", paint(GOOD, words::FOR_EXAMPLE));
                text += &declaration(advice, example);
            }
            text
        }
        Needs::Hopeless(_) if advice.addition.is_some() => said(QUIET) + &addition(advice),
        Needs::Hopeless(_) => said(BAD) + &run(advice),
        Needs::Excluded => said(BAD),
        Needs::Nothing | Needs::Some | Needs::More | Needs::Unknown => said(UNSURE),
    }
}

/// What is enough where more than weak and strong fairness is needed and nothing is declared; otherwise it has been said.
fn addition(advice: &Advice) -> String {
    let Some(added) = advice.addition.as_ref().filter(|_| !advice.declares) else { return String::new() };
    let means = words::added_means(advice).map_or_else(String::new, |means| format!(", {means}"));
    let words = wrapped(&format!("This is enough{means}:"), INDENT);
    format!("{INDENT}{}\n", paint(GOOD, words)) + &declaration(advice, added)
}

/// The minimal assumptions.
fn assumptions(advice: &Advice) -> String {
    let mut text = String::new();
    let begin = |words: &str| {
        let words = if advice.declares && !advice.minimal.is_empty() {
            format!("In place of what is assumed, {}", lower(words))
        } else {
            words.to_owned()
        };
        let style = if advice.minimal.is_empty() { UNSURE } else { GOOD };
        format!("{INDENT}{}\n", paint(style, wrapped(&words, INDENT)))
    };
    if let Some(beside) = words::shown_beside(advice) {
        text = begin(words::BESIDE) + &declaration(advice, beside);
    }
    if let Some(words) = words::only_here_less(advice) {
        let _ = writeln!(text, "{INDENT}{}", wrapped(words, INDENT));
    } else {
        text += &begin(match (advice.minimal.len(), advice.extent) {
            (0, _) => "Some weak or strong fairness is enough; which, is not known.",
            (1, _) => "This is enough, and no part of it can be left out:",
            _ => "Any one of these is enough, and no part of it can be left out:",
        });
    }
    for (number, assumption) in advice.minimal.iter().enumerate() {
        text += &declaration(advice, assumption);
        if let Some(words) = words::brittle(advice, number) {
            let _ = writeln!(text, "{DECLARATION}    {}", paint(UNSURE, words));
        }
        if let Some((_, premise)) = advice.vacuous.iter().find(|(set, _)| *set == number) {
            let words = format!("vacuous: under it `{premise}` never happens");
            let _ = writeln!(text, "{DECLARATION}    {}", paint(UNSURE, words));
        }
    }
    let rest = match advice.extent {
        Extent::Cheapest => Some("There may be other minimal sets; --all shows them."),
        Extent::Some => Some("There may be others; not all questions were answered."),
        Extent::All => None,
    };
    if let Some(rest) = rest {
        let _ = writeln!(text, "{INDENT}{}", paint(QUIET, rest));
    }
    text += &reasons(advice);
    text
}

/// Why each requirement of the first set is needed, what the sets do not say, and for how many processes they are enough.
fn reasons(advice: &Advice) -> String {
    let mut text = String::new();
    if !advice.reasons.is_empty() {
        let which = match (words::shown_beside(advice), advice.minimal.len()) {
            (None, 1) => "",
            (None, _) => "of the first set ",
            (Some(_), 1) => "of the last set ",
            (Some(_), _) => "of the first of these ",
        };
        let _ = writeln!(text, "\n{INDENT}Why each part {which}is needed:");
        for reason in words::reasons(advice) {
            let _ = writeln!(text, "{DECLARATION}{}", wrapped(&reason, "              "));
        }
    }
    let limits = limits(advice);
    if !text.is_empty() && !limits.is_empty() {
        text.push('\n');
    }
    text + &limits
}

/// What is not said by the sets.
fn limits(advice: &Advice) -> String {
    let mut text = String::new();
    for sentence in words::limits(advice) {
        let _ = writeln!(text, "{INDENT}{}", paint(QUIET, wrapped(&sentence, INDENT)));
    }
    text
}

/// A sentence that goes on after a colon.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// An assumption in a form that can be pasted.
fn declaration(advice: &Advice, requirements: &[String]) -> String {
    let (word, end) = words::clause(advice);
    let mut text = format!("{DECLARATION}{word} ");
    let mut column = text.chars().count();
    for (number, requirement) in requirements.iter().enumerate() {
        let width = requirement.chars().count() + 3;
        if number > 0 && column + width > trace::WIDTH {
            let _ = write!(text, "\n{DECLARATION}      ");
            column = DECLARATION.len() + 6;
        }
        let joint = if number > 0 { " & " } else { "" };
        let _ = write!(text, "{joint}{requirement}");
        column += width;
    }
    text + end + "\n"
}

/// The parts of the declared fairness that are not needed or cannot be met; with the name of the property if there
/// are several.
fn declared(advice: &Advice, several: bool) -> String {
    if advice.instead.is_some() {
        let sentence = words::present(advice).unwrap_or_default();
        let sentence = if several { format!("{}: {}", advice.property, lower(&sentence)) } else { sentence };
        return format!("{INDENT}{}\n", wrapped(&sentence, INDENT));
    }
    let hopeless =
        matches!(advice.needs, Needs::Hopeless(why) if why != Hopeless::Prefix) && advice.addition.is_none();
    if !advice.declares || hopeless && advice.unrealisable.is_empty() && !advice.no_fair_run {
        return String::new();
    }
    let surplus = &advice.surplus;
    let mut lines: Vec<(&str, String)> = Vec::new();
    let verb = if advice.addition_kind == AdditionKind::Instead { "use instead" } else { "add" };
    let add = if advice.property.member.is_empty() {
        verb.to_owned()
    } else {
        format!("for {} {verb}", advice.property)
    };
    let like = words::as_for(advice);
    lines.extend(advice.addition.as_ref().map(|added| (add.as_str(), added.join(" & ") + &like)));
    lines.extend(words::added_means(advice).map(|meaning| ("", meaning)));
    // What is superfluous only because nothing else can move is told apart.
    let robust = surplus.with_stuttering.as_deref().unwrap_or(surplus);
    if !robust.superfluous.is_empty() {
        lines.push(("superfluous", robust.superfluous.join(", ")));
    }
    if robust.together.len() < robust.superfluous.len() {
        lines.push(("not all at once", format!("together only {}", robust.together.join(", "))));
    }
    lines.extend(words::only_here(surplus).map(|sentence| ("superfluous only here", sentence)));
    if let Some(shorter) = &robust.shorter {
        lines.push(("enough", format!("under {shorter}")));
    }
    for (requirement, suffices) in &surplus.too_strong {
        lines.push(("too strong", format!("{requirement}; {suffices} is enough")));
    }
    for unrealisable in &advice.unrealisable {
        let state = brief::listed(&unrealisable.state);
        lines.push(("cannot be met", format!("{}, after {state} is reached", unrealisable.requirement)));
    }
    let verdict = match advice.ladder.verdict(FairnessOption::Declared) {
        Verdict::Holds if advice.needs == Needs::Hopeless(Hopeless::Prefix) => {
            "rules this path out, because after it no run meets it"
        }
        Verdict::Holds if advice.no_fair_run => "leaves no fair run, so everything would hold",
        Verdict::Holds if lines.is_empty() && !surplus.partial => {
            "is enough, and no part of it can be left out"
        }
        Verdict::Holds => "is enough",
        Verdict::Fails if advice.ladder.verdict(FairnessOption::None) == Verdict::Holds => "makes it false",
        Verdict::Fails => "is not enough",
        Verdict::Unknown => "may or may not be enough",
    };
    let whose = if several { format!("for {} ", advice.property) } else { String::new() };
    let words = format!("What is assumed {whose}{verdict}: {}", advice.declared);
    let mut text = format!("{INDENT}{}\n", wrapped(&words, DECLARATION));
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, line) in lines {
        let line = wrapped(&format!("{:width$}  {line}", ""), &" ".repeat(DECLARATION.len() + width + 2));
        let _ = writeln!(text, "{DECLARATION}{}{}", paint(QUIET, format!("{name:width$}")), &line[width..]);
    }
    text
}

/// The run or path that no fairness excludes.
fn run(advice: &Advice) -> String {
    let Some(counterexample) = &advice.counterexample else { return String::new() };
    let mut text = "\n".to_owned();
    if let Some(scope) = &advice.counterexample_scope {
        let _ = writeln!(text, "{INDENT}For {scope}:");
    }
    if let Some(run) = &counterexample.trace {
        text += &trace::abridged(run, INDENT, trace::ADVICE);
    }
    text += &text::at_the_end(counterexample);
    text
}
