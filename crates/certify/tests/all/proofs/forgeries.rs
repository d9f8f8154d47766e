//! Proofs with an error: each is refused by the premise that is false.

use std::sync::Arc;

use certify::{Judge, Premise, Standing, Unfinished};
use model::expr::Operator;
use model::proof::{Case, Demand, Elimination, Local, Node, Part, ProductSet, Root, Test};
use model::{
    Answer, Expr, Index, Pattern, Place, ProcessId, Proof, Session, StopReason, Task, VariableId, tableau,
};
use smt::Solvers;

use super::examples::MUX_SEM;
use super::generator::{Style, prove};
use super::{judged, premise, tasks};

fn task(name: &str) -> Task {
    tasks(MUX_SEM).into_iter().find(|task| task.property.name == name.into()).expect("a property")
}

/// Changes a good proof, and returns the premise that is then false.
fn forged(task: &Task, style: Style, forge: impl FnOnce(&mut Local)) -> Option<Premise> {
    let mut local = prove(task, style).expect("a proof");
    assert_eq!(judged(task, &local), Ok(Standing::Checked));
    forge(&mut local);
    premise(task, &local)
}

fn eliminations(local: &mut Local) -> &mut Vec<Elimination> {
    &mut local.cases[0].parts[0].eliminations
}

/// Adds a node.
fn node(local: &mut Local, test: Test, no: Root, yes: Root) -> Root {
    local.diagrams.nodes.push(Node { test, no, yes });
    Root(local.diagrams.nodes.len() as u32 + 1)
}

#[test]
fn invariants_are_neither_too_weak_nor_too_strong() {
    let mutex = task("mutex");
    let weakened = |local: &mut Local| local.invariants.fill(Root::TRUE);
    assert_eq!(forged(&mutex, Style::PLAIN, weakened), Some(Premise::Invariant));
    let empty = |local: &mut Local| local.invariants[1] = Root::FALSE;
    assert_eq!(forged(&mutex, Style::PLAIN, empty), Some(Premise::Initiation));
    // The invariant that x is true: it holds at first, but not after a step.
    let strengthened = |local: &mut Local| {
        let x = Test::Bit { cell: 0, bit: 0 };
        let [a, b] = [local.invariants[0], local.invariants[1]];
        let rest = node(local, x, Root::FALSE, a);
        local.invariants = vec![rest, b];
    };
    assert_eq!(forged(&mutex, Style::PLAIN, strengthened), Some(Premise::Consecution));
}

#[test]
fn the_rank_falls_along_every_fair_run() {
    let strong = task("granted_entry");
    let count =
        prove(&strong, Style::PLAIN).map(|mut local| eliminations(&mut local).len()).expect("a proof");
    assert!(count > 2, "{count}");
    // Without its last elimination something is never removed. Without an earlier one, a later one may be wrong.
    for number in 0..count {
        let dropped = |local: &mut Local| {
            eliminations(local).remove(number);
        };
        let found = forged(&strong, Style::PLAIN, dropped);
        let expected = if number + 1 == count {
            vec![Premise::Removed]
        } else {
            vec![Premise::Removed, Premise::Elimination]
        };
        assert!(found.is_some_and(|found| expected.contains(&found)), "{number}: {found:?}");
    }
    let reversed = |local: &mut Local| eliminations(local).reverse();
    assert_eq!(forged(&strong, Style::PLAIN, reversed), Some(Premise::Elimination));
    // Everything is removed at once.
    let at_once = |local: &mut Local| {
        let reached = local.cases[0].reached.clone();
        match &mut eliminations(local)[0] {
            Elimination::Unmet { removed, .. }
            | Elimination::Trimmed { removed }
            | Elimination::Escaped { removed, .. } => *removed = reached,
        }
    };
    assert_eq!(forged(&strong, Style::PLAIN, at_once), Some(Premise::Elimination));
    // A set that steps leave is not closed, and one in which the demand is met cannot be removed.
    let everything = |local: &mut Local| {
        let reached = local.cases[0].reached.clone();
        let unmet = eliminations(local).iter_mut().find_map(|elimination| match elimination {
            Elimination::Unmet { closed, .. } => Some(closed),
            _ => None,
        });
        *unmet.expect("a demand") = reached;
    };
    assert_eq!(forged(&strong, Style::PLAIN, everything), Some(Premise::Elimination));
    // Another demand than the one that is not met.
    let other = |local: &mut Local| {
        for elimination in eliminations(local) {
            if let Elimination::Unmet { demand: demand @ Demand::Requirement { .. }, .. } = elimination {
                *demand = Demand::Mark(0);
            }
        }
    };
    assert_eq!(forged(&strong, Style::PLAIN, other), Some(Premise::Elimination));
}

