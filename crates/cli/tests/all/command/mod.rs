//! Runs the real command on files made for a test.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The result of a command.
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) time: Duration,
}

/// Writes a file into the folder of this test and returns its path.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for files");
    fs::write(&path, content).expect("a file");
    path.to_string_lossy().into_owned()
}

/// The command with these arguments, ready to run.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

/// A text with its lines joined. Where a line ends depends on numbers and names in it, so a test that looks for more than
/// one word looks here.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the command with these arguments.
pub(crate) fn fairly(arguments: &[&str]) -> Answer {
    let start = Instant::now();
    let output = command(arguments).output().expect("the command runs");
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        time: start.elapsed(),
    }
}
