//! States on disk and in several processes: the answers are those of one process, and nothing is left behind, whatever
//! happens to a process.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::command::{Answer, command, fairly, file, on_one_line};

/// A ring of counters, some hundred thousand states, with claims that hold and that fail far away.
const RING: &str = "
    const N = 4;
    shared x: array[0..N-1] of 0..10;
    process P[i: 0..N-1] {
        loop {
            up: either { when x[i] < 10 && (i == 0 || x[i] <= x[i-1]) { x[i] = x[i] + 1; } }
                or { when x[i] == 10 { x[i] = 0; } }
                or { skip; }
            rest: skip;
        }
    }
    fairness scheduled: weak processes;
    invariant low: x[0] <= 10 expect holds;
    invariant far: x[0] + x[1] + x[2] + x[3] < 39 expect fails;
    property moves: G F (P[0]@rest) under scheduled expect holds;
    property returns: G (x[3] == 10 -> F x[3] == 0) under scheduled expect fails;
    property moves_globally: G F (x[3] == 10) under global expect holds;
";

/// Far too many states.
const ENDLESS: &str = "
    process P[i: 1..12] {
        local c: 0..9;
        loop { up: c = (c + 1) % 10; }
    }
    fairness scheduled: weak processes;
    invariant large: P[1].c < 10 expect holds;
";

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{name}"));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Name, verdict and counterexample of each property.
fn outcomes(answer: &Answer) -> Vec<serde_json::Value> {
    let of = |result: &serde_json::Value| {
        serde_json::json!([result["property"], result["verdict"], result["counterexample"]])
    };
    results(answer).iter().map(of).collect()
}

/// The numbers of states and steps of each property that holds.
fn counts(answer: &Answer) -> Vec<serde_json::Value> {
    let results = results(answer);
    let holds = results.iter().filter(|result| result["verdict"] == "holds");
    holds
        .map(|result| serde_json::json!([result["stats"]["states"], result["stats"]["transitions"]]))
        .collect()
}

fn results(answer: &Answer) -> Vec<serde_json::Value> {
    let document: serde_json::Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}{}", answer.stdout, answer.stderr));
    document["results"].as_array().expect("results").clone()
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    let mut found: Vec<u32> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    // The work is done in a thread of its own.
    for task in fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(text.split_whitespace().filter_map(|number| number.parse::<u32>().ok()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn signal(process: u32, signal: &str) {
    let status = Command::new("kill").args([signal, &process.to_string()]).status().expect("a signal");
    assert!(status.success());
}

fn is_running(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What a command says in the end.
fn end_of(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("an end");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| on_one_line(&String::from_utf8_lossy(text)));
    (output.status.code(), format!("{out} {err}"))
}

#[test]
fn the_disk_and_workers_give_the_answers_of_one_process() {
    let model = file("ring.fair", RING);
    let folder = folder("same");
    let place = folder.to_string_lossy().into_owned();
    let plain = ["check", "--format", "json", "--engine", "explicit", "--certify", "never", &model];
    let alone = outcomes(&fairly(&plain));
    assert_eq!(alone.len(), 5);
    let on_disk = fairly(&[&plain[..], &["--disk", &place, "--property", "low"]].concat());
    for more in [&["--workers", "1"][..], &["--workers", "3"]] {
        let answer = fairly(&[&plain[..], more].concat());
        assert_eq!(answer.code, Some(0), "{more:?} {}{}", answer.stdout, answer.stderr);
        assert_eq!(outcomes(&answer), alone, "{more:?}");
        let counts = counts(&answer);
        assert_eq!(counts.len(), 3);
        // The same states, whatever the question.
        assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?}");
        assert_eq!(counts[..1], self::counts(&on_disk));
    }
    assert!(!folder.exists(), "the folder is left behind");
}

#[test]
fn an_approximate_search_finds_what_is_there_and_claims_nothing() {
    let model = file("ring-hashed.fair", RING);
    let exact = fairly(&["check", "--format", "json", "--engine", "explicit", "--certify", "never", &model]);
    let states = results(&exact)[0]["stats"]["states"].clone();
    let answer = fairly(&["check", "--format", "json", "--approximate", &model]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.stdout, answer.stderr);
    let results = results(&answer);
    let verdicts: Vec<_> = results.iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["unknown", "fails", "unknown", "unknown", "unknown"]);
    assert_eq!(results[1]["certified"], "checked");
    assert_eq!(results[0]["stats"]["states"], states);
    let text = fairly(&["check", "--approximate", "--property", "low", &model]);
    assert_eq!(text.code, Some(3));
    let expected = format!("no violation found in {states} states");
    assert!(on_one_line(&text.stdout).contains(&expected), "{}", text.stdout);
    let text = fairly(&["check", "--approximate", "--property", "moves", &model]);
    assert!(on_one_line(&text.stdout).contains("check it without `--approximate`"), "{}", text.stdout);
    let text = fairly(&["check", "--approximate", "--engine", "symbolic", &model]);
    assert_eq!(text.code, Some(2), "{}", text.stderr);
}

