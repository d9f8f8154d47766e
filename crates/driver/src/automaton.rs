//! The automaton of a formula without a model.
//!
//! The formula is written as in a property. Everything in it that is not a connective or a temporal operator is an
//! atom, identified by its text: `p`, `x == 1`, `P[1]@crit`, `taken(P.try)`. So nothing needs to be declared, and
//! atoms that exclude each other in a model (`x == 1`, `x == 2`) are independent here.

use automata::{show, translate};
use exchange::hoa;
use lang::diagnostic::{Diagnostic, Severity};
use lang::syntax::{Binary, Expr, ExprKind, Unary};
use model::{Automaton, Formula, Place, VariableId};

/// How to write an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonFormat {
    /// For people.
    Text,
    /// The Hanoi Omega-Automata format.
    Hoa,
    /// For Graphviz.
    Dot,
}

/// The greatest number of terms of a translation, which is some gigabytes.
const TERMS: usize = 20_000_000;

/// The greatest total size that `<->` may copy.
const COPIED: usize = 100_000;

/// The automaton of a formula or of its negation as text; diagnostics if the formula is wrong.
pub fn automaton(text: &str, negate: bool, format: AutomatonFormat) -> Result<String, Vec<Diagnostic>> {
    let Translated { automaton, name, atoms } = translated(text, negate)?;
    // The names of the automaton's atoms, in its order. The formula numbers atoms as they occur.
    let names: Vec<String> = automaton.atoms.iter().map(|atom| atoms.name(atom)).collect();
    Ok(match format {
        AutomatonFormat::Text => show::text(&automaton, &names),
        AutomatonFormat::Hoa => hoa::write(&automaton, &name, &names),
        AutomatonFormat::Dot => show::dot(&automaton, &name, &names),
    })
}

/// Whether a formula is true of every run, whatever its atoms are; false if that is not found out.
pub fn is_always_true(text: &str) -> bool {
    translated(text, true).is_ok_and(|negation| negation.automaton.initial.is_empty())
}

/// A formula or its negation as an automaton.
struct Translated<'t> {
    automaton: Automaton,
    name: String,
    atoms: Atoms<'t>,
}

fn translated(text: &str, negate: bool) -> Result<Translated<'_>, Vec<Diagnostic>> {
    let (tree, diagnostics) = lang::parse_formula(text);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let mut atoms = Atoms { text, names: Vec::new(), copied: 0 };
    let mut formula = atoms.formula(&tree).map_err(|diagnostic| vec![*diagnostic])?;
    let mut name = words(text);
    if negate {
        formula = Formula::Not(Box::new(formula));
        name = format!("!({name})");
    }
    let Some(automaton) = translate(&formula, &|made| made > TERMS) else {
        let message = format!("the automaton is too large: gave up after {TERMS} terms");
        return Err(vec![Diagnostic::outside(message)]);
    };
    Ok(Translated { automaton, name, atoms })
}

/// The text with single spaces.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The atoms of a formula. Atom number `k` is the truth of variable number `k` of a system that does not exist.
struct Atoms<'a> {
    text: &'a str,
    names: Vec<String>,
    /// The total size of what `<->` has copied.
    copied: usize,
}

