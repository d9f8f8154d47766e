//! The state graph of a small model as plain data, for drawing.
//!
//! States are enumerated breadth first with the reference semantics, up to a limit, so that a step leads at most one
//! level down. If a property is chosen, its counterexample is marked, and also the *fair components*: the maximal
//! strongly connected sets of steps in which a run can stay for ever and be fair, by [`fair_components`]. They depend
//! on the fairness, but not on the claim. Without a property every run counts as fair.
//!
//! Strong global fairness requires that every step that leaves a state of the component is in it. This is tested on
//! the whole component.
//!
//! A graph can be *projected* to some variables and locations: states that agree on them are one node, and steps inside
//! a node are left out, unless they are of the counterexample. The limit is then one of nodes, and far more states may be
//! explored. A node is initial, fair or faulty if one of its states is; a path through nodes need not be one of the
//! model.
//!
//! A model whose parameter has no value has a graph, too: that of the abstract system in which a property is decided for
//! every number of processes, if the counter engine takes it. Nothing is marked in it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ::engines::counter::NotDrawn;
use ::engines::graph::bits::Bits;
use ::engines::graph::fair::fair_components;
use ::engines::graph::marked::{Class, Marked};
use ::engines::graph::{Edge, Graph};
use ::engines::watch::Watch;
use ::engines::{Counter, Explicit};
use lang::Model;
use lang::diagnostic::nearest;
use model::initial::initial_states;
use model::instance::Start;
use model::{
    Answer, Assumption, Counterexample, Fairness, Instance, Label, Name, Position, Refusal, Session, State,
    Task, ground, semantics, show,
};

use crate::ask::Panel;
use crate::check::{self, Problem};
use crate::read::Names;
use crate::report::{Binding, evidence, fault, trace};
use crate::world::World;

/// The state graph of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateGraph {
    /// The states, breadth first.
    pub states: Vec<Vec<Binding>>,
    /// The least number of steps from an initial state to each state.
    pub levels: Vec<usize>,
    /// The steps.
    pub steps: Vec<GraphStep>,
    /// Whether each state is in a fair component.
    pub fair: Vec<bool>,
    /// The states with a fault; their steps are left out.
    pub faulty: BTreeSet<usize>,
    /// The name of the chosen property, if there is one.
    pub property: Option<Name>,
    /// Whether a counterexample to the property is marked.
    pub refuted: bool,
}

/// A step of a state graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphStep {
    /// Its source.
    pub from: usize,
    /// Its target.
    pub to: usize,
    /// Its action, or `idle`.
    pub action: String,
    /// Its part in the counterexample.
    pub part: Option<LassoPart>,
}

/// A part of a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LassoPart {
    /// Before the cycle, or on a finite path.
    Stem,
    /// On the cycle.
    Cycle,
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGraph {
    /// The model cannot be enumerated.
    Problem(Problem),
    /// It has more states (or, projected, nodes) than the limit.
    TooLarge,
    /// It has too many states to be explored, whatever it is projected to.
    TooMuch,
    /// Nothing has this name, to which it should be projected; what may have been meant.
    NoName(String, Option<String>),
    /// The model has a parameter without a value, and no abstract system: why.
    Abstract(String),
    /// A limit of the world.
    Stopped,
}

/// How many states are explored for a projected graph.
pub const EXPLORED: usize = 100_000;

impl From<Problem> for NoGraph {
    fn from(problem: Problem) -> NoGraph {
        NoGraph::Problem(problem)
    }
}

