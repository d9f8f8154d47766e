//! The automaton of a formula against the formula itself, on ultimately periodic words.
//!
//! Two automata that differ, differ on a lasso, so random lassos are as good a judge as any. The formula is
//! evaluated as it was written, by fixpoints over the positions of the lasso; nothing of the translation is
//! used.

use automata::{Automaton, translate};
use model::{Expr, Formula};

/// Letters: bit `a` says whether atom `a` is true. The last is followed by the one at `cycle`.
struct Word {
    letters: Vec<u32>,
    cycle: usize,
}

impl Word {
    fn next(&self, k: usize) -> usize {
        if k + 1 < self.letters.len() { k + 1 } else { self.cycle }
    }
}

#[test]
fn the_automaton_accepts_the_words_that_satisfy_the_formula() {
    let mut random = Random(1);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..6_000 {
        let size = 1 + random.below(11);
        let formula = random_formula(&mut random, size);
        let automaton = translate(&formula, &|_| false).expect("never told to give up");
        let negated = Formula::Not(Box::new(formula.clone()));
        let complement = translate(&negated, &|_| false).expect("never told to give up");
        for _ in 0..30 {
            let word = random_word(&mut random);
            let truth = satisfies(&formula, &word)[0];
            let context = || format!("round {round}: {formula:?}\n{:?} from {}", word.letters, word.cycle);
            assert_eq!(accepts(&automaton, &word), truth, "{}\n{automaton:?}", context());
            assert_eq!(accepts(&complement, &word), !truth, "negated, {}\n{complement:?}", context());
            if truth {
                accepted += 1;
            } else {
                rejected += 1;
            }
        }
    }
    assert!(accepted > 50_000 && rejected > 50_000, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn no_word_is_accepted_by_both_a_formula_and_its_negation() {
    let mut random = Random(2);
    for _ in 0..2_000 {
        let size = 1 + random.below(9);
        let formula = random_formula(&mut random, size);
        let automaton = translate(&formula, &|_| false).expect("never told to give up");
        let negated = Formula::Not(Box::new(formula.clone()));
        let complement = translate(&negated, &|_| false).expect("never told to give up");
        assert!(is_empty(&product(&automaton, &complement)), "{formula:?}");
    }
}

/// Per position of a word, whether a formula is true there.
fn satisfies(formula: &Formula, word: &Word) -> Vec<bool> {
    let positions = 0..word.letters.len();
    let part = |f: &Formula| satisfies(f, word);
    match formula {
        Formula::Atom(atom) => {
            let truth = |k: usize| match atom {
                Expr::Int(number) => word.letters[k] >> number & 1 == 1,
                Expr::Not(inner) => !satisfies(&Formula::Atom((**inner).clone()), word)[k],
                Expr::Bool(value) => *value,
                other => panic!("{other:?} is not made by the generator"),
            };
            positions.map(truth).collect()
        }
        Formula::Not(a) => part(a).into_iter().map(|truth| !truth).collect(),
        Formula::And(parts) => {
            let parts: Vec<Vec<bool>> = parts.iter().map(part).collect();
            positions.map(|k| parts.iter().all(|truth| truth[k])).collect()
        }
        Formula::Or(parts) => {
            let parts: Vec<Vec<bool>> = parts.iter().map(part).collect();
            positions.map(|k| parts.iter().any(|truth| truth[k])).collect()
        }
        Formula::Implies(a, b) => {
            let (a, b) = (part(a), part(b));
            positions.map(|k| !a[k] || b[k]).collect()
        }
        Formula::Next(a) => {
            let a = part(a);
            positions.map(|k| a[word.next(k)]).collect()
        }
        Formula::Finally(a) => {
            let a = part(a);
            fixpoint(word, false, |k, later| a[k] || later)
        }
        Formula::Globally(a) => {
            let a = part(a);
            fixpoint(word, true, |k, later| a[k] && later)
        }
        Formula::Until(a, b) => {
            let (a, b) = (part(a), part(b));
            fixpoint(word, false, |k, later| b[k] || a[k] && later)
        }
        Formula::WeakUntil(a, b) => {
            let (a, b) = (part(a), part(b));
            fixpoint(word, true, |k, later| b[k] || a[k] && later)
        }
        Formula::Release(a, b) => {
            let (a, b) = (part(a), part(b));
            fixpoint(word, true, |k, later| b[k] && (a[k] || later))
        }
        Formula::Forall(..) | Formula::Exists(..) => panic!("not made by the generator"),
    }
}

/// The least (from `false`) or greatest (from `true`) solution of `truth[k] = unfold(k, truth[next(k)])`.
fn fixpoint(word: &Word, from: bool, unfold: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut truth = vec![from; word.letters.len()];
    loop {
        let next: Vec<bool> = (0..truth.len()).map(|k| unfold(k, truth[word.next(k)])).collect();
        if next == truth {
            return truth;
        }
        truth = next;
    }
}

/// Whether an automaton accepts a word.
fn accepts(automaton: &Automaton, word: &Word) -> bool {
    let node = |state: usize, k: usize| state * word.letters.len() + k;
    let mut graph = Graph {
        initial: automaton.initial.iter().map(|state| node(*state, 0)).collect(),
        edges: vec![Vec::new(); automaton.states.len() * word.letters.len()],
        marks: automaton.marks,
    };
    for (state, edges) in automaton.states.iter().enumerate() {
        for k in 0..word.letters.len() {
            for edge in edges.iter().filter(|edge| edge.cube.admits(|atom| letter(automaton, word, atom, k)))
            {
                graph.edges[node(state, k)].push((edge.marks.clone(), node(edge.target, word.next(k))));
            }
        }
    }
    !is_empty(&graph)
}

/// Whether atom number `atom` of the automaton is true at a position.
fn letter(automaton: &Automaton, word: &Word, atom: usize, k: usize) -> bool {
    match automaton.atoms[atom] {
        Expr::Int(number) => word.letters[k] >> number & 1 == 1,
        ref other => panic!("{other:?} is not made by the generator"),
    }
}

/// A graph whose accepting runs visit every mark infinitely often.
struct Graph {
    initial: Vec<usize>,
    edges: Vec<Vec<(Vec<usize>, usize)>>,
    marks: usize,
}

fn product(a: &Automaton, b: &Automaton) -> Graph {
    let node = |p: usize, q: usize| p * b.states.len() + q;
    let mut edges = vec![Vec::new(); a.states.len() * b.states.len()];
    for (p, of_p) in a.states.iter().enumerate() {
        for (q, of_q) in b.states.iter().enumerate() {
            for e in of_p {
                for f in of_q {
                    let name = |automaton: &Automaton, atom: &usize| automaton.atoms[*atom].clone();
                    let clash = |x: &Automaton, xs: &[usize], y: &Automaton, ys: &[usize]| {
                        xs.iter().any(|atom| ys.iter().any(|other| name(x, atom) == name(y, other)))
                    };
                    if clash(a, &e.cube.positive, b, &f.cube.negative)
                        || clash(a, &e.cube.negative, b, &f.cube.positive)
                    {
                        continue;
                    }
                    let marks = e.marks.iter().copied().chain(f.marks.iter().map(|mark| mark + a.marks));
                    edges[node(p, q)].push((marks.collect(), node(e.target, f.target)));
                }
            }
        }
    }
    let pairs = a.initial.iter().flat_map(|p| b.initial.iter().map(|q| node(*p, *q)));
    Graph { initial: pairs.collect(), edges, marks: a.marks + b.marks }
}

/// Whether no accepting run begins in an initial node: by definition, no reachable node lies on a closed
/// walk with every mark, that is, has in its own strong component an edge with each.
fn is_empty(graph: &Graph) -> bool {
    let reach = |from: &[usize]| {
        let mut seen = vec![false; graph.edges.len()];
        let mut pending = from.to_vec();
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                pending.extend(graph.edges[node].iter().map(|(_, target)| *target));
            }
        }
        seen
    };
    let reachable = reach(&graph.initial);
    let from: Vec<Vec<bool>> = (0..graph.edges.len()).map(|node| reach(&[node])).collect();
    !(0..graph.edges.len()).filter(|node| reachable[*node]).any(|node| {
        let inside = |other: usize| from[node][other] && from[other][node];
        let kept: Vec<&Vec<usize>> = (0..graph.edges.len())
            .filter(|source| inside(*source))
            .flat_map(|source| &graph.edges[source])
            .filter(|(_, target)| inside(*target))
            .map(|(marks, _)| marks)
            .collect();
        !kept.is_empty() && (0..graph.marks).all(|mark| kept.iter().any(|marks| marks.contains(&mark)))
    })
}

