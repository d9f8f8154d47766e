//! The tokens of a C text, and its comments.
//!
//! Comments are kept beside the tokens, because properties stand in them. Of the preprocessor there is only what short
//! programs use: macros are replaced in place, `#if` and its like choose lines, `#include`, `#pragma` and line markers are
//! skipped. Every other directive is refused. A replaced token has the span of the name it replaces.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// A string or a character, with its quotes.
    Text,
    Symbol,
    End,
}

/// The tokens of a text, the last of which is [`Kind::End`], and its comments without their marks.
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<(String, Span)>,
}

/// Limit on the depth of macros in macros.
const NESTING: usize = 20;

/// Limit on the tokens of a text after replacement.
const TOKENS: usize = 1_000_000;

/// Operators, longest first.
const SYMBOLS: [&str; 44] = [
    "<<=", ">>=", "...", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "<<", ">>", "<=",
    ">=", "==", "!=", "&&", "||", "(", ")", "{", "}", "[", "]", ";", ",", ":", "?", "=", "<", ">", "+", "-",
    "*", "/", "%", "&", "|", "^", "!",
];

/// Operators of temporal formulas that C does not have, longest first.
const TEMPORAL: [&str; 8] = ["<==>", "==>", "<=>", "<->", "=>", "->", "[]", "<>"];

