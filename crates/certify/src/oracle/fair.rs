//! Finds the nodes of a finite graph that lie in a fair strongly connected set, by trying all ways to be fair.
//!
//! The nodes stand for steps of the system (the steps themselves for CTL, steps with guesses for LTL). A
//! strongly connected set `C` of nodes with an edge inside is *fair* if for some alternative each requirement
//! `GF when -> GF then` has no `when` node in `C` or some `then` node in it, and, if the alternative is global,
//! the steps of `C` include every step of the system that leaves one of their sources.
//!
//! A requirement is met in one of two ways: `FG !when`, or `GF then`. We try every set `D` of requirements that are to
//! be met in the first way: delete the nodes that satisfy a `when` of `D`, and look for a maximal strongly connected
//! set of the rest that has a `then` node for each requirement outside `D` (and a node in each of the caller's goals,
//! and covers its steps if the alternative is global).
//!
//! *What is found is fair*: it has no `when` node of `D` and a `then` node of all others. *Nothing is missed*:
//! let `C` be fair, and `D` the requirements without a `when` node in `C`. Then `C` survives the deletion and
//! lies in a maximal strongly connected set `M` of the rest. A requirement outside `D` has a `then` node in
//! `C`, so in `M`; a goal met in `C` is met in `M`. If the alternative is global, all steps that leave sources
//! of `C` are steps of `C`, so nothing but sources of `C` can be reached from them in the system; the sources
//! of `M` are reached from them, so they are sources of `C`, and `M` covers because `C` does.

use std::collections::BTreeSet;

use model::fairness::{Assumption, Fairness};
use model::instance::{Environment, Instance};
use model::{Binder, Expr, FamilyId, Fault, Pattern, Requirement, semantics};

use super::graph::Graph;
use super::{REQUIREMENTS, Undecided};

/// The alternatives of a fairness, evaluated on every step of a graph.
pub(super) struct Marks {
    alternatives: Vec<Alternative>,
}

struct Alternative {
    requirements: Vec<Mark>,
    global: bool,
}

/// A requirement: for each step of the graph, whether `when` and `then` are true of it.
struct Mark {
    when: Vec<bool>,
    then: Vec<bool>,
}

/// A graph whose nodes stand for steps of the system.
pub(super) struct Nodes {
    /// The step each node stands for.
    pub(super) steps: Vec<usize>,
    /// The successors of each node.
    pub(super) successors: Vec<Vec<usize>>,
}

impl Marks {
    pub(super) fn new(instance: &Instance, graph: &Graph, fairness: &Fairness) -> Result<Marks, Fault> {
        let mut alternatives = Vec::new();
        for Assumption { requirements, global } in &fairness.alternatives {
            let mut marks = Vec::new();
            for requirement in requirements {
                let environment = &mut Environment::default();
                evaluate(instance, graph, requirement, &requirement.binders, environment, &mut marks)?;
            }
            alternatives.push(Alternative { requirements: marks, global: *global });
        }
        Ok(Marks { alternatives })
    }

    /// The nodes that lie in a fair strongly connected set with a node in each of `goals`.
    pub(super) fn fair_nodes(
        &self,
        graph: &Graph,
        nodes: &Nodes,
        goals: &[Vec<bool>],
    ) -> Result<Vec<bool>, Undecided> {
        let mut fair = vec![false; nodes.steps.len()];
        for Alternative { requirements, global } in &self.alternatives {
            // `FG !when` is impossible if all steps satisfy `when`, and need not be tried if all satisfy `then`.
            let two_ways: Vec<usize> = (0..requirements.len())
                .filter(|&r| requirements[r].when.contains(&false) && requirements[r].then.contains(&false))
                .collect();
            if two_ways.len() > REQUIREMENTS {
                return Err(Undecided::TooManyRequirements);
            }
            for choice in 0..1usize << two_ways.len() {
                let avoided: BTreeSet<usize> = (0..two_ways.len())
                    .filter(|&bit| choice >> bit & 1 == 1)
                    .map(|bit| two_ways[bit])
                    .collect();
                let alive: Vec<bool> = (nodes.steps.iter())
                    .map(|&step| !avoided.iter().any(|&r| requirements[r].when[step]))
                    .collect();
                for component in components(&nodes.successors, &alive) {
                    let wanted = (0..requirements.len()).filter(|r| !avoided.contains(r));
                    let met = |r: usize| component.iter().any(|&n| requirements[r].then[nodes.steps[n]]);
                    if wanted.into_iter().all(met)
                        && goals.iter().all(|goal| component.iter().any(|&n| goal[n]))
                        && (!global || covers(graph, nodes, &component))
                    {
                        for node in component {
                            fair[node] = true;
                        }
                    }
                }
            }
        }
        Ok(fair)
    }

