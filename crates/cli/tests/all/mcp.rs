//! Scripted sessions with the agent's door: both eras of the protocol, every tool, limits, and mistakes of every kind.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve::{Client, Framing};

struct Agent {
    client: Client,
    requests: u64,
}

impl Agent {
    /// An agent that has shaken hands.
    fn start(arguments: &[&str]) -> Agent {
        let mut all = vec!["mcp"];
        all.extend(arguments);
        let mut agent = Agent { client: Client::start(&all, Framing::Lines), requests: 0 };
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test" } });
        let answer = agent.ask("initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        agent.client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.client.receive();
        assert_eq!(answer["id"], json!(id), "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = answer["result"].clone();
        // The text is the same as the data, for clients that know no data.
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), result["structuredContent"]);
        result
    }

    /// The data of an answer that is no error.
    fn answered(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(false), "{result}");
        result["structuredContent"].clone()
    }
}

const LOCK: &str = "shared free: bool = true;
process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
fairness scheduled: weak P;
invariant mutex: count(i in 1..2: P[i]@leave) <= 1;
property enters: G (P[1]@enter -> F P[1]@leave) under scheduled;
";

/// A check of this takes longer than anybody waits here.
const LARGE: &str = "shared a: array[1..8] of 0..96;
process P[i: 1..8] { loop { up: a[i] = (a[i] * a[i % 8 + 1] + i) % 97; } }
invariant never: (exists i in 1..8: a[i] != 96) expect holds;
";

