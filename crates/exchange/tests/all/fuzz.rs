//! Fuzzing of importers: broken texts are read or refused, and every message points into the text.
//!
//! Models are broken: tokens are deleted, doubled, swapped and taken from each other, and texts are cut. A failure prints
//! the seed of its text; `FUZZ_SEED=n FUZZ_COUNT=1` runs it again, a greater count runs longer.

use exchange::import::{self, Language, Refused};
use model::splitmix::SplitMix;

const DVE: [&str; 3] = [
    "const byte n = 3; byte x = 1, a[3] = {1, 2}; int y; channel c, d; channel {byte, int} q[2];
process P { byte l; state s, t, u; init s; commit u; assert t x < 200, s true;
trans s -> t { guard x < n && a[x] != 0 or l == 2; sync c!x + 1; effect x = (x + 1) % 3, a[l] = ~x & 6; },
-> u { guard x == 0; }, t -> s { sync q!{l, y}; effect l = l << 1; }, u -> s {}; }
process Q { byte m; int k; state s, t; init s; trans s -> t { sync c?m; effect y = y - m; }, t -> s { guard P.t; sync q?{m, k}; }; }
system async;",
    "byte turn; process A { state w, cs; init w; trans w -> cs { guard turn == 0; }, cs -> w { effect turn = 1; }; }
process LTL_property { state q1, q2; init q1; accept q2; trans q1 -> q1 {}, q1 -> q2 { guard not A.cs; }, q2 -> q2 { guard not A.cs; }; }
system async property LTL_property;",
    "byte x; process A { state a, b; init a; trans a -> b { guard x < 2; effect x = x + 1; }, b -> a {}; }
process B { int y; state c; init c; trans c -> c { guard x == 0; effect y = y + 1; }, c -> c { guard y > 0; }; } system sync;",
];

const PROMELA: [&str; 4] = [
    "#define N 3
#define inc(v) v = v + 1
mtype = { one, two };
chan q = [2] of { mtype, byte }; chan r = [0] of { byte };
byte x = 1; bool flag[N]; short s; unsigned u : 3;
inline twice(v) { inc(v); v++ }
active [2] proctype P() { byte m; int i = _pid;
L: do :: q!one(m) :: q?two,m -> progress: skip :: r!i; twice(x) :: else -> break od;
atomic { i = 0; do :: i < N -> flag[i] = 1; i++ :: else -> break od }; goto L }
active proctype Q() { byte k; end: do :: r?k -> assert(k < 2) :: q?<one,k>; q??eval(x),_ :: timeout -> d_step { x = 0; s-- } od unless { x == 5 } }
ltl p { [] (P[0]@L -> <> (x != 3)) && (len(q) < 2 U q?[one,_]) }",
    "typedef T { byte a; int b[2] }
T t[2]; chan c[2] = [1] of { chan }; byte got;
proctype W(chan mine; byte n) { chan other = [1] of { byte }; byte v = n + 1;
 mine!other; other?v; got = v; t[1].b[n] = (v > 3 -> v : -v) }
init { byte i; chan w; atomic { i = 0; do :: i < 2 -> run W(c[i], i); i++ :: i >= 2 -> break od };
 c[0]?w; w!!7; select(i : 1 .. 3); for (i : 0 .. 2) { t[0].a = i; printf(\"%d\\n\", i) } }
never { do :: skip :: got == 7 -> goto accept_it od; accept_it: do :: true od }",
    "typedef Pair { byte a; bit b } chan c = [2] of { Pair }; chan d = [0] of { byte, Pair }; int a[3] = 1; byte x;
inline set(v) { int k = v; x = k }
init { Pair m; int i; for (i in a) { int j = i; a[i] = j } c!m; for (m in c) { x = m.a } set(3); { byte l; l++; d!l,m } }
active proctype R() { byte y; Pair p; d?y,p; atomic { int t; t = y; x = t } }",
    "#ifdef X\nbyte no\n#else\nbyte b[2]\n#endif
active proctype A() { if :: b[0] -> b[1]-- :: !b[0] && (b[1] >> 1 | 2) != 3 -> b[0] = 1 fi }",
];

#[test]
fn no_text_does_harm() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (first, count) = (number("FUZZ_SEED").unwrap_or(1), number("FUZZ_COUNT").unwrap_or(1_500));
    let (mut read, mut refused) = (0, 0);
    for seed in first..first + count {
        let mut random = SplitMix(seed);
        let dve = random.below(3) == 0;
        let (language, texts) =
            if dve { (Language::Dve, &DVE[..]) } else { (Language::Promela, &PROMELA[..]) };
        let text = broken(texts, &mut random);
        let examined = std::panic::catch_unwind(|| is_read(language, &text));
        match examined {
            Ok(true) => read += 1,
            Ok(false) => refused += 1,
            Err(panicked) => panic!("FUZZ_SEED={seed} FUZZ_COUNT=1 does harm ({panicked:?}):\n{text}"),
        }
    }
    println!("{read} read, {refused} refused");
    assert!(count < 100 || read > 0 && refused > 0, "{read} read, {refused} refused");
}

#[test]
fn the_texts_that_are_broken_are_good() {
    for (language, texts) in [(Language::Dve, &DVE[..]), (Language::Promela, &PROMELA[..])] {
        for text in texts {
            assert!(is_read(language, text), "{text}");
        }
    }
}

/// Whether a text is read. What is said of it points into it, and what is read has a meaning in our language, or a message.
fn is_read(language: Language, text: &str) -> bool {
    let translated = match import::translate(language, text, &[], &import::no_files) {
        Ok(translated) => translated,
        Err(Refused::File(diagnostic) | Refused::Claim(_, diagnostic)) => {
            assert!(!diagnostic.message.is_empty());
            if let Some(span) = diagnostic.span {
                assert!(text.get(span.start..span.end).is_some(), "{}: {span:?}", diagnostic.message);
            }
            return false;
        }
    };
    // The translation can be printed, and its text is one of our language.
    let printed = lang::print(&translated.file);
    let (_, diagnostics) = lang::parse(&printed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{printed}");
    let automaton = |file: &str| {
        let found = translated.automata.iter().find(|(known, _)| known == file);
        found.map(|(_, automaton)| automaton.clone()).ok_or_else(|| "there is none".to_owned())
    };
    let loaded = lang::load_tree("fuzz", text, (&translated.file, Vec::new()), &[], &automaton);
    assert!(loaded.model.is_some() || !loaded.diagnostics.is_empty());
    loaded.model.is_some()
}

fn broken(texts: &[&str], random: &mut SplitMix) -> String {
    let pick = |random: &mut SplitMix, length: usize| random.below(length.max(1) as u64) as usize;
    let other: Vec<&str> = pieces(texts[pick(random, texts.len())]);
    let mut own: Vec<&str> = pieces(texts[pick(random, texts.len())]);
    for _ in 0..random.below(4) {
        let at = pick(random, own.len());
        if own.is_empty() {
            break;
        }
        match random.below(5) {
            0 => drop(own.remove(at)),
            1 => own.insert(at, own[at]),
            2 => {
                let there = pick(random, own.len());
                own.swap(at, there);
            }
            3 => own[at] = other[pick(random, other.len())],
            _ if random.below(4) == 0 => own.truncate(at),
            _ => own.insert(at, other[pick(random, other.len())]),
        }
    }
    own.concat()
}

/// Words, and every other character on its own.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(rest.len());
        let (piece, more) = rest.split_at(word.max(1));
        found.push(piece);
        rest = more;
    }
    found
}
