//! All ways to choose one of each of several lists, one list after the other.

/// Each of `chosen`, longer by each of `choices`.
pub(super) fn extended<T: Clone>(chosen: &[Vec<T>], choices: &[T]) -> Vec<Vec<T>> {
    let longer = |chosen: &Vec<T>| {
        let longer = |choice: &T| chosen.iter().chain([choice]).cloned().collect();
        choices.iter().map(longer).collect::<Vec<Vec<T>>>()
    };
    chosen.iter().flat_map(longer).collect()
}
