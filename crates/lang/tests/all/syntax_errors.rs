//! Messages about syntax errors.
//!
//! Each case is a text and all its diagnostics: the underlined text in guillemets, what is wrong, what was expected,
//! further places, and advice. So the cases also show that one mistake gets one message.

use lang::syntax::{ExprKind, ItemKind, Span, StatementKind};
use lang::{parse, print};

/// The diagnostics of a text, one per line.
fn said(text: &str) -> Vec<String> {
    let place = |span: Span| format!("«{}»", &text[span.start..span.end]);
    let (_, diagnostics) = parse(text);
    let said = diagnostics.into_iter().map(|diagnostic| {
        let first = diagnostic.span.map(place).unwrap_or_default();
        let mut parts = vec![format!("{first} {}", diagnostic.message), diagnostic.label];
        parts.extend(diagnostic.related.into_iter().map(|(span, note)| format!("{} {note}", place(span))));
        parts.extend(diagnostic.help.map(|help| format!("help: {help}")));
        parts.join(" | ")
    });
    said.collect()
}

#[test]
fn missing_ends_are_reported_where_they_are_missing() {
    assert_eq!(
        said("process P { x = y\ny = x; skip }"),
        [
            "«y» expected `;`, found `y` | expected `;` after this",
            "«}» expected `;`, found `}` | expected `;`",
        ]
    );
    assert_eq!(
        said("process P {\n    loop {\n        skip;\n}\nfairness weak P;"),
        [
            "«fairness» expected `}`, found `fairness` | a `}` is missing before this | «{» this `{` is not closed",
        ]
    );
    assert_eq!(said("process P { skip; } }\nconst N = 3;"), ["«}» unmatched `}` | no block is open here",]);
    assert_eq!(
        said("process P { skip; }\ninvariant i: x\nproperty p: F x;"),
        ["«x» expected `;`, found `property` | expected `;` after this",]
    );
    assert_eq!(
        said("property p: G x"),
        ["«x» expected `;`, found the end of the file | expected `;` after this",]
    );
    assert_eq!(
        said("process P {"),
        [
            "«{» expected `}`, found the end of the file | a `}` is missing after this | «{» this `{` is not closed",
        ]
    );
}

#[test]
fn assignment_and_comparison_are_told_apart() {
    assert_eq!(
        said("process P { await x = y; x == y; z := 1; n += 1; }"),
        [
            "«=» expected `==`, found `=` | write `==` | help: `=` gives a value, `==` compares",
            "«==» expected `=`, found `==` | expected `=` | help: `=` gives a value, `==` compares",
            "«:=» expected `=`, found `:=` | expected `=` | help: `=` gives a value, `==` compares",
        ]
    );
}

#[test]
fn operators_of_other_languages_are_read_as_ours() {
    assert_eq!(
        said("init a and b or not c;"),
        [
            "«and» expected `&&`, found `and` | write `&&`",
            "«or» expected `||`, found `or` | write `||`",
            "«not» unknown operator `not` | unknown | help: did you mean `!`?",
        ]
    );
    assert_eq!(
        said("init a & b | c => d <=> e /\\ f \\/ ~g;"),
        [
            "«|» expected `||`, found `|` | write `||` | help: `|` combines fairness, `||` combines conditions, and `+` sets",
            "«=>» expected `->`, found `=>` | write `->` | help: implication is `->`, comparison is `>=`",
            "«<=>» expected `<->`, found `<=>` | write `<->`",
            r"«/\» expected `&&`, found `/\` | write `&&`",
            r"«\/» expected `||`, found `\/` | write `||`",
            "«~» unknown operator `~` | unknown | help: did you mean `!`?",
        ]
    );
    assert_eq!(
        said("init x == 1 & y == 2; init a <> b && a < b < c;"),
        [
            "«1 & y» expected `&&`, found `&` | write `&&` between conditions | help: `&` is for sets and for fairness, `&&` combines conditions",
            "«<>» expected `!=`, found `<>` | write `!=`",
            "«<» comparisons cannot be chained | a second comparison | help: write `a < b && b < c`, or use parentheses",
        ]
    );
}

