//! Sure sets: diagrams of states in which the parts of a CTL formula are true, and why.
//!
//! The formula is written in the [core](Core) of CTL. An existential subformula occurs positively, or negated, or both
//! ([`claims`] lists them with their signs, inner before outer). Each of these claims has a [`Sure`] set of states in
//! which it is true; there may be more such states. A set is *sure* of any other part of the formula if that follows:
//! of `a && b` if it is sure of both, of `!(a && b)` if each of its states is in a set that is sure of `!a` or of `!b`.
//! `θ` is the invariant of the proof, and all sets are meant within it. `fair` and `unfair` are the sets that are sure
//! of `EG true` and of `!EG true`; if every run is fair, all states and none.
//!
//! Let `S` be the set of a claim, and `A` and `B` its [parts](Sure::parts), which must be sure of the subformulas `a`
//! and `b`, or of their negations if the claim is negated.
//!
//! | claim | premises |
//! | --- | --- |
//! | `EX a` | `A` lies in `fair`; [moves](Move) lead from all of `S` to `A`, each in one step. |
//! | `E[a U b]` | `B` lies in `fair`; moves lead from all of `S` to `B` and begin in `A`. |
//! | `EG a` | Moves lead from all of `S` to the union of the [havens](Haven) and begin in `A`; havens lie in `A`. |
//! | `!EX a` | Every step from `S` ends in `A` or in `unfair`. |
//! | `!E[a U b]` | `S` lies in `B ∪ unfair` and in `A ∪ I`, where `I` is [`Sure::inner`]; every step from `I` ends in `S`. |
//! | `!EG a` | Every step from `S \ A` ends in `S ∪ A`. For each alternative of the fairness, [eliminations](Elimination) as in premise 8 of [local proofs](super::local) remove all of `S`, where `S` is `reached`, all is one part of an automaton with one state that accepts everything, and `A` is removed from the beginning. |
//!
//! At last the initial states are in a set that is sure of the formula.
//!
//! *Moves* lead to a goal in the order in which they are listed: each state of [`Move::from`] has the step of its move,
//! which ends in the goal or in `from` of an earlier move. So a path leads from each of them to the goal. A step is given by
//! an action and a [way](crate::ground::ways) to resolve its choices, so that there is one target.
//!
//! A *haven* `H` is a set in which a run can stay for ever and meet one alternative of the fairness. Let `V` be the
//! requirements that it [avoids](Haven::avoided). An *edge* is a step from `H` to `H` that satisfies no `when` of `V`.
//! For each requirement that is not in `V`, moves along edges lead from all of `H` to an edge that satisfies its `then`
//! (if there is no such requirement, to any edge). If the alternative is `global`, every step from `H` is an edge.
//!
//! **Why this proves the formula.** `EX`, `E[a U b]`, `!EX` and `!E[a U b]` are immediate: a run is fair iff the rest of
//! it is, and numbers of moves become smaller. `EG`: from any state of a haven follow the moves to an edge with `then` of
//! the first requirement that is not avoided, then to one of the second, and so on, again and again. The run stays in
//! `H`, satisfies each such `then` infinitely often and no `when` of the others, so it meets the alternative. If that is
//! `global`, there is a strong component in `H` that no step of the system leaves, since no step leaves `H` and `H` is
//! finite. A run that takes each of its steps infinitely often is strongly globally fair; and since moves lead from its
//! states to an edge with `then` of each requirement that is not avoided, that edge is one of these steps. `!EG`: a fair run
//! from a state of `S` that never visits `A` stays in `S \ A`, and eliminations show, as for local proofs, that it does not.

use super::local::{Demand, Elimination, Root};
use crate::expr::Expr;
use crate::labelling::Core;

/// A set of states in which a claim is true.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Sure {
    /// `S`.
    pub set: Root,
    /// `A`; for `E[a U b]`, `A` and `B`.
    pub parts: Vec<Root>,
    /// For a claim that is not negated.
    pub moves: Vec<Move>,
    /// Only for `EG a`.
    pub havens: Vec<Haven>,
    /// `I`, only for `!E[a U b]`.
    pub inner: Root,
    /// Only for `!EG a`: one list per alternative of the fairness.
    pub eliminations: Vec<Vec<Elimination>>,
}

/// States that have a step by an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The states.
    pub from: Root,
    /// The action, by position in [`Instance::actions`](crate::Instance::actions); their number for `idle`.
    pub action: usize,
    /// The way to resolve its choices, by position in [`ground::ways`](crate::ground::ways).
    pub way: usize,
    /// Only in a haven: whether this is an edge that satisfies `then`, and not one on the way there.
    pub meets: bool,
}

/// States among which a fair run can stay for ever.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Haven {
    /// The alternative of the fairness that the run meets, by position.
    pub alternative: usize,
    /// The requirements whose `when` the run avoids.
    pub avoided: Vec<Demand>,
    /// `H`.
    pub set: Root,
    /// For each requirement that is not avoided, how the run gets to `then`; with `None`, how it goes on at all.
    pub goals: Vec<(Option<Demand>, Vec<Move>)>,
}

/// An existential subformula, and whether it is claimed to be true or to be false.
pub type Claim = (Core, bool);

/// The claims that a formula is made of, inner before outer, each once. If not every run is fair, those about `EG true` that
/// are needed come first. `None` if the formula is beyond CTL.
pub fn claims(formula: &Core, every_run_is_fair: bool) -> Option<Vec<Claim>> {
    let mut all = Vec::new();
    if !collect(formula, true, &mut all) {
        return None;
    }
    if !every_run_is_fair {
        let fair = super::labels::fair();
        for sign in [false, true] {
            let needs = |(claim, of): &Claim| *of == sign && matches!(claim, Core::Next(_) | Core::Until(..));
            if all.iter().any(needs) {
                all.retain(|claim| *claim != (fair.clone(), sign));
                all.insert(0, (fair.clone(), sign));
            }
        }
    }
    Some(all)
}

fn collect(formula: &Core, sign: bool, all: &mut Vec<Claim>) -> bool {
    let inner = match formula {
        Core::Atom(_) => return true,
        Core::Not(a) => return collect(a, !sign, all),
        Core::And(parts) | Core::Or(parts) => return parts.iter().all(|part| collect(part, sign, all)),
        Core::Next(a) | Core::Globally(a) => collect(a, sign, all),
        Core::Until(a, b) => collect(a, sign, all) && collect(b, sign, all),
        Core::Infinitely(_) => false,
    };
    let claim = (formula.clone(), sign);
    if inner && !all.contains(&claim) {
        all.push(claim);
    }
    inner
}

/// Whether a formula is `true`.
pub fn is_true(formula: &Core) -> bool {
    matches!(formula, Core::Atom(Expr::Bool(true)))
}
