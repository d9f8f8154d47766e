//! Programs in the format of T2: what they mean, what is refused, and that no text makes the reader panic.

use std::path::PathBuf;

use exchange::t2::{Blocks, Claim, Imported, Origin, Question, Stuck, load, load_as};
use lang::diagnostic::Diagnostic;
use model::property::{Kind, Paths};
use model::splitmix::SplitMix;
use model::{ActionId, Ctl, Expr, Formula, Instance, State, Task, Update, semantics, show};

fn asked(claim: Claim) -> Question {
    Question { claim, pairs: Vec::new(), stuck: Stuck::Drop }
}

fn ctl(formula: &str) -> Question {
    asked(Claim::Ctl(formula.to_owned()))
}

fn task(text: &str, question: &Question) -> Task {
    let Imported { model, diagnostics } = load("test", text, question);
    let mut model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    model.checks.remove(0).task
}

fn faults(text: &str, question: &Question) -> Vec<(Origin, Diagnostic)> {
    let imported = load("test", text, question);
    assert!(imported.model.is_none(), "{text}");
    imported.diagnostics
}

fn fault(text: &str, question: &Question) -> String {
    faults(text, question).remove(0).1.message
}

fn instance(task: &Task) -> Instance {
    Instance::new(task.system().clone()).expect("an instance")
}

/// The successors of a state by all actions, where choices are restricted to these integers.
fn successors(instance: &Instance, state: &[i64], integers: &[i64]) -> Vec<Vec<i64>> {
    let actions = (0..instance.actions.len() as u32).map(ActionId);
    let state = State(state.to_vec());
    let targets = actions.flat_map(|action| {
        semantics::successors_with(instance, &state, action, &|_| integers.to_vec()).expect("no fault")
    });
    targets.map(|state| state.0).collect()
}

/// A loop that counts `x` down and adds the differences to `y`.
const COUNTDOWN: &str = "
    START: 0;
    FROM: 0; y := 0; assume(x >= 0); TO: 1;
    FROM: 1; assume(x > 0); d := nondet(); assume(1 <= d && d <= x); x := x - d; y := y + d; TO: 1;
    FROM: 1; assume(x <= 0); TO: done;";

#[test]
fn a_block_is_one_action_and_its_commands_are_done_in_order() {
    let task = task(COUNTDOWN, &asked(Claim::Termination));
    let instance = instance(&task);
    let names: Vec<&str> = instance.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(names, ["program.loc_1_to_loc_1", "program.loc_1_to_done"]);
    let cells: Vec<&str> = instance.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(cells, ["y", "x", "d", "program@"]);
    // At location 1 with x = 2: one or two are taken, and d is the number taken.
    let targets = successors(&instance, &[5, 2, 9, 1], &[-1, 0, 1, 2, 3]);
    assert_eq!(targets, [[6, 1, 1, 1], [7, 0, 2, 1]]);
    assert_eq!(successors(&instance, &[5, 0, 9, 1], &[-1, 0, 1]), [[5, 0, 9, 2]]);
    assert!(successors(&instance, &[5, 0, 9, 2], &[0]).is_empty(), "the end is a deadlock");
}

#[test]
fn a_guard_says_whether_there_is_a_value_to_choose() {
    let task = task(COUNTDOWN, &asked(Claim::Termination));
    let guard = show::expression(task.system(), &task.system().actions[0].guard);
    assert_eq!(guard, "program@loc_1 && 1 <= x");
    let Update::Choose(binder, condition, _) = &task.system().actions[0].update else { panic!("no choice") };
    assert!(binder.span.is_endless());
    assert_eq!(show::expression(task.system(), condition), "1 <= nondet1 && nondet1 <= x");
}