/// The tokens of a formula about a C program.
pub(super) fn formula(text: &str) -> Result<Vec<Token>, Box<Diagnostic>> {
    let mut lexer = Lexer { text, position: 0, comments: Vec::new() };
    let mut tokens = Vec::new();
    loop {
        lexer.skip()?;
        let start = lexer.position;
        let temporal = TEMPORAL.iter().find(|symbol| lexer.rest().starts_with(**symbol));
        let token = if let Some(symbol) = temporal {
            lexer.position += symbol.len();
            let span = Span { start, end: lexer.position };
            Token { kind: Kind::Symbol, text: (*symbol).to_owned(), span }
        } else {
            lexer.token()?
        };
        let ended = token.kind == Kind::End;
        tokens.push(token);
        if ended {
            return Ok(tokens);
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
struct Macro {
    /// The names of its parameters, if it has any.
    parameters: Option<Vec<String>>,
    body: Vec<Token>,
}

type Macros = BTreeMap<String, Macro>;

/// An `#if` around.
struct Choice {
    /// Where it begins.
    span: Span,
    /// Whether the lines here are read.
    read: bool,
    /// Whether some lines of it were, so that no others are.
    done: bool,
}

/// The tokens of a C text.
pub(super) fn lex(text: &str) -> Result<Lexed, Box<Diagnostic>> {
    let mut lexer = Lexer { text, position: 0, comments: Vec::new() };
    let mut macros = Macros::new();
    let mut chosen: Vec<Choice> = Vec::new();
    let mut tokens = Vec::new();
    let mut line_start = true;
    loop {
        line_start |= lexer.skip()?;
        if lexer.rest().starts_with('#') && line_start {
            lexer.directive(&mut macros, &mut chosen)?;
            continue;
        }
        line_start = false;
        if chosen.iter().any(|choice| !choice.read) && !lexer.rest().is_empty() {
            lexer.position += lexer.rest().find('\n').unwrap_or(lexer.rest().len());
            continue;
        }
        let token = lexer.token()?;
        if token.kind == Kind::End {
            if let Some(Choice { span, .. }) = chosen.last() {
                return Err(Diagnostic::error(*span, "this has no end", "expected `#endif`").into());
            }
            tokens.push(token);
            return Ok(Lexed { tokens, comments: lexer.comments });
        }
        let mut list = vec![token];
        if macros.get(&list[0].text).is_some_and(|known| known.parameters.is_some()) {
            lexer.arguments(&mut list)?;
        }
        replaced(&list, &macros, 0, &mut tokens)?;
        if tokens.len() > TOKENS {
            let end = Span { start: lexer.position, end: lexer.position };
            return Err(Diagnostic::error(end, "the program is too long", "given up here").into());
        }
    }
}

/// What `<limits.h>` defines of types whose size does not depend on the machine.
const LIMITS: [(&str, &str); 8] = [
    ("SHRT_MAX", "32767"),
    ("SHRT_MIN", "(-32768)"),
    ("USHRT_MAX", "65535"),
    ("UCHAR_MAX", "255"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "(-2147483647 - 1)"),
    ("UINT_MAX", "4294967295u"),
    ("LLONG_MAX", "9223372036854775807LL"),
];

/// Defines the names of `<limits.h>`.
fn limits(macros: &mut Macros) -> Result<(), Box<Diagnostic>> {
    for (name, text) in LIMITS {
        let mut lexer = Lexer { text, position: 0, comments: Vec::new() };
        let mut body = Vec::new();
        loop {
            lexer.skip()?;
            let token = lexer.token()?;
            if token.kind == Kind::End {
                break;
            }
            body.push(token);
        }
        macros.entry(name.to_owned()).or_insert(Macro { parameters: None, body });
    }
    Ok(())
}

/// Adds tokens, with what macros stand for in place of their names.
fn replaced(
    list: &[Token],
    macros: &Macros,
    depth: usize,
    tokens: &mut Vec<Token>,
) -> Result<(), Box<Diagnostic>> {
    let mut position = 0;
    while let Some(token) = list.get(position) {
        position += 1;
        let Some(known) = macros.get(&token.text).filter(|_| token.kind == Kind::Word) else {
            tokens.push(token.clone());
            continue;
        };
        if depth == NESTING || tokens.len() > TOKENS {
            let message = format!("the macro `{}` leads to too many others", token.text);
            return Err(Diagnostic::error(token.span, message, "replaced here").into());
        }
        let mut arguments: Vec<Vec<Token>> = Vec::new();
        if let Some(parameters) = &known.parameters {
            // Without arguments it is a name like any other.
            if list.get(position).is_none_or(|next| next.text != "(") {
                tokens.push(token.clone());
                continue;
            }
            position += 1;
            arguments.push(Vec::new());
            let mut open = 1;
            while let Some(part) = list.get(position) {
                position += 1;
                match part.text.as_str() {
                    "(" => open += 1,
                    ")" => open -= 1,
                    "," if open == 1 => {
                        arguments.push(Vec::new());
                        continue;
                    }
                    _ => {}
                }
                if open == 0 {
                    break;
                }
                arguments.last_mut().into_iter().for_each(|last| last.push(part.clone()));
            }
            if parameters.is_empty() && arguments.iter().all(Vec::is_empty) {
                arguments.clear();
            }
            if arguments.len() != parameters.len() {
                let message = format!("the macro `{}` has {} parameters", token.text, parameters.len());
                let label = format!("{} are given", arguments.len());
                return Err(Diagnostic::error(token.span, message, label).into());
            }
        }
        let mut body = Vec::new();
        for part in &known.body {
            let parameter = known.parameters.iter().flatten().position(|own| *own == part.text);
            match parameter.filter(|_| part.kind == Kind::Word) {
                Some(number) => body.extend(arguments[number].iter().cloned()),
                None => body.push(Token { span: token.span, ..part.clone() }),
            }
        }
        replaced(&body, macros, depth + 1, tokens)?;
    }
    Ok(())
}

struct Lexer<'a> {
    text: &'a str,
    position: usize,
    comments: Vec<(String, Span)>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// Skips white space and comments; says whether a line ended.
    fn skip(&mut self) -> Result<bool, Box<Diagnostic>> {
        let mut lines = self.position == 0;
        loop {
            let rest = self.rest();
            let blank = rest.len()
                - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}', '\u{b}', '\u{feff}']).len();
            let start = self.position;
            if blank > 0 {
                lines |= rest[..blank].contains('\n');
                self.position += blank;
            } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
                self.position += rest.find('\n').map_or(1, |at| at + 1);
            } else if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.position += length;
                self.comments.push((rest[2..length].to_owned(), Span { start, end: self.position }));
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let Some(length) = inside.find("*/") else {
                    let span = Span { start, end: start + 2 };
                    return Err(Diagnostic::error(span, "this comment has no end", "expected `*/`").into());
                };
                self.position += length + 4;
                lines |= rest[..length + 4].contains('\n');
                self.comments.push((inside[..length].to_owned(), Span { start, end: self.position }));
            } else {
                return Ok(lines);
            }
        }
    }

    /// Adds what stands in parentheses after the name of a macro, if anything does.
    fn arguments(&mut self, list: &mut Vec<Token>) -> Result<(), Box<Diagnostic>> {
        self.skip()?;
        if !self.rest().starts_with('(') {
            return Ok(());
        }
        let mut open = 0;
        loop {
            self.skip()?;
            let token = self.token()?;
            match token.text.as_str() {
                _ if token.kind == Kind::End => return Ok(()),
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            list.push(token);
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// A directive of the preprocessor, up to the end of its line.
    fn directive(&mut self, macros: &mut Macros, chosen: &mut Vec<Choice>) -> Result<(), Box<Diagnostic>> {
        let start = self.position;
        let rest = self.rest();
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            length += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        let whole = rest[..length].trim_end();
        let span = Span { start, end: start + whole.len() };
        let name = whole[1..].trim_start();
        let word = name.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        let after = span.end - name.len() + word.len();
        self.position = start + length;
        let read = chosen.iter().all(|choice| choice.read);
        // What stands around the last one.
        let outer = chosen.iter().rev().skip(1).all(|choice| choice.read);
        let rest = self.text[after..span.end].trim();
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let begins = |read: bool| Choice { span, read, done: read };
        match word {
            "ifdef" => chosen.push(begins(macros.contains_key(name))),
            "ifndef" => chosen.push(begins(!macros.contains_key(name))),
            "if" => chosen.push(begins(read && self.is_true(macros, span, after)?)),
            "else" | "endif" | "elif" => {
                let Some(Choice { span: begin, done, .. }) = chosen.pop() else {
                    return Err(
                        Diagnostic::error(span, "this belongs to no `#if`", "not expected here").into()
                    );
                };
                if word != "endif" {
                    let read = !done && (word == "else" || outer && self.is_true(macros, span, after)?);
                    chosen.push(Choice { span: begin, read, done: done || read });
                }
            }
            _ if !read => {}
            _ => return self.defining(macros, word, span, after),
        }
        Ok(())
    }

    /// Whether the condition of an `#if` is true. A name that is no macro is 0.
    fn is_true(&self, macros: &Macros, span: Span, after: usize) -> Result<bool, Box<Diagnostic>> {
        let mut lexer = Lexer { text: &self.text[..span.end], position: after, comments: Vec::new() };
        let mut list: Vec<Token> = Vec::new();
        let number =
            |value: bool, span| Token { kind: Kind::Number, text: u8::from(value).to_string(), span };
        loop {
            lexer.skip()?;
            let token = lexer.token()?;
            if token.kind == Kind::End {
                break;
            }
            if token.text != "defined" {
                list.push(token);
                continue;
            }
            lexer.skip()?;
            let mut name = lexer.token()?;
            if name.text == "(" {
                lexer.skip()?;
                name = lexer.token()?;
                lexer.skip()?;
                lexer.token()?;
            }
            list.push(number(macros.contains_key(&name.text), token.span));
        }
        let mut tokens = Vec::new();
        replaced(&list, macros, 0, &mut tokens)?;
        for token in tokens.iter_mut().filter(|token| token.kind == Kind::Word) {
            *token = number(false, token.span);
        }
        tokens.push(Token {
            kind: Kind::End,
            text: String::new(),
            span: Span { start: span.end, end: span.end },
        });
        super::parser::condition(&tokens)
    }

    /// A directive that does not choose lines; `after` is where its word ends.
    fn defining(
        &mut self,
        macros: &mut Macros,
        word: &str,
        span: Span,
        after: usize,
    ) -> Result<(), Box<Diagnostic>> {
        match word {
            // A line marker is a number.
            "" | "pragma" | "line" | "ident" | "warning" => Ok(()),
            "include" => {
                if self.text[after..span.end].trim_start().starts_with("<limits.h>") {
                    limits(macros)?;
                }
                Ok(())
            }
            "error" => {
                Err(Diagnostic::error(span, "the program says that this is an error", "`#error`").into())
            }
            "define" => {
                let mut body = Lexer { text: &self.text[..span.end], position: after, comments: Vec::new() };
                body.skip()?;
                let name = body.token()?;
                if name.kind != Kind::Word {
                    return Err(Diagnostic::error(span, "this macro has no name", "expected a name").into());
                }
                let mut parameters = None;
                if body.rest().starts_with('(') {
                    body.position += 1;
                    let inside = body.rest().find(')').map_or("", |end| &body.rest()[..end]);
                    body.position += inside.len() + 1;
                    let names: Vec<String> = inside.split(',').map(|name| name.trim().to_owned()).collect();
                    let plain = |name: &String| !name.is_empty() && !name.contains(['.', ' ', '(']);
                    if names.iter().all(plain) {
                        parameters = Some(names);
                    } else if inside.trim().is_empty() {
                        parameters = Some(Vec::new());
                    } else {
                        return Err(refused(span, "a macro with such parameters"));
                    }
                }
                let mut tokens = Vec::new();
                loop {
                    body.skip()?;
                    let token = body.token()?;
                    if token.kind == Kind::End {
                        break;
                    }
                    tokens.push(token);
                }
                self.comments.append(&mut body.comments);
                macros.insert(name.text, Macro { parameters, body: tokens });
                Ok(())
            }
            "undef" => {
                macros.remove(self.text[after..span.end].trim());
                Ok(())
            }
            _ => Err(refused(span, "this directive of the preprocessor")),
        }
    }

    fn token(&mut self) -> Result<Token, Box<Diagnostic>> {
        let rest = self.rest();
        let start = self.position;
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let run = |belongs: &dyn Fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (kind, length) = match rest.chars().next() {
            None => (Kind::End, 0),
            Some(first) if first.is_ascii_digit() => {
                (Kind::Number, run(&|c| c.is_ascii_alphanumeric() || c == '.'))
            }
            Some(first) if in_word(first) => (Kind::Word, run(&in_word)),
            Some(quote @ ('"' | '\'')) => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let ends = (*c == quote && !escaped) || *c == '\n';
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                match end {
                    Some((at, c)) if c == quote => (Kind::Text, at + 1),
                    _ => {
                        let span = Span { start, end: start + 1 };
                        return Err(
                            Diagnostic::error(span, "this text has no end", "no closing quote").into()
                        );
                    }
                }
            }
            Some(first) => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Kind::Symbol, symbol.len()),
                None if first == '~' || first == '.' => (Kind::Symbol, 1),
                None => {
                    let span = Span { start, end: start + first.len_utf8() };
                    return Err(
                        Diagnostic::error(span, "this is no part of a C program", "not understood").into()
                    );
                }
            },
        };
        self.position += length;
        let span = Span { start, end: self.position };
        Ok(Token { kind, text: rest[..length].to_owned(), span })
    }
}

