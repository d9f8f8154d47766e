//! Parses Promela declarations and statements. The first error ends the parse.
//!
//! A semicolon may be left out at the end of a line. An `inline` is a macro on tokens, as in SPIN: its parameters are
//! replaced by the tokens of the arguments, and the result is parsed where it is called.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{Binary as Operator, Name, Span};

use super::expressions::{Expressions, Parsed};
use super::include::Whole;
use super::preprocess::preprocess;
use super::sequence::{executable, without_more_skips};
use super::syntax::{Action, Base, Declaration, Expr, File, Initial, Node, Place, Process, Statement};
use super::tokens::{Kind, Token, tokens};
use crate::numbers::Arithmetic;
use crate::operators::Binary;

struct Inline<'a> {
    parameters: Vec<&'a str>,
    body: Vec<Token<'a>>,
}

struct Parser<'a> {
    reader: Expressions<'a>,
    inlines: BTreeMap<&'a str, Inline<'a>>,
    /// The names of types.
    records: BTreeSet<&'a str>,
    /// The names of proctypes.
    proctypes: BTreeSet<&'a str>,
    /// How many calls of inlines are open.
    calls: usize,
    /// How many tokens all calls have written.
    written: usize,
    /// How often each name is declared in the proctype in hand.
    locals: BTreeMap<String, usize>,
    /// The declarations so far, the last one of a name counts: `for` asks for sizes.
    declared: BTreeMap<String, Declaration>,
    /// Whether it is in a never claim.
    in_claim: bool,
}

/// The greatest number of tokens that calls of inlines may become.
const WRITTEN: usize = 1_000_000;

/// Parses a file.
pub(super) fn file(whole: &Whole) -> Parsed<File> {
    let reader = Expressions::new(preprocess(whole)?);
    let mut parser = Parser {
        reader,
        inlines: BTreeMap::new(),
        records: BTreeSet::new(),
        proctypes: BTreeSet::new(),
        calls: 0,
        written: 0,
        locals: BTreeMap::new(),
        declared: BTreeMap::new(),
        in_claim: false,
    };
    let mut file = File::default();
    while parser.reader.current().kind != Kind::End {
        parser.item(&mut file)?;
    }
    Ok(file)
}

/// Parses a formula that the user asks for, after the macros of a file.
pub(super) fn formula<'a>(text: &'a str, file: &'a Whole) -> Parsed<Expr> {
    // The macros of the file also mean something in a formula: its tokens are those after the file's own.
    let own = tokens(text)?;
    let mut expanded = super::preprocess::with_macros_of(file, &own[..own.len() - 1])?;
    expanded.push(own[own.len() - 1]);
    let mut reader = Expressions::new(expanded);
    reader.temporal = true;
    let formula = reader.expression()?;
    match reader.current().kind {
        Kind::End => Ok(formula),
        _ => reader.unexpected("the end of the formula"),
    }
}

