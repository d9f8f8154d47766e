//! The premises about runs: cases, parts, and eliminations (premises 5 to 9).
//!
//! The edges of the automaton are numbered, and the number of the edge taken is an input beside the state and the
//! label; so a premise over all product steps is one question, and a hypothesis about one edge or one label is a
//! clause that names it. That the end of a step has not been removed before is such a hypothesis: it is added for the
//! elimination that has removed it in the assignment at hand, so a question does not grow with the number of
//! eliminations before it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::instance::Environment;
use model::proof::{Case, Class, Demand, Elimination, Part, ProductSet, Root};
use model::{Automaton, Expr, ProcessId, semantics, show, tableau};

use super::circuit::{Lit, Values};
use super::encoder::Halt;
use super::premises::{End, Judge, Missed};
use super::sets::is_root;
use crate::acceptance::components;
use crate::flaw::{Flaw, Premise};

/// Shows that no fair run violates the property.
pub(crate) fn no_violation(judge: &mut Judge<'_>) -> Result<(), End> {
    let Some(automaton) = tableau::violations(judge.instance, &judge.task.property.kind) else {
        return Err(Halt::Unfit("an automaton of reference that is too large").into());
    };
    let mut ranking = Ranking::new(judge, automaton)?;
    for (number, case) in ranking.judge.local.cases.iter().enumerate() {
        ranking
            .form(case)
            .map_or(Ok(()), |what| Err(flaw(Premise::Form, format!("case {number}: {what}"))))?;
    }
    ranking.cases()?;
    let mut shown: Vec<&ProductSet> = Vec::new();
    for (number, case) in ranking.judge.local.cases.iter().enumerate() {
        if !shown.contains(&&case.reached) {
            ranking.reached(number, case)?;
            shown.push(&case.reached);
        }
        ranking.parts(number, case)?;
        for part in &case.parts {
            ranking.part(number, case, part)?;
        }
    }
    Ok(())
}

/// An edge of the automaton.
struct Move {
    source: usize,
    target: usize,
    marks: Vec<usize>,
    /// It is the edge of the inputs, and the step satisfies it.
    taken: Lit,
}

/// `GF when -> GF then` in the circuit.
#[derive(Clone)]
struct Obligation {
    when: Lit,
    /// Whether `when` depends on the step that is taken.
    by_step: bool,
    /// Per edge.
    then: Vec<Lit>,
}

/// What is known before an elimination.
struct Before<'a> {
    reached: &'a ProductSet,
    /// The states of the part.
    part: Option<&'a BTreeSet<usize>>,
    /// What has been removed, in order.
    removed: Vec<&'a ProductSet>,
    /// The union of what has been removed, per state of the automaton; `None` where it is too large.
    gone: Vec<Option<Root>>,
    /// Where steps with this literal are barred.
    barred: Vec<(&'a ProductSet, Lit)>,
}

struct Ranking<'j, 'a> {
    judge: &'j mut Judge<'a>,
    automaton: Automaton,
    moves: Vec<Move>,
    obligations: BTreeMap<(usize, usize, Vec<i64>), Obligation>,
}

fn flaw(premise: Premise, what: String) -> End {
    End::Flaw(Flaw::Premise { premise, what, state: Vec::new(), step: None, target: Vec::new() })
}

