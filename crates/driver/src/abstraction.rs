//! The abstract system in which a property is decided for every number of processes, as a model of our own language.
//!
//! Its state is the number of an abstract state, which a comment describes in the user's names. Abstract steps are ways to take an action. The fairness
//! is that of the abstract system: each requirement is written as sets of steps, with a comment that says what it means. So the model can be checked, drawn and
//! exported like any other, and another engine or checker gives a second opinion on the search. The
//! counter engine must be believed that the abstract system covers every number of processes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ::engines::counter::{Required, Written};
use ::engines::{Counter, Explicit};
use lang::Model;
use model::property::Kind;
use model::system::{IndexName, Scalar};
use model::{Expr, Formula, Index, Name, Session, System, show};

use crate::ask::plan::EngineKind;
use crate::check::{self, Problem};
use crate::graph::{NoGraph, not_drawn};
use crate::world::World;

/// The model of the abstract system of the first property for which `is_chosen` is true and that the counter engine takes. It has at most `most`
/// states.
pub fn abstraction(
    model: &Model,
    is_chosen: &dyn Fn(&Name) -> bool,
    most: usize,
    world: &World<'_>,
) -> Result<String, NoGraph> {
    let mut refusals = Vec::new();
    for task in model.checks.iter().map(|check| &check.task).filter(|task| is_chosen(&task.property.name)) {
        let session = Session::new(world.stop, &|_| {}, world.memory, 1);
        let engine = Counter::new(Box::new(Explicit::default()));
        match engine.written(task, most, &session).map_err(not_drawn) {
            Ok(written) => return Ok(text(task.system(), &task.property.name, &written)),
            Err(Ok(no_graph)) => return Err(no_graph),
            Err(Err(refusal)) => refusals.push((EngineKind::Counter, refusal)),
        }
    }
    let why = check::missing_value(model, &refusals).filter(|_| !refusals.is_empty());
    Err(why.map_or_else(
        || NoGraph::Abstract("there is no property to count for".to_owned()),
        |why| NoGraph::Problem(Problem::NoValue(Box::new(why))),
    ))
}

/// The text of the model.
fn text(system: &System, name: &Name, written: &Written) -> String {
    let mut text = String::new();
    let open: Vec<String> = system
        .parameters
        .iter()
        .map(|parameter| format!("{} >= {}", parameter.name, parameter.least))
        .collect();
    let mut line = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    line(format!(
        "// The abstract system in which `{name}` of {} is decided for every {}, written by `fairly export`.",
        system.name,
        open.join(", ")
    ));
    line("//".to_owned());
    line("// `#(s)` is the number of processes in the local state s; `1+` is one or more.".to_owned());
    line("//".to_owned());
    for (number, bindings) in written.states.iter().enumerate() {
        line(format!("//   {number}: {}", show::listed(bindings)));
    }
    line(String::new());
    let initial: Vec<String> = written.initial.iter().map(usize::to_string).collect();
    let last = written.states.len().saturating_sub(1);
    line(format!("shared at: 0..{last} in {{{}}};", initial.join(", ")));
    line(String::new());
    let classes = Classes::new(written);
    line("process System {".to_owned());
    for (number, steps) in classes.steps.iter().enumerate() {
        line(format!("    action c{number} {{"));
        for (place, ((from, to), names)) in steps.iter().enumerate() {
            let word = match (place, steps.len()) {
                (_, 1) => "atomic",
                (0, _) => "either",
                _ => "or    ",
            };
            let names: Vec<&str> = names.iter().copied().collect();
            let names = names.join("; ");
            line(format!("        {word} {{ await at == {from}; at = {to}; }}  // {names}"));
        }
        line("    }".to_owned());
    }
    line("}".to_owned());
    let mut defined = 0;
    let mut define = |line: &mut dyn FnMut(String), set: &[bool]| {
        defined += 1;
        line(format!("define set{defined} = {};", classes.set(written, set)));
        format!("set{defined}")
    };
    let mut alternatives = Vec::new();
    for required in &written.fairness {
        let mut all = Vec::new();
        for Required { says, when, then } in required {
            line(String::new());
            line(format!("// {says}"));
            let then = define(&mut line, then);
            all.push(match when {
                None => format!("justice ({then})"),
                Some(when) => format!("compassion ({}, {then})", define(&mut line, when)),
            });
        }
        alternatives.push(if all.is_empty() { "none".to_owned() } else { all.join("\n    & ") });
    }
    if !alternatives.is_empty() {
        line(String::new());
        line(format!("fairness {};", alternatives.join("\n  | ")));
    }
    line(String::new());
    let mut names = System::default();
    for (number, (atom, truth)) in written.atoms.iter().enumerate() {
        line(format!(
            "define p{number} = {};  // {}",
            classes.set(written, truth),
            show::expression(system, atom)
        ));
        names.indices.push(IndexName { name: format!("p{number}"), scalar: Scalar::Bool, demand: None });
    }
    line(String::new());
    let named = |atom: &Expr| {
        let place = written.atoms.iter().position(|(known, _)| known == atom).unwrap_or_default();
        Expr::Index(Index(place as u32))
    };
    // A member of a family has an index in its name.
    let name = name.to_string().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let name = name.trim_end_matches('_');
    match &written.kind {
        Kind::Invariant(predicate) => {
            line(format!("invariant {name}: {};", show::expression(&names, &named(predicate))));
        }
        Kind::Ltl(formula) => {
            line(format!("property {name}: {};", show::formula(&names, &renamed(formula, &named))));
        }
        Kind::Ctl(_) | Kind::Never(_) => unreachable!("they are refused"),
    }
    text
}

