//! Fuzzing of the front end.
//!
//! Valid sources are broken: bytes are flipped, tokens are deleted, doubled and swapped, texts are cut, and two are
//! spliced. Some texts are noise. Each text goes through every stage of [`STAGES`], and a stage panics if something is
//! wrong. A failure prints the seed of its text. `FUZZ_SEED=n FUZZ_COUNT=1` runs that seed again; a greater count runs
//! longer.

use lang::diagnostic::Diagnostic;
use lang::index::Index;
use lang::{parse, print};

use crate::random::{self, Random};

/// The checks that each text goes through.
const STAGES: &[fn(&str)] =
    &[parses_with_spans_in_the_text, goes_round_if_it_has_no_errors, names_in_the_index_are_in_the_text];

#[test]
fn no_text_does_harm() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (first, count) = (number("FUZZ_SEED").unwrap_or(1), number("FUZZ_COUNT").unwrap_or(3_000));
    let (mut clean, mut broken) = (0, 0);
    for seed in first..first + count {
        let text = text(&mut Random(seed));
        let examined = std::panic::catch_unwind(|| STAGES.iter().for_each(|stage| stage(&text)));
        assert!(examined.is_ok(), "FUZZ_SEED={seed} FUZZ_COUNT=1 does harm:\n{text}");
        if parse(&text).1.is_empty() {
            clean += 1;
        } else {
            broken += 1;
        }
    }
    assert!(count < 100 || (clean > 0 && broken > 0), "{clean} without errors, {broken} with errors");
}

fn names_in_the_index_are_in_the_text(text: &str) {
    let index = Index::new(text, &parse(text).0);
    for found in index.occurrences() {
        assert_eq!(&text[found.span.start..found.span.end].trim_matches('"'), &found.definition.name);
    }
    for definition in &index.definitions {
        let (whole, scope) = (definition.whole, definition.scope);
        assert!(text.get(whole.start..whole.end).is_some() && text.get(scope.start..scope.end).is_some());
    }
}

fn parses_with_spans_in_the_text(text: &str) {
    let (file, diagnostics) = parse(text);
    for diagnostic in &diagnostics {
        let Diagnostic { span, related, message, .. } = diagnostic;
        assert!(!message.is_empty());
        for span in span.iter().chain(related.iter().map(|(span, _)| span)) {
            assert!(text.get(span.start..span.end).is_some(), "{message}: {span:?}");
        }
    }
    // Finds every span in the debug output, instead of walking the forty types of the tree.
    let debug = format!("{file:?}");
    for span in debug.split("Span { start: ").skip(1) {
        let numbers: Vec<usize> =
            span.split(['}', ',', ':']).take(3).filter_map(|part| part.trim().parse().ok()).collect();
        let [start, end] = numbers[..] else { panic!("not a span: {span}") };
        assert!(text.get(start..end).is_some(), "{start}..{end}");
    }
}

fn goes_round_if_it_has_no_errors(text: &str) {
    let (file, diagnostics) = parse(text);
    let printed = print(&file);
    if diagnostics.is_empty() {
        assert_eq!(parse(&printed), (file, Vec::new()), "printed as\n{printed}");
    }
}

/// A random text.
fn text(random: &mut Random) -> String {
    if random.chance(10) {
        return noise(random);
    }
    let mut text = source(random).into_bytes();
    for _ in 0..random.below(4) {
        match random.below(3) {
            0 => change_bytes(random, &mut text),
            1 => change_tokens(random, &mut text),
            _ => splice(random, &mut text),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// A text without errors.
fn source(random: &mut Random) -> String {
    const SAMPLES: [&str; 2] =
        [include_str!("../every_construct.fair"), include_str!("../../../../docs/language.md")];
    match random.below(3) {
        0 => SAMPLES[0].to_owned(),
        1 => SAMPLES[1]
            .split("```fair\n")
            .nth(1)
            .and_then(|rest| rest.split("```").next())
            .unwrap_or("")
            .to_owned(),
        _ => print(&random::file(random, 5)),
    }
}

/// Random tokens, characters or bytes.
fn noise(random: &mut Random) -> String {
    const TOKENS: &str = "( ) [ ] { } ; : , . .. @ ! ? & && | || -> <-> == = != < <= > >= <> + - * / % _ // /* */ \" ' \
        # ~ := += x P 0 9 99999999999999999999 process loop if else either or forall exists in count min A E G F U W \
        weak for under expect holds local action when wf any all array of const enum chan property \n \t 😀 é \0";
    let tokens: Vec<&str> = TOKENS.split(' ').collect();
    let length = random.below(200);
    let bytes = random.chance(2);
    if bytes {
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let gap = random.pick(&["", " "]);
    (0..length).map(|_| random.pick(&tokens)).collect::<Vec<_>>().join(gap)
}

fn change_bytes(random: &mut Random, text: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        let at = random.below(text.len());
        match (random.below(4), text.get_mut(at)) {
            (_, None) => return,
            (0, Some(byte)) => *byte = random.next() as u8,
            (1, Some(byte)) => *byte ^= 1 << random.below(8),
            (2, Some(_)) => drop(text.remove(at)),
            (_, Some(_)) => text.truncate(at),
        }
    }
}

/// Pieces of a text: words, runs of white space, single symbols.
fn pieces(text: &[u8]) -> Vec<Vec<u8>> {
    let class = |byte: u8| match byte {
        b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b' ' | b'\n' => 1,
        other => u16::from(other) + 2,
    };
    text.chunk_by(|a, b| class(*a) == class(*b) && class(*a) < 2).map(<[u8]>::to_vec).collect()
}

fn change_tokens(random: &mut Random, text: &mut Vec<u8>) {
    let mut pieces = pieces(text);
    for _ in 0..=random.below(3) {
        let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
        if pieces.is_empty() {
            return;
        }
        match random.below(3) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other].clone()),
            _ => pieces.swap(at, other),
        }
    }
    *text = pieces.concat();
}

/// The beginning of a text and the end of another.
fn splice(random: &mut Random, text: &mut Vec<u8>) {
    let other = source(random).into_bytes();
    text.truncate(random.below(text.len()));
    text.extend_from_slice(&other[random.below(other.len())..]);
}
