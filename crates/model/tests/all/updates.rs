//! The effects of updates, the steps of a state, and the faults.

use std::sync::Arc;

use model::expr::Operator;
use model::instance::Environment;
use model::semantics::{self, Step};
use model::system::{Action, Family, Initial, Scalar, System, Type, Update, Variable};
use model::{ActionId, Expr, FamilyId, Fault, Index, Instance, Label, Position, Span, State, VariableId};

use crate::workshop::{Random, binder, int, participant, place, random_state, read};

const A: VariableId = VariableId(0);
const D: VariableId = VariableId(1);
const T: VariableId = VariableId(2);
const V: Index = Index(0);

/// Variables `a, d: 0..3` and `t: array[1..2] of 0..3`, and one action `P.act`.
fn system(guard: Expr, update: Update) -> System {
    let variable = |name: &str, dimensions: Vec<Span>| Variable {
        name: name.to_owned(),
        owner: None,
        kind: Type { dimensions, scalar: Scalar::Range(Span::between(0, 3)) },
        initial: Initial::Any,
    };
    System {
        indices: vec![model::system::IndexName::new("v", Scalar::Int)],
        variables: vec![
            variable("a", Vec::new()),
            variable("d", Vec::new()),
            variable("t", vec![Span::between(1, 2)]),
        ],
        families: vec![Family { name: "P".to_owned(), index: None, location: None }],
        actions: vec![Action {
            participants: vec![participant(FamilyId(0), None, "act")],
            parameters: Vec::new(),
            guard,
            update,
        }],
        ..System::default()
    }
}

/// The outcomes of an update from `a = 1, d = 2, t = [3, 0]`.
fn outcomes(update: Update) -> Result<Vec<[i64; 4]>, Fault> {
    let instance = Instance::new(Arc::new(system(Expr::Bool(true), update))).expect("an instance");
    let targets = semantics::successors(&instance, &State(vec![1, 2, 3, 0]), ActionId(0))?;
    Ok(targets.into_iter().map(|state| state.0.try_into().expect("four cells")).collect())
}

fn a() -> Expr {
    read(A, None, Vec::new())
}

fn d() -> Expr {
    read(D, None, Vec::new())
}

fn t(position: Expr) -> Expr {
    read(T, None, vec![position])
}

fn set(assignments: Vec<(Expr, Expr)>) -> Update {
    let target = |expr: Expr| match expr {
        Expr::Read(place) => place,
        _ => place(A, None, Vec::new()),
    };
    Update::Assign(assignments.into_iter().map(|(place, value)| (target(place), value)).collect())
}

#[test]
fn a_simultaneous_assignment_reads_everything_first_and_writes_left_to_right() {
    assert_eq!(outcomes(set(vec![(a(), d()), (d(), a())])), Ok(vec![[2, 1, 3, 0]]));
    // The position t[a] is found before a changes.
    assert_eq!(outcomes(set(vec![(a(), int(2)), (t(a()), int(1))])), Ok(vec![[2, 2, 1, 0]]));
    assert_eq!(outcomes(set(vec![(a(), int(2)), (a(), int(3))])), Ok(vec![[3, 2, 3, 0]]));
}

#[test]
fn a_sequence_sees_what_was_written_before() {
    let sequence = Update::Sequence(vec![set(vec![(a(), d())]), set(vec![(d(), a())])]);
    assert_eq!(outcomes(sequence), Ok(vec![[2, 2, 3, 0]]));
    let sequence = Update::Sequence(vec![set(vec![(a(), int(2))]), set(vec![(t(a()), int(1))])]);
    assert_eq!(outcomes(sequence), Ok(vec![[2, 2, 3, 1]]));
    assert_eq!(outcomes(Update::Sequence(Vec::new())), Ok(vec![[1, 2, 3, 0]]));
    assert_eq!(outcomes(Update::Skip), Ok(vec![[1, 2, 3, 0]]));
}

