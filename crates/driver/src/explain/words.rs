//! What an explanation says, in sentences. Text and pages show the same ones.

use std::fmt::Write;

use super::{Effect, Fate, PassedOver, Process, Remedies, Remedy, Support, Waiting, listed};
use crate::options::FairnessOption;
use crate::report::{Verdict, brief};

/// What is left to do where no fairness helps.
const CHANGE: &str = "To make it hold, change the model or the claim.";

/// Conditions of more characters are not written out.
const LONG: usize = 160;

/// At most this many actions of a process that are passed over are named.
const SHOWN: usize = 2;

/// The fate of a process on the loop, in a sentence.
pub fn fate(process: &Process, cycle: usize) -> String {
    let name = &process.name;
    let at = process.location.as_ref().map(|location| format!(", at `{location}`,")).unwrap_or_default();
    let steps = if cycle == 1 { "the one step".to_owned() } else { format!("the {cycle} steps") };
    match &process.fate {
        Fate::Acts(taken) => {
            let how_many = match (*taken, cycle) {
                (1, 1) => "the one step".to_owned(),
                (2, 2) => "both steps".to_owned(),
                (taken, cycle) if taken == cycle => format!("all {cycle} steps"),
                (taken, _) => format!("{taken} of {steps}"),
            };
            format!("{name} takes {how_many} of the loop.{}", passed_over(&process.passed_over, cycle))
        }
        Fate::Starves { enabled, waits } => {
            debug_assert_eq!(*enabled, process.could_act.len());
            let often = often(&process.could_act, cycle);
            format!("{name}{at} starves: it could act {often} and never does.{}", needs(waits))
        }
        Fate::Rests(_) => format!("{name}{at} rests: it may stay where it is."),
        Fate::Outside { could, .. } if could.is_empty() => {
            format!("{name}, of the environment, rests: nothing is asked of it.")
        }
        Fate::Outside { could, waits } => format!(
            "{name}{at} could take only {}, and no fairness asks for that.{}",
            listed(could),
            needs(waits)
        ),
        Fate::Blocked(waits) => {
            let never = if cycle == 0 { "it can never act" } else { "it cannot act anywhere on the loop" };
            format!("{name}{at} is blocked: {never}.{}", needs(waits))
        }
        Fate::Ended => format!("{name}{at} has terminated."),
    }
}

/// Before which steps of a loop something could be done.
fn often(before: &[usize], cycle: usize) -> String {
    match before {
        all if all.len() == cycle => "all the time".to_owned(),
        [one] => format!("before step {one}"),
        [few @ .., last] if few.len() < 4 => {
            let few: Vec<String> = few.iter().map(ToString::to_string).collect();
            format!("before steps {} and {last}", few.join(", "))
        }
        many => format!("before {} of the {cycle} steps of the loop", many.len()),
    }
}

/// The actions of a process that acts which could be taken and never are.
fn passed_over(actions: &[PassedOver], cycle: usize) -> String {
    let one = |PassedOver { action, before, ended_by }: &PassedOver| {
        let often = often(before, cycle);
        match &ended_by[..] {
            [] => format!(" {action} could be taken {often} and never is."),
            ends => format!(" {action} could be taken {often} and never is; {} ends that.", either(ends)),
        }
    };
    let mut text: String = actions.iter().take(SHOWN).map(one).collect();
    if let more @ 1.. = actions.len().saturating_sub(SHOWN) {
        // Writing to a string does not fail.
        let _ = write!(text, " So could {more} more of its actions.");
    }
    text
}

/// What the actions of a waiting process need.
fn needs(waits: &[Waiting]) -> String {
    let is_long = |waiting: &Waiting| waiting.conditions.iter().map(String::len).sum::<usize>() > LONG;
    let need = |waiting: &Waiting| {
        let conditions: Vec<String> =
            waiting.conditions.iter().map(|condition| format!("`{condition}`")).collect();
        if conditions.is_empty() {
            format!(" Nothing stands in the way of {}.", waiting.action)
        } else if is_long(waiting) {
            format!(" {} waits for its guard.", waiting.action)
        } else {
            format!(" {} needs {}.", waiting.action, conditions.join(" and "))
        }
    };
    let (short, long): (Vec<&Waiting>, Vec<&Waiting>) = waits.iter().partition(|waiting| !is_long(waiting));
    short.into_iter().chain(long).take(3).map(need).collect()
}

