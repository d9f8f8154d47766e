//! The fairness of a task, in the form that the search uses.
//!
//! Weak, strong and unconditional fairness of actions need no predicate: an action is enabled in a state iff a
//! step with its label leaves the state, and taken in a component iff a step with its label stays inside. So
//! such a requirement is a set of actions; a process is the set of its actions. The others, justice and
//! compassion, are pairs of predicates on steps. The marks of the automaton are justice of the product.

use model::answer::Site;
use model::fairness::{Assumption, Word};
use model::{Expr, Instance};

use super::letters::Predicates;

/// One alternative of a fairness.
#[derive(Clone)]
pub(super) struct Alternative {
    /// Requirements about sets of actions.
    pub(super) of_actions: Vec<OfActions>,
    /// The positions of the requirements about sets of actions, and of those about steps, among all of the assumption.
    pub(super) action_numbers: Vec<usize>,
    pub(super) step_numbers: Vec<usize>,
    /// Per action, the numbers in `of_actions` of the requirements about it.
    pub(super) about: Vec<Vec<u32>>,
    /// Requirements about steps: the numbers of the predicates `when` (`None` if it is always true) and `then`.
    pub(super) of_steps: Vec<(Option<usize>, usize)>,
    /// Whether runs are also strongly globally fair.
    pub(super) global: bool,
}

/// The kind of fairness of a set of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfActions {
    /// One of them is taken again and again.
    Unconditional,
    /// Again and again, one of them is taken or none is enabled.
    Weak,
    /// If one of them is enabled again and again, one is taken again and again.
    Strong,
}

impl Alternative {
    /// The alternative for a ground assumption. The predicates it needs are added to those of the task.
    pub(super) fn new(
        instance: &Instance,
        assumption: &Assumption,
        predicates: &mut Predicates,
    ) -> Alternative {
        let mut alternative = Alternative {
            of_actions: Vec::new(),
            action_numbers: Vec::new(),
            step_numbers: Vec::new(),
            about: vec![Vec::new(); instance.actions.len()],
            of_steps: Vec::new(),
            global: assumption.global,
        };
        for (position, requirement) in assumption.requirements.iter().enumerate() {
            let actions = instance.actions_of(requirement);
            let word = match requirement.word {
                Word::Unconditional => Some(OfActions::Unconditional),
                Word::Weak => Some(OfActions::Weak),
                Word::Strong => Some(OfActions::Strong),
                Word::Justice | Word::Compassion => None,
            };
            if let (Some(actions), Some(word)) = (actions, word) {
                let number = alternative.of_actions.len() as u32;
                alternative.of_actions.push(word);
                alternative.action_numbers.push(position);
                actions.iter().for_each(|action| alternative.about[action.0 as usize].push(number));
            } else {
                let when = match &requirement.when {
                    Expr::Bool(true) => None,
                    when => Some(predicates.number(when, Site::Fairness)),
                };
                let then = predicates.number(&requirement.then, Site::Fairness);
                alternative.of_steps.push((when, then));
                alternative.step_numbers.push(position);
            }
        }
        alternative
    }

    /// The alternative with further requirements about steps.
    pub(super) fn and(&self, of_steps: &[(Option<usize>, usize)]) -> Alternative {
        let mut both = self.clone();
        both.of_steps.extend(of_steps);
        both
    }

    /// Whether a fair run certainly begins in every state. A scheduler that always takes the enabled action whose
    /// turn was longest ago meets all weak and strong fairness of actions. One that takes every step of a component
    /// it cannot leave is also globally fair.
    pub(super) fn is_realisable(&self) -> bool {
        self.of_steps.is_empty() && !self.of_actions.contains(&OfActions::Unconditional)
    }

    /// The requirements about the action with this label; none about `idle`.
    #[inline]
    pub(super) fn about(&self, label: u16) -> &[u32] {
        self.about.get(label as usize).map_or(&[], |about| about)
    }
}
