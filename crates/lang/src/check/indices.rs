//! Families with several indices: `process P[i: Node, k: 1..2]`.
//!
//! The model knows families with one index. So the processes are numbered from 0, the last index varying fastest, and
//! the index of the model is that number. In the code of a process each index is computed from it by division and
//! remainder, and `P[a][b]` means the process with the number of these values, or none if one of them is outside its
//! range. An enum without a name of its own says how the number is written: its members stand between the brackets of
//! `P[ann][2]`, and the bound name likewise.

use model::expr::{Operator, Span as Values};
use model::system::{EnumId, Enumeration, Scalar};
use model::{Binder, Expr, FamilyId, Instance};

use super::bounds::{Ranged, span_of};
use super::expressions::Typed;
use super::interval::Interval;
use super::names::{Context, Scope};
use super::{Checker, Dimension, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;

/// What stands between two indices in the name of a process.
const BETWEEN: &str = "][";

impl Checker<'_> {
    /// Lowers the indices of a family with several of them.
    pub(super) fn several_indices(&mut self, number: usize) {
        let process = self.families[number].source;
        let scope = Scope::file(Context::rigid("the range of a family"));
        let mut ranges = Vec::new();
        for binder in &process.indices {
            let Some(ranged) = self.range(&scope, &binder.range) else { continue };
            let what = format!("family `{}` has no processes", process.name.text);
            if self.refuse_empty(&binder.range, &ranged, &what) {
                continue;
            }
            if ranged.known().is_none() {
                let message = "a family with several indices has a known number of processes";
                let diagnostic = Diagnostic::error(span_of(&binder.range), message, "depends on a parameter");
                self.report(diagnostic.help("give the parameter a value with `--set`, or use one index"));
                continue;
            }
            ranges.push(ranged);
        }
        if ranges.len() < process.indices.len() {
            return;
        }
        let length = ranges.iter().map(|ranged| ranged.length().unwrap_or(0)).fold(1, u64::saturating_mul);
        self.tally.processes = self.tally.processes.saturating_add(length);
        if self.tally.processes > Instance::LIMIT as u64 {
            let what = format!("family `{}` has {length} processes", process.name.text);
            self.tally.processes -= length;
            let written: Vec<_> = process.indices.iter().map(|binder| &binder.range).collect();
            let span = written.iter().map(|range| span_of(range)).reduce(Span::to).unwrap_or_default();
            self.refuse_size(span, length, &what, &written);
            return;
        }
        let written = process.indices.iter().map(|binder| self.written(span_of(&binder.range)));
        let name = written.collect::<Vec<_>>().join(", ");
        let members = self.written_members(&ranges);
        let id = EnumId(self.system.enums.len() as u32);
        self.system.enums.push(Enumeration { name, members });
        let names: Vec<&str> = process.indices.iter().map(|binder| binder.name.text.as_str()).collect();
        let index = self.fresh(&names.join(BETWEEN), Scalar::Enum(id));
        let last = length as i64 - 1;
        self.families[number].range =
            Some(Dimension { values: Interval::new(0, last), kind: Kind::Enum(id) });
        self.families[number].several = ranges.iter().map(Ranged::dimension).collect();
        self.system.families[number].index = Some(Binder { index, span: Values::between(0, last) });
    }

    /// How each process is written, in the order of their numbers.
    fn written_members(&self, ranges: &[Ranged]) -> Vec<String> {
        let mut members = vec![String::new()];
        for (number, ranged) in ranges.iter().enumerate() {
            let between = if number == 0 { "" } else { BETWEEN };
            let (lo, hi) = ranged.known().unwrap_or((1, 0));
            let longer = |outer: &String| {
                let value = |value| format!("{outer}{between}{}", self.value_name(ranged.kind, value));
                (lo..=hi).map(value).collect::<Vec<_>>()
            };
            members = members.iter().flat_map(longer).collect();
        }
        members
    }

    /// An index of a family, as an expression in the code of its processes.
    pub(super) fn own_index_at(&self, id: FamilyId, number: usize) -> Option<Typed> {
        let whole = self.own_index(id)?;
        let several = &self.family(id).several;
        let Some(Dimension { values, kind }) = several.get(number).copied() else { return Some(whole) };
        let faster = several[number + 1..].iter().map(|own| own.values.length() as i64).product();
        let slower = fold::binary(Operator::Div, whole.expr, Expr::Int(faster));
        let own = match number {
            0 => slower,
            _ => fold::binary(Operator::Mod, slower, Expr::Int(values.length() as i64)),
        };
        Some(Typed { expr: shifted(own, values.lo), kind, range: values, total: true })
    }

    /// The kind of each index of a family.
    pub(super) fn index_kinds(&self, id: FamilyId) -> Vec<Kind> {
        let known = self.family(id);
        let own = if known.several.is_empty() { known.range.as_slice() } else { &known.several[..] };
        own.iter().map(|own| own.kind).collect()
    }

    /// The index in the model of the process with these indices.
    pub(super) fn flat_index(&self, id: FamilyId, mut given: Vec<Typed>) -> Typed {
        let several = &self.family(id).several;
        if several.is_empty() {
            return given.pop().unwrap_or_else(Typed::unknown);
        }
        let mut number = None;
        let mut inside = Vec::new();
        let mut total = true;
        for (own, Dimension { values, .. }) in given.into_iter().zip(several) {
            if !own.range.is_within(*values) {
                inside.push(fold::binary(Operator::Le, Expr::Int(values.lo), own.expr.clone()));
                inside.push(fold::binary(Operator::Le, own.expr.clone(), Expr::Int(values.hi)));
            }
            total &= own.total;
            let own = shifted(own.expr, values.lo.saturating_neg());
            number = Some(match number {
                None => own,
                Some(outer) => {
                    fold::add(fold::binary(Operator::Mul, outer, Expr::Int(values.length() as i64)), own)
                }
            });
        }
        let range = self.family(id).range.map_or(Interval::ALL, |own| own.values);
        // No process has a negative number.
        let expr = fold::choice(fold::and(inside), number.unwrap_or(Expr::Int(-1)), Expr::Int(-1));
        Typed { expr, kind: Kind::Int, range, total }
    }

    /// The process of a family that an event names.
    pub(super) fn process_at(&mut self, id: FamilyId, name: &str, given: &[(Typed, Span)]) -> Option<Expr> {
        let known = self.family(id);
        let (declared, range) = (known.source.indices.len(), known.range);
        let ranges =
            if known.several.is_empty() { range.into_iter().collect() } else { known.several.clone() };
        let span = given.iter().map(|(_, span)| *span).reduce(Span::to).unwrap_or_default();
        if declared == 0 {
            self.error(span, format!("`{name}` is a single process"), "has no index");
            return None;
        }
        if given.len() != declared {
            let message = format!(
                "the processes of `{name}` have {declared} {}",
                if declared == 1 { "index" } else { "indices" }
            );
            let diagnostic = Diagnostic::error(span, message, format!("{} given", given.len()));
            self.report(diagnostic.help(format!("write `{name}{}`", "[…]".repeat(declared))));
            return None;
        }
        range?;
        if given.iter().any(|(index, _)| index.is_unknown()) {
            return None;
        }
        for ((index, span), own) in given.iter().zip(ranges) {
            self.check_index(index, *span, own.values, &format!("the family `{name}`"));
        }
        Some(self.flat_index(id, given.iter().map(|(index, _)| index.clone()).collect()).expr)
    }
}

/// `expr + by`
fn shifted(expr: Expr, by: i64) -> Expr {
    if by == 0 { expr } else { fold::add(expr, Expr::Int(by)) }
}
