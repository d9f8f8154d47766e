//! Forged proofs made of diagrams, and mutants of the engine that writes them.

use std::collections::BTreeMap;

use certify::oracle::Why;
use engines::{Engine, Symbolic};
use model::proof::sure::Move;
use model::proof::{Demand, Elimination, Local, ProductSet, Root};
use model::{Answer, Proof, Session, Task};

use super::{caught, is_convincing, tasks};
use crate::differential::random::Random;

fn proof(task: &Task) -> Option<Local> {
    match Symbolic::default().check(task, &Session::unlimited()) {
        Ok(Answer::Holds(Proof::Diagrams(proof))) => Some(*proof),
        _ => None,
    }
}

fn is_accepted(task: &Task, proof: Local) -> bool {
    is_convincing(task, Proof::Diagrams(Box::new(proof)))
}

/// All eliminations.
fn eliminations(proof: &mut Local) -> Vec<&mut Vec<Elimination>> {
    let parts = proof.cases.iter_mut().flat_map(|case| &mut case.parts).map(|part| &mut part.eliminations);
    let all = parts.chain(proof.sure.iter_mut().flat_map(|sure| &mut sure.eliminations));
    all.filter(|all| !all.is_empty()).collect()
}

/// All moves.
fn moves(proof: &mut Local) -> Vec<&mut Vec<Move>> {
    let mut all = Vec::new();
    for sure in &mut proof.sure {
        all.push(&mut sure.moves);
        all.extend(sure.havens.iter_mut().flat_map(|haven| haven.goals.iter_mut().map(|(_, moves)| moves)));
    }
    all.retain(|moves| !moves.is_empty());
    all
}

/// All sets, or all but those of eliminations and moves.
fn sets(proof: &mut Local, all: bool) -> Vec<&mut Root> {
    let mut sets: Vec<&mut Root> = proof.invariants.iter_mut().collect();
    let mut lists = Vec::new();
    for case in &mut proof.cases {
        sets.extend(&mut case.reached);
        lists.extend(case.parts.iter_mut().map(|part| &mut part.eliminations));
    }
    for sure in &mut proof.sure {
        sets.extend([&mut sure.set, &mut sure.inner]);
        sets.extend(&mut sure.parts);
        lists.extend(&mut sure.eliminations);
        let mut moves = vec![&mut sure.moves];
        for haven in &mut sure.havens {
            sets.push(&mut haven.set);
            moves.extend(haven.goals.iter_mut().map(|(_, moves)| moves));
        }
        if all {
            sets.extend(moves.into_iter().flatten().map(|one| &mut one.from));
        }
    }
    for elimination in lists.into_iter().flatten().filter(|_| all) {
        match elimination {
            Elimination::Unmet { closed, removed, .. } | Elimination::Escaped { closed, removed, .. } => {
                sets.extend(closed);
                sets.extend(removed);
            }
            Elimination::Trimmed { removed } => sets.extend(removed),
        }
    }
    sets
}

/// Breaks sure sets at random.
fn broken_sure(random: &mut Random, forged: &mut Local) -> &'static str {
    let below = |random: &mut Random, bound: usize| random.below(bound.max(1));
    match random.below(6) {
        0 => {
            for all in moves(forged) {
                let (a, b) = (below(random, all.len()), below(random, all.len()));
                all.swap(a, b);
            }
            "two moves swapped"
        }
        1 => {
            for all in moves(forged) {
                all.remove(below(random, all.len()));
            }
            "a move dropped"
        }
        2 => {
            for all in moves(forged) {
                let place = below(random, all.len());
                let one = &mut all[place];
                match random.below(3) {
                    0 => one.action = below(random, 4),
                    1 => one.way = below(random, 3),
                    _ => one.meets = !one.meets,
                }
            }
            "another step of a move"
        }
        3 => {
            for haven in forged.sure.iter_mut().flat_map(|sure| &mut sure.havens) {
                let number = below(random, 3);
                haven.avoided.push(Demand::Requirement { number, values: Vec::new() });
            }
            "a requirement counts as avoided"
        }
        4 => {
            let (a, b) = (below(random, forged.sure.len()), below(random, forged.sure.len()));
            forged.sure.swap(a, b);
            "two sure sets swapped"
        }
        _ => {
            for haven in forged.sure.iter_mut().flat_map(|sure| &mut sure.havens) {
                haven.goals.pop();
            }
            "a requirement of a haven forgotten"
        }
    }
}

