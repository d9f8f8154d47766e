//! Fairness: what is assumed about the scheduler, as a list of requirements over steps.
//!
//! A requirement is `GF when -> GF then`: if steps that satisfy `when` are taken infinitely often, so are
//! steps that satisfy `then`. Every fairness word is one of these:
//!
//! | word | of | when | then |
//! | --- | --- | --- | --- |
//! | unconditional | an action or process `a` | true | taken(a) |
//! | weak | an action or process `a` | true | taken(a) or not enabled(a) |
//! | strong | an action or process `a` | enabled(a) | taken(a) |
//! | justice | a predicate `p` | true | p |
//! | compassion | predicates `(p, q)` | p | q |
//!
//! A rendezvous is one action of two processes, and it counts for both: an event matches it if each participant that
//! the event names takes part ([`Pattern`]). So weak fairness of a process is met if again and again some action that it
//! takes part in is taken, or none is enabled.
//!
//! A word about an action or a process is one requirement per action or process that its event matches. Where the
//! values of the binders match no action (a process does not meet itself in a rendezvous), there is no requirement;
//! [`semantics::exists`](crate::semantics::exists) decides that.
//!
//! Strong *global* fairness cannot be written with expressions: it requires that every step of the state graph
//! that leaves a state visited infinitely often is itself taken infinitely often. It is a flag of the
//! assumption. An assumption is a conjunction; a [`Fairness`] is a disjunction of assumptions.

use crate::expr::{Binder, Expr, Party, Pattern};
use crate::system::{FamilyId, System};

/// The word a requirement was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Word {
    Unconditional,
    Weak,
    Strong,
    Justice,
    Compassion,
}

impl Word {
    /// The word itself, as in the language.
    pub fn name(self) -> &'static str {
        match self {
            Word::Unconditional => "unconditional",
            Word::Weak => "weak",
            Word::Strong => "strong",
            Word::Justice => "justice",
            Word::Compassion => "compassion",
        }
    }
}

/// `GF when -> GF then`, for all values of the binders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The word it was written with.
    pub word: Word,
    /// The action or process it is about, for the first three words.
    pub of: Option<Pattern>,
    /// One requirement per value of these.
    pub binders: Vec<Binder>,
    /// What triggers the requirement if it happens infinitely often.
    pub when: Expr,
    /// What must then happen infinitely often.
    pub then: Expr,
}

impl Requirement {
    /// Unconditional, weak or strong fairness of the actions or processes that a pattern matches.
    pub fn of(word: Word, pattern: Pattern, binders: Vec<Binder>) -> Requirement {
        let taken = Expr::Taken(pattern.clone());
        let enabled = Expr::Enabled(pattern.clone());
        let (when, then) = match word {
            Word::Unconditional => (Expr::Bool(true), taken),
            Word::Weak => (Expr::Bool(true), Expr::Or(vec![taken, Expr::negated(enabled)])),
            Word::Strong => (enabled, taken),
            Word::Justice | Word::Compassion => unreachable!("these words take predicates"),
        };
        Requirement { word, of: Some(pattern), binders, when, then }
    }

    /// Whether a scheduler can meet it from every state of every system.
    pub fn can_be_met(&self) -> bool {
        matches!(self.word, Word::Weak | Word::Strong)
    }

    /// Justice: `p` again and again.
    pub fn justice(p: Expr, binders: Vec<Binder>) -> Requirement {
        Requirement { word: Word::Justice, of: None, binders, when: Expr::Bool(true), then: p }
    }

    /// Compassion: if `p` again and again, then `q` again and again.
    pub fn compassion(p: Expr, q: Expr, binders: Vec<Binder>) -> Requirement {
        Requirement { word: Word::Compassion, of: None, binders, when: p, then: q }
    }
}

/// A conjunction of requirements.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Assumption {
    /// The requirements.
    pub requirements: Vec<Requirement>,
    /// Whether the run is also strongly globally fair.
    pub global: bool,
}

