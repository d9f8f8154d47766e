//! Collects the definitions of a tree and their uses.
//!
//! First all names are declared that can be used before they are written ([`declare`]). Then every expression, statement and
//! fairness is walked once, from the outside in, with the names that are bound on the way. Nothing may be shadowed, so the
//! order of lookups matters only in files with errors.
//!
//! Which process a parameter of a macro stands for is known when all calls have been seen; names after it wait till then.

mod declare;

use std::collections::{BTreeMap, BTreeSet};

use super::{Definition, Kind};
use crate::syntax::{
    Binder, Block, Event, Expr, ExprKind, Fair, FairKind, File, Initial, Item, ItemKind, Member, MemberKind,
    Members, Name, Process, Range, Set, Span, Statement, StatementKind, Type, Variables,
};

/// The definitions of a file, in its order.
pub(super) fn definitions(text: &str, file: &File) -> Vec<Definition> {
    let mut walk = Walk::new(text);
    file.items.iter().for_each(|item| walk.declare(item));
    file.items.iter().for_each(|item| walk.item(item));
    walk.pass_processes();
    walk.sorted()
}

/// What an expression denotes, as far as names after it depend on it.
#[derive(Clone, Copy)]
enum Base {
    /// A process or family, by its definition.
    Process(usize),
    /// A parameter of a macro.
    Argument(usize),
    Other,
}

