//! The command line: the commands and their options.
//!
//! The argument parser answers errors itself, with a message and exit code 2.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use driver::import;
use driver::t2::{Claim, Question};
use driver::{Certify, EngineOption, Engines, FairnessOption, t2};

use crate::values::{
    InitialState, certify, engine_help, engine_option_help, fairness, initial_state, seconds, setting, size,
};

/// A model checker for liveness under fairness.
#[derive(Parser)]
#[command(name = "fairly", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  fairly advise                    which fairness does an embedded example need?
  fairly check                     check an embedded example, MUX-SEM
  fairly check peterson.fair       check every property of a model
  fairly simulate peterson.fair    take a random walk through it
  fairly explore peterson.fair     work on it in the browser
  fairly print peterson.fair       write it formatted

Exit codes of `fairly check`: 0 everything is as expected, 1 something is not, 2 bad input or usage,
3 undecided, 4 certified answers disagree. `fairly check --help` says more.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Command {
    /// The language that `--from` names.
    pub(crate) fn language(&self) -> Option<import::Language> {
        let foreign = match self {
            Command::Check(arguments) => &arguments.foreign,
            Command::Advise(arguments) => &arguments.foreign,
            Command::Explain(arguments) => &arguments.foreign,
            Command::Prove(arguments) => &arguments.foreign,
            Command::Graph(arguments) => &arguments.foreign,
            Command::Print(arguments) => &arguments.foreign,
            Command::Export(arguments) => &arguments.foreign,
            Command::Replay(arguments) => &arguments.foreign,
            Command::Verify(arguments) => &arguments.foreign,
            _ => return None,
        };
        foreign.from.as_deref().and_then(import::Language::of_word)
    }
}

/// The word for a language, and other words for it.
fn possible(language: import::Language) -> PossibleValue {
    PossibleValue::new(language.word()).aliases(language.endings())
}

/// How models in other languages are recognised.
#[derive(Args)]
pub(crate) struct Foreign {
    /// Read every model in this language, whatever the endings of the files are
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(import::Language::ALL.map(possible)))]
    from: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Check(Box<CheckArguments>),
    Advise(AdviseArguments),
    Explain(ExplainArguments),
    Prove(ProveArguments),
    Verify(VerifyArguments),
    Graph(GraphArguments),
    Simulate(SimulateArguments),
    Explore(ExploreArguments),
    Replay(ReplayArguments),
    Print(PrintArguments),
    Automaton(AutomatonArguments),
    Export(ExportArguments),
    Lsp(LspArguments),
    Mcp(McpArguments),
    Worker(WorkerArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
    Bench(BenchArguments),
}

/// Check the properties of models.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly check                                    an embedded example, MUX-SEM
  fairly check --set N=4 mutex.fair               with another number of processes
  fairly check --property 'access[1]' mutex.fair  one member of a family of properties
  fairly check --fairness strong mutex.fair       what if every action were strongly fair?
  fairly check models/                            every .fair file in a folder
  fairly check --list mutex.fair                  its properties, without checking them
  fairly check --watch mutex.fair                 again whenever it is saved
  fairly check --format json *.fair               for scripts; docs/json.md describes the format
  fairly check loop.t2 --termination              an integer program; docs/t2.md describes the format
  fairly check driver.t2 --ctl '[AG](lock == 0 || [AF](lock == 0))' --fairness-pair '(try == 1, got == 1)'

