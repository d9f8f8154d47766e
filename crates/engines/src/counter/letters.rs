//! Letters: the state of a process of a counted family, without its position.
//!
//! A letter is the values of everything a process owns (for a ticket only whether it has one), and which of the
//! processes that the property names it is. Letters are numbered as they are met. Each has a *bound*: larger numbers
//! of processes are not distinguished. It is 1 unless an expression needs more ([`CountBound`]). A named process is a
//! single process, so the number of its letter is exact. If guards compare positions, a letter belongs to the sets
//! that they use ([`Component`]). A letter in none of them is *neutral*: its position never matters.

use std::sync::Arc;

use model::expr::Quantifier;
use model::instance::Environment;
use model::{Expr, Fault, Index, State, System, semantics};

use super::class::Class;
use super::reading::{Balance, CountBound, Side};
use super::world::World;
use rustc_hash::FxHashMap as Map;

pub(super) type LetterId = u32;

/// The state of a process, without its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Letter {
    pub(super) family: usize,
    pub(super) values: Vec<i64>,
    /// The named processes that it is, one bit each.
    pub(super) marks: u32,
}

/// A set of letters. On each side of a position the first, or the last, of them is kept.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) family: usize,
    /// Whether the first is kept, not the last.
    pub(super) first: bool,
    pub(super) set: Set,
}

/// Which letters are in the set of a component.
#[derive(Clone, Copy, Debug)]
pub(super) enum Set {
    /// The letters that decide an order quantifier on one side.
    Order(usize, Side),
    /// A named process.
    Mark(usize),
}

/// The letters met so far.
pub(super) struct Letters {
    class: Arc<Class>,
    /// A small instance, on which predicates of one or two processes are evaluated.
    sample: Arc<World>,
    list: Vec<Letter>,
    numbers: Map<Letter, LetterId>,
    bounds: Vec<u8>,
    sets: Vec<Vec<bool>>,
    neutral: Vec<bool>,
    pub(super) components: Vec<Component>,
    /// What is added to every bound.
    raise: u8,
    /// Set if the order of indices matters where tickets are compared.
    pub(super) two_orders: bool,
}

impl Letters {
    /// No letters yet; `None` if a sample instance cannot be made.
    pub(super) fn new(system: &System, class: &Arc<Class>, raise: u8) -> Option<Letters> {
        let mut values: Vec<i64> = system.parameters.iter().map(|parameter| parameter.least).collect();
        for counted in &class.counted {
            let value = &mut values[counted.parameter];
            *value = (*value).max(2 - counted.offset);
        }
        let sample = Arc::new(World::new(system, class, &values)?);
        let mut components = Vec::new();
        for (number, order) in class.orders.iter().enumerate() {
            for (side, first) in [(Side::Before, true), (Side::Behind, false)] {
                if order.side == Side::Both || order.side == side {
                    components.push(Component { family: order.family, first, set: Set::Order(number, side) });
                }
            }
        }
        for (number, mark) in class.marks.iter().enumerate() {
            if class.orders.iter().any(|order| order.family == mark.family) {
                components.push(Component { family: mark.family, first: true, set: Set::Mark(number) });
            }
        }
        Some(Letters {
            class: Arc::clone(class),
            sample,
            list: Vec::new(),
            numbers: Map::default(),
            bounds: Vec::new(),
            sets: Vec::new(),
            neutral: Vec::new(),
            components,
            raise,
            two_orders: false,
        })
    }

    /// The number of a letter.
    pub(super) fn number(&mut self, letter: Letter) -> Result<LetterId, Fault> {
        if let Some(number) = self.numbers.get(&letter) {
            return Ok(*number);
        }
        let bound = self.bound_of(&letter)?;
        let mut sets = Vec::new();
        for component in self.components.clone() {
            sets.push(component.family == letter.family && self.belongs(&letter, component.set)?);
        }
        let number = self.list.len() as LetterId;
        self.bounds.push(bound);
        self.neutral.push(!sets.contains(&true));
        self.sets.push(sets);
        self.list.push(letter.clone());
        self.numbers.insert(letter, number);
        Ok(number)
    }