/// Breaks a proof at random. It may still be one.
pub(crate) fn broken(random: &mut Random, good: &Local) -> (&'static str, Local) {
    let mut forged = good.clone();
    let below = |random: &mut Random, bound: usize| random.below(bound.max(1));
    let nodes = forged.diagrams.nodes.len();
    if !forged.sure.is_empty() && random.below(2) == 0 {
        let name = broken_sure(random, &mut forged);
        return (name, forged);
    }
    let name = match random.below(9) {
        0 if nodes > 0 => {
            let node = &mut forged.diagrams.nodes[below(random, nodes)];
            std::mem::swap(&mut node.no, &mut node.yes);
            "the outcomes of a test swapped"
        }
        1 if nodes > 0 => {
            let place = below(random, nodes);
            let other = Root(below(random, place + 2) as u32);
            let node = &mut forged.diagrams.nodes[place];
            *[&mut node.no, &mut node.yes][below(random, 2)] = other;
            "a node leads elsewhere"
        }
        2 => {
            let other = Root(below(random, nodes + 2) as u32);
            let all = random.below(2) == 0;
            let mut sets = sets(&mut forged, all);
            let place = below(random, sets.len());
            if let Some(set) = sets.get_mut(place) {
                **set = other;
            }
            "another set"
        }
        3 => {
            for all in eliminations(&mut forged) {
                let (a, b) = (below(random, all.len()), below(random, all.len()));
                all.swap(a, b);
            }
            "two eliminations swapped"
        }
        4 => {
            for all in eliminations(&mut forged) {
                all.remove(below(random, all.len()));
            }
            "an elimination dropped"
        }
        5 => {
            for all in eliminations(&mut forged) {
                let place = below(random, all.len());
                if let Elimination::Unmet { demand, .. } = &mut all[place] {
                    let number = below(random, 3);
                    *demand = match random.below(2) {
                        0 => Demand::Mark(number),
                        _ => Demand::Requirement { number, values: Vec::new() },
                    };
                }
            }
            "another demand"
        }
        6 => {
            for one in eliminations(&mut forged).into_iter().flatten() {
                if let Elimination::Trimmed { removed } | Elimination::Unmet { removed, .. } = one {
                    let removed = std::mem::take(removed);
                    let everywhere = vec![Root::TRUE; removed.len()];
                    let closed = if random.below(2) == 0 { removed.clone() } else { everywhere };
                    let (action, way) = (below(random, 3), below(random, 2));
                    *one = Elimination::Escaped { action, way, closed, removed };
                }
            }
            "states are escaped from"
        }
        7 => {
            for part in forged.cases.iter_mut().flat_map(|case| &mut case.parts) {
                part.states.pop();
            }
            "a state of the automaton dropped"
        }
        _ => {
            let place = below(random, forged.cases.len());
            if place < forged.cases.len() {
                forged.cases[place].alternative ^= 1;
            }
            "a case of another alternative"
        }
    };
    (name, forged)
}

/// Breaks that leave no proof, whatever the task: all states of the sets can be reached.
fn certainly_broken(good: &Local) -> Vec<(&'static str, Local)> {
    let mut all = Vec::new();
    let mut push = |name: &'static str, change: &dyn Fn(&mut Local)| {
        let mut forged = good.clone();
        change(&mut forged);
        all.push((name, forged));
    };
    push("two invariants too many", &|forged| forged.invariants.extend([Root::TRUE; 9]));
    if good.invariants[0] == Root::FALSE {
        return all;
    }
    push("nothing is reachable", &|forged| forged.invariants[0] = Root::FALSE);
    if !good.cases.is_empty() {
        push("no cases", &|forged| forged.cases.clear());
        push("nothing is reached", &|forged| forged.cases[0].reached.fill(Root::FALSE));
    }
    for place in 0..eliminations(&mut good.clone()).len() {
        push("nothing is eliminated", &|forged| eliminations(forged)[place].clear());
        push("the last elimination dropped", &|forged| drop(eliminations(forged)[place].pop()));
    }
    for place in 0..moves(&mut good.clone()).len() {
        push("the last move dropped", &|forged| {
            moves(forged)[place].pop();
        });
        push("an action that does not exist", &|forged| moves(forged)[place][0].action = 1 << 20);
        push("a way that does not exist", &|forged| moves(forged)[place][0].way = 1 << 20);
    }
    for number in 0..good.sure.len() {
        push("a sure set dropped", &|forged| drop(forged.sure.remove(number)));
        push("a part dropped", &|forged| {
            forged.sure[number].parts.pop();
        });
        if !good.sure[number].havens.is_empty() {
            push("no havens", &|forged| forged.sure[number].havens.clear());
        }
        if good.sure[number].inner != Root::FALSE {
            push("nothing inside", &|forged| forged.sure[number].inner = Root::FALSE);
        }
    }
    all
}

