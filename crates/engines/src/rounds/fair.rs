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
//!
//! All that is kept per node are a few bits, a byte that counts entering edges, and the bytes of its bits. If more edges
//! enter a node than a byte can count, it is not noticed that the last of them is taken away. Then the node is not entered
//! by any path, and is taken away for that.

use std::sync::atomic::Ordering::Relaxed;

use super::explore::{Desk, GHOST, Part};
use super::masks::Masks;
use super::nodes::{ENTERED, Edge, Mask, Nodes, is_empty, or, sum, with, without};
use super::queue::Queue;
use super::{Carrier, Halt, Outbox, Phase, Table};
use crate::graph::bits::Bits;
use crate::machine::prefetch;

/// How many nodes are worked on together, so that their cache misses overlap.
const GROUP: usize = 16;
/// Edges that enter a node are not counted beyond this.
const MANY: u8 = if cfg!(test) { 3 } else { u8::MAX };

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
    /// The own nodes that are left.
    pub(super) alive: Bits,
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
    let mut alive = met;
    alive.keep(&Bits::of(nodes.own(), |node| nodes.is_accepting(node as u32)));
    desk.gauge.begin(2);
    let mut trim = Trim::new(nodes, alive, desk);
    trim.count_degrees();
    trim = carrier.run(trim)?;
    trim.remove_unentered();
    trim = carrier.run(trim)?;
    let mut count = sum(carrier, &[trim.alive.count() as u64])?[0];
    let mut old: Option<Masks<B>> = None;
    while count > 0 {
        let shown = carrier.run(Shown::new(trim, old))?;
        let changed = if shown.trim.nodes.has_when { shown.changed() } else { 0 };
        let Shown { trim: after, masks, .. } = shown;
        trim = after;
        let removed = trim.remove_lacking(&masks)?;
        old = trim.nodes.has_when.then_some(masks);
        trim = carrier.run(trim)?;
        let total = sum(carrier, &[trim.alive.count() as u64, removed, changed])?;
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
) -> Result<(Nodes<B>, Bits), Halt> {
    let (own, ghosts) = (nodes.own(), nodes.ghosts());
    let mut reach = Reach {
        met: Bits::empty(own),
        ghosts: Bits::empty(ghosts),
        queue: Queue::new(&nodes.part, own),
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
    met: Bits,
    ghosts: Bits,
    queue: Queue,
    targets: Vec<u32>,
    desk: Desk,
}

impl<const B: usize> Reach<B> {
    #[inline]
    fn meet(&mut self, node: u32) {
        if !self.met.contains(node as usize) {
            self.met.insert(node as usize);
            self.queue.push(node);
        }
    }
}

impl<const B: usize> Phase for Reach<B> {
    fn receive(&mut self, _: usize, _: usize, messages: &[u64], _: &mut Outbox) -> Result<(), Halt> {
        messages.iter().for_each(|node| self.meet(*node as u32));
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let bytes = self.nodes.part.bytes() + self.met.bytes() + self.ghosts.bytes() + self.queue.bytes();
        self.desk.gauge.check(bytes, self.desk.memory)?;
        for _ in 0..quantum.div_ceil(GROUP) {
            let Reach { nodes, met, ghosts, queue, targets, .. } = self;
            targets.clear();
            for _ in 0..GROUP {
                let Some(node) = queue.pop() else { break };
                nodes.hold(node)?;
                nodes.visit(node, |edge| {
                    let place = (edge.target & !GHOST) as usize;
                    prefetch(if edge.target & GHOST == 0 { met.word(place) } else { ghosts.word(place) });
                    targets.push(edge.target);
                });
            }
            for target in targets.iter() {
                let node = target & !GHOST;
                let seen = if target & GHOST == 0 { &mut *met } else { &mut *ghosts };
                if seen.contains(node as usize) {
                    continue;
                }
                seen.insert(node as usize);
                if target & GHOST == 0 {
                    queue.push(node);
                } else {
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
    alive: Bits,
    /// How many edges from nodes that are left enter each node; if there are [`MANY`], this is not known.
    degrees: Vec<u8>,
    /// Whether edges are counted, and not taken away.
    counts: bool,
    /// The nodes whose edges are to be counted or taken away.
    queue: Queue,
    /// How many edges to each node of a ghost were counted or taken away since this was last posted, and where it is not
    /// zero.
    owed: Vec<u8>,
    owing: Vec<u32>,
    targets: Vec<u32>,
    desk: Desk,
}

impl<const B: usize> Trim<B> {
    fn new(nodes: Nodes<B>, alive: Bits, desk: &Desk) -> Trim<B> {
        let (own, ghosts) = (nodes.own(), nodes.ghosts());
        Trim {
            queue: Queue::new(&nodes.part, own),
            nodes,
            alive,
            degrees: vec![0; own],
            counts: true,
            owed: vec![0; ghosts],
            owing: Vec::new(),
            targets: Vec::new(),
            desk: desk.clone(),
        }
    }

    /// Lets the next phase count edges.
    fn count_degrees(&mut self) {
        self.counts = true;
        self.queue = Queue::of(&self.nodes.part, &self.alive);
    }

    /// Lets the next phase take away the nodes that no edge enters.
    fn remove_unentered(&mut self) {
        self.counts = false;
        for node in 0..self.degrees.len() {
            if self.degrees[node] == 0 && self.alive.contains(node) {
                self.remove(node as u32);
            }
        }
    }

    /// Lets the next phase take away nodes that lack a bit. Returns how many lack one.
    fn remove_lacking(&mut self, masks: &Masks<B>) -> Result<u64, Halt> {
        let always = with(self.nodes.table.always, ENTERED);
        let strong = self.nodes.table.strong;
        let mut removed = 0;
        let mut from = 0;
        while let Some(node) = self.alive.next(from) {
            from = node + 1;
            let mut needed = always;
            if !is_empty(&strong) {
                self.nodes.hold(node as u32)?;
                let enabled = self.nodes.enabled(self.nodes.state(node as u32));
                needed = or(&needed, &std::array::from_fn(|word| strong[word] & enabled[word]));
            }
            if !is_empty(&without(&needed, &masks.get(node))) {
                self.remove(node as u32);
                removed += 1;
            }
        }
        Ok(removed)
    }

    #[inline]
    fn remove(&mut self, node: u32) {
        self.alive.remove(node as usize);
        self.queue.push(node);
    }

    /// Counts or takes away edges that enter an own node.
    #[inline]
    fn change(&mut self, node: u32, edges: u8) {
        let degree = &mut self.degrees[node as usize];
        if !self.alive.contains(node as usize) || *degree == MANY {
            return;
        }
        if self.counts {
            *degree = (u32::from(*degree) + u32::from(edges)).min(u32::from(MANY)) as u8;
        } else {
            *degree -= edges;
            if *degree == 0 {
                self.remove(node);
            }
        }
    }
}

impl<const B: usize> Phase for Trim<B> {
    fn receive(&mut self, _: usize, _: usize, messages: &[u64], _: &mut Outbox) -> Result<(), Halt> {
        for message in messages {
            self.change(*message as u32, (message >> 32) as u8);
        }
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let own = self.alive.bytes() + self.degrees.len() as u64 + self.queue.bytes();
        let bytes = self.nodes.part.bytes() + own + self.owed.len() as u64;
        self.desk.gauge.check(bytes, self.desk.memory)?;
        for _ in 0..quantum.div_ceil(GROUP) {
            let Trim { nodes, alive, degrees, queue, owed, targets, .. } = self;
            targets.clear();
            for _ in 0..GROUP {
                let Some(node) = queue.pop() else { break };
                nodes.hold(node)?;
                nodes.visit(node, |edge| {
                    let place = (edge.target & !GHOST) as usize;
                    if !nodes.is_accepting(edge.target) {
                        return;
                    }
                    if edge.target & GHOST == 0 {
                        prefetch(alive.word(place));
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
                    // Whoever is owed so much has many.
                    *owed = owed.saturating_add(1);
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
    masks: Masks<B>,
    /// What was found the last time, if it matters; everything, the first time.
    old: Option<Masks<B>>,
    queued: Bits,
    queue: Queue,
    /// Per node of a ghost, the bits of all edges to it; and where that has changed since it was last posted.
    ghosts: Masks<B>,
    owed: Bits,
    owing: Vec<u32>,
    edges: Vec<(u32, Mask<B>)>,
}

impl<const B: usize> Shown<B> {
    fn new(trim: Trim<B>, old: Option<Masks<B>>) -> Shown<B> {
        let (own, ghosts, bits) = (trim.degrees.len(), trim.owed.len(), trim.nodes.bits);
        Shown {
            masks: Masks::new(own, bits),
            old,
            queued: trim.alive.clone(),
            queue: Queue::of(&trim.nodes.part, &trim.alive),
            ghosts: Masks::new(ghosts, bits),
            owed: Bits::empty(ghosts),
            owing: Vec::new(),
            edges: Vec::new(),
            trim,
        }
    }

    /// The number of nodes whose bits are not those of the last time.
    fn changed(&self) -> u64 {
        let is_changed =
            |node: &usize| self.old.as_ref().is_none_or(|old| old.get(*node) != self.masks.get(*node));
        self.trim.alive.numbers().filter(is_changed).count() as u64
    }

    /// Adds bits to an own node.
    #[inline]
    fn add(&mut self, node: u32, bits: &Mask<B>) {
        let place = node as usize;
        let known = self.masks.get(place);
        let mask = or(&known, bits);
        if mask != known && self.trim.alive.contains(place) {
            self.masks.set(place, &mask);
            if !self.queued.contains(place) {
                self.queued.insert(place);
                self.queue.push(node);
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
        let Trim { nodes, alive, degrees, owed, .. } = &self.trim;
        let masks = [Some(&self.masks), self.old.as_ref(), Some(&self.ghosts)];
        let of_masks: u64 = masks.into_iter().flatten().map(Masks::bytes).sum();
        let of_trim = nodes.part.bytes() + alive.bytes() + (degrees.len() + owed.len()) as u64;
        let of_queue = self.queued.bytes() + self.queue.bytes() + self.owed.bytes();
        gauge.check(of_trim + of_masks + of_queue, *memory)?;
        for _ in 0..quantum.div_ceil(GROUP) {
            let Shown { trim: Trim { nodes, alive, .. }, masks, old, queued, queue, ghosts, edges, .. } =
                self;
            edges.clear();
            for _ in 0..GROUP {
                let Some(node) = queue.pop() else { break };
                let place = node as usize;
                nodes.hold(node)?;
                queued.remove(place);
                let idle = without(&nodes.table.weak, &nodes.enabled(nodes.state(node)));
                let base = with(or(&masks.get(place), &idle), ENTERED);
                let before = old.as_ref().map_or([u64::MAX; B], |old| old.get(place));
                nodes.visit(node, |Edge { target, then, when, .. }| {
                    let is_broken = !is_empty(&without(&without(&when, &then), &before));
                    if is_broken || !nodes.is_accepting(target) {
                        return;
                    }
                    let place = (target & !GHOST) as usize;
                    if target & GHOST == 0 {
                        masks.prefetch(place);
                        prefetch(alive.word(place));
                    } else {
                        ghosts.prefetch(place);
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
                    let known = self.ghosts.get(place);
                    let mask = or(&known, bits);
                    if mask != known {
                        self.ghosts.set(place, &mask);
                        if !self.owed.contains(place) {
                            self.owed.insert(place);
                            self.owing.push(target & !GHOST);
                        }
                    }
                }
            }
            self.edges = edges;
            if self.queue.is_empty() {
                for node in self.owing.drain(..) {
                    self.owed.remove(node as usize);
                    let (owner, there) = self.trim.nodes.address(node);
                    let bits = self.ghosts.get(node as usize);
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
