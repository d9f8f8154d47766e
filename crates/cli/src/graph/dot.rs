//! A state graph in the language of Graphviz.

use std::fmt::Write;

use driver::graph::{LassoPart, StateGraph};

use super::{in_full, lines, links};

/// The text for `dot`.
pub(super) fn text(graph: &StateGraph, title: &str) -> String {
    let mut text = "digraph states {\n".to_owned();
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "  label={}; labelloc=t; fontname=\"sans-serif\";", quoted(title));
    text += "  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#aeb7bd\", fontname=\"sans-serif\", fontsize=11];\n";
    text += "  edge [color=\"#8a949b\", fontname=\"sans-serif\", fontsize=9];\n";
    for state in 0..graph.states.len() {
        let mut attributes = format!(
            "label={}, tooltip={}",
            quoted(&lines(graph, state).join("\n")),
            quoted(&in_full(graph, state))
        );
        if graph.fair[state] {
            attributes += ", fillcolor=\"#e8f1fa\"";
        }
        if graph.faulty.contains(&state) {
            attributes += ", fillcolor=\"#fbeae8\", color=\"#b3372b\"";
        }
        if graph.levels[state] == 0 {
            attributes += ", penwidth=2, color=\"#1d2429\"";
        }
        let _ = writeln!(text, "  s{state} [{attributes}];");
    }
    for link in links(graph) {
        let part = match link.part {
            None => "",
            Some(LassoPart::Stem) => ", color=\"#2563a8\", penwidth=2.5",
            Some(LassoPart::Cycle) => ", color=\"#6b4fb3\", penwidth=2.5",
        };
        let _ = writeln!(
            text,
            "  s{} -> s{} [label={}{part}];",
            link.from,
            link.to,
            quoted(&link.actions.join("\n"))
        );
    }
    text + "}\n"
}

/// A quoted text that keeps its line breaks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
