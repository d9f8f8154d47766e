//! Listed proofs of all examples, checked by a program in another language that knows nothing of Fairly.
//!
//! `FAIRLY_STATES` chooses up to how many states. Without `python3` there is nothing to test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{Answer, fairly, file};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The result of the checker: its exit code and what it says.
fn checked(proof: &str) -> Option<(i32, String)> {
    let checker = root().join("tools/check_proof.py");
    let output = Command::new("python3").arg(checker).arg(proof).output().ok()?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.code().unwrap_or(-1), text))
}

fn examples() -> Vec<PathBuf> {
    let folders = ["", "pat", "split"].map(|folder| root().join("examples").join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("examples"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "fair")).collect();
    paths.sort();
    paths
}

/// The names of properties with a listed proof of at most so many states, and of each family one.
fn proved(path: &str, states: u64) -> Vec<String> {
    let arguments =
        ["check", "--engine", "explicit", "--no-notes", "--format", "json", "--time-limit", "60", path];
    let Answer { stdout, .. } = fairly(&arguments);
    let document: Value = serde_json::from_str(&stdout).unwrap_or_default();
    let results = document["results"].as_array().cloned().unwrap_or_default();
    let is_wanted = |result: &&Value| {
        result["evidence"] == "listed states"
            && result["stats"]["states"].as_u64().is_some_and(|n| n <= states)
    };
    let mut names: Vec<String> = results
        .iter()
        .filter(is_wanted)
        .filter_map(|result| Some(result["property"].as_str()?.to_owned()))
        .collect();
    let family = |name: &str| name.split('[').next().map(str::to_owned);
    names.dedup_by(|one, other| family(one) == family(other));
    names
}

#[test]
fn a_checker_in_another_language_accepts_the_proofs_of_all_examples_and_no_broken_one() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let limit = std::env::var("FAIRLY_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let (mut accepted, mut refused) = (0, 0);
    for path in examples() {
        let model = path.to_string_lossy().into_owned();
        for property in proved(&model, limit) {
            let proof = file("listed.proof", "");
            let arguments = ["prove", "--engine", "explicit", "--property", &property, "-o", &proof, &model];
            let Answer { code, stdout, stderr, .. } = fairly(&arguments);
            assert_eq!(code, Some(0), "{model} {property}: {stdout}{stderr}");
            let (code, text) = checked(&proof).expect("a result");
            assert_eq!(code, 0, "{model} {property}: {text}");
            let verified = fairly(&["verify", &proof, &model]);
            assert_eq!(verified.code, Some(0), "{model} {property}: {}{}", verified.stdout, verified.stderr);
            accepted += 1;
            let mut document: Value =
                serde_json::from_str(&fs::read_to_string(&proof).expect("a text")).expect("JSON");
            // All states can be reached, so none may be missing.
            let width = document["automaton"]["states"].as_array().map_or(0, Vec::len);
            document["states"].as_array_mut().expect("states").pop();
            for tree in document["trees"].as_array_mut().into_iter().flatten() {
                let addresses = tree["addresses"].as_array_mut().expect("addresses");
                addresses.truncate(addresses.len() - width);
            }
            for label in document.get_mut("labels").and_then(Value::as_array_mut).into_iter().flatten() {
                label["numbers"].as_array_mut().expect("numbers").pop();
            }
            let broken = file("broken.proof", document.to_string());
            let (code, text) = checked(&broken).expect("a result");
            assert_eq!(code, 1, "{model} {property}: {text}");
            assert_eq!(fairly(&["verify", &broken, &model]).code, Some(1), "{model} {property}");
            refused += 1;
        }
    }
    println!("{accepted} proofs accepted, {refused} broken ones refused");
    assert!(accepted > 40, "{accepted}");
}

/// CTL formulas about some runs, under every kind of fairness.
const BRANCHING: &str = "shared x: 0..3 = 0; shared up: bool = any;
        process P { loop { go: either { r: when x < 3 { x = x + 1; } } or { f: when x > 0 { x = x - 1; } } or { t: up = !up; } } }
        process Q { loop { wait: await up; rest: stay; } }
        property reset: AG EF x == 0 under weak P;
        property strong: AG (EF x == 3 && EG (up || !up)) under strong P & strong Q;
        property global: AG AF AG EF x == 3 under global;
        property justice: EG EX EF x == 2 under justice (x == 0) | compassion (up, x == 3);
        property until: E[x < 3 U AX (x >= 2 || up)] under none;";

