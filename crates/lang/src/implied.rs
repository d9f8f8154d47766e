//! Labels for statements that a file names by their lines.
//!
//! A statement without a label is named after its line, and the file may use that name: `P@line4`. The name is then put
//! into the tree as a label that is not written: its span is empty. So the tree means the same wherever it is printed,
//! and the printer, which moves lines, writes the label. A file that uses the name of a line without a statement has an
//! error, and no label is put anywhere for it.

use std::collections::BTreeMap;

use crate::check::code::takes_step;
use crate::index::Index;
use crate::syntax::{Block, File, ItemKind, Label, Name, Span, Statement, StatementKind};

/// Puts labels where the file uses names of lines.
pub(crate) fn label_lines(text: &str, file: &mut File) {
    if !text.match_indices("line").any(|(at, word)| text[at + word.len()..].starts_with(digit)) {
        return;
    }
    let index = Index::new(text, file);
    let implied = index.definitions.iter().filter(|own| own.implied);
    let names: BTreeMap<usize, &str> = implied.map(|own| (own.span.start, own.name.as_str())).collect();
    for item in &mut file.items {
        if let ItemKind::Process(process) = &mut item.kind {
            label_all(&mut process.body, &names);
        }
    }
}

fn digit(character: char) -> bool {
    character.is_ascii_digit()
}

fn label_all(statements: &mut [Statement], names: &BTreeMap<usize, &str>) {
    for statement in statements {
        let start = statement.span.start;
        if let Some(name) = names.get(&start)
            && statement.label.is_none()
            && takes_step(&statement.kind)
        {
            let name = Name { text: (*name).to_owned(), span: Span { start, end: start } };
            statement.label = Some(Label { name, annotation: None });
        }
        let blocks: Vec<&mut Block> = match &mut statement.kind {
            StatementKind::If { yes, no, .. } => std::iter::once(yes).chain(no).collect(),
            StatementKind::While(_, body) | StatementKind::Loop(body) => vec![body],
            StatementKind::Either(branches) => branches.iter_mut().collect(),
            _ => Vec::new(),
        };
        for block in blocks {
            label_all(&mut block.statements, names);
        }
    }
}
