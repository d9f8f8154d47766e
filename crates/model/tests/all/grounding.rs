//! Grounding preserves values and faults, in every state and on every step.

use std::sync::Arc;

use model::automaton::Automaton;
use model::expr::{Operator, Party};
use model::fairness::{Fairness, Word};
use model::instance::Environment;
use model::property::{Kind, Never, Paths};
use model::system::{Action, Family, Participant, System};
use model::{
    ActionId, Ctl, Expr, FamilyId, Fault, Formula, Index, Instance, Label, Pattern, Requirement, ground,
    semantics,
};

use crate::workshop::{
    B, F, I, J, K, P, R, Random, W, X, Y, binder, instance, int, random_bool, random_position, random_state,
    read,
};

fn is_ground(expr: &Expr) -> bool {
    !expr.any(&mut |expr| matches!(expr, Expr::Index(_) | Expr::Quantified(..)))
}

#[test]
fn a_ground_expression_has_the_same_value_and_the_same_fault() {
    let instance = instance();
    let mut random = Random(11);
    let (mut values, mut faults) = ([0, 0], 0);
    for round in 0..20_000 {
        let mut scope = vec![I, J];
        let depth = 1 + random.below(4);
        let expr = random_bool(&mut random, &mut scope, depth);
        let mut environment = Environment::default();
        environment.bind(I, random.between(1, 2));
        environment.bind(J, random.between(3, 5));
        let ground = ground::expression(&instance, &expr, &mut environment.clone());
        assert!(is_ground(&ground), "round {round}: {expr:?}\n{ground:?}");
        for _ in 0..4 {
            let position = random_position(&mut random, &instance);
            let expected = semantics::step_predicate_in(&instance, &expr, &position, &mut environment);
            let found = semantics::step_predicate(&instance, &ground, &position);
            assert_eq!(found, expected, "round {round}: {expr:?}\n{ground:?}\n{position:?}");
            match expected {
                Ok(value) => values[usize::from(value)] += 1,
                Err(_) => faults += 1,
            }
        }
    }
    assert!(values[0] > 5000 && values[1] > 5000 && faults > 5000, "{values:?} {faults}");
}

/// The instance as a system again, with each of its actions written out without indices.
fn flattened(instance: &Instance) -> System {
    let mut system = (*instance.system).clone();
    let everything = FamilyId(system.families.len() as u32);
    system.families.push(Family { name: "Everything".to_owned(), index: None, location: None });
    system.actions = (0..instance.actions.len() as u32)
        .map(ActionId)
        .map(|action| Action {
            participants: vec![Participant {
                family: everything,
                index: None,
                only: None,
                label: instance.action(action).name.clone(),
            }],
            parameters: Vec::new(),
            guard: ground::guard(instance, action),
            update: ground::update(instance, action),
        })
        .collect();
    system
}

#[test]
fn ground_actions_have_the_same_successors_and_faults() {
    let instance = instance();
    let flat = Instance::new(Arc::new(flattened(&instance))).expect("an instance");
    assert_eq!(flat.actions.len(), instance.actions.len());
    let mut random = Random(12);
    let (mut enabled, mut several, mut faults) = (0, 0, 0);
    for _ in 0..3000 {
        let state = random_state(&mut random, &instance);
        for action in (0..instance.actions.len() as u32).map(ActionId) {
            let expected = semantics::successors(&instance, &state, action);
            assert_eq!(
                semantics::successors(&flat, &state, action),
                expected,
                "{} in {state:?}",
                instance.action(action).name
            );
            match expected {
                Ok(targets) => {
                    enabled += usize::from(!targets.is_empty());
                    several += usize::from(targets.len() > 1);
                }
                Err(_) => faults += 1,
            }
        }
    }
    assert!(enabled > 1000 && several > 100 && faults > 100, "{enabled} {several} {faults}");
}

