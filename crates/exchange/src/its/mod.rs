//! Integer transition systems in the format of the termination competition: relations between locations, as
//! definitions of SMT-LIB.
//!
//! `init_main` says where runs begin, and `next_main` is a disjunction of `cfg_trans2 pc SOURCE pc1 TARGET RELATION`. A
//! relation is a condition on the values before and after a step. It becomes a block: the values after are chosen, the
//! relation is assumed, and the variables get the chosen values. Where the relation says by an equation what a value
//! is, it is computed instead. A value that the relation does not mention is any integer. The only question is whether
//! every run ends.

mod relation;
mod sexpr;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use self::relation::Relation;
use self::sexpr::{Item, Sexpr};
use crate::program::syntax::{Block, Located, Program};
use crate::program::{self, Asked, Blocks, Claimed, Imported, Origin, Reading, Stuck};

/// The location before the first block.
const START: &str = "start";

/// Reads a transition system, to ask whether every run ends.
pub fn load(name: &str, text: &str, blocks: Blocks) -> Imported {
    match read(text) {
        Ok(program) => {
            let asked = Asked { name: "termination".to_owned(), claim: Claimed::Termination };
            let reading = Reading { stuck: Stuck::Drop, loops_end: false, blocks };
            program::model(name, text, program, vec![(Origin::Claim, asked)], &[], reading)
        }
        Err(fault) => Imported { model: None, diagnostics: vec![(Origin::Program, *fault)] },
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

fn read(text: &str) -> Read<Program> {
    let mut init = None;
    let mut next = None;
    for item in sexpr::read(text)? {
        if let Sexpr::List(parts) = &item.item
            && let [word, name, parameters, _, body] = &parts[..]
            && word.is("define-fun")
        {
            let parameters = names(parameters)?;
            match name.word() {
                Some("init_main") => init = Some((parameters, body.clone())),
                Some("next_main") => next = Some((parameters, body.clone())),
                _ => {}
            }
        }
    }
    let (Some((init_parameters, init)), Some((parameters, next))) = (init, next) else {
        let message = "this is no integer transition system: `init_main` and `next_main` are not defined";
        return Err(Diagnostic::outside(message).into());
    };
    if parameters.len() % 2 != 0 || init_parameters.len() * 2 != parameters.len() {
        return Err(fault(&next, "the parameters are not those before a step and those after it"));
    }
    let (before, after) = parameters.split_at(parameters.len() / 2);
    let mut blocks = Vec::new();
    let span = init.span;
    let [source, rel] = call(&init, "cfg_init", &[1, 2])?;
    let commands = Relation::new(&before[1..], &after[1..]).initial(&init_parameters[1..], rel)?;
    let location = |item: &Item| match item.word() {
        Some(word) => Ok(Located { value: word.to_owned(), span: item.span }),
        None => Err(fault(item, "a location is expected here")),
    };
    let start = Located { value: START.to_owned(), span };
    blocks.push(Block { from: start.clone(), commands, to: location(source)? });
    let steps = match &next.item {
        Sexpr::List(parts) if parts.first().is_some_and(|word| word.is("or")) => &parts[1..],
        _ => std::slice::from_ref(&next),
    };
    for step in steps {
        let [source, target, rel] = call(step, "cfg_trans2", &[2, 4, 5])?;
        let commands = Relation::new(&before[1..], &after[1..]).step(rel)?;
        blocks.push(Block { from: location(source)?, commands, to: location(target)? });
    }
    if let Some(clash) = blocks[1..].iter().find(|block| block.from.value == START || block.to.value == START)
    {
        let message = format!("a location cannot be called `{START}`");
        return Err(Diagnostic::error(clash.from.span, message, "used here").into());
    }
    Ok(Program { start: Some(start), cutpoint: None, blocks })
}

/// Some arguments of a call.
fn call<'a, const N: usize>(item: &'a Item, name: &str, wanted: &[usize; N]) -> Read<[&'a Item; N]> {
    let parts = match &item.item {
        Sexpr::List(parts) if parts.first().is_some_and(|word| word.is(name)) => parts,
        _ => return Err(fault(item, &format!("only `{name}` is understood here"))),
    };
    // The arguments are counted without the name, from 1.
    if parts.len() != wanted[N - 1] + if name == "cfg_init" { 2 } else { 1 } {
        return Err(fault(item, &format!("`{name}` has another number of arguments")));
    }
    let shift = usize::from(name == "cfg_init");
    Ok(wanted.map(|place| &parts[place + shift]))
}

/// The names of parameters: `((pc Loc) (x Int))`.
fn names(parameters: &Item) -> Read<Vec<String>> {
    let Sexpr::List(parts) = &parameters.item else {
        return Err(fault(parameters, "parameters are expected"));
    };
    parts
        .iter()
        .map(|part| match &part.item {
            Sexpr::List(pair) => pair.first().and_then(Item::word).map(str::to_owned),
            Sexpr::Word(_) => None,
        })
        .collect::<Option<_>>()
        .ok_or_else(|| fault(parameters, "a parameter with its type is expected"))
}

fn fault(item: &Item, message: &str) -> Box<Diagnostic> {
    let span = Span { start: item.span.start, end: item.span.end.min(item.span.start + 40) };
    Diagnostic::error(span, message, "here").into()
}