impl<'a> Parser<'a> {
    fn item(&mut self, file: &mut File) -> Parsed<()> {
        let reader = &mut self.reader;
        let first = reader.current();
        match first.text {
            ";" => {
                reader.advance();
            }
            // `mtype:colour = { … }` declares symbols, `mtype:colour c` a variable.
            "mtype"
                if matches!(reader.peek(1).text, "=" | "{")
                    || reader.peek(1).text == ":" && matches!(reader.peek(3).text, "=" | "{") =>
            {
                reader.advance();
                if reader.takes(":") {
                    // Named groups of symbols are one.
                    reader.name()?;
                }
                reader.takes("=");
                reader.expect("{")?;
                let mut symbols = Vec::new();
                while !reader.takes("}") {
                    symbols.push(reader.name()?);
                    reader.takes(",");
                }
                file.symbols.push(symbols);
            }
            "typedef" => {
                reader.advance();
                self.records.insert(reader.current().text);
                let name = reader.name()?;
                reader.expect("{")?;
                let mut fields = Vec::new();
                while !self.reader.takes("}") {
                    fields.extend(self.declarations()?);
                    while self.reader.takes(";") || self.reader.takes(",") {}
                }
                file.records.push((name, fields));
            }
            "inline" => {
                reader.advance();
                self.inline()?;
            }
            "active" | "proctype" | "D_proctype" | "init" => {
                let process = self.process()?;
                file.processes.push(process);
            }
            "never" => {
                reader.advance();
                if reader.current().kind == Kind::Word {
                    reader.advance();
                }
                reader.expect("{")?;
                if file.never.is_some() {
                    return self.reader.refused("only one never claim is supported");
                }
                self.in_claim = true;
                let body = self.sequence()?;
                self.in_claim = false;
                self.reader.expect("}")?;
                file.never = Some(body);
            }
            "ltl" => {
                reader.advance();
                let name = if reader.current().kind == Kind::Word { Some(reader.name()?) } else { None };
                reader.expect("{")?;
                reader.temporal = true;
                let formula = reader.expression();
                reader.temporal = false;
                let formula = formula?;
                reader.takes(";");
                reader.expect("}")?;
                file.formulas.push((name, formula));
            }
            "trace" | "notrace" => {
                return reader.refused("claims about traces of channels are not supported");
            }
            "c_code" | "c_decl" | "c_state" | "c_track" => {
                return reader.refused("code in C is not supported");
            }
            _ if self.begins_declaration() => {
                let found = self.declarations()?;
                self.note(&found);
                file.variables.extend(found);
            }
            _ => return self.reader.unexpected("a declaration or a proctype"),
        }
        Ok(())
    }

