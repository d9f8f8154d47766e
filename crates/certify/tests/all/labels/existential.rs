//! Labels of `EX` and `EU`, and arguments about some of the places. For each premise there is a forgery that only it
//! refuses.

use certify::{Flaw, Standing};
use model::expr::Operator;
use model::labelling::{Argument, Label, Move, Path};
use model::property::Paths;
use model::{ActionId, Core, Ctl, Expr, Fairness, Label as StepLabel, Labelling, Requirement, Task, Update};

use super::{
    action, all_finally, assign, at_least, compare, int, judged_to_hold, refused, stays_out, sum, system,
    task, var,
};

fn less(a: Expr, b: Expr) -> Expr {
    compare(Operator::Lt, a, b)
}

/// A program with one location that counts by `step`, from `x >= 1` on.
fn counter(step: i64, fairness: Fairness, formula: Ctl) -> Task {
    let count = action(0, at_least(var(0), int(1)), assign(vec![(0, sum(var(0), int(step)))]));
    task(&system(1, at_least(var(0), int(0)), vec![count]), fairness, formula)
}

fn labelled(invariant: Expr, label: Label) -> Labelling {
    Labelling { places: vec![vec![(2, 0)]], invariant: vec![invariant], labels: vec![label], product: None }
}

/// `E [first U x = 0]`.
fn until_zero(first: Expr) -> Ctl {
    let zero = Ctl::Atom(Expr::eq(var(0), int(0)));
    Ctl::Until(Paths::Some, Box::new(Ctl::Atom(first)), Box::new(zero))
}

/// A label for that: `x` decreases, as often as its rank says, until it is in `end`.
fn falling(first: Expr, end: Expr, rank: Expr) -> Labelling {
    let movement = |states: Expr, step: Option<StepLabel>, rank: Option<Expr>| Move {
        place: 0,
        states,
        step,
        choices: Vec::new(),
        target: 0,
        reading: 0,
        rank,
    };
    let falls = movement(at_least(var(0), int(1)), Some(StepLabel::Action(ActionId(0))), Some(rank));
    let label = Label {
        formula: Core::of(&until_zero(first)),
        must: vec![at_least(var(0), int(0))],
        path: Path { cycles: Vec::new(), layers: vec![vec![movement(end, None, None)], vec![falls]] },
        may: vec![Expr::Bool(true)],
        arguments: Vec::new(),
    };
    labelled(at_least(var(0), int(0)), label)
}

#[test]
fn a_run_of_until_waits_where_it_may_and_ends_where_it_should() {
    let ask = |first: &Expr, end: Expr, rank: Expr| {
        let task = counter(-1, Fairness::none(), until_zero(first.clone()));
        judged_to_hold(&task, &falling(first.clone(), end, rank))
    };
    let (positive, zero) = (at_least(var(0), int(1)), || Expr::eq(var(0), int(0)));
    assert_eq!(ask(&positive, zero(), var(0)), Ok(Standing::Checked));
    refused(ask(&less(var(0), int(5)), zero(), var(0)), "its first operand is true");
    refused(ask(&positive, less(var(0), int(2)), var(0)), "its second operand is true");
    refused(ask(&positive, zero(), int(3)), "a move leads where it should");
}

#[test]
fn a_rank_of_a_loop_that_falls_below_zero_shows_nothing() {
    let always = Expr::Bool(true);
    let task = counter(1, Fairness::none(), until_zero(always.clone()));
    let rank = Expr::Neg(Box::new(var(0)));
    let forged = falling(always, Expr::eq(var(0), int(0)), rank);
    refused(judged_to_hold(&task, &forged), "a move leads where it should");
}

#[test]
fn a_run_of_until_ends_where_a_fair_run_begins() {
    let always = Expr::Bool(true);
    let hopeless = Requirement::compassion(Expr::Bool(true), Expr::Bool(false), Vec::new());
    let task = counter(-1, Fairness::all_of(vec![hopeless]), until_zero(always.clone()));
    let forged = falling(always, Expr::eq(var(0), int(0)), var(0));
    refused(judged_to_hold(&task, &forged), "its second operand is true");
}

/// Judges that a formula holds because a label of its negation excludes it.
fn excluding(step: i64, formula: &Ctl, may: Expr) -> Result<Standing, Flaw> {
    let task = counter(step, Fairness::none(), formula.clone());
    let Core::Not(excluded) = Core::of(formula) else { panic!("{formula:?} is universal") };
    let label = Label {
        formula: *excluded,
        must: vec![Expr::Bool(false)],
        path: Path::default(),
        may: vec![may],
        arguments: Vec::new(),
    };
    judged_to_hold(&task, &labelled(Expr::Bool(true), label))
}

