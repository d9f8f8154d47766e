//! Whether some fair run of the product stays in it for ever, decided by taking away what no fair run can use.
//!
//! This is the algorithm *one way catch them young* [CP03], for justice and compassion together. Nodes that no edge enters
//! are taken away first, and whenever some have become so. Then every node gets the bits that are shown on any path to it
//! inside what is left. A node is taken away if a requirement is missing there that every fair run must show, or that must
//! be shown because an action with strong fairness is enabled there. An edge that is a `when` of some requirement is taken
//! away if neither it nor a path to it shows the `then`. This is repeated until nothing changes.
//!
//! What is taken away lies in no fair set: in a fair set, a path leads from each edge to each node, so all bits it shows
//! reach all its nodes. If something is left at the end, take a component of it that no remaining edge enters. It has an
//! edge, since every node is entered, and all bits of its nodes are shown inside. So it is a fair set.
//!
//! A round of a phase goes on until nothing changes in one's own part. What is owed to a ghost is gathered meanwhile and
//! posted at the end of the round.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;

use super::explore::{Desk, GHOST, Part};
use super::nodes::{ENTERED, Edge, Mask, Nodes, is_empty, or, sum, with, without};
use super::{Carrier, Halt, Outbox, Phase, Table};
use crate::machine::prefetch;

/// How many nodes are worked on together, so that their cache misses overlap.
const GROUP: usize = 16;

/// Whether a fair run stays in the product. The part is returned for other questions.
pub(super) fn has_fair_set<const B: usize, C: Carrier>(
    carrier: &mut C,
    part: Part,
    table: Table<B>,
    desk: &Desk,
) -> Result<(bool, Part), Halt> {
    let Left { nodes, count, .. } = what_is_left(carrier, part, table, desk)?;
    Ok((count > 0, nodes.part))
}

/// What is left in the end.
pub(super) struct Left<const B: usize> {
    pub(super) nodes: Nodes<B>,
    /// Per own node, whether it is left.
    pub(super) alive: Vec<bool>,
    /// How many are left at all workers.
    pub(super) count: u64,
}

/// Takes away what no fair run can use.
pub(super) fn what_is_left<const B: usize, C: Carrier>(
    carrier: &mut C,
    part: Part,
    table: Table<B>,
    desk: &Desk,
) -> Result<Left<B>, Halt> {
    desk.gauge.begin(1);
    let nodes = Nodes::new(carrier.me(), part, table)?;
    let (nodes, met) = reachable(carrier, nodes, desk)?;
    let alive: Vec<bool> =
        met.iter().enumerate().map(|(node, met)| *met && nodes.is_accepting(node as u32)).collect();
    desk.gauge.begin(2);
    let number = |alive: &[bool]| alive.iter().filter(|alive| **alive).count() as u64;
    let mut trim = Trim::new(nodes, alive, desk);
    trim.count_degrees();
    trim = carrier.run(trim)?;
    trim.remove_unentered();
    trim = carrier.run(trim)?;
    let mut count = sum(carrier, &[number(&trim.alive)])?[0];
    let mut old: Option<Vec<Mask<B>>> = None;
    while count > 0 {
        let shown = carrier.run(Shown::new(trim, old))?;
        let changed = if shown.trim.nodes.has_when { shown.changed() } else { 0 };
        let Shown { trim: after, masks, .. } = shown;
        trim = after;
        let removed = trim.remove_lacking(&masks);
        old = trim.nodes.has_when.then_some(masks);
        trim = carrier.run(trim)?;
        let total = sum(carrier, &[number(&trim.alive), removed, changed])?;
        count = total[0];
        if total[1] == 0 && total[2] == 0 {
            break;
        }
    }
    Ok(Left { nodes: trim.nodes, alive: trim.alive, count })
}

