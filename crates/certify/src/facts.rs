//! Explains why a CTL formula is false: which of its parts are true or false in which states of the evidence.
//!
//! A lasso that refutes a claim about all runs refutes, from each of its positions on, what some part of the formula
//! claims of all runs. We begin with the whole formula in the first state and follow the definition of its outermost
//! operator: `AG a` is false in a state because `a` is, or because `AG a` is false in the next one; `AF a` is false
//! because `a` is, and `AF a` is false in the next one. To see whether a part is refuted from a position on, we
//! evaluate its linear form on the lasso ([`crate::truth`]). So the judge itself finds every fact, and a fair run shows
//! it.
//!
//! A path to a state, or a state alone, shows less. Only the engine says that a formula is false there, and the fact is
//! marked accordingly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::instance::Instance;
use model::property::Kind;
use model::{Counterexample, Ctl, Lasso, Session, Task, ground};

use crate::limits::Limits;
use crate::truth;

/// That a part of a formula is true or false in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The number of the state; the initial one is 0.
    pub state: usize,
    /// The part, in ground form.
    pub formula: Ctl,
    /// Whether it is true there.
    pub holds: bool,
    /// Whether the evidence shows it. Otherwise only the engine says so.
    pub checked: bool,
}

/// Why a CTL formula is false, from evidence that the judge has accepted. The facts are in the order of the states.
/// Empty for other properties.
pub fn facts(task: &Task, instance: &Instance, evidence: &Counterexample) -> Vec<Fact> {
    let Kind::Ctl(formula) = ground::kind(instance, &task.property.kind) else { return Vec::new() };
    let claimed =
        |state: usize, formula: &Ctl| Fact { state, formula: formula.clone(), holds: false, checked: false };
    match evidence {
        Counterexample::Lasso(lasso) if !lasso.positions.is_empty() => {
            let mut facts = Refutation { instance, lasso, refuted: BTreeMap::new() }.facts(&formula);
            facts.sort_by_key(|fact| fact.state);
            facts
        }
        Counterexample::Path(path) => {
            let last = path.positions.len();
            let mut facts: Vec<Fact> = (0..=last).map(|state| claimed(state, &formula)).collect();
            facts.extend(formula.everywhere().map(|claim| claimed(last, &claim)));
            facts
        }
        Counterexample::State(_) => vec![claimed(0, &formula)],
        _ => Vec::new(),
    }
}

/// Identifies a part of a formula by its address, which does not change meanwhile, and whether it is to be shown true
/// or false.
type PartKey = (*const Ctl, bool);

struct Refutation<'a> {
    instance: &'a Instance,
    lasso: &'a Lasso,
    /// Per part, the positions from which on the lasso shows it.
    refuted: BTreeMap<PartKey, Vec<bool>>,
}

impl Refutation<'_> {
    fn facts(&mut self, formula: &Ctl) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut pending = VecDeque::from([(formula, 0, false)]);
        let mut seen = BTreeSet::new();
        while let Some((formula, state, holds)) = pending.pop_front() {
            if !seen.insert((std::ptr::from_ref(formula), state, holds)) {
                continue;
            }
            facts.push(Fact { state, formula: formula.clone(), holds, checked: true });
            pending.extend(self.reasons(formula, state, holds));
        }
        facts
    }

    /// The facts that make a part true or false in a state, by the definition of its operator.
    fn reasons<'f>(&mut self, formula: &'f Ctl, state: usize, holds: bool) -> Vec<(&'f Ctl, usize, bool)> {
        let next = self.lasso.next(state);
        // One part is enough: the first that the lasso shows.
        let mut one = |parts: &[(&'f Ctl, bool)]| {
            let found = parts.iter().find(|(part, holds)| self.shows(part, state, *holds));
            found.map(|(part, holds)| (*part, state, *holds)).into_iter().collect::<Vec<_>>()
        };
        let all = |parts: &'f [Ctl], holds| parts.iter().map(|part| (part, holds)).collect::<Vec<_>>();
        let here = |parts: Vec<(&'f Ctl, bool)>| {
            parts.into_iter().map(|(part, holds)| (part, state, holds)).collect()
        };
        let later = (formula, next, holds);
        match formula {
            Ctl::Atom(_) | Ctl::Infinitely(..) | Ctl::Forall(..) | Ctl::Exists(..) => Vec::new(),
            Ctl::Not(a) => vec![(a, state, !holds)],
            Ctl::And(parts) if holds => here(all(parts, true)),
            Ctl::Or(parts) if !holds => here(all(parts, false)),
            Ctl::And(parts) | Ctl::Or(parts) => one(&all(parts, holds)),
            Ctl::Implies(a, b) if holds => one(&[(a, false), (b, true)]),
            Ctl::Implies(a, b) => here(vec![(a, true), (b, false)]),
            Ctl::Next(_, a) => vec![(a, next, holds)],
            // Always true, or never true.
            Ctl::Globally(_, a) if holds => vec![(a, state, true), later],
            Ctl::Finally(_, a) if !holds => vec![(a, state, false), later],
            // True at some time.
            Ctl::Globally(_, a) | Ctl::Finally(_, a) => match one(&[(a, holds)]) {
                found if found.is_empty() => vec![later],
                found => found,
            },
            Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) if holds => match one(&[(b, true)]) {
                found if found.is_empty() => vec![(a, state, true), later],
                found => found,
            },
            Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => match one(&[(a, false)]) {
                found if found.is_empty() => vec![(b, state, false), later],
                mut found => {
                    found.push((b, state, false));
                    found
                }
            },
        }
    }

    /// Whether the lasso from a state on shows that a part is true, or false.
    fn shows(&mut self, formula: &Ctl, state: usize, holds: bool) -> bool {
        let key = (std::ptr::from_ref(formula), holds);
        let refuted = self.refuted.entry(key).or_insert_with(|| {
            let opposite = if holds { Ctl::Not(Box::new(formula.clone())) } else { formula.clone() };
            let truth = opposite.of_all_runs().and_then(|linear| {
                truth::all(self.instance, &linear, self.lasso, &Limits::new(&Session::unlimited())).ok()
            });
            truth.map_or_else(
                || vec![false; self.lasso.positions.len()],
                |truth| truth.iter().map(|t| !t).collect(),
            )
        });
        refuted[state]
    }
}
