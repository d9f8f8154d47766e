//! Lets the judge look at a saved counterexample, and goes on from its end.
//!
//! A saved trace names states and actions as reports do. Read for a model, it is a run or a path; whether it is one of
//! the model, and a counterexample, is for the judge to say.
//!
//! A loop is judged as it is. A path refutes an invariant that is false at its end, ends in a fault, or makes the
//! property false, whatever follows. The last needs a fair run that begins with the path, so an engine is asked for a
//! fair run from the last state; path and run together are a lasso, which the judge checks. So an engine can fail to
//! find what is missing, but cannot make a counterexample of what is none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use certify::{Judge, Standing};
use lang::Model;
use lang::diagnostic::nearest;
use model::answer::Site;
use model::instance::{ActionId, Start};
use model::property::Kind;
use model::{
    Answer, Counterexample, Expr, Fairness, Formula, Instance, Label, Lasso, Name, Path, Position, Property,
    State, Subject, Task, semantics,
};

use crate::ask::{Panel, panic_message};
use crate::check::{self, Problem};
use crate::read::{Misread, Names};
use crate::report::trace::Stage;
use crate::report::{self, evidence, trace};
use crate::world::World;

/// A trace as it was saved, in the user's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// The property it violates, if it says so.
    pub property: Option<String>,
    /// The states in full: names and values.
    pub states: Vec<Vec<(String, String)>>,
    /// The actions. There is one less than states, or as many if there is a cycle.
    pub actions: Vec<String>,
    /// The state to which the last action leads back.
    pub cycle: Option<usize>,
}

impl Saved {
    /// The trace of a report as it is saved, against no property.
    pub fn of(trace: &report::Trace) -> Saved {
        let pair = |one: &report::Binding| (one.name(), one.value.to_string());
        let mut current: Vec<(String, String)> = trace.initial.iter().map(pair).collect();
        let mut saved = Saved { cycle: trace.cycle, ..Saved::default() };
        for step in &trace.steps {
            saved.states.push(current.clone());
            saved.actions.push(step.action.clone());
            for (name, value) in step.changes.iter().map(pair) {
                if let Some(known) = current.iter_mut().find(|(known, _)| *known == name) {
                    known.1 = value;
                }
            }
        }
        // The last step of a lasso leads to a state that is already listed.
        if trace.cycle.is_none() {
            saved.states.push(current);
        }
        saved
    }
}

/// A saved trace, read for a model. It need not be a run of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run(pub(crate) Evidence);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Path(Path),
    Lasso(Lasso),
}

/// What the judge says of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It is a counterexample.
    Genuine(report::Counterexample),
    /// It is none, for this reason.
    Refused(String),
    /// It was not found out.
    Open(String),
}

/// The run that a saved trace stands for, or a sentence about what is wrong with it.
pub fn read(model: &Model, saved: &Saved) -> Result<Run, String> {
    let instance = check::instance(model).map_err(|problem: Problem| problem.to_string())?;
    let names = Names::new(instance);
    let wanted = saved.actions.len() + usize::from(saved.cycle.is_none());
    if saved.states.len() != wanted {
        return Err(format!(
            "{} actions go with {wanted} states, not with {}",
            saved.actions.len(),
            saved.states.len()
        ));
    }
    if let Some(cycle) = saved.cycle.filter(|cycle| *cycle >= saved.states.len()) {
        return Err(format!("its loop begins at state {cycle}, but it has {} states", saved.states.len()));
    }
    let mut states = Vec::new();
    for (number, texts) in saved.states.iter().enumerate() {
        let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let state =
            names.state(texts).map_err(|wrong| format!("state {number}: {}", in_words(&wrong, &names)))?;
        states.push(state);
    }
    let mut labels = Vec::new();
    for (number, action) in saved.actions.iter().enumerate() {
        let label = label(instance, action).ok_or_else(|| no_such_action(instance, number + 1, action))?;
        labels.push(label);
    }
    let last = if saved.cycle.is_none() { states.pop() } else { None };
    let positions = states.into_iter().zip(labels).map(|(state, label)| Position { state, label }).collect();
    Ok(Run(match (saved.cycle, last) {
        (Some(cycle), _) => Evidence::Lasso(Lasso { positions, cycle }),
        (None, Some(last)) => Evidence::Path(Path { positions, last }),
        (None, None) => return Err("it has no states".to_owned()),
    }))
}

