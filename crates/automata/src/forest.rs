//! Formulas in negation normal form.
//!
//! Negations are pushed to the atoms, and every formula becomes one of literal, conjunction, disjunction,
//! `X`, `U` and `R`, where `F a` is `true U a`, `G a` is `false R a` and `a W b` is `b R (a || b)`. Equal
//! formulas are the same [`Id`]. A past formula is an atom here; its truth may be anything at any position. The
//! functions that make a node are in [`rewrite`](crate::rewrite).
//!
//! Two classes of formulas carry most of the rewriting [EH00]. A formula is *eventual* if it is true of a word
//! whenever it is true of a suffix of the word (`F a`), and *universal* if it is true of all suffixes whenever
//! it is true of the word (`G a`). What is both, such as `GF a`, speaks of the *limit* only: it has the same
//! truth at every position. The classes are decided by the syntax, once, when a node is made.

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
    /// At least two parts, in increasing order.
    And(Vec<Id>),
    /// At least two parts, in increasing order.
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

pub(crate) const TRUE: Id = Id(0);
pub(crate) const FALSE: Id = Id(1);

/// Formulas in negation normal form, each once.
pub(crate) struct Forest {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    /// Per node, whether it is eventual and whether it is universal.
    classes: Vec<(bool, bool)>,
    /// The atoms, in the order of their numbers.
    pub(crate) atoms: Vec<Formula>,
    numbers: HashMap<Formula, usize>,
    /// The answers of [`implication`](crate::implication) so far.
    pub(crate) known: HashMap<(Id, Id, u8), bool>,
}

impl Forest {
    /// The negation normal form of a ground formula, rewritten.
    pub(crate) fn of(formula: &Formula) -> (Forest, Id) {
        let mut forest = Forest {
            nodes: Vec::new(),
            ids: HashMap::new(),
            classes: Vec::new(),
            atoms: Vec::new(),
            numbers: HashMap::new(),
            known: HashMap::new(),
        };
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

    /// Per formula `F b`, the formulas `GF b` and `G (F b && …)`.
    pub(crate) fn recurrences(&self) -> Vec<Vec<Id>> {
        let mut recurrences = vec![Vec::new(); self.nodes.len()];
        for (node, id) in self.nodes.iter().zip((0..).map(Id)) {
            let Node::Release(FALSE, body) = node else { continue };
            let parts = match self.node(*body) {
                Node::And(parts) => &parts[..],
                _ => std::slice::from_ref(body),
            };
            for part in parts.iter().filter(|part| matches!(self.node(**part), Node::Until(TRUE, _))) {
                recurrences[part.index()].push(id);
            }
        }
        recurrences
    }

    /// The id of a node; a new one if there is none.
    pub(crate) fn intern(&mut self, node: Node) -> Id {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = Id(self.nodes.len() as u32);
        let class = (self.class(&node, true), self.class(&node, false));
        self.classes.push(class);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// Whether a formula is eventual.
    pub(crate) fn is_eventual(&self, id: Id) -> bool {
        self.classes[id.index()].0
    }

    /// Whether a formula is universal.
    pub(crate) fn is_universal(&self, id: Id) -> bool {
        self.classes[id.index()].1
    }

    /// Whether the truth of a formula is the same at every position of a word.
    pub(crate) fn is_limit(&self, id: Id) -> bool {
        self.classes[id.index()] == (true, true)
    }

    /// Whether a node is eventual or, dually, universal.
    fn class(&self, node: &Node, eventual: bool) -> bool {
        let member = |id: Id| if eventual { self.is_eventual(id) } else { self.is_universal(id) };
        match node {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|part| member(*part)),
            Node::Next(a) => member(*a),
            Node::Until(a, b) => (eventual && *a == TRUE) || (member(*a) || eventual) && member(*b),
            Node::Release(a, b) => (!eventual && *a == FALSE) || (member(*a) || !eventual) && member(*b),
        }
    }

    /// The negation normal form of a formula, or of its negation.
    fn normal(&mut self, formula: &Formula, positive: bool) -> Id {
        match formula {
            Formula::Atom(atom) => self.literal(atom, positive),
            Formula::Not(a) => self.normal(a, !positive),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts: Vec<Id> = parts.iter().map(|part| self.normal(part, positive)).collect();
                self.join(parts, matches!(formula, Formula::And(_)) == positive)
            }
            Formula::Implies(a, b) => {
                let parts = vec![self.normal(a, !positive), self.normal(b, positive)];
                self.join(parts, !positive)
            }
            Formula::Next(a) => {
                let a = self.normal(a, positive);
                self.next(a)
            }
            Formula::Finally(a) => {
                let a = self.normal(a, positive);
                self.fixpoint(if positive { TRUE } else { FALSE }, a, positive)
            }
            Formula::Globally(a) => {
                let a = self.normal(a, positive);
                self.fixpoint(if positive { FALSE } else { TRUE }, a, !positive)
            }
            Formula::Until(a, b) | Formula::Release(a, b) => {
                let (a, b) = (self.normal(a, positive), self.normal(b, positive));
                self.fixpoint(a, b, matches!(formula, Formula::Until(..)) == positive)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.normal(a, positive), self.normal(b, positive));
                let joined = self.join(vec![a, b], !positive);
                self.fixpoint(b, joined, !positive)
            }
            Formula::Previous(_) | Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) => {
                self.numbered(formula.clone(), positive)
            }
            Formula::Forall(..) | Formula::Exists(..) => unreachable!("a ground formula has no quantifiers"),
        }
    }

    /// A node as a formula.
    fn formula(&self, id: Id) -> Formula {
        let part = |id: &Id| self.formula(*id);
        let boxed = |id: &Id| Box::new(part(id));
        match self.node(id) {
            Node::True => Formula::Atom(Expr::Bool(true)),
            Node::False => Formula::Atom(Expr::Bool(false)),
            Node::Literal(atom, true) => self.atoms[*atom].clone(),
            Node::Literal(atom, false) => match &self.atoms[*atom] {
                Formula::Atom(atom) => Formula::Atom(Expr::negated(atom.clone())),
                past => Formula::Not(Box::new(past.clone())),
            },
            Node::And(parts) => Formula::And(parts.iter().map(part).collect()),
            Node::Or(parts) => Formula::Or(parts.iter().map(part).collect()),
            Node::Next(a) => Formula::Next(boxed(a)),
            Node::Until(TRUE, a) => Formula::Finally(boxed(a)),
            Node::Until(a, b) => Formula::Until(boxed(a), boxed(b)),
            Node::Release(FALSE, a) => Formula::Globally(boxed(a)),
            Node::Release(a, b) => Formula::Release(boxed(a), boxed(b)),
        }
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
            _ => self.numbered(Formula::Atom(atom.clone()), positive),
        }
    }

    fn numbered(&mut self, atom: Formula, positive: bool) -> Id {
        let number = *self.numbers.entry(atom).or_insert_with_key(|atom| {
            self.atoms.push(atom.clone());
            self.atoms.len() - 1
        });
        self.intern(Node::Literal(number, positive))
    }
}

/// A formula as the translation sees it: in negation normal form, rewritten.
pub fn simplified(formula: &Formula) -> Formula {
    let (forest, root) = Forest::of(formula);
    forest.formula(root)
}
