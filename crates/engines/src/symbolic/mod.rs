//! Decides invariants, LTL and CTL on sets of states, each set a binary decision diagram [BCMDH92].
//!
//! The reachable states are found as one set. An invariant holds if no state of it violates it. For an LTL formula
//! the product with the automaton of the negation is searched for a fair region: the nested fixpoint for justice
//! and compassion, on steps instead of states. A CTL formula is labelled bottom up, its path quantifiers over fair
//! runs. Whatever is shown as evidence is found in rings of breadth-first search, so paths are short, and its
//! labels are asked of the reference semantics.
//!
//! **Faults.** With each expression its faults are computed as a set of states. If it meets the reachable ones, every
//! property fails, and the reference semantics says what happens in the nearest such state.
//!
//! The pieces, in the order of use: [`crate::claims`] looks at the task, [`crate::encoding`] places the cells, and with it
//! [`system`] turns the model into diagrams, [`reach`] finds the reachable states and shows runs, [`steps`] says what
//! fairness and property see of a step, [`fair`] looks for the fair region with the help of [`cycles`], [`global`] for
//! strongly globally fair runs, [`ctl`] labels states, and if a property holds, [`evidence`] and, for CTL, [`sure`] write
//! down why. The product with the automaton and the fixpoint belong to [`crate::regions`], diagrams themselves to
//! [`crate::bdd`].
//!
//! Operations recurse as deep as there are levels, so everything happens on a thread with a large stack. The
//! number of states does not matter; what matters is how regular the sets are. The answer, and the evidence, is the
//! same on every run: there is one thread.

mod ctl;
mod cycles;
mod evidence;
mod fair;
mod global;
mod reach;
mod steps;
mod sure;
mod system;

use std::sync::Arc;

use automata::{Automaton, lift, trim};
use model::answer::{Counterexample, Site};
use model::fairness::Assumption;
use model::initial::initial_states;
use model::note::Unrealisable;
use model::property::Kind;
use model::{
    ActionId, Answer, Ctl, Expr, Formula, Instance, Note, Proof, Refusal, Session, State, Task, Update,
    ground, show,
};

use self::ctl::Labelling;
use self::fair::fair_region;
use self::steps::{Meanings, Predicates};
use self::system::System;
use crate::bdd::{Bdd, Cells, Limits, Table};
use crate::branching::Sets;
use crate::claims::{Claims, wrong};
use crate::encoding::Stop;
use crate::encoding::expression::Expressions;
use crate::encoding::order::order;
use crate::encoding::ranges::instance;
use crate::encoding::update::choice_bits;
use crate::regions::{Demands, Product, Steps};
use crate::translation::{accepting_components, translated};
use crate::triggers::{note_vacuity, triggers};
use crate::turns::Turns;
use crate::{Engine, Prepared};

/// The stack of the thread that works, and what it has in addition per bit of a state.
const STACK: usize = 64 << 20;
const STACK_PER_BIT: usize = 4 << 10;

/// The usual limit on the parts of an update whose choices are unrolled.
const UNROLLED: usize = 1 << 11;

/// The symbolic engine.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// Whether to look, once a property holds, for triggers that never occur and for reachable states without
    /// a fair run.
    pub notes: bool,
    /// The most units of work to be done for evidence that a property holds; 0 if none is wanted.
    pub evidence: u64,
    /// How the table of nodes behaves.
    pub limits: Limits,
    /// Where the cells are placed.
    pub order: Order,
    /// Limit on the parts of an update whose choices of values are unrolled. Others have bits for what is chosen.
    pub unrolled: usize,
}

/// How the cells are placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// By who communicates with whom.
    Communication,
    /// At random, by this seed.
    Random(u64),
    /// Those of these names first, in this order from the top, then the others as the model has them.
    Named(Vec<String>),
}

impl Default for Symbolic {
    fn default() -> Symbolic {
        Symbolic {
            notes: true,
            evidence: u64::MAX,
            limits: Limits::default(),
            order: Order::Communication,
            unrolled: UNROLLED,
        }
    }
}

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Box<dyn Prepared + 't>, Refusal> {
        crate::branching::within_ctl(task)?;
        let (instance, domains) = instance(task)?;
        let order = match &self.order {
            Order::Communication => order(instance),
            Order::Random(seed) => shuffled(instance.cells.len(), *seed),
            Order::Named(names) => named(instance, names),
        };
        let cells = Cells::new(&domains, &order);
        let (engine, task, instance) = (self.clone(), task.clone(), Arc::clone(instance));
        let stack = STACK + STACK_PER_BIT * cells.bits();
        Ok(Box::new(Turns::new(stack, move |session: &Session<'_>| {
            let answer = engine.decide(&task, &instance, &cells, session);
            answer.unwrap_or_else(|stop| Answer::Unknown(stop.into()))
        })))
    }
}

/// An alternative of the fairness.
struct Assumed {
    /// What it demands.
    demands: Demands,
    /// Whether runs are strongly globally fair, too.
    global: bool,
}