#[test]
fn a_conditional_update_takes_one_branch() {
    let branch = |condition: Expr| {
        Update::If(condition, Box::new(set(vec![(a(), int(0))])), Box::new(set(vec![(a(), int(3))])))
    };
    assert_eq!(outcomes(branch(Expr::eq(d(), int(2)))), Ok(vec![[0, 2, 3, 0]]));
    assert_eq!(outcomes(branch(Expr::eq(d(), int(1)))), Ok(vec![[3, 2, 3, 0]]));
}

#[test]
fn either_and_choose_have_one_outcome_per_way_and_each_once() {
    let branch = |condition: bool, value: i64| (Expr::Bool(condition), set(vec![(a(), int(value))]));
    let either = Update::Either(vec![branch(true, 3), branch(false, 2), branch(true, 0), branch(true, 3)]);
    assert_eq!(outcomes(either), Ok(vec![[0, 2, 3, 0], [3, 2, 3, 0]]));

    let choose = |condition: Expr| {
        Update::Choose(binder(V, 0, 3), condition, Box::new(set(vec![(d(), Expr::Index(V))])))
    };
    let odd = Expr::eq(Expr::binary(Operator::Mod, Expr::Index(V), int(2)), int(1));
    assert_eq!(outcomes(choose(odd)), Ok(vec![[1, 1, 3, 0], [1, 3, 3, 0]]));

    // Choices multiply in a sequence, and the second sees the first.
    let less = Expr::binary(Operator::Lt, Expr::Index(V), a());
    let sequence =
        Update::Sequence(vec![Update::Either(vec![branch(true, 1), branch(true, 2)]), choose(less)]);
    assert_eq!(outcomes(sequence), Ok(vec![[1, 0, 3, 0], [2, 0, 3, 0], [2, 1, 3, 0]]));
}

#[test]
fn a_choice_among_nothing_is_a_fault() {
    assert_eq!(outcomes(Update::Either(Vec::new())), Err(Fault::EmptyChoice));
    assert_eq!(outcomes(Update::Either(vec![(Expr::Bool(false), Update::Skip)])), Err(Fault::EmptyChoice));
    let choose =
        |lo, hi, condition| Update::Choose(binder(V, lo, hi), Expr::Bool(condition), Box::new(Update::Skip));
    assert_eq!(outcomes(choose(1, 0, true)), Err(Fault::EmptyChoice));
    assert_eq!(outcomes(choose(0, 3, false)), Err(Fault::EmptyChoice));
    // A branch that has nothing to choose is a fault even if another branch has.
    let either =
        Update::Either(vec![(Expr::Bool(true), Update::Skip), (Expr::Bool(true), choose(1, 0, true))]);
    assert_eq!(outcomes(either), Err(Fault::EmptyChoice));
}

#[test]
fn values_and_indices_that_leave_their_ranges_are_faults() {
    let outside = |name: &str, value: i64| Fault::OutsideRange { name: name.to_owned(), value, lo: 0, hi: 3 };
    assert_eq!(outcomes(set(vec![(a(), int(4))])), Err(outside("a", 4)));
    assert_eq!(outcomes(set(vec![(t(int(2)), int(-1))])), Err(outside("t[2]", -1)));
    // An assignment that is overwritten later must still be in range.
    assert_eq!(outcomes(set(vec![(a(), int(4)), (a(), int(0))])), Err(outside("a", 4)));
    let outside = |value: i64| Fault::OutsideArray { name: "t".to_owned(), value, lo: 1, hi: 2 };
    assert_eq!(outcomes(set(vec![(t(int(0)), int(0))])), Err(outside(0)));
    assert_eq!(outcomes(set(vec![(a(), t(int(3)))])), Err(outside(3)));
    let zero = Expr::binary(Operator::Sub, a(), int(1));
    assert_eq!(
        outcomes(set(vec![(a(), Expr::binary(Operator::Div, d(), zero))])),
        Err(Fault::DivisionByZero)
    );
    let large = Expr::binary(Operator::Mul, int(i64::MAX), d());
    assert_eq!(outcomes(set(vec![(a(), large)])), Err(Fault::Overflow));
    assert_eq!(outcomes(set(vec![(a(), Expr::Neg(Box::new(int(i64::MIN))))])), Err(Fault::Overflow));
    assert_eq!(outcomes(set(vec![(a(), Expr::Min(Vec::new()))])), Err(Fault::EmptyExtreme));
}

