//! Decides liveness of many processes by looking at one at a time [CN08], [CNS10].
//!
//! The global state space is never built. Of each process only the class of its local state is exposed, at first as little
//! as the property and the other processes see of it; [`abstraction`] has the system of shared cells and classes, whose
//! runs are more than the real ones. If none of them is fair and violates the property, it holds, and the search for
//! one leaves a proof. Otherwise a violating abstract run is judged, process by process: it is real, and the property
//! fails; or some process has no path of local states along it, which says what to expose.
//!
//! **Variants.** All violating runs of one abstract system are sought (B), in which the processes of the property are
//! exposed; or, for each process in turn, those in which it takes infinitely many steps (A), since in every run some process
//! does, or the system idles, which counts as a step of the first process. A is B with one more demand.
//!
//! **Few processes first.** A violating run, real or spurious, seldom needs many processes that move. So each round first
//! looks for one in which only the processes of the property and a few others change anything, and the others take
//! only steps that change nothing that is exposed: a part of the abstract system, found at a cost that hardly depends on
//! the number of processes. Only if there is none is the whole searched, and there the proof comes from.
//!
//! **Faults and invariants** are a matter of reachable abstract states: where something may be wrong the path to it is
//! judged in the same way.
//!
//! The pieces, in the order of use: [`sharing`] says what is local and what is seen, [`behaviour`] lists the local states
//! of a process and its moves, [`abstraction`] joins them, [`fair`] looks for fair runs in the product with the automaton
//! ([`crate::regions`]), [`feasible`] judges one by the [`strand`] of each process and what they do in [`meetings`], [`expose`] turns what it says into
//! finer classes, [`proof`] writes down why there is none, in the few words of [`concise`].
//!
//! Every round exposes something new of finitely many local states, so there are finitely many rounds; a round costs as
//! much as symbolic model checking of the abstract system, which is small as long as little is exposed.

mod abstraction;
mod behaviour;
mod concise;
mod exchange;
mod expose;
mod fair;
mod feasible;
mod meetings;
mod proof;
mod sharing;
mod strand;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::answer::{Counterexample, Site};
use model::fairness::Assumption;
use model::initial::initial_states;
use model::note::Unrealisable;
use model::property::Kind;
use model::semantics;
use model::system::Scalar;
use model::{
    ActionId, Answer, Automaton, Declared, Expr, Instance, Label, Note, Position, Proof, Refusal,
    RefusalKind, Session, State, Task, VariableId, show, tableau,
};

use self::abstraction::{Abstraction, kinds, layout, seen_values};
use self::behaviour::{Locals, Partition, Tuple, listed};
use self::exchange::{Twins, alike};
use self::expose::Exposure;
use self::fair::{Subjects, fair_region};
use self::feasible::{Cut, Judge, Judged};
use self::proof::Writer;
use self::sharing::{Demanded, Sharing};
use crate::bdd::{Cells, Limits, Table};
use crate::claims::{Claims, wrong};
use crate::encoding::Stop;
use crate::encoding::expression::Expressions;
use crate::encoding::order::{Uses, order};
use crate::encoding::ranges;
use crate::regions::walk::{Walk, Walker};
use crate::regions::{self, Demand, Demands, Product, Region, Sets, Steps};
use crate::translation::accepting_components;
use crate::triggers::{note_vacuity, triggers};
use crate::turns::Turns;
use crate::{Engine, Prepared};

