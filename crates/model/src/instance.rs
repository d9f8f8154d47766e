//! An instance: a system without open parameters, with its processes, cells and actions listed.
//!
//! A *cell* holds one value: an element of a shared variable, or of the copy of a local variable that one
//! process owns. A [`State`](crate::State) gives each cell its value, in the order of [`Instance::cells`]:
//! shared variables first, then process by process, so that the cells of one process are adjacent. An action of the
//! system becomes one [`ActionInstance`] per choice of participants and arguments, in a fixed order. Instances whose
//! guard is false for rigid reasons (`r != i` with `r = i`) are left out.

use std::sync::Arc;

use crate::expr::{Expr, Index, Pattern, Place, Span};
use crate::fairness::Requirement;
use crate::ground;
use crate::semantics::{self, Fault};
use crate::system::{FamilyId, Initial, Participant, Scalar, System, VariableId};

/// A process of an instance, by position in [`Instance::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// An action of an instance, by position in [`Instance::actions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

/// The values of the indices in scope, innermost last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(Vec<(Index, i64)>);

impl Environment {
    /// Binds an index until the matching [`unbind`](Environment::unbind).
    pub fn bind(&mut self, index: Index, value: i64) {
        self.0.push((index, value));
    }

    /// Forgets the innermost binding.
    pub fn unbind(&mut self) {
        self.0.pop();
    }

    /// The innermost value of an index, if it is bound.
    pub fn get(&self, index: Index) -> Option<i64> {
        self.0.iter().rev().find(|(bound, _)| *bound == index).map(|(_, value)| *value)
    }
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its family.
    pub family: FamilyId,
    /// Its index; `None` for a single process.
    pub index: Option<i64>,
    /// Its name: `P[1]`, `Server`.
    pub name: String,
}

/// The values a cell can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The least value; `i64::MIN` for an unbounded integer.
    pub lo: i64,
    /// The greatest value; `i64::MAX` for an unbounded integer.
    pub hi: i64,
}

impl Domain {
    /// All 64-bit integers. They stand for all integers.
    pub const INT: Domain = Domain { lo: i64::MIN, hi: i64::MAX };

    /// Whether a value belongs to it.
    pub fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// The number of bits that tell its values apart.
    pub fn bits(self) -> u32 {
        u64::BITS - self.hi.abs_diff(self.lo).leading_zeros()
    }

    /// Whether it stands for all integers.
    pub fn is_unbounded(self) -> bool {
        self == Domain::INT
    }
}

/// One position of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The variable it belongs to.
    pub variable: VariableId,
    /// The process that owns it; `None` if it is shared.
    pub owner: Option<ProcessId>,
    /// Its position in the array, one value per dimension.
    pub position: Vec<i64>,
    /// The values it can hold.
    pub domain: Domain,
    /// Its name: `x`, `f[2]`, `P[1].y`, `P[1]@`.
    pub name: String,
}

/// An action of particular processes with particular arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionInstance {
    /// The action it is an instance of, by position in [`System::actions`].
    pub action: usize,
    /// The processes that take part, with the label each acts at.
    pub participants: Vec<(ProcessId, String)>,
    /// The values of the action's parameters.
    pub arguments: Vec<i64>,
    /// The values of participants' indices and parameters, for guard and update.
    pub environment: Environment,
    /// Its name: `P[1].try`, `P[1].rule1(2)`, `P[1].put+Q.get`.
    pub name: String,
}

/// Why a system has no instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A parameter has no value.
    Parameter(String),
    /// More cells, processes or actions than [`Instance::LIMIT`].
    TooLarge(String),
    /// A span or an initial value cannot be computed.
    Fault(Fault),
    /// An initial value lies outside the type of its variable.
    Initial(String),
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::Parameter(name) => write!(f, "parameter `{name}` has no value"),
            Obstacle::TooLarge(what) => write!(f, "{what} (the limit is {})", Instance::LIMIT),
            Obstacle::Fault(fault) => write!(f, "{fault}"),
            Obstacle::Initial(what) => write!(f, "{what}"),
        }
    }
}

/// The initial values of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// All values of its domain.
    Any,
    /// These values, without repetition.
    Among(Vec<i64>),
}

