//! Evidence that a property holds for every number of processes ([`model::proof::counted`]).
//!
//! The abstract system of this engine is finer than the reference: it knows orders and tickets, and finds sums. So the counts of
//! [`model::counting`] are explored once more, and the search for a fair cycle among them writes down what it deletes and
//! why. Where the reference cannot count, or where no rule excludes a cycle, there is no evidence, and the answer says why.
//!
//! Strong components come in an order in which edges lead to earlier ones, which is the order of the blocks. For the
//! flow of processes between letters: if a step from letter `x` to `y` is on no cycle of letters in a component, then no step
//! there enters the letters from which `x` can be reached, and this one leaves them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::counting::{Counting, Counts, Letter, Rule, Sum, Tally, Trouble, View};
use model::proof::counted::{Argument, Counted};
use model::proof::{Block, Reason, Tree};
use model::{Session, Task};

use super::meter::EDGE;
use crate::graph::scc::Components;

/// The price of a step of counts, which is taken by the reference semantics.
const STEP: u64 = 500;

/// The evidence that a property holds, or why there is none. It may rely on these sums and tallies, and has at most so many product
/// edges. It counts no further than it must.
pub(super) fn counted(
    task: &Task,
    sums: &[Sum],
    tallies: &[Tally],
    edge_limit: u64,
    session: &Session<'_>,
) -> Result<Counted, String> {
    let mut why = String::new();
    for raise in 0..=RAISES {
        let counting = Counting::new(task, tallies, raise)?;
        match with_sums(&counting, sums, edge_limit, session) {
            Ok(proof) => return Ok(Counted { raise, tallies: tallies.to_vec(), ..proof }),
            // With higher bounds there are more.
            Err(more) if more == LARGE || more == STOPPED => {
                return Err(if raise == 0 { more } else { why });
            }
            Err(more) => why = more,
        }
    }
    Err(why)
}

fn with_sums(
    counting: &Counting,
    sums: &[Sum],
    edge_limit: u64,
    session: &Session<'_>,
) -> Result<Counted, String> {
    let explored = match Explored::new(counting, &[], edge_limit, session) {
        // Without sums the evidence is easier to read.
        Err(_) if !sums.is_empty() => Explored::new(counting, sums, edge_limit, session)?,
        other => other?,
    };
    match argued(counting, explored, edge_limit, session) {
        Err(_) if !sums.is_empty() => {
            let explored = Explored::new(counting, sums, edge_limit, session)?;
            argued(counting, explored, edge_limit, session)
        }
        other => other,
    }
}

/// Why no fair run among some counts violates the property; an invariant must be true of each.
fn argued(
    counting: &Counting,
    explored: Explored<'_>,
    edge_limit: u64,
    session: &Session<'_>,
) -> Result<Counted, String> {
    let mut arguments = Vec::new();
    if counting.automaton().is_some() {
        for alternative in 0..counting.alternatives() {
            arguments.push(explored.argument(alternative, edge_limit, session)?);
        }
    } else {
        explored.invariant()?;
    }
    Ok(Counted { sums: explored.sums, states: explored.states, arguments, ..Counted::default() })
}

/// Charges work, and asks whether to stop. The verdict is known, so a budget of work does not end this.
fn spend(units: u64, session: &Session<'_>) -> Result<(), String> {
    let _ = session.spend(units);
    if (session.stop)().is_some() { Err(STOPPED.to_owned()) } else { Ok(()) }
}

/// How often the bounds are raised where they do not tell enough.
const RAISES: u32 = 2;

const CHANGED: &str = "a sum is not the same in all states";
const LARGE: &str = "there are too many counts";
const STOPPED: &str = "a limit was reached before the evidence was complete";

/// All counts that can be reached.
struct Explored<'c> {
    counting: &'c Counting,
    sums: Vec<Sum>,
    /// In increasing order.
    states: Vec<Counts>,
    views: Vec<View>,
    initial: Vec<u32>,
    /// Per state and step, the targets.
    targets: Vec<Vec<Vec<u32>>>,
    /// Per counted family, the letters of processes that are not named.
    letters: Vec<BTreeSet<Letter>>,
}

