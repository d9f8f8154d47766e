//! What the user should know about a property that holds: that it says nothing.
//!
//! A property of the shape `G (p -> …)` is *vacuous* if its trigger `p` is true of no reachable step. A
//! fairness assumption is *not realisable* in a state from which no fair run begins: whatever is claimed of
//! the fair runs through it is true.

use automata::{Automaton, Cube, Edge};
use model::answer::Site;
use model::expr::{Operator, Span};
use model::instance::Environment;
use model::property::Kind;
use model::{Binder, Expr, Formula, Instance, Run, ground, semantics, show};

use super::emptiness::state_without_a_fair_run;
use super::letters::{Letters, Predicates};
use super::requirements::Alternative;
use super::space::Space;

/// A trigger of a property.
pub(super) struct Trigger {
    /// As the user would write it.
    text: String,
    /// Its number among the predicates.
    pub(super) number: usize,
}

/// The triggers of a property, which become predicates of the task.
///
/// A trigger is evaluated wherever the atom it stands in is, and before anything else in it, so it adds no
/// faults. For that reason triggers under a quantifier inside an atom are not looked at.
pub(super) fn triggers(instance: &Instance, kind: &Kind, predicates: &mut Predicates) -> Vec<Trigger> {
    let mut finder =
        Finder { instance, predicates, environment: Environment::default(), depth: 0, found: Vec::new() };
    match kind {
        Kind::Invariant(expr) => finder.in_atom(expr),
        Kind::Ltl(formula) => finder.in_formula(formula, false),
        Kind::Ctl(_) | Kind::Never(_) => {}
    }
    finder.found
}

/// Notes which triggers never occur.
pub(super) fn note_vacuity(triggers: &[Trigger], occurs: &dyn Fn(usize) -> bool, run: &Run<'_>) {
    let occurs = |trigger: &&Trigger| occurs(trigger.number);
    let dead: Vec<String> = triggers
        .iter()
        .filter(|trigger| !occurs(trigger))
        .map(|trigger| format!("`{}`", trigger.text))
        .collect();
    if !dead.is_empty() {
        let part = if dead.len() == triggers.len() { "vacuous" } else { "vacuous in part" };
        run.note(format!("{part}: {} never occurs", dead.join(", ")));
    }
}

/// Notes a reachable state without a fair run. The verdict stands even if a limit is reached here.
pub(super) fn note_realisability<const W: usize>(
    space: &Space<'_, W>,
    letters: &Letters<'_>,
    alternatives: &[Alternative],
    run: &Run<'_>,
) {
    let anything = Edge { cube: Cube::default(), marks: Vec::new(), target: 0 };
    let everything =
        Automaton { atoms: Vec::new(), initial: vec![0], states: vec![vec![anything]], marks: 0 };
    match state_without_a_fair_run(space, letters, &everything, alternatives, run) {
        Err(_) => {
            run.note("a limit was reached before it was known whether the fairness assumption is realisable");
        }
        Ok(None) => {}
        Ok(Some(state)) => {
            let shown = show::state(space.instance, &space.state(state)).join(", ");
            run.note(format!("the fairness assumption is not realisable from some reachable state: {shown}"));
        }
    }
}

struct Finder<'a> {
    instance: &'a Instance,
    predicates: &'a mut Predicates,
    environment: Environment,
    /// The number of quantifiers around.
    depth: usize,
    found: Vec<Trigger>,
}

impl Finder<'_> {
    /// Looks into a formula that is claimed at the beginning, or, under `G`, everywhere.
    fn in_formula(&mut self, formula: &Formula, everywhere: bool) {
        match formula {
            Formula::And(parts) => parts.iter().for_each(|part| self.in_formula(part, everywhere)),
            Formula::Forall(binder, body) => self.over(binder, body, everywhere),
            Formula::Globally(body) => self.in_formula(body, true),
            Formula::Implies(trigger, _) if everywhere => {
                if let Formula::Atom(trigger) = &**trigger {
                    self.add(trigger);
                }
            }
            Formula::Atom(atom) if everywhere => self.in_atom(atom),
            _ => {}
        }
    }

    fn over(&mut self, binder: &Binder, body: &Formula, everywhere: bool) {
        let Span { lo, hi } = &binder.span;
        let ends = (semantics::rigid(lo, &mut self.environment), semantics::rigid(hi, &mut self.environment));
        let (Ok(lo), Ok(hi)) = ends else { return };
        self.depth += 1;
        for value in lo..=hi {
            self.environment.bind(binder.index, value);
            self.in_formula(body, everywhere);
            self.environment.unbind();
        }
        self.depth -= 1;
    }

    fn in_atom(&mut self, atom: &Expr) {
        if let Expr::Binary(Operator::Implies, trigger, _) = atom {
            self.add(trigger);
        }
    }

    fn add(&mut self, trigger: &Expr) {
        let ground = ground::expression(self.instance, trigger, &mut self.environment);
        // Without quantifiers around, the trigger can be shown as it was written.
        let shown = if self.depth == 0 { trigger } else { &ground };
        let text = show::expression(&self.instance.system, shown);
        let number = self.predicates.number(&ground, Site::Property);
        self.found.push(Trigger { text, number });
    }
}
