//! Tokens to a syntax tree, by recursive descent.
//!
//! The parser returns what it understood and every error of the file. It has three ways to deal with an error:
//!
//! - A *slip* with a clear meaning (`=` for `==`, `proccess`, a reserved word as a name) is reported and read as what
//!   was meant.
//! - After any other error the parser is *lost*. While it is lost, nothing more is reported or consumed, expressions
//!   are `ExprKind::Error`, and the functions return as usual. At the end of the statement or declaration it recovers
//!   (`recovery`). So each statement gets at most one such error, and its neighbours are still read.
//! - A brace that is never closed *breaks off* the whole declaration: all open blocks end before the next keyword that
//!   begins a declaration.
//!
//! The depth of recursion is bounded by [`NESTING`] and the height of every expression by [`HEIGHT`], so that
//! neither the parser nor anything that walks the tree can exhaust the stack. Time is linear in the text.

mod comments;
mod expressions;
mod fairness;
mod items;
mod operands;
mod recovery;
mod statements;

use std::collections::{BTreeSet, VecDeque};

use crate::diagnostic::Diagnostic;
use crate::implied::label_lines;
use crate::lexer::{Kind, Lexer, RESERVED, Token};
use crate::syntax::{Comment, Expr, File, Name, Span};

/// Limit on the nesting of parentheses, blocks and prefix operators.
const NESTING: usize = 200;

/// Limit on the height of an expression: `a && b && …` is as high as it is long.
const HEIGHT: usize = 1000;

/// Limit on reported errors. After that the rest of the file is skipped.
const ERRORS: usize = 50;

/// The tree of a file, and its diagnostics in the order of the file.
pub fn parse(text: &str) -> (File, Vec<Diagnostic>) {
    parse_part(text, 0, text.len())
}

/// The tree of a part of a text, with places in the whole text.
pub(crate) fn parse_part(text: &str, start: usize, end: usize) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(&text[..end], start);
    parser.macros = macros(text);
    let mut file = parser.file();
    let mut diagnostics = parser.diagnostics;
    // The lines of an included file are counted by the checker. It is not printed with the file that includes it.
    if start == 0 && diagnostics.is_empty() {
        label_lines(&text[..end], &mut file);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| span.start));
    (file, diagnostics)
}

/// The tree of a text that is one expression or temporal formula, and its diagnostics.
pub fn parse_formula(text: &str) -> (Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, 0);
    parser.formula = true;
    let expr = parser.expression();
    if !parser.at_end() {
        parser.unexpected("an operator or the end of the formula");
    }
    (expr, parser.diagnostics)
}

#[allow(clippy::struct_excessive_bools)] // each is about another thing
struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The current token and the tokens peeked beyond it. Invariant: never empty.
    ahead: VecDeque<Token>,
    /// The place of the token consumed last; empty at the beginning.
    previous: Span,
    /// Comments read and not yet given to a node, with their places.
    comments: VecDeque<(Comment, Token)>,
    /// Comments from inside the node being parsed that belong to the node itself.
    inner: Vec<Comment>,
    diagnostics: Vec<Diagnostic>,
    /// Whether an error was reported and the parser has not recovered yet.
    lost: bool,
    /// Whether the rest of the declaration is skipped: nothing is reported until the next one begins.
    broken_off: bool,
    /// How many calls of [`Parser::nested`] are open.
    nesting: usize,
    /// How many braces of processes and blocks are open.
    braces: usize,
    /// The height of the highest expression parsed for the node being parsed.
    height: usize,
    /// Reserved words that were reported as names. Later uses are read as names.
    misnamed: BTreeSet<&'a str>,
    /// Operators that were reported as names of definitions with parameters. What they are applied to further on is not
    /// understood.
    misapplied: BTreeSet<&'a str>,
    /// Whether the declaration being parsed may contain temporal formulas, so that `F -x` is not a subtraction.
    formula: bool,
    /// Whether a block follows the expression being parsed, so that `x {` does not begin a record.
    before_block: bool,
    /// The words after `macro` in the text. A call of a macro is not a misspelt statement.
    macros: BTreeSet<&'a str>,
}

