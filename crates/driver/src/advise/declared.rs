//! Finds the parts of the declared fairness that are not needed.
//!
//! Dropping a requirement, or replacing strong fairness by weak, makes more runs fair. So this is the same monotone
//! question again, with the declared requirements as targets. A requirement is *superfluous* if the property holds
//! without it. Two requirements may each be superfluous but not both, so we also report a largest set that can be
//! dropped at once. A strong requirement is *too strong* if weak fairness in its place is enough, and `global` is too
//! strong if strong fairness of every action is enough.
//!
//! A requirement is *unrealisable* if from some reachable state no run meets it, so no scheduler can guarantee it.
//! Weak, strong and global fairness are always realisable.

use model::fairness::{Assumption, Word};
use model::{Fairness, Requirement, System};

use super::hitting::Levels;
use super::minimal::{Effort, Extent, Reply, Search};
use crate::report::{assumed, plain};

/// A part of a declared fairness that may be dropped or weakened.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Requirement(Requirement),
    Global,
}

/// A replacement of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Another word for the same action or process.
    Word(Word),
    /// Strong fairness of every action.
    Strong,
    /// As declared.
    Declared,
}

/// A declared fairness, split into parts.
pub(super) struct Declared<'a> {
    system: &'a System,
    fairness: &'a Fairness,
    parts: Vec<Part>,
}

/// What the property does not need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surplus {
    /// Requirements that can each be dropped alone.
    pub superfluous: Vec<String>,
    /// A largest set that can be dropped at once.
    pub together: Vec<String>,
    /// What is left without these, if there are any.
    pub left: Option<Fairness>,
    /// The same as it would be declared.
    pub shorter: Option<String>,
    /// What is not needed if a process may always stutter, if what is left is not enough then, although the whole is.
    pub with_stuttering: Option<Box<Surplus>>,
    /// Requirements that are needed, but not as strong as declared, each with what is enough instead.
    pub too_strong: Vec<(String, String)>,
    /// Whether a limit ended the search early.
    pub partial: bool,
}

