//! Random steps, their text, and what they mean: an interpreter that tries all choices.

use std::fmt::Write;

use model::{Instance, State};

pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (model::splitmix::next(&mut self.0) % limit as u64) as usize
    }
}

/// A number.
pub(crate) enum Number {
    Literal(i64),
    /// A cell by name: `x`, `y`.
    Cell(&'static str),
    /// `f[e]`
    Element(Box<Number>),
    /// The value chosen last, or a loop's.
    Bound(usize),
    Sum(Box<Number>, Box<Number>),
    Quotient(Box<Number>, Box<Number>),
}

pub(crate) enum Condition {
    Less(Number, Number),
    Equal(Number, Number),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    NotEmpty,
}

/// What an assignment or a receive writes.
pub(crate) enum Target {
    Cell(&'static str),
    Element(Number),
}

pub(crate) enum Code {
    Assign(Target, Number),
    Await(Condition),
    Assert(Condition),
    If(Condition, Vec<Code>, Vec<Code>),
    Either(Vec<Vec<Code>>),
    Choose(Condition, Vec<Code>),
    Send(Number),
    Receive(Target),
    /// `for v in 0..2 { … }`
    For(Vec<Code>),
    /// `let v = e;`, bound in the rest of the block.
    Let(Number),
    /// `let v = c?;`
    LetReceive,
    /// `f = [v: e];`
    Whole(Number),
    /// `f = [e, e, e];`
    List([Number; 3]),
    /// What is taken together with another process.
    Hole(Hole),
}

/// A side of a rendezvous on `r`, or a joint event `e`.
pub(crate) enum Hole {
    Send(Number),
    Receive(Target),
    /// `let v = r?;`
    LetReceive,
    Sync,
}

fn number(random: &mut Random, bound: usize, depth: usize) -> Number {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Number::Literal(random.below(3) as i64),
        1 => Number::Cell("x"),
        2 => Number::Cell("y"),
        3 | 4 if bound > 0 => Number::Bound(random.below(bound)),
        3 => Number::Literal(random.below(3) as i64),
        4 => Number::Cell("x"),
        5 => Number::Element(Box::new(number(random, bound, depth - 1))),
        6 => Number::Sum(
            Box::new(number(random, bound, depth - 1)),
            Box::new(number(random, bound, depth - 1)),
        ),
        _ => Number::Quotient(
            Box::new(number(random, bound, depth - 1)),
            Box::new(number(random, bound, depth - 1)),
        ),
    }
}

fn condition(random: &mut Random, bound: usize, depth: usize) -> Condition {
    let depth = depth.min(1);
    match random.below(if depth == 0 { 5 } else { 7 }) {
        0 | 1 => Condition::Less(number(random, bound, depth), number(random, bound, depth)),
        2 | 3 => Condition::Equal(number(random, bound, depth), number(random, bound, depth)),
        4 => Condition::NotEmpty,
        5 => Condition::Not(Box::new(condition(random, bound, depth - 1))),
        _ => Condition::And(
            Box::new(condition(random, bound, depth - 1)),
            Box::new(condition(random, bound, depth - 1)),
        ),
    }
}

fn target(random: &mut Random, bound: usize) -> Target {
    match random.below(3) {
        0 => Target::Cell("x"),
        1 => Target::Cell("y"),
        _ => Target::Element(number(random, bound, 1)),
    }
}

pub(crate) fn block(random: &mut Random, mut bound: usize, depth: usize) -> Vec<Code> {
    let mut block = Vec::new();
    for _ in 0..=random.below(3) {
        let code = code(random, bound, depth);
        bound += usize::from(code.binds());
        block.push(code);
    }
    block
}

impl Code {
    /// Whether it binds a name for the rest of its block.
    pub(crate) fn binds(&self) -> bool {
        matches!(self, Code::Let(_) | Code::LetReceive | Code::Hole(Hole::LetReceive))
    }
}

fn code(random: &mut Random, bound: usize, depth: usize) -> Code {
    match random.below(if depth == 0 { 12 } else { 18 }) {
        16 | 17 => Code::For(block(random, bound + 1, depth - 1)),
        8 => Code::Let(number(random, bound, 2)),
        9 => Code::LetReceive,
        10 => Code::Whole(number(random, bound + 1, 1)),
        11 => Code::List([0, 1, 2].map(|_| number(random, bound, 1))),
        0..=2 => Code::Assign(target(random, bound), number(random, bound, 2)),
        3 | 4 => Code::Await(condition(random, bound, 1)),
        5 if random.below(3) == 0 => Code::Assert(condition(random, bound, 1)),
        5 | 6 => Code::Send(number(random, bound, 1)),
        7 => Code::Receive(target(random, bound)),
        12 => Code::If(
            condition(random, bound, 1),
            block(random, bound, depth - 1),
            block(random, bound, depth - 1),
        ),
        13 => Code::Either((0..2).map(|_| block(random, bound, depth - 1)).collect()),
        _ => Code::Choose(condition(random, bound + 1, 1), block(random, bound + 1, depth - 1)),
    }
}

fn show_number(number: &Number) -> String {
    match number {
        Number::Literal(value) => value.to_string(),
        Number::Cell(name) => (*name).to_owned(),
        Number::Element(index) => format!("f[{}]", show_number(index)),
        Number::Bound(number) => format!("v{number}"),
        Number::Sum(a, b) => format!("({} + {})", show_number(a), show_number(b)),
        Number::Quotient(a, b) => format!("({} / {})", show_number(a), show_number(b)),
    }
}

fn show_condition(condition: &Condition) -> String {
    match condition {
        Condition::Less(a, b) => format!("{} < {}", show_number(a), show_number(b)),
        Condition::Equal(a, b) => format!("{} == {}", show_number(a), show_number(b)),
        Condition::Not(a) => format!("!({})", show_condition(a)),
        Condition::And(a, b) => format!("({} && {})", show_condition(a), show_condition(b)),
        Condition::NotEmpty => "!empty(c)".to_owned(),
    }
}

fn show_target(target: &Target) -> String {
    match target {
        Target::Cell(name) => (*name).to_owned(),
        Target::Element(index) => format!("f[{}]", show_number(index)),
    }
}

pub(crate) fn show(block: &[Code], mut bound: usize) -> String {
    let mut text = String::new();
    for code in block {
        let shown = match code {
            Code::For(body) => format!("for v{bound} in 0..2 {{ {} }}", show(body, bound + 1)),
            Code::Let(value) => format!("let v{bound} = {};", show_number(value)),
            Code::LetReceive => format!("let v{bound} = c?;"),
            Code::Whole(value) => format!("f = [v{bound}: {}];", show_number(value)),
            Code::List(values) => format!("f = [{}];", values.each_ref().map(show_number).join(", ")),
            Code::Assign(target, value) => format!("{} = {};", show_target(target), show_number(value)),
            Code::Await(condition) => format!("await {};", show_condition(condition)),
            Code::Assert(condition) => format!("assert {};", show_condition(condition)),
            Code::If(condition, yes, no) => format!(
                "if {} {{ {} }} else {{ {} }}",
                show_condition(condition),
                show(yes, bound),
                show(no, bound)
            ),
            Code::Either(branches) => {
                let branches: Vec<String> =
                    branches.iter().map(|branch| format!("{{ {} }}", show(branch, bound))).collect();
                format!("either {}", branches.join(" or "))
            }
            Code::Choose(condition, body) => format!(
                "choose v{bound} in 0..2 where {} {{ {} }}",
                show_condition(condition),
                show(body, bound + 1)
            ),
            Code::Hole(Hole::Send(value)) => format!("r!{};", show_number(value)),
            Code::Hole(Hole::Receive(target)) => format!("r?{};", show_target(target)),
            Code::Hole(Hole::LetReceive) => format!("let v{bound} = r?;"),
            Code::Hole(Hole::Sync) => "sync e;".to_owned(),
            Code::Send(value) => format!("c!{};", show_number(value)),
            Code::Receive(target) => format!("c?{};", show_target(target)),
        };
        write!(text, "{shown} ").expect("a string");
        bound += usize::from(code.binds());
    }
    text
}

/// The values of the variables, and of the names bound by choices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct World {
    x: i64,
    y: i64,
    f: [i64; 3],
    c: Vec<i64>,
    pub(crate) bound: Vec<i64>,
}

