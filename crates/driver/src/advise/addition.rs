//! What to add to the fairness that a property assumes, if that is not enough.
//!
//! The cheapest requirements that make the property hold together with what is assumed are looked for first, and named as
//! far as they ask for more than that. If strong fairness of everything is not enough, something is [`expected`] of
//! failures and of the environment as well. If all that fails, that is an answer, too. Nothing is proposed under which no
//! run is fair, or a premise of the property never happens.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use ::engines::Explicit;
use lang::Check;
use model::fairness::Word;
use model::instance::Environment;
use model::property::Kind;
use model::{
    ActionId, Assumption, Counterexample, Fairness, FamilyId, Instance, Name, Requirement, System, Task,
    ground,
};

use super::asker::{AskResult, Asker, Memo};
use super::cycle::{STRONG, WEAK};
use super::rank::asks_for_a_failure;
use super::targets::{Target, declarations};
use super::{
    AdditionKind, Advice, Advisor, Hopeless, Needs, Wanted, chosen, environment, excluded, expected,
    fairness_of, minimal,
};
use crate::options::{FairnessOption, Options};
use crate::report::{Verdict, plain};
use crate::spoken_of::spoken_of;
use crate::world::World;

/// At most this many targets are tried one by one for a claim that more fairness may make false.
const SINGLE: usize = 12;

/// What is enough for a property in addition to what it assumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// These requirements.
    Enough(Added, AdditionKind),
    /// Nothing but strong global fairness, if that: it fails whatever is expected of failures and of the environment. This
    /// is a run on which their steps have ended.
    Nothing(Arc<Counterexample>),
    /// That is not known.
    Unknown,
}

/// What is enough for a property in addition to what it assumes. `checks` are the properties of the model: one with the
/// same claim may assume enough.
pub(crate) fn enough(task: &Task, checks: &[Check], world: &World<'_>) -> Found {
    if matches!(task.property.kind, Kind::Invariant(_)) {
        return Found::Unknown;
    }
    let memo = Memo::new(&task.subject, world, || None);
    let explicit = Explicit { notes: false, evidence: 0, cache: memo.cache().clone(), ..Explicit::default() };
    let (wanted, options) = (Wanted::sets(1), Options::default());
    let advisor = Advisor {
        memo: &memo,
        explicit,
        scope: String::new(),
        wanted: &wanted,
        reload: None,
        options: &options,
        world,
        disabling: OnceCell::new(),
        stuttering: OnceCell::new(),
        known: Vec::new(),
    };
    let mut asker = Asker::new(&memo, task.clone(), world);
    if asker.is_monotone() {
        let found = advisor.added(&mut asker);
        let is_usual = matches!(found, Found::Enough(_, AdditionKind::Steps)) || task.fairness.is_none();
        if !is_usual && let Some((name, lacking)) = advisor.lacks_beside(&mut asker, checks) {
            let kind = kind_of(&lacking, &environment(task.system()));
            let own = match &found {
                Found::Enough(added, _) => Some(&added.texts),
                _ => None,
            };
            let texts = in_known_order(lacking, own);
            let added = Added { as_for: Some(name), ..Added::new(texts, task.fairness.clone()) };
            return Found::Enough(added, kind);
        }
        return match found {
            Found::Unknown => {
                let here = advisor.enough_here(&mut asker).map(|set| Found::Enough(set, AdditionKind::Here));
                let ends = || Some(Found::Enough(advisor.if_it_ends(&mut asker)?, AdditionKind::Ends));
                here.or_else(ends).unwrap_or(Found::Unknown)
            }
            found => found,
        };
    }
    advisor.single(&mut asker).map_or(Found::Unknown, |set| Found::Enough(set, AdditionKind::Steps))
}

/// Requirements to be added to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    /// As they are declared.
    pub(crate) texts: Vec<String>,
    /// All that is assumed then.
    pub(crate) all: Fairness,
    /// Whether the model has to say `stuttering` as well.
    pub(crate) stuttering: bool,
    /// The property with the same claim from which it was taken.
    pub(crate) as_for: Option<Name>,
}

impl Added {
    /// Nothing else has to be said.
    pub(super) fn new(texts: Vec<String>, all: Fairness) -> Added {
        Added { texts, all, stuttering: false, as_for: None }
    }
}

/// Whether a property that holds under a fairness holds for the right reason: some run is fair, and no premise is excluded.
fn is_sound(asker: &mut Asker<'_>, fairness: &Fairness) -> bool {
    asker.has_fair_run(fairness) && excluded(asker, fairness).is_none()
}

