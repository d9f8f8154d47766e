//! Notes of a report as data, and their text. All sentences of notes are made here; those of advice and explanations are in
//! their `words`.
//!
//! Everything below the report is data. A [`Note`] is a fact about an answer or a model; its `Display` is the
//! sentence that the terminal, JSON and HTML all show.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use model::note::{Reduction, Unchecked, Unrealisable};
use model::show::Binding;
use model::{Reason, Refusal, RefusalKind, StopReason};

use super::{Outcome, Verdict, brief};
use crate::ask::plan::EngineKind;
use crate::options::FairnessOption;

/// A fact that a user should know about an answer or a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A note of an engine or the judge.
    Fact(model::Note),
    /// Why the task is not decided.
    Open(Reason),
    /// How far a search came that a limit has ended.
    Pace {
        /// The states that were found.
        states: u64,
        /// How many of them were not expanded.
        waiting: u64,
        /// How long it took, if that is known.
        time: Option<Duration>,
    },
    /// What to try.
    Try(Try),
    /// A limit was reached before the work on it began.
    NotBegun(StopReason),
    /// An engine was asked before the one that answered, and gave up.
    GaveUp {
        /// The engine.
        engine: EngineKind,
        /// Why.
        reason: Reason,
    },
    /// The verdict of another engine.
    Said {
        /// The engine.
        engine: EngineKind,
        /// Its verdict.
        verdict: Verdict,
        /// How long it took.
        time: Duration,
    },
    /// An engine broke down.
    BrokeDown {
        /// The engine.
        engine: EngineKind,
        /// The message of its panic.
        message: String,
    },
    /// An engine refuses the task.
    Refused(Refused),
    /// A parameter has no value.
    NoValue(NoValue),
    /// A dispute.
    Disputed(String),
    /// The system that was checked does more, or less, than the program it was read from, so this verdict does not
    /// carry over to the program.
    NotTheProgram {
        /// Whether it does more.
        more: bool,
        /// The verdict.
        said: Verdict,
    },
    /// Where the system is not exactly the program.
    Approximates(String),
    /// It also holds without fairness.
    WithoutFairness,
    /// It holds without each one of these conditions.
    WithoutConditions(Vec<String>),
    /// It holds without each one of these parts.
    VacuousInPart(Vec<String>),
    /// No run is fair.
    NoFairRun(NoFairRun),
    /// A deadlock can be reached.
    Deadlock {
        /// The actions on a shortest path there.
        path: Vec<String>,
        /// The state.
        state: Vec<Binding>,
    },
    /// These locations are never reached.
    NeverReached(Vec<String>),
    /// These actions are never enabled.
    NeverEnabled(Vec<String>),
    /// A property reads a variable where its value matters to nothing else.
    Kept(lang::Kept),
    /// The model was not searched for deadlocks, unreachable labels and irrelevant parts of properties.
    NotLookedFor(NotLookedFor),
    /// Not all questions of advice were answered.
    NotAllKnown(Box<Note>),
    /// The verdict under one kind of fairness was left open, for this reason.
    NotKnownUnder(FairnessOption, Box<Note>),
    /// An advised declaration turned out not to be enough.
    NotConfirmed {
        /// The declaration.
        declaration: String,
    },
    /// A limit ended the second check of an advised declaration.
    NotCheckedAgain {
        /// The declaration.
        declaration: String,
    },
    /// It is not known whether a requirement can be met.
    CannotTellWhetherMet {
        /// The requirement.
        requirement: String,
        /// Why.
        reason: Reason,
    },
    /// No engine accepts the task under this fairness.
    NobodyTakesIt,
}

/// What to try when a task is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// A longer time limit, or a smaller instance.
    MoreTime,
    /// More memory, or a smaller instance.
    MoreMemory,
    /// Files, or other processes, for the states.
    Elsewhere,
    /// Hashes instead of states, to look for violations only.
    Approximate,
    /// A search that knows all states.
    Exact,
    /// A range for this variable: without one there may be infinitely many states.
    Range {
        /// The variable.
        variable: String,
    },
    /// All engines: these accept the task.
    OtherEngines(Vec<EngineKind>),
    /// Values for these parameters.
    Values(Vec<String>),
    /// Stronger conditions on the variables, or ranges.
    Strengthen,
    /// Linear expressions, or ranges.
    Linear,
    /// Smaller ranges, or a smaller instance.
    Smaller,
    /// Larger ranges, or `int`.
    LargerRanges,
    /// Comparing indices only where tickets are equal.
    OneOrder,
}