/// Something that is a fault.
pub(crate) struct Faulty;

impl World {
    pub(crate) fn number(&self, number: &Number) -> Result<i64, Faulty> {
        Ok(match number {
            Number::Literal(value) => *value,
            Number::Cell("x") => self.x,
            Number::Cell(_) => self.y,
            Number::Element(index) => {
                let index = self.number(index)?;
                *usize::try_from(index).ok().and_then(|index| self.f.get(index)).ok_or(Faulty)?
            }
            Number::Bound(number) => self.bound[*number],
            Number::Sum(a, b) => self.number(a)? + self.number(b)?,
            Number::Quotient(a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                if b == 0 {
                    return Err(Faulty);
                }
                a.div_euclid(b)
            }
        })
    }

    pub(crate) fn condition(&self, condition: &Condition) -> Result<bool, Faulty> {
        Ok(match condition {
            Condition::Less(a, b) => self.number(a)? < self.number(b)?,
            Condition::Equal(a, b) => self.number(a)? == self.number(b)?,
            Condition::Not(a) => !self.condition(a)?,
            Condition::And(a, b) => self.condition(a)? && self.condition(b)?,
            Condition::NotEmpty => !self.c.is_empty(),
        })
    }

    pub(crate) fn write(&mut self, target: &Target, value: i64) -> Result<(), Faulty> {
        let place = match target {
            Target::Cell("x") => &mut self.x,
            Target::Cell(_) => &mut self.y,
            Target::Element(index) => {
                let index = self.number(index)?;
                usize::try_from(index).ok().and_then(|index| self.f.get_mut(index)).ok_or(Faulty)?
            }
        };
        if !(0..=2).contains(&value) {
            return Err(Faulty);
        }
        *place = value;
        Ok(())
    }

