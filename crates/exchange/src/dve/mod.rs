//! Models in DVE, the language of `DiVinE` and of the BEEM collection [Pel07]: processes with states and transitions,
//! handshakes and buffered channels, and variables of 8 and 16 bits that wrap around.
//!
//! A file is translated to a syntax tree of our language, so everything that works for a `.fair` file works for it, and
//! `fairly print` shows the translation. The state space is the same: a state of ours has the same variables, and every transition is one step.
//! What our language cannot say is refused with its line.
//!
//! A property is the file's own property process ([`property`]), its assertions, a formula that is asked for, or, if there
//! is none of these, that there is no deadlock. `docs/imports.md` is the page for users.

mod expressions;
mod names;
mod order;
mod parser;
mod processes;
mod property;
mod syntax;

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary, ExprKind, File, Item, ItemKind, Members, Span, Unary};
use model::Automaton;

use self::expressions::{Translator, no_deadlock};
use self::names::Names;
use crate::tree::{binary, declaration, expr, name, named, unary};

/// A question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This condition is never true.
    Safety(String),
    /// A formula of CTL.
    Ctl(String),
    /// A formula of LTL.
    Ltl(String),
}

/// A translated file.
#[derive(Debug)]
pub struct Translated {
    /// The same model in our language.
    pub file: File,
    /// The automaton of the property process, under the name that the file has for it.
    pub automata: Vec<(String, Automaton<String>)>,
}

/// Why a file was not translated.
#[derive(Debug)]
pub enum Refused {
    /// The file has an error, or something that is not supported.
    File(Box<Diagnostic>),
    /// The claim with this position has.
    Claim(usize, Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Refused {
    fn from(diagnostic: Box<Diagnostic>) -> Refused {
        Refused::File(diagnostic)
    }
}

/// Translates a file, and claims about it.
pub fn translate(text: &str, claims: &[Claim]) -> Result<Translated, Refused> {
    let source = parser::file(text)?;
    let names = Names::new(&source)?;
    let fields = processes::fields(&source, &names)?;
    let early = order::early(&source, &names)?;
    let (mut items, shared) = processes::variables(&source.variables, &names, None)?;
    for variables in shared {
        let span = variables.names[0].span;
        items.push(declaration(ItemKind::Shared(variables), span));
    }
    items.extend(processes::channels(&source, &names, &fields)?);
    if let Some(event) = &names.together {
        let span = Span::default();
        items.push(declaration(ItemKind::Event(vec![name(event.clone(), span)]), span));
    }
    let observes = |process: &syntax::Process| {
        source.property.as_ref().is_some_and(|property| property.text == process.name.text)
    };
    if let Some(property) = &source.property {
        names.process(property)?;
    }
    let mut automata = Vec::new();
    let mut claimed = Vec::new();
    for process in &source.processes {
        if observes(process) {
            let (claim, automaton) = property::property(process, &names)?;
            automata.push((names.process(&process.name)?.called.clone(), automaton));
            claimed.push(claim);
        } else {
            items.extend(processes::process(process, &names, &fields, &early)?);
            claimed.extend(assertions(process, &names)?);
        }
    }
    for (position, claim) in claims.iter().enumerate() {
        let refused = |diagnostic| Refused::Claim(position, diagnostic);
        claimed.push(asked(claim, &names, position, claims.len()).map_err(refused)?);
    }
    if claimed.is_empty() {
        let span = Span::default();
        claimed.push(processes::invariant(name("deadlock_free", span), no_deadlock(span)));
    }
    items.extend(claimed);
    Ok(Translated { file: File { items, trailing: Vec::new() }, automata })
}

/// An assertion of a state is an invariant.
fn assertions(process: &syntax::Process, names: &Names) -> Result<Vec<Item>, Box<Diagnostic>> {
    let scope = names.process(&process.name)?;
    let mut items = Vec::new();
    for (number, (state, condition)) in process.assertions.iter().enumerate() {
        let label = name(scope.state(state)?, state.span);
        let at = expr(ExprKind::At(Box::new(named(scope.called.clone(), state.span)), label), state.span);
        let condition = Translator { names, scope: Some(scope), outside: true }.truth(condition)?;
        let called = name(format!("{}_assertion_{}", scope.called, number + 1), state.span);
        items.push(processes::invariant(called, binary(Binary::Implies, at, condition)));
    }
    Ok(items)
}

/// A claim that the user asks for. Its spans are of the claim's own text, so they are left out.
fn asked(claim: &Claim, names: &Names, position: usize, claims: usize) -> Result<Item, Box<Diagnostic>> {
    let (word, text) = match claim {
        Claim::Safety(text) => ("safety", text),
        Claim::Ctl(text) => ("ctl", text),
        Claim::Ltl(text) => ("ltl", text),
    };
    let body = Translator { names, scope: None, outside: false }.truth(&parser::formula(text)?)?;
    let span = Span::default();
    let called = if claims == 1 { word.to_owned() } else { format!("{word}_{}", position + 1) };
    let called = name(called, span);
    Ok(match claim {
        Claim::Safety(_) => processes::invariant(called, unary(Unary::Not, body)),
        Claim::Ctl(_) | Claim::Ltl(_) => declaration(
            ItemKind::Property { name: called, family: Members::default(), body, under: None, expect: None },
            span,
        ),
    })
}