impl<'j, 'a> Ranking<'j, 'a> {
    fn new(judge: &'j mut Judge<'a>, automaton: Automaton) -> Result<Ranking<'j, 'a>, Halt> {
        let mut atoms = Vec::new();
        for atom in &automaton.atoms {
            atoms.push(judge.step_predicate(atom, Environment::default())?.0);
        }
        let edges: Vec<_> = automaton
            .states
            .iter()
            .enumerate()
            .flat_map(|(s, edges)| edges.iter().map(move |e| (s, e)))
            .collect();
        let circuit = &mut judge.encoder.circuit;
        let width = usize::BITS - edges.len().saturating_sub(1).leading_zeros();
        let bits: Vec<Lit> = (0..width).map(|_| circuit.input()).collect();
        let mut moves = Vec::new();
        for (number, (source, edge)) in edges.into_iter().enumerate() {
            let select =
                bits.iter().enumerate().map(|(bit, lit)| if number >> bit & 1 == 1 { *lit } else { !*lit });
            let letters =
                edge.cube.literals().map(|(atom, truth)| if truth { atoms[atom] } else { !atoms[atom] });
            let all: Vec<Lit> = select.chain(letters).collect();
            let taken = circuit.all(all);
            moves.push(Move { source, target: edge.target, marks: edge.marks.clone(), taken });
        }
        Ok(Ranking { judge, automaton, moves, obligations: BTreeMap::new() })
    }

    /// What is wrong with the form of a case.
    fn form(&self, case: &Case) -> Option<String> {
        let (states, marks) = (self.automaton.states.len(), self.automaton.marks);
        let is_set =
            |set: &ProductSet| set.len() == states && set.iter().all(|root| is_root(self.judge.local, *root));
        let Some(alternative) = self.judge.task.fairness.alternatives.get(case.alternative) else {
            return Some(format!("there is no alternative {}", case.alternative));
        };
        if let Some(class) = &case.class
            && (class.mark.is_some_and(|mark| mark >= marks)
                || class
                    .processes
                    .iter()
                    .any(|process| process.0 as usize >= self.judge.instance.processes.len()))
        {
            return Some("its class has a mark or a process that does not exist".to_owned());
        }
        if !is_set(&case.reached) {
            return Some(format!("`reached` is not a set for {states} states of the automaton"));
        }
        for part in &case.parts {
            if part.states.iter().any(|state| *state >= states) {
                return Some("a part has a state that the automaton has not".to_owned());
            }
            for (number, elimination) in part.eliminations.iter().enumerate() {
                let (demand, sets) = match elimination {
                    Elimination::Unmet { demand, closed, removed } => (Some(demand), vec![closed, removed]),
                    Elimination::Trimmed { removed } => (None, vec![removed]),
                };
                if !sets.into_iter().all(is_set) {
                    return Some(format!(
                        "elimination {number} has no set for {states} states of the automaton"
                    ));
                }
                let exists = match demand {
                    None => true,
                    Some(Demand::Mark(mark)) => *mark < marks,
                    Some(Demand::Class) => case.class.is_some(),
                    Some(Demand::Requirement { number, values }) => alternative
                        .requirements
                        .get(*number)
                        .is_some_and(|requirement| bound(&requirement.binders, values).is_some()),
                };
                if !exists {
                    return Some(format!("elimination {number} is of a demand that does not exist"));
                }
            }
        }
        None
    }

    /// Premise 5.
    fn cases(&self) -> Result<(), End> {
        let instance = self.judge.instance;
        let acting: BTreeSet<ProcessId> = instance
            .actions
            .iter()
            .flat_map(|action| &action.participants)
            .map(|(process, _)| *process)
            .collect();
        for alternative in 0..self.judge.task.fairness.alternatives.len() {
            let classes: Vec<Option<&Class>> = (self.judge.local.cases.iter())
                .filter(|case| case.alternative == alternative)
                .map(|case| case.class.as_ref())
                .collect();
            if classes.contains(&None) {
                continue;
            }
            let marks: BTreeSet<Option<usize>> = classes.iter().flatten().map(|class| class.mark).collect();
            let lacks = |mark: Option<usize>| {
                let of_mark = || classes.iter().flatten().filter(move |class| class.mark == mark);
                let process =
                    acting.iter().find(|process| !of_mark().any(|class| class.processes.contains(process)));
                match process {
                    Some(process) => {
                        Some(format!("steps of {}", instance.processes[process.0 as usize].name))
                    }
                    None if of_mark().any(|class| class.unowned) => None,
                    None => Some("`idle`, or steps of no process".to_owned()),
                }
            };
            if !marks.iter().any(|mark| lacks(*mark).is_none()) {
                let what = match marks.first() {
                    None => "there is no case".to_owned(),
                    Some(mark) => format!("no case covers {}", lacks(*mark).unwrap_or_default()),
                };
                return Err(flaw(
                    Premise::Cases,
                    format!("alternative {alternative} of the fairness: {what}"),
                ));
            }
        }
        Ok(())
    }

