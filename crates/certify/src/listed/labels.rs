//! Judges the labels of a CTL formula on the listed states.
//!
//! [`model::proof::labels`] says what labels are and why their premises prove them. The walk through the states keeps
//! their steps and the truth of the atoms. Then the labels are checked one after the other, inner before outer, state by
//! state: each against the sets of its parts, which follow from labels that have been checked. At last the formula must
//! be true in every initial state. Linear in the steps for each label.

use model::instance::Environment;
use model::proof::labels::{Component, Label, labelled};
use model::proof::{Missing, Reason, Tree};
use model::{Core, Ctl, Expr, Fault, Task, ground};

use super::system::{Predicate, label as step_label};
use super::terms::Moment;
use super::tree::Paths;
use super::{ProductEdge, Walk, form, requirements, sentence};
use crate::end::End;

/// Judges the labels of a formula. Returns without an error if it is true in every initial state.
pub(super) fn judge(walk: &Walk<'_>, task: &Task, formula: &Ctl, labels: &[Label]) -> Result<(), End> {
    let instance = walk.prepared.instance;
    let formula = Core::of(&ground::ctl(instance, formula, &mut Environment::default()));
    let formulas = labelled(&formula, task.fairness.is_none());
    if formulas.len() != labels.len() || labels.iter().any(|label| label.numbers.len() != walk.states.len()) {
        return Err(form("there is not one number for each label and state"));
    }
    let mut alternatives = Vec::new();
    for assumption in &task.fairness.alternatives {
        let requirements = requirements(&walk.prepared, assumption)?;
        alternatives.push(Alternative { requirements, global: assumption.global });
    }
    let graph = Graph::new(walk, &formula, &alternatives)?;
    let mut labelling = Labelling { walk, graph, alternatives, labels, formulas, fair: Vec::new() };
    labelling.fair = if task.fairness.is_none() {
        vec![true; walk.states.len()]
    } else {
        labels[0].numbers.iter().map(|number| *number != Label::OUTSIDE).collect()
    };
    for number in 0..labels.len() {
        labelling.check(number)?;
    }
    let truth = labelling.set(&formula);
    walk.initial(|position| (!truth[position as usize]).then_some("the formula is false in an initial state"))
}

/// One alternative of the fairness.
struct Alternative {
    /// `when` and `then`.
    requirements: Vec<[Predicate; 2]>,
    global: bool,
}

/// The steps of all listed states.
struct Graph {
    /// Where the steps of each state end.
    ends: Vec<usize>,
    /// The action (`None` for `idle`) and the position of the target.
    steps: Vec<(Option<u32>, u32)>,
    /// The atoms of the formula with their truth, per state.
    atoms: Vec<(Expr, Vec<bool>)>,
}

impl Graph {
    fn new(walk: &Walk<'_>, formula: &Core, alternatives: &[Alternative]) -> Result<Graph, End> {
        let mut exprs = Vec::new();
        atoms(formula, &mut exprs);
        let none = Environment::default();
        let predicates: Vec<Predicate> =
            exprs.iter().map(|atom| walk.prepared.predicate(atom, &none)).collect();
        let atoms = exprs.into_iter().map(|atom| (atom, Vec::new())).collect();
        let mut graph = Graph { ends: Vec::new(), steps: Vec::new(), atoms };
        walk.all(|position, moment, found, targets| {
            let fault =
                |fault: Fault| walk.wrong(position, None, &format!("a predicate is a fault: {fault}"));
            for (predicate, (_, truth)) in predicates.iter().zip(&mut graph.atoms) {
                truth.push(predicate.holds(&moment).map_err(fault)?);
            }
            for (number, (action, target)) in found.actions.iter().zip(targets).enumerate() {
                let moment = Moment { action: *action, ..moment };
                for predicate in alternatives.iter().flat_map(|a| &a.requirements).flatten() {
                    if !predicate.is_total && (number == 0 || predicate.is_of_steps) {
                        predicate.holds(&moment).map_err(fault)?;
                    }
                }
                graph.steps.push((action.map(|action| action as u32), *target));
            }
            graph.ends.push(graph.steps.len());
            walk.limits.room(graph.steps.len(), size_of::<(Option<u32>, u32)>())?;
            Ok(())
        })?;
        Ok(graph)
    }

