//! What advice says beside the sets themselves, in sentences. Text and pages show the same ones.

use super::{AdditionKind, Advice, Choice, Forced, Hopeless, Needs, Reason, Surplus};
use crate::explain::listed;
use crate::options::FairnessOption;
use crate::report::{Note, Verdict};

/// What is left if a requirement is dropped, or only weak. Requirements for which this is the same are named together.
pub fn reasons(advice: &Advice) -> Vec<String> {
    let mut groups: Vec<(&Reason, Vec<String>)> = Vec::new();
    for reason in &advice.reasons {
        let is_alike = |(first, _): &&mut (&Reason, Vec<String>)| {
            first.run == reason.run && first.weaker.is_some() == reason.weaker.is_some()
        };
        let name = format!("`{}`", reason.requirement);
        match groups.iter_mut().find(is_alike) {
            Some((_, names)) => names.push(name),
            None => groups.push((reason, vec![name])),
        }
    }
    let sentence = |(reason, names): (&Reason, Vec<String>)| {
        let one = if names.len() == 1 { "" } else { "one of " };
        match &reason.weaker {
            Some(_) => format!("if {one}{} is only weak: {}", listed(&names), reason.run),
            None => format!("without {one}{}: {}", listed(&names), reason.run),
        }
    };
    groups.into_iter().map(sentence).collect()
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

/// What stands before sets that are all enough only because nothing else can move meanwhile, if one that is enough beside
/// others has been shown.
pub fn only_here_less(advice: &Advice) -> Option<&'static str> {
    let one = advice.minimal.len() == 1;
    shown_beside(advice).map(|_| {
        if one {
            "Here, where nothing else can move meanwhile, this is enough:"
        } else {
            "Here, where nothing else can move meanwhile, any one of these is enough:"
        }
    })
}

/// What is enough even beside other processes, if the sets are not.
pub fn shown_beside(advice: &Advice) -> Option<&[String]> {
    let all = !advice.brittle.is_empty() && advice.brittle.len() == advice.minimal.len();
    advice.beside.as_deref().filter(|_| all && advice.needs == Needs::Some)
}

/// What stands before that.
pub const BESIDE: &str = "This is enough, also beside other processes:";

/// That processes rest which may have to go on, in a sentence with a space before it; empty if there are none.
pub(crate) fn go_on(rests: &[String]) -> String {
    if rests.is_empty() {
        return String::new();
    }
    let they = if rests.len() == 1 { "it has" } else { "they have" };
    format!(" {} may rest for ever; if {they} to go on, write `skip` in place of `stay`.", listed(rests))
}

/// That one of several sets is enough only because nothing else can move meanwhile. `None` if it is said of all of them.
pub fn brittle(advice: &Advice, set: usize) -> Option<&'static str> {
    let some = advice.brittle.contains(&set) && advice.brittle.len() < advice.minimal.len();
    some.then_some("only because nothing else can move meanwhile; with `stuttering` it is not enough")
}

/// Why there is no least assumption for a claim that some runs exist.
const BRANCHING: &str =
    "It asks for fair runs to exist, so more fairness may make it false: there is no least assumption.";

/// What stands before an assumption that is enough for such a claim.
pub const FOR_EXAMPLE: &str = "This, for example, is enough:";

/// Those of the superfluous requirements that are needed as soon as something else can move, in a sentence.
pub fn only_here(surplus: &Surplus) -> Option<String> {
    let robust = surplus.with_stuttering.as_ref()?;
    let needed: Vec<&str> = surplus
        .superfluous
        .iter()
        .filter(|one| !robust.superfluous.contains(one))
        .map(String::as_str)
        .collect();
    let is = if needed.len() == 1 { "it is" } else { "they are" };
    (!needed.is_empty()).then(|| {
        format!(
            "{}; with `stuttering`, or beside other processes, {is} needed: here nothing else can move meanwhile",
            needed.join(", ")
        )
    })
}

