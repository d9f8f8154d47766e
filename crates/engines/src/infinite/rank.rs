//! Shows that no fair run stays in a set of steps, by removing steps that can happen only finitely often.
//!
//! The steps are those of the edges inside a set of states. They are split into strong components of places. For a
//! component we search for a linear ranking function per place that no step increases and some step decreases while
//! it is not negative. Such steps happen finitely often and are removed; then components are computed anew. This
//! builds lexicographic ranking functions one component at a time [ADFG10]. Fairness is a further way to remove
//! steps: if no step left in a component satisfies `then` of a requirement, those that satisfy its `when` happen
//! finitely often in a fair run and are removed. A prophecy variable for how often `when` will still happen, chosen
//! anew at every `then`, would be a ranking function for the same steps under the same condition. Removing the steps
//! needs no such variable, so none can be shared between subformulas by mistake [CKP15]. Steps after which none of those that
//! are left can be taken are removed too ([`trim`](super::trim)): they lead into states that a requirement has just excluded.
//!
//! [Farkas' lemma](super::farkas) gives the coefficients for conjunctions. Guards may have disjunctions, so
//! conjunctions that imply them are added one by one, each from a model of a step that refutes the last ranking
//! function. If no single function makes progress, we try nested ones for the whole component [LH15], and then
//! functions without a bound: if a step always decreases a function, the function is negative from some point on, and
//! that narrows the steps for the next search. If all of that fails, we search for a condition that no step makes
//! false: from some point on it is always true or always false, and the steps of the two cases are removed separately
//! ([`cases`](super::cases)). At last, places are split by conditions, so that a function has several pieces
//! ([`pieces`](super::pieces)).

use std::collections::{BTreeMap, BTreeSet};

use arith::{Linear, Overflow, Var};
use smt::Formula;

use super::cases::{Distinction, distinction};
use super::farkas::{Function, Template, Unknowns, difference, independent, never_negative, solved, sum};
use super::oracles::{Oracles, Satisfiability, Stop, unless_overflow};
use super::pieces::in_pieces;
use super::trim::{Trimmed, trimmed};
use crate::graph::scc::Components;

/// An edge inside a set of states.
#[derive(Clone, Debug)]
pub(super) struct RestrictedEdge {
    /// The edge it comes from.
    pub(super) edge: usize,
    pub(super) source: usize,
    pub(super) target: usize,
    /// The condition under which it can be taken, over data and chosen integers.
    pub(super) guard: Formula,
    /// Changed cells with their next values.
    pub(super) update: BTreeMap<Var, Linear>,
    /// Per requirement, whether it satisfies `when` and not `then`.
    pub(super) when: Vec<bool>,
    /// Per requirement, whether it satisfies `then`.
    pub(super) then: Vec<bool>,
}

/// Removes steps.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// A ranking function: per place, terms each inside of a set; it is 0 everywhere else.
    Rank(BTreeMap<usize, Vec<(Formula, Linear)>>),
    /// Nested ranking functions at these places.
    Nested(Vec<usize>, Vec<Function>),
    /// A requirement, inside of a set at each of these places.
    Requirement(BTreeMap<usize, Formula>, usize),
}

impl Argument {
    /// A ranking function inside a set.
    fn rank(function: Function, within: &Formula) -> Argument {
        let inside = |(place, term)| (place, vec![(within.clone(), term)]);
        Argument::Rank(function.into_iter().map(inside).collect())
    }
}

/// The result of a ranking.
pub(super) struct Ranked {
    pub(super) arguments: Vec<Argument>,
    /// Components of steps that are left, each strongly connected; none if the proof is complete.
    pub(super) stuck: Vec<Vec<RestrictedEdge>>,
}

/// The greatest number of nested functions.
const NESTED: usize = 4;

/// The greatest number of functions that become negative one after the other.
const PHASES: usize = 6;

/// The greatest depth of case distinctions.
const CASES: usize = 3;

/// The greatest number of corrections of a wrong ranking function.
const CORRECTIONS: usize = 40;

