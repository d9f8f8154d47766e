//! Letters: the predicates of a task that are true of a step.
//!
//! The *predicates* of a task are the atoms of its formula and the `when` and `then` of its requirements. A predicate
//! may depend on the state and on the action taken. Actions fall into *event classes*: no `taken` of the task
//! distinguishes two actions of a class. So a predicate and an event class together give a state predicate, called a
//! *fact*. The *valuation* of a state is the truth of all facts in it. The letter of a step follows from two numbers:
//! the valuation of its state, and the event class of its action. There are few of both. Every predicate is evaluated
//! in every expanded state and for every action that leaves it, because any fault makes the property fail.

use std::collections::HashMap;
use std::sync::Arc;

use model::answer::{Position, Site};
use model::instance::Environment;
use model::semantics::Fault;
use model::{Expr, Instance, Pattern, ground, semantics};

use super::space::{Space, label};
use super::table::{Predicate, Programs, Truth};
use crate::events::{collect_events, decide, taken};
use crate::graph::bits::Bits;
use model::packing::Packing;

/// The predicates of a task.
#[derive(Default)]
pub(super) struct Predicates {
    list: Vec<(Expr, Site)>,
}

impl Predicates {
    /// The number of a ground predicate. A new predicate is recorded with its site.
    pub(super) fn number(&mut self, expr: &Expr, site: Site) -> usize {
        self.list.iter().position(|(known, _)| known == expr).unwrap_or_else(|| {
            self.list.push((expr.clone(), site));
            self.list.len() - 1
        })
    }
}

/// The event classes, valuations and letters of a task.
pub(super) struct Letters {
    instance: Arc<Instance>,
    packing: Arc<Packing>,
    programs: Programs,
    /// The event class of each action; the last entry is that of `idle`.
    event_classes: Vec<u32>,
    /// The number of event classes.
    pub(super) class_count: usize,
    /// The facts: state predicates, each with the predicate and the event class it comes from.
    facts: Vec<Fact>,
    /// The number of predicates of the task.
    predicates: usize,
    valuations: HashMap<Bits, u32>,
    /// Per valuation and event class, the predicates that are true.
    true_predicates: Vec<Bits>,
    /// The number of the valuation of each state.
    pub(super) valuation_of: Vec<u32>,
}

