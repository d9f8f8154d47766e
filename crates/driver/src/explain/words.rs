//! What an explanation says, in sentences. Text and pages show the same ones.

use super::{Fate, Process, Remedies, Support, Waiting, listed};
use crate::options::FairnessOption;
use crate::report::Verdict;

/// The fate of a process on the loop, in a sentence.
pub fn fate(process: &Process, cycle: usize) -> String {
    let name = &process.name;
    let at = process.location.as_ref().map(|location| format!(", at {location},")).unwrap_or_default();
    let steps = if cycle == 1 { "the one step".to_owned() } else { format!("the {cycle} steps") };
    match &process.fate {
        Fate::Acts(1) if cycle == 1 => format!("{name} takes the one step of the loop."),
        Fate::Acts(2) if cycle == 2 => format!("{name} takes both steps of the loop."),
        Fate::Acts(taken) if *taken == cycle => format!("{name} takes all {cycle} steps of the loop."),
        Fate::Acts(taken) => format!("{name} takes {taken} of {steps} of the loop."),
        Fate::Starves { enabled, waits } => {
            let often = match &process.could_act[..] {
                _ if *enabled == cycle => "all the time".to_owned(),
                [one] => format!("before step {one}"),
                [few @ .., last] if few.len() < 4 => {
                    let few: Vec<String> = few.iter().map(ToString::to_string).collect();
                    format!("before steps {} and {last}", few.join(", "))
                }
                _ => format!("before {enabled} of {steps} of the loop"),
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

/// What is said before the fates of processes of which none can act any more.
pub const STOPPED: &str = "Nobody can act any more.";

/// The weakest assumptions against a run, in a sentence.
pub fn remedy(remedies: &Remedies) -> String {
    let quoted: Vec<String> = remedies.weakest.iter().map(|assumption| format!("`{assumption}`")).collect();
    let more = if remedies.further > 0 {
        format!(" (and {} more like these)", remedies.further)
    } else {
        String::new()
    };
    if remedies.is_hopeless() {
        let alone = if quoted.is_empty() { "`global`".to_owned() } else { quoted.join(" or ") + &more };
        let also = if remedies.assumed { "global is assumed as well" } else { "global is assumed" };
        return format!(
            "No weak, strong or global fairness is enough: the property fails even if {also}. Change the model or the \
             claim. Only this run would be ruled out by {alone}."
        );
    }
    match (&quoted[..], &remedies.left_out) {
        ([], None) if remedies.deadlock => {
            "No weak, strong or global fairness: in this deadlock nobody can act. Change the model so that it is not \
             reached, or the claim."
                .to_owned()
        }
        ([], None) => {
            "No weak, strong or global fairness: whatever can happen on this loop does happen on it. Change the model or \
             the claim."
                .to_owned()
        }
        ([], Some((step, action))) => format!(
            "Only strong global fairness, `global`. Every action that is enabled on the loop is taken on it, so weak and \
             strong fairness are met; but before step {step} {action} could lead to another state, and never does. To \
             assume less, make what should happen an action of its own, or require it with `justice` or `compassion`."
        ),
        (all, _) => {
            let either = if all.len() == 1 { "" } else { "Any one of " };
            let weak = if remedies.weak {
                ""
            } else {
                "; weak fairness of these is not enough, because none is enabled all the time"
            };
            format!("{either}{}{more}{weak}.", all.join(", "))
        }
    }
}

/// Which kinds of fairness, asked of everything, rule a run out, and whether the property holds under them. Empty if none
/// is enough: [`remedy`] has said so.
pub fn kinds(remedies: &Remedies) -> String {
    let ruling = |wanted: bool| {
        let rungs = remedies.ladder.iter().filter(|(_, rules_out)| *rules_out == wanted);
        let names = rungs.map(|(rung, _)| rung).filter(|rung| **rung != FairnessOption::None);
        names.map(|rung| rung.name()).collect::<Vec<&str>>()
    };
    let under = |wanted: Verdict| {
        let rungs = remedies.verdicts.iter().filter(|(_, verdict)| *verdict == wanted);
        rungs.map(|(rung, _)| rung.name()).collect::<Vec<&str>>()
    };
    let (rule_out, do_not) = (ruling(true), ruling(false));
    if rule_out.is_empty() || remedies.is_hopeless() {
        return String::new();
    }
    let verb = |names: &[&str], one: &str, several: &str| {
        format!("{} {}", listed(names), if names.len() == 1 { one } else { several })
    };
    let others =
        if do_not.is_empty() { String::new() } else { format!("; {}", verb(&do_not, "does not", "do not")) };
    let rule_it_out = verb(&rule_out, "rules it out", "rule it out");
    let (holds, fails) = (under(Verdict::Holds), under(Verdict::Fails));
    let each = if rule_out.len() == 1 { "it" } else { "each of them" };
    let added = if remedies.assumed { "added to what is assumed" } else { "alone" };
    let enough = match (&holds[..], &fails[..]) {
        ([], []) => ". Other runs may remain.".to_owned(),
        (holds, []) if holds.len() == rule_out.len() && do_not.is_empty() => {
            format!(", and {each}, {added}, is enough for the property.")
        }
        (holds, []) => format!(". For the property {} enough, {added}.", verb(holds, "is", "are each")),
        ([], fails) => format!(". But other runs remain: with {} the property fails as well.", either(fails)),
        (holds, fails) => format!(
            ". For the property {} enough, {added}; with {} other runs remain, and it fails.",
            verb(holds, "is", "are each"),
            either(fails)
        ),
    };
    format!("Asked of every action or process, {rule_it_out}{others}{enough}")
}

/// Names of which any is meant: `a, b or c`.
fn either(names: &[&str]) -> String {
    match names {
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
