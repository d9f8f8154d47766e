//! `advise`: finds the fairness that a property needs, and the declared fairness that it does not need.
//!
//! For each property there are three questions. Under which of the usual kinds of fairness does it hold ([`ladder`])?
//! Which are the minimal sets of requirements (weak or strong fairness of single actions and processes) under which
//! it holds ([`targets`], [`rank`], [`mod@minimal`], [`hitting`]), and does it hold under one only because its premise never
//! happens ([`premise`](crate::premise)), and why is each requirement needed ([`reasons`])? Which parts of the declared
//! fairness are superfluous, too strong, or impossible to meet ([`declared`])? What is enough, or superfluous, only because
//! nothing else can move ([`brittle`])?
//!
//! Engines are asked through [`asker`], so each answer is one that `check` would give, and the judge has seen every
//! counterexample. A counterexample shows which assumptions would have excluded it ([`cycle`]); this guides the
//! search. The advice is checked again as the text that the user would paste ([`declaration`]).
//!
//! The result is plain data: [`advise`] handles all properties of a model and returns an [`Advice`] for each. To get
//! advice on one property only, name it in the options. Limits end the work, not the report: it contains what is
//! known by then, and the rest is *unknown*.

mod addition;
mod advice;
mod asker;
mod brittle;
mod confirmed;
mod cycle;
mod declared;
mod every_n;
mod expected;
mod family;
mod hitting;
mod ladder;
mod minimal;
pub(crate) mod rank;
mod reasons;
mod targets;
#[cfg(test)]
mod tests;
pub mod words;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use ::engines::Explicit;
use lang::{Check, Loaded, Model};
use model::answer::Label;
use model::fairness::Word;
use model::system::{Participant, Update};
use model::{
    ActionId, Assumption, Counterexample, Expr, Fairness, FamilyId, Formula, Property, System, Task, show,
};

use self::asker::{AskResult, Asker, Memo, QUICK};
use self::brittle::Stuttering;
use self::cycle::{STRONG, WEAK, treatment};
use self::declared::Declared;
use self::every_n::General;
use self::hitting::Levels;
use self::ladder::{Climb, climb};
use self::minimal::{Effort, Reply, Search};
use self::rank::Candidates;
use self::targets::{Target, declarations, targets};
use crate::check::{Problem, missing_value, scope};
use crate::explain::{names, never_forced};
use crate::options::{FairnessOption, Options};
use crate::premise;
use crate::report::{self, Note, Verdict, assumed, evidence, plain};
use crate::selection;
use crate::world::World;

pub(crate) use self::addition::{Added, Found, enough};
pub use self::advice::{AdditionKind, Advice, Hopeless, Needs, Unrealisable};
pub use self::declared::Surplus;
pub use self::ladder::{Ladder, RUNGS};
pub use self::minimal::Extent;
pub use self::reasons::{Choice, Forced, Reason};

/// Reads the source again, with this text appended and these settings.
pub type Reload<'a> = &'a dyn Fn(&str, &[(String, String)]) -> Loaded;

/// Which minimal sets to look for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// At most this many per property.
    pub sets: usize,
    /// Whether a set may single out one partner of a rendezvous, although others are enough.
    pub fine: bool,
    /// Names of processes, `P`, and of actions, `P.crash` or `crash`, to which no fairness is proposed.
    pub not_fair_to: Vec<String>,
}

impl Wanted {
    /// So many sets of the usual kind.
    pub fn sets(sets: usize) -> Wanted {
        Wanted { sets, fine: false, not_fair_to: Vec::new() }
    }
}

