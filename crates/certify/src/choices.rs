//! The choices of values for binders: one environment each.
//!
//! Requirements and formulas bind indices (`for i in 1..N: weak P[i]`). The judge takes them apart itself and
//! evaluates through environments; grounding is what engines do, and the judge does not rely on it. Choices are made one
//! after the other and not listed: there may be very many.

use std::ops::ControlFlow;

use model::instance::Environment;
use model::{Binder, Fault, semantics};

/// Calls `visit` with the environment of each choice of values for the binders, the first varying slowest, on top of
/// `environment`, until it breaks off. A fault if a range has no ends.
pub(crate) fn each_choice<B>(
    binders: &[Binder],
    environment: &mut Environment,
    visit: &mut dyn FnMut(&mut Environment) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, Fault> {
    let Some((binder, rest)) = binders.split_first() else { return Ok(visit(environment)) };
    // The span may mention the indices bound before.
    let lo = semantics::rigid(&binder.span.lo, environment)?;
    let hi = semantics::rigid(&binder.span.hi, environment)?;
    for value in lo..=hi {
        environment.bind(binder.index, value);
        let flow = each_choice(rest, environment, visit);
        environment.unbind();
        if let ControlFlow::Break(done) = flow? {
            return Ok(ControlFlow::Break(done));
        }
    }
    Ok(ControlFlow::Continue(()))
}