#[test]
fn the_start_is_no_state_and_its_blocks_say_where_runs_begin() {
    let text =
        "START: 0; FROM: 0; x := 2 * y; y := y + 1; TO: 1; FROM: 0; x := nondet(); assume(x > 7); TO: 2;
        FROM: 1; TO: 1; FROM: 2; TO: 2;";
    let task = task(text, &ctl("[AG](x > 0)"));
    let instance = instance(&task);
    let initial =
        |state: [i64; 3]| semantics::is_initial(&instance, &State(state.to_vec())).expect("no fault");
    // x is twice the old y, and y one more than it was.
    assert!(initial([4, 3, 1]) && initial([-2, 0, 1]));
    assert!(!initial([4, 2, 1]) && !initial([3, 3, 1]));
    assert!(initial([8, -5, 2]) && !initial([7, -5, 2]));
    assert!(!initial([8, 5, 0]), "nothing is at the start");
    assert_eq!(task.system().actions.len(), 2);
}

#[test]
fn a_start_that_is_come_back_to_is_also_a_location() {
    let task = task("START: 0; FROM: 0; x := x + 1; TO: 0;", &asked(Claim::Termination));
    assert_eq!(successors(&instance(&task), &[3, 0], &[]), [[4, 0]]);
}

#[test]
fn choices_in_order_never_get_stuck() {
    // The second value must leave room for the third.
    let text = "START: 0; FROM: 0; TO: 1;
        FROM: 1; a := nondet(); b := nondet(); assume(a < b); assume(b < x); assume(a > 0); TO: 1;";
    let task = task(text, &asked(Claim::Termination));
    let instance = instance(&task);
    assert!(successors(&instance, &[0, 0, 2, 1], &[-1, 0, 1, 2, 3]).is_empty());
    assert_eq!(successors(&instance, &[0, 0, 3, 1], &[-1, 0, 1, 2, 3]), [[1, 2, 3, 1]]);
    let enabled = |x| semantics::enabled(&instance, &State(vec![0, 0, x, 1]), ActionId(0)).expect("no fault");
    assert!(enabled(3) && !enabled(2));
    // The condition of the first choice only mentions the first choice.
    let Update::Choose(first, condition, _) = &task.system().actions[0].update else { panic!("no choice") };
    let other = |part: &Expr| matches!(part, Expr::Index(index) if *index != first.index);
    assert!(!condition.any(&mut |part| other(part)), "{condition:?}");
}

#[test]
fn what_is_not_linear_is_known_in_part_and_noted() {
    let text = "START: 0; FROM: 0; TO: 1;\nFROM: 1; x := y * z;\ny := y / x; z := 3 * z - 6 / 2; TO: 1;";
    let task = task(text, &asked(Claim::Termination));
    assert_eq!(task.system().overapproximates.len(), 2, "{:?}", task.system().overapproximates);
    assert!(
        task.system().overapproximates[0].starts_with("line 2:")
            && task.system().overapproximates[1].starts_with("line 3:")
    );
    // A product of two large factors is not known, but it has a sign and a least size; divided by more than itself, 2 is 0.
    let from = |x: i64| successors(&instance(&task), &[0, 2, 5, 1], &[x, 0]);
    assert_eq!(from(9), Vec::<Vec<i64>>::new());
    assert_eq!(from(10), [[10, 0, 12, 1]]);
    assert_eq!(from(11), [[11, 0, 12, 1]]);
    // A product with a factor of 1 is known.
    let exact = successors(&instance(&task), &[0, 1, 5, 1], &[4, 5, 6, 0]);
    assert_eq!(exact, [[5, 0, 12, 1]]);
}

