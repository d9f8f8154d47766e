//! How things are shown as text.

use std::sync::Arc;

use model::automaton::Automaton;
use model::expr::Operator::{Div, Eq, Ge, Implies, Lt, Mod, Mul, Ne, Sub};
use model::expr::Party;
use model::fairness::{Fairness, Word};
use model::property::{Kind, Never, Paths};
use model::system::{Channel, Initial, Scalar, Type, Variable};
use model::{
    Ctl, Expr, Formula, Instance, Label, Pattern, Quantifier, Requirement, Span, State, VariableId, show,
};

use crate::workshop::{AT, B, C, F, G, I, K, N, P, Q, S, X, Y, Z, binder, instance, int, read, system};

#[test]
fn expressions_have_only_the_parentheses_they_need() {
    let system = system();
    let shows = |expr: Expr, text: &str| assert_eq!(show::expression(&system, &expr), text);
    let x = || read(X, None, Vec::new());
    let n = || read(N, None, Vec::new());
    let b = || read(B, None, Vec::new());
    let binary = Expr::binary;
    shows(binary(Mul, Expr::Sum(vec![x(), int(1)]), n()), "(x + 1) * n");
    shows(Expr::Sum(vec![x(), binary(Mul, int(2), n())]), "x + 2 * n");
    shows(binary(Sub, x(), binary(Sub, n(), int(1))), "x - (n - 1)");
    shows(binary(Sub, binary(Sub, x(), n()), int(1)), "x - n - 1");
    shows(binary(Div, x(), binary(Mod, n(), int(3))), "x / (n % 3)");
    shows(Expr::Neg(Box::new(Expr::Sum(vec![x(), n()]))), "-(x + n)");
    shows(Expr::And(vec![b(), Expr::Or(vec![b(), binary(Lt, x(), n())])]), "b && (b || x < n)");
    shows(Expr::Or(vec![Expr::And(vec![b(), b()]), Expr::Not(Box::new(b()))]), "b && b || !b");
    shows(Expr::Not(Box::new(binary(Ge, x(), int(0)))), "!(x >= 0)");
    shows(binary(Implies, binary(Implies, b(), b()), binary(Implies, b(), b())), "(b -> b) -> b -> b");
    shows(read(F, None, vec![Expr::Sum(vec![x(), int(1)])]), "f[x + 1]");
    shows(read(G, None, vec![int(0), x()]), "g[0][x]");
    shows(read(Z, None, vec![int(2)]), "S.z[2]");
    shows(binary(Eq, read(Y, Some(Expr::Index(I)), Vec::new()), int(1)), "P[i].y == 1");
    shows(binary(Eq, read(AT, Some(int(2)), Vec::new()), int(1)), "P[2]@work");
    shows(binary(Ne, read(AT, Some(int(2)), Vec::new()), int(0)), "!P[2]@rest");
    shows(binary(Eq, read(C, None, Vec::new()), int(2)), "c == blue");
    shows(Expr::Min(vec![x(), Expr::Max(vec![n(), int(-1)])]), "min(x, max(n, -1))");
    shows(Expr::If(Box::new(b()), Box::new(x()), Box::new(n())), "if b { x } else { n }");
    shows(Expr::And(Vec::new()), "true");
    let over = |quantifier, body: Expr| Expr::Quantified(quantifier, binder(K, 1, 3), Box::new(body));
    let at_k = || binary(Lt, read(F, None, vec![Expr::Index(K)]), int(2));
    shows(Expr::And(vec![over(Quantifier::Forall, at_k()), b()]), "(forall k in 1..3: f[k] < 2) && b");
    shows(binary(Lt, over(Quantifier::Count, at_k()), int(2)), "count(k in 1..3: f[k] < 2) < 2");
}

#[test]
fn events_requirements_and_fairness_are_written_as_they_are_declared() {
    let system = system();
    let party = |family, process: Option<Expr>, label: Option<&str>| Party {
        family,
        process: process.map(Box::new),
        label: label.map(str::to_owned),
    };
    let pattern = |participants| Pattern { participants, arguments: None };
    let shows = |pattern: Pattern, text: &str| assert_eq!(show::pattern(&system, &pattern), text);
    shows(Pattern::default(), "any");
    shows(pattern(vec![party(P, None, None)]), "P");
    shows(pattern(vec![party(P, Some(int(1)), Some("go"))]), "P[1].go");
    shows(pattern(vec![party(P, Some(Expr::Index(I)), Some("meet")), party(Q, None, None)]), "P[i].meet+Q");
    let give = Pattern { arguments: Some(vec![int(3)]), ..pattern(vec![party(P, None, Some("give"))]) };
    shows(give.clone(), "P.give(3)");
    assert_eq!(show::expression(&system, &Expr::Taken(give)), "taken(P.give(3))");

    let b = || read(B, None, Vec::new());
    let own = || pattern(vec![party(P, Some(Expr::Index(I)), None)]);
    let weak = Requirement::of(Word::Weak, own(), vec![binder(I, 1, 2)]);
    assert_eq!(show::requirement(&system, &weak), "weak P");
    let some = Requirement::of(Word::Weak, own(), vec![binder(I, 1, 1)]);
    assert_eq!(show::requirement(&system, &some), "for i in 1..1: weak P[i]");
    let justice = Requirement::justice(b(), Vec::new());
    let compassion = Requirement::compassion(b(), Expr::negated(b()), Vec::new());
    let fairness = Fairness::all_of(vec![justice, compassion]).or(&Fairness::none()).or(&Fairness::global());
    assert_eq!(show::fairness(&system, &fairness), "justice (b) & compassion (b, !b) | none | global");
    let roll = Requirement::of(Word::Strong, pattern(vec![party(S, None, Some("roll"))]), Vec::new());
    assert_eq!(show::requirement(&system, &roll), "strong S.roll");
}