#[test]
fn brackets_are_matched() {
    assert_eq!(
        said("init G (a -> F b;\nconst N = 3;"),
        ["«;» expected `)`, found `;` | expected `)` | «(» to close this",]
    );
    assert_eq!(said("init (a && b)) || c;"), ["«)» expected `;`, found `)` | expected `;`",]);
    assert_eq!(said("init a[1 + b;"), ["«;» expected `]`, found `;` | expected `]` | «[» to close this",]);
}

#[test]
fn temporal_operators_stand_where_they_bind() {
    assert_eq!(
        said("init F a == F b;"),
        ["«F» `F` binds more loosely than the operator before it | put the formula in parentheses",]
    );
    assert_eq!(
        said("init A[a && b U c] || A G x || E[x R y];"),
        [
            "«a && b U c» `A[…]` contains `p U q` or `p W q` | expected `U` or `W` as the loosest operator | help: put the operands of `U` and `W` in parentheses",
            "«A G» `A` is followed by `[` | write `AG`",
        ]
    );
}

#[test]
fn a_reserved_word_is_not_a_name_but_is_read_as_one() {
    assert_eq!(
        said("shared when: bool;\ninit when && !when;\nproperty p: F when;"),
        ["«when» `when` is a reserved word | expected a name | help: choose another name",]
    );
    assert_eq!(
        said("define F(x) = x;\ndefine max(a, b) = a;\nprocess any { skip; }\nfairness none: weak P;"),
        [
            "«F» `F` is a reserved word | expected a name | help: choose another name",
            "«max» `max` is a reserved word | expected a name | help: choose another name",
            "«any» `any` is a reserved word | expected a name | help: choose another name",
            "«none» `none` is a reserved word | expected a name | help: choose another name",
        ]
    );
    assert_eq!(
        said("process P { loop: skip; if = 3; }"),
        [
            "«loop» `loop` is a reserved word | expected a label | help: choose another name",
            "«if» `if` is a reserved word | expected a variable | help: choose another name",
        ]
    );
}

#[test]
fn misspelt_words_are_read_as_what_was_meant() {
    assert_eq!(
        said("proccess P { skip; }\ninvarient i: x;\npropperty p: alwways x;"),
        [
            "«proccess» unknown declaration `proccess` | unknown | help: did you mean `process`?",
            "«invarient» unknown declaration `invarient` | unknown | help: did you mean `invariant`?",
            "«propperty» unknown declaration `propperty` | unknown | help: did you mean `property`?",
            "«alwways» unknown operator `alwways` | unknown | help: did you mean `G`?",
        ]
    );
    assert_eq!(
        said("property p: eventually x -> nxt y;"),
        [
            "«eventually» unknown operator `eventually` | unknown | help: did you mean `F`?",
            "«nxt» unknown operator `nxt` | unknown | help: did you mean `X`?",
        ]
    );
    assert_eq!(
        said("process P { awiat x; requst y; atomik { skp; } }"),
        [
            "«awiat» unknown statement `awiat` | unknown | help: did you mean `await`?",
            "«requst» unknown statement `requst` | unknown | help: did you mean `request`?",
            "«atomik» unknown statement `atomik` | unknown | help: did you mean `atomic`?",
            "«skp» unknown statement `skp` | unknown | help: did you mean `skip`?",
        ]
    );
    assert_eq!(
        said("fairness waek P & weak processes;"),
        ["«waek» unknown fairness word `waek` | unknown | help: did you mean `weak`?",]
    );
    assert_eq!(
        said("property p: G x udner f expects holds;"),
        [
            "«udner» unknown word `udner` | unknown | help: did you mean `under`?",
            "«expects» unknown word `expects` | unknown | help: did you mean `expect`?",
        ]
    );
}

