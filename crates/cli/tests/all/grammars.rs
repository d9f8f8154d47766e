//! The `TextMate` grammar knows the words of the language, and colours every example. The tree-sitter grammar has tests of
//! its own, in `editors/tree-sitter-fair`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lang::words::{Use, WORDS};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn grammar() -> Value {
    let path = root().join("editors/vscode/syntaxes/fair.tmLanguage.json");
    serde_json::from_str(&fs::read_to_string(path).expect("the grammar")).expect("JSON")
}

/// The words in `\b(a|b|c)\b`.
fn words(pattern: &str) -> Vec<String> {
    let inside = pattern.strip_prefix("\\b(").and_then(|rest| rest.split(")\\b").next());
    inside.expect("a list of words").split('|').map(str::to_owned).collect()
}

#[test]
fn every_word_is_coloured_by_what_it_is_for() {
    let grammar = grammar();
    let mut expected: BTreeMap<Use, Vec<String>> = BTreeMap::new();
    for word in WORDS {
        expected.entry(word.used).or_default().push(word.text.to_owned());
    }
    for (used, words_of) in expected {
        let rule = match used {
            Use::Declaration => "declaration",
            Use::Statement => "statement",
            Use::Type => "type",
            Use::Value => "value",
            Use::Expression => "expression",
            Use::Temporal => "temporal",
            Use::Function => "function",
            Use::Fairness => "fairness",
            Use::Claim => "claim",
        };
        let pattern = grammar["repository"][rule]["match"].as_str().expect("a pattern");
        assert_eq!(words(pattern), words_of, "{rule}");
        let include = format!("#{rule}");
        let included = grammar["patterns"].as_array().expect("patterns");
        assert!(included.iter().any(|own| own["include"] == include.as_str()), "{rule}");
    }
}

/// Applies the rules as an editor does: on each line, the leftmost match of the first rule that has one. Prints how many
/// characters of words were coloured, and reserved words that were not.
const COLOUR: &str = r#"
const fs = require("fs");
const [path, reserved, ...files] = process.argv.slice(1);
const grammar = JSON.parse(fs.readFileSync(path));
const rules = grammar.patterns.map((own) => {
  const rule = grammar.repository[own.include.slice(1)];
  return [own.include.slice(1), new RegExp(rule.match, "gd")];
});
const words = new Set(reserved.split(","));
let coloured = 0;
for (const file of files) for (const line of fs.readFileSync(file, "utf8").split("\n")) {
  let at = 0;
  const plain = [];
  while (at < line.length) {
    let best = null;
    for (const [name, regex] of rules) {
      regex.lastIndex = at;
      const found = regex.exec(line);
      if (found && found[0] && (!best || found.index < best.index)) best = Object.assign(found, { rule: name });
    }
    plain.push(line.slice(at, best ? best.index : line.length));
    if (!best) break;
    coloured += best[0].length;
    at = best.index + best[0].length;
  }
  for (const word of plain.join(" ").match(/[A-Za-z_]\w*/g) ?? [])
    if (words.has(word)) { console.error(`${file}: ${word}: ${line}`); process.exit(1); }
}
console.log(coloured);
"#;

#[test]
fn every_example_is_coloured_where_node_is_installed() {
    let mut files = vec![root().join("crates/lang/tests/every_construct.fair")];
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "fair") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 50, "only {} examples", files.len());
    let reserved: Vec<&str> =
        WORDS.iter().map(|word| word.text).filter(|word| lang::words::is_reserved(word)).collect();
    let node = Command::new("node")
        .args(["-e", COLOUR])
        .arg(root().join("editors/vscode/syntaxes/fair.tmLanguage.json"))
        .arg(reserved.join(","))
        .args(&files)
        .stdin(Stdio::null())
        .output();
    let Ok(output) = node else { return }; // regular expressions are not compiled without node
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let coloured: usize = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number");
    assert!(coloured > 10_000, "only {coloured} characters are coloured");
}
