//! SMV, the language of `NuSMV`: one flat module.
//!
//! A state has a variable per cell, and a variable `act` per process. If the process took the action that led to the
//! state, `act` names the outcome; otherwise it is `off`. All are `off` at first and after the step of a deadlock. A
//! step chooses a process and the next value of its `act` among the possible outcomes (`TRANS`), and that determines
//! the next value of every cell (`ASSIGN`). `act` names the last action and not the next one, so that a state has all
//! the successors it has by our rules and the quantifiers of CTL keep their meaning. It is a state variable because
//! `NuSMV`'s check of COMPASSION is unsound for input variables. There is one per process, declared next to its cells
//! (`order`), because decision diagrams with one variable for the actions of all processes grow with the product of
//! what the processes do.
//!
//! `fault` remembers for ever that a state or step had a fault. Every specification claims that there is none. A run
//! with a fault is fair, so that the claim covers all faults.
//!
//! JUSTICE and COMPASSION apply to all specifications of a file. So properties with different assumptions cannot share
//! a file; invariants, which `NuSMV` checks without fairness as we do, go into any.

mod claims;
mod names;
mod order;
pub(crate) mod read;

use std::fmt::Write;

use claims::{FormulaContext, Record};
use model::instance::{Cell, Start};
use model::property::Kind;
use model::{ActionId, Expr, Instance, Requirement, Task, ground, show};
use names::{Act, Naming, Smv};
use order::Variable;

use crate::export::actions::{Effect, after, effect, initial};
use crate::export::assumed::{definedness, requirements};
use crate::export::expressions::{Language, is_bool, joined, truth, value};
use crate::export::range::between;
use crate::export::{Exported, Refusal, refusal};

/// The tasks of one file as an SMV model with one specification per task.
///
/// Refused as a whole if the system cannot be expressed, if none of the properties can, or if those that can
/// do not assume the same fairness.
pub fn smv(tasks: &[Task]) -> Result<Exported, Refusal> {
    let Some(first) = tasks.first() else {
        return Err(refusal("there is no property to export"));
    };
    let instance = first.instance().ok_or_else(crate::export::open)?;
    crate::export::require_bounded(instance, "NuSMV")?;
    let ids = (0..instance.actions.len() as u32).map(ActionId);
    let effects: Vec<Effect> = ids.map(|id| effect(instance, id)).collect::<Result<_, _>>()?;
    let counts: Vec<usize> = effects.iter().map(|effect| effect.outcomes.len()).collect();
    let mut naming = Naming::new(instance, &counts);
    let titles: Vec<String> =
        tasks.iter().map(|task| naming.claim(&task.property.name.to_string())).collect();
    let mut claims: Vec<Claim> = Vec::new();
    let mut refused = Vec::new();
    for (task, title) in tasks.iter().zip(titles) {
        let claim = Claim::new(instance, &naming, task, title);
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
    let fair = claims.iter().filter(|claim| !matches!(claim.kind, Kind::Invariant(_)));
    let mut fair = fair.map(|claim| (&claim.task.property.name, &claim.requirements));
    let requirements = match fair.next() {
        None => Vec::new(),
        Some((name, assumed)) => {
            if let Some((other, _)) = fair.find(|(_, other)| *other != assumed) {
                return Err(Refusal {
                    reason: format!(
                        "`{name}` and `{other}` do not assume the same fairness, and NuSMV assumes what a file \
                         says for all properties in it"
                    ),
                    instead: "choose properties with `--property`".to_owned(),
                });
            }
            assumed.clone()
        }
    };
    let model = Model { instance, naming: &naming, effects, requirements };
    let text = model.text(&claims, &refused)?;
    Ok(Exported { text, companion: None, refused })
}

/// A property that can be expressed.
struct Claim<'a> {
    task: &'a Task,
    /// Its name in the text.
    title: String,
    /// What it claims, ground.
    kind: Kind,
    requirements: Vec<Requirement>,
    /// The conditions under which its atoms and its fairness have a value.
    defined: Vec<Expr>,
}

