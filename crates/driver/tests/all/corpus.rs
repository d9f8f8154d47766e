//! The corpus of T2's own tests, if it is present: programs with recorded verdicts, which are not always right.
//!
//! The corpus is not part of this project. If `shared/corpus/t2/expected.tsv` is next to the project's folder, every
//! test run checks a sample of its rows, and `FAIRLY_CORPUS=all` checks all of them. The numbers of decided,
//! agreeing, disagreeing and undecided rows per category are printed with the time they took. A verdict that differs
//! from the recorded one must be explained in `corpus.md` next to this file, by the row's id; anything else is an
//! error. `FAIRLY_CORPUS_SECONDS` is the time limit of a row, `FAIRLY_CORPUS_ROWS` a list of ids.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use certify::Standing;
use driver::t2::{self, Blocks, Claim, Question, Stuck};
use driver::{Model, Options, StopReason, Verdict, World};
use engines::Engine;
use engines::infinite::Infinite;
use model::system::Scalar;
use model::{Answer, Session, Task};

/// Unless all rows are asked for, only one row in this many is checked.
const SAMPLE: usize = 12;

struct Row<'a> {
    id: &'a str,
    file: &'a str,
    mode: &'a str,
    property: &'a str,
    fairness: &'a str,
    recorded: &'a str,
}

impl Row<'_> {
    fn category(&self) -> &'static str {
        match (self.mode, self.fairness) {
            ("termination", _) => "termination",
            ("safety", _) => "safety",
            ("ctl", "") => "CTL",
            ("ctl", _) => "fair CTL",
            _ => "CTL*",
        }
    }

    fn question(&self) -> Question {
        let claim = match self.mode {
            "termination" => Claim::Termination,
            "safety" => Claim::Safety(Some(self.property.to_owned()).filter(|name| !name.is_empty())),
            "ctl" => Claim::Ctl(self.property.to_owned()),
            _ => Claim::Ltl(self.property.to_owned()),
        };
        let pairs = Some(self.fairness.to_owned()).filter(|pair| !pair.is_empty()).into_iter().collect();
        Question { claim, pairs, stuck: Stuck::Drop }
    }
}

#[derive(Default)]
struct Tally {
    rows: usize,
    agreed: usize,
    explained: usize,
    unknown: usize,
    checked: usize,
    times: Vec<Duration>,
}

#[test]
fn verdicts_on_the_corpus_agree_or_are_explained() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/t2");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("the corpus is not here, so nothing was checked");
        return;
    };
    let explained = explanations();
    let variable = |name: &str| std::env::var(name).ok();
    let seconds = variable("FAIRLY_CORPUS_SECONDS").and_then(|text| text.parse().ok()).unwrap_or(30.0);
    let wanted = variable("FAIRLY_CORPUS_ROWS");
    let step = if wanted.is_some() || variable("FAIRLY_CORPUS").is_some() { 1 } else { SAMPLE };
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in table.lines().skip(1).step_by(step) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, file, mode, property, fairness, recorded, ..] = fields[..] else { panic!("{line}") };
        let row = Row { id, file, mode, property, fairness, recorded };
        if wanted.as_ref().is_some_and(|wanted| !wanted.split(',').any(|name| name == id)) {
            continue;
        }
        let text = std::fs::read_to_string(folder.join(file)).expect("a file of the corpus");
        let start = Instant::now();
        let (verdict, checked, notes) = answer(&row, &text, Duration::from_secs_f64(seconds));
        let tally = tallies.entry(row.category()).or_default();
        tally.rows += 1;
        tally.times.push(start.elapsed());
        tally.checked += usize::from(checked);
        let outcome = match verdict {
            Verdict::Unknown => {
                tally.unknown += 1;
                "unknown"
            }
            verdict if verdict.name() == row.recorded => {
                tally.agreed += 1;
                "agrees"
            }
            verdict if explained.get(row.id).is_some_and(|(right, _)| *right == verdict.name()) => {
                tally.explained += 1;
                "explained"
            }
            _ => {
                wrong.push(format!(
                    "{id} {file} {property} {fairness}: {}, recorded {recorded}",
                    verdict.name()
                ));
                "DIFFERS"
            }
        };
        let standing = if checked { "checked" } else { "" };
        println!(
            "{id} {outcome} {} {standing} {:.2} s {file} {property} {notes}",
            verdict.name(),
            start.elapsed().as_secs_f64()
        );
    }
    println!("\n| category | rows | decided | agreed | explained | unknown | checked | median | total |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (category, mut tally) in tallies {
        tally.times.sort();
        println!(
            "| {category} | {} | {} | {} | {} | {} | {} | {:.3} s | {:.1} s |",
            tally.rows,
            tally.rows - tally.unknown,
            tally.agreed,
            tally.explained,
            tally.unknown,
            tally.checked,
            tally.times[tally.times.len() / 2].as_secs_f64(),
            tally.times.iter().sum::<Duration>().as_secs_f64(),
        );
    }
    assert!(
        wrong.is_empty(),
        "these differ from what is recorded, and nobody has explained why:\n{}",
        wrong.join("\n")
    );
}