#[test]
fn a_program_that_is_sure_does_nothing_that_the_program_does_not_do() {
    let sure = |text: &str| {
        let loaded = load_as("test", text, &asked(Claim::Termination), Blocks::Sure);
        let task = loaded.model.expect("a model").checks.remove(0).task;
        assert!(task.system().overapproximates.is_empty() && task.system().underapproximates.len() == 1);
        instance(&task)
    };
    let tested = sure(
        "START: 0; FROM: 0; TO: 1;\nFROM: 1; assume(y * z > 6); TO: 2; FROM: 1; assume(y * z <= 6); TO: 3;",
    );
    let assigned =
        sure("START: 0; FROM: 0; TO: 1;\nFROM: 1; x := y * z; TO: 1; FROM: 1; assume(x > 9); TO: 2;");
    let mut steps = [0, 0];
    let products: Vec<i64> = (-40..=40).collect();
    for (y, z) in (-6..=6).flat_map(|y| (-6..=6).map(move |z| (y, z))) {
        // The variables are in the order of their first mention, and the location comes last.
        for next in successors(&tested, &[y, z, 1], &[]) {
            steps[0] += 1;
            assert_eq!(next[2] == 2, y * z > 6, "{y} {z}");
        }
        for next in successors(&assigned, &[0, y, z, 1], &products) {
            steps[1] += 1;
            assert_eq!(next[0], y * z, "{y} {z}");
        }
    }
    assert!(steps[0] > 120 && steps[1] > 120, "{steps:?}");
    let linear = "START: 0; FROM: 0; TO: 1; FROM: 1; x := 2 * x; TO: 1;";
    assert!(load_as("test", linear, &asked(Claim::Termination), Blocks::Sure).model.is_none());
}

#[test]
fn an_annotated_right_side_with_nondet_is_any_integer_as_a_whole() {
    let program = |at: &str| format!("START: 0; FROM: 0; TO: 1; FROM: 1; {at} x := 2 * nondet(); TO: 1;");
    let targets = |at: &str| {
        let task = task(&program(at), &asked(Claim::Termination));
        successors(&instance(&task), &[0, 1], &[3])
    };
    assert_eq!(targets(""), [[6, 1]]);
    assert_eq!(targets("AT(7, \"file.c:7\")"), [[3, 1]]);
}

#[test]
fn a_run_ends_properly_only_where_no_block_or_no_exit_is() {
    let text = "START: 0; FROM: 0; TO: 1; FROM: 0; TO: 2; FROM: 0; TO: 4;
        FROM: 1; assume(x > 0); x := x - 1; TO: 1;
        FROM: 2; assume(x > 0); x := x - 1; TO: 2; FROM: 2; assume(x == 0); TO: 3;";
    let shown = |stuck| {
        let task = task(text, &Question { stuck, ..ctl("[AF](x <= 0)") });
        let guards = task.system().actions.iter().filter(|a| a.participants[0].label == "terminated");
        let guards: Vec<String> = guards.map(|a| show::expression(task.system(), &a.guard)).collect();
        (guards, show::fairness(task.system(), &task.fairness))
    };
    let (guards, fairness) = shown(Stuck::Drop);
    // The loop at 1 has no exit, nothing leaves 3 and 4; at 2 a negative x is stuck, and such runs do not count.
    assert_eq!(guards, ["program@loc_1 && x <= 0", "program@loc_4", "program@loc_3"]);
    assert_eq!(fairness, "justice (taken(any))");
    assert_eq!(shown(Stuck::Stutter), (Vec::new(), "none".to_owned()));
}

#[test]
fn a_program_that_always_goes_on_needs_no_fairness_for_it() {
    let task = task("START: 0; FROM: 0; TO: 1; FROM: 1; x := x + 1; TO: 1;", &ctl("[AG](x > 0)"));
    assert!(task.fairness.is_none());
}

#[test]
fn a_pair_asks_nothing_of_a_run_that_has_ended() {
    let text = "START: 0; FROM: 0; TO: 1; FROM: 1; TO: 1; FROM: 1; x := 1; TO: 2;";
    let pairs = vec!["(x > 0, x = 2)".to_owned(), "(x != 0 || x < 1, !(x < 1))".to_owned()];
    let question = Question { pairs, ..ctl("[AF](x > 0)") };
    let drop = task(text, &question);
    assert_eq!(
        show::fairness(drop.system(), &drop.fairness),
        "compassion (x > 0 && !enabled(program.terminated), x == 2) & \
         compassion ((x != 0 || x < 1) && !enabled(program.terminated), !(x < 1))"
    );
    let stutter = task(text, &Question { stuck: Stuck::Stutter, ..question });
    assert!(show::fairness(stutter.system(), &stutter.fairness).contains("x > 0 && !deadlock, x == 2"));
}

