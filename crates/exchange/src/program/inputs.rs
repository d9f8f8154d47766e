//! Chosen integers that are only compared with numbers become a choice among a few.
//!
//! A controller reads an input and asks which of a few numbers it is. Two inputs between the same two of these numbers
//! cannot be told apart: no comparison, here or in a claim, has different answers for them, and nothing is computed from
//! them. So one of each kind is enough, and states that differ only in this satisfy the same formulas, of branching time
//! too: this is a bisimulation. A variable is such an *input* if it is only copied and compared with numbers, and so are all
//! that it is copied to. What is chosen within bounds in the same block (`[0, 9]`) is listed instead, if there are not too
//! many.
//!
//! The program without choices can be searched state by state. If something is chosen in another way, there is no such
//! program.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{LOCAL, contains_any};
use super::syntax::{Block, Command, Comparison, Factor, Node, Program, Tree};

/// The most values of one choice.
const VALUES: usize = 64;

/// The most blocks.
const BLOCKS: usize = 20_000;

/// The program with a block for each value of a choice. `claims` are the formulas that are asked about.
pub(super) fn listed(program: Program, claims: &[&Tree]) -> Option<Program> {
    let mut facts = Facts::default();
    for (number, block) in program.blocks.iter().enumerate() {
        for command in &block.commands {
            match command {
                Command::Assign { variable, value, annotated } => {
                    facts.assigned(&key(number, variable), value, *annotated, &|name| key(number, name));
                }
                Command::Assume(condition) => facts.tested(condition, &|name| key(number, name)),
            }
        }
    }
    for claim in claims {
        facts.tested(claim, &|name| name.to_owned());
    }
    let mut blocks = Vec::new();
    for (number, block) in program.blocks.iter().enumerate() {
        let mut ways: Vec<Vec<Command>> = vec![Vec::new()];
        for (position, command) in block.commands.iter().enumerate() {
            let values = match command {
                Command::Assign { variable, value, annotated } if is_chosen(value, *annotated) => {
                    let name = key(number, variable);
                    let listed = facts.kinds(&name).or_else(|| bounded(block, position, variable))?;
                    let number = |number: i64| Command::Assign {
                        variable: variable.clone(),
                        value: Tree { node: Node::Number(number), span: value.span },
                        annotated: false,
                    };
                    listed.into_iter().map(number).collect()
                }
                Command::Assign { value, .. } if contains_any(value) => return None,
                other => vec![other.clone()],
            };
            if ways.len() * values.len() > BLOCKS {
                return None;
            }
            let with = |value: &Command| {
                let value = value.clone();
                ways.iter().map(move |way| way.iter().cloned().chain([value.clone()]).collect())
            };
            ways = values.iter().flat_map(with).collect();
        }
        blocks.extend(ways.into_iter().map(|commands| Block { commands, ..block.clone() }));
        if blocks.len() > BLOCKS {
            return None;
        }
    }
    Some(Program { blocks, ..program })
}

/// Whether every variable is only assigned numbers and other variables: then there are finitely many states.
pub(super) fn is_finite(program: &Program) -> bool {
    program.blocks.iter().flat_map(|block| &block.commands).all(|command| match command {
        Command::Assign { value, .. } => {
            matches!(value.node, Node::Variable(_)) || as_number(value).is_some()
        }
        Command::Assume(_) => true,
    })
}

/// Whether a value is chosen and kept.
pub(super) fn chooses(program: &Program) -> bool {
    program.blocks.iter().flat_map(|block| &block.commands).any(|command| match command {
        Command::Assign { value, .. } => contains_any(value),
        Command::Assume(_) => false,
    })
}

/// Whether something is multiplied or divided.
pub(super) fn divides(program: &Program) -> bool {
    let mut found = false;
    for command in program.blocks.iter().flat_map(|block| &block.commands) {
        let (Command::Assign { value: tree, .. } | Command::Assume(tree)) = command;
        tree.visit(&mut |part| {
            let Node::Product(_, factors) = &part.node else { return };
            found |= factors.iter().any(|(factor, by)| *factor != Factor::Times || as_number(by).is_none());
        });
    }
    found
}

/// The name of a variable; one that only a block knows has the number of the block in it.
fn key(block: usize, name: &str) -> String {
    if name.starts_with(LOCAL) { format!("{name} {block}") } else { name.to_owned() }
}

