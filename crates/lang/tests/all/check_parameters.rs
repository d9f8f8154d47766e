//! Parameters beside unbounded integers: whether they become integers, and what begins with their values.

use model::system::Scalar;

/// The names of the shared integers of a model, if no parameter is open.
fn integers(text: &str) -> Option<Vec<String>> {
    let loaded = lang::load("test", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
    let instance = model.subject.instance()?;
    let variables = instance.system.variables.iter();
    Some(variables.filter(|of| of.kind.scalar == Scalar::Int).map(|of| of.name.clone()).collect())
}

#[test]
fn a_parameter_that_is_only_compared_with_integers_is_one() {
    let text = "param N >= 2; shared x: int;
        process P { action up when x < N { x = x + 1; } }
        invariant p: x <= N;";
    assert_eq!(integers(text), Some(vec!["N".to_owned(), "x".to_owned()]));
    let model = lang::load("test", text, &[]).model.expect("a model");
    let instance = model.subject.instance().expect("an instance");
    let state = |n| model::State(vec![n, 0]);
    let initial = |n| model::semantics::is_initial(instance, &state(n)).expect("no fault");
    assert!(!initial(1) && initial(2) && initial(1000));
}

#[test]
fn integers_begin_with_values_that_depend_on_a_parameter() {
    let text = "param N >= 2; shared x, y: int = 2 * N;
        process P { local z: int = N; action down when x > 0 { x = x - 1; } }
        invariant p: x <= y;";
    let model = lang::load("test", text, &[]).model.expect("a model");
    let instance = model.subject.instance().expect("an instance");
    let initial = |values: &[i64]| {
        model::semantics::is_initial(instance, &model::State(values.to_vec())).expect("no fault")
    };
    assert!(initial(&[3, 6, 6, 3]) && !initial(&[3, 6, 5, 3]) && !initial(&[3, 6, 6, 2]));
}

#[test]
fn a_parameter_that_gives_something_its_size_stays_open() {
    for size in [
        "process P[i: 1..N] { action up when x < N { x = x + 1; } }",
        "shared a: array[1..N] of bool; process P { action up { x = x + 1; } }",
        "shared r: 0..N; process P { action up { x = x + 1; } }",
        "process P { action up { choose v in 1..N { x = v; } } }",
        "const M = N + 1; shared r: 0..M; process P { action up { x = x + 1; } }",
    ] {
        assert_eq!(integers(&format!("param N >= 2; shared x: int; {size} invariant p: x >= 0;")), None);
    }
    // There is no integer beside it.
    let text =
        "param N >= 2; shared x: 0..7; process P { action up when x < N { x = x + 1; } } invariant p: x < 9;";
    assert_eq!(integers(text), None);
}

#[test]
fn a_parameter_with_a_value_is_a_number_and_nobody_writes_to_one() {
    let text =
        "param N >= 2; shared x: int; process P { action up when x < N { x = x + 1; } } invariant p: x <= N;";
    let loaded = lang::load("test", text, &[("N".to_owned(), "3".to_owned())]);
    assert_eq!(loaded.model.expect("a model").system().variables.len(), 1);
    let text = "param N >= 2; shared x: int; process P { action up { N = x; } } invariant p: x <= N;";
    assert!(lang::load("test", text, &[]).model.is_none());
}
