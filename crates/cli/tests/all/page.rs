//! The page of `fairly explore` in a headless Chromium: each feature by what it is for. Where there is no browser, the tests
//! say so and pass.
#![cfg(unix)]

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::browser::page::{IDLE, LOCK, page, put_cursor_at, told};

/// A log of records with sets in them, and a channel.
const LOG: &str = "enum Node { ann, bob }
record Entry { term: 1..2, acks: set of Node }
shared log: seq[2] of Entry;
shared last: Entry;
chan mail: [2] of Node, Entry;
process Leader {
    loop { write: when !full(log) { log = append(log, Entry { term: len(log) + 1, acks: {} }); mail!ann, log[len(log) - 1]; } }
}
process Follower[n: Node] {
    loop { ack: choose k in 0..1 where k < len(log) && !(n in log[k].acks) { log[k].acks += {n}; last = log[k]; } }
}
invariant never: !(len(log) == 2 && |log[0].acks| == 2 && |log[1].acks| == 1);
";

#[test]
fn the_run_has_lanes_and_a_loop_and_the_keyboard_wraps() {
    let text = format!("shared quiet: 0..3 = 2;\n{LOCK}");
    let Some((mut browser, served)) = page("run", &text) else { return };
    browser.wait("document.querySelector('.run tr.loop')");
    let told = told(&served);
    let found = &told["results"][1]["counterexample"];
    let (steps, cycle) = (found["steps"].as_array().expect("steps"), found["loop"].as_u64().expect("a loop"));
    let rows = browser
        .value("[...document.querySelectorAll('.run tbody tr')].map(row => row.classList.contains('loop'))");
    let wanted: Vec<bool> = (0..=steps.len() as u64).map(|row| row > cycle).collect();
    assert_eq!(rows, json!(wanted), "the rows of the loop carry a class");
    let lanes = browser
        .value("[...document.querySelectorAll('.run thead th.lane')].map(it => it.firstChild.textContent)");
    assert_eq!(lanes, json!(["P[1]", "P[2]"]));
    // Only what changes is marked, and it is what the JSON says.
    let changed = browser.value(
        "[...document.querySelectorAll('.run tbody tr')].slice(1).map(row => Object.fromEntries( \
         [...row.querySelectorAll('.changed')].map(it => [it.dataset.name, it.dataset.value])))",
    );
    let wanted: Vec<&Value> = steps.iter().map(|step| &step["changes"]).collect();
    assert_eq!(changed, json!(wanted));
    // What never changes is hidden until it is asked for.
    assert_eq!(browser.value("document.querySelector('.run th[data-name=quiet]')"), Value::Null);
    browser.click(".run-box .all");
    browser.wait("document.querySelector('.run th[data-name=quiet]')");
    browser.click(".run-box .all");
    browser.wait("!document.querySelector('.run th[data-name=quiet]')");
    // The keyboard: to the end, and on to the start of the loop.
    browser.value("document.querySelector('.run tr.selected').focus()");
    browser.press("End");
    let row = "Number(document.querySelector('.run tr.selected').dataset.row)";
    assert_eq!(browser.value(row), json!(steps.len()));
    browser.press("ArrowRight");
    assert_eq!(browser.value(row), json!(cycle + 1));
    browser.press("ArrowUp");
    assert_eq!(browser.value(row), json!(cycle));
    assert_eq!(browser.value("document.activeElement.dataset.row"), json!(cycle.to_string()));
    // The ledger leads to its steps.
    browser.click(".ledger button[data-step]");
    let linked = browser.value("Number(document.querySelector('.ledger button[data-step]').dataset.step)");
    assert_eq!(browser.value(row), linked);
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn values_with_parts_are_shown_as_the_language_writes_them_and_their_changed_parts_are_marked() {
    let Some((mut browser, served)) = page("values", LOG) else { return };
    browser.wait("document.querySelector('.run tbody tr')");
    let output = Command::new(env!("CARGO_BIN_EXE_fairly")).arg("check").arg(&served.file).output();
    let report = String::from_utf8_lossy(&output.expect("the command runs").stdout).into_owned();
    // What is written in the cells is what the command writes, and nothing has lost its shape.
    let cells = browser.value(
        "[...document.querySelectorAll('.run tbody .value.changed')].map(it => [it.dataset.name, it.dataset.value, it.textContent])",
    );
    let cells = cells.as_array().expect("cells");
    assert!(cells.len() > 5, "{cells:?}");
    for cell in cells {
        assert_eq!(cell[1], cell[2], "{cell}");
        let line = format!("{} = {}", cell[0].as_str().expect("a name"), cell[1].as_str().expect("a text"));
        // The command cuts what is too long for its line.
        let line: String = line.chars().take(60).collect();
        assert!(report.contains(&line), "`{line}` is not in\n{report}");
    }
    assert!(cells.iter().any(|it| it[1] == "Entry { term: 1, acks: {ann, bob} }"), "{cells:?}");
    // Of a log that gets an acknowledgement, that alone is marked; of one that gets an entry, the entry.
    let marks = browser.value(
        "[...document.querySelectorAll('.run tbody .value.changed[data-name=log]')].map(it => [...it.querySelectorAll('mark')].map(mark => mark.textContent))",
    );
    for mark in marks.as_array().expect("marks") {
        let text = mark[0].as_str().expect("a part");
        assert_eq!(mark.as_array().map(Vec::len), Some(1), "{marks}");
        assert!(["ann", "bob"].contains(&text) || text.starts_with("Entry {"), "{marks}");
    }
    assert!(!browser.text("#answers").contains("[object"), "{}", browser.text("#answers"));
    // Such a run can be walked on from, watched, saved and compared.
    browser.value("document.querySelector('.watch-input').focus()");
    browser.type_text("len(log) == 0");
    browser.press("Enter");
    browser.wait("document.querySelector('.watched')?.textContent === 'true'");
    browser.value("document.querySelectorAll('.run tbody tr')[2].click()");
    browser.wait("document.querySelector('.watched')?.textContent === 'false'");
    browser.click(".fork");
    browser.wait(
        "document.querySelectorAll('#panel .run tbody tr').length === 3 && document.querySelector('.offer')",
    );
    assert!(!browser.text("#answers").contains("[object"), "{}", browser.text("#answers"));
    browser.click("#tab-graph");
    browser.wait("document.querySelector('.graph .node')");
    browser.value("document.querySelectorAll('.graph .node')[3].dispatchEvent(new Event('click'))");
    assert!(browser.text("#panel").contains("log = [Entry {"), "{}", browser.text("#panel"));
}

#[test]
fn names_and_words_are_completed() {
    let Some((mut browser, _served)) = page("complete", LOCK) else { return };
    let offered = "[...document.querySelectorAll('.cm-tooltip-autocomplete .cm-completionLabel')].map(it => it.textContent)";
    put_cursor_at(&mut browser, "rest:  stay;");
    browser.type_text(" P[2]@l");
    browser.wait(&format!("{offered}.includes('leave')"));
    assert_eq!(browser.value(offered), json!(["leave"]));
    browser.press("Enter");
    browser.wait("document.querySelector('.cm-content').textContent.includes('P[2]@leave')");
    browser.type_text(" fre");
    browser.wait(&format!("{offered}.includes('free')"));
    browser.press("Escape");
    browser.type_text(" fora");
    browser.wait(&format!("{offered}.includes('forall')"));
}

#[test]
fn the_ladder_shows_the_run_of_a_cell_and_what_is_assumed_flips_the_verdict() {
    let Some((mut browser, _served)) = page("ladder", LOCK) else { return };
    browser.click("#tab-fairness");
    browser.click(".cell[data-property=enters][data-rung=strong]");
    browser.wait("document.querySelector('.cell-answer')?.textContent.includes('holds')");
    browser.click(".cell[data-property=enters][data-rung=weak]");
    browser.wait("document.querySelector('.cell-answer tr.loop')");
    browser.wait("document.querySelector('.needs .assume')");
    browser.click(".needs .assume");
    browser.wait("document.querySelector('.property[data-property=enters][data-verdict=holds]')");
    assert!(
        browser.text(".cm-content").contains("under weak P & strong P[1];"),
        "{}",
        browser.text(".cm-content")
    );
}

#[test]
fn a_walk_equals_that_of_the_command_and_forks_from_a_counterexample() {
    let Some((mut browser, served)) = page("walk", LOCK) else { return };
    browser.wait("document.querySelector('.run tr.loop')");
    browser.value("document.querySelectorAll('.run tbody tr')[2].click()");
    browser.click(".fork");
    browser.wait("document.querySelectorAll('#panel .run tbody tr').length === 3");
    let offers = browser.value("document.querySelectorAll('.offer').length").as_u64().expect("a number");
    assert!(offers > 1, "{offers} steps are offered");
    browser.click(".offer");
    browser.wait("document.querySelectorAll('#panel .run tbody tr').length === 4");
    for length in [3, 2] {
        browser.click("#undo");
        browser.wait(&format!("document.querySelectorAll('#panel .run tbody tr').length === {length}"));
    }
    // The parts of the properties have values.
    browser.wait("document.querySelector('.parts .truth')");
    // A random walk of a seed is that of the command.
    browser.value("(() => { const seed = document.querySelector('#seed'); seed.value = 7; seed.dispatchEvent(new Event('change')); })()");
    browser.wait("document.querySelectorAll('#panel .run tbody tr').length === 1");
    browser.value("document.querySelector('#random-steps').value = 9");
    browser.click("#random");
    browser.wait("document.querySelectorAll('#panel .run tbody tr').length === 10");
    let actions = browser.value("[...document.querySelectorAll('#panel .run tbody tr')].slice(1).map(row => row.getAttribute('aria-label').split(', ')[1])");
    let output = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["simulate", "--seed", "7", "--steps", "9"])
        .arg(&served.file)
        .output();
    let text = String::from_utf8_lossy(&output.expect("the command runs").stdout).into_owned();
    for (number, action) in actions.as_array().expect("actions").iter().enumerate() {
        let line = format!("{}  {}", number + 1, action.as_str().expect("a name"));
        assert!(text.contains(&line), "`{line}` is not in\n{text}");
    }
}

