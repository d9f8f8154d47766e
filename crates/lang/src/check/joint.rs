//! Joint events: `event barrier;` and `sync barrier;`, as actions of all processes that name the event.
//!
//! A process whose code has `sync barrier` takes part in `barrier`, and so do all processes of its family: the event
//! happens only if each of them is at such a statement and what it waits for is true, as in the alphabetised parallel of
//! CSP. All do what comes before it in their steps one after the other, in the order of their declarations and indices,
//! and then, in the same order, the rest.
//!
//! A process may have several such statements, so there is an action for every way to choose one of each process. It has an
//! outcome for every combination of the ways that lead there ([`together`](super::together)). The
//! processes of an action are fixed, and their indices are replaced by numbers.

use model::expr::Party;
use model::system::Participant;
use model::{Action, Expr, FamilyId};

use super::expressions::Typed;
use super::names::Global;
use super::paths::Part;
use super::together::{Way, fill, one_of};
use super::{Checker, Kind, fold};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Event, Name, Span, Statement};

/// Limit on the participants of all actions of an event together.
const PARTICIPANTS: usize = 20_000;

/// A joint event.
pub(super) struct Joint<'a> {
    name: &'a Name,
    sites: Vec<Site>,
    /// The process that takes part, at each of its labels. One that has few of them.
    owner: Vec<Party>,
}

/// A place at which the processes of a family take part.
#[derive(Clone)]
struct Site {
    family: FamilyId,
    label: String,
    /// When a process can take part.
    guard: Expr,
    /// Its ways, each to this event.
    ways: Vec<Way>,
}

