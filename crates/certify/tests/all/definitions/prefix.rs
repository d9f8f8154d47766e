//! Bad prefixes, compared with their definition: no word that begins like the path satisfies the formula.
//!
//! The definition speaks of all infinite words. Here all those that repeat are tried that have at most [`MOST`] letters
//! after the path. Formulas are small enough that one of these satisfies the formula if any word does; a formula that
//! needed longer ones would show as a difference.

use std::collections::BTreeSet;
use std::sync::Arc;

use certify::bad_prefix;
use model::automaton::{Automaton, Cube, Edge};
use model::instance::{Environment, Instance};
use model::property::{Kind, Never};
use model::{ActionId, Counterexample, Expr, Label, Lasso, Path, Position, State, ground};

use super::naive::{Alternative, Atom, Phi, TURNS, atom, every_lasso, holds, random_phi};
use super::worlds::{Random, World};

/// The greatest number of letters after a path.
const MOST: usize = 4;

/// An atom of a formula without its negations: what it looks like without indices, and whether it is negated.
fn literal(world: &World, instance: &Instance, atom: &Atom) -> (Expr, bool) {
    let mut expr = ground::expression(instance, &world.expr(atom), &mut Environment::default());
    let mut negated = false;
    while let Expr::Not(inner) = expr {
        (expr, negated) = (*inner, !negated);
    }
    (expr, negated)
}

fn atoms<'p>(phi: &'p Phi, found: &mut Vec<&'p Atom>) {
    match phi {
        Phi::Atom(atom) => found.push(atom),
        Phi::Not(a) | Phi::X(a) | Phi::F(a) | Phi::G(a) | Phi::Y(a) | Phi::O(a) | Phi::H(a) => {
            atoms(a, found);
        }
        Phi::And(a, b)
        | Phi::Or(a, b)
        | Phi::Implies(a, b)
        | Phi::U(a, b)
        | Phi::W(a, b)
        | Phi::R(a, b)
        | Phi::S(a, b) => {
            atoms(a, found);
            atoms(b, found);
        }
    }
}

/// A formula over numbered propositions: what each stands for.
struct Claim<'a> {
    world: &'a World,
    instance: &'a Instance,
    propositions: Vec<Proposition>,
}

/// What a proposition looks like without indices, and an atom that is true iff it is true, or false.
struct Proposition {
    expr: Expr,
    atom: Atom,
    negated: bool,
}

/// The propositions that are true, as bits.
type Letter = u32;