#[test]
fn a_search_on_disk_goes_on_after_it_was_killed() {
    let model = file("killed.fair", RING);
    let folder = folder("killed");
    let place = folder.to_string_lossy().into_owned();
    let arguments = [
        "check",
        "--format",
        "json",
        "--property",
        "low",
        "--certify",
        "never",
        "--disk",
        &place,
        "--resume",
        &model,
    ];
    let expected = counts(&fairly(&arguments));
    assert!(!folder.exists() && expected.len() == 1);
    let mut killed = 0;
    let is_empty = || fs::read_dir(&folder).map_or(0, Iterator::count) == 0;
    for pause in [0, 20, 100, 500, 1500] {
        let mut child = command(&arguments).spawn().expect("the command runs");
        // It is killed some time after it has begun to write, however fast the machine is.
        while is_empty() && child.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(pause));
        if child.try_wait().expect("a state").is_none() {
            child.kill().expect("killed");
            killed += 1;
        }
        child.wait().expect("an end");
    }
    assert_eq!(counts(&fairly(&arguments)), expected);
    assert!(killed > 0, "no search was killed before its end");
    // The folder was there before the last search, so only what is in it is removed.
    assert_eq!(fs::read_dir(&folder).map_or(0, Iterator::count), 0);
    let _ = fs::remove_dir(folder);
}

#[test]
fn a_folder_that_cannot_be_used_leaves_the_answer_open() {
    let model = file("no_folder.fair", RING);
    let taken = file("not_a_folder", "a file");
    let answer = fairly(&["check", "--property", "low", "--certify", "never", "--disk", &taken, &model]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("cannot use"), "{}", answer.stdout);
}

#[test]
fn what_is_not_asked_for_is_not_left_on_the_disk() {
    let model = file("limited.fair", ENDLESS);
    let folder = folder("limited");
    let place = folder.to_string_lossy().into_owned();
    for more in [&[][..], &["--resume"]] {
        let arguments = [&["check", "--disk", &place, &model], more].concat();
        let child = command(&arguments).spawn().expect("the command runs");
        wait_until("nothing is written", || {
            fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_some())
        });
        signal(child.id(), "-INT");
        let (code, text) = end_of(child);
        assert_eq!(code, Some(3), "{text}");
        assert_eq!(folder.exists(), !more.is_empty(), "{text}");
    }
    fs::remove_dir_all(folder).expect("removed");
}

/// A check with workers, and the workers, once they work.
fn endless(name: &str, workers: usize) -> (Child, Vec<u32>) {
    let model = file(name, ENDLESS);
    let child =
        command(&["check", "--workers", &workers.to_string(), &model]).spawn().expect("the command runs");
    let id = child.id();
    wait_until("the workers do not come", || children(id).len() == workers);
    std::thread::sleep(Duration::from_millis(1500));
    let workers = children(id);
    (child, workers)
}

#[test]
fn a_lost_worker_ends_the_check_and_leaves_nothing_behind() {
    let (child, workers) = endless("lost.fair", 3);
    signal(workers[1], "-KILL");
    let begin = Instant::now();
    let (code, text) = end_of(child);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains(&format!("process {}", workers[1])), "{text}");
    assert!(text.contains("at level") && text.contains("states"), "{text}");
    println!("{:?}", begin.elapsed());
    wait_until("a worker is left behind", || !workers.iter().any(|worker| is_running(*worker)));
}

#[test]
fn workers_end_with_their_supervisor() {
    let (mut child, workers) = endless("supervisor.fair", 2);
    child.kill().expect("killed");
    child.wait().expect("an end");
    wait_until("a worker is left behind", || !workers.iter().any(|worker| is_running(*worker)));
}

