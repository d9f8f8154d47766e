//! Systems: shared variables, families of processes with local variables, and their actions.
//!
//! A system may be *parameterised* (`param N >= 2`): spans of families, types and quantifiers then mention
//! [`Expr::Parameter`]. Computations need an [`Instance`](crate::Instance), in which each parameter has a value. Only
//! the counter engine uses the parameterised form.
//!
//! Sequential code has been translated into actions: the control location of a process is one of its local
//! variables ([`Family::location`]), an enum whose members are the labels.

use crate::expr::{Binder, Expr, Index, Place, Span};
pub use crate::shape::{Shape, Shaped};

/// A parameter of a system, by position in [`System::parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParameterId(pub u32);

/// A variable, by position in [`System::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// A family, by position in [`System::families`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FamilyId(pub u32);

/// An enum type, by position in [`System::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// A system of processes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct System {
    /// The user's name for it, usually the stem of the file name.
    pub name: String,
    /// The parameters without a value; usually there are none.
    pub parameters: Vec<Parameter>,
    /// Enum types, the location types of families included.
    pub enums: Vec<Enumeration>,
    /// The name and the type of each [`Index`].
    pub indices: Vec<IndexName>,
    /// Shared and local variables.
    pub variables: Vec<Variable>,
    /// Families of processes; a single process is a family without an index.
    pub families: Vec<Family>,
    /// The actions of all processes.
    pub actions: Vec<Action>,
    /// Predicates that every initial state satisfies, in addition to the variables' own initial values.
    pub init: Vec<Expr>,
    /// The variables that make up each channel; only used to show states.
    pub channels: Vec<Channel>,
    /// The variables that are stored in several, because they are records, sets or sequences; only used to show states.
    pub shaped: Vec<Shaped>,
    /// The dimensions of variables whose indices are the members of an enum; only used to show states.
    pub enum_dimensions: Vec<(VariableId, usize, EnumId)>,
    /// The processes and actions that belong to the environment. It changes no run: only
    /// [fairness of everything](crate::Fairness::every_action) leaves them out, and advice does not ask for them.
    pub environment: Vec<Marked>,
    /// Where the system does more than the program it was read from, one sentence each; empty if it is exact. A
    /// property of all its runs is a property of all runs of the program, but a run of it may not be a run of the
    /// program.
    pub overapproximates: Vec<String>,
    /// Where the system does less than the program it was read from, one sentence each. A run of it is a run of the
    /// program, but a property of all its runs says nothing of the program.
    pub underapproximates: Vec<String>,
}

/// A family of processes, or those of its actions that have this label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The family.
    pub family: FamilyId,
    /// The label; `None` for the processes and all their actions.
    pub label: Option<String>,
}

/// A number of processes left open: `param N >= 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The least value it may take.
    pub least: i64,
}

/// An enum type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// Its members, in the order of their values.
    pub members: Vec<String>,
}

/// The name and the type of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexName {
    /// Its name; not necessarily unique.
    pub name: String,
    /// The type of its values.
    pub scalar: Scalar,
    /// What the fault says if there is no value to choose. Other indices have none.
    pub demand: Option<Demand>,
}

/// A condition that must be true where a step reaches it. It is written as a choice of 0 from `0..0` under the condition,
/// so that a state in which the condition is false is a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// The user's assertion, with its text.
    Assertion(String),
    /// A check that the language makes, with what the fault says.
    Check(String),
}

impl IndexName {
    /// An index of the user's.
    pub fn new(name: &str, scalar: Scalar) -> IndexName {
        IndexName { name: name.to_owned(), scalar, demand: None }
    }

    /// The index of a condition that must be true.
    pub fn of_demand(demand: Demand) -> IndexName {
        let scalar = Scalar::Range(Span::between(0, 0));
        IndexName { name: "demand".to_owned(), scalar, demand: Some(demand) }
    }
}

/// The type of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `false` (0) and `true` (1).
    Bool,
    /// The integers of a span.
    Range(Span),
    /// All integers.
    Int,
    /// The members of an enum.
    Enum(EnumId),
}

/// The type of a variable: an array with these dimensions, or a single value if there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The index range of each dimension.
    pub dimensions: Vec<Span>,
    /// The type of each element.
    pub scalar: Scalar,
}

/// A variable: shared, or a local that each process of a family has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; a location variable is called `@`.
    pub name: String,
    /// The family whose processes own it; `None` if it is shared.
    pub owner: Option<FamilyId>,
    /// Its type.
    pub kind: Type,
    /// Its initial values.
    pub initial: Initial,
}

/// The initial values of a variable. The expressions are rigid and may mention the owner's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Any value of its type; any integer if the type is unbounded.
    Any,
    /// Each element independently has one of these values.
    Among(Vec<Expr>),
    /// The elements of an array, in row-major order.
    Elements(Vec<Expr>),
}

/// A family of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// The index that distinguishes its processes; `None` for a single process.
    pub index: Option<Binder>,
    /// The variable that holds the control location, if its processes are written as sequential code.
    pub location: Option<VariableId>,
}

/// An action of one process, or of several at once: a rendezvous or a joint event.
///
/// It stands for one action instance per choice of participants and arguments; each of them is an action of
/// its own for fairness. In a state where the guard is true the update yields at least one successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The processes that take part, with their labels. The first one acts or sends.
    pub participants: Vec<Participant>,
    /// Further parameters, `rule1(r: 0..N-1)`.
    pub parameters: Vec<Binder>,
    /// When the action is enabled.
    pub guard: Expr,
    /// What it does.
    pub update: Update,
}

