//! Searches for violations in states that are known by their hashes, and never says that there is none.
//!
//! A search that stores no state reaches many times more of them in the same memory, but a state that looks like one that
//! was met is missed, with all that is reachable only through it. A violation that is found is real: the judge replays its
//! path. Nothing follows from finding none.
//!
//! What can be found is what a path shows: a state where an invariant is false, a fault, and a bad prefix of a formula
//! ([`prefix`](super::prefix)). The nodes of the search are states with a state of the automaton of the violations, as far
//! as it leads to one that accepts everything. A run without end needs the graph, which is not there.
//!
//! The search goes breadth first with one thread. Only the nodes that are not expanded are stored. [`signatures`] knows
//! which were met, [`ancestry`] how they were reached. So a node costs two to three bytes, whatever the size of a state.
//!
//! [`signatures`]: super::signatures
//! [`ancestry`]: super::ancestry

use std::collections::VecDeque;
use std::sync::Arc;

use automata::Automaton;
use model::answer::{Counterexample, Site};
use model::initial::{Advance, initial_states};
use model::semantics;
use model::task::Progress;
use model::{Answer, Expr, Path, Position, Reason, Session, StopReason, Task};

use super::Listing;
use super::ancestry::Ancestry;
use super::compiled::One;
use super::letters::Letters;
use super::look::{Runs, Target};
use super::prefix;
use super::requirements::Alternative;
use super::signatures::Signatures;
use super::space::{IDLE, Stop, label};
use super::store::{Words, hash};
use super::successors::Successors;
use super::table::{Predicate, Programs, Truth};

/// How many nodes there are in a chunk of those that are not expanded.
const CHUNK: usize = 1024;
/// About how many nodes are looked up at a time.
const BATCH: usize = 256;
/// How many edges are followed between two checks of the limits.
const INTERVAL: usize = 1 << 16;

/// A state, with a state of the automaton.
type Node<const W: usize> = (Words<W>, u32);

/// A search, as far as it has come.
pub(super) struct Approximate<const W: usize> {
    successors: Arc<Successors<W>>,
    question: Question,
    signatures: Signatures,
    ancestry: Ancestry,
    initial: Vec<Node<W>>,
    /// The nodes that are not expanded, in the order in which they were found.
    waiting: VecDeque<Vec<Node<W>>>,
    /// How many chunks there are.
    chunks: usize,
    expanded: u64,
    edges: u64,
    /// The number of edges at the last check of the limits.
    checked: u64,
    buffer: Buffer<W>,
}

#[allow(clippy::large_enum_variant)] // a search has one of them
enum Question {
    Invariant { expr: Expr, programs: Programs, predicate: Predicate },
    Prefix(BadPrefix),
}

/// Which paths are bad prefixes.
struct BadPrefix {
    automaton: Automaton,
    /// The number of each atom of the automaton among the predicates.
    atoms: Vec<usize>,
    letters: Letters,
    /// Per state of the automaton: whether it accepts everything, and whether such a state can be reached.
    goals: Vec<bool>,
    useful: Vec<bool>,
    /// Per letter and state of the automaton, where it can go, once that was asked.
    moves: Vec<Option<Box<[u32]>>>,
}

/// What expansions have found, and their working memory.
#[derive(Default)]
struct Buffer<const W: usize> {
    labels: Vec<u16>,
    states: Vec<Words<W>>,
    targets: Vec<Node<W>>,
    /// Per target, the step that leads to it.
    steps: Vec<u16>,
    /// Per node that was expanded, the number of its targets.
    degrees: Vec<usize>,
    hashes: Vec<u64>,
}

/// What a node has that a search looks for.
enum Wrong {
    /// The invariant is false, or the path is a bad prefix.
    Violated,
    Fault(Site, semantics::Fault),
}

/// How a search ended.
pub(super) enum End {
    /// There is a violation.
    Found(Counterexample),
    /// As many nodes are expanded as were asked for, and there are more.
    Paused,
    /// Nothing was found in what was met.
    Nothing,
}

