//! The sets of a proof: whether its diagrams are well formed, and what they say of a state.
//!
//! A diagram of the proof becomes a literal by reading each node as a choice. About a successor a diagram says the
//! same as about the state unless the step writes a cell it depends on; its *support* tells. Everything here walks the
//! nodes in their order or with a stack of its own, so the depth of a diagram is of no account.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use model::instance::Environment;
use model::proof::{Local, Node, Root, Test};
use model::{Expr, Instance, ground};

use super::circuit::{Lit, Values};
use super::encoder::{Encoder, Halt, Scope, Writes};

/// The sets of one proof.
pub(crate) struct Sets<'p> {
    local: &'p Local,
    /// The nodes of the proof, and those of unions.
    nodes: Vec<Node>,
    /// The place of each test in an order that the diagrams follow, if there is one.
    order: HashMap<Test, usize>,
    unions: HashMap<(Root, Root), Root>,
    interned: HashMap<Node, Root>,
    /// Per gate that is a test, its place in the order.
    pub(crate) ranks: HashMap<usize, usize>,
    /// Per exposed predicate, the cells it depends on.
    reads: Vec<BTreeSet<usize>>,
    /// Per exposed predicate, its truth in the state of the inputs.
    exposed: Vec<Lit>,
    /// Diagrams in the state of the inputs.
    known: HashMap<Root, Lit>,
    supports: HashMap<Root, Rc<BTreeSet<usize>>>,
}

/// Deeper unions are not built, nor more nodes than this.
const DEPTH: usize = 1500;
const NODES: usize = 1_000_000;

/// An order of tests in which those of a node come before those below it, as far as there is one.
fn order(nodes: &[Node]) -> HashMap<Test, usize> {
    let mut after: BTreeMap<Test, BTreeSet<Test>> = BTreeMap::new();
    for node in nodes {
        let below = [node.no, node.yes].into_iter().filter_map(Root::node).map(|below| nodes[below].test);
        after.entry(node.test).or_default().extend(below.filter(|test| *test != node.test));
    }
    let mut waits: BTreeMap<Test, usize> = after.keys().map(|test| (*test, 0)).collect();
    for test in after.values().flatten() {
        *waits.entry(*test).or_default() += 1;
    }
    let mut ready: Vec<Test> =
        waits.iter().filter(|(_, count)| **count == 0).map(|(test, _)| *test).collect();
    let mut order = HashMap::new();
    while let Some(test) = ready.pop() {
        let place = order.len();
        order.insert(test, place);
        for next in &after[&test] {
            if let Some(count) = waits.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    ready.push(*next);
                }
            }
        }
    }
    for test in after.keys() {
        let place = order.len();
        order.entry(*test).or_insert(place);
    }
    order
}

/// What differs in a successor.
pub(crate) struct Successor {
    /// The cells.
    pub(crate) writes: Writes,
    /// The exposed predicates that may.
    exposed: BTreeMap<usize, Lit>,
}

/// The first thing that is wrong with the form of a proof.
pub(crate) fn ill_formed(instance: &Instance, local: &Local) -> Option<String> {
    for (number, exposed) in local.exposed.iter().enumerate() {
        if exposed.process.0 as usize >= instance.processes.len() {
            return Some(format!("exposed predicate {number} is of process number {}", exposed.process.0));
        }
        if !is_ground(instance, &exposed.predicate) {
            return Some(format!("exposed predicate {number} is no ground predicate of the cells"));
        }
    }
    for (number, node) in local.diagrams.nodes.iter().enumerate() {
        for below in [node.no, node.yes] {
            if below.node().is_some_and(|below| below >= number) {
                return Some(format!("node {number} stands before a node below it"));
            }
        }
        let exists = match node.test {
            Test::Exposed(exposed) => exposed < local.exposed.len(),
            Test::Bit { cell, bit } => instance.cells.get(cell).is_some_and(|cell| {
                bit < u64::BITS - cell.domain.hi.abs_diff(cell.domain.lo).leading_zeros()
            }),
        };
        if !exists {
            return Some(format!("node {number} tests what does not exist"));
        }
    }
    if local.invariants.len() != instance.processes.len() {
        let (given, processes) = (local.invariants.len(), instance.processes.len());
        return Some(format!("there are {given} local invariants for {processes} processes"));
    }
    let bad = local.invariants.iter().position(|root| !is_root(local, *root))?;
    Some(format!("the invariant of {} is a diagram that does not exist", instance.processes[bad].name))
}

/// Whether a diagram exists.
pub(crate) fn is_root(local: &Local, root: Root) -> bool {
    root.node().is_none_or(|node| node < local.diagrams.nodes.len())
}

