//! The names in the TLA+ text, and how values are written.
//!
//! A variable of the system is a variable of the module. A local variable is a function of the process that owns it; an
//! array is a function of its positions, one per dimension. Members of enums and control locations are numbers that
//! definitions name.

use model::expr::Place;
use model::system::Scalar;
use model::{ActionId, Instance, VariableId};

use crate::export::Refusal;
use crate::export::expressions::{Language, Signs, number};
use crate::export::names::Names;
use crate::export::range::family_span;

/// The names of an instance in TLA+.
pub(super) struct Naming {
    /// Per variable of the system.
    pub(super) variables: Vec<String>,
    /// Per enum of the system, those of its members.
    members: Vec<Vec<String>>,
    /// Per action.
    pub(super) actions: Vec<String>,
    names: Names,
}

impl Naming {
    /// Names for everything in the instance.
    pub(super) fn new(instance: &Instance) -> Naming {
        let mut names = Names::new(RESERVED);
        let system = &instance.system;
        let mut variables = Vec::new();
        for (number, variable) in system.variables.iter().enumerate() {
            let is_location = system.is_location(VariableId(number as u32));
            variables.push(claim(
                &mut names,
                &match variable.owner {
                    None => variable.name.clone(),
                    Some(family) if is_location => format!("at_{}", system.family(family).name),
                    Some(family) => format!("{}_{}", system.family(family).name, variable.name),
                },
            ));
        }
        let mut members = Vec::new();
        for enumeration in &system.enums {
            let wish = |member| format!("{}_{member}", enumeration.name.trim_end_matches('@'));
            members.push(enumeration.members.iter().map(|member| claim(&mut names, &wish(member))).collect());
        }
        let actions = instance.actions.iter().map(|action| claim(&mut names, &action.name)).collect();
        Naming { variables, members, actions, names }
    }

    /// A name for a property, as similar to its own as possible.
    pub(super) fn claim(&mut self, wish: &str) -> String {
        claim(&mut self.names, wish)
    }

    /// The constants of the enums in use, with their values.
    pub(super) fn constants(&self, instance: &Instance) -> Vec<(&str, usize)> {
        let mut constants = Vec::new();
        for (number, members) in self.members.iter().enumerate() {
            let used = |scalar: &Scalar| matches!(scalar, Scalar::Enum(id) if id.0 as usize == number);
            if instance.system.variables.iter().any(|variable| used(&variable.kind.scalar)) {
                constants.extend(members.iter().enumerate().map(|(value, name)| (name.as_str(), value)));
            }
        }
        constants
    }
}

fn claim(names: &mut Names, wish: &str) -> String {
    // No name may begin with `WF_` or `SF_`.
    let forbidden = wish.starts_with("WF_") || wish.starts_with("SF_");
    names.claim(&if forbidden { format!("m_{wish}") } else { wish.to_owned() })
}

/// The domains of a variable's functions: its processes, then its positions.
pub(super) fn spans(instance: &Instance, variable: VariableId) -> Vec<(i64, i64)> {
    let owner = instance.system.variable(variable).owner;
    let indexed = owner.filter(|family| instance.system.family(*family).index.is_some());
    let processes = indexed.map(|family| family_span(instance, family));
    processes.into_iter().chain(instance.dimensions(variable).iter().copied()).collect()
}

/// The language TLA+.
pub(super) struct Tla<'a> {
    pub(super) instance: &'a Instance,
    pub(super) naming: &'a Naming,
}

impl Tla<'_> {
    /// The element of a variable that a place denotes: `[1][k]`.
    pub(super) fn position(&self, place: &Place) -> Result<String, Refusal> {
        let indices = place.process.as_deref().into_iter().chain(&place.position);
        indices.map(|index| Ok(format!("[{}]", number(self, index)?))).collect()
    }
}

impl Language for Tla<'_> {
    const SIGNS: Signs = Signs {
        truth: ["FALSE", "TRUE"],
        not: "~",
        and: "/\\",
        or: "\\/",
        implies: "=>",
        equivalent: "<=>",
        unequal: "#",
        quotient: "\\div",
        remainder: "%",
        conditional: |c, a, b| format!("(IF {c} THEN {a} ELSE {b})"),
    };

    fn instance(&self) -> &Instance {
        self.instance
    }

    fn read(&self, place: &Place) -> Result<String, Refusal> {
        Ok(format!("{}{}", self.naming.variables[place.variable.0 as usize], self.position(place)?))
    }

    fn value(&self, variable: VariableId, value: i64) -> String {
        match &self.instance.system.variable(variable).kind.scalar {
            Scalar::Bool => Self::SIGNS.truth[usize::from(value != 0)].to_owned(),
            Scalar::Enum(id) => {
                let member =
                    usize::try_from(value).ok().and_then(|v| self.naming.members[id.0 as usize].get(v));
                member.cloned().unwrap_or_else(|| value.to_string())
            }
            _ if value < 0 => format!("({value})"),
            _ => value.to_string(),
        }
    }

    /// In the action being described, `last'` is the name of the action.
    fn taken(&self, actions: &[ActionId]) -> String {
        let names: Vec<String> =
            actions.iter().map(|action| format!("\"{}\"", self.instance.action(*action).name)).collect();
        match &names[..] {
            [name] => format!("(last' = {name})"),
            _ => format!("(last' \\in {{{}}})", names.join(", ")),
        }
    }
}

/// Keywords of TLA+, definitions of its module `Integers`, and our own names.
const RESERVED: &str = "\
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN \
    ELSE ENABLED EXCEPT EXTENDS FALSE Fairness HAVE HIDE IF IN INSTANCE Init Int LAMBDA LEMMA LET LOCAL MODULE \
    NEW Nat Next NoFault OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SF_ STATE STRING \
    SUBSET SUFFICES Spec Stuck TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WF_ WITH \
    WITNESS i1 i2 i3 i4 i5 i6 i7 i8 i9 last tick vars";
