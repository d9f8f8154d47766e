//! Expressions as their author would write them, for showing, so that they can be pasted back.
//!
//! An item or a message that may not be there is a choice between the item and a minimum over no values (decision 0029).
//! What is shown is the item: `q[0]`, and not `q[if 0 < len(q) { 0 } else { min() }]`. The leaves of a channel are shown
//! as parts of it, `len(c[1])` and `c[0].kind`, counts that were written out as counts, `|votes|` and `count(k in 1..2:
//! …)`, and what was written out about each message as a quantifier, `exists m in c: m == 1`.

use model::expr::{Operator, Place, Quantifier};
use model::shape::{Shape, Shaped};
use model::system::{IndexName, Initial, Scalar, Type, Variable};
use model::{Binder, Expr, Formula, Index, Requirement, Span, System, VariableId, show};

/// The text of an expression, without what stands for values that are not there.
pub(crate) fn expression(system: &System, expr: &Expr) -> String {
    let mut names = Names::new(system, std::iter::once(expr));
    let plain = names.plain(expr);
    show::expression(&names.system, &plain)
}

/// The text of a formula, without what stands for values that are not there.
pub(crate) fn formula(system: &System, formula: &Formula) -> String {
    let mut names = Names::new(system, formula.atoms().into_iter());
    let plain = names.plain_formula(formula);
    show::formula(&names.system, &plain)
}

/// A requirement as it would be declared.
pub(crate) fn requirement(system: &System, requirement: &Requirement) -> String {
    if requirement.of.is_some() {
        return show::requirement(system, requirement);
    }
    let Requirement { when, then, .. } = requirement;
    let mut names = Names::new(system, [when, then].into_iter());
    let plain = Requirement { when: names.plain(when), then: names.plain(then), ..requirement.clone() };
    show::requirement(&names.system, &plain)
}

/// Whether an expression can be written in the language. The fields of a message with several cannot: they have no names.
pub(crate) fn can_be_written(system: &System, expr: &Expr) -> bool {
    let nameless: Vec<VariableId> = system
        .channels
        .iter()
        .filter(|own| own.shapes.len() > 1)
        .flat_map(|own| own.fields.clone())
        .collect();
    !expr.any(&mut |part| matches!(part, Expr::Read(place) if nameless.contains(&place.variable)))
}

/// The names of a system, with those that only showing needs.
struct Names {
    system: System,
}

