//! Source text to tokens.
//!
//! The lexer is a function from a position to the next token. It never fails and skips only white space. Text that is
//! not part of the language becomes a [`Kind::Bad`] token, so that the parser can report it once and skip the rest of
//! the statement. A token is its kind and its place; its text is a slice of the source, which is all the parser
//! compares. The lexer does not separate names from keywords, because many words (`U`, `F`, `count`, `holds`) are
//! keywords only where the grammar asks for them.
//!
//! Tokens are made on demand: ten megabytes of parentheses need no more memory than their text.

use crate::syntax::Span;

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// How many line ends lie between it and the token or comment before it.
    pub(crate) newlines: usize,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// Digits.
    Number,
    /// An operator or punctuation.
    Symbol,
    /// `"…"`, on one line.
    Text,
    /// `// …`
    Comment,
    /// `/* … */`, which is not part of the language.
    BlockComment,
    /// Something that is not part of the language.
    Bad(Fault),
    /// The end of the text.
    End,
}

/// Why a token is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A character that begins no token, or several of them.
    Character,
    /// A word with a letter outside `a`–`z`.
    Letter,
    /// A word that begins with a digit.
    Digit,
    /// Text in single quotes.
    Quotes,
    /// `"` without another on the line.
    OpenText,
    /// `/*` without `*/`.
    OpenComment,
}

/// Reads the tokens of a text one by one.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

/// The symbols of one character.
const SYMBOLS: &str = ";:,{}()[]<>=+-*/%!?@.&|~";

/// Words that cannot be names, sorted.
#[rustfmt::skip] // as a table, not one by one
pub(crate) const RESERVED: &[&str] = &[
    "_", "action", "array", "atomic", "await", "bool", "chan", "choose", "const", "deadlock", "define", "either",
    "else", "enum", "exists", "expect", "fairness", "false", "for", "forall", "goto", "halt", "if", "init", "int",
    "invariant", "local", "loop", "macro", "of", "or", "param", "process", "property", "record", "sf", "shared", "skip", "stay", "true",
    "uf", "under", "wf", "when", "where", "while",
];

/// The temporal operators that stand before one formula. They are names where no operand follows.
pub(crate) const PREFIXES: &[&str] =
    &["AF", "AG", "AX", "EF", "EG", "EX", "F", "FG", "G", "GF", "H", "O", "X", "Y"];

/// The operators between two operands that are written as words. They are names elsewhere.
pub(crate) const INFIXES: &[&str] = &["R", "S", "U", "W", "in"];

/// The words that are applied with parentheses. Without them they are names.
pub(crate) const FUNCTIONS: &[&str] =
    &["count", "empty", "enabled", "full", "len", "max", "min", "sum", "taken"];

/// Whether a text can be a name.
pub(crate) fn is_name(text: &str) -> bool {
    token(text) == (Kind::Word, text.len()) && RESERVED.binary_search(&text).is_err()
}

