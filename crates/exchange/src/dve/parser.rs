//! Parses DVE text.

use lang::syntax::{Binary as Operator, Name, Span, Unary as Modality};

use super::syntax::{Channel, Expr, File, Message, Node, Process, Transition, Type, Unary, Variable};
use crate::operators::{self, Binary};
use crate::text::{Kind, Parsed, Reader, Style, nested, reads, tokens};

const STYLE: Style = Style {
    symbols: &["->", "=>", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--", ":="],
    ..Style::C
};

/// How tightly operators on bits bind, between temporal operators and comparisons.
const BITS: usize = 4;

/// Parses a file.
pub(super) fn file(text: &str) -> Parsed<File> {
    let mut parser = Parser { reader: Reader::new(tokens(text, &STYLE)?), temporal: false };
    let mut file = File::default();
    loop {
        match parser.current().text {
            "const" | "byte" | "int" => parser.variables(&mut file.variables)?,
            "channel" => parser.channels(&mut file.channels)?,
            "process" => file.processes.push(parser.process()?),
            "system" => break,
            _ => return parser.unexpected("a declaration, a process or `system`"),
        }
    }
    parser.advance();
    file.synchronous = parser.takes("sync");
    if !file.synchronous {
        parser.expect("async")?;
    }
    if parser.takes("property") {
        file.property = Some(parser.name()?);
    }
    parser.expect(";")?;
    match parser.current().kind {
        Kind::End => Ok(file),
        _ => parser.unexpected("the end of the file"),
    }
}

/// Parses a temporal formula over DVE expressions.
pub(super) fn formula(text: &str) -> Parsed<Expr> {
    let mut parser = Parser { reader: Reader::new(tokens(text, &STYLE)?), temporal: true };
    let formula = parser.expression()?;
    match parser.current().kind {
        Kind::End => Ok(formula),
        _ => parser.unexpected("the end of the formula"),
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    /// Whether temporal operators are read as such.
    temporal: bool,
}

reads!(Parser);

impl Parser<'_> {
    /// A list of one or more, separated by commas and ended by a semicolon.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.takes(",") {
            items.push(item(self)?);
        }
        self.expect(";")?;
        Ok(items)
    }

    fn kind(&mut self) -> Parsed<Type> {
        match self.current().text {
            "byte" => {
                self.advance();
                Ok(Type::Byte)
            }
            "int" => {
                self.advance();
                Ok(Type::Int)
            }
            _ => self.unexpected("`byte` or `int`"),
        }
    }

    fn variables(&mut self, variables: &mut Vec<Variable>) -> Parsed<()> {
        let is_constant = self.takes("const");
        let kind = self.kind()?;
        let found = self.list(|parser| {
            let name = parser.name()?;
            let size = if parser.takes("[") {
                let size = parser.expression()?;
                parser.expect("]")?;
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
                    parser.expect("}")?;
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
        self.advance();
        let fields = if self.takes("{") {
            let mut fields = vec![self.kind()?];
            while self.takes(",") {
                fields.push(self.kind()?);
            }
            self.expect("}")?;
            Some(fields)
        } else {
            None
        };
        let found = self.list(|parser| {
            let name = parser.name()?;
            let capacity = if parser.takes("[") {
                let capacity = parser.expression()?;
                parser.expect("]")?;
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
        self.advance();
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
        self.expect("{")?;
        while !self.takes("}") {
            match self.current().text {
                "const" | "byte" | "int" => self.variables(&mut process.variables)?,
                "state" => {
                    self.advance();
                    process.states.extend(self.list(|parser| parser.name())?);
                }
                "init" => {
                    self.advance();
                    process.initial = Some(self.name()?);
                    self.expect(";")?;
                }
                "accept" => {
                    self.advance();
                    self.accepting(&mut process.accepting)?;
                }
                "assert" => {
                    self.advance();
                    let assertions = self.list(|parser| {
                        let state = parser.name()?;
                        parser.takes(":");
                        Ok((state, parser.expression()?))
                    })?;
                    process.assertions.extend(assertions);
                }
                "commit" => {
                    self.advance();
                    process.committed.extend(self.list(|parser| parser.name())?);
                }
                "trans" => {
                    self.advance();
                    self.transitions(&mut process.transitions)?;
                }
                _ => return self.unexpected("a declaration, `state`, `init`, `trans` or `}`"),
            }
        }
        Ok(process)
    }

    /// The sets of states that a property process must visit infinitely often: a list is one set.
    fn accepting(&mut self, sets: &mut Vec<Vec<Name>>) -> Parsed<()> {
        let is_kind = !matches!(self.peek(1).text, ";" | ",");
        match self.current().text {
            "muller" | "rabin" | "streett" if is_kind => {
                return self.refused("only lists of accepting states, and of sets of them, are supported");
            }
            "genbuchi" if is_kind => {
                self.advance();
                sets.extend(self.list(|parser| {
                    let mut set = Vec::new();
                    parser.expect("(")?;
                    while !parser.takes(")") {
                        set.push(parser.name()?);
                        if !parser.takes(",") && !parser.is(")") {
                            return parser.unexpected("`,` or `)`");
                        }
                    }
                    Ok(set)
                })?);
            }
            word => {
                if word == "buchi" && is_kind {
                    self.advance();
                }
                let list = self.list(|parser| parser.name())?;
                match sets.first_mut() {
                    Some(first) => first.extend(list),
                    None => sets.push(list),
                }
            }
        }
        Ok(())
    }

    /// Commas between transitions, and the semicolon after the last one, may be left out, as in `DiVinE` 3.
    fn transitions(&mut self, transitions: &mut Vec<Transition>) -> Parsed<()> {
        let mut from: Option<Name> = None;
        loop {
            transitions.push(self.transition(&mut from)?);
            if !self.takes(",") && (self.takes(";") || self.is("}")) {
                return Ok(());
            }
        }
    }

    fn transition(&mut self, from: &mut Option<Name>) -> Parsed<Transition> {
        let parser = self;
        let start = parser.current();
        let source = match (&*from, parser.current().text) {
            (Some(from), "->") => from.clone(),
            _ => parser.name()?,
        };
        *from = Some(source.clone());
        if parser.is("=>") {
            return parser.refused("transitions with probabilities are not supported");
        }
        parser.expect("->")?;
        let to = parser.name()?;
        let mut transition = Transition {
            from: source,
            to,
            guards: Vec::new(),
            message: None,
            effects: Vec::new(),
            span: Span::default(),
        };
        parser.expect("{")?;
        while !parser.takes("}") {
            parser.part(&mut transition)?;
        }
        transition.span = parser.since(start);
        Ok(transition)
    }

    /// A guard, a message or the effects of a transition.
    fn part(&mut self, transition: &mut Transition) -> Parsed<()> {
        match self.current().text {
            "guard" => {
                self.advance();
                transition.guards.extend(self.list(Self::expression)?);
                Ok(())
            }
            "sync" if transition.message.is_none() => {
                self.advance();
                let start = self.current();
                let channel = self.name()?;
                let sends = self.takes("!");
                if !sends {
                    self.expect("?")?;
                }
                let mut values = Vec::new();
                if self.takes("{") {
                    values.push(self.expression()?);
                    while self.takes(",") {
                        values.push(self.expression()?);
                    }
                    self.expect("}")?;
                } else if self.current().text != ";" {
                    values.push(self.expression()?);
                }
                transition.message = Some(Message { channel, sends, values, span: self.since(start) });
                self.expect(";")?;
                Ok(())
            }
            "effect" => {
                self.advance();
                let effects = self.list(|parser| {
                    let target = parser.primary()?;
                    parser.expect("=")?;
                    Ok((target, parser.expression()?))
                })?;
                transition.effects.extend(effects);
                Ok(())
            }
            _ => self.unexpected("`guard`, `sync`, `effect` or `}`"),
        }
    }

    fn expression(&mut self) -> Parsed<Expr> {
        nested(self, |parser| parser.binary(0))
    }

    /// An expression of operators that bind at least as tightly as this level. In formulas implications and temporal
    /// operators group to the right.
    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let start = self.current();
        let mut left = self.prefix()?;
        while let Some((operator, binds)) = self.operator() {
            if binds < level {
                break;
            }
            self.advance();
            let to_the_right = self.temporal && matches!(binds, operators::IMPLICATION | operators::TEMPORAL);
            let level = if to_the_right { binds } else { binds + 1 };
            let right = nested(self, |parser| parser.binary(level))?;
            let span = self.since(start);
            left = Expr { node: Node::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// The operator at the current token, and how tightly it binds. In DVE, unlike in C, `and` and `or` bind equally, and so
    /// do the operators on bits. A formula is ours, so its `&&` binds more tightly than its `||`; `and` and `or` are DVE's there too.
    fn operator(&self) -> Option<(Binary, usize)> {
        let logic = |operator, binds| Some((Binary::Logic(operator), binds));
        match self.current().text {
            "|" | "^" | "&" => operators::of_c(self.current().text).map(|(operator, _)| (operator, BITS)),
            "&&" if !self.temporal => logic(Operator::And, operators::OR),
            "imply" => logic(Operator::Implies, operators::IMPLICATION),
            "->" if self.temporal => logic(Operator::Implies, operators::IMPLICATION),
            "or" => logic(Operator::Or, operators::OR),
            "and" => logic(Operator::And, operators::OR),
            "U" if self.temporal => logic(Operator::Until, operators::TEMPORAL),
            "W" if self.temporal => logic(Operator::WeakUntil, operators::TEMPORAL),
            "R" if self.temporal => logic(Operator::Release, operators::TEMPORAL),
            symbol => operators::of_c(symbol),
        }
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.current();
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
        self.advance();
        let operand = nested(self, Self::prefix)?;
        Ok(Expr { node: Node::Unary(operator, Box::new(operand)), span: self.since(start) })
    }

    /// Whether an operand may begin after the current token, so that this one may be a temporal operator.
    fn begins_operand(&self) -> bool {
        let next = self.peek(1);
        match next.kind {
            Kind::Word => !matches!(next.text, "U" | "W" | "R" | "or" | "and" | "imply"),
            Kind::Number => true,
            Kind::Symbol => matches!(next.text, "(" | "!" | "~"),
            Kind::Text | Kind::End => false,
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.current();
        if self.takes("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(Expr { span: self.since(token), ..inner });
        }
        let node = match (token.kind, token.text) {
            (Kind::Number, text) => {
                let Ok(number) = text.parse::<i32>() else {
                    return self.refused("this is not a decimal number of 32 bits");
                };
                self.advance();
                Node::Number(i64::from(number))
            }
            (Kind::Word, "true") => {
                self.advance();
                Node::Number(1)
            }
            (Kind::Word, "false") => {
                self.advance();
                Node::Number(0)
            }
            (Kind::Word, test @ ("full" | "empty")) if self.peek(1).text == "(" => {
                self.at += 2;
                let channel = self.name()?;
                self.expect(")")?;
                Node::Test(if test == "full" { "full" } else { "empty" }, channel)
            }
            (Kind::Word, _) => self.place()?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { node, span: self.since(token) })
    }

    /// `x`, `a[e]`, `P.s`, `P->x` or `P->a[e]`.
    fn place(&mut self) -> Parsed<Node> {
        let name = self.name()?;
        if self.takes(".") {
            return Ok(Node::At(name, self.name()?));
        }
        // In a formula `a -> b` is an implication unless `a` is a process: whoever translates it knows.
        let is_field = self.current().text == "->" && self.peek(1).kind == Kind::Word && self.is_joined();
        if is_field {
            self.advance();
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
        let before = self.last().span.end == self.current().span.start;
        !self.temporal || before && self.current().span.end == self.peek(1).span.start
    }

    fn position(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let position = self.expression()?;
        self.expect("]")?;
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
