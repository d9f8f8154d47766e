//! Models in the languages of other checkers, for a second opinion.
//!
//! An exporter turns the tasks of a file into text that has the same meaning by the rules of the other tool: the same
//! runs, the same positions, the same verdict. Every property that the other language cannot express is refused with a
//! reason. Nothing is weakened or left out silently.

pub(crate) mod actions;
pub(crate) mod assumed;
pub(crate) mod expressions;
pub(crate) mod names;
pub(crate) mod paths;
pub(crate) mod range;

use model::shape::Shape;
use model::system::Channel;
use model::{ActionId, Expr, Instance, Name, Update, VariableId};
pub use names::identifier;

pub use crate::promela::promela;
pub use crate::smv::smv;
pub use crate::tla::tla;

/// A model in another language.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// A second file for the tool, if it needs one: TLC's configuration.
    pub companion: Option<String>,
    /// The properties that were refused, with the reasons.
    pub refused: Vec<(String, Refusal)>,
}

/// Why something cannot be expressed in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, in the user's words.
    pub reason: String,
    /// What to change; may be empty.
    pub instead: String,
}

/// A refusal without a suggestion.
pub(crate) fn refusal(reason: impl Into<String>) -> Refusal {
    Refusal { reason: reason.into(), instead: String::new() }
}

/// A refusal of an action: it says which, and with which channels, records, sets and sequences of the user the step deals,
/// since these are what makes it large in a language without them.
pub(crate) fn within(instance: &Instance, action: ActionId, Refusal { reason, instead }: Refusal) -> Refusal {
    let own = instance.action(action);
    let system = &instance.system;
    let mut values: Vec<String> = Vec::new();
    let mut add = |value: String| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    let written = &system.actions[own.action];
    variables(&written.guard, &written.update, &mut |variable| {
        let holds = |channel: &&Channel| channel.length == variable || channel.fields.contains(&variable);
        if let Some(channel) = system.channels.iter().find(holds) {
            add(format!("the channel `{}`", channel.name));
        } else if let Some((whole, _)) = system.shaped(variable) {
            let kind = match &whole.shape {
                Shape::Record(..) => "record",
                Shape::Set(_) => "set",
                Shape::Sequence(_) => "sequence",
                Shape::Array(_) | Shape::One => "array",
            };
            add(format!("the {kind} `{}`", whole.name));
        }
    });
    let with = if values.is_empty() { String::new() } else { format!(", which has {}", values.join(", ")) };
    Refusal { reason: format!("{reason} (in `{}`{with})", own.name), instead }
}

/// Calls `f` with every variable that a step reads or writes, in order.
fn variables(guard: &Expr, update: &Update, f: &mut dyn FnMut(VariableId)) {
    fn read(expr: &Expr, f: &mut dyn FnMut(VariableId)) {
        expr.any(&mut |part| {
            if let Expr::Read(place) = part {
                f(place.variable);
            }
            false
        });
    }
    fn go(update: &Update, f: &mut dyn FnMut(VariableId)) {
        match update {
            Update::Skip => {}
            Update::Assign(assignments) => assignments.iter().for_each(|(place, value)| {
                f(place.variable);
                read(value, f);
            }),
            Update::Sequence(updates) => updates.iter().for_each(|update| go(update, f)),
            Update::If(condition, yes, no) => {
                read(condition, f);
                go(yes, f);
                go(no, f);
            }
            Update::Either(branches) => branches.iter().for_each(|(_, branch)| go(branch, f)),
            Update::Choose(_, _, body) => go(body, f),
        }
    }
    read(guard, f);
    go(update, f);
}

/// Refuses a system with open parameters.
pub(crate) fn open() -> Refusal {
    refusal("a parameter has no value, and other tools check one instance")
}

/// Refuses a choice whose outcomes cannot be listed.
pub(crate) fn require_listed(instance: &Instance, tool: &str) -> Result<(), Refusal> {
    match instance.system.endless_choice() {
        None => Ok(()),
        Some(chooser) => Err(Refusal {
            reason: format!("`{}` chooses among all integers, which {tool} cannot", chooser.label),
            instead: "choose in a range".to_owned(),
        }),
    }
}

/// Refuses a variable or a choice with values that the tool cannot compute with.
pub(crate) fn require_bounded(instance: &Instance, tool: &str) -> Result<(), Refusal> {
    require_listed(instance, tool)?;
    let (lo, hi) = range::INT;
    match instance.cells.iter().find(|cell| cell.domain.lo < lo || hi < cell.domain.hi) {
        None => Ok(()),
        Some(cell) => Err(Refusal {
            reason: format!(
                "the values of `{}` do not fit into the 32 bits that {tool} computes with",
                cell.name
            ),
            instead: "declare it with a range".to_owned(),
        }),
    }
}

/// Refuses a property whose evaluation may cause a fault that evaluating `first` does not.
pub(crate) fn different_faults(first: &Name, property: &Name) -> Refusal {
    Refusal {
        reason: format!(
            "evaluating it and evaluating `{first}` are not faults in the same states, and a fault violates \
             every property of a file"
        ),
        instead: format!("export it alone with `--property {property}`"),
    }
}
