//! Runs another checker on exported models; `corpora` has collections of models of others.

pub(crate) mod corpora;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Numbers of results, by name.
pub(crate) type Tally = BTreeMap<&'static str, u64>;

/// Whether a command can be started at all.
pub(crate) fn runs(tool: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(tool);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

/// An empty folder for the files of one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Remove the files of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The output of a tool; `None` if it takes longer than `limit` seconds.
pub(crate) fn output(folder: &Path, limit: u64, tool: &str, arguments: &[&str]) -> Option<String> {
    let file = folder.join("output");
    let out = fs::File::create(&file).expect("a file for the output");
    let mut child = Command::new(tool)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(out.try_clone().expect("a handle"))
        .stdout(out)
        .spawn()
        .expect("the tool runs");
    let start = Instant::now();
    loop {
        if child.try_wait().expect("a status").is_some() {
            return Some(String::from_utf8_lossy(&fs::read(&file).unwrap_or_default()).into_owned());
        }
        if start.elapsed() > Duration::from_secs(limit) {
            child.kill().expect("a child that can be ended");
            child.wait().expect("a status");
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The text of an example.
pub(crate) fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(format!("{name}.fair"));
    fs::read_to_string(path).expect("an example can be read")
}
