//! Translates a property process: an automaton that reads the states of the system and accepts the runs that violate the
//! property.
//!
//! It takes one transition with every step of the system. A guard is about the state before the step, so it becomes a
//! proposition of an automaton that our language claims to accept no run. A run is accepted if the process is in a
//! state of every accepting set infinitely often: the edges that leave such a state carry the mark of the set.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::{Item, ItemKind, Members, Proposition};
use model::Automaton;
use model::automaton::{Cube, Edge};

use super::expressions::Translator;
use super::names::Names;
use super::processes::is_plain;
use super::syntax::Process;
use crate::tree::{declaration, name};

/// The claim of a property process, and its automaton.
pub(super) fn property(
    process: &Process,
    names: &Names,
) -> Result<(Item, Automaton<String>), Box<Diagnostic>> {
    let span = process.name.span;
    let scope = names.process(&process.name)?;
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, state) in process.states.iter().enumerate() {
        numbers.insert(&state.text, number);
    }
    let number = |state: &lang::syntax::Name| scope.state(state).map(|_| numbers[state.text.as_str()]);
    let Some(initial) = &process.initial else {
        return Err(Diagnostic::error(span, "this process has no initial state", "`init` is missing").into());
    };
    let mut accepting: Vec<Vec<usize>> = Vec::new();
    for set in &process.accepting {
        accepting.push(set.iter().map(number).collect::<Result<_, _>>()?);
    }
    if accepting.is_empty() {
        accepting.push(Vec::new());
    }
    let mut propositions: Vec<Proposition> = Vec::new();
    let mut states = vec![Vec::new(); process.states.len()];
    for transition in &process.transitions {
        if !is_plain(transition) {
            let message = "a property process only observes: it has guards, but no messages and effects";
            return Err(Diagnostic::error(transition.span, message, "not this").into());
        }
        let (from, target) = (number(&transition.from)?, number(&transition.to)?);
        let mut cube = Cube::default();
        for guard in &transition.guards {
            let meaning = Translator { names, scope: Some(scope), outside: true }.truth(guard)?;
            let same = propositions.iter().position(|known| known.meaning == meaning);
            let atom = same.unwrap_or_else(|| {
                let called = name(format!("guard{}", propositions.len() + 1), guard.span);
                propositions.push(Proposition { name: called, meaning });
                propositions.len() - 1
            });
            if let Err(place) = cube.positive.binary_search(&atom) {
                cube.positive.insert(place, atom);
            }
        }
        let marks = (0..accepting.len()).filter(|set| accepting[*set].contains(&from)).collect();
        states[from].push(Edge { cube, marks, target });
    }
    let atoms = propositions.iter().map(|proposition| proposition.name.text.clone()).collect();
    let automaton = Automaton { atoms, initial: vec![number(initial)?], states, marks: accepting.len() };
    let claim = ItemKind::Never {
        name: name(scope.called.clone(), span),
        family: Members::default(),
        file: name(scope.called.clone(), span),
        propositions,
        under: None,
        expect: None,
    };
    Ok((declaration(claim, span), automaton))
}
