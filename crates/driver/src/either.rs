//! Checks a program that can be written as a model in several ways: first one of them, then the next where it is undecided.
//!
//! All models have the same properties, and an answer for any of them is an answer for the program. Which of them an
//! engine can decide is not known before, so each has only a part of the time that is left.

use std::time::Duration;

use lang::Model;
use model::StopReason;

use crate::check::{Problem, check};
use crate::options::Options;
use crate::report::{Outcome, Report, Verdict};
use crate::world::World;

/// Checks the selected properties of the first model, then those that are open of the next, and so on. `until` says when
/// the first of so many models should end. `each` is told every outcome, with its place among the selected properties.
pub fn check_either(
    models: &[&Model],
    until: &(dyn Fn(usize) -> Option<Duration> + Sync),
    options: &Options,
    world: &World<'_>,
    each: &mut dyn FnMut(usize, &Outcome),
) -> Result<Report, Problem> {
    let open = |outcome: &Outcome| outcome.verdict == Verdict::Unknown && outcome.dispute.is_none();
    let mut report: Option<Report> = None;
    for (number, model) in models.iter().enumerate() {
        let end = until(models.len() - number);
        let stop = || (world.stop)().or_else(|| ((world.clock)() >= end?).then_some(StopReason::Time));
        let world = World { stop: &stop, ..*world };
        let Some(known) = &mut report else {
            report = Some(check(model, options, &world, &mut |_, _| {})?);
            continue;
        };
        let names: Vec<String> = known
            .outcomes
            .iter()
            .filter(|outcome| open(outcome))
            .map(|outcome| outcome.property.to_string())
            .collect();
        if names.is_empty() {
            break;
        }
        let options = Options { properties: names, ..options.clone() };
        for outcome in check(model, &options, &world, &mut |_, _| {})?.outcomes {
            let place = known.outcomes.iter_mut().find(|other| other.property == outcome.property);
            // The reason of the first is kept if it is no better.
            if let Some(place) = place
                && !open(&outcome)
            {
                *place = outcome;
            }
        }
    }
    let report = report.unwrap_or_default();
    report.outcomes.iter().enumerate().for_each(|(place, outcome)| each(place, outcome));
    Ok(report)
}