impl<'a> Declared<'a> {
    /// The requirements of a fairness, without duplicates, from all alternatives.
    pub(super) fn new(system: &'a System, fairness: &'a Fairness) -> Declared<'a> {
        let mut parts: Vec<Part> = Vec::new();
        for assumption in &fairness.alternatives {
            let requirements = assumption.requirements.iter().cloned().map(Part::Requirement);
            for part in requirements.chain(assumption.global.then_some(Part::Global)) {
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        Declared { system, fairness, parts }
    }

    /// The requirements that may be unrealisable, as text and as fairness.
    pub(super) fn doubtful(&self) -> Vec<(String, Fairness)> {
        let alone = |part: &Part| match part {
            Part::Requirement(requirement)
                if matches!(requirement.word, Word::Unconditional | Word::Justice | Word::Compassion) =>
            {
                Some((self.name(part), Fairness::all_of(vec![requirement.clone()])))
            }
            _ => None,
        };
        self.parts.iter().filter_map(alone).collect()
    }

    /// What a property that holds under the whole declaration does not need. `ask` says whether it holds under
    /// another fairness.
    pub(super) fn surplus(&self, ask: &mut dyn FnMut(&Fairness) -> Reply) -> Surplus {
        let mut surplus = Surplus::default();
        // Keep as few requirements as possible, and then the weakest.
        let costs: Vec<Vec<u64>> =
            self.parts.iter().map(|part| (1_000..).take(Self::forms(part).len()).collect()).collect();
        let mut ask = |levels: &Levels, _: Effort| match ask(&self.at(levels)) {
            // We do not compute how far a counterexample reaches, because it may meet another alternative.
            Reply::Fails(_) => Reply::Fails(levels.clone()),
            other => other,
        };
        let mut search = Search::new(costs, &mut ask);
        let top = search.top();
        search.holding.push(top.clone());
        for (number, part) in self.parts.iter().enumerate() {
            for level in 0..top[number] {
                let mut lower = top.clone();
                lower[number] = level;
                match search.decide(&lower) {
                    Reply::Holds if level == 0 => surplus.superfluous.push(self.name(part)),
                    Reply::Holds => {
                        let form = Self::forms(part)[level as usize - 1];
                        surplus.too_strong.push((self.name(part), self.in_form(part, form)));
                    }
                    Reply::Fails(_) => continue,
                    Reply::Unknown(_) => surplus.partial = true,
                }
                break;
            }
        }
        if surplus.superfluous.len() > 1 {
            let (cheapest, extent) = search.minimal(1);
            surplus.partial |= extent == Extent::Some;
            if let Some(levels) = cheapest.first() {
                let dropped = self.parts.iter().zip(levels).filter(|(_, level)| **level == 0);
                surplus.together = dropped.map(|(part, _)| self.name(part)).collect();
            }
        } else {
            surplus.together.clone_from(&surplus.superfluous);
        }
        if !surplus.together.is_empty() {
            let is_left = |part: &Part| u8::from(!surplus.together.contains(&self.name(part)));
            let levels: Levels =
                self.parts.iter().zip(&top).map(|(part, highest)| is_left(part) * highest).collect();
            let left = self.at(&levels);
            surplus.shorter = Some(assumed(self.system, &left));
            surplus.left = Some(left);
        }
        surplus
    }

    /// The possible replacements of a part, the weakest first, and the part itself.
    fn forms(part: &Part) -> Vec<Form> {
        let words: &[Word] = match part {
            Part::Global => return vec![Form::Strong, Form::Declared],
            Part::Requirement(requirement) => match requirement.word {
                Word::Strong => &[Word::Weak],
                Word::Unconditional => &[Word::Weak, Word::Strong],
                Word::Weak | Word::Justice | Word::Compassion => &[],
            },
        };
        words.iter().map(|word| Form::Word(*word)).chain([Form::Declared]).collect()
    }

    /// The fairness with each part at its level.
    fn at(&self, levels: &Levels) -> Fairness {
        let form = |part: &Part| {
            let level = self.parts.iter().position(|known| known == part).map_or(0, |k| levels[k]);
            (level > 0).then(|| Self::forms(part)[level as usize - 1])
        };
        let alternatives = self.fairness.alternatives.iter().map(|assumption| {
            let mut left = Assumption::default();
            for requirement in &assumption.requirements {
                match (form(&Part::Requirement(requirement.clone())), &requirement.of) {
                    (None, _) => {}
                    (Some(Form::Word(word)), Some(of)) => {
                        left.requirements.push(Requirement::of(
                            word,
                            of.clone(),
                            requirement.binders.clone(),
                        ));
                    }
                    (Some(_), _) => left.requirements.push(requirement.clone()),
                }
            }
            match form(&Part::Global).filter(|_| assumption.global) {
                None => {}
                Some(Form::Declared) => left.global = true,
                Some(_) => {
                    let strong = Fairness::every_action(self.system, Word::Strong).alternatives.remove(0);
                    left.requirements.extend(strong.requirements);
                }
            }
            left
        });
        Fairness { alternatives: alternatives.collect() }
    }

    fn name(&self, part: &Part) -> String {
        match part {
            Part::Requirement(requirement) => plain::requirement(self.system, requirement),
            Part::Global => "global".to_owned(),
        }
    }

    /// A replacement of a part, as it would be declared.
    fn in_form(&self, part: &Part, form: Form) -> String {
        match (part, form) {
            (Part::Requirement(requirement), Form::Word(word)) => {
                self.name(part).replacen(requirement.word.name(), word.name(), 1)
            }
            (_, Form::Declared) => self.name(part),
            (_, _) => "strong all".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_dropped_together_is_told_as_far_as_it_is_known() {
        let source = "process P { loop { a: skip; b: skip; } } property p: F true under weak P.a & weak P.b;";
        let model = lang::load("test", source, &[]).model.expect("a model");
        let declared = Declared::new(model.system(), &model.checks[0].task.fairness);
        let surplus = |without_any: Reply| {
            declared.surplus(&mut |fairness| match &fairness.alternatives[0].requirements[..] {
                [] => without_any.clone(),
                _ => Reply::Holds,
            })
        };
        let both = ["weak P.a", "weak P.b"].map(str::to_owned).to_vec();
        let known = surplus(Reply::Holds);
        assert_eq!((&known.superfluous, &known.together, known.partial), (&both, &both, false));
        let unknown = surplus(Reply::Unknown(None));
        assert_eq!((&unknown.superfluous, unknown.partial), (&both, true));
        assert_ne!(unknown.together, both);
    }
}