/// The stack of the thread that works, and what it has in addition per bit of a state.
const STACK: usize = 64 << 20;
const STACK_PER_BIT: usize = 4 << 10;
/// The greatest number of processes for which a proof is made smaller, and says more than is needed to check it.
const SHOWN: usize = 16;
/// What the time of each round is reported as; of late ones, only that of the longest.
const ROUND: [&str; 9] = [
    "round 1 (ms)",
    "round 2 (ms)",
    "round 3 (ms)",
    "round 4 (ms)",
    "round 5 (ms)",
    "round 6 (ms)",
    "round 7 (ms)",
    "round 8 (ms)",
    "longest later round (ms)",
];
/// The most nodes of a set of states at one distance from the start. With larger sets a path is found in another way, and may
/// not be a shortest one.
const RING: usize = 1000;
/// So many nodes per bit are no reason to change the order.
const NODES_PER_BIT: usize = 400;
/// How many processes that the property does not speak of move in the first look for a counterexample.
const NEAR: usize = 2;
/// By how much work is multiplied once the abstract system has been refined. What needs no refinement is proved here faster
/// than by any other engine; what needs some is often easier for others.
const PRICE_OF_REFINEMENT: u64 = 2;

/// The local engine.
#[derive(Clone, Debug)]
pub struct Local {
    /// Which runs are sought.
    pub variant: Variant,
    /// Whether what is exposed of one process is exposed of all of its family.
    pub symmetry: bool,
    /// How the table of nodes behaves.
    pub limits: Limits,
}

/// Which abstract runs are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The engine decides.
    Auto,
    /// For each process, those in which it takes infinitely many steps.
    A,
    /// All.
    B,
}

impl Default for Local {
    fn default() -> Local {
        Local { variant: Variant::Auto, symmetry: true, limits: Limits::default() }
    }
}

impl Engine for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let (instance, domains) = accepted(task)?;
        let stack = STACK + STACK_PER_BIT * 64 * instance.cells.len();
        let (engine, task, instance) = (self.clone(), task.clone(), Arc::clone(instance));
        Ok(Box::new(Turns::new(stack, move |session: &Session<'_>| {
            let answer = engine.decide(&task, &instance, &domains, session);
            answer.unwrap_or_else(|stop| Answer::Unknown(stop.into()))
        })))
    }
}

/// The instance and the least and greatest value of each cell, or why the method does not apply.
fn accepted(task: &Task) -> Result<(&Arc<Instance>, ranges::Domains), Refusal> {
    if matches!(task.property.kind, Kind::Ctl(_)) {
        return Err(Refusal::about(Declared::Property(task.property.name.clone()), RefusalKind::Ctl));
    }
    let variables = (0..).map(VariableId).zip(&task.system().variables);
    if let Some((id, _)) = variables.into_iter().find(|(_, variable)| variable.kind.scalar == Scalar::Int) {
        return Err(Refusal::about(Declared::Variable(id), RefusalKind::Unbounded));
    }
    let (instance, domains) = ranges::instance(task)?;
    if !matches!(task.property.kind, Kind::Invariant(_))
        && task.fairness.alternatives.iter().any(|assumption| assumption.global)
    {
        return Err(Refusal::of(RefusalKind::Global));
    }
    if instance.processes.len() < 2 {
        return Err(Refusal::of(RefusalKind::OneProcess));
    }
    if Sharing::new(instance).hides_nothing() {
        return Err(Refusal::of(RefusalKind::NothingLocal));
    }
    Ok((instance, domains))
}

/// What all attempts at one task share.
struct Setting<'s> {
    engine: &'s Local,
    session: &'s Session<'s>,
    task: &'s Task,
    claims: &'s Claims,
    sharing: &'s Sharing<'s>,
    domains: &'s [(i64, i64)],
    /// The cells from the top of the diagrams to the bottom.
    order: &'s [usize],
    /// The processes whose moves often suffice for a counterexample, and the others by how much they share with them.
    near: (BTreeSet<usize>, Vec<usize>),
    locals: &'s [Locals],
    /// Per meeting, the tuples of local states in which something may be done.
    tuples: &'s [Vec<Tuple>],
    /// The requirements of each alternative.
    demanded: &'s [Vec<Demanded>],
    kinds: &'s [usize],
    /// Which processes can be exchanged.
    alike: Vec<Option<usize>>,
    /// What must not be accepted; none for an invariant.
    automaton: Option<&'s Automaton>,
    /// The components of the automaton in which runs can be accepting.
    components: &'s [Vec<u32>],
    /// Whether the user has been told what never occurs.
    noted: Cell<bool>,
}