/// Removes steps as long as single functions and requirements allow it.
pub(super) fn rank(
    steps: Vec<RestrictedEdge>,
    places: usize,
    oracles: &mut Oracles<'_>,
) -> Result<Ranked, Stop> {
    exhaust(steps, places, Depth::Shallow, oracles)
}

/// Arguments that remove all steps of a stuck component, with nested functions and phases, then with case distinctions, and
/// then with functions in pieces.
pub(super) fn rank_deeper(
    component: &[RestrictedEdge],
    places: usize,
    oracles: &mut Oracles<'_>,
) -> Result<Option<Vec<Argument>>, Stop> {
    for depth in [Depth::Phases, Depth::Cases] {
        // Coefficients may grow with every phase until they overflow. Then this attempt fails.
        let ranked = unless_overflow(exhaust(component.to_vec(), places, depth, oracles).map(Some))?;
        if let Some(ranked) = ranked.filter(|ranked| ranked.stuck.is_empty()) {
            return Ok(Some(ranked.arguments));
        }
    }
    unless_overflow(in_pieces(component, places, oracles))
}

/// A function that is not negative and that every one of these steps decreases.
pub(super) fn falling(steps: &[RestrictedEdge], oracles: &mut Oracles<'_>) -> Result<Option<Function>, Stop> {
    if steps.is_empty() {
        return Ok(Some(Function::new()));
    }
    let functions = Search::new(steps, oracles.cells()).nested(1, oracles)?;
    Ok(functions.and_then(|functions| functions.into_iter().next()))
}

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Single functions and requirements.
    Shallow,
    /// Also nested functions and phases.
    Phases,
    /// Also case distinctions and phases.
    Cases,
    /// Also phases.
    Pieces,
}

/// Steps that are left, and what is known about runs that from some point on take only these.
struct Left {
    steps: Vec<RestrictedEdge>,
    /// The functions that are negative.
    phases: Vec<Function>,
    /// The conditions that stay true.
    cases: Vec<Formula>,
    /// How often steps were narrowed to those that can go on.
    trims: usize,
}

/// Removes steps. A search deeper than single functions ends at the first component that is stuck.
pub(super) fn exhaust(
    steps: Vec<RestrictedEdge>,
    places: usize,
    depth: Depth,
    oracles: &mut Oracles<'_>,
) -> Result<Ranked, Stop> {
    let mut ranked = Ranked { arguments: Vec::new(), stuck: Vec::new() };
    let mut pending = vec![Left { steps, phases: Vec::new(), cases: Vec::new(), trims: 0 }];
    while let Some(Left { steps, phases, cases, trims }) = pending.pop() {
        let within = Formula::and(cases.iter().cloned());
        oracles.check_limits()?;
        let (order, components) = components(steps, places);
        if order.values().collect::<BTreeSet<_>>().len() > 1 {
            let order = order.iter().map(|(place, number)| (*place, Linear::constant(*number as i128)));
            ranked.arguments.push(Argument::rank(order.collect(), &within));
        }
        for component in components {
            let (phases, cases) = (phases.clone(), cases.clone());
            match reduce(component, depth, &phases, &cases, trims, oracles)? {
                Reduced::Function(function, steps) => {
                    ranked.arguments.push(Argument::rank(function, &within));
                    pending.extend((!steps.is_empty()).then_some(Left { steps, phases, cases, trims }));
                }
                Reduced::Trimmed(Trimmed { going, steps, narrowed }) => {
                    let one = |states| vec![(Formula::and([within.clone(), states]), Linear::constant(1))];
                    let going = going.into_iter().map(|(place, states)| (place, one(states)));
                    ranked.arguments.push(Argument::Rank(going.collect()));
                    let trims = trims + usize::from(narrowed);
                    pending.extend((!steps.is_empty()).then_some(Left { steps, phases, cases, trims }));
                }
                Reduced::Nested(places, functions) => {
                    ranked.arguments.push(Argument::Nested(places, functions));
                }
                Reduced::Requirement(places, requirement, steps) => {
                    let places = places.into_iter().map(|place| (place, within.clone()));
                    ranked.arguments.push(Argument::Requirement(places.collect(), requirement));
                    pending.extend((!steps.is_empty()).then_some(Left { steps, phases, cases, trims }));
                }
                Reduced::Phase(function, steps) => {
                    ranked.arguments.push(Argument::rank(function.clone(), &within));
                    let phases = phases.into_iter().chain([function]).collect();
                    pending.push(Left { steps, phases, cases, trims });
                }
                Reduced::Cases(places, Distinction { condition, inside, outside }) => {
                    // First the case that the condition is false, then the case that it is true.
                    let one = places.iter().map(|place| (*place, Linear::constant(1))).collect();
                    let first = Formula::and([within.clone(), condition.negated()]);
                    ranked.arguments.push(Argument::rank(one, &first));
                    for (steps, case) in [(inside, condition.clone()), (outside, condition.negated())] {
                        let cases = cases.iter().cloned().chain([case]).collect();
                        pending.push(Left { steps, phases: phases.clone(), cases, trims });
                    }
                }
                Reduced::Stuck(component) => {
                    ranked.stuck.push(component);
                    if depth != Depth::Shallow {
                        return Ok(ranked);
                    }
                }
            }
        }
    }
    Ok(ranked)
}

