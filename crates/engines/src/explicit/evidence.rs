//! Evidence for *holds*: the listed states, and a tree of reasons for each alternative ([`model::proof::listed`]), or, for
//! a CTL formula about some runs, the [`labels`] of its parts.
//!
//! A search ends with the knowledge that no fair run violates the property, but its automaton is not the reference
//! automaton that evidence is about. So the recursion of [`fair`](crate::graph::fair) runs once more, on the product
//! with the reference automaton, and writes down what it deletes and why.
//!
//! The *height* of a component is the length of the longest path to it among components, counted from the end. So an
//! edge that leaves a component leads to a lower one, and components of the same height have no edges between them.
//! Those with the same height and the same reason become one block. Blocks are numbered by height. This makes few
//! blocks, and they do not depend on the order of the search.
//!
//! If a component has no reason, some run is fair and the property does not hold. That cannot happen. If it does, the
//! tree is handed over all the same, and the judge refuses it.

mod labels;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use model::answer::Site;
use model::note::Unchecked;
use model::packing::Packing;
use model::proof::{Block, Listed, Missing, Reason, Tree};
use model::{Automaton, Session, StopReason, Task, ground, tableau};

use super::branching::Labelling;
use super::letters::{Letters, Predicates};
use super::product::{self, Product};
use super::requirements::{Alternative, OfActions};
use super::space::{Space, label};
use crate::graph::bits::Bits;
use crate::graph::scc::{Components, FoundComponent};
use crate::watch::{Watch, bytes_of};

/// The evidence that a task's property holds, on a space that is explored to its end. A product may have at most
/// `edge_limit` edges. For a CTL formula there is the labelling that decided it.
pub(super) fn listed<const W: usize>(
    space: &Space<'_, W>,
    task: &Task,
    is_invariant: bool,
    labelling: Option<&Labelling<'_, '_, W>>,
    edge_limit: u64,
    session: &Session<'_>,
) -> Result<Listed, Unchecked> {
    if space.size().1 > edge_limit {
        return Err(Unchecked::Large);
    }
    let mut listing = Listing::new(space);
    let mut listed = Listed { states: std::mem::take(&mut listing.states), ..Listed::default() };
    if is_invariant {
        return Ok(listed);
    }
    let automaton = tableau::violations(space.instance, &task.property.kind);
    // Without alternatives there are no trees, and a CTL formula without trees has labels.
    let has_trees = labelling.is_none() || !task.fairness.alternatives.is_empty();
    match (automaton.filter(|_| has_trees), labelling) {
        (Some(automaton), _) => {
            listed.trees = trees(space, task, &listing, &automaton, edge_limit, session)?;
        }
        (None, Some(labelling)) => listed.labels = labels::labels(labelling, task, &listing, edge_limit)?,
        (None, None) => return Err(Unchecked::Automaton),
    }
    Ok(listed)
}

/// The order in which states are listed: that of their words, which does not depend on the search. The words are those of
/// the declared ranges, because a reader of the proof knows no others.
struct Listing {
    /// The states of the space, in the order of the list.
    numbers: Vec<u32>,
    /// The packed states, in the order of the list.
    states: Vec<u64>,
    /// Per state of the space, its position in the list.
    positions: Vec<u32>,
}

impl Listing {
    fn new<const W: usize>(space: &Space<'_, W>) -> Listing {
        let packing = Packing::new(space.instance);
        let packed = |number: u32| {
            let mut words = vec![0; packing.words];
            packing.pack(&space.state(number), &mut words);
            (words, number)
        };
        let mut packed: Vec<(Vec<u64>, u32)> = space.numbers().map(packed).collect();
        packed.sort_unstable();
        packed.dedup();
        let numbers: Vec<u32> = packed.iter().map(|(_, number)| *number).collect();
        let states = packed.into_iter().flat_map(|(words, _)| words).collect();
        let mut positions = vec![u32::MAX; space.bound()];
        numbers.iter().zip(0..).for_each(|(number, position)| positions[*number as usize] = position);
        Listing { numbers, states, positions }
    }
}

