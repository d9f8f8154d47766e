//! Labels of small integer programs, right and forged.

mod existential;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use certify::{Flaw, Judge, Standing, Unfinished};
use model::expr::Operator;
use model::labelling::{Argument, Cycle, Label, Move, Path};
use model::property::{Kind, Paths, Property};
use model::system::{
    Action, EnumId, Enumeration, Family, IndexName, Initial, Participant, Scalar, System, Type, Variable,
};
use model::{
    ActionId, Answer, Binder, Core, Counterexample, Ctl, Expr, Fairness, FamilyId, Index, Label as StepLabel,
    Labelling, Place, Proof, Refutation, Requirement, Session, Span, State, StopReason, Task, Update,
    VariableId,
};

/// The variable with this number: 0 is `x`, 1 is `y`, 2 the location.
fn var(number: u32) -> Expr {
    Expr::Read(place(number))
}

fn place(number: u32) -> Place {
    Place { variable: VariableId(number), process: None, position: Vec::new() }
}

fn int(number: i64) -> Expr {
    Expr::Int(number)
}

fn compare(operator: Operator, a: Expr, b: Expr) -> Expr {
    Expr::binary(operator, a, b)
}

fn at_least(a: Expr, b: Expr) -> Expr {
    compare(Operator::Ge, a, b)
}

fn sum(a: Expr, b: Expr) -> Expr {
    Expr::Sum(vec![a, b])
}

fn action(from: i64, guard: Expr, update: Update) -> Action {
    let participants =
        vec![Participant { family: FamilyId(0), index: None, only: None, label: format!("at{from}") }];
    Action {
        participants,
        parameters: Vec::new(),
        guard: Expr::and([Expr::eq(var(2), int(from)), guard]),
        update,
    }
}

fn assign(values: Vec<(u32, Expr)>) -> Update {
    Update::Assign(values.into_iter().map(|(number, value)| (place(number), value)).collect())
}

/// A system with two integers and a location, which begins at `begin` with `x` any number that satisfies `init`.
fn system(locations: i64, init: Expr, actions: Vec<Action>) -> Arc<System> {
    let integer = |name: &str| Variable {
        name: name.to_owned(),
        owner: None,
        kind: Type { dimensions: Vec::new(), scalar: Scalar::Int },
        initial: Initial::Any,
    };
    let location = Variable {
        name: "@".to_owned(),
        owner: Some(FamilyId(0)),
        kind: Type { dimensions: Vec::new(), scalar: Scalar::Enum(EnumId(0)) },
        initial: Initial::Among(vec![int(0)]),
    };
    Arc::new(System {
        name: "program".to_owned(),
        enums: vec![Enumeration {
            name: "program".to_owned(),
            members: (0..locations).map(|number| format!("l{number}")).collect(),
        }],
        indices: vec![IndexName::new("v", Scalar::Int)],
        variables: vec![integer("x"), integer("y"), location],
        families: vec![Family { name: "P".to_owned(), index: None, location: Some(VariableId(2)) }],
        actions,
        init: vec![init],
        ..System::default()
    })
}

fn task(system: &Arc<System>, fairness: Fairness, formula: Ctl) -> Task {
    let property = Property { name: "p".into(), binders: Vec::new(), kind: Kind::Ctl(formula) };
    Task::new(Arc::clone(system), fairness, property).expect("it can be counted out")
}

/// The same task about another system.
fn about(system: System, task: &Task) -> Task {
    Task::new(Arc::new(system), task.fairness.clone(), task.property.clone()).expect("it can be counted out")
}

fn all_finally(atom: Expr) -> Ctl {
    Ctl::Finally(Paths::All, Box::new(Ctl::Atom(atom)))
}

/// `EG !atom`, the negation of `AF atom`.
fn stays_out(atom: Expr) -> Core {
    Core::Globally(Box::new(Core::Not(Box::new(Core::Atom(atom)))))
}

fn judged(task: &Task, answer: Answer) -> Result<Standing, Flaw> {
    Judge::new(&smt::installed(), &Session::unlimited())
        .certify(task, answer)
        .map(|certified| certified.standing())
}

fn judged_to_hold(task: &Task, labelling: &Labelling) -> Result<Standing, Flaw> {
    judged(task, Answer::Holds(Proof::Labelling(Box::new(labelling.clone()))))
}