/// The places of steps, in increasing order.
pub(super) fn places_of(steps: &[RestrictedEdge]) -> Vec<usize> {
    let places: BTreeSet<usize> = steps.iter().flat_map(|step| [step.source, step.target]).collect();
    places.into_iter().collect()
}

/// A number per place that no step increases and that steps between components decrease; and the steps of each
/// component.
fn components(
    steps: Vec<RestrictedEdge>,
    places: usize,
) -> (BTreeMap<usize, usize>, Vec<Vec<RestrictedEdge>>) {
    let used = places_of(&steps);
    let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); places];
    steps.iter().for_each(|step| leaving[step.source].push(step.target as u32));
    let mut number: BTreeMap<usize, usize> = BTreeMap::new();
    let roots: Vec<u32> = used.iter().map(|place| *place as u32).collect();
    let mut count = 0;
    // Components are found successors first, so the numbers decrease along steps that leave one.
    let found = Components::new(places).search(
        &roots,
        |place, targets: &mut Vec<u32>| targets.extend(&leaving[place as usize]),
        || Ok(()),
        |component| {
            component.nodes.iter().for_each(|place| {
                number.insert(*place as usize, count);
            });
            count += 1;
            Ok(())
        },
    );
    found.expect("the search is never stopped");
    let mut inside: BTreeMap<usize, Vec<RestrictedEdge>> = BTreeMap::new();
    for step in steps {
        if number[&step.source] == number[&step.target] {
            inside.entry(number[&step.source]).or_default().push(step);
        }
    }
    (number, inside.into_values().collect())
}

enum Reduced {
    /// By a ranking function; these steps are left.
    Function(Function, Vec<RestrictedEdge>),
    /// By leaving out what cannot go on.
    Trimmed(Trimmed),
    /// By nested functions at these places; no step is left.
    Nested(Vec<usize>, Vec<Function>),
    /// By a requirement at these places; these steps are left.
    Requirement(Vec<usize>, usize, Vec<RestrictedEdge>),
    /// By a condition at these places that never becomes false; the steps where it is true and where it is not.
    Cases(Vec<usize>, Distinction),
    /// By a ranking function without a bound, which is negative from now on; these steps are left.
    Phase(Function, Vec<RestrictedEdge>),
    Stuck(Vec<RestrictedEdge>),
}