/// A task as diagrams.
struct Setting<'s, 'a, 't> {
    task: &'s Task,
    session: &'s Session<'s>,
    system: &'s System<'a>,
    meanings: &'s Meanings<'s, 'a, 't>,
    alternatives: &'s [Assumption],
    reachable: Bdd,
}

impl Symbolic {
    fn decide(
        &self,
        task: &Task,
        instance: &Instance,
        cells: &Cells,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let actions = (0..instance.actions.len() as u32).map(ActionId);
        let updates: Vec<Update> =
            actions.map(|action| ground::update_within(instance, action, self.unrolled)).collect();
        let choices = updates.iter().map(choice_bits).max().unwrap_or(0);
        let table = Table::with_choices(cells.bits(), choices, self.limits, session);
        let expressions = Expressions::new(instance, &table, cells);
        let answer = self.decide_in(task, &expressions, &updates, session);
        table.report();
        match answer {
            Err(Stop::InitFault) => {
                // The fault to report is the first one in the order of enumeration.
                let fault = initial_states(instance).find_map(Result::err);
                let site = Site::Init;
                let fails = |fault| Ok(Answer::Fails(Counterexample::Fault { path: None, site, fault }));
                fault.map_or(Err(Stop::InitFault), fails)
            }
            other => other,
        }
    }

    fn decide_in(
        &self,
        task: &Task,
        expressions: &Expressions<'_>,
        updates: &[Update],
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let Expressions { instance, table, .. } = *expressions;
        let claims = Claims::new(task, instance);
        let predicates = Predicates::new(instance, claims.atoms(), &claims.alternatives);
        let kinds = predicates.kinds();
        let system = System::new(expressions, updates, &|action: ActionId| kinds[action.0 as usize].clone())?;
        let meanings = Meanings::new(expressions, &system, &predicates);
        let mut bad = table.or(&system.fault, &meanings.fault()?)?;
        if let Kind::Invariant(invariant) = &claims.kind {
            bad = table.or(&bad, &table.not(&meanings.steps(invariant)?.otherwise)?)?;
        }
        let is_bad = |states: &Bdd| Ok(!table.is_never(&table.and(states, &bad)?));
        let reachable = system.reachable(&is_bad)?;
        if let Some(states) = table.count(&reachable) {
            session.count("states", states);
        }
        if is_bad(&reachable)? {
            let found = wrong(&claims, &predicates.list, instance, system.path(&bad)?);
            return Ok(found.expect("the reference semantics sees the fault"));
        }
        let setting = Setting {
            task,
            session,
            system: &system,
            meanings: &meanings,
            alternatives: &claims.alternatives,
            reachable,
        };
        let mut answer = match &claims.kind {
            Kind::Invariant(_) => Answer::Holds(Proof::Exhaustive),
            Kind::Ltl(formula) => unless(setting.violation(formula)?),
            Kind::Never(never) => {
                let automaton = trim(never.automaton.with_atoms(never.atoms.clone()));
                if self.notes && automaton.initial.is_empty() {
                    session.note(Note::EmptyAutomaton { file: never.file.clone() });
                }
                unless(setting.accepted(&automaton, &[])?)
            }
            Kind::Ctl(formula) => setting.ctl(formula)?,
        };
        if self.notes && matches!(answer, Answer::Holds(_)) {
            setting.note();
        }
        if self.evidence > 0 && matches!(answer, Answer::Holds(_)) {
            match setting.evidence(self.evidence) {
                Ok(proof) => answer = Answer::Holds(Proof::Diagrams(Box::new(proof))),
                Err(why) => session.note(Note::Unchecked(why)),
            }
        }
        Ok(answer)
    }
}

