//! Counting processes: a finite system that stands for every number of processes.
//!
//! In a *monadic* system ([`class`](self::class)) the processes of a family are told apart only by their local states,
//! their *letters*: guards, updates, requirements and the property speak of a process by its letter, of another process of
//! the family with `forall`, `exists` and bounded counts, and of no index as a number. A state is then described by its
//! [`Counts`]: the values that no counted process owns, the letter of the process that the property names, and for each
//! letter how many other processes have it, up to a bound `c` of the letter: `c` stands for `c` or more.
//!
//! **Nothing tells more than the bound.** A quantifier over processes *singles out* its process if its body compares it with
//! another one, or names it in an event or, where guards single processes out, asks whether it is enabled. An expression has
//! a *rank* `(a, o)`: `o` is the depth of the quantifiers that single out, where a count that is compared with `k` is
//! `k + 1` deep, and `a` is `k + 1` for the greatest `k` that another count is compared with, and at least 1. *Lemma*: take
//! two states, perhaps with different numbers of processes, with the same values outside the counted processes. In each some
//! processes are singled out, corresponding ones with the same letters and equal to each other in the same way. If for each
//! letter the numbers of all processes are equal or both at least `a`, and those of processes that are not singled out are
//! equal or both at least `o`, then an expression whose rank is at most `(a, o)` has the same value in both, whatever
//! processes with the same letters its other indices stand for. Proof by induction. A quantifier that does not single out
//! tries one process of each letter, and both states have the same letters; a count adds up the numbers of those letters for
//! which its body is true. A quantifier that singles out one more process takes the corresponding one, if it was singled out
//! before. If it is a new one with letter `l`, there is such a process in the other state, too, and afterwards the numbers
//! are equal or both at least `o - 1`. What a quantifier ranges over is never a fault in this class, so it does not matter
//! in which order processes are tried.
//!
//! A count of processes that their own letters determine needs its `k + 1` for these letters only.
//!
//! **Steps.** The [`View`] of counts is a concrete state with these counts, of an instance that is just large enough.
//! [`semantics`] gives its steps. Let `s` be any state of any instance with the same counts. If one of its processes can
//! take a step, so can a process with the same letter in the view, with the same effect on its letter and on the shared
//! values: a guard that singles out has at most `o = c - 1`, and apart from the process that acts the numbers are equal or
//! at least `c - 1`. An update may change the letter of that process before it looks at others, so its `a` is at most
//! `c - 1`, too. The counts after the step are those of the view's target, except that a letter with `c` or more processes
//! may have `c - 1` or still `c` when one of them leaves it. So [`View::steps`] has the image of every step of every
//! instance. `idle` is taken in `s` iff it is taken in the view, because "no action is enabled" has at most `o = c`.
//!
//! **Sums.** What no step changes tells more than numbers up to a bound; see [`Sum`]. A variable may be a number of
//! processes; see [`Tally`]. Atoms of the property may compare numbers of processes with each other; see
//! [`Balance`](self::balance).
//!
//! **Requirements.** A fair run of an instance is fair for every process of the family. Counts do not tell which process
//! acted before, so this becomes a requirement about counts by a [`Rule`]; each is sound for every number of processes,
//! because that number is finite and does not change.

mod balance;
mod class;
mod sum;
mod tally;
mod view;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::answer::State;
use crate::automaton::Automaton;
use crate::expr::{Expr, Index};
use crate::fairness::Requirement;
use crate::initial::{Advance, initial_states};
use crate::instance::{Environment, Instance, Start};
use crate::semantics::{self, Fault};
use crate::setting;
use crate::system::{FamilyId, System};
use crate::task::Task;

use balance::Balance;
pub use sum::Sum;
pub use tally::Tally;
pub use view::{Move, View};

/// The values of the cells that a process owns.
pub type Letter = Vec<i64>;

/// A description of states of any number of processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counts {
    /// The values of the cells that no counted process owns, in the order of an instance; 0 for a [`Tally`].
    pub rest: Vec<i64>,
    /// The letter of the process that the property names.
    pub named: Option<Letter>,
    /// Per counted family, how many other processes have which letter; the bound stands for that many or more.
    pub numbers: Vec<BTreeMap<Letter, u32>>,
}