#[test]
fn what_fails_is_never_accepted_and_what_lacks_an_elimination_neither() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 60), crate::setting("FAIRLY_SEED", 21));
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        let random = &mut Random::new(seed ^ 0x5eed, number);
        let tasks = tasks(seed, number);
        let proofs: Vec<(&Task, Local)> =
            tasks.iter().filter_map(|(task, _)| proof(task).map(|proof| (task, proof))).collect();
        for (task, why) in &tasks {
            for (other, good) in &proofs {
                if *why != Why::Holds {
                    *tally.entry("of another task").or_default() += 1;
                    assert!(!is_accepted(task, good.clone()), "seed {seed}, model {number}");
                    for _ in 0..40 {
                        let (name, forged) = broken(random, good);
                        *tally.entry(name).or_default() += 1;
                        assert!(!is_accepted(task, forged), "seed {seed}, model {number}: {name}");
                    }
                } else if other.property == task.property && other.fairness == task.fairness {
                    assert!(is_accepted(task, good.clone()), "seed {seed}, model {number}: a good proof");
                    for (name, forged) in certainly_broken(good) {
                        *tally.entry(name).or_default() += 1;
                        assert!(!is_accepted(task, forged), "seed {seed}, model {number}: {name}");
                    }
                }
            }
        }
    }
    let forgeries: u64 = tally.values().sum();
    println!("seed {seed}: {forgeries} forgeries with diagrams, none accepted: {tally:?}");
    assert!(forgeries > 5 * count, "{tally:?}");
    assert!(tally.get("the last move dropped").is_some_and(|moves| *moves > 0), "no sure sets: {tally:?}");
}

/// A task in which each run that violates the property takes `a` or `b` for ever, unless there is `c`.
fn mixes(guard: &str) -> Task {
    let source = format!(
        "shared x: bool;
        process P {{ action a {{ skip; }} action b {{ skip; }} action c when {guard} {{ x = !x; }} }}
        property mixes:
            F (taken(P.a) && X !(taken(P.a) || taken(P.c)) || taken(P.b) && X !(taken(P.b) || taken(P.c)))
            under global;"
    );
    lang::load("mixes", &source, &[]).model.expect("a model").checks.remove(0).task
}

#[test]
fn what_is_escaped_from_in_one_component_needs_that_component() {
    let (holds, fails) = (mixes("x"), mixes("true"));
    let good = proof(&holds).expect("it holds");
    let closed = |proof: &mut Local| -> Vec<ProductSet> {
        let mut found = Vec::new();
        for one in eliminations(proof).into_iter().flatten() {
            if let Elimination::Escaped { closed, .. } = one {
                found.push(closed.clone());
            }
        }
        found
    };
    assert!(
        closed(&mut good.clone()).iter().flatten().any(|set| *set != Root::TRUE),
        "no component was needed"
    );
    assert!(is_accepted(&holds, good.clone()));
    let mut forged = good.clone();
    for one in eliminations(&mut forged).into_iter().flatten() {
        if let Elimination::Escaped { closed, .. } = one {
            closed.fill(Root::TRUE);
        }
    }
    assert!(!is_accepted(&holds, forged), "a component is everything");
    let mut forged = good.clone();
    for one in eliminations(&mut forged).into_iter().flatten() {
        if let Elimination::Escaped { removed, .. } = one {
            removed.fill(Root::TRUE);
        }
    }
    assert!(!is_accepted(&holds, forged), "more is removed than is closed");
    for seed in 0..400 {
        let (name, forged) = broken(&mut Random::new(seed, 0), &good);
        assert!(!is_accepted(&fails, forged), "{name}");
    }
}

#[test]
fn mutants_of_the_symbolic_engine_are_caught_by_the_judge() {
    let prove = |task: &Task| proof(task).map(|proof| Proof::Diagrams(Box::new(proof)));
    caught(&prove, 60, 38);
}
