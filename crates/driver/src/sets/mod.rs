//! Sets of states over unbounded integers, as people read them.
//!
//! A set is shown place by place, as `x >= 1 at P@loop`. A place is named by the control cells that tell it from the
//! others. What is true or false everywhere is said so.

mod tidy;

use std::collections::BTreeSet;

use model::labelling::{Core, Labelling};
use model::{Expr, Instance, show};

pub(crate) use self::tidy::tidied;
use crate::explain::place;
use crate::report::plain;

/// A value as it is named in a place. A statement without a label is named by its line: `P at line 17`.
fn located(value: &show::Binding) -> String {
    let location = value.value.to_string();
    match value.located() {
        Some(process) if place(&location) != location => format!("{process} at {}", place(&location)),
        _ => value.to_string(),
    }
}

/// The places of a labelling, with their names.
pub(crate) struct Sets<'a> {
    pub(crate) instance: &'a Instance,
    /// The names of the places: where processes are, and what else tells them apart.
    places: Vec<(String, String)>,
}

impl<'a> Sets<'a> {
    pub(crate) fn new(instance: &'a Instance, labelling: &Labelling) -> Sets<'a> {
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
                let cells = cells.map(|(cell, value)| located(&show::cell(instance, cell, value)));
                cells.collect::<Vec<_>>().join(", ")
            };
            (shown(&mut locations.into_iter()), shown(&mut others.into_iter()))
        };
        Sets { instance, places: labelling.places.iter().map(name).collect() }
    }

    pub(crate) fn expression(&self, expr: &Expr) -> String {
        plain::expression(&self.instance.system, &tidied(expr))
    }

    /// A place; `of` has the places of the system for those of a product.
    pub(crate) fn place(place: usize, of: &[usize]) -> usize {
        of.get(place).copied().unwrap_or(place)
    }

    /// Names of places: `P@a or P@b (x = 1 or x = 2)`. Empty if there is only one place.
    pub(crate) fn names(&self, places: &BTreeSet<usize>) -> String {
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
    pub(crate) fn by_place<'e>(
        &self,
        parts: impl Iterator<Item = (usize, &'e Expr)>,
        of: &[usize],
    ) -> String {
        let mut groups: Vec<(String, BTreeSet<usize>)> = Vec::new();
        for (place, expr) in parts {
            let (text, place) = (self.expression(expr), Sets::place(place, of));
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
                (false, "true") if groups.len() > 1 => format!("{names} with any values"),
                (false, "true") => names,
                (false, _) => format!("`{text}` at {names}"),
            }
        };
        groups.iter().map(shown).collect::<Vec<_>>().join("; ")
    }

    /// A formula of the core.
    pub(crate) fn core(&self, formula: &Core) -> String {
        format!("`{}`", self.core_text(formula))
    }

    /// A formula without quotes.
    pub(crate) fn core_text(&self, formula: &Core) -> String {
        let inner = |formula: &Core| {
            let text = self.core_text(formula);
            if text.contains(' ') { format!("({text})") } else { text }
        };
        let join = |parts: &[Core], sign: &str| parts.iter().map(inner).collect::<Vec<_>>().join(sign);
        match formula {
            Core::Atom(atom) => self.expression(atom),
            Core::Not(a) => match &**a {
                Core::Not(a) => self.core_text(a),
                _ => format!("!{}", inner(a)),
            },
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