/// An edge of the product.
#[derive(Clone, Copy)]
struct Arc<'a> {
    state: u32,
    step: usize,
    marks: &'a [usize],
    target: u32,
}

impl<'c> Explored<'c> {
    /// Explores the counts that do not contradict these sums.
    fn new(
        counting: &'c Counting,
        sums: &[Sum],
        edge_limit: u64,
        session: &Session<'_>,
    ) -> Result<Explored<'c>, String> {
        let trouble = |trouble: Trouble| match trouble {
            Trouble::Fault(fault) => format!("there may be a fault: {fault}"),
            Trouble::TooLarge => LARGE.to_owned(),
            Trouble::Unbalanced => {
                "counts do not tell which of two numbers of processes is greater".to_owned()
            }
            Trouble::Tally => "a variable is not a number of processes in all states".to_owned(),
        };
        let mut found: BTreeMap<Counts, View> = BTreeMap::new();
        let mut pending: Vec<Counts> = counting.initial().map_err(trouble)?.into_iter().collect();
        let initial = pending.clone();
        if !sums.iter().all(|sum| initial.iter().all(|counts| counting.has_sum(sum, counts))) {
            return Err(CHANGED.to_owned());
        }
        let mut steps = 0;
        while let Some(counts) = pending.pop() {
            if found.contains_key(&counts) || !counting.admits_counts(sums, &counts) {
                continue;
            }
            let Some(view) = counting.view(&counts).map_err(trouble)? else { continue };
            spend(STEP * (1 + view.steps.len() as u64), session)?;
            steps += view.steps.iter().map(|step| step.targets.len() as u64).sum::<u64>();
            if steps > edge_limit {
                return Err(LARGE.to_owned());
            }
            if !sums.iter().all(|sum| view.steps.iter().all(|step| view.keeps(counting, sum, step))) {
                return Err(CHANGED.to_owned());
            }
            pending.extend(view.steps.iter().flat_map(|step| step.targets.iter().cloned()));
            found.insert(counts, view);
        }
        let numbers: HashMap<&Counts, u32> = found.keys().zip(0..).collect();
        let initial = initial.iter().filter_map(|counts| numbers.get(counts).copied()).collect();
        let of_step = |step: &model::counting::Move| {
            step.targets.iter().filter_map(|counts| numbers.get(counts).copied()).collect()
        };
        let targets = found.values().map(|view| view.steps.iter().map(of_step).collect()).collect();
        let mut letters: Vec<BTreeSet<Letter>> = Vec::new();
        for counts in found.keys() {
            letters.resize(counts.numbers.len(), BTreeSet::new());
            for (all, own) in letters.iter_mut().zip(&counts.numbers) {
                all.extend(own.keys().cloned());
            }
        }
        let (states, views) = found.into_iter().unzip();
        Ok(Explored { counting, sums: sums.to_vec(), states, views, initial, targets, letters })
    }

    /// Whether the invariant is true of all counts.
    fn invariant(&self) -> Result<(), String> {
        for view in &self.views {
            for (atom, step) in self.counting.atoms().flat_map(|a| view.steps.iter().map(move |s| (a, s))) {
                if !view.holds(atom, step).map_err(|fault| fault.to_string())? {
                    return Err("counts do not tell that the invariant is true".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Why no fair run of an alternative violates the property.
    fn argument(
        &self,
        alternative: usize,
        edge_limit: u64,
        session: &Session<'_>,
    ) -> Result<Argument, String> {
        // Invariant: the caller has an automaton.
        let automaton = self.counting.automaton().expect("an automaton");
        let width = automaton.states.len() as u32;
        let mut arcs: Vec<Option<Vec<Arc<'_>>>> = vec![None; self.states.len() * width as usize];
        let initial =
            self.initial.iter().flat_map(|s| automaton.initial.iter().map(move |q| s * width + *q as u32));
        let mut pending: Vec<u32> = initial.collect();
        let mut nodes = Vec::new();
        let mut edges = 0;
        while let Some(node) = pending.pop() {
            if arcs[node as usize].is_some() {
                continue;
            }
            let (state, q) = (node / width, (node % width) as usize);
            let view = &self.views[state as usize];
            let mut own = Vec::new();
            for (step, of_step) in view.steps.iter().enumerate() {
                let mut letter = Vec::new();
                for atom in self.counting.atoms() {
                    letter.push(view.holds(atom, of_step).map_err(|fault| fault.to_string())?);
                }
                for edge in automaton.states[q].iter().filter(|edge| edge.cube.admits(|atom| letter[atom])) {
                    for to in &self.targets[state as usize][step] {
                        let target = to * width + edge.target as u32;
                        own.push(Arc { state, step, marks: &edge.marks, target });
                        pending.push(target);
                    }
                }
            }
            edges += own.len() as u64;
            if edges > edge_limit {
                return Err(LARGE.to_owned());
            }
            spend(EDGE * own.len() as u64, session)?;
            arcs[node as usize] = Some(own);
            nodes.push(node);
        }
        nodes.sort_unstable();
        let rules = self.counting.rules(alternative, &self.letters);
        let addresses = vec![Tree::OUTSIDE; arcs.len()];
        let known = HashMap::new();
        let mut division =
            Division { explored: self, alternative, arcs, rules, addresses, blocks: Vec::new(), known };
        division.run(nodes)?;
        let Division { mut rules, addresses, mut blocks, .. } = division;
        keep_used(&mut rules, &mut blocks);
        Ok(Argument { rules, tree: Tree { addresses, blocks } })
    }
}

/// Leaves only the rules that reasons speak of.
fn keep_used(rules: &mut Vec<Rule>, blocks: &mut [Block]) {
    let reasons = || blocks.iter().map(|block| &block.reason);
    let used: BTreeSet<usize> = reasons()
        .filter_map(|reason| if let Reason::Never(rule) = reason { Some(*rule) } else { None })
        .collect();
    let numbers: BTreeMap<usize, usize> = used.iter().copied().zip(0..).collect();
    for block in blocks.iter_mut() {
        if let Reason::Never(rule) = &mut block.reason {
            *rule = numbers[rule];
        }
    }
    let mut number = 0;
    rules.retain(|_| {
        number += 1;
        used.contains(&(number - 1))
    });
}

/// The division of product states into blocks.
struct Division<'d> {
    explored: &'d Explored<'d>,
    alternative: usize,
    arcs: Vec<Option<Vec<Arc<'d>>>>,
    rules: Vec<Rule>,
    addresses: Vec<u32>,
    blocks: Vec<Block>,
    /// `when` and `then` of rules on steps.
    known: HashMap<(usize, u32, usize), [bool; 2]>,
}

impl<'d> Division<'d> {
    fn run(&mut self, nodes: Vec<u32>) -> Result<(), String> {
        let mut search = Components::new(self.addresses.len());
        let mut pending = vec![(None, nodes, Vec::new())];
        while let Some((parent, nodes, removed)) = pending.pop() {
            search.admit(&nodes);
            let block = parent.unwrap_or(Tree::OUTSIDE);
            // The targets of the edges that remain, per node.
            let mut remaining: HashMap<u32, Vec<u32>> = HashMap::new();
            for node in &nodes {
                let own = self.remaining(*node, block, &removed)?;
                remaining.insert(*node, own.iter().map(|place| self.arc(*node, *place).target).collect());
            }
            let mut components: Vec<Vec<u32>> = Vec::new();
            let successors = |node: u32, targets: &mut Vec<u32>| targets.extend_from_slice(&remaining[&node]);
            let found = |found: crate::graph::scc::FoundComponent<'_>| {
                components.push(found.nodes.to_vec());
                Ok(())
            };
            // Invariant: neither closure stops the search.
            search.search(&nodes, successors, || Ok(()), found).expect("it does not stop");
            let mut named = Vec::new();
            for mut component in components {
                component.sort_unstable();
                let reason = self.reason(&component, block, &removed)?;
                named.push((component, reason));
            }
            for (component, reason) in named {
                let number = self.blocks.len() as u32;
                component.iter().for_each(|node| self.addresses[*node as usize] = number);
                let rule = if let Reason::Never(rule) = &reason { Some(*rule) } else { None };
                self.blocks.push(Block { parent, reason });
                let Some(rule) = rule else { continue };
                let removed: Vec<usize> = removed.iter().copied().chain([rule]).collect();
                let mut is_left = false;
                for node in &component {
                    is_left = is_left || !self.remaining(*node, number, &removed)?.is_empty();
                }
                if is_left {
                    pending.push((Some(number), component, removed));
                }
            }
        }
        Ok(())
    }

    fn pair(&mut self, rule: usize, arc: Arc<'_>) -> Result<[bool; 2], String> {
        let key = (rule, arc.state, arc.step);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let Explored { counting, views, .. } = self.explored;
        let view = &views[arc.state as usize];
        let pair = view
            .applied(counting, self.alternative, &self.rules[rule], &view.steps[arc.step])
            .map_err(|fault| fault.to_string())?;
        self.known.insert(key, pair);
        Ok(pair)
    }

    /// The edges of a node that stay in a block and remain, by position.
    fn remaining(&mut self, node: u32, block: u32, removed: &[usize]) -> Result<Vec<usize>, String> {
        let mut all = Vec::new();
        for place in 0..self.arcs[node as usize].as_ref().map_or(0, Vec::len) {
            let arc = self.arc(node, place);
            if self.addresses[arc.target as usize] != block {
                continue;
            }
            let mut is_removed = false;
            for rule in removed {
                is_removed = is_removed || self.pair(*rule, arc)?[0];
            }
            if !is_removed {
                all.push(place);
            }
        }
        Ok(all)
    }

    fn arc(&self, node: u32, place: usize) -> Arc<'d> {
        // Invariant: nodes have been explored.
        self.arcs[node as usize].as_ref().expect("an explored node")[place]
    }

    /// Why no fair run stays in a component for ever, unless it takes fewer edges.
    fn reason(&mut self, component: &[u32], block: u32, removed: &[usize]) -> Result<Reason, String> {
        let mut inside: Vec<Arc<'d>> = Vec::new();
        for node in component {
            for place in self.remaining(*node, block, removed)? {
                let arc = self.arc(*node, place);
                inside.extend(component.binary_search(&arc.target).is_ok().then_some(arc));
            }
        }
        if inside.is_empty() {
            return Ok(Reason::Trivial);
        }
        let marks = self.explored.counting.automaton().map_or(0, |automaton| automaton.marks);
        if let Some(mark) = (0..marks).find(|mark| !inside.iter().any(|arc| arc.marks.contains(mark))) {
            return Ok(Reason::Accept(mark));
        }
        let mut best = None;
        for rule in 0..self.rules.len() {
            let (mut whens, mut is_met) = (0, false);
            for arc in &inside {
                let [when, then] = self.pair(rule, *arc)?;
                whens += usize::from(when);
                is_met |= then;
                if is_met {
                    break;
                }
            }
            if !is_met && whens > best.map_or(0, |(_, most)| most) {
                best = Some((rule, whens));
            }
        }
        if let Some((rule, _)) = best {
            return Ok(Reason::Never(rule));
        }
        let flow = self.flow(&inside).ok_or("no rule that the judge knows excludes a run of counts")?;
        let known = self.rules.iter().position(|rule| *rule == flow);
        let rule = known.unwrap_or(self.rules.len());
        if known.is_none() {
            self.rules.push(flow);
        }
        Ok(Reason::Never(rule))
    }

    /// Letters that processes leave and do not enter.
    fn flow(&self, inside: &[Arc<'_>]) -> Option<Rule> {
        let mut changes: BTreeSet<(usize, &Letter, &Letter)> = BTreeSet::new();
        for arc in inside {
            let view = &self.explored.views[arc.state as usize];
            changes.extend(view.change(&view.steps[arc.step]).filter(|(_, from, to)| from != to));
        }
        for (family, from, to) in &changes {
            let mut before: BTreeSet<Letter> = BTreeSet::from([(*from).clone()]);
            loop {
                let into = |(of, a, b): &&(usize, &Letter, &Letter)| {
                    of == family && before.contains(*b) && !before.contains(*a)
                };
                let Some((_, next, _)) = changes.iter().find(into) else { break };
                before.insert((*next).clone());
            }
            if !before.contains(*to) {
                return Some(Rule::Flow(*family, before));
            }
        }
        None
    }
}
