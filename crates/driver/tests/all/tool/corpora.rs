//! Collections of models of other tools, if they are present beside the project: their tables, and questions with a limit.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use driver::{FairnessOption, Model, Options, StopReason, Verdict, World};
use engines::{Engine, Explicit};
use model::{Session, Task};

/// A collection: its folder and its table of recorded facts.
pub(crate) struct Collection {
    pub(crate) folder: PathBuf,
    table: String,
}

impl Collection {
    /// The collection of this name, if it is here.
    pub(crate) fn open(name: &str) -> Option<Collection> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
        let table = std::fs::read_to_string(folder.join(format!("{name}.tsv"))).ok();
        if table.is_none() {
            println!("the collection {name} is not here, so nothing was checked");
        }
        Some(Collection { folder, table: table? })
    }

    /// The fields of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec<&str>> {
        self.table.lines().skip(1).map(|line| line.split('\t').collect())
    }

    pub(crate) fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).expect("a file of the collection")
    }
}

/// An environment variable.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The greatest number of recorded states of the models to check: that of the variable, in which `all` is no limit.
pub(crate) fn most_states(name: &str, default: u64) -> u64 {
    match variable(name).as_deref() {
        Some("all") => u64::MAX,
        Some(number) => number.parse().expect("a number, or `all`"),
        None => default,
    }
}

/// The time limit of a question, in seconds.
pub(crate) fn limit(name: &str, default: f64) -> Duration {
    Duration::from_secs_f64(variable(name).and_then(|text| text.parse().ok()).unwrap_or(default))
}

/// The verdict on each claim of a model, asked one after the other, each within a limit.
pub(crate) fn verdicts(model: &Model, fairness: FairnessOption, limit: Duration) -> Vec<(String, Verdict)> {
    let ask = |check: &driver::Check| {
        let start = Instant::now();
        let world = World {
            stop: &|| (start.elapsed() >= limit).then_some(StopReason::Time),
            clock: &|| start.elapsed(),
            memory: 4 << 30,
            ..World::unlimited()
        };
        let one = Model { checks: vec![check.clone()], ..model.clone() };
        let options = Options { fairness, ..Options::default() };
        let report = driver::check(&one, &options, &world, &mut |_, _| {}).expect("a report");
        let outcome = &report.outcomes[0];
        assert!(outcome.dispute.is_none(), "{:?}", outcome.dispute);
        (outcome.property.to_string(), outcome.verdict)
    };
    model.checks.iter().map(ask).collect()
}

/// The numbers of states and steps of a system, without any reduction. The claim must be one that needs all states.
pub(crate) fn counts(task: &Task) -> (Option<u64>, Option<u64>) {
    let engine = Explicit { reductions: false, notes: false, ..Explicit::default() };
    let session = Session::unlimited();
    engine.check(task, &session).expect("a finite model");
    (session.counted("states"), session.counted("transitions"))
}