fn refused(result: Result<Standing, Flaw>, what: &str) {
    match result {
        Err(flaw) => assert!(flaw.to_string().contains(what), "{flaw}"),
        Ok(standing) => panic!("{standing:?}, but {what}"),
    }
}

/// `x` falls to 0 and then the program is at its end: `AF at l1`.
fn countdown() -> (Task, Labelling) {
    let down = action(0, at_least(var(0), int(1)), assign(vec![(0, sum(var(0), int(-1)))]));
    let out = action(0, compare(Operator::Le, var(0), int(0)), assign(vec![(2, int(1))]));
    let system = system(2, at_least(var(0), int(0)), vec![down, out]);
    let end = Expr::eq(var(2), int(1));
    let labelling = Labelling {
        places: vec![vec![(2, 0)], vec![(2, 1)]],
        invariant: vec![at_least(var(0), int(0)), Expr::Bool(true)],
        labels: vec![Label {
            formula: stays_out(end.clone()),
            must: vec![Expr::Bool(false); 2],
            path: Path::default(),
            may: vec![Expr::Bool(false); 2],
            arguments: vec![vec![Argument::Rank(vec![var(0), int(0)])]],
        }],
        product: None,
    };
    (task(&system, Fairness::none(), all_finally(end)), labelling)
}

#[test]
fn a_rank_shows_that_a_loop_ends() {
    let (task, labelling) = countdown();
    assert_eq!(judged_to_hold(&task, &labelling), Ok(Standing::Checked));
    let nested = Argument::Nested { places: vec![0], functions: vec![vec![var(0)]] };
    let mut other = labelling;
    other.labels[0].arguments = vec![vec![nested]];
    assert_eq!(judged_to_hold(&task, &other), Ok(Standing::Checked));
}

#[test]
fn an_invariant_that_is_not_one_is_refused() {
    let (task, good) = countdown();
    let mut forged = good.clone();
    forged.invariant[0] = at_least(var(0), int(1));
    refused(judged_to_hold(&task, &forged), "the invariant contains every initial state");
    let mut forged = good.clone();
    forged.invariant[1] = compare(Operator::Lt, var(0), int(0));
    refused(judged_to_hold(&task, &forged), "the invariant is closed under steps");
    let mut forged = good;
    forged.places.pop();
    forged.invariant.pop();
    let label = &mut forged.labels[0];
    label.must.pop();
    label.may.pop();
    label.arguments = vec![vec![Argument::Rank(vec![var(0)])]];
    refused(judged_to_hold(&task, &forged), "the invariant is closed under steps");
}

#[test]
fn a_rank_that_does_not_fall_or_has_no_bound_is_refused() {
    let (task, good) = countdown();
    let with = |argument: Argument| {
        let mut forged = good.clone();
        forged.labels[0].arguments = vec![vec![argument]];
        judged_to_hold(&task, &forged)
    };
    refused(with(Argument::Rank(vec![var(1), int(0)])), "leave no step");
    refused(with(Argument::Rank(vec![Expr::Neg(Box::new(var(0))), int(0)])), "a rank does not rise");
    refused(with(Argument::Rank(vec![sum(var(0), int(-5)), int(0)])), "leave no step");
    refused(with(Argument::Nested { places: vec![0], functions: vec![vec![var(1)]] }), "a nested rank falls");
    let lower = vec![vec![sum(var(0), int(-5))]];
    refused(with(Argument::Nested { places: vec![0], functions: lower }), "a nested rank is not negative");
    let mut forged = good.clone();
    forged.labels[0].arguments = vec![Vec::new()];
    refused(judged_to_hold(&task, &forged), "leave no step");
}

#[test]
fn labels_of_another_program_property_or_fairness_are_refused() {
    let (task, labelling) = countdown();
    // A step that need not decrease `x`.
    let mut system = (**task.system()).clone();
    system.actions[0].update = assign(vec![(0, var(0))]);
    let other = about(system, &task);
    refused(judged_to_hold(&other, &labelling), "leave no step");
    // AF x = 7, about which the labels say nothing.
    let mut other = task.clone();
    other.property.kind = Kind::Ctl(all_finally(Expr::eq(var(0), int(7))));
    refused(judged_to_hold(&other, &labelling), "every initial state is in the label of the property");
    // Under another fairness there are other alternatives.
    let fairness =
        Fairness::none().or(&Fairness::all_of(vec![Requirement::justice(Expr::Bool(true), Vec::new())]));
    refused(judged_to_hold(&Task { fairness, ..task }, &labelling), "well formed");
}

