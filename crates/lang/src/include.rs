//! Files that include others.
//!
//! `include "lock.fair";` stands for the declarations of that file. A name is relative to the file that contains it. A file
//! is included once: where two files include a third, all share its declarations.
//!
//! The texts are put one behind the other, the model itself first, and each is parsed where it stands in the whole. So a
//! span says in which file it is, the checker works on one text and one tree as always, and a model that includes nothing is
//! not touched. At the end [`Sources::settle`] turns places in other files into what a reader of the model can be shown: the
//! `include` that leads there, and with it the message about the other file.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Included};
use crate::parser::{parse, parse_part};
use crate::syntax::{File, Item, ItemKind, Name, Span};

/// Returns the text of a file, or a sentence that says why there is none.
pub type Texts<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// Limit on the bytes of all texts together.
const BYTES: usize = 64 << 20;

/// Limit on files that include each other in a chain.
const CHAIN: usize = 50;

/// The texts of a model, one behind the other.
pub(crate) struct Sources {
    pub(crate) text: String,
    /// The model first, then the files that it includes.
    parts: Vec<Part>,
}

/// A file in [`Sources::text`].
struct Part {
    /// Its name, relative to the model; empty for the model.
    file: String,
    start: usize,
    end: usize,
    /// The `include` of the model that leads to it.
    include: Span,
    /// For some of its items, by number, the part that they include first.
    includes: BTreeMap<usize, usize>,
}

/// Reads a model of this name and all that it includes. Returns one tree for all.
pub(crate) fn gather(name: &str, text: &str, texts: &Texts<'_>) -> (Sources, File, Vec<Diagnostic>) {
    let (tree, diagnostics) = parse(text);
    let model = Part {
        file: String::new(),
        start: 0,
        end: text.len(),
        include: Span::default(),
        includes: BTreeMap::new(),
    };
    let sources = Sources { text: text.to_owned(), parts: vec![model] };
    if !tree.items.iter().any(|item| matches!(item.kind, ItemKind::Include(_))) {
        return (sources, tree, diagnostics);
    }
    let mut reader = Reader { name, texts, sources, chain: vec![0], diagnostics: Vec::new() };
    reader.part(0, &tree);
    let Reader { sources, mut diagnostics, .. } = reader;
    // Once more, now that all macros are known.
    let mut trees = Vec::new();
    for part in &sources.parts {
        let (tree, found) = parse_part(&sources.text, part.start, part.end);
        trees.push(Some(tree));
        diagnostics.extend(found);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| span.start));
    let mut file = File::default();
    sources.join(0, &mut trees, &mut file.items);
    (sources, file, diagnostics)
}

struct Reader<'a> {
    name: &'a str,
    texts: &'a Texts<'a>,
    sources: Sources,
    /// The parts being read, each included by the one before.
    chain: Vec<usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads what a part includes.
    fn part(&mut self, number: usize, tree: &File) {
        for (at, item) in tree.items.iter().enumerate() {
            let ItemKind::Include(named) = &item.kind else { continue };
            let start = self.sources.parts[number].start;
            let shifted = |span: Span| Span { start: start + span.start, end: start + span.end };
            match self.include(number, named, shifted(item.span)) {
                Ok(None) => {}
                Ok(Some(part)) => {
                    self.sources.parts[number].includes.insert(at, part);
                    let Part { start, end, .. } = self.sources.parts[part];
                    let (tree, _) = parse(&self.sources.text[start..end]);
                    self.chain.push(part);
                    self.part(part, &tree);
                    self.chain.pop();
                }
                Err((message, label)) => {
                    self.diagnostics.push(Diagnostic::error(shifted(named.span), message, label));
                }
            }
        }
    }

    /// The part of a file that is included for the first time. The error is a message and a label.
    fn include(&mut self, by: usize, named: &Name, span: Span) -> Result<Option<usize>, (String, String)> {
        if named.text.is_empty() || named.text.contains(|c: char| c.is_control()) {
            return Err(("this is not the name of a file".to_owned(), "expected a model".to_owned()));
        }
        let file = beside(&self.sources.parts[by].file, &named.text);
        let cycle = |reader: &Self, from: usize| {
            let own = format!("{}.fair", reader.name);
            let shown =
                |part: &usize| Some(&reader.sources.parts[*part].file).filter(|file| !file.is_empty());
            let names = reader.chain[from..].iter().map(|part| shown(part).unwrap_or(&own).clone());
            let way: Vec<String> = names.chain([file.clone()]).collect();
            (format!("`{file}` includes itself"), way.join(" includes "))
        };
        if let Some(from) = self.chain.iter().position(|part| self.sources.parts[*part].file == file) {
            return Err(cycle(self, from));
        }
        if self.sources.parts.iter().any(|part| part.file == file) {
            return Ok(None);
        }
        let text = (self.texts)(&file).map_err(|message| (message, "this file is included".to_owned()))?;
        let Sources { text: all, parts } = &mut self.sources;
        if file == format!("{}.fair", self.name) && text == all[..parts[0].end] {
            return Err(cycle(self, 0));
        }
        if all.len() + text.len() > BYTES || self.chain.len() > CHAIN {
            let label = format!("at most {} MiB in all, and {CHAIN} files in a chain", BYTES >> 20);
            return Err(("too much is included".to_owned(), label));
        }
        all.push('\n');
        let start = all.len();
        all.push_str(&text);
        let include = if by == 0 { span } else { parts[by].include };
        parts.push(Part { file, start, end: all.len(), include, includes: BTreeMap::new() });
        Ok(Some(parts.len() - 1))
    }
}