#[test]
fn clauses_of_a_property_are_asked_for() {
    assert_eq!(
        said("property p: G x holds;"),
        ["«holds» expected `expect` before `holds` | expected `;` | help: write `expect holds`",]
    );
    assert_eq!(
        said("property p: G x expect true;"),
        ["«true» expected `holds` or `fails`, found `true` | expected `holds` or `fails`",]
    );
    assert_eq!(
        said("property p: G x under a, b && c expect holds;"),
        [
            "«,» expected `&`, found `,` | fairness is combined with `&` and `|`",
            "«&&» expected `&`, found `&&` | fairness is combined with `&` and `|`",
        ]
    );
    assert_eq!(
        said("property p: G x expect holds under a;\ninvariant i: x under a;"),
        [
            "«under» `under` stands before `expect` | expected `;`",
            "«under» an invariant takes no fairness | it is about reachable states, not about runs",
        ]
    );
}

#[test]
fn what_the_language_does_not_have_is_named() {
    assert_eq!(
        said("shared x: bool = 3 § 4;\nshared y: bool；\ninit a ∧ b;"),
        [
            "«§» `§` is not part of the language | unexpected",
            "«；» `；` is not part of the language | unexpected | help: write `;`",
            "«∧» `∧` is not part of the language | unexpected | help: write `&&`",
        ]
    );
    assert_eq!(
        said("shared é: bool;\nshared 3x: bool;\ninit \"a\" == 'b';"),
        [
            "«é» `é` is not a name | names consist of the letters a to z, digits and `_`",
            "«3x» `3x` is not a number | names do not begin with a digit",
            r#"«"a"» expected an expression, found `"a"` | expected an expression | help: names are written without quotes"#,
            "«'b'» the language has no single quotes | names are written without quotes",
        ]
    );
    assert_eq!(
        said("/* a comment */ const N = 3;\n/* another\nconst M = 4;"),
        [
            "«/* a comment */» the language has no block comments | write `// …` on each line",
            "«/*» this comment is not closed | `*/` is missing | help: comments are written `// …` and run to the end of the line",
        ]
    );
}

#[test]
fn automata_are_for_what_must_not_happen() {
    assert_eq!(
        said("property p: automaton \"good.hoa\" with a = x;\nproperty q: never \"bad.hoa\" expect holds;"),
        [
            "«automaton» an automaton accepts what must not happen | expected `never automaton` | help: one that \
             accepts what should happen would have to be complemented; give its complement",
            "«never» expected `never automaton` | expected `automaton` after this",
        ]
    );
    assert_eq!(
        said("invariant p: never automaton \"bad.hoa\";\nproperty q: never automaton bad expect holds;"),
        [
            "«never» an automaton reads runs, and an invariant is about states | write `property`",
            "«bad» expected the name of a file in quotes, found `bad` | expected the name of a file in quotes",
        ]
    );
    assert_eq!(
        said(
            "property p: never automaton \"bad.hoa\" whit a == x, 3 = y;\nproperty q: never automaton \"bad.hoa;"
        ),
        [
            "«whit» unknown word `whit` | unknown | help: did you mean `with`?",
            "«==» expected `=`, found `==` | expected `=` | help: `=` gives a value, `==` compares",
            "«3» expected the name of a proposition, found `3` | expected the name of a proposition",
            "«\"bad.hoa;» the text in quotes is not closed | `\"` is missing on this line",
        ]
    );
}

#[test]
fn binders_are_asked_for() {
    assert_eq!(
        said("init forall i, j in 1..3: x;"),
        ["«,» a quantifier binds one name | expected `in` | help: write one quantifier for each name",]
    );
    let help = "help: a name is bound with its range, as in `i in 1..N`";
    for text in ["init forall i: 1..3: x;", "init count(i: y[i]) < 2;", "init exists i: y[i]; init x;"] {
        assert_eq!(said(text), [format!("«:» expected `in`, found `:` | expected `in` | {help}")]);
    }
    assert_eq!(
        said("process P[i in 1..3] { skip; }\nprocess Q[i] { skip; }\nprocess S(i: 1..3) { skip; }"),
        [
            "«in» expected `:`, found `in` | expected `:`",
            "«]» expected `:`, found `]` | expected `:`",
            "«(» expected `{`, found `(` | expected `{`",
        ]
    );
}

