//! The possible targets of fairness: each action and each process, with interchangeable ones together.
//!
//! A target is something that `weak` or `strong` can be applied to: a label of a process with all its partners and
//! arguments, or a process. A rendezvous has two labels; it belongs to its first process. Processes that can be
//! exchanged without changing the system or the property (`engines::explicit::orbits`) are treated alike, so their
//! actions are one target: nobody wants fairness of `P[2].exit` but not of `P[3].exit` if nothing distinguishes 2
//! from 3. In a system with open parameters all members of a family are alike.
//!
//! A target stands for *subjects*, each a set of actions: a single action, or all actions that a process takes part
//! in. Fairness of the target is fairness of every subject. Targets with the same subjects are listed once; a process
//! with one action is the same target as that action. What belongs to the environment is no target.

use std::collections::BTreeSet;
use std::fmt::Write;

use engines::explicit::orbits;
use model::fairness::{self, Word};
use model::{ActionId, Binder, FamilyId, Instance, Name, Pattern, Property, Requirement, Span, System};

/// A target of fairness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The actions, by position in [`System::actions`], all with the same participants. `None` for the processes
    /// themselves.
    actions: Option<Vec<usize>>,
    /// The family whose members distinguish the subjects.
    family: FamilyId,
    /// Which members; `None` for all.
    members: Option<Vec<i64>>,
    /// The name that is bound to each of several members where they are declared: `for i in 2..3: weak P[i]`.
    index: String,
}

impl Target {
    /// Whether it has all members of its family.
    pub(super) fn is_whole(&self) -> bool {
        self.members.is_none()
    }

    /// The same of all members of the family.
    pub(super) fn whole(&self) -> Target {
        Target { members: None, ..self.clone() }
    }
}

/// A name for the members of a family. The `under` of a member of a family of properties stands inside the binders of that
/// family, so there it is one that nothing else has.
fn index_name(system: &System, family: FamilyId, property: &Name) -> String {
    let own = system.family(family).index.as_ref();
    let own = own.map_or("i", |binder| system.indices[binder.index.0 as usize].name.as_str());
    if property.member.is_empty() {
        return own.to_owned();
    }
    let indices = system.indices.iter().map(|index| &index.name);
    let variables = system.variables.iter().map(|variable| &variable.name);
    let members = system.enums.iter().flat_map(|one| &one.members);
    let taken: BTreeSet<&String> = indices.chain(variables).chain(members).collect();
    let mut names = ["j", "k", "m", "other", "another"].into_iter().map(str::to_owned);
    names.find(|name| !taken.contains(name)).unwrap_or_else(|| own.to_owned())
}

/// The targets of a property, actions before processes, in the order of the system.
pub(super) fn targets(system: &System, instance: Option<&Instance>, property: &Property) -> Vec<Target> {
    let orbits = instance.map(|instance| orbits::orbits(instance, &property.kind));
    let alike = |family: FamilyId| -> Vec<Option<Vec<i64>>> {
        match &orbits {
            Some(orbits) if orbits[family.0 as usize].len() > 1 => {
                orbits[family.0 as usize].iter().cloned().map(Some).collect()
            }
            _ => vec![None],
        }
    };
    let mut targets: Vec<Target> = Vec::new();
    let mut add = |actions: Option<Vec<usize>>, family: FamilyId| {
        for members in alike(family) {
            let index = index_name(system, family, &property.name);
            targets.push(Target { actions: actions.clone(), family, members, index });
        }
    };
    // Per action, the first one with the same participants at the same labels.
    let label = |number: usize| {
        system.actions[number].participants.iter().map(|p| (p.family, p.label.as_str())).collect::<Vec<_>>()
    };
    let numbers = 0..system.actions.len();
    let first = |number: usize| (0..number).find(|other| label(*other) == label(number)).unwrap_or(number);
    let firsts: Vec<usize> = numbers.clone().map(first).collect();
    for number in numbers.clone().filter(|number| firsts[*number] == *number) {
        if system.is_environment(&system.actions[number]) {
            continue;
        }
        if let Some(participant) = system.actions[number].participants.first() {
            let same = numbers.clone().filter(|other| firsts[*other] == number).collect();
            add(Some(same), participant.family);
        }
    }
    let families = (0..system.families.len() as u32).map(FamilyId);
    let is_inside = |family: &FamilyId| !system.is_outside(*family) && !system.is_partly_outside(*family);
    families.filter(is_inside).for_each(|family| add(None, family));
    if let Some(instance) = instance {
        let subjects = |target: &Target| -> BTreeSet<Vec<ActionId>> {
            target.subjects(instance).into_iter().filter(|subject| !subject.is_empty()).collect()
        };
        let mut known = vec![BTreeSet::new()];
        // Parts of a family stay together, so that a statement about all of them can be made once.
        let parts = targets.chunk_by(|a, b| a.actions == b.actions && a.family == b.family);
        let mut kept = Vec::new();
        for parts in parts {
            let of_parts: Vec<_> = parts.iter().map(subjects).collect();
            if !of_parts.iter().all(|subjects| known.contains(subjects)) {
                known.extend(of_parts);
                kept.extend_from_slice(parts);
            }
        }
        return kept;
    }
    targets
}