/// A sentence about a text that cannot be read, with what may have been meant.
pub(crate) fn in_words(wrong: &Misread, names: &Names<'_>) -> String {
    let near = match wrong {
        Misread::Unknown(name) => nearest(name, names.all()),
        _ => None,
    };
    near.map_or_else(|| wrong.to_string(), |near| format!("{wrong}; did you mean `{near}`?"))
}

fn label(instance: &Instance, action: &str) -> Option<Label> {
    if action == "idle" {
        return Some(Label::Idle);
    }
    let place = instance.actions.iter().position(|known| known.name == action)?;
    Some(Label::Action(ActionId(place as u32)))
}

fn no_such_action(instance: &Instance, step: usize, action: &str) -> String {
    let near = nearest(action, instance.actions.iter().map(|known| known.name.as_str()));
    let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("step {step}: there is no action `{action}` in the model{near}")
}

impl Run {
    /// The states and steps, as a report shows them.
    pub fn trace(&self, model: &Model) -> Option<report::Trace> {
        let instance = model.subject.instance()?;
        Some(match &self.0 {
            Evidence::Path(path) => trace::path(Stage::of(instance, model), path),
            Evidence::Lasso(lasso) => trace::lasso(Stage::of(instance, model), lasso),
        })
    }

    /// The run up to its end, which is the state that its last step leads to.
    pub(crate) fn path(&self) -> Path {
        match &self.0 {
            Evidence::Path(path) => path.clone(),
            Evidence::Lasso(lasso) => {
                Path { positions: lasso.positions.clone(), last: lasso.positions[lasso.cycle].state.clone() }
            }
        }
    }

    /// What is wrong with it as a run of the model, or as the beginning of one.
    pub fn flaw(&self, model: &Model, world: &World<'_>) -> Option<String> {
        flaw(&model.subject, self.path(), world)
    }

    /// The model that this is a run of: with the values of dead locals forgotten, or as it is written.
    pub fn model<'a>(&self, model: &'a Model, world: &World<'_>) -> &'a Model {
        let written = model.as_written();
        let other = self.flaw(model, world).is_some() && self.flaw(written, world).is_none();
        if other { written } else { model }
    }

    /// Whether it is a counterexample to a task about the model.
    pub fn judged(&self, model: &Model, task: &Task, world: &World<'_>) -> Judged {
        let written = trace::written(model);
        let path = match &self.0 {
            Evidence::Path(path) => path,
            Evidence::Lasso(lasso) => {
                return judged(task, &Counterexample::Lasso(lasso.clone()), written, world);
            }
        };
        let Some(instance) = task.instance() else {
            return Judged::Open("a parameter has no value".to_owned());
        };
        // Nothing is evaluated in a state that has not been replayed.
        if let Some(why) = flaw(&task.subject, path.clone(), world) {
            return Judged::Refused(why);
        }
        let direct = match task.property.kind {
            Kind::Ctl(_) if path.positions.is_empty() => {
                judged(task, &Counterexample::State(path.last.clone()), written, world)
            }
            _ => judged(task, &Counterexample::Path(path.clone()), written, world),
        };
        if matches!(direct, Judged::Genuine(_)) {
            return direct;
        }
        for (site, fault) in faults(task, instance, &path.last, world) {
            let found = Counterexample::Fault { path: Some(path.clone()), site, fault };
            if let genuine @ Judged::Genuine(_) = judged(task, &found, written, world) {
                return genuine;
            }
        }
        match &task.property.kind {
            Kind::Invariant(_) => direct,
            // It is about more than one run.
            Kind::Ctl(formula) if formula.of_all_runs().is_none() => direct,
            Kind::Ctl(_) => match (extended(task, instance, path, written, world), direct) {
                (genuine @ Judged::Genuine(_), _) => genuine,
                (_, open @ Judged::Open(_)) => open,
                (other, _) => other,
            },
            Kind::Ltl(_) | Kind::Never(_) => extended(task, instance, path, written, world),
        }
    }
}

/// What is wrong with a path as one of a model.
fn flaw(subject: &Subject, path: Path, world: &World<'_>) -> Option<String> {
    // A path is evidence against what is false everywhere exactly if it is one of the model.
    let kind = Kind::Invariant(Expr::Bool(false));
    let property = Property { name: Name::default(), binders: Vec::new(), kind };
    let task = Task { subject: subject.clone(), fairness: Fairness::none(), property };
    match judge(&task, Counterexample::Path(path), world) {
        Judgement::Checked => None,
        Judgement::Refused(why) | Judgement::Open(why) => Some(why),
    }
}

