//! Concrete states of small instances, built from words, and back.
//!
//! Guards, updates and atoms are not compiled: the reference semantics evaluates them on a concrete state with the
//! given context. A *scene* is such a state: an instance of the required size, with the word's letters assigned to
//! the processes in the order of their indices, and tickets assigned in the order of the word. What is true there is
//! true of every state with the same context; [`class`](super::class) makes sure of that.

use std::sync::{Arc, Mutex, PoisonError};

use model::instance::Environment;
use model::{ActionId, Expr, Fault, Instance, Label, Position, State, System, semantics, setting};

use super::class::{Class, Tally};
use super::letters::{Letter, LetterId, Letters};
use rustc_hash::FxHashMap as Map;

/// An instance and the cells of its processes.
pub(super) struct World {
    pub(super) instance: Instance,
    /// Per counted family and process, the cells that it owns.
    members: Vec<Vec<Vec<usize>>>,
    /// The cell of each tally.
    tallies: Vec<usize>,
    /// All other cells.
    shared: Vec<usize>,
    /// The actions that involve exactly these processes: families and places in them.
    foci: Map<Vec<(usize, usize)>, Vec<ActionId>>,
    /// The values of the parameters.
    values: Vec<i64>,
    /// Expressions with the parameters replaced by these values.
    set: Mutex<Map<Expr, Arc<Expr>>>,
}

/// A word per counted family, and all other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) words: Vec<Vec<LetterId>>,
    pub(super) shared: Arc<[i64]>,
}

/// A configuration in an instance of its size.
pub(super) struct Scene {
    pub(super) world: Arc<World>,
    pub(super) state: State,
    /// The foci: family and position.
    pub(super) foci: Vec<(usize, usize)>,
    /// The processes that the property names.
    pub(super) marks: Environment,
}

/// The effect of a step on the foci and on the shared variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) action: ActionId,
    pub(super) letters: Vec<LetterId>,
    /// Which foci go to the end of their word because they took a ticket.
    pub(super) moved: Vec<bool>,
    /// What is added to each tally.
    pub(super) added: Vec<i64>,
    pub(super) shared: Arc<[i64]>,
}

impl World {
    /// The instance with these values of the parameters.
    pub(super) fn new(system: &System, class: &Class, values: &[i64]) -> Option<World> {
        let instance = Instance::new(Arc::new(setting::system(system, values)?)).ok()?;
        let mut owned = vec![false; instance.cells.len()];
        let mut members = Vec::new();
        for counted in &class.counted {
            let mut processes = vec![Vec::new(); instance.members(counted.family).count()];
            for variable in &counted.variables {
                for (number, cell) in instance.cells.iter().enumerate() {
                    if cell.variable != *variable {
                        continue;
                    }
                    let index = match cell.owner {
                        Some(owner) => instance.processes[owner.0 as usize].index,
                        None => cell.position.first().copied(),
                    };
                    let place = usize::try_from(index? - counted.first).ok()?;
                    processes.get_mut(place)?.push(number);
                }
            }
            processes.iter().flatten().for_each(|cell| owned[*cell] = true);
            members.push(processes);
        }
        let of_tally = |tally: &Tally| instance.cells.iter().position(|cell| cell.variable == tally.variable);
        let tallies: Vec<usize> = class.tallies.iter().map(of_tally).collect::<Option<_>>()?;
        let shared = (0..owned.len()).filter(|cell| !owned[*cell] && !tallies.contains(cell)).collect();
        let mut foci: Map<Vec<(usize, usize)>, Vec<ActionId>> = Map::default();
        for (number, action) in instance.actions.iter().enumerate() {
            let mut involved = Vec::new();
            for (process, _) in &action.participants {
                let process = &instance.processes[process.0 as usize];
                if let Some(family) = class.counted.iter().position(|c| c.family == process.family) {
                    involved.extend(process.index.map(|index| (family, index)));
                }
            }
            let arguments = class.actions[action.action].arguments.iter().zip(&action.arguments);
            involved.extend(arguments.filter_map(|(family, value)| family.map(|family| (family, *value))));
            let mut places: Vec<(usize, usize)> = involved
                .into_iter()
                .map(|(f, index)| (f, (index - class.counted[f].first) as usize))
                .collect();
            places.sort_unstable();
            places.dedup();
            foci.entry(places).or_default().push(ActionId(number as u32));
        }
        let (values, set) = (values.to_vec(), Mutex::default());
        Some(World { instance, members, tallies, shared, foci, values, set })
    }

    /// An expression with the parameters replaced by the values of this instance.
    pub(super) fn set(&self, expr: &Expr) -> Arc<Expr> {
        let mut known = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(expr) {
            return Arc::clone(known);
        }
        let set = Arc::new(setting::expression(expr, &self.values));
        known.insert(expr.clone(), Arc::clone(&set));
        set
    }

    /// The number of processes of a counted family.
    pub(super) fn size(&self, family: usize) -> usize {
        self.members[family].len()
    }

    /// The cells of a process.
    pub(super) fn cells(&self, family: usize, place: usize) -> &[usize] {
        &self.members[family][place]
    }