/// Whether a property is known to hold under a fairness, for the right reason.
pub(super) fn is_enough(asker: &mut Asker<'_>, fairness: &Fairness) -> bool {
    matches!(asker.ask(fairness), AskResult::Holds) && is_sound(asker, fairness)
}

impl Advisor<'_> {
    /// What is to be added to the assumption of a property that fails under it.
    pub(super) fn addition(&self, asker: &mut Asker<'_>, needs: Needs) -> Found {
        let set = match needs {
            Needs::Branching => self.single(asker),
            Needs::Global | Needs::More | Needs::Hopeless(Hopeless::Run) => return self.added(asker),
            Needs::Hopeless(_) => None,
            _ => {
                let present = asker.task().fairness.clone();
                self.on_top(asker, &present)
            }
        };
        set.map_or(Found::Unknown, |set| Found::Enough(set, AdditionKind::Steps))
    }

    /// The cheapest requirements that are enough in addition to what is assumed. If there are none, it is also tried to
    /// expect something of failures and of the environment, and then the justice of what a blocked process needs.
    fn added(&self, asker: &mut Asker<'_>) -> Found {
        let present = asker.task().fairness.clone();
        if let Some(added) = self.on_top(asker, &present) {
            return Found::Enough(added, AdditionKind::Steps);
        }
        if let Some(added) = self.with_expectations(asker, &present) {
            return Found::Enough(added, AdditionKind::Expected);
        }
        // For every N, a run of one instance has nothing to say about the others.
        if asker.task().instance().is_some()
            && let Some(added) = self.with_condition(asker)
        {
            return Found::Enough(added, AdditionKind::Condition);
        }
        // What asks for a failure cannot expect it to end.
        if expected::asks_for_failures(asker.task())
            && let Some(instead) = self.with_expectations(asker, &Fairness::none())
        {
            return Found::Enough(instead, AdditionKind::Instead);
        }
        expected::fails_whatever_is_expected(asker).map_or(Found::Unknown, Found::Nothing)
    }

    /// What is expected of failures and of the environment, with fairness of the model's own steps.
    pub(super) fn with_expectations(&self, asker: &mut Asker<'_>, present: &Fairness) -> Option<Added> {
        let mut ways = expected::expectations(asker, present);
        // What is enough only because nothing else can move asks for the wrong thing: that services no longer fail, where
        // they have to be mended.
        if ways.len() > 1 {
            let wanted = present.and(&expected::wanted(asker.task().system()));
            let is_robust = |asker: &mut Asker<'_>, way: &[Requirement]| {
                self.is_robust(asker, &wanted.and(&Fairness::all_of(way.to_vec())))
            };
            if !is_robust(asker, &ways[0]) && is_robust(asker, &ways[1]) {
                ways.swap(0, 1);
            }
        }
        let expected = ways.into_iter().next()?;
        let texts = texts(asker.task().system(), &expected);
        self.completed(asker, Added::new(texts, present.and(&Fairness::all_of(expected))))
    }

    /// What is assumed, with the cheapest that makes it enough, if it is not.
    fn completed(&self, asker: &mut Asker<'_>, added: Added) -> Option<Added> {
        let holds = matches!(asker.ask(&added.all), AskResult::Holds);
        if holds && self.is_robust(asker, &added.all) {
            return Some(added);
        }
        let more = self.on_top(asker, &added.all)?;
        Some(Added::new(added.texts.into_iter().chain(more.texts).collect(), more.all))
    }

    /// The justice of what a blocked process needs in a run, if that is enough in addition to the present assumption,
    /// perhaps with fairness of the model's own steps.
    fn with_condition(&self, asker: &mut Asker<'_>) -> Option<Added> {
        let conditions = expected::conditions(asker);
        if let Some((text, all)) = conditions.iter().find(|(_, fairness)| is_enough(asker, fairness)) {
            return Some(Added::new(vec![text.clone()], all.clone()));
        }
        conditions.into_iter().find_map(|(text, fairness)| {
            let more = self.on_top(asker, &fairness)?;
            Some(Added::new(std::iter::once(text).chain(more.texts).collect(), more.all))
        })
    }

    /// What is enough in place of what is assumed if a step of a process that the property does not speak of happens only
    /// finitely often. Fairness to that process is left out. Where this step is all that can happen, the model has to say
    /// `stuttering`.
    pub(super) fn if_it_ends(&self, asker: &mut Asker<'_>) -> Option<Added> {
        let system = Arc::clone(asker.task().system());
        let instance = Arc::clone(asker.task().instance()?);
        let [assumed] = &asker.task().fairness.alternatives[..] else { return None };
        let assumed = assumed.clone();
        let spoken_of = spoken_of(&instance, &asker.task().property.kind);
        let is_spoken_of =
            |family: FamilyId| instance.members(family).any(|member| spoken_of.contains(&member));
        for (family, once) in expected::going_on(asker) {
            if is_spoken_of(family) {
                continue;
            }
            let is_about = |one: &Requirement| {
                one.of.iter().flat_map(|of| &of.participants).any(|party| party.family == family)
            };
            let mut kept = Assumption { global: false, ..assumed.clone() };
            kept.requirements.retain(|one| !is_about(one) && !asks_for_a_failure(one));
            kept.requirements.push(once);
            let texts = texts(&system, &kept.requirements);
            let all = Fairness { alternatives: vec![kept] };
            let found = Added::new(texts, all);
            if matches!(asker.ask(&found.all), AskResult::Holds) && self.is_robust(asker, &found.all) {
                return Some(found);
            }
            let Some(mut beside) = self.stuttering(asker).map(|it| it.asker(asker.task(), self.world)) else {
                continue;
            };
            if asker.task().subject.is_bounded()
                && is_enough(&mut beside, &found.all)
                && self.can_be_met(beside.task(), &found.all)
            {
                return Some(Added { stuttering: true, ..found });
            }
        }
        None
    }

    /// Whether a property that holds under a fairness holds for the right reason, and not only because nothing else can
    /// move, or because no fair run goes on from some state.
    fn is_robust(&self, asker: &mut Asker<'_>, fairness: &Fairness) -> bool {
        self.is_met(asker, fairness)
            && !self.stuttering(asker).is_some_and(|it| it.refutes(asker, fairness, self.world))
    }

    /// Whether every reachable state is known to have a fair run, or what is assumed already leaves one without. What
    /// should end may be the only step that is possible somewhere: to assume that it ends excludes that place, and is no
    /// remedy. Where states are unbounded that is not found out.
    fn can_be_met(&self, task: &Task, fairness: &Fairness) -> bool {
        let explicit = Explicit { notes: false, evidence: 0, ..Explicit::default() };
        let is_met = |fairness: &Fairness| {
            if fairness.alternatives.iter().any(Assumption::can_be_met) || !task.subject.is_bounded() {
                return true;
            }
            let session = self.world.session().with_budget(super::REALISABLE);
            let task = Task { fairness: fairness.clone(), ..task.clone() };
            task.instance().is_none() || matches!(explicit.unfair_state(&task, &session), Ok(None))
        };
        is_met(fairness) || !is_met(&task.fairness)
    }

    /// The cheapest requirements that are enough in addition to others, also where something else can move.
    pub(super) fn on_top(&self, asker: &mut Asker<'_>, present: &Fairness) -> Option<Added> {
        let cheapest = self.cheapest(asker, present)?;
        if self.is_robust(asker, &cheapest.all) {
            return Some(cheapest);
        }
        // A set that is enough only because nothing else can move is often a trick: the only other step is a failure, and
        // the set excludes it. The cheapest that is enough beside others is none.
        let beside =
            self.enough_beside(asker, present).or_else(|| self.with_processes_beside(asker, &cheapest))?;
        self.is_met(asker, &beside.all).then_some(beside)
    }

    /// Whether a property that holds under a fairness holds for the right reason, and some fair run goes on from every
    /// state.
    fn is_met(&self, asker: &mut Asker<'_>, fairness: &Fairness) -> bool {
        is_sound(asker, fairness) && self.can_be_met(asker.task(), fairness)
    }

    /// The cheapest requirements that are enough in addition to what is assumed, even if only because nothing else can move.
    fn enough_here(&self, asker: &mut Asker<'_>) -> Option<Added> {
        let present = asker.task().fairness.clone();
        let cheapest = self.cheapest(asker, &present)?;
        self.is_met(asker, &cheapest.all).then_some(cheapest)
    }

    /// The cheapest requirements under which a property holds in addition to others, with all that is assumed then. Whether
    /// that is for the right reason is not asked.
    fn cheapest(&self, asker: &mut Asker<'_>, present: &Fairness) -> Option<Added> {
        let system = Arc::clone(asker.task().system());
        for stage in self.stages(asker) {
            let targets = &stage.targets;
            let mut holds_with_all = |level: u8| {
                let all = present.and(&fairness_of(&system, targets, &vec![level; targets.len()]));
                asker.ask(&all).verdict()
            };
            // Where an engine cannot tell of strong fairness, weak fairness may be enough.
            let is_enough = match holds_with_all(STRONG) {
                Verdict::Holds => true,
                Verdict::Fails => false,
                Verdict::Unknown => holds_with_all(WEAK) == Verdict::Holds,
            };
            if is_enough {
                let (found, _) = minimal(asker, &stage, present, Vec::new(), 1);
                let levels = found.first()?;
                let all = present.and(&fairness_of(&system, targets, levels));
                let set: Vec<(Target, Word)> = chosen(targets, levels)
                    .into_iter()
                    .map(|(target, word)| (target.clone(), word))
                    .collect();
                // What is assumed already is not said again.
                let instance = asker.task().instance().cloned();
                let beyond = Beyond::new(&system, instance.as_deref(), present);
                let set = beyond.map_or_else(|| set.clone(), |beyond| beyond.of(&set));
                let set: Vec<(&Target, Word)> = set.iter().map(|(target, word)| (target, *word)).collect();
                let known = self.stages(asker).pop()?.targets;
                return Some(Added::new(declarations(&system, &set, &known), all));
            }
        }
        None
    }

    /// Something that is enough for a claim that more fairness may make false: fairness of a single action or process, or
    /// else strong fairness of all actions. There is no least assumption for such a claim, so this is an example.
    fn single(&self, asker: &mut Asker<'_>) -> Option<Added> {
        let system = Arc::clone(asker.task().system());
        let present = asker.task().fairness.clone();
        let everything = present.and(&Fairness::every_action(&system, Word::Strong));
        if !is_enough(asker, &everything) {
            return None;
        }
        let targets = self.stages(asker).into_iter().next()?.targets;
        for target in targets.iter().take(SINGLE) {
            let mut with = |word: Word| {
                let fairness = present.and(&Fairness::all_of(target.requirements(&system, word)));
                is_enough(asker, &fairness)
            };
            if with(Word::Strong) {
                let word = if with(Word::Weak) { Word::Weak } else { Word::Strong };
                let all = present.and(&Fairness::all_of(target.requirements(&system, word)));
                return Some(Added::new(declarations(&system, &[(target, word)], &targets), all));
            }
        }
        Some(Added::new(vec!["strong all".to_owned()], everything))
    }

    /// What a property whose assumption is not enough lacks, compared with one that has the same claim and assumes enough;
    /// with the name of that. Only if nothing is to be added to it that a scheduler can see to.
    pub(super) fn lacking(
        &self,
        checks: &[&Check],
        all: &[Advice],
        place: usize,
    ) -> Option<(Name, Vec<String>)> {
        let (task, advice) = (&checks[place].task, &all[place]);
        if advice.ladder.verdict(FairnessOption::Declared) != Verdict::Fails
            || !advice.declares
            || !matches!(advice.needs, Needs::Some | Needs::Global | Needs::More)
            || advice.addition.is_some() && advice.addition_kind == AdditionKind::Steps
            || advice.instead.is_some()
            || !self.known_of(&task.property)?.climb.monotone
        {
            return None;
        }
        let others = checks.iter().zip(all).filter(|(check, other)| {
            check.task.property.claims_the_same_as(&task.property)
                && other.ladder.verdict(FairnessOption::Declared) == Verdict::Holds
                && other.unrealisable.is_empty()
        });
        let others = others.map(|(check, _)| &check.task);
        let (name, lacking) = lacks(&mut Asker::new(self.memo, task.clone(), self.world), others)?;
        Some((name, in_known_order(lacking, advice.addition.as_ref())))
    }

    /// The same of a property that only its task tells of.
    fn lacks_beside(&self, asker: &mut Asker<'_>, checks: &[Check]) -> Option<(Name, Vec<String>)> {
        let task = asker.task().clone();
        let mut is_enough_there = |other: &&Task| {
            other.property.claims_the_same_as(&task.property)
                && other.fairness != task.fairness
                && is_enough(asker, &other.fairness)
                && self.can_be_met(other, &other.fairness)
        };
        let others: Vec<&Task> =
            checks.iter().map(|check| &check.task).filter(|other| is_enough_there(other)).collect();
        lacks(asker, others.into_iter())
    }
}

