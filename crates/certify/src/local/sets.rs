//! The sets of a proof: whether its diagrams are well formed, and what they say of a state.
//!
//! A diagram of the proof becomes a literal by reading each node as a choice. About a successor a diagram says the
//! same as about the state unless the step writes a cell it depends on; its *support* tells. Everything here walks the
//! nodes in their order or with a stack of its own, so the depth of a diagram is of no account.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use model::instance::Environment;
use model::proof::{Local, Root, Test};
use model::{Expr, Instance, ground};

use super::circuit::{Lit, Values};
use super::encoder::{Encoder, Halt, Scope, Writes};

/// The sets of one proof.
pub(crate) struct Sets<'p> {
    local: &'p Local,
    /// Per exposed predicate, the cells it depends on.
    reads: Vec<BTreeSet<usize>>,
    /// Per exposed predicate, its truth in the state of the inputs.
    exposed: Vec<Lit>,
    /// Diagrams in the state of the inputs.
    known: HashMap<Root, Lit>,
    supports: HashMap<Root, Rc<BTreeSet<usize>>>,
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
        Ok(Sets { local, reads, exposed, known: HashMap::new(), supports: HashMap::new() })
    }

    /// What differs in the state with these writes.
    pub(crate) fn successor(&self, encoder: &mut Encoder<'_>, writes: Writes) -> Result<Successor, Halt> {
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
            let node = self.local.diagrams.nodes[number];
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
            let node = self.local.diagrams.nodes[number];
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
            let node = self.local.diagrams.nodes[number];
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
