//! Converts temporal formulas about programs to properties.
//!
//! `[AG](…)` and similar formulas are CTL. Path operators without brackets make LTL or, with quantifiers in front,
//! CTL\*, which the model does not have. But much of it is CTL: `E F φ` is `EF E φ`, `A G φ` is `AG A φ`, `E`
//! distributes over disjunctions and `A` over conjunctions. This is true for every path formula φ, and also if the
//! quantifiers range over fair runs only. `E` over a conjunction of `GF φ`, and `A` over a disjunction of `FG φ`, are
//! operators of their own. A remaining formula `A φ`, where φ has no quantifier, is LTL. Everything else is refused.
//!
//! A state formula under a quantifier is not equivalent to the formula alone, because a state may have no fair run:
//! `A p` is `A[false W p]` and `E p` is `E[false U p]`.

use model::expr::{Operator, Place};
use model::property::{Kind, Paths};
use model::{Ctl, Expr, Formula, VariableId};

use super::block::expected_number;
use super::division;
use super::syntax::{Factor, Node, Temporal, Tree};
use lang::diagnostic::Diagnostic;
use lang::diagnostic::nearest;
use lang::syntax::Span;

/// The numbers and names of the variables.
pub(crate) struct Variables<'a> {
    /// The condition that the program is at a location; `None` if there is no such location.
    pub(crate) at: &'a dyn Fn(&str) -> Option<Expr>,
    pub(crate) number: &'a dyn Fn(&str) -> Option<u32>,
    pub(crate) names: &'a [String],
    /// The condition that there is no next state, if runs may end.
    pub(crate) ended: Option<Expr>,
}

