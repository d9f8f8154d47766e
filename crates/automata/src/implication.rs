//! What follows from the syntax of two formulas: that one implies the other, that both cannot be true, that one
//! must be.
//!
//! The three questions are decided by recursion over the two formulas, as in [SB00]. "No" only means that the rules
//! find nothing. Two facts are used throughout: `c U d` implies `c || d` and follows from `d`; `c R d` implies
//! `d` and follows from `c && d`. A universal formula that is true now is true later, an eventual one that is
//! true later is true now, which relates them to what stands under `X`, `U` and `R`.
//!
//! Answers are remembered per pair, so the time is at most quadratic in the number of formulas. After [`PAIRS`] pairs
//! the answer is always "no".

#![allow(clippy::many_single_char_names)] // the letters of the formulas in the comments

use crate::forest::{FALSE, Forest, Id, Node, TRUE};

/// Limit on remembered pairs. Formulas written by people stay below it.
const PAIRS: usize = 200_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Whether `a -> b` is valid.
    Implies,
    /// Whether `a && b` is unsatisfiable.
    Excludes,
    /// Whether `a || b` is valid.
    Covers,
}

impl Forest {
    /// Whether `a` is seen to imply `b`.
    pub(crate) fn implies(&mut self, a: Id, b: Id) -> bool {
        match (a, b) {
            _ if a == b => true,
            (FALSE, _) | (_, TRUE) => true,
            (TRUE, _) | (_, FALSE) => false,
            _ => self.ask(Question::Implies, a, b),
        }
    }

    /// Whether it is seen that `a` and `b` are not both true (for a conjunction), or that one of them is.
    pub(crate) fn excludes(&mut self, a: Id, b: Id, conjunction: bool) -> bool {
        let (zero, unit) = if conjunction { (FALSE, TRUE) } else { (TRUE, FALSE) };
        match (a, b) {
            _ if a == zero || b == zero => true,
            _ if a == unit || b == unit || a == b => false,
            _ if conjunction => self.ask(Question::Excludes, a.min(b), a.max(b)),
            _ => self.ask(Question::Covers, a.min(b), a.max(b)),
        }
    }

    fn ask(&mut self, question: Question, a: Id, b: Id) -> bool {
        let key = (a, b, question as u8);
        if let Some(answer) = self.known.get(&key) {
            return *answer;
        }
        if self.known.len() >= PAIRS {
            return false;
        }
        let answer = match question {
            Question::Implies => self.find_implies(a, b),
            Question::Excludes => self.find_excludes(a, b, true) || self.find_excludes(b, a, true),
            Question::Covers => self.find_excludes(a, b, false) || self.find_excludes(b, a, false),
        };
        self.known.insert(key, answer);
        answer
    }

    fn find_implies(&mut self, a: Id, b: Id) -> bool {
        let (left, right) = (self.node(a).clone(), self.node(b).clone());
        match (&left, &right) {
            (Node::Or(parts), _) => return parts.iter().all(|part| self.implies(*part, b)),
            (_, Node::And(parts)) => return parts.iter().all(|part| self.implies(a, *part)),
            (Node::And(parts), _) if parts.iter().any(|part| self.implies(*part, b)) => return true,
            (_, Node::Or(parts)) if parts.iter().any(|part| self.implies(a, *part)) => return true,
            (Node::Next(c), Node::Next(d)) if self.implies(*c, *d) => return true,
            (Node::Until(c, d), Node::Until(e, f)) | (Node::Release(c, d), Node::Release(e, f))
                if self.implies(*c, *e) && self.implies(*d, *f) =>
            {
                return true;
            }
            _ => {}
        }
        let from_right = match right {
            Node::Until(_, f) => self.implies(a, f),
            Node::Release(e, f) => self.implies(a, f) && (self.implies(a, e) || self.is_universal(a)),
            Node::Next(f) => self.is_universal(a) && self.implies(a, f),
            _ => false,
        };
        from_right
            || match left {
                Node::Release(_, d) => self.implies(d, b),
                Node::Until(c, d) => self.implies(d, b) && (self.implies(c, b) || self.is_eventual(b)),
                Node::Next(d) => self.is_eventual(b) && self.implies(d, b),
                _ => false,
            }
    }

    /// Half of the rules: those that look into `a`. For a disjunction each is the dual.
    fn find_excludes(&mut self, a: Id, b: Id, conjunction: bool) -> bool {
        let (left, right) = (self.node(a).clone(), self.node(b).clone());
        let lasting = if conjunction { self.is_universal(b) } else { self.is_eventual(b) };
        let mut excludes = |x: Id, y: Id| self.excludes(x, y, conjunction);
        match (left, right) {
            (Node::Literal(p, x), Node::Literal(q, y)) => p == q && x != y,
            (Node::Or(parts), _) if conjunction => parts.iter().all(|part| excludes(*part, b)),
            (Node::And(parts), _) if !conjunction => parts.iter().all(|part| excludes(*part, b)),
            (Node::And(parts) | Node::Or(parts), _) => parts.iter().any(|part| excludes(*part, b)),
            (Node::Next(c), Node::Next(d)) => excludes(c, d),
            (Node::Next(c), _) => lasting && excludes(c, b),
            (Node::Until(c, d), Node::Release(e, f)) if excludes(c, e) && excludes(d, f) => true,
            (Node::Until(c, d), _) if conjunction => excludes(d, b) && (excludes(c, b) || lasting),
            (Node::Release(c, d), _) if !conjunction => excludes(d, b) && (excludes(c, b) || lasting),
            (Node::Until(_, d) | Node::Release(_, d), _) => excludes(d, b),
            _ => false,
        }
    }
}
