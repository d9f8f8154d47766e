//! Whether an abstract run is real, process by process; if not, what to expose.
//!
//! An abstract run fixes the values of shared cells, the classes of all processes, and who takes each step. Given these the
//! local states of different processes have nothing to do with one another: the run is real iff each process, on its
//! own, has a path of local states along it that is fair by the requirements about that process. So for each
//! process we build the explicit graph of pairs (position, local state) and look for a fair cycle in it; the cycles of all
//! processes together, each repeated as often as it takes, are a run of the system. Constructing one run and testing it,
//! as [CN08] does, gets by without the graphs but must unroll the cycle.
//!
//! A process may also move while the abstract run waits: between two of its steps it may take others that change no
//! shared cell and no class, as long as the automaton can read them and remain where it is. Most abstract runs leave
//! out just such steps. Requirements about nobody in particular may object to them; then they are left out.
//!
//! In a rendezvous the local states of its processes do have to do with one another: [`meetings`](super::meetings). Nothing of a
//! meeting is done while the abstract run waits.
//!
//! Where a process has no such path, its graph says what to expose. Either it gets stuck: the local states that it can
//! have at some position are all different from those in which it could take the step that the abstract run has there. Or
//! each cycle breaks a requirement, which the abstract run does not, because it lumps local states together: those
//! with `then` or without `when` and the others. Each time there are two sets of local states in one class, both
//! not empty, and to expose one of them is new. Since there are finitely many local states, refinement ends.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use model::answer::{Label, Lasso, Path, Position};
use model::instance::Environment;
use model::{ActionId, Expr, Session, State, ground, semantics};

use super::abstraction::{Abstraction, Group};
use super::behaviour::Tuple;
use super::meetings::Hop;
use super::sharing::Demanded;
use super::strand::{LocalGraph, LocalMove, LocalPath, Tree};
use crate::encoding::Stop;
use crate::events::{collect_events, decide};
use crate::graph::bits::Bits;
use crate::graph::fair::fair_components;
use crate::graph::fold::fold;
use crate::graph::lasso::Search;
use crate::graph::marked::{Class, Marked};
use crate::regions::Product;
use crate::regions::walk::Walk;
use crate::watch::Watch;

/// The greatest number of positions of a run that is put together.
const POSITIONS: usize = 1 << 20;

/// What to expose of a process, and why.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) process: usize,
    /// Local states of one class that must be told from `others` of the same class. Neither set is empty.
    pub(super) states: BTreeSet<usize>,
    pub(super) others: BTreeSet<usize>,
    /// What the abstract run gets wrong.
    pub(super) why: Why,
}

/// What an abstract run gets wrong about a process.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// It cannot take a step that it is said to take.
    Step,
    /// It could take a step where the system is said to idle.
    Idle,
    /// A requirement, by position, that it breaks.
    Requirement(usize),
    /// A fault that it cannot run into there.
    Fault,
}

/// The judgement on an abstract run.
pub(super) enum Judged<T> {
    /// It stands for this run.
    Real(T),
    /// It does not.
    Spurious(Cut),
    /// Neither could be shown.
    Unclear,
}

/// An abstract run and what is asked of it.
pub(super) struct Judge<'j, 's, 'a> {
    product: &'j Product<'s, 'a>,
    pub(super) system: &'j Abstraction<'a>,
    pub(super) walk: &'j Walk,
    session: &'j Session<'j>,
    pub(super) demanded: &'j [Demanded],
    /// Per requirement without events or of listed actions, its `when` and `then` if one of them is taken, and if not.
    decided: Vec<Option<[Expr; 4]>>,
    /// The number of each position's product state.
    pub(super) places: Vec<usize>,
    /// Per product state, some state that it stands for, and its bits.
    concrete: Vec<(State, Vec<bool>)>,
    /// Whether processes may move while the abstract run waits.
    waiting: bool,
    pub(super) known: RefCell<PathCache>,
}

