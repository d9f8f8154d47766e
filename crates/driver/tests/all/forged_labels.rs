//! Random forgeries of labels: however good evidence, or its program, is changed, the judge accepts no false verdict.
//!
//! The infinite engine decides random programs with few reachable states. Then its evidence or the program is changed
//! at random and given to the judge. If the judge accepts it, the oracle must agree. `FAIRLY_FORGERIES` sets the
//! length of the test, `FAIRLY_SEED` its seed.

#[path = "../../../engines/tests/all/infinite/bounded.rs"]
mod bounded;
#[path = "../../../engines/tests/all/infinite/generate.rs"]
mod generate;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use certify::{Judge, Standing, oracle};
use engines::Engine;
use engines::infinite::Infinite;
use model::labelling::{Argument, Label, Labelling, Move};
use model::splitmix::SplitMix;
use model::system::Update;
use model::{Answer, Counterexample, Expr, Proof, Session, StopReason, Subject, System, Task};

/// The time limit of the engine.
const LIMIT: Duration = Duration::from_secs(5);

#[test]
fn no_forgery_makes_the_judge_check_what_is_not_true() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    };
    let (count, seed) = (number("FAIRLY_FORGERIES", 60), number("FAIRLY_SEED", 1));
    let mut random = SplitMix(seed);
    let engine = Infinite { solvers: smt::installed(), finite: true, both_sides: false };
    let (mut checked, mut refused, mut claimed, mut program) = (0, 0, 0, 0);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    while checked + refused + claimed < count {
        program += 1;
        assert!(program < 100 * count, "no evidence to forge");
        let own = seed.wrapping_mul(7_000_003).wrapping_add(program);
        let (text, task) = if program.is_multiple_of(4) {
            bounded::imported(own)
        } else {
            let text = generate::program(own);
            let model = lang::load("test", &text, &[]).model.unwrap_or_else(|| panic!("{text}"));
            let task = model.checks[0].task.clone();
            (text, task)
        };
        let start = Instant::now();
        let stop = || (start.elapsed() > LIMIT).then_some(StopReason::Time);
        let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
        let Ok(answer) = engine.check(&task, &session) else { continue };
        let ranked = |labelling: &Labelling| {
            let paths = labelling.labels.iter().chain(labelling.product.iter().map(|product| &product.label));
            paths.flat_map(|label| label.path.layers.iter().flatten()).any(|movement| movement.rank.is_some())
        };
        let labelling = match &answer {
            Answer::Holds(Proof::Labelling(labelling)) => labelling,
            Answer::Fails(Counterexample::Labelling(refutation)) => &refutation.labelling,
            _ => continue,
        };
        *kinds.entry("product").or_insert(0) += usize::from(labelling.product.is_some());
        *kinds.entry("rank of a layer").or_insert(0) += usize::from(ranked(labelling));
        for _ in 0..3 {
            let mut forged = answer.clone();
            let mut about = task.clone();
            if random.below(2) == 0 {
                let system = Arc::new(changed_system(&mut random, task.system()));
                about.subject = Subject::new(system).expect("it can be counted out");
            }
            match &mut forged {
                Answer::Holds(Proof::Labelling(labelling)) => forge(&mut random, labelling),
                Answer::Fails(Counterexample::Labelling(refutation)) => {
                    forge(&mut random, &mut refutation.labelling);
                }
                _ => {}
            }
            match Judge::new(&smt::installed(), &Session::unlimited())
                .certify(&about, forged.clone())
                .map(|c| c.standing())
            {
                Ok(Standing::Claimed) => claimed += 1,
                Err(_) => refused += 1,
                Ok(Standing::Checked) => {
                    checked += 1;
                    let Some(truth) = oracle_says(&about) else { continue };
                    let said = matches!(forged, Answer::Holds(_));
                    assert_eq!(said, truth, "program {program} of seed {seed}:\n{text}{forged:?}");
                }
            }
        }
    }
    println!("{checked} checked, {refused} refused, {claimed} not decided, of {kinds:?}");
    assert!(kinds["product"] > 0, "{kinds:?}");
    assert!(checked > 0 && refused > 0, "{checked} checked, {refused} refused, {claimed} not decided");
}

