//! Negation normal form, and the rewriting of the input formula.
//!
//! Negations are pushed to the atoms, and every formula becomes one of literal, conjunction, disjunction,
//! `X`, `U` and `R`, where `F a` is `true U a`, `G a` is `false R a` and `a W b` is `b R (a || b)`. Equal
//! formulas are the same [`Id`]. The functions that make a node apply equivalences that shorten it:
//!
//! - constants, repetition, complementary literals; `X` is pulled out of conjunctions and disjunctions;
//! - `F a || F b` is `F (a || b)`, `GF a || GF b` is `GF (a || b)`, and dually;
//! - a formula that speaks of the limit only (`GF a`, `FG a` and what is made of them) has the same truth at
//!   every position, so that `X`, `U` and `R` in front of it disappear, and it leaves `F (a && GF b)`.
//!
//! All this happens before the expansion and never inside it: an obligation that is implied by another one
//! still carries its promise, and dropping it there would forget the promise (`G X F b` asks for `F b` one
//! step later; a state that holds both and drops `F b` never promises anything).

use std::collections::HashMap;

use model::{Expr, Formula};

/// A formula in a [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    /// Its position among the formulas of the forest.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    /// An atom, or its negation.
    Literal(usize, bool),
    /// At least two, in increasing order.
    And(Vec<Id>),
    /// At least two, in increasing order.
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// Formulas in negation normal form, each once.
pub(crate) struct Forest {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    /// The atoms, in the order of their numbers.
    pub(crate) atoms: Vec<Expr>,
    numbers: HashMap<Expr, usize>,
}

const TRUE: Id = Id(0);
const FALSE: Id = Id(1);

impl Forest {
    /// The negation normal form of a ground formula.
    pub(crate) fn of(formula: &Formula) -> (Forest, Id) {
        let mut forest =
            Forest { nodes: Vec::new(), ids: HashMap::new(), atoms: Vec::new(), numbers: HashMap::new() };
        forest.intern(Node::True);
        forest.intern(Node::False);
        let root = forest.normal(formula, true);
        (forest, root)
    }

