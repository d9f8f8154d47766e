//! Actions as guarded commands of a `do` loop, each one indivisible step.
//!
//! A `d_step` is one transition of SPIN, but SPIN resolves a choice inside it in only one way. So the choices
//! of an update are made outside: an update is split into its *paths*, one per way of resolving `either`, and
//! each path is an option of its own whose guard says when it can be gone. A condition that stands after an
//! assignment is carried back to the state before the step by substitution, where reading an array that has
//! been written becomes `if` the indices are equal. What is left on a path is deterministic.
//!
//! Where a fault can happen the path checks it: `fault` is set and an assertion fails. A guard without a
//! value gets an option of its own that does so. The number of paths is the product of the choices in a row.

use std::fmt::Write;

use model::expr::Place;
use model::{ActionId, Expr, Instance, Refusal, Update, ground};

use super::expressions::Writer;
use super::range::{between, constant, defined, place_exists};
use crate::export::refusal;

/// More paths than this through one update, and the export is refused.
const LIMIT: usize = 4096;

/// The step of a fault.
const FAULT: &str = "fault = true; assert(false)";

/// The options of an action.
pub(super) struct Options {
    /// The condition under which it is enabled, as text.
    pub(super) enabled: String,
    /// Guards and bodies; what is recorded about steps stands between the two.
    pub(super) commands: Vec<(String, String)>,
    /// Guards under which a fault happens.
    pub(super) faults: Vec<String>,
    /// Whether an option may end in a fault, too.
    pub(super) may_fault: bool,
}

/// The options of an action.
pub(super) fn options(writer: &Writer, action: ActionId) -> Result<Options, Refusal> {
    let instance = writer.instance;
    let guard = ground::guard(instance, action);
    let update = ground::update(instance, action);
    let guarded = defined(instance, &guard)?;
    let mut faults = Vec::new();
    if guarded != Expr::Bool(true) {
        faults.push(writer.expression(&Expr::negated(guarded.clone()))?);
    }
    let guard = Expr::and([guarded, guard]);
    let mut splitting = Splitting { instance, paths: vec![Path::default()] };
    splitting.add(&update, false)?;
    let mut commands = Vec::new();
    let mut may_fault = false;
    for path in splitting.paths {
        let condition = Expr::and(std::iter::once(guard.clone()).chain(path.conditions));
        if condition == Expr::Bool(false) {
            continue;
        }
        let condition = writer.expression(&condition)?;
        if path.faults {
            faults.push(condition);
            continue;
        }
        let mut body = Body { writer, text: String::new(), may_fault: false };
        for part in path.body {
            body.add(&part)?;
        }
        may_fault |= body.may_fault;
        commands.push((condition, body.text));
    }
    Ok(Options { enabled: writer.expression(&guard)?, commands, faults, may_fault })
}

/// An option that is a fault.
pub(super) fn fault_option(guard: &str) -> String {
    format!("d_step {{ {guard} -> {FAULT} }}")
}

/// Statements that check a condition, unless it is surely true.
pub(super) fn check(writer: &Writer, condition: &Expr) -> Result<Option<String>, Refusal> {
    if *condition == Expr::Bool(true) {
        return Ok(None);
    }
    Ok(Some(format!("fault = !{}; assert(!fault); ", writer.operand(condition)?)))
}

/// A way through an update.
#[derive(Clone, Default)]
struct Path {
    /// When it can be gone, in the state before the step.
    conditions: Vec<Expr>,
    /// What it has written when a condition after it had to be carried back; values in the state before.
    writes: Vec<(Place, Expr)>,
    /// What it does, without choices.
    body: Vec<Update>,
    /// Whether it ends in a fault.
    faults: bool,
}

struct Splitting<'a> {
    instance: &'a Instance,
    paths: Vec<Path>,
}

