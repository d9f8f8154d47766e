//! Advice for scripts. Only this file knows its public JSON format, which `docs/json.md` describes.

use driver::advise::{AdditionKind, Extent, Hopeless, Ladder, Needs, RUNGS};
use driver::{Advice, Expect};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The version of the format.
const FORMAT: u32 = 1;

/// All advice as a JSON document.
pub fn document(model: &str, advice: &[Advice]) -> String {
    let properties = advice.iter().map(entry).collect();
    let document = Document { format: FORMAT, model, properties };
    // Invariant: only names and lists, which JSON can always express.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// Advice in the same format, as data.
pub fn value(advice: &[Advice]) -> serde_json::Value {
    // Invariant: as above.
    serde_json::to_value(advice.iter().map(entry).collect::<Vec<_>>()).unwrap_or_default()
}

#[derive(serde::Serialize)]
struct Document<'a> {
    format: u32,
    model: &'a str,
    properties: Vec<Entry<'a>>,
}

#[derive(serde::Serialize)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Entry<'a> {
    property: String,
    scope: &'a str,
    ladder: Rungs<'a>,
    needs: &'static str,
    minimal: &'a [Vec<String>],
    vacuous: Vec<Vacuous<'a>>,
    brittle: &'a [usize],
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<&'a [String]>,
    environment: &'a [String],
    extent: &'static str,
    reasons: Vec<Reason<'a>>,
    choices: Vec<Choice<'a>>,
    forced: Vec<Forced<'a>>,
    sizes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    for_family: Option<&'a [String]>,
    declared: &'a str,
    under: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<&'a str>,
    expected_to_fail: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    addition: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_place: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    if_it_ends: Option<&'a [String]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    if_stuttering: bool,
    no_fair_run: bool,
    superfluous: &'a [String],
    superfluous_together: &'a [String],
    too_strong: Vec<TooStrong<'a>>,
    unrealisable: Vec<Unrealisable<'a>>,
    notes: Vec<String>,
}

/// A minimal set, by its position, under which a premise of the property never happens.
#[derive(serde::Serialize)]
struct Vacuous<'a> {
    set: usize,
    premise: &'a str,
}

/// A requirement of the first set, and a run that is left without it, or with a weaker one.
#[derive(serde::Serialize)]
struct Reason<'a> {
    requirement: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    weaker: Option<&'a str>,
    run: &'a str,
}

/// A requirement that other steps than the one it names can meet.
#[derive(serde::Serialize)]
struct Choice<'a> {
    requirement: &'a str,
    others: &'a [String],
}

/// A requirement on a process that failures can meet.
#[derive(serde::Serialize)]
struct Forced<'a> {
    requirement: &'a str,
    failures: &'a [String],
}

#[derive(serde::Serialize)]
struct TooStrong<'a> {
    requirement: &'a str,
    suffices: &'a str,
}

#[derive(serde::Serialize)]
struct Unrealisable<'a> {
    requirement: &'a str,
    state: State<'a>,
}

/// A verdict per kind of fairness, in the order of the table.
struct Rungs<'a>(&'a Ladder);

impl Serialize for Rungs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(RUNGS.iter().map(|rung| (rung.name(), self.0.verdict(*rung).name())))
    }
}

/// The value of each variable of a state, in the order of the model.
struct State<'a>(&'a [driver::report::Binding]);

impl Serialize for State<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for binding in self.0 {
            map.serialize_entry(&binding.name(), &crate::results::shown(&binding.value))?;
        }
        map.end()
    }
}

/// The advice on one property, as it stands in the document.
pub(crate) fn entry(advice: &Advice) -> Entry<'_> {
    let too_strong = advice.surplus.too_strong.iter();
    let unrealisable = advice.unrealisable.iter();
    Entry {
        property: advice.property.to_string(),
        scope: &advice.scope,
        ladder: Rungs(&advice.ladder),
        needs: match advice.needs {
            Needs::Nothing => "nothing",
            Needs::Some => "some",
            Needs::Excluded => "excluded",
            Needs::Global => "global",
            Needs::More => "more",
            Needs::Hopeless(Hopeless::Deadlock) => "hopeless: deadlock",
            Needs::Hopeless(Hopeless::Run) => "hopeless: run",
            Needs::Hopeless(Hopeless::Drift) => "hopeless: drift",
            Needs::Hopeless(Hopeless::State) => "hopeless: state",
            Needs::Hopeless(Hopeless::Prefix) => "hopeless: prefix",
            Needs::Hopeless(Hopeless::Fault) => "hopeless: fault",
            Needs::Branching => "branching",
            Needs::Unknown => "unknown",
        },
        minimal: &advice.minimal,
        vacuous: advice.vacuous.iter().map(|(set, premise)| Vacuous { set: *set, premise }).collect(),
        brittle: &advice.brittle,
        beside: advice.beside.as_deref(),
        environment: &advice.environment,
        extent: match advice.extent {
            Extent::All => "all",
            Extent::Cheapest => "cheapest",
            Extent::Some => "some",
        },
        reasons: advice
            .reasons
            .iter()
            .map(|reason| Reason {
                requirement: &reason.requirement,
                weaker: reason.weaker.as_deref(),
                run: &reason.run,
            })
            .collect(),
        choices: advice
            .choices
            .iter()
            .map(|choice| Choice { requirement: &choice.requirement, others: &choice.others })
            .collect(),
        forced: advice
            .forced
            .iter()
            .map(|forced| Forced { requirement: &forced.requirement, failures: &forced.failures })
            .collect(),
        sizes: &advice.sizes,
        for_family: advice.for_family.as_deref(),
        declared: &advice.declared,
        under: advice.under,
        instead: advice.instead.as_deref(),
        expected_to_fail: advice.expected == Some(Expect::Fails),
        addition: advice.addition.as_deref().filter(|_| advice.addition_kind != AdditionKind::Instead),
        in_place: advice.addition.as_deref().filter(|_| advice.addition_kind == AdditionKind::Instead),
        if_it_ends: advice.if_it_ends.as_deref(),
        if_stuttering: advice.ends_if_stuttering,
        no_fair_run: advice.no_fair_run,
        superfluous: &advice.surplus.superfluous,
        superfluous_together: &advice.surplus.together,
        too_strong: too_strong.map(|(requirement, suffices)| TooStrong { requirement, suffices }).collect(),
        unrealisable: unrealisable
            .map(|found| Unrealisable { requirement: &found.requirement, state: State(&found.state) })
            .collect(),
        notes: advice.notes.iter().map(ToString::to_string).collect(),
    }
}
