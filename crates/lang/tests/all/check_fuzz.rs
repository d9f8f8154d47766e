//! Fuzzing of the checker: no text makes it panic, and every model it accepts can be run.
//!
//! Tokens of a valid model are deleted, doubled, swapped and replaced by others of the same file. Most results are
//! rejected. The others become an instance, are grounded and shown, and are walked for some steps. A failure prints the
//! seed of its text. `FUZZ_SEED=n FUZZ_COUNT=1` runs that seed again; a greater count runs longer.

use lang::load_with;
use model::initial::initial_states;
use model::instance::Environment;
use model::{ActionId, Automaton, ground, semantics, show};

use crate::explore;
use crate::random::{self, Random};

#[test]
fn the_sample_means_something() {
    let model = explore::model_with(SAMPLE, &[("K", "2")]);
    assert_eq!(model.checks.len(), 10);
    // Without a value, `K` is an integer like `total`, as it is only compared.
    let every = explore::model(SAMPLE);
    assert_eq!(every.system().variables.len(), model.system().variables.len() + 1);
    assert!(every.subject.instance().is_some());
}

#[test]
fn what_is_let_through_can_be_run() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (first, count) = (number("FUZZ_SEED").unwrap_or(1), number("FUZZ_COUNT").unwrap_or(1_500));
    let (mut accepted, mut refused) = (0, 0);
    for seed in first..first + count {
        let text = text(&mut Random(seed));
        let examined = std::panic::catch_unwind(|| run(&text));
        let meaningful =
            examined.unwrap_or_else(|_| panic!("FUZZ_SEED={seed} FUZZ_COUNT=1 does harm:\n{text}"));
        *(if meaningful { &mut accepted } else { &mut refused }) += 1;
    }
    assert!(count < 100 || (accepted > 0 && refused > 0), "{accepted} accepted, {refused} refused");
}

#[test]
fn no_tree_makes_the_checker_panic() {
    for seed in 0..500 {
        let text = lang::print(&random::file(&mut Random(seed), 8));
        let examined = std::panic::catch_unwind(|| run(&text));
        assert!(examined.is_ok(), "seed {seed} does harm:\n{text}");
    }
}

const SAMPLE: &str = include_str!("../check_sample.fair");

/// Replacements for a token.
const NEW: [&str; 10] = ["0", "1", "-1", "9223372036854775807", "1000000", "true", "x", "P", "N", "i"];

/// Loads a text and does with its model what engines do; returns whether there is one.
fn run(text: &str) -> bool {
    // Every file name has an automaton.
    let automaton = || Ok(Automaton::nothing(vec!["x > 0".to_owned(), "p".to_owned()]));
    let loaded = load_with("fuzz", text, &[("K".to_owned(), "2".to_owned())], &|_| automaton());
    for diagnostic in &loaded.diagnostics {
        for span in diagnostic.span.iter().chain(diagnostic.related.iter().map(|(span, _)| span)) {
            assert!(text.get(span.start..span.end).is_some(), "{}: {span:?}", diagnostic.message);
        }
    }
    let Some(model) = loaded.model else { return false };
    let Some(instance) = model.subject.instance() else { return true };
    for check in &model.checks {
        let kind = ground::kind(instance, &check.task.property.kind);
        let fairness = ground::fairness(instance, &check.task.fairness);
        show::kind(&instance.system, &kind);
        show::fairness(&instance.system, &fairness);
    }
    for action in (0..instance.actions.len() as u32).map(ActionId) {
        let guard = ground::guard(instance, action);
        show::expression(&instance.system, &guard);
        ground::update(instance, action);
    }
    for predicate in &instance.system.init {
        ground::expression(instance, predicate, &mut Environment::default());
    }
    if instance.starts.iter().any(|start| matches!(start, model::instance::Start::Any))
        && text.contains("int = any")
    {
        return true;
    }
    let mut pending: Vec<_> = initial_states(instance).take(2).filter_map(Result::ok).collect();
    for _ in 0..20 {
        let Some(state) = pending.pop() else { break };
        show::state(instance, &state);
        pending.extend(semantics::steps(instance, &state).into_iter().flatten().map(|step| step.target));
    }
    true
}

/// The sample with a few tokens changed.
fn text(random: &mut Random) -> String {
    let mut tokens: Vec<&str> = tokens(SAMPLE);
    for _ in 0..=random.below(3) {
        let at = random.below(tokens.len());
        let other = random.below(tokens.len());
        let alike = |token: &str, other: &str| {
            token.starts_with(char::is_alphabetic) == other.starts_with(char::is_alphabetic)
        };
        match random.below(6) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[other]),
            2 => tokens.swap(at, other),
            3 => tokens[at] = random.pick(&NEW),
            _ if alike(tokens[at], tokens[other]) => tokens[at] = tokens[other],
            _ => {}
        }
    }
    tokens.join(" ")
}

/// Words, numbers and single signs; comments are left out.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or("")) {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let double = ["->", "<->", "&&", "||", "==", "!=", "<=", ">=", ".."];
            let sign = double.iter().filter(|sign| rest.starts_with(**sign)).map(|sign| sign.len()).max();
            let length = match sign {
                Some(length) => length,
                None if first.is_alphanumeric() => {
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                None => first.len_utf8(),
            };
            tokens.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
    }
    tokens
}
