//! Evidence about branching time in systems with infinitely many states: two-sided labels with their reasons.
//!
//! A formula is brought into the [core](Core) of CTL: negation, conjunction, disjunction and the existential operators
//! `EX`, `EU`, `EG`, all over fair runs. For each existential subformula a [`Label`] gives two sets of states, `must`
//! and `may`, with `must ⊆ truth ⊆ may` inside the invariant; those of connectives follow (`must(!a)` is the complement
//! of `may(a)`). A formula holds if `must` of the root contains every initial state, and fails if `may` leaves out one.
//!
//! Sets are given per *place*: a place fixes the values of some cells, and every reachable state is at exactly one. At
//! each place a set is a quantifier-free linear expression over all cells. So is everything else here, and each
//! premise below is the unsatisfiability of a quantifier-free formula over a state `s`, a step `s → s'` of the system
//! (`idle` included) and the integers chosen in it. `I` is the invariant; numbers are unbounded.
//!
//! | claim | premises |
//! | --- | --- |
//! | invariant | initial states are in `I`; `I` is closed under steps; no fault happens in `I` |
//! | `must(EX a)` | `must` has a [`Move`] into `must(a) ∧ must(fair)` |
//! | `may(EX a)` | a step from `I` into `I ∧ may(a) ∧ may(fair)` begins in `may` |
//! | `must(E a U b)` | see *until* below |
//! | `may(E a U b)` | `I ∧ ¬may` excludes `may(b) ∧ may(fair)`; a step from `I ∧ ¬may ∧ may(a)` leads to `¬may` |
//! | `must(EG a)` | see *globally* below |
//! | `may(EG a)` | a step from `I ∧ ¬may ∧ may(a)` leads to `¬may`; the [arguments](Argument) leave no step in it |
//!
//! *Until.* `must` is the union of [`Path::layers`]. Each state of a layer is
//!
//! - in `must(b) ∧ must(fair)`, or
//! - in `must(a)`, and has a move into an earlier layer, or
//! - if `a` is `true`: in `must(fair) ∧ ¬may(EG ¬b)`. Where all fair runs come to `b`, some do.
//!
//! *Globally.* `must` is the union of the [cycles](Cycle) and of layers. A layer lies in `must(a)` and moves into an
//! earlier layer or a cycle. Each set of a cycle lies in `must(a)`. If the cycle is `ordered`, each set moves into the next
//! one; if not, each moves into the union of them all. Every requirement of the cycle's alternative is met, in one of two
//! ways:
//!
//! - no step of any set satisfies `when` without `then`, or
//! - the cycle is ordered, and all steps of one of its sets satisfy `then`.
//!
//! In `may(EG a)` there are arguments for each alternative of the fairness.
//!
//! A move with a [rank](Move::rank) may also lead into a set of its own layer, if the rank there is smaller and not
//! negative: so a loop is gone round as often as it takes.
//!
//! `fair` is the label of `EG true` if the fairness is not trivial, and everything otherwise; an invariant is checked
//! without fairness.
//!
//! Arguments take steps away. Let `T` be the steps from `I ∧ ¬may ∧ may(a)` into itself that are left; a run that stays
//! in that set forever takes, from some point on, only steps in `T`. The premises of an argument keep this true.
//!
//! A formula of linear time that is not one of branching time has labels of a [`Product`]: with the automaton of
//! reference ([`tableau::violations`](crate::tableau::violations)), which accepts exactly the runs that violate the
//! property and is never taken from evidence. A state of the product is a state of the system with one of the automaton,
//! a step of it a step of the system that an edge can read; the marks are further requirements `GF true -> GF mark`. The
//! property holds if `may(EG true)` leaves out every initial state with every initial state of the automaton, and fails if
//! `must(EG true)` has one. That no fault is reachable is shown for the system, because the automaton may have stopped
//! reading before.

use crate::answer::{Label as StepLabel, Path as Run, State};
use crate::expr::Expr;
use crate::property::{Ctl, Paths};

/// The core of CTL: existential operators over fair runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Core {
    /// A state predicate.
    Atom(Expr),
    /// Negation.
    Not(Box<Core>),
    /// Conjunction.
    And(Vec<Core>),
    /// Disjunction.
    Or(Vec<Core>),
    /// `EX a`.
    Next(Box<Core>),
    /// `E[a U b]`.
    Until(Box<Core>, Box<Core>),
    /// `EG a`.
    Globally(Box<Core>),
}

/// Labels for the subformulas of a task's property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// The places: cells in increasing order with the values they have there.
    pub places: Vec<Vec<(usize, i64)>>,
    /// Per place, an inductive invariant.
    pub invariant: Vec<Expr>,
    /// A label for each existential subformula that is relied on, inner before outer.
    pub labels: Vec<Label>,
    /// For a property of linear time that is labelled in the product with its automaton: instead of `labels`.
    pub product: Option<Product>,
}

/// Labels of the product with the automaton of reference. In its moves and arguments, places are those of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its places: a place of the system, and a state of the automaton.
    pub places: Vec<(usize, usize)>,
    /// Per place, what is invariant beside the invariant of the system.
    pub invariant: Vec<Expr>,
    /// The label of `EG true`. Its arguments count the marks of the automaton behind the requirements.
    pub label: Label,
}

