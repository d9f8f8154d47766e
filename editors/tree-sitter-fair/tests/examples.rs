//! Every example has a tree without errors and is coloured, and the grammar knows the words of the language.

use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::{Language, Node, Parser, Query};
use tree_sitter_fair::{HIGHLIGHTS, LANGUAGE};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models in a document.
fn blocks(document: &str) -> Vec<String> {
    let pieces = document.split("\n```fair\n").skip(1);
    pieces.filter_map(|piece| piece.split("\n```").next()).map(str::to_owned).collect()
}

/// The examples, a file with every construct of the language, and the models of its reference and of the suite.
fn models() -> Vec<(PathBuf, String)> {
    let mut found = vec![root().join("crates/lang/tests/every_construct.fair")];
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fair") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "only {} models", found.len());
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).expect("a readable file"));
    let mut all: Vec<(PathBuf, String)> = found.into_iter().map(read).collect();
    let suite = fs::read_dir(root().join("suite")).expect("a readable folder");
    let mut documents: Vec<PathBuf> = suite.map(|entry| entry.expect("a readable entry").path()).collect();
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    documents.push(root().join("docs/language.md"));
    let texts = documents.into_iter().map(read);
    all.extend(
        texts.flat_map(|(path, text)| blocks(&text).into_iter().map(move |block| (path.clone(), block))),
    );
    assert!(all.len() > 250, "only {} models", all.len());
    all
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&Language::new(LANGUAGE)).expect("a language of this version");
    parser
}

/// The first error in a tree.
fn error(node: Node<'_>) -> Option<Node<'_>> {
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    (0..node.child_count()).filter_map(|at| node.child(at as u32)).find_map(error)
}

#[test]
fn every_example_has_a_tree_without_errors() {
    let mut parser = parser();
    let mut wrong = Vec::new();
    for (path, text) in models() {
        let tree = parser.parse(&text, None).expect("a tree");
        if tree.root_node().has_error() {
            let line = error(tree.root_node()).map_or(0, |node| node.start_position().row);
            wrong.push(format!("{}:{}: {}", path.display(), line + 1, text.lines().nth(line).unwrap_or("")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_broken_text_has_an_error() {
    for text in ["const N 3;", "process P { x = ; }", "property p: G );", "shared x: bool"] {
        let tree = parser().parse(text, None).expect("a tree");
        assert!(tree.root_node().has_error(), "{text}");
    }
}

#[test]
fn words_are_operators_where_an_operator_can_stand_and_names_elsewhere() {
    for (text, tree) in [
        ("init F + 1 == G;", "(binary (binary (name) (number)) (name))"),
        ("init G F x;", "(prefix (prefix (name)))"),
        ("init A[i] == 1;", "(binary (item (name) (name)) (number))"),
        ("init A[i U j];", "(path (name) (name))"),
        ("init count;", "(name)"),
        ("init a U b W c;", "(binary (name) (binary (name) (name)))"),
        ("init [] == q;", "(binary (array) (name))"),
        ("init [] (p);", "(prefix (parenthesized (name)))"),
        ("init |s & {}| == 0;", "(binary (size (binary (name) (set))) (number))"),
        ("init m in s && lossy;", "(binary (membership (name) (name)) (name))"),
        ("init v == V { a: 1, set: {} };", "(binary (name) (record_value"),
        (
            "process P { if x { a: seq = 1; } }",
            "(if (name) (block (label (name)) (assignment (name) (number))))",
        ),
        ("process P { sync = 1; sync go; }", "(assignment (name) (number)) (sync name: (name))"),
        (
            "chan c: [1] lossy of seq[2] of set of T;",
            "(sequence_type (number) (set_type (type_name (name))))",
        ),
    ] {
        let found = parser().parse(text, None).expect("a tree").root_node().to_sexp();
        assert!(found.contains(tree), "{text}: {found}");
    }
}

#[test]
fn the_query_that_colours_a_file_fits_the_grammar() {
    let query = Query::new(&Language::new(LANGUAGE), HIGHLIGHTS).unwrap_or_else(|error| panic!("{error}"));
    assert!(query.pattern_count() > 20);
}

#[test]
fn every_word_of_the_language_is_in_the_grammar() {
    let grammar =
        fs::read_to_string(root().join("editors/tree-sitter-fair/src/grammar.json")).expect("the grammar");
    let table = fs::read_to_string(root().join("crates/lang/src/words.rs")).expect("the table of words");
    let words: Vec<&str> =
        table.lines().filter_map(|line| line.trim().strip_prefix("word(\"")?.split('"').next()).collect();
    assert!(words.len() > 80, "only {} words", words.len());
    for word in words {
        assert!(grammar.contains(&format!("\"value\":\"{word}\"")), "`{word}`");
    }
}

#[test]
fn the_grammar_in_json_is_that_of_the_source() {
    let folder = root().join("editors/tree-sitter-fair");
    let node = std::process::Command::new("node").arg("json.mjs").current_dir(&folder).output();
    let Ok(node) = node else { return }; // without node there is nothing to compare with
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    let kept = fs::read_to_string(folder.join("src/grammar.json")).expect("the grammar");
    assert!(
        String::from_utf8_lossy(&node.stdout).trim() == kept.trim(),
        "write it again: node json.mjs > src/grammar.json"
    );
}
