//! Comparisons of counts, sums over a family and tallies with numbers.
//!
//! `count(…) <= k` stands for `k + 1` nested quantifiers. If it is the only quantifier, only the processes it counts
//! must be counted that far. The same is true of several counts that are added up, and of a sum of values that are not
//! negative: if more than `k` processes contribute to it, it is greater than `k`. A shared value may be added: then `k`
//! is the greatest number that is left for the counts. To compare a count with `N` is to compare the count of the other
//! processes with a number. A tally is a count of processes that are not known yet, so all are counted as far as
//! necessary. Numbers that are compared with each other must form a [`Balance`]; else no bound suffices.

use model::expr::{Operator, Quantifier};
use model::system::Scalar;
use model::{Binder, Expr, Index, Refusal};

use super::{Range, Reader, Role};
use crate::counter::class::{Symbol, end, is_span_of, refuse};

/// A sum over the processes of a family that is compared with a number: each process adds its weight, which its letter
/// determines, and each tally its value times a factor. It stands for numbers of processes that are compared with each
/// other, `N` among them. The letters that occur decide whether that is possible: without tallies all weights must
/// have the same sign, so that a sum of many processes is beyond every number it is compared with. With tallies, which
/// are numbers of processes themselves, all weights must cancel, so that the sum is the same in all states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::counter) struct Balance {
    /// Tallies with their factors.
    pub(in crate::counter) tallies: Vec<(usize, i64)>,
    /// The family, by position.
    pub(in crate::counter) family: usize,
    /// The weight of the process with this index.
    pub(in crate::counter) index: Index,
    pub(in crate::counter) weight: Expr,
}

/// A number of processes.
enum Number<'e> {
    Tally(usize),
    /// How many processes satisfy a predicate.
    Count(&'e Binder, &'e Expr),
    /// The sum of a value of each process.
    Total(&'e Binder, &'e Expr),
}

