//! TLA+, and a configuration for TLC.
//!
//! There is one module: `Init`, an operator per action, `Next`, and `Spec == Init /\ [][Next]_vars /\ WF_vars(Next)`
//! with the fairness of the properties. A behaviour of `Spec` is a run of ours with finite stuttering between steps:
//! `WF_vars(Next)` makes the system continue as long as it can. Where it cannot, stuttering for ever is our step
//! `idle`. `Next` allows it there, so that TLC does not report a deadlock.
//!
//! This is only correct if every step is visible. TLA+ identifies a step by the values before and after: if nothing
//! changes, it is not a step, and two actions with the same effect are the same. So where a step may leave everything
//! as it was, a variable `tick` changes with every step. And where a formula or a requirement refers to actions, a
//! variable `last` holds the name of the last action.
//!
//! In a state with a fault, `NoFault` is false; TLC checks that invariant with every property.

mod claims;
mod names;

use std::fmt::Write;

use model::expr::{Operator, Place};
use model::instance::Start;
use model::property::Kind;
use model::{ActionId, Expr, Requirement, Task, VariableId, ground, show};
use names::{Naming, Tla, spans};

use crate::export::actions::{Effect, Outcome, effect, initial};
use crate::export::assumed::{alternatives, definedness};
use crate::export::expressions::{Language, is_about_step, truth, value};
use crate::export::range::{cells, constant};
use crate::export::{Exported, Refusal, refusal};

/// The tasks of one file as a TLA+ module with this name and one operator per task, and its configuration.
///
/// Refused as a whole if the system cannot be expressed, or if none of the properties can.
pub fn tla(tasks: &[Task], module: &str) -> Result<Exported, Refusal> {
    let Some(first) = tasks.first() else {
        return Err(refusal("there is no property to export"));
    };
    let instance = first.instance().ok_or_else(crate::export::open)?;
    crate::export::require_bounded(instance, "TLC")?;
    let ids = (0..instance.actions.len() as u32).map(ActionId);
    let effects: Vec<Effect> = ids.map(|id| effect(instance, id)).collect::<Result<_, _>>()?;
    let mut naming = Naming::new(instance);
    let titles: Vec<String> =
        tasks.iter().map(|task| naming.claim(&task.property.name.to_string())).collect();
    let tla = Tla { instance, naming: &naming };
    let mut claims: Vec<Claim> = Vec::new();
    let mut refused = Vec::new();
    for (task, title) in tasks.iter().zip(titles) {
        let claim = Claim::new(&tla, task, title);
        let claim = claim.and_then(|claim| match claims.first() {
            Some(first) if first.defined != claim.defined => {
                Err(crate::export::different_faults(&first.task.property.name, &task.property.name))
            }
            _ => Ok(claim),
        });
        match claim {
            Ok(claim) => claims.push(claim),
            Err(refusal) => refused.push((task.property.name.to_string(), refusal)),
        }
    }
    if claims.is_empty() {
        let (name, Refusal { reason, instead }) = refused.swap_remove(0);
        return Err(Refusal { reason: format!("`{name}`: {reason}"), instead });
    }
    let module = Module { name: module, tla, effects, claims };
    let text = module.text(&refused)?;
    Ok(Exported { text, companion: Some(module.configuration()), refused })
}

/// A property that can be expressed.
struct Claim<'a> {
    task: &'a Task,
    /// Its name in the text.
    title: String,
    formula: String,
    /// The assumptions about actions and processes.
    fairness: Vec<String>,
    /// The other assumptions.
    premises: Vec<String>,
    /// Whether it refers to actions.
    events: bool,
    /// The conditions under which its atoms and its fairness have a value.
    defined: Vec<Expr>,
}

impl<'a> Claim<'a> {
    fn new(tla: &Tla, task: &'a Task, title: String) -> Result<Claim<'a>, Refusal> {
        let alternatives = alternatives(tla.instance, task, "TLA+")?;
        let kind = ground::kind(tla.instance, &task.property.kind);
        let formula = claims::claim(tla, &kind)?;
        let (fairness, premises) = claims::fairness(tla, &alternatives)?;
        let requirements: Vec<&Requirement> = alternatives.iter().flatten().collect();
        let defined = definedness(tla.instance, &kind, requirements.iter().copied())?;
        if let Some(condition) = defined.iter().find(|condition| is_about_step(condition)) {
            let shown = show::expression(&tla.instance.system, condition);
            return Err(refusal(format!(
                "whether `{shown}` is true depends on a step, but TLA+ checks states"
            )));
        }
        let events = formula.contains("last'")
            || requirements.iter().any(|r| is_about_step(&r.when) || is_about_step(&r.then));
        Ok(Claim { task, title, formula, fairness, premises, events, defined })
    }

    fn is_invariant(&self) -> bool {
        matches!(self.task.property.kind, Kind::Invariant(_))
    }
}

/// A variable that we add: its name, its initial value, and its value after an action.
type Auxiliary = (&'static str, &'static str, fn(&str) -> String);

struct Module<'a> {
    name: &'a str,
    tla: Tla<'a>,
    /// Per action.
    effects: Vec<Effect>,
    claims: Vec<Claim<'a>>,
}

