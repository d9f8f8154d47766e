//! Strong global fairness on sets of states: random small models against the oracle, which knows only the definition.

use certify::Standing;
use certify::oracle::{self, Why};
use engines::{Engine, Symbolic};
use model::property::Kind;
use model::{Answer, Note, Session, Task, splitmix};

/// The oracle is not asked about more states or tableau nodes.
const LIMIT: usize = 5_000;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        splitmix::next(&mut self.0) % bound
    }

    fn one<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len() as u64) as usize]
    }

    fn predicate(&mut self) -> &'static str {
        self.one(&["x == 0", "x == 1", "x < 2", "y", "!y", "x == 2 && y", "x != 0 || y", "enabled(Q.e)"])
    }

    fn atom(&mut self) -> &'static str {
        match self.below(4) {
            0 => self.one(&["taken(P.a)", "taken(P.b)", "taken(Q.e)", "taken(Q.d) || y"]),
            _ => self.predicate(),
        }
    }

    fn update(&mut self) -> &'static str {
        self.one(&[
            "x = (x + 1) % 3;",
            "x = 0;",
            "x = 2;",
            "y = !y;",
            "y = x == 1;",
            "skip;",
            "choose v in 0..2 { x = v; }",
            "choose v in 1..2 { x = v; y = v == 1; }",
        ])
    }

    fn linear(&mut self) -> String {
        let (p, q) = (self.atom(), self.atom());
        match self.below(8) {
            0 => format!("G F ({p})"),
            1 => format!("F G ({p})"),
            2 => format!("G (({p}) -> F ({q}))"),
            3 => format!("F (({p}) && X ({q}))"),
            4 => format!("F (({p}) && X (({q}) && X ({p})))"),
            5 => format!("(G F ({p})) -> (G F ({q}))"),
            6 => format!("({p}) U ({q})"),
            _ => format!("G F (({p}) && X ({q}))"),
        }
    }

    fn branching(&mut self) -> String {
        let (p, q) = (self.predicate(), self.predicate());
        match self.below(6) {
            0 => format!("EG ({p})"),
            1 => format!("AF ({p})"),
            2 => format!("AG EF ({p})"),
            3 => format!("EF EG ({p})"),
            4 => format!("E[({p}) U ({q})]"),
            _ => format!("AG (({p}) -> AF ({q}))"),
        }
    }

    fn model(&mut self) -> String {
        let mut text = String::from("shared x: 0..2 = 0;\nshared y: bool;\n");
        for (process, actions) in [("P", ["a", "b", "c"]), ("Q", ["d", "e", "f"])] {
            text = format!("{text}process {process} {{\n");
            for action in actions {
                let (guard, update) =
                    (self.one(&["true", "x == 0", "x == 1", "x == 2", "y", "!y"]), self.update());
                text = format!(
                    "{text}    action {action} when {guard} && {} {{ {update} }}\n",
                    self.one(&["x < 2", "y || x > 0", "true"])
                );
            }
            text += "}\n";
        }
        for claim in 0..6 {
            let formula = if claim < 4 { self.linear() } else { self.branching() };
            let fairness = self.one(&[
                "global",
                "global",
                "global & strong P.a",
                "global & justice (x == 0)",
                "global & compassion (y, x == 2)",
                "global | weak all",
                "global & justice (y) | global & unconditional Q.d",
            ]);
            text = format!("{text}property p{claim}: {formula} under {fairness};\n");
        }
        text
    }
}

fn tasks(text: &str) -> Vec<Task> {
    let loaded = lang::load("test", text, &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    model.checks.into_iter().map(|check| check.task).collect()
}

#[test]
fn what_it_says_under_strong_global_fairness_is_what_the_definition_says() {
    let random = &mut Random(crate::setting("FAIRLY_SEED", 24));
    let (mut holding, mut failing, mut branching, mut without) = (0, 0, 0, 0);
    for _ in 0..crate::setting("FAIRLY_TASKS", 60) {
        let text = random.model();
        for task in tasks(&text) {
            let Ok(decision) = oracle::decide(&task, LIMIT) else { continue };
            let session = Session::unlimited();
            let answer = Symbolic::default().check(&task, &session).expect("taken");
            let certified = certify::certify(&task, answer).expect("good evidence");
            let name = &task.property.name;
            match certified.answer() {
                Answer::Holds(_) => assert_eq!(decision.why, Why::Holds, "{name}\n{text}"),
                Answer::Fails(_) => assert_eq!(decision.why, Why::Fails, "{name}\n{text}"),
                Answer::Unknown(reason) => panic!("{name}: {reason:?}\n{text}"),
            }
            let is_branching = matches!(task.property.kind, Kind::Ctl(_));
            if matches!(certified.answer(), Answer::Fails(_)) && !is_branching {
                assert_eq!(certified.standing(), Standing::Checked, "{name}\n{text}");
            }
            let notes = session.notes.into_inner().expect("no thread panics");
            let noted = notes.iter().any(|note| matches!(note, Note::Unrealisable(_)));
            if decision.why == Why::Holds
                && let Some(realisable) = decision.realisable
            {
                assert_eq!(noted, !realisable, "{name}\n{text}");
                without += usize::from(noted);
            }
            *(if decision.why == Why::Holds { &mut holding } else { &mut failing }) += 1;
            branching += usize::from(is_branching);
        }
    }
    println!("{holding} hold, {failing} fail; {branching} are CTL; {without} with states without a fair run");
    assert!(holding > 50 && failing > 50 && branching > 50, "{holding} {failing} {branching}");
}

/// A pair of coins shows three heads in a row only if it likes: global fairness is about single steps, and a component of
/// the product may lack a step of the system although no step leads out of it.
#[test]
fn steps_of_the_system_are_covered_and_not_edges_of_the_product() {
    let text = "shared coin: 0..1;
        process P { action toss { choose v in 0..1 { coin = v; } } }
        property two:   F (coin == 1 && X coin == 1)                  under global;
        property three: F (coin == 1 && X coin == 1 && X X coin == 1) under global;";
    let says: Vec<bool> = tasks(text)
        .iter()
        .map(|task| {
            let answer = Symbolic::default().check(task, &Session::unlimited()).expect("taken");
            matches!(certify::certify(task, answer).expect("good evidence").answer(), Answer::Holds(_))
        })
        .collect();
    assert_eq!(says, [true, false]);
}

/// Far more states than can be listed, all in one bottom component; or in as many deadlocks, which are dealt with together.
#[test]
fn bottom_components_are_found_where_states_cannot_be_listed() {
    let one = "const N = 30;
        process P[i: 1..N] { local n: 0..3; action turn { choose v in 0..3 { n = v; } } }
        property all_three: G F forall i in 1..N: P[i].n == 3      under global;
        property some_run:  AG EF forall i in 1..N: P[i].n == 3    under global;";
    let many = "const N = 30;
        process P[i: 1..N] { local b: 0..2; action fall when b == 0 { choose v in 1..2 { b = v; } } }
        property fallen: F forall i in 1..N: P[i].b != 0           under global;
        property rest:   AF AG forall i in 1..N: P[i].b != 0       under global;
        property luck:   EG P[1].b != 2                            under global;";
    for task in tasks(one).into_iter().chain(tasks(many)) {
        let answer = Symbolic::default().check(&task, &Session::unlimited()).expect("taken");
        assert!(matches!(answer, Answer::Holds(_)), "{}: {answer:?}", task.property.name);
    }
}
