//! `fairly-bench choice`: compares the cost of the automatic choice of an engine with the best engine.
//!
//! Every question is put to `--engine auto` and then to each engine alone. The best engine is the one that decides
//! everything `auto` decides in the least CPU time. A row is within the bar if `auto` takes at most three times that,
//! and 30 milliseconds more. If no single engine decides everything in an example, its properties are asked one by one.
//!
//! Two things keep this short. An engine that is slower than the best so far is stopped after four times that, and a
//! second. The engine that `auto` has chosen is asked first. Two things make it exact. A run of less than a tenth of
//! a second is repeated three times and the least time counts. Rows are run one after the other.

mod questions;
mod show;

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use crate::arguments::{ChoiceArguments, Figures};
use crate::exit::Exit;
use crate::files::{self, Folder};
use crate::interrupt;
use crate::measure::{self, Bench};
use crate::process::{self, End};
use crate::rows;
use crate::screen::{complain, show};
use questions::Question;

/// The engines, as `--engine` names them.
const ENGINES: [&str; 5] = ["explicit", "symbolic", "local", "counter", "infinite"];

/// `auto` may take this many times the time of the best engine …
const FACTOR: f64 = 3.0;
/// … and this many seconds more.
const START: f64 = 0.03;

/// A run that takes fewer seconds is repeated three times.
const SHORT: f64 = 0.1;

/// The result of a run, and its cost.
#[derive(Clone, Debug, Default)]
struct Answer {
    /// The properties that were decided, and whether they hold.
    decided: BTreeMap<String, bool>,
    /// How many properties were asked about.
    asked: usize,
    /// The engines that decided them.
    engines: Vec<String>,
    /// In CPU seconds.
    cpu: f64,
    /// Whether a limit ended it.
    late: bool,
    /// Why there is no answer at all.
    fault: Option<String>,
}

impl Answer {
    /// Whether everything was decided.
    fn complete(&self) -> bool {
        self.asked > 0 && self.decided.len() == self.asked
    }

    /// Whether it decides something, and everything that another one decides.
    fn covers(&self, other: &Answer) -> bool {
        !self.decided.is_empty() && other.decided.keys().all(|property| self.decided.contains_key(property))
    }
}

/// The result of a question.
struct Comparison {
    name: String,
    auto: Answer,
    /// The answers of the engines that were asked.
    engines: Vec<(&'static str, Answer)>,
}

/// How `auto` compares with the engines.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ratio {
    /// The time of `auto` divided by that of the best engine.
    Exact(f64),
    /// An engine decided what `auto` did not. The time of `auto` divided by that of the engine is at least this.
    AtLeast(f64),
    /// No engine alone decides what `auto` decides.
    Alone,
    /// No engine decided anything.
    Undecided,
}

impl Comparison {
    /// The best engine, and its time. It decides at least what `auto` decides.
    fn best(&self) -> Option<(&'static str, f64)> {
        let able = self.engines.iter().filter(|(_, answer)| answer.covers(&self.auto));
        let least = able.min_by(|(_, a), (_, b)| a.cpu.total_cmp(&b.cpu));
        least.map(|(name, answer)| (*name, answer.cpu))
    }

    /// How `auto` compares with it.
    fn ratio(&self) -> Ratio {
        let Some((_, best)) = self.best() else {
            return if self.auto.decided.is_empty() { Ratio::Undecided } else { Ratio::Alone };
        };
        let ratio = self.auto.cpu / best.max(1e-6);
        let lost = self.engines.iter().any(|(_, answer)| !self.auto.covers(answer));
        if lost { Ratio::AtLeast(ratio) } else { Ratio::Exact(ratio) }
    }

    /// Whether it is within the bar; `None` if there is nothing to compare.
    fn within(&self) -> Option<bool> {
        match (self.ratio(), self.best()) {
            (Ratio::Exact(_), Some((_, best))) => Some(self.auto.cpu <= FACTOR * best + START),
            (Ratio::AtLeast(_), _) => Some(false),
            _ => None,
        }
    }

