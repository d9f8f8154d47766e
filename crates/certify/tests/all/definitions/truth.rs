//! The judge's evaluation of formulas on lassos.

use certify::{Flaw, Standing, certify};
use model::expr::{Binder, Party, Pattern, Span};
use model::property::Kind;
use model::{Answer, Counterexample, Expr, FamilyId, Formula, Index, Lasso};

use super::naive::{Alternative, every_lasso, holds, random_phi};
use super::worlds::{Random, World};

#[test]
fn a_formula_is_judged_as_on_the_unrolled_lasso() {
    let mut random = Random(1);
    let mut counts = [0, 0];
    for round in 0..600 {
        let (states, actions) = (2 + random.below(2), 1 + random.below(2));
        let world = World::random(&mut random, states, actions);
        let mut lassos = Vec::new();
        every_lasso(&world, 5, &mut |lasso| {
            lassos.push(lasso.clone());
            lassos.len() < 2000
        });
        for _ in 0..5 {
            let phi = random_phi(&mut random, &world, 3);
            let task = world.task(&[Alternative::default()], Kind::Ltl(world.formula(&phi)));
            for _ in 0..5 {
                let lasso = &lassos[random.below(lassos.len())];
                let expected = holds(&world, &phi, lasso, 0);
                counts[usize::from(expected)] += 1;
                let verdict = certify(&task, Answer::Fails(Counterexample::Lasso(lasso.clone())));
                match &verdict {
                    Ok(certified) => assert_eq!(certified.standing(), Standing::Checked),
                    Err(flaw) => assert_eq!(*flaw, Flaw::FormulaTrue, "round {round}"),
                }
                assert_eq!(verdict.is_err(), expected, "round {round}: {phi:?} on {lasso:?}");
            }
        }
    }
    assert!(counts[0] > 3000 && counts[1] > 3000, "{counts:?}");
}

#[test]
fn quantifiers_over_indices_are_unrolled() {
    let world = World::semaphore();
    let i = Index(0);
    let over = |span: Span| Binder { index: i, span };
    let acts = |process: Expr| {
        let party = Party { family: FamilyId(0), process: Some(Box::new(process)), label: None };
        let taken = Expr::Taken(Pattern { participants: vec![party], arguments: None });
        Formula::Globally(Box::new(Formula::Finally(Box::new(Formula::Atom(taken)))))
    };
    // P[1] stays in `idle` for ever.
    let state = world.initial[0].clone();
    let lasso = Lasso {
        positions: vec![model::Position { state, label: model::Label::Action(model::ActionId(0)) }],
        cycle: 0,
    };
    let judge = |formula: Formula| {
        let task = world.task(&[Alternative::default()], Kind::Ltl(formula));
        certify(&task, Answer::Fails(Counterexample::Lasso(lasso.clone()))).is_ok()
    };
    let body = || Box::new(acts(Expr::Index(i)));
    assert!(judge(Formula::Forall(over(Span::between(1, 2)), body())));
    assert!(!judge(Formula::Forall(over(Span::between(1, 1)), body())));
    assert!(!judge(Formula::Forall(over(Span::between(1, 0)), body())));
    assert!(!judge(Formula::Exists(over(Span::between(1, 2)), body())));
    assert!(judge(Formula::Exists(over(Span::between(2, 2)), body())));
    assert!(judge(Formula::Exists(over(Span::between(1, 0)), body())));
    // Reading P[3] is a fault, whatever the rest says.
    assert!(!judge(Formula::Exists(over(Span::between(1, 3)), body())));
    assert!(!judge(Formula::Not(Box::new(Formula::Exists(over(Span::between(1, 3)), body())))));
}
