//! Messages about syntax errors, and where the parser recovers.
//!
//! A lost parser recovers at the end of the statement or declaration: after its `;` or closing brace, before the brace
//! that closes the surrounding block, before a keyword that begins a declaration (these are reserved, so nothing else
//! begins with them), or before a line that can only begin a statement.

use super::{ERRORS, NESTING, Parser, is_reserved};
use crate::diagnostic::{Diagnostic, nearest};
use crate::lexer::{Fault, INFIXES, Kind, Token};
use crate::precedence::of_assignment;
use crate::syntax::Span;

/// The words that begin a declaration.
pub(super) const ITEMS: &[&str] = &[
    "chan",
    "const",
    "define",
    "enum",
    "fairness",
    "init",
    "invariant",
    "macro",
    "param",
    "process",
    "property",
    "record",
    "shared",
];

/// The words that begin a statement or a member of a process.
pub(super) const STATEMENTS: &[&str] = &[
    "action", "atomic", "await", "choose", "either", "for", "goto", "halt", "if", "local", "loop", "release",
    "request", "sf", "skip", "stay", "uf", "wf", "when", "while",
];

/// What a model with probabilities, or with clocks, is told.
pub(super) const NO_PROBABILITIES: &str = "Fairly knows no probabilities: `choose` and `either` choose freely, and `global` is the fairness of a random scheduler";
pub(super) const NO_TIME: &str =
    "Fairly knows no real time: a step has no duration; a clock that only ticks is a process";

