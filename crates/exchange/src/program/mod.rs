//! Integer programs, whatever the format they come in: blocks of commands between locations, over unbounded integers.
//!
//! A program becomes a system with one process, `program`, and one action per block: the commands of the block combined
//! into one guarded, simultaneous update ([`block`]), with a choice among all integers for every `nondet()`. The start
//! location is not itself a state: the initial states are those after one block from it. Blocks may be joined before
//! ([`large`]), where that changes nothing that is asked for.
//!
//! The reader of a format chooses what happens where no block can be done. With [`Stuck::Stutter`] the system idles, as
//! all models do. With [`Stuck::End`] such a state is the last one of its run [CKP15]: it idles too, which is the same for
//! all operators but `X`, and there is no next state, so `AX` is true there and `EX` false. With [`Stuck::Drop`] the program
//! has ended properly at a location that no block leaves, in T2 also at the head of a loop that no block leaves, and takes
//! the step `terminated` for ever. Any other stuck run does not count as a run. This is the fairness requirement
//! `unconditional any`: a run that idles for ever is not fair. A run that has ended meets every pair `(p, q)`, as in T2: the
//! pair only requires `q` if `p` is true infinitely often before the end.

pub(crate) mod block;
pub(crate) mod claim;
mod division;
mod exact;
mod flags;
mod flow;
mod inputs;
mod join;
mod large;
mod products;
pub(crate) mod syntax;
mod system;
mod unused;

use std::sync::Arc;

use model::expr::Party;
use model::property::{Kind, Paths, Property};
use model::{Ctl, Expr, Fairness, FamilyId, Pattern, Requirement, Task};

use self::syntax::{Program, Tree};
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
    /// This location is never reached; by default the one called `CUTPOINT`. Of a C program: this condition is never
    /// true; by default, that an assertion fails.
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
    /// The run ends: there is no next state.
    End,
}

/// How much one step of the system does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocks {
    /// One block of the program.
    #[default]
    Small,
    /// As many blocks as can be joined without changing the answer.
    Large,
    /// Several rounds of a loop too. There is no such model if it has no loop of one block, or if rounds are visible.
    Unrolled,
    /// As [`Large`](Blocks::Large), but with no run that the program does not have: a step is left out where a product of
    /// variables is not known well enough. There is no such model if the program has none.
    Sure,
    /// As [`Large`](Blocks::Large), and variables that only ever hold a few known numbers have ranges. There is no such
    /// model if there are none, or no others.
    Flags,
    /// For a search state by state: one initial state, few values for each choice, and products and quotients as they are.
    /// There is no such model if choices are used for more than comparisons, or if another form is as good.
    Listed,
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
    /// The model, if there are no errors.
    pub model: Option<Model>,
    /// Errors and warnings, each with the text it is about.
    pub diagnostics: Vec<(Origin, Diagnostic)>,
}

/// A claim with its name.
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) claim: Claimed,
}

/// A claim whose formula has been read.
pub(crate) enum Claimed {
    /// Every run comes to an end.
    Termination,
    /// This location is never reached.
    Avoid(String),
    /// This is never true.
    Never(Tree),
    /// A formula of CTL.
    Ctl(Tree),
    /// A formula of LTL or CTL\*.
    Ltl(Tree),
}

/// How a program is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) stuck: Stuck,
    /// Whether a program has ended properly at the head of a loop that no block leaves.
    pub(crate) loops_end: bool,
    pub(crate) blocks: Blocks,
}

