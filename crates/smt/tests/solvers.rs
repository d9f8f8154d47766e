//! Real solvers, and processes that only look like solvers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arith::{Linear, Var};
use smt::{Answer, Clause, Formula, Program, Solver, Solvers};

const NEVER: &(dyn Fn() -> bool + Sync) = &|| false;

fn var(number: u32) -> Linear {
    Linear::var(Var(number))
}

fn number(value: i128) -> Linear {
    Linear::constant(value)
}

fn lt(a: &Linear, b: &Linear) -> Formula {
    Formula::lt(a, b).expect("small")
}

fn eq(a: &Linear, b: &Linear) -> Formula {
    Formula::eq(a, b).expect("small")
}

fn started(solvers: &Solvers, program: Program) -> Solver<'_> {
    Solver::new(solvers, program, NEVER).unwrap_or_else(|absent| panic!("{absent}"))
}

#[test]
fn both_solvers_find_models_and_contradictions_level_by_level() {
    let solvers = smt::installed();
    for program in [Program::Z3, Program::Cvc5] {
        let mut solver = started(&solvers, program);
        solver.assert(&lt(&number(3), &var(0)));
        assert_eq!(solver.check(), Answer::Sat);
        solver.push();
        solver.assert(&Formula::divides(4, &var(0)));
        let (answer, values) = solver.model(&lt(&var(0), &number(8)), &[Var(0), Var(1)]);
        assert_eq!((answer, values[0]), (Answer::Sat, 4), "{program:?}");
        assert_eq!(solver.check_with(&lt(&var(0), &number(4))), Answer::Unsat);
        solver.pop();
        assert_eq!(solver.check_with(&eq(&var(0), &number(7))), Answer::Sat);
        assert_eq!(solver.check_with(&Formula::divides(4, &var(0)).negated()), Answer::Sat);
    }
}

#[test]
fn rational_systems_have_rational_solutions() {
    let solvers = smt::installed();
    let mut solver = started(&solvers, Program::Z3);
    let twice = Formula::Zero(Linear::of(-1, [(Var(0), 2)]).expect("small"));
    let system = [twice.clone()];
    let (answer, values) = solver.rational(&system, &[Var(0)]);
    assert_eq!(answer, Answer::Sat);
    let half = values[0];
    assert_eq!((half.numerator, half.denominator), (1, 2));
    // Among integers the same has none.
    assert_eq!(solver.check_with(&twice), Answer::Unsat);
}

#[test]
fn quantifiers_are_eliminated_exactly() {
    let solvers = smt::installed();
    let mut solver = started(&solvers, Program::Z3);
    let gone = BTreeSet::from([Var(1)]);
    // Some y with x < y and y < z; some y with 2y = x.
    let between = Formula::and([lt(&var(0), &var(1)), lt(&var(1), &var(2))]);
    let even = eq(&var(1).plus(1, &var(1)).expect("small"), &var(0));
    for (body, expected) in
        [(between, lt(&var(0).successor(), &var(2))), (even, Formula::divides(2, &var(0)))]
    {
        let result = solver.eliminate(&gone, &body).expect("a formula");
        let different = Formula::or([
            Formula::and([result.clone(), expected.negated()]),
            Formula::and([result.negated(), expected]),
        ]);
        assert_eq!(solver.check_with(&different), Answer::Unsat, "{result:?}");
    }
}

#[test]
fn horn_clauses_have_an_interpretation_or_none() {
    let solvers = smt::installed();
    let mut solver = started(&solvers, Program::Z3);
    let clause = |body: Vec<(usize, Vec<Linear>)>, constraint, head: Option<(usize, Vec<Linear>)>| Clause {
        body,
        constraint,
        head,
    };
    let here = || vec![(0, vec![var(5)])];
    let system = |bad: i128| {
        vec![
            clause(Vec::new(), eq(&var(5), &number(0)), Some((0, vec![var(5)]))),
            clause(here(), lt(&var(5), &number(10)), Some((0, vec![var(5).successor()]))),
            clause(here(), eq(&var(5), &number(bad)), None),
        ]
    };
    let (answer, found) = solver.horn(&[1], &system(11));
    assert_eq!(answer, Answer::Sat);
    assert!((0..=10).all(|value| found[0].holds(&|_| value) == Ok(true)), "{found:?}");
    assert_eq!(found[0].holds(&|_| 11), Ok(false), "{found:?}");
    assert_eq!(solver.horn(&[1], &system(10)).0, Answer::Unsat);
}

