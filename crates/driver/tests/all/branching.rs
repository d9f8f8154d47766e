//! Facts that show why a CTL formula is false; the oracle must agree with each.

use certify::{Fact, Standing, certify, facts, oracle};
use engines::{Engine, Explicit, Symbolic};
use model::expr::{Operator, Place};
use model::property::{Kind, Paths};
use model::system::Scalar;
use model::{Answer, Counterexample, Ctl, Expr, Instance, Session, State, Task, show};

use crate::differential::generate;
use crate::differential::random::Random;

/// The oracle is not asked about more tableau nodes.
const LIMIT: usize = 20_000;

/// The engines that decide CTL of finite systems.
fn engines() -> [Box<dyn Engine>; 2] {
    [Box::new(Explicit::default()), Box::new(Symbolic::default())]
}

/// An engine's counterexample to a task, its standing, and the facts next to it.
fn refuted(engine: &dyn Engine, task: &Task) -> Option<(Counterexample, Standing, Vec<Fact>)> {
    let instance = Instance::new(task.system().clone()).expect("an instance");
    let answer = engine.check(task, &Session::unlimited()).expect("the engine accepts the task");
    let certified = certify(task, answer).expect("no flaw");
    let Answer::Fails(evidence) = certified.answer() else { return None };
    Some((evidence.clone(), certified.standing(), facts(task, &instance, evidence)))
}

/// The facts next to the evidence against the only property of a model, as text. The engines must say the same.
fn facts_of(text: &str) -> (Standing, Vec<String>) {
    let model = lang::load("model", text, &[]).model.expect("a model");
    let task = &model.checks[0].task;
    let line =
        |fact: &Fact| format!("{}: {} {}", fact.state, show::ctl(task.system(), &fact.formula), fact.holds);
    let [explicit, symbolic] = engines().map(|engine| {
        let (_, standing, facts) = refuted(&*engine, task).expect("the property fails");
        (standing, facts.iter().map(line).collect::<Vec<_>>())
    });
    assert_eq!(explicit, symbolic);
    explicit
}

#[test]
fn a_run_shows_which_part_is_false_in_which_state() {
    let (standing, lines) = facts_of(
        "shared x: 0..2; process P { action up when x < 2 { x = x + 1; } action wait when x == 2 { } }
         property p: AG (x == 1 -> AF x == 0);",
    );
    assert_eq!(standing, Standing::Checked);
    let expected = [
        "0: AG (x == 1 -> AF (x == 0)) false",
        "1: AG (x == 1 -> AF (x == 0)) false",
        "1: x == 1 -> AF (x == 0) false",
        "1: x == 1 true",
        "1: AF (x == 0) false",
        "1: x == 0 false",
        "2: AF (x == 0) false",
        "2: x == 0 false",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_path_leads_to_a_state_where_what_is_claimed_of_all_is_false() {
    let (standing, lines) = facts_of(
        "shared x: 0..2; process P { action up when x < 2 { x = x + 1; } action back when x == 1 { x = 0; } }
         property p: AG EF x == 0;",
    );
    assert_eq!(standing, Standing::Claimed);
    let whole = "AG EF (x == 0) false";
    assert_eq!(lines[..3], [format!("0: {whole}"), format!("1: {whole}"), format!("2: {whole}")]);
    assert_eq!(lines[3..], ["2: EF (x == 0) false"]);
}

/// The state predicate that is true in this state only.
fn at(instance: &Instance, state: &State) -> Expr {
    let cells = instance.cells.iter().zip(&state.0).map(|(cell, value)| {
        let index = cell.owner.and_then(|owner| instance.processes[owner.0 as usize].index);
        let place = Expr::Read(Place {
            variable: cell.variable,
            process: index.map(|index| Box::new(Expr::Int(index))),
            position: cell.position.iter().map(|position| Expr::Int(*position)).collect(),
        });
        match instance.system.variable(cell.variable).kind.scalar {
            Scalar::Bool if *value != 0 => place,
            Scalar::Bool => Expr::negated(place),
            _ => Expr::binary(Operator::Eq, place, Expr::Int(*value)),
        }
    });
    Expr::and(cells)
}

/// The states of a counterexample by number.
fn states(evidence: &Counterexample) -> Vec<State> {
    match evidence {
        Counterexample::Lasso(lasso) => {
            lasso.positions.iter().map(|position| position.state.clone()).collect()
        }
        Counterexample::Path(path) => {
            let before = path.positions.iter().map(|position| position.state.clone());
            before.chain([path.last.clone()]).collect()
        }
        Counterexample::State(state) => vec![state.clone()],
        Counterexample::Labelling(refutation) => vec![refutation.state.clone()],
        Counterexample::Fault { .. } | Counterexample::Instance { .. } => Vec::new(),
    }
}

#[test]
fn the_oracle_agrees_with_every_fact() {
    let count = crate::setting("FAIRLY_TASKS", 1_500);
    let (mut runs, mut paths, mut asked) = (0, 0, 0);
    for number in 0..count {
        let source = generate::source(&mut Random::new(4, number));
        let Some(model) = lang::load("random", &source, &[]).model else { continue };
        for check in model.checks.iter().filter(|check| matches!(check.task.property.kind, Kind::Ctl(_))) {
            let task = &check.task;
            // By turns, so that each engine is seen with every kind of evidence. Only one takes every fairness.
            let [explicit, symbolic] = engines();
            let engine = if number % 2 == 0 && symbolic.accepts(task).is_ok() { symbolic } else { explicit };
            let Some((evidence, _, facts)) = refuted(&*engine, task) else { continue };
            match &evidence {
                Counterexample::Fault { .. } => continue,
                Counterexample::Lasso(_) => runs += 1,
                Counterexample::Path(_) => paths += 1,
                _ => {}
            }
            assert!(!facts.is_empty() && facts[0].state == 0 && !facts[0].holds, "{facts:?}\n{source}");
            let instance = Instance::new(task.system().clone()).expect("an instance");
            let states = states(&evidence);
            for fact in facts {
                // A state of a run or a path lies on a fair run, so the opposite must not hold wherever a fair run
                // goes through it. An initial state may have no fair run at all, and the formula is about it anyway.
                let opposite = if fact.holds { Ctl::Not(Box::new(fact.formula)) } else { fact.formula };
                let here = Ctl::Atom(at(&instance, &states[fact.state]));
                let so = Ctl::Implies(Box::new(here), Box::new(opposite));
                let claim = if fact.state == 0 { so } else { Ctl::Globally(Paths::All, Box::new(so)) };
                let mut task = task.clone();
                task.property.kind = Kind::Ctl(claim);
                let Ok(decision) = oracle::decide(&task, LIMIT) else { continue };
                asked += 1;
                let claim = show::kind(task.system(), &task.property.kind);
                assert!(!decision.holds(), "model {number}: `{claim}` holds\n{source}");
            }
        }
    }
    println!("{count} models: {runs} runs, {paths} paths, {asked} facts");
    assert!(runs > 20 && paths > 0 && asked > 100, "{runs} runs, {paths} paths, {asked} facts");
}
