//! Scripted sessions with the language server: every request, positions outside ASCII, checks that edits cancel, and
//! clients that send garbage or go away.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve::editor::{Editor, URI, at, position, slice};
use crate::serve::{Client, Framing};

/// A lock, with letters outside ASCII before everything of interest on its line.
const LOCK: &str = "// Ein Schloß: 𝄞
shared free: bool = true;
process P[i: 1..2] {
    loop {
        rest: stay; /* */
        enter: request free;
        leave: release free;
    }
}
fairness scheduled: weak P;
invariant mutex: count(i in 1..2: P[i]@leave) <= 1 expect holds;
property enters: G (P[1]@enter -> F P[1]@leave) under scheduled expect holds;
";

fn lock() -> String {
    LOCK.replace(" /* */", "")
}

#[test]
fn verdicts_appear_above_properties_and_a_failure_can_be_mended() {
    let mut editor = Editor::start(&[]);
    let text = lock();
    editor.open(&text);
    let found = editor.diagnostics(|found| !found.is_empty());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(slice(&text, &found[0]["range"]), "enters");
    assert_eq!((&found[0]["severity"], &found[0]["code"]), (&json!(1), &json!("fails")));
    let titles = editor.lenses(|titles| titles.len() == 2 && titles[1].starts_with('✗'));
    assert!(titles[0].starts_with("✓ holds · explicit · checked · 8 states"), "{titles:?}");
    assert!(titles[1].starts_with("✗ fails · explicit · checked · 8 states"), "{titles:?}");
    let hover = editor.question("hover", &at(&text, "enters"));
    let value = hover["contents"]["value"].as_str().expect("text");
    assert!(value.contains("**✗ `enters` fails**") && value.contains("P[2].enter"), "{value}");
    // Advice is sought by itself; then there is an action that adds the fairness.
    let begun = Instant::now();
    let edit = loop {
        let range = json!({ "start": position(&text, "enters"), "end": position(&text, "enters") });
        let actions =
            editor.question("codeAction", &json!({ "range": range, "context": { "diagnostics": [] } }));
        let edit = actions[0]["edit"]["changes"][URI][0].clone();
        if edit.is_object() {
            assert!(actions[0]["title"].as_str().expect("a title").contains("strong P[1]"), "{actions}");
            break edit;
        }
        assert_eq!(actions[0]["command"]["command"], "fairly.advise");
        assert!(begun.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(slice(&text, &edit["range"]), "scheduled");
    editor.change(2, &json!([{ "range": edit["range"], "text": edit["newText"] }]));
    editor.lenses(|titles| titles.len() == 2 && titles[1].starts_with("✓ holds"));
    editor.diagnostics(<[Value]>::is_empty);
    editor.finish();
}

#[test]
fn errors_are_shown_at_once_with_how_to_mend_them() {
    let mut editor = Editor::start(&[]);
    let text = "/* */shared x: bool;\nprocess P { l: y = true; }\nproperty p: F x;\n";
    editor.open(text);
    let found = editor.diagnostics(|found| !found.is_empty());
    let said: Vec<(&str, &str)> = found
        .iter()
        .map(|own| (slice(text, &own["range"]), own["message"].as_str().unwrap_or_default()))
        .collect();
    assert!(said.iter().any(|(at, message)| *at == "y" && message.contains("unknown name `y`")), "{said:?}");
    let mended =
        json!([{ "text": "shared x: bool;\nprocess P { l: x = true; }\nproperty p: F x under weak P;\n" }]);
    let begun = Instant::now();
    editor.change(2, &mended);
    editor.diagnostics(<[Value]>::is_empty);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    editor.lenses(|titles| titles.len() == 1 && titles[0].starts_with('✓'));
    editor.finish();
}

#[test]
fn names_lead_to_their_definitions_and_are_renamed() {
    let mut editor = Editor::start(&[]);
    let text = lock();
    editor.open(&text);
    // The comment before it on the first line has letters of two and of four bytes.
    let spot = |of: &str| at(&text, of);
    let found = editor.question("definition", &spot("free;\n        leave"));
    assert_eq!(slice(&text, &found[0]["range"]), "free");
    assert_eq!(found[0]["range"]["start"], position(&text, "free: bool"));
    let mut params = spot("enter: request");
    params["context"] = json!({ "includeDeclaration": true });
    let found = editor.question("references", &params);
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
    assert!(found.as_array().into_iter().flatten().all(|own| slice(&text, &own["range"]) == "enter"));
    assert_eq!(editor.question("prepareRename", &spot("P[i: 1"))["placeholder"], "P");
    let mut params = spot("P[i: 1");
    params["newName"] = json!("Proc");
    let edits = editor.question("rename", &params)["changes"][URI].clone();
    assert_eq!(edits.as_array().map(Vec::len), Some(5), "{edits}");
    let mut wrong = json!({ "textDocument": { "uri": URI }, "newName": "free" });
    wrong["position"] = position(&text, "P[i: 1");
    let answer = editor.answer("textDocument/rename", &wrong);
    assert!(answer["error"]["message"].as_str().expect("a message").contains("already means"), "{answer}");
    let hover = editor.question("hover", &spot("free: bool"));
    assert!(hover["contents"]["value"].as_str().expect("text").contains("shared variable"), "{hover}");
    let hover = editor.question("hover", &spot("stay;"));
    assert!(hover["contents"]["value"].as_str().expect("text").contains("Remains here"), "{hover}");
    editor.finish();
}

#[test]
fn names_after_a_comment_outside_ascii_are_where_they_are() {
    let mut editor = Editor::start(&["--check-on-save"]);
    let text = "shared x: bool; // ä𝄞\nproperty p: \"𝄞\" x;";
    let text = &text.replace("\"𝄞\" ", "F ");
    editor.open(text);
    // An edit behind letters outside ASCII on the same line.
    let end = position(text, "\nproperty");
    editor.change(2, &json!([{ "range": { "start": end, "end": end }, "text": " 𝄞ß" }]));
    let after = position(&text.replace("𝄞\n", "𝄞 𝄞ß\n"), "\nproperty");
    editor.change(3, &json!([{ "range": { "start": after, "end": after }, "text": "\nshared y: bool;" }]));
    let symbols = editor.question("documentSymbol", &json!({}));
    let names: Vec<&str> =
        symbols.as_array().into_iter().flatten().filter_map(|own| own["name"].as_str()).collect();
    assert_eq!(names, ["x", "y", "p"]);
    let tokens = editor.question("semanticTokens/full", &json!({}));
    // x, y, p and x again: line and column relative to the one before, length, kind, modifiers.
    assert_eq!(tokens["data"], json!([0, 7, 1, 0, 0, 1, 7, 1, 0, 0, 1, 9, 1, 5, 0, 0, 5, 1, 0, 0]));
    editor.finish();
}

#[test]
fn completion_knows_what_can_stand_in_a_place() {
    let mut editor = Editor::start(&["--check-on-save"]);
    let text = lock();
    editor.open(&text);
    let mut labels = |of: &str, more: usize| -> Vec<String> {
        let mut spot = position(&text, of);
        spot["character"] = json!(spot["character"].as_u64().expect("a number") + more as u64);
        let found = editor.question("completion", &json!({ "position": spot }));
        let found = found.as_array().cloned().unwrap_or_default();
        found.iter().map(|own| own["label"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(labels("P[1]@enter", 5), ["rest", "enter", "leave"]);
    let names = labels("request free", 8);
    for name in ["free", "P", "i", "scheduled", "forall"] {
        assert!(names.iter().any(|own| own == name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"enter".to_owned()));
    editor.finish();
}

#[test]
fn formatting_is_that_of_the_printer() {
    let mut editor = Editor::start(&["--check-on-save"]);
    editor.open("shared   x:bool ;\n");
    let edits = editor.question("formatting", &json!({ "options": { "tabSize": 4, "insertSpaces": true } }));
    assert_eq!(edits[0]["newText"], "shared x: bool;\n");
    editor.change(2, &json!([{ "text": "shared x: bool;\n" }]));
    assert_eq!(editor.question("formatting", &json!({})), json!([]));
    editor.change(3, &json!([{ "text": "shared x: ;\n" }]));
    assert_eq!(editor.question("formatting", &json!({})), Value::Null);
    editor.finish();
}

/// A check of this takes longer than anybody waits here.
const LARGE: &str = "shared a: array[1..8] of 0..96;
process P[i: 1..8] { loop { up: a[i] = (a[i] * a[i % 8 + 1] + i) % 97; } }
invariant never: exists i in 1..8: a[i] != 96;
";

#[test]
fn an_edit_ends_a_long_check() {
    let mut editor = Editor::start(&["--time-limit", "600"]);
    editor.open(LARGE);
    editor.lenses(|titles| titles == ["… checking"]);
    // While it works, questions are answered.
    let begun = Instant::now();
    editor.question("hover", &json!({ "position": { "line": 0, "character": 8 } }));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    editor.change(2, &json!([{ "text": lock() }]));
    editor.lenses(|titles| titles.len() == 2 && titles.iter().all(|title| !title.starts_with('…')));
    editor.finish();
}

#[test]
fn garbage_and_unknown_methods_are_answered_and_do_no_harm() {
    let mut editor = Editor::start(&["--check-on-save"]);
    editor.client.send_bytes(b"Content-Length: 5\r\n\r\n{\"id\"");
    editor.client.send_bytes(b"what is this?\r\n");
    editor.client.send_bytes("Content-Length: 2\r\n\r\n[]".as_bytes());
    let answer = editor.answer("textDocument/unheardOf", &json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    let codes: Vec<Value> =
        editor.notifications.iter().map(|message| message["error"]["code"].clone()).collect();
    assert_eq!(codes, [json!(-32700), json!(-32700), json!(-32600)]);
    editor.tell("textDocument/unheardOf", &json!({}));
    let answer = editor.answer("textDocument/hover", &json!({ "textDocument": { "uri": "file:///none" } }));
    assert!(answer["error"]["message"].as_str().expect("a message").contains("no document"), "{answer}");
    editor.open(&lock());
    for wrong in [json!({}), json!({ "position": 3 }), json!({ "position": { "line": -1, "character": 0 } })]
    {
        let mut params = wrong.clone();
        params["textDocument"] = json!({ "uri": URI });
        assert_eq!(editor.answer("textDocument/hover", &params)["error"]["code"], -32602, "{wrong}");
    }
    // Beyond the end there is nothing.
    let far = json!({ "position": { "line": 9999, "character": 9999 } });
    assert_eq!(editor.question("hover", &far), Value::Null);
    editor.finish();
}

#[test]
fn a_client_that_goes_away_takes_the_server_with_it() {
    for half in ["", "Content-Length: 100\r\n\r\n{\"half\"", "Content-"] {
        let mut editor = Editor::start(&["--time-limit", "600"]);
        editor.open(LARGE);
        editor.lenses(|titles| titles == ["… checking"]);
        editor.client.send_bytes(half.as_bytes());
        let begun = Instant::now();
        editor.client.close();
        assert_eq!(editor.client.exit(), Some(1));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}

#[test]
fn nothing_is_done_before_initialize_and_nothing_after_shutdown() {
    let mut client = Client::start(&["lsp"], Framing::Header);
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {} }));
    assert_eq!(client.receive()["error"]["code"], -32002);
    client.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(client.exit(), Some(1));
    let mut editor = Editor::start(&[]);
    editor.ask("shutdown", &Value::Null);
    assert_eq!(editor.answer("textDocument/hover", &json!({}))["error"]["code"], -32600);
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.client.exit(), Some(0));
}

#[test]
fn a_document_of_ten_megabytes_is_read() {
    let mut editor = Editor::start(&["--check-on-save"]);
    let text = format!("shared x: bool;\n{}property p: F y;\n", "// nothing to see here\n".repeat(450_000));
    assert!(text.len() > 10_000_000);
    editor.open(&text);
    let found = editor.diagnostics(|found| !found.is_empty());
    assert_eq!(found[0]["range"]["start"]["line"], 450_001);
    editor.change(2, &json!([{
        "range": { "start": { "line": 450_001, "character": 14 }, "end": { "line": 450_001, "character": 15 } },
        "text": "x"
    }]));
    assert_eq!(editor.question("documentSymbol", &json!({})).as_array().map(Vec::len), Some(2));
    editor.finish();
}
