//! Random steps that processes take together, against the definition: a rendezvous or a joint event may stand anywhere.
//!
//! The paths of every step are listed as sequences without choices. A joint step is a path of each process: all of them do
//! what comes before the part that they take together, in their order; then it happens; then all do the rest. What such
//! a sequence leads to is compared with the outcomes of the action in the reference semantics of the model.

use std::collections::BTreeSet;

use model::initial::initial_states;
use model::{ActionId, Instance, State, semantics};

use crate::steps::{Code, Condition, Faulty, Hole, Number, Random, Target, World, block, show, world};

/// One thing after the other, without a choice.
#[derive(Clone, Copy)]
enum Event<'c> {
    Do(&'c Code),
    Test(&'c Condition, bool),
    Bind(i64),
    Unbind(usize),
    Hole(&'c Hole),
}

type Path<'c> = Vec<Event<'c>>;

/// The paths of a block. `bound` names are bound before it.
fn paths(block: &[Code], bound: usize) -> Vec<Path<'_>> {
    let mut paths: Vec<Path<'_>> = vec![Vec::new()];
    let mut names = bound;
    for code in block {
        let branch = |condition, truth, body| -> Vec<Path<'_>> {
            let then = self::paths(body, names).into_iter();
            then.map(|rest| [vec![Event::Test(condition, truth)], rest].concat()).collect()
        };
        let ways: Vec<Path<'_>> = match code {
            Code::If(condition, yes, no) => {
                branch(condition, true, yes).into_iter().chain(branch(condition, false, no)).collect()
            }
            Code::Either(branches) => branches.iter().flat_map(|body| self::paths(body, names)).collect(),
            Code::Choose(condition, body) => (0..=2)
                .flat_map(|value| {
                    let first = vec![Event::Bind(value), Event::Test(condition, true)];
                    let bodies = self::paths(body, names + 1).into_iter();
                    bodies.map(move |rest| [first.clone(), rest, vec![Event::Unbind(names)]].concat())
                })
                .collect(),
            Code::For(body) => {
                let rounds = self::paths(body, names + 1);
                let mut all: Vec<Path<'_>> = vec![Vec::new()];
                for value in 0..=2 {
                    let mut longer = Vec::new();
                    for known in &all {
                        for round in &rounds {
                            let (first, last) = ([Event::Bind(value)], [Event::Unbind(names)]);
                            longer.push([&known[..], &first, round, &last].concat());
                        }
                    }
                    all = longer;
                }
                all
            }
            Code::Hole(hole) => vec![vec![Event::Hole(hole)]],
            code => vec![vec![Event::Do(code)]],
        };
        names += usize::from(code.binds());
        paths = paths.iter().flat_map(|known| ways.iter().map(|way| [&known[..], way].concat())).collect();
    }
    for path in &mut paths {
        path.push(Event::Unbind(bound));
    }
    paths
}

fn holes(path: &Path<'_>) -> usize {
    path.iter().filter(|event| matches!(event, Event::Hole(_))).count()
}

/// The paths with no hole, and those with one.
fn sorted(paths: Vec<Path<'_>>) -> (Vec<Path<'_>>, Vec<Path<'_>>) {
    paths.into_iter().partition(|path| holes(path) == 0)
}

/// What several processes do in a world, each with names of its own; the message that is passed.
struct Run {
    world: World,
    names: Vec<Vec<i64>>,
    message: i64,
}