#[test]
fn idle_is_taken_in_deadlocks_and_nowhere_else() {
    let small = Expr::binary(Operator::Lt, a(), int(2));
    let instance = Instance::new(Arc::new(system(small, Update::Skip))).expect("an instance");
    for value in 0..4 {
        let state = State(vec![value, 0, 0, 0]);
        let label = if value < 2 { Label::Action(ActionId(0)) } else { Label::Idle };
        assert_eq!(semantics::steps(&instance, &state), Ok(vec![Step { label, target: state.clone() }]));
    }
    let instance = crate::workshop::instance();
    let mut random = Random(21);
    let mut deadlocks = 0;
    for _ in 0..3000 {
        let mut state = random_state(&mut random, &instance);
        if random.below(2) == 0 {
            // Nothing to give, no partner, and x too large to roll: `go` and `rest` remain.
            for (cell, value) in instance.cells.iter().zip(&mut state.0) {
                match cell.name.as_str() {
                    "x" => *value = 3,
                    "P[1].y" | "P[2].y" => *value = 2,
                    name if name.starts_with("f[") => *value = 0,
                    _ => {}
                }
            }
        }
        let Ok(steps) = semantics::steps(&instance, &state) else { continue };
        let actions = (0..instance.actions.len() as u32).map(ActionId);
        let enabled: Vec<ActionId> =
            actions.filter(|action| semantics::enabled(&instance, &state, *action) == Ok(true)).collect();
        for action in &enabled {
            assert!(steps.iter().any(|step| step.label == Label::Action(*action)));
        }
        let idles = steps.iter().any(|step| step.label == Label::Idle);
        assert_eq!(idles, enabled.is_empty());
        if idles {
            deadlocks += 1;
            assert_eq!(steps, [Step { label: Label::Idle, target: state }]);
        }
    }
    assert!(deadlocks > 100, "{deadlocks}");
}

#[test]
fn operators_stop_as_soon_as_the_result_is_known() {
    use model::Quantifier::{Count, Exists, Forall};
    let instance = Instance::new(Arc::new(system(Expr::Bool(true), Update::Skip))).expect("an instance");
    let fault = || Expr::eq(Expr::binary(Operator::Div, int(1), int(0)), int(0));
    let truth = |expr: Expr| semantics::state_predicate(&instance, &expr, &State(vec![0; 4]));
    let (yes, no) = (|| Expr::Bool(true), || Expr::Bool(false));
    assert_eq!(truth(Expr::And(vec![no(), fault()])), Ok(false));
    assert_eq!(truth(Expr::And(vec![fault(), no()])), Err(Fault::DivisionByZero));
    assert_eq!(truth(Expr::Or(vec![yes(), fault()])), Ok(true));
    assert_eq!(truth(Expr::Or(vec![no(), fault()])), Err(Fault::DivisionByZero));
    assert_eq!(truth(Expr::binary(Operator::Implies, no(), fault())), Ok(true));
    assert_eq!(truth(Expr::binary(Operator::Implies, fault(), yes())), Err(Fault::DivisionByZero));
    assert_eq!(truth(Expr::If(Box::new(yes()), Box::new(yes()), Box::new(fault()))), Ok(true));
    // 6 / v for v in -1..1 divides by zero, unless the quantifier has stopped before.
    let body = |operator: Operator, bound: i64| {
        Box::new(Expr::binary(operator, Expr::binary(Operator::Div, int(6), Expr::Index(V)), int(bound)))
    };
    let over = |quantifier, body| Expr::Quantified(quantifier, binder(V, -1, 1), body);
    assert_eq!(truth(over(Forall, body(Operator::Gt, 0))), Ok(false));
    assert_eq!(truth(over(Forall, body(Operator::Lt, 0))), Err(Fault::DivisionByZero));
    assert_eq!(truth(over(Exists, body(Operator::Lt, 0))), Ok(true));
    assert_eq!(truth(over(Exists, body(Operator::Gt, 0))), Err(Fault::DivisionByZero));
    let count = over(Count, body(Operator::Lt, 0));
    assert_eq!(truth(Expr::eq(count, int(1))), Err(Fault::DivisionByZero));
}

