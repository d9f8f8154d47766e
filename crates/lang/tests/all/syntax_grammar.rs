//! The grammar: precedence, association, and words that are keywords only in some places.

use lang::parse;
use lang::syntax::{Expr, ExprKind, FairKind, File, ItemKind, StatementKind, Unary};

fn parsed(text: &str) -> File {
    let (file, diagnostics) = parse(text);
    assert_eq!(diagnostics, [], "{text}");
    file
}

fn formula(text: &str) -> Expr {
    match parsed(&format!("init {text};")).items.remove(0).kind {
        ItemKind::Init(expr) => expr,
        other => panic!("{other:?}"),
    }
}

/// Each formula is read as the one beside it.
fn same(pairs: &[(&str, &str)]) {
    for (text, meaning) in pairs {
        assert_eq!(formula(text), formula(meaning), "{text}");
    }
}

#[test]
fn operators_bind_as_the_reference_says() {
    same(&[
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a -> b || c", "a -> (b || c)"),
        ("a || b && c", "a || (b && c)"),
        ("a && b U c", "a && (b U c)"),
        ("a U b && c", "(a U b) && c"),
        ("F a U G b", "(F a) U (G b)"),
        ("G a == b", "G (a == b)"),
        ("G a in 0..3", "G (a in 0..3)"),
        ("a in 0..n + 1", "a in 0..(n + 1)"),
        ("a == b + c", "a == (b + c)"),
        ("a + b * c", "a + (b * c)"),
        ("-a * b", "(-a) * b"),
        ("!a == b", "(!a) == b"),
        ("!a[1]", "!(a[1])"),
        ("-P[1].y", "-(P[1].y)"),
        ("a == 1 && b == 2", "(a == 1) && (b == 2)"),
        ("G a && b", "(G a) && b"),
        ("a in {1, 2} && b", "(a in {1, 2}) && b"),
    ]);
}