impl Names {
    fn new<'e>(system: &System, mut parts: impl Iterator<Item = &'e Expr>) -> Names {
        // Only events need the actions, and these are much to copy.
        let is_event = |part: &Expr| matches!(part, Expr::Taken(_) | Expr::Enabled(_));
        let has_events = parts.any(|part| part.any(&mut |part| is_event(part)));
        let mut names = if has_events { system.clone() } else { show::names(system) };
        for channel in &system.channels {
            let ([shape], Some(first)) = (&channel.shapes[..], channel.fields.first()) else { continue };
            if channel.length.0 + 1 != first.0 {
                continue;
            }
            let arrays = system.variable(channel.length).kind.dimensions.len();
            let queue = Shape::Sequence(Box::new(shape.clone()));
            let shape = (0..arrays).fold(queue, |inner, _| Shape::Array(Box::new(inner)));
            names.shaped.push(Shaped { name: channel.name.clone(), first: channel.length, shape });
        }
        Names { system: names }
    }

    fn plain_formula(&mut self, formula: &Formula) -> Formula {
        match formula {
            Formula::Atom(atom) => Formula::Atom(self.plain(atom)),
            _ => formula.map(&mut |part| self.plain_formula(part)),
        }
    }

    fn plain(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::If(_, there, none) if is_missing(none) => self.plain(there),
            Expr::Sum(parts) if parts.len() > 1 && parts.iter().all(|part| counted(part).is_some()) => {
                let parts: Vec<Expr> =
                    parts.iter().filter_map(counted).map(|part| self.plain(part)).collect();
                self.size(&parts).or_else(|| self.count(&parts)).unwrap_or_else(|| {
                    let one =
                        |part: Expr| Expr::If(Box::new(part), Box::new(Expr::Int(1)), Box::new(Expr::Int(0)));
                    Expr::Sum(std::iter::once(Expr::Int(0)).chain(parts.into_iter().map(one)).collect())
                })
            }
            Expr::Or(parts) => {
                self.some_item(parts).unwrap_or_else(|| expr.map(&mut |part| self.plain(part)))
            }
            _ => expr.map(&mut |part| self.plain(part)),
        }
    }

    /// That some item of a sequence, or some message in a channel, has a property, if these are the conditions that the
    /// first has it, the second, and so on: `(exists m in vote: m == 1)`.
    fn some_item(&mut self, parts: &[Expr]) -> Option<Expr> {
        let mut said: Option<(Place, String)> = None;
        let item = self.free(&["m", "it", "some_item"])?;
        for (k, part) in (0..).zip(parts) {
            let Expr::And(conditions) = part else { return None };
            let (length, conditions) = conditions.split_first()?;
            let length =
                longer_than(length, k).filter(|own| !conditions.is_empty() && self.is_length(own))?;
            let name = show::expression(&self.system, &Expr::Read(length.clone()));
            let name = name.strip_prefix("len(")?.strip_suffix(')')?.to_owned();
            let (mut found, mut complete) = (false, true);
            let body = Expr::And(conditions.iter().map(|part| self.plain(part)).collect());
            let body = self.of_item(&body, (&format!("{name}[{k}]"), &item), &mut |names, place| {
                found = true;
                let span = names.variable(place.variable).kind.dimensions.last();
                complete &= span.is_some_and(|span| has_length(span, parts.len() as i64));
            });
            let body = match body {
                Expr::And(parts) if parts.len() == 1 => show::expression(&self.system, &parts[0]),
                body => show::expression(&self.system, &body),
            };
            let text = format!("(exists {item} in {name}: {body})");
            let is_alike = said.as_ref().is_none_or(|(own, known)| *own == length && *known == text);
            if !found || !complete || !is_alike {
                return None;
            }
            said = Some((length, text));
        }
        said.map(|(_, text)| self.named(text, Scalar::Bool))
    }

    /// Whether this is the number of messages in a channel, or of items in a sequence.
    fn is_length(&self, place: &Place) -> bool {
        show::expression(&self.system, &Expr::Read(place.clone())).starts_with("len(")
    }

    /// An expression with this name in place of the item that is shown as this. `tell` learns of each place.
    fn of_item(
        &mut self,
        expr: &Expr,
        (item, name): (&str, &str),
        tell: &mut dyn FnMut(&System, &Place),
    ) -> Expr {
        if let Expr::Read(place) = expr {
            let text = show::expression(&self.system, expr);
            let rest = text.strip_prefix(item).filter(|rest| rest.is_empty() || rest.starts_with('.'));
            if let Some(rest) = rest {
                tell(&self.system, place);
                let scalar = self.system.variable(place.variable).kind.scalar.clone();
                return self.named(format!("{name}{rest}"), scalar);
            }
        }
        expr.map(&mut |part| self.of_item(part, (item, name), tell))
    }

    /// A variable that is shown as this text.
    fn named(&mut self, name: String, scalar: Scalar) -> Expr {
        let variable = VariableId(self.system.variables.len() as u32);
        self.system.variables.push(Variable {
            name,
            owner: None,
            kind: Type { dimensions: Vec::new(), scalar },
            initial: Initial::Any,
        });
        Expr::Read(Place { variable, process: None, position: Vec::new() })
    }

    /// The number of members of a set, if these are the conditions that each value is in it: `|votes|`.
    fn size(&mut self, parts: &[Expr]) -> Option<Expr> {
        let member = |part: &Expr| match part {
            Expr::Read(place) => match place.position.split_last() {
                Some((Expr::Int(value), rest)) => {
                    Some((Place { position: rest.to_vec(), ..place.clone() }, *value))
                }
                _ => None,
            },
            _ => None,
        };
        let members: Vec<(Place, i64)> = parts.iter().map(member).collect::<Option<_>>()?;
        let (set, _) = &members[0];
        let span = self.system.variable(set.variable).kind.dimensions.last()?;
        let (Expr::Int(lo), Expr::Int(hi)) = (&*span.lo, &*span.hi) else { return None };
        let values: Vec<i64> =
            members.iter().filter(|(own, _)| own == set).map(|(_, value)| *value).collect();
        let text = show::expression(&self.system, &parts[0]);
        let (_, name) = text.split_once(" in ")?;
        if values != (*lo..=*hi).collect::<Vec<i64>>() {
            return None;
        }
        Some(self.named(format!("|{name}|"), Scalar::Int))
    }

    /// A count over the indices in which these conditions differ: `count(k in 1..2: P[k]@crit)`.
    fn count(&mut self, parts: &[Expr]) -> Option<Expr> {
        let index = Index(self.system.indices.len() as u32);
        let mut found: Vec<i64> = Vec::new();
        indices_of(&parts[0], &mut found);
        // What is at this index in the first is at the next ones in the others.
        let is_first = |lo: &i64| {
            let body = replaced(&parts[0], *lo, index);
            (*lo..).zip(parts).all(|(value, part)| replaced(part, value, index) == body)
        };
        let lo = found.into_iter().find(is_first)?;
        let body = replaced(&parts[0], lo, index);
        let hi = lo + parts.len() as i64 - 1;
        let scalar = self.scalar_of(&body, index)?;
        if let Scalar::Enum(id) = &scalar
            && (lo, hi) != (0, self.system.enumeration(*id).members.len() as i64 - 1)
        {
            return None;
        }
        let name = self.free(&["k", "j", "m", "other"])?;
        self.system.indices.push(IndexName { name, scalar, demand: None });
        let binder = Binder { index, span: Span::between(lo, hi) };
        Some(Expr::Quantified(Quantifier::Count, binder, Box::new(body)))
    }

    /// The first of these names that means nothing yet.
    fn free(&self, names: &[&str]) -> Option<String> {
        let taken = |name: &&&str| {
            self.system.indices.iter().any(|own| own.name == **name)
                || self.system.variables.iter().any(|own| own.name == **name)
        };
        names.iter().find(|name| !taken(name)).map(|name| (*name).to_owned())
    }

    /// The type of an index that is used in an expression.
    fn scalar_of(&self, expr: &Expr, index: Index) -> Option<Scalar> {
        let is_it = |part: &Expr| *part == Expr::Index(index);
        let of_family = |family: model::FamilyId| {
            let own = self.system.family(family).index.as_ref()?;
            Some(self.system.indices[own.index.0 as usize].scalar.clone())
        };
        let own = match expr {
            Expr::Read(place) => {
                let dimension = place.position.iter().position(is_it);
                let of_position = dimension.map(|dimension| {
                    let mut known = self.system.enum_dimensions.iter();
                    let known = known.find(|own| (own.0, own.1) == (place.variable, dimension));
                    known.map_or(Scalar::Int, |own| Scalar::Enum(own.2))
                });
                let owner = self.system.variable(place.variable).owner;
                of_position.or_else(|| {
                    place.process.as_deref().filter(|process| is_it(process)).and(owner).and_then(of_family)
                })
            }
            _ => None,
        };
        own.or_else(|| expr.children().into_iter().find_map(|part| self.scalar_of(part, index)))
    }
}