#[test]
fn sure_sets_are_kept_and_verified_and_none_can_be_changed() {
    let model = file("sure.fair", BRANCHING);
    for property in ["reset", "strong", "global", "justice", "until"] {
        let proof = file("sure.proof", "");
        let made = fairly(&["prove", "--engine", "symbolic", "--property", property, "-o", &proof, &model]);
        assert_eq!(made.code, Some(0), "{property}: {}{}", made.stdout, made.stderr);
        let verified = fairly(&["verify", &proof, &model]);
        assert_eq!(verified.code, Some(0), "{property}: {}{}", verified.stdout, verified.stderr);
        let good: Value = serde_json::from_str(&fs::read_to_string(&proof).expect("a text")).expect("JSON");
        let mut forgeries = Vec::new();
        let mut forge = |change: &dyn Fn(&mut Value)| {
            let mut forged = good.clone();
            change(&mut forged);
            forgeries.push(forged);
        };
        forge(&|forged| drop(forged["sure"].as_array_mut().expect("claims").pop()));
        forge(&|forged| forged["actions"][0] = Value::from("another"));
        for number in 0..good["sure"].as_array().expect("claims").len() {
            // The step of a move names an action that exists.
            if good["sure"][number]["moves"].is_array() {
                forge(&|forged| {
                    drop(forged["sure"][number]["moves"].as_array_mut().expect("moves").pop());
                });
                forge(&|forged| forged["sure"][number]["moves"][0][1] = Value::from(99));
            }
        }
        for forged in forgeries {
            let broken = file("forged_sure.proof", forged.to_string());
            let answer = fairly(&["verify", &broken, &model]);
            assert!(matches!(answer.code, Some(1 | 2)), "{property}: {}{}", answer.stdout, answer.stderr);
        }
    }
}

#[test]
fn a_proof_with_a_number_of_processes_is_kept_and_verified() {
    let model = root().join("examples/counter/arrivals.fair").to_string_lossy().into_owned();
    for property in ["complete", "nobody", "all"] {
        let proof = file("tally.proof", "");
        let made = fairly(&["prove", "--property", property, "-o", &proof, &model]);
        assert_eq!(made.code, Some(0), "{property}: {}{}", made.stdout, made.stderr);
        let verified = fairly(&["verify", &proof, &model]);
        assert_eq!(verified.code, Some(0), "{property}: {}{}", verified.stdout, verified.stderr);
        let mut forged: Value =
            serde_json::from_str(&fs::read_to_string(&proof).expect("a text")).expect("JSON");
        forged["tallies"][0]["constant"] = Value::from(1);
        let broken = file("forged_tally.proof", forged.to_string());
        assert_eq!(fairly(&["verify", &broken, &model]).code, Some(1), "{property}");
    }
}

#[test]
fn labels_are_checked_by_both_under_every_fairness_and_none_can_be_changed() {
    let model = file("labels.fair", BRANCHING);
    for property in ["reset", "strong", "global", "justice", "until"] {
        let proof = file("labels.proof", "");
        let made = fairly(&["prove", "--engine", "explicit", "--property", property, "-o", &proof, &model]);
        assert_eq!(made.code, Some(0), "{property}: {}{}", made.stdout, made.stderr);
        assert!(made.stdout.contains("labels; checked"), "{property}: {}", made.stdout);
        let verified = fairly(&["verify", &proof, &model]);
        assert_eq!(verified.code, Some(0), "{property}: {}{}", verified.stdout, verified.stderr);
        let document: Value =
            serde_json::from_str(&fs::read_to_string(&proof).expect("a text")).expect("JSON");
        let Some((code, text)) = checked(&proof) else { continue };
        assert_eq!(code, 0, "{property}: {text}");
        // A label is exactly the set of states where its formula is true.
        for number in 0..document["labels"].as_array().expect("labels").len() {
            let mut forged = document.clone();
            let first = &mut forged["labels"][number]["numbers"][0];
            *first = if first.is_null() { Value::from(0) } else { Value::Null };
            let broken = file("forged.proof", forged.to_string());
            assert_eq!(checked(&broken).expect("a result").0, 1, "{property}: label {number}");
            assert_eq!(fairly(&["verify", &broken, &model]).code, Some(1), "{property}: label {number}");
        }
    }
}

