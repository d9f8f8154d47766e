//! The names of a DVE file, and what they are called in ours.
//!
//! A name is kept if it can be. It gets a `_` at its end if our language reserves it, or if something else is called so:
//! in DVE a variable of a process may have the name of one of the whole file, in ours it may not.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::{Diagnostic, nearest};
use lang::syntax::{Name, Span};

use super::expressions::constant;
use super::syntax::{File, Process, Type, Variable};
use crate::tree::free;

/// What a name of a variable or constant stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A number.
    Constant(i64),
    /// A table of numbers, with its name.
    Table(String, Vec<i64>),
    /// A variable, with its name.
    Variable { called: String, kind: Type, size: Option<i64> },
}

impl Meaning {
    /// Whether it has elements.
    pub(super) fn is_array(&self) -> bool {
        match self {
            Meaning::Constant(_) => false,
            Meaning::Table(..) => true,
            Meaning::Variable { size, .. } => size.is_some(),
        }
    }
}

/// A process: its name, its variables and the labels of its states.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) called: String,
    pub(super) variables: BTreeMap<String, Meaning>,
    pub(super) states: BTreeMap<String, String>,
    /// The states during which only processes in such states step, by their names in the file.
    pub(super) committed: BTreeSet<String>,
}

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) variables: BTreeMap<String, Meaning>,
    pub(super) channels: BTreeMap<String, String>,
    /// The channels that hold messages, by their names in the file.
    pub(super) buffered: BTreeSet<String>,
    pub(super) processes: BTreeMap<String, Scope>,
    /// The event that all processes take together, in a synchronous system.
    pub(super) together: Option<String>,
}

/// The largest number of elements of an array.
const ELEMENTS: i64 = 1_000_000;

impl Names {
    /// The names of a file. All its constants get their values.
    pub(super) fn new(file: &File) -> Result<Names, Box<Diagnostic>> {
        let mut names = Names::default();
        let mut taken = BTreeSet::new();
        let mut declared = BTreeMap::new();
        for variable in &file.variables {
            once(&mut declared, &variable.name)?;
            let meaning = names.meaning(variable, None, &mut taken)?;
            names.variables.insert(variable.name.text.clone(), meaning);
        }
        for channel in &file.channels {
            once(&mut declared, &channel.name)?;
            let called = free(&channel.name.text, &mut taken);
            names.channels.insert(channel.name.text.clone(), called);
            if constant(&channel.capacity, &names, None)? != 0 {
                names.buffered.insert(channel.name.text.clone());
            }
        }
        for process in &file.processes {
            once(&mut declared, &process.name)?;
            let called = free(&process.name.text, &mut taken);
            let states = states(process)?;
            let mut scope = Scope { called, variables: BTreeMap::new(), states, committed: BTreeSet::new() };
            let observes = file.property.as_ref().is_some_and(|own| own.text == process.name.text);
            for state in &process.committed {
                scope.state(state)?;
                if !observes {
                    scope.committed.insert(state.text.clone());
                }
            }
            names.processes.insert(process.name.text.clone(), scope);
        }
        for process in &file.processes {
            let mut own = taken.clone();
            let mut declared = BTreeMap::new();
            for variable in &process.variables {
                once(&mut declared, &variable.name)?;
                let scope = names.processes.get(&process.name.text);
                // A table belongs to the whole file, so its name must be new there.
                let is_table = variable.is_constant && variable.size.is_some();
                let meaning = names.meaning(variable, scope, if is_table { &mut taken } else { &mut own })?;
                if let Some(scope) = names.processes.get_mut(&process.name.text) {
                    scope.variables.insert(variable.name.text.clone(), meaning);
                }
            }
        }
        names.together = file.synchronous.then(|| free("together", &mut taken));
        Ok(names)
    }