/// That all sets are enough only because nothing else can move meanwhile, and what is enough if something can.
fn all_brittle(advice: &Advice) -> Option<String> {
    if advice.brittle.is_empty() || advice.brittle.len() < advice.minimal.len() {
        return None;
    }
    let these = match (advice.needs, advice.minimal.len()) {
        (Needs::Nothing, _) => "This is so",
        (_, 1) => "This set is enough",
        _ => "These sets are enough",
    };
    let (word, end) = clause(advice);
    let then = match (&advice.beside, advice.needs) {
        (Some(beside), _) => format!("use `{word} {}{end}`", beside.join(" & ")),
        (None, Needs::Nothing) => "it needs some".to_owned(),
        (None, _) => "more is needed".to_owned(),
    };
    Some(format!(
        "{these} only because nothing else can move meanwhile; with `stuttering`, or beside other processes, {then}."
    ))
}

/// What is said of a property for which weak and strong fairness alone are not enough, though strong global fairness is.
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct BeyondStrong {
    /// The sentence.
    pub sentence: String,
    /// Whether `global` is offered after it.
    pub offers_global: bool,
    /// How to assume less.
    pub less: Option<String>,
    /// Whether a run shows why.
    pub shows_run: bool,
    /// Whether it is known that no fairness of steps repairs it.
    pub repairs_nothing: bool,
}

/// What is said of a property that needs more than weak and strong fairness alone.
pub fn beyond_strong(advice: &Advice) -> BeyondStrong {
    let only = |sentence: String, shows_run, repairs_nothing| BeyondStrong {
        sentence,
        offers_global: false,
        less: None,
        shows_run,
        repairs_nothing,
    };
    let holds = advice.ladder.verdict(FairnessOption::Declared) == Verdict::Holds;
    // Who assumes enough, or knows what to add, is not offered `global`, which asks everybody for everything.
    if holds || advice.addition.is_some() {
        return only(not_alone(advice), false, false);
    }
    if let Some((_, premise)) = advice.vacuous.first() {
        return only(
            format!(
                "No fairness repairs this: weak and strong fairness are not enough, and under `global` it holds only because \
                 `{premise}` never happens then. {CHANGE}"
            ),
            false,
            true,
        );
    }
    if advice.fails_whatever_is_expected {
        return only(whatever_is_expected(&advice.failures, &advice.environment, None), true, true);
    }
    let less = match &advice.if_it_ends {
        Some(set) => {
            let expected = meaning(set, AdditionKind::Ends).unwrap_or_default();
            let says = if advice.ends_if_stuttering {
                " and the model says `stuttering`, because here nothing else can move meanwhile"
            } else {
                ""
            };
            format!("Less is enough {expected}{says}:")
        }
        None if !advice.rests.is_empty() => format!("{} {LESS}", go_on(&advice.rests).trim_start()),
        None if advice.environment.is_empty() => LESS.to_owned(),
        None => LESS_OUTSIDE.to_owned(),
    };
    BeyondStrong {
        sentence: global(advice),
        offers_global: true,
        less: Some(less),
        shows_run: true,
        repairs_nothing: false,
    }
}

/// What a property needs, in a sentence. `None` if that is a choice of requirements.
pub fn needs(advice: &Advice) -> Option<String> {
    Some(match advice.needs {
        Needs::Some => return None,
        Needs::Nothing => match advice.vacuous.first() {
            Some((_, premise)) => format!("Needs no fairness, and says nothing: `{premise}` never happens."),
            None => "Needs no fairness.".to_owned(),
        },
        Needs::Global => beyond_strong(advice).sentence,
        Needs::More => {
            let tells = |note: &Note| matches!(note, Note::NotKnownUnder(FairnessOption::Global, _));
            let global =
                if advice.notes.iter().any(tells) { "" } else { "; whether `global` is, is not known" };
            format!("Weak and strong fairness of every action are not enough{global}.")
        }
        Needs::Unknown => "What it needs is not known.".to_owned(),
        Needs::Excluded => {
            "It needs fairness to what was excluded: strong fairness of everything else is not enough."
                .to_owned()
        }
        Needs::Branching => BRANCHING.to_owned(),
        Needs::Hopeless(_) if advice.addition.is_some() => NOT_ALONE.to_owned(),
        Needs::Hopeless(why) => hopeless(why),
    })
}

