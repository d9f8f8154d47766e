//! Generates local proofs by enumeration: every set is computed by its definition and then written as a diagram.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::expr::Operator;
use model::initial::initial_states;
use model::instance::Instance;
use model::proof::{Builder, Case, Class, Demand, Elimination, Exposed, Local, Part, ProductSet, Root, Test};
use model::property::Kind;
use model::semantics::{self, Step};
use model::{Automaton, Expr, Label, Place, Position, ProcessId, State, Task, ground, tableau};

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum No {
    /// More states than the limit.
    TooLarge,
    /// A fault in a state of the invariant.
    Fault,
    /// Some product states cannot be removed, or the invariant does not imply the property.
    Left,
    /// The property is not of a kind that has local proofs.
    Kind,
}

/// How a proof is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Which local cells are exposed: those whose number has this remainder modulo 2, or all.
    pub(crate) exposed: Option<usize>,
    /// One case per process (variant A), with the first mark if there is one.
    pub(crate) classes: bool,
    /// Whether sets also contain states that have been removed before, where their content does not matter.
    pub(crate) grown: bool,
    /// Whether to remove everything that is left, instead of giving up. The proof is then a forgery.
    pub(crate) forge: bool,
}

impl Style {
    /// Everything exposed, one case.
    pub(crate) const PLAIN: Style = Style { exposed: None, classes: false, grown: false, forge: false };
}

/// Writes a proof of a task.
pub(crate) fn prove(task: &Task, style: Style) -> Result<Local, No> {
    let instance = Instance::new(Arc::clone(task.system())).map_err(|_| No::TooLarge)?;
    let mut writer = Writer::new(&instance, style);
    let states = writer.split_invariant(style)?;
    let mut local = Local { exposed: writer.exposed.clone(), ..Local::default() };
    for process in 0..instance.processes.len() {
        let tests = writer.tests(process);
        let keys = writer.invariants[process].clone();
        local.invariants.push(writer.diagram(&tests, &keys));
    }
    if let Kind::Invariant(predicate) = &task.property.kind {
        for state in &states {
            match semantics::state_predicate(&instance, predicate, state) {
                Err(_) => return Err(No::Fault),
                Ok(false) if !style.forge => return Err(No::Left),
                Ok(_) => {}
            }
        }
    } else {
        local.cases = writer.cases(task, &states, style)?;
    }
    local.diagrams = writer.builder.finish();
    Ok(local)
}

struct Writer<'a> {
    instance: &'a Instance,
    exposed: Vec<Exposed>,
    builder: Builder,
    invariants: Vec<BTreeSet<Vec<bool>>>,
}

/// A product state.
type Node = (usize, usize);

/// A product step: from, label, number of the edge of the automaton in its state, to.
type Edge = (Node, Label, usize, Node);

