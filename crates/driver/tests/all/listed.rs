//! Proofs that show nothing must be refused: those that list states, and those made of diagrams (`diagrams`).
//!
//! *Forgeries*: good proofs, broken in many ways, and good proofs of one task handed in for another. Where the oracle
//! says that a property fails, the judge must refuse whatever it is shown. Where it holds, some breaks still leave a
//! proof, so only those are tried that certainly do not.
//!
//! *Mutants*: errors that an engine could have. A mutant is a way to misread the task: a guard, an update, the fairness,
//! the formula. The engine works on the misread task, and its answer is judged as one to the real task. A mutant is
//! caught if the judge refuses every *holds* of it that is wrong.
//!
//! `FAIRLY_TASKS` and `FAIRLY_SEED` choose how many models and which.

pub(crate) mod diagrams;
mod labels;
mod mutants;

use std::collections::BTreeMap;

use certify::Standing;
use certify::oracle::{self, Why};
use engines::{Engine, Explicit};
use model::packing::Packing;
use model::proof::{Listed, Reason, Tree};
use model::{Answer, Proof, Session, Task};
use mutants::mutants;

use crate::differential::generate;
use crate::differential::random::Random;

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

/// The tasks of a random model, each with the truth.
fn tasks(seed: u64, number: u64) -> Vec<(Task, Why)> {
    let source = generate::source(&mut Random::new(seed, number));
    let Some(model) = lang::load("random", &source, &[]).model else { return Vec::new() };
    let decided = |task: &Task| oracle::decide(task, LIMIT).ok().map(|decision| decision.why);
    model.checks.iter().filter_map(|check| Some((check.task.clone(), decided(&check.task)?))).collect()
}

fn proof(task: &Task) -> Option<Listed> {
    match Explicit::default().check(task, &Session::unlimited()) {
        Ok(Answer::Holds(Proof::Listed(proof))) => Some(*proof),
        _ => None,
    }
}

/// Whether the judge is convinced.
fn is_accepted(task: &Task, proof: Listed) -> bool {
    is_convincing(task, Proof::Listed(Box::new(proof)))
}

pub(crate) fn is_convincing(task: &Task, proof: Proof) -> bool {
    let certified = certify::certify(task, Answer::Holds(proof));
    certified.is_ok_and(|certified| certified.standing() == Standing::Checked)
}

/// Breaks a proof at random. It may still be one.
fn broken(random: &mut Random, proof: &Listed, words: usize) -> (&'static str, Listed) {
    let mut forged = proof.clone();
    let below = |random: &mut Random, bound: usize| random.below(bound.max(1));
    if !forged.labels.is_empty() && random.below(8) > 0 {
        let name = labels::broken(random, &mut forged);
        return (name, forged);
    }
    let tree = below(random, forged.trees.len());
    let kind = random.below(9);
    let name = match (kind, forged.trees.get_mut(tree)) {
        (0, Some(tree)) if tree.blocks.len() > 1 => {
            let (a, b) = (below(random, tree.blocks.len()), below(random, tree.blocks.len()));
            for address in &mut tree.addresses {
                *address = match *address {
                    same if same == a as u32 => b as u32,
                    same if same == b as u32 => a as u32,
                    other => other,
                };
            }
            "two blocks swapped"
        }
        (1, Some(tree)) if !tree.blocks.is_empty() => {
            let block = below(random, tree.blocks.len());
            tree.blocks[block].reason = match random.below(4) {
                0 => Reason::Trivial,
                1 => Reason::Accept(below(random, 3)),
                2 => Reason::Never(below(random, 4)),
                _ => Reason::Uncovered(Vec::new()),
            };
            "another reason"
        }
        (2, Some(tree)) if !tree.addresses.is_empty() => {
            let place = below(random, tree.addresses.len());
            tree.addresses[place] = Tree::OUTSIDE;
            "a product state dropped"
        }
        (3, Some(tree)) if !tree.addresses.is_empty() && !tree.blocks.is_empty() => {
            let place = below(random, tree.addresses.len());
            tree.addresses[place] = below(random, tree.blocks.len()) as u32;
            "a product state in another block"
        }
        (4, Some(tree)) if !tree.blocks.is_empty() => {
            let block = below(random, tree.blocks.len());
            tree.blocks[block].parent =
                [None, Some(below(random, tree.blocks.len()) as u32)][below(random, 2)];
            "a block elsewhere in the tree"
        }
        (5, Some(tree)) => {
            let steps = tree.blocks.iter_mut().filter_map(|block| match &mut block.reason {
                Reason::Uncovered(steps) if !steps.is_empty() => Some(steps),
                _ => None,
            });
            for steps in steps {
                let place = below(random, steps.len());
                steps[place].target ^= 1;
            }
            "a step that does not exist"
        }
        (6, Some(tree)) => {
            tree.blocks.iter_mut().for_each(|block| block.reason = Reason::Accept(0));
            "all blocks by one mark"
        }
        (7, _) => {
            forged.trees.reverse();
            "trees in another order"
        }
        _ => {
            let count = proof.states.len() / words;
            let state = below(random, count);
            if state < count {
                forged.states.drain(state * words..(state + 1) * words);
                for tree in &mut forged.trees {
                    let width = tree.addresses.len() / count;
                    tree.addresses.drain(state * width..(state + 1) * width);
                }
                for label in &mut forged.labels {
                    label.numbers.remove(state);
                }
            }
            "a state dropped"
        }
    };
    (name, forged)
}

