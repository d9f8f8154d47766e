//! Forged labels of CTL formulas.

use model::proof::Listed;
use model::proof::labels::Label;

use crate::differential::random::Random;

/// Breaks a label at random. It may still be right.
pub(crate) fn broken(random: &mut Random, forged: &mut Listed) -> &'static str {
    let count = forged.labels.len();
    let (one, other) = (random.below(count), random.below(count));
    let label = &mut forged.labels[one];
    let states = label.numbers.len();
    let place = random.below(states.max(1));
    match random.below(9) {
        0 if states > 0 => {
            label.numbers[place] = [Label::OUTSIDE, 0, 1, 2][random.below(4)];
            "another number of a state"
        }
        1 => {
            forged.labels.swap(one, other);
            "two labels swapped"
        }
        2 => {
            label
                .numbers
                .iter_mut()
                .for_each(|number| *number = u32::from(*number == Label::OUTSIDE) * *number);
            "all distances 0"
        }
        3 => {
            label.numbers.fill([Label::OUTSIDE, 0][random.below(2)]);
            "everywhere the same"
        }
        4 => {
            if let Some(component) = label.components.first_mut() {
                component.avoided = (0..random.below(4)).collect();
            }
            "other requirements are avoided"
        }
        5 => {
            for component in &mut label.components {
                component.alternative = random.below(2);
                let states = component.states.len();
                component.states[random.below(states)].1[random.below(2)] = random.below(3) as u32;
            }
            "other numbers in components"
        }
        6 => {
            let components = label.components.len();
            if components > 0 {
                label.components.swap_remove(random.below(components));
            } else {
                label.trees.pop();
            }
            "a component dropped"
        }
        7 => {
            for component in &mut label.components {
                component.states.truncate(1);
            }
            "components of one state"
        }
        _ => {
            for tree in &mut label.trees {
                let blocks = tree.blocks.len();
                if let Some(address) = tree.addresses.get_mut(place) {
                    *address = random.below(blocks + 1) as u32;
                }
            }
            "a state in another block of a label"
        }
    }
}

/// Takes a name, and a change that makes a forgery.
type Push<'p> = dyn FnMut(&'static str, &dyn Fn(&mut Listed)) + 'p;

/// Breaks that leave no proof: a label is exactly the set of states where its formula is true.
pub(crate) fn certainly_broken(good: &Listed, push: &mut Push<'_>) {
    for (number, label) in good.labels.iter().enumerate() {
        push("a label dropped", &|forged| drop(forged.labels.remove(number)));
        push("a number dropped", &|forged| {
            forged.labels[number].numbers.pop();
        });
        for (state, own) in label.numbers.iter().enumerate().take(20) {
            if *own == Label::OUTSIDE {
                push("a state where it is false", &|forged| forged.labels[number].numbers[state] = 0);
                push("a state where it is false, far away", &|forged| {
                    forged.labels[number].numbers[state] = 1000;
                });
            } else {
                push("a state where it is true left out", &|forged| {
                    forged.labels[number].numbers[state] = Label::OUTSIDE;
                });
            }
        }
        if label.components.iter().any(|component| component.states.len() > 1) {
            push("all numbers of components 0", &|forged| {
                let states = forged.labels[number].components.iter_mut().flat_map(|c| &mut c.states);
                states.for_each(|(_, numbers)| *numbers = [0, 0]);
            });
            push("components in reverse", &|forged| {
                forged.labels[number].components.iter_mut().for_each(|c| c.states.reverse());
            });
        }
        if !label.components.is_empty() {
            push("no components", &|forged| forged.labels[number].components.clear());
            push("an empty component", &|forged| forged.labels[number].components[0].states.clear());
        }
        if !label.trees.is_empty() {
            push("an alternative of a label dropped", &|forged| drop(forged.labels[number].trees.pop()));
        }
    }
}