/// A refusal of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The engine.
    pub engine: EngineKind,
    /// Why.
    pub refusal: Refusal,
    /// The name of the declaration that is the cause.
    pub about: Option<String>,
    /// The line of the declaration.
    pub line: Option<usize>,
}

/// A parameter without a value, and why the engine for every value refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue {
    /// The parameter.
    pub name: String,
    /// The refusal of the engine for every value.
    pub refused: Option<Refused>,
    /// From and to which value the property was shown.
    pub holds_for: Option<(i64, i64)>,
}

/// Why no run is fair, and what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFairRun {
    /// For each alternative of the fairness, requirements that cannot be met together.
    pub conflicts: Vec<Conflict>,
    /// Changes after which some run is fair.
    pub reliefs: Vec<Relief>,
}

/// Requirements that no run meets together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The requirements, as they would be declared.
    pub requirements: Vec<String>,
    /// Whether they can be met without any one of them.
    pub minimal: bool,
}

/// A change that may make fairness possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relief {
    /// `weak` in place of `unconditional`.
    Weak,
    /// A process that may always skip.
    Stuttering,
}

impl Display for NoFairRun {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("no run is fair: ")?;
        for (number, Conflict { requirements, minimal }) in self.conflicts.iter().enumerate() {
            let nor = if number > 0 { ", nor " } else { "" };
            let cannot = if number > 0 { "" } else { " cannot be met" };
            let together = if requirements.len() > 1 { " together" } else { "" };
            write!(f, "{nor}{}{cannot}{together}", quoted(requirements))?;
            if !minimal {
                f.write_str(" (not all of these may be to blame; a limit was reached)")?;
            }
        }
        if let [Conflict { requirements, minimal: true }] = &self.conflicts[..]
            && requirements.len() > 1
        {
            f.write_str("; if any one of them is dropped, the others can be met")?;
        }
        for (number, relief) in self.reliefs.iter().enumerate() {
            f.write_str(if number == 0 { "; some run is fair with " } else { ", or with " })?;
            f.write_str(match relief {
                Relief::Weak => "`weak` in place of `unconditional`",
                Relief::Stuttering => {
                    "a process that may always skip, `process Stutter { action stutter { skip; } }`"
                }
            })?;
        }
        Ok(())
    }
}

/// Why the notes about a whole model are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotLookedFor {
    /// There are more states than this.
    States(usize),
    /// The states take too much memory.
    Memory,
    /// This parameter is open.
    Open(String),
}

impl Note {
    /// Whether it is a note about vacuity.
    pub fn is_vacuity(&self) -> bool {
        matches!(
            self,
            Note::Fact(model::Note::Vacuous { .. } | model::Note::EmptyAutomaton { .. })
                | Note::VacuousInPart(_)
        )
    }

    /// Whether it is a note about whether the fairness can be met.
    pub(crate) fn is_about_realisability(&self) -> bool {
        self.is_unrealisable() || matches!(self, Note::Fact(model::Note::RealisabilityUnknown { .. }))
    }

    /// Whether it says what an engine used of the assumed fairness.
    pub fn is_about_use_of_fairness(&self) -> bool {
        matches!(self, Note::Fact(model::Note::Derived { .. }))
    }

    /// Whether it says how a property was shown for every number of processes.
    pub fn is_about_the_argument(&self) -> bool {
        use model::Note as Fact;
        matches!(
            self,
            Note::Fact(
                Fact::Derived { .. } | Fact::FinitelyMany(_) | Fact::ConstantSums(_) | Fact::Covers { .. }
            )
        )
    }

    /// Whether it is a note that the fairness cannot be met.
    pub fn is_unrealisable(&self) -> bool {
        matches!(self, Note::Fact(model::Note::Unrealisable(_)) | Note::NoFairRun(_))
    }
}

