//! Listed proofs that show nothing must be refused.
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

#[path = "differential/generate.rs"]
mod generate;
#[path = "differential/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::sync::Arc;

use certify::Standing;
use certify::oracle::{self, Why};
use engines::{Engine, Explicit};
use model::expr::Operator;
use model::fairness::{Assumption, Requirement, Word};
use model::packing::Packing;
use model::proof::{Listed, Reason, Tree};
use model::property::Kind;
use model::system::{Action, Initial, Update};
use model::{Answer, Expr, Fairness, Formula, Proof, Session, System, Task};
use random::Random;

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

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
    let answer = Answer::Holds(Proof::Listed(Box::new(proof)));
    certify::certify(task, answer).is_ok_and(|certified| certified.standing() == Standing::Checked)
}

/// Breaks a proof at random. It may still be one.
fn broken(random: &mut Random, proof: &Listed, words: usize) -> (&'static str, Listed) {
    let mut forged = proof.clone();
    let below = |random: &mut Random, bound: usize| random.below(bound.max(1));
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
            }
            "a state dropped"
        }
    };
    (name, forged)
}

#[test]
fn what_fails_is_never_accepted_and_what_lacks_a_state_neither() {
    let (count, seed) = (setting("FAIRLY_TASKS", 250), setting("FAIRLY_SEED", 11));
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
        });
    }
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

/// A way in which an engine could misread a task, and its name.
struct Mutant {
    name: String,
    misread: Misread,
}

/// The task as an engine reads it; `None` if this makes no difference.
type Misread = Box<dyn Fn(&Task) -> Option<Task>>;

fn with_system(task: &Task, change: impl FnOnce(&mut System)) -> Option<Task> {
    let mut system = (**task.system()).clone();
    change(&mut system);
    Task::new(Arc::new(system), task.fairness.clone(), task.property.clone()).ok()
}

/// The expression with the `n`-th part that `change` applies to replaced.
fn replaced(expr: &Expr, n: &mut usize, change: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
    if let Some(other) = change(expr) {
        if *n == 0 {
            *n = usize::MAX;
            return other;
        }
        *n = n.saturating_sub(usize::from(*n != usize::MAX));
    }
    expr.map(&mut |part| replaced(part, n, change))
}

