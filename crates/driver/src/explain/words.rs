//! What an explanation says of a property, in sentences: what would rule a run out, and what is enough. Text and pages
//! show the same ones. [`fates`](super::fates) has those about processes.

use super::{Dropped, Effect, Enough, Failure, LeftOut, Remedies, Remedy, Support, listed};
use crate::advise::AdditionKind;
use crate::advise::words::{CHANGE, NOT_ALONE, go_on, meaning, whatever_is_expected};
use crate::options::FairnessOption;
use crate::report::{Counterexample, Kind, Verdict, brief};

/// How to assume something that is no fairness of a step.
const AGAIN: &str = "with `justice (p)` what should be true again and again, or with `compassion (taken(P.a), false)` what should \
     happen only finitely often";

/// The same of the environment.
const EXPECTED: &str = "with `justice` or `compassion` what can be expected of the environment";

/// Where a run that is shown ends, in a sentence; `None` if it ends in a loop.
pub fn ending(found: &Counterexample) -> Option<String> {
    Some(match &found.kind {
        Kind::Lasso => return None,
        Kind::Path if found.facts.is_empty() => {
            format!("Here the invariant is false; no fairness can help. {CHANGE}")
        }
        Kind::Path => format!("Here the claim about all states is false. {CHANGE}"),
        Kind::Fault(sentence) => format!(
            "Here a fault ends the run, {sentence}; no fairness can help. To make it hold, change the model so that this fault \
             cannot be reached."
        ),
        Kind::State if found.has_steps() => {
            "Here a part of the formula decides that it is false in the initial state.".to_owned()
        }
        Kind::State => "In this initial state the formula is false.".to_owned(),
        Kind::Prefix => format!("The property is {}; no fairness can help. {CHANGE}", found.lost()),
        Kind::Beginning => "From here the run can go on like this for ever.".to_owned(),
    })
}

/// What is enough for a property if only the beginning of a run against it is shown, in a sentence; `None` if that is not
/// known.
pub fn enough_to_hold(failure: &Failure) -> Option<String> {
    if failure.holds_without {
        return Some("It holds without the fairness that is assumed: leave that out.".to_owned());
    }
    if let Some(enough) = &failure.enough {
        return Some(to_assume(enough, failure.is_assumed));
    }
    failure
        .fails_strongly
        .then(|| format!("It fails even with strong fairness of every action. {CHANGE} Or say {AGAIN}."))
}

/// What is said if it is not known what would be enough.
pub const NOT_KNOWN: &str = "That is not known.";

/// A kind of fairness of everything, as it is declared: `weak all`.
fn in_code(kind: FairnessOption) -> String {
    format!("`{}`", kind.declaration())
}

/// What to assume so that a property holds, as the beginning of a sentence.
fn assume(set: &str, assumed: bool) -> String {
    format!("{} {set}", if assumed { "Add" } else { "Assume" })
}

/// What would rule a run out, and whether that is enough for the property, in sentences.
pub fn remedy(remedies: &Remedies) -> String {
    if remedies.fails_whatever_is_expected {
        return whatever_is_expected(&remedies.failures, &remedies.outside, remedies.left.as_ref());
    }
    if let Some(enough) = &remedies.enough {
        return format!("{}{}", to_assume(enough, remedies.assumed), why_not_less(remedies, enough));
    }
    if remedies.is_hopeless() {
        let also = if remedies.assumed { "`global` is assumed as well" } else { "`global` is assumed" };
        let left =
            remedies.left.as_ref().map_or_else(String::new, |left| format!(" On another run, {left}."));
        return format!(
            "No weak, strong or global fairness is enough: the property fails even if {also}.{left} {CHANGE}"
        );
    }
    if !remedies.weakest.is_empty() {
        return of_weakest(remedies);
    }
    match &remedies.left_out {
        None if remedies.deadlock => {
            "No weak, strong or global fairness: in this deadlock nobody can act. To make it hold, change the model so that \
             it is not reached, or the claim."
                .to_owned()
        }
        None => format!("No weak, strong or global fairness: {ALL_TAKEN} {CHANGE}"),
        Some(left_out) => of_others(remedies, left_out),
    }
}

