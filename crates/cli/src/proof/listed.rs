//! The file format of listed proofs. Only this file and `lowered` know it, and `docs/proofs.md` describes it.
//!
//! The document contains everything that it speaks of: the system, the automaton and the fairness in a lowered form,
//! all states, and the trees or labels. So it can be checked without the model, by a program that knows nothing of Fairly
//! (`tools/check_proof.py`). Whoever has the model compares the lowered form with the model's own.

use driver::model::answer::Label;
use driver::model::packing::Packing;
use driver::model::proof::labels::{self, Component};
use driver::model::proof::{Block, Listed, Missing, Reason, Tree};
use driver::model::{ActionId, Instance, State, Task};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{About, lines, lowered};

/// The value of `format` in every listed proof.
pub(super) const FORMAT: &str = "fairly-listed-proof";

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// The members that are the same in every proof of a task.
const LOWERED: [&str; 5] = ["system", "invariant", "automaton", "formula", "alternatives"];

/// A document whose form has been checked.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    /// What it is about.
    #[serde(flatten)]
    pub(crate) about: About,
    states: Vec<Vec<i64>>,
    #[serde(default)]
    trees: Vec<TreeText>,
    #[serde(default)]
    labels: Vec<LabelText>,
    /// The task in its lowered form, and what else there is.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TreeText {
    blocks: Vec<(Option<u32>, ReasonText)>,
    addresses: Vec<Option<u32>>,
}

#[derive(Debug, Deserialize)]
struct LabelText {
    of: Value,
    numbers: Vec<Option<u32>>,
    #[serde(default)]
    components: Vec<ComponentText>,
    #[serde(default)]
    trees: Vec<TreeText>,
}

#[derive(Debug, Deserialize)]
struct ComponentText {
    alternative: usize,
    avoided: Vec<usize>,
    states: Vec<[u32; 3]>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ReasonText {
    Trivial,
    Accept(usize),
    Never(usize),
    Uncovered(Vec<(u32, Option<u32>, u32)>),
}

/// A proof as text; a message if it cannot be written.
pub(super) fn write(
    about: &About,
    task: &Task,
    instance: &Instance,
    proof: &Listed,
) -> Result<String, String> {
    let packing = Packing::new(instance);
    let states = proof.states.chunks(packing.words).map(|words| json!(packing.unpack(words).0));
    let mut members = vec![("format".to_owned(), json!(FORMAT).to_string())];
    let mut add = |name: &str, text: String| members.push((name.to_owned(), text));
    add("version", json!(VERSION).to_string());
    let Value::Object(head) = json!(about) else { unreachable!("a struct is an object") };
    head.iter().for_each(|(name, value)| add(name, value.to_string()));
    let written = |what: String| format!("the proof cannot be written: {what}");
    let lowered = lowered::task(task, instance, proof.trees.is_empty()).map_err(written)?;
    lowered.iter().for_each(|(name, value)| add(name, value.to_string()));
    add("states", lines(states));
    if lowered.contains_key("formula") {
        let formulas = lowered::labelled(task, instance).map_err(written)?;
        add("labels", lines(formulas.iter().zip(&proof.labels).map(|(of, of_states)| label(of, of_states))));
    } else {
        add("trees", lines(proof.trees.iter().map(tree)));
    }
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("\n  {}: {value}", json!(name))).collect();
    Ok(format!("{{{}\n}}\n", members.join(",")))
}

fn label(of: &Value, label: &labels::Label) -> Value {
    let known = |number: &u32| (*number != labels::Label::OUTSIDE).then_some(*number);
    let component = |component: &Component| {
        let state = |(state, [down, up]): &(u32, [u32; 2])| json!([state, down, up]);
        let states: Vec<Value> = component.states.iter().map(state).collect();
        json!({ "alternative": component.alternative, "avoided": component.avoided, "states": states })
    };
    let numbers: Vec<Option<u32>> = label.numbers.iter().map(known).collect();
    let components: Vec<Value> = label.components.iter().map(component).collect();
    let trees: Vec<Value> = label.trees.iter().map(tree).collect();
    json!({ "of": of, "numbers": numbers, "components": components, "trees": trees })
}

