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

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering::Relaxed;

use super::explore::{Desk, GHOST, Part};
use super::fair::{Left, what_is_left};
use super::nodes::{Mask, Move, Nodes, Table, is_empty, or, sum, without};
use super::{Carrier, Halt, Outbox, Phase};

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
    alive.iter_mut().enumerate().for_each(|(node, alive)| *alive &= is_bottom[node >> table.shift]);
    let nodes = Nodes::new(carrier.me(), part, table)?;
    let mut colouring = Colouring::new(nodes, alive, desk).transposed(carrier)?;
    loop {
        let left = colouring.alive.iter().filter(|alive| **alive).count() as u64;
        if sum(carrier, &[left])?[0] == 0 {
            return Ok((false, colouring.nodes.part));
        }
        colouring = colouring.members(carrier)?;
        colouring = colouring.facts(carrier)?;
        let fair = colouring.judged.values().filter(|facts| facts.is_fair(&colouring.nodes.table)).count();
        if sum(carrier, &[fair as u64])?[0] > 0 {
            return Ok((true, colouring.nodes.part));
        }
        colouring.remove_members();
    }
}

/// Per own state, whether it lies in a bottom component of the system.
fn bottom<C: Carrier>(
    carrier: &mut C,
    part: Part,
    labels: usize,
    desk: &Desk,
) -> Result<(Part, Vec<bool>), Halt> {
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
    let alive = vec![true; nodes.own()];
    let colouring = Colouring::new(nodes, alive, desk).transposed(carrier)?;
    let mut colouring = colouring.members(carrier)?;
    // Everything that can be reached from a root that is never left is its component.
    let roots = (0..colouring.nodes.own() as u32)
        .filter(|node| colouring.is_root(*node) && !colouring.is_left[*node as usize])
        .collect();
    colouring.stage = Stage::Forward;
    colouring.member.fill(false);
    colouring.queue = roots;
    for root in &colouring.queue {
        colouring.member[*root as usize] = true;
    }
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
    alive: Vec<bool>,
    desk: Desk,
    stage: Stage,
    /// The edges by target: the number of the source, and the position of the edge among those of the source.
    entering: Vec<(u32, u64, u32)>,
    /// Where the edges to each node begin.
    first: Vec<usize>,
    colours: Vec<u64>,
    member: Vec<bool>,
    /// Per root, whether an edge leads from its component to another colour.
    is_left: Vec<bool>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// Edges of own nodes whose targets are members: the node, the position, and the colour of the target.
    inside: Vec<(u32, u32, u64)>,
    judged: BTreeMap<u64, Facts<B>>,
}

