//! Whether some run of the product is fair and strongly globally fair.
//!
//! The steps that such a run takes again and again are all steps of a *bottom* component of the system, one that no step
//! leaves. So first everything is taken away that no fair run can use ([`fair`](super::fair)), and what does not lie over a
//! bottom component. What is left is divided into strong components. One of them has such a run iff all steps of the
//! system that leave a state of it are steps inside it, and it meets the other requirements: it is enough to look at
//! whole components (see `explicit/emptiness`).
//!
//! Components are found by colouring [Orz04]. Every node gets the greatest number that can be reached from it, which is its
//! colour. A node with its own number is a *root*, and what can be reached from a root among the nodes of its colour is a
//! component. A bottom component of the system has one colour from the beginning. Of other components there may be several
//! in a colour, so found ones are taken away and the rest is coloured again.
//!
//! Colours travel against the edges, so the edges between the nodes in question are stored a second time, at their targets.
//! With steps in a file there is no room for that: instead every node asks its successors for their colours, again and again
//! until nothing changes. Such a worker is alone, and sees of each edge whether it lies inside a component.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use super::explore::{Desk, GHOST, Part};
use super::fair::{Left, what_is_left};
use super::nodes::{Mask, Move, Nodes, Table, is_empty, or, sum, without};
use super::queue::Queue;
use super::{Carrier, Halt, Outbox, Phase};
use crate::graph::bits::Bits;

/// No number, which is less than all.
const NONE: u64 = 0;

/// Whether there is a fair and strongly globally fair run. The part is returned for other questions.
pub(super) fn has_covering_set<const B: usize, C: Carrier>(
    carrier: &mut C,
    part: Part,
    table: Table<B>,
    desk: &Desk,
) -> Result<(bool, Part), Halt> {
    let Left { nodes, mut alive, count } = what_is_left(carrier, part, table, desk)?;
    let Nodes { part, table, .. } = nodes;
    if count == 0 {
        return Ok((false, part));
    }
    desk.gauge.begin(3);
    let (part, is_bottom) = bottom(carrier, part, table.about.len(), desk)?;
    let own = (part.states as usize) << table.shift;
    alive.keep(&Bits::of(own, |node| is_bottom.contains(node >> table.shift)));
    let nodes = Nodes::new(carrier.me(), part, table)?;
    let mut colouring = Colouring::new(nodes, alive, desk).transposed(carrier)?;
    loop {
        let left = colouring.alive.count() as u64;
        if sum(carrier, &[left])?[0] == 0 {
            return Ok((false, colouring.nodes.part));
        }
        colouring = colouring.members(carrier)?;
        colouring = colouring.facts(carrier)?;
        let fair = colouring.judged.values().filter(|facts| facts.is_fair(&colouring.nodes.table)).count();
        if sum(carrier, &[fair as u64])?[0] > 0 {
            return Ok((true, colouring.nodes.part));
        }
        colouring.alive = colouring.alive.without(&colouring.member);
    }
}

/// The own states in bottom components of the system.
fn bottom<C: Carrier>(carrier: &mut C, part: Part, labels: usize, desk: &Desk) -> Result<(Part, Bits), Halt> {
    // The system is its product with an automaton that does nothing.
    let table = Table::<1> {
        shift: 0,
        initial: Vec::new(),
        accepting: vec![true],
        moves: vec![Move { target: 0, then: [0], when: [0] }],
        first: vec![0, 1],
        classes: 0,
        class_of: vec![0; labels],
        about: vec![[0]; labels],
        always: [0],
        weak: [0],
        strong: [0],
    };
    let nodes = Nodes::new(carrier.me(), part, table)?;
    let alive = Bits::of(nodes.own(), |_| true);
    let colouring = Colouring::new(nodes, alive, desk).transposed(carrier)?;
    let mut colouring = colouring.members(carrier)?;
    // Everything that can be reached from a root that is never left is its component.
    let is_bottom = |node: usize| colouring.is_root(node as u32) && !colouring.is_left.contains(node);
    let roots = Bits::of(colouring.nodes.own(), is_bottom);
    colouring.begin(Stage::Forward, &roots);
    colouring.member = roots;
    let colouring = carrier.run(colouring)?;
    Ok((colouring.nodes.part, colouring.member))
}

/// What is known of a component at the worker that has its root.
struct Facts<const B: usize> {
    shown: Mask<B>,
    /// The requirements about steps that are triggered, and those about actions of which one is enabled.
    triggered: Mask<B>,
    enabled: Mask<B>,
    is_uncovered: bool,
}