#[test]
fn a_label_into_which_steps_lead_is_refused() {
    let (task, mut labelling) = countdown();
    labelling.labels[0].may[0] = compare(Operator::Le, var(0), int(0));
    refused(judged_to_hold(&task, &labelling), "no step leads into the label");
}

type Change = Box<dyn Fn(&mut Labelling)>;

#[test]
fn garbage_is_refused_and_not_computed_with() {
    let (task, good) = countdown();
    let broken: Vec<Change> = vec![
        Box::new(|l| l.places[1] = vec![(2, 0)]),
        Box::new(|l| l.places[1] = vec![(9, 0)]),
        Box::new(|l| l.places[1] = Vec::new()),
        Box::new(|l| drop(l.invariant.pop())),
        Box::new(|l| drop(l.labels[0].may.pop())),
        Box::new(|l| l.labels[0].arguments.clear()),
        Box::new(|l| l.labels[0].arguments[0] = vec![Argument::Rank(Vec::new())]),
        Box::new(|l| {
            l.labels[0].arguments[0] = vec![Argument::Nested { places: vec![7], functions: Vec::new() }];
        }),
        Box::new(|l| {
            l.labels[0].arguments[0] =
                vec![Argument::Requirement { within: vec![Expr::Bool(true)], requirement: 0 }];
        }),
        Box::new(|l| l.invariant[0] = var(77)),
        Box::new(|l| l.invariant[0] = Expr::Index(Index(0))),
        Box::new(|l| l.labels[0].formula = Core::Globally(Box::new(Core::Atom(var(50))))),
        Box::new(|l| {
            let cycle = Cycle { alternative: 3, ordered: true, moves: Vec::new() };
            l.labels[0].path.cycles.push(cycle);
        }),
    ];
    for (number, forge) in broken.iter().enumerate() {
        let mut forged = good.clone();
        forge(&mut forged);
        assert!(judged_to_hold(&task, &forged).is_err(), "forgery {number}");
    }
}

/// From `x >= 1` the program may go on for ever: it adds any positive number to `x`. `AF x <= 0` fails.
fn growth() -> (Task, Refutation) {
    let v = || Expr::Index(Index(0));
    let binder = Binder { index: Index(0), span: Span::integers() };
    let more = Update::Choose(binder, at_least(v(), int(1)), Box::new(assign(vec![(0, sum(var(0), v()))])));
    let up = action(0, at_least(var(0), int(1)), more);
    let out = action(0, Expr::Bool(true), assign(vec![(2, int(1)), (0, int(0))]));
    let system = system(2, Expr::Bool(true), vec![up, out]);
    let atom = compare(Operator::Le, var(0), int(0));
    let movement = Move {
        place: 0,
        states: at_least(var(0), int(1)),
        step: Some(StepLabel::Action(ActionId(0))),
        choices: vec![int(1)],
        target: 0,
        reading: 0,
        rank: None,
    };
    let labelling = Labelling {
        places: vec![vec![(2, 0)], vec![(2, 1)]],
        invariant: vec![Expr::Bool(true); 2],
        labels: vec![Label {
            formula: stays_out(atom.clone()),
            must: vec![at_least(var(0), int(1)), Expr::Bool(false)],
            path: Path {
                cycles: vec![Cycle { alternative: 0, ordered: true, moves: vec![movement] }],
                layers: Vec::new(),
            },
            may: vec![Expr::Bool(true); 2],
            arguments: Vec::new(),
        }],
        product: None,
    };
    let state = State(vec![1, 0, 0]);
    (task(&system, Fairness::none(), all_finally(atom)), Refutation { state, labelling, run: None })
}

fn judged_to_fail(task: &Task, refutation: &Refutation) -> Result<Standing, Flaw> {
    judged(task, Answer::Fails(Counterexample::Labelling(Box::new(refutation.clone()))))
}