    fn inline(&mut self) -> Parsed<()> {
        let reader = &mut self.reader;
        let name = reader.advance();
        reader.expect("(")?;
        let mut parameters = Vec::new();
        while !reader.takes(")") {
            parameters.push(reader.current().text);
            reader.name()?;
            reader.takes(",");
        }
        reader.expect("{")?;
        let mut body = Vec::new();
        let mut depth = 1_usize;
        loop {
            let token = reader.advance();
            match (token.kind, token.text) {
                (Kind::End, _) => return reader.unexpected("`}`"),
                (Kind::Symbol, "{") => depth += 1,
                (Kind::Symbol, "}") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            body.push(token);
        }
        self.inlines.insert(name.text, Inline { parameters, body });
        Ok(())
    }

    fn process(&mut self) -> Parsed<Process> {
        let reader = &mut self.reader;
        let mut active = None;
        if reader.is("active") {
            let token = reader.advance();
            active = Some(Expr::number(1, token.span));
            if reader.takes("[") {
                active = Some(reader.expression()?);
                reader.expect("]")?;
            }
        }
        let word = reader.advance();
        let mut parameters = Vec::new();
        let name = if word.text == "init" {
            active = Some(Expr::number(1, word.span));
            Name { text: "init".to_owned(), span: word.span }
        } else {
            if !matches!(word.text, "proctype" | "D_proctype") {
                reader.at -= 1;
                return reader.unexpected("`proctype`");
            }
            self.proctypes.insert(reader.current().text);
            let name = reader.name()?;
            reader.expect("(")?;
            while !self.reader.takes(")") {
                parameters.extend(self.declarations()?);
                while self.reader.takes(";") || self.reader.takes(",") {}
            }
            name
        };
        let mut provided = None;
        loop {
            if self.reader.takes("provided") {
                self.reader.expect("(")?;
                provided = Some(self.reader.expression()?);
                self.reader.expect(")")?;
            } else if self.reader.is("priority") {
                return self.reader.refused("priorities of processes are not supported");
            } else {
                break;
            }
        }
        self.reader.expect("{")?;
        self.locals = parameters.iter().map(|own| (own.name.text.clone(), 1)).collect();
        self.note(&parameters);
        let body = self.sequence()?;
        self.reader.expect("}")?;
        self.reader.renamed.clear();
        let body = executable(body, true)?;
        Ok(Process { name, active, parameters, provided, body })
    }

    fn note(&mut self, declared: &[Declaration]) {
        self.declared.extend(declared.iter().map(|own| (own.name.text.clone(), own.clone())));
    }

    /// Gives variables of a proctype names of their own: blocks that are not inside each other may declare the same one.
    fn name_apart(&mut self, declared: &mut [Declaration], first: usize) {
        for own in declared {
            let times = self.locals.entry(own.name.text.clone()).or_default();
            *times += 1;
            if *times > 1 {
                let token = self.reader.tokens[first..self.reader.at]
                    .iter()
                    .find(|token| token.text == own.name.text);
                let other = format!("{}_{times}", own.name.text);
                if let Some(token) = token {
                    self.reader.renamed.push((token.text, other.clone()));
                }
                own.name.text = other;
            }
        }
    }

    fn begins_declaration(&self) -> bool {
        let token = self.reader.current();
        if token.kind != Kind::Word {
            return false;
        }
        match token.text {
            "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "mtype" | "chan" | "hidden"
            | "show" | "local" => true,
            // A record, but not a label with the same name.
            word => self.records.contains(word) && self.reader.peek(1).kind == Kind::Word,
        }
    }

    fn base(&mut self) -> Parsed<Base> {
        let reader = &mut self.reader;
        let name = reader.name()?;
        Ok(match name.text.as_str() {
            "bit" | "bool" => Base::Range(0, 1),
            "byte" | "pid" => Base::Range(0, 255),
            "mtype" => {
                if reader.is(":") && reader.peek(1).kind == Kind::Word {
                    reader.at += 2;
                }
                Base::Symbol
            }
            "short" => Base::Range(i64::from(i16::MIN), i64::from(i16::MAX)),
            "int" => Base::Range(i64::from(i32::MIN), i64::from(i32::MAX)),
            "unsigned" => Base::Range(0, 255),
            "chan" => Base::Chan,
            _ => Base::Record(name),
        })
    }

    /// `int a = 1, b[2]`
    fn declarations(&mut self) -> Parsed<Vec<Declaration>> {
        while matches!(self.reader.current().text, "hidden" | "show" | "local") {
            self.reader.advance();
        }
        let is_unsigned = self.reader.is("unsigned");
        let base = self.base()?;
        let mut found = Vec::new();
        loop {
            let name = self.reader.name()?;
            let mut base = base.clone();
            if is_unsigned && self.reader.takes(":") {
                let bits = self.reader.expression()?;
                let Some(width @ 1..=32) = bits.constant(&|_| None) else {
                    return Err(
                        Diagnostic::error(bits.span, "a number has 1 to 32 bits", "not this many").into()
                    );
                };
                base = Base::Range(0, (1 << width) - 1);
            }
            let mut size = None;
            if self.reader.takes("[") {
                size = Some(self.reader.expression()?);
                self.reader.expect("]")?;
            } else if self.reader.is("[]") {
                return self.reader.unexpected("the number of elements");
            }
            let initial = if self.reader.takes("=") { self.initial()? } else { Initial::None };
            found.push(Declaration { name, base, size, initial });
            // In a list of parameters a comma may be followed by another type.
            let goes_on = self.reader.is(",") && self.reader.peek(1).kind == Kind::Word;
            let is_type = matches!(
                self.reader.peek(1).text,
                "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "mtype" | "chan"
            );
            if !goes_on || is_type {
                return Ok(found);
            }
            self.reader.advance();
        }
    }

    fn initial(&mut self) -> Parsed<Initial> {
        if self.reader.takes("[") {
            let capacity = self.reader.expression()?;
            self.reader.expect("]")?;
            self.reader.expect("of")?;
            self.reader.expect("{")?;
            let mut fields = Vec::new();
            while !self.reader.takes("}") {
                if self.reader.is("unsigned") {
                    return self.reader.refused("`unsigned` as the type of a message is not supported");
                }
                fields.push(self.base()?);
                self.reader.takes(",");
            }
            return Ok(Initial::Channel(capacity, fields));
        }
        if self.reader.takes("{") {
            let mut values = Vec::new();
            while !self.reader.takes("}") {
                values.push(self.reader.expression()?);
                self.reader.takes(",");
            }
            return Ok(Initial::List(values));
        }
        Ok(Initial::Value(self.reader.expression()?))
    }

    /// Statements up to a bracket or the next option.
    fn sequence(&mut self) -> Parsed<Vec<Statement>> {
        let mut found = Vec::new();
        loop {
            while self.reader.takes(";") || self.reader.takes("->") {}
            let token = self.reader.current();
            let ends = token.kind == Kind::End
                || matches!(token.text, "}" | "::" | "fi" | "od") && token.kind != Kind::Text;
            if ends {
                return Ok(found);
            }
            self.reader.enter()?;
            let statement = self.statement(&mut found);
            self.reader.leave();
            statement?;
            let next = self.reader.current();
            // After a block, and at the end of a line, no semicolon is needed.
            let may_go_on = matches!(next.text, ";" | "->" | "}" | "::" | "fi" | "od")
                || next.first
                || next.kind == Kind::End
                || self.reader.last().text == "}"
                || matches!(self.reader.last().text, "fi" | "od");
            if !may_go_on {
                return self.reader.unexpected("`;`");
            }
        }
    }

    fn options(&mut self, end: &str) -> Parsed<Vec<Vec<Statement>>> {
        let mut options = Vec::new();
        while self.reader.takes("::") {
            let option = self.sequence()?;
            options.push(if self.in_claim { option } else { without_more_skips(option) });
        }
        self.reader.expect(end)?;
        if options.is_empty() {
            return self.reader.unexpected("an option");
        }
        Ok(options)
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.reader.expect("{")?;
        let body = self.scope()?;
        self.reader.expect("}")?;
        Ok(body)
    }

    /// Statements whose variables are seen only in them.
    fn scope(&mut self) -> Parsed<Vec<Statement>> {
        let outside = self.reader.renamed.len();
        let body = self.sequence();
        self.reader.renamed.truncate(outside);
        body
    }

    fn statement(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let mut labels = Vec::new();
        // `mtype:colour c` is a declaration.
        // So is `P:x`, a variable of a proctype, an expression.
        while self.reader.current().kind == Kind::Word
            && !self.reader.is("mtype")
            && !self.proctypes.contains(self.reader.current().text)
            && self.reader.peek(1).text == ":"
            && self.reader.peek(1).kind == Kind::Symbol
        {
            labels.push(self.reader.name()?);
            self.reader.advance();
        }
        let first = self.reader.current();
        if !labels.is_empty() && matches!(first.text, "}" | "::" | "fi" | "od") {
            // A label at the end of a sequence marks a `skip`, as in SPIN.
            let action = Action::Wait(Expr::number(1, self.reader.last().span));
            let span = labels[0].span;
            found.push(Statement { labels, action, span });
            return Ok(());
        }
        let before = found.len();
        self.unlabelled(found)?;
        let span = self.reader.since(first);
        if self.reader.takes("unless") {
            let main = found.split_off(before);
            let mut escape = Vec::new();
            self.unlabelled(&mut escape)?;
            found.push(Statement { labels: Vec::new(), action: Action::Unless(main, escape), span });
        }
        match found.get_mut(before) {
            Some(own) => own.labels.splice(0..0, labels).for_each(drop),
            None if labels.is_empty() => {}
            None => return self.reader.refused("a label without a statement is not supported"),
        }
        Ok(())
    }

    fn unlabelled(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let first = self.reader.current();
        let mut push = |reader: &Expressions<'a>, action: Action| {
            found.push(Statement { labels: Vec::new(), action, span: reader.since(first) });
        };
        match first.text {
            "{" => {
                let body = self.block()?;
                push(&self.reader, Action::Block(body));
            }
            "atomic" | "d_step" if self.reader.peek(1).text == "{" => {
                self.reader.advance();
                let body = self.block()?;
                let is_atomic = first.text == "atomic";
                push(
                    &self.reader,
                    if is_atomic { Action::Atomic(body) } else { Action::Deterministic(body) },
                );
            }
            "if" => {
                self.reader.advance();
                let options = self.options("fi")?;
                push(&self.reader, Action::If(options));
            }
            "do" => {
                self.reader.advance();
                let options = self.options("od")?;
                push(&self.reader, Action::Do(options));
            }
            "goto" => {
                self.reader.advance();
                let target = self.reader.name()?;
                push(&self.reader, Action::Goto(target));
            }
            "break" => {
                self.reader.advance();
                push(&self.reader, Action::Break);
            }
            "else" => {
                self.reader.advance();
                push(&self.reader, Action::Else);
            }
            "assert" => {
                self.reader.advance();
                let condition = self.reader.expression()?;
                push(&self.reader, Action::Assert(condition));
            }
            "printf" | "printm" if self.reader.peek(1).text == "(" => {
                self.reader.advance();
                self.skip_parentheses()?;
                push(&self.reader, Action::Print);
            }
            "xr" | "xs" if self.reader.peek(1).kind == Kind::Word => {
                self.reader.advance();
                self.reader.place()?;
                while self.reader.takes(",") {
                    self.reader.place()?;
                }
            }
            "for" if self.reader.peek(1).text == "(" => self.for_loop(found)?,
            "select" if self.reader.peek(1).text == "(" => self.select(found)?,
            "c_code" | "c_expr" | "c_decl" => return self.reader.refused("code in C is not supported"),
            name if self.inlines.contains_key(name) && self.reader.peek(1).text == "(" => self.call(found)?,
            _ if self.begins_declaration() => {
                let begin = self.reader.at;
                let mut declared = self.declarations()?;
                self.name_apart(&mut declared, begin);
                self.note(&declared);
                push(&self.reader, Action::Declare(declared));
            }
            _ => {
                let action = self.simple()?;
                push(&self.reader, action);
            }
        }
        Ok(())
    }

