//! Joins blocks to larger ones, after [BCGKS09].
//!
//! Invariants are conjunctions, so what is only true of a disjunction of states (`x != 0`) is lost at every location. With
//! fewer locations less is lost. A location is *left out* by joining every block that leads to it with every block that
//! leaves it. States at the location are then no longer visible, so this must not change what is asked for:
//!
//! - Whether runs end, and whether a location is reached: any location may be left out that is not asked about and has
//!   no block back to itself. Runs are the same, except that those that got stuck there get stuck earlier.
//! - Linear time without `X`: such a formula cannot tell how often a state is repeated. A location may be left out if
//!   all blocks that lead to it, or all that leave it, change no variable of the formula: each state there looks like
//!   the one before it, or like the one after it.
//! - Branching time without `X`: only if from each state there at most one step is possible, which changes no variable
//!   of the formula. Then the state and the one after it satisfy the same formulas.
//!
//! Unless stuck runs are dropped, a run may stay at any location, and in T2's convention the head of a loop decides whether
//! the program has ended; in both cases formulas keep their blocks.
//!
//! A quotient by a large number can be chosen, but not be eliminated from a condition. So a block with one is not joined
//! with the blocks after it, which may test it.
//!
//! Joining multiplies blocks where branches follow each other, so there is a limit, and locations that need the fewest new
//! blocks go first.

use std::collections::BTreeSet;

use super::block::contains_any;
use super::join::{Joining, Joint, Kinds};
use super::syntax::{Block, Command, Factor, Located, Node, Program, Temporal, Tree};
use super::{Claimed, Reading, Stuck};

/// How many times as many blocks there may be as before, and how many more.
const GROWTH: (usize, usize) = (2, 12);

/// The most blocks of a loop that is unrolled.
const ROUNDS: usize = 3;

/// A quotient by a number up to this one can be eliminated from a condition.
const SMALL: u64 = 64;

/// Limits on the commands of a block, and of all blocks if joining makes more.
const COMMANDS: usize = 200;
const IN_ALL: usize = 40_000;

/// What must remain visible.
#[derive(Default)]
pub(super) struct Visible {
    variables: BTreeSet<String>,
    locations: BTreeSet<String>,
    logic: Logic,
    /// Whether a claim is of branching time.
    branching: bool,
}

/// How much the claims can see, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Logic {
    /// Whether runs end and which locations they come to.
    #[default]
    Runs,
    Linear,
    Branching,
    /// Every step.
    Steps,
}

impl Visible {
    /// What these claims and pairs of conditions see.
    pub(super) fn of(claims: &[&Claimed], pairs: &[(Tree, Tree)]) -> Visible {
        let mut visible = Visible::default();
        for claim in claims {
            match claim {
                Claimed::Termination => {}
                Claimed::Avoid(location) => {
                    visible.locations.insert(location.clone());
                    visible.locations.insert(format!("loc_{location}"));
                }
                Claimed::Never(tree) => visible.sees(tree, Logic::Linear),
                Claimed::Ctl(tree) => visible.sees(tree, Logic::Branching),
                Claimed::Ltl(tree) => visible.sees(tree, Logic::Linear),
            }
        }
        for (p, q) in pairs {
            visible.sees(p, Logic::Linear);
            visible.sees(q, Logic::Linear);
        }
        visible
    }

    /// Whether a claim is of branching time.
    pub(super) fn is_branching(&self) -> bool {
        self.branching
    }

    /// The variables that are seen.
    pub(super) fn variables(&self) -> impl Iterator<Item = &String> {
        self.variables.iter()
    }

    fn sees(&mut self, tree: &Tree, logic: Logic) {
        self.logic = self.logic.max(logic);
        self.branching |= logic == Logic::Branching;
        tree.visit(&mut |part| match &part.node {
            Node::Variable(name) => {
                self.variables.insert(name.clone());
            }
            Node::At(location) => {
                self.locations.insert(location.clone());
            }
            Node::Quantified(..) => {
                self.logic = self.logic.max(Logic::Branching);
                self.branching = true;
            }
            Node::Temporal(Temporal::Next, _) => self.logic = Logic::Steps,
            _ => {}
        });
    }