/// What is said to be more than this number.
fn longer_than(condition: &Expr, number: i64) -> Option<Place> {
    let (Expr::Binary(Operator::Gt, length, least) | Expr::Binary(Operator::Lt, least, length)) = condition
    else {
        return None;
    };
    match (&**length, &**least) {
        (Expr::Read(place), Expr::Int(least)) if *least == number => Some(place.clone()),
        _ => None,
    }
}

fn has_length(span: &Span, length: i64) -> bool {
    matches!((&*span.lo, &*span.hi), (Expr::Int(lo), Expr::Int(hi)) if hi - lo + 1 == length)
}

/// The condition of a part of a count that was written out, which is 1 or 0.
fn counted(part: &Expr) -> Option<&Expr> {
    match part {
        Expr::If(condition, one, none) if **one == Expr::Int(1) && **none == Expr::Int(0) => Some(condition),
        _ => None,
    }
}

/// The numbers that are the index of a process or of an array.
fn indices_of(expr: &Expr, found: &mut Vec<i64>) {
    if let Expr::Read(place) = expr {
        let all = place.process.iter().map(|process| &**process).chain(&place.position);
        found.extend(all.filter_map(|part| if let Expr::Int(value) = part { Some(*value) } else { None }));
    }
    expr.children().into_iter().for_each(|part| indices_of(part, found));
}

