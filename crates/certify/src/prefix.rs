//! Finds the bad prefix of a run: its shortest beginning after which the property is false, whatever follows.
//!
//! A path `s0 … sm` is a *bad prefix* of a formula if the formula is false on every infinite word that begins like the
//! path. What follows is free: any step may leave `sm`, and then any atoms may be true, whatever the system can do. So
//! the formula alone decides, and no fairness can help.
//!
//! The reference automaton of the formula ([`tableau`]) accepts exactly the words on which the formula is true. A state
//! of it is *live* if it accepts some word; strong components show which are. The letter of a position has the atoms
//! that are true of its state and of the step that leaves it. The step that leaves `sm` is not part of the path. So the
//! path is bad if the letters of `s0 … s(m-1)`, followed by the letter of `sm` with any label, lead to no live state. If
//! no atom speaks about the step, all labels give the same letter.
//!
//! Live states that can be reached at every position of a lasso lie on a path through pairs of position and state. Once
//! it is longer than there are pairs, it has a cycle and goes on for ever, so longer prefixes need not be tried.
//!
//! If the automaton is too large, the conjuncts of the formula are examined one by one: a bad prefix of a conjunct is
//! one of the formula, but not always the shortest, and the formula may have one where no conjunct has. If the property
//! is an automaton that must accept no run, the path is bad if the automaton can be in a state that accepts everything,
//! because it can stay there on every letter with all marks. There are other bad prefixes, which we do not look for.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use model::automaton::{Cube, Edge};
use model::fairness::Assumption;
use model::instance::{ActionId, Instance};
use model::property::Kind;
use model::{
    Automaton, Counterexample, Expr, Fairness, Formula, Label, Lasso, Path, Position, Session, State, Task,
    ground, semantics, tableau,
};

use crate::acceptance::components;
use crate::end::NoValue;
use crate::limits::Limits;

/// The bad prefix of a run that the judge has accepted as evidence, if it has one.
pub fn bad_prefix(task: &Task, evidence: &Counterexample) -> Option<Path> {
    let instance = task.instance()?;
    let run = match evidence {
        Counterexample::Lasso(lasso) => Run::Lasso(lasso),
        Counterexample::Path(path) if !matches!(task.property.kind, Kind::Ctl(_)) => Run::Path(path),
        Counterexample::Labelling(refutation) => Run::Path(refutation.run.as_ref()?),
        _ => return None,
    };
    let session = Session::unlimited();
    let limits = Limits::new(&session);
    let shortest = watchers(instance, &task.property.kind)
        .iter()
        .filter_map(|watcher| watcher.watch(instance, run, &limits).ok().flatten())
        .min()?;
    let position = |k| {
        let (_, state, label) = run.at(k)?;
        Some(Position { state: state.clone(), label: label? })
    };
    let positions = (0..shortest).map(position).collect::<Option<Vec<_>>>()?;
    Some(Path { positions, last: run.at(shortest)?.1.clone() })
}

/// Whether every path of a system can be continued to a fair run.
pub(crate) fn can_be_met(instance: &Instance, fairness: &Fairness) -> bool {
    ground::fairness(instance, fairness).alternatives.iter().any(Assumption::can_be_met)
}

/// A run or its beginning.
#[derive(Clone, Copy)]
enum Run<'a> {
    Lasso(&'a Lasso),
    Path(&'a Path),
}

impl<'a> Run<'a> {
    /// The state after `k` steps, with the label of the step that leaves it, if the run goes on. The number is the same
    /// for positions that are the same.
    fn at(self, k: usize) -> Option<(usize, &'a State, Option<Label>)> {
        match self {
            Run::Lasso(Lasso { positions, cycle }) => {
                let round = positions.len().checked_sub(*cycle).filter(|round| *round > 0)?;
                let place = if k < *cycle { k } else { cycle + (k - cycle) % round };
                Some((place, &positions[place].state, Some(positions[place].label)))
            }
            Run::Path(path) => match path.positions.get(k) {
                Some(position) => Some((k, &position.state, Some(position.label))),
                None => (k == path.positions.len()).then_some((k, &path.last, None)),
            },
        }
    }

    /// The number of positions.
    fn len(self) -> usize {
        match self {
            Run::Lasso(lasso) => lasso.positions.len(),
            Run::Path(path) => path.positions.len() + 1,
        }
    }
}

/// An automaton that reads a run. The property is false, whatever follows, once it is `lost`.
struct Watcher {
    automaton: Automaton,
    /// Some of its states.
    marked: Vec<bool>,
    /// Whether the property is lost if a marked state can be reached; otherwise, if none can be.
    lost_if_marked: bool,
}

/// The automata that watch for the violation of a property.
fn watchers(instance: &Instance, kind: &Kind) -> Vec<Watcher> {
    let formula = match ground::kind(instance, kind) {
        Kind::Ltl(formula) => formula,
        Kind::Ctl(formula) => match formula.of_all_runs() {
            Some(linear) => linear,
            None => return Vec::new(),
        },
        Kind::Never(never) => {
            let automaton = never.automaton.with_atoms(never.atoms);
            let marked = everything(&automaton);
            return vec![Watcher { automaton, marked, lost_if_marked: true }];
        }
        Kind::Invariant(_) => return Vec::new(),
    };
    let watcher = |formula: &Formula| {
        let automaton = tableau::refuting(&Formula::Not(Box::new(formula.clone())))?;
        let marked = live(&automaton);
        Some(Watcher { automaton, marked, lost_if_marked: false })
    };
    match watcher(&formula) {
        Some(whole) => vec![whole],
        None => conjuncts(formula).iter().filter_map(watcher).collect(),
    }
}

/// The parts of a conjunction, or of a conjunction under `G`.
fn conjuncts(formula: Formula) -> Vec<Formula> {
    match formula {
        Formula::And(parts) => parts.into_iter().flat_map(conjuncts).collect(),
        Formula::Globally(body) => match *body {
            Formula::And(parts) => {
                let always = |part| conjuncts(Formula::Globally(Box::new(part)));
                parts.into_iter().flat_map(always).collect()
            }
            body => vec![Formula::Globally(Box::new(body))],
        },
        other => vec![other],
    }
}

/// The states that accept some word.
fn live(automaton: &Automaton) -> Vec<bool> {
    let moves: Vec<Vec<_>> =
        automaton.states.iter().map(|edges| edges.iter().map(|edge| (edge, edge.target)).collect()).collect();
    let unlimited: &dyn Fn() -> Result<(), Infallible> = &|| Ok(());
    let Ok(component) = components(&moves, unlimited);
    let mut met: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges.iter().filter(|edge| component[edge.target] == component[state]) {
            met.entry(component[state]).or_default().extend(&edge.marks);
        }
    }
    let accepts =
        |state: usize| met.get(&component[state]).is_some_and(|marks| marks.len() == automaton.marks);
    let mut live: Vec<bool> = (0..automaton.states.len()).map(accepts).collect();
    loop {
        let leads = |state: &usize| automaton.states[*state].iter().any(|edge| live[edge.target]);
        let more: Vec<usize> = (0..live.len()).filter(|state| !live[*state]).filter(leads).collect();
        if more.is_empty() {
            return live;
        }
        more.into_iter().for_each(|state| live[state] = true);
    }
}

