//! Strong global fairness on sets of states.
//!
//! A run is strongly globally fair iff it takes every step that leaves a state it visits again and again. So it ends up in
//! a *bottom* component of the system, one that no step leaves, and takes all its steps again and again. What else is
//! demanded of it is then a fact about the component: a demand `GF when -> GF then` is met iff the component has no `when`
//! step or has a `then` step.
//!
//! **Bottom components** are found one at a time [XB00]: a state that can reach `s` is either in the component of `s` or in
//! no bottom component, so after each try all states that reach `s` are dropped.
//! States that no step changes are components by themselves, and there may be very many; they are found as one set.
//!
//! **With an automaton** the covering rule is exact: a strong component `C` of the product shows a globally fair run iff its
//! system steps are all steps of a bottom component `B`. Since it visits every state of `B`, it contains one fixed state of
//! `B` with some state of the automaton, so there are few components to look at. That `C` takes all steps is a question
//! about pairs of states, and is asked group by group on relations. Before all this we ask whether a run is possible that is
//! only strongly fair to every group, which is implied; most properties that hold are shown by that.
//!
//! A run that violates the property takes every step of `B`, so it is found on an explicit graph of `C`.

use std::collections::{BTreeMap, HashMap};

use model::answer::{Counterexample, Lasso};
use model::{Automaton, Label, Position, State, semantics};

use super::Setting;
use super::fair::fair_region;
use super::system::System;
use crate::bdd::Bdd;
use crate::encoding::Stop;
use crate::graph::bits::Bits;
use crate::graph::fold::fold;
use crate::graph::lasso::{Component, Search};
use crate::graph::marked::{Class, Marked};
use crate::graph::{Edge, Graph};
use crate::regions::walk::{Place, Walker};
use crate::regions::{Demand, Demands, Product, Region, Sets, Steps};
use crate::watch::Watch;

/// The most edges of a component through which a run is shown.
const EDGES: usize = 2_000_000;

/// The reachable states that no step changes. Each is a bottom component.
fn still(system: &System<'_>, reachable: &Bdd) -> Result<Bdd, Stop> {
    let table = system.table;
    let mut still = reachable.clone();
    for group in &system.diagrams.groups {
        still = table.minus(&still, &table.preimage(&table.always(), &group.proper)?)?;
    }
    Ok(still)
}

/// Calls `visit` with every bottom component that has a state in a set, until it says that this is enough.
fn each_bottom(
    system: &System<'_>,
    reachable: &Bdd,
    among: &Bdd,
    visit: &mut dyn FnMut(&Bdd) -> Result<bool, Stop>,
) -> Result<(), Stop> {
    let (table, product) = (system.table, system.alone());
    table.begin("bottom components");
    let everywhere = Region::of(vec![reachable.clone()]);
    let mut left = among.clone();
    let mut next = left.clone();
    while !table.is_never(&left) {
        let seed = vec![system.single(&system.pick(&next))?];
        let reached = product.forward(&seed, &everywhere)?.remove(0);
        let leading = product.backward(&seed, &everywhere)?.remove(0);
        if table.is_subset(&reached, &leading)? && visit(&reached)? {
            return Ok(());
        }
        left = table.minus(&left, &leading)?;
        // Deeper down, if there is something.
        next = table.and(&left, &reached)?;
        if table.is_never(&next) {
            next = left.clone();
        }
    }
    Ok(())
}

/// The states of all bottom components.
pub(super) fn bottoms(system: &System<'_>, reachable: &Bdd) -> Result<Bdd, Stop> {
    let table = system.table;
    let still = still(system, reachable)?;
    let everywhere = Region::of(vec![reachable.clone()]);
    let leading = system.alone().backward(&vec![still.clone()], &everywhere)?.remove(0);
    let mut all = still;
    each_bottom(system, reachable, &table.minus(reachable, &leading)?, &mut |bottom| {
        all = table.or(&all, bottom)?;
        Ok(false)
    })?;
    Ok(all)
}

/// Of a union of bottom components, those that meet all demands on steps.
pub(super) fn meeting(system: &System<'_>, bottoms: &Bdd, demands: &Demands) -> Result<Bdd, Stop> {
    let (table, product) = (system.table, system.alone());
    let region = Region::of(vec![bottoms.clone()]);
    // A bottom component has a state of a set iff each of its states leads to one.
    let with = |steps: &Steps| -> Result<Bdd, Stop> {
        Ok(product.backward(&product.sources(&region, steps)?, &region)?.remove(0))
    };
    let mut good = bottoms.clone();
    for Demand { when, then } in &demands.of_steps {
        let asking = when.as_ref().map_or_else(|| Ok(bottoms.clone()), with)?;
        good = table.minus(&good, &table.minus(&asking, &with(then)?)?)?;
    }
    Ok(good)
}

