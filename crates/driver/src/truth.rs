//! What is true along a run: the parts of a property, and expressions that the user watches.
//!
//! On a lasso every part of a formula is true or false at every position, by the definition. On a path only what a state,
//! or a state and the step that leaves it, decides: the temporal parts are open. The values are those of states, so the
//! last state of a lasso, to which its last step leads back, has the values of the state where the loop begins.
//!
//! A watched expression is read as part of the model: as a formula if it is one, otherwise by comparing it with itself,
//! which any value allows. The value of an enum is found by comparing it with each of its members.

use lang::{Loaded, Model};
use model::expr::Operator;
use model::property::Kind;
use model::{Ctl, Expr, Formula, Instance, Position, Session, State, Task, semantics};

use crate::replay::{Evidence, Run};
use crate::report::plain;

/// A part of a property along a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub formula: String,
    /// How deep it is inside the property; 0 for the whole.
    pub depth: usize,
    /// Its truth in each state; `None` where it is open, or a fault.
    pub truth: Vec<Option<bool>>,
}

/// The parts of a property along a run of its model, the whole first. Parts that are open everywhere are left out.
pub fn parts(task: &Task, run: &Run) -> Vec<Part> {
    let Some(instance) = task.instance() else { return Vec::new() };
    let mut found = Vec::new();
    match &task.property.kind {
        Kind::Invariant(predicate) => expression(instance, predicate, run, 0, &mut found),
        Kind::Ltl(formula) => temporal(instance, formula, run, 0, &mut found),
        Kind::Ctl(formula) => branching(instance, formula, run, &mut found),
        Kind::Never(never) => {
            never.atoms.iter().for_each(|atom| expression(instance, atom, run, 0, &mut found));
        }
    }
    found.retain(|part| part.truth.iter().any(Option::is_some));
    let mut seen: Vec<String> = Vec::new();
    found.retain(|part| {
        let new = !seen.contains(&part.formula);
        seen.push(part.formula.clone());
        new
    });
    found
}

fn expression(instance: &Instance, expr: &Expr, run: &Run, depth: usize, found: &mut Vec<Part>) {
    let truth = along(instance, expr, run).into_iter().map(|value| value.map(|value| value != 0)).collect();
    found.push(Part { formula: plain::expression(&instance.system, expr), depth, truth });
    if let Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::Binary(Operator::Implies, ..) = expr {
        expr.children().into_iter().for_each(|part| expression(instance, part, run, depth + 1, found));
    }
}

fn temporal(instance: &Instance, formula: &Formula, run: &Run, depth: usize, found: &mut Vec<Part>) {
    if let Formula::Atom(atom) = formula {
        return expression(instance, atom, run, depth, found);
    }
    let text = plain::formula(&instance.system, formula);
    found.push(Part { formula: text, depth, truth: formula_along(instance, formula, run) });
    inside(formula).into_iter().for_each(|part| temporal(instance, part, run, depth + 1, found));
}

/// The state predicates of a branching formula; its other parts are about more than one run.
fn branching(instance: &Instance, formula: &Ctl, run: &Run, found: &mut Vec<Part>) {
    match formula {
        Ctl::Atom(atom) => expression(instance, atom, run, 0, found),
        Ctl::Not(a) | Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => {
            branching(instance, a, run, found);
        }
        Ctl::And(parts) | Ctl::Or(parts) | Ctl::Infinitely(_, parts) => {
            parts.iter().for_each(|part| branching(instance, part, run, found));
        }
        Ctl::Implies(a, b) | Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
            branching(instance, a, run, found);
            branching(instance, b, run, found);
        }
        Ctl::Forall(..) | Ctl::Exists(..) => {}
    }
}

/// The direct parts of a formula. The body of a quantifier is none: it speaks of an index that has no value outside it.
fn inside(formula: &Formula) -> Vec<&Formula> {
    match formula {
        Formula::Atom(_) | Formula::Forall(..) | Formula::Exists(..) => Vec::new(),
        Formula::Not(a)
        | Formula::Next(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Previous(a)
        | Formula::Once(a)
        | Formula::Historically(a) => vec![a],
        Formula::And(parts) | Formula::Or(parts) => parts.iter().collect(),
        Formula::Implies(a, b)
        | Formula::Since(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b) => {
            vec![a, b]
        }
    }
}

/// Whether a formula, or a part of it, is about the past.
fn looks_back(formula: &Formula) -> bool {
    match formula {
        Formula::Previous(_) | Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) => true,
        Formula::Forall(_, body) | Formula::Exists(_, body) => looks_back(body),
        other => inside(other).into_iter().any(looks_back),
    }
}

