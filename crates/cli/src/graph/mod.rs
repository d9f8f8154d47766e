//! `fairly graph`: the state graph of a small model as a picture, with fair components and a counterexample marked.
//!
//! Steps between the same two states are drawn as one, with all their actions. An SVG picture needs no other program;
//! DOT is for Graphviz and for larger graphs. Of a model whose parameter has no value, the abstract system is drawn.

mod dot;
mod svg;

use std::ffi::OsStr;
use std::fs;

use driver::graph;
use driver::graph::{EXPLORED, LassoPart, NoGraph, StateGraph};
use driver::report::{Binding, Value};

use crate::arguments::GraphArguments;
use crate::exit::Exit;
use crate::limits::{self, Limits};
use crate::load::load;
use crate::progress::Meter;
use crate::screen::{Screen, complain};
use crate::sources::Source;
use crate::world::in_world;

/// The greatest number of states of an SVG picture.
const DRAWN: usize = 150;

/// The greatest number of states of a DOT file.
const WRITTEN: usize = 2_000;

/// Runs the command.
pub(crate) fn run(arguments: &GraphArguments) -> Exit {
    let limits = Limits::new(None, None);
    limits::catch_interrupts();
    let source = arguments.file.as_ref().map_or_else(|| Ok(Source::example()), |path| Source::read(path));
    let Some((source, model)) = load(source, &arguments.set) else { return Exit::BadInput };
    let property = match &arguments.property {
        None => None,
        Some(name) => {
            let names = || model.checks.iter().map(|check| &check.task.property.name);
            let first = names().find(|known| driver::selected(std::slice::from_ref(name), known));
            if first.is_none()
                && let Some(message) = driver::unknown_property(std::slice::from_ref(name), &[&model])
            {
                complain(&message);
                return Exit::BadInput;
            }
            first
        }
    };
    let output = arguments.output.as_deref();
    let is_svg = match output.map(|path| path.extension().and_then(OsStr::to_str).unwrap_or_default()) {
        Some("svg") => true,
        Some("dot" | "gv") | None => false,
        Some(_) => {
            complain("the name of the picture ends in .svg or .dot");
            return Exit::BadInput;
        }
    };
    let most = if is_svg { DRAWN } else { WRITTEN };
    let drawn = in_world(&limits, &Meter::new(), 1, |world| {
        graph::graph(&model, property, &arguments.on, most, world)
    });
    let graph = match drawn {
        Ok(graph) => graph,
        Err(NoGraph::Problem(problem)) => {
            complain(&format!("{}: {problem}", source.path));
            return Exit::BadInput;
        }
        Err(NoGraph::NoName(name, near)) => {
            let near = near.map_or_else(
                || "name variables as x, f[2] or P[1].y, locations as P[1]@ or P@".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            complain(&format!("{}: there is no `{name}` to project to; {near}", source.path));
            return Exit::BadInput;
        }
        Err(NoGraph::TooLarge) => {
            let what = if arguments.on.is_empty() { "states" } else { "nodes" };
            let instead =
                if is_svg { format!(", or write up to {WRITTEN} {what} as .dot") } else { String::new() };
            let project = if arguments.on.is_empty() {
                "choose smaller values with --set, or some variables with --on"
            } else {
                "choose fewer variables with --on"
            };
            complain(&format!(
                "{} has more than {most} {what}, too many to draw; {project}{instead}",
                source.path
            ));
            return Exit::Undecided;
        }
        Err(NoGraph::TooMuch) => {
            complain(&format!(
                "{} has more than {EXPLORED} states, too many to look at; choose smaller values with --set",
                source.path
            ));
            return Exit::Undecided;
        }
        Err(NoGraph::Abstract(why)) => {
            complain(&format!("{}: {why}; choose values with --set", source.path));
            return Exit::Undecided;
        }
        Err(NoGraph::Stopped) => {
            complain("interrupted");
            return Exit::Undecided;
        }
    };
    let text = if is_svg { svg::picture(&graph, &source.path) } else { dot::text(&graph, &source.path) };
    match output {
        None => {
            Screen::new().show(&text);
            Exit::Fine
        }
        Some(path) => match fs::write(path, text) {
            Ok(()) => Exit::Fine,
            Err(error) => {
                complain(&format!("cannot write {}: {error}", path.display()));
                Exit::BadInput
            }
        },
    }
}

/// All steps between two states.
struct Link {
    from: usize,
    to: usize,
    actions: Vec<String>,
    part: Option<LassoPart>,
}

/// The steps of a graph, grouped by source and target, in the order of first appearance.
fn links(graph: &StateGraph) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for step in &graph.steps {
        // The steps that leave a state are adjacent.
        let known =
            links.iter_mut().rev().take_while(|link| link.from == step.from).find(|link| link.to == step.to);
        match known {
            Some(link) => {
                // Name marked steps first.
                if step.part.is_some() {
                    link.actions.insert(0, step.action.clone());
                } else {
                    link.actions.push(step.action.clone());
                }
                link.part = link.part.max(step.part);
            }
            None => links.push(Link {
                from: step.from,
                to: step.to,
                actions: vec![step.action.clone()],
                part: step.part,
            }),
        }
    }
    links
}

/// A state in a few short lines: where the processes are, then the variables.
fn lines(graph: &StateGraph, state: usize) -> Vec<String> {
    let bindings = &graph.states[state];
    let located = |binding: &&Binding| binding.located().is_some();
    let locations: Vec<String> =
        bindings.iter().filter(located).map(|binding| binding.value.to_string()).collect();
    let values: Vec<String> = bindings
        .iter()
        .filter(|binding| !located(binding))
        .map(|binding| match &binding.value {
            Value::Bool(true) => binding.name(),
            Value::Bool(false) => format!("¬{}", binding.name()),
            value => format!("{}={value}", binding.name()),
        })
        .collect();
    let mut lines = Vec::new();
    if !locations.is_empty() {
        lines.push(locations.join(" · "));
    }
    for chunk in values.chunks(4).take(2) {
        lines.push(chunk.join(" "));
    }
    if values.len() > 8 {
        lines.push("…".to_owned());
    }
    lines
}

/// The whole state.
fn in_full(graph: &StateGraph, state: usize) -> String {
    graph.states[state].iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
