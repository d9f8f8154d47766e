//! Processes: their members and their code.
//!
//! A statement that begins with a name and `:` is labelled. One that begins with a keyword is decided by the keyword.
//! Any other begins with a place and is an assignment, a send or a receive, depending on the symbol after the place. So
//! two tokens always decide, and a name followed by something else is a misspelt keyword. A block ends with its brace,
//! at the end of the file, or before a declaration.

use super::recovery::{STATEMENTS, quote};
use super::{Parser, is_reserved};
use crate::diagnostic::{Diagnostic, nearest};
use crate::lexer::Kind;
use crate::precedence::of_assignment;
use crate::syntax::{
    Block, Comments, Expr, ExprKind, FairWord, Label, Member, MemberKind, Name, Process, Span, Statement,
    StatementKind,
};

impl Parser<'_> {
    /// The rest of a `process` declaration.
    pub(super) fn process(&mut self, environment: bool) -> Option<Process> {
        // `weak all` and `taken(any)` mean something else.
        let name = self.name_except(&[&["all", "any"]])?;
        let indices = self.family();
        self.skip_to_brace();
        let early = self.comments_before_brace();
        let open = self.current().span;
        if !self.lost && self.at_statement() {
            let message = format!("expected `{{`, found {}", self.describe(self.current()));
            self.report(Diagnostic::error(open, message, "a `{` is missing before this"));
        } else if !self.expect("{") {
            return None;
        }
        self.braces += 1;
        let mut members = Vec::new();
        let mut body: Vec<Statement> = Vec::new();
        while !self.at("}") && !self.at_end() && !self.at_item() {
            let first = members.is_empty() && body.is_empty();
            if self.at("local") || self.at("action") || self.at("environment") && self.then("action") {
                if let Some(statement) = body.first() {
                    let (word, span, first) = (self.word(), self.current().span, statement.span);
                    let message = format!("`{word}` stands before the statements of a process");
                    self.report(
                        Diagnostic::error(span, message, "too late").related(first, "the first statement"),
                    );
                }
                members.extend(self.member(first));
            } else {
                self.progress(|parser| body.extend(parser.statement(first)));
            }
        }
        let trailing = self.trailing(members.is_empty() && body.is_empty());
        self.braces -= 1;
        self.close(open);
        self.keep_inner(early);
        Some(Process { environment, name, indices, members, body, trailing })
    }

    fn member(&mut self, first: bool) -> Option<Member> {
        let lead = self.lead(first);
        let start = self.current().span;
        let local = self.at("local");
        let environment = self.eat("environment");
        self.advance();
        let kind = if local { self.variables().map(MemberKind::Local) } else { self.action(environment) };
        if self.lost {
            self.recover();
        }
        let (span, comments) = (start.to(self.previous), self.attach_comments(lead));
        Some(Member { kind: kind?, span, comments })
    }

    fn action(&mut self, environment: bool) -> Option<MemberKind> {
        let label = self.label()?;
        let mut parameters = Vec::new();
        if self.eat("(") {
            parameters = self.separated(|parser| parser.binder(":")).into_iter().flatten().collect();
            self.expect(")");
        }
        let guard = if self.clause("when") { Some(self.condition()) } else { None };
        let body = self.block();
        Some(MemberKind::Action { environment, label, parameters, guard, body })
    }

    /// `try` or `wf(try)`.
    fn label(&mut self) -> Option<Label> {
        let annotation = match self.word() {
            "wf" => FairWord::Weak,
            "sf" => FairWord::Strong,
            "uf" => FairWord::Unconditional,
            _ => return Some(Label { name: self.name_called("a label")?, annotation: None }),
        };
        self.advance();
        self.expect("(");
        let name = self.name_called("a label")?;
        self.expect(")");
        Some(Label { name, annotation: Some(annotation) })
    }

    /// `{ … }`
    pub(super) fn block(&mut self) -> Block {
        self.nested(Self::block_inside).unwrap_or_default()
    }

    fn block_inside(&mut self) -> Block {
        self.skip_to_brace();
        let early = self.comments_before_brace();
        let open = self.current().span;
        let mut statements = Vec::new();
        if !self.lost && !self.at("{") && self.at_statement_here() {
            let message = format!("expected `{{`, found {}", self.describe(self.current()));
            self.report(Diagnostic::error(open, message, "expected `{`").help("put the statement in braces"));
            statements.extend(self.statement(true));
            return Block { statements, trailing: Vec::new(), span: open.to(self.previous) };
        }
        if !self.expect("{") {
            return Block::default();
        }
        self.braces += 1;
        while !self.at("}") && !self.at_end() && !self.at_item() {
            let first = statements.is_empty();
            self.progress(|parser| statements.extend(parser.statement(first)));
        }
        let trailing = self.trailing(statements.is_empty());
        self.braces -= 1;
        self.close(open);
        self.keep_inner(early);
        Block { statements, trailing, span: open.to(self.previous) }
    }

    /// The `}` of a block that began at `open`.
    fn close(&mut self, open: Span) {
        if !self.eat("}") {
            self.not_closed(open);
        }
    }

    /// Runs a parser, and skips a token if it consumed none.
    fn progress(&mut self, parse: impl FnOnce(&mut Self)) {
        let start = self.current().span.start;
        parse(self);
        if self.current().span.start == start && !self.at_item() {
            self.advance();
        }
    }

    /// Whether a statement begins here, even in the middle of a line.
    fn at_statement_here(&mut self) -> bool {
        let next = self.peek(1);
        STATEMENTS.contains(&self.word())
            || (self.current().kind == Kind::Word && ["=", ":", ":=", "!", "?"].contains(&self.text_of(next)))
    }

    fn statement(&mut self, first: bool) -> Option<Statement> {
        let lead = self.lead(first);
        let start = self.current().span;
        let annotated = matches!(self.word(), "wf" | "sf" | "uf");
        let mut label = None;
        if self.current().kind == Kind::Word && (annotated || self.then(":")) {
            label = self.label();
            self.expect(":");
            self.one_label();
        }
        let kind = if self.lost { None } else { self.statement_kind(label.as_ref()) };
        if self.lost {
            self.recover();
        }
        let (span, comments) = (start.to(self.previous), self.attach_comments(lead));
        Some(Statement { label, kind: kind?, span, comments })
    }

    /// Reports a second label as a slip.
    fn one_label(&mut self) {
        while !self.lost && self.current().kind == Kind::Word && self.then(":") {
            let span = self.current().span;
            self.report(Diagnostic::error(span, "a statement has only one label", "a second label"));
            self.advance();
            self.advance();
        }
    }

    fn statement_kind(&mut self, label: Option<&Label>) -> Option<StatementKind> {
        let keyword = match self.misspelt_statement() {
            Some(keyword) => keyword,
            None => self.word(),
        };
        if STATEMENTS.contains(&keyword) && (self.then("=") || self.is_semaphore_named_so()) {
            return self.assignment_or_message(label);
        }
        if STATEMENTS.contains(&keyword) {
            self.advance();
        }
        let kind = match keyword {
            "skip" => self.ended(StatementKind::Skip),
            "stay" => self.ended(StatementKind::Stay),
            "halt" => self.ended(StatementKind::Halt),
            "await" => {
                let condition = self.expression();
                self.ended(StatementKind::Await(condition))
            }
            "request" => {
                let semaphore = self.place();
                self.ended(StatementKind::Request(semaphore))
            }
            "release" => {
                let semaphore = self.place();
                self.ended(StatementKind::Release(semaphore))
            }
            "goto" => {
                let target = self.name_called("a label")?;
                self.ended(StatementKind::Goto(target))
            }
            "when" => {
                let condition = self.condition();
                if self.at(";") && !self.lost {
                    let error =
                        Diagnostic::error(self.current().span, "expected `{`, found `;`", "expected `{`");
                    self.report(error.help("to wait and do nothing else, write `await` in place of `when`"));
                    self.ended(StatementKind::Await(condition))
                } else {
                    StatementKind::When(condition, self.block())
                }
            }
            "while" => {
                let condition = self.condition();
                StatementKind::While(condition, self.block())
            }
            "atomic" => StatementKind::Atomic(self.block()),
            "loop" => StatementKind::Loop(self.block()),
            "either" => {
                let mut branches = vec![self.block()];
                while self.eat("or") {
                    branches.push(self.block());
                }
                StatementKind::Either(branches)
            }
            "choose" => {
                let name = self.name()?;
                self.expect("in");
                let set = self.before_block(Self::set)?;
                let condition = if self.clause("where") { Some(self.condition()) } else { None };
                StatementKind::Choose { name, set, condition, body: self.block() }
            }
            "if" => self.conditional(),
            "for" => {
                let binder = self.before_block(|parser| parser.binder("in"))?;
                StatementKind::For(binder, self.block())
            }
            "local" | "action" => {
                let message = format!("`{keyword}` belongs to a process, not to a block");
                self.report(Diagnostic::error(self.previous, message, "not a statement"));
                // It is only parsed for its errors.
                if keyword == "local" {
                    self.variables().map(drop)
                } else {
                    self.action(false).map(drop)
                };
                return None;
            }
            _ if self.at_assert() => self.assertion(),
            _ if self.at_let() => self.binding()?,
            _ if self.at_sync() => {
                self.advance();
                let event = self.name_called("an event")?;
                self.ended(StatementKind::Sync(event))
            }
            _ if self.current().kind == Kind::Word && !is_reserved(keyword) && self.then("(") => self.call(),
            _ => return self.assignment_or_message(label),
        };
        Some(kind)
    }

    /// Whether `request` or `release` is the name of a variable or channel here.
    fn is_semaphore_named_so(&mut self) -> bool {
        const AFTER_A_PLACE: &[&str] = &[":=", "==", ",", "[", ".", "@", "!", "?"];
        matches!(self.word(), "request" | "release") && {
            let next = self.peek(1);
            let next = self.text_of(next);
            AFTER_A_PLACE.contains(&next) || of_assignment(next).is_some()
        }
    }

    fn ended(&mut self, kind: StatementKind) -> StatementKind {
        self.semicolon();
        kind
    }

    fn conditional(&mut self) -> StatementKind {
        let condition = self.condition();
        let yes = self.block();
        let mut no = None;
        if self.eat("else") || self.then("{") && self.clause("else") {
            no = Some(if self.at("if") {
                self.nested(Self::else_if).unwrap_or_default()
            } else {
                self.block()
            });
        }
        StatementKind::If { condition, yes, no }
    }

    /// `else if` is an `else` block with one `if`.
    fn else_if(&mut self) -> Block {
        let start = self.advance().span;
        let kind = self.conditional();
        let span = start.to(self.previous);
        let statement = Statement { label: None, kind, span, comments: Comments::default() };
        Block { statements: vec![statement], trailing: Vec::new(), span }
    }

    /// A statement that begins with a place: an assignment, a send or a receive.
    fn assignment_or_message(&mut self, label: Option<&Label>) -> Option<StatementKind> {
        let reserved = is_reserved(self.word()) && !self.misnamed.contains(self.word());
        if self.current().kind != Kind::Word || reserved && !self.then("=") {
            self.no_statement(label);
            return None;
        }
        let place = self.place();
        if self.eat("!") {
            let values = self.separated(Self::expression);
            return Some(self.ended(StatementKind::Send { channel: place, values }));
        }
        if self.eat("?") {
            let targets = self.separated(|parser| if parser.eat("_") { None } else { Some(parser.place()) });
            return Some(self.ended(StatementKind::Receive { channel: place, targets }));
        }
        let mut targets = vec![place];
        while self.eat(",") {
            targets.push(self.place());
        }
        if !self.lost && of_assignment(self.word()).is_some() {
            return self.update(targets);
        }
        if !self.lost && !["=", ":=", "=="].contains(&self.word()) {
            self.no_assignment(&targets);
            return None;
        }
        self.equals();
        let values = self.separated(Self::expression);
        Some(self.ended(StatementKind::Assign { targets, values }))
    }

    /// Reports a place that is not followed by `=`, `!` or `?`.
    fn no_assignment(&mut self, targets: &[Expr]) {
        let next = self.current();
        let applied = matches!(next.kind, Kind::Word | Kind::Number) || ["(", "{"].contains(&self.word());
        let after = self.peek(1);
        let signs = (self.word(), self.text_of(after));
        match targets {
            [Expr { kind: ExprKind::Name(name), span }]
                if next.newlines == 0 && (applied || elsewhere(name).is_some()) =>
            {
                let label = elsewhere(name).unwrap_or("unknown");
                let diagnostic =
                    Diagnostic::error(*span, format!("unknown statement {}", quote(name)), label);
                self.fail(match nearest(name, ["assert", "let", "sync"]) {
                    Some(near) if label == "unknown" => diagnostic.help(format!("did you mean `{near}`?")),
                    _ => diagnostic,
                });
            }
            _ if signs == ("+", "+") => self.unexpected_with("`=`", Some("one more is written `x += 1`")),
            _ if signs == ("-", "-") => self.unexpected_with("`=`", Some("one less is written `x -= 1`")),
            [Expr { kind: ExprKind::Field(..), .. }] if self.at("(") => self.unexpected_with(
                "`=`",
                Some("a set grows by `s += {e};`, a sequence by `q = append(q, e);`"),
            ),
            [Expr { kind: ExprKind::Name(name), .. }] if self.at(";") => {
                let help = format!(
                    "`sync {name};` takes part in an event, and `{name}();` does the block of a macro"
                );
                self.unexpected_with("`=`", Some(&help));
            }
            _ => self.unexpected("`=`"),
        }
    }

    /// `x += 1;`
    fn update(&mut self, mut targets: Vec<Expr>) -> Option<StatementKind> {
        let (word, span) = (self.word(), self.current().span);
        let operator = of_assignment(word)?;
        if targets.len() > 1 {
            let message = format!("`{word}` has one variable on its left");
            self.fail(Diagnostic::error(span, message, "use `=` for several at once"));
            return None;
        }
        self.advance();
        let value = self.expression();
        Some(self.ended(StatementKind::Update { target: targets.remove(0), operator, value }))
    }

    /// Whether a `let` statement begins here. The word is also a name.
    pub(super) fn at_let(&mut self) -> bool {
        self.at("let") && self.peek(1).kind == Kind::Word
    }

    /// `let v = e;` or `let v, _ = c?;`
    fn binding(&mut self) -> Option<StatementKind> {
        self.advance();
        let names = self.separated(|parser| if parser.eat("_") { None } else { parser.name() });
        self.equals();
        let value = self.expression();
        let (sign, span) = (self.current().span, value.span);
        let receives = self.eat("?");
        if !receives && !self.lost && (names.len() > 1 || names[0].is_none()) {
            let message = "`let` gives a name to one value";
            let diagnostic = Diagnostic::error(span.to(sign), message, "one value");
            self.fail(diagnostic.help("write one `let` for each name; `let a, _ = c?;` receives"));
            return None;
        }
        Some(self.ended(StatementKind::Let { names, value, receives }))
    }

    /// `take(e, f);`
    fn call(&mut self) -> StatementKind {
        let name = Name { text: self.word().to_owned(), span: self.current().span };
        self.advance();
        let open = self.advance().span;
        let mut arguments = Vec::new();
        if !self.at(")") {
            arguments = self.separated(Self::expression);
        }
        self.closing(")", open);
        self.ended(StatementKind::Call(name, arguments))
    }

    /// Whether an `assert` statement begins here. The word is also a name.
    pub(super) fn at_assert(&mut self) -> bool {
        self.at("assert") && (self.begins_operand(1) && !self.then("[") || self.then("in") || self.then("{"))
    }

    /// `assert e "why";`
    fn assertion(&mut self) -> StatementKind {
        self.advance();
        let condition = self.expression();
        let mut text = None;
        if self.current().kind == Kind::Text && !self.lost {
            let token = self.advance();
            text = Some(Name { text: self.text_of(token).trim_matches('"').to_owned(), span: token.span });
        }
        self.ended(StatementKind::Assert { condition, text })
    }

    /// The keyword that was meant by a name that cannot begin an assignment.
    fn misspelt_statement(&mut self) -> Option<&'static str> {
        const PLAIN: &[&str] = &["skip", "stay", "halt"];
        const APPLIED: &[&str] = &["await", "request", "release", "goto", "when", "while", "choose"];
        const BLOCKS: &[&str] = &["atomic", "loop", "either"];
        let (word, token) = (self.word(), self.current());
        if token.kind != Kind::Word || is_reserved(word) || self.macros.contains(word) || self.at_let() {
            return None;
        }
        let next = self.peek(1);
        let candidates = match (next.kind, self.text_of(next)) {
            (_, ";") => PLAIN,
            (_, "{") => BLOCKS,
            (Kind::Word | Kind::Number, _) | (_, "(") => APPLIED,
            _ => return None,
        };
        nearest(word, candidates.iter().copied())?;
        self.keyword(candidates, "statement")
    }

    fn no_statement(&mut self, label: Option<&Label>) {
        let token = self.current();
        let found = self.describe(token);
        let message = format!("expected a statement, found {found}");
        match (self.word(), label) {
            (";", _) => {
                self.report(Diagnostic::error(
                    token.span,
                    message,
                    "there is no empty statement; write `skip;`",
                ));
                self.advance();
            }
            ("}", Some(label)) => {
                let help = format!("after the label {} write `skip;` or `halt;`", quote(&label.name.text));
                self.unexpected_here(&message, &help);
            }
            ("else", _) => self.unexpected_here(&message, "`else` follows the `}` of an `if`"),
            ("{", _) => {
                self.unexpected_here(&message, "several assignments in one step are written `atomic { … }`");
            }
            ("or", _) => self.unexpected_here(&message, "`or` follows the `}` of an `either`"),
            _ if is_reserved(self.word()) => {
                let help = format!("{found} is a reserved word");
                self.unexpected_here(&message, &help);
            }
            _ => self.unexpected("a statement"),
        }
    }
}

/// What stands here for a statement of other languages.
fn elsewhere(word: &str) -> Option<&'static str> {
    Some(match word {
        "var" | "int" | "bool" | "byte" => "a variable of a process is declared at its top: `local x: bool;`",
        "break" | "continue" => "write `goto` with the label of the next step",
        "return" | "exit" => "`halt;` ends a process",
        _ => return None,
    })
}
