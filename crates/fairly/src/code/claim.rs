//! Claims: formulas of linear time whose atoms are functions of steps.

use std::rc::Rc;

use model::{Expr, Formula, Place, VariableId};

use super::{Step, System};

/// A formula of linear time about the states and actions of a system.
pub struct Claim<'a, S: System>(pub(super) Node<'a, S>);

/// An atom: a predicate of the step that leaves a position.
pub(super) type Atom<'a, S> = Rc<dyn Fn(&Step<'_, S>) -> bool + 'a>;

/// A claim is copied where an operator needs it twice; its atoms are shared.
pub(super) enum Node<'a, S: System> {
    Atom(Atom<'a, S>),
    Not(Box<Node<'a, S>>),
    And(Box<Node<'a, S>>, Box<Node<'a, S>>),
    Next(Box<Node<'a, S>>),
    Until(Box<Node<'a, S>>, Box<Node<'a, S>>),
    Finally(Box<Node<'a, S>>),
}

/// The claim that a predicate is true of the state at a position.
pub fn state<'a, S: System>(predicate: impl Fn(&S::State) -> bool + 'a) -> Claim<'a, S> {
    Claim(Node::Atom(Rc::new(move |step| predicate(step.state))))
}

/// The claim that such an action leaves a position.
pub fn action<'a, S: System>(which: impl Fn(&S::Action) -> bool + 'a) -> Claim<'a, S> {
    Claim(Node::Atom(Rc::new(move |step| step.takes(&which))))
}

impl<'a, S: System> Claim<'a, S> {
    /// It is false.
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Claim<'a, S> {
        Claim(Node::Not(Box::new(self.0)))
    }

    /// Both are true.
    #[must_use]
    pub fn and(self, other: Claim<'a, S>) -> Claim<'a, S> {
        Claim(Node::And(Box::new(self.0), Box::new(other.0)))
    }

    /// One of them is true.
    #[must_use]
    pub fn or(self, other: Claim<'a, S>) -> Claim<'a, S> {
        self.not().and(other.not()).not()
    }

    /// If this is true, so is the other.
    #[must_use]
    pub fn implies(self, other: Claim<'a, S>) -> Claim<'a, S> {
        self.and(other.not()).not()
    }

    /// It is true at the next position.
    #[must_use]
    pub fn next(self) -> Claim<'a, S> {
        Claim(Node::Next(Box::new(self.0)))
    }

    /// The other is true now or later, and this until then.
    #[must_use]
    pub fn until(self, other: Claim<'a, S>) -> Claim<'a, S> {
        Claim(Node::Until(Box::new(self.0), Box::new(other.0)))
    }

    /// It is true now or later.
    #[must_use]
    pub fn eventually(self) -> Claim<'a, S> {
        Claim(Node::Finally(Box::new(self.0)))
    }

    /// It is true now and ever after.
    #[must_use]
    pub fn always(self) -> Claim<'a, S> {
        self.not().eventually().not()
    }

    /// Whenever this is true, the other is true then or later.
    #[must_use]
    pub fn leads_to(self, other: Claim<'a, S>) -> Claim<'a, S> {
        self.implies(other.eventually()).always()
    }
}

impl<'a, S: System> Node<'a, S> {
    /// The formula, in which the n-th atom is the n-th variable, and its atoms.
    pub(super) fn formula(&self, atoms: &mut Vec<Atom<'a, S>>) -> Formula {
        let mut part = |node: &Node<'a, S>| Box::new(node.formula(atoms));
        match self {
            Node::Not(a) => Formula::Not(part(a)),
            Node::And(a, b) => Formula::And(vec![*part(a), *part(b)]),
            Node::Next(a) => Formula::Next(part(a)),
            Node::Until(a, b) => Formula::Until(part(a), part(b)),
            Node::Finally(a) => Formula::Finally(part(a)),
            Node::Atom(atom) => {
                atoms.push(Rc::clone(atom));
                Formula::Atom(variable(atoms.len() - 1))
            }
        }
    }
}

/// An expression that stands for an atom.
pub(super) fn variable(atom: usize) -> Expr {
    Expr::Read(Place { variable: VariableId(atom as u32), process: None, position: Vec::new() })
}