impl<const B: usize> Facts<B> {
    fn is_fair(&self, table: &Table<B>) -> bool {
        let needed: Mask<B> = std::array::from_fn(|word| table.strong[word] & self.enabled[word]);
        let needed = or(&or(&needed, &table.always), &self.triggered);
        !self.is_uncovered && is_empty(&without(&needed, &self.shown))
    }
}

/// What a phase does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Stores edges at their targets.
    Transpose,
    /// Sends colours against the edges.
    Colour,
    /// Finds the members of the components of roots, and which of these are left.
    Members,
    /// Finds what can be reached, whatever its colour.
    Forward,
    /// Tells the sources of edges that their targets are members.
    Inside,
    /// Tells the roots what is known of their components.
    Judge,
}

/// The messages of [`Stage::Members`]: a node can be reached; a component is left.
const REACHED: usize = 0;
const LEFT: usize = 1;

struct Colouring<const B: usize> {
    nodes: Nodes<B>,
    alive: Bits,
    desk: Desk,
    stage: Stage,
    /// The edges by target: the number of the source, and the position of the edge among those of the source.
    entering: Vec<(u32, u64, u32)>,
    /// Where the edges to each node begin.
    first: Vec<usize>,
    colours: Vec<u64>,
    /// Whether a colour has changed since all successors were last asked, with steps in a file.
    is_changed: bool,
    member: Bits,
    /// The roots from whose components an edge leads to another colour.
    is_left: Bits,
    queue: Queue,
    queued: Bits,
    /// Edges of own nodes whose targets are members: the node, the position, and the colour of the target.
    inside: Vec<(u32, u32, u64)>,
    judged: BTreeMap<u64, Facts<B>>,
}

impl<const B: usize> Colouring<B> {
    fn new(nodes: Nodes<B>, alive: Bits, desk: &Desk) -> Colouring<B> {
        let own = nodes.own();
        Colouring {
            queue: Queue::of(&nodes.part, &alive),
            nodes,
            alive,
            desk: desk.clone(),
            stage: Stage::Transpose,
            entering: Vec::new(),
            first: Vec::new(),
            colours: vec![NONE; own],
            is_changed: false,
            member: Bits::empty(own),
            is_left: Bits::empty(own),
            queued: Bits::empty(own),
            inside: Vec::new(),
            judged: BTreeMap::new(),
        }
    }

    /// The number of a node of a worker, among all nodes. It is greater than [`NONE`].
    fn id(worker: usize, node: u32) -> u64 {
        (worker as u64) << 32 | (u64::from(node) + 1)
    }

    /// The worker and the node with this number.
    fn place(id: u64) -> (usize, u32) {
        ((id >> 32) as usize, id as u32 - 1)
    }

    fn is_root(&self, node: u32) -> bool {
        self.alive.contains(node as usize) && self.colours[node as usize] == Self::id(self.nodes.me, node)
    }

    /// Lets the next phase be this one, beginning with these nodes.
    fn begin(&mut self, stage: Stage, nodes: &Bits) {
        self.stage = stage;
        self.queue = Queue::of(&self.nodes.part, nodes);
    }

    /// Whether an edge to this own node lies inside the component of a colour.
    #[inline]
    fn is_inside(&self, target: u32, colour: u64) -> bool {
        self.member.contains(target as usize) && self.colours[target as usize] == colour
    }

    /// Stores the edges at their targets.
    fn transposed<C: Carrier>(self, carrier: &mut C) -> Result<Colouring<B>, Halt> {
        if self.nodes.part.is_streamed() {
            return Ok(self);
        }
        let mut colouring = carrier.run(self)?;
        colouring.entering.sort_unstable();
        let entering = &colouring.entering;
        let first = |node: u32| entering.partition_point(|(target, ..)| *target < node);
        colouring.first = (0..=colouring.nodes.own() as u32).map(first).collect();
        Ok(colouring)
    }

    /// Colours what is left and finds the components of the roots.
    fn members<C: Carrier>(mut self, carrier: &mut C) -> Result<Colouring<B>, Halt> {
        self.begin(Stage::Colour, &self.alive.clone());
        self.is_left.clear();
        self.queued = self.alive.clone();
        self.colours.fill(NONE);
        for node in self.alive.numbers() {
            self.colours[node] = Self::id(self.nodes.me, node as u32);
        }
        let mut colouring = carrier.run(self)?;
        let roots = Bits::of(colouring.nodes.own(), |node| colouring.is_root(node as u32));
        colouring.begin(Stage::Members, &roots);
        colouring.member = roots;
        carrier.run(colouring)
    }

