//! A second opinion: SPIN checks what `fairly export --to promela` writes, and must agree with `fairly check`.
//!
//! The examples, and random models from the generator of the differential tests. `FAIRLY_SPIN_MODELS` and
//! `FAIRLY_SEED` choose how many random models and which. Without `spin` and `gcc` on the path the tests say
//! that they were skipped. A formula that SPIN does not translate in time is counted and not compared.
#![cfg(unix)]

#[path = "../../../driver/tests/all/differential/generate.rs"]
mod generate;
#[path = "../../../driver/tests/all/differential/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use random::Random;

use crate::command::{self, fairly};

/// Numbers of results, by name.
type Tally = BTreeMap<&'static str, u64>;

/// Whether the tools are installed; prints a message if not.
fn installed() -> bool {
    let there = |tool: &str, option: &str| {
        let status = Command::new(tool).arg(option).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let both = there("spin", "-V") && there("gcc", "--version");
    if !both {
        println!("skipped: this test needs spin and gcc on the path");
    }
    both
}

/// An empty folder for the files of one model.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin").join(name);
    // Remove the files of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The output of a tool; `None` if it takes longer than `limit` seconds.
fn output(folder: &Path, limit: u64, tool: &str, arguments: &[&str]) -> Option<String> {
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
            return Some(fs::read_to_string(&file).unwrap_or_default());
        }
        if start.elapsed() > Duration::from_secs(limit) {
            child.kill().expect("a child that can be ended");
            child.wait().expect("a status");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The verdicts and numbers of states of `fairly check`, by property.
fn ours(file: &str, options: &[&str]) -> BTreeMap<String, (String, u64)> {
    let answer = fairly(&[&["check", "--format", "json", file], options].concat());
    let document: serde_json::Value = serde_json::from_str(&answer.stdout).expect("a JSON document");
    let results = document["results"].as_array().expect("results");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let states = |result: &serde_json::Value| result["stats"]["states"].as_u64().unwrap_or(0);
    results.iter().map(|r| (text(&r["property"]), (text(&r["verdict"]), states(r)))).collect()
}

/// The formulas of an exported model: the property, and the options `pan` needs.
fn formulas(text: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = text.split("\n/* ").filter_map(|block| {
        let (name, rest) = block.split_once(": ")?;
        let command =
            rest.lines().find_map(|line| line.trim().strip_suffix(" */")?.strip_prefix("./pan "))?;
        Some((name, command.split(' ').collect()))
    });
    blocks.collect()
}

/// Exports a model, lets SPIN check its formulas one by one, and compares. Returns the first disagreement.
fn disagreement(name: &str, file: &str, options: &[&str], tally: &mut Tally) -> Option<String> {
    let ours = ours(file, options);
    let folder = folder(name);
    let model = folder.join("model.pml").to_string_lossy().into_owned();
    let exported = fairly(&[&["export", file, "--to", "promela", "-o", &model], options].concat());
    assert!(matches!(exported.code, Some(0 | 3)), "{file}: {}", exported.stderr);
    assert!(exported.time < Duration::from_secs(30), "exporting explores nothing and is quick");
    let text = fs::read_to_string(&model).unwrap_or_default();
    let formulas = formulas(&text);
    *tally.entry("refused").or_default() += (ours.len() - formulas.len()) as u64;
    if formulas.is_empty() {
        return None;
    }
    let Some(translated) = output(&folder, 5, "spin", &["-a", "model.pml"]) else {
        *tally.entry("not translated in time").or_default() += formulas.len() as u64;
        return None;
    };
    assert!(folder.join("pan.c").exists(), "{file}: {translated}\n{text}");
    let command = text.lines().find_map(|line| line.split_once("gcc -O2 "));
    let arguments: Vec<&str> = command.expect("the file says how to build it").1.split(' ').collect();
    let errors = output(&folder, 60, "gcc", &[&["-w"], &arguments[..]].concat()).expect("gcc ends");
    assert!(folder.join("pan").exists(), "{file}: {errors}\n{text}");
    let pan = folder.join("pan").to_string_lossy().into_owned();
    for (property, arguments) in formulas {
        let limits = ["-m200000", "-w20"];
        let report = output(&folder, 120, &pan, &[&limits[..], &arguments].concat()).expect("pan ends");
        let found = report.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let theirs = match found {
            Some("0") if report.contains("max search depth too small") => {
                *tally.entry("too deep for pan").or_default() += 1;
                continue;
            }
            Some("0") => "holds",
            Some(_) => "fails",
            None => panic!("{file}, {property}: {report}\n{text}"),
        };
        let kind = match (theirs, arguments.contains(&"-f")) {
            ("holds", false) => "hold",
            ("holds", true) => "hold under -f",
            (_, false) => "fail",
            (_, true) => "fail under -f",
        };
        *tally.entry(kind).or_default() += 1;
        let verdict = &ours[property].0;
        if verdict != theirs {
            return Some(format!("`{property}`: Fairly says {verdict}, SPIN {theirs}\n{report}\n{text}"));
        }
    }
    None
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).to_string_lossy().into_owned()
}

#[test]
fn spin_agrees_on_the_examples() {
    if !installed() {
        return;
    }
    let models: [(&str, &[&str]); 12] = [
        ("mux_sem", &[]),
        ("mux_sem", &["--set", "N=2", "--property", "no_starvation_strong[1]"]),
        ("mux_sem", &["--set", "N=2", "--property", "no_starvation_action[1]"]),
        ("peterson", &["--property", "mutex", "--property", "access", "--property", "never_overtaken"]),
        ("peterson", &["--property", "access", "--property", "unfair", "--fairness", "weak"]),
        ("dining_philosophers", &[]),
        ("dining_philosophers", &["--fairness", "process-weak"]),
        ("token_ring", &[]),
        (
            "round_robin",
            &[
                "--fairness",
                "process-weak",
                "--property",
                "owner",
                "--property",
                "runs",
                "--property",
                "again",
            ],
        ),
        ("ticket_lock", &[]),
        ("bakery", &[]),
        ("pat/peterson", &["--set", "N=3", "--fairness", "process-weak"]),
    ];
    let mut tally = Tally::new();
    for (name, options) in models {
        let place = format!("example_{}", name.replace('/', "_"));
        if let Some(flaw) = disagreement(&place, &example(&format!("{name}.fair")), options, &mut tally) {
            panic!("{name} {options:?}: {flaw}");
        }
    }
    println!("examples: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    for kind in ["hold", "fail", "hold under -f", "fail under -f"] {
        assert!(seen(kind) > 0, "no example of `{kind}`: {tally:?}");
    }
}

#[test]
fn spin_reads_negative_numbers_in_formulas() {
    if !installed() {
        return;
    }
    let source = "shared x: -3..3 = 0; shared y: -3..3 = -2;
        process P { loop { a: x = -1; b: x = y; c: x = 0; } }
        property less: G !(x < -1);
        property above: G !(x < -2);
        property minus: F (x - -1 == 0);
        property opposite: F (x < -x && x < -y - 3);
        property never: G (x > -3 && -x < -y - -1);
        property nested: F (-(-x) < -1 && x - -(-y) == 0);";
    let file = command::file("negative.fair", source);
    let mut tally = Tally::new();
    if let Some(flaw) = disagreement("negative", &file, &[], &mut tally) {
        panic!("{flaw}");
    }
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert_eq!((seen("refused"), seen("not translated in time")), (0, 0), "{tally:?}");
    assert!(seen("hold") > 1 && seen("fail") > 0, "{tally:?}");
}

#[test]
fn spin_agrees_on_random_models() {
    if !installed() {
        return;
    }
    let setting = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (count, seed) = (setting("FAIRLY_SPIN_MODELS", 12), setting("FAIRLY_SEED", 2026));
    let mut tally = Tally::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number));
        let place = format!("random{number}");
        let file = command::file(&format!("{place}.fair"), &source);
        // With the declared fairness, and with SPIN's own.
        for options in [&[][..], &["--fairness", "process-weak"]] {
            if let Some(flaw) = disagreement(&place, &file, options, &mut tally) {
                panic!("seed {seed}, model {number} {options:?}: {flaw}\n{source}");
            }
        }
    }
    println!("{count} models, seed {seed}: {tally:?}");
    let seen = |name| tally.get(name).copied().unwrap_or(0);
    assert!(seen("hold") + seen("hold under -f") > count / 4, "one verdict is rare: {tally:?}");
    assert!(seen("fail") + seen("fail under -f") > count / 4, "one verdict is rare: {tally:?}");
}

