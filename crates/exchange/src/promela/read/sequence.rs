//! What SPIN makes of a sequence of statements: declarations that are steps, and `skip`s that are left out.

use lang::diagnostic::Diagnostic;

use super::syntax::{Action, Base, Expr, Initial, Node, Place, Statement};
use crate::text::Parsed;

/// An option without the steps that SPIN leaves out there: a `skip` without a label, neither first nor last, right after another
/// one or after a `printf`.
pub(super) fn without_more_skips(option: Vec<Statement>) -> Vec<Statement> {
    let count = option.len();
    let mut kept: Vec<Statement> = Vec::new();
    let mut follows = false;
    for (at, statement) in option.into_iter().enumerate() {
        let is_skip = matches!(&statement.action, Action::Wait(Expr { node: Node::Number(1), .. }));
        let is_idle = statement.labels.is_empty() && (is_skip || matches!(statement.action, Action::Print));
        if !(follows && is_idle && is_skip && at + 1 < count) {
            kept.push(statement);
        }
        follows = is_idle;
    }
    kept
}

/// A declaration is a step that gives the variable its first value, unless it stands at the beginning of its proctype. Of an
/// array only the first element gets it, and nothing of a record: so it is in SPIN.
pub(super) fn executable(body: Vec<Statement>, mut leading: bool) -> Parsed<Vec<Statement>> {
    let all = |options: Vec<Vec<Statement>>| -> Parsed<Vec<Vec<Statement>>> {
        options.into_iter().map(|option| executable(option, false)).collect()
    };
    let mut found = Vec::new();
    for Statement { mut labels, action, span } in body {
        let action = match action {
            Action::Declare(mut declared) if !leading => {
                let mut steps = Vec::new();
                for own in &mut declared {
                    // The counter of a loop over a channel has its first value from the loop.
                    if own.name.text.starts_with("for_") {
                        continue;
                    }
                    let index = own.size.as_ref().map(|_| Box::new(Expr::number(0, own.name.span)));
                    let place = Place { name: own.name.clone(), index, fields: Vec::new() };
                    let action = match std::mem::replace(&mut own.initial, Initial::None) {
                        _ if matches!(own.base, Base::Record(_)) => Action::Print,
                        Initial::None => Action::Assign(place, Expr::number(0, own.name.span)),
                        Initial::Value(value) => Action::Assign(place, value),
                        Initial::List(_) | Initial::Channel(..) => {
                            let message =
                                "this initial value can only be given at the beginning of a proctype";
                            return Err(Diagnostic::error(own.name.span, message, "not here").into());
                        }
                    };
                    steps.push(Statement { labels: std::mem::take(&mut labels), action, span });
                }
                found.push(Statement { labels, action: Action::Declare(declared), span });
                found.extend(steps);
                continue;
            }
            Action::Declare(_) => action,
            Action::Block(inner) => Action::Block(executable(inner, false)?),
            Action::Atomic(inner) => Action::Atomic(executable(inner, false)?),
            Action::Deterministic(inner) => Action::Deterministic(executable(inner, false)?),
            Action::If(options) => Action::If(all(options)?),
            Action::Do(options) => Action::Do(all(options)?),
            Action::Unless(main, escape) => {
                Action::Unless(executable(main, false)?, executable(escape, false)?)
            }
            other => other,
        };
        leading &= matches!(action, Action::Declare(_));
        found.push(Statement { labels, action, span });
    }
    Ok(found)
}
