//! Random systems of a few states against all short lassos.

use model::splitmix;

use super::judge::replay;
use super::*;

/// Per state, its steps.
#[derive(Clone, Debug)]
struct Table(Vec<Vec<(u8, usize)>>);

impl System for Table {
    type State = usize;
    type Action = u8;
    fn initial(&self) -> Vec<usize> {
        vec![0]
    }
    fn steps(&self, state: &usize) -> Vec<(u8, usize)> {
        self.0[*state].clone()
    }
}

/// Whether some lasso of at most this many steps is a fair violation, by the definitions.
fn has_violation(
    system: &Table,
    claim: &Claim<'_, Table>,
    fairness: &[Requirement<'_, Table>],
    longest: usize,
) -> bool {
    let mut pending = vec![vec![(0, None)]];
    while let Some(walk) = pending.pop() {
        let (state, _): (usize, Option<u8>) = walk[walk.len() - 1];
        let steps: Vec<(Option<u8>, usize)> = match &system.0[state][..] {
            [] => vec![(None, state)],
            steps => steps.iter().map(|(action, target)| (Some(*action), *target)).collect(),
        };
        for (action, target) in steps {
            let mut walk = walk.clone();
            let last = walk.len() - 1;
            walk[last].1 = action;
            for begin in (0..walk.len()).filter(|begin| walk[*begin].0 == target) {
                let run = Run { stem: walk[..begin].to_vec(), cycle: walk[begin..].to_vec() };
                if replay(system, claim, fairness, &run).is_ok() {
                    return true;
                }
            }
            if walk.len() < longest {
                walk.push((target, None));
                pending.push(walk);
            }
        }
    }
    false
}

#[test]
fn it_agrees_with_the_definitions_on_all_short_lassos_of_small_systems() {
    let mut seed = 1;
    let mut below = |bound: u64| splitmix::next(&mut seed) % bound;
    let mut counts = [0, 0];
    for round in 0..1_500 {
        let states = 1 + below(3) as usize;
        let table: Vec<Vec<(u8, usize)>> = (0..states)
            .map(|_| (0..below(3)).map(|_| (below(2) as u8, below(states as u64) as usize)).collect())
            .collect();
        let system = Table(table);
        let (goal, other) = (below(3) as usize, below(3) as usize);
        let at = |goal: usize| state(move |state: &usize| *state == goal);
        let claim = match below(7) {
            0 => at(goal).eventually(),
            1 => at(goal).not().always(),
            2 => at(goal).leads_to(at(other)),
            3 => at(goal).eventually().always(),
            4 => at(goal).always().eventually(),
            5 => at(other).not().until(at(goal).or(action(|action| *action == 1).next())),
            _ => action(|action| *action == 0).eventually().always(),
        };
        let mut fairness = Vec::new();
        for wanted in 0..2 {
            match below(4) {
                0 => fairness.push(Requirement::weak("weak", move |action| *action == wanted)),
                1 => fairness.push(Requirement::strong("strong", move |action| *action == wanted)),
                2 if wanted == 1 => {
                    fairness.push(Requirement::new(
                        "justice",
                        |_| true,
                        |step: &Step<'_, Table>| *step.target != 1,
                    ));
                }
                _ => {}
            }
        }
        let fails = match check(&system, &claim, &fairness, 100) {
            Ok(Verdict::Fails(_)) => true,
            Ok(Verdict::Holds { .. }) => false,
            Ok(Verdict::Unknown { .. }) => panic!("round {round}: there are few states"),
            Err(unrepeatable) => panic!("round {round}: {unrepeatable} {system:?}"),
        };
        assert_eq!(fails, has_violation(&system, &claim, &fairness, 8), "round {round}: {system:?}");
        counts[usize::from(fails)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
}

/// A counter without end.
struct Counter;

impl System for Counter {
    type State = u64;
    type Action = ();
    fn initial(&self) -> Vec<u64> {
        vec![0]
    }
    fn steps(&self, state: &u64) -> Vec<((), u64)> {
        if *state == 5 { vec![((), 5), ((), 6)] } else { vec![((), state + 1)] }
    }
}

#[test]
fn a_system_without_end_may_fail_but_does_not_hold() {
    let stays = state(|state: &u64| *state <= 5).always().not();
    let Ok(Verdict::Fails(run)) = check(&Counter, &stays, &[], 10_000) else { panic!("it may stay at 5") };
    assert_eq!((run.stem.len(), run.cycle), (5, vec![(5, Some(()))]));
    let grows = state(|state: &u64| *state != 100_000).always();
    assert!(matches!(check(&Counter, &grows, &[], 10_000), Ok(Verdict::Unknown { states: 10_000 })));
}

#[test]
fn a_run_that_cannot_be_replayed_is_no_answer() {
    /// Each time it is asked, it says something else.
    struct Moody(std::cell::Cell<u32>);
    impl System for Moody {
        type State = u32;
        type Action = u32;
        fn initial(&self) -> Vec<u32> {
            vec![0]
        }
        fn steps(&self, _: &u32) -> Vec<(u32, u32)> {
            self.0.set(self.0.get() + 1);
            vec![(self.0.get(), 0)]
        }
    }
    let never = state(|state: &u32| *state == 1).eventually();
    assert!(check(&Moody(std::cell::Cell::new(0)), &never, &[], 10).is_err());
}