impl Target {
    /// Its first action, by position in [`System::actions`]; `None` for processes.
    pub(super) fn first_action(&self) -> Option<usize> {
        self.actions.as_ref().map(|actions| actions[0])
    }

    /// Whether it is an action and not a process.
    pub(super) fn is_action(&self) -> bool {
        self.actions.is_some()
    }

    /// The family of its processes.
    pub(super) fn family(&self) -> FamilyId {
        self.family
    }

    /// The target with the members of another one as well, if both are about the same actions or processes.
    pub(super) fn joined(&self, other: &Target) -> Option<Target> {
        let members = match (&self.members, &other.members) {
            (Some(own), Some(others)) => {
                let all: BTreeSet<i64> = own.iter().chain(others).copied().collect();
                Some(all.into_iter().collect())
            }
            _ => None,
        };
        let same = self.actions == other.actions && self.family == other.family;
        same.then(|| Target { members, ..self.clone() })
    }

    /// Whether a name means it: `P` all of a family, `P.l` an action of it, `l` every action with this label.
    pub(super) fn is_named(&self, system: &System, name: &str) -> bool {
        let family = &system.family(self.family).name;
        let action = self.actions.as_ref().map(|actions| &system.actions[actions[0]]);
        let mut participants = action.into_iter().flat_map(|action| &action.participants);
        name == family
            || participants.any(|participant| {
                let family = &system.family(participant.family).name;
                name == family
                    || name == participant.label
                    || name == format!("{family}.{}", participant.label)
            })
    }

    /// The sets of actions that must each be treated fairly.
    pub(super) fn subjects(&self, instance: &Instance) -> Vec<Vec<ActionId>> {
        let all = (0..).map(ActionId).zip(&instance.actions);
        let is_member = |index: Option<i64>| match (&self.members, index) {
            (Some(members), Some(index)) => members.contains(&index),
            _ => true,
        };
        if let Some(actions) = &self.actions {
            let tells = |participants: &[(model::ProcessId, String)]| {
                participants.first().is_some_and(|(first, _)| {
                    let process = &instance.processes[first.0 as usize];
                    process.family == self.family && is_member(process.index)
                })
            };
            let own = all.filter(|(_, a)| actions.contains(&a.action) && tells(&a.participants));
            return own.map(|(id, _)| vec![id]).collect();
        }
        let processes =
            instance.members(self.family).filter(|id| is_member(instance.processes[id.0 as usize].index));
        let takes_part = |process, action: &model::instance::ActionInstance| {
            action.participants.iter().any(|(participant, _)| *participant == process)
        };
        processes
            .map(|process| {
                let own = all.clone().filter(|(_, action)| takes_part(process, action));
                own.map(|(id, _)| id).collect()
            })
            .collect()
    }

    /// The same of each of its members that has such a step. None if they have no index.
    pub(super) fn each(&self, instance: &Instance) -> Vec<Target> {
        let indices = instance.members(self.family).filter_map(|id| instance.processes[id.0 as usize].index);
        let indices = indices.filter(|index| self.members.as_ref().is_none_or(|own| own.contains(index)));
        let single = indices.map(|index| Target { members: Some(vec![index]), ..self.clone() });
        single.filter(|one| one.subjects(instance).iter().any(|subject| !subject.is_empty())).collect()
    }