/// How an abstract system fared.
enum Attempt {
    /// It has no run that violates the property.
    Proved,
    Answered(Answer),
    /// Something must be exposed first.
    Spurious(Cut),
}

impl Local {
    fn decide(
        &self,
        task: &Task,
        instance: &Instance,
        domains: &[(i64, i64)],
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let claims = Claims::new(task, instance);
        let mut sharing = Sharing::new(instance);
        for atom in claims.atoms() {
            let plain = sharing.plain(atom);
            sharing.look(&plain, &[]);
        }
        let demanded: Vec<Vec<Demanded>> =
            claims.alternatives.iter().map(|alternative| sharing.demanded(alternative)).collect();
        let automaton = match &claims.kind {
            Kind::Invariant(_) => None,
            kind => Some(tableau::violations(instance, kind).ok_or_else(|| {
                Stop::TooLarge("the automaton of the property is too large for a local proof".to_owned())
            })?),
        };
        let components = automaton.as_ref().map(accepting_components).transpose()?.unwrap_or_default();
        let kinds = kinds(&sharing, &claims.atoms(), &demanded);
        let order = order(instance);
        let (locals, tuples) = local_states(&sharing, domains, &order, self.limits, session)?;
        session
            .count("local states", locals.iter().map(|locals| locals.states.len() as u64).max().unwrap_or(0));
        let setting = Setting {
            engine: self,
            session,
            task,
            claims: &claims,
            sharing: &sharing,
            domains,
            order: &order,
            near: near(&sharing, &claims.atoms()),
            locals: &locals,
            tuples: &tuples,
            demanded: &demanded,
            kinds: &kinds,
            alike: alike(&sharing, &locals, &claims.atoms(), &demanded),
            automaton: automaton.as_ref(),
            components: &components,
            noted: Cell::new(false),
        };
        match setting.refined() {
            Err(Stop::InitFault) => {
                // The fault to report is the first one in the order of enumeration.
                let fault = initial_states(instance).find_map(Result::err);
                let site = Site::Init;
                fault.map_or(Err(Stop::InitFault), |fault| {
                    Ok(Answer::Fails(Counterexample::Fault { path: None, site, fault }))
                })
            }
            other => other,
        }
    }
}

/// The processes that the property speaks of, or the first, and the others by how many cells they share with them.
fn near(sharing: &Sharing<'_>, atoms: &[&Expr]) -> (BTreeSet<usize>, Vec<usize>) {
    let mut near = expose::spoken_of(sharing, atoms).unwrap_or_default();
    if near.is_empty() {
        near.insert(0);
    }
    let mut common = vec![0usize; sharing.own.len()];
    for users in Uses::new(sharing.instance).users.iter().filter(|users| !users.is_disjoint(&near)) {
        users.iter().for_each(|process| common[*process] += 1);
    }
    let mut others: Vec<usize> = (0..common.len()).filter(|process| !near.contains(process)).collect();
    others.sort_by_key(|process| Reverse(common[*process]));
    (near, others)
}

/// The local states of every process, and the tuples of each meeting.
fn local_states(
    sharing: &Sharing<'_>,
    domains: &[(i64, i64)],
    order: &[usize],
    limits: Limits,
    session: &Session<'_>,
) -> Result<(Vec<Locals>, Vec<Vec<Tuple>>), Stop> {
    /// Only guards and updates are written down here.
    const ENTRIES: u64 = 1 << 14;
    let cells = Cells::new(domains, order);
    let table = Table::new(cells.bits(), Limits { entries: ENTRIES, ..limits }, session);
    listed(sharing, &Expressions::new(sharing.instance, &table, &cells))
}

