//! The file format of counted proofs. Only this file knows it, and `docs/proofs.md` describes it.

use std::collections::{BTreeMap, BTreeSet};

use driver::model::counting::{Counts, Letter, Rule, Sum, Tally};
use driver::model::proof::counted::{Argument, Counted};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::listed::{TreeText, tree};
use super::{About, lines};

/// The value of `format` in every counted proof.
pub(super) const FORMAT: &str = "fairly-counted-proof";

/// The version of the format.
pub(super) const VERSION: u32 = 2;

/// The values outside the counted processes, those of the named process, and per family how many have which.
type CountsText = (Vec<i64>, Option<Letter>, Vec<Vec<(Letter, u32)>>);

/// A document whose form has been checked.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    /// What it is about.
    #[serde(flatten)]
    pub(crate) about: About,
    #[serde(default)]
    tallies: Vec<TallyText>,
    #[serde(default)]
    sums: Vec<SumText>,
    raise: u32,
    counts: Vec<CountsText>,
    #[serde(default)]
    arguments: Vec<ArgumentText>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SumText {
    values: Vec<(usize, i64)>,
    members: Vec<(usize, i64, i64)>,
    letters: Vec<Vec<(Letter, i64)>>,
    total: i64,
}

/// A variable, by position, is a number plus how many processes of a family, by position, have these values.
#[derive(Debug, Serialize, Deserialize)]
struct TallyText {
    variable: usize,
    constant: i64,
    family: usize,
    letters: BTreeSet<Letter>,
}

#[derive(Debug, Deserialize)]
struct ArgumentText {
    rules: Vec<RuleText>,
    tree: TreeText,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RuleText {
    Same(usize),
    Named(usize),
    Letter(usize, Letter),
    Somebody(usize),
    Flow(usize, BTreeSet<Letter>),
}

/// A proof as text.
pub(super) fn write(about: &About, proof: &Counted) -> String {
    let counts = proof.states.iter().map(|Counts { rest, named, numbers }| {
        let numbers: Vec<Vec<(&Letter, &u32)>> = numbers.iter().map(|own| own.iter().collect()).collect();
        json!([rest, named, numbers])
    });
    let argument = |argument: &Argument| {
        let rules: Vec<RuleText> = argument.rules.iter().map(rule_text).collect();
        json!({ "rules": rules, "tree": tree(&argument.tree) })
    };
    let mut members = vec![("format".to_owned(), json!(FORMAT).to_string())];
    members.push(("version".to_owned(), json!(VERSION).to_string()));
    let Value::Object(head) = json!(about) else { unreachable!("a struct is an object") };
    members.extend(head.iter().map(|(name, value)| (name.clone(), value.to_string())));
    let sum = |sum: &Sum| {
        let letters = sum.letters.iter().map(|own| own.clone().into_iter().collect()).collect();
        let (values, members) = (sum.values.clone(), sum.members.clone());
        json!(SumText { values, members, letters, total: sum.total })
    };
    let tally = |tally: &Tally| {
        let Tally { variable, constant, family, letters } = tally.clone();
        json!(TallyText { variable, constant, family, letters })
    };
    members.push(("tallies".to_owned(), lines(proof.tallies.iter().map(tally))));
    members.push(("sums".to_owned(), lines(proof.sums.iter().map(sum))));
    members.push(("raise".to_owned(), json!(proof.raise).to_string()));
    members.push(("counts".to_owned(), lines(counts)));
    members.push(("arguments".to_owned(), lines(proof.arguments.iter().map(argument))));
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("\n  {}: {value}", json!(name))).collect();
    format!("{{{}\n}}\n", members.join(","))
}

fn rule_text(rule: &Rule) -> RuleText {
    match rule.clone() {
        Rule::Same(number) => RuleText::Same(number),
        Rule::Named(number) => RuleText::Named(number),
        Rule::Letter(number, letter) => RuleText::Letter(number, letter),
        Rule::Somebody(number) => RuleText::Somebody(number),
        Rule::Flow(family, letters) => RuleText::Flow(family, letters),
    }
}

impl Document {
    /// The proof. Whether it is one of the task is for the judge to say.
    pub(super) fn proof(&self) -> Counted {
        let states = self.counts.iter().map(|(rest, named, numbers)| Counts {
            rest: rest.clone(),
            named: named.clone(),
            numbers: numbers.iter().map(|own| own.iter().cloned().collect()).collect(),
        });
        let rule = |text: &RuleText| match text {
            RuleText::Same(number) => Rule::Same(*number),
            RuleText::Named(number) => Rule::Named(*number),
            RuleText::Letter(number, letter) => Rule::Letter(*number, letter.clone()),
            RuleText::Somebody(number) => Rule::Somebody(*number),
            RuleText::Flow(family, letters) => Rule::Flow(*family, letters.clone()),
        };
        let argument = |text: &ArgumentText| Argument {
            rules: text.rules.iter().map(rule).collect(),
            tree: text.tree.tree(),
        };
        let sum = |text: &SumText| Sum {
            values: text.values.clone(),
            members: text.members.clone(),
            letters: text.letters.iter().map(|own| own.iter().cloned().collect::<BTreeMap<_, _>>()).collect(),
            total: text.total,
        };
        let tally = |text: &TallyText| Tally {
            variable: text.variable,
            constant: text.constant,
            family: text.family,
            letters: text.letters.clone(),
        };
        Counted {
            raise: self.raise,
            tallies: self.tallies.iter().map(tally).collect(),
            sums: self.sums.iter().map(sum).collect(),
            states: states.collect(),
            arguments: self.arguments.iter().map(argument).collect(),
        }
    }
}