/// The sentence about a limit.
pub fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Cancelled => "interrupted",
        StopReason::Time => "the time limit was reached",
        StopReason::Memory => "the memory limit was reached",
        StopReason::Work => "it takes more work than was allowed",
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A path to a deadlock with more steps is only described by its length.
const SHORT: usize = 6;

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Note::Fact(note) => f.write_str(&fact(note)),
            Note::Open(reason) => f.write_str(&open(reason)),
            Note::Pace { states, waiting, time } => {
                if let Some(time) = time {
                    write!(
                        f,
                        "in all about {:.0} states a second; ",
                        *states as f64 / time.as_secs_f64().max(0.001)
                    )?;
                }
                let growth = *states as f64 / states.saturating_sub(*waiting).max(1) as f64;
                write!(
                    f,
                    "{waiting} of these states were still waiting; each of the others led to {growth:.1} states on average"
                )
            }
            Note::Try(what) => what.fmt(f),
            Note::NotBegun(stop) => write!(f, "{} before it began", stopped(*stop)),
            Note::GaveUp { engine, reason } => write!(f, "{} gave up: {}", engine.name(), open(reason)),
            Note::Said { engine, verdict, time } => {
                write!(f, "{}: {}, {:.2} s", engine.name(), verdict.name(), time.as_secs_f64())
            }
            Note::BrokeDown { engine, message } => write!(
                f,
                "the engine {} broke down ({message}); this is an error in Fairly, please report it",
                engine.name()
            ),
            Note::Refused(refused) => refused.fmt(f),
            Note::NoValue(missing) => missing.fmt(f),
            Note::Disputed(summary) => f.write_str(summary),
            Note::NotTheProgram { more, said } => write!(
                f,
                "the checked system does {} than the program, and the property {} for that system",
                if *more { "more" } else { "less" },
                said.name()
            ),
            Note::Approximates(sentence) => f.write_str(sentence),
            Note::WithoutFairness => f.write_str("it holds without any fairness"),
            Note::WithoutConditions(parts) if parts.len() == 1 => {
                write!(f, "it holds without the condition {}", quoted(parts))
            }
            Note::WithoutConditions(parts) => {
                write!(f, "it holds without any one of the conditions {}", quoted(parts))
            }
            Note::VacuousInPart(parts) if parts.len() == 1 => {
                write!(f, "vacuous in part: it holds without {}", quoted(parts))
            }
            Note::VacuousInPart(parts) => {
                write!(f, "vacuous in part: it holds without any one of {}", quoted(parts))
            }
            Note::NoFairRun(why) => why.fmt(f),
            Note::Deadlock { path, state } => {
                let way = match path.len() {
                    0 => "in an initial state".to_owned(),
                    1..=SHORT => format!("after {}", path.join(", ")),
                    many => format!("after {many} steps"),
                };
                write!(f, "a deadlock can be reached: {way} no action is enabled ({})", brief::listed(state))
            }
            Note::NeverReached(names) => never(f, names, "reached"),
            Note::NeverEnabled(names) => never(f, names, "enabled"),
            Note::Kept(lang::Kept { variable, property, global: true }) => write!(
                f,
                "`{property}` assumes `global`, which counts steps, so the values of `{variable}` count as states even where \
                 nothing reads them"
            ),
            Note::Kept(lang::Kept { variable, property, .. }) => write!(
                f,
                "`{property}` reads `{variable}`, so its values count as states even where nothing else reads them"
            ),
            Note::NotLookedFor(why) => {
                f.write_str(
                    "deadlocks, unreachable labels and parts of properties without influence were not looked for: ",
                )?;
                match why {
                    NotLookedFor::States(limit) => write!(f, "there are more than {limit} states"),
                    NotLookedFor::Memory => f.write_str("its states take too much memory"),
                    NotLookedFor::Open(name) => write!(f, "{name} is open, choose it with --set"),
                }
            }
            Note::NotAllKnown(why) => write!(f, "not all is known: {}", in_brief(why)),
            Note::NotKnownUnder(kind, why) => {
                write!(f, "whether it holds under `{}` is not known: {}", kind.name(), in_brief(why))
            }
            Note::NotConfirmed { declaration } => write!(
                f,
                "declared as `{declaration}` it does not hold; this is an error in Fairly, please report it"
            ),
            Note::NotCheckedAgain { declaration } => {
                write!(f, "a limit kept `{declaration}` from being checked again")
            }
            Note::CannotTellWhetherMet { requirement, reason } => {
                write!(f, "whether `{requirement}` can be met is not known: {}", open(reason))
            }
            Note::NobodyTakesIt => f.write_str("no engine accepts the task under this fairness"),
        }
    }
}