    /// Whether a block changes nothing that is seen.
    fn misses(&self, block: &Block) -> bool {
        block.commands.iter().all(|command| match command {
            Command::Assign { variable, .. } => !self.variables.contains(variable),
            Command::Assume(_) => true,
        })
    }
}

/// The program with larger blocks, and with several rounds of a loop as one block: `None` if it has no such loop, or if
/// the claims can see rounds.
///
/// A location with blocks back to itself is doubled: these blocks lead to the copy, and those of the copy lead back. The
/// copy is then left out. Every infinite run goes on through the location, twice as fast. A run that leaves the loop
/// after an odd number of rounds leaves it from the copy. For a loop of one block this is done twice.
pub(super) fn unrolled(program: Program, visible: &Visible, reading: Reading) -> Option<Program> {
    if visible.logic > Logic::Runs {
        return None;
    }
    let mut program = joined(program, visible, reading);
    let start = program.start.as_ref().map(|start| start.value.clone());
    let mut done = false;
    for most in [ROUNDS, 1] {
        let loops = |location: &str| {
            program
                .blocks
                .iter()
                .filter(|block| block.from.value == location && block.to.value == location)
                .count()
        };
        let heads: BTreeSet<String> = program
            .blocks
            .iter()
            .map(|block| block.from.value.clone())
            .filter(|location| Some(location) != start.as_ref() && (1..=most).contains(&loops(location)))
            .collect();
        for head in heads {
            program.blocks = doubled(program.blocks, &head);
            done = true;
        }
    }
    done.then_some(program)
}

/// The blocks with two rounds at once of the loop at a location.
fn doubled(blocks: Vec<Block>, head: &str) -> Vec<Block> {
    let copy = format!("{head} again");
    let renamed = |location: &Located<String>| Located { value: copy.clone(), span: location.span };
    let mut all = Vec::new();
    for block in blocks {
        let (leaves, returns) = (block.from.value == head, block.to.value == head);
        if leaves {
            all.push(Block { from: renamed(&block.from), ..block.clone() });
        }
        all.push(if leaves && returns { Block { to: renamed(&block.to), ..block } } else { block });
    }
    without(all, &copy)
}

/// The program with larger blocks.
pub(super) fn joined(program: Program, visible: &Visible, reading: Reading) -> Program {
    let temporal = visible.logic > Logic::Runs;
    if visible.logic == Logic::Steps || (temporal && (reading.loops_end || reading.stuck != Stuck::Drop)) {
        return program;
    }
    let limit = GROWTH.0 * program.blocks.len() + GROWTH.1;
    let start = program.start.as_ref().map(|start| start.value.clone());
    let Program { blocks, .. } = &program;
    // The initial states are those after a block from the start.
    let mut kept: BTreeSet<&str> = visible.locations.iter().map(String::as_str).collect();
    kept.extend(program.cutpoint.iter().map(|cutpoint| cutpoint.value.as_str()));
    kept.extend(start.as_deref());
    kept.extend(
        blocks
            .iter()
            .filter(|block| Some(&block.from.value) == start.as_ref())
            .map(|block| block.to.value.as_str()),
    );
    let kept: BTreeSet<String> = kept.into_iter().map(str::to_owned).collect();
    let kinds = |block: &Block| Kinds {
        misses: visible.misses(block),
        small: !divides(block),
        plain: is_plain(block),
    };
    let mut joining = Joining::new(program.blocks, kinds);
    joining.join(&kept, limit, IN_ALL, |commands, into, out| {
        into.iter().all(|block| block.kinds.small)
            && longest(into) + longest(out) <= COMMANDS
            && may_be_left_out(visible, commands, into, out)
    });
    Program { blocks: joining.blocks(), ..program }
}