    /// Collects the facts about the components, at their roots.
    fn facts<C: Carrier>(mut self, carrier: &mut C) -> Result<Colouring<B>, Halt> {
        self.inside.clear();
        self.judged.clear();
        if !self.nodes.part.is_streamed() {
            self.begin(Stage::Inside, &self.member.clone());
            self = carrier.run(self)?;
            self.inside.sort_unstable();
        }
        // From here on the queue has states and not nodes.
        let shift = self.nodes.table.shift;
        let mut states = Bits::empty(self.nodes.part.states as usize);
        self.member.numbers().for_each(|node| states.insert(node >> shift));
        self.begin(Stage::Judge, &states);
        carrier.run(self)
    }

    /// Gives a node a greater colour.
    fn colour(&mut self, node: u32, colour: u64) {
        let place = node as usize;
        if self.alive.contains(place) && self.colours[place] < colour {
            self.colours[place] = colour;
            if !self.queued.contains(place) {
                self.queued.insert(place);
                self.queue.push(node);
            }
        }
    }

    /// An edge leads from a node of this colour to an own node.
    fn reach(&mut self, node: u32, colour: u64, out: &mut Outbox) {
        let place = node as usize;
        if self.stage == Stage::Members && (!self.alive.contains(place) || self.colours[place] != colour) {
            self.leave(colour, out);
        } else if !self.member.contains(place) {
            self.member.insert(place);
            self.queue.push(node);
        }
    }

    /// The component of this colour is left.
    fn leave(&mut self, colour: u64, out: &mut Outbox) {
        let (worker, root) = Self::place(colour);
        if worker == self.nodes.me {
            self.is_left.insert(root as usize);
        } else {
            out.post(worker, LEFT, &[u64::from(root)]);
        }
    }

    fn add_facts(&mut self, root: u64, facts: &Facts<B>) {
        let nothing = Facts { shown: [0; B], triggered: [0; B], enabled: [0; B], is_uncovered: false };
        let known = self.judged.entry(root).or_insert(nothing);
        known.shown = or(&known.shown, &facts.shown);
        known.triggered = or(&known.triggered, &facts.triggered);
        known.enabled = or(&known.enabled, &facts.enabled);
        known.is_uncovered |= facts.is_uncovered;
    }

    /// The facts about the nodes of a state, by component.
    fn facts_of(&self, state: u32) -> BTreeMap<u64, Facts<B>> {
        let shift = self.nodes.table.shift;
        let enabled = self.nodes.enabled(state);
        let idle = without(&self.nodes.table.weak, &enabled);
        let steps = self.nodes.part.leaving(state);
        let mut found: BTreeMap<u64, (Facts<B>, Vec<bool>)> = BTreeMap::new();
        for node in (state << shift)..((state + 1) << shift) {
            if !self.member.contains(node as usize) {
                continue;
            }
            let colour = self.colours[node as usize];
            let (facts, covered) = found.entry(colour).or_insert_with(|| {
                let facts = Facts { shown: [0; B], triggered: [0; B], enabled, is_uncovered: false };
                (facts, vec![false; steps.len()])
            });
            let from = self.inside.partition_point(|(source, ..)| *source < node);
            let mut inside = self.inside[from..].iter().take_while(|(source, ..)| *source == node).peekable();
            let mut position = 0;
            self.nodes.visit(node, |edge| {
                while inside.peek().is_some_and(|(_, at, _)| *at < position) {
                    inside.next();
                }
                let is_inside = if self.nodes.part.is_streamed() {
                    self.is_inside(edge.target, colour)
                } else {
                    inside.peek().is_some_and(|(_, at, of)| *at == position && *of == colour)
                };
                if is_inside {
                    covered[edge.step - steps.start] = true;
                    facts.shown = or(&facts.shown, &or(&edge.then, &idle));
                    facts.triggered = or(&facts.triggered, &edge.when);
                }
                position += 1;
            });
        }
        found
            .into_iter()
            .map(|(colour, (facts, covered))| {
                (colour, Facts { is_uncovered: covered.contains(&false), ..facts })
            })
            .collect()
    }

