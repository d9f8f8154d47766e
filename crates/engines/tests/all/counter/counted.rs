//! Counted proofs: what the judge accepts for every number of processes is true of each small number, and the reference
//! counting semantics covers every step of every small instance.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use certify::Standing;
use certify::oracle::{self, Why};
use engines::Engine;
use model::counting::{Counting, Rule, Sum, Trouble};
use model::instance::Environment;
use model::proof::{Counted, Reason, Tree};
use model::{Answer, Instance, Position, Proof, Session, Task, semantics, setting};

#[path = "../../../../driver/tests/all/listed/mutants.rs"]
mod mutants;

use super::generate::{self, Random};
use super::permits;
use super::{counter, tasks};

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 5_000;

fn models() -> u64 {
    crate::setting("FAIRLY_TASKS", 12)
}

fn seed() -> u64 {
    crate::setting("FAIRLY_SEED", 55)
}

fn is_accepted(task: &Task, proof: Counted) -> bool {
    let certified = certify::certify(task, Answer::Holds(Proof::Counted(Box::new(proof))));
    certified.is_ok_and(|certified| certified.standing() == Standing::Checked)
}

/// The examples, without those that are claimed because they need orders or tickets. They take most of the time.
fn examples() -> Vec<String> {
    let is_claimed = |path: &Path| {
        let claimed = ["szymanski", "bakery", "ticket_lock"];
        path.file_stem().is_some_and(|name| claimed.iter().any(|claimed| name == *claimed))
    };
    let folder = format!("{}/../../examples/counter", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("examples").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths.retain(|path| !is_claimed(path));
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// Whether some instance with few processes violates the property.
fn fails_somewhere(task: &Task) -> bool {
    (1..=4i64).any(|value| {
        let values = vec![value; task.system().parameters.len()];
        let members: Vec<Vec<i64>> =
            if task.property.binders.is_empty() { vec![vec![]] } else { (0..=4).map(|k| vec![k]).collect() };
        members.iter().any(|member| {
            let Some(small) = setting::set(task, &values, member) else { return false };
            oracle::decide(&small, LIMIT).is_ok_and(|decision| decision.why != Why::Holds)
        })
    })
}

/// Breaks a proof at random. It may still be one.
fn broken(random: &mut Random, good: &Counted) -> Counted {
    let mut forged = good.clone();
    let argument = random.below(forged.arguments.len().max(1) as u64) as usize;
    if !forged.sums.is_empty() && random.below(3) == 0 {
        let place = random.below(forged.sums.len() as u64) as usize;
        let sum = &mut forged.sums[place];
        match random.below(4) {
            0 => sum.total += 1,
            1 => sum.values.iter_mut().for_each(|(_, weight)| *weight += 1),
            2 => {
                sum.letters.iter_mut().flat_map(|own| own.values_mut()).for_each(|weight| *weight = -*weight);
            }
            _ => drop(forged.sums.remove(place)),
        }
        return forged;
    }
    if !forged.tallies.is_empty() && random.below(3) == 0 {
        let place = random.below(forged.tallies.len() as u64) as usize;
        let tally = &mut forged.tallies[place];
        match random.below(4) {
            0 => tally.constant += 1,
            1 => drop(tally.letters.pop_first()),
            2 => tally.letters.extend([vec![random.below(4) as i64]]),
            _ => drop(forged.tallies.remove(place)),
        }
        return forged;
    }
    match (random.below(7), forged.arguments.get_mut(argument)) {
        (0, Some(argument)) if !argument.tree.blocks.is_empty() => {
            let block = random.below(argument.tree.blocks.len() as u64) as usize;
            argument.tree.blocks[block].reason = match random.below(3) {
                0 => Reason::Trivial,
                1 => Reason::Accept(random.below(2) as usize),
                _ => Reason::Never(random.below(argument.rules.len() as u64 + 1) as usize),
            };
        }
        (1, Some(argument)) if !argument.rules.is_empty() => {
            let rule = random.below(argument.rules.len() as u64) as usize;
            argument.rules[rule] = match random.below(4) {
                0 => Rule::Same(random.below(2) as usize),
                1 => Rule::Named(random.below(2) as usize),
                2 => Rule::Somebody(random.below(2) as usize),
                _ => Rule::Flow(0, BTreeSet::new()),
            };
        }
        (2, Some(argument)) if !argument.tree.addresses.is_empty() => {
            let place = random.below(argument.tree.addresses.len() as u64) as usize;
            argument.tree.addresses[place] = Tree::OUTSIDE;
        }
        (3, Some(argument)) => argument.tree.addresses.fill(Tree::OUTSIDE),
        (4, Some(argument)) => argument.tree.addresses.reverse(),
        (5, _) => forged.arguments.clear(),
        _ => {
            let count = forged.states.len();
            if count > 0 {
                let state = random.below(count as u64) as usize;
                forged.states.remove(state);
                for argument in &mut forged.arguments {
                    let width = argument.tree.addresses.len() / count;
                    argument.tree.addresses.drain(state * width..(state + 1) * width);
                }
            }
        }
    }
    forged
}

#[test]
fn what_is_judged_for_every_n_is_true_of_small_n_and_what_fails_is_refused() {
    let (mut judged, mut claimed, mut forgeries, mut liveness, mut with_sums) = (0, 0, 0, 0, 0);
    let mut with_tallies = 0;
    let random = &mut Random(seed());
    let mut texts = examples();
    texts.extend(
        (0..models())
            .map(|number| if number % 2 == 0 { generate::model(random) } else { permits::model(random) }),
    );
    for text in texts {
        let tasks = tasks(&text);
        let mut good = Vec::new();
        for task in &tasks {
            let engine = counter();
            let Ok(Answer::Holds(proof)) = engine.check(task, &Session::unlimited()) else { continue };
            let Proof::Counted(counted) = proof else {
                claimed += 1;
                continue;
            };
            assert!(is_accepted(task, (*counted).clone()), "a good proof of {}:\n{text}", task.property.name);
            judged += 1;
            liveness += usize::from(!counted.arguments.is_empty());
            with_sums += usize::from(!counted.sums.is_empty());
            with_tallies += usize::from(!counted.tallies.is_empty());
            assert!(!fails_somewhere(task), "{} is false:\n{text}", task.property.name);
            if !counted.states.is_empty() {
                let mut forged = (*counted).clone();
                forged.states.clear();
                forged.arguments.iter_mut().for_each(|argument| argument.tree.addresses.clear());
                assert!(!is_accepted(task, forged), "nothing is listed for {}:\n{text}", task.property.name);
                forgeries += 1;
            }
            good.push(*counted);
        }
        for task in tasks.iter().filter(|task| fails_somewhere(task)) {
            for proof in &good {
                assert!(
                    !is_accepted(task, proof.clone()),
                    "of another task, for {}:\n{text}",
                    task.property.name
                );
                for _ in 0..10 {
                    assert!(!is_accepted(task, broken(random, proof)), "{}:\n{text}", task.property.name);
                }
                forgeries += 11;
            }
        }
    }
    println!(
        "{judged} proofs for every N judged, {liveness} of liveness, {with_sums} with sums, {with_tallies} with tallies, {claimed} claimed; {forgeries} forgeries, none accepted"
    );
    assert!(
        judged > 20 && liveness > 5 && forgeries > 20 && with_sums > 0 && with_tallies > 3,
        "{judged} {liveness} {forgeries} {with_sums} {with_tallies}"
    );
}

/// Two permits, and a property that is true only because there are two.
const PERMITS: &str = "
    param N >= 2;
    shared free: 0..2 = 2;
    process P[i: 1..N] {
        loop {
            rest: stay;
            wait: when free > 0 { free = free - 1; }
            crit: skip;
            exit: free = free + 1;
        }
    }
    fairness weak P;
    invariant two: count(i in 1..N: P[i]@crit) <= 2;
    property passed_on: G (free == 0 -> F free > 0);
    invariant one: count(i in 1..N: P[i]@crit) <= 1;
    invariant full: free > 0;";

#[test]
fn a_proof_with_sums_is_judged_and_none_is_accepted_if_a_sum_is_wrong() {
    let tasks = tasks(PERMITS);
    let mut with_sums = 0;
    for task in &tasks[..2] {
        let Ok(Answer::Holds(Proof::Counted(proof))) = counter().check(task, &Session::unlimited()) else {
            panic!("{} has a proof", task.property.name);
        };
        assert!(is_accepted(task, (*proof).clone()), "{}", task.property.name);
        if proof.sums.is_empty() {
            // The bound of its counts tells enough.
            continue;
        }
        with_sums += 1;
        for forge in [
            |proof: &mut Counted| proof.sums.clear(),
            |proof: &mut Counted| proof.sums[0].total += 1,
            |proof: &mut Counted| proof.sums[0].values.clear(),
            |proof: &mut Counted| proof.sums[0].letters.clear(),
            |proof: &mut Counted| proof.sums[0].values.push((7, 1)),
            |proof: &mut Counted| drop(proof.states.remove(0)),
        ] {
            let mut forged = (*proof).clone();
            forge(&mut forged);
            assert!(!is_accepted(task, forged), "{}", task.property.name);
        }
        // A sum that is in truth not constant, so large that it would exclude what matters.
        let mut forged = (*proof).clone();
        forged.sums.push(Sum { letters: vec![[(vec![3], 1)].into()], ..Sum::default() });
        assert!(!is_accepted(task, forged), "{}", task.property.name);
        for wrong in &tasks[2..] {
            assert!(!is_accepted(wrong, (*proof).clone()), "{}", wrong.property.name);
        }
    }
    assert!(with_sums > 0, "some property needs the sum");
}

/// A barrier that counts who has arrived, and a semaphore that counts who has not.
const TALLIES: &str = "
    param N >= 2;
    shared arrived: 0..N;
    shared left: 0..N = N;
    shared open: bool;
    process P[i: 1..N] {
        come: atomic { arrived += 1; left = left - 1; if arrived == N { open = true; } }
        wait: await open;
        go:   skip;
        halt;
    }
    fairness weak P;
    invariant complete: open -> arrived == N && left == 0;
    property all[i: 1..N]: F P[i]@end;
    invariant never: arrived + 1 <= N;
    property stuck: G !open;";

#[test]
fn numbers_of_processes_are_judged_and_refused_if_they_are_others() {
    let tasks = tasks(TALLIES);
    for task in &tasks[..2] {
        let Ok(Answer::Holds(Proof::Counted(proof))) = counter().check(task, &Session::unlimited()) else {
            panic!("{} has a proof", task.property.name);
        };
        assert_eq!(proof.tallies.len(), 2);
        assert!(is_accepted(task, (*proof).clone()), "{}", task.property.name);
        for forge in [
            |proof: &mut Counted| proof.tallies.clear(),
            |proof: &mut Counted| drop(proof.tallies.pop()),
            |proof: &mut Counted| proof.tallies[0].constant += 1,
            |proof: &mut Counted| drop(proof.tallies[0].letters.pop_first()),
            |proof: &mut Counted| proof.tallies[1].letters.extend([vec![1]]),
            |proof: &mut Counted| proof.tallies[0].family = 1,
            |proof: &mut Counted| proof.tallies[0].variable = 2,
            |proof: &mut Counted| proof.tallies[0].variable = 77,
            |proof: &mut Counted| proof.tallies.swap_remove(0).letters.clear(),
            |proof: &mut Counted| proof.tallies.push(proof.tallies[0].clone()),
            |proof: &mut Counted| drop(proof.states.remove(0)),
        ] {
            let mut forged = (*proof).clone();
            forge(&mut forged);
            assert!(!is_accepted(task, forged), "{}", task.property.name);
        }
        for wrong in &tasks[2..] {
            assert!(!is_accepted(wrong, (*proof).clone()), "{}", wrong.property.name);
        }
    }
}

/// A variable whose value is looked at in another way is no number of processes for the judge, and neither is one that is
/// set.
#[test]
fn a_number_of_processes_is_only_compared_and_added_to() {
    let system = |step: &str, guard: &str| {
        format!(
            "param N >= 2; shared n: 0..N; shared k: 0..1;
             process P[i: 1..N] {{ a: {step}; b: await {guard}; halt; }}
             invariant p: n <= N;"
        )
    };
    for (step, guard, is_judged) in [
        ("n += 1", "n >= 1", true),
        ("n += 1", "n < N + 1", true),
        ("n += 1", "n + 1 > 1", true),
        ("n = 1 + n", "n == N", true),
        ("n += 1", "n == k", false),
        ("n += 1", "2 * n > 0", false),
        ("n += k", "n >= 0", false),
        ("n = 1", "n >= 1", false),
    ] {
        for task in tasks(&system(step, guard)) {
            let answer = counter().check(&task, &Session::unlimited());
            let proof =
                if let Ok(Answer::Holds(Proof::Counted(proof))) = answer { Some(*proof) } else { None };
            assert_eq!(proof.is_some(), is_judged, "{step}; {guard}");
            if let Some(proof) = proof {
                assert!(is_accepted(&task, proof), "{step}; {guard}");
            }
        }
    }
}

#[test]
fn mutants_of_the_engine_are_caught_by_the_judge() {
    let random = &mut Random(seed() + 2);
    let mutants = mutants::mutants();
    let mut wrong: BTreeMap<&str, u64> = BTreeMap::new();
    let mut texts = examples();
    texts.extend(
        (0..models())
            .map(|number| if number % 2 == 0 { generate::model(random) } else { permits::model(random) }),
    );
    for text in texts {
        for task in tasks(&text).iter().filter(|task| fails_somewhere(task)) {
            for mutant in &mutants {
                // A mutant that was caught this often will be caught again.
                if wrong.get(&*mutant.name).is_some_and(|caught| *caught >= 2) {
                    continue;
                }
                let Some(misread) = (mutant.misread)(task) else { continue };
                let Ok(Answer::Holds(Proof::Counted(proof))) =
                    counter().check(&misread, &Session::unlimited())
                else {
                    continue;
                };
                *wrong.entry(&mutant.name).or_default() += 1;
                assert!(!is_accepted(task, *proof), "{}: {}\n{text}", mutant.name, task.property.name);
            }
        }
    }
    let answers: u64 = wrong.values().sum();
    println!(
        "seed {}: {} of {} mutants said holds wrongly {answers} times, all refused",
        seed(),
        wrong.len(),
        mutants.len()
    );
    assert!(wrong.len() >= 30, "only {} mutants had a wrong answer: {wrong:?}", wrong.len());
}

#[test]
fn the_steps_of_every_small_instance_are_covered() {
    let mut covered = 0;
    let random = &mut Random(seed() + 1);
    let mut texts = examples();
    texts.extend(
        (0..models())
            .map(|number| if number % 2 == 0 { generate::model(random) } else { permits::model(random) }),
    );
    for text in texts {
        for task in tasks(&text) {
            let (tallies, raise) = match counter().check(&task, &Session::unlimited()) {
                Ok(Answer::Holds(Proof::Counted(proof))) => (proof.tallies, proof.raise),
                _ => (Vec::new(), random.below(3) as u32),
            };
            let Ok(counting) = Counting::new(&task, &tallies, raise) else { continue };
            let Ok(initial) = counting.initial() else { continue };
            for value in 1..=5 {
                let values = vec![value; task.system().parameters.len()];
                let Some(system) = setting::system(task.system(), &values) else { continue };
                let instance = Instance::new(Arc::new(system)).expect("a small instance");
                let named = task.property.binders.first().map(|binder| {
                    let mut environment = Environment::default();
                    let lo = semantics::rigid(&binder.span.lo, &mut environment).expect("a number");
                    environment.bind(binder.index, lo);
                    environment
                });
                let mut states: Vec<_> =
                    model::initial::initial_states(&instance).filter_map(Result::ok).take(100).collect();
                for state in &states {
                    assert!(initial.contains(&counting.counts(&instance, state)), "{state:?}:\n{text}");
                }
                let mut next = 0;
                while next < states.len() {
                    let state = states[next].clone();
                    next += 1;
                    let Ok(steps) = semantics::steps(&instance, &state) else { break };
                    let counts = counting.counts(&instance, &state);
                    let view = match counting.view(&counts) {
                        // Nothing is judged where counts do not tell which of two numbers is greater.
                        Err(Trouble::Unbalanced) => break,
                        other => other.expect("no trouble").expect("counts of a state"),
                    };
                    for step in steps {
                        let after = counting.counts(&instance, &step.target);
                        let atoms: Vec<bool> = atoms(&task, &values)
                            .iter()
                            .map(|atom| {
                                let position = Position { state: state.clone(), label: step.label };
                                let environment = &mut named.clone().unwrap_or_default();
                                semantics::step_predicate_in(&instance, atom, &position, environment)
                                    .expect("no fault")
                            })
                            .collect();
                        let is_image = |own: &&model::counting::Move| {
                            let first = counting.atoms().len() - atoms.len();
                            let truths =
                                counting.atoms().skip(first).map(|a| view.holds(a, own).expect("no fault"));
                            own.targets.contains(&after) && truths.eq(atoms.iter().copied())
                        };
                        assert!(view.steps.iter().any(|own| is_image(&own)), "{state:?} {step:?}:\n{text}");
                        covered += 1;
                        if states.len() < 150 && !states.contains(&step.target) {
                            states.push(step.target);
                        }
                    }
                }
            }
        }
    }
    println!("{covered} steps are covered");
    assert!(covered > 2_000, "{covered}");
}

/// The atoms of a property, with these values of the parameters.
fn atoms(task: &Task, values: &[i64]) -> Vec<model::Expr> {
    task.property.kind.atoms().into_iter().map(|atom| setting::expression(atom, values)).collect()
}

/// A process that goes through many local states, some of which look at other processes.
fn long_way(places: usize) -> String {
    use std::fmt::Write;
    let mut text = "param N >= 2; process P[i: 1..N] { loop {\n".to_owned();
    for place in 0..places {
        let step = match place % 3 {
            1 => "await exists j in 1..N: !P[j]@a0;".to_owned(),
            2 => format!("either {{ skip; }} or {{ skip; goto a{}; }}", place - 1),
            _ => "skip;".to_owned(),
        };
        let _ = writeln!(text, "a{place}: {step}");
    }
    text + "}} fairness weak P;
        property begun: G ((forall i in 1..N: P[i]@a0) -> F exists i in 1..N: P[i]@a1);
        invariant few: count(i in 1..N: P[i]@a0) <= 2 || !(forall i in 1..N: P[i]@a1);"
}

#[test]
fn many_local_states_are_judged_because_most_are_counted_to_one() {
    for task in tasks(&long_way(10)) {
        let answer = counter().check(&task, &Session::unlimited());
        let Ok(Answer::Holds(Proof::Counted(proof))) = answer else { panic!("{answer:?}") };
        let numbers = || proof.states.iter().flat_map(|counts| &counts.numbers).flatten();
        let most = numbers().map(|(_, number)| *number).max();
        // Only those at `a0` are counted to three by the invariant.
        let expected = if proof.arguments.is_empty() { 3 } else { 1 };
        assert_eq!(most, Some(expected), "{}", task.property.name);
        let others = numbers().filter(|(letter, _)| letter[0] != 0).map(|(_, number)| *number);
        assert_eq!(others.max(), Some(1), "{}", task.property.name);
        assert!(is_accepted(&task, (*proof).clone()), "{}", task.property.name);
        let lower = Counted { raise: proof.raise + 1, ..*proof };
        assert!(!is_accepted(&task, lower), "counts up to a lower bound: {}", task.property.name);
    }
}

/// Why the bound is two where an event makes a requirement false: with one process in each local state nobody stays behind
/// when that one acts, and `somebody does not act` would never be true.
#[test]
fn who_does_not_act_is_seen_beside_who_acts() {
    let text = "
        param N >= 2;
        process P[i: 1..N] { loop { a: skip; b: skip; } }
        fairness for i in 1..N: compassion (P[i]@a && !taken(P[i]), false);
        property never: G (exists i in 1..N: P[i]@a);
        property moves: F exists i in 1..N: P[i]@b;";
    for task in tasks(text) {
        let answer = counter().check(&task, &Session::unlimited()).expect("taken");
        let fails = fails_somewhere(&task);
        match certify::certify(&task, answer).expect("good evidence").answer() {
            Answer::Holds(_) => assert!(!fails, "{}", task.property.name),
            Answer::Fails(_) => assert!(fails, "{}", task.property.name),
            Answer::Unknown(_) => {}
        }
    }
}
