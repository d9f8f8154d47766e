//! Properties that are automata: how they are loaded, and what their propositions stand for.

#[allow(dead_code)] // only a part of it is used here
use std::cell::Cell;
use std::sync::Arc;

use lang::{Loaded, load_with};
use model::automaton::{Automaton, Cube, Edge};
use model::property::Kind;
use model::show;

use crate::said;

const WORLD: &str =
    "const N = 2; shared x: 0..3; process P[i: 1..N] { local v: bool; try: skip; crit: skip; }
    define high = x > 2; define later = F high;";

/// Some automaton with three propositions.
fn automaton() -> Automaton<String> {
    let edge = |atom: usize, target: usize| Edge {
        cube: Cube { positive: vec![atom], negative: Vec::new() },
        marks: vec![0],
        target,
    };
    Automaton {
        atoms: ["a", "busy", "c > 0"].map(str::to_owned).to_vec(),
        initial: vec![0],
        states: vec![vec![edge(0, 1)], vec![edge(1, 0), edge(2, 1)]],
        marks: 1,
    }
}

fn loaded(text: &str) -> Loaded {
    load_with("test", text, &[], &|file| match file {
        "bad.hoa" => Ok(automaton()),
        "none.hoa" => Ok(Automaton::nothing(Vec::new())),
        _ => Err(format!("{file}, line 3: this is no automaton")),
    })
}

/// The diagnostics of a property.
fn said(property: &str) -> Vec<String> {
    let text = format!("{WORLD} {property}");
    said::said_of(&text, loaded(&text))
}

/// The claims of a text without errors.
fn claims(property: &str) -> Vec<String> {
    let loaded = loaded(&format!("{WORLD} {property}"));
    let model = loaded.model.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
    let claim = |check: &lang::Check| show::kind(model.system(), &check.task.property.kind);
    model.checks.iter().map(claim).collect()
}

#[test]
fn propositions_stand_for_conditions_like_the_atoms_of_ltl() {
    assert_eq!(
        claims(
            "property p: never automaton \"bad.hoa\" with \"c > 0\" = high, busy = enabled(P.try) && x == 1, a = taken(P[1]) expect holds;"
        ),
        [
            "never automaton \"bad.hoa\" with a = taken(P[1]), busy = enabled(P.try) && x == 1, \"c > 0\" = x > 2"
        ]
    );
    assert_eq!(claims("property p: never automaton \"none.hoa\";"), ["never automaton \"none.hoa\""]);
}

#[test]
fn the_members_of_a_family_share_the_automaton_and_have_their_own_meanings() {
    let loaded = loaded(&format!(
        "{WORLD} property p[i: 1..N]: never automaton \"bad.hoa\" with a = P[i]@try, busy = i == 2, \"c > 0\" = P[i].v under weak P[i];"
    ));
    let model = loaded.model.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
    let shared: Vec<_> = (model.checks.iter())
        .map(|check| match &check.task.property.kind {
            Kind::Never(never) => Arc::clone(&never.automaton),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(shared.len(), 2);
    assert!(Arc::ptr_eq(&shared[0], &shared[1]) && *shared[0] == automaton());
    assert_eq!(
        show::kind(model.system(), &model.checks[1].task.property.kind),
        "never automaton \"bad.hoa\" with a = P[2]@try, busy = true, \"c > 0\" = P[2].v"
    );
    assert_eq!(show::fairness(model.system(), &model.checks[1].task.fairness), "weak P[2]");
    assert_eq!(model.checks[1].task.property.name.to_string(), "p[2]");
}

#[test]
fn every_proposition_needs_a_meaning_and_every_meaning_a_proposition() {
    assert_eq!(
        said("property p: never automaton \"bad.hoa\" with buzy = high, a = x > 1, a = x > 2, q_ = x > 0;"),
        [
            "«\"bad.hoa\"» the automaton speaks of `busy`, `c > 0`, which has no meaning here | every proposition \
             needs a meaning | help: say what it stands for after `with`: `busy = …`",
            "«buzy» the automaton has no proposition `buzy` | it is not in the file | help: did you mean `busy`?",
            "«a» the proposition `a` has two meanings | again here | «a» first here",
            "«q_» the automaton has no proposition `q_` | it is not in the file | help: it has `a`, `busy`, `c > 0`",
        ]
    );
    assert_eq!(
        said("property p: never automaton \"none.hoa\" with a = high;"),
        ["«a» the automaton has no proposition `a` | it is not in the file | help: it has none"]
    );
}

#[test]
fn a_meaning_is_a_condition_without_temporal_operators() {
    assert_eq!(
        said("property p: never automaton \"bad.hoa\" with a = F high, busy = later, \"c > 0\" = x + 1;"),
        [
            "«F high» `F` is about runs, but a proposition is about one state | a temporal operator | «later» used here | help: \
             temporal operators are allowed in properties",
            "«F high» `F` is about runs, but a proposition is about one state | a temporal operator | help: temporal operators \
             are allowed in properties",
            "«x + 1» expected a truth value, found a number | this is a number",
        ]
    );
}

#[test]
fn a_file_that_cannot_be_used_is_blamed_where_it_is_named_and_asked_for_once() {
    let said = said("property p: never automaton \"no.hoa\" with a = nothing;");
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(
        said[0],
        "«\"no.hoa\"» no.hoa, line 3: this is no automaton | expected an automaton in the Hanoi format"
    );
    let asked = Cell::new(0);
    let text = format!("{WORLD} {}", "property p: never automaton \"no.hoa\";\n".repeat(10));
    let loaded = load_with("test", &text, &[], &|_| {
        asked.set(asked.get() + 1);
        Err("gone".to_owned())
    });
    assert!(loaded.model.is_none());
    assert_eq!(asked.get(), 1);
    let strange = said::said("property p: never automaton \"\u{1b}[31m\";");
    assert!(strange[0].contains("this is not the name of a file"), "{strange:?}");
    assert!(
        said::said("property p: never automaton \"bad.hoa\";")[0].contains("there are no files here"),
        "without a way to files there are none"
    );
}
