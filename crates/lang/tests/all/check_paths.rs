//! Random steps against the definition: the outcomes of a step are its complete paths.
//!
//! A step is a random block. It is printed, loaded and taken by the reference semantics of the model, and its statements
//! are interpreted directly, with all choices tried. Both must have the same outcomes, or both a fault.

use model::initial::initial_states;
use model::{ActionId, State, semantics};

use crate::steps::{Faulty, Random, World, block, show, world};

#[test]
fn the_outcomes_of_a_step_are_its_complete_paths() {
    let count = crate::setting("FAIRLY_STEPS", 500);
    let (mut taken, mut disabled, mut faults, mut refused) = (0, 0, 0, 0);
    for seed in 0..count {
        let random = &mut Random(seed);
        let block = block(random, 0, 2);
        let text = format!(
            "shared x, y: 0..2 = any; shared f: array[0..2] of 0..2 = any; chan c: [2] of 0..2;
             process P {{ action a {{ {} }} }}",
            show(&block, 0)
        );
        let Some(model) = lang::load("test", &text, &[]).model else {
            // Something is wrong in every run.
            refused += 1;
            continue;
        };
        let instance = model.subject.instance().expect("no parameters");
        let states: Vec<State> = initial_states(instance).map(|state| state.expect("no fault")).collect();
        for _ in 0..20 {
            let state = &states[random.below(states.len())];
            let expected = world(instance, state).run(&block);
            // An action whose guard is never true does not exist.
            let found = match instance.actions.len() {
                0 => Ok(Vec::new()),
                _ => semantics::successors(instance, state, ActionId(0)),
            };
            match (expected, found) {
                (Err(Faulty), Err(_)) => faults += 1,
                (Ok(mut expected), Ok(found)) => {
                    let mut found: Vec<World> = found.iter().map(|state| world(instance, state)).collect();
                    expected.sort();
                    expected.dedup();
                    found.sort();
                    assert_eq!(expected, found, "seed {seed} in {state:?}: {text}");
                    *(if found.is_empty() { &mut disabled } else { &mut taken }) += 1;
                }
                (expected, found) => {
                    let expected = expected.map_err(|Faulty| "a fault");
                    panic!("seed {seed} in {state:?}: {expected:?} but {found:?}: {text}")
                }
            }
        }
    }
    println!("{taken} taken, {disabled} disabled, {faults} faults, {refused} refused");
    assert!(taken > count && disabled > count && faults > count && refused < count / 2);
}