impl Sources {
    /// Puts the items of a part where they are included.
    fn join(&self, number: usize, trees: &mut [Option<File>], items: &mut Vec<Item>) {
        let part = &self.parts[number];
        let tree = trees[number].take().unwrap_or_default();
        for (at, mut item) in tree.items.into_iter().enumerate() {
            if let ItemKind::Never { file, .. } = &mut item.kind {
                file.text = beside(&part.file, &file.text);
            }
            items.push(item);
            if let Some(included) = part.includes.get(&at) {
                self.join(*included, trees, items);
            }
        }
    }

    /// Where the included files begin.
    pub(crate) fn starts(&self) -> Vec<usize> {
        self.parts.iter().skip(1).map(|part| part.start).collect()
    }

    fn part(&self, at: usize) -> usize {
        self.parts.partition_point(|part| part.start <= at).saturating_sub(1)
    }

    /// The file, line and column of a byte.
    fn place(&self, at: usize) -> String {
        let part = &self.parts[self.part(at)];
        let before = self.text.get(part.start..at).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
        if part.file.is_empty() {
            format!("line {line} of the model")
        } else {
            format!("{}:{line}:{column}", part.file)
        }
    }

    /// The diagnostic as it is shown: its places are places in the model.
    pub(crate) fn settle(&self, diagnostic: Diagnostic) -> Diagnostic {
        let own = diagnostic.span.map_or(0, |span| self.part(span.start));
        let Part { start, end, include, ref file, .. } = self.parts[own];
        let local = |span: Span| Span { start: span.start - start, end: span.end.min(end) - start };
        let (mut related, mut help) = (Vec::new(), diagnostic.help.clone());
        for (span, text) in diagnostic.related {
            let other = self.part(span.start);
            if other == own {
                related.push((local(span), text));
            } else if own == 0 {
                related.push((self.parts[other].include, format!("{text}: {}", self.place(span.start))));
            } else {
                let more = format!("{text}: {}", self.place(span.start));
                help = Some(help.map_or(more.clone(), |help| format!("{help}; {more}")));
            }
        }
        if own == 0 {
            return Diagnostic { related, ..diagnostic };
        }
        let place = diagnostic.span.map_or_else(String::new, |span| self.place(span.start));
        let message = format!("{place}: {}", diagnostic.message);
        let inside =
            Diagnostic { span: diagnostic.span.map(local), related, help: help.clone(), ..diagnostic };
        Diagnostic {
            severity: inside.severity,
            message,
            span: Some(include),
            label: inside.label.clone(),
            related: Vec::new(),
            help,
            included: Some(Box::new(Included {
                file: file.clone(),
                text: self.text[start..end].to_owned(),
                diagnostic: inside,
            })),
        }
    }
}

/// A model together with all that it includes, as one text and one tree.
#[derive(Clone, Debug)]
pub struct Whole {
    /// The text of the model, and behind it those of the files.
    pub text: String,
    /// All declarations, with places in this text.
    pub tree: File,
    /// The included files: the name, relative to the model, and where its text stands.
    pub files: Vec<(String, Span)>,
}

/// Reads a model of this name and all that it includes. What cannot be read is left out.
pub fn whole(name: &str, text: &str, texts: &Texts<'_>) -> Whole {
    let (Sources { text, parts }, tree, _) = gather(name, text, texts);
    let place = |part: Part| (part.file, Span { start: part.start, end: part.end });
    Whole { text, tree, files: parts.into_iter().skip(1).map(place).collect() }
}

/// The files that a model of this name includes, also those that cannot be read, each once.
pub fn included(name: &str, text: &str, texts: &Texts<'_>) -> Vec<String> {
    let asked = std::cell::RefCell::new(Vec::new());
    gather(name, text, &|file| {
        asked.borrow_mut().push(file.to_owned());
        texts(file)
    });
    let mut asked = asked.into_inner();
    asked.sort();
    asked.dedup();
    asked
}

/// A name in a file, relative to what that file is relative to, without `.` and `..` where that is possible.
fn beside(file: &str, named: &str) -> String {
    if named.starts_with('/') {
        return named.to_owned();
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(named.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_relative_to_the_file_that_contains_it() {
        for (file, named, expected) in [
            ("", "a.fair", "a.fair"),
            ("", "./lib/a.fair", "lib/a.fair"),
            ("lib/a.fair", "b.fair", "lib/b.fair"),
            ("lib/a.fair", "../b.fair", "b.fair"),
            ("lib/a.fair", "../../b.fair", "../b.fair"),
            ("../a.fair", "../b.fair", "../../b.fair"),
            ("lib/a.fair", "/b.fair", "/b.fair"),
            ("/lib/a.fair", "x/../b.fair", "/lib/b.fair"),
        ] {
            assert_eq!(beside(file, named), expected, "{file} {named}");
        }
    }
}