#[test]
fn outside_of_a_label_of_until_nothing_leads_to_what_is_sought() {
    let always = |atom: Expr| Ctl::Globally(Paths::All, Box::new(Ctl::Atom(atom)));
    let not_negative = || always(at_least(var(0), int(0)));
    assert_eq!(excluding(-1, &not_negative(), less(var(0), int(0))), Ok(Standing::Checked));
    refused(excluding(-1, &not_negative(), Expr::Bool(false)), "what `EU` leads to is inside");
    // From 7 it is one step to 6.
    let not_six = always(Expr::negated(Expr::eq(var(0), int(6))));
    let six = Expr::eq(var(0), int(6));
    refused(excluding(-1, &not_six, six), "no step leads into the label of `EU`");
}

#[test]
fn outside_of_a_label_of_next_no_step_leads_to_what_is_sought() {
    let next = |atom: Expr| Ctl::Next(Paths::All, Box::new(Ctl::Atom(atom)));
    let not_negative = || next(at_least(var(0), int(0)));
    assert_eq!(excluding(-1, &not_negative(), less(var(0), int(0))), Ok(Standing::Checked));
    refused(excluding(-3, &not_negative(), less(var(0), int(0))), "`EX` is false outside of its label");
}

#[test]
fn a_requirement_is_no_argument_about_states_that_are_left_and_entered_again() {
    // At the first place `x` may grow without limit. Each round through the second one costs 1, and the fairness
    // requires it. So a fair run need not end.
    let grow = action(0, Expr::Bool(true), assign(vec![(0, sum(var(0), int(1)))]));
    let leave = action(0, at_least(var(0), int(1)), assign(vec![(0, sum(var(0), int(-1))), (2, int(1))]));
    let back = action(1, Expr::Bool(true), assign(vec![(2, int(0))]));
    let system = system(2, at_least(var(0), int(0)), vec![grow, leave, back]);
    let fairness = Fairness::all_of(vec![Requirement::compassion(
        Expr::Bool(true),
        Expr::eq(var(2), int(1)),
        Vec::new(),
    )]);
    let never = less(var(0), int(0));
    let rank = |rest: i64| sum(Expr::binary(Operator::Mul, int(2), var(0)), int(rest));
    let label = Label {
        formula: stays_out(never.clone()),
        must: vec![Expr::Bool(false); 2],
        path: Path::default(),
        may: vec![Expr::Bool(false); 2],
        arguments: vec![vec![
            Argument::Requirement { within: vec![Expr::Bool(true), Expr::Bool(false)], requirement: 0 },
            Argument::Rank(vec![rank(1), rank(2)]),
        ]],
    };
    let forged = Labelling {
        places: vec![vec![(2, 0)], vec![(2, 1)]],
        invariant: vec![at_least(var(0), int(0)); 2],
        labels: vec![label],
        product: None,
    };
    let task = task(&system, fairness, all_finally(never));
    refused(judged_to_hold(&task, &forged), "no step enters or leaves the states of an argument");
}

#[test]
fn a_requirement_is_an_argument_about_a_set_that_steps_have_been_kept_out_of() {
    // `x` waits or grows, up to 9. While it is below 6, the fairness requires something that happens only above 6.
    let wait = action(0, Expr::Bool(true), Update::Skip);
    let grow = action(0, less(var(0), int(9)), assign(vec![(0, sum(var(0), int(1)))]));
    let system = system(1, at_least(var(0), int(0)), vec![wait, grow]);
    let low = || less(var(0), int(6));
    let requirements = vec![
        Requirement::compassion(low(), at_least(var(0), int(7)), Vec::new()),
        Requirement::compassion(Expr::negated(low()), low(), Vec::new()),
    ];
    let task = task(&system, Fairness::all_of(requirements), all_finally(less(var(0), int(0))));
    let judged = |arguments: Vec<Argument>| {
        let label = Label {
            formula: stays_out(less(var(0), int(0))),
            must: vec![Expr::Bool(false)],
            path: Path::default(),
            may: vec![Expr::Bool(false)],
            arguments: vec![arguments],
        };
        judged_to_hold(&task, &labelled(at_least(var(0), int(0)), label))
    };
    let required = |set: Expr, requirement: usize| Argument::Requirement { within: vec![set], requirement };
    let once = Argument::Rank(vec![Expr::If(Box::new(low()), Box::new(int(1)), Box::new(int(0)))]);
    let high = || Expr::negated(low());
    assert_eq!(judged(vec![once.clone(), required(low(), 0), required(high(), 1)]), Ok(Standing::Checked));
    // From 5 a step leads out of the set, as long as no argument has taken it away.
    refused(judged(vec![required(low(), 0)]), "no step enters or leaves the states of an argument");
    // In the other case it is met, so one argument does not do for both.
    refused(judged(vec![once.clone(), required(high(), 0)]), "what a requirement asks for does not happen");
    refused(judged(vec![once, required(low(), 0)]), "leave no step");
}
