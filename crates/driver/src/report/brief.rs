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
    let whole = binding.to_string();
    match whole.char_indices().nth(WIDE) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

/// Whether a value is false, 0 or empty.
fn is_nothing(value: &Value) -> bool {
    let is_empty = matches!(value, Value::Queue(messages) if messages.is_empty());
    is_empty || *value == Value::Bool(false) || *value == Value::Int(0)
}

/// The name of something with an index: what is before it, the index, what is after it.
fn indexed(name: &str) -> Option<(&str, i64, &str)> {
    // Of an element of an array the last index counts, of a process's own the process's.
    let open = if name.ends_with(']') { name.rfind('[')? } else { name.find('[')? };
    let close = open + name[open..].find(']')?;
    Some((&name[..=open], name[open + 1..close].parse().ok()?, &name[close..]))
}

/// Bindings in the order of first appearance, those of neighbours with the same value together.
fn grouped(state: &[Binding]) -> Vec<Binding> {
    let mut groups: Vec<Vec<&Binding>> = Vec::new();
    for binding in state {
        let follows = |group: &&mut Vec<&Binding>| {
            let last = group[group.len() - 1];
            match (&last.spot, &binding.spot) {
                (Spot::Variable(a), Spot::Variable(b)) | (Spot::Location(a), Spot::Location(b)) => {
                    last.value == binding.value && are_neighbours(a, b)
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

fn are_neighbours(a: &str, b: &str) -> bool {
    match (indexed(a), indexed(b)) {
        (Some((before, k, after)), Some((same_before, next, same_after))) => {
            (before, after) == (same_before, same_after) && k.checked_add(1) == Some(next)
        }
        _ => false,
    }
}

fn together(group: &[&Binding]) -> Vec<Binding> {
    let [first, .., last] = group else { return group.iter().map(|one| (*one).clone()).collect() };
    let name = |spot: &Spot| match spot {
        Spot::Variable(name) | Spot::Location(name) => name.clone(),
    };
    let (from, to) = (name(&first.spot), name(&last.spot));
    let (Some((before, least, after)), Some((_, greatest, _))) = (indexed(&from), indexed(&to)) else {
        return group.iter().map(|one| (*one).clone()).collect();
    };
    if group.len() < FEW {
        return group.iter().map(|one| (*one).clone()).collect();
    }
    let all = format!("{before}{least}..{greatest}{after}");
    let spot = match first.spot {
        Spot::Variable(_) => Spot::Variable(all),
        Spot::Location(_) => Spot::Location(all),
    };
    vec![Binding { spot, value: first.value.clone() }]
}

#[cfg(test)]
mod tests {
    use model::show::listed;

    use super::*;

    fn bindings(text: &str) -> Vec<Binding> {
        let binding = |part: &str| match (part.split_once(" = "), part.split_once('@')) {
            (Some((name, value)), _) => {
                let value = value.parse().map_or(Value::Bool(value == "true"), Value::Int);
                Binding { spot: Spot::Variable(name.to_owned()), value }
            }
            (None, Some((process, location))) => Binding {
                spot: Spot::Location(process.to_owned()),
                value: Value::Member(location.to_owned()),
            },
            (None, None) => panic!("{part}"),
        };
        text.split(", ").map(binding).collect()
    }

    #[test]
    fn neighbours_with_the_same_value_are_shown_together() {
        let shown = |text: &str| listed(&state(&bindings(text)).bindings);
        assert_eq!(shown("f[1] = 1, f[2] = 1, f[3] = 1, x = 2"), "f[1..3] = 1, x = 2");
        assert_eq!(shown("f[1] = 1, f[2] = 1, f[3] = 2"), "f[1] = 1, f[2] = 1, f[3] = 2");
        assert_eq!(
            shown("P[1]@a, P[1].y = 4, P[2]@a, P[2].y = 4, P[3]@a, P[3].y = 4"),
            "P[1..3]@a, P[1..3].y = 4"
        );
        assert_eq!(
            shown("g[0][0] = 1, g[0][1] = 1, g[0][2] = 1, g[1][0] = 1"),
            "g[0][0..2] = 1, g[1][0] = 1"
        );
        assert_eq!(shown("f[1] = 1, f[3] = 1, f[5] = 1"), "f[1] = 1, f[3] = 1, f[5] = 1");
    }

    #[test]
    fn of_a_long_state_what_is_nothing_is_left_out() {
        let names: Vec<String> = (0..20).map(|k| format!("x{k}y = {}", k % 4)).collect();
        let brief = state(&bindings(&names.join(", ")));
        assert_eq!((brief.bindings.len(), brief.left_out), (15, true));
        let brief = state(&bindings(&names[..8].join(", ")));
        assert_eq!((brief.bindings.len(), brief.left_out), (8, false));
    }

    #[test]
    fn a_long_value_is_cut() {
        let queue = |length: usize| Binding {
            spot: Spot::Variable("c".to_owned()),
            value: Value::Queue(vec![vec![Value::Int(7)]; length]),
        };
        assert_eq!(text(&queue(3)), "c = [7 7 7]");
        let cut = text(&queue(300));
        assert!(cut.starts_with("c = [7 7 7 7 ") && cut.ends_with('…') && cut.chars().count() == WIDE + 1);
    }
}