    /// The states with a fair run that stays in `within`.
    pub(super) fn states_with_a_fair_run(
        &self,
        graph: &Graph,
        within: &[bool],
    ) -> Result<Vec<bool>, Undecided> {
        self.states_with_a_fair_run_through(graph, within, &[])
    }

    /// The states with a fair run that stays in `within` and is in each of `again` infinitely often.
    pub(super) fn states_with_a_fair_run_through(
        &self,
        graph: &Graph,
        within: &[bool],
        again: &[Vec<bool>],
    ) -> Result<Vec<bool>, Undecided> {
        let steps: Vec<usize> = (0..graph.steps.len())
            .filter(|&step| within[graph.steps[step].source] && within[graph.steps[step].target])
            .collect();
        let mut nodes_of = vec![None; graph.steps.len()];
        for (node, &step) in steps.iter().enumerate() {
            nodes_of[step] = Some(node);
        }
        let after = |step: usize| &graph.leaving[graph.steps[step].target];
        let successors = steps
            .iter()
            .map(|&step| after(step).iter().filter_map(|&next| nodes_of[next]).collect())
            .collect();
        let nodes = Nodes { steps, successors };
        let left = |set: &Vec<bool>| nodes.steps.iter().map(|step| set[graph.steps[*step].source]).collect();
        let goals: Vec<Vec<bool>> = again.iter().map(left).collect();
        let fair = self.fair_nodes(graph, &nodes, &goals)?;
        let mut states = vec![false; graph.states.len()];
        for (node, &step) in nodes.steps.iter().enumerate() {
            states[graph.steps[step].source] |= fair[node];
        }
        // A run is fair iff its suffixes are.
        loop {
            let mut changed = false;
            for &step in &nodes.steps {
                let (source, target) = (graph.steps[step].source, graph.steps[step].target);
                if states[target] && !states[source] {
                    states[source] = true;
                    changed = true;
                }
            }
            if !changed {
                return Ok(states);
            }
        }
    }
}

/// Evaluates a requirement on every step, for every choice of values of the binders.
fn evaluate(
    instance: &Instance,
    graph: &Graph,
    requirement: &Requirement,
    binders: &[Binder],
    environment: &mut Environment,
    marks: &mut Vec<Mark>,
) -> Result<(), Fault> {
    if let Some((binder, rest)) = binders.split_first() {
        let lo = semantics::rigid(&binder.span.lo, environment)?;
        let hi = semantics::rigid(&binder.span.hi, environment)?;
        for value in lo..=hi {
            environment.bind(binder.index, value);
            evaluate(instance, graph, requirement, rest, environment, marks)?;
            environment.unbind();
        }
        return Ok(());
    }
    if let Some(of) = &requirement.of
        && !matches_an_action(instance, of, environment)?
    {
        return Ok(());
    }
    let mut mark = Mark { when: Vec::new(), then: Vec::new() };
    for step in &graph.steps {
        let position = graph.position(step);
        mark.when.push(semantics::step_predicate_in(instance, &requirement.when, &position, environment)?);
        mark.then.push(semantics::step_predicate_in(instance, &requirement.then, &position, environment)?);
    }
    // A requirement that no step triggers is met by every run.
    if mark.when.contains(&true) {
        marks.push(mark);
    }
    Ok(())
}

