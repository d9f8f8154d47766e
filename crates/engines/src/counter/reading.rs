//! Checks that what is evaluated is a function of a step's context, and finds what the context must keep.
//!
//! The *context* of a step keeps the letters of the processes that act, how many others have each letter, up to a
//! bound, and for certain sets of letters the first (or last) of them before and behind each acting process. An
//! expression may read shared variables, what an acting or named process owns, and other processes through
//! quantifiers. Without a comparison of positions, an expression whose quantifiers nest `d` deep is a statement
//! of quantifier rank `d` about a set with unary predicates and equality, and such a statement cannot tell numbers
//! beyond `d` apart; `count(…) <= k` stands for `k + 1` nested quantifiers. That number is a [`Demand`] on the
//! bounds. A quantifier that compares the position of its process with that of the acting one is an [`Order`]: its
//! body may otherwise read only the quantified process, so all that matters is whether a letter of one set stands
//! on one side.

use model::expr::{Operator, Party, Pattern, Quantifier};
use model::property::{Formula, Kind};
use model::system::Action;
use model::{Expr, Index, Place, Refusal, Span, System, VariableId};

use super::class::{Counted, Linear, is_span_of, linear, refuse};

/// Numbers are not greater.
pub(super) const LARGEST: u64 = 1 << 31;

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

/// The processes of counted families that an action involves.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    /// Their families, in increasing order.
    pub(super) foci: Vec<usize>,
    /// Per parameter of the action, the family whose processes are its values.
    pub(super) arguments: Vec<Option<usize>>,
}

/// On which side of the acting process a quantifier looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    Before,
    Behind,
}

/// A quantifier that looks at positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) family: usize,
    /// The acting process.
    pub(super) own: Index,
    /// The quantified process.
    pub(super) other: Index,
    pub(super) quantifier: Quantifier,
    pub(super) side: Side,
    pub(super) body: Expr,
}

/// Numbers up to `bound` must be told apart.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) bound: usize,
    /// Of processes of this family that satisfy this predicate of the index; of all if there is none.
    pub(super) of: Option<(usize, Index, Expr)>,
}

/// How a quantifier's range relates to the families.
enum Range {
    Finite,
    Whole(usize),
    Part(usize, Index, Side),
}