/// Why no fairness rules a run out.
const ALL_TAKEN: &str = "whatever can happen on this loop does happen on it.";

/// What is enough for a property, in a sentence.
fn to_assume(enough: &Enough, assumed: bool) -> String {
    let Enough { set, every, kind, stuttering, as_for } = enough;
    let like = as_for.as_ref().map_or_else(String::new, |name| format!(", as `{name}` does"));
    let set = format!("`{}`{like}", set.join(" & "));
    let says =
        if *stuttering { " and say `stuttering`, because here nothing else can move meanwhile" } else { "" };
    let what = match kind {
        AdditionKind::Instead | AdditionKind::Ends if assumed => {
            format!("Assume {set} in place of what is assumed")
        }
        _ => assume(&set, assumed),
    };
    let every = every.as_ref().map_or_else(String::new, |every| format!(" for every {every}"));
    let (if_expected, means) = match meaning(&enough.set, *kind) {
        Some(words) if words.starts_with("if ") => (format!(", {words}"), String::new()),
        Some(words) => (String::new(), format!(" ({words})")),
        None => (String::new(), String::new()),
    };
    if *kind == AdditionKind::Here {
        return format!("{what}: then the property holds{every}, but {ONLY_BECAUSE} it does not.");
    }
    let comma = if says.is_empty() || if_expected.is_empty() { "" } else { "," };
    format!("{what}{if_expected}{comma}{says}: then the property holds{every}{means}.")
}

/// Why nothing simpler than what is enough would do, in a sentence after it.
fn why_not_less(remedies: &Remedies, enough: &Enough) -> String {
    // What one loop shows is no reason for many parts.
    if enough.set.len() > 2 {
        return String::new();
    }
    let is_strong = enough.set.iter().any(|one| one.starts_with("strong ") || one.contains(": strong "));
    let why = if remedies.is_hopeless() {
        NOT_ALONE
    } else if !remedies.weakest.is_empty() {
        if remedies.weak || !is_strong {
            return String::new();
        }
        "Weak fairness is not enough: it asks only for what is enabled all the time."
    } else if remedies.left_out.is_some() {
        why_none(remedies)
    } else {
        return format!(" No weak, strong or global fairness is enough alone: {ALL_TAKEN}");
    };
    format!(" {why}")
}

/// Why weak and strong fairness of the model's own steps do not rule a run out.
fn why_none(remedies: &Remedies) -> &'static str {
    if !remedies.environment.is_empty() {
        "Only a step of the environment could end the loop, and fairness asks nothing of it."
    } else if remedies.conditions.is_empty() {
        "Weak and strong fairness do not help: what they could ask for is taken on the loop."
    } else {
        "Weak and strong fairness do not help: they ask only for what is enabled."
    }
}

