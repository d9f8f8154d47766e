//! The labels of a CTL formula ([`model::proof::labels`]), written down once it is known to hold.
//!
//! The search has the sets; here they are computed once more with what shows that they are right. Numbers are distances:
//! to the goals of an `EU`, to the fair components of an `EG`, and inside a component to and from one of its states. The
//! states of `a` where `EG a` is false are divided into blocks by the recursion of the trees. Everything follows the order
//! of the list, so it does not depend on the order of the search.

use model::instance::Environment;
use model::note::Unchecked;
use model::proof::labels::{self, Component, Label, labelled};
use model::property::Kind;
use model::{Core, Expr, StopReason, Task, ground};

use super::{Division, Listing, unchecked};
use crate::branching::Sets;
use crate::explicit::branching::{Labelling, Within};
use crate::explicit::product::Product;
use crate::explicit::requirements::OfActions;
use crate::explicit::space::Space;
use crate::graph::bits::Bits;
use crate::graph::fair::{self, fair_components};

/// How many labels cost as much as one walk through all states.
const LABELS_PER_WALK: u64 = 8;

/// The labels of the subformulas of a task's property.
pub(super) fn labels<const W: usize>(
    labelling: &Labelling<'_, '_, W>,
    task: &Task,
    listing: &Listing,
    edge_limit: u64,
) -> Result<Vec<Label>, Unchecked> {
    let Kind::Ctl(formula) = &task.property.kind else { return Err(Unchecked::Automaton) };
    let instance = labelling.space.instance;
    let formula = Core::of(&ground::ctl(instance, formula, &mut Environment::default()));
    let every_run_is_fair = task.fairness.is_none();
    let formulas = labelled(&formula, every_run_is_fair);
    let steps = labelling.space.size().1;
    if steps.saturating_mul(formulas.len() as u64) > edge_limit.saturating_mul(LABELS_PER_WALK) {
        return Err(Unchecked::Large);
    }
    let fair = labelling.all();
    let mut writer = Writer { labelling, listing, edge_limit, fair, known: Vec::new() };
    let mut labels = Vec::new();
    for formula in formulas {
        let (set, label) = writer.label(&formula).map_err(unchecked)?;
        if !every_run_is_fair && formula == labels::fair() {
            writer.fair = set.clone();
        }
        writer.known.push((formula, set));
        labels.push(label);
    }
    Ok(labels)
}

struct Writer<'w, 'l, 'a, const W: usize> {
    labelling: &'w Labelling<'l, 'a, W>,
    listing: &'w Listing,
    edge_limit: u64,
    /// The states from which a fair run begins.
    fair: Bits,
    /// The subformulas that have a label already, with their states.
    known: Vec<(Core, Bits)>,
}

