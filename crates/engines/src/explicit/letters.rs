//! What property and fairness see of a step.
//!
//! The *predicates* of a task are the atoms of its formula and the `when` and `then` of its requirements. A
//! predicate may speak of the state and of the action taken. Actions fall into *kinds*, such that no `taken`
//! of the task tells two actions of a kind apart; a predicate and a kind give a state predicate. So a step is
//! seen through two numbers: the *face* of its state, which stands for the truth of all those state
//! predicates, and the kind of its action. There are few of both. Every predicate is evaluated in every
//! expanded state and for every action that leaves it, since a fault anywhere makes the property fail.

use std::collections::HashMap;
use std::sync::Arc;

use model::answer::{Position, Site};
use model::instance::Environment;
use model::semantics::Fault;
use model::{Expr, Instance, Pattern, ground, semantics};

use super::packing::Packing;
use super::space::{Space, label};
use super::table::{Predicate, Programs, Truth};
use crate::events::{collect_events, decide, taken};
use crate::graph::bits::Bits;

/// The predicates of a task.
#[derive(Default)]
pub(super) struct Predicates {
    list: Vec<(Expr, Site)>,
}

impl Predicates {
    /// The number of a ground predicate, which stands at `site` unless it is known already.
    pub(super) fn number(&mut self, expr: &Expr, site: Site) -> usize {
        self.list.iter().position(|(known, _)| known == expr).unwrap_or_else(|| {
            self.list.push((expr.clone(), site));
            self.list.len() - 1
        })
    }
}

/// Faces and kinds of a task.
pub(super) struct Letters {
    programs: Programs,
    /// The kind of each action; the last entry is that of `idle`.
    kinds: Vec<u32>,
    /// How many kinds there are.
    pub(super) count: usize,
    /// The state predicates, each with the predicate and the kind it comes from; `None` for every kind.
    facts: Vec<Fact>,
    /// The number of predicates of the task.
    predicates: usize,
    faces: HashMap<Bits, u32>,
    /// Per face and kind, the predicates that are true.
    seen: Vec<Bits>,
    /// The face of each state.
    pub(super) of: Vec<u32>,
}

struct Fact {
    predicate: usize,
    kind: Option<usize>,
    compiled: Predicate,
    /// The predicate as it is, for the reference semantics.
    expr: Expr,
    site: Site,
}

impl Letters {
    /// Prepares the predicates of a task.
    pub(super) fn new(instance: &Arc<Instance>, packing: &Arc<Packing>, predicates: &Predicates) -> Letters {
        let mut programs = Programs::new(instance, packing);
        let mut events: Vec<&Pattern> = Vec::new();
        for (expr, _) in &predicates.list {
            collect_events(expr, &mut events);
        }
        // Actions are of one kind if each event atom says the same of them.
        let mut numbers: HashMap<Vec<Expr>, u32> = HashMap::new();
        let mut kinds = Vec::new();
        let mut meanings: Vec<Vec<Expr>> = Vec::new();
        for action in instance.actions.iter().map(Some).chain([None]) {
            let meaning: Vec<Expr> = events.iter().map(|event| taken(instance, event, action)).collect();
            kinds.push(*numbers.entry(meaning.clone()).or_insert_with(|| {
                meanings.push(meaning);
                meanings.len() as u32 - 1
            }));
        }
        let mut facts = Vec::new();
        for (predicate, (expr, site)) in predicates.list.iter().enumerate() {
            let mut add = |compiled: Predicate, kind: Option<usize>| {
                facts.push(Fact { predicate, kind, compiled, expr: expr.clone(), site: *site });
            };
            if !expr.any(&mut |part| matches!(part, Expr::Taken(_))) {
                add(programs.predicate(expr), None);
                continue;
            }
            for (kind, meaning) in meanings.iter().enumerate() {
                let meaning_of = |pattern: &Pattern| {
                    events.iter().position(|event| *event == pattern).map(|event| meaning[event].clone())
                };
                let decided = decide(expr, &meaning_of);
                let decided = ground::expression(instance, &decided, &mut Environment::default());
                add(programs.predicate(&decided), Some(kind));
            }
        }
        // Facts of all kinds first, in the order of the predicates: the order in which faults are reported.
        facts.sort_by_key(|fact| (fact.kind.is_some(), fact.predicate));
        Letters {
            programs,
            kinds,
            count: meanings.len(),
            facts,
            predicates: predicates.list.len(),
            faces: HashMap::new(),
            seen: Vec::new(),
            of: Vec::new(),
        }
    }