#[test]
fn termination_and_safety_are_about_blocks_alone() {
    let text = "START: 0; CUTPOINT: 9; FROM: 0; TO: 1; FROM: 1; assume(x > 0); TO: 9;";
    let termination = task(text, &asked(Claim::Termination));
    assert_eq!(show::kind(termination.system(), &termination.property.kind), "AF deadlock");
    let safety = |location: Option<&str>| {
        let task = task(text, &asked(Claim::Safety(location.map(str::to_owned))));
        assert!(task.fairness.is_none() && task.system().actions.len() == 1);
        show::kind(task.system(), &task.property.kind)
    };
    assert_eq!(safety(None), "!program@loc_9");
    assert_eq!(safety(Some("1")), "!program@loc_1");
    assert!(fault(text, &asked(Claim::Safety(Some("loc_8".to_owned())))).contains("no location `loc_8`"));
    assert!(fault(COUNTDOWN, &asked(Claim::Safety(None))).contains("no CUTPOINT"));
}

#[test]
fn keywords_may_be_variables() {
    let text = "START: 0; FROM: 0; A := F + E; P := TO + G - X - U; TO: 1; FROM: 1; assume := START; TO: 1;";
    let task = task(text, &ctl("[EF](A == 1 && [EG](F > P)) || [AX](E + G >= 0 || X < U)").clone());
    drop(task);
}

#[test]
fn formulas_are_read_with_their_precedence() {
    let shown = |question: &Question| {
        let task = task("START: 0; FROM: 0; x := y; z := x; TO: 0;", question);
        show::kind(task.system(), &task.property.kind)
    };
    let ltl = |text: &str| asked(Claim::Ltl(text.to_owned()));
    assert_eq!(
        shown(&ctl("[AG] (x + 2*y - 1 < 3 || !z > 1 && x = 1 )")),
        "AG (x + 2 * y + -1 < 3 || !(z > 1) && x == 1)"
    );
    assert_eq!(shown(&ctl("[AW](x > 0),([EU](y < 0),(z == 1))")), "A[x > 0 W E[y < 0 U z == 1]]");
    assert_eq!(shown(&ltl("G(F(x > 0)) && U(x > 0),(X(y < 0))")), "G F (x > 0) && x > 0 U X (y < 0)");
    // Formulas of CTL* that are CTL.
    assert_eq!(shown(&ltl("E F(G (x == 0 && (E G(y == 0))))")), "EF EG (x == 0 && EG (y == 0))");
    assert_eq!(shown(&ltl("A G(F(x == 1))")), "AG AF (x == 1)");
    assert_eq!(shown(&ltl("A F(G(x == 1))")), "F G (x == 1)");
    let kind = task("START: 0; FROM: 0; x := y; TO: 0;", &ltl("A (x == 1)")).property.kind;
    let Kind::Ctl(Ctl::WeakUntil(Paths::All, ..)) = kind else { panic!("{kind:?}") };
    let kind = task("START: 0; FROM: 0; x := y; TO: 0;", &ltl("x == 1")).property.kind;
    assert!(matches!(kind, Kind::Ltl(Formula::Atom(_))), "{kind:?}");
}