/// A requirement about counts that every fair run satisfies. Requirements are given by their position in the alternative.
///
/// | rule | requirement | why |
/// | --- | --- | --- |
/// | `Same` | itself, about no counted process | |
/// | `Named` | itself, about the named process | |
/// | `Letter` | `GF !Φ`: not from some moment on, at every step, some process has the letter, it does not act, and it has `when` but not `then` | Otherwise a process that has the letter keeps it, since it does not act, and is not treated fairly. |
/// | `Somebody` | `GF (somebody has when) -> GF (somebody has then)` | One of finitely many processes has `when` infinitely often. |
/// | `Flow` | `GF (a process leaves these letters) -> GF (a process enters them)` | Finitely many processes have these letters. |
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// See the table.
    Same(usize),
    /// See the table.
    Named(usize),
    /// See the table. The processes are those that are not named.
    Letter(usize, Letter),
    /// See the table. The processes are those that are not named.
    Somebody(usize),
    /// A counted family, and letters of its processes that are not named.
    Flow(usize, BTreeSet<Letter>),
}

/// Why counting does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A fault happens in some instance.
    Fault(Fault),
    /// There is too much to count.
    TooLarge,
    /// A variable is not the number of processes that it should be.
    Tally,
    /// Numbers of processes are compared with each other, and counts do not tell which is greater.
    Unbalanced,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

/// The most processes of an instance that is looked at.
const PROCESSES: u32 = 60;
/// The most initial states that are looked at.
const INITIAL: usize = 200_000;

/// A family whose size is open: its index ranges from `first` to a parameter plus `offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Counted {
    family: FamilyId,
    index: Index,
    parameter: usize,
    first: i64,
    offset: i64,
}

impl Counted {
    /// The value of the parameter with which there are so many processes.
    fn parameter_for(&self, size: u32) -> i64 {
        i64::from(size) + self.first - 1 - self.offset
    }
}

/// A count that is compared with a number, of processes that their own letters determine: where it is true of a letter,
/// numbers up to the bound are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Further {
    family: usize,
    index: Index,
    body: Expr,
    bound: u32,
}

/// A requirement that can be used: about no counted process, or about each process of a family.
struct Fair {
    requirement: Requirement,
    /// The index of the process, and its family by position.
    each: Option<(Index, usize)>,
    when: usize,
    then: usize,
}

/// A task about every number of processes, prepared for counting.
pub struct Counting {
    system: Arc<System>,
    counted: Vec<Counted>,
    /// The index of the process that the property names, and its family by position.
    named: Option<(Index, usize)>,
    /// The bound of all letters.
    bound: u32,
    /// What raises the bound of some.
    further: Vec<Further>,
    /// Per family, the bounds of letters that were asked for.
    bounds: RefCell<Vec<HashMap<Letter, u32>>>,
    /// The automaton of the violations; `None` for an invariant.
    automaton: Option<Automaton>,
    /// How many of the predicates are atoms of the property: those of the automaton come first.
    atoms: usize,
    /// The expressions that are evaluated: first the atoms, then those of requirements.
    predicates: Vec<Expr>,
    /// Per alternative and requirement; `None` for those that are not used.
    fairness: Vec<Vec<Option<Fair>>>,
    tallies: Vec<Tally>,
    balances: Vec<Balance>,
    /// Per values of the parameters.
    sizes: RefCell<HashMap<Vec<i64>, Rc<Size>>>,
}

/// An instance, and the expressions with its parameters replaced.
struct Size {
    instance: Instance,
    predicates: Vec<Expr>,
}

impl Counting {
    /// Prepares a task, if its processes can be counted; otherwise says why they cannot. Some variables are numbers of
    /// processes. All bounds are higher by `raise` than they must be.
    pub fn new(task: &Task, tallies: &[Tally], raise: u32) -> Result<Counting, String> {
        class::counting(task, tallies, raise)
    }

    /// The reference automaton of the property; `None` for an invariant.
    pub fn automaton(&self) -> Option<&Automaton> {
        self.automaton.as_ref()
    }

    /// The numbers of the predicates that are atoms of the property. For an invariant there is one; for a formula those of
    /// the automaton come first.
    pub fn atoms(&self) -> std::ops::Range<usize> {
        0..self.atoms
    }

    /// The bound of a letter of a counted family: from it on, numbers are not told apart.
    fn bound(&self, family: usize, letter: &Letter) -> u32 {
        if self.further.iter().all(|further| further.family != family) {
            return self.bound;
        }
        if let Some(known) = self.bounds.borrow()[family].get(letter) {
            return *known;
        }
        let mut bound = self.bound;
        for further in self.further.iter().filter(|further| further.family == family) {
            // Where it cannot be said, a higher bound is right, too.
            if further.bound > bound && self.is_true_of(further, letter).unwrap_or(true) {
                bound = further.bound;
            }
        }
        self.bounds.borrow_mut()[family].insert(letter.clone(), bound);
        bound
    }

