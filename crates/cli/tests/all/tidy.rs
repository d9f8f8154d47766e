//! Checks the repository itself: the starred invariants of ARCHITECTURE.md, and that documents stay true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 15] = [
    "arith", "model", "lang", "automata", "smt", "exchange", "engines", "disk", "cluster", "certify",
    "driver", "fairly", "wire", "cli", "bench",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository exists")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder whose name has one of these endings, in order; `target` is left out.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with("target") && name != ".git" {
                    pending.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The source of a crate, without its tests: files called `tests.rs`, and what follows `#[cfg(test)]`.
fn code(name: &str) -> Vec<(PathBuf, String)> {
    files(&root().join("crates").join(name).join("src"), &[".rs"])
        .into_iter()
        .filter(|path| !path.ends_with("tests.rs"))
        .map(|path| {
            let text = read(&path);
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            (path, code)
        })
        .collect()
}

/// The crates of this workspace that a crate depends on (development dependencies excepted).
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|word| CRATES.contains(word))
        .map(str::to_owned)
        .collect()
}

#[test]
fn arrows_point_down_and_the_lowest_crates_depend_on_nothing() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("arith", &[][..]),
        ("model", &[]),
        ("lang", &["arith", "model"]),
        ("automata", &["model"]),
        ("smt", &["arith"]),
        ("exchange", &["arith", "model", "lang", "automata"]),
        ("engines", &["arith", "model", "automata", "smt"]),
        ("disk", &["model", "engines"]),
        ("cluster", &["model", "engines"]),
        ("certify", &["arith", "model", "smt"]),
        ("driver", &["model", "lang", "automata", "smt", "exchange", "engines", "certify"]),
        ("fairly", &["model", "lang", "automata", "smt", "engines", "driver"]),
        ("wire", &["driver", "fairly"]),
        ("cli", &["model", "lang", "smt", "disk", "cluster", "driver", "fairly", "wire"]),
        ("bench", &["lang"]),
    ]);
    for name in CRATES {
        for dependency in dependencies(name) {
            assert!(allowed[name].contains(&dependency.as_str()), "`{name}` depends on `{dependency}`");
        }
    }
    for name in ["arith", "model"] {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        assert!(!manifest.contains("[dependencies]"), "`{name}` has dependencies");
    }
}

#[test]
fn examples_that_run_are_only_in_the_library() {
    for name in CRATES.into_iter().filter(|name| *name != "fairly") {
        for (path, code) in code(name) {
            let fences = code
                .lines()
                .filter_map(|line| line.trim().trim_start_matches(['/', '!']).trim().strip_prefix("```"));
            for opening in fences.step_by(2) {
                assert_eq!(opening, "text", "{}: `cargo test` does not run this example", path.display());
            }
        }
    }
}

#[test]
fn no_engine_imports_another() {
    let engines = ["explicit", "symbolic", "local", "counter", "infinite"];
    for (path, code) in code("engines") {
        let text = path.to_string_lossy().into_owned();
        for own in engines {
            if !text.contains(&format!("/src/{own}")) {
                continue;
            }
            for other in engines.iter().filter(|other| **other != own) {
                for form in [format!("crate::{other}"), format!("super::super::{other}")] {
                    assert!(!code.contains(&form), "{text} imports the engine `{other}`");
                }
            }
        }
        // The set of visited states is the same in rounds.
        let code = code.replace("crate::explicit::store::", "");
        if text.contains("/src/graph") || text.contains("/src/bdd") || text.contains("/src/rounds") {
            for other in engines {
                assert!(!code.contains(&format!("crate::{other}")), "{text} imports the engine `{other}`");
            }
        }
    }
}

#[test]
fn the_judge_knows_no_engine() {
    for (path, code) in code("certify") {
        for forbidden in ["engines::", "automata::", "use engines", "use automata"] {
            assert!(!code.contains(forbidden), "{} mentions `{forbidden}`", path.display());
        }
    }
}