/// The graph of a model with at most `limit` states, with marks for the property of this name. If `on` is not empty, the
/// graph is projected to what it names, and has at most `limit` nodes.
pub fn graph(
    model: &Model,
    property: Option<&Name>,
    on: &[String],
    limit: usize,
    world: &World<'_>,
) -> Result<StateGraph, NoGraph> {
    if model.subject.instance().is_none() && on.is_empty() {
        return abstract_graph(model, property, limit, world);
    }
    let instance = check::instance(model)?;
    let cells = named_cells(instance, on)?;
    let mut explored = match explore(instance, if on.is_empty() { limit } else { EXPLORED }, world) {
        Err(NoGraph::TooLarge) if !on.is_empty() => return Err(NoGraph::TooMuch),
        other => other?,
    };
    let check = model.checks.iter().find(|check| Some(&check.task.property.name) == property);
    let task = check.map(|check| &check.task);
    let fairness = task.map_or_else(Fairness::none, |task| task.fairness.clone());
    let fair = fair_states(instance, &explored, &fairness);
    let refuted = task.is_some_and(|task| explored.mark(task, world));
    let nodes = if on.is_empty() {
        (0..explored.states.len()).collect()
    } else {
        projected(&explored, &cells, limit)?
    };
    let mut graph = StateGraph {
        states: Vec::new(),
        levels: Vec::new(),
        steps: Vec::new(),
        fair: Vec::new(),
        faulty: explored.faulty.iter().map(|state| nodes[*state]).collect(),
        property: check.map(|check| check.task.property.name.clone()),
        refuted,
    };
    let names = Names::new(instance);
    let kept = |binding: &Binding| {
        on.is_empty() || names.cells(&binding.name()).iter().any(|cell| cells.contains(cell))
    };
    for (state, node) in nodes.iter().enumerate() {
        // States are numbered breadth first, so an initial state is the first of its node.
        if *node == graph.states.len() {
            let shown = trace::state(instance, &explored.states[state]);
            graph.states.push(shown.into_iter().filter(|binding| kept(binding)).collect());
            graph.levels.push(explored.levels[state]);
            graph.fair.push(false);
        }
        graph.fair[*node] |= fair[state];
    }
    graph.steps = steps_between(instance, &explored, &nodes, !on.is_empty());
    graph.set_levels();
    Ok(graph)
}

/// The abstract system of the chosen property, or of the first one whose processes can be counted.
fn abstract_graph(
    model: &Model,
    property: Option<&Name>,
    limit: usize,
    world: &World<'_>,
) -> Result<StateGraph, NoGraph> {
    let is_chosen = |name: &Name| property.is_none_or(|chosen| chosen == name);
    for task in model.checks.iter().map(|check| &check.task).filter(|task| is_chosen(&task.property.name)) {
        let session = Session::new(world.stop, &|_| {}, world.memory, 1);
        let engine = Counter::new(Box::new(Explicit::default()));
        let drawn = match engine.drawn(task, limit, &session).map_err(not_drawn) {
            Ok(drawn) => drawn,
            Err(Err(_)) => continue,
            Err(Ok(no_graph)) => return Err(no_graph),
        };
        let mut graph = StateGraph {
            levels: (0..drawn.states.len())
                .map(|state| if drawn.initial.contains(&state) { 0 } else { usize::MAX })
                .collect(),
            fair: vec![false; drawn.states.len()],
            steps: drawn
                .steps
                .into_iter()
                .map(|(from, to, action)| GraphStep { from, to, action, part: None })
                .collect(),
            states: drawn.states,
            faulty: BTreeSet::new(),
            property: Some(task.property.name.clone()),
            refuted: false,
        };
        graph.set_levels();
        return Ok(graph);
    }
    let missing = check::instance(model).err();
    Err(missing
        .map_or_else(|| NoGraph::Abstract("there is no property to count for".to_owned()), NoGraph::Problem))
}

/// Why there is no abstract system; the refusal if the engine does not take the task.
pub(crate) fn not_drawn(why: NotDrawn) -> Result<NoGraph, Refusal> {
    match why {
        NotDrawn::Refused(refusal) => Err(refusal),
        NotDrawn::TooLarge => Ok(NoGraph::TooLarge),
        NotDrawn::Stopped(_) => Ok(NoGraph::Stopped),
        NotDrawn::Other(why) => Ok(NoGraph::Abstract(why)),
    }
}

