//! The abstract system: shared cells as they are, of each process the class of its local state.
//!
//! The local states of each process are partitioned; what is exposed of a process is the class it is in. An abstract
//! state gives a value to each shared cell and a class to each process, and stands for all states that fit and in which
//! every process `k` is in a local state that its invariant `θ_k` allows there. A process makes a step in
//! the abstract system if it can make it in *some* local state of its class (its summary in [CN08]); all
//! processes are treated alike, and the process that a property is about is one whose classes are single states.
//!
//! What is assumed of fairness is abstracted the other way round: a requirement about process `k` has its `when` only
//! where all local states of the class have it, and its `then` where some has. `taken` is exact, since a step knows who
//! makes it and actions that the task tells apart are different groups. The step `idle` is possible where every process
//! has a local state of its class in which it can do nothing. So each fair run of the system is one of the abstract system.
//!
//! A rendezvous is a step of the classes of all its processes: possible if they can make it in *some* tuple of local
//! states of these classes. Which tuple is nobody's business here; [`super::feasible`] finds out whether the processes can agree
//! on one. For `idle` it is the same: the processes of each meeting have some tuple in which they can do nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use model::instance::{Environment, Start};
use model::{ActionId, Automaton, Expr, Pattern, State, ground};

use super::behaviour::{Locals, Moves, Partition, Tuple, at, combinations, moves};
use super::sharing::{Demanded, Seen, Sharing};
use crate::bdd::{Bdd, Cells, Table};
use crate::encoding::Stop;
use crate::encoding::expression::{Expressions, Value};
use crate::encoding::update::{relation, writes};
use crate::events::{collect_events, decide, taken};
use crate::regions::{self, Demand, Diagrams, Product, Steps};

/// Actions of the same processes that the task does not tell apart, or `idle`.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) processes: Vec<usize>,
    /// None for `idle`.
    pub(super) actions: Vec<ActionId>,
    /// Their meeting, unless they are of one process.
    pub(super) meeting: Option<usize>,
}

impl Group {
    pub(super) fn is_idle(&self) -> bool {
        self.actions.is_empty()
    }
}

/// The abstract system.
pub(super) struct Abstraction<'a> {
    pub(super) sharing: &'a Sharing<'a>,
    pub(super) locals: &'a [Locals],
    /// Per meeting, the tuples of local states in which something may be done.
    pub(super) tuples: &'a [Vec<Tuple>],
    /// Per meeting and process of it, the local states in these tuples.
    pub(super) meeting_states: Rc<[Vec<BTreeSet<usize>>]>,
    pub(super) partitions: &'a [Partition],
    pub(super) table: &'a Table<'a>,
    pub(super) cells: &'a Cells,
    /// What can be said of shared cells and of what is seen.
    expressions: &'a Expressions<'a>,
    /// Per process and local state, where the process may be in it: `θ`, and the class.
    pub(super) may: Vec<Vec<Bdd>>,
    /// The groups; the last is `idle`.
    pub(super) groups: Vec<Group>,
    /// The initial abstract states, and the steps of the groups.
    pub(super) diagrams: Diagrams,
    /// The group of each action.
    pub(super) group_of: Vec<usize>,
    /// Where an action may fault.
    pub(super) fault: Bdd,
    /// The processes that may do what others may not, though they are alike.
    pub(super) apart: BTreeSet<usize>,
    known: RefCell<HashMap<(Option<usize>, Expr), Truth>>,
}

/// Where a predicate may be true, may be false, and may fault.
#[derive(Clone)]
struct Truth {
    yes: Bdd,
    no: Bdd,
    fault: Bdd,
}

/// How the cells of abstract states are laid out: those of the instance, of which only shared ones have bits, and then
/// the class of each process where the first of its cells comes in `order`.
pub(super) fn layout(
    sharing: &Sharing<'_>,
    domains: &[(i64, i64)],
    order: &[usize],
    partitions: &[Partition],
) -> Cells {
    let instance = sharing.instance;
    let mut domains = domains.to_vec();
    domains.extend(partitions.iter().map(|partition| (0, partition.classes.max(1) as i64 - 1)));
    let mut placed = vec![false; partitions.len()];
    let mut places = Vec::new();
    for cell in order.iter().copied() {
        match instance.cells[cell].owner {
            None => places.push(cell),
            Some(owner) if !placed[owner.0 as usize] => {
                placed[owner.0 as usize] = true;
                places.push(instance.cells.len() + owner.0 as usize);
            }
            Some(_) => {}
        }
    }
    Cells::new(&domains, &places)
}