/// The trees of all alternatives for the product with the reference automaton.
fn trees<const W: usize>(
    space: &Space<'_, W>,
    task: &Task,
    listing: &Listing,
    automaton: &Automaton,
    edge_limit: u64,
    session: &Session<'_>,
) -> Result<Vec<Tree>, Unchecked> {
    let mut predicates = Predicates::default();
    let atoms: Vec<usize> =
        automaton.atoms.iter().map(|atom| predicates.number(atom, Site::Property)).collect();
    let fairness = ground::fairness(space.instance, &task.fairness);
    let alternatives: Vec<Alternative> = fairness
        .alternatives
        .iter()
        .map(|assumption| Alternative::new(space.instance, assumption, &mut predicates))
        .collect();
    let mut letters = Letters::new(&space.successors.instance, &space.successors.packing, &predicates);
    // The search has found no fault.
    letters.evaluate(space).map_err(|_| Unchecked::Automaton)?;
    if !product::fits(space, automaton, usize::MAX)
        || product::table_bytes(&letters, automaton) >= session.memory
    {
        return Err(Unchecked::Automaton);
    }
    let mut trees = Vec::new();
    for alternative in &alternatives {
        let product = Product::new(space, &letters, automaton, &atoms, alternative);
        let held = space.bytes() + letters.bytes() + bytes_of(&listing.numbers) * (W as u64 * 2 + 1);
        let watch = Watch::new(session, "writing down why it holds", "product states", held);
        let mut division = Division::new(&product, &listing.positions, edge_limit, watch);
        division.run(product.roots().to_vec()).map_err(unchecked)?;
        trees.push(division.tree(&listing.numbers));
    }
    Ok(trees)
}

/// Why there is no evidence if writing it down was stopped.
fn unchecked(stop: StopReason) -> Unchecked {
    match stop {
        StopReason::Work => Unchecked::Large,
        _ => Unchecked::Limit,
    }
}

/// The product states of a block that is to be divided, and the edges that remain in it.
struct Pending {
    block: u32,
    nodes: Vec<u32>,
    part: Part,
}

/// Which edges of the product remain.
#[derive(Clone)]
struct Part {
    /// Requirements about actions, by number: no edge remains that leaves a state where one of the actions is enabled.
    disabled: Vec<u32>,
    /// Requirements about steps: no edge remains that satisfies `when` of one of these.
    broken: Bits,
}

/// A reason, and which edges remain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Trivial,
    Accept(usize),
    /// The requirement, and which edges remain: none, those that are left if these actions are not enabled, or those
    /// that do not trigger this requirement about steps.
    Never(usize, Rest),
    /// Steps that are not taken, in ascending order. Blocks do not share these.
    Uncovered(Vec<Missing>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Nothing,
    WithoutActions(u32),
    WithoutSteps(usize),
}

/// The block of product states that have not been reached.
const TOP: u32 = u32::MAX;
/// The block of product states that do not matter.
const EXCLUDED: u32 = u32::MAX - 1;

/// Divides the product states of one alternative into blocks.
struct Division<'d, 'p, 'a, const W: usize> {
    product: &'d Product<'p, Space<'a, W>>,
    /// Per state of the space, its position in the list.
    positions: &'d [u32],
    edge_limit: u64,
    watch: Watch<'d>,
    /// Per product state, the innermost block so far.
    addresses: Vec<u32>,
    heights: Vec<u32>,
    blocks: Vec<Block>,
}

impl<'d, 'p, 'a, const W: usize> Division<'d, 'p, 'a, W> {
    fn new(
        product: &'d Product<'p, Space<'a, W>>,
        positions: &'d [u32],
        edge_limit: u64,
        watch: Watch<'d>,
    ) -> Self {
        let nodes = product.space.bound() << product.shift;
        let (addresses, heights) = (vec![TOP; nodes], vec![0; nodes]);
        Division { product, positions, edge_limit, watch, addresses, heights, blocks: Vec::new() }
    }

    /// Leaves out all product states but these.
    fn restrict(&mut self, nodes: &Bits) {
        let others = self.addresses.iter_mut().enumerate().filter(|(node, _)| !nodes.contains(*node));
        others.for_each(|(_, address)| *address = EXCLUDED);
    }

    /// Divides what can be reached from these.
    fn run(&mut self, roots: Vec<u32>) -> Result<(), StopReason> {
        let mut search = Components::new(self.addresses.len());
        let whole = Part { disabled: Vec::new(), broken: self.product.whole() };
        let mut pending = vec![Pending { block: TOP, nodes: roots, part: whole }];
        while let Some(next) = pending.pop() {
            if next.block != TOP {
                search.admit(&next.nodes);
            }
            self.divide(&mut search, &next, &mut pending)?;
        }
        Ok(())
    }