    pub(super) fn letter(&self, number: LetterId) -> &Letter {
        &self.list[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// A small instance, and the cells of its first process of a family.
    pub(super) fn sample_cells(&self, family: usize) -> (&model::Instance, &[usize]) {
        (&self.sample.instance, self.sample.cells(family, 0))
    }

    /// The number up to which processes with this letter are counted.
    pub(super) fn bound(&self, number: LetterId) -> u8 {
        self.bounds[number as usize]
    }

    /// What a process with this letter adds to a balance, apart from tallies.
    pub(super) fn weight(&self, balance: &Balance, number: LetterId) -> Result<i64, Fault> {
        let letter = self.letter(number);
        if letter.family != balance.family {
            return Ok(0);
        }
        self.evaluate(letter, balance.index, &balance.weight)
    }

    /// The value of an expression about one process, if all processes of its family have this letter.
    fn evaluate(&self, letter: &Letter, index: Index, expr: &Expr) -> Result<i64, Fault> {
        let mut environment = Environment::default();
        environment.bind(index, self.class.counted[letter.family].first);
        let (state, expr) = (self.sample_state(letter, None), self.sample.set(expr));
        semantics::evaluate(&self.sample.instance, &expr, &state, &mut environment)
    }

    /// Whether this number of processes with the letter may stand for a larger one.
    pub(super) fn is_saturated(&self, number: LetterId, count: u8) -> bool {
        self.letter(number).marks == 0 && count >= self.bound(number)
    }

    /// Whether a letter is in the set of a component.
    pub(super) fn is_in(&self, number: LetterId, component: usize) -> bool {
        self.sets[number as usize][component]
    }

    pub(super) fn is_neutral(&self, number: LetterId) -> bool {
        self.neutral[number as usize]
    }

    /// Whether its process has a position in the order.
    fn is_placed(&self, letter: &Letter) -> bool {
        self.slot(letter.family).is_none_or(|slot| letter.values[slot] != 0)
    }

    /// The position of the ticket among the values of a letter.
    fn slot(&self, family: usize) -> Option<usize> {
        let ticket = self.class.counted[family].ticket?;
        let cells = self.sample.cells(family, 0);
        cells.iter().position(|cell| self.sample.instance.cells[*cell].variable == ticket)
    }

    fn bound_of(&self, letter: &Letter) -> Result<u8, Fault> {
        if letter.marks != 0 {
            return Ok(1);
        }
        let mut bound = 1;
        for CountBound { bound: wanted, of } in &self.class.count_bounds {
            let concerned = match of {
                None => true,
                Some((family, _, _)) if *family != letter.family => false,
                Some((_, index, predicate)) => self.evaluate(letter, *index, predicate)? != 0,
            };
            if concerned {
                bound = bound.max(*wanted);
            }
        }
        Ok(bound.saturating_add(self.raise))
    }

    /// The sample instance with this letter for every process of its family, and these tickets of the first two.
    fn sample_state(&self, letter: &Letter, tickets: Option<(i64, i64)>) -> State {
        let instance = &self.sample.instance;
        let mut state =
            State(instance.cells.iter().map(|cell| cell.domain.lo.max(0).min(cell.domain.hi)).collect());
        for place in 0..self.sample.size(letter.family) {
            for (cell, value) in self.sample.cells(letter.family, place).iter().zip(&letter.values) {
                state.0[*cell] = *value;
            }
        }
        if let (Some(slot), Some((first, second))) = (self.slot(letter.family), tickets) {
            state.0[self.sample.cells(letter.family, 0)[slot]] = first;
            state.0[self.sample.cells(letter.family, 1)[slot]] = second;
        }
        state
    }

    fn belongs(&mut self, letter: &Letter, set: Set) -> Result<bool, Fault> {
        let (number, side) = match set {
            Set::Mark(mark) => return Ok(letter.marks >> mark & 1 == 1 && self.is_placed(letter)),
            Set::Order(number, side) => (number, side),
        };
        let class = Arc::clone(&self.class);
        let order = &class.orders[number];
        let first = class.counted[order.family].first;
        // The other process at the first or second index, with the tickets of both processes.
        let body = |letters: &Letters, other_first: bool, tickets: Option<(i64, i64)>| {
            let tickets = tickets.map(|(other, own)| if other_first { (other, own) } else { (own, other) });
            let state = letters.sample_state(letter, tickets);
            let mut environment = Environment::default();
            environment.bind(order.other, if other_first { first } else { first + 1 });
            environment.bind(order.own, if other_first { first + 1 } else { first });
            let body = letters.sample.set(&order.body);
            let truth = semantics::evaluate(&letters.sample.instance, &body, &state, &mut environment)? != 0;
            Ok(truth == (order.quantifier == Quantifier::Exists))
        };
        if self.slot(letter.family).is_none() {
            return body(self, side == Side::Before, None);
        }
        // The result must depend on the ticket only, not on the indices.
        let placed = self.is_placed(letter);
        let cases: &[(i64, i64)] = if placed { &[(1, 2), (2, 1), (1, 0)] } else { &[(0, 1), (0, 0)] };
        for tickets in cases {
            self.two_orders |= body(self, true, Some(*tickets))? != body(self, false, Some(*tickets))?;
        }
        if !placed {
            return Ok(false);
        }
        body(self, true, Some(if side == Side::Before { (1, 2) } else { (2, 1) }))
    }
}
