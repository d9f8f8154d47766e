//! Checks what an action may do to the state.
//!
//! It may write only shared variables and variables of the processes that act, so a step changes the letters of these
//! processes only. The written values are functions of the context, like a guard. A ticket is returned, or taken at
//! the end of the queue by one process at a time: two new tickets in one step would be equal, or in an order that the
//! word does not show. A tally is changed by adding a number.

use model::expr::Quantifier;
use model::system::Update;
use model::{Expr, Place, Refusal};

use super::class::refuse;
use super::reading::{Reader, Roles};

/// How far the steps of an update may move the tallies, all parts together. A comparison inside the update sees a tally
/// that was moved by at most this.
pub(super) fn shift(reader: &Reader<'_>, part: &Update) -> Result<i64, Refusal> {
    let sum = |parts: Vec<&Update>| {
        parts.into_iter().try_fold(0i64, |sum, part| Ok(sum.saturating_add(shift(reader, part)?)))
    };
    match part {
        Update::Skip => Ok(0),
        Update::Assign(assignments) => assignments.iter().try_fold(0i64, |sum, (place, value)| {
            let Some(tally) = reader.tally(place) else { return Ok(sum) };
            match reader.added(tally, value) {
                Some((_, most)) => Ok(sum.saturating_add(most)),
                None => reader.misused_tally(&Expr::Read(place.clone())),
            }
        }),
        Update::Sequence(parts) => sum(parts.iter().collect()),
        Update::If(_, yes, no) => sum(vec![yes, no]),
        Update::Either(branches) => sum(branches.iter().map(|(_, branch)| branch).collect()),
        Update::Choose(_, _, body) => shift(reader, body),
    }
}

/// Checks that an update writes only variables of the acting processes and shared variables.
pub(super) fn check(reader: &mut Reader<'_>, roles: &Roles, part: &Update) -> Result<(), Refusal> {
    match part {
        Update::Skip => Ok(()),
        Update::Assign(assignments) => assignments.iter().try_for_each(|(place, value)| {
            reader.target(place)?;
            if reader.is_ticket(place) {
                return ticket(reader, roles, place, value);
            }
            if let Some(tally) = reader.tally(place) {
                return match reader.added(tally, value) {
                    Some((parts, _)) => parts.into_iter().try_for_each(|part| reader.predicate(part)),
                    None => reader.misused_tally(&Expr::Read(place.clone())),
                };
            }
            reader.predicate(value)
        }),
        Update::Sequence(parts) => parts.iter().try_for_each(|part| check(reader, roles, part)),
        Update::If(condition, yes, no) => {
            reader.predicate(condition)?;
            check(reader, roles, yes)?;
            check(reader, roles, no)
        }
        Update::Either(branches) => branches.iter().try_for_each(|(condition, branch)| {
            reader.predicate(condition)?;
            check(reader, roles, branch)
        }),
        Update::Choose(binder, condition, body) => {
            if !reader.is_finite(&binder.span) {
                return refuse(
                    format!("{} chooses a process", reader.site()),
                    "write an action with a parameter: `action give(j: 1..N) when … { … }`",
                );
            }
            reader.within(binder, |reader| {
                reader.predicate(condition)?;
                check(reader, roles, body)
            })
        }
    }
}

/// Checks that a ticket is returned, or taken at the end of the queue by one process at a time.
fn ticket(reader: &Reader<'_>, roles: &Roles, place: &Place, value: &Expr) -> Result<(), Refusal> {
    let greatest = |part: &Expr| {
        matches!(part, Expr::Quantified(Quantifier::Max, binder, body)
            if reader.is_whole(&binder.span, place.variable)
                && matches!(&**body, Expr::Read(read) if read.variable == place.variable
                    && read.process.as_deref() == Some(&Expr::Index(binder.index))))
    };
    let taken = matches!(value, Expr::Sum(parts)
        if matches!(&parts[..], [Expr::Int(1..), part] | [part, Expr::Int(1..)] if greatest(part)));
    if taken && roles.foci.len() > 1 {
        return refuse(
            format!("{} takes a ticket in a step of two processes", reader.site()),
            "let a process take its ticket in a step of its own",
        );
    }
    if *value == Expr::Int(0) || taken {
        return Ok(());
    }
    refuse(
        format!("{} sets a ticket to something else than 0 or one more than the greatest", reader.site()),
        "write `ticket = 1 + max(j in 1..N: P[j].ticket)`; a lock with `next` and `serving` waits for \
         `forall j in 1..N: P[j].ticket == 0 || ticket <= P[j].ticket`",
    )
}