fn mutants() -> Vec<Mutant> {
    let mut all: Vec<Mutant> = Vec::new();
    let mut add = |name: String, misread: Misread| all.push(Mutant { name, misread });
    // Steps that are lost, or lead elsewhere.
    for n in 0..4 {
        let lost = move |task: &Task| {
            with_system(task, |system| {
                if let Some(action) = system.actions.get_mut(n) {
                    action.guard = Expr::and([action.guard.clone(), Expr::Bool(false)]);
                }
            })
        };
        add(format!("action {n} is never enabled"), Box::new(lost));
        let without = move |task: &Task| {
            with_system(task, |system| {
                if let Some(action) = system.actions.get_mut(n) {
                    action.update = Update::Skip;
                }
            })
        };
        add(format!("the update of action {n} is lost"), Box::new(without));
        let guard = move |task: &Task| {
            with_system(task, |system| {
                if let Some(action) = system.actions.get_mut(n) {
                    action.guard = Expr::Bool(true);
                }
            })
        };
        add(format!("the guard of action {n} is ignored"), Box::new(guard));
        let last = move |task: &Task| {
            with_system(task, |system| {
                if let Some(Action { update: Update::Sequence(parts), .. }) = system.actions.get_mut(n) {
                    parts.pop();
                }
            })
        };
        add(format!("the last assignment of action {n} is lost"), Box::new(last));
        let first = move |task: &Task| {
            with_system(task, |system| {
                system.actions.iter_mut().for_each(|action| one_choice(&mut action.update, n));
            })
        };
        add(format!("of a choice only branch {n} is taken"), Box::new(first));
    }
    for (from, to) in [
        (Operator::Lt, Operator::Le),
        (Operator::Le, Operator::Lt),
        (Operator::Gt, Operator::Ge),
        (Operator::Ge, Operator::Gt),
        (Operator::Eq, Operator::Ne),
        (Operator::Ne, Operator::Eq),
        (Operator::Eq, Operator::Le),
        (Operator::Eq, Operator::Ge),
        (Operator::Sub, Operator::Mul),
    ] {
        for n in 0..2 {
            let misread = move |task: &Task| {
                let change = |expr: &Expr| match expr {
                    Expr::Binary(operator, a, b) if *operator == from => {
                        Some(Expr::Binary(to, a.clone(), b.clone()))
                    }
                    _ => None,
                };
                with_system(task, |system| {
                    let mut count = n;
                    for action in &mut system.actions {
                        action.guard = replaced(&action.guard, &mut count, &change);
                    }
                })
            };
            add(format!("{from:?} number {n} of the guards is read as {to:?}"), Box::new(misread));
        }
    }
    add(
        "initial states are lost".to_owned(),
        Box::new(|task| {
            with_system(task, |system| {
                for variable in &mut system.variables {
                    match &mut variable.initial {
                        Initial::Any => variable.initial = Initial::Among(vec![Expr::Int(0)]),
                        Initial::Among(values) => values.truncate(1),
                        Initial::Elements(_) => {}
                    }
                }
            })
        }),
    );
    // Fairness that is not assumed.
    let fair = |change: fn(&mut Assumption)| {
        Box::new(move |task: &Task| {
            let mut task = task.clone();
            task.fairness.alternatives.iter_mut().for_each(change);
            Some(task)
        }) as Misread
    };
    add("runs are globally fair".to_owned(), fair(|assumption| assumption.global = true));
    add(
        "`when` is ignored".to_owned(),
        fair(|assumption| {
            assumption.requirements.iter_mut().for_each(|r| (r.when, r.of) = (Expr::Bool(true), None));
        }),
    );
    add(
        "weak is read as strong".to_owned(),
        fair(|assumption| {
            for requirement in &mut assumption.requirements {
                if let (Word::Weak, Some(of)) = (requirement.word, requirement.of.clone()) {
                    *requirement = Requirement::of(Word::Strong, of, requirement.binders.clone());
                }
            }
        }),
    );
    add(
        "weak is read as unconditional".to_owned(),
        fair(|assumption| {
            for requirement in &mut assumption.requirements {
                if let (Word::Weak | Word::Strong, Some(of)) = (requirement.word, requirement.of.clone()) {
                    *requirement = Requirement::of(Word::Unconditional, of, requirement.binders.clone());
                }
            }
        }),
    );
    for n in 0..3 {
        add(
            format!("`then` of requirement {n} is never met"),
            Box::new(move |task| {
                let mut task = task.clone();
                for assumption in &mut task.fairness.alternatives {
                    if let Some(requirement) = assumption.requirements.get_mut(n) {
                        (requirement.then, requirement.of) = (Expr::Bool(false), None);
                    }
                }
                Some(task)
            }),
        );
        add(
            format!("alternative {n} is skipped"),
            Box::new(move |task| {
                let mut task = task.clone();
                (n < task.fairness.alternatives.len()).then(|| {
                    task.fairness.alternatives[n] = Assumption {
                        requirements: vec![Requirement::justice(Expr::Bool(false), Vec::new())],
                        global: false,
                    };
                    task
                })
            }),
        );
    }
    for (name, word) in [("weak", Word::Weak), ("strong", Word::Strong)] {
        add(
            format!("all actions are {name}ly fair"),
            Box::new(move |task| {
                let all = Fairness::every_action(task.system(), word);
                let fairness = task.fairness.and(&all);
                Some(Task { fairness, ..task.clone() })
            }),
        );
        add(
            format!("all processes are {name}ly fair"),
            Box::new(move |task| {
                let all = Fairness::every_process(task.system(), word);
                let fairness = task.fairness.and(&all);
                Some(Task { fairness, ..task.clone() })
            }),
        );
    }
    // Another property.
    let claims = |change: fn(&Formula) -> Formula| {
        Box::new(move |task: &Task| {
            let mut task = task.clone();
            let Kind::Ltl(formula) = &mut task.property.kind else { return None };
            *formula = change(formula);
            Some(task)
        }) as Misread
    };
    add("the formula is negated".to_owned(), claims(|f| Formula::Not(Box::new(f.clone()))));
    add(
        "a mark is ignored".to_owned(),
        claims(|f| {
            everywhere(f, &|g| match g {
                Formula::Until(a, b) => Some(Formula::WeakUntil(a.clone(), b.clone())),
                Formula::Finally(_) => Some(Formula::Atom(Expr::Bool(true))),
                _ => None,
            })
        }),
    );
    add(
        "`G` is read as `F`".to_owned(),
        claims(|f| {
            everywhere(f, &|g| match g {
                Formula::Globally(a) => Some(Formula::Finally(a.clone())),
                _ => None,
            })
        }),
    );
    add(
        "`X` is skipped".to_owned(),
        claims(|f| {
            everywhere(f, &|g| match g {
                Formula::Next(a) => Some((**a).clone()),
                _ => None,
            })
        }),
    );
    add(
        "`U` is read as `F`".to_owned(),
        claims(|f| {
            everywhere(f, &|g| match g {
                Formula::Until(_, b) => Some(Formula::Finally(b.clone())),
                _ => None,
            })
        }),
    );
    add(
        "`&&` is read as `||`".to_owned(),
        claims(|f| {
            everywhere(f, &|g| match g {
                Formula::And(parts) => Some(Formula::Or(parts.clone())),
                _ => None,
            })
        }),
    );
    add(
        "an implication is always true".to_owned(),
        claims(|f| {
            everywhere(f, &|g| match g {
                Formula::Implies(..) => Some(Formula::Atom(Expr::Bool(true))),
                _ => None,
            })
        }),
    );
    add(
        "the invariant is not tested".to_owned(),
        Box::new(|task| {
            let mut task = task.clone();
            let Kind::Invariant(predicate) = &mut task.property.kind else { return None };
            *predicate = Expr::Or(vec![Expr::Bool(true), predicate.clone()]);
            Some(task)
        }),
    );
    add(
        "an invariant is its first part".to_owned(),
        Box::new(|task| {
            let mut task = task.clone();
            let Kind::Invariant(predicate) = &mut task.property.kind else { return None };
            let Expr::And(parts) = predicate else { return None };
            *predicate = parts.first()?.clone();
            Some(task)
        }),
    );
    add(
        "a negated invariant".to_owned(),
        Box::new(|task| {
            let mut task = task.clone();
            let Kind::Invariant(predicate) = &mut task.property.kind else { return None };
            *predicate = Expr::negated(predicate.clone());
            Some(task)
        }),
    );
    all
}