impl<const W: usize> Writer<'_, '_, '_, W> {
    /// The states where a formula is true, all of whose existential subformulas are known.
    fn set(&self, formula: &Core) -> Result<Bits, StopReason> {
        let sets = self.labelling;
        match formula {
            Core::Atom(Expr::Bool(true)) => Ok(sets.all()),
            Core::Atom(atom) => sets.atom(atom),
            Core::Not(a) => sets.not(&self.set(a)?),
            Core::And(parts) => {
                parts.iter().try_fold(sets.all(), |all, part| sets.and(&all, &self.set(part)?))
            }
            Core::Or(parts) => {
                let none = sets.not(&sets.all())?;
                parts.iter().try_fold(none, |all, part| sets.or(&all, &self.set(part)?))
            }
            Core::Next(_) | Core::Until(..) | Core::Globally(_) | Core::Infinitely(_) => {
                // Invariant: inner subformulas come first.
                Ok(self.known.iter().find(|(known, _)| known == formula).expect("an inner label").1.clone())
            }
        }
    }

    /// The states of an existential formula, and their label.
    fn label(&self, formula: &Core) -> Result<(Bits, Label), StopReason> {
        let with_fair = |a: &Core| self.labelling.and(&self.set(a)?, &self.fair);
        match formula {
            Core::Next(a) => {
                let mut numbers = vec![Label::OUTSIDE; self.bound()];
                for state in with_fair(a)?.numbers() {
                    let before = self.labelling.predecessors.of(state as u32);
                    before.iter().for_each(|before| numbers[*before as usize] = 0);
                }
                Ok(self.finished(&numbers, Vec::new(), Vec::new()))
            }
            Core::Until(a, b) => {
                let numbers = self.distances(&self.set(a)?, &with_fair(b)?)?;
                Ok(self.finished(&numbers, Vec::new(), Vec::new()))
            }
            Core::Globally(a) => self.globally(&self.set(a)?),
            // Invariant: `labelled` lists existential formulas only.
            Core::Infinitely(_) => unreachable!("refused before"),
            Core::Atom(_) | Core::Not(_) | Core::And(_) | Core::Or(_) => unreachable!("not existential"),
        }
    }

    fn bound(&self) -> usize {
        self.labelling.space.bound()
    }

    /// A label with these numbers of the space's states, and the set of those that have one.
    fn finished(
        &self,
        numbers: &[u32],
        components: Vec<Component>,
        trees: Vec<model::proof::Tree>,
    ) -> (Bits, Label) {
        let set = Bits::of(numbers.len(), |state| numbers[state] != Label::OUTSIDE);
        let numbers = self.listing.numbers.iter().map(|state| numbers[*state as usize]).collect();
        (set, Label { numbers, components, trees })
    }

    /// Per state, the number of steps through `a` to the nearest goal.
    fn distances(&self, a: &Bits, goals: &Bits) -> Result<Vec<u32>, StopReason> {
        let mut watch = self.labelling.watch("writing down why it holds");
        let mut numbers = vec![Label::OUTSIDE; self.bound()];
        let mut queue: Vec<u32> = goals.numbers().map(|state| state as u32).collect();
        queue.iter().for_each(|goal| numbers[*goal as usize] = 0);
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            watch.tick(|| 0)?;
            next += 1;
            for &before in self.labelling.predecessors.of(state) {
                if a.contains(before as usize) && numbers[before as usize] == Label::OUTSIDE {
                    numbers[before as usize] = numbers[state as usize] + 1;
                    queue.push(before);
                }
            }
        }
        Ok(numbers)
    }

    /// `EG a`
    fn globally(&self, a: &Bits) -> Result<(Bits, Label), StopReason> {
        let roots: Vec<u32> = a.numbers().map(|state| state as u32).collect();
        let mut goals = Bits::empty(self.bound());
        let mut components = Vec::new();
        for (alternative, product) in self.labelling.products.iter().enumerate() {
            let within = Within { product, states: a };
            let mut watch = self.labelling.watch("writing down why it holds");
            let mut found = Vec::new();
            for component in fair_components(&within, &roots, product.whole(), &mut watch)? {
                component.nodes.iter().for_each(|state| goals.insert(*state as usize));
                found.push(self.component(alternative, product, &component));
            }
            found.sort_by_key(|component| component.states[0].0);
            components.extend(found);
        }
        let numbers = self.distances(a, &goals)?;
        let outside = Bits::of(numbers.len(), |state| numbers[state] == Label::OUTSIDE && a.contains(state));
        let roots: Vec<u32> = outside.numbers().map(|state| state as u32).collect();
        let mut trees = Vec::new();
        for product in &self.labelling.products {
            let watch = self.labelling.watch("writing down why it holds");
            let mut division = Division::new(product, &self.listing.positions, self.edge_limit, watch);
            division.restrict(&outside);
            division.run(roots.clone())?;
            trees.push(division.tree(&self.listing.numbers));
        }
        Ok(self.finished(&numbers, components, trees))
    }

    /// A fair component, with distances to and from its first state.
    fn component(
        &self,
        alternative: usize,
        product: &Product<'_, Space<'_, W>>,
        fair: &fair::Component<Bits>,
    ) -> Component {
        let mut nodes: Vec<(u32, u32)> =
            fair.nodes.iter().map(|node| (self.listing.positions[*node as usize], *node)).collect();
        nodes.sort_unstable();
        let place = |node: u32| {
            nodes.binary_search_by_key(&self.listing.positions[node as usize], |(position, _)| *position).ok()
        };
        let (mut after, mut before) = (vec![Vec::new(); nodes.len()], vec![Vec::new(); nodes.len()]);
        for (from, (_, node)) in nodes.iter().enumerate() {
            product.visit(&fair.part, *node, |arc| {
                if let Some(to) = place(arc.target) {
                    after[from].push(to);
                    before[to].push(from);
                }
            });
        }
        let (down, up) = (levels(&before), levels(&after));
        let facts = product.facts(&fair.part, &fair.nodes, &|node| place(node).is_some());
        let of = product.alternative;
        let of_actions = of.of_actions.iter().enumerate();
        let strong = of_actions.filter(|(r, word)| **word == OfActions::Strong && !facts.taken[*r]);
        let of_steps = of.of_steps.iter().enumerate().filter(|(_, (_, then))| !facts.occurs(*then));
        let mut avoided: Vec<usize> = strong.map(|(r, _)| of.action_numbers[r]).collect();
        avoided.extend(of_steps.map(|(r, _)| of.step_numbers[r]));
        avoided.sort_unstable();
        let states = nodes.iter().enumerate().map(|(n, (position, _))| (*position, [down[n], up[n]]));
        Component { alternative, avoided, states: states.collect() }
    }
}

/// Per node, the length of the shortest path from the first one.
fn levels(targets: &[Vec<usize>]) -> Vec<u32> {
    let mut levels = vec![u32::MAX; targets.len()];
    let mut queue = vec![0];
    levels[0] = 0;
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &target in &targets[node] {
            if levels[target] == u32::MAX {
                levels[target] = levels[node] + 1;
                queue.push(target);
            }
        }
    }
    levels
}
