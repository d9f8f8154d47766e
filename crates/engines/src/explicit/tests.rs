//! The engine as a whole, against the oracle.

use std::sync::Arc;

use automata::{Automaton, Cube, Edge, translate};
use certify::oracle::{self, Why};
use certify::{Standing, certify};
use exchange::hoa;
use model::note::Unchecked;
use model::property::{Kind, Never, Property};
use model::{Answer, Counterexample, Expr, Formula, Note, Reason, Session, StopReason, Task, ground, show};

use super::{Explicit, GraphCache, random};
use crate::Engine;
use crate::graph::tests::Random;

fn check(task: &Task) -> (Answer, Vec<Note>) {
    let session = Session::unlimited();
    let answer = Explicit::default().check(task, &session).expect("taken");
    (answer, session.notes.into_inner().expect("nothing panicked"))
}

fn describe(task: &Task) -> String {
    let system = task.system();
    let claim = show::kind(system, &task.property.kind);
    format!("{claim}\nunder {}\n{system:#?}", show::fairness(system, &task.fairness))
}

#[test]
fn threads_and_early_looks_do_not_change_the_answer() {
    let mut random = Random(2);
    let mut fails = 0;
    for round in 0..1_500 {
        let task = random::task(&mut random);
        let (answer, notes) = check(&task);
        let context = || format!("round {round}: {answer:?}\n{}", describe(&task));
        // Every level is shared, so that threads interact.
        let engine = Explicit { shared_level: 0, ..Explicit::default() };
        let session = Session::new(&|| None, &|_| {}, u64::MAX, 3);
        assert_eq!(engine.check(&task, &session).expect("taken"), answer, "{}", context());
        assert_eq!(session.notes.into_inner().expect("nothing panicked"), notes, "{}", context());
        // A search after every level.
        let engine = Explicit { first_look: 1, ..Explicit::default() };
        let early = engine.check(&task, &Session::unlimited()).expect("taken");
        assert_eq!(matches!(early, Answer::Fails(_)), matches!(answer, Answer::Fails(_)), "{}", context());
        if let Answer::Fails(_) = early {
            fails += 1;
            let standing = certify(&task, early).map(|certified| certified.standing());
            assert_eq!(standing, Ok(Standing::Checked), "{}", context());
        }
    }
    assert!(fails > 300, "{fails} fail");
}

#[test]
fn probing_and_bad_prefixes_do_not_change_the_verdict() {
    let mut random = Random(6);
    let (mut paths, mut lassos, mut holds) = (0, 0, 0);
    for round in 0..2_000 {
        let task = random::task(&mut random);
        let context = || format!("round {round}\n{}", describe(&task));
        // Nothing is searched before the probe, and there is a look after every few states.
        let engine = Explicit { first_look: 1, reduce_beyond: 0, reductions: false, ..Explicit::default() };
        let cache = GraphCache::default();
        let unlisted = Explicit { evidence: 0, probes: false, stores_steps: false, cache, ..engine.clone() };
        let reached = unlisted.check(&task, &Session::unlimited()).expect("taken");
        assert_eq!(verdict(&reached), verdict(&check(&task).0), "{reached:?} {}", context());
        if let Answer::Fails(_) = reached {
            let standing = certify(&task, reached).map(|certified| certified.standing());
            assert_eq!(standing, Ok(Standing::Checked), "{}", context());
        }
        let probed = engine.check(&task, &Session::unlimited()).expect("taken");
        let threads = Session::new(&|| None, &|_| {}, u64::MAX, 3);
        let shared = Explicit { shared_level: 0, cache: GraphCache::default(), ..engine.clone() };
        assert_eq!(shared.check(&task, &threads).expect("taken"), probed, "{}", context());
        assert_eq!(verdict(&probed), verdict(&check(&task).0), "{probed:?} {}", context());
        let is_formula = !matches!(task.property.kind, Kind::Invariant(_));
        match &probed {
            Answer::Holds(_) => holds += 1,
            Answer::Fails(Counterexample::Path(_)) if is_formula => paths += 1,
            Answer::Fails(_) => lassos += 1,
            Answer::Unknown(reason) => panic!("{reason:?}"),
        }
        if let Answer::Fails(_) = probed {
            let standing = certify(&task, probed).map(|certified| certified.standing());
            assert_eq!(standing, Ok(Standing::Checked), "{}", context());
        }
    }
    assert!(holds > 500 && lassos > 300 && paths > 10, "{holds} hold, {lassos} lassos, {paths} paths");
}

