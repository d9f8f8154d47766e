//! Random systems in CSP# with `atomic`, shared events, programs and guards: their states and steps are those of an
//! interpreter of PAT's rules. A step inside an `atomic` is taken before all others; a joint one is inside if any of its
//! parts is. `FAIRLY_MODELS` and `FAIRLY_SEED` choose how many and which.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use exchange::import::{self, Language};
use model::semantics::steps;
use model::splitmix::SplitMix;

/// One event of a sequential process.
struct Does {
    event: String,
    /// The value of `x` that it waits for.
    guard: Option<i64>,
    /// The value that it gives `x`. Such an event is not shared.
    sets: Option<i64>,
    atomic: bool,
}

struct System {
    parts: Vec<Vec<Does>>,
    /// Whether a part begins again at its end.
    again: Vec<bool>,
}

impl System {
    fn random(random: &mut SplitMix) -> System {
        let parts = 2 + random.below(2) as usize;
        let part = |random: &mut SplitMix, number: usize| {
            let mut atomic = false;
            let own = (0..2 + random.below(4)).map(|position| {
                atomic = if atomic { random.below(3) > 0 } else { random.below(4) == 0 };
                let sets = (random.below(4) == 0).then(|| random.below(2) as i64);
                let event = match sets {
                    None if random.below(2) == 0 => format!("s{}", random.below(3)),
                    _ => format!("p{number}_{position}"),
                };
                Does { event, guard: (random.below(5) == 0).then(|| random.below(2) as i64), sets, atomic }
            });
            own.collect()
        };
        System {
            parts: (0..parts).map(|number| part(random, number)).collect(),
            again: (0..parts).map(|_| random.below(3) > 0).collect(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("var x:{0..1} = 0;\n");
        for (number, part) in self.parts.iter().enumerate() {
            let mut items: Vec<String> = Vec::new();
            let mut inside = false;
            for own in part {
                let program = own.sets.map_or(String::new(), |value| format!("{{x = {value};}}"));
                let step = format!("({}{program} -> Skip)", own.event);
                let step = own.guard.map_or(step.clone(), |value| format!("([x == {value}] {step})"));
                match items.last_mut() {
                    Some(last) if inside && own.atomic => {
                        last.insert_str(last.len() - 1, &format!("; {step}"));
                    }
                    _ if own.atomic => items.push(format!("atomic{{{step}}}")),
                    _ => items.push(step),
                }
                inside = own.atomic;
            }
            if self.again[number] {
                items.push(format!("P{number}()"));
            }
            let _ = writeln!(text, "P{number}() = {};", items.join("; "));
        }
        let calls: Vec<String> = (0..self.parts.len()).map(|number| format!("P{number}()")).collect();
        let _ = writeln!(text, "S() = {};\n#assert S() deadlockfree;", calls.join(" || "));
        text
    }

    /// The numbers of states and steps.
    fn explored(&self) -> (usize, usize) {
        let alphabet = |part: &[Does]| -> BTreeSet<String> {
            part.iter().filter(|own| own.sets.is_none()).map(|own| own.event.clone()).collect()
        };
        let alphabets: Vec<BTreeSet<String>> = self.parts.iter().map(|part| alphabet(part)).collect();
        let first = (vec![0; self.parts.len()], 0_i64);
        let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
        let mut count = 0;
        while let Some((at, x)) = open.pop() {
            let ready = |part: usize| {
                let own = self.parts[part].get::<usize>(at[part]);
                own.filter(|own| own.guard.is_none_or(|value| value == x))
            };
            // Who takes an event, whether that is inside an `atomic`, and the value of `x` afterwards.
            let mut moves: BTreeMap<String, (BTreeSet<usize>, bool, i64)> = BTreeMap::new();
            for part in 0..self.parts.len() {
                let Some(own) = ready(part) else { continue };
                if let Some(value) = own.sets {
                    moves.insert(own.event.clone(), (BTreeSet::from([part]), own.atomic, value));
                    continue;
                }
                let all: BTreeSet<usize> =
                    (0..self.parts.len()).filter(|other| alphabets[*other].contains(&own.event)).collect();
                let takes = |other: usize| ready(other).filter(|own_of| own_of.event == own.event);
                if all.iter().all(|other| takes(*other).is_some()) {
                    let atomic = all.iter().any(|other| takes(*other).is_some_and(|own| own.atomic));
                    moves.insert(own.event.clone(), (all, atomic, x));
                }
            }
            let urgent = moves.values().any(|(_, atomic, _)| *atomic);
            for (members, atomic, x) in moves.into_values() {
                if urgent && !atomic {
                    continue;
                }
                count += 1;
                let mut next = at.clone();
                for part in members {
                    next[part] += 1;
                    if next[part] == self.parts[part].len() && self.again[part] {
                        next[part] = 0;
                    }
                }
                if seen.insert((next.clone(), x)) {
                    open.push((next, x));
                }
            }
        }
        (seen.len(), count)
    }
}

/// The numbers of states and steps of a translation.
fn translated(text: &str) -> (usize, usize) {
    let translated = import::translate(Language::Csp, text, &[], &import::no_files)
        .unwrap_or_else(|refused| panic!("{refused:?}\n{text}"));
    let none = |_: &str| Err("there is none".to_owned());
    let loaded = lang::load_tree("model", text, (&translated.file, Vec::new()), &[], &none);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    let instance = model.subject.instance().expect("an instance");
    let first = model::initial::initial_states(instance).map(|state| state.expect("a state"));
    let mut open: Vec<model::State> = first.collect();
    let mut seen: BTreeSet<Vec<i64>> = open.iter().map(|state| state.0.clone()).collect();
    let mut count = 0;
    while let Some(state) = open.pop() {
        let steps = steps(instance, &state).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        for step in steps {
            count += usize::from(step.label != model::Label::Idle);
            if seen.insert(step.target.0.clone()) {
                open.push(step.target);
            }
        }
    }
    (seen.len(), count)
}

#[test]
fn steps_inside_atomic_come_before_all_others() {
    let (count, seed) = (crate::setting("FAIRLY_MODELS", 150), crate::setting("FAIRLY_SEED", 1));
    let (mut urgent, mut largest) = (0, 0);
    for own in 0..count {
        let mut system = System::random(&mut SplitMix(seed.wrapping_mul(1_000_003) + own));
        let text = system.text();
        let expected = system.explored();
        assert_eq!(translated(&text), expected, "seed {seed}, model {own}:\n{text}");
        largest = largest.max(expected.0);
        system.parts.iter_mut().flatten().for_each(|own| own.atomic = false);
        urgent += u64::from(system.explored() != expected);
    }
    println!("{count} models, up to {largest} states; `atomic` matters in {urgent}");
    assert!(count < 50 || urgent > count / 10);
}
