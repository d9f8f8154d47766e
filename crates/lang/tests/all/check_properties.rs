//! What properties are lowered to: their logic, atoms and members.

use lang::Expect;
use model::property::{Formula, Kind};
use model::show;

use crate::explore::{model, model_with};

const WORLD: &str =
    "const N = 2; shared x, y: bool; process P[i: 1..N] { local v: 0..3; try: skip; crit: skip; }
    define waits(j) = P[j]@try; define live(p, q) = G (p -> F q); define pure = x && y; define later = F x;
    define inevitably(p) = AF p;";

/// The first property, as LTL, CTL or an invariant.
fn claim(claim: &str) -> String {
    let model = model(&format!("{WORLD} {claim}"));
    let kind = &model.checks[0].task.property.kind;
    let word = match kind {
        Kind::Invariant(_) => "invariant",
        Kind::Ltl(_) => "LTL",
        Kind::Ctl(_) => "CTL",
        Kind::Never(_) => "automaton",
    };
    format!("{word} {}", show::kind(model.system(), kind))
}

#[test]
fn the_operators_decide_the_logic() {
    assert_eq!(claim("invariant a: x || y;"), "invariant x || y");
    assert_eq!(claim("property a: x;"), "LTL x");
    assert_eq!(claim("property a: G x;"), "LTL G x");
    assert_eq!(claim("property a: AG x;"), "CTL AG x");
    assert_eq!(claim("property a: later;"), "LTL F x");
    assert_eq!(claim("property a: inevitably(x);"), "CTL AF x");
}

#[test]
fn all_operators_of_ltl() {
    assert_eq!(claim("property a: G F X x;"), "LTL G F X x");
    assert_eq!(claim("property a: [] <> x;"), "LTL G F x");
    assert_eq!(claim("property a: GF x -> FG y;"), "LTL G F x -> F G y");
    assert_eq!(claim("property a: x U y W x R y;"), "LTL x U (y W (x R y))");
    assert_eq!(claim("property a: !(F x) || G y && X x;"), "LTL !F x || G y && X x");
    assert_eq!(claim("property a: F x <-> G y;"), "LTL (F x -> G y) && (G y -> F x)");
    assert_eq!(claim("property a: forall j in 1..N: F P[j]@crit;"), "LTL forall j in 1..2: F P[j]@crit");
    assert_eq!(claim("property a: exists j in 1..N: G P[j]@try;"), "LTL exists j in 1..2: G P[j]@try");
}

#[test]
fn all_operators_of_ctl() {
    assert_eq!(claim("property a: AG EF AX x;"), "CTL AG EF AX x");
    assert_eq!(claim("property a: EG AF EX x;"), "CTL EG AF EX x");
    assert_eq!(
        claim("property a: A[x U E[y W x]] && E[x U A[x W y]];"),
        "CTL A[x U E[y W x]] && E[x U A[x W y]]"
    );
    assert_eq!(
        claim("property a: AG (x -> enabled(P.try) || deadlock);"),
        "CTL AG (x -> enabled(P.try) || deadlock)"
    );
    assert_eq!(claim("property a: AF x <-> EG y;"), "CTL (AF x -> EG y) && (EG y -> AF x)");
    assert_eq!(claim("property a: forall j in 1..N: AF P[j]@crit;"), "CTL forall j in 1..2: AF P[j]@crit");
}

#[test]
fn maximal_parts_without_temporal_operators_are_single_atoms() {
    let model = model(&format!("{WORLD} property a: G (x && (y || pure) && F (x -> y) && !y && x);"));
    let Kind::Ltl(Formula::Globally(body)) = &model.checks[0].task.property.kind else {
        panic!("G of something")
    };
    let Formula::And(parts) = &**body else { panic!("a conjunction, not {body:?}") };
    let texts: Vec<String> = parts.iter().map(|part| show::formula(model.system(), part)).collect();
    assert_eq!(texts, ["x && (y || x && y)", "F (x -> y)", "!y && x"]);
    assert!(matches!(parts[0], Formula::Atom(_)) && matches!(parts[2], Formula::Atom(_)));
    let Formula::Finally(inner) = &parts[1] else { panic!("F of something") };
    assert!(matches!(**inner, Formula::Atom(_)));
}