#[test]
fn operators_associate_as_the_reference_says() {
    same(&[
        ("a <-> b <-> c", "a <-> (b <-> c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a ~> b -> c", "a ~> (b -> c)"),
        ("a || b ~> F c && d", "(a || b) ~> ((F c) && d)"),
        ("a U b W c", "a U (b W c)"),
        ("a || b || c", "(a || b) || c"),
        ("a && b && c", "(a && b) && c"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c % d", "((a / b) * c) % d"),
    ]);
    assert_ne!(formula("(a - b) - c"), formula("a - (b - c)"));
    assert_ne!(formula("(a -> b) -> c"), formula("a -> b -> c"));
}

#[test]
fn negation_takes_temporal_operators() {
    same(&[
        ("!F p", "!(F p)"),
        ("! G p", "!(G p)"),
        ("!F p == q", "!(F (p == q))"),
        ("!!F p U q", "(!(!(F p))) U q"),
        ("G !F p", "G (!(F p))"),
        ("!EX p && q", "(!(EX p)) && q"),
    ]);
}

#[test]
fn temporal_operators_have_aliases() {
    same(&[
        ("[] p", "G p"),
        ("<> p", "F p"),
        ("[]<> p", "G F p"),
        ("GF p", "G F p"),
        ("FG p", "F G p"),
        ("G F p", "G (F p)"),
        ("p -> []<>q", "p -> (G (F q))"),
    ]);
    assert!(matches!(formula("[] p").kind, ExprKind::Unary(Unary::Globally, _)));
}

#[test]
fn quantifiers_reach_as_far_to_the_right_as_possible() {
    same(&[
        ("forall j in 1..3: a && b -> c", "forall j in 1..3: (a && b -> c)"),
        ("a && exists j in 1..3: b || c", "a && (exists j in 1..3: (b || c))"),
        ("!forall j in 1..3: a && b", "!(forall j in 1..3: (a && b))"),
        ("G forall j in 1..3: a && b", "G (forall j in 1..3: (a && b))"),
        ("a -> forall j in 1..3: b <-> c", "a -> (forall j in 1..3: (b <-> c))"),
        ("1 + count(j in 1..3: a || b) + 1", "(1 + (count(j in 1..3: (a || b)))) + 1"),
    ]);
}

#[test]
fn letters_of_operators_are_names_elsewhere() {
    same(&[("U U U", "(U) U (U)"), ("R[1]@W R U.y", "(R[1]@W) R (U.y)"), ("W", "(W)"), ("a U (b)", "a U b")]);
    parsed(
        "process R { local U: bool; action holds { skip; } W: U = !U; } property fails: F taken(R.W) expect fails;",
    );
}

#[test]
fn temporal_operators_are_names_where_no_operand_follows() {
    same(&[
        ("F F", "F (F)"),
        ("G F && p", "(G (F)) && p"),
        ("F U p", "(F) U p"),
        ("F U", "F (U)"),
        ("G F U p", "(G (F)) U p"),
        ("F == G", "(F) == (G)"),
        ("F in {1, 2}", "(F) in {1, 2}"),
        ("F in 0..G", "(F) in 0..(G)"),
        ("F in", "F (in)"),
        ("F[1] + X.y", "(F)[1] + (X).y"),
        ("A[i] && E[1]@F", "(A)[i] && (E)[1]@F"),
        ("A U E", "(A) U (E)"),
        ("in in {in}", "(in) in {(in)}"),
        ("max > max(min, count)", "(max) > max((min), (count))"),
        ("empty && !empty(full)", "(empty) && !(empty((full)))"),
        ("taken U enabled", "(taken) U (enabled)"),
        ("F - 1", "(F) - 1"),
        ("F (-1)", "F (- 1)"),
    ]);
    assert!(matches!(formula("A[p U q]").kind, ExprKind::Path(..)));
    assert!(matches!(formula("F - 1").kind, ExprKind::Binary(..)));
    // In a formula a sign follows an operator, in code a name.
    let property = parsed("property p: F -x < 0;");
    assert!(
        matches!(&property.items[0].kind, ItemKind::Property { body, .. } if matches!(body.kind, ExprKind::Unary(..)))
    );
}

#[test]
fn words_of_the_language_name_variables_labels_and_channels() {
    parsed(
        "enum Message { request, release, none, empty }
        const F = 3;
        shared G, X, max: 0..F;
        shared A: array[0..F] of bool;
        chan in: [2] of Message;
        process E[A: 1..F] {
            local all: Message = any;
            action release when G - 1 > X - F { G = F - 1; }
            request: in!request;
            release: in?all;
            X: A[F - 1] = max == F;
            GF: request A[1];
            in: release A[1];
            release = 3;
            request[1], release = 1, 2;
            count: if G == F { goto request; }
        }
        property p: G (E[1]@release -> F E[F]@X) && G F max == X;",
    );
}

#[test]
fn words_of_fairness_are_names_elsewhere() {
    let fair = |text: &str| match parsed(&format!("fairness {text};")).items.remove(0).kind {
        ItemKind::Fairness { fair, .. } => fair.kind,
        other => panic!("{other:?}"),
    };
    assert!(matches!(fair("weak processes"), FairKind::Processes(_)));
    assert!(matches!(fair("weak processes & global"), FairKind::And(_)));
    assert!(matches!(fair("weak processes.go"), FairKind::Of(..)));
    assert!(matches!(fair("weak processes[1]"), FairKind::Of(..)));
    assert!(matches!(fair("weak all"), FairKind::All(_)));
    assert!(matches!(fair("processes"), FairKind::Named(_)));
}

#[test]
fn fairness_binds_for_before_and_before_or() {
    let fair = |text: &str| parsed(&format!("fairness {text};"));
    assert_eq!(fair("a & b | c"), fair("(a & b) | c"));
    assert_eq!(fair("for i in 1..2: weak P[i] & b"), fair("(for i in 1..2: weak P[i]) & b"));
    assert_ne!(fair("(a & b) & c"), fair("a & b & c"));
}

#[test]
fn else_if_is_an_else_block_with_one_if() {
    let code = |text: &str| parsed(&format!("process P {{ {text} }}"));
    assert_eq!(
        code("if a { skip; } else if b { stay; } else { halt; }"),
        code("if a { skip; } else { if b { stay; } else { halt; } }")
    );
    same(&[("if a { 1 } else if b { 2 } else { 3 }", "if a { 1 } else { if b { 2 } else { 3 } }")]);
}

#[test]
fn sends_and_receives_begin_with_a_place() {
    let file = parsed("process P { c!x; c[i]!!x, -1; l: c?x; wf(m): c[i + 1]?_, a[1], P[2].y; }");
    let ItemKind::Process(process) = &file.items[0].kind else { panic!("a process") };
    let [send, sends, receive, receives] = process.body.as_slice() else { panic!("four statements") };
    assert!(matches!(&send.kind, StatementKind::Send { values, .. } if values.len() == 1));
    assert!(matches!(&sends.kind, StatementKind::Send { values, .. } if values.len() == 2));
    assert!(matches!(&receive.kind, StatementKind::Receive { targets, .. } if targets.len() == 1));
    assert!(matches!(&receives.kind, StatementKind::Receive { targets, .. } if targets[0].is_none()));
    assert_eq!(receive.label.as_ref().map(|label| label.name.text.as_str()), Some("l"));
    assert!(receives.label.as_ref().is_some_and(|label| label.annotation.is_some()));
}

#[test]
fn minimum_is_of_a_family_or_of_arguments() {
    same(&[("min((x in {1}), 2)", "min(((x in {1})), (2))"), ("min(j in 1..2: j)", "min(j in 1..2: (j))")]);
    assert_ne!(formula("max(a, b)"), formula("min(a, b)"));
}

#[test]
fn an_automaton_has_a_file_propositions_and_the_clauses_of_a_property() {
    let text = "property p[i: 1..2]: never automaton \"a b.hoa\" with a = x > 0, \"x > 0\" = taken(P[i]) under weak P expect fails;";
    let file = parsed(text);
    let ItemKind::Never { file, propositions, under: Some(_), expect: Some(_), .. } = &file.items[0].kind
    else {
        panic!("{file:?}")
    };
    assert_eq!((file.text.as_str(), &text[file.span.start..file.span.end]), ("a b.hoa", "\"a b.hoa\""));
    let names: Vec<&str> = propositions.iter().map(|proposition| proposition.name.text.as_str()).collect();
    assert_eq!(names, ["a", "x > 0"]);
    assert!(matches!(propositions[0].meaning.kind, ExprKind::Binary(..)));
}

#[test]
fn the_words_of_an_automaton_are_names_elsewhere() {
    let file = parsed(
        "shared never, automaton, with: bool; property p: never; property q: never U automaton; property r: G with;",
    );
    assert!(file.items.iter().skip(1).all(|item| matches!(item.kind, ItemKind::Property { .. })));
}

#[test]
fn spans_cover_what_was_written() {
    let text = "property p: G (x -> F (y)) under weak P[1].go expect holds;";
    let file = parsed(text);
    let ItemKind::Property { body, under: Some(under), .. } = &file.items[0].kind else {
        panic!("a property")
    };
    assert_eq!(&text[body.span.start..body.span.end], "G (x -> F (y))");
    assert_eq!(&text[under.span.start..under.span.end], "weak P[1].go");
    assert_eq!(&text[file.items[0].span.start..file.items[0].span.end], text);
}

#[test]
fn the_reserved_words_are_those_of_the_reference() {
    let reference = include_str!("../../../../docs/language.md");
    let list = reference.split("## Reserved words").nth(1).and_then(|rest| rest.split('`').nth(1));
    let words: Vec<&str> = list.expect("the reference lists them").split_whitespace().collect();
    assert!(words.len() > 40);
    for word in words {
        let (_, diagnostics) = parse(&format!("shared {word}: bool;"));
        assert_eq!(diagnostics.len(), 1, "{word}");
        assert!(diagnostics[0].message.contains(word), "{word}: {}", diagnostics[0].message);
    }
    for word in [
        "A",
        "E",
        "F",
        "GF",
        "in",
        "release",
        "count",
        "all",
        "none",
        "weak",
        "U",
        "W",
        "R",
        "holds",
        "fails",
        "processes",
        "never",
        "automaton",
        "with",
        "not",
        "and",
        "always",
        "next",
    ] {
        parsed(&format!("shared {word}: bool; init {word} && !{word}[1] || {word}.{word};"));
    }
}
