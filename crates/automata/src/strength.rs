//! How much of an emptiness check an automaton needs.
//!
//! An automaton is *weak* if in each of its strong components either every cycle is accepting or none is. Then a strong
//! component of a product is accepting iff its automaton part is, and marks can be ignored. It is *terminal* if, in
//! addition, a run that has entered an accepting component can go on with any letter and remain in accepting components
//! for ever. Then everything after that is accepted, and emptiness is reachability. All other automata are *strong*
//! [RDKP13].

use model::automaton::{Automaton, Cube};

use crate::acceptance::{has_cycle_without, is_accepting};
use crate::components::Components;
use crate::cubes::is_covered;

/// The strength of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// A run that has reached an accepting component is accepted.
    Terminal,
    /// A run is accepting iff it remains in an accepting component.
    Weak,
    /// Marks must be counted.
    Strong,
}

impl Strength {
    /// The strength of an automaton. An automaton without states is terminal.
    pub fn of(automaton: &Automaton) -> Strength {
        let components = Components::new(automaton);
        let members = components.members();
        let accepting: Vec<bool> =
            members.iter().map(|members| is_accepting(automaton, &components, members)).collect();
        let mut strength = Strength::Terminal;
        for members in members.iter().enumerate().filter(|(number, _)| accepting[*number]).map(|(_, m)| m) {
            if (0..automaton.marks).any(|mark| has_cycle_without(automaton, &components, members, mark)) {
                return Strength::Strong;
            }
            let complete = |state: &usize| {
                let edges =
                    automaton.states[*state].iter().filter(|edge| accepting[components.of[edge.target]]);
                is_covered(&Cube::default(), &edges.map(|edge| &edge.cube).collect::<Vec<_>>())
            };
            if !members.iter().all(complete) {
                strength = Strength::Weak;
            }
        }
        strength
    }

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Terminal => "terminal",
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        }
    }
}

/// Per state, whether its component has an accepting run.
pub fn accepting_states(automaton: &Automaton) -> Vec<bool> {
    let components = Components::new(automaton);
    let accepting: Vec<bool> =
        components.members().iter().map(|members| is_accepting(automaton, &components, members)).collect();
    components.of.iter().map(|component| accepting[*component]).collect()
}

#[cfg(test)]
mod tests {
    use model::{Expr, Formula};

    use super::*;
    use crate::translate;

    fn strength(formula: &Formula) -> Strength {
        Strength::of(&translate(formula, &|_| false).expect("never asked to give up"))
    }

    #[test]
    fn guarantees_are_terminal_safety_and_persistence_weak_recurrence_strong() {
        let p = || Box::new(Formula::Atom(Expr::eq(Expr::Int(0), Expr::Int(1))));
        let q = || Box::new(Formula::Atom(Expr::eq(Expr::Int(0), Expr::Int(2))));
        assert_eq!(strength(&Formula::Finally(p())), Strength::Terminal);
        assert_eq!(strength(&Formula::Until(p(), q())), Strength::Terminal);
        assert_eq!(strength(&Formula::Globally(p())), Strength::Weak);
        assert_eq!(strength(&Formula::Finally(Box::new(Formula::Globally(p())))), Strength::Weak);
        assert_eq!(strength(&Formula::Globally(Box::new(Formula::Finally(p())))), Strength::Strong);
        assert_eq!(strength(&Formula::Atom(Expr::Bool(true))), Strength::Terminal);
        assert_eq!(strength(&Formula::Atom(Expr::Bool(false))), Strength::Terminal);
    }
}