impl<'a> Writer<'a> {
    fn new(instance: &'a Instance, style: Style) -> Writer<'a> {
        let mut exposed = Vec::new();
        for (number, cell) in instance.cells.iter().enumerate() {
            let Some(process) = cell.owner else { continue };
            if style.exposed.is_some_and(|remainder| number % 2 != remainder) {
                continue;
            }
            let index = instance.processes[process.0 as usize].index;
            let place = Place {
                variable: cell.variable,
                process: index.map(|index| Box::new(Expr::Int(index))),
                position: cell.position.iter().map(|value| Expr::Int(*value)).collect(),
            };
            for bit in 0..bits(instance, number) {
                let above = Expr::binary(Operator::Sub, Expr::Read(place.clone()), Expr::Int(cell.domain.lo));
                let shifted = Expr::binary(Operator::Div, above, Expr::Int(1 << bit));
                let odd = Expr::binary(Operator::Mod, shifted, Expr::Int(2));
                exposed.push(Exposed { process, predicate: Expr::eq(odd, Expr::Int(1)) });
            }
        }
        let invariants = vec![BTreeSet::new(); instance.processes.len()];
        Writer { instance, exposed, builder: Builder::default(), invariants }
    }

    /// The tests that the invariant of a process may use.
    fn tests(&self, process: usize) -> Vec<Test> {
        let own = |cell: usize| {
            self.instance.cells[cell].owner.is_none_or(|owner| owner == ProcessId(process as u32))
        };
        let cells = (0..self.instance.cells.len()).filter(|cell| own(*cell));
        let of_cells =
            cells.flat_map(|cell| (0..bits(self.instance, cell)).map(move |bit| Test::Bit { cell, bit }));
        of_cells.chain((0..self.exposed.len()).map(Test::Exposed)).collect()
    }

    fn outcome(&self, state: &State, test: Test) -> bool {
        match test {
            Test::Bit { cell, bit } => {
                let above = state.0[cell].abs_diff(self.instance.cells[cell].domain.lo);
                above >> bit & 1 == 1
            }
            Test::Exposed(number) => {
                semantics::state_predicate(self.instance, &self.exposed[number].predicate, state) == Ok(true)
            }
        }
    }

    fn key(&self, state: &State, tests: &[Test]) -> Vec<bool> {
        tests.iter().map(|test| self.outcome(state, *test)).collect()
    }

    /// The strongest invariants `θ_k` such that steps from their conjunction lead into each of them; and the states of
    /// the conjunction.
    fn split_invariant(&mut self, style: Style) -> Result<Vec<State>, No> {
        let tests: Vec<Vec<Test>> = (0..self.invariants.len()).map(|process| self.tests(process)).collect();
        let mut new: Vec<State> = Vec::new();
        for state in initial_states(self.instance).take(2000) {
            new.push(state.map_err(|_| No::Fault)?);
        }
        // If everything is exposed, the conjunction is the set of reachable states. Otherwise all states have to be
        // considered.
        let everything = if style.exposed.is_some() { all_states(self.instance)? } else { Vec::new() };
        let keys: Vec<Vec<Vec<bool>>> = everything
            .iter()
            .map(|state| tests.iter().map(|tests| self.key(state, tests)).collect())
            .collect();
        let mut inside: BTreeSet<State> = BTreeSet::new();
        while !new.is_empty() {
            for state in &new {
                for (process, tests) in tests.iter().enumerate() {
                    let key = self.key(state, tests);
                    self.invariants[process].insert(key);
                }
            }
            let mut added: BTreeSet<State> = new.drain(..).filter(|state| !inside.contains(state)).collect();
            let holds =
                |keys: &[Vec<bool>]| keys.iter().zip(&self.invariants).all(|(key, all)| all.contains(key));
            let more =
                everything.iter().zip(&keys).filter(|(state, keys)| !inside.contains(*state) && holds(keys));
            added.extend(more.map(|(state, _)| state.clone()));
            for state in &added {
                let steps = semantics::steps(self.instance, state).map_err(|_| No::Fault)?;
                new.extend(
                    steps.into_iter().map(|step| step.target).filter(|target| !added.contains(target)),
                );
            }
            inside.extend(added);
            if inside.len() > 2000 {
                return Err(No::TooLarge);
            }
            new.retain(|state| !inside.contains(state));
        }
        Ok(inside.into_iter().collect())
    }

    /// The diagram of a set of outcomes of tests.
    fn diagram(&mut self, tests: &[Test], keys: &BTreeSet<Vec<bool>>) -> Root {
        let keys: Vec<&[bool]> = keys.iter().map(Vec::as_slice).collect();
        self.split(tests, &keys)
    }

    fn split(&mut self, tests: &[Test], keys: &[&[bool]]) -> Root {
        let Some((test, rest)) = tests.split_first() else { return Root(u32::from(!keys.is_empty())) };
        if keys.is_empty() {
            return Root::FALSE;
        }
        let with =
            |truth| keys.iter().filter(move |key| key[0] == truth).map(|key| &key[1..]).collect::<Vec<_>>();
        let (no, yes) = (with(false), with(true));
        let no = self.split(rest, &no);
        let yes = self.split(rest, &yes);
        self.builder.node(*test, no, yes)
    }

    fn set(&mut self, states: &[State], automaton: &Automaton, nodes: &BTreeSet<Node>) -> ProductSet {
        let cells = 0..self.instance.cells.len();
        let tests: Vec<Test> = cells
            .flat_map(|cell| (0..bits(self.instance, cell)).map(move |bit| Test::Bit { cell, bit }))
            .collect();
        (0..automaton.states.len())
            .map(|q| {
                let of_q = nodes.iter().filter(|node| node.1 == q);
                let keys = of_q.map(|node| self.key(&states[node.0], &tests)).collect();
                self.diagram(&tests, &keys)
            })
            .collect()
    }

    fn cases(&mut self, task: &Task, states: &[State], style: Style) -> Result<Vec<Case>, No> {
        let automaton = tableau::violations(self.instance, &task.property.kind).ok_or(No::Kind)?;
        let number: BTreeMap<&State, usize> = states.iter().zip(0..).collect();
        let mut initial = Vec::new();
        for state in initial_states(self.instance) {
            let state = number[&state.map_err(|_| No::Fault)?];
            initial.extend(automaton.initial.iter().map(|q| (state, *q)));
        }
        let edges = product(self.instance, &automaton, states, &number)?;
        let reached = forward(&initial, &edges);
        let edges: Vec<Edge> = edges.into_iter().filter(|edge| reached.contains(&edge.0)).collect();
        let reached_set = self.set(states, &automaton, &reached);
        let mut cases = Vec::new();
        for (alternative, assumption) in task.fairness.alternatives.iter().enumerate() {
            let mut classes = vec![None];
            if style.classes {
                let count = self.instance.processes.len() as u32;
                let mark = (automaton.marks > 0).then_some(0);
                classes = (0..count)
                    .map(|p| Some(Class { processes: vec![ProcessId(p)], unowned: p + 1 == count, mark }))
                    .collect();
            }
            for class in classes {
                let mut demands = Vec::new();
                for (number, values, requirement) in ground::requirements(self.instance, assumption) {
                    let mut marks = Vec::new();
                    for edge in &edges {
                        let position = Position { state: states[edge.0.0].clone(), label: edge.1 };
                        let is = |predicate| semantics::step_predicate(self.instance, predicate, &position);
                        let (Ok(when), Ok(then)) = (is(&requirement.when), is(&requirement.then)) else {
                            return Err(No::Fault);
                        };
                        marks.push((when, then));
                    }
                    let by_step = requirement.when.any(&mut |expr| matches!(expr, Expr::Taken(_)));
                    demands.push((Demand::Requirement { number, values }, by_step, marks));
                }
                let has = |edge: &Edge, mark: usize| automaton.states[edge.0.1][edge.2].marks.contains(&mark);
                for mark in 0..automaton.marks {
                    let marks = edges.iter().map(|edge| (true, has(edge, mark))).collect();
                    demands.push((Demand::Mark(mark), false, marks));
                }
                if let Some(class) = &class {
                    let belongs = |label: Label| match label {
                        Label::Idle => class.unowned,
                        Label::Action(action) => {
                            let participants = &self.instance.action(action).participants;
                            participants.iter().any(|(process, _)| class.processes.contains(process))
                                || class.unowned && participants.is_empty()
                        }
                    };
                    let meets =
                        |edge: &Edge| belongs(edge.1) && class.mark.is_none_or(|mark| has(edge, mark));
                    demands.push((
                        Demand::Class,
                        false,
                        edges.iter().map(|edge| (true, meets(edge))).collect(),
                    ));
                }
                let mut left = reached.clone();
                let mut eliminations = Vec::new();
                let mut gone = BTreeSet::new();
                for mut event in eliminate(&edges, &demands, &mut left) {
                    if style.grown {
                        event.closed.extend(&gone);
                        event.removed.extend(&gone);
                        gone.clone_from(&event.removed);
                    }
                    let removed = self.set(states, &automaton, &event.removed);
                    eliminations.push(match event.demand {
                        None => Elimination::Trimmed { removed },
                        Some(demand) => {
                            let closed = self.set(states, &automaton, &event.closed);
                            Elimination::Unmet { demand, closed, removed }
                        }
                    });
                }
                if !left.is_empty() {
                    if !style.forge {
                        return Err(No::Left);
                    }
                    let rest = self.set(states, &automaton, &left);
                    let (closed, removed) = (rest.clone(), rest);
                    let demand = demands.first().map(|(demand, _, _)| demand.clone());
                    eliminations.push(match demand {
                        None => Elimination::Trimmed { removed },
                        Some(demand) => Elimination::Unmet { demand, closed, removed },
                    });
                }
                let part = Part { states: (0..automaton.states.len()).collect(), eliminations };
                cases.push(Case { alternative, class, reached: reached_set.clone(), parts: vec![part] });
            }
        }
        Ok(cases)
    }
}

/// The number of bits of a cell.
fn bits(instance: &Instance, cell: usize) -> u32 {
    let domain = instance.cells[cell].domain;
    u64::BITS - domain.hi.abs_diff(domain.lo).leading_zeros()
}

fn all_states(instance: &Instance) -> Result<Vec<State>, No> {
    let mut states = vec![Vec::new()];
    for cell in &instance.cells {
        let values = cell.domain.lo..=cell.domain.hi;
        if cell.domain.hi.abs_diff(cell.domain.lo) > 50 {
            return Err(No::TooLarge);
        }
        states = states
            .into_iter()
            .flat_map(|state: Vec<i64>| {
                values.clone().map(move |value| state.iter().copied().chain([value]).collect::<Vec<i64>>())
            })
            .collect();
        if states.len() > 6000 {
            return Err(No::TooLarge);
        }
    }
    Ok(states.into_iter().map(State).collect())
}

fn product(
    instance: &Instance,
    automaton: &Automaton,
    states: &[State],
    number: &BTreeMap<&State, usize>,
) -> Result<Vec<Edge>, No> {
    let mut edges = Vec::new();
    for (source, state) in states.iter().enumerate() {
        for Step { label, target } in semantics::steps(instance, state).map_err(|_| No::Fault)? {
            let position = Position { state: state.clone(), label };
            let letters =
                automaton.atoms.iter().map(|atom| semantics::step_predicate(instance, atom, &position));
            let letters = letters.collect::<Result<Vec<bool>, _>>().map_err(|_| No::Fault)?;
            for (q, moves) in automaton.states.iter().enumerate() {
                for (edge, taken) in moves.iter().enumerate() {
                    if taken.cube.admits(|atom| letters[atom]) {
                        edges.push(((source, q), label, edge, (number[&target], taken.target)));
                    }
                }
            }
        }
    }
    Ok(edges)
}

fn forward(initial: &[Node], edges: &[Edge]) -> BTreeSet<Node> {
    let mut next: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    edges.iter().for_each(|edge| next.entry(edge.0).or_default().push(edge.3));
    let mut reached: BTreeSet<Node> = initial.iter().copied().collect();
    let mut pending = initial.to_vec();
    while let Some(node) = pending.pop() {
        for target in next.get(&node).into_iter().flatten() {
            if reached.insert(*target) {
                pending.push(*target);
            }
        }
    }
    reached
}

struct Event {
    demand: Option<Demand>,
    closed: BTreeSet<Node>,
    removed: BTreeSet<Node>,
}

/// A demand, whether its `when` depends on the step, and `when` and `then` of each edge.
type Marked = (Demand, bool, Vec<(bool, bool)>);

/// Removes from `left` all states in which no fair run stays. Returns the eliminations.
fn eliminate(edges: &[Edge], demands: &[Marked], left: &mut BTreeSet<Node>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut barred = vec![false; edges.len()];
    'search: loop {
        let possible: Vec<usize> = (0..edges.len())
            .filter(|e| !barred[*e] && left.contains(&edges[*e].0) && left.contains(&edges[*e].3))
            .collect();
        let alive: BTreeSet<Node> = possible.iter().map(|e| edges[*e].0).collect();
        let removed: BTreeSet<Node> = left.difference(&alive).copied().collect();
        if !removed.is_empty() {
            left.retain(|node| !removed.contains(node));
            events.push(Event { demand: None, closed: BTreeSet::new(), removed });
            continue;
        }
        for (demand, by_step, marks) in demands {
            let mut can: BTreeSet<Node> =
                possible.iter().filter(|e| marks[**e].1).map(|e| edges[*e].0).collect();
            loop {
                let before = can.len();
                let more: Vec<Node> =
                    possible.iter().filter(|e| can.contains(&edges[**e].3)).map(|e| edges[*e].0).collect();
                can.extend(more);
                if can.len() == before {
                    break;
                }
            }
            let closed: BTreeSet<Node> = left.difference(&can).copied().collect();
            let inside: Vec<usize> =
                possible.iter().copied().filter(|e| closed.contains(&edges[*e].0)).collect();
            let without: BTreeSet<Node> =
                inside.iter().filter(|e| !marks[**e].0).map(|e| edges[*e].0).collect();
            let removed: BTreeSet<Node> = closed.difference(&without).copied().collect();
            let bars = *by_step && inside.iter().any(|e| marks[*e].0);
            if !removed.is_empty() || bars {
                inside.iter().filter(|e| marks[**e].0).for_each(|e| barred[*e] = true);
                left.retain(|node| !removed.contains(node));
                events.push(Event { demand: Some(demand.clone()), closed, removed });
                continue 'search;
            }
        }
        return events;
    }
}