/// The first name in [`Wanted::not_fair_to`] that means nothing in a model, with a name that is like it.
pub fn unknown_target(model: &Model, names: &[String]) -> Option<String> {
    let system = model.system();
    let families = system.families.iter().map(|family| family.name.clone());
    let participants = system.actions.iter().flat_map(|action| &action.participants);
    let labels = participants.clone().map(|participant| participant.label.clone());
    let full = participants.map(|own| format!("{}.{}", system.family(own.family).name, own.label));
    let known: Vec<String> = families.chain(labels).chain(full).collect();
    let unknown = names.iter().find(|name| !known.contains(name))?;
    let suggestion = lang::diagnostic::nearest(unknown, known.iter().map(String::as_str))
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Some(format!("there is no process or action `{unknown}`{suggestion}"))
}

/// The selected properties of a model.
fn selected<'m>(model: &'m Model, options: &Options) -> Vec<&'m Check> {
    let is_selected = |check: &&Check| selection::selected(&options.properties, &check.task.property.name);
    model.checks.iter().filter(is_selected).collect()
}

/// The advice on the selected properties of a model before anything is known.
pub fn nothing_known(model: &Model, options: &Options) -> Vec<Advice> {
    let scope = scope(model, options);
    selected(model, options).iter().map(|check| Advice::nothing_known(check, &scope)).collect()
}

/// Advises on the selected properties of a model. Calls `each` with the position of a property and the advice on it
/// whenever more of it is known. With `reload`, each set is checked again as text.
///
/// Only the properties and the settings of the options are used.
pub fn advise(
    model: &Model,
    options: &Options,
    wanted: &Wanted,
    reload: Option<Reload<'_>>,
    world: &World<'_>,
    each: &mut dyn FnMut(usize, &Advice),
) -> Result<Vec<Advice>, Problem> {
    // The ladder ends with strong global fairness.
    let model = model.as_written();
    let general = || General::new(reload?, &options.settings, model, world).map(Rc::new);
    let memo = Memo::new(&model.subject, world, general);
    let checks = selected(model, options);
    let missing = |check: &&Check| {
        let refusals = memo.refusals(&Task { fairness: Fairness::none(), ..check.task.clone() })?;
        missing_value(model, &refusals)
    };
    // If one property needs a value, the others still get advice. If all of them do, report the missing value.
    if checks.iter().all(|check| missing(check).is_some())
        && let Some(missing) = checks.first().and_then(missing)
    {
        return Err(Problem::NoValue(Box::new(missing)));
    }
    let scope = scope(model, options);
    let explicit = Explicit { notes: false, evidence: 0, cache: memo.cache().clone(), ..Explicit::default() };
    let mut advisor = Advisor {
        memo: &memo,
        explicit,
        scope,
        wanted,
        reload,
        options,
        world,
        disabling: OnceCell::new(),
        stuttering: OnceCell::new(),
        known: Vec::new(),
    };
    let mut all = nothing_known(model, options);
    advisor.work(&checks, &mut all, each);
    let is_kin = |a: &Check, b: &Check| a.task.property.name.family == b.task.property.name.family;
    for (place, check) in checks.iter().enumerate() {
        let members: Vec<&Check> = checks.iter().filter(|other| is_kin(other, check)).copied().collect();
        if !std::ptr::eq(members[0], *check) {
            continue;
        }
        let family: Vec<&Check> = model.checks.iter().filter(|other| is_kin(other, check)).collect();
        all[place].for_family = if family.len() == 1 {
            None
        } else if family.len() == members.len() {
            family::for_all(&advisor, &members)
        } else {
            family::for_whole(&advisor, check, &family)
        };
        each(place, &all[place]);
    }
    for place in 0..all.len() {
        if let Some((name, lacking)) = advisor.lacking(&checks, &all, place) {
            all[place].addition_kind = addition::kind_of(&lacking, &all[place].environment);
            (all[place].addition, all[place].as_for) = (Some(lacking), Some(name));
            each(place, &all[place]);
        }
    }
    Ok(all)
}

/// The budget for finding out whether a requirement can be met: about five seconds.
const REALISABLE: u64 = 500_000_000;

