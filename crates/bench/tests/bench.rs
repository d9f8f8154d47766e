//! The benchmark command: quick rows are run and must be right; wrong arguments are refused.
//!
//! Cargo builds the programs of a package for its tests, but `fairly` belongs to another package, so it is built
//! here. After `cargo test --workspace` there is nothing left to build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;
use std::time::Duration;

use serde_json::Value;

/// The result of a command.
struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_fairly-bench");

/// Builds `fairly` next to the command, with the features that `cargo test --workspace` gives it.
fn build() {
    let folder = Path::new(PROGRAM).parent().expect("the folder of a profile");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--bin", "fairly", "--target-dir"]);
    cargo.arg(folder.parent().expect("the target folder"));
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo runs").success());
}

/// The command with these arguments, ready to run.
fn command(arguments: &[&str]) -> Command {
    static BUILT: Once = Once::new();
    BUILT.call_once(build);
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn answer(output: &Output) -> Answer {
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn bench(arguments: &[&str]) -> Answer {
    answer(&command(arguments).output().expect("the command runs"))
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench").join(name);
    // Remove the files of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The rows of a JSON document.
fn rows(document: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(document).expect("a JSON document");
    assert_eq!(document["format"], 1);
    let sets = document["sets"].as_array().expect("sets");
    sets.iter().flat_map(|set| set["rows"].as_array().expect("rows").clone()).collect()
}

#[test]
fn quick_rows_have_the_expected_verdicts() {
    let mut seen = 0;
    for (set, pattern) in
        [("pat", "*(3)*"), ("pat", "LE_?(4)*"), ("pat", "dp(10)*"), ("explicit", "*(4)*"), ("split", "*(2)*")]
    {
        let pattern = pattern.replace('?', "*");
        let answer = bench(&[set, "--row", &pattern, "--no-peers", "--format", "json"]);
        assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
        for row in rows(&answer.stdout) {
            seen += 1;
            let ours = &row["ours"];
            assert!(ours["cpu_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{row}");
            assert!(ours["peak_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{row}");
            assert!(row["peers"].as_array().is_some_and(Vec::is_empty), "{row}");
            if row["row"].as_str().is_some_and(|name| name.ends_with("as an automaton")) {
                assert!(ours["states"].as_u64().is_some_and(|states| states > 0), "{row}");
            } else {
                assert_eq!(row["as_expected"], true, "{row}");
            }
        }
    }
    assert!(seen > 25, "only {seen} rows were run");
}

#[test]
fn rows_are_listed_and_not_run() {
    let sets = bench(&[]);
    assert_eq!((sets.code, sets.stdout.lines().count()), (Some(0), 5), "{}", sets.stdout);
    let rows = bench(&["pat", "--list", "--row", "LE_R*global"]);
    assert_eq!(rows.code, Some(0));
    let names: Vec<&str> = rows.stdout.lines().skip(1).map(str::trim).collect();
    assert_eq!(names, [3, 4, 5, 6, 7, 8].map(|n| format!("LE_R({n}) global")), "{}", rows.stdout);
}

#[test]
fn unknown_sets_and_rows_are_refused() {
    for (arguments, says) in [
        (&["pta"][..], "there is no set `pta`, only pat, explicit, split, counter, infinite"),
        (&["pat", "--row", "LE_X"], "no row is called like `LE_X`"),
        (&["pat", "--time-limit", "-1"], "write a number of seconds"),
        (&["pat", "--format", "xml"], "xml"),
        (&["pat", "--threads", "0"], "--threads"),
    ] {
        let answer = bench(arguments);
        assert_eq!(answer.code, Some(2), "{}", answer.stdout);
        assert!(answer.stderr.contains(says), "`{says}` is not in: {}", answer.stderr);
    }
}

#[test]
fn a_row_without_an_answer_is_undecided_and_leaves_nothing_behind() {
    let folder = folder("limit");
    let arguments = ["--row", "filter(6) weak", "--no-peers", "--time-limit", "0.2"];
    let output = command(&arguments).env("TMPDIR", &folder).output().expect("the command runs");
    let Answer { code, stdout, stderr } = answer(&output);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    assert!(stdout.contains("? time"), "{stdout}");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0);
}

#[test]
fn an_interrupt_shows_what_is_there() {
    let folder = folder("interrupt");
    let arguments = ["explicit", "--row", "filter(*) weak", "--no-peers", "--format", "markdown"];
    let child = command(&arguments).env("TMPDIR", &folder).spawn().expect("the command runs");
    // Long enough for the first row; the third would take very long.
    std::thread::sleep(Duration::from_secs(2));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal");
    assert!(killed.success());
    let Answer { code, stdout, stderr } = answer(&child.wait_with_output().expect("an answer"));
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    assert!(stdout.contains("? interrupted"), "{stdout}");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0);
}

#[test]
fn without_spin_a_line_says_so_and_the_rest_is_measured() {
    let folder = folder("nothing_installed");
    let mut command = command(&["pat", "--row", "TC_R(3) weak"]);
    let output = command.env("PATH", &folder).output().expect("the command runs");
    let Answer { code, stdout, stderr } = answer(&output);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stderr.contains("SPIN is not measured"), "{stderr}");
    assert!(stdout.contains("✓ holds"), "{stdout}");
}

#[test]
fn the_choice_of_an_engine_is_compared_with_every_engine() {
    let arguments = ["choice", "examples", "counter", "--row", "*crossing", "--format", "json"];
    let answer = bench(&arguments);
    let document: Value = serde_json::from_str(&answer.stdout).expect("a JSON document");
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{}", answer.stdout);
    let row = &rows[0];
    assert_eq!((&row["row"], &row["best"]), (&Value::from("crossing"), &Value::from("explicit")));
    assert!(row["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0), "{row}");
    let decided = |engine: &Value| (engine["decided"].as_u64(), engine["asked"].as_u64());
    let engines = row["engines"].as_array().expect("engines");
    assert_eq!(engines.len(), 5, "{row}");
    // Local refuses strong global fairness; infinite refuses finite systems.
    let [explicit, symbolic, local, .., infinite] = &engines[..] else { panic!("{row}") };
    assert_eq!(decided(explicit), decided(&row["auto"]));
    assert_eq!(decided(symbolic), decided(&row["auto"]));
    assert!(decided(local).0 < decided(local).1 && decided(local).0 > Some(0), "{row}");
    assert_eq!(decided(infinite).0, Some(0), "{row}");
}

#[test]
fn the_properties_of_an_example_can_be_asked_one_by_one() {
    let answer = bench(&["choice", "examples", "--row", "retry", "--each", "--list"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let properties = answer.stdout.lines().filter(|line| line.starts_with("retry: ")).count();
    assert!(properties > 1, "{}", answer.stdout);
}

#[test]
fn a_program_that_is_not_there_is_not_measured() {
    let answer = bench(&["pat", "--row", "TC_R(3) weak", "--fairly", "no/such/program"]);
    assert_eq!(answer.code, Some(2), "{}", answer.stdout);
    assert!(answer.stderr.contains("cannot run no/such/program"), "{}", answer.stderr);
}

#[test]
fn nusmv_answers_the_same_where_it_is_installed() {
    if Command::new("NuSMV").arg("-h").output().is_err() {
        println!("skipped: this test needs NuSMV on the path");
        return;
    }
    for pattern in ["BAKERY(3)*", "MUX-SEM(5)*", "COND-TERM(4)*"] {
        let answer = bench(&["split", "--row", pattern, "--format", "json"]);
        assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
        for row in rows(&answer.stdout) {
            let peers = row["peers"].as_array().expect("peers");
            assert!(peers.iter().all(|peer| peer["verdict"] == row["ours"]["verdict"]), "{row}");
            assert!(row["ours"]["engine"] != "symbolic" || !peers.is_empty(), "{row}");
        }
    }
}

#[test]
fn spin_answers_the_same_where_it_is_installed() {
    let installed = ["spin", "gcc"].iter().all(|tool| Command::new(tool).arg("--version").output().is_ok());
    if !installed {
        println!("skipped: this test needs spin and gcc on the path");
        return;
    }
    for pattern in ["TC_R(3) weak", "filter(4) *", "justice(1) in a formula"] {
        let answer = bench(&["pat", "explicit", "--row", pattern, "--format", "json"]);
        assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
        for row in rows(&answer.stdout) {
            let peers = row["peers"].as_array().expect("peers");
            assert!(!peers.is_empty(), "{row}");
            assert!(peers.iter().all(|peer| peer["unanswered"].is_null()), "{row}");
            let explored = peers.iter().filter(|peer| peer["name"] == "safety");
            explored.for_each(|peer| assert_eq!(peer["states"], row["ours"]["states"], "{row}"));
        }
    }
}