#[test]
fn division_is_euclidean_and_never_wraps() {
    for a in -9..=9 {
        for b in (-4..=4).filter(|b| *b != 0) {
            let quotient = semantics::binary(Operator::Div, a, b).expect("no fault");
            let remainder = semantics::binary(Operator::Mod, a, b).expect("no fault");
            assert_eq!(a, b * quotient + remainder);
            assert!(0 <= remainder && remainder < b.abs(), "{a} % {b} is {remainder}");
        }
    }
    for operator in [Operator::Div, Operator::Mod] {
        assert_eq!(semantics::binary(operator, 1, 0), Err(Fault::DivisionByZero));
    }
    assert_eq!(semantics::binary(Operator::Div, i64::MIN, -1), Err(Fault::Overflow));
    assert_eq!(semantics::binary(Operator::Sub, i64::MIN, 1), Err(Fault::Overflow));
    assert_eq!(semantics::binary(Operator::Mul, i64::MIN, 2), Err(Fault::Overflow));
}

#[test]
fn quantifiers_combine_their_body_over_the_values() {
    use model::Quantifier::{Count, Exists, Forall, Max, Min, Sum};
    let instance = Instance::new(Arc::new(system(Expr::Bool(true), Update::Skip))).expect("an instance");
    let value = |quantifier, lo, hi, body: &Expr| {
        let expr = Expr::Quantified(quantifier, binder(V, lo, hi), Box::new(body.clone()));
        semantics::evaluate(&instance, &expr, &State(vec![2, 0, 0, 0]), &mut Environment::default())
    };
    let square = Expr::binary(Operator::Mul, Expr::Index(V), Expr::Index(V));
    let small = Expr::binary(Operator::Lt, Expr::Index(V), a());
    for (quantifier, body, some, none) in [
        (Forall, &small, Ok(0), Ok(1)),
        (Exists, &small, Ok(1), Ok(0)),
        (Count, &small, Ok(3), Ok(0)),
        (Sum, &square, Ok(15), Ok(0)),
        (Min, &square, Ok(0), Err(Fault::EmptyExtreme)),
        (Max, &square, Ok(9), Err(Fault::EmptyExtreme)),
    ] {
        assert_eq!(value(quantifier, -1, 3, body), some, "{quantifier:?}");
        assert_eq!(value(quantifier, 1, 0, body), none, "{quantifier:?}");
    }
}

#[test]
fn event_atoms_speak_of_the_step_and_of_the_state() {
    let small = Expr::binary(Operator::Lt, a(), int(2));
    let instance = Instance::new(Arc::new(system(small, Update::Skip))).expect("an instance");
    let any = model::Pattern::default;
    let truth = |expr: &Expr, value: i64, label: Label| {
        semantics::step_predicate(&instance, expr, &Position { state: State(vec![value, 0, 0, 0]), label })
    };
    let (taken, enabled) = (Expr::Taken(any()), Expr::Enabled(any()));
    let act = Label::Action(ActionId(0));
    assert_eq!(truth(&taken, 0, act), Ok(true));
    assert_eq!(truth(&taken, 3, Label::Idle), Ok(false));
    assert_eq!(truth(&enabled, 0, act), Ok(true));
    assert_eq!(truth(&enabled, 3, Label::Idle), Ok(false));
    let nobody = model::Pattern { arguments: Some(vec![int(1)]), ..any() };
    assert_eq!(truth(&Expr::Taken(nobody), 0, act), Ok(false));
}

#[test]
fn an_environment_gives_the_innermost_value() {
    let mut environment = Environment::default();
    environment.bind(V, 1);
    environment.bind(V, 2);
    assert_eq!(environment.get(V), Some(2));
    environment.unbind();
    assert_eq!(environment.get(V), Some(1));
    environment.unbind();
    assert_eq!(environment.get(V), None);
}