impl Atoms<'_> {
    fn formula(&mut self, expr: &Expr) -> Result<Formula, Box<Diagnostic>> {
        let wrong = |diagnostic: Diagnostic| Err(Box::new(diagnostic));
        let mut part = |expr: &Expr| self.formula(expr).map(Box::new);
        Ok(match &expr.kind {
            ExprKind::Bool(value) => Formula::Atom(model::Expr::Bool(*value)),
            ExprKind::Unary(Unary::Not, a) => Formula::Not(part(a)?),
            ExprKind::Unary(Unary::Next, a) => Formula::Next(part(a)?),
            ExprKind::Unary(Unary::Finally, a) => Formula::Finally(part(a)?),
            ExprKind::Unary(Unary::Globally, a) => Formula::Globally(part(a)?),
            ExprKind::Binary(Binary::And, a, b) => Formula::And(vec![*part(a)?, *part(b)?]),
            ExprKind::Binary(Binary::Or, a, b) => Formula::Or(vec![*part(a)?, *part(b)?]),
            ExprKind::Binary(Binary::Implies, a, b) => Formula::Implies(part(a)?, part(b)?),
            ExprKind::Binary(Binary::Until, a, b) => Formula::Until(part(a)?, part(b)?),
            ExprKind::Binary(Binary::WeakUntil, a, b) => Formula::WeakUntil(part(a)?, part(b)?),
            ExprKind::Binary(Binary::Release, a, b) => Formula::Release(part(a)?, part(b)?),
            ExprKind::Unary(Unary::Previous, a) => Formula::Previous(self.past(a)?),
            ExprKind::Unary(Unary::Once, a) => Formula::Once(self.past(a)?),
            ExprKind::Unary(Unary::Historically, a) => Formula::Historically(self.past(a)?),
            ExprKind::Binary(Binary::Since, a, b) => Formula::Since(self.past(a)?, self.past(b)?),
            ExprKind::Binary(Binary::LeadsTo, a, b) => {
                let answer = Formula::Implies(part(a)?, Box::new(Formula::Finally(part(b)?)));
                Formula::Globally(Box::new(answer))
            }
            ExprKind::Binary(Binary::Iff, a, b) => {
                let (a, b) = (part(a)?, part(b)?);
                self.copied = self.copied.saturating_add(size(&a) + size(&b));
                if self.copied > COPIED {
                    let message = "the formula is too large: `<->` doubles what is on both its sides";
                    return wrong(Diagnostic::error(expr.span, message, "here"));
                }
                Formula::And(vec![Formula::Implies(a.clone(), b.clone()), Formula::Implies(b, a)])
            }
            ExprKind::Binary(
                Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge,
                a,
                b,
            ) if is_plain(a) && is_plain(b) => self.atom(expr),
            ExprKind::In(a, _) if is_plain(a) => self.atom(expr),
            ExprKind::Name(_)
            | ExprKind::Call(..)
            | ExprKind::Item(..)
            | ExprKind::Field(..)
            | ExprKind::At(..)
            | ExprKind::Taken(_)
            | ExprKind::Enabled(_)
            | ExprKind::Deadlock
            | ExprKind::Empty(_)
            | ExprKind::Full(_) => self.atom(expr),
            ExprKind::Unary(Unary::Neg, _)
            | ExprKind::Int(_)
            | ExprKind::Binary(..)
            | ExprKind::In(..)
            | ExprKind::List(_)
            | ExprKind::Each(..)
            | ExprKind::Record(..)
            | ExprKind::Set(_)
            | ExprKind::Size(_)
            | ExprKind::Min(_)
            | ExprKind::Max(_)
            | ExprKind::Len(_) => {
                return wrong(Diagnostic::error(expr.span, "this is not a formula", "expected a condition"));
            }
            ExprKind::Unary(..) | ExprKind::Path(..) => {
                let message = "a CTL formula has no automaton";
                return wrong(
                    Diagnostic::error(expr.span, message, "a path quantifier")
                        .help("write it in LTL, without `A` and `E`"),
                );
            }
            ExprKind::Quantified(..) | ExprKind::If(..) | ExprKind::Error => {
                let message = "a formula without a model has no quantifiers and no conditional expressions";
                return wrong(
                    Diagnostic::error(expr.span, message, "here")
                        .help("write the conjunction, disjunction or cases out"),
                );
            }
        })
    }

    /// The operand of a past operator.
    fn past(&mut self, expr: &Expr) -> Result<Box<Formula>, Box<Diagnostic>> {
        let formula = self.formula(expr)?;
        if formula.looks_ahead() {
            let message = "what is inside a past operator looks at the past too";
            return Err(Box::new(Diagnostic::error(expr.span, message, "an operator of the future is here")));
        }
        Ok(Box::new(formula))
    }

    /// An expression as an atom.
    fn atom(&mut self, expr: &Expr) -> Formula {
        let name = words(&self.text[expr.span.start..expr.span.end]);
        let known = self.names.iter().position(|other| *other == name);
        let number = known.unwrap_or(self.names.len());
        if known.is_none() {
            self.names.push(name);
        }
        let place = Place { variable: VariableId(number as u32), process: None, position: Vec::new() };
        Formula::Atom(model::Expr::Read(place))
    }

    /// The text of an atom.
    fn name(&self, atom: &model::Expr) -> String {
        match atom {
            model::Expr::Read(place) => self.names[place.variable.0 as usize].clone(),
            other => unreachable!("{other:?} is made by no formula here"),
        }
    }
}