impl<const W: usize> Listing<'_, W> {
    /// Looks for violations in states that are known by their hashes. The returned session has the records.
    pub(super) fn approximate<'s>(
        &mut self,
        task: &Task,
        state_limit: usize,
        session: &Session<'s>,
    ) -> (Answer, Session<'s>) {
        // One thread, so that what is found does not depend on chance.
        let session = Session::new(session.stop, session.progress, session.memory, 1);
        self.off_graph = true;
        let search = match self.approximate.take() {
            Some(search) => Ok(Some(search)),
            None => self.target(task, &session).and_then(|target| {
                let graphs = self.graphs(&session)?;
                let search = Approximate::new(task, &target, &graphs.successors, session.memory);
                self.keep(graphs, &session);
                Ok(search)
            }),
        };
        let mut search = match search {
            Ok(Some(search)) => search,
            Ok(None) => return (Answer::Unknown(Reason::NoPathShows), session),
            Err(stop) => return (Answer::Unknown(Reason::stopped(stop)), session),
        };
        let end = search.search(state_limit as u64, &session);
        let (count, unit) = search.met();
        session.count(unit, count);
        session.count("transitions", search.edges());
        let missed_one_in = search.missed_one_in();
        let nothing = |stop| Answer::Unknown(Reason::NothingFound { count, unit, missed_one_in, stop });
        let answer = match end {
            Ok(End::Found(found)) | Err(Stop::Found(found)) => Answer::Fails(found),
            Ok(End::Nothing) => nothing(None),
            Ok(End::Paused) => {
                self.approximate = Some(search);
                nothing(Some(StopReason::Work))
            }
            Err(Stop::Limit(stop)) => nothing(Some(stop)),
            Err(Stop::TooLarge(what)) => Answer::Unknown(Reason::TooLarge { what }),
        };
        (answer, session)
    }
}

impl<const W: usize> Approximate<W> {
    /// A search for violations of a task, or `None` if paths do not show any. It has not begun.
    pub(super) fn new(
        task: &Task,
        target: &Target,
        successors: &Arc<Successors<W>>,
        memory: u64,
    ) -> Option<Approximate<W>> {
        let question = match target {
            Target::State(invariant) => {
                let mut programs = Programs::new(&successors.instance, &successors.packing);
                let predicate = programs.predicate(invariant);
                Question::Invariant { expr: invariant.clone(), programs, predicate }
            }
            Target::Run(violations) => {
                let Runs { atoms, violating, letters, .. } = Runs::new(task, violations, successors);
                let automaton = violations.automaton.clone();
                let goals = prefix::accepting_everything(&automaton);
                let useful = leading_to(&automaton, &goals);
                // Some continuation must be fair.
                let realisable = violating.iter().any(Alternative::is_realisable);
                if !realisable || !automaton.initial.iter().any(|q| useful[*q]) {
                    return None;
                }
                let moves = Vec::new();
                Question::Prefix(BadPrefix { automaton, atoms, letters, goals, useful, moves })
            }
            Target::Branching(_) => return None,
        };
        Some(Approximate {
            successors: Arc::clone(successors),
            question,
            signatures: Signatures::new(memory),
            ancestry: Ancestry::default(),
            initial: Vec::new(),
            waiting: VecDeque::new(),
            chunks: 0,
            expanded: 0,
            edges: 0,
            checked: 0,
            buffer: Buffer::default(),
        })
    }

    /// How many nodes were met, and what they are called.
    pub(super) fn met(&self) -> (u64, &'static str) {
        let combined = match &self.question {
            Question::Invariant { .. } => false,
            Question::Prefix(prefix) => {
                prefix.useful.iter().zip(&prefix.goals).filter(|(u, g)| **u && !**g).count() > 1
            }
        };
        (self.signatures.count(), if combined { "product states" } else { "states" })
    }

    /// How many edges were followed.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }

    /// Of how many new nodes about one is missed at present; `None` if hardly any.
    pub(super) fn missed_one_in(&self) -> Option<u64> {
        self.signatures.missed_one_in()
    }

