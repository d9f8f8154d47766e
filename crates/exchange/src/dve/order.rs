//! The order of the effects of processes that step together, where it can be seen.
//!
//! In a handshake `DiVinE` stores the message, then does the effects of the receiver, then those of the sender. In ours the
//! sender goes first. That is the same unless one of the two writes what the effects of the other read. Then the receiver
//! does its effects before the message comes ([`early`]), if they have nothing to do with the message; else the file is
//! refused. If both write one variable, `DiVinE` calls it an error, so that is refused too.
//!
//! In `system sync` all processes compute with the state before the step. Ours go one after the other, so an effect that
//! reads what another process may write in the same step is refused.
//!
//! Whether the process is in its new state while its own effects are done is not the same in all versions of `DiVinE`: an effect
//! that asks for that is refused.

use std::collections::BTreeSet;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::names::Names;
use super::syntax::{Expr, File, Message, Node, Transition};
use crate::text::refused;

type Translated<T> = Result<T, Box<Diagnostic>>;

/// A variable with the process that has it, or the state of a process, without a name.
type Cell<'a> = (Option<&'a str>, &'a str);

/// What the effects of a transition, and its message, read and write.
struct Touched<'a> {
    process: &'a str,
    transition: &'a Transition,
    reads: BTreeSet<Cell<'a>>,
    writes: BTreeSet<Cell<'a>>,
    /// What a message is made of, or where it is stored.
    message_reads: BTreeSet<Cell<'a>>,
    message_writes: BTreeSet<Cell<'a>>,
}

/// The transitions of receivers whose effects come before the message, by where they begin in the text.
pub(super) fn early(file: &File, names: &Names) -> Translated<BTreeSet<usize>> {
    let observer = file.property.as_ref().map(|property| property.text.as_str());
    let mut all = Vec::new();
    for process in file.processes.iter().filter(|process| Some(process.name.text.as_str()) != observer) {
        for transition in &process.transitions {
            let touched = Touched::new(&process.name.text, transition, names);
            if touched.reads.contains(&(Some(touched.process), "")) {
                let text = "whether this is about the state before or after the step is not the same in all versions of `DiVinE`";
                return refused(transition.span, text, "an effect asks for the state of its own process");
            }
            all.push(touched);
        }
    }
    if file.synchronous {
        return together(&all).map(|()| BTreeSet::new());
    }
    let mut early = BTreeSet::new();
    for receiver in &all {
        let Some(to) = receiver.message().filter(|message| !message.sends) else { continue };
        for sender in &all {
            let meets = sender.message().filter(|from| from.sends && from.channel.text == to.channel.text);
            if meets.is_none()
                || sender.process == receiver.process
                || names.buffered.contains(&to.channel.text)
            {
                continue;
            }
            if meet(sender, receiver)? {
                early.insert(receiver.transition.span.start);
            }
        }
    }
    Ok(early)
}

/// Whether the effects of a receiver must come before those of a sender.
fn meet(sender: &Touched<'_>, receiver: &Touched<'_>) -> Translated<bool> {
    let shares = |a: &BTreeSet<Cell<'_>>, b: &BTreeSet<Cell<'_>>| !a.is_disjoint(b);
    let at = |span: Span, other: &Touched<'_>, text: &str| {
        let error = Diagnostic::error(span, text, "its partner is in the line below");
        Err(error.related(other.transition.span, "the partner").into())
    };
    let span = receiver.transition.span;
    if shares(&sender.writes, &receiver.writes) {
        return at(span, sender, "both processes of a handshake write one variable, an error in `DiVinE`");
    }
    if sender.reads.contains(&(Some(receiver.process), ""))
        || receiver.reads.contains(&(Some(sender.process), ""))
    {
        return at(span, sender, "an effect asks for the state of its partner in a handshake");
    }
    // The values of a message are computed and stored one after the other.
    if receiver.message_values() > 1 && shares(&receiver.message_writes, &sender.message_reads) {
        return at(span, sender, "a part of this message depends on where another part is stored");
    }
    if !shares(&sender.writes, &receiver.reads) && !shares(&receiver.writes, &sender.reads) {
        return Ok(false);
    }
    let both = |cells| shares(cells, &receiver.message_writes);
    if both(&receiver.reads)
        || both(&receiver.writes)
        || shares(&receiver.writes, &receiver.message_reads)
        || shares(&receiver.writes, &sender.message_reads)
    {
        return at(span, sender, "the effects of a handshake depend on each other and on the message");
    }
    Ok(true)
}

/// Refuses effects of one process that depend on what another one writes in the same step.
fn together(all: &[Touched<'_>]) -> Translated<()> {
    for later in all {
        for other in all.iter().filter(|other| other.process != later.process) {
            let moves = later.reads.contains(&(Some(other.process), ""));
            if moves || !other.writes.is_disjoint(&later.reads) || !other.writes.is_disjoint(&later.writes) {
                let text = "an effect depends on what another process writes in the same step";
                let error = Diagnostic::error(later.transition.span, text, "in `system sync`");
                return Err(error.related(other.transition.span, "the other process").into());
            }
        }
    }
    Ok(())
}

impl<'a> Touched<'a> {
    fn new(process: &'a str, transition: &'a Transition, names: &Names) -> Touched<'a> {
        let mut own = Touched {
            process,
            transition,
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            message_reads: BTreeSet::new(),
            message_writes: BTreeSet::new(),
        };
        let place = |place: &'a Expr, reads: &mut BTreeSet<Cell<'a>>, writes: &mut BTreeSet<Cell<'a>>| {
            if let Node::Item(_, position) = &place.node {
                read(position, process, names, reads);
            }
            if let Node::Item(lang::syntax::Name { text, .. }, _) | Node::Name(text) = &place.node {
                writes.insert(cell(process, text, names));
            }
        };
        for (target, value) in &transition.effects {
            place(target, &mut own.reads, &mut own.writes);
            read(value, process, names, &mut own.reads);
        }
        for value in own.message().into_iter().flat_map(|message| &message.values) {
            if own.message().is_some_and(|message| message.sends) {
                read(value, process, names, &mut own.message_reads);
            } else {
                place(value, &mut own.message_reads, &mut own.message_writes);
            }
        }
        own
    }

    fn message(&self) -> Option<&'a Message> {
        self.transition.message.as_ref()
    }

    fn message_values(&self) -> usize {
        self.message().map_or(0, |message| message.values.len())
    }
}

/// The cell that a name of a process stands for.
fn cell<'a>(process: &'a str, name: &'a str, names: &Names) -> Cell<'a> {
    let own = names.processes.get(process).is_some_and(|scope| scope.variables.contains_key(name));
    (own.then_some(process), name)
}

/// Adds what an expression of a process reads.
fn read<'a>(expr: &'a Expr, process: &'a str, names: &Names, cells: &mut BTreeSet<Cell<'a>>) {
    match &expr.node {
        Node::Number(_) | Node::Test(..) => {}
        Node::Name(name) => {
            cells.insert(cell(process, name, names));
        }
        Node::Item(name, position) => {
            cells.insert(cell(process, &name.text, names));
            read(position, process, names, cells);
        }
        Node::At(other, _) => {
            cells.insert((Some(&other.text), ""));
        }
        Node::Of(other, name, position) => {
            cells.insert(cell(&other.text, &name.text, names));
            if let Some(position) = position {
                read(position, process, names, cells);
            }
        }
        Node::Unary(_, operand) => read(operand, process, names, cells),
        Node::Binary(_, left, right) => {
            read(left, process, names, cells);
            read(right, process, names, cells);
        }
    }
}
