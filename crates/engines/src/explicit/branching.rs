//! CTL on the complete graph, by labelling states.
//!
//! A set has a bit for each state. `EX` looks at the steps of each state, `EU` goes backward along stored predecessors,
//! and `EG a` finds the maximal fair sets of steps inside `a` ([`fair_components`]) and goes backward from them through `a`.
//! Restricting the graph to `a` restricts where a run may go, not what is enabled: enabledness, and the steps that strong
//! global fairness asks for, are those of the whole system. A fair set inside `a` from which a step leaves `a` is
//! therefore not globally fair.
//!
//! If the formula is false and speaks of all runs, the evidence is a run that violates its linear reading, searched like
//! that of an LTL formula. If it is `AG a`, it is a path to a state of some fair run where `a` is false. Otherwise it is
//! an initial state.
//!
//! Nothing is looked at before the graph is complete, and no reduction preserves CTL. Linear in the steps for each
//! operator, times the requirements for `EG`; four bytes for each step and a few for each state.

use std::cell::OnceCell;

use automata::Automaton;
use model::answer::{Counterexample, Site};
use model::{Answer, Ctl, Expr, Note, Session, StopReason, ground};

use super::letters::{Letters, Predicates};
use super::look::{Look, Target};
use super::notes::note_realisability;
use super::product::{self, Product};
use super::requirements::Alternative;
use super::space::{Space, Stop};
use crate::branching::Sets;
use crate::graph::bits::Bits;
use crate::graph::fair::{Fair, Judgement, fair_components};
use crate::watch::{Watch, bytes_of};

/// Whether a ground formula is true in every initial state. `None` if there are more states than `state_limit`, or if some
/// initial states are left out.
pub(super) fn decide<const W: usize>(
    look: Look<'_>,
    formula: &Ctl,
    space: &mut Space<'_, W>,
    searched: &mut usize,
    state_limit: usize,
    session: &Session<'_>,
) -> Result<Option<Answer>, Stop> {
    if space.is_partial() || !space.explore(state_limit, session)? {
        *searched = space.expanded();
        return Ok(None);
    }
    let instance = space.instance;
    let mut predicates = Predicates::default();
    let atoms: Vec<(&Expr, usize)> =
        formula.atoms().into_iter().map(|atom| (atom, predicates.number(atom, Site::Property))).collect();
    let fairness = ground::fairness(instance, &look.task.fairness);
    let alternatives: Vec<Alternative> = (fairness.alternatives.iter())
        .map(|assumption| Alternative::new(instance, assumption, &mut predicates))
        .collect();
    let mut letters = Letters::new(&space.successors.instance, &space.successors.packing, &predicates);
    letters
        .evaluate(space)
        .map_err(|(number, site, fault)| Stop::fault(Some(space.path(number)), site, fault))?;
    let everything = Automaton::everything();
    if !product::fits(space, &everything, look.engine.number_limit) {
        return Err(Stop::TooLarge("the states are too many to be numbered".to_owned()));
    }
    let products = alternatives.iter().map(|a| Product::new(space, &letters, &everything, &[], a)).collect();
    let labelling = Labelling::new(space, &letters, atoms, products, session).map_err(Stop::Limit)?;
    let Some(evidence) = labelling.evidence(formula).map_err(Stop::Limit)? else {
        if look.engine.notes && space.is_empty() {
            session.note(Note::NoInitialState);
        } else if look.engine.notes && !look.task.fairness.is_none() {
            note_realisability(space, &letters, &alternatives, session);
        }
        return Ok(Some(Answer::Holds(look.proof(space, Some(&labelling), session))));
    };
    let run = violating_run(look, formula, space, state_limit, session);
    // The run may have been found in a part of the graph, but all of it was needed to know that there is one.
    space.explore(state_limit, session)?;
    Ok(Some(Answer::Fails(run.unwrap_or(evidence))))
}

