//! Judges sure sets: that a CTL formula is true in the initial states.
//!
//! [`model::proof::sure`] has the premises. There are three kinds of questions about sets. That a set lies in another, or
//! that something is true in it, is a walk through diagrams. So is that every step from a set ends in another
//! ([`SureJudge::all_steps`]). That each state of a set *has* a step to another set is shown by `moves`. What no walk
//! shows goes to the solver. Eliminations are those of other proofs.

use model::automaton::{Cube, Edge};
use model::instance::Environment;
use model::proof::sure::{Claim, Move, claims};
use model::proof::{Case, Demand, Haven, Part, Root, Sure};
use model::property::Kind;
use model::{Automaton, Core, ground};

use super::circuit::Lit;
use super::encoder::Halt;
use super::premises::{Missed, ProofJudge};
use super::runs::{RunJudge, escape, flaw};
use super::sets::{SetLiterals, is_root};
use crate::end::End;
use crate::flaw::Premise;

/// Shows that the formula of a proof with sure sets is true in the initial states.
pub(crate) fn true_at_first(judge: &mut ProofJudge<'_>) -> Result<(), End> {
    let Kind::Ctl(formula) = &judge.task.property.kind else {
        return Err(form("only a CTL formula has sure sets"));
    };
    let every_run_is_fair = judge.task.fairness.is_none();
    let formula = Core::of(&ground::ctl(judge.instance, formula, &mut Environment::default()));
    let claims = claims(&formula, every_run_is_fair).ok_or_else(|| form("the formula is beyond CTL"))?;
    well_formed(judge, &claims)?;
    let local = judge.local;
    let of_moves = local.sure.iter().flat_map(moves).map(|one| (one.action, one.way));
    let lists = local.sure.iter().flat_map(|sure| &sure.eliminations);
    judge.encode_moves(of_moves.chain(lists.flatten().filter_map(escape)).collect())?;
    let everything = vec![Edge { cube: Cube::default(), marks: Vec::new(), target: 0 }];
    let accepting = Automaton { atoms: Vec::new(), initial: vec![0], states: vec![everything], marks: 0 };
    let mut runs = RunJudge::new(judge, accepting)?;
    let mut sure = SureJudge { runs: &mut runs, claims: &claims, every_run_is_fair };
    for number in 0..claims.len() {
        sure.claim(number)?;
    }
    let truth = sure.literal(&formula, true)?;
    let initial = sure.judge().initial;
    let violation = sure.judge().encoder.circuit.and(initial, !truth);
    match sure.judge().refute(&[violation], &mut |_, _| Ok(Missed::new()))? {
        None => Ok(()),
        Some(values) => {
            let what = "an initial state is not in a set that is sure of the formula".to_owned();
            Err(sure.judge().broken(Premise::Sure, what, &values, None))
        }
    }
}

fn form(what: &str) -> End {
    flaw(Premise::Form, what.to_owned())
}

fn wrong(number: usize, what: &str) -> End {
    flaw(Premise::Sure, format!("claim {number}: {what}"))
}

/// The moves of a claim, those of its havens included.
fn moves(sure: &Sure) -> impl Iterator<Item = &Move> {
    let of_havens = sure.havens.iter().flat_map(|haven| haven.goals.iter().flat_map(|(_, moves)| moves));
    sure.moves.iter().chain(of_havens)
}

/// Whether every claim has what its kind needs, and every diagram and action exists.
fn well_formed(judge: &ProofJudge<'_>, claims: &[Claim]) -> Result<(), End> {
    let local = judge.local;
    if local.invariants.len() != 1 || !local.cases.is_empty() || local.sure.len() != claims.len() {
        return Err(form("there is not one sure set for each claim, with a single invariant and no cases"));
    }
    for ((formula, sign), sure) in claims.iter().zip(&local.sure) {
        let parts = if matches!(formula, Core::Until(..)) { 2 } else { 1 };
        let roots = [sure.set, sure.inner].into_iter().chain(sure.parts.iter().copied());
        let roots = roots.chain(moves(sure).map(|one| one.from));
        let mut roots = roots.chain(sure.havens.iter().map(|haven| haven.set));
        if sure.parts.len() != parts || !roots.all(|root| is_root(local, root)) {
            return Err(form("a claim has not the sets it needs"));
        }
        let refutes = matches!(formula, Core::Globally(_)) && !sign;
        let lists = if refutes { judge.task.fairness.alternatives.len() } else { 0 };
        // The empty set needs no reason.
        if sure.eliminations.len() != lists && sure.set != Root::FALSE {
            return Err(form("there is not one list of eliminations for each alternative of the fairness"));
        }
    }
    Ok(())
}