impl Variables<'_> {
    /// A CTL formula.
    pub(crate) fn ctl(&self, tree: &Tree) -> Result<Kind, Box<Diagnostic>> {
        let star = self.star(tree)?;
        if !star.is_state() {
            return Err(Diagnostic::error(
                tree.span,
                "this is a formula of runs, not of states",
                "no `A` or `E` in front",
            )
            .help("write `[AG](…)` and the like, or ask with --ltl")
            .into());
        }
        star.ctl().map(|formula| Kind::Ctl(self.with_ends(&formula))).ok_or_else(|| beyond(tree.span).into())
    }

    /// The formula where runs may end: at the end `AX` is true and `EX` false.
    fn with_ends(&self, formula: &Ctl) -> Ctl {
        let Some(ended) = &self.ended else { return formula.clone() };
        let whole = formula.map(&mut |part| self.with_ends(part));
        match formula {
            Ctl::Next(Paths::All, _) => Ctl::Or(vec![Ctl::Atom(ended.clone()), whole]),
            Ctl::Next(Paths::Some, _) => Ctl::And(vec![Ctl::Not(Box::new(Ctl::Atom(ended.clone()))), whole]),
            _ => whole,
        }
    }

    /// An LTL formula, or one of CTL\* that has a CTL or LTL form.
    pub(crate) fn ltl(&self, tree: &Tree) -> Result<Kind, Box<Diagnostic>> {
        let star = self.star(tree)?;
        let mut looks_ahead = false;
        tree.visit(&mut |part| looks_ahead |= matches!(part.node, Node::Temporal(Temporal::Next, _)));
        if self.ended.is_some() && looks_ahead {
            let message = "what `X` means at the end of a run is not defined for linear time";
            return Err(Diagnostic::error(tree.span, message, "use --ctl, or --stuck=stutter").into());
        }
        let (body, quantified) = match &star {
            Star::Paths(Paths::All, body) => (&**body, true),
            other => (other, false),
        };
        match body.ltl() {
            Some(formula) if !quantified => Ok(Kind::Ltl(formula)),
            linear => {
                let branching = if star.is_state() { star.ctl() } else { quantified_ctl(Paths::All, &star) };
                // There are more ways to decide a formula of LTL than one of CTL*.
                let branching = branching.filter(|formula| linear.is_none() || !formula.is_beyond_ctl());
                branching.map(Kind::Ctl).or(linear.map(Kind::Ltl)).ok_or_else(|| beyond(tree.span).into())
            }
        }
    }

    /// A condition on states.
    pub(crate) fn predicate(&self, tree: &Tree) -> Result<Expr, Box<Diagnostic>> {
        match self.star(tree)? {
            Star::Atom(expr) => Ok(expr),
            _ => Err(Diagnostic::error(
                tree.span,
                "a condition on states is expected here",
                "no temporal operators",
            )
            .into()),
        }
    }

    fn star(&self, tree: &Tree) -> Result<Star, Box<Diagnostic>> {
        let all = |parts: &[Tree]| parts.iter().map(|part| self.star(part)).collect::<Result<Vec<_>, _>>();
        Ok(match &tree.node {
            Node::Compare(comparison, left, right) => {
                let operator = comparison.operator();
                match (divided(left), divided(right)) {
                    (Some((factor, sum, by)), None) => Star::Atom(division::compared(
                        factor,
                        &self.term(&sum)?.0,
                        by,
                        operator,
                        &self.term(right)?.0,
                    )),
                    (None, Some((factor, sum, by))) => {
                        let operator = operator.mirrored();
                        Star::Atom(division::compared(
                            factor,
                            &self.term(&sum)?.0,
                            by,
                            operator,
                            &self.term(left)?.0,
                        ))
                    }
                    _ => Star::Atom(Expr::binary(operator, self.term(left)?.0, self.term(right)?.0)),
                }
            }
            Node::Not(body) => match self.star(body)? {
                Star::Atom(expr) => Star::Atom(Expr::negated(expr)),
                other => Star::Not(Box::new(other)),
            },
            // Adjacent parts without temporal operators become one atom.
            Node::And(parts) => joined(all(parts)?, Expr::and, Star::And),
            Node::Or(parts) => joined(all(parts)?, Expr::or, Star::Or),
            Node::Truth(truth) => Star::Atom(Expr::Bool(*truth)),
            // A location that nothing leads to.
            Node::At(location) => Star::Atom((self.at)(location).unwrap_or(Expr::Bool(false))),
            Node::Quantified(paths, body) => Star::Paths(*paths, Box::new(self.star(body)?)),
            Node::Temporal(temporal, operands) => Star::Temporal(*temporal, all(operands)?),
            _ => {
                return Err(Diagnostic::error(tree.span, "a condition is expected here", "this is a number")
                    .help("compare it with something, for example `x > 0`")
                    .into());
            }
        })
    }

    /// A term, with its value if that is the same in every state.
    fn term(&self, tree: &Tree) -> Result<(Expr, Option<i64>), Box<Diagnostic>> {
        let refused = |what: &str| {
            Err(Diagnostic::error(tree.span, format!("{what} cannot be used in a property"), "not linear")
                .into())
        };
        Ok(match &tree.node {
            Node::Number(number) => (Expr::Int(*number), Some(*number)),
            Node::Variable(name) => {
                let Some(number) = (self.number)(name) else {
                    let message = format!("the program has no variable `{name}`");
                    let fault = Diagnostic::error(tree.span, message, "not assigned or read anywhere");
                    return Err(Box::new(match nearest(name, self.names.iter().map(String::as_str)) {
                        Some(near) => fault.help(format!("did you mean `{near}`?")),
                        None => fault,
                    }));
                };
                (variable(number), None)
            }
            Node::Negative(operand) => {
                let (operand, value) = self.term(operand)?;
                match value.and_then(i64::checked_neg) {
                    Some(value) => (Expr::Int(value), Some(value)),
                    None => (Expr::Neg(Box::new(operand)), None),
                }
            }
            Node::Sum(parts) => {
                let mut terms = Vec::new();
                for (subtracted, part) in parts {
                    let (term, _) = self.term(part)?;
                    terms.push(if *subtracted { Expr::Neg(Box::new(term)) } else { term });
                }
                (Expr::Sum(terms), None)
            }
            Node::Product(first, factors) => {
                let (mut product, mut value) = self.term(first)?;
                for (factor, operand) in factors {
                    let (operand, other) = self.term(operand)?;
                    if *factor != Factor::Times {
                        return refused("a division");
                    }
                    if value.is_none() && other.is_none() {
                        return refused("a product of variables");
                    }
                    product = Expr::binary(Operator::Mul, product, operand);
                    value = value.zip(other).and_then(|(a, b)| a.checked_mul(b));
                }
                (product, value)
            }
            Node::Any => return refused("`nondet()`"),
            _ => return Err(expected_number(tree.span).into()),
        })
    }
}

