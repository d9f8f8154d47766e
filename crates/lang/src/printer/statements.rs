//! Prints processes and their code: a statement per line, blocks indented, `else if` on the line of the brace.

use super::{Printer, WIDTH};
use crate::precedence;
use crate::syntax::{
    Block, Comment, Comments, FairWord, Label, Member, MemberKind, Process, Statement, StatementKind,
};

impl Printer {
    pub(super) fn process(&mut self, process: &Process) {
        self.put(if process.environment { "environment " } else { "" });
        self.head("process", &process.name);
        self.family(&process.indices);
        self.put(" ");
        let Process { members, body, trailing, .. } = process;
        if members.is_empty() && body.is_empty() && trailing.is_empty() {
            return self.put("{}");
        }
        self.put("{\n");
        self.depth += 1;
        for (number, member) in members.iter().enumerate() {
            self.node(&member.comments, number == 0, |printer| printer.member(member));
        }
        self.statements(body, trailing, members.is_empty());
        self.depth -= 1;
        self.indent();
        self.put("}");
    }

    fn member(&mut self, member: &Member) {
        match &member.kind {
            MemberKind::Local(variables) => {
                self.put("local ");
                self.variables(variables);
                self.put(";");
            }
            MemberKind::Action { environment, label, parameters, guard, body } => {
                self.put(if *environment { "environment action " } else { "action " });
                self.label(label);
                if !parameters.is_empty() {
                    self.put("(");
                    self.list(parameters, ", ", |printer, binder| printer.binder(binder, ": "));
                    self.put(")");
                }
                if let Some(guard) = guard {
                    self.put(" when ");
                    self.condition(guard);
                }
                self.step(body);
            }
        }
    }

    fn label(&mut self, label: &Label) {
        match label.annotation {
            None => self.name(&label.name),
            Some(word) => {
                self.put(annotation(word));
                self.put("(");
                self.name(&label.name);
                self.put(")");
            }
        }
    }

    fn statements(&mut self, statements: &[Statement], trailing: &[Comment], first: bool) {
        for (number, statement) in statements.iter().enumerate() {
            self.node(&statement.comments, first && number == 0, |printer| printer.statement(statement));
        }
        self.trailing(trailing, first && statements.is_empty());
    }

    /// A block, after its head.
    pub(super) fn block(&mut self, block: &Block) {
        if block.statements.is_empty() && block.trailing.is_empty() {
            return self.put(" {}");
        }
        self.put(" {\n");
        self.depth += 1;
        self.statements(&block.statements, &block.trailing, true);
        self.depth -= 1;
        self.indent();
        self.put("}");
    }

    /// A block that is one step: on one line if it is one simple statement and fits.
    fn step(&mut self, block: &Block) {
        if let [statement] = block.statements.as_slice()
            && block.trailing.is_empty()
            && is_simple(statement)
        {
            let start = self.text.len();
            self.put(" { ");
            self.statement(statement);
            self.put(" }");
            if self.column() <= WIDTH {
                return;
            }
            self.text.truncate(start);
        }
        self.block(block);
    }

