//! The sets of a proof: whether its diagrams are well formed, and whether they contain a state.
//!
//! A diagram of the proof becomes a literal; each node is a choice. A successor belongs to a diagram iff the state
//! does, unless the step writes a cell in the *support* of the diagram. All functions walk the nodes in their order or
//! with an explicit stack, so the depth of a diagram does not matter.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use model::instance::Environment;
use model::proof::{Local, Node, Root, Test};
use model::{Expr, Instance, ground};

use super::circuit::{Lit, Values};
use super::encoder::{Encoder, Halt, Scope, Writes};
use super::implication::{Becomes, Facts, TestEffects};
use rustc_hash::FxHashMap;

/// The sets of one proof.
pub(crate) struct Sets<'p> {
    local: &'p Local,
    /// The nodes of the proof, followed by those of unions.
    nodes: Vec<Node>,
    /// The place of each test in an order that all diagrams follow, if there is one.
    order: HashMap<Test, u32>,
    /// The test at each place.
    placed: Vec<Test>,
    /// Per node, the place of its test.
    places: Vec<u32>,
    /// Whether the tests of every diagram are in order.
    is_ordered: bool,
    /// Per gate that is a test of the state of the inputs, the place of the test.
    gates: FxHashMap<usize, u32>,
    /// Per cell, the tests that depend on it.
    tests: FxHashMap<usize, Vec<Test>>,
    unions: FxHashMap<(Root, Root), Root>,
    interned: FxHashMap<Node, Root>,
    /// Per exposed predicate, the cells it depends on.
    reads: Vec<BTreeSet<usize>>,
    /// Per exposed predicate, its truth in the state of the inputs.
    exposed: Vec<Lit>,
    /// The literals of diagrams for the state of the inputs.
    known: SetLiterals,
    supports: FxHashMap<Root, Rc<BTreeSet<usize>>>,
}

/// The literals of diagrams for one state.
pub(crate) type SetLiterals = FxHashMap<Root, Lit>;

/// Limit on the nodes of unions.
const NODES: usize = 1_000_000;

/// An order of tests in which the test of a node comes before those below it, as far as there is one.
fn order(nodes: &[Node]) -> HashMap<Test, u32> {
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
        let place = order.len() as u32;
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
        let place = order.len() as u32;
        order.entry(*test).or_insert(place);
    }
    order
}

/// How a successor differs from the state.
pub(crate) struct Successor {
    /// The cells that are written.
    pub(crate) writes: Writes,
    /// The exposed predicates that may change.
    exposed: BTreeMap<usize, Lit>,
}

/// The first error in the form of a proof.
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
            Test::Bit { cell, bit } => instance.cells.get(cell).is_some_and(|cell| bit < cell.domain.bits()),
        };
        if !exists {
            return Some(format!("node {number} tests what does not exist"));
        }
    }
    if local.invariants.len() != instance.processes.len() && local.invariants.len() != 1 {
        let (given, processes) = (local.invariants.len(), instance.processes.len());
        return Some(format!("there are {given} local invariants for {processes} processes"));
    }
    let bad = local.invariants.iter().position(|root| !is_root(local, *root))?;
    Some(format!("the invariant of {} is a diagram that does not exist", subject(instance, local, bad)))
}

/// What an invariant is about.
pub(crate) fn subject<'i>(instance: &'i Instance, local: &Local, invariant: usize) -> &'i str {
    match instance.processes.get(invariant) {
        Some(process) if local.invariants.len() == instance.processes.len() => &process.name,
        _ => "the whole system",
    }
}

/// Whether a diagram exists.
pub(crate) fn is_root(local: &Local, root: Root) -> bool {
    root.node().is_none_or(|node| node < local.diagrams.nodes.len())
}

