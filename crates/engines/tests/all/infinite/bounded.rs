//! Random programs as tasks, and the versions of them with finitely many states.

use std::sync::Arc;

use exchange::t2::{self, Claim, Question, Stuck};
use model::system::{Scalar, Update};
use model::{Span, Task};

use super::generate;

/// A program in the format of T2 with a question about it.
pub(crate) fn imported(seed: u64) -> (String, Task) {
    let (text, [ctl, ltl, star], mut pairs) = generate::blocks(seed);
    let claim = match seed % 6 {
        0 => Claim::Termination,
        1 => Claim::Safety(None),
        2 | 3 => Claim::Ctl(ctl),
        4 => Claim::Ltl(star),
        _ => Claim::Ltl(ltl),
    };
    if matches!(claim, Claim::Termination | Claim::Safety(_)) {
        pairs.clear();
    }
    let stuck = if (seed / 6).is_multiple_of(2) { Stuck::Drop } else { Stuck::Stutter };
    let question = Question { claim, pairs, stuck };
    let loaded = t2::load("random", &text, &question);
    let shown = format!("{text}\n{question:?}");
    let mut model = loaded.model.unwrap_or_else(|| panic!("{shown}\n{:?}", loaded.diagnostics));
    (shown, model.checks.remove(0).task)
}

/// The task with ranges in place of integers. It means the same if no value leaves its range.
pub(crate) fn bounded(task: &Task) -> Task {
    let mut system = (**task.system()).clone();
    let span = || Span::between(-3, 3);
    for variable in &mut system.variables {
        if variable.kind.scalar == Scalar::Int {
            variable.kind.scalar = Scalar::Range(span());
        }
    }
    system.actions.iter_mut().for_each(|action| narrow(&mut action.update, &span));
    Task::new(Arc::new(system), task.fairness.clone(), task.property.clone()).expect("it can be counted out")
}

/// Replaces choices among all integers by choices in a span.
fn narrow(update: &mut Update, span: &dyn Fn() -> Span) {
    match update {
        Update::Skip | Update::Assign(_) => {}
        Update::Sequence(parts) => parts.iter_mut().for_each(|part| narrow(part, span)),
        Update::If(_, yes, no) => [yes, no].into_iter().for_each(|part| narrow(part, span)),
        Update::Either(branches) => branches.iter_mut().for_each(|(_, part)| narrow(part, span)),
        Update::Choose(binder, _, body) => {
            if binder.span.is_endless() {
                binder.span = span();
            }
            narrow(body, span);
        }
    }
}