/// States with an edge to themselves that admits every letter and carries all marks: they accept everything.
fn everything(automaton: &Automaton) -> Vec<bool> {
    let accepts_all = |(state, edges): (usize, &Vec<Edge>)| {
        edges.iter().any(|edge| {
            edge.target == state && edge.cube == Cube::default() && edge.marks.len() == automaton.marks
        })
    };
    automaton.states.iter().enumerate().map(accepts_all).collect()
}

/// The atoms that are true.
type Letter = Vec<bool>;

impl Watcher {
    /// The least number of steps of a run after which the property is false, whatever follows.
    fn watch(
        &self,
        instance: &Instance,
        run: Run<'_>,
        limits: &Limits<'_>,
    ) -> Result<Option<usize>, NoValue> {
        let mut letters: BTreeMap<usize, (Option<Letter>, BTreeSet<Letter>)> = BTreeMap::new();
        let mut reached: BTreeSet<usize> = self.automaton.initial.iter().copied().collect();
        let mut seen = BTreeSet::new();
        let most = run.len() * (self.automaton.states.len() + 1);
        for steps in 0..=most {
            limits.tick()?;
            let Some((place, state, label)) = run.at(steps) else { return Ok(None) };
            if !seen.insert((place, reached.clone())) {
                return Ok(None);
            }
            if let Entry::Vacant(entry) = letters.entry(place) {
                let own = label.map(|label| self.letter(instance, state, label)).transpose()?;
                entry.insert((own, self.letters(instance, state)?));
            }
            let (own, any) = &letters[&place];
            if any.iter().all(|letter| self.is_lost(&self.after(&reached, letter))) {
                return Ok(Some(steps));
            }
            let Some(own) = own else { return Ok(None) };
            reached = self.after(&reached, own);
        }
        Ok(None)
    }

    /// The letter of a state with the step that leaves it.
    fn letter(&self, instance: &Instance, state: &State, label: Label) -> Result<Letter, NoValue> {
        let position = Position { state: state.clone(), label };
        let truth = |atom| semantics::step_predicate(instance, atom, &position);
        Ok(self.automaton.atoms.iter().map(truth).collect::<Result<Letter, _>>()?)
    }

    /// The letters of a state, whatever step leaves it.
    fn letters(&self, instance: &Instance, state: &State) -> Result<BTreeSet<Letter>, NoValue> {
        let is_of_step = |atom: &Expr| atom.any(&mut |part| matches!(part, Expr::Taken(_)));
        let mut labels = vec![Label::Idle];
        if self.automaton.atoms.iter().any(is_of_step) {
            labels.extend((0..instance.actions.len() as u32).map(|action| Label::Action(ActionId(action))));
        }
        labels.into_iter().map(|label| self.letter(instance, state, label)).collect()
    }

    /// The states that can be reached from some states by a letter.
    fn after(&self, states: &BTreeSet<usize>, letter: &Letter) -> BTreeSet<usize> {
        let edges = states.iter().flat_map(|state| &self.automaton.states[*state]);
        edges.filter(|edge| edge.cube.admits(|atom| letter[atom])).map(|edge| edge.target).collect()
    }

    fn is_lost(&self, states: &BTreeSet<usize>) -> bool {
        states.iter().any(|state| self.marked[*state]) == self.lost_if_marked
    }
}