pub(super) fn tree(tree: &Tree) -> Value {
    let reason = |reason: &Reason| match reason {
        Reason::Trivial => json!("trivial"),
        Reason::Accept(mark) => json!({ "accept": mark }),
        Reason::Never(requirement) => json!({ "never": requirement }),
        Reason::Uncovered(steps) => {
            let step = |step: &Missing| {
                let action = match step.label {
                    Label::Idle => None,
                    Label::Action(ActionId(number)) => Some(number),
                };
                json!([step.state, action, step.target])
            };
            json!({ "uncovered": steps.iter().map(step).collect::<Vec<_>>() })
        }
    };
    let blocks: Vec<Value> =
        tree.blocks.iter().map(|block| json!([block.parent, reason(&block.reason)])).collect();
    let addresses: Vec<Option<u32>> =
        tree.addresses.iter().map(|address| (*address != Tree::OUTSIDE).then_some(*address)).collect();
    json!({ "blocks": blocks, "addresses": addresses })
}

impl Document {
    /// The proof; a message if it is about another system, claim or fairness than the task.
    pub(super) fn proof(&self, task: &Task, instance: &Instance) -> Result<Listed, String> {
        let is_labelled = self.rest.contains_key("formula");
        let own = lowered::task(task, instance, is_labelled)?;
        for member in LOWERED {
            if self.rest.get(member) != own.get(member) {
                return Err(format!("its `{member}` is not that of the model"));
            }
        }
        let labelled = if is_labelled { lowered::labelled(task, instance)? } else { Vec::new() };
        if !labelled.iter().eq(self.labels.iter().map(|label| &label.of)) {
            return Err("its labels are not those of the property".to_owned());
        }
        let packing = Packing::new(instance);
        let mut states = Vec::with_capacity(self.states.len() * packing.words);
        let mut words = vec![0; packing.words];
        for state in &self.states {
            let fits = instance.cells.iter().zip(state).all(|(cell, value)| cell.domain.contains(*value));
            if !fits || state.len() != instance.cells.len() {
                return Err("a state does not fit the cells of the model".to_owned());
            }
            packing.pack(&State(state.clone()), &mut words);
            states.extend_from_slice(&words);
        }
        let trees = self.trees.iter().map(TreeText::tree).collect();
        let labels = self.labels.iter().map(LabelText::label).collect();
        Ok(Listed { states, trees, labels })
    }
}

impl LabelText {
    fn label(&self) -> labels::Label {
        let component = |text: &ComponentText| Component {
            alternative: text.alternative,
            avoided: text.avoided.clone(),
            states: text.states.iter().map(|&[state, down, up]| (state, [down, up])).collect(),
        };
        labels::Label {
            numbers: self.numbers.iter().map(|number| number.unwrap_or(labels::Label::OUTSIDE)).collect(),
            components: self.components.iter().map(component).collect(),
            trees: self.trees.iter().map(TreeText::tree).collect(),
        }
    }
}

impl TreeText {
    pub(super) fn tree(&self) -> Tree {
        let reason = |reason: &ReasonText| match reason {
            ReasonText::Trivial => Reason::Trivial,
            ReasonText::Accept(mark) => Reason::Accept(*mark),
            ReasonText::Never(requirement) => Reason::Never(*requirement),
            ReasonText::Uncovered(steps) => {
                let step = |&(state, action, target): &(u32, Option<u32>, u32)| {
                    let label = action.map_or(Label::Idle, |number| Label::Action(ActionId(number)));
                    Missing { state, label, target }
                };
                Reason::Uncovered(steps.iter().map(step).collect())
            }
        };
        let block =
            |(parent, text): &(Option<u32>, ReasonText)| Block { parent: *parent, reason: reason(text) };
        let addresses = self.addresses.iter().map(|address| address.unwrap_or(Tree::OUTSIDE));
        Tree { addresses: addresses.collect(), blocks: self.blocks.iter().map(block).collect() }
    }
}
