//! What Promela models use of the C preprocessor: `#define` with and without parameters, `#undef`, `#if`, `#ifdef`,
//! `#ifndef`, `#elif`, `#else` and `#endif`.
//!
//! It works on tokens, not on text, so everything keeps its place in the file. A macro is not expanded inside its own
//! expansion. Arguments beside `##` and after `#` are taken as they are written; a token that `##` makes has the place of its
//! first part. Files are [included](super::include) before.

use std::collections::BTreeMap;

use lang::diagnostic::Diagnostic;

use super::include::{Made, Whole};
use super::tokens::{Kind, Token, tokens};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// The greatest number of tokens of an expanded file.
const LIMIT: usize = 2_000_000;

struct Macro<'a> {
    /// `None` if it takes no arguments, not even an empty list.
    parameters: Option<Vec<&'a str>>,
    body: Vec<Token<'a>>,
}

/// The tokens of a file after preprocessing.
pub(super) fn preprocess(whole: &Whole) -> Result<Vec<Token<'_>>> {
    Ok(placed(whole)?.found)
}

/// Other tokens with the macros of a file replaced.
pub(super) fn with_macros_of<'a>(whole: &'a Whole, other: &[Token<'a>]) -> Result<Vec<Token<'a>>> {
    let mut state = placed(whole)?;
    state.found.clear();
    state.expand(other, &mut Vec::new(), 0)?;
    Ok(state.found)
}

/// What the preprocessor finds, with the places of the file itself.
fn placed(whole: &Whole) -> Result<Preprocessor<'_>> {
    let mut state = run(whole).map_err(|error| whole.located(error))?;
    let bodies = state.macros.values_mut().flat_map(|own| &mut own.body);
    bodies.chain(&mut state.found).for_each(|token| token.span = whole.place(token.span));
    Ok(state)
}

fn run(whole: &Whole) -> Result<Preprocessor<'_>> {
    let text = whole.text.as_str();
    let all = tokens(text)?;
    let mut state = Preprocessor { macros: BTreeMap::new(), found: Vec::new(), made: &whole.made };
    // Whether each open `#if` is active, and whether one of its parts was.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut at = 0;
    while all[at].kind != Kind::End {
        let active = open.iter().all(|(active, _)| *active);
        if !(all[at].text == "#" && all[at].first) {
            let end = line_end(&all, at);
            if active {
                state.expand(&all[at..end], &mut Vec::new(), 0)?;
            }
            at = end;
            continue;
        }
        let end = directive_end(&all, at, text);
        let line = &all[at + 1..end];
        let word = line.first().map_or("", |token| token.text);
        let arguments = line.get(1..).unwrap_or(&[]);
        let is_defined = |state: &Preprocessor<'_>| {
            arguments.first().is_some_and(|token| state.macros.contains_key(token.text))
        };
        match word {
            "ifdef" | "ifndef" => {
                let yes = is_defined(&state) == (word == "ifdef");
                open.push((yes, yes));
            }
            "if" => {
                let yes = active && state.condition(arguments, all[at])?;
                open.push((yes, yes));
            }
            "elif" | "else" | "endif" => {
                let Some((_, was)) = open.pop() else {
                    return Err(
                        Diagnostic::error(all[at].span, "there is no `#if` for this", "not open").into()
                    );
                };
                let outer = open.iter().all(|(active, _)| *active);
                match word {
                    "else" => open.push((!was, true)),
                    "elif" => {
                        let yes = !was && outer && state.condition(arguments, all[at])?;
                        open.push((yes, was || yes));
                    }
                    _ => {}
                }
            }
            _ if !active => {}
            "define" => state.define(arguments, all[at], text)?,
            "undef" => {
                if let Some(name) = arguments.first() {
                    state.macros.remove(name.text);
                }
            }
            // What the preprocessor of C leaves behind: lines and settings of tools.
            "" | "line" | "pragma" | "ident" => {}
            _ if line.first().is_some_and(|token| token.kind == Kind::Number) => {}
            "include" => {
                let reason = whole.unread(all[at].span.start).unwrap_or("its name must be in quotes");
                let message = format!("this file is not included: {reason}");
                return Err(Diagnostic::error(all[at].span, message, "not read").into());
            }
            _ => {
                let message = format!("the preprocessor does not know `#{word}`");
                return Err(Diagnostic::error(all[at].span, message, "not supported").into());
            }
        }
        at = end;
    }
    if !open.is_empty() {
        return Err(Diagnostic::error(all[at].span, "an `#if` is still open", "`#endif` is missing").into());
    }
    state.found.push(all[at]);
    Ok(state)
}

