//! Random systems: good proofs are checked, and everything that is checked is true.

use std::collections::BTreeMap;

use certify::Standing;
use certify::oracle::{self, Why};
use model::proof::{Demand, Elimination, Local, Node, ProductSet, Root, Test};
use model::{ProcessId, Task};

use super::generator::{No, Style, prove};
use super::random::Random;
use super::{generate, judged, setting};

/// Limit on tableau nodes. Beyond it the oracle is not asked.
const LIMIT: usize = 20_000;

/// A proof with one thing changed.
fn mutated(local: &Local, random: &mut Random) -> Local {
    let mut local = local.clone();
    let roots = local.diagrams.nodes.len() as u32 + 2;
    match random.below(9) {
        0 => {
            let process = random.below(local.invariants.len().max(1));
            if let Some(root) = local.invariants.get_mut(process) {
                *root = Root(random.below(roots as usize) as u32);
            }
        }
        1 | 2 if !local.diagrams.nodes.is_empty() => {
            let number = random.below(local.diagrams.nodes.len());
            let Node { test, no, yes } = local.diagrams.nodes[number];
            let other = Root(random.below(number + 2) as u32);
            local.diagrams.nodes[number] = match random.below(4) {
                0 => Node { test, no: yes, yes: no },
                1 => Node { test, no: other, yes },
                2 => Node { test, no, yes: other },
                _ => Node { test: Test::Exposed(random.below(local.exposed.len().max(1))), no, yes },
            };
        }
        3 if !local.exposed.is_empty() => {
            let (a, b) = (random.below(local.exposed.len()), random.below(local.exposed.len()));
            local.exposed.swap(a, b);
        }
        kind => {
            let cases = local.cases.len();
            if cases == 0 {
                return local;
            }
            if kind == 4 && random.chance(20) {
                local.cases.remove(random.below(cases));
                return local;
            }
            let case = &mut local.cases[random.below(cases)];
            if kind == 5 {
                replace(&mut case.reached, roots, random);
                return local;
            }
            if let Some(class) = &mut case.class
                && random.chance(20)
            {
                class.unowned ^= random.chance(50);
                class.mark = None;
                class.processes.pop();
                class.processes.extend(random.chance(50).then_some(ProcessId(0)));
                return local;
            }
            let parts = case.parts.len();
            let Some(part) = case.parts.get_mut(random.below(parts.max(1))) else { return local };
            let count = part.eliminations.len();
            if random.chance(10) {
                part.states.pop();
            } else if count > 0 {
                let (a, b) = (random.below(count), random.below(count));
                match random.below(4) {
                    0 => {
                        part.eliminations.remove(a);
                    }
                    1 => part.eliminations.swap(a, b),
                    _ => match &mut part.eliminations[a] {
                        Elimination::Trimmed { removed } => replace(removed, roots, random),
                        Elimination::Escaped { closed, removed, .. } => match random.below(3) {
                            0 => replace(closed, roots, random),
                            1 => replace(removed, roots, random),
                            _ => removed.clone_from(closed),
                        },
                        Elimination::Unmet { demand, closed, removed } => match random.below(4) {
                            0 => replace(closed, roots, random),
                            1 => replace(removed, roots, random),
                            2 => removed.clone_from(closed),
                            _ => *demand = Demand::Mark(0),
                        },
                    },
                }
            }
        }
    }
    local
}

fn replace(set: &mut ProductSet, roots: u32, random: &mut Random) {
    if !set.is_empty() {
        let state = random.below(set.len());
        set[state] = Root(random.below(roots as usize) as u32);
    }
}

fn style(random: &mut Random) -> Style {
    let exposed = if random.chance(50) { None } else { Some(random.below(2)) };
    Style { exposed, classes: random.chance(40), grown: random.chance(50), forge: false }
}

fn checked(task: &Task, local: &Local) -> bool {
    matches!(judged(task, local), Ok(Standing::Checked))
}

#[test]
fn good_proofs_are_checked_and_what_is_checked_holds() {
    let (count, seed) = (setting("FAIRLY_TASKS", 150), setting("FAIRLY_SEED", 2026));
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        let random = &mut Random::new(seed, number);
        let source = generate::source(random);
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        let tasks: Vec<Task> = model.checks.into_iter().map(|check| check.task).collect();
        for task in &tasks {
            let Ok(decision) = oracle::decide(task, LIMIT) else { continue };
            let holds = decision.holds();
            let style = style(random);
            let context =
                || format!("seed {seed}, model {number}, `{}`, {style:?}\n{source}", task.property.name);
            match prove(task, style) {
                Ok(local) => {
                    assert!(holds, "the generator proves what is false: {}", context());
                    let verdict = judged(task, &local);
                    assert_eq!(verdict, Ok(Standing::Checked), "{}", context());
                    *tally.entry("good proofs").or_default() += 1;
                    if style.exposed.is_some() {
                        *tally.entry("with few exposed").or_default() += 1;
                    }
                    // A changed proof of a true property may still be right. But it must not prove another property, or
                    // the same under another fairness, if that is false.
                    for other in &tasks {
                        let Ok(decision) = oracle::decide(other, LIMIT) else { continue };
                        if checked(other, &local) {
                            assert!(decision.holds(), "about `{}`: {}", other.property.name, context());
                            *tally.entry("proofs of another property too").or_default() += 1;
                        } else {
                            *tally.entry("refused for another property").or_default() += 1;
                        }
                    }
                    let mutant = mutated(&local, random);
                    let word = if checked(task, &mutant) { "mutants checked" } else { "mutants refused" };
                    *tally.entry(word).or_default() += 1;
                }
                // A property that holds only by strong global fairness has no local proof.
                Err(No::Left)
                    if style.exposed.is_none() && !task.fairness.alternatives.iter().any(|a| a.global) =>
                {
                    assert!(!holds, "no proof: {}", context());
                }
                Err(No::Fault) if style.exposed.is_none() => {
                    assert_eq!(decision.why, Why::Fault, "{}", context());
                }
                Err(_) => *tally.entry("no proof").or_default() += 1,
            }
            if holds {
                continue;
            }
            let Ok(forged) = prove(task, Style { forge: true, ..style }) else { continue };
            let mut forged = forged;
            for _ in 0..6 {
                assert!(!checked(task, &forged), "a forgery is checked: {}\n{forged:?}", context());
                *tally.entry("forgeries refused").or_default() += 1;
                forged = mutated(&forged, random);
            }
        }
    }
    eprintln!("seed {seed}, {count} models: {tally:?}");
    for word in ["good proofs", "with few exposed", "mutants refused", "mutants checked", "forgeries refused"]
    {
        assert!(tally.get(word).is_some_and(|count| *count > 20), "{word}: {tally:?}");
    }
}
