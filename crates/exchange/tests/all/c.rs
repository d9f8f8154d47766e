//! C programs: what each construct means, what is refused and why, and that no text makes the reader panic.
//!
//! Random programs are executed twice: by an interpreter here, on the tree they were printed from, and as the systems
//! they become, with blocks as they are written and with joined ones. Both must end with the same values.

use std::collections::BTreeMap;
use std::fmt::Write;

use exchange::c;
use exchange::program::{Blocks, Claim, Imported, Origin, Question, Stuck};
use lang::diagnostic::Severity;
use model::splitmix::SplitMix;
use model::system::Initial;
use model::{ActionId, Instance, State, Task, semantics, show};

fn imported(text: &str, question: Option<&Question>, blocks: Blocks) -> Imported {
    c::load("test", text, question, blocks)
}

fn tasks(text: &str, blocks: Blocks) -> Vec<Task> {
    let Imported { model, diagnostics } = imported(text, None, blocks);
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
    model.checks.into_iter().map(|check| check.task).collect()
}

/// The message of the first error, and the line it is on.
fn refused(text: &str) -> (usize, String) {
    let Imported { model, diagnostics } = imported(text, None, Blocks::Small);
    assert!(model.is_none(), "{text}");
    let (_, fault) = &diagnostics[0];
    let line = fault.span.map_or(0, |span| 1 + text[..span.start].matches('\n').count());
    (line, fault.message.clone())
}

/// Runs a program from the state in which the variables have these values and the others are 0, until it ends; the
/// values then. A quotient is a choice that only one integer meets, and it must be a small one.
pub(super) fn run(task: &Task, values: &[(&str, i64)], steps: usize) -> Option<BTreeMap<String, i64>> {
    let instance = Instance::new(task.system().clone()).expect("an instance");
    let names: Vec<&str> = instance.system.variables.iter().map(|variable| variable.name.as_str()).collect();
    let location = names.iter().position(|name| *name == "@").expect("a location");
    let mut state: Vec<i64> = vec![0; names.len()];
    for (name, value) in values {
        if let Some(place) = names.iter().position(|own| own == name) {
            state[place] = *value;
        }
    }
    let Initial::Among(starts) = &instance.system.variables[location].initial else {
        panic!("it begins at some location")
    };
    let [model::Expr::Int(start)] = &starts[..] else { panic!("it begins at one location") };
    state[location] = *start;
    let mut state = State(state);
    for _ in 0..steps {
        let mut next = Vec::new();
        for action in (0..instance.actions.len() as u32).map(ActionId) {
            let found = semantics::successors_with(&instance, &state, action, &|_| (-45..=45).collect())
                .expect("no fault");
            next.extend(found);
        }
        match next.len() {
            0 => {
                let named = names.iter().zip(&state.0).map(|(name, value)| ((*name).to_owned(), *value));
                return Some(named.collect());
            }
            1 => state = next.remove(0),
            _ => panic!("a program without choices does one thing at a time"),
        }
    }
    None
}