/// A system in which every parameter has a value.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The system.
    pub system: Arc<System>,
    /// Its processes, family by family.
    pub processes: Vec<Process>,
    /// Its cells, in the order of the values in a state.
    pub cells: Vec<Cell>,
    /// The initial values of each cell, before `init` predicates are considered.
    pub starts: Vec<Start>,
    /// Its actions.
    pub actions: Vec<ActionInstance>,
    /// The layout of each variable.
    layouts: Vec<Layout>,
    /// Per family: its first process, and the span of its index.
    families: Vec<(u32, i64, i64)>,
    /// Per process, the actions it takes part in, in increasing order.
    actions_of: Vec<Vec<ActionId>>,
}

/// The cells of a variable.
#[derive(Clone, Debug)]
struct Layout {
    /// The first cell, one entry per process of the owner (a single one if the variable is shared).
    first: Vec<usize>,
    /// The span of each dimension.
    dimensions: Vec<(i64, i64)>,
}

impl Instance {
    /// The greatest number of processes, of cells and of actions an instance may have.
    pub const LIMIT: usize = 1_000_000;

    /// Lists the processes, cells and actions of a system.
    pub fn new(system: Arc<System>) -> Result<Instance, Obstacle> {
        if let Some(parameter) = system.parameters.first() {
            return Err(Obstacle::Parameter(parameter.name.clone()));
        }
        let mut instance = Instance {
            system,
            processes: Vec::new(),
            cells: Vec::new(),
            starts: Vec::new(),
            actions: Vec::new(),
            layouts: Vec::new(),
            families: Vec::new(),
            actions_of: Vec::new(),
        };
        let system = Arc::clone(&instance.system);
        instance.add_processes(&system)?;
        instance.add_cells(&system)?;
        instance.add_actions(&system)?;
        instance.actions_of = vec![Vec::new(); instance.processes.len()];
        for (id, action) in (0..).map(ActionId).zip(&instance.actions) {
            for (process, _) in &action.participants {
                instance.actions_of[process.0 as usize].push(id);
            }
        }
        Ok(instance)
    }

    /// Whether every cell has finitely many values.
    pub fn is_bounded(&self) -> bool {
        !self.cells.iter().any(|cell| cell.domain.is_unbounded())
    }

    /// The process of a family with this index.
    pub fn process(&self, family: FamilyId, index: Option<i64>) -> Result<ProcessId, Fault> {
        let (first, lo, hi) = self.families[family.0 as usize];
        match index {
            None => Ok(ProcessId(first)),
            Some(value) if lo <= value && value <= hi => Ok(ProcessId(first + (value - lo) as u32)),
            Some(value) => {
                let name = self.system.family(family).name.clone();
                Err(Fault::NoSuchProcess { name, value, lo, hi })
            }
        }
    }

    /// The processes of a family.
    pub fn members(&self, family: FamilyId) -> impl Iterator<Item = ProcessId> + use<> {
        let (first, lo, hi) = self.families[family.0 as usize];
        (first..first + (hi - lo + 1) as u32).map(ProcessId)
    }

    /// Whether a cell is the control location of a process.
    pub fn is_location(&self, cell: usize) -> bool {
        self.system.is_location(self.cells[cell].variable)
    }

    /// The cell of a variable that this process owns, at this position.
    pub fn cell(
        &self,
        variable: VariableId,
        owner: Option<ProcessId>,
        position: &[i64],
    ) -> Result<usize, Fault> {
        let layout = &self.layouts[variable.0 as usize];
        let copy = owner.map_or(0, |process| {
            let family = self.processes[process.0 as usize].family;
            (process.0 - self.families[family.0 as usize].0) as usize
        });
        let mut offset = 0;
        for (&(lo, hi), &value) in layout.dimensions.iter().zip(position) {
            if value < lo || hi < value {
                let name = self.system.variable(variable).name.clone();
                return Err(Fault::OutsideArray { name, value, lo, hi });
            }
            offset = offset * (hi - lo + 1) as usize + (value - lo) as usize;
        }
        Ok(layout.first[copy] + offset)
    }

    /// The expression that reads a cell. `None` if there is no such cell.
    pub fn read(&self, cell: usize) -> Option<Expr> {
        let cell = self.cells.get(cell)?;
        let index = cell.owner.and_then(|owner| self.processes[owner.0 as usize].index);
        Some(Expr::Read(Place {
            variable: cell.variable,
            process: index.map(|index| Box::new(Expr::Int(index))),
            position: cell.position.iter().map(|position| Expr::Int(*position)).collect(),
        }))
    }

