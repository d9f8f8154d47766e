//! Properties: invariants, LTL with state and event atoms, CTL, and automata that must accept no fair run.
//!
//! `invariant p` claims `p` of every reachable state. An LTL formula is claimed of every fair run; its atoms
//! may be event predicates (`taken`), which are judged on the step that leaves a position. Its past operators look at
//! the positions from the first one to this one, and their operands have no operators of the future. A CTL formula is
//! claimed of every initial state; its path quantifiers range over fair runs, its atoms are state predicates. Of CTL\* it
//! also has `E (GF a && GF b)` and `A FG a`, the only formulas that are not made of the others and that engines decide.
//! Maximal parts without temporal operators are single atoms. An automaton is claimed to accept no fair run; it reads
//! the positions of a run as letters, each of which makes some atoms true. An automaton that must accept every fair
//! run is not offered, because checking it needs a complement.

use std::sync::Arc;

use crate::automaton::Automaton;
use crate::expr::{Binder, Expr};

/// The name of a property: `mutex`, or `access[1]` for a member of a family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// The declared name.
    pub family: String,
    /// The values of the family's indices for this member; empty for the whole declaration.
    pub member: Vec<i64>,
    /// How values that are members of an enum are written; the others, and all after the last of them, are numbers.
    pub written: Vec<Option<String>>,
}

impl Name {
    /// The name of a member of the family with this name.
    #[must_use]
    pub fn member(&self, values: &[i64]) -> Name {
        let mut name = self.clone();
        name.member.extend(values);
        name
    }

    /// The name of a member whose index is a member of an enum.
    #[must_use]
    pub fn named_member(&self, value: i64, written: &str) -> Name {
        let mut name = self.member(&[value]);
        name.written.resize(self.member.len(), None);
        name.written.push(Some(written.to_owned()));
        name
    }
}

impl From<&str> for Name {
    /// The name of a whole declaration.
    fn from(family: &str) -> Name {
        Name { family: family.to_owned(), ..Name::default() }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.family)?;
        self.member.iter().enumerate().try_for_each(|(number, value)| match self.written.get(number) {
            Some(Some(written)) => write!(f, "[{written}]"),
            _ => write!(f, "[{value}]"),
        })
    }
}

/// A named claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: Name,
    /// If not empty, the claim is made for all values of these: a family of properties of a parameterised
    /// system, whose members cannot be listed.
    pub binders: Vec<Binder>,
    /// What is claimed.
    pub kind: Kind,
}

impl Property {
    /// Whether another property is literally the same claim; its name does not matter.
    pub fn claims_the_same_as(&self, other: &Property) -> bool {
        self.binders == other.binders && self.kind == other.kind
    }
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

impl Kind {
    /// Whether it is a claim about all fair runs, so that it stays true if fewer runs are fair.
    pub fn is_of_all_runs(&self) -> bool {
        match self {
            Kind::Invariant(_) | Kind::Ltl(_) | Kind::Never(_) => true,
            Kind::Ctl(formula) => formula.of_all_runs().is_some(),
        }
    }

    /// The atoms of the claim, in the order they are written.
    pub fn atoms(&self) -> Vec<&Expr> {
        match self {
            Kind::Invariant(predicate) => vec![predicate],
            Kind::Ltl(formula) => formula.atoms(),
            Kind::Ctl(formula) => formula.atoms(),
            Kind::Never(never) => never.atoms.iter().collect(),
        }
    }
}

/// An automaton that accepts the runs that must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Never {
    /// The file it comes from, as the user names it.
    pub file: String,
    /// The automaton, over the names of its propositions; shared by the members of a family.
    pub automaton: Arc<Automaton<String>>,
    /// The step predicate that each proposition stands for. All are evaluated at every position, even if the
    /// automaton does not test them.
    pub atoms: Vec<Expr>,
}