/// Removes some steps of a strong component. `phases` are the functions that are already negative, `cases` the
/// conditions that were distinguished, `trims` how often steps were narrowed.
fn reduce(
    component: Vec<RestrictedEdge>,
    depth: Depth,
    phases: &[Function],
    cases: &[Formula],
    trims: usize,
    oracles: &mut Oracles<'_>,
) -> Result<Reduced, Stop> {
    let requirements = component.first().map_or(0, |step| step.when.len());
    for requirement in 0..requirements {
        let then = component.iter().any(|step| step.then[requirement]);
        let when = component.iter().any(|step| step.when[requirement]);
        if when && !then {
            let places = places_of(&component);
            let rest = component.into_iter().filter(|step| !step.when[requirement]).collect();
            return Ok(Reduced::Requirement(places, requirement, rest));
        }
    }
    let mut search = Search::new(&component, oracles.cells());
    for _ in 0..CORRECTIONS {
        let Some(function) = search.function(oracles)? else { break };
        let (mut sound, mut corrected) = (true, false);
        let (mut rest, mut gone) = (Vec::new(), false);
        let mut staying = Vec::new();
        for (number, step) in component.iter().enumerate() {
            let difference = step.difference(&function)?;
            match search.examine(number, &Formula::at_most(&difference.successor()), oracles)? {
                Examined::Impossible => {}
                Examined::Corrected => (sound, corrected) = (false, true),
                Examined::Possible => sound = false,
            }
            let going = Formula::and([
                Formula::at_most(&difference.opposite().successor()),
                Formula::at_most(&function[&step.source].opposite()),
            ]);
            if oracles.is_empty(&Formula::and([step.guard.clone(), going.clone()]))? {
                rest.push(step.clone());
                staying.push((number, going));
                continue;
            }
            match search.examine(number, &going.negated(), oracles)? {
                Examined::Impossible => gone = true,
                outcome => {
                    corrected |= matches!(outcome, Examined::Corrected);
                    rest.push(RestrictedEdge {
                        guard: Formula::and([step.guard.clone(), going.negated()]),
                        ..step.clone()
                    });
                }
            }
        }
        if sound && gone {
            return Ok(Reduced::Function(function, rest));
        }
        if sound {
            // A step that should be removed is not: too few conjunctions of its guard are known.
            for (number, going) in staying {
                corrected |=
                    matches!(search.examine(number, &going.negated(), oracles)?, Examined::Corrected);
            }
        }
        if !corrected {
            break;
        }
    }
    // Without requirements, steps that cannot go on are those of a ranking function.
    if depth != Depth::Pieces
        && requirements > 0
        && let Some(trimmed) = trimmed(&component, trims, oracles)?
    {
        return Ok(Reduced::Trimmed(trimmed));
    }
    match depth {
        Depth::Shallow => return Ok(Reduced::Stuck(component)),
        Depth::Phases => {
            for depth in 2..=NESTED {
                if let Some(functions) = search.nested(depth, oracles)? {
                    return Ok(Reduced::Nested(places_of(&component), functions));
                }
            }
        }
        Depth::Cases if cases.len() < CASES => {
            if let Some(found) = distinction(&component, oracles)? {
                return Ok(Reduced::Cases(places_of(&component), found));
            }
        }
        Depth::Cases | Depth::Pieces => {}
    }
    if phases.len() < PHASES
        && let Some((function, rest)) = search.phase(phases, oracles)?
    {
        return Ok(Reduced::Phase(function, rest));
    }
    Ok(Reduced::Stuck(component))
}

impl RestrictedEdge {
    /// `f(s) - f(s')`.
    fn difference(&self, function: &Function) -> Result<Linear, Overflow> {
        let after = function[&self.target].replaced(&|var| self.update.get(&var))?;
        function[&self.source].plus(-1, &after)
    }
}

/// The search for the coefficients of ranking functions of one component.
struct Search<'c> {
    component: &'c [RestrictedEdge],
    places: Vec<usize>,
    /// The cells a function may mention.
    cells: Vec<Var>,
    /// Per step, conjunctions that imply its guard.
    cubes: Vec<Vec<Vec<Formula>>>,
}

/// The result of testing whether something bad is possible on a step.
enum Examined {
    Impossible,
    /// It is possible, and a new conjunction that shows it was added.
    Corrected,
    /// It is possible, or not known to be impossible.
    Possible,
}

