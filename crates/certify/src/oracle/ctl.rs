//! CTL over fair runs, by labelling states.
//!
//! Fairness of a run does not depend on any finite prefix. So, if *fair states* are those where some fair run begins:
//!
//! - `EX a`: some step leads to a fair state where `a` is true;
//! - `E[a U b]`: a fair state where `b` is true is reached through states where `a` is true;
//! - `EG a`: some fair run goes only through states where `a` is true;
//! - `E[a W b]`: `E[a U b]` or `EG a`;
//! - `E (GF a && …)`: some fair run ends in a fair set of steps that leaves states of each `a`;
//!
//! and every `A` is the negation of an `E`: `A[a U b]` is false iff some fair run satisfies `!b W (!a && !b)`, and
//! `A[a W b]` is false iff some satisfies `!b U (!a && !b)`. A formula is claimed of every initial state. Atoms are
//! evaluated in every reachable state, so that every fault is found.

use model::instance::{Environment, Instance};
use model::property::Paths;
use model::{Binder, Ctl, semantics};

use super::Halt;
use super::fair::Marks;
use super::graph::Graph;

/// Whether the formula is true in every initial state.
pub(super) fn holds(
    instance: &Instance,
    graph: &Graph,
    fairness: &Marks,
    formula: &Ctl,
) -> Result<bool, Halt> {
    let fair = fairness.states_with_a_fair_run(graph, &vec![true; graph.states.len()])?;
    let labelling = Labelling { instance, graph, fairness, fair };
    let states = labelling.states(formula, &mut Environment::default())?;
    Ok(graph.initial.iter().all(|&state| states[state]))
}

/// Whether something is true, for each state.
type Set = Vec<bool>;

struct Labelling<'a> {
    instance: &'a Instance,
    graph: &'a Graph,
    fairness: &'a Marks,
    fair: Set,
}

impl Labelling<'_> {
    /// The states where a formula is true.
    fn states(&self, formula: &Ctl, environment: &mut Environment) -> Result<Set, Halt> {
        Ok(match formula {
            Ctl::Atom(atom) => {
                let mut set = Vec::new();
                for state in &self.graph.states {
                    set.push(semantics::evaluate(self.instance, atom, state, environment)? != 0);
                }
                set
            }
            Ctl::Not(a) => not(&self.states(a, environment)?),
            Ctl::And(parts) => {
                let mut set = self.everywhere(true);
                for part in parts {
                    set = and(&set, &self.states(part, environment)?);
                }
                set
            }
            Ctl::Or(parts) => {
                let mut set = self.everywhere(false);
                for part in parts {
                    set = or(&set, &self.states(part, environment)?);
                }
                set
            }
            Ctl::Implies(a, b) => or(&not(&self.states(a, environment)?), &self.states(b, environment)?),
            Ctl::Next(Paths::Some, a) => self.next(&self.states(a, environment)?),
            Ctl::Next(Paths::All, a) => not(&self.next(&not(&self.states(a, environment)?))),
            Ctl::Finally(Paths::Some, a) => self.until(&self.everywhere(true), &self.states(a, environment)?),
            Ctl::Finally(Paths::All, a) => not(&self.globally(&not(&self.states(a, environment)?))?),
            Ctl::Globally(Paths::Some, a) => self.globally(&self.states(a, environment)?)?,
            Ctl::Globally(Paths::All, a) => {
                not(&self.until(&self.everywhere(true), &not(&self.states(a, environment)?)))
            }
            Ctl::Until(paths, a, b) | Ctl::WeakUntil(paths, a, b) => {
                let (a, b) = (self.states(a, environment)?, self.states(b, environment)?);
                let weak = matches!(formula, Ctl::WeakUntil(..));
                match paths {
                    Paths::Some if weak => self.weak_until(&a, &b)?,
                    Paths::Some => self.until(&a, &b),
                    Paths::All => {
                        let (not_b, neither) = (not(&b), and(&not(&a), &not(&b)));
                        // The negation of a strong until is a weak one, and vice versa.
                        not(&if weak {
                            self.until(&not_b, &neither)
                        } else {
                            self.weak_until(&not_b, &neither)?
                        })
                    }
                }
            }
            Ctl::Infinitely(paths, parts) => {
                let sets =
                    parts.iter().map(|part| self.states(part, environment)).collect::<Result<Vec<_>, _>>()?;
                match paths {
                    Paths::Some => self.infinitely(&sets)?,
                    // From some point on never again, for one of them, is what no fair run does.
                    Paths::All => {
                        let mut set = self.everywhere(true);
                        for a in sets {
                            let never = self.globally(&not(&a))?;
                            set = and(&set, &not(&self.until(&self.everywhere(true), &never)));
                        }
                        set
                    }
                }
            }
            Ctl::Forall(binder, body) => {
                let sets = self.over(binder, body, environment)?;
                sets.iter().fold(self.everywhere(true), |all, set| and(&all, set))
            }
            Ctl::Exists(binder, body) => {
                let sets = self.over(binder, body, environment)?;
                sets.iter().fold(self.everywhere(false), |any, set| or(&any, set))
            }
        })
    }

    fn over(&self, binder: &Binder, body: &Ctl, environment: &mut Environment) -> Result<Vec<Set>, Halt> {
        let lo = semantics::rigid(&binder.span.lo, environment)?;
        let hi = semantics::rigid(&binder.span.hi, environment)?;
        let mut sets = Vec::new();
        for value in lo..=hi {
            environment.bind(binder.index, value);
            sets.push(self.states(body, environment)?);
            environment.unbind();
        }
        Ok(sets)
    }

    fn everywhere(&self, value: bool) -> Set {
        vec![value; self.graph.states.len()]
    }

    /// `EX a`
    fn next(&self, a: &Set) -> Set {
        let steps = &self.graph.steps;
        let leads = |step: &usize| a[steps[*step].target] && self.fair[steps[*step].target];
        self.graph.leaving.iter().map(|leaving| leaving.iter().any(leads)).collect()
    }

    /// `E[a U b]`
    fn until(&self, a: &Set, b: &Set) -> Set {
        let mut set = and(b, &self.fair);
        loop {
            let mut changed = false;
            for step in &self.graph.steps {
                if a[step.source] && set[step.target] && !set[step.source] {
                    set[step.source] = true;
                    changed = true;
                }
            }
            if !changed {
                return set;
            }
        }
    }

    /// `E (GF a && …)`
    fn infinitely(&self, sets: &[Set]) -> Result<Set, Halt> {
        let all = self.everywhere(true);
        Ok(self.fairness.states_with_a_fair_run_through(self.graph, &all, sets)?)
    }

    /// `EG a`
    fn globally(&self, a: &Set) -> Result<Set, Halt> {
        Ok(self.fairness.states_with_a_fair_run(self.graph, a)?)
    }

    /// `E[a W b]`
    fn weak_until(&self, a: &Set, b: &Set) -> Result<Set, Halt> {
        Ok(or(&self.until(a, b), &self.globally(a)?))
    }
}

fn not(a: &Set) -> Set {
    a.iter().map(|a| !a).collect()
}

fn and(a: &Set, b: &Set) -> Set {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

fn or(a: &Set, b: &Set) -> Set {
    a.iter().zip(b).map(|(a, b)| *a || *b).collect()
}