/// What rules a run out that has all weak and strong fairness of the model's own steps: steps of the environment, a
/// condition again and again, or strong global fairness.
fn of_others(remedies: &Remedies, left_out: &LeftOut) -> String {
    let why = why_none(remedies);
    let enough = |list: &[Remedy]| quoted(list.iter().filter(|remedy| remedy.effect == Effect::Holds));
    let global = remedies.effect(FairnessOption::Global);
    let only_vacuous = match global {
        Some(Effect::Vacuous(premise)) => {
            Some(format!("Under `global` the property holds only because `{premise}` never happens then."))
        }
        Some(Effect::Empty) => Some("Together with what is assumed, `global` leaves no fair run.".to_owned()),
        _ => None,
    };
    let and_global = only_vacuous.as_ref().map_or_else(String::new, |sentence| format!(" {sentence}"));
    let expected = enough(&remedies.environment);
    if !expected.is_empty() {
        let then = assume(&either(&expected), remedies.assumed);
        return format!("{why} {then}, if that can be expected: then the property holds.{and_global}");
    }
    let conditions = enough(&remedies.conditions);
    if !conditions.is_empty() {
        let then = assume(&either(&conditions), remedies.assumed);
        return format!("{then}, so that this is true again and again: then the property holds. {why}");
    }
    let steps = capitalised(&either(&quoted(remedies.environment.iter())));
    if !steps.is_empty() && !matches!(global, Some(Effect::Vacuous(_))) {
        let fails = remedies.environment.iter().all(|remedy| remedy.effect == Effect::Fails);
        let others = if fails { ", but the property fails on other runs" } else { "" };
        return format!(
            "{why} {steps} would ask for it{others}. Say {EXPECTED}, or change the model or the claim.{and_global}"
        );
    }
    if let Some(only_vacuous) = only_vacuous {
        return format!("{why} {only_vacuous} {CHANGE}");
    }
    let changes: Vec<String> =
        left_out.changes.iter().map(|change| format!("`{}`", brief::text(change))).collect();
    let elsewhere = if changes.is_empty() {
        "be taken and change nothing".to_owned()
    } else {
        format!("lead to {}", listed(&changes))
    };
    let then = match (&left_out.then, &left_out.towards) {
        (Some(then), _) => format!(" After that {then} could be taken."),
        (None, Some(towards)) => format!(" After that `{towards}` could become true."),
        (None, None) => String::new(),
    };
    let there = if left_out.taken { "there it never does" } else { "it never does" };
    let less = match &remedies.choice {
        Some(Remedy { text, effect: Effect::Holds, .. }) => format!(
            "Less is enough: {} `{text}`, that the second is true again and again if the first is.",
            if remedies.assumed { "add" } else { "assume" }
        ),
        _ => format!("To assume less, say {AGAIN}."),
    };
    let only = match global {
        Some(Effect::Holds) => "only `global` is enough for the property",
        _ => "only `global` rules this run out; whether it is enough for the property is not known",
    };
    format!(
        "Of weak, strong and global fairness, {only}. What the others could ask for is taken on the loop; but before step {} {} \
         could {elsewhere}, and {there}.{then}{} {less}",
        left_out.before,
        left_out.action,
        go_on(&remedies.rests)
    )
}

/// A sentence that begins with a capital letter.
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What stands before so many alternatives.
fn any_of(count: usize) -> &'static str {
    match count {
        1 => "",
        2 => "either of ",
        _ => "any one of ",
    }
}

/// How many assumptions are not listed.
fn more(remedies: &Remedies) -> String {
    if remedies.further > 0 { format!(" (and {} more like these)", remedies.further) } else { String::new() }
}

fn quoted<'r>(remedies: impl Iterator<Item = &'r Remedy>) -> Vec<String> {
    remedies.map(|remedy| format!("`{}`", remedy.text)).collect()
}

