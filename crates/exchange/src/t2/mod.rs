//! Programs in the format of T2: blocks of assignments and assumptions between locations, over unbounded integers.
//!
//! The format is that of [BCIKP16]. A program becomes a system with one process, `program`, and one action per block:
//! the commands of the block combined into one guarded, simultaneous update, with `nondet()` as a choice among all
//! integers. Variables have any value at first. The start location is not itself a state: the initial states are those
//! after one block from it. `docs/t2.md` explains this for users and gives the syntax.
//!
//! The caller chooses what happens where no block can be done. With [`Stuck::Stutter`] the system idles, as all models
//! do. [`Stuck::Drop`] is T2's convention: at a location that no block leaves, and at the head of a loop that no block
//! leaves, the program has ended properly and takes the step `terminated` for ever. Any other stuck run does not count
//! as a run. This is the fairness requirement `unconditional any`: a run that idles for ever is not fair. A run that
//! has ended meets every pair `(p, q)`, as in T2: the pair only requires `q` if `p` is true infinitely often before the
//! end.

mod block;
mod claim;
mod flow;
mod lexer;
mod parser;
mod syntax;
mod system;

use std::sync::Arc;

use model::expr::Party;
use model::property::{Kind, Paths, Property};
use model::{Ctl, Expr, Fairness, FamilyId, Pattern, Requirement, Task};

use lang::diagnostic::{Diagnostic, Severity, nearest};
use lang::{Check, Lines, Model};

/// A question about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The claim.
    pub claim: Claim,
    /// Pairs `(p, q)`: a run is fair if for each, `q` is true infinitely often if `p` is.
    pub pairs: Vec<String>,
    /// What happens where no block can be done.
    pub stuck: Stuck,
}

/// A claim about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Every run gets to a state in which no block can be done.
    Termination,
    /// This location is never reached; by default the one called `CUTPOINT`.
    Safety(Option<String>),
    /// A formula of CTL.
    Ctl(String),
    /// A formula of LTL, or one of CTL\* that has a CTL or LTL form.
    Ltl(String),
}

/// What happens where no block can be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stuck {
    /// Where the program has ended properly it stays. Other runs that get stuck do not count.
    #[default]
    Drop,
    /// The system idles.
    Stutter,
}

/// The text that a diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program.
    Program,
    /// The formula or location of the claim.
    Claim,
    /// The pair with this position.
    Pair(usize),
}

/// The result of loading a program.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The model, with one check, if there are no errors.
    pub model: Option<Model>,
    /// Errors and warnings, each with the text it is about.
    pub diagnostics: Vec<(Origin, Diagnostic)>,
}

/// Reads a program and a question about it.
pub fn load(name: &str, text: &str, question: &Question) -> Imported {
    let (program, faults) = parser::program(text);
    let mut diagnostics: Vec<(Origin, Diagnostic)> =
        faults.into_iter().map(|fault| (Origin::Program, fault)).collect();
    if !diagnostics.is_empty() {
        return Imported { model: None, diagnostics };
    }
    // Termination and safety are about the blocks themselves, so the treatment of stuck runs does not matter.
    let stuck = match question.claim {
        Claim::Termination | Claim::Safety(_) => None,
        Claim::Ctl(_) | Claim::Ltl(_) => Some(question.stuck),
    };
    let built = match system::build(name, text, &program, stuck) {
        Ok(built) => built,
        Err(fault) => {
            diagnostics.push((Origin::Program, *fault));
            return Imported { model: None, diagnostics };
        }
    };
    let variables = claim::Variables { number: &|name| built.number(name), names: &built.variables };
    let kind = match property(&question.claim, &built, &variables) {
        Ok(kind) => Some(kind),
        Err(fault) => {
            diagnostics.push((Origin::Claim, *fault));
            None
        }
    };
    let mut requirements = Vec::new();
    if stuck == Some(Stuck::Drop) && built.may_be_stuck {
        requirements.push(Requirement::justice(Expr::Taken(Pattern::default()), Vec::new()));
    }
    for (position, pair) in question.pairs.iter().enumerate() {
        match requirement(pair, &built, &variables, stuck) {
            Ok(requirement) => requirements.push(requirement),
            Err(fault) => diagnostics.push((Origin::Pair(position), *fault)),
        }
    }
    let faulty = diagnostics.iter().any(|(_, fault)| fault.severity == Severity::Error);
    let model = kind.filter(|_| !faulty).and_then(|kind| {
        let name = match question.claim {
            Claim::Termination => "termination",
            Claim::Safety(_) => "safety",
            Claim::Ctl(_) => "ctl",
            Claim::Ltl(_) => "ltl",
        };
        let property = Property { name: name.into(), binders: Vec::new(), kind };
        match Task::new(Arc::new(built.system), Fairness::all_of(requirements), property) {
            Ok(task) => {
                let subject = task.subject.clone();
                let checks = vec![Check { task, expected: None, written: None }];
                Some(Model { subject, checks, lines: Lines::default(), written: None })
            }
            Err(obstacle) => {
                diagnostics.push((Origin::Program, Diagnostic::outside(obstacle.to_string())));
                None
            }
        }
    });
    Imported { model, diagnostics }
}

fn property(
    claim: &Claim,
    built: &system::Built,
    variables: &claim::Variables<'_>,
) -> Result<Kind, Box<Diagnostic>> {
    match claim {
        Claim::Termination => {
            let ended = Ctl::Atom(Expr::negated(Expr::Enabled(Pattern::default())));
            Ok(Kind::Ctl(Ctl::Finally(Paths::All, Box::new(ended))))
        }
        Claim::Safety(location) => {
            let name = location.as_ref().or(built.cutpoint.as_ref());
            let Some(name) = name else {
                return Err(Diagnostic::outside(
                    "the program has no CUTPOINT, so there is no location to avoid",
                )
                .help("name one: --safety=LOC")
                .into());
            };
            let number = built.location(name).or_else(|| built.location(&format!("loc_{name}")));
            let Some(number) = number else {
                let fault = Diagnostic::outside(format!("the program has no location `{name}`"));
                return Err(Box::new(match nearest(name, built.locations.iter().map(String::as_str)) {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault,
                }));
            };
            Ok(Kind::Invariant(Expr::negated(built.at(number))))
        }
        Claim::Ctl(text) => variables.ctl(&parser::formula(text)?),
        Claim::Ltl(text) => variables.ltl(&parser::formula(text)?),
    }
}

/// The requirement of a pair `(p, q)`.
fn requirement(
    pair: &str,
    built: &system::Built,
    variables: &claim::Variables<'_>,
    stuck: Option<Stuck>,
) -> Result<Requirement, Box<Diagnostic>> {
    let (p, q) = parser::pair(pair)?;
    let (p, q) = (variables.predicate(&p)?, variables.predicate(&q)?);
    let goes_on = match stuck {
        None | Some(Stuck::Stutter) => Some(Expr::Enabled(Pattern::default())),
        Some(Stuck::Drop) if built.terminates => {
            let party =
                Party { family: FamilyId(0), process: None, label: Some(system::TERMINATED.to_owned()) };
            let ended = Pattern { participants: vec![party], arguments: None };
            Some(Expr::negated(Expr::Enabled(ended)))
        }
        Some(Stuck::Drop) => None,
    };
    Ok(Requirement::compassion(Expr::and(std::iter::once(p).chain(goes_on)), q, Vec::new()))
}
