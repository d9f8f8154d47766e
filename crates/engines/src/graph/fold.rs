//! Shortens the description of an infinite word: a stem, and a cycle that is repeated for ever.

/// Shortens a stem and a cycle; the infinite word stays the same. The cycle may consist of several equal rounds,
/// because the automaton needs them although the system does not, and the stem may end as the cycle does.
pub(crate) fn fold<T: PartialEq>(stem: &mut Vec<T>, cycle: &mut Vec<T>) {
    let length = cycle.len();
    let repeats = |period: &usize| {
        length.is_multiple_of(*period) && (*period..length).all(|k| cycle[k] == cycle[k - period])
    };
    if let Some(period) = (1..=length / 2).find(repeats) {
        cycle.truncate(period);
    }
    while stem.last().is_some_and(|last| cycle.last() == Some(last)) {
        stem.pop();
        cycle.rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn folding_keeps_the_word_and_makes_it_short() {
        let fold = |stem: &str, cycle: &str| {
            let (mut stem, mut cycle): (Vec<char>, Vec<char>) =
                (stem.chars().collect(), cycle.chars().collect());
            super::fold(&mut stem, &mut cycle);
            (stem.into_iter().collect::<String>(), cycle.into_iter().collect::<String>())
        };
        let expect = |stem: &str, cycle: &str| (stem.to_owned(), cycle.to_owned());
        assert_eq!(fold("x", "abab"), expect("x", "ab"));
        assert_eq!(fold("xab", "cab"), expect("x", "abc"));
        assert_eq!(fold("aaa", "aa"), expect("", "a"));
        assert_eq!(fold("xb", "ab"), expect("x", "ba"));
        assert_eq!(fold("", "aba"), expect("", "aba"));
    }
}