impl Run {
    /// Whether it goes on after an event of a process.
    fn event(&mut self, process: usize, event: Event<'_>) -> Result<bool, Faulty> {
        self.world.bound.clone_from(&self.names[process]);
        match event {
            Event::Test(condition, truth) => return Ok(self.world.condition(condition)? == truth),
            Event::Bind(value) => self.world.bound.push(value),
            Event::Unbind(length) => self.world.bound.truncate(length),
            Event::Do(code) => match self.world.step(code)?.pop() {
                Some(world) => self.world = world,
                None => return Ok(false),
            },
            Event::Hole(Hole::Send(value)) => {
                self.message = self.world.number(value)?;
                if !(0..=2).contains(&self.message) {
                    return Err(Faulty);
                }
            }
            Event::Hole(Hole::Receive(target)) => self.world.write(target, self.message)?,
            Event::Hole(Hole::LetReceive) => self.world.bound.push(self.message),
            Event::Hole(Hole::Sync) => {}
        }
        self.names[process].clone_from(&self.world.bound);
        Ok(true)
    }

    /// Where a path of every process leads to, if they can be taken together.
    fn together(world: &World, paths: &[&Path<'_>]) -> Result<Option<World>, Faulty> {
        let mut run = Run { world: world.clone(), names: vec![Vec::new(); paths.len()], message: 0 };
        for stretch in 0..3 {
            for (process, path) in paths.iter().enumerate() {
                let hole = path.iter().position(|event| matches!(event, Event::Hole(_)));
                let hole = hole.unwrap_or(path.len());
                let next = (hole + 1).min(path.len());
                let [from, to] = [[0, hole], [hole, next], [next, path.len()]][stretch];
                for event in &path[from..to] {
                    if !run.event(process, *event)? {
                        return Ok(None);
                    }
                }
            }
        }
        run.world.bound.clear();
        Ok(Some(run.world))
    }
}

/// The outcomes of a joint step: those of every combination of paths.
fn outcomes(world: &World, processes: &[&Vec<Path<'_>>]) -> Result<BTreeSet<World>, Faulty> {
    let mut combined: Vec<Vec<&Path<'_>>> = vec![Vec::new()];
    for paths in processes {
        let mut longer = Vec::new();
        for known in &combined {
            longer.extend(paths.iter().map(|path| [&known[..], &[path]].concat()));
        }
        combined = longer;
    }
    let mut worlds = BTreeSet::new();
    for paths in &combined {
        worlds.extend(Run::together(world, paths)?);
    }
    Ok(worlds)
}

/// Puts a hole somewhere into a block. `make` is told how many names are bound there.
fn with_hole(
    random: &mut Random,
    block: &mut Vec<Code>,
    bound: usize,
    make: &dyn Fn(&mut Random, usize) -> Hole,
) {
    let at = random.below(block.len() + 1);
    let bound = bound + block[..at].iter().filter(|code| code.binds()).count();
    if random.below(3) > 0 {
        match block.get_mut(at) {
            Some(Code::If(_, body, _)) => return with_hole(random, body, bound, make),
            Some(Code::Choose(_, body)) => return with_hole(random, body, bound + 1, make),
            Some(Code::Either(branches)) => {
                let branch = random.below(branches.len());
                return with_hole(random, &mut branches[branch], bound, make);
            }
            _ => {}
        }
    }
    let hole = make(random, bound);
    block.insert(at, Code::Hole(hole));
}

/// Numbers of comparisons.
#[derive(Default)]
struct Seen {
    taken: u64,
    disabled: u64,
    faults: u64,
    refused: u64,
}

/// Compares the outcomes of the action with this name in random states; an action that does not exist has none.
fn compare(random: &mut Random, text: &str, expected: &[(&str, Vec<&Vec<Path<'_>>>)], seen: &mut Seen) {
    let Some(model) = lang::load("test", text, &[]).model else {
        // Something is wrong in every run.
        seen.refused += 1;
        return;
    };
    let instance: &Instance = model.subject.instance().expect("no parameters");
    let states: Vec<State> = initial_states(instance).map(|state| state.expect("no fault")).collect();
    for _ in 0..10 {
        let state = &states[random.below(states.len())];
        for (name, processes) in expected {
            let action = instance.actions.iter().position(|action| action.name == *name);
            let found = match action {
                None => Ok(Vec::new()),
                Some(action) => semantics::successors(instance, state, ActionId(action as u32)),
            };
            let expected = outcomes(&world(instance, state), processes);
            if action.is_none() && expected.is_err() {
                // It would only meet where control never comes, as in `if 2 < 0 { r!1; }`. Its process has the fault alone.
                continue;
            }
            match (expected, found) {
                (Err(Faulty), Err(_)) => seen.faults += 1,
                (Ok(expected), Ok(found)) => {
                    let found: BTreeSet<World> = found.iter().map(|state| world(instance, state)).collect();
                    assert_eq!(expected, found, "{name} in {state:?}: {text}");
                    *(if found.is_empty() { &mut seen.disabled } else { &mut seen.taken }) += 1;
                }
                (expected, found) => {
                    let expected = expected.map_err(|Faulty| "a fault");
                    panic!("{name} in {state:?}: {expected:?} but {found:?}: {text}")
                }
            }
        }
    }
}

const DECLARED: &str = "shared x, y: 0..2 = any; shared f: array[0..2] of 0..2 = any; chan c: [2] of 0..2;";

fn count() -> u64 {
    crate::setting("FAIRLY_STEPS", 200)
}

#[test]
fn a_rendezvous_may_stand_anywhere_in_a_step() {
    let mut seen = Seen::default();
    for seed in 0..count() {
        let random = &mut Random(seed);
        let (mut sends, mut receives) = (block(random, 0, 1), block(random, 0, 1));
        with_hole(random, &mut sends, 0, &|random, bound| match bound {
            0 => Hole::Send(Number::Literal(random.below(3) as i64)),
            _ => Hole::Send(Number::Bound(random.below(bound))),
        });
        with_hole(random, &mut receives, 0, &|random, _| match random.below(3) {
            0 => Hole::LetReceive,
            1 => Hole::Receive(Target::Element(Number::Cell("x"))),
            _ => Hole::Receive(Target::Cell("y")),
        });
        let text = format!(
            "{DECLARED} chan r: [0] of 0..2; process P {{ action a {{ {} }} }} process Q {{ action b {{ {} }} }}",
            show(&sends, 0),
            show(&receives, 0)
        );
        let (alone, sends) = sorted(paths(&sends, 0));
        let (other, receives) = sorted(paths(&receives, 0));
        let expected = [("P.a", vec![&alone]), ("Q.b", vec![&other]), ("P.a+Q.b", vec![&sends, &receives])];
        compare(random, &text, &expected, &mut seen);
    }
    let Seen { taken, disabled, faults, refused } = seen;
    println!("{taken} taken, {disabled} disabled, {faults} faults, {refused} refused");
    assert!(taken > count() && disabled > count() && faults > count() && refused < count() / 2);
}

#[test]
fn a_joint_event_may_stand_anywhere_in_a_step() {
    let mut seen = Seen::default();
    for seed in 0..count() {
        let random = &mut Random(seed);
        let mut steps = [block(random, 0, 1), block(random, 0, 1)];
        for step in &mut steps {
            with_hole(random, step, 0, &|_, _| Hole::Sync);
        }
        let text = format!(
            "{DECLARED} event e; process P[i: 1..2] {{ action a {{ {} }} }} process Q {{ action b {{ {} }} }}",
            show(&steps[0], 0),
            show(&steps[1], 0)
        );
        let (alone, together) = sorted(paths(&steps[0], 0));
        let (_, other) = sorted(paths(&steps[1], 0));
        let expected = [("P[2].a", vec![&alone]), ("P[1].a+P[2].a+Q.b", vec![&together, &together, &other])];
        compare(random, &text, &expected, &mut seen);
    }
    let Seen { taken, disabled, faults, refused } = seen;
    println!("{taken} taken, {disabled} disabled, {faults} faults, {refused} refused");
    assert!(taken > count() / 2 && disabled > count() && faults > count() / 2 && refused < count() / 2);
}