/// Leaves one branch of every choice.
fn one_choice(update: &mut Update, n: usize) {
    match update {
        Update::Sequence(parts) => parts.iter_mut().for_each(|part| one_choice(part, n)),
        Update::If(_, yes, no) => [yes, no].into_iter().for_each(|part| one_choice(part, n)),
        Update::Either(branches) if n < branches.len() => *branches = vec![branches.swap_remove(n)],
        _ => {}
    }
}

/// The formula with every part replaced that `change` applies to.
fn everywhere(formula: &Formula, change: &dyn Fn(&Formula) -> Option<Formula>) -> Formula {
    if let Some(other) = change(formula) {
        return other;
    }
    let of = |part: &Formula| Box::new(everywhere(part, change));
    let all = |parts: &[Formula]| parts.iter().map(|part| everywhere(part, change)).collect();
    match formula {
        Formula::Atom(_) => formula.clone(),
        Formula::Not(a) => Formula::Not(of(a)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Implies(a, b) => Formula::Implies(of(a), of(b)),
        Formula::Next(a) => Formula::Next(of(a)),
        Formula::Finally(a) => Formula::Finally(of(a)),
        Formula::Globally(a) => Formula::Globally(of(a)),
        Formula::Until(a, b) => Formula::Until(of(a), of(b)),
        Formula::WeakUntil(a, b) => Formula::WeakUntil(of(a), of(b)),
        Formula::Release(a, b) => Formula::Release(of(a), of(b)),
        Formula::Previous(a) => Formula::Previous(of(a)),
        Formula::Once(a) => Formula::Once(of(a)),
        Formula::Historically(a) => Formula::Historically(of(a)),
        Formula::Since(a, b) => Formula::Since(of(a), of(b)),
        Formula::Forall(binder, a) => Formula::Forall(binder.clone(), of(a)),
        Formula::Exists(binder, a) => Formula::Exists(binder.clone(), of(a)),
    }
}

#[test]
fn mutants_of_the_engine_are_caught_by_the_judge() {
    let (count, seed) = (setting("FAIRLY_TASKS", 500), setting("FAIRLY_SEED", 12));
    let mutants = mutants();
    let mut wrong: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        for (task, why) in tasks(seed, number) {
            if why == Why::Holds {
                continue;
            }
            for mutant in &mutants {
                let Some(proof) = (mutant.misread)(&task).and_then(|misread| proof(&misread)) else {
                    continue;
                };
                *wrong.entry(&mutant.name).or_default() += 1;
                assert!(!is_accepted(&task, proof), "seed {seed}, model {number}: {}", mutant.name);
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
    assert!(wrong.len() >= 40, "only {} mutants had a wrong answer: {wrong:?}", wrong.len());
}
