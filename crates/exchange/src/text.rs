//! Text of other languages as tokens, and a reader that goes through them.
//!
//! A language says what its comments, words, numbers and symbols are ([`Style`]); [`tokens`] splits a text by that. A
//! parser of a language is a [`Reader`] with a grammar. The first error ends a parse: a file from another tool is usually
//! right, and what matters then is which of its constructs we do not know.

use std::ops::DerefMut;

use lang::diagnostic::Diagnostic;
use lang::syntax::{Name, Span};

/// What is parsed, or why it is not.
pub(crate) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep constructs may nest.
pub(crate) const NESTING: usize = 150;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// A number, or a character in single quotes.
    Number,
    /// Text in double quotes.
    Text,
    Symbol,
    End,
}

/// A token: a piece of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    pub(crate) span: Span,
    /// Whether nothing but space precedes it on its line.
    pub(crate) first: bool,
}

/// How a language is written.
pub(crate) struct Style {
    /// What begins a comment up to the end of the line.
    pub(crate) line_comment: &'static str,
    /// What begins and ends any other comment.
    pub(crate) comment: (&'static str, &'static str),
    /// The length of the word that a text begins with, or 0.
    pub(crate) word: fn(&str) -> usize,
    /// The length of the number that a text beginning with a digit begins with.
    pub(crate) number: fn(&str) -> usize,
    /// Symbols of several characters. Of two that fit, the longer one comes first.
    pub(crate) symbols: &'static [&'static str],
    /// Printed symbols, and what they stand for.
    pub(crate) printed: &'static [(&'static str, &'static str)],
    /// Whether there are texts and characters in quotes, and lines that a backslash continues.
    pub(crate) quotes: bool,
}

impl Style {
    /// Comments, words and numbers of C.
    pub(crate) const C: Style = Style {
        line_comment: "//",
        comment: ("/*", "*/"),
        word: |text| if text.starts_with(is_letter) { length(text, is_of_word) } else { 0 },
        number: |text| length(text, is_of_word),
        symbols: &[],
        printed: &[],
        quotes: false,
    };
}

/// Whether a word may begin with this.
pub(crate) fn is_letter(next: char) -> bool {
    next.is_ascii_alphabetic() || next == '_'
}

/// Whether a word may contain this.
pub(crate) fn is_of_word(next: char) -> bool {
    next.is_ascii_alphanumeric() || next == '_'
}

/// How much of the beginning of a text consists of such characters.
pub(crate) fn length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|next: char| !belongs(next)).unwrap_or(text.len())
}

/// The tokens of a text. The last one is its end.
pub(crate) fn tokens<'a>(text: &'a str, style: &Style) -> Parsed<Vec<Token<'a>>> {
    let mut found = Vec::new();
    let (mut at, mut first) = (0, true);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        if next.is_whitespace() || next == '\u{feff}' {
            first |= next == '\n';
            at += next.len_utf8();
            continue;
        }
        if rest.starts_with(style.line_comment) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (open, close) = style.comment;
        if let Some(inner) = rest.strip_prefix(open) {
            let Some(length) = inner.find(close) else {
                let span = Span { start: at, end: at + open.len() };
                return Err(error(span, "this comment does not end", format!("`{close}` is missing")));
            };
            let length = open.len() + length + close.len();
            first |= rest[..length].contains('\n');
            at += length;
            continue;
        }
        if style.quotes && (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
            at += rest.find('\n').unwrap_or(0) + 1;
            continue;
        }
        let word = (style.word)(rest);
        let printed = style.printed.iter().find(|(printed, _)| rest.starts_with(printed));
        let symbol = style.symbols.iter().find(|symbol| rest.starts_with(**symbol));
        let (kind, length) = if style.quotes && (next == '"' || next == '\'') {
            let kind = if next == '"' { Kind::Text } else { Kind::Number };
            let Some(length) = quoted(rest, next) else {
                let span = Span { start: at, end: at + 1 };
                return Err(error(span, "this text does not end", "a quote is missing on this line"));
            };
            (kind, length)
        } else if word > 0 {
            (Kind::Word, word)
        } else if next.is_ascii_digit() {
            (Kind::Number, (style.number)(rest))
        } else if let Some((printed, _)) = printed {
            (Kind::Symbol, printed.len())
        } else {
            (Kind::Symbol, symbol.map_or(next.len_utf8(), |symbol| symbol.len()))
        };
        let own = printed.filter(|_| kind == Kind::Symbol).map_or(&rest[..length], |(_, symbol)| symbol);
        found.push(Token { kind, text: own, span: Span { start: at, end: at + length }, first });
        first = false;
        at += length;
    }
    let span = Span { start: text.len(), end: text.len() };
    found.push(Token { kind: Kind::End, text: "", span, first: true });
    Ok(found)
}