    /// Premise 6.
    fn reached(&mut self, number: usize, case: &Case) -> Result<(), End> {
        for state in self.automaton.initial.clone() {
            let inside = self.holds(case.reached[state])?;
            let violation = self.judge.encoder.circuit.and(self.judge.initial, !inside);
            if let Some(values) = self.judge.refute(&[violation], &mut |_, _| Ok(Missed::new()))? {
                let what = format!(
                    "case {number}: an initial state, with state {state} of the automaton, is not reached"
                );
                return Err(self.judge.broken(Premise::Reached, what, &values, None));
            }
        }
        let gone = vec![Some(Root::FALSE); self.automaton.states.len()];
        let before =
            Before { reached: &case.reached, part: None, removed: Vec::new(), gone, barred: Vec::new() };
        let never = vec![Lit::FALSE; self.moves.len()];
        self.closed(&case.reached, &never, &before, Premise::Reached, &|_| {
            format!("case {number}: a step leads out of what is reached")
        })
    }

    /// Premise 7.
    fn parts(&self, number: usize, case: &Case) -> Result<(), End> {
        let states: Vec<Vec<_>> = (self.automaton.states.iter())
            .map(|edges| edges.iter().map(|edge| (edge, edge.target)).collect())
            .collect();
        let component = components(&states);
        let mut inside: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        for one in &self.moves {
            if component[one.source] == component[one.target] {
                let (states, marks) = inside.entry(component[one.source]).or_default();
                states.extend([one.source, one.target]);
                marks.extend(&one.marks);
            }
        }
        for (states, marks) in inside.values() {
            let has_all_marks = marks.len() == self.automaton.marks;
            let is_covered =
                case.parts.iter().any(|part| states.iter().all(|state| part.states.contains(state)));
            if has_all_marks && !is_covered {
                let what = format!("case {number}: no part contains the states {states:?} of the automaton");
                return Err(flaw(Premise::Parts, what));
            }
        }
        Ok(())
    }

