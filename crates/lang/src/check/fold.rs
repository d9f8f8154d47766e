//! Builds expressions of the model, folding constants, and replaces an index by an expression.
//!
//! Folding keeps every fault: only operations that succeed are computed, and an operand is dropped only if evaluation
//! would not reach it (`false && e`). So `P[(3 % N) + 1]` is shown as `P[1]` in an answer. Replacing an index turns a
//! family of properties into its members, and gives two processes of one family that meet different indices.

use model::expr::{Operator, Party, Pattern, Place, Span};
use model::fairness::Requirement;
use model::{Binder, Expr, Index, Update, ground};

/// `a op b`.
pub(super) fn binary(operator: Operator, a: Expr, b: Expr) -> Expr {
    ground::fold(operator, a, b)
}

/// `-a`.
pub(super) fn neg(a: Expr) -> Expr {
    match a {
        Expr::Int(value) if value != i64::MIN => Expr::Int(-value),
        a => Expr::Neg(Box::new(a)),
    }
}

/// `a + b`. If `a` is a sum, `b` is added to its operands.
pub(super) fn add(a: Expr, b: Expr) -> Expr {
    sum(match a {
        Expr::Sum(mut parts) => {
            parts.push(b);
            parts
        }
        a => vec![a, b],
    })
}

/// The sum of `parts`. If the first is a sum, its operands come first, which is the same order of additions.
pub(super) fn sum(mut parts: Vec<Expr>) -> Expr {
    if matches!(parts.first(), Some(Expr::Sum(inner)) if !inner.is_empty())
        && let Expr::Sum(inner) = parts.remove(0)
    {
        parts.splice(0..0, inner);
    }
    let total = parts.iter().try_fold(0i64, |total, part| total.checked_add(constant(part)?));
    total.map_or_else(|| Expr::Sum(parts), Expr::Int)
}

/// The least or greatest of `parts`, which are not empty.
pub(super) fn extreme(least: bool, mut parts: Vec<Expr>) -> Expr {
    let constants: Option<Vec<i64>> = parts.iter().map(constant).collect();
    let best = constants
        .and_then(|values| if least { values.iter().min().copied() } else { values.iter().max().copied() });
    match best {
        Some(value) => Expr::Int(value),
        None if parts.len() == 1 => parts.remove(0),
        None if least => Expr::Min(parts),
        None => Expr::Max(parts),
    }
}

/// The conjunction. Parts after a false one are dropped, because they are not reached.
pub(super) fn and(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut kept = Vec::new();
    for part in parts {
        let never = part == Expr::Bool(false);
        kept.push(part);
        if never {
            break;
        }
    }
    Expr::and(kept)
}

/// The disjunction. Parts after a true one are dropped, because they are not reached.
pub(super) fn or(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut kept = Vec::new();
    for part in parts {
        let always = part == Expr::Bool(true);
        kept.push(part);
        if always {
            break;
        }
    }
    Expr::or(kept)
}

/// `if c { a } else { b }`.
pub(super) fn choice(condition: Expr, a: Expr, b: Expr) -> Expr {
    match condition {
        Expr::Bool(true) => a,
        Expr::Bool(false) => b,
        condition => Expr::If(Box::new(condition), Box::new(a), Box::new(b)),
    }
}

/// The value of a literal; truth is 0 and 1.
pub(super) fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Bool(value) => Some(i64::from(*value)),
        _ => None,
    }
}

/// The number of levels.
pub(super) fn height(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(height).max().unwrap_or(0)
}

/// The number of nodes.
pub(super) fn size(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(size).sum::<usize>()
}

/// An expression with `value` in place of `index`.
pub(super) fn replace(expr: &Expr, index: Index, value: &Expr) -> Expr {
    match expr {
        Expr::Index(own) if *own == index => value.clone(),
        _ => rebuild(expr, &mut |part| replace(part, index, value)),
    }
}

/// An expression with its direct subexpressions replaced.
pub(super) fn rebuild(expr: &Expr, go: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    let mut all = |parts: &[Expr]| -> Vec<Expr> { parts.iter().map(&mut *go).collect() };
    match expr {
        Expr::And(parts) => and(all(parts)),
        Expr::Or(parts) => or(all(parts)),
        Expr::Sum(parts) => sum(all(parts)),
        Expr::Min(parts) => extreme(true, all(parts)),
        Expr::Max(parts) => extreme(false, all(parts)),
        Expr::Not(a) => Expr::negated(go(a)),
        Expr::Neg(a) => neg(go(a)),
        Expr::Binary(operator, a, b) => {
            let a = go(a);
            binary(*operator, a, go(b))
        }
        Expr::If(condition, a, b) => {
            let (condition, a) = (go(condition), go(a));
            choice(condition, a, go(b))
        }
        _ => expr.map(go),
    }
}

/// A place with `value` in place of `index`.
pub(super) fn replace_in_place(place: &Place, index: Index, value: &Expr) -> Place {
    Place {
        variable: place.variable,
        process: place.process.as_ref().map(|process| Box::new(replace(process, index, value))),
        position: place.position.iter().map(|expr| replace(expr, index, value)).collect(),
    }
}

/// A binder whose span has `value` in place of `index`. Every binder has an index of its own.
pub(super) fn replace_in_binder(binder: &Binder, index: Index, value: &Expr) -> Binder {
    let Span { lo, hi } = &binder.span;
    let span = Span { lo: Box::new(replace(lo, index, value)), hi: Box::new(replace(hi, index, value)) };
    Binder { index: binder.index, span }
}

