//! Evidence for CTL formulas about some runs: sets of states that are sure of the parts of a formula.
//!
//! [`model::proof::sure`] says what is written down and why it proves the formula. The labelling ([`super::ctl`]) knows
//! where each part is true; those are the sets. What is missing are the reasons. *Moves* are found by going
//! backward from a goal, one action and one way to resolve its choices at a time, until everything is reached. *Havens*
//! are found by a search of its own: begin with all states in question, and drop those from which `then` of a requirement
//! cannot be reached, until it can be reached from all that remain. What was dropped may be a haven that avoids
//! `when` of that requirement, so it is searched too, without the steps that satisfy `when`. A fair strong component
//! is never cut in two by this: it is dropped as a whole, and then it has no such step. For a negated `EG`, what the search
//! for fair states removes is recorded as for formulas of linear time ([`super::evidence`]).

use std::collections::HashMap;
use std::rc::Rc;

use model::instance::Environment;
use model::note::Unchecked;
use model::proof::sure::{Claim, Haven, Move, Sure, claims};
use model::proof::{self, Builder};
use model::property::Kind;
use model::{ActionId, Core, StopReason, ground};

use super::ctl::Labelling;
use super::evidence::{Allowance, Removed, Written};
use super::global;
use super::{Assumed, Setting};
use crate::bdd::{Bdd, Relation};
use crate::branching::Sets as _;
use crate::encoding::Stop;
use crate::encoding::update::{branches, relation, writes};
use crate::regions::{Demand, Product, Region, Steps};

/// The most ways to resolve the choices of an action.
const WAYS: usize = 4096;
/// The most havens of one claim.
const HAVENS: usize = 64;

/// The steps of an action in one way.
pub(super) struct OneWay {
    pub(super) action: usize,
    pub(super) way: usize,
    pub(super) group: usize,
    pub(super) relation: Relation,
}

/// A move before it is written.
struct FoundMove {
    from: Bdd,
    action: usize,
    way: usize,
    meets: bool,
}

/// Per requirement, or without one, the moves that lead to what it asks for.
type FoundGoals = Vec<(Option<usize>, Vec<FoundMove>)>;

/// A haven before it is written. Requirements are numbered as in the demands of its alternative.
struct FoundHaven {
    alternative: usize,
    avoided: Vec<usize>,
    set: Bdd,
    goals: FoundGoals,
}

/// A sure set before it is written.
pub(super) struct FoundSure {
    set: Bdd,
    parts: Vec<Bdd>,
    moves: Vec<FoundMove>,
    havens: Vec<FoundHaven>,
    inner: Bdd,
    removals: Vec<Vec<Removed>>,
}

/// Finds the reasons of all claims.
struct Finder<'f, 's, 'a, 't> {
    setting: &'f Setting<'s, 'a, 't>,
    labelling: Labelling<'f, 's, 'a>,
    product: Product<'s, 'a>,
    alternatives: &'f [Assumed],
    allowance: &'f Allowance<'f>,
    ways: Vec<OneWay>,
    /// Where formulas are true.
    known: HashMap<Core, Bdd>,
}

impl Setting<'_, '_, '_> {
    /// Why the CTL formula of the task is true.
    pub(super) fn sure(&self, allowance: &Allowance<'_>) -> Result<Vec<FoundSure>, Unchecked> {
        let Kind::Ctl(formula) = &self.task.property.kind else { return Ok(Vec::new()) };
        let formula = Core::of(&ground::ctl(self.system.instance, formula, &mut Environment::default()));
        // Invariant: `within_ctl` has refused everything else.
        let claims = claims(&formula, self.task.fairness.is_none()).expect("a formula of CTL");
        let found = self.demands().and_then(|alternatives| {
            let labelling = Labelling::new(self.system, &self.reachable, self.meanings, &alternatives);
            self.system.table.begin("writing down why it holds");
            let mut finder = Finder {
                setting: self,
                labelling,
                product: self.system.alone(),
                alternatives: &alternatives,
                allowance,
                ways: self.ways()?,
                known: HashMap::new(),
            };
            claims.iter().map(|claim| finder.claim(claim)).collect::<Result<Vec<_>, _>>()
        });
        found.map_err(|stop| match stop {
            Stop::Stopped(StopReason::Work) if !allowance.is_left() => Unchecked::Work,
            Stop::TooLarge(_) => Unchecked::Ways,
            _ => Unchecked::Limit,
        })
    }

    /// All actions in all ways, and `idle`.
    pub(super) fn ways(&self) -> Result<Vec<OneWay>, Stop> {
        let (system, expressions) = (self.system, self.meanings.expressions);
        let mut all = Vec::new();
        for (group, members) in system.groups.iter().enumerate() {
            for id in &members.actions {
                let updates = ground::ways(system.instance, *id, WAYS)
                    .ok_or_else(|| Stop::TooLarge("an action can go too many different ways".to_owned()))?;
                for (way, update) in updates.iter().enumerate() {
                    let (branches, _) = branches(expressions, update, &system.guards[id.0 as usize])?;
                    let written = writes(&branches);
                    let parts = branches.iter().map(|branch| relation(expressions, branch, &written));
                    let predicate = system.table.any(parts.collect::<Result<_, _>>()?)?;
                    let bits = written.iter().flat_map(|cell| system.cells.bits_of(*cell)).collect();
                    let ActionId(action) = *id;
                    let relation = Relation::new(predicate, bits);
                    all.push(OneWay { action: action as usize, way, group, relation });
                }
            }
        }
        let idle = system.groups.len() - 1;
        let relation = system.diagrams.groups[idle].copy().relation;
        all.push(OneWay { action: system.instance.actions.len(), way: 0, group: idle, relation });
        Ok(all)
    }
}

