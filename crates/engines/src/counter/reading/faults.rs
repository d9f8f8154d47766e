//! Finds expressions whose evaluation may end in a fault.
//!
//! A quantifier stops as soon as its value is known. So whether a fault inside it is met depends on the order of the
//! processes, which a context does not keep. Therefore the body of a quantifier must be free of faults, and so must
//! requirements that are left out. Reading a process that certainly exists is no fault; a number from a known range
//! may be the index of no process.

use model::expr::{Operator, Quantifier};
use model::{Expr, Index, Refusal};

use super::{LARGEST, Range, Reader, Role};
use crate::counter::class::refuse;

/// The surrounding quantified indices, with the families of those that stand for processes.
type Around = Vec<(Index, Option<usize>)>;

impl Reader<'_> {
    /// Whether evaluation may end in a fault. The ranges of numbers are so small that sums of a few do not leave 64
    /// bits.
    pub(in crate::counter) fn may_fault(&self, expr: &Expr) -> bool {
        self.may_fault_in(expr, &mut Vec::new())
    }

    /// The same for the body of a quantifier over processes of a family.
    pub(super) fn may_fault_for(&self, index: Index, family: usize, body: &Expr) -> bool {
        self.may_fault_in(body, &mut vec![(index, Some(family))])
    }

    fn may_fault_in(&self, expr: &Expr, around: &mut Around) -> bool {
        let is_process = |index: &Expr, family: usize| {
            let Expr::Index(index) = index else { return false };
            let known = around.iter().rev().find(|(bound, _)| bound == index).map(|(_, family)| *family);
            known.unwrap_or_else(|| self.role(*index).and_then(Role::family)) == Some(family)
        };
        let faulty = match expr {
            Expr::Int(number) => number.unsigned_abs() > LARGEST,
            Expr::Binary(Operator::Mul | Operator::Div | Operator::Mod, ..) => true,
            Expr::Quantified(Quantifier::Min | Quantifier::Max | Quantifier::Sum, ..) => true,
            Expr::Quantified(_, binder, body) => {
                let family = match self.range(&binder.span, binder.index, &[body]) {
                    Ok(Range::Whole(family) | Range::Part(family, ..)) => Some(family),
                    Ok(Range::Finite) => None,
                    Err(_) => return true,
                };
                around.push((binder.index, family));
                let faulty = self.may_fault_in(body, around);
                around.pop();
                return faulty;
            }
            Expr::Read(place) => match self.holder(place) {
                Some((family, _)) => {
                    let mut indices = place.process.iter().map(|process| &**process).chain(&place.position);
                    !indices.all(|index| is_process(index, family))
                }
                None => place.process.is_some() || !place.position.is_empty(),
            },
            Expr::Taken(pattern) | Expr::Enabled(pattern) => pattern.participants.iter().any(|party| {
                let family = self.counted.iter().position(|counted| counted.family == party.family);
                let exists = |process: &Expr| family.is_some_and(|family| is_process(process, family));
                party.process.as_deref().is_some_and(|process| !exists(process))
            }),
            _ => false,
        };
        faulty || expr.children().into_iter().any(|child| self.may_fault_in(child, around))
    }

    pub(super) fn faulty<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{}: what is quantified over processes may end in a fault", self.site),
            "divide, multiply and index arrays outside of the quantifier",
        )
    }
}
