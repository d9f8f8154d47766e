//! Compares the abstraction with its definition, on all words up to a length: it covers every concrete step and adds
//! none.

#[path = "../../tests/all/counter/generate.rs"]
mod generate;
#[path = "../../tests/all/counter/permits.rs"]
mod permits;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use model::instance::Environment;
use model::{Expr, Label, Position, Session, State, Task, semantics};

use super::class::{Class, class};
use super::combinations::extended;
use super::contexts::{Abstract, Context, Fold};
use super::explore::Exploration;
use super::fair::Fair;
use super::justice::{Each, Justice};
use super::letters::{Letter, LetterId, Set};
use super::meter::Meter;
use super::requirements::{Change, change};
use super::space::{Space, Stop};
use super::world::{Configuration, World};
use generate::Random;

fn tasks(text: &str) -> Vec<Task> {
    let loaded = lang::load("test", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// The abstract state of a configuration, by definition.
fn abstracted(fold: &mut Fold, configuration: &Configuration) -> Abstract {
    let mut counts: BTreeMap<LetterId, usize> = BTreeMap::new();
    configuration.words.iter().flatten().for_each(|letter| *counts.entry(*letter).or_default() += 1);
    let bounded =
        |(letter, count): (LetterId, usize)| (letter, count.min(fold.letters.bound(letter) as usize) as u8);
    let counts = counts.into_iter().map(bounded).collect();
    let mut whole = Vec::new();
    for word in &configuration.words {
        let sides: Vec<_> = word.iter().map(|letter| fold.sides.of(&fold.letters, *letter)).collect();
        whole.push(fold.product(&sides));
    }
    Abstract { counts, whole, shared: Arc::clone(&configuration.shared) }
}

/// Whether a configuration has the sums that all reachable states have.
fn has_sums(fold: &mut Fold, configuration: &Configuration) -> bool {
    let family = |letter: &LetterId| fold.letters.letter(*letter).family;
    let foci = configuration.words.iter().flatten().map(|letter| (family(letter), *letter)).collect();
    let shared = Arc::clone(&configuration.shared);
    let context = Context { foci, others: Vec::new(), stretches: Vec::new(), shared };
    fold.sums.admit(&fold.letters, &context)
}

/// Asserts that the states that are reachable in an instance have the sums. Returns how many there are.
fn reach(fold: &mut Fold, world: &World, text: &str) -> usize {
    let marks = vec![(usize::MAX, 0); fold.class.marks.len()];
    let begin = model::initial::initial_states(&world.instance).take(100);
    let mut list: Vec<State> = begin.map(|state| state.expect("no fault")).collect();
    let mut seen: HashSet<State> = list.iter().cloned().collect();
    let mut next = 0;
    while next < list.len() && list.len() < 500 {
        let (configuration, _) = configuration(fold, world, &list[next], &marks);
        assert!(has_sums(fold, &configuration), "{text}\n{:?}", list[next]);
        for step in semantics::steps(&world.instance, &list[next]).expect("no fault") {
            if seen.insert(step.target.clone()) {
                list.push(step.target);
            }
        }
        next += 1;
    }
    if fold.sums.used().0.is_empty() { 0 } else { next }
}

/// A concrete state as a configuration, and the process at each position.
fn configuration(
    fold: &mut Fold,
    world: &World,
    state: &State,
    marks: &[(usize, usize)],
) -> (Configuration, Vec<Vec<usize>>) {
    let class = Arc::clone(&fold.class);
    let (mut words, mut places) = (Vec::new(), Vec::new());
    for (family, counted) in class.counted.iter().enumerate() {
        let mut placed = Vec::new();
        for place in 0..world.size(family) {
            let mut ticket = 0;
            let mut values = Vec::new();
            for &cell in world.cells(family, place) {
                if Some(world.instance.cells[cell].variable) == counted.ticket {
                    ticket = state.0[cell];
                    values.push(i64::from(ticket != 0));
                } else {
                    values.push(state.0[cell]);
                }
            }
            let mut mask = 0;
            for (number, mark) in marks.iter().enumerate() {
                mask |= u32::from(*mark == (family, place)) << number;
            }
            let letter = fold.letters.number(Letter { family, values, marks: mask }).expect("no fault");
            placed.push((ticket, place, letter));
        }
        placed.sort_unstable();
        words.push(placed.iter().map(|(_, _, letter)| *letter).collect());
        places.push(placed.iter().map(|(_, place, _)| *place).collect());
    }
    let shared = world.shared_cells().iter().map(|cell| state.0[*cell]).collect();
    (Configuration { words, shared }, places)
}

/// All words of these lengths over the letters met so far, with each mark on one process.
fn words(fold: &Fold, sizes: &[usize]) -> Vec<Vec<Vec<LetterId>>> {
    let session = Session::unlimited();
    let meter = Meter::new(&session, "listing", "words");
    let mut all: Vec<Vec<Vec<LetterId>>> = vec![Vec::new()];
    for (family, size) in sizes.iter().enumerate() {
        let letters: Vec<LetterId> = (0..fold.letters.len() as LetterId)
            .filter(|l| fold.letters.letter(*l).family == family)
            .collect();
        let wanted: u32 = fold
            .class
            .marks
            .iter()
            .enumerate()
            .filter(|(_, m)| m.family == family)
            .map(|(n, _)| 1 << n)
            .sum();
        let mut own: Vec<Vec<LetterId>> = vec![Vec::new()];
        for _ in 0..*size {
            own = extended(&own, &letters, &meter).expect("no limit");
        }
        own.retain(|word: &Vec<LetterId>| {
            let marks = word.iter().map(|letter| fold.letters.letter(*letter).marks);
            marks.clone().fold(0, |a, b| a | b) == wanted
                && marks.map(u32::count_ones).sum::<u32>() == wanted.count_ones()
        });
        all = extended(&all, &own, &meter).expect("no limit");
    }
    all
}

/// How many concrete steps and debts were compared.
#[derive(Default)]
struct Compared {
    steps: usize,
    owed: usize,
    dropped: usize,
    ranked: usize,
    /// Reachable states of instances for whose abstraction sums were used.
    reached: usize,
}

/// The components of orders, each with that of a process named in the same family, and its number.
fn ranked(fold: &Fold) -> Vec<(usize, usize, usize)> {
    let components = &fold.letters.components;
    let mut pairs = Vec::new();
    for (marking, named) in components.iter().enumerate() {
        let Set::Mark(mark) = named.set else { continue };
        for (component, order) in components.iter().enumerate() {
            if matches!(order.set, Set::Order(..)) && order.family == named.family {
                pairs.push((component, marking, mark));
            }
        }
    }
    pairs
}

/// How many letters of a component's set are on its side of the named process; 0 while that has no position.
fn rank(fold: &Fold, configuration: &Configuration, component: usize, marking: usize) -> usize {
    let order = &fold.letters.components[component];
    let word = &configuration.words[order.family];
    let Some(place) = word.iter().position(|letter| fold.letters.is_in(*letter, marking)) else { return 0 };
    let side = if order.first { &word[..place] } else { &word[place + 1..] };
    side.iter().filter(|letter| fold.letters.is_in(**letter, component)).count()
}

/// Compares a space with the definitions on all configurations with these values of the parameters.
fn compare(fold: &mut Fold, space: &Space, values: &[i64], text: &str, compared: &mut Compared) {
    let session = Session::unlimited();
    let meter = Meter::new(&session, "comparing", "states");
    let class: Arc<Class> = Arc::clone(&fold.class);
    let world = fold.world(values).expect("an instance");
    let sizes: Vec<usize> = (0..class.counted.len()).map(|family| world.size(family)).collect();
    let shared: BTreeSet<Arc<[i64]>> = space.states.iter().map(|state| Arc::clone(&state.shared)).collect();
    let known: HashSet<&Abstract> = space.states.iter().collect();
    let steps: HashSet<(&Abstract, &Abstract)> = space
        .steps
        .iter()
        .map(|step| (&space.states[step.source as usize], &space.states[step.target as usize]))
        .collect();
    let requirements: Vec<&Fair> = class.fairness.iter().flatten().collect();
    let mut judged: Vec<Option<Justice<'_>>> = Vec::new();
    for fair in &requirements {
        let justice = |(_, family)| Justice::in_space(family, fair, fold, space, &meter).expect("no fault");
        judged.push(fair.own.map(justice));
    }
    let number_of = |wanted: &Abstract| space.states.iter().position(|state| state == wanted).expect("known");
    let fair: Vec<usize> = (0..requirements.len()).collect();
    let letters: Vec<LetterId> = (0..fold.letters.len() as LetterId).collect();
    for words in words(fold, &sizes) {
        for shared in &shared {
            let before = Configuration { words: words.clone(), shared: Arc::clone(shared) };
            let source = abstracted(fold, &before);
            if !known.contains(&source) || !has_sums(fold, &before) {
                continue;
            }
            let scene = fold.scene_of(&world, &before, Vec::new()).expect("tallies are known");
            let mut marks = vec![(usize::MAX, 0); class.marks.len()];
            for (family, word) in words.iter().enumerate() {
                for (place, letter) in word.iter().enumerate() {
                    for (number, mark) in marks.iter_mut().enumerate() {
                        if fold.letters.letter(*letter).marks >> number & 1 == 1 {
                            *mark = (family, place);
                        }
                    }
                }
            }
            // What a requirement owes the process at a position of its family, by definition.
            let owed = |number: usize, state: &State, place: usize, label: Label| {
                let fair = class.fairness.iter().flatten().nth(number).expect("a requirement");
                let (own, family) = fair.own.expect("of a process");
                let mut environment = Environment::default();
                environment.bind(own, class.counted[family].first + place as i64);
                fair.values.iter().for_each(|(index, value)| environment.bind(*index, *value));
                let position = Position { state: state.clone(), label };
                let mut truth = |expr: &Expr| {
                    semantics::step_predicate_in(
                        &world.instance,
                        &world.set(expr),
                        &position,
                        &mut environment,
                    )
                };
                truth(&fair.when).expect("no fault") && !truth(&fair.then).expect("no fault")
            };
            for &number in &fair {
                let (Some((_, family)), Some(justice)) = (requirements[number].own, &mut judged[number])
                else {
                    continue;
                };
                for &letter in &letters {
                    if justice.surely(fold, (number_of(&source), &source), Each::Owed, &[letter], &meter)
                        == Ok(true)
                    {
                        let mut places =
                            (0..words[family].len()).filter(|place| words[family][*place] == letter);
                        assert!(places.any(|place| owed(number, &scene.state, place, Label::Idle)), "{text}");
                        compared.owed += 1;
                    }
                }
            }
            for step in semantics::steps(&world.instance, &scene.state).expect("no fault") {
                let (after, _) = configuration(fold, &world, &step.target, &marks);
                let target = abstracted(fold, &after);
                assert!(steps.contains(&(&source, &target)), "{text}\n{source:?}\n{target:?}");
                compared.steps += 1;
                let matching: Vec<(usize, &super::space::AbstractStep)> = space
                    .steps
                    .iter()
                    .enumerate()
                    .filter(|(_, seen)| space.states[seen.source as usize] == source)
                    .filter(|(_, seen)| space.states[seen.target as usize] == target)
                    .collect();
                for (component, marking, mark) in ranked(fold) {
                    let (less, more) =
                        (rank(fold, &before, component, marking), rank(fold, &after, component, marking));
                    let changes: Vec<Change> = matching
                        .iter()
                        .map(|(_, step)| change(fold, step, component, marking, mark))
                        .collect();
                    // Some abstract step with this image must allow this change.
                    let fits = match more.cmp(&less) {
                        Ordering::Greater => changes.contains(&Change::PerhapsMore),
                        Ordering::Equal => changes.iter().any(|change| *change != Change::Fewer),
                        Ordering::Less => true,
                    };
                    assert!(fits, "{less} to {more}\n{text}\n{source:?}\n{target:?}");
                    compared.ranked += 1;
                }
                for &number in &fair {
                    let (Some((_, family)), Some(justice)) = (requirements[number].own, &mut judged[number])
                    else {
                        continue;
                    };
                    for (place, &letter) in words[family].iter().enumerate() {
                        let ends = !owed(number, &scene.state, place, step.label)
                            || !owed(number, &step.target, place, Label::Idle)
                            || letter_at(fold, &world, &step.target, family, place, &marks) != letter;
                        if step.label == Label::Idle
                            || !owed(number, &scene.state, place, Label::Idle)
                            || !ends
                        {
                            continue;
                        }
                        compared.dropped += 1;
                        let target = (number_of(&target), &target);
                        assert!(
                            matching
                                .iter()
                                .any(|s| justice.drops(fold, *s, target, &[letter], &meter) == Ok(true)),
                            "a debt ends unseen\n{text}\n{source:?}\n{target:?}"
                        );
                    }
                }
            }
        }
    }
}

fn letter_at(
    fold: &mut Fold,
    world: &World,
    state: &State,
    family: usize,
    place: usize,
    marks: &[(usize, usize)],
) -> LetterId {
    let (configuration, places) = configuration(fold, world, state, marks);
    let at = places[family].iter().position(|process| *process == place).expect("it is there");
    configuration.words[family][at]
}

/// Checks that every abstract step is a step of the scene it was found on.
fn replay(fold: &mut Fold, space: &Space, text: &str) {
    let session = Session::unlimited();
    let meter = Meter::new(&session, "replaying", "steps");
    for step in &space.steps {
        let context: &Context = &step.context;
        let realised = fold.realise(context, &meter).expect("no limit");
        let (before, _, world) = realised.expect("an instance");
        assert_eq!(abstracted(fold, &before), space.states[step.source as usize], "{text}");
        let class = Arc::clone(&fold.class);
        let scene = fold.scene_of(&world, &before, Vec::new()).expect("tallies are known");
        let mut marks = vec![(usize::MAX, 0); class.marks.len()];
        for (number, mark) in class.marks.iter().enumerate() {
            let index = scene.marks.get(mark.index).expect("bound");
            marks[number] = (mark.family, (index - class.counted[mark.family].first) as usize);
        }
        let Some(effect) = &step.effect else {
            continue;
        };
        let targets = semantics::successors(&world.instance, &scene.state, effect.action).expect("no fault");
        let target = &space.states[step.target as usize];
        let seen = targets.iter().any(|after| {
            let (after, _) = configuration(fold, &world, after, &marks);
            abstracted(fold, &after) == *target
        });
        assert!(seen, "{text}\n{target:?}");
    }
}

/// Explores the abstraction of a task and compares it with the definitions.
fn examine(task: &Task, text: &str, most: i64, compared: &mut Compared) -> bool {
    let Ok(class) = class(task) else { return false };
    let class = Arc::new(class);
    let mut fold = Fold::new(task.system(), &class, 0).expect("an instance");
    let session = Session::unlimited();
    let mut exploration = Exploration::default();
    let explored = exploration.explore(&mut fold, None, usize::MAX, &session).and_then(|()| fold.weigh());
    match explored {
        Ok(()) => {}
        Err(Stop::Fault(_) | Stop::TwoOrders | Stop::NoCount(_) | Stop::Unbalanced | Stop::TooLarge(_)) => {
            return false;
        }
        Err(Stop::Stopped(_)) => unreachable!("there is no limit"),
    }
    let space = exploration.space;
    replay(&mut fold, &space, text);
    let least: Vec<i64> = task.system().parameters.iter().map(|parameter| parameter.least).collect();
    for more in 0..=most {
        let values: Vec<i64> = least.iter().map(|least| least + more).collect();
        let world = fold.world(&values).expect("an instance");
        for state in
            model::initial::initial_states(&world.instance).map(|state| state.expect("no fault")).take(200)
        {
            let marks: Vec<(usize, usize)> = class.marks.iter().map(|mark| (mark.family, 0)).collect();
            let (begin, _) = configuration(&mut fold, &world, &state, &marks);
            let begin = abstracted(&mut fold, &begin);
            assert!(space.initial.iter().any(|number| space.states[*number as usize] == begin), "{text}");
        }
        compared.reached += reach(&mut fold, &world, text);
        compare(&mut fold, &space, &values, text, compared);
    }
    true
}

#[test]
fn the_classics_are_covered_and_nothing_is_added() {
    let mut compared = Compared::default();
    for name in ["mux_sem", "terminate", "szymanski", "bakery", "readers_writers"] {
        let path = format!("{}/../../examples/counter/{name}.fair", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example");
        // The first property names no process, the last one does.
        let tasks = tasks(&text);
        let most = if name == "szymanski" { 1 } else { 2 };
        let named = tasks.iter().rposition(|task| !task.property.binders.is_empty());
        assert!(examine(&tasks[1], name, most, &mut compared), "{name}");
        if let (Some(named), true) = (named, name != "szymanski") {
            assert!(examine(&tasks[named], name, 1, &mut compared), "{name}");
        }
    }
    assert!(compared.steps > 2_000 && compared.owed > 500 && compared.dropped > 500);
}

#[test]
fn without_the_rank_of_a_process_the_bakery_seems_to_starve_it() {
    use super::space::Predicate;
    use super::{emptiness, requirements};
    let path = format!("{}/../../examples/counter/bakery.fair", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("an example");
    let tasks = tasks(&text);
    let task = tasks.iter().find(|task| task.property.name == "access".into()).expect("a property");
    let class = Arc::new(class(task).expect("in the class"));
    let mut fold = Fold::new(task.system(), &class, 0).expect("an instance");
    let model::property::Kind::Ltl(formula) = &class.kind else { panic!("LTL") };
    let negated = model::Formula::Not(Box::new(formula.clone()));
    let automaton = automata::translate(&negated, &|_| false).expect("an automaton");
    let session = Session::unlimited();
    let meter = Meter::new(&session, "testing", "steps");
    let mut exploration = Exploration::default();
    exploration.explore(&mut fold, None, usize::MAX, &session).expect("no trouble");
    let mut space = exploration.space;
    let atoms: Vec<usize> = automaton
        .atoms
        .iter()
        .map(|atom| space.column(Predicate::closed(atom), &meter).expect("no trouble"))
        .collect();
    let derived = requirements::derive(&mut fold, &space, &class.fairness[0][0], None, &meter);
    let mut derived = derived.unwrap_or_else(|stop| panic!("{stop:?}"));
    derived.extend(requirements::ranks(&fold, &space, &meter).unwrap_or_else(|stop| panic!("{stop:?}")));
    let search = |derived: &[requirements::Derived]| {
        let derived: Vec<&requirements::Derived> = derived.iter().collect();
        let found = emptiness::search(&space, &automaton, &atoms, &[], &derived, &session);
        found.ok().and_then(|found| found.lasso)
    };
    assert!(search(&derived).is_none());
    derived.retain(|derived| derived.source != "the order of the processes");
    assert!(search(&derived).is_some());
}

#[test]
fn random_models_are_covered_and_nothing_is_added() {
    let mut random = Random(7);
    let mut compared = Compared::default();
    let mut examined = 0;
    for round in 0..100 {
        // The second kind has more letters.
        let (text, most) =
            if round < 60 { (generate::model(&mut random), 2) } else { (permits::model(&mut random), 1) };
        for task in tasks(&text) {
            examined += usize::from(examine(&task, &format!("model {round}:\n{text}"), most, &mut compared));
        }
    }
    println!(
        "{examined} tasks, {} steps, {} debts, {} ended, {} states with sums",
        compared.steps, compared.owed, compared.dropped, compared.reached
    );
    assert!(examined > 100 && compared.steps > 10_000 && compared.owed > 500 && compared.dropped > 500);
    assert!(compared.reached > 0, "sums are used");
}