/// A fair run that violates the linear reading of a formula, if it has one and there is one. If a limit is reached here,
/// the verdict stands without it.
fn violating_run<const W: usize>(
    look: Look<'_>,
    formula: &Ctl,
    space: &mut Space<'_, W>,
    state_limit: usize,
    session: &Session<'_>,
) -> Option<Counterexample> {
    let target = Target::of_formula(&formula.of_all_runs()?, session).ok()?;
    let records = session.inner();
    match (Look { target: &target, ..look }).search(space, &mut 0, state_limit, &records) {
        Ok(Some(Answer::Fails(run))) => Some(run),
        _ => None,
    }
}

/// Labels the states of a complete graph with formulas.
pub(super) struct Labelling<'l, 'a, const W: usize> {
    pub(super) space: &'l Space<'a, W>,
    letters: &'l Letters,
    /// The atoms with their numbers among the predicates.
    atoms: Vec<(&'l Expr, usize)>,
    /// The graph with each alternative of the fairness.
    pub(super) products: Vec<Product<'l, Space<'a, W>>>,
    session: &'l Session<'l>,
    all: Bits,
    pub(super) predecessors: Predecessors,
    fair: OnceCell<Bits>,
}

impl<'l, 'a, const W: usize> Labelling<'l, 'a, W> {
    fn new(
        space: &'l Space<'a, W>,
        letters: &'l Letters,
        atoms: Vec<(&'l Expr, usize)>,
        products: Vec<Product<'l, Space<'a, W>>>,
        session: &'l Session<'l>,
    ) -> Result<Self, StopReason> {
        let all = Bits::of(space.bound(), |number| space.is_expanded(number as u32));
        let predecessors = Predecessors::new(space, session)?;
        Ok(Labelling { space, letters, atoms, products, session, all, predecessors, fair: OnceCell::new() })
    }

    /// An initial state where a formula is false, or, for `AG a`, a path to a state of a fair run where `a` is; `None` if
    /// the formula is true in every initial state.
    fn evidence(&self, formula: &Ctl) -> Result<Option<Counterexample>, StopReason> {
        let states = self.states(formula)?;
        let Some(initial) = (0..self.space.initial()).find(|state| !states.contains(*state as usize)) else {
            return Ok(None);
        };
        if let Some(claim) = formula.everywhere() {
            let exceptions = self.fair()?.without(&self.states(&claim)?);
            if let Some(nearest) = self.space.nearest(|state| exceptions.contains(state as usize)) {
                return Ok(Some(Counterexample::Path(self.space.path(nearest))));
            }
        }
        Ok(Some(Counterexample::State(self.space.state(initial))))
    }

    /// The states from which some fair run begins.
    fn fair(&self) -> Result<&Bits, StopReason> {
        if self.fair.get().is_none() {
            let realisable = self.products.iter().any(|product| product.alternative.is_realisable());
            let fair = if realisable { self.all.clone() } else { self.globally(&self.all)? };
            // Invariant: it was empty just now, and nobody else writes it.
            let _ = self.fair.set(fair);
        }
        Ok(self.fair.get().expect("it has just been set"))
    }

    /// The states that reach `goal` through `a`.
    fn reach(&self, a: &Bits, goal: Bits) -> Result<Bits, StopReason> {
        let mut watch = self.watch("labelling states");
        let mut pending: Vec<u32> = goal.numbers().map(|state| state as u32).collect();
        let mut set = goal;
        while let Some(state) = pending.pop() {
            watch.tick(|| bytes_of(&pending))?;
            for &before in self.predecessors.of(state) {
                if a.contains(before as usize) && !set.contains(before as usize) {
                    set.insert(before as usize);
                    pending.push(before);
                }
            }
        }
        Ok(set)
    }

    pub(super) fn watch(&self, phase: &'static str) -> Watch<'l> {
        let held = self.space.bytes() + self.letters.bytes() + self.predecessors.bytes();
        Watch::new(self.session, phase, "states", held)
    }
}

impl<const W: usize> Sets for Labelling<'_, '_, W> {
    type Set = Bits;
    type Stop = StopReason;

    fn all(&self) -> Bits {
        self.all.clone()
    }

    fn atom(&self, atom: &Expr) -> Result<Bits, StopReason> {
        let (_, number) =
            self.atoms.iter().find(|(known, _)| *known == atom).expect("an atom of the formula");
        // It says nothing about the step, so the letter of any class of steps tells.
        let is_true = |state: &usize| {
            let valuation = self.letters.valuation(*state as u32).expect("all states are expanded");
            self.letters.letter(valuation * self.letters.class_count).contains(*number)
        };
        let mut set = Bits::empty(self.space.bound());
        self.all.numbers().filter(is_true).for_each(|state| set.insert(state));
        Ok(set)
    }

    fn not(&self, a: &Bits) -> Result<Bits, StopReason> {
        Ok(self.all.without(a))
    }

    fn and(&self, a: &Bits, b: &Bits) -> Result<Bits, StopReason> {
        let mut both = a.clone();
        both.keep(b);
        Ok(both)
    }

    fn next(&self, a: &Bits) -> Result<Bits, StopReason> {
        let goal = self.and(a, self.fair()?)?;
        let mut set = Bits::empty(self.space.bound());
        for state in goal.numbers() {
            self.predecessors.of(state as u32).iter().for_each(|before| set.insert(*before as usize));
        }
        Ok(set)
    }

    fn until(&self, a: &Bits, b: &Bits) -> Result<Bits, StopReason> {
        let goal = self.and(b, self.fair()?)?;
        self.reach(a, goal)
    }

    fn globally(&self, a: &Bits) -> Result<Bits, StopReason> {
        let roots: Vec<u32> = a.numbers().map(|state| state as u32).collect();
        let mut goal = Bits::empty(self.space.bound());
        for product in &self.products {
            let within = Within { product, states: a };
            let mut watch = self.watch("looking for fair runs");
            for component in fair_components(&within, &roots, product.whole(), &mut watch)? {
                component.nodes.iter().for_each(|state| goal.insert(*state as usize));
            }
        }
        self.reach(a, goal)
    }
}

/// The part of a graph between some states. The automaton of the product has one state, so nodes are states.
pub(super) struct Within<'w, 'p, 'a, const W: usize> {
    pub(super) product: &'w Product<'p, Space<'a, W>>,
    pub(super) states: &'w Bits,
}

impl<const W: usize> Fair for Within<'_, '_, '_, W> {
    type Part = Bits;

