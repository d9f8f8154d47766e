//! What a text declares, for lists of symbols. It is made from the syntax tree, so it is there while the text has errors.

use lang::syntax::{
    Block, File, Item, ItemKind, Label, MemberKind, Name, Process, Span, Statement, StatementKind, Variables,
};

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub name_span: Span,
    /// Where the declaration stands.
    pub span: Span,
    /// What is declared inside it: the locals, actions and labels of a process, the members of an enum.
    pub children: Vec<Symbol>,
}

/// What is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A constant.
    Constant,
    /// A parameter.
    Parameter,
    /// An enum.
    Enum,
    /// A record.
    Record,
    /// A field of a record.
    Field,
    /// A member of an enum.
    Member,
    /// A `define`.
    Definition,
    /// A macro.
    Macro,
    /// A shared or local variable.
    Variable,
    /// A channel.
    Channel,
    /// A joint event.
    Event,
    /// A process or a family of processes.
    Process,
    /// An action.
    Action,
    /// A label.
    Label,
    /// A fairness with a name.
    Fairness,
    /// An invariant.
    Invariant,
    /// A property.
    Property,
}

impl SymbolKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Constant => "constant",
            SymbolKind::Parameter => "parameter",
            SymbolKind::Enum => "enum",
            SymbolKind::Record => "record",
            SymbolKind::Field => "field",
            SymbolKind::Member => "member",
            SymbolKind::Definition => "definition",
            SymbolKind::Macro => "macro",
            SymbolKind::Variable => "variable",
            SymbolKind::Channel => "channel",
            SymbolKind::Event => "event",
            SymbolKind::Process => "process",
            SymbolKind::Action => "action",
            SymbolKind::Label => "label",
            SymbolKind::Fairness => "fairness",
            SymbolKind::Invariant => "invariant",
            SymbolKind::Property => "property",
        }
    }
}

/// The declarations of a tree that stand in the first so many bytes, in order.
pub(crate) fn outline(tree: &File, length: usize) -> Vec<Symbol> {
    tree.items.iter().filter(|item| item.span.start <= length).flat_map(item).collect()
}

fn symbol(kind: SymbolKind, name: &Name, span: Span) -> Symbol {
    Symbol { kind, name: name.text.clone(), name_span: name.span, span, children: Vec::new() }
}

fn item(item: &Item) -> Vec<Symbol> {
    let one = |kind, name: &Name| vec![symbol(kind, name, item.span)];
    match &item.kind {
        ItemKind::Const { name, .. } => one(SymbolKind::Constant, name),
        ItemKind::Param { name, .. } => one(SymbolKind::Parameter, name),
        ItemKind::Enum { name, members } => {
            let children =
                members.iter().map(|member| symbol(SymbolKind::Member, member, member.span)).collect();
            vec![Symbol { children, ..symbol(SymbolKind::Enum, name, item.span) }]
        }
        ItemKind::Record { name, fields } => {
            let field = |field: &lang::syntax::Field| symbol(SymbolKind::Field, &field.name, field.name.span);
            let children = fields.iter().map(field).collect();
            vec![Symbol { children, ..symbol(SymbolKind::Record, name, item.span) }]
        }
        ItemKind::Define { name, .. } => one(SymbolKind::Definition, name),
        ItemKind::Macro { name, .. } => one(SymbolKind::Macro, name),
        ItemKind::Shared(variables) => named(variables, item.span),
        ItemKind::Chan { name, .. } => one(SymbolKind::Channel, name),
        ItemKind::Event(names) => {
            names.iter().map(|name| symbol(SymbolKind::Event, name, item.span)).collect()
        }
        ItemKind::Process(process) => {
            vec![Symbol {
                children: inside(process),
                ..symbol(SymbolKind::Process, &process.name, item.span)
            }]
        }
        ItemKind::Fairness { name: Some(name), .. } => one(SymbolKind::Fairness, name),
        ItemKind::Invariant { name, .. } => one(SymbolKind::Invariant, name),
        ItemKind::Property { name, .. } | ItemKind::Never { name, .. } => one(SymbolKind::Property, name),
        ItemKind::Include(_)
        | ItemKind::Init(_)
        | ItemKind::Stuttering
        | ItemKind::Fairness { name: None, .. } => Vec::new(),
    }
}

fn named(variables: &Variables, span: Span) -> Vec<Symbol> {
    variables.names.iter().map(|name| symbol(SymbolKind::Variable, name, span)).collect()
}

/// The locals, actions and labels of a process, in the order of the text.
fn inside(process: &Process) -> Vec<Symbol> {
    let mut found = Vec::new();
    for member in &process.members {
        match &member.kind {
            MemberKind::Local(variables) => found.extend(named(variables, member.span)),
            MemberKind::Action { label: Label { name, .. }, .. } => {
                found.push(symbol(SymbolKind::Action, name, member.span));
            }
        }
    }
    let mut pending: Vec<&Statement> = process.body.iter().rev().collect();
    while let Some(statement) = pending.pop() {
        if let Some(label) = &statement.label {
            found.push(symbol(SymbolKind::Label, &label.name, statement.span));
        }
        let blocks: Vec<&Block> = match &statement.kind {
            StatementKind::While(_, block) | StatementKind::Loop(block) => vec![block],
            StatementKind::If { yes, no, .. } => std::iter::once(yes).chain(no).collect(),
            StatementKind::Either(blocks) => blocks.iter().collect(),
            // Inside these there are no labels.
            _ => Vec::new(),
        };
        pending.extend(blocks.into_iter().flat_map(|block| &block.statements).rev());
    }
    found
}