#[test]
fn events_are_atoms_of_ltl() {
    assert_eq!(claim("property a: GF taken(P[1].try);"), "LTL G F taken(P[1].try)");
    assert_eq!(
        claim("property a: G (taken(any) -> enabled(P) && X !taken(P[2]));"),
        "LTL G (taken(any) -> enabled(P) && X !taken(P[2]))"
    );
}

#[test]
fn definitions_may_be_temporal_and_take_temporal_arguments() {
    assert_eq!(claim("property a: live(waits(1), P[1]@crit);"), "LTL G (P[1]@try -> F P[1]@crit)");
    assert_eq!(claim("property a: live(x, later && G y);"), "LTL G (x -> F (F x && G y))");
    assert_eq!(
        claim("property a: forall j in 1..N: live(waits(j), x);"),
        "LTL forall j in 1..2: G (P[j]@try -> F x)"
    );
}

#[test]
fn a_family_of_properties_is_its_members() {
    let model = model(&format!(
        "{WORLD} property p[k: 1..N]: G (P[k]@try -> F P[k % N + 1]@crit) expect holds;
         invariant q[k: N..3]: P[k - 1].v < k expect fails; invariant r: x; invariant s: true expect holds vacuously;"
    ));
    let members: Vec<(String, String, Option<Expect>)> = model
        .checks
        .iter()
        .map(|check| {
            let property = &check.task.property;
            (property.name.to_string(), show::kind(model.system(), &property.kind), check.expected)
        })
        .collect();
    let expected = [
        ("p[1]", "G (P[1]@try -> F P[2]@crit)", Some(Expect::Holds)),
        ("p[2]", "G (P[2]@try -> F P[1]@crit)", Some(Expect::Holds)),
        ("q[2]", "P[1].v < 2", Some(Expect::Fails)),
        ("q[3]", "P[2].v < 3", Some(Expect::Fails)),
        ("r", "x", None),
        ("s", "true", Some(Expect::HoldsVacuously)),
    ];
    assert_eq!(members, expected.map(|(name, kind, expected)| (name.to_owned(), kind.to_owned(), expected)));
}

/// Properties that differ only in their fairness make the same claim, so what is known about one is known about all.
#[test]
fn claims_that_are_written_alike_are_equal() {
    let model = model(
        "param N >= 2; process P[i: 1..N] { try: skip; crit: skip; }
         define some = exists i in 1..N: P[i]@crit;
         property a[i: 1..N]: G (P[i]@try -> F (some && exists j in 1..N: P[j]@crit)) under weak P;
         property b[i: 1..N]: G (P[i]@try -> F (some && exists j in 1..N: P[j]@crit)) under strong P.try;
         property c[i: 2..N]: G (P[i]@try -> F (some && exists j in 1..N: P[j]@crit));
         property d: forall i in 1..N: G (some -> F (some && forall j in 1..N: exists k in 1..N: P[k]@crit));",
    );
    let property = |number: usize| &model.checks[number].task.property;
    assert_eq!(property(0).kind, property(1).kind);
    assert_eq!(property(0).binders, property(1).binders);
    assert_ne!(property(0).kind, property(2).kind, "of others");
    // Within a property every binder has an index of its own.
    let shown = format!("{:?}", property(3).kind);
    let bound = shown.split("Binder { index: Index(").skip(1);
    let mut bound: Vec<&str> = bound.filter_map(|rest| rest.split(')').next()).collect();
    assert_eq!(bound.len(), 5, "{shown}");
    bound.sort_unstable();
    bound.dedup();
    assert_eq!(bound.len(), 5, "{shown}");
}

const PARAMETERISED: &str = "param N >= 2; const HALF = N / 2; shared total: 0..N;
    process P[i: 1..N] { local y: 0..HALF in 0..HALF; try: await forall j in 1..N: P[j].y <= y; crit: skip; }
    fairness weak P;
    property access[i: 1..N]: G (P[i]@try -> F P[i]@crit);
    invariant mutex: count(i in 1..N: P[i]@crit) <= HALF;";

