//! Parses a text in the format of T2 to a [`Program`], and formulas to trees.
//!
//! ```text
//! program  := "START" ":" loc ";" ["CUTPOINT" ":" loc ";"] {"SHADOW" "(" ID "," ID ")" ";"} {block}
//! block    := "FROM" ":" loc ";" {command ";"} "TO" ":" loc ";"
//! loc      := NUM | ID                                         (NUM i is the location loc_i)
//! command  := "skip" | ["AT" "(" NUM "," TEXT ")"] (ID ":=" tree | "assume" "(" tree ")")
//! ```
//!
//! Trees are parsed by precedence, loosest first: `||`, `&&`, `!`, comparisons, sums, products, unary minus. A word is
//! a keyword only if the next token says so: `F`, `G`, `X`, `U`, `W` before `(`, and `A`, `E` before `(` or before one
//! of these. So in `A == 1 && [EG](F > 0)`, `A` and `F` are variables.
//!
//! After an error the parser continues after the next semicolon. Trees nest at most [`DEPTH`] levels, so nothing here
//! or later recurses deeper than that.

use model::property::Paths;

use super::lexer::{Kind, Lexer, Token};
use crate::program::syntax::{Block, Command, Comparison, Factor, Located, Node, Program, Temporal, Tree};
use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

/// Limit on the nesting of trees.
const DEPTH: usize = 200;

/// Limit on reported errors. After that the rest of the text is skipped.
const ERRORS: usize = 30;

/// Parses a program: returns what was understood, and diagnostics.
pub(super) fn program(text: &str) -> (Program, Vec<Diagnostic>) {
    let mut parser = Parser::new(text);
    let mut program = Program::default();
    while parser.peek().kind != Kind::End && parser.diagnostics.len() < ERRORS {
        if parser.item(&mut program).is_none() {
            parser.recover();
        }
    }
    if program.start.is_none() && parser.diagnostics.is_empty() {
        let end = Span { start: text.len(), end: text.len() };
        parser.diagnostics.push(
            Diagnostic::error(end, "the program has no start", "expected `START: …;` somewhere")
                .help("write the location where it begins, for example `START: 0;`"),
        );
    }
    (program, parser.diagnostics)
}

/// Parses a text that is one formula.
pub(super) fn formula(text: &str) -> Result<Tree, Box<Diagnostic>> {
    let mut parser = Parser::new(text);
    let tree = parser.tree();
    parser.ended(tree)
}