#[test]
fn it_gives_up_beyond_so_many_states_and_on_no_other_task() {
    let mut random = Random(5);
    let (mut given_up, mut found_before) = (0, 0);
    for round in 0..600 {
        let task = random::task(&mut random);
        let session = Session::unlimited();
        let plain = Explicit { reductions: false, ..Explicit::default() };
        let answer = plain.check(&task, &session).expect("taken");
        let counted = session.statistics.into_inner().expect("nothing panicked");
        let states = counted.iter().find(|(name, _)| *name == "states").map_or(0, |(_, states)| *states);
        let limited = Explicit { state_limit: 3, first_look: 1, reductions: false, ..Explicit::default() };
        let context = || format!("round {round}, {states} states: {answer:?}\n{}", describe(&task));
        let first = limited.check(&task, &Session::new(&|| None, &|_| {}, u64::MAX, 3)).expect("taken");
        // The result is the same if it has explored before, or if others have explored further.
        let again = limited.check(&task, &Session::unlimited()).expect("taken");
        assert_eq!(again, first, "{}", context());
        let later = Explicit { cache: plain.cache.clone(), ..limited.clone() };
        let later = later.check(&task, &Session::unlimited()).expect("taken");
        assert_eq!(later, first, "{}", context());
        match first {
            Answer::Unknown(reason) => {
                given_up += 1;
                assert_eq!(reason.stop(), Some(StopReason::Work));
                assert!(states > 3, "{}", context());
            }
            other => {
                found_before += u64::from(states > 3);
                assert_eq!(
                    matches!(other, Answer::Fails(_)),
                    matches!(answer, Answer::Fails(_)),
                    "{}",
                    context()
                );
            }
        }
    }
    assert!(given_up > 50 && found_before > 20, "{given_up} given up, {found_before} found before");
}

#[test]
fn what_is_known_from_earlier_tasks_does_not_change_the_answer() {
    let mut random = Random(3);
    let mut shared = 0;
    for round in 0..400 {
        let system = Arc::new(random::system(&mut random));
        let first_look = [1, 20, usize::MAX][random.below(3) as usize];
        let engine = Explicit { first_look, shared_level: 0, ..Explicit::default() };
        for _ in 0..6 {
            let task = random::task_about(&system, &mut random);
            let session = || Session::new(&|| None, &|_| {}, u64::MAX, 1);
            let fresh = Explicit { cache: GraphCache::default(), ..engine.clone() };
            let alone = fresh.check(&task, &session()).expect("taken");
            // Sessions with growing budgets, as `auto` uses them, and finally several threads.
            let mut prepared = engine.prepare(&task).expect("taken");
            let mut alone_in_turns = fresh.prepare(&task).expect("taken");
            for budget in [1_000, 20_000, 400_000] {
                let budgeted = || Session::unlimited().with_budget(budget);
                let (one, other) = (prepared.answer(&budgeted()), alone_in_turns.answer(&budgeted()));
                assert_eq!(one, other, "round {round}, budget {budget}\n{}", describe(&task));
            }
            let threads = 1 + random.below(2) as usize;
            let session = Session::new(&|| None, &|_| {}, u64::MAX, threads);
            let together = engine.check(&task, &session).expect("taken");
            let context = || format!("round {round}: {alone:?}, {together:?}\n{}", describe(&task));
            assert_eq!(together, alone, "{}", context());
            if let Answer::Fails(_) = together {
                let standing = certify(&task, together.clone()).map(|certified| certified.standing());
                assert_eq!(standing, Ok(Standing::Checked), "{}", context());
            }
            shared += usize::from(engine.cache.is_about(&system));
        }
    }
    assert!(shared > 1_000, "{shared} tasks left their graph behind");
}

/// The answer in turns that each list a few more states.
fn in_turns(engine: &Explicit, task: &Task) -> Answer {
    let mut prepared = engine.prepare(task).expect("taken");
    let mut budget = 200;
    loop {
        match prepared.answer(&Session::unlimited().with_budget(budget)) {
            Answer::Unknown(reason) if reason.stop() == Some(StopReason::Work) => budget += budget / 4,
            answer => return answer,
        }
    }
}