impl<'a> Lexer<'a> {
    /// A lexer at a byte of a text, where a file begins.
    pub(crate) fn new(text: &'a str, start: usize) -> Lexer<'a> {
        // A byte order mark is not part of the text.
        let mark = if text[start..].starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let position = start + mark;
        Lexer { text, position }
    }

    /// The next token, comments included. At the end of the text, [`Kind::End`] for ever.
    pub(crate) fn next(&mut self) -> Token {
        let rest = &self.text[self.position..];
        let space = rest.len() - rest.trim_start().len();
        let newlines = rest[..space].bytes().filter(|byte| *byte == b'\n').count();
        let start = self.position + space;
        let (kind, length) = token(&self.text[start..]);
        self.position = start + length;
        Token { kind, span: Span { start, end: self.position }, newlines }
    }

    /// Skips the rest of the text.
    pub(crate) fn stop(&mut self) {
        self.position = self.text.len();
    }
}

/// The kind and length of the token at the beginning of a text that does not begin with white space.
fn token(text: &str) -> (Kind, usize) {
    let Some(first) = text.chars().next() else { return (Kind::End, 0) };
    let while_ = |belongs: &dyn Fn(char) -> bool| text.find(|c| !belongs(c)).unwrap_or(text.len());
    if text.starts_with("//") {
        return (Kind::Comment, text.find('\n').unwrap_or(text.len()));
    }
    if let Some(inside) = text.strip_prefix("/*") {
        return match inside.find("*/") {
            Some(length) => (Kind::BlockComment, length + 4),
            None => (Kind::Bad(Fault::OpenComment), text.len()),
        };
    }
    if first.is_alphabetic() || first == '_' {
        let length = while_(&|c| c.is_alphanumeric() || c == '_');
        let kind = if text[..length].is_ascii() { Kind::Word } else { Kind::Bad(Fault::Letter) };
        return (kind, length);
    }
    if first.is_ascii_digit() {
        let digits = while_(&|c| c.is_ascii_digit());
        let length = while_(&|c| c.is_alphanumeric() || c == '_');
        return if length > digits { (Kind::Bad(Fault::Digit), length) } else { (Kind::Number, digits) };
    }
    if first == '"' || first == '\'' {
        // To the closing quote, but not beyond the end of the line.
        let end = text[1..].find([first, '\n']).map_or(text.len(), |at| at + 1);
        let closed = text[end..].starts_with(first);
        let kind = match first {
            '"' if closed => Kind::Text,
            '"' => Kind::Bad(Fault::OpenText),
            _ => Kind::Bad(Fault::Quotes),
        };
        return (kind, end + usize::from(closed));
    }
    let length = symbol(text.as_bytes());
    if length > 0 {
        return (Kind::Symbol, length);
    }
    let begins_no_token =
        |c: char| !(c.is_whitespace() || c.is_alphanumeric() || SYMBOLS.contains(c) || "_\"'".contains(c));
    (Kind::Bad(Fault::Character), while_(&begins_no_token).max(first.len_utf8()))
}

/// The length of the longest symbol at the beginning of a text. Some (`=>`, `:=`, `~`) are not part of the language;
/// they are tokens so that the parser can say what to write instead.
fn symbol(text: &[u8]) -> usize {
    match text {
        [b'<', b'-' | b'=', b'>', ..] => 3,
        [b'<' | b'-' | b'=', b'=' | b'>', ..] => 2,
        [b'!' | b'>' | b':' | b'+' | b'*' | b'/' | b'%' | b'&', b'=', ..] => 2,
        [b'~', b'>', ..] | [b'/', b'\\', ..] | [b'\\', b'/', ..] => 2,
        [b'|', b'|', ..] | [b'&', b'&', ..] | [b'.', b'.', ..] => 2,
        [first, ..] if SYMBOLS.contains(char::from(*first)) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text, including bad ones.
    fn tokens(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text, 0);
        std::iter::repeat_with(|| lexer.next())
            .map(|token| (token.kind, &text[token.span.start..token.span.end]))
            .take_while(|(kind, _)| *kind != Kind::End)
            .collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn the_longest_symbol_wins() {
        assert_eq!(texts("a<->b<-c"), ["a", "<->", "b", "<", "-", "c"]);
        assert_eq!(texts("1..N<=x<>y"), ["1", "..", "N", "<=", "x", "<>", "y"]);
        assert_eq!(texts("c!x c!=x c?_"), ["c", "!", "x", "c", "!=", "x", "c", "?", "_"]);
        assert_eq!(texts("[](p)a--b"), ["[", "]", "(", "p", ")", "a", "-", "-", "b"]);
    }

    #[test]
    fn comments_end_with_the_line_and_count_the_lines_before_them() {
        assert_eq!(texts("a // b ; c\n// d\r\ne"), ["a", "// b ; c", "// d\r", "e"]);
        let mut lexer = Lexer::new("a\n\n b // c\nd", 0);
        let newlines: Vec<usize> = (0..4).map(|_| lexer.next().newlines).collect();
        assert_eq!(newlines, [0, 2, 0, 1]);
    }

    #[test]
    fn what_the_language_does_not_have_is_one_bad_token() {
        assert_eq!(
            tokens("x # é1 3x \"a b\" \"e\n 'c\n$€§ /* d"),
            [
                (Kind::Word, "x"),
                (Kind::Bad(Fault::Character), "#"),
                (Kind::Bad(Fault::Letter), "é1"),
                (Kind::Bad(Fault::Digit), "3x"),
                (Kind::Text, "\"a b\""),
                (Kind::Bad(Fault::OpenText), "\"e"),
                (Kind::Bad(Fault::Quotes), "'c"),
                (Kind::Bad(Fault::Character), "$€§"),
                (Kind::Bad(Fault::OpenComment), "/* d"),
            ]
        );
        assert_eq!(tokens("\u{feff}/* a */b")[0], (Kind::BlockComment, "/* a */"));
        assert_eq!(tokens("\\ \0")[0], (Kind::Bad(Fault::Character), "\\"));
    }

    #[test]
    fn reserved_words_are_sorted_so_that_they_can_be_searched() {
        assert!(RESERVED.is_sorted());
    }
}
