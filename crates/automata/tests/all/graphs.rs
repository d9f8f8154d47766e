//! Whether an automaton accepts a word, and whether two accept a common one: emptiness of a product, by the
//! definition of acceptance.

use std::collections::HashMap;

use automata::Automaton;

use super::words::{Word, holds};

/// A graph whose accepting runs visit every mark infinitely often.
struct Graph {
    initial: Vec<usize>,
    edges: Vec<Vec<(Vec<usize>, usize)>>,
    marks: usize,
}

/// Whether an automaton accepts a word.
pub(crate) fn accepts(automaton: &Automaton, word: &Word) -> bool {
    let letters: Vec<Vec<bool>> = word
        .letters
        .iter()
        .map(|letter| automaton.atoms.iter().map(|atom| holds(atom, *letter)).collect())
        .collect();
    let node = |state: usize, k: usize| state * letters.len() + k;
    let mut graph = Graph {
        initial: automaton.initial.iter().map(|state| node(*state, 0)).collect(),
        edges: vec![Vec::new(); automaton.states.len() * letters.len()],
        marks: automaton.marks,
    };
    for (state, edges) in automaton.states.iter().enumerate() {
        for (k, letter) in letters.iter().enumerate() {
            for edge in edges.iter().filter(|edge| edge.cube.admits(|atom| letter[atom])) {
                graph.edges[node(state, k)].push((edge.marks.clone(), node(edge.target, word.next(k))));
            }
        }
    }
    !is_empty(&graph)
}

/// Whether no word is accepted by both automata.
pub(crate) fn disjoint(a: &Automaton, b: &Automaton) -> bool {
    // The atoms of `b` under the numbers `a` gives them; those `a` does not know get new ones.
    let mut numbers: HashMap<_, usize> =
        a.atoms.iter().enumerate().map(|(number, atom)| (atom, number)).collect();
    let numbers: Vec<usize> = b
        .atoms
        .iter()
        .map(|atom| {
            let fresh = numbers.len();
            *numbers.entry(atom).or_insert(fresh)
        })
        .collect();
    let clash = |of_a: &[usize], of_b: &[usize]| of_b.iter().any(|atom| of_a.contains(&numbers[*atom]));
    let node = |p: usize, q: usize| p * b.states.len() + q;
    let mut edges = vec![Vec::new(); a.states.len() * b.states.len()];
    for (p, of_p) in a.states.iter().enumerate() {
        for (q, of_q) in b.states.iter().enumerate() {
            for e in of_p {
                for f in of_q {
                    if !clash(&e.cube.positive, &f.cube.negative)
                        && !clash(&e.cube.negative, &f.cube.positive)
                    {
                        let marks = e.marks.iter().copied().chain(f.marks.iter().map(|mark| mark + a.marks));
                        edges[node(p, q)].push((marks.collect(), node(e.target, f.target)));
                    }
                }
            }
        }
    }
    let initial = a.initial.iter().flat_map(|p| b.initial.iter().map(|q| node(*p, *q))).collect();
    is_empty(&Graph { initial, edges, marks: a.marks + b.marks })
}

/// Whether no accepting run begins in an initial node: no reachable strong component has an edge with each mark
/// inside it, and at least one edge.
fn is_empty(graph: &Graph) -> bool {
    let count = graph.edges.len();
    // Kosaraju: nodes in the order their visits end, then backwards along edges from the last.
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    for &root in &graph.initial {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((node, position)) = stack.last_mut() {
            if let Some((_, target)) = graph.edges[*node].get(*position) {
                *position += 1;
                if !std::mem::replace(&mut seen[*target], true) {
                    stack.push((*target, 0));
                }
            } else {
                order.push(*node);
                stack.pop();
            }
        }
    }
    let mut sources = vec![Vec::new(); count];
    for &node in &order {
        for (_, target) in &graph.edges[node] {
            sources[*target].push(node);
        }
    }
    let mut component = vec![usize::MAX; count];
    for &root in order.iter().rev() {
        if component[root] != usize::MAX {
            continue;
        }
        let mut members = vec![root];
        component[root] = root;
        let mut next = 0;
        while let Some(&node) = members.get(next) {
            next += 1;
            for &source in &sources[node] {
                if component[source] == usize::MAX {
                    component[source] = root;
                    members.push(source);
                }
            }
        }
        let mut edges = 0;
        let mut found = vec![false; graph.marks];
        for (marks, _) in members
            .iter()
            .flat_map(|member| &graph.edges[*member])
            .filter(|(_, target)| component[*target] == root)
        {
            edges += 1;
            for mark in marks {
                found[*mark] = true;
            }
        }
        if edges > 0 && found.iter().all(|found| *found) {
            return false;
        }
    }
    true
}