#[test]
fn every_construct_does_what_it_does_in_c() {
    let programs = [
        ("x = 3; y = x++ + 2;", (4, 5)),
        ("x = 3; y = ++x * 2;", (4, 8)),
        ("x = y = 7; x -= 2; y %= 4;", (5, 3)),
        ("x = -7; y = x / 2;", (-7, -3)),
        ("x = -7; y = x % 3;", (-7, -1)),
        ("x = 7; y = x / -2;", (7, -3)),
        ("x = 5; y = x > 3;", (5, 1)),
        ("x = 5; y = !x;", (5, 0)),
        ("x = 5; y = x > 3 ? x - 1 : x + 1;", (5, 4)),
        ("x = 0; y = 0; if (x > 0 && ++y) x = 9;", (0, 0)),
        ("x = 1; y = 0; if (x > 0 || ++y) x = 9;", (9, 0)),
        ("x = 1; y = 0; if (x > 0 && ++y > 0) x = 9; else x = 8;", (9, 1)),
        ("x = 0; y = (x = 4, x + 1);", (4, 5)),
        ("int a[3] = {5, 6, 7}; a[0] = a[2] = 1; x = a[0] + a[1]; y = a[2];", (7, 1)),
        ("char t[4] = \"a\\n\"; x = t[0]; y = t[1] + t[2] + t[3];", (97, 10)),
        ("x = __extension__ 4; y = [3, 3];", (4, 3)),
        ("volatile int v = 2; x = v; y = v * LIMIT;", (2, 20)),
        ("for (x = 0, y = 0; x < 5; x++) { if (x == 2) continue; if (x == 4) break; y += x; }", (4, 4)),
        ("x = 0; y = 0; do { y += 2; } while (++x < 3);", (3, 6)),
        (
            "x = 2; y = 0; switch (x) { case 1: y = 1; case 2: y += 2; case 3: y += 3; break; default: y = 9; }",
            (2, 5),
        ),
        ("x = 7; y = 0; switch (x) { case 1: y = 1; break; default: y = 9; }", (7, 9)),
        ("x = 7; y = 0; switch (x) { case 1: y = 1; }", (7, 0)),
        ("x = 0; y = 0; again: x++; if (x < 4) goto again; y = x;", (4, 4)),
        ("x = 1; { int x = 5; y = x; } x = x + 1;", (2, 5)),
        ("int i; x = 0; y = 0; for (i = 0; i < 3; i++) { int k = i * 2; y += k; }", (0, 6)),
        ("x = add(2, 3); y = add(add(1, 1), add(x, 1));", (5, 8)),
        ("x = 0; y = x != 0 && add(1, 1) > 1;", (0, 0)),
        ("x = 1; y = x ? add(x, 1) : add(x, 5);", (1, 2)),
        ("count(); count(); count(); x = counter; y = LIMIT + two;", (3, 12)),
        ("x = 0x10; y = 010 + 'a' - 97;", (16, 8)),
        ("x = 3 << 2; y = (int) x;", (12, 12)),
        ("x = 1; y = 2; if (x == 1) { if (y == 3) x = 5; else x = 6; }", (6, 2)),
        ("x = 5; while (x > 0) { x--; if (x == 2) { y = x; goto out; } } out: ;", (2, 2)),
        ("bool b = 7; x = b; y = 4; y = y && b;", (1, 1)),
        ("x = 4; y = 1; return 0; x = 5;", (4, 1)),
        // Unsigned types wrap around, and operands are converted to them.
        ("unsigned u = 3; u = u - 5; x = u > 100; y = u + 7 == 5;", (1, 1)),
        ("unsigned char c = 250; c = c + 10; x = c; y = (unsigned char) 300;", (4, 44)),
        ("x = -1; unsigned int u = x; y = u == 4294967295u;", (-1, 1)),
        ("unsigned u = 1; int i = -1; x = i < u; y = i < 1;", (0, 1)),
        ("unsigned u = 5; u++; x = u--; y = u;", (6, 5)),
        ("unsigned u = 1; x = -5; x += u; y = (int)(u - 3);", (-4, -2)),
        ("unsigned u = 1; x = u - 3; y = u - 3 > 5;", (-2, 1)),
        ("unsigned u = 1; x = 1; y = (x ? x - 3 : add(1, 1) + u) > 5;", (1, 1)),
        ("x = below() - 2 > 5; y = (int) below() - 2;", (1, -1)),
        ("unsigned u = 3000000000u; x = u; long long l = u; y = l > 2147483647;", (-1_294_967_296, 1)),
        ("unsigned u = 0; x = u-- == 0; y = u > 5;", (1, 1)),
        ("unsigned short s = 0; s -= 1; x = s; y = -s < 0;", (65535, 1)),
        ("unsigned u = 10; x = u / 3; y = u % 3;", (3, 1)),
        ("unsigned u = 3; x = -u > 5; y = 0xFFFFFFFF == -1;", (1, 1)),
        ("unsigned u = 0; x = (int) u - 1 < 0; y = u - 1 < 0;", (1, 0)),
        ("int i = -1; x = i < (int) sizeof(int); y = i < sizeof(int);", (1, 0)),
        ("unsigned u = 1; long long l = -1; x = l < u; y = (unsigned) l > 1;", (1, 1)),
        ("size_t n = 2; x = 0; for (size_t i = 0; i < n; i++) x += 3; y = x - 7 < 0;", (6, 1)),
        ("x = 0; y = 0; unsigned u = 2; while (u-- > 0) x++; y = u == -1;", (2, 1)),
        ("bool b = 1; b++; x = b; b -= 1; y = b;", (1, 0)),
        // Arrays of a constant size.
        ("int a[3] = {1, 2}; a[2] = a[2] + 5; x = a[0] + a[2]; y = a[1];", (6, 2)),
        ("int a[2]; int i = 1; a[0] = 4; a[i] = 7; a[i]++; x = a[1]; y = a[0]--;", (8, 4)),
        ("int a[] = {3, 1, 2}; y = 0; for (x = 0; x < 3; x++) y = y * 10 + a[x];", (3, 312)),
        ("x = 0; y = 1; int a[2] = {5, 6}; x = a[y--]; y = a[y];", (6, 5)),
        ("unsigned char a[2] = {255, 1}; a[0]++; x = a[0]; y = a[a[1]];", (0, 1)),
        ("table[1] = 4; x = table[0] + table[1]; y = table[2];", (4, 0)),
        // Operators on bits that are arithmetic.
        ("x = 13 & 7; y = -1 & 3;", (5, 3)),
        ("x = 13; y = -5; x = x >> 1; y = y >> 1;", (6, -3)),
        ("x = ~4; y = 9; y >>= 1; y &= 3;", (-5, 0)),
        ("x = 3; x <<= 2; y = (_Bool) x;", (12, 1)),
        ("x = 13 & 5; y = 6 | 9;", (5, 15)),
        ("x = 13; x &= 10; y = -6; y |= 5;", (8, -1)),
        ("x = -3 & ~4; y = 5 ^ 3;", (-7, 6)),
        ("x = 6; y = 5; x ^= 12; y = 2 & y;", (10, 0)),
        ("x = 3; y = (x > 2) & (x < 9); x = (x == 3) ^ (x > 0) | (y == 1);", (1, 1)),
        ("unsigned u = 1; x = (u | 6) == 7; y = (u & 1u) - 2 > 5;", (1, 1)),
        ("unsigned u = 0; x = ~u == 4294967295u; y = (5 & ~0u) == 5;", (1, 1)),
        // An index with effects behind `&&` is computed only if it is reached.
        ("int a[2] = {1, 2}; x = 0; y = 0; if (x > 0 && a[y++] > 0) x = 5;", (0, 0)),
        ("int a[2] = {1, 2}; x = 1; y = 0; if (x > 0 && a[y++] > 0) x = 5;", (5, 1)),
        ("int a[2] = {1, 0}; x = 7; y = x < 2 && a[a[x]] > 0;", (7, 0)),
        ("int a[2] = {1, 0}; x = 0; y = x < 2 ? a[a[x]] : a[x];", (0, 0)),
        // Arrays of arrays.
        ("int m[2][3] = {{1, 2, 3}, {4}}; x = m[0][2] + m[1][0]; y = m[1][2];", (7, 0)),
        ("int m[2][2] = {1, 2, 3, 4}; x = 1; y = m[x][x - 1] * 10 + m[x - 1][x];", (1, 32)),
        (
            "int m[2][3]; int i, j; y = 0; for (i = 0; i < 2; i++) for (j = 0; j < 3; j++) m[i][j] = y++; x = m[1][1];",
            (4, 6),
        ),
        (
            "int m[2][2] = {{5, 6}, {7, 8}}; x = 0; y = m[1][x++] + m[0][1]; m[x][x] += 2; y += m[1][1];",
            (1, 23),
        ),
        // Structures.
        ("struct pair p; p.left = 2; p.right = p.left++; x = p.left; y = p.right;", (3, 2)),
        ("struct pair p = {4, 5}, q; q = p; p.left = 0; x = q.left; y = q.right + p.left;", (4, 5)),
        ("struct pair p = {.right = 6}; x = p.left; y = p.right;", (0, 6)),
        (
            "struct pair p[2] = {{1, 2}, {3, 4}}; x = 1; y = p[x].left * 10 + p[0].right; p[x].right--; x = p[1].right;",
            (3, 32),
        ),
        ("struct nest n = {{1, 2}, {7, 8}, 3}; x = n.inner.right + n.list[1]; y = n.last;", (10, 3)),
        ("struct pair p = {3, 9}; x = sum(p); p.left = 5; y = p.left + p.right;", (12, 14)),
        ("typedef struct { unsigned char c; } small; small s = {250}; s.c += 10; x = s.c; y = 0;", (4, 0)),
        ("whole.left = 3; x = whole.left; y = whole.right;", (3, 0)),
        // Pointers are names.
        ("x = 3; int *p = &x; *p = *p + 2; (*p)++; y = *p;", (6, 6)),
        ("x = 1; y = 2; swap(&x, &y);", (2, 1)),
        ("x = 4; swap(&x, &x); y = x;", (4, 4)),
        ("int a[3] = {1, 2, 3}; x = total(a, 3); fill(a, 3, 5); y = a[2];", (6, 5)),
        ("struct pair p = {1, 2}; turn(&p); x = p.left; y = p.right;", (2, 1)),
        (
            "int *p = malloc(sizeof(int)); int *q = (int *) alloca(sizeof *q); *p = 4; *q = *p + 1; x = *p; y = *q; free(p);",
            (4, 5),
        ),
        ("const char *name = \"text\"; char *args[2]; x = 1; y = 2;", (1, 2)),
        // Sizes, characters, texts, conditions of the preprocessor.
        (
            "int a[7]; x = sizeof(a) / sizeof(a[0]); y = sizeof(char) + sizeof(short) + sizeof(long long);",
            (7, 11),
        ),
        ("int m[2][3]; x = sizeof m; y = sizeof m[0];", (24, 12)),
        ("x = '\\x41' + '\\0'; y = '\\101' - '\\t';", (65, 56)),
        ("printf(\"a\" \"b %d\", x); x = 5; assert(x > 0 && \"text\"); y = CHOSEN;", (5, 2)),
        ("x = old(4, 3); y = 1;", (7, 1)),
        ("fprintf(stderr, \"%d\", x); x = 1; y = 2; fflush(stdout);", (1, 2)),
        ("x = 4; y = 1; exit(3); x = 5;", (4, 1)),
    ];
    for (body, (x, y)) in programs {
        let text = format!(
            "#include <stdbool.h>\n#define LIMIT 10\n#if LIMIT > 20\n#define CHOSEN 1\n#elif LIMIT == 10 && !defined(OTHER)\n\
             #define CHOSEN 2\n#else\n#error none\n#endif\nenum {{ one = 1, two }};\nint counter, table[3];\n\
             struct pair {{ int left, right; }} whole;\nstruct nest {{ struct pair inner; int list[2]; int last; }};\n\
             int sum(struct pair p) {{ p.left += p.right; return p.left; }}\n\
             void swap(int *a, int *b) {{ int t = *a; *a = *b; *b = t; }}\n\
             int total(const int a[], int n) {{ int i = 0, s = 0; for (i = 0; i < n; i++) s += a[i]; return s; }}\n\
             void fill(int *a, int n, int v) {{ while (n > 0) a[--n] = v; }}\n\
             void turn(struct pair *p) {{ swap(&p->left, &p->right); }}\n\
             unsigned below(void) {{ return 1; }}\nint old(a, b) int a; int b; {{ return a + b; }}\nstatic int add(int a, int b) \
             {{ return a + b; }}\nvoid count(void) {{ static int n = 0; n++; counter = n; }}\nint main(void) {{ int x, y;\n\
             {body} }}"
        );
        for blocks in [Blocks::Small, Blocks::Large, Blocks::Unrolled] {
            let Some(model) = imported(&text, None, blocks).model.or_else(|| {
                // Not every program has a loop to unroll.
                (blocks != Blocks::Unrolled).then(|| panic!("it is not read: {body}"))
            }) else {
                continue;
            };
            let task = &model.checks[0].task;
            let end = run(task, &[], 500).unwrap_or_else(|| panic!("it does not end: {body}"));
            assert_eq!((end["x"], end["y"]), (x, y), "{body} {blocks:?}");
        }
    }
}

