//! Good evidence is broken in every way its type allows. The judge refuses everything that is no longer good.

use std::collections::BTreeMap;

use certify::{Flaw, certify};
use model::fairness::Word;
use model::property::Kind;
use model::{ActionId, Answer, Counterexample, Expr, Label, Lasso, Path, Position, State};

use super::naive::{
    Alternative, Atom, Demand, Phi, counterexample, is_counterexample, random_atom, random_fairness,
    random_phi,
};
use super::worlds::{Random, World};

/// All lassos that differ from a lasso in one place.
pub(crate) fn forgeries(world: &World, lasso: &Lasso) -> Vec<Lasso> {
    let count = lasso.positions.len();
    let mut forged = Vec::new();
    let mut change = |edit: &dyn Fn(&mut Lasso)| {
        let mut copy = lasso.clone();
        edit(&mut copy);
        forged.push(copy);
    };
    for k in 0..count {
        for state in world.steps.keys() {
            change(&|lasso| lasso.positions[k].state = state.clone());
        }
        for cell in 0..world.places.len() {
            for value in [-1, 7, i64::MIN, i64::MAX] {
                change(&|lasso| lasso.positions[k].state.0[cell] = value);
            }
        }
        change(&|lasso| lasso.positions[k].state.0.push(0));
        change(&|lasso| lasso.positions[k].state.0.truncate(world.places.len() - 1));
        change(&|lasso| lasso.positions[k].label = Label::Idle);
        for action in (0..10).chain([u32::MAX]) {
            change(&|lasso| lasso.positions[k].label = Label::Action(ActionId(action)));
        }
        change(&|lasso| drop(lasso.positions.remove(k)));
        change(&|lasso| lasso.positions.insert(k, lasso.positions[k].clone()));
        change(&|lasso| lasso.positions.truncate(k));
        for j in 0..k {
            change(&|lasso| lasso.positions.swap(j, k));
            change(&|lasso| {
                let label = lasso.positions[j].label;
                lasso.positions[j].label = lasso.positions[k].label;
                lasso.positions[k].label = label;
            });
        }
    }
    for cycle in (0..=count).chain([usize::MAX]) {
        change(&|lasso| lasso.cycle = cycle);
    }
    change(&|lasso| lasso.positions.reverse());
    change(&|lasso| {
        let again = lasso.positions[lasso.cycle..].to_vec();
        lasso.positions.extend(again);
    });
    forged
}

/// Judges all forgeries of a lasso, and counts the flaws by name, and those that are still good as `good`.
fn judge_forgeries(
    world: &World,
    fairness: &[Alternative],
    phi: &Phi,
    lasso: &Lasso,
    counts: &mut BTreeMap<String, usize>,
) {
    let task = world.task(fairness, Kind::Ltl(world.formula(phi)));
    for forged in forgeries(world, lasso).into_iter().chain([lasso.clone()]) {
        let verdict = certify(&task, Answer::Fails(Counterexample::Lasso(forged.clone())));
        let good = is_counterexample(world, fairness, phi, &forged);
        assert_eq!(verdict.is_ok(), good, "{verdict:?}\n{fairness:?}\n{phi:?}\n{forged:?}");
        let name = match verdict {
            Ok(_) => "good".to_owned(),
            Err(flaw) => {
                assert!(!flaw.to_string().is_empty());
                let text = format!("{flaw:?}");
                text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
            }
        };
        *counts.entry(name).or_default() += 1;
    }
}

#[test]
fn every_forged_lasso_is_refused_unless_it_is_another_counterexample() {
    let mut counts = BTreeMap::new();
    let mut found = 0;
    for seed in 0..400 {
        let mut random = Random(seed);
        let (states, actions) = (2 + random.below(3), 1 + random.below(3));
        let world = World::random(&mut random, states, actions);
        let fairness = random_fairness(&mut random, &world);
        let phi = random_phi(&mut random, &world, 2);
        let Some(lasso) = counterexample(&world, &fairness, &phi, 5) else { continue };
        found += 1;
        judge_forgeries(&world, &fairness, &phi, &lasso, &mut counts);
    }
    assert!(found > 100, "{found}");
    for flaw in [
        "good",
        "EmptyLasso",
        "CycleOutside",
        "WrongLength",
        "OutsideDomain",
        "NoSuchAction",
        "NotInitial",
        "NotEnabled",
        "NotDeadlocked",
        "WrongTarget",
        "NotClosed",
        "Unfair",
        "FormulaTrue",
    ] {
        assert!(counts.get(flaw).is_some_and(|count| *count > 20), "{flaw}: {counts:?}");
    }
}