/// Why one of many questions is open. The run of an abstract system that `check` shows would say little here.
fn in_brief(why: &Note) -> String {
    match why {
        Note::Open(Reason::Spurious { holds_for, .. }) => spurious(holds_for.as_ref()),
        _ => why.to_string(),
    }
}

/// That a claim is not decided for every number of processes.
fn spurious(holds_for: Option<&(String, i64, i64)>) -> String {
    let seen = holds_for
        .map_or_else(String::new, |(name, from, to)| format!("; it holds for {name} = {from}..{to}"));
    format!("it is not decided for every number of processes, and no counterexample is known{seen}")
}

fn never(f: &mut Formatter<'_>, names: &[String], verb: &str) -> fmt::Result {
    match names {
        [only] => write!(f, "{only} is never {verb}"),
        several => write!(f, "never {verb}: {}", several.join(", ")),
    }
}

impl Display for Try {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Try::MoreTime => f.write_str("raise `--time-limit`, or make the instance smaller"),
            Try::MoreMemory => f.write_str("raise `--memory-limit`, or make the instance smaller"),
            Try::Elsewhere => f.write_str(
                "use `--disk FOLDER` to keep states in files, or `--workers K` to share them among processes",
            ),
            Try::Approximate => {
                f.write_str("use `--approximate` to look for violations among many more states")
            }
            Try::Exact => f.write_str("check it without `--approximate`"),
            Try::Range { variable } => {
                write!(
                    f,
                    "give `{variable}` a range: it is unbounded, so there may be infinitely many states"
                )
            }
            Try::OtherEngines(engines) => {
                let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
                write!(f, "use `--engine auto`: it also asks {}", names.join(" and "))
            }
            Try::Values(parameters) => {
                let settings: Vec<String> = parameters.iter().map(|name| format!("--set {name}=…")).collect();
                write!(f, "choose a number of processes with {}", settings.join(" "))
            }
            Try::Strengthen => {
                f.write_str("strengthen the model with what is known of its variables, or give them ranges")
            }
            Try::Linear => f.write_str("rewrite the expression, or give the variables ranges"),
            Try::Smaller => f.write_str("make ranges smaller, or the instance"),
            Try::LargerRanges => f.write_str("make the ranges larger, or use `int`"),
            Try::OneOrder => f.write_str("compare indices only where tickets are equal and not 0"),
        }
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (reason, instead) = self.words();
        let instead = if instead.is_empty() { instead } else { format!("; {instead}") };
        write!(f, "{} refuses: {reason}{instead}", self.engine.name())
    }
}

impl Refused {
    /// The reason without the engine's name.
    pub fn reason(&self) -> String {
        self.words().0
    }