/// Reads expressions of one system.
pub(super) struct Reader<'a> {
    system: &'a System,
    counted: &'a [Counted],
    site: String,
    /// Whether positions may be compared here.
    ordered: bool,
    scope: Vec<(Index, Role)>,
    /// The quantified processes around, and the acting process whose position the innermost is compared with.
    quantified: Vec<(Index, Option<Index>)>,
    orders: Vec<Order>,
    demands: Vec<Demand>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(system: &'a System, counted: &'a [Counted]) -> Reader<'a> {
        let (scope, quantified, orders, demands) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Reader { system, counted, site: String::new(), ordered: false, scope, quantified, orders, demands }
    }

    /// Begins a new scope, named for refusals.
    pub(super) fn begin(&mut self, site: String, ordered: bool) {
        self.site = site;
        self.ordered = ordered;
        self.scope.clear();
    }

    pub(super) fn site(&self) -> &str {
        &self.site
    }

    pub(super) fn into_findings(self) -> (Vec<Order>, Vec<Demand>) {
        (self.orders, self.demands)
    }

    pub(super) fn bind(&mut self, index: Index, role: Role) {
        self.scope.push((index, role));
    }

    /// Binds the indices of an action; the processes of counted families that it involves.
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

    /// The same where so many processes around it may be quantified.
    pub(super) fn quantified_predicate(&mut self, expr: &Expr, around: usize) -> Result<(), Refusal> {
        let rank = around + self.rank(expr)?;
        if rank > 1 {
            self.demands.push(Demand { bound: rank, of: None });
        }
        Ok(())
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
        let mut parts = Vec::new();
        match kind {
            Kind::Invariant(expr) => parts.push(expr),
            Kind::Ltl(formula) => atoms(formula, &mut parts),
            Kind::Ctl(_) | Kind::Never(_) => {}
        }
        match self.range(span, index, &parts)? {
            Range::Whole(family) => Ok(Some(family)),
            _ => Ok(None),
        }
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
        let (lo, hi) = (linear(&span.lo), linear(&span.hi));
        for (family, counted) in self.counted.iter().enumerate() {
            let end = Some(Linear::Parameter(counted.parameter, counted.excess + counted.first - 1));
            match (lo, hi) {
                (Some(Linear::Number(first)), Some(Linear::Index(own, -1)))
                    if first == counted.first && self.role(own) == Some(Role::Acts(family)) =>
                {
                    return Ok(Range::Part(family, own, Side::Before));
                }
                (Some(Linear::Index(own, 1)), hi)
                    if hi == end && self.role(own) == Some(Role::Acts(family)) =>
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

    /// The quantifier rank of an expression.
    fn rank(&mut self, expr: &Expr) -> Result<usize, Refusal> {
        match expr {
            Expr::Bool(_) | Expr::Int(_) => Ok(0),
            Expr::Parameter(id) => refuse(
                format!(
                    "{} uses the number `{}` itself",
                    self.site, self.system.parameters[id.0 as usize].name
                ),
                "quantify over the processes (`forall j in 1..N: …`), or compare a count with a fixed number",
            ),
            Expr::Index(index) => match self.role(*index) {
                Some(Role::Finite) => Ok(0),
                _ => self.id(),
            },
            Expr::Read(place) => {
                if self.is_ticket(place) {
                    return refuse(
                        format!(
                            "{} uses the unbounded `{}` other than as a ticket",
                            self.site,
                            model::show::expression(self.system, expr)
                        ),
                        "compare a ticket only with 0 and with other tickets",
                    );
                }
                self.place(place)
            }
            Expr::Binary(operator, a, b) => self.binary(*operator, a, b),
            Expr::Quantified(quantifier, binder, body) => {
                match self.range(&binder.span, binder.index, &[body])? {
                    Range::Finite => {
                        self.bind(binder.index, Role::Finite);
                        self.rank(body)
                    }
                    Range::Whole(family) => {
                        self.quantified(*quantifier, family, binder.index, Side::Both, None, body)
                    }
                    Range::Part(family, own, side) => {
                        self.quantified(*quantifier, family, binder.index, side, Some(own), body)
                    }
                }
            }
            Expr::Enabled(pattern) => self.enabled(pattern),
            Expr::Taken(pattern) => {
                for party in &pattern.participants {
                    self.party(party)?;
                }
                for argument in pattern.arguments.iter().flatten() {
                    if !matches!(argument, Expr::Index(index) if self.role(*index).is_some()) {
                        self.rank(argument)?;
                    }
                }
                Ok(0)
            }
            other => {
                let mut rank = 0;
                for part in other.children() {
                    rank = rank.max(self.rank(part)?);
                }
                Ok(rank)
            }
        }
    }

    fn binary(&mut self, operator: Operator, a: &Expr, b: &Expr) -> Result<usize, Refusal> {
        let order = matches!(operator, Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge);
        let comparison = order || matches!(operator, Operator::Eq | Operator::Ne);
        if let (true, Expr::Index(a), Expr::Index(b)) = (comparison, a, b)
            && let (Some(left), Some(right)) = (self.role(*a), self.role(*b))
            && (left, right) != (Role::Finite, Role::Finite)
        {
            let family = |role| match role {
                Role::Acts(f) | Role::Kept(f) | Role::Bound(f) => Some(f),
                Role::Finite => None,
            };
            if family(left) != family(right) {
                return self.id();
            }
            return if order { self.compared(*a, *b) } else { Ok(0) };
        }
        if let (true, Expr::Read(place)) = (comparison, a)
            && self.is_ticket(place)
        {
            self.place(place)?;
            match b {
                Expr::Int(0) => return Ok(0),
                Expr::Read(other) if other.variable == place.variable => {
                    self.place(other)?;
                    let index = |place: &Place| match place.process.as_deref() {
                        Some(Expr::Index(index)) => Some(*index),
                        _ => None,
                    };
                    if let (Some(a), Some(b)) = (index(place), index(other)) {
                        return self.compared(a, b);
                    }
                }
                _ => {}
            }
        }
        let counts = |expr: &Expr| match expr {
            Expr::Quantified(Quantifier::Count, binder, _) => !self.is_finite(&binder.span),
            _ => false,
        };
        let (operator, a, b) = if counts(b) {
            let turned = match operator {
                Operator::Lt => Operator::Gt,
                Operator::Le => Operator::Ge,
                Operator::Gt => Operator::Lt,
                Operator::Ge => Operator::Le,
                other => other,
            };
            (turned, b, a)
        } else {
            (operator, a, b)
        };
        if let (true, Expr::Quantified(Quantifier::Count, binder, body)) = (comparison && counts(a), a) {
            let Expr::Int(number) = b else {
                return refuse(
                    format!("{} compares a count with something that is not a fixed number", self.site),
                    "to say that it is true of all write `forall`; else compare with a number",
                );
            };
            let exact = matches!(operator, Operator::Lt | Operator::Ge);
            let bound = usize::try_from(*number).unwrap_or(0) + usize::from(!exact);
            let Range::Whole(family) = self.range(&binder.span, binder.index, &[body])? else {
                return refuse(
                    format!("{} counts processes on one side of another", self.site),
                    "use `forall` or `exists` there",
                );
            };
            if self.may_fault(body) {
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
            // Alone, the count asks only for the processes it counts.
            if rank == 0 && self.quantified.is_empty() && self.reads_only(body, binder.index) {
                self.demands
                    .push(Demand { bound: bound.max(1), of: Some((family, binder.index, (**body).clone())) });
                return Ok(1);
            }
            return Ok(bound.max(1) + rank);
        }
        Ok(self.rank(a)?.max(self.rank(b)?))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        family: usize,
        index: Index,
        side: Side,
        own: Option<Index>,
        body: &Expr,
    ) -> Result<usize, Refusal> {
        if !matches!(quantifier, Quantifier::Forall | Quantifier::Exists) {
            return refuse(
                format!("{} computes a number over all processes", self.site),
                "use `forall`, `exists`, or a count compared with a fixed number",
            );
        }
        if self.may_fault(body) {
            return self.faulty();
        }
        self.bind(index, Role::Bound(family));
        let inner = self.quantified.is_empty();
        self.quantified.push((index, own));
        let rank = self.rank(body);
        let compared = self.quantified.pop().and_then(|(_, own)| own);
        let rank = rank?;
        let Some(own) = compared else { return Ok(rank + 1) };
        if own == index || !inner || rank > 0 || !self.ordered {
            return self.misplaced();
        }
        if side != Side::Both && self.counted[family].ticket.is_some() {
            return refuse(
                format!("{} orders processes by index, but they also have tickets", self.site),
                "use one order",
            );
        }
        let ticket = self.counted[family].ticket;
        let mixed = body.any(&mut |part| match part {
            Expr::Read(place) => match self.holder(place) {
                Some((_, Some(Expr::Index(read)))) => *read != index && Some(place.variable) != ticket,
                _ => true,
            },
            Expr::Index(read) => *read != index && *read != own && self.role(*read) != Some(Role::Finite),
            _ => false,
        });
        let finite =
            body.any(&mut |part| matches!(part, Expr::Index(read) if self.role(*read) == Some(Role::Finite)));
        if mixed || finite {
            return refuse(
                format!(
                    "{} compares positions and reads more than the other process in the same quantifier",
                    self.site
                ),
                "split the quantifier, so that what is compared by position reads `P[j]` only",
            );
        }
        let order =
            Order { family, own, other: index, quantifier, side, body: body.clone() }.with_plain_indices();
        if !self.orders.contains(&order) {
            self.orders.push(order);
        }
        Ok(1)
    }

    /// Two positions are compared: the innermost quantified process with one that acts.
    fn compared(&mut self, a: Index, b: Index) -> Result<usize, Refusal> {
        let acting = |role| matches!(role, Some(Role::Acts(_)));
        let (ra, rb) = (self.role(a), self.role(b));
        if let Some((innermost, own)) = self.quantified.last_mut() {
            let other = match (a == *innermost, b == *innermost) {
                (true, false) if acting(rb) => Some(b),
                (false, true) if acting(ra) => Some(a),
                _ => None,
            };
            if let Some(other) = other
                && own.is_none_or(|own| own == other)
            {
                *own = Some(other);
                return Ok(0);
            }
        }
        self.misplaced()
    }

    fn misplaced<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{} compares positions of processes", self.site),
            "only a guard may, of a quantified process with the one that acts: `forall j in 1..i-1: …`; \
             if only equality matters write `j != i`",
        )
    }

    /// Whether evaluation may end in a fault. Numbers are of ranges that no sum of few leaves 64 bits with.
    pub(super) fn may_fault(&self, expr: &Expr) -> bool {
        expr.any(&mut |part| match part {
            Expr::Int(number) => number.unsigned_abs() > LARGEST,
            Expr::Binary(Operator::Mul | Operator::Div | Operator::Mod, ..) => true,
            Expr::Quantified(Quantifier::Min | Quantifier::Max | Quantifier::Sum, ..) => true,
            Expr::Read(place) => {
                let known = |expr: &Expr| matches!(expr, Expr::Index(index) if self.role(*index) != Some(Role::Finite));
                let counted = self.holder(place).is_some();
                place.process.iter().any(|process| !counted || !known(process))
                    || place.position.iter().any(|position| !counted || !known(position))
            }
            Expr::Taken(pattern) | Expr::Enabled(pattern) => pattern
                .participants
                .iter()
                .any(|party| !matches!(party.process.as_deref(), None | Some(Expr::Index(_)))),
            _ => false,
        })
    }

    fn faulty<T>(&self) -> Result<T, Refusal> {
        refuse(
            format!("{}: what is quantified over processes may end in a fault", self.site),
            "divide, multiply and index arrays outside of the quantifier",
        )
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
            let known = matches!(process, Some(Expr::Index(index))
                if matches!(self.role(*index), Some(Role::Acts(f) | Role::Kept(f) | Role::Bound(f)) if f == family));
            if !known {
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

    /// Whether an expression reads nothing but what the process with this index owns.
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

    /// The role of a process in a pattern; `None` if any is meant.
    fn party(&self, party: &Party) -> Result<Option<Role>, Refusal> {
        let counted = self.counted.iter().any(|counted| counted.family == party.family);
        match party.process.as_deref() {
            None => Ok(None),
            Some(Expr::Index(index)) if self.role(*index).is_some() => Ok(self.role(*index)),
            Some(Expr::Int(_)) if !counted => Ok(Some(Role::Finite)),
            Some(_) => refuse(
                format!("{} speaks of a particular process", self.site),
                "speak of a quantified process, or of any",
            ),
        }
    }

    /// An action is enabled if a guard is true for some processes.
    fn enabled(&mut self, pattern: &Pattern) -> Result<usize, Refusal> {
        let mut most = 0;
        for action in &self.system.actions {
            let fits = |party: &Party| {
                action.participants.iter().any(|participant| {
                    participant.family == party.family
                        && party.label.as_ref().is_none_or(|label| *label == participant.label)
                })
            };
            if !pattern.participants.iter().all(fits) {
                continue;
            }
            let mut more = 0;
            for participant in &action.participants {
                let family = self.counted.iter().position(|c| c.family == participant.family);
                let named = pattern.participants.iter().find(|party| party.family == participant.family);
                let role = match named {
                    Some(party) => self.party(party)?,
                    None => None,
                };
                let role = match (role, family) {
                    (Some(role), _) => role,
                    (None, None) => Role::Finite,
                    (None, Some(family)) => {
                        more += 1;
                        Role::Bound(family)
                    }
                };
                if let Some(index) = participant.index {
                    self.bind(index, role);
                }
            }
            for binder in &action.parameters {
                match self.range(&binder.span, binder.index, &[&action.guard])? {
                    Range::Finite => self.bind(binder.index, Role::Finite),
                    Range::Whole(family) => {
                        more += 1;
                        self.bind(binder.index, Role::Bound(family));
                    }
                    Range::Part(..) => return self.odd_range(&binder.span),
                }
            }
            most = most.max(more + self.rank(&action.guard)?);
        }
        Ok(most)
    }
}

impl Order {
    /// The same with indices that do not depend on where it stands, so that equal ones are recognised.
    fn with_plain_indices(mut self) -> Order {
        let (own, other) = (Index(u32::MAX - 1), Index(u32::MAX));
        self.body = renamed(&self.body, &[(self.own, own), (self.other, other)]);
        (self.own, self.other) = (own, other);
        self
    }
}

fn renamed(expr: &Expr, names: &[(Index, Index)]) -> Expr {
    match expr {
        Expr::Index(index) => {
            Expr::Index(names.iter().find(|(old, _)| old == index).map_or(*index, |(_, new)| *new))
        }
        other => other.map(&mut |part| renamed(part, names)),
    }
}

fn atoms<'f>(formula: &'f Formula, found: &mut Vec<&'f Expr>) {
    match formula {
        Formula::Atom(atom) => found.push(atom),
        Formula::Not(a) | Formula::Next(a) | Formula::Finally(a) | Formula::Globally(a) => atoms(a, found),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| atoms(part, found)),
        Formula::Implies(a, b) | Formula::Until(a, b) | Formula::WeakUntil(a, b) | Formula::Release(a, b) => {
            atoms(a, found);
            atoms(b, found);
        }
        Formula::Forall(_, body) | Formula::Exists(_, body) => atoms(body, found),
    }
}
