//! Shows automata as text and as Graphviz drawings.

use std::fmt::Write;

use model::automaton::{Automaton, Cube, Edge};

use crate::strength::Strength;

/// An automaton as text: its size and strength, then each state with its edges. Edges with the same marks and target
/// share a line. `atoms` has the names of the atoms, in order.
pub fn text(automaton: &Automaton, atoms: &[String]) -> String {
    let edges: usize = automaton.states.iter().map(Vec::len).sum();
    let mut text = format!(
        "{}, {}, {}, {}\n",
        counted(automaton.states.len(), "state"),
        counted(edges, "edge"),
        counted(automaton.marks, "mark"),
        Strength::of(automaton).name()
    );
    for (state, edges) in automaton.states.iter().enumerate() {
        let initial = if automaton.initial.contains(&state) { " (initial)" } else { "" };
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "state {state}{initial}");
        let lines = lines(edges, atoms);
        let width = lines.iter().map(|(label, ..)| label.chars().count()).max().unwrap_or(0);
        for (label, marks, target) in lines {
            let marks = braced(marks);
            let _ = writeln!(text, "    {label:width$} -> {target}{marks}");
        }
    }
    text
}

/// An automaton as a Graphviz graph. `atoms` has the names of the atoms, in order.
pub fn dot(automaton: &Automaton, name: &str, atoms: &[String]) -> String {
    let mut text = format!("digraph {} {{\n    rankdir=LR;\n    node [shape=circle];\n", quoted(name));
    for state in &automaton.initial {
        let _ = writeln!(text, "    start{state} [shape=point, label=\"\"];\n    start{state} -> {state};");
    }
    for (state, edges) in automaton.states.iter().enumerate() {
        let _ = writeln!(text, "    {state};");
        for (label, marks, target) in lines(edges, atoms) {
            let marks = braced(marks);
            let _ = writeln!(text, "    {state} -> {target} [label={}];", quoted(&(label + &marks)));
        }
    }
    text + "}\n"
}

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

fn braced(marks: &[usize]) -> String {
    marks.iter().fold(String::new(), |text, mark| text + &format!(" {{{mark}}}"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The label, marks and target of each edge; edges that differ only in their cubes are combined.
fn lines<'a>(edges: &'a [Edge], atoms: &[String]) -> Vec<(String, &'a [usize], usize)> {
    let mut lines: Vec<(String, &[usize], usize)> = Vec::new();
    for edge in edges {
        let cube = conjunction(&edge.cube, atoms);
        match lines.iter_mut().find(|line| line.1 == edge.marks && line.2 == edge.target) {
            Some((label, ..)) => {
                let _ = write!(label, " || {cube}");
            }
            None => lines.push((cube, &edge.marks, edge.target)),
        }
    }
    lines
}

fn conjunction(cube: &Cube, atoms: &[String]) -> String {
    let literal = |(atom, positive): (usize, bool)| {
        let name = &atoms[atom];
        let plain = name.chars().all(|c| c.is_alphanumeric() || "_.@[]()".contains(c));
        match (positive, plain) {
            (true, true) => name.clone(),
            (true, false) => format!("({name})"),
            (false, true) => format!("!{name}"),
            (false, false) => format!("!({name})"),
        }
    };
    let literals: Vec<String> = cube.literals().map(literal).collect();
    if literals.is_empty() { "true".to_owned() } else { literals.join(" && ") }
}