#[test]
fn statements_are_asked_for() {
    assert_eq!(
        said("process P { skip; local y: bool; loop { action go { skip; } } }"),
        [
            "«local» `local` stands before the statements of a process | too late | «skip;» the first statement",
            "«action» `action` belongs to a process, not to a block | not a statement",
        ]
    );
    assert_eq!(
        said("process P { loop { a: when x; b: skip; } }"),
        [
            "«;» expected `{`, found `;` | expected `{` | help: to wait and do nothing else, write `await` in place of `when`"
        ]
    );
    assert_eq!(
        said("process P { done: }"),
        [
            "«}» expected a statement, found `}` | unexpected | help: after the label `done` write `skip;` or `halt;`",
        ]
    );
    assert_eq!(
        said("process P { a: b: skip; ; }"),
        [
            "«b» a statement has only one label | a second label",
            "«;» expected a statement, found `;` | there is no empty statement; write `skip;`",
        ]
    );
    assert_eq!(
        said("process P { if x skip; while y { stay; } }"),
        ["«skip» expected `{`, found `skip` | expected `{` | help: put the statement in braces",]
    );
    assert_eq!(
        said("process P { for i in 1..3 { skip; } else { skip; } x; return x; f(x); }"),
        [
            "«else» expected a statement, found `else` | unexpected | help: `else` follows the `}` of an `if`",
            "«;» expected `=`, found `;` | expected `=` | help: `sync x;` takes part in an event, and `x();` does the block of a macro",
            "«return» unknown statement `return` | `halt;` ends a process",
        ]
    );
    assert_eq!(
        said("process P { x = y ? 1 : 2; x = if y { 1 }; }"),
        [
            "«?» expected `;`, found `?` | expected `;` | help: a choice between values is written `if c { a } else { b }`",
            "«;» expected `else`, found `;` | expected `else`",
        ]
    );
    assert_eq!(
        said("process P { c!; c?3; goto 7; choose v { skip; } when { skip; } }"),
        [
            "«;» expected an expression, found `;` | expected an expression",
            "«3» expected a variable, found `3` | expected a variable",
            "«7» expected a label, found `7` | expected a label",
            "«{» expected `in`, found `{` | expected `in`",
            "«{» expected an expression, found `{` | expected an expression",
        ]
    );
}