    /// The reason, and a suggestion, which may be empty.
    fn words(&self) -> (String, String) {
        let engine = self.engine.name();
        let line = self.line.map_or_else(String::new, |line| format!(" (line {line})"));
        let name = self.about.as_ref().map_or_else(|| "it".to_owned(), |name| format!("`{name}`{line}"));
        let (reason, instead) = match &self.refusal.kind {
            RefusalKind::Open => {
                let open = self.about.as_deref().unwrap_or("a parameter");
                let reason = format!("{open} is open, and the {engine} engine checks one instance at a time");
                return (
                    reason,
                    format!("choose a value with --set {}=…", self.about.as_deref().unwrap_or("NAME")),
                );
            }
            RefusalKind::NotOpen => (
                format!(
                    "the model has no open parameter, and the {engine} engine is for models that have one"
                ),
                "declare the number of processes as `param N >= 2`",
            ),
            RefusalKind::Family => (
                format!("{name} stands for a family of properties"),
                "choose values for the parameters it depends on",
            ),
            RefusalKind::Ctl => (
                format!("{name} is a CTL property, and the {engine} engine checks invariants and LTL"),
                "if it begins with A and has an LTL form, write it in LTL",
            ),
            RefusalKind::BeyondCtl => (
                format!("{name} is a property of CTL*, and the {engine} engine checks those of CTL"),
                "use the infinite engine",
            ),
            RefusalKind::Global => (
                format!("the {engine} engine does not know strong global fairness"),
                "assume strong fairness of all actions",
            ),
            RefusalKind::AnyInteger => (
                format!("{name} may be any integer at first, so there are infinitely many initial states"),
                "give it an initial value, or a range for its type",
            ),
            RefusalKind::EndlessChoice => (
                format!("{name} chooses among all integers, and the {engine} engine lists outcomes"),
                "choose in a range",
            ),
            RefusalKind::Unbounded => (
                format!("{name} may be any integer, and the {engine} engine needs ranges"),
                "give its type a range",
            ),
            RefusalKind::Bounded => {
                (format!("no variable is unbounded, and the {engine} engine is for unbounded integers"), "")
            }
            RefusalKind::Values { most } => (
                format!("{name} has more values than the {most} that the {engine} engine can list"),
                "make its range smaller",
            ),
            RefusalKind::Size { actions, bits } => (
                format!("the {engine} engine takes up to {actions} actions and states of {bits} bits"),
                "make the instance smaller",
            ),
            RefusalKind::OneProcess => (
                format!(
                    "there are fewer than two processes, and the {engine} engine divides the work among processes"
                ),
                "",
            ),
            RefusalKind::NothingLocal => (
                "the processes read everything that other processes own, so nothing is local to any of them"
                    .to_owned(),
                "let guards read fewer locals of other processes",
            ),
            RefusalKind::Uncountable { why, instead } => (self.with_line(why), instead.as_str()),
        };
        (reason, instead.to_owned())
    }
}

impl Refused {
    /// A sentence of the counter engine, with the line after the name of the declaration.
    fn with_line(&self, sentence: &str) -> String {
        let line = self.line.map_or_else(String::new, |line| format!(" (line {line})"));
        let name = self.about.as_ref().map(|name| format!("`{name}`"));
        match name.filter(|name| sentence.contains(name)) {
            Some(name) => sentence.replacen(&name, &format!("{name}{line}"), 1),
            None => format!("{sentence}{line}"),
        }
    }
}

impl Display for NoValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.holds_for {
            None => write!(f, "parameter {name} has no value: give one with --set {name}=…")?,
            Some((from, to)) => {
                let values = if from == to { from.to_string() } else { format!("{from}..{to}") };
                write!(
                    f,
                    "shown for {name} = {values} and not for every {name}; for another give --set {name}=…"
                )?;
            }
        }
        match &self.refused {
            Some(refused) => write!(f, "; for every {name} {refused}"),
            None => Ok(()),
        }
    }
}

