//! The triggers of a property: the conditions without which it says nothing.
//!
//! A property of the shape `G (p -> …)` is *vacuous* if its trigger `p` is true of no reachable step.

use model::expr::{Operator, Span};
use model::instance::Environment;
use model::property::Kind;
use model::{Binder, Expr, Formula, Instance, Note, Session, System, ground, semantics, show};

/// A trigger of a property.
pub(crate) struct Trigger {
    /// The trigger as the user would write it.
    text: String,
    /// The step predicate, ground in an instance.
    pub(crate) predicate: Expr,
}

/// The triggers of a property.
///
/// A trigger is evaluated wherever its atom is, and before the rest of the atom, so it adds no faults. For this
/// reason triggers under a quantifier inside an atom are ignored.
pub(crate) fn triggers(instance: &Instance, kind: &Kind) -> Vec<Trigger> {
    let ground =
        |trigger: &Expr, environment: &mut Environment| ground::expression(instance, trigger, environment);
    find(&instance.system, &ground, kind)
}

/// The triggers of a property of a parameterised system. Temporal operators under a quantifier are not allowed here.
pub(crate) fn open_triggers(system: &System, kind: &Kind) -> Vec<Trigger> {
    find(system, &|trigger, _| trigger.clone(), kind)
}

fn find(system: &System, ground: &Ground<'_>, kind: &Kind) -> Vec<Trigger> {
    let environment = Environment::default();
    let mut finder = Finder { system, ground, environment, depth: 0, found: Vec::new() };
    match kind {
        Kind::Invariant(expr) => finder.in_atom(expr),
        Kind::Ltl(formula) => finder.in_formula(formula, false),
        Kind::Ctl(_) | Kind::Never(_) => {}
    }
    finder.found
}

/// Records a note about triggers that never occur. `occurs` takes a position in the list.
pub(crate) fn note_vacuity(triggers: &[Trigger], occurs: &dyn Fn(usize) -> bool, session: &Session<'_>) {
    let dead: Vec<String> = triggers
        .iter()
        .enumerate()
        .filter(|(number, _)| !occurs(*number))
        .map(|(_, trigger)| trigger.text.clone())
        .collect();
    if !dead.is_empty() {
        let in_part = dead.len() < triggers.len();
        session.note(Note::Vacuous { triggers: dead, in_part });
    }
}

/// Grounds a predicate, given the values of indices.
type Ground<'a> = dyn Fn(&Expr, &mut Environment) -> Expr + 'a;

struct Finder<'a> {
    system: &'a System,
    ground: &'a Ground<'a>,
    environment: Environment,
    /// The number of surrounding quantifiers.
    depth: usize,
    found: Vec<Trigger>,
}

impl Finder<'_> {
    /// Collects triggers in a formula that is claimed at the beginning or, under `G`, everywhere.
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
        let ground = (self.ground)(trigger, &mut self.environment);
        // If there are no surrounding quantifiers, the trigger can be shown as it was written.
        let shown = if self.depth == 0 { trigger } else { &ground };
        let text = show::expression(self.system, shown);
        self.found.push(Trigger { text, predicate: ground });
    }
}