impl<'c> Search<'c> {
    fn new(component: &'c [RestrictedEdge], cells: usize) -> Search<'c> {
        // Only cells that guards mention, or that flow into those, can help a function.
        let mut relevant: BTreeSet<Var> = BTreeSet::new();
        component.iter().for_each(|step| step.guard.collect_vars(&mut relevant));
        loop {
            let before = relevant.len();
            for (var, term) in component.iter().flat_map(|step| &step.update) {
                if relevant.contains(var) {
                    relevant.extend(term.terms().iter().map(|(var, _)| *var));
                }
            }
            if relevant.len() == before {
                break;
            }
        }
        let cells = relevant.into_iter().filter(|var| (var.0 as usize) < cells).collect();
        let cubes = component.iter().map(|step| conjunction(&step.guard).into_iter().collect()).collect();
        Search { component, places: places_of(component), cells, cubes }
    }

    /// Tests whether `bad` is possible on a step. If it is, adds a conjunction that the functions so far do not
    /// consider.
    fn examine(&mut self, number: usize, bad: &Formula, oracles: &mut Oracles<'_>) -> Result<Examined, Stop> {
        let guard = &self.component[number].guard;
        match oracles.find(&Formula::and([guard.clone(), bad.clone()]))? {
            Satisfiability::Unsatisfiable => Ok(Examined::Impossible),
            Satisfiability::Unknown => Ok(Examined::Possible),
            Satisfiability::Model(model) => {
                let cube = guard.implicant(&|var| model.value(var))?;
                if self.cubes[number].contains(&cube) {
                    return Ok(Examined::Possible);
                }
                self.cubes[number].push(cube);
                Ok(Examined::Corrected)
            }
        }
    }

    /// A function that no step increases and that some step decreases while it is not negative, as far as the known
    /// conjunctions of guards show.
    fn function(&self, oracles: &mut Oracles<'_>) -> Result<Option<Function>, Stop> {
        let mut unknowns = Unknowns::default();
        let templates = self.templates(&mut unknowns);
        let mut system = Vec::new();
        let mut progress = Vec::new();
        for (step, cubes) in self.component.iter().zip(&self.cubes) {
            let decrease = Linear::var(unknowns.fresh());
            system.push(Formula::AtMost(decrease.opposite()));
            system.push(Formula::AtMost(decrease.shifted(-1)?));
            let difference = difference(step, &templates)?;
            let mut goes = vec![Formula::AtMost(decrease.opposite().successor())];
            for cube in cubes {
                let mut strict = difference.clone();
                strict.1 = strict.1.plus(-1, &decrease)?;
                never_negative(cube, &strict, &mut unknowns, &mut system)?;
                never_negative(cube, &templates[&step.source], &mut unknowns, &mut goes)?;
            }
            progress.push(Formula::And(goes));
        }
        system.push(Formula::Or(progress));
        Ok(solved(&system, &[templates], oracles)?.map(|mut functions| functions.remove(0)))
    }

    /// Nested functions for the whole component.
    fn nested(&mut self, depth: usize, oracles: &mut Oracles<'_>) -> Result<Option<Vec<Function>>, Stop> {
        for _ in 0..CORRECTIONS {
            let mut unknowns = Unknowns::default();
            let templates: Vec<_> = (0..depth).map(|_| self.templates(&mut unknowns)).collect();
            let mut system = Vec::new();
            for (step, cubes) in self.component.iter().zip(&self.cubes) {
                for cube in cubes {
                    for (level, template) in templates.iter().enumerate() {
                        let mut claim = difference(step, template)?;
                        claim.1 = claim.1.shifted(-1)?;
                        if level > 0 {
                            claim = sum(&claim, &templates[level - 1][&step.source])?;
                        }
                        never_negative(cube, &claim, &mut unknowns, &mut system)?;
                    }
                    never_negative(cube, &templates[depth - 1][&step.source], &mut unknowns, &mut system)?;
                }
            }
            let Some(functions) = solved(&system, &templates, oracles)? else { return Ok(None) };
            let (mut sound, mut corrected) = (true, false);
            for (number, step) in self.component.iter().enumerate() {
                let mut claims = vec![Formula::at_most(&functions[depth - 1][&step.source].opposite())];
                for level in 0..depth {
                    let mut claim = step.difference(&functions[level])?.shifted(-1)?;
                    if level > 0 {
                        claim = claim.plus(1, &functions[level - 1][&step.source])?;
                    }
                    claims.push(Formula::at_most(&claim.opposite()));
                }
                match self.examine(number, &Formula::and(claims).negated(), oracles)? {
                    Examined::Impossible => {}
                    Examined::Corrected => (sound, corrected) = (false, true),
                    Examined::Possible => sound = false,
                }
            }
            if sound {
                return Ok(Some(functions));
            }
            if !corrected {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// A function that no step increases and that some steps always decrease, and the steps that are left where it is
    /// negative. It is not a linear combination of the functions before, which would only move their bounds.
    fn phase(
        &mut self,
        before: &[Function],
        oracles: &mut Oracles<'_>,
    ) -> Result<Option<(Function, Vec<RestrictedEdge>)>, Stop> {
        for _ in 0..CORRECTIONS {
            let mut unknowns = Unknowns::default();
            let templates = self.templates(&mut unknowns);
            let mut system = vec![independent(&templates, before)?];
            let mut progress = Vec::new();
            for (step, cubes) in self.component.iter().zip(&self.cubes) {
                let decrease = Linear::var(unknowns.fresh());
                system.push(Formula::AtMost(decrease.opposite()));
                system.push(Formula::AtMost(decrease.shifted(-1)?));
                progress.push(Formula::AtMost(decrease.opposite().successor()));
                let mut strict = difference(step, &templates)?;
                strict.1 = strict.1.plus(-1, &decrease)?;
                for cube in cubes {
                    never_negative(cube, &strict, &mut unknowns, &mut system)?;
                }
            }
            system.push(Formula::or(progress));
            let Some(mut functions) = solved(&system, &[templates], oracles)? else { return Ok(None) };
            let function = functions.remove(0);
            let (mut sound, mut corrected, mut gone) = (true, false, false);
            let mut rest = Vec::new();
            for (number, step) in self.component.iter().enumerate() {
                let difference = step.difference(&function)?;
                match self.examine(number, &Formula::at_most(&difference.successor()), oracles)? {
                    Examined::Impossible => {}
                    Examined::Corrected => (sound, corrected) = (false, true),
                    Examined::Possible => sound = false,
                }
                let mut left = step.clone();
                if let Examined::Impossible = self.examine(number, &Formula::at_most(&difference), oracles)? {
                    let negative = Formula::at_most(&function[&step.source].successor());
                    left.guard = Formula::and([step.guard.clone(), negative]);
                    gone = true;
                }
                if !oracles.is_empty(&left.guard)? {
                    rest.push(left);
                }
            }
            if sound && gone {
                return Ok(Some((function, rest)));
            }
            if !corrected {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// A term with unknown coefficients for each place.
    fn templates(&self, unknowns: &mut Unknowns) -> BTreeMap<usize, Template> {
        let mut template = || {
            let terms = self.cells.iter().map(|cell| (*cell, Linear::var(unknowns.fresh()))).collect();
            (terms, Linear::var(unknowns.fresh()))
        };
        self.places.iter().map(|place| (*place, template())).collect()
    }
}

/// The atoms of a formula without disjunctions.
fn conjunction(formula: &Formula) -> Option<Vec<Formula>> {
    match formula {
        Formula::Or(_) => None,
        Formula::And(parts) => {
            (!parts.iter().any(|part| matches!(part, Formula::Or(_)))).then(|| parts.clone())
        }
        Formula::Bool(_) => Some(Vec::new()),
        atom => Some(vec![atom.clone()]),
    }
}