fn verdict(answer: &Answer) -> &'static str {
    match answer {
        Answer::Holds(_) => "holds",
        Answer::Fails(_) => "fails",
        Answer::Unknown(_) => "unknown",
    }
}

#[test]
fn reductions_do_not_change_the_answer() {
    let mut random = Random(3);
    let (mut holds, mut fails) = (0, 0);
    for round in 0..3_000 {
        let task = random::task(&mut random);
        let (answer, notes) = check(&task);
        let context = || format!("round {round}: {answer:?}\n{}", describe(&task));
        let engine = Explicit { reduce_beyond: 0, probes: false, ..Explicit::default() };
        let session = Session::unlimited();
        let reduced = engine.check(&task, &session).expect("taken");
        let mut reported = session.notes.into_inner().expect("nothing panicked");
        let before = reported.len();
        reported.retain(|note| !matches!(note, Note::Reduced(_) | Note::HoldsWithoutFairness));
        if reported.len() == before {
            continue;
        }
        let turned = in_turns(&engine, &task);
        assert_eq!(verdict(&turned), verdict(&reduced), "in turns {turned:?}, {}", context());
        if let Answer::Fails(_) = turned {
            let certified = certify(&task, turned);
            assert_eq!(certified.map(|c| c.standing()), Ok(Standing::Checked), "{}", context());
        }
        let certified = certify(&task, reduced.clone());
        match (&answer, &reduced) {
            (Answer::Holds(_), Answer::Holds(_)) => {
                holds += 1;
                reported.retain(|note| *note != Note::Unchecked(Unchecked::Reduced));
                assert_eq!(reported, notes, "{}", context());
            }
            (Answer::Fails(_), Answer::Fails(_)) => {
                fails += 1;
                assert_eq!(certified.map(|c| c.standing()), Ok(Standing::Checked), "{}", context());
            }
            _ => panic!("{reduced:?}, {}", context()),
        }
    }
    assert!(holds > 20 && fails > 20, "{holds} hold, {fails} fail");
}

#[test]
fn agrees_with_the_oracle_on_random_tasks() {
    let mut random = Random(1);
    let (mut holds, mut lassos, mut paths, mut faults, mut unrealisable) = (0, 0, 0, 0, 0);
    for round in 0..4_000 {
        let task = random::task(&mut random);
        let Ok(decision) = oracle::decide(&task, 20_000) else { continue };
        let (answer, notes) = check(&task);
        let context = || format!("round {round}: {answer:?}\n{}", describe(&task));
        match (&answer, decision.why) {
            (Answer::Holds(_), Why::Holds) => {
                holds += 1;
                let noted = notes.iter().any(|note| matches!(note, Note::Unrealisable(_)));
                assert_eq!(noted, decision.realisable == Some(false), "{}", context());
                unrealisable += usize::from(noted);
            }
            (Answer::Fails(Counterexample::Lasso(_)), Why::Fails) => lassos += 1,
            (Answer::Fails(Counterexample::Path(_)), Why::Fails | Why::Fault) => paths += 1,
            (Answer::Fails(Counterexample::Fault { .. }), Why::Fault) => faults += 1,
            (_, why) => panic!("the oracle says {why:?}, {}", context()),
        }
        if let Answer::Fails(_) = answer {
            let certified = certify(&task, answer.clone());
            let standing = certified.map(|certified| certified.standing());
            assert_eq!(standing, Ok(Standing::Checked), "{}", context());
        }
        assert_eq!(check(&task).0, answer, "the same task has the same answer");
    }
    let counts = [holds, lassos, paths, faults, unrealisable];
    assert!(counts.iter().zip([800, 800, 50, 100, 50]).all(|(count, least)| *count > least), "{counts:?}");
}

/// The negation of an LTL formula as the property of a file, written and read in the Hanoi format.
fn negated_in_a_file(task: &Task) -> Option<Task> {
    let instance = Arc::clone(task.subject.instance().expect("no open parameters"));
    let Kind::Ltl(formula) = ground::kind(&instance, &task.property.kind) else { return None };
    let automaton = translate(&Formula::Not(Box::new(formula)), &|_| false).expect("never told to give up");
    let names: Vec<String> = (0..automaton.atoms.len()).map(|number| format!("p{number}")).collect();
    let read = hoa::read(&hoa::write(&automaton, "not", &names)).expect("what was written can be read");
    Some(with_automaton(task, read, automaton.atoms))
}

