//! The requirements of the abstract system, each true of the image of every fair run.
//!
//! | from | requirement |
//! | --- | --- |
//! | a requirement about no counted process | itself |
//! | a requirement about each process, and a letter | `GF(!Φ or Drop)` ([`justice`](super::justice)), also for the letter and its marked versions together |
//! | the same, because finitely many processes share infinitely many occasions | `GF (certainly some process has when) -> GF (possibly some process has then)` |
//! | the same, for a process that the property names | its own `when` and `then` |
//! | an order, and a process that the property names | `GF (fewer ahead of it) -> GF (perhaps more)`, because their number is not negative |
//!
//! In addition, as many processes enter a set of letters as leave it. [`emptiness`](super::emptiness) adds this
//! requirement where a cycle would violate it.

use model::Expr;

use super::contexts::Fold;
use super::fair::Fair;
use super::justice::{Each, Justice};
use super::letters::{Component, LetterId, Set};
use super::meter::{LOOK, Meter};
use super::show;
use super::space::{AbstractStep, Space, Stop};

/// A requirement of the abstract system: `GF when -> GF then`, as sets of steps.
pub(super) struct Derived {
    /// The requirement of the task that it comes from.
    pub(super) source: String,
    /// What it says.
    pub(super) says: Says,
    /// `None`: always.
    pub(super) when: Option<Vec<bool>>,
    pub(super) then: Vec<bool>,
}

/// A derived requirement in the user's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// What its source says.
    TheSame,
    /// `GF(!Φ or Drop)` for the processes in a set.
    Debts {
        /// The debt of one process.
        owed: String,
        /// The set.
        set: String,
    },
    /// This formula.
    Formula(String),
}

/// The requirements of the abstract system that are derived from one of the task. For a requirement about no counted
/// process, `columns` has the columns of its `when` and `then`.
pub(super) fn derive(
    fold: &mut Fold,
    space: &Space,
    fair: &Fair,
    columns: Option<(usize, usize)>,
    meter: &Meter<'_>,
) -> Result<Vec<Derived>, Stop> {
    let mut derived = Vec::new();
    let all: Vec<LetterId> = (0..fold.letters.len() as LetterId).collect();
    let source = fair.text.clone();
    let Some((_, family)) = fair.own else {
        if let Some((when, then)) = columns {
            let column = |at: usize| (0..space.steps.len()).map(|step| space.truth(at, step)).collect();
            derived.push(Derived {
                source,
                says: Says::TheSame,
                when: Some(column(when)),
                then: column(then),
            });
        }
        return Ok(derived);
    };
    fold.begin();
    let of = |expr: &Expr| model::show::expression(&fold.system, expr);
    let (when, then) = (of(&fair.when), of(&fair.then));
    let owed = of(&Expr::and([fair.when.clone(), Expr::negated(fair.then.clone())]));
    let mut justice = Justice::in_space(family, fair, fold, space, meter)?;
    if fair.may_fault {
        justice.seek_faults(fold, space, meter)?;
    }
    let own: Vec<LetterId> =
        all.iter().copied().filter(|l| fold.letters.letter(*l).family == family).collect();
    let unmarked: Vec<LetterId> =
        own.iter().copied().filter(|l| fold.letters.letter(*l).marks == 0).collect();
    for letter in unmarked {
        let values = fold.letters.letter(letter).values.clone();
        let mut sets = vec![vec![letter]];
        let alike: Vec<LetterId> =
            own.iter().copied().filter(|l| fold.letters.letter(*l).values == values).collect();
        if alike.len() > 1 {
            sets.push(alike);
        }
        for set in sets {
            let says = Says::Debts { owed: owed.clone(), set: show::letters(fold, &set) };
            if let Some(then) = debts(fold, &mut justice, space, &set, meter)? {
                derived.push(Derived { source: source.clone(), says, when: None, then });
            }
        }
    }
    let looks = |expr: &Expr, taken: bool| {
        expr.any(&mut |part| {
            if taken { matches!(part, Expr::Taken(_)) } else { matches!(part, Expr::Enabled(_)) }
        })
    };
    if looks(&fair.when, true) {
        return Ok(derived);
    }
    let always = fair.when == Expr::Bool(true);
    // For weak fairness this would only say that some process is disabled.
    if !(always && looks(&fair.then, false)) {
        let says = Says::Formula(format!("G F (somebody: {when}) -> G F (somebody: {then})"));
        derived.push(occasions(fold, &mut justice, space, always, &own, (source.clone(), says), meter)?);
    }
    for (mark, named) in fold.class.marks.clone().iter().enumerate().filter(|(_, mark)| mark.family == family)
    {
        let its: Vec<LetterId> =
            own.iter().copied().filter(|l| fold.letters.letter(*l).marks >> mark & 1 == 1).collect();
        let who = format!("process {}", fold.system.indices[named.index.0 as usize].name);
        let says = Says::Formula(format!("G F ({who}: {when}) -> G F ({who}: {then})"));
        derived.push(occasions(fold, &mut justice, space, always, &its, (source.clone(), says), meter)?);
    }
    Ok(derived)
}