/// Whether a block divides by a large number.
fn divides(block: &Block) -> bool {
    let mut found = false;
    for command in &block.commands {
        let (Command::Assign { value: tree, .. } | Command::Assume(tree)) = command;
        tree.visit(&mut |part| {
            let Node::Product(_, factors) = &part.node else { return };
            let is_large = |(factor, by): &(Factor, Tree)| {
                *factor != Factor::Times && matches!(by.node, Node::Number(by) if by.unsigned_abs() > SMALL)
            };
            found |= factors.iter().any(is_large);
        });
    }
    found
}

fn longest(blocks: &[&Joint]) -> usize {
    blocks.iter().map(|block| block.commands.len()).max().unwrap_or(0)
}

fn may_be_left_out(visible: &Visible, commands: &[Command], into: &[&Joint], out: &[&Joint]) -> bool {
    let misses = |blocks: &[&Joint]| blocks.iter().all(|block| block.kinds.misses);
    match visible.logic {
        Logic::Runs => true,
        Logic::Linear => misses(into) || misses(out),
        Logic::Branching => misses(out) && is_determined(commands, out),
        Logic::Steps => false,
    }
}

/// Whether a block is linear, and chooses nothing.
fn is_plain(block: &Block) -> bool {
    block.commands.iter().all(|command| match command {
        Command::Assign { value, .. } => !contains_any(value) && is_exact(value),
        Command::Assume(condition) => !contains_any(condition) && is_exact(condition),
    })
}

/// Whether at most one of these blocks can be done in a state, in one way.
fn is_determined(commands: &[Command], out: &[&Joint]) -> bool {
    if !out.iter().all(|block| block.kinds.plain) {
        return false;
    }
    let first = |block: &Joint| block.commands.first().map(|number| &commands[*number]);
    match out {
        [_] => true,
        // The two ways of a branch begin with a condition and its negation.
        [a, b] => match (first(a), first(b)) {
            (Some(Command::Assume(a)), Some(Command::Assume(b))) => is_negation(a, b) || is_negation(b, a),
            _ => false,
        },
        _ => false,
    }
}

fn is_negation(a: &Tree, b: &Tree) -> bool {
    match (&a.node, &b.node) {
        (_, Node::Not(inner)) => inner.node == a.node,
        (Node::Compare(one, a, b), Node::Compare(other, c, d)) => {
            *other == one.opposite() && a == c && b == d
        }
        _ => false,
    }
}

/// Whether everything in a tree is linear, and nothing is chosen.
pub(super) fn is_exact(tree: &Tree) -> bool {
    match &tree.node {
        Node::Number(_) | Node::Variable(_) | Node::Truth(_) | Node::At(_) => true,
        Node::Any => false,
        Node::Negative(a) | Node::Not(a) | Node::Quantified(_, a) => is_exact(a),
        Node::Sum(parts) => parts.iter().all(|(_, part)| is_exact(part)),
        Node::Product(first, factors) => {
            let constant = |tree: &Tree| matches!(tree.node, Node::Number(_));
            is_exact(first)
                && factors.iter().all(|(_, part)| is_exact(part))
                && (factors.iter().all(|(_, part)| constant(part) && part.node != Node::Number(0))
                    || (constant(first) && factors.len() == 1 && factors[0].0 == Factor::Times))
        }
        Node::Compare(_, a, b) => is_exact(a) && is_exact(b),
        Node::And(parts) | Node::Or(parts) | Node::Temporal(_, parts) => parts.iter().all(is_exact),
    }
}

/// The blocks with a location left out.
fn without(blocks: Vec<Block>, location: &str) -> Vec<Block> {
    let out: Vec<Block> = blocks.iter().filter(|block| block.from.value == location).cloned().collect();
    let mut joined = Vec::new();
    for block in blocks.into_iter().filter(|block| block.from.value != location) {
        if block.to.value != location {
            joined.push(block);
            continue;
        }
        for next in &out {
            let commands = block.commands.iter().chain(&next.commands).cloned().collect();
            joined.push(Block { from: block.from.clone(), commands, to: next.to.clone() });
        }
    }
    joined
}