#[test]
fn an_interrupt_ends_the_workers_too() {
    let (child, workers) = endless("interrupted.fair", 2);
    signal(child.id(), "-INT");
    let (code, text) = end_of(child);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("interrupt"), "{text}");
    wait_until("a worker is left behind", || !workers.iter().any(|worker| is_running(*worker)));
}

#[test]
fn a_worker_without_the_secret_is_refused() {
    let answer = fairly(&["worker", "127.0.0.1:1"]);
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
    assert!(answer.stderr.contains("FAIRLY_SECRET"), "{}", answer.stderr);
    let model = file("secret.fair", RING);
    let answer = fairly(&["check", "--workers", "2", "--listen", "127.0.0.1:0", &model]);
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
    assert!(answer.stderr.contains("FAIRLY_SECRET"), "{}", answer.stderr);
}

#[test]
fn workers_that_somebody_else_starts_serve_one_task_after_the_other() {
    let model = file("by_hand.fair", RING);
    let address = "127.0.0.1:27419";
    let plain = ["check", "--format", "json", "--engine", "explicit", "--certify", "never", &model];
    let alone = outcomes(&fairly(&plain));
    let stranger = command(&["worker", address]).env("FAIRLY_SECRET", "another").spawn().expect("a stranger");
    let start = || command(&["worker", address]).env("FAIRLY_SECRET", "ours").spawn().expect("a worker");
    let workers = [start(), start()];
    let output = command(&[&plain[..], &["--workers", "2", "--listen", address]].concat())
        .env("FAIRLY_SECRET", "ours")
        .output()
        .expect("the command runs");
    let answer = Answer {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        time: Duration::ZERO,
    };
    assert_eq!(outcomes(&answer), alone, "{}", answer.stderr);
    for worker in workers {
        let (code, text) = end_of(worker);
        assert_eq!(code, Some(0), "{text}");
    }
    let (code, text) = end_of(stranger);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("secret"), "{text}");
}

#[test]
fn a_host_that_cannot_be_reached_is_named() {
    if Command::new("ssh").arg("-V").output().is_err() {
        return;
    }
    let model = file("unknown_host.fair", RING);
    let hosts = file("hosts.txt", "# a host that is not there\nno-such-host.invalid\n");
    let arguments = [
        "check",
        "--property",
        "low",
        "--certify",
        "never",
        "--cluster",
        &hosts,
        "--listen",
        "127.0.0.1:0",
        &model,
    ];
    let answer = fairly(&arguments);
    assert_eq!(answer.code, Some(3), "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("no-such-host.invalid"), "{}", answer.stdout);
    assert!(Path::new(&hosts).exists());
}

#[test]
fn a_worker_that_is_stopped_counts_as_lost() {
    let model = file("stopped.fair", ENDLESS);
    let child = command(&["check", "--verbose", "--workers", "2", &model]).spawn().expect("the command runs");
    let id = child.id();
    wait_until("the workers do not come", || children(id).len() == 2);
    std::thread::sleep(Duration::from_millis(1500));
    let workers = children(id);
    signal(workers[1], "-STOP");
    let (code, text) = end_of(child);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains(&format!("(process {}) says nothing any more", workers[1])), "{text}");
    assert!(text.contains("at level") && text.contains("states of"), "{text}");
    // Meanwhile it was reported how far each worker is.
    let report = format!("(process {}): exploring, level", workers[0]);
    assert!(text.contains(&report) && text.contains("MB sent"), "{text}");
    wait_until("a worker is left behind", || !workers.iter().any(|worker| is_running(*worker)));
}

#[test]
fn without_memory_it_is_said_what_would_help() {
    let model = file("small_memory.fair", ENDLESS);
    let answer = fairly(&["check", "--workers", "2", "--memory-limit", "200M", &model]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.stdout, answer.stderr);
    let said = on_one_line(&answer.stdout);
    assert!(said.contains("has no more memory"), "{said}");
    // How many machines it would take is only said if the levels allow a guess, and messages may come early or late.
    assert!(said.contains("more machines of this size") || said.contains("it would go on"), "{said}");
}

