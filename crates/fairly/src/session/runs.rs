//! Runs that come from outside: saved ones, and those that a page holds. They are read as runs of a document, judged, and
//! looked at state by state.

use driver::replay::{self, Judged, Run, Saved};
use driver::truth::{self, Part};

use super::{Document, Watch};
use crate::Trace;

/// What is true along a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// The parts of each property, with their truth in each state.
    pub parts: Vec<(String, Vec<Part>)>,
    /// For each watched expression its value in each state, or what is wrong with it.
    pub watched: Vec<Result<Vec<Option<String>>, String>>,
}

/// The run that was saved. The error is a sentence.
fn read(document: &Document, saved: &Saved) -> Result<Run, String> {
    replay::read(document.checked_model().map_err(|obstacle| obstacle.to_string())?, saved)
}

/// A saved run with all that its steps change. The error is a sentence about a run that cannot be read.
pub fn trace(document: &Document, saved: &Saved) -> Result<Trace, String> {
    let run = read(document, saved)?;
    let trace = document.model().and_then(|model| run.trace(model));
    trace.ok_or_else(|| "a parameter has no value".to_owned())
}

/// Lets the judge look at a saved run: is it a counterexample to this property? The error is a sentence about a run that
/// cannot be read.
pub fn replay(
    document: &Document,
    saved: &Saved,
    property: &str,
    watch: &Watch<'_>,
) -> Result<Judged, String> {
    let run = read(document, saved)?;
    let model = document.checked_model().map_err(|obstacle| obstacle.to_string())?;
    let name = document.property(property)?;
    let model = watch.within(|world| run.model(model, world));
    let check = model.checks.iter().find(|check| check.task.property.name == *name);
    let check = check.ok_or_else(|| format!("there is no property `{property}`"))?;
    Ok(watch.within(|world| run.judged(model, &check.task, world)))
}

/// The same for the property that the run was saved with; `None` if the document has none of this name.
pub fn replay_own(document: &Document, saved: &Saved, watch: &Watch<'_>) -> Result<Option<Judged>, String> {
    let own = |name: &&String| document.properties().any(|known| known.to_string() == **name);
    saved.property.as_ref().filter(own).map(|name| replay(document, saved, name, watch)).transpose()
}

/// What is true in each state of a run: the parts of all properties, and expressions that are watched. The error is a
/// sentence about a run that cannot be read.
pub fn truth(document: &Document, saved: &Saved, watches: &[String]) -> Result<Truth, String> {
    let run = read(document, saved)?;
    let model = document.checked_model().map_err(|obstacle| obstacle.to_string())?;
    let parts = model
        .checks
        .iter()
        .map(|check| (check.task.property.name.to_string(), truth::parts(&check.task, &run)));
    let append = |more: &str| document.appended(more, &document.settings);
    let watched = watches.iter().map(|text| truth::watched(model, &run, text, &append));
    Ok(Truth { parts: parts.collect(), watched: watched.collect() })
}
