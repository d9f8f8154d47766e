//! `fairly check --watch` checks again when a file changes, and ends on an interrupt with what the last check says.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::command::{self, fairly, file};

fn model(limit: u8) -> String {
    format!("shared x: 0..3; process P {{ loop {{ up: x = (x + 1) % 4; }} }} invariant low: x < {limit};\n")
}

#[test]
fn a_change_is_checked_and_an_interrupt_ends_it() {
    let path = file("watched.fair", model(4));
    let mut child = command::command(&["check", "--watch", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut remarks = BufReader::new(child.stderr.take().expect("its remarks")).lines();
    let mut next = |wanted: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(wanted));
        assert!(found.is_some(), "`{wanted}` does not come");
    };
    let mut watching =
        || remarks.by_ref().map_while(Result::ok).any(|line| line.contains("watching for changes"));
    next("1 holds; all as expected");
    assert!(watching());
    fs::write(&path, model(2)).expect("a file that can be written");
    next("1 not as expected");
    assert!(watching());
    // An editor may replace the file, so that for a moment there is none.
    fs::remove_file(&path).expect("a file that can be removed");
    assert!(watching(), "a missing file is told, and the watch goes on");
    fs::write(&path, model(1)).expect("a file that can be written");
    next("1 not as expected");
    assert!(watching());
    // A file that the model includes is watched too.
    let part = file("watched_part.fair", "define limit = 4;");
    let including = model(4).replace("x < 4", "x < limit") + "include \"watched_part.fair\";\n";
    fs::write(&path, including).expect("a file that can be written");
    next("1 holds; all as expected");
    assert!(watching());
    fs::write(&part, "define limit = 2; // less").expect("a file that can be written");
    next("1 not as expected");
    assert!(watching());
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal");
    assert!(killed.success());
    assert_eq!(child.wait().expect("an exit status").code(), Some(1));
}

#[test]
fn what_cannot_be_watched_is_told() {
    for arguments in [&["check", "--watch"][..], &["check", "--watch", "-"]] {
        let answer = fairly(arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
        assert!(answer.time < Duration::from_secs(10), "{:?}", answer.time);
        assert!(answer.stderr.contains("--watch needs files or folders"), "{}", answer.stderr);
    }
}
