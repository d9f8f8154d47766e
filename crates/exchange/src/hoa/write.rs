//! Writes an automaton.
//!
//! There is one line per edge. Properties are only claimed if they were checked: complete and deterministic by the
//! labels, terminal and weak by the [strength](Strength).

use std::fmt::Write;

use model::automaton::{Automaton, Cube};

use automata::Strength;
use automata::cubes::{is_covered, meet};

/// An automaton in the Hanoi format. `propositions` has the names of its atoms, in order.
pub fn write(automaton: &Automaton, name: &str, propositions: &[String]) -> String {
    assert_eq!(propositions.len(), automaton.atoms.len(), "one name for each atom");
    // Writing to a string does not fail, here and below.
    let mut text = format!("HOA: v1\nname: {}\nStates: {}\n", quoted(name), automaton.states.len());
    for state in &automaton.initial {
        let _ = writeln!(text, "Start: {state}");
    }
    let _ = write!(text, "AP: {}", propositions.len());
    for proposition in propositions {
        let _ = write!(text, " {}", quoted(proposition));
    }
    let sets: Vec<String> = (0..automaton.marks).map(|mark| format!("Inf({mark})")).collect();
    let _ = match automaton.marks {
        0 => write!(text, "\nacc-name: all\nAcceptance: 0 t"),
        1 => write!(text, "\nacc-name: Buchi\nAcceptance: 1 Inf(0)"),
        marks => {
            write!(text, "\nacc-name: generalized-Buchi {marks}\nAcceptance: {marks} {}", sets.join("&"))
        }
    };
    let _ = write!(text, "\nproperties: trans-labels explicit-labels trans-acc");
    if is_complete(automaton) {
        text += " complete";
    }
    if is_deterministic(automaton) {
        text += " deterministic";
    }
    match Strength::of(automaton) {
        Strength::Terminal => text += " terminal",
        Strength::Weak => text += " weak",
        Strength::Strong => {}
    }
    text += "\n--BODY--\n";
    for (state, edges) in automaton.states.iter().enumerate() {
        let _ = writeln!(text, "State: {state}");
        for edge in edges {
            let _ = write!(text, "[{}] {}", label(&edge.cube), edge.target);
            if !edge.marks.is_empty() {
                let marks: Vec<String> = edge.marks.iter().map(usize::to_string).collect();
                let _ = write!(text, " {{{}}}", marks.join(" "));
            }
            text.push('\n');
        }
    }
    text + "--END--\n"
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

fn label(cube: &Cube) -> String {
    let literals: Vec<String> = cube
        .literals()
        .map(|(atom, positive)| if positive { atom.to_string() } else { format!("!{atom}") })
        .collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

/// Whether there is a run on every word.
fn is_complete(automaton: &Automaton) -> bool {
    !automaton.initial.is_empty()
        && automaton.states.iter().all(|edges| {
            is_covered(&Cube::default(), &edges.iter().map(|edge| &edge.cube).collect::<Vec<_>>())
        })
}

/// Whether there is at most one run on each word.
fn is_deterministic(automaton: &Automaton) -> bool {
    automaton.initial.len() <= 1
        && automaton.states.iter().all(|edges| {
            edges
                .iter()
                .enumerate()
                .all(|(k, edge)| edges[..k].iter().all(|other| !meet(&edge.cube, &other.cube)))
        })
}