#[test]
fn spin_counts_as_many_reachable_states() {
    if !installed() {
        return;
    }
    for (name, property) in
        [("mux_sem", "mutex"), ("peterson", "mutex"), ("dining_philosophers_lefty", ""), ("token_ring", "")]
    {
        let file = example(&format!("{name}.fair"));
        let folder = folder(&format!("count_{name}"));
        let model = folder.join("model.pml").to_string_lossy().into_owned();
        let ours = ours(&file, &[]);
        let invariant = ours
            .iter()
            .find(|(known, (verdict, _))| verdict == "holds" && (property.is_empty() || property == *known));
        let Some((property, (_, states))) = invariant else { panic!("{name}: {ours:?}") };
        let exported = fairly(&[
            "export",
            &file,
            "--to",
            "promela",
            "--fairness",
            "none",
            "--property",
            property,
            "-o",
            &model,
        ]);
        assert_eq!(exported.code, Some(0), "{}", exported.stderr);
        output(&folder, 20, "spin", &["-a", "model.pml"]).expect("spin ends");
        output(&folder, 60, "gcc", &["-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"]);
        let pan = folder.join("pan").to_string_lossy().into_owned();
        let report = output(&folder, 60, &pan, &["-E", "-m200000"]).expect("pan ends");
        let line = report.lines().find(|line| line.ends_with("states, stored")).expect("a number of states");
        let theirs: u64 =
            line.split_whitespace().next().and_then(|text| text.parse().ok()).expect("a number");
        println!("{name}: {states} states by Fairly, {theirs} by SPIN");
        assert_eq!(*states, theirs, "{name}");
    }
}
