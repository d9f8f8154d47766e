//! The command line: the measurements and their options.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Measure Fairly: on the rows of published tables, next to other checkers, or its choice of engines.
#[derive(Parser)]
#[command(name = "fairly-bench", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  fairly-bench                              the sets of rows
  fairly-bench pat --list                   the rows of a set
  fairly-bench pat --row 'LE_R*global'      run some of them
  fairly-bench pat explicit --format json   run two sets, for scripts
  fairly-bench choice                       the automatic choice of engines against the best engine

Every run is a process of its own; its CPU time and peak memory are what the kernel says. If `spin`
and `gcc` are installed, SPIN answers the same rows. docs/benchmarks.md says what is measured.

Exit codes: 0 every verdict is as expected, 1 one is not, 2 bad input or usage, 3 a row is undecided.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) tables: TableArguments,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Choice(ChoiceArguments),
}

/// The rows of tables to run.
#[derive(Args)]
pub(crate) struct TableArguments {
    /// Sets of rows; without any, and without --row, the sets are listed
    #[arg(value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// Stop each run after this many seconds on the clock; decimals are allowed
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Duration,
    /// Measure Fairly alone
    #[arg(long)]
    pub(crate) no_peers: bool,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Compare the automatic choice of an engine with each engine alone, and with the best of them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly-bench choice                        every row and every example
  fairly-bench choice --row 'LE_R*global'    some rows
  fairly-bench choice examples --limit 5     the examples, for at most 5 seconds each
  fairly-bench choice --each --row peterson  each property on its own

A row is within the bar if `--engine auto` takes at most three times the CPU time of the best
engine, and 30 ms more. docs/benchmarks.md says how it is measured.

Exit codes: 0 every row is within the bar, 1 a row is not or two engines disagree, 2 bad input or
usage, 3 interrupted.")]
pub(crate) struct ChoiceArguments {
    /// Sets of rows, or `examples`; without any, all of them
    #[arg(value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// Stop each run after this many seconds on the clock; decimals are allowed
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) limit: Duration,
    /// Let every engine use the whole limit, also when it is slower than the best so far
    #[arg(long)]
    pub(crate) full: bool,
    /// Ask about each property of an example on its own
    #[arg(long)]
    pub(crate) each: bool,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// The options of both kinds of measurement.
#[derive(Args)]
pub(crate) struct CommonArguments {
    /// Only rows with this name: a part of it, or a pattern with `*` for any text
    #[arg(long, value_name = "PATTERN")]
    pub(crate) row: Option<String>,
    /// List the rows and run nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// How to show the figures: for people, for scripts, for documents
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Figures,
    /// Let no run use more memory than this: 500M, 4GiB; by default four fifths of what the machine has
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory_limit: Option<u64>,
    /// Check with this many threads
    #[arg(long, value_name = "K", default_value = "1")]
    pub(crate) threads: NonZeroUsize,
    /// The program to measure; by default the `fairly` next to this program
    #[arg(long, value_name = "PATH")]
    pub(crate) fairly: Option<PathBuf>,
}

/// How to show figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figures {
    Text,
    Json,
    Markdown,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "write a number of seconds, for example 60 or 0.5".to_owned())
}

/// Bytes: a number with a unit, decimal (`MB`) or binary (`M`, `MiB`).
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let base: f64 = if unit.len() == 2 { 1000.0 } else { 1024.0 };
    let exponent = match unit.as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(1),
        "m" | "mb" | "mib" => Some(2),
        "g" | "gb" | "gib" => Some(3),
        "t" | "tb" | "tib" => Some(4),
        _ => None,
    };
    let number = digits.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    match (number, exponent) {
        // A product beyond 64 bits saturates, which means no limit.
        (Some(number), Some(exponent)) => Ok((number * base.powi(exponent)) as u64),
        _ => Err("write a size, for example 4GiB, 500M or 1.5G".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("4g"), Ok(4 << 30));
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("500MB"), Ok(500_000_000));
        assert_eq!(size("1.5k"), Ok(1536));
        assert_eq!(size("64"), Ok(64));
        for bad in ["", "G", "4X", "-1", "4 4", "nan", "inf", "1e", "ü"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seconds_may_have_decimals_but_no_sign() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "-1", "soon", "nan", "inf", "1e300"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