impl Splitting<'_> {
    /// Appends an update to every path. `tracked`: a condition may follow that has to be carried back over it.
    fn add(&mut self, update: &Update, tracked: bool) -> Result<(), Refusal> {
        match update {
            Update::Skip => Ok(()),
            Update::Sequence(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    self.add(part, tracked || parts[number + 1..].iter().any(chooses))?;
                }
                Ok(())
            }
            Update::If(condition, yes, no) if tracked || chooses(update) => {
                let no = (Expr::negated(condition.clone()), no.as_ref());
                self.split(&[(condition.clone(), yes.as_ref()), no], tracked)
            }
            Update::Either(branches) => {
                let branches: Vec<(Expr, &Update)> =
                    branches.iter().map(|(c, update)| (c.clone(), update)).collect();
                self.split(&branches, tracked)
            }
            Update::Choose(..) => unreachable!("the update is ground"),
            Update::Assign(assignments) => {
                for path in self.paths.iter_mut().filter(|path| !path.faults) {
                    if tracked {
                        let carried = |expr: &Expr| before(expr, &path.writes);
                        let writes: Vec<(Place, Expr)> = assignments
                            .iter()
                            .map(|(place, value)| (place_before(place, &path.writes), carried(value)))
                            .collect();
                        path.writes.extend(writes);
                    }
                    path.body.push(update.clone());
                }
                Ok(())
            }
            Update::If(..) => {
                for path in self.paths.iter_mut().filter(|path| !path.faults) {
                    path.body.push(update.clone());
                }
                Ok(())
            }
        }
    }

    /// Goes on with each branch whose condition is true, or with a fault where none is.
    fn split(&mut self, branches: &[(Expr, &Update)], tracked: bool) -> Result<(), Refusal> {
        let mut results = Vec::new();
        for path in std::mem::take(&mut self.paths) {
            if path.faults {
                results.push(path);
                continue;
            }
            let conditions: Vec<Expr> = branches.iter().map(|(c, _)| before(c, &path.writes)).collect();
            let mut good = Vec::new();
            for condition in &conditions {
                good.push(defined(self.instance, condition)?);
            }
            let exhaustive = match &conditions[..] {
                [yes, Expr::Not(no)] if **no == *yes => true,
                _ => conditions.contains(&Expr::Bool(true)),
            };
            if !exhaustive {
                good.push(Expr::or(conditions.iter().cloned()));
            }
            let good = Expr::and(good);
            if good != Expr::Bool(true) {
                let mut lost = path.clone();
                lost.conditions.push(Expr::negated(good));
                lost.faults = true;
                results.push(lost);
            }
            for (condition, (_, update)) in conditions.iter().zip(branches) {
                let mut taken = path.clone();
                taken.conditions.push(Expr::and([defined(self.instance, condition)?, condition.clone()]));
                let mut rest = Splitting { instance: self.instance, paths: vec![taken] };
                rest.add(update, tracked)?;
                results.extend(rest.paths);
            }
            if results.len() > LIMIT {
                return Err(refusal(format!(
                    "an update has more than {LIMIT} ways of resolving its choices"
                )));
            }
        }
        self.paths = results;
        Ok(())
    }
}

/// Whether an update has more than one outcome, or may have none.
fn chooses(update: &Update) -> bool {
    match update {
        Update::Skip | Update::Assign(_) => false,
        Update::Sequence(parts) => parts.iter().any(chooses),
        Update::If(_, yes, no) => chooses(yes) || chooses(no),
        Update::Either(_) | Update::Choose(..) => true,
    }
}

/// The expression over the state before `writes` that has the value of `expr` after them.
fn before(expr: &Expr, writes: &[(Place, Expr)]) -> Expr {
    if writes.is_empty() {
        return expr.clone();
    }
    let of = |expr: &Expr| before(expr, writes);
    let all = |parts: &[Expr]| parts.iter().map(of).collect::<Vec<_>>();
    match expr {
        Expr::Read(place) => {
            let place = place_before(place, writes);
            let mut value = Expr::Read(place.clone());
            for (written, new) in writes.iter().filter(|(written, _)| written.variable == place.variable) {
                value = match same(written, &place) {
                    Expr::Bool(true) => new.clone(),
                    Expr::Bool(false) => value,
                    same => Expr::If(Box::new(same), Box::new(new.clone()), Box::new(value)),
                };
            }
            value
        }
        Expr::Not(a) => Expr::negated(of(a)),
        Expr::Neg(a) => Expr::Neg(Box::new(of(a))),
        Expr::And(parts) => Expr::And(all(parts)),
        Expr::Or(parts) => Expr::Or(all(parts)),
        Expr::Sum(parts) => Expr::Sum(all(parts)),
        Expr::Min(parts) => Expr::Min(all(parts)),
        Expr::Max(parts) => Expr::Max(all(parts)),
        Expr::Binary(operator, a, b) => Expr::binary(*operator, of(a), of(b)),
        Expr::If(c, a, b) => Expr::If(Box::new(of(c)), Box::new(of(a)), Box::new(of(b))),
        other => other.clone(),
    }
}

fn place_before(place: &Place, writes: &[(Place, Expr)]) -> Place {
    Place {
        variable: place.variable,
        process: place.process.as_ref().map(|index| Box::new(before(index, writes))),
        position: place.position.iter().map(|index| before(index, writes)).collect(),
    }
}

/// When two places of one variable are the same.
fn same(a: &Place, b: &Place) -> Expr {
    let processes = a.process.as_deref().zip(b.process.as_deref());
    Expr::and(processes.into_iter().chain(a.position.iter().zip(&b.position)).map(|(a, b)| {
        match (constant(a), constant(b)) {
            (Some(a), Some(b)) => Expr::Bool(a == b),
            _ if a == b => Expr::Bool(true),
            _ => Expr::eq(a.clone(), b.clone()),
        }
    }))
}

