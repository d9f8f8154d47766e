//! The reference automaton accepts exactly the runs that violate the formula.

use std::sync::Arc;

use certify::certify;
use model::instance::Instance;
use model::property::Kind;
use model::{Answer, Counterexample, Fairness, Lasso, Never, Position, Property, Task, semantics, tableau};

use super::generate;
use super::random::Random;
use super::setting;

/// A random run that ends in a cycle.
fn lasso(instance: &Instance, random: &mut Random) -> Option<Lasso> {
    let initial: Vec<_> = model::initial::initial_states(instance).take(20).collect::<Result<_, _>>().ok()?;
    let mut state = initial.get(random.below(initial.len().max(1)))?.clone();
    let mut positions: Vec<Position> = Vec::new();
    for _ in 0..60 {
        if let Some(cycle) = positions.iter().position(|position| position.state == state)
            && (random.chance(40) || positions.len() > 50)
        {
            return Some(Lasso { positions, cycle });
        }
        let steps = semantics::steps(instance, &state).ok()?;
        let step = steps[random.below(steps.len())].clone();
        positions.push(Position { state, label: step.label });
        state = step.target;
    }
    None
}

#[test]
fn it_accepts_a_lasso_iff_the_formula_is_false_on_it() {
    let (count, seed) = (setting("FAIRLY_TASKS", 400), setting("FAIRLY_SEED", 11));
    let mut outcomes = [0, 0];
    let mut largest = 0;
    for number in 0..count {
        let random = &mut Random::new(seed, number);
        let source = generate::source(random);
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        for task in model.checks.into_iter().map(|check| check.task) {
            let Ok(instance) = Instance::new(Arc::clone(task.system())) else { continue };
            let Kind::Ltl(_) = &task.property.kind else { continue };
            let automaton = tableau::violations(&instance, &task.property.kind).expect("small formulas");
            largest = largest.max(automaton.states.len());
            let names = (0..automaton.atoms.len()).map(|atom| format!("a{atom}")).collect();
            let never = Never {
                file: "reference".to_owned(),
                automaton: Arc::new(automaton.with_atoms(names)),
                atoms: automaton.atoms.clone(),
            };
            for _ in 0..4 {
                let Some(lasso) = lasso(&instance, random) else { continue };
                let refutes = |kind: Kind| {
                    let property = Property { kind, ..task.property.clone() };
                    let task = Task { property, fairness: Fairness::none(), subject: task.subject.clone() };
                    certify(&task, Answer::Fails(Counterexample::Lasso(lasso.clone())))
                };
                let expected = refutes(task.property.kind.clone());
                if matches!(expected, Err(certify::Flaw::Fault { .. })) {
                    continue;
                }
                let accepted = refutes(Kind::Never(never.clone()));
                assert_eq!(accepted.is_ok(), expected.is_ok(), "{source}\n{lasso:?}\n{automaton:?}");
                outcomes[usize::from(expected.is_ok())] += 1;
            }
        }
    }
    eprintln!("seed {seed}: {outcomes:?}, largest automaton {largest}");
    assert!(outcomes.iter().all(|count| *count > 50), "{outcomes:?}");
}
