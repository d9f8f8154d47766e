//! Fairness declarations: their requirements, written out for the instance.

use model::fairness::Word;
use model::{Fairness, ground, show};

use crate::explore::model;

/// The assumption of the first property of a text, written out.
fn under(text: &str) -> String {
    let model = model(text);
    let instance = model.subject.instance().expect("no open parameters");
    show::fairness(&instance.system, &ground::fairness(instance, &model.checks[0].task.fairness))
}

/// A system with families, single processes, arguments and rendezvous, and one property under `fair`.
fn of(fair: &str) -> String {
    under(&format!(
        "const N = 2; shared x: bool; chan c: [0] of bool;
         process P[i: 1..N] {{ action meet(r: 1..N) when r != i {{ skip; }} loop {{ try: request x; put: c!x; }} }}
         process Q[j: 1..N] {{ loop {{ get: c?_; }} }}
         process Server {{ loop {{ serve: release x; }} }}
         fairness scheduled: weak P;
         fairness served: strong Server.serve;
         property p: F x under {fair};"
    ))
}

#[test]
fn a_word_about_a_family_is_about_each_process() {
    assert_eq!(of("weak P"), "weak P[1] & weak P[2]");
    assert_eq!(of("strong P[2]"), "strong P[2]");
    assert_eq!(of("unconditional Server"), "unconditional Server");
    let meeting = "shared x: bool; chan c: [0] of bool; process P[i: 1..2] { put: c!x; get: c?_; }";
    let pairs = under(&format!("{meeting} property p: F x under weak P+P;"));
    assert_eq!(pairs, "weak P[1]+P[1] & weak P[1]+P[2] & weak P[2]+P[1] & weak P[2]+P[2]");
}

#[test]
fn what_is_shown_of_a_rendezvous_means_the_same_when_it_is_read_again() {
    let source = "chan c: [0] of bool; shared x, i2: bool; process S[i: 1..2] { put: c!x; }
         process R[i: 1..2] { get: c?_; } property p: F x under ";
    for (written, shown) in [
        ("strong S.put+R.get", "strong S.put+R.get"),
        ("for i in 1..1: strong S[i].put", "for i in 1..1: for i3 in 1..2: strong S[i].put+R[i3].get"),
    ] {
        let loaded = model(&format!("{source} {written};"));
        assert_eq!(show::fairness(loaded.system(), &loaded.checks[0].task.fairness), shown);
        assert_eq!(under(&format!("{source} {shown};")), under(&format!("{source} {written};")));
    }
}

#[test]
fn a_word_about_every_family_is_what_the_word_for_all_processes_replaces() {
    let model = model(
        "param N >= 2; process P[i: 1..N] { a: skip; } process Q[i: 1..N] { b: skip; }
         property p: F true under weak P & weak Q;",
    );
    assert_eq!(model.checks[0].task.fairness, Fairness::every_process(model.system(), Word::Weak));
}

#[test]
fn a_word_about_a_label_is_about_each_process_and_argument() {
    assert_eq!(of("weak P.try"), "weak P[1].try & weak P[2].try");
    assert_eq!(of("strong P[N].try"), "strong P[2].try");
    assert_eq!(of("weak P.meet"), "weak P[1].meet(2) & weak P[2].meet(1)");
    assert_eq!(of("weak P[1].meet"), "weak P[1].meet(2)");
    assert_eq!(of("weak P.meet(2)"), "weak P[1].meet(2)");
    assert_eq!(of("unconditional P[1].meet(2)"), "unconditional P[1].meet(2)");
}

#[test]
fn a_word_about_a_rendezvous_is_about_each_pair() {
    let pairs = |first: &str, second: &str| format!("weak {first} & weak {second}");
    assert_eq!(of("weak P[1].put"), pairs("P[1].put+Q[1].get", "P[1].put+Q[2].get"));
    assert_eq!(of("weak Q[2].get"), pairs("P[1].put+Q[2].get", "P[2].put+Q[2].get"));
    assert_eq!(of("weak P.put").matches("weak").count(), 4);
    assert_eq!(of("weak P[2].put+Q[1].get"), "weak P[2].put+Q[1].get");
    assert_eq!(of("weak Q[1]+P[2].put"), "weak P[2].put+Q[1].get");
    assert_eq!(of("weak P[1]+Q[2]"), "weak P[1]+Q[2]");
}