#[test]
fn a_solver_that_hangs_or_dies_is_replaced_and_the_query_is_unknown() {
    // The first process is something else; the next is the real solver and knows what was asserted.
    for impostor in ["/bin/true", "/bin/sleep"] {
        let first = Mutex::new(true);
        let start = move |program: Program| {
            let path =
                if std::mem::take(&mut *first.lock().expect("one at a time")) { impostor } else { "z3" };
            if path == "/bin/sleep" { Ok(hanging()) } else { smt::start(path, program, u64::MAX) }
        };
        let mut solvers = Solvers::new(Arc::new(start));
        solvers.limit = Duration::from_secs(2);
        let mut solver = started(&solvers, Program::Z3);
        solver.push();
        solver.assert(&lt(&var(0), &number(0)));
        assert_eq!(solver.check(), Answer::Unknown, "{impostor}");
        assert_eq!(solver.check_with(&lt(&number(0), &var(0))), Answer::Unsat);
        solver.pop();
        assert_eq!(solver.check_with(&lt(&number(0), &var(0))), Answer::Sat);
    }
}

#[test]
fn a_solver_that_writes_without_end_is_replaced_and_the_query_is_unknown() {
    let floods = [
        ("answers before it is asked", "exec yes"),
        ("answers", "read -r _; exec yes"),
        ("lists", "read -r _; exec yes '('"),
        ("one line", "read -r _; tr '\\0' '(' </dev/zero | head -c 40000000"),
        ("empty lines", "read -r _; exec yes ''"),
        ("a list, slowly", "read -r _; while echo '('; do sleep 0.01; done"),
        ("errors", "read -r _; exec yes '(error \"no\")'"),
    ];
    for (position, (what, script)) in floods.into_iter().enumerate() {
        let path = std::env::temp_dir().join(format!("fairly-flood-{}-{position}", std::process::id()));
        let path = path.to_str().expect("a path").to_owned();
        write_script(&path, script);
        let (first, impostor) = (Mutex::new(true), path.clone());
        let mut solvers = Solvers::new(Arc::new(move |program: Program| {
            let is_first = std::mem::take(&mut *first.lock().expect("one at a time"));
            smt::start(if is_first { &impostor } else { "z3" }, program, u64::MAX)
        }));
        solvers.limit = Duration::from_secs(1);
        let mut solver = started(&solvers, Program::Z3);
        solver.assert(&lt(&var(0), &number(0)));
        assert_eq!(solver.check(), Answer::Unknown, "{what}");
        assert_eq!(solver.check(), Answer::Sat, "{what}");
        assert_eq!(solver.check_with(&lt(&number(0), &var(0))), Answer::Unsat, "{what}");
        std::fs::remove_file(path).expect("it is there");
    }
}

/// Writes an executable script. A shell does it: a file that this process has open for writing cannot be run by others.
fn write_script(path: &str, script: &str) {
    let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod +x "$0""#;
    let status = std::process::Command::new("/bin/sh").args(["-c", write, path, script]).status();
    assert!(status.is_ok_and(|status| status.success()), "{path}");
}

/// A process that reads and never answers.
fn hanging() -> Box<dyn smt::Pipe> {
    struct Silent;
    impl smt::Pipe for Silent {
        fn send(&mut self, _: &str) -> bool {
            true
        }
        fn receive(&mut self, patience: Duration) -> smt::Received {
            std::thread::sleep(patience);
            smt::Received::Silence
        }
    }
    Box::new(Silent)
}

#[test]
fn an_absent_solver_is_told_with_the_command_that_installs_it() {
    let solvers = Solvers::new(Arc::new(|program| smt::start("/nonexistent/z3", program, u64::MAX)));
    let absent = Solver::new(&solvers, Program::Z3, NEVER).err().expect("there is none");
    assert!(absent.to_string().contains("apt-get install z3"), "{absent}");
}

