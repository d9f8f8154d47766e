//! Automata that must not accept: compares the judge and the oracle with a second definition of acceptance.
//!
//! Here a word is accepted iff the automaton can reach, from an initial state, some state `q` at the beginning of the
//! cycle, and some number of turns around the cycle leads from `q` back to `q` with every mark on the way. The effect
//! of one turn is a set of triples: source, target and marks. The effect of several turns is its closure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use certify::oracle::{Why, decide};
use certify::{Flaw, certify};
use model::answer::Site;
use model::automaton::{Automaton, Cube, Edge};
use model::expr::Operator;
use model::property::{Kind, Never};
use model::{ActionId, Answer, Counterexample, Expr, Fault, Label, Lasso, Path, Position, State};

use super::forgeries::forgeries;
use super::naive::{
    Alternative, Atom, Phi, atom, every_lasso, is_counterexample, random_atom, random_fairness,
};
use super::worlds::{Random, World};

/// A passage of the automaton: its source, its target, and its marks as bits.
type Passage = (usize, usize, u32);

fn then(before: &BTreeSet<Passage>, after: &BTreeSet<Passage>) -> BTreeSet<Passage> {
    let mut both = BTreeSet::new();
    for (p, q, marks) in before {
        both.extend(after.iter().filter(|(r, _, _)| q == r).map(|(_, s, more)| (*p, *s, marks | more)));
    }
    both
}

/// Whether a lasso's word is accepted.
fn accepts(world: &World, automaton: &Automaton<Atom>, lasso: &Lasso) -> bool {
    let one = |position: &Position| -> BTreeSet<Passage> {
        let letter = |a: usize| atom(world, &automaton.atoms[a], &position.state, position.label);
        let mut passages = BTreeSet::new();
        for (q, edges) in automaton.states.iter().enumerate() {
            for edge in edges {
                let literals = edge.cube.positive.iter().all(|a| letter(*a))
                    && edge.cube.negative.iter().all(|a| !letter(*a));
                if literals {
                    passages.insert((q, edge.target, edge.marks.iter().map(|mark| 1 << mark).sum()));
                }
            }
        }
        passages
    };
    let stay: BTreeSet<Passage> = (0..automaton.states.len()).map(|q| (q, q, 0)).collect();
    let along = |positions: &[Position]| positions.iter().fold(stay.clone(), |done, p| then(&done, &one(p)));
    let turn = along(&lasso.positions[lasso.cycle..]);
    let mut turns = turn.clone();
    loop {
        let before = turns.len();
        turns.extend(then(&turns.clone(), &turn));
        if turns.len() == before {
            break;
        }
    }
    let mut arrivals = along(&lasso.positions[..lasso.cycle]);
    arrivals.extend(then(&arrivals.clone(), &turns));
    let all = (1u32 << automaton.marks) - 1;
    arrivals.iter().any(|(p, q, _)| automaton.initial.contains(p) && turns.contains(&(*q, *q, all)))
}

fn random_automaton(random: &mut Random, world: &World) -> Automaton<Atom> {
    let (states, atoms, marks) = (1 + random.below(3), random.below(4), random.below(3));
    let subset = |random: &mut Random, of: usize, percent: usize| -> Vec<usize> {
        (0..of).filter(|_| random.chance(percent)).collect()
    };
    let edges = |random: &mut Random| -> Vec<Edge> {
        (0..random.below(5))
            .map(|_| {
                let positive = subset(random, atoms, 25);
                let negative =
                    subset(random, atoms, 25).into_iter().filter(|a| !positive.contains(a)).collect();
                let marks = subset(random, marks, 50);
                Edge { cube: Cube { positive, negative }, marks, target: random.below(states) }
            })
            .collect()
    };
    Automaton {
        states: (0..states).map(|_| edges(random)).collect(),
        initial: (0..states).filter(|q| *q == 0 || random.chance(20)).collect(),
        atoms: (0..atoms).map(|_| random_atom(random, world)).collect(),
        marks,
    }
}

fn kind(world: &World, automaton: &Automaton<Atom>) -> Kind {
    let names = (0..automaton.atoms.len()).map(|a| format!("a{a}")).collect();
    Kind::Never(Never {
        file: "never.hoa".to_owned(),
        automaton: Arc::new(automaton.with_atoms(names)),
        atoms: automaton.atoms.iter().map(|atom| world.expr(atom)).collect(),
    })
}

/// A formula that no run satisfies.
fn contradiction() -> Phi {
    let atom = || Box::new(Phi::Atom(Atom::At(0, 0)));
    Phi::And(atom(), Box::new(Phi::Not(atom())))
}