    fn steps(&self, state: usize) -> &[(Option<u32>, u32)] {
        let first = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.steps[first..self.ends[state]]
    }
}

/// The atoms of a formula, each once.
fn atoms(formula: &Core, all: &mut Vec<Expr>) {
    match formula {
        Core::Atom(atom) if all.contains(atom) => {}
        Core::Atom(atom) => all.push(atom.clone()),
        Core::Not(a) | Core::Next(a) | Core::Globally(a) => atoms(a, all),
        Core::And(parts) | Core::Or(parts) | Core::Infinitely(parts) => {
            parts.iter().for_each(|part| atoms(part, all));
        }
        Core::Until(a, b) => [a, b].into_iter().for_each(|part| atoms(part, all)),
    }
}

fn is_in(label: &Label, state: usize) -> bool {
    label.numbers[state] != Label::OUTSIDE
}

/// What the labels are checked against.
struct Labelling<'l> {
    walk: &'l Walk<'l>,
    graph: Graph,
    alternatives: Vec<Alternative>,
    labels: &'l [Label],
    formulas: Vec<Core>,
    /// Per state, whether a fair run begins there.
    fair: Vec<bool>,
}

/// The values of a state's cells, and which actions are enabled there.
struct Values {
    state: Vec<i64>,
    enabled: Vec<bool>,
}

