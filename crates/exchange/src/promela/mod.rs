//! Promela, the language of SPIN. `read` reads it; the rest of this folder writes it.
//!
//! Every process becomes a process that repeats its actions. Each action is a guarded `d_step` and so one transition;
//! the control location is a variable. If there is one initial state, the model starts in it. Otherwise `init` chooses
//! one in an atomic sequence that starts the processes, and formulas are evaluated from the state where that is
//! `begun`. Where no action is enabled, SPIN repeats the last state for ever, as we do. But `-f` ignores such runs, and
//! those steps record nothing. So where it matters, a process `idle` takes the step of a deadlock. A fault sets `fault`
//! and violates an assertion. Every formula also claims that there is no fault, which keeps SPIN from cutting off runs
//! that lead to one.

mod claims;
mod expressions;
mod names;
mod observers;
pub(crate) mod read;
mod steps;

use std::fmt::Write;

use crate::export::Refusal;
use crate::export::range::defined;
use claims::Claim;
use expressions::Writer;
use model::instance::{Environment, Start};
use model::{ActionId, Expr, State, Task, ground, semantics, show};
use names::Names;
use observers::Observers;
use steps::Options;

use crate::export::{Exported, refusal};

/// The tasks of one file as a Promela model with one formula per task.
///
/// Refused as a whole if the system cannot be expressed, or if none of several properties can.
pub fn promela(tasks: &[Task]) -> Result<Exported, Refusal> {
    let Some(first) = tasks.first() else {
        return Err(refusal("there is no property to export"));
    };
    let instance = first.instance().ok_or_else(crate::export::open)?;
    crate::export::require_listed(instance, "SPIN")?;
    let mut names = Names::new(instance);
    let titles: Vec<String> = tasks.iter().map(|task| names.claim(&task.property.name.to_string())).collect();
    let writer = Writer { instance, names: &names };
    let mut program = Program::new(writer)?;
    let mut refused = Vec::new();
    for (task, title) in tasks.iter().zip(titles) {
        // The recordings of a refused property are dropped.
        let mut observers = program.observers.clone();
        match claims::claim(&writer, &mut observers, task) {
            Ok(claim) => {
                program.observers = observers;
                program.claims.push((task, title, claim));
            }
            Err(refusal) => refused.push((task.property.name.to_string(), refusal)),
        }
    }
    if program.claims.is_empty() {
        let (name, Refusal { reason, instead }) = refused.swap_remove(0);
        return Err(Refusal { reason: format!("`{name}`: {reason}"), instead });
    }
    Ok(Exported { text: program.text(&refused)?, companion: None, refused })
}

/// Limit on the number of processes. SPIN's own limit is 255, including `init`.
const PROCESSES: usize = 250;

struct Program<'a> {
    writer: Writer<'a>,
    /// The initial state, if there is surely only one.
    start: Option<State>,
    /// Per process, its actions.
    actions: Vec<Vec<(ActionId, Options)>>,
    observers: Observers,
    claims: Vec<(&'a Task, String, Claim)>,
}

