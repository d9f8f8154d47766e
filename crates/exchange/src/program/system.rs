//! Builds a system of the model from the blocks of a program.

use std::collections::BTreeMap;

use arith::{Condition, EliminationError, Linear, Var};
use model::expr::{Binder, Index, Place};
use model::system::{
    Action, EnumId, Enumeration, Family, IndexName, Initial, Participant, Scalar, System, Type, Variable,
};
use model::{Expr, FamilyId, Span, Update, VariableId};

use super::block::{LOCAL, Reader, Step, too_large};
use super::claim::variable;
use super::exact::{Exact, exact};
use super::flags::Flags;
use super::flow::{Role, roles};
use super::syntax::{Command, Node, Program};
use super::{Blocks, Reading, Stuck};
use lang::diagnostic::Diagnostic;
use lang::linear;

/// The label of the step that a program takes for ever after it has ended.
pub(crate) const TERMINATED: &str = "terminated";

/// Limit on the sentences about approximations.
const SENTENCES: usize = 5;

/// A program as a system.
pub(crate) struct Built {
    pub(crate) system: System,
    /// The names of the variables, by number.
    pub(crate) variables: Vec<String>,
    /// The names of the locations, by number.
    pub(crate) locations: Vec<String>,
    /// Whether a state may have no step. A cheap test that may say yes too often.
    pub(crate) may_be_stuck: bool,
    /// Whether there is a step `terminated`.
    pub(crate) terminates: bool,
    /// Whether there are variables with ranges.
    pub(crate) flags: bool,
    numbers: BTreeMap<String, u32>,
}

impl Built {
    /// The number of a variable.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a location.
    pub(crate) fn location(&self, name: &str) -> Option<usize> {
        self.locations.iter().position(|location| location == name)
    }

    /// The condition that the program is at a location.
    pub(crate) fn at(&self, location: usize) -> Expr {
        at(self.variables.len(), location)
    }
}