/// Where the next directive begins.
fn line_end(all: &[Token<'_>], at: usize) -> usize {
    let stops = |token: &Token<'_>| token.kind == Kind::End || token.text == "#" && token.first;
    at + 1 + all[at + 1..].iter().position(stops).unwrap_or(0)
}

/// Where the tokens of a directive end: with its line, unless that ends with a backslash.
fn directive_end(all: &[Token<'_>], at: usize, text: &str) -> usize {
    let mut end = at + 1;
    while all[end].kind != Kind::End {
        let between = &text[all[end - 1].span.end..all[end].span.start];
        let mut rest = between;
        let mut ends = false;
        while let Some(newline) = rest.find('\n') {
            ends |= !rest[..newline].trim_end().ends_with('\\');
            rest = &rest[newline + 1..];
        }
        if ends {
            break;
        }
        end += 1;
    }
    end
}

struct Preprocessor<'a> {
    macros: BTreeMap<&'a str, Macro<'a>>,
    found: Vec<Token<'a>>,
    /// The texts of tokens that macros make.
    made: &'a Made,
}

impl<'a> Preprocessor<'a> {
    fn define(&mut self, line: &[Token<'a>], at: Token<'a>, text: &str) -> Result<()> {
        let Some(name) = line.first().filter(|token| token.kind == Kind::Word) else {
            return Err(Diagnostic::error(at.span, "a macro needs a name", "no name").into());
        };
        let mut body = 1;
        let mut parameters = None;
        // Parameters follow the name without a space.
        let joined = line.get(1).is_some_and(|next| next.text == "(" && next.span.start == name.span.end);
        if joined {
            let Some(close) = line.iter().position(|token| token.text == ")") else {
                return Err(
                    Diagnostic::error(name.span, "the parameters do not end", "`)` is missing").into()
                );
            };
            let names = line[2..close].iter().filter(|token| token.text != ",");
            parameters = Some(names.map(|token| token.text).collect());
            body = close + 1;
        }
        let mut body: Vec<Token<'a>> = line[body..].to_vec();
        // A line that is continued is still one line of the macro, but a semicolon may be left out there.
        for next in 1..body.len() {
            body[next].first = text[body[next - 1].span.end..body[next].span.start].contains('\n');
        }
        self.macros.insert(name.text, Macro { parameters, body });
        Ok(())
    }

    /// Appends tokens with all macros replaced, except those in `inside`.
    fn expand(&mut self, line: &[Token<'a>], inside: &mut Vec<&'a str>, depth: usize) -> Result<()> {
        let mut at = 0;
        while let Some(token) = line.get(at) {
            at += 1;
            let known = self.macros.get(token.text).filter(|_| token.kind == Kind::Word);
            let Some(found) = known.filter(|_| !inside.contains(&token.text)) else {
                self.found.push(*token);
                if self.found.len() > LIMIT {
                    return Err(Diagnostic::error(
                        token.span,
                        "the macros of this file are too large",
                        "here",
                    )
                    .into());
                }
                continue;
            };
            if depth > 100 {
                return Err(
                    Diagnostic::error(token.span, "macros are nested too deeply", "more than 100").into()
                );
            }
            let (mut body, mut parameters, mut raw, mut whole) =
                (found.body.clone(), found.parameters.clone(), Vec::new(), Vec::new());
            if parameters.is_some() {
                if line.get(at).is_none_or(|next| next.text != "(") {
                    self.found.push(*token);
                    continue;
                }
                let Some((arguments, end)) = arguments(line, at) else {
                    return Err(
                        Diagnostic::error(token.span, "the arguments do not end", "`)` is missing").into()
                    );
                };
                at = end;
                // Macros in an argument are replaced before: a macro may be called in an argument of its own call.
                for argument in &arguments {
                    let outer = std::mem::take(&mut self.found);
                    let expanded = self.expand(argument, inside, depth + 1);
                    whole.push(std::mem::replace(&mut self.found, outer));
                    expanded?;
                }
                raw = arguments;
            }
            if body.iter().any(|part| part.text == "##") || parameters.is_some() {
                body = self.substituted(&body, parameters.take().as_deref(), &raw, &whole)?;
            }
            if let Some(head) = body.first_mut() {
                head.first = token.first;
            }
            inside.push(token.text);
            self.expand(&body, inside, depth + 1)?;
            inside.pop();
        }
        Ok(())
    }

    /// The body of a macro with its parameters replaced by arguments, which are given as written and expanded.
    fn substituted(
        &self,
        body: &[Token<'a>],
        parameters: Option<&[&str]>,
        raw: &[Vec<Token<'a>>],
        expanded: &[Vec<Token<'a>>],
    ) -> Result<Vec<Token<'a>>> {
        let argument = |part: &Token<'a>, all: &[Vec<Token<'a>>]| -> Option<Vec<Token<'a>>> {
            let named = parameters?.iter().position(|name| part.kind == Kind::Word && *name == part.text);
            Some(all.get(named?).cloned().unwrap_or_default())
        };
        let mut replaced = Vec::new();
        let mut at = 0;
        while let Some(part) = body.get(at) {
            at += 1;
            let mut here = if part.text == "#" && parameters.is_some() {
                let Some(argument) = body.get(at).and_then(|next| argument(next, raw)) else {
                    let message = "`#` must be followed by a parameter of the macro";
                    return Err(Diagnostic::error(part.span, message, "not a parameter").into());
                };
                at += 1;
                let words: Vec<&str> = argument.iter().map(|token| token.text).collect();
                let quoted = words.join(" ").replace('\\', "\\\\").replace('"', "\\\"");
                vec![self.token(format!("\"{quoted}\""), part)?]
            } else {
                let is_pasted = body.get(at).is_some_and(|next| next.text == "##");
                argument(part, if is_pasted { raw } else { expanded }).unwrap_or_else(|| vec![*part])
            };
            while let Some(paste) = body.get(at).filter(|next| next.text == "##") {
                let Some(right) = body.get(at + 1) else {
                    return Err(Diagnostic::error(paste.span, "nothing follows `##`", "two parts").into());
                };
                at += 2;
                let more = argument(right, raw).unwrap_or_else(|| vec![*right]);
                let mut more = more.into_iter();
                if let Some(right) = more.next() {
                    let joined = match here.pop() {
                        Some(left) => self.token(format!("{}{}", left.text, right.text), &left)?,
                        None => right,
                    };
                    here.push(joined);
                }
                here.extend(more);
            }
            replaced.extend(here);
        }
        Ok(replaced)
    }

    /// A token that a macro makes, with the place of another one.
    fn token(&self, text: String, place: &Token<'a>) -> Result<Token<'a>> {
        let Some(text) = self.made.add(text) else {
            return Err(Diagnostic::error(place.span, "macros make too many tokens here", "too many").into());
        };
        if let Some([one, _]) = tokens(text).ok().as_deref() {
            return Ok(Token { span: place.span, first: place.first, ..*one });
        }
        let message = format!("`{text}` is not one token");
        Err(Diagnostic::error(place.span, message, "made by a macro").into())
    }

    /// The truth of the expression after `#if`.
    fn condition(&self, line: &[Token<'a>], at: Token<'a>) -> Result<bool> {
        let mut plain = Vec::new();
        let mut position = 0;
        while let Some(token) = line.get(position) {
            position += 1;
            if token.text != "defined" {
                plain.push(*token);
                continue;
            }
            let has_parentheses = line.get(position).is_some_and(|next| next.text == "(");
            let name = line.get(position + usize::from(has_parentheses)).map_or("", |token| token.text);
            position += if has_parentheses { 3 } else { 1 };
            let text = if self.macros.contains_key(name) { "1" } else { "0" };
            plain.push(Token { kind: Kind::Number, text, ..*token });
        }
        let mut inner = Preprocessor { macros: BTreeMap::new(), found: Vec::new(), made: self.made };
        for (name, own) in &self.macros {
            let copy = Macro { parameters: own.parameters.clone(), body: own.body.clone() };
            inner.macros.insert(name, copy);
        }
        inner.expand(&plain, &mut Vec::new(), 0)?;
        // A name that is not defined is 0.
        for token in &mut inner.found {
            if token.kind == Kind::Word {
                (token.kind, token.text) = (Kind::Number, "0");
            }
        }
        inner.found.push(Token { kind: Kind::End, text: "", ..at });
        super::expressions::constant_of(inner.found).map(|value| value != 0)
    }
}

/// The arguments after a macro's name, and where the tokens after them begin.
fn arguments<'a>(line: &[Token<'a>], open: usize) -> Option<(Vec<Vec<Token<'a>>>, usize)> {
    let mut depth = 0_usize;
    let mut found = vec![Vec::new()];
    for (at, token) in line.iter().enumerate().skip(open) {
        match token.text {
            "(" if token.kind == Kind::Symbol => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            ")" if token.kind == Kind::Symbol => {
                depth -= 1;
                if depth == 0 {
                    return Some((found, at + 1));
                }
            }
            "," if depth == 1 => {
                found.push(Vec::new());
                continue;
            }
            _ => {}
        }
        found.last_mut()?.push(*token);
    }
    None
}