/// The data that all properties share.
struct Advisor<'a> {
    memo: &'a Memo,
    /// For the question whether fairness can be met, which is not a task.
    explicit: Explicit,
    scope: String,
    wanted: &'a Wanted,
    reload: Option<Reload<'a>>,
    options: &'a Options,
    world: &'a World<'a>,
    /// The actions that only disable others.
    disabling: OnceCell<BTreeSet<ActionId>>,
    /// The same system with a process that may always stutter.
    stuttering: OnceCell<Stuttering>,
    /// The results on earlier claims, because properties often differ in their fairness only.
    known: Vec<(Property, ClaimMemo)>,
}

/// The results on a claim that do not depend on its declared fairness.
#[derive(Clone)]
struct ClaimMemo {
    climb: Climb,
    needs: Needs,
    minimal: Vec<Vec<String>>,
    vacuous: Vec<(usize, String)>,
    brittle: Vec<usize>,
    extent: Extent,
    /// The sets that are not vacuous, the cheapest first.
    sound: Vec<Vec<(Target, Word)>>,
    reasons: Vec<Reason>,
    choices: Vec<Choice>,
    counterexample: Option<Arc<report::Counterexample>>,
    counterexample_scope: Option<String>,
    notes: Vec<Note>,
}

impl ClaimMemo {
    /// Keeps a counterexample as it is shown.
    fn show(&mut self, task: &Task, evidence: Option<Arc<Counterexample>>) {
        let Some(found) = evidence else { return };
        self.counterexample = shown(task, &found);
        self.counterexample_scope = evidence::scope(task, &found);
    }
}