#[test]
fn expressions_are_watched_and_steps_lead_to_the_text_and_back() {
    let Some((mut browser, _served)) = page("watch", LOCK) else { return };
    browser.wait("document.querySelector('.watch-input')");
    browser.value("document.querySelector('.watch-input').focus()");
    browser.type_text("free");
    browser.press("Enter");
    browser.wait("document.querySelector('.watched')?.textContent === 'true'");
    browser.value("document.querySelectorAll('.run tbody tr')[2].click()");
    browser.wait("document.querySelector('.step-source')");
    let source = browser.text(".step-source");
    let action = browser.value("document.querySelector('.run tr.selected').getAttribute('aria-label')");
    let label = source.split(':').next().unwrap_or_default();
    assert!(
        action.as_str().is_some_and(|action| action.contains(&format!(".{label}"))),
        "{source} is not {action}"
    );
    put_cursor_at(&mut browser, "leave");
    browser.wait("document.querySelector('.run tr.here')");
    let here = browser.value("[...document.querySelectorAll('.run tr.here')].every(it => it.getAttribute('aria-label').includes('.leave'))");
    assert_eq!(here, true);
}

#[test]
fn a_link_has_the_model_and_what_is_chosen_and_a_damaged_one_is_told() {
    let Some((mut browser, served)) = page("link", LOCK) else { return };
    browser.wait("document.querySelector('.run tr.loop')");
    browser.value("document.querySelectorAll('.run tbody tr')[2].click()");
    put_cursor_at(&mut browser, "shared free: bool = true;");
    browser.type_text(" // in the link");
    browser.wait("document.querySelector('#save').textContent !== 'Save'");
    browser.wait(IDLE);
    browser.click("#share");
    browser.wait("location.hash.startsWith('#m=')");
    let link = browser.value("location.href").as_str().expect("an address").to_owned();
    assert!(
        !link.split('#').next().unwrap_or_default().contains("free"),
        "the model is in the fragment only"
    );
    browser.open("about:blank");
    browser.open(&link);
    browser.wait("document.querySelector('.cm-content')?.textContent.includes('in the link')");
    browser.wait("document.querySelector('.property.chosen')?.dataset.property === 'enters'");
    browser.wait("document.querySelector('.run tr.selected')?.dataset.row === '2'");
    // So is a walk.
    browser.click("#tab-simulate");
    browser.click("#random");
    browser.wait("document.querySelectorAll('#panel .run tbody tr').length === 11");
    let steps = "[...document.querySelectorAll('#panel .run tbody tr')].map(row => row.getAttribute('aria-label')).join()";
    let walk = browser.value(steps);
    browser.click("#share");
    browser.wait(&format!("location.href !== {}", json!(link)));
    let link = browser.value("location.href").as_str().expect("an address").to_owned();
    browser.open("about:blank");
    browser.open(&link);
    browser.wait(&format!("{steps} === {walk}"));
    browser.open("about:blank");
    browser.open(&format!("{}#m=broken", served.address));
    browser.wait("document.querySelector('.property[data-verdict]')");
    browser.wait("document.querySelector('#message').textContent === 'The link is damaged.'");
}