    /// Where the paths of a block lead.
    pub(crate) fn run(&self, block: &[Code]) -> Result<Vec<World>, Faulty> {
        let mut worlds = vec![self.clone()];
        for code in block {
            let mut next = Vec::new();
            for world in worlds {
                next.extend(world.step(code)?);
            }
            worlds = next;
        }
        for world in &mut worlds {
            world.bound.truncate(self.bound.len());
        }
        Ok(worlds)
    }

    /// Assigns all elements of `f` at once.
    fn write_all(&mut self, values: [i64; 3]) -> Result<(), Faulty> {
        self.f = values;
        if values.iter().all(|value| (0..=2).contains(value)) { Ok(()) } else { Err(Faulty) }
    }

    pub(crate) fn step(&self, code: &Code) -> Result<Vec<World>, Faulty> {
        let mut next = self.clone();
        match code {
            Code::Hole(_) => unreachable!("taken with others"),
            Code::For(body) => {
                let mut worlds = vec![next];
                for value in 0..=2 {
                    let mut ends = Vec::new();
                    for mut world in worlds {
                        world.bound.push(value);
                        ends.extend(world.run(body)?);
                    }
                    for end in &mut ends {
                        end.bound.pop();
                    }
                    worlds = ends;
                }
                return Ok(worlds);
            }
            Code::Let(value) => next.bound.push(self.number(value)?),
            Code::LetReceive => {
                if self.c.is_empty() {
                    return Ok(Vec::new());
                }
                next.bound.push(self.c[0]);
                next.c.remove(0);
            }
            Code::Whole(value) => {
                let mut values = [0; 3];
                for (index, element) in (0..).zip(&mut values) {
                    let mut world = self.clone();
                    world.bound.push(index);
                    *element = world.number(value)?;
                }
                next.write_all(values)?;
            }
            Code::List(values) => {
                let [a, b, c] = values;
                next.write_all([self.number(a)?, self.number(b)?, self.number(c)?])?;
            }
            Code::Assign(target, value) => {
                let value = self.number(value)?;
                next.write(target, value)?;
            }
            Code::Await(condition) => {
                return Ok(if self.condition(condition)? { vec![next] } else { vec![] });
            }
            Code::Assert(condition) => {
                return if self.condition(condition)? { Ok(vec![next]) } else { Err(Faulty) };
            }
            Code::If(condition, yes, no) => {
                return self.run(if self.condition(condition)? { yes } else { no });
            }
            Code::Either(branches) => {
                let mut ends = Vec::new();
                for branch in branches {
                    ends.extend(self.run(branch)?);
                }
                return Ok(ends);
            }
            Code::Choose(condition, body) => {
                let mut ends = Vec::new();
                for value in 0..=2 {
                    let mut world = self.clone();
                    world.bound.push(value);
                    if world.condition(condition)? {
                        ends.extend(world.run(body)?.into_iter().map(|mut end| {
                            end.bound.pop();
                            end
                        }));
                    }
                }
                return Ok(ends);
            }
            Code::Send(value) => {
                if self.c.len() == 2 {
                    return Ok(Vec::new());
                }
                let value = self.number(value)?;
                if !(0..=2).contains(&value) {
                    return Err(Faulty);
                }
                next.c.push(value);
            }
            Code::Receive(target) => {
                if self.c.is_empty() {
                    return Ok(Vec::new());
                }
                let value = next.c[0];
                // The place is found before the message is taken.
                next.write(target, value)?;
                next.c.remove(0);
            }
        }
        Ok(vec![next])
    }
}

/// The world of a state of the model.
pub(crate) fn world(instance: &Instance, state: &State) -> World {
    let value = |name: &str| {
        let at = instance.cells.iter().position(|cell| cell.name == name).expect("a cell");
        state.0[at]
    };
    World {
        x: value("x"),
        y: value("y"),
        f: [value("f[0]"), value("f[1]"), value("f[2]")],
        c: (0..value("len(c)")).map(|at| value(&format!("c[{at}]"))).collect(),
        bound: Vec::new(),
    }
}
