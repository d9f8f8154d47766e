//! Comments and paragraphs are kept, and stay with the code they are about.

use lang::syntax::{Comment, ItemKind, Process};
use lang::{parse, print};

fn printed(text: &str) -> String {
    let (file, diagnostics) = parse(text);
    assert_eq!(diagnostics, [], "{text}");
    print(&file)
}

fn process(text: &str) -> Process {
    let (mut file, diagnostics) = parse(text);
    assert_eq!(diagnostics, [], "{text}");
    match file.items.remove(0).kind {
        ItemKind::Process(process) => process,
        other => panic!("{other:?}"),
    }
}

fn texts(comments: &[Comment]) -> Vec<&str> {
    comments.iter().map(|comment| comment.text.as_str()).collect()
}

#[test]
fn comments_stand_before_after_and_at_the_end() {
    let process = process(
        "process P {\n// one\n  local y: bool; // two\n\n  // three\n\n  // four\n  skip; // five\n  // six\n}\n",
    );
    let (member, statement) = (&process.members[0].comments, &process.body[0].comments);
    assert_eq!((texts(&member.before), member.after.as_deref()), (vec![" one"], Some(" two")));
    assert_eq!(
        (texts(&statement.before), statement.after.as_deref()),
        (vec![" three", " four"], Some(" five"))
    );
    assert_eq!(texts(&process.trailing), [" six"]);
    let spaced: Vec<bool> = statement.before.iter().map(|comment| comment.spaced).collect();
    assert_eq!((spaced, statement.spaced), (vec![true, true], false));
}

#[test]
fn a_comment_belongs_to_what_ends_on_its_line() {
    let process = process("process P { loop { skip; stay; // inner\n } // outer\n halt; }");
    let lang::syntax::StatementKind::Loop(block) = &process.body[0].kind else { panic!("a loop") };
    assert_eq!(block.statements[0].comments.after, None);
    assert_eq!(block.statements[1].comments.after.as_deref(), Some(" inner"));
    assert_eq!(process.body[0].comments.after.as_deref(), Some(" outer"));
}

#[test]
fn a_comment_inside_goes_before() {
    assert_eq!(
        printed(
            "const N = // three\n  3; // really\nprocess P // a process\n{ if x // test\n { skip; } // not\n else { stay; } }"
        ),
        "// three\nconst N = 3; // really\n// a process\nprocess P {\n    // test\n    // not\n    if x {\n        \
         skip;\n    } else {\n        stay;\n    }\n}\n"
    );
}

#[test]
fn paragraphs_are_kept_but_not_at_the_beginning_of_a_block() {
    assert_eq!(
        printed("\n\n// head\n\n\n\nconst N = 3;\n\n\nprocess P {\n\n  skip;\n\n  stay;\n\n}\n\n// end\n"),
        "// head\n\nconst N = 3;\n\nprocess P {\n    skip;\n\n    stay;\n}\n\n// end\n"
    );
}

#[test]
fn a_file_of_comments_is_kept() {
    assert_eq!(printed("//a  \n\n//b\r\n"), "//a\n\n//b\n");
    assert_eq!(printed(" \n\n"), "");
}

#[test]
fn comments_of_a_paragraph_are_printed_below_each_other() {
    assert_eq!(
        printed("const K = 1; // a\nconst B = 22;\nconst CCC = 333; // c\n\nconst D = 4; // d\n"),
        "const K = 1;     // a\nconst B = 22;\nconst CCC = 333; // c\n\nconst D = 4; // d\n"
    );
}

#[test]
fn no_comment_is_lost_wherever_it_stands() {
    let text = include_str!("../every_construct.fair");
    let (_, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    let mut places = 0;
    for (at, _) in text.match_indices(' ') {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        if text[line..at].contains("//") || text[at..].starts_with(" //") {
            continue;
        }
        let commented = format!("{} // here\n{}", &text[..at], &text[at..]);
        let again = printed(&commented);
        assert_eq!(again.matches("// here\n").count(), 1, "after {}", &text[line..at]);
        assert_eq!(again.matches("//").count(), text.matches("//").count() + 1, "after {}", &text[line..at]);
        assert_eq!(printed(&again), again);
        places += 1;
    }
    assert!(places > 500, "{places}");
}
