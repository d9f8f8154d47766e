//! What advice says beside the sets themselves, in sentences. Text and pages show the same ones.

use super::{Advice, Choice, Forced, Reason};
use crate::explain::listed;

/// What is left if a requirement is dropped, or only weak.
pub fn reason(reason: &Reason) -> String {
    match &reason.weaker {
        Some(_) => format!("if `{}` is only weak: {}", reason.requirement, reason.run),
        None => format!("without `{}`: {}", reason.requirement, reason.run),
    }
}

/// That a requirement does not force the step it names.
fn choice(choice: &Choice) -> String {
    let others: Vec<String> = choice.others.iter().map(|label| format!("`{label}`")).collect();
    format!(
        "`{}` does not force `{}`: taking {} instead also meets it, because the choice comes only once.",
        choice.requirement,
        choice.label,
        others.join(" or ")
    )
}

/// That a requirement may ask for a failure.
fn forced(forced: &Forced) -> String {
    let failures = listed(&forced.failures);
    format!("`{}` asks for {failures}, too, where the process can do nothing else.", forced.requirement)
}

/// That one of several sets is enough only because nothing else can move meanwhile. `None` if it is said of all of them.
pub fn brittle(advice: &Advice, set: usize) -> Option<&'static str> {
    let some = advice.brittle.contains(&set) && advice.brittle.len() < advice.minimal.len();
    some.then_some("only because nothing else can move meanwhile; with `stuttering` it is not enough")
}

/// Why there is no least assumption for a claim that some runs exist.
pub const BRANCHING: &str =
    "It asks for fair runs to exist, so more fairness may make it false: there is no least assumption.";

/// What stands before an assumption that is enough for such a claim.
pub const FOR_EXAMPLE: &str = "This, for example, is enough:";

/// What is said of superfluous requirements that are needed as soon as something else can move.
pub const BRITTLE_REST: &str = "only because nothing else can move meanwhile; with `stuttering`, or beside other processes, some of it is needed";

/// The same of all sets.
fn all_brittle(advice: &Advice) -> Option<String> {
    let these = if advice.minimal.len() == 1 { "This set is" } else { "These sets are" };
    let all = !advice.brittle.is_empty() && advice.brittle.len() == advice.minimal.len();
    all.then(|| {
        let not = if advice.minimal.len() == 1 { "it is not" } else { "they are not" };
        format!(
            "{these} enough only because nothing else can move meanwhile; with `stuttering`, or beside other processes, {not}."
        )
    })
}

/// What strong global fairness asks for where nothing less is enough.
pub fn global(advice: &Advice) -> String {
    let environment = listed(&advice.environment);
    let alone = if advice.declares { " alone" } else { "" };
    if environment.is_empty() {
        return format!(
            "Weak and strong fairness are not enough{alone}, whatever they are asked of. `global` is:"
        );
    }
    format!(
        "Weak and strong fairness of all actions but those of the environment ({environment}) are not enough{alone}. \
         `global` is enough, but it asks the environment, too, to take each of its steps again and again:"
    )
}

/// That weak and strong fairness alone would not do, of a property that assumes enough.
pub fn not_alone(advice: &Advice) -> String {
    let environment = listed(&advice.environment);
    if environment.is_empty() {
        return "Weak and strong fairness alone would not be enough.".to_owned();
    }
    format!(
        "Weak and strong fairness of all actions but those of the environment ({environment}) would not be enough alone."
    )
}

/// What stands before a run that has all weak and strong fairness.
pub fn fair_run(advice: &Advice) -> &'static str {
    if advice.environment.is_empty() {
        "This run has all weak and strong fairness:"
    } else {
        "This run has all weak and strong fairness of actions that are not the environment's:"
    }
}

/// The words around an assumption that is to be pasted: the `under` of a property that assumes something already, because that
/// replaces what is declared elsewhere, and otherwise a declaration.
pub fn clause(advice: &Advice) -> (&'static str, &'static str) {
    if advice.under || advice.declares { ("under", "") } else { ("fairness", ";") }
}

/// What to do about the present assumption, if that is not enough and something is known to be.
pub fn present(advice: &Advice) -> Option<String> {
    let now = if advice.declares { &advice.declared } else { "none" };
    if let Some(instead) = &advice.instead {
        return Some(format!(
            "What is assumed is not enough: `under {now}`. What the model declares for all properties is enough: `{instead}`. So \
             leave out this `under`."
        ));
    }
    let added = advice.addition.as_ref()?.join(" & ");
    let like = as_for(advice);
    Some(format!("What is assumed is not enough: `{now}`. Add `{added}`{like}."))
}

/// Which property assumes what is to be added.
pub fn as_for(advice: &Advice) -> String {
    advice.as_for.as_ref().map_or_else(String::new, |name| format!(", as {name} does"))
}

/// What is said beside the sets: why each part of the first is needed, which steps are not forced, for how many processes they
/// are enough.
pub fn beside(advice: &Advice) -> Vec<String> {
    let reasons = advice.reasons.iter().map(reason);
    reasons.chain(limits(advice)).collect()
}

/// What the sets do not say: which steps are not forced, what they count on, and for how many processes they are enough.
pub fn limits(advice: &Advice) -> impl Iterator<Item = String> {
    let choices = advice.choices.iter().map(choice).chain(advice.forced.iter().map(forced));
    choices.chain(all_brittle(advice)).chain(sizes(advice))
}

/// For how many processes the sets are enough.
fn sizes(advice: &Advice) -> Option<String> {
    let sizes = &advice.sizes;
    (!sizes.is_empty())
        .then(|| format!("This is for so many processes: {}. More may need more.", listed(sizes)))
}
