//! Models in Promela by the definition: their states are counted, and their invariants evaluated, with the reference
//! semantics alone, and compared with what SPIN has recorded.
//!
//! `FAIRLY_PROMELA` is the greatest number of states, `FAIRLY_PROMELA_FILE` names a file of the collection, or any file,
//! whose translation is shown too.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use exchange::import::{self, Language, Refused};
use model::VariableId;
use model::property::Kind;
use model::semantics::{state_predicate, steps};

/// The recorded numbers are those of searches in which SPIN merged statements and forgot variables. These are numbers
/// of searches without that (`spin -o1 -o2 -o3 -a`), where they differ.
const UNREDUCED: [(&str, u64); 3] = [("Book_1991/p123.pml", 132), ("LTL/zune.pml", 743), ("loops.pml", 17)];

/// The greatest number of states.
const STATES: u64 = 600;

/// Small models for constructs that the collection does not have, and SPIN's numbers of states (`spin -o1 -o2 -o3 -a`, then
/// `-DNOREDUCE -DNOCOMP`, errors ignored).
const OWN: [(&str, u64); 29] = [
    ("otherwise", 579),
    ("skips", 86),
    ("macros", 5),
    ("sieve", 498),
    ("arrays", 71),
    ("firsts", 237),
    ("alone", 15),
    ("ends", 20),
    ("interrupted", 57),
    ("marks", 11),
    ("symbols", 37),
    ("buffers", 102),
    ("channels", 12),
    ("colours", 11),
    ("counters", 7950),
    ("jumps", 227),
    ("labels", 27),
    ("partners", 49),
    ("queues", 817),
    ("records", 67),
    ("sizes", 393),
    ("waiting", 21),
    ("declarations", 31),
    ("loops", 67),
    ("numbers", 230),
    ("processes", 177),
    ("rendezvous", 253),
    ("steps", 382),
    ("unless", 135),
];