/// The nodes that can be reached from the initial ones.
pub(super) fn reachable<const B: usize, C: Carrier>(
    carrier: &mut C,
    nodes: Nodes<B>,
    desk: &Desk,
) -> Result<(Nodes<B>, Vec<bool>), Halt> {
    let (own, ghosts) = (nodes.own(), nodes.ghosts());
    let mut reach = Reach {
        met: vec![false; own],
        ghosts: vec![false; ghosts],
        queue: VecDeque::new(),
        targets: Vec::new(),
        desk: desk.clone(),
        nodes,
    };
    for state in reach.nodes.part.initial.clone() {
        for q in reach.nodes.table.initial.clone() {
            reach.meet(state << reach.nodes.table.shift | q);
        }
    }
    let reach = carrier.run(reach)?;
    Ok((reach.nodes, reach.met))
}

/// Finds the reachable nodes.
struct Reach<const B: usize> {
    nodes: Nodes<B>,
    met: Vec<bool>,
    ghosts: Vec<bool>,
    queue: VecDeque<u32>,
    targets: Vec<u32>,
    desk: Desk,
}

impl<const B: usize> Reach<B> {
    #[inline]
    fn meet(&mut self, node: u32) {
        if !std::mem::replace(&mut self.met[node as usize], true) {
            self.queue.push_back(node);
        }
    }
}

