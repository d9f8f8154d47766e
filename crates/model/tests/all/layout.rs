//! How an instance lists processes, cells and actions.

use std::sync::Arc;

use model::expr::{Operator, Party};
use model::instance::{Environment, Obstacle, Start};
use model::system::{Initial, Parameter, System};
use model::{Expr, Fault, Index, Instance, Pattern, Span};

use crate::workshop::{F, G, N, P, Q, R, S, W, X, Y, Z, binder, instance, int, place, system};

#[test]
fn shared_cells_come_first_and_those_of_a_process_stay_together() {
    let instance = instance();
    let names: Vec<&str> = instance.cells.iter().map(|cell| cell.name.as_str()).collect();
    let expected = "b x f[1] f[2] f[3] g[0][1] g[0][2] g[1][1] g[1][2] c n P[1].y P[1]@ P[2].y P[2]@ \
                    S.z[1] S.z[2] Q[3].w Q[4].w Q[5].w";
    assert_eq!(names.join(" "), expected);
    let processes: Vec<&str> = instance.processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!(processes, ["P[1]", "P[2]", "S", "Q[3]", "Q[4]", "Q[5]"]);
}

#[test]
fn every_cell_is_found_by_its_variable_owner_and_position() {
    let instance = instance();
    for (number, cell) in instance.cells.iter().enumerate() {
        assert_eq!(instance.cell(cell.variable, cell.owner, &cell.position), Ok(number), "{}", cell.name);
        assert!(instance.cells_of(cell.variable, cell.owner).contains(&number));
        let process = cell.owner.and_then(|owner| instance.processes[owner.0 as usize].index);
        let constant =
            place(cell.variable, process.map(int), cell.position.iter().map(|value| int(*value)).collect());
        assert_eq!(instance.constant_cell(&constant), Some(Ok(number)), "{}", cell.name);
    }
    for (number, process) in instance.processes.iter().enumerate() {
        let id = instance.process(process.family, process.index).expect("it exists");
        assert_eq!(id.0 as usize, number);
        assert!(instance.members(process.family).any(|member| member == id));
    }
    assert_eq!(instance.members(Q).count(), 3);
    assert_eq!(instance.cells_of(G, None).len(), 4);
    assert_eq!(instance.dimensions(G), [(0, 1), (1, 2)]);
    let single = instance.process(S, None).expect("it exists");
    assert_eq!(instance.cells_of(Z, Some(single)).len(), 2);
    let dynamic = place(F, None, vec![Expr::Read(place(X, None, Vec::new()))]);
    assert_eq!(instance.constant_cell(&dynamic), None);
}

#[test]
fn what_does_not_exist_is_a_fault() {
    let instance = instance();
    let missing = |name: &str, value: i64, lo: i64, hi: i64| Fault::NoSuchProcess {
        name: name.to_owned(),
        value,
        lo,
        hi,
    };
    assert_eq!(instance.process(P, Some(0)), Err(missing("P", 0, 1, 2)));
    assert_eq!(instance.process(Q, Some(6)), Err(missing("Q", 6, 3, 5)));
    let outside = |value: i64| Fault::OutsideArray { name: "f".to_owned(), value, lo: 1, hi: 3 };
    assert_eq!(instance.cell(F, None, &[4]), Err(outside(4)));
    assert_eq!(instance.cell(F, None, &[i64::MIN]), Err(outside(i64::MIN)));
    assert_eq!(instance.constant_cell(&place(W, Some(int(2)), Vec::new())), Some(Err(missing("Q", 2, 3, 5))));
}

#[test]
fn starts_are_sorted_and_may_depend_on_the_process() {
    let instance = instance();
    let start = |name: &str| {
        let number = instance.cells.iter().position(|cell| cell.name == name).expect("a cell");
        instance.starts[number].clone()
    };
    assert_eq!(start("b"), Start::Any);
    assert_eq!(start("x"), Start::Among(vec![0, 2]));
    assert_eq!(start("f[2]"), Start::Among(vec![1]));
    assert_eq!(start("P[1].y"), Start::Among(vec![1]));
    assert_eq!(start("P[2].y"), Start::Among(vec![2]));
    let unbounded = instance.cells_of(N, None).start;
    assert!(instance.cells[unbounded].domain.is_unbounded());
}

