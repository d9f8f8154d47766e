//! Variables that only ever hold a few known numbers become control.
//!
//! A program in C has no truth values and no states of a protocol, only integers. What is known of a flag is lost where
//! invariants are conjunctions: `lock` is 1 exactly if `state` is 2. So a variable that begins with a number, and is only
//! assigned numbers, or other variables of that kind, gets their range as its type. Engines then tell its values apart as
//! they tell locations apart [BL13]. If all variables are of that kind there is no such form: the engines for finitely many
//! states would take it, and they have no evidence for every formula of branching time.
//!
//! Every value that is ever assigned is in the range, so no assignment can leave it. This is a form of its own beside the
//! others, as it multiplies locations.

use std::collections::BTreeSet;

use arith::Var;
use model::system::{Initial, Scalar, System};
use model::{Expr, Span};

use super::block::{Effect, Step};

/// The greatest number of values of a variable; an engine takes shorter ranges for control.
const VALUES: i64 = 8;

/// The greatest number of combinations of values.
const COMBINATIONS: i64 = 256;

/// The variables of a system before there are flags among them.
pub(super) struct Flags {
    /// Per variable, the numbers it holds, if it holds nothing else; and those that it begins with.
    held: Vec<Option<BTreeSet<i64>>>,
    first: Vec<BTreeSet<i64>>,
}

impl Flags {
    /// What variables begin with, after one of these blocks.
    pub(super) fn beginning(variables: usize, first: &[Effect]) -> Flags {
        let begins = |number: usize| -> Option<BTreeSet<i64>> {
            let value =
                |effect: &Effect| i64::try_from(effect.values.get(&Var(number as u32))?.as_constant()?).ok();
            first.iter().map(value).collect::<Option<_>>().filter(|values: &BTreeSet<i64>| !values.is_empty())
        };
        let held: Vec<_> = (0..variables).map(begins).collect();
        let first = held.iter().map(|values| values.clone().unwrap_or_default()).collect();
        Flags { held, first }
    }

    /// Adds what steps assign, until nothing changes.
    pub(super) fn after(mut self, steps: &[Step]) -> Flags {
        loop {
            let before = self.held.clone();
            for (number, sum) in steps.iter().flat_map(|step| &step.values) {
                let number = number.0 as usize;
                let assigned = match (sum.terms(), i64::try_from(sum.free())) {
                    ([], Ok(value)) => Some(BTreeSet::from([value])),
                    ([(other, 1)], Ok(0)) => self.held.get(other.0 as usize).cloned().flatten(),
                    _ => None,
                };
                self.held[number] =
                    self.held[number].take().zip(assigned).and_then(|(mut held, assigned)| {
                        held.extend(assigned);
                        (span(&held) <= VALUES).then_some(held)
                    });
            }
            if self.held == before {
                return self;
            }
        }
    }

    /// Gives flags their ranges. Whether there are any that change, and other variables beside them.
    pub(super) fn bound(self, system: &mut System) -> bool {
        if self.held.iter().all(Option::is_some) {
            return false;
        }
        let mut flags: Vec<(usize, BTreeSet<i64>)> =
            self.held.into_iter().enumerate().filter_map(|(number, held)| Some((number, held?))).collect();
        flags.sort_by_key(|(_, held)| span(held));
        let (mut combinations, mut some) = (1, false);
        for (number, held) in flags {
            combinations *= held.len() as i64;
            let (Some(lo), Some(hi)) = (held.first(), held.last()) else { continue };
            if combinations > COMBINATIONS {
                break;
            }
            some |= held.len() > 1;
            let variable = &mut system.variables[number];
            variable.kind.scalar = Scalar::Range(Span::between(*lo, *hi));
            variable.initial = Initial::Among(self.first[number].iter().copied().map(Expr::Int).collect());
        }
        some
    }
}

/// The number of integers from the least to the greatest.
fn span(values: &BTreeSet<i64>) -> i64 {
    let ends = values.first().zip(values.last());
    ends.map_or(0, |(lo, hi)| hi.saturating_sub(*lo).saturating_add(1))
}
