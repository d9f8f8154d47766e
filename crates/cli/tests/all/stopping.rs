//! Limits and interrupts end a search properly: what is known is shown, the rest is unknown, exit code 3.

use std::time::Duration;

use crate::command::{self, Answer, fairly, file, on_one_line};

/// More states than anyone can list: `small` fails at once, `large` needs them all. Other engines need not list them.
const ENDLESS: &str = "
process P[i: 1..12] {
    local c: 0..9;
    loop { up: c = (c + 1) % 10; }
}
invariant small: P[1].c < 1 expect fails;
invariant large: P[1].c < 10 expect holds;
invariant larger: P[2].c < 10 expect holds;
";

fn undecided(answer: &Answer, says: &str) {
    let Answer { code, stdout, stderr, .. } = answer;
    assert_eq!(*code, Some(3), "{stdout}{stderr}");
    assert!(stdout.contains("? large"), "{stdout}");
    assert!(on_one_line(stdout).contains(says), "`{says}` is not in: {stdout}");
}

#[test]
fn the_time_limit_ends_the_search() {
    let model = file("time.fair", ENDLESS);
    let answer = fairly(&["check", "--engine", "explicit", "--time-limit", "0.5", &model]);
    undecided(&answer, "time limit");
    assert!(answer.stdout.contains("✗ small"), "{}", answer.stdout);
    assert!(answer.time < Duration::from_secs(10), "{:?}", answer.time);
    undecided(&fairly(&["check", "--time-limit", "0", &model]), "the time limit was reached before it began");
    // How far it came, and how fast.
    let one = ["check", "--engine", "explicit", "--property", "large", "--time-limit", "3", &model];
    let said = on_one_line(&fairly(&one).stdout);
    assert!(said.contains("states a second; ") && said.contains("still waiting"), "{said}");
}

#[test]
fn a_file_is_checked_again_with_the_time_that_others_have_left() {
    let hard = file("left/hard.fair", ENDLESS);
    let easy = "shared x: bool = false; process P { loop { skip; } } invariant easy: !x expect holds;";
    let easy: Vec<String> = (1..10).map(|k| file(&format!("left/easy{k}.fair"), easy)).collect();
    let options = ["check", "--engine", "explicit", "--time-limit", "5", "--format"];
    let check = |format: &'static str| {
        let files = std::iter::once(&hard).chain(&easy).map(String::as_str);
        fairly(&options.into_iter().chain([format]).chain(files).collect::<Vec<_>>())
    };
    let Answer { stdout, .. } = &check("text");
    assert_eq!(stdout.matches("hard.fair").count(), 2, "{stdout}");
    let (first, again) = stdout.split_once("again, with time that others have left").expect("it is said");
    assert!(first.contains("✗ small") && first.matches("✓ easy").count() == 9, "{stdout}");
    assert!(again.contains("? large") && !again.contains("✗ small"), "{stdout}");
    // What is decided the first time stands, and nothing is told twice.
    let Answer { stdout, code, .. } = &check("json");
    assert_eq!(*code, Some(3), "{stdout}");
    let names =
        ["small", "large", "larger"].map(|name| stdout.matches(&format!("\"property\": \"{name}\"")).count());
    assert_eq!(names, [1, 1, 1], "{stdout}");
    assert_eq!(stdout.matches("\"property\": \"easy\"").count(), 9, "{stdout}");
}

#[test]
fn the_memory_limit_ends_the_search() {
    let model = file("memory.fair", ENDLESS);
    let answer = fairly(&["check", "--engine", "explicit", "--memory-limit", "16MiB", &model]);
    undecided(&answer, "memory limit");
    undecided(&fairly(&["check", "--memory-limit", "1k", &model]), "memory limit");
}

#[cfg(unix)]
#[test]
fn an_interrupt_shows_what_is_known() {
    use std::process::Command;

    let model = file("interrupt.fair", ENDLESS);
    let child =
        command::command(&["check", "--engine", "explicit", &model]).spawn().expect("the command runs");
    std::thread::sleep(Duration::from_millis(1500));
    // Some tools send two signals for one interrupt.
    for signal in ["-INT", "-TERM"] {
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("a signal");
        assert!(killed.success());
    }
    let output = child.wait_with_output().expect("an answer");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stdout}");
    assert!(stdout.contains("✗ small"), "{stdout}");
    assert!(stdout.contains("? large"), "{stdout}");
    assert!(stdout.contains("interrupted"), "{stdout}");
    assert!(stdout.contains("? larger"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let model = file("reader.fair", ENDLESS);
    let arguments = ["check", "--engine", "explicit", "--time-limit", "5", &model];
    let mut child = command::command(&arguments).spawn().expect("the command runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an answer");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.is_empty(), "{stderr}");
}

/// Whether fairness with predicates can be met is found out on all states, and here nobody can list them.
#[test]
fn advice_shows_what_is_known_when_a_limit_ends_it() {
    let text = format!("{ENDLESS}property moves: F P[1].c == 1 under weak P & justice (P[1].c != 3);");
    let model = file("advice.fair", &text);
    for limit in ["3", "0"] {
        let answer = fairly(&["advise", "--property", "moves", "--time-limit", limit, &model]);
        let Answer { stdout, stderr, time, .. } = &answer;
        assert!(stdout.contains("moves") && stdout.contains("process-weak"), "{stdout}{stderr}");
        let said = on_one_line(stdout);
        assert!(said.contains("the time limit was reached"), "{stdout}{stderr}");
        assert!(stderr.is_empty(), "{stderr}");
        assert!(*time < Duration::from_secs(20), "{time:?}");
    }
}