/// The truth of `when` and `then` of each member of a requirement, computed with environments.
fn members(
    instance: &Instance,
    requirement: &Requirement,
    position: &model::Position,
) -> Vec<[Result<bool, Fault>; 2]> {
    let mut environments = vec![Environment::default()];
    for binder in &requirement.binders {
        let mut extended = Vec::new();
        for mut environment in environments {
            let lo = semantics::rigid(&binder.span.lo, &mut environment).expect("a span");
            let hi = semantics::rigid(&binder.span.hi, &mut environment).expect("a span");
            extended.extend((lo..=hi).map(|value| {
                let mut environment = environment.clone();
                environment.bind(binder.index, value);
                environment
            }));
        }
        environments = extended;
    }
    environments
        .into_iter()
        .map(|mut environment| {
            [&requirement.when, &requirement.then]
                .map(|part| semantics::step_predicate_in(instance, part, position, &mut environment))
        })
        .collect()
}

#[test]
fn ground_fairness_drops_only_what_asks_for_nothing() {
    let instance = instance();
    let y = |process: Expr| read(Y, Some(process), Vec::new());
    let nested = vec![
        binder(I, 1, 2),
        model::Binder { index: R, span: model::Span { lo: Box::new(Expr::Index(I)), hi: Box::new(int(2)) } },
    ];
    let justice = Requirement::justice(Expr::eq(y(Expr::Index(I)), Expr::Index(R)), nested);
    let division = Expr::binary(Operator::Div, int(1), y(Expr::Index(K)));
    let compassion =
        Requirement::compassion(read(B, None, Vec::new()), Expr::eq(division, int(1)), vec![binder(K, 1, 2)]);
    let dynamic = Pattern {
        participants: vec![Party {
            family: P,
            process: Some(Box::new(read(X, None, Vec::new()))),
            label: None,
        }],
        arguments: None,
    };
    let mut all = vec![justice, compassion];
    for word in [Word::Unconditional, Word::Weak, Word::Strong] {
        all.push(Requirement::of(word, dynamic.clone(), Vec::new()));
        for fairness in
            [Fairness::every_action(&instance.system, word), Fairness::every_process(&instance.system, word)]
        {
            all.extend(fairness.alternatives.into_iter().flat_map(|assumption| assumption.requirements));
        }
    }
    let mut random = Random(13);
    let (mut kept, mut dropped) = (0, 0);
    for requirement in all {
        let ground = ground::fairness(&instance, &Fairness::all_of(vec![requirement.clone()]));
        let ground = &ground.alternatives[0].requirements;
        assert!(ground.iter().all(|r| r.binders.is_empty() && is_ground(&r.when) && is_ground(&r.then)));
        for _ in 0..200 {
            let position = random_position(&mut random, &instance);
            let expected = members(&instance, &requirement, &position);
            let found: Vec<_> = ground
                .iter()
                .map(|r| [&r.when, &r.then].map(|part| semantics::step_predicate(&instance, part, &position)))
                .collect();
            if expected.len() == found.len() {
                assert_eq!(found, expected, "{requirement:?}");
                kept += 1;
            } else {
                // A requirement that is left out is met in this state, and the others keep their order.
                let mut rest = found.into_iter().peekable();
                for member in expected {
                    if rest.peek() == Some(&member) {
                        rest.next();
                    } else {
                        // An action that does not exist is never taken, so nothing is required of it.
                        let is_of_nothing =
                            requirement.word == Word::Unconditional && member == [Ok(true), Ok(false)];
                        assert!(
                            is_of_nothing || member[0] == Ok(false) || member[1] == Ok(true),
                            "{requirement:?} {member:?}"
                        );
                        dropped += 1;
                    }
                }
                assert_eq!(rest.next(), None);
            }
        }
    }
    assert!(kept > 1000 && dropped > 100, "{kept} {dropped}");
}

