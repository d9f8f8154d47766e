//! Bad orders of the cells, and how moving bits repairs them.
//!
//! The order is fixed by the test, and the table has room for about a million nodes. With a good order that is
//! plenty. With the bad one it is not enough while bits stay where they are, and enough if they may move.

use std::fs;
use std::path::Path;

use engines::bdd::Limits;
use engines::symbolic::Order;
use engines::{Engine, Symbolic};
use model::{Answer, Instance, Session, Task};

const NODES: usize = 1 << 20;

/// A property of a model.
fn task(text: &str, settings: &[(&str, &str)], property: &str) -> Task {
    let settings: Vec<(String, String)> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let model = lang::load("model", text, &settings).model.expect("a model without errors");
    let check = model.checks.into_iter().find(|check| check.task.property.name == property.into());
    check.expect("the property").task
}

/// The cells sorted by a key of their names, smaller keys further up.
fn by<K: Ord>(task: &Task, key: impl Fn(&str) -> K) -> Order {
    let instance = Instance::new(task.system().clone()).expect("an instance");
    let mut names: Vec<String> = instance.cells.iter().map(|cell| cell.name.clone()).collect();
    names.sort_by_key(|name| key(name));
    Order::Named(names)
}

/// Whether the table is large enough for a task that holds.
fn is_decided(task: &Task, order: &Order, sift_from: usize) -> bool {
    let limits = Limits { nodes: NODES, sift_from, ..Limits::default() };
    let engine = Symbolic { notes: false, evidence: 0, limits, order: order.clone(), ..Symbolic::default() };
    match engine.check(task, &Session::unlimited()).expect("the engine accepts the task") {
        Answer::Holds(_) => true,
        Answer::Unknown(_) => false,
        Answer::Fails(evidence) => panic!("it holds: {evidence:?}"),
    }
}

fn is_rescued(task: &Task, bad: &Order) {
    assert!(is_decided(task, &Order::Communication, usize::MAX), "our own order is good");
    assert!(!is_decided(task, bad, usize::MAX), "the order is bad");
    assert!(is_decided(task, bad, 2_000), "bits that move make up for it");
}

#[test]
fn all_forks_above_all_philosophers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/split/dining_phil.fair");
    let task = task(&fs::read_to_string(file).expect("a model"), &[("N", "16")], "neighbours");
    is_rescued(&task, &by(&task, |name| !name.starts_with("fork")));
}