#[test]
fn a_recurrent_set_with_choices_shows_that_a_loop_need_not_end() {
    let (task, refutation) = growth();
    assert_eq!(judged_to_fail(&task, &refutation), Ok(Standing::Checked));
    let change = |forge: &dyn Fn(&mut Refutation)| {
        let mut forged = refutation.clone();
        forge(&mut forged);
        judged_to_fail(&task, &forged)
    };
    refused(change(&|r| r.state = State(vec![0, 0, 0])), "leaves out the initial state");
    refused(change(&|r| r.state = State(vec![1, 0, 1])), "not initial");
    refused(change(&|r| r.state = State(vec![1])), "values");
    refused(
        change(&|r| r.labelling.labels[0].must[0] = Expr::Bool(true)),
        "every state of a label has a move",
    );
    let movement =
        |forge: &dyn Fn(&mut Move)| change(&|r| forge(&mut r.labelling.labels[0].path.cycles[0].moves[0]));
    refused(movement(&|m| m.choices = vec![int(0)]), "a move can be made");
    refused(movement(&|m| m.choices = vec![sum(var(0), int(-1))]), "a move can be made");
    refused(movement(&|m| m.choices.clear()), "a move can be made");
    refused(movement(&|m| m.choices.push(int(1))), "a move can be made");
    refused(movement(&|m| m.target = 1), "a move leads where it should");
    refused(movement(&|m| m.step = Some(StepLabel::Action(ActionId(1)))), "a move can be made");
    refused(movement(&|m| m.step = Some(StepLabel::Idle)), "a move can be made");
    refused(movement(&|m| m.step = Some(StepLabel::Action(ActionId(9)))), "well formed");
    refused(movement(&|m| m.states = Expr::Bool(true)), "operand is true");
    refused(movement(&|m| m.states = at_least(var(0), int(2))), "every state of a label has a move");
}

#[test]
fn a_cycle_must_meet_the_fairness() {
    let (task, mut refutation) = growth();
    let growing = || at_least(var(0), int(1));
    let pair = |p: Expr, q: Expr| Fairness::all_of(vec![Requirement::compassion(p, q, Vec::new())]);
    let under = |fairness: Fairness, refutation: &Refutation| {
        judged_to_fail(&Task { fairness, ..task.clone() }, refutation)
    };
    // The label of `EG !(x <= 0)` is over fair runs, and `may` of the root requires no more.
    assert_eq!(under(pair(growing(), growing()), &refutation), Ok(Standing::Checked));
    assert_eq!(under(pair(Expr::eq(var(2), int(1)), Expr::Bool(false)), &refutation), Ok(Standing::Checked));
    refused(under(pair(growing(), Expr::eq(var(2), int(1))), &refutation), "meets the fairness");
    refutation.labelling.labels[0].path.cycles[0].alternative = 1;
    refused(under(pair(growing(), growing()), &refutation), "well formed");
}

#[test]
fn a_cycle_is_fair_by_one_of_its_sets_only_if_it_is_ordered() {
    // Two loops at one place, which a run may take in any order.
    let up = action(0, Expr::Bool(true), assign(vec![(0, sum(var(0), int(1)))]));
    let down = action(0, Expr::Bool(true), assign(vec![(0, sum(var(0), int(-1)))]));
    let system = system(1, Expr::Bool(true), vec![up, down]);
    let never = Expr::eq(var(2), int(1));
    let movement = |states: Expr, action: u32| Move {
        place: 0,
        states,
        step: Some(StepLabel::Action(ActionId(action))),
        choices: Vec::new(),
        target: 0,
        reading: 0,
        rank: None,
    };
    let positive = || at_least(var(0), int(1));
    let under = |when: Expr, then: Expr, ordered: bool| {
        // `x` goes up and down between 0 and 1, or, if the cycle is not ordered, up from anywhere below and down from
        // anywhere above.
        let [low, high] = if ordered {
            [Expr::eq(var(0), int(0)), Expr::eq(var(0), int(1))]
        } else {
            [compare(Operator::Le, var(0), int(0)), positive()]
        };
        let labelling = Labelling {
            places: vec![vec![(2, 0)]],
            invariant: vec![Expr::Bool(true)],
            labels: vec![Label {
                formula: stays_out(never.clone()),
                must: vec![Expr::Or(vec![low.clone(), high.clone()])],
                path: Path {
                    cycles: vec![Cycle {
                        alternative: 0,
                        ordered,
                        moves: vec![movement(low, 0), movement(high, 1)],
                    }],
                    layers: Vec::new(),
                },
                may: vec![Expr::Bool(true)],
                arguments: Vec::new(),
            }],
            product: None,
        };
        let fairness = Fairness::all_of(vec![Requirement::compassion(when, then, Vec::new())]);
        let refutation = Refutation { state: State(vec![0, 0, 0]), labelling, run: None };
        judged_to_fail(&task(&system, fairness, all_finally(never.clone())), &refutation)
    };
    let always = || Expr::Bool(true);
    assert_eq!(under(always(), positive(), true), Ok(Standing::Checked));
    refused(under(always(), positive(), false), "meets the fairness");
    // The step itself does what the requirement asks for.
    assert_eq!(under(positive(), positive(), false), Ok(Standing::Checked));
    assert_eq!(under(at_least(var(0), int(5)), positive(), false), Ok(Standing::Checked));
    refused(under(positive(), at_least(var(0), int(5)), false), "meets the fairness");
    refused(under(positive(), at_least(var(0), int(5)), true), "meets the fairness");
}