/// Of a union of bottom components, those that lie in a set.
pub(super) fn inside(system: &System<'_>, bottoms: &Bdd, set: &Bdd) -> Result<Bdd, Stop> {
    let table = system.table;
    let outside = vec![table.minus(bottoms, set)?];
    let region = Region::of(vec![bottoms.clone()]);
    Ok(table.minus(bottoms, &system.alone().backward(&outside, &region)?[0])?)
}

impl Setting<'_, '_, '_> {
    /// A strongly globally fair run that meets the demands and that the automaton accepts in one of its components, given by
    /// the product states `within` that can be reached there; nothing if there is none.
    pub(super) fn accepted_globally(
        &self,
        automaton: &Automaton,
        product: &Product<'_, '_>,
        (within, states): (Sets, &Sets),
        demands: &Demands,
    ) -> Result<Option<Counterexample>, Stop> {
        let (system, table) = (self.system, self.system.table);
        let mut implied = demands.clone();
        for (number, group) in system.diagrams.groups.iter().enumerate() {
            let when = Some(Steps::new(table, group.enabled.clone(), BTreeMap::new())?);
            let then = Steps::new(table, table.never(), BTreeMap::from([(number, table.always())]))?;
            implied.of_steps.push(Demand { when, then });
        }
        let region = fair_region(system, product, within.clone(), &implied)?;
        // Invariant: every component that shows a globally fair run lies in the region.
        let candidates = table.any(region.sets.clone())?;
        let still = still(system, &self.reachable)?;
        let mut found = None;
        let mut look = |bottom: &Bdd| {
            found = self.component_of(product, bottom, &within, demands)?;
            Ok(found.is_some())
        };
        let mut single = table.and(&candidates, &still)?;
        while !table.is_never(&single) {
            let state = system.single(&system.pick(&single))?;
            if look(&state)? {
                break;
            }
            single = table.minus(&single, &state)?;
        }
        if table.is_never(&single) {
            each_bottom(system, &self.reachable, &table.minus(&candidates, &still)?, &mut look)?;
        }
        match found {
            None => Ok(None),
            Some(component) => {
                let lasso = self.covering(automaton, product, &component, states)?;
                Ok(Some(Counterexample::Lasso(lasso)))
            }
        }
    }

    /// A strong component of the product whose steps are all steps of a bottom component and that meets the demands.
    fn component_of(
        &self,
        product: &Product<'_, '_>,
        bottom: &Bdd,
        within: &Sets,
        demands: &Demands,
    ) -> Result<Option<Sets>, Stop> {
        let (system, table) = (self.system, self.system.table);
        if table.is_never(&meeting(system, bottom, demands)?) {
            return Ok(None);
        }
        let both = |set: &Bdd| table.and(set, bottom);
        let part = Region::of(within.iter().map(both).collect::<Result<_, _>>()?);
        let state = system.single(&system.pick(bottom))?;
        let mut seen = product.nowhere();
        for at in 0..product.states {
            let here = table.and(&table.minus(&state, &seen[at])?, &part.sets[at])?;
            if table.is_never(&here) {
                continue;
            }
            let mut seed = product.nowhere();
            seed[at] = here;
            let inside = part.with(product.forward(&seed, &part)?);
            let component = inside.with(product.backward(&seed, &inside)?);
            for (seen, set) in seen.iter_mut().zip(&component.sets) {
                *seen = table.or(seen, set)?;
            }
            let mut is_found = self.covers(product, &component, bottom)?;
            for mark in 0..demands.marks {
                is_found = is_found && !product.is_nowhere(&product.sources_of_mark(&component, mark)?);
            }
            if is_found {
                return Ok(Some(component.sets));
            }
        }
        Ok(None)
    }

    /// Whether the steps of a part of the product are all steps that leave some states.
    fn covers(&self, product: &Product<'_, '_>, part: &Region, states: &Bdd) -> Result<bool, Stop> {
        let table = self.system.table;
        for (number, group) in self.system.diagrams.groups.iter().enumerate() {
            let steps = table.and(states, &group.relation.predicate)?;
            if table.is_never(&steps) {
                continue;
            }
            let mut covered = Vec::new();
            for arc in &product.arcs {
                let from = table.and(&part.sets[arc.source], arc.label.of(number))?;
                covered.push(table.and(&from, &table.after(&part.sets[arc.target], &group.relation)?)?);
            }
            if !table.is_subset(&steps, &table.any(covered)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A lasso whose cycle takes every system step of a strong component of the product.
    fn covering(
        &self,
        automaton: &Automaton,
        product: &Product<'_, '_>,
        component: &Sets,
        states: &Sets,
    ) -> Result<Lasso, Stop> {
        let system = self.system;
        let walk = Walker { product, ring: usize::MAX }.path(component, states)?;
        let mut stem = system.positions(&walk);
        let explicit = Explicit::new(self, automaton, component, walk.end)?;
        let mut watch = Watch::new(self.session, "lasso", "edges", explicit.graph.bytes());
        let marked =
            Marked { graph: &explicit.graph, classes: &explicit.classes, requirements: automaton.marks };
        let nodes: Vec<u32> = (0..explicit.nodes.len() as u32).collect();
        let whole = Component { part: Bits::empty(automaton.marks), nodes };
        let parents = vec![0; explicit.nodes.len()];
        let step = |number: usize| explicit.steps[number];
        let found = Search { marked, parents: &parents }.covering_lasso(&whole, &step, &mut watch)?;
        let position = |number: &usize| {
            let (source, label) = explicit.labels[*number];
            Position { state: State(explicit.nodes[source as usize].values.clone()), label }
        };
        let mut cycle: Vec<Position> = found.cycle.iter().map(position).collect();
        fold(&mut stem, &mut cycle);
        let begin = stem.len();
        stem.append(&mut cycle);
        Ok(Lasso { positions: stem, cycle: begin })
    }
}

/// A strong component of the product, edge by edge. Its first node is where it is entered.
struct Explicit {
    nodes: Vec<Place>,
    graph: Graph,
    /// The marks that edges carry.
    classes: Vec<Class>,
    /// Per edge, its source and the label of its step.
    labels: Vec<(u32, Label)>,
    /// Per edge, the number of its step.
    steps: Vec<u64>,
}

impl Explicit {
    fn new(
        setting: &Setting<'_, '_, '_>,
        automaton: &Automaton,
        component: &Sets,
        entry: Place,
    ) -> Result<Explicit, Stop> {
        let System { instance, table, cells, .. } = setting.system;
        let mut found = Explicit {
            nodes: vec![entry.clone()],
            graph: Graph::default(),
            classes: Vec::new(),
            labels: Vec::new(),
            steps: Vec::new(),
        };
        let mut numbers: HashMap<Place, u32> = HashMap::from([(entry, 0)]);
        let mut steps: HashMap<(Vec<i64>, Label, Vec<i64>), u64> = HashMap::new();
        let mut next = 0;
        while next < found.nodes.len() {
            let Place { automaton: at, values } = found.nodes[next].clone();
            let state = State(values);
            // Invariant: no fault can be reached.
            for step in semantics::steps(instance, &state).expect("there is no fault") {
                let position = Position { state: state.clone(), label: step.label };
                let holds = |atom: usize| {
                    let atom = &automaton.atoms[atom];
                    semantics::step_predicate(instance, atom, &position).expect("there is no fault")
                };
                let count = steps.len() as u64;
                let key = (state.0.clone(), step.label, step.target.0.clone());
                let number = *steps.entry(key).or_insert(count);
                let bits = cells.encode(&step.target.0);
                for edge in automaton.states[at].iter().filter(|edge| edge.cube.admits(holds)) {
                    if !table.contains(&component[edge.target], &bits) {
                        continue;
                    }
                    let place = Place { automaton: edge.target, values: step.target.0.clone() };
                    let target = *numbers.entry(place).or_insert_with_key(|place| {
                        found.nodes.push(place.clone());
                        found.nodes.len() as u32 - 1
                    });
                    let then = Bits::of(automaton.marks, |mark| edge.marks.contains(&mark));
                    let known = found.classes.iter().position(|class| class.then == then);
                    let class = known.unwrap_or(found.classes.len());
                    if known.is_none() {
                        found.classes.push(Class { when: Bits::empty(automaton.marks), then });
                    }
                    found.graph.add_edge(Edge { target, class: class as u32 });
                    found.labels.push((next as u32, step.label));
                    found.steps.push(number);
                }
            }
            found.graph.close_node();
            next += 1;
            if found.steps.len() > EDGES {
                return Err(Stop::TooLarge(format!(
                    "it fails, but the run that shows it has to take more than {EDGES} different steps"
                )));
            }
            if let Some(stop) = (setting.session.stop)() {
                return Err(stop.into());
            }
        }
        Ok(found)
    }
}