/// The verdict, whether the judge has checked it, and its notes.
fn answer(row: &Row<'_>, text: &str, limit: Duration) -> (Verdict, bool, String) {
    // As the command does: with joined blocks, with several rounds at once, and as it is written.
    let load = |blocks: Blocks| t2::load_as(row.file, text, &row.question(), blocks);
    let imported = load(Blocks::Small);
    let Some(model) = imported.model else {
        let refused = imported.diagnostics.first().map(|(_, fault)| fault.message.clone());
        return (Verdict::Unknown, false, refused.unwrap_or_default());
    };
    let start = Instant::now();
    let world = World {
        stop: &|| (start.elapsed() >= limit).then_some(StopReason::Time),
        clock: &|| start.elapsed(),
        memory: 2 << 30,
        solvers: &smt::installed(),
        ..World::unlimited()
    };
    let options = Options::default();
    let others = [Blocks::Large, Blocks::Flags, Blocks::Unrolled].map(|blocks| load(blocks).model);
    let models: Vec<&Model> = others.iter().flatten().chain([&model]).collect();
    let report = driver::check_forms(&models, &options, &world, &mut |_, _| {}).expect("a report");
    let outcome = &report.outcomes[0];
    assert!(outcome.dispute.is_none(), "{} {}: {:?}", row.id, row.file, outcome.dispute);
    let checked = outcome.checked || is_proved(&model.checks[0].task, outcome.verdict);
    let notes: Vec<String> = outcome.notes.iter().map(ToString::to_string).collect();
    (outcome.verdict, checked, notes.join("; "))
}

/// Whether the infinite engine has the same verdict and the judge checks it. A program without variables was decided
/// by listing its states, which gives no evidence.
fn is_proved(task: &Task, verdict: Verdict) -> bool {
    let solvers = smt::installed();
    let engine = Infinite { solvers: solvers.clone(), finite: true, both_sides: false };
    let unbounded = task.system().variables.iter().any(|variable| variable.kind.scalar == Scalar::Int);
    if unbounded || verdict == Verdict::Unknown {
        return false;
    }
    let Ok(answer) = engine.check(task, &Session::unlimited()) else { return false };
    let same = match answer {
        Answer::Holds(_) => verdict == Verdict::Holds,
        Answer::Fails(_) => verdict == Verdict::Fails,
        Answer::Unknown(_) => false,
    };
    let judged = certify::Judge::new(&solvers, &Session::unlimited())
        .certify(task, answer)
        .map(|certified| certified.standing());
    same && judged == Ok(Standing::Checked)
}

/// Per row, the right verdict and why the recorded one is wrong.
fn explanations() -> BTreeMap<&'static str, (&'static str, &'static str)> {
    let lines = include_str!("../corpus.md").lines().filter(|line| line.starts_with("| T"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [id, right, why] = cells[..] else { panic!("{line}") };
            assert!(!why.is_empty(), "{line}");
            (id, (right, why))
        })
        .collect()
}