/// What is said before the fates of processes of which none can act any more.
pub const STOPPED: &str = "Nobody can act any more.";

/// The weakest assumptions against a run, in sentences.
pub fn remedy(remedies: &Remedies) -> String {
    let added = if remedies.assumed { "added to what is assumed" } else { "alone" };
    if remedies.is_hopeless() {
        let also = if remedies.assumed { "global is assumed as well" } else { "global is assumed" };
        let left = remedies.left.as_ref().map_or_else(String::new, |left| format!(" On another run {left}."));
        return format!(
            "No weak, strong or global fairness is enough: the property fails even if {also}.{left} {CHANGE}"
        );
    }
    if !remedies.weakest.is_empty() {
        return of_weakest(remedies, added);
    }
    let Some(left_out) = &remedies.left_out else {
        return if remedies.deadlock {
            "No weak, strong or global fairness: in this deadlock nobody can act. To make it hold, change the model so that \
             it is not reached, or the claim."
                .to_owned()
        } else {
            format!(
                "No weak, strong or global fairness: whatever can happen on this loop does happen on it. {CHANGE}"
            )
        };
    };
    let met = if !remedies.environment.is_empty() {
        "Weak and strong fairness of the model's own steps do not help: only a step of the environment could end the loop"
    } else if remedies.conditions.is_empty() {
        "Weak and strong fairness do not help: what they could ask for is taken on the loop"
    } else {
        "Weak and strong fairness do not help: they ask only for what is enabled"
    };
    let enough = |list: &[Remedy]| quoted(list.iter().filter(|remedy| remedy.effect == Effect::Holds));
    let global = remedies.effects.iter().find(|(rung, _)| *rung == FairnessOption::Global);
    let only_vacuous = match global.map(|(_, effect)| effect) {
        Some(Effect::Vacuous(premise)) => {
            Some(format!("Under `global` the property holds only because `{premise}` never happens then."))
        }
        Some(Effect::Empty) => Some("Under `global` no run is fair any more.".to_owned()),
        _ => None,
    };
    let is_vacuous = matches!(global, Some((_, Effect::Vacuous(_))));
    let expected = enough(&remedies.environment);
    match &enough(&remedies.conditions)[..] {
        [] if !expected.is_empty() || !remedies.environment.is_empty() && !is_vacuous => {
            let steps = either(&quoted(remedies.environment.iter()));
            let expected = match &expected[..] {
                [] => format!(
                    "{} would ask for it. Say with `justice` or `compassion` what can be expected of the environment, or \
                     change the model or the claim.",
                    capitalised(&steps)
                ),
                all => {
                    let also = if remedies.assumed { " as well" } else { "" };
                    format!("If that can be expected, assume {}{also}: then the property holds.", either(all))
                }
            };
            let global = only_vacuous.map_or_else(String::new, |sentence| format!(" {sentence}"));
            format!("{met}. {expected}{global}")
        }
        [] if only_vacuous.is_some() => {
            format!("{met}. {} {CHANGE}", only_vacuous.unwrap_or_default())
        }
        [] => {
            let changes: Vec<String> =
                left_out.changes.iter().map(|change| format!("`{}`", brief::text(change))).collect();
            let elsewhere = if changes.is_empty() {
                "leave everything as it is".to_owned()
            } else {
                format!("lead to {}", listed(&changes))
            };
            format!(
                "Of weak, strong and global fairness, only `global`. What the others could ask for is taken on the loop; \
                 but before step {} {} could {elsewhere}, and there it never does. To assume less, say with `justice` or \
                 `compassion` what should happen again and again.",
                left_out.before, left_out.action
            )
        }
        conditions => {
            let (any, also) = (any_of(conditions.len()), if remedies.assumed { " as well" } else { "" });
            format!(
                "Assuming {any}{}{also}, that this is true again and again, makes the property hold. {met}.",
                conditions.join(", ")
            )
        }
    }
}