/// Builds the system of a program. `stuck` is `None` if it does not matter what happens where no block can be done. The
/// system does at least as much as the program, or, if it is to be [sure](Blocks::Sure), at most as much. `one` says whether
/// a single initial state is given so that the system can be searched state by state.
pub(crate) fn build(
    name: &str,
    text: &str,
    program: &Program,
    stuck: Option<Stuck>,
    reading: Reading,
    one: bool,
) -> Result<Built, Box<Diagnostic>> {
    let Reading { loops_end, blocks, .. } = reading;
    let (sure, listed) = (blocks == Blocks::Sure, blocks == Blocks::Listed);
    let mut locations = Names::default();
    let start = program.start.as_ref().map_or(0, |start| locations.number(&start.value));
    for block in &program.blocks {
        locations.number(&block.from.value);
        locations.number(&block.to.value);
    }
    if let Some(cutpoint) = &program.cutpoint {
        locations.number(&cutpoint.value);
    }
    let mut variables = Names::default();
    for block in &program.blocks {
        for command in &block.commands {
            mentioned(command, &mut variables);
        }
    }
    let numbers: BTreeMap<&str, Var> =
        variables.order.iter().zip(0..).map(|(name, number)| (name.as_str(), Var(number))).collect();
    let mut reader = Reader { variables: &numbers, approximated: Vec::new(), size: 0 };
    let mut builder = Builder {
        system: System { name: name.to_owned(), ..System::default() },
        variables: variables.order.len(),
        guards: vec![Vec::new(); locations.order.len()],
        labels: BTreeMap::new(),
    };
    builder.declare(&variables.order, &locations.order);
    let edges: Vec<(usize, usize)> = program
        .blocks
        .iter()
        .map(|block| (locations.known(&block.from.value), locations.known(&block.to.value)))
        .collect();
    let returns = edges.iter().any(|(_, to)| *to == start);
    let mut beginnings = Vec::new();
    let mut first = Vec::new();
    let mut steps = Vec::new();
    let mut assigned: Vec<(Var, Expr)> = Vec::new();
    for (block, (from, to)) in program.blocks.iter().zip(&edges) {
        let diagnostic = |error: EliminationError| match error {
            EliminationError::TooLarge => Box::new(too_large(block.from.span)),
            EliminationError::TooLong => Box::new(Diagnostic::error(
                block.from.span,
                "the conditions on chosen values in this block are too complex",
                "the chosen values cannot be eliminated",
            )),
        };
        let own: &[Command] = if listed && *from != start { &[] } else { &block.commands };
        let effect = reader.effect(own)?;
        let effect = if sure { effect.sure().map_err(diagnostic)? } else { effect.more(*from == start) };
        if *from == start {
            first.push(effect.clone());
            beginnings.push((
                *to,
                effect
                    .result()
                    .and_then(|result| linear::condition(&result, &|var| variable(var.0)))
                    .map_err(diagnostic)?,
            ));
        }
        if listed && *from != start {
            let Some(Exact { guard, values }) = exact(&block.commands, &numbers) else {
                return Err(diagnostic(EliminationError::TooLong));
            };
            if guard != Expr::Bool(false) {
                assigned.extend(values.iter().map(|(number, value)| (*number, value.clone())));
                let label = format!("{}_to_{}", block.from.value, block.to.value);
                builder.listed(&label, *from, *to, guard, values);
            }
            continue;
        }
        // If nothing leads back to the start, no state is there.
        if *from != start || returns {
            let step = effect.step().map_err(diagnostic)?;
            let label = format!("{}_to_{}", block.from.value, block.to.value);
            builder.action(&label, *from, *to, &step).map_err(diagnostic)?;
            if effect.approximated && matches!(stuck, Some(Stuck::Stutter | Stuck::End)) {
                let message =
                    "whether this block can be done depends on a product, a division or a remainder";
                let label = "so it is not known where the system idles";
                return Err(Diagnostic::error(block.from.span, message, label)
                    .help("use --stuck=drop")
                    .into());
            }
            if !effect.approximated {
                builder.guards[*from].push(step.guard.clone());
            }
            steps.push(step);
        }
    }
    if !edges.iter().any(|(from, _)| *from == start) {
        beginnings.push((start, Expr::Bool(true)));
    }
    match &first[..] {
        // A single initial state, which engines for finitely many states can begin with.
        [effect] if one && let Some(values) = effect.constants(variables.order.len()) => {
            builder.begin(vec![(beginnings[0].0, Expr::Bool(true))]);
            let ranges = if listed { ranges(&values, &assigned) } else { None };
            for (number, (variable, value)) in builder.system.variables.iter_mut().zip(values).enumerate() {
                variable.initial = Initial::Among(vec![Expr::Int(value)]);
                if let Some(ranges) = &ranges {
                    let (lo, hi) = ranges[number];
                    variable.kind.scalar = Scalar::Range(Span::between(lo, hi));
                }
            }
        }
        _ if listed => {
            let fault = Diagnostic::outside("the program has more than one initial state");
            return Err(fault.into());
        }
        _ => builder.begin(beginnings),
    }
    let Some(roles) = roles(locations.order.len(), start, &edges) else {
        let span = program.blocks[0].from.span;
        return Err(
            Diagnostic::error(span, "the program has too many loops", "this is the first block").into()
        );
    };
    let mut terminates = false;
    let mut may_be_stuck = false;
    for (location, role) in roles.into_iter().enumerate() {
        if location == start && !returns && role != Role::Terminal {
            continue;
        }
        let blocked = Condition::or(builder.guards[location].clone()).negated();
        if blocked.is_false() {
            continue;
        }
        let ends = role == Role::Terminal || (loops_end && role == Role::Closed);
        if stuck == Some(Stuck::Drop) && ends {
            terminates = true;
            let step = Step { guard: blocked, choices: Vec::new(), values: Vec::new() };
            builder
                .named(TERMINATED.to_owned(), location, location, &step)
                .map_err(|_| Box::new(too_large(program.blocks[0].from.span)))?;
        } else {
            may_be_stuck = true;
        }
    }
    let mut system = builder.system;
    let flags = blocks == Blocks::Flags
        && Flags::beginning(variables.order.len(), &first).after(&steps).bound(&mut system);
    let notes = approximation_notes(text, &reader.approximated, sure);
    *(if sure { &mut system.underapproximates } else { &mut system.overapproximates }) = notes;
    let numbers = variables.numbers.into_iter().map(|(name, number)| (name, number as u32)).collect();
    Ok(Built {
        system,
        variables: variables.order,
        locations: locations.order,
        may_be_stuck,
        terminates,
        flags,
        numbers,
    })
}

