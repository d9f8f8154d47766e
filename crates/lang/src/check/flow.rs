//! Where control can go: the edges between the points of a process, and the code it never reaches.
//!
//! Conditions are ignored: an edge only says that the code has a way. Code that is unreachable by these edges is dead
//! whatever the values are, so we warn about it.

use std::collections::BTreeSet;

use model::FamilyId;

use super::code::{END, Placed, PointId, entry};
use super::{Checker, Family};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Block, MemberKind, Statement, StatementKind};

/// The edges of the code of a process, including edges from its start for the jumps of its guarded commands.
pub(super) fn edges(family: &Family<'_>, body: &[Placed<'_>]) -> Vec<(PointId, PointId)> {
    let mut edges = Vec::new();
    block_edges(family, body, END, &mut edges);
    for member in &family.source.members {
        if let MemberKind::Action { body: block, .. } = &member.kind {
            let mut targets = Vec::new();
            jump_targets(family, &block.statements, &mut targets);
            edges.extend(targets.into_iter().map(|target| (entry(body, END), target)));
        }
    }
    edges
}

/// Whether a statement that is one step contains a jump.
pub(super) fn jumps(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Goto(_) | StatementKind::Halt)
        || blocks(statement).iter().any(|block| block.statements.iter().any(jumps))
}

impl Checker<'_> {
    /// Warns about statements that control never reaches, once per unreachable stretch.
    pub(super) fn warn_of_unreachable(&mut self, id: FamilyId) {
        let code = &self.family(id).code;
        let mut reached = BTreeSet::from([entry(&code.body, END)]);
        let mut targets: std::collections::BTreeMap<PointId, Vec<PointId>> =
            std::collections::BTreeMap::new();
        for (from, to) in &code.edges {
            targets.entry(*from).or_default().push(*to);
        }
        let mut pending: Vec<PointId> = reached.iter().copied().collect();
        while let Some(point) = pending.pop() {
            for target in targets.get(&point).into_iter().flatten() {
                if reached.insert(*target) {
                    pending.push(*target);
                }
            }
        }
        let mut found = Vec::new();
        unreached(&code.body, &reached, &mut found);
        for statement in found {
            let warning = Diagnostic::warning(
                statement.span,
                "this statement is never reached",
                "control never comes here",
            );
            self.report(warning);
        }
    }
}

fn block_edges(
    family: &Family<'_>,
    block: &[Placed<'_>],
    next: PointId,
    edges: &mut Vec<(PointId, PointId)>,
) {
    for (number, placed) in block.iter().enumerate() {
        let next = block.get(number + 1).map_or(next, |placed| placed.point);
        let point = placed.point;
        match &placed.statement.kind {
            StatementKind::Loop(_) => {
                let body = &placed.blocks[0];
                edges.push((point, entry(body, point)));
                block_edges(family, body, point, edges);
            }
            StatementKind::While(..) => {
                let body = &placed.blocks[0];
                edges.extend([(point, entry(body, point)), (point, next)]);
                block_edges(family, body, point, edges);
            }
            StatementKind::If { no, .. } => {
                for branch in &placed.blocks {
                    edges.push((point, entry(branch, next)));
                    block_edges(family, branch, next, edges);
                }
                edges.extend(no.is_none().then_some((point, next)));
            }
            StatementKind::Either(_) => {
                for branch in &placed.blocks {
                    edges.push((point, entry(branch, next)));
                    block_edges(family, branch, next, edges);
                }
            }
            _ => {
                let statement = std::slice::from_ref(placed.statement);
                let mut targets = Vec::new();
                jump_targets(family, statement, &mut targets);
                edges.extend(targets.into_iter().map(|target| (point, target)));
                edges.extend((!always_jumps(statement)).then_some((point, next)));
            }
        }
    }
}

/// The targets of the jumps in a block that is one step.
fn jump_targets(family: &Family<'_>, statements: &[Statement], targets: &mut Vec<PointId>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Halt => match &statement.label {
                Some(label) => {
                    targets.extend(family.labels.get(&label.name.text).and_then(|label| label.point));
                }
                None => targets.push(END),
            },
            StatementKind::Goto(label) => match family.labels.get(&label.text) {
                Some(label) => targets.extend(label.point),
                None if label.text == "end" => targets.push(END),
                None => {}
            },
            _ => blocks(statement).iter().for_each(|block| jump_targets(family, &block.statements, targets)),
        }
    }
}

/// Whether a block that is one step always ends in a jump.
fn always_jumps(statements: &[Statement]) -> bool {
    statements.last().is_some_and(|last| match &last.kind {
        StatementKind::Goto(_) | StatementKind::Halt => true,
        StatementKind::If { no: None, .. } => false,
        _ => {
            let blocks = blocks(last);
            !blocks.is_empty() && blocks.iter().all(|block| always_jumps(&block.statements))
        }
    })
}

/// The blocks directly inside a statement that is one step.
pub(crate) fn blocks(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::When(_, body)
        | StatementKind::Atomic(body)
        | StatementKind::For(_, body)
        | StatementKind::Choose { body, .. } => vec![body],
        StatementKind::If { yes, no, .. } => std::iter::once(yes).chain(no).collect(),
        StatementKind::Either(branches) => branches.iter().collect(),
        _ => Vec::new(),
    }
}

/// The first statement of every stretch that is not reached.
fn unreached<'s>(block: &[Placed<'s>], reached: &BTreeSet<PointId>, found: &mut Vec<&'s Statement>) {
    let mut before = true;
    for placed in block {
        let here = reached.contains(&placed.point);
        if before && !here {
            found.push(placed.statement);
        }
        if here {
            for inner in &placed.blocks {
                unreached(inner, reached, found);
            }
        }
        before = here;
    }
}