impl Advisor<'_> {
    /// The advice on all properties, in rounds: what is cheap to know of each, then all about those of which that was
    /// enough, and then about the others. So one that takes all the time leaves the others their advice.
    fn work(&mut self, checks: &[&Check], all: &mut [Advice], each: &mut dyn FnMut(usize, &Advice)) {
        let finite = |check: &Check| check.task.subject.is_bounded();
        let ladder = |check: &Check, rounds: u32| {
            let mut asker = Asker::new(self.memo, check.task.clone(), self.world);
            asker.rounds = rounds;
            climb(&mut asker, finite(check)).with_declared(&mut asker)
        };
        let is_open = |advice: &Advice| {
            let verdicts = RUNGS.iter().filter(|rung| **rung != FairnessOption::Global);
            verdicts.into_iter().any(|rung| advice.ladder.verdict(*rung) == Verdict::Unknown)
        };
        for (place, check) in checks.iter().enumerate() {
            all[place].ladder = ladder(check, QUICK);
            each(place, &all[place]);
        }
        let (hard, easy): (Vec<usize>, Vec<usize>) =
            (0..checks.len()).partition(|place| is_open(&all[*place]));
        for place in easy {
            all[place] = self.advice(checks[place], &mut |advice| each(place, advice));
        }
        for place in &hard {
            let mut asker = Asker::new(self.memo, checks[*place].task.clone(), self.world);
            all[*place].ladder = climb(&mut asker, finite(checks[*place])).with_declared(&mut asker);
            each(*place, &all[*place]);
        }
        // What is declared is what `check` asks about, and it takes its time.
        let is_open = |advice: &Advice| advice.ladder.verdict(FairnessOption::Declared) == Verdict::Unknown;
        let open = hard.iter().filter(|place| is_open(&all[**place])).map(|place| &checks[*place].task);
        self.memo.ask_to_the_end(&open.collect::<Vec<_>>(), self.world);
        for place in hard {
            all[place] = self.advice(checks[place], &mut |advice| each(place, advice));
        }
    }

    /// The advice on a property; `tell` is called whenever more of it is known.
    fn advice(&mut self, check: &Check, tell: &mut dyn FnMut(&Advice)) -> Advice {
        let task = &check.task;
        let mut advice = Advice::nothing_known(check, &self.scope);
        let mut asker = Asker::new(self.memo, task.clone(), self.world);
        let property = &task.property;
        let known = if let Some(known) = self.known_of(property) {
            known.clone()
        } else {
            let known = self.examine(&mut asker, &mut |climb| {
                advice.ladder = climb.ladder.clone();
                tell(&advice);
            });
            // A question that a limit left open would only be asked again without success.
            self.known.push((property.clone(), known.clone()));
            known
        };
        let ClaimMemo { mut climb, needs, minimal, vacuous, extent, counterexample, notes, .. } = known;
        let ClaimMemo { sound, reasons, choices, brittle, counterexample_scope, .. } = known;
        let ladder = climb.with_declared(&mut asker);
        advice = Advice { ladder, needs, minimal, vacuous, extent, counterexample, notes, ..advice };
        advice = Advice { brittle, reasons, choices, counterexample_scope, ..advice };
        if advice.needs == Needs::Global {
            advice.environment = environment(task.system());
            let system = task.system();
            advice.failures = names(system, &|action, party| {
                !system.is_environment(action) && rank::is_failure(&party.label)
            });
        }
        let may = |family| may_be_forced(&mut asker, family);
        (advice.forced, advice.forced_already) = reasons::forced(task.system(), &sound, &task.fairness, may);
        if !sound.is_empty() {
            advice.sizes = task.instance().map_or_else(Vec::new, |instance| every_n::sizes(instance));
        }
        tell(&advice);
        let declared = Declared::new(task.system(), &task.fairness);
        let holds = advice.ladder.verdict(FairnessOption::Declared) == Verdict::Holds;
        if advice.ladder.verdict(FairnessOption::Declared) == Verdict::Fails {
            match self.addition(&mut asker, advice.needs) {
                Found::Enough(set, kind) => {
                    (advice.addition, advice.addition_kind) = (Some(set.texts), kind);
                }
                Found::Nothing(run) if advice.needs == Needs::Global => {
                    advice.fails_whatever_is_expected = true;
                    advice.counterexample = shown(task, &run);
                    advice.counterexample_scope = evidence::scope(task, &run);
                }
                Found::Nothing(_) | Found::Unknown => {}
            }
            if matches!(advice.needs, Needs::Global | Needs::More)
                && advice.declares
                && advice.addition.is_none()
                && !advice.fails_whatever_is_expected
                && task.instance().is_some()
                && let Some(evidence) = expected::with_everything(&mut asker)
            {
                advice.counterexample = shown(task, &evidence);
            }
        }
        if advice.needs == Needs::Global
            && !holds
            && advice.addition.is_none()
            && advice.vacuous.is_empty()
            && !advice.fails_whatever_is_expected
        {
            let found = self.if_it_ends(&mut asker);
            advice.ends_if_stuttering = found.as_ref().is_some_and(|found| found.stuttering);
            advice.if_it_ends = found.map(|found| found.texts);
            advice.rests = expected::resting(&mut asker);
        }
        if advice.needs == Needs::Global && advice.declares && !holds {
            let both = task.fairness.and(&Fairness::global());
            advice.not_beside_global = asker.excludes(&both, &Formula::Atom(Expr::Bool(true)));
        }
        if !holds && let Some(replaced) = &check.replaced {
            let is_enough = addition::is_enough(&mut asker, replaced);
            advice.instead = is_enough.then(|| assumed(task.system(), replaced));
        }
        let doubtful = !task.fairness.alternatives.iter().any(Assumption::can_be_met);
        advice.no_fair_run = advice.declares
            && holds
            && doubtful
            && asker.excludes(&task.fairness, &Formula::Atom(Expr::Bool(true)));
        advice.surplus = if advice.no_fair_run {
            Surplus::default()
        } else if advice.declares && holds && climb.monotone {
            declared.surplus(&mut |fairness| match asker.ask(fairness) {
                AskResult::Holds => Reply::Holds,
                AskResult::Fails(_) => Reply::Fails(Levels::new()),
                AskResult::Unknown(limit) => Reply::Unknown(limit),
            })
        } else {
            Surplus { partial: advice.declares && holds, ..Surplus::default() }
        };
        self.find_brittle(&mut asker, &declared, &mut advice);
        advice.dispute = asker.dispute.take();
        if advice.ladder.verdicts.contains(&Verdict::Unknown)
            || advice.extent == Extent::Some
            || advice.surplus.partial
        {
            let is_said = |why: &Note| {
                let says = |note: &Note| match note {
                    Note::NotAllKnown(said) | Note::NotKnownUnder(_, said) => **said == *why,
                    _ => false,
                };
                advice.notes.iter().any(says)
            };
            let reason = asker.reason.take().filter(|why| !is_said(why));
            advice.notes.extend(reason.map(not_all));
        }
        tell(&advice);
        if advice.declares {
            advice.unrealisable = self.unrealisable(task, &declared, &mut advice.notes);
        }
        advice.finished = true;
        tell(&advice);
        advice
    }

    /// What is known of the claim of a property.
    fn known_of(&self, property: &Property) -> Option<&ClaimMemo> {
        let same = |(known, _): &&(Property, ClaimMemo)| known.claims_the_same_as(property);
        self.known.iter().find(same).map(|(_, known)| known)
    }

    /// Finds out what a claim needs. Calls `tell` with the ladder as soon as that is known.
    fn examine(&self, asker: &mut Asker<'_>, tell: &mut dyn FnMut(&Climb)) -> ClaimMemo {
        let finite = asker.task().subject.is_bounded();
        let climb = climb(asker, finite);
        tell(&climb);
        let mut known = ClaimMemo {
            needs: Needs::Unknown,
            minimal: Vec::new(),
            vacuous: Vec::new(),
            brittle: Vec::new(),
            extent: Extent::All,
            sound: Vec::new(),
            reasons: Vec::new(),
            choices: Vec::new(),
            counterexample: None,
            counterexample_scope: None,
            notes: Vec::new(),
            climb,
        };
        let monotone = known.climb.monotone;
        let verdict = |rung| known.climb.verdict(rung);
        let [none, strong, global] =
            [FairnessOption::None, FairnessOption::Strong, FairnessOption::Global].map(verdict);
        let found = known.climb.evidence.clone();
        let evidence = |rung: FairnessOption| {
            let found = found.iter().rev().find(|(of, _)| *of == rung);
            found.map(|(_, evidence)| Arc::clone(evidence))
        };
        match (none, strong, global) {
            (Verdict::Holds, ..) => {
                known.needs = Needs::Nothing;
                known.minimal = vec![Vec::new()];
                let premises = premise::all(&asker.task().property.kind);
                let excluded = premises.iter().find(|premise| asker.excludes(&Fairness::none(), premise));
                let system = asker.task().system();
                known.vacuous =
                    excluded.map(|premise| (0, plain::formula(system, premise))).into_iter().collect();
                let stutters = self.stuttering(asker);
                let refuted = stutters.is_some_and(|it| it.refutes(asker, &Fairness::none(), self.world));
                known.brittle.extend(refuted.then_some(0));
            }
            (_, strong, Verdict::Fails) if monotone && (finite || strong == Verdict::Fails) => {
                let under = if finite { FairnessOption::Global } else { FairnessOption::Strong };
                let found = evidence(under).or_else(|| evidence(FairnessOption::None));
                let why = found.as_deref().map_or(Hopeless::Run, |found| hopeless(asker.task(), found));
                // A run that is fair to all steps need not be the one that `global` allows.
                let differs = !finite && matches!(why, Hopeless::Run | Hopeless::Drift);
                known.needs = Needs::Hopeless(if differs { Hopeless::Drift } else { why });
                known.show(asker.task(), found);
            }
            (_, Verdict::Holds, _) if monotone => {
                known.show(asker.task(), evidence(FairnessOption::None));
                known.needs = Needs::Some;
                self.search(asker, &mut known);
            }
            (_, Verdict::Fails, Verdict::Holds) if monotone => {
                known.show(asker.task(), evidence(FairnessOption::Strong));
                known.needs = Needs::Global;
                known.minimal = vec![vec!["global".to_owned()]];
                known.vacuous =
                    excluded(asker, &Fairness::global()).map(|premise| (0, premise)).into_iter().collect();
            }
            (_, Verdict::Fails, _) if monotone => {
                known.show(asker.task(), evidence(FairnessOption::Strong));
                known.needs = Needs::More;
            }
            _ if !monotone => known.needs = Needs::Branching,
            _ => known.extent = Extent::Some,
        }
        let open: Vec<FairnessOption> = RUNGS[..6]
            .iter()
            .copied()
            .filter(|rung| known.climb.verdict(*rung) == Verdict::Unknown)
            .collect();
        if !open.is_empty() || known.extent == Extent::Some {
            let note = |why: Note| match open[..] {
                [rung] if known.extent != Extent::Some => Note::NotKnownUnder(rung, Box::new(why)),
                _ => not_all(why),
            };
            known.notes.extend(asker.reason.clone().map(note));
        }
        known
    }

    /// The minimal sets of requirements, as text, for a claim that holds under strong fairness of everything.
    fn search(&self, asker: &mut Asker<'_>, known: &mut ClaimMemo) {
        let system = Arc::clone(asker.task().system());
        let Some(candidates) = self.enough(asker, known) else { return };
        let evidence =
            known.climb.evidence.iter().filter_map(|(_, found)| reach(asker, &candidates.targets, found));
        let seeds = evidence.collect();
        let (found, extent) = minimal(asker, &candidates, &Fairness::none(), seeds, self.wanted.sets);
        let targets = &candidates.targets;
        known.extent = extent;
        let stuttering = self.stuttering(asker);
        let mut sets = Vec::new();
        for levels in &found {
            let assumed = fairness_of(&system, targets, levels);
            let excluded = excluded(asker, &assumed);
            let brittle = stuttering.is_some_and(|it| it.refutes(asker, &assumed, self.world));
            sets.push((chosen(targets, levels), excluded, brittle));
        }
        // First sound sets, then those that are enough only because nothing else moves, then those under which a premise
        // never happens.
        sets.sort_by_key(|(_, excluded, brittle)| (excluded.is_some(), *brittle));
        let owned = |(target, word): &(&Target, Word)| ((*target).clone(), *word);
        for (number, (set, excluded, brittle)) in sets.into_iter().enumerate() {
            if excluded.is_none() {
                known.sound.push(set.iter().map(owned).collect());
            }
            known.brittle.extend(brittle.then_some(number));
            known.minimal.push(declarations(&system, &set, targets));
            known.vacuous.extend(excluded.map(|premise| (number, premise)));
        }
        known.choices = reasons::choices(&system, &known.sound);
        if let Some(first) = known.sound.first() {
            known.reasons = reasons::reasons(asker, first, targets);
        }
        let Some(reload) = self.reload else { return };
        let name = &asker.task().property.name;
        let settings = &self.options.settings;
        let general = self.memo.general.clone();
        let confirmed = confirmed::confirmed(reload, settings, general, name, &known.minimal, self.world);
        for (assumption, confirmed) in known.minimal.iter().zip(confirmed) {
            let assumption = confirmed::declaration(assumption);
            match confirmed {
                Some(true) => {}
                Some(false) => known.notes.push(Note::NotConfirmed { declaration: assumption }),
                None => known.notes.push(Note::NotCheckedAgain { declaration: assumption }),
            }
        }
    }

    /// Candidates, the usual ones first, then more and more.
    fn stages(&self, asker: &Asker<'_>) -> Vec<Candidates> {
        let system = asker.task().system();
        let instance = asker.task().instance().filter(|_| !self.memo.asks_for_families());
        let kind = &asker.task().property.kind;
        let mut targets = targets(system, instance.map(|instance| &**instance), &asker.task().property);
        let names = &self.wanted.not_fair_to;
        targets.retain(|target| !names.iter().any(|name| target.is_named(system, name)));
        let disabling = || instance.map(|instance| rank::disabling(instance)).unwrap_or_default();
        let disabling = self.disabling.get_or_init(disabling);
        rank::stages(&targets, instance.map(|instance| &**instance), kind, disabling, self.wanted.fine)
    }

    /// The targets to choose from: the fewest kinds of them that are enough. `None` if it needs others, or if that is
    /// not known.
    fn enough(&self, asker: &mut Asker<'_>, known: &mut ClaimMemo) -> Option<Candidates> {
        let system = Arc::clone(asker.task().system());
        let mut stages = self.stages(asker);
        // Strong fairness of everything is known to be enough.
        let last = if self.wanted.not_fair_to.is_empty() { stages.pop() } else { None };
        for stage in stages {
            let highest = vec![STRONG; stage.targets.len()];
            match asker.ask(&fairness_of(&system, &stage.targets, &highest)) {
                AskResult::Holds => return Some(stage),
                AskResult::Fails(_) => known.needs = Needs::Excluded,
                AskResult::Unknown(_) => {
                    known.needs = Needs::Unknown;
                    known.extent = Extent::Some;
                }
            }
        }
        if last.is_some() {
            (known.needs, known.extent) = (Needs::Some, Extent::All);
        }
        last
    }

    /// The parts of a declared fairness that cannot be met from some reachable state.
    fn unrealisable(&self, task: &Task, declared: &Declared<'_>, notes: &mut Vec<Note>) -> Vec<Unrealisable> {
        // Where states are unbounded the search would seldom end.
        let Some(instance) = task.instance().filter(|_| task.subject.is_bounded()) else { return Vec::new() };
        let doubtful = declared.doubtful();
        if doubtful.is_empty() {
            return Vec::new();
        }
        let mut find_unrealisable = |requirement: String, fairness: Fairness| {
            let session = self.world.session().with_budget(REALISABLE);
            match self.explicit.unfair_state(&Task { fairness, ..task.clone() }, &session) {
                Ok(state) => {
                    let state = show::state(instance, &state?);
                    return Some(Unrealisable { requirement, state });
                }
                Err(Some(reason)) => notes.push(Note::CannotTellWhetherMet { requirement, reason }),
                // There is a fault, and the ladder reports it.
                Err(None) => {}
            }
            None
        };
        // Each can be met alone; all of them together may still be impossible.
        let together = doubtful.iter().all(|(_, fairness)| *fairness != task.fairness);
        let mut found: Vec<Unrealisable> = doubtful
            .into_iter()
            .filter_map(|(requirement, fairness)| find_unrealisable(requirement, fairness))
            .collect();
        if found.is_empty() && together {
            found.extend(find_unrealisable(assumed(task.system(), &task.fairness), task.fairness.clone()));
        }
        found
    }
}