#[test]
fn a_cycle_that_is_not_ordered_is_fair_by_ranks() {
    // `x` falls to 0 and begins again with `y`, which grows: no two rounds are equal.
    let again = action(0, Expr::Bool(true), assign(vec![(0, var(1)), (1, sum(var(1), int(1)))]));
    let down = action(0, Expr::Bool(true), assign(vec![(0, sum(var(0), int(-1)))]));
    let system = system(1, Expr::Bool(true), vec![again, down]);
    let never = Expr::eq(var(2), int(1));
    let [low, high] = [compare(Operator::Le, var(0), int(0)), at_least(var(0), int(1))];
    let movement = |states: &Expr, action: u32, rank: Option<Expr>| Move {
        place: 0,
        states: states.clone(),
        step: Some(StepLabel::Action(ActionId(action))),
        choices: Vec::new(),
        target: 0,
        reading: 0,
        rank,
    };
    let judged = |ranks: [Option<Expr>; 2], ordered: bool, then: &Expr| {
        let [first, second] = ranks;
        let moves = vec![movement(&low, 0, first), movement(&high, 1, second)];
        let labelling = Labelling {
            places: vec![vec![(2, 0)]],
            invariant: vec![Expr::Bool(true)],
            labels: vec![Label {
                formula: stays_out(never.clone()),
                must: vec![Expr::Bool(true)],
                path: Path { cycles: vec![Cycle { alternative: 0, ordered, moves }], layers: Vec::new() },
                may: vec![Expr::Bool(true)],
                arguments: Vec::new(),
            }],
            product: None,
        };
        let requirement = Requirement::compassion(Expr::Bool(true), then.clone(), Vec::new());
        let refutation = Refutation { state: State(vec![0, 0, 0]), labelling, run: None };
        let task = task(&system, Fairness::all_of(vec![requirement]), all_finally(never.clone()));
        judged_to_fail(&task, &refutation)
    };
    assert_eq!(judged([None, Some(var(0))], false, &low), Ok(Standing::Checked));
    assert_eq!(judged([None, Some(sum(var(0), int(7)))], false, &low), Ok(Standing::Checked));
    refused(judged([None, None], false, &low), "meets the fairness");
    refused(judged([None, Some(var(0))], false, &high), "meets the fairness");
    refused(judged([None, Some(var(0))], true, &low), "a move leads where it should");
    for rank in [int(0), var(1), sum(var(0), int(-2)), sum(var(0), var(1))] {
        refused(judged([None, Some(rank)], false, &low), "a move leads where it should");
    }
    refused(judged([Some(var(0)), Some(var(0))], false, &low), "a move leads where it should");
    refused(judged([Some(int(0)), None], false, &high), "a move leads where it should");
}

