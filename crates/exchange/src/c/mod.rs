//! C programs over integers.
//!
//! A program is parsed ([`parser`]), its functions are inlined, and it becomes blocks of commands between locations
//! ([`lower`]), the same that programs in the format of T2 are made of. `int` means all integers: signed overflow has no
//! meaning in C, and this is the usual reading of programs whose termination is asked for. What is not in the subset is
//! refused with its line: memory that is not known by a name, floating point, recursion.
//!
//! The initial states are those at the beginning of `main`, after the first values of global variables. A program that
//! has ended stays where it is. Runs that fail an assumption do not count. What is asked stands on the command line or
//! in comments ([`claims`]); otherwise it is whether the program ends, and whether its assertions hold.
//!
//! There is a parser of C in the registry, but it runs an external preprocessor, drops comments, and accepts what would
//! then be refused without a good message; the subset is small (decision 0048).

mod calls;
mod claims;
mod declarations;
mod effects;
mod lexer;
mod lower;
mod operands;
mod parser;
mod storage;
mod syntax;
mod values;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use self::claims::Logic;
use crate::program::syntax::{Command, Node, Tree};
use crate::program::{self, Asked, Blocks, Claim, Claimed, Imported, Origin, Question, Reading, Stuck};

/// Reads a program and what is asked of it. Without a question, the program itself may say it.
pub fn load(name: &str, text: &str, question: Option<&Question>, blocks: Blocks) -> Imported {
    match read(name, text, question, blocks) {
        Ok(imported) => imported,
        Err((origin, fault)) => Imported { model: None, diagnostics: vec![(origin, *fault)] },
    }
}

type Fault = (Origin, Box<Diagnostic>);

fn read(name: &str, text: &str, question: Option<&Question>, blocks: Blocks) -> Result<Imported, Fault> {
    let in_program = |fault: Box<Diagnostic>| (Origin::Program, fault);
    let lexed = lexer::lex(text).map_err(in_program)?;
    let unit = parser::unit(&lexed).map_err(in_program)?;
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |byte: usize| starts.partition_point(|start| *start <= byte);
    let mut flow = lower::flow(&unit, &line).map_err(in_program)?;
    let formula = |text: &str, flow: &lower::Flow| claims::formula(text, flow, &unit.constants);
    let mut asked: Vec<(Origin, Asked)> = Vec::new();
    let mut preconditions = Vec::new();
    for written in claims::written(text, &lexed.comments) {
        // A formula in a comment is only read if it is asked for.
        if question.is_some() && written.kind != Logic::Precondition {
            continue;
        }
        let tree = formula(&written.formula, &flow)
            .map_err(|fault| (Origin::Program, moved(*fault, written.start)))?;
        let claim = match written.kind {
            Logic::Precondition => {
                preconditions.push(tree);
                continue;
            }
            Logic::Linear => Claimed::Ltl(tree),
            Logic::Branching => Claimed::Ctl(tree),
        };
        let same = asked.iter().filter(|(_, other)| other.name.starts_with(&written.name)).count();
        let name = if same == 0 { written.name } else { format!("{}_{}", written.name, same + 1) };
        asked.push((Origin::Program, Asked { name, claim }));
    }
    let in_claim = |fault: Box<Diagnostic>| (Origin::Claim, fault);
    match question.map(|question| &question.claim) {
        Some(Claim::Termination) => asked.push(termination()),
        Some(Claim::Safety(condition)) => {
            let claim = match condition {
                None if flow.asserts => error(&flow),
                None => {
                    let fault = Diagnostic::outside("the program has no assertions");
                    return Err(in_claim(
                        fault.help("name what must never be true: --safety='x < 0'").into(),
                    ));
                }
                Some(text) => {
                    let never = formula(text, &flow).map_err(in_claim)?;
                    Claimed::Never(never)
                }
            };
            asked.push((Origin::Claim, Asked { name: "safety".to_owned(), claim }));
        }
        Some(Claim::Ctl(text)) => {
            let claim = Claimed::Ctl(formula(text, &flow).map_err(in_claim)?);
            asked.push((Origin::Claim, Asked { name: "ctl".to_owned(), claim }));
        }
        Some(Claim::Ltl(text)) => {
            let claim = Claimed::Ltl(formula(text, &flow).map_err(in_claim)?);
            asked.push((Origin::Claim, Asked { name: "ltl".to_owned(), claim }));
        }
        None => {
            if asked.is_empty() {
                asked.push(termination());
            }
            if flow.asserts {
                let claim = error(&flow);
                asked.push((Origin::Program, Asked { name: "assertions".to_owned(), claim }));
            }
        }
    }
    let mut pairs = Vec::new();
    for (position, pair) in question.iter().flat_map(|question| question.pairs.iter().enumerate()) {
        let at = |fault| (Origin::Pair(position), fault);
        let inner = pair.trim().strip_prefix('(').and_then(|pair| pair.strip_suffix(')'));
        let Some((p, q)) = inner.and_then(|inner| inner.split_once(',')) else {
            return Err(at(Diagnostic::outside("a pair of conditions is expected: (p, q)").into()));
        };
        pairs.push((formula(p, &flow).map_err(at)?, formula(q, &flow).map_err(at)?));
    }
    if let Some(first) = flow.program.blocks.iter_mut().find(|block| block.from.value == "start") {
        first.commands.extend(preconditions.into_iter().map(Command::Assume));
    }
    let stuck = question.map_or(Stuck::Drop, |question| question.stuck);
    let reading = Reading { stuck, loops_end: false, blocks };
    let mut imported = program::model(name, text, flow.program, asked, &pairs, reading);
    let warnings = flow.warnings.into_iter().map(|warning| (Origin::Program, warning));
    imported.diagnostics.extend(warnings);
    Ok(imported)
}

/// That no assertion fails.
fn error(flow: &lower::Flow) -> Claimed {
    let span = Span::default();
    let at = |location: &String| Tree { node: Node::At(location.clone()), span };
    Claimed::Never(Tree { node: Node::Or(flow.errors.iter().map(at).collect()), span })
}

fn termination() -> (Origin, Asked) {
    (Origin::Claim, Asked { name: "termination".to_owned(), claim: Claimed::Termination })
}

/// A diagnostic about a part of the text that begins at this byte.
fn moved(mut fault: Diagnostic, by: usize) -> Box<Diagnostic> {
    fault.span = fault.span.map(|span| Span { start: span.start + by, end: span.end + by });
    fault.into()
}
