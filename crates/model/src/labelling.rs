//! Evidence about branching time in systems with infinitely many states: labels with two sides, and why they are
//! right.
//!
//! A formula is first written in the [core](Core) of CTL: negation, conjunction, disjunction and the existential
//! operators `EX`, `EU`, `EG`, all over fair runs. For each existential subformula a [`Label`] gives two sets of
//! states, `must` and `may`, with `must ⊆ truth ⊆ may` inside the invariant. The sets of the other subformulas
//! follow: `must(!a)` is the complement of `may(a)`. A formula holds if `must` of the root contains every initial
//! state, and fails if `may` of the root misses one.
//!
//! Sets are given per *place*: a place fixes the values of some cells, and every reachable state is at exactly one
//! place. At each place a set is a quantifier-free linear expression over all cells, and so is every other part of
//! the evidence. Each premise below says that a quantifier-free formula over a state `s`, a step `s → s'` of the
//! system (`idle` included) and the integers chosen in it is unsatisfiable. `I` is the invariant. Integers are
//! unbounded.
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
//! - if `a` is `true`: in `must(fair) ∧ ¬may(EG ¬b)`. There a fair run exists, and every fair run reaches `b`.
//!
//! *Globally.* `must` is the union of the [cycles](Cycle) and of the layers. A layer lies in `must(a)` and moves into
//! an earlier layer or a cycle. Each set of a cycle lies in `must(a)`. If the cycle is `ordered`, each set moves into
//! the next one; if not, each moves into the union of them all. In a cycle that is not ordered, moves may have ranks. A move
//! with a rank leads into the set of one without, or into one where the rank is smaller and not negative; so moves without
//! a rank are made again and again. Every requirement of the cycle's alternative must be met in one of three ways:
//!
//! - no step of any set satisfies `when` without `then`, or
//! - the cycle is ordered, and all steps of one of its sets satisfy `then`, or
//! - the cycle is not ordered, and all steps of its sets without a rank satisfy `then`.
//!
//! If the alternative asks for strong global fairness, one of two more conditions must hold. Either some cell never falls on
//! the cycle's moves and grows on those that are made again and again (or the other way round): then no state is visited
//! twice, and nothing is asked. Or no state of the cycle has another step than its move. The second is not used in a
//! product.
//!
//! `E (GF a && …)` is `EG true` with the further requirements that each `a` is true infinitely often, numbered after
//! those of each alternative: for `must` in states of `must(a)`, for `may` in states of `may(a)`.
//!
//! For `may(EG a)` there is a list of arguments for each alternative of the fairness.
//!
//! A move with a [rank](Move::rank) may also lead into a set of its own layer, if the rank there is smaller and not
//! negative. This covers loops that are taken finitely many times.
//!
//! If the fairness is not trivial, `fair` is the label of `EG true`; otherwise it is the set of all states. An
//! invariant is checked without fairness.
//!
//! Arguments remove steps. Let `T` be the steps from `I ∧ ¬may ∧ may(a)` into itself that are left. A run that stays
//! in that set for ever takes, from some point on, only steps in `T`. The premises of an argument keep this true.
//!
//! An LTL formula that is not also a CTL formula is labelled in a [`Product`] with the reference automaton
//! ([`tableau::violations`](crate::tableau::violations)). That automaton accepts exactly the runs that violate the
//! property, and it is never taken from evidence. A product state is a state of the system with a state of the
//! automaton. A product step is a step of the system with an edge that can read it. The marks are further
//! requirements `GF true -> GF mark`. The property holds if `may(EG true)` contains no initial state of the product,
//! and fails if `must(EG true)` contains one. The absence of faults is shown for the system alone, because the
//! automaton may have stopped reading before a fault.

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
    /// `E (GF a && …)`: some fair run on which each of these is true infinitely often.
    Infinitely(Vec<Core>),
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
    /// Only for an LTL property that is labelled in the product with its automaton; then `labels` is empty.
    pub product: Option<Product>,
}

/// Labels in the product with the reference automaton. Its moves and arguments refer to places of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its places: a place of the system, and a state of the automaton.
    pub places: Vec<(usize, usize)>,
    /// Per place, an invariant that holds in addition to the invariant of the system.
    pub invariant: Vec<Expr>,
    /// The label of `EG true`. Its arguments number the marks of the automaton after the requirements.
    pub label: Label,
}

/// The label of an existential subformula. If a side is not known, it is empty (`must`) or the set of all states
/// (`may`), and no evidence is given for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The subformula; its outermost operator is existential.
    pub formula: Core,
    /// Per place, a set of states in which the subformula is true.
    pub must: Vec<Expr>,
    /// Evidence for `must`, if it is not empty.
    pub path: Path,
    /// Per place, a set that contains all states in which the subformula is true.
    pub may: Vec<Expr>,
    /// For `may` of `EG`: one list per alternative of the fairness.
    pub arguments: Vec<Vec<Argument>>,
}

/// How runs continue from the states of a `must`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Path {
    /// For `EG`: the sets in which runs end up.
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
    /// The action; `None` in a layer of `EU` for states that need no step.
    pub step: Option<StepLabel>,
    /// How the action's choices are made, in the order in which its update meets them: the position of the
    /// alternative of an `Either`, the integer (an expression over the state before the step) of a `Choose`.
    pub choices: Vec<Expr>,
    /// The place it leads to.
    pub target: usize,
    /// In a product, the edge of the automaton that reads the step, among those that leave its state; otherwise 0.
    pub reading: usize,
    /// In a layer, a bound on the number of moves until the run leaves the layer; in a cycle that is not ordered, until it
    /// makes a move without a rank.
    pub rank: Option<Expr>,
}

/// Removes steps that a fair run can take only finitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Every step left has `rank(s') <= rank(s)`. Those with `rank(s') < rank(s)` and `rank(s) >= 0` are removed.
    Rank(Vec<Expr>),
    /// A nested ranking function `f1, …, fn` [LH15] at these places, which no step left enters or leaves. Every step
    /// left there has `f1(s') < f1(s)`, `fi(s') < fi(s) + f(i-1)(s)` for the others, and `fn(s) >= 0`. All are
    /// removed.
    Nested {
        /// The places, in increasing order.
        places: Vec<usize>,
        /// The functions; each has an expression for each of the places.
        functions: Vec<Vec<Expr>>,
    },
    /// No step left enters or leaves this set, and no step left inside satisfies `then` of the requirement (by its
    /// position in the ground alternative). The steps inside that satisfy its `when` are removed.
    Requirement {
        /// The set, per place.
        within: Vec<Expr>,
        /// The requirement.
        requirement: usize,
    },
}

/// A labelling that shows that a property fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// An initial state that is not in `may` of the property.
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
            Ctl::Infinitely(Paths::Some, parts) => Core::Infinitely(all(parts)),
            // On every run infinitely often: from no state it is possible never again.
            Ctl::Infinitely(Paths::All, parts) => Core::And(
                parts
                    .iter()
                    .map(|a| not(Core::Until(anything(), Box::new(Core::Globally(dual(a))))))
                    .collect(),
            ),
            Ctl::Forall(_, body) | Ctl::Exists(_, body) => Core::of(body),
        }
    }
}