#[test]
fn a_plan_says_what_workers_would_do() {
    // Fewer processes have more levels in the same time, and the guess needs some.
    let model = file("planned.fair", ENDLESS.replace("1..12", "1..9"));
    let plan = |model: &str, more: &[&str]| {
        let answer = fairly(&[&["check", "--plan", "--time-limit", "2", model], more].concat());
        assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
        on_one_line(&answer.stdout)
    };
    let text = plan(&model, &["--workers", "4"]);
    for part in
        ["states per second", "bytes per state", "4 workers with", "room for about", "MB per second sent"]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains("states, which is a guess"), "{text}");
    let small = file("planned_small.fair", "process P { loop { a: skip; } } invariant always: true;");
    assert!(plan(&small, &[]).contains("these are all states"));
}

/// A frame of what supervisor and workers say to each other.
fn frame(numbers_and_texts: &[Result<u64, &str>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in numbers_and_texts {
        match part {
            Ok(number) => bytes.extend(number.to_le_bytes()),
            Err(text) => {
                bytes.extend((text.len() as u64).to_le_bytes());
                bytes.extend(text.as_bytes());
            }
        }
    }
    [&(bytes.len() as u64).to_le_bytes()[..], &bytes].concat()
}

/// The next frame.
fn received(stream: &mut TcpStream) -> Vec<u8> {
    let mut length = [0; 8];
    stream.read_exact(&mut length).expect("a frame");
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    stream.read_exact(&mut bytes).expect("a frame");
    bytes
}

/// The text at a place of a frame, and what follows.
fn text_of(bytes: &[u8]) -> (String, &[u8]) {
    let (length, rest) = bytes.split_at(8);
    let (text, rest) = rest.split_at(u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize);
    (String::from_utf8_lossy(text).into_owned(), rest)
}

/// A real worker, the connection to it, and its version, which it says first.
fn version() -> (Child, TcpStream, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let worker = command(&["worker", &address]).env("FAIRLY_SECRET", "ours").spawn().expect("a worker");
    let (mut stream, _) = listener.accept().expect("a connection");
    let hello = received(&mut stream);
    let (secret, rest) = text_of(&hello[8..]);
    assert_eq!(secret, "ours");
    (worker, stream, text_of(rest).0)
}

#[test]
fn a_worker_of_another_model_does_not_work() {
    let (worker, mut stream, _) = version();
    let payload = serde_json::json!({
        "arguments": ["fairly", "check", "a.fair"], "path": "a.fair", "text": RING, "beside": [],
    });
    let job = frame(&[Ok(1), Err(&payload.to_string()), Err("the name of some other task"), Ok(u64::MAX)]);
    stream.write_all(&job).expect("sent");
    let (why, _) = text_of(&received(&mut stream)[8..]);
    assert!(why.contains("not that of the supervisor's model"), "{why}");
    let (code, text) = end_of(worker);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains(&why), "{text}");
}

#[test]
fn a_worker_of_another_version_or_with_another_model_is_named() {
    let (mut worker, _, version) = version();
    worker.kill().expect("killed");
    worker.wait().expect("an end");
    let model = file("others.fair", RING);
    for (version, port) in [("0.0.1", 27_421), (version.as_str(), 27_422)] {
        let address = format!("127.0.0.1:{port}");
        let arguments = [
            "check",
            "--property",
            "low",
            "--certify",
            "never",
            "--workers",
            "1",
            "--listen",
            &address,
            &model,
        ];
        let child = command(&arguments).env("FAIRLY_SECRET", "ours").spawn().expect("the command runs");
        let reached = std::cell::RefCell::new(None);
        wait_until("the supervisor cannot be reached", || {
            *reached.borrow_mut() = TcpStream::connect(&address).ok();
            reached.borrow().is_some()
        });
        let mut stream = reached.into_inner().expect("a connection");
        let hello = frame(&[Ok(0), Err("ours"), Err(version), Err("node99"), Ok(1)]);
        stream.write_all(&hello).expect("sent");
        let answer = received(&mut stream);
        if version != "0.0.1" {
            assert_eq!(answer[0], 1, "a job");
            stream.write_all(&frame(&[Ok(3), Err("it is another model")])).expect("sent");
        }
        let (code, text) = end_of(child);
        assert_eq!(code, Some(3), "{text}");
        let expected = if version == "0.0.1" { "version 0.0.1" } else { "it is another model" };
        assert!(text.contains("node99") && text.contains(expected), "{text}");
    }
}
