//! The constructs that occur in a file, by name. Every kind of node of the syntax tree is one, and so is each of its
//! optional parts.
//!
//! No match has a wildcard: a new construct has to be named here.

use std::collections::BTreeSet;

use lang::syntax::{
    Binder, Block, Event, Expr, ExprKind, Fair, FairKind, File, Initial, Item, ItemKind, Label, Member,
    MemberKind, Members, Process, Range, Set, Statement, StatementKind, Type, Variables,
};

/// The constructs of a file.
pub(crate) fn constructs(file: &File) -> BTreeSet<String> {
    let mut census = Census::default();
    file.items.iter().for_each(|item| census.item(item));
    census.0
}

#[derive(Default)]
struct Census(BTreeSet<String>);

impl Census {
    fn saw(&mut self, name: &str) {
        if !self.0.contains(name) {
            self.0.insert(name.to_owned());
        }
    }

    fn saw_if(&mut self, seen: bool, name: &str) {
        if seen {
            self.saw(name);
        }
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Include(_) => self.saw("include"),
            ItemKind::Const { value, .. } => {
                self.saw(if matches!(value.kind, ExprKind::List(_)) { "const, a table" } else { "const" });
                self.expr(value);
            }
            ItemKind::Param { .. } => self.saw("param"),
            ItemKind::Enum { .. } => self.saw("enum"),
            ItemKind::Record { fields, .. } => {
                self.saw("record");
                fields.iter().for_each(|field| self.kind(&field.kind));
            }
            ItemKind::Define { parameters, body, .. } => {
                self.saw(if parameters.is_empty() { "define" } else { "define with parameters" });
                self.expr(body);
            }
            ItemKind::Macro { body, .. } => {
                self.saw("macro");
                self.block(body);
            }
            ItemKind::Shared(variables) => {
                self.saw("shared");
                self.variables(variables);
            }
            ItemKind::Chan { range, capacity, network, fields, .. } => {
                let meets = matches!(capacity.kind, ExprKind::Int(0));
                self.saw(if meets { "chan without room" } else { "chan with room" });
                self.saw_if(range.is_some(), "array of channels");
                self.saw_if(network.unordered, "unordered");
                self.saw_if(network.lossy, "lossy");
                self.saw_if(network.duplicating, "duplicating");
                self.saw_if(fields.len() > 1, "messages of several fields");
                let parts = fields.iter().any(|field| matches!(field, Type::Set(_) | Type::Seq(..)));
                self.saw_if(parts && meets, "sets passed in a rendezvous");
                self.saw_if(parts && network.unordered, "sets in an unordered channel");
                fields.iter().for_each(|field| self.kind(field));
            }
            ItemKind::Event(_) => self.saw("event"),
            ItemKind::Init(condition) => {
                self.saw("init");
                self.expr(condition);
            }
            ItemKind::Stuttering => self.saw("stuttering"),
            ItemKind::Process(process) => self.process(process),
            ItemKind::Fairness { name, fair } => {
                self.saw(if name.is_some() { "fairness with a name" } else { "fairness without a name" });
                self.fair(fair);
            }
            ItemKind::Invariant { family, body, expect, .. } => {
                self.saw("invariant");
                self.saw_if(!family.binders.is_empty(), "family of invariants");
                self.saw_if(expect.is_some(), "expect");
                self.members(family);
                self.expr(body);
            }
            ItemKind::Property { family, body, under, expect, .. } => {
                self.saw(if under.is_some() { "property under a fairness" } else { "property" });
                self.saw_if(!family.binders.is_empty(), "family of properties");
                self.saw_if(expect.is_some(), "expect");
                self.members(family);
                self.expr(body);
                under.iter().for_each(|fair| self.fair(fair));
            }
            ItemKind::Never { .. } => self.saw("never automaton"),
        }
    }

    fn members(&mut self, family: &Members) {
        self.saw_if(family.condition.is_some(), "where, of a family");
        family.binders.iter().for_each(|binder| self.binder(binder));
        family.condition.iter().for_each(|condition| self.expr(condition));
    }

    fn process(&mut self, process: &Process) {
        self.saw_if(process.environment, "environment process");
        self.saw(match process.indices.len() {
            0 => "single process",
            1 => "process with an index",
            _ => "process with several indices",
        });
        self.saw_if(
            process.indices.iter().any(|index| index.range.named),
            "process for each member of an enum",
        );
        process.indices.iter().for_each(|index| self.binder(index));
        process.members.iter().for_each(|member| self.member(member));
        process.body.iter().for_each(|statement| self.statement(statement));
    }

    fn member(&mut self, member: &Member) {
        match &member.kind {
            MemberKind::Local(variables) => {
                self.saw("local");
                self.variables(variables);
            }
            MemberKind::Action { environment, label, parameters, guard, body } => {
                self.saw("action");
                self.saw_if(*environment, "environment action");
                self.saw_if(!parameters.is_empty(), "action with parameters");
                self.saw_if(guard.is_some(), "guard");
                self.label(label);
                parameters.iter().for_each(|parameter| self.binder(parameter));
                guard.iter().for_each(|guard| self.expr(guard));
                self.block(body);
            }
        }
    }

    fn label(&mut self, label: &Label) {
        if let Some(word) = label.annotation {
            self.saw(&format!("label with {word:?} fairness"));
        }
    }

    fn variables(&mut self, variables: &Variables) {
        self.saw_if(variables.names.len() > 1, "several variables declared together");
        self.kind(&variables.kind);
        match &variables.initial {
            None => self.saw("no initial value"),
            Some(Initial::Value(value)) => {
                self.saw("initial value");
                self.expr(value);
            }
            Some(Initial::Any(_)) => self.saw("any initial value"),
            Some(Initial::In(set)) => {
                self.saw("initial value in a set");
                self.set(set);
            }
        }
    }

    fn kind(&mut self, kind: &Type) {
        match kind {
            Type::Bool(_) => self.saw("bool"),
            Type::Int(_) => self.saw("int"),
            Type::Named(_) => self.saw("type with a name"),
            Type::Range(range) => {
                self.saw("type that is a range");
                self.range(range);
            }
            Type::Array(range, element) => {
                self.saw(if range.named { "array over an enum" } else { "array" });
                self.range(range);
                self.kind(element);
            }
            Type::Set(element) => {
                self.saw("set of");
                self.kind(element);
            }
            Type::Seq(length, element) => {
                self.saw("seq");
                self.expr(length);
                self.kind(element);
            }
        }
    }

    fn range(&mut self, range: &Range) {
        self.expr(&range.lo);
        self.expr(&range.hi);
    }

    fn binder(&mut self, binder: &Binder) {
        self.saw(if binder.range.named { "values of an enum or a set" } else { "values of a range" });
        self.range(&binder.range);
    }

    fn set(&mut self, set: &Set) {
        match set {
            Set::Listed(values, _) => {
                self.saw("listed values");
                values.iter().for_each(|value| self.expr(value));
            }
            Set::Range(range) => {
                self.saw(if range.named { "members of a set" } else { "values of a range" });
                self.range(range);
            }
            Set::Integers(_) => self.saw("all integers"),
        }
    }

    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        statement.label.iter().for_each(|label| self.label(label));
        match &statement.kind {
            StatementKind::Skip => self.saw("skip"),
            StatementKind::Stay => self.saw("stay"),
            StatementKind::Halt => self.saw("halt"),
            StatementKind::Assign { targets, values } => {
                self.saw(if targets.len() > 1 { "assignments at once" } else { "assignment" });
                targets.iter().chain(values).for_each(|expr| self.expr(expr));
            }
            StatementKind::Update { target, operator: _, value } => {
                self.saw("assignment with an operator");
                self.expr(target);
                self.expr(value);
            }
            StatementKind::Assert { condition, text } => {
                self.saw(if text.is_some() { "assert with a text" } else { "assert" });
                self.expr(condition);
            }
            StatementKind::Let { names, value, receives } => {
                self.saw(if *receives { "let, receiving" } else { "let" });
                self.saw_if(names.iter().any(Option::is_none), "let, ignoring a field");
                self.expr(value);
            }
            StatementKind::Call(_, arguments) => {
                self.saw("call of a macro");
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            StatementKind::For(binder, block) => {
                self.saw("for, in a step");
                self.binder(binder);
                self.block(block);
            }
            StatementKind::Sync(_) => self.saw("sync"),
            StatementKind::Await(condition) => {
                self.saw("await");
                self.expr(condition);
            }
            StatementKind::Request(place) => {
                self.saw("request");
                self.expr(place);
            }
            StatementKind::Release(place) => {
                self.saw("release");
                self.expr(place);
            }
            StatementKind::When(condition, block) => {
                self.saw("when");
                self.expr(condition);
                self.block(block);
            }
            StatementKind::Atomic(block) => {
                self.saw("atomic");
                self.block(block);
            }
            StatementKind::Choose { set, condition, body, .. } => {
                self.saw("choose");
                self.saw_if(condition.is_some(), "where, of a choice");
                self.set(set);
                condition.iter().for_each(|condition| self.expr(condition));
                self.block(body);
            }
            StatementKind::Send { channel, values } => {
                self.saw("send");
                self.expr(channel);
                values.iter().for_each(|value| self.expr(value));
            }
            StatementKind::Receive { channel, targets } => {
                self.saw("receive");
                self.saw_if(targets.iter().any(Option::is_none), "receive, ignoring a field");
                self.expr(channel);
                targets.iter().flatten().for_each(|target| self.expr(target));
            }
            StatementKind::If { condition, yes, no } => {
                self.saw(if no.is_some() { "if with else" } else { "if" });
                self.expr(condition);
                self.block(yes);
                no.iter().for_each(|block| self.block(block));
            }
            StatementKind::While(condition, block) => {
                self.saw("while");
                self.expr(condition);
                self.block(block);
            }
            StatementKind::Loop(block) => {
                self.saw("loop");
                self.block(block);
            }
            StatementKind::Either(branches) => {
                self.saw("either");
                branches.iter().for_each(|branch| self.block(branch));
            }
            StatementKind::Goto(_) => self.saw("goto"),
        }
    }

    fn fair(&mut self, fair: &Fair) {
        match &fair.kind {
            FairKind::Of(word, event) => {
                self.saw(&format!("{word:?} fairness of an event"));
                self.event(event);
            }
            FairKind::All(_) => self.saw("fairness of all actions"),
            FairKind::Processes(_) => self.saw("fairness of all processes"),
            FairKind::Justice(condition) => {
                self.saw("justice");
                self.expr(condition);
            }
            FairKind::Compassion(trigger, goal) => {
                self.saw("compassion");
                self.expr(trigger);
                self.expr(goal);
            }
            FairKind::For(binder, fair) => {
                self.saw("for, of fairness");
                self.binder(binder);
                self.fair(fair);
            }
            FairKind::Global => self.saw("global"),
            FairKind::None => self.saw("no fairness"),
            FairKind::Named(_) => self.saw("fairness by its name"),
            FairKind::And(parts) => {
                self.saw("several requirements");
                parts.iter().for_each(|part| self.fair(part));
            }
            FairKind::Or(parts) => {
                self.saw("alternatives of fairness");
                parts.iter().for_each(|part| self.fair(part));
            }
        }
    }

    fn event(&mut self, event: &Event) {
        self.saw(match event.parties.len() {
            0 => "event of any process",
            1 => "event of a process",
            _ => "event of several processes",
        });
        self.saw_if(event.arguments.is_some(), "event with arguments");
        self.saw_if(event.parties.iter().any(|party| party.label.is_some()), "event with a label");
        event.parties.iter().flat_map(|party| &party.indices).for_each(|index| self.expr(index));
        event.arguments.iter().flatten().for_each(|argument| self.expr(argument));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_) => self.saw("number"),
            ExprKind::Bool(_) => self.saw("truth value"),
            ExprKind::Name(_) => self.saw("name"),
            ExprKind::Call(_, arguments) => {
                self.saw("call");
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Item(whole, index) => {
                self.saw("item");
                self.expr(whole);
                self.expr(index);
            }
            ExprKind::Field(whole, _) => {
                self.saw("field");
                self.expr(whole);
            }
            ExprKind::At(process, _) => {
                self.saw("location");
                self.expr(process);
            }
            ExprKind::Unary(operator, operand) => {
                self.saw(&format!("operator {operator:?}"));
                self.expr(operand);
            }
            ExprKind::Binary(operator, left, right) => {
                self.saw(&format!("operator {operator:?}"));
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Path(operator, left, right) => {
                self.saw(&format!("operator {operator:?}"));
                self.expr(left);
                self.expr(right);
            }
            ExprKind::In(element, set) => {
                self.saw("in");
                self.expr(element);
                self.set(set);
            }
            ExprKind::If(condition, yes, no) => {
                self.saw("if, as an expression");
                [condition, yes, no].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Quantified(quantifier, binder, body) => {
                self.saw(&format!("quantifier {quantifier:?}"));
                self.binder(binder);
                self.expr(body);
            }
            ExprKind::List(elements) => {
                self.saw("list of elements");
                elements.iter().for_each(|element| self.expr(element));
            }
            ExprKind::Each(_, element) => {
                self.saw("array by its elements");
                self.expr(element);
            }
            ExprKind::Record(_, fields) => {
                self.saw("record by its fields");
                fields.iter().for_each(|(_, value)| self.expr(value));
            }
            ExprKind::Set(members) => {
                self.saw("set by its members");
                members.iter().for_each(|member| self.expr(member));
            }
            ExprKind::Size(set) => {
                self.saw("size of a set");
                self.expr(set);
            }
            ExprKind::Min(values) => {
                self.saw("min");
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Max(values) => {
                self.saw("max");
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Taken(event) => {
                self.saw("taken");
                self.event(event);
            }
            ExprKind::Enabled(event) => {
                self.saw("enabled");
                self.event(event);
            }
            ExprKind::Deadlock => self.saw("deadlock"),
            ExprKind::Len(queue) => {
                self.saw("len");
                self.expr(queue);
            }
            ExprKind::Empty(queue) => {
                self.saw("empty");
                self.expr(queue);
            }
            ExprKind::Full(queue) => {
                self.saw("full");
                self.expr(queue);
            }
            ExprKind::Error => self.saw("error"),
        }
    }
}
