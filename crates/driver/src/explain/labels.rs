//! The evidence of the engine for unbounded integers, in sentences: the invariant, why no run stays in a loop for ever
//! (ranking functions and requirements), and where one does (recurrent sets).
//!
//! A set of states is shown place by place, as `x >= 1 at P@loop`. A place is named by the control cells that tell it
//! from the others. What is true or false everywhere is said so. Engines write `-1 * x + 1 <= 0`; we show `x >= 1`.

use std::collections::{BTreeMap, BTreeSet};

use model::answer::Label as StepLabel;
use model::expr::Operator;
use model::labelling::{Argument, Core, Cycle, Label, Labelling, Product};
use model::{Expr, Instance, Task, ground, show};

/// The evidence of a property that holds.
pub(super) fn proof(task: &Task, labelling: &Labelling) -> Vec<String> {
    let Some(instance) = task.instance() else { return Vec::new() };
    let shown = Shown::new(task, instance, labelling);
    let mut lines = shown.invariant(&labelling.invariant);
    for label in &labelling.labels {
        lines.extend(shown.ends(label, &shown.core(&label.formula), &[]));
    }
    if let Some(Product { label, places, .. }) = &labelling.product {
        let of: Vec<usize> = places.iter().map(|(place, _)| *place).collect();
        lines.extend(shown.ends(label, "the negation of the property", &of));
    }
    lines
}

/// The evidence that a run goes on for ever against a property.
pub(super) fn refutation(task: &Task, labelling: &Labelling) -> Vec<String> {
    let Some(instance) = task.instance() else { return Vec::new() };
    let shown = Shown::new(task, instance, labelling);
    let mut lines = Vec::new();
    for label in &labelling.labels {
        for cycle in &label.path.cycles {
            lines.push(shown.stays(cycle, &shown.core(&label.formula), &[]));
        }
    }
    if let Some(Product { label, places, .. }) = &labelling.product {
        let of: Vec<usize> = places.iter().map(|(place, _)| *place).collect();
        let cycles = label.path.cycles.iter();
        lines.extend(cycles.map(|cycle| shown.stays(cycle, "the negation of the property", &of)));
    }
    lines
}

/// More groups of places than this are not shown in order.
const ORDERED: usize = 5;

struct Shown<'a> {
    task: &'a Task,
    instance: &'a Instance,
    /// The names of the places: where processes are, and what else tells them apart.
    places: Vec<(String, String)>,
}