    /// Premises 8 and 9.
    fn part(&mut self, number: usize, case: &Case, part: &Part) -> Result<(), End> {
        let states: BTreeSet<usize> = part.states.iter().copied().collect();
        let gone = vec![Some(Root::FALSE); self.automaton.states.len()];
        let mut before = Before {
            reached: &case.reached,
            part: Some(&states),
            removed: Vec::new(),
            gone,
            barred: Vec::new(),
        };
        for root in &case.reached {
            self.holds(*root)?;
        }
        for (event, elimination) in part.eliminations.iter().enumerate() {
            let named = format!("case {number}, elimination {event}");
            let removed = match elimination {
                Elimination::Trimmed { removed } => {
                    let mark = self.judge.mark();
                    self.left_for_ever(
                        removed,
                        None,
                        &before,
                        &format!("{named}: a trimmed state has a possible step"),
                    )?;
                    self.judge.forget(mark);
                    removed
                }
                Elimination::Unmet { demand, closed, removed } => {
                    let obligation = self.obligation(case, demand)?;
                    let mark = self.judge.mark();
                    let meant = self.show(case, demand);
                    self.closed(closed, &obligation.then, &before, Premise::Elimination, &|meets| {
                        if meets {
                            format!("{named}: a step inside the closed set meets {meant}")
                        } else {
                            format!("{named} ({meant}): a possible step leaves the closed set")
                        }
                    })?;
                    let what =
                        format!("{named} ({meant}): a removed state has a possible step that is not barred");
                    self.left_for_ever(removed, Some((closed, obligation.when)), &before, &what)?;
                    self.judge.forget(mark);
                    if obligation.by_step {
                        before.barred.push((closed, obligation.when));
                    }
                    removed
                }
            };
            before.removed.push(removed);
            for (gone, set) in before.gone.iter_mut().zip(removed) {
                *gone = gone.and_then(|gone| self.judge.sets.union(gone, *set));
            }
        }
        for state in states.iter().copied() {
            let mark = self.judge.mark();
            let violation = self.holds(case.reached[state])?;
            if let Some(all) = before.gone[state] {
                let all = self.holds(all)?;
                if self.judge.is_implied(&[], violation, all) {
                    self.judge.forget(mark);
                    continue;
                }
            }
            let gone = &before.removed;
            let left = self.judge.refute(&[violation], &mut |judge, values| {
                let mut missed = judge.missed_invariants(values)?;
                let by =
                    gone.iter().find(|set| judge.sets.contains(&judge.encoder, set[state], None, values));
                if let Some(set) = by {
                    missed.push(vec![!judge.sets.holds(&mut judge.encoder, set[state])?]);
                }
                Ok(missed)
            })?;
            if let Some(values) = left {
                let what =
                    format!("case {number}: a state with state {state} of the automaton is never removed");
                return Err(self.judge.broken(Premise::Removed, what, &values, None));
            }
            self.judge.forget(mark);
        }
        Ok(())
    }