#[test]
fn both_eras_of_the_protocol_are_spoken() {
    let mut agent = Agent::start(&[]);
    let tools = agent.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().into_iter().flatten().filter_map(|own| own["name"].as_str()).collect();
    assert_eq!(names, ["diagnose", "check", "advise", "explain", "simulate", "replay"]);
    for tool in tools.as_array().into_iter().flatten() {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false));
    }
    // The revision without a handshake: each request names it.
    let mut stateless = Agent { client: Client::start(&["mcp"], Framing::Lines), requests: 0 };
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let answer = stateless.ask("server/discover", &json!({ "_meta": meta }));
    assert_eq!(answer["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(answer["result"]["resultType"], "complete");
    let call = json!({ "name": "diagnose", "arguments": { "text": LOCK }, "_meta": meta });
    let answer = stateless.ask("tools/call", &call);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["structuredContent"]["status"], "answered");
    let future = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } });
    let answer = stateless.ask("tools/list", &future);
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    // A revision with a handshake that is not known is answered with the newest that is.
    let answer = stateless.ask("initialize", &json!({ "protocolVersion": "1999-01-01" }));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn a_verdict_says_what_it_rests_on() {
    let mut agent = Agent::start(&[]);
    let found = agent.answered("check", &json!({ "text": LOCK }));
    assert_eq!((&found["status"], &found["all_as_expected"]), (&json!("answered"), &json!(false)));
    let [mutex, enters] = [0, 1].map(|place| found["results"][place].clone());
    assert_eq!((&mutex["verdict"], &mutex["rests_on"]["standing"]), (&json!("holds"), &json!("checked")));
    assert_eq!((&enters["verdict"], &enters["rests_on"]["standing"]), (&json!("fails"), &json!("checked")));
    assert_eq!(enters["rests_on"]["scope"], "this instance");
    assert_eq!(enters["rests_on"]["engine"], "explicit");
    assert!(
        found["summary"].as_str().expect("text").contains("`enters` FAILS [explicit, checked"),
        "{found}"
    );
    // The run can be judged again, and a forged one is refused.
    let run = enters["counterexample"].clone();
    let replay = |run: &Value| json!({ "text": LOCK, "property": "enters", "run": run });
    assert_eq!(agent.answered("replay", &replay(&run))["judged"], "counterexample");
    let mut forged = run.clone();
    forged["steps"][0]["action"] = json!("P[2].leave");
    assert_eq!(agent.answered("replay", &replay(&forged))["judged"], "not_a_counterexample");
    // Advice mends it.
    let advice = agent.answered("advise", &json!({ "text": LOCK, "properties": ["enters"] }));
    assert_eq!(advice["advice"][0]["minimal"][0], json!(["strong P[1]"]));
    assert!(advice["summary"].as_str().expect("text").contains("needs one of `strong P[1]`"), "{advice}");
    let mended = LOCK.replace("under scheduled;", "under strong P[1];");
    let found = agent.answered("check", &json!({ "text": mended }));
    assert_eq!(found["all_as_expected"], json!(true), "{found}");
    let explained = agent.answered("explain", &json!({ "text": LOCK, "properties": ["enters"] }));
    let text = explained["results"][0]["explanation"].as_str().expect("an explanation");
    assert!(text.contains("Why the run is fair") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn what_weakens_a_verdict_is_in_the_verdict() {
    let mut agent = Agent::start(&[]);
    let mut verdict = |text: &str| {
        let found = agent.answered("check", &json!({ "text": text }));
        assert_eq!(found["all_as_expected"], json!(false), "{text}: {found}");
        let result = &found["results"][0];
        let concerns: Vec<String> = result["concerns"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|own| own.as_str().unwrap_or_default().to_owned())
            .collect();
        assert!(!concerns.is_empty(), "{text}: {found}");
        // A reader of the summary alone is told, too.
        assert!(found["summary"].as_str().expect("text").contains(&concerns[0]), "{found}");
        (result["verdict"].as_str().unwrap_or_default().to_owned(), concerns.join("\n"))
    };
    let process = "shared x: 0..2; process P { loop { up: x = (x + 1) % 2; } }";
    let (word, why) = verdict(&format!("{process} property p: G (x == 2 -> F x == 0) under weak P;"));
    assert!(word == "holds_but" && why.contains("never"), "{why}");
    let (word, why) = verdict(&format!("{process} property p: F x == 2 under justice (x == 2);"));
    assert!(word == "holds_but" && why.contains("no run is fair"), "{why}");
    let (word, why) = verdict(&format!("{process} property p: G (x == 1 || !(x == 1));"));
    assert!(word == "holds_but" && why.contains("says nothing"), "{why}");
    let (word, why) = verdict(&format!("{process} init x == 3 - 1 && x == 0; property p: F x == 2;"));
    assert!(word == "holds_but" && why.contains("initial"), "{why}");
    let stuck = "shared up: bool = true; process P { loop { w: either { go: when up { skip; } } or { down: up = false; } } }";
    let (word, why) = verdict(&format!("{stuck} property p: G F taken(P.go) under unconditional P.go;"));
    assert!(word == "holds_but" && why.contains("cannot be met"), "{why}");
}

#[test]
fn fairness_that_is_more_than_needed_is_said_in_the_answer() {
    let mut agent = Agent::start(&[]);
    let two =
        "shared x: bool; process P { loop { a: x = true; b: x = false; } } process Q { loop { c: skip; } }";
    for (under, assumes, says) in [
        ("weak P", "what it needs", ""),
        ("strong P", "more than it needs", "too strong"),
        ("weak P & weak Q", "more than it needs", "not `weak Q`"),
    ] {
        let found =
            agent.answered("check", &json!({ "text": format!("{two} property p: F x under {under};") }));
        assert_eq!(found["results"][0]["verdict"], "holds", "{under}: {found}");
        assert_eq!(found["results"][0]["assumes"], assumes, "{under}: {found}");
        assert!(found["summary"].as_str().expect("text").contains(says), "{under}: {found}");
    }
}

#[test]
fn unknown_and_refused_are_no_success() {
    let mut agent = Agent::start(&["--time-limit", "1"]);
    let begun = Instant::now();
    // The limit of the server applies, whatever is asked for.
    let found = agent.answered("check", &json!({ "text": LARGE, "time_limit": 3600 }));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(
        (&found["status"], &found["all_as_expected"]),
        (&json!("undecided"), &json!(false)),
        "{found}"
    );
    assert_eq!(found["results"][0]["verdict"], "unknown");
    assert!(found["summary"].as_str().expect("text").contains("UNDECIDED"), "{found}");
    // A parameter without a value, with a property that no engine takes for every value.
    let open = "param N >= 2; shared x: int; process P[i: 1..N] { action a { x = x * x + i; } } property p: G x >= 0;";
    let result = agent.call("check", &json!({ "text": open }));
    let found = &result["structuredContent"];
    assert_ne!(found["all_as_expected"], json!(true), "{found}");
    assert_ne!(found["status"], "answered", "{found}");
    let nothing = agent.answered("check", &json!({ "text": "shared x: bool;" }));
    assert_eq!((&nothing["status"], &nothing["all_as_expected"]), (&json!("undecided"), &json!(false)));
}

#[test]
fn errors_say_how_to_mend_the_model() {
    let mut agent = Agent::start(&[]);
    let text = "shared x: bool;\nprocess P { l: x = treu; }\nproperty p: F X;";
    for tool in ["diagnose", "check", "advise", "simulate"] {
        let result = agent.call(tool, &json!({ "text": text }));
        let found = &result["structuredContent"];
        assert_eq!(
            (&found["status"], &result["isError"]),
            (&json!("errors_in_model"), &json!(true)),
            "{tool}"
        );
        let first = &found["diagnostics"][0];
        assert_eq!((&first["line"], &first["at"]), (&json!(2), &json!("treu")), "{found}");
        assert!(first["mend"].as_str().is_some_and(|mend| !mend.is_empty()), "{found}");
        assert!(found["summary"].as_str().expect("text").contains("line 2"), "{found}");
    }
    let fine = agent.answered("diagnose", &json!({ "text": LOCK }));
    assert_eq!(fine["outline"][1]["name"], "P");
}

#[test]
fn walks_are_chosen_or_random_and_the_same_each_time() {
    let mut agent = Agent::start(&[]);
    let walk = json!({ "text": LOCK, "steps": 12, "seed": 7 });
    let first = agent.answered("simulate", &walk);
    assert_eq!(first["walk"]["steps"].as_array().map(Vec::len), Some(12));
    assert_eq!(agent.answered("simulate", &walk), first);
    let chosen =
        agent.answered("simulate", &json!({ "text": LOCK, "choices": first["walk"]["choices"], "seed": 7 }));
    assert_eq!(chosen["walk"]["steps"], first["walk"]["steps"]);
    assert!(chosen["walk"]["next"].as_array().is_some_and(|next| !next.is_empty()));
    let wrong = agent.call("simulate", &json!({ "text": LOCK, "choices": [99] }));
    assert_eq!(wrong["isError"], json!(true), "{wrong}");
}

#[test]
fn only_files_of_the_folder_are_read() {
    let mut agent = Agent::start(&[]);
    let found = agent.answered("check", &json!({ "file": "examples/staircase.fair" }));
    assert_eq!(found["status"], "answered", "{found}");
    for file in
        ["/etc/passwd", "../../../../../../etc/passwd", "examples/../../x.fair", "no/such.fair", "examples"]
    {
        let result = agent.call("check", &json!({ "file": file }));
        assert_eq!(result["isError"], json!(true), "{file}");
        assert_eq!(result["structuredContent"]["status"], "bad_request", "{result}");
    }
}

#[test]
fn bad_requests_are_answered_and_do_no_harm() {
    let mut agent = Agent::start(&[]);
    for (tool, arguments, says) in [
        ("check", json!({}), "not both"),
        ("check", json!({ "text": LOCK, "file": "x" }), "not both"),
        ("check", json!({ "text": 3 }), "is a text"),
        ("check", json!({ "text": LOCK, "properties": "enters" }), "list of names"),
        ("check", json!({ "text": LOCK, "properties": ["entres"] }), "enters"),
        ("check", json!({ "text": LOCK, "fairness": "much" }), "process-weak"),
        ("check", json!({ "text": LOCK, "time_limit": -1 }), "above 0"),
        ("check", json!({ "text": LOCK, "time": 1 }), "no argument `time`"),
        ("check", json!([1]), "object"),
        ("replay", json!({ "text": LOCK }), "name of a property"),
        ("replay", json!({ "text": LOCK, "property": "enters", "run": {} }), "initial"),
        ("simulate", json!({ "text": LOCK, "steps": 1_000_000 }), "at most"),
        ("diagnose", json!({ "text": "x".repeat(2 << 20) }), "at most"),
    ] {
        let result = agent.call(tool, &arguments);
        assert_eq!(result["isError"], json!(true), "{tool} {says}: {result}");
        assert_eq!(result["structuredContent"]["status"], "bad_request", "{result}");
        let summary = result["structuredContent"]["summary"].as_str().expect("text").to_owned();
        assert!(summary.contains(says), "{says}: {summary}");
    }
    assert_eq!(agent.ask("tools/call", &json!({ "name": "destroy" }))["error"]["code"], -32602);
    assert_eq!(agent.ask("resources/list", &json!({}))["error"]["code"], -32601);
    agent.client.send_bytes(b"nonsense\n\n{\"half\": \n[]\n{}\n\xff\xfe\n");
    for code in [-32700, -32700, -32600, -32600, -32700] {
        assert_eq!(agent.client.receive()["error"]["code"], json!(code));
    }
    assert_eq!(agent.ask("ping", &Value::Null)["result"], json!({}));
}

#[test]
fn a_call_can_be_cancelled_and_a_client_can_go_away() {
    let mut agent = Agent::start(&["--time-limit", "30"]);
    let call = |id: &str, text: &str| {
        let params = json!({ "name": "check", "arguments": { "text": text, "time_limit": 30 } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    agent.client.send(&call("long", LARGE));
    agent.client.send(&call("short", LOCK));
    agent.client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "long" } }),
    );
    let begun = Instant::now();
    // The cancelled call gets no answer, and the one behind it need not wait for it.
    assert_eq!(agent.client.receive()["id"], "short");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    // What was asked before the input ended is answered.
    agent.client.send(&call("last", LOCK));
    agent.client.send_bytes(b"{\"jsonrpc\": \"2.0\", \"id\": 9, \"met");
    agent.client.close();
    let mut ids = vec![agent.client.receive()["id"].clone(), agent.client.receive()["id"].clone()];
    ids.sort_by_key(ToString::to_string);
    assert_eq!(ids, [json!("last"), Value::Null]);
    assert_eq!(agent.client.exit(), Some(0));
}

#[test]
fn models_in_other_languages_are_answered_with_their_own_names() {
    let mut agent = Agent::start(&[]);
    let promela = "byte x;\nactive proctype P() { do :: x = (x + 1) % 3 od }\nltl stays { <> [] (x == 0) }\n";
    let found =
        agent.answered("check", &json!({ "text": promela, "language": "pml", "properties": ["stays"] }));
    assert_eq!(found["results"][0]["verdict"], "fails", "{found}");
    assert!(found["results"][0]["counterexample"]["steps"][0]["changes"]["x"].is_string(), "{found}");
    let run = found["results"][0]["counterexample"].clone();
    let again = json!({ "text": promela, "language": "pml", "property": "stays", "run": run });
    assert_eq!(agent.answered("replay", &again)["judged"], "counterexample");
    let walk = agent.answered("simulate", &json!({ "text": promela, "language": "pml", "steps": 3 }));
    assert_eq!(walk["walk"]["steps"].as_array().map(Vec::len), Some(3), "{walk}");
    let smv =
        "MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 3;\nLTLSPEC G F x = 2\n";
    let found = agent.answered("check", &json!({ "text": smv, "language": "smv" }));
    assert!(found["results"][0]["verdict"].as_str().is_some_and(|it| it.starts_with("holds")), "{found}");
    let wrong = agent.call("check", &json!({ "text": "byte x\n$", "language": "pml" }));
    assert_eq!(wrong["structuredContent"]["status"], "errors_in_model", "{wrong}");
    assert!(wrong["structuredContent"]["diagnostics"][0]["line"].is_number(), "{wrong}");
    let wrong = agent.call("check", &json!({ "text": promela, "language": "ada" }));
    assert!(wrong["structuredContent"]["summary"].as_str().is_some_and(|it| it.contains("smv")), "{wrong}");
    // A program can be checked, and nothing else.
    let program = "int main() { int x; while (x > 0) x = x - 1; }";
    let wrong = agent.call("advise", &json!({ "text": program, "language": "c" }));
    assert_eq!(wrong["structuredContent"]["status"], "bad_request", "{wrong}");
    let wrong = agent.call("simulate", &json!({ "text": program, "language": "c" }));
    assert!(
        wrong["structuredContent"]["summary"].as_str().is_some_and(|it| it.contains("can be checked")),
        "{wrong}"
    );
}
