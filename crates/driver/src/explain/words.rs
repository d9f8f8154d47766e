//! What an explanation says, in sentences. Text and pages show the same ones.

use std::fmt::Write;

use super::{Effect, Enough, Fate, PassedOver, Process, Remedies, Remedy, Support, Waiting, listed};
use crate::options::FairnessOption;
use crate::report::{Verdict, brief};

/// What is left to do where no fairness helps.
const CHANGE: &str = "To make it hold, change the model or the claim.";

/// Conditions of more characters are not written out.
pub(super) const LONG: usize = 160;

/// At most this many actions of a process that are passed over are named.
const SHOWN: usize = 2;

/// At most this many actions of a process that waits are named.
const WAITING: usize = 4;

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
    let mut text: String = waits.iter().take(WAITING).map(need).collect();
    if let more @ 1.. = waits.len().saturating_sub(WAITING) {
        let (more, wait) = if more == 1 { ("One".to_owned(), "waits") } else { (more.to_string(), "wait") };
        // Writing to a string does not fail.
        let _ = write!(text, " {more} more of its actions {wait}, too.");
    }
    text
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
        "Fairness of actions of the model does not help, unless they are marked as `environment`: only a step of the \
         environment could end the loop"
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
                [] if remedies.enough.is_some() => format!(
                    "{} would ask for it. If that can be expected of the environment: {}",
                    capitalised(&steps),
                    is_enough(remedies.enough.as_ref(), added)
                ),
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
                "be taken and change nothing".to_owned()
            } else {
                format!("lead to {}", listed(&changes))
            };
            let there = if left_out.taken { "there it never does" } else { "it never does" };
            let less = match &remedies.choice {
                Some(Remedy { text, effect: Effect::Holds, .. }) => format!(
                    "Less is enough for the property, {added}: `{text}`, that the second is true again and again if the first is."
                ),
                _ => "To assume less, say with `justice` or `compassion` what should happen again and again."
                    .to_owned(),
            };
            format!(
                "Of weak, strong and global fairness, only `global`. What the others could ask for is taken on the loop; \
                 but before step {} {} could {elsewhere}, and {there}. {less}",
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

/// That several requirements together are enough, in a sentence; empty if none are known.
pub fn is_enough(enough: Option<&Enough>, added: &str) -> String {
    enough.map_or_else(String::new, |Enough { set, every }| {
        let every = every.as_ref().map_or_else(String::new, |every| format!(", for every {every}"));
        format!("`{}` is enough for the property, {added}{every}.", set.join(" & "))
    })
}

/// What weak or strong fairness of an action or a process does to a run that violates it.
fn of_weakest(remedies: &Remedies, added: &str) -> String {
    let weak = if remedies.weak {
        ""
    } else {
        " Weak fairness is not enough: it asks only for what is enabled all the time."
    };
    let of_all = is_enough(remedies.enough.as_ref(), added);
    // One process of a family that has any number of them is no help.
    if remedies.enough.as_ref().is_some_and(|enough| enough.every.is_some()) {
        return format!("{of_all}{weak}");
    }
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
                format!(" rules out this run, but the property fails on others{with}: {left}. {of_all}")
            }
            None => format!(" rules out this run, but the property fails on others. {of_all}"),
        }
    } else if !of_all.is_empty() {
        format!(" rules it out. {of_all}")
    } else {
        " rules it out; other runs may remain.".to_owned()
    };
    let effect = effect.trim_end();
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
        known.map(|(rung, _)| rung.name()).collect::<Vec<&str>>()
    };
    let asks = |kinds: &[&str]| if kinds.len() == 1 { "asks" } else { "ask" };
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
            "But global asks the environment, too, for each of its steps again and again: {}.",
            listed(&remedies.outside)
        ));
    }
    let of_processes = enough(&[FairnessOption::ProcessWeak, FairnessOption::ProcessStrong]);
    let any: Vec<&String> = remedies.failures.iter().chain(&remedies.partly).collect();
    if !of_processes.is_empty() && !any.is_empty() {
        sentences.push(format!(
            "But {} {} for some step of each process, and {} {} as one: where a process can take no other, it must \
             take that, or others must enable another.",
            listed(&of_processes),
            asks(&of_processes),
            listed(&any),
            if any.len() == 1 { "counts" } else { "count" },
        ));
    }
    sentences
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
