//! The choices of values for binders: one environment each.
//!
//! Requirements and formulas bind indices (`for i in 1..N: weak P[i]`). The judge takes them apart itself and
//! evaluates through environments; grounding is what engines do, and the judge does not rely on it.

use model::instance::Environment;
use model::{Binder, Fault, semantics};

/// An environment per choice of values for the binders, the first varying slowest, on top of `outer`.
pub(crate) fn choices(binders: &[Binder], outer: &Environment) -> Result<Vec<Environment>, Fault> {
    let mut environments = vec![outer.clone()];
    for binder in binders {
        let mut extended = Vec::new();
        for mut environment in environments {
            // The span may mention the indices bound before.
            let lo = semantics::rigid(&binder.span.lo, &mut environment)?;
            let hi = semantics::rigid(&binder.span.hi, &mut environment)?;
            extended.extend((lo..=hi).map(|value| {
                let mut environment = environment.clone();
                environment.bind(binder.index, value);
                environment
            }));
        }
        environments = extended;
    }
    Ok(environments)
}
