//! Faults as evidence, and how the oracle treats them.

use std::sync::Arc;

use certify::oracle::{Why, decide};
use certify::{Flaw, Standing, certify};
use model::answer::Site;
use model::expr::Operator;
use model::fairness::Fairness;
use model::property::Kind;
use model::system::{Action, Family, Initial, Participant, Scalar, System, Type, Update, Variable};
use model::{
    ActionId, Answer, Counterexample, Ctl, Expr, FamilyId, Fault, Formula, Label, Path, Place, Position,
    Property, Requirement, Span, State, Task, VariableId,
};

fn x() -> Expr {
    Expr::Read(Place { variable: VariableId(0), process: None, position: Vec::new() })
}

/// A variable `x: 0..2`, at first 0, and an action `P.count` that adds 1 while `guard` is true.
fn counter(guard: Expr) -> System {
    let place = Place { variable: VariableId(0), process: None, position: Vec::new() };
    System {
        name: "counter".to_owned(),
        variables: vec![Variable {
            name: "x".to_owned(),
            owner: None,
            kind: Type { dimensions: Vec::new(), scalar: Scalar::Range(Span::between(0, 2)) },
            initial: Initial::Among(vec![Expr::Int(0)]),
        }],
        families: vec![Family { name: "P".to_owned(), index: None, location: None }],
        actions: vec![Action {
            participants: vec![Participant {
                family: FamilyId(0),
                index: None,
                only: None,
                label: "count".to_owned(),
            }],
            parameters: Vec::new(),
            guard,
            update: Update::Assign(vec![(place, Expr::Sum(vec![x(), Expr::Int(1)]))]),
        }],
        ..System::default()
    }
}

fn task(system: System, kind: Kind) -> Task {
    let property = Property { name: "claim".into(), binders: Vec::new(), kind };
    Task::new(Arc::new(system), Fairness::none(), property).expect("it can be counted out")
}

/// The path on which `x` goes from 0 to `last`.
fn path(last: i64) -> Path {
    let label = Label::Action(ActionId(0));
    let positions = (0..last).map(|value| Position { state: State(vec![value]), label }).collect();
    Path { positions, last: State(vec![last]) }
}

fn judge(task: &Task, path: Option<Path>, site: Site, fault: Fault) -> Result<Standing, Flaw> {
    let answer = Answer::Fails(Counterexample::Fault { path, site, fault });
    certify(task, answer).map(|certified| certified.standing())
}

/// `12 / (k - x) >= 0`: divides by zero where `x == k`.
fn divides(k: i64) -> Expr {
    let divisor = Expr::binary(Operator::Sub, Expr::Int(k), x());
    Expr::binary(Operator::Ge, Expr::binary(Operator::Div, Expr::Int(12), divisor), Expr::Int(0))
}

fn below(limit: i64) -> Expr {
    Expr::binary(Operator::Lt, x(), Expr::Int(limit))
}

fn outside() -> Fault {
    Fault::OutsideRange { name: "x".to_owned(), value: 3, lo: 0, hi: 2 }
}

#[test]
fn a_fault_in_an_update_is_replayed() {
    let task = task(counter(Expr::Bool(true)), Kind::Invariant(Expr::Bool(true)));
    let site = Site::Action(ActionId(0));
    assert_eq!(judge(&task, Some(path(2)), site, outside()), Ok(Standing::Checked));
    assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Fault));
    // Too early, another fault, another site, no path, and a path that is not a run.
    assert!(matches!(judge(&task, Some(path(1)), site, outside()), Err(Flaw::NoSuchFault { .. })));
    assert!(matches!(judge(&task, Some(path(2)), site, Fault::Overflow), Err(Flaw::NoSuchFault { .. })));
    let other = Fault::OutsideRange { name: "x".to_owned(), value: 4, lo: 0, hi: 2 };
    assert!(matches!(judge(&task, Some(path(2)), site, other), Err(Flaw::NoSuchFault { .. })));
    for site in [Site::Property, Site::Fairness, Site::Action(ActionId(1)), Site::Action(ActionId(u32::MAX))]
    {
        assert!(matches!(judge(&task, Some(path(2)), site, outside()), Err(Flaw::NoSuchFault { .. })));
        assert!(matches!(judge(&task, None, site, outside()), Err(Flaw::MisplacedPath { .. })));
    }
    assert!(matches!(judge(&task, Some(path(2)), Site::Init, outside()), Err(Flaw::MisplacedPath { .. })));
    assert!(matches!(judge(&task, None, Site::Init, outside()), Err(Flaw::NoSuchFault { .. })));
    let mut broken = path(2);
    broken.positions.remove(0);
    assert_eq!(judge(&task, Some(broken), site, outside()), Err(Flaw::NotInitial));
    let mut broken = path(2);
    broken.positions.remove(1);
    assert!(matches!(judge(&task, Some(broken), site, outside()), Err(Flaw::WrongTarget { .. })));
    let stray = Path { positions: Vec::new(), last: State(vec![2]) };
    assert_eq!(judge(&task, Some(stray), site, outside()), Err(Flaw::NotInitial));
    assert_eq!(
        judge(&task, Some(path(1)), site, outside()).expect_err("too early").to_string(),
        "there is no such fault: `x` would become 3, outside its range 0..2, in action P.count"
    );
}

