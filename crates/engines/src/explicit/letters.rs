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

use super::space::label;
use super::states::States;
use super::table::{Predicate, Programs, Truth};
use crate::events::{collect_events, decide, taken};
use crate::graph::bits::Bits;
use crate::machine::prefetch;
use crate::watch::bytes_of;
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
    valuation_of: Valuations,
    /// The last valuation and its number. Neighbouring states often have the same.
    last: (Bits, Option<u32>),
    /// The valuation that is being computed.
    present: Bits,
}

/// The number of the valuation of each state that has one: a byte for each state as long as that is enough, else four.
#[derive(Default)]
struct Valuations {
    narrow: Vec<u8>,
    /// Used instead if it is not empty.
    wide: Vec<u32>,
}

impl Valuations {
    /// Makes room for states with numbers below a bound.
    fn grow(&mut self, bound: usize) {
        if self.wide.is_empty() {
            self.narrow.resize(bound, u8::MAX);
        } else {
            self.wide.resize(bound, u32::MAX);
        }
    }

    #[inline]
    fn get(&self, state: u32) -> Option<u32> {
        if self.wide.is_empty() {
            self.narrow
                .get(state as usize)
                .filter(|number| **number < u8::MAX)
                .map(|number| u32::from(*number))
        } else {
            self.wide.get(state as usize).copied().filter(|number| *number < u32::MAX)
        }
    }

    /// Prefetches that of a state.
    #[inline]
    fn expect(&self, state: u32) {
        if let Some(number) = self.narrow.get(state as usize) {
            prefetch(number);
        }
    }

    fn set(&mut self, state: u32, valuation: u32) {
        if self.wide.is_empty() && valuation < u32::from(u8::MAX) {
            self.narrow[state as usize] = valuation as u8;
            return;
        }
        if self.wide.is_empty() {
            let widened = |number: u8| if number == u8::MAX { u32::MAX } else { u32::from(number) };
            self.wide = std::mem::take(&mut self.narrow).into_iter().map(widened).collect();
        }
        self.wide[state as usize] = valuation;
    }

    fn bytes(&self) -> u64 {
        bytes_of(&self.narrow) + bytes_of(&self.wide)
    }
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
        let nothing = Bits::empty(facts.len());
        Letters {
            programs,
            event_classes,
            class_count: meanings.len(),
            facts,
            predicates: predicates.list.len(),
            valuations: HashMap::new(),
            true_predicates: Vec::new(),
            valuation_of: Valuations::default(),
            last: (nothing.clone(), None),
            present: nothing,
        }
    }

    /// The event class of the action with this label.
    #[inline]
    pub(super) fn event_class(&self, label: u16) -> usize {
        self.event_classes[(label as usize).min(self.event_classes.len() - 1)] as usize
    }

    /// The number of the valuation of a state, if it is expanded.
    #[inline]
    pub(super) fn valuation(&self, state: u32) -> Option<usize> {
        self.valuation_of.get(state).map(|valuation| valuation as usize)
    }

    /// Says that the valuation of a state will be asked for soon.
    #[inline]
    pub(super) fn expect(&self, state: u32) {
        self.valuation_of.expect(state);
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
    pub(super) fn occurs(&self, space: &impl States, predicate: usize) -> bool {
        (0..space.bound() as u32).any(|number| {
            let Some(valuation) = self.valuation(number) else { return false };
            let of_letter =
                |class: usize| self.true_predicates[valuation * self.class_count + class].contains(predicate);
            // Most states can be told without looking at their steps.
            (0..self.class_count).any(of_letter)
                && space.with_labels(number, |labels| {
                    labels.iter().any(|label| of_letter(self.event_class(*label)))
                })
        })
    }

    /// The bytes it has allocated, roughly.
    pub(super) fn bytes(&self) -> u64 {
        self.valuation_of.bytes() + self.true_predicates.len() as u64 * 96
    }

    /// Forgets the valuations of states, because they get other numbers.
    pub(super) fn forget_states(&mut self) {
        self.valuation_of = Valuations::default();
    }

    /// Finds the valuation of every expanded state, or the first state with a fault in a predicate.
    pub(super) fn evaluate(&mut self, space: &impl States) -> Result<(), (u32, Site, Fault)> {
        self.valuation_of.grow(space.bound());
        for number in 0..space.bound() as u32 {
            if self.valuation_of.get(number).is_some() || !space.is_expanded(number) {
                continue;
            }
            let valuation = self.valuate(space, number)?;
            self.valuation_of.set(number, valuation);
        }
        Ok(())
    }

    /// The number of the valuation of a state: of the truth of all facts there.
    #[inline]
    pub(super) fn valuate(&mut self, space: &impl States, number: u32) -> Result<u32, (u32, Site, Fault)> {
        let words = space.words(number);
        self.present.clear();
        for (fact_number, fact) in self.facts.iter().enumerate() {
            let truth = match self.programs.test(fact.compiled, words.as_ref()) {
                Truth::False => false,
                Truth::True => true,
                Truth::Fault => self.ask(space, number, fact).map_err(|fault| (number, fact.site, fault))?,
            };
            if truth {
                self.present.insert(fact_number);
            }
        }
        if let (last, Some(number)) = &self.last
            && *last == self.present
        {
            return Ok(*number);
        }
        std::mem::swap(&mut self.last.0, &mut self.present);
        let number = self.intern();
        self.last.1 = Some(number);
        Ok(number)
    }

    /// Evaluates a fact by the reference semantics. Faults count only for steps that exist.
    fn ask(&self, space: &impl States, number: u32, fact: &Fact) -> Result<bool, Fault> {
        let state = space.state(number);
        let Some(event_class) = fact.event_class else {
            return semantics::state_predicate(space.instance(), &fact.expr, &state);
        };
        let of_class =
            |labels: &[u16]| labels.iter().copied().find(|label| self.event_class(*label) == event_class);
        match space.with_labels(number, of_class) {
            None => Ok(false),
            Some(step) => {
                let position = Position { state, label: label(step) };
                semantics::step_predicate(space.instance(), &fact.expr, &position)
            }
        }
    }

    /// The number of the last valuation.
    fn intern(&mut self) -> u32 {
        let valuation = &self.last.0;
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