impl Setting<'_, '_, '_> {
    /// A fair run that violates a ground formula, if there is one.
    fn violation(&self, formula: &Formula) -> Result<Option<Counterexample>, Stop> {
        // What the negated formula asks only of the long run needs no automaton.
        let (lifted, rest) = lift(&Formula::Not(Box::new(formula.clone())));
        self.accepted(&translated(&rest, self.session)?, &lifted)
    }

    /// A fair run that an automaton accepts and that meets further pairs of when and then, if there is one.
    fn accepted(
        &self,
        automaton: &Automaton,
        lifted: &[(Expr, Expr)],
    ) -> Result<Option<Counterexample>, Stop> {
        self.session.count("automaton states", automaton.states.len() as u64);
        let System { table, cells, diagrams, .. } = self.system;
        let atoms: Vec<Steps> =
            automaton.atoms.iter().map(|atom| self.meanings.steps(atom)).collect::<Result<_, _>>()?;
        let product = Product::new(table, cells, diagrams, automaton, &atoms)?;
        table.begin("product states");
        let states = product.reachable_within(&self.reachable)?;
        let mut further = Vec::new();
        for (when, then) in lifted {
            further.push(self.meanings.pair(when, then)?);
        }
        let components = accepting_components(automaton)?;
        for Assumed { mut demands, global } in self.demands()? {
            demands.of_steps.extend(further.iter().cloned());
            demands.marks = automaton.marks;
            for component in &components {
                let within = product.inside(&states, component);
                if global {
                    let found = self.accepted_globally(automaton, &product, (within, &states), &demands)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                    continue;
                }
                let region = fair_region(self.system, &product, within, &demands)?;
                if !product.is_nowhere(&region.sets) {
                    let lasso = self.system.lasso(&product, &region, &demands, &states)?;
                    return Ok(Some(Counterexample::Lasso(lasso)));
                }
            }
        }
        Ok(None)
    }

    /// Whether a ground formula is true in every initial state.
    fn ctl(&self, formula: &Ctl) -> Result<Answer, Stop> {
        let alternatives = self.demands()?;
        let labelling = Labelling::new(self.system, &self.reachable, self.meanings, &alternatives);
        self.system.table.begin("labelling");
        let states = labelling.states(formula)?;
        let violating = self.system.table.minus(&self.system.diagrams.initial, &states)?;
        if self.system.table.is_never(&violating) {
            return Ok(Answer::Holds(Proof::Exhaustive));
        }
        // Where a formula says something of all runs, one run may refute it. That there is one is not certain, and the
        // verdict stands without.
        let lasso = formula.of_all_runs().and_then(|linear| self.violation(&linear).ok().flatten());
        let path =
            || formula.everywhere().and_then(|claim| self.exception(&labelling, &claim).ok().flatten());
        let state = || Counterexample::State(self.system.pick(&violating));
        Ok(Answer::Fails(lasso.or_else(path).unwrap_or_else(state)))
    }

    /// A path to a state of some fair run in which a formula is false, if there is one.
    fn exception(
        &self,
        labelling: &Labelling<'_, '_, '_>,
        claim: &Ctl,
    ) -> Result<Option<Counterexample>, Stop> {
        let table = self.system.table;
        let exceptions = table.minus(labelling.fair()?, &labelling.states(claim)?)?;
        if table.is_never(&exceptions) {
            return Ok(None);
        }
        Ok(Some(Counterexample::Path(self.system.path(&exceptions)?)))
    }

    /// What each alternative of the fairness demands.
    fn demands(&self) -> Result<Vec<Assumed>, Stop> {
        let mut all = Vec::new();
        for alternative in self.alternatives {
            let mut of_steps = Vec::new();
            for requirement in &alternative.requirements {
                of_steps.push(self.meanings.demand(requirement)?);
            }
            let demands = Demands { of_steps, marks: 0 };
            all.push(Assumed { demands, global: alternative.global });
        }
        Ok(all)
    }

    /// Says what a property that holds leaves unsaid. The verdict stands even if a limit is reached here.
    fn note(&self) {
        let (table, session) = (self.system.table, self.session);
        if table.is_never(&self.system.diagrams.initial) {
            session.note(Note::NoInitialState);
            return;
        }
        let triggers = triggers(self.system.instance, &self.task.property.kind);
        let occurs = |number: usize| self.occurs(&triggers[number].predicate).unwrap_or(true);
        note_vacuity(&triggers, &occurs, session);
        match self.state_without_a_fair_run() {
            Ok(None) => {}
            Ok(Some(state)) => {
                let shown = show::state(self.system.instance, &state);
                session.note(Note::Unrealisable(Unrealisable::From(shown)));
            }
            Err(_) => session.note(Note::RealisabilityUnknown { limit: true }),
        }
    }

    /// Whether a predicate is true of some step.
    fn occurs(&self, predicate: &Expr) -> Result<bool, Stop> {
        let table = self.system.table;
        let steps = self.meanings.steps(predicate)?;
        for (number, group) in self.system.diagrams.groups.iter().enumerate() {
            let sources = table.and(&self.reachable, &group.enabled)?;
            if !table.is_never(&table.and(&sources, steps.of(number))?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A reachable state from which no fair run begins, if there is one.
    fn state_without_a_fair_run(&self) -> Result<Option<State>, Stop> {
        if self.alternatives.is_empty() || self.alternatives.iter().any(Assumption::can_be_met) {
            return Ok(None);
        }
        let alternatives = self.demands()?;
        let labelling = Labelling::new(self.system, &self.reachable, self.meanings, &alternatives);
        let without = self.system.table.minus(&self.reachable, labelling.fair()?)?;
        Ok((!self.system.table.is_never(&without)).then(|| self.system.pick(&without)))
    }
}

/// A property holds unless there is a counterexample.
fn unless(counterexample: Option<Counterexample>) -> Answer {
    counterexample.map_or(Answer::Holds(Proof::Exhaustive), Answer::Fails)
}

/// The numbers below `count` in an order that a seed decides.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = seed;
    for end in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(end, (state >> 33) as usize % (end + 1));
    }
    order
}

/// The cells with these names, then the others.
fn named(instance: &Instance, names: &[String]) -> Vec<usize> {
    let place = |cell: &usize| {
        let name = &instance.cells[*cell].name;
        names.iter().position(|known| known == name).unwrap_or(names.len())
    };
    let mut order: Vec<usize> = (0..instance.cells.len()).collect();
    order.sort_by_key(place);
    order
}