Exit codes, the worst of what happened (4 before 2 before 1 before 3):
  0  everything is as expected; a property without an expectation should hold
  1  something is not as expected, a fault can be reached, or there is no property at all
  2  bad input or usage
  3  undecided: a limit, an interrupt, --approximate, or no engine that accepts the task
  4  certified answers disagree or evidence was refused, an error in Fairly")]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub(crate) struct CheckArguments {
    /// Models to check: files, folders (every .fair file in them), or `-` for standard input; an embedded example if there
    /// are none
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Check only this property, family of properties, or member of a family
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Use this engine; `auto` asks them in turn until one decides, `all` every one, and they must agree
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = Engines::named, help = engine_help())]
    pub(crate) engine: Engines,
    /// Tell an engine how to work
    #[arg(long, value_name = "NAME=VALUE", value_parser = EngineOption::parse, help = engine_option_help())]
    pub(crate) engine_option: Vec<EngineOption>,
    /// Assume this fairness of every action (or process) instead of what the model declares
    #[arg(long, value_name = "FAIRNESS", default_value = "declared", value_parser = fairness())]
    pub(crate) fairness: FairnessOption,
    /// Whether to check that a property holds: if it costs little, whatever it costs, or not at all. That one fails is
    /// always checked, except for some CTL formulas
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = certify())]
    pub(crate) certify: Certify,
    /// Run nothing; list the properties, each with its kind, what it assumes, and its expectation
    #[arg(long, conflicts_with_all = ["strict", "explain", "html", "junit", "itf", "smt"])]
    pub(crate) list: bool,
    /// Check again whenever a file changes, until Ctrl-C; the exit code is that of the last check
    #[arg(long, conflicts_with_all = ["list", "smt"])]
    pub(crate) watch: bool,
    /// Check the model as it is written: keep the values of variables that nothing reads again, which are set back otherwise
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Leave out notes that nobody asked for: on vacuity, deadlocks, fairness that is not needed
    #[arg(long)]
    pub(crate) no_notes: bool,
    /// Accept no property that holds because its trigger never occurs or that needs none of its fairness, and no action
    /// that is never enabled: exit with 1
    #[arg(long, conflicts_with = "no_notes")]
    pub(crate) strict: bool,
    /// Also show which engines gave up before another answered, and what was counted: states, queries to solvers and their
    /// time
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Show runs in full: every step, whole states, and long values to their end
    #[arg(long)]
    pub(crate) full: bool,
    /// Say why a property holds, if there is a proof that can be told: invariants of processes; over integers, invariants
    /// and ranking functions
    #[arg(long)]
    pub(crate) explain: bool,
    /// Say in which states each part of a property is true, over unbounded integers
    #[arg(long, conflicts_with = "list")]
    pub(crate) labels: bool,
    /// How to show the results: for people or for scripts
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Also write a report with pictures, one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[arg(
        long,
        value_name = "FILE",
        help = "Also write the results as JUnit XML, for continuous integration"
    )]
    pub(crate) junit: Option<PathBuf>,
    /// Also write every counterexample as a trace in the ITF format of Apalache, into this folder (or a .json file)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) itf: Option<PathBuf>,
    /// Also write everything that solvers are asked, as .smt2 files, into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) smt: Option<PathBuf>,
    /// Give no property more time than this many seconds; decimals are allowed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) property_time_limit: Option<Duration>,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
    /// Look for violations among states that are known by hashes alone, many more than fit otherwise; never says that a
    /// property holds. Uses the engine `explicit`
    #[arg(long, conflicts_with_all = ["disk", "workers", "cluster", "plan"])]
    pub(crate) approximate: bool,
    /// Keep the states of large invariants in files in this folder and not in memory; uses the engine `explicit`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) disk: Option<PathBuf>,
    /// Go on from what an earlier check left in the folder of --disk; leave it there if this one is stopped
    #[arg(long, requires = "disk")]
    pub(crate) resume: bool,
    /// Decide large tasks with so many processes on this machine; uses the engine `explicit`
    #[arg(long, value_name = "K", conflicts_with_all = ["disk", "cluster"])]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Decide large tasks with a process on each host of this file, one on a line, started by ssh; docs/scale.md says more
    #[arg(long, value_name = "FILE", conflicts_with = "disk", requires = "listen")]
    pub(crate) cluster: Option<PathBuf>,
    /// The address of this machine where workers reach it. With --workers, wait for workers that somebody else starts
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "disk")]
    pub(crate) listen: Option<String>,
    /// Decide nothing: search for a minute, and say what the whole would take with the workers of --workers
    #[arg(long, conflicts_with_all = ["list", "watch", "disk", "cluster", "html", "junit", "itf", "smt"])]
    pub(crate) plan: bool,
    /// Use this many threads; by default one per processor
    #[arg(long, value_name = "K")]
    pub(crate) threads: Option<NonZeroUsize>,
    // Last, because its heading is that of everything after it.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
}

