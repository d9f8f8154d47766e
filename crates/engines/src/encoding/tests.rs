//! Placing cells, and what that is for.

use std::sync::Arc;

use model::instance::Cell;
use model::system::{Action, Family, Initial, Participant, Scalar, System, Type, Update, Variable};
use model::{Binder, Expr, FamilyId, Index, Instance, Place, Span, VariableId};

use super::order::order;

/// A ring of processes: process `i` flips its own bit, the fork before it and the one after it, and a shared bit.
fn ring(processes: i64) -> Instance {
    let bool_of = |dimensions| Type { dimensions, scalar: Scalar::Bool };
    let span = Span::between(0, processes - 1);
    let index = Index(0);
    let i = Expr::Index(index);
    let next = Expr::binary(
        model::expr::Operator::Mod,
        Expr::Sum(vec![i.clone(), Expr::Int(1)]),
        Expr::Int(processes),
    );
    let variable = |name: &str, owner, dimensions| Variable {
        name: name.to_owned(),
        owner,
        kind: bool_of(dimensions),
        initial: Initial::Among(vec![Expr::Bool(false)]),
    };
    let place = |variable, process: Option<Expr>, position| Place {
        variable: VariableId(variable),
        process: process.map(Box::new),
        position,
    };
    let places = [
        place(0, None, vec![]),
        place(1, None, vec![i.clone()]),
        place(1, None, vec![next]),
        place(2, Some(i), vec![]),
    ];
    let flip = |place: &Place| (place.clone(), Expr::Not(Box::new(Expr::Read(place.clone()))));
    let family = FamilyId(0);
    let system = System {
        name: "ring".to_owned(),
        indices: vec![model::system::IndexName { name: "i".to_owned(), scalar: Scalar::Range(span.clone()) }],
        variables: vec![
            variable("bus", None, vec![]),
            variable("fork", None, vec![span.clone()]),
            variable("own", Some(family), vec![]),
        ],
        families: vec![Family { name: "P".to_owned(), index: Some(Binder { index, span }), location: None }],
        actions: vec![Action {
            participants: vec![Participant { family, index: Some(index), label: "flip".to_owned() }],
            parameters: vec![],
            guard: Expr::Bool(true),
            update: Update::Assign(places.iter().map(flip).collect()),
        }],
        ..System::default()
    };
    Instance::new(Arc::new(system)).expect("a ring has an instance")
}

#[test]
fn what_all_use_is_on_top_and_what_few_use_is_beside_them() {
    let instance = ring(6);
    let order = order(&instance);
    let name = |cell: &usize| {
        let Cell { name, .. } = &instance.cells[*cell];
        name.as_str()
    };
    let names: Vec<&str> = order.iter().map(name).collect();
    assert_eq!(names[0], "bus");
    let place = |name: &str| names.iter().position(|other| *other == name).expect("every cell has a place");
    // Neighbours in the ring, but for the one place where it closes.
    for i in 1..5 {
        let (before, after) = (place(&format!("P[{i}].own")), place(&format!("P[{}].own", i + 1)));
        assert!(before.abs_diff(after) <= 3, "{names:?}");
        let fork = place(&format!("fork[{}]", i + 1));
        assert!(fork.abs_diff(before) <= 2 && fork.abs_diff(after) <= 2, "{names:?}");
    }
}