/// The least and the greatest value of each variable, if variables only ever get numbers and each other.
fn ranges(first: &[i64], assigned: &[(Var, Expr)]) -> Option<Vec<(i64, i64)>> {
    let mut ranges: Vec<(i64, i64)> = first.iter().map(|value| (*value, *value)).collect();
    loop {
        let before = ranges.clone();
        for (number, value) in assigned {
            let (lo, hi) = match value {
                Expr::Int(value) => (*value, *value),
                Expr::Read(place) => ranges.get(place.variable.0 as usize).copied()?,
                _ => return None,
            };
            let own = &mut ranges[number.0 as usize];
            *own = (own.0.min(lo), own.1.max(hi));
        }
        if ranges == before {
            return Some(ranges);
        }
    }
}

/// Names in the order of their first mention.
#[derive(Default)]
struct Names {
    order: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.numbers.insert(name.to_owned(), self.order.len());
        self.order.push(name.to_owned());
        self.order.len() - 1
    }

    fn known(&self, name: &str) -> usize {
        self.numbers.get(name).copied().unwrap_or(0)
    }
}

fn mentioned(command: &Command, names: &mut Names) {
    let tree = match command {
        Command::Assign { variable, value, .. } => {
            if !variable.starts_with(LOCAL) {
                names.number(variable);
            }
            value
        }
        Command::Assume(condition) => condition,
    };
    tree.visit(&mut |part| {
        if let Node::Variable(name) = &part.node
            && !name.starts_with(LOCAL)
        {
            names.number(name);
        }
    });
}

struct Builder {
    system: System,
    /// The number of variables. The location variable comes after them.
    variables: usize,
    /// Per location, conditions under which its blocks can surely be done.
    guards: Vec<Vec<Condition>>,
    /// How often each label was used.
    labels: BTreeMap<String, usize>,
}

impl Builder {
    fn declare(&mut self, variables: &[String], locations: &[String]) {
        let scalar = |scalar: Scalar| Type { dimensions: Vec::new(), scalar };
        for name in variables {
            let kind = scalar(Scalar::Int);
            let initial = Initial::Any;
            self.system.variables.push(Variable { name: name.clone(), owner: None, kind, initial });
        }
        self.system.enums.push(Enumeration { name: "program".to_owned(), members: locations.to_vec() });
        self.system.variables.push(Variable {
            name: "@".to_owned(),
            owner: Some(FamilyId(0)),
            kind: scalar(Scalar::Enum(EnumId(0))),
            initial: Initial::Any,
        });
        let location = Some(VariableId(self.variables as u32));
        self.system.families.push(Family { name: "program".to_owned(), index: None, location });
    }

    /// The initial states: at one of these locations, with its condition on the variables.
    fn begin(&mut self, beginnings: Vec<(usize, Expr)>) {
        let mut targets: Vec<usize> = beginnings.iter().map(|(to, _)| *to).collect();
        targets.sort_unstable();
        targets.dedup();
        let values = targets.iter().map(|to| Expr::Int(*to as i64)).collect();
        self.system.variables[self.variables].initial = Initial::Among(values);
        let cases = beginnings.into_iter().map(|(to, result)| {
            if targets.len() == 1 { result } else { Expr::and([at(self.variables, to), result]) }
        });
        match Expr::or(cases.collect::<Vec<_>>()) {
            Expr::Bool(true) => {}
            Expr::And(parts) => self.system.init = parts,
            other => self.system.init.push(other),
        }
    }

