//! Symmetry: of states that differ only in the names of interchangeable processes, one is searched.
//!
//! The processes of a [`Scalarset`] can be exchanged if every exchange of two neighbours maps the instance to itself:
//! cells to cells of the same domain and initial values, the `init` predicates and every action to one with the same
//! normal form ([`permute`](super::permute)). Exchanges of neighbours generate all permutations. If every atom of the
//! property and both predicates of every requirement are also mapped to themselves, a run and its permuted form have
//! the same truth at every position. So a graph in which each target is replaced by *some* state of its orbit has the
//! same words as the whole graph, up to the names [ES96]. Atoms about one process are not mapped to themselves; then
//! there is no reduction. Nor is there one under fairness of single processes, because a reduced graph forgets which
//! process was served.
//!
//! The representative of a state sorts the identities by what is known about each alone: the values of its own cells,
//! and which variables hold it. It is unique in its orbit if no array has two dimensions of identities and no cell of
//! a process holds one. Otherwise an orbit may have several representatives, which only costs states. A run of the
//! reduced graph is a run of the system up to a permutation in each step; [`unfold`](super::unfold) applies these
//! permutations.
//!
//! Cost: a sort of the identities per step of the search.

use std::collections::BTreeMap;

use model::instance::{Environment, Start};
use model::property::Kind;
use model::{ActionId, Expr, Fairness, Instance, ProcessId, State, Update, VariableId, ground};

use super::permute::{Permutation, normal, normal_update};
use super::scalarset::{Scalarset, scalarsets};
use super::store::Words;
use model::packing::Packing;

/// Symmetry is not tried on instances with more actions.
const ACTIONS: usize = 10_000;
/// The greatest number of members of a set.
const MEMBERS: usize = 64;
/// The greatest number of dimensions of identities a variable may have, including its owner.
const COORDINATES: usize = 3;

/// The symmetry of an instance and a task.
pub(super) struct Symmetry {
    packing: Packing,
    classes: Vec<Class>,
}

/// A set of interchangeable identities, and the cells that its permutations move or change.
struct Class {
    set: Scalarset,
    groups: Vec<Group>,
}

/// Cells that differ only in the identities they belong to: the owner, or positions in dimensions.
struct Group {
    /// The number of identities that select a cell.
    coordinates: usize,
    /// Whether the cells hold identities.
    holds: bool,
    /// The cells, in the order of their identities.
    cells: Vec<usize>,
}

impl Symmetry {
    /// The symmetry that preserves a ground property and fairness, or why there is none.
    pub(super) fn new(
        instance: &Instance,
        packing: &Packing,
        kind: &Kind,
        fairness: &Fairness,
    ) -> Result<Symmetry, &'static str> {
        if instance.actions.len() > ACTIONS {
            return Err("there are too many actions to compare");
        }
        let mut seen: Vec<&Expr> = Vec::new();
        match kind {
            Kind::Invariant(invariant) => seen.push(invariant),
            Kind::Ltl(formula) => seen.extend(formula.atoms()),
            Kind::Never(never) => seen.extend(&never.atoms),
            Kind::Ctl(_) => return Err("it is a CTL property"),
        }
        if !matches!(kind, Kind::Invariant(_)) {
            for assumption in &fairness.alternatives {
                if assumption.global {
                    return Err("strong global fairness distinguishes processes");
                }
                seen.extend(assumption.requirements.iter().flat_map(|r| [&r.when, &r.then]));
            }
        }
        let sets = scalarsets(instance);
        if sets.is_empty() {
            return Err("there is no family of processes");
        }
        let texts = Texts::new(instance, None).ok_or("its actions cannot be compared")?;
        let mut classes = Vec::new();
        for set in sets {
            if set.size() <= MEMBERS
                && let Some(class) = Class::new(instance, set)
                && class.is_symmetric(instance, &texts)
                && class.fixes(instance, &seen)
            {
                classes.push(class);
            }
        }
        if classes.is_empty() {
            return Err("its processes are distinguished");
        }
        Ok(Symmetry { packing: packing.clone(), classes })
    }

    /// The number of permutations, at most `u64::MAX`.
    pub(super) fn order(&self) -> u64 {
        let factorial = |n: usize| (1..=n as u64).fold(1u64, u64::saturating_mul);
        self.classes.iter().map(|class| factorial(class.set.size())).fold(1, u64::saturating_mul)
    }

    /// Replaces a packed state by its representative.
    pub(super) fn represent<const W: usize>(&self, words: &mut Words<W>) {
        for class in &self.classes {
            let value = |cell: usize| self.packing.fields[cell].decode(words);
            if let Some(map) = class.order(value) {
                let state = class.permute(&self.packing.unpack(words), &map);
                self.packing.pack(&state, words);
            }
        }
    }

    /// The representative of a state, and the permutations that map to it, one per class.
    pub(super) fn representative(&self, state: &State) -> (State, Vec<Vec<usize>>) {
        let mut state = state.clone();
        let mut maps = Vec::new();
        for class in &self.classes {
            let map = class.order(|cell| state.0[cell]);
            let map = map.unwrap_or_else(|| (0..class.set.size()).collect());
            state = class.permute(&state, &map);
            maps.push(map);
        }
        (state, maps)
    }

    /// No permutation.
    pub(super) fn identity(&self) -> Vec<Vec<usize>> {
        self.classes.iter().map(|class| (0..class.set.size()).collect()).collect()
    }

    /// A permuted state.
    pub(super) fn permute(&self, state: &State, maps: &[Vec<usize>]) -> State {
        let classes = self.classes.iter().zip(maps);
        classes.fold(state.clone(), |state, (class, map)| class.permute(&state, map))
    }

    /// The image of a process.
    pub(super) fn process(&self, instance: &Instance, process: ProcessId, maps: &[Vec<usize>]) -> ProcessId {
        let known = &instance.processes[process.0 as usize];
        for (class, map) in self.classes.iter().zip(maps) {
            if class.set.families.contains(&known.family) {
                let permutation = Permutation { set: &class.set, map: map.clone() };
                return permutation.process(instance, process).unwrap_or(process);
            }
        }
        process
    }
}

