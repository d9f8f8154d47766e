//! Makes a failing model small: tries to leave out every part, as long as it still fails.
//!
//! It works on the syntax tree, so that every candidate is well-formed text. A candidate that is no longer a valid
//! model does not fail.

use lang::syntax::{
    Block, Expr, ExprKind, Fair, FairKind, File, ItemKind, MemberKind, Statement, StatementKind,
};

/// Ends the test if there is a disagreement about a source, with a small source about which there is one, too.
pub(crate) fn agree<T: Default>(
    which: &str,
    source: &str,
    tally: &mut T,
    disagreement: impl Fn(&str, &mut T) -> Option<String>,
) {
    if disagreement(source, tally).is_some() {
        let small = shrink(source, &|text| disagreement(text, &mut T::default()).is_some());
        let flaw = disagreement(&small, &mut T::default()).expect("shrinking keeps the disagreement");
        panic!("{which}: {flaw}\n\n{small}\nfrom\n\n{source}");
    }
}

/// The smallest source found from `source` for which `fails` is still true.
fn shrink(source: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut best = source.to_owned();
    'again: loop {
        let (file, _) = lang::parse(&best);
        for candidate in smaller_files(&file) {
            let text = lang::print(&candidate);
            if text.len() < best.len() && fails(&text) {
                best = text;
                continue 'again;
            }
        }
        return best;
    }
}

/// All files with one part left out.
fn smaller_files(file: &File) -> Vec<File> {
    let mut files = Vec::new();
    for number in 0..file.items.len() {
        let mut smaller = file.clone();
        smaller.items.remove(number);
        files.push(smaller);
        for kind in smaller_items(&file.items[number].kind) {
            let mut smaller = file.clone();
            smaller.items[number].kind = kind;
            files.push(smaller);
        }
    }
    files
}

fn smaller_items(kind: &ItemKind) -> Vec<ItemKind> {
    let mut kinds = Vec::new();
    match kind {
        ItemKind::Process(process) => {
            for body in smaller_statements(&process.body) {
                kinds.push(ItemKind::Process(lang::syntax::Process { body, ..process.clone() }));
            }
            for number in 0..process.members.len() {
                let mut smaller = process.clone();
                smaller.members.remove(number);
                kinds.push(ItemKind::Process(smaller));
                if let MemberKind::Action { environment, label, parameters, guard, body } =
                    &process.members[number].kind
                {
                    let mut replace = |guard: Option<Expr>, body: Block| {
                        let mut smaller = process.clone();
                        smaller.members[number].kind = MemberKind::Action {
                            environment: *environment,
                            label: label.clone(),
                            parameters: parameters.clone(),
                            guard,
                            body,
                        };
                        kinds.push(ItemKind::Process(smaller));
                    };
                    replace(None, body.clone());
                    for smaller in guard.iter().flat_map(smaller_exprs) {
                        replace(Some(smaller), body.clone());
                    }
                    for statements in smaller_statements(&body.statements) {
                        replace(guard.clone(), Block { statements, ..body.clone() });
                    }
                }
            }
        }
        ItemKind::Fairness { name, fair } => {
            kinds.extend(
                smaller_fairness(fair)
                    .into_iter()
                    .map(|fair| ItemKind::Fairness { name: name.clone(), fair }),
            );
        }
        ItemKind::Property { name, family, body, under, expect } => {
            let property = |body, under| ItemKind::Property {
                name: name.clone(),
                family: family.clone(),
                body,
                under,
                expect: *expect,
            };
            kinds.extend(smaller_exprs(body).into_iter().map(|body| property(body, under.clone())));
            if under.is_some() {
                kinds.push(property(body.clone(), None));
            }
        }
        ItemKind::Invariant { name, family, body, expect } => {
            kinds.extend(smaller_exprs(body).into_iter().map(|body| ItemKind::Invariant {
                name: name.clone(),
                family: family.clone(),
                body,
                expect: *expect,
            }));
        }
        ItemKind::Shared(variables) => {
            let initial = None;
            kinds.push(ItemKind::Shared(lang::syntax::Variables { initial, ..variables.clone() }));
        }
        _ => {}
    }
    kinds
}