/// What weak or strong fairness of an action or a process does to a run that violates it. What is enough is said first.
fn of_weakest(remedies: &Remedies) -> String {
    let weak_rules_out = |(rung, rules_out): &(FairnessOption, bool)| {
        *rules_out && matches!(rung, FairnessOption::Weak | FairnessOption::ProcessWeak)
    };
    let weak = if remedies.weak || remedies.ladder.iter().any(weak_rules_out) {
        ""
    } else {
        " Weak fairness is not enough: it asks only for what is enabled all the time."
    };
    let with = |wanted: Effect| quoted(remedies.weakest.iter().filter(|remedy| remedy.effect == wanted));
    let holds = with(Effect::Holds);
    if !holds.is_empty() {
        return format!("{}: then the property holds.{weak}", assume(&either(&holds), remedies.assumed));
    }
    let brittle = with(Effect::Brittle);
    if !brittle.is_empty() {
        let then = assume(&either(&brittle), remedies.assumed);
        return format!("{then}: then the property holds, but {ONLY_BECAUSE} it does not.{weak}");
    }
    let all = quoted(remedies.weakest.iter());
    let named = format!("{}{}{}", capitalised(any_of(all.len())), all.join(", "), more(remedies));
    let vacuous = remedies.weakest.iter().find_map(|remedy| match &remedy.effect {
        Effect::Vacuous(premise) => Some(premise),
        _ => None,
    });
    if let Some(premise) = vacuous {
        return format!(
            "{named} rules this run out; but with it the property holds only because `{premise}` never happens. {CHANGE}{weak}"
        );
    }
    let fails = |rung| remedies.effect(rung).is_none_or(|effect| *effect == Effect::Fails);
    let only_global = fails(FairnessOption::Strong) && fails(FairnessOption::ProcessStrong);
    let kind = remedies.effects.iter().find(|(_, effect)| *effect == Effect::Holds).map(|(rung, _)| *rung);
    let first = match kind {
        Some(FairnessOption::Global) if only_global => {
            return format!(
                "Of weak, strong and global fairness, only `global` is enough for the property.{} To assume less, say {AGAIN}.",
                go_on(&remedies.rests)
            );
        }
        Some(kind) => format!("{}: then the property holds. ", assume(&in_code(kind), remedies.assumed)),
        None => String::new(),
    };
    let fails = remedies.weakest.iter().all(|remedy| remedy.effect == Effect::Fails);
    let others = match (&remedies.left, &all[..]) {
        _ if !fails => "; other runs may remain".to_owned(),
        (None, _) => ", and the property fails on others".to_owned(),
        (Some(left), [_]) => format!(", and the property fails on others: {left}"),
        (Some(left), several) => {
            format!(", and the property fails on others; with {}: {left}", several[0])
        }
    };
    let last = if first.is_empty() { weak } else { "" };
    let rules_out = if fails { "alone rules out only this run" } else { "rules this run out" };
    format!("{first}{named} {rules_out}{others}.{last}")
}

/// Which kinds of fairness, asked of everything, rule a run out, and whether the property holds under them. Empty if none
/// is enough, or if less is known to be: [`remedy`] has said so.
pub fn kinds(remedies: &Remedies) -> String {
    let ruling = |wanted: bool| {
        let rungs = remedies.ladder.iter().filter(|(_, rules_out)| *rules_out == wanted);
        let kinds = rungs.map(|(rung, _)| *rung).filter(|rung| *rung != FairnessOption::None);
        kinds.map(in_code).collect::<Vec<String>>()
    };
    let under = |wanted: &dyn Fn(&Effect) -> bool| {
        let rungs = remedies.effects.iter().filter(|(_, effect)| wanted(effect));
        rungs.map(|(rung, _)| in_code(*rung)).collect::<Vec<String>>()
    };
    let (rule_out, do_not) = (ruling(true), ruling(false));
    let is_vacuous = |(_, effect): &(FairnessOption, Effect)| matches!(effect, Effect::Vacuous(_));
    let only_vacuous = remedies.weakest.is_empty() && remedies.effects.iter().any(is_vacuous);
    let only_empty =
        !remedies.effects.is_empty() && remedies.effects.iter().all(|(_, effect)| *effect == Effect::Empty);
    if rule_out.is_empty()
        || remedies.is_some_enough()
        || remedies.is_hopeless()
        || only_vacuous
        || only_empty
        || remedies.fails_whatever_is_expected
    {
        return String::new();
    }
    let verb = |names: &[String], one: &str, several: &str| {
        format!("{} {}", listed(names), if names.len() == 1 { one } else { several })
    };
    let others =
        if do_not.is_empty() { String::new() } else { format!(", {}", verb(&do_not, "does not", "do not")) };
    let rule_it_out = verb(&rule_out, "rules the run out", "rule the run out");
    let mut sentences = vec![format!("Asked of everything: {rule_it_out}{others}.")];
    let holds = under(&|effect| *effect == Effect::Holds);
    let fails = under(&|effect| *effect == Effect::Fails);
    let vacuous = under(&|effect| matches!(effect, Effect::Vacuous(_)));
    let empty = under(&|effect| *effect == Effect::Empty);
    let added = if remedies.assumed { "Added to what is assumed" } else { "Alone" };
    if !holds.is_empty() {
        sentences.push(format!("{added}, {} is enough for the property.", either(&holds)));
        sentences.extend(price(remedies));
    }
    if !fails.is_empty() {
        sentences.push(format!("With {} other runs remain, and the property fails.", either(&fails)));
    }
    if !vacuous.is_empty() {
        sentences.push(format!("With {} it holds only because its premise never happens.", either(&vacuous)));
    }
    if !empty.is_empty() {
        sentences.push(format!("With {} no run is fair any more.", either(&empty)));
    }
    let unknown = under(&|effect| *effect == Effect::Unknown);
    if !unknown.is_empty() {
        sentences.push(format!("Whether {} is enough is not known.", either(&unknown)));
    }
    if sentences.len() == 1 {
        sentences.push("Other runs may remain.".to_owned());
    }
    sentences.join(" ")
}

