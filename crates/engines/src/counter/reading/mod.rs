//! Checks that expressions are functions of a step's context, and finds what the context must keep.
//!
//! The *context* of a step keeps the letters of the processes that act, how many others have each letter, up to a
//! bound, and for certain sets of letters the first (or last) of them before and after each acting process. An
//! expression may read shared variables, the variables of acting or named processes, and other processes through
//! quantifiers over whole families. The nesting depth of these quantifiers determines how far processes must be
//! counted: a [`CountBound`] ([`rank`]). Counts, sums and tallies are compared with numbers ([`numbers`]). A quantifier that compares positions is an [`Order`] ([`mod@order`]).
//! Processes are never referred to by number, neither in reads nor in `taken` or `enabled` ([`events`]), and the body
//! of a quantifier has no faults ([`faults`]).

mod events;
mod faults;
mod numbers;
mod order;
mod rank;

use model::property::Kind;
use model::system::Action;
use model::{Binder, Expr, Index, Place, Refusal, Span, System, VariableId};

pub(super) use self::numbers::Balance;
pub(super) use self::order::{Order, Side};
use super::class::{Counted, Symbol, Tally, end, is_span_of, refuse};

/// The greatest number that may occur in a model.
pub(super) const LARGEST: u64 = 1 << 31;

/// The greatest number up to which processes are counted.
pub(super) const GREATEST: u8 = 100;

/// The greatest number of values that nested finite ranges may have together. One evaluation goes through all of them
/// and cannot be interrupted.
const VALUES: u64 = 100_000;

/// What an index stands for; families are positions among the counted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A process that acts.
    Acts(usize),
    /// A process that the property names.
    Kept(usize),
    /// A quantified process.
    Bound(usize),
    /// A number from a known range.
    Finite,
}

impl Role {
    /// The family of a process.
    fn family(self) -> Option<usize> {
        match self {
            Role::Acts(family) | Role::Kept(family) | Role::Bound(family) => Some(family),
            Role::Finite => None,
        }
    }
}

/// The processes of counted families that an action involves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Roles {
    /// Their families, in increasing order.
    pub(super) foci: Vec<usize>,
    /// Per parameter of the action, the family whose processes are its values.
    pub(super) arguments: Vec<Option<usize>>,
}

/// Numbers of processes up to `bound` must be distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CountBound {
    pub(super) bound: u8,
    /// Only processes of this family that satisfy this predicate of the index; all processes if `None`.
    pub(super) of: Option<(usize, Index, Expr)>,
}

/// The relation of a quantifier's range to the families.
enum Range {
    Finite,
    Whole(usize),
    Part(usize, Index, Side),
}

