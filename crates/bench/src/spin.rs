//! Runs a row with SPIN: generate, compile, search.
//!
//! The model is the row's Promela written by hand or, without one, the output of `fairly export` for the row's model
//! and fairness. Only the search (`pan`) is measured, without generating and compiling, which would add seconds to
//! every row. Partial order reduction is off (`-DNOREDUCE`), so that both search the same states. The first
//! sufficient depth is found by trying, ten times deeper each time, and only the last try counts. The hash table is
//! as large as the row's states need. All of this is in SPIN's favour.

use std::io;
use std::path::Path;

use crate::files;
use crate::measure::{self, Bench, Measurement, Outcome, reason};
use crate::peers::{PREPARATION, unanswered};
use crate::process::{self, Run};
use crate::rows::{Check, Spin};

/// The greatest depth that is tried.
const DEEPEST: u64 = 1_000_000_000;

/// The automaton that SPIN makes of a formula.
pub(crate) fn translate(bench: &Bench, folder: &Path, formula: &str) -> io::Result<Measurement> {
    let run = process::run(folder, bench.time, "spin", &["-f".to_owned(), formula.to_owned()])?;
    let outcome = match reason(run.end) {
        Some(reason) => Outcome::Unanswered(reason.to_owned()),
        None if run.stdout.contains("never") => Outcome::Done,
        None => Outcome::Unanswered("no automaton".to_owned()),
    };
    Ok(Measurement { outcome, states: None, engine: None, cpu: run.cpu, memory: run.memory })
}

/// The result of SPIN's search for a check.
pub(crate) fn search(
    bench: &Bench,
    folder: &Path,
    states: Option<u64>,
    check: &Check,
    spin: &Spin,
) -> io::Result<Measurement> {
    let patience = bench.time.max(PREPARATION);
    let mut generate = vec!["-a".to_owned()];
    if let Some(path) = &spin.promela {
        generate.extend(check.settings.iter().map(|(name, value)| format!("-D{name}={value}")));
        generate.extend(spin.generate.iter().cloned());
        generate.push(files::path(path));
    } else {
        let mut export = vec!["export".to_owned()];
        export.extend(measure::selection(check));
        export.extend(["--to", "promela", "-o", "exported.pml"].map(str::to_owned));
        let run = process::run(folder, patience, &bench.fairly, &export)?;
        if !folder.join("exported.pml").exists() {
            return Ok(unanswered("not exported", Some(&run)));
        }
        generate.extend(spin.generate.iter().cloned());
        generate.push("exported.pml".to_owned());
    }
    let run = process::run(folder, patience, "spin", &generate)?;
    if !folder.join("pan.c").exists() || reason(run.end).is_some() {
        return Ok(unanswered("not generated", Some(&run)));
    }
    let mut compile = ["-O2", "-w", "-DNOREDUCE"].map(str::to_owned).to_vec();
    compile.push(format!("-DMEMLIM={}", (bench.memory >> 20).max(1)));
    compile.extend(spin.gcc.iter().cloned());
    compile.extend(["-o", "pan", "pan.c"].map(str::to_owned));
    let run = process::run(folder, patience, "gcc", &compile)?;
    if !folder.join("pan").exists() || reason(run.end).is_some() {
        return Ok(unanswered("not compiled", Some(&run)));
    }
    let pan = folder.join("pan");
    let mut depth = spin.depth;
    loop {
        let mut flags = spin.pan.clone();
        flags.extend([format!("-m{depth}"), format!("-w{}", bits(states))]);
        let run = process::run(folder, bench.time, &pan, &flags)?;
        let outcome = verdict(&run, spin);
        let shallow = outcome == Outcome::Unanswered("depth".to_owned());
        if !shallow || depth >= DEEPEST {
            return Ok(Measurement {
                outcome,
                states: stored(&run.stdout),
                engine: None,
                cpu: run.cpu,
                memory: run.memory,
            });
        }
        depth *= 10;
    }
}

