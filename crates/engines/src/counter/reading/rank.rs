//! The quantifier rank of expressions.
//!
//! Without a comparison of positions, an expression whose quantifiers nest `d` deep is a statement of quantifier rank
//! `d` about a set with unary predicates (the letters) and equality. If every letter occurs equally often in two such
//! sets, or at least `d` times in both, they satisfy the same statements of rank `d`: the copying player has an
//! answer to each of `d` moves (Ehrenfeucht and Fraisse). So numbers beyond `d` need not be distinguished. Comparisons
//! of counts with numbers are such statements, too ([`numbers`](super::numbers)).

use model::expr::{Operator, Quantifier};
use model::{Expr, Index, Place, Refusal};

use super::order::{Order, Side};
use super::{Range, Reader, Role};
use crate::counter::class::refuse;

impl Reader<'_> {
    /// The quantifier rank of an expression.
    pub(super) fn rank(&mut self, expr: &Expr) -> Result<usize, Refusal> {
        match expr {
            Expr::Bool(_) | Expr::Int(_) => Ok(0),
            Expr::Parameter(id) => refuse(
                format!(
                    "{} uses the number `{}` itself",
                    self.site, self.system.parameters[id.0 as usize].name
                ),
                "quantify over the processes (`forall j in 1..N: …`), or compare one count with it",
            ),
            Expr::Index(index) => match self.role(*index) {
                Some(Role::Finite) => Ok(0),
                _ => self.id(),
            },
            Expr::Read(place) => {
                if self.tally(place).is_some() {
                    return self.misused_tally(expr);
                }
                if self.is_ticket(place) {
                    return refuse(
                        format!(
                            "{} uses the unbounded `{}` other than as a ticket",
                            self.site,
                            model::show::expression(self.system, expr)
                        ),
                        "compare a ticket only with 0 and with other tickets",
                    );
                }
                self.place(place)
            }
            Expr::Binary(operator, a, b) => self.binary(*operator, a, b),
            Expr::Quantified(quantifier, binder, body) => {
                match self.range(&binder.span, binder.index, &[body])? {
                    Range::Finite => self.within(binder, |reader| reader.rank(body)),
                    Range::Whole(family) => {
                        self.quantified(*quantifier, family, binder.index, Side::Both, None, body)
                    }
                    Range::Part(family, own, side) => {
                        self.quantified(*quantifier, family, binder.index, side, Some(own), body)
                    }
                }
            }
            Expr::Enabled(pattern) => self.enabled(pattern),
            Expr::Taken(pattern) => self.taken(pattern),
            other => {
                let mut rank = 0;
                for part in other.children() {
                    rank = rank.max(self.rank(part)?);
                }
                Ok(rank)
            }
        }
    }

    fn binary(&mut self, operator: Operator, a: &Expr, b: &Expr) -> Result<usize, Refusal> {
        let order = matches!(operator, Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge);
        let comparison = order || matches!(operator, Operator::Eq | Operator::Ne);
        if let (true, Expr::Index(a), Expr::Index(b)) = (comparison, a, b)
            && let (Some(left), Some(right)) = (self.role(*a), self.role(*b))
            && (left, right) != (Role::Finite, Role::Finite)
        {
            if left.family() != right.family() {
                return self.id();
            }
            return if order { self.compared(*a, *b) } else { Ok(0) };
        }
        if let (true, Expr::Read(place)) = (comparison, a)
            && self.is_ticket(place)
        {
            self.place(place)?;
            match b {
                Expr::Int(0) => return Ok(0),
                Expr::Read(other) if other.variable == place.variable => {
                    self.place(other)?;
                    let index = |place: &Place| match place.process.as_deref() {
                        Some(Expr::Index(index)) => Some(*index),
                        _ => None,
                    };
                    if let (Some(a), Some(b)) = (index(place), index(other)) {
                        return self.compared(a, b);
                    }
                }
                _ => {}
            }
        }
        if comparison && let Some(rank) = self.numbers(operator, a, b)? {
            return Ok(rank);
        }
        Ok(self.rank(a)?.max(self.rank(b)?))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        family: usize,
        index: Index,
        side: Side,
        own: Option<Index>,
        body: &Expr,
    ) -> Result<usize, Refusal> {
        if !matches!(quantifier, Quantifier::Forall | Quantifier::Exists) {
            return refuse(
                format!("{} computes a number over all processes", self.site),
                "use `forall`, `exists`, or compare a count or sum with a number",
            );
        }
        if self.may_fault_for(index, family, body) {
            return self.faulty();
        }
        self.bind(index, Role::Bound(family));
        let inner = self.quantified.is_empty();
        self.quantified.push((index, own));
        let rank = self.rank(body);
        let compared = self.quantified.pop().and_then(|(_, own)| own);
        let rank = rank?;
        let Some(own) = compared else { return Ok(rank + 1) };
        if own == index || !inner || rank > 0 {
            return self.misplaced();
        }
        self.order(Order { family, own, other: index, quantifier, side, body: body.clone() })
    }
}
