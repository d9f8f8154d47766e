//! Compares the oracle with brute force.

use certify::oracle::{Why, decide};
use certify::{Standing, certify};
use model::fairness::Word;
use model::property::{Kind, Paths};
use model::{Answer, Counterexample, Ctl, Label, State};

use super::naive::{
    Alternative, Atom, Demand, Phi, counterexample, is_fair, random_fairness, random_phi,
    strongly_connected_sets, wandering_counterexample,
};
use super::worlds::{Random, World};

const LIMIT: usize = 20_000;

fn decides(world: &World, fairness: &[Alternative], phi: &Phi) -> bool {
    let task = world.task(fairness, Kind::Ltl(world.formula(phi)));
    let decision = decide(&task, LIMIT).expect("the task is small");
    assert_ne!(decision.why, Why::Fault);
    decision.holds()
}

/// If some short lasso is a counterexample, the formula fails. If it fails, a counterexample can be found: a short
/// lasso or, because strong global fairness may need many steps, one from a random walk.
#[test]
fn a_formula_fails_iff_some_lasso_is_a_counterexample() {
    let mut counts = [0, 0];
    for seed in 0..5000 {
        let mut random = Random(seed);
        let (states, actions) = (1 + random.below(3), 1 + random.below(2));
        let world = World::random(&mut random, states, actions);
        let fairness = if random.chance(30) {
            vec![Alternative::default()]
        } else {
            random_fairness(&mut random, &world)
        };
        let depth = 1 + random.below(3);
        let phi = random_phi(&mut random, &world, depth);
        let holds = decides(&world, &fairness, &phi);
        let mut found = counterexample(&world, &fairness, &phi, 6);
        if found.is_none() && !holds {
            found = wandering_counterexample(&mut random, &world, &fairness, &phi, 40);
        }
        assert_eq!(
            found.is_none(),
            holds,
            "seed {seed}: {fairness:?}\n{phi:?}\n{found:?}\n{:?}",
            world.steps
        );
        counts[usize::from(holds)] += 1;
        if let Some(lasso) = found {
            let task = world.task(&fairness, Kind::Ltl(world.formula(&phi)));
            let certified =
                certify(&task, Answer::Fails(Counterexample::Lasso(lasso))).expect("a counterexample");
            assert_eq!(certified.standing(), Standing::Checked);
        }
    }
    assert!(counts[0] > 300 && counts[1] > 300, "{counts:?}");
}

/// Fairness words and formulas that depend only on what happens infinitely often.
fn menu() -> (Vec<Demand>, Vec<(Phi, Atom, Atom)>) {
    let demands = vec![
        Demand::Of(Word::Unconditional, 0),
        Demand::Of(Word::Weak, 0),
        Demand::Of(Word::Weak, 1),
        Demand::Of(Word::Strong, 0),
        Demand::Of(Word::Strong, 1),
        Demand::Of(Word::Strong, 4),
        Demand::Justice(Atom::At(0, 1)),
        Demand::Compassion(Atom::At(0, 0), Atom::Taken(1)),
        Demand::Compassion(Atom::Taken(0), Atom::Not(Box::new(Atom::Enabled(1)))),
    ];
    let again = |atom: &Atom| Box::new(Phi::G(Box::new(Phi::F(Box::new(Phi::Atom(atom.clone()))))));
    // `GF p -> GF q`
    let pairs = [
        (Atom::Not(Box::new(Atom::At(0, 7))), Atom::At(0, 1)),
        (Atom::At(0, 0), Atom::At(0, 1)),
        (Atom::Enabled(1), Atom::Taken(1)),
        (Atom::Taken(0), Atom::Taken(1)),
        (Atom::Taken(1), Atom::At(0, 7)),
    ];
    let claims = pairs.map(|(p, q)| (Phi::Implies(again(&p), again(&q)), p, q));
    (demands, claims.to_vec())
}