impl<const B: usize> Colouring<B> {
    fn new(nodes: Nodes<B>, alive: Vec<bool>, desk: &Desk) -> Colouring<B> {
        let own = nodes.own();
        let queue = (0..own as u32).filter(|node| alive[*node as usize]).collect();
        Colouring {
            nodes,
            alive,
            desk: desk.clone(),
            stage: Stage::Transpose,
            entering: Vec::new(),
            first: Vec::new(),
            colours: vec![NONE; own],
            member: vec![false; own],
            is_left: vec![false; own],
            queue,
            queued: vec![false; own],
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
        self.alive[node as usize] && self.colours[node as usize] == Self::id(self.nodes.me, node)
    }

    /// Stores the edges at their targets.
    fn transposed<C: Carrier>(self, carrier: &mut C) -> Result<Colouring<B>, Halt> {
        let mut colouring = carrier.run(self)?;
        colouring.entering.sort_unstable();
        let entering = &colouring.entering;
        let first = |node: u32| entering.partition_point(|(target, ..)| *target < node);
        colouring.first = (0..=colouring.alive.len() as u32).map(first).collect();
        Ok(colouring)
    }

    /// Colours what is left and finds the components of the roots.
    fn members<C: Carrier>(mut self, carrier: &mut C) -> Result<Colouring<B>, Halt> {
        self.stage = Stage::Colour;
        self.is_left.fill(false);
        self.queue = (0..self.alive.len() as u32).filter(|node| self.alive[*node as usize]).collect();
        for node in 0..self.alive.len() {
            self.queued[node] = self.alive[node];
            self.colours[node] = if self.alive[node] { Self::id(self.nodes.me, node as u32) } else { NONE };
        }
        let mut colouring = carrier.run(self)?;
        colouring.stage = Stage::Members;
        colouring.queue = (0..colouring.alive.len() as u32).filter(|node| colouring.is_root(*node)).collect();
        for node in 0..colouring.alive.len() {
            colouring.member[node] = colouring.is_root(node as u32);
        }
        carrier.run(colouring)
    }

    /// Collects the facts about the components, at their roots.
    fn facts<C: Carrier>(mut self, carrier: &mut C) -> Result<Colouring<B>, Halt> {
        self.stage = Stage::Inside;
        self.inside.clear();
        self.judged.clear();
        self.queue = (0..self.alive.len() as u32).filter(|node| self.member[*node as usize]).collect();
        let mut colouring = carrier.run(self)?;
        colouring.inside.sort_unstable();
        // From here on the queue has states and not nodes.
        colouring.stage = Stage::Judge;
        colouring.queue = (0..colouring.nodes.part.states).collect();
        carrier.run(colouring)
    }

    fn remove_members(&mut self) {
        self.alive.iter_mut().zip(&self.member).for_each(|(alive, member)| *alive &= !member);
    }

    /// Gives a node a greater colour.
    fn colour(&mut self, node: u32, colour: u64) {
        let place = node as usize;
        if self.alive[place] && self.colours[place] < colour {
            self.colours[place] = colour;
            if !std::mem::replace(&mut self.queued[place], true) {
                self.queue.push_back(node);
            }
        }
    }

    /// An edge leads from a node of this colour to an own node.
    fn reach(&mut self, node: u32, colour: u64, out: &mut Outbox) {
        let place = node as usize;
        if self.stage == Stage::Members && (!self.alive[place] || self.colours[place] != colour) {
            self.leave(colour, out);
        } else if !std::mem::replace(&mut self.member[place], true) {
            self.queue.push_back(node);
        }
    }

    /// The component of this colour is left.
    fn leave(&mut self, colour: u64, out: &mut Outbox) {
        let (worker, root) = Self::place(colour);
        if worker == self.nodes.me {
            self.is_left[root as usize] = true;
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
            if !self.member[node as usize] {
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
                if inside.peek().is_some_and(|(_, at, of)| *at == position && *of == colour) {
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
    fn work_on(&mut self, node: u32, out: &mut Outbox) {
        let place = node as usize;
        let me = self.nodes.me;
        match self.stage {
            Stage::Transpose => {
                let mut position = 0;
                let Colouring { nodes, alive, entering, .. } = self;
                nodes.visit(node, |edge| {
                    if edge.target & GHOST != 0 {
                        let (owner, there) = nodes.address(edge.target & !GHOST);
                        out.post(owner, 0, &[there, u64::from(node), u64::from(position)]);
                    } else if alive[edge.target as usize] {
                        entering.push((edge.target, Self::id(me, node), position));
                    }
                    position += 1;
                });
            }
            Stage::Colour => {
                self.queued[place] = false;
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
    }
}

impl<const B: usize> Phase for Colouring<B> {
    fn receive(&mut self, from: usize, kind: usize, messages: &[u64], out: &mut Outbox) -> Result<(), Halt> {
        match self.stage {
            Stage::Transpose => {
                for message in messages.chunks_exact(3) {
                    let target = message[0] as u32;
                    if self.alive[target as usize] {
                        self.entering.push((target, Self::id(from, message[1] as u32), message[2] as u32));
                    }
                }
            }
            Stage::Colour => {
                messages.chunks_exact(2).for_each(|message| self.colour(message[0] as u32, message[1]));
            }
            Stage::Members if kind == LEFT => {
                messages.iter().for_each(|root| self.is_left[*root as usize] = true);
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
        let bytes = self.nodes.part.bytes() + self.alive.len() as u64 * 28 + of_edges;
        self.desk.gauge.check(bytes, self.desk.memory)?;
        for _ in 0..quantum {
            // The greatest colours first, as far as they reach: then most nodes are coloured once.
            let next =
                if self.stage == Stage::Colour { self.queue.pop_back() } else { self.queue.pop_front() };
            let Some(node) = next else {
                self.desk.gauge.round.fetch_add(1, Relaxed);
                return Ok(false);
            };
            self.work_on(node, out);
        }
        Ok(true)
    }

    fn goes_on(&self) -> bool {
        !self.queue.is_empty()
    }
}
