//! Parses CSP#, the language of PAT: declarations and processes. Expressions and programs are in `expressions`.
//!
//! Operators on processes, from loosest to tightest: `|||`, `||`, `[]` and `[*]`, `<>`, `;`, then guards, prefixes and the
//! rest. A number with a dot before a declaration, as in the paper's figures (`3. var x;`), is skipped.

use lang::syntax::Span;

use super::syntax::{
    Annotation, Assertion, Claim, Definition, Event, Expr, File, IfWord, Name, Operator, Process, Term,
    Values, Variable,
};
use crate::text::{self, Kind, Parsed, Reader, Style, Token, is_of_word, length, nested, reads};

/// The arrow and the operators of the paper's figures may be written as they are printed there.
const STYLE: Style = Style {
    word: |text| match text.chars().next() {
        Some(first) if text::is_letter(first) || first == '#' => 1 + length(&text[1..], is_of_word),
        _ => 0,
    },
    number: |text| length(text, |next| next.is_ascii_digit()),
    symbols: &[
        "|||", "<->", "[*]", "||", "|=", "->", "==", "!=", "<=", ">=", "<>", "&&", "++", "--", "+=", "-=",
        "..", "[]", "=>", "^^",
    ],
    printed: &[("→", "->"), ("□", "[]"), ("◇", "<>"), ("⇒", "->"), ("¬", "!"), ("∥", "||")],
    ..Style::C
};

/// The declarations of a text.
pub(super) fn file(text: &str) -> Parsed<File> {
    let mut parser = Parser::new(without_numbers(text, text::tokens(text, &STYLE)?));
    let mut file = File::default();
    while !parser.is_end() {
        parser.declaration(&mut file)?;
    }
    Ok(file)
}

/// A formula on its own.
pub(super) fn formula(text: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(text::tokens(text, &STYLE)?);
    let formula = parser.expression()?;
    if parser.is_end() { Ok(formula) } else { parser.unexpected("the end") }
}

/// Leaves out the numbers of lines: a number and a dot at the beginning of a line.
fn without_numbers<'a>(text: &str, tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
    let begins =
        |span: Span| text[..span.start].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let mut kept: Vec<Token<'a>> = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let is_dot = rest.peek().is_some_and(|next| next.text == "." && next.span.start == token.span.end);
        if token.kind == Kind::Number && is_dot && begins(token.span) {
            rest.next();
        } else {
            kept.push(token);
        }
    }
    kept
}

pub(super) struct Parser<'a> {
    reader: Reader<'a>,
    /// Whether a dot belongs to the name before it: not between the arguments of an event.
    pub(super) dots: bool,
}

reads!(Parser);