impl Assumption {
    /// Whether every path of a system can be continued to a run that meets this. A scheduler that takes what has waited
    /// longest keeps weak and strong fairness, also of a state graph without end, and strong global fairness if it takes
    /// every step. Other requirements may ask for what the system cannot do any more.
    pub fn can_be_met(&self) -> bool {
        self.requirements.iter().all(Requirement::can_be_met)
    }
}

/// A disjunction of assumptions, never empty. One empty assumption is no fairness at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness {
    /// A run is fair if it meets one of these.
    pub alternatives: Vec<Assumption>,
}

impl Fairness {
    /// Every run is fair.
    pub fn none() -> Fairness {
        Fairness { alternatives: vec![Assumption::default()] }
    }

    /// Strong global fairness.
    pub fn global() -> Fairness {
        Fairness { alternatives: vec![Assumption { requirements: Vec::new(), global: true }] }
    }

    /// A conjunction of requirements.
    pub fn all_of(requirements: Vec<Requirement>) -> Fairness {
        Fairness { alternatives: vec![Assumption { requirements, global: false }] }
    }

    /// Fairness with this word for every action that does not belong to the environment.
    pub fn every_action(system: &System, word: Word) -> Fairness {
        let own = actions(system).zip(&system.actions).filter(|(_, action)| !system.is_environment(action));
        Fairness::all_of(own.map(|((of, binders), _)| Requirement::of(word, of, binders)).collect())
    }

    /// Fairness with this word for every process that does not belong to the environment.
    pub fn every_process(system: &System, word: Word) -> Fairness {
        let own =
            processes(system).zip((0..).map(FamilyId)).filter(|(_, family)| !system.is_outside(*family));
        Fairness::all_of(own.map(|((of, binders), _)| Requirement::of(word, of, binders)).collect())
    }

    /// The conjunction: every alternative of one joined with every alternative of the other.
    #[must_use]
    pub fn and(&self, other: &Fairness) -> Fairness {
        let mut alternatives = Vec::new();
        for a in &self.alternatives {
            for b in &other.alternatives {
                let requirements = a.requirements.iter().chain(&b.requirements).cloned().collect();
                alternatives.push(Assumption { requirements, global: a.global || b.global });
            }
        }
        Fairness { alternatives }
    }

    /// The disjunction.
    #[must_use]
    pub fn or(&self, other: &Fairness) -> Fairness {
        Fairness { alternatives: self.alternatives.iter().chain(&other.alternatives).cloned().collect() }
    }

    /// Whether every run is fair.
    pub fn is_none(&self) -> bool {
        self.alternatives.iter().any(|a| a.requirements.is_empty() && !a.global)
    }
}

/// A pattern per action of the system, with the binders that run over its instances.
pub fn actions(system: &System) -> impl Iterator<Item = (Pattern, Vec<Binder>)> + '_ {
    system.actions.iter().map(|action| {
        let mut binders = Vec::new();
        let mut participants = Vec::new();
        for participant in &action.participants {
            let family = system.family(participant.family);
            if let (Some(index), Some(own)) = (participant.index, &family.index) {
                binders.push(Binder { index, span: own.span.clone() });
            }
            participants.push(Party {
                family: participant.family,
                process: participant.process().map(Box::new),
                label: Some(participant.label.clone()),
            });
        }
        binders.extend(action.parameters.iter().cloned());
        let arguments = action.parameters.iter().map(|binder| Expr::Index(binder.index)).collect();
        (Pattern { participants, arguments: Some(arguments) }, binders)
    })
}

/// A pattern per family of the system, with the binder that runs over its processes.
pub fn processes(system: &System) -> impl Iterator<Item = (Pattern, Vec<Binder>)> + '_ {
    system.families.iter().enumerate().map(|(number, family)| {
        let process = family.index.as_ref().map(|binder| Box::new(Expr::Index(binder.index)));
        let party = Party { family: FamilyId(number as u32), process, label: None };
        (Pattern { participants: vec![party], arguments: None }, family.index.iter().cloned().collect())
    })
}