    /// All cells of a variable that one process owns (or of a shared variable), in row-major order.
    pub fn cells_of(&self, variable: VariableId, owner: Option<ProcessId>) -> std::ops::Range<usize> {
        let layout = &self.layouts[variable.0 as usize];
        let lows: Vec<i64> = layout.dimensions.iter().map(|(lo, _)| *lo).collect();
        let first = self.cell(variable, owner, &lows).expect("the lowest position is inside the array");
        first..first + layout.dimensions.iter().map(|(lo, hi)| (hi - lo + 1) as usize).product::<usize>()
    }

    /// The span of each dimension of a variable.
    pub fn dimensions(&self, variable: VariableId) -> &[(i64, i64)] {
        &self.layouts[variable.0 as usize].dimensions
    }

    /// The cell of a place with constant process and position; `None` if they are not constant.
    pub fn constant_cell(&self, place: &Place) -> Option<Result<usize, Fault>> {
        let constant = |expr: &Expr| match expr {
            Expr::Int(value) => Some(*value),
            Expr::Bool(value) => Some(i64::from(*value)),
            _ => None,
        };
        let process = match &place.process {
            None => None,
            Some(expr) => Some(constant(expr)?),
        };
        let position: Vec<i64> = place.position.iter().map(constant).collect::<Option<_>>()?;
        let owner = self.system.variable(place.variable).owner;
        Some(match owner {
            None => self.cell(place.variable, None, &position),
            Some(family) => self
                .process(family, process)
                .and_then(|process| self.cell(place.variable, Some(process), &position)),
        })
    }

    /// The actions a pattern matches, if they are the same in every state and all of them exist.
    pub fn always_matching(&self, pattern: &Pattern, environment: &Environment) -> Option<Vec<ActionId>> {
        pattern.is_rigid().then(|| self.matching(pattern, environment).ok()).flatten()
    }

    /// The actions that weak, strong or unconditional fairness is about, if they are the same in every state.
    pub fn actions_of(&self, requirement: &Requirement) -> Option<Vec<ActionId>> {
        self.always_matching(requirement.of.as_ref()?, &Environment::default())
    }