#[test]
fn all_and_processes_are_everything() {
    assert_eq!(
        of("weak all"),
        "weak P[1].meet(2) & weak P[2].meet(1) & weak P[1].try & weak P[2].try & weak Server.serve & \
         weak P[1].put+Q[1].get & weak P[1].put+Q[2].get & weak P[2].put+Q[1].get & weak P[2].put+Q[2].get"
    );
    assert_eq!(
        of("strong processes"),
        "strong P[1] & strong P[2] & strong Q[1] & strong Q[2] & strong Server"
    );
    assert_eq!(of("weak any"), "weak any");
}

#[test]
fn predicates_may_speak_of_states_and_steps() {
    assert_eq!(of("justice (x)"), "justice (x)");
    assert_eq!(
        of("compassion (P[1]@try && x, taken(P[1].try))"),
        "compassion (P[1]@try && x, taken(P[1].try))"
    );
    assert_eq!(of("for k in 1..N: justice (!P[k]@put)"), "justice (!P[1]@put) & justice (!P[2]@put)");
    assert_eq!(
        of("for k in 1..N: for l in k..N: weak P[k].meet(l)"),
        "weak P[1].meet(2)",
        "an action that does not exist asks for nothing"
    );
}

#[test]
fn names_conjunctions_and_disjunctions() {
    assert_eq!(of("scheduled & served"), "weak P[1] & weak P[2] & strong Server.serve");
    assert_eq!(of("global"), "global");
    assert_eq!(of("none"), "none");
    assert_eq!(of("served | global"), "strong Server.serve | global");
    assert_eq!(
        of("(weak Server | served) & (global | none)"),
        "weak Server & global | weak Server | strong Server.serve & global | strong Server.serve"
    );
    assert_eq!(
        of("for k in 1..2: (weak P[k] | strong Q[k])"),
        "weak P[1] & weak P[2] | weak P[1] & strong Q[2] | strong Q[1] & weak P[2] | strong Q[1] & strong Q[2]"
    );
}

#[test]
fn declarations_without_a_name_apply_where_there_is_no_under() {
    let text =
        "shared x: bool; process P { a: skip; } fairness weak P; fairness strong P.a; fairness n: global;";
    assert_eq!(under(&format!("{text} property p: F x;")), "weak P & strong P.a");
    assert_eq!(under(&format!("{text} property p: F x under n;")), "global");
    assert_eq!(under(&format!("{text} property p: F x under none;")), "none");
    assert_eq!(under(&format!("{text} invariant p: x;")), "none");
    assert_eq!(under("shared x: bool; property p: F x;"), "none");
}

#[test]
fn annotations_apply_to_every_property() {
    let text =
        "shared x: bool; process P[i: 1..2] { action uf(tick) { skip; } loop { wf(a): skip; sf(b): skip; } }";
    let annotated = "unconditional P[1].tick & unconditional P[2].tick & weak P[1].a & weak P[2].a & strong P[1].b & strong P[2].b";
    assert_eq!(under(&format!("{text} property p: F x;")), annotated);
    assert_eq!(under(&format!("{text} property p: F x under none;")), annotated);
    assert_eq!(under(&format!("{text} property p: F x under global;")), format!("{annotated} & global"));
}

#[test]
fn an_action_whose_arguments_depend_on_its_process() {
    let text = "shared x: bool; process P[i: 1..3] { action up(k: i..3) { skip; } } property p: F x under weak P[2].up;";
    assert_eq!(under(text), "weak P[2].up(2) & weak P[2].up(3)");
}

#[test]
fn the_index_of_a_family_of_properties_may_be_used() {
    let model = model(
        "process P[i: 1..2] { a: skip; } property p[k: 1..2]: F P[k]@end under weak P[k] & justice (P[k]@a);",
    );
    let texts: Vec<String> =
        model.checks.iter().map(|check| show::fairness(model.system(), &check.task.fairness)).collect();
    assert_eq!(texts, ["weak P[1] & justice (P[1]@a)", "weak P[2] & justice (P[2]@a)"]);
}