impl<'a> Claim<'a> {
    fn new(
        instance: &Instance,
        naming: &Naming,
        task: &'a Task,
        title: String,
    ) -> Result<Claim<'a>, Refusal> {
        let requirements = requirements(instance, task, "NuSMV")?;
        let kind = ground::kind(instance, &task.property.kind);
        let conditional = requirements.iter().find(|requirement| requirement.when != Expr::Bool(true));
        if let (Kind::Ctl(_), Some(requirement)) = (&kind, conditional) {
            return Err(Refusal {
                reason: format!(
                    "it is a CTL formula and assumes `{}`; NuSMV ignores COMPASSION when it checks CTL",
                    show::requirement(&instance.system, requirement)
                ),
                instead: "say it in LTL if it can be said there".to_owned(),
            });
        }
        let defined = definedness(instance, &kind, &requirements)?;
        // Writes the specification once, so that anything else that cannot be expressed is refused here.
        let smv = Smv { instance, naming, ahead: false };
        let (mut record, context) = (Record::default(), FormulaContext::default());
        claims::specification(&smv, &mut record, &kind, context)?;
        for requirement in &requirements {
            claims::constraint(&smv, &mut record, requirement, context)?;
        }
        Ok(Claim { task, title, kind, requirements, defined })
    }
}

struct Model<'a> {
    instance: &'a Instance,
    naming: &'a Naming,
    /// Per action.
    effects: Vec<Effect>,
    requirements: Vec<Requirement>,
}