impl<'a> Joint<'a> {
    pub(super) fn new(name: &'a Name) -> Joint<'a> {
        Joint { name, sites: Vec::new(), owner: Vec::new() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name.text
    }
}

impl<'a> Checker<'a> {
    /// `sync barrier;`
    pub(super) fn sync(&mut self, statement: &'a Statement, event: &'a Name) -> Vec<Part> {
        let text = event.text.as_str();
        match self.names.get(text) {
            Some(&(_, Global::Event(number))) => return vec![Part::Sync(number, statement.span)],
            _ if self.unparsed_words.contains(text) => return vec![Part::unknown()],
            found => {
                let first = found.map(|(span, _)| *span);
                let message = format!("there is no event `{text}`");
                let mut diagnostic = Diagnostic::error(event.span, message, "not an event");
                if let Some(first) = first {
                    diagnostic = diagnostic.related(first, "declared here");
                } else {
                    let known = self.joint.iter().map(|joint| joint.name.text.as_str());
                    diagnostic = self.suggest(diagnostic, text, known);
                }
                self.report(diagnostic);
            }
        }
        vec![Part::unknown()]
    }

    /// Adds a place at which the processes of a family take part in an event.
    pub(super) fn take_part(
        &mut self,
        event: usize,
        (family, label): (FamilyId, &str),
        guard: Expr,
        ways: Vec<Way>,
    ) {
        self.joint[event].sites.push(Site { family, label: label.to_owned(), guard, ways });
    }

    /// Makes the actions of every event.
    pub(super) fn joint_events(&mut self) {
        for number in 0..self.joint.len() {
            let name = self.joint[number].name;
            let sites = std::mem::take(&mut self.joint[number].sites);
            let Some(owners) = self.owners_of(name, &sites) else { continue };
            let lonely = match owners.len() {
                0 => "no process takes part",
                1 => "only one process takes part: it has no partner",
                _ => "",
            };
            if !lonely.is_empty() && !self.has_errors() {
                let message = format!("`{}` is no joint event", name.text);
                let diagnostic = Diagnostic::warning(name.span, message, lonely);
                self.report(diagnostic.help(format!("`sync {};` takes part in it", name.text)));
            }
            let fewest = owners.iter().min_by_key(|(_, own)| own.len());
            self.joint[number].owner = fewest.map_or_else(Vec::new, |(value, own)| {
                let process = value.map(|value| Box::new(Expr::Int(value)));
                let party = |site: &&Site| Party {
                    family: site.family,
                    process: process.clone(),
                    label: Some(site.label.clone()),
                };
                own.iter().map(party).collect()
            });
            if owners.is_empty() {
                continue;
            }
            let counts = owners.iter().map(|(_, own)| own.iter().map(|site| site.ways.len()).sum::<usize>());
            let ways = counts.into_iter().try_fold(owners.len(), usize::checked_mul);
            if ways.is_none_or(|ways| ways > PARTICIPANTS) {
                let message = format!("there are too many ways to take `{}`", name.text);
                let diagnostic =
                    Diagnostic::error(name.span, message, "an action for every choice of places");
                self.report(diagnostic.help("let each process take it at one place"));
                continue;
            }
            let mut chosen = vec![0; owners.len()];
            loop {
                let way: Vec<(Option<i64>, &Site)> =
                    owners.iter().zip(&chosen).map(|((value, own), at)| (*value, own[*at])).collect();
                let size = way.iter().map(|(_, site)| 10 + fold::size(&site.guard)).sum();
                if !self.copy(name.span, size) {
                    return;
                }
                self.step = name.span;
                let action = self.joint_action(&way);
                self.system.actions.push(action);
                let next = (0..chosen.len()).rev().find(|at| chosen[*at] + 1 < owners[*at].1.len());
                let Some(next) = next else { break };
                chosen[next] += 1;
                chosen[next + 1..].fill(0);
            }
        }
    }

    /// The processes that take part, each with its places; `None` if they cannot be listed.
    fn owners_of<'s>(&mut self, name: &Name, sites: &'s [Site]) -> Option<Vec<(Option<i64>, Vec<&'s Site>)>> {
        let mut owners = Vec::new();
        for number in 0..self.families.len() {
            let family = FamilyId(number as u32);
            let own: Vec<&Site> = sites.iter().filter(|site| site.family == family).collect();
            if own.is_empty() {
                continue;
            }
            let Some(binder) = &self.system.family(family).index else {
                owners.push((None, own));
                continue;
            };
            let (Some(lo), Some(hi)) = (fold::constant(&binder.span.lo), fold::constant(&binder.span.hi))
            else {
                let message = format!("it is not known how many processes take `{}`", name.text);
                let diagnostic = Diagnostic::error(name.span, message, "all of them take it together");
                self.report(diagnostic.help("give the parameter a value with `--set`"));
                return None;
            };
            if owners.len() as u64 + hi.abs_diff(lo) > PARTICIPANTS as u64 {
                let message = format!("too many processes take `{}`", name.text);
                self.error(name.span, message, format!("at most {PARTICIPANTS}"));
                return None;
            }
            owners.extend((lo..=hi).map(|value| (Some(value), own.clone())));
        }
        Some(owners)
    }

    /// The action in which each process takes part at one of its places.
    fn joint_action(&mut self, way: &[(Option<i64>, &Site)]) -> Action {
        let mut guards = Vec::new();
        // The ways of the processes so far, in each combination.
        let mut combined: Vec<Vec<Way>> = vec![Vec::new()];
        let mut participants = Vec::new();
        for (value, site) in way {
            let index = self.system.family(site.family).index.as_ref().map(|binder| binder.index);
            // Every process chooses for itself, also where it does so at the same statement as another.
            let mut ways: Vec<Way> = site.ways.iter().map(|way| self.renewed(way)).collect();
            let mut guard = site.guard.clone();
            if let (Some(index), Some(value)) = (index, value) {
                let value = Expr::Int(*value);
                for part in ways.iter_mut().flatten() {
                    *part = part.replace(index, &value);
                }
                guard = fold::replace(&guard, index, &value);
            }
            guards.push(guard);
            let longer = |known: &Vec<Way>| {
                let known = known.clone();
                ways.iter().map(move |way| known.iter().cloned().chain([way.clone()]).collect())
            };
            combined = combined.iter().flat_map(longer).collect();
            let (family, label) = (site.family, site.label.clone());
            participants.push(Participant { family, index: None, only: *value, label });
        }
        let ways = combined.iter().map(|ways| taken_together(ways, Vec::new())).collect();
        let step = self.path(&one_of(ways), Typed::literal(Kind::Bool, 1));
        guards.push(step.enabling.expr);
        Action { participants, parameters: Vec::new(), guard: fold::and(guards), update: step.update }
    }

    /// The joint event that an event of a property or of fairness names.
    pub(super) fn joint_event(&self, event: &Event) -> Option<usize> {
        let [party] = &event.parties[..] else { return None };
        match self.names.get(party.process.text.as_str()) {
            Some((_, Global::Event(number))) => Some(*number),
            _ => None,
        }
    }

    /// Parties such that the event is taken iff one of them acts.
    pub(super) fn sites_of(&mut self, number: usize, span: Span) -> Option<Vec<Party>> {
        let sites = self.joint[number].owner.clone();
        if sites.is_empty() && !self.has_errors() {
            self.error(span, "no process takes part in this event", "never happens");
        }
        (!sites.is_empty()).then_some(sites)
    }
}

/// The ways of several processes as one, with `rest` behind what comes before in all of them.
fn taken_together(ways: &[Way], rest: Vec<Part>) -> Way {
    match ways.split_first() {
        None => rest,
        Some((way, others)) => {
            fill(way, &mut |_, after| taken_together(others, rest.iter().chain(after).cloned().collect()))
        }
    }
}
