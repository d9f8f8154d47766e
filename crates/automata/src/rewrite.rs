//! The functions that make a formula from its parts, and the equivalences they apply on the way.
//!
//! Every rule has a dual, in which conjunction and disjunction, `U` and `R`, `F` and `G`, true and false change
//! places; the code is written once for both. With `e` for eventual, `u` for universal and `l` for limit formulas
//! (see [`forest`](crate::forest)), and with the implications the syntax shows (see
//! [`implication`](crate::implication)):
//!
//! | formula | becomes | |
//! | --- | --- | --- |
//! | `a && b` | `a` | if `a` implies `b` |
//! | `a && b` | `false` | if they exclude one another |
//! | `a && (b \|\| c)` | `a && c` | if `a` excludes `b` |
//! | `X a && X b` | `X (a && b)` | also for `\|\|` |
//! | `G a && G b` | `G (a && b)` | |
//! | `FG a && FG b` | `FG (a && b)` | |
//! | `(a U c) && (b U c)` | `(a && b) U c` | |
//! | `(c R a) && (c R b)` | `c R (a && b)` | |
//! | `(a R b) && F a` | `b U (a && b)` | |
//! | `X l` | `l` | |
//! | `X (a && l)` | `X a && l` | also for `\|\|` |
//! | `a U b` | `b` | if `a` implies `b`, or `b` is eventual |
//! | `a U b` | `F b` | if one of them is always true |
//! | `(a \|\| b) U c` | `b U c` | if `a` implies `c` |
//! | `a U (b U c)` | `b U c` | if `a` implies `b` |
//! | `a U (b U c)` | `a U c` | if `b` implies `a` |
//! | `(a U b) U b` | `a U b` | |
//! | `X a U X b` | `X (a U b)` | |
//! | `a U (b \|\| e)` | `a U b \|\| e` | |
//! | `a U (b && l)` | `a U b && l` | |
//! | `F (a U b)` | `F b` | |
//! | `GF (a && e)` | `GF a && GF e` | |
//! | `FG (a U b)` | `FG (a \|\| b) && GF b` | |
//!
//! All this happens before the expansion and never inside it: an obligation that is implied by another one
//! still carries its promise, and dropping it there would forget the promise (`G X F b` asks for `F b` one
//! step later; a state that holds both and drops `F b` never promises anything).

#![allow(clippy::many_single_char_names)] // the letters of the formulas in the comments

use crate::forest::{FALSE, Forest, Id, Node, TRUE};

/// Pairs are only compared if there are at most this many parts.
const COMPARED: usize = 100;

impl Forest {
    /// The conjunction of formulas, or their disjunction. The comments describe the conjunction.
    pub(crate) fn join(&mut self, parts: Vec<Id>, conjunction: bool) -> Id {
        let (unit, zero) = if conjunction { (TRUE, FALSE) } else { (FALSE, TRUE) };
        // `G a && G b`, `FG a && FG b`, `X a && X b`.
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
                    // `GF a` stays alone: it is a limit.
                    (Some(_), _) if self.is_limit(part) => rest.push(part),
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
        if rest.contains(&zero) {
            return zero;
        }
        if rest.len() <= COMPARED
            && let Some(merged) = self.merged(&rest, conjunction)
        {
            return self.join(merged, conjunction);
        }
        match rest.len() {
            0 => unit,
            1 => rest[0],
            _ => self.intern(if conjunction { Node::And(rest) } else { Node::Or(rest) }),
        }
    }

    /// The parts of a conjunction after one rule that looks at two of them, if one applies.
    fn merged(&mut self, parts: &[Id], conjunction: bool) -> Option<Vec<Id>> {
        let zero = if conjunction { FALSE } else { TRUE };
        for (i, &a) in parts.iter().enumerate() {
            for (j, &b) in parts.iter().enumerate() {
                if i == j {
                    continue;
                }
                let joined = if i < j && self.excludes(a, b, conjunction) {
                    Some(zero)
                } else if if conjunction { self.implies(a, b) } else { self.implies(b, a) } {
                    Some(a)
                } else {
                    self.pair(a, b, conjunction)
                };
                if let Some(joined) = joined {
                    let others = parts.iter().copied().filter(|part| *part != a && *part != b);
                    return Some(others.chain([joined]).collect());
                }
            }
        }
        None
    }

