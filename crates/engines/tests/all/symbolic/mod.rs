//! The symbolic engine: refusals before any work, clean ends at limits, and answers where states cannot be listed.

mod global;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use certify::{Standing, certify};
use engines::bdd::Limits;
use engines::symbolic::Order;
use engines::{Engine, Symbolic};
use model::expr::{Operator, Party, Pattern};
use model::fairness::Word;
use model::property::{Kind, Paths, Property};
use model::system::{IndexName, Initial, Participant, Scalar, Type, Variable};
use model::{
    Action, Answer, Binder, Counterexample, Ctl, Declared, Expr, Fairness, Family, FamilyId, Formula, Index,
    Place, Reason, Refusal, RefusalKind, Session, Span, StopReason, System, Task, Update, VariableId,
};

const I: Index = Index(0);

/// Processes that count round and round, each for itself, from 0 to `last`.
fn counters(processes: i64, last: i64) -> System {
    let family = FamilyId(0);
    let own =
        Place { variable: VariableId(0), process: Some(Box::new(Expr::Index(I))), position: Vec::new() };
    let up = Expr::Sum(vec![Expr::Read(own.clone()), Expr::Int(1)]);
    let round = Expr::binary(Operator::Mod, up, Expr::Int(last + 1));
    System {
        name: "counters".to_owned(),
        indices: vec![IndexName::new("i", Scalar::Int)],
        variables: vec![Variable {
            name: "n".to_owned(),
            owner: Some(family),
            kind: Type { dimensions: Vec::new(), scalar: Scalar::Range(Span::between(0, last)) },
            initial: Initial::Among(vec![Expr::Int(0)]),
        }],
        families: vec![Family {
            name: "P".to_owned(),
            index: Some(Binder { index: I, span: Span::between(1, processes) }),
            location: None,
        }],
        actions: vec![Action {
            participants: vec![Participant { family, index: Some(I), only: None, label: "up".to_owned() }],
            parameters: Vec::new(),
            guard: Expr::Bool(true),
            update: Update::Assign(vec![(own, round)]),
        }],
        ..System::default()
    }
}

/// Whether the counter of a process has a value.
fn is(process: i64, value: i64) -> Expr {
    let place =
        Place { variable: VariableId(0), process: Some(Box::new(Expr::Int(process))), position: Vec::new() };
    Expr::eq(Expr::Read(place), Expr::Int(value))
}

fn task(system: System, fairness: Fairness, kind: Kind) -> Task {
    let property = Property { name: "claim".into(), binders: Vec::new(), kind };
    Task::new(Arc::new(system), fairness, property).expect("it can be counted out")
}

fn again_and_again(predicate: Expr) -> Formula {
    Formula::Globally(Box::new(Formula::Finally(Box::new(Formula::Atom(predicate)))))
}

fn answer(task: &Task) -> Answer {
    let engine = Symbolic::default();
    let answer = engine.check(task, &Session::unlimited()).expect("taken");
    certify(task, answer).expect("the judge finds no flaw").into_answer()
}

#[test]
fn fairness_decides_where_states_cannot_be_listed() {
    let system = counters(40, 7);
    let claim = Kind::Ltl(again_and_again(is(40, 3)));
    let weak = Fairness::every_process(&system, Word::Weak);
    assert!(matches!(answer(&task(system.clone(), weak, claim.clone())), Answer::Holds(_)));
    let unfair = answer(&task(system, Fairness::none(), claim));
    let Answer::Fails(Counterexample::Lasso(lasso)) = unfair else { panic!("{unfair:?}") };
    assert_eq!((lasso.cycle, lasso.positions.len() <= 8), (0, true), "{lasso:?}");
}