impl StateGraph {
    /// Sets the least number of steps from an initial node to each node, which have level 0 already. A node may be
    /// nearer than all of its states.
    fn set_levels(&mut self) {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        self.steps.iter().for_each(|step| leaving[step.from].push(step.to));
        let mut pending: VecDeque<usize> =
            (0..self.states.len()).filter(|node| self.levels[*node] == 0).collect();
        let mut seen: BTreeSet<usize> = pending.iter().copied().collect();
        while let Some(from) = pending.pop_front() {
            for to in &leaving[from] {
                if seen.insert(*to) {
                    self.levels[*to] = self.levels[from] + 1;
                    pending.push_back(*to);
                }
            }
        }
    }
}

/// The cells that names stand for. `f` also stands for every `f[i]`, `P.y` for every `P[i].y`, `P@` for every `P[i]@`.
fn named_cells(instance: &Instance, on: &[String]) -> Result<BTreeSet<usize>, NoGraph> {
    let names = Names::new(instance);
    let mut cells = BTreeSet::new();
    for wanted in on {
        let before = cells.len();
        for name in names.all().filter(|name| *name == wanted || without_indices(name) == *wanted) {
            cells.extend(names.cells(name));
        }
        let known = cells.len() > before || !names.cells(wanted).is_empty();
        if !known && !names.all().any(|name| without_indices(name) == *wanted) {
            let families: Vec<String> = names.all().map(without_indices).collect();
            let near = nearest(wanted, names.all().chain(families.iter().map(String::as_str)));
            return Err(NoGraph::NoName(wanted.clone(), near.map(str::to_owned)));
        }
    }
    Ok(cells)
}

/// `P[1].y` becomes `P.y`.
fn without_indices(name: &str) -> String {
    let mut inside = false;
    name.chars()
        .filter(|letter| {
            let kept = !inside && *letter != '[';
            inside = *letter == '[' || inside && *letter != ']';
            kept
        })
        .collect()
}

/// The node of each state: states that agree on the cells have the same. Nodes are numbered as they first appear.
fn projected(explored: &Explored, cells: &BTreeSet<usize>, node_limit: usize) -> Result<Vec<usize>, NoGraph> {
    let mut numbers: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
    let node = |state: &State| {
        let next = numbers.len();
        let number = *numbers.entry(cells.iter().map(|cell| state.0[*cell]).collect()).or_insert(next);
        if number < node_limit { Ok(number) } else { Err(NoGraph::TooLarge) }
    };
    explored.states.iter().map(node).collect()
}

/// The steps between nodes, ordered by source. If nodes are `merged` from states, each once.
fn steps_between(instance: &Instance, explored: &Explored, nodes: &[usize], merged: bool) -> Vec<GraphStep> {
    let named = |step: &Taken| GraphStep {
        from: nodes[step.from],
        to: nodes[step.to],
        action: show::label(instance, step.label),
        part: step.part,
    };
    if !merged {
        return explored.steps.iter().map(named).collect();
    }
    let mut parts: BTreeMap<(usize, usize, Label), Option<LassoPart>> = BTreeMap::new();
    for step in &explored.steps {
        let (from, to) = (nodes[step.from], nodes[step.to]);
        if from != to || step.part.is_some() {
            let part = parts.entry((from, to, step.label)).or_default();
            *part = (*part).max(step.part);
        }
    }
    let step = |((from, to, label), part)| GraphStep { from, to, action: show::label(instance, label), part };
    parts.into_iter().map(step).collect()
}

/// The reachable states and steps.
struct Explored {
    states: Vec<State>,
    numbers: BTreeMap<State, usize>,
    levels: Vec<usize>,
    /// Ordered by source.
    steps: Vec<Taken>,
    faulty: BTreeSet<usize>,
}

struct Taken {
    from: usize,
    to: usize,
    label: Label,
    part: Option<LassoPart>,
}