impl Labelling<'_> {
    /// Per state, whether a formula is true there by the labels inside it.
    fn set(&self, formula: &Core) -> Vec<bool> {
        let states = self.walk.states.len();
        let fold = |parts: &[Core], start: bool, join: fn(bool, bool) -> bool| {
            parts.iter().fold(vec![start; states], |mut all, part| {
                all.iter_mut().zip(self.set(part)).for_each(|(truth, other)| *truth = join(*truth, other));
                all
            })
        };
        match formula {
            Core::Atom(Expr::Bool(truth)) => vec![*truth; states],
            Core::Atom(atom) => {
                // Invariant: the graph has all atoms of the formula.
                self.graph.atoms.iter().find(|(known, _)| known == atom).expect("an atom").1.clone()
            }
            Core::Not(a) => self.set(a).into_iter().map(|truth| !truth).collect(),
            Core::And(parts) => fold(parts, true, |a, b| a && b),
            Core::Or(parts) => fold(parts, false, |a, b| a || b),
            Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
                // Invariant: `labelled` lists all existential subformulas.
                let number = self.formulas.iter().position(|known| known == formula).expect("a label");
                self.labels[number].numbers.iter().map(|number| *number != Label::OUTSIDE).collect()
            }
        }
    }

    /// Checks a label against the sets of its parts.
    fn check(&self, number: usize) -> Result<(), End> {
        let label = &self.labels[number];
        let wrong =
            |state: usize, what: &str| self.walk.wrong(state, None, &format!("label {number}: {what}"));
        match &self.formulas[number] {
            Core::Next(a) => {
                let a = self.set(a);
                for state in 0..self.walk.states.len() {
                    self.walk.limits.tick()?;
                    let mut steps = self.graph.steps(state).iter().map(|(_, target)| *target as usize);
                    let is_true = steps.any(|target| a[target] && self.fair[target]);
                    if is_true != is_in(label, state) {
                        return Err(wrong(state, "it does not say what the next states are"));
                    }
                }
            }
            Core::Until(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                for state in 0..self.walk.states.len() {
                    self.walk.limits.tick()?;
                    let is_goal = b[state] && self.fair[state];
                    if is_goal != (label.numbers[state] == 0) {
                        return Err(wrong(state, "0 is not the number of exactly the goals"));
                    }
                    if !is_goal && is_in(label, state) && !(a[state] && self.descends(label, state)) {
                        return Err(wrong(state, "no step leads nearer to a goal"));
                    }
                    if !is_in(label, state) && a[state] && self.enters(label, state) {
                        return Err(wrong(state, "it is left out, and has a step into the label"));
                    }
                }
            }
            Core::Globally(a) => self.globally(number, &self.set(a))?,
            // Invariant: only existential formulas have labels.
            _ => return Err(form("a label of a formula that has none")),
        }
        Ok(())
    }

    /// Whether a step leads to a state of the label with a smaller number.
    fn descends(&self, label: &Label, state: usize) -> bool {
        let own = label.numbers[state];
        self.graph.steps(state).iter().any(|(_, target)| label.numbers[*target as usize] < own)
    }

    /// Whether a step leads to a state of the label.
    fn enters(&self, label: &Label, state: usize) -> bool {
        self.graph.steps(state).iter().any(|(_, target)| is_in(label, *target as usize))
    }

    /// Checks the label of `EG a`.
    fn globally(&self, number: usize, a: &[bool]) -> Result<(), End> {
        let label = &self.labels[number];
        let wrong =
            |state: usize, what: &str| self.walk.wrong(state, None, &format!("label {number}: {what}"));
        let states = self.walk.states.len();
        let mut is_fair = vec![false; states];
        for component in &label.components {
            self.component(component, a, &mut is_fair)?;
        }
        if label.trees.len() != self.alternatives.len() {
            return Err(form("a label has not one tree for each alternative of the fairness"));
        }
        let mut trees = Vec::new();
        for (alternative, tree) in self.alternatives.iter().zip(&label.trees) {
            if tree.addresses.len() != states {
                return Err(form("a label has not one address for each state"));
            }
            let requirements = alternative.requirements.len();
            trees.push(Paths::new(tree, 0, requirements, alternative.global).map_err(form)?);
            for block in &tree.blocks {
                let Reason::Uncovered(steps) = &block.reason else { continue };
                if !steps.iter().all(|step| self.exists(step)) {
                    return Err(form("a step of the proof does not exist"));
                }
            }
        }
        for state in 0..states {
            self.walk.limits.tick()?;
            match label.numbers[state] {
                Label::OUTSIDE if !a[state] => {}
                Label::OUTSIDE if self.enters(label, state) => {
                    return Err(wrong(state, "it is left out, and has a step into the label"));
                }
                Label::OUTSIDE => self.refuted(state, a, &trees)?,
                _ if !a[state] => return Err(wrong(state, "a run cannot stay here")),
                0 if is_fair[state] => {}
                0 => return Err(wrong(state, "it has the number 0, and is in no component")),
                _ if self.descends(label, state) => {}
                _ => return Err(wrong(state, "no step leads nearer to a component")),
            }
        }
        Ok(())
    }

    /// Whether a step exists.
    fn exists(&self, step: &Missing) -> bool {
        let state = step.state as usize;
        let is_it = |(action, target): &(Option<u32>, u32)| {
            step_label(action.map(|action| action as usize)) == step.label && *target == step.target
        };
        state < self.walk.states.len() && self.graph.steps(state).iter().any(is_it)
    }

    /// Checks the steps from a state that is left out to others of `a` against the trees.
    fn refuted(&self, state: usize, a: &[bool], trees: &[Paths<'_>]) -> Result<(), End> {
        let values = self.values(state);
        for (action, target) in self.graph.steps(state).iter().filter(|(_, target)| a[*target as usize]) {
            let moment = self.moment(&values, *action);
            let label = step_label(moment.action);
            let step = Missing { state: state as u32, label, target: *target };
            for (alternative, tree) in self.alternatives.iter().zip(trees) {
                let (from, to) = (tree.address(state), tree.address(*target as usize));
                let what = if from == Tree::OUTSIDE || to == Tree::OUTSIDE {
                    "a state is in no block".to_owned()
                } else {
                    let requirements = &alternative.requirements;
                    match tree.check(from, to, &ProductEdge { requirements, marks: &[], moment, step }) {
                        Ok(()) => continue,
                        Err(wrong) => sentence(&wrong),
                    }
                };
                let mut after = Vec::new();
                self.walk.states.unpack(*target as usize, &mut after);
                return Err(self.walk.wrong(state, Some((moment.action, &after)), &what));
            }
        }
        Ok(())
    }

    /// Checks that a fair run can stay in a component, and marks its states.
    fn component(&self, component: &Component, a: &[bool], is_fair: &mut [bool]) -> Result<(), End> {
        let states = &component.states;
        let is_ordered = states.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !is_ordered || states.last().is_none_or(|(last, _)| *last as usize >= a.len()) {
            return Err(form("the states of a component are not in increasing order"));
        }
        let Some(Alternative { requirements, global }) = self.alternatives.get(component.alternative) else {
            return Err(form("a component of an alternative that does not exist"));
        };
        let roots = |which: usize| states.iter().filter(move |(_, numbers)| numbers[which] == 0).count();
        if roots(0) != 1 || roots(1) != 1 || !states.iter().any(|(_, numbers)| *numbers == [0, 0]) {
            return Err(form("a component has not exactly one state with the numbers 0"));
        }
        let mut is_met: Vec<bool> = (0..requirements.len()).map(|r| component.avoided.contains(&r)).collect();
        let mut is_entered: Vec<bool> = states.iter().map(|(_, [_, up])| *up == 0).collect();
        let mut has_edge = false;
        for (state, [down, up]) in states {
            self.walk.limits.tick()?;
            let state = *state as usize;
            let wrong = |what: &str| self.walk.wrong(state, None, &format!("a component: {what}"));
            if !a[state] {
                return Err(wrong("a run cannot stay here"));
            }
            let values = self.values(state);
            let mut is_left = *down == 0;
            for (action, target) in self.graph.steps(state) {
                let moment = self.moment(&values, *action);
                let mut is_avoided = false;
                for [when, _] in component.avoided.iter().filter_map(|r| requirements.get(*r)) {
                    is_avoided |= when.holds(&moment).map_err(|fault| wrong(&fault.to_string()))?;
                }
                let place = states.binary_search_by_key(target, |(state, _)| *state);
                let Some(place) = place.ok().filter(|_| !is_avoided) else {
                    if *global {
                        return Err(wrong("a step leaves it, and runs are globally fair"));
                    }
                    continue;
                };
                let [down_after, up_after] = states[place].1;
                has_edge = true;
                is_left |= down_after < *down;
                is_entered[place] |= *up < up_after;
                for ([_, then], is_met) in requirements.iter().zip(&mut is_met) {
                    *is_met = *is_met || then.holds(&moment).map_err(|fault| wrong(&fault.to_string()))?;
                }
            }
            if !is_left {
                return Err(wrong("no edge leads to a smaller first number"));
            }
            is_fair[state] = true;
        }
        if !has_edge || is_entered.contains(&false) || is_met.contains(&false) {
            return Err(form("a component is not connected, or does not meet a requirement"));
        }
        Ok(())
    }

    /// An action is enabled iff a step takes it: an enabled action without a successor is a fault.
    fn values(&self, state: usize) -> Values {
        let mut values = Values { state: Vec::new(), enabled: Vec::new() };
        self.walk.states.unpack(state, &mut values.state);
        values.enabled.resize(self.walk.prepared.instance.actions.len(), false);
        for action in self.graph.steps(state).iter().filter_map(|(action, _)| *action) {
            values.enabled[action as usize] = true;
        }
        values
    }

    fn moment<'v>(&'v self, values: &'v Values, action: Option<u32>) -> Moment<'v> {
        Moment {
            instance: self.walk.prepared.instance,
            state: &values.state,
            enabled: &values.enabled,
            action: action.map(|action| action as usize),
        }
    }
}
