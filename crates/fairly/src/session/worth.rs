//! What answers are worth. A property that holds may say less than it seems to: it is vacuous, it is true of every run of
//! every model, no scheduler can provide its fairness, or it assumes more than it needs. Who reads only verdicts must not
//! miss that.

use std::time::Duration;

use driver::model;

use super::{Advice, Asked, Bounds, Document, Obstacle, Session, Watch};
use crate::{FairnessOption, Note, Outcome, Report, Verdict};

/// Answers, and what they are worth.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The answers.
    pub report: Report,
    /// For each of them, what it is worth.
    pub worth: Vec<Worth>,
    /// What is wrong with the model as a whole, in sentences.
    pub concerns: Vec<String>,
}

/// What an answer is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worth {
    /// Why a property that holds may say less than it seems to, in sentences.
    pub concerns: Vec<String>,
    /// The parts of its fairness that are more than it needs, in sentences.
    pub excess: Vec<String>,
    /// Whether it assumes what it needs.
    pub assumes: Assumes,
}

/// Whether what a property assumes is what it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assumes {
    /// It does not hold, or it assumes nothing.
    #[default]
    Nothing,
    /// It is.
    Enough,
    /// It assumes more.
    TooMuch,
    /// No scheduler can provide it.
    Impossible,
    /// This was not found out.
    Unknown,
}

impl Session {
    /// Decides properties of a document, explains the answers if that is wanted, and finds out what they are worth.
    pub fn examine(
        &mut self,
        document: &Document,
        asked: &Asked,
        explain: bool,
        watch: &Watch<'_>,
    ) -> Result<Examined, Obstacle> {
        let start = (watch.clock)();
        let report = if explain {
            self.explain(document, asked, watch, &mut |_| {})?
        } else {
            self.check(document, asked, watch, &mut |_| {})?
        };
        let declared = asked.fairness == FairnessOption::Declared;
        let assumed: Vec<String> = report
            .outcomes
            .iter()
            .filter(|outcome| declared && rests_on_fairness(outcome))
            .map(|outcome| outcome.property.to_string())
            .collect();
        let mut advice = Vec::new();
        if !assumed.is_empty() {
            let left = |limit: Duration| limit.saturating_sub((watch.clock)().saturating_sub(start));
            let bounds = Bounds { time: watch.bounds.time.map(left), ..watch.bounds };
            // Without advice it is unknown what they need, and that is said.
            let found = self.advise(document, &assumed, &Watch { bounds, ..*watch }, &mut |_| {});
            advice = found.unwrap_or_default();
        }
        let own = |outcome: &Outcome| advice.iter().find(|own| own.property == outcome.property);
        let worth = report.outcomes.iter().map(|outcome| worth(outcome, own(outcome))).collect();
        let concerns = report.notes.iter().filter(|note| weakens(note)).map(ToString::to_string).collect();
        Ok(Examined { report, worth, concerns })
    }
}

fn worth(outcome: &Outcome, advice: Option<&Advice>) -> Worth {
    Worth {
        concerns: concerns(outcome).into_iter().chain(advice.into_iter().flat_map(impossible)).collect(),
        excess: advice.map(excess).unwrap_or_default(),
        assumes: assumes(outcome, advice),
    }
}

/// Whether a property holds and assumes some fairness.
fn rests_on_fairness(outcome: &Outcome) -> bool {
    outcome.verdict == Verdict::Holds && !outcome.is_vacuous() && outcome.fairness != "none"
}

/// Why a property that holds may say less than it seems to.
fn concerns(outcome: &Outcome) -> Vec<String> {
    if outcome.verdict != Verdict::Holds {
        return Vec::new();
    }
    let notes = outcome.notes.iter().filter(|note| weakens(note)).map(ToString::to_string);
    let nothing = driver::is_always_true(&outcome.claim)
        .then(|| "it says nothing: it is true of every run of every model".to_owned());
    nothing.into_iter().chain(notes).collect()
}

/// Whether a note says that an answer or a model is worth less than it seems.
fn weakens(note: &Note) -> bool {
    use model::Note as Fact;
    matches!(
        note,
        Note::NoFairRun(_)
            | Note::WithoutConditions(_)
            | Note::VacuousInPart(_)
            | Note::Deadlock { .. }
            | Note::NeverReached(_)
            | Note::NeverEnabled(_)
            | Note::NotTheProgram { .. }
            | Note::Fact(
                Fact::NoInitialState
                    | Fact::Vacuous { .. }
                    | Fact::EmptyAutomaton { .. }
                    | Fact::Unrealisable(_)
            )
    )
}

/// The parts of the fairness of a property that no scheduler can provide, in sentences.
pub fn impossible(advice: &Advice) -> Vec<String> {
    let sentence = |own: &driver::advise::Unrealisable| {
        let state = model::show::listed(&own.state);
        format!(
            "its fairness cannot be met: no scheduler can provide `{}` from the state {state}",
            own.requirement
        )
    };
    advice.unrealisable.iter().map(sentence).collect()
}

/// The parts of the fairness of a property that are more than it needs, in sentences.
pub fn excess(advice: &Advice) -> Vec<String> {
    let strong = advice.surplus.too_strong.iter().map(|(requirement, suffices)| {
        format!("its fairness is too strong: `{suffices}` suffices in place of `{requirement}`")
    });
    let needless = advice.surplus.superfluous.iter();
    strong.chain(needless.map(|own| format!("its fairness is more than it needs: not `{own}`"))).collect()
}

fn assumes(outcome: &Outcome, advice: Option<&Advice>) -> Assumes {
    let free = outcome
        .notes
        .iter()
        .any(|note| matches!(note, Note::WithoutFairness | Note::Fact(model::Note::HoldsWithoutFairness)));
    match advice {
        _ if !rests_on_fairness(outcome) => Assumes::Nothing,
        Some(advice) if !advice.unrealisable.is_empty() => Assumes::Impossible,
        Some(advice) if free || !excess(advice).is_empty() => Assumes::TooMuch,
        _ if free => Assumes::TooMuch,
        Some(advice) if advice.notes.is_empty() => Assumes::Enough,
        _ => Assumes::Unknown,
    }
}
