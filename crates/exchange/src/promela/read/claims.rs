//! What is asked of a Promela model: that it ends only where it may, its assertions, its formulas and its never claim, that
//! it makes progress and is not accepted where it has labels for that, and what the user asks.
//!
//! SPIN finds a cycle without progress only in a run that does not end, so a run that ends satisfies the claim.
//!
//! Its claims do not see states inside an `atomic`. Where a step of ours ends inside one, formulas pass over that state: they are
//! about the states that are left ([`passing`]).

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{
    Binary as Operator, Expr as Tree, ExprKind, Item, ItemKind, Members, Name, Proposition, Span,
    Unary as Prefix,
};
use model::Automaton;
use model::automaton::{Cube, Edge};

use super::flow::{Step, flow};
use super::steps::Steps;
use super::syntax::{Action, Expr, File, Node, Statement};
use super::translate::{Translator, Who, all, any, exists, not, some_step};
use super::world::Result;
use crate::tree::{binary, declaration, expr, int, name, named, unary};

/// Whether a state is inside an `atomic` that goes on, if there are such states.
pub(super) fn hidden(translator: Translator<'_>, span: Span) -> Option<Tree> {
    let holder = translator.world.holder.clone()?;
    Some(not(binary(Operator::Eq, named(holder, span), int(0, span))))
}

/// A formula that passes over hidden states. In a state that is not hidden it is true if the formula is true of the run
/// without hidden states.
pub(super) fn passing(formula: Tree, hidden: Option<&Tree>) -> Tree {
    let Some(hide) = hidden else { return formula };
    let span = formula.span;
    let always = |part: Tree| any([hide.clone(), passing(part, hidden)]);
    let seen = |part: Tree| all([not(hide.clone()), passing(part, hidden)]);
    match formula.kind {
        ExprKind::Unary(Prefix::Globally, a) => unary(Prefix::Globally, always(*a)),
        ExprKind::Unary(Prefix::Finally, a) => unary(Prefix::Finally, seen(*a)),
        ExprKind::Unary(Prefix::Next, a) => {
            unary(Prefix::Next, binary(Operator::Until, hide.clone(), seen(*a)))
        }
        ExprKind::Unary(Prefix::Not, a) => unary(Prefix::Not, passing(*a, hidden)),
        ExprKind::Binary(operator @ (Operator::Until | Operator::WeakUntil), a, b) => {
            binary(operator, always(*a), seen(*b))
        }
        ExprKind::Binary(Operator::Release, a, b) => binary(Operator::Release, seen(*a), always(*b)),
        ExprKind::Binary(
            operator @ (Operator::And | Operator::Or | Operator::Implies | Operator::Iff),
            a,
            b,
        ) => binary(operator, passing(*a, hidden), passing(*b, hidden)),
        kind => Tree { kind, span },
    }
}

