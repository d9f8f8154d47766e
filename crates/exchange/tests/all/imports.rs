//! The importers never panic, whatever they are given: texts of every language with parts taken out, doubled, exchanged.
//! `FUZZ_COUNT` and `FUZZ_SEED` choose how many texts and which.

use exchange::import::{Claim, Language, printable, translate};

const SMV: &[&str] = &[
    "MODULE main\nVAR a : boolean; b : 0..3; c : {x, y, 2}; d : array 0..1 of boolean; p : process m(a, b);\n\
     IVAR i : boolean;\nFROZENVAR f : 1..2;\nDEFINE e := a & b = 2; s := {1, 2};\n\
     ASSIGN init(a) := FALSE; next(a) := case i : !a; TRUE : {TRUE, FALSE}; esac; next(c) := c;\n\
     INIT b = 0\nTRANS next(d[0]) <-> d[1]\nINVAR b < 3 | a\nFAIRNESS a\nCOMPASSION (a, b = 1)\n\
     SPEC AG (a -> EF b = 1)\nLTLSPEC NAME q := G (a -> F (b in 0..1 U c = x))\nINVARSPEC !e\n\
     MODULE m(u, v)\nVAR w : unsigned word[3];\nASSIGN next(w) := w + 0ud3_1; next(v) := (v + 1) mod 4;\nJUSTICE running\n",
    "MODULE main VAR x : signed word[4]; y : boolean; ASSIGN x := y ? 0sd4_-3 : swconst(2, 4); \
     SPEC E [ y U A [ !y BU 1..2 y ] ] LTLSPEC H (O [0, 2] y) S Z y PSLSPEC always (y -> next! y until !y);",
];

const CSP: &[&str] = &["#define N 3; enum {red, green}; var x = 0; var a[N] = [1, 2, 3]; var g = false;\n\
     P(i) = [x < N] up.i{x = x + 1; if (x > 1) { a[i] = 0; } else { g = !g; }} -> P(i) [] (down -> Q(); Skip);\n\
     Q() = case { g : e -> Skip  a[0] == 1 : wf(f.1) -> Q() default : Stop };\n\
     R() = if (x == 0) { t -> R() } else { s -> Skip }; S() = (a -> Skip <> b -> S()); #alphabet S {a, b};\n\
     Sys() = Init(); (P(0) ||| (|| i:{0..1}@P(i)) || S()); Init() = c{x = 0;} -> Skip;\n\
     #assert Sys() |= [](up.0 -> <> x == 1); #assert Sys() deadlockfree; #assert Sys() reaches g;"];

const DVE: &[&str] = &[
    "byte x = 0; channel c; process P { state a, b; init a; trans a -> b { guard x < 2; effect x = x + 1; }, \
     b -> a { sync c!; }; } process Q { state q; init q; trans q -> q { sync c?; }; } system async;",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Words and symbols, with the spaces between them.
fn pieces(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = false;
    for letter in text.chars() {
        let part = letter.is_alphanumeric() || letter == '_' || letter == '-';
        match found.last_mut() {
            Some(last) if part && word => last.push(letter),
            _ => found.push(letter.to_string()),
        }
        word = part;
    }
    found
}

#[test]
fn broken_texts_are_refused_and_never_a_panic() {
    let (count, seed) = (crate::setting("FUZZ_COUNT", 1500), crate::setting("FUZZ_SEED", 1));
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let smv = SMV.iter().map(|text| (Language::Smv, *text));
    let texts: Vec<(Language, &str)> = smv
        .chain(CSP.iter().map(|text| (Language::Csp, *text)))
        .chain(DVE.iter().map(|text| (Language::Dve, *text)))
        .collect();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..count {
        let (language, text) = texts[random.below(texts.len())];
        let mut parts = pieces(text);
        for _ in 0..random.below(4) {
            let (a, b) = (random.below(parts.len()), random.below(parts.len()));
            match random.below(5) {
                0 => drop(parts.remove(a)),
                1 => parts.insert(a, parts[b].clone()),
                2 => parts.swap(a, b),
                3 => parts.truncate(a.max(1)),
                _ => {
                    parts[a] = ["(", "]", "9999999999", "next", "é", "->", "{", "TRUE", ";"][random.below(9)]
                        .to_owned();
                }
            }
        }
        let broken = parts.concat();
        let claims =
            if random.below(4) == 0 { vec![Claim::Ltl("G (x = 1 -> F y)".to_owned())] } else { Vec::new() };
        let none = &exchange::import::no_files;
        let translated = if claims.is_empty() {
            printable(language, &broken, none)
        } else {
            translate(language, &broken, &claims, none)
        };
        match translated {
            Ok(_) if !claims.is_empty() => read += 1,
            Ok(translated) => {
                // What is printed can be read again by our own parser.
                let printed = lang::print(&translated.file);
                let (_, errors) = lang::parse(&printed);
                assert!(errors.is_empty(), "{broken}\n{printed}\n{errors:?}");
                read += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{read} read, {refused} refused");
    assert!(read > 0 && refused > 0, "{read} {refused}");
}
