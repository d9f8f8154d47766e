//! The answers of solvers, and idle solvers.
//!
//! Whether a formula has a model does not depend on who asks, so an answer is good for every later task. Checks of one
//! program under several assumptions mostly ask the same questions. A question asked without other assertions is
//! remembered by its text, together with the answer. *Unknown* is remembered if the solver said so itself, but not if it
//! died or was too slow.
//!
//! Starting a solver costs as much as some hundred answers, so a solver that is no longer needed waits for the next task.
//! An idle solver has no assertions. Its declarations stay, because a name always means the same variable.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arith::{Ratio, Var};

use crate::formula::Formula;
use crate::solver::{Answer, Sort};
use crate::solvers::{Pipe, Program, Received};

/// A question asked without other assertions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) program: Program,
    pub(crate) effort: u64,
    pub(crate) text: String,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    /// The values asked for.
    pub(crate) values: Vec<Ratio>,
    /// The formulas asked for.
    pub(crate) formulas: Vec<Formula>,
}

/// Answers, and idle solvers.
#[derive(Default)]
pub struct Remembered {
    known: Mutex<Replies>,
    idle: Mutex<Vec<Idle>>,
}

/// An idle solver, which has no assertions.
pub(crate) struct Idle {
    pub(crate) program: Program,
    pub(crate) pipe: Box<dyn Pipe>,
    pub(crate) declared: BTreeSet<(Sort, Var)>,
}

#[derive(Default)]
struct Replies {
    replies: HashMap<Question, Reply>,
    /// The length of all texts.
    length: usize,
}

/// The greatest length of all remembered texts.
const LENGTH: usize = 64 << 20;

/// The greatest number of idle solvers.
const IDLE: usize = 4;

/// How long an idle solver may take to show that it is alive.
const SIGN: Duration = Duration::from_secs(1);

impl Remembered {
    pub(crate) fn recall(&self, question: &Question) -> Option<Reply> {
        locked(&self.known).replies.get(question).cloned()
    }

    pub(crate) fn remember(&self, question: Question, reply: &Reply) {
        let mut known = locked(&self.known);
        if known.length + question.text.len() <= LENGTH {
            known.length += question.text.len();
            known.replies.insert(question, reply.clone());
        }
    }

    /// Takes an idle solver that is alive.
    pub(crate) fn idle(&self, program: Program) -> Option<Idle> {
        loop {
            let mut waiting = locked(&self.idle);
            let position = waiting.iter().rposition(|idle| idle.program == program)?;
            let mut idle = waiting.remove(position);
            drop(waiting);
            if idle.pipe.send("(echo \"here\")\n") && is_here(idle.pipe.as_mut()) {
                return Some(idle);
            }
        }
    }

    /// Keeps a solver for later, and drops the oldest if there are too many.
    pub(crate) fn keep(&self, idle: Idle) {
        let mut waiting = locked(&self.idle);
        if waiting.len() >= IDLE {
            waiting.remove(0);
        }
        waiting.push(idle);
    }
}

/// Whether a solver echoes what it was told to.
fn is_here(pipe: &mut dyn Pipe) -> bool {
    loop {
        match pipe.receive(SIGN) {
            Received::Line(line) if line.trim().trim_matches('"') == "here" => return true,
            Received::Line(line) if line.trim().is_empty() => {}
            _ => return false,
        }
    }
}

/// The tables are consistent at every moment, so a thread that panicked did no harm.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