impl<'a> Parser<'a> {
    fn new(tokens: Vec<Token<'a>>) -> Parser<'a> {
        Parser { reader: Reader::new(tokens), dots: true }
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        if self.current().text.starts_with('#') {
            return self.unexpected("a name");
        }
        self.reader.name()
    }

    fn declaration(&mut self, file: &mut File) -> Parsed<()> {
        match self.current().text {
            ";" => {
                self.advance();
            }
            "#define" => {
                self.advance();
                let name = self.name()?;
                let value = self.expression()?;
                self.takes(";");
                file.defines.push((name, value));
            }
            "enum" => {
                self.advance();
                self.expect("{")?;
                for value in 0.. {
                    file.constants.push((self.name()?, value));
                    if !self.takes(",") {
                        break;
                    }
                }
                self.expect("}")?;
                self.takes(";");
            }
            "var" => self.variable(file)?,
            "channel" => {
                self.advance();
                let name = self.name()?;
                if self.is("[") {
                    return self.refused("an array of channels is not supported");
                }
                let capacity = self.expression()?;
                self.expect(";")?;
                file.channels.push((name, capacity));
            }
            "#alphabet" => {
                self.advance();
                let name = self.name()?;
                self.expect("{")?;
                let mut events = Vec::new();
                while !self.is("}") {
                    events.push(self.event()?);
                    if !self.takes(",") {
                        break;
                    }
                }
                self.expect("}")?;
                self.takes(";");
                file.alphabets.push((name, events));
            }
            "#assert" => {
                let assertion = self.assertion()?;
                file.assertions.push(assertion);
            }
            word if word.starts_with('#') => {
                return self.refused(&format!("`{word}` is not supported"));
            }
            _ => {
                let name = self.name()?;
                let mut parameters = Vec::new();
                if self.takes("(") && !self.takes(")") {
                    loop {
                        parameters.push(self.name()?);
                        if !self.takes(",") {
                            break;
                        }
                    }
                    self.expect(")")?;
                }
                self.expect("=")?;
                let body = self.process()?;
                self.expect(";")?;
                file.processes.push(Definition { name, parameters, body });
            }
        }
        Ok(())
    }

    fn variable(&mut self, file: &mut File) -> Parsed<()> {
        self.expect("var")?;
        loop {
            if self.is("<") {
                return self.refused("types of libraries are not supported");
            }
            let name = self.name()?;
            let mut sizes = Vec::new();
            while self.takes("[") {
                sizes.push(self.expression()?);
                self.expect("]")?;
            }
            let mut range = None;
            if self.takes(":") {
                self.expect("{")?;
                let lo = self.expression()?;
                self.expect("..")?;
                range = Some((lo, self.expression()?));
                self.expect("}")?;
            }
            let mut initial = Vec::new();
            if self.takes("=") {
                if self.takes("[") {
                    while !self.is("]") {
                        let value = self.expression()?;
                        // `[0(3)]`: three times.
                        let times = if self.takes("(") {
                            let times = self.expression()?;
                            self.expect(")")?;
                            Some(times)
                        } else {
                            None
                        };
                        match times.map(|times| times.kind) {
                            None => initial.push(value),
                            Some(super::syntax::Kind::Int(times @ 0..=10_000)) => {
                                initial.extend((0..times).map(|_| value.clone()));
                            }
                            Some(_) => {
                                return self.refused("this number of repetitions is not supported");
                            }
                        }
                        if !self.takes(",") {
                            break;
                        }
                    }
                    let span = self.expect("]")?;
                    // `var a = [1, 2];` has as many elements as values.
                    if sizes.is_empty() {
                        let kind = super::syntax::Kind::Int(initial.len() as i64);
                        sizes.push(Expr { kind, span });
                    }
                } else {
                    initial.push(self.expression()?);
                }
            }
            file.variables.push(Variable { name, sizes, range, initial });
            if !self.takes(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn assertion(&mut self) -> Parsed<Assertion> {
        let start = self.expect("#assert")?;
        let process = self.name()?;
        let arguments = self.arguments()?;
        let claim = match self.current().text {
            "|=" => {
                self.advance();
                Claim::Formula(self.expression()?)
            }
            "deadlockfree" => {
                self.advance();
                Claim::DeadlockFree
            }
            "reaches" => {
                self.advance();
                Claim::Reaches(self.expression()?)
            }
            "nonterminating" => {
                self.advance();
                Claim::Nonterminating
            }
            word @ ("deterministic" | "divergencefree" | "refines") => {
                while !self.is(";") && !self.is_end() {
                    self.advance();
                }
                Claim::LeftOut(word.to_owned())
            }
            _ => return self.unexpected("`|=`, `deadlockfree`, `nonterminating` or `reaches`"),
        };
        let span = start.to(self.current().span);
        self.expect(";")?;
        Ok(Assertion { process, arguments, claim, span })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.takes("(") && !self.takes(")") {
            loop {
                arguments.push(self.expression()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        Ok(arguments)
    }

    fn event(&mut self) -> Parsed<Event> {
        let name = self.name()?;
        let mut arguments = Vec::new();
        while self.takes(".") {
            arguments.push(self.argument()?);
        }
        Ok(Event { name, arguments })
    }

    /// One of several values with dots between them.
    fn argument(&mut self) -> Parsed<Expr> {
        let before = std::mem::replace(&mut self.dots, false);
        let argument = self.sum();
        self.dots = before;
        argument
    }

    fn process(&mut self) -> Parsed<Process> {
        let process = nested(self, |parser| {
            parser.operators(&["|||"], Term::Interleave, |parser| {
                parser.operators(&["||"], Term::Parallel, |parser| {
                    parser.operators(&["[]", "[*]"], Term::Choice, |parser| {
                        parser.operators(&["<>"], Term::Internal, |parser| {
                            // The semicolon also ends a declaration: a process begins on with what cannot begin one.
                            parser.sequence()
                        })
                    })
                })
            })
        })?;
        match self.current().text {
            "interrupt" => self.refused("`interrupt` is not supported"),
            "\\" => self.refused("hiding events is not supported"),
            _ => Ok(process),
        }
    }

    fn operators(
        &mut self,
        signs: &[&str],
        term: impl Fn(Vec<Process>) -> Term,
        operand: impl Fn(&mut Self) -> Parsed<Process>,
    ) -> Parsed<Process> {
        let first = operand(self)?;
        let mut parts = vec![first];
        while signs.iter().any(|sign| self.is(sign)) {
            self.advance();
            parts.push(operand(self)?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        Ok(Process { kind: term(parts), span })
    }

    fn sequence(&mut self) -> Parsed<Process> {
        let mut parts = vec![self.unary()?];
        while self.is(";") && self.continues() {
            self.advance();
            parts.push(self.unary()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        Ok(Process { kind: Term::Sequence(parts), span })
    }

    /// Whether a process follows the semicolon here, and not a declaration: `Q(…) =` declares.
    fn continues(&self) -> bool {
        let rest = &self.tokens[self.at + 1..];
        let Some(next) = rest.first() else { return false };
        match next.kind {
            Kind::Text | Kind::End => false,
            Kind::Symbol => matches!(next.text, "(" | "[" | "{" | "|||" | "||" | "[]" | "<>"),
            Kind::Number => false,
            Kind::Word if next.text.starts_with('#') => false,
            Kind::Word if matches!(next.text, "var" | "enum" | "channel") => false,
            Kind::Word => {
                let mut after = 1;
                if rest.get(1).is_some_and(|token| token.text == "(") {
                    let mut depth = 0;
                    while let Some(token) = rest.get(after) {
                        match token.text {
                            "(" => depth += 1,
                            ")" => depth -= 1,
                            _ => {}
                        }
                        after += 1;
                        if depth == 0 {
                            break;
                        }
                    }
                }
                rest.get(after).is_none_or(|token| token.text != "=")
            }
        }
    }

    fn unary(&mut self) -> Parsed<Process> {
        nested(self, |parser| {
            let start = parser.current();
            let span = start.span;
            let process = |kind: Term, span: Span| Process { kind, span };
            match start.text {
                "|||" | "||" | "[]" | "<>" | ";" => {
                    let operator = match start.text {
                        ";" => Operator::Sequence,
                        "|||" => Operator::Interleave,
                        "||" => Operator::Parallel,
                        "[]" => Operator::Choice,
                        _ => Operator::Internal,
                    };
                    parser.advance();
                    parser.indexed(operator, span)
                }
                "[" => {
                    parser.advance();
                    let condition = parser.expression()?;
                    parser.expect("]")?;
                    let then = parser.unary()?;
                    let span = span.to(then.span);
                    Ok(process(Term::Guard(condition, Box::new(then)), span))
                }
                "(" => {
                    parser.advance();
                    let inner = parser.process()?;
                    let span = span.to(parser.expect(")")?);
                    Ok(Process { span, ..inner })
                }
                "{" => {
                    let program = parser.program()?;
                    parser.expect("->")?;
                    let then = parser.unary()?;
                    let span = span.to(then.span);
                    Ok(process(Term::Silent(program, Box::new(then)), span))
                }
                "Skip" | "Stop" if start.kind == Kind::Word => {
                    parser.advance();
                    if parser.takes("(") {
                        parser.expect(")")?;
                    }
                    Ok(process(if start.text == "Skip" { Term::Skip } else { Term::Stop }, span))
                }
                "if" | "ifa" | "ifb" => parser.conditional(),
                "case" => parser.case(),
                "atomic" if parser.follows("{") => {
                    parser.advance();
                    parser.expect("{")?;
                    let inner = Box::new(parser.process()?);
                    let span = span.to(parser.expect("}")?);
                    Ok(process(Term::Atomic(inner), span))
                }
                _ => parser.prefix(),
            }
        })
    }

    /// `x:{0..2}; y:{1, 3} @ P(x, y)`; the braces may be left out, as the paper does. `{3} @ P()` is three times the same.
    fn indexed(&mut self, operator: Operator, start: Span) -> Parsed<Process> {
        let mut indices = Vec::new();
        while indices.is_empty() && self.takes("{") {
            let times = self.expression()?;
            let span = self.expect("}")?;
            let one = Expr { kind: super::syntax::Kind::Int(1), span };
            // No process can have a parameter that is called so.
            indices.push((Name { text: String::new(), span }, vec![Values::Range(one, times)]));
        }
        while indices.first().is_none_or(|(name, _)| !name.text.is_empty()) {
            let name = self.name()?;
            self.expect(":")?;
            let braces = self.takes("{");
            let mut values = Vec::new();
            loop {
                let lo = self.expression()?;
                values.push(if self.takes("..") {
                    Values::Range(lo, self.expression()?)
                } else {
                    Values::One(lo)
                });
                if !braces || !self.takes(",") {
                    break;
                }
            }
            if braces {
                self.expect("}")?;
            }
            indices.push((name, values));
            if !self.takes(";") && !self.takes(",") {
                break;
            }
        }
        self.expect("@")?;
        let body = self.unary()?;
        let span = start.to(body.span);
        Ok(Process { kind: Term::Indexed(operator, indices, Box::new(body)), span })
    }

    fn conditional(&mut self) -> Parsed<Process> {
        let start = self.advance();
        let word = match start.text {
            "ifa" => IfWord::Atomic,
            "ifb" => IfWord::Blocking,
            _ => IfWord::Plain,
        };
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let yes = Box::new(self.branch()?);
        let no = if self.takes("else") {
            Some(Box::new(if self.is("if") || self.is("ifa") { self.conditional()? } else { self.branch()? }))
        } else {
            None
        };
        let span = start.span.to(no.as_ref().map_or(yes.span, |no| no.span));
        Ok(Process { kind: Term::If { word, condition, yes, no }, span })
    }

    fn branch(&mut self) -> Parsed<Process> {
        if self.takes("{") {
            let inner = self.process()?;
            self.expect("}")?;
            return Ok(inner);
        }
        self.unary()
    }

    fn case(&mut self) -> Parsed<Process> {
        let start = self.expect("case")?;
        self.expect("{")?;
        let mut branches = Vec::new();
        while !self.is("}") {
            let condition = if self.takes("default") { None } else { Some(self.expression()?) };
            self.expect(":")?;
            branches.push((condition, self.process()?));
            self.takes(";");
        }
        let span = start.to(self.expect("}")?);
        Ok(Process { kind: Term::Case(branches), span })
    }

    /// `a.1{x = 1;} -> P`, `c!e -> P`, `c?x -> P`, or a call.
    fn prefix(&mut self) -> Parsed<Process> {
        let start = self.current();
        let word = match start.text {
            "wf" => Some(Annotation::Weak),
            "sf" => Some(Annotation::Strong),
            "f" => Some(Annotation::Unconditional),
            "wl" => Some(Annotation::WeakLive),
            "sl" => Some(Annotation::StrongLive),
            _ => None,
        };
        if let Some(annotation) = word.filter(|_| self.follows("(") && self.is_annotation()) {
            self.advance();
            self.expect("(")?;
            let event = self.event()?;
            self.expect(")")?;
            return self.after_event(Some(annotation), event, start.span);
        }
        let name = self.name()?;
        if self.is("!") || self.is("?") {
            let sends = self.advance().text == "!";
            // `c?[x > 0]x`: only such messages are received.
            let guard = if !sends && self.takes("[") {
                let guard = self.expression()?;
                self.expect("]")?;
                Some(guard)
            } else {
                None
            };
            let mut values = vec![self.argument()?];
            while self.takes(".") {
                values.push(self.argument()?);
            }
            let program = if self.is("{") { self.program()? } else { Vec::new() };
            self.expect("->")?;
            let then = Box::new(self.unary()?);
            let span = start.span.to(then.span);
            let kind = if sends {
                Term::Send(name, values, program, then)
            } else {
                Term::Receive(name, guard, values, program, then)
            };
            return Ok(Process { kind, span });
        }
        if self.is("(") {
            let arguments = self.arguments()?;
            let span = start.span.to(self.last().span);
            return Ok(Process { kind: Term::Call(name, arguments), span });
        }
        let mut arguments = Vec::new();
        while self.takes(".") {
            arguments.push(self.argument()?);
        }
        if arguments.is_empty() && !self.is("->") && !self.is("{") {
            return Ok(Process { kind: Term::Call(name, Vec::new()), span: start.span });
        }
        self.after_event(None, Event { name, arguments }, start.span)
    }

    /// Whether `wf(…)` is an annotation: what follows the parenthesis is an arrow or a program.
    fn is_annotation(&self) -> bool {
        let mut depth = 0;
        for (offset, token) in self.reader.tokens[self.at + 1..].iter().enumerate() {
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let next = self.tokens.get(self.at + offset + 2);
                return next.is_some_and(|next| matches!(next.text, "->" | "{"));
            }
        }
        false
    }

    fn after_event(&mut self, annotation: Option<Annotation>, event: Event, start: Span) -> Parsed<Process> {
        let program = if self.is("{") { self.program()? } else { Vec::new() };
        self.expect("->")?;
        let then = Box::new(self.unary()?);
        let span = start.to(then.span);
        Ok(Process { kind: Term::Prefix { annotation, event, program, then }, span })
    }
}
