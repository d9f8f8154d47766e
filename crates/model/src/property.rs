//! Properties: invariants, LTL with state and event atoms, CTL, and automata that accept what must not happen.
//!
//! `invariant p` claims `p` of every reachable state. An LTL formula is claimed of every fair run; its atoms
//! may be event predicates (`taken`), which are judged on the step that leaves a position. A CTL formula is
//! claimed of every initial state; its path quantifiers range over fair runs, its atoms are state predicates.
//! Maximal parts without temporal operators are single atoms. An automaton is claimed to accept no fair run: a run is
//! read as the word of its positions, each of which makes some atoms true. An automaton that accepts what should
//! happen is not offered, because to check it one would have to complement it.

use std::sync::Arc;

use crate::automaton::Automaton;
use crate::expr::{Binder, Expr};

/// A named claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name; a member of a family of properties is called like `access[1]`.
    pub name: String,
    /// If not empty, the claim is made for all values of these: a family of properties of a parameterised
    /// system, whose members cannot be listed.
    pub binders: Vec<Binder>,
    /// What is claimed.
    pub kind: Kind,
}

/// What a property claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A state predicate of every reachable state.
    Invariant(Expr),
    /// A linear-time formula of every fair run.
    Ltl(Formula),
    /// A branching-time formula of every initial state.
    Ctl(Ctl),
    /// That an automaton accepts no fair run.
    Never(Never),
}

/// An automaton that accepts what must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Never {
    /// The file it comes from, as the user names it.
    pub file: String,
    /// The automaton, over the names of its propositions; shared by the members of a family.
    pub automaton: Arc<Automaton<String>>,
    /// What each proposition stands for: a step predicate, of the state and the step that leaves it. They are all
    /// evaluated at every position, whatever the automaton asks for.
    pub atoms: Vec<Expr>,
}

/// A linear-time formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A step predicate, of the state and the step that leaves it.
    Atom(Expr),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
    /// Implication.
    Implies(Box<Formula>, Box<Formula>),
    /// `X a`: at the next position.
    Next(Box<Formula>),
    /// `F a`: now or later.
    Finally(Box<Formula>),
    /// `G a`: from now on.
    Globally(Box<Formula>),
    /// `a U b`: `b` now or later, and `a` until then.
    Until(Box<Formula>, Box<Formula>),
    /// `a W b`: `a U b` or `G a`.
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `a R b`: `b` up to and including the first `a`, or for ever.
    Release(Box<Formula>, Box<Formula>),
    /// The conjunction over the values of an index.
    Forall(Binder, Box<Formula>),
    /// The disjunction over the values of an index.
    Exists(Binder, Box<Formula>),
}

impl Formula {
    /// Its atoms, in the order in which they stand.
    pub fn atoms(&self) -> Vec<&Expr> {
        let mut atoms = Vec::new();
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            match formula {
                Formula::Atom(atom) => atoms.push(atom),
                Formula::Not(a)
                | Formula::Next(a)
                | Formula::Finally(a)
                | Formula::Globally(a)
                | Formula::Forall(_, a)
                | Formula::Exists(_, a) => pending.push(a),
                Formula::And(parts) | Formula::Or(parts) => pending.extend(parts.iter().rev()),
                Formula::Implies(a, b)
                | Formula::Until(a, b)
                | Formula::WeakUntil(a, b)
                | Formula::Release(a, b) => pending.extend([b, a].map(|part| &**part)),
            }
        }
        atoms
    }
}

/// A quantifier over fair runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paths {
    /// `A`: every fair run from here.
    All,
    /// `E`: some fair run from here.
    Some,
}

/// A branching-time formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ctl {
    /// A state predicate.
    Atom(Expr),
    /// Negation.
    Not(Box<Ctl>),
    /// Conjunction.
    And(Vec<Ctl>),
    /// Disjunction.
    Or(Vec<Ctl>),
    /// Implication.
    Implies(Box<Ctl>, Box<Ctl>),
    /// `AX a`, `EX a`.
    Next(Paths, Box<Ctl>),
    /// `AF a`, `EF a`.
    Finally(Paths, Box<Ctl>),
    /// `AG a`, `EG a`.
    Globally(Paths, Box<Ctl>),
    /// `A[a U b]`, `E[a U b]`.
    Until(Paths, Box<Ctl>, Box<Ctl>),
    /// `A[a W b]`, `E[a W b]`.
    WeakUntil(Paths, Box<Ctl>, Box<Ctl>),
    /// The conjunction over the values of an index.
    Forall(Binder, Box<Ctl>),
    /// The disjunction over the values of an index.
    Exists(Binder, Box<Ctl>),
}
