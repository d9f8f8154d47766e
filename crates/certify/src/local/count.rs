//! Comparisons of a count with a constant as diagrams: `count(i in 1..N: P[i]@crit) <= 1`.
//!
//! A solver adds up such a count bit by bit, and needs thousands of conflicts to show that it follows from a diagram.
//! But if each part of the count is a test of the proof, the comparison is a diagram itself: a node per test and value
//! so far, where all values beyond the constant are one. Then one walk shows whether an invariant implies it. Other
//! predicates are left to the solver.

use std::collections::BTreeMap;

use model::expr::Operator;
use model::instance::Environment;
use model::proof::{Node, Root, Test};
use model::{Expr, Instance, ground};

use super::circuit::Lit;
use super::encoder::{Encoder, Halt, Scope, Writes};
use super::sets::Sets;

/// Limit on the constant.
const CONSTANT: i128 = 64;

/// The states where a predicate is true, if it is such a comparison.
pub(crate) fn diagram(
    instance: &Instance,
    encoder: &mut Encoder<'_>,
    sets: &mut Sets<'_>,
    predicate: &Expr,
) -> Result<Option<Root>, Halt> {
    let predicate = ground::expression(instance, predicate, &mut Environment::default());
    let Expr::Binary(operator, sum, constant) = &predicate else { return Ok(None) };
    let (Expr::Sum(parts), Expr::Int(constant)) = (&**sum, &**constant) else { return Ok(None) };
    let mut constant = i128::from(*constant);
    // Per test, how much it adds if it is false and if it is true.
    let mut weights: BTreeMap<(u32, Test), [usize; 2]> = BTreeMap::new();
    let state = Writes::new();
    for part in parts {
        let (number, fault) = encoder.value(part, &mut Scope::state(&state, Environment::default()))?;
        if fault != Lit::FALSE {
            return Ok(None);
        }
        if let Some(known) = number.known() {
            constant -= known;
            continue;
        }
        let Some((place, test, outcome)) = sets.literal(number.bit(0)) else { return Ok(None) };
        if (number.lo, number.hi) != (0, 1) {
            return Ok(None);
        }
        weights.entry((place, test)).or_default()[usize::from(outcome)] += 1;
    }
    if !(0..=CONSTANT).contains(&constant) {
        return Ok(None);
    }
    let constant = constant as usize;
    let is_true = |count: usize| match operator {
        Operator::Eq => count == constant,
        Operator::Ne => count != constant,
        Operator::Lt => count < constant,
        Operator::Le => count <= constant,
        Operator::Gt => count > constant,
        Operator::Ge => count >= constant,
        _ => false,
    };
    if !matches!(
        operator,
        Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge
    ) {
        return Ok(None);
    }
    // From the last test up: the diagram for each value so far.
    let most = constant + 1;
    let mut row: Vec<Root> =
        (0..=most).map(|count| if is_true(count) { Root::TRUE } else { Root::FALSE }).collect();
    for ((_, test), [no, yes]) in weights.into_iter().rev() {
        encoder.tick()?;
        let after = |count: usize, more: usize| row[(count + more).min(most)];
        let nodes: Vec<Node> =
            (0..=most).map(|count| Node { test, no: after(count, no), yes: after(count, yes) }).collect();
        row = nodes.into_iter().map(|node| sets.node(node)).collect();
    }
    Ok(row.first().copied())
}

#[cfg(test)]
mod tests {
    use model::proof::{Builder, Exposed, Local};
    use model::{ProcessId, Property};

    use super::*;
    use crate::local::budget::Budget;

    /// Every comparison, with parts that are tests, their opposites, and constants, in all states.
    #[test]
    fn a_comparison_of_a_count_is_the_diagram_of_its_states() {
        for constant in 1..7 {
            for operator in ["<=", "<", ">=", ">", "==", "!="] {
                let source = format!(
                    "shared s: array[0..4] of bool;
                    process P {{ action t {{ s[0] = !s[0]; }} }}
                    invariant p: count(i in 0..4: i == 0 || if i == 3 {{ !s[i] }} else {{ s[i] }})
                        {operator} {constant};"
                );
                let model = lang::load("test", &source, &[]).model.unwrap_or_else(|| panic!("{source}"));
                let Property { kind: model::property::Kind::Invariant(predicate), .. } =
                    model.checks[0].task.property.clone()
                else {
                    panic!("it is an invariant")
                };
                let instance = std::sync::Arc::clone(model.subject.instance().expect("no open parameters"));
                let budget = Budget::new(u64::MAX, &|| None);
                let mut builder = Builder::default();
                for cell in 0..5 {
                    builder.node(Test::Bit { cell, bit: 0 }, Root::FALSE, Root::TRUE);
                }
                let exposed = vec![Exposed { process: ProcessId(0), predicate: Expr::Bool(true) }];
                let local = Local { diagrams: builder.finish(), exposed, ..Local::default() };
                let mut encoder = Encoder::new(&instance, u64::MAX, &budget);
                let mut sets = Sets::new(&mut encoder, &local).expect("no limit");
                let found = diagram(&instance, &mut encoder, &mut sets, &predicate).expect("no limit");
                let root = found.unwrap_or_else(|| panic!("{source} is a comparison of a count"));
                let scope =
                    &mut Scope { at: &Writes::new(), environment: Environment::default(), step: false };
                let (truth, _) = encoder.predicate(&predicate, scope).expect("no limit");
                let inputs: Vec<usize> = encoder.cells.iter().flatten().map(|bit| bit.gate()).collect();
                for word in 0..32usize {
                    let values = encoder.circuit.values(|gate| {
                        inputs.iter().position(|input| *input == gate).is_some_and(|i| word >> i & 1 == 1)
                    });
                    let is_in = sets.contains(&encoder, root, None, &values);
                    assert_eq!(is_in, values.of(truth), "{operator} {constant}, state {word:05b}");
                }
            }
        }
    }
}
