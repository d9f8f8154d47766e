//! In which states the parts of a formula are true, and in which they are false, by labels that the judge has checked.
//!
//! Provers of CTL over integers return an assertion for each part of the formula [CKP15]. Here it has two sides: what is
//! in neither is not known. A formula of CTL is shown part by part; any other by the existential formulas that it was
//! reduced to.

use model::labelling::{Core, Label, Labelling};
use model::property::Kind;
use model::{Answer, Counterexample, Ctl, Expr, Proof, Task, ground, show};

use crate::sets::{Sets, tidied};

/// Where a part of a formula is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The part.
    pub formula: String,
    /// Where it is certainly true, place by place; empty if nowhere.
    pub holds: String,
    /// Where it is certainly false; empty if nowhere.
    pub fails: String,
    /// Whether it is known everywhere.
    pub whole: bool,
}

/// The labels of an answer; none if it has others, or no evidence of this kind.
pub(crate) fn labels(task: &Task, answer: &Answer) -> Vec<Labelled> {
    let labelling = match answer {
        Answer::Holds(Proof::Labelling(labelling)) => labelling,
        Answer::Fails(Counterexample::Labelling(refutation)) => &refutation.labelling,
        _ => return Vec::new(),
    };
    let Some(instance) = task.instance() else { return Vec::new() };
    let sets = Sets::new(instance, labelling);
    let mut parts: Vec<(String, Core)> = Vec::new();
    if let Kind::Ctl(formula) = ground::kind(instance, &task.property.kind) {
        let mut add = |part: &Ctl| {
            let one = (show::ctl(task.system(), part), Core::of(part));
            if !parts.contains(&one) {
                parts.push(one);
            }
        };
        temporal(&formula, &mut add);
    } else {
        let core = |label: &Label| (sets.core_text(&label.formula), label.formula.clone());
        parts.extend(labelling.labels.iter().map(core));
    }
    let shown = |(formula, core): (String, Core)| {
        let side = |must: bool, negated: bool| -> Vec<Expr> {
            let reachable = |place: &usize| labelling.invariant[*place] != Expr::Bool(false);
            let places = (0..labelling.places.len()).map(|place| {
                let set =
                    if reachable(&place) { at(labelling, &core, place, must) } else { Expr::Bool(negated) };
                if negated { Expr::Not(Box::new(set)) } else { set }
            });
            places.map(|set| tidied(&set)).collect()
        };
        let text = |sides: &[Expr]| {
            if sides.iter().all(|set| *set == Expr::Bool(true)) {
                return "everywhere".to_owned();
            }
            let some = sides.iter().enumerate().filter(|(_, set)| **set != Expr::Bool(false));
            sets.by_place(some, &[])
        };
        let (holds, fails) = (side(true, false), side(false, true));
        let whole = side(true, false) == side(false, false);
        Labelled { formula, holds: text(&holds), fails: text(&fails), whole }
    };
    parts.into_iter().map(shown).collect()
}

/// One side of a formula at a place: where it must be true, or where it may be.
fn at(labelling: &Labelling, formula: &Core, place: usize, must: bool) -> Expr {
    let all = |parts: &[Core]| parts.iter().map(|part| at(labelling, part, place, must)).collect();
    match formula {
        Core::Atom(atom) => atom.clone(),
        Core::Not(a) => Expr::Not(Box::new(at(labelling, a, place, !must))),
        Core::And(parts) => Expr::And(all(parts)),
        Core::Or(parts) => Expr::Or(all(parts)),
        Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
            let label = labelling.labels.iter().find(|label| label.formula == *formula);
            let side = |label: &Label| (if must { &label.must } else { &label.may }).get(place).cloned();
            label.and_then(side).unwrap_or(Expr::Bool(!must))
        }
    }
}

/// Visits the parts that begin with a temporal operator, outer before inner.
fn temporal(formula: &Ctl, visit: &mut dyn FnMut(&Ctl)) {
    match formula {
        Ctl::Atom(_) => {}
        Ctl::Not(a) | Ctl::Forall(_, a) | Ctl::Exists(_, a) => temporal(a, visit),
        Ctl::And(parts) | Ctl::Or(parts) => parts.iter().for_each(|part| temporal(part, visit)),
        Ctl::Implies(a, b) => [a, b].into_iter().for_each(|part| temporal(part, visit)),
        Ctl::Next(_, a) | Ctl::Finally(_, a) | Ctl::Globally(_, a) => {
            visit(formula);
            temporal(a, visit);
        }
        Ctl::Until(_, a, b) | Ctl::WeakUntil(_, a, b) => {
            visit(formula);
            [a, b].into_iter().for_each(|part| temporal(part, visit));
        }
        Ctl::Infinitely(_, parts) => {
            visit(formula);
            parts.iter().for_each(|part| temporal(part, visit));
        }
    }
}