impl<'a> Parser<'a> {
    /// A parser that begins at a byte.
    fn new(text: &'a str, start: usize) -> Parser<'a> {
        let mut parser = Parser {
            text,
            lexer: Lexer::new(text, start),
            ahead: VecDeque::new(),
            previous: Span { start, end: start },
            comments: VecDeque::new(),
            inner: Vec::new(),
            diagnostics: Vec::new(),
            lost: false,
            broken_off: false,
            nesting: 0,
            braces: 0,
            height: 0,
            misnamed: BTreeSet::new(),
            misapplied: BTreeSet::new(),
            formula: false,
            before_block: false,
            macros: BTreeSet::new(),
        };
        parser.peek(0);
        parser
    }

    fn current(&self) -> Token {
        self.ahead[0]
    }

    /// The token `distance` beyond the current one.
    fn peek(&mut self, distance: usize) -> Token {
        while self.ahead.len() <= distance {
            let token = self.lexer.next();
            match token.kind {
                Kind::Comment => self.keep_comment(token),
                Kind::BlockComment => self.report_bad(token),
                Kind::Bad(_) => {
                    self.report_bad(token);
                    self.ahead.push_back(token);
                }
                _ => self.ahead.push_back(token),
            }
        }
        self.ahead[distance]
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.start..token.span.end]
    }

    /// The text of the current token.
    fn word(&self) -> &'a str {
        self.text_of(self.current())
    }

    fn at(&self, text: &str) -> bool {
        self.word() == text
    }

    fn at_end(&self) -> bool {
        self.current().kind == Kind::End
    }

    /// Whether the token after the current one is this one.
    fn then(&mut self, text: &str) -> bool {
        let token = self.peek(1);
        self.text_of(token) == text
    }

    fn advance(&mut self) -> Token {
        let token = self.current();
        if token.kind != Kind::End {
            self.previous = token.span;
            self.peek(1);
            self.ahead.pop_front();
        }
        token
    }

    /// Consumes the current token if it is this one.
    fn eat(&mut self, text: &str) -> bool {
        let found = !self.lost && self.at(text);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes this token; if it is missing, the parser is lost.
    fn expect(&mut self, text: &str) -> bool {
        let found = self.eat(text);
        if !found {
            self.unexpected(&format!("`{text}`"));
        }
        found
    }

    /// Consumes a name. A reserved word is reported and read as a name, unless it seems to begin a declaration: then
    /// the name is missing.
    fn name(&mut self) -> Option<Name> {
        self.name_called("a name")
    }

    fn name_called(&mut self, expected: &str) -> Option<Name> {
        let (word, token) = (self.word(), self.current());
        let missing = self.at_item() && (token.newlines > 0 || self.peek(1).kind == Kind::Word);
        if self.lost || token.kind != Kind::Word || missing {
            self.unexpected(expected);
            return None;
        }
        if is_reserved(word) && self.misnamed.insert(word) {
            self.refuse_name(word, expected);
        }
        self.advance();
        Some(Name { text: word.to_owned(), span: token.span })
    }

    /// Reports a word that cannot be a name here. It is still read as one.
    fn refuse_name(&mut self, word: &str, expected: &str) {
        let span = self.current().span;
        let message = format!("`{word}` is a reserved word");
        self.report(
            Diagnostic::error(span, message, format!("expected {expected}")).help("choose another name"),
        );
    }

    /// Consumes a name that is not one of `words`, which mean something else where this name would be used.
    fn name_except(&mut self, words: &[&[&str]]) -> Option<Name> {
        if words.iter().any(|words| words.contains(&self.word())) {
            self.refuse_name(self.word(), "a name");
            self.misapplied.insert(self.word());
        }
        self.name()
    }

    /// A list of one or more, separated by commas.
    fn separated<T>(&mut self, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut list = vec![element(self)];
        while self.eat(",") {
            list.push(element(self));
        }
        list
    }

    /// Runs a parser one level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.nesting >= NESTING {
            self.too_deep();
            return None;
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        Some(result)
    }
}

/// The words after `macro`.
fn macros(text: &str) -> BTreeSet<&str> {
    let after = text.match_indices("macro ").map(|(at, word)| text[at + word.len()..].trim_start());
    after.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()).collect()
}

/// The words of the rules, to compare with the table of all words.
#[cfg(test)]
pub(crate) fn words() -> [&'static [&'static str]; 4] {
    [recovery::ITEMS, recovery::STATEMENTS, fairness::WORDS, fairness::PLAIN]
}

/// Whether a word is reserved: it is never a name.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}
