//! The oracle decides small finite tasks directly from the definitions. It is slow and simple.
//!
//! Engines are tested against it, so it must above all be right. It shares nothing with them or with the judge except
//! [`model::semantics`], which *is* the definition. It explores the reachable states (`graph`), evaluates every atom on
//! every step, and then
//!
//! - for an invariant checks each state;
//! - for LTL builds the tableau of the formula over the steps, and looks for a fair and fulfilling strongly connected
//!   set of nodes that can be reached from one where the formula is false (`ltl`);
//! - for CTL labels the states from the smallest subformulas up, path quantifiers by their characterisations
//!   over fair runs (`ctl`);
//! - for an automaton reads the steps with it, and looks for a fair strongly connected set that has all its marks
//!   (`never`).
//!
//! All but the first reduce to one question: which nodes of a finite graph lie in a fair strongly connected set? `fair`
//! answers it by trying all ways in which a run can meet the requirements. Each of these files begins with a proof that
//! it is right. The proofs share one fact: from some point on, an infinite path through a finite graph visits only
//! nodes that it visits infinitely often, and these form a strongly connected set. Conversely, a strongly connected set
//! has a tour that, repeated, visits exactly its nodes infinitely often. The nodes are steps, or stand for steps, and
//! fairness and fulfilment only depend on the steps taken infinitely often, so they are properties of that set.
//!
//! A reachable fault (in a guard, an update, or an atom of the property or the fairness evaluated on a reachable step)
//! makes every property false. An invariant is about states and not about fair runs, so fairness is ignored for it.
//!
//! Exponential in the temporal operators of the formula and in the requirements that can be met in two ways.

mod ctl;
mod fair;
mod graph;
mod ltl;
mod never;

use model::instance::Instance;
use model::property::Kind;
use model::{Fault, Task, semantics};

/// The oracle's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the property holds, and if not, why not.
    pub why: Why,
    /// Whether every reachable state has a fair run; `None` if there is a fault or the property is an invariant.
    pub realisable: Option<bool>,
}

impl Decision {
    /// Whether the property holds.
    pub fn holds(&self) -> bool {
        self.why == Why::Holds
    }
}

/// Whether a property holds, and if not, why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It holds.
    Holds,
    /// A reachable state, a fair run or an initial state violates it, and no fault is reachable.
    Fails,
    /// A fault is reachable, so every property fails.
    Fault,
}

/// Why the oracle does not decide a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The task is about many instances, or about none.
    NotAnInstance(String),
    /// More states, steps or candidates for initial states than the limit.
    TooManyStates,
    /// More tableau nodes than the limit.
    TooManyNodes,
    /// More requirements that can be met in two ways than [`REQUIREMENTS`].
    TooManyRequirements,
}

/// Limit on the requirements of one alternative that can be met in two ways. All combinations are tried.
pub const REQUIREMENTS: usize = 12;

/// Decides a task of at most `limit` states, steps and tableau nodes.
pub fn decide(task: &Task, limit: usize) -> Result<Decision, Undecided> {
    if !task.property.binders.is_empty() {
        return Err(Undecided::NotAnInstance(format!("`{}` is a family of properties", task.property.name)));
    }
    let open = || Undecided::NotAnInstance("a parameter has no value".to_owned());
    match decide_instance(task, task.instance().ok_or_else(open)?, limit) {
        Ok(decision) => Ok(decision),
        Err(Halt::Fault) => Ok(Decision { why: Why::Fault, realisable: None }),
        Err(Halt::Undecided(undecided)) => Err(undecided),
    }
}

fn decide_instance(task: &Task, instance: &Instance, limit: usize) -> Result<Decision, Halt> {
    let graph = graph::explore(instance, limit)?;
    let (holds, realisable) = match &task.property.kind {
        Kind::Invariant(predicate) => {
            let mut everywhere = true;
            for state in &graph.states {
                everywhere &= semantics::state_predicate(instance, predicate, state)?;
            }
            (everywhere, None)
        }
        Kind::Ltl(formula) => {
            let fairness = fair::Marks::new(instance, &graph, &task.fairness)?;
            let holds = ltl::holds(instance, &graph, &fairness, formula, limit)?;
            (holds, Some(realisable(&graph, &fairness)?))
        }
        Kind::Ctl(formula) => {
            let fairness = fair::Marks::new(instance, &graph, &task.fairness)?;
            let holds = ctl::holds(instance, &graph, &fairness, formula)?;
            (holds, Some(realisable(&graph, &fairness)?))
        }
        Kind::Never(automaton) => {
            let fairness = fair::Marks::new(instance, &graph, &task.fairness)?;
            let holds = never::holds(instance, &graph, &fairness, automaton, limit)?;
            (holds, Some(realisable(&graph, &fairness)?))
        }
    };
    Ok(Decision { why: if holds { Why::Holds } else { Why::Fails }, realisable })
}

fn realisable(graph: &graph::Graph, fairness: &fair::Marks) -> Result<bool, Halt> {
    let everywhere = vec![true; graph.states.len()];
    Ok(fairness.states_with_a_fair_run(graph, &everywhere)?.into_iter().all(|fair| fair))
}

/// Why a decision ends early.
enum Halt {
    Fault,
    Undecided(Undecided),
}

impl From<Fault> for Halt {
    fn from(_: Fault) -> Halt {
        Halt::Fault
    }
}

impl From<Undecided> for Halt {
    fn from(undecided: Undecided) -> Halt {
        Halt::Undecided(undecided)
    }
}