impl Class {
    /// The cells that belong to a set of identities. `None` if they have no regular form.
    fn new(instance: &Instance, set: Scalarset) -> Option<Class> {
        let size = set.size();
        // Every family of the set has the same identities.
        for family in &set.families {
            let indices = instance.members(*family).map(|id| instance.processes[id.0 as usize].index);
            let expected = (set.lo..=set.hi).map(Some);
            indices.eq(expected).then_some(())?;
        }
        let mut found: BTreeMap<Shape, Vec<(Vec<usize>, usize)>> = BTreeMap::new();
        for (cell, known) in instance.cells.iter().enumerate() {
            let mut coordinates = Vec::new();
            let mut owner = known.owner;
            if let Some(process) = known.owner {
                let process = &instance.processes[process.0 as usize];
                if set.families.contains(&process.family) {
                    coordinates.push(set.position(process.index?)?);
                    owner = None;
                }
            }
            let mut rest = Vec::new();
            for (dimension, value) in known.position.iter().enumerate() {
                match set.position(*value) {
                    Some(position) if set.dimensions.contains(&(known.variable, dimension)) => {
                        coordinates.push(position);
                        rest.push(None);
                    }
                    _ => rest.push(Some(*value)),
                }
            }
            let shape = Shape { variable: known.variable, owner, rest };
            found.entry(shape).or_default().push((coordinates, cell));
        }
        let mut groups = Vec::new();
        for (shape, mut cells) in found {
            let holds = set.values.contains(&shape.variable);
            let coordinates = cells[0].0.len();
            if coordinates == 0 && !holds {
                continue;
            }
            cells.sort();
            let whole = cells.len() == size.pow(coordinates as u32);
            let first = cells[0].1;
            let alike =
                cells.iter().all(|(_, cell)| instance.cells[*cell].domain == instance.cells[first].domain);
            if coordinates > COORDINATES || !whole || !alike {
                return None;
            }
            let domain = instance.cells[first].domain;
            if holds && !(domain.contains(set.lo) && domain.contains(set.hi)) {
                return None;
            }
            groups.push(Group {
                coordinates,
                holds,
                cells: cells.into_iter().map(|(_, cell)| cell).collect(),
            });
        }
        Some(Class { set, groups })
    }

    /// Whether every exchange of neighbours maps the instance to itself.
    fn is_symmetric(&self, instance: &Instance, texts: &Texts) -> bool {
        (0..self.set.size() - 1)
            .all(|first| self.keeps_instance(instance, texts, &Permutation::exchange(&self.set, first)))
    }

    /// Whether a permutation maps the instance, which has these texts, to itself.
    fn keeps_instance(&self, instance: &Instance, texts: &Texts, permutation: &Permutation<'_>) -> bool {
        self.keeps_starts(instance, permutation)
            && Texts::new(instance, Some(permutation)).is_some_and(|permuted| permuted == *texts)
    }

    /// Whether every exchange of neighbours maps each of these predicates to itself.
    fn fixes(&self, instance: &Instance, predicates: &[&Expr]) -> bool {
        let forms: Vec<Expr> = predicates.iter().map(|expr| normal(instance, expr)).collect();
        (0..self.set.size() - 1).all(|first| {
            let exchange = Permutation::exchange(&self.set, first);
            predicates.iter().zip(&forms).all(|(expr, form)| {
                exchange.plain(instance, expr).is_some_and(|permuted| normal(instance, &permuted) == *form)
            })
        })
    }

    fn keeps_starts(&self, instance: &Instance, exchange: &Permutation<'_>) -> bool {
        self.groups.iter().all(|group| {
            group.cells.iter().enumerate().all(|(number, cell)| {
                let image = group.cells[group.image(number, &exchange.map)];
                match (&instance.starts[*cell], &instance.starts[image]) {
                    (Start::Any, Start::Any) => true,
                    (Start::Among(values), Start::Among(expected)) => {
                        let mut moved: Vec<i64> = values
                            .iter()
                            .map(|value| if group.holds { exchange.value(*value) } else { *value })
                            .collect();
                        moved.sort_unstable();
                        let mut expected = expected.clone();
                        expected.sort_unstable();
                        moved == expected
                    }
                    _ => false,
                }
            })
        })
    }