/// The partitions that expose what is seen, and all of some processes.
pub(super) fn seen(
    sharing: &Sharing<'_>,
    locals: &[Locals],
    whole: &dyn Fn(usize) -> bool,
) -> Vec<Partition> {
    let partition = |(process, locals): (usize, &Locals)| {
        let key = |state: usize| {
            let values = sharing.own[process].iter().zip(&locals.states[state]);
            let shown = |(cell, value): (&usize, &i64)| match &sharing.seen[*cell] {
                Seen::Value => Some(*value),
                Seen::Constants(constants) => constants.get(value).copied(),
            };
            (values.map(shown).collect::<Vec<_>>(), if whole(process) { state } else { 0 })
        };
        Partition::by(locals.states.len(), key)
    };
    locals.iter().enumerate().map(partition).collect()
}

/// What is seen of local cells, as cases of the classes.
pub(super) fn seen_values(
    sharing: &Sharing<'_>,
    locals: &[Locals],
    partitions: &[Partition],
    table: &Table<'_>,
    cells: &Cells,
) -> Result<HashMap<usize, Value>, Stop> {
    let mut values = HashMap::new();
    for (process, partition) in partitions.iter().enumerate() {
        let mut representative = vec![None; partition.classes];
        for (state, class) in partition.class.iter().enumerate() {
            representative[*class].get_or_insert(state);
        }
        for (place, cell) in sharing.own[process].iter().enumerate() {
            if matches!(&sharing.seen[*cell], Seen::Constants(constants) if constants.is_empty()) {
                continue;
            }
            let mut cases: BTreeMap<i64, Vec<Bdd>> = BTreeMap::new();
            for (class, state) in representative.iter().enumerate() {
                let value = state.map_or(0, |state: usize| locals[process].states[state][place]);
                let set = cells.is(table, sharing.instance.cells.len() + process, class as i64)?;
                cases.entry(value).or_default().push(set);
            }
            let mut joined = Vec::new();
            for (value, sets) in cases {
                joined.push((value, table.any(sets)?));
            }
            values.insert(*cell, Value::Number(joined));
        }
    }
    Ok(values)
}