impl Module<'_> {
    fn text(&self, refused: &[(String, Refusal)]) -> Result<String, Refusal> {
        let Tla { instance, naming } = &self.tla;
        let mut text = self.header(refused);
        let auxiliary = self.auxiliary();
        let names =
            naming.variables.iter().map(String::as_str).chain(auxiliary.iter().map(|(name, ..)| *name));
        let names = names.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "VARIABLES {names}\nvars == <<{names}>>\n");
        for (name, value) in naming.constants(instance) {
            let _ = writeln!(text, "{name} == {value}");
        }
        text += "\nInit ==\n";
        for number in 0..instance.system.variables.len() {
            let _ = writeln!(text, "    /\\ {}", self.start(VariableId(number as u32)));
        }
        for (name, value, _) in &auxiliary {
            let _ = writeln!(text, "    /\\ {name} = {value}");
        }
        match initial(instance)? {
            Expr::Bool(true) => text.push('\n'),
            initial => {
                let _ = writeln!(text, "    /\\ {}\n", truth(&self.tla, &initial)?);
            }
        }
        for (number, effect) in self.effects.iter().enumerate() {
            text += &self.action(number, effect, &auxiliary)?;
        }
        let guards = self.effects.iter().map(|effect| truth(&self.tla, &effect.enabled));
        let guards = guards.collect::<Result<Vec<_>, _>>()?;
        let guards =
            if guards.is_empty() { "TRUE".to_owned() } else { format!("~{}", guards.join("\n    /\\ ~")) };
        let _ = writeln!(
            text,
            "\\* No action is enabled: a deadlock, in which the system idles.\nStuck ==\n    /\\ {guards}\n"
        );
        let idle = "Stuck /\\ UNCHANGED vars";
        let next: Vec<&str> = naming.actions.iter().map(String::as_str).chain([idle]).collect();
        let _ = writeln!(text, "Next ==\n    \\/ {}\n", next.join("\n    \\/ "));
        text += &self.specification();
        text += &self.faults()?;
        for claim in &self.claims {
            let shown = show::kind(&instance.system, &claim.task.property.kind);
            let Claim { task, title, formula, fairness, premises, .. } = claim;
            let own = if self.common_fairness().is_empty() { &fairness[..] } else { &[] };
            let premises: Vec<&str> = own.iter().chain(premises).map(String::as_str).collect();
            let _ = writeln!(text, "\\* {}: {shown}", task.property.name);
            let _ = match premises.len() {
                0 => writeln!(text, "{title} == {formula}\n"),
                _ => writeln!(
                    text,
                    "{title} ==\n    (/\\ {})\n    => {formula}\n",
                    premises.join("\n     /\\ ")
                ),
            };
        }
        text += "====\n";
        Ok(text)
    }

    /// TLC's configuration.
    fn configuration(&self) -> String {
        let mut text = "SPECIFICATION Spec\n".to_owned();
        if self.may_fault() {
            text += "INVARIANT NoFault\n";
        }
        for claim in &self.claims {
            let keyword = if claim.is_invariant() { "INVARIANT" } else { "PROPERTY" };
            let _ = writeln!(text, "{keyword} {}", claim.title);
        }
        text
    }

    /// A comment: what the file is, how to run it, and which properties are missing.
    fn header(&self, refused: &[(String, Refusal)]) -> String {
        let name = self.name;
        let mut text = format!(
            "---- MODULE {name} ----\n\
             \\* {}, exported by Fairly.\n\\*\n\
             \\* java -cp tla2tools.jar tlc2.TLC {name}      checks what {name}.cfg names\n",
            self.tla.instance.system.name
        );
        if !refused.is_empty() {
            text += "\\*\n\\* Not in this file:\n";
            for (name, refusal) in refused {
                let _ = writeln!(text, "\\* {name}: {}", refusal.reason);
            }
        }
        text += "EXTENDS Integers\n\n";
        text
    }

    /// The additional variables that are needed.
    fn auxiliary(&self) -> Vec<Auxiliary> {
        let mut variables: Vec<Auxiliary> = Vec::new();
        if self.claims.iter().any(|claim| claim.events) {
            variables.push(("last", "\"none\"", |action| format!("\"{action}\"")));
        }
        let moving = self.effects.iter().flat_map(|effect| &effect.outcomes).all(surely_changes);
        if !moving || self.tla.naming.variables.is_empty() {
            variables.push(("tick", "FALSE", |_| "~tick".to_owned()));
        }
        variables
    }

    /// The initial values of a variable.
    fn start(&self, variable: VariableId) -> String {
        let instance = self.tla.instance;
        let name = &self.tla.naming.variables[variable.0 as usize];
        let cells = cells(instance, variable);
        let set = |cell: usize| match &instance.starts[cell] {
            Start::Among(values) => {
                let values: Vec<String> = values.iter().map(|v| self.tla.value(variable, *v)).collect();
                format!("{{{}}}", values.join(", "))
            }
            Start::Any => match instance.cells[cell].domain {
                _ if crate::export::expressions::is_bool(instance, variable) => "BOOLEAN".to_owned(),
                domain => format!("({}..{})", domain.lo, domain.hi),
            },
        };
        let single = |cell: &usize| match &instance.starts[*cell] {
            Start::Among(values) if values.len() == 1 => Some(self.tla.value(variable, values[0])),
            _ => None,
        };
        let spans = spans(instance, variable);
        if let Some(values) = cells.iter().map(single).collect::<Option<Vec<_>>>() {
            return format!("{name} = {}", tabulated(&spans, &values, 1));
        }
        let sets: Vec<String> = cells.iter().map(|cell| set(*cell)).collect();
        if sets.iter().all(|other| *other == sets[0]) {
            let set =
                spans.iter().rev().fold(sets[0].clone(), |set, (lo, hi)| format!("[{lo}..{hi} -> {set}]"));
            return format!("{name} \\in {set}");
        }
        // Every element has a set of its own.
        let all = spans.iter().rev().fold(format!("(UNION {{{}}})", sets.join(", ")), |set, (lo, hi)| {
            format!("[{lo}..{hi} -> {set}]")
        });
        let mut text = format!("{name} \\in {all}");
        for (cell, set) in cells.iter().zip(sets) {
            let Place { process, position, .. } = crate::export::actions::place(instance, *cell);
            let indices = process.as_deref().into_iter().chain(&position).filter_map(constant);
            let indices: Vec<String> = indices.map(|index| format!("[{index}]")).collect();
            let indices = indices.concat();
            let _ = write!(text, " /\\ {name}{indices} \\in {set}");
        }
        format!("({text})")
    }

    fn action(&self, number: usize, effect: &Effect, auxiliary: &[Auxiliary]) -> Result<String, Refusal> {
        let Tla { instance, naming } = &self.tla;
        let action = &instance.actions[number].name;
        let mut text = format!("{} == \\* {action}\n", naming.actions[number]);
        let several = effect.outcomes.len() > 1;
        for Outcome { condition, writes } in &effect.outcomes {
            let mut parts = match condition {
                Expr::And(parts) => {
                    parts.iter().map(|part| truth(&self.tla, part)).collect::<Result<_, _>>()?
                }
                other => vec![truth(&self.tla, other)?],
            };
            let mut unchanged = Vec::new();
            for (variable, name) in naming.variables.iter().enumerate() {
                match self.written(VariableId(variable as u32), writes)? {
                    Some(written) => parts.push(format!("{name}' = {written}")),
                    None => unchanged.push(name.as_str()),
                }
            }
            for (name, _, after) in auxiliary {
                parts.push(format!("{name}' = {}", after(action)));
            }
            if !unchanged.is_empty() {
                parts.push(format!("UNCHANGED <<{}>>", unchanged.join(", ")));
            }
            for (number, part) in parts.iter().enumerate() {
                let lead = match (several, number) {
                    (true, 0) => "    \\/ /\\ ",
                    (true, _) => "       /\\ ",
                    (false, _) => "    /\\ ",
                };
                let _ = writeln!(text, "{lead}{part}");
            }
        }
        if effect.outcomes.is_empty() {
            text += "    FALSE /\\ UNCHANGED vars\n";
        }
        text.push('\n');
        Ok(text)
    }

    /// The value of a variable after `writes`; `None` if they do not write it.
    fn written(&self, variable: VariableId, writes: &[(Place, Expr)]) -> Result<Option<String>, Refusal> {
        let own: Vec<&(Place, Expr)> =
            writes.iter().filter(|(place, _)| place.variable == variable).collect();
        let Some((_, last)) = own.last() else { return Ok(None) };
        if spans(self.tla.instance, variable).is_empty() {
            return value(&self.tla, variable, last).map(Some);
        }
        let mut changes = Vec::new();
        for (place, written) in own {
            changes.push(format!(
                "!{} = {}",
                self.tla.position(place)?,
                value(&self.tla, variable, written)?
            ));
        }
        let name = &self.tla.naming.variables[variable.0 as usize];
        Ok(Some(format!("[{name} EXCEPT {}]", changes.join(", "))))
    }

    /// The fairness in `Spec`: that of actions, if all properties assume the same. TLC checks safety properties without
    /// it. That is right because every finite run has a continuation that is fair to actions. The other assumptions are
    /// premises of each property.
    fn common_fairness(&self) -> &[String] {
        let mut claims = self.claims.iter().filter(|claim| !claim.is_invariant());
        let Some(first) = claims.next() else { return &[] };
        if claims.all(|other| other.fairness == first.fairness) { &first.fairness } else { &[] }
    }

    fn specification(&self) -> String {
        let mut text = String::new();
        let common = self.common_fairness();
        if !common.is_empty() {
            let _ = writeln!(text, "Fairness ==\n    /\\ {}\n", common.join("\n    /\\ "));
        }
        let fairness = if common.is_empty() { "" } else { " /\\ Fairness" };
        let _ = writeln!(text, "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next){fairness}\n");
        text
    }

    fn may_fault(&self) -> bool {
        self.effects.iter().any(|effect| !effect.faults.is_empty())
            || self.claims.first().is_some_and(|claim| !claim.defined.is_empty())
    }

    fn faults(&self) -> Result<String, Refusal> {
        if !self.may_fault() {
            return Ok(String::new());
        }
        let mut text = "\\* Everything has a value, and every value fits.\nNoFault ==\n".to_owned();
        for fault in self.effects.iter().flat_map(|effect| &effect.faults) {
            let _ = writeln!(text, "    /\\ ~{}", truth(&self.tla, fault)?);
        }
        for condition in self.claims.iter().take(1).flat_map(|claim| &claim.defined) {
            let _ = writeln!(text, "    /\\ {}", truth(&self.tla, condition)?);
        }
        text.push('\n');
        Ok(text)
    }
}