#[test]
fn what_cannot_be_said_is_refused_where_it_stands() {
    let program = "START: 0; FROM: 0; x := y; TO: 0;";
    let of = |question: Question| {
        let (origin, diagnostic) = faults(program, &question).remove(0);
        assert_eq!(origin, Origin::Claim);
        diagnostic.message
    };
    let ltl = |text: &str| of(asked(Claim::Ltl(text.to_owned())));
    assert!(ltl("A G(A (F(x > 0) || G(y > 0)) || A F(G(y > 0)))").contains("neither CTL nor LTL"));
    assert!(of(ctl("G(x > 0)")).contains("formula of runs"));
    assert!(of(ctl("[AG](xx > 0)")).contains("no variable `xx`"));
    assert!(of(ctl("[AG](x)")).contains("condition is expected"));
    assert!(of(ctl("[AG](x * y > 0)")).contains("product of variables"));
    assert!(of(ctl("[AG](nondet() > 0)")).contains("nondet"));
    assert!(of(ctl("[AQ](x > 0)")).contains("`[`"));
    assert!(of(ctl("[AG](x > 0) x")).contains("`x` is not expected"));
    assert!(of(ctl("[AG](P(x > 0))")).contains("past"));
    assert!(of(ctl("")).contains("ends too early"));
    let question =
        Question { pairs: vec!["(x > 0, y > 0)".to_owned(), "(x > 0)".to_owned()], ..ctl("x > 0") };
    assert_eq!(faults(program, &question)[0].0, Origin::Pair(1));
}

#[test]
fn errors_of_a_program_are_found_in_one_run() {
    let all = faults(
        "START: 0; FROM: 0; x = 1; y := ; z := 1 TO: 1; FROM 2; FROM: 3; x := (y > 1); TO: 3;",
        &ctl("x > 0"),
    );
    let messages: Vec<&str> = all.iter().map(|(_, fault)| fault.message.as_str()).collect();
    assert!(messages.len() >= 4, "{messages:?}");
    assert!(fault("FROM: 0; TO: 1;", &ctl("x > 0")).contains("no start"));
    assert!(fault("START: 0; FROM: 0; x := (y > 1); TO: 0;", &ctl("x > 0")).contains("number is expected"));
    let large = "START: 0; FROM: 0; x := 99999999999999999999; TO: 0;";
    assert!(fault(large, &ctl("x > 0")).contains("64 bits"));
    let growing = format!("START: 0; FROM: 0; {} TO: 1; FROM: 1; TO: 1;", "x := x + x;".repeat(200));
    assert!(fault(&growing, &ctl("x > 0")).contains("too large"));
}

#[test]
fn hostile_sizes_are_answered() {
    let deep = format!("START: 0; FROM: 0; x := {}1{}; TO: 0;", "(".repeat(100_000), ")".repeat(100_000));
    assert!(fault(&deep, &ctl("x > 0")).contains("nested"));
    let minus = format!("START: 0; FROM: 0; x := {}1; TO: 0;", "-".repeat(100_000));
    assert!(fault(&minus, &ctl("x > 0")).contains("nested"));
    assert!(fault("START: 0; FROM: 0; TO: 0;", &ctl(&"!".repeat(100_000))).contains("nested"));
    let long = format!("START: 0; FROM: 0; x := 1{}; TO: 0;", " + x".repeat(100_000));
    task(&long, &asked(Claim::Termination));
    // Every assumption repeats a long sum.
    let sum = (0..3000).map(|k| format!("x := x + y{k};")).collect::<Vec<_>>().concat();
    let heavy = format!("START: 0; FROM: 0; {sum} {} TO: 0;", "assume(x > 0);".repeat(3000));
    assert!(fault(&heavy, &asked(Claim::Termination)).contains("too large"));
    let involved = (0..64).map(|k| format!("assume(v != y{k});")).collect::<Vec<_>>().concat();
    let cases = format!("START: 0; FROM: 0; v := nondet(); {involved} TO: 1; FROM: 1; TO: 1;");
    assert!(fault(&cases, &asked(Claim::Termination)).contains("too complex"));
}

