//! The choices of values for binders: one environment each.
//!
//! Requirements and formulas bind indices (`for i in 1..N: weak P[i]`). The judge expands binders itself and evaluates
//! through environments. It does not rely on grounding, which engines use. Choices are visited one after the other and
//! not listed, because there may be very many.

use std::ops::ControlFlow;

use model::instance::Environment;
use model::{Binder, Fault, semantics};

/// Calls `visit` with the environment of each choice of values for the binders, in addition to `environment`, until it
/// breaks. The first binder varies slowest. A fault if the ends of a range have no value.
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
