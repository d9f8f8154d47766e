//! Orders of the cells that are measured to be bad, and how moving bits rescues them.
//!
//! The order is forced, and the table may hold only so many nodes. With the bad order, as it stays, the task needs a table
//! several times as large as where bits may move.

use std::fs;
use std::path::Path;

use engines::bdd::Limits;
use engines::symbolic::Order;
use engines::{Engine, Symbolic};
use model::{Answer, Instance, Run, Task};

/// A property of a model.
fn task(text: &str, settings: &[(&str, &str)], property: &str) -> Task {
    let settings: Vec<(String, String)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let model = lang::load("model", text, &settings).model.expect("a model without errors");
    let check = model.checks.into_iter().find(|check| check.task.property.name == property);
    check.expect("the property").task
}

/// The cells by name, those with a smaller key further up.
fn by<K: Ord>(task: &Task, key: impl Fn(&str) -> K) -> Order {
    let instance = Instance::new(task.system.clone()).expect("an instance");
    let mut names: Vec<String> = instance.cells.iter().map(|cell| cell.name.clone()).collect();
    names.sort_by_key(|name| key(name));
    Order::Named(names)
}

/// The size of the smallest table, a power of two, in which a task that holds is decided.
fn needed(task: &Task, order: &Order, moving: bool) -> usize {
    let enough = |nodes: &usize| {
        let sift_from = if moving { nodes / 16 } else { usize::MAX };
        let limits = Limits { nodes: *nodes, sift_from, ..Limits::default() };
        let engine = Symbolic { notes: false, limits, order: order.clone() };
        match engine.check(task, &Run::unlimited()) {
            Answer::Holds(_) => true,
            Answer::Unknown(_) => false,
            Answer::Fails(evidence) => panic!("it holds: {evidence:?}"),
        }
    };
    let sizes = (11..=20).map(|power| 1 << power);
    sizes.clone().find(enough).unwrap_or_else(|| panic!("a table of {:?} nodes is too small", sizes.last()))
}

/// Moving bits makes up for a bad order.
fn is_rescued(task: &Task, bad: &Order) {
    let good = needed(task, &Order::Communication, false);
    let (fixed, moving) = (needed(task, bad, false), needed(task, bad, true));
    println!("good order: {good} nodes; bad order: {fixed} as it is, {moving} where bits move");
    assert!(fixed >= 4 * good, "the order is not bad");
    assert!(fixed >= 4 * moving, "it is not rescued");
}

#[test]
fn all_forks_above_all_philosophers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/split/dining_phil.fair");
    let task = task(&fs::read_to_string(file).expect("a model"), &[("N", "10")], "neighbours");
    is_rescued(&task, &by(&task, |name| !name.starts_with("fork")));
}

#[test]
fn the_cells_of_every_process_far_from_one_another() {
    let text = "process P[i: 1..12] { local a: bool; local b: bool; action flip { a = !a; b = !b; } }
        invariant alike: forall i in 1..12: P[i].a == P[i].b;";
    let task = task(text, &[], "alike");
    is_rescued(&task, &by(&task, |name| name.ends_with(".b")));
}