impl<'a> Claim<'a> {
    fn new(world: &'a World, instance: &'a Instance, phi: &Phi) -> Claim<'a> {
        let mut all = Vec::new();
        atoms(phi, &mut all);
        let mut propositions: Vec<Proposition> = Vec::new();
        for atom in all {
            let (expr, negated) = literal(world, instance, atom);
            let known = propositions.iter().any(|known| known.expr == expr);
            if !known && !matches!(expr, Expr::Bool(_)) {
                propositions.push(Proposition { expr, atom: atom.clone(), negated });
            }
        }
        Claim { world, instance, propositions }
    }

    fn letter(&self, state: &State, label: Label) -> Letter {
        let truth = |known: &Proposition| atom(self.world, &known.atom, state, label) != known.negated;
        let bits = self.propositions.iter().enumerate();
        bits.map(|(number, known)| u32::from(truth(known)) << number).sum()
    }

    /// Whether a formula is true at each position of a word that repeats from a position on. What past operators say
    /// must not change from turn to turn.
    fn truth(&self, phi: &Phi, word: &[Letter], cycle: usize) -> Vec<bool> {
        let of = |a: &Phi| self.truth(a, word, cycle);
        // The positions from `k` on, each once, in the order in which they are visited.
        let later = |k: usize| (k..word.len()).chain(cycle.min(k)..k);
        let next = |k: usize| if k + 1 < word.len() { k + 1 } else { cycle };
        let until =
            |a: &[bool], b: &[bool], k: usize| later(k).find(|j| b[*j] || !a[*j]).is_some_and(|j| b[j]);
        let each = |test: &dyn Fn(usize) -> bool| (0..word.len()).map(test).collect::<Vec<bool>>();
        match phi {
            Phi::Atom(a) => {
                let (expr, negated) = literal(self.world, self.instance, a);
                let number = self.propositions.iter().position(|known| known.expr == expr);
                each(&|k| match (&expr, number) {
                    (Expr::Bool(truth), _) => *truth != negated,
                    (_, number) => (word[k] >> number.expect("it is known") & 1 == 1) != negated,
                })
            }
            Phi::Not(a) => of(a).iter().map(|a| !a).collect(),
            Phi::And(a, b) => of(a).iter().zip(of(b)).map(|(a, b)| *a && b).collect(),
            Phi::Or(a, b) => of(a).iter().zip(of(b)).map(|(a, b)| *a || b).collect(),
            Phi::Implies(a, b) => of(a).iter().zip(of(b)).map(|(a, b)| !*a || b).collect(),
            Phi::X(a) => {
                let a = of(a);
                each(&|k| a[next(k)])
            }
            Phi::F(a) => {
                let a = of(a);
                each(&|k| later(k).any(|j| a[j]))
            }
            Phi::G(a) => {
                let a = of(a);
                each(&|k| later(k).all(|j| a[j]))
            }
            Phi::U(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|k| until(&a, &b, k))
            }
            Phi::W(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|k| until(&a, &b, k) || later(k).all(|j| a[j]))
            }
            Phi::Y(a) => {
                let a = of(a);
                each(&|k| k > 0 && a[k - 1])
            }
            Phi::O(a) => {
                let a = of(a);
                each(&|k| a[..=k].contains(&true))
            }
            Phi::H(a) => {
                let a = of(a);
                each(&|k| !a[..=k].contains(&false))
            }
            Phi::S(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|k| (0..=k).any(|j| b[j] && a[j + 1..=k].iter().all(|a| *a)))
            }
            // `b` up to and including the first `a`, or for ever.
            Phi::R(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|k| match later(k).find(|j| a[*j] || !b[*j]) {
                    Some(j) => b[j],
                    None => true,
                })
            }
        }
    }

    /// Whether every word that begins with these steps, and then with this state, violates the formula.
    fn is_bad(&self, phi: &Phi, positions: &[Position], last: &State) -> bool {
        let begin: Vec<Letter> = positions.iter().map(|p| self.letter(&p.state, p.label)).collect();
        let actions = (0..self.instance.actions.len() as u32).map(|action| Label::Action(ActionId(action)));
        let labels = actions.chain([Label::Idle]);
        let here: BTreeSet<Letter> = labels.map(|label| self.letter(last, label)).collect();
        let letters = 1u32 << self.propositions.len();
        let satisfied = |word: &[Letter]| {
            (begin.len()..word.len()).any(|cycle| {
                let mut unrolled = word.to_vec();
                (0..TURNS).for_each(|_| unrolled.extend(&word[cycle..]));
                self.truth(phi, &unrolled, unrolled.len() - (word.len() - cycle))[0]
            })
        };
        for first in here {
            let mut words: Vec<Vec<Letter>> = vec![begin.iter().copied().chain([first]).collect()];
            for _ in 0..MOST {
                if words.iter().any(|word| satisfied(word)) {
                    return false;
                }
                let longer = |word: &Vec<Letter>| {
                    let word = word.clone();
                    (0..letters).map(move |letter| word.iter().copied().chain([letter]).collect())
                };
                words = words.iter().flat_map(longer).collect();
            }
        }
        true
    }
}

fn state_after(lasso: &Lasso, steps: usize) -> (Vec<Position>, State) {
    let round = lasso.positions.len() - lasso.cycle;
    let at = |k: usize| {
        let k = if k < lasso.cycle { k } else { lasso.cycle + (k - lasso.cycle) % round };
        lasso.positions[k].clone()
    };
    ((0..steps).map(at).collect(), at(steps).state)
}