impl<const B: usize> Phase for Reach<B> {
    fn receive(&mut self, _: usize, _: usize, messages: &[u64], _: &mut Outbox) -> Result<(), Halt> {
        messages.iter().for_each(|node| self.meet(*node as u32));
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let bytes =
            self.nodes.part.bytes() + (self.met.len() + self.ghosts.len() + self.queue.len() * 4) as u64;
        self.desk.gauge.check(bytes, self.desk.memory)?;
        for _ in 0..quantum.div_ceil(GROUP) {
            let Reach { nodes, met, ghosts, queue, targets, .. } = self;
            targets.clear();
            for node in queue.drain(..GROUP.min(queue.len())) {
                nodes.visit(node, |edge| {
                    let place = (edge.target & !GHOST) as usize;
                    prefetch(if edge.target & GHOST == 0 { &met[place] } else { &ghosts[place] });
                    targets.push(edge.target);
                });
            }
            for target in targets.iter() {
                let node = target & !GHOST;
                if target & GHOST == 0 {
                    if !std::mem::replace(&mut met[node as usize], true) {
                        queue.push_back(node);
                    }
                } else if !std::mem::replace(&mut ghosts[node as usize], true) {
                    let (owner, there) = nodes.address(node);
                    out.post(owner, 0, &[there]);
                }
            }
            if queue.is_empty() {
                self.desk.gauge.round.fetch_add(1, Relaxed);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn goes_on(&self) -> bool {
        !self.queue.is_empty()
    }
}

/// Takes away nodes that no edge enters. First it counts the edges that enter each node.
struct Trim<const B: usize> {
    nodes: Nodes<B>,
    alive: Vec<bool>,
    /// How many edges from nodes that are left enter each node.
    degrees: Vec<u32>,
    /// Whether edges are counted, and not taken away.
    counts: bool,
    /// The nodes whose edges are to be counted or taken away.
    queue: VecDeque<u32>,
    /// How many edges enter each node of a ghost since this was last posted, and where it is not zero.
    owed: Vec<u32>,
    owing: Vec<u32>,
    targets: Vec<u32>,
    desk: Desk,
}

impl<const B: usize> Trim<B> {
    fn new(nodes: Nodes<B>, alive: Vec<bool>, desk: &Desk) -> Trim<B> {
        let (own, ghosts) = (nodes.own(), nodes.ghosts());
        Trim {
            nodes,
            alive,
            degrees: vec![0; own],
            counts: true,
            queue: VecDeque::new(),
            owed: vec![0; ghosts],
            owing: Vec::new(),
            targets: Vec::new(),
            desk: desk.clone(),
        }
    }

    /// Lets the next phase count edges.
    fn count_degrees(&mut self) {
        self.counts = true;
        self.queue = (0..self.alive.len() as u32).filter(|node| self.alive[*node as usize]).collect();
    }

    /// Lets the next phase take away the nodes that no edge enters.
    fn remove_unentered(&mut self) {
        self.counts = false;
        for node in 0..self.alive.len() {
            if self.alive[node] && self.degrees[node] == 0 {
                self.remove(node as u32);
            }
        }
    }

    /// Lets the next phase take away nodes that lack a bit. Returns how many lack one.
    fn remove_lacking(&mut self, masks: &[Mask<B>]) -> u64 {
        let always = with(self.nodes.table.always, ENTERED);
        let strong = self.nodes.table.strong;
        let mut removed = 0;
        for (node, mask) in masks.iter().enumerate() {
            if !self.alive[node] {
                continue;
            }
            let mut needed = always;
            if !is_empty(&strong) {
                let enabled = self.nodes.enabled(self.nodes.state(node as u32));
                needed = or(&needed, &std::array::from_fn(|word| strong[word] & enabled[word]));
            }
            if !is_empty(&without(&needed, mask)) {
                self.remove(node as u32);
                removed += 1;
            }
        }
        removed
    }

    #[inline]
    fn remove(&mut self, node: u32) {
        self.alive[node as usize] = false;
        self.queue.push_back(node);
    }

    /// Counts or takes away edges that enter an own node.
    #[inline]
    fn change(&mut self, node: u32, edges: u32) {
        let place = node as usize;
        if !self.alive[place] {
            return;
        }
        if self.counts {
            self.degrees[place] += edges;
        } else {
            self.degrees[place] -= edges;
            if self.degrees[place] == 0 {
                self.remove(node);
            }
        }
    }
}

impl<const B: usize> Phase for Trim<B> {
    fn receive(&mut self, _: usize, _: usize, messages: &[u64], _: &mut Outbox) -> Result<(), Halt> {
        for message in messages {
            self.change(*message as u32, (message >> 32) as u32);
        }
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let own = self.alive.len() as u64 * 5 + self.queue.len() as u64 * 4;
        let bytes = self.nodes.part.bytes() + own + self.owed.len() as u64 * 4;
        self.desk.gauge.check(bytes, self.desk.memory)?;
        for _ in 0..quantum.div_ceil(GROUP) {
            let Trim { nodes, alive, degrees, queue, owed, targets, .. } = self;
            targets.clear();
            for node in queue.drain(..GROUP.min(queue.len())) {
                nodes.visit(node, |edge| {
                    let place = (edge.target & !GHOST) as usize;
                    if !nodes.is_accepting(edge.target) {
                        return;
                    }
                    if edge.target & GHOST == 0 {
                        prefetch(&alive[place]);
                        prefetch(&degrees[place]);
                    } else {
                        prefetch(&owed[place]);
                    }
                    targets.push(edge.target);
                });
            }
            let targets = std::mem::take(&mut self.targets);
            for target in &targets {
                let node = target & !GHOST;
                if target & GHOST == 0 {
                    self.change(node, 1);
                } else {
                    let owed = &mut self.owed[node as usize];
                    if *owed == 0 {
                        self.owing.push(node);
                    }
                    *owed += 1;
                }
            }
            self.targets = targets;
            if self.queue.is_empty() {
                for node in self.owing.drain(..) {
                    let edges = std::mem::take(&mut self.owed[node as usize]);
                    let (owner, there) = self.nodes.address(node);
                    out.post(owner, 0, &[there | u64::from(edges) << 32]);
                }
                self.desk.gauge.round.fetch_add(1, Relaxed);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn goes_on(&self) -> bool {
        !self.queue.is_empty()
    }
}

/// Finds the bits that are shown on paths to each node.
struct Shown<const B: usize> {
    trim: Trim<B>,
    masks: Vec<Mask<B>>,
    /// What was found the last time, if it matters; everything, the first time.
    old: Option<Vec<Mask<B>>>,
    queued: Vec<bool>,
    queue: VecDeque<u32>,
    /// Per node of a ghost, the bits of all edges to it; and where that has changed since it was last posted.
    ghosts: Vec<Mask<B>>,
    owed: Vec<bool>,
    owing: Vec<u32>,
    edges: Vec<(u32, Mask<B>)>,
}

impl<const B: usize> Shown<B> {
    fn new(trim: Trim<B>, old: Option<Vec<Mask<B>>>) -> Shown<B> {
        let (own, ghosts) = (trim.alive.len(), trim.owed.len());
        let queue: VecDeque<u32> = (0..own as u32).filter(|node| trim.alive[*node as usize]).collect();
        Shown {
            masks: vec![[0; B]; own],
            old,
            queued: trim.alive.clone(),
            queue,
            ghosts: vec![[0; B]; ghosts],
            owed: vec![false; ghosts],
            owing: Vec::new(),
            edges: Vec::new(),
            trim,
        }
    }

    /// The number of nodes whose bits are not those of the last time.
    fn changed(&self) -> u64 {
        let is_changed = |node: &usize| {
            let before = self.old.as_ref().map(|old| &old[*node]);
            self.trim.alive[*node] && before != Some(&self.masks[*node])
        };
        (0..self.masks.len()).filter(is_changed).count() as u64
    }

    /// Adds bits to an own node.
    #[inline]
    fn add(&mut self, node: u32, bits: &Mask<B>) {
        let place = node as usize;
        let mask = or(&self.masks[place], bits);
        if mask != self.masks[place] && self.trim.alive[place] {
            self.masks[place] = mask;
            if !std::mem::replace(&mut self.queued[place], true) {
                self.queue.push_back(node);
            }
        }
    }
}

impl<const B: usize> Phase for Shown<B> {
    fn receive(&mut self, _: usize, _: usize, messages: &[u64], _: &mut Outbox) -> Result<(), Halt> {
        for message in messages.chunks_exact(B + 1) {
            let bits = std::array::from_fn(|word| message[word + 1]);
            self.add(message[0] as u32, &bits);
        }
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let Desk { memory, gauge } = &self.trim.desk;
        let of_masks = 8 * B as u64;
        let of_own = 6 + of_masks * if self.old.is_some() { 2 } else { 1 };
        let own = self.masks.len() as u64 * of_own + self.queue.len() as u64 * 4;
        gauge
            .check(self.trim.nodes.part.bytes() + own + self.ghosts.len() as u64 * (5 + of_masks), *memory)?;
        for _ in 0..quantum.div_ceil(GROUP) {
            let Shown { trim: Trim { nodes, alive, .. }, masks, old, queued, queue, ghosts, edges, .. } =
                self;
            edges.clear();
            for node in queue.drain(..GROUP.min(queue.len())) {
                let place = node as usize;
                queued[place] = false;
                let idle = without(&nodes.table.weak, &nodes.enabled(nodes.state(node)));
                let base = with(or(&masks[place], &idle), ENTERED);
                let before = old.as_ref().map_or(&[u64::MAX; B], |old| &old[place]);
                nodes.visit(node, |Edge { target, then, when, .. }| {
                    let is_broken = !is_empty(&without(&without(&when, &then), before));
                    if is_broken || !nodes.is_accepting(target) {
                        return;
                    }
                    let place = (target & !GHOST) as usize;
                    if target & GHOST == 0 {
                        prefetch(&masks[place]);
                        prefetch(&alive[place]);
                    } else {
                        prefetch(&ghosts[place]);
                    }
                    edges.push((target, or(&base, &then)));
                });
            }
            let edges = std::mem::take(&mut self.edges);
            for (target, bits) in &edges {
                if target & GHOST == 0 {
                    self.add(*target, bits);
                } else {
                    let place = (target & !GHOST) as usize;
                    let mask = or(&self.ghosts[place], bits);
                    if mask != self.ghosts[place] {
                        self.ghosts[place] = mask;
                        if !std::mem::replace(&mut self.owed[place], true) {
                            self.owing.push(target & !GHOST);
                        }
                    }
                }
            }
            self.edges = edges;
            if self.queue.is_empty() {
                for node in self.owing.drain(..) {
                    self.owed[node as usize] = false;
                    let (owner, there) = self.trim.nodes.address(node);
                    let bits = self.ghosts[node as usize];
                    let mut message = [there; 16];
                    message[1..=B].copy_from_slice(&bits);
                    out.post(owner, 0, &message[..=B]);
                }
                self.trim.desk.gauge.round.fetch_add(1, Relaxed);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn goes_on(&self) -> bool {
        !self.queue.is_empty()
    }
}
