//! The abstract system as plain data, with what is asked of it: for writing it as a model of its own.
//!
//! Such a model has finitely many states and no parameter. It violates the property iff the engine finds a violation of
//! the abstract system. So another engine, or another checker, can give a second opinion on the last part of the engine's
//! argument. That the steps and the requirements stand for those of every number of processes remains to be believed.
//!
//! Of the requirements "who leaves again and again is entered again and again" only those are written that the search for
//! a violation has needed.

use std::sync::Arc;

use model::property::Kind;
use model::show::Binding;
use model::{Expr, Session, Task};

use super::class;
use super::drawn::{NotDrawn, STEPS_PER_STATE, bindings, named, not_drawn};
use super::emptiness::moves;
use super::meter::Meter;
use super::requirements::{Derived, Says};
use super::show;
use super::small::Searched;
use super::space::{Predicate, Space, Stop};
use super::{Counter, Counting};

/// The abstract system of a task, its property and its requirements.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The states, as for drawing.
    pub states: Vec<Vec<Binding>>,
    /// The initial states.
    pub initial: Vec<usize>,
    /// The steps, grouped by source.
    pub steps: Vec<WrittenStep>,
    /// The property, about the processes that are counted.
    pub kind: Kind,
    /// Its atoms, without duplicates, and on which steps each is true.
    pub atoms: Vec<(Expr, Vec<bool>)>,
    /// Per alternative of the fairness, what is required of the abstract system. An invariant needs none.
    pub fairness: Vec<Vec<Required>>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenStep {
    /// Its source.
    pub from: usize,
    /// Its target.
    pub to: usize,
    /// Its action, and who becomes what.
    pub name: String,
}

/// A requirement `GF when -> GF then` on steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// What it says, and what it comes from.
    pub says: String,
    /// `None`: always.
    pub when: Option<Vec<bool>>,
    /// As it says.
    pub then: Vec<bool>,
}

impl Counter {
    /// The abstract system in which a property is decided, with at most so many states, and what is asked of it.
    pub fn written(&self, task: &Task, most: usize, session: &Session<'_>) -> Result<Written, NotDrawn> {
        let class = Arc::new(class::class(task).map_err(NotDrawn::Refused)?);
        let counting = Counting { engine: self, task, class, searched: Searched::default() };
        counting.written(most, session).map_err(not_drawn)
    }
}

impl Counting<'_> {
    fn written(&self, most: usize, session: &Session<'_>) -> Result<Written, Stop> {
        let raise = self.engine.bound.unwrap_or(1).max(1) - 1;
        let abstraction = self.engine.cache.take(self.task.system(), &self.class, raise);
        let mut abstraction = abstraction.ok_or(Stop::TooLarge("processes"))?;
        abstraction.explore(None, most.saturating_mul(STEPS_PER_STATE), session)?;
        if abstraction.explored().1.states.len() > most {
            return Err(Stop::TooLarge("states"));
        }
        let kind = self.class.kind.clone();
        let meter = Meter::new(session, "writing", "states");
        let mut columns: Vec<(Expr, usize)> = Vec::new();
        for atom in kind.atoms() {
            if !columns.iter().any(|(known, _)| known == atom) {
                columns.push((atom.clone(), abstraction.column(Predicate::closed(atom), &meter)?));
            }
        }
        let mut fairness = Vec::new();
        if let Kind::Ltl(formula) = &kind {
            let question = self.pose(&mut abstraction, formula, session)?;
            for derived in question.alternatives() {
                let (fold, space) = abstraction.explored();
                let found = question.search(space, &derived, session)?;
                let mut required: Vec<Required> = derived.iter().map(|derived| in_words(derived)).collect();
                for set in found.sets {
                    let letters = show::letters(fold, &set.iter().copied().collect::<Vec<_>>());
                    let crosses = |into: bool| {
                        let step = |step| {
                            moves(step)
                                .any(|(from, to)| set.contains(&from) != into && set.contains(&to) == into)
                        };
                        space.steps.iter().map(step).collect::<Vec<bool>>()
                    };
                    required.push(Required {
                        says: format!("there are finitely many processes: who leaves {letters} again and again, enters again and again"),
                        when: Some(crosses(false)),
                        then: crosses(true),
                    });
                }
                fairness.push(required);
            }
        }
        let (fold, space) = abstraction.explored();
        let mut states = Vec::new();
        for state in &space.states {
            states.push(bindings(fold, state, &meter)?);
        }
        let step = |step: &super::space::AbstractStep| WrittenStep {
            from: step.source as usize,
            to: step.target as usize,
            name: named(fold, step),
        };
        Ok(Written {
            states,
            initial: space.initial.iter().map(|state| *state as usize).collect(),
            steps: space.steps.iter().map(step).collect(),
            atoms: columns.into_iter().map(|(atom, column)| (atom, truths(space, column))).collect(),
            kind,
            fairness,
        })
    }
}

fn truths(space: &Space, column: usize) -> Vec<bool> {
    (0..space.steps.len()).map(|step| space.truth(column, step)).collect()
}

/// A derived requirement with its words.
fn in_words(derived: &Derived) -> Required {
    let source = &derived.source;
    let says = match &derived.says {
        Says::TheSame => source.clone(),
        Says::Debts { owed, set } => {
            format!("of {source}: G F (nobody in {set} is owed, or a debt there ends), owed = {owed}")
        }
        Says::Formula(formula) => format!("of {source}: {formula}"),
    };
    Required { says, when: derived.when.clone(), then: derived.then.clone() }
}