impl Model<'_> {
    fn text(&self, claims: &[Claim], refused: &[(String, Refusal)]) -> Result<String, Refusal> {
        let smv = Smv { instance: self.instance, naming: self.naming, ahead: false };
        let stepping = Smv { ahead: true, ..smv };
        let broken = self.effects.iter().flat_map(|effect| &effect.faults);
        let broken: Vec<String> = broken.map(|fault| truth(&smv, fault)).collect::<Result<_, _>>()?;
        let undefined = claims.first().map_or(&[][..], |claim| &claim.defined[..]);
        let branching = claims.iter().any(|claim| matches!(claim.kind, Kind::Ctl(_)));
        let context = FormulaContext {
            out: branching && !self.requirements.is_empty(),
            fault: !broken.is_empty() || !undefined.is_empty(),
        };
        let mut record = Record::default();
        let mut constraints = String::new();
        for requirement in &self.requirements {
            let constraint = claims::constraint(&smv, &mut record, requirement, context)?;
            let shown = show::requirement(&self.instance.system, requirement);
            let _ = writeln!(constraints, "-- {shown}\n{constraint};");
        }
        let mut specifications = String::new();
        for claim in claims {
            let (keyword, formula) = claims::specification(&smv, &mut record, &claim.kind, context)?;
            let shown = show::kind(&self.instance.system, &claim.task.property.kind);
            let _ = writeln!(
                specifications,
                "\n-- {}: {shown}\n{keyword} NAME {} := {formula};",
                claim.task.property.name, claim.title
            );
        }
        let mut text = self.header(refused);
        text += &self.variables(&record, context);
        text += &self.definitions(&smv, &broken)?;
        text += "\nASSIGN\n";
        for act in self.naming.acts.values() {
            let _ = writeln!(text, "  init({}) := off;", act.name);
        }
        text += &self.cells(&stepping)?;
        for (number, (_, predicate)) in record.0.iter().enumerate() {
            let bit = claims::name(number);
            let _ = writeln!(text, "  init({bit}) := FALSE;\n  next({bit}) := {predicate};");
        }
        if context.fault {
            let mut parts = vec!["fault".to_owned()];
            parts.extend((!broken.is_empty()).then(|| "broken".to_owned()));
            for condition in undefined {
                parts.push(format!("!{}", truth(&stepping, condition)?));
            }
            let _ = writeln!(text, "  init(fault) := FALSE;\n  next(fault) := {};", joined(&parts, "|", ""));
        }
        if context.out {
            text += "  init(out) := FALSE;\n  next(out) := (out ? TRUE : {FALSE, TRUE});\n";
        }
        text += &self.constraints(&smv, !broken.is_empty())?;
        if !constraints.is_empty() {
            text += "\n";
            text += &constraints;
        }
        text += &specifications;
        Ok(text)
    }

    /// A comment: what the file is, how to run it, and which properties are missing.
    fn header(&self, refused: &[(String, Refusal)]) -> String {
        let name = &self.instance.system.name;
        let mut text = format!(
            "-- {name}, exported by Fairly for NuSMV.\n--\n\
             -- NuSMV {name}.smv      checks every specification; it is true if the property holds\n"
        );
        if !refused.is_empty() {
            text += "--\n-- Not in this file:\n";
            for (name, refusal) in refused {
                let _ = writeln!(text, "-- {name}: {}", refusal.reason);
            }
        }
        text += "\nMODULE main\n";
        text
    }

    fn variables(&self, record: &Record, context: FormulaContext) -> String {
        let mut text = "\nVAR\n".to_owned();
        for variable in order::order(self.instance, &self.effects) {
            match variable {
                Variable::Act(process) => {
                    let Some(Act { name, values }) = self.naming.acts.get(&process) else { continue };
                    let of = &self.instance.processes[process].name;
                    let values = values.join(", ");
                    let _ = writeln!(text, "  {name} : {{off, {values}}}; -- what {of} did in the last step");
                }
                Variable::Cell(number) => {
                    let (cell, name) = (&self.instance.cells[number], &self.naming.cells[number]);
                    if is_constant(cell) {
                        continue;
                    }
                    let kind = if is_bool(self.instance, cell.variable) {
                        "boolean".to_owned()
                    } else {
                        format!("{}..{}", cell.domain.lo, cell.domain.hi)
                    };
                    let _ = writeln!(text, "  {name} : {kind}; -- {}", cell.name);
                }
            }
        }
        for (number, (predicate, _)) in record.0.iter().enumerate() {
            let shown = show::expression(&self.instance.system, predicate);
            let _ = writeln!(text, "  {} : boolean; -- of the last step: {shown}", claims::name(number));
        }
        if context.fault {
            text += "  fault : boolean; -- a value has left its range, or the like\n";
        }
        if context.out {
            text += "  out : boolean; -- the run is no longer one of the system's\n";
        }
        text
    }

    /// Constants, the conditions for the step of a deadlock, and how many processes have acted: `_acted3` says that one
    /// of the first three has, `_clash3` that two of them have. Defining each by the one before keeps the text short.
    fn definitions(&self, smv: &Smv, broken: &[String]) -> Result<String, Refusal> {
        let mut text = "\nDEFINE\n".to_owned();
        for (name, value) in self.naming.constants(self.instance) {
            let _ = writeln!(text, "  {name} := {value};");
        }
        for (cell, name) in self.instance.cells.iter().zip(&self.naming.cells) {
            if is_constant(cell) {
                let value = smv.value(cell.variable, cell.domain.lo);
                let _ = writeln!(text, "  {name} := {value}; -- {}", cell.name);
            }
        }
        let guards = self.effects.iter().map(|effect| truth(smv, &effect.enabled));
        let enabled = guards.collect::<Result<Vec<_>, _>>()?.join("\n    | ");
        let enabled = if enabled.is_empty() { "FALSE" } else { &enabled };
        let _ = writeln!(text, "  stuck := !({enabled});");
        if !broken.is_empty() {
            let _ = writeln!(text, "  broken := {};", broken.join("\n    | "));
        }
        for (before, Act { name, .. }) in self.naming.acts.values().enumerate() {
            let now = before + 1;
            let _ = match before {
                0 => writeln!(text, "  _acted1 := ({name} != off);\n  _clash1 := FALSE;"),
                _ => writeln!(
                    text,
                    "  _acted{now} := (_acted{before} | ({name} != off));\n  \
                     _clash{now} := (_clash{before} | (_acted{before} & ({name} != off)));"
                ),
            };
        }
        Ok(text)
    }

    /// The initial and next values of all cells.
    fn cells(&self, smv: &Smv) -> Result<String, Refusal> {
        let mut text = String::new();
        for (number, cell) in self.instance.cells.iter().enumerate() {
            if is_constant(cell) {
                continue;
            }
            let name = &self.naming.cells[number];
            if let Start::Among(values) = &self.instance.starts[number] {
                let values: Vec<String> = values.iter().map(|v| smv.value(cell.variable, *v)).collect();
                let values =
                    if values.len() == 1 { values.concat() } else { format!("{{{}}}", values.join(", ")) };
                let _ = writeln!(text, "  init({name}) := {values};");
            }
            // Outcomes that write the same value share a case.
            let mut cases: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
            for (action, effect) in self.effects.iter().enumerate() {
                for (place, outcome) in effect.outcomes.iter().enumerate() {
                    let taken = (action, place);
                    if !outcome.writes.iter().any(|(place, _)| place.variable == cell.variable) {
                        continue;
                    }
                    let written = self.next(smv, number, &after(self.instance, number, &outcome.writes))?;
                    if written == *name {
                        continue;
                    }
                    match cases.iter_mut().find(|(known, _)| *known == written) {
                        Some((_, outcomes)) => outcomes.push(taken),
                        None => cases.push((written, vec![taken])),
                    }
                }
            }
            if cases.is_empty() {
                let _ = writeln!(text, "  next({name}) := {name};");
                continue;
            }
            let _ = writeln!(text, "  next({name}) := case");
            for (written, outcomes) in cases {
                let _ = writeln!(text, "      {} : {written};", smv.among(&outcomes));
            }
            let _ = writeln!(text, "      TRUE : {name};\n    esac;");
        }
        Ok(text)
    }

    /// A value for a cell. Where it does not fit, the cell keeps its value; no step does that.
    fn next(&self, smv: &Smv, cell: usize, written: &Expr) -> Result<String, Refusal> {
        let (Cell { variable, domain, .. }, name) = (&self.instance.cells[cell], &self.naming.cells[cell]);
        let text = value(smv, *variable, written)?;
        Ok(match between(self.instance, written, domain.lo, domain.hi)? {
            Expr::Bool(true) => text,
            fits => (Smv::SIGNS.conditional)(&truth(smv, &fits)?, &text, name),
        })
    }

    /// The constraints on the initial states and on the steps.
    fn constraints(&self, smv: &Smv, may_break: bool) -> Result<String, Refusal> {
        let mut text = String::new();
        let initial = initial(self.instance)?;
        if initial != Expr::Bool(true) {
            let _ = writeln!(text, "\nINIT {};", truth(smv, &initial)?);
        }
        let processes = self.naming.acts.len();
        if processes > 0 {
            let idle = if may_break { "stuck | broken" } else { "stuck" };
            let _ =
                writeln!(text, "\nTRANS !next(_clash{processes});\nTRANS next(_acted{processes}) | {idle};");
        }
        let ahead = Smv { ahead: true, ..*smv };
        for (action, effect) in self.effects.iter().enumerate() {
            for (place, outcome) in effect.outcomes.iter().enumerate() {
                let (taken, condition) = (ahead.among(&[(action, place)]), truth(smv, &outcome.condition)?);
                let _ = writeln!(text, "TRANS {taken} -> {condition};");
            }
        }
        Ok(text)
    }
}

/// Whether a cell has only one value. To `NuSMV` it is then not a variable and may not be assigned.
fn is_constant(cell: &Cell) -> bool {
    cell.domain.lo == cell.domain.hi
}