    /// The node with this id.
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.index()]
    }

    /// The number of formulas.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The negation normal form of a formula, or of its negation.
    fn normal(&mut self, formula: &Formula, positive: bool) -> Id {
        match formula {
            Formula::Atom(atom) => self.literal(atom, positive),
            Formula::Not(a) => self.normal(a, !positive),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts: Vec<Id> = parts.iter().map(|part| self.normal(part, positive)).collect();
                if matches!(formula, Formula::And(_)) == positive { self.and(parts) } else { self.or(parts) }
            }
            Formula::Implies(a, b) => {
                let parts = vec![self.normal(a, !positive), self.normal(b, positive)];
                if positive { self.or(parts) } else { self.and(parts) }
            }
            Formula::Next(a) => {
                let a = self.normal(a, positive);
                self.next(a)
            }
            Formula::Finally(a) => {
                let a = self.normal(a, positive);
                if positive { self.until(TRUE, a) } else { self.release(FALSE, a) }
            }
            Formula::Globally(a) => {
                let a = self.normal(a, positive);
                if positive { self.release(FALSE, a) } else { self.until(TRUE, a) }
            }
            Formula::Until(a, b) | Formula::Release(a, b) => {
                let (a, b) = (self.normal(a, positive), self.normal(b, positive));
                let until = matches!(formula, Formula::Until(..)) == positive;
                if until { self.until(a, b) } else { self.release(a, b) }
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.normal(a, positive), self.normal(b, positive));
                if positive {
                    let either = self.or(vec![a, b]);
                    self.release(b, either)
                } else {
                    let both = self.and(vec![a, b]);
                    self.until(b, both)
                }
            }
            Formula::Forall(..) | Formula::Exists(..) => unreachable!("a ground formula has no quantifiers"),
        }
    }

    fn intern(&mut self, node: Node) -> Id {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn literal(&mut self, atom: &Expr, positive: bool) -> Id {
        match atom {
            Expr::Bool(value) => {
                if *value == positive {
                    TRUE
                } else {
                    FALSE
                }
            }
            Expr::Not(atom) => self.literal(atom, !positive),
            _ => {
                let number = *self.numbers.entry(atom.clone()).or_insert_with(|| {
                    self.atoms.push(atom.clone());
                    self.atoms.len() - 1
                });
                self.intern(Node::Literal(number, positive))
            }
        }
    }

    fn and(&mut self, parts: Vec<Id>) -> Id {
        self.join(parts, true)
    }

    fn or(&mut self, parts: Vec<Id>) -> Id {
        self.join(parts, false)
    }

    /// The conjunction of formulas, or their disjunction. The comments speak of the conjunction.
    fn join(&mut self, parts: Vec<Id>, conjunction: bool) -> Id {
        let (unit, zero) = if conjunction { (TRUE, FALSE) } else { (FALSE, TRUE) };
        // `G a && G b` is `G (a && b)`, `FG a && FG b` is `FG (a && b)`, `X a && X b` is `X (a && b)`.
        let (mut always, mut limits, mut nexts) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = Vec::new();
        let mut pending = parts;
        pending.reverse();
        while let Some(part) = pending.pop() {
            match self.node(part) {
                Node::And(inner) if conjunction => pending.extend(inner.iter().rev()),
                Node::Or(inner) if !conjunction => pending.extend(inner.iter().rev()),
                Node::Next(a) => nexts.push(*a),
                _ => match (self.always(part, conjunction), self.always(part, !conjunction)) {
                    (Some(body), _) => always.push(body),
                    (_, Some(inner)) => match self.always(inner, conjunction) {
                        Some(body) => limits.push(body),
                        None => rest.push(part),
                    },
                    _ => rest.push(part),
                },
            }
        }
        if !always.is_empty() {
            let body = self.join(always, conjunction);
            rest.push(self.make_always(body, conjunction));
        }
        if !limits.is_empty() {
            let body = self.join(limits, conjunction);
            let inner = self.make_always(body, conjunction);
            rest.push(self.make_always(inner, !conjunction));
        }
        if !nexts.is_empty() {
            let body = self.join(nexts, conjunction);
            rest.push(self.next(body));
        }
        rest.retain(|part| *part != unit);
        rest.sort_unstable();
        rest.dedup();
        let contradiction = rest.iter().any(|part| match *self.node(*part) {
            Node::Literal(atom, positive) => self
                .ids
                .get(&Node::Literal(atom, !positive))
                .is_some_and(|other| rest.binary_search(other).is_ok()),
            _ => *part == zero,
        });
        match rest.len() {
            _ if contradiction => zero,
            0 => unit,
            1 => rest[0],
            _ => self.intern(if conjunction { Node::And(rest) } else { Node::Or(rest) }),
        }
    }

    /// `a` if the formula is `G a` (or, for `globally == false`, `F a`).
    fn always(&self, id: Id, globally: bool) -> Option<Id> {
        match *self.node(id) {
            Node::Release(FALSE, a) if globally => Some(a),
            Node::Until(TRUE, a) if !globally => Some(a),
            _ => None,
        }
    }

    fn make_always(&mut self, a: Id, globally: bool) -> Id {
        if globally { self.release(FALSE, a) } else { self.until(TRUE, a) }
    }

    /// Whether the truth of a formula is the same at every position of a word.
    fn is_limit(&self, id: Id) -> bool {
        match self.node(id) {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|part| self.is_limit(*part)),
            Node::Next(a) => self.is_limit(*a),
            Node::Until(a, b) => *a == TRUE && (self.always(*b, true).is_some() || self.is_limit(*b)),
            Node::Release(a, b) => *a == FALSE && (self.always(*b, false).is_some() || self.is_limit(*b)),
        }
    }

    fn next(&mut self, a: Id) -> Id {
        if self.is_limit(a) { a } else { self.intern(Node::Next(a)) }
    }

    fn until(&mut self, a: Id, b: Id) -> Id {
        self.fixpoint(a, b, true)
    }

    fn release(&mut self, a: Id, b: Id) -> Id {
        self.fixpoint(a, b, false)
    }

    /// `a U b`, or `a R b`. The comments speak of `U`; for `R` each is its dual.
    fn fixpoint(&mut self, a: Id, b: Id, until: bool) -> Id {
        let (top, bottom) = if until { (TRUE, FALSE) } else { (FALSE, TRUE) };
        // `a U b` is `b` if `a` is false, equals `b`, or if `b` has the same truth everywhere.
        if a == bottom || a == b || self.is_limit(b) {
            return b;
        }
        let inner = match (self.node(b), until) {
            (Node::Until(c, d), true) | (Node::Release(c, d), false) => Some((*c, *d)),
            _ => None,
        };
        if let Some((c, d)) = inner {
            // `a U (a U d)` is `a U d`.
            if c == a {
                return b;
            }
            // `F (c U d)` is `F d`.
            if a == top {
                return self.fixpoint(top, d, until);
            }
        }
        if a == top {
            match self.node(b).clone() {
                // `F X c` is `X F c`.
                Node::Next(c) => {
                    let body = self.fixpoint(top, c, until);
                    return self.next(body);
                }
                // `F (c && GF d)` is `F c && GF d`.
                Node::And(parts) | Node::Or(parts)
                    if matches!(self.node(b), Node::And(_)) == until
                        && parts.iter().any(|part| self.is_limit(*part)) =>
                {
                    let (mut limits, body): (Vec<Id>, Vec<Id>) =
                        parts.into_iter().partition(|part| self.is_limit(*part));
                    let body = self.join(body, until);
                    limits.push(self.fixpoint(top, body, until));
                    return self.join(limits, until);
                }
                // `F (F c || d)` is `F (c || d)`.
                Node::And(parts) | Node::Or(parts)
                    if matches!(self.node(b), Node::Or(_)) == until
                        && parts.iter().any(|part| self.always(*part, !until).is_some()) =>
                {
                    let parts = parts.into_iter().map(|part| self.always(part, !until).unwrap_or(part));
                    let body = parts.collect();
                    let body = self.join(body, !until);
                    return self.fixpoint(top, body, until);
                }
                _ => {}
            }
        }
        self.intern(if until { Node::Until(a, b) } else { Node::Release(a, b) })
    }
}
