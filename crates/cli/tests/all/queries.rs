//! Solver queries can be written to files, and repeated.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A loop that ends.
const LOOP: &str = "START: 0; FROM: 0; TO: 1; FROM: 1; assume(x > 0); x := x - 1; TO: 1;";

#[test]
fn what_solvers_are_asked_can_be_asked_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("queries");
    // Files of an earlier run would hide that nothing is written.
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder");
    }
    fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("loop.t2");
    fs::write(&program, LOOP).expect("a program");
    let asked = folder.join("asked");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    command.arg("check").arg(&program).args(["--termination", "--smt"]).arg(&asked);
    let output = command.output().expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut unsat = 0;
    for file in fs::read_dir(&asked).expect("the folder was made") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        assert!(text.contains("(check-sat)"), "{} asks nothing", path.display());
        // Input for cvc5 begins with a logic.
        let solver = if text.contains("(set-logic ALL)") { "cvc5" } else { "z3" };
        let arguments: &[&str] = if solver == "cvc5" { &["--incremental", "--produce-models"] } else { &[] };
        let again = Command::new(solver).args(arguments).arg(&path).output().expect("a solver");
        let answers = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(!answers.contains("error"), "{solver} {}: {answers}", path.display());
        unsat += answers.lines().filter(|line| *line == "unsat").count();
    }
    assert!(unsat > 4, "the proof and its judgement are among the answers: {unsat}");
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_folder");
    fs::write(&file, "").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairly"));
    let output = command.args(["check", "--smt"]).arg(file.join("asked")).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot make the folder"));
}