/// A sentence that begins with a capital letter.
fn capitalised(sentence: &str) -> String {
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

/// What weak or strong fairness of an action or a process does to a run that violates it.
fn of_weakest(remedies: &Remedies, added: &str) -> String {
    let all = quoted(remedies.assumptions());
    let is_enough = remedies.weakest.iter().any(|remedy| remedy.effect == Effect::Holds);
    let more = if is_enough { String::new() } else { more(remedies) };
    let vacuous = remedies.weakest.iter().find_map(|remedy| match &remedy.effect {
        Effect::Vacuous(premise) => Some(premise),
        _ => None,
    });
    let fails = remedies.weakest.iter().all(|remedy| remedy.effect == Effect::Fails);
    let effect = if is_enough {
        format!(" is enough for the property, {added}.")
    } else if let Some(premise) = vacuous {
        format!(
            " rules it out; but with it the property holds only because `{premise}` never happens. {CHANGE}"
        )
    } else if fails {
        match &remedies.left {
            Some(left) => {
                let with = match &all[..] {
                    [_] => String::new(),
                    several => format!("; with {}", several[0]),
                };
                format!(" rules out this run, but the property fails on others{with}: {left}.")
            }
            None => " rules out this run, but the property fails on others.".to_owned(),
        }
    } else {
        " rules it out; other runs may remain.".to_owned()
    };
    let weak = if remedies.weak {
        ""
    } else {
        " Weak fairness is not enough: it asks only for what is enabled all the time."
    };
    capitalised(&format!("{}{}{more}{effect}{weak}", any_of(all.len()), all.join(", ")))
}

/// Which kinds of fairness, asked of everything, rule a run out, and whether the property holds under them. Empty if none
/// is enough: [`remedy`] has said so.
pub fn kinds(remedies: &Remedies) -> String {
    let ruling = |wanted: bool| {
        let rungs = remedies.ladder.iter().filter(|(_, rules_out)| *rules_out == wanted);
        let names = rungs.map(|(rung, _)| rung).filter(|rung| **rung != FairnessOption::None);
        names.map(|rung| rung.name()).collect::<Vec<&str>>()
    };
    let under = |wanted: &dyn Fn(&Effect) -> bool| {
        let rungs = remedies.effects.iter().filter(|(_, effect)| wanted(effect));
        rungs.map(|(rung, _)| rung.name()).collect::<Vec<&str>>()
    };
    let (rule_out, do_not) = (ruling(true), ruling(false));
    let is_vacuous = |(_, effect): &(FairnessOption, Effect)| matches!(effect, Effect::Vacuous(_));
    let only_vacuous = remedies.weakest.is_empty() && remedies.effects.iter().any(is_vacuous);
    if rule_out.is_empty() || remedies.is_hopeless() || only_vacuous {
        return String::new();
    }
    let verb = |names: &[&str], one: &str, several: &str| {
        format!("{} {}", listed(names), if names.len() == 1 { one } else { several })
    };
    let others =
        if do_not.is_empty() { String::new() } else { format!(", {}", verb(&do_not, "does not", "do not")) };
    let rule_it_out = verb(&rule_out, "rules the run out", "rule the run out");
    let mut sentences = vec![format!("If asked of every action or process: {rule_it_out}{others}.")];
    let holds = under(&|effect| *effect == Effect::Holds);
    let fails = under(&|effect| *effect == Effect::Fails);
    let vacuous = under(&|effect| matches!(effect, Effect::Vacuous(_)));
    let empty = under(&|effect| *effect == Effect::Empty);
    let added = if remedies.assumed { "Added to what is assumed" } else { "Alone" };
    if !holds.is_empty() {
        sentences.push(format!("{added}, {} is enough for the property.", either(&holds)));
        // Fairness of a process can be met by its steps that belong to the environment.
        let asks_processes = |(rung, effect): &(FairnessOption, Effect)| {
            let kinds = [FairnessOption::ProcessWeak, FairnessOption::ProcessStrong, FairnessOption::Global];
            *effect == Effect::Holds && kinds.contains(rung)
        };
        let of_processes = remedies.effects.iter().any(asks_processes);
        let partly = remedies.partly.iter().filter(|_| of_processes);
        let too: Vec<&String> = remedies.failures.iter().chain(partly).collect();
        if !too.is_empty() {
            sentences.push(format!("But this asks for {}, too, again and again.", listed(&too)));
        }
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
    if sentences.len() == 1 {
        sentences.push("Other runs may remain.".to_owned());
    }
    sentences.join(" ")
}

/// Names of which any is meant: `a, b or c`.
fn either<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// Whether any fairness is needed, in a sentence.
pub fn foundation(support: &Support) -> String {
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
