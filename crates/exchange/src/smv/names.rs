//! The names in the SMV text.
//!
//! Every cell is a variable of its own, because `NuSMV` cannot index an array by an expression. Members of enums and
//! control locations are constants that `DEFINE` names. Every outcome of an action is a value of the variable that says
//! what its process did last.

use std::collections::BTreeMap;

use model::expr::Place;
use model::system::Scalar;
use model::{ActionId, Expr, Instance, VariableId};

use crate::export::Refusal;
use crate::export::actions::place;
use crate::export::expressions::{Language, Signs, check_length, joined, truth};
use crate::export::names::Names;
use crate::export::paths::same;
use crate::export::range::cells;

/// The names of an instance in SMV.
pub(super) struct Naming {
    /// Per cell.
    pub(super) cells: Vec<String>,
    /// Per enum of the system, those of its members.
    members: Vec<Vec<String>>,
    /// Per action, one per outcome.
    pub(super) outcomes: Vec<Vec<String>>,
    /// Per process that may act, in the order of the instance, the variable that says what it did last.
    pub(super) acts: BTreeMap<usize, Act>,
    names: Names,
}

/// The variable that says what a process did last.
pub(super) struct Act {
    pub(super) name: String,
    /// The outcomes that are its values besides `off`.
    pub(super) values: Vec<String>,
}

/// The process whose variable names an action: in a rendezvous, the first one.
fn actor(instance: &Instance, action: usize) -> usize {
    instance.actions[action].participants.first().map_or(0, |(process, _)| process.0 as usize)
}

impl Naming {
    /// Names for everything in the instance. `outcomes` has the number of outcomes of each action.
    pub(super) fn new(instance: &Instance, outcomes: &[usize]) -> Naming {
        let mut names = Names::new(RESERVED);
        let mut name = |(number, cell): (usize, &model::instance::Cell)| match cell.owner {
            Some(owner) if instance.is_location(number) => {
                names.claim(&format!("at_{}", instance.processes[owner.0 as usize].name))
            }
            _ => names.claim(&cell.name),
        };
        let cells = instance.cells.iter().enumerate().map(&mut name).collect();
        let mut members = Vec::new();
        for enumeration in &instance.system.enums {
            let wish = |member| format!("{}_{member}", enumeration.name.trim_end_matches('@'));
            members.push(enumeration.members.iter().map(|member| names.claim(&wish(member))).collect());
        }
        let actions = instance.actions.iter().zip(outcomes);
        let outcomes = actions.map(|(action, count)| match count {
            0 | 1 => (0..*count).map(|_| names.claim(&action.name)).collect(),
            _ => (1..=*count).map(|number| names.claim(&format!("{}_{number}", action.name))).collect(),
        });
        let outcomes: Vec<Vec<String>> = outcomes.collect();
        let mut values: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (action, outcomes) in outcomes.iter().enumerate().filter(|(_, outcomes)| !outcomes.is_empty()) {
            values.entry(actor(instance, action)).or_default().extend(outcomes.iter().cloned());
        }
        let mut act = |(process, values): (usize, Vec<String>)| {
            let name = instance.processes.get(process).map_or("", |process| &process.name);
            (process, Act { name: names.claim(&format!("act_{name}")), values })
        };
        let acts = values.into_iter().map(&mut act).collect();
        Naming { cells, members, outcomes, acts, names }
    }

    /// A name for a property, as similar to its own as possible.
    pub(super) fn claim(&mut self, wish: &str) -> String {
        self.names.claim(wish)
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

/// The language SMV.
pub(super) struct Smv<'a> {
    pub(super) instance: &'a Instance,
    pub(super) naming: &'a Naming,
    /// Whether events are about the next step (`next(act)`) or about the last one (`act`).
    pub(super) ahead: bool,
}

impl Language for Smv<'_> {
    const SIGNS: Signs = Signs {
        truth: ["FALSE", "TRUE"],
        not: "!",
        and: "&",
        or: "|",
        implies: "->",
        equivalent: "<->",
        unequal: "!=",
        quotient: "/",
        remainder: "mod",
        conditional: |c, a, b| format!("({c} ? {a} : {b})"),
    };

    fn instance(&self) -> &Instance {
        self.instance
    }

    /// A cell, or one of several by comparing the index.
    fn read(&self, target: &Place) -> Result<String, Refusal> {
        if let Some(Ok(cell)) = self.instance.constant_cell(target) {
            return Ok(self.naming.cells[cell].clone());
        }
        let mut candidates = cells(self.instance, target.variable).into_iter().rev();
        let last = candidates.next().map_or_else(|| "0".to_owned(), |cell| self.naming.cells[cell].clone());
        candidates.try_fold(last, |rest, cell| match same(target, &place(self.instance, cell)) {
            Expr::Bool(false) => Ok(rest),
            same => {
                check_length((Self::SIGNS.conditional)(&truth(self, &same)?, &self.naming.cells[cell], &rest))
            }
        })
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

    fn taken(&self, actions: &[ActionId]) -> String {
        let outcomes = |action: &ActionId| {
            let action = action.0 as usize;
            (0..self.naming.outcomes[action].len()).map(move |outcome| (action, outcome))
        };
        self.among(&actions.iter().flat_map(outcomes).collect::<Vec<_>>())
    }
}

impl Smv<'_> {
    /// The condition that the step is one of these outcomes. Each is given by the numbers of the action and of the
    /// outcome.
    pub(super) fn among(&self, outcomes: &[(usize, usize)]) -> String {
        let mut by_process: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (action, outcome) in outcomes {
            let title = &self.naming.outcomes[*action][*outcome];
            by_process.entry(actor(self.instance, *action)).or_default().push(title);
        }
        let parts: Vec<String> = by_process
            .into_iter()
            .map(|(process, titles)| {
                let Act { name, values } = &self.naming.acts[&process];
                let act = if self.ahead { format!("next({name})") } else { name.clone() };
                match &titles[..] {
                    all if all.len() == values.len() => format!("({act} != off)"),
                    [title] => format!("({act} = {title})"),
                    _ => format!("({act} in {{{}}})", titles.join(", ")),
                }
            })
            .collect();
        joined(&parts, Self::SIGNS.or, Self::SIGNS.truth[0])
    }
}

/// Keywords of `NuSMV` and `nuXmv`, and our own names.
const RESERVED: &str = "\
    A ABF ABG AF AG ASSIGN AX BU COMPASSION COMPID COMPUTE CONSTANTS CONSTARRAY CONSTRAINT CTLSPEC CTLWFF \
    DEFINE E EBF EBG EF EG EX F FAIRNESS FALSE FROZENVAR FUN G H IN INIT INITWFF INVAR INVARSPEC ISA \
    ITYPE IVAR JUSTICE LTLSPEC LTLWFF MAX MDEFINE MIN MIRROR MODULE NAME NEXTWFF O PARSYNTH PRED \
    PREDICATES PSLSPEC READ S SIMPWFF SPEC T TRANS TRUE U V VALID VAR W WRITE X Y Z abs array bool \
    boolean broken case clock cos count esac exp extend fault floor in init integer ln main max min mod \
    next of off out pi pow process pwl real resize self signed sin sizeof stuck swconst tan toint typeof \
    union unsigned uwconst word word1 wordarray xnor xor";
