//! Counting processes: a finite system that stands for every number of processes.
//!
//! In a *monadic* system ([`class`](self::class)) the processes of a family are told apart only by their local states, their *letters*:
//! guards, updates, requirements and the property speak of a process by its letter, of another process of the family
//! with `forall`, `exists` and bounded counts, and of no index as a number. A state is then described by its [`Counts`]:
//! the values that no counted process owns, the letter of the process that the property names, and for each letter how many
//! other processes have it, up to a bound `c`: `c` stands for `c` or more.
//!
//! **Nothing tells more than the bound.** The *rank* of an expression is the depth of its quantifiers over processes, where a
//! count that is compared with `k` is `k + 1` deep. *Lemma*: take two states, perhaps with different numbers of processes,
//! with the same values outside the counted processes, and the same number of *named* processes in each. If corresponding
//! named processes have the same letters and are equal to each other in the same way, and for each letter the numbers of
//! unnamed processes are equal or both at least `r`, then an expression about the named processes whose rank is at most `r`
//! has the same value in both. Proof by induction: a quantifier names one more process. If it is one that was named before,
//! take the corresponding one. If it is a new one with letter `l`, there is an unnamed process with `l` in the other
//! state, too, and afterwards the numbers are equal or both at least `r - 1`. What a quantifier ranges over is never a fault
//! in this class, so it does not matter in which order processes are tried.
//!
//! **Steps.** The [`View`] of counts is a concrete state with these counts, of an instance that is just large enough.
//! [`semantics`] gives its steps. Let `s` be any state of any instance with the same counts. If one of its processes can take a
//! step, so can a process with the same letter in the view, with the same effect on its letter and on the shared values: guards and updates
//! have at most rank `c - 1`, and apart from the process that acts the numbers are equal or at least `c - 1`. The counts
//! after the step are those of the view's target, except that a letter with `c` or more processes may have `c - 1` or still `c`
//! when one of them leaves it. So [`View::steps`] has the image of every step of every instance. `idle` is taken in `s` iff it is
//! taken in the view, because "no action is enabled" has at most rank `c`.
//!
//! **Sums.** What no step changes tells more than numbers up to a bound; see [`Sum`]. A variable may be a number of processes; see
//! [`Tally`]. Atoms of the property may compare numbers of processes with each other; see [`Balance`](self::balance).
//!
//! **Requirements.** A fair run of an instance is fair for every process of the family. Counts do not tell which process acted
//! before, so this becomes a requirement about counts by a [`Rule`]; each is sound for every number of processes, because
//! that number is finite and does not change.

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
use crate::instance::{Instance, Start};
use crate::semantics::Fault;
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
    bound: u32,
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
    /// processes.
    pub fn new(task: &Task, tallies: &[Tally]) -> Result<Counting, String> {
        class::counting(task, tallies)
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

    /// The bound of counts.
    pub fn bound(&self) -> u32 {
        self.bound
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
            most.push((self.least_size(counted).max(named), least.max(letters * self.bound + named)));
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

    /// Whether initial states with these counts have the same number of processes with the letters of a tally; of those without
    /// them, if it begins with the size of the family.
    fn is_exact(&self, tally: &Tally, counts: &Counts) -> bool {
        let counted = tally.begins_with_a_number(&self.system);
        let mut numbers = counts.numbers[tally.family].iter();
        numbers.all(|(letter, number)| tally.letters.contains(letter) != counted || *number < self.bound)
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
        if letters.saturating_mul(self.bound) > PROCESSES { Err(Trouble::TooLarge) } else { Ok(letters) }
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
                    let count = of_family.entry(letter).or_insert(0);
                    *count = (*count + 1).min(self.bound);
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
        sums.iter().all(|sum| sum.admits(counts, self.named.map(|(_, family)| family), self.bound))
    }

    /// Whether all states with these counts have a sum.
    pub fn has_sum(&self, sum: &Sum, counts: &Counts) -> bool {
        sum.is_sure(counts, self.named.map(|(_, family)| family), self.bound)
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