/// The faults that can be found in a state: those of actions, and one of property or fairness that an engine finds.
fn faults(task: &Task, instance: &Instance, state: &State, world: &World<'_>) -> Vec<(Site, model::Fault)> {
    let actions = (0..instance.actions.len() as u32).map(ActionId);
    let mut faults: Vec<(Site, model::Fault)> = actions
        .filter_map(|action| {
            Some((Site::Action(action), semantics::successors(instance, state, action).err()?))
        })
        .collect();
    let found = answer(&Task { subject: from(instance, state), ..task.clone() }, world);
    if let Some(Answer::Fails(Counterexample::Fault { path: Some(path), site, fault })) = found
        && path.positions.is_empty()
    {
        faults.push((site, fault));
    }
    faults
}

/// Whether the property is false after a path, whatever follows, and a fair run begins with it.
fn extended(
    task: &Task,
    instance: &Instance,
    path: &Path,
    written: Option<&Instance>,
    world: &World<'_>,
) -> Judged {
    let kind = Kind::Ltl(Formula::Atom(Expr::Bool(false)));
    let never = Property { name: Name::default(), binders: Vec::new(), kind };
    let goes_on =
        Task { subject: from(instance, &path.last), fairness: task.fairness.clone(), property: never };
    match answer(&goes_on, world) {
        Some(Answer::Fails(Counterexample::Lasso(rest))) => {
            let mut positions = path.positions.clone();
            let cycle = positions.len() + rest.cycle;
            positions.extend(rest.positions);
            let whole = Counterexample::Lasso(Lasso { positions, cycle });
            let prefix = evidence::bad_prefix(task, &whole);
            match judged(task, &whole, written, world) {
                Judged::Genuine(mut shown)
                    if prefix.is_some_and(|prefix| prefix.positions.len() <= path.positions.len()) =>
                {
                    shown.trace = Some(trace::path(Stage::with(instance, written), path));
                    Judged::Genuine(shown)
                }
                Judged::Open(why) => Judged::Open(why),
                _ => Judged::Refused(
                    "it has no loop, and does not make the property false whatever follows".to_owned(),
                ),
            }
        }
        Some(Answer::Holds(_)) => Judged::Refused("no fair run begins with it".to_owned()),
        _ => Judged::Open("no fair run was found that begins with it".to_owned()),
    }
}

/// The model, begun in a state.
fn from(instance: &Instance, state: &State) -> Subject {
    let mut begun = instance.clone();
    let mut system = (*instance.system).clone();
    system.init = Vec::new();
    begun.system = Arc::new(system);
    begun.starts = state.0.iter().map(|value| Start::Among(vec![*value])).collect();
    Subject::One(Arc::new(begun))
}

/// In how many rounds an engine is asked.
const ROUNDS: u32 = 7;

fn answer(task: &Task, world: &World<'_>) -> Option<Answer> {
    let panel = Panel::aside(&task.subject, world);
    panel.ask(task, ROUNDS, world).into_answer()
}

enum Judgement {
    Checked,
    Refused(String),
    Open(String),
}

fn judge(task: &Task, found: Counterexample, world: &World<'_>) -> Judgement {
    let session = world.session();
    // Evidence from outside may be anything, so a panic of the judge must not end the command.
    let certified = catch_unwind(AssertUnwindSafe(|| {
        Judge::new(world.solvers, &session).certify(task, Answer::Fails(found))
    }));
    match certified {
        Ok(Ok(certified)) if certified.standing() == Standing::Checked => Judgement::Checked,
        Ok(Ok(certified)) if certified.unfinished().is_some() => {
            Judgement::Open("a limit was reached".to_owned())
        }
        Ok(Ok(_)) => Judgement::Open(
            "it is a path of the model; that the formula is false at its end, the path alone does not show"
                .to_owned(),
        ),
        Ok(Err(flaw)) => Judgement::Refused(flaw.to_string()),
        Err(payload) => Judgement::Open(format!("the judge broke down ({})", panic_message(&*payload))),
    }
}

fn judged(task: &Task, found: &Counterexample, written: Option<&Instance>, world: &World<'_>) -> Judged {
    match judge(task, found.clone(), world) {
        Judgement::Checked => match evidence::counterexample(task, found, written) {
            Some(shown) => Judged::Genuine(shown),
            None => Judged::Open("it cannot be shown".to_owned()),
        },
        Judgement::Refused(why) => Judged::Refused(why),
        Judgement::Open(why) => Judged::Open(why),
    }
}

#[cfg(test)]
mod tests;