/// The length of a text in quotes that ends on its line.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if next == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn error(span: Span, message: impl Into<String>, label: impl Into<String>) -> Box<Diagnostic> {
    Diagnostic::error(span, message, label).into()
}

/// The refusal of what stands somewhere.
pub(crate) fn refused<T>(span: Span, message: impl Into<String>, label: &str) -> Parsed<T> {
    Err(error(span, message, label))
}

/// Goes through tokens one by one. Invariant: the last token is the end, and the reader never goes beyond it.
pub(crate) struct Reader<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
    pub(crate) at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(tokens: Vec<Token<'a>>) -> Reader<'a> {
        Reader { tokens, at: 0, depth: 0 }
    }

    /// A token further on.
    pub(crate) fn peek(&self, distance: usize) -> Token<'a> {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    pub(crate) fn current(&self) -> Token<'a> {
        self.peek(0)
    }

    /// The token that was read last.
    pub(crate) fn last(&self) -> Token<'a> {
        self.tokens[self.at.saturating_sub(1)]
    }

    /// Reads a token.
    pub(crate) fn advance(&mut self) -> Token<'a> {
        let token = self.current();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(crate) fn is_end(&self) -> bool {
        self.current().kind == Kind::End
    }

    /// Whether this word or symbol stands here.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.current().is(text)
    }

    /// Whether this word or symbol stands after the current token.
    pub(crate) fn follows(&self, text: &str) -> bool {
        self.peek(1).is(text)
    }

    /// Reads this word or symbol, if it stands here.
    pub(crate) fn takes(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Parsed<Span> {
        if self.is(text) { Ok(self.advance().span) } else { self.unexpected(&format!("`{text}`")) }
    }

    /// Any word.
    pub(crate) fn name(&mut self) -> Parsed<Name> {
        if self.current().kind != Kind::Word {
            return self.unexpected("a name");
        }
        let token = self.advance();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    pub(crate) fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        let token = self.current();
        let found = match token.kind {
            Kind::End => "the text ends here".to_owned(),
            _ => format!("`{}` is not expected here", token.text),
        };
        Err(error(token.span, found, format!("expected {expected}")))
    }

    /// The refusal of what begins at the current token.
    pub(crate) fn refused<T>(&self, message: &str) -> Parsed<T> {
        Err(error(self.current().span, message, "not supported"))
    }

    /// Begins something that may contain others like it.
    pub(crate) fn enter(&mut self) -> Parsed<()> {
        if self.depth == NESTING {
            let message = format!("this nests more than {NESTING} levels deep");
            return Err(error(self.current().span, message, "too deep"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends what [`Reader::enter`] began.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The span from a token to the last one that was read.
    pub(crate) fn since(&self, first: Token<'a>) -> Span {
        let last = self.last().span;
        // A macro may end before it begins.
        if last.end >= first.span.start {
            Span { start: first.span.start, end: last.end }
        } else {
            first.span
        }
    }
}

impl Token<'_> {
    /// Whether it is this word or symbol.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Symbol)
    }
}

/// Runs a part of a parser one level deeper.
pub(crate) fn nested<'a, P: DerefMut<Target = Reader<'a>>, T>(
    parser: &mut P,
    part: impl FnOnce(&mut P) -> Parsed<T>,
) -> Parsed<T> {
    parser.enter()?;
    let result = part(parser);
    parser.leave();
    result
}

/// Makes a parser a reader: its field `reader`.
macro_rules! reads {
    ($parser:ident) => {
        impl<'a> std::ops::Deref for $parser<'a> {
            type Target = Reader<'a>;

            fn deref(&self) -> &Reader<'a> {
                &self.reader
            }
        }

        impl<'a> std::ops::DerefMut for $parser<'a> {
            fn deref_mut(&mut self) -> &mut Reader<'a> {
                &mut self.reader
            }
        }
    };
}
pub(crate) use reads;