/// What the assumption of a property lacks, compared with that of one of these; with the name of it.
fn lacks<'t>(asker: &mut Asker<'_>, others: impl Iterator<Item = &'t Task>) -> Option<(Name, Vec<String>)> {
    let task = asker.task().clone();
    let [own] = &task.fairness.alternatives[..] else { return None };
    let mut found: Vec<(&Name, Vec<String>)> = Vec::new();
    for other in others {
        let [theirs] = &other.fairness.alternatives[..] else { continue };
        if theirs.global || !is_enough(asker, &task.fairness.and(&other.fairness)) {
            continue;
        }
        let lacks = theirs.requirements.iter().filter(|one| !own.requirements.contains(one));
        found.push((&other.property.name, texts(task.system(), &lacks.cloned().collect::<Vec<_>>())));
    }
    found.sort_by_key(|(_, lacking)| lacking.len());
    found.into_iter().next().map(|(name, lacking)| (name.clone(), lacking))
}

/// What is lacking, in the order in which it is known if it is known already.
fn in_known_order(lacking: Vec<String>, known: Option<&Vec<String>>) -> Vec<String> {
    let is_it =
        |known: &&Vec<String>| known.len() == lacking.len() && lacking.iter().all(|one| known.contains(one));
    known.filter(is_it).cloned().unwrap_or(lacking)
}

