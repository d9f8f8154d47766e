//! What is exposed of each process, and why.
//!
//! A round of refinement names local states of one process that must be told from others of their class. With symmetry
//! the same is exposed of all processes of its family at once: what confuses the abstract system about one
//! of them will do so about the next, and the number of rounds does not grow with the number of processes. What is
//! exposed is as coarse as can be: it speaks of as few of the cells of the process as tell the two kinds of local states
//! apart, so that a counter that plays no part is not counted.
//!
//! A requirement that something of a process is so only finitely often (`compassion (P[i]@up, false)`) asks nothing of an
//! abstract run as long as that is hidden, and is there to be used. So it is exposed from the beginning.

use std::collections::BTreeSet;

use model::ground::reads;
use model::system::Scalar;
use model::{Expr, Note, State, semantics, show};

use super::abstraction::seen;
use super::behaviour::{Locals, Partition};
use super::feasible::{Cut, Why};
use super::sharing::{Demanded, Sharing};
use crate::encoding::Stop;
use crate::events::collect_events;

/// A process with more local states than this is not exposed as a whole because the property speaks of it.
const WHOLE: usize = 64;
/// So many local states are listed for the user.
const MANY: usize = 4;
/// If the property speaks of more processes than this, none of them is exposed as a whole.
const SPOKEN_OF: usize = 2;

/// What a round exposed: whether a process is in one of these local states.
#[derive(Clone)]
struct Predicate {
    process: usize,
    states: BTreeSet<Vec<i64>>,
    /// The same in words, and why.
    sentence: String,
}

/// The processes that the property speaks of; nothing if these are many.
pub(super) fn spoken_of(sharing: &Sharing<'_>, atoms: &[&Expr]) -> Option<BTreeSet<usize>> {
    let mut found = BTreeSet::new();
    for atom in atoms {
        for cell in reads(sharing.instance, &sharing.plain(atom)) {
            found.extend(sharing.instance.cells[cell].owner.map(|owner| owner.0 as usize));
        }
    }
    (found.len() <= SPOKEN_OF).then_some(found)
}

/// What is exposed.
#[derive(Clone)]
pub(super) struct Exposure<'s> {
    sharing: &'s Sharing<'s>,
    locals: &'s [Locals],
    symmetry: bool,
    /// What is exposed from the beginning.
    seen: Vec<Partition>,
    /// The processes that are exposed as a whole.
    whole: BTreeSet<usize>,
    /// What is exposed because it is so only finitely often, in words.
    finite: BTreeSet<String>,
    predicates: Vec<Predicate>,
}

