//! What was found out, kept for as long as it means the same.
//!
//! An answer depends on the system, the fairness, the property, the settings and what was asked: nothing else. So it is
//! kept with them, and given again if all are equal, whatever else in the text has changed. What a limit or the user cut
//! short is not kept. Nor is an undecided outcome: its notes name lines, and lines move.

use std::sync::Arc;

use driver::model::{Fairness, Property, System};
use driver::{Check, Model, Options};

use super::{Advice, Asked, Document, Obstacle, Watch, wanted};
use crate::{FairnessOption, Note, Outcome, Report, Verdict};

/// At most this many answers of a kind are kept; the oldest go first.
const MOST: usize = 512;

/// What has been found out about documents.
#[derive(Default)]
pub struct Session {
    outcomes: Kept<(Question, Manner), Outcome>,
    advice: Kept<Question, Advice>,
    /// Notes about models as a whole: they depend on all properties.
    notes: Kept<Vec<Question>, Vec<Note>>,
}

/// What an answer depends on, apart from how it was asked for.
#[derive(Clone, PartialEq)]
struct Question {
    system: Arc<System>,
    settings: Vec<(String, String)>,
    property: Property,
    fairness: Fairness,
    /// The claim as answers show it, with the names of definitions.
    claim: String,
}

/// How an answer was asked for.
#[derive(Clone, PartialEq)]
struct Manner {
    fairness: FairnessOption,
    engines: crate::Engines,
    without_notes: bool,
    explain: bool,
}

/// Answers to questions, the oldest first.
struct Kept<Q, A>(Vec<(Q, A)>);

impl<Q, A> Default for Kept<Q, A> {
    fn default() -> Kept<Q, A> {
        Kept(Vec::new())
    }
}

impl<Q: PartialEq, A: Clone> Kept<Q, A> {
    fn get(&self, question: &Q) -> Option<A> {
        self.0.iter().find(|(known, _)| known == question).map(|(_, answer)| answer.clone())
    }

    fn keep(&mut self, question: Q, answer: A) {
        self.0.retain(|(known, _)| *known != question);
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((question, answer));
    }
}

impl Session {
    /// Decides properties of a document. `each` is told every outcome as soon as it is known.
    pub fn check(
        &mut self,
        document: &Document,
        asked: &Asked,
        watch: &Watch<'_>,
        each: &mut dyn FnMut(&Outcome),
    ) -> Result<Report, Obstacle> {
        self.decide(document, asked, false, watch, each)
    }

    /// Decides properties of a document and explains the answers: each outcome has an explanation, where there is
    /// something to explain. For a property that holds this takes more decisions.
    pub fn explain(
        &mut self,
        document: &Document,
        asked: &Asked,
        watch: &Watch<'_>,
        each: &mut dyn FnMut(&Outcome),
    ) -> Result<Report, Obstacle> {
        self.decide(document, asked, true, watch, each)
    }