/// Reads expressions of one system.
pub(super) struct Reader<'a> {
    system: &'a System,
    counted: &'a [Counted],
    tallies: &'a [Tally],
    site: String,
    /// Whether positions may be compared here.
    ordered: bool,
    scope: Vec<(Index, Role)>,
    /// The surrounding quantified processes, and the acting process whose position the innermost one is compared
    /// with.
    quantified: Vec<(Index, Option<Index>)>,
    /// The number of values of the surrounding finite ranges.
    values: u64,
    /// Whether an update is read, and how far it may have moved a tally.
    in_update: bool,
    shift: i64,
    orders: Vec<Order>,
    count_bounds: Vec<CountBound>,
    balances: Vec<Balance>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(system: &'a System, counted: &'a [Counted], tallies: &'a [Tally]) -> Reader<'a> {
        let (scope, quantified, orders) = (Vec::new(), Vec::new(), Vec::new());
        let (count_bounds, balances) = (Vec::new(), Vec::new());
        Reader {
            system,
            counted,
            tallies,
            site: String::new(),
            ordered: false,
            scope,
            quantified,
            values: 1,
            in_update: false,
            shift: 0,
            orders,
            count_bounds,
            balances,
        }
    }

    /// Begins a new scope, named for refusals.
    pub(super) fn begin(&mut self, site: String, ordered: bool) {
        self.site = site;
        self.ordered = ordered;
        (self.in_update, self.shift) = (false, 0);
        self.scope.clear();
    }

    /// What follows is read in an update that may have moved a tally this far.
    pub(super) fn begin_update(&mut self, shift: i64) {
        (self.in_update, self.shift) = (true, shift);
    }

    pub(super) fn site(&self) -> &str {
        &self.site
    }

    pub(super) fn into_findings(self) -> (Vec<Order>, Vec<CountBound>, Vec<Balance>) {
        (self.orders, self.count_bounds, self.balances)
    }

    /// How many comparisons of numbers of processes with each other were read.
    pub(super) fn balances(&self) -> usize {
        self.balances.len()
    }

    pub(super) fn bind(&mut self, index: Index, role: Role) {
        self.scope.push((index, role));
    }

    /// Reads the body of a finite range.
    pub(super) fn within<T>(
        &mut self,
        binder: &Binder,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let values = match (end(&binder.span.lo), end(&binder.span.hi)) {
            (Some((None, lo)), Some((None, hi))) if lo <= hi => hi.abs_diff(lo).saturating_add(1),
            // Ends that depend on outer indices are not counted.
            _ => 1,
        };
        let around = self.values;
        self.values = around.saturating_mul(values);
        let result = if self.values > VALUES {
            refuse(
                format!("{} goes through more than {VALUES} values at once", self.site),
                "make the ranges of choices and quantifiers smaller",
            )
        } else {
            self.bind(binder.index, Role::Finite);
            read(self)
        };
        self.values = around;
        result
    }

    /// Binds the indices of an action. Returns the processes of counted families that it involves.
    pub(super) fn roles_of(&mut self, action: &Action) -> Result<Roles, Refusal> {
        let mut roles = Roles::default();
        for participant in &action.participants {
            let family = self.counted.iter().position(|c| c.family == participant.family);
            roles.foci.extend(family);
            if let Some(index) = participant.index {
                self.bind(index, family.map_or(Role::Finite, Role::Acts));
            }
        }
        for binder in &action.parameters {
            match self.range(&binder.span, binder.index, &[&action.guard])? {
                Range::Finite => {
                    roles.arguments.push(None);
                    self.bind(binder.index, Role::Finite);
                }
                Range::Whole(family) => {
                    roles.foci.push(family);
                    roles.arguments.push(Some(family));
                    self.bind(binder.index, Role::Acts(family));
                }
                Range::Part(..) => return self.odd_range(&binder.span),
            }
        }
        roles.foci.sort_unstable();
        Ok(roles)
    }

    /// From here on positions may not be compared.
    pub(super) fn forbid_order(&mut self) {
        self.ordered = false;
    }

    /// Checks a predicate, or any expression whose value matters.
    pub(super) fn predicate(&mut self, expr: &Expr) -> Result<(), Refusal> {
        self.quantified_predicate(expr, 0)
    }

    /// The same inside this many quantifiers over processes.
    pub(super) fn quantified_predicate(&mut self, expr: &Expr, around: usize) -> Result<(), Refusal> {
        let rank = around + self.rank(expr)?;
        if rank > 1 { self.count_up_to(rank, None) } else { Ok(()) }
    }

    fn count_up_to(&mut self, bound: usize, of: Option<(usize, Index, Expr)>) -> Result<(), Refusal> {
        let Some(bound) = u8::try_from(bound).ok().filter(|bound| *bound <= GREATEST) else {
            return refuse(
                format!("{} tells {bound} processes apart", self.site),
                format!("count processes up to {GREATEST} at most"),
            );
        };
        self.count_bounds.push(CountBound { bound, of });
        Ok(())
    }

    /// The result of `read`. If it is refused, its effects are undone.
    pub(super) fn tentatively<T, E>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, E>,
    ) -> Result<T, E> {
        let (orders, count_bounds) = (self.orders.len(), self.count_bounds.len());
        let balances = self.balances.len();
        read(self).inspect_err(|_| {
            self.orders.truncate(orders);
            self.count_bounds.truncate(count_bounds);
            self.balances.truncate(balances);
        })
    }

    /// Checks that a place may be written.
    pub(super) fn target(&mut self, place: &Place) -> Result<(), Refusal> {
        if let Some((_, process)) = self.holder(place)
            && !matches!(process, Some(Expr::Index(index)) if matches!(self.role(*index), Some(Role::Acts(_))))
        {
            return refuse(
                format!("{} writes what another process owns", self.site),
                "let each process write its own variables, or take part in the action",
            );
        }
        self.place(place).map(|_| ())
    }

    pub(super) fn is_ticket(&self, place: &Place) -> bool {
        self.counted.iter().any(|counted| counted.ticket == Some(place.variable))
    }

    /// The number of the tally that a place is.
    pub(super) fn tally(&self, place: &Place) -> Option<usize> {
        self.tallies.iter().position(|tally| tally.variable == place.variable)
    }

    /// Whether a span is that of the family that owns a variable.
    pub(super) fn is_whole(&self, span: &Span, variable: VariableId) -> bool {
        self.counted.iter().any(|counted| counted.variables.contains(&variable) && is_span_of(span, counted))
    }

    pub(super) fn is_finite(&self, span: &Span) -> bool {
        [&span.lo, &span.hi].iter().all(|end| {
            !end.any(&mut |part| match part {
                Expr::Parameter(_) => true,
                Expr::Index(index) => self.role(*index) != Some(Role::Finite),
                _ => false,
            })
        })
    }

    /// The counted family that a binder of a property ranges over.
    pub(super) fn family_of_span(
        &self,
        span: &Span,
        index: Index,
        kind: &Kind,
    ) -> Result<Option<usize>, Refusal> {
        let parts = match kind {
            Kind::Invariant(expr) => vec![expr],
            Kind::Ltl(formula) => formula.atoms(),
            Kind::Ctl(_) | Kind::Never(_) => Vec::new(),
        };
        match self.range(span, index, &parts)? {
            Range::Whole(family) => Ok(Some(family)),
            _ => Ok(None),
        }
    }

    /// Whether an expression is an index that stands for a process of this family.
    fn is_process(&self, expr: &Expr, family: usize) -> bool {
        matches!(expr, Expr::Index(index) if self.role(*index).and_then(Role::family) == Some(family))
    }

    fn role(&self, index: Index) -> Option<Role> {
        self.scope.iter().rev().find(|(bound, _)| *bound == index).map(|(_, role)| *role)
    }

    /// The counted family that a place belongs to, and the index of the process in it.
    fn holder<'e>(&self, place: &'e Place) -> Option<(usize, Option<&'e Expr>)> {
        let family = self.counted.iter().position(|counted| counted.variables.contains(&place.variable))?;
        let shared = self.system.variable(place.variable).owner.is_none();
        Some((family, if shared { place.position.first() } else { place.process.as_deref() }))
    }

    fn range(&self, span: &Span, index: Index, bodies: &[&Expr]) -> Result<Range, Refusal> {
        if self.is_finite(span) {
            return Ok(Range::Finite);
        }
        let whole: Vec<usize> =
            (0..self.counted.len()).filter(|c| is_span_of(span, &self.counted[*c])).collect();
        if !whole.is_empty() {
            let used: Vec<usize> = whole.iter().copied().filter(|f| self.uses(*f, index, bodies)).collect();
            return match (&whole[..], &used[..]) {
                ([only], _) | (_, [only]) => Ok(Range::Whole(*only)),
                (_, []) => Ok(Range::Whole(whole[0])),
                _ => refuse(
                    format!("{}: one index stands for processes of several families", self.site),
                    "use an index for one family only",
                ),
            };
        }
        let (lo, hi) = (end(&span.lo), end(&span.hi));
        for (family, counted) in self.counted.iter().enumerate() {
            match (lo, hi) {
                (Some((None, first)), Some((Some(Symbol::Index(own)), -1)))
                    if first == counted.first && self.role(own) == Some(Role::Acts(family)) =>
                {
                    return Ok(Range::Part(family, own, Side::Before));
                }
                (Some((Some(Symbol::Index(own)), 1)), hi)
                    if hi == Some(counted.end()) && self.role(own) == Some(Role::Acts(family)) =>
                {
                    return Ok(Range::Part(family, own, Side::Behind));
                }
                _ => {}
            }
        }
        self.odd_range(span)
    }

    fn odd_range<T>(&self, span: &Span) -> Result<T, Refusal> {
        refuse(
            format!(
                "{}: the range `{}` is not that of a family",
                self.site,
                model::show::span(self.system, span)
            ),
            "let it range over a whole family (`1..N`), or over those before (`1..i-1`) or behind (`i+1..N`) \
             the process that acts; `j != i` excludes it",
        )
    }

    /// Whether an index is used for processes of a family.
    pub(super) fn uses(&self, family: usize, index: Index, bodies: &[&Expr]) -> bool {
        let is_index = |expr: Option<&Expr>| expr == Some(&Expr::Index(index));
        bodies.iter().any(|body| {
            body.any(&mut |part| match part {
                Expr::Read(place) => {
                    self.holder(place).is_some_and(|(f, process)| f == family && is_index(process))
                }
                Expr::Taken(pattern) | Expr::Enabled(pattern) => pattern.participants.iter().any(|party| {
                    party.family == self.counted[family].family && is_index(party.process.as_deref())
                }),
                _ => false,
            })
        })
    }

    fn id<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{} uses the index of a process as a value", self.site),
            "compare indices of the same family with each other; in place of a variable that holds an index, \
             let each process remember whether it is meant",
        )
    }

    fn place(&mut self, place: &Place) -> Result<usize, Refusal> {
        let mut rank = 0;
        let shared = self.system.variable(place.variable).owner.is_none();
        let holder = self.holder(place);
        if let Some((family, process)) = holder {
            if !process.is_some_and(|process| self.is_process(process, family)) {
                return refuse(
                    format!("{} reads a particular process or a neighbour", self.site),
                    "reach other processes through `forall`, `exists` or `count`",
                );
            }
        } else if let Some(process) = &place.process {
            rank = self.rank(process)?;
        }
        for position in place.position.iter().skip(usize::from(shared && holder.is_some())) {
            rank = rank.max(self.rank(position)?);
        }
        Ok(rank)
    }

    /// Whether an expression reads only variables of the process with this index.
    fn reads_only(&self, expr: &Expr, index: Index) -> bool {
        !expr.any(&mut |part| match part {
            Expr::Read(place) => {
                self.holder(place).is_none_or(|(_, process)| process != Some(&Expr::Index(index)))
            }
            Expr::Index(other) => *other != index,
            Expr::Taken(_) | Expr::Enabled(_) => true,
            _ => false,
        })
    }
}