    /// Fairness of the target.
    pub(super) fn requirements(&self, system: &System, word: Word) -> Vec<Requirement> {
        let of = |pattern: &Pattern, binders: &[Binder]| -> Vec<Requirement> {
            let Some(members) = &self.members else {
                return vec![Requirement::of(word, pattern.clone(), binders.to_vec())];
            };
            let narrowed = runs(members).into_iter().map(|(lo, hi)| {
                // The index of the first participant is bound first.
                let mut binders = binders.to_vec();
                if let Some(first) = binders.first_mut() {
                    first.span = Span::between(lo, hi);
                }
                Requirement::of(word, pattern.clone(), binders)
            });
            narrowed.collect()
        };
        if let Some(actions) = &self.actions {
            let known: Vec<_> = fairness::actions(system).collect();
            return actions.iter().flat_map(|number| of(&known[*number].0, &known[*number].1)).collect();
        }
        let family = fairness::processes(system).nth(self.family.0 as usize);
        family.map_or_else(Vec::new, |(pattern, binders)| of(&pattern, &binders))
    }

    /// The target as it is declared, with the word: `weak P.exit`, `weak P[1]`, `for i in 2..3: weak P[i].exit`.
    pub(super) fn declarations(&self, system: &System, word: Word) -> Vec<String> {
        let family = system.family(self.family);
        let of = |process: &str| -> String {
            let Some(actions) = &self.actions else { return format!("{}{process}", family.name) };
            let participants = &system.actions[actions[0]].participants;
            let mut text = String::new();
            for (number, participant) in participants.iter().enumerate() {
                let plus = if number > 0 { "+" } else { "" };
                let process = if number > 0 { "" } else { process };
                // Writing to a string does not fail.
                let _ = write!(
                    text,
                    "{plus}{}{process}.{}",
                    system.family(participant.family).name,
                    participant.label
                );
            }
            text
        };
        let Some(members) = &self.members else { return vec![format!("{} {}", word.name(), of(""))] };
        let index = &self.index;
        // The members of an enum are listed; there are no ranges of them.
        let named = |value: i64| {
            let written = family.index.as_ref().map(|binder| system.index_value_name(binder.index, value));
            written.unwrap_or_else(|| value.to_string())
        };
        let is_enum = members.iter().any(|value| named(*value) != value.to_string());
        let runs =
            if is_enum { members.iter().map(|value| (*value, *value)).collect() } else { runs(members) };
        let declared = runs.into_iter().map(|(lo, hi)| {
            if lo == hi {
                format!("{} {}", word.name(), of(&format!("[{}]", named(lo))))
            } else {
                format!("for {index} in {lo}..{hi}: {} {}", word.name(), of(&format!("[{index}]")))
            }
        });
        declared.collect()
    }
}

/// The declarations for a choice of words for targets. If all parts of a family have the same word, it is written
/// once.
pub(super) fn declarations(system: &System, chosen: &[(&Target, Word)], all: &[Target]) -> Vec<String> {
    let mut texts: Vec<(bool, String)> = Vec::new();
    for (target, word) in chosen {
        let of_same = |other: &&Target| other.actions == target.actions && other.family == target.family;
        let parts = all.iter().filter(of_same);
        let whole = target.members.is_some()
            && parts.clone().all(|part| chosen.iter().any(|(other, with)| *other == part && with == word));
        let declared = if whole {
            Target { members: None, ..(*target).clone() }.declarations(system, *word)
        } else {
            target.declarations(system, *word)
        };
        let has_for = !whole && target.members.as_ref().is_some_and(|members| members.len() > 1);
        for text in declared {
            if !texts.iter().any(|(_, known)| *known == text) {
                texts.push((has_for, text));
            }
        }
    }
    // A `for` reads as if it went on to the end, so it comes last.
    texts.sort_by_key(|(has_for, _)| *has_for);
    texts.into_iter().map(|(_, text)| text).collect()
}

/// The declarations for targets with their words. If a target has all members of a family, they are not named.
pub(super) fn declarations_of_members(
    system: &System,
    instance: &Instance,
    chosen: &[(Target, Word)],
) -> Vec<String> {
    let mut texts = Vec::new();
    for (target, word) in chosen {
        let all = instance.members(target.family);
        let all = all.filter_map(|id| instance.processes[id.0 as usize].index).collect::<BTreeSet<i64>>();
        let whole = target.members.as_ref().is_some_and(|own| own.iter().copied().eq(all));
        let members = target.members.clone().filter(|_| !whole);
        texts.extend(Target { members, ..target.clone() }.declarations(system, *word));
    }
    texts
}

/// Numbers in increasing order as ranges.
fn runs(numbers: &[i64]) -> Vec<(i64, i64)> {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, hi)) if hi.checked_add(1) == Some(*number) => *hi = *number,
            _ => runs.push((*number, *number)),
        }
    }
    runs
}