    /// Whether a count counts processes with this letter; nothing if there is no such process.
    fn is_true_of(&self, further: &Further, letter: &Letter) -> Option<bool> {
        let sizes: Vec<u32> = self.counted.iter().map(|counted| self.least_size(counted).max(1)).collect();
        let size = self.size(&sizes).ok()?;
        let instance = &size.instance;
        let process = instance.members(self.counted[further.family].family).next()?;
        let mut own = letter.iter();
        let mut values = Vec::new();
        for cell in &instance.cells {
            let is_own = cell.owner == Some(process);
            values.push(if is_own { *own.next()? } else { cell.domain.lo });
        }
        let mut environment = Environment::default();
        environment.bind(further.index, instance.processes[process.0 as usize].index?);
        let value = semantics::evaluate(instance, &further.body, &State(values), &mut environment).ok()?;
        own.next().is_none().then_some(value != 0)
    }

    /// The highest bound of a letter.
    fn highest(&self) -> u32 {
        self.further.iter().map(|further| further.bound).fold(self.bound, u32::max)
    }

    /// The counts of the initial states of all instances. Each has the counts of an initial state with few processes: at
    /// most `c` of each initial letter, and the named one.
    pub fn initial(&self) -> Result<BTreeSet<Counts>, Trouble> {
        let mut most = Vec::new();
        for (number, counted) in self.counted.iter().enumerate() {
            let named = u32::from(self.names(number));
            let least = self.least_size(counted).max(named).max(1);
            let sizes: Vec<u32> = self.counted.iter().map(|other| self.least_size(other).max(1)).collect();
            let letters = self.initial_letters(counted, &*self.size(&sizes)?)?;
            most.push((self.least_size(counted).max(named), least.max(letters * self.highest() + named)));
        }
        let mut found = BTreeSet::new();
        let mut looked_at = 0;
        let mut sizes: Vec<u32> = most.iter().map(|(least, _)| *least).collect();
        loop {
            let size = self.size(&sizes)?;
            let mut states = initial_states(&size.instance);
            loop {
                looked_at += 1;
                if looked_at > INITIAL {
                    return Err(Trouble::TooLarge);
                }
                match states.advance(1 << 12) {
                    Advance::End => break,
                    Advance::Searching => {}
                    Advance::Found(state) => {
                        let state = state?;
                        tally::are_right(&self.tallies, &size.instance, &state, &self.counted)?;
                        let counts = self.counts(&size.instance, &state);
                        if !self.tallies.iter().all(|tally| self.is_exact(tally, &counts)) {
                            return Err(Trouble::Tally);
                        }
                        found.insert(counts);
                    }
                }
            }
            // The next combination of sizes.
            let Some(place) = (0..sizes.len()).find(|place| sizes[*place] < most[*place].1) else {
                return Ok(found);
            };
            sizes[place] += 1;
            (0..place).for_each(|lower| sizes[lower] = most[lower].0);
        }
    }

    /// Whether initial states with these counts have the same number of processes with the letters of a tally; of those
    /// without them, if it begins with the size of the family.
    fn is_exact(&self, tally: &Tally, counts: &Counts) -> bool {
        let counted = tally.begins_with_a_number(&self.system);
        let mut numbers = counts.numbers[tally.family].iter();
        numbers.all(|(letter, number)| {
            tally.letters.contains(letter) != counted || *number < self.bound(tally.family, letter)
        })
    }

    fn names(&self, family: usize) -> bool {
        self.named.is_some_and(|(_, of)| of == family)
    }

    fn least_size(&self, counted: &Counted) -> u32 {
        let least = self.system.parameters[counted.parameter].least;
        u32::try_from(least + counted.offset - counted.first + 1).unwrap_or(0)
    }

    /// How many letters a process of a family may have at first.
    fn initial_letters(&self, counted: &Counted, size: &Size) -> Result<u32, Trouble> {
        let instance = &size.instance;
        let first = instance.members(counted.family).next();
        let own = instance.cells.iter().zip(&instance.starts).filter(|(cell, _)| cell.owner == first);
        let mut letters = 1u32;
        for (cell, start) in own {
            let values = match start {
                Start::Among(values) => values.len() as u64,
                Start::Any => (cell.domain.hi - cell.domain.lo) as u64 + 1,
            };
            letters = letters.saturating_mul(u32::try_from(values).unwrap_or(u32::MAX));
        }
        if letters.saturating_mul(self.highest()) > PROCESSES { Err(Trouble::TooLarge) } else { Ok(letters) }
    }