#[test]
fn actions_are_counted_out_without_those_that_can_never_be_enabled() {
    let instance = instance();
    let names: Vec<&str> = instance.actions.iter().map(|action| action.name.as_str()).collect();
    // `give(r)` asks for `r != i`.
    let expected = "P[1].go P[2].go P[1].give(2) P[1].give(3) P[2].give(1) P[2].give(3) \
                    P[1].meet+Q[3].greet P[1].meet+Q[4].greet P[1].meet+Q[5].greet \
                    P[2].meet+Q[3].greet P[2].meet+Q[4].greet P[2].meet+Q[5].greet S.roll S.rest";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn an_action_whose_guard_faults_before_it_is_false_is_kept() {
    let mut system = system();
    let divided =
        Expr::eq(Expr::binary(Operator::Div, int(1), Expr::Read(place(X, None, Vec::new()))), int(1));
    let never = Expr::eq(Expr::Index(R), int(9));
    system.actions.truncate(2);
    system.actions[1].guard = Expr::And(vec![divided.clone(), never.clone()]);
    let kept = Instance::new(Arc::new(system.clone())).expect("an instance");
    assert_eq!(kept.actions.len(), 2 + 6);
    system.actions[1].guard = Expr::And(vec![never, divided]);
    let dropped = Instance::new(Arc::new(system)).expect("an instance");
    assert_eq!(dropped.actions.len(), 2);
}

#[test]
fn two_of_a_family_meet_but_not_one_with_itself() {
    let mut system = system();
    system.actions.truncate(3);
    system.actions.drain(..2);
    system.actions[0].participants[1].family = P;
    system.actions[0].participants[1].index = Some(Index(1));
    system.actions[0].guard = Expr::Bool(true);
    system.actions[0].update = model::Update::Skip;
    let instance = Instance::new(Arc::new(system)).expect("an instance");
    let names: Vec<&str> = instance.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(names, ["P[1].meet+P[2].greet", "P[2].meet+P[1].greet"]);
}

#[test]
fn a_pattern_matches_by_process_label_and_arguments() {
    let instance = instance();
    let names = |parties: Vec<Party>, arguments: Option<Vec<Expr>>| {
        let pattern = Pattern { participants: parties, arguments };
        let actions = instance.matching(&pattern, &Environment::default()).expect("no fault");
        actions.iter().map(|action| instance.action(*action).name.clone()).collect::<Vec<_>>().join(" ")
    };
    let party = |family, process: Option<i64>, label: Option<&str>| Party {
        family,
        process: process.map(|value| Box::new(int(value))),
        label: label.map(str::to_owned),
    };
    assert_eq!(names(Vec::new(), None).split(' ').count(), instance.actions.len());
    assert_eq!(names(vec![party(P, None, Some("go"))], None), "P[1].go P[2].go");
    assert_eq!(names(vec![party(P, Some(2), Some("give"))], None), "P[2].give(1) P[2].give(3)");
    assert_eq!(names(vec![party(P, None, Some("give"))], Some(vec![int(3)])), "P[1].give(3) P[2].give(3)");
    assert_eq!(names(vec![party(S, None, None)], Some(Vec::new())), "S.roll S.rest");
    let both = vec![party(P, Some(1), None), party(Q, Some(4), None)];
    assert_eq!(names(both, None), "P[1].meet+Q[4].greet");
    // A rendezvous is an action of both its processes.
    assert_eq!(names(vec![party(Q, Some(5), None)], None), "P[1].meet+Q[5].greet P[2].meet+Q[5].greet");
    assert_eq!(names(vec![party(P, None, Some("greet"))], None), "");
    let nobody = Pattern { participants: vec![party(P, Some(3), None)], arguments: None };
    assert!(matches!(instance.matching(&nobody, &Environment::default()), Err(Fault::NoSuchProcess { .. })));
}

#[test]
fn a_system_without_an_instance_says_why() {
    let obstacle = |edit: &dyn Fn(&mut System)| {
        let mut system = system();
        edit(&mut system);
        Instance::new(Arc::new(system)).expect_err("an obstacle")
    };
    let open = obstacle(&|system| system.parameters.push(Parameter { name: "N".to_owned(), least: 1 }));
    assert_eq!(open, Obstacle::Parameter("N".to_owned()));
    assert_eq!(open.to_string(), "parameter `N` has no value");
    let outside = obstacle(&|system| system.variables[X.0 as usize].initial = Initial::Among(vec![int(4)]));
    assert_eq!(outside.to_string(), "the initial value 4 of `x` is outside -2..3");
    let few = obstacle(&|system| system.variables[F.0 as usize].initial = Initial::Elements(vec![int(1)]));
    assert!(matches!(few, Obstacle::Initial(_)));
    let divided = Expr::binary(Operator::Div, int(1), int(0));
    let fault =
        obstacle(&|system| system.variables[Y.0 as usize].initial = Initial::Among(vec![divided.clone()]));
    assert_eq!(fault, Obstacle::Fault(Fault::DivisionByZero));
    let long = |hi: i64| vec![Span::between(1, hi), Span::between(0, i64::MAX)];
    let large = [
        obstacle(&|system| system.variables[F.0 as usize].kind.dimensions = long(3)),
        obstacle(&|system| system.variables[F.0 as usize].kind.dimensions = long(i64::MAX)),
        obstacle(&|system| system.families[0].index = Some(binder(Index(0), 1, 1_000_000_000))),
        obstacle(&|system| system.families[0].index = Some(binder(Index(0), i64::MIN, i64::MAX))),
        obstacle(&|system| system.actions[1].parameters = vec![binder(R, 1, i64::MAX)]),
        obstacle(&|system| {
            system.actions[1].parameters = (10..20).map(|index| binder(Index(index), 1, 100)).collect();
        }),
    ];
    for obstacle in large {
        assert!(matches!(obstacle, Obstacle::TooLarge(_)), "{obstacle}");
    }
}