/// Why a task was not decided, as a sentence.
fn open(reason: &Reason) -> String {
    match reason {
        // The infinite engine uses strong global fairness only to refute, and is done if the property holds without it.
        Reason::Refused(refusal) if refusal.kind == RefusalKind::Global => {
            "it fails without `global`, and the infinite engine proves nothing by `global`".to_owned()
        }
        Reason::Refused(refusal) => {
            // Only the explicit engine refuses in the middle of its work otherwise.
            let engine = EngineKind::Explicit;
            Refused { engine, refusal: refusal.clone(), about: None, line: None }.reason()
        }
        Reason::Stopped { stop, done: None } => stopped(*stop).to_owned(),
        Reason::Stopped { stop: StopReason::Work, done: Some((count, unit)) } => {
            format!("there are more than {count} {unit}")
        }
        Reason::Stopped { stop, done: Some((count, unit)) } => {
            format!("{} after {count} {unit}", stopped(*stop))
        }
        Reason::NothingFound { count, unit, missed_one_in, stop } => {
            let stop = stop.map_or_else(String::new, |stop| format!("; {}", stopped(stop)));
            let missed = match missed_one_in {
                None => "hashes stand for states, so some may have been missed".to_owned(),
                Some(many) => {
                    format!(
                        "hashes stand for states, and at the end about one new state in {many} was missed"
                    )
                }
            };
            format!("no violation found in {count} {unit}{stop}; {missed}")
        }
        Reason::NoPathShows => {
            "an approximate search finds only violations that a finite path shows; this property \
             needs an infinite run or a branching state"
                .to_owned()
        }
        Reason::LargeDiagrams => {
            "the memory limit was reached: the sets of states have no small diagrams".to_owned()
        }
        Reason::Overflow => "a number leaves the 64 bits that states are listed with".to_owned(),
        Reason::InitFault => "an `init` predicate has a fault".to_owned(),
        Reason::TooLarge { what } => what.clone(),
        Reason::NotLinear { what } => {
            format!("the infinite engine knows linear arithmetic only, and there is {what}")
        }
        Reason::NoSolver { why } => why.clone(),
        Reason::NoRanking => "neither a ranking argument nor a recurrent set decides it".to_owned(),
        Reason::PossibleFault => {
            "a fault could not be excluded: a value may leave its range, or nothing can be chosen".to_owned()
        }
        Reason::NoEvidence => "it fails, but there is no evidence of it that could be judged".to_owned(),
        Reason::NoLocalArgument => {
            "the local engine could neither confirm nor exclude a counterexample".to_owned()
        }
        Reason::Spurious { violation, holds_for } => {
            let undecided = spurious(holds_for.as_ref());
            format!(
                "{undecided}. With processes counted only up to a bound there is a run that no small instance was found to \
                 have: {violation}"
            )
        }
        Reason::TwoOrders => "both tickets and indices decide who goes first".to_owned(),
        Reason::Other(what) => what.clone(),
    }
}

/// The sentence for a note of an engine or the judge.
fn fact(note: &model::Note) -> String {
    const NOT_REALISABLE: &str = "the fairness assumption is not realisable";
    use model::Note as Fact;
    match note {
        Fact::NoInitialState => {
            "there is no initial state: the `init` predicates exclude all of them".to_owned()
        }
        Fact::Vacuous { triggers, in_part } => {
            let part = if *in_part { "vacuous in part" } else { "vacuous" };
            format!("{part}: {} never occurs", quoted(triggers))
        }
        Fact::EmptyAutomaton { file } => format!("vacuous: the automaton {file} accepts nothing"),
        Fact::Unrealisable(Unrealisable::Everywhere) => format!("{NOT_REALISABLE}: no run meets it"),
        Fact::Unrealisable(Unrealisable::InEveryInstance) => {
            format!("{NOT_REALISABLE}: no run of any instance meets it")
        }
        Fact::Unrealisable(Unrealisable::From(state)) => {
            format!("{NOT_REALISABLE}: no run meets it that reaches {}", brief::listed(state))
        }
        Fact::RealisabilityUnknown { limit: true } => {
            "a limit was reached before it was known whether the fairness assumption is realisable".to_owned()
        }
        Fact::RealisabilityUnknown { limit: false } => {
            "whether the fairness assumption is realisable was not checked".to_owned()
        }
        Fact::HoldsWithoutFairness => "it holds without any fairness, and was checked without it".to_owned(),
        Fact::Reduced(Reduction::Symmetry) => {
            "reduced: of states that differ only in the names of processes one was searched".to_owned()
        }
        Fact::Reduced(Reduction::PartialOrder) => {
            "reduced: independent actions were tried in one order".to_owned()
        }
        Fact::NotReduced(reasons) => format!("not reduced: {}", reasons.join("; ")),
        Fact::FairnessNotUsed { requirement: None, why } => {
            format!("of strong global fairness, in the argument for every number of processes, {why}")
        }
        Fact::FairnessNotUsed { requirement: Some(requirement), why } => {
            format!("`{requirement}` is not used in the argument for every number of processes: {why}")
        }
        Fact::LeastFailing { parameter, from, to } if from == to => {
            format!(
                "it holds for {parameter} = {from}; {} is the least {parameter} for which it fails",
                to + 1
            )
        }
        Fact::LeastFailing { parameter, from, to } => {
            format!(
                "it holds for {parameter} = {from}..{to}; {} is the least {parameter} for which it fails",
                to + 1
            )
        }
        Fact::BoundsRaised => "the bounds of the counters were raised by one".to_owned(),
        Fact::Covers { parameters, counted_to, states } => {
            let scope: Vec<String> =
                parameters.iter().map(|(name, least)| format!("{name} >= {least}")).collect();
            format!(
                "this covers every {}: processes are counted up to {counted_to}, and every step of every instance \
                 is a step between the {states} abstract states that were searched",
                scope.join(" and ")
            )
        }
        Fact::Derived { source, debt, sets, formulas } => {
            let debts = (!sets.is_empty()).then(|| {
                format!(
                    "for each S of {}: `G F (nobody in S is owed a step, or such a debt in S ends)`, where process i is owed a step \
                     if `{debt}`",
                    sets.join("; ")
                )
            });
            let formulas = formulas.iter().map(|formula| format!("`{formula}`"));
            let parts: Vec<String> = debts.into_iter().chain(formulas).collect();
            format!("of `{source}` this is used: {}", parts.join("; "))
        }
        Fact::FinitelyMany(sets) => format!(
            "processes are finitely many, so each of these sets is entered again and again if it is left again and again: {}",
            sets.join("; ")
        ),
        Fact::ConstantSums(sums) => {
            format!("no step changes these sums, where # is a number of processes: {}", sums.join("; "))
        }
        Fact::Exposed { variant, rounds, whole, finite, predicates } => {
            let mut parts = vec![format!("local reasoning, variant {variant}: {rounds} refinements")];
            if !whole.is_empty() {
                parts.push(format!("all of {} is exposed from the beginning", whole.join(" and ")));
            }
            parts.extend(finite.iter().map(|predicate| {
                format!("{predicate} is exposed from the beginning, because it is true only finitely often")
            }));
            parts.extend(predicates.iter().map(|sentence| format!("exposed {sentence}")));
            parts.join("; ")
        }
        Fact::Unchecked(why) => unchecked(*why),
        Fact::NotCounted { why } => format!("claimed: the judge cannot count here: {why}"),
        Fact::ProofUnfinished { why } => format!("the proof was not checked to its end: {why}"),
    }
}

