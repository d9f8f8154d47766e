//! Operations on cubes (conjunctions of literals): how the sets of letters that two cubes admit relate.

use model::automaton::Cube;

/// Both conjunctions, unless they contradict one another.
pub fn both(a: &Cube, b: &Cube) -> Option<Cube> {
    let positive = union(&a.positive, &b.positive);
    let negative = union(&a.negative, &b.negative);
    let contradiction = positive.iter().any(|atom| negative.binary_search(atom).is_ok());
    (!contradiction).then_some(Cube { positive, negative })
}

/// Whether some letter is admitted by both.
pub fn meet(a: &Cube, b: &Cube) -> bool {
    disjoint(&a.positive, &b.negative) && disjoint(&a.negative, &b.positive)
}

/// Whether every letter that `b` admits is admitted by `a`.
pub fn covers(a: &Cube, b: &Cube) -> bool {
    subset(&a.positive, &b.positive) && subset(&a.negative, &b.negative)
}

/// All letters, as a share.
pub(crate) const WHOLE: u64 = 1 << 60;

/// The fraction of the letters of `cube` that `other` admits, in units of `1 / WHOLE`. Each literal that `other` asks
/// for in addition halves it; it is 0 only if no letter is admitted by both.
pub(crate) fn share(cube: &Cube, other: &Cube) -> u64 {
    if meet(cube, other) { (WHOLE >> missing(cube, other).count().min(60)).max(1) } else { 0 }
}

/// [`share`] of cubes whose literals, as bits of `(positive, negative)`, are all below 64.
pub(crate) fn share_of_bits(cube: (u64, u64), other: (u64, u64)) -> u64 {
    if cube.0 & other.1 | cube.1 & other.0 != 0 {
        return 0;
    }
    let missing = (other.0 & !cube.0).count_ones() + (other.1 & !cube.1).count_ones();
    (WHOLE >> missing.min(60)).max(1)
}

/// Whether every letter that is admitted by a cube is admitted by one of `others`.
pub fn is_covered(cube: &Cube, others: &[&Cube]) -> bool {
    let mut all = 0u64;
    let mut meeting = Vec::new();
    for other in others {
        match share(cube, other) {
            0 => {}
            WHOLE => return true,
            share => {
                all = all.saturating_add(share);
                meeting.push(*other);
            }
        }
    }
    // A letter of the cube that has no other atom is admitted only by cubes that ask for no other; likewise one with all.
    let misses = |literals: fn(&Cube) -> &Vec<usize>| {
        meeting.iter().all(|other| !subset(literals(other), literals(cube)))
    };
    if all < WHOLE || misses(|cube| &cube.positive) || misses(|cube| &cube.negative) {
        return false;
    }
    // Split by an atom that a cube asks for. The depth of the recursion is at most the number of atoms.
    let Some((atom, _)) = meeting.first().and_then(|other| missing(cube, other).next()) else {
        return false;
    };
    [true, false].into_iter().all(|positive| {
        let mut half = cube.clone();
        insert(&mut half, atom, positive);
        is_covered(&half, &meeting)
    })
}

/// The literals of `other` that are not literals of a cube.
fn missing(cube: &Cube, other: &Cube) -> impl Iterator<Item = (usize, bool)> {
    let positive = other.positive.iter().filter(|atom| cube.positive.binary_search(atom).is_err());
    let negative = other.negative.iter().filter(|atom| cube.negative.binary_search(atom).is_err());
    positive.map(|atom| (*atom, true)).chain(negative.map(|atom| (*atom, false)))
}

/// The literal of `other` that is not a literal of a cube, if there is exactly one.
pub(crate) fn only_literal_missing(cube: &Cube, other: &Cube) -> Option<(usize, bool)> {
    let mut missing = missing(cube, other);
    missing.next().filter(|_| missing.next().is_none())
}

/// Adds a literal to a cube.
pub(crate) fn insert(cube: &mut Cube, atom: usize, positive: bool) {
    let literals = if positive { &mut cube.positive } else { &mut cube.negative };
    if let Err(place) = literals.binary_search(&atom) {
        literals.insert(place, atom);
    }
}

/// A set of numbers as bits, modulo 64. If one set is a part of another, so are its bits. Most pairs that are not parts
/// of each other are told apart by this, at a fraction of the cost.
pub(crate) fn bits(numbers: impl IntoIterator<Item = usize>) -> u64 {
    numbers.into_iter().fold(0, |bits, number| bits | 1 << (number % 64))
}

/// The literals of a cube as bits, like [`bits`].
pub(crate) fn cube_bits(cube: &Cube) -> u64 {
    bits(cube.positive.iter().map(|atom| 2 * atom)) | bits(cube.negative.iter().map(|atom| 2 * atom + 1))
}

/// Whether the bits of one set do not rule out that it is a part of another.
pub(crate) fn may_be_part(a: u64, b: u64) -> bool {
    a & !b == 0
}

/// The union of two sorted lists.
pub(crate) fn union<T: Copy + Ord>(a: &[T], b: &[T]) -> Vec<T> {
    let mut both = Vec::with_capacity(a.len() + b.len());
    both.extend_from_slice(a);
    both.extend_from_slice(b);
    both.sort_unstable();
    both.dedup();
    both
}

/// Whether two sorted lists have no common element.
pub(crate) fn disjoint<T: Ord>(a: &[T], b: &[T]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    !short.iter().any(|element| long.binary_search(element).is_ok())
}

/// Whether every element of one sorted list is in another.
pub(crate) fn subset<T: Ord>(a: &[T], b: &[T]) -> bool {
    a.len() <= b.len() && a.iter().all(|element| b.binary_search(element).is_ok())
}