/// The limits of a command.
#[derive(Args)]
pub(crate) struct Bounds {
    /// Stop after this many seconds, for the whole command; decimals are allowed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<Duration>,
    /// Use no more memory than this: 500M, 4GiB; by default four fifths of what the machine has
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory_limit: Option<u64>,
}

/// Work for `fairly check --workers` or `--cluster` on another machine.
#[derive(Args)]
#[command(after_help = "\
Examples:
  FAIRLY_SECRET=… fairly check --workers 8 --listen 10.0.0.1:7000 big.fair   on one machine, and
  FAIRLY_SECRET=… fairly worker 10.0.0.1:7000                                eight times on others

Both need the same secret and the same version. Nothing is encrypted, so the network must be
private. docs/scale.md says how to do this on plain hosts, with Slurm and on Kubernetes.

Exit codes: 0 when the supervisor has ended, 2 on bad usage, 3 if it cannot be reached or does not
want the worker.")]
pub(crate) struct WorkerArguments {
    /// Where the supervisor is reached
    #[arg(value_name = "HOST:PORT")]
    pub(crate) supervisor: String,
    /// Read the secret from the first line of this file, `-` for standard input; by default from `FAIRLY_SECRET`
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_from: Option<String>,
    /// Use no more memory than this, unless the supervisor says so: 500M, 4GiB; by default four fifths of what there is
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory_limit: Option<u64>,
}

/// Serve an editor: diagnostics, verdicts, names and fairness, over standard input and output.
#[derive(Args)]
#[command(after_help = "\
Your editor starts it; docs/editors.md says how, for VS Code, Neovim, Helix, Zed and Emacs. It
speaks the Language Server Protocol, version 3.17. --time-limit is that of one check (10 seconds
if it is not given); a check that is asked for may take six times as long.")]
pub(crate) struct LspArguments {
    /// Check a document when it is opened and saved, and not after every edit
    #[arg(long)]
    pub(crate) check_on_save: bool,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

/// Serve a coding agent: check, advise, explain, simulate and replay, over standard input and output.
#[derive(Args)]
#[command(after_help = "\
Your agent starts it; docs/mcp.md says how, and describes the tools. It speaks the Model Context
Protocol, revisions 2024-11-05 to 2026-07-28. --time-limit is the most that one call may take (60
seconds if it is not given). Files are read from the folder it is started in and nowhere else.")]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

/// Say which fairness the properties of a model need, and what of the declared fairness they do not.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly advise                                   an embedded example, MUX-SEM
  fairly advise --property 'access[1]' lock.fair  one property
  fairly advise --all lock.fair                   all minimal assumptions, not only the cheapest
  fairly advise --format json lock.fair           for scripts; docs/json.md describes the format

docs/advisor.md walks through an example and says how the answers are found.

Exit codes: 0, or 2 on bad input or usage, or 3 if something is undecided, or 4 if evidence was
refused, an error in Fairly.")]
pub(crate) struct AdviseArguments {
    /// The model; an embedded example if there is none
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Advise only on this property, family of properties, or member of a family
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Show all minimal assumptions, not only the cheapest five
    #[arg(long)]
    pub(crate) all: bool,
    /// Propose no fairness to this process, `P`, or action, `P.crash`. May be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) not_fair_to: Vec<String>,
    /// Also propose fairness that singles out one partner of a rendezvous
    #[arg(long)]
    pub(crate) fine: bool,
    /// How to show the advice: for people or for scripts
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
    /// Use this many threads; by default one per processor
    #[arg(long, value_name = "K")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The question about a program in the format of T2, which does not state it itself.
#[derive(Args)]
#[command(next_help_heading = "Programs (.t2)")]
pub(crate) struct ProgramArguments {
    /// Does every run come to an end?
    #[arg(long, group = "claim")]
    pub(crate) termination: bool,
    /// Is this location never reached? By default the one that the program calls CUTPOINT
    #[arg(long, group = "claim", value_name = "LOC", num_args = 0..=1, require_equals = true,
          default_missing_value = "")]
    pub(crate) safety: Option<String>,
    /// Is this formula true? As in T2: '[AG](x <= 0 || [AF](y > 0))'
    #[arg(long, group = "claim", value_name = "FORMULA")]
    pub(crate) ctl: Option<String>,
    /// Is this LTL formula true? As in T2: 'G(F(x == 1))', or with quantifiers 'A G(F(x == 1))'
    #[arg(long, group = "claim", value_name = "FORMULA")]
    pub(crate) ltl: Option<String>,
    /// Of fair runs only: if p is true infinitely often, so is q. May be given several times
    #[arg(long, value_name = "(P, Q)", requires = "claim")]
    pub(crate) fairness_pair: Vec<String>,
    /// If no block can be executed: such runs do not count, except at the end of the program; or the system idles; or the
    /// run ends, so that AX is true and EX false there
    #[arg(long, value_name = "HOW", requires = "claim")]
    pub(crate) stuck: Option<Stuck>,
}