/// Whether an expression is a ground predicate of the instance, and not too deep to be evaluated.
fn is_ground(instance: &Instance, expr: &Expr) -> bool {
    let mut pending = vec![(expr, 0)];
    while let Some((expr, depth)) = pending.pop() {
        let fits = match expr {
            Expr::Index(_)
            | Expr::Parameter(_)
            | Expr::Quantified(..)
            | Expr::Taken(_)
            | Expr::Enabled(_) => false,
            Expr::Read(place) => {
                instance.system.variables.get(place.variable.0 as usize).is_some_and(|variable| {
                    let indexed =
                        variable.owner.is_some_and(|family| instance.system.family(family).index.is_some());
                    place.process.is_some() == indexed
                        && place.position.len() == variable.kind.dimensions.len()
                })
            }
            _ => true,
        };
        if !fits || depth > 200 {
            return false;
        }
        pending.extend(expr.children().into_iter().map(|child| (child, depth + 1)));
    }
    true
}

impl<'p> Sets<'p> {
    /// The sets of a well-formed proof.
    pub(crate) fn new(encoder: &mut Encoder<'_>, local: &'p Local) -> Result<Sets<'p>, Halt> {
        let mut reads = Vec::with_capacity(local.exposed.len());
        let mut exposed = Vec::with_capacity(local.exposed.len());
        let state = Writes::new();
        for predicate in local.exposed.iter().map(|exposed| &exposed.predicate) {
            reads.push(ground::reads(encoder.instance, predicate));
            let scope = &mut Scope::state(&state, Environment::default());
            exposed.push(encoder.predicate(predicate, scope)?.0);
        }
        let nodes = local.diagrams.nodes.clone();
        let order = order(&nodes);
        let mut sets = Sets {
            local,
            nodes,
            order,
            unions: HashMap::new(),
            interned: HashMap::new(),
            ranks: HashMap::new(),
            reads,
            exposed,
            known: HashMap::new(),
            supports: HashMap::new(),
        };
        for (number, node) in local.diagrams.nodes.iter().enumerate() {
            sets.interned.insert(*node, Root(number as u32 + 2));
            let gate = sets.test(encoder, node.test, None).gate();
            if gate != 0 {
                sets.ranks.insert(gate, sets.order[&node.test]);
            }
        }
        Ok(sets)
    }

    /// The union of two sets; `None` if it is too large.
    pub(crate) fn union(&mut self, a: Root, b: Root) -> Option<Root> {
        self.union_within(a, b, 0)
    }

    fn union_within(&mut self, a: Root, b: Root, depth: usize) -> Option<Root> {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == Root::FALSE {
            return Some(b);
        }
        if a == Root::TRUE {
            return Some(Root::TRUE);
        }
        if let Some(known) = self.unions.get(&(a, b)) {
            return Some(*known);
        }
        if depth > DEPTH || self.nodes.len() > NODES + self.local.diagrams.nodes.len() {
            return None;
        }
        let top = |root: Root| root.node().map(|number| self.nodes[number]);
        let (x, y) = (top(a)?, top(b)?);
        let test = if self.order[&x.test] <= self.order[&y.test] { x.test } else { y.test };
        let part = |root: Root, node: Node, yes: bool| match (node.test == test, yes) {
            (false, _) => root,
            (true, true) => node.yes,
            (true, false) => node.no,
        };
        let no = self.union_within(part(a, x, false), part(b, y, false), depth + 1)?;
        let yes = self.union_within(part(a, x, true), part(b, y, true), depth + 1)?;
        let root = if no == yes {
            no
        } else {
            let node = Node { test, no, yes };
            let next = Root(self.nodes.len() as u32 + 2);
            let root = *self.interned.entry(node).or_insert(next);
            if root == next {
                self.nodes.push(node);
            }
            root
        };
        self.unions.insert((a, b), root);
        Some(root)
    }

    /// What differs in the state with these writes.
    pub(crate) fn successor(&mut self, encoder: &mut Encoder<'_>, writes: Writes) -> Result<Successor, Halt> {
        let mut exposed = BTreeMap::new();
        for (number, reads) in self.reads.iter().enumerate() {
            if writes.keys().any(|cell| reads.contains(cell)) {
                let predicate = &self.local.exposed[number].predicate;
                let scope = &mut Scope::state(&writes, Environment::default());
                exposed.insert(number, encoder.predicate(predicate, scope)?.0);
            }
        }
        let bits = writes.iter().flat_map(|(cell, bits)| {
            (0..).zip(bits).map(|(bit, lit)| (Test::Bit { cell: *cell, bit }, *lit)).collect::<Vec<_>>()
        });
        let told = exposed.iter().map(|(number, lit)| (Test::Exposed(*number), *lit));
        for (test, lit) in bits.chain(told).collect::<Vec<_>>() {
            if let Some(place) = self.order.get(&test)
                && lit.gate() != 0
            {
                self.ranks.entry(lit.gate()).or_insert(*place);
            }
        }
        Ok(Successor { writes, exposed })
    }

    /// Whether the state of the inputs belongs to a set.
    pub(crate) fn holds(&mut self, encoder: &mut Encoder<'_>, root: Root) -> Result<Lit, Halt> {
        let mut known = std::mem::take(&mut self.known);
        let lit = self.read(encoder, root, None, &mut known);
        self.known = known;
        lit
    }

    /// Forgets literals whose gates come from this one on.
    pub(crate) fn forget(&mut self, gate: usize) {
        self.known.retain(|_, lit| lit.gate() < gate);
    }

    /// Whether a successor belongs to a set, which it may have to be told anew; `known` remembers of one successor.
    pub(crate) fn holds_after(
        &mut self,
        encoder: &mut Encoder<'_>,
        root: Root,
        successor: &Successor,
        known: &mut HashMap<Root, Lit>,
    ) -> Result<Lit, Halt> {
        if self.is_touched(root, successor) {
            self.read(encoder, root, Some(successor), known)
        } else {
            self.holds(encoder, root)
        }
    }

    /// Whether a set depends on a cell that differs in a successor.
    pub(crate) fn is_touched(&mut self, root: Root, successor: &Successor) -> bool {
        let support = self.support(root);
        successor.writes.keys().any(|cell| support.contains(cell))
    }

    /// Whether the state of the inputs, or a successor, belongs to a set for these values of the inputs.
    pub(crate) fn contains(
        &self,
        encoder: &Encoder<'_>,
        root: Root,
        successor: Option<&Successor>,
        values: &Values,
    ) -> bool {
        let mut root = root;
        while let Some(number) = root.node() {
            let node = self.nodes[number];
            root = if values.of(self.test(encoder, node.test, successor)) { node.yes } else { node.no };
        }
        root == Root::TRUE
    }

    fn test(&self, encoder: &Encoder<'_>, test: Test, successor: Option<&Successor>) -> Lit {
        match test {
            Test::Bit { cell, bit } => {
                let written = successor.and_then(|successor| successor.writes.get(&cell));
                written.unwrap_or(&encoder.cells[cell])[bit as usize]
            }
            Test::Exposed(number) => {
                let changed = successor.and_then(|successor| successor.exposed.get(&number));
                *changed.unwrap_or(&self.exposed[number])
            }
        }
    }

    fn read(
        &self,
        encoder: &mut Encoder<'_>,
        root: Root,
        successor: Option<&Successor>,
        known: &mut HashMap<Root, Lit>,
    ) -> Result<Lit, Halt> {
        let constant = |root: Root| root.node().is_none().then(|| Lit::constant(root == Root::TRUE));
        let mut pending = vec![root];
        while let Some(next) = pending.pop() {
            let Some(number) = next.node().filter(|_| !known.contains_key(&next)) else { continue };
            let node = self.nodes[number];
            let below =
                [node.no, node.yes].map(|below| constant(below).or_else(|| known.get(&below).copied()));
            let [Some(no), Some(yes)] = below else {
                pending.extend([next, node.no, node.yes]);
                continue;
            };
            encoder.tick()?;
            let test = self.test(encoder, node.test, successor);
            let lit = encoder.circuit.choose(test, yes, no);
            known.insert(next, lit);
        }
        Ok(constant(root).unwrap_or_else(|| known[&root]))
    }

    /// The cells a set depends on.
    fn support(&mut self, root: Root) -> Rc<BTreeSet<usize>> {
        if let Some(known) = self.supports.get(&root) {
            return Rc::clone(known);
        }
        let mut support = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = vec![root];
        while let Some(next) = pending.pop() {
            let Some(number) = next.node().filter(|number| seen.insert(*number)) else { continue };
            let node = self.nodes[number];
            match node.test {
                Test::Bit { cell, .. } => {
                    support.insert(cell);
                }
                Test::Exposed(exposed) => support.extend(&self.reads[exposed]),
            }
            pending.extend([node.no, node.yes]);
        }
        let support = Rc::new(support);
        self.supports.insert(root, Rc::clone(&support));
        support
    }
}
