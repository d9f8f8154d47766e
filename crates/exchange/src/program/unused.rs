//! Forgets nonlinear values that nothing reads again.
//!
//! A program that was compiled keeps the product of a comparison in a variable. If the variable is not live where the
//! block ends [ASU86], only the comparison matters, and of that more may be known than of the value. So the variable is
//! set to 0 there.

use std::collections::{BTreeMap, BTreeSet};

use super::block::LOCAL;
use super::large::{Visible, is_exact};
use super::syntax::{Block, Command, Node, Program, Tree};

/// The program in which variables that got nonlinear values are 0 where they are not live.
pub(super) fn forgotten(program: Program, visible: &Visible) -> Program {
    let mut live: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    loop {
        let mut changed = false;
        for block in &program.blocks {
            let before = before(block, after(block, &live, visible));
            let known = live.entry(block.from.value.clone()).or_default();
            let size = known.len();
            known.extend(before);
            changed |= known.len() > size;
        }
        if !changed {
            break;
        }
    }
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
            Command::Assign { variable, value, .. } => {
                live.remove(variable);
                reads(value, &mut live);
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