impl Setting<'_> {
    /// Refines the abstract system until it says something.
    fn refined(&self) -> Result<Answer, Stop> {
        let (atoms, live) = (self.claims.atoms(), self.automaton.is_some());
        let mut exposure =
            Exposure::new(self.sharing, self.locals, &atoms, self.demanded, live, self.engine.symmetry);
        let mut writer = Writer::new(self.sharing, self.locals);
        // Variant A has a case per process, variant B one for all.
        let cases: Vec<Option<usize>> = match (self.engine.variant, self.automaton) {
            (Variant::A, Some(_)) => (0..self.locals.len()).map(Some).collect(),
            _ => vec![None],
        };
        let (mut rounds, mut attempts) = (0u64, 0);
        let mut answer = None;
        for case in &cases {
            loop {
                let partitions = exposure.partitions(*case);
                let begin = (self.session.clock)();
                let price = if rounds == 0 { 1 } else { PRICE_OF_REFINEMENT };
                let attempt = self.attempt(&partitions, *case, price, &mut writer)?;
                let time = (self.session.clock)().saturating_sub(begin).as_millis();
                self.session.count(ROUND[attempts.min(ROUND.len() - 1)], time.try_into().unwrap_or(u64::MAX));
                attempts += 1;
                match attempt {
                    Attempt::Proved => break,
                    Attempt::Answered(found) => {
                        answer = Some(found);
                        break;
                    }
                    Attempt::Spurious(cut) => {
                        rounds += 1;
                        exposure.expose(&cut, &partitions, self.demanded)?;
                    }
                }
            }
            if answer.is_some() {
                break;
            }
        }
        if answer.is_none() && cases == [None] {
            self.prune(&mut exposure, &mut writer);
        }
        if answer.is_none() && self.automaton.is_some() {
            self.note_realisability();
        }
        self.session.count("refinements", rounds);
        let variant = if matches!(cases[..], [None]) { "B" } else { "A" };
        self.session.note(exposure.report(variant, rounds));
        Ok(answer.unwrap_or_else(|| Answer::Holds(Proof::Local(Box::new(writer.finish())))))
    }

    /// Whether a proof is for people: of few processes.
    fn shows(&self) -> bool {
        self.locals.len() <= SHOWN
    }

    /// Takes back what the proof does not need. A proof of many processes stays as it is: each attempt costs as much as
    /// finding it did.
    fn prune<'s>(&self, exposure: &mut Exposure<'s>, writer: &mut Writer<'s>)
    where
        Self: 's,
    {
        if !self.shows() {
            return;
        }
        let mut number = 0;
        while exposure.count() > 1 && number < exposure.count() {
            let fewer = exposure.without(number);
            let mut draft = writer.fresh();
            // The proof that there is stands, whatever stops this attempt.
            if let Ok(Attempt::Proved) = self.attempt(&fewer.partitions(None), None, 1, &mut draft) {
                *exposure = fewer;
                *writer = draft;
            } else {
                number += 1;
            }
        }
    }

    /// Searches one abstract system; its work is counted at this price.
    fn attempt(
        &self,
        partitions: &[Partition],
        case: Option<usize>,
        price: u64,
        writer: &mut Writer<'_>,
    ) -> Result<Attempt, Stop> {
        let cells = layout(self.sharing, self.domains, self.order, partitions);
        let limits = Limits { price, ..self.limits(&cells) };
        let table = Table::new(cells.bits(), limits, self.session);
        let base = Expressions::new(self.sharing.instance, &table, &cells);
        let expressions = base.given(seen_values(self.sharing, self.locals, partitions, &table, &cells)?);
        let system = self.abstraction(partitions, &expressions)?;
        let mut attempt = Attempt::Proved;
        if let Some(active) = self.near(case) {
            attempt = self.attempt_in(&system.moved_by(&active)?, case, None)?;
        }
        if matches!(attempt, Attempt::Proved) {
            attempt = self.attempt_in(&system, case, Some(writer))?;
        }
        table.report();
        Ok(attempt)
    }

    fn abstraction<'a>(
        &'a self,
        partitions: &'a [Partition],
        expressions: &'a Expressions<'a>,
    ) -> Result<Abstraction<'a>, Stop> {
        Abstraction::new(self.sharing, self.locals, self.tuples, partitions, expressions, self.kinds)
    }

    /// How the table of an abstract system behaves. The order of its bits is a good one where there are many processes, so
    /// these may have some nodes each before it is given up.
    fn limits(&self, cells: &Cells) -> Limits {
        let limits = self.engine.limits;
        Limits { sift_from: limits.sift_from.max(NODES_PER_BIT * cells.bits()), ..limits }
    }

    /// The processes that move in the first look for a counterexample; nothing if that is everybody.
    fn near(&self, case: Option<usize>) -> Option<BTreeSet<usize>> {
        let (near, others) = &self.near;
        let mut near: BTreeSet<usize> = near.iter().copied().chain(case).collect();
        let others: Vec<usize> = others.iter().copied().filter(|other| !near.contains(other)).collect();
        near.extend(others.into_iter().take(NEAR));
        (near.len() < self.locals.len()).then_some(near)
    }

    /// Searches one abstract system; with a writer, writes down why there is nothing to be found.
    fn attempt_in(
        &self,
        system: &Abstraction<'_>,
        case: Option<usize>,
        mut writer: Option<&mut Writer<'_>>,
    ) -> Result<Attempt, Stop> {
        let table = system.table;
        let mut wrongs = vec![system.fault.clone()];
        for atom in self.claims.atoms() {
            let (steps, fault) = system.exact(atom)?;
            wrongs.push(fault);
            if matches!(self.claims.kind, Kind::Invariant(_)) {
                wrongs.push(table.not(&steps.otherwise)?);
            }
        }
        let mut alternatives = Vec::new();
        for demanded in self.demanded {
            let mut demands = Vec::new();
            for demanded in demanded {
                let (demand, fault) = system.demand(demanded)?;
                wrongs.push(fault);
                demands.push(demand);
            }
            alternatives.push(demands);
        }
        let bad = table.any(wrongs)?;
        if !table.is_never(&bad) || self.shows() {
            let product = system.alone();
            table.begin("abstract states");
            let reachable = product.reachable()?;
            let met = vec![table.and(&reachable[0], &bad)?];
            if !product.is_nowhere(&met) {
                return self.judge_path(system, &product, &met, &reachable);
            }
            if let Some(writer) = &mut writer {
                writer.invariant(system, &reachable[0], self.shows())?;
            }
        }
        match self.automaton {
            None => Ok(Attempt::Proved),
            Some(automaton) => self.emptiness(system, automaton, &alternatives, case, writer),
        }
    }

    /// Judges a path to a state where something may be wrong.
    fn judge_path(
        &self,
        system: &Abstraction<'_>,
        product: &Product<'_, '_>,
        goal: &Sets,
        reachable: &Sets,
    ) -> Result<Attempt, Stop> {
        let walk = Walker { product, ring: RING }.path(goal, reachable)?;
        let judge = Judge::new(system, product, &walk, &[], true, self.session);
        let predicates = self.predicates();
        let instance = self.sharing.instance;
        let is_wrong = |actions: Option<&[ActionId]>, state: &State| match actions {
            None => match &self.claims.kind {
                Kind::Invariant(invariant) => {
                    semantics::state_predicate(instance, invariant, state) != Ok(true)
                }
                _ => false,
            },
            Some(actions) => self.faults(actions, state, &predicates),
        };
        Ok(match judge.path(&is_wrong) {
            Judged::Spurious(cut) => Attempt::Spurious(cut),
            Judged::Real(path) => {
                let wrong = wrong(self.claims, &predicates, instance, path);
                Attempt::Answered(wrong.ok_or_else(inconclusive)?)
            }
            Judged::Unclear => return Err(inconclusive()),
        })
    }

    /// Whether one of these actions, or a predicate of the task when it is taken, faults in a state.
    fn faults(&self, actions: &[ActionId], state: &State, predicates: &[(&Expr, Site)]) -> bool {
        let instance = self.sharing.instance;
        let fault = |action: &ActionId| semantics::successors(instance, state, *action).is_err();
        let enabled = |action: &&ActionId| semantics::enabled(instance, state, **action) == Ok(true);
        let labels = actions.iter().filter(enabled).map(|action| Label::Action(*action)).chain([Label::Idle]);
        actions.iter().any(fault)
            || labels.into_iter().any(|label| {
                let position = Position { state: state.clone(), label };
                let fault = |(predicate, _): &(&Expr, Site)| {
                    semantics::step_predicate(instance, predicate, &position).is_err()
                };
                predicates.iter().any(fault)
            })
    }

    /// The predicates of the task that may fault, and where they stand.
    fn predicates(&self) -> Vec<(&Expr, Site)> {
        let atoms = self.claims.atoms().into_iter().map(|atom| (atom, Site::Property));
        let requirements = self.claims.alternatives.iter().flat_map(|alternative| &alternative.requirements);
        let requirements = requirements.filter(|requirement| requirement.of.is_none());
        let sides = requirements.flat_map(|requirement| [&requirement.when, &requirement.then]);
        atoms.chain(sides.map(|side| (side, Site::Fairness))).collect()
    }

    /// Looks for a fair run that the automaton accepts.
    fn emptiness(
        &self,
        system: &Abstraction<'_>,
        automaton: &Automaton,
        alternatives: &[Vec<Demand>],
        case: Option<usize>,
        writer: Option<&mut Writer<'_>>,
    ) -> Result<Attempt, Stop> {
        let table = system.table;
        let product = system.with(automaton)?;
        table.begin("abstract states");
        let reachable = product.reachable()?;
        let class = case.map(|process| {
            let idle = system.groups.len() - 1;
            let is_in = |group: &usize| {
                let of = &system.groups[*group].processes;
                of.contains(&process) || (of.is_empty() && process == 0)
            };
            let at: BTreeMap<_, _> = (0..=idle).filter(is_in).map(|group| (group, table.always())).collect();
            Ok::<_, Stop>(Demand { when: None, then: Steps::new(table, table.never(), at)? })
        });
        let class = class.transpose()?;
        let mut written = Vec::new();
        for (number, demands) in alternatives.iter().enumerate() {
            let about = self.demanded[number].iter().map(|demanded| demanded.about).collect();
            let twins = self.twins(system, case, &self.demanded[number]);
            let subjects = Subjects { about, twins };
            let of_steps = demands.iter().chain(&class).cloned().collect();
            let demands = Demands { of_steps, marks: automaton.marks };
            let mut parts = Vec::new();
            for component in self.components {
                let within = product.inside(&reachable, component);
                let (region, events) =
                    fair_region(system, &product, within, &demands, &subjects, writer.is_some())?;
                if !product.is_nowhere(&region.sets) {
                    let walker = Walker { product: &product, ring: RING };
                    let walk = walker.lasso(&region, &demands, &reachable)?;
                    return self.judge_lasso(system, &product, &walk, &self.demanded[number]);
                }
                parts.push((component.clone(), events));
            }
            written.push((number, parts));
        }
        let Some(writer) = writer else { return Ok(Attempt::Proved) };
        if !self.noted.replace(true) {
            self.note_vacuity(system);
        }
        for (number, parts) in written {
            writer.case(self.task, system, number, case, &reachable, &parts);
        }
        Ok(Attempt::Proved)
    }

    /// The demands that exchanges turn into one another, where what is looked for tells no other process apart.
    fn twins(&self, system: &Abstraction<'_>, case: Option<usize>, demanded: &[Demanded]) -> Twins {
        if !self.engine.symmetry {
            return Twins::default();
        }
        let is_apart = |process: usize| system.apart.contains(&process) || Some(process) == case;
        let alike: Vec<Option<usize>> = (self.alike.iter().enumerate())
            .map(|(process, kind)| kind.filter(|_| !is_apart(process)))
            .collect();
        Twins::new(demanded, &alike, system.partitions)
    }

    fn judge_lasso(
        &self,
        system: &Abstraction<'_>,
        product: &Product<'_, '_>,
        walk: &Walk,
        demanded: &[Demanded],
    ) -> Result<Attempt, Stop> {
        for waiting in [true, false] {
            match Judge::new(system, product, walk, demanded, waiting, self.session).lasso()? {
                Judged::Real(lasso) => {
                    return Ok(Attempt::Answered(Answer::Fails(Counterexample::Lasso(lasso))));
                }
                Judged::Spurious(cut) => return Ok(Attempt::Spurious(cut)),
                Judged::Unclear => {}
            }
        }
        Err(inconclusive())
    }

    /// Says whether some reachable state has no fair run. Where that is not plain from the words, all local states of few
    /// processes are told apart for it; of many processes it is not known.
    fn note_realisability(&self) {
        if self.claims.alternatives.iter().any(Assumption::can_be_met) {
            return;
        }
        if !self.shows() {
            self.session.note(Note::RealisabilityUnknown { limit: false });
            return;
        }
        match self.state_without_a_fair_run() {
            Ok(None) => {}
            Ok(Some(state)) => {
                let shown = show::state(self.sharing.instance, &state);
                self.session.note(Note::Unrealisable(Unrealisable::From(shown)));
            }
            Err(_) => self.session.note(Note::RealisabilityUnknown { limit: true }),
        }
    }

    /// A reachable state from which no fair run begins, if there is one.
    fn state_without_a_fair_run(&self) -> Result<Option<State>, Stop> {
        let singles = |locals: &Locals| Partition::by(locals.states.len(), |state| state);
        let partitions: Vec<Partition> = self.locals.iter().map(singles).collect();
        let cells = layout(self.sharing, self.domains, self.order, &partitions);
        let table = Table::new(cells.bits(), self.engine.limits, self.session);
        let base = Expressions::new(self.sharing.instance, &table, &cells);
        let expressions = base.given(seen_values(self.sharing, self.locals, &partitions, &table, &cells)?);
        let system = self.abstraction(&partitions, &expressions)?;
        let product = system.alone();
        table.begin("abstract states");
        let everywhere = Region::of(product.reachable()?);
        let mut without = everywhere.sets[0].clone();
        for demanded in self.demanded {
            let mut of_steps = Vec::new();
            for demanded in demanded {
                of_steps.push(system.demand(demanded)?.0);
            }
            let demands = Demands { of_steps, marks: 0 };
            let region = regions::fair::region(&product, everywhere.sets.clone(), &demands)?;
            let with = product.backward(&region.sets, &everywhere)?;
            without = table.minus(&without, &with[0])?;
        }
        Ok(table.pick(&without).map(|bits| system.concrete(&cells.decode(&bits))))
    }

    /// Says which triggers of the property never occur. One that the abstract system excludes never does.
    fn note_vacuity(&self, system: &Abstraction<'_>) {
        let triggers = triggers(self.sharing.instance, &self.task.property.kind);
        let occurs = |number: usize| {
            let Ok((steps, _)) = system.exact(&triggers[number].predicate) else { return true };
            let may = |(group, steps_of): (usize, &regions::Group)| {
                let both = system.table.and(&steps_of.enabled, steps.of(group));
                both.map_or(true, |both| !system.table.is_never(&both))
            };
            system.diagrams.groups.iter().enumerate().any(may)
        };
        note_vacuity(&triggers, &occurs, self.session);
    }
}

fn inconclusive() -> Stop {
    Stop::Inconclusive
}