/// All graphs of two states and two actions, with each requirement of the menu alone, in conjunction and in disjunction
/// with another, and with `global`.
#[test]
fn every_small_graph_is_decided_as_by_trying_every_strongly_connected_set() {
    let (demands, claims) = menu();
    let mut assumptions: Vec<Vec<Alternative>> = vec![vec![Alternative::default()]];
    assumptions.push(vec![Alternative { demands: Vec::new(), global: true }]);
    for (k, demand) in demands.iter().enumerate() {
        let other = demands[(k + 4) % demands.len()].clone();
        let pair = Alternative { demands: vec![demand.clone(), other.clone()], global: false };
        let single = Alternative { demands: vec![demand.clone()], global: false };
        let global = Alternative { demands: vec![demand.clone()], global: true };
        assumptions.push(vec![single.clone()]);
        assumptions.push(vec![pair]);
        assumptions.push(vec![single, Alternative { demands: vec![other], global: false }]);
        assumptions.push(vec![global]);
    }
    let mut counts = [[0, 0], [0, 0]];
    for bits in 0..256usize {
        let targets = |state: usize, action: usize| {
            (0..2).filter(|target| bits >> (4 * state + 2 * action + target) & 1 == 1).collect::<Vec<usize>>()
        };
        let next: Vec<Vec<Vec<usize>>> =
            (0..2).map(|state| (0..2).map(|action| targets(state, action)).collect()).collect();
        let world = World::graph(&[bits % 2], &next);
        let sets = strongly_connected_sets(&world);
        for fairness in &assumptions {
            let fair: Vec<_> = sets.iter().filter(|set| is_fair(&world, fairness, set)).collect();
            let realisable = world.reachable().into_iter().all(|state| {
                let from = World { initial: vec![state], ..World::graph(&[bits % 2], &next) }.reachable();
                fair.iter().any(|set| set.iter().all(|(source, _, _)| from.contains(source)))
            });
            for (phi, p, q) in &claims {
                let violated = fair.iter().any(|set| {
                    let some =
                        |atom: &Atom| set.iter().any(|(s, l, _)| super::naive::atom(&world, atom, s, *l));
                    some(p) && !some(q)
                });
                let task = world.task(fairness, Kind::Ltl(world.formula(phi)));
                let decision = decide(&task, LIMIT).expect("the task is small");
                assert_eq!(decision.holds(), !violated, "graph {bits}: {fairness:?} {phi:?}");
                assert_eq!(decision.realisable, Some(realisable), "graph {bits}: {fairness:?}");
                counts[usize::from(violated)][usize::from(realisable)] += 1;
            }
        }
    }
    assert!(counts.iter().flatten().all(|count| *count > 100), "{counts:?}");
}

fn random_ctl(random: &mut Random, world: &World, depth: usize) -> Ctl {
    if depth == 0 {
        let atom = loop {
            let atom = super::naive::random_atom(random, world);
            if !matches!(&atom, Atom::Taken(_))
                && !matches!(&atom, Atom::Not(a) if matches!(**a, Atom::Taken(_)))
            {
                break atom;
            }
        };
        return Ctl::Atom(world.expr(&atom));
    }
    let paths = if random.chance(50) { Paths::All } else { Paths::Some };
    let a = Box::new(random_ctl(random, world, depth - 1));
    match random.below(12) {
        0 => Ctl::Not(a),
        1 => Ctl::Next(paths, a),
        2 => Ctl::Finally(paths, a),
        3 | 4 => Ctl::Globally(paths, a),
        number => {
            let b = Box::new(random_ctl(random, world, depth - 1));
            match number {
                5 => Ctl::And(vec![*a, *b]),
                6 => Ctl::Or(vec![*a, *b]),
                7 => Ctl::Implies(a, b),
                8 => Ctl::Until(paths, a, b),
                9 | 10 => Ctl::Infinitely(paths, vec![*a, *b]),
                _ => Ctl::WeakUntil(paths, a, b),
            }
        }
    }
}

