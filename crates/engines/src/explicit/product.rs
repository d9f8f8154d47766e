//! The product of a state space and an automaton.
//!
//! A node is a pair of a reachable state and a state of the automaton; an edge is a step of the system
//! together with an edge of the automaton that admits the step's letter. Its runs are the runs of the system
//! read by the automaton. Only what can be reached is built, breadth first. A class is a letter together
//! with the marks of the automaton's edge: all that requirements and acceptance can see of an edge.

use std::collections::HashMap;

use automata::Automaton;
use model::{Run, StopReason};

use super::space::Space;
use super::store::Store;
use crate::graph::bits::Bits;
use crate::graph::{Edge, Graph};
use crate::watch::{Watch, bytes_of};

/// The reachable product.
pub(super) struct Product {
    nodes: Store,
    pub(super) graph: Graph,
    /// The node each node was first reached from; initial nodes are their own parents.
    pub(super) parents: Vec<u32>,
    /// Per edge, the position of its step among those that leave the system's state.
    steps: Vec<u32>,
    /// Per class, the letter and the marks of the automaton's edge.
    pub(super) classes: Vec<(u32, Vec<usize>)>,
}

impl Product {
    /// Builds the product. `atoms` are the numbers of the automaton's atoms among the predicates.
    pub(super) fn new(
        space: &Space<'_>,
        automaton: &Automaton,
        atoms: &[usize],
        run: &Run<'_>,
    ) -> Result<Product, StopReason> {
        let mut product = Product {
            nodes: Store::new(1),
            graph: Graph::default(),
            parents: Vec::new(),
            steps: Vec::new(),
            classes: Vec::new(),
        };
        let mut moves = Moves::new(automaton, atoms);
        let mut watch = Watch::new(run, "building the product", "product states", space.bytes());
        for state in 0..space.initial {
            for &q in &automaton.initial {
                product.insert(state, q, None)?;
            }
        }
        let mut node = 0;
        while (node as usize) < product.nodes.len() {
            let (state, q) = product.pair(node);
            let leaving = space.graph.leaving(state);
            for step in leaving.clone() {
                let Edge { target, class: letter } = space.graph.edge(step);
                for &(class, to) in moves.on(q, letter, &space.alphabet.letters()[letter as usize]) {
                    let target = product.insert(target, to, Some(node))?;
                    product.graph.add_edge(Edge { target, class });
                    product.steps.push((step - leaving.start) as u32);
                }
            }
            product.graph.close_node();
            watch.tick(|| product.bytes() + moves.bytes())?;
            node += 1;
        }
        product.classes = moves.classes;
        Ok(product)
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The state of the system a node stands for.
    pub(super) fn state(&self, node: u32) -> u32 {
        self.pair(node).0
    }

    /// The step of the system an edge stands for.
    pub(super) fn step(&self, space: &Space<'_>, edge: usize) -> usize {
        space.graph.leaving(self.state(self.graph.source(edge))).start + self.steps[edge] as usize
    }

    /// The bytes it has allocated.
    pub(super) fn bytes(&self) -> u64 {
        let classes = 64 * self.classes.len() as u64;
        self.nodes.bytes() + self.graph.bytes() + bytes_of(&self.parents) + bytes_of(&self.steps) + classes
    }

    fn pair(&self, node: u32) -> (u32, usize) {
        let pair = self.nodes.get(node)[0];
        (pair as u32, (pair >> 32) as usize)
    }

    fn insert(&mut self, state: u32, q: usize, parent: Option<u32>) -> Result<u32, StopReason> {
        let pair = u64::from(state) | (q as u64) << 32;
        let (node, new) = self.nodes.insert(&[pair]).ok_or(StopReason::Memory)?;
        if new {
            self.parents.push(parent.unwrap_or(node));
        }
        Ok(node)
    }
}

/// What the automaton can do on each letter, computed when it is first asked for.
struct Moves<'a> {
    automaton: &'a Automaton,
    atoms: &'a [usize],
    /// Per state and letter: class and target of each edge.
    known: HashMap<(usize, u32), Vec<(u32, usize)>>,
    numbers: HashMap<(u32, Vec<usize>), u32>,
    classes: Vec<(u32, Vec<usize>)>,
}

impl<'a> Moves<'a> {
    fn new(automaton: &'a Automaton, atoms: &'a [usize]) -> Moves<'a> {
        Moves { automaton, atoms, known: HashMap::new(), numbers: HashMap::new(), classes: Vec::new() }
    }

    /// The bytes it has allocated, roughly.
    fn bytes(&self) -> u64 {
        128 * (self.known.len() + self.classes.len()) as u64
    }

    /// Class and target of each edge that leaves `q` on a letter.
    fn on(&mut self, q: usize, number: u32, letter: &Bits) -> &[(u32, usize)] {
        let Moves { automaton, atoms, known, numbers, classes } = self;
        known.entry((q, number)).or_insert_with(|| {
            let mut moves = Vec::new();
            for edge in &automaton.states[q] {
                if edge.cube.admits(|atom| letter.contains(atoms[atom])) {
                    let class = *numbers.entry((number, edge.marks.clone())).or_insert_with(|| {
                        classes.push((number, edge.marks.clone()));
                        classes.len() as u32 - 1
                    });
                    moves.push((class, edge.target));
                }
            }
            moves.sort_unstable();
            moves.dedup();
            moves
        })
    }
}