/// The truth, if there are few enough states.
fn oracle_says(task: &Task) -> Option<bool> {
    let decision = oracle::decide(&bounded::bounded(task), 20_000).ok()?;
    Some(matches!(decision.why, oracle::Why::Holds))
}

/// Changes one part of a labelling, or nothing.
fn forge(random: &mut SplitMix, labelling: &mut Labelling) {
    let change = |random: &mut SplitMix, sets: &mut Vec<Expr>| {
        let number = random.below(sets.len().max(1) as u64) as usize;
        if let Some(set) = sets.get_mut(number) {
            *set = changed(random, set);
        }
    };
    if random.below(5) == 0 {
        return change(random, &mut labelling.invariant);
    }
    if let Some(product) = &mut labelling.product {
        let number = random.below(product.places.len().max(1) as u64) as usize;
        match random.below(6) {
            0 => change(random, &mut product.invariant),
            // The automaton is in a different state than claimed.
            1 => {
                if let Some((_, state)) = product.places.get_mut(number) {
                    *state = random.below(3) as usize;
                }
            }
            _ => forge_label(random, &mut product.label),
        }
        return;
    }
    let number = random.below(labelling.labels.len().max(1) as u64) as usize;
    if let Some(label) = labelling.labels.get_mut(number) {
        forge_label(random, label);
    }
}

fn forge_label(random: &mut SplitMix, label: &mut Label) {
    let place = random.below(label.must.len().max(1) as u64) as usize;
    match random.below(8) {
        0 => label.must[place] = changed(random, &label.must[place]),
        1 => label.may[place] = changed(random, &label.may[place]),
        2 => label.may[place] = Expr::Bool(false),
        3 | 4 => {
            let cycles = label.path.cycles.iter_mut().flat_map(|cycle| &mut cycle.moves);
            let moves: Vec<&mut Move> = cycles.chain(label.path.layers.iter_mut().flatten()).collect();
            let number = moves.len() as u64;
            if number > 0 {
                let wanted = random.below(number) as usize;
                forge_move(random, moves.into_iter().nth(wanted).expect("there are as many"));
            }
        }
        5 => {
            let lists = label.arguments.iter_mut();
            lists.for_each(|arguments| drop(arguments.pop()));
        }
        6 => {
            for argument in label.arguments.iter_mut().flatten() {
                let Argument::Requirement { within, requirement } = argument else { continue };
                if random.below(2) == 0 {
                    *requirement = random.below(3) as usize;
                } else if let Some(set) = within.get_mut(place) {
                    *set = changed(random, set);
                }
            }
        }
        _ => {
            for argument in label.arguments.iter_mut().flatten() {
                if let Argument::Rank(ranks) = argument
                    && let Some(rank) = ranks.get_mut(place)
                {
                    *rank = changed(random, rank);
                }
            }
        }
    }
}

fn forge_move(random: &mut SplitMix, movement: &mut Move) {
    match random.below(5) {
        0 => movement.reading = random.below(4) as usize,
        1 => movement.rank = movement.rank.as_ref().map(|rank| changed(random, rank)),
        2 => movement.rank = Some(Expr::Int(random.below(3) as i64)),
        _ => {
            movement.states = changed(random, &movement.states);
            if let Some(choice) = movement.choices.first_mut() {
                *choice = changed(random, choice);
            }
        }
    }
}

/// The expression with some of its numbers changed by one.
fn changed(random: &mut SplitMix, expr: &Expr) -> Expr {
    match expr {
        Expr::Int(number) if random.below(2) == 0 => Expr::Int(number + random.below(3) as i64 - 1),
        Expr::Bool(value) => Expr::Bool(*value != (random.below(3) == 0)),
        Expr::Read(_) => expr.clone(),
        _ => expr.map(&mut |part| changed(random, part)),
    }
}

/// The system with some numbers in one of its actions changed by one.
fn changed_system(random: &mut SplitMix, system: &System) -> System {
    let mut system = system.clone();
    let number = random.below(system.actions.len() as u64) as usize;
    let action = &mut system.actions[number];
    // The guards keep values in range, so that there are few states. An update may lose its assignment.
    if random.below(2) == 0 {
        action.guard = Expr::and([action.guard.clone(), Expr::Bool(random.below(4) > 0)]);
    } else {
        action.update = Update::Skip;
    }
    system
}