impl Finder<'_, '_, '_, '_> {
    /// The reachable states where a formula is true.
    fn truth(&mut self, formula: &Core) -> Result<Bdd, Stop> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        self.allowance.check()?;
        let truth = match formula {
            Core::Atom(atom) => self.labelling.atom(atom)?,
            Core::Not(a) => {
                let a = self.truth(a)?;
                self.labelling.not(&a)?
            }
            Core::And(parts) | Core::Or(parts) => {
                let is_and = matches!(formula, Core::And(_));
                let all = self.labelling.all();
                let mut set = if is_and { all } else { self.labelling.not(&all)? };
                for part in parts {
                    let part = self.truth(part)?;
                    set = if is_and {
                        self.labelling.and(&set, &part)?
                    } else {
                        self.labelling.or(&set, &part)?
                    };
                }
                set
            }
            Core::Next(a) => {
                let a = self.truth(a)?;
                self.labelling.next(&a)?
            }
            Core::Until(a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                self.labelling.until(&a, &b)?
            }
            Core::Globally(a) if proof::sure::is_true(a) => self.labelling.fair()?.clone(),
            Core::Globally(a) => {
                let a = self.truth(a)?;
                self.labelling.globally(&a)?
            }
            Core::Infinitely(_) => unreachable!("refused by `within_ctl`"),
        };
        self.known.insert(formula.clone(), truth.clone());
        Ok(truth)
    }

    /// The reachable states where a formula is true, or where it is false.
    fn side(&mut self, formula: &Core, sign: bool) -> Result<Bdd, Stop> {
        let truth = self.truth(formula)?;
        if sign { Ok(truth) } else { self.labelling.not(&truth) }
    }

    fn claim(&mut self, (formula, sign): &Claim) -> Result<FoundSure, Stop> {
        let table = self.setting.system.table;
        let set = self.side(formula, *sign)?;
        let mut parts = match formula {
            Core::Until(a, b) => vec![self.side(a, *sign)?, self.side(b, *sign)?],
            Core::Next(a) | Core::Globally(a) => vec![self.side(a, *sign)?],
            _ => Vec::new(),
        };
        let nothing = table.never();
        let (mut moves, mut havens, mut removals) = (Vec::new(), Vec::new(), Vec::new());
        let mut inner = nothing.clone();
        match (formula, *sign) {
            _ if table.is_never(&set) => {}
            (Core::Globally(_), true) => {
                let mut goal = nothing.clone();
                for alternative in 0..self.alternatives.len() {
                    self.havens(alternative, &set, &mut goal, &mut havens)?;
                }
                moves = self.moves(goal, &set, &[])?;
            }
            (Core::Globally(_), false) => {
                let within = table.minus(&set, &parts[0])?;
                for alternative in self.alternatives {
                    removals.push(self.removals(alternative, within.clone())?);
                }
            }
            (Core::Next(_), true) => {
                parts[0] = table.and(&parts[0], self.labelling.fair()?)?;
                moves = self.single_moves(&parts[0], &set)?;
            }
            (_, true) => {
                parts[1] = table.and(&parts[1], self.labelling.fair()?)?;
                moves = self.moves(parts[1].clone(), &set, &[])?;
            }
            (Core::Next(_), false) => {}
            (_, false) => inner = table.minus(&set, &parts[0])?,
        }
        Ok(FoundSure { set, parts, moves, havens, inner, removals })
    }

    /// Moves that lead in one step from all of a set to a goal.
    fn single_moves(&self, goal: &Bdd, set: &Bdd) -> Result<Vec<FoundMove>, Stop> {
        let table = self.setting.system.table;
        let (mut moves, mut left) = (Vec::new(), set.clone());
        for OneWay { action, way, relation, .. } in &self.ways {
            let from = table.and(&left, &table.preimage(goal, relation)?)?;
            if !table.is_never(&from) {
                left = table.minus(&left, &from)?;
                moves.push(FoundMove { from, action: *action, way: *way, meets: false });
            }
        }
        Ok(moves)
    }

    /// Moves that lead from all of a set to a goal, through the set, without the steps of each group from some states.
    fn moves(&self, goal: Bdd, set: &Bdd, barred: &[Bdd]) -> Result<Vec<FoundMove>, Stop> {
        let table = self.setting.system.table;
        let (mut moves, mut reached) = (Vec::new(), goal);
        loop {
            let mut left = table.minus(set, &reached)?;
            if table.is_never(&left) {
                return Ok(moves);
            }
            let before = moves.len();
            for OneWay { action, way, group, relation } in &self.ways {
                let mut from = table.and(&left, &table.preimage(&reached, relation)?)?;
                if let Some(barred) = barred.get(*group) {
                    from = table.minus(&from, barred)?;
                }
                if !table.is_never(&from) {
                    reached = table.or(&reached, &from)?;
                    left = table.minus(&left, &from)?;
                    moves.push(FoundMove { from, action: *action, way: *way, meets: false });
                }
            }
            self.allowance.check()?;
            assert!(moves.len() > before, "a path leads to the goal");
        }
    }

    /// Adds havens of an alternative from which every state of a set can be reached, if the alternative has them. `covered`
    /// are the states of all havens.
    fn havens(
        &self,
        alternative: usize,
        set: &Bdd,
        covered: &mut Bdd,
        havens: &mut Vec<FoundHaven>,
    ) -> Result<(), Stop> {
        let table = self.setting.system.table;
        let Assumed { demands, global } = &self.alternatives[alternative];
        let start = if *global {
            let bottoms = global::inside(self.setting.system, self.labelling.bottoms()?, set)?;
            global::meeting(self.setting.system, &bottoms, demands)?
        } else {
            set.clone()
        };
        let mut pending = vec![(start, Vec::new())];
        while let Some((set_here, avoided)) = pending.pop() {
            self.allowance.check()?;
            let within = Region::of(vec![set.clone()]);
            if table.is_subset(set, &self.product.backward(&vec![covered.clone()], &within)?[0])? {
                return Ok(());
            }
            let barred = self.barred(demands.of_steps.iter().enumerate(), &avoided)?;
            let region = |set: &Bdd| Region {
                sets: vec![set.clone()],
                relations: Rc::default(),
                barred: Rc::new(if barred.is_empty() { Vec::new() } else { vec![barred.clone()] }),
            };
            let mut here = set_here;
            'smaller: loop {
                here = self.going_on(&region, here)?;
                for (number, Demand { when, then }) in demands.of_steps.iter().enumerate() {
                    if avoided.contains(&number) {
                        continue;
                    }
                    let part = region(&here);
                    let goal = self.product.sources(&part, then)?;
                    let reached = self.product.backward(&goal, &part)?.remove(0);
                    if reached != here {
                        if when.is_some() {
                            let more = avoided.iter().copied().chain([number]).collect();
                            pending.insert(0, (table.minus(&here, &reached)?, more));
                        }
                        here = reached;
                        continue 'smaller;
                    }
                }
                break;
            }
            if table.is_never(&here) {
                continue;
            }
            if havens.len() == HAVENS {
                return Err(Stop::TooLarge("there are too many sets in which runs stay".to_owned()));
            }
            *covered = table.or(covered, &here)?;
            let goals = self.goals(demands.of_steps.iter(), &avoided, &here, &barred)?;
            havens.push(FoundHaven { alternative, avoided, set: here, goals });
        }
        Ok(())
    }

    /// Per group, the states from which steps satisfy `when` of a demand that is avoided; nothing if none is avoided.
    fn barred<'d>(
        &self,
        demands: impl Iterator<Item = (usize, &'d Demand)>,
        avoided: &[usize],
    ) -> Result<Vec<Bdd>, Stop> {
        let table = self.setting.system.table;
        let whens: Vec<&Steps> = demands
            .filter(|(number, _)| avoided.contains(number))
            .filter_map(|(_, demand)| demand.when.as_ref())
            .collect();
        if whens.is_empty() {
            return Ok(Vec::new());
        }
        let of = |group| table.any(whens.iter().map(|when| when.of(group).clone()).collect());
        Ok((0..self.setting.system.groups.len()).map(of).collect::<Result<_, _>>()?)
    }

    /// The states of a set from which steps can stay in it for ever.
    fn going_on(&self, region: &dyn Fn(&Bdd) -> Region, mut set: Bdd) -> Result<Bdd, Stop> {
        let table = self.setting.system.table;
        loop {
            let part = region(&set);
            let mut before = Vec::new();
            for group in 0..self.setting.system.groups.len() {
                before.push(self.product.before(0, group, &set, &part)?);
            }
            let next = table.any(before)?;
            self.allowance.check()?;
            if next == set {
                return Ok(set);
            }
            set = next;
        }
    }

    /// How a run in a haven meets each requirement that it does not avoid.
    fn goals<'d>(
        &self,
        demands: impl Iterator<Item = &'d Demand>,
        avoided: &[usize],
        haven: &Bdd,
        barred: &[Bdd],
    ) -> Result<FoundGoals, Stop> {
        let table = self.setting.system.table;
        let met = demands.enumerate().filter(|(number, _)| !avoided.contains(number));
        let mut wanted: Vec<(Option<usize>, Steps)> =
            met.map(|(number, demand)| (Some(number), demand.then.clone())).collect();
        if wanted.is_empty() {
            wanted.push((None, Steps::all(table)));
        }
        let mut goals = Vec::new();
        for (number, then) in wanted {
            let (mut moves, mut reached) = (Vec::new(), table.never());
            for OneWay { action, way, group, relation } in &self.ways {
                let left = table.and(&table.minus(haven, &reached)?, then.of(*group))?;
                let mut from = table.and(&left, &table.preimage(haven, relation)?)?;
                if let Some(barred) = barred.get(*group) {
                    from = table.minus(&from, barred)?;
                }
                if !table.is_never(&from) {
                    reached = table.or(&reached, &from)?;
                    moves.push(FoundMove { from, action: *action, way: *way, meets: true });
                }
            }
            moves.extend(self.moves(reached, haven, barred)?);
            goals.push((number, moves));
        }
        Ok(goals)
    }

    /// What is removed because no fair run stays in a set.
    fn removals(&self, alternative: &Assumed, within: Bdd) -> Result<Vec<Removed>, Stop> {
        let ways = if alternative.global { &self.ways[..] } else { &[] };
        self.setting.removed(&self.product, vec![within], &alternative.demands, ways, self.allowance)
    }
}

