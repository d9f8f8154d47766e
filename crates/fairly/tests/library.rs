//! What a Rust program can ask of the library.

use std::time::Duration;

use fairly::{Engines, FairnessOption, Model, Options, Solvers, Verdict, report};

const LOCK: &str = "
const N = 2;
shared free: bool = true;
process P[i: 1..N] { loop { idle: stay; try: request free; crit: skip; exit: release free; } }
property access[i: 1..N]: G (P[i]@try -> F P[i]@crit) under weak P;
";

fn verdicts(model: &Model, options: &Options) -> Vec<(String, Verdict)> {
    let report = model.check(options).expect("no parameter is open");
    report.outcomes.iter().map(|outcome| (outcome.property.to_string(), outcome.verdict)).collect()
}

#[test]
fn fairness_and_properties_can_be_chosen() {
    let model = Model::parse(LOCK).expect("a model");
    let names: Vec<String> = model.properties().map(ToString::to_string).collect();
    assert_eq!(names, ["access[1]", "access[2]"]);
    let fails = |name: &str| (name.to_owned(), Verdict::Fails);
    assert_eq!(verdicts(&model, &Options::default()), [fails("access[1]"), fails("access[2]")]);
    let strong = Options {
        fairness: FairnessOption::Strong,
        properties: vec!["access[2]".to_owned()],
        ..Options::default()
    };
    assert_eq!(verdicts(&model, &strong), [("access[2]".to_owned(), Verdict::Holds)]);
}

#[test]
fn a_run_is_pairs_of_places_and_values() {
    let model = Model::parse(LOCK).expect("a model");
    let report = model.check(&Options::default()).expect("a report");
    let found = report.outcomes[0].counterexample.as_ref().expect("it fails");
    let trace = found.trace.as_ref().expect("a run");
    assert!(trace.cycle.is_some_and(|begin| begin < trace.steps.len()));
    assert!(matches!(found.kind, report::Kind::Lasso), "{:?}", found.kind);
}

#[test]
fn mistakes_have_lines_and_columns() {
    let mistakes = Model::parse("shared x: bool;\nproperty p: F y;\n").expect_err("`y` is not declared");
    assert_eq!(mistakes.0[0].place, Some((2, 15)));
    assert!(mistakes.to_string().starts_with("line 2, column 15: "), "{mistakes}");
    let mistakes = Model::open("/nowhere/lock.fair", &[]).expect_err("there is no such file");
    assert_eq!(mistakes.0[0].place, None);
}

#[test]
fn a_limit_leaves_a_property_undecided() {
    let model = Model::parse(LOCK).expect("a model");
    let options = Options { time_limit: Some(Duration::ZERO), ..Options::default() };
    assert!(verdicts(&model, &options).iter().all(|(_, verdict)| *verdict == Verdict::Unknown));
}

#[test]
fn what_needs_solvers_is_undecided_without_them() {
    let model = Model::parse(
        "shared x: int = 0;\nprocess P { loop { up: x = x + 1; } }\nproperty p: F (x > 9) under weak P;",
    )
    .expect("a model");
    let engines = Engines::named("infinite").expect("an engine");
    let options = Options { engines, solvers: Solvers::none("none is wanted"), ..Options::default() };
    assert_eq!(verdicts(&model, &options), [("p".to_owned(), Verdict::Unknown)]);
}
