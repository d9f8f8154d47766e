//! Writes formulas for solvers, with parts that occur several times only once.
//!
//! Sets that are found going backwards repeat large parts, and a text without sharing can be a thousand times as long. A
//! conjunction or disjunction that occurs more than once gets a name, `(let ((s0 …)) …)`, inner ones before outer ones.

use std::collections::HashMap;
use std::fmt::Write;

use arith::Linear;

use crate::formula::Formula;
use crate::solver::Sort;

/// The numbers of names, by the numbers of the parts that have one.
type Names = HashMap<usize, usize>;

/// Writes a formula.
pub(crate) fn write_formula(text: &mut String, sort: Sort, formula: &Formula) {
    let mut parts = Parts::default();
    let whole = parts.number(formula);
    parts.times[whole] += 1;
    let mut names = Names::new();
    for (number, part) in parts.order.iter().filter(|(number, _)| parts.times[*number] > 1) {
        write!(text, "(let ((s{} ", names.len()).expect("writing to a string");
        write_part(text, sort, part, &parts, &names);
        text.push_str(")) ");
        names.insert(*number, names.len());
    }
    match names.get(&whole) {
        Some(name) => write!(text, "s{name}").expect("writing to a string"),
        None => write_part(text, sort, formula, &parts, &names),
    }
    (0..names.len()).for_each(|_| text.push(')'));
}

/// The parts of a formula; equal ones have one number. A number is found from those of the parts inside, so that no part is read
/// more than once.
#[derive(Default)]
struct Parts<'f> {
    numbers: HashMap<Shape<'f>, usize>,
    /// The number of each conjunction and disjunction, by its address.
    found: HashMap<*const Formula, usize>,
    /// How often each part occurs in different wholes.
    times: Vec<usize>,
    /// The conjunctions and disjunctions, inner ones first.
    order: Vec<(usize, &'f Formula)>,
}

/// What a part is, given the numbers of the parts inside.
#[derive(PartialEq, Eq, Hash)]
enum Shape<'f> {
    Atom(&'f Formula),
    And(Vec<usize>),
    Or(Vec<usize>),
}

impl<'f> Parts<'f> {
    fn number(&mut self, formula: &'f Formula) -> usize {
        let (Formula::And(inner) | Formula::Or(inner)) = formula else {
            return self.of(Shape::Atom(formula)).0;
        };
        let inside: Vec<usize> = inner.iter().map(|part| self.number(part)).collect();
        let shape = if matches!(formula, Formula::And(_)) {
            Shape::And(inside.clone())
        } else {
            Shape::Or(inside.clone())
        };
        let (number, is_new) = self.of(shape);
        if is_new {
            inside.into_iter().for_each(|part| self.times[part] += 1);
            self.order.push((number, formula));
        }
        self.found.insert(std::ptr::from_ref(formula), number);
        number
    }

    /// The number of a shape, and whether it is new.
    fn of(&mut self, shape: Shape<'f>) -> (usize, bool) {
        let next = self.times.len();
        let number = *self.numbers.entry(shape).or_insert(next);
        if number == next {
            self.times.push(0);
        }
        (number, number == next)
    }
}

fn write_part(text: &mut String, sort: Sort, formula: &Formula, all: &Parts<'_>, names: &Names) {
    match formula {
        Formula::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Formula::AtMost(term) => {
            text.push_str("(<= ");
            write_linear(text, sort, term);
            text.push_str(" 0)");
        }
        Formula::Zero(term) => {
            text.push_str("(= ");
            write_linear(text, sort, term);
            text.push_str(" 0)");
        }
        Formula::Divides(number, term, truth) => {
            text.push_str(if *truth { "(= (mod " } else { "(distinct (mod " });
            let (term, rest) = remainder(*number, term);
            write_linear(text, sort, &term);
            write!(text, " {number}) {rest})").expect("writing to a string");
        }
        Formula::And(parts) | Formula::Or(parts) => {
            text.push_str(if matches!(formula, Formula::And(_)) { "(and" } else { "(or" });
            for part in parts {
                text.push(' ');
                let number = all.found.get(&std::ptr::from_ref(part));
                match number.and_then(|number| names.get(number)) {
                    Some(name) => write!(text, "s{name}").expect("writing to a string"),
                    None => write_part(text, sort, part, all, names),
                }
            }
            text.push(')');
        }
    }
}