/// `GF(!Φ or Drop)` for a set of letters; `None` if `Φ` is false everywhere.
fn debts(
    fold: &mut Fold,
    justice: &mut Justice<'_>,
    space: &Space,
    set: &[LetterId],
    meter: &Meter<'_>,
) -> Result<Option<Vec<bool>>, Stop> {
    let mut owed = Vec::new();
    for state in space.states.iter().enumerate() {
        meter.spend(LOOK)?;
        owed.push(justice.surely(fold, state, Each::Owed, set, meter)?);
    }
    if !owed.contains(&true) {
        return Ok(None);
    }
    let mut then = Vec::new();
    for (number, step) in space.steps.iter().enumerate() {
        meter.spend(LOOK)?;
        let target = step.target as usize;
        // When `Φ` ends, the next step satisfies `!Φ`.
        then.push(
            !owed[step.source as usize]
                || owed[target]
                    && justice.drops(fold, (number, step), (target, &space.states[target]), set, meter)?,
        );
    }
    Ok(Some(then))
}

/// The requirement itself, for any process with these letters.
fn occasions(
    fold: &mut Fold,
    justice: &mut Justice<'_>,
    space: &Space,
    always: bool,
    set: &[LetterId],
    (source, says): (String, Says),
    meter: &Meter<'_>,
) -> Result<Derived, Stop> {
    let (mut whens, mut thens) = (Vec::new(), Vec::new());
    for state in space.states.iter().enumerate() {
        meter.spend(LOOK)?;
        whens.push(always || justice.surely(fold, state, Each::When, set, meter)?);
        thens.push(justice.possibly(fold, state, Each::Then, set, meter)?);
    }
    let mut then = Vec::new();
    for step in &space.steps {
        meter.spend(LOOK)?;
        let mut met = thens[step.source as usize];
        for (at, (_, letter)) in step.context.foci.iter().enumerate() {
            if !met && set.contains(letter) {
                met = justice.then_at(fold, step, at, meter)?;
            }
        }
        then.push(met);
    }
    let when = space.steps.iter().map(|step| whens[step.source as usize]).collect();
    Ok(Derived { source, says, when: Some(when), then })
}

/// For each named process and each order of its family: a requirement about the number of processes ahead of it.
pub(super) fn ranks(fold: &Fold, space: &Space, meter: &Meter<'_>) -> Result<Vec<Derived>, Stop> {
    let components = fold.letters.components.clone();
    let mut derived = Vec::new();
    for (marking, Component { set: mark, .. }) in components.iter().enumerate() {
        let Set::Mark(mark) = mark else { continue };
        for (number, component) in components.iter().enumerate() {
            if matches!(component.set, Set::Mark(_)) || component.family != components[marking].family {
                continue;
            }
            let mut changes = Vec::new();
            for step in &space.steps {
                meter.spend(LOOK)?;
                changes.push(change(fold, step, number, marking, *mark));
            }
            if changes.contains(&Change::Fewer) {
                let name = &fold.system.indices[fold.class.marks[*mark].index.0 as usize].name;
                let side = if component.first { "ahead of" } else { "behind" };
                derived.push(Derived {
                    source: "the order of the processes".to_owned(),
                    says: Says::Formula(format!(
                        "G F (fewer stand {side} process {name}) -> G F (perhaps more do)"
                    )),
                    when: Some(changes.iter().map(|change| *change == Change::Fewer).collect()),
                    then: changes.iter().map(|change| *change == Change::PerhapsMore).collect(),
                });
            }
        }
    }
    Ok(derived)
}

/// How a step changes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Fewer,
    Same,
    PerhapsMore,
}

/// How a step changes the number of letters of a component's set on its side of a named process. While that process
/// has no position in the order, the number is 0.
pub(super) fn change(
    fold: &Fold,
    step: &AbstractStep,
    component: usize,
    marking: usize,
    mark: usize,
) -> Change {
    let Some(effect) = &step.effect else { return Change::Same };
    let Component { family, first, .. } = fold.letters.components[component];
    let is_named = |letter: LetterId| fold.letters.letter(letter).marks >> mark & 1 == 1;
    let own: Vec<usize> =
        (0..step.context.foci.len()).filter(|k| step.context.foci[*k].0 == family).collect();
    if own.iter().any(|k| is_named(step.context.foci[*k].1)) {
        // Ordered by index it keeps its position. Ordered by ticket, or if other processes act too, anything may
        // happen.
        let still = fold.class.counted[family].ticket.is_none() && own.len() == 1;
        return if still { Change::Same } else { Change::PerhapsMore };
    }
    let stretches = &step.context.stretches[family];
    let Some(place) = stretches.iter().position(|side| fold.sides.kept(*side)[marking].is_some()) else {
        return Change::Same;
    };
    let mut difference = 0;
    for (nth, k) in own.into_iter().enumerate() {
        // The stretch after the nth focus has number n + 1.
        let ahead = nth < place;
        let counted = |letter: LetterId, ahead: bool| {
            i32::from(ahead == first && fold.letters.is_in(letter, component))
        };
        difference +=
            counted(effect.letters[k], ahead && !effect.moved[k]) - counted(step.context.foci[k].1, ahead);
    }
    match difference {
        0 => Change::Same,
        ..0 => Change::Fewer,
        _ => Change::PerhapsMore,
    }
}