    /// Expands nodes until `enough` are expanded, or all. After an error it must not be used any more.
    pub(super) fn search(&mut self, enough: u64, session: &Session<'_>) -> Result<End, Stop> {
        if self.expanded == 0 && self.initial.is_empty() {
            self.start(session)?;
        }
        while self.expanded < enough {
            let Some(chunk) = self.waiting.pop_front() else { return Ok(End::Nothing) };
            let few = usize::try_from(enough - self.expanded).unwrap_or(usize::MAX).min(chunk.len());
            for node in &chunk[..few] {
                if let Err(wrong) = self.expand(node) {
                    return Ok(End::Found(self.found(wrong)));
                }
                if self.buffer.targets.len() >= BATCH {
                    self.meet();
                }
            }
            self.meet();
            if few < chunk.len() {
                self.waiting.push_front(chunk[few..].to_vec());
            } else {
                self.chunks -= 1;
            }
            if self.edges - self.checked >= INTERVAL as u64 {
                self.checked = self.edges;
                self.look_around(session).map_err(Stop::Limit)?;
            }
        }
        Ok(if self.waiting.is_empty() { End::Nothing } else { End::Paused })
    }

    /// Adds the initial states.
    fn start(&mut self, session: &Session<'_>) -> Result<(), Stop> {
        let successors = Arc::clone(&self.successors);
        let mut states = initial_states(&successors.instance);
        let roots: Vec<u32> = match &self.question {
            Question::Invariant { .. } => vec![0],
            Question::Prefix(prefix) => {
                let useful = prefix.automaton.initial.iter().filter(|q| prefix.useful[**q]);
                useful.map(|q| *q as u32).collect()
            }
        };
        loop {
            match states.advance(INTERVAL) {
                Advance::Found(state) => {
                    let state = state.map_err(|fault| Stop::fault(None, Site::Init, fault))?;
                    let mut words = [0; W];
                    successors.packing.pack(&state, &mut words);
                    for &q in &roots {
                        let (node, initial) = ((words, q), &mut self.initial);
                        self.signatures.insert(&[signature(&node)], |_| initial.push(node));
                    }
                }
                Advance::Searching => self.look_around(session).map_err(Stop::Limit)?,
                Advance::End => break,
            }
        }
        self.initial.iter().for_each(|_| self.ancestry.add_root());
        self.waiting = self.initial.chunks(CHUNK).map(<[_]>::to_vec).collect();
        self.chunks = self.waiting.len();
        Ok(())
    }

    /// Finds the targets of a node, unless something is wrong with it.
    #[inline]
    fn expand(&mut self, node: &Node<W>) -> Result<(), Wrong> {
        let Buffer { labels, states, targets, steps, degrees, .. } = &mut self.buffer;
        let (state, q) = node;
        let before = targets.len();
        let successors = &*self.successors;
        labels.clear();
        states.clear();
        if let Question::Invariant { expr, programs, predicate } = &self.question
            && programs.test(*predicate, state) != Truth::True
        {
            // A fault of an action comes first.
            successors.steps_by_semantics(state, labels, states).map_err(of_action)?;
            let state = successors.packing.unpack(state);
            let truth = semantics::state_predicate(&successors.instance, expr, &state);
            return Err(truth.map_or_else(|fault| Wrong::Fault(Site::Property, fault), |_| Wrong::Violated));
        }
        successors.steps(state, labels, states).map_err(of_action)?;
        match &mut self.question {
            // A deadlock has the step `idle` to itself, which leads nowhere new.
            Question::Invariant { .. } => {
                targets.extend(states.iter().map(|state| (*state, 0)));
                steps.extend_from_slice(labels);
            }
            Question::Prefix(prefix) => {
                if states.is_empty() {
                    labels.push(IDLE);
                    states.push(*state);
                }
                let (instance, packing) = (&*successors.instance, &*successors.packing);
                let one = One { instance, packing, words: state, labels };
                let valuation = prefix.letters.valuate(&one, 0);
                let valuation = valuation.map_err(|(_, site, fault)| Wrong::Fault(site, fault))?;
                if prefix.goals[*q as usize] {
                    return Err(Wrong::Violated);
                }
                for (label, target) in labels.iter().zip(states) {
                    let class = prefix.letters.event_class(*label);
                    let letter = valuation as usize * prefix.letters.class_count + class;
                    for &to in prefix.moves(letter, *q) {
                        targets.push((*target, to));
                        steps.push(*label);
                    }
                }
            }
        }
        degrees.push(targets.len() - before);
        self.expanded += 1;
        Ok(())
    }

