//! A relation between the values before and after a step, as commands.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;

use super::fault;
use super::sexpr::{Item, Sexpr};
use crate::program::syntax::{Command, Comparison, Factor, Node, Tree};

type Read<T> = Result<T, Box<Diagnostic>>;

/// The meaning of names in a relation.
pub(super) struct Relation<'a> {
    before: &'a [String],
    after: &'a [String],
    /// What a name stands for: a variable before the step, or a name that only the block knows.
    names: BTreeMap<String, String>,
    bound: usize,
}

impl<'a> Relation<'a> {
    pub(super) fn new(before: &'a [String], after: &'a [String]) -> Relation<'a> {
        let mut names: BTreeMap<String, String> =
            before.iter().map(|name| (name.clone(), name.clone())).collect();
        names.extend(after.iter().enumerate().map(|(place, name)| (name.clone(), format!("%{place}"))));
        Relation { before, after, names, bound: 0 }
    }

    /// The commands of the condition on initial states, whose variables have names of their own.
    pub(super) fn initial(mut self, names: &[String], relation: &Item) -> Read<Vec<Command>> {
        self.names = names.iter().cloned().zip(self.before.iter().cloned()).collect();
        let mut commands = Vec::new();
        let mut conditions = Vec::new();
        self.conjuncts(relation, &mut conditions)?;
        for condition in conditions {
            commands.push(Command::Assume(self.condition(&condition)?));
        }
        Ok(commands)
    }

    /// The commands of a step.
    pub(super) fn step(mut self, relation: &Item) -> Read<Vec<Command>> {
        let mut commands = Vec::new();
        let mut conditions = Vec::new();
        self.conjuncts(relation, &mut conditions)?;
        // A value after the step, or a bound one, that an equation gives by known ones is computed.
        let mut open: BTreeSet<String> =
            self.names.values().filter(|name| name.starts_with('%')).cloned().collect();
        // What is left is chosen, one by one: first what is bound, so that more of the values after the step follow.
        let span = relation.span;
        loop {
            let found = conditions.iter().enumerate().find_map(|(place, condition)| {
                let (name, value) = self.defines(condition, &open)?;
                Some((place, name, value))
            });
            let (name, value) = match found {
                Some((place, name, value)) => {
                    conditions.remove(place);
                    (name, value)
                }
                None => match open.last() {
                    Some(name) => (name.clone(), Tree { node: Node::Any, span }),
                    None => break,
                },
            };
            open.remove(&name);
            commands.push(Command::Assign { variable: name, value, annotated: false });
        }
        for condition in conditions {
            commands.push(Command::Assume(self.condition(&condition)?));
        }
        for (place, variable) in self.before.iter().enumerate().take(self.after.len()) {
            let value = Tree { node: Node::Variable(format!("%{place}")), span };
            commands.push(Command::Assign { variable: variable.clone(), value, annotated: false });
        }
        Ok(commands)
    }

    /// The parts of a conjunction; names bound by `exists` in it get names of their own.
    fn conjuncts(&mut self, relation: &Item, parts: &mut Vec<Item>) -> Read<()> {
        let mut pending = vec![relation.clone()];
        while let Some(item) = pending.pop() {
            match &item.item {
                Sexpr::List(list) if list.first().is_some_and(|word| word.is("and")) => {
                    pending.extend(list[1..].iter().rev().cloned());
                }
                Sexpr::List(list) if list.first().is_some_and(|word| word.is("exists")) => {
                    let [_, bound, body] = &list[..] else { return Err(fault(&item, "not understood")) };
                    for name in super::names(bound)? {
                        self.bound += 1;
                        // Names are bound once; a second one would make the first one mean something else.
                        if self.names.insert(name, format!("%e{}", self.bound)).is_some() {
                            return Err(fault(&item, "a name is bound that has a meaning already"));
                        }
                    }
                    pending.push(body.clone());
                }
                _ if item.is("true") => {}
                _ => parts.push(item),
            }
        }
        Ok(())
    }

    /// The name that an equation defines by others, with its value.
    fn defines(&self, condition: &Item, open: &BTreeSet<String>) -> Option<(String, Tree)> {
        let Sexpr::List(parts) = &condition.item else { return None };
        let [word, left, right] = &parts[..] else { return None };
        if !word.is("=") {
            return None;
        }
        for (name, value) in [(left, right), (right, left)] {
            let name = name.word().and_then(|word| self.names.get(word)).filter(|name| open.contains(*name));
            if let Some(name) = name
                && let Ok(value) = self.term(value)
                && !mentions_open(&value, open)
            {
                return Some((name.clone(), value));
            }
        }
        None
    }

    fn condition(&self, item: &Item) -> Read<Tree> {
        let span = item.span;
        let tree = |node: Node| Ok(Tree { node, span });
        let Sexpr::List(parts) = &item.item else {
            return match item.word() {
                Some("true") => tree(Node::Truth(true)),
                Some("false") => tree(Node::Truth(false)),
                _ => Err(fault(item, "a condition is expected here")),
            };
        };
        let Some((word, operands)) = parts.split_first() else { return Err(fault(item, "not understood")) };
        let all = || operands.iter().map(|operand| self.condition(operand)).collect::<Read<Vec<_>>>();
        let comparison = match word.word() {
            Some("and") => return tree(Node::And(all()?)),
            Some("or") => return tree(Node::Or(all()?)),
            Some("not") => match all()?.pop() {
                Some(body) if operands.len() == 1 => return tree(Node::Not(Box::new(body))),
                _ => return Err(fault(item, "`not` has one operand")),
            },
            Some("=>") => {
                let mut parts = all()?;
                let Some(last) = parts.pop() else { return Err(fault(item, "not understood")) };
                let negated =
                    parts.into_iter().map(|part| Tree { span: part.span, node: Node::Not(Box::new(part)) });
                return tree(Node::Or(negated.chain([last]).collect()));
            }
            Some("<") => Comparison::Less,
            Some("<=") => Comparison::LessEqual,
            Some(">") => Comparison::Greater,
            Some(">=") => Comparison::GreaterEqual,
            Some("=") => Comparison::Equal,
            Some("distinct") => Comparison::Unequal,
            _ => return Err(fault(item, "this operator is not understood")),
        };
        let [left, right] = operands else { return Err(fault(item, "a comparison has two operands")) };
        tree(Node::Compare(comparison, Box::new(self.term(left)?), Box::new(self.term(right)?)))
    }

    fn term(&self, item: &Item) -> Read<Tree> {
        let span = item.span;
        let tree = |node: Node| Ok(Tree { node, span });
        let parts = match &item.item {
            Sexpr::Word(word) => {
                if let Ok(number) = word.parse() {
                    return tree(Node::Number(number));
                }
                return match self.names.get(word) {
                    Some(name) => tree(Node::Variable(name.clone())),
                    None => Err(fault(item, "this name is not known")),
                };
            }
            Sexpr::List(parts) => parts,
        };
        let Some((word, operands)) = parts.split_first() else { return Err(fault(item, "not understood")) };
        let mut operands =
            operands.iter().map(|operand| self.term(operand)).collect::<Read<Vec<_>>>()?.into_iter();
        let Some(first) = operands.next() else { return Err(fault(item, "an operand is missing")) };
        let factors =
            |factor: Factor, operands: std::vec::IntoIter<Tree>| operands.map(|one| (factor, one)).collect();
        match word.word() {
            Some("-") if operands.len() == 0 => tree(Node::Negative(Box::new(first))),
            Some(sign @ ("+" | "-")) => {
                let rest = operands.map(|operand| (sign == "-", operand));
                tree(Node::Sum(std::iter::once((false, first)).chain(rest).collect()))
            }
            Some("*") => tree(Node::Product(Box::new(first), factors(Factor::Times, operands))),
            _ => Err(fault(item, "this operator is not understood")),
        }
    }
}

/// Whether a term has a name that has no value yet.
fn mentions_open(tree: &Tree, open: &BTreeSet<String>) -> bool {
    match &tree.node {
        Node::Variable(name) => open.contains(name),
        Node::Negative(a) => mentions_open(a, open),
        Node::Sum(parts) => parts.iter().any(|(_, part)| mentions_open(part, open)),
        Node::Product(first, factors) => {
            mentions_open(first, open) || factors.iter().any(|(_, part)| mentions_open(part, open))
        }
        _ => false,
    }
}