    /// Works on one node.
    fn work_on(&mut self, node: u32, out: &mut Outbox) -> Result<(), Halt> {
        let place = node as usize;
        let me = self.nodes.me;
        match self.stage {
            Stage::Judge => self.nodes.part.hold(node)?,
            _ => self.nodes.hold(node)?,
        }
        match self.stage {
            Stage::Transpose => {
                let mut position = 0;
                let Colouring { nodes, alive, entering, .. } = self;
                nodes.visit(node, |edge| {
                    if edge.target & GHOST != 0 {
                        let (owner, there) = nodes.address(edge.target & !GHOST);
                        out.post(owner, 0, &[there, u64::from(node), u64::from(position)]);
                    } else if alive.contains(edge.target as usize) {
                        entering.push((edge.target, Self::id(me, node), position));
                    }
                    position += 1;
                });
            }
            Stage::Colour if self.nodes.part.is_streamed() => {
                let before = self.colours[place];
                let mut colour = before;
                // What is not in question has no colour.
                self.nodes.visit(node, |edge| colour = colour.max(self.colours[edge.target as usize]));
                self.colours[place] = colour;
                self.is_changed |= colour != before;
            }
            Stage::Colour => {
                self.queued.remove(place);
                let colour = self.colours[place];
                for number in self.first[place]..self.first[place + 1] {
                    let (worker, source) = Self::place(self.entering[number].1);
                    if worker == me {
                        self.colour(source, colour);
                    } else {
                        out.post(worker, 0, &[u64::from(source), colour]);
                    }
                }
            }
            Stage::Members | Stage::Forward => {
                let colour = self.colours[place];
                let mut targets = Vec::new();
                self.nodes.visit(node, |edge| targets.push(edge.target));
                for target in targets {
                    if target & GHOST == 0 {
                        self.reach(target, colour, out);
                    } else {
                        let (owner, there) = self.nodes.address(target & !GHOST);
                        out.post(owner, REACHED, &[there, colour]);
                    }
                }
            }
            Stage::Inside => {
                let colour = self.colours[place];
                for number in self.first[place]..self.first[place + 1] {
                    let (_, source, position) = self.entering[number];
                    let (worker, source) = Self::place(source);
                    if worker == me {
                        self.inside.push((source, position, colour));
                    } else {
                        out.post(worker, 0, &[u64::from(source), u64::from(position), colour]);
                    }
                }
            }
            Stage::Judge => {
                for (colour, facts) in self.facts_of(node) {
                    let (worker, root) = Self::place(colour);
                    if worker == me {
                        self.add_facts(colour, &facts);
                    } else {
                        let mut message = vec![u64::from(root), u64::from(facts.is_uncovered)];
                        message.extend(facts.shown.iter().chain(&facts.triggered).chain(&facts.enabled));
                        out.post(worker, 0, &message);
                    }
                }
            }
        }
        Ok(())
    }
}

impl<const B: usize> Phase for Colouring<B> {
    fn receive(&mut self, from: usize, kind: usize, messages: &[u64], out: &mut Outbox) -> Result<(), Halt> {
        match self.stage {
            Stage::Transpose => {
                for message in messages.chunks_exact(3) {
                    let target = message[0] as u32;
                    if self.alive.contains(target as usize) {
                        self.entering.push((target, Self::id(from, message[1] as u32), message[2] as u32));
                    }
                }
            }
            Stage::Colour => {
                messages.chunks_exact(2).for_each(|message| self.colour(message[0] as u32, message[1]));
            }
            Stage::Members if kind == LEFT => {
                messages.iter().for_each(|root| self.is_left.insert(*root as usize));
            }
            Stage::Members | Stage::Forward => {
                messages.chunks_exact(2).for_each(|message| self.reach(message[0] as u32, message[1], out));
            }
            Stage::Inside => {
                let edges = messages.chunks_exact(3).map(|edge| (edge[0] as u32, edge[1] as u32, edge[2]));
                self.inside.extend(edges);
            }
            Stage::Judge => {
                for message in messages.chunks_exact(2 + 3 * B) {
                    let mask = |number: usize| std::array::from_fn(|word| message[2 + number * B + word]);
                    let facts = Facts {
                        shown: mask(0),
                        triggered: mask(1),
                        enabled: mask(2),
                        is_uncovered: message[1] != 0,
                    };
                    self.add_facts(Self::id(self.nodes.me, message[0] as u32), &facts);
                }
            }
        }
        Ok(())
    }

    fn work(&mut self, quantum: usize, out: &mut Outbox) -> Result<bool, Halt> {
        let of_edges = (self.entering.len() + self.inside.len()) as u64 * 16;
        // A colour, where the edges begin, and a few bits.
        let of_nodes = self.colours.len() as u64 * 9 + self.first.len() as u64 * 8 + self.queue.bytes();
        let bytes = self.nodes.part.bytes() + of_nodes + of_edges;
        self.desk.gauge.check(bytes, self.desk.memory)?;
        for _ in 0..quantum {
            // The greatest colours first, as far as they reach: then most nodes are coloured once.
            let next = if self.stage == Stage::Colour { self.queue.pop_last() } else { self.queue.pop() };
            let Some(node) = next else {
                if std::mem::take(&mut self.is_changed) {
                    self.queue = Queue::of(&self.nodes.part, &self.alive);
                    continue;
                }
                self.desk.gauge.round.fetch_add(1, Relaxed);
                return Ok(false);
            };
            self.work_on(node, out)?;
        }
        Ok(true)
    }

    fn goes_on(&self) -> bool {
        !self.queue.is_empty()
    }
}