/// Whether some action has a participant for each party of a pattern, and its arguments. A fairness word about an event
/// requires nothing if there is no such action. The oracle decides this from the definition of actions, not by
/// [`semantics::exists`], which engines and judge share.
fn matches_an_action(
    instance: &Instance,
    pattern: &Pattern,
    environment: &mut Environment,
) -> Result<bool, Fault> {
    let reads = |expr: &Expr| matches!(expr, Expr::Read(_) | Expr::Taken(_) | Expr::Enabled(_));
    if Expr::Taken(pattern.clone()).children().into_iter().any(|part| part.any(&mut |expr| reads(expr))) {
        // The pattern depends on the state, so it may match.
        return Ok(true);
    }
    let mut parties = Vec::new();
    for party in &pattern.participants {
        let index = match &party.process {
            Some(index) => Some(semantics::rigid(index, environment)?),
            None => None,
        };
        parties.push((party.family, index, &party.label));
    }
    let mut arguments = None;
    if let Some(values) = &pattern.arguments {
        let values = values.iter().map(|value| semantics::rigid(value, environment));
        arguments = Some(values.collect::<Result<Vec<i64>, Fault>>()?);
    }
    Ok(instance.actions.iter().any(|action| {
        let is_there = |(family, index, label): &(FamilyId, Option<i64>, &Option<String>)| {
            action.participants.iter().any(|(process, at)| {
                let process = &instance.processes[process.0 as usize];
                process.family == *family
                    && (index.is_none() || process.index == *index)
                    && label.as_ref().is_none_or(|label| label == at)
            })
        };
        arguments.as_ref().is_none_or(|values| *values == action.arguments) && parties.iter().all(is_there)
    }))
}

/// Whether the steps of a component include every step that leaves one of their sources.
fn covers(graph: &Graph, nodes: &Nodes, component: &[usize]) -> bool {
    let steps: BTreeSet<usize> = component.iter().map(|&node| nodes.steps[node]).collect();
    steps
        .iter()
        .all(|&step| graph.leaving[graph.steps[step].source].iter().all(|leaving| steps.contains(leaving)))
}

/// The maximal strongly connected sets of living nodes that have an edge inside.
///
/// Kosaraju's algorithm. In the order in which a depth-first search finishes, the last remaining node reaches all nodes
/// that it can be reached from. So the nodes that reach it are its component.
fn components(successors: &[Vec<usize>], alive: &[bool]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (node, next) in successors.iter().enumerate() {
        for &other in next {
            predecessors[other].push(node);
        }
    }
    let mut unseen = alive.to_vec();
    let mut finished = Vec::new();
    for root in 0..successors.len() {
        finished.extend(search(successors, &mut unseen, root));
    }
    let mut unseen = alive.to_vec();
    let mut components = Vec::new();
    for &root in finished.iter().rev() {
        let component = search(&predecessors, &mut unseen, root);
        if component.len() > 1 || component.first().is_some_and(|node| successors[*node].contains(node)) {
            components.push(component);
        }
    }
    components
}

/// The unseen nodes that can be reached from `root`, in the order in which a depth-first search finishes.
fn search(edges: &[Vec<usize>], unseen: &mut [bool], root: usize) -> Vec<usize> {
    let mut finished = Vec::new();
    let mut open = Vec::new();
    if std::mem::take(&mut unseen[root]) {
        open.push((root, 0));
    }
    while let Some((node, edge)) = open.last_mut() {
        if let Some(&next) = edges[*node].get(*edge) {
            *edge += 1;
            if std::mem::take(&mut unseen[next]) {
                open.push((next, 0));
            }
        } else {
            finished.push(*node);
            open.pop();
        }
    }
    finished
}