#[test]
fn a_requirement_is_an_argument_only_where_it_is_not_met() {
    // `x` may stay or decrease. The loop only ends because of the fairness that it decreases infinitely often.
    let stay = action(0, Expr::Bool(true), Update::Skip);
    let down = action(0, at_least(var(0), int(1)), assign(vec![(0, sum(var(0), int(-1)))]));
    let system = system(1, at_least(var(0), int(0)), vec![stay, down]);
    let atom = compare(Operator::Le, var(0), int(0));
    let strong = Requirement::of(
        model::fairness::Word::Unconditional,
        model::Pattern {
            participants: vec![model::expr::Party {
                family: FamilyId(0),
                process: None,
                label: Some("at0".to_owned()),
            }],
            arguments: None,
        },
        Vec::new(),
    );
    let falls = Requirement::compassion(at_least(var(0), int(1)), Expr::Bool(false), Vec::new());
    let labels = |arguments| {
        let label = |formula: Core, must: Vec<Expr>, arguments| Label {
            formula,
            must,
            path: Path::default(),
            may: vec![Expr::Bool(false)],
            arguments,
        };
        Labelling {
            places: vec![vec![(2, 0)]],
            invariant: vec![at_least(var(0), int(0))],
            labels: vec![label(stays_out(atom.clone()), vec![Expr::Bool(false)], vec![arguments])],
            product: None,
        }
    };
    let rank = Argument::Rank(vec![var(0)]);
    let required = Argument::Requirement { within: vec![Expr::Bool(true)], requirement: 0 };
    let ask = |requirement: &Requirement, arguments: Vec<Argument>| {
        let task = task(&system, Fairness::all_of(vec![requirement.clone()]), all_finally(atom.clone()));
        judged_to_hold(&task, &labels(arguments))
    };
    // Runs with `x >= 1` infinitely often are not fair, and nothing else is outside of the label.
    assert_eq!(ask(&falls, vec![required.clone()]), Ok(Standing::Checked));
    assert_eq!(ask(&falls, vec![rank.clone(), required.clone()]), Ok(Standing::Checked));
    refused(ask(&falls, vec![rank.clone()]), "leave no step");
    refused(ask(&strong, vec![rank, required.clone()]), "does not happen");
    refused(ask(&strong, vec![required]), "does not happen");
}

#[test]
fn without_a_solver_labels_stand_as_claimed() {
    let (task, labelling) = countdown();
    let answer = Answer::Holds(Proof::Labelling(Box::new(labelling)));
    let none = smt::Solvers::none("not here");
    let judged = Judge::new(&none, &Session::unlimited()).certify(&task, answer);
    assert_eq!(judged.map(|judged| judged.standing()), Ok(Standing::Claimed));
}

#[test]
fn a_reachable_fault_is_found() {
    let (task, mut labelling) = countdown();
    let mut system = (**task.system()).clone();
    system.variables[0].kind.scalar = Scalar::Range(Span::between(-5, 5));
    let within = about(system.clone(), &task);
    assert_eq!(judged_to_hold(&within, &labelling), Ok(Standing::Checked));
    system.actions[1].update = assign(vec![(2, int(1)), (0, int(6))]);
    let outside = about(system, &task);
    refused(judged_to_hold(&outside, &labelling), "no fault is reachable");
    labelling.invariant[0] = Expr::Bool(true);
    refused(judged_to_hold(&outside, &labelling), "no fault is reachable");
}

#[test]
fn wherever_a_limit_comes_labels_stand_as_claimed() {
    let (task, labelling) = countdown();
    let judged = |after: usize| {
        let asked = AtomicUsize::new(0);
        let stop = || (asked.fetch_add(1, Ordering::Relaxed) >= after).then_some(StopReason::Time);
        let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
        let answer = Answer::Holds(Proof::Labelling(Box::new(labelling.clone())));
        let judged = Judge::new(&smt::installed(), &session).certify(&task, answer).expect("no flaw");
        (judged.standing(), judged.unfinished().cloned(), asked.load(Ordering::Relaxed))
    };
    let (standing, unfinished, asked) = judged(usize::MAX);
    assert_eq!((standing, unfinished), (Standing::Checked, None));
    assert!(asked > 10, "{asked}");
    let stopped = Some(Unfinished::Stopped(StopReason::Time));
    for after in (0..asked / 2).step_by(3) {
        let (standing, unfinished, _) = judged(after);
        assert_eq!((standing, &unfinished), (Standing::Claimed, &stopped), "after {after} of {asked}");
    }
}
