//! A running solver.
//!
//! Commands are sent and answers read back. Everything asserted is remembered level by level, so that a solver that
//! misbehaves can be killed and replaced. The new one is told what the old one knew, and the query in hand is answered
//! *unknown*. A solver misbehaves if it dies, takes longer than the limit, writes more than [`LONGEST`] bytes, speaks
//! without being asked, or gives an answer that is no answer to the question. A solver that cannot be started again
//! answers *unknown* ever after. While waiting, the owner's stop is asked every few milliseconds.
//!
//! Variables are declared when they first occur and stay declared. They are integers; the unknowns of systems of linear
//! inequalities that may have rational solutions have names of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arith::{Linear, Ratio, Var};

use crate::formula::Formula;
use crate::parse::{Meaning, Sexpr, balance, formula, number, sexprs};
use crate::remembered::{Idle, Question, Reply};
use crate::solvers::{Absent, Pipe, Program, Received, Solvers};
use crate::write::{write_formula, write_linear};

/// What the variables of a formula stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sort {
    Int,
    Real,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Int => "Int",
            Sort::Real => "Real",
        }
    }

    /// What the names of its variables begin with.
    pub(crate) fn letter(self) -> char {
        match self {
            Sort::Int => 'v',
            Sort::Real => 'r',
        }
    }
}

/// What a solver says of its assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// It does not know, was too slow, or died.
    Unknown,
}

/// A Horn clause over predicates of integer arguments: if the body and the constraint, then the head.
///
/// An application is a predicate's number and its arguments; without a head the clause says that this cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Applications that must be true.
    pub body: Vec<(usize, Vec<Linear>)>,
    /// What else must be true.
    pub constraint: Formula,
    /// What then is true.
    pub head: Option<(usize, Vec<Linear>)>,
}

/// How long one wait for a line is, between two questions whether to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long a wait counts that a line has ended. There is no clock here, and a solver that writes a line now and then
/// must reach the limit, too.
const INTERRUPTED: Duration = Duration::from_millis(5);

/// The greatest length of an answer, in bytes.
const LONGEST: usize = 16 << 20;

/// How many bytes a line counts beside its own, so that many empty lines are a long answer, too.
const LINE: usize = 64;

/// Numbers the solvers, for the sink.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A running solver.
pub struct Solver<'s> {
    solvers: &'s Solvers,
    program: Program,
    stop: &'s (dyn Fn() -> bool + Sync),
    pipe: Option<Box<dyn Pipe>>,
    /// What was asserted, per level.
    levels: Vec<Vec<String>>,
    declared: BTreeSet<(Sort, Var)>,
    number: u64,
    /// Commands that are sent together with the next query.
    outbox: String,
    /// How long the query in hand may take.
    limit: Duration,
    /// The limit on the work of z3 for a query, in its own units; 0 for no limit.
    effort: u64,
    /// The number of queries, including those whose answer was known.
    pub queries: u64,
    /// How long its answers were waited for.
    pub waited: Duration,
}