#[test]
fn only_the_commands_touch_the_world() {
    let forbidden = [
        "println!",
        "print!(",
        "eprintln!",
        "eprint!",
        "std::fs",
        "std::env",
        "std::io::",
        "std::process",
        "Instant::now",
        "SystemTime",
        "File::open",
    ];
    // Files are what `disk` is for, processes and sockets what `cluster` is for; neither shows anything.
    for name in ["disk", "cluster"] {
        for (path, code) in code(name) {
            for word in &forbidden[..4] {
                assert!(!code.contains(word), "{} uses `{word}`", path.display());
            }
        }
    }
    let in_the_world = ["fairly", "cli", "bench", "disk", "cluster"];
    for name in CRATES.iter().filter(|name| !in_the_world.contains(*name)) {
        // Solvers are processes.
        for (path, code) in code(name).into_iter().filter(|(path, _)| !path.ends_with("smt/src/process.rs")) {
            for word in forbidden {
                let found =
                    code.lines().any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
                assert!(!found, "{} uses `{word}`", path.display());
            }
        }
    }
}

/// The keys in square brackets in comments that look like citations: `[EL87]`.
fn citations(text: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let comments: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("//")).collect();
    for piece in comments.join("\n").split('[').skip(1) {
        let Some((key, _)) = piece.split_once(']') else { continue };
        let letters = key.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = key.len() - letters.len();
        let capital = letters.starts_with(|c: char| c.is_ascii_uppercase());
        if digits == 2 && capital && letters.len() >= 2 && letters.chars().all(|c| c.is_ascii_alphabetic()) {
            keys.insert(key.to_owned());
        }
    }
    keys
}

#[test]
fn every_citation_resolves_and_every_entry_is_cited() {
    let bibliography = read(&root().join("docs/bibliography.bib"));
    let entries: BTreeSet<String> = bibliography
        .lines()
        .filter_map(|line| line.strip_prefix('@')?.split_once('{')?.1.strip_suffix(',').map(str::to_owned))
        .collect();
    let mut cited = BTreeSet::new();
    for path in files(&root().join("crates"), &[".rs"]) {
        if path.ends_with("tests/all/tidy.rs") {
            continue;
        }
        for key in citations(&read(&path)) {
            assert!(
                entries.contains(&key),
                "{} cites [{key}], which is not in the bibliography",
                path.display()
            );
            cited.insert(key);
        }
    }
    let unused: Vec<_> = entries.difference(&cited).collect();
    assert!(unused.is_empty(), "nothing cites {unused:?}");
}

