//! The lines of declarations, so that a refusal can name the line.
//!
//! Engines know systems and not their sources. A refusal contains a [`Declared`], and [`Lines::of`] finds its line.

use std::collections::BTreeMap;

use model::{Declared, System};

use crate::syntax::{Block, File, Item, ItemKind, Label, MemberKind, Process, Statement, StatementKind};

/// The lines of declarations, by name. Those of included files are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(BTreeMap<String, usize>);

impl Lines {
    pub(crate) fn new(file: &File, line: &dyn Fn(usize) -> Option<usize>) -> Lines {
        let mut lines = Lines::default();
        let mut add = |name: String, at: usize| {
            if let Some(line) = line(at) {
                lines.0.entry(name).or_insert(line);
            }
        };
        for Item { kind, span, .. } in &file.items {
            match kind {
                ItemKind::Shared(variables) => {
                    variables.names.iter().for_each(|name| add(name.text.clone(), name.span.start));
                }
                ItemKind::Chan { name, .. } => add(name.text.clone(), name.span.start),
                ItemKind::Init(_) => add("init".to_owned(), span.start),
                ItemKind::Process(process) => {
                    add(process.name.text.clone(), process.name.span.start);
                    in_process(process, &mut add);
                }
                ItemKind::Invariant { name, .. }
                | ItemKind::Property { name, .. }
                | ItemKind::Never { name, .. } => add(format!("property {}", name.text), name.span.start),
                ItemKind::Include(_)
                | ItemKind::Const { .. }
                | ItemKind::Param { .. }
                | ItemKind::Enum { .. }
                | ItemKind::Record { .. }
                | ItemKind::Define { .. }
                | ItemKind::Macro { .. }
                | ItemKind::Stuttering
                | ItemKind::Event(_)
                | ItemKind::Fairness { .. } => {}
            }
        }
        lines
    }

    /// The line on which something is declared, if it is known.
    pub fn of(&self, system: &System, declared: &Declared) -> Option<usize> {
        let name = match declared {
            Declared::Property(name) => format!("property {}", name.family),
            other => declared_name(system, other),
        };
        self.0.get(&name).copied()
    }
}

/// The name of a declaration, as the user writes it.
pub fn declared_name(system: &System, declared: &Declared) -> String {
    match declared {
        Declared::Variable(id) => {
            let variable = system.variable(*id);
            match variable.owner {
                Some(family) => format!("{}.{}", system.family(family).name, variable.name),
                None => variable.name.clone(),
            }
        }
        Declared::Family(id) => system.family(*id).name.clone(),
        Declared::Action(family, label) => format!("{}.{label}", system.family(*family).name),
        Declared::Property(name) => name.to_string(),
        Declared::Init => "init".to_owned(),
    }
}

fn in_process(process: &Process, add: &mut dyn FnMut(String, usize)) {
    let name = &process.name.text;
    for member in &process.members {
        match &member.kind {
            MemberKind::Local(variables) => {
                variables
                    .names
                    .iter()
                    .for_each(|local| add(format!("{name}.{}", local.text), local.span.start));
            }
            MemberKind::Action { label, .. } => add(labelled(name, label), label.name.span.start),
        }
    }
    let mut pending: Vec<&Statement> = process.body.iter().rev().collect();
    while let Some(statement) = pending.pop() {
        if let Some(label) = &statement.label {
            add(labelled(name, label), label.name.span.start);
        }
        let blocks: Vec<&Block> = match &statement.kind {
            StatementKind::While(_, block) | StatementKind::Loop(block) => vec![block],
            StatementKind::If { yes, no, .. } => std::iter::once(yes).chain(no).collect(),
            StatementKind::Either(blocks) => blocks.iter().collect(),
            // Inside these there are no labels.
            _ => Vec::new(),
        };
        pending.extend(blocks.into_iter().flat_map(|block| &block.statements).rev());
    }
}

fn labelled(process: &str, label: &Label) -> String {
    format!("{process}.{}", label.name.text)
}

#[cfg(test)]
mod tests {
    use model::{FamilyId, VariableId};

    use super::*;

    #[test]
    fn what_is_declared_has_its_line() {
        let text = "param N >= 2;\nshared x: bool;\ninit x;\nprocess P[i: 1..N] {\n    local y: bool;\n    \
                    action go { skip; }\n    a: while x {\n        b: skip;\n    }\n}\nproperty x: F true;\n";
        let model = crate::load("test", text, &[]).model.expect("no errors");
        let line = |declared: Declared| model.lines.of(model.system(), &declared);
        let variable = |name: &str| {
            let place = model.system().variables.iter().position(|variable| variable.name == name);
            Declared::Variable(VariableId(place.expect("a variable") as u32))
        };
        let action = |label: &str| Declared::Action(FamilyId(0), label.to_owned());
        assert_eq!(line(variable("x")), Some(2));
        assert_eq!(line(Declared::Property("x".into())), Some(11));
        assert_eq!(line(Declared::Init), Some(3));
        assert_eq!(line(Declared::Family(FamilyId(0))), Some(4));
        assert_eq!(line(variable("y")), Some(5));
        assert_eq!(line(action("go")), Some(6));
        assert_eq!(line(action("b")), Some(8));
        assert_eq!(line(action("c")), None);
    }
}