/// Whether an expression is a ground predicate of the instance that is not too deep to be evaluated.
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
        let places: Vec<u32> = nodes.iter().map(|node| order[&node.test]).collect();
        let below = |node: &Node| [node.no, node.yes].into_iter().filter_map(Root::node).collect::<Vec<_>>();
        let is_ordered =
            nodes.iter().zip(&places).all(|(node, place)| below(node).iter().all(|b| place < &places[*b]));
        let mut sets = Sets {
            local,
            nodes,
            placed: Vec::new(),
            order,
            places,
            is_ordered,
            gates: HashMap::default(),
            tests: HashMap::default(),
            unions: HashMap::default(),
            interned: HashMap::default(),
            reads,
            exposed,
            known: HashMap::default(),
            supports: HashMap::default(),
        };
        for (number, node) in local.diagrams.nodes.iter().enumerate() {
            sets.interned.insert(*node, Root(number as u32 + 2));
        }
        let mut tests: Vec<(Test, u32)> = sets.order.iter().map(|(test, place)| (*test, *place)).collect();
        tests.sort_unstable_by_key(|(_, place)| *place);
        sets.placed = tests.iter().map(|(test, _)| *test).collect();
        tests.sort_unstable();
        for (test, place) in tests {
            let lit = sets.test(encoder, test, None);
            if lit.gate() != 0 {
                sets.gates.entry(lit.gate()).or_insert(2 * place + u32::from(lit.is_negated()));
            }
            match test {
                Test::Bit { cell, .. } => sets.tests.entry(cell).or_default().push(test),
                Test::Exposed(number) => {
                    for cell in &sets.reads[number] {
                        sets.tests.entry(*cell).or_default().push(test);
                    }
                }
            }
        }
        Ok(sets)
    }

    /// The place of the first test of a diagram that is not constant.
    pub(crate) fn place(&self, root: Root) -> u32 {
        root.node().map_or(u32::MAX, |node| self.places[node])
    }

    /// If a literal is a test of the state of the inputs: its place, the test, and the outcome that makes the literal
    /// true.
    pub(crate) fn literal(&self, lit: Lit) -> Option<(u32, Test, bool)> {
        let found = *self.gates.get(&lit.gate())?;
        let (place, is_negated) = (found / 2, found % 2 == 1);
        Some((place, self.placed[place as usize], is_negated == lit.is_negated()))
    }

    /// The branch of a diagram for this outcome of its first test.
    pub(crate) fn below(&self, root: Root, outcome: bool) -> Root {
        let below = |node: usize| if outcome { self.nodes[node].yes } else { self.nodes[node].no };
        root.node().map_or(root, below)
    }

    /// What is known about tests where all facts are true, and after a step from there.
    pub(crate) fn test_effects(
        &self,
        encoder: &Encoder<'_>,
        facts: &[Lit],
        successor: Option<&Successor>,
    ) -> TestEffects {
        let mut known = Facts::new(&encoder.circuit, facts);
        self.effects(encoder, &encoder.cells_of(facts), &mut |lit| known.truth(lit), successor)
    }

    /// The same, if something is known about these cells: `truth` says what.
    pub(crate) fn effects(
        &self,
        encoder: &Encoder<'_>,
        cells: &BTreeSet<usize>,
        truth: &mut dyn FnMut(Lit) -> Option<bool>,
        successor: Option<&Successor>,
    ) -> TestEffects {
        let mut test_effects = TestEffects::default();
        for test in self.tests_of(cells) {
            if let Some(outcome) = truth(self.test(encoder, test, None)) {
                test_effects.before.insert(self.order[&test], outcome);
            }
        }
        for (test, new) in self.changed(encoder, successor) {
            let becomes = match (truth(new), self.gates.get(&new.gate())) {
                (Some(outcome), _) => Becomes::Known(outcome),
                (None, Some(place)) => Becomes::Test(place / 2, (place % 2 == 1) != new.is_negated()),
                (None, None) => Becomes::Other,
            };
            test_effects.after.insert(self.order[&test], becomes);
        }
        // If tests are out of order, no diagram is known to be free of tests that change.
        test_effects.last = if test_effects.after.is_empty() {
            None
        } else if self.is_ordered {
            test_effects.after.keys().copied().max()
        } else {
            Some(u32::MAX)
        };
        test_effects
    }

    /// The tests that a step may change, and what they are afterwards.
    fn changed(&self, encoder: &Encoder<'_>, successor: Option<&Successor>) -> Vec<(Test, Lit)> {
        let written = successor.into_iter().flat_map(|successor| successor.writes.keys().copied()).collect();
        let tests = self.tests_of(&written).into_iter();
        let tests = tests.map(|test| (test, self.test(encoder, test, successor)));
        tests.filter(|(test, new)| self.test(encoder, *test, None) != *new).collect()
    }

    /// What becomes of the tests that a step changes and does not copy from other tests.
    pub(crate) fn computed(&self, encoder: &Encoder<'_>, successor: Option<&Successor>) -> Vec<Lit> {
        let changed = self.changed(encoder, successor).into_iter().map(|(_, new)| new);
        changed.filter(|new| !self.gates.contains_key(&new.gate())).collect()
    }

    fn tests_of(&self, cells: &BTreeSet<usize>) -> BTreeSet<Test> {
        cells.iter().filter_map(|cell| self.tests.get(cell)).flatten().copied().collect()
    }

    /// The union of two sets; `None` if it is too large.
    pub(crate) fn union(&mut self, a: Root, b: Root) -> Option<Root> {
        let mut pending = vec![(a.min(b), a.max(b))];
        while let Some((a, b)) = pending.pop() {
            if self.joined(a, b).is_some() {
                continue;
            }
            if self.nodes.len() > NODES + self.local.diagrams.nodes.len() {
                return None;
            }
            let (x, y) = (self.nodes[a.node()?], self.nodes[b.node()?]);
            let test = if self.place(a) <= self.place(b) { x.test } else { y.test };
            let part = |root: Root, node: Node, yes: bool| match (node.test == test, yes) {
                (false, _) => root,
                (true, true) => node.yes,
                (true, false) => node.no,
            };
            let [no, yes] = [false, true].map(|outcome| {
                let (a, b) = (part(a, x, outcome), part(b, y, outcome));
                (a.min(b), a.max(b))
            });
            let (Some(below), Some(beside)) = (self.joined(no.0, no.1), self.joined(yes.0, yes.1)) else {
                pending.extend([(a, b), no, yes]);
                continue;
            };
            let root = self.node(Node { test, no: below, yes: beside });
            self.unions.insert((a, b), root);
        }
        self.joined(a.min(b), a.max(b))
    }

    /// The union of two sets, the lesser first, if it has been computed.
    fn joined(&self, a: Root, b: Root) -> Option<Root> {
        match a {
            _ if a == b => Some(b),
            Root::FALSE => Some(b),
            Root::TRUE => Some(Root::TRUE),
            _ => self.unions.get(&(a, b)).copied(),
        }
    }

    /// The diagram that begins with this node.
    pub(crate) fn node(&mut self, node: Node) -> Root {
        if node.no == node.yes {
            return node.no;
        }
        let next = Root(self.nodes.len() as u32 + 2);
        let root = *self.interned.entry(node).or_insert(next);
        if root == next {
            self.nodes.push(node);
            self.places.push(self.order[&node.test]);
        }
        root
    }

    /// The successor with these writes.
    pub(crate) fn successor(&mut self, encoder: &mut Encoder<'_>, writes: Writes) -> Result<Successor, Halt> {
        let mut exposed = BTreeMap::new();
        for (number, reads) in self.reads.iter().enumerate() {
            if writes.keys().any(|cell| reads.contains(cell)) {
                let predicate = &self.local.exposed[number].predicate;
                let scope = &mut Scope::state(&writes, Environment::default());
                exposed.insert(number, encoder.predicate(predicate, scope)?.0);
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

    /// Removes literals whose gates come from this one on.
    pub(crate) fn forget(&mut self, gate: usize) {
        self.known.retain(|_, lit| lit.gate() < gate);
    }

    /// Whether a successor belongs to a set. `known` remembers the literals of this successor.
    pub(crate) fn holds_after(
        &mut self,
        encoder: &mut Encoder<'_>,
        root: Root,
        successor: &Successor,
        known: &mut SetLiterals,
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
        known: &mut SetLiterals,
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
    pub(crate) fn support(&mut self, root: Root) -> Rc<BTreeSet<usize>> {
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
