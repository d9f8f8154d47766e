//! The requirements of the fairness that can be used, split into their parts.
//!
//! Leaving out a requirement only adds runs, so a property that holds without it holds with it. Therefore a
//! requirement outside the class is left out, with a note. If evaluating it may end in a fault, the task is refused
//! instead. We can use requirements about each process of a counted family, and requirements about no counted
//! process. Other indices are expanded. Of strong global fairness we use the strong fairness that it implies.

use model::expr::{Party, Pattern, Span};
use model::fairness::Word;
use model::instance::Environment;
use model::{Expr, Fairness, Index, Note, Refusal, Requirement, System, semantics, show};

use super::class::{Counted, is_span_of, refuse, why};
use super::reading::{Reader, Role};

/// The greatest number of requirements that one declaration may stand for.
const COPIES: usize = 1_000;

/// `GF when -> GF then`, for every process of a family or once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fair {
    /// The text of the declaration.
    pub(super) text: String,
    /// The process it is about, and its family among the counted ones.
    pub(super) own: Option<(Index, usize)>,
    /// The values of other indices.
    pub(super) values: Vec<(Index, i64)>,
    pub(super) when: Expr,
    pub(super) then: Expr,
    /// Whether evaluating it may end in a fault.
    pub(super) may_fault: bool,
}

impl Fair {
    /// The values of all indices, for the process with this index.
    pub(super) fn values_for(&self, process: i64) -> Vec<(Index, i64)> {
        let own = self.own.iter().map(|(own, _)| (*own, process));
        own.chain(self.values.iter().copied()).collect()
    }
}

impl Fair {
    /// A side of the requirement where the step is `idle`, as a predicate of the state; `None` if it has events other than those of the process
    /// itself, which might be faults.
    pub(super) fn where_nothing_happens(&self, side: &Expr) -> Option<Expr> {
        let (own, _) = self.own?;
        let is_plain = |pattern: &Pattern| {
            let is_own = |party: &Party| party.process.as_deref() == Some(&Expr::Index(own));
            pattern.arguments.is_none() && pattern.participants.iter().all(is_own)
        };
        let other = side.any(&mut |part| matches!(part, Expr::Taken(pattern) if !is_plain(pattern)));
        (!other).then(|| without_events(side))
    }
}

/// An expression in which no event happens.
fn without_events(expr: &Expr) -> Expr {
    match expr {
        Expr::Taken(_) => Expr::Bool(false),
        other => other.map(&mut |part| without_events(part)),
    }
}

/// What strong global fairness implies if there are finitely many states: an action that is enabled again and again is
/// enabled again and again in one state, so it is taken there again and again.
fn implied(system: &System) -> impl Iterator<Item = Requirement> {
    let every = [Fairness::every_action(system, Word::Strong), Fairness::every_process(system, Word::Strong)];
    every.into_iter().flat_map(|fairness| fairness.alternatives).flat_map(|all| all.requirements)
}

/// The requirements of each alternative, and notes about those that are left out. `finite` says whether every instance
/// has finitely many states.
pub(super) fn read(
    reader: &mut Reader<'_>,
    system: &System,
    counted: &[Counted],
    finite: bool,
    fairness: &Fairness,
) -> Result<(Vec<Vec<Fair>>, Vec<Note>), Refusal> {
    let mut unused = Vec::new();
    let mut alternatives = Vec::new();
    for assumption in &fairness.alternatives {
        let mut fair = Vec::new();
        if assumption.global {
            let why = if finite {
                for requirement in implied(system) {
                    let parts = reader.tentatively(|reader| parts(reader, system, counted, &requirement));
                    fair.extend(parts.into_iter().flatten().filter(|fair| !fair.may_fault));
                }
                "only strong fairness of every action and process is used, which it implies"
            } else {
                "nothing is used: there are infinitely many states"
            };
            unused.push(Note::FairnessNotUsed { requirement: None, why: why.to_owned() });
        }
        for requirement in &assumption.requirements {
            match reader.tentatively(|reader| parts(reader, system, counted, requirement)) {
                Ok(parts) => fair.extend(parts),
                // A fault in it counts even if it is not used.
                Err(why) if [&requirement.when, &requirement.then].iter().any(|e| reader.may_fault(e)) => {
                    let text = show::requirement(system, requirement);
                    return refuse(
                        format!("`{text}`: {why}"),
                        "leave it out, or write it without particular processes and arithmetic",
                    );
                }
                Err(why) => {
                    let requirement = Some(show::requirement(system, requirement));
                    unused.push(Note::FairnessNotUsed { requirement, why });
                }
            }
        }
        alternatives.push(fair);
    }
    unused.dedup();
    Ok((alternatives, unused))
}

fn parts(
    reader: &mut Reader<'_>,
    system: &System,
    counted: &[Counted],
    requirement: &Requirement,
) -> Result<Vec<Fair>, String> {
    let text = show::requirement(system, requirement);
    reader.begin(format!("`{text}`"), true);
    let (mut own, mut pair) = (None, false);
    let mut values: Vec<Vec<(Index, i64)>> = vec![Vec::new()];
    for binder in &requirement.binders {
        let family = counted.iter().enumerate().filter(|(_, c)| is_span_of(&binder.span, c)).map(|(f, _)| f);
        let candidates: Vec<usize> = family.collect();
        if candidates.is_empty() {
            let mut longer = Vec::new();
            for values in &values {
                let mut environment = Environment::default();
                values.iter().for_each(|(index, value)| environment.bind(*index, *value));
                let Span { lo, hi } = &binder.span;
                if !reader.is_finite(&binder.span) {
                    return Err("its range is not that of a family".to_owned());
                }
                let (lo, hi) =
                    (semantics::rigid(lo, &mut environment), semantics::rigid(hi, &mut environment));
                let (Ok(lo), Ok(hi)) = (lo, hi) else { return Err("its range has no value".to_owned()) };
                for value in lo..=hi {
                    if longer.len() > COPIES {
                        return Err("it stands for too many requirements".to_owned());
                    }
                    longer.push(values.iter().copied().chain([(binder.index, value)]).collect());
                }
            }
            values = longer;
            reader.bind(binder.index, Role::Finite);
            continue;
        }
        let used = candidates.iter().copied().find(|family| {
            [&requirement.when, &requirement.then]
                .iter()
                .any(|expr| reader.uses(*family, binder.index, &[expr]))
        });
        let family = used.unwrap_or(candidates[0]);
        reader.bind(binder.index, Role::Acts(family));
        pair |= own.replace((binder.index, family)).is_some();
    }
    if pair {
        return Err("it speaks of two processes at once".to_owned());
    }
    let balances = reader.balances();
    for expr in [&requirement.when, &requirement.then] {
        reader.predicate(expr).map_err(why)?;
        // It can be left out, so the answer must not depend on whether this is possible.
        if reader.balances() > balances {
            return Err("it compares numbers of processes with each other".to_owned());
        }
        // A requirement about one process must not mention the steps of others.
        let foreign = expr.any(&mut |part| match (part, own) {
            (Expr::Taken(pattern), Some((index, _))) => {
                !pattern.participants.iter().any(|p| p.process.as_deref() == Some(&Expr::Index(index)))
            }
            _ => false,
        });
        if foreign {
            return Err("it joins one process with the steps of others".to_owned());
        }
    }
    let may_fault = reader.may_fault(&requirement.when) || reader.may_fault(&requirement.then);
    let fair = |values| Fair {
        text: text.clone(),
        own,
        values,
        when: requirement.when.clone(),
        then: requirement.then.clone(),
        may_fault,
    };
    Ok(values.into_iter().map(fair).collect())
}