#[test]
fn forged_lassos_of_the_semaphore_are_refused_unless_they_are_counterexamples() {
    let world = World::semaphore();
    let at = |process: usize, location: i64| Box::new(Phi::Atom(Atom::At(process, location)));
    let response = Phi::G(Box::new(Phi::Implies(at(1, 1), Box::new(Phi::F(at(1, 2))))));
    let weak = vec![Alternative {
        demands: vec![Demand::Of(Word::Weak, 8), Demand::Of(Word::Weak, 9)],
        global: false,
    }];
    let lasso = counterexample(&world, &weak, &response, 6).expect("weak fairness lets P[1] starve");
    let mut counts = BTreeMap::new();
    judge_forgeries(&world, &weak, &response, &lasso, &mut counts);
    assert!(counts["good"] >= 1 && counts["NotEnabled"] > 10 && counts["WrongTarget"] > 10, "{counts:?}");
}

#[test]
fn a_counterexample_to_one_task_is_judged_anew_for_another() {
    let mut counts = [0, 0];
    for seed in 1000..1200 {
        let mut random = Random(seed);
        let states = 2 + random.below(3);
        let world = World::random(&mut random, states, 2);
        let fairness = random_fairness(&mut random, &world);
        let phi = random_phi(&mut random, &world, 2);
        let Some(lasso) = counterexample(&world, &fairness, &phi, 5) else { continue };
        for _ in 0..20 {
            let (fairness, phi) = if random.chance(50) {
                (random_fairness(&mut random, &world), phi.clone())
            } else {
                (fairness.clone(), random_phi(&mut random, &world, 2))
            };
            let task = world.task(&fairness, Kind::Ltl(world.formula(&phi)));
            let verdict = certify(&task, Answer::Fails(Counterexample::Lasso(lasso.clone())));
            let good = is_counterexample(&world, &fairness, &phi, &lasso);
            assert_eq!(verdict.is_ok(), good, "seed {seed}: {verdict:?}\n{fairness:?}\n{phi:?}\n{lasso:?}");
            counts[usize::from(good)] += 1;
        }
    }
    assert!(counts[0] > 300 && counts[1] > 300, "{counts:?}");
}

