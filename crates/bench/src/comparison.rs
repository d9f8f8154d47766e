//! The result of a row: our answer next to those of others, whether it is right, and how much faster it is.

use crate::exit::Exit;
use crate::measure::{Measurement, Outcome};
use crate::rows::{Question, Row};

/// The result of a row: our answer and those of others.
pub(crate) struct Comparison<'a> {
    pub(crate) row: &'a Row,
    pub(crate) ours: Measurement,
    /// The answers of the peers that were run, by name.
    pub(crate) peers: Vec<(&'a str, Measurement)>,
}

/// How much faster we are than the fastest peer.
pub(crate) struct Gain {
    pub(crate) factor: f64,
    /// Whether no peer ended, so that this is a lower bound.
    pub(crate) bound: bool,
}

impl Gain {
    pub(crate) fn sign(&self) -> &'static str {
        if self.bound { "> " } else { "" }
    }
}

impl Comparison<'_> {
    /// Whether our answer is right; `None` without an answer, or if none is expected.
    pub(crate) fn right(&self) -> Option<bool> {
        self.agrees(&self.ours)
    }

    /// Whether an answer is the expected one.
    pub(crate) fn agrees(&self, answer: &Measurement) -> Option<bool> {
        let Question::Check(check) = &self.row.question else { return None };
        match answer.outcome {
            Outcome::Holds => Some(check.holds),
            Outcome::Fails => Some(!check.holds),
            Outcome::Done | Outcome::Unanswered(_) => None,
        }
    }

    /// Compared with the fastest peer or, if none has an answer, with the longest time a peer took.
    pub(crate) fn gain(&self) -> Option<Gain> {
        let answered = |answer: &&Measurement| !matches!(answer.outcome, Outcome::Unanswered(_));
        if !answered(&&self.ours) {
            return None;
        }
        let ours = self.ours.cpu.max(1e-6);
        let times =
            |answers: Vec<&Measurement>| answers.into_iter().map(|answer| answer.cpu).collect::<Vec<f64>>();
        let peers = || self.peers.iter().map(|(_, answer)| answer);
        let done = times(peers().filter(answered).collect());
        if let Some(best) = done.into_iter().reduce(f64::min) {
            return Some(Gain { factor: best / ours, bound: false });
        }
        let late = |answer: &&Measurement| answer.outcome == Outcome::Unanswered("time".to_owned());
        let late = times(peers().filter(late).collect());
        late.into_iter().reduce(f64::min).map(|least| Gain { factor: least / ours, bound: true })
    }

    /// The exit code of a row; those of all rows are joined by [`Exit::or`].
    pub(crate) fn exit(&self) -> Exit {
        let peers = self.peers.iter().map(|(_, answer)| answer);
        let wrong = peers.chain([&self.ours]).any(|answer| self.agrees(answer) == Some(false));
        match self.ours.outcome {
            _ if wrong => Exit::NotAsExpected,
            Outcome::Unanswered(_) => Exit::Undecided,
            _ => Exit::Fine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn measured(outcome: Outcome, cpu: f64) -> Measurement {
        Measurement { outcome, states: None, engine: None, cpu, memory: 0 }
    }

    fn late(cpu: f64) -> Measurement {
        measured(Outcome::Unanswered("time".to_owned()), cpu)
    }

    /// A row whose property holds, with these answers.
    fn result(ours: Measurement, peers: Vec<Measurement>, check: &dyn Fn(Comparison)) {
        let sets = rows::sets().expect("the sets are well-formed");
        let holds = |row: &&Row| matches!(&row.question, Question::Check(check) if check.holds);
        let row = sets.iter().flat_map(|set| &set.rows).find(holds).expect("a row that holds");
        check(Comparison { row, ours, peers: peers.into_iter().map(|answer| ("peer", answer)).collect() });
    }

    #[test]
    fn a_wrong_verdict_of_anyone_is_not_as_expected() {
        result(measured(Outcome::Holds, 1.0), vec![], &|r| {
            assert_eq!((r.right(), r.exit()), (Some(true), Exit::Fine));
        });
        result(measured(Outcome::Fails, 1.0), vec![], &|r| {
            assert_eq!((r.right(), r.exit()), (Some(false), Exit::NotAsExpected));
        });
        result(measured(Outcome::Holds, 1.0), vec![measured(Outcome::Fails, 1.0)], &|r| {
            assert_eq!((r.right(), r.exit()), (Some(true), Exit::NotAsExpected));
        });
        result(late(1.0), vec![], &|r| assert_eq!((r.right(), r.exit()), (None, Exit::Undecided)));
    }

    #[test]
    fn the_gain_is_over_the_fastest_peer_that_answered() {
        let gain = |ours, peers, expected: Option<(f64, bool)>| {
            result(ours, peers, &|r| assert_eq!(r.gain().map(|gain| (gain.factor, gain.bound)), expected));
        };
        let holds = |cpu| measured(Outcome::Holds, cpu);
        gain(holds(2.0), vec![holds(8.0), holds(6.0), late(1.0)], Some((3.0, false)));
        gain(holds(2.0), vec![late(8.0), late(6.0)], Some((3.0, true)));
        gain(holds(2.0), vec![], None);
        gain(late(2.0), vec![holds(8.0)], None);
    }
}