/// A linear-time formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A step predicate: about the state and the step that leaves it.
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
    /// `Y a`: at the position before; false at the first position.
    Previous(Box<Formula>),
    /// `O a`: now or before.
    Once(Box<Formula>),
    /// `H a`: now and always before.
    Historically(Box<Formula>),
    /// `a S b`: `b` now or before, and `a` since then.
    Since(Box<Formula>, Box<Formula>),
    /// The conjunction over the values of an index.
    Forall(Binder, Box<Formula>),
    /// The disjunction over the values of an index.
    Exists(Binder, Box<Formula>),
}

impl Formula {
    /// The formula with each direct part replaced. An atom has none.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Formula) -> Formula) -> Formula {
        match self {
            Formula::Atom(_) => self.clone(),
            Formula::Not(a) => Formula::Not(Box::new(f(a))),
            Formula::And(parts) => Formula::And(parts.iter().map(f).collect()),
            Formula::Or(parts) => Formula::Or(parts.iter().map(f).collect()),
            Formula::Implies(a, b) => Formula::Implies(Box::new(f(a)), Box::new(f(b))),
            Formula::Next(a) => Formula::Next(Box::new(f(a))),
            Formula::Finally(a) => Formula::Finally(Box::new(f(a))),
            Formula::Globally(a) => Formula::Globally(Box::new(f(a))),
            Formula::Until(a, b) => Formula::Until(Box::new(f(a)), Box::new(f(b))),
            Formula::WeakUntil(a, b) => Formula::WeakUntil(Box::new(f(a)), Box::new(f(b))),
            Formula::Release(a, b) => Formula::Release(Box::new(f(a)), Box::new(f(b))),
            Formula::Previous(a) => Formula::Previous(Box::new(f(a))),
            Formula::Once(a) => Formula::Once(Box::new(f(a))),
            Formula::Historically(a) => Formula::Historically(Box::new(f(a))),
            Formula::Since(a, b) => Formula::Since(Box::new(f(a)), Box::new(f(b))),
            Formula::Forall(binder, body) => Formula::Forall(binder.clone(), Box::new(f(body))),
            Formula::Exists(binder, body) => Formula::Exists(binder.clone(), Box::new(f(body))),
        }
    }

    /// The formula as a state predicate, if it has no temporal operators and no events.
    pub fn as_predicate(&self) -> Option<Expr> {
        let all = |parts: &[Formula]| parts.iter().map(Formula::as_predicate).collect::<Option<Vec<_>>>();
        match self {
            Formula::Atom(atom) => {
                (!atom.any(&mut |part| matches!(part, Expr::Taken(_)))).then(|| atom.clone())
            }
            Formula::Not(a) => a.as_predicate().map(Expr::negated),
            Formula::And(parts) => all(parts).map(Expr::And),
            Formula::Or(parts) => all(parts).map(Expr::Or),
            Formula::Implies(a, b) => {
                Some(Expr::Or(vec![Expr::negated(a.as_predicate()?), b.as_predicate()?]))
            }
            _ => None,
        }
    }

    /// Whether this ground formula, with `A` before every temporal operator, is true in a state without fair runs.
    /// The LTL formula itself is.
    pub fn is_true_without_runs(&self) -> bool {
        match self {
            Formula::Atom(_) | Formula::Not(_) => false,
            Formula::And(parts) => parts.iter().all(Formula::is_true_without_runs),
            Formula::Or(parts) => parts.iter().any(Formula::is_true_without_runs),
            Formula::Implies(_, b) => b.is_true_without_runs(),
            _ => true,
        }
    }

    /// Whether it has an operator of the future.
    pub fn looks_ahead(&self) -> bool {
        match self {
            Formula::Atom(_) => false,
            Formula::Not(a)
            | Formula::Previous(a)
            | Formula::Once(a)
            | Formula::Historically(a)
            | Formula::Forall(_, a)
            | Formula::Exists(_, a) => a.looks_ahead(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::looks_ahead),
            Formula::Implies(a, b) | Formula::Since(a, b) => a.looks_ahead() || b.looks_ahead(),
            Formula::Next(_)
            | Formula::Finally(_)
            | Formula::Globally(_)
            | Formula::Until(..)
            | Formula::WeakUntil(..)
            | Formula::Release(..) => true,
        }
    }

    /// Its atoms, from left to right.
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
                | Formula::Previous(a)
                | Formula::Once(a)
                | Formula::Historically(a)
                | Formula::Forall(_, a)
                | Formula::Exists(_, a) => pending.push(a),
                Formula::And(parts) | Formula::Or(parts) => pending.extend(parts.iter().rev()),
                Formula::Implies(a, b)
                | Formula::Until(a, b)
                | Formula::WeakUntil(a, b)
                | Formula::Release(a, b)
                | Formula::Since(a, b) => pending.extend([b, a].map(|part| &**part)),
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
    /// `A (GF a && …)`, `E (GF a && …)`: each of these infinitely often.
    Infinitely(Paths, Vec<Ctl>),
    /// The conjunction over the values of an index.
    Forall(Binder, Box<Ctl>),
    /// The disjunction over the values of an index.
    Exists(Binder, Box<Ctl>),
}

