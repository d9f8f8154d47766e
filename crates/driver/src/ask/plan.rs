//! Which engine goes when, and with how much work. Nothing else in the driver knows.
//!
//! `auto` serves every engine that takes a task in rounds. A round gives each of them a budget of counted work, and
//! budgets grow from round to round: what is easy for any engine is decided by it in an early round, whatever the
//! others would need. Budgets are counted in steps and operations and never in seconds, so that the same engine answers
//! every time (decision 0014). The explicit engine goes first if states are bounded; then the others, the one with the
//! largest share of the budget first.
//!
//! A named engine, and each of `all`, has no budget but the limits of the command. Adding an engine is a line in
//! [`EngineKind`] and one in [`build`].
//!
//! Nothing here looks at parameters: the finite engines refuse a task with an open one
//! ([`model::refusal::RefusalKind::Open`]), and `counter` refuses every other.

use std::sync::Arc;

use engines::explicit::GraphCache;
#[cfg(feature = "full")]
use engines::local::Variant;
use engines::rounds::Crew;
use engines::{Counter, Engine, Explicit};
#[cfg(feature = "full")]
use engines::{Infinite, Local, Symbolic};
use lang::diagnostic::nearest;
use model::Subject;
use smt::Solvers;

use crate::judging::Judging;
use crate::options::Certify;

/// The budget of the first round: about ten milliseconds.
const FIRST: u64 = 1_000_000;
/// By how much the budget grows from round to round.
const GROWTH: u64 = 2;
/// From this round on there is no budget. The rounds before it take about an hour.
const UNLIMITED_FROM: u32 = 18;
/// How many extra turns an engine gets in a row while fewer and fewer of the states it lists wait to be expanded.
/// Levels of a graph grow and then shrink, so most of it has been seen, and the others would only make the user wait.
pub(crate) const EXTRA: u32 = 2;
/// The explicit engine's budget under `--engine all` if there may be infinitely many states: about two seconds.
const ENDLESS: u64 = 15_000_000;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum EngineKind {
    Explicit,
    Symbolic,
    Local,
    Counter,
    Infinite,
}

impl EngineKind {
    /// All engines, in order of preference.
    #[cfg(feature = "full")]
    pub const ALL: [EngineKind; 5] = [
        EngineKind::Explicit,
        EngineKind::Symbolic,
        EngineKind::Local,
        EngineKind::Counter,
        EngineKind::Infinite,
    ];

    /// The engines that need no threads, in order of preference.
    #[cfg(not(feature = "full"))]
    pub const ALL: [EngineKind; 2] = [EngineKind::Explicit, EngineKind::Counter];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Explicit => "explicit",
            EngineKind::Symbolic => "symbolic",
            EngineKind::Local => "local",
            EngineKind::Counter => "counter",
            EngineKind::Infinite => "infinite",
        }
    }
}

/// Which engines to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engines {
    /// In rounds, until one decides.
    #[default]
    Auto,
    /// Every one that takes the task; their answers must agree.
    All,
    /// This one.
    Named(EngineKind),
}

impl Engines {
    /// What a name means, or a sentence that says which names there are.
    pub fn named(name: &str) -> Result<Engines, String> {
        match name {
            "auto" => return Ok(Engines::Auto),
            "all" => return Ok(Engines::All),
            _ => {}
        }
        if let Some(kind) = EngineKind::ALL.into_iter().find(|kind| kind.name() == name) {
            return Ok(Engines::Named(kind));
        }
        let known = std::iter::once("auto").chain(EngineKind::ALL.map(EngineKind::name)).chain(["all"]);
        let suggestion = match nearest(name, known.clone()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        let known: Vec<&str> = known.collect();
        Err(format!("there is no engine `{name}`, only {}{suggestion}", known.join(", ")))
    }
}

/// A way an engine can be told to work: its name, and its values with the usual one first.
const OPTIONS: [(&str, &[&str]); 6] = [
    ("explicit.reductions", &["on", "off"]),
    ("explicit.states", &["stored", "hashed"]),
    ("explicit.steps", &["stored", "computed"]),
    ("local.variant", &["auto", "a", "b"]),
    ("local.symmetry", &["on", "off"]),
    ("counter.bound", &["auto", "1", "2", "3", "4", "5", "6", "7", "8"]),
];

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

