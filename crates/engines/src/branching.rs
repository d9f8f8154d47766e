//! CTL over fair runs, however an engine represents sets of states.
//!
//! Whether a run is fair does not depend on any finite beginning of it. So with `fair` for the states from which
//! some fair run begins, `EX a` is true where a step leads to `a ∧ fair`, `E[a U b]` where `b ∧ fair` is reached through
//! `a`, and `EG a` where a fair run stays in `a`. An engine provides these three. Every `A` is the negation of the `E` of
//! the opposite [CGP99]: the opposite of a strong until is a weak one, and the other way round. What is beyond CTL is
//! refused.

use model::property::{Kind, Paths};
use model::{Ctl, Expr, Refusal, RefusalKind, Task};

/// Refuses a formula that has an operator beyond those of CTL.
pub(crate) fn within_ctl(task: &Task) -> Result<(), Refusal> {
    match &task.property.kind {
        Kind::Ctl(formula) if formula.is_beyond_ctl() => Err(Refusal::of(RefusalKind::BeyondCtl)),
        _ => Ok(()),
    }
}

/// Sets of reachable states, and the operators from which all others are made.
pub(crate) trait Sets {
    /// A set of states.
    type Set;
    /// Why a set cannot be computed.
    type Stop;

    /// All reachable states.
    fn all(&self) -> Self::Set;
    /// The states where a state predicate is true.
    fn atom(&self, atom: &Expr) -> Result<Self::Set, Self::Stop>;
    /// The other states.
    fn not(&self, a: &Self::Set) -> Result<Self::Set, Self::Stop>;
    /// The states in both sets.
    fn and(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Stop>;
    /// `EX a`
    fn next(&self, a: &Self::Set) -> Result<Self::Set, Self::Stop>;
    /// `E[a U b]`
    fn until(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Stop>;
    /// `EG a`
    fn globally(&self, a: &Self::Set) -> Result<Self::Set, Self::Stop>;

    /// The states in one of the sets.
    fn or(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Stop> {
        self.not(&self.and(&self.not(a)?, &self.not(b)?)?)
    }

    /// `E[a W b]`
    fn weak_until(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Stop> {
        self.or(&self.until(a, b)?, &self.globally(a)?)
    }

    /// The reachable states where a ground formula is true.
    fn states(&self, formula: &Ctl) -> Result<Self::Set, Self::Stop> {
        let of = |formula: &Ctl| self.states(formula);
        let not = |a: &Self::Set| self.not(a);
        Ok(match formula {
            Ctl::Atom(atom) => self.atom(atom)?,
            Ctl::Not(a) => not(&of(a)?)?,
            Ctl::And(parts) => {
                let mut set = self.all();
                for part in parts {
                    set = self.and(&set, &of(part)?)?;
                }
                set
            }
            Ctl::Or(parts) => {
                let mut set = not(&self.all())?;
                for part in parts {
                    set = self.or(&set, &of(part)?)?;
                }
                set
            }
            Ctl::Implies(a, b) => self.or(&not(&of(a)?)?, &of(b)?)?,
            Ctl::Next(Paths::Some, a) => self.next(&of(a)?)?,
            Ctl::Next(Paths::All, a) => not(&self.next(&not(&of(a)?)?)?)?,
            Ctl::Finally(Paths::Some, a) => self.until(&self.all(), &of(a)?)?,
            Ctl::Finally(Paths::All, a) => not(&self.globally(&not(&of(a)?)?)?)?,
            Ctl::Globally(Paths::Some, a) => self.globally(&of(a)?)?,
            Ctl::Globally(Paths::All, a) => not(&self.until(&self.all(), &not(&of(a)?)?)?)?,
            Ctl::Until(Paths::Some, a, b) => self.until(&of(a)?, &of(b)?)?,
            Ctl::WeakUntil(Paths::Some, a, b) => self.weak_until(&of(a)?, &of(b)?)?,
            Ctl::Until(Paths::All, a, b) | Ctl::WeakUntil(Paths::All, a, b) => {
                let (not_a, not_b) = (not(&of(a)?)?, not(&of(b)?)?);
                let neither = self.and(&not_a, &not_b)?;
                not(&if matches!(formula, Ctl::Until(..)) {
                    self.weak_until(&not_b, &neither)?
                } else {
                    self.until(&not_b, &neither)?
                })?
            }
            Ctl::Infinitely(..) => unreachable!("refused by `within_ctl`"),
            Ctl::Forall(..) | Ctl::Exists(..) => unreachable!("a ground formula has no quantifiers"),
        })
    }
}
