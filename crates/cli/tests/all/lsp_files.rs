//! Scripted sessions with the language server about files: included ones, those that vanish, models in other languages.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve::editor::{Editor, position, slice};

/// A folder with files, and the address of the first of them.
fn folder(name: &str, files: &[(&str, &str)]) -> (std::path::PathBuf, String) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    let uri = format!("file://{}/{}", folder.display(), files[0].0);
    (folder, uri)
}

#[test]
fn a_file_that_vanishes_is_a_diagnostic() {
    let folder = std::env::temp_dir().join(format!("fairly-lsp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let automaton = folder.join("bad.hoa");
    let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n--END--\n";
    std::fs::write(&automaton, text).expect("a file");
    let uri = format!("file://{}/a%20model.fair", folder.display());
    let model = "shared x: bool; property p: never automaton \"bad.hoa\" with a = x expect holds;";
    let mut editor = Editor::start(&["--check-on-save"]);
    let document = json!({ "uri": uri, "languageId": "fair", "version": 1, "text": model });
    editor.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    editor.diagnostics(<[Value]>::is_empty);
    std::fs::remove_file(&automaton).expect("it was there");
    editor.tell("textDocument/didSave", &json!({ "textDocument": { "uri": uri } }));
    let found = editor.diagnostics(|found| !found.is_empty());
    assert!(found[0]["message"].as_str().expect("text").contains("no such file"), "{found:?}");
    editor.tell("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
    editor.diagnostics(<[Value]>::is_empty);
    editor.finish();
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn names_lead_into_included_files_and_are_renamed_there() {
    let library = "// Ä lock.\nshared free: bool = true;\ndefine busy = !free;\n";
    let model = "include \"my lib.fair\";
process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
property ends: G (busy -> F free) under weak P;
";
    let (folder, uri) = folder("included", &[("lock.fair", model), ("my lib.fair", library)]);
    let other = format!("{}my%20lib.fair", uri.strip_suffix("lock.fair").expect("its name"));
    let mut editor = Editor::start(&["--check-on-save"]);
    let document = json!({ "uri": uri, "languageId": "fair", "version": 1, "text": model });
    editor.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    let ask = |editor: &mut Editor, method: &str, of: &str, more: &Value| {
        let mut params = json!({ "textDocument": { "uri": uri }, "position": position(model, of) });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        editor.ask(&format!("textDocument/{method}"), &params)
    };
    let found = ask(&mut editor, "definition", "free; leave", &json!({}));
    assert_eq!(found[0]["uri"], json!(other), "{found}");
    assert_eq!(slice(library, &found[0]["range"]), "free");
    let found = ask(&mut editor, "definition", "my lib", &json!({}));
    assert_eq!(
        found[0],
        json!({ "uri": other, "range": { "start": { "line": 0, "character": 0 },
        "end": { "line": 0, "character": 0 } } })
    );
    let hover = ask(&mut editor, "hover", "busy ->", &json!({}));
    assert!(hover["contents"]["value"].as_str().expect("text").contains("define busy = !free"), "{hover}");
    let context = json!({ "context": { "includeDeclaration": true } });
    let found = ask(&mut editor, "references", "free; leave", &context);
    let places = found.as_array().expect("places").iter().filter(|own| own["uri"] == json!(other)).count();
    assert_eq!((places, found.as_array().map(Vec::len)), (2, Some(5)), "{found}");
    let edits = ask(&mut editor, "rename", "free; leave", &json!({ "newName": "open" }));
    for (uri, text, number) in [(&uri, model, 3), (&other, library, 2)] {
        let edits = edits["changes"][uri].as_array().expect("edits");
        assert_eq!(edits.len(), number, "{edits:?}");
        assert!(edits.iter().all(|edit| slice(text, &edit["range"]) == "free"), "{edits:?}");
    }
    // A name of the model that the file does not allow.
    let wrong =
        json!({ "textDocument": { "uri": uri }, "position": position(model, "rest: stay"), "newName": "1" });
    assert!(editor.answer("textDocument/rename", &wrong).get("error").is_some());
    let offered = ask(&mut editor, "completion", "F free", &json!({}));
    assert!(offered.as_array().is_some_and(|all| all.iter().any(|own| own["label"] == "busy")), "{offered}");
    let tokens = ask(&mut editor, "semanticTokens/full", "include", &json!({}));
    let lines: u64 =
        tokens["data"].as_array().expect("tokens").iter().step_by(5).filter_map(Value::as_u64).sum();
    assert!(lines < 3, "only names of this file are coloured: {tokens}");
    // What the editor has is what counts, also if it is not saved.
    let document =
        json!({ "uri": other, "languageId": "fair", "version": 1, "text": "shared lock: bool;\n" });
    editor.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    let found =
        editor.diagnostics(|found| found.iter().any(|own| own["message"].to_string().contains("`free`")));
    assert_eq!(found[0]["severity"], 1, "{found:?}");
    editor.tell("textDocument/didClose", &json!({ "textDocument": { "uri": other } }));
    editor.diagnostics(<[Value]>::is_empty);
    // What is wrong there is told here, and leads there.
    std::fs::write(folder.join("my lib.fair"), "shared free: bool = maybe;\ndefine busy = !free;\n")
        .expect("a file");
    editor.tell("textDocument/didSave", &json!({ "textDocument": { "uri": uri } }));
    let found = editor.diagnostics(|found| !found.is_empty());
    assert_eq!(found[0]["range"]["start"]["line"], 0, "{found:?}");
    let place = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(place["uri"], json!(other), "{found:?}");
    editor.finish();
}

#[test]
fn a_model_in_another_language_has_diagnostics_verdicts_and_an_outline() {
    let model = "byte x;\nactive proctype P() { do :: x = (x + 1) % 3 od }\nltl comes { [] <> (x == 2) }\n";
    let (_, uri) = folder("foreign", &[("turn.pml", model)]);
    let mut editor = Editor::start(&[]);
    let document = json!({ "uri": uri, "languageId": "promela", "version": 1, "text": model });
    editor.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    let own = json!({ "textDocument": { "uri": uri } });
    let begun = Instant::now();
    loop {
        let lenses = editor.ask("textDocument/codeLens", &own);
        let found = lenses.as_array().into_iter().flatten().find(|lens| lens["range"]["start"]["line"] == 2);
        if found.is_some_and(|lens| lens["command"]["title"].as_str().is_some_and(|it| it.starts_with('✓')))
        {
            break;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{lenses}");
        std::thread::sleep(Duration::from_millis(20));
    }
    let symbols = editor.ask("textDocument/documentSymbol", &own);
    assert!(symbols.to_string().contains("\"comes\""), "{symbols}");
    assert_eq!(editor.ask("textDocument/formatting", &own), Value::Null);
    let change =
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": "byte x\n$" }] });
    editor.tell("textDocument/didChange", &change);
    let found = editor.diagnostics(|found| found.iter().any(|own| own["severity"] == 1));
    assert_eq!(found[0]["source"], "fairly", "{found:?}");
    editor.finish();
}