    /// Shows that no possible step leaves a set, and that none inside it has the literal of its edge. `what` says which
    /// of the two is the case.
    fn closed(
        &mut self,
        set: &ProductSet,
        then: &[Lit],
        before: &Before<'_>,
        premise: Premise,
        what: &dyn Fn(bool) -> String,
    ) -> Result<(), End> {
        let mut violations = Vec::new();
        let mut known: HashMap<usize, HashMap<Root, Lit>> = HashMap::new();
        for (number, meets) in then.iter().copied().enumerate() {
            let Move { source, target, taken, .. } = self.moves[number];
            if before.part.is_some_and(|part| !part.contains(&source) || !part.contains(&target)) {
                continue;
            }
            let inside = self.holds(set[source])?;
            let from = self.judge.encoder.circuit.and(taken, inside);
            if from == Lit::FALSE {
                continue;
            }
            // What the step may end in, removed states included.
            let goal = before.gone[target].and_then(|gone| self.judge.sets.union(gone, set[target]));
            let mut other = Vec::new();
            for action in 0..self.judge.successors.len() {
                let judge = &mut *self.judge;
                if !judge.sets.is_touched(set[target], &judge.successors[action]) {
                    continue;
                }
                let label = judge.encoder.taken(action);
                other.push(!label);
                let (enabled, known) = (judge.enabled[action], known.entry(action).or_default());
                let mut after = |judge: &mut Judge<'_>, root: Root| {
                    judge.sets.holds_after(&mut judge.encoder, root, &judge.successors[action], known)
                };
                let stays = match goal {
                    None => false,
                    Some(goal) => {
                        let goal = after(judge, goal)?;
                        judge.is_implied(&[taken, enabled], inside, goal)
                    }
                };
                let bad = if stays {
                    meets
                } else {
                    let after = after(judge, set[target])?;
                    judge.encoder.circuit.or(!after, meets)
                };
                violations.push(judge.encoder.circuit.all([bad, from, label, enabled]));
            }
            let after = self.holds(set[target])?;
            let stays = match goal {
                None => false,
                Some(goal) => {
                    let goal = self.holds(goal)?;
                    self.judge.is_implied(&[taken], inside, goal)
                }
            };
            let circuit = &mut self.judge.encoder.circuit;
            let bad = if stays { meets } else { circuit.or(!after, meets) };
            other.extend([bad, from]);
            violations.push(circuit.all(other));
        }
        let Some(values) = self.refute(&violations, before)? else { return Ok(()) };
        let label = self.judge.encoder.label_in(&values);
        let edge = self.moves.iter().position(|one| values.of(one.taken));
        let successor = self.judge.successors.get(label);
        let stays = edge.is_some_and(|edge| {
            self.judge.sets.contains(&self.judge.encoder, set[self.moves[edge].target], successor, &values)
        });
        Err(self.judge.broken(premise, what(stays), &values, Some(label)))
    }

    /// Shows that every possible step from a set is barred: it starts in `barring` and has the literal `when`.
    fn left_for_ever(
        &mut self,
        set: &ProductSet,
        barring: Option<(&ProductSet, Lit)>,
        before: &Before<'_>,
        what: &str,
    ) -> Result<(), End> {
        let mut violations = Vec::new();
        for number in 0..self.moves.len() {
            let Move { source, target, taken, .. } = self.moves[number];
            if before.part.is_some_and(|part| !part.contains(&source) || !part.contains(&target)) {
                continue;
            }
            let inside = self.holds(set[source])?;
            let from = self.judge.encoder.circuit.and(taken, inside);
            let barred = match barring {
                None => Lit::FALSE,
                Some((closed, when)) => {
                    let closed = self.holds(closed[source])?;
                    self.judge.encoder.circuit.and(closed, when)
                }
            };
            if !self.judge.is_implied(&[taken], inside, barred) {
                violations.push(self.judge.encoder.circuit.and(from, !barred));
            }
        }
        match self.refute(&violations, before)? {
            None => Ok(()),
            Some(values) => {
                let label = self.judge.encoder.label_in(&values);
                Err(self.judge.broken(Premise::Elimination, what.to_owned(), &values, Some(label)))
            }
        }
    }

    /// A possible product step for which one of the violations is true, if there is one. They imply that an edge is taken.
    fn refute(&mut self, violations: &[Lit], before: &Before<'_>) -> Result<Option<Values>, Halt> {
        let moves = &self.moves;
        self.judge.refute(violations, &mut |judge, values| {
            let mut missed = judge.missed_step(values)?;
            let Some(one) = moves.iter().find(|one| values.of(one.taken)) else { return Ok(missed) };
            let reached = before.reached[one.source];
            if !judge.sets.contains(&judge.encoder, reached, None, values) {
                missed.push(vec![!one.taken, judge.sets.holds(&mut judge.encoder, reached)?]);
            }
            for (closed, when) in &before.barred {
                if values.of(*when) && judge.sets.contains(&judge.encoder, closed[one.source], None, values) {
                    let closed = judge.sets.holds(&mut judge.encoder, closed[one.source])?;
                    missed.push(vec![!one.taken, !closed, !*when]);
                }
            }
            // Where the label is no step yet, it leads nowhere.
            if !missed.is_empty() {
                return Ok(missed);
            }
            let label = judge.encoder.label_in(values);
            let successor = judge.successors.get(label);
            let removed = before
                .removed
                .iter()
                .find(|set| judge.sets.contains(&judge.encoder, set[one.target], successor, values));
            if let Some(set) = removed {
                missed.push(not_removed(judge, one, set[one.target], label)?);
            }
            Ok(missed)
        })
    }

    fn holds(&mut self, root: Root) -> Result<Lit, Halt> {
        self.judge.sets.holds(&mut self.judge.encoder, root)
    }

    /// A demand in the circuit.
    fn obligation(&mut self, case: &Case, demand: &Demand) -> Result<Obligation, Halt> {
        let on = |moves: &[Move], mark: usize, lit: Lit| -> Vec<Lit> {
            moves.iter().map(|one| if one.marks.contains(&mark) { lit } else { Lit::FALSE }).collect()
        };
        match demand {
            Demand::Mark(mark) => {
                Ok(Obligation { when: Lit::TRUE, by_step: false, then: on(&self.moves, *mark, Lit::TRUE) })
            }
            Demand::Class => {
                let class =
                    case.class.clone().unwrap_or(Class { processes: Vec::new(), unowned: false, mark: None });
                let mut labels = Vec::new();
                for (number, action) in self.judge.instance.actions.iter().enumerate() {
                    let by = |(process, _): &(ProcessId, String)| class.processes.contains(process);
                    if action.participants.iter().any(by) || class.unowned && action.participants.is_empty() {
                        labels.push(self.judge.encoder.taken(number));
                    }
                }
                if class.unowned {
                    labels.push(self.judge.encoder.taken(self.judge.instance.actions.len()));
                }
                let taken = self.judge.encoder.circuit.any(labels);
                let then = match class.mark {
                    None => vec![taken; self.moves.len()],
                    Some(mark) => on(&self.moves, mark, taken),
                };
                Ok(Obligation { when: Lit::TRUE, by_step: false, then })
            }
            Demand::Requirement { number, values } => {
                let key = (case.alternative, *number, values.clone());
                if let Some(known) = self.obligations.get(&key) {
                    return Ok(known.clone());
                }
                let alternative = &self.judge.task.fairness.alternatives[case.alternative];
                let requirement = &alternative.requirements[*number];
                let environment = bound(&requirement.binders, values).unwrap_or_default();
                let (when, _) = self.judge.step_predicate(&requirement.when, environment.clone())?;
                let (then, _) = self.judge.step_predicate(&requirement.then, environment)?;
                let by_step = requirement.when.any(&mut |expr| matches!(expr, Expr::Taken(_)));
                let obligation = Obligation { when, by_step, then: vec![then; self.moves.len()] };
                self.obligations.insert(key, obligation.clone());
                Ok(obligation)
            }
        }
    }

    /// A demand in the user's words.
    fn show(&self, case: &Case, demand: &Demand) -> String {
        match demand {
            Demand::Mark(mark) => format!("mark {mark} of the automaton"),
            Demand::Class => "a step of the class".to_owned(),
            Demand::Requirement { number, values } => {
                let alternative = &self.judge.task.fairness.alternatives[case.alternative];
                let text = show::requirement(&self.judge.instance.system, &alternative.requirements[*number]);
                if values.is_empty() { format!("`{text}`") } else { format!("`{text}` for {values:?}") }
            }
        }
    }
}

