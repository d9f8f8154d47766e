//! States and values as people want to see them: neighbours with one value together, long values cut.
//!
//! `fork[1] = true, fork[2] = true, fork[3] = true` is `fork[1..3] = true`. Nothing is lost by that. Of a long state,
//! what is false, 0 or empty is left out, and of a long value the end; then [`State::left_out`] or `…` says so.

use super::{Binding, Spot, Value};

/// Fewer neighbours than this are shown one by one.
const FEW: usize = 3;

/// A state with more bindings than this is long.
const LONG: usize = 12;

/// A value with more characters than this is cut.
const WIDE: usize = 72;

/// A state in brief.
pub struct State {
    /// What is shown, with neighbours together.
    pub bindings: Vec<Binding>,
    /// Whether variables that are false, 0 or empty are left out.
    pub left_out: bool,
}

/// A state in brief.
pub fn state(state: &[Binding]) -> State {
    let mut bindings = grouped(state);
    let all = bindings.len();
    if all > LONG {
        bindings.retain(|binding| binding.located().is_some() || !is_nothing(&binding.value));
    }
    State { left_out: bindings.len() < all, bindings }
}

/// A state in one line.
pub fn listed(bindings: &[Binding]) -> String {
    let State { bindings, left_out } = state(bindings);
    let rest = left_out.then(|| "all else false, 0 or empty".to_owned());
    bindings.iter().map(text).chain(rest).collect::<Vec<_>>().join(", ")
}

/// A binding with its value cut if it is long.
pub fn text(binding: &Binding) -> String {
    cut(binding.to_string())
}

/// What a step makes of a variable, cut if it is long: `x becomes 1`.
pub(crate) fn becomes(binding: &Binding) -> String {
    cut(format!("{} becomes {}", binding.name(), binding.value))
}

fn cut(whole: String) -> String {
    match whole.char_indices().nth(WIDE) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

/// Whether a value is false, 0 or empty, or has only such parts.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => !truth,
        Value::Int(number) => *number == 0,
        Value::Member(_) => false,
        Value::Record(_, fields) => fields.iter().all(|(_, field)| is_nothing(field)),
        Value::Set(members) => members.is_empty(),
        Value::List(items) => items.iter().all(is_nothing),
        Value::Queue(messages) => messages.is_empty(),
    }
}

/// Bindings in the order of first appearance, those of neighbours with the same value together.
fn grouped(state: &[Binding]) -> Vec<Binding> {
    let mut groups: Vec<Vec<&Binding>> = Vec::new();
    for binding in state {
        let follows = |group: &&mut Vec<&Binding>| {
            let last = group[group.len() - 1];
            match (&last.spot, &binding.spot) {
                (Spot::Variable(a), Spot::Variable(b)) | (Spot::Location(a), Spot::Location(b)) => {
                    last.value == binding.value && b.follows(a)
                }
                _ => false,
            }
        };
        match groups.iter_mut().find(follows) {
            Some(group) => group.push(binding),
            None => groups.push(vec![binding]),
        }
    }
    groups.iter().flat_map(|group| together(group)).collect()
}

/// Neighbours as one binding, unless they are few.
fn together(group: &[&Binding]) -> Vec<Binding> {
    match group {
        [first, .., last] if group.len() >= FEW => {
            let spot = match (&first.spot, &last.spot) {
                (Spot::Variable(first), Spot::Variable(last)) => Spot::Variable(first.through(last)),
                (Spot::Location(first), Spot::Location(last)) => Spot::Location(first.through(last)),
                // Invariant: neighbours are both variables or both locations.
                (spot, _) => spot.clone(),
            };
            vec![Binding { spot, value: first.value.clone() }]
        }
        _ => group.iter().map(|one| (*one).clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use model::show::{SpotName, listed};

    use super::*;

    fn variable(name: SpotName, value: i64) -> Binding {
        Binding { spot: Spot::Variable(name), value: Value::Int(value) }
    }

    fn location(number: i64, label: &str) -> Binding {
        let spot = Spot::Location(SpotName::numbered("P[", number, "]"));
        Binding { spot, value: Value::Member(label.to_owned()) }
    }

    #[test]
    fn neighbours_with_the_same_value_are_shown_together() {
        let shown = |bindings: &[Binding]| listed(&state(bindings).bindings);
        let element = |number, value| variable(SpotName::numbered("f[", number, "]"), value);
        let all = [element(1, 1), element(2, 1), element(3, 1), variable("x".into(), 2)];
        assert_eq!(shown(&all), "f[1..3] = 1, x = 2");
        assert_eq!(shown(&[element(1, 1), element(2, 1), element(3, 2)]), "f[1] = 1, f[2] = 1, f[3] = 2");
        assert_eq!(shown(&[element(1, 1), element(3, 1), element(5, 1)]), "f[1] = 1, f[3] = 1, f[5] = 1");
        let own = |number| variable(SpotName::numbered("P[", number, "].y"), 4);
        let processes: Vec<Binding> =
            (1..=3).flat_map(|number| [location(number, "a"), own(number)]).collect();
        assert_eq!(shown(&processes), "P[1..3]@a, P[1..3].y = 4");
        let row = |row, number| variable(SpotName::numbered(&format!("g[{row}]["), number, "]"), 1);
        assert_eq!(shown(&[row(0, 0), row(0, 1), row(0, 2), row(1, 0)]), "g[0][0..2] = 1, g[1][0] = 1");
    }

    #[test]
    fn of_a_long_state_what_is_nothing_is_left_out() {
        let all: Vec<Binding> = (0..20).map(|k| variable(format!("x{k}y").as_str().into(), k % 4)).collect();
        let brief = state(&all);
        assert_eq!((brief.bindings.len(), brief.left_out), (15, true));
        let brief = state(&all[..8]);
        assert_eq!((brief.bindings.len(), brief.left_out), (8, false));
        let zero = Value::Record("R".to_owned(), vec![("a".to_owned(), Value::Int(0))]);
        let members = vec![Value::Bool(true)];
        let parts = [Value::Set(Vec::new()), Value::List(vec![zero]), Value::Set(members)];
        let parts = parts.map(|value| Binding { spot: Spot::Variable("v".into()), value });
        assert_eq!(state(&[&all[..], &parts[..]].concat()).bindings.len(), 16);
    }

    #[test]
    fn a_long_value_is_cut() {
        let queue = |length: usize| Binding {
            spot: Spot::Variable("c".into()),
            value: Value::Queue(vec![vec![Value::Int(7)]; length]),
        };
        assert_eq!(text(&queue(3)), "c = [7 7 7]");
        let cut = text(&queue(300));
        assert!(cut.starts_with("c = [7 7 7 7 ") && cut.ends_with('…') && cut.chars().count() == WIDE + 1);
    }
}