/// The model of a program and of what is asked of it.
pub(crate) fn model(
    name: &str,
    text: &str,
    mut program: Program,
    asked: Vec<(Origin, Asked)>,
    pairs: &[(Tree, Tree)],
    reading: Reading,
) -> Imported {
    let mut diagnostics = Vec::new();
    // Termination and safety are about the blocks themselves, so the treatment of stuck runs does not matter.
    let temporal = asked.iter().any(|(_, asked)| matches!(asked.claim, Claimed::Ctl(_) | Claimed::Ltl(_)));
    let stuck = temporal.then_some(reading.stuck);
    let claims: Vec<&Claimed> = asked.iter().map(|(_, asked)| &asked.claim).collect();
    let visible = large::Visible::of(&claims, pairs);
    // The search state by state has no evidence for every formula about some runs.
    let one = !visible.is_branching();
    if reading.blocks == Blocks::Listed {
        let usual = one && !(temporal && reading.loops_end);
        let joined = usual.then(|| large::joined(program, &visible, reading));
        let Some(listed) = joined.and_then(|joined| listed(joined, &asked, pairs, &visible)) else {
            return Imported { model: None, diagnostics };
        };
        program = listed;
    } else if one {
        program = unused::begun(program, &visible, false);
    }
    let program = match reading.blocks {
        Blocks::Small | Blocks::Listed => program,
        Blocks::Large | Blocks::Unrolled | Blocks::Sure | Blocks::Flags => {
            let changed = match reading.blocks {
                Blocks::Unrolled => large::unrolled(program, &visible, reading),
                // A step that is left out must not look like the end of the program.
                Blocks::Sure if temporal && (reading.loops_end || reading.stuck != Stuck::Drop) => None,
                Blocks::Sure => Some(unused::forgotten(large::joined(program, &visible, reading), &visible)),
                Blocks::Flags => Some(unused::settled(large::joined(program, &visible, reading), &visible)),
                _ => Some(large::joined(program, &visible, reading)),
            };
            let Some(program) = changed else { return Imported { model: None, diagnostics } };
            program
        }
    };
    let sure = reading.blocks == Blocks::Sure;
    let built = match system::build(name, text, &program, stuck, reading, one) {
        Ok(built) if sure && built.system.underapproximates.is_empty() => {
            return Imported { model: None, diagnostics };
        }
        Ok(built) if reading.blocks == Blocks::Flags && !built.flags => {
            return Imported { model: None, diagnostics };
        }
        Ok(built) => built,
        Err(_) if reading.blocks == Blocks::Listed => return Imported { model: None, diagnostics },
        Err(fault) => {
            diagnostics.push((Origin::Program, *fault));
            return Imported { model: None, diagnostics };
        }
    };
    let variables = claim::Variables {
        at: &|name| built.location(name).map(|number| built.at(number)),
        number: &|name| built.number(name),
        names: &built.variables,
        ended: (stuck == Some(Stuck::End)).then(|| Expr::negated(Expr::Enabled(Pattern::default()))),
    };
    let mut properties = Vec::new();
    for (origin, Asked { name, claim }) in asked {
        match property(&claim, &built, &variables, stuck) {
            Ok(kind) => properties.push(Property { name: name.as_str().into(), binders: Vec::new(), kind }),
            Err(fault) => diagnostics.push((origin, *fault)),
        }
    }
    let mut requirements = Vec::new();
    if stuck == Some(Stuck::Drop) && built.may_be_stuck {
        requirements.push(Requirement::justice(Expr::Taken(Pattern::default()), Vec::new()));
    }
    for (position, pair) in pairs.iter().enumerate() {
        match requirement(pair, &built, &variables, stuck) {
            Ok(requirement) => requirements.push(requirement),
            Err(fault) => diagnostics.push((Origin::Pair(position), *fault)),
        }
    }
    if diagnostics.iter().any(|(_, fault)| fault.severity == Severity::Error) {
        return Imported { model: None, diagnostics };
    }
    let system = Arc::new(built.system);
    let mut model: Option<Model> = None;
    for property in properties {
        let fairness = Fairness::all_of(requirements.clone());
        let task = match &model {
            None => Task::new(Arc::clone(&system), fairness, property),
            Some(model) => Ok(Task { subject: model.subject.clone(), fairness, property }),
        };
        match task {
            Ok(task) => {
                let subject = task.subject.clone();
                let known = model.get_or_insert_with(|| Model {
                    subject,
                    checks: Vec::new(),
                    integers: Vec::new(),
                    lines: Lines::default(),
                    kept: Vec::new(),
                    written: None,
                });
                known.checks.push(Check {
                    task,
                    replaced: None,
                    expected: None,
                    written: None,
                    implied: false,
                });
            }
            Err(obstacle) => {
                diagnostics.push((Origin::Program, Diagnostic::outside(obstacle.to_string())));
                return Imported { model: None, diagnostics };
            }
        }
    }
    Imported { model, diagnostics }
}