impl Ctl {
    /// The formula with each direct part replaced. An atom has none.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Ctl) -> Ctl) -> Ctl {
        match self {
            Ctl::Atom(_) => self.clone(),
            Ctl::Not(a) => Ctl::Not(Box::new(f(a))),
            Ctl::And(parts) => Ctl::And(parts.iter().map(f).collect()),
            Ctl::Or(parts) => Ctl::Or(parts.iter().map(f).collect()),
            Ctl::Implies(a, b) => Ctl::Implies(Box::new(f(a)), Box::new(f(b))),
            Ctl::Next(paths, a) => Ctl::Next(*paths, Box::new(f(a))),
            Ctl::Finally(paths, a) => Ctl::Finally(*paths, Box::new(f(a))),
            Ctl::Globally(paths, a) => Ctl::Globally(*paths, Box::new(f(a))),
            Ctl::Until(paths, a, b) => Ctl::Until(*paths, Box::new(f(a)), Box::new(f(b))),
            Ctl::WeakUntil(paths, a, b) => Ctl::WeakUntil(*paths, Box::new(f(a)), Box::new(f(b))),
            Ctl::Infinitely(paths, parts) => Ctl::Infinitely(*paths, parts.iter().map(f).collect()),
            Ctl::Forall(binder, body) => Ctl::Forall(binder.clone(), Box::new(f(body))),
            Ctl::Exists(binder, body) => Ctl::Exists(binder.clone(), Box::new(f(body))),
        }
    }

    /// The atoms, in the order they are written.
    pub fn atoms(&self) -> Vec<&Expr> {
        match self {
            Ctl::Atom(atom) => vec![atom],
            Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => a.atoms(),
            Ctl::And(parts) | Ctl::Or(parts) | Ctl::Infinitely(_, parts) => {
                parts.iter().flat_map(Ctl::atoms).collect()
            }
            Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
                a.atoms().into_iter().chain(b.atoms()).collect()
            }
            Ctl::Forall(_, body) | Ctl::Exists(_, body) => body.atoms(),
        }
    }

    /// A linear-time formula that every fair run from a state satisfies if this formula is true in the state. So a
    /// run that violates it refutes this formula. It exists if, with negations pushed inwards, all path quantifiers
    /// are `A`; it is the formula without them. The converse need not be true: `F G p` does not imply `AF AG p`.
    pub fn of_all_runs(&self) -> Option<Formula> {
        self.linear(true)
    }

    /// The linear-time formula that every fair run from a state satisfies if and only if this formula is true in the
    /// state. There is one if this formula, with negations pushed inwards, is made of `l` below and each `l` in its
    /// outermost conjunction has a path quantifier. `p` is a formula without path quantifiers.
    ///
    /// ```text
    /// l = p | l && l | p || l | AX l | AG l | AF p | A[l U p] | A[l W p]
    /// ```
    ///
    /// Then it is the formula without the quantifiers. By induction over `l` this is so in every state from which some
    /// fair run begins. For `p` that is clear. For `AX l`, `AG l`, `A[l U p]` and `A[l W p]` take a fair run and a
    /// position at which `l` is to be true; for the latter two, one before the first `p`. A fair run from there,
    /// after the beginning of the first, is a fair run, and `p` is as late on it. So all fair runs from there satisfy
    /// the linear form of `l` if all fair runs from the first state satisfy that of the whole. If no fair run begins in
    /// a state, everything with a path quantifier is true there, and every linear formula is satisfied by all of them.
    pub fn as_linear(&self) -> Option<Formula> {
        (self.is_linear(true) && self.is_quantified(true)).then(|| self.of_all_runs()).flatten()
    }

    /// Whether it has no path quantifier.
    fn is_predicate(&self) -> bool {
        match self {
            Ctl::Atom(_) => true,
            Ctl::Not(a) | Ctl::Forall(_, a) | Ctl::Exists(_, a) => a.is_predicate(),
            Ctl::And(parts) | Ctl::Or(parts) => parts.iter().all(Ctl::is_predicate),
            Ctl::Implies(a, b) => a.is_predicate() && b.is_predicate(),
            Ctl::Next(..)
            | Ctl::Finally(..)
            | Ctl::Globally(..)
            | Ctl::Until(..)
            | Ctl::WeakUntil(..)
            | Ctl::Infinitely(..) => false,
        }
    }

    /// Whether the formula or, if not `positive`, its negation is an `l` of [`Ctl::as_linear`]. That all quantifiers are
    /// `A` is left to [`Ctl::of_all_runs`].
    fn is_linear(&self, positive: bool) -> bool {
        let is_conjunction = matches!(self, Ctl::And(_) | Ctl::Forall(..)) == positive;
        match self {
            Ctl::Atom(_) => true,
            _ if self.is_predicate() => true,
            Ctl::Not(a) => a.is_linear(!positive),
            Ctl::And(parts) | Ctl::Or(parts) => {
                let others = parts.iter().filter(|part| !part.is_predicate()).count();
                parts.iter().all(|part| part.is_linear(positive)) && (is_conjunction || others <= 1)
            }
            Ctl::Implies(a, b) => {
                let one_side = a.is_predicate() || b.is_predicate();
                a.is_linear(!positive) && b.is_linear(positive) && (one_side || !positive)
            }
            Ctl::Next(_, a) | Ctl::Globally(Paths::All, a) | Ctl::Finally(Paths::Some, a) => {
                a.is_linear(positive)
            }
            Ctl::Finally(_, a) | Ctl::Globally(_, a) => a.is_predicate(),
            Ctl::Until(Paths::All, a, b) | Ctl::WeakUntil(Paths::All, a, b) => {
                a.is_linear(positive) && b.is_predicate()
            }
            Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => a.is_predicate() && b.is_predicate(),
            // Without quantifiers inside, it is the linear formula with one in front.
            Ctl::Infinitely(_, parts) => parts.iter().all(Ctl::is_predicate),
            Ctl::Forall(_, a) | Ctl::Exists(_, a) => is_conjunction && a.is_linear(positive),
        }
    }

    /// Whether each part of the outermost conjunction of the formula or, if not `positive`, of its negation has a path
    /// quantifier.
    fn is_quantified(&self, positive: bool) -> bool {
        match self {
            Ctl::Not(a) => a.is_quantified(!positive),
            Ctl::And(parts) if positive => parts.iter().all(|part| part.is_quantified(true)),
            Ctl::Or(parts) if !positive => parts.iter().all(|part| part.is_quantified(false)),
            Ctl::Implies(a, b) if !positive => a.is_quantified(true) && b.is_quantified(false),
            Ctl::Forall(_, a) if positive => a.is_quantified(true),
            Ctl::Exists(_, a) if !positive => a.is_quantified(false),
            other => !other.is_predicate(),
        }
    }

    /// Whether it has an `E GF a` or an `A FG a`.
    pub fn is_beyond_ctl(&self) -> bool {
        match self {
            Ctl::Atom(_) => false,
            Ctl::Infinitely(..) => true,
            Ctl::Not(a)
            | Ctl::Next(_, a)
            | Ctl::Finally(_, a)
            | Ctl::Globally(_, a)
            | Ctl::Forall(_, a)
            | Ctl::Exists(_, a) => a.is_beyond_ctl(),
            Ctl::And(parts) | Ctl::Or(parts) => parts.iter().any(Ctl::is_beyond_ctl),
            Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
                a.is_beyond_ctl() || b.is_beyond_ctl()
            }
        }
    }

    /// For `AG a`: the formula `a`.
    pub fn everywhere(&self) -> Option<Ctl> {
        match self {
            Ctl::Globally(Paths::All, a) => Some((**a).clone()),
            Ctl::Not(a) => match &**a {
                Ctl::Finally(Paths::Some, a) => Some(Ctl::Not(a.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same for the formula or, if not `positive`, for its negation.
    fn linear(&self, positive: bool) -> Option<Formula> {
        let of = |part: &Ctl| part.linear(positive).map(Box::new);
        let all = |parts: &[Ctl]| parts.iter().map(|part| part.linear(positive)).collect::<Option<Vec<_>>>();
        // The negation of a claim about some run is a claim about all runs.
        let is_of_all = |paths: Paths| (paths == Paths::All) == positive;
        Some(match self {
            Ctl::Atom(atom) if positive => Formula::Atom(atom.clone()),
            Ctl::Atom(atom) => Formula::Not(Box::new(Formula::Atom(atom.clone()))),
            Ctl::Not(a) => a.linear(!positive)?,
            Ctl::And(parts) if positive => Formula::And(all(parts)?),
            Ctl::Or(parts) if !positive => Formula::And(all(parts)?),
            Ctl::And(parts) | Ctl::Or(parts) => Formula::Or(all(parts)?),
            Ctl::Implies(a, b) if positive => Formula::Or(vec![a.linear(false)?, b.linear(true)?]),
            Ctl::Implies(a, b) => Formula::And(vec![a.linear(true)?, b.linear(false)?]),
            Ctl::Next(paths, _)
            | Ctl::Finally(paths, _)
            | Ctl::Globally(paths, _)
            | Ctl::Until(paths, ..)
            | Ctl::WeakUntil(paths, ..)
            | Ctl::Infinitely(paths, _)
                if !is_of_all(*paths) =>
            {
                return None;
            }
            Ctl::Next(_, a) => Formula::Next(of(a)?),
            Ctl::Finally(_, a) if positive => Formula::Finally(of(a)?),
            Ctl::Globally(_, a) if !positive => Formula::Finally(of(a)?),
            Ctl::Finally(_, a) | Ctl::Globally(_, a) => Formula::Globally(of(a)?),
            Ctl::Until(_, a, b) if positive => Formula::Until(of(a)?, of(b)?),
            Ctl::Until(_, a, b) => Formula::Release(of(a)?, of(b)?),
            Ctl::WeakUntil(_, a, b) if positive => Formula::WeakUntil(of(a)?, of(b)?),
            Ctl::WeakUntil(_, a, b) => {
                let neither = Formula::And(vec![a.linear(false)?, b.linear(false)?]);
                Formula::Until(of(b)?, Box::new(neither))
            }
            Ctl::Infinitely(_, parts) => {
                let again = |part: Formula| Formula::Globally(Box::new(Formula::Finally(Box::new(part))));
                let at_last = |part: Formula| Formula::Finally(Box::new(Formula::Globally(Box::new(part))));
                let part = |part: Formula| if positive { again(part) } else { at_last(part) };
                let parts = all(parts)?.into_iter().map(part).collect();
                if positive { Formula::And(parts) } else { Formula::Or(parts) }
            }
            Ctl::Forall(binder, body) if positive => Formula::Forall(binder.clone(), of(body)?),
            Ctl::Exists(binder, body) if !positive => Formula::Forall(binder.clone(), of(body)?),
            Ctl::Forall(binder, body) | Ctl::Exists(binder, body) => {
                Formula::Exists(binder.clone(), of(body)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(number: i64) -> Ctl {
        Ctl::Atom(Expr::Int(number))
    }

    #[test]
    fn a_claim_of_all_runs_has_a_linear_form_and_a_claim_of_some_has_none() {
        let p = || Formula::Atom(Expr::Int(1));
        let finally = Ctl::Globally(Paths::All, Box::new(Ctl::Finally(Paths::All, Box::new(atom(1)))));
        let expected = Formula::Globally(Box::new(Formula::Finally(Box::new(p()))));
        assert_eq!(finally.of_all_runs(), Some(expected));
        assert_eq!(Ctl::Finally(Paths::Some, Box::new(atom(1))).of_all_runs(), None);
        let mixed = Ctl::Globally(Paths::All, Box::new(Ctl::Finally(Paths::Some, Box::new(atom(1)))));
        assert_eq!(mixed.of_all_runs(), None);
    }

    #[test]
    fn a_linear_form_is_equivalent_only_where_runs_can_be_joined() {
        let all = |make: fn(Paths, Box<Ctl>) -> Ctl, a: Ctl| make(Paths::All, Box::new(a));
        let (p, q) = (|| atom(1), || atom(2));
        let response = all(Ctl::Globally, Ctl::Implies(Box::new(p()), Box::new(all(Ctl::Finally, q()))));
        assert_eq!(response.as_linear(), response.of_all_runs());
        assert!(response.as_linear().is_some());
        let never = Ctl::Not(Box::new(Ctl::Finally(Paths::Some, Box::new(p()))));
        assert!(never.as_linear().is_some());
        // `F G p` may be true of every run where `AF AG p` is not, and `F p || F q` where neither `AF p` nor `AF q` is.
        let stable = all(Ctl::Finally, all(Ctl::Globally, p()));
        let either = Ctl::Or(vec![all(Ctl::Finally, p()), all(Ctl::Finally, q())]);
        // No fair run may begin in the initial state; then it still matters whether `p` is true there.
        let here = Ctl::And(vec![p(), all(Ctl::Globally, q())]);
        for other in [stable, either, here, p(), all(Ctl::Globally, Ctl::Finally(Paths::Some, Box::new(p())))]
        {
            assert_eq!(other.as_linear(), None, "{other:?}");
        }
    }

    #[test]
    fn what_is_claimed_of_every_state_stands_behind_the_quantifier() {
        let never = Ctl::Not(Box::new(Ctl::Finally(Paths::Some, Box::new(atom(1)))));
        assert_eq!(never.everywhere(), Some(Ctl::Not(Box::new(atom(1)))));
        assert_eq!(Ctl::Globally(Paths::All, Box::new(atom(1))).everywhere(), Some(atom(1)));
        assert_eq!(Ctl::Globally(Paths::Some, Box::new(atom(1))).everywhere(), None);
    }

    #[test]
    fn a_negated_claim_of_some_run_is_a_claim_of_all() {
        let not = |a: Formula| Box::new(Formula::Not(Box::new(a)));
        let (p, q) = (Formula::Atom(Expr::Int(1)), Formula::Atom(Expr::Int(2)));
        let never = Ctl::Not(Box::new(Ctl::Finally(Paths::Some, Box::new(atom(1)))));
        assert_eq!(never.of_all_runs(), Some(Formula::Globally(not(p.clone()))));
        let until = Ctl::Not(Box::new(Ctl::Until(Paths::Some, Box::new(atom(1)), Box::new(atom(2)))));
        assert_eq!(until.of_all_runs(), Some(Formula::Release(not(p.clone()), not(q.clone()))));
        let weak = Ctl::Not(Box::new(Ctl::WeakUntil(Paths::Some, Box::new(atom(1)), Box::new(atom(2)))));
        let neither = Formula::And(vec![*not(p), *not(q.clone())]);
        assert_eq!(weak.of_all_runs(), Some(Formula::Until(not(q), Box::new(neither))));
    }
}
