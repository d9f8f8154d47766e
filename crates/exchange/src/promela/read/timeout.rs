//! When Promela's `timeout` is true: if no process can do a step. One that waits for `timeout` itself does not count.

use lang::syntax::{Item, ItemKind, Span};

use super::steps::may_die;
use super::syntax::{Action, Expr, File, Node, Statement};
use super::translate::{TIMEOUT, Translator, Who, all, any, exists, not};
use super::world::Result;
use crate::tree::{declaration, name, named};

/// The definition of `timeout`: nobody can do a step.
pub(super) fn definition(translator: Translator<'_>) -> Result<Item> {
    let world = translator.world;
    let span = Span::default();
    let mut found = Vec::new();
    for (process, family) in world.processes.iter().enumerate().filter(|(_, family)| family.count > 0) {
        let index = family.is_family().then(|| named("someone_", span));
        let who = Who { process, index, own: false };
        let own = translator.of(&who);
        let mut places = Vec::new();
        for (at, node) in family.flow.nodes.iter().enumerate() {
            if !world.is_stop(process, at) {
                continue;
            }
            let mut steps = Vec::new();
            for edge in node.edges.iter().chain(&node.escapes) {
                steps.push(own.enabled(&edge.step, span)?);
            }
            if at == family.flow.end {
                steps.push(may_die(own, &who, span));
            }
            places.push(all([own.at(&who, at, span), any(steps)]));
        }
        let mut conditions = vec![own.alive(&who, span), any(places)];
        if let Some(provided) = &family.source.provided {
            conditions.push(own.truth(provided)?);
        }
        let body = all(conditions);
        found.push(if family.is_family() { exists("someone_", 0, family.count - 1, body) } else { body });
    }
    let body = not(any(found));
    Ok(declaration(ItemKind::Define { name: name(TIMEOUT, span), parameters: Vec::new(), body }, span))
}

/// Whether `timeout` stands in an expression.
pub(super) fn in_expression(expr: &Expr) -> bool {
    match &expr.node {
        Node::Timeout => true,
        Node::Unary(_, inner) => in_expression(inner),
        Node::Binary(_, left, right) => in_expression(left) || in_expression(right),
        Node::If(a, b, c) => in_expression(a) || in_expression(b) || in_expression(c),
        _ => false,
    }
}

/// Whether a process of a file waits for `timeout`.
pub(super) fn mentioned(file: &File) -> bool {
    fn inside(body: &[Statement]) -> bool {
        body.iter().any(|statement| match &statement.action {
            Action::Wait(condition) => in_expression(condition),
            Action::If(options) | Action::Do(options) => options.iter().any(|option| inside(option)),
            Action::Block(body) | Action::Atomic(body) | Action::Deterministic(body) => inside(body),
            Action::Unless(main, escape) => inside(main) || inside(escape),
            _ => false,
        })
    }
    file.processes.iter().any(|process| inside(&process.body))
}
