//! Exact linear algebra on small vectors of integers.
//!
//! A [`Span`] is the set of all rational combinations of some vectors, kept in reduced echelon form. It yields the
//! vectors orthogonal to it. [`in_cone`] asks whether a vector is a combination of others without negative factors,
//! by the first phase of the simplex method with Bland's rule, which always ends. Numbers have 128 bits. Where they
//! do not suffice, the answer is `None`.

/// A vector. Missing entries at the end are zero.
pub(super) type Vector = Vec<i128>;

/// All rational combinations of some vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Span {
    /// Each with its pivot: the last entry that is not zero. No other row has an entry there.
    rows: Vec<(usize, Vector)>,
}

impl Span {
    /// Adds a vector. Returns the pivot that its part outside of the span has, if it was not in the span.
    #[allow(clippy::option_option)]
    pub(super) fn add(&mut self, vector: &[i128]) -> Option<Option<usize>> {
        let mut rest = reduced(vector.to_vec());
        for (pivot, row) in &self.rows {
            rest = cleared(&rest, row, *pivot)?;
        }
        let Some(pivot) = rest.iter().rposition(|entry| *entry != 0) else { return Some(None) };
        for (_, row) in &mut self.rows {
            *row = cleared(row, &rest, pivot)?;
        }
        self.rows.push((pivot, rest));
        Some(Some(pivot))
    }

    /// A basis of the vectors of this length that are orthogonal to the span.
    pub(super) fn orthogonal(&self, length: usize) -> Option<Vec<Vector>> {
        let mut basis = Vec::new();
        for free in (0..length).filter(|at| self.rows.iter().all(|(pivot, _)| pivot != at)) {
            // With 1 at the free entry, a row fixes the entry at its pivot.
            let mut scale: i128 = 1;
            for (pivot, row) in &self.rows {
                let (entry, own) = (entry(row, free), entry(row, *pivot));
                let part = own / gcd(own, entry);
                scale = (scale / gcd(scale, part)).checked_mul(part)?.checked_abs()?;
            }
            let mut vector = vec![0; length];
            vector[free] = scale;
            for (pivot, row) in &self.rows {
                vector[*pivot] = -(entry(row, free).checked_mul(scale)? / entry(row, *pivot));
            }
            basis.push(reduced(vector));
        }
        Some(basis)
    }
}

/// The product of two vectors.
pub(super) fn product(a: &[i128], b: &[i128]) -> Option<i128> {
    a.iter().zip(b).try_fold(0i128, |sum, (a, b)| sum.checked_add(a.checked_mul(*b)?))
}

/// Whether a vector is the sum of these columns with factors that are not negative.
pub(super) fn in_cone(columns: &[Vector], target: &[i128]) -> Option<bool> {
    // One row per entry: the columns, then the target, which is made positive. At first an artificial unknown stands
    // for each row; the last row is the sum of those that do.
    let mut rows: Vec<Vector> = Vec::new();
    for (at, &wanted) in target.iter().enumerate() {
        let sign = if wanted < 0 { -1 } else { 1 };
        rows.push(columns.iter().map(|column| sign * entry(column, at)).chain([sign * wanted]).collect());
    }
    let last = columns.len();
    let mut total = vec![0i128; last + 1];
    for row in &rows {
        for (sum, entry) in total.iter_mut().zip(row) {
            *sum = sum.checked_add(*entry)?;
        }
    }
    let mut basis: Vec<usize> = (0..rows.len()).map(|row| last + 1 + row).collect();
    loop {
        if total[last] == 0 {
            return Some(true);
        }
        let Some(column) = (0..last).find(|column| total[*column] > 0) else { return Some(false) };
        let mut leaving: Option<usize> = None;
        for row in (0..rows.len()).filter(|row| rows[*row][column] > 0) {
            leaving = Some(match leaving {
                None => row,
                Some(best) => {
                    let own = rows[row][last].checked_mul(rows[best][column])?;
                    let other = rows[best][last].checked_mul(rows[row][column])?;
                    if own < other || own == other && basis[row] < basis[best] { row } else { best }
                }
            });
        }
        let pivot = leaving?;
        let row = rows[pivot].clone();
        for (number, other) in rows.iter_mut().enumerate() {
            if number != pivot {
                *other = cleared(other, &row, column)?;
            }
        }
        total = cleared(&total, &row, column)?;
        basis[pivot] = column;
    }
}