    fn decide(
        &mut self,
        document: &Document,
        asked: &Asked,
        explain: bool,
        watch: &Watch<'_>,
        each: &mut dyn FnMut(&Outcome),
    ) -> Result<Report, Obstacle> {
        let model = document.checked_model()?;
        let manner = Manner {
            fairness: asked.fairness,
            engines: asked.engines,
            without_notes: asked.without_notes,
            explain,
        };
        let checks = selected(model, &asked.properties)?;
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        for check in &checks {
            let known = self.outcomes.get(&(question(document, check), manner.clone())).map(|mut known| {
                let declared = asked.fairness == FairnessOption::Declared;
                known.expected = check.expected.filter(|_| declared);
                known
            });
            if let Some(known) = &known {
                each(known);
            }
            outcomes.push(known);
        }
        let all: Vec<Question> = model.checks.iter().map(|check| question(document, check)).collect();
        let notes = if asked.without_notes { Some(Vec::new()) } else { self.notes.get(&all) };
        let open: Vec<usize> = (0..checks.len()).filter(|place| outcomes[*place].is_none()).collect();
        if let (true, Some(notes)) = (open.is_empty(), &notes) {
            return Ok(Report {
                outcomes: outcomes.into_iter().flatten().collect(),
                notes: notes.clone(),
                strict: false,
            });
        }
        let mut names: Vec<String> =
            open.iter().map(|place| checks[*place].task.property.name.to_string()).collect();
        if names.is_empty() {
            // No list at all would select all properties; here only the notes are missing.
            names.push(String::new());
        }
        let options = Options {
            engines: asked.engines,
            fairness: asked.fairness,
            properties: names,
            settings: document.settings.clone(),
            without_notes: asked.without_notes,
            explain,
            ..Options::default()
        };
        let report = watch.within(|world| {
            let mut tell = |place: usize, outcome: &Outcome| {
                each(outcome);
                if outcome.verdict != Verdict::Unknown && (world.stop)().is_none() {
                    let question = question(document, checks[open[place]]);
                    self.outcomes.keep((question, manner.clone()), outcome.clone());
                }
            };
            driver::check_forms(&document.models(), &options, world, &mut tell).inspect(|report| {
                if (world.stop)().is_none() && !asked.without_notes {
                    self.notes.keep(all, report.notes.clone());
                }
            })
        })?;
        for (place, outcome) in open.into_iter().zip(report.outcomes) {
            outcomes[place] = Some(outcome);
        }
        Ok(Report { outcomes: outcomes.into_iter().flatten().collect(), notes: report.notes, strict: false })
    }

    /// Finds out which fairness properties of a document need. `each` is told every advice as soon as it is known.
    pub fn advise(
        &mut self,
        document: &Document,
        properties: &[String],
        watch: &Watch<'_>,
        each: &mut dyn FnMut(&Advice),
    ) -> Result<Vec<Advice>, Obstacle> {
        document.no_program("advice on fairness is for models with processes").map_err(Obstacle::NoAdvice)?;
        let model = document.checked_model()?;
        let checks = selected(model, properties)?;
        let mut found: Vec<Option<Advice>> =
            checks.iter().map(|check| self.advice.get(&question(document, check))).collect();
        found.iter().flatten().for_each(&mut *each);
        let open: Vec<usize> = (0..checks.len()).filter(|place| found[*place].is_none()).collect();
        if !open.is_empty() {
            let names = open.iter().map(|place| checks[*place].task.property.name.to_string()).collect();
            let options =
                Options { properties: names, settings: document.settings.clone(), ..Options::default() };
            let reload = |more: &str, settings: &[(String, String)]| document.appended(more, settings);
            watch
                .within(|world| {
                    driver::advise(model, &options, &wanted(), Some(&reload), world, &mut |place, advice| {
                        if !advice.finished {
                            return;
                        }
                        each(advice);
                        let check = checks[open[place]];
                        if (world.stop)().is_none() {
                            self.advice.keep(question(document, check), advice.clone());
                        }
                    })
                })?
                .into_iter()
                .zip(&open)
                .for_each(|(advice, place)| found[*place] = Some(advice));
        }
        Ok(found.into_iter().flatten().collect())
    }
}

/// The properties of these names, or all.
fn selected<'m>(model: &'m Model, names: &[String]) -> Result<Vec<&'m Check>, Obstacle> {
    if let Some(sentence) = driver::unknown_property(names, &[model]) {
        return Err(Obstacle::NoProperty(sentence));
    }
    let wanted = |check: &&Check| driver::selected(names, &check.task.property.name);
    Ok(model.checks.iter().filter(wanted).collect())
}

fn question(document: &Document, check: &Check) -> Question {
    Question {
        system: Arc::clone(check.task.system()),
        settings: document.settings.clone(),
        property: check.task.property.clone(),
        fairness: check.task.fairness.clone(),
        claim: check.claim(),
    }
}
