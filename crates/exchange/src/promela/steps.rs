//! Actions as guarded commands of a `do` loop, each one indivisible step.
//!
//! A `d_step` is one transition of SPIN, but SPIN resolves a choice inside it in only one way. So the choices of an
//! update are made outside: each of its [`paths`] is an option of its own, with a guard that says when it is possible.
//! The rest of a path is deterministic.
//!
//! Where a fault can happen, the path checks for it, sets `fault` and fails an assertion. If the guard may have no
//! value, an option of its own does the same.

use std::fmt::Write;

use model::expr::Place;
use model::{ActionId, Expr, Update, ground};

use super::expressions::Writer;
use crate::export::Refusal;
use crate::export::paths::paths;
use crate::export::range::{between, constant, defined, place_exists, uniform};

/// The step of a fault.
const FAULT: &str = "fault = true; assert(false)";

/// The options of an action.
pub(super) struct Options {
    /// The condition under which it is enabled, as text.
    pub(super) enabled: String,
    /// Guards and bodies. The statements that record facts about the step go in between.
    pub(super) commands: Vec<(String, String)>,
    /// Guards under which a fault happens.
    pub(super) faults: Vec<String>,
    /// Whether the body of an option may also end in a fault.
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
    let mut commands = Vec::new();
    let mut may_fault = false;
    for path in paths(instance, &update)? {
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

/// Statements that check a condition; `None` if it is surely true.
pub(super) fn check(writer: &Writer, condition: &Expr) -> Result<Option<String>, Refusal> {
    if *condition == Expr::Bool(true) {
        return Ok(None);
    }
    Ok(Some(format!("fault = !{}; assert(!fault); ", writer.operand(condition)?)))
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

    /// A simultaneous assignment. It uses `t0`, `t1`, … if a later right side reads what an earlier one writes.
    fn assign(&mut self, assignments: &[(Place, Expr)]) -> Result<(), Refusal> {
        let (writer, instance) = (self.writer, self.writer.instance);
        for (place, value) in assignments {
            self.check(&place_exists(instance, place)?)?;
            self.check(&defined(instance, value)?)?;
        }
        for (place, value) in assignments {
            let (lo, hi) = uniform(instance, place)?;
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

/// How many temporaries `t0`, `t1`, … simultaneous assignments may need.
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