#[test]
fn formulas_have_only_the_parentheses_they_need() {
    let system = system();
    let atom = |variable: VariableId| Box::new(Formula::Atom(read(variable, None, Vec::new())));
    let b = || atom(B);
    let shows = |formula: Formula, text: &str| {
        assert_eq!(show::kind(&system, &Kind::Ltl(formula)), text);
    };
    shows(
        Formula::Globally(Box::new(Formula::Implies(b(), Box::new(Formula::Finally(b()))))),
        "G (b -> F b)",
    );
    shows(Formula::Until(Box::new(Formula::Until(b(), b())), Box::new(Formula::Next(b()))), "(b U b) U X b");
    shows(Formula::Or(vec![Formula::And(vec![*b(), *b()]), Formula::WeakUntil(b(), b())]), "b && b || b W b");
    shows(Formula::Not(Box::new(Formula::Release(b(), b()))), "!(b R b)");
    let y = Formula::Atom(Expr::eq(read(Y, Some(Expr::Index(I)), Vec::new()), int(0)));
    shows(Formula::Forall(binder(I, 1, 2), Box::new(y)), "forall i in 1..2: P[i].y == 0");

    let b = || Box::new(Ctl::Atom(read(B, None, Vec::new())));
    let shows = |formula: Ctl, text: &str| assert_eq!(show::kind(&system, &Kind::Ctl(formula)), text);
    let implies = Ctl::Implies(b(), Box::new(Ctl::Finally(Paths::Some, b())));
    shows(Ctl::Globally(Paths::All, Box::new(implies)), "AG (b -> EF b)");
    shows(Ctl::Until(Paths::All, b(), Box::new(Ctl::Next(Paths::Some, b()))), "A[b U EX b]");
    shows(Ctl::Not(Box::new(Ctl::WeakUntil(Paths::Some, b(), b()))), "!E[b W b]");
}

#[test]
fn automata_are_shown_with_what_their_propositions_stand_for() {
    let system = system();
    let shows = |names: &[&str], text: &str| {
        let atoms = vec![read(B, None, Vec::new()); names.len()];
        let automaton = Arc::new(Automaton::nothing(names.iter().map(|name| (*name).to_owned()).collect()));
        let never = Never { file: "bad.hoa".to_owned(), automaton, atoms };
        assert_eq!(show::kind(&system, &Kind::Never(never)), text);
    };
    shows(&[], "never automaton \"bad.hoa\"");
    shows(
        &["p_1", "b > 0", "1", ""],
        "never automaton \"bad.hoa\" with p_1 = b, \"b > 0\" = b, \"1\" = b, \"\" = b",
    );
}

#[test]
fn states_and_changes_name_their_cells() {
    let instance = instance();
    let before = State(vec![1, 2, 3, 1, 2, 0, 0, 0, 0, 1, 5, 1, 0, 2, 1, 0, 0, 1, 1, 1]);
    let text = show::listed(&show::state(&instance, &before));
    assert_eq!(
        text,
        "b = true, x = 2, f[1] = 3, f[2] = 1, f[3] = 2, g[0][1] = false, g[0][2] = false, g[1][1] = false, \
         g[1][2] = false, c = green, n = 5, P[1].y = 1, P[1]@rest, P[2].y = 2, P[2]@work, S.z[1] = 0, \
         S.z[2] = 0, Q[3].w = 1, Q[4].w = 1, Q[5].w = 1"
    );
    let mut after = before.clone();
    (after.0[1], after.0[12]) = (-1, 1);
    let changes: Vec<String> =
        show::changes(&instance, &before, &after).iter().map(ToString::to_string).collect();
    assert_eq!(changes, ["x = -1", "P[1]@work"]);
    assert_eq!(show::label(&instance, Label::Idle), "idle");
}

#[test]
fn a_channel_is_shown_as_a_queue() {
    let mut system = system();
    let first = system.variables.len() as u32;
    let variable = |name: &str, dimensions: Vec<Span>, scalar: Scalar| Variable {
        name: name.to_owned(),
        owner: None,
        kind: Type { dimensions, scalar },
        initial: Initial::Among(vec![int(0)]),
    };
    system.variables = vec![
        variable("ch.len", Vec::new(), Scalar::Range(Span::between(0, 3))),
        variable("ch.0", vec![Span::between(0, 2)], Scalar::Range(Span::between(0, 7))),
        variable("ch.1", vec![Span::between(0, 2)], Scalar::Bool),
    ];
    assert!(first > 3);
    system.actions.clear();
    system.families.clear();
    system.channels = vec![Channel {
        name: "ch".to_owned(),
        length: VariableId(0),
        fields: vec![VariableId(1), VariableId(2)],
        shapes: vec![model::system::Shape::One; 2],
    }];
    let instance = Instance::new(Arc::new(system)).expect("an instance");
    let empty = State(vec![0; 7]);
    let two = State(vec![2, 5, 7, 0, 1, 0, 0]);
    assert_eq!(show::listed(&show::state(&instance, &empty)), "ch = []");
    assert_eq!(show::listed(&show::changes(&instance, &empty, &two)), "ch = [5,true 7,false]");
    assert!(show::changes(&instance, &two, &two).is_empty());
}