    /// Whether no edge that leaves a node remains.
    fn is_stuck(&self, part: &Part, node: u32) -> bool {
        let state = self.product.state(node);
        part.disabled.iter().any(|r| self.product.is_enabled(state, *r))
    }

    /// The targets of the edges of a node that remain and lead to the same block.
    fn successors(&self, part: &Part, block: u32, node: u32, targets: &mut Vec<u32>) {
        if !self.is_stuck(part, node) {
            self.product.visit(&part.broken, node, |arc| {
                if self.addresses[arc.target as usize] == block {
                    targets.push(arc.target);
                }
            });
        }
    }

    /// Divides a block, or everything that can be reached.
    fn divide(
        &mut self,
        search: &mut Components,
        Pending { block, nodes, part }: &Pending,
        pending: &mut Vec<Pending>,
    ) -> Result<(), StopReason> {
        let edges = Cell::new(0u64);
        // The components, one after the other: nodes, and for each component its end, height and reason.
        let mut members: Vec<u32> = Vec::new();
        let mut components: Vec<(usize, u32, Why)> = Vec::new();
        let mut heights = std::mem::take(&mut self.heights);
        let mut targets = Vec::new();
        let this = &*self;
        let successors = |node: u32, targets: &mut Vec<u32>| {
            let before = targets.len();
            this.successors(part, *block, node, targets);
            edges.set(edges.get() + (targets.len() - before) as u64);
        };
        let mut ticks = 0u64;
        search.search(
            nodes,
            successors,
            || Ok(()),
            |found| {
                ticks += found.nodes.len() as u64;
                if edges.get() > this.edge_limit {
                    return Err(StopReason::Work);
                }
                let (mut height, mut is_trivial) = (0, true);
                for node in found.nodes.iter() {
                    targets.clear();
                    this.successors(part, *block, *node, &mut targets);
                    for target in &targets {
                        if found.contains(*target) {
                            is_trivial = false;
                        } else {
                            height = height.max(heights[*target as usize] + 1);
                        }
                    }
                }
                found.nodes.iter().for_each(|node| heights[*node as usize] = height);
                found.nodes.sort_unstable();
                let why = if is_trivial { Why::Trivial } else { this.reason(part, &found) };
                members.extend_from_slice(found.nodes);
                components.push((members.len(), height, why));
                Ok(())
            },
        )?;
        self.heights = heights;
        for _ in 0..ticks {
            let bytes = bytes_of(&self.addresses) * 3 + bytes_of(&members);
            self.watch.tick(|| bytes)?;
        }
        self.number(*block, part, &members, &components, pending);
        Ok(())
    }

    /// Gives the components of a block their numbers, and puts off those that are to be divided again.
    fn number(
        &mut self,
        block: u32,
        part: &Part,
        members: &[u32],
        components: &[(usize, u32, Why)],
        pending: &mut Vec<Pending>,
    ) {
        let first = self.blocks.len() as u32;
        let keys: BTreeSet<(u32, &Why)> = components.iter().map(|(_, height, why)| (*height, why)).collect();
        let numbers: BTreeMap<(u32, &Why), u32> = keys.into_iter().zip(first..).collect();
        let parent = (block != TOP).then_some(block);
        let mut inner: BTreeMap<u32, Pending> = BTreeMap::new();
        for ((_, why), number) in &numbers {
            let reason = match why {
                Why::Trivial => Reason::Trivial,
                Why::Accept(mark) => Reason::Accept(*mark),
                Why::Never(requirement, _) => Reason::Never(*requirement),
                Why::Uncovered(steps) => Reason::Uncovered(steps.clone()),
            };
            self.blocks.push(Block { parent, reason });
            let mut part = part.clone();
            match why {
                Why::Never(_, Rest::WithoutActions(r)) => part.disabled.push(*r),
                Why::Never(_, Rest::WithoutSteps(r)) => part.broken.insert(*r),
                Why::Uncovered(_) => {}
                Why::Trivial | Why::Accept(_) | Why::Never(_, Rest::Nothing) => continue,
            }
            inner.insert(*number, Pending { block: *number, nodes: Vec::new(), part });
        }
        let mut begin = 0;
        // Nodes that no remaining edge touches, with their blocks.
        let mut bare: Vec<(u32, u32)> = Vec::new();
        for (end, height, why) in components {
            let number = numbers[&(*height, why)];
            for node in &members[begin..*end] {
                self.addresses[*node as usize] = number;
                let Some(inner) = inner.get_mut(&number) else { continue };
                let state = self.positions[self.product.state(*node) as usize];
                match why {
                    Why::Uncovered(steps)
                        if steps.binary_search_by_key(&state, |step| step.state).is_ok() =>
                    {
                        bare.push((number, *node));
                    }
                    _ => inner.nodes.push(*node),
                }
            }
            begin = *end;
        }
        bare.sort_unstable();
        for same in bare.chunk_by(|a, b| a.0 == b.0) {
            let number = self.blocks.len() as u32;
            self.blocks.push(Block { parent: Some(same[0].0), reason: Reason::Trivial });
            same.iter().for_each(|(_, node)| self.addresses[*node as usize] = number);
        }
        pending.extend(inner.into_values().filter(|inner| !inner.nodes.is_empty()));
    }