    /// An assignment, a message, or a condition.
    fn simple(&mut self) -> Parsed<Action> {
        let start = self.reader.at;
        let first = self.reader.current();
        if first.kind == Kind::Word && !matches!(first.text, "run" | "timeout" | "skip" | "true" | "false") {
            let place = self.reader.place()?;
            let operator = self.reader.current();
            // On a new line `!` begins a condition.
            let continues = !operator.first;
            match operator.text {
                "=" => {
                    self.reader.advance();
                    return Ok(Action::Assign(place, self.reader.expression()?));
                }
                "++" | "--" => {
                    self.reader.advance();
                    let kind = if operator.text == "++" {
                        Binary::Number(Arithmetic::Add)
                    } else {
                        Binary::Number(Arithmetic::Subtract)
                    };
                    let span = first.span.to(operator.span);
                    return Ok(Action::Assign(place.clone(), step(place, kind, span)));
                }
                "!" | "!!" if continues => {
                    self.reader.advance();
                    let values = self.reader.message(";")?;
                    let sorted = operator.text == "!!";
                    return Ok(Action::Send { channel: place, values, sorted });
                }
                "?" | "??" if continues && !matches!(self.reader.peek(1).text, "[" | "[]") => {
                    self.reader.advance();
                    let random = operator.text == "??";
                    let copies = self.reader.takes("<");
                    let values = if copies { self.copied()? } else { self.reader.message(";")? };
                    return Ok(Action::Receive { channel: place, values, random, copies });
                }
                _ => self.reader.at = start,
            }
        }
        Ok(Action::Wait(self.reader.expression()?))
    }