/// Whether a process of this family may have to fail, because in some state it can do nothing else.
fn may_be_forced(asker: &mut Asker<'_>, family: FamilyId) -> bool {
    let Some(instance) = asker.task().instance().cloned() else { return true };
    !asker.is_true_without_fairness(never_forced(&instance, family))
}

/// A counterexample as it is shown.
fn shown(task: &Task, evidence: &Counterexample) -> Option<Arc<report::Counterexample>> {
    // The ledger of the assumption that was tried would not interest the user.
    let task = Task { fairness: Fairness::none(), ..task.clone() };
    evidence::counterexample(&task, evidence, None).map(Arc::new)
}

/// A premise of the property that never happens under a fairness.
fn excluded(asker: &mut Asker<'_>, fairness: &Fairness) -> Option<String> {
    let premises = premise::premises(&asker.task().property.kind);
    let excluded = premises.iter().find(|premise| asker.excludes(fairness, premise))?;
    Some(plain::formula(asker.task().system(), excluded))
}

/// The names of the actions of the environment: `User.change`.
fn environment(system: &System) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for action in system.actions.iter().filter(|action| system.is_environment(action)) {
        let party = |party: &Participant| format!("{}.{}", system.family(party.family).name, party.label);
        let name = action.participants.iter().map(party).collect::<Vec<_>>().join("+");
        // A process that only stutters is nobody.
        if action.update != Update::Skip && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The minimal levels of fairness to targets under which a claim holds, in addition to `present`. It holds under the
/// highest, and under none of `failing`.
fn minimal(
    asker: &mut Asker<'_>,
    candidates: &Candidates,
    present: &Fairness,
    failing: Vec<Levels>,
    set_limit: usize,
) -> (Vec<Levels>, Extent) {
    let targets = &candidates.targets;
    let system = Arc::clone(asker.task().system());
    let mut ask = |levels: &Levels, effort: Effort| {
        let fairness = present.and(&fairness_of(&system, targets, levels));
        let found = match effort {
            Effort::Full => asker.ask(&fairness),
            Effort::Probe => asker.probe(&fairness),
        };
        match found {
            AskResult::Holds => Reply::Holds,
            AskResult::Unknown(limit) => Reply::Unknown(limit),
            AskResult::Fails(evidence) => {
                let further = reach(asker, targets, &evidence);
                let further = further.filter(|further| hitting::is_at_most(levels, further));
                Reply::Fails(further.unwrap_or_else(|| levels.clone()))
            }
        }
    };
    let mut search = Search::new(candidates.costs(), &mut ask);
    search.failing = failing;
    search.holding.push(search.top());
    search.minimal(set_limit)
}

/// The fairness of a choice.
fn fairness_of(system: &System, targets: &[Target], levels: &Levels) -> Fairness {
    let chosen = chosen(targets, levels);
    Fairness::all_of(chosen.iter().flat_map(|(target, word)| target.requirements(system, *word)).collect())
}

/// The targets of a choice, with the word for each.
fn chosen<'t>(targets: &'t [Target], levels: &Levels) -> Vec<(&'t Target, Word)> {
    let word = |level: u8| match level {
        WEAK => Some(Word::Weak),
        STRONG => Some(Word::Strong),
        _ => None,
    };
    targets.iter().zip(levels).filter_map(|(target, level)| Some((target, word(*level)?))).collect()
}