    /// That the explicit engine knows states by their hashes alone.
    pub const APPROXIMATE: EngineOption = EngineOption { name: "explicit.states", value: "hashed" };

    /// All options with their values: `local.variant=auto|a|b`.
    pub fn listed() -> String {
        OPTIONS.map(|(name, values)| format!("{name}={}", values.join("|"))).join(", ")
    }
}

/// How engines are built.
pub(crate) struct Building<'a> {
    /// Of two values of one option the last counts.
    pub(crate) options: &'a [EngineOption],
    /// Where the graph of a system is kept for whoever else needs it.
    pub(crate) cache: &'a GraphCache,
    pub(crate) solvers: &'a Solvers,
    pub(crate) crew: Option<&'a Arc<dyn Crew>>,
    /// Whether engines look for what nobody asked for.
    pub(crate) notes: bool,
    pub(crate) judging: Judging,
    /// Whether engines are asked again with more work.
    pub(crate) in_rounds: bool,
}

/// An engine.
pub(crate) fn build(kind: EngineKind, building: &Building<'_>) -> Box<dyn Engine> {
    let Building { options, cache, solvers, crew, notes, judging, in_rounds } = *building;
    let is = |name: &str, value: &str| {
        options.iter().rev().find(|option| option.name == name).is_some_and(|option| option.value == value)
    };
    match kind {
        EngineKind::Explicit => Box::new(Explicit {
            notes,
            looks_at_limit: !in_rounds,
            evidence: judging.edges,
            reductions: judging.reductions && !is("explicit.reductions", "off"),
            reduce_beyond: judging.reduce_beyond,
            stores_steps: !is("explicit.steps", "computed"),
            approximate: is(EngineOption::APPROXIMATE.name, EngineOption::APPROXIMATE.value),
            cache: cache.clone(),
            crew: crew.cloned(),
            ..Explicit::default()
        }),
        #[cfg(feature = "full")]
        EngineKind::Symbolic => {
            Box::new(Symbolic { notes, evidence: judging.diagrams, ..Symbolic::default() })
        }
        #[cfg(feature = "full")]
        EngineKind::Local => {
            let variant = match () {
                () if is("local.variant", "a") => Variant::A,
                () if is("local.variant", "b") => Variant::B,
                () => Variant::Auto,
            };
            Box::new(Local { variant, symmetry: !is("local.symmetry", "off"), ..Local::default() })
        }
        // No engine knows another: the one that looks for small counterexamples is given to the counter engine here.
        EngineKind::Counter => {
            let small = Explicit { notes: false, evidence: 0, ..Explicit::default() };
            let bound = (1..=8u8).find(|bound| is("counter.bound", &bound.to_string()));
            Box::new(Counter { bound, evidence: judging.counts, ..Counter::new(Box::new(small)) })
        }
        #[cfg(feature = "full")]
        EngineKind::Infinite => {
            Box::new(Infinite { solvers: solvers.clone(), finite: false, both_sides: judging.labels })
        }
        // Invariant: it is none of `ALL`, and nothing else is asked for.
        #[cfg(not(feature = "full"))]
        kind => unreachable!(
            "there is no engine {} here ({options:?}, {solvers:?}, {})",
            kind.name(),
            judging.diagrams
        ),
    }
}

/// All engines, in order of preference, each in its own way, where there are no solvers: for tests.
pub fn all_engines() -> Vec<Box<dyn Engine>> {
    let solvers = Solvers::none("no solver was given");
    let building = Building {
        options: &[],
        cache: &GraphCache::default(),
        solvers: &solvers,
        crew: None,
        notes: true,
        judging: Judging::from(Certify::Auto),
        in_rounds: false,
    };
    EngineKind::ALL.into_iter().map(|kind| build(kind, &building)).collect()
}

/// The engines that are asked about a subject, in the order in which they go.
pub(crate) fn order(choice: Engines, subject: &Subject) -> Vec<EngineKind> {
    match choice {
        Engines::Named(kind) => vec![kind],
        Engines::All => EngineKind::ALL.to_vec(),
        Engines::Auto => {
            let mut order = EngineKind::ALL.to_vec();
            // Listing goes first, whatever its share: what it finds at once nobody finds faster.
            let waits = |kind: EngineKind| kind != EngineKind::Explicit || !subject.is_bounded();
            order.sort_by_key(|kind| (waits(*kind), std::cmp::Reverse(share(*kind, subject))));
            order
        }
    }
}

