//! Parses DVE text. The first error ends the parse: a file from another tool is usually right, and what matters then is
//! which of its constructs we do not know.

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Name, Span, Unary as Modality};

use super::lexer::{Kind, Token, tokens};
use super::syntax::{Binary, Channel, Expr, File, Message, Node, Process, Transition, Type, Unary, Variable};
use crate::numbers::Bits;

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep expressions may nest.
const DEPTH: usize = 200;

/// Parses a file.
pub(super) fn file(text: &str) -> Parsed<File> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, temporal: false, depth: 0 };
    let mut file = File::default();
    loop {
        match parser.current().text {
            "const" | "byte" | "int" => parser.variables(&mut file.variables)?,
            "channel" => parser.channels(&mut file.channels)?,
            "process" => file.processes.push(parser.process()?),
            "system" => break,
            _ => return Err(parser.unexpected("a declaration, a process or `system async;`").into()),
        }
    }
    parser.next();
    if parser.current().text == "sync" {
        return Err(parser
            .refused("processes that all step together are not supported", "only `system async`")
            .into());
    }
    parser.word("async")?;
    if parser.takes("property") {
        file.property = Some(parser.name()?);
    }
    parser.symbol(";")?;
    match parser.current().kind {
        Kind::End => Ok(file),
        _ => Err(parser.unexpected("the end of the file").into()),
    }
}

