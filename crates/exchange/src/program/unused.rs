//! Forgets values that nothing reads again: nonlinear ones, and those at the beginning of a program.
//!
//! A program that was compiled keeps the product of a comparison in a variable. If the variable is not live where the
//! block ends [ASU86], only the comparison matters, and of that more may be known than of the value. So the variable is
//! set to 0 there.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{LOCAL, contains_any};
use super::large::{Visible, is_exact};
use super::syntax::{Block, Command, Node, Program, Tree};

/// The program in which variables are 0 at first if they are not live then, so that it has one initial state and can be
/// searched state by state. Other programs stay as they are: those whose first values are not all known, or that assign
/// values that they choose. `products` says whether products of variables are known, too.
pub(super) fn begun(mut program: Program, visible: &Visible, products: bool) -> Program {
    let Some(start) = program.start.as_ref().map(|start| start.value.clone()) else { return program };
    let chooses = |command: &Command| match command {
        Command::Assign { value, .. } => contains_any(value) || !(products || is_exact(value)),
        Command::Assume(_) => false,
    };
    let is_number = |command: &Command| match command {
        Command::Assign { value, .. } => matches!(value.node, Node::Number(_)),
        Command::Assume(_) => false,
    };
    let mut beginnings = program.blocks.iter().filter(|block| block.from.value == start);
    let (Some(first), None) = (beginnings.next(), beginnings.next()) else { return program };
    if program.blocks.iter().any(|block| block.commands.iter().any(chooses))
        || program.blocks.iter().any(|block| block.to.value == start)
        || !first.commands.iter().all(is_number)
    {
        return program;
    }
    let mut names = BTreeSet::new();
    for command in program.blocks.iter().flat_map(|block| &block.commands) {
        match command {
            Command::Assign { variable, value, .. } => {
                names.insert(variable.clone());
                reads(value, &mut names);
            }
            Command::Assume(condition) => reads(condition, &mut names),
        }
    }
    names.retain(|name| !name.starts_with(LOCAL));
    let known = |command: &Command| match command {
        Command::Assign { variable, .. } => Some(variable.clone()),
        Command::Assume(_) => None,
    };
    let given: BTreeSet<String> = first.commands.iter().filter_map(known).collect();
    let read = after(first, &live(&program, visible), visible);
    let open: Vec<String> = names.into_iter().filter(|name| !given.contains(name)).collect();
    if open.iter().any(|name| read.contains(name)) {
        return program;
    }
    if let Some(first) = program.blocks.iter_mut().find(|block| block.from.value == start) {
        let zero = Tree { node: Node::Number(0), span: first.from.span };
        first.commands.extend(open.into_iter().map(|variable| Command::Assign {
            variable,
            value: zero.clone(),
            annotated: false,
        }));
    }
    program
}

/// The program in which variables are 0 at first if they are not live then. Nothing that is asked for depends on their first
/// values.
pub(super) fn settled(mut program: Program, visible: &Visible) -> Program {
    let Some(start) = program.start.as_ref().map(|start| start.value.clone()) else { return program };
    let assigned = |command: &Command| match command {
        Command::Assign { variable, .. } => Some(variable.clone()),
        Command::Assume(_) => None,
    };
    let names: BTreeSet<String> =
        program.blocks.iter().flat_map(|block| &block.commands).filter_map(assigned).collect();
    let live = live(&program, visible);
    for block in program.blocks.iter_mut().filter(|block| block.from.value == start) {
        let given: BTreeSet<String> = block.commands.iter().filter_map(assigned).collect();
        let read = after(block, &live, visible);
        let zero = Tree { node: Node::Number(0), span: block.from.span };
        let dead =
            |name: &&String| !name.starts_with(LOCAL) && !given.contains(*name) && !read.contains(*name);
        let settled = names.iter().filter(dead).cloned();
        block.commands.extend(settled.map(|variable| Command::Assign {
            variable,
            value: zero.clone(),
            annotated: false,
        }));
    }
    program
}

/// The variables that are live at each location.
fn live(program: &Program, visible: &Visible) -> BTreeMap<String, BTreeSet<String>> {
    let mut live: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut into: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, block) in program.blocks.iter().enumerate() {
        into.entry(&block.to.value).or_default().push(number);
    }
    // Blocks mostly lead to later ones.
    let mut pending: BTreeSet<usize> = (0..program.blocks.len()).collect();
    while let Some(number) = pending.pop_last() {
        let block = &program.blocks[number];
        let before = before(block, after(block, &live, visible));
        let known = live.entry(block.from.value.clone()).or_default();
        let size = known.len();
        known.extend(before);
        if known.len() > size {
            pending.extend(into.get(block.from.value.as_str()).into_iter().flatten());
        }
    }
    live
}

/// The program in which variables that got nonlinear values are 0 where they are not live.
pub(super) fn forgotten(program: Program, visible: &Visible) -> Program {
    let live = live(&program, visible);
    let forgetting = |block: &Block| {
        let live = after(block, &live, visible);
        let mut commands = block.commands.clone();
        let mut forgotten = BTreeSet::new();
        for command in &block.commands {
            if let Command::Assign { variable, value, .. } = command
                && !variable.starts_with(LOCAL)
                && !is_exact(value)
                && !live.contains(variable)
                && forgotten.insert(variable)
            {
                let zero = Tree { node: Node::Number(0), span: value.span };
                commands.push(Command::Assign { variable: variable.clone(), value: zero, annotated: false });
            }
        }
        Block { commands, ..block.clone() }
    };
    Program { blocks: program.blocks.iter().map(forgetting).collect(), ..program }
}

/// The variables that are live after a block.
fn after(block: &Block, live: &BTreeMap<String, BTreeSet<String>>, visible: &Visible) -> BTreeSet<String> {
    let there = live.get(&block.to.value);
    there.into_iter().flatten().chain(visible.variables()).cloned().collect()
}

/// The variables that are live before a block.
fn before(block: &Block, mut live: BTreeSet<String>) -> BTreeSet<String> {
    for command in block.commands.iter().rev() {
        match command {
            // What is only computed for a variable that is not live is not live for that.
            Command::Assign { variable, value, .. } => {
                if live.remove(variable) {
                    reads(value, &mut live);
                }
            }
            Command::Assume(condition) => reads(condition, &mut live),
        }
    }
    live
}

fn reads(tree: &Tree, live: &mut BTreeSet<String>) {
    tree.visit(&mut |part| {
        if let Node::Variable(name) = &part.node {
            live.insert(name.clone());
        }
    });
}
