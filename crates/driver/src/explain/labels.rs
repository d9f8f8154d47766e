//! The evidence of the engine for unbounded integers, in sentences: the invariant, why no run stays in a loop for ever
//! (ranking functions and requirements).

use std::collections::{BTreeMap, BTreeSet};

use model::labelling::{Argument, Core, Label, Labelling, Product};
use model::property::Kind;
use model::{Expr, Task, ground};

use crate::report::plain;
use crate::sets::Sets;

/// The evidence of a property that holds.
pub(super) fn proof(task: &Task, labelling: &Labelling) -> Vec<String> {
    let Some(instance) = task.instance() else { return Vec::new() };
    let shown = Shown { task, sets: Sets::new(instance, labelling) };
    let mut lines = shown.invariant(&labelling.invariant);
    let root = match ground::kind(instance, &task.property.kind) {
        Kind::Ctl(formula) => Some(Core::of(&formula)),
        _ => None,
    };
    for label in &labelling.labels {
        let is_negation = root.as_ref().is_some_and(|root| *root == label.formula.clone().negated());
        let formula = if is_negation { NEGATION.to_owned() } else { shown.sets.core(&label.formula) };
        lines.extend(shown.ends(label, &formula, &[]));
        lines.extend(shown.exists(label, &formula));
    }
    if let Some(Product { label, places, .. }) = &labelling.product {
        let of: Vec<usize> = places.iter().map(|(place, _)| *place).collect();
        lines.extend(shown.ends(label, NEGATION, &of));
    }
    lines
}

/// What a counterexample would satisfy.
const NEGATION: &str = "the negation of the property";

/// More groups of places than this are not shown in order.
const ORDERED: usize = 5;

/// Words about a labelling.
struct Shown<'a> {
    task: &'a Task,
    sets: Sets<'a>,
}

impl Shown<'_> {
    fn invariant(&self, invariant: &[Expr]) -> Vec<String> {
        let parts = invariant.iter().enumerate().filter(|(_, expr)| **expr != Expr::Bool(true));
        let text = self.sets.by_place(parts.filter(|(_, expr)| **expr != Expr::Bool(false)), &[]);
        if text.is_empty() { Vec::new() } else { vec![format!("In every reachable state: {text}.")] }
    }

    /// Why a formula is true only where its label says.
    fn ends(&self, label: &Label, formula: &str, of: &[usize]) -> Vec<String> {
        let mut lines = Vec::new();
        let several = label.arguments.len() > 1;
        for (alternative, arguments) in label.arguments.iter().enumerate() {
            if arguments.is_empty() {
                continue;
            }
            let may = label.may.iter().enumerate().filter(|(_, expr)| **expr != Expr::Bool(false));
            let may = self.sets.by_place(may, of);
            let whose = if several { format!(" by alternative {}", alternative + 1) } else { String::new() };
            lines.push(if may.is_empty() {
                format!("No run that is fair{whose} satisfies {formula}:")
            } else {
                format!("A run that is fair{whose} satisfies {formula} at most from {may}:")
            });
            lines.extend(arguments.iter().map(|argument| self.argument(argument, alternative, of)));
            if let Some(last) = lines.last_mut().filter(|last| last.ends_with(';')) {
                last.pop();
                last.push('.');
            }
        }
        lines
    }

    /// Where a run exists that satisfies a formula, and where it stays for ever if it does.
    fn exists(&self, label: &Label, formula: &str) -> Vec<String> {
        let must = label.must.iter().enumerate().filter(|(_, expr)| **expr != Expr::Bool(false));
        let must = self.sets.by_place(must, &[]);
        if must.is_empty() {
            return Vec::new();
        }
        let from = if must == "`true`" { "every state".to_owned() } else { must };
        let moves = label.path.cycles.iter().flat_map(|cycle| &cycle.moves);
        let stays = self.sets.by_place(moves.map(|one| (one.place, &one.states)), &[]);
        vec![match stays.as_str() {
            "" => format!("From {from} some run satisfies {formula}."),
            "`true`" => format!("From {from} some run satisfies {formula}: every state has a step."),
            _ => format!("From {from} some run satisfies {formula}: it can come to {stays}, and stay there."),
        }]
    }

    fn argument(&self, argument: &Argument, alternative: usize, of: &[usize]) -> String {
        match argument {
            Argument::Rank(ranks) if ranks.iter().all(|rank| matches!(rank, Expr::Int(_))) => {
                self.forward(ranks, of)
            }
            Argument::Rank(ranks) => {
                let varying = ranks.iter().enumerate().filter(|(_, rank)| **rank != Expr::Int(0));
                let text = self.sets.by_place(varying, of);
                let rest = if ranks.contains(&Expr::Int(0)) { " (0 elsewhere)" } else { "" };
                format!(
                    "- {text}{rest} never rises, so it falls only finitely often while it is not negative;"
                )
            }
            Argument::Nested { places, functions } => {
                let functions: Vec<String> = functions
                    .iter()
                    .map(|function| self.sets.by_place(places.iter().copied().zip(function), of))
                    .collect();
                format!(
                    "- a loop that goes on must end: each function falls as soon as the one before it is negative: {};",
                    functions.join(", then ")
                )
            }
            Argument::Requirement { within, requirement } => {
                let inside = within.iter().enumerate().filter(|(_, expr)| **expr != Expr::Bool(false));
                let inside = self.sets.by_place(inside, of);
                let assumption = self.task.fairness.alternatives.get(alternative);
                let all =
                    assumption.map_or_else(Vec::new, |one| ground::requirements(self.sets.instance, one));
                let name = all.get(*requirement).map_or_else(
                    || "a mark of the formula's automaton".to_owned(),
                    |(_, _, one)| format!("`{}`", plain::requirement(&self.sets.instance.system, one)),
                );
                format!("- {name} is not met inside {inside}, so a fair run leaves it;")
            }
        }
    }

    /// Why a run stays in places of one rank, where that is a number everywhere. Of many, only those are named of which
    /// there are several.
    fn forward(&self, ranks: &[Expr], of: &[usize]) -> String {
        if !of.is_empty() {
            return "- control and the automaton of the formula only go forward, and stay in one part;"
                .to_owned();
        }
        let mut groups: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
        for (place, rank) in ranks.iter().enumerate() {
            if let Expr::Int(rank) = rank {
                groups.entry(*rank).or_default().insert(place);
            }
        }
        let names = |(rank, places): (&i64, &BTreeSet<usize>)| match rank {
            0 => "the rest".to_owned(),
            _ => self.sets.names(places),
        };
        if groups.len() <= ORDERED {
            let order: Vec<String> = groups.iter().rev().map(names).collect();
            return format!(
                "- control only goes forward, through {}, and stays in one of these;",
                order.join("; then ")
            );
        }
        let several = groups.iter().rev().filter(|(_, places)| places.len() > 1);
        let several: Vec<String> = several.map(names).collect();
        format!(
            "- control only goes forward, and stays in {}, or at a single place;",
            several.join("; or in ")
        )
    }
}