    /// Steps by the positions of their states in the list, which do not depend on the order of the search.
    fn missing(&self, steps: &[(u32, u32)]) -> Vec<Missing> {
        let named = |(state, step): &(u32, u32)| {
            let steps = self.product.space.steps(*state);
            let position = |state: u32| self.positions[state as usize];
            let target = position(steps.targets[*step as usize]);
            Missing { state: position(*state), label: label(steps.labels[*step as usize]), target }
        };
        let mut missing: Vec<Missing> = steps.iter().map(named).collect();
        missing.sort_unstable();
        missing
    }

    /// Why no fair run stays in a component for ever, unless it takes fewer edges.
    fn reason(&self, part: &Part, component: &FoundComponent<'_>) -> Why {
        let product = self.product;
        let nodes = &component.nodes;
        let facts = product.facts(&part.broken, nodes, &|node| component.contains(node));
        if let Some(mark) = (0..product.marks).find(|mark| !facts.marks.contains(*mark)) {
            return Why::Accept(mark);
        }
        let alternative = product.alternative;
        let mut smaller = None;
        for (r, word) in alternative.of_actions.iter().enumerate().filter(|(r, _)| !facts.taken[*r]) {
            let number = alternative.action_numbers[r];
            let everywhere = facts.enabled[r] == nodes.len();
            match word {
                OfActions::Unconditional => return Why::Never(number, Rest::Nothing),
                OfActions::Weak | OfActions::Strong if everywhere => {
                    return Why::Never(number, Rest::Nothing);
                }
                OfActions::Strong if facts.enabled[r] > 0 => {
                    smaller = smaller.or(Some(Why::Never(number, Rest::WithoutActions(r as u32))));
                }
                OfActions::Weak | OfActions::Strong => {}
            }
        }
        for (r, (when, _)) in alternative.of_steps.iter().enumerate().filter(|(_, (_, t))| !facts.occurs(*t))
        {
            let number = alternative.step_numbers[r];
            match when {
                None => return Why::Never(number, Rest::Nothing),
                Some(when) if facts.occurs(*when) => {
                    smaller = smaller.or(Some(Why::Never(number, Rest::WithoutSteps(r))));
                }
                Some(_) => {}
            }
        }
        let uncovered = || {
            let steps = product.uncovered(&part.broken, nodes, &|node| component.contains(node));
            (alternative.global && !steps.is_empty()).then(|| Why::Uncovered(self.missing(&steps)))
        };
        smaller.or_else(uncovered).unwrap_or(Why::Trivial)
    }

    /// The tree, with the states in the order of the list.
    fn tree(self, numbers: &[u32]) -> Tree {
        let Division { product, addresses, blocks, .. } = self;
        let width = product.states_of_automaton();
        let of_state = |number: &u32| {
            let first = (*number as usize) << product.shift;
            let known = |address: &u32| if *address == EXCLUDED { Tree::OUTSIDE } else { *address };
            addresses[first..first + width].iter().map(known)
        };
        Tree { addresses: numbers.iter().flat_map(of_state).collect(), blocks }
    }
}
