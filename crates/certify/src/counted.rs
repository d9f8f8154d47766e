//! Judges counted proofs: walks through all listed counts with the reference counting semantics.
//!
//! [`model::proof::counted`] says what such a proof is, and [`model::counting`] why its steps and its rules cover every
//! number of processes. The walk is that of listed proofs. It shows that
//!
//! - the initial counts are listed and have the sums of the proof,
//! - no step leaves the list, unless it ends in counts that contradict a sum,
//! - no step changes a sum,
//! - there is no fault,
//! - an invariant is true, and
//! - every edge of the product with the reference automaton passes the tree of each alternative.

use std::collections::HashMap;

use model::automaton::Edge;
use model::counting::{Counting, Counts, Move, Trouble, View};
use model::proof::{Counted, Missing, Tree};
use model::{Fault, Task};

use crate::end::{End, undecided};
use crate::flaw::Flaw;
use crate::limits::Limits;
use crate::listed::{Facts, Paths, sentence};

/// Judges a proof that a property holds for every number of processes. Returns without an error if everything is shown.
pub(crate) fn judge(task: &Task, counted: &Counted, limits: &Limits<'_>) -> Result<(), End> {
    let counting = Counting::new(task, &counted.tallies, counted.raise).map_err(undecided)?;
    if counted.states.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(wrong("the counts are not in increasing order"));
    }
    let positions: HashMap<&Counts, usize> =
        counted.states.iter().enumerate().map(|(position, counts)| (counts, position)).collect();
    let alternatives = if counting.automaton().is_some() { counting.alternatives() } else { 0 };
    if counted.arguments.len() != alternatives {
        return Err(wrong("there is not one tree for each alternative of the fairness"));
    }
    let width = counting.automaton().map_or(1, |automaton| automaton.states.len());
    let mut paths = Vec::new();
    for (alternative, argument) in counted.arguments.iter().enumerate() {
        let marks = counting.automaton().map_or(0, |automaton| automaton.marks);
        if argument.tree.addresses.len() != counted.states.len() * width {
            return Err(wrong("there is not one address for each product state"));
        }
        if !argument.rules.iter().all(|rule| counting.admits(alternative, rule)) {
            return Err(wrong("a rule cannot be applied"));
        }
        paths.push(Paths::new(&argument.tree, marks, argument.rules.len(), false).map_err(wrong)?);
    }
    for initial in counting.initial().map_err(|trouble| end(&trouble))? {
        if !counted.sums.iter().all(|sum| counting.has_sum(sum, &initial)) {
            return Err(wrong("an initial state does not have a sum"));
        }
        let Some(position) = positions.get(&initial) else {
            return Err(wrong("the counts of an initial state are not listed"));
        };
        let initial = counting.automaton().map_or(&[][..], |automaton| &automaton.initial);
        if paths.iter().any(|p| initial.iter().any(|q| p.address(position * width + q) == Tree::OUTSIDE)) {
            return Err(wrong("an initial product state is left out"));
        }
    }
    let walk = Walk { counting: &counting, counted, positions, paths, width };
    for (position, counts) in counted.states.iter().enumerate() {
        limits.check()?;
        // Counts that no instance has may be listed.
        if let Some(view) = counting.view(counts).map_err(|trouble| end(&trouble))? {
            walk.state(position, &view)?;
        }
    }
    Ok(())
}

struct Walk<'w> {
    counting: &'w Counting,
    counted: &'w Counted,
    positions: HashMap<&'w Counts, usize>,
    paths: Vec<Paths<'w>>,
    width: usize,
}

impl Walk<'_> {
    /// Checks all steps from listed counts.
    fn state(&self, position: usize, view: &View) -> Result<(), End> {
        for step in &view.steps {
            let mut letter = Vec::new();
            for atom in self.counting.atoms() {
                letter.push(view.holds(atom, step).map_err(fault)?);
            }
            match self.counting.automaton() {
                None if letter.contains(&false) => return Err(wrong("the invariant is false")),
                None => {}
                Some(_) => view.evaluate_requirements(self.counting, step).map_err(fault)?,
            }
            if !self.counted.sums.iter().all(|sum| view.keeps(self.counting, sum, step)) {
                return Err(wrong("a step changes a sum"));
            }
            for counts in &step.targets {
                match self.positions.get(counts) {
                    Some(target) => self.edges(position, view, step, &letter, *target)?,
                    // No reachable state of an instance is such a state.
                    None if !self.counting.admits_counts(&self.counted.sums, counts) => {}
                    None if self.counting.view(counts).map_err(|trouble| end(&trouble))?.is_none() => {}
                    None => return Err(wrong("a step ends in counts that are not listed")),
                }
            }
        }
        Ok(())
    }

    fn edges(
        &self,
        position: usize,
        view: &View,
        step: &Move,
        letter: &[bool],
        target: usize,
    ) -> Result<(), End> {
        let Some(automaton) = self.counting.automaton() else { return Ok(()) };
        for (alternative, paths) in self.paths.iter().enumerate() {
            for (q, edges) in automaton.states.iter().enumerate() {
                let from = paths.address(position * self.width + q);
                if from == Tree::OUTSIDE {
                    continue;
                }
                for edge in edges.iter().filter(|edge| edge.cube.admits(|atom| letter[atom])) {
                    let to = paths.address(target * self.width + edge.target);
                    if to == Tree::OUTSIDE {
                        return Err(wrong("a step leaves the set of product states"));
                    }
                    let facts = CountedEdge { walk: self, alternative, edge, view, step };
                    if let Err(flaw) = paths.check(from, to, &facts) {
                        let what = sentence(&flaw);
                        return Err(wrong(&what));
                    }
                }
            }
        }
        Ok(())
    }
}

/// An edge of the product.
struct CountedEdge<'e> {
    walk: &'e Walk<'e>,
    alternative: usize,
    edge: &'e Edge,
    view: &'e View,
    step: &'e Move,
}

impl CountedEdge<'_> {
    fn applied(&self, rule: usize) -> Result<[bool; 2], Fault> {
        let rule = &self.walk.counted.arguments[self.alternative].rules[rule];
        self.view.applied(self.walk.counting, self.alternative, rule, self.step)
    }
}

impl Facts for CountedEdge<'_> {
    fn carries(&self, mark: usize) -> bool {
        self.edge.marks.contains(&mark)
    }

    fn then(&self, requirement: usize) -> Result<bool, Fault> {
        Ok(self.applied(requirement)?[1])
    }

    fn when(&self, requirement: usize) -> Result<bool, Fault> {
        Ok(self.applied(requirement)?[0])
    }

    fn step(&self) -> Missing {
        // Invariant: only reasons about strong global fairness ask, and `Paths::new` has refused them.
        Missing { state: 0, label: model::Label::Idle, target: 0 }
    }
}

fn wrong(what: &str) -> End {
    Flaw::Listed { what: what.to_owned(), state: Vec::new(), step: None, target: Vec::new() }.into()
}

fn fault(fault: Fault) -> End {
    Flaw::Fault { during: "a state of some instance".to_owned(), fault }.into()
}

fn end(trouble: &Trouble) -> End {
    match trouble {
        Trouble::Fault(found) => fault(found.clone()),
        Trouble::TooLarge => undecided("there are too many processes to count"),
        Trouble::Unbalanced => undecided("counts do not tell which of two numbers of processes is greater"),
        Trouble::Tally => wrong("a variable is not the number of processes that it should be"),
    }
}