#[test]
fn declarations_are_asked_for() {
    assert_eq!(
        said(
            "const N 3;\nconst = 4;\nconst M = 5 6;\nparam K = 2;\nenum C { red green }\nenum D { }\nshared x bool;\nshared y: ;\nshared z: array[3] of bool;\nshared w: 3;\nchan c: 4 of bool;\ninit;\ndefine f() = 3;"
        ),
        [
            "«3» expected `=`, found `3` | expected `=`",
            "«=» expected a name, found `=` | expected a name",
            "«6» expected `;`, found `6` | expected `;`",
            "«=» expected `>=`, found `=` | expected `>=` | help: say what it is at least, as in `param N >= 2;`",
            "«green» expected `,` or `}`, found `green` | expected `,` or `}`",
            "«}» expected a name, found `}` | expected a name",
            "«bool» expected `:`, found `bool` | expected `:`",
            "«;» expected a type, found `;` | expected a type | help: a type is `bool`, `int`, `lo..hi`, `array[lo..hi] of …`, `set of …`, `seq[4] of …` or the name of an enum or a record",
            "«]» expected `..`, found `]` | expected `..`",
            "«;» expected `..`, found `;` | expected `..`",
            "«4» expected `[`, found `4` | expected `[`",
            "«;» expected an expression, found `;` | expected an expression",
            "«)» expected a name, found `)` | expected a name",
        ]
    );
    assert_eq!(
        said(
            "fairness f weak P;\nfairness f: weak;\nfairness f: justice x;\nfairness f: weak P &;\nfairness;"
        ),
        [
            "«weak» expected `:`, found `weak` | expected `:`",
            "«;» expected a process or an action, found `;` | expected a process or an action",
            "«x» expected `(`, found `x` | expected `(`",
            "«;» expected fairness, found `;` | expected fairness | help: fairness is `weak`, `strong` or `unconditional` with an action or process, `justice (p)`, `compassion (p, q)`, `global`, `none` or the name of a fairness declaration",
            "«;» expected fairness, found `;` | expected fairness | help: fairness is `weak`, `strong` or `unconditional` with an action or process, `justice (p)`, `compassion (p, q)`, `global`, `none` or the name of a fairness declaration",
        ]
    );
    assert_eq!(
        said("enum C { a };\nlocal x: bool;\naction go { skip; }\nx = 3;\nfoo bar { baz; }\nconst N = 3;"),
        [
            "«;» expected a declaration, found `;` | nothing ends here; there is no `;` after `}`",
            "«local» expected a declaration, found `local` | unexpected | help: variables of the whole file are declared with `shared`",
            "«action» expected a declaration, found `action` | unexpected | help: actions belong to a process",
            "«x» expected a declaration, found `x` | unexpected | help: a declaration begins with one of `include`, `const`, `param`, `enum`, `record`, `define`, `macro`, `shared`, `chan`, `event`, `init`, `stuttering`, `process`, `environment process`, `fairness`, `invariant`, `property`",
            "«foo» expected a declaration, found `foo` | unexpected | help: a declaration begins with one of `include`, `const`, `param`, `enum`, `record`, `define`, `macro`, `shared`, `chan`, `event`, `init`, `stuttering`, `process`, `environment process`, `fairness`, `invariant`, `property`",
        ]
    );
}

#[test]
fn numbers_and_arguments_are_checked() {
    assert_eq!(
        said("const N = 99999999999999999999;"),
        [
            "«99999999999999999999» the number `99999999999999999999` does not fit in 64 bits | the greatest number is 9223372036854775807",
        ]
    );
    assert_eq!(
        said("init max() + f();"),
        [
            "«()» `max` has no arguments | expected an expression between the parentheses",
            "«()» `f` has no arguments | expected an expression between the parentheses",
        ]
    );
}

#[test]
fn what_was_understood_is_returned() {
    let text = "const N = ;\nprocess P { a: x = ; b: await (y; c: skip; when z + { c!; } }\nproperty p: G x U under q;";
    let (file, diagnostics) = parse(text);
    assert_eq!(diagnostics.len(), 6);
    let [constant, process, property] = file.items.as_slice() else { panic!("three declarations") };
    assert!(matches!(&constant.kind, ItemKind::Const { value, .. } if value.kind == ExprKind::Error));
    let ItemKind::Process(process) = &process.kind else { panic!("a process") };
    let labels: Vec<_> =
        process.body.iter().map(|s| s.label.as_ref().map(|label| label.name.text.as_str())).collect();
    assert_eq!(labels, [Some("a"), Some("b"), Some("c"), None]);
    assert!(matches!(&process.body[3].kind, StatementKind::When(_, block) if block.statements.len() == 1));
    assert!(matches!(&property.kind, ItemKind::Property { name, .. } if name.text == "p"));
}

#[test]
fn slips_give_the_tree_that_was_meant() {
    for (slip, meant) in [
        ("proccess P { x := y; x == y; n += 1; }", "process P { x = y; x = y; n += 1; }"),
        ("init not a and b or c => d;", "init !a && b || c -> d;"),
        ("process P { skp; awiat x; if a skip; }", "process P { skip; await x; if a { skip; } }"),
        ("property p: always a -> eventualy b holds;", "property p: G a -> F b expect holds;"),
        ("property p: G x under a, b && c;", "property p: G x under a & b & c;"),
        ("const when = 1; init when > 0 && G when == 2;", "const total = 1; init total > 0 && G total == 2;"),
    ] {
        let ((slipped, diagnostics), (written, none)) = (parse(slip), parse(meant));
        assert!(!diagnostics.is_empty(), "{slip}");
        assert_eq!(none, [], "{meant}");
        assert_eq!(print(&slipped).replace("when", "total"), print(&written));
    }
}