impl<'s> Solver<'s> {
    /// Starts a solver; `stop` is asked while waiting.
    pub fn new(
        solvers: &'s Solvers,
        program: Program,
        stop: &'s (dyn Fn() -> bool + Sync),
    ) -> Result<Solver<'s>, Absent> {
        let mut solver = Solver {
            solvers,
            program,
            stop,
            pipe: None,
            levels: vec![Vec::new()],
            declared: BTreeSet::new(),
            number: 0,
            outbox: String::new(),
            limit: solvers.limit,
            effort: 0,
            queries: 0,
            waited: Duration::ZERO,
        };
        solver.start().map_err(|reason| Absent { program, reason })?;
        Ok(solver)
    }

    /// Sets how long a query may take from now on; never longer than the limit of the [`Solvers`].
    pub fn limit(&mut self, limit: Duration) {
        self.limit = limit.min(self.solvers.limit);
    }

    /// Sets how much z3 may do for a query from now on, in its own units, of which it uses some millions per second.
    /// Unlike a time, this makes the same query end in the same way on every run.
    pub fn effort(&mut self, units: u64) {
        if self.program == Program::Z3 && units != self.effort {
            self.effort = units;
            self.send(&format!("(set-option :rlimit {units})\n"));
        }
    }

    /// Begins a level of assertions.
    pub fn push(&mut self) {
        self.levels.push(Vec::new());
        self.send("(push 1)\n");
    }

    /// Forgets the assertions since the last [`push`](Solver::push).
    pub fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
            self.send("(pop 1)\n");
        }
    }

    /// Asserts a formula.
    pub fn assert(&mut self, formula: &Formula) {
        self.assert_of(Sort::Int, formula);
    }

    fn assert_of(&mut self, sort: Sort, formula: &Formula) {
        self.declare(sort, &formula.vars());
        let mut text = String::new();
        write_assertion(&mut text, sort, formula);
        self.send(&text);
        self.levels.last_mut().expect("there is always a level").push(text);
    }

    /// Whether the assertions have a model.
    pub fn check(&mut self) -> Answer {
        self.queries += 1;
        self.verdict().unwrap_or(Answer::Unknown)
    }

    /// Whether the assertions have a model in which this is true too.
    pub fn check_with(&mut self, formula: &Formula) -> Answer {
        match formula {
            Formula::Bool(false) => Answer::Unsat,
            other => self.solution(Sort::Int, std::slice::from_ref(other), &[]).0,
        }
    }

    /// A model of the assertions in which this is true too: the answer and, if it is *sat*, a value for each variable.
    pub fn model(&mut self, formula: &Formula, vars: &[Var]) -> (Answer, Vec<i128>) {
        let (answer, values) = self.solution(Sort::Int, std::slice::from_ref(formula), vars);
        let integers: Option<Vec<i128>> = values.into_iter().map(Ratio::integer).collect();
        integers.map_or((Answer::Unknown, Vec::new()), |values| (answer, values))
    }

    /// A rational solution of a system: the answer and, if it is *sat*, a value for each unknown.
    pub fn rational(&mut self, system: &[Formula], unknowns: &[Var]) -> (Answer, Vec<Ratio>) {
        self.solution(Sort::Real, system, unknowns)
    }

    fn solution(&mut self, sort: Sort, system: &[Formula], vars: &[Var]) -> (Answer, Vec<Ratio>) {
        self.queries += 1;
        let mut text = String::new();
        system.iter().for_each(|formula| write_assertion(&mut text, sort, formula));
        write_question(&mut text, sort, vars);
        let reply = self.remembering(text, |solver| {
            solver.push();
            system.iter().for_each(|formula| solver.assert_of(sort, formula));
            let answer = solver.verdict();
            let values = match answer {
                Some(Answer::Sat) => solver.values(sort, vars),
                _ => Some(Vec::new()),
            };
            solver.pop();
            Some(Reply { answer: answer?, values: values?, formulas: Vec::new() })
        });
        reply.map_or((Answer::Unknown, Vec::new()), |reply| (reply.answer, reply.values))
    }

    /// The values of variables, right after a verdict that was *sat*.
    fn values(&mut self, sort: Sort, vars: &[Var]) -> Option<Vec<Ratio>> {
        if vars.is_empty() {
            return Some(Vec::new());
        }
        self.declare(sort, &vars.iter().copied().collect());
        let mut text = String::new();
        write_question(&mut text, sort, vars);
        self.send(&text);
        let reply = sexprs(&self.answer()?)?;
        let pairs = reply.first()?.list()?;
        (pairs.len() == vars.len()).then_some(())?;
        pairs.iter().map(|pair| number(pair.list()?.get(1)?)).collect()
    }

    /// A formula without these variables that is equivalent to their existence (z3 only); nothing if it is not found.
    pub fn eliminate(&mut self, vars: &BTreeSet<Var>, body: &Formula) -> Option<Formula> {
        let bound: Vec<Var> = body.vars().intersection(vars).copied().collect();
        if bound.is_empty() {
            return Some(body.clone());
        }
        self.queries += 1;
        let mut text = String::from("(assert (exists (");
        bound.iter().for_each(|var| write!(text, "(v{} Int)", var.0).expect("writing to a string"));
        text.push_str(") ");
        write_formula(&mut text, Sort::Int, body);
        text.push_str("))\n(apply (then simplify qe simplify propagate-ineqs) :print true)\n");
        // A goal would contain the other assertions as well.
        debug_assert!(self.levels.iter().all(Vec::is_empty), "quantifiers are eliminated on an empty solver");
        let reply = self.remembering(text.clone(), |solver| {
            solver.declare(Sort::Int, &body.vars());
            solver.push();
            solver.send(&text);
            let reply = solver.answer();
            solver.pop();
            let result = goals(&reply?)?;
            let formulas = result.vars().is_disjoint(vars).then_some(vec![result])?;
            Some(Reply { answer: Answer::Sat, values: Vec::new(), formulas })
        });
        reply?.formulas.pop()
    }

    /// An interpretation of the predicates that satisfies the clauses (z3 only): *sat* and a formula over
    /// `Var(0), Var(1), …` for the arguments of each predicate; *unsat* if there is none. On a solver of its own.
    pub fn horn(&mut self, arities: &[usize], clauses: &[Clause]) -> (Answer, Vec<Formula>) {
        self.queries += 1;
        let mut text = format!("(reset)\n(set-option :rlimit {})\n(set-logic HORN)\n", self.effort);
        for (predicate, arity) in arities.iter().enumerate() {
            writeln!(text, "(declare-fun P{predicate} ({}) Bool)", "Int ".repeat(*arity)).expect("a string");
        }
        clauses.iter().for_each(|clause| write_clause(&mut text, clause));
        let reply = self.remembering(text.clone(), |solver| {
            solver.send(&text);
            let answer = solver.verdict();
            let formulas = if answer == Some(Answer::Sat) {
                solver.send("(get-model)\n");
                solver.answer().and_then(|reply| interpretations(&reply, arities))
            } else {
                Some(Vec::new())
            };
            solver.send("(reset)\n");
            solver.send(&preamble(solver.program));
            solver.declared.clear();
            Some(Reply { answer: answer?, values: Vec::new(), formulas: formulas? })
        });
        reply.map_or((Answer::Unknown, Vec::new()), |reply| (reply.answer, reply.formulas))
    }

    /// The reply to a question with this text. It is remembered if there are no other assertions.
    fn remembering(
        &mut self,
        text: String,
        ask: impl FnOnce(&mut Solver<'s>) -> Option<Reply>,
    ) -> Option<Reply> {
        if self.levels.iter().any(|level| !level.is_empty()) {
            return ask(self);
        }
        let question = Question { program: self.program, effort: self.effort, text };
        let remembered = &self.solvers.remembered;
        if let Some(reply) = remembered.recall(&question) {
            return Some(reply);
        }
        let reply = ask(self)?;
        remembered.remember(question, &reply);
        Some(reply)
    }

    /// Whether the assertions have a model; nothing if the solver does not say.
    fn verdict(&mut self) -> Option<Answer> {
        self.send("(check-sat)\n");
        match self.answer()?.as_str() {
            "sat" => Some(Answer::Sat),
            "unsat" => Some(Answer::Unsat),
            "unknown" => Some(Answer::Unknown),
            _ => {
                self.replace();
                None
            }
        }
    }

    /// Takes an idle solver, or starts one, and tells it all assertions.
    fn start(&mut self) -> Result<(), String> {
        self.outbox.clear();
        self.number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut text = String::new();
        if let Some(idle) = self.solvers.remembered.idle(self.program) {
            self.pipe = Some(idle.pipe);
            // A replay begins with a new solver.
            let mut known = preamble(self.program);
            idle.declared.iter().for_each(|(sort, var)| write_declaration(&mut known, *sort, *var));
            if let Some(sink) = &self.solvers.sink {
                sink(self.number, &known);
            }
            let missing = self.declared.difference(&idle.declared);
            missing.for_each(|(sort, var)| write_declaration(&mut text, *sort, *var));
            self.declared.extend(idle.declared);
        } else {
            self.pipe = Some((self.solvers.start)(self.program)?);
            text = preamble(self.program);
            self.declared.iter().for_each(|(sort, var)| write_declaration(&mut text, *sort, *var));
        }
        if self.program == Program::Z3 {
            writeln!(text, "(set-option :rlimit {})", self.effort).expect("writing to a string");
        }
        for (number, level) in self.levels.iter().enumerate() {
            if number > 0 {
                text.push_str("(push 1)\n");
            }
            level.iter().for_each(|assertion| text.push_str(assertion));
        }
        self.send(&text);
        Ok(())
    }

    fn declare(&mut self, sort: Sort, vars: &BTreeSet<Var>) {
        let mut text = String::new();
        for var in vars {
            if self.declared.insert((sort, *var)) {
                write_declaration(&mut text, sort, *var);
            }
        }
        if !text.is_empty() {
            self.send(&text);
        }
    }

    /// Sends text together with the next query.
    fn send(&mut self, text: &str) {
        if let Some(sink) = &self.solvers.sink {
            sink(self.number, text);
        }
        self.outbox.push_str(text);
    }

    /// The next answer, which may have several lines. If the solver misbehaves, it is replaced and there is no answer.
    fn answer(&mut self) -> Option<String> {
        let waited = |solver: &Solver<'_>| solver.pipe.as_ref().map_or(Duration::ZERO, |pipe| pipe.waited());
        let before = waited(self);
        let reply = self.ask();
        self.waited += waited(self).saturating_sub(before);
        if reply.is_none() {
            self.replace();
        }
        reply
    }

    /// Sends what is to be sent and reads the answer; nothing if the solver misbehaves.
    fn ask(&mut self) -> Option<String> {
        let Solver { pipe, outbox, limit, stop, .. } = self;
        let pipe = pipe.as_mut()?;
        // Whatever it has said by now was not asked for, and would be taken for the answer.
        if pipe.receive(Duration::ZERO) != Received::Silence {
            return None;
        }
        pipe.send(&std::mem::take(outbox)).then_some(())?;
        let mut waited = Duration::ZERO;
        let mut reply = String::new();
        let (mut open, mut length) = (0, 0);
        while waited < *limit && length < LONGEST {
            let mut received = pipe.receive(Duration::ZERO);
            if received == Received::Silence {
                received = pipe.receive(PATIENCE);
                waited += if received == Received::Silence { PATIENCE } else { INTERRUPTED };
            }
            match received {
                Received::Line(line) => {
                    length += line.len() + LINE;
                    // Empty lines before an answer mean nothing.
                    if !reply.is_empty() || !line.trim().is_empty() {
                        open += balance(&line);
                        reply.push_str(&line);
                        reply.push('\n');
                        if open <= 0 {
                            // After an error it is not known which commands the next answers belong to.
                            let reply = reply.trim();
                            return (!reply.starts_with("(error")).then(|| reply.to_owned());
                        }
                    }
                }
                Received::Silence => {}
                Received::End => return None,
            }
            if stop() {
                return None;
            }
        }
        None
    }

    /// Kills the process and starts another that knows the same. If that fails, every later answer is unknown.
    fn replace(&mut self) {
        self.pipe = None;
        if !(self.stop)() {
            // If it does not start again, the pipe stays closed.
            let _ = self.start();
        }
    }
}