/// Why an answer is only claimed, and how to have it checked.
fn unchecked(why: Unchecked) -> String {
    let why = match why {
        Unchecked::Reduced => {
            "the search was reduced; `--certify always` searches in full and checks the answer"
        }
        Unchecked::Large => "there are more than a million steps to check; `--certify always` checks them",
        Unchecked::Work => "evidence takes more work than is done by default; `--certify always` does it",
        Unchecked::Automaton => "the reference automaton of the property is too large to be checked with",
        Unchecked::Ways => {
            "an action can go too many ways for a proof with diagrams; `--engine explicit` looks for another proof"
        }
        Unchecked::Limit => "a limit was reached before the evidence was complete",
    };
    format!("claimed: {why}")
}

/// Why a property that holds may say less than it seems to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// There is no initial state, so everything holds.
    NoInitialState,
    /// No run is fair, so everything holds of all fair runs.
    NoFairRun,
    /// What it says something about never occurs.
    NeverTriggered,
    /// The automaton accepts nothing, whatever the model does.
    EmptyAutomaton,
    /// It needs none of the fairness that is declared for it.
    WithoutFairness,
}

impl Caveat {
    /// Whether any property would hold here: there is no initial state, or no fair run.
    pub(super) fn is_empty(self) -> bool {
        matches!(self, Caveat::NoInitialState | Caveat::NoFairRun)
    }

    /// The words after "holds, but".
    pub fn words(self) -> &'static str {
        match self {
            Caveat::NoInitialState => "there is no initial state",
            Caveat::NoFairRun => "no run is fair",
            Caveat::NeverTriggered => "its trigger never occurs",
            Caveat::EmptyAutomaton => "the automaton accepts nothing",
            Caveat::WithoutFairness => "it needs no fairness",
        }
    }
}

impl Outcome {
    /// The verdict with what makes it less than it seems: `holds, but no run is fair`.
    pub fn in_words(&self) -> String {
        let verdict = self.verdict.name();
        match self.caveat() {
            Some(caveat) => format!("{verdict}, but {}", caveat.words()),
            None if self.is_fault() => format!("{verdict} by a fault"),
            None => verdict.to_owned(),
        }
    }
}