#[test]
fn a_run_refutes_a_branching_claim_of_all_runs_and_none_refutes_one_of_some() {
    let system = counters(2, 3);
    let of = |paths, value| Kind::Ctl(Ctl::Finally(paths, Box::new(Ctl::Atom(is(1, value)))));
    let claimed = |kind| {
        let task = task(system.clone(), Fairness::none(), kind);
        let answer = Symbolic::default().check(&task, &Session::unlimited()).expect("taken");
        certify(&task, answer).expect("the judge finds no flaw")
    };
    let all = claimed(of(Paths::All, 2));
    assert!(matches!(all.answer(), Answer::Fails(Counterexample::Lasso(_))), "{all:?}");
    assert_eq!(all.standing(), Standing::Checked);
    assert!(matches!(claimed(of(Paths::Some, 2)).answer(), Answer::Holds(_)));
    let never = claimed(of(Paths::Some, 7));
    assert!(matches!(never.answer(), Answer::Fails(Counterexample::State(_))), "{never:?}");
    assert_eq!(never.standing(), Standing::Claimed);
}

#[test]
fn what_it_cannot_do_is_refused_and_says_which_variable_is_to_blame() {
    let refusal = |system: System, fairness| {
        let task = task(system, fairness, Kind::Ltl(again_and_again(Expr::Bool(true))));
        Symbolic::default().accepts(&task).expect_err("refused")
    };
    let of_n = |kind| Refusal::about(Declared::Variable(VariableId(0)), kind);
    let mut unbounded = counters(2, 1);
    unbounded.variables[0].kind.scalar = Scalar::Int;
    assert_eq!(refusal(unbounded, Fairness::none()), of_n(RefusalKind::Unbounded));
    let many = refusal(counters(2, 100_000), Fairness::none());
    assert_eq!(many, of_n(RefusalKind::Values { most: 4096 }));
}

#[test]
fn an_unbounded_variable_that_never_changes_is_no_obstacle() {
    let mut system = counters(2, 1);
    system.variables.push(Variable {
        name: "limit".to_owned(),
        owner: None,
        kind: Type { dimensions: Vec::new(), scalar: Scalar::Int },
        initial: Initial::Among(vec![Expr::Int(1 << 40)]),
    });
    let read = Expr::Read(Place { variable: VariableId(1), process: None, position: Vec::new() });
    let large = Expr::binary(Operator::Gt, read, Expr::Int(100));
    assert!(matches!(answer(&task(system, Fairness::none(), Kind::Invariant(large))), Answer::Holds(_)));
}

#[test]
fn a_full_table_and_an_interrupt_leave_the_task_undecided() {
    // Counters far apart in the order have the same value: there is no small diagram.
    let same = |i| Expr::or((0..8).map(|value| Expr::and([is(i, value), is(i + 6, value)])));
    let claim = Expr::negated(Expr::and((1..=6).map(same)));
    let system = counters(12, 7);
    let task = task(system, Fairness::none(), Kind::Invariant(claim));
    let limits = Limits { nodes: 20_000, sift_from: usize::MAX, ..Limits::default() };
    let engine = Symbolic { limits, order: Order::Communication, ..Symbolic::default() };
    let full = engine.check(&task, &Session::unlimited());
    assert_eq!(full, Ok(Answer::Unknown(Reason::LargeDiagrams)));
    for stop in [StopReason::Time, StopReason::Cancelled] {
        let asked = AtomicU64::new(0);
        let stopped = || (asked.fetch_add(1, Ordering::Relaxed) > 1).then_some(stop);
        let session = Session::new(&stopped, &|_| {}, u64::MAX, 1);
        let stopped = Symbolic::default().check(&task, &session);
        assert_eq!(stopped, Ok(Answer::Unknown(Reason::stopped(stop))));
    }
}

#[test]
fn events_need_no_further_state() {
    let system = counters(3, 1);
    let up = |process: i64| {
        let party = Party { family: FamilyId(0), process: Some(Box::new(Expr::Int(process))), label: None };
        Expr::Taken(Pattern { participants: vec![party], arguments: None })
    };
    let requirement = model::Requirement::compassion(up(2), up(1), Vec::new());
    let claim = Formula::Implies(Box::new(again_and_again(up(2))), Box::new(again_and_again(up(1))));
    let fair = Fairness::all_of(vec![requirement]);
    assert!(matches!(answer(&task(system.clone(), fair, Kind::Ltl(claim.clone()))), Answer::Holds(_)));
    assert!(matches!(answer(&task(system, Fairness::none(), Kind::Ltl(claim))), Answer::Fails(_)));
}