#[test]
fn what_is_reached_is_all_of_it() {
    let strong = task("granted_entry");
    let nothing = |local: &mut Local| local.cases[0].reached.fill(Root::FALSE);
    assert_eq!(forged(&strong, Style::PLAIN, nothing), Some(Premise::Reached));
    let less = |local: &mut Local| {
        let last = local.cases[0].reached.len() - 1;
        local.cases[0].reached[last] = Root::FALSE;
    };
    assert_eq!(forged(&strong, Style::PLAIN, less), Some(Premise::Reached));
    // A larger set is not wrong, but then it has to be removed.
    let more = |local: &mut Local| {
        local.cases[0].reached.fill(Root::TRUE);
        local.invariants.fill(Root::TRUE);
    };
    let found = forged(&strong, Style::PLAIN, more);
    assert!(matches!(found, Some(Premise::Elimination | Premise::Removed)), "{found:?}");
}

#[test]
fn every_alternative_and_every_class_has_a_case() {
    let classes = Style { classes: true, ..Style::PLAIN };
    let progress = task("progress");
    let without = |number: usize| {
        move |local: &mut Local| {
            local.cases.remove(number);
        }
    };
    assert_eq!(forged(&progress, classes, without(0)), Some(Premise::Cases));
    assert_eq!(forged(&progress, classes, without(1)), Some(Premise::Cases));
    let no_idle = |local: &mut Local| {
        local.cases.iter_mut().for_each(|case| case.class.as_mut().expect("a class").unowned = false);
    };
    assert_eq!(forged(&progress, classes, no_idle), Some(Premise::Cases));
    // Infinitely many steps of P[1], or infinitely many with a mark: a run may have one without the other.
    let another_mark = |local: &mut Local| local.cases[0].class.as_mut().expect("a class").mark = None;
    assert_eq!(forged(&progress, classes, another_mark), Some(Premise::Cases));
    assert_eq!(forged(&task("one_or_other"), Style::PLAIN, without(0)), Some(Premise::Cases));
    assert_eq!(forged(&task("one_or_other"), Style::PLAIN, without(1)), Some(Premise::Cases));
    // The steps of one class are not those of another.
    let swapped = |local: &mut Local| {
        let [a, b] = &mut local.cases[..] else { panic!("two cases") };
        std::mem::swap(&mut a.parts, &mut b.parts);
    };
    let found = forged(&progress, classes, swapped);
    assert!(matches!(found, None | Some(Premise::Elimination | Premise::Removed)), "{found:?}");
}

#[test]
fn the_parts_cover_the_automaton() {
    let strong = task("granted_entry");
    let empty = |local: &mut Local| local.cases[0].parts[0].states.clear();
    assert_eq!(forged(&strong, Style::PLAIN, empty), Some(Premise::Parts));
    let none = |local: &mut Local| local.cases[0].parts.clear();
    assert_eq!(forged(&strong, Style::PLAIN, none), Some(Premise::Parts));
    // Only the state that the run stays in matters: the others need not be in a part.
    let found = forged(&strong, Style::PLAIN, |local| {
        let part = &mut local.cases[0].parts[0];
        part.states.retain(|state| *state != 0);
    });
    assert_eq!(found, None);
}

#[test]
fn a_proof_is_of_its_own_model_property_and_fairness() {
    let strong = task("granted_entry");
    let proof = prove(&strong, Style::PLAIN).expect("a proof");
    assert_eq!(premise(&task("starves"), &proof), Some(Premise::Form), "a requirement that is not assumed");
    assert_eq!(premise(&task("mutex"), &proof), Some(Premise::Form), "an invariant");
    let of = |source: &str| {
        tasks(source).into_iter().find(|t| t.property.name == "granted_entry".into()).expect("it")
    };
    let larger = of(&MUX_SEM.replace("N = 2", "N = 3"));
    assert_eq!(premise(&larger, &proof), Some(Premise::Form), "another number of processes");
    let another = of(&MUX_SEM.replace("crit: skip", "crit: stay"));
    assert!(matches!(premise(&another, &proof), Some(Premise::Elimination | Premise::Removed)));
    let stronger =
        of(&MUX_SEM
            .replace("F P[1]@crit) under scheduled & granted;", "F false) under scheduled & granted;"));
    assert!(premise(&stronger, &proof).is_some());
    let started = of(&MUX_SEM.replace("x: bool = true", "x: bool = false"));
    assert!(matches!(premise(&started, &proof), Some(Premise::Initiation | Premise::Reached)));
}