#[test]
fn a_loop_without_any_step_runs_for_ever() {
    for body in ["while (1);", "for (;;) {}", "a: goto b; b: goto a;", "do { } while (1 == 1);"] {
        for blocks in [Blocks::Small, Blocks::Large] {
            let task = tasks(&format!("int main() {{ {body} }}"), blocks).remove(0);
            assert_eq!(run(&task, &[], 50), None, "{body}");
        }
    }
}

#[test]
fn what_is_asked_is_termination_unless_comments_or_assertions_say_more() {
    let claims = |text: &str| -> Vec<(String, String)> {
        let tasks = tasks(text, Blocks::Small);
        tasks
            .iter()
            .map(|task| (task.property.name.to_string(), show::kind(task.system(), &task.property.kind)))
            .collect()
    };
    let names = |text: &str| claims(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("int main() { }"), ["termination"]);
    assert_eq!(names("int main() { int x = 1; assert(x > 0); }"), ["termination", "assertions"]);
    let program = "int x, y; int main() { while (x > 0) { done: x--; } y = 1; }";
    for (comment, claim) in [
        ("//@ ltl invariant live: [](AP(x > 0) ==> <>AP(y == 0));", "G(!(x > 0) | F(y = 0))"),
        ("/*@ ltl invariant live: AP(x > 0) U AP(y == 0); */", "x > 0 U y = 0"),
        ("// -ctl \"AG{OR{x <= 0}{AF{y == 1}}}\"", "AG(x <= 0 | AF(y = 1))"),
        ("// -ctl \"AG(x > 0 => AF{y == 0})\"", "AG(!(x > 0) | AF(y = 0))"),
        ("// -ctl \"EU{x > 0}{y == 1}\"", "E[x > 0 U y = 1]"),
        ("//@ ctl name: A[x > 0 U y == 1];", "A[x > 0 U y = 1]"),
        ("//@ ctl name: [AG](x <= 0 || [AF](y > 0));", "AG(x <= 0 | AF(y > 0))"),
        ("//@ ctl name: AF{exit: true};", "AF(at exit)"),
        ("//@ ctl name: EF{done: x == 3};", "EF(at done)"),
    ] {
        let found = claims(&format!("{comment}\n{program}"));
        assert_eq!(found.len(), 1, "{comment}");
        // The printed form of a model is not fixed here; what matters is that the operators are the right ones.
        let shape = |text: &str| text.chars().filter(|c| "AEGFUWX".contains(*c)).collect::<String>();
        assert_eq!(shape(&found[0].1), shape(claim), "{comment}: {}", found[0].1);
    }
}