/// A sum, taken apart.
#[derive(Default)]
struct Parts<'e> {
    constant: i64,
    /// Parameters with their factors.
    parameters: Vec<(usize, i64)>,
    /// Numbers of processes with their factors.
    numbers: Vec<(i64, Number<'e>)>,
    /// Other operands with their factors.
    rest: Vec<(i64, &'e Expr)>,
}

impl Reader<'_> {
    /// The rank of a comparison of numbers of processes; `None` if it is of nothing of that kind.
    pub(super) fn numbers(
        &mut self,
        operator: Operator,
        a: &Expr,
        b: &Expr,
    ) -> Result<Option<usize>, Refusal> {
        let mut parts = Parts::default();
        self.take_apart(a, 1, &mut parts);
        self.take_apart(b, -1, &mut parts);
        let Some(&(sign, _)) = parts.numbers.first() else { return Ok(None) };
        let mut rank = 0;
        let (mut lo, mut hi) = (parts.constant, parts.constant);
        for (factor, expr) in &parts.rest {
            rank = rank.max(self.rank(expr)?);
            let Some((least, most)) = self.bounds(expr) else {
                return refuse(
                    format!("{} compares a count with something that is not a fixed number", self.site),
                    "to say that it is true of all write `forall`; else compare with a number",
                );
            };
            let (one, other) = (factor.saturating_mul(least), factor.saturating_mul(most));
            lo = lo.saturating_add(one.min(other));
            hi = hi.saturating_add(one.max(other));
        }
        // Now the sum of the numbers of processes, with positive factors, is compared with something up to `most`.
        let (operator, most) =
            if sign > 0 { (operator, lo.saturating_neg()) } else { (operator.mirrored(), hi) };
        if parts.parameters.is_empty()
            && parts.numbers.iter().all(|(factor, _)| factor.signum() == sign.signum())
        {
            for (_, number) in &parts.numbers {
                rank = rank.max(self.number(operator, most, number)?);
            }
            return Ok(Some(rank));
        }
        // Of `N` less a count, the processes that are not counted are compared with something up to `most`.
        if let ([(factor, number)], [(parameter, opposite)]) = (&parts.numbers[..], &parts.parameters[..])
            && factor.abs() == 1
            && *opposite == -factor
        {
            let most = if sign > 0 { hi } else { lo.saturating_neg() };
            return Ok(Some(rank.max(self.remainder(operator.mirrored(), most, number, *parameter)?)));
        }
        if let Some(own) = self.balance(&parts, (lo, hi))? {
            return Ok(Some(rank.max(own)));
        }
        refuse(
            format!("{} compares numbers of processes with each other, or with a multiple", self.site),
            "compare a count, or several added up, with a fixed number, or one count with `N`",
        )
    }

    /// The rank of a comparison as a [`Balance`]; `None` if it is none. What is compared, apart from numbers of processes,
    /// has these bounds.
    fn balance(&mut self, parts: &Parts<'_>, (lo, hi): (i64, i64)) -> Result<Option<usize>, Refusal> {
        // In an update a process may have values between two letters.
        if self.in_update || !self.quantified.is_empty() {
            return Ok(None);
        }
        let parameter = match parts.parameters[..] {
            [] => None,
            [(parameter, factor)] => Some((parameter, factor)),
            _ => return Ok(None),
        };
        let (mut tallies, mut terms, mut family) = (Vec::new(), Vec::new(), None);
        for (factor, number) in &parts.numbers {
            let (binder, body) = match number {
                Number::Tally(tally) => {
                    tallies.push((*tally, *factor));
                    continue;
                }
                Number::Count(binder, body) | Number::Total(binder, body) => (binder, body),
            };
            let Range::Whole(own) = self.range(&binder.span, binder.index, &[body])? else { return Ok(None) };
            if self.may_fault_for(binder.index, own, body) {
                return self.faulty();
            }
            self.bind(binder.index, Role::Bound(own));
            self.quantified.push((binder.index, None));
            let rank = self.rank(body);
            self.quantified.pop();
            if *family.get_or_insert(own) != own || rank? > 0 || !self.reads_only(body, binder.index) {
                return Ok(None);
            }
            let value = match number {
                Number::Count(..) => {
                    Expr::If(Box::new((*body).clone()), Box::new(Expr::Int(1)), Box::new(Expr::Int(0)))
                }
                _ => (*body).clone(),
            };
            terms.push((*factor, value, binder.index));
        }
        let of_size = |parameter: usize| self.counted.iter().position(|own| own.parameter == parameter);
        let open = parameter.map(|(parameter, _)| parameter);
        let tallied = tallies.first().map(|(tally, _)| self.tallies[*tally].most.0);
        let Some(family) = family.or_else(|| open.or(tallied).and_then(of_size)) else { return Ok(None) };
        let counted = &self.counted[family];
        if open.is_some_and(|parameter| parameter != counted.parameter) {
            return Ok(None);
        }
        let Some(binder) = &self.system.family(counted.family).index else { return Ok(None) };
        let index = binder.index;
        let scaled = |(factor, value, own): (i64, Expr, Index)| {
            Expr::binary(Operator::Mul, Expr::Int(factor), renamed(&value, own, index))
        };
        let each = parameter.map_or(0, |(_, factor)| factor);
        let weight = Expr::Sum(terms.into_iter().map(scaled).chain([Expr::Int(each)]).collect());
        let rank = usize::from(tallies.is_empty());
        if tallies.is_empty() {
            // `N` is the number of processes without the offset.
            let fixed = each.saturating_mul(counted.offset);
            let most = lo.saturating_sub(fixed).saturating_neg().max(hi.saturating_sub(fixed));
            let bound = usize::try_from(most).unwrap_or(0).saturating_add(1);
            let contributes = Expr::binary(Operator::Ne, weight.clone(), Expr::Int(0));
            self.count_up_to(bound, Some((family, index, contributes)))?;
        }
        let balance = Balance { tallies, family, index, weight };
        if !self.balances.contains(&balance) {
            self.balances.push(balance);
        }
        Ok(Some(rank))
    }

    /// What an update adds to a tally, apart from numbers, and how much that is at most; `None` if it is not of this
    /// form.
    pub(in crate::counter) fn added<'e>(
        &self,
        tally: usize,
        value: &'e Expr,
    ) -> Option<(Vec<&'e Expr>, i64)> {
        let mut parts = Parts::default();
        self.take_apart(value, 1, &mut parts);
        let plain = matches!(parts.numbers[..], [(1, Number::Tally(same))] if same == tally);
        if !plain || !parts.parameters.is_empty() {
            return None;
        }
        let mut most = parts.constant.saturating_abs();
        for (factor, expr) in &parts.rest {
            let (lo, hi) = self.bounds(expr)?;
            let part = lo.saturating_abs().max(hi.saturating_abs());
            most = most.saturating_add(part.saturating_mul(factor.saturating_abs()));
        }
        Some((parts.rest.into_iter().map(|(_, expr)| expr).collect(), most))
    }

    pub(in crate::counter) fn misused_tally<T>(&self, expr: &Expr) -> Result<T, Refusal> {
        refuse(
            format!(
                "{} uses `{}`, which has no greatest value, other than as a count",
                self.site,
                model::show::expression(self.system, expr)
            ),
            "compare it with a number or with `N`, and change it by adding a number",
        )
    }

    fn take_apart<'e>(&self, expr: &'e Expr, factor: i64, parts: &mut Parts<'e>) {
        let open = |binder: &Binder| !self.is_finite(&binder.span);
        match expr {
            Expr::Int(number) => {
                parts.constant = parts.constant.saturating_add(factor.saturating_mul(*number));
            }
            Expr::Parameter(id) => {
                let parameter = id.0 as usize;
                match parts.parameters.iter_mut().find(|(known, _)| *known == parameter) {
                    Some((_, known)) => *known = known.saturating_add(factor),
                    None => parts.parameters.push((parameter, factor)),
                }
                parts.parameters.retain(|(_, factor)| *factor != 0);
            }
            Expr::Sum(operands) => operands.iter().for_each(|part| self.take_apart(part, factor, parts)),
            Expr::Neg(part) => self.take_apart(part, factor.saturating_neg(), parts),
            Expr::Binary(Operator::Sub, a, b) => {
                self.take_apart(a, factor, parts);
                self.take_apart(b, factor.saturating_neg(), parts);
            }
            Expr::Binary(Operator::Mul, a, b) => match (&**a, &**b) {
                (Expr::Int(number), part) | (part, Expr::Int(number)) if *number != 0 => {
                    self.take_apart(part, factor.saturating_mul(*number), parts);
                }
                _ => parts.rest.push((factor, expr)),
            },
            Expr::Read(place) => match self.tally(place) {
                Some(tally) => parts.numbers.push((factor, Number::Tally(tally))),
                None => parts.rest.push((factor, expr)),
            },
            Expr::Quantified(Quantifier::Count, binder, body) if open(binder) => {
                parts.numbers.push((factor, Number::Count(binder, body)));
            }
            Expr::Quantified(Quantifier::Sum, binder, body) if open(binder) => {
                parts.numbers.push((factor, Number::Total(binder, body)));
            }
            _ => parts.rest.push((factor, expr)),
        }
    }

    /// The rank of the comparison of a number of processes with something up to `most`.
    fn number(&mut self, operator: Operator, most: i64, number: &Number<'_>) -> Result<usize, Refusal> {
        let exact = matches!(operator, Operator::Lt | Operator::Ge);
        let shift = if matches!(number, Number::Tally(_)) { self.shift } else { 0 };
        let most = most.saturating_add(shift);
        let bound = usize::try_from(most).unwrap_or(0).saturating_add(usize::from(!exact)).max(1);
        match number {
            Number::Tally(_) => {
                self.count_up_to(bound, None)?;
                Ok(bound)
            }
            Number::Count(binder, body) => self.count(bound, binder, body),
            Number::Total(binder, body) => {
                if self.bounds(body).is_none_or(|(least, _)| least < 0) {
                    return refuse(
                        format!("{} adds up values of processes that may be negative", self.site),
                        "add up values of a range that begins with 0",
                    );
                }
                let contributes = Expr::binary(Operator::Ne, (*body).clone(), Expr::Int(0));
                self.count(bound, binder, &contributes)
            }
        }
    }

    /// The rank of the comparison of a parameter, less a number of processes, with something up to `most`.
    fn remainder(
        &mut self,
        operator: Operator,
        most: i64,
        number: &Number<'_>,
        parameter: usize,
    ) -> Result<usize, Refusal> {
        match number {
            Number::Tally(tally) if self.tallies[*tally].most.0 == parameter => {
                // The tally may be that of any family of this size.
                let offsets = self.counted.iter().filter(|counted| counted.parameter == parameter);
                let offset = offsets.map(|counted| counted.offset.abs()).max().unwrap_or(0);
                let start = self.tallies[*tally].initial.1.abs();
                let most = most.saturating_add(offset).saturating_add(start);
                self.number(operator, most, number)
            }
            Number::Count(binder, body)
                if end(&binder.span.hi)
                    .is_some_and(|(symbol, _)| symbol == Some(Symbol::Parameter(parameter))) =>
            {
                let family = self.counted.iter().find(|c| is_span_of(&binder.span, c));
                let offset = family.map_or(0, |family| family.offset);
                let others = Expr::Not(Box::new((*body).clone()));
                self.number(operator, most.saturating_add(offset), &Number::Count(binder, &others))
            }
            _ => refuse(
                format!("{} compares a number of processes with the size of another family", self.site),
                "compare a count with the size of its own family, or with a number",
            ),
        }
    }

    /// The rank of a count that is compared with numbers below `bound`.
    fn count(&mut self, bound: usize, binder: &Binder, body: &Expr) -> Result<usize, Refusal> {
        let Range::Whole(family) = self.range(&binder.span, binder.index, &[body])? else {
            return refuse(
                format!("{} counts processes on one side of another", self.site),
                "use `forall` or `exists` there",
            );
        };
        if self.may_fault_for(binder.index, family, body) {
            return self.faulty();
        }
        self.bind(binder.index, Role::Bound(family));
        self.quantified.push((binder.index, None));
        let rank = self.rank(body);
        let compared = self.quantified.pop().is_some_and(|(_, own)| own.is_some());
        let rank = rank?;
        if compared {
            return self.misplaced();
        }
        // If it is the only quantifier, only the processes it counts must be counted that far.
        if rank == 0 && self.quantified.is_empty() && self.reads_only(body, binder.index) {
            self.count_up_to(bound, Some((family, binder.index, body.clone())))?;
            return Ok(1);
        }
        Ok(bound + rank)
    }

    /// The least and greatest value of an expression, if they are known.
    fn bounds(&self, expr: &Expr) -> Option<(i64, i64)> {
        let all = |parts: &[Expr]| parts.iter().map(|part| self.bounds(part)).collect::<Option<Vec<_>>>();
        match expr {
            Expr::Int(number) => Some((*number, *number)),
            Expr::Read(place) => match &self.system.variable(place.variable).kind.scalar {
                Scalar::Bool => Some((0, 1)),
                Scalar::Enum(_) | Scalar::Int => None,
                Scalar::Range(span) => match (end(&span.lo)?, end(&span.hi)?) {
                    ((None, lo), (None, hi)) => Some((lo, hi)),
                    _ => None,
                },
            },
            Expr::Neg(part) => self.bounds(part).map(|(lo, hi)| (-hi, -lo)),
            Expr::Sum(parts) => all(parts)?.into_iter().try_fold((0i64, 0i64), |(lo, hi), (least, most)| {
                Some((lo.checked_add(least)?, hi.checked_add(most)?))
            }),
            Expr::Binary(Operator::Sub, a, b) => {
                let ((lo, hi), (least, most)) = (self.bounds(a)?, self.bounds(b)?);
                Some((lo.checked_sub(most)?, hi.checked_sub(least)?))
            }
            Expr::If(_, a, b) => {
                let ((lo, hi), (least, most)) = (self.bounds(a)?, self.bounds(b)?);
                Some((lo.min(least), hi.max(most)))
            }
            Expr::Min(parts) | Expr::Max(parts) => {
                let all = all(parts)?;
                Some((all.iter().map(|(lo, _)| *lo).min()?, all.iter().map(|(_, hi)| *hi).max()?))
            }
            _ => None,
        }
    }
}

/// An expression with one index in place of another.
fn renamed(expr: &Expr, from: Index, to: Index) -> Expr {
    match expr {
        Expr::Index(index) if *index == from => Expr::Index(to),
        _ => expr.map(&mut |part| renamed(part, from, to)),
    }
}