/// The labels that the file, and these formulas, ask other processes about.
pub(super) fn asked_labels(file: &File, asked: &[Expr]) -> BTreeSet<String> {
    fn labels(expr: &Expr, found: &mut BTreeSet<String>) {
        match &expr.node {
            Node::At(_, _, label) => {
                found.insert(label.text.clone());
            }
            Node::Unary(_, inner) => labels(inner, found),
            Node::Binary(_, left, right) => {
                labels(left, found);
                labels(right, found);
            }
            Node::If(a, b, c) => [a, b, c].into_iter().for_each(|own| labels(own, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for formula in file.formulas.iter().map(|(_, formula)| formula).chain(asked) {
        labels(formula, &mut found);
    }
    let bodies = file.processes.iter().map(|process| &process.body).chain(&file.never);
    for body in bodies {
        in_statements(body, &mut |own| labels(own, &mut found));
    }
    found
}

/// Calls `each` with every condition in statements.
fn in_statements(body: &[Statement], each: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match &statement.action {
            Action::Wait(own) | Action::Assert(own) => each(own),
            Action::If(options) | Action::Do(options) => {
                options.iter().for_each(|option| in_statements(option, each));
            }
            Action::Block(body) | Action::Atomic(body) | Action::Deterministic(body) => {
                in_statements(body, each);
            }
            Action::Unless(main, escape) => {
                in_statements(main, each);
                in_statements(escape, each);
            }
            _ => {}
        }
    }
}

/// The name of the claim that no process is stuck where it may not end.
pub(super) const ENDS: &str = "no_invalid_end";

pub(super) fn invariant(called: Name, body: Tree) -> Item {
    let span = called.span;
    declaration(ItemKind::Invariant { name: called, family: Members::default(), body, expect: None }, span)
}

pub(super) fn property(called: Name, body: Tree) -> Item {
    let span = called.span;
    let kind =
        ItemKind::Property { name: called, family: Members::default(), body, under: None, expect: None };
    declaration(kind, span)
}

/// The claims of every model: where it ends, and its assertions.
pub(super) fn safety(translator: Translator<'_>, line: &dyn Fn(Span) -> usize) -> Result<Vec<Item>> {
    let world = translator.world;
    let span = Span::default();
    let mut ends = Vec::new();
    let mut items = Vec::new();
    let mut called: BTreeMap<String, usize> = BTreeMap::new();
    for (process, family) in world.processes.iter().enumerate().filter(|(_, family)| family.count > 0) {
        let index = family.is_family().then(|| named("which_", span));
        let who = Who { process, index, own: false };
        let own = translator.of(&who);
        let mut places = Vec::new();
        for (at, node) in family.flow.nodes.iter().enumerate() {
            let may_end = at == family.flow.end || node.labels.iter().any(|label| label.starts_with("end"));
            if may_end {
                places.push(own.at(&who, at, span));
            }
        }
        if !family.runs && world.stops[process].contains(&family.flow.end) {
            let party = Box::new(own.party(&who, span));
            places.push(expr(ExprKind::At(party, name(family.dead.clone(), span)), span));
        }
        // Somewhere a process may not end.
        let not_there = all([own.alive(&who, span), not(any(places))]);
        ends.push(quantified(family.is_family(), family.count, not_there));
        let steps = Steps::new(world, translator.points, &who);
        for (at, node) in family.flow.nodes.iter().enumerate() {
            if !world.is_stop(process, at) {
                continue;
            }
            for edge in &node.edges {
                let Step::Assert(condition) = &edge.step else { continue };
                let mut reached = vec![own.at(&who, at, edge.span)];
                reached.extend(steps.may_step(edge.span, true)?);
                for escape in &node.escapes {
                    reached.push(not(own.enabled(&escape.step, edge.span)?));
                }
                reached.push(not(own.truth(condition)?));
                let base = format!("assert_line{}", line(edge.span));
                let number = called.entry(base.clone()).or_default();
                *number += 1;
                let base = if *number == 1 { base } else { format!("{base}_{number}") };
                let wrong = quantified(family.is_family(), family.count, all(reached));
                items.push(invariant(name(base, edge.span), not(wrong)));
            }
        }
    }
    let body = any([some_step(span), not(any(ends))]);
    items.insert(0, invariant(name(ENDS, span), body));
    Ok(items)
}

fn quantified(is_family: bool, count: i64, body: Tree) -> Tree {
    if is_family { exists("which_", 0, count - 1, body) } else { body }
}

/// The claims that labels make.
pub(super) fn labels(translator: Translator<'_>) -> Vec<Item> {
    let span = Span::default();
    let has = |prefix: &str| {
        let mut labels = translator.world.processes.iter().flat_map(|process| process.flow.labels.keys());
        labels.any(|label| label.starts_with(prefix))
    };
    let mut items = Vec::new();
    let ends = || not(some_step(span));
    if has("progress") {
        let progress = any([translator.somewhere("progress", span), ends()]);
        let body = unary(Prefix::Globally, unary(Prefix::Finally, progress));
        items.push(property(name("no_non_progress_cycle", span), body));
    }
    if has("accept") {
        let other = any([not(translator.somewhere("accept", span)), ends()]);
        let body = unary(Prefix::Finally, unary(Prefix::Globally, other));
        items.push(property(name("no_acceptance_cycle", span), body));
    }
    items
}

/// The claim that a never claim accepts no run, and its automaton.
///
/// It takes a step with each step of the system, from the state before it. A run is accepted if the claim comes to its end,
/// or to places with a label that begins with `accept` infinitely often.
pub(super) fn never(
    translator: Translator<'_>,
    body: &[Statement],
    called: &str,
) -> Result<(Item, Automaton<String>)> {
    let span = body.first().map_or_else(Span::default, |first| first.span);
    let flow = flow(body, span, &BTreeSet::new())?;
    if !flow.locals.is_empty() {
        return Err(Diagnostic::error(span, "variables of a never claim are not supported", "here").into());
    }
    let mut propositions: Vec<Proposition> = Vec::new();
    let mut states: Vec<Vec<Edge>> = vec![Vec::new(); flow.nodes.len()];
    let mut proposition = |meaning: Tree, span: Span| {
        let same = propositions.iter().position(|known| known.meaning == meaning);
        same.unwrap_or_else(|| {
            let called = name(format!("guard{}", propositions.len() + 1), span);
            propositions.push(Proposition { name: called, meaning });
            propositions.len() - 1
        })
    };
    for (at, node) in flow.nodes.iter().enumerate() {
        let accepts = at == flow.end || node.labels.iter().any(|label| label.starts_with("accept"));
        let marks = if accepts { vec![0] } else { Vec::new() };
        if at == flow.end {
            states[at].push(Edge { cube: Cube::default(), marks: marks.clone(), target: at });
        }
        for first in &node.edges {
            let mut cube = Cube::default();
            let mut edge = first;
            // Inside an `atomic` an assertion is about the same state.
            for round in 0.. {
                match &edge.step {
                    Step::Skip => {}
                    Step::Wait(_) | Step::Else(_) => {
                        let condition = translator.enabled(&edge.step, edge.span)?;
                        if condition.kind != ExprKind::Bool(true) {
                            cube.positive.push(proposition(condition, edge.span));
                        }
                    }
                    Step::Assert(condition) => {
                        let atom = proposition(translator.truth(condition)?, edge.span);
                        let wrong = Cube { negative: vec![atom], ..cube.clone() };
                        states[at].push(Edge { cube: wrong, marks: marks.clone(), target: flow.end });
                        cube.positive.push(atom);
                    }
                    _ => {
                        let message = "a never claim only observes: it has conditions and assertions";
                        return Err(Diagnostic::error(edge.span, message, "not this").into());
                    }
                }
                let next = &flow.nodes[edge.to];
                match &next.edges[..] {
                    _ if !edge.region.goes_on(next.region) => break,
                    [only]
                        if matches!(only.step, Step::Assert(_) | Step::Skip) && round < flow.nodes.len() =>
                    {
                        edge = only;
                    }
                    _ => {
                        let message = "only assertions are supported inside `atomic` in a never claim";
                        return Err(Diagnostic::error(next.span, message, "not this").into());
                    }
                }
            }
            cube.positive.sort_unstable();
            cube.positive.dedup();
            states[at].push(Edge { cube, marks: marks.clone(), target: edge.to });
        }
    }
    if let Some(hidden) = hidden(translator, span) {
        let hidden = proposition(hidden, span);
        for (at, edges) in states.iter_mut().enumerate() {
            edges.iter_mut().for_each(|edge| edge.cube.negative.push(hidden));
            let cube = Cube { positive: vec![hidden], ..Cube::default() };
            edges.push(Edge { cube, marks: Vec::new(), target: at });
        }
    }
    let atoms = propositions.iter().map(|proposition| proposition.name.text.clone()).collect();
    let automaton = Automaton { atoms, initial: vec![flow.start], states, marks: 1 };
    let claim = ItemKind::Never {
        name: name(called, span),
        family: Members::default(),
        file: name(called, span),
        propositions,
        under: None,
        expect: None,
    };
    Ok((declaration(claim, span), automaton))
}