impl ProgramArguments {
    /// The question, if one is asked.
    pub(crate) fn question(&self) -> Option<Question> {
        let claim = match (&self.safety, &self.ctl, &self.ltl) {
            (Some(location), ..) => Claim::Safety(Some(location.clone()).filter(|name| !name.is_empty())),
            (_, Some(formula), _) => Claim::Ctl(formula.clone()),
            (.., Some(formula)) => Claim::Ltl(formula.clone()),
            _ if self.termination => Claim::Termination,
            _ => return None,
        };
        let stuck = match self.stuck {
            None | Some(Stuck::Drop) => t2::Stuck::Drop,
            Some(Stuck::Stutter) => t2::Stuck::Stutter,
            Some(Stuck::End) => t2::Stuck::End,
        };
        Some(Question { claim, pairs: self.fairness_pair.clone(), stuck })
    }
}

/// What happens where a program cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stuck {
    Drop,
    Stutter,
    End,
}

/// How to show results.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// Say why a property fails, or what it rests on if it holds.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly explain mutex.fair --property 'access[1]'   the run step by step, who waits, what would rule it out
  fairly explain mutex.fair --fairness strong        what every property says if every action is strongly fair
  fairly explain loop.c                              why a program ends, or how it does not

Exit codes: 0, or 2 on bad input or usage, or 3 if a property is undecided.")]
pub(crate) struct ExplainArguments {
    /// The model; an embedded example if there is none
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Explain only this property, family of properties, or member of a family
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Use this engine
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = Engines::named, help = engine_help())]
    pub(crate) engine: Engines,
    /// Assume this fairness of every action (or process) instead of what the model declares
    #[arg(long, value_name = "FAIRNESS", default_value = "declared", value_parser = fairness())]
    pub(crate) fairness: FairnessOption,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
    /// Use this many threads; by default one per processor
    #[arg(long, value_name = "K")]
    pub(crate) threads: Option<NonZeroUsize>,
    // Last, because its heading is that of everything after it.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
}

/// Write down why a property holds, as a proof that anyone can check.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly prove mutex.fair --property mutex -o mutex.proof       prove it, and write the proof
  fairly prove --set N=20 mutex.fair --property 'access[1]'     with more processes, to standard output
  fairly verify mutex.proof mutex.fair                          check the proof, without any engine

Proofs are those of the local engine (invariants of single processes, and ranks) and, if it has
none, of the explicit engine (all states, and a tree of reasons). docs/proofs.md describes the
formats and what is proved. The judge checks a proof before it is written.