impl FoundSure {
    /// As it stands in a proof.
    pub(super) fn written(
        &self,
        setting: &Setting<'_, '_, '_>,
        written: &mut Written<'_, '_>,
        builder: &mut Builder,
    ) -> Sure {
        let requirements: Vec<Vec<(usize, Vec<i64>, model::Requirement)>> = setting
            .task
            .fairness
            .alternatives
            .iter()
            .map(|alternative| ground::requirements(setting.system.instance, alternative))
            .collect();
        let demand = |alternative: usize, number: usize| {
            let (number, values, _) = &requirements[alternative][number];
            proof::Demand::Requirement { number: *number, values: values.clone() }
        };
        let mut moves = |moves: &[FoundMove]| -> Vec<Move> {
            let mut all = Vec::new();
            for FoundMove { from, action, way, meets } in moves {
                let from = written.set(builder, from);
                all.push(Move { from, action: *action, way: *way, meets: *meets });
            }
            all
        };
        let own_moves = moves(&self.moves);
        let mut goals = Vec::new();
        for haven in &self.havens {
            let goal = |(of, by): &(Option<usize>, Vec<FoundMove>)| {
                (of.map(|number| demand(haven.alternative, number)), moves(by))
            };
            goals.push(haven.goals.iter().map(goal).collect());
        }
        let mut havens = Vec::new();
        for (haven, goals) in self.havens.iter().zip(goals) {
            havens.push(Haven {
                alternative: haven.alternative,
                avoided: haven.avoided.iter().map(|number| demand(haven.alternative, *number)).collect(),
                set: written.set(builder, &haven.set),
                goals,
            });
        }
        let mut eliminations = Vec::new();
        for (alternative, removals) in self.removals.iter().enumerate() {
            let write = |removed: &Removed| removed.written(&requirements[alternative], 1, written, builder);
            eliminations.push(removals.iter().map(write).collect());
        }
        Sure {
            set: written.set(builder, &self.set),
            parts: self.parts.iter().map(|part| written.set(builder, part)).collect(),
            moves: own_moves,
            havens,
            inner: written.set(builder, &self.inner),
            eliminations,
        }
    }
}
