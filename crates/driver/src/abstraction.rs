//! The abstract system in which a property is decided for every number of processes, as a model of our own language.
//!
//! Its only variable numbers the abstract states; a comment describes each in the user's names. Abstract steps are ways to
//! take an action. The fairness is that of the abstract system: each requirement is written as sets of steps, with a comment
//! that says what it means. So the model can be checked, drawn and exported like any other, and another engine or checker
//! gives a second opinion on the search. That the abstract system covers every number of processes rests on the counter
//! engine alone.

use std::collections::{BTreeMap, BTreeSet};

use ::engines::counter::{Required, Written};
use ::engines::{Counter, Explicit};
use lang::Model;
use model::property::Kind;
use model::show::Binding;
use model::system::{IndexName, Scalar};
use model::{Expr, Formula, Index, Name, Session, System, show};

use crate::ask::plan::EngineKind;
use crate::check::{self, Problem};
use crate::graph::{NoGraph, not_drawn};
use crate::world::World;

/// The model of the abstract system of the first property for which `is_chosen` is true and that the counter engine takes.
/// It has at most `most` states.
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
    let classes = Classes::new(written);
    let mut lines = states(system, name, written);
    classes.actions(&mut lines);
    fairness(written, &classes, &mut lines);
    property(system, name, written, &classes, &mut lines);
    lines.join("\n") + "\n"
}

/// What the model is, its states, and where runs begin.
fn states(system: &System, name: &Name, written: &Written) -> Vec<String> {
    let open = system.parameters.iter().map(|parameter| format!("{} >= {}", parameter.name, parameter.least));
    let open: Vec<String> = open.collect();
    let mut lines = vec![
        format!(
            "// The abstract system in which `{name}` of {} is decided for every {},",
            system.name,
            open.join(", ")
        ),
        "// written by `fairly export`.".to_owned(),
        "//".to_owned(),
        "// `#(s)` is the number of processes in the local state s; `1+` is one or more.".to_owned(),
        "//".to_owned(),
    ];
    let number = |(number, bindings): (usize, &Vec<Binding>)| {
        format!("//   {}: {}", number + 1, show::listed(bindings))
    };
    lines.extend(written.states.iter().enumerate().map(number));
    let initial: Vec<String> = written.initial.iter().map(|state| (state + 1).to_string()).collect();
    lines.push(String::new());
    lines.push(format!("shared at: 1..{} in {{{}}};", written.states.len(), initial.join(", ")));
    lines.push(String::new());
    lines
}

/// The requirements, each below a comment.
fn fairness(written: &Written, classes: &Classes<'_>, lines: &mut Vec<String>) {
    let mut number = 0;
    let mut define = |lines: &mut Vec<String>, set: &[bool]| {
        number += 1;
        classes.define(written, set, &format!("set{number}"), lines)
    };
    let mut alternatives = Vec::new();
    for required in &written.fairness {
        let mut all = Vec::new();
        for Required { says, when, then } in required {
            lines.push(String::new());
            lines.push(format!("// {says}"));
            let then = define(lines, then);
            all.push(match when {
                None => format!("justice ({then})"),
                Some(when) => format!("compassion ({}, {then})", define(lines, when)),
            });
        }
        alternatives.push(if all.is_empty() { "none".to_owned() } else { all.join("\n    & ") });
    }
    if !alternatives.is_empty() {
        lines.push(String::new());
        lines.push(format!("fairness {};", alternatives.join("\n  | ")));
    }
}

/// The property, with its atoms as sets of steps.
fn property(system: &System, name: &Name, written: &Written, classes: &Classes<'_>, lines: &mut Vec<String>) {
    let mut names = System::default();
    for (number, (atom, truth)) in written.atoms.iter().enumerate() {
        lines.push(String::new());
        lines.push(format!("// {}", show::expression(system, atom)));
        let name = classes.define(written, truth, &format!("p{number}"), lines);
        names.indices.push(IndexName { name, scalar: Scalar::Bool, demand: None });
    }
    let named = |atom: &Expr| {
        // Invariant: every atom of the property is listed.
        let place = written.atoms.iter().position(|(known, _)| known == atom).expect("a known atom");
        Expr::Index(Index(place as u32))
    };
    // A member of a family has an index in its name.
    let name = name.to_string().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let name = name.trim_end_matches('_');
    lines.push(String::new());
    lines.push(match &written.kind {
        Kind::Invariant(predicate) => {
            format!("invariant {name}: {};", show::expression(&names, &named(predicate)))
        }
        Kind::Ltl(formula) => {
            format!("property {name}: {};", show::formula(&names, &renamed(formula, &named)))
        }
        Kind::Ctl(_) | Kind::Never(_) => unreachable!("they are refused"),
    });
}