#[test]
fn formulas_are_unrolled_to_conjunctions_and_disjunctions() {
    let instance = instance();
    let w = |process: Expr| Expr::eq(read(W, Some(process), Vec::new()), int(1));
    let j = || Expr::Index(J);
    let ltl = Formula::Forall(
        binder(J, 3, 4),
        Box::new(Formula::Globally(Box::new(Formula::Exists(
            binder(I, 1, 1),
            Box::new(Formula::Until(
                Box::new(Formula::Atom(w(j()))),
                Box::new(Formula::Atom(Expr::eq(j(), Expr::Index(I)))),
            )),
        )))),
    );
    let member = |value: i64| {
        let until = Formula::Until(
            Box::new(Formula::Atom(w(int(value)))),
            Box::new(Formula::Atom(Expr::Bool(false))),
        );
        Formula::Globally(Box::new(Formula::Or(vec![until])))
    };
    assert_eq!(ground::kind(&instance, &Kind::Ltl(ltl)), Kind::Ltl(Formula::And(vec![member(3), member(4)])));
    let inside = Ctl::Next(Paths::Some, Box::new(Ctl::Atom(w(j()))));
    let ctl = Ctl::Exists(binder(J, 3, 4), Box::new(inside));
    let member = |value: i64| Ctl::Next(Paths::Some, Box::new(Ctl::Atom(w(int(value)))));
    assert_eq!(ground::kind(&instance, &Kind::Ctl(ctl)), Kind::Ctl(Ctl::Or(vec![member(3), member(4)])));
    let exists = |value: Expr| {
        Expr::Quantified(model::Quantifier::Exists, binder(J, 3, 3), Box::new(Expr::and([w(j()), value])))
    };
    let never = |atom: Expr| {
        let automaton = Arc::new(Automaton::nothing(vec!["p".to_owned()]));
        Kind::Never(Never { file: "bad.hoa".to_owned(), automaton, atoms: vec![atom] })
    };
    assert_eq!(ground::kind(&instance, &never(exists(Expr::Bool(true)))), never(w(int(3))));
    let none =
        Kind::Invariant(Expr::Quantified(model::Quantifier::Forall, binder(J, 5, 4), Box::new(w(j()))));
    assert_eq!(ground::kind(&instance, &none), Kind::Invariant(Expr::Bool(true)));
}

#[test]
fn reads_are_the_cells_that_matter() {
    let instance = instance();
    let mut random = Random(14);
    let mut influenced = 0;
    for round in 0..4000 {
        let expr = random_bool(&mut random, &mut Vec::new(), 3);
        if expr.any(&mut |expr| matches!(expr, Expr::Taken(_) | Expr::Enabled(_))) {
            continue;
        }
        let ground = ground::expression(&instance, &expr, &mut Environment::default());
        let reads = ground::reads(&instance, &ground);
        let mut position = random_position(&mut random, &instance);
        position.label = Label::Idle;
        let before = semantics::step_predicate(&instance, &ground, &position);
        let other = random_state(&mut random, &instance);
        for cell in 0..instance.cells.len() {
            let mut changed = position.clone();
            changed.state.0[cell] = other.0[cell];
            if semantics::step_predicate(&instance, &ground, &changed) != before {
                influenced += 1;
                assert!(
                    reads.contains(&cell),
                    "round {round}: {ground:?} reads {}",
                    instance.cells[cell].name
                );
            }
        }
    }
    assert!(influenced > 300, "{influenced}");
    let third = read(F, None, vec![Expr::Sum(vec![int(1), Expr::Index(Index(0))])]);
    let mut environment = Environment::default();
    environment.bind(I, 2);
    let ground = ground::expression(&instance, &Expr::eq(third, int(0)), &mut environment);
    let name = |cell: usize| instance.cells[cell].name.as_str();
    assert_eq!(ground::reads(&instance, &ground).into_iter().map(name).collect::<Vec<_>>(), ["f[3]"]);
}