#[test]
fn forged_paths_to_a_violated_invariant_are_refused() {
    let mut counts = [0, 0];
    for seed in 2000..2200 {
        let mut random = Random(seed);
        let (states, actions) = (2 + random.below(3), 1 + random.below(2));
        let world = World::random(&mut random, states, actions);
        let bad = loop {
            match random_atom(&mut random, &world) {
                Atom::Taken(_) | Atom::Not(_) => {}
                atom => break atom,
            }
        };
        let task = world.task(&[Alternative::default()], Kind::Invariant(Expr::negated(world.expr(&bad))));
        let is_good = |path: &Path| {
            let states: Vec<&State> = path.positions.iter().map(|p| &p.state).chain([&path.last]).collect();
            states.iter().all(|state| world.steps.contains_key(*state))
                && world.initial.contains(states[0])
                && path.positions.iter().enumerate().all(|(k, position)| {
                    world.steps[&position.state].contains(&(position.label, states[k + 1].clone()))
                })
                && super::naive::atom(&world, &bad, &path.last, Label::Idle)
        };
        // Every sequence of up to two positions over all states and a few labels, good and bad.
        let labels =
            [Label::Idle, Label::Action(ActionId(0)), Label::Action(ActionId(1)), Label::Action(ActionId(9))];
        let mut values: Vec<State> = world.steps.keys().cloned().collect();
        values.extend([State(vec![-1]), State(Vec::new()), State(vec![0, 0])]);
        let choices: Vec<Position> = values
            .iter()
            .flat_map(|state| labels.iter().map(|label| Position { state: state.clone(), label: *label }))
            .collect();
        let mut beginnings: Vec<Vec<Position>> = vec![Vec::new()];
        beginnings.extend(choices.iter().map(|position| vec![position.clone()]));
        beginnings
            .extend(choices.iter().map(|p| vec![p.clone(), choices[random.below(choices.len())].clone()]));
        for positions in beginnings {
            for last in &values {
                let path = Path { positions: positions.clone(), last: last.clone() };
                let good = is_good(&path);
                let verdict = certify(&task, Answer::Fails(Counterexample::Path(path.clone())));
                assert_eq!(verdict.is_ok(), good, "seed {seed}: {verdict:?} {bad:?} {path:?}");
                counts[usize::from(good)] += 1;
            }
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 300, "{counts:?}");
}

#[test]
fn evidence_of_the_wrong_kind_is_refused() {
    let world = World::graph(&[0], &[vec![vec![0]]]);
    let state = State(vec![0]);
    let position = Position { state: state.clone(), label: Label::Action(ActionId(0)) };
    let never = || Expr::Bool(false);
    let kinds = [
        Kind::Invariant(never()),
        Kind::Ltl(model::Formula::Atom(never())),
        // No single run can refute a claim about some run.
        Kind::Ctl(model::Ctl::Finally(model::property::Paths::Some, Box::new(model::Ctl::Atom(never())))),
    ];
    let evidence = [
        Counterexample::Path(Path { positions: Vec::new(), last: state.clone() }),
        Counterexample::Lasso(Lasso { positions: vec![position], cycle: 0 }),
        Counterexample::State(state),
    ];
    for (k, kind) in kinds.into_iter().enumerate() {
        let task = world.task(&[Alternative::default()], kind);
        for (e, evidence) in evidence.iter().enumerate() {
            let verdict = certify(&task, Answer::Fails(evidence.clone()));
            // A formula that is false at once is refuted by every path.
            let right = k == e || (k, e) == (1, 0);
            assert_eq!(verdict.is_ok(), right, "{verdict:?}");
            assert_eq!(matches!(verdict, Err(Flaw::WrongEvidence { .. })), !right);
        }
    }
}

#[test]
fn a_path_refutes_a_formula_that_it_makes_false_if_the_fairness_can_be_kept() {
    let world = World::graph(&[0], &[vec![vec![0, 1]], vec![vec![1]]]);
    let at = |state: i64| {
        let place = model::Place { variable: model::VariableId(0), process: None, position: Vec::new() };
        Expr::eq(Expr::Read(place), Expr::Int(state))
    };
    let stays = || Kind::Ltl(model::Formula::Globally(Box::new(model::Formula::Atom(at(0)))));
    let leaves = Kind::Ltl(model::Formula::Finally(Box::new(model::Formula::Atom(at(1)))));
    let position = |state: i64| Position { state: State(vec![state]), label: Label::Action(ActionId(0)) };
    let path = |positions: Vec<Position>, last: i64| {
        Answer::Fails(Counterexample::Path(Path { positions, last: State(vec![last]) }))
    };
    let none = world.task(&[Alternative::default()], stays());
    assert!(certify(&none, path(vec![position(0)], 1)).is_ok());
    assert!(certify(&none, path(vec![position(0), position(0)], 1)).is_ok());
    // Nothing has happened yet; or it is no path of the system.
    assert!(matches!(certify(&none, path(vec![position(0)], 0)), Err(Flaw::WrongEvidence { .. })));
    assert!(certify(&none, path(vec![position(1)], 1)).is_err());
    // What may still happen is not lost.
    let later = world.task(&[Alternative::default()], leaves);
    assert!(certify(&later, path(vec![position(0)], 0)).is_err());
    let under = |word: Word, of: Option<model::Pattern>, then: Expr| {
        let requirement = model::Requirement { word, of, binders: Vec::new(), when: Expr::Bool(true), then };
        model::Task { fairness: model::Fairness::all_of(vec![requirement]), ..none.clone() }
    };
    let pattern = model::Pattern::default();
    let taken = Expr::Taken(pattern.clone());
    assert!(certify(&under(Word::Weak, Some(pattern), taken), path(vec![position(0)], 1)).is_ok());
    // No fair run begins with the path: it never comes back.
    assert!(certify(&under(Word::Justice, None, at(0)), path(vec![position(0)], 1)).is_err());
}
