//! Declares the names that can be used before they are written: those of the whole file, the locals and labels of
//! processes, the parameters of definitions and macros.

use std::collections::BTreeSet;

use super::Walk;
use crate::check::code::{LineNames, label_names, takes_step};
use crate::index::{Definition, Kind};
use crate::syntax::{
    Block, Comments, Item, ItemKind, Label, MemberKind, Name, Process, Span, Statement, StatementKind,
    Variables,
};

impl<'a> Walk<'a> {
    fn whole_file(&self) -> Span {
        Span { start: 0, end: self.text.len() }
    }

    pub(super) fn define(
        &mut self,
        name: &Name,
        kind: Kind,
        (whole, scope): (Span, Span),
        owner: Option<usize>,
    ) -> usize {
        self.definitions.push(Definition {
            name: name.text.clone(),
            kind,
            span: name.span,
            whole,
            scope,
            owner,
            uses: Vec::new(),
            implied: false,
            comment: None,
        });
        self.definitions.len() - 1
    }

    /// Defines a name of the whole file. Of two definitions the first is meant.
    fn global(&mut self, name: &'a Name, kind: Kind, item: &Item, owner: Option<usize>) -> usize {
        let number = self.define(name, kind, (item.span, self.whole_file()), owner);
        self.definitions[number].comment = comment(&item.comments);
        self.globals.entry(&name.text).or_insert(number);
        self.heads.insert(name.span.start, number);
        number
    }

    fn claim(&mut self, name: &Name, kind: Kind, item: &Item) {
        let number = self.define(name, kind, (item.span, name.span), None);
        self.definitions[number].comment = comment(&item.comments);
    }

    /// Declares what can be used before it is written.
    pub(super) fn declare(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Const { name, .. } => {
                self.global(name, Kind::Constant, item, None);
            }
            ItemKind::Param { name, .. } => {
                self.global(name, Kind::Parameter, item, None);
            }
            ItemKind::Enum { name, members } => {
                let owner = self.global(name, Kind::Enum, item, None);
                for member in members {
                    self.global(member, Kind::Member, item, Some(owner));
                }
            }
            ItemKind::Record { name, .. } => {
                self.global(name, Kind::Record, item, None);
            }
            ItemKind::Define { name, parameters, .. } => {
                self.declare_applied(name, Kind::Definition, parameters, item);
            }
            ItemKind::Macro { name, parameters, .. } => {
                self.declare_applied(name, Kind::Macro, parameters, item);
            }
            ItemKind::Shared(Variables { names, .. }) => {
                for name in names {
                    self.global(name, Kind::Shared, item, None);
                }
            }
            ItemKind::Chan { name, .. } => {
                self.global(name, Kind::Channel, item, None);
            }
            ItemKind::Event(names) => {
                for name in names {
                    self.global(name, Kind::Event, item, None);
                }
            }
            ItemKind::Process(process) => self.declare_process(process, item),
            ItemKind::Fairness { name: Some(name), .. } => {
                let number = self.define(name, Kind::Fairness, (item.span, self.whole_file()), None);
                self.definitions[number].comment = comment(&item.comments);
                self.fairness.entry(&name.text).or_insert(number);
            }
            ItemKind::Invariant { name, .. } => self.claim(name, Kind::Invariant, item),
            ItemKind::Property { name, .. } | ItemKind::Never { name, .. } => {
                self.claim(name, Kind::Property, item);
            }
            ItemKind::Include(_)
            | ItemKind::Fairness { name: None, .. }
            | ItemKind::Init(_)
            | ItemKind::Stuttering => {}
        }
    }

    fn declare_applied(&mut self, name: &'a Name, kind: Kind, parameters: &'a [Name], item: &Item) {
        let owner = self.global(name, kind, item, None);
        let define =
            |parameter| self.define(parameter, Kind::Argument, (parameter.span, item.span), Some(owner));
        let numbers = parameters.iter().map(define).collect();
        self.parameters.insert(owner, numbers);
    }

    fn declare_process(&mut self, process: &'a Process, item: &'a Item) {
        let owner = self.global(&process.name, Kind::Process, item, None);
        for member in &process.members {
            match &member.kind {
                MemberKind::Local(variables) => {
                    for name in &variables.names {
                        let number = self.define(name, Kind::Local, (member.span, item.span), Some(owner));
                        self.definitions[number].comment = comment(&member.comments);
                        self.locals.entry((owner, &name.text)).or_insert(number);
                    }
                }
                MemberKind::Action { label, .. } => {
                    self.label(owner, label, Kind::Action, (member.span, item.span), &member.comments);
                }
            }
        }
        self.declare_labels(owner, &process.body, item);
        let mut taken = BTreeSet::new();
        label_names(&process.body, &mut taken);
        let actions = process.members.iter().filter_map(|member| match &member.kind {
            MemberKind::Action { label, .. } => Some(label.name.text.as_str()),
            MemberKind::Local(_) => None,
        });
        taken.extend(actions);
        let mut names = LineNames::new(taken.into_iter().map(str::to_owned).collect());
        self.name_lines(owner, &process.body, &mut names);
        let end = Span { start: item.span.end.saturating_sub(1), end: item.span.end };
        self.implied.insert((owner, "end".to_owned()), end);
    }

    fn label(&mut self, owner: usize, label: &Label, kind: Kind, spans: (Span, Span), comments: &Comments) {
        let number = self.define(&label.name, kind, spans, Some(owner));
        self.definitions[number].comment = comment(comments);
        self.labels.entry((owner, label.name.text.clone())).or_insert(number);
    }

    fn declare_labels(&mut self, owner: usize, statements: &'a [Statement], item: &Item) {
        for statement in statements {
            if let Some(label) = statement.label.as_ref().filter(|label| label.is_written()) {
                self.label(owner, label, Kind::Label, (statement.span, item.span), &statement.comments);
            }
            for block in blocks(statement) {
                self.declare_labels(owner, &block.statements, item);
            }
        }
    }

    /// The names of statements without a label, as the checker gives them.
    fn name_lines(&mut self, owner: usize, statements: &'a [Statement], names: &mut LineNames) {
        for statement in statements {
            match &statement.label {
                Some(label) if !label.is_written() => {
                    self.implied.insert((owner, label.name.text.clone()), statement.span);
                }
                None if takes_step(&statement.kind) => {
                    let line = self.lines.partition_point(|start| *start <= statement.span.start);
                    self.implied.insert((owner, names.name(line)), statement.span);
                }
                _ => {}
            }
            let inner = matches!(
                statement.kind,
                StatementKind::If { .. }
                    | StatementKind::While(..)
                    | StatementKind::Loop(_)
                    | StatementKind::Either(_)
            );
            for block in blocks(statement).into_iter().filter(|_| inner) {
                self.name_lines(owner, &block.statements, names);
            }
        }
    }
}

/// The blocks inside a statement.
fn blocks(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::While(_, body) | StatementKind::Loop(body) => vec![body],
        _ => crate::check::flow::blocks(statement),
    }
}

/// The last paragraph of the comments before a declaration, and the one behind it.
fn comment(comments: &Comments) -> Option<String> {
    let begin = if comments.spaced {
        comments.before.len()
    } else {
        comments.before.iter().rposition(|comment| comment.spaced).unwrap_or(0)
    };
    let lines =
        comments.before[begin..].iter().map(|comment| comment.text.as_str()).chain(comments.after.as_deref());
    let lines: Vec<&str> = lines.map(str::trim).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
