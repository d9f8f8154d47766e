//! The quantifier rank of expressions.
//!
//! Without a comparison of positions, an expression whose quantifiers nest `d` deep is a statement of quantifier rank
//! `d` about a set with unary predicates (the letters) and equality. If every letter occurs equally often in two such
//! sets, or at least `d` times in both, they satisfy the same statements of rank `d`: the copying player has an
//! answer to each of `d` moves (Ehrenfeucht and Fraisse). So numbers beyond `d` need not be distinguished. `count(…)
//! <= k` stands for `k + 1` nested quantifiers. If it is the only quantifier, only the processes it counts must be
//! counted that far.

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
                "quantify over the processes (`forall j in 1..N: …`), or compare a count with a fixed number",
            ),
            Expr::Index(index) => match self.role(*index) {
                Some(Role::Finite) => Ok(0),
                _ => self.id(),
            },
            Expr::Read(place) => {
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
        let counts = |expr: &Expr| match expr {
            Expr::Quantified(Quantifier::Count, binder, _) => !self.is_finite(&binder.span),
            _ => false,
        };
        let (operator, a, b) = if counts(b) {
            let turned = match operator {
                Operator::Lt => Operator::Gt,
                Operator::Le => Operator::Ge,
                Operator::Gt => Operator::Lt,
                Operator::Ge => Operator::Le,
                other => other,
            };
            (turned, b, a)
        } else {
            (operator, a, b)
        };
        if let (true, Expr::Quantified(Quantifier::Count, binder, body)) = (comparison && counts(a), a) {
            let Expr::Int(number) = b else {
                return refuse(
                    format!("{} compares a count with something that is not a fixed number", self.site),
                    "to say that it is true of all write `forall`; else compare with a number",
                );
            };
            let exact = matches!(operator, Operator::Lt | Operator::Ge);
            let bound = (usize::try_from(*number).unwrap_or(0) + usize::from(!exact)).max(1);
            let Range::Whole(family) = self.range(&binder.span, binder.index, &[body])? else {
                return refuse(
                    format!("{} counts processes on one side of another", self.site),
                    "use `forall` or `exists` there",
                );
            };
            if self.may_fault_for(binder.index, family, body) {
                return self.faulty();
            }
            self.bind(binder.index, Role::Bound(family));
            self.quantified.push((binder.index, None));
            let rank = self.rank(body);
            let compared = self.quantified.pop().is_some_and(|(_, own)| own.is_some());
            let rank = rank?;
            if compared {
                return self.misplaced();
            }
            // If it is the only quantifier, only the processes it counts must be counted that far.
            if rank == 0 && self.quantified.is_empty() && self.reads_only(body, binder.index) {
                self.count_up_to(bound, Some((family, binder.index, (**body).clone())))?;
                return Ok(1);
            }
            return Ok(bound + rank);
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
                "use `forall`, `exists`, or a count compared with a fixed number",
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