/// The highest choice that evidence refutes, if it shows a run.
fn reach(asker: &Asker<'_>, targets: &[Target], evidence: &Counterexample) -> Option<Levels> {
    let (instance, evidence) = asker.located(evidence)?;
    match evidence {
        Counterexample::Lasso(lasso) => treatment(&instance, targets, lasso),
        _ => None,
    }
}

/// The note that a question was left open, and why.
fn not_all(reason: Note) -> Note {
    Note::NotAllKnown(Box::new(reason))
}

/// Why a counterexample refutes a property under every fairness.
fn hopeless(task: &Task, evidence: &Counterexample) -> Hopeless {
    if evidence::bad_prefix(task, evidence).is_some() {
        return Hopeless::Prefix;
    }
    match evidence {
        Counterexample::Lasso(lasso) => {
            let idle = lasso.positions[lasso.cycle..].iter().all(|position| position.label == Label::Idle);
            if idle { Hopeless::Deadlock } else { Hopeless::Run }
        }
        Counterexample::Path(_) | Counterexample::State(_) => Hopeless::State,
        Counterexample::Labelling(_) => match shown(task, evidence).map(|found| found.kind.clone()) {
            Some(report::Kind::Beginning) => Hopeless::Drift,
            _ => Hopeless::State,
        },
        Counterexample::Fault { .. } => Hopeless::Fault,
        Counterexample::Instance { evidence, .. } => hopeless(task, evidence),
    }
}