    /// The action of a block.
    fn action(&mut self, label: &str, from: usize, to: usize, step: &Step) -> Result<(), EliminationError> {
        let label = self.numbered(label);
        self.named(label, from, to, step)
    }

    /// A label, with a number if it was used before.
    fn numbered(&mut self, label: &str) -> String {
        let count = self.labels.entry(label.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 { label.to_owned() } else { format!("{label}_{count}") }
    }

    /// The action of a block of a program that is searched state by state.
    fn listed(&mut self, label: &str, from: usize, to: usize, guard: Expr, values: BTreeMap<Var, Expr>) {
        let label = self.numbered(label);
        let kept = |(number, value): &(Var, Expr)| *value != variable(number.0);
        let mut assignments: Vec<(Place, Expr)> =
            values.into_iter().filter(kept).map(|(number, value)| (place(number.0), value)).collect();
        if from != to {
            assignments.push((place(self.variables as u32), Expr::Int(to as i64)));
        }
        let update = if assignments.is_empty() { Update::Skip } else { Update::Assign(assignments) };
        let guard = Expr::and([at(self.variables, from), guard]);
        let participants = vec![Participant { family: FamilyId(0), index: None, only: None, label }];
        self.system.actions.push(Action { participants, parameters: Vec::new(), guard, update });
    }

    fn named(&mut self, label: String, from: usize, to: usize, step: &Step) -> Result<(), EliminationError> {
        let mut indices = BTreeMap::new();
        for (choice, _) in &step.choices {
            let index = Index(self.system.indices.len() as u32);
            let name = format!("nondet{}", indices.len() + 1);
            self.system.indices.push(IndexName::new(&name, Scalar::Int));
            indices.insert(*choice, index);
        }
        let name = |var: Var| match indices.get(&var) {
            Some(index) => Expr::Index(*index),
            None => variable(var.0),
        };
        let mut assignments = Vec::new();
        for (number, sum) in &step.values {
            if *sum != Linear::var(*number) {
                assignments.push((place(number.0), linear::term(sum, &name)?));
            }
        }
        if from != to {
            assignments.push((place(self.variables as u32), Expr::Int(to as i64)));
        }
        let mut update = if assignments.is_empty() { Update::Skip } else { Update::Assign(assignments) };
        for (choice, condition) in step.choices.iter().rev() {
            let binder = Binder { index: indices[choice], span: Span::integers() };
            update = Update::Choose(binder, linear::condition(condition, &name)?, Box::new(update));
        }
        let guard = Expr::and([at(self.variables, from), linear::condition(&step.guard, &name)?]);
        let participants = vec![Participant { family: FamilyId(0), index: None, only: None, label }];
        self.system.actions.push(Action { participants, parameters: Vec::new(), guard, update });
        Ok(())
    }
}

fn place(number: u32) -> Place {
    Place { variable: VariableId(number), process: None, position: Vec::new() }
}

/// The condition that the location variable, which comes after `variables` others, has this value.
fn at(variables: usize, location: usize) -> Expr {
    Expr::eq(variable(variables as u32), Expr::Int(location as i64))
}

/// Sentences that say where the system is not exactly the program.
fn approximation_notes(text: &str, approximated: &[lang::syntax::Span], sure: bool) -> Vec<String> {
    let mut starts: Vec<usize> = approximated.iter().map(|span| span.start).collect();
    starts.sort_unstable();
    let (mut line, mut seen) = (1, 0);
    let mut lines = Vec::new();
    for start in starts {
        line += text[seen..start].matches('\n').count();
        seen = start;
        lines.push(line);
    }
    lines.dedup();
    let said = lines.iter().take(SENTENCES);
    let mut sentences: Vec<String> = said
        .map(|line| {
            let what = "a product of variables, or a division by one,";
            if sure {
                return format!("line {line}: {what} is left out where it is not known exactly");
            }
            format!("line {line}: of {what} only bounds are known")
        })
        .collect();
    if let Some(more @ 1..) = lines.len().checked_sub(SENTENCES) {
        sentences.push(format!("the same on {more} more lines"));
    }
    sentences
}
