//! Prints a syntax tree as source: the canonical form of a file.
//!
//! Blocks are indented by four spaces, a declaration or statement has its own line, there are no unnecessary
//! parentheses, and paragraphs and comments stay as the user left them. For every tree that the parser returns without
//! errors, `parse(print(t)) == t`; so printing twice changes nothing.
//!
//! Two choices depend on the width of the line: a block with one simple statement stays on the line of its `when`,
//! `atomic`, `choose` or `action`, and a property that is too long is broken before its formula, `under` and `expect`.

mod expressions;
mod fairness;
mod items;
mod statements;

use crate::lexer::INFIXES;
use crate::syntax::{Comment, Comments, Expr, File, Name};

/// The longest line, where there is a choice.
const WIDTH: usize = 110;

/// The source of a file.
pub fn print(file: &File) -> String {
    let mut printer = Printer::default();
    for (number, item) in file.items.iter().enumerate() {
        printer.node(&item.comments, number == 0, |printer| printer.item(&item.kind));
    }
    printer.trailing(&file.trailing, file.items.is_empty());
    printer.aligned()
}

/// The source of an expression, perhaps a formula, with some names replaced by values.
pub(crate) fn expression(expr: &Expr, values: &[(&str, String)]) -> String {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mut printer = Printer { formula: true, values, ..Printer::default() };
    printer.expression(expr);
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    /// What is written instead of some names.
    values: Vec<(String, String)>,
    /// The comments at the ends of lines, with their positions.
    afters: Vec<(usize, String)>,
    /// How many blocks are open.
    depth: usize,
    /// Whether arithmetic is written without spaces, as in `0..N-1`.
    tight: bool,
    /// Whether the declaration may contain temporal formulas.
    formula: bool,
    /// Whether a block follows the expression being printed, so that a record in it needs parentheses.
    before_block: bool,
    /// The place of a name just written that is also a prefix operator. What follows decides whether it needs
    /// parentheses.
    prefix: Option<(usize, usize)>,
}

impl Printer {
    fn put(&mut self, text: &str) {
        if !text.trim().is_empty()
            && let Some((start, end)) = self.prefix.take()
            && (INFIXES.contains(&text) || text == "-" && self.formula)
        {
            self.text.insert(end, ')');
            self.text.insert(start, '(');
        }
        self.text.push_str(text);
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.put("    ");
        }
    }

    fn name(&mut self, name: &Name) {
        self.put(&name.text);
    }

    /// A keyword and the name after it.
    fn head(&mut self, keyword: &str, name: &Name) {
        self.put(keyword);
        self.put(" ");
        self.name(name);
    }

    /// A list with `between` between its elements.
    fn list<T>(&mut self, elements: &[T], between: &str, mut put: impl FnMut(&mut Self, &T)) {
        for (number, element) in elements.iter().enumerate() {
            if number > 0 {
                self.put(between);
            }
            put(self, element);
        }
    }

    /// The length of the current line so far.
    fn column(&self) -> usize {
        column(&self.text)
    }

    /// An item, member or statement with its comments.
    fn node(&mut self, comments: &Comments, first: bool, put: impl FnOnce(&mut Self)) {
        self.trailing(&comments.before, first);
        if comments.spaced && !(first && comments.before.is_empty()) {
            self.put("\n");
        }
        self.indent();
        put(self);
        if let Some(after) = &comments.after {
            self.afters.push((self.text.len(), after.clone()));
        }
        self.put("\n");
    }

    /// Comments on lines of their own.
    fn trailing(&mut self, comments: &[Comment], first: bool) {
        for (number, comment) in comments.iter().enumerate() {
            if comment.spaced && !(first && number == 0) {
                self.put("\n");
            }
            self.indent();
            self.put("//");
            self.put(&comment.text);
            self.put("\n");
        }
    }

    /// The text with the comments at the ends of its lines. Those of one paragraph of a block are aligned.
    fn aligned(self) -> String {
        let mut aligned = String::new();
        let mut copied = 0;
        let neighbours = |a: &(usize, String), b: &(usize, String)| {
            let between = &self.text[a.0..b.0];
            !between.contains("\n\n") && !between.contains(['{', '}'])
        };
        for group in self.afters.chunk_by(neighbours) {
            let columns: Vec<usize> = group.iter().map(|(offset, _)| column(&self.text[..*offset])).collect();
            let widest = columns.iter().max().copied().unwrap_or(0);
            for ((offset, comment), column) in group.iter().zip(columns) {
                aligned.push_str(&self.text[copied..*offset]);
                aligned.extend(std::iter::repeat_n(' ', widest - column + 1));
                aligned.push_str("//");
                aligned.push_str(comment);
                copied = *offset;
            }
        }
        aligned.push_str(&self.text[copied..]);
        aligned
    }
}

/// The length of the last line of a text.
fn column(text: &str) -> usize {
    let start = text.rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].chars().count()
}