    /// One formula for the conjunction of two.
    fn pair(&mut self, a: Id, b: Id, conjunction: bool) -> Option<Id> {
        match (self.node(a).clone(), self.node(b).clone()) {
            // `a && (b || c)` is `a && c` if `a` excludes `b`.
            (_, Node::And(parts) | Node::Or(parts)) if matches!(self.node(b), Node::Or(_)) == conjunction => {
                let (out, kept): (Vec<Id>, Vec<Id>) =
                    parts.into_iter().partition(|part| self.excludes(a, *part, conjunction));
                if out.is_empty() {
                    return None;
                }
                let kept = self.join(kept, !conjunction);
                Some(self.join(vec![a, kept], conjunction))
            }
            // `(p U r) && (q U r)` is `(p && q) U r`, `(p U q) || (p U r)` is `p U (q || r)`; dually for `R`.
            (Node::Until(p, q), Node::Until(r, s)) if a < b => self.pair_of(p, q, r, s, true, conjunction),
            (Node::Release(p, q), Node::Release(r, s)) if a < b => {
                self.pair_of(p, q, r, s, false, conjunction)
            }
            // `(p R q) && F p` is `q U (p && q)`, and dually.
            (Node::Release(p, q), Node::Until(TRUE, r)) if conjunction && p == r => {
                let both = self.join(vec![p, q], true);
                Some(self.fixpoint(q, both, true))
            }
            (Node::Until(p, q), Node::Release(FALSE, r)) if !conjunction && p == r => {
                let either = self.join(vec![p, q], false);
                Some(self.fixpoint(q, either, false))
            }
            _ => None,
        }
    }