/// The expression with a name in place of this number where that is the index of a process or of an array.
fn replaced(expr: &Expr, value: i64, index: Index) -> Expr {
    let name = |part: &Expr| if *part == Expr::Int(value) { Expr::Index(index) } else { part.clone() };
    let mapped = expr.map(&mut |part| replaced(part, value, index));
    match mapped {
        Expr::Read(place) => Expr::Read(place.map(&mut |part| name(part))),
        other => other,
    }
}

/// Whether an expression is a minimum over no values, or says that it is not 0.
fn is_missing(expr: &Expr) -> bool {
    match expr {
        Expr::Min(parts) => parts.is_empty(),
        Expr::Quantified(Quantifier::Min, binder, _) => {
            matches!((&*binder.span.lo, &*binder.span.hi), (Expr::Int(lo), Expr::Int(hi)) if lo > hi)
        }
        Expr::Binary(Operator::Ne, value, _) => is_missing(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_may_not_be_there_is_shown_as_the_item() {
        let text = "shared q: seq[2] of 0..3; chan c: [2] of 0..3; shared p: seq[2] of bool; process P { loop { a: skip; } }
            invariant one: head(q) == 1 && q[1] > c[0]; invariant two: head(p);";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let shown = |number: usize| {
            let task = &model.checks[number].task;
            let atoms = task.property.kind.atoms();
            expression(task.system(), atoms[0])
        };
        assert_eq!(shown(0), "q[0] == 1 && q[1] > c[0]");
        assert_eq!(shown(1), "p[0]");
    }

    #[test]
    fn what_is_written_out_is_shown_so_that_it_can_be_pasted_back() {
        let text = "enum Who { ann, bob } record Letter { kind: 0..3, to: Who }
            chan inbox[Who]: [2] of Letter; chan line: [2] of 0..3; shared votes: set of 1..3; shared up: array[Who] of bool;
            process P[i: 1..3] { loop { a: skip; b: skip; } }
            invariant one: len(inbox[bob]) > 0 && inbox[bob][0].kind == 1; invariant two: |votes| == 2;
            invariant three: count(i in 1..3: P[i]@b) <= 1; invariant four: count(w in Who: up[w]) <= 1;
            invariant five: len(line) > 1; invariant six: count(i in 1..2: P[i]@b && i in votes) <= 1;
            invariant seven: !(exists m in line: m == 1 || P[1]@b); invariant eight: exists x in inbox[bob]: x.kind == 1 && x.to == ann;
            invariant nine: len(line) > 0 && line[0] == 1;";
        let model = lang::load("test", text, &[]).model.expect("a model");
        let instance = model.subject.instance().expect("an instance");
        let wanted = [
            "len(inbox[bob]) > 0 && inbox[bob][0].kind == 1",
            "|votes| == 2",
            "count(k in 1..3: P[k]@b) <= 1",
            "count(k in Who: up[k]) <= 1",
            "len(line) > 1",
            "count(k in 1..2: P[k]@b && k in votes) <= 1",
            "!(exists m in line: m == 1 || P[1]@b)",
            "(exists m in inbox[bob]: m.kind == 1 && m.to == ann)",
            "len(line) > 0 && line[0] == 1",
        ];
        for (check, wanted) in model.checks.iter().zip(wanted) {
            let ground = model::ground::kind(instance, &check.task.property.kind);
            let shown = expression(&instance.system, ground.atoms()[0]);
            assert_eq!(shown, wanted);
            let again = format!("{text} invariant again: {shown};");
            assert!(lang::load("test", &again, &[]).model.is_some(), "{shown}");
        }
    }
}
