//! Runs a row with `NuSMV` on the output of `fairly export` for the row's model, property and fairness.
//!
//! `NuSMV` reads, builds its diagrams and checks in one process, and all of that is measured, as for Fairly. It
//! computes no counterexample (`-dcx`), which may take longer than the verdict; our own figures include one. The
//! other flags are the row's.

use std::io;
use std::path::Path;

use crate::measure::{self, Bench, Measurement, Outcome, reason};
use crate::peers::{PREPARATION, unanswered};
use crate::process::{self, Run};
use crate::rows::Check;

/// The answer of `NuSMV` with these flags to a check.
pub(crate) fn answer(
    bench: &Bench,
    folder: &Path,
    check: &Check,
    flags: &[String],
) -> io::Result<Measurement> {
    let mut export = vec!["export".to_owned()];
    export.extend(measure::selection(check));
    export.extend(["--to", "smv", "-o", "exported.smv"].map(str::to_owned));
    let patience = bench.time.max(PREPARATION);
    let run = process::run(folder, patience, &bench.fairly, &export)?;
    if !folder.join("exported.smv").exists() {
        return Ok(unanswered("not exported", Some(&run)));
    }
    let mut arguments = vec!["-dcx".to_owned()];
    arguments.extend(flags.iter().cloned());
    arguments.push("exported.smv".to_owned());
    let run = process::run(folder, bench.time, "NuSMV", &arguments)?;
    Ok(Measurement { outcome: verdict(&run), states: None, engine: None, cpu: run.cpu, memory: run.memory })
}

fn verdict(run: &Run) -> Outcome {
    if let Some(reason) = reason(run.end) {
        return Outcome::Unanswered(reason.to_owned());
    }
    let judged = |line: &&str| line.starts_with("-- specification") || line.starts_with("-- invariant");
    match run.stdout.lines().find(judged) {
        Some(line) if line.ends_with("is true") => Outcome::Holds,
        Some(line) if line.ends_with("is false") => Outcome::Fails,
        _ => Outcome::Unanswered("broke down".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::process::End;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_verdict_is_that_of_the_specification() {
        let outcome_of = |stdout: &str, end| {
            verdict(&Run {
                stdout: stdout.to_owned(),
                stderr: String::new(),
                cpu: 0.0,
                clock: Duration::ZERO,
                memory: 0,
                end,
            })
        };
        assert_eq!(outcome_of("*** NuSMV\n-- specification  G x  is true\n", End::Code(0)), Outcome::Holds);
        assert_eq!(outcome_of("-- invariant (x = 1)  is false\n", End::Code(0)), Outcome::Fails);
        assert_eq!(outcome_of("-- specification", End::Late), Outcome::Unanswered("time".to_owned()));
        assert_eq!(outcome_of("", End::Code(1)), Outcome::Unanswered("broke down".to_owned()));
    }
}