/// A process that takes part in an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Its family.
    pub family: FamilyId,
    /// The index that stands for the process in guard and update; `None` if the family has none, or if only one of its
    /// processes takes part.
    pub index: Option<Index>,
    /// The one process of an indexed family that takes part; `None` if any may.
    pub only: Option<i64>,
    /// The label it acts at.
    pub label: String,
}

impl Participant {
    /// Its process as an expression in guard and update; `None` for a single process.
    pub fn process(&self) -> Option<Expr> {
        self.index.map(Expr::Index).or(self.only.map(Expr::Int))
    }
}

/// The effect of an action on the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Nothing.
    Skip,
    /// Simultaneous assignment: all expressions are read first, then the places are written left to right.
    Assign(Vec<(Place, Expr)>),
    /// Updates one after the other, in a single step.
    Sequence(Vec<Update>),
    /// One of two updates, by a condition.
    If(Expr, Box<Update>, Box<Update>),
    /// Any one of the updates whose condition is true; a fault if there is none.
    Either(Vec<(Expr, Update)>),
    /// The body with any value of the index that satisfies the condition; a fault if there is none. Over
    /// [all integers](Span::is_endless) its outcomes cannot be listed.
    Choose(Binder, Expr, Box<Update>),
}

impl Update {
    /// Whether it assigns to a variable.
    pub fn writes(&self, variable: VariableId) -> bool {
        match self {
            Update::Skip => false,
            Update::Assign(assignments) => assignments.iter().any(|(place, _)| place.variable == variable),
            Update::Sequence(updates) => updates.iter().any(|update| update.writes(variable)),
            Update::If(_, yes, no) => yes.writes(variable) || no.writes(variable),
            Update::Either(branches) => branches.iter().any(|(_, update)| update.writes(variable)),
            Update::Choose(_, _, body) => body.writes(variable),
        }
    }
}

/// A channel: a queue stored in a length variable and an array per field of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The number of messages in it.
    pub length: VariableId,
    /// The fields of the messages, oldest first. Their ids are consecutive.
    pub fields: Vec<VariableId>,
    /// The shape of each field as it was declared. One with parts has several of the fields above.
    pub shapes: Vec<Shape>,
}

impl Update {
    /// Whether it chooses among all integers, so that it may have infinitely many outcomes.
    pub fn is_endless(&self) -> bool {
        match self {
            Update::Skip | Update::Assign(_) => false,
            Update::Sequence(updates) => updates.iter().any(Update::is_endless),
            Update::If(_, yes, no) => yes.is_endless() || no.is_endless(),
            Update::Either(branches) => branches.iter().any(|(_, branch)| branch.is_endless()),
            Update::Choose(binder, _, body) => binder.span.is_endless() || body.is_endless(),
        }
    }
}

impl System {
    /// Whether every variable has finitely many values.
    pub fn is_bounded(&self) -> bool {
        !self.variables.iter().any(|variable| variable.kind.scalar == Scalar::Int)
    }

    /// The first participant of an action that chooses among all integers, if there is such an action.
    pub fn endless_choice(&self) -> Option<&Participant> {
        self.actions.iter().find(|action| action.update.is_endless())?.participants.first()
    }

    /// Whether the processes of a family belong to the environment.
    pub fn is_outside(&self, family: FamilyId) -> bool {
        self.environment.iter().any(|marked| marked.family == family && marked.label.is_none())
    }

    /// Whether some actions of a family, but not all, belong to the environment. Then fairness of its processes could be met
    /// by what the environment does.
    pub fn is_partly_outside(&self, family: FamilyId) -> bool {
        self.environment.iter().any(|marked| marked.family == family && marked.label.is_some())
    }

    /// Whether an action belongs to the environment: one of those who take part in it does.
    pub fn is_environment(&self, action: &Action) -> bool {
        action.participants.iter().any(|own| {
            let marks = |marked: &Marked| {
                marked.family == own.family && marked.label.as_ref().is_none_or(|label| *label == own.label)
            };
            self.environment.iter().any(marks)
        })
    }

    /// How a position in a dimension of a variable is written.
    pub fn position_name(&self, variable: VariableId, dimension: usize, value: i64) -> String {
        let found = self.enum_dimensions.iter().find(|own| (own.0, own.1) == (variable, dimension));
        self.member_name(found.map(|own| own.2), value)
    }

    /// How a value of an index is written.
    pub fn index_value_name(&self, index: Index, value: i64) -> String {
        let scalar = self.indices.get(index.0 as usize).map(|index| &index.scalar);
        let of = if let Some(Scalar::Enum(id)) = scalar { Some(*id) } else { None };
        self.member_name(of, value)
    }

    /// A member of an enum by its name, or a number.
    fn member_name(&self, of: Option<EnumId>, value: i64) -> String {
        let member = of.and_then(|id| self.enumeration(id).members.get(usize::try_from(value).ok()?));
        member.cloned().unwrap_or_else(|| value.to_string())
    }

    /// The variable with this id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// Whether a variable is the control location of its owner.
    pub fn is_location(&self, id: VariableId) -> bool {
        self.variable(id).owner.is_some_and(|family| self.family(family).location == Some(id))
    }

    /// The family with this id.
    pub fn family(&self, id: FamilyId) -> &Family {
        &self.families[id.0 as usize]
    }

    /// The enum with this id.
    pub fn enumeration(&self, id: EnumId) -> &Enumeration {
        &self.enums[id.0 as usize]
    }
}
