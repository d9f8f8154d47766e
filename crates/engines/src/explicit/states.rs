//! What a product must know of the states of a system: their numbers, what they are, and the steps that leave them.
//!
//! There are three ways to have them. A [`Space`](super::space::Space) stores states and steps; states are numbered by their
//! distance, so runs that are shown come from there. [`Regenerated`](super::regenerated::Regenerated) stores no steps; its
//! numbers depend on chance, so it decides whether there is a run but shows none. [`dense`](super::dense) takes the packed
//! form of a state as its number.

use model::{Instance, State};

use super::space::Steps;

/// The states of a system, by number.
pub(super) trait States {
    fn instance(&self) -> &Instance;

    /// An upper bound on the numbers. Not every number below it is used.
    fn bound(&self) -> usize;

    /// The numbers of the initial states.
    fn initial(&self) -> Vec<u32>;

    /// Whether this is the number of a state whose steps are known.
    fn is_expanded(&self, number: u32) -> bool;

    /// The packed form of a state.
    fn words(&self, number: u32) -> impl AsRef<[u64]>;

    /// A state in the user's terms.
    fn state(&self, number: u32) -> State;

    /// Passes on the steps that leave a state; none if it is not expanded.
    fn with_steps<R>(&self, number: u32, visit: impl FnOnce(Steps<'_>) -> R) -> R;

    /// Says that the steps of a state will be asked for soon.
    fn expect(&self, _: u32) {}

    /// Passes on the actions of these steps.
    fn with_labels<R>(&self, number: u32, visit: impl FnOnce(&[u16]) -> R) -> R;

    /// The bytes it has allocated.
    fn bytes(&self) -> u64;
}
