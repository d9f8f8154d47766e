//! Where evaluation may end in a fault.
//!
//! A quantifier stops as soon as its value is known, so whether a fault inside it is met depends on the order of the
//! processes, which a context does not keep. What is quantified must therefore be free of faults, and so must what is
//! left out of the argument.

use model::expr::{Operator, Quantifier};
use model::{Expr, Refusal};

use super::{LARGEST, Reader, Role};
use crate::counter::class::refuse;

impl Reader<'_> {
    /// Whether evaluation may end in a fault. Numbers are of ranges that no sum of few leaves 64 bits with.
    pub(in crate::counter) fn may_fault(&self, expr: &Expr) -> bool {
        expr.any(&mut |part| match part {
            Expr::Int(number) => number.unsigned_abs() > LARGEST,
            Expr::Binary(Operator::Mul | Operator::Div | Operator::Mod, ..) => true,
            Expr::Quantified(Quantifier::Min | Quantifier::Max | Quantifier::Sum, ..) => true,
            Expr::Read(place) => {
                let known = |expr: &Expr| matches!(expr, Expr::Index(index) if self.role(*index) != Some(Role::Finite));
                let counted = self.holder(place).is_some();
                place.process.iter().any(|process| !counted || !known(process))
                    || place.position.iter().any(|position| !counted || !known(position))
            }
            Expr::Taken(pattern) | Expr::Enabled(pattern) => pattern
                .participants
                .iter()
                .any(|party| !matches!(party.process.as_deref(), None | Some(Expr::Index(_)))),
            _ => false,
        })
    }

    pub(super) fn faulty<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{}: what is quantified over processes may end in a fault", self.site),
            "divide, multiply and index arrays outside of the quantifier",
        )
    }
}
