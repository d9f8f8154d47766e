//! The random models of the differential tests: the front end takes them, and they contain the whole language.
//!
//! They are generated for `driver`, which runs them through every engine. What they are like can be seen here, without one.

#[path = "../../../driver/tests/all/differential/generate.rs"]
mod generate;
#[path = "../../../driver/tests/all/differential/random.rs"]
mod random;

use std::collections::BTreeMap;

use lang::diagnostic::Severity;

use crate::census;
use random::Random;

/// What the differential tests leave to others: files that name files (`check_include`, `check_never`), open parameters and
/// unbounded integers (the tests of the engines `counter` and `infinite`), and what is expected of an answer.
const ELSEWHERE: [&str; 4] = ["include", "param", "int", "expect"];

/// How many of a hundred models have each construct.
const SHARE: usize = 7;

#[test]
fn random_models_are_read_and_contain_every_construct_of_the_language() {
    let (count, seed) = (1_500, 2026);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut rejected = BTreeMap::new();
    for number in 0..count {
        let source = generate::source(&mut Random::new(seed, number as u64));
        let loaded = lang::load("random", &source, &[]);
        if loaded.model.is_none() {
            let error = loaded.diagnostics.into_iter().find(|it| it.severity == Severity::Error);
            rejected.entry(error.expect("an error").message).or_insert_with(Vec::new).push(source);
            continue;
        }
        for construct in census::constructs(&lang::parse(&source).0) {
            *found.entry(construct).or_default() += 1;
        }
    }
    for (message, sources) in &rejected {
        println!("{} times: {message}, as in\n{}", sources.len(), sources[0]);
    }
    let lost: usize = rejected.values().map(Vec::len).sum();
    assert!(lost * 100 <= count, "{lost} of {count} are rejected: {:?}", rejected.keys());
    let (sample, errors) = lang::parse(include_str!("../every_construct.fair"));
    assert!(errors.is_empty(), "{errors:?}");
    let mut rare = Vec::new();
    for construct in census::constructs(&sample) {
        let times = found.get(&construct).copied().unwrap_or_default();
        if times * 100 < SHARE * count && !ELSEWHERE.contains(&construct.as_str()) {
            rare.push(format!("{construct}: {times}"));
        }
    }
    assert!(rare.is_empty(), "rare in {count} models: {rare:#?}");
}