/// What the kinds that are enough ask for although nobody would want it: failures, and steps of the environment. Fairness of
/// every action asks for each failure, and strong global fairness for each step at all. Fairness of a process asks only for
/// some step of it, which may be any of these.
fn price(remedies: &Remedies) -> Vec<String> {
    let enough = |kinds: &[FairnessOption]| {
        let known =
            remedies.effects.iter().filter(|(rung, effect)| *effect == Effect::Holds && kinds.contains(rung));
        known.map(|(rung, _)| in_code(*rung)).collect::<Vec<String>>()
    };
    let asks = |kinds: &[String]| if kinds.len() == 1 { "asks" } else { "ask" };
    let mut sentences = Vec::new();
    let of_actions = enough(&[FairnessOption::Weak, FairnessOption::Strong, FairnessOption::Global]);
    if !of_actions.is_empty() && !remedies.failures.is_empty() {
        let asks = asks(&of_actions);
        sentences.push(format!(
            "But {} {asks} for {}, too.",
            listed(&of_actions),
            listed(&remedies.failures)
        ));
    }
    let global = enough(&[FairnessOption::Global]);
    if !global.is_empty() && !remedies.outside.is_empty() {
        sentences.push(format!(
            "But `global` asks the environment, too, for each of its steps again and again: {}.",
            listed(&remedies.outside)
        ));
    }
    let of_processes = enough(&[FairnessOption::ProcessWeak, FairnessOption::ProcessStrong]);
    let any: Vec<&String> = remedies.forced.iter().collect();
    if !of_processes.is_empty() && !any.is_empty() {
        sentences.push(format!(
            "But {} {} for some step of each process, and {} {} as one: a process that can take no other must take that, \
             unless others let it take another.",
            listed(&of_processes),
            asks(&of_processes),
            listed(&any),
            if any.len() == 1 { "counts" } else { "count" },
        ));
    }
    for sentence in sentences.iter_mut().skip(1) {
        *sentence = sentence.replacen("But ", "And ", 1);
    }
    sentences
}

/// Names of which any is meant: `a, b or c`.
pub(super) fn either<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// Why something is enough that would not be elsewhere.
const ONLY_BECAUSE: &str =
    "only because nothing else can move meanwhile; with `stuttering`, or beside other processes,";

/// Whether a requirement is needed.
pub fn need(dropped: &Dropped) -> &'static str {
    match dropped.verdict {
        Verdict::Fails => "needed",
        Verdict::Holds if dropped.brittle => "not needed here",
        Verdict::Holds => "not needed",
        Verdict::Unknown => "unknown",
    }
}

/// That some requirements are needed elsewhere, if they are.
pub fn needed_elsewhere(support: &Support) -> Option<&'static str> {
    let some = support.dropped.iter().any(|dropped| dropped.brittle);
    some.then_some(
        "What is not needed here is needed with `stuttering`, or beside other processes: here nothing else can move meanwhile.",
    )
}

/// Whether any fairness is needed, in a sentence.
pub fn foundation(support: &Support) -> String {
    match (support.assumed, support.without) {
        (false, _) if support.brittle => {
            format!("No fairness is assumed. That is enough {ONLY_BECAUSE} it fails.")
        }
        (false, _) => "Nothing: no fairness is assumed.".to_owned(),
        (true, Verdict::Holds) if support.brittle => {
            "It holds without any fairness here, although some is assumed.".to_owned()
        }
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
