//! What an editor shows about a name: what it is, how it is declared, its type with numbers for ranges, its value.
//!
//! The declaration is shown as it was written. Types and values come from the model, so they are known only if the file
//! has no errors.

use model::System;
use model::system::{Scalar, Type};

use super::{Definition, Index, Kind};
use crate::Model;
use crate::syntax::Span;

/// The longest declaration that is shown, in bytes.
const LONG: usize = 400;

/// What is known about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is, perhaps of what: `local variable of P`.
    pub noun: String,
    /// Its declaration, as written, without the body of a process, action or macro.
    pub declaration: String,
    /// What it means: its type with the ends of ranges as numbers, its value, how it is used.
    pub meaning: Option<String>,
    /// The comments at its declaration.
    pub comment: Option<String>,
}

/// What is known about a definition of this text.
///
/// `values` are those of its constants, and `model` is its model, if it has one.
pub fn facts(
    text: &str,
    index: &Index,
    number: usize,
    values: &[(String, String)],
    model: Option<&Model>,
) -> Facts {
    let own = &index.definitions[number];
    let owner = own.owner.map(|owner| &index.definitions[owner]);
    let noun = match owner {
        Some(owner) if !matches!(own.kind, Kind::Index | Kind::Let) => match own.kind {
            Kind::Member => format!("member of the enum `{}`", owner.name),
            Kind::Argument => format!("parameter of the {} `{}`", owner.kind.noun(), owner.name),
            kind => format!("{} of `{}`", kind.noun(), owner.name),
        },
        _ => own.kind.noun().to_owned(),
    };
    let meaning = meaning(own, owner, values, model);
    Facts { noun, declaration: declaration(text, own), meaning, comment: own.comment.clone() }
}

/// The head of a declaration on one line.
fn declaration(text: &str, own: &Definition) -> String {
    let Span { start, end } = own.whole;
    let written = text.get(start..end).unwrap_or(&own.name);
    let body = match own.kind {
        Kind::Process | Kind::Action | Kind::Macro => written.find('{').filter(|at| *at > 0),
        _ => None,
    };
    let head = &written[..body.unwrap_or(written.len())];
    let mut line = head.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > LONG {
        let cut = (0..=LONG).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(cut);
        line.push('…');
    }
    line
}

fn meaning(
    own: &Definition,
    owner: Option<&Definition>,
    values: &[(String, String)],
    model: Option<&Model>,
) -> Option<String> {
    let process = owner.map(|owner| owner.name.as_str());
    match own.kind {
        Kind::Constant | Kind::Parameter => {
            let (_, value) = values.iter().find(|(name, _)| *name == own.name)?;
            Some(format!("`{} = {value}`", own.name))
        }
        Kind::Shared | Kind::Local => {
            let system = model?.system();
            let variable = system.variables.iter().find(|variable| {
                let family = variable.owner.map(|family| system.family(family).name.as_str());
                variable.name == own.name && family == process
            })?;
            Some(format!("`{}: {}`", own.name, type_text(system, &variable.kind)))
        }
        Kind::Label => Some(format!(
            "`{process}@{name}` is true while the process is here, `{process}.{name}` is its step from here",
            process = process?,
            name = own.name
        )),
        Kind::Action => Some(format!("its event is `{}.{}`", process?, own.name)),
        Kind::Fairness => Some("a property assumes it with `under`".to_owned()),
        _ => None,
    }
}

/// A type with the ends of its ranges.
fn type_text(system: &System, kind: &Type) -> String {
    let element = match &kind.scalar {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int => "int".to_owned(),
        Scalar::Range(range) => model::show::span(system, range),
        Scalar::Enum(id) => system.enumeration(*id).name.clone(),
    };
    kind.dimensions.iter().rev().fold(element, |element, dimension| {
        format!("array[{}] of {element}", model::show::span(system, dimension))
    })
}