#[test]
fn a_reachable_fault_is_no_state_of_an_invariant() {
    let source = "
        shared n: 0..3;
        process P { loop { up: n = n + 1; } }
        process Q { loop { down: when n > 2 { n = 0; } } }
        invariant fine: true;
        property often: G F true;
    ";
    for task in tasks(source) {
        let local = Local { invariants: vec![Root::TRUE; 2], ..Local::default() };
        assert_eq!(premise(&task, &local), Some(Premise::NoFault));
        let flaw = judged(&task, &local).expect_err("a fault").to_string();
        assert!(flaw.contains("P.up") && flaw.contains("n = 3"), "{flaw}");
    }
    let division = "
        shared n: 0..3 = 1;
        process P { loop { up: n = (n + 1) % 4; } }
        process Q { loop { rest: skip; } }
        property often: G F 6 / n > 2;
        property fair: G F true under justice (6 / n > 2);
        invariant always: 6 / n > 0;
    ";
    for task in tasks(division) {
        let local = Local { invariants: vec![Root::TRUE; 2], ..Local::default() };
        assert_eq!(premise(&task, &local), Some(Premise::NoFault), "{}", task.property.name);
    }
}

#[test]
fn exposed_predicates_mean_what_they_say() {
    let strong = task("granted_entry");
    let negated = |local: &mut Local| {
        let predicate = &mut local.exposed[0].predicate;
        *predicate = Expr::negated(predicate.clone());
    };
    assert_eq!(forged(&strong, Style::PLAIN, negated), Some(Premise::Initiation));
    let swapped = |local: &mut Local| local.exposed.swap(0, 1);
    assert!(forged(&strong, Style::PLAIN, swapped).is_some());
}

#[test]
fn what_has_not_the_form_of_a_proof_is_refused() {
    let strong = task("granted_entry");
    let form = |forge: &dyn Fn(&mut Local)| {
        assert_eq!(forged(&strong, Style::PLAIN, forge), Some(Premise::Form));
    };
    let far = Root(u32::MAX);
    form(&|local| local.invariants.push(Root::TRUE));
    form(&|local| local.invariants.push(Root::TRUE));
    form(&|local| local.invariants[0] = far);
    form(&|local| local.diagrams.nodes[0].yes = Root(2));
    form(&|local| local.diagrams.nodes[0].no = far);
    form(&|local| local.diagrams.nodes[1].no = Root(local.diagrams.nodes.len() as u32));
    form(&|local| local.diagrams.nodes[0].test = Test::Bit { cell: 1000, bit: 0 });
    form(&|local| local.diagrams.nodes[0].test = Test::Bit { cell: 0, bit: 1 });
    form(&|local| local.diagrams.nodes[0].test = Test::Exposed(usize::MAX));
    form(&|local| local.exposed[0].process = ProcessId(2));
    form(&|local| local.exposed[0].predicate = Expr::Taken(Pattern::default()));
    form(&|local| local.exposed[0].predicate = Expr::Enabled(Pattern::default()));
    form(&|local| local.exposed[0].predicate = Expr::Index(Index(77)));
    let read = |variable, process: Option<i64>, position: Vec<Expr>| {
        let process = process.map(|process| Box::new(Expr::Int(process)));
        Expr::Read(Place { variable: VariableId(variable), process, position })
    };
    form(&|local| local.exposed[0].predicate = read(99, None, Vec::new()));
    form(&|local| local.exposed[0].predicate = read(0, Some(1), Vec::new()));
    form(&|local| local.exposed[0].predicate = read(0, None, vec![Expr::Int(1)]));
    form(&|local| {
        let mut deep = Expr::Bool(true);
        for _ in 0..2000 {
            deep = Expr::Not(Box::new(deep));
        }
        local.exposed[0].predicate = deep;
    });
    form(&|local| local.cases[0].alternative = 1);
    form(&|local| local.cases[0].reached.push(Root::TRUE));
    form(&|local| local.cases[0].reached[0] = far);
    form(&|local| local.cases[0].parts[0].states.push(50));
    form(&|local| match &mut eliminations(local)[0] {
        Elimination::Unmet { removed, .. }
        | Elimination::Trimmed { removed }
        | Elimination::Escaped { removed, .. } => {
            removed.pop();
        }
    });
    let demands = [
        Demand::Mark(9),
        Demand::Class,
        Demand::Requirement { number: 7, values: vec![] },
        Demand::Requirement { number: 0, values: vec![] },
        Demand::Requirement { number: 0, values: vec![3] },
        Demand::Requirement { number: 0, values: vec![1, 1] },
    ];
    for demand in demands {
        form(&|local| {
            let reached = local.cases[0].reached.clone();
            let unmet =
                Elimination::Unmet { demand: demand.clone(), closed: reached.clone(), removed: reached };
            eliminations(local).push(unmet);
        });
    }
}