/// A term and a number such that `number` divides the term that is given iff this one has that remainder. Terms that differ
/// by a constant or by multiples of the number become the same, so that solvers see one remainder and not several.
fn remainder(number: i128, term: &Linear) -> (Linear, i128) {
    let reduced = |sign: i128| {
        let terms = term
            .terms()
            .iter()
            .map(|(var, coefficient)| (*var, (sign * (coefficient % number)).rem_euclid(number)));
        Linear::of(0, terms).map(|reduced| (reduced, (-sign * (term.free() % number)).rem_euclid(number)))
    };
    let opposite = term.terms().first().is_some_and(|(_, first)| first.rem_euclid(number) > number / 2);
    reduced(if opposite { -1 } else { 1 }).expect("numbers below a number fit")
}

fn write_number(text: &mut String, value: i128) {
    if value < 0 {
        write!(text, "(- {})", value.unsigned_abs()).expect("writing to a string");
    } else {
        write!(text, "{value}").expect("writing to a string");
    }
}

pub(crate) fn write_linear(text: &mut String, sort: Sort, term: &Linear) {
    let parts = term.terms().len() + usize::from(term.free() != 0);
    if parts > 1 {
        text.push_str("(+ ");
    }
    for (var, coefficient) in term.terms() {
        if *coefficient == 1 {
            write!(text, "{}{} ", sort.letter(), var.0).expect("writing to a string");
        } else {
            text.push_str("(* ");
            write_number(text, *coefficient);
            write!(text, " {}{}) ", sort.letter(), var.0).expect("writing to a string");
        }
    }
    if term.free() != 0 || parts == 0 {
        write_number(text, term.free());
    }
    if parts > 1 {
        text.push(')');
    }
}

#[cfg(test)]
mod tests {
    use arith::Var;

    use super::*;

    #[test]
    fn a_remainder_is_zero_where_the_number_divides_the_term() {
        for (number, a, b, c) in [(3, 1, 0, -2), (4, -6, 3, 5), (2, 2, 4, 1), (5, 3, -3, 7), (6, 4, 2, -8)] {
            let term = Linear::of(c, [(Var(0), a), (Var(1), b)]).expect("small");
            let (reduced, rest) = remainder(number, &term);
            assert!(reduced.free() == 0 && (0..number).contains(&rest));
            for (x, y) in (-7..=7).flat_map(|x| (-7..=7).map(move |y| (x, y))) {
                let value =
                    |term: &Linear| term.value(&|var| if var == Var(0) { x } else { y }).expect("small");
                let equal = value(&reduced).rem_euclid(number) == rest;
                assert_eq!(value(&term) % number == 0, equal, "{number} {term:?} at {x}, {y}");
            }
        }
        let shifted = |number| Linear::var(Var(0)).shifted(number).expect("small");
        assert_eq!(remainder(3, &shifted(-1)).0, remainder(3, &shifted(5).opposite()).0);
    }

    #[test]
    fn a_part_that_occurs_twice_is_written_once() {
        let at_most = |var: u32, value: i128| {
            Formula::le(&Linear::var(Var(var)), &Linear::constant(value)).expect("a small number")
        };
        let inner = Formula::And(vec![at_most(0, 1), at_most(1, 2)]);
        let outer = Formula::Or(vec![inner.clone(), at_most(2, 3)]);
        let whole = Formula::And(vec![
            outer.clone(),
            Formula::Or(vec![inner, at_most(3, 4)]),
            Formula::Or(vec![Formula::And(vec![outer, at_most(4, 5)]), at_most(5, 6)]),
        ]);
        let mut text = String::new();
        write_formula(&mut text, Sort::Int, &whole);
        let small = "(and (<= (+ v0 (- 1)) 0) (<= (+ v1 (- 2)) 0))";
        assert!(
            text.starts_with(&format!(
                "(let ((s0 {small})) (let ((s1 (or s0 (<= (+ v2 (- 3)) 0)))) (and s1 "
            )),
            "{text}"
        );
        assert_eq!((text.matches(small).count(), text.matches("v2").count()), (1, 1));
        assert_eq!(text.matches('(').count(), text.matches(')').count());
        // Without repetition nothing is named.
        let mut text = String::new();
        write_formula(&mut text, Sort::Int, &Formula::And(vec![at_most(0, 1), at_most(0, 2)]));
        assert!(!text.contains("let"), "{text}");
    }
}
