//! Runs the rows of published tables and our own, and shows our figures next to the others'.
//!
//! A row is right or wrong before it is fast or slow: a verdict that differs from the expected one makes the command
//! fail. Every row is run once, in its own process, measured by the kernel; only [`choice`](crate::choice) repeats
//! short runs. Rows are run one after the other. An interrupt ends the current row, and the results so far are shown.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;

use crate::arguments::{Figures, TableArguments};
use crate::comparison::Comparison;
use crate::document;
use crate::exit::Exit;
use crate::files::{self, Folder};
use crate::interrupt;
use crate::measure::{self, Bench};
use crate::peers::{self, Installed};
use crate::rows::{self, Row, Set};
use crate::screen::{QUIET, STRONG, complain, paint, remark, show};
use crate::table::{Layout, Table};

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