/// The clause that the end of a step with this edge and label does not belong to a set that has been removed.
fn not_removed(judge: &mut Judge<'_>, one: &Move, root: Root, label: usize) -> Result<Vec<Lit>, Halt> {
    if let Some(successor) = judge.successors.get(label)
        && judge.sets.is_touched(root, successor)
    {
        let after = judge.sets.holds_after(&mut judge.encoder, root, successor, &mut HashMap::new())?;
        return Ok(vec![!one.taken, !judge.encoder.taken(label), !after]);
    }
    // The same for all labels that do not touch the set.
    let mut clause = vec![!one.taken, !judge.sets.holds(&mut judge.encoder, root)?];
    for action in 0..judge.successors.len() {
        if judge.sets.is_touched(root, &judge.successors[action]) {
            clause.push(judge.encoder.taken(action));
        }
    }
    Ok(clause)
}

/// The environment that gives binders these values, if they are in their spans.
fn bound(binders: &[model::Binder], values: &[i64]) -> Option<Environment> {
    if binders.len() != values.len() {
        return None;
    }
    let mut environment = Environment::default();
    for (binder, value) in binders.iter().zip(values) {
        let lo = semantics::rigid(&binder.span.lo, &mut environment).ok()?;
        let hi = semantics::rigid(&binder.span.hi, &mut environment).ok()?;
        if *value < lo || hi < *value {
            return None;
        }
        environment.bind(binder.index, *value);
    }
    Some(environment)
}
