//! Placing cells, and what that is for.

use std::sync::Arc;

use model::expr::Operator::{Eq, Ge, Gt, Le, Lt, Ne};
use model::instance::Cell;
use model::system::{Action, Family, Initial, Participant, Scalar, System, Type, Update, Variable};
use model::{Binder, Expr, FamilyId, Index, Instance, Place, Session, Span, State, VariableId, semantics};

use super::expression::Expressions;
use super::order::order;
use crate::bdd::{Cells, Limits, Table};

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
        indices: vec![model::system::IndexName::new("i", Scalar::Range(span.clone()))],
        variables: vec![
            variable("bus", None, vec![]),
            variable("fork", None, vec![span.clone()]),
            variable("own", Some(family), vec![]),
        ],
        families: vec![Family { name: "P".to_owned(), index: Some(Binder { index, span }), location: None }],
        actions: vec![Action {
            participants: vec![Participant {
                family,
                index: Some(index),
                only: None,
                label: "flip".to_owned(),
            }],
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

/// Sums of parts that only add and of parts that also take away, compared with constants in and out of their range.
#[test]
fn a_sum_that_is_compared_with_a_constant_is_cut_off_only_where_that_is_right() {
    let source =
        "shared a, b, c: 0..2; shared d: -1..1; process P { action t { a = 0; } } invariant p: a == b;";
    let model = lang::load("test", source, &[]).model.expect("the model is right");
    let instance = Arc::clone(model.subject.instance().expect("no open parameters"));
    let domains: Vec<(i64, i64)> =
        instance.cells.iter().map(|cell| (cell.domain.lo, cell.domain.hi)).collect();
    let session = Session::unlimited();
    let cells = Cells::new(&domains, &[0, 1, 2, 3]);
    let table = Table::new(cells.bits(), Limits::default(), &session);
    let expressions = Expressions::new(&instance, &table, &cells);
    let read =
        |variable| Expr::Read(Place { variable: VariableId(variable), process: None, position: vec![] });
    for parts in [vec![0, 1, 2], vec![0, 3, 1], vec![3, 0, 1, 2], vec![0, 1, 2, 3]] {
        let sum = || Expr::Sum(parts.iter().copied().map(read).collect());
        for (constant, operator) in (-3..8).flat_map(|c| [Eq, Ne, Lt, Le, Gt, Ge].map(|o| (c, o))) {
            for swapped in [false, true] {
                let (left, right) =
                    if swapped { (Expr::Int(constant), sum()) } else { (sum(), Expr::Int(constant)) };
                let predicate = Expr::binary(operator, left, right);
                let Ok((truth, _)) = expressions.predicate(&predicate) else { panic!("no limit") };
                for code in 0..81 {
                    let values = vec![code % 3, code / 3 % 3, code / 9 % 3, code / 27 - 1];
                    let state = State(values);
                    let expected =
                        semantics::state_predicate(&instance, &predicate, &state).expect("no fault");
                    let found = table.contains(&truth, &cells.encode(&state.0));
                    assert_eq!(found, expected, "{predicate:?} in {state:?}");
                }
            }
        }
    }
}