/// That no fairness helps, before the run or path that shows it.
fn hopeless(why: Hopeless) -> String {
    let because = match why {
        Hopeless::Deadlock => "No weak, strong or global fairness helps: this run ends in a deadlock.",
        Hopeless::Run => "No weak, strong or global fairness helps: this run is fair in all these senses.",
        Hopeless::Drift => {
            "No weak, strong or global fairness helps: this run has all weak and strong fairness, and `global` asks for nothing \
             on a run that goes through new states for ever."
        }
        Hopeless::State => "No fairness helps: fairness has no say in what can be reached.",
        Hopeless::Prefix => "No fairness helps: after this path it is false, whatever follows.",
        Hopeless::Fault => "No fairness helps: a fault can be reached.",
    };
    format!("{because} {CHANGE}")
}

/// That no fairness is enough alone, although something is in addition.
pub(crate) const NOT_ALONE: &str =
    "No weak, strong or global fairness is enough alone: failures or the environment may go on for ever.";

/// What is left to do where no fairness helps.
pub(crate) const CHANGE: &str = "To make it hold, change the model or the claim.";

/// That nothing helps, whatever is expected of these failures and of these actions of the environment.
pub(crate) fn whatever_is_expected(
    failures: &[String],
    environment: &[String],
    left: Option<&String>,
) -> String {
    let who = match (failures, environment) {
        (failures, []) => format!("failures ({}) end at some time", listed(failures)),
        (failures, outside) => {
            let both: Vec<&String> = failures.iter().chain(outside).collect();
            format!(
                "failures and steps of the environment ({}) end at some time, and even if the environment takes its steps as \
                 fairly as the model",
                listed(&both)
            )
        }
    };
    let left = left.map_or_else(String::new, |left| format!(" Where they have ended, {left}."));
    format!(
        "No fairness of steps repairs this: it fails even if {who}.{left} Only `global` would do: it asks everybody for each \
         possible step again and again. {CHANGE}"
    )
}

/// What to do where nothing less than `global` is known to be enough.
const LESS: &str = "Less may be enough: `justice (p)` says that `p` is true again and again, `compassion (taken(P.a), false)` that \
     `P.a` happens only finitely often.";

/// The same, if there is an environment.
const LESS_OUTSIDE: &str = "If the environment may do as it likes, change the claim. Or say what can be expected of it: `justice (p)` \
     says that `p` is true again and again, `compassion (taken(P.a), false)` that `P.a` happens only finitely often.";

/// What strong global fairness asks for where nothing less is enough.
fn global(advice: &Advice) -> String {
    let environment = listed(&advice.environment);
    let alone = if advice.declares { " alone" } else { "" };
    let beside = if advice.not_beside_global {
        ", in place of what is assumed (together they leave no fair run)"
    } else {
        ""
    };
    if environment.is_empty() {
        return format!(
            "Weak and strong fairness are not enough{alone}, whatever they are asked of. `global` is{beside}:"
        );
    }
    format!(
        "Weak and strong fairness of all actions but those of the environment ({environment}) are not enough{alone}. \
         `global` is enough{beside}, but then the environment, too, must take each of its possible steps again and \
         again:"
    )
}

/// That weak and strong fairness alone would not do.
fn not_alone(advice: &Advice) -> String {
    let environment = listed(&advice.environment);
    if environment.is_empty() {
        return "Weak and strong fairness alone would not be enough.".to_owned();
    }
    format!(
        "Weak and strong fairness of all actions but those of the environment ({environment}) would not be enough alone."
    )
}