#[test]
fn a_function_that_is_only_declared_may_have_any_types() {
    let text = "extern unsigned int __VERIFIER_nondet_uint(void); struct s *make(double d, unsigned char *p);\nextern void abort(void) \
                __attribute__ ((__noreturn__));\nint main() { int x = __VERIFIER_nondet_uint(); while (x > 0) x--; }";
    assert_eq!(tasks(text, Blocks::Small).len(), 1);
}

#[test]
fn what_a_program_does_not_say_is_any_value_with_a_warning() {
    let text = "int g(int n); void log(int n);\nint main() { volatile int x = g(1); log(x); g(2); while (x > 0) x--; }";
    let Imported { model, diagnostics } = imported(text, None, Blocks::Small);
    assert!(model.is_some_and(|model| model.checks[0].task.system().init.is_empty()));
    let said: Vec<&str> = diagnostics.iter().map(|(_, warning)| warning.message.as_str()).collect();
    assert!(said.len() == 3 && diagnostics.iter().all(|(_, said)| said.severity == Severity::Warning));
    assert!(said[0].contains("volatile") && said[1].contains("`g`") && said[2].contains("`log`"), "{said:?}");
}

/// Then it can be searched state by state.
#[test]
fn a_program_that_chooses_nothing_has_one_initial_state() {
    for (text, is_one) in [
        ("int g = 2; int main() { int x; x = g; while (x > 0) x--; }", true),
        ("int g = 2; int main() { int x; if (nondet()) x = 1; else x = g; while (x > 0) x--; }", true),
        ("int g = 2; int main() { int x; while (x > 0) x--; }", false),
        ("int g = 2; int main() { int x = nondet(); while (x > 0) x--; }", false),
        ("//@ ltl invariant p: <>AP(x == 0);\nint main() { int x; x = 1; while (x > 0) x--; }", false),
    ] {
        let task = tasks(text, Blocks::Small).remove(0);
        let known = |variable: &model::system::Variable| matches!(variable.initial, Initial::Among(_));
        assert_eq!(task.system().variables.iter().all(known), is_one, "{text}");
    }
}

#[test]
fn a_precondition_restricts_the_initial_states() {
    let text = "// -precondition \"x > 5\"\nint main() { int x; while (x < 3) { } }";
    let task = tasks(text, Blocks::Small).remove(0);
    assert_eq!(task.system().init.len(), 1);
}