/// The refusal of something that is C, but not in the subset that is read.
pub(super) fn refused(span: Span, what: &str) -> Box<Diagnostic> {
    let message = format!("{what} is not supported: programs are over integers, without memory or threads");
    Diagnostic::error(span, message, "not in the subset of C that is read")
        .help("docs/integers.md has the subset")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let lexed = lex(text).expect("tokens");
        lexed.tokens.into_iter().filter(|token| token.kind != Kind::End).map(|token| token.text).collect()
    }

    #[test]
    fn the_longest_operator_is_taken_and_comments_are_kept_apart() {
        assert_eq!(texts("x+++y<<=1"), ["x", "++", "+", "y", "<<=", "1"]);
        let lexed = lex("a // one\n/* two\nlines */ b").expect("tokens");
        let comments: Vec<&str> = lexed.comments.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(comments, [" one", " two\nlines "]);
    }

    #[test]
    fn macros_have_parameters_and_lines_may_be_left_out() {
        let max = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n";
        assert_eq!(texts(&format!("{max}MAX(x, f(1, 2))")).join(""), "((x)>(f(1,2))?(x):(f(1,2)))");
        assert_eq!(texts(&format!("{max}MAX + MAX (MAX(1, 2), 3)")).len(), 2 + 13 + 2 * 17 + 2);
        assert_eq!(texts("#define NOTHING() 5\nNOTHING()"), ["5"]);
        let choice = "#define A\n#ifdef A\none\n#ifdef B\ntwo 'broken\n#else\nthree\n#endif\n#else\nfour\n#endif\n#if 0\nfive\n#endif\nsix";
        assert_eq!(texts(choice), ["one", "three", "six"]);
        let choice = "#define A 2\n#if A == 1\none\n#elif A > 1 && defined(A) && !defined B\ntwo\n#elif 1\nthree\n#else\nfour\n#endif";
        assert_eq!(texts(choice), ["two"]);
        let choice =
            "#if 0\n#if 1\none\n#elif 1\ntwo\n#else\nthree\n#endif\n#elif UNKNOWN\nfour\n#else\nfive\n#endif";
        assert_eq!(texts(choice), ["five"]);
    }

    #[test]
    fn simple_macros_are_replaced_where_they_are_used_and_others_are_refused() {
        assert_eq!(
            texts("#include <assert.h>\n#define N (M + 1) // why\n#define M 2\nx < N"),
            ["x", "<", "(", "2", "+", "1", ")"]
        );
        assert_eq!(texts("#define A 1\n#undef A\nA"), ["A"]);
        let refused = |text: &str| lex(text).err().map(|fault| fault.message).unwrap_or_default();
        assert!(refused("#define F(x, ...) x").contains("a macro with such parameters"));
        assert!(refused("#import <x>\n").contains("directive"));
        assert!(
            refused("#if X >\n#endif").contains("not expected") || !refused("#if X >\n#endif").is_empty()
        );
        assert!(refused("#if 1\n#error no\n#endif").contains("an error"));
        assert!(refused("#ifdef X\na").contains("no end"));
        assert!(refused("#endif").contains("no `#if`"));
        assert!(refused("#define F(x) x\nF(1, 2)").contains("1 parameters"));
        assert!(refused("#define A A\nA").contains("too many"));
        assert!(refused("/* open").contains("no end"));
    }
}