#[test]
fn what_fails_is_never_accepted_and_what_lacks_a_state_neither() {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", 250), crate::setting("FAIRLY_SEED", 11));
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        let random = &mut Random::new(seed ^ 0x5eed, number);
        let tasks = tasks(seed, number);
        let proofs: Vec<(&Task, Listed)> =
            tasks.iter().filter_map(|(task, _)| proof(task).map(|proof| (task, proof))).collect();
        for (task, why) in &tasks {
            let words = task.instance().map_or(1, |instance| Packing::new(instance).words);
            for (other, good) in &proofs {
                if *why != Why::Holds {
                    // A good proof of something else, as it is and broken.
                    *tally.entry("of another task").or_default() += 1;
                    assert!(!is_accepted(task, good.clone()), "seed {seed}, model {number}");
                    for _ in 0..40 {
                        let (name, forged) = broken(random, good, words);
                        *tally.entry(name).or_default() += 1;
                        assert!(!is_accepted(task, forged), "seed {seed}, model {number}: {name}");
                    }
                } else if other.property == task.property && other.fairness == task.fairness {
                    assert!(is_accepted(task, good.clone()), "seed {seed}, model {number}: a good proof");
                    for (name, forged) in certainly_broken(good, words) {
                        *tally.entry(name).or_default() += 1;
                        assert!(!is_accepted(task, forged), "seed {seed}, model {number}: {name}");
                    }
                }
            }
        }
    }
    let forgeries: u64 = tally.values().sum();
    println!("seed {seed}: {forgeries} forgeries, none accepted: {tally:?}");
    assert!(forgeries > 8 * count, "{tally:?}");
    assert!(tally.get("two labels swapped").is_some_and(|labels| *labels > 0), "no labels: {tally:?}");
}

/// Breaks that leave no proof, whatever the task: all listed states and product states can be reached.
fn certainly_broken(good: &Listed, words: usize) -> Vec<(&'static str, Listed)> {
    let mut all = Vec::new();
    let mut push = |name: &'static str, change: &dyn Fn(&mut Listed)| {
        let mut forged = good.clone();
        change(&mut forged);
        all.push((name, forged));
    };
    let count = good.states.len() / words;
    if count > 1 {
        push("states out of order", &|forged| forged.states.rotate_left(words));
    }
    if count > 0 {
        push("the last state dropped", &|forged| {
            forged.states.truncate((count - 1) * words);
            for tree in &mut forged.trees {
                tree.addresses.truncate(tree.addresses.len() / count * (count - 1));
            }
            forged.labels.iter_mut().for_each(|label| label.numbers.truncate(count - 1));
        });
    }
    labels::certainly_broken(good, &mut push);
    for number in 0..good.trees.len() {
        push("an alternative dropped", &|forged| drop(forged.trees.remove(number)));
        let first = good.trees[number].addresses.iter().position(|address| *address != Tree::OUTSIDE);
        let Some(first) = first else { continue };
        push("no blocks", &|forged| forged.trees[number].blocks.clear());
        push("no product states", &|forged| forged.trees[number].addresses.fill(Tree::OUTSIDE));
        push("an address dropped", &|forged| {
            forged.trees[number].addresses.pop();
        });
        // A block that has another reason has an edge.
        if good.trees[number].blocks.iter().any(|block| block.reason != Reason::Trivial) {
            push("all trivial", &|forged| {
                forged.trees[number].blocks.iter_mut().for_each(|block| block.reason = Reason::Trivial);
            });
        }
        push("a product state dropped", &|forged| forged.trees[number].addresses[first] = Tree::OUTSIDE);
    }
    all
}

#[test]
fn mutants_of_the_engine_are_caught_by_the_judge() {
    caught(&|task| proof(task).map(|proof| Proof::Listed(Box::new(proof))), 300, 40);
}

/// Lets mutants of an engine work on random tasks that fail: the judge must refuse every proof. At least so many mutants
/// have one.
fn caught(prove: &dyn Fn(&Task) -> Option<Proof>, models: u64, least: usize) {
    let (count, seed) = (crate::setting("FAIRLY_TASKS", models), crate::setting("FAIRLY_SEED", 12));
    let mutants = mutants();
    let mut wrong: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        for (task, why) in tasks(seed, number) {
            if why == Why::Holds {
                continue;
            }
            for mutant in &mutants {
                // A mutant that was caught this often will be caught again.
                if wrong.get(&*mutant.name).is_some_and(|caught| *caught >= 20) {
                    continue;
                }
                let Some(proof) = (mutant.misread)(&task).and_then(|misread| prove(&misread)) else {
                    continue;
                };
                *wrong.entry(&mutant.name).or_default() += 1;
                assert!(!is_convincing(&task, proof), "seed {seed}, model {number}: {}", mutant.name);
            }
        }
    }
    let answers: u64 = wrong.values().sum();
    println!(
        "seed {seed}: {} of {} mutants said holds wrongly {answers} times, all refused",
        wrong.len(),
        mutants.len()
    );
    let harmless: Vec<&str> =
        mutants.iter().map(|m| m.name.as_str()).filter(|m| !wrong.contains_key(m)).collect();
    println!("without a wrong answer: {harmless:?}");
    assert!(wrong.len() >= least, "only {} mutants had a wrong answer: {wrong:?}", wrong.len());
}