/// What the addition asks for that was taken from another property.
pub(super) fn kind_of(lacking: &[String], environment: &[String]) -> AdditionKind {
    let asks = |text: &String| environment.iter().any(|name| text.ends_with(&format!(" {name}")));
    if lacking.iter().any(asks) { AdditionKind::Expected } else { AdditionKind::Steps }
}

/// Requirements as they are declared, each once.
fn texts(system: &System, requirements: &[Requirement]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for text in requirements.iter().map(|one| plain::requirement(system, one)) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// What is assumed already, to find out what a set asks for beyond it.
struct Beyond<'a> {
    system: &'a System,
    instance: Option<&'a Instance>,
    /// The requirements as they are written.
    written: Vec<Requirement>,
    /// The actions that each is about, if there is an instance.
    known: BTreeSet<(Word, Vec<ActionId>)>,
}

impl<'a> Beyond<'a> {
    /// `None` if the present assumption is a disjunction.
    fn new(system: &'a System, instance: Option<&'a Instance>, present: &Fairness) -> Option<Beyond<'a>> {
        let ground = instance.map_or_else(|| present.clone(), |instance| ground::fairness(instance, present));
        let [assumption] = &ground.alternatives[..] else { return None };
        let about = |requirement: &Requirement| {
            let of = instance?.matching(requirement.of.as_ref()?, &Environment::default()).ok()?;
            Some((requirement.word, of))
        };
        let known = assumption.requirements.iter().filter_map(about).collect();
        Some(Beyond { system, instance, written: assumption.requirements.clone(), known })
    }

    fn of(&self, set: &[(Target, Word)]) -> Vec<(Target, Word)> {
        let beyond = |(target, word): &(Target, Word)| {
            // Of some members of a family it may be asked already.
            let unknown = |instance: &Instance| {
                let each = target.each(instance);
                let unknown: Vec<&Target> = each.iter().filter(|one| !self.is_known(one, *word)).collect();
                let (first, rest) = unknown.split_first().filter(|_| unknown.len() < each.len())?;
                rest.iter().try_fold((*first).clone(), |all, one| all.joined(one))
            };
            let less =
                if self.is_known(target, *word) { None } else { Some(self.instance.and_then(unknown)) };
            less.map(|less| (less.unwrap_or_else(|| target.clone()), *word))
        };
        set.iter().filter_map(beyond).collect()
    }

    fn is_known(&self, target: &Target, word: Word) -> bool {
        let stronger = [Word::Unconditional, Word::Strong, Word::Weak];
        let stronger = if word == Word::Weak { &stronger[..] } else { &stronger[..2] };
        // Without an instance, requirements are the same if they are written alike.
        let Some(instance) = self.instance else {
            let is_written = |word: &Word| {
                let asked = target.requirements(self.system, *word);
                asked.iter().all(|one| self.written.contains(one))
            };
            return stronger.iter().any(is_written);
        };
        let is_asked = |subject: &Vec<ActionId>| {
            stronger.iter().any(|word| self.known.contains(&(*word, subject.clone())))
        };
        target.subjects(instance).iter().filter(|subject| !subject.is_empty()).all(is_asked)
    }
}