/// Parses a pair of formulas, `(p, q)`.
pub(super) fn pair(text: &str) -> Result<(Tree, Tree), Box<Diagnostic>> {
    let mut parser = Parser::new(text);
    let pair = parser.pair();
    parser.ended(pair)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    diagnostics: Vec<Diagnostic>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        Parser { lexer: Lexer::new(text), diagnostics: Vec::new(), depth: 0 }
    }

    fn ended<T>(mut self, parsed: Option<T>) -> Result<T, Box<Diagnostic>> {
        let token = self.peek();
        match parsed {
            Some(parsed) if token.kind == Kind::End => Ok(parsed),
            Some(_) => Err(unexpected(self.lexer.text(token), token, "the end, `&&` or `||`").into()),
            None => Err(self.diagnostics.swap_remove(0).into()),
        }
    }

    fn peek(&self) -> Token {
        self.lexer.clone().next()
    }

    /// The text of the next token and of the two after it.
    fn ahead(&self) -> [&'a str; 3] {
        let mut lexer = self.lexer;
        std::array::from_fn(|_| {
            let token = lexer.next();
            if token.kind == Kind::Text { "" } else { lexer.text(token) }
        })
    }

    fn is_next(&self, text: &str) -> bool {
        self.ahead()[0] == text
    }

    /// Takes the next token if it is this one.
    fn take(&mut self, text: &str) -> bool {
        let taken = self.is_next(text);
        if taken {
            self.lexer.next();
        }
        taken
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        if self.take(text) {
            return Some(());
        }
        self.fault(&format!("`{text}`"))
    }

    /// Reports that something else was expected.
    fn fault<T>(&mut self, expected: &str) -> Option<T> {
        let token = self.peek();
        self.diagnostics.push(unexpected(self.lexer.text(token), token, expected));
        None
    }

    /// Skips to after the next semicolon.
    fn recover(&mut self) {
        loop {
            let token = self.lexer.next();
            if token.kind == Kind::End || self.lexer.text(token) == ";" {
                return;
            }
        }
    }

    fn item(&mut self, program: &mut Program) -> Option<()> {
        match self.ahead() {
            ["START", ":", _] => program.start = Some(self.header()?),
            ["CUTPOINT", ":", _] => program.cutpoint = Some(self.header()?),
            ["SHADOW", "(", _] => self.shadow()?,
            ["FROM", ":", _] => self.block(program)?,
            _ => return self.fault("`START:`, `CUTPOINT:` or `FROM:`"),
        }
        Some(())
    }

    /// `START: l;` and the like.
    fn header(&mut self) -> Option<Located<String>> {
        self.lexer.next();
        self.expect(":")?;
        let location = self.location()?;
        self.expect(";")?;
        Some(location)
    }

    /// Declarations of shadow variables have no meaning here.
    fn shadow(&mut self) -> Option<()> {
        self.lexer.next();
        self.expect("(")?;
        self.word()?;
        self.expect(",")?;
        self.word()?;
        self.expect(")")?;
        self.expect(";")
    }

    fn block(&mut self, program: &mut Program) -> Option<()> {
        let from = self.header()?;
        let mut commands = Vec::new();
        loop {
            match self.ahead() {
                ["skip", ";", _] => {
                    self.lexer.next();
                    self.expect(";")?;
                }
                ["TO", ":", _] => {
                    let to = self.header()?;
                    program.blocks.push(Block { from, commands, to });
                    return Some(());
                }
                ["FROM" | "START", ":", _] => {
                    return self.fault("`TO:`, because the block before has no end,");
                }
                _ => {
                    if self.peek().kind == Kind::End {
                        return self.fault("a command or `TO:`");
                    }
                    match self.command() {
                        Some(command) => commands.push(command),
                        None if self.diagnostics.len() >= ERRORS => return None,
                        None => self.recover(),
                    }
                }
            }
        }
    }

    fn command(&mut self) -> Option<Command> {
        let annotated = matches!(self.ahead(), ["AT", "(", _]);
        if annotated {
            self.lexer.next();
            self.expect("(")?;
            self.number()?;
            self.expect(",")?;
            if self.peek().kind != Kind::Text {
                return self.fault("text in quotes");
            }
            self.lexer.next();
            self.expect(")")?;
        }
        let command = if matches!(self.ahead(), ["assume", "(", _]) {
            self.lexer.next();
            self.expect("(")?;
            let condition = self.tree()?;
            self.expect(")")?;
            Command::Assume(condition)
        } else {
            if self.peek().kind != Kind::Word {
                return self.fault("a command");
            }
            let variable = self.word()?;
            self.expect(":=")?;
            Command::Assign { variable, value: self.tree()?, annotated }
        };
        self.expect(";")?;
        Some(command)
    }

    fn location(&mut self) -> Option<Located<String>> {
        let token = self.peek();
        let text = self.lexer.text(token);
        let value = match token.kind {
            // `01` is the location 1.
            Kind::Number => format!("loc_{}", number(text)),
            Kind::Word => text.to_owned(),
            _ => return self.fault("a location"),
        };
        self.lexer.next();
        Some(Located { value, span: token.span })
    }

    fn word(&mut self) -> Option<String> {
        let token = self.peek();
        if token.kind != Kind::Word {
            return self.fault("a name");
        }
        self.lexer.next();
        Some(self.lexer.text(token).to_owned())
    }

    fn number(&mut self) -> Option<i64> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return self.fault("a number");
        }
        let Ok(number) = self.lexer.text(token).parse() else {
            let message = "the number does not fit into 64 bits";
            self.diagnostics.push(Diagnostic::error(token.span, message, "too large"));
            return None;
        };
        self.lexer.next();
        Some(number)
    }

    /// `(p, q)`
    fn pair(&mut self) -> Option<(Tree, Tree)> {
        self.expect("(")?;
        let p = self.tree()?;
        self.expect(",")?;
        let q = self.tree()?;
        self.expect(")")?;
        Some((p, q))
    }

    fn tree(&mut self) -> Option<Tree> {
        self.nested(|parser| {
            parser.several("||", Node::Or, |parser| parser.several("&&", Node::And, Parser::negation))
        })
    }

    /// Parses one level deeper, unless that is too deep.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Tree>) -> Option<Tree> {
        if self.depth == DEPTH {
            let token = self.peek();
            let message = format!("this is nested more than {DEPTH} levels deep");
            self.diagnostics.push(Diagnostic::error(token.span, message, "here"));
            return None;
        }
        self.depth += 1;
        let tree = read(self);
        self.depth -= 1;
        tree
    }

    fn several(
        &mut self,
        sign: &str,
        join: fn(Vec<Tree>) -> Node,
        mut read: impl FnMut(&mut Self) -> Option<Tree>,
    ) -> Option<Tree> {
        let first = read(self)?;
        if !self.is_next(sign) {
            return Some(first);
        }
        let start = first.span.start;
        let mut parts = vec![first];
        while self.take(sign) {
            parts.push(read(self)?);
        }
        let end = parts.last().map_or(start, |part| part.span.end);
        Some(Tree { node: join(parts), span: Span { start, end } })
    }

    fn negation(&mut self) -> Option<Tree> {
        let start = self.peek().span.start;
        if !self.take("!") {
            return self.comparison();
        }
        let body = self.nested(Parser::negation)?;
        let span = Span { start, end: body.span.end };
        Some(Tree { node: Node::Not(Box::new(body)), span })
    }

    fn comparison(&mut self) -> Option<Tree> {
        let left = self.sum()?;
        let comparison = match self.ahead()[0] {
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterEqual,
            "==" | "=" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            _ => return Some(left),
        };
        self.lexer.next();
        let right = self.sum()?;
        let span = Span { start: left.span.start, end: right.span.end };
        Some(Tree { node: Node::Compare(comparison, Box::new(left), Box::new(right)), span })
    }

    fn sum(&mut self) -> Option<Tree> {
        let first = self.product()?;
        if !matches!(self.ahead()[0], "+" | "-") {
            return Some(first);
        }
        let start = first.span.start;
        let mut end = first.span.end;
        let mut parts = vec![(false, first)];
        while let "+" | "-" = self.ahead()[0] {
            let subtracted = self.take("-") || !self.take("+");
            let part = self.product()?;
            end = part.span.end;
            parts.push((subtracted, part));
        }
        Some(Tree { node: Node::Sum(parts), span: Span { start, end } })
    }

    fn product(&mut self) -> Option<Tree> {
        let first = self.operand()?;
        let start = first.span.start;
        let mut end = first.span.end;
        let mut factors = Vec::new();
        loop {
            let factor = match self.ahead()[0] {
                "*" => Factor::Times,
                "/" => Factor::Divided,
                "%" => Factor::Remainder,
                _ => break,
            };
            self.lexer.next();
            let operand = self.operand()?;
            end = operand.span.end;
            factors.push((factor, operand));
        }
        if factors.is_empty() {
            return Some(first);
        }
        Some(Tree { node: Node::Product(Box::new(first), factors), span: Span { start, end } })
    }

    fn operand(&mut self) -> Option<Tree> {
        let token = self.peek();
        let start = token.span.start;
        let (node, end) = match self.ahead() {
            ["nondet" | "NONDET", "(", ")"] => {
                self.lexer.next();
                self.lexer.next();
                (Node::Any, self.lexer.next().span.end)
            }
            ["-", ..] => {
                self.lexer.next();
                let operand = self.nested(Parser::operand)?;
                let end = operand.span.end;
                (Node::Negative(Box::new(operand)), end)
            }
            ["(", ..] => {
                self.lexer.next();
                let inside = self.tree()?;
                self.expect(")")?;
                return Some(inside);
            }
            ["[", word, "]"] => {
                let Some((paths, temporal)) = bracketed(word) else {
                    return self.fault("`[AF]`, `[AG]`, `[AX]`, `[AW]`, `[EF]`, `[EG]`, `[EX]` or `[EU]`");
                };
                self.lexer.next();
                self.lexer.next();
                self.lexer.next();
                let (operands, end) = self.operands(temporal)?;
                let node = Node::Temporal(temporal, operands);
                let body = Tree { node, span: Span { start, end } };
                (Node::Quantified(paths, Box::new(body)), end)
            }
            [past @ ("P" | "H" | "Y" | "B" | "S"), "(", _] => {
                let message = format!("`{past}` looks into the past, which is not supported");
                let label = "only F, G, X, U and W are read";
                self.diagnostics.push(Diagnostic::error(token.span, message, label));
                return None;
            }
            [word, "(", _] if temporal(word).is_some() => {
                self.lexer.next();
                let temporal = temporal(word)?;
                let (operands, end) = self.operands(temporal)?;
                (Node::Temporal(temporal, operands), end)
            }
            [word @ ("A" | "E"), next, after] if next == "(" || temporal(next).is_some() && after == "(" => {
                self.lexer.next();
                let body = self.nested(Parser::operand)?;
                let paths = if word == "A" { Paths::All } else { Paths::Some };
                let end = body.span.end;
                (Node::Quantified(paths, Box::new(body)), end)
            }
            _ if token.kind == Kind::Number => (Node::Number(self.number()?), token.span.end),
            _ if token.kind == Kind::Word => (Node::Variable(self.word()?), token.span.end),
            _ => return self.fault("a number, a variable or `(`"),
        };
        Some(Tree { node, span: Span { start, end } })
    }

    /// `(f)` or `(f), (g)`
    fn operands(&mut self, temporal: Temporal) -> Option<(Vec<Tree>, usize)> {
        let (first, mut end) = self.parenthesised()?;
        let mut operands = vec![first];
        if temporal.is_binary() {
            self.expect(",")?;
            let (second, last) = self.parenthesised()?;
            operands.push(second);
            end = last;
        }
        Some((operands, end))
    }

    fn parenthesised(&mut self) -> Option<(Tree, usize)> {
        self.expect("(")?;
        let tree = self.tree()?;
        let end = self.peek().span.end;
        self.expect(")")?;
        Some((tree, end))
    }
}

/// The digits of a location's number, without leading zeros.
fn number(text: &str) -> &str {
    let digits = text.trim_start_matches('0');
    if digits.is_empty() { "0" } else { digits }
}

fn temporal(word: &str) -> Option<Temporal> {
    Some(match word {
        "F" => Temporal::Finally,
        "G" => Temporal::Globally,
        "X" => Temporal::Next,
        "U" => Temporal::Until,
        "W" => Temporal::WeakUntil,
        _ => return None,
    })
}

/// `AF` and similar words in brackets.
fn bracketed(word: &str) -> Option<(Paths, Temporal)> {
    let paths = match word.get(..1)? {
        "A" => Paths::All,
        "E" => Paths::Some,
        _ => return None,
    };
    Some((paths, temporal(word.get(1..)?)?))
}

fn unexpected(text: &str, token: Token, expected: &str) -> Diagnostic {
    const SHOWN: usize = 40;
    let message = match token.kind {
        Kind::End => "the text ends too early".to_owned(),
        _ if text.len() <= SHOWN => format!("`{text}` is not expected here"),
        _ => "this is not expected here".to_owned(),
    };
    Diagnostic::error(token.span, message, format!("expected {expected}"))
}