#[test]
fn a_lasso_is_a_counterexample_iff_it_is_a_fair_run_that_the_automaton_accepts() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..600 {
        let mut random = Random(seed);
        let (states, actions) = (2 + random.below(3), 1 + random.below(2));
        let world = World::random(&mut random, states, actions);
        let fairness = random_fairness(&mut random, &world);
        let automaton = random_automaton(&mut random, &world);
        let task = world.task(&fairness, kind(&world, &automaton));
        let mut lassos = Vec::new();
        every_lasso(&world, 4, &mut |lasso| {
            lassos.push(lasso.clone());
            lassos.len() < 40
        });
        if let Some(lasso) = lassos.first() {
            lassos.extend(forgeries(&world, lasso));
        }
        for lasso in lassos {
            let fair = is_counterexample(&world, &fairness, &contradiction(), &lasso);
            let good = fair && accepts(&world, &automaton, &lasso);
            let verdict = certify(&task, Answer::Fails(Counterexample::Lasso(lasso.clone())));
            assert_eq!(verdict.is_ok(), good, "seed {seed}: {verdict:?}\n{automaton:?}\n{lasso:?}");
            let refused = matches!(verdict, Err(Flaw::NotAccepted { .. }));
            assert_eq!(refused, fair && !good, "seed {seed}: {verdict:?}\n{automaton:?}\n{lasso:?}");
            let name = if good {
                "good"
            } else if refused {
                "not accepted"
            } else {
                "no fair run"
            };
            *counts.entry(name).or_default() += 1;
        }
    }
    assert!(counts.len() == 3 && counts.values().all(|count| *count > 1_000), "{counts:?}");
}

#[test]
fn the_oracle_finds_an_accepted_fair_run_wherever_there_is_a_short_one() {
    let (mut short, mut long, mut none) = (0, 0, 0);
    for seed in 0..1_500 {
        let mut random = Random(10_000 + seed);
        let states = 2 + random.below(2);
        let world = World::random(&mut random, states, 2);
        let fairness = random_fairness(&mut random, &world);
        let automaton = random_automaton(&mut random, &world);
        let task = world.task(&fairness, kind(&world, &automaton));
        let decision = decide(&task, 5_000).expect("a small task");
        // With so small a world and automaton, most accepted runs are short.
        let mut tried = 0;
        let mut found = false;
        every_lasso(&world, 7, &mut |lasso| {
            tried += 1;
            found = is_counterexample(&world, &fairness, &contradiction(), lasso)
                && accepts(&world, &automaton, lasso);
            !found && tried < 3_000
        });
        match (decision.why, found) {
            (Why::Fails, true) => short += 1,
            (Why::Fails, false) => long += 1,
            (Why::Holds, false) => none += 1,
            (why, _) => panic!("seed {seed}: the oracle says {why:?}\n{fairness:?}\n{automaton:?}"),
        }
    }
    assert!(short > 300 && none > 300 && long < 40, "{short} short, {long} long, {none} none");
}

#[test]
fn every_proposition_is_evaluated_whatever_the_automaton_asks_for() {
    let world = World::graph(&[0], &[vec![vec![0]]]);
    let anything = Edge { cube: Cube::default(), marks: Vec::new(), target: 0 };
    let one = Expr::Int(1);
    let fault = Expr::binary(Operator::Div, one.clone(), Expr::Int(0));
    let automaton = Automaton {
        atoms: vec!["unused".to_owned()],
        initial: vec![0],
        states: vec![vec![anything]],
        marks: 0,
    };
    let never = Never {
        file: "all.hoa".to_owned(),
        automaton: Arc::new(automaton),
        atoms: vec![Expr::eq(fault, one)],
    };
    let task = world.task(&[Alternative::default()], Kind::Never(never));
    assert_eq!(decide(&task, 100).expect("a small task").why, Why::Fault);
    let position = Position { state: State(vec![0]), label: Label::Action(ActionId(0)) };
    let lasso = Lasso { positions: vec![position], cycle: 0 };
    let flaw = certify(&task, Answer::Fails(Counterexample::Lasso(lasso)));
    assert!(matches!(flaw, Err(Flaw::Fault { .. })), "{flaw:?}");
    let path = Path { positions: Vec::new(), last: State(vec![0]) };
    let evidence =
        Counterexample::Fault { path: Some(path), site: Site::Property, fault: Fault::DivisionByZero };
    assert!(certify(&task, Answer::Fails(evidence)).is_ok());
}