/// The program for a search state by state, if that is worth a form of its own.
fn listed(
    program: Program,
    asked: &[(Origin, Asked)],
    pairs: &[(Tree, Tree)],
    visible: &large::Visible,
) -> Option<Program> {
    let formula = |(_, asked): &'_ (Origin, Asked)| match &asked.claim {
        Claimed::Termination | Claimed::Avoid(_) => None,
        Claimed::Never(tree) | Claimed::Ctl(tree) | Claimed::Ltl(tree) => Some(tree.clone()),
    };
    let formulas: Vec<Tree> = asked
        .iter()
        .filter_map(formula)
        .chain(pairs.iter().flat_map(|(p, q)| [p.clone(), q.clone()]))
        .collect();
    let chooses = inputs::chooses(&program);
    let listed = inputs::listed(program, &formulas.iter().collect::<Vec<_>>())?;
    let (finite, divides) = (inputs::is_finite(&listed), inputs::divides(&listed));
    // Without choices and divisions, every other form has one initial state.
    (divides || chooses && finite).then(|| unused::begun(listed, visible, true))
}

fn property(
    claim: &Claimed,
    built: &system::Built,
    variables: &claim::Variables<'_>,
    stuck: Option<Stuck>,
) -> Result<Kind, Box<Diagnostic>> {
    match claim {
        Claimed::Termination => {
            let ended = match stuck {
                Some(Stuck::Drop) if built.terminates => Expr::Enabled(terminated()),
                Some(Stuck::Drop) => Expr::Bool(false),
                _ => Expr::negated(Expr::Enabled(Pattern::default())),
            };
            Ok(Kind::Ctl(Ctl::Finally(Paths::All, Box::new(Ctl::Atom(ended)))))
        }
        Claimed::Avoid(name) => {
            let Some(number) = built.location(name).or_else(|| built.location(&format!("loc_{name}"))) else {
                let fault = Diagnostic::outside(format!("the program has no location `{name}`"));
                return Err(Box::new(match nearest(name, built.locations.iter().map(String::as_str)) {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault,
                }));
            };
            Ok(Kind::Invariant(Expr::negated(built.at(number))))
        }
        Claimed::Never(tree) => Ok(Kind::Invariant(Expr::negated(variables.predicate(tree)?))),
        Claimed::Ctl(tree) => variables.ctl(tree),
        Claimed::Ltl(tree) => variables.ltl(tree),
    }
}

/// The requirement of a pair `(p, q)`.
fn requirement(
    (p, q): &(Tree, Tree),
    built: &system::Built,
    variables: &claim::Variables<'_>,
    stuck: Option<Stuck>,
) -> Result<Requirement, Box<Diagnostic>> {
    let (p, q) = (variables.predicate(p)?, variables.predicate(q)?);
    let goes_on = match stuck {
        None | Some(Stuck::Stutter | Stuck::End) => Some(Expr::Enabled(Pattern::default())),
        Some(Stuck::Drop) if built.terminates => Some(Expr::negated(Expr::Enabled(terminated()))),
        Some(Stuck::Drop) => None,
    };
    Ok(Requirement::compassion(Expr::and(std::iter::once(p).chain(goes_on)), q, Vec::new()))
}

/// The step of a program that has ended.
fn terminated() -> Pattern {
    let party = Party { family: FamilyId(0), process: None, label: Some(system::TERMINATED.to_owned()) };
    Pattern { participants: vec![party], arguments: None }
}