#[test]
fn a_record_before_a_block_gets_one_message() {
    let message = "«Vote { term: 1, from: true }» a record before a block stands in parentheses | the block begins after it \
                   | help: put `Vote` and its fields in `(…)`";
    for head in
        ["when r == R", "if r == R", "while R == r", "if r == R && x", "choose v in 1..2 where r == R"]
    {
        let head = head.replace('R', "Vote { term: 1, from: true }");
        assert_eq!(said(&format!("process P {{ {head} {{ skip; }} }}")), [message], "{head}");
    }
    for fine in [
        "if r == x { l: skip; }",
        "if x { l: loop { skip; } }",
        "if x { l: loop {} } else { skip; }",
        "when r == (R { a: 1 }) { skip; }",
    ] {
        assert_eq!(said(&format!("process P {{ {fine} }}")), [""; 0], "{fine}");
    }
}

#[test]
fn words_that_are_nearly_right_get_a_suggestion() {
    assert_eq!(
        said("process P { asert x > 0; }"),
        ["«asert» unknown statement `asert` | unknown | help: did you mean `assert`?"]
    );
    assert_eq!(
        said("chan c: [2] sorted of bool;"),
        [
            "«sorted» expected `of`, found `sorted` | expected `of` | help: `unordered`, `lossy` and `duplicating` say what a channel does, and `of` what it holds"
        ]
    );
    assert_eq!(
        said("chan c[Node, Node]: [1] of bool; process P { c[a][b]!true; }"),
        [
            "«,» an array of channels has one index | unexpected | help: give it one range of numbers, and compute the index: `c[3 * i + j]`"
        ]
    );
}

#[test]
fn what_other_languages_write_gets_the_form_of_this_one() {
    let in_step = |text: &str| said(&format!("process P {{ l: {text} }}"));
    assert_eq!(
        said("invariant i: P[1, 2].y;"),
        [
            "«,» every index stands in brackets of its own | expected `][` | help: write `a[i][k]` for two indices"
        ]
    );
    assert_eq!(said("fairness weak P[1, 2].l;"), said("invariant i: P[1, 2].y;"));
    assert_eq!(
        in_step("s.add(1);"),
        [
            "«(» expected `=`, found `(` | expected `=` | help: a set grows by `s += {e};`, a sequence by `q = append(q, e);`"
        ]
    );
    assert_eq!(
        in_step("go;"),
        [
            "«;» expected `=`, found `;` | expected `=` | help: `sync go;` takes part in an event, and `go();` does the block of a macro"
        ]
    );
    assert_eq!(
        in_step("v = { term: 1 };")[0],
        "«{» a record begins with the name of its type | a set begins here | help: write `Vote { term: 1 }`"
    );
    assert_eq!(
        in_step("s = s ∪ {1};"),
        ["«∪» `∪` is not part of the language | unexpected | help: write `+`"]
    );
    assert_eq!(
        said("property p[i: 1..2]: x where i != 1;"),
        [
            "«where» the condition on the members of a family stands after them | expected `;` | help: write `p[i: Node, j: Node] where i != j: …`"
        ]
    );
}

#[test]
fn who_asks_for_probabilities_or_time_is_told_that_there_are_none() {
    let chance = "help: Fairly knows no probabilities: `choose` and `either` choose freely, and `global` is the fairness of a random \
                  scheduler";
    let time =
        "help: Fairly knows no real time: a step has no duration; a clock that only ticks is a process";
    let texts = [
        ("process P { loop { choose x in 0..1 with probability 0.5; } }", chance),
        ("dtmc\nmodule m", chance),
        ("clock x;", time),
    ];
    for (text, help) in texts {
        assert!(said(text).iter().any(|line| line.ends_with(help)), "{text}: {:?}", said(text));
    }
    assert!(said("shared prob: bool; process P { prob = true; }").is_empty());
}
