//! How much work the reference semantics has with an update.
//!
//! It tries all values of every choice, in the order in which they are made, so the work grows with the product of
//! the choices. What is counted is how many parts of expressions it evaluates at most; conditions that exclude a value are
//! not known yet.

use model::Expr;
use model::expr::Binder;
use model::system::Update;

use super::ranges::size;

/// The units of work of a part of an expression, see [`allowance`](super::allowance).
const PART: u64 = 3;

/// The work of carrying out a ground update in one state, in units of [`allowance`](super::allowance).
pub(super) fn work(update: &Update) -> u64 {
    cost(update).parts.saturating_mul(PART)
}

/// What it takes to carry out an update.
struct Cost {
    parts: u64,
    /// In how many ways it can go.
    ways: u64,
}

fn cost(update: &Update) -> Cost {
    let parts_of = |expr: &Expr| size(expr) as u64;
    match update {
        Update::Skip => Cost { parts: 1, ways: 1 },
        Update::Assign(assignments) => {
            let parts = assignments.iter().map(|(_, value)| 2 + parts_of(value)).sum();
            Cost { parts, ways: 1 }
        }
        Update::Sequence(updates) => {
            updates.iter().map(cost).fold(Cost { parts: 0, ways: 1 }, |before, next| Cost {
                parts: before.parts.saturating_add(before.ways.saturating_mul(next.parts)),
                ways: before.ways.saturating_mul(next.ways),
            })
        }
        Update::If(condition, yes, no) => {
            let (yes, no) = (cost(yes), cost(no));
            let parts = parts_of(condition).saturating_add(yes.parts.max(no.parts));
            Cost { parts, ways: yes.ways.max(no.ways) }
        }
        Update::Either(branches) => {
            branches.iter().fold(Cost { parts: 0, ways: 0 }, |before, (condition, branch)| {
                let branch = cost(branch);
                Cost {
                    parts: before.parts.saturating_add(branch.parts).saturating_add(parts_of(condition)),
                    ways: before.ways.saturating_add(branch.ways),
                }
            })
        }
        Update::Choose(binder, condition, body) => {
            let (values, body) = (values(binder), cost(body));
            let parts = parts_of(condition).saturating_add(body.parts).saturating_mul(values);
            Cost { parts, ways: body.ways.saturating_mul(values) }
        }
    }
}

/// The number of values of an index, where grounding has computed its span; otherwise as if there were one.
fn values(binder: &Binder) -> u64 {
    match (&*binder.span.lo, &*binder.span.hi) {
        (Expr::Int(lo), Expr::Int(hi)) if lo <= hi => lo.abs_diff(*hi).saturating_add(1),
        _ => 1,
    }
}