/// The number of operators and atoms of a formula.
fn size(formula: &Formula) -> usize {
    1 + match formula {
        Formula::Atom(_) => 0,
        Formula::Not(a)
        | Formula::Next(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Previous(a)
        | Formula::Once(a)
        | Formula::Historically(a) => size(a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(size).sum(),
        Formula::Implies(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b)
        | Formula::Since(a, b) => size(a) + size(b),
        Formula::Forall(_, a) | Formula::Exists(_, a) => size(a),
    }
}

/// Whether an expression may be an operand of a comparison: it has no connective or temporal operator outside names.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(Unary::Neg, a) => is_plain(a),
        ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod, a, b) => {
            is_plain(a) && is_plain(b)
        }
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Path(..) => false,
        ExprKind::Quantified(..) | ExprKind::If(..) | ExprKind::Error => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_that_is_always_true_is_noticed() {
        for claim in ["true", "G true", "G (x == 1 || !(x == 1))", "F p -> F p", "G p -> F p"] {
            assert!(is_always_true(claim), "{claim}");
        }
        for claim in ["G p", "F (x == 1)", "p", "G (p -> F q)", "false"] {
            assert!(!is_always_true(claim), "{claim}");
        }
    }

    #[test]
    fn atoms_are_known_by_their_text() {
        let text = automaton("G (x == 1 -> F P[1]@crit)", false, AutomatonFormat::Hoa).expect("an automaton");
        assert!(text.contains("AP: 2 \"x == 1\" \"P[1]@crit\"\n"), "{text}");
        let same = automaton("F (x  ==  1) && F x == 1", false, AutomatonFormat::Hoa).expect("an automaton");
        assert!(same.contains("AP: 1 \"x == 1\"\n"), "{same}");
    }

    #[test]
    fn equivalences_do_not_double_for_ever() {
        let chain = |length: usize| (0..length).map(|k| format!("p{k}")).collect::<Vec<_>>().join(" <-> ");
        assert!(automaton(&chain(4), false, AutomatonFormat::Text).is_ok());
        let errors = automaton(&chain(100), false, AutomatonFormat::Text).expect_err("it is too large");
        assert!(errors[0].message.starts_with("the formula is too large"), "{errors:?}");
    }

    #[test]
    fn what_is_no_formula_is_refused_where_it_stands() {
        for (text, message) in [
            ("G (x + 1)", "this is not a formula"),
            ("F (p && AG q)", "a CTL formula has no automaton"),
            ("(G p) == q", "this is not a formula"),
            (
                "forall i in 1..3: F p",
                "a formula without a model has no quantifiers and no conditional expressions",
            ),
            ("G (p", "expected `)`, found the end of the file"),
            ("p q", "expected an operator or the end of the formula, found `q`"),
        ] {
            let errors = automaton(text, false, AutomatonFormat::Text).expect_err(text);
            assert_eq!(errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(), [message]);
        }
    }
}