/// Whether a value is any integer as a whole.
fn is_chosen(value: &Tree, annotated: bool) -> bool {
    value.node == Node::Any || (annotated && contains_any(value))
}

/// A tree that is a number.
fn as_number(tree: &Tree) -> Option<i64> {
    match &tree.node {
        Node::Number(number) => Some(*number),
        Node::Negative(inner) => as_number(inner)?.checked_neg(),
        _ => None,
    }
}

/// The values of a choice that later commands of its block keep between two numbers.
fn bounded(block: &Block, position: usize, variable: &str) -> Option<Vec<i64>> {
    let (mut least, mut most) = (None::<i64>, None::<i64>);
    for command in &block.commands[position + 1..] {
        match command {
            Command::Assign { variable: other, .. } if other == variable => break,
            Command::Assume(Tree { node: Node::Compare(comparison, a, b), .. }) => {
                let Some(bound) = as_number(b) else { continue };
                if a.node != Node::Variable(variable.to_owned()) {
                    continue;
                }
                match comparison {
                    Comparison::GreaterEqual => least = Some(least.map_or(bound, |least| least.max(bound))),
                    Comparison::LessEqual => most = Some(most.map_or(bound, |most| most.min(bound))),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let (least, most) = (least?, most?);
    (least > most || most.abs_diff(least) < VALUES as u64).then(|| (least..=most).collect())
}

/// What is done with variables, wherever it is done.
#[derive(Default)]
struct Facts {
    /// For a variable, one that it was copied to or from, up to one that stands for all of these.
    copies: BTreeMap<String, String>,
    /// The variables that something is computed from, or that are compared with others.
    used: BTreeSet<String>,
    /// The numbers that a variable is compared with.
    compared: BTreeMap<String, BTreeSet<i64>>,
}

impl Facts {
    fn root(&self, name: &str) -> String {
        let mut name = name;
        while let Some(next) = self.copies.get(name) {
            name = next;
        }
        name.to_owned()
    }

    fn assigned(&mut self, variable: &str, value: &Tree, annotated: bool, key: &dyn Fn(&str) -> String) {
        match &value.node {
            _ if is_chosen(value, annotated) => {}
            Node::Variable(other) => {
                let (a, b) = (self.root(variable), self.root(&key(other)));
                if a != b {
                    self.copies.insert(a, b);
                }
            }
            _ => self.read(value, key),
        }
    }

    fn tested(&mut self, condition: &Tree, key: &dyn Fn(&str) -> String) {
        match &condition.node {
            Node::Compare(_, a, b) => match (&a.node, as_number(a), &b.node, as_number(b)) {
                (Node::Variable(name), _, _, Some(number)) | (_, Some(number), Node::Variable(name), _) => {
                    self.compared.entry(key(name)).or_default().insert(number);
                }
                // Whatever the other side is, some integer makes this true and some other false.
                (Node::Any, ..) if !contains_any(b) => {}
                (_, _, Node::Any, _) if !contains_any(a) => {}
                _ => [a, b].into_iter().for_each(|side| self.read(side, key)),
            },
            Node::Variable(name) => drop(self.compared.entry(key(name)).or_default().insert(0)),
            Node::Not(a) | Node::Quantified(_, a) => self.tested(a, key),
            Node::And(parts) | Node::Or(parts) | Node::Temporal(_, parts) => {
                parts.iter().for_each(|part| self.tested(part, key));
            }
            _ => self.read(condition, key),
        }
    }

    fn read(&mut self, tree: &Tree, key: &dyn Fn(&str) -> String) {
        tree.visit(&mut |part| {
            if let Node::Variable(name) = &part.node {
                self.used.insert(key(name));
            }
        });
    }

    /// One value of every kind that can be told apart, if the variable is an input.
    fn kinds(&self, name: &str) -> Option<Vec<i64>> {
        let root = self.root(name);
        if self.used.iter().any(|used| self.root(used) == root) {
            return None;
        }
        let own = self.compared.iter().filter(|(other, _)| self.root(other) == root);
        let numbers: BTreeSet<i64> = own.flat_map(|(_, numbers)| numbers).copied().collect();
        let mut kinds: BTreeSet<i64> = numbers.clone();
        for number in numbers {
            kinds.extend([number.checked_sub(1)?, number.checked_add(1)?]);
        }
        kinds.insert(0);
        (kinds.len() <= VALUES).then(|| kinds.into_iter().collect())
    }
}
