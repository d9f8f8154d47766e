//! Every command works on models of other languages: names and lines are those of the file, refusals have a line and a
//! reason, and what `print` writes has the same states and verdicts. The page and the editor are in `page_files` and
//! `lsp_files`.

use std::fs;
use std::path::PathBuf;

use crate::command::{fairly, file, on_one_line};

struct Foreign {
    file: &'static str,
    text: &'static str,
    /// A property that holds, and one that fails without fairness.
    holds: &'static str,
    fails: &'static str,
    /// A step of the counterexample, in the names of the file.
    step: &'static str,
    states: &'static str,
    /// What is put in the place of `.0` so that the file is refused, and what is said then.
    broken: (&'static str, &'static str, &'static str),
}

const MODELS: [Foreign; 4] = [
    Foreign {
        file: "lock.dve",
        text: "byte turn = 0;\nchannel {byte} pass[1];\nprocess P {\n    state idle, wait, cs;\n    init idle;\n    \
            trans\n        idle -> wait { },\n        wait -> idle { },\n        wait -> cs { guard turn == 0; },\n        \
            cs -> idle { sync pass!1; };\n}\nprocess Q {\n    byte last;\n    state ready, busy;\n    init ready;\n    \
            assert busy: last == 1;\n    trans\n        ready -> busy { sync pass?last; effect turn = 1; },\n        \
            busy -> ready { effect turn = 0; };\n}\n\
            process Never {\n    state no, yes;\n    init no;\n    accept yes;\n    trans\n        no -> no { },\n        \
            no -> yes { guard not P.cs; },\n        yes -> yes { guard not P.cs; };\n}\nsystem async property Never;\n",
        holds: "Q_assertion_1",
        fails: "Never",
        step: "P.wait_to_idle",
        states: "17 states",
        broken: ("init ready;", "init nowhere;", "lock.dve:15:10"),
    },
    Foreign {
        file: "lock.pml",
        text: "byte turn = 0;\nchan pass = [1] of { byte };\n\nactive proctype P()\n{\n\tdo\n\t:: turn == 0 ->\n\
            cs:\t\tpass!1\n\t:: skip\n\tod\n}\n\nactive proctype Q()\n{\n\tbyte last;\nend:\tdo\n\
            \t:: pass?last -> turn = 1; turn = 0\n\tod\n}\n\nltl often { []<> (turn == 1) }\n",
        holds: "no_invalid_end",
        fails: "often",
        step: "P.line6",
        states: "16 states",
        broken: ("turn = 1;", "c_code { };", "lock.pml:17:18"),
    },
    Foreign {
        file: "lock.smv",
        text: "MODULE main\nVAR\n  turn : 0..1;\n  p : process user(turn, 0);\n  q : process user(turn, 1);\nASSIGN\n  \
            init(turn) := 0;\nLTLSPEC NAME often := G F p.st = cs\nINVARSPEC NAME mutex := !(p.st = cs & q.st = cs)\n\
            MODULE user(turn, me)\nVAR\n  st : {idle, cs};\nASSIGN\n  init(st) := idle;\n  next(st) := case\n    \
            st = idle & turn = me : {idle, cs};\n    TRUE : idle;\n  esac;\n  next(turn) := st = cs ? 1 - me : turn;\n",
        holds: "mutex",
        fails: "often",
        step: "main.step",
        states: "4 states",
        broken: ("turn : 0..1;", "turn : integer;", "lock.smv:3:10"),
    },
    Foreign {
        file: "lock.csp",
        text: "var turn:{0..1} = 0;\nP(i) = [turn == i] enter.i -> leave.i{turn = 1 - i;} -> P(i);\n\
            Both() = P(0) ||| P(1) ||| Idle();\nIdle() = rest -> Idle();\n#define mine (turn == 1);\n\
            #assert Both() deadlockfree;\n#assert Both() |= []<> mine;\n",
        holds: "assert_1",
        fails: "assert_2",
        step: "Idle.rest",
        states: "4 states",
        broken: ("rest -> Idle()", "rest -> Idle() interrupt rest -> Skip", "lock.csp:4:25"),
    },
];

/// The lines about properties, without their times.
fn verdicts(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.contains("[explicit"));
    let lines = lines.map(|line| line.rsplit_once(" · ").map_or(line, |(rest, _)| rest));
    lines.map(on_one_line).collect()
}