/// The truth of a formula in each state. `None` everywhere if the run is a path.
fn formula_along(instance: &Instance, formula: &Formula, run: &Run) -> Vec<Option<bool>> {
    match &run.0 {
        Evidence::Path(path) => vec![None; path.positions.len() + 1],
        Evidence::Lasso(lasso) => match certify::truth_on(instance, formula, lasso, &Session::unlimited()) {
            Some(truth) => {
                // A formula about the past may be true another time when the loop begins again.
                let again = (!looks_back(formula)).then(|| truth[lasso.cycle]);
                let here = truth.into_iter().take(lasso.positions.len()).map(Some);
                here.chain([again]).collect()
            }
            None => vec![None; lasso.positions.len() + 1],
        },
    }
}

/// The value of an expression in each state. `None` where it is a fault or about a step that is not there.
fn along(instance: &Instance, expr: &Expr, run: &Run) -> Vec<Option<i64>> {
    let at = |position: &Position| {
        if is_about_steps(expr) {
            semantics::step_predicate(instance, expr, position).ok().map(i64::from)
        } else {
            in_state(instance, expr, &position.state)
        }
    };
    match &run.0 {
        Evidence::Path(path) => {
            let last = if is_about_steps(expr) { None } else { in_state(instance, expr, &path.last) };
            path.positions.iter().map(at).chain([last]).collect()
        }
        Evidence::Lasso(lasso) => {
            let again = &lasso.positions[lasso.cycle];
            lasso.positions.iter().chain([again]).map(at).collect()
        }
    }
}

fn in_state(instance: &Instance, expr: &Expr, state: &State) -> Option<i64> {
    semantics::evaluate(instance, expr, state, &mut model::instance::Environment::default()).ok()
}

fn is_about_steps(expr: &Expr) -> bool {
    matches!(expr, Expr::Taken(_)) || expr.children().into_iter().any(is_about_steps)
}

/// The name of what is added to a model to read an expression. No user has it: it is long and says what it is.
const WATCHED: &str = "fairly_watched_expression";

/// The value of a watched expression in each state of a run, as text, or a sentence about what is wrong with it. `append`
/// reads the model with a text appended. A value is `None` where it is open, or a fault.
pub fn watched(
    model: &Model,
    run: &Run,
    text: &str,
    append: &dyn Fn(&str) -> Loaded,
) -> Result<Vec<Option<String>>, String> {
    let Some(instance) = model.subject.instance() else { return Err("a parameter has no value".to_owned()) };
    if text.trim().is_empty() || text.contains([';', '\n']) || text.contains("//") {
        return Err("write one expression, such as x + 1 or P[1]@try".to_owned());
    }
    let words = |value: Option<i64>| value.map(|value| if value != 0 { "true" } else { "false" }.to_owned());
    // A bare `a -> b` binds weaker than `under`, so the expression stands in parentheses.
    let whole = append(&format!("\nproperty {WATCHED}: ({text});\n"));
    if let Some(kind) = kind(&whole) {
        return match kind {
            Kind::Ltl(Formula::Atom(atom)) | Kind::Invariant(atom) => {
                Ok(along(instance, atom, run).into_iter().map(words).collect())
            }
            Kind::Ltl(formula) => {
                let truth = formula_along(instance, formula, run);
                Ok(truth.into_iter().map(|truth| truth.map(|truth| truth.to_string())).collect())
            }
            Kind::Ctl(_) | Kind::Never(_) => Err("a formula about many runs has no value on one".to_owned()),
        };
    }
    let number = append(&format!("\ninvariant {WATCHED}: ({text}) + 0 == ({text}) + 0;\n"));
    if let Some(Kind::Invariant(Expr::Binary(Operator::Eq, value, _))) = kind(&number) {
        let values = along(instance, value, run).into_iter();
        return Ok(values.map(|value| value.map(|value| value.to_string())).collect());
    }
    for enumeration in &model.system().enums {
        let is = |member: &String| append(&format!("\ninvariant {WATCHED}: ({text}) == {member};\n"));
        let all: Vec<(String, Loaded)> =
            enumeration.members.iter().map(|member| (member.clone(), is(member))).collect();
        if all.iter().any(|(_, loaded)| kind(loaded).is_none()) {
            continue;
        }
        let mut values = vec![None; states(run)];
        for (member, loaded) in &all {
            let Some(Kind::Invariant(equal)) = kind(loaded) else { continue };
            for (value, equal) in values.iter_mut().zip(along(instance, equal, run)) {
                if equal == Some(1) {
                    *value = Some(member.clone());
                }
            }
        }
        return Ok(values);
    }
    let message = whole.diagnostics.iter().find(|it| it.severity == lang::diagnostic::Severity::Error);
    Err(message.map_or_else(|| "it has no value".to_owned(), |message| message.message.clone()))
}

/// The number of states of a run, that after its last step included.
fn states(run: &Run) -> usize {
    1 + match &run.0 {
        Evidence::Path(path) => path.positions.len(),
        Evidence::Lasso(lasso) => lasso.positions.len(),
    }
}

/// What the added property of a model claims.
fn kind(loaded: &Loaded) -> Option<&Kind> {
    let checks = &loaded.model.as_ref()?.checks;
    checks.iter().find(|check| check.task.property.name.family == WATCHED).map(|it| &it.task.property.kind)
}