#[test]
fn a_proof_of_another_system_is_refused() {
    let text = "shared x: 0..3 = 0;
        process P { loop { up: when x < 3 { x = x + 1; } } }
        property top: F x == 3 under weak P;";
    let model = file("system.fair", text);
    let proof = file("system.proof", "");
    let made = fairly(&["prove", "--engine", "explicit", "--property", "top", "-o", &proof, &model]);
    assert_eq!(made.code, Some(0), "{}{}", made.stdout, made.stderr);
    // The claim is the same, the system is not.
    let other = file("other.fair", text.replace("when x < 3", "when x < 3 && x >= 0"));
    let answer = fairly(&["verify", &proof, &other]);
    assert_eq!(answer.code, Some(1), "{}", answer.stdout);
    assert!(answer.stdout.contains("its `system` is not that of the model"), "{}", answer.stdout);
}

#[test]
fn a_proof_made_of_diagrams_is_verified_and_refused_for_another_model() {
    let text = "shared x: 0..5 = 0;
        process P { action up when x < 5 { x = x + 1; } action again when x == 5 { x = 3; } }
        invariant low: x <= 5;
        property high: F G x >= 3 under weak all;
        property branching: AG (x == 0 -> AF x == 5) under weak all;";
    let model = file("diagrams.fair", text);
    let other = file("lower.fair", text.replace("x = 3;", "x = 2;"));
    for property in ["low", "high", "branching"] {
        let proof = file("diagrams.proof", "");
        let made = fairly(&["prove", "--engine", "symbolic", "--property", property, "-o", &proof, &model]);
        assert_eq!(made.code, Some(0), "{property}: {}{}", made.stdout, made.stderr);
        assert!(made.stdout.contains("nodes; checked"), "{property}: {}", made.stdout);
        let verified = fairly(&["verify", &proof, &model]);
        assert_eq!(verified.code, Some(0), "{property}: {}{}", verified.stdout, verified.stderr);
        // There the second property fails.
        if property == "high" {
            assert_eq!(fairly(&["verify", &proof, &other]).code, Some(1));
        }
    }
}

#[test]
fn a_proof_for_every_number_of_processes_is_kept_and_verified_and_none_can_be_changed() {
    let model = root().join("examples/counter/mux_sem.fair").to_string_lossy().into_owned();
    for property in ["mutex", "progress", "access"] {
        let proof = file("counted.proof", "");
        let made = fairly(&["prove", "--property", property, "-o", &proof, &model]);
        assert_eq!(made.code, Some(0), "{property}: {}{}", made.stdout, made.stderr);
        assert!(made.stdout.contains("for every number of processes"), "{property}: {}", made.stdout);
        let verified = fairly(&["verify", &proof, &model]);
        assert_eq!(verified.code, Some(0), "{property}: {}{}", verified.stdout, verified.stderr);
        let good: Value = serde_json::from_str(&fs::read_to_string(&proof).expect("a text")).expect("JSON");
        let mut forgeries = Vec::new();
        let mut forge = |change: &dyn Fn(&mut Value)| {
            let mut forged = good.clone();
            change(&mut forged);
            forgeries.push(forged);
        };
        // All listed counts can be reached, so none may be missing.
        forge(&|forged| {
            let counts = forged["counts"].as_array_mut().expect("counts");
            counts.pop();
            let count = counts.len();
            for argument in forged["arguments"].as_array_mut().into_iter().flatten() {
                let addresses = argument["tree"]["addresses"].as_array_mut().expect("addresses");
                addresses.truncate(addresses.len() / (count + 1) * count);
            }
        });
        forge(&|forged| forged["property"] = Value::from("weakly"));
        forge(&|forged| forged["settings"]["N"] = Value::from("3"));
        forge(&|forged| forged["raise"] = Value::from(forged["raise"].as_u64().map_or(0, |raise| raise + 1)));
        if property != "mutex" {
            forge(&|forged| forged["arguments"][0]["rules"] = Value::Array(Vec::new()));
            forge(&|forged| forged["arguments"] = Value::Array(Vec::new()));
            forge(&|forged| {
                let blocks = forged["arguments"][0]["tree"]["blocks"].as_array_mut().expect("blocks");
                blocks.iter_mut().for_each(|block| block[1] = Value::from("trivial"));
            });
        }
        for forged in forgeries {
            let broken = file("forged.proof", forged.to_string());
            let answer = fairly(&["verify", &broken, &model]);
            assert!(matches!(answer.code, Some(1 | 2)), "{property}: {}{}", answer.stdout, answer.stderr);
        }
    }
}