struct Fact {
    predicate: usize,
    event_class: Option<usize>,
    compiled: Predicate,
    /// The original predicate, for the reference semantics.
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
        // Two actions are in one event class if every event atom has the same meaning for them.
        let mut numbers: HashMap<Vec<Expr>, u32> = HashMap::new();
        let mut event_classes = Vec::new();
        let mut meanings: Vec<Vec<Expr>> = Vec::new();
        for action in instance.actions.iter().map(Some).chain([None]) {
            let meaning: Vec<Expr> = events.iter().map(|event| taken(instance, event, action)).collect();
            event_classes.push(*numbers.entry(meaning.clone()).or_insert_with(|| {
                meanings.push(meaning);
                meanings.len() as u32 - 1
            }));
        }
        let mut facts = Vec::new();
        for (predicate, (expr, site)) in predicates.list.iter().enumerate() {
            let mut add = |compiled: Predicate, event_class: Option<usize>| {
                facts.push(Fact { predicate, event_class, compiled, expr: expr.clone(), site: *site });
            };
            if !expr.any(&mut |part| matches!(part, Expr::Taken(_))) {
                add(programs.predicate(expr), None);
                continue;
            }
            for (event_class, meaning) in meanings.iter().enumerate() {
                let meaning_of = |pattern: &Pattern| {
                    events.iter().position(|event| *event == pattern).map(|event| meaning[event].clone())
                };
                let decided = decide(expr, &meaning_of);
                let decided = ground::expression(instance, &decided, &mut Environment::default());
                add(programs.predicate(&decided), Some(event_class));
            }
        }
        // Facts for every class come first, each group in the order of the predicates. Faults are reported in
        // this order.
        facts.sort_by_key(|fact| (fact.event_class.is_some(), fact.predicate));
        Letters {
            instance: Arc::clone(instance),
            packing: Arc::clone(packing),
            programs,
            event_classes,
            class_count: meanings.len(),
            facts,
            predicates: predicates.list.len(),
            valuations: HashMap::new(),
            true_predicates: Vec::new(),
            valuation_of: Vec::new(),
        }
    }

    /// The event class of the action with this label.
    #[inline]
    pub(super) fn event_class(&self, label: u16) -> usize {
        self.event_classes[(label as usize).min(self.event_classes.len() - 1)] as usize
    }

    /// The predicates that are true of a step: the letter with this number.
    pub(super) fn letter(&self, number: usize) -> &Bits {
        &self.true_predicates[number]
    }

    /// The number of predicates of the task.
    pub(super) fn predicates(&self) -> usize {
        self.predicates
    }

    /// The number of letters so far.
    pub(super) fn len(&self) -> usize {
        self.true_predicates.len()
    }

    /// Whether a predicate is true of some step.
    pub(super) fn occurs<const W: usize>(&self, space: &Space<'_, W>, predicate: usize) -> bool {
        (0..space.bound() as u32).any(|number| {
            let steps = space.steps(number);
            let valuation = self.valuation_of[number as usize] as usize;
            steps.labels.iter().any(|label| {
                self.true_predicates[valuation * self.class_count + self.event_class(*label)]
                    .contains(predicate)
            })
        })
    }

    /// The bytes it has allocated, roughly.
    pub(super) fn bytes(&self) -> u64 {
        self.valuation_of.capacity() as u64 * 4 + self.true_predicates.len() as u64 * 96
    }

    /// Finds the valuation of every expanded state, or the first state with a fault in a predicate.
    pub(super) fn evaluate<const W: usize>(
        &mut self,
        space: &Space<'_, W>,
    ) -> Result<(), (u32, Site, Fault)> {
        let known = self.valuation_of.len();
        self.valuation_of.resize(space.bound(), u32::MAX);
        let mut last: Option<(Bits, u32)> = None;
        for number in 0..space.bound() as u32 {
            if (number as usize) < known && self.valuation_of[number as usize] != u32::MAX
                || !space.is_expanded(number)
            {
                continue;
            }
            let valuation = self
                .valuation(&space.words(number), space.steps(number).labels)
                .map_err(|(site, fault)| (number, site, fault))?;
            // Neighbouring states often have the same valuation.
            let valuation = match &last {
                Some((same, valuation_number)) if *same == valuation => *valuation_number,
                _ => {
                    let valuation_number = self.intern(&valuation);
                    last = Some((valuation, valuation_number));
                    valuation_number
                }
            };
            self.valuation_of[number as usize] = valuation;
        }
        Ok(())
    }

    /// The truth of all facts in a state which steps with these labels leave.
    pub(super) fn valuation(&self, words: &[u64], labels: &[u16]) -> Result<Bits, (Site, Fault)> {
        let mut valuation = Bits::empty(self.facts.len());
        for (fact_number, fact) in self.facts.iter().enumerate() {
            let truth = match self.programs.test(fact.compiled, words) {
                Truth::False => false,
                Truth::True => true,
                Truth::Fault => self.ask(words, labels, fact).map_err(|fault| (fact.site, fault))?,
            };
            if truth {
                valuation.insert(fact_number);
            }
        }
        Ok(valuation)
    }

    /// Evaluates a fact by the reference semantics. Faults count only for steps that exist.
    #[cold]
    fn ask(&self, words: &[u64], labels: &[u16], fact: &Fact) -> Result<bool, Fault> {
        let state = self.packing.unpack(words);
        let Some(event_class) = fact.event_class else {
            return semantics::state_predicate(&self.instance, &fact.expr, &state);
        };
        match labels.iter().find(|label| self.event_class(**label) == event_class) {
            None => Ok(false),
            Some(step) => {
                let position = Position { state, label: label(*step) };
                semantics::step_predicate(&self.instance, &fact.expr, &position)
            }
        }
    }

    /// The number of a valuation.
    pub(super) fn intern(&mut self, valuation: &Bits) -> u32 {
        if let Some(number) = self.valuations.get(valuation) {
            return *number;
        }
        let number = self.valuations.len() as u32;
        self.valuations.insert(valuation.clone(), number);
        for event_class in 0..self.class_count {
            let mut letter = Bits::empty(self.predicates);
            for (fact_number, fact) in self.facts.iter().enumerate() {
                if fact.event_class.is_none_or(|of| of == event_class) && valuation.contains(fact_number) {
                    letter.insert(fact.predicate);
                }
            }
            self.true_predicates.push(letter);
        }
        number
    }
}