/// The binary logarithm of the number of slots of the hash table: two to four per state, within limits. If these are
/// not enough, `pan` adds more.
fn bits(states: Option<u64>) -> u32 {
    /// The default of `pan`.
    const DEFAULT: u32 = 24;
    states.map_or(DEFAULT, |states| states.max(1).ilog2() + 2).clamp(16, 28)
}

fn verdict(run: &Run, spin: &Spin) -> Outcome {
    if let Some(reason) = reason(run.end) {
        return Outcome::Unanswered(reason.to_owned());
    }
    let text = format!("{}{}", run.stdout, run.stderr);
    let errors = text.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let errors: Option<u64> = errors.and_then(|number| number.parse().ok());
    let says = |words: &str| text.contains(words);
    match errors {
        _ if says("out of memory") || says("MEMLIM bound") => Outcome::Unanswered("memory".to_owned()),
        _ if says("recompile with") => Outcome::Unanswered("not compiled".to_owned()),
        Some(0) if says("search depth too small") => Outcome::Unanswered("depth".to_owned()),
        Some(0) if says("Search not completed") => Outcome::Unanswered("stopped".to_owned()),
        // Without a claim there was only exploration.
        Some(0) if !spin.pan.iter().any(|flag| flag == "-a") => Outcome::Done,
        Some(0) => Outcome::Holds,
        Some(_) => Outcome::Fails,
        None => Outcome::Unanswered("broke down".to_owned()),
    }
}

fn stored(report: &str) -> Option<u64> {
    let line = report.lines().find(|line| line.contains("states, stored"))?;
    // Large numbers are written like 1.2e+07.
    line.split_whitespace().next()?.parse::<f64>().ok().map(|number| number as u64)
}

#[cfg(test)]
mod tests {
    use crate::process::End;
    use std::time::Duration;

    use super::*;

    fn spin(pan: &[&str]) -> Spin {
        let pan = pan.iter().map(|flag| (*flag).to_owned()).collect();
        Spin { name: String::new(), promela: None, generate: Vec::new(), gcc: Vec::new(), pan, depth: 1 }
    }

    fn outcome_of(stdout: &str, pan: &[&str]) -> Outcome {
        let run = Run {
            stdout: stdout.to_owned(),
            stderr: String::new(),
            cpu: 0.0,
            clock: Duration::ZERO,
            memory: 0,
            end: End::Code(0),
        };
        verdict(&run, &spin(pan))
    }

    #[test]
    fn a_search_that_was_cut_off_is_no_verdict() {
        let fine = "State-vector 36 byte, depth reached 312, errors: 0\n      705 states, stored\n";
        assert_eq!(outcome_of(fine, &["-a"]), Outcome::Holds);
        assert_eq!(outcome_of(fine, &[]), Outcome::Done);
        assert_eq!(outcome_of(&fine.replace("errors: 0", "errors: 1"), &["-a"]), Outcome::Fails);
        for (more, reason) in [
            ("error: max search depth too small", "depth"),
            ("pan: out of memory", "memory"),
            ("recompile with -DNFAIR=9", "not compiled"),
            ("Warning: Search not completed", "stopped"),
        ] {
            assert_eq!(
                outcome_of(&format!("{more}\n{fine}"), &["-a"]),
                Outcome::Unanswered(reason.to_owned())
            );
        }
        assert_eq!(outcome_of("Segmentation fault", &["-a"]), Outcome::Unanswered("broke down".to_owned()));
    }

    #[test]
    fn numbers_of_states_are_read_in_either_notation() {
        assert_eq!(stored("x\n      705 states, stored (2175 visited)\n"), Some(705));
        assert_eq!(stored(" 1.6963469e+07 states, stored\n"), Some(16_963_469));
        assert_eq!(stored("nothing"), None);
    }

    #[test]
    fn the_hash_table_grows_with_the_states() {
        assert_eq!([None, Some(32), Some(8_786_754), Some(1 << 35)].map(bits), [24, 16, 25, 28]);
    }
}