#[test]
fn what_is_not_in_the_subset_is_refused_with_its_line_and_the_reason() {
    for (text, line, reason) in [
        ("int main() {\n int *p; *p = 1;\n}", 2, "where it points"),
        ("int main() {\n int x, *p; p = &x;\n}", 2, "a pointer"),
        ("int main() {\n int x; int *p = &x; if (p) x = 1;\n}", 2, "a pointer"),
        ("int main() {\n int x; int *p = &x; p++;\n}", 2, "a pointer"),
        ("int main() {\n int x; int *p = &x; x = *p + x++;\n}", 2, "order"),
        ("int *f(void) { }\nint main() { }", 1, "returns a pointer"),
        ("int main() {\n int *p = malloc(12);\n}", 2, "anything but one integer"),
        ("int main() {\n long l = sizeof(long);\n}", 2, "depends on the machine"),
        ("int main() {\n int a[30][40];\n}", 2, "with more than"),
        ("int main() {\n int a[2][2]; a[1] = 1;\n}", 2, "no array of integers"),
        ("struct s { int a; };\nint main() {\n struct s x, y; x = y + 1;\n}", 3, "a structure"),
        ("struct s { int a; };\nint main() {\n struct s x; x.b = 1;\n}", 3, "not declared"),
        ("struct s { int a; };\nstruct s f() { }\nint main() { }", 2, "a structure"),
        ("union u { int a; };\nint main() { }", 1, "a union"),
        ("int main() {\n int a[2] = {1, 2, 3};\n}", 2, "more values"),
        ("int main() {\n int n = 3; int a[n];\n}", 2, "constant"),
        ("int main() {\n int a[1000];\n}", 2, "an array"),
        ("int main() {\n int a; a[0] = 1;\n}", 2, "no array"),
        ("int main() {\n int a[2]; int x = a;\n}", 2, "an array"),
        ("float f;\nint main() { }", 1, "floating point"),
        ("int main() {\n int x = 1.5;\n}", 2, "floating point"),
        ("int main() {\n unsigned long long x;\n}", 2, "64 bits"),
        ("int f(int n) {\n return f(n - 1);\n}\nint main() { f(3); }", 2, "recursion"),
        ("int main() {\n int x, y; x = x & y;\n}", 2, "bits"),
        ("int main() {\n int x, y; x |= y;\n}", 2, "bits"),
        ("int main() {\n int x; x = 1 >> x;\n}", 2, "bits"),
        ("int main() {\n g();\n}", 2, "no body"),
        ("int g(int *p);\nint main() {\n int x; g(&x);\n}", 3, "a pointer"),
        ("int main() {\n pthread_create();\n}", 2, "no body"),
        ("int main() {\n int x; x = x++ + x;\n}", 2, "order"),
        ("int g; int f() { g = 1; return 2; }\nint main() {\n int x = f() + g;\n}", 3, "order"),
        ("int main() {\n _Atomic int x;\n}", 2, "others may change"),
        ("int main() {\n int x; scanf(\"%d\", x);\n}", 2, "a pointer"),
        (
            "struct s { struct s *next; };\nint main() {\n struct s x; if (x.next) return 1;\n}",
            3,
            "a pointer",
        ),
        ("int main() {\n int a[2]; a[0] = a[0] = 1;\n}", 2, "order"),
        ("int main() {\n int a[2], i = 0; a[0] = a[i] = 1;\n}", 2, "order"),
        ("int main() {\n y = 1;\n}", 2, "not declared"),
        ("int main() {\n goto nowhere;\n}", 2, "no label"),
        ("int main() {\n break;\n}", 2, "not in a loop"),
        ("int main() {\n if (1) {\n", 3, "too early"),
        ("int mian() { }", 0, "no function `main`"),
        ("#import \"x\"\nint main() { }", 1, "directive"),
        ("int main(int c, char **v) {\n v = v;\n}", 2, "a pointer"),
        ("//@ ltl invariant p: [](AP(z > 0));\nint main() { int x; }", 1, "no variable `z`"),
        ("int main() {\n int x = 99999999999999999999;\n}", 2, "too large"),
    ] {
        let (at, message) = refused(text);
        assert!(message.contains(reason), "{text}: {message}");
        assert_eq!(at, line, "{text}: {message}");
    }
    // A claim on the command line is a text of its own.
    let question = Question { claim: Claim::Ltl("[] z".to_owned()), pairs: Vec::new(), stuck: Stuck::Drop };
    let Imported { diagnostics, .. } = imported("int main() { }", Some(&question), Blocks::Small);
    assert_eq!(diagnostics[0].0, Origin::Claim);
}

/// A value of C: a signed one without a bound, or an unsigned one of 32 bits.
#[derive(Clone, Copy, Debug)]
enum Typed {
    Signed(i64),
    Unsigned(u32),
}

impl Typed {
    fn number(self) -> i64 {
        match self {
            Typed::Signed(value) => value,
            Typed::Unsigned(value) => i64::from(value),
        }
    }

    fn unsigned(self) -> u32 {
        self.number().rem_euclid(1 << 32) as u32
    }

    /// The value in an `int`: a large unsigned one becomes negative.
    fn signed(self) -> i64 {
        match self {
            Typed::Signed(value) => value,
            Typed::Unsigned(value) => i64::from(value.cast_signed()),
        }
    }

    /// The result of an operation, after the conversions of C.
    fn with(self, operator: &str, other: Typed) -> Typed {
        if let (Typed::Signed(a), Typed::Signed(b)) = (self, other) {
            return Typed::Signed(match operator {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "<" => i64::from(a < b),
                _ => i64::from(a == b),
            });
        }
        let (a, b) = (self.unsigned(), other.unsigned());
        match operator {
            "+" => Typed::Unsigned(a.wrapping_add(b)),
            "-" => Typed::Unsigned(a.wrapping_sub(b)),
            "*" => Typed::Unsigned(a.wrapping_mul(b)),
            "<" => Typed::Signed(i64::from(a < b)),
            _ => Typed::Signed(i64::from(a == b)),
        }
    }
}