#[test]
fn a_predicate_that_faults_is_false_where_it_does() {
    let strong = task("granted_entry");
    let found = forged(&strong, Style::PLAIN, |local| {
        let faulty = Expr::binary(Operator::Div, Expr::Int(1), Expr::Int(0));
        local.exposed.push(model::proof::Exposed { process: ProcessId(0), predicate: faulty });
        let test = Test::Exposed(local.exposed.len() - 1);
        let first = local.invariants[0];
        local.invariants[0] = node(local, test, first, Root::FALSE);
    });
    assert_eq!(found, None);
}

#[test]
fn deep_diagrams_are_judged_like_shallow_ones() {
    let mutex = task("mutex");
    let found = forged(&mutex, Style::PLAIN, |local| {
        // The same test over and over, which changes nothing after the first time.
        let x = Test::Bit { cell: 0, bit: 0 };
        let first = local.invariants[0];
        let mut root = first;
        for _ in 0..200_000 {
            root = node(local, x, first, root);
        }
        local.invariants[0] = root;
    });
    assert_eq!(found, None);
}

#[test]
fn a_proof_that_cannot_be_judged_to_its_end_is_claimed() {
    let strong = task("granted_entry");
    let proof = Box::new(prove(&strong, Style::PLAIN).expect("a proof"));
    let answer = || Answer::Holds(Proof::Local(proof.clone()));
    let none = Solvers::none("none is needed");
    let stop = || Some(StopReason::Time);
    let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
    let certified = Judge::new(&none, &session).certify(&strong, answer()).expect("no flaw is found");
    assert_eq!(certified.standing(), Standing::Claimed);
    assert_eq!(certified.unfinished(), Some(&Unfinished::Stopped(StopReason::Time)));
    assert_eq!(session.notes.into_inner().expect("no thread panics").len(), 1);
    let session = Session::new(&|| None, &|_| {}, 1000, 1);
    let certified = Judge::new(&none, &session).certify(&strong, answer()).expect("no flaw is found");
    assert_eq!(certified.standing(), Standing::Claimed);
}

#[test]
fn a_flaw_is_told_in_the_names_of_the_model() {
    let mutex = task("mutex");
    let mut local = prove(&mutex, Style::PLAIN).expect("a proof");
    local.invariants.fill(Root::TRUE);
    let flaw = judged(&mutex, &local).expect_err("a forgery").to_string();
    assert!(
        flaw.starts_with("premise 4, invariant: the local invariants do not imply the property"),
        "{flaw}"
    );
    assert!(flaw.contains("P[1]@crit, P[2]@crit"), "{flaw}");
}

/// Forgeries of every kind, and the messages: the number and the name of the first false premise, and the processes,
/// requirements, states and steps of the model.
#[test]
fn every_forgery_is_refused_with_the_first_false_premise_in_the_users_names() {
    let told = |task: &Task, style: Style, forge: &dyn Fn(&mut Local), says: &[&str]| {
        let mut local = prove(task, style).expect("a proof");
        forge(&mut local);
        let flaw = judged(task, &local).expect_err("a forgery").to_string();
        assert!(flaw.starts_with(says[0]), "{flaw}");
        says.iter().for_each(|part| assert!(flaw.contains(part), "`{part}` in {flaw}"));
    };
    let (mutex, strong, progress) = (task("mutex"), task("granted_entry"), task("progress"));
    let (plain, classes) = (Style::PLAIN, Style { classes: true, ..Style::PLAIN });
    let x = Test::Bit { cell: 0, bit: 0 };
    told(&mutex, plain, &|local| local.invariants[1] = Root::FALSE, &["premise 1, ", "P[2]", "x = true"]);
    told(
        &mutex,
        plain,
        &|local| {
            let first = local.invariants[0];
            local.invariants[0] = node(local, x, Root::FALSE, first);
        },
        &["premise 3, ", "leads out of the invariant of P[1]", "by the step P[", "x = false"],
    );
    told(&mutex, plain, &|local| local.invariants.fill(Root::TRUE), &["premise 4, ", "P[1]@crit"]);
    let further = |local: &mut Local| local.invariants.push(Root::TRUE);
    told(&mutex, plain, &further, &["form: ", "3 local invariants for 2 processes"]);
    let no_case = |local: &mut Local| {
        local.cases.remove(0);
    };
    told(&progress, classes, &no_case, &["premise 5, ", "no case covers steps of P[1]"]);
    let nothing = |local: &mut Local| local.cases[0].reached.fill(Root::FALSE);
    told(&strong, plain, &nothing, &["premise 6, ", "P[1]@"]);
    told(&strong, plain, &|local| local.cases[0].parts.clear(), &["premise 7, "]);
    let reordered = |local: &mut Local| eliminations(local).reverse();
    told(&strong, plain, &reordered, &["premise 8, ", "elimination 0", "by the step "]);
    // The rank of the states that are removed first does not decrease if all are removed together.
    let at_once = |local: &mut Local| {
        let reached = local.cases[0].reached.clone();
        let unmet = eliminations(local).iter_mut().find_map(|elimination| match elimination {
            Elimination::Unmet { removed, .. } => Some(removed),
            _ => None,
        });
        *unmet.expect("a demand") = reached;
    };
    told(&strong, plain, &at_once, &["premise 8, ", "a removed state has a possible step", "P[1]@"]);
    let unfinished = |local: &mut Local| {
        eliminations(local).pop();
    };
    told(&strong, plain, &unfinished, &["premise 9, ", "never removed", "P[1]@"]);
    let proof = prove(&strong, plain).expect("a proof");
    let flaw = judged(&task("starves"), &proof).expect_err("another fairness").to_string();
    assert!(flaw.contains("is of a demand that does not exist"), "{flaw}");
}