/// A quotient or remainder by a number that is not 0: the operation, what is divided, and the number.
fn divided(tree: &Tree) -> Option<(Factor, Tree, i64)> {
    let Node::Product(first, factors) = &tree.node else { return None };
    let ((factor, by), before) = factors.split_last()?;
    let by = match &by.node {
        Node::Number(number) => *number,
        Node::Negative(inner) => match inner.node {
            Node::Number(number) => number.checked_neg()?,
            _ => return None,
        },
        _ => return None,
    };
    let possible = match factor {
        Factor::Divided => by != 0,
        Factor::Remainder => by != 0 && by.unsigned_abs() <= division::LARGEST,
        _ => false,
    };
    let node =
        if before.is_empty() { first.node.clone() } else { Node::Product(first.clone(), before.to_vec()) };
    possible.then_some((*factor, Tree { node, span: tree.span }, by))
}

/// The value of a variable.
pub(crate) fn variable(number: u32) -> Expr {
    Expr::Read(Place { variable: VariableId(number), process: None, position: Vec::new() })
}

fn beyond(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this CTL* formula is neither CTL nor LTL", "not supported").help(
        "`E F`, `A G`, disjunctions under `E`, conjunctions under `A`, `G F` under `E` and `F G` under `A` can be taken \
         apart; others cannot",
    )
}

/// A formula of CTL\*.
enum Star {
    Atom(Expr),
    Not(Box<Star>),
    And(Vec<Star>),
    Or(Vec<Star>),
    Paths(Paths, Box<Star>),
    Temporal(Temporal, Vec<Star>),
}

/// A conjunction or disjunction. Its atoms are combined into one, in the place of the first.
fn joined(parts: Vec<Star>, join: impl Fn(Vec<Expr>) -> Expr, otherwise: fn(Vec<Star>) -> Star) -> Star {
    let mut atoms = Vec::new();
    let mut others = Vec::new();
    let mut place = None;
    for part in parts {
        match part {
            Star::Atom(expr) => {
                place.get_or_insert(others.len());
                atoms.push(expr);
            }
            other => others.push(other),
        }
    }
    if let Some(place) = place {
        others.insert(place, Star::Atom(join(atoms)));
    }
    if others.len() == 1 { others.remove(0) } else { otherwise(others) }
}

impl Star {
    /// Whether it is a state formula: every path operator is below a quantifier.
    fn is_state(&self) -> bool {
        match self {
            Star::Atom(_) | Star::Paths(..) => true,
            Star::Not(body) => body.is_state(),
            Star::And(parts) | Star::Or(parts) => parts.iter().all(Star::is_state),
            Star::Temporal(..) => false,
        }
    }

    /// As a linear-time formula, if it has no quantifiers.
    fn ltl(&self) -> Option<Formula> {
        let all = |parts: &[Star]| parts.iter().map(Star::ltl).collect::<Option<Vec<_>>>();
        Some(match self {
            Star::Atom(expr) => Formula::Atom(expr.clone()),
            Star::Not(body) => Formula::Not(Box::new(body.ltl()?)),
            Star::And(parts) => Formula::And(all(parts)?),
            Star::Or(parts) => Formula::Or(all(parts)?),
            Star::Paths(..) => return None,
            Star::Temporal(temporal, operands) => {
                let mut operands = all(operands)?.into_iter().map(Box::new);
                let first = operands.next()?;
                match temporal {
                    Temporal::Finally => Formula::Finally(first),
                    Temporal::Globally => Formula::Globally(first),
                    Temporal::Next => Formula::Next(first),
                    Temporal::Until => Formula::Until(first, operands.next()?),
                    Temporal::WeakUntil => Formula::WeakUntil(first, operands.next()?),
                }
            }
        })
    }

    /// As a branching-time formula, if it is a state formula and can be split.
    fn ctl(&self) -> Option<Ctl> {
        let all = |parts: &[Star]| parts.iter().map(Star::ctl).collect::<Option<Vec<_>>>();
        Some(match self {
            Star::Atom(expr) => Ctl::Atom(expr.clone()),
            Star::Not(body) => Ctl::Not(Box::new(body.ctl()?)),
            Star::And(parts) => Ctl::And(all(parts)?),
            Star::Or(parts) => Ctl::Or(all(parts)?),
            Star::Paths(paths, body) => quantified_ctl(*paths, body)?,
            Star::Temporal(..) => return None,
        })
    }
}

