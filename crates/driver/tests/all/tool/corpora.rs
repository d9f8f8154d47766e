//! Collections of models of other tools, if they are present beside the project: their tables, questions with a limit, and
//! figures of what was decided.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use driver::{FairnessOption, Model, Options, StopReason, Verdict, World};
use engines::{Engine, Explicit};
use model::{Answer, Session, Task};

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

/// How long questions about a collection may take: each, and all together. What is not asked any more is unknown.
pub(crate) struct Time {
    each: Duration,
    all: Duration,
    start: Instant,
}

impl Time {
    /// So many seconds for each question, unless `FAIRLY_BEEM_SECONDS` says otherwise (for the collection `BEEM`), and
    /// `FAIRLY_BEEM_MINUTES` (an hour) for all.
    pub(crate) fn of(collection: &str, seconds: f64) -> Time {
        let number = |unit: &str, otherwise: f64| {
            let given = variable(&format!("FAIRLY_{collection}_{unit}"));
            given.map_or(otherwise, |text| text.parse().expect("a number"))
        };
        let each = Duration::from_secs_f64(number("SECONDS", seconds));
        Time { each, all: Duration::from_secs_f64(60.0 * number("MINUTES", 60.0)), start: Instant::now() }
    }

    /// So long for each question.
    pub(crate) fn each(each: Duration) -> Time {
        Time { each, all: Duration::MAX, start: Instant::now() }
    }

    pub(crate) fn passed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.passed() >= self.all
    }

    /// How long the next question may take.
    fn next(&self) -> Duration {
        self.each.min(self.all.saturating_sub(self.passed()))
    }
}

/// What was decided, by set.
#[derive(Default)]
pub(crate) struct Figures(BTreeMap<String, Figure>);

#[derive(Default)]
struct Figure {
    asked: usize,
    decided: usize,
    unrecorded: usize,
    wrong: usize,
    time: Duration,
}

impl Figures {
    /// Notes a question. `expected` is the recorded verdict, or the right one. Whether the answer is another one.
    pub(crate) fn note(&mut self, set: &str, found: &Asked, expected: &str) -> bool {
        let figure = self.0.entry(set.to_owned()).or_default();
        let is_decided = found.verdict != Verdict::Unknown;
        let is_recorded = matches!(expected, "holds" | "fails");
        let is_wrong = is_decided && is_recorded && found.verdict.name() != expected;
        figure.asked += 1;
        figure.decided += usize::from(is_decided);
        figure.unrecorded += usize::from(is_decided && !is_recorded);
        figure.wrong += usize::from(is_wrong);
        figure.time += found.time;
        is_wrong
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (set, own) in &self.0 {
            let Figure { asked, decided, unrecorded, wrong, time } = own;
            writeln!(
                f,
                "{set}: {decided} of {asked} decided, {unrecorded} of which have no record, {wrong} wrong; {time:.0?}"
            )?;
        }
        Ok(())
    }
}

/// The answer to a question.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) verdict: Verdict,
    pub(crate) time: Duration,
}

/// The answer about each claim of a model, asked one after the other, each within a limit.
pub(crate) fn verdicts(model: &Model, fairness: FairnessOption, time: &Time) -> Vec<(String, Asked)> {
    let ask = |check: &driver::Check| {
        let (start, limit) = (Instant::now(), time.next());
        let name = check.task.property.name.to_string();
        if limit.is_zero() {
            return (name, Asked { verdict: Verdict::Unknown, time: Duration::ZERO });
        }
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
        (outcome.property.to_string(), Asked { verdict: outcome.verdict, time: start.elapsed() })
    };
    model.checks.iter().map(ask).collect()
}

/// The numbers of states and steps of a system, without any reduction, unless they are not counted within a limit. The
/// claim must be one that needs all states.
pub(crate) fn counts(task: &Task, time: &Time) -> Option<(u64, u64)> {
    let engine = Explicit { reductions: false, notes: false, ..Explicit::default() };
    let (start, limit) = (Instant::now(), time.next());
    let stop = || (start.elapsed() >= limit).then_some(StopReason::Time);
    let session = Session::new(&stop, &|_| {}, 4 << 30, 1);
    match engine.check(task, &session).expect("a finite model") {
        Answer::Unknown(_) => None,
        _ => Some((session.counted("states")?, session.counted("transitions")?)),
    }
}