/// How many quarters of a round's budget an engine gets: usually four for the engine that suits the subject, eight for
/// `local` in a crowd of processes and 32 in a throng, and fewer for the others.
fn share(kind: EngineKind, subject: &Subject) -> u64 {
    let Some(instance) = subject.instance() else { return 4 };
    if !instance.is_bounded() {
        return match kind {
            EngineKind::Infinite => 4,
            _ => 1,
        };
    }
    let bits: u32 = instance.cells.iter().map(|cell| cell.domain.bits()).sum();
    // Shares if there are few processes and bits, many bits, many processes, a crowd of them, a throng.
    let [few, many_bits, many_processes, crowd, throng] = match kind {
        EngineKind::Explicit => [4, 2, 2, 1, 1],
        EngineKind::Symbolic => [2, 4, 3, 1, 1],
        EngineKind::Local => [1, 2, 4, 8, 32],
        EngineKind::Counter | EngineKind::Infinite => [1, 1, 1, 1, 1],
    };
    match instance.processes.len() {
        THRONG.. => throng,
        CROWD.. => crowd,
        MANY_PROCESSES.. => many_processes,
        _ if bits > MANY_BITS => many_bits,
        _ => few,
    }
}

/// From so many processes on it usually pays to look at them one by one.
const MANY_PROCESSES: usize = 12;
/// From so many on whoever looks at all of them at once seldom comes to an end.
const CROWD: usize = 40;
/// From so many on they almost never finish, and take longer than their counted work says.
const THRONG: usize = 200;
/// From so many bits of a state on there are usually too many states to list.
const MANY_BITS: u32 = 96;

/// The work that an engine may do in a round; `u64::MAX` for as much as the limits allow.
pub(crate) fn budget(
    choice: Engines,
    in_rounds: bool,
    kind: EngineKind,
    subject: &Subject,
    round: u32,
) -> u64 {
    if in_rounds && round < UNLIMITED_FROM {
        return FIRST * GROWTH.pow(round) / 4 * share(kind, subject);
    }
    // Whoever lists states without end should leave some time to the others.
    let is_endless = kind == EngineKind::Explicit && !subject.is_bounded();
    if choice == Engines::All && is_endless { ENDLESS } else { u64::MAX }
}

/// Whether there is anybody else whose turn comes: another engine, or another form of the program.
pub(crate) fn in_rounds(choice: Engines, forms: usize) -> bool {
    choice == Engines::Auto || forms > 1
}

/// How many rounds there are.
pub(crate) fn rounds(in_rounds: bool) -> u32 {
    if in_rounds { UNLIMITED_FROM + 1 } else { 1 }
}

/// The rounds after which a question of an advisor is left open: it asks much, so no single question may cost much.
pub(crate) const ADVISING: u32 = 9;

/// The same of a question of an explanation.
pub(crate) const EXPLAINING: u32 = 7;

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
        assert!(EngineOption::parse("explicit.reductions=off").is_ok());
        assert!(EngineOption::parse("explicit.steps=computed").is_ok());
        assert_eq!(EngineOption::parse("explicit.states=hashed"), Ok(EngineOption::APPROXIMATE));
        for bad in ["", "=", "local.variant", "local.variant=", "explicit.speed=high"] {
            assert!(EngineOption::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_engine_that_does_not_exist_is_answered_with_those_that_do() {
        assert_eq!(Engines::named("explicit"), Ok(Engines::Named(EngineKind::Explicit)));
        assert_eq!(Engines::named("all"), Ok(Engines::All));
        let message = Engines::named("explict").unwrap_err();
        assert!(message.contains("did you mean `explicit`?"), "{message}");
        assert!(Engines::named("psychic").unwrap_err().contains("auto, explicit"));
    }

    #[test]
    fn budgets_grow_until_there_is_none() {
        let subject = lang::load("test", "shared x: bool;", &[]).model.expect("a model").subject;
        for kind in EngineKind::ALL {
            let budgets: Vec<u64> =
                (0..rounds(true)).map(|round| budget(Engines::Auto, true, kind, &subject, round)).collect();
            assert!(budgets.windows(2).all(|pair| pair[0] < pair[1]), "{budgets:?}");
            assert_eq!(budgets.last(), Some(&u64::MAX));
        }
    }
}