#[test]
fn a_fault_in_a_guard_is_replayed() {
    let task = task(counter(divides(1)), Kind::Invariant(Expr::Bool(true)));
    let site = Site::Action(ActionId(0));
    assert_eq!(judge(&task, Some(path(1)), site, Fault::DivisionByZero), Ok(Standing::Checked));
    assert!(judge(&task, Some(path(0)), site, Fault::DivisionByZero).is_err());
    // The step from 1 to 2 does not exist: replaying it causes the fault.
    assert!(matches!(judge(&task, Some(path(2)), site, Fault::DivisionByZero), Err(Flaw::Fault { .. })));
    assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Fault));
}

#[test]
fn a_fault_in_a_property_is_replayed_wherever_its_atom_stands() {
    let safe = || counter(below(2));
    let hidden = || Formula::Atom(divides(1));
    let ltl = |formula: Formula| Kind::Ltl(formula);
    let true_anyway = Formula::Or(vec![Formula::Atom(Expr::Bool(true)), hidden()]);
    let kinds = [
        Kind::Invariant(divides(1)),
        ltl(hidden()),
        ltl(Formula::Globally(Box::new(true_anyway))),
        ltl(Formula::Until(Box::new(hidden()), Box::new(Formula::Atom(below(9))))),
        Kind::Ctl(Ctl::Implies(Box::new(Ctl::Atom(Expr::Bool(false))), Box::new(Ctl::Atom(divides(1))))),
    ];
    for kind in kinds {
        let task = task(safe(), kind);
        assert_eq!(judge(&task, Some(path(1)), Site::Property, Fault::DivisionByZero), Ok(Standing::Checked));
        for (last, site) in [(0, Site::Property), (2, Site::Property), (1, Site::Fairness)] {
            assert!(matches!(
                judge(&task, Some(path(last)), site, Fault::DivisionByZero),
                Err(Flaw::NoSuchFault { .. })
            ));
        }
        assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Fault));
    }
    // Inside an atom evaluation stops where the result is known.
    let guarded = Expr::Or(vec![Expr::negated(Expr::eq(x(), Expr::Int(5))), divides(1)]);
    let task = task(safe(), ltl(Formula::Atom(guarded)));
    assert!(judge(&task, Some(path(1)), Site::Property, Fault::DivisionByZero).is_err());
    assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Holds));
}

#[test]
fn a_fault_in_a_requirement_is_replayed_but_says_nothing_of_an_invariant() {
    let eventually = || Formula::Finally(Box::new(Formula::Atom(Expr::Bool(true))));
    let mut task = task(counter(below(2)), Kind::Ltl(eventually()));
    assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Holds));
    for requirement in [
        Requirement::justice(divides(2), Vec::new()),
        Requirement::compassion(Expr::Bool(false), divides(2), Vec::new()),
        Requirement::compassion(divides(2), Expr::Bool(true), Vec::new()),
    ] {
        task.property.kind = Kind::Ltl(eventually());
        task.fairness = Fairness::none().or(&Fairness::all_of(vec![requirement]));
        assert_eq!(judge(&task, Some(path(2)), Site::Fairness, Fault::DivisionByZero), Ok(Standing::Checked));
        assert!(judge(&task, Some(path(1)), Site::Fairness, Fault::DivisionByZero).is_err());
        assert!(judge(&task, Some(path(2)), Site::Property, Fault::DivisionByZero).is_err());
        assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Fault));
        task.property.kind = Kind::Invariant(Expr::Bool(true));
        assert!(judge(&task, Some(path(2)), Site::Fairness, Fault::DivisionByZero).is_err());
        assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Holds));
    }
}