#[test]
fn files_are_short_and_open_with_what_they_are() {
    for path in files(&root().join("crates"), &[".rs"]) {
        let text = read(&path);
        let lines = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
        let lines =
            lines.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).count();
        assert!(lines <= 800, "{} has {lines} lines of code", path.display());
        assert!(text.starts_with("//!"), "{} does not say what it is", path.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    let words = ["todo!(", "unimplemented!(", "#[ignore", "#[should_panic", "dbg!(", "FIXME", "XXX"];
    for path in files(&root().join("crates"), &[".rs"]) {
        if path.ends_with("tests/all/tidy.rs") {
            continue;
        }
        let text = read(&path);
        for word in words {
            assert!(!text.contains(word), "{} contains `{word}`", path.display());
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = files(&root().join("docs"), &[".md"]);
    documents.push(root().join("proofs/README.md"));
    for name in ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        documents.push(root().join(name));
    }
    for document in documents {
        let text = read(&document);
        // Text in code is not a link.
        let prose: String = text.split('`').step_by(2).collect();
        for piece in prose.split("](").skip(1) {
            let target = piece.split([')', '#']).next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || target.contains(' ') {
                continue;
            }
            let path = document.parent().expect("a folder").join(target);
            assert!(path.exists(), "{} links to {target}, which is not there", document.display());
        }
    }
}

/// Whether a file defines this name, or a method of it is called so.
fn defines(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_defined = |word: &str| text.split(&format!("{word} {name}")).skip(1).any(ends);
    ["fn", "struct", "enum", "trait", "const", "static"].into_iter().any(is_defined)
}

/// A place is written as a path with a slash, from the root or from any folder below it: `driver/ask/plan::order`.
#[test]
fn every_place_that_the_architecture_names_exists() {
    let root = root();
    let document = read(&root.join("ARCHITECTURE.md"));
    let sources: Vec<(String, PathBuf)> = files(&root.join("crates"), &[".rs", ".js"])
        .into_iter()
        .map(|path| {
            let short =
                path.strip_prefix(&root).expect("below the root").to_string_lossy().replace("/src/", "/");
            (format!("/{short}"), path)
        })
        .collect();
    let is_path = |text: &&str| {
        text.contains('/') && text.chars().all(|c| c.is_ascii_alphanumeric() || "_/.:".contains(c))
    };
    let mut functions = 0;
    // What stands between the lines of a diagram is no place.
    let prose: String = document.split("```").step_by(2).collect();
    for place in prose.split('`').skip(1).step_by(2).filter(is_path) {
        let (path, name) = place.split_once("::").map_or((place, None), |(path, name)| (path, Some(name)));
        if root.join(path).exists() {
            continue;
        }
        let path = path.trim_end_matches('/').replace("/src/", "/");
        let endings = ["", ".rs", "/mod.rs"].map(|ending| format!("/{path}{ending}"));
        let file = sources.iter().find(|(short, _)| endings.iter().any(|ending| short.ends_with(ending)));
        let is_folder = sources.iter().any(|(short, _)| short.contains(&format!("/{path}/")));
        assert!(file.is_some() || is_folder, "ARCHITECTURE.md names `{place}`, but there is no {path}");
        if let Some(name) = name {
            let (short, file) = file.unwrap_or_else(|| panic!("`{place}` is a folder"));
            assert!(defines(&read(file), name), "ARCHITECTURE.md names `{place}`, but {short} has no {name}");
            functions += 1;
        }
    }
    let table = document.split("## Where is … decided?").nth(1).expect("the table of questions");
    let questions = table.lines().filter(|line| line.starts_with("| ")).count() - 2;
    assert!((40..=60).contains(&questions), "the table has {questions} questions");
    assert!(
        functions >= questions / 2,
        "{functions} places for {questions} questions are a function or a type"
    );
}

#[test]
fn every_decision_is_listed() {
    let list = read(&root().join("docs/decisions/README.md"));
    for path in files(&root().join("docs/decisions"), &[".md"]) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name == "README.md" || list.contains(&name), "docs/decisions/README.md does not list {name}");
    }
}

/// mdBook makes a book of what `SUMMARY.md` lists: a line is a title of a part, a page, or empty.
#[test]
fn every_page_of_the_book_is_in_its_summary_under_its_title() {
    let folder = root().join("docs/book/src");
    let mut pages: Vec<(String, String)> = Vec::new();
    for line in
        read(&folder.join("SUMMARY.md")).lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
    {
        let page = line.strip_prefix("- ").unwrap_or(line);
        let parts = page
            .strip_prefix('[')
            .and_then(|page| page.strip_suffix(')'))
            .and_then(|page| page.split_once("]("));
        let (title, name) = parts.unwrap_or_else(|| panic!("`{line}` is no page"));
        pages.push((name.to_owned(), title.to_owned()));
    }
    let listed: BTreeSet<String> = pages.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(listed.len(), pages.len(), "a page is listed twice");
    let all = files(&folder, &[".md"])
        .into_iter()
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned());
    assert_eq!(all.filter(|name| name != "SUMMARY.md").collect::<BTreeSet<String>>(), listed);
    let mut chapters = 0;
    for (number, (name, title)) in pages.iter().enumerate() {
        let text = read(&folder.join(name));
        assert_eq!(text.lines().next(), Some(format!("# {title}").as_str()), "the title of {name}");
        let fences = text.lines().filter(|line| line.starts_with("```")).count();
        assert!(fences.is_multiple_of(2), "a block of {name} is not closed");
        // Who reads chapter by chapter is led on.
        if let Some(next) = text.lines().find_map(|line| line.strip_prefix("Next: [")) {
            let (_, target) = next.split_once("](").expect("a link");
            assert_eq!(
                target.strip_suffix(')'),
                pages.get(number + 1).map(|(name, _)| name.as_str()),
                "{name}"
            );
            chapters += 1;
        }
    }
    assert!(chapters >= 6, "{chapters} chapters lead on");
}