/// For `E` the formulas φ of a conjunction of `GF φ`; for `A` the negations of those of a disjunction of `FG φ`.
fn recurring(paths: Paths, body: &Star) -> Option<Vec<Ctl>> {
    let (outer, inner) = match paths {
        Paths::Some => (Temporal::Globally, Temporal::Finally),
        Paths::All => (Temporal::Finally, Temporal::Globally),
    };
    match (body, paths) {
        (Star::And(parts), Paths::Some) | (Star::Or(parts), Paths::All) => {
            let parts = parts.iter().map(|part| recurring(paths, part)).collect::<Option<Vec<_>>>()?;
            Some(parts.into_iter().flatten().collect())
        }
        (Star::Temporal(first, body), _) if *first == outer => match &body[..] {
            [Star::Temporal(second, operand)] if *second == inner => {
                let operand = operand.first().filter(|operand| operand.is_state())?.ctl()?;
                Some(vec![if paths == Paths::Some { operand } else { Ctl::Not(Box::new(operand)) }])
            }
            _ => None,
        },
        _ => None,
    }
}

/// `A f` or `E f` as a branching-time formula, if it can be written as one.
fn quantified_ctl(paths: Paths, body: &Star) -> Option<Ctl> {
    let nothing = || Box::new(Ctl::Atom(Expr::Bool(false)));
    if body.is_state() {
        let body = Box::new(body.ctl()?);
        return Some(match paths {
            Paths::All => Ctl::WeakUntil(paths, nothing(), body),
            Paths::Some => Ctl::Until(paths, nothing(), body),
        });
    }
    let dual = match paths {
        Paths::All => Paths::Some,
        Paths::Some => Paths::All,
    };
    if let Some(parts) = recurring(paths, body) {
        let some = Ctl::Infinitely(Paths::Some, parts);
        return Some(if paths == Paths::Some { some } else { Ctl::Not(Box::new(some)) });
    }
    // An operand with the quantifier moved into it.
    let moved = |part: &Star| if part.is_state() { part.ctl() } else { quantified_ctl(paths, part) };
    match (body, paths) {
        (Star::Not(body), _) => Some(Ctl::Not(Box::new(quantified_ctl(dual, body)?))),
        (Star::And(parts), Paths::All) => {
            Some(Ctl::And(parts.iter().map(|part| quantified_ctl(paths, part)).collect::<Option<_>>()?))
        }
        (Star::Or(parts), Paths::Some) => {
            Some(Ctl::Or(parts.iter().map(|part| quantified_ctl(paths, part)).collect::<Option<_>>()?))
        }
        (Star::And(parts) | Star::Or(parts), _) => {
            // With several path formulas, the quantifier cannot choose a run for each.
            if parts.iter().filter(|part| !part.is_state()).count() > 1 {
                return None;
            }
            let parts = parts.iter().map(moved).collect::<Option<_>>()?;
            Some(if matches!(body, Star::And(_)) { Ctl::And(parts) } else { Ctl::Or(parts) })
        }
        (Star::Temporal(temporal, operands), _) => {
            let state = |part: &Star| if part.is_state() { part.ctl().map(Box::new) } else { None };
            let moved = |part: &Star| moved(part).map(Box::new);
            let [first, second] = [operands.first()?, operands.last()?];
            Some(match (temporal, paths) {
                (Temporal::Next, _) => Ctl::Next(paths, moved(first)?),
                (Temporal::Finally, Paths::Some) => Ctl::Finally(paths, moved(first)?),
                (Temporal::Finally, Paths::All) => Ctl::Finally(paths, state(first)?),
                (Temporal::Globally, Paths::All) => Ctl::Globally(paths, moved(first)?),
                (Temporal::Globally, Paths::Some) => Ctl::Globally(paths, state(first)?),
                (Temporal::Until, Paths::Some) => Ctl::Until(paths, state(first)?, moved(second)?),
                (Temporal::Until, Paths::All) => Ctl::Until(paths, state(first)?, state(second)?),
                (Temporal::WeakUntil, Paths::All) => Ctl::WeakUntil(paths, moved(first)?, state(second)?),
                (Temporal::WeakUntil, Paths::Some) => Ctl::WeakUntil(paths, state(first)?, state(second)?),
            })
        }
        (Star::Atom(_) | Star::Paths(..), _) => None,
    }
}