    fn statement(&mut self, statement: &Statement) {
        if let Some(label) = &statement.label {
            self.label(label);
            self.put(": ");
        }
        match &statement.kind {
            StatementKind::Skip => self.put("skip"),
            StatementKind::Stay => self.put("stay"),
            StatementKind::Halt => self.put("halt"),
            StatementKind::Assign { targets, values } => {
                self.list(targets, ", ", Self::place);
                self.put(" = ");
                self.list(values, ", ", Self::expression);
            }
            StatementKind::Update { target, operator, value } => {
                self.place(target);
                self.put(" ");
                self.put(precedence::symbol(*operator));
                self.put("= ");
                self.expression(value);
            }
            StatementKind::Assert { condition, text } => {
                self.put("assert ");
                let start = self.text.len();
                self.expression(condition);
                if self.text[start..].starts_with('[') {
                    // Otherwise it would be read as an element of an array.
                    self.text.insert(start, '(');
                    self.put(")");
                }
                if let Some(text) = text {
                    self.put(" ");
                    self.quoted(&text.text);
                }
            }
            StatementKind::Let { names, value, receives } => {
                self.put("let ");
                self.list(names, ", ", |printer, name| {
                    printer.put(name.as_ref().map_or("_", |name| &name.text));
                });
                self.put(" = ");
                self.expression(value);
                if *receives {
                    self.put("?");
                }
            }
            StatementKind::Call(name, arguments) => self.call(&name.text, arguments),
            StatementKind::Sync(event) => {
                self.put("sync ");
                self.name(event);
            }
            StatementKind::Await(condition) => {
                self.put("await ");
                self.expression(condition);
            }
            StatementKind::Request(semaphore) => {
                self.put("request ");
                self.place(semaphore);
            }
            StatementKind::Release(semaphore) => {
                self.put("release ");
                self.place(semaphore);
            }
            StatementKind::Send { channel, values } => {
                self.place(channel);
                self.put("!");
                self.list(values, ", ", Self::expression);
            }
            StatementKind::Receive { channel, targets } => {
                self.place(channel);
                self.put("?");
                self.list(targets, ", ", |printer, target| match target {
                    Some(target) => printer.place(target),
                    None => printer.put("_"),
                });
            }
            StatementKind::Goto(label) => {
                self.put("goto ");
                self.name(label);
            }
            _ => return self.compound(&statement.kind),
        }
        self.put(";");
    }

    /// A statement that ends with a block.
    fn compound(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::When(condition, body) => {
                self.put("when ");
                self.condition(condition);
                self.step(body);
            }
            StatementKind::Atomic(body) => {
                self.put("atomic");
                self.step(body);
            }
            StatementKind::Choose { name, set, condition, body } => {
                self.head("choose", name);
                self.put(" in ");
                self.before_block(|printer| printer.set(set));
                if let Some(condition) = condition {
                    self.put(" where ");
                    self.condition(condition);
                }
                self.step(body);
            }
            StatementKind::While(condition, body) => {
                self.put("while ");
                self.condition(condition);
                self.block(body);
            }
            StatementKind::For(binder, body) => {
                self.put("for ");
                self.before_block(|printer| printer.binder(binder, " in "));
                self.step(body);
            }
            StatementKind::Loop(body) => {
                self.put("loop");
                self.block(body);
            }
            StatementKind::Either(branches) => {
                self.put("either");
                self.list(branches, " or", Self::block);
            }
            StatementKind::If { condition, yes, no } => {
                self.put("if ");
                self.condition(condition);
                self.block(yes);
                match no.as_ref().map(|no| (no, else_if(no))) {
                    None => {}
                    Some((_, Some(statement))) => {
                        self.put(" else ");
                        self.statement(statement);
                    }
                    Some((no, None)) => {
                        self.put(" else");
                        self.block(no);
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_bare(statement: &Statement) -> bool {
    statement.label.is_none() && statement.comments == Comments::default()
}

/// Whether a statement ends with `;` and carries no label or comment.
fn is_simple(statement: &Statement) -> bool {
    use StatementKind::{
        Assert, Assign, Await, Call, Goto, Halt, Let, Receive, Release, Request, Send, Skip, Stay, Sync,
        Update,
    };
    is_bare(statement)
        && matches!(
            statement.kind,
            Skip | Stay
                | Halt
                | Assign { .. }
                | Update { .. }
                | Assert { .. }
                | Let { .. }
                | Call(..)
                | Sync(_)
                | Await(_)
                | Request(_)
                | Release(_)
                | Send { .. }
                | Receive { .. }
                | Goto(_)
        )
}

/// The `if` of an `else if`.
fn else_if(block: &Block) -> Option<&Statement> {
    match block.statements.as_slice() {
        [statement] if block.trailing.is_empty() && is_bare(statement) => {
            matches!(statement.kind, StatementKind::If { .. }).then_some(statement)
        }
        _ => None,
    }
}

fn annotation(word: FairWord) -> &'static str {
    match word {
        FairWord::Weak => "wf",
        FairWord::Strong => "sf",
        FairWord::Unconditional => "uf",
    }
}
