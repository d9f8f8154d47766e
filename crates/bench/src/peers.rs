//! Other programs that answer the same rows: which are installed, their names, and how they are run.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::measure::{Bench, Measurement, Outcome};
use crate::process::Run;
use crate::rows::{Peer, Question, Row};
use crate::{nusmv, spin};

/// The time limit of exporting, generating or compiling, if it is more than that of a run.
pub(crate) const PREPARATION: Duration = Duration::from_mins(2);

/// The programs that can be run here.
#[derive(Clone, Copy)]
pub(crate) struct Installed {
    /// SPIN and a C compiler.
    spin: bool,
    nusmv: bool,
}

impl Installed {
    /// No programs, even if they are installed.
    pub(crate) const NOTHING: Installed = Installed { spin: false, nusmv: false };

    /// Searches the path for them.
    pub(crate) fn here() -> Installed {
        let runs = |tool: &str, flag: &str| {
            let mut command = Command::new(tool);
            command.arg(flag).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status()
        };
        let well = |tool, flag| runs(tool, flag).is_ok_and(|status| status.success());
        // When asked for help, NuSMV ends with an error code.
        Installed { spin: well("spin", "-V") && well("gcc", "--version"), nusmv: runs("NuSMV", "-h").is_ok() }
    }

    /// Whether a peer can be run.
    pub(crate) fn has(self, peer: &Peer) -> bool {
        match peer {
            Peer::Spin(_) | Peer::Translation(_) => self.spin,
            Peer::Nusmv { .. } => self.nusmv,
        }
    }
}

/// A message about what must be on the path to run a peer.
pub(crate) fn missing(peer: &Peer) -> &'static str {
    match peer {
        Peer::Spin(_) | Peer::Translation(_) => {
            "SPIN is not measured: it needs `spin` and `gcc` on the path."
        }
        Peer::Nusmv { .. } => "NuSMV is not measured: it needs `NuSMV` on the path.",
    }
}

/// The name of a peer in a table.
pub(crate) fn name(peer: &Peer) -> &str {
    match peer {
        Peer::Spin(spin) => &spin.name,
        Peer::Translation(_) => "spin -f",
        Peer::Nusmv { name, .. } => name,
    }
}

/// The answer of a peer to a row.
pub(crate) fn answer(bench: &Bench, folder: &Path, row: &Row, peer: &Peer) -> io::Result<Measurement> {
    match (peer, &row.question) {
        (Peer::Translation(formula), _) => spin::translate(bench, folder, formula),
        (Peer::Spin(spin), Question::Check(check)) => spin::search(bench, folder, row.states, check, spin),
        (Peer::Nusmv { flags, .. }, Question::Check(check)) => nusmv::answer(bench, folder, check, flags),
        (Peer::Spin(_) | Peer::Nusmv { .. }, Question::Automaton(_)) => Ok(unanswered("no model", None)),
    }
}

/// A run without an answer, and its cost.
pub(crate) fn unanswered(reason: &str, run: Option<&Run>) -> Measurement {
    let (cpu, memory) = run.map_or((0.0, 0), |run| (run.cpu, run.memory));
    Measurement { outcome: Outcome::Unanswered(reason.to_owned()), states: None, engine: None, cpu, memory }
}
