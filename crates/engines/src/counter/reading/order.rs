//! Quantifiers that compare positions.
//!
//! A guard may ask about the processes before or after the one that acts, by index or by ticket. Such a quantifier is
//! an [`Order`]. Apart from the comparison, its body may read only the quantified process, so it only depends on
//! whether a letter of some set occurs on one side. It must be the outermost quantifier, and the comparison must be
//! with a process that acts or that a requirement is about.

use model::expr::Quantifier;
use model::{Expr, Index, Refusal};

use super::{Reader, Role};
use crate::counter::class::refuse;

/// The side of the acting process that a quantifier is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::counter) enum Side {
    Both,
    Before,
    Behind,
}

/// A quantifier that compares positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::counter) struct Order {
    pub(in crate::counter) family: usize,
    /// The acting process.
    pub(in crate::counter) own: Index,
    /// The quantified process.
    pub(in crate::counter) other: Index,
    pub(in crate::counter) quantifier: Quantifier,
    pub(in crate::counter) side: Side,
    pub(in crate::counter) body: Expr,
}

impl Reader<'_> {
    /// Records an order, if its body reads only the quantified process and tickets.
    pub(super) fn order(&mut self, order: Order) -> Result<usize, Refusal> {
        if !self.ordered {
            return self.misplaced();
        }
        let ticket = self.counted[order.family].ticket;
        if order.side != Side::Both && ticket.is_some() {
            return refuse(
                format!("{} orders processes by index, but they also have tickets", self.site),
                "use one order",
            );
        }
        let foreign = order.body.any(&mut |part| match part {
            Expr::Read(place) => match self.holder(place) {
                Some((_, Some(Expr::Index(read)))) => *read != order.other && Some(place.variable) != ticket,
                _ => true,
            },
            Expr::Index(read) => *read != order.other && *read != order.own,
            // Whether another process is enabled may depend on shared variables.
            Expr::Taken(_) | Expr::Enabled(_) => true,
            _ => false,
        });
        if foreign {
            return refuse(
                format!(
                    "{} compares positions and reads more than the other process in the same quantifier",
                    self.site
                ),
                "split the quantifier, so that what is compared by position reads `P[j]` only",
            );
        }
        let order = order.with_plain_indices();
        if !self.orders.contains(&order) {
            self.orders.push(order);
        }
        Ok(1)
    }

    /// Handles a comparison of two positions: that of the innermost quantified process with that of one that acts.
    pub(super) fn compared(&mut self, a: Index, b: Index) -> Result<usize, Refusal> {
        let acting = |role| matches!(role, Some(Role::Acts(_)));
        let (ra, rb) = (self.role(a), self.role(b));
        if let Some((innermost, own)) = self.quantified.last_mut() {
            let other = match (a == *innermost, b == *innermost) {
                (true, false) if acting(rb) => Some(b),
                (false, true) if acting(ra) => Some(a),
                _ => None,
            };
            if let Some(other) = other
                && own.is_none_or(|own| own == other)
            {
                *own = Some(other);
                return Ok(0);
            }
        }
        self.misplaced()
    }

    pub(super) fn misplaced<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{} compares positions of processes", self.site),
            "only a guard may, of a quantified process with the one that acts: `forall j in 1..i-1: …`; \
             if only equality matters write `j != i`",
        )
    }
}

impl Order {
    /// The same with canonical indices, so that equal orders are recognised.
    fn with_plain_indices(mut self) -> Order {
        let (own, other) = (Index(u32::MAX - 1), Index(u32::MAX));
        self.body = renamed(&self.body, &[(self.own, own), (self.other, other)]);
        (self.own, self.other) = (own, other);
        self
    }
}

fn renamed(expr: &Expr, names: &[(Index, Index)]) -> Expr {
    match expr {
        Expr::Index(index) => {
            Expr::Index(names.iter().find(|(old, _)| old == index).map_or(*index, |(_, new)| *new))
        }
        other => other.map(&mut |part| renamed(part, names)),
    }
}