    /// The fields of `c?<x, y>`.
    fn copied(&mut self) -> Parsed<Vec<Expr>> {
        let mut values = Vec::new();
        loop {
            let first = self.reader.current();
            // `>` ends the list, so an expression in it is a name, a number or in parentheses.
            let node = match first.kind {
                Kind::Word if first.text != "eval" => Node::Place(self.reader.place()?),
                _ => {
                    let Some(close) = self.reader.tokens[self.reader.at..]
                        .iter()
                        .position(|token| matches!(token.text, "," | ">"))
                    else {
                        return self.reader.unexpected("`>`");
                    };
                    let mut inner: Vec<Token<'a>> =
                        self.reader.tokens[self.reader.at..self.reader.at + close].to_vec();
                    inner.push(Token { kind: Kind::End, text: "", ..first });
                    self.reader.at += close;
                    Expressions::new(inner).expression()?.node
                }
            };
            values.push(Expr { node, span: first.span });
            if !self.reader.takes(",") && !self.reader.takes("(") {
                break;
            }
        }
        self.reader.takes(")");
        self.reader.expect(">")?;
        Ok(values)
    }

    fn skip_parentheses(&mut self) -> Parsed<()> {
        let mut depth = 0_usize;
        loop {
            let token = self.reader.advance();
            match (token.kind, token.text) {
                (Kind::End, _) => return self.reader.unexpected("`)`"),
                (Kind::Symbol, "(") => depth += 1,
                (Kind::Symbol, ")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// `for (i : 1 .. 3) { … }` and `for (i in a) { … }`
    fn for_loop(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let first = self.reader.advance();
        self.reader.expect("(")?;
        let mut place = self.reader.place()?;
        let (mut beginning, mut more) = (Vec::new(), Binary::Compare(Operator::Le));
        let (lo, hi);
        if self.reader.takes(":") {
            lo = self.reader.expression()?;
            self.reader.expect("..")?;
            hi = self.reader.expression()?;
        } else {
            self.reader.expect("in")?;
            let set = self.reader.place()?;
            let span = set.name.span;
            let declared = self.declared.get(&set.name.text).filter(|_| set.fields.is_empty());
            lo = Expr::number(0, span);
            match declared {
                Some(Declaration { base: Base::Chan, size: None, .. }) => {
                    // Each message is received and sent again, as often as there are messages.
                    let values = vec![Expr { node: Node::Place(place.clone()), span }];
                    let receive = Action::Receive {
                        channel: set.clone(),
                        values: values.clone(),
                        random: false,
                        copies: false,
                    };
                    let send = Action::Send { channel: set.clone(), values, sorted: false };
                    beginning.extend([receive, send]);
                    (hi, more) = (Expr { node: Node::Length(set), span }, Binary::Compare(Operator::Lt));
                    let counter = self.counter(span);
                    found.push(Statement {
                        labels: Vec::new(),
                        action: Action::Declare(vec![counter.clone()]),
                        span,
                    });
                    place = Place { name: counter.name, index: None, fields: Vec::new() };
                }
                Some(Declaration { size: Some(size), .. }) => {
                    let (size, one) = (Box::new(size.clone()), Box::new(Expr::number(1, span)));
                    hi = Expr { node: Node::Binary(Binary::Number(Arithmetic::Subtract), size, one), span };
                }
                _ => return self.reader.refused("`for` goes over an array or a channel"),
            }
        }
        self.reader.expect(")")?;
        let span = self.reader.since(first);
        let body = self.block()?;
        let statement = |action| Statement { labels: Vec::new(), action, span };
        let own = Expr { node: Node::Place(place.clone()), span };
        let test = Expr { node: Node::Binary(more, Box::new(own), Box::new(hi)), span };
        let next = Action::Assign(place.clone(), step(place.clone(), Binary::Number(Arithmetic::Add), span));
        let mut round = vec![statement(Action::Wait(test))];
        round.extend(beginning.into_iter().map(statement));
        round.extend(body);
        round.push(statement(next));
        let leave = vec![statement(Action::Else), statement(Action::Break)];
        found.push(statement(Action::Assign(place, lo)));
        found.push(statement(Action::Do(vec![round, leave])));
        Ok(())
    }

    /// `select (i : 1 .. 3)`: a choice, or a loop if its ends are not written as numbers.
    fn select(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let first = self.reader.advance();
        self.reader.expect("(")?;
        let place = self.reader.place()?;
        self.reader.expect(":")?;
        let lo = self.reader.expression()?;
        self.reader.expect("..")?;
        let hi = self.reader.expression()?;
        self.reader.expect(")")?;
        let span = self.reader.since(first);
        let statement = |action| Statement { labels: Vec::new(), action, span };
        if let (Node::Number(least), Node::Number(most)) = (&lo.node, &hi.node)
            && (0..=32).contains(&(most - least))
        {
            let assign = |value| vec![statement(Action::Assign(place.clone(), Expr::number(value, span)))];
            found.push(statement(Action::If((*least..=*most).map(assign).collect())));
            return Ok(());
        }
        let own = Expr { node: Node::Place(place.clone()), span };
        let test =
            Expr { node: Node::Binary(Binary::Compare(Operator::Lt), Box::new(own), Box::new(hi)), span };
        let next = Action::Assign(place.clone(), step(place.clone(), Binary::Number(Arithmetic::Add), span));
        let more = vec![statement(Action::Wait(test)), statement(next)];
        found.push(statement(Action::Assign(place, lo)));
        found.push(statement(Action::Do(vec![more, vec![statement(Action::Break)]])));
        Ok(())
    }

    /// A variable that counts the messages of a channel.
    fn counter(&mut self, span: Span) -> Declaration {
        let times = self.locals.entry("for_".to_owned()).or_default();
        *times += 1;
        let name = Name { text: format!("for_{times}"), span };
        let base = Base::Range(i64::from(i32::MIN), i64::from(i32::MAX));
        Declaration { name, base, size: None, initial: Initial::None }
    }

    /// A call of an inline.
    fn call(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let name = self.reader.advance();
        let open = self.reader.at;
        self.skip_parentheses()?;
        let inside = &self.reader.tokens[open + 1..self.reader.at - 1];
        let mut arguments: Vec<Vec<Token<'a>>> = vec![Vec::new()];
        let mut depth = 0_usize;
        for token in inside {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "," if depth == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(*token);
            }
        }
        let Some(inline) = self.inlines.get(name.text) else { return Ok(()) };
        let mut written = Vec::new();
        for token in &inline.body {
            let parameter = inline.parameters.iter().position(|own| *own == token.text);
            match parameter.filter(|_| token.kind == Kind::Word) {
                Some(position) => {
                    let argument = arguments.get(position).map_or(&[][..], |own| own);
                    let begin = written.len();
                    written.extend_from_slice(argument);
                    if let Some(head) = written.get_mut(begin) {
                        head.first = token.first;
                    }
                }
                None => written.push(*token),
            }
        }
        self.written += written.len();
        if self.calls > 40 || self.written > WRITTEN {
            return Err(
                Diagnostic::error(name.span, "calls of inlines are nested too deeply", "this one").into()
            );
        }
        written.push(Token { kind: Kind::End, text: "", span: name.span, first: true });
        let outer = std::mem::replace(&mut self.reader.tokens, written);
        let at = std::mem::replace(&mut self.reader.at, 0);
        self.calls += 1;
        let body = self.scope();
        let rest = self.reader.current();
        self.calls -= 1;
        self.reader.tokens = outer;
        self.reader.at = at;
        let body = body?;
        if rest.kind != Kind::End {
            return Err(Diagnostic::error(
                rest.span,
                format!("`{}` is not expected here", rest.text),
                "a statement",
            )
            .into());
        }
        found.push(Statement { labels: Vec::new(), action: Action::Block(body), span: name.span });
        Ok(())
    }
}

/// `x + 1`
fn step(place: Place, operator: Binary, span: Span) -> Expr {
    let own = Expr { node: Node::Place(place), span };
    Expr { node: Node::Binary(operator, Box::new(own), Box::new(Expr::number(1, span))), span }
}