/// What is known of an existential subformula. A side that is not known is empty (`must`) or everything (`may`), and
/// has no reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The subformula; its outermost operator is existential.
    pub formula: Core,
    /// Per place, states where it is true.
    pub must: Vec<Expr>,
    /// Why, for a `must` that is not empty.
    pub path: Path,
    /// Per place, a set that contains all states where it is true.
    pub may: Vec<Expr>,
    /// For `may` of `EG`: one list per alternative of the fairness.
    pub arguments: Vec<Vec<Argument>>,
}

/// How states of a `must` go on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Path {
    /// For `EG`: where runs end up.
    pub cycles: Vec<Cycle>,
    /// Each layer moves into the union of the layers before it and the cycles; for `EX` there is one.
    pub layers: Vec<Vec<Move>>,
}

/// Sets in which runs stay for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The alternative of the fairness that is met.
    pub alternative: usize,
    /// Whether each set moves into the next, the last into the first; otherwise each moves into any of them.
    pub ordered: bool,
    /// The sets and their moves.
    pub moves: Vec<Move>,
}

/// From every state of a set at a place, this step can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The place.
    pub place: usize,
    /// The set.
    pub states: Expr,
    /// The action; `None` in a layer of `EU` for states that are there already.
    pub step: Option<StepLabel>,
    /// How the action's choices are made, in the order in which its update meets them: the position of the
    /// alternative of an `Either`, the integer (an expression over the state before the step) of a `Choose`.
    pub choices: Vec<Expr>,
    /// The place it leads to.
    pub target: usize,
    /// In a product, the edge of the automaton that reads the step, among those that leave its state; otherwise 0.
    pub reading: usize,
    /// In a layer, how far it is from leaving the layer.
    pub rank: Option<Expr>,
}

/// Takes away steps that a fair run can take only finitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Every step left has `rank(s') <= rank(s)`. Those with `rank(s') < rank(s)` and `rank(s) >= 0` go.
    Rank(Vec<Expr>),
    /// A nested ranking function `f1, …, fn` [LH15] at these places, which no step left enters or leaves. Every step
    /// left there has `f1(s') < f1(s)`, `fi(s') < fi(s) + f(i-1)(s)` for the others, and `fn(s) >= 0`. They all go.
    Nested {
        /// The places, in increasing order.
        places: Vec<usize>,
        /// The functions; each has an expression for each of the places.
        functions: Vec<Vec<Expr>>,
    },
    /// No step left enters or leaves this set, and no step left inside satisfies `then` of the requirement (by its
    /// position in the ground alternative). The steps inside that satisfy its `when` go.
    Requirement {
        /// The set, per place.
        within: Vec<Expr>,
        /// The requirement.
        requirement: usize,
    },
}

/// A labelling, and what it says of the initial states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// An initial state that `may` of the property leaves out.
    pub state: State,
    /// The labels.
    pub labelling: Labelling,
    /// In a product, the beginning of a run from that state: to a cycle, and some rounds on it.
    pub run: Option<Run>,
}

impl Core {
    /// The negation.
    #[must_use]
    pub fn negated(self) -> Core {
        match self {
            Core::Not(inner) => *inner,
            other => Core::Not(Box::new(other)),
        }
    }

    /// The core of a ground formula.
    pub fn of(formula: &Ctl) -> Core {
        let not = Core::negated;
        let all = |parts: &[Ctl]| parts.iter().map(Core::of).collect();
        let anything = || Box::new(Core::Atom(Expr::Bool(true)));
        let boxed = |a: &Ctl| Box::new(Core::of(a));
        let dual = |a: &Ctl| Box::new(not(Core::of(a)));
        match formula {
            Ctl::Atom(atom) => Core::Atom(atom.clone()),
            Ctl::Not(a) => not(Core::of(a)),
            Ctl::And(parts) => Core::And(all(parts)),
            Ctl::Or(parts) => Core::Or(all(parts)),
            Ctl::Implies(a, b) => Core::Or(vec![not(Core::of(a)), Core::of(b)]),
            Ctl::Next(Paths::Some, a) => Core::Next(boxed(a)),
            Ctl::Next(Paths::All, a) => not(Core::Next(dual(a))),
            Ctl::Finally(Paths::Some, a) => Core::Until(anything(), boxed(a)),
            Ctl::Finally(Paths::All, a) => not(Core::Globally(dual(a))),
            Ctl::Globally(Paths::Some, a) => Core::Globally(boxed(a)),
            Ctl::Globally(Paths::All, a) => not(Core::Until(anything(), dual(a))),
            Ctl::Until(Paths::Some, a, b) => Core::Until(boxed(a), boxed(b)),
            Ctl::Until(Paths::All, a, b) => {
                let neither = Core::And(vec![not(Core::of(a)), not(Core::of(b))]);
                not(Core::Or(vec![Core::Until(dual(b), Box::new(neither)), Core::Globally(dual(b))]))
            }
            Ctl::WeakUntil(Paths::Some, a, b) => {
                Core::Or(vec![Core::Until(boxed(a), boxed(b)), Core::Globally(boxed(a))])
            }
            Ctl::WeakUntil(Paths::All, a, b) => {
                let neither = Core::And(vec![not(Core::of(a)), not(Core::of(b))]);
                not(Core::Until(dual(b), Box::new(neither)))
            }
            Ctl::Forall(_, body) | Ctl::Exists(_, body) => Core::of(body),
        }
    }
}