impl Drop for Solver<'_> {
    fn drop(&mut self) {
        let bare = self.levels.len() == 1 && self.levels[0].is_empty();
        if let Some(mut pipe) = self.pipe.take()
            && bare
            && pipe.send(&self.outbox)
        {
            let declared = std::mem::take(&mut self.declared);
            self.solvers.remembered.keep(Idle { program: self.program, pipe, declared });
        }
    }
}

/// The first commands for a solver.
fn preamble(program: Program) -> String {
    let mut text =
        String::from("(set-option :print-success false)\n(set-option :global-declarations true)\n");
    if program == Program::Cvc5 {
        text.push_str("(set-logic ALL)\n");
    }
    text
}

/// The disjunction of the goals that a tactic ended with.
fn goals(reply: &str) -> Option<Formula> {
    let reply = sexprs(reply)?;
    let goals = reply.first()?.list()?;
    if goals.first()?.word()? != "goals" {
        return None;
    }
    let mut disjuncts = Vec::new();
    for goal in &goals[1..] {
        let mut conjuncts = Vec::new();
        let mut items = goal.list()?.get(1..)?.iter();
        while let Some(item) = items.next() {
            if item.word().is_some_and(|word| word.starts_with(':')) {
                items.next();
            } else {
                conjuncts.push(formula(item, &BTreeMap::new())?);
            }
        }
        disjuncts.push(Formula::and(conjuncts));
    }
    Some(Formula::or(disjuncts))
}