/// The first vector with a multiple of the second subtracted, so that this entry becomes zero. The result may be
/// scaled by a positive number.
fn cleared(vector: &[i128], by: &[i128], at: usize) -> Option<Vector> {
    let (own, pivot) = (entry(vector, at), entry(by, at));
    if own == 0 {
        return Some(vector.to_vec());
    }
    let common = gcd(own, pivot) * pivot.signum();
    let (own, pivot) = (own / common, pivot / common);
    let length = vector.len().max(by.len());
    let entries = (0..length)
        .map(|k| entry(vector, k).checked_mul(pivot)?.checked_sub(entry(by, k).checked_mul(own)?))
        .collect::<Option<Vector>>()?;
    Some(reduced(entries))
}

/// The vector divided by the greatest common divisor of its entries.
fn reduced(mut vector: Vector) -> Vector {
    let common = vector.iter().fold(0, |common, entry| gcd(common, *entry));
    if common > 1 {
        vector.iter_mut().for_each(|entry| *entry /= common);
    }
    vector
}

fn entry(vector: &[i128], at: usize) -> i128 {
    vector.get(at).copied().unwrap_or(0)
}

/// The greatest common divisor, not negative.
fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in -2..=2 from a seed.
    fn numbers(seed: &mut u64, count: usize) -> Vector {
        let mut next = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(*seed >> 33) % 5 - 2
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn orthogonal_vectors_and_the_span_have_complementary_dimensions() {
        let mut seed = 3;
        let mut ranks = [0; 5];
        for _ in 0..500 {
            let vectors: Vec<Vector> = (0..4).map(|_| numbers(&mut seed, 4)).collect();
            let mut span = Span::default();
            let grown = vectors.iter().filter(|vector| span.add(vector).expect("small").is_some()).count();
            let basis = span.orthogonal(4).expect("small");
            assert_eq!(grown + basis.len(), 4);
            for vector in &vectors {
                assert!(basis.iter().all(|other| product(vector, other) == Some(0)), "{vectors:?} {basis:?}");
            }
            // The basis is independent.
            let mut other = Span::default();
            assert!(basis.iter().all(|vector| other.add(vector).expect("small").is_some()), "{basis:?}");
            ranks[grown] += 1;
        }
        assert!(ranks[3] > 5 && ranks[4] > 5, "{ranks:?}");
    }

    #[test]
    fn a_cone_has_every_combination_and_what_it_lacks_is_separated() {
        let mut seed = 5;
        let (mut inside, mut outside) = (0, 0);
        // Small integer vectors suffice to separate cones of two or three small generators in the plane.
        let plane: Vec<Vector> = (-6..=6).flat_map(|x| (-6..=6).map(move |y| vec![x, y])).collect();
        for _ in 0..2_000 {
            let columns: Vec<Vector> = (0..3).map(|_| numbers(&mut seed, 2)).collect();
            let factors: Vec<i128> = numbers(&mut seed, 3).iter().map(|factor| factor.abs()).collect();
            let sum: Vector = (0..2).map(|at| (0..3).map(|k| columns[k][at] * factors[k]).sum()).collect();
            assert_eq!(in_cone(&columns, &sum), Some(true), "{columns:?} {factors:?}");
            let target = numbers(&mut seed, 2);
            let separated = plane.iter().any(|normal| {
                columns.iter().all(|column| product(normal, column) >= Some(0))
                    && product(normal, &target) < Some(0)
            });
            assert_eq!(in_cone(&columns, &target), Some(!separated), "{columns:?} {target:?}");
            *(if separated { &mut outside } else { &mut inside }) += 1;
        }
        assert!(inside > 100 && outside > 100);
    }

    #[test]
    fn numbers_that_are_too_large_are_no_answer() {
        let large = i128::MAX / 2;
        let mut span = Span::default();
        assert!(span.add(&[large, large - 1, 3]).is_some());
        assert!(span.add(&[large - 5, large, 7]).is_none());
        assert_eq!(in_cone(&[vec![large, 3], vec![5, large - 2]], &[large - 1, large - 3]), None);
    }
}