    fn nodes(&self) -> usize {
        self.product.nodes()
    }

    fn successors(&self, part: &Bits, node: u32, targets: &mut Vec<u32>) {
        let first = targets.len();
        self.product.successors(part, node, targets);
        let mut kept = first;
        for place in first..targets.len() {
            if self.states.contains(targets[place] as usize) {
                targets.swap(kept, place);
                kept += 1;
            }
        }
        targets.truncate(kept);
    }

    fn judge(&self, part: &Bits, component: &[u32], inside: impl Fn(u32) -> bool) -> Judgement<Bits> {
        self.product.judge(part, component, inside)
    }
}

/// The states before each state.
pub(super) struct Predecessors {
    /// Where those of each state begin; one more entry at the end.
    first: Vec<usize>,
    sources: Vec<u32>,
}

impl Predecessors {
    fn new<const W: usize>(space: &Space<'_, W>, session: &Session<'_>) -> Result<Predecessors, StopReason> {
        let (_, transitions) = space.size();
        let bound = space.bound();
        let bytes = bound as u64 * 8 + transitions * 4;
        session.room(space.bytes().saturating_add(bytes))?;
        let mut watch = Watch::new(session, "labelling states", "states", space.bytes() + bytes);
        // First the numbers of predecessors, shifted by one; then the places for them, which move on as they are filled.
        let mut first = vec![0; bound + 1];
        for state in 0..bound as u32 {
            space.steps(state).targets.iter().for_each(|target| first[*target as usize + 1] += 1);
        }
        for state in 0..bound {
            first[state + 1] += first[state];
        }
        let mut sources = vec![0; first[bound]];
        let mut next = first.clone();
        for state in 0..bound as u32 {
            watch.tick(|| 0)?;
            for target in space.steps(state).targets {
                let place = &mut next[*target as usize];
                sources[*place] = state;
                *place += 1;
            }
        }
        Ok(Predecessors { first, sources })
    }

    pub(super) fn of(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.sources[self.first[state]..self.first[state + 1]]
    }

    fn bytes(&self) -> u64 {
        bytes_of(&self.first) + bytes_of(&self.sources)
    }
}