/// A proof of a property whose automaton has only states that matter. Nothing is exposed. `reached` says that the first
/// cell is false, or is everything. The eliminations are given for that set and for the empty one.
fn bare(
    task: &Task,
    first_is_false: bool,
    eliminations: impl Fn(&ProductSet, &ProductSet) -> Vec<Elimination>,
) -> Option<Premise> {
    let instance = Arc::clone(task.subject.instance().expect("no open parameters"));
    let automaton = tableau::violations(&instance, &task.property.kind).expect("an automaton");
    let count = automaton.states.len();
    let mut local = Local { invariants: vec![Root::TRUE; 2], ..Local::default() };
    // A redundant node that tests the last cell: the set depends on it only by its form.
    let cell = instance.cells.len() - 1;
    local.diagrams.nodes.push(Node { test: Test::Bit { cell, bit: 0 }, no: Root::TRUE, yes: Root::TRUE });
    let other = if first_is_false { Root::FALSE } else { Root(2) };
    let all = vec![node(&mut local, Test::Bit { cell: 0, bit: 0 }, Root(2), other); count];
    let part =
        Part { states: (0..count).collect(), eliminations: eliminations(&all, &vec![Root::FALSE; count]) };
    local.cases.push(Case { alternative: 0, class: None, reached: all, parts: vec![part] });
    premise(task, &local)
}

/// No fair run has infinitely many steps that make `when` true, but it may have others. So everything can be removed if
/// these are all steps, but not if they are only some.
#[test]
fn only_the_steps_that_make_when_true_are_barred() {
    let source = "
        shared x: bool;
        process P { action a { skip; } action b { skip; } }
        process Q { action c when x { skip; } }
        property p: F false under compassion (taken(P), x);
        property q: F false under compassion (taken(P.a), x);
    ";
    let tasks = tasks(source);
    let found = tasks.iter().map(|task| {
        bare(task, true, |all, none| {
            let demand = Demand::Requirement { number: 0, values: Vec::new() };
            vec![
                Elimination::Unmet { demand, closed: all.clone(), removed: none.clone() },
                Elimination::Trimmed { removed: all.clone() },
            ]
        })
    });
    assert_eq!(found.collect::<Vec<_>>(), [None, Some(Premise::Elimination)]);
}

/// The only action neither leaves the set nor decides whether `x` is true: that depends on the state.
#[test]
fn a_demand_that_is_met_in_some_states_is_no_reason_to_remove_them() {
    let source = |start: &str| {
        format!(
            "shared x: bool{start}; shared y: bool;
            process P {{ action a {{ y = !y; }} }}
            process Q {{ action c when false {{ skip; }} }}
            property p: F false under justice (x);"
        )
    };
    let found = |start: &str| {
        bare(&tasks(&source(start))[0], start.is_empty(), |all, _| {
            let demand = Demand::Requirement { number: 0, values: Vec::new() };
            vec![Elimination::Unmet { demand, closed: all.clone(), removed: all.clone() }]
        })
    };
    assert_eq!(found(""), None);
    assert_eq!(found(" = any"), Some(Premise::Elimination));
}