    /// The permutation that sorts the identities of a state; `None` if they are sorted.
    fn order(&self, value: impl Fn(usize) -> i64) -> Option<Vec<usize>> {
        let size = self.set.size();
        let mut keys: Vec<Vec<i64>> = vec![Vec::new(); size];
        for group in &self.groups {
            for (number, key) in keys.iter_mut().enumerate() {
                let identity = self.set.lo + number as i64;
                match (group.coordinates, group.holds) {
                    (0, _) => key.push(i64::from(value(group.cells[0]) == identity)),
                    (1, false) => key.push(value(group.cells[number])),
                    (1, true) => {
                        let held = value(group.cells[number]);
                        let outside = self.set.position(held).is_none();
                        // Whether it holds its own identity, another one, or none.
                        key.push(if outside { held.saturating_add(2) } else { i64::from(held == identity) });
                    }
                    _ => {}
                }
            }
        }
        if keys.is_sorted() {
            return None;
        }
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
        let mut map = vec![0; size];
        order.iter().enumerate().for_each(|(place, identity)| map[*identity] = place);
        Some(map)
    }

    /// A state with its identities permuted by `map`.
    fn permute(&self, state: &State, map: &[usize]) -> State {
        let mut permuted = state.clone();
        let permutation = Permutation { set: &self.set, map: map.to_vec() };
        for group in &self.groups {
            for (number, cell) in group.cells.iter().enumerate() {
                let value = state.0[*cell];
                let value = if group.holds { permutation.value(value) } else { value };
                permuted.0[group.cells[group.image(number, map)]] = value;
            }
        }
        permuted
    }
}

impl Group {
    /// The image of the cell with this number.
    fn image(&self, number: usize, map: &[usize]) -> usize {
        let size = map.len();
        let (mut rest, mut image, mut place) = (number, 0, 1);
        for _ in 0..self.coordinates {
            image += map[rest % size] * place;
            rest /= size;
            place *= size;
        }
        image
    }
}

/// The sets of identities of an instance, each with those of the offered permutations that map the instance to
/// itself. `offered` gives the permutations of a number of identities.
pub(super) fn automorphisms(
    instance: &Instance,
    offered: &dyn Fn(usize) -> Vec<Vec<usize>>,
) -> Vec<(Scalarset, Vec<Vec<usize>>)> {
    if instance.actions.len() > ACTIONS {
        return Vec::new();
    }
    let Some(texts) = Texts::new(instance, None) else { return Vec::new() };
    let mut found = Vec::new();
    for set in scalarsets(instance).into_iter().filter(|set| set.size() <= MEMBERS) {
        let Some(class) = Class::new(instance, set) else { continue };
        let keeps = |map: &Vec<usize>| {
            let permutation = Permutation { set: &class.set, map: map.clone() };
            class.keeps_instance(instance, &texts, &permutation)
        };
        let maps = offered(class.set.size()).into_iter().filter(keeps).collect();
        found.push((class.set, maps));
    }
    found
}

/// The properties of a cell that do not depend on identities.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    variable: VariableId,
    owner: Option<ProcessId>,
    rest: Vec<Option<i64>>,
}

/// The normal forms of an instance's predicates and actions, as text, in an order that does not depend on names.
#[derive(PartialEq, Eq)]
struct Texts {
    init: Vec<String>,
    actions: Vec<String>,
}

impl Texts {
    /// The texts of an instance, or of its permuted form if that exists.
    fn new(instance: &Instance, permutation: Option<&Permutation<'_>>) -> Option<Texts> {
        let of_expr = |expr: Expr| match permutation {
            None => Some(expr),
            Some(permutation) => permutation.plain(instance, &expr),
        };
        let of_update = |update: Update| match permutation {
            None => Some(update),
            Some(permutation) => permutation.update(instance, &update),
        };
        let of_process = |process: ProcessId| match permutation {
            None => Some(process),
            Some(permutation) => permutation.process(instance, process),
        };
        let mut init = Vec::new();
        for predicate in &instance.system.init {
            let ground = ground::expression(instance, predicate, &mut Environment::default());
            init.push(format!("{:?}", normal(instance, &of_expr(ground)?)));
        }
        let mut actions = Vec::new();
        for (number, action) in instance.actions.iter().enumerate() {
            let id = ActionId(number as u32);
            let guard = normal(instance, &of_expr(ground::guard(instance, id))?);
            let update =
                normal_update(instance, &of_update(ground::update_within(instance, id, ground::PARTS))?);
            let participants: Vec<(ProcessId, &str)> = action
                .participants
                .iter()
                .map(|(process, label)| Some((of_process(*process)?, label.as_str())))
                .collect::<Option<_>>()?;
            actions.push(format!("{} {participants:?} {guard:?} {update:?}", action.action));
        }
        actions.sort_unstable();
        Some(Texts { init, actions })
    }
}