    /// The cells that no counted process owns, without tallies.
    pub(super) fn shared_cells(&self) -> &[usize] {
        &self.shared
    }

    /// The scene of a configuration, with these values of the tallies.
    pub(super) fn scene(
        self: &Arc<World>,
        class: &Class,
        letters: &Letters,
        configuration: &Configuration,
        tallies: &[i64],
        foci: Vec<(usize, usize)>,
    ) -> Scene {
        let mut state = State(vec![0; self.instance.cells.len()]);
        for (cell, value) in self.tallies.iter().zip(tallies) {
            state.0[*cell] = *value;
        }
        for (cell, value) in self.shared.iter().zip(&*configuration.shared) {
            state.0[*cell] = *value;
        }
        let mut marks = vec![0; class.marks.len()];
        for (family, word) in configuration.words.iter().enumerate() {
            let mut ticket = 0;
            for (place, letter) in word.iter().enumerate() {
                let letter = letters.letter(*letter);
                for (cell, value) in self.members[family][place].iter().zip(&letter.values) {
                    let is_ticket = Some(self.instance.cells[*cell].variable) == class.counted[family].ticket;
                    ticket += i64::from(is_ticket && *value != 0);
                    state.0[*cell] = if is_ticket && *value != 0 { ticket } else { *value };
                }
                for (number, mark) in marks.iter_mut().enumerate() {
                    if letter.marks >> number & 1 == 1 {
                        *mark = class.counted[family].first + place as i64;
                    }
                }
            }
        }
        let mut environment = Environment::default();
        for (mark, value) in class.marks.iter().zip(marks) {
            environment.bind(mark.index, value);
        }
        Scene { world: Arc::clone(self), state, foci, marks: environment }
    }
}

impl Scene {
    /// The actions of exactly the processes in focus.
    pub(super) fn actions(&self) -> &[ActionId] {
        let mut foci = self.foci.clone();
        foci.sort_unstable();
        self.world.foci.get(&foci).map_or(&[], Vec::as_slice)
    }

    /// The effects of an action of the foci.
    pub(super) fn effects(
        &self,
        class: &Class,
        letters: &mut Letters,
        before: &[LetterId],
        action: ActionId,
    ) -> Result<Vec<Effect>, Fault> {
        let mut effects = Vec::new();
        for target in semantics::successors(&self.world.instance, &self.state, action)? {
            let mut after = Vec::new();
            let mut moved = Vec::new();
            for (&(family, place), &old) in self.foci.iter().zip(before) {
                let mut values = Vec::new();
                let mut fresh = false;
                for &cell in self.world.cells(family, place) {
                    let value = target.0[cell];
                    let is_ticket =
                        Some(self.world.instance.cells[cell].variable) == class.counted[family].ticket;
                    fresh |= is_ticket && value != 0 && value != self.state.0[cell];
                    values.push(if is_ticket { i64::from(value != 0) } else { value });
                }
                let marks = letters.letter(old).marks;
                after.push(letters.number(Letter { family, values, marks })?);
                moved.push(fresh);
            }
            let shared = self.world.shared.iter().map(|cell| target.0[*cell]).collect();
            let added = self
                .world
                .tallies
                .iter()
                .map(|cell| target.0[*cell].wrapping_sub(self.state.0[*cell]))
                .collect();
            effects.push(Effect { action, letters: after, moved, added, shared });
        }
        Ok(effects)
    }

    /// Whether a step predicate is true here, with further values for indices.
    pub(super) fn truth(
        &self,
        predicate: &Expr,
        label: Label,
        values: &[(model::Index, i64)],
    ) -> Result<bool, Fault> {
        self.truths(&[&self.world.set(predicate)], label, values).map(|[truth]| truth)
    }

    /// The same for predicates in which the parameters have been replaced by the values of the instance.
    pub(super) fn truths<const K: usize>(
        &self,
        predicates: &[&Expr; K],
        label: Label,
        values: &[(model::Index, i64)],
    ) -> Result<[bool; K], Fault> {
        let position = Position { state: self.state.clone(), label };
        let mut environment = self.environment(values);
        let mut truths = [false; K];
        for (truth, predicate) in truths.iter_mut().zip(predicates) {
            *truth =
                semantics::step_predicate_in(&self.world.instance, predicate, &position, &mut environment)?;
        }
        Ok(truths)
    }

    /// The same for predicates of states.
    pub(super) fn state_truths<const K: usize>(
        &self,
        predicates: &[&Expr; K],
        values: &[(model::Index, i64)],
    ) -> Result<[bool; K], Fault> {
        let mut environment = self.environment(values);
        let mut truths = [false; K];
        for (truth, predicate) in truths.iter_mut().zip(predicates) {
            *truth =
                semantics::evaluate(&self.world.instance, predicate, &self.state, &mut environment)? != 0;
        }
        Ok(truths)
    }

    /// The named processes, and these values of further indices.
    fn environment(&self, values: &[(model::Index, i64)]) -> Environment {
        let mut environment = self.marks.clone();
        values.iter().for_each(|(index, value)| environment.bind(*index, *value));
        environment
    }
}
