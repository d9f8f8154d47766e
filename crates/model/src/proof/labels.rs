//! Labels of listed states: in which states the parts of a CTL formula are true, and why.
//!
//! The formula is written in the [core](Core) of CTL: negation, conjunction, disjunction and the existential operators
//! over fair runs. Each existential subformula ([`labelled`]) has a [`Label`]: the set `T` of listed states where it is
//! true. The set of any other subformula follows from those inside it. `fair` is the label of `EG true`, or the set of
//! all states if every run is fair. The premises show that each label is *exactly* the set where its subformula is true,
//! so they serve a negated subformula as well. Each is about one state and the steps that leave it:
//!
//! | label | premises |
//! | --- | --- |
//! | `EX a` | A state is in `T` if and only if a step leads from it to `a ∧ fair`. |
//! | `E[a U b]` | The states of `T` with number 0 are exactly those of `b ∧ fair`. Each other one is in `a` and has a step to a state of `T` with a smaller number. A state of `a` outside `T` has no step into `T`. |
//! | `EG a` | `T` lies in `a`. The states of `T` with number 0 lie in [components](Component); each other one has a step to a state of `T` with a smaller number. A state of `a` outside `T` has no step into `T`, and every step between two of these states passes a [refutation tree](super::listed), one for each alternative of the fairness. |
//!
//! The *edges* of a component are the steps that stay in it and satisfy `when` of none of the requirements that it names.
//! There is one. Every other requirement of its alternative has an edge that satisfies `then`. If the alternative is
//! `global`, every step that leaves a state of the component is an edge. One state has 0 as both its numbers. From each
//! other state an edge leads to a state with a smaller first number, and to each other state an edge leads from one with a
//! smaller second number. So the edges connect all states.
//!
//! Why this proves the label of `EG a`: a run can go through all edges of a component again and again, and take no other
//! step. It satisfies `when` of the named requirements nowhere and `then` of the others again and again, and with `global`
//! it takes every step that leaves a state it visits: it is fair, and stays in `a`. From any other state of `T` a path
//! through `a` leads to such a state, and a run is fair if the rest of it is. Conversely, a run that stays in `a` and begins
//! outside `T` never enters `T`, so all its steps pass the trees, and it is not fair. That numbers become smaller until they
//! are 0 is also the reason for `E[a U b]`.

use super::listed::Tree;
use crate::expr::Expr;
use crate::labelling::Core;

/// The label of an existential subformula.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Label {
    /// Per listed state, its number, or [`Label::OUTSIDE`]. The states of `EX a` have the number 0.
    pub numbers: Vec<u32>,
    /// Only for `EG`.
    pub components: Vec<Component>,
    /// Only for `EG`: one per alternative of the fairness, about the states of `a` that are not in the set. The automaton is
    /// one that accepts every run and has one state.
    pub trees: Vec<Tree>,
}

impl Label {
    /// The number of a state where the subformula is false.
    pub const OUTSIDE: u32 = u32::MAX;
}

/// States among which a fair run can stay for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The alternative of the fairness that the run meets, by position.
    pub alternative: usize,
    /// The requirements whose `when` the run avoids, by position in
    /// [`ground::requirements`](crate::ground::requirements).
    pub avoided: Vec<usize>,
    /// The states, by position in the list and in increasing order, with their two numbers.
    pub states: Vec<(u32, [u32; 2])>,
}

/// The subformulas that have labels, inner before outer, each once. If not every run is fair, `EG true` comes first.
pub fn labelled(formula: &Core, every_run_is_fair: bool) -> Vec<Core> {
    let mut all = Vec::new();
    if !every_run_is_fair {
        all.push(fair());
    }
    collect(formula, &mut all);
    all
}

/// `EG true`: a fair run begins here.
pub fn fair() -> Core {
    Core::Globally(Box::new(Core::Atom(Expr::Bool(true))))
}

fn collect(formula: &Core, all: &mut Vec<Core>) {
    match formula {
        Core::Atom(_) => return,
        Core::Not(a) => return collect(a, all),
        Core::And(parts) | Core::Or(parts) => return parts.iter().for_each(|part| collect(part, all)),
        Core::Next(a) | Core::Globally(a) => collect(a, all),
        Core::Infinitely(parts) => parts.iter().for_each(|part| collect(part, all)),
        Core::Until(a, b) => {
            collect(a, all);
            collect(b, all);
        }
    }
    if !all.contains(formula) {
        all.push(formula.clone());
    }
}