/// A formula with other atoms.
fn renamed(formula: &Formula, name: &dyn Fn(&Expr) -> Expr) -> Formula {
    match formula {
        Formula::Atom(atom) => Formula::Atom(name(atom)),
        other => other.map(&mut |part| renamed(part, name)),
    }
}

/// The actions of the model: of abstract steps that belong to the same sets each is one way to take an action.
struct Classes<'w> {
    /// Per class, the sources and targets of its steps, and what these steps mean.
    steps: Vec<BTreeMap<(usize, usize), BTreeSet<&'w str>>>,
    /// The class of each abstract step.
    of: Vec<usize>,
}

impl<'w> Classes<'w> {
    fn new(written: &'w Written) -> Classes<'w> {
        let atoms = written.atoms.iter().map(|(_, truth)| truth);
        let required = written.fairness.iter().flatten();
        let sets: Vec<&Vec<bool>> =
            atoms.chain(required.flat_map(|required| required.when.iter().chain([&required.then]))).collect();
        let mut numbers: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut classes = Classes { steps: Vec::new(), of: Vec::new() };
        for (number, step) in written.steps.iter().enumerate() {
            let next = numbers.len();
            let class = *numbers.entry(sets.iter().map(|set| set[number]).collect()).or_insert(next);
            if class == next {
                classes.steps.push(BTreeMap::new());
            }
            classes.steps[class].entry((step.from, step.to)).or_default().insert(&step.name);
            classes.of.push(class);
        }
        classes
    }

    /// A set of steps as an expression: all those of some states, or some classes.
    fn set(&self, written: &Written, set: &[bool]) -> String {
        let (mut some, mut not_all) = (BTreeSet::new(), BTreeSet::new());
        for (step, belongs) in written.steps.iter().zip(set) {
            if *belongs {
                some.insert(step.from)
            } else {
                not_all.insert(step.from)
            };
        }
        if some.is_empty() {
            return "false".to_owned();
        }
        if some.is_disjoint(&not_all) {
            let states: Vec<String> = some.iter().map(usize::to_string).collect();
            return format!("at in {{{}}}", states.join(", "));
        }
        let classes: BTreeSet<usize> =
            self.of.iter().zip(set).filter(|(_, belongs)| **belongs).map(|(class, _)| *class).collect();
        let taken: Vec<String> = classes.iter().map(|class| format!("taken(System.c{class})")).collect();
        taken.join(" || ")
    }
}