#[test]
fn traces_are_saved_and_loaded_runs_compared_and_the_graph_is_drawn() {
    let Some((mut browser, served)) = page("traces", LOCK) else { return };
    let folder = served.file.parent().expect("a folder").to_owned();
    let written = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .args(["check", "--itf"])
        .arg(folder.join("runs"))
        .arg(&served.file)
        .output();
    written.expect("the command runs");
    let trace = fs::read_to_string(folder.join("runs/lock.enters.itf.json")).expect("a trace");
    browser.wait("document.querySelector('#load-file')");
    browser.value(&format!(
        "(() => {{ const input = document.querySelector('#load-file'); const data = new DataTransfer(); \
         data.items.add(new File([{}], 'run.itf.json')); input.files = data.files; input.dispatchEvent(new Event('change')); }})()",
        json!(trace)
    ));
    browser.wait("document.querySelector('#panel').textContent.includes('it is a counterexample to')");
    // What is saved is a trace that the command judges.
    browser.value("URL.createObjectURL = (blob) => { window.kept = blob.text(); return '#'; }");
    browser.click("#save-itf");
    browser.wait("window.kept");
    let saved = browser.value("window.kept").as_str().expect("a text").to_owned();
    let file = folder.join("saved.itf.json");
    fs::write(&file, saved).expect("a file");
    let judged = Command::new(env!("CARGO_BIN_EXE_fairly"))
        .arg("replay")
        .arg(&served.file)
        .arg(&file)
        .arg("--property")
        .arg("enters")
        .output();
    let judged = judged.expect("the command runs");
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stderr));
    browser.click("#pin");
    browser.wait("document.querySelector('#compared')?.textContent.includes('The two runs are the same')");
    browser.click("#tab-graph");
    browser.wait("document.querySelectorAll('.graph .node').length === 8");
    assert!(
        browser
            .value("document.querySelectorAll('.graph .edge.cycle').length")
            .as_u64()
            .is_some_and(|it| it > 0)
    );
    browser.click(".projection input[data-name=free]");
    browser.wait("document.querySelectorAll('.graph .node').length === 2");
    // A version with another verdict.
    browser.click("#tab-compare");
    browser.click("#pin-version");
    put_cursor_at(&mut browser, "under ");
    browser.type_text("strong P & ");
    browser
        .wait("document.querySelector('.versions li[data-property=enters]')?.textContent.includes('holds')");
}