fn write_declaration(text: &mut String, sort: Sort, var: Var) {
    writeln!(text, "(declare-const {}{} {})", sort.letter(), var.0, sort.name())
        .expect("writing to a string");
}

fn write_assertion(text: &mut String, sort: Sort, formula: &Formula) {
    text.push_str("(assert ");
    write_formula(text, sort, formula);
    text.push_str(")\n");
}

/// Asks for the values of variables.
fn write_question(text: &mut String, sort: Sort, vars: &[Var]) {
    text.push_str("(get-value (");
    vars.iter().for_each(|var| write!(text, "{}{} ", sort.letter(), var.0).expect("writing to a string"));
    text.push_str("))\n");
}

fn write_application(text: &mut String, (predicate, arguments): &(usize, Vec<Linear>)) {
    if arguments.is_empty() {
        write!(text, "P{predicate}").expect("writing to a string");
        return;
    }
    write!(text, "(P{predicate}").expect("writing to a string");
    for argument in arguments {
        text.push(' ');
        write_linear(text, Sort::Int, argument);
    }
    text.push(')');
}

fn write_clause(text: &mut String, clause: &Clause) {
    let mut vars = clause.constraint.vars();
    let applications = clause.body.iter().chain(&clause.head);
    applications.flat_map(|(_, arguments)| arguments).for_each(|argument| {
        vars.extend(argument.terms().iter().map(|(var, _)| *var));
    });
    text.push_str("(assert ");
    if !vars.is_empty() {
        text.push_str("(forall (");
        vars.iter().for_each(|var| write!(text, "(v{} Int)", var.0).expect("writing to a string"));
        text.push_str(") ");
    }
    text.push_str("(=> (and true ");
    for application in &clause.body {
        write_application(text, application);
        text.push(' ');
    }
    write_formula(text, Sort::Int, &clause.constraint);
    text.push_str(") ");
    match &clause.head {
        Some(head) => write_application(text, head),
        None => text.push_str("false"),
    }
    text.push(')');
    if !vars.is_empty() {
        text.push(')');
    }
    text.push_str(")\n");
}

/// The definitions `(define-fun P0 ((x!0 Int)) Bool …)` of a model.
fn interpretations(reply: &str, arities: &[usize]) -> Option<Vec<Formula>> {
    let mut found: Vec<Option<Formula>> = vec![None; arities.len()];
    let model = sexprs(reply)?;
    for definition in model.first()?.list()? {
        let Some([keyword, name, parameters, _, body]) = definition.list() else { continue };
        if keyword.word() != Some("define-fun") {
            continue;
        }
        let predicate: usize = name.word()?.strip_prefix('P')?.parse().ok()?;
        let mut names = BTreeMap::new();
        for (position, parameter) in parameters.list()?.iter().enumerate() {
            let Some(Sexpr::Word(name)) = parameter.list()?.first() else { return None };
            names.insert(name.clone(), Meaning::Term(Linear::var(Var(position as u32))));
        }
        *found.get_mut(predicate)? = Some(formula(body, &names)?);
    }
    // A predicate that is not mentioned may be anything.
    Some(found.into_iter().map(|formula| formula.unwrap_or(Formula::Bool(true))).collect())
}
