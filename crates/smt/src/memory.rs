//! What solvers were asked and said, and those that have nothing to do at the moment.
//!
//! Whether a formula has a model does not depend on who asks, so an answer is good for every later task: checks of one
//! program under several assumptions mostly ask the same. A question that stands by itself is remembered by its text
//! with the answer that was given, *unknown* too if it was given for want of effort; that a solver died or was too slow is
//! not remembered. Starting a solver costs as much as some hundred answers, so one that is no longer needed waits for the
//! next task. Nothing is asserted in it then; what is declared stays, because names mean the same to everybody.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arith::{Ratio, Var};

use crate::formula::Formula;
use crate::solver::{Answer, Sort};
use crate::solvers::{Pipe, Program, Received};

/// A question that stands by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) program: Program,
    pub(crate) effort: u64,
    pub(crate) text: String,
}

/// What was said.
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
pub struct Memory {
    known: Mutex<Remembered>,
    idle: Mutex<Vec<Idle>>,
}

/// A solver that waits, with nothing asserted.
pub(crate) struct Idle {
    pub(crate) program: Program,
    pub(crate) pipe: Box<dyn Pipe>,
    pub(crate) declared: BTreeSet<(Sort, Var)>,
}

#[derive(Default)]
struct Remembered {
    replies: HashMap<Question, Reply>,
    /// The length of all texts.
    length: usize,
}

/// How long all texts that are remembered may be.
const LENGTH: usize = 64 << 20;

/// How many solvers may wait.
const IDLE: usize = 4;

/// How long a solver that waited has for a sign that it is still there.
const SIGN: Duration = Duration::from_secs(1);

impl Memory {
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

    /// A solver that has nothing to do.
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

    /// Keeps a solver for later; the oldest has to go if there are many.
    pub(crate) fn keep(&self, idle: Idle) {
        let mut waiting = locked(&self.idle);
        if waiting.len() >= IDLE {
            waiting.remove(0);
        }
        waiting.push(idle);
    }
}

/// Whether the sign comes.
fn is_here(pipe: &mut dyn Pipe) -> bool {
    loop {
        match pipe.receive(SIGN) {
            Received::Line(line) if line.trim().trim_matches('"') == "here" => return true,
            Received::Line(line) if line.trim().is_empty() => {}
            _ => return false,
        }
    }
}

/// What is kept here is whole at every moment, so a thread that panicked did no harm.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