/// Texts to mutate: the programs here, and the corpus if it is present.
fn texts() -> Vec<String> {
    let mut texts = vec![COUNTDOWN.to_owned()];
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/t2");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "t2")).collect();
    files.sort();
    texts.extend(files.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    texts
}

#[test]
fn no_text_breaks_the_reader() {
    const PIECES: [&str; 24] = [
        "FROM",
        "TO:",
        "START: 0;",
        ";",
        ":=",
        "(",
        ")",
        "assume",
        "nondet()",
        "-",
        "!",
        "&&",
        "||",
        "x",
        "9",
        "/",
        "*",
        "[AG]",
        "F(",
        "A",
        ",",
        "\"",
        "é",
        "//",
    ];
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let count = std::env::var("FUZZ_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(1500);
    let mut random = SplitMix(seed);
    let texts = texts();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..count {
        let original = &texts[random.below(texts.len() as u64) as usize];
        let mut words: Vec<&str> = original.split_inclusive([' ', '\n', ';']).collect();
        for _ in 0..random.below(4) {
            let at = random.below(words.len() as u64) as usize;
            match random.below(3) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, PIECES[random.below(24) as usize]),
                _ => words.insert(at, words[random.below(words.len() as u64) as usize]),
            }
        }
        let text = words.concat();
        let mut formula = "[AG](x <= 0 || [AF](y > 0 && !(x == 1)))".to_owned();
        for _ in 0..random.below(3) {
            let at = random.below(formula.len() as u64 + 1) as usize;
            if formula.is_char_boundary(at) {
                formula.insert_str(at, PIECES[random.below(24) as usize]);
            }
        }
        let claim = match random.below(4) {
            0 => Claim::Termination,
            1 => Claim::Safety(Some("1".to_owned())),
            2 => Claim::Ctl(formula.clone()),
            _ => Claim::Ltl(formula.clone()),
        };
        let stuck = if random.below(2) == 0 { Stuck::Drop } else { Stuck::Stutter };
        let imported =
            load("test", &text, &Question { claim, pairs: vec![format!("({formula}, x > 0)")], stuck });
        *(if imported.model.is_some() { &mut read } else { &mut refused }) += 1;
        for (origin, diagnostic) in &imported.diagnostics {
            if let (Origin::Program, Some(span)) = (origin, diagnostic.span) {
                assert!(span.end <= text.len() && text.is_char_boundary(span.start), "seed {seed}: {text}");
            }
        }
        if let Some(model) = imported.model {
            assert!(model.subject.instance().is_some(), "seed {seed}: no parameter is open");
        }
        // Without the pair and the formula, more programs can be read.
        read += usize::from(load("test", &text, &asked(Claim::Termination)).model.is_some());
    }
    assert!(read > count / 10 && refused > count / 10, "seed {seed}: {read} read, {refused} refused");
}

#[test]
fn every_row_of_the_corpus_is_read_or_refused_for_a_reason() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/t2");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("the corpus is not here, so nothing was read");
        return;
    };
    let mut refused = Vec::new();
    let mut read = 0;
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [id, file, mode, property, fairness, ..] = fields[..] else { panic!("{row}") };
        let text = std::fs::read_to_string(folder.join(file)).expect("a file of the corpus");
        let claim = match mode {
            "termination" => Claim::Termination,
            "safety" if property.is_empty() => Claim::Safety(None),
            "safety" => Claim::Safety(Some(property.to_owned())),
            "ctl" => Claim::Ctl(property.to_owned()),
            "ctlstar" => Claim::Ltl(property.to_owned()),
            other => panic!("{other}"),
        };
        let pairs = if fairness.is_empty() { Vec::new() } else { vec![fairness.to_owned()] };
        let imported = load(file, &text, &Question { claim, pairs, stuck: Stuck::Drop });
        match imported.model {
            Some(_) => read += 1,
            None => refused.push(format!("{id} {file} {property}: {:?}", imported.diagnostics)),
        }
    }
    println!("{read} rows are read, {} refused:\n{}", refused.len(), refused.join("\n"));
    assert!(refused.len() <= 4, "{}", refused.join("\n"));
}