Exit codes: 0 the proof is written, 1 the property fails, 2 bad input or usage, 3 there is no
proof: a limit, or no engine with proofs takes the task, 4 evidence was refused, an error in
Fairly.")]
pub(crate) struct ProveArguments {
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// Prove this property
    #[arg(long, value_name = "NAME")]
    pub(crate) property: String,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Assume this fairness of every action (or process) instead of what the model declares
    #[arg(long, value_name = "FAIRNESS", default_value = "declared", value_parser = fairness())]
    pub(crate) fairness: FairnessOption,
    /// Tell an engine how to work
    #[arg(long, value_name = "NAME=VALUE", value_parser = EngineOption::parse, help = engine_option_help())]
    pub(crate) engine_option: Vec<EngineOption>,
    /// Ask only this engine for a proof: `local` or `explicit`
    #[arg(long, value_name = "ENGINE", value_parser = Engines::named)]
    pub(crate) engine: Option<Engines>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

/// Check a proof that `fairly prove` has written.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly verify mutex.proof mutex.fair     with the values of constants that the proof names

The judge encodes the model itself and asks a SAT solver for a violation of each premise; no
engine takes part. docs/proofs.md says what the premises are.

Exit codes: 0 checked, 1 refused: a premise is false, or the proof is of another property or
another fairness, 2 bad input or usage, 3 not finished: a limit.")]
pub(crate) struct VerifyArguments {
    /// The proof
    #[arg(value_name = "PROOF")]
    pub(crate) proof: PathBuf,
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

/// Draw the state graph of a small model, or of a part of its state.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly graph lock.fair -o lock.svg                     a picture
  fairly graph lock.fair --property enters -o lock.svg   with fair components and the run that violates it
  fairly graph lock.fair | dot -Tpdf > lock.pdf          with Graphviz
  fairly graph large.fair --on x,P@ -o large.svg         states that agree on x and all locations of P as one
  fairly graph any_n.fair --property enters              what stands for every N: processes counted by local state

Exit codes: 0, or 2 on bad input or usage, or 3 if there are too many states.")]
pub(crate) struct GraphArguments {
    /// The model; an embedded example if there is none
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Mark what is fair as this property assumes, and the run that violates it
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    /// Draw states that agree on these variables and locations as one node: x,f[2],P[1].y,P[1]@; without indices, all
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) on: Vec<String>,
    /// Write to this file, which ends in .svg or .dot; DOT to standard output by default
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// Walk through a model, at random or step by step.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly simulate mutex.fair                        a random walk, with its seed
  fairly simulate --seed 7 --steps 100 mutex.fair   the walk of this seed, longer
  fairly simulate --interactive mutex.fair          choose every step yourself
  fairly simulate --initial x=1 mutex.fair          from an initial state with this value
  fairly simulate --from run.itf.json mutex.fair    from the end of a saved counterexample

Exit codes: 0, or 1 if the walk met a fault, or 2 on bad input or usage.")]
pub(crate) struct SimulateArguments {
    /// The model; an embedded example if there is none
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Repeat the walk with this seed
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// The number of steps of a random walk
    #[arg(long, value_name = "K", default_value_t = 20)]
    pub(crate) steps: u64,
    /// Ask which step to take
    #[arg(long, short)]
    pub(crate) interactive: bool,
    /// Begin in the initial state of this number, or with this value: 3, x=1, P[1]@try; values may be several
    #[arg(long, value_name = "STATE", value_parser = initial_state)]
    pub(crate) initial: Vec<InitialState>,
    /// Begin at the end of this trace, as `fairly check --itf` or --format json has written it
    #[arg(long, value_name = "TRACE", conflicts_with = "initial")]
    pub(crate) from: Option<PathBuf>,
    /// Of several traces in that file, the one against this property
    #[arg(long, value_name = "NAME", requires = "from")]
    pub(crate) property: Option<String>,
}

/// Work on models in the browser: answers, runs and advice beside the text, live.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly explore                     the models of this folder
  fairly explore mutex.fair          one model, and those beside it
  fairly explore --no-open models/   only show the address

The page is served to this machine only, at an address with a random token. Nothing outside the
folder is read or written, and nothing leaves the machine. docs/explore.md shows what can be done
there.")]
pub(crate) struct ExploreArguments {
    /// A folder with models, or a model; this folder if there is none
    #[arg(value_name = "FILE|FOLDER")]
    pub(crate) place: Option<PathBuf>,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Show the address, and do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Use this port; by default one that is free
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Use no more memory than this: 500M, 4GiB; by default four fifths of what the machine has
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory_limit: Option<u64>,
    /// Use this many threads; by default one per processor
    #[arg(long, value_name = "THREADS")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Judge a saved counterexample against a model, and show it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly check --itf runs mutex.fair                        save every counterexample
  fairly replay mutex.fair runs/mutex.access.1.itf.json     is it still one?
  fairly replay --go-on 10 mutex.fair run.itf.json          and ten random steps from its end

The judge replays every step, evaluates every requirement of the fairness, and decides whether the
property is false. If the counterexample is of one number of processes, give it with --set.

Exit codes: 0 it is a counterexample, 1 it is not, or going on from its end met a fault, 2 bad
input or usage, 3 undecided: a limit, or a trace alone cannot show it.")]
pub(crate) struct ReplayArguments {
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The trace, as `fairly check --itf` or --format json has written it
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,
    /// The property that it violates; by default the one that the trace names
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Assume this fairness of every action (or process) instead of what the model declares
    #[arg(long, value_name = "FAIRNESS", default_value = "declared", value_parser = fairness())]
    pub(crate) fairness: FairnessOption,
    /// Then take this many random steps from its end
    #[arg(long, value_name = "K")]
    pub(crate) go_on: Option<u64>,
    /// The seed of these steps
    #[arg(long, value_name = "S", requires = "go_on")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
}

/// Write a model formatted to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly print mutex.fair                             the model, formatted
  fairly print --check mutex.fair && echo formatted   whether it is formatted already

Exit codes: 0, or 1 if --check finds the file not formatted, or 2 on bad input or usage.")]
pub(crate) struct PrintArguments {
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// Write nothing; exit with 1 if the file is not formatted
    #[arg(long)]
    pub(crate) check: bool,
}

/// Write a model in the language of another checker.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly export mutex.fair --to promela                        the model and its properties, for SPIN
  fairly export mutex.fair --to smv --property access          with one of its properties, for NuSMV
  fairly export mutex.fair --to tla -o mutex.tla               into mutex.tla and mutex.cfg, for TLC
  fairly export sem.fair --to fair -o abstract.fair            what is searched for every N, as a model

The text begins with how to run it; docs/export.md says what it means and what cannot be said in it.

Exit codes: 0, or 2 on bad input or usage, or 3 if a property cannot be expressed; it is named,
and the others are written.")]
pub(crate) struct ExportArguments {
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) foreign: Foreign,
    /// The language
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) to: Language,
    /// Give a constant or a parameter a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Write only this property, family of properties, or member of a family
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Assume this fairness of every action (or process) instead of what the model declares
    #[arg(long, value_name = "FAIRNESS", default_value = "declared", value_parser = fairness())]
    pub(crate) fairness: FairnessOption,
    /// Write to this file instead of standard output; for TLA+ also to the .cfg beside it
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// A language to export to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// The language of SPIN
    Promela,
    #[value(help = "The language of NuSMV")]
    Smv,
    /// TLA+, with a configuration for TLC
    Tla,
    /// Our own: the abstract system in which a property is decided for every number of processes
    Fair,
}

/// Write the automaton of an LTL formula.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly automaton 'G (p -> F q)'                 its states and edges
  fairly automaton --negate 'G (p -> F q)'        the automaton of what violates it
  fairly automaton --format dot 'p U q' | dot -Tsvg > until.svg
  fairly automaton --format hoa 'GF p -> GF q'    for other tools

What is no connective and no temporal operator is an atom, known by its text: p, x == 1,
P[1]@crit, taken(P.try). A run of the automaton is accepting if it meets every mark, written {0},
{1}, …, infinitely often.

Exit codes: 0, or 2 on bad input or usage.")]
pub(crate) struct AutomatonArguments {
    /// The formula, as in a property
    #[arg(value_name = "FORMULA")]
    pub(crate) formula: String,
    /// The automaton of the negation
    #[arg(long)]
    pub(crate) negate: bool,
    /// How to write it: for people, in the Hanoi format, for Graphviz
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Drawing,
}

/// How to write an automaton.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Drawing {
    Text,
    Hoa,
    Dot,
}

/// Write completions for a shell to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly completions bash > ~/.local/share/bash-completion/completions/fairly
  fairly completions zsh > ~/.zfunc/_fairly       with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  fairly completions fish > ~/.config/fish/completions/fairly.fish

Exit codes: 0, or 2 on bad usage.")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Write the manual as man pages.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fairly man | man -l -                          read the page of `fairly`
  fairly man ~/.local/share/man/man1             install it, and a page for each command: man fairly-check

Exit codes: 0, or 2 if a page cannot be written.")]
pub(crate) struct ManArguments {
    /// Write a page for each command into this folder; by default, the page of `fairly` to standard output
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}

/// The arguments of the former command `bench`; the answer names the program that replaces it.
#[derive(Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct BenchArguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