/// What some requirements say that need words: that actions happen finitely often, and that something is asked of the
/// environment.
pub(crate) fn meaning(requirements: &[String], kind: AdditionKind) -> Option<String> {
    let ends =
        |text: &String| Some(text.strip_prefix("compassion (taken(")?.strip_suffix("), false)")?.to_owned());
    let ending: Vec<String> = requirements.iter().filter_map(ends).collect();
    let asks = kind == AdditionKind::Expected && ending.is_empty();
    match (&ending[..], kind) {
        ([], AdditionKind::Condition) => {
            Some(format!("`{}` says that this is true again and again", requirements[0]))
        }
        ([], _) => asks.then(|| "if the environment can be expected to do that".to_owned()),
        ([one], _) => Some(format!("if it can be expected that {one} happens only finitely often")),
        (several, _) => {
            Some(format!("if it can be expected that {} happen only finitely often", listed(several)))
        }
    }
}

/// What stands before a run that has all weak and strong fairness.
pub fn fair_run(advice: &Advice) -> &'static str {
    if advice.fails_whatever_is_expected {
        "On this run they have ended:"
    } else if advice.environment.is_empty() {
        "This run has all weak and strong fairness:"
    } else {
        "This run has all weak and strong fairness of actions that are not the environment's:"
    }
}

/// The words around an assumption that is to be pasted: the `under` of a property that assumes something already, because
/// that replaces what is declared elsewhere, and otherwise a declaration.
pub fn clause(advice: &Advice) -> (&'static str, &'static str) {
    if advice.under || advice.declares { ("under", "") } else { ("fairness", ";") }
}

/// What to do about the present assumption, if that is not enough and something is known to be.
pub fn present(advice: &Advice) -> Option<String> {
    let now = if advice.declares { &advice.declared } else { "none" };
    if let Some(instead) = &advice.instead {
        let otherwise = if instead == "none" {
            "without fairness it holds".to_owned()
        } else {
            format!("under what the model declares for all properties, `{instead}`, it holds")
        };
        return Some(format!(
            "Under what is assumed, `{now}`, the property fails; {otherwise}. So leave out this `under`."
        ));
    }
    let added = advice.addition.as_ref()?.join(" & ");
    let like = as_for(advice);
    let meaning = added_means(advice).map_or_else(String::new, |meaning| format!(" ({meaning})"));
    if advice.addition_kind == AdditionKind::Instead {
        return Some(format!("What is assumed is not enough: `{now}`. Use `{added}` in its place{meaning}."));
    }
    Some(format!("What is assumed is not enough: `{now}`. Add `{added}`{like}{meaning}."))
}

/// What the addition says, if that needs words.
pub fn added_means(advice: &Advice) -> Option<String> {
    meaning(advice.addition.as_ref()?, advice.addition_kind)
}

/// Which property assumes what is to be added.
pub fn as_for(advice: &Advice) -> String {
    advice.as_for.as_ref().map_or_else(String::new, |name| format!(", as {name} does"))
}

/// What is said beside the sets: why each part of the first is needed, which steps are not forced, for how many processes
/// they are enough.
pub fn beside(advice: &Advice) -> Vec<String> {
    let only_here = all_brittle(advice).filter(|_| shown_beside(advice).is_some());
    reasons(advice).into_iter().chain(only_here).chain(limits(advice)).collect()
}

/// What the sets do not say: which steps are not forced, what they count on if no other set has been shown, and for how
/// many processes they are enough.
pub fn limits(advice: &Advice) -> impl Iterator<Item = String> {
    let said = |one: &&Forced| !advice.forced_already.contains(one);
    let forced = advice.forced_already.iter().chain(advice.forced.iter().filter(said)).map(forced);
    let choices = advice.choices.iter().map(choice).chain(forced);
    choices.chain(all_brittle(advice).filter(|_| shown_beside(advice).is_none())).chain(sizes(advice))
}

/// For how many processes the sets are enough.
fn sizes(advice: &Advice) -> Option<String> {
    let sizes = &advice.sizes;
    (!sizes.is_empty())
        .then(|| format!("This is known for {} only; with more of them, more may be needed.", listed(sizes)))
}