    fn meaning(
        &self,
        variable: &Variable,
        scope: Option<&Scope>,
        taken: &mut BTreeSet<String>,
    ) -> Result<Meaning, Box<Diagnostic>> {
        let value = |expr| constant(expr, self, scope);
        let size = match &variable.size {
            None => None,
            Some(size) => {
                let number = value(size)?;
                if !(1..=ELEMENTS).contains(&number) {
                    let message = "an array has between 1 and 1,000,000 elements";
                    return Err(Diagnostic::error(size.span, message, "not this many").into());
                }
                Some(number)
            }
        };
        if !variable.is_constant {
            return Ok(Meaning::Variable {
                called: free(&variable.name.text, taken),
                kind: variable.kind,
                size,
            });
        }
        let mut values = variable.initial.iter().map(value).collect::<Result<Vec<i64>, _>>()?;
        Ok(match size {
            None => Meaning::Constant(values.first().copied().unwrap_or(0)),
            Some(size) => {
                values.resize(size as usize, 0);
                Meaning::Table(free(&variable.name.text, taken), values)
            }
        })
    }

    /// What a name means in a process, or in the whole file.
    pub(super) fn find(
        &self,
        name: &str,
        span: Span,
        scope: Option<&Scope>,
    ) -> Result<&Meaning, Box<Diagnostic>> {
        // Invariant: a scope is one of this file's processes.
        let own = scope.and_then(|scope| self.processes.values().find(|known| known.called == scope.called));
        let local = own.and_then(|scope| scope.variables.get(name));
        local.or_else(|| self.variables.get(name)).ok_or_else(|| {
            let known = own.into_iter().flat_map(|scope| scope.variables.keys()).chain(self.variables.keys());
            Box::new(unknown(format!("there is no variable or constant `{name}`"), name, span, known))
        })
    }

    /// A process.
    pub(super) fn process(&self, name: &Name) -> Result<&Scope, Box<Diagnostic>> {
        let message = || format!("there is no process `{}`", name.text);
        self.processes
            .get(&name.text)
            .ok_or_else(|| Box::new(unknown(message(), &name.text, name.span, self.processes.keys())))
    }

    /// A channel.
    pub(super) fn channel(&self, name: &Name) -> Result<&str, Box<Diagnostic>> {
        let message = || format!("there is no channel `{}`", name.text);
        let found = self.channels.get(&name.text).map(String::as_str);
        found.ok_or_else(|| Box::new(unknown(message(), &name.text, name.span, self.channels.keys())))
    }
}

impl Scope {
    /// The label of a state.
    pub(super) fn state(&self, name: &Name) -> Result<&str, Box<Diagnostic>> {
        let message = || format!("this process has no state `{}`", name.text);
        let found = self.states.get(&name.text).map(String::as_str);
        found.ok_or_else(|| Box::new(unknown(message(), &name.text, name.span, self.states.keys())))
    }

    /// A label for a transition, unlike all those that are taken.
    pub(super) fn transition(&self, from: &str, to: &str, taken: &mut BTreeSet<String>) -> String {
        let base = format!("{from}_to_{to}");
        let is_free = |label: &String, taken: &BTreeSet<String>| {
            !taken.contains(label) && !self.states.values().any(|state| state == label)
        };
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let label = std::iter::once(base.clone()).chain(numbered).find(|label| is_free(label, taken));
        let label = label.unwrap_or(base);
        taken.insert(label.clone());
        label
    }
}

/// The labels of the states of a process.
fn states(process: &Process) -> Result<BTreeMap<String, String>, Box<Diagnostic>> {
    let mut declared = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut states = BTreeMap::new();
    for state in &process.states {
        once(&mut declared, state)?;
        states.insert(state.text.clone(), free(&state.text, &mut taken));
    }
    Ok(states)
}

fn once<'a>(declared: &mut BTreeMap<&'a str, Span>, name: &'a Name) -> Result<(), Box<Diagnostic>> {
    match declared.insert(&name.text, name.span) {
        None => Ok(()),
        Some(first) => {
            let message = format!("`{}` is declared twice", name.text);
            Err(Diagnostic::error(name.span, message, "the second time")
                .related(first, "the first time")
                .into())
        }
    }
}

fn unknown<'a>(
    message: String,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'a String>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, message, "not declared");
    match nearest(name, known.into_iter().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}