/// The statements of a path.
struct Body<'a> {
    writer: &'a Writer<'a>,
    text: String,
    may_fault: bool,
}

impl Body<'_> {
    fn add(&mut self, update: &Update) -> Result<(), Refusal> {
        match update {
            Update::Skip => Ok(()),
            Update::Assign(assignments) => self.assign(assignments),
            Update::Sequence(parts) => parts.iter().try_for_each(|part| self.add(part)),
            Update::If(condition, yes, no) => {
                self.check(&defined(self.writer.instance, condition)?)?;
                let _ = write!(self.text, "if :: {} -> ", self.writer.expression(condition)?);
                self.block(yes)?;
                self.text += ":: else -> ";
                self.block(no)?;
                self.text += "fi; ";
                Ok(())
            }
            Update::Either(_) | Update::Choose(..) => unreachable!("choices have been made"),
        }
    }

    fn block(&mut self, update: &Update) -> Result<(), Refusal> {
        let length = self.text.len();
        self.add(update)?;
        if self.text.len() == length {
            self.text += "skip; ";
        }
        Ok(())
    }

    /// Simultaneous assignment: by way of `t0`, `t1`, … if a later right side reads what an earlier one writes.
    fn assign(&mut self, assignments: &[(Place, Expr)]) -> Result<(), Refusal> {
        let (writer, instance) = (self.writer, self.writer.instance);
        for (place, value) in assignments {
            self.check(&place_exists(instance, place)?)?;
            self.check(&defined(instance, value)?)?;
        }
        for (place, value) in assignments {
            let domain = match instance.constant_cell(place) {
                Some(Ok(cell)) => Some(instance.cells[cell].domain),
                // The cells of one variable differ in their ranges only between processes.
                _ => None,
            };
            let (lo, hi) = match domain {
                Some(domain) => (domain.lo, domain.hi),
                None => uniform(instance, place)?,
            };
            self.check(&between(instance, value, lo, hi)?)?;
        }
        let reads = |expr: &Expr, earlier: &[(Place, Expr)]| {
            expr.any(&mut |expr| match expr {
                Expr::Read(place) => earlier.iter().any(|(written, _)| written.variable == place.variable),
                _ => false,
            })
        };
        let entangled = assignments.iter().enumerate().any(|(number, (place, value))| {
            let earlier = &assignments[..number];
            reads(value, earlier)
                || Expr::Read(place.clone()).children().into_iter().any(|e| reads(e, earlier))
        });
        if !entangled {
            for (place, value) in assignments {
                let value = match constant(value) {
                    Some(value) => writer.names.value(instance, place.variable, value),
                    None => writer.expression(value)?,
                };
                let _ = write!(self.text, "{} = {value}; ", writer.place(place)?);
            }
            return Ok(());
        }
        let mut after = String::new();
        let mut number = 0;
        let mut hold = |text: &mut String, value: String| {
            let name = format!("t{number}");
            number += 1;
            let _ = write!(text, "{name} = {value}; ");
            name
        };
        for (place, value) in assignments {
            let target = match writer.names.element(instance, place) {
                (name, None) => name.to_owned(),
                (name, Some(index)) => match constant(&index) {
                    Some(index) => format!("{name}[{index}]"),
                    None => format!("{name}[{}]", hold(&mut self.text, writer.expression(&index)?)),
                },
            };
            let value = hold(&mut self.text, writer.expression(value)?);
            let _ = write!(after, "{target} = {value}; ");
        }
        self.text += &after;
        Ok(())
    }

    fn check(&mut self, condition: &Expr) -> Result<(), Refusal> {
        if let Some(text) = check(self.writer, condition)? {
            self.may_fault = true;
            self.text += &text;
        }
        Ok(())
    }
}

/// The range that all cells have which a place may mean.
fn uniform(instance: &Instance, place: &Place) -> Result<(i64, i64), Refusal> {
    let cells = super::names::cells(instance, place.variable);
    let mut domains = cells.into_iter().map(|cell| instance.cells[cell].domain);
    let first = domains.next();
    match first {
        Some(first) if domains.all(|domain| domain == first) => Ok((first.lo, first.hi)),
        _ => Err(refusal(format!(
            "`{}` is assigned through an index, and its range is not the same in every process",
            instance.system.variable(place.variable).name
        ))),
    }
}

/// How many places `t0`, `t1`, … simultaneous assignments may need.
pub(super) fn places(update: &Update) -> usize {
    match update {
        Update::Skip => 0,
        Update::Assign(assignments) if assignments.len() == 1 => 0,
        Update::Assign(assignments) => 2 * assignments.len(),
        Update::Sequence(parts) => parts.iter().map(places).max().unwrap_or(0),
        Update::If(_, yes, no) => places(yes).max(places(no)),
        Update::Either(branches) => branches.iter().map(|(_, update)| places(update)).max().unwrap_or(0),
        Update::Choose(_, _, body) => places(body),
    }
}
