//! The tokens of the Hanoi format, each with the line it is on.

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A header name without its colon: `States`.
    Header(String),
    /// A word: `Inf`, `t`, `trans-acc`.
    Word(String),
    /// A text in quotation marks, without them.
    Text(String),
    /// A number.
    Number(usize),
    /// An alias, without its `@`.
    Alias(String),
    /// One of `[ ] { } ( ) ! & |`.
    Symbol(char),
    /// `--BODY--` and the like, without the dashes.
    Mark(String),
}

/// The tokens of a text with their lines. The error is a message about text that is not a token.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    // The number of line ends between two suffixes of the text.
    let lines = |before: &str, after: &str| before[..before.len() - after.len()].matches('\n').count();
    loop {
        let before = rest;
        rest = skip(rest).ok_or_else(|| format!("line {line}: a comment is not closed"))?;
        line += lines(before, rest);
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let (token, after) = match first {
            '"' => quoted(&rest[1..]).ok_or_else(|| format!("line {line}: a text is not closed"))?,
            '0'..='9' => {
                let (digits, after) = run(rest, |c| c.is_ascii_digit());
                let number =
                    digits.parse().map_err(|_| format!("line {line}: the number {digits} is too large"))?;
                (Token::Number(number), after)
            }
            '@' => {
                let (name, after) = run(&rest[1..], is_word);
                (Token::Alias(name.to_owned()), after)
            }
            '-' if rest.starts_with("--") => {
                let (name, after) = run(&rest[2..], |c| c.is_ascii_alphabetic());
                let after = after
                    .strip_prefix("--")
                    .ok_or_else(|| format!("line {line}: `--{name}` is not understood"))?;
                (Token::Mark(name.to_owned()), after)
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let (name, after) = run(rest, is_word);
                match skip(after).and_then(|after| after.strip_prefix(':')) {
                    Some(after) => (Token::Header(name.to_owned()), after),
                    None => (Token::Word(name.to_owned()), after),
                }
            }
            '[' | ']' | '{' | '}' | '(' | ')' | '!' | '&' | '|' => (Token::Symbol(first), &rest[1..]),
            other => return Err(format!("line {line}: `{other}` is not understood")),
        };
        tokens.push((token, line));
        line += lines(rest, after);
        rest = after;
    }
}

/// The text after leading white space and comments; `None` if a comment is not closed.
fn skip(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start();
        if !text.starts_with("/*") {
            return Some(text);
        }
        // Comments nest.
        let mut depth = 0;
        loop {
            if let Some(after) = text.strip_prefix("/*") {
                depth += 1;
                text = after;
            } else if let Some(after) = text.strip_prefix("*/") {
                depth -= 1;
                text = after;
                if depth == 0 {
                    break;
                }
            } else {
                let next = text.find(['/', '*'])?;
                text = if next == 0 { &text[1..] } else { &text[next..] };
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Splits off the longest prefix of such characters.
fn run(text: &str, is_part: fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
}

/// A text up to the next quotation mark that is not escaped, and the rest.
fn quoted(text: &str) -> Option<(Token, &str)> {
    let mut content = String::new();
    let mut characters = text.char_indices();
    while let Some((place, c)) = characters.next() {
        match c {
            '"' => return Some((Token::Text(content), &text[place + 1..])),
            '\\' => content.push(characters.next()?.1),
            _ => content.push(c),
        }
    }
    None
}
