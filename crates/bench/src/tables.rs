//! Runs the rows of published tables and our own, and shows our figures next to the others'.
//!
//! A row is right or wrong before it is fast or slow: a verdict that differs from the expected one makes the command
//! fail. Every run is its own process, measured by the kernel. Rows are run one after the other. An interrupt ends
//! the current row, and the results so far are shown.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;

use crate::arguments::{Figures, TableArguments};
use crate::document;
use crate::exit::Exit;
use crate::files::{self, Folder};
use crate::interrupt;
use crate::measure::{self, Bench, Measurement, Outcome};
use crate::peers::{self, Installed};
use crate::rows::{self, Question, Row, Set};
use crate::screen::{QUIET, STRONG, complain, paint, remark, show};
use crate::table::{Layout, Table};

/// The result of a row: our answer and those of others.
pub(crate) struct Comparison<'a> {
    pub(crate) row: &'a Row,
    pub(crate) ours: Measurement,
    /// The answers of the peers that were run, by name.
    pub(crate) peers: Vec<(&'a str, Measurement)>,
}

/// How much faster we are than the fastest peer.
pub(crate) struct Gain {
    pub(crate) factor: f64,
    /// Whether no peer ended, so that this is a lower bound.
    pub(crate) bound: bool,
}

impl Gain {
    pub(crate) fn sign(&self) -> &'static str {
        if self.bound { "> " } else { "" }
    }
}

impl Comparison<'_> {
    /// Whether our answer is right; `None` without an answer, or if none is expected.
    pub(crate) fn right(&self) -> Option<bool> {
        self.agrees(&self.ours)
    }

    /// Whether an answer is the expected one.
    pub(crate) fn agrees(&self, answer: &Measurement) -> Option<bool> {
        let Question::Check(check) = &self.row.question else { return None };
        match answer.outcome {
            Outcome::Holds => Some(check.holds),
            Outcome::Fails => Some(!check.holds),
            Outcome::Done | Outcome::Unanswered(_) => None,
        }
    }

    /// Compared with the fastest peer or, if none has an answer, with the longest time a peer took.
    pub(crate) fn gain(&self) -> Option<Gain> {
        let answered = |answer: &&Measurement| !matches!(answer.outcome, Outcome::Unanswered(_));
        if !answered(&&self.ours) {
            return None;
        }
        let ours = self.ours.cpu.max(1e-6);
        let times =
            |answers: Vec<&Measurement>| answers.into_iter().map(|answer| answer.cpu).collect::<Vec<f64>>();
        let peers = || self.peers.iter().map(|(_, answer)| answer);
        let done = times(peers().filter(answered).collect());
        if let Some(best) = done.into_iter().reduce(f64::min) {
            return Some(Gain { factor: best / ours, bound: false });
        }
        let late = |answer: &&Measurement| answer.outcome == Outcome::Unanswered("time".to_owned());
        let late = times(peers().filter(late).collect());
        late.into_iter().reduce(f64::min).map(|least| Gain { factor: least / ours, bound: true })
    }

    /// The exit code.
    fn exit(&self) -> Exit {
        let peers = self.peers.iter().map(|(_, answer)| answer);
        let wrong = peers.chain([&self.ours]).any(|answer| self.agrees(answer) == Some(false));
        match self.ours.outcome {
            _ if wrong => Exit::NotAsExpected,
            Outcome::Unanswered(_) => Exit::Undecided,
            _ => Exit::Fine,
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &TableArguments) -> Exit {
    measured(arguments).unwrap_or_else(|message| {
        complain(&message);
        Exit::BadInput
    })
}

fn measured(arguments: &TableArguments) -> Result<Exit, String> {
    let common = &arguments.common;
    let sets = rows::sets()?;
    if arguments.sets.is_empty() && common.row.is_none() && !common.list {
        show(&listing(&sets, false));
        return Ok(Exit::Fine);
    }
    let chosen = choose(sets, arguments)?;
    if common.list {
        show(&listing(&chosen, true));
        return Ok(Exit::Fine);
    }
    let bench = Bench {
        fairly: files::fairly(common.fairly.as_deref())?,
        time: arguments.time_limit,
        memory: common.memory_limit.unwrap_or_else(|| files::machine_memory() / 5 * 4),
        threads: common.threads.get(),
    };
    let folder = Folder::new()?;
    measure_all(arguments, &bench, &folder, &chosen).or_else(|error| {
        complain(&format!("cannot run a row: {error}"));
        Ok(Exit::Undecided)
    })
}

/// The named sets with the selected rows.
fn choose(sets: Vec<Set>, arguments: &TableArguments) -> Result<Vec<Set>, String> {
    let names: Vec<&str> = sets.iter().map(|set| set.name).collect();
    if let Some(unknown) = arguments.sets.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("there is no set `{unknown}`, only {}", names.join(", ")));
    }
    let named = |set: &Set| arguments.sets.is_empty() || arguments.sets.iter().any(|name| name == set.name);
    let mut chosen: Vec<Set> = sets.into_iter().filter(named).collect();
    if let Some(pattern) = &arguments.common.row {
        chosen.iter_mut().for_each(|set| set.rows.retain(|row| rows::matches(pattern, &row.name)));
        chosen.retain(|set| !set.rows.is_empty());
        if chosen.is_empty() {
            return Err(format!("no row is called like `{pattern}`; --list shows them"));
        }
    }
    Ok(chosen)
}

