//! Explains why a CTL formula is false: which of its parts are true or false in which states of the evidence.
//!
//! A lasso that refutes a claim about all runs refutes, from each of its positions on, what some part of the formula
//! claims of all runs. We begin with the whole formula in the first state and follow the definition of its outermost
//! operator: `AG a` is false in a state because `a` is, or because `AG a` is false in the next one; `AF a` is false
//! because `a` is, and `AF a` is false in the next one. To see whether a part is refuted from a position on, we
//! evaluate its linear form on the lasso ([`crate::truth`]). So the judge itself finds every fact, and a fair run shows
//! it.
//!
//! Labels ([`model::labelling`]) say of a state which parts are true and which are false there. The judge has checked
//! them, so with labels the same definitions are followed along the run that comes with them, as far as it goes.
//!
//! A path to a state, or a state alone, shows less. Only the engine says that a formula is false there, and the fact is
//! marked accordingly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::instance::Instance;
use model::labelling::Labelling;
use model::property::Kind;
use model::{Core, Counterexample, Ctl, Expr, Lasso, Session, State, Task, ground, semantics};

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
            let shown = OnLasso { instance, lasso, refuted: BTreeMap::new() };
            Refutation { evidence: Shown::Lasso(shown) }.facts(&formula)
        }
        Counterexample::Labelling(refutation) if refutation.labelling.product.is_none() => {
            let states = match &refutation.run {
                Some(run) => {
                    let all = run.positions.iter().map(|position| &position.state);
                    all.chain(std::iter::once(&run.last)).collect()
                }
                None => vec![&refutation.state],
            };
            let labelling = &refutation.labelling;
            Refutation { evidence: Shown::Labels { instance, labelling, states } }.facts(&formula)
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

/// What shows the facts.
enum Shown<'a> {
    Lasso(OnLasso<'a>),
    /// Labels, and the states of a finite run.
    Labels {
        instance: &'a Instance,
        labelling: &'a Labelling,
        states: Vec<&'a State>,
    },
}

struct OnLasso<'a> {
    instance: &'a Instance,
    lasso: &'a Lasso,
    /// Per part, the positions from which on the lasso shows it.
    refuted: BTreeMap<PartKey, Vec<bool>>,
}

struct Refutation<'a> {
    evidence: Shown<'a>,
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
            // Labels are of states; not everything that follows on a run is labelled.
            if matches!(self.evidence, Shown::Labels { .. }) && !self.shows(formula, state, holds) {
                continue;
            }
            facts.push(Fact { state, formula: formula.clone(), holds, checked: true });
            pending.extend(self.reasons(formula, state, holds));
        }
        facts.sort_by_key(|fact| fact.state);
        facts
    }

    /// The facts that make a part true or false in a state, by the definition of its operator.
    fn reasons<'f>(&mut self, formula: &'f Ctl, state: usize, holds: bool) -> Vec<(&'f Ctl, usize, bool)> {
        let next = match &self.evidence {
            Shown::Lasso(on) => Some(on.lasso.next(state)),
            Shown::Labels { states, .. } => Some(state + 1).filter(|next| *next < states.len()),
        };
        // One part is enough: the first that the lasso shows.
        let mut one = |parts: &[(&'f Ctl, bool)]| {
            let found = parts.iter().find(|(part, holds)| self.shows(part, state, *holds));
            found.map(|(part, holds)| (*part, state, *holds)).into_iter().collect::<Vec<_>>()
        };
        let all = |parts: &'f [Ctl], holds| parts.iter().map(|part| (part, holds)).collect::<Vec<_>>();
        let here = |parts: Vec<(&'f Ctl, bool)>| {
            parts.into_iter().map(|(part, holds)| (part, state, holds)).collect()
        };
        let later = || next.map(|next| (formula, next, holds));
        let with_later = |first| std::iter::once(first).chain(later()).collect();
        match formula {
            Ctl::Atom(_) | Ctl::Infinitely(..) | Ctl::Forall(..) | Ctl::Exists(..) => Vec::new(),
            Ctl::Not(a) => vec![(a, state, !holds)],
            Ctl::And(parts) if holds => here(all(parts, true)),
            Ctl::Or(parts) if !holds => here(all(parts, false)),
            Ctl::And(parts) | Ctl::Or(parts) => one(&all(parts, holds)),
            Ctl::Implies(a, b) if holds => one(&[(a, false), (b, true)]),
            Ctl::Implies(a, b) => here(vec![(a, true), (b, false)]),
            Ctl::Next(_, a) => next.map(|next| (&**a, next, holds)).into_iter().collect(),
            // Always true, or never true.
            Ctl::Globally(_, a) if holds => with_later((&**a, state, true)),
            Ctl::Finally(_, a) if !holds => with_later((&**a, state, false)),
            // True at some time.
            Ctl::Globally(_, a) | Ctl::Finally(_, a) => match one(&[(a, holds)]) {
                found if found.is_empty() => later().into_iter().collect(),
                found => found,
            },
            Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) if holds => match one(&[(b, true)]) {
                found if found.is_empty() => with_later((&**a, state, true)),
                found => found,
            },
            Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => match one(&[(a, false)]) {
                found if found.is_empty() => with_later((&**b, state, false)),
                mut found => {
                    found.push((b, state, false));
                    found
                }
            },
        }
    }

    /// Whether the evidence shows that a part is true, or false, in a state.
    fn shows(&mut self, formula: &Ctl, state: usize, holds: bool) -> bool {
        match &mut self.evidence {
            Shown::Lasso(on) => on.shows(formula, state, holds),
            Shown::Labels { instance, labelling, states } => {
                let core = Core::of(formula);
                labelled(instance, labelling, &core, states[state], holds) == Some(holds)
            }
        }
    }
}

impl OnLasso<'_> {
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

/// Whether the labels say that a formula is true (if `must`), or that it may be (if not), in a reachable state. `None` if
/// that cannot be computed.
fn labelled(
    instance: &Instance,
    labelling: &Labelling,
    formula: &Core,
    state: &State,
    must: bool,
) -> Option<bool> {
    let truth = |expr: &Expr| semantics::state_predicate(instance, expr, state).ok();
    let side = |part: &Core, must| labelled(instance, labelling, part, state, must);
    match formula {
        Core::Atom(atom) => truth(atom),
        Core::Not(a) => side(a, !must).map(|value| !value),
        Core::And(parts) => parts.iter().try_fold(true, |all, part| Some(side(part, must)? && all)),
        Core::Or(parts) => parts.iter().try_fold(false, |any, part| Some(side(part, must)? || any)),
        Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
            let Some(label) = labelling.labels.iter().find(|label| label.formula == *formula) else {
                return Some(!must);
            };
            let is_here =
                |known: &Vec<(usize, i64)>| known.iter().all(|(cell, value)| state.0[*cell] == *value);
            let place = labelling.places.iter().position(is_here)?;
            truth(if must { &label.must[place] } else { &label.may[place] })
        }
    }
}
