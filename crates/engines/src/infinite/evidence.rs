//! Turns the labels that the analysis found into evidence, with expressions over the cells.

use std::collections::{BTreeMap, BTreeSet};

use arith::Linear;
use model::expr::Operator;
use model::labelling::{Argument, Cycle, Label, Labelling, Move, Path, Product};
use model::{Core, Expr, Instance};
use smt::Formula;

use super::label::{Analysis, Labelled};
use super::program::Program;
use super::{moves, product, rank};

/// The labels that one side of a formula (`must`, or `may`) depends on. `None` if a number does not fit in an
/// expression. The other sides are left out, unless both are wanted.
pub(super) fn labelling(
    analysis: &Analysis<'_>,
    formula: &Core,
    must: bool,
    both: bool,
) -> Option<Labelling> {
    let mut sides = BTreeSet::new();
    rests_on(analysis, formula, must, &mut sides);
    let write = Writer { instance: analysis.instance };
    let mut labels = Vec::new();
    for (number, labelled) in analysis.labelled.iter().enumerate() {
        let relied = |side: bool| both || sides.contains(&(number, side));
        if !relied(true) && !relied(false) {
            continue;
        }
        labels.push(relying(write.label(analysis, labelled, &[])?, relied(true), relied(false)));
    }
    let (places, invariant) = (analysis.program.places.clone(), write.set(&analysis.invariant)?);
    Some(Labelling { places, invariant, labels, product: None })
}

/// The label of `EG true` in the product of a program with the reference automaton; only one side is needed.
pub(super) fn in_product(
    program: &Program,
    invariant: &[Formula],
    product: &product::Product,
    analysis: &Analysis<'_>,
    must: bool,
) -> Option<Labelling> {
    let write = Writer { instance: analysis.instance };
    let label = write.label(analysis, analysis.labelled.last()?, &product.reading)?;
    let product = Product {
        places: product.pairs.clone(),
        invariant: write.set(&analysis.invariant)?,
        label: relying(label, must, !must),
    };
    let (places, invariant) = (program.places.clone(), write.set(invariant)?);
    Some(Labelling { places, invariant, labels: Vec::new(), product: Some(product) })
}

/// A label with only the sides that are needed.
fn relying(mut label: Label, must: bool, may: bool) -> Label {
    if !must {
        label.must.fill(Expr::Bool(false));
        label.path = Path::default();
    }
    if !may {
        label.may.fill(Expr::Bool(true));
        label.arguments.clear();
    }
    label
}

/// Adds the sides of labels that a side of a formula depends on, by the labels' positions; `true` is `must`.
fn rests_on(analysis: &Analysis<'_>, formula: &Core, must: bool, sides: &mut BTreeSet<(usize, bool)>) {
    match formula {
        Core::Atom(_) => {}
        Core::Not(a) => rests_on(analysis, a, !must, sides),
        Core::And(parts) | Core::Or(parts) => {
            parts.iter().for_each(|part| rests_on(analysis, part, must, sides));
        }
        Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
            let label = analysis.labelled.iter().position(|labelled| labelled.formula == *formula);
            let Some(label) = label else { return };
            if !sides.insert((label, must)) {
                return;
            }
            let fair = Core::Globally(Box::new(Core::Atom(Expr::Bool(true))));
            match formula {
                Core::Until(a, b) => {
                    [&**a, &**b, &fair].iter().for_each(|part| rests_on(analysis, part, must, sides));
                    if must {
                        // This side is used where every run reaches the second operand.
                        let avoiding = Core::Globally(Box::new((**b).clone().negated()));
                        rests_on(analysis, &avoiding, false, sides);
                    }
                }
                Core::Next(a) => [&**a, &fair].iter().for_each(|part| rests_on(analysis, part, must, sides)),
                Core::Globally(a) => rests_on(analysis, a, must, sides),
                Core::Infinitely(parts) => {
                    parts.iter().for_each(|part| rests_on(analysis, part, must, sides));
                }
                _ => {}
            }
        }
    }
}

struct Writer<'a> {
    instance: &'a Instance,
}