/// A random expression over an `int`, an `unsigned` and an `unsigned char`, and its value.
fn typed(random: &mut SplitMix, depth: u32, values: &[(&str, Typed); 3]) -> (String, Typed) {
    if depth == 0 || random.below(5) == 0 {
        return match random.below(5) {
            0 => {
                let number = random.below(9) as i64;
                (number.to_string(), Typed::Signed(number))
            }
            1 => {
                let number = random.below(4) as u32;
                (format!("{number}u"), Typed::Unsigned(number))
            }
            choice => {
                let (name, value) = values[choice as usize - 2];
                (name.to_owned(), value)
            }
        };
    }
    let (left, a) = typed(random, depth - 1, values);
    let (right, b) = typed(random, depth - 1, values);
    match random.below(11) {
        10 => (format!("(int)({left})"), Typed::Signed(a.signed())),
        8 | 9 => {
            // Operators on bits, with a constant on one side. Quotients must be small to be found by the run.
            let (sign, bits) = (["&", "|", "^"][random.below(3) as usize], random.below(12) as i64 - 2);
            let text = if random.below(2) == 0 {
                format!("({left} {sign} {bits})")
            } else {
                format!("({bits} {sign} {left})")
            };
            let of = |a: i64| match sign {
                "&" => a & bits,
                "|" => a | bits,
                _ => a ^ bits,
            };
            match a {
                Typed::Signed(value) if value.abs() < 40 => (text, Typed::Signed(of(value))),
                Typed::Unsigned(value) if value < 40 => {
                    (text, Typed::Unsigned(Typed::Signed(of(i64::from(value))).unsigned()))
                }
                _ => (left, a),
            }
        }
        0 => {
            let number = random.below(5) as i64 - 2;
            (format!("({left} * {number})"), a.with("*", Typed::Signed(number)))
        }
        1 => (format!("(-{left})"), Typed::Signed(0).with("-", a)),
        2 => (format!("(unsigned)({left})"), Typed::Unsigned(a.unsigned())),
        3 => (format!("(unsigned char)({left})"), Typed::Signed(a.number().rem_euclid(256))),
        choice => {
            let operator = ["+", "-", "<", "=="][choice as usize - 4];
            (format!("({left} {operator} {right})"), a.with(operator, b))
        }
    }
}