    fn pair_of(&mut self, p: Id, q: Id, r: Id, s: Id, until: bool, conjunction: bool) -> Option<Id> {
        if q == s && until == conjunction {
            let left = self.join(vec![p, r], conjunction);
            Some(self.fixpoint(left, q, until))
        } else if p == r && until != conjunction {
            let right = self.join(vec![q, s], conjunction);
            Some(self.fixpoint(p, right, until))
        } else {
            None
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
        self.fixpoint(if globally { FALSE } else { TRUE }, a, !globally)
    }

    /// `X a`.
    pub(crate) fn next(&mut self, a: Id) -> Id {
        if self.is_limit(a) {
            return a;
        }
        let (Node::And(parts) | Node::Or(parts)) = self.node(a).clone() else {
            return self.intern(Node::Next(a));
        };
        let conjunction = matches!(self.node(a), Node::And(_));
        let (mut limits, others): (Vec<Id>, Vec<Id>) =
            parts.into_iter().partition(|part| self.is_limit(*part));
        if limits.is_empty() {
            return self.intern(Node::Next(a));
        }
        let others = self.join(others, conjunction);
        limits.push(self.next(others));
        self.join(limits, conjunction)
    }

    /// `a U b`, or `a R b`. The comments describe `U`; for `R` each rule is the dual.
    pub(crate) fn fixpoint(&mut self, a: Id, b: Id, until: bool) -> Id {
        let (top, bottom) = if until { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let stays = if until { self.is_eventual(b) } else { self.is_universal(b) };
        if stays || if until { self.implies(a, b) } else { self.implies(b, a) } {
            return b;
        }
        if a != top && self.excludes(a, b, !until) {
            return self.fixpoint(top, b, until);
        }
        if a != bottom
            && let Some(result) = self.shorter_left(a, b, until)
        {
            return result;
        }
        if let Some(result) = self.shorter_right(a, b, until) {
            return result;
        }
        if a == top
            && let Some(result) = self.shorter_always(b, until)
        {
            return result;
        }
        self.intern(if until { Node::Until(a, b) } else { Node::Release(a, b) })
    }

    /// Rules that look into the left side of `a U b`.
    fn shorter_left(&mut self, a: Id, b: Id, until: bool) -> Option<Id> {
        match self.node(a).clone() {
            // `(c U b) U b` is `c U b`.
            Node::Until(_, d) if until && d == b => Some(a),
            Node::Release(_, d) if !until && d == b => Some(a),
            // `X c U X d` is `X (c U d)`.
            Node::Next(c) => {
                let Node::Next(d) = *self.node(b) else { return None };
                let inner = self.fixpoint(c, d, until);
                Some(self.next(inner))
            }
            // `(c || d) U b` is `d U b` if `c` implies `b`.
            Node::And(parts) | Node::Or(parts) if matches!(self.node(a), Node::Or(_)) == until => {
                let needless = |forest: &mut Forest, part: Id| {
                    if until { forest.implies(part, b) } else { forest.implies(b, part) }
                };
                let (out, kept): (Vec<Id>, Vec<Id>) =
                    parts.into_iter().partition(|part| needless(self, *part));
                if out.is_empty() {
                    return None;
                }
                let kept = self.join(kept, !until);
                Some(self.fixpoint(kept, b, until))
            }
            _ => None,
        }
    }

    /// Rules that look into the right side of `a U b`.
    fn shorter_right(&mut self, a: Id, b: Id, until: bool) -> Option<Id> {
        match self.node(b).clone() {
            Node::Until(c, d) | Node::Release(c, d) if matches!(self.node(b), Node::Until(..)) == until => {
                let (wider, narrower) = if until {
                    (self.implies(a, c), self.implies(c, a))
                } else {
                    (self.implies(c, a), self.implies(a, c))
                };
                // `a U (c U d)` is `c U d` if `a` implies `c`, and `a U d` if `c` implies `a`.
                if wider {
                    Some(b)
                } else if narrower {
                    Some(self.fixpoint(a, d, until))
                } else {
                    None
                }
            }
            Node::And(parts) | Node::Or(parts) => {
                // What may be pulled out: eventual formulas from a disjunction, limits from both.
                let disjunction = matches!(self.node(b), Node::Or(_));
                let (out, kept): (Vec<Id>, Vec<Id>) = parts.into_iter().partition(|part| {
                    self.is_limit(*part)
                        || disjunction == until
                            && if until { self.is_eventual(*part) } else { self.is_universal(*part) }
                });
                if out.is_empty() {
                    return None;
                }
                let kept = self.join(kept, !disjunction);
                let inner = self.fixpoint(a, kept, until);
                Some(self.join(out.into_iter().chain([inner]).collect(), !disjunction))
            }
            _ => None,
        }
    }

    /// Rules for `F b`.
    fn shorter_always(&mut self, b: Id, until: bool) -> Option<Id> {
        let top = if until { TRUE } else { FALSE };
        match self.node(b).clone() {
            // `F X c` is `X F c`.
            Node::Next(c) => {
                let inner = self.fixpoint(top, c, until);
                Some(self.next(inner))
            }
            // `FG c`.
            Node::Until(c, d) | Node::Release(c, d) => {
                let bottom = if until { FALSE } else { TRUE };
                if c != bottom || matches!(self.node(b), Node::Until(..)) == until {
                    return None;
                }
                match self.node(d).clone() {
                    // `FG (p U q)` is `FG (p || q) && GF q`.
                    Node::Until(p, q) | Node::Release(p, q)
                        if matches!(self.node(d), Node::Until(..)) == until && p != top =>
                    {
                        let either = self.join(vec![p, q], !until);
                        let lasting = self.limit(either, until);
                        let recurring = self.limit(q, !until);
                        Some(self.join(vec![lasting, recurring], until))
                    }
                    // `FG (p || u)` is `FG p || FG u`.
                    Node::And(parts) | Node::Or(parts) if matches!(self.node(d), Node::Or(_)) == until => {
                        let (out, kept): (Vec<Id>, Vec<Id>) = parts.into_iter().partition(|part| {
                            if until { self.is_universal(*part) } else { self.is_eventual(*part) }
                        });
                        if out.is_empty() {
                            return None;
                        }
                        let kept = self.join(kept, !until);
                        let mut parts = vec![self.limit(kept, until)];
                        for part in out {
                            parts.push(self.limit(part, until));
                        }
                        Some(self.join(parts, !until))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `FG a`, or `GF a`.
    fn limit(&mut self, a: Id, persistence: bool) -> Id {
        let inner = self.make_always(a, persistence);
        self.make_always(inner, !persistence)
    }
}