impl<'a> Shown<'a> {
    fn new(task: &'a Task, instance: &'a Instance, labelling: &Labelling) -> Shown<'a> {
        // The locations of processes come first; other cells only where they tell places with the same locations apart.
        let is_location =
            |(cell, value): &&(usize, i64)| show::cell(instance, *cell, *value).located().is_some();
        let at = |place: &[(usize, i64)]| place.iter().filter(is_location).copied().collect::<Vec<_>>();
        let differ = |cell: usize, among: &mut dyn Iterator<Item = &Vec<(usize, i64)>>| {
            let values = among.flatten().filter(|(of, _)| *of == cell);
            values.map(|(_, value)| *value).collect::<BTreeSet<i64>>().len() > 1
        };
        let name = |place: &Vec<(usize, i64)>| {
            let same = || labelling.places.iter().filter(|other| at(other) == at(place));
            let locations =
                at(place).into_iter().filter(|(cell, _)| differ(*cell, &mut labelling.places.iter()));
            let others = place.iter().filter(|one| !is_location(one)).copied();
            let others = others.filter(|(cell, _)| differ(*cell, &mut same()));
            let shown = |cells: &mut dyn Iterator<Item = (usize, i64)>| {
                let cells = cells.map(|(cell, value)| show::cell(instance, cell, value).to_string());
                cells.collect::<Vec<_>>().join(", ")
            };
            (shown(&mut locations.into_iter()), shown(&mut others.into_iter()))
        };
        Shown { task, instance, places: labelling.places.iter().map(name).collect() }
    }

    fn expression(&self, expr: &Expr) -> String {
        show::expression(&self.instance.system, &tidied(expr))
    }

    /// A place; `of` has the places of the system for those of a product.
    fn place(place: usize, of: &[usize]) -> usize {
        of.get(place).copied().unwrap_or(place)
    }

    /// Names of places: `P@a or P@b (x = 1 or x = 2)`. Empty if there is only one place.
    fn names(&self, places: &BTreeSet<usize>) -> String {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for (location, rest) in places.iter().filter_map(|place| self.places.get(*place)) {
            match groups.iter_mut().find(|(known, _)| *known == location.as_str()) {
                Some((_, rests)) => rests.push(rest),
                None => groups.push((location, vec![rest])),
            }
        }
        groups.sort();
        let shown =
            |(location, rests): &(&str, Vec<&str>)| match (location.is_empty(), rests.concat().is_empty()) {
                (_, true) => (*location).to_owned(),
                (true, false) => rests.join(" or "),
                (false, false) => format!("{location} ({})", rests.join(" or ")),
            };
        groups.iter().map(shown).collect::<Vec<_>>().join(" or ")
    }

    /// Something that differs from place to place: `x at P@a, y at P@b`.
    fn by_place<'e>(&self, parts: impl Iterator<Item = (usize, &'e Expr)>, of: &[usize]) -> String {
        let mut groups: Vec<(String, BTreeSet<usize>)> = Vec::new();
        for (place, expr) in parts {
            let (text, place) = (self.expression(expr), Shown::place(place, of));
            match groups.iter_mut().find(|(known, _)| *known == text) {
                Some((_, places)) => drop(places.insert(place)),
                None => groups.push((text, BTreeSet::from([place]))),
            }
        }
        let shown = |(text, places): &(String, BTreeSet<usize>)| {
            let names = self.names(places);
            let everywhere = names.is_empty() || groups.len() == 1 && places.len() == self.places.len();
            match (everywhere, text.as_str()) {
                (true, _) => format!("`{text}`"),
                (false, "true") => names,
                (false, _) => format!("`{text}` at {names}"),
            }
        };
        groups.iter().map(shown).collect::<Vec<_>>().join("; ")
    }

    fn invariant(&self, invariant: &[Expr]) -> Vec<String> {
        let parts = invariant.iter().enumerate().filter(|(_, expr)| **expr != Expr::Bool(true));
        let text = self.by_place(parts.filter(|(_, expr)| **expr != Expr::Bool(false)), &[]);
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
            let may = self.by_place(may, of);
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

    fn argument(&self, argument: &Argument, alternative: usize, of: &[usize]) -> String {
        match argument {
            Argument::Rank(ranks) if ranks.iter().all(|rank| matches!(rank, Expr::Int(_))) => {
                self.forward(ranks, of)
            }
            Argument::Rank(ranks) => {
                let varying = ranks.iter().enumerate().filter(|(_, rank)| **rank != Expr::Int(0));
                let text = self.by_place(varying, of);
                let rest = if ranks.contains(&Expr::Int(0)) { " (0 elsewhere)" } else { "" };
                format!(
                    "- {text}{rest} never rises, so it falls only finitely often while it is not negative;"
                )
            }
            Argument::Nested { places, functions } => {
                let functions: Vec<String> = functions
                    .iter()
                    .map(|function| self.by_place(places.iter().copied().zip(function), of))
                    .collect();
                format!(
                    "- a loop that goes on must end: each function falls as soon as the one before it is negative: {};",
                    functions.join(", then ")
                )
            }
            Argument::Requirement { within, requirement } => {
                let inside = within.iter().enumerate().filter(|(_, expr)| **expr != Expr::Bool(false));
                let inside = self.by_place(inside, of);
                let assumption = self.task.fairness.alternatives.get(alternative);
                let all = assumption.map_or_else(Vec::new, |one| ground::requirements(self.instance, one));
                let name = all.get(*requirement).map_or_else(
                    || "a mark of the formula's automaton".to_owned(),
                    |(_, _, one)| format!("`{}`", show::requirement(&self.instance.system, one)),
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
            _ => self.names(places),
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

    /// A set in which a run stays.
    fn stays(&self, Cycle { moves, .. }: &Cycle, formula: &str, of: &[usize]) -> String {
        let sets = self.by_place(moves.iter().map(|one| (one.place, &one.states)), of);
        let step = |label: &Option<StepLabel>| label.map(|label| show::label(self.instance, label));
        let mut steps: Vec<String> = Vec::new();
        for name in moves.iter().filter_map(|one| step(&one.step)) {
            if !steps.contains(&name) {
                steps.push(name);
            }
        }
        let does = if formula == "`EG true`" { "go on".to_owned() } else { format!("satisfy {formula}") };
        format!(
            "A run can {does} for ever inside {sets}: from each of these states {} leads back into them.",
            steps.join(", then ")
        )
    }

    /// A formula of the core.
    fn core(&self, formula: &Core) -> String {
        format!("`{}`", self.core_text(formula))
    }

    fn core_text(&self, formula: &Core) -> String {
        let inner = |formula: &Core| {
            let text = self.core_text(formula);
            if text.contains(' ') { format!("({text})") } else { text }
        };
        let join = |parts: &[Core], sign: &str| parts.iter().map(inner).collect::<Vec<_>>().join(sign);
        match formula {
            Core::Atom(atom) => self.expression(atom),
            Core::Not(a) => format!("!{}", inner(a)),
            Core::And(parts) => join(parts, " && "),
            Core::Or(parts) => join(parts, " || "),
            Core::Next(a) => format!("EX {}", inner(a)),
            Core::Until(a, b) if **a == Core::Atom(Expr::Bool(true)) => format!("EF {}", inner(b)),
            Core::Until(a, b) => format!("E[{} U {}]", self.core_text(a), self.core_text(b)),
            Core::Globally(a) => format!("EG {}", inner(a)),
            Core::Infinitely(parts) => {
                let parts: Vec<String> = parts.iter().map(|a| format!("GF {}", inner(a))).collect();
                format!("E[{}]", parts.join(" && "))
            }
        }
    }
}

/// Coefficients with what they are of.
type Terms = Vec<(i64, Expr)>;

/// A linear term: its parts, and a constant.
type Linear = (Terms, i64);

/// An expression as a linear term. `None` if it is not linear, or a number is large.
fn linear(expr: &Expr) -> Option<Linear> {
    match expr {
        Expr::Int(value) => Some((Vec::new(), *value)),
        Expr::Read(_) => Some((vec![(1, expr.clone())], 0)),
        Expr::Neg(a) => scaled(-1, linear(a)?),
        Expr::Binary(Operator::Mul, a, b) => match (&**a, &**b) {
            (Expr::Int(factor), other) | (other, Expr::Int(factor)) => scaled(*factor, linear(other)?),
            _ => None,
        },
        Expr::Binary(Operator::Sub, a, b) => added(linear(a)?, scaled(-1, linear(b)?)?),
        Expr::Sum(parts) => parts.iter().try_fold((Vec::new(), 0), |sum, part| added(sum, linear(part)?)),
        _ => None,
    }
}

fn scaled(factor: i64, (terms, constant): Linear) -> Option<Linear> {
    let scale = |(own, of): (i64, Expr)| Some((own.checked_mul(factor)?, of));
    Some((terms.into_iter().map(scale).collect::<Option<_>>()?, constant.checked_mul(factor)?))
}

fn added((mut terms, constant): Linear, (others, more): Linear) -> Option<Linear> {
    for (factor, of) in others {
        match terms.iter_mut().find(|(_, known)| *known == of) {
            Some((own, _)) => *own = own.checked_add(factor)?,
            None => terms.push((factor, of)),
        }
    }
    Some((terms, constant.checked_add(more)?))
}

/// A sum of terms with positive coefficients and a constant.
fn sum(terms: &[(i64, Expr)], constant: i64) -> Expr {
    let term = |(factor, of): &(i64, Expr)| match factor {
        1 => of.clone(),
        _ => Expr::binary(Operator::Mul, Expr::Int(*factor), of.clone()),
    };
    let mut parts: Vec<Expr> = terms.iter().map(term).collect();
    if constant > 0 && !parts.is_empty() {
        parts.push(Expr::Int(constant));
    }
    let whole = match parts.len() {
        0 => return Expr::Int(constant),
        1 => parts.remove(0),
        _ => Expr::Sum(parts),
    };
    if constant < 0 { Expr::binary(Operator::Sub, whole, Expr::Int(-constant)) } else { whole }
}

/// An expression in which no coefficient of a comparison is negative: `x >= 1`, not `-1 * x + 1 <= 0`.
fn tidied(expr: &Expr) -> Expr {
    let sides = |a: &Expr, b: &Expr| -> Option<(Terms, Terms, i64)> {
        let (terms, constant) = added(linear(a)?, scaled(-1, linear(b)?)?)?;
        let terms = terms.into_iter().filter(|(factor, _)| *factor != 0);
        let (left, right): (Vec<_>, Vec<_>) = terms.partition(|(factor, _)| *factor > 0);
        let right = right.into_iter().map(|(factor, of)| Some((factor.checked_neg()?, of)));
        Some((left, right.collect::<Option<_>>()?, constant.checked_neg()?))
    };
    match expr {
        Expr::Binary(operator, a, b) => {
            use Operator::{Eq, Ge, Gt, Le, Lt, Ne};
            let mirrored = match operator {
                Le => Ge,
                Lt => Gt,
                Ge => Le,
                Gt => Lt,
                Eq | Ne => *operator,
                _ => return linear(expr).map_or_else(|| expr.clone(), |(terms, k)| plain(expr, terms, k)),
            };
            match sides(a, b) {
                // `left - right op constant`
                Some((left, right, constant)) if left.is_empty() && !right.is_empty() => {
                    constant.checked_neg().map_or_else(
                        || expr.clone(),
                        |constant| Expr::binary(mirrored, sum(&right, 0), Expr::Int(constant)),
                    )
                }
                Some((left, right, constant)) => {
                    Expr::binary(*operator, sum(&left, 0), sum(&right, constant))
                }
                None => expr.clone(),
            }
        }
        Expr::Sum(_) | Expr::Neg(_) => {
            linear(expr).map_or_else(|| expr.clone(), |(terms, k)| plain(expr, terms, k))
        }
        Expr::And(_) => match expr.map(&mut tidied) {
            Expr::And(parts) => joined(&parts),
            other => other,
        },
        Expr::Or(_) | Expr::Not(_) => expr.map(&mut tidied),
        other => other.clone(),
    }
}

/// The conjunction, with `x == 1` for `x <= 1 && x >= 1`, and nothing that another part implies.
fn joined(parts: &[Expr]) -> Expr {
    use Operator::{Eq, Ge, Le};
    let implied = |part: &Expr, number: usize| {
        let Expr::Binary(operator @ (Le | Ge), a, b) = part else { return false };
        let Expr::Int(bound) = **b else { return false };
        parts.iter().enumerate().any(|(other, stronger)| match stronger {
            Expr::Binary(same, of, tighter) if same == operator && of == a => match **tighter {
                Expr::Int(tighter) if *operator == Le => (tighter, other) < (bound, number),
                Expr::Int(tighter) => (tighter > bound) || tighter == bound && other < number,
                _ => false,
            },
            _ => false,
        })
    };
    let needed = parts.iter().enumerate().filter(|(number, part)| !implied(part, *number));
    let mut all: Vec<Expr> = Vec::new();
    for part in needed.map(|(_, part)| part.clone()) {
        let (equal, other) = match &part {
            Expr::Binary(Le, a, b) => {
                (Expr::Binary(Eq, a.clone(), b.clone()), Expr::Binary(Ge, a.clone(), b.clone()))
            }
            Expr::Binary(Ge, a, b) => {
                (Expr::Binary(Eq, a.clone(), b.clone()), Expr::Binary(Le, a.clone(), b.clone()))
            }
            _ => (part.clone(), part.clone()),
        };
        match all.iter().position(|known| *known == other) {
            Some(place) => all[place] = equal,
            None if !all.contains(&part) => all.push(part),
            None => {}
        }
    }
    if all.len() == 1 { all.remove(0) } else { Expr::And(all) }
}

/// A term with positive coefficients first; as it was if there are none.
fn plain(expr: &Expr, terms: Terms, constant: i64) -> Expr {
    let terms = terms.into_iter().filter(|(factor, _)| *factor != 0);
    let (positive, negative): (Vec<_>, Vec<_>) = terms.partition(|(factor, _)| *factor > 0);
    let negated = negative.into_iter().map(|(factor, of)| Some((factor.checked_neg()?, of)));
    let Some(negated) = negated.collect::<Option<Vec<_>>>() else { return expr.clone() };
    if positive.is_empty() && !negated.is_empty() {
        return expr.clone();
    }
    negated.iter().fold(sum(&positive, constant), |whole, term| {
        Expr::binary(Operator::Sub, whole, sum(std::slice::from_ref(term), 0))
    })
}

#[cfg(test)]
mod tests {
    use model::splitmix::SplitMix;
    use model::{Place, VariableId, show};

    use super::*;

    /// A random linear term over two variables.
    fn term(random: &mut SplitMix) -> Expr {
        let read = |variable| {
            Expr::Read(Place { variable: VariableId(variable), process: None, position: Vec::new() })
        };
        let part = |random: &mut SplitMix| match random.below(4) {
            0 => Expr::Int(random.below(9) as i64 - 4),
            1 => Expr::Neg(Box::new(read(random.below(2) as u32))),
            2 => Expr::binary(
                Operator::Mul,
                Expr::Int(random.below(7) as i64 - 3),
                read(random.below(2) as u32),
            ),
            _ => read(random.below(2) as u32),
        };
        Expr::Sum((0..=random.below(4)).map(|_| part(random)).collect())
    }

    #[test]
    fn a_tidied_expression_means_the_same() {
        let text = "shared x, y: -9..9; process P { s: skip; }";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let instance = model.subject.instance().expect("an instance");
        let mut random = SplitMix(5);
        let operators = [Operator::Le, Operator::Lt, Operator::Ge, Operator::Gt, Operator::Eq, Operator::Ne];
        for _ in 0..500 {
            let (a, b) = (term(&mut random), term(&mut random));
            let operator = operators[random.below(6) as usize];
            let expr = Expr::binary(operator, a.clone(), b.clone());
            for (x, y) in (-4..=4).flat_map(|x| (-4..=4).map(move |y| (x, y))) {
                let mut state =
                    model::initial::initial_states(instance).next().expect("a state").expect("no fault");
                (state.0[0], state.0[1]) = (x, y);
                let mirrored = |operator| match operator {
                    Operator::Le => Operator::Ge,
                    other => other,
                };
                let both =
                    Expr::And(vec![expr.clone(), Expr::binary(mirrored(operator), a.clone(), b.clone())]);
                for expr in [&expr, &a, &both] {
                    let value = |expr: &Expr| {
                        let mut environment = model::instance::Environment::default();
                        model::semantics::evaluate(instance, expr, &state, &mut environment)
                            .expect("no fault")
                    };
                    let tidy = tidied(expr);
                    assert_eq!(value(expr), value(&tidy), "{}", show::expression(&instance.system, &tidy));
                }
            }
        }
        let x = || Expr::Read(Place { variable: VariableId(0), process: None, position: Vec::new() });
        let shown = |expr: Expr| show::expression(&instance.system, &tidied(&expr));
        let minus = Expr::binary(Operator::Mul, Expr::Int(-1), x());
        let at_least = Expr::binary(Operator::Le, Expr::Sum(vec![minus, Expr::Int(1)]), Expr::Int(0));
        let at_most = Expr::binary(Operator::Le, x(), Expr::Int(1));
        assert_eq!(shown(Expr::And(vec![at_most, at_least.clone()])), "x == 1");
        assert_eq!(shown(at_least), "x >= 1");
        assert_eq!(shown(Expr::Sum(vec![x(), Expr::Int(-1)])), "x - 1");
    }
}