/// The judge of all claims.
struct SureJudge<'r, 'j, 'a> {
    runs: &'r mut RunJudge<'j, 'a>,
    claims: &'r [Claim],
    every_run_is_fair: bool,
}

impl<'a> SureJudge<'_, '_, 'a> {
    fn judge(&mut self) -> &mut ProofJudge<'a> {
        self.runs.judge
    }

    fn sure(&self, formula: &Core, sign: bool) -> Option<Root> {
        let number = self.claims.iter().position(|(claim, of)| claim == formula && *of == sign)?;
        Some(self.runs.judge.local.sure[number].set)
    }

    /// The states that are sure to have a fair run, or to have none.
    fn fairness(&self, fair: bool) -> Root {
        let everywhere = if fair { Root::TRUE } else { Root::FALSE };
        let known = || self.sure(&model::proof::labels::fair(), fair).unwrap_or(Root::FALSE);
        if self.every_run_is_fair { everywhere } else { known() }
    }

    /// Shows that a claim is true in its set.
    fn claim(&mut self, number: usize) -> Result<(), End> {
        let sure = &self.runs.judge.local.sure[number];
        if sure.set == Root::FALSE {
            return Ok(());
        }
        let claims = self.claims;
        let (formula, sign) = &claims[number];
        let subformulas: Vec<&Core> = match formula {
            Core::Until(a, b) => vec![a, b],
            Core::Next(a) | Core::Globally(a) => vec![a],
            _ => Vec::new(),
        };
        for (part, subformula) in sure.parts.iter().zip(subformulas) {
            self.is_sure(number, *part, subformula, *sign)?;
        }
        let last = sure.parts[sure.parts.len() - 1];
        match (formula, *sign) {
            (Core::Globally(_), true) => self.stays(number, sure),
            (Core::Globally(_), false) => self.does_not_stay(number, sure),
            (_, true) => {
                let fair = self.fairness(true);
                self.lies_in(number, last, fair, "a fair run need not begin where a move ends")?;
                let through = (sure.parts.len() == 2).then_some(sure.parts[0]);
                self.moves(number, &sure.moves, last, through, sure.set)
            }
            (Core::Next(_), false) => {
                let into = self.union(last, self.fairness(false))?;
                self.all_steps(number, sure.set, into, Lit::FALSE)
            }
            (_, false) => {
                let ends = self.union(last, self.fairness(false))?;
                self.lies_in(number, sure.set, ends, "a state is not sure of what must be there")?;
                let within = self.union(sure.parts[0], sure.inner)?;
                self.lies_in(number, sure.set, within, "a state is left out")?;
                self.all_steps(number, sure.inner, sure.set, Lit::FALSE)
            }
        }
    }

    /// The union of two sets.
    fn union(&mut self, a: Root, b: Root) -> Result<Root, Halt> {
        self.judge().sets.union(a, b).ok_or(Halt::Unsupported("sets that are too large"))
    }

    /// Shows that a set lies in another.
    fn lies_in(&mut self, number: usize, set: Root, into: Root, what: &str) -> Result<(), End> {
        let effects = self.judge().test_effects(&[], usize::MAX);
        if self.judge().leads(&effects, [set, Root::TRUE], into) {
            return Ok(());
        }
        let truth = self.runs.holds(into)?;
        self.is_true_in(number, set, truth, what)
    }

    /// Shows that a literal is true in the states of a set, with a solver.
    fn is_true_in(&mut self, number: usize, set: Root, truth: Lit, what: &str) -> Result<(), End> {
        let within = self.runs.holds(set)?;
        let violation = self.judge().encoder.circuit.and(within, !truth);
        match self.judge().refute(&[violation], &mut ProofJudge::missed_invariants)? {
            None => Ok(()),
            Some(values) => {
                let what = format!("claim {number}: {what}");
                Err(self.judge().broken(Premise::Sure, what, &values, None))
            }
        }
    }

    /// The condition that a state is in a set that is sure of a formula, or of its negation.
    fn literal(&mut self, formula: &Core, sign: bool) -> Result<Lit, Halt> {
        match formula {
            Core::Atom(atom) => {
                let (truth, _) = self.judge().step_predicate(atom, Environment::default())?;
                Ok(if sign { truth } else { !truth })
            }
            Core::Not(a) => self.literal(a, !sign),
            Core::And(parts) | Core::Or(parts) => {
                let parts =
                    parts.iter().map(|part| self.literal(part, sign)).collect::<Result<Vec<_>, _>>()?;
                let circuit = &mut self.judge().encoder.circuit;
                Ok(if matches!(formula, Core::And(_)) == sign {
                    circuit.all(parts)
                } else {
                    circuit.any(parts)
                })
            }
            _ => {
                let set = self.sure(formula, sign).unwrap_or(Root::FALSE);
                self.runs.holds(set)
            }
        }
    }

    /// Shows that a set is sure of a formula, or of its negation.
    fn is_sure(&mut self, number: usize, set: Root, formula: &Core, sign: bool) -> Result<(), End> {
        const WHAT: &str = "a state is not sure of a part of the formula";
        match formula {
            _ if set == Root::FALSE => Ok(()),
            Core::Not(a) => self.is_sure(number, set, a, !sign),
            Core::And(parts) if sign => {
                parts.iter().try_for_each(|part| self.is_sure(number, set, part, true))
            }
            Core::Or(parts) if !sign => {
                parts.iter().try_for_each(|part| self.is_sure(number, set, part, false))
            }
            Core::Next(_) | Core::Until(..) | Core::Globally(_) => {
                let known = self.sure(formula, sign).unwrap_or(Root::FALSE);
                self.lies_in(number, set, known, WHAT)
            }
            Core::Atom(_) | Core::And(_) | Core::Or(_) | Core::Infinitely(_) => {
                let mark = self.judge().mark();
                let truth = self.literal(formula, sign)?;
                if !self.judge().is_shown(set, &[], truth) {
                    self.is_true_in(number, set, truth, WHAT)?;
                }
                self.judge().forget(mark);
                Ok(())
            }
        }
    }

    /// Shows that every step from a set ends in another, and that a literal is false on it.
    fn all_steps(&mut self, number: usize, from: Root, into: Root, bad: Lit) -> Result<(), End> {
        let mark = self.judge().mark();
        let source = self.runs.holds(from)?;
        let mut violations = Vec::new();
        for label in 0..self.judge().enabled.len() {
            let judge = self.judge();
            let facts = [judge.encoder.taken(label), judge.enabled[label]];
            let effects = judge.test_effects(&facts, label);
            let mut leads = judge.leads(&effects, [from, Root::TRUE], into);
            if !leads && let Some(cases) = judge.cases(&facts, Lit::FALSE, label) {
                leads = cases.iter().all(|case| judge.leads(&case.effects, [from, Root::TRUE], into));
            }
            if leads && (bad == Lit::FALSE || self.judge().is_shown(from, &facts, !bad)) {
                continue;
            }
            let after = self.after(into, label)?;
            let circuit = &mut self.judge().encoder.circuit;
            let wrong = circuit.or(!after, bad);
            violations.push(circuit.all([source, wrong].into_iter().chain(facts).collect::<Vec<_>>()));
        }
        let found = self.judge().refute(&violations, &mut ProofJudge::missed_invariants)?;
        if let Some(values) = found {
            let label = self.judge().encoder.label_in(&values);
            let what = format!("claim {number}: a step leads where the claim may be false");
            return Err(self.judge().broken(Premise::Sure, what, &values, Some(label)));
        }
        self.judge().forget(mark);
        Ok(())
    }

    /// The condition that the step with a label ends in a set.
    fn after(&mut self, set: Root, label: usize) -> Result<Lit, Halt> {
        let judge = self.judge();
        match judge.successors.get(label) {
            None => judge.sets.holds(&mut judge.encoder, set),
            Some(successor) => {
                judge.sets.holds_after(&mut judge.encoder, set, successor, &mut SetLiterals::default())
            }
        }
    }

    /// Shows that moves lead from all of a set to a goal, and begin in a set if one is given.
    fn moves(
        &mut self,
        number: usize,
        moves: &[Move],
        goal: Root,
        through: Option<Root>,
        from: Root,
    ) -> Result<(), End> {
        let is_single = matches!(self.claims[number].0, Core::Next(_));
        let mut reached = goal;
        let mut sources = if is_single { Root::FALSE } else { goal };
        for one in moves {
            if let Some(through) = through {
                self.lies_in(number, one.from, through, "a move begins outside its set")?;
            }
            self.has_step(number, one, if is_single { goal } else { reached }, &[])?;
            sources = self.union(sources, one.from)?;
            reached = sources;
        }
        self.lies_in(number, from, sources, "a state has no move")
    }

    /// Shows that each state of a move has its step, that the step ends in a set, and that literals are true on it.
    fn has_step(&mut self, number: usize, one: &Move, into: Root, truths: &[Lit]) -> Result<(), End> {
        let what = format!("claim {number}: a state has not the step of its move");
        self.judge().has_step((one.from, one.action, one.way), into, truths, Premise::Sure, &what)
    }

    /// Shows `EG a`.
    fn stays(&mut self, number: usize, sure: &Sure) -> Result<(), End> {
        let through = sure.parts[0];
        let mut goal = Root::FALSE;
        for haven in &sure.havens {
            self.haven(number, haven)?;
            self.lies_in(number, haven.set, through, "a haven is not in its set")?;
            goal = self.union(goal, haven.set)?;
        }
        self.moves(number, &sure.moves, goal, Some(through), sure.set)
    }

    /// Shows that a fair run can stay in a haven.
    fn haven(&mut self, number: usize, haven: &Haven) -> Result<(), End> {
        let judge = self.judge();
        let (task, instance) = (judge.task, judge.instance);
        let Some(alternative) = task.fairness.alternatives.get(haven.alternative) else {
            return Err(wrong(number, "there is no such alternative of the fairness"));
        };
        // As what obligations are read in.
        let case =
            Case { alternative: haven.alternative, class: None, reached: Vec::new(), parts: Vec::new() };
        let mut avoids = Vec::new();
        let mut others = Vec::new();
        for (requirement, values, _) in ground::requirements(instance, alternative) {
            let demand = Demand::Requirement { number: requirement, values };
            let obligation = self.runs.obligation(&case, &demand)?;
            if haven.avoided.contains(&demand) {
                avoids.push(!obligation.when);
            } else {
                others.push((Some(demand), obligation.then[0]));
            }
        }
        if others.is_empty() {
            others.push((None, Lit::TRUE));
        }
        if alternative.global {
            let bad = avoids.iter().map(|avoids| !*avoids).collect::<Vec<_>>();
            let bad = self.judge().encoder.circuit.any(bad);
            self.all_steps(number, haven.set, haven.set, bad)?;
        }
        for (demand, then) in others {
            let Some((_, moves)) = haven.goals.iter().find(|(goal, _)| *goal == demand) else {
                return Err(wrong(number, "a haven neither avoids nor meets a requirement"));
            };
            let mut reached = Root::FALSE;
            for one in moves {
                self.lies_in(number, one.from, haven.set, "a move begins outside its haven")?;
                let truths: Vec<Lit> = avoids.iter().copied().chain(one.meets.then_some(then)).collect();
                self.has_step(number, one, if one.meets { haven.set } else { reached }, &truths)?;
                reached = self.union(reached, one.from)?;
            }
            self.lies_in(number, haven.set, reached, "a state of a haven has no move")?;
        }
        Ok(())
    }

    /// Shows `!EG a`.
    fn does_not_stay(&mut self, number: usize, sure: &Sure) -> Result<(), End> {
        let gone = vec![sure.parts[0]];
        for (alternative, eliminations) in sure.eliminations.iter().enumerate() {
            let part = Part { states: vec![0], eliminations: eliminations.clone() };
            let parts = vec![part];
            let case = Case { alternative, class: None, reached: vec![sure.set], parts };
            if let Some(what) = self.runs.form(&case) {
                return Err(flaw(Premise::Form, format!("claim {number}: {what}")));
            }
            self.runs.part(&format!("claim {number}"), &case, &case.parts[0], Some(&gone))?;
        }
        Ok(())
    }
}