fn with_automaton(task: &Task, automaton: Automaton<String>, atoms: Vec<Expr>) -> Task {
    let mut task = task.clone();
    task.property.kind =
        Kind::Never(Never { file: "not.hoa".to_owned(), automaton: Arc::new(automaton), atoms });
    task
}

/// Whether the engine finds that a task fails. The oracle must agree if it can decide, and the judge must accept the
/// evidence.
fn fails(task: &Task, context: &dyn Fn() -> String) -> bool {
    let (answer, _) = check(task);
    let fails = matches!(answer, Answer::Fails(_));
    if let Ok(decision) = oracle::decide(task, 20_000) {
        assert_eq!(fails, !decision.holds(), "{answer:?}, {decision:?}, {}", context());
    }
    if fails {
        let standing = certify(task, answer).map(|certified| certified.standing());
        assert_eq!(standing, Ok(Standing::Checked), "{}", context());
    }
    fails
}

#[test]
fn an_automaton_is_never_accepted_iff_the_formula_it_negates_holds() {
    let mut random = Random(3);
    let mut counts = [0, 0];
    for round in 0..3_000 {
        let task = random::task(&mut random);
        let Some(never) = negated_in_a_file(&task) else { continue };
        let context = || format!("round {round}\n{}", describe(&task));
        let fails = fails(&never, &context);
        assert_eq!(fails, matches!(check(&task).0, Answer::Fails(_)), "{}", context());
        counts[usize::from(fails)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

#[test]
fn agrees_with_the_oracle_on_random_automata() {
    let mut random = Random(4);
    let mut counts = [0, 0];
    for round in 0..3_000 {
        let task = random::task(&mut random);
        // The atoms are those of a formula; the automaton is arbitrary.
        let Some(Task { property: Property { kind: Kind::Never(Never { atoms, .. }), .. }, .. }) =
            negated_in_a_file(&task)
        else {
            continue;
        };
        let automaton = random_automaton(&mut random, atoms.len());
        let never = with_automaton(&task, automaton, atoms);
        counts[usize::from(fails(&never, &|| format!("round {round}\n{}", describe(&never))))] += 1;
    }
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

/// An automaton with nondeterminism, dead ends, several initial states and up to two marks.
fn random_automaton(random: &mut Random, atoms: usize) -> Automaton<String> {
    let (states, marks) = (1 + random.below(4), random.below(3) as usize);
    let edge = |random: &mut Random| {
        let mut cube = Cube::default();
        for atom in 0..atoms {
            match random.below(4) {
                0 => cube.positive.push(atom),
                1 => cube.negative.push(atom),
                _ => {}
            }
        }
        let marks = (0..marks).filter(|_| random.below(2) == 0).collect();
        Edge { cube, marks, target: random.below(states) as usize }
    };
    let edges = |random: &mut Random| (0..random.below(5)).map(|_| edge(random)).collect();
    Automaton {
        atoms: (0..atoms).map(|number| format!("p{number}")).collect(),
        initial: (0..states as usize).filter(|state| *state == 0 || random.below(4) == 0).collect(),
        states: (0..states).map(|_| edges(random)).collect(),
        marks,
    }
}

#[test]
fn an_automaton_that_accepts_nothing_is_noted() {
    let task = random::task(&mut Random(1));
    let dead_end = Automaton { initial: vec![0], states: vec![Vec::new()], ..Automaton::nothing(Vec::new()) };
    let (answer, notes) = check(&with_automaton(&task, dead_end, Vec::new()));
    assert!(matches!(answer, Answer::Holds(_)), "{answer:?}");
    assert!(notes.contains(&Note::EmptyAutomaton { file: "not.hoa".to_owned() }), "{notes:?}");
}

#[test]
fn an_approximate_search_never_says_holds_and_what_it_finds_is_there() {
    let mut random = Random(17);
    let [mut states, mut paths, mut prefixes, mut faults, mut nothing, mut not_by_paths, mut missed] = [0; 7];
    for round in 0..tasks(2_000) {
        let task = random::task(&mut random);
        let exact = check(&task).0;
        let context = || format!("round {round}: {exact:?}\n{}", describe(&task));
        let is_invariant = matches!(task.property.kind, Kind::Invariant(_));
        let engine = || Explicit { approximate: true, ..Explicit::default() };
        let mut all = 0;
        // All signatures, some bits for each state, and so few that most states are missed.
        for memory in [u64::MAX, 60_000, 1_000, 0] {
            let session = || Session::new(&|| None, &|_| {}, memory, 3);
            let answer = engine().check(&task, &session()).expect("taken");
            assert_eq!(engine().check(&task, &session()).expect("taken"), answer, "{}", context());
            match (&answer, &exact) {
                (Answer::Fails(Counterexample::Path(found)), Answer::Fails(shown)) => {
                    paths += usize::from(is_invariant);
                    prefixes += usize::from(!is_invariant);
                    if let (Counterexample::Path(shown), true, u64::MAX) = (shown, is_invariant, memory) {
                        assert_eq!(found.positions.len(), shown.positions.len(), "{}", context());
                    }
                }
                (Answer::Fails(Counterexample::Fault { .. }), Answer::Fails(_)) => faults += 1,
                (Answer::Unknown(Reason::NothingFound { count, stop, .. }), exact) => {
                    nothing += 1;
                    states += *count as usize;
                    assert_eq!(*stop, None);
                    let fails = is_invariant && verdict(exact) == "fails";
                    assert!(!fails || memory < u64::MAX, "{}", context());
                    all = all.max(*count);
                    missed += usize::from(*count < all);
                }
                (Answer::Unknown(Reason::NoPathShows), _) => not_by_paths += 1,
                // There is no room for the automaton.
                (Answer::Unknown(Reason::Stopped { stop: StopReason::Memory, .. }), _)
                    if !is_invariant && memory < 60_000 => {}
                _ => panic!("{answer:?}, {}", context()),
            }
            if let Answer::Fails(_) = answer {
                let certified = certify(&task, answer.clone());
                assert_eq!(certified.map(|c| c.standing()), Ok(Standing::Checked), "{}", context());
            }
            if memory == u64::MAX {
                assert_eq!(in_turns(&engine(), &task), answer, "in turns, {}", context());
            }
        }
    }
    let counts = [paths, prefixes, faults, nothing, not_by_paths, missed];
    assert!(states > 3_000, "{states} states");
    assert!(counts.iter().zip([300, 10, 100, 300, 300, 1]).all(|(n, least)| *n > least), "{counts:?}");
}

#[test]
fn a_dense_system_is_searched_as_any_other() {
    let mut random = Random(23);
    let (mut holds, mut fails, mut faults) = (0, 0, 0);
    for round in 0..tasks(3_000) {
        let task = random::task(&mut random);
        let instance = task.instance().expect("no open parameters");
        let is_invariant = matches!(task.property.kind, Kind::Invariant(_));
        if is_invariant || super::dense::initial_count(instance).is_none() {
            continue;
        }
        let plain =
            Explicit { reductions: false, probes: false, first_look: usize::MAX, ..Explicit::default() };
        let session = Session::unlimited();
        let listed = plain.check(&task, &session).expect("taken");
        let context = || format!("round {round}: {listed:?}\n{}", describe(&task));
        let engine =
            Explicit { evidence: 0, reduce_beyond: 0, cache: GraphCache::default(), ..plain.clone() };
        let dense_session = Session::unlimited();
        let dense = engine.check(&task, &dense_session).expect("taken");
        assert_eq!(verdict(&dense), verdict(&listed), "{dense:?}, {}", context());
        let counts = |session: &Session<'_>| ["states", "transitions"].map(|name| session.counted(name));
        match &dense {
            Answer::Fails(Counterexample::Fault { .. }) => faults += 1,
            Answer::Fails(_) => fails += 1,
            _ => {
                holds += 1;
                assert_eq!(counts(&dense_session), counts(&session), "{}", context());
            }
        }
        if let Answer::Fails(_) = dense {
            let certified = certify(&task, dense.clone());
            assert_eq!(certified.map(|c| c.standing()), Ok(Standing::Checked), "{}", context());
        }
        assert_eq!(verdict(&in_turns(&engine, &task)), verdict(&dense), "in turns, {}", context());
        let threads = Session::new(&|| None, &|_| {}, u64::MAX, 3);
        assert_eq!(engine.check(&task, &threads).expect("taken"), dense, "with threads, {}", context());
    }
    assert!(holds > 300 && fails > 300 && faults > 100, "{holds} hold, {fails} fail, {faults} faults");
}

/// How many random tasks a test tries: so many, or as many as are asked for.
fn tasks(usual: usize) -> usize {
    std::env::var("FAIRLY_TASKS").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}
