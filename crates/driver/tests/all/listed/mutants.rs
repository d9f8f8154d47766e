//! Mutants: errors that an engine could have, each a way to misread a task.

use std::sync::Arc;

use model::expr::Operator;
use model::fairness::{Assumption, Requirement, Word};
use model::property::{Kind, Paths};
use model::system::{Action, Initial, Update};
use model::{Ctl, Expr, Fairness, Formula, System, Task};

/// A way in which an engine could misread a task, and its name.
pub(crate) struct Mutant {
    pub(crate) name: String,
    pub(crate) misread: Misread,
}

/// The task as an engine reads it; `None` if this makes no difference.
pub(crate) type Misread = Box<dyn Fn(&Task) -> Option<Task>>;

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

/// All of them.
pub(crate) fn mutants() -> Vec<Mutant> {
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
    let branching = |change: fn(&Ctl) -> Option<Ctl>| {
        Box::new(move |task: &Task| {
            let mut task = task.clone();
            let Kind::Ctl(formula) = &mut task.property.kind else { return None };
            *formula = everywhere_ctl(formula, &change);
            Some(task)
        }) as Misread
    };
    add(
        "a CTL formula is negated".to_owned(),
        Box::new(|task| {
            let mut task = task.clone();
            let Kind::Ctl(formula) = &mut task.property.kind else { return None };
            *formula = Ctl::Not(Box::new(formula.clone()));
            Some(task)
        }),
    );
    add(
        "`EG` is read as `EF`".to_owned(),
        branching(|f| match f {
            Ctl::Globally(paths, a) => Some(Ctl::Finally(*paths, a.clone())),
            _ => None,
        }),
    );
    add(
        "`AF` is read as `EF`".to_owned(),
        branching(|f| match f {
            Ctl::Finally(_, a) => Some(Ctl::Finally(Paths::Some, a.clone())),
            _ => None,
        }),
    );
    add(
        "`EF` is always true".to_owned(),
        branching(|f| match f {
            Ctl::Finally(Paths::Some, _) => Some(Ctl::Atom(Expr::Bool(true))),
            _ => None,
        }),
    );
    add(
        "`AX` is read as `EX`".to_owned(),
        branching(|f| match f {
            Ctl::Next(_, a) => Some(Ctl::Next(Paths::Some, a.clone())),
            _ => None,
        }),
    );
    add(
        "`U` of CTL is read as `W`".to_owned(),
        branching(|f| match f {
            Ctl::Until(paths, a, b) => Some(Ctl::WeakUntil(*paths, a.clone(), b.clone())),
            _ => None,
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
    change(formula).unwrap_or_else(|| formula.map(&mut |part| everywhere(part, change)))
}

/// The CTL formula with every part replaced that `change` applies to.
fn everywhere_ctl(formula: &Ctl, change: &dyn Fn(&Ctl) -> Option<Ctl>) -> Ctl {
    change(formula).unwrap_or_else(|| formula.map(&mut |part| everywhere_ctl(part, change)))
}