#[test]
fn every_construct_has_the_states_that_spin_finds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/promela");
    let mut problems = Vec::new();
    for (name, states) in OWN {
        let text = std::fs::read_to_string(folder.join(format!("{name}.pml"))).expect("a model");
        match explore(Language::Promela, &text, 4 * states) {
            Ok(found) if found.states == states => {}
            Ok(found) => problems.push(format!("{name}: {} states, SPIN has {states}", found.states)),
            Err(message) => problems.push(format!("{name}: {message}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Global variables get their first values in order, and local ones of processes that are active are computed from these.
#[test]
fn initial_values_may_name_other_variables() {
    let text = "int a = 3; int b = a + 1; byte c = b * 100;\nactive proctype A() { byte l = b; assert(b == 4 && l == 4 && c == 144) }";
    let found = explore(Language::Promela, text, 100).expect("a model");
    assert!(found.wrong.is_empty() && found.fault.is_none(), "{:?}", found.wrong);
    let refused =
        explore(Language::Promela, "byte a[2] = 1; byte b = a[0];\nactive proctype A() { skip }", 100);
    assert!(refused.is_err_and(|message| message.contains("plain variables")));
}

/// A proctype that only code which is never reached would run, and one whose number its code does not bound.
#[test]
fn processes_are_counted_by_their_states_where_code_does_not_say_it() {
    let states = |text: &str| explore(Language::Promela, text, 1_000).map(|found| found.states);
    let never = "byte x; active proctype A() { do :: x == 1 && false -> run B(x) :: x < 3 -> x++ :: else -> break od }
        proctype B(byte n) { x = n }";
    assert_eq!(states(never), Ok(9));
    let twice = "byte x; active proctype A() { L: if :: _nr_pr < 3 -> run B(x % 2) :: else fi; goto L }
        proctype B(byte n) { byte l; x = n }";
    assert_eq!(states(twice), Ok(10));
    let endless = "active proctype A() { do :: run B() od } proctype B() { do :: skip od }";
    assert!(states(endless).is_err_and(|message| message.contains("how many processes")));
}

/// SPIN says that a place inherits two `else`.
#[test]
fn one_place_has_one_else() {
    let text = "byte x; active proctype P() { if :: if :: x == 2 -> x = 1 :: else -> x = 2 fi :: x == 1 -> x = 4 :: else -> x = 5 fi }";
    let refused = explore(Language::Promela, text, 100);
    assert!(refused.is_err_and(|message| message.contains("two `else`")));
}

/// What holds symbols alone is an enum; what a model calculates with stays a number.
#[test]
fn symbols_have_their_names() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/promela");
    let text = std::fs::read_to_string(folder.join("symbols.pml")).expect("a model");
    let translated = import::translate(Language::Promela, &text, &[], &import::no_files).expect("a model");
    let printed = lang::print(&translated.file);
    for part in [
        "enum mtype { unset, cancel, reply, request }",
        "shared last: mtype = unset;",
        "shared first: mtype = cancel;",
        "shared counted: 0..255 = 3;",
        "shared mixed: seq[1] of 0..255;",
        "shared answers: seq[1] of mtype;",
        "record packet { kind: mtype, number: 0..255, back: 0..255 }",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn files_beside_a_model_are_included() {
    let files = |file: &str| match file {
        "parts/limits.h" => Ok("#define MOST 3\n#include \"more.h\"\n".to_owned()),
        "parts/more.h" => Ok("byte x;\n#define rise x++\n".to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let text =
        "#include \"parts/limits.h\"\nactive proctype P() { do :: x < MOST -> rise :: else -> break od }";
    let translated = import::translate(Language::Promela, text, &[], &files).expect("a model");
    assert!(lang::print(&translated.file).contains("x < 3"));
    let missing = "\n#include \"none.h\"\nactive proctype P() { skip }";
    match import::translate(Language::Promela, missing, &[], &files) {
        Err(Refused::File(error)) => {
            assert!(error.message.contains("there is no such file"), "{}", error.message);
            assert_eq!(error.span.map(|span| span.start), Some(1));
        }
        other => panic!("{other:?}"),
    }
    let left_out = format!("#if 0{missing}\n#endif\nactive proctype Q() {{ skip }}");
    let left_out = left_out.replace("active proctype P() { skip }", "");
    assert!(import::translate(Language::Promela, &left_out, &[], &files).is_ok());
}

/// What was found out about a model.
pub(crate) struct Explored {
    pub(crate) states: u64,
    /// The invariants that fail.
    pub(crate) wrong: BTreeSet<String>,
    pub(crate) fault: Option<String>,
}

#[test]
fn small_models_have_the_states_that_spin_finds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela");
    let limit = std::env::var("FAIRLY_PROMELA").ok().and_then(|text| text.parse().ok()).unwrap_or(STATES);
    if let Ok(file) = std::env::var("FAIRLY_PROMELA_FILE") {
        let path = if file.starts_with('/') { PathBuf::from(&file) } else { folder.join(&file) };
        let text = std::fs::read_to_string(path).expect("a file");
        if std::env::var("FAIRLY_PROMELA_SHOW").is_ok()
            && let Ok(translated) = import::translate(Language::Promela, &text, &[], &import::no_files)
        {
            println!("{}", lang::print(&translated.file));
        }
        match explore(Language::Promela, &text, limit) {
            Ok(found) => println!("{file}: {} states, {:?} {:?}", found.states, found.wrong, found.fault),
            Err(message) => println!("{file}: {message}"),
        }
        return;
    }
    let Ok(table) = std::fs::read_to_string(folder.join("promela.tsv")) else {
        println!("the collection is not here, so nothing was checked");
        return;
    };
    let mut problems = Vec::new();
    let mut files: BTreeMap<&str, (Option<u64>, BTreeMap<&str, &str>)> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let entry = files.entry(fields[0]).or_insert_with(|| (fields[7].parse().ok(), BTreeMap::new()));
        entry.1.insert(fields[3], fields[5]);
    }
    let mut compared = 0;
    for (file, (states, verdicts)) in files {
        if states.is_none_or(|states| states > limit) {
            continue;
        }
        let text = std::fs::read_to_string(folder.join(file)).expect("a file of the collection");
        match explore(Language::Promela, &text, 4 * limit) {
            Err(message) => problems.push(format!("{file}: {message}")),
            Ok(found) => {
                compared += 1;
                let unreduced = UNREDUCED.iter().find(|(name, _)| *name == file).map(|(_, states)| *states);
                if unreduced.or(states) != Some(found.states) {
                    problems
                        .push(format!("{file}: {} states, SPIN has {unreduced:?} {states:?}", found.states));
                }
                println!(
                    "{file}: {} states, SPIN {states:?}; {:?} {:?}",
                    found.states, found.wrong, found.fault
                );
                let asserts =
                    found.wrong.iter().any(|name| name.starts_with("assert")) || found.fault.is_some();
                let ends = found.wrong.contains("no_invalid_end");
                for (property, wrong) in
                    [("safety", asserts || ends), ("assert", asserts), ("deadlock", ends)]
                {
                    let found = if wrong { "fails" } else { "holds" };
                    if let Some(verdict) = verdicts.get(property)
                        && *verdict != "unknown"
                        && *verdict != found
                    {
                        problems.push(format!("{file} {property}: {found}, SPIN: {verdict}"));
                    }
                }
            }
        }
    }
    println!("{compared} files");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

pub(crate) fn explore(language: Language, text: &str, limit: u64) -> Result<Explored, String> {
    let line = |span: Option<lang::syntax::Span>| {
        span.map_or(0, |span| text.get(..span.start).unwrap_or("").matches('\n').count() + 1)
    };
    let said = |own: &lang::diagnostic::Diagnostic| {
        format!("line {}: {}: {}", line(own.span), own.message, own.label)
    };
    let translated = match import::translate(language, text, &[], &import::no_files) {
        Ok(translated) => translated,
        Err(Refused::File(own) | Refused::Claim(_, own)) => return Err(said(&own)),
    };
    let automaton = |file: &str| {
        let found = translated.automata.iter().find(|(known, _)| known == file);
        found.map(|(_, automaton)| automaton.clone()).ok_or_else(|| "no automaton".to_owned())
    };
    let loaded = lang::load_tree("model", text, (&translated.file, Vec::new()), &[], &automaton);
    let Some(model) = loaded.model else {
        return Err(loaded.diagnostics.first().map(said).unwrap_or_default());
    };
    let instance = model.subject.instance().expect("an instance");
    let invariants: Vec<(String, model::Expr)> = model
        .checks
        .iter()
        .filter_map(|check| match &check.task.property.kind {
            Kind::Invariant(predicate) => Some((check.task.property.name.family.clone(), predicate.clone())),
            _ => None,
        })
        .collect();
    let mut found = Explored { states: 0, wrong: BTreeSet::new(), fault: None };
    let mut open: Vec<model::State> = Vec::new();
    let mut seen = HashSet::new();
    for state in model::initial::initial_states(instance) {
        let state = state.map_err(|fault| format!("{fault:?}"))?;
        seen.insert(state.clone());
        open.push(state);
    }
    while let Some(state) = open.pop() {
        for (name, predicate) in &invariants {
            match state_predicate(instance, predicate, &state) {
                Ok(true) => {}
                Ok(false) => {
                    found.wrong.insert(name.clone());
                }
                Err(fault) => found.fault = Some(format!("{name}: {fault:?}")),
            }
        }
        match steps(instance, &state) {
            Ok(steps) => {
                for step in steps {
                    if seen.insert(step.target.clone()) {
                        open.push(step.target);
                    }
                }
            }
            Err(fault) => found.fault = Some(format!("{fault:?}")),
        }
        if seen.len() as u64 > limit {
            break;
        }
    }
    // SPIN does not store states inside an `atomic`.
    let inside = model.system().variables.iter().position(|variable| variable.name == "uninterrupted");
    let cell = inside.map(|number| instance.cells_of(VariableId(number as u32), None).start);
    found.states = seen.iter().filter(|state| cell.is_none_or(|cell| state.0[cell] == 0)).count() as u64;
    Ok(found)
}