impl Writer<'_> {
    /// A label. In a product, `reading` has the automaton's edge for each edge of the program.
    fn label(&self, analysis: &Analysis<'_>, labelled: &Labelled, reading: &[usize]) -> Option<Label> {
        let moves = |moves: &[moves::Move]| -> Option<Vec<Move>> {
            moves.iter().map(|found| self.movement(analysis, found, reading)).collect()
        };
        let cycle = |(alternative, found): &(usize, super::recur::Recurrence)| {
            Some(Cycle { alternative: *alternative, ordered: found.ordered, moves: moves(&found.moves)? })
        };
        let places = analysis.program.places.len();
        let argument = |found: &rank::Argument| self.argument(found, places);
        let arguments = |found: &Vec<rank::Argument>| found.iter().map(argument).collect::<Option<Vec<_>>>();
        Some(Label {
            formula: labelled.formula.clone(),
            must: self.set(&labelled.sides.must)?,
            path: Path {
                cycles: labelled.cycles.iter().map(cycle).collect::<Option<_>>()?,
                layers: labelled.layers.iter().map(|layer| moves(layer)).collect::<Option<_>>()?,
            },
            may: self.set(&labelled.sides.may)?,
            arguments: labelled.arguments.iter().map(arguments).collect::<Option<_>>()?,
        })
    }

    fn movement(&self, analysis: &Analysis<'_>, found: &moves::Move, reading: &[usize]) -> Option<Move> {
        let edge = found.edge.map(|edge| &analysis.program.edges[edge]);
        let choice = |choice: &Linear| self.term(&choice.replaced(&|var| found.chosen.get(&var)).ok()?);
        let choices = edge.map(|edge| edge.choices.iter().map(choice).collect::<Option<Vec<_>>>());
        Some(Move {
            place: found.place,
            states: self.formula(&found.states)?,
            step: edge.map(|edge| edge.label),
            choices: choices.unwrap_or_else(|| Some(Vec::new()))?,
            target: found.target,
            reading: found.edge.and_then(|edge| reading.get(edge).copied()).unwrap_or(0),
            rank: found.rank.as_ref().map_or(Some(None), |rank| self.rank(rank).map(Some))?,
        })
    }

    fn rank(&self, rank: &moves::Rank) -> Option<Expr> {
        let rounds = Expr::Max(vec![self.term(&rank.rounds)?, Expr::Int(0)]);
        let scaled = Expr::binary(Operator::Mul, Expr::Int(i64::try_from(rank.scale).ok()?), rounds);
        Some(Expr::Sum(vec![scaled, Expr::Int(i64::try_from(rank.rest).ok()?)]))
    }

    fn argument(&self, found: &rank::Argument, places: usize) -> Option<Argument> {
        let zero = Linear::default();
        let at = |function: &BTreeMap<usize, Linear>, place: usize| {
            self.term(function.get(&place).unwrap_or(&zero))
        };
        Some(match found {
            rank::Argument::Rank(pieces) => {
                let rank = |place: usize| {
                    pieces.get(&place).into_iter().flatten().rev().try_fold(
                        Expr::Int(0),
                        |otherwise, (within, term)| {
                            let value = self.term(term)?;
                            Some(match self.formula(within)? {
                                Expr::Bool(true) => value,
                                inside => Expr::If(Box::new(inside), Box::new(value), Box::new(otherwise)),
                            })
                        },
                    )
                };
                Argument::Rank((0..places).map(rank).collect::<Option<_>>()?)
            }
            rank::Argument::Nested(places, functions) => {
                let of = |function| places.iter().map(|place| at(function, *place)).collect::<Option<_>>();
                let functions = functions.iter().map(of).collect::<Option<_>>()?;
                Argument::Nested { places: places.clone(), functions }
            }
            rank::Argument::Requirement(sets, requirement) => {
                let set = |place| self.formula(sets.get(&place).unwrap_or(&Formula::Bool(false)));
                let within = (0..places).map(set).collect::<Option<_>>()?;
                Argument::Requirement { within, requirement: *requirement }
            }
        })
    }

    fn set(&self, set: &[Formula]) -> Option<Vec<Expr>> {
        set.iter().map(|formula| self.formula(formula)).collect()
    }

    fn formula(&self, formula: &Formula) -> Option<Expr> {
        let zero = || Expr::Int(0);
        let all = |parts: &[Formula]| parts.iter().map(|part| self.formula(part)).collect::<Option<Vec<_>>>();
        Some(match formula {
            Formula::Bool(value) => Expr::Bool(*value),
            Formula::AtMost(term) => Expr::binary(Operator::Le, self.term(term)?, zero()),
            Formula::Zero(term) => Expr::eq(self.term(term)?, zero()),
            Formula::Divides(number, term, truth) => {
                let divisor = Expr::Int(i64::try_from(*number).ok()?);
                let rest = Expr::binary(Operator::Mod, self.term(term)?, divisor);
                Expr::binary(if *truth { Operator::Eq } else { Operator::Ne }, rest, zero())
            }
            Formula::And(parts) => Expr::And(all(parts)?),
            Formula::Or(parts) => Expr::Or(all(parts)?),
        })
    }

    fn term(&self, term: &Linear) -> Option<Expr> {
        let mut parts = Vec::new();
        for (var, coefficient) in term.terms() {
            let cell = self.instance.read(var.0 as usize)?;
            parts.push(match coefficient {
                1 => cell,
                other => Expr::binary(Operator::Mul, Expr::Int(i64::try_from(*other).ok()?), cell),
            });
        }
        if term.free() != 0 || parts.is_empty() {
            parts.push(Expr::Int(i64::try_from(term.free()).ok()?));
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expr::Sum(parts) })
    }
}