const ATOMS: u64 = 3;

fn random_formula(random: &mut Random, size: u64) -> Formula {
    if size <= 1 {
        let atom = Expr::Int(random.below(ATOMS) as i64);
        return match random.below(12) {
            0 => Formula::Atom(Expr::Bool(random.below(2) == 0)),
            1 | 2 => Formula::Atom(Expr::negated(atom)),
            _ => Formula::Atom(atom),
        };
    }
    let left = random.below(size - 1).max(1);
    let right = (size - 1 - left).max(1);
    let one = |random: &mut Random| Box::new(random_formula(random, size - 1));
    match random.below(12) {
        0 => Formula::Not(one(random)),
        1 => Formula::Next(one(random)),
        2 => Formula::Finally(one(random)),
        3 => Formula::Globally(one(random)),
        4 => Formula::Globally(Box::new(Formula::Finally(one(random)))),
        5 => Formula::Finally(Box::new(Formula::Globally(one(random)))),
        6 => Formula::And(vec![random_formula(random, left), random_formula(random, right)]),
        7 => Formula::Or(vec![random_formula(random, left), random_formula(random, right)]),
        kind => {
            let a = Box::new(random_formula(random, left));
            let b = Box::new(random_formula(random, right));
            match kind {
                8 => Formula::Implies(a, b),
                9 => Formula::Until(a, b),
                10 => Formula::WeakUntil(a, b),
                _ => Formula::Release(a, b),
            }
        }
    }
}

fn random_word(random: &mut Random) -> Word {
    let length = 1 + random.below(6);
    let letters = (0..length).map(|_| random.below(1 << ATOMS) as u32).collect();
    Word { letters, cycle: random.below(length) as usize }
}

/// A small generator of pseudorandom numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}