    /// A property on which two runs disagree.
    fn dispute(&self) -> Option<&str> {
        let mut known: BTreeMap<&str, bool> = BTreeMap::new();
        let answers = self.engines.iter().map(|(_, answer)| answer).chain([&self.auto]);
        for (property, holds) in answers.flat_map(|answer| &answer.decided) {
            if *known.entry(property).or_insert(*holds) != *holds {
                return Some(property);
            }
        }
        None
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &ChoiceArguments) -> Exit {
    measured(arguments).unwrap_or_else(|message| {
        complain(&message);
        Exit::BadInput
    })
}

fn measured(arguments: &ChoiceArguments) -> Result<Exit, String> {
    let sets = choose(questions::all()?, arguments)?;
    let questions: Vec<Question> = sets.into_iter().flat_map(|(_, questions)| questions).collect();
    if arguments.common.list {
        show(&questions.iter().map(|question| question.name.clone() + "\n").collect::<String>());
        return Ok(Exit::Fine);
    }
    let bench = Bench {
        fairly: files::fairly(arguments.common.fairly.as_deref())?,
        time: arguments.limit,
        memory: arguments.common.memory_limit.unwrap_or_else(|| files::machine_memory() / 5 * 4),
        threads: arguments.common.threads.get(),
    };
    let folder = Folder::new()?;
    compare_all(arguments, &bench, &folder, &questions).map_err(|error| format!("cannot run a row: {error}"))
}

/// The named sets with the selected questions.
fn choose(
    mut sets: Vec<(String, Vec<Question>)>,
    arguments: &ChoiceArguments,
) -> Result<Vec<(String, Vec<Question>)>, String> {
    let names: Vec<String> = sets.iter().map(|(name, _)| name.clone()).collect();
    if let Some(unknown) = arguments.sets.iter().find(|name| !names.contains(name)) {
        return Err(format!("there is no set `{unknown}`, only {}", names.join(", ")));
    }
    sets.retain(|(name, _)| arguments.sets.is_empty() || arguments.sets.contains(name));
    if arguments.each {
        sets.iter_mut().for_each(|(_, questions)| {
            *questions = questions.iter().flat_map(Question::each).collect();
        });
    }
    if let Some(pattern) = &arguments.common.row {
        sets.iter_mut()
            .for_each(|(_, questions)| questions.retain(|question| rows::matches(pattern, &question.name)));
        if sets.iter().all(|(_, questions)| questions.is_empty()) {
            return Err(format!("no row is called like `{pattern}`; --list shows them"));
        }
    }
    Ok(sets)
}

fn compare_all(
    arguments: &ChoiceArguments,
    bench: &Bench,
    folder: &Folder,
    questions: &[Question],
) -> io::Result<Exit> {
    interrupt::catch();
    let format = arguments.common.format;
    let table = show::Table::new(format, questions);
    let write = |text: &str| {
        if format != Figures::Json {
            show(text);
        }
    };
    write(&table.head());
    let mut results = Vec::new();
    for question in questions {
        if interrupt::stopped() {
            break;
        }
        write(&table.begin(&question.name));
        let result = compare(arguments, bench, folder, question)?;
        let parts = question.each();
        let split = result.ratio() == Ratio::Alone && parts.len() > 1 && !interrupt::stopped();
        write(&table.end(&result, split));
        if !split {
            results.push(result);
            continue;
        }
        for part in parts {
            if interrupt::stopped() {
                break;
            }
            write(&table.begin(&part.name));
            let result = compare(arguments, bench, folder, &part)?;
            write(&table.end(&result, false));
            results.push(result);
        }
    }
    let mut exit = if interrupt::stopped() { Exit::Undecided } else { Exit::Fine };
    for result in &results {
        if let Some(property) = result.dispute() {
            complain(&format!("{}: engines disagree on {property}", result.name));
            exit = exit.or(Exit::NotAsExpected);
        }
        if result.within() == Some(false) {
            exit = exit.or(Exit::NotAsExpected);
        }
    }
    if format == Figures::Json {
        show(&show::document(bench.threads, &results));
    } else {
        show(&show::summary(&results));
    }
    Ok(exit)
}

/// Asks `auto`, then the engine it has chosen, then the others.
fn compare(
    arguments: &ChoiceArguments,
    bench: &Bench,
    folder: &Folder,
    question: &Question,
) -> io::Result<Comparison> {
    let auto = ask(bench, folder, question, "auto", bench.time)?;
    let mut best = auto.complete().then_some(auto.cpu);
    let mut engines = Vec::new();
    let chosen = |name: &&str| auto.engines.iter().any(|engine| engine == *name);
    for name in ENGINES.into_iter().filter(chosen).chain(ENGINES.into_iter().filter(|name| !chosen(name))) {
        if interrupt::stopped() {
            break;
        }
        let enough = best.filter(|_| !arguments.full).map(|best| Duration::from_secs_f64(4.0 * best + 1.0));
        let time = enough.unwrap_or(bench.time).min(bench.time);
        let answer = ask(bench, folder, question, name, time)?;
        if answer.complete() {
            best = Some(best.map_or(answer.cpu, |best| best.min(answer.cpu)));
        }
        engines.push((name, answer));
    }
    engines.sort_by_key(|(name, _)| ENGINES.iter().position(|known| known == name));
    Ok(Comparison { name: question.name.clone(), auto, engines })
}

/// One engine's answer; a short run is repeated.
fn ask(
    bench: &Bench,
    folder: &Folder,
    question: &Question,
    engine: &str,
    time: Duration,
) -> io::Result<Answer> {
    let mut answer = ask_once(bench, folder, question, engine, time)?;
    for _ in 1..3 {
        if answer.cpu >= SHORT || answer.late || answer.decided.is_empty() || interrupt::stopped() {
            break;
        }
        answer.cpu = answer.cpu.min(ask_once(bench, folder, question, engine, time)?.cpu);
    }
    Ok(answer)
}

fn ask_once(
    bench: &Bench,
    folder: &Folder,
    question: &Question,
    engine: &str,
    time: Duration,
) -> io::Result<Answer> {
    let command = measure::command(bench, time, question.selection.clone(), engine, &[]);
    // The time a run may take after its limit to end by itself.
    let patience = time + time / 2 + Duration::from_secs(2);
    let run = folder.with(|folder| process::run(folder, patience, &bench.fairly, &command))?;
    Ok(read(&run, time))
}

/// The result of a run.
fn read(run: &process::Run, time: Duration) -> Answer {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let results = document["results"].as_array().cloned().unwrap_or_default();
    let mut answer = Answer { asked: results.len(), cpu: run.cpu, ..Answer::default() };
    for result in &results {
        let holds = match result["verdict"].as_str() {
            Some("holds") => true,
            Some("fails") => false,
            _ => continue,
        };
        answer.decided.insert(result["property"].as_str().unwrap_or_default().to_owned(), holds);
        if let Some(engine) = result["engine"].as_str()
            && answer.engines.iter().all(|known| known != engine)
        {
            answer.engines.push(engine.to_owned());
        }
    }
    answer.late = run.end == End::Late || (!answer.complete() && run.clock >= time);
    if results.is_empty() {
        let line = run.stderr.lines().next().unwrap_or("no result");
        answer.fault = Some(measure::reason(run.end).unwrap_or(line).to_owned());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(decided: &[(&str, bool)], cpu: f64) -> Answer {
        let decided = decided.iter().map(|(property, holds)| ((*property).to_owned(), *holds)).collect();
        Answer { decided, asked: 2, cpu, ..Answer::default() }
    }

    fn comparison(auto: Answer, engines: Vec<Answer>) -> Comparison {
        Comparison { name: String::new(), auto, engines: ENGINES.into_iter().zip(engines).collect() }
    }

    #[test]
    fn the_engines_are_those_of_the_product() {
        assert_eq!(driver::EngineKind::ALL.map(driver::EngineKind::name), ENGINES);
    }

    #[test]
    fn the_best_engine_decides_what_auto_decides() {
        let both = [("p", true), ("q", false)];
        let row = comparison(answer(&both, 4.0), vec![answer(&both[..1], 0.1), answer(&both, 2.0)]);
        assert_eq!((row.best(), row.ratio()), (Some(("symbolic", 2.0)), Ratio::Exact(2.0)));
        assert_eq!(row.within(), Some(true));
        let alone = comparison(answer(&both, 4.0), vec![answer(&both[..1], 0.1), answer(&both[1..], 0.1)]);
        assert_eq!((alone.ratio(), alone.within()), (Ratio::Alone, None));
        let nobody = comparison(answer(&[], 4.0), vec![answer(&[], 1.0)]);
        assert_eq!((nobody.ratio(), nobody.within()), (Ratio::Undecided, None));
    }

    #[test]
    fn what_an_engine_decides_and_auto_does_not_is_beyond_the_bar() {
        let both = [("p", true), ("q", false)];
        for auto in [&both[..1], &[]] {
            let row = comparison(answer(auto, 1.0), vec![answer(&both, 2.0)]);
            assert_eq!((row.ratio(), row.within()), (Ratio::AtLeast(0.5), Some(false)));
        }
    }

    #[test]
    fn the_bar_is_three_times_the_best_and_thirty_milliseconds() {
        let p = [("p", true)];
        for (auto, within) in [(0.059, true), (0.061, false)] {
            assert_eq!(comparison(answer(&p, auto), vec![answer(&p, 0.01)]).within(), Some(within));
        }
    }

    #[test]
    fn engines_that_disagree_are_found() {
        let row = |holds| comparison(answer(&[("p", true)], 1.0), vec![answer(&[("p", holds)], 1.0)]);
        assert_eq!((row(true).dispute(), row(false).dispute()), (None, Some("p")));
    }

    #[test]
    fn a_run_is_read_from_its_document() {
        let run = |stdout: &str, end, seconds| process::Run {
            stdout: stdout.to_owned(),
            stderr: "error: no\nmore".to_owned(),
            cpu: 1.0,
            clock: Duration::from_secs(seconds),
            memory: 0,
            end,
        };
        let document = r#"{"results":[{"property":"p","verdict":"holds","engine":"local"},
            {"property":"q","verdict":"unknown","engine":null}]}"#;
        let told = |end, seconds| read(&run(document, end, seconds), Duration::from_secs(5));
        let short = told(End::Code(3), 1);
        assert_eq!((short.decided.len(), short.asked, short.late), (1, 2, false));
        assert_eq!((short.engines, short.fault), (vec!["local".to_owned()], None));
        assert!(told(End::Code(3), 5).late && told(End::Late, 9).late);
        assert_eq!(read(&run("", End::Code(2), 1), Duration::MAX).fault.as_deref(), Some("error: no"));
    }
}
