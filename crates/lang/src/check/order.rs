//! Orders declarations so that each comes after those it mentions, and finds those that mention themselves.
//!
//! Depth-first search with an explicit stack, because a chain of mentions can be as long as the file. The order is the
//! one in which the search leaves the nodes, so a node comes after everything it mentions, except where a mention
//! closes a cycle. A cycle is reported once, by the member that the search met first. Linear time.

/// The nodes, each after all it mentions except on a cycle, and the first members of each cycle.
///
/// `mentions[n]` are the nodes that `n` mentions.
pub(super) fn order(mentions: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    #[derive(Clone, Copy)]
    enum Mark {
        New,
        /// On the stack, at this height.
        Open(usize),
        Done,
    }
    let mut marks = vec![Mark::New; mentions.len()];
    let mut reported = vec![false; mentions.len()];
    let mut sorted = Vec::with_capacity(mentions.len());
    let mut cycles = Vec::new();
    for root in 0..mentions.len() {
        if !matches!(marks[root], Mark::New) {
            continue;
        }
        marks[root] = Mark::Open(0);
        // The open nodes, each with the number of mentions already followed.
        let mut stack = vec![(root, 0)];
        while let Some((node, followed)) = stack.last_mut() {
            let node = *node;
            let Some(&next) = mentions[node].get(*followed) else {
                marks[node] = Mark::Done;
                sorted.push(node);
                stack.pop();
                continue;
            };
            *followed += 1;
            match marks[next] {
                Mark::New => {
                    marks[next] = Mark::Open(stack.len());
                    stack.push((next, 0));
                }
                Mark::Open(height) if !reported[next] => {
                    reported[next] = true;
                    cycles.push(stack[height..].iter().map(|(open, _)| *open).take(SHOWN).collect());
                }
                Mark::Open(_) | Mark::Done => {}
            }
        }
    }
    (sorted, cycles)
}

/// How many members of a cycle a message shows.
const SHOWN: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_after_what_it_mentions() {
        assert_eq!(order(&[vec![1, 2], vec![2], vec![]]), (vec![2, 1, 0], vec![]));
    }

    #[test]
    fn cycles_are_found_and_do_not_hide_the_rest() {
        let (sorted, cycles) = order(&[vec![1], vec![0], vec![2], vec![0]]);
        assert_eq!(sorted, [1, 0, 2, 3]);
        assert_eq!(cycles, [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain: Vec<Vec<usize>> = (1..=200_000).map(|next| vec![next % 200_000]).collect();
        let (sorted, cycles) = order(&chain);
        assert_eq!(sorted.len(), 200_000);
        assert_eq!(cycles, [vec![0, 1, 2, 3, 4, 5]]);
    }
}