    /// The kind of the action with this label.
    #[inline]
    pub(super) fn kind(&self, label: u16) -> usize {
        self.kinds[(label as usize).min(self.kinds.len() - 1)] as usize
    }

    /// The predicates that are true of a step: the letter with this number.
    pub(super) fn letter(&self, number: usize) -> &Bits {
        &self.seen[number]
    }

    /// The number of letters so far.
    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether a predicate is true of some step.
    pub(super) fn occurs<const W: usize>(&self, space: &Space<'_, W>, predicate: usize) -> bool {
        (0..space.bound() as u32).any(|number| {
            let steps = space.steps(number);
            let valuation = self.of[number as usize] as usize;
            steps
                .labels
                .iter()
                .any(|label| self.seen[valuation * self.count + self.kind(*label)].contains(predicate))
        })
    }

    /// The bytes it has allocated, roughly.
    pub(super) fn bytes(&self) -> u64 {
        self.of.capacity() as u64 * 4 + self.seen.len() as u64 * 96
    }

    /// Finds the face of every expanded state, or the first state with a fault in a predicate.
    pub(super) fn look_at<const W: usize>(&mut self, space: &Space<'_, W>) -> Result<(), (u32, Site, Fault)> {
        let known = self.of.len();
        self.of.resize(space.bound(), u32::MAX);
        let mut last: Option<(Bits, u32)> = None;
        for number in 0..space.bound() as u32 {
            if (number as usize) < known && self.of[number as usize] != u32::MAX || !space.is_expanded(number)
            {
                continue;
            }
            let valuation = self.valuation(space, number)?;
            // Neighbours are often alike.
            let valuation = match &last {
                Some((same, face_number)) if *same == valuation => *face_number,
                _ => {
                    let face_number = self.intern(&valuation);
                    last = Some((valuation, face_number));
                    face_number
                }
            };
            self.of[number as usize] = valuation;
        }
        Ok(())
    }

    /// The truth of all facts in a state.
    fn valuation<const W: usize>(
        &self,
        space: &Space<'_, W>,
        number: u32,
    ) -> Result<Bits, (u32, Site, Fault)> {
        let words = space.words(number);
        let mut valuation = Bits::empty(self.facts.len());
        for (fact_number, fact) in self.facts.iter().enumerate() {
            let truth = match self.programs.test(fact.compiled, &words) {
                Truth::False => false,
                Truth::True => true,
                Truth::Fault => self.ask(space, number, fact).map_err(|fault| (number, fact.site, fault))?,
            };
            if truth {
                valuation.insert(fact_number);
            }
        }
        Ok(valuation)
    }

    /// What the reference semantics says of a fact. A predicate need be free of faults only for steps that
    /// there are.
    fn ask<const W: usize>(&self, space: &Space<'_, W>, number: u32, fact: &Fact) -> Result<bool, Fault> {
        let state = space.state(number);
        let Some(kind) = fact.kind else {
            return semantics::state_predicate(space.instance, &fact.expr, &state);
        };
        let labels = space.steps(number).labels;
        match labels.iter().find(|label| self.kind(**label) == kind) {
            None => Ok(false),
            Some(step) => {
                let position = Position { state, label: label(*step) };
                semantics::step_predicate(space.instance, &fact.expr, &position)
            }
        }
    }

    fn intern(&mut self, valuation: &Bits) -> u32 {
        if let Some(number) = self.faces.get(valuation) {
            return *number;
        }
        let number = self.faces.len() as u32;
        self.faces.insert(valuation.clone(), number);
        for kind in 0..self.count {
            let mut letter = Bits::empty(self.predicates);
            for (fact_number, fact) in self.facts.iter().enumerate() {
                if fact.kind.is_none_or(|of| of == kind) && valuation.contains(fact_number) {
                    letter.insert(fact.predicate);
                }
            }
            self.seen.push(letter);
        }
        number
    }
}