struct Walk<'a> {
    text: &'a str,
    /// The first byte of each line.
    lines: Vec<usize>,
    definitions: Vec<Definition>,
    globals: BTreeMap<&'a str, usize>,
    /// The names of the whole file, by the place of their definition.
    heads: BTreeMap<usize, usize>,
    fairness: BTreeMap<&'a str, usize>,
    /// By process and name.
    locals: BTreeMap<(usize, &'a str), usize>,
    labels: BTreeMap<(usize, String), usize>,
    /// What the labels are that nobody wrote.
    implied: BTreeMap<(usize, String), Span>,
    /// The parameters of definitions and macros.
    parameters: BTreeMap<usize, Vec<usize>>,
    /// Names bound on the way in, innermost last.
    bound: Vec<(&'a str, usize)>,
    /// The process whose code is walked.
    owner: Option<usize>,
    /// What calls pass to the parameters of macros.
    passed: Vec<(usize, Base)>,
    /// Names after a parameter of a macro: whether it is a label, and the name.
    waiting: Vec<(usize, bool, &'a Name)>,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Walk<'a> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Walk {
            text,
            lines: std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect(),
            definitions: Vec::new(),
            globals: BTreeMap::new(),
            heads: BTreeMap::new(),
            fairness: BTreeMap::new(),
            locals: BTreeMap::new(),
            labels: BTreeMap::new(),
            implied: BTreeMap::new(),
            parameters: BTreeMap::new(),
            bound: Vec::new(),
            owner: None,
            passed: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn item(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Const { value: expr, .. }
            | ItemKind::Param { least: expr, .. }
            | ItemKind::Init(expr) => {
                self.expr(expr);
            }
            ItemKind::Include(_) | ItemKind::Enum { .. } | ItemKind::Event(_) | ItemKind::Stuttering => {}
            // Fields are not in the index: which record a field belongs to depends on types.
            ItemKind::Record { fields, .. } => fields.iter().for_each(|field| self.kind(&field.kind)),
            ItemKind::Define { name, body, .. } => self.with_parameters(name, |walk| {
                walk.expr(body);
            }),
            ItemKind::Macro { name, body, .. } => self.with_parameters(name, |walk| walk.block(body)),
            ItemKind::Shared(variables) => self.variables(variables),
            ItemKind::Chan { range, capacity, fields, .. } => {
                range.iter().for_each(|range| self.range(range));
                self.expr(capacity);
                fields.iter().for_each(|field| self.kind(field));
            }
            ItemKind::Process(process) => self.process(process, item.span),
            ItemKind::Fairness { fair, .. } => self.fair(fair),
            ItemKind::Invariant { family, body, .. } => {
                self.members(family, item.span);
                self.expr(body);
            }
            ItemKind::Property { family, body, under, .. } => {
                self.members(family, item.span);
                self.expr(body);
                under.iter().for_each(|fair| self.fair(fair));
            }
            ItemKind::Never { family, propositions, under, .. } => {
                self.members(family, item.span);
                for proposition in propositions {
                    let Name { span, .. } = proposition.name;
                    self.define(&proposition.name, Kind::Proposition, (span, span), None);
                    self.expr(&proposition.meaning);
                }
                under.iter().for_each(|fair| self.fair(fair));
            }
        }
        self.bound.clear();
    }

    /// Walks the body of a definition or macro, which sees its parameters.
    fn with_parameters(&mut self, name: &'a Name, walk: impl FnOnce(&mut Self)) {
        let own = self.heads.get(&name.span.start);
        let parameters = own.and_then(|own| self.parameters.get(own)).cloned().unwrap_or_default();
        for number in parameters {
            let Span { start, end } = self.definitions[number].span;
            self.bound.push((&self.text[start..end], number));
        }
        walk(self);
    }

    fn process(&mut self, process: &'a Process, item: Span) {
        self.owner = self.heads.get(&process.name.span.start).copied();
        process.indices.iter().for_each(|binder| self.binder(binder, item));
        for member in &process.members {
            self.member(member);
        }
        self.statements(&process.body, item.end);
        self.owner = None;
    }

    fn member(&mut self, member: &'a Member) {
        match &member.kind {
            MemberKind::Local(variables) => self.variables(variables),
            MemberKind::Action { parameters, guard, body, .. } => {
                let outer = self.bound.len();
                parameters.iter().for_each(|binder| self.binder(binder, member.span));
                self.exprs(guard);
                self.block(body);
                self.bound.truncate(outer);
            }
        }
    }

    /// The indices of a family of properties; they stay bound to the end of the declaration.
    fn members(&mut self, family: &'a Members, item: Span) {
        family.binders.iter().for_each(|binder| self.binder(binder, item));
        self.exprs(&family.condition);
    }

    fn variables(&mut self, variables: &'a Variables) {
        self.kind(&variables.kind);
        match &variables.initial {
            Some(Initial::Value(value)) => {
                self.expr(value);
            }
            Some(Initial::In(set)) => self.set(set),
            Some(Initial::Any(_)) | None => {}
        }
    }

    fn kind(&mut self, kind: &'a Type) {
        match kind {
            Type::Bool(_) | Type::Int(_) => {}
            Type::Named(name) => {
                self.name(&name.text, name.span);
            }
            Type::Range(range) => self.range(range),
            Type::Array(range, element) => {
                self.range(range);
                self.kind(element);
            }
            Type::Set(element) => self.kind(element),
            Type::Seq(room, element) => {
                self.expr(room);
                self.kind(element);
            }
        }
    }

    fn range(&mut self, range: &'a Range) {
        self.expr(&range.lo);
        if !range.named {
            self.expr(&range.hi);
        }
    }

    fn set(&mut self, set: &'a Set) {
        match set {
            Set::Listed(values, _) => self.exprs(values),
            Set::Range(range) => self.range(range),
            Set::Integers(_) => {}
        }
    }

    fn binder(&mut self, binder: &'a Binder, scope: Span) {
        self.range(&binder.range);
        self.bind(&binder.name, Kind::Index, binder.name.span.to(binder.range.hi.span), scope);
    }

    /// Binds a name until the caller takes it from `bound`.
    fn bind(&mut self, name: &'a Name, kind: Kind, whole: Span, scope: Span) {
        let number = self.define(name, kind, (whole, scope), self.owner);
        self.bound.push((&name.text, number));
    }

    fn block(&mut self, block: &'a Block) {
        self.statements(&block.statements, block.span.end);
    }

    /// Statements of a block that ends at a byte. What `let` names is known in the rest of it.
    fn statements(&mut self, statements: &'a [Statement], end: usize) {
        let outer = self.bound.len();
        for statement in statements {
            self.statement(statement, end);
        }
        self.bound.truncate(outer);
    }

    fn statement(&mut self, statement: &'a Statement, end: usize) {
        let (outer, span) = (self.bound.len(), statement.span);
        match &statement.kind {
            StatementKind::Skip | StatementKind::Stay | StatementKind::Halt => {}
            StatementKind::Assign { targets, values } => {
                self.exprs(targets);
                self.exprs(values);
            }
            StatementKind::Update { target, value, .. } => {
                self.expr(target);
                self.expr(value);
            }
            StatementKind::Let { names, value, .. } => {
                self.expr(value);
                for name in names.iter().flatten() {
                    self.bind(name, Kind::Let, span, Span { start: span.end, end });
                }
                return;
            }
            StatementKind::Call(name, arguments) => self.call(name, arguments),
            StatementKind::Sync(event) => {
                self.name(&event.text, event.span);
            }
            StatementKind::For(binder, body) => {
                self.binder(binder, span);
                self.block(body);
            }
            StatementKind::Assert { condition: expr, .. }
            | StatementKind::Await(expr)
            | StatementKind::Request(expr)
            | StatementKind::Release(expr) => {
                self.expr(expr);
            }
            StatementKind::When(condition, body) | StatementKind::While(condition, body) => {
                self.expr(condition);
                self.block(body);
            }
            StatementKind::Atomic(body) | StatementKind::Loop(body) => self.block(body),
            StatementKind::Choose { name, set, condition, body } => {
                self.set(set);
                self.bind(
                    name,
                    Kind::Index,
                    Span { start: span.start, end: body.span.start.max(name.span.end) },
                    span,
                );
                self.exprs(condition);
                self.block(body);
            }
            StatementKind::Send { channel, values } => {
                self.expr(channel);
                self.exprs(values);
            }
            StatementKind::Receive { channel, targets } => {
                self.expr(channel);
                self.exprs(targets.iter().flatten());
            }
            StatementKind::If { condition, yes, no } => {
                self.expr(condition);
                self.block(yes);
                no.iter().for_each(|no| self.block(no));
            }
            StatementKind::Either(blocks) => blocks.iter().for_each(|block| self.block(block)),
            StatementKind::Goto(label) => {
                if let Some(owner) = self.owner {
                    self.use_label(owner, label);
                }
            }
        }
        self.bound.truncate(outer);
    }

    /// `take(e, f);`
    fn call(&mut self, name: &'a Name, arguments: &'a [Expr]) {
        let called = self.globals.get(name.text.as_str()).copied();
        if let Some(called) = called {
            self.definitions[called].uses.push(name.span);
        }
        let parameters = called.and_then(|called| self.parameters.get(&called)).cloned().unwrap_or_default();
        for (position, argument) in arguments.iter().enumerate() {
            let base = self.expr(argument);
            if let Some(parameter) = parameters.get(position) {
                self.passed.push((*parameter, base));
            }
        }
    }

    fn fair(&mut self, fair: &'a Fair) {
        match &fair.kind {
            FairKind::All(_) | FairKind::Processes(_) | FairKind::Global | FairKind::None => {}
            FairKind::Of(_, event) => self.event(event),
            FairKind::Justice(condition) => {
                self.expr(condition);
            }
            FairKind::Compassion(when, then) => {
                self.expr(when);
                self.expr(then);
            }
            FairKind::For(binder, body) => {
                let outer = self.bound.len();
                self.binder(binder, fair.span);
                self.fair(body);
                self.bound.truncate(outer);
            }
            FairKind::Named(name) => {
                if let Some(number) = self.fairness.get(name.text.as_str()) {
                    self.definitions[*number].uses.push(name.span);
                }
            }
            FairKind::And(parts) | FairKind::Or(parts) => parts.iter().for_each(|part| self.fair(part)),
        }
    }

    fn event(&mut self, event: &'a Event) {
        for party in &event.parties {
            let process = self.globals.get(party.process.text.as_str()).copied();
            if let Some(process) = process {
                self.definitions[process].uses.push(party.process.span);
            }
            self.exprs(&party.indices);
            if let (Some(process), Some(label)) = (process, &party.label) {
                self.use_label(process, label);
            }
        }
        self.exprs(event.arguments.iter().flatten());
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'a Expr) -> Base {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Deadlock | ExprKind::Error => {}
            ExprKind::Name(text) => return self.name(text, expr.span),
            ExprKind::Call(name, arguments) => {
                self.name(&name.text, name.span);
                self.exprs(arguments);
            }
            ExprKind::Min(parts) | ExprKind::Max(parts) | ExprKind::List(parts) | ExprKind::Set(parts) => {
                self.exprs(parts);
            }
            ExprKind::Record(name, fields) => {
                self.name(&name.text, name.span);
                self.exprs(fields.iter().map(|(_, value)| value));
            }
            ExprKind::Item(base, index) => {
                let base = self.expr(base);
                self.expr(index);
                return base;
            }
            ExprKind::Field(base, name) => {
                let base = self.expr(base);
                self.part(base, false, name);
            }
            ExprKind::At(base, label) => {
                let base = self.expr(base);
                self.part(base, true, label);
            }
            ExprKind::Unary(_, a)
            | ExprKind::Size(a)
            | ExprKind::Len(a)
            | ExprKind::Empty(a)
            | ExprKind::Full(a) => {
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Path(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::In(a, set) => {
                self.expr(a);
                self.set(set);
            }
            ExprKind::If(a, b, c) => self.exprs([&**a, b, c]),
            ExprKind::Quantified(_, binder, body) => {
                let outer = self.bound.len();
                self.binder(binder, expr.span);
                self.expr(body);
                self.bound.truncate(outer);
            }
            ExprKind::Each(name, body) => {
                self.bind(name, Kind::Index, expr.span, expr.span);
                self.expr(body);
                self.bound.pop();
            }
            ExprKind::Taken(event) | ExprKind::Enabled(event) => self.event(event),
        }
        Base::Other
    }

    /// A name that stands alone.
    fn name(&mut self, text: &'a str, span: Span) -> Base {
        let bound = self.bound.iter().rev().find(|(bound, _)| *bound == text).map(|(_, number)| *number);
        let local = || self.locals.get(&(self.owner?, text)).copied();
        let Some(number) = bound.or_else(local).or_else(|| self.globals.get(text).copied()) else {
            return Base::Other;
        };
        self.definitions[number].uses.push(span);
        match self.definitions[number].kind {
            Kind::Process => Base::Process(number),
            Kind::Argument => Base::Argument(number),
            _ => Base::Other,
        }
    }

    /// `base.y` or `base@l`
    fn part(&mut self, base: Base, label: bool, name: &'a Name) {
        match base {
            Base::Process(process) if label => self.use_label(process, name),
            Base::Process(process) => {
                if let Some(number) = self.locals.get(&(process, name.text.as_str())) {
                    self.definitions[*number].uses.push(name.span);
                }
            }
            Base::Argument(argument) => self.waiting.push((argument, label, name)),
            Base::Other => {}
        }
    }

    fn use_label(&mut self, process: usize, label: &Name) {
        let key = (process, label.text.clone());
        let number = if let Some(number) = self.labels.get(&key) {
            *number
        } else {
            let Some(span) = self.implied.get(&key).copied() else { return };
            let scope = self.definitions[process].whole;
            let name = Name { text: label.text.clone(), span };
            let number = self.define(&name, Kind::Label, (span, scope), Some(process));
            self.definitions[number].implied = true;
            self.labels.insert(key, number);
            number
        };
        self.definitions[number].uses.push(label.span);
    }

    /// Finds the processes that parameters of macros stand for, and the names that have waited for them.
    fn pass_processes(&mut self) {
        let mut processes: BTreeSet<(usize, usize)> = BTreeSet::new();
        loop {
            let before = processes.len();
            for (parameter, base) in &self.passed {
                match base {
                    Base::Process(process) => {
                        processes.insert((*parameter, *process));
                    }
                    Base::Argument(argument) => {
                        let through: Vec<usize> = processes
                            .range((*argument, 0)..=(*argument, usize::MAX))
                            .map(|own| own.1)
                            .collect();
                        processes.extend(through.into_iter().map(|process| (*parameter, process)));
                    }
                    Base::Other => {}
                }
            }
            if processes.len() == before {
                break;
            }
        }
        for (argument, label, name) in std::mem::take(&mut self.waiting) {
            for (_, process) in processes.range((argument, 0)..=(argument, usize::MAX)) {
                self.part(Base::Process(*process), label, name);
            }
        }
    }

    /// The definitions in the order of the file, each with its uses in order.
    fn sorted(self) -> Vec<Definition> {
        let mut order: Vec<usize> = (0..self.definitions.len()).collect();
        order.sort_by_key(|number| self.definitions[*number].span.start);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let mut definitions: Vec<Option<Definition>> = self.definitions.into_iter().map(Some).collect();
        let mut sorted: Vec<Definition> = order.iter().filter_map(|old| definitions[*old].take()).collect();
        for definition in &mut sorted {
            definition.owner = definition.owner.map(|owner| place[owner]);
            definition.uses.sort_unstable_by_key(|span| span.start);
        }
        sorted
    }
}