/// The sets, and their rows if asked for.
fn listing(sets: &[Set], rows: bool) -> String {
    let mut text = String::new();
    for set in sets {
        let size = paint(QUIET, format!("({} rows)", set.rows.len()));
        let _ = writeln!(text, "{}  {} {size}", paint(STRONG, format!("{:<9}", set.name)), set.title);
        for row in set.rows.iter().filter(|_| rows) {
            let _ = writeln!(text, "    {}", row.name);
        }
    }
    text
}

fn measure_all(arguments: &TableArguments, bench: &Bench, folder: &Folder, sets: &[Set]) -> io::Result<Exit> {
    interrupt::catch();
    let format = arguments.common.format;
    let installed = if arguments.no_peers { Installed::NOTHING } else { Installed::here() };
    if !arguments.no_peers {
        let rows = sets.iter().flat_map(|set| &set.rows);
        let absent = rows.flat_map(|row| &row.peers).filter(|peer| !installed.has(peer));
        for sentence in absent.map(peers::missing).collect::<BTreeSet<_>>() {
            remark(&format!("{sentence}\n\n"));
        }
    }
    let layout = match format {
        Figures::Markdown => Layout::Markdown,
        Figures::Text | Figures::Json => Layout::Screen,
    };
    let mut exit = Exit::Fine;
    let mut results = Vec::new();
    for set in sets {
        let table = Table::new(layout, &set.published, set.rows.iter().map(|row| row.name.as_str()));
        let show = |text: &str| {
            if format != Figures::Json {
                show(text);
            }
        };
        if !results.is_empty() {
            show("\n");
        }
        show(&table.head(&set.title));
        let mut finished = Vec::new();
        for row in &set.rows {
            if interrupt::stopped() {
                exit = exit.or(Exit::Undecided);
                break;
            }
            show(&table.begin(&row.name));
            let result = measure_row(bench, folder, row, installed)?;
            show(&table.end(&result));
            exit = exit.or(result.exit());
            finished.push(result);
        }
        results.push((set, finished));
    }
    if format == Figures::Json {
        show(&document::document(bench.threads, &results));
    }
    Ok(exit)
}

/// Our answer first, then the peers', each in its own folder.
fn measure_row<'a>(
    bench: &Bench,
    folder: &Folder,
    row: &'a Row,
    installed: Installed,
) -> io::Result<Comparison<'a>> {
    let ours = folder.with(|folder| measure::ours(bench, folder, &row.question))?;
    let mut answers = Vec::new();
    for peer in row.peers.iter().filter(|peer| installed.has(peer)) {
        if interrupt::stopped() {
            break;
        }
        let answer = folder.with(|folder| peers::answer(bench, folder, row, peer))?;
        answers.push((peers::name(peer), answer));
    }
    Ok(Comparison { row, ours, peers: answers })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(outcome: Outcome, cpu: f64) -> Measurement {
        Measurement { outcome, states: None, engine: None, cpu, memory: 0 }
    }

    fn late(cpu: f64) -> Measurement {
        measured(Outcome::Unanswered("time".to_owned()), cpu)
    }

    /// A row whose property holds, with these answers.
    fn result(ours: Measurement, peers: Vec<Measurement>, check: &dyn Fn(Comparison)) {
        let sets = rows::sets().expect("the sets are well-formed");
        let holds = |row: &&Row| matches!(&row.question, Question::Check(check) if check.holds);
        let row = sets.iter().flat_map(|set| &set.rows).find(holds).expect("a row that holds");
        check(Comparison { row, ours, peers: peers.into_iter().map(|answer| ("peer", answer)).collect() });
    }

    #[test]
    fn a_wrong_verdict_of_anyone_is_not_as_expected() {
        result(measured(Outcome::Holds, 1.0), vec![], &|r| {
            assert_eq!((r.right(), r.exit()), (Some(true), Exit::Fine));
        });
        result(measured(Outcome::Fails, 1.0), vec![], &|r| {
            assert_eq!((r.right(), r.exit()), (Some(false), Exit::NotAsExpected));
        });
        result(measured(Outcome::Holds, 1.0), vec![measured(Outcome::Fails, 1.0)], &|r| {
            assert_eq!((r.right(), r.exit()), (Some(true), Exit::NotAsExpected));
        });
        result(late(1.0), vec![], &|r| assert_eq!((r.right(), r.exit()), (None, Exit::Undecided)));
    }

    #[test]
    fn the_gain_is_over_the_fastest_peer_that_answered() {
        let gain = |ours, peers, expected: Option<(f64, bool)>| {
            result(ours, peers, &|r| assert_eq!(r.gain().map(|gain| (gain.factor, gain.bound)), expected));
        };
        let holds = |cpu| measured(Outcome::Holds, cpu);
        gain(holds(2.0), vec![holds(8.0), holds(6.0), late(1.0)], Some((3.0, false)));
        gain(holds(2.0), vec![late(8.0), late(6.0)], Some((3.0, true)));
        gain(holds(2.0), vec![], None);
        gain(late(2.0), vec![holds(8.0)], None);
    }
}