fn explore(instance: &Instance, state_limit: usize, world: &World<'_>) -> Result<Explored, NoGraph> {
    let endless = instance.cells.iter().zip(&instance.starts);
    if endless.into_iter().any(|(cell, start)| cell.domain.is_unbounded() && *start == Start::Any) {
        return Err(NoGraph::TooLarge);
    }
    let mut explored = Explored {
        states: Vec::new(),
        numbers: BTreeMap::new(),
        levels: Vec::new(),
        steps: Vec::new(),
        faulty: BTreeSet::new(),
    };
    for state in initial_states(instance) {
        let state = state.map_err(|fault| Problem::InitFault(fault::in_init(instance, &fault)))?;
        explored.number(state, 0, state_limit)?;
    }
    if explored.states.is_empty() {
        return Err(Problem::NoInitialState.into());
    }
    let mut from = 0;
    while from < explored.states.len() {
        if from % 1024 == 0 && (world.stop)().is_some() {
            return Err(NoGraph::Stopped);
        }
        match semantics::steps(instance, &explored.states[from]) {
            Ok(steps) => {
                for step in steps {
                    let to = explored.number(step.target, explored.levels[from] + 1, state_limit)?;
                    explored.steps.push(Taken { from, to, label: step.label, part: None });
                }
            }
            Err(_) => {
                explored.faulty.insert(from);
            }
        }
        from += 1;
    }
    Ok(explored)
}

impl Explored {
    /// The number of a state, which is added if it is new.
    fn number(&mut self, state: State, level: usize, state_limit: usize) -> Result<usize, NoGraph> {
        if let Some(number) = self.numbers.get(&state) {
            return Ok(*number);
        }
        if self.states.len() == state_limit {
            return Err(NoGraph::TooLarge);
        }
        self.numbers.insert(state.clone(), self.states.len());
        self.states.push(state);
        self.levels.push(level);
        Ok(self.states.len() - 1)
    }

    /// Marks the counterexample to a task, if there is one.
    fn mark(&mut self, task: &Task, world: &World<'_>) -> bool {
        let panel = Panel::aside(&task.subject, world);
        let Some(Answer::Fails(found)) = panel.ask(task, panel.rounds(), world).into_answer() else {
            return false;
        };
        // Of a run after whose beginning the property is false, whatever follows, only the beginning is marked.
        let found = evidence::bad_prefix(task, &found).map_or(found, Counterexample::Path);
        match found {
            Counterexample::Lasso(lasso) => {
                for (k, position) in lasso.positions.iter().enumerate() {
                    let part = if k < lasso.cycle { LassoPart::Stem } else { LassoPart::Cycle };
                    self.mark_step(position, &lasso.positions[lasso.next(k)].state, part);
                }
            }
            Counterexample::Path(path) | Counterexample::Fault { path: Some(path), .. } => {
                let targets =
                    path.positions.iter().skip(1).map(|position| &position.state).chain([&path.last]);
                for (position, target) in path.positions.iter().zip(targets) {
                    self.mark_step(position, target, LassoPart::Stem);
                }
            }
            Counterexample::Fault { path: None, .. }
            | Counterexample::State(_)
            | Counterexample::Labelling(_)
            | Counterexample::Instance { .. } => {
                return false;
            }
        }
        true
    }

    fn mark_step(&mut self, position: &Position, target: &State, part: LassoPart) {
        let (Some(from), Some(to)) = (self.numbers.get(&position.state), self.numbers.get(target)) else {
            return;
        };
        let same = |step: &&mut Taken| step.from == *from && step.to == *to && step.label == position.label;
        if let Some(step) = self.steps.iter_mut().find(same) {
            // If a step is on the stem and on the cycle, mark it as on the cycle.
            step.part = step.part.max(Some(part));
        }
    }
}

/// Whether each state is in a fair component.
fn fair_states(instance: &Instance, explored: &Explored, fairness: &Fairness) -> Vec<bool> {
    let mut fair = vec![false; explored.states.len()];
    for assumption in &ground::fairness(instance, fairness).alternatives {
        for state in fair_by(instance, explored, assumption) {
            fair[state as usize] = true;
        }
    }
    fair
}