fn replace_in_pattern(pattern: &Pattern, index: Index, value: &Expr) -> Pattern {
    let party = |party: &Party| Party {
        family: party.family,
        process: party.process.as_ref().map(|process| Box::new(replace(process, index, value))),
        label: party.label.clone(),
    };
    Pattern {
        participants: pattern.participants.iter().map(party).collect(),
        arguments: pattern
            .arguments
            .as_ref()
            .map(|arguments| arguments.iter().map(|expr| replace(expr, index, value)).collect()),
    }
}

/// A requirement with `value` in place of `index`.
pub(super) fn replace_in_requirement(requirement: &Requirement, index: Index, value: &Expr) -> Requirement {
    Requirement {
        word: requirement.word,
        of: requirement.of.as_ref().map(|of| replace_in_pattern(of, index, value)),
        binders: requirement.binders.iter().map(|binder| replace_in_binder(binder, index, value)).collect(),
        when: replace(&requirement.when, index, value),
        then: replace(&requirement.then, index, value),
    }
}

/// An update with `value` in place of `index`.
pub(super) fn replace_in_update(update: &Update, index: Index, value: &Expr) -> Update {
    let go = |update: &Update| replace_in_update(update, index, value);
    match update {
        Update::Skip => Update::Skip,
        Update::Assign(assignments) => Update::Assign(
            assignments
                .iter()
                .map(|(place, expr)| (replace_in_place(place, index, value), replace(expr, index, value)))
                .collect(),
        ),
        Update::Sequence(updates) => Update::Sequence(updates.iter().map(go).collect()),
        Update::If(condition, yes, no) => {
            Update::If(replace(condition, index, value), Box::new(go(yes)), Box::new(go(no)))
        }
        Update::Either(branches) => Update::Either(
            branches
                .iter()
                .map(|(condition, branch)| (replace(condition, index, value), go(branch)))
                .collect(),
        ),
        Update::Choose(binder, condition, body) => Update::Choose(
            replace_in_binder(binder, index, value),
            replace(condition, index, value),
            Box::new(go(body)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use model::instance::Environment;
    use model::{Quantifier, semantics};

    use super::*;

    /// The index that is replaced, and one that quantifiers bind.
    const OUTER: Index = Index(0);
    const INNER: Index = Index(1);

    /// A source of random numbers.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }

        fn number(&mut self, depth: u64) -> Expr {
            let small = [-1, 0, 1, 2, i64::MAX];
            match if depth == 0 { self.below(2) } else { self.below(9) } {
                0 => Expr::Int(small[self.below(5) as usize]),
                1 => Expr::Index(OUTER),
                2 => Expr::Neg(Box::new(self.number(depth - 1))),
                3 => Expr::Sum(vec![self.number(depth - 1), self.number(depth - 1)]),
                4 => Expr::Min(vec![self.number(depth - 1), self.number(depth - 1)]),
                5 => Expr::Max(vec![self.number(depth - 1)]),
                6 => {
                    let (condition, a, b) =
                        (self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1));
                    Expr::If(Box::new(condition), Box::new(a), Box::new(b))
                }
                7 => {
                    let span = Span { lo: Box::new(Expr::Int(0)), hi: Box::new(Expr::Index(OUTER)) };
                    let body = Expr::Sum(vec![Expr::Index(INNER), self.number(depth - 1)]);
                    Expr::Quantified(Quantifier::Max, Binder { index: INNER, span }, Box::new(body))
                }
                _ => {
                    let operators = [Operator::Sub, Operator::Mul, Operator::Div, Operator::Mod];
                    let operator = operators[self.below(4) as usize];
                    Expr::binary(operator, self.number(depth - 1), self.number(depth - 1))
                }
            }
        }

        fn truth(&mut self, depth: u64) -> Expr {
            match if depth == 0 { 0 } else { self.below(6) } {
                0 => Expr::Bool(self.below(2) == 0),
                1 => Expr::Not(Box::new(self.truth(depth - 1))),
                2 => Expr::And(vec![self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1)]),
                3 => Expr::Or(vec![self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1)]),
                4 => Expr::binary(Operator::Implies, self.truth(depth - 1), self.truth(depth - 1)),
                _ => {
                    let operators = [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Le];
                    let operator = operators[self.below(4) as usize];
                    Expr::binary(operator, self.number(depth - 1), self.number(depth - 1))
                }
            }
        }
    }

    #[test]
    fn replacing_an_index_by_its_value_keeps_the_value_and_the_fault() {
        let (mut values, mut faults, mut folded) = (0, 0, 0);
        for seed in 0..20_000 {
            let expr = Random(seed).truth(4);
            for value in -1..=2 {
                let mut environment = Environment::default();
                environment.bind(OUTER, value);
                let replaced = replace(&expr, OUTER, &Expr::Int(value));
                let expected = semantics::rigid(&expr, &mut environment);
                let found = semantics::rigid(&replaced, &mut Environment::default());
                assert_eq!(expected, found, "seed {seed}: {expr:?} for {value} became {replaced:?}");
                *(if expected.is_ok() { &mut values } else { &mut faults }) += 1;
                folded += u32::from(constant(&replaced).is_some());
            }
        }
        assert!(values > 10_000 && faults > 1_000 && folded > 10_000, "{values} {faults} {folded}");
    }
}