    /// Looks up the targets, and lets those that are new wait for their turn.
    fn meet(&mut self) {
        let Buffer { targets, degrees, hashes, .. } = &mut self.buffer;
        hashes.clear();
        hashes.extend(targets.iter().map(signature));
        let (ancestry, waiting, chunks) = (&mut self.ancestry, &mut self.waiting, &mut self.chunks);
        // The node whose targets come next, where they begin, and where they end.
        let mut degrees_left = degrees.iter();
        let (mut first, mut last) = (0, degrees_left.next().copied().unwrap_or(0));
        self.signatures.insert(hashes, |position| {
            while position >= last {
                ancestry.advance();
                first = last;
                last += degrees_left.next().expect("every target is of some node");
            }
            ancestry.add((position - first) as u32);
            if waiting.back().is_none_or(|chunk| chunk.len() >= CHUNK) {
                waiting.push_back(Vec::with_capacity(CHUNK));
                *chunks += 1;
            }
            waiting.back_mut().expect("a chunk with room").push(targets[position]);
        });
        let rest = if degrees.is_empty() { 0 } else { 1 + degrees_left.len() };
        (0..rest).for_each(|_| ancestry.advance());
        self.edges += targets.len() as u64;
        self.buffer.clear();
    }

    /// The counterexample that the next node to be expanded is.
    fn found(&mut self, wrong: Wrong) -> Counterexample {
        self.buffer.clear();
        let path = self.path(self.expanded);
        match wrong {
            Wrong::Violated => Counterexample::Path(path),
            Wrong::Fault(site, fault) => Counterexample::Fault { path: Some(path), site, fault },
        }
    }

    /// The path to a node.
    fn path(&mut self, number: u64) -> Path {
        let (root, edges) = self.ancestry.path(number);
        let mut node = self.initial[root as usize];
        let mut positions = Vec::new();
        for edge in edges {
            let known = self.expand(&node).is_ok();
            debug_assert!(known, "it was expanded before");
            let state = self.successors.packing.unpack(&node.0);
            positions.push(Position { state, label: label(self.buffer.steps[edge as usize]) });
            node = self.buffer.targets[edge as usize];
            self.buffer.clear();
        }
        Path { positions, last: self.successors.packing.unpack(&node.0) }
    }

    /// Reports progress and checks the limits.
    fn look_around(&self, session: &Session<'_>) -> Result<(), StopReason> {
        let (count, unit) = self.met();
        (session.progress)(&Progress { phase: "exploring by hashes", count, unit });
        let nodes = (self.chunks * CHUNK + self.initial.len()) * size_of::<Node<W>>();
        session.check(self.signatures.bytes() + self.ancestry.bytes() + nodes as u64)
    }
}

impl<const W: usize> Buffer<W> {
    /// Forgets what was found.
    fn clear(&mut self) {
        self.targets.clear();
        self.steps.clear();
        self.degrees.clear();
    }
}

impl BadPrefix {
    /// Where the automaton can go on a letter, if that is useful.
    #[inline]
    fn moves(&mut self, letter: usize, q: u32) -> &[u32] {
        let place = letter * self.automaton.states.len() + q as usize;
        if place >= self.moves.len() {
            self.moves.resize(self.letters.len() * self.automaton.states.len(), None);
        }
        self.moves[place].get_or_insert_with(|| {
            let letter = self.letters.letter(letter);
            let admitted =
                |edge: &&automata::Edge| edge.cube.admits(|atom| letter.contains(self.atoms[atom]));
            let edges = self.automaton.states[q as usize].iter().filter(admitted);
            let mut targets: Vec<u32> =
                edges.map(|edge| edge.target as u32).filter(|to| self.useful[*to as usize]).collect();
            targets.sort_unstable();
            targets.dedup();
            targets.into()
        })
    }
}

/// Per state of an automaton, whether one of the goals can be reached from it.
fn leading_to(automaton: &Automaton, goals: &[bool]) -> Vec<bool> {
    let mut leading = goals.to_vec();
    loop {
        let leads = |(state, edges): (usize, &Vec<automata::Edge>)| {
            leading[state] || edges.iter().any(|edge| leading[edge.target])
        };
        let next: Vec<bool> = automaton.states.iter().enumerate().map(leads).collect();
        if next == leading {
            return leading;
        }
        leading = next;
    }
}

/// What a node is known by.
#[inline]
fn signature<const W: usize>((state, q): &Node<W>) -> u64 {
    hash(state).wrapping_add(u64::from(*q).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn of_action((action, fault): (model::ActionId, semantics::Fault)) -> Wrong {
    Wrong::Fault(Site::Action(action), fault)
}