impl Parser<'_> {
    /// Reports a slip. The parser goes on.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.lost && !self.broken_off {
            self.record(diagnostic);
        }
    }

    /// Reports an error. Nothing is understood until the parser recovers.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.lost = true;
    }

    /// Reports that the current token is not what the grammar expects.
    pub(super) fn unexpected(&mut self, expected: &str) {
        self.unexpected_with(expected, None);
    }

    pub(super) fn unexpected_with(&mut self, expected: &str, help: Option<&str>) {
        let token = self.current();
        if matches!(token.kind, Kind::Bad(_)) || self.in_open_comment() {
            // It was reported when it was read.
            self.lost = true;
            return;
        }
        let message = format!("expected {expected}, found {}", self.describe(token));
        let help = match token.kind {
            Kind::Text => Some("names are written without quotes"),
            _ => help.or_else(|| self.is_about_chance().then_some(NO_PROBABILITIES)),
        };
        // Something missing at the end of a line is reported there, not at the beginning of the next line.
        let missing_before = token.newlines > 0 || token.kind == Kind::End;
        let mut diagnostic = if missing_before && self.previous.end > 0 {
            Diagnostic::error(self.previous, message, format!("expected {expected} after this"))
        } else {
            Diagnostic::error(token.span, message, format!("expected {expected}"))
        };
        diagnostic.help = help.map(str::to_owned);
        self.fail(diagnostic);
    }

    /// Whether this is or would be a probability: `choose x in 0..1 with probability …`.
    fn is_about_chance(&self) -> bool {
        // The next token is not read, because what is wrong with it may be no news.
        let rest = self.text.get(self.current().span.end..).unwrap_or_default().trim_start();
        ["probability", "prob"].into_iter().any(|word| self.at(word) || rest.starts_with(word))
    }

    /// Like [`Parser::unexpected`], with a message of its own.
    pub(super) fn unexpected_here(&mut self, message: &str, help: &str) {
        let token = self.current();
        if matches!(token.kind, Kind::Bad(_)) {
            self.lost = true;
        } else {
            self.fail(Diagnostic::error(token.span, message, "unexpected").help(help));
        }
    }

    /// A token as shown in messages.
    pub(super) fn describe(&self, token: Token) -> String {
        if token.kind == Kind::End { "the end of the file".to_owned() } else { quote(self.text_of(token)) }
    }

    /// Reports a token that is not part of the language.
    pub(super) fn report_bad(&mut self, token: Token) {
        let text = self.text_of(token);
        let quoted = quote(text);
        let open = Span { start: token.span.start, end: token.span.start + 2 };
        let error = |message: String, label: &str| Diagnostic::error(token.span, message, label);
        let diagnostic = match token.kind {
            Kind::Bad(Fault::Character) => {
                let diagnostic = error(format!("{quoted} is not part of the language"), "unexpected");
                match text.chars().next().and_then(counterpart) {
                    Some(symbol) => diagnostic.help(format!("write `{symbol}`")),
                    None => diagnostic,
                }
            }
            Kind::Bad(Fault::Letter) => error(
                format!("{quoted} is not a name"),
                "names consist of the letters a to z, digits and `_`",
            ),
            Kind::Bad(Fault::Digit) => {
                error(format!("{quoted} is not a number"), "names do not begin with a digit")
            }
            Kind::Bad(Fault::Quotes) => {
                error("the language has no single quotes".to_owned(), "names are written without quotes")
            }
            Kind::Bad(Fault::OpenText) => {
                error("the text in quotes is not closed".to_owned(), "`\"` is missing on this line")
            }
            Kind::Bad(Fault::OpenComment) => {
                Diagnostic::error(open, "this comment is not closed", "`*/` is missing")
                    .help("comments are written `// …` and run to the end of the line")
            }
            _ => error("the language has no block comments".to_owned(), "write `// …` on each line"),
        };
        self.record(diagnostic);
    }

    /// Whether the rest of the file is a comment that is not closed, which was reported.
    fn in_open_comment(&self) -> bool {
        self.at_end() && self.text[self.previous.start..].starts_with("/*")
    }

    fn record(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < ERRORS {
            self.diagnostics.push(diagnostic);
        }
        if self.diagnostics.len() == ERRORS {
            self.lexer.stop();
        }
    }

    /// The keyword at the current position, if it is one of `words` or a misspelling of one.
    pub(super) fn keyword(&mut self, words: &[&'static str], called: &str) -> Option<&'static str> {
        let (word, token) = (self.word(), self.current());
        if let Some(exact) = words.iter().find(|candidate| **candidate == word) {
            return Some(exact);
        }
        if token.kind != Kind::Word || is_reserved(word) {
            return None;
        }
        let near = nearest(word, words.iter().copied())?;
        self.report(
            Diagnostic::error(token.span, format!("unknown {called} {}", quote(word)), "unknown")
                .help(format!("did you mean `{near}`?")),
        );
        Some(near)
    }

    pub(super) fn at_item(&mut self) -> bool {
        let marked = self.at("environment") && self.then("process");
        marked
            || self.at_event()
            || self.at_include()
            || self.current().kind == Kind::Word && ITEMS.contains(&self.word())
    }

    /// Whether `event` declares something here. Elsewhere it is a name.
    fn at_event(&mut self) -> bool {
        let (next, end) = (self.peek(1), self.peek(2));
        self.at("event") && next.kind == Kind::Word && [";", ","].contains(&self.text_of(end))
    }

    /// Whether `include` names a file here. Elsewhere it is a name.
    pub(super) fn at_include(&mut self) -> bool {
        self.at("include") && self.peek(1).kind == Kind::Text
    }

    /// Whether `sync` begins a statement here. Elsewhere it is a name.
    pub(super) fn at_sync(&mut self) -> bool {
        let (next, end) = (self.peek(1), self.peek(2));
        let ends = self.text_of(end) == ";";
        let is_name = !INFIXES.contains(&self.text_of(next)) || ends;
        // Where a line ends after it, the end of a statement may be missing.
        self.at("sync") && next.kind == Kind::Word && is_name && (next.newlines == 0 || ends)
    }

    /// Whether the current token can only begin a statement.
    pub(super) fn at_statement(&mut self) -> bool {
        let (word, token) = (self.word(), self.current());
        let next = self.peek(1);
        // `request` and `release` are also names.
        let keyword = STATEMENTS.contains(&word)
            && (is_reserved(word) || token.newlines > 0 || next.kind == Kind::Word);
        if token.kind != Kind::Word || keyword {
            return token.kind == Kind::Word;
        }
        token.newlines > 0
            && !is_reserved(word)
            && (["=", ":", ":=", "!", "?", "[", ",", "."].contains(&self.text_of(next))
                || of_assignment(self.text_of(next)).is_some()
                || self.at_assert()
                || self.at_let()
                || self.at_sync()
                || self.text_of(next) == "(")
    }

    /// The `;` at the end of a statement or declaration.
    pub(super) fn semicolon(&mut self) {
        if !self.eat(";") {
            let after = self.peek(1);
            let receives = self.at("?") && self.text_of(after) == ";";
            let help = if receives {
                Some("a message is received with `c?x;`, or with `let x = c?;`")
            } else {
                self.at("?").then_some("a choice between values is written `if c { a } else { b }`")
            };
            self.unexpected_with("`;`", help);
            self.recover();
        }
    }

    /// Skips to where a statement or declaration may begin.
    pub(super) fn recover(&mut self) {
        let mut depth = 0;
        while !self.at_end() && !self.at_item() {
            let word = self.word();
            if depth == 0 && self.braces > 0 && (word == "}" || self.at_statement()) {
                break;
            }
            self.advance();
            match word {
                "{" => depth += 1,
                "}" => depth = usize::saturating_sub(depth, 1),
                ";" => {}
                _ => continue,
            }
            if depth == 0 && word != "{" && !["else", "or", ";"].contains(&self.word()) {
                break;
            }
        }
        self.lost = false;
        // A brace that is open to the end is part of the error already reported.
        self.broken_off |= depth > 0;
    }

    /// Skips to the `{` of a block whose head was not understood, if it is near.
    pub(super) fn skip_to_brace(&mut self) {
        while self.lost
            && !self.at_end()
            && !self.at_item()
            && !self.at(";")
            && !self.at("}")
            && !self.at_statement()
        {
            if self.at("{") {
                self.lost = false;
            } else {
                self.advance();
            }
        }
    }

    /// Reports that the block that began at `open` is not closed, and breaks off the declaration.
    pub(super) fn not_closed(&mut self, open: Span) {
        let token = self.current();
        let message = format!("expected `}}`, found {}", self.describe(token));
        let (place, label) = match token.kind {
            Kind::End => (self.previous, "a `}` is missing after this"),
            _ => (token.span, "a `}` is missing before this"),
        };
        if !self.in_open_comment() {
            self.report(Diagnostic::error(place, message, label).related(open, "this `{` is not closed"));
        }
        self.broken_off = true;
    }

    pub(super) fn too_deep(&mut self) {
        let span = self.current().span;
        self.fail(
            Diagnostic::error(span, format!("nested more than {NESTING} levels deep"), "this is too deep")
                .help("name a part of it with `define`"),
        );
        self.break_off();
    }

    /// Gives up the rest of the declaration.
    pub(super) fn break_off(&mut self) {
        while !self.at_end() && !self.at_item() {
            self.advance();
        }
        self.lost = true;
        self.broken_off = true;
    }
}

/// A piece of source for a message. Long ones are cut, and control characters are escaped.
pub(super) fn quote(text: &str) -> String {
    const LENGTH: usize = 40;
    let mut quoted = String::from("`");
    for character in text.chars() {
        if quoted.chars().count() > LENGTH {
            quoted.push('…');
            break;
        }
        if character.is_control() {
            quoted.extend(character.escape_default());
        } else {
            quoted.push(character);
        }
    }
    quoted.push('`');
    quoted
}

/// What the language writes for a mathematical symbol.
fn counterpart(symbol: char) -> Option<&'static str> {
    Some(match symbol {
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '→' | '⇒' | '⟹' => "->",
        '↔' | '⇔' => "<->",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '□' | '◻' => "G",
        '◇' | '◊' => "F",
        '○' | '◯' => "X",
        '∀' => "forall",
        '∃' => "exists",
        '∈' => "in",
        '×' | '·' => "*",
        '∪' => "+",
        '∩' => "&",
        '∖' => "-",
        '⊆' => "<=",
        '⊂' => "<",
        '∅' => "{}",
        '…' => "..",
        '；' => ";",
        '#' => "//",
        _ => return None,
    })
}