#[test]
fn random_expressions_have_the_values_that_the_types_of_c_give_them() {
    let count = std::env::var("FAIRLY_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let (mut read, mut wrapped, mut unfound) = (0, 0, 0);
    for seed in 0..count {
        let mut random = SplitMix(seed);
        let (i, u, c) = (random.below(9) as i64 - 4, random.below(5) as u32, random.below(4) as i64 * 85);
        let values = [("i", Typed::Signed(i)), ("u", Typed::Unsigned(u)), ("c", Typed::Signed(c))];
        let (text, value) = typed(&mut random, 3, &values);
        // Quotients must be small to be found here.
        let small = value.number().abs() < 9_000;
        let narrow = if small { text.as_str() } else { "0" };
        let program = format!(
            "int main() {{ int i = {i}; unsigned u = {u}; unsigned char c = {c}; long long x = {text}; unsigned y = {text}; \
             unsigned char z = {narrow}; int w = {text}; int t = 0; if ({text}) t = 1; }}"
        );
        for blocks in [Blocks::Small, Blocks::Large, Blocks::Listed] {
            // Very large quotients and very many cases are refused.
            let Some(model) = imported(&program, None, blocks).model else { continue };
            let Some(end) = run(&model.checks[0].task, &[], 100) else {
                panic!("it does not end: {program}");
            };
            // A run that ends elsewhere needs a quotient that is not tried here.
            let exit = model.system().enums[0].members.iter().position(|name| name == "exit");
            if exit.map(|exit| exit as i64) != end.get("@").copied() {
                unfound += 1;
                continue;
            }
            let expected = (
                value.number(),
                i64::from(value.unsigned()),
                if small { value.number().rem_euclid(256) } else { 0 },
                value.signed(),
                i64::from(value.number() != 0),
            );
            let found = (end["x"], end["y"], end["z"], end["w"], end["t"]);
            assert_eq!(found, expected, "seed {seed} {blocks:?}: {program}");
            read += 1;
            wrapped += usize::from(matches!(value, Typed::Unsigned(value) if value > 1 << 31));
        }
    }
    assert!(read as u64 > count && wrapped as u64 * 20 > count, "{read} {wrapped}");
    assert!(unfound * 10 < read, "{unfound} of {read}");
}

/// A random program over `a`, `b`, `c`, as a tree that is printed and executed.
enum Code {
    Set(usize, Term),
    If(Term, Vec<Code>, Vec<Code>),
    /// A loop of so many rounds at most, as long as the condition is true.
    While(usize, u32, Term, Vec<Code>),
    Switch(Term, Vec<(i64, Vec<Code>, bool)>, Vec<Code>),
    Call(usize, Term),
}

enum Term {
    Number(i64),
    Variable(usize),
    /// `x++`, `--x`, …; never twice on one variable in an expression.
    Step(usize, bool, bool),
    Binary(&'static str, Box<Term>, Box<Term>),
    Conditional(Box<Term>, Box<Term>, Box<Term>),
    Not(Box<Term>),
}

const VARIABLES: [&str; 3] = ["a", "b", "c"];

struct Generator {
    random: SplitMix,
    loops: usize,
}

impl Generator {
    fn term(&mut self, depth: usize, free: &mut Vec<usize>) -> Term {
        let random = &mut self.random;
        match random.below(if depth == 0 { 3 } else { 8 }) {
            0 => Term::Number(random.below(7) as i64 - 3),
            1 if !free.is_empty() && random.below(3) == 0 => {
                let place = random.below(free.len() as u64) as usize;
                let variable = free.swap_remove(place);
                Term::Step(variable, random.below(2) == 0, random.below(2) == 0)
            }
            1 | 2 => match free.get(random.below(4) as usize) {
                Some(variable) => Term::Variable(*variable),
                None => Term::Number(2),
            },
            3 => Term::Not(Box::new(self.term(depth - 1, free))),
            4 => {
                let test = self.term(depth - 1, free);
                // Only one of the two is evaluated, but both are checked for order.
                let (yes, no) = (self.term(depth - 1, free), self.term(depth - 1, free));
                Term::Conditional(Box::new(test), Box::new(yes), Box::new(no))
            }
            _ => {
                let operators =
                    ["+", "-", "<", "<=", "==", "!=", ">", ">=", "&&", "||", "* 2 +", "/ 3 -", "% 3 +"];
                let operator = operators[self.random.below(operators.len() as u64) as usize];
                // A variable that is stepped on one side must not be read on the other one: each side has its own.
                let split = free.len() / 2;
                let mut other = free.split_off(split);
                let left = self.term(depth - 1, free);
                let right = self.term(depth - 1, &mut other);
                Term::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn expression(&mut self) -> Term {
        self.term(3, &mut vec![0, 1, 2])
    }

    fn code(&mut self, depth: usize) -> Vec<Code> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Code {
        let variable = self.random.below(3) as usize;
        match self.random.below(if depth == 0 { 3 } else { 7 }) {
            0 | 1 => {
                let mut free = vec![0, 1, 2];
                free.retain(|own| *own != variable);
                Code::Set(variable, self.term(3, &mut free))
            }
            2 => {
                let mut free = vec![0, 1, 2];
                free.retain(|own| *own != variable);
                Code::Call(variable, self.term(1, &mut free))
            }
            3 | 4 => Code::If(self.expression(), self.code(depth - 1), self.code(depth - 1)),
            5 => {
                self.loops += 1;
                let (number, rounds) = (self.loops, 1 + self.random.below(3) as u32);
                Code::While(number, rounds, self.expression(), self.code(depth - 1))
            }
            _ => {
                let value = self.expression();
                let cases = (0..2).map(|case| (case, self.code(depth - 1), case == 0)).collect();
                Code::Switch(value, cases, self.code(depth - 1))
            }
        }
    }
}

fn print_term(term: &Term) -> String {
    match term {
        Term::Number(number) => format!("({number})"),
        Term::Variable(variable) => VARIABLES[*variable].to_owned(),
        Term::Step(variable, up, before) => {
            let (name, sign) = (VARIABLES[*variable], if *up { "++" } else { "--" });
            if *before { format!("({sign}{name})") } else { format!("({name}{sign})") }
        }
        Term::Binary(operator, a, b) => format!("({} {operator} {})", print_term(a), print_term(b)),
        Term::Conditional(a, b, c) => format!("({} ? {} : {})", print_term(a), print_term(b), print_term(c)),
        Term::Not(a) => format!("(!{})", print_term(a)),
    }
}

fn print(code: &[Code], text: &mut String) {
    for statement in code {
        let _ = match statement {
            Code::Set(variable, term) => writeln!(text, "{} = {};", VARIABLES[*variable], print_term(term)),
            Code::Call(variable, term) => {
                writeln!(text, "{} = twice({});", VARIABLES[*variable], print_term(term))
            }
            Code::If(test, yes, no) => {
                let _ = writeln!(text, "if ({}) {{", print_term(test));
                print(yes, text);
                text.push_str("} else {\n");
                print(no, text);
                writeln!(text, "}}")
            }
            Code::While(number, rounds, test, body) => {
                let _ = writeln!(
                    text,
                    "int k{number} = 0;\nwhile (k{number} < {rounds} && {}) {{",
                    print_term(test)
                );
                let _ = writeln!(text, "k{number}++;");
                print(body, text);
                writeln!(text, "}}")
            }
            Code::Switch(value, cases, default) => {
                let _ = writeln!(text, "switch ({}) {{", print_term(value));
                for (case, body, breaks) in cases {
                    let _ = writeln!(text, "case {case}: {{");
                    print(body, text);
                    text.push_str(if *breaks { "} break;\n" } else { "}\n" });
                }
                text.push_str("default: {\n");
                print(default, text);
                writeln!(text, "}} }}")
            }
        };
    }
}

/// The value of a term; `None` if it becomes large, because quotients are only looked for among small integers.
fn value(term: &Term, state: &mut [i64; 3]) -> Option<i64> {
    let result = match term {
        Term::Number(number) => *number,
        Term::Variable(variable) => state[*variable],
        Term::Step(variable, up, before) => {
            let old = state[*variable];
            state[*variable] = if *up { old + 1 } else { old - 1 };
            if *before { state[*variable] } else { old }
        }
        Term::Binary("&&", a, b) => i64::from(value(a, state)? != 0 && value(b, state)? != 0),
        Term::Binary("||", a, b) => i64::from(value(a, state)? != 0 || value(b, state)? != 0),
        Term::Binary(operator, a, b) => {
            let (a, b) = (value(a, state)?, value(b, state)?);
            match *operator {
                "+" => a + b,
                "-" => a - b,
                "<" => i64::from(a < b),
                "<=" => i64::from(a <= b),
                "==" => i64::from(a == b),
                "!=" => i64::from(a != b),
                ">" => i64::from(a > b),
                ">=" => i64::from(a >= b),
                "* 2 +" => a * 2 + b,
                "/ 3 -" => a / 3 - b,
                _ => a % 3 + b,
            }
        }
        Term::Conditional(a, b, c) => {
            if value(a, state)? != 0 {
                value(b, state)?
            } else {
                value(c, state)?
            }
        }
        Term::Not(a) => i64::from(value(a, state)? == 0),
    };
    (result.abs() < 100).then_some(result)
}

fn execute(code: &[Code], state: &mut [i64; 3]) -> Option<()> {
    for statement in code {
        match statement {
            Code::Set(variable, term) => state[*variable] = value(term, state)?,
            Code::Call(variable, term) => state[*variable] = 2 * value(term, state)?,
            Code::If(test, yes, no) => {
                if value(test, state)? != 0 {
                    execute(yes, state)?;
                } else {
                    execute(no, state)?;
                }
            }
            Code::While(_, rounds, test, body) => {
                let mut done = 0;
                while done < *rounds && value(test, state)? != 0 {
                    done += 1;
                    execute(body, state)?;
                }
            }
            Code::Switch(of, cases, default) => {
                let of = value(of, state)?;
                let mut falls = false;
                let mut left = false;
                for (case, body, breaks) in cases {
                    if falls || of == *case {
                        execute(body, state)?;
                        falls = !breaks;
                        if *breaks {
                            left = true;
                            break;
                        }
                    }
                }
                if !left {
                    execute(default, state)?;
                }
            }
        }
    }
    Some(())
}

#[test]
fn random_programs_end_with_the_values_that_c_gives_them() {
    let seed = std::env::var("FAIRLY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(23);
    let count = std::env::var("FAIRLY_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(120);
    println!("seed {seed}");
    let mut generator = Generator { random: SplitMix(seed), loops: 0 };
    let (mut compared, mut different_ends) = (0, std::collections::BTreeSet::new());
    for _ in 0..count {
        let code = generator.code(2);
        let mut text = "int twice(int n) { int m = n; if (n == m) return n + m; return 0; }\nint main() { int a, b, c;\n".to_owned();
        print(&code, &mut text);
        text.push_str("return 0; }\n");
        let Imported { model, diagnostics } = imported(&text, None, Blocks::Small);
        let Some(model) = model else {
            // Some expressions have too many cases, and say so.
            let message = &diagnostics[0].1.message;
            assert!(message.contains("many cases") || message.contains("too complex"), "{message}\n{text}");
            continue;
        };
        let large: Vec<_> = [Blocks::Large, Blocks::Unrolled]
            .into_iter()
            .filter_map(|blocks| imported(&text, None, blocks).model)
            .collect();
        for start in [[0, 0, 0], [1, -2, 3], [-4, 5, 2]] {
            let mut state = start;
            let Some(()) = execute(&code, &mut state) else { continue };
            let named: Vec<(&str, i64)> = VARIABLES.into_iter().zip(start).collect();
            for model in std::iter::once(&model).chain(&large) {
                let end =
                    run(&model.checks[0].task, &named, 3_000).unwrap_or_else(|| panic!("no end\n{text}"));
                // A variable that the program does not mention keeps its value.
                let found: Vec<i64> =
                    named.iter().map(|(name, first)| end.get(*name).copied().unwrap_or(*first)).collect();
                assert_eq!(found, state, "from {start:?}\n{text}");
                compared += 1;
            }
            different_ends.insert(state);
        }
    }
    println!("{compared} runs compared");
    assert!(compared > count && different_ends.len() > 20, "{compared} {}", different_ends.len());
}

#[test]
fn no_text_breaks_the_reader() {
    let seeds = [
        "typedef enum {false,true} bool; extern int __VERIFIER_nondet_int(void); int main() { int x = 1, y; while (x > 0 && \
         y != 2) { x -= y ? 1 : 2; if (x == 3) break; } switch (x) { case 1: default: y++; } return 0; }",
        "//@ ltl invariant p: [](AP(x > 0) ==> <>AP(y == 0));\n// -ctl \"AG{x > 0}\"\n#define N 3\nint x; int y = N; int f(int \
         a) { for (;;) { if (a--) continue; goto end; } end: return a; } int main(void) { do x = f(y); while (x % 2); }",
    ];
    let mut random = SplitMix(5);
    let mut read = 0;
    for _ in 0..1_500 {
        let mut text: Vec<char> = seeds[random.below(2) as usize].chars().collect();
        for _ in 0..=random.below(4) {
            if text.len() < 2 {
                break;
            }
            let place = random.below(text.len() as u64) as usize;
            match random.below(4) {
                0 => {
                    text.remove(place);
                }
                1 => {
                    let from = random.below(text.len() as u64) as usize;
                    let moved = text[from];
                    text.insert(place, moved);
                }
                2 => {
                    text[place] = ['(', ')', '{', '}', ';', '*', '"', '\'', '#', 'é', '?', ':']
                        [random.below(12) as usize];
                }
                _ => text.truncate(place.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        read += usize::from(imported(&text, None, Blocks::Large).model.is_some());
    }
    assert!(read > 20, "{read}");
    let deep = format!("int main() {{ int x = {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(refused(&deep).1.contains("nested too deeply"));
    let long = format!("int main() {{ int x = 1{}; }}", " + 1".repeat(100_000));
    assert!(refused(&long).1.contains("too long"));
    let ifs = format!("int main() {{ int x; {} x = 1; }}", "if (x) ".repeat(100_000));
    assert!(refused(&ifs).1.contains("nested too deeply"));
}