impl<'s> Exposure<'s> {
    /// What is seen, and the processes that the property speaks of; if it is `live` and speaks of none, the first.
    pub(super) fn new(
        sharing: &'s Sharing<'s>,
        locals: &'s [Locals],
        atoms: &[&Expr],
        demanded: &[Vec<Demanded>],
        live: bool,
        symmetry: bool,
    ) -> Exposure<'s> {
        // Of a property of none, any process will do; often the progress of one is that of all.
        let first = || BTreeSet::from_iter(live.then_some(0));
        let spoken_of = spoken_of(sharing, atoms);
        let mut whole =
            spoken_of.map_or_else(BTreeSet::new, |some| if some.is_empty() { first() } else { some });
        whole.retain(|process| locals[*process].states.len() <= WHOLE);
        let seen = seen(sharing, locals, &|process| whole.contains(&process));
        let finite = BTreeSet::new();
        let mut exposure =
            Exposure { sharing, locals, symmetry, seen, whole, finite, predicates: Vec::new() };
        if live {
            demanded.iter().flatten().for_each(|demanded| exposure.expose_finite(demanded));
        }
        exposure
    }

    /// Exposes what a requirement says is so only finitely often, if it is about the cells of one process.
    fn expose_finite(&mut self, demanded: &Demanded) {
        let (instance, requirement) = (self.sharing.instance, &demanded.requirement);
        let Some(process) = demanded.about.filter(|_| requirement.then == Expr::Bool(false)) else { return };
        let own = &self.sharing.own[process];
        let mut events = Vec::new();
        collect_events(&requirement.when, &mut events);
        if !events.is_empty() || !reads(instance, &requirement.when).iter().all(|cell| own.contains(cell)) {
            return;
        }
        let mut state = State(instance.cells.iter().map(|cell| cell.domain.lo).collect());
        let mut is_so = BTreeSet::new();
        for (number, values) in self.locals[process].states.iter().enumerate() {
            own.iter().zip(values).for_each(|(cell, value)| state.0[*cell] = *value);
            if semantics::state_predicate(instance, &requirement.when, &state) == Ok(true) {
                is_so.insert(number);
            }
        }
        let finer = self.seen[process].split(|state| is_so.contains(&state));
        if finer.classes > self.seen[process].classes {
            self.seen[process] = finer;
            let whether = self.described(process, &is_so);
            self.finite.insert(format!("{} whether {whether}", self.whose(process)));
        }
    }

    /// The classes of each process, if one of them is exposed as a whole in addition.
    pub(super) fn partitions(&self, also: Option<usize>) -> Vec<Partition> {
        let mut partitions = self.seen.clone();
        for Predicate { process, states, .. } in &self.predicates {
            let family = self.sharing.instance.processes[*process].family;
            for (other, partition) in partitions.iter_mut().enumerate() {
                let alike = self.symmetry && self.sharing.instance.processes[other].family == family;
                if other == *process || alike {
                    let values = &self.locals[other].states;
                    *partition = partition.split(|state| states.contains(&values[state]));
                }
            }
        }
        if let Some(process) = also {
            let count = self.locals[process].states.len();
            partitions[process] = Partition::by(count, |state| state);
        }
        partitions
    }

    /// Exposes what a round asks for. `used` are the classes of that round.
    pub(super) fn expose(
        &mut self,
        cut: &Cut,
        used: &[Partition],
        demanded: &[Vec<Demanded>],
    ) -> Result<(), Stop> {
        let process = cut.process;
        let states = self.coarse(cut);
        // Invariant: every round exposes something new; that is why there are finitely many.
        let finer = used[process].split(|state| states.contains(&state));
        if finer.classes <= used[process].classes {
            return Err(Stop::TooLarge("refinement of the abstract system came to an end".to_owned()));
        }
        let sentence = self.sentence(cut, &states, demanded);
        let states = states.iter().map(|state| self.locals[process].states[*state].clone()).collect();
        self.predicates.push(Predicate { process, states, sentence });
        Ok(())
    }

    /// The local states that agree with some of a cut on as few cells as tell these from the others. The location goes
    /// last: a step depends on it nearly always.
    fn coarse(&self, cut: &Cut) -> BTreeSet<usize> {
        let values = &self.locals[cut.process].states;
        let own = &self.sharing.own[cut.process];
        let instance = self.sharing.instance;
        let location = instance.system.family(instance.processes[cut.process].family).location;
        let is_location = |place: &usize| Some(instance.cells[own[*place]].variable) == location;
        let key = |places: &[usize], state: usize| -> Vec<i64> {
            places.iter().map(|place| values[state][*place]).collect()
        };
        let keys = |places: &[usize]| -> BTreeSet<Vec<i64>> {
            cut.states.iter().map(|state| key(places, *state)).collect()
        };
        let mut places: Vec<usize> = (0..own.len()).collect();
        let mut order = places.clone();
        order.sort_by_key(is_location);
        for place in order {
            let fewer: Vec<usize> = places.iter().copied().filter(|other| *other != place).collect();
            let wanted = keys(&fewer);
            if cut.others.iter().all(|state| !wanted.contains(&key(&fewer, *state))) {
                places = fewer;
            }
        }
        let wanted = keys(&places);
        (0..values.len()).filter(|state| wanted.contains(&key(&places, *state))).collect()
    }

    /// What was exposed, for the user.
    pub(super) fn report(&self, variant: &'static str, rounds: u64) -> Note {
        let name = |process: &usize| self.sharing.instance.processes[*process].name.clone();
        Note::Exposed {
            variant,
            rounds,
            whole: self.whole.iter().map(name).collect(),
            finite: self.finite.iter().cloned().collect(),
            predicates: self.predicates.iter().map(|predicate| predicate.sentence.clone()).collect(),
        }
    }

    /// The number of predicates that rounds have exposed.
    pub(super) fn count(&self) -> usize {
        self.predicates.len()
    }

    /// The same without one of them.
    pub(super) fn without(&self, number: usize) -> Exposure<'s> {
        let mut fewer = self.clone();
        fewer.predicates.remove(number);
        fewer
    }

    fn sentence(&self, cut: &Cut, states: &BTreeSet<usize>, demanded: &[Vec<Demanded>]) -> String {
        let instance = self.sharing.instance;
        let own = &instance.processes[cut.process];
        let of = self.whose(cut.process);
        let why = match &cut.why {
            Why::Step => format!("{} cannot go on as the abstract run has it", own.name),
            Why::Idle => format!("{} is not blocked where the abstract run has a deadlock", own.name),
            Why::Requirement(number) => {
                let requirement = demanded.iter().find_map(|all| all.get(*number));
                let text = requirement.map_or(String::new(), |demanded| match &demanded.requirement.of {
                    Some(of) => {
                        let word = demanded.requirement.word.name();
                        format!(" {word} {}", show::pattern(&instance.system, of))
                    }
                    None => format!(" {}", demanded.requirement.word.name()),
                });
                format!("a run that looks fair breaks{text}")
            }
            Why::Fault => format!("{} causes no fault there", own.name),
        };
        format!("{of} whether {}, because {why}", self.described(cut.process, states))
    }

    /// Of whom something is exposed if it is of a process.
    fn whose(&self, process: usize) -> String {
        let instance = self.sharing.instance;
        let own = &instance.processes[process];
        if self.symmetry && own.index.is_some() {
            format!("of each {}[i]", instance.system.family(own.family).name)
        } else {
            format!("of {}", own.name)
        }
    }

    /// Local states in the user's words.
    fn described(&self, process: usize, states: &BTreeSet<usize>) -> String {
        let instance = self.sharing.instance;
        let own = &self.sharing.own[process];
        let values = &self.locals[process].states;
        let family = instance.system.family(instance.processes[process].family);
        // By location, if that is all there is to say.
        if let Some(location) = family.location
            && let Some(place) = own.iter().position(|cell| instance.cells[*cell].variable == location)
            && let Scalar::Enum(labels) = &instance.system.variable(location).kind.scalar
        {
            let at: BTreeSet<i64> = states.iter().map(|state| values[*state][place]).collect();
            let all = (0..values.len()).filter(|state| at.contains(&values[*state][place])).count();
            if all == states.len() {
                let members = &instance.system.enumeration(*labels).members;
                let names: Vec<&str> = at.iter().map(|value| members[*value as usize].as_str()).collect();
                return format!("it is at {}", names.join(" or "));
            }
        }
        let shown = |state: &usize| {
            let cells = own.iter().zip(&values[*state]);
            let shown = cells.map(|(cell, value)| show::cell(instance, *cell, *value).to_string());
            shown.collect::<Vec<_>>().join(" and ")
        };
        let mut listed: Vec<String> = states.iter().take(MANY).map(shown).collect();
        if states.len() > MANY {
            listed.push(format!("{} others", states.len() - MANY));
        }
        listed.join(", or ")
    }
}