/// A function of `spans` with these values in row-major order.
fn tabulated(spans: &[(i64, i64)], values: &[String], depth: usize) -> String {
    let Some(((lo, hi), inner)) = spans.split_first() else { return values.concat() };
    let index = format!("i{depth}");
    let rows = values.chunks(values.len() / (hi - lo + 1) as usize);
    let rows: Vec<String> = rows.map(|row| tabulated(inner, row, depth + 1)).collect();
    let mut body = rows.last().cloned().unwrap_or_default();
    if rows.iter().any(|row| *row != body) {
        for (row, value) in rows.iter().zip(*lo..=*hi).collect::<Vec<_>>().into_iter().rev().skip(1) {
            body = format!("IF {index} = {value} THEN {row} ELSE {body}");
        }
    }
    format!("[{index} \\in {lo}..{hi} |-> {body}]")
}

/// Whether an outcome surely changes a variable: its condition requires one constant, and it writes another.
fn surely_changes(outcome: &Outcome) -> bool {
    let parts = match &outcome.condition {
        Expr::And(parts) => &parts[..],
        other => std::slice::from_ref(other),
    };
    let is_constant =
        |place: &Place| Expr::Read(place.clone()).children().into_iter().all(|i| constant(i).is_some());
    // Invariant: if all indices are constant, two writes to one element have equal places.
    if !outcome.writes.iter().all(|(place, _)| is_constant(place)) {
        return false;
    }
    parts.iter().any(|part| {
        let (place, old) = match part {
            Expr::Binary(Operator::Eq, a, b) => match (&**a, constant(b)) {
                (Expr::Read(place), Some(value)) => (place, value),
                _ => return false,
            },
            Expr::Read(place) => (place, 1),
            Expr::Not(a) => match &**a {
                Expr::Read(place) => (place, 0),
                _ => return false,
            },
            _ => return false,
        };
        let written = outcome.writes.iter().rev().find(|(written, _)| written == place);
        written.and_then(|(_, value)| constant(value)).is_some_and(|new| new != old)
    })
}