#[test]
fn a_bad_prefix_is_the_shortest_path_after_which_every_word_violates_the_formula() {
    let mut random = Random(5);
    // False without a bad prefix; with one, by its number of steps; with one of a formula about steps.
    let (mut none, mut found, mut by_step) = (0, [0; 4], 0);
    for round in 0..2500 {
        let (states, actions) = (2 + random.below(2), 1 + random.below(2));
        let world = World::random(&mut random, states, actions);
        let phi = random_phi(&mut random, &world, 3);
        let task = world.task(&[Alternative::default()], Kind::Ltl(world.formula(&phi)));
        let instance = task.instance().expect("it has no parameters");
        let claim = Claim::new(&world, instance, &phi);
        if claim.propositions.len() > 2 {
            continue;
        }
        let mut lassos = Vec::new();
        every_lasso(&world, 4, &mut |lasso| {
            lassos.push(lasso.clone());
            lassos.len() < 500
        });
        for _ in 0..3 {
            let lasso = &lassos[random.below(lassos.len())];
            let prefix = bad_prefix(&task, &Counterexample::Lasso(lasso.clone()));
            let about = || format!("round {round}: {phi:?} on {lasso:?}: {prefix:?}");
            let Some(Path { positions, last }) = &prefix else {
                let far = state_after(lasso, 2 * lasso.positions.len());
                assert!(!claim.is_bad(&phi, &far.0, &far.1), "{}", about());
                none += usize::from(!holds(&world, &phi, lasso, 0));
                continue;
            };
            assert!(!holds(&world, &phi, lasso, 0), "{}", about());
            let steps = positions.len();
            assert_eq!((positions, last), (&state_after(lasso, steps).0, &state_after(lasso, steps).1));
            assert!(claim.is_bad(&phi, positions, last), "{}", about());
            if let Some(before) = steps.checked_sub(1) {
                let shorter = state_after(lasso, before);
                assert!(!claim.is_bad(&phi, &shorter.0, &shorter.1), "{}", about());
                by_step +=
                    usize::from(claim.propositions.iter().any(|known| matches!(known.expr, Expr::Taken(_))));
            }
            found[steps.min(3)] += 1;
        }
    }
    eprintln!("{none} violated without a bad prefix, {found:?} with one, {by_step} about steps");
    assert!(none > 100 && found[..3].iter().all(|count| *count > 20) && by_step > 10);
}

#[test]
fn an_automaton_has_accepted_for_good_in_a_state_that_it_never_has_to_leave() {
    let at = |state: i64| State(vec![state]);
    let world = World::graph(&[0], &[vec![vec![1]], vec![vec![2]], vec![vec![2]]]);
    let step = |state| Position { state: at(state), label: Label::Action(ActionId(0)) };
    let lasso = Lasso { positions: vec![step(0), step(1), step(2)], cycle: 2 };
    let edge = |positive: &[usize], marks: &[usize], target| Edge {
        cube: Cube { positive: positive.to_vec(), negative: Vec::new() },
        marks: marks.to_vec(),
        target,
    };
    let shown = |stays: Edge| {
        let automaton = Automaton {
            atoms: vec!["there".to_owned()],
            initial: vec![0],
            states: vec![vec![edge(&[], &[], 0), edge(&[0], &[], 1)], vec![stays]],
            marks: 1,
        };
        let never = Never {
            file: "never".to_owned(),
            automaton: Arc::new(automaton),
            atoms: vec![world.expr(&Atom::At(0, 1))],
        };
        let task = world.task(&[Alternative::default()], Kind::Never(never));
        bad_prefix(&task, &Counterexample::Lasso(lasso.clone()))
    };
    assert_eq!(shown(edge(&[], &[0], 1)), Some(Path { positions: vec![step(0)], last: at(1) }));
    assert_eq!(shown(edge(&[], &[], 1)), None);
    assert_eq!(shown(edge(&[0], &[0], 1)), None);
}

#[test]
fn conjuncts_are_examined_one_by_one_if_there_are_too_many() {
    let world = World::graph(&[0], &[vec![vec![1]], vec![vec![0]]]);
    let step = |state: i64| Position { state: State(vec![state]), label: Label::Action(ActionId(0)) };
    let lasso = Lasso { positions: vec![step(0), step(1)], cycle: 0 };
    let at = |value: i64| Box::new(Phi::Atom(Atom::At(0, value)));
    // Twelve formulas whose automaton is too large together, and one that is false after a step.
    let mut phi = Phi::W(at(0), at(7));
    for number in 10..22 {
        let response = Phi::G(Box::new(Phi::Implies(at(number), Box::new(Phi::F(at(number + 20))))));
        phi = Phi::And(Box::new(phi), Box::new(response));
    }
    let formula = world.formula(&phi);
    assert_eq!(model::tableau::refuting(&model::Formula::Not(Box::new(formula.clone()))), None);
    let task = world.task(&[Alternative::default()], Kind::Ltl(formula));
    let prefix = bad_prefix(&task, &Counterexample::Lasso(lasso));
    assert_eq!(prefix, Some(Path { positions: vec![step(0)], last: State(vec![1]) }));
}