/// A formula with other atoms.
fn renamed(formula: &Formula, name: &dyn Fn(&Expr) -> Expr) -> Formula {
    match formula {
        Formula::Atom(atom) => Formula::Atom(name(atom)),
        other => other.map(&mut |part| renamed(part, name)),
    }
}

/// The actions of the model: abstract steps that belong to the same sets are ways to take one action, where sets do not
/// count to which all steps from their source belong.
struct Classes<'w> {
    /// Per class, the sources and targets of its steps, and what these steps mean.
    steps: Vec<BTreeMap<(usize, usize), BTreeSet<&'w str>>>,
    /// The class of each abstract step.
    of: Vec<usize>,
}

/// The states all of whose steps belong to a set, and those of which only some do.
fn sources(written: &Written, set: &[bool]) -> [BTreeSet<usize>; 2] {
    let (mut some, mut not_all) = (BTreeSet::new(), BTreeSet::new());
    for (step, belongs) in written.steps.iter().zip(set) {
        if *belongs {
            some.insert(step.from)
        } else {
            not_all.insert(step.from)
        };
    }
    [some.difference(&not_all).copied().collect(), some.intersection(&not_all).copied().collect()]
}

impl<'w> Classes<'w> {
    fn new(written: &'w Written) -> Classes<'w> {
        let atoms = written.atoms.iter().map(|(_, truth)| truth);
        let required = written.fairness.iter().flatten();
        let sets = atoms.chain(required.flat_map(|required| required.when.iter().chain([&required.then])));
        let sets: Vec<_> = sets.map(|set| (set, sources(written, set))).collect();
        let mut numbers: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut classes = Classes { steps: Vec::new(), of: Vec::new() };
        for (number, step) in written.steps.iter().enumerate() {
            let belongs = sets.iter().map(|(set, [_, mixed])| set[number] && mixed.contains(&step.from));
            let next = numbers.len();
            let class = *numbers.entry(belongs.collect()).or_insert(next);
            if class == next {
                classes.steps.push(BTreeMap::new());
            }
            classes.steps[class].entry((step.from, step.to)).or_default().insert(&step.name);
            classes.of.push(class);
        }
        classes
    }

    /// The process that takes the steps.
    fn actions(&self, lines: &mut Vec<String>) {
        lines.push("process System {".to_owned());
        for (number, steps) in self.steps.iter().enumerate() {
            lines.push(format!("    action c{number} {{"));
            for (place, ((from, to), names)) in steps.iter().enumerate() {
                let word = match (place, steps.len()) {
                    (_, 1) => "atomic",
                    (0, _) => "either",
                    _ => "or    ",
                };
                let names: Vec<&str> = names.iter().copied().collect();
                let step = format!("{word} {{ await at == {}; at = {}; }}", from + 1, to + 1);
                lines.push(format!("        {step}  // {}", names.join("; ")));
            }
            lines.push("    }".to_owned());
        }
        lines.push("}".to_owned());
    }

    /// Defines a set of steps: all those of some states, by a table, and some classes of steps of others. Returns the name.
    fn define(&self, written: &Written, set: &[bool], name: &str, lines: &mut Vec<String>) -> String {
        let [whole, mixed] = sources(written, set);
        let members = written.steps.iter().zip(set.iter().zip(&self.of));
        let members = members.filter(|(step, (belongs, _))| **belongs && mixed.contains(&step.from));
        let taken: BTreeSet<usize> = members.map(|(_, (_, class))| *class).collect();
        let mut parts = Vec::new();
        if whole.len() == written.states.len() {
            parts.push("true".to_owned());
        } else if !whole.is_empty() {
            let all: Vec<String> =
                (0..written.states.len()).map(|state| whole.contains(&state).to_string()).collect();
            lines.push(format!("const in_{name} = [{}];", all.join(", ")));
            parts.push(format!("in_{name}[at]"));
        }
        parts.extend(taken.iter().map(|class| format!("taken(System.c{class})")));
        if parts.is_empty() {
            parts.push("false".to_owned());
        }
        lines.push(format!("define {name} = {};", parts.join(" || ")));
        name.to_owned()
    }
}