#[test]
fn an_open_parameter_stays_in_the_model() {
    let model = model(PARAMETERISED);
    assert_eq!(model.system().parameters.len(), 1);
    assert_eq!(model.system().parameters[0].least, 2);
    let access = &model.checks[0].task;
    assert_eq!(access.property.name, "access".into());
    assert_eq!(access.property.binders.len(), 1);
    assert_eq!(show::span(model.system(), &access.property.binders[0].span), "1..N");
    assert_eq!(show::kind(model.system(), &access.property.kind), "G (P[i]@try -> F P[i]@crit)");
    assert_eq!(show::fairness(model.system(), &access.fairness), "weak P");
    assert_eq!(
        show::kind(model.system(), &model.checks[1].task.property.kind),
        "count(i in 1..N: P[i]@crit) <= N / 2"
    );
}

#[test]
fn a_parameter_with_a_value_is_a_constant() {
    let model = model_with(PARAMETERISED, &[("N", "4")]);
    assert!(model.system().parameters.is_empty());
    let names: Vec<String> = model.checks.iter().map(|check| check.task.property.name.to_string()).collect();
    assert_eq!(names, ["access[1]", "access[2]", "access[3]", "access[4]", "mutex"]);
    let mutex = &model.checks[4].task.property.kind;
    assert_eq!(show::kind(model.system(), mutex), "count(i in 1..4: P[i]@crit) <= 2");
}

#[test]
fn a_setting_replaces_a_constant_and_what_depends_on_it() {
    let text = "const N = 3; const M = N + 1; const B = false; invariant p: M == 10 && B;";
    let model = model_with(text, &[("N", "9"), ("B", "true")]);
    assert_eq!(show::kind(model.system(), &model.checks[0].task.property.kind), "true");
}

#[test]
fn a_claim_that_mentions_definitions_is_shown_as_written() {
    let shown = |claim: &str| -> Vec<String> {
        model(&format!("{WORLD} {claim}")).checks.iter().map(lang::Check::claim).collect()
    };
    assert_eq!(
        shown("property a[i: 1..N]: live(waits(i) && i < 2, pure);"),
        [1, 2].map(|i| format!(
            "live(waits({i}) && {i} < 2, pure), where waits(j) = P[j]@try; live(p, q) = G (p -> F q); pure = x && y"
        ))
    );
    // Definitions inside definitions have a meaning too.
    assert_eq!(
        shown("define nobody = forall k in 1..N: !waits(k); property a: G nobody;"),
        ["G nobody, where nobody = forall k in 1..N: !waits(k); waits(j) = P[j]@try"]
    );
    // Otherwise indices and constants are in their place.
    assert_eq!(
        shown("property a: F (forall i in 1..N: P[i].v == N);"),
        ["F (forall i in 1..2: P[i].v == 2)"]
    );
    assert_eq!(shown("property a: G !deadlock;"), ["G !deadlock"]);
    assert_eq!(shown("invariant a: deadlock -> x;"), ["deadlock -> x"]);
}

#[test]
fn no_name_is_captured_where_a_definition_is_expanded() {
    let expanded = claim(
        "define other(j) = exists i in 1..N: i != j && P[i]@try;
         property a: G (forall i in 1..N: other(i) -> F !other(i));",
    );
    let other = "(exists i in 1..2: i != i2 && P[i]@try)";
    assert_eq!(expanded, format!("LTL G (forall i2 in 1..2: {other} -> F !{other})"));
    let model = model(&format!(
        "{WORLD} define other(j) = exists i in 1..N: i != j && P[i]@try;
         property a: true under for i in 1..N: compassion (other(i), P[i]@crit);"
    ));
    assert_eq!(
        show::fairness(model.system(), &model.checks[0].task.fairness),
        "for i in 1..2: compassion (exists i2 in 1..2: i2 != i && P[i2]@try, P[i]@crit)"
    );
}