/// Parses a temporal formula over DVE expressions.
pub(super) fn formula(text: &str) -> Parsed<Expr> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, temporal: true, depth: 0 };
    let formula = parser.expression()?;
    match parser.current().kind {
        Kind::End => Ok(formula),
        _ => Err(parser.unexpected("the end of the formula").into()),
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    /// Whether temporal operators are read as such.
    temporal: bool,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn current(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn after(&self) -> Token<'a> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.current();
        self.at += 1;
        token
    }

    /// The span from a token's start to the end of the last token that was read.
    fn since(&self, start: usize) -> Span {
        Span { start, end: self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span.end }
    }

    fn takes(&mut self, text: &str) -> bool {
        let found = self.current().text == text && self.current().kind != Kind::End;
        self.at += usize::from(found);
        found
    }

    fn symbol(&mut self, text: &'static str) -> Parsed<()> {
        if self.takes(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`")).into()) }
    }

    fn word(&mut self, text: &'static str) -> Parsed<()> {
        self.symbol(text)
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.current();
        let found = match token.kind {
            Kind::End => "the text ends here".to_owned(),
            _ => format!("`{}` is not expected here", token.text),
        };
        Diagnostic::error(token.span, found, format!("expected {expected}"))
    }

    fn refused(&self, message: &str, label: &str) -> Diagnostic {
        Diagnostic::error(self.current().span, message, label)
    }

    fn name(&mut self) -> Parsed<Name> {
        if self.current().kind != Kind::Word {
            return Err(self.unexpected("a name").into());
        }
        let token = self.next();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    /// A list of one or more, separated by commas and ended by a semicolon.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.takes(",") {
            items.push(item(self)?);
        }
        self.symbol(";")?;
        Ok(items)
    }

    fn kind(&mut self) -> Parsed<Type> {
        match self.current().text {
            "byte" => {
                self.next();
                Ok(Type::Byte)
            }
            "int" => {
                self.next();
                Ok(Type::Int)
            }
            _ => Err(self.unexpected("`byte` or `int`").into()),
        }
    }

    fn variables(&mut self, variables: &mut Vec<Variable>) -> Parsed<()> {
        let is_constant = self.takes("const");
        let kind = self.kind()?;
        let found = self.list(|parser| {
            let name = parser.name()?;
            let size = if parser.takes("[") {
                let size = parser.expression()?;
                parser.symbol("]")?;
                Some(size)
            } else {
                None
            };
            let mut initial = Vec::new();
            if parser.takes("=") {
                if parser.takes("{") {
                    initial.push(parser.expression()?);
                    while parser.takes(",") {
                        initial.push(parser.expression()?);
                    }
                    parser.symbol("}")?;
                } else {
                    initial.push(parser.expression()?);
                }
            }
            Ok(Variable { is_constant, kind, name, size, initial })
        })?;
        variables.extend(found);
        Ok(())
    }

    fn channels(&mut self, channels: &mut Vec<Channel>) -> Parsed<()> {
        self.next();
        let fields = if self.takes("{") {
            let mut fields = vec![self.kind()?];
            while self.takes(",") {
                fields.push(self.kind()?);
            }
            self.symbol("}")?;
            Some(fields)
        } else {
            None
        };
        let found = self.list(|parser| {
            let name = parser.name()?;
            let capacity = if parser.takes("[") {
                let capacity = parser.expression()?;
                parser.symbol("]")?;
                capacity
            } else {
                Expr { node: Node::Number(0), span: name.span }
            };
            Ok(Channel { name, fields: fields.clone(), capacity })
        })?;
        channels.extend(found);
        Ok(())
    }

    fn process(&mut self) -> Parsed<Process> {
        self.next();
        let mut process = Process {
            name: self.name()?,
            variables: Vec::new(),
            states: Vec::new(),
            initial: None,
            accepting: Vec::new(),
            committed: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
        };
        self.symbol("{")?;
        while !self.takes("}") {
            match self.current().text {
                "const" | "byte" | "int" => self.variables(&mut process.variables)?,
                "state" => {
                    self.next();
                    process.states.extend(self.list(Self::name)?);
                }
                "init" => {
                    self.next();
                    process.initial = Some(self.name()?);
                    self.symbol(";")?;
                }
                "accept" => {
                    self.next();
                    if matches!(
                        self.current().text,
                        "buchi" | "genbuchi" | "muller" | "rabin" | "streett" | "("
                    ) && self.after().text != ";"
                        && self.after().text != ","
                    {
                        return Err(self
                            .refused("only a list of accepting states is supported", "not this condition")
                            .into());
                    }
                    process.accepting.extend(self.list(Self::name)?);
                }
                "assert" => {
                    self.next();
                    process
                        .assertions
                        .extend(self.list(|parser| Ok((parser.name()?, parser.expression()?)))?);
                }
                "commit" => {
                    self.next();
                    process.committed.extend(self.list(Self::name)?);
                }
                "trans" => {
                    self.next();
                    self.transitions(&mut process.transitions)?;
                }
                _ => return Err(self.unexpected("a declaration, `state`, `init`, `trans` or `}`").into()),
            }
        }
        Ok(process)
    }

    fn transitions(&mut self, transitions: &mut Vec<Transition>) -> Parsed<()> {
        let mut from: Option<Name> = None;
        let found = self.list(|parser| {
            let start = parser.current().span.start;
            let source = match (&from, parser.current().text) {
                (Some(from), "->") => from.clone(),
                _ => parser.name()?,
            };
            from = Some(source.clone());
            parser.symbol("->")?;
            let to = parser.name()?;
            let mut transition = Transition {
                from: source,
                to,
                guards: Vec::new(),
                message: None,
                effects: Vec::new(),
                span: Span::default(),
            };
            parser.symbol("{")?;
            while !parser.takes("}") {
                parser.part(&mut transition)?;
            }
            transition.span = parser.since(start);
            Ok(transition)
        })?;
        transitions.extend(found);
        Ok(())
    }

    /// A guard, a message or the effects of a transition.
    fn part(&mut self, transition: &mut Transition) -> Parsed<()> {
        match self.current().text {
            "guard" => {
                self.next();
                transition.guards.extend(self.list(Self::expression)?);
                Ok(())
            }
            "sync" if transition.message.is_none() => {
                self.next();
                let start = self.current().span.start;
                let channel = self.name()?;
                let sends = self.takes("!");
                if !sends {
                    self.symbol("?")?;
                }
                let mut values = Vec::new();
                if self.takes("{") {
                    values.push(self.expression()?);
                    while self.takes(",") {
                        values.push(self.expression()?);
                    }
                    self.symbol("}")?;
                } else if self.current().text != ";" {
                    values.push(self.expression()?);
                }
                transition.message = Some(Message { channel, sends, values, span: self.since(start) });
                self.symbol(";")
            }
            "effect" => {
                self.next();
                let effects = self.list(|parser| {
                    let target = parser.primary()?;
                    parser.symbol("=")?;
                    Ok((target, parser.expression()?))
                })?;
                transition.effects.extend(effects);
                Ok(())
            }
            _ => Err(self.unexpected("`guard`, `sync`, `effect` or `}`").into()),
        }
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    /// An expression of operators that bind at least as tightly as this level. `->` and `imply`, and temporal
    /// operators, group to the right.
    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.refused("this expression is nested too deeply", "simplify it").into());
        }
        let start = self.current().span.start;
        let mut left = self.prefix()?;
        while let Some((operator, binds)) = self.operator() {
            if binds < level {
                break;
            }
            self.next();
            let to_the_right = matches!(operator, Binary::Implies | Binary::Temporal(_));
            let right = self.binary(if to_the_right { binds } else { binds + 1 })?;
            let span = self.since(start);
            left = Expr { node: Node::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The operator at the current token, and how tightly it binds.
    fn operator(&self) -> Option<(Binary, usize)> {
        Some(match self.current().text {
            "imply" => (Binary::Implies, 0),
            "->" if self.temporal => (Binary::Implies, 0),
            "or" | "||" => (Binary::Or, 1),
            "and" | "&&" => (Binary::And, 2),
            "U" if self.temporal => (Binary::Temporal(Operator::Until), 3),
            "W" if self.temporal => (Binary::Temporal(Operator::WeakUntil), 3),
            "R" if self.temporal => (Binary::Temporal(Operator::Release), 3),
            "|" => (Binary::Bits(Bits::Or), 4),
            "^" => (Binary::Bits(Bits::Xor), 5),
            "&" => (Binary::Bits(Bits::And), 6),
            "==" => (Binary::Compare(Operator::Eq), 7),
            "!=" => (Binary::Compare(Operator::Ne), 7),
            "<" => (Binary::Compare(Operator::Lt), 8),
            "<=" => (Binary::Compare(Operator::Le), 8),
            ">" => (Binary::Compare(Operator::Gt), 8),
            ">=" => (Binary::Compare(Operator::Ge), 8),
            "<<" => (Binary::ShiftLeft, 9),
            ">>" => (Binary::ShiftRight, 9),
            "+" => (Binary::Add, 10),
            "-" => (Binary::Subtract, 10),
            "*" => (Binary::Multiply, 11),
            "/" => (Binary::Divide, 11),
            "%" => (Binary::Remainder, 11),
            _ => return None,
        })
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.current().span.start;
        let operator = match self.current().text {
            "!" | "not" => Unary::Not,
            "-" => Unary::Negative,
            "~" => Unary::Complement,
            word if self.temporal && self.begins_operand() => match modality(word) {
                Some(operator) => Unary::Temporal(operator),
                None => return self.primary(),
            },
            _ => return self.primary(),
        };
        self.next();
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.refused("this expression is nested too deeply", "simplify it").into());
        }
        let operand = self.prefix()?;
        self.depth -= 1;
        Ok(Expr { node: Node::Unary(operator, Box::new(operand)), span: self.since(start) })
    }

    /// Whether an operand may begin after the current token, so that this one may be a temporal operator.
    fn begins_operand(&self) -> bool {
        let next = self.after();
        match next.kind {
            Kind::Word => !matches!(next.text, "U" | "W" | "R" | "or" | "and" | "imply"),
            Kind::Number => true,
            Kind::Symbol => matches!(next.text, "(" | "!" | "~"),
            Kind::End => false,
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.current();
        let start = token.span.start;
        if self.takes("(") {
            let inner = self.expression()?;
            self.symbol(")")?;
            return Ok(Expr { span: self.since(start), ..inner });
        }
        let node = match (token.kind, token.text) {
            (Kind::Number, text) => {
                let number = text.parse::<i32>();
                let fault = |_| {
                    Box::new(self.refused("this is not a number of 32 bits", "too large, or not decimal"))
                };
                let number = number.map_err(fault)?;
                self.next();
                Node::Number(i64::from(number))
            }
            (Kind::Word, "true") => {
                self.next();
                Node::Number(1)
            }
            (Kind::Word, "false") => {
                self.next();
                Node::Number(0)
            }
            (Kind::Word, test @ ("full" | "empty")) if self.after().text == "(" => {
                self.at += 2;
                let channel = self.name()?;
                self.symbol(")")?;
                Node::Test(if test == "full" { "full" } else { "empty" }, channel)
            }
            (Kind::Word, _) => self.place()?,
            _ => return Err(self.unexpected("an expression").into()),
        };
        Ok(Expr { node, span: self.since(start) })
    }

    /// `x`, `a[e]`, `P.s`, `P->x` or `P->a[e]`.
    fn place(&mut self) -> Parsed<Node> {
        let name = self.name()?;
        if self.takes(".") {
            return Ok(Node::At(name, self.name()?));
        }
        // In a formula `a -> b` is an implication unless `a` is a process: whoever translates it knows.
        let is_field = self.current().text == "->" && self.after().kind == Kind::Word && self.is_joined();
        if is_field {
            self.next();
            let field = self.name()?;
            let position = self.position()?;
            return Ok(Node::Of(name, field, position));
        }
        Ok(match self.position()? {
            Some(position) => Node::Item(name, position),
            None => Node::Name(name.text),
        })
    }

    /// Whether `->` at the current token has no space around it, as in `P->x`.
    fn is_joined(&self) -> bool {
        let before = self.tokens[self.at - 1].span.end == self.current().span.start;
        !self.temporal || before && self.current().span.end == self.after().span.start
    }

    fn position(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let position = self.expression()?;
        self.symbol("]")?;
        Ok(Some(Box::new(position)))
    }
}

/// The temporal operator that a word is.
fn modality(word: &str) -> Option<Modality> {
    Some(match word {
        "G" => Modality::Globally,
        "F" => Modality::Finally,
        "X" => Modality::Next,
        "AG" => Modality::AllGlobally,
        "AF" => Modality::AllFinally,
        "AX" => Modality::AllNext,
        "EG" => Modality::SomeGlobally,
        "EF" => Modality::SomeFinally,
        "EX" => Modality::SomeNext,
        _ => return None,
    })
}