/// The states of a graph where a CTL formula is true, found by asking the LTL part of the oracle about each state and
/// each path quantifier.
fn states(next: &[Vec<Vec<usize>>], world: &World, fairness: &[Alternative], ctl: &Ctl) -> Vec<bool> {
    let all = 0..next.len();
    let part = |a: &Ctl| states(next, world, fairness, a);
    // The formula that the state is one of these.
    let set = |set: Vec<bool>| {
        let never = Phi::Atom(Atom::At(0, 99));
        let member = |state: usize| Box::new(Phi::Atom(Atom::At(0, state as i64)));
        let members = (0..set.len()).filter(|state| set[*state]);
        Box::new(members.fold(never, |union, state| Phi::Or(Box::new(union), member(state))))
    };
    let path = |paths: Paths, phi: Phi| -> Vec<bool> {
        let phi = if paths == Paths::All { phi } else { Phi::Not(Box::new(phi)) };
        let from = |state: usize| decides(&World::graph(&[state], next), fairness, &phi);
        all.clone().map(|state| from(state) == (paths == Paths::All)).collect()
    };
    match ctl {
        Ctl::Atom(atom) => {
            let instance = model::Instance::new(world.system.clone()).expect("an instance");
            let state = |state: usize| State(vec![state as i64]);
            all.map(|s| model::semantics::state_predicate(&instance, atom, &state(s)) == Ok(true)).collect()
        }
        Ctl::Not(a) => part(a).into_iter().map(|a| !a).collect(),
        Ctl::And(parts) => {
            let parts: Vec<_> = parts.iter().map(part).collect();
            all.map(|state| parts.iter().all(|part| part[state])).collect()
        }
        Ctl::Or(parts) => {
            let parts: Vec<_> = parts.iter().map(part).collect();
            all.map(|state| parts.iter().any(|part| part[state])).collect()
        }
        Ctl::Implies(a, b) => {
            let (a, b) = (part(a), part(b));
            all.map(|state| !a[state] || b[state]).collect()
        }
        Ctl::Next(paths, a) => path(*paths, Phi::X(set(part(a)))),
        Ctl::Finally(paths, a) => path(*paths, Phi::F(set(part(a)))),
        Ctl::Globally(paths, a) => path(*paths, Phi::G(set(part(a)))),
        Ctl::Until(paths, a, b) => path(*paths, Phi::U(set(part(a)), set(part(b)))),
        Ctl::WeakUntil(paths, a, b) => path(*paths, Phi::W(set(part(a)), set(part(b)))),
        Ctl::Infinitely(paths, parts) => {
            let again = |a: &Ctl| Phi::G(Box::new(Phi::F(set(part(a)))));
            let both = parts.iter().map(again).reduce(|a, b| Phi::And(Box::new(a), Box::new(b)));
            path(*paths, both.expect("a part"))
        }
        Ctl::Forall(..) | Ctl::Exists(..) => unreachable!("not generated"),
    }
}

#[test]
fn path_quantifiers_agree_with_the_linear_side() {
    let mut counts = [0, 0];
    for seed in 3000..5000 {
        let mut random = Random(seed);
        let (count, actions) = (2 + random.below(2), 1 + random.below(2));
        let mut random_set =
            |percent: usize| (0..count).filter(|_| random.chance(percent)).collect::<Vec<_>>();
        let next: Vec<Vec<Vec<usize>>> =
            (0..count).map(|_| (0..actions).map(|_| random_set(40)).collect()).collect();
        let world = World::graph(&[random.below(count)], &next);
        let fairness = random_fairness(&mut random, &world);
        let depth = 1 + random.below(3);
        let formula = random_ctl(&mut random, &world, depth);
        let truth = states(&next, &world, &fairness, &formula);
        let expected = world.initial.iter().all(|state| truth[state.0[0] as usize]);
        let decision =
            decide(&world.task(&fairness, Kind::Ctl(formula.clone())), LIMIT).expect("a small task");
        assert_eq!(decision.holds(), expected, "seed {seed}: {fairness:?}\n{formula:?}\n{:?}", world.steps);
        counts[usize::from(expected)] += 1;
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
}

#[test]
fn an_invariant_holds_iff_no_reachable_state_violates_it() {
    let mut counts = [0, 0];
    for seed in 4000..4300 {
        let mut random = Random(seed);
        let world = World::random(&mut random, 4, 2);
        let bad = Atom::At(0, random.below(4) as i64);
        let expected = !world.reachable().iter().any(|s| super::naive::atom(&world, &bad, s, Label::Idle));
        let kind = Kind::Invariant(model::Expr::negated(world.expr(&bad)));
        let decision =
            decide(&world.task(&random_fairness(&mut random, &world), kind), LIMIT).expect("small");
        assert_eq!(decision.holds(), expected, "seed {seed}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
}

#[test]
fn the_oracle_says_when_a_task_is_too_large() {
    use certify::oracle::Undecided;
    let next: Vec<Vec<Vec<usize>>> = (0..20).map(|state| vec![vec![(state + 1) % 20]; 3]).collect();
    let world = World::graph(&[0], &next);
    let phi = Phi::F(Box::new(Phi::Atom(Atom::At(0, 3))));
    let task = world.task(&[Alternative::default()], Kind::Ltl(world.formula(&phi)));
    assert_eq!(decide(&task, 19), Err(Undecided::TooManyStates));
    assert_eq!(decide(&task, 60), Err(Undecided::TooManyNodes));
    assert!(decide(&task, 120).is_ok_and(|decision| decision.holds()));
    let demands: Vec<Demand> =
        (0..13).map(|k| Demand::Compassion(Atom::At(0, k), Atom::At(0, k + 1))).collect();
    let task = world.task(&[Alternative { demands, global: false }], Kind::Ltl(world.formula(&phi)));
    assert_eq!(decide(&task, LIMIT), Err(Undecided::TooManyRequirements));
}