/// What has been found out, by product state. A long run has few of these, if it is long because many take part.
#[derive(Default)]
pub(super) struct PathCache {
    /// Which groups the automaton can read and stay.
    stays: HashMap<(usize, usize), bool>,
    /// Per process and local state, the moves that the abstract run does not notice, and whether it can do nothing alone.
    unnoticed: HashMap<(usize, usize, usize), Rc<[Way]>>,
    blocked: HashMap<(usize, usize, usize), bool>,
    /// Per group and next product state, the hops of a meeting.
    pub(super) hops: HashMap<(usize, usize, usize), Rc<[Hop]>>,
    /// Per meeting and tuple of local states, whether something can be done together.
    pub(super) meets: HashMap<(usize, usize, Tuple), bool>,
    /// Per requirement, local state and what is taken, its `when` and `then`.
    seen: HashMap<CacheKey, (bool, bool)>,
}

/// A requirement, a product state, a local state, and what is taken if that matters.
type CacheKey = (usize, usize, usize, Option<Label>);

/// How a process can take part in a step: its next local state and its action, if it acts.
pub(super) type Way = (usize, Option<ActionId>);

impl<'j, 's, 'a> Judge<'j, 's, 'a> {
    pub(super) fn new(
        system: &'j Abstraction<'a>,
        product: &'j Product<'s, 'a>,
        walk: &'j Walk,
        demanded: &'j [Demanded],
        waiting: bool,
        session: &'j Session<'j>,
    ) -> Judge<'j, 's, 'a> {
        let instance = system.sharing.instance;
        let (mut numbers, mut places, mut concrete) = (HashMap::new(), Vec::new(), Vec::new());
        for place in walk.moves.iter().map(|step| &step.source).chain([&walk.end]) {
            let next = numbers.len();
            let number = *numbers.entry(place).or_insert(next);
            if number == next {
                concrete.push((system.concrete(&place.values), system.cells.encode(&place.values)));
            }
            places.push(number);
        }
        let decided = |demanded: &Demanded| {
            let mut events = Vec::new();
            let sides = [&demanded.requirement.when, &demanded.requirement.then];
            sides.into_iter().for_each(|expr| collect_events(expr, &mut events));
            (events.is_empty() || demanded.actions.is_some()).then(|| {
                let of = |expr: &Expr, truth: bool| {
                    let known = decide(expr, &|_| Some(Expr::Bool(truth)));
                    ground::expression(instance, &known, &mut Environment::default())
                };
                let model::Requirement { when, then, .. } = &demanded.requirement;
                [of(when, true), of(then, true), of(when, false), of(then, false)]
            })
        };
        let decided = demanded.iter().map(decided).collect();
        let known = RefCell::default();
        Judge { product, system, walk, session, demanded, decided, places, concrete, waiting, known }
    }

    /// Judges a lasso.
    pub(super) fn lasso(&self) -> Result<Judged<Lasso>, Stop> {
        let mut threads = Vec::new();
        for process in 0..self.system.locals.len() {
            match self.thread(process)? {
                Ok(thread) => threads.push(thread),
                Err(Some(cut)) => return Ok(Judged::Spurious(cut)),
                Err(None) => return Ok(Judged::Unclear),
            }
        }
        Ok(match self.joined(&threads) {
            Err(cut) => cut.map_or(Judged::Unclear, Judged::Spurious),
            Ok(lasso) if self.is_fair(&lasso) => Judged::Real(lasso),
            Ok(_) => Judged::Unclear,
        })
    }

    /// Judges a path to a state where something is wrong; `is_wrong` says whether it is with some actions, or whether it is
    /// anyway.
    pub(super) fn path(&self, is_wrong: &dyn Fn(Option<&[ActionId]>, &State) -> bool) -> Judged<Path> {
        let last = self.walk.moves.len();
        let mut trees = Vec::new();
        for process in 0..self.system.locals.len() {
            let mut tree = Tree::new(self, process);
            let end = tree.grow(self);
            if let Some(cut) = end {
                return Judged::Spurious(cut);
            }
            trees.push(tree);
        }
        let anyway = is_wrong(None, &self.concrete[self.places[last]].0);
        let mut chosen: Vec<Option<usize>> = vec![None; trees.len()];
        if !anyway {
            // Per process, and then per meeting, the tuples in which something is wrong.
            let alone = self.system.sharing.actions.iter().enumerate().map(|(process, actions)| {
                let wrong = |state: &usize| is_wrong(Some(actions), &self.state(last, process, *state));
                let wrong: Vec<Tuple> = self.members(last, process).filter(wrong).map(|l| vec![l]).collect();
                (vec![process], wrong)
            });
            let together = self.system.sharing.meetings.iter().enumerate().map(|(number, meeting)| {
                let wrong = |tuple: &&Tuple| {
                    self.is_there(last, &meeting.processes, tuple)
                        && is_wrong(Some(&meeting.actions), &self.state_of(last, &meeting.processes, tuple))
                };
                (
                    meeting.processes.clone(),
                    self.system.tuples[number].iter().filter(wrong).cloned().collect(),
                )
            });
            let all: Vec<(Vec<usize>, Vec<Tuple>)> = alone.chain(together).collect();
            let can_be = |processes: &[usize], tuple: &[usize]| {
                processes.iter().zip(tuple).all(|(process, state)| trees[*process].is_at(last, *state))
            };
            let real = all.iter().find_map(|(processes, wrong)| {
                wrong.iter().find(|tuple| can_be(processes, tuple)).map(|tuple| (processes, tuple))
            });
            let Some((processes, tuple)) = real else {
                let spurious = all.iter().find(|(_, wrong)| !wrong.is_empty());
                let cut = spurious.and_then(|(processes, wrong)| self.harmless(&trees, processes, wrong));
                return cut.map_or(Judged::Unclear, Judged::Spurious);
            };
            processes.iter().zip(tuple).for_each(|(process, state)| chosen[*process] = Some(*state));
        }
        let paths: Vec<Vec<(bool, Option<ActionId>, usize)>> =
            trees.iter().zip(&chosen).map(|(tree, state)| tree.path(last, *state)).collect();
        match self.joined_path(&paths) {
            Ok(path) => Judged::Real(path),
            Err(cut) => cut.map_or(Judged::Unclear, Judged::Spurious),
        }
    }

    /// Some processes are in none of these tuples at the end, though their classes are: the first of them whose local states go
    /// with none of those that the ones before it can have.
    fn harmless(&self, trees: &[Tree], processes: &[usize], tuples: &[Tuple]) -> Option<Cut> {
        let last = self.walk.moves.len();
        let mut possible: Vec<&Tuple> = tuples.iter().collect();
        for (place, process) in processes.iter().enumerate() {
            let others: BTreeSet<usize> = possible.iter().map(|tuple| tuple[place]).collect();
            possible.retain(|tuple| trees[*process].is_at(last, tuple[place]));
            if possible.is_empty() {
                let states: BTreeSet<usize> = trees[*process].at(last).into_iter().collect();
                return Some(Cut { process: *process, states, others, why: Why::Fault });
            }
        }
        None
    }

    /// The infinite path of a process along the lasso, or what to expose of it.
    #[allow(clippy::type_complexity)]
    fn thread(&self, process: usize) -> Result<Result<LocalPath, Option<Cut>>, Stop> {
        let strand = LocalGraph::new(self, process);
        let mut watch = Watch::new(self.session, "local paths", "edges", 0);
        let roots: Vec<u32> = (0..strand.roots as u32).collect();
        let marked = Marked { graph: &strand.graph, classes: &strand.classes, requirements: strand.bits };
        let fair = fair_components(&marked, &roots, Bits::empty(strand.bits), &mut watch)?;
        if let Some(component) = fair.first() {
            let search = Search { marked, parents: &strand.parents };
            let lassos = search.lassos(component, &mut watch)?;
            let length = |lasso: &crate::graph::lasso::Lasso| {
                let rounds: usize = lasso
                    .cycle
                    .iter()
                    .map(|edge| &strand.labels[*edge])
                    .map(|(pace, times)| if pace.advances { *times } else { 0 })
                    .sum();
                (rounds, lasso.cycle.len(), lasso.stem.len())
            };
            let lasso = lassos.into_iter().min_by_key(length).expect("there is a lasso");
            let edges = |numbers: &[usize]| {
                let labels = numbers.iter().map(|edge| &strand.labels[*edge]);
                labels.flat_map(|(pace, times)| std::iter::repeat_n(pace.clone(), *times)).collect()
            };
            let first = match lasso.stem.first().or(lasso.cycle.first()) {
                Some(edge) => strand.graph.source(*edge),
                None => 0,
            };
            let begin = strand.nodes[first as usize].1;
            return Ok(Ok(LocalPath { begin, stem: edges(&lasso.stem), cycle: edges(&lasso.cycle) }));
        }
        let mut tree = Tree::new(self, process);
        if let Some(cut) = tree.grow(self) {
            return Ok(Err(Some(cut)));
        }
        Ok(Err(self.broken(process, &strand, &mut watch)?))
    }

    /// What to expose of a process that can go on for ever but breaks a requirement.
    fn broken(
        &self,
        process: usize,
        strand: &LocalGraph,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Cut>, Stop> {
        // Only that it advances.
        let advance = |class: &Class| {
            let of = |bits: &Bits| Bits::of(strand.bits, |bit| bit == 0 && bits.contains(0));
            Class { when: of(&class.when), then: of(&class.then) }
        };
        let classes: Vec<Class> = strand.classes.iter().map(advance).collect();
        let marked = Marked { graph: &strand.graph, classes: &classes, requirements: strand.bits };
        let roots: Vec<u32> = (0..strand.roots as u32).collect();
        let components = fair_components(&marked, &roots, Bits::empty(strand.bits), watch)?;
        for component in &components {
            let inside = |node: u32| component.nodes.binary_search(&node).is_ok();
            let (mut when, mut then) = (Bits::empty(strand.bits), Bits::empty(strand.bits));
            let mut advancing: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for node in &component.nodes {
                for number in strand.graph.leaving(*node) {
                    let edge = strand.graph.edge(number);
                    if inside(edge.target) {
                        when.add(&strand.classes[edge.class as usize].when);
                        then.add(&strand.classes[edge.class as usize].then);
                        let (position, state) = strand.nodes[*node as usize];
                        if strand.labels[number].0.advances {
                            advancing.entry(position).or_default().insert(state);
                        }
                    }
                }
            }
            for (bit, requirement) in strand.requirements.iter().enumerate() {
                if !when.contains(bit + 1) || then.contains(bit + 1) {
                    continue;
                }
                let why = Why::Requirement(*requirement);
                for wanted_then in [true, false] {
                    for (position, states) in &advancing {
                        let is = |state: &usize| {
                            let label = self.label(*position);
                            let (when, then) = self.sees(*requirement, *position, process, *state, label);
                            if wanted_then { then } else { !when }
                        };
                        let (good, bad): (BTreeSet<usize>, BTreeSet<usize>) =
                            self.members(*position, process).partition(is);
                        let wrong = states.iter().any(|state| bad.contains(state));
                        if !good.is_empty() && wrong {
                            let states = if wanted_then { states.clone() } else { bad };
                            return Ok(Some(Cut { process, states, others: good, why }));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// What a requirement about a process sees of a step at a position: its `when` and its `then`.
    pub(super) fn sees(
        &self,
        requirement: usize,
        position: usize,
        process: usize,
        local: usize,
        label: Label,
    ) -> (bool, bool) {
        // All steps that are not of the listed actions look the same.
        let is_plain = self.decided[requirement].is_some() && !self.is_listed(requirement, label);
        let key = (requirement, self.places[position], local, (!is_plain).then_some(label));
        if let Some(known) = self.known.borrow().seen.get(&key) {
            return *known;
        }
        let seen = self.sees_in(requirement, &self.state(position, process, local), label);
        self.known.borrow_mut().seen.insert(key, seen);
        seen
    }

    fn is_listed(&self, requirement: usize, label: Label) -> bool {
        let actions = self.demanded[requirement].actions.as_deref().unwrap_or_default();
        matches!(label, Label::Action(action) if actions.contains(&action))
    }

    /// What a requirement sees of a step from a state.
    fn sees_in(&self, requirement: usize, state: &State, label: Label) -> (bool, bool) {
        let instance = self.system.sharing.instance;
        let of = &self.demanded[requirement].requirement;
        if let Some([when, then, other_when, other_then]) = &self.decided[requirement] {
            let is_taken = self.is_listed(requirement, label);
            let (when, then) = if is_taken { (when, then) } else { (other_when, other_then) };
            let truth = |expr: &Expr| semantics::state_predicate(instance, expr, state).unwrap_or_default();
            return (truth(when), truth(then));
        }
        let position = Position { state: state.clone(), label };
        let truth = |expr: &Expr| semantics::step_predicate(instance, expr, &position).unwrap_or_default();
        (truth(&of.when), truth(&of.then))
    }

    /// The label of the step at a position; of a group, that of its first action.
    pub(super) fn label(&self, position: usize) -> Label {
        let group = &self.system.groups[self.walk.moves[position].group];
        group.actions.first().map_or(Label::Idle, |action| Label::Action(*action))
    }

    /// Some state at a position in which a process is in this local state.
    pub(super) fn state(&self, position: usize, process: usize, local: usize) -> State {
        let mut state = self.concrete[self.places[position]].0.clone();
        self.system.place(&mut state.0, process, &self.system.locals[process].states[local]);
        state
    }

    /// Some state at a position in which some processes are in these local states.
    pub(super) fn state_of(&self, position: usize, processes: &[usize], tuple: &[usize]) -> State {
        let mut state = self.concrete[self.places[position]].0.clone();
        for (process, local) in processes.iter().zip(tuple) {
            self.system.place(&mut state.0, *process, &self.system.locals[*process].states[*local]);
        }
        state
    }

    /// Whether the classes at a position have these local states.
    pub(super) fn is_there(&self, position: usize, processes: &[usize], tuple: &[usize]) -> bool {
        let mut all = processes.iter().zip(tuple);
        all.all(|(process, local)| {
            self.class(position, *process) == self.system.partitions[*process].class[*local]
        })
    }

    fn class(&self, position: usize, process: usize) -> usize {
        self.values(position)[self.system.class_cell(process)] as usize
    }

    /// The local states of a process at a position.
    pub(super) fn members(&self, position: usize, process: usize) -> impl Iterator<Item = usize> + '_ {
        self.system.partitions[process].members(self.class(position, process))
    }

    pub(super) fn values(&self, position: usize) -> &[i64] {
        match self.walk.moves.get(position) {
            Some(step) => &step.source.values,
            None => &self.walk.end.values,
        }
    }

    /// The position after one; nothing after the end of a path.
    pub(super) fn next(&self, position: usize) -> usize {
        let is_path = self.walk.cycle == self.walk.moves.len();
        if position + 1 < self.walk.moves.len() || is_path { position + 1 } else { self.walk.cycle }
    }

    /// The last of the positions from this one on that are alike for a process: nothing changes, others move, and the
    /// requirements about it do not ask who.
    pub(super) fn stretch(&self, position: usize, process: usize, requirements: &[usize]) -> usize {
        let asks_who = |requirement: &usize| self.decided[*requirement].is_none();
        let is_own = |position: usize| {
            let group = self.group(position);
            group.is_idle() || group.processes.contains(&process)
        };
        let mut last = position;
        if is_own(position) || requirements.iter().any(asks_who) {
            return last;
        }
        while last + 1 < self.walk.moves.len()
            && last + 1 != self.walk.cycle
            && self.places[last + 1] == self.places[position]
            && !is_own(last + 1)
        {
            last += 1;
        }
        last
    }

    /// The group of the step at a position.
    pub(super) fn group(&self, position: usize) -> &Group {
        &self.system.groups[self.walk.moves[position].group]
    }

    /// How a process can take part in the step at a position.
    pub(super) fn advances(&self, position: usize, process: usize, local: usize) -> Vec<Way> {
        let group = self.group(position);
        if group.is_idle() {
            let blocked = self.is_blocked(position, process, local);
            return if blocked { vec![(local, None)] } else { Vec::new() };
        }
        let Some(place) = group.processes.iter().position(|other| *other == process) else {
            return vec![(local, None)];
        };
        if group.meeting.is_none() {
            let state = self.state(position, process, local);
            let target = self.values(self.next(position));
            return self.successors(process, &state, &group.actions, target);
        }
        let hops = self.hops(position);
        let from_here = hops.iter().map(|hop| hop[place]).filter(|(from, _)| *from == local);
        let to: BTreeSet<usize> = from_here.map(|(_, to)| to).collect();
        to.into_iter().map(|to| (to, group.actions.first().copied())).collect()
    }

    /// The local states of some processes in a state, if shared cells and their classes are those of `target`.
    pub(super) fn becomes(&self, processes: &[usize], after: &State, target: &[i64]) -> Option<Tuple> {
        let (system, sharing) = (self.system, self.system.sharing);
        let is_owned = |cell: usize| sharing.instance.cells[cell].owner.is_some();
        if !(0..after.0.len()).all(|cell| is_owned(cell) || after.0[cell] == target[cell]) {
            return None;
        }
        let local = |process: &usize| {
            let values: Vec<i64> = sharing.own[*process].iter().map(|cell| after.0[*cell]).collect();
            let local = system.locals[*process].find(&values)?;
            let class = system.partitions[*process].class[local] as i64;
            (class == target[system.class_cell(*process)]).then_some(local)
        };
        processes.iter().map(local).collect()
    }

    /// Whether a process can do nothing at a position: nothing alone, and each of its meetings has some local states of the
    /// others with which it can do nothing there.
    fn is_blocked(&self, position: usize, process: usize, local: usize) -> bool {
        let sharing = self.system.sharing;
        self.rests(position, process, local)
            && sharing.meetings_of[process].iter().all(|meeting| {
                let of = &sharing.meetings[*meeting].processes;
                let is = |other: &usize| (*other == process).then_some(local);
                self.may_rest(position, *meeting, &of.iter().map(is).collect::<Vec<_>>())
            })
    }

    /// Whether a process can do nothing alone at a position.
    pub(super) fn rests(&self, position: usize, process: usize, local: usize) -> bool {
        let key = (self.places[position], process, local);
        *self.known.borrow_mut().blocked.entry(key).or_insert_with(|| {
            let state = self.state(position, process, local);
            let enabled = |action: &ActionId| {
                semantics::enabled(self.system.sharing.instance, &state, *action).unwrap_or(true)
            };
            !self.system.sharing.actions[process].iter().any(enabled)
        })
    }

    /// The moves of a process that the abstract run does not notice.
    pub(super) fn unnoticed(&self, position: usize, process: usize, local: usize) -> Rc<[Way]> {
        if !self.waiting || position >= self.walk.moves.len() {
            return Rc::default();
        }
        let key = (self.places[position], process, local);
        if let Some(known) = self.known.borrow().unnoticed.get(&key) {
            return known.clone();
        }
        let system = self.system;
        let is_read = |action: &ActionId| self.stays(position, system.group_of[action.0 as usize]);
        let read: Vec<ActionId> = system.sharing.actions[process].iter().copied().filter(is_read).collect();
        let found: Rc<[Way]> = if read.is_empty() {
            Rc::default()
        } else {
            let state = self.state(position, process, local);
            self.successors(process, &state, &read, self.values(position)).into()
        };
        self.known.borrow_mut().unnoticed.insert(key, found.clone());
        found
    }

    /// Whether the automaton can read a step of a group at a position and stay.
    fn stays(&self, position: usize, group: usize) -> bool {
        let place = self.places[position];
        *self.known.borrow_mut().stays.entry((place, group)).or_insert_with(|| {
            let automaton = self.walk.moves[position].source.automaton;
            let bits = &self.concrete[place].1;
            self.product.arcs.iter().any(|arc| {
                arc.source == automaton
                    && arc.target == automaton
                    && self.system.table.contains(arc.label.of(group), bits)
            })
        })
    }

    /// The local states that a process can go to by these actions, where shared cells and its class become those of
    /// `target`.
    fn successors(&self, process: usize, state: &State, actions: &[ActionId], target: &[i64]) -> Vec<Way> {
        let mut found = Vec::new();
        for action in actions {
            let instance = self.system.sharing.instance;
            let Ok(states) = semantics::successors(instance, state, *action) else { continue };
            let local = |after: &State| self.becomes(&[process], after, target)?.first().copied();
            found.extend(states.iter().filter_map(local).map(|local| (local, Some(*action))));
        }
        found
    }

    /// The run in which every process goes its way, or what to expose if they do not agree.
    fn joined(&self, threads: &[LocalPath]) -> Result<Lasso, Option<Cut>> {
        let mut global = Global::new(self, threads.iter().map(|thread| thread.begin));
        let mut cursors = vec![0usize; threads.len()];
        let mut marks: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut position = 0;
        loop {
            if position == self.walk.cycle {
                let all_cycle = threads.iter().zip(&cursors).all(|(t, cursor)| *cursor >= t.stem.len());
                if all_cycle {
                    if let Some(begin) = marks.get(&cursors) {
                        let mut cycle = global.positions.split_off(*begin);
                        let mut stem = global.positions;
                        fold(&mut stem, &mut cycle);
                        let begin = stem.len();
                        stem.append(&mut cycle);
                        return Ok(Lasso { positions: stem, cycle: begin });
                    }
                    marks.insert(cursors.clone(), global.positions.len());
                }
            }
            if global.positions.len() > POSITIONS {
                return Err(None);
            }
            // Everybody's further moves, and then the step of the abstract run.
            for (process, (thread, cursor)) in threads.iter().zip(&mut cursors).enumerate() {
                while !thread.edge(*cursor).advances {
                    global.take(self, process, thread.edge(*cursor));
                    *cursor = thread.next(*cursor);
                }
            }
            global.advance(self, position, &|process| threads[process].edge(cursors[process]).clone())?;
            position = self.next(position);
            for (thread, cursor) in threads.iter().zip(&mut cursors) {
                *cursor = thread.next(*cursor);
            }
        }
    }

    /// The same for a path; `paths` has, per process, its first local state and its moves.
    fn joined_path(&self, paths: &[Vec<(bool, Option<ActionId>, usize)>]) -> Result<Path, Option<Cut>> {
        let mut global = Global::new(self, paths.iter().map(|path| path[0].2));
        let mut cursors = vec![1usize; paths.len()];
        let label = |(advances, action, local): (bool, Option<ActionId>, usize)| LocalMove {
            advances,
            action,
            local,
        };
        let wait = |global: &mut Global, cursors: &mut Vec<usize>| {
            for (process, (path, cursor)) in paths.iter().zip(cursors).enumerate() {
                while let Some(step) = path.get(*cursor).filter(|(advances, ..)| !advances) {
                    global.take(self, process, &label(*step));
                    *cursor += 1;
                }
            }
        };
        for position in 0..self.walk.moves.len() {
            wait(&mut global, &mut cursors);
            global.advance(self, position, &|process| label(paths[process][cursors[process]]))?;
            cursors.iter_mut().for_each(|cursor| *cursor += 1);
        }
        wait(&mut global, &mut cursors);
        Ok(Path { positions: global.positions, last: global.state })
    }

    /// Whether a lasso meets every requirement.
    fn is_fair(&self, lasso: &Lasso) -> bool {
        (0..self.demanded.len()).all(|requirement| {
            let mut asked = false;
            for Position { state, label } in &lasso.positions[lasso.cycle..] {
                let (when, then) = self.sees_in(requirement, state, *label);
                if then {
                    return true;
                }
                asked = asked || when;
            }
            !asked
        })
    }
}

/// A run of the system that is being put together.
struct Global {
    positions: Vec<Position>,
    state: State,
    /// The local state of each process.
    locals: Vec<usize>,
}

impl Global {
    fn new(judge: &Judge<'_, '_, '_>, locals: impl Iterator<Item = usize>) -> Global {
        let locals: Vec<usize> = locals.collect();
        let processes: Vec<usize> = (0..locals.len()).collect();
        Global { positions: Vec::new(), state: judge.state_of(0, &processes, &locals), locals }
    }

    fn take(&mut self, judge: &Judge<'_, '_, '_>, process: usize, step: &LocalMove) {
        let label = step.action.map_or(Label::Idle, Label::Action);
        self.positions.push(Position { state: self.state.clone(), label });
        self.place(judge, process, step.local);
    }

    fn place(&mut self, judge: &Judge<'_, '_, '_>, process: usize, local: usize) {
        self.locals[process] = local;
        judge.system.place(&mut self.state.0, process, &judge.system.locals[process].states[local]);
    }

    /// Adds the step of the abstract run at a position, in which each process does its part; if these parts do not go together, what
    /// to expose.
    fn advance(
        &mut self,
        judge: &Judge<'_, '_, '_>,
        position: usize,
        part: &dyn Fn(usize) -> LocalMove,
    ) -> Result<(), Option<Cut>> {
        let group = judge.group(position);
        if let [process] = group.processes[..] {
            self.take(judge, process, &part(process));
        } else if group.is_idle() {
            judge.agree_to_rest(position, &self.locals)?;
            self.positions.push(Position { state: self.state.clone(), label: Label::Idle });
        } else {
            let parts: Hop = group.processes.iter().map(|p| (self.locals[*p], part(*p).local)).collect();
            judge.agree(position, &parts)?;
            let before = self.state.clone();
            for (process, (_, to)) in group.processes.iter().zip(&parts) {
                self.place(judge, *process, *to);
            }
            let instance = judge.system.sharing.instance;
            let leads = |action: &&ActionId| {
                let after = semantics::successors(instance, &before, **action).unwrap_or_default();
                let to: Tuple = parts.iter().map(|(_, to)| *to).collect();
                let target = judge.values(judge.next(position));
                after.iter().any(|after| judge.becomes(&group.processes, after, target).as_ref() == Some(&to))
            };
            let action = group.actions.iter().find(leads).ok_or(None)?;
            self.positions.push(Position { state: before, label: Label::Action(*action) });
        }
        let shared = judge.values(judge.next(position)).iter().enumerate().take(self.state.0.len());
        for (cell, value) in shared {
            if judge.system.sharing.instance.cells[cell].owner.is_none() {
                self.state.0[cell] = *value;
            }
        }
        Ok(())
    }
}