impl<'a> Abstraction<'a> {
    /// The abstract system in which actions of the same `kind` of a process are one group.
    pub(super) fn new(
        sharing: &'a Sharing<'a>,
        locals: &'a [Locals],
        tuples: &'a [Vec<Tuple>],
        partitions: &'a [Partition],
        expressions: &'a Expressions<'a>,
        kinds: &[usize],
    ) -> Result<Abstraction<'a>, Stop> {
        let Expressions { table, cells, .. } = *expressions;
        let mut abstraction = Abstraction {
            sharing,
            locals,
            tuples,
            meeting_states: (sharing.meetings.iter().zip(tuples))
                .map(|(meeting, tuples)| {
                    let of = |place| tuples.iter().map(|tuple| tuple[place]).collect();
                    (0..meeting.processes.len()).map(of).collect()
                })
                .collect(),
            partitions,
            table,
            cells,
            expressions,
            may: Vec::new(),
            groups: Vec::new(),
            diagrams: Diagrams::new(table.never(), Vec::new()),
            group_of: vec![0; sharing.instance.actions.len()],
            fault: table.never(),
            apart: BTreeSet::new(),
            known: RefCell::default(),
        };
        let initial = abstraction.beginning()?;
        // Per process and local state, where it is in that and can do nothing alone.
        let (mut rests, mut steps): (Vec<Vec<Bdd>>, _) = (Vec::new(), Vec::new());
        let (mut faults, mut blocked) = (Vec::new(), Vec::new());
        for process in 0..locals.len() {
            let mut here = Vec::new();
            for state in 0..locals[process].states.len() {
                here.push(abstraction.class_is(process, partitions[process].class[state])?);
            }
            abstraction.may.push(here);
            let (mut all, mut rest) = (Vec::new(), Vec::new());
            for (state, values) in locals[process].states.iter().enumerate() {
                let found = moves(sharing, &[process], &sharing.actions[process], &[values], expressions)?;
                let may = &abstraction.may[process][state];
                faults.push(table.and(may, &found.fault)?);
                rest.push(table.minus(may, &found.enabled(table)?)?);
                all.push((vec![state], found));
            }
            steps.extend(abstraction.add_groups(&[process], &sharing.actions[process], None, &all, kinds)?);
            blocked.push(table.any(rest.clone())?);
            rests.push(rest);
        }
        for (number, meeting) in sharing.meetings.iter().enumerate() {
            let mut all = Vec::new();
            for tuple in &tuples[number] {
                let states = meeting.processes.iter().zip(tuple);
                let values: Vec<&[i64]> = states.map(|(p, state)| &locals[*p].states[*state][..]).collect();
                let found = moves(sharing, &meeting.processes, &meeting.actions, &values, expressions)?;
                faults.push(table.and(&abstraction.may_be(&meeting.processes, tuple)?, &found.fault)?);
                all.push((tuple.clone(), found));
            }
            let (processes, actions) = (&meeting.processes, &meeting.actions);
            steps.extend(abstraction.add_groups(processes, actions, Some(number), &all, kinds)?);
            blocked.push(abstraction.nobody_meets(number, &all, &rests, &blocked)?);
        }
        abstraction.fault = table.any(faults)?;
        steps.push(regions::Group::unmoving(table, table.all(blocked)?));
        abstraction.groups.push(Group { processes: Vec::new(), actions: Vec::new(), meeting: None });
        abstraction.diagrams = Diagrams::new(initial, steps).with_lookups(table)?;
        Ok(abstraction)
    }

    /// The same system in which only some processes change anything that is seen of them or shared; the others may
    /// take the steps that change nothing. Its runs are some of the runs of this one.
    pub(super) fn moved_by(&self, active: &BTreeSet<usize>) -> Result<Abstraction<'a>, Stop> {
        let table = self.table;
        let mut steps = Vec::with_capacity(self.groups.len());
        for (group, all) in self.groups.iter().zip(&self.diagrams.groups) {
            steps.push(if group.is_idle() {
                regions::Group::unmoving(table, all.enabled.clone())
            } else if group.processes.iter().all(|process| active.contains(process)) {
                all.copy()
            } else {
                let unmoving = table.minus(&all.relation.predicate, &all.proper.predicate)?;
                let unmoving = all.relation.restricted(unmoving);
                regions::Group::unmoving(table, table.preimage(&table.always(), &unmoving)?)
            });
        }
        Ok(Abstraction {
            groups: self.groups.clone(),
            diagrams: Diagrams::new(self.diagrams.initial.clone(), steps).with_lookups(table)?,
            sharing: self.sharing,
            locals: self.locals,
            tuples: self.tuples,
            meeting_states: Rc::clone(&self.meeting_states),
            partitions: self.partitions,
            table,
            cells: self.cells,
            expressions: self.expressions,
            may: self.may.clone(),
            group_of: self.group_of.clone(),
            fault: self.fault.clone(),
            apart: active.clone(),
            known: self.known.clone(),
        })
    }

    /// The product with the automaton that accepts every run.
    pub(super) fn alone(&self) -> Product<'_, 'a> {
        Product::with_everything(self.table, self.cells, &self.diagrams)
    }

    /// The product with an automaton whose atoms are seen.
    pub(super) fn with(&self, automaton: &Automaton) -> Result<Product<'_, 'a>, Stop> {
        let atoms: Vec<Steps> =
            automaton.atoms.iter().map(|atom| Ok(self.exact(atom)?.0)).collect::<Result<_, Stop>>()?;
        Product::new(self.table, self.cells, &self.diagrams, automaton, &atoms)
    }

    /// Where a process is in a class.
    pub(super) fn class_is(&self, process: usize, class: usize) -> Result<Bdd, Stop> {
        Ok(self.cells.is(self.table, self.class_cell(process), class as i64)?)
    }

    /// Where each of some processes may be in a local state.
    fn may_be(&self, processes: &[usize], tuple: &[usize]) -> Result<Bdd, Stop> {
        let all = processes.iter().zip(tuple).map(|(process, state)| self.may[*process][*state].clone());
        Ok(self.table.all(all.collect())?)
    }

    /// Where the processes of a meeting may be in a tuple of local states in which none of them can do anything alone, and all of them nothing
    /// together. `all` has the tuples in which they can; `rests` is per process and local state, where it can do nothing alone, and
    /// `blocked` per process.
    fn nobody_meets(
        &self,
        number: usize,
        all: &[(Tuple, Moves)],
        rests: &[Vec<Bdd>],
        blocked: &[Bdd],
    ) -> Result<Bdd, Stop> {
        let table = self.table;
        let processes = &self.sharing.meetings[number].processes;
        // Per process, where it is in a local state in which it does not meet the others.
        let mut apart = Vec::new();
        for (states, process) in self.meeting_states[number].iter().zip(processes) {
            let others = (0..rests[*process].len()).filter(|state| !states.contains(state));
            apart.push(table.any(others.map(|state| rests[*process][state].clone()).collect())?);
        }
        let meeting: Vec<Vec<usize>> =
            self.meeting_states[number].iter().map(|states| states.iter().copied().collect()).collect();
        let known: HashMap<&[usize], &Moves> = all.iter().map(|(tuple, moves)| (&tuple[..], moves)).collect();
        let mut found = Vec::new();
        // One of them is where it does not meet the others, who may then be anywhere.
        for (place, apart) in apart.iter().enumerate() {
            let rest = |(other, process): (usize, &usize)| {
                if other == place { apart.clone() } else { blocked[*process].clone() }
            };
            found.push(table.all(processes.iter().enumerate().map(rest).collect())?);
        }
        for tuple in combinations(&meeting) {
            let rest = processes.iter().zip(&tuple).map(|(process, state)| rests[*process][*state].clone());
            let mut rest = table.all(rest.collect())?;
            if let Some(moves) = known.get(&tuple[..]) {
                rest = table.minus(&rest, &moves.enabled(table)?)?;
            }
            found.push(rest);
        }
        Ok(table.any(found)?)
    }

    /// The cell that holds the class of a process.
    pub(super) fn class_cell(&self, process: usize) -> usize {
        self.sharing.instance.cells.len() + process
    }

    /// Some state that an abstract one stands for.
    pub(super) fn concrete(&self, values: &[i64]) -> State {
        let mut state: Vec<i64> = values[..self.sharing.instance.cells.len()].to_vec();
        for (process, locals) in self.locals.iter().enumerate() {
            let class = values[self.class_cell(process)] as usize;
            if let Some(member) = self.partitions[process].members(class).next() {
                self.place(&mut state, process, &locals.states[member]);
            }
        }
        State(state)
    }

    /// Gives the cells of a process these values.
    pub(super) fn place(&self, state: &mut [i64], process: usize, values: &[i64]) {
        for (cell, value) in self.sharing.own[process].iter().zip(values) {
            state[*cell] = *value;
        }
    }

    /// The steps on which a predicate of shared cells, of what is seen, and of events is true, and the states where it
    /// faults on a step that there is.
    pub(super) fn exact(&self, predicate: &Expr) -> Result<(Steps, Bdd), Stop> {
        let (yes, _, fault) = self.steps(predicate, None)?;
        Ok((yes, fault))
    }

    /// What a requirement demands, and where it may fault.
    pub(super) fn demand(&self, demanded: &Demanded) -> Result<(Demand, Bdd), Stop> {
        let Demanded { requirement, about, actions } = demanded;
        let both = |expr: &Expr| match actions {
            Some(actions) => self.steps_of(expr, actions, *about),
            None => self.steps(expr, *about),
        };
        let (then, _, mut fault) = both(&requirement.then)?;
        let mut when = None;
        if requirement.when != Expr::Bool(true) {
            let (_, no, when_fault) = both(&requirement.when)?;
            fault = self.table.or(&fault, &when_fault)?;
            let mut at = BTreeMap::new();
            for (group, set) in &no.at {
                at.insert(*group, self.table.not(set)?);
            }
            when = Some(Steps::new(self.table, self.table.not(&no.otherwise)?, at)?);
        }
        Ok((Demand { when, then }, fault))
    }

    /// The steps that may satisfy a predicate in which every event is that one of these actions is taken, those that may
    /// not, and where it may fault.
    fn steps_of(
        &self,
        predicate: &Expr,
        actions: &[ActionId],
        about: Option<usize>,
    ) -> Result<(Steps, Steps, Bdd), Stop> {
        let decided = |truth: bool| {
            let known = decide(predicate, &|_| Some(Expr::Bool(truth)));
            ground::expression(self.sharing.instance, &known, &mut Environment::default())
        };
        let (with, without) = (self.truth(&decided(true), about)?, self.truth(&decided(false), about)?);
        let groups: BTreeSet<usize> = actions.iter().map(|action| self.group_of[action.0 as usize]).collect();
        let steps = |with: &Bdd, without: &Bdd| {
            let at = groups.iter().filter(|_| with != without).map(|group| (*group, with.clone()));
            Steps::new(self.table, without.clone(), at.collect())
        };
        let fault = self.table.or(&with.fault, &without.fault)?;
        Ok((steps(&with.yes, &without.yes)?, steps(&with.no, &without.no)?, fault))
    }

    /// The same for any predicate.
    fn steps(&self, predicate: &Expr, about: Option<usize>) -> Result<(Steps, Steps, Bdd), Stop> {
        let table = self.table;
        let mut events = Vec::new();
        collect_events(predicate, &mut events);
        let idle = self.groups.len() - 1;
        let (mut yes, mut no) = (table.never(), table.never());
        let (mut yes_at, mut no_at) = (BTreeMap::new(), BTreeMap::new());
        let mut faults = Vec::new();
        for group in (0..self.groups.len()).rev() {
            if events.is_empty() && group < idle {
                break;
            }
            let action = self.groups[group].actions.first().map(|id| self.sharing.instance.action(*id));
            let say = |pattern: &Pattern| Some(taken(self.sharing.instance, pattern, action));
            let decided = self.sharing.plain(&decide(predicate, &say));
            let decided = ground::expression(self.sharing.instance, &decided, &mut Environment::default());
            let truth = self.truth(&decided, about)?;
            faults.push(if events.is_empty() {
                truth.fault
            } else {
                table.and(&truth.fault, &self.diagrams.groups[group].enabled)?
            });
            if group == idle {
                (yes, no) = (truth.yes, truth.no);
            } else if truth.yes != yes || truth.no != no {
                yes_at.insert(group, truth.yes);
                no_at.insert(group, truth.no);
            }
        }
        Ok((Steps::new(table, yes, yes_at)?, Steps::new(table, no, no_at)?, table.any(faults)?))
    }

    /// Where a ground state predicate may be true, false, and fault; of a process it is about, in some local state.
    fn truth(&self, predicate: &Expr, about: Option<usize>) -> Result<Truth, Stop> {
        let table = self.table;
        if let Expr::Bool(truth) = predicate {
            let (yes, no) = (table.constant(*truth), table.constant(!truth));
            return Ok(Truth { yes, no, fault: table.never() });
        }
        let key = (about, predicate.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = match about {
            None => {
                let (yes, fault) = self.expressions.predicate(predicate)?;
                Truth { no: table.not(&yes)?, yes, fault }
            }
            Some(process) => {
                let (mut yes, mut no, mut fault) = (Vec::new(), Vec::new(), Vec::new());
                for (state, values) in self.locals[process].states.iter().enumerate() {
                    let may = &self.may[process][state];
                    let here = at(self.sharing, &[process], &[values], self.expressions);
                    let (truth, wrong) = here.predicate(predicate)?;
                    yes.push(table.and(may, &truth)?);
                    no.push(table.minus(may, &truth)?);
                    fault.push(table.and(may, &wrong)?);
                }
                Truth { yes: table.any(yes)?, no: table.any(no)?, fault: table.any(fault)? }
            }
        };
        self.known.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// The abstract initial states. They are exact: what `init` predicates read is seen, and beside them the initial
    /// values of cells do not depend on one another.
    fn beginning(&self) -> Result<Bdd, Stop> {
        let (table, instance) = (self.table, self.sharing.instance);
        let mut parts = Vec::new();
        for (cell, start) in instance.starts.iter().enumerate() {
            if instance.cells[cell].owner.is_some() {
                continue;
            }
            let values: Vec<i64> = match start {
                Start::Among(values) => values.clone(),
                Start::Any => self.cells.values(cell).collect(),
            };
            let sets = values.into_iter().map(|value| self.cells.is(table, cell, value));
            parts.push(table.any(sets.collect::<Result<_, _>>()?)?);
        }
        for (process, locals) in self.locals.iter().enumerate() {
            let classes: BTreeSet<usize> =
                locals.initial.iter().map(|state| self.partitions[process].class[*state]).collect();
            let sets = classes.into_iter().map(|class| self.class_is(process, class));
            parts.push(table.any(sets.collect::<Result<_, _>>()?)?);
        }
        let mut initial = table.all(parts)?;
        for predicate in &instance.system.init {
            let ground = ground::expression(instance, predicate, &mut Environment::default());
            let (truth, fault) = self.expressions.predicate(&ground)?;
            if !table.is_never(&table.and(&initial, &fault)?) {
                return Err(Stop::InitFault);
            }
            initial = table.and(&initial, &truth)?;
        }
        Ok(initial)
    }

    /// Adds the groups of some actions of the same processes, given what these can do in tuples of local states. Returns their
    /// steps.
    fn add_groups(
        &mut self,
        processes: &[usize],
        actions: &[ActionId],
        meeting: Option<usize>,
        all: &[(Tuple, Moves)],
        kinds: &[usize],
    ) -> Result<Vec<regions::Group>, Stop> {
        let mut steps = Vec::new();
        let table = self.table;
        let mut members: BTreeMap<usize, Vec<ActionId>> = BTreeMap::new();
        for action in actions {
            members.entry(kinds[action.0 as usize]).or_default().push(*action);
        }
        for actions in members.into_values() {
            let is_ours = |action: &ActionId| actions.contains(action);
            let ours = |moves: &'_ Moves| moves.list.iter().filter(|m| is_ours(&m.action)).count();
            let lists = all.iter().flat_map(|(_, moves)| &moves.list);
            let written: BTreeSet<usize> =
                writes(lists.filter(|step| is_ours(&step.action)).map(|step| &step.branch));
            let (mut parts, mut enabled) = (Vec::new(), Vec::new());
            for (tuple, moves) in all.iter().filter(|(_, moves)| ours(moves) > 0) {
                let may = self.may_be(processes, tuple)?;
                let mut ways: BTreeMap<Vec<usize>, Vec<Bdd>> = BTreeMap::new();
                for step in moves.list.iter().filter(|step| is_ours(&step.action)) {
                    let class = |(process, to): (&usize, &Vec<i64>)| {
                        let to = self.locals[*process].find(to).expect("all local states are listed");
                        self.partitions[*process].class[to]
                    };
                    let way = relation(self.expressions, &step.branch, &written)?;
                    ways.entry(processes.iter().zip(&step.to).map(class).collect()).or_default().push(way);
                }
                for (classes, sets) in ways {
                    let mut way = vec![table.any(sets)?, may.clone()];
                    for (process, class) in processes.iter().zip(classes) {
                        way.push(self.cells.becomes(table, self.class_cell(*process), class as i64)?);
                    }
                    parts.push(table.all(way)?);
                }
                let guards = moves.guards.iter().filter(|(action, _)| is_ours(action));
                let guard = table.any(guards.map(|(_, guard)| guard.clone()).collect())?;
                enabled.push(table.and(&may, &guard)?);
            }
            let classes = processes.iter().map(|process| self.class_cell(*process));
            let written = written.iter().copied().chain(classes);
            let (enabled, predicate) = (table.any(enabled)?, table.any(parts)?);
            steps.push(regions::Group::new(table, self.cells, enabled, predicate, written)?);
            actions.iter().for_each(|action| self.group_of[action.0 as usize] = self.groups.len());
            self.groups.push(Group { processes: processes.to_vec(), actions, meeting });
        }
        Ok(steps)
    }
}

/// Per action, by what the task tells it from others of its process: the requirements about it, and what events say.
pub(super) fn kinds(sharing: &Sharing<'_>, predicates: &[&Expr], demanded: &[Vec<Demanded>]) -> Vec<usize> {
    let instance = sharing.instance;
    let mut events = Vec::new();
    predicates.iter().for_each(|expr| collect_events(expr, &mut events));
    let mut marks: Vec<(Vec<usize>, Vec<Expr>)> = vec![(Vec::new(), Vec::new()); instance.actions.len()];
    for (number, Demanded { requirement, actions, .. }) in demanded.iter().flatten().enumerate() {
        match actions {
            Some(actions) => actions.iter().for_each(|action| marks[action.0 as usize].0.push(number)),
            None => [&requirement.when, &requirement.then]
                .into_iter()
                .for_each(|expr| collect_events(expr, &mut events)),
        }
    }
    for event in events {
        if let Some(found) = instance.always_matching(event, &Environment::default()) {
            found.iter().for_each(|action| marks[action.0 as usize].1.push(Expr::Taken(event.clone())));
        } else {
            for (action, marks) in instance.actions.iter().zip(&mut marks) {
                marks.1.push(taken(instance, event, Some(action)));
            }
        }
    }
    let mut numbers = HashMap::new();
    let number = |mark| {
        let next = numbers.len();
        *numbers.entry(mark).or_insert(next)
    };
    marks.into_iter().map(number).collect()
}