impl<'a> Program<'a> {
    fn new(writer: Writer<'a>) -> Result<Program<'a>, Refusal> {
        let instance = writer.instance;
        // A variable that does not fit is a better reason to refuse than an expression that reads it.
        writer.names.declarations(instance, None)?;
        let mut actions: Vec<Vec<(ActionId, Options)>> =
            instance.processes.iter().map(|_| Vec::new()).collect();
        for (number, action) in instance.actions.iter().enumerate() {
            let id = ActionId(number as u32);
            let options = steps::options(&writer, id).map_err(|Refusal { reason, instead }| Refusal {
                reason: format!("{reason} (in `{}`)", action.name),
                instead,
            })?;
            // A rendezvous belongs to its first process.
            let owner = action.participants.first().map_or(0, |(process, _)| process.0 as usize);
            actions[owner].push((id, options));
        }
        let active = actions.iter().filter(|actions| !actions.is_empty()).count();
        if active > PROCESSES {
            return Err(refusal(format!("SPIN runs at most {PROCESSES} processes, and there are {active}")));
        }
        let values = instance.starts.iter().map(|start| match start {
            Start::Among(values) if values.len() == 1 => Some(values[0]),
            _ => None,
        });
        let start = values.collect::<Option<Vec<i64>>>().map(State);
        let start = start.filter(|state| semantics::is_initial(instance, state) == Ok(true));
        Ok(Program { writer, start, actions, observers: Observers::default(), claims: Vec::new() })
    }

    fn text(&self, refused: &[(String, Refusal)]) -> Result<String, Refusal> {
        let Program { writer, observers, .. } = self;
        let instance = writer.instance;
        let parts = self.actions.iter().flatten().map(|(_, options)| options);
        let mut may_fault = observers.may_fault(writer)?;
        for options in parts {
            may_fault |= options.may_fault || !options.faults.is_empty();
        }
        let (init, init_may_fault) = self.init()?;
        may_fault |= init_may_fault;
        let mut text = self.header(refused);
        text += &writer.names.declarations(instance, self.start.as_ref().map(|state| &state.0[..]))?;
        let mut faulty_at_first = false;
        if let Some(start) = &self.start {
            let value = |predicate: &Expr| semantics::state_predicate(instance, predicate, start).ok();
            text += &observers.declarations(writer, &value)?;
            faulty_at_first = observers.present().any(|predicate| value(predicate).is_none());
        } else {
            text += "bool begun; /* an initial state has been chosen */\n";
            text += &observers.declarations(writer, &|_| None)?;
        }
        if may_fault {
            let _ = writeln!(
                text,
                "bool fault = {faulty_at_first}; /* a value has left its range, or the like */"
            );
        }
        let updates =
            (0..instance.actions.len()).map(|number| ground::update(instance, ActionId(number as u32)));
        for number in 0..updates.map(|update| steps::places(&update)).max().unwrap_or(0) {
            let _ = writeln!(text, "hidden int t{number};");
        }
        for (number, actions) in self.actions.iter().enumerate().filter(|(_, actions)| !actions.is_empty()) {
            text += &self.process(number, actions);
        }
        if self.idles() {
            text += &self.idle();
        }
        text += &init;
        for (task, title, claim) in &self.claims {
            text += &self.ltl(task, title, claim, may_fault);
        }
        Ok(text)
    }

    /// A comment: what the file is, how to run it, and which properties are missing.
    fn header(&self, refused: &[(String, Refusal)]) -> String {
        let name = &self.writer.instance.system.name;
        let scheduled = self.claims.iter().any(|(_, _, claim)| claim.scheduled);
        let processes = self.actions.iter().filter(|actions| !actions.is_empty()).count() + 2;
        let copies = (processes + 2) / 4 + 1;
        let copies = if scheduled && copies > 2 { format!(" -DNFAIR={copies}") } else { String::new() };
        let mut text = format!(
            "/* {name}, exported by Fairly.\n\n   \
             spin -a {name}.pml && gcc -O2 -DNOREDUCE{copies} -o pan pan.c\n   \
             ./pan -a -N NAME        checks a formula; with -f where the formula says so\n\n   \
             A property holds if pan reports `errors: 0` (and not that its search was cut off: -m sets its depth).\n   \
             Partial order reduction is off because formulas may count steps.\n"
        );
        if !refused.is_empty() {
            text += "\n   Not in this file:\n";
            for (name, refusal) in refused {
                let _ = writeln!(text, "   {name}: {}", refusal.reason);
            }
        }
        text += "*/\n\n";
        text
    }

    fn process(&self, number: usize, actions: &[(ActionId, Options)]) -> String {
        let instance = self.writer.instance;
        let active = if self.start.is_some() { "active " } else { "" };
        let name = &self.writer.names.processes[number];
        let mut text =
            format!("\n{active}proctype {name}() {{ /* {} */\n    do\n", instance.processes[number].name);
        for (id, Options { commands, faults, .. }) in actions {
            let _ = writeln!(text, "    /* {}: {} */", id.0 + 1, instance.action(*id).name);
            for guard in faults {
                let _ = writeln!(text, "    :: {}", steps::fault_option(guard));
            }
            for (guard, body) in commands {
                let step = self.step(id.0 + 1, body);
                let _ = writeln!(text, "    :: d_step {{ {guard} -> {step} }}");
            }
        }
        text += "    od\n}\n";
        text
    }

    /// The statements of a step and of what it records.
    fn step(&self, number: u32, body: &str) -> String {
        let mut text = String::new();
        if self.observers.watch_steps() {
            let _ = write!(text, "last = {number}; observe(); ");
        }
        text += body;
        if self.observers.watch_states() {
            text += "reveal(); ";
        }
        match text.trim_end().trim_end_matches(';') {
            "" => "skip".to_owned(),
            text => text.to_owned(),
        }
    }

    /// Whether the model needs explicit steps for deadlocks.
    fn idles(&self) -> bool {
        self.observers.watch_steps()
            || self.claims.iter().any(|(_, _, claim)| claim.scheduled)
            || self.actions.iter().all(Vec::is_empty)
    }

    fn idle(&self) -> String {
        let active = if self.start.is_some() { "active " } else { "" };
        let mut text =
            format!("\n{active}proctype idle() {{ /* the step of a deadlock */\n    do\n    :: d_step {{ (");
        let disabled: Vec<String> =
            self.actions.iter().flatten().map(|(_, options)| format!("!({})", options.enabled)).collect();
        text += if disabled.is_empty() { "true" } else { "" };
        let _ = writeln!(text, "{}) -> {} }}\n    od\n}}", disabled.join("\n        && "), self.step(0, ""));
        text
    }

    /// The choice of an initial state, if there may be several, and whether it may cause a fault.
    fn init(&self) -> Result<(String, bool), Refusal> {
        let Program { writer, .. } = self;
        let instance = writer.instance;
        if self.start.is_some() {
            return Ok((String::new(), false));
        }
        let mut text = "\ninit {\n    atomic {\n".to_owned();
        let mut may_fault = false;
        let mut tests: Vec<Expr> = Vec::new();
        for predicate in &instance.system.init {
            match ground::expression(instance, predicate, &mut Environment::default()) {
                Expr::And(parts) => tests.extend(parts),
                other => tests.push(other),
            }
        }
        let mut tests = tests.into_iter().peekable();
        for cell in 0..=instance.cells.len() {
            // A test comes after the choice of all cells it reads, and after all earlier tests.
            while let Some(test) =
                tests.next_if(|test| ground::reads(instance, test).into_iter().all(|read| read < cell))
            {
                if let Some(check) = steps::check(writer, &defined(instance, &test)?)? {
                    may_fault = true;
                    let _ = writeln!(text, "        {}", check.trim_end());
                }
                let _ = writeln!(text, "        {};", writer.operand(&test)?);
            }
            let (Some(start), Some(owner)) = (instance.starts.get(cell), instance.cells.get(cell)) else {
                break;
            };
            let name = writer.names.cell(instance, cell);
            let value = |value: i64| writer.names.value(instance, owner.variable, value);
            match start {
                Start::Among(values) if values.len() == 1 => {
                    let _ = writeln!(text, "        {name} = {};", value(values[0]));
                }
                Start::Among(values) => {
                    let choices: Vec<String> =
                        values.iter().map(|v| format!(":: {name} = {}", value(*v))).collect();
                    let _ = writeln!(text, "        if {} fi;", choices.join(" "));
                }
                Start::Any => {
                    let (lo, hi) = (value(owner.domain.lo), value(owner.domain.hi));
                    let _ = writeln!(
                        text,
                        "        {name} = {lo}; do :: {name} < {hi} -> {name} = {name} + 1 :: break od;"
                    );
                }
            }
        }
        if self.observers.watch_states() {
            text += "        reveal();\n";
        }
        for (number, _) in self.actions.iter().enumerate().filter(|(_, actions)| !actions.is_empty()) {
            let _ = writeln!(text, "        run {}();", writer.names.processes[number]);
        }
        if self.idles() {
            text += "        run idle();\n";
        }
        text += "        begun = true\n    }\n    false\n}\n";
        Ok((text, may_fault))
    }

    fn ltl(&self, task: &Task, title: &str, claim: &Claim, may_fault: bool) -> String {
        let system = &self.writer.instance.system;
        let ready = match (claim.delay, &self.start) {
            (0, Some(_)) => None,
            (0, None) => Some("begun".to_owned()),
            (delay, _) => Some(format!("age >= {delay}")),
        };
        let formula =
            if may_fault { format!("([] (! (fault))) && {}", claim.formula) } else { claim.formula.clone() };
        let formula = match ready {
            None => formula,
            // `ready` stays true once it is. SPIN translates the negation, which is smallest in this form.
            Some(ready) => format!("! ((! ({ready})) U (({ready}) && (! ({formula}))))"),
        };
        let option = if claim.scheduled { " -f" } else { "" };
        format!(
            "\n/* {}: {}\n   fairness: {}\n   ./pan -a{option} -N {title} */\nltl {title} {{ {formula} }}\n",
            task.property.name,
            show::kind(system, &task.property.kind),
            claim.fairness
        )
    }
}