#[test]
fn what_is_said_to_a_solver_can_be_replayed() {
    let said = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&said);
    let mut solvers = smt::installed();
    solvers.sink = Some(Arc::new(move |_, text: &str| sink.lock().expect("one at a time").push_str(text)));
    let mut solver = started(&solvers, Program::Z3);
    solver.assert(&lt(&var(0), &number(-3)));
    assert_eq!(solver.check(), Answer::Sat);
    let said = said.lock().expect("one at a time");
    assert!(said.contains("(declare-const v0 Int)") && said.ends_with("(check-sat)\n"), "{said}");
}

#[test]
fn what_was_answered_is_not_asked_again_and_a_solver_that_is_free_is_used_again() {
    let starts = Arc::new(Mutex::new(0));
    let said = Arc::new(Mutex::new(String::new()));
    let (counter, sink) = (Arc::clone(&starts), Arc::clone(&said));
    let mut solvers = Solvers::new(Arc::new(move |program: Program| {
        *counter.lock().expect("one at a time") += 1;
        smt::start(program.name(), program, u64::MAX)
    }));
    solvers.sink = Some(Arc::new(move |_, text: &str| sink.lock().expect("one at a time").push_str(text)));
    let asked = || said.lock().expect("one at a time").matches("(check-sat)").count();
    let started_so_far = || *starts.lock().expect("one at a time");
    let below = |bound: i128| lt(&var(0), &number(bound));
    let between = |low: i128, high: i128| Formula::and([below(high), below(low).negated()]);
    for program in [Program::Z3, Program::Cvc5] {
        let (before, earlier) = (asked(), started_so_far());
        let mut first = started(&solvers, program);
        assert_eq!(first.check_with(&between(3, 3)), Answer::Unsat);
        assert_eq!(first.model(&between(3, 4), &[Var(0)]), (Answer::Sat, vec![3]));
        assert_eq!(first.model(&between(3, 4), &[Var(0)]), (Answer::Sat, vec![3]));
        assert_eq!((asked(), first.queries), (before + 2, 3));
        // What is asserted beside a question makes it another one.
        first.push();
        first.assert(&below(0));
        assert_eq!(first.check_with(&between(3, 4)), Answer::Unsat);
        first.pop();
        drop(first);
        // The next owner finds nothing asserted, and what was said before.
        let copy = solvers.clone();
        let mut second = started(&copy, program);
        assert_eq!(second.check_with(&between(3, 3)), Answer::Unsat);
        assert_eq!(second.check_with(&below(9)), Answer::Sat);
        assert_eq!(second.check_with(&below(9).negated()), Answer::Sat);
        assert_eq!(asked(), before + 5);
        assert_eq!(started_so_far(), earlier + 1);
    }
}

#[test]
fn a_solver_that_dies_while_it_waits_is_not_used_again() {
    // It answers once, and is gone when it is asked to forget.
    struct Once {
        asked: bool,
        answers: Vec<smt::Received>,
    }
    impl smt::Pipe for Once {
        fn send(&mut self, _: &str) -> bool {
            self.asked = true;
            true
        }
        fn receive(&mut self, _: Duration) -> smt::Received {
            if !self.asked {
                return smt::Received::Silence;
            }
            self.answers.pop().unwrap_or(smt::Received::End)
        }
    }
    let first = Mutex::new(true);
    let solvers = Solvers::new(Arc::new(move |program: Program| {
        if std::mem::take(&mut *first.lock().expect("one at a time")) {
            let answers = vec![smt::Received::Line("sat".to_owned())];
            return Ok(Box::new(Once { asked: false, answers }) as Box<dyn smt::Pipe>);
        }
        smt::start(program.name(), program, u64::MAX)
    }));
    let negative = lt(&var(0), &number(0));
    assert_eq!(started(&solvers, Program::Z3).check_with(&negative), Answer::Sat);
    let both = Formula::and([negative.clone(), lt(&number(0), &var(1))]);
    assert_eq!(started(&solvers, Program::Z3).check_with(&both), Answer::Sat);
}