#[test]
fn every_command_works_on_models_of_other_languages() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("imported");
    fs::create_dir_all(&folder).expect("a folder");
    let out = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for own in MODELS {
        let path = file(own.file, own.text);
        let run = |code: i32, arguments: &[&str]| {
            let answer = fairly(arguments);
            assert_eq!(answer.code, Some(code), "{arguments:?}\n{}{}", answer.stdout, answer.stderr);
            answer.stdout
        };
        let kept = out(own.file);
        let checked = run(1, &["check", &path, "--engine", "explicit", "--itf", &kept]);
        for (name, verdict) in [(own.holds, "holds"), (own.fails, "fails")] {
            let is_said = |line: &String| line.contains(&format!("{name} {verdict}"));
            assert!(verdicts(&checked).iter().any(is_said), "{name} {verdict}\n{checked}");
        }
        assert!(checked.contains(own.step), "{}\n{checked}", own.step);
        // The same model, by the name of its language.
        let language = own.file.rsplit('.').next().expect("an ending").replace("pml", "promela");
        let unnamed = file(&format!("{language}.model"), own.text);
        let named = run(1, &["check", "--from", &language, &unnamed, "--engine", "explicit"]);
        assert_eq!(verdicts(&named), verdicts(&checked));
        let trace = fs::read_dir(&kept).expect("a folder").next().expect("a trace").expect("a file").path();
        let replayed = run(0, &["replay", &path, &trace.to_string_lossy()]);
        assert!(replayed.contains("a counterexample") && replayed.contains(own.step), "{replayed}");
        let advice = run(0, &["advise", &path]);
        assert!(advice.contains(own.fails) && advice.contains("process-weak"), "{advice}");
        let explained = run(0, &["explain", &path, "--property", own.fails]);
        assert!(explained.contains("Who acts and who does not"), "{explained}");
        assert!(run(0, &["simulate", &path, "--seed", "1", "--steps", "5"]).contains("(seed 1)"));
        assert!(run(0, &["graph", &path]).starts_with("digraph"));
        for target in ["promela", "smv", "tla"] {
            if own.file == "lock.dve" {
                let refused = fairly(&["export", "--to", target, &path]);
                assert!(refused.stderr.contains("it is an automaton"), "{}", refused.stderr);
            } else {
                assert!(run(0, &["export", "--to", target, &path]).contains("exported by Fairly"));
            }
        }
        let proof = out(&format!("{}.proof", own.file));
        run(0, &["prove", &path, "--property", own.holds, "-o", &proof]);
        run(0, &["verify", &proof, &path]);
        run(0, &["verify", "--from", &language, &proof, &unnamed]);
        // Values that cannot matter any more are kept, as in the original.
        let printed = run(0, &["print", &path]);
        // The automaton of a property process is in comments, for a file of its own.
        let comments = printed.lines().filter_map(|line| line.strip_prefix("// "));
        let automaton: Vec<&str> = comments.skip_while(|line| !line.starts_with("HOA:")).collect();
        if !automaton.is_empty() {
            file(own.fails, automaton.join("\n"));
        }
        let fair = file(&format!("{}.fair", own.file), &printed);
        let again = run(1, &["check", &fair, "--engine", "explicit", "--as-written"]);
        assert_eq!(verdicts(&again), verdicts(&checked), "{printed}");
        assert!(verdicts(&again).iter().any(|line| line.contains(own.states)), "{again}");
        let (part, by, place) = own.broken;
        let broken = file(own.file, own.text.replace(part, by));
        let refused = fairly(&["check", &broken]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(place), "{}", refused.stderr);
    }
}
