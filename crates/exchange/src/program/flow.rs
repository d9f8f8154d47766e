//! The locations of a program: where it ends, and which loops have no exit.
//!
//! In T2 a run may end properly in two places: at a location without outgoing blocks, and at the head of a loop that no
//! block leaves, where only the guards of the loop decide whether it continues. A *head* is the target of a retreating
//! block in a depth-first search from the start. Its loop is every location from which a retreating block to it can be
//! reached without passing it. A loop that no block leaves is a whole strongly connected component.

/// The role of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// No block leaves it.
    Terminal,
    /// The head of a loop that no block leaves.
    Closed,
    /// Neither.
    Inner,
}

/// Limit on the number of locations times the number of heads.
const LIMIT: usize = 1 << 30;

/// The role of each location. `edges` are the blocks, from location to location. `None` if there are too many.
pub(crate) fn roles(locations: usize, start: usize, edges: &[(usize, usize)]) -> Option<Vec<Role>> {
    let mut successors = vec![Vec::new(); locations];
    let mut predecessors = vec![Vec::new(); locations];
    for (from, to) in edges {
        successors[*from].push(*to);
        predecessors[*to].push(*from);
    }
    let mut retreating = vec![Vec::new(); locations];
    for (from, to) in retreats(start, &successors) {
        retreating[to].push(from);
    }
    let heads = retreating.iter().filter(|tails| !tails.is_empty()).count();
    if heads.saturating_mul(locations) > LIMIT {
        return None;
    }
    let role = |location: usize| {
        if successors[location].is_empty() {
            return Role::Terminal;
        }
        if retreating[location].is_empty() {
            return Role::Inner;
        }
        let body = body(location, &retreating[location], &predecessors);
        let closed = (0..locations).filter(|l| body[*l]).all(|l| successors[l].iter().all(|to| body[*to]));
        if closed { Role::Closed } else { Role::Inner }
    };
    Some((0..locations).map(role).collect())
}

/// The edges of a depth-first search that lead back to a location that is still being explored.
fn retreats(start: usize, successors: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut open = vec![false; successors.len()];
    let mut seen = vec![false; successors.len()];
    let mut found = Vec::new();
    let mut path = vec![(start, 0)];
    open[start] = true;
    seen[start] = true;
    while let Some((location, next)) = path.last_mut() {
        let location = *location;
        let Some(to) = successors[location].get(*next).copied() else {
            open[location] = false;
            path.pop();
            continue;
        };
        *next += 1;
        if open[to] {
            found.push((location, to));
        } else if !seen[to] {
            open[to] = true;
            seen[to] = true;
            path.push((to, 0));
        }
    }
    found
}

/// The loop of a head: the head, and every location that reaches one of `tails` without passing it.
fn body(head: usize, tails: &[usize], predecessors: &[Vec<usize>]) -> Vec<bool> {
    let mut inside = vec![false; predecessors.len()];
    inside[head] = true;
    let mut pending = tails.to_vec();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut inside[location], true) {
            pending.extend(&predecessors[location]);
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(locations: usize, edges: &[(usize, usize)]) -> Vec<Role> {
        super::roles(locations, 0, edges).expect("not many")
    }

    #[test]
    fn a_location_without_blocks_is_terminal_and_a_loop_with_an_exit_is_not_closed() {
        assert_eq!(roles(3, &[(0, 1), (1, 1), (1, 2)]), [Role::Inner, Role::Inner, Role::Terminal]);
    }

    #[test]
    fn the_head_of_a_loop_that_no_block_leaves_is_closed() {
        assert_eq!(roles(2, &[(0, 1), (1, 1)]), [Role::Inner, Role::Closed]);
        // The inner loop at 2 is left, the outer one at 1 is not.
        let nested = roles(4, &[(0, 1), (1, 2), (2, 2), (2, 3), (3, 1)]);
        assert_eq!(nested, [Role::Inner, Role::Closed, Role::Inner, Role::Inner]);
    }

    #[test]
    fn a_long_chain_is_no_deep_recursion() {
        let edges: Vec<_> = (0..100_000).map(|l| (l, l + 1)).chain([(100_000, 0)]).collect();
        let roles = roles(100_001, &edges);
        assert_eq!(roles.iter().filter(|role| **role == Role::Closed).count(), 1);
    }
}