    /// The instance in which the counted families have these sizes.
    fn size(&self, sizes: &[u32]) -> Result<Rc<Size>, Trouble> {
        if sizes.iter().any(|size| *size > PROCESSES) {
            return Err(Trouble::TooLarge);
        }
        let mut values = vec![0; self.system.parameters.len()];
        for (counted, size) in self.counted.iter().zip(sizes) {
            values[counted.parameter] = counted.parameter_for(*size);
        }
        if let Some(known) = self.sizes.borrow().get(&values) {
            return Ok(Rc::clone(known));
        }
        let system = setting::system(&self.system, &values).ok_or(Trouble::TooLarge)?;
        let instance = Instance::new(Arc::new(system)).map_err(|_| Trouble::TooLarge)?;
        let predicates = self.predicates.iter().map(|expr| setting::expression(expr, &values)).collect();
        let size = Rc::new(Size { instance, predicates });
        self.sizes.borrow_mut().insert(values, Rc::clone(&size));
        Ok(size)
    }

    /// The counts of a state of an instance. If the property names a process, it is the first one.
    pub fn counts(&self, instance: &Instance, state: &State) -> Counts {
        let mut rest = Vec::new();
        let mut letters: Vec<BTreeMap<u32, Letter>> = vec![BTreeMap::new(); self.counted.len()];
        for (cell, value) in instance.cells.iter().zip(&state.0) {
            let family = cell.owner.map(|owner| instance.processes[owner.0 as usize].family);
            let place = family.and_then(|family| self.counted.iter().position(|c| c.family == family));
            match (place, cell.owner) {
                (Some(place), Some(owner)) => letters[place].entry(owner.0).or_default().push(*value),
                _ if self.tallies.iter().any(|tally| tally.variable == cell.variable.0 as usize) => {
                    rest.push(0);
                }
                _ => rest.push(*value),
            }
        }
        let mut named = None;
        let mut numbers = Vec::new();
        for (number, counted) in self.counted.iter().enumerate() {
            let mut of_family = BTreeMap::new();
            for (place, process) in instance.members(counted.family).enumerate() {
                let letter = letters[number].remove(&process.0).unwrap_or_default();
                // All processes are alike, so the named one may be the first.
                if place == 0 && self.names(number) {
                    named = Some(letter);
                } else {
                    let bound = self.bound(number, &letter);
                    let count = of_family.entry(letter).or_insert(0);
                    *count = (*count + 1).min(bound);
                }
            }
            numbers.push(of_family);
        }
        Counts { rest, named, numbers }
    }

    /// A concrete state with these counts and its steps; `None` if no instance has such a state, because all its
    /// processes are counted and they are too few.
    pub fn view(&self, counts: &Counts) -> Result<Option<View>, Trouble> {
        view::view(self, counts)
    }

    /// Whether reachable states may have these counts, if these are sums that no step changes.
    pub fn admits_counts(&self, sums: &[Sum], counts: &Counts) -> bool {
        let bound = |family: usize, letter: &Letter| self.bound(family, letter);
        sums.iter().all(|sum| sum.admits(counts, self.named.map(|(_, family)| family), bound))
    }

    /// Whether all states with these counts have a sum.
    pub fn has_sum(&self, sum: &Sum, counts: &Counts) -> bool {
        let bound = |family: usize, letter: &Letter| self.bound(family, letter);
        sum.is_sure(counts, self.named.map(|(_, family)| family), bound)
    }

    /// The number of alternatives of the fairness.
    pub fn alternatives(&self) -> usize {
        self.fairness.len()
    }

    /// The rules about requirements of an alternative that can be applied to these letters of each family.
    pub fn rules(&self, alternative: usize, letters: &[BTreeSet<Letter>]) -> Vec<Rule> {
        let mut rules = Vec::new();
        for (number, fair) in self.fairness[alternative].iter().enumerate() {
            let Some(fair) = fair else { continue };
            let Some((_, family)) = fair.each else {
                rules.push(Rule::Same(number));
                continue;
            };
            if self.names(family) {
                rules.push(Rule::Named(number));
            }
            rules.extend(letters[family].iter().map(|letter| Rule::Letter(number, letter.clone())));
            rules.push(Rule::Somebody(number));
        }
        rules
    }

    /// Whether a rule can be applied to an alternative.
    pub fn admits(&self, alternative: usize, rule: &Rule) -> bool {
        let each = |number: &usize| {
            let fair = self.fairness[alternative].get(*number).and_then(Option::as_ref)?;
            Some(fair.each.map(|(_, family)| family))
        };
        match rule {
            Rule::Same(number) => each(number) == Some(None),
            Rule::Named(number) => each(number).flatten().is_some_and(|family| self.names(family)),
            Rule::Letter(number, _) | Rule::Somebody(number) => each(number).flatten().is_some(),
            Rule::Flow(family, _) => *family < self.counted.len(),
        }
    }
}
