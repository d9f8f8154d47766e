//! The tokens of a text in the format of T2.
//!
//! The lexer is a position in the text; a copy of it can look ahead. It has no keywords: `FROM`, `assume`, `F` and `A`
//! are words. The parser decides from the next token whether one is a keyword, because programs use most of them as
//! names of variables.

use lang::syntax::Span;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Symbol,
    Text,
    /// Something that is not part of the format.
    Bad,
    End,
}

/// A position in a text.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        let position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, position }
    }

    /// The text of a token.
    pub(super) fn text(&self, token: Token) -> &'a str {
        &self.text[token.span.start..token.span.end]
    }

    /// The next token; at the end of the text, [`Kind::End`] for ever.
    pub(super) fn next(&mut self) -> Token {
        loop {
            let rest = &self.text[self.position..];
            self.position += rest.len() - rest.trim_start().len();
            let rest = &self.text[self.position..];
            if !rest.starts_with("//") && !rest.starts_with('#') {
                break;
            }
            self.position += rest.find('\n').unwrap_or(rest.len());
        }
        let (kind, length) = token(&self.text[self.position..]);
        let start = self.position;
        self.position += length;
        Token { kind, span: Span { start, end: self.position } }
    }
}

/// The kind and length of the token at the beginning of a text that does not begin with white space.
fn token(text: &str) -> (Kind, usize) {
    let Some(first) = text.chars().next() else { return (Kind::End, 0) };
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let run = |from: usize, belongs: &dyn Fn(char) -> bool| {
        text[from..].find(|c| !belongs(c)).map_or(text.len(), |at| from + at)
    };
    if first.is_ascii_digit() {
        return (Kind::Number, run(0, &|c| c.is_ascii_digit()));
    }
    if first.is_ascii_alphabetic() || "_$'".contains(first) {
        let mut end = run(1, &in_word);
        // `x!1` is a name, `x!=1` a comparison.
        while text[end..].starts_with('!') && run(end + 1, &in_word) > end + 1 {
            end = run(end + 1, &in_word);
        }
        return (Kind::Word, end);
    }
    if first == '"' {
        let end = text[1..].find(['"', '\n']).map_or(text.len(), |at| at + 1);
        return if text[end..].starts_with('"') { (Kind::Text, end + 1) } else { (Kind::Bad, end) };
    }
    match text.as_bytes() {
        [b':' | b'<' | b'>' | b'=' | b'!', b'=', ..] | [b'&', b'&', ..] | [b'|', b'|', ..] => {
            (Kind::Symbol, 2)
        }
        _ if "():;,<>=!+-*/%[]".contains(first) => (Kind::Symbol, 1),
        _ => (Kind::Bad, first.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| {
            let token = lexer.next();
            (token.kind != Kind::End).then(|| lexer.text(token))
        })
        .collect()
    }

    #[test]
    fn a_name_may_have_marks_inside_and_a_comparison_is_not_one() {
        assert_eq!(texts("x!1!=$a.b:=-1;"), ["x!1", "!=", "$a.b", ":=", "-", "1", ";"]);
        assert_eq!(texts("x!=1"), ["x", "!=", "1"]);
        assert_eq!(texts("x! y"), ["x", "!", "y"]);
        assert_eq!(texts("a'b"), ["a", "'b"]);
    }

    #[test]
    fn comments_of_both_kinds_are_left_out() {
        assert_eq!(texts("// a\nFROM: 1; # b\nTO: 2;//"), ["FROM", ":", "1", ";", "TO", ":", "2", ";"]);
    }

    #[test]
    fn what_the_format_does_not_have_is_bad_and_nothing_is_lost() {
        let mut lexer = Lexer::new("é \"open\nx ? 1x");
        let kinds: Vec<Kind> = (0..7).map(|_| lexer.next().kind).collect();
        let expected = [Kind::Bad, Kind::Bad, Kind::Word, Kind::Bad, Kind::Number, Kind::Word, Kind::End];
        assert_eq!(kinds, expected);
    }
}