#[test]
fn a_fault_in_init_has_no_path() {
    let mut system = counter(below(2));
    system.variables[0].initial = Initial::Any;
    system.init.push(divides(1));
    let faulty = task(system.clone(), Kind::Invariant(Expr::Bool(true)));
    assert_eq!(judge(&faulty, None, Site::Init, Fault::DivisionByZero), Ok(Standing::Checked));
    assert!(judge(&faulty, None, Site::Init, Fault::Overflow).is_err());
    assert_eq!(decide(&faulty, 100).map(|decision| decision.why), Ok(Why::Fault));
    let mut endless = system.clone();
    endless.variables[0].kind.scalar = Scalar::Int;
    let endless = task(endless, Kind::Invariant(Expr::Bool(true)));
    assert!(judge(&endless, None, Site::Init, Fault::DivisionByZero).is_err());
    // If an earlier predicate guards it, it does not happen.
    system.init.insert(0, Expr::eq(x(), Expr::Int(0)));
    let safe = task(system, Kind::Invariant(Expr::Bool(true)));
    assert!(judge(&safe, None, Site::Init, Fault::DivisionByZero).is_err());
    assert_eq!(decide(&safe, 100).map(|decision| decision.why), Ok(Why::Holds));
}

#[test]
fn a_fault_met_while_judging_is_a_flaw() {
    let looping = |kind: Kind| {
        // `x` goes to 2 and idles there.
        task(counter(below(2)), kind)
    };
    let mut positions = path(2).positions;
    positions.push(Position { state: State(vec![2]), label: Label::Idle });
    let lasso = Counterexample::Lasso(model::Lasso { positions, cycle: 2 });
    let never = || Formula::Globally(Box::new(Formula::Atom(below(2))));
    let good = looping(Kind::Ltl(never()));
    assert!(certify(&good, Answer::Fails(lasso.clone())).is_ok());

    let formula = Formula::And(vec![never(), Formula::Atom(divides(1))]);
    let flaw = certify(&looping(Kind::Ltl(formula)), Answer::Fails(lasso.clone()));
    assert!(matches!(flaw, Err(Flaw::Fault { .. })), "{flaw:?}");

    let mut unfair = good.clone();
    unfair.fairness = Fairness::all_of(vec![Requirement::justice(divides(2), Vec::new())]);
    let flaw = certify(&unfair, Answer::Fails(lasso.clone())).expect_err("a fault").to_string();
    assert_eq!(flaw, "requirement `justice (12 / (2 - x) >= 0)` cannot be evaluated: division by zero");
    // The other alternative is met without it.
    unfair.fairness = unfair.fairness.or(&Fairness::none());
    assert!(certify(&unfair, Answer::Fails(lasso)).is_ok());

    let violated = looping(Kind::Invariant(divides(2)));
    let flaw = certify(&violated, Answer::Fails(Counterexample::Path(path(2))));
    assert!(matches!(flaw, Err(Flaw::Fault { .. })), "{flaw:?}");
    assert!(matches!(
        certify(&violated, Answer::Fails(Counterexample::Path(path(1)))),
        Err(Flaw::InvariantTrue)
    ));
}

#[test]
fn init_predicates_restrict_the_initial_states() {
    let mut system = counter(below(0));
    system.variables[0].initial = Initial::Any;
    let one = || Expr::eq(x(), Expr::Int(1));
    let violation =
        || Answer::Fails(Counterexample::Path(Path { positions: Vec::new(), last: State(vec![0]) }));
    let free = task(system.clone(), Kind::Invariant(one()));
    assert_eq!(decide(&free, 100).map(|decision| decision.why), Ok(Why::Fails));
    assert!(certify(&free, violation()).is_ok());
    system.init.push(one());
    let fixed = task(system, Kind::Invariant(one()));
    assert_eq!(decide(&fixed, 100).map(|decision| decision.why), Ok(Why::Holds));
    assert_eq!(certify(&fixed, violation()), Err(Flaw::NotInitial));
}

#[test]
fn an_unreachable_fault_does_not_matter() {
    let task = task(counter(below(1)), Kind::Invariant(divides(2)));
    assert_eq!(decide(&task, 100).map(|decision| decision.why), Ok(Why::Holds));
}