fn smaller_statements(statements: &[Statement]) -> Vec<Vec<Statement>> {
    let mut lists = Vec::new();
    for number in 0..statements.len() {
        let mut smaller = statements.to_vec();
        smaller.remove(number);
        lists.push(smaller);
        let mut replace = |kind: StatementKind| {
            let mut smaller = statements.to_vec();
            smaller[number].kind = kind;
            lists.push(smaller);
        };
        let within = |block: &Block| -> Vec<Block> {
            smaller_statements(&block.statements)
                .into_iter()
                .map(|statements| Block { statements, ..block.clone() })
                .collect()
        };
        match &statements[number].kind {
            StatementKind::Loop(block) => {
                within(block).into_iter().for_each(|b| replace(StatementKind::Loop(b)));
            }
            StatementKind::Atomic(block) => {
                within(block).into_iter().for_each(|b| replace(StatementKind::Atomic(b)));
            }
            StatementKind::When(condition, block) => {
                for smaller in smaller_exprs(condition) {
                    replace(StatementKind::When(smaller, block.clone()));
                }
                within(block).into_iter().for_each(|b| replace(StatementKind::When(condition.clone(), b)));
            }
            StatementKind::Skip => {}
            _ => replace(StatementKind::Skip),
        }
    }
    lists
}

fn smaller_fairness(fair: &Fair) -> Vec<Fair> {
    let with = |kind| Fair { kind, span: fair.span };
    match &fair.kind {
        FairKind::And(parts) | FairKind::Or(parts) => {
            let mut smaller = parts.clone();
            for number in 0..parts.len() {
                let mut rest = parts.clone();
                rest.remove(number);
                let rest = if rest.len() == 1 {
                    rest.remove(0)
                } else if matches!(fair.kind, FairKind::And(_)) {
                    with(FairKind::And(rest))
                } else {
                    with(FairKind::Or(rest))
                };
                smaller.push(rest);
                for part in smaller_fairness(&parts[number]) {
                    let mut parts = parts.clone();
                    parts[number] = part;
                    let and = matches!(fair.kind, FairKind::And(_));
                    smaller.push(with(if and { FairKind::And(parts) } else { FairKind::Or(parts) }));
                }
            }
            smaller
        }
        FairKind::None => Vec::new(),
        _ => vec![with(FairKind::None)],
    }
}

/// All expressions with one operator left out.
fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    let with = |kind| Expr { kind, span: expr.span };
    match &expr.kind {
        ExprKind::Unary(operator, a) => {
            let mut smaller = vec![(**a).clone()];
            smaller
                .extend(smaller_exprs(a).into_iter().map(|a| with(ExprKind::Unary(*operator, Box::new(a)))));
            smaller
        }
        ExprKind::Binary(operator, a, b) => {
            let mut smaller = vec![(**a).clone(), (**b).clone()];
            for a in smaller_exprs(a) {
                smaller.push(with(ExprKind::Binary(*operator, Box::new(a), b.clone())));
            }
            for b in smaller_exprs(b) {
                smaller.push(with(ExprKind::Binary(*operator, a.clone(), Box::new(b))));
            }
            smaller
        }
        ExprKind::Path(operator, a, b) => {
            let mut smaller = vec![(**a).clone(), (**b).clone()];
            for a in smaller_exprs(a) {
                smaller.push(with(ExprKind::Path(*operator, Box::new(a), b.clone())));
            }
            for b in smaller_exprs(b) {
                smaller.push(with(ExprKind::Path(*operator, a.clone(), Box::new(b))));
            }
            smaller
        }
        ExprKind::Bool(_) => Vec::new(),
        _ => vec![with(ExprKind::Bool(true)), with(ExprKind::Bool(false))],
    }
}