    /// The actions a pattern matches, its expressions evaluated in `environment`.
    pub fn matching(&self, pattern: &Pattern, environment: &Environment) -> Result<Vec<ActionId>, Fault> {
        let mut environment = environment.clone();
        let mut parties = Vec::new();
        for party in &pattern.participants {
            let process = match &party.process {
                None => None,
                Some(index) => {
                    let value = semantics::rigid(index, &mut environment)?;
                    Some(self.process(party.family, Some(value))?)
                }
            };
            parties.push((party.family, process, party.label.as_deref()));
        }
        let arguments = match &pattern.arguments {
            None => None,
            Some(values) => Some(
                values
                    .iter()
                    .map(|value| semantics::rigid(value, &mut environment))
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        let matches = |action: &ActionInstance| {
            arguments.as_ref().is_none_or(|values| *values == action.arguments)
                && parties.iter().all(|(family, process, label)| {
                    action.participants.iter().any(|(participant, at)| {
                        self.processes[participant.0 as usize].family == *family
                            && process.is_none_or(|process| process == *participant)
                            && label.is_none_or(|label| label == at)
                    })
                })
        };
        // If the pattern names a process, only actions of that process can match.
        if let Some(process) = parties.iter().find_map(|(_, process, _)| *process) {
            let own = self.actions_of[process.0 as usize].iter();
            return Ok(own.copied().filter(|id| matches(self.action(*id))).collect());
        }
        Ok((0..).map(ActionId).zip(&self.actions).filter(|(_, a)| matches(a)).map(|(id, _)| id).collect())
    }

    /// The action with this id.
    pub fn action(&self, id: ActionId) -> &ActionInstance {
        &self.actions[id.0 as usize]
    }

    fn add_processes(&mut self, system: &System) -> Result<(), Obstacle> {
        for (number, family) in system.families.iter().enumerate() {
            let id = FamilyId(number as u32);
            let first = self.processes.len() as u32;
            let Some(binder) = &family.index else {
                self.families.push((first, 0, 0));
                self.processes.push(Process { family: id, index: None, name: family.name.clone() });
                continue;
            };
            let (lo, hi) = span(&binder.span, &mut Environment::default())?;
            let count = length(lo, hi);
            if count > (Self::LIMIT - self.processes.len()) as u64 {
                return Err(Obstacle::TooLarge(format!("{count} processes in family `{}`", family.name)));
            }
            self.families.push((first, lo, lo + count as i64 - 1));
            for value in lo..=hi {
                let name = format!("{}[{}]", family.name, system.index_value_name(binder.index, value));
                self.processes.push(Process { family: id, index: Some(value), name });
            }
        }
        Ok(())
    }

    fn add_cells(&mut self, system: &System) -> Result<(), Obstacle> {
        for variable in &system.variables {
            let mut dimensions = Vec::new();
            for dimension in &variable.kind.dimensions {
                dimensions.push(span(dimension, &mut Environment::default())?);
            }
            self.layouts.push(Layout { first: Vec::new(), dimensions });
        }
        self.add_cells_of(system, None)?;
        for process in 0..self.processes.len() {
            self.add_cells_of(system, Some(ProcessId(process as u32)))?;
        }
        Ok(())
    }

    /// The cells of all variables that `owner` owns.
    fn add_cells_of(&mut self, system: &System, owner: Option<ProcessId>) -> Result<(), Obstacle> {
        let process = owner.map(|id| self.processes[id.0 as usize].clone());
        let mut environment = Environment::default();
        if let Some(process) = &process
            && let (Some(binder), Some(value)) = (&system.family(process.family).index, process.index)
        {
            environment.bind(binder.index, value);
        }
        for (number, variable) in system.variables.iter().enumerate() {
            if variable.owner != process.as_ref().map(|process| process.family) {
                continue;
            }
            let dimensions = self.layouts[number].dimensions.clone();
            let size = dimensions
                .iter()
                .try_fold(1u64, |size, &(lo, hi)| size.checked_mul(length(lo, hi)))
                .unwrap_or(u64::MAX);
            if size > (Self::LIMIT - self.cells.len()) as u64 {
                let owner =
                    process.as_ref().map_or_else(String::new, |process| format!(" of `{}`", process.name));
                let is_location = system.is_location(VariableId(number as u32));
                let name = if is_location { "the location" } else { &variable.name };
                return Err(Obstacle::TooLarge(format!("with {name}{owner} a state has too many values")));
            }
            self.layouts[number].first.push(self.cells.len());
            let domain = self.domain(&variable.kind.scalar, &mut environment)?;
            let owner_name = match &process {
                None => String::new(),
                Some(process) if system.is_location(VariableId(number as u32)) => process.name.clone(),
                Some(process) => format!("{}.", process.name),
            };
            let mut position: Vec<i64> = dimensions.iter().map(|(lo, _)| *lo).collect();
            for element in 0..size as usize {
                let id = VariableId(number as u32);
                let index = |(dimension, value): (usize, &i64)| system.position_name(id, dimension, *value);
                let indices: Vec<String> = position.iter().enumerate().map(index).collect();
                let name = system.place_name(&owner_name, id, &indices);
                let start = start(&variable.initial, element, &mut environment)?;
                if let Start::Among(values) = &start
                    && let Some(value) = values.iter().find(|value| !domain.contains(**value))
                {
                    let Domain { lo, hi } = domain;
                    return Err(Obstacle::Initial(format!(
                        "the initial value {value} of `{name}` is outside {lo}..{hi}"
                    )));
                }
                self.starts.push(start);
                let variable = VariableId(number as u32);
                self.cells.push(Cell { variable, owner, position: position.clone(), domain, name });
                advance(&mut position, &dimensions);
            }
        }
        Ok(())
    }

    fn domain(&self, scalar: &Scalar, environment: &mut Environment) -> Result<Domain, Obstacle> {
        Ok(match scalar {
            Scalar::Bool => Domain { lo: 0, hi: 1 },
            Scalar::Int => Domain::INT,
            Scalar::Enum(id) => Domain { lo: 0, hi: self.system.enumeration(*id).members.len() as i64 - 1 },
            Scalar::Range(range) => {
                let (lo, hi) = span(range, environment)?;
                Domain { lo, hi }
            }
        })
    }

    fn add_actions(&mut self, system: &System) -> Result<(), Obstacle> {
        for (number, action) in system.actions.iter().enumerate() {
            // Every choice of participants, then of arguments, in increasing order.
            let mut choices: Vec<Choice> = vec![Choice::default()];
            for Participant { family, index, only, label } in &action.participants {
                let mut extended = Vec::new();
                for choice in &choices {
                    for process in self.members(*family) {
                        if only.is_some() && self.processes[process.0 as usize].index != *only {
                            continue;
                        }
                        // A process does not meet itself.
                        if choice.participants.iter().any(|(other, _)| *other == process) {
                            continue;
                        }
                        let mut choice = choice.clone();
                        choice.participants.push((process, label.clone()));
                        if let (Some(index), Some(value)) = (*index, self.processes[process.0 as usize].index)
                        {
                            choice.environment.bind(index, value);
                        }
                        extended.push(choice);
                    }
                    if extended.len() > Self::LIMIT {
                        return Err(Obstacle::TooLarge("too many actions".to_owned()));
                    }
                }
                choices = extended;
            }
            for parameter in &action.parameters {
                let mut extended = Vec::new();
                for mut choice in choices {
                    let (lo, hi) = span(&parameter.span, &mut choice.environment)?;
                    if length(lo, hi) > (Self::LIMIT - extended.len()) as u64 {
                        return Err(Obstacle::TooLarge("too many actions".to_owned()));
                    }
                    for value in lo..=hi {
                        let mut choice = choice.clone();
                        choice.arguments.push(value);
                        choice.environment.bind(parameter.index, value);
                        extended.push(choice);
                    }
                }
                choices = extended;
            }
            let own: Vec<Index> = action.participants.iter().filter_map(|p| p.index).collect();
            for Choice { participants, arguments, environment } in choices {
                if ground::is_false(&action.guard, &own, &mut environment.clone()) {
                    continue;
                }
                if self.actions.len() >= Self::LIMIT {
                    return Err(Obstacle::TooLarge("too many actions".to_owned()));
                }
                let mut name = participants
                    .iter()
                    .map(|(process, label)| format!("{}.{label}", self.processes[process.0 as usize].name))
                    .collect::<Vec<_>>()
                    .join("+");
                if !arguments.is_empty() {
                    let values: Vec<String> = arguments
                        .iter()
                        .zip(&action.parameters)
                        .map(|(value, parameter)| system.index_value_name(parameter.index, *value))
                        .collect();
                    name = format!("{name}({})", values.join(","));
                }
                self.actions.push(ActionInstance {
                    action: number,
                    participants,
                    arguments,
                    environment,
                    name,
                });
            }
        }
        Ok(())
    }
}

/// Participants and arguments of an action.
#[derive(Clone, Default)]
struct Choice {
    participants: Vec<(ProcessId, String)>,
    arguments: Vec<i64>,
    environment: Environment,
}

/// The number of values in `lo..=hi`.
fn length(lo: i64, hi: i64) -> u64 {
    if hi < lo { 0 } else { hi.abs_diff(lo).saturating_add(1) }
}

/// The ends of a span.
fn span(span: &Span, environment: &mut Environment) -> Result<(i64, i64), Obstacle> {
    let lo = semantics::rigid(&span.lo, environment).map_err(Obstacle::Fault)?;
    let hi = semantics::rigid(&span.hi, environment).map_err(Obstacle::Fault)?;
    Ok((lo, hi))
}

/// The initial values of an element of a variable.
fn start(initial: &Initial, element: usize, environment: &mut Environment) -> Result<Start, Obstacle> {
    let mut value = |expr: &Expr| semantics::rigid(expr, environment).map_err(Obstacle::Fault);
    Ok(match initial {
        Initial::Any => Start::Any,
        Initial::Elements(values) => match values.get(element) {
            Some(expr) => Start::Among(vec![value(expr)?]),
            None => return Err(Obstacle::Initial("too few initial values for an array".to_owned())),
        },
        Initial::Among(exprs) => {
            let mut values = exprs.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            values.sort_unstable();
            values.dedup();
            Start::Among(values)
        }
    })
}

/// The next position of an array in row-major order.
fn advance(position: &mut [i64], dimensions: &[(i64, i64)]) {
    for (value, (lo, hi)) in position.iter_mut().zip(dimensions).rev() {
        if *value < *hi {
            *value += 1;
            return;
        }
        *value = *lo;
    }
}
