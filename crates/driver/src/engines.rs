//! The table of engines. Adding an engine is one line here, and so is an option of one.
//!
//! The order is the order of preference. `auto` asks one after the other until one decides, and at first lets them
//! do only so much, then more: what is small is decided by listing its states, what is large but regular by sets of
//! states, and only what is neither takes all the time and memory there is. How much is counted in states and nodes, not
//! in seconds, so that the same engine answers every time (decision 0014).

use ::engines::bdd::Limits;
use ::engines::explicit::GraphCache;
use ::engines::local::Variant;
use ::engines::{Counter, Engine, Explicit, Infinite, Local, Symbolic};
use lang::diagnostic::nearest;
use model::Instance;
use model::instance::Domain;
use smt::Solvers;

/// What listing states may cost before sets of states are tried, and then again: a unit is a step of one word.
const WORK: [usize; 2] = [2_000_000, 128_000_000];
/// As many nodes may be alive each time.
const NODES: [usize; 2] = [1 << 18, 1 << 22];
/// Of a system whose states may have no end as many times fewer are listed.
const ENDLESS: usize = 16;
/// So many states are always listed.
const FEW: usize = 2_000;

/// A way an engine can be told to work: its name, and its values with the usual one first.
const OPTIONS: [(&str, &[&str]); 2] =
    [("local.variant", &["auto", "a", "b"]), ("local.symmetry", &["on", "off"])];

/// An option of an engine that exists, with a value that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOption {
    name: &'static str,
    value: &'static str,
}

impl EngineOption {
    /// What `local.variant=a` means, or a sentence that says which options there are.
    pub fn parse(text: &str) -> Result<EngineOption, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let Some((name, values)) = OPTIONS.into_iter().find(|(known, _)| *known == name.trim()) else {
            let suggestion = nearest(name.trim(), OPTIONS.into_iter().map(|(known, _)| known))
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(format!("there is no such option, only {}{suggestion}", EngineOption::listed()));
        };
        let value = values.iter().copied().find(|known| *known == value.trim());
        value
            .map(|value| EngineOption { name, value })
            .ok_or_else(|| format!("the values of {name} are {}", values.join(", ")))
    }

    /// All options with their values: `local.variant=auto|a|b`.
    pub fn listed() -> String {
        OPTIONS.map(|(name, values)| format!("{name}={}", values.join("|"))).join(", ")
    }
}

/// All engines, in order of preference, each in its own way, where there are no solvers.
pub fn table() -> Vec<Box<dyn Engine>> {
    configured(&[], &GraphCache::default(), &Solvers::none("no solver was given"), true)
}

/// The engines that `auto` asks in turn about a system, told to work like this; `instance` is the system without open
/// parameters.
pub(crate) fn in_turn(
    instance: Option<&Instance>,
    options: &[EngineOption],
    known: &GraphCache,
    solvers: &Solvers,
    notes: bool,
) -> Vec<Box<dyn Engine>> {
    let listing = |turn: usize| -> Box<dyn Engine> {
        let most = instance.map_or(FEW, |instance| states(instance, turn));
        Box::new(Explicit { notes, known: known.shared(), most, ..Explicit::default() })
    };
    let sets = |nodes: usize| -> Box<dyn Engine> {
        Box::new(Symbolic { limits: Limits { nodes, ..Limits::default() }, ..Symbolic::default() })
    };
    let infinite = infinite(solvers);
    let mut rest = configured(options, known, solvers, notes);
    rest.retain(|engine| engine.name() != infinite.name());
    let first = [listing(0), sets(NODES[0]), infinite, listing(1), sets(NODES[1])];
    first.into_iter().chain(rest).collect()
}

/// As many states of a system are listed at a turn: each has about as many steps as there are processes, of as many
/// words as it needs. Where integers have no range there may be no end of states, so fewer are tried.
pub(crate) fn states(instance: &Instance, turn: usize) -> usize {
    let domains = || instance.cells.iter().map(|cell| cell.domain);
    let bits: u32 = domains().map(|domain| u64::BITS - domain.hi.abs_diff(domain.lo).leading_zeros()).sum();
    let words = bits.div_ceil(64).max(1) as usize;
    let endless = if domains().any(Domain::is_unbounded) { ENDLESS } else { 1 };
    let weight = instance.processes.len().max(1) * words * endless;
    (WORK[turn] / weight).max(FEW)
}

/// All engines, in order of preference, told to work like this, with a place where the graph of a system is kept for
/// whoever else needs it, and with notes or without. Of two values of one option the last counts.
pub(crate) fn configured(
    options: &[EngineOption],
    known: &GraphCache,
    solvers: &Solvers,
    notes: bool,
) -> Vec<Box<dyn Engine>> {
    let mut local = Local::default();
    for option in options {
        match (option.name, option.value) {
            ("local.variant", "auto") => local.variant = Variant::Auto,
            ("local.variant", "a") => local.variant = Variant::A,
            ("local.variant", _) => local.variant = Variant::B,
            (_, value) => local.symmetry = value == "on",
        }
    }
    // No engine knows another: the one that looks for small counterexamples is given to the counter engine here.
    let small = Box::new(Explicit { notes: false, ..Explicit::default() });
    let explicit = Explicit { notes, known: known.shared(), ..Explicit::default() };
    vec![
        Box::new(explicit),
        Box::new(Symbolic::default()),
        Box::new(local),
        Box::new(Counter::new(small)),
        infinite(solvers),
    ]
}

/// It takes only what has unbounded integers, of which states cannot be listed to the end.
fn infinite(solvers: &Solvers) -> Box<dyn Engine> {
    Box::new(Infinite { solvers: solvers.clone(), finite: false })
}

/// The names of all engines, in order of preference.
pub fn names() -> Vec<&'static str> {
    table().iter().map(|engine| engine.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_does_not_exist_is_answered_with_those_that_do() {
        assert!(EngineOption::parse("local.variant=b").is_ok());
        assert!(EngineOption::parse(" local.symmetry = off ").is_ok());
        let message = EngineOption::parse("local.varaint=a").unwrap_err();
        assert!(
            message.contains("local.symmetry=on|off") && message.contains("did you mean `local.variant`?")
        );
        assert_eq!(
            EngineOption::parse("local.variant=c").unwrap_err(),
            "the values of local.variant are auto, a, b"
        );
        for bad in ["", "=", "local.variant", "local.variant=", "explicit.speed=high"] {
            assert!(EngineOption::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_value_of_every_option_is_an_engine_of_its_own() {
        for (name, values) in OPTIONS {
            for value in values {
                let option = EngineOption::parse(&format!("{name}={value}")).expect("it is listed");
                assert_eq!(
                    configured(&[option], &GraphCache::default(), &Solvers::none("none was given"), true)
                        .len(),
                    table().len()
                );
            }
        }
    }
}