fn fair_by(instance: &Instance, explored: &Explored, assumption: &Assumption) -> Vec<u32> {
    let count = assumption.requirements.len();
    let mut classes = Vec::new();
    let mut graph = Graph::default();
    let mut steps = explored.steps.iter().peekable();
    for from in 0..explored.states.len() {
        while let Some(step) = steps.next_if(|step| step.from == from) {
            let position = Position { state: explored.states[from].clone(), label: step.label };
            // A fault counts as false; the answer to the property reports it.
            let is = |predicate| semantics::step_predicate(instance, predicate, &position) == Ok(true);
            let when = Bits::of(count, |k| is(&assumption.requirements[k].when));
            let then = Bits::of(count, |k| is(&assumption.requirements[k].then));
            graph.add_edge(Edge { target: step.to as u32, class: classes.len() as u32 });
            classes.push(Class { when, then });
        }
        graph.close_node();
    }
    let session = Session::unlimited();
    let marked = Marked { graph: &graph, classes: &classes, requirements: count };
    let roots: Vec<u32> = (0..graph.nodes() as u32).collect();
    let mut watch = Watch::new(&session, "looking for fair components", "states", 0);
    let found = fair_components(&marked, &roots, Bits::empty(count), &mut watch).unwrap_or_default();
    let stays = |nodes: &[u32]| {
        let inside: BTreeSet<u32> = nodes.iter().copied().collect();
        nodes.iter().all(|node| graph.leaving(*node).all(|edge| inside.contains(&graph.edge(edge).target)))
    };
    found
        .into_iter()
        .filter(|component| !assumption.global || component.part.is_empty() && stays(&component.nodes))
        .flat_map(|component| component.nodes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, property: Option<&str>, state_limit: usize) -> Result<StateGraph, NoGraph> {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let world = World::unlimited();
        graph(&model, property.map(Name::from).as_ref(), &[], state_limit, &world)
    }

    fn on(text: &str, property: Option<&str>, names: &[&str], limit: usize) -> Result<StateGraph, NoGraph> {
        let loaded = lang::load("test", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        graph(&model, property.map(Name::from).as_ref(), &names, limit, &World::unlimited())
    }

    const LOCK: &str = "
        shared free: bool = true;
        process P[i: 1..2] { loop { rest: stay; enter: request free; leave: release free; } }
        property weakly: G (P[1]@enter -> F P[1]@leave) under weak P;
        property never:  G F P[1]@leave under justice (!free) & justice (P[1]@rest) & justice (P[2]@rest);
        property everywhere: G F P[1]@leave under global;";

    #[test]
    fn the_counterexample_is_marked_and_closes() {
        let graph = of(LOCK, Some("weakly"), 100).expect("a small graph");
        assert_eq!((graph.states.len(), graph.refuted), (8, true));
        let cycle: Vec<&GraphStep> =
            graph.steps.iter().filter(|step| step.part == Some(LassoPart::Cycle)).collect();
        assert_eq!(cycle.len(), 3);
        for step in &cycle {
            assert!(cycle.iter().any(|next| next.from == step.to), "{step:?} leads off the cycle");
        }
        assert!(graph.steps.iter().all(|step| graph.levels[step.to] <= graph.levels[step.from] + 1));
    }

    #[test]
    fn only_the_beginning_of_a_run_is_marked_if_what_follows_does_not_matter() {
        let text = "shared x: 0..2; process P { loop { up: x = (x + 1) % 3; } } property p: x == 0 W x == 2;";
        let graph = of(text, Some("p"), 100).expect("a small graph");
        let marked: Vec<(usize, Option<LassoPart>)> = graph
            .steps
            .iter()
            .filter(|step| step.part.is_some())
            .map(|step| (step.from, step.part))
            .collect();
        assert_eq!((graph.refuted, marked), (true, vec![(0, Some(LassoPart::Stem))]));
    }

    #[test]
    fn a_state_is_fair_if_the_oracle_finds_a_fair_run_that_stays_around_it() {
        // All states are in one component, which is fair if every requirement is met in it.
        for property in [None, Some("weakly"), Some("never"), Some("everywhere")] {
            let graph = of(LOCK, property, 100).expect("a small graph");
            assert!(graph.fair.iter().all(|fair| *fair), "{property:?}");
        }
        let once = "shared x: 0..2; process P { action up when x < 2 { x = x + 1; } action wait when x == 1 { skip; } }
            property p: F x == 2 under strong P.up; property q: F x == 2; property g: F x == 2 under global;";
        let fair = |property: &str| of(once, Some(property), 100).expect("a small graph").fair;
        assert_eq!(fair("p"), [false, false, true]);
        assert_eq!(fair("q"), [false, true, true]);
        assert_eq!(fair("g"), [false, false, true]);
    }

    #[test]
    fn a_projected_graph_has_a_node_for_each_value_and_a_step_where_states_have_one() {
        let whole = of(LOCK, Some("weakly"), 100).expect("a small graph");
        for names in [&["free"][..], &["P[1]@"], &["P@"], &["free", "P[2]@"], &["P@", "free"]] {
            let graph = on(LOCK, Some("weakly"), names, 100).expect("a small graph");
            let kept = |binding: &&Binding| {
                names.iter().any(|name| binding.name() == *name || without_indices(&binding.name()) == *name)
            };
            let project =
                |state: usize| -> Vec<Binding> { whole.states[state].iter().filter(kept).cloned().collect() };
            let node = |state: usize| {
                let projection = project(state);
                graph.states.iter().position(|node| *node == projection).expect("its node")
            };
            let nodes: BTreeSet<usize> = (0..whole.states.len()).map(node).collect();
            assert_eq!(nodes.len(), graph.states.len(), "{names:?}");
            for (number, level) in graph.levels.iter().enumerate() {
                let own = (0..whole.states.len()).filter(|state| node(*state) == number);
                assert_eq!(own.map(|state| whole.levels[state]).min() == Some(0), *level == 0, "{names:?}");
            }
            assert!(graph.steps.iter().all(|step| graph.levels[step.to] <= graph.levels[step.from] + 1));
            let wanted: BTreeSet<(usize, usize, String)> = whole
                .steps
                .iter()
                .map(|step| (node(step.from), node(step.to), step.action.clone(), step.part))
                .filter(|(from, to, _, part)| from != to || part.is_some())
                .map(|(from, to, action, _)| (from, to, action))
                .collect();
            let drawn: Vec<(usize, usize, String)> =
                graph.steps.iter().map(|step| (step.from, step.to, step.action.clone())).collect();
            assert_eq!(drawn.len(), wanted.len(), "{names:?}");
            assert_eq!(drawn.into_iter().collect::<BTreeSet<_>>(), wanted, "{names:?}");
            assert!(graph.steps.windows(2).all(|pair| pair[0].from <= pair[1].from), "{names:?}");
            assert!(graph.refuted && graph.steps.iter().any(|step| step.part == Some(LassoPart::Cycle)));
        }
    }

    #[test]
    fn a_projection_is_small_where_the_whole_is_not_and_its_names_must_exist() {
        let large = "shared x: 0..2; shared y: 0..99 = any; process P { loop { up: x = (x + 1) % 3; } }
            process Q { loop { down: y = (y + 1) % 100; } }";
        assert_eq!(of(large, None, 50), Err(NoGraph::TooLarge));
        let graph = on(large, None, &["x"], 50).expect("three nodes");
        assert_eq!((graph.states.len(), graph.steps.len()), (3, 3));
        assert_eq!(on(large, None, &["y"], 50), Err(NoGraph::TooLarge));
        assert!(matches!(on(large, None, &["R@"], 50), Err(NoGraph::NoName(..))));
    }

    #[test]
    fn what_is_too_large_or_has_no_states_is_no_graph() {
        assert_eq!(of(LOCK, None, 7), Err(NoGraph::TooLarge));
        let none = "shared x: 0..3 = any; init x > 3; process P { s: skip; }";
        assert_eq!(of(none, None, 7), Err(NoGraph::Problem(Problem::NoInitialState)));
        let fault = of("shared x: 0..1; process P { loop { up: x = x + 1; } }", None, 9).expect("a graph");
        assert_eq!(fault.faulty, BTreeSet::from([1]));
    }
}
