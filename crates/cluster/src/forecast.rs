//! How many states there may be in all, from the sizes of the levels that are known.
//!
//! Levels grow at first, by a factor that becomes smaller from level to level, and when it is less than one they shrink. The
//! logarithm of this factor is extrapolated by a straight line through the last levels. This is no more than a guess: it
//! says whether twice or a hundred times as much is needed, and nothing if the factor does not become smaller.
//!
//! A worker that is told of states early counts them to the level before. Such levels can suggest any number. So the guess
//! is made a second time without the last level, and nothing is said if the two are far apart.

/// How many levels the line is drawn through, of those that are known.
const SHARE: usize = 2;
/// With fewer levels nothing is said.
const LEAST: usize = 8;
/// Levels beyond this are not computed.
const MOST: usize = 1_000_000;
/// Two guesses agree if the larger one is at most so many times the smaller one.
const CLOSE: f64 = 4.0;

/// A guess at the number of states in all, from how many were known at the end of each level.
pub(crate) fn total(known: &[u64]) -> Option<f64> {
    let (_, earlier) = known.split_last()?;
    let (guess, before) = (extrapolated(known)?, extrapolated(earlier)?);
    (guess.max(before) <= CLOSE * guess.min(before)).then_some(guess)
}

/// The number of states in all if the factors go on as they did in the last levels.
fn extrapolated(known: &[u64]) -> Option<f64> {
    let sizes: Vec<f64> = known.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    if sizes.len() < LEAST || sizes.contains(&0.0) {
        return None;
    }
    let recent = &sizes[sizes.len() - sizes.len().div_ceil(SHARE) - 1..];
    let factors: Vec<f64> = recent.windows(2).map(|pair| (pair[1] / pair[0]).ln()).collect();
    let count = factors.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = factors.iter().sum::<f64>() / count;
    let spread: f64 = (0..factors.len()).map(|level| (level as f64 - middle).powi(2)).sum();
    let slope: f64 = factors
        .iter()
        .enumerate()
        .map(|(level, factor)| (level as f64 - middle) * (factor - mean))
        .sum::<f64>()
        / spread;
    let (mut factor, mut size) = (mean + slope * (count - middle), *sizes.last()?);
    let mut states = *known.last()? as f64;
    for _ in 0..MOST {
        if size < 1.0 {
            return Some(states);
        }
        size *= factor.exp();
        states += size;
        factor += slope;
        if !states.is_finite() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    /// How many states are known after each level, where levels have these sizes.
    fn known(sizes: impl Iterator<Item = f64>) -> Vec<u64> {
        sizes
            .scan(0.0, |states, size| {
                *states += size;
                Some(*states as u64)
            })
            .collect()
    }

    #[test]
    fn a_bell_is_guessed_from_its_first_third_and_a_fan_is_not() {
        let bell = |level: usize| 1e7 * (-(level as f64 - 60.0).powi(2) / 400.0).exp() + 1.0;
        let all = known((0..140).map(bell));
        let total = *all.last().expect("levels") as f64;
        for levels in [40, 60, 100] {
            let guess = super::total(&all[..levels]).expect("a guess");
            assert!(guess > 0.5 * total && guess < 2.0 * total, "{levels} levels: {guess} of {total}");
        }
        assert_eq!(super::total(&known((0..30).map(|level| 2f64.powi(level)))), None);
        assert_eq!(super::total(&all[..4]), None);
        // Levels of a worker that was often told early; there are 10^12 states.
        let early = [0, 37, 204, 859, 2972, 24178, 62804, 146_603, 322_855, 671_008, 1_351_748, 2_597_760];
        assert_eq!(super::total(&early), None);
    }
}
