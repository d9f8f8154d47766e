//! Random small tasks, for the tests of this engine.
//!
//! A system has a shared number `x`, a shared truth value `y`, an array `a`, a family `P` of two processes
//! with a local number and a single process `Q` with a local truth value. Its actions belong to `P`, to `Q`,
//! to both or to two of `P`. Some have parameters, and their updates use every form of update. Most values are
//! reduced to their ranges; the others cause faults.

use std::sync::Arc;

use model::expr::{Operator, Party, Pattern};
use model::fairness::Word;
use model::property::{Kind, Property};
use model::system::{IndexName, Initial, Participant, Scalar, Type, Variable};
use model::{
    Action, Assumption, Binder, Expr, Fairness, Family, FamilyId, Formula, Index, Place, Quantifier,
    Requirement, Span, System, Task, Update, VariableId,
};

use crate::graph::tests::Random;

const X: VariableId = VariableId(0);
const Y: VariableId = VariableId(1);
const A: VariableId = VariableId(2);
const OF_P: VariableId = VariableId(3);
const OF_Q: VariableId = VariableId(4);
const P: FamilyId = FamilyId(0);
const Q: FamilyId = FamilyId(1);
/// The index of `P`.
const I: Index = Index(0);
/// The index of a second process of `P`, of quantifiers and of choices.
const J: Index = Index(1);
/// The parameter of an action.
const K: Index = Index(2);

/// A random task that no engine refuses for its form.
pub(super) fn task(random: &mut Random) -> Task {
    let system = Arc::new(system(random));
    task_about(&system, random)
}

/// A random task about a system of [`system`].
pub(super) fn task_about(system: &Arc<System>, random: &mut Random) -> Task {
    let actions: Vec<Pattern> = model::fairness::actions(system).map(|(pattern, _)| pattern).collect();
    let mut properties = Properties { random, actions };
    let kind = if properties.random.below(6) == 0 {
        Kind::Invariant(properties.state_predicate())
    } else {
        let size = 1 + properties.random.below(6);
        Kind::Ltl(properties.formula(size))
    };
    let fairness = properties.fairness();
    let property = Property { name: "claim".into(), binders: Vec::new(), kind };
    Task::new(Arc::clone(system), fairness, property).expect("it can be counted out")
}

/// A random system.
pub(super) fn system(random: &mut Random) -> System {
    let range = |lo, hi| Scalar::Range(Span::between(lo, hi));
    let index = |name: &str| IndexName::new(name, range(1, 2));
    let processes = Binder { index: I, span: Span::between(1, 2) };
    let mut system = System {
        name: "random".to_owned(),
        indices: vec![index("i"), index("j"), index("k")],
        families: vec![
            Family { name: "P".to_owned(), index: Some(processes), location: None },
            Family { name: "Q".to_owned(), index: None, location: None },
        ],
        ..System::default()
    };
    let single = |scalar| Type { dimensions: Vec::new(), scalar };
    let pair = Type { dimensions: vec![Span::between(1, 2)], scalar: Scalar::Bool };
    for (name, owner, kind) in [
        ("x", None, single(range(0, 2))),
        ("y", None, single(Scalar::Bool)),
        ("a", None, pair),
        ("u", Some(P), single(range(-1, 1))),
        ("v", Some(Q), single(Scalar::Bool)),
    ] {
        let number =
            |value: i64| if kind.scalar == Scalar::Bool { Expr::Bool(value != 0) } else { Expr::Int(value) };
        let initial = match random.below(12) {
            0 => Initial::Any,
            1 => Initial::Among(vec![number(0), number(1)]),
            value => Initial::Among(vec![number(i64::from(value > 8))]),
        };
        system.variables.push(Variable { name: name.to_owned(), owner, kind, initial });
    }
    if random.below(8) == 0 {
        let one = Box::new(Expr::Int(1));
        let mut scope = Scope { random, process: None, own_v: true, bound: vec![], other: Some(one) };
        system.init.push(scope.truth(2));
    }
    for number in 0..=random.below(4) {
        system.actions.push(action(random, &format!("act{number}")));
    }
    system
}

fn action(random: &mut Random, label: &str) -> Action {
    let participant = |family, index| Participant { family, index, only: None, label: label.to_owned() };
    let participants = match random.below(6) {
        0 | 1 => vec![participant(Q, None)],
        2 => vec![participant(P, Some(I)), participant(Q, None)],
        3 if random.below(2) == 0 => vec![participant(P, Some(I)), participant(P, Some(J))],
        _ => vec![participant(P, Some(I))],
    };
    let of_p = participants[0].family == P;
    let other = (participants.len() == 2 && participants[1].family == P).then(|| Box::new(Expr::Index(J)));
    let parameters =
        if random.below(5) == 0 { vec![Binder { index: K, span: Span::between(1, 2) }] } else { Vec::new() };
    let mut scope = Scope {
        random,
        process: of_p.then(|| Box::new(Expr::Index(I))),
        own_v: !of_p || participants.len() == 2 && other.is_none(),
        bound: parameters.iter().map(|binder| binder.index).collect(),
        other,
    };
    let guard = if scope.random.below(4) == 0 { Expr::Bool(true) } else { scope.truth(2) };
    let update = scope.update(2);
    Action { participants, parameters, guard, update }
}

/// What an expression or an update may mention.
struct Scope<'a> {
    random: &'a mut Random,
    /// The process whose `u` can be used.
    process: Option<Box<Expr>>,
    /// Whether `Q` takes part.
    own_v: bool,
    /// The indices in scope, except those of the processes.
    bound: Vec<Index>,
    /// A second process of `P`.
    other: Option<Box<Expr>>,
}

impl Scope<'_> {
    fn shared(variable: VariableId) -> Place {
        Place { variable, process: None, position: Vec::new() }
    }

    fn truth(&mut self, depth: u64) -> Expr {
        if depth == 0 {
            return match self.random.below(4) {
                0 => Expr::Read(Self::shared(Y)),
                1 => Expr::Read(self.element()),
                2 => Expr::Read(Self::shared(OF_Q)),
                _ => {
                    let operator = [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Ge]
                        [self.random.below(4) as usize];
                    let value = self.random.below(3) as i64 - 1;
                    Expr::binary(operator, self.number(0), Expr::Int(value))
                }
            };
        }
        match self.random.below(9) {
            0 => Expr::Not(Box::new(self.truth(depth - 1))),
            1 => Expr::And(vec![self.truth(depth - 1), self.truth(depth - 1)]),
            2 => Expr::Or(vec![self.truth(depth - 1), self.truth(depth - 1)]),
            3 => Expr::binary(Operator::Implies, self.truth(depth - 1), self.truth(depth - 1)),
            4 => {
                let quantifier = [Quantifier::Forall, Quantifier::Exists][self.random.below(2) as usize];
                let place =
                    Place { variable: OF_P, process: Some(Box::new(Expr::Index(J))), position: vec![] };
                let body = Expr::eq(Expr::Read(place), self.number(0));
                Expr::Quantified(quantifier, Binder { index: J, span: Span::between(1, 2) }, Box::new(body))
            }
            5 => Expr::binary(Operator::Le, self.number(1), self.number(0)),
            _ => self.truth(0),
        }
    }

    fn number(&mut self, depth: u64) -> Expr {
        if depth == 0 {
            return match self.random.below(4) {
                0 => Expr::Int(self.random.below(3) as i64),
                1 if self.process.is_some() => Expr::Read(self.local()),
                2 if !self.bound.is_empty() => Expr::Index(self.bound[0]),
                _ => Expr::Read(Self::shared(X)),
            };
        }
        match self.random.below(8) {
            0 | 1 => Expr::Sum(vec![self.number(0), self.number(depth - 1)]),
            2 => Expr::binary(Operator::Sub, self.number(0), self.number(depth - 1)),
            3 => {
                Expr::If(Box::new(self.truth(0)), Box::new(self.number(0)), Box::new(self.number(depth - 1)))
            }
            4 => Expr::Max(vec![self.number(0), self.number(0)]),
            5 if self.random.below(8) == 0 => Expr::binary(Operator::Div, self.number(0), self.number(0)),
            6 => {
                let place =
                    Place { variable: OF_P, process: Some(Box::new(Expr::Index(J))), position: vec![] };
                let body = Expr::eq(Expr::Read(place), Expr::Int(1));
                let binder = Binder { index: J, span: Span::between(1, 2) };
                Expr::Quantified(Quantifier::Count, binder, Box::new(body))
            }
            _ => self.number(0),
        }
    }

    /// An element of `a`, now and then one whose index depends on the state and may be outside.
    fn element(&mut self) -> Place {
        let index = match self.random.below(6) {
            0 => Expr::Sum(vec![Expr::Read(Self::shared(X)), Expr::Int(1)]),
            1 => Expr::binary(
                Operator::Sub,
                Expr::Int(2),
                Expr::binary(Operator::Mod, Expr::Read(Self::shared(X)), Expr::Int(2)),
            ),
            2 if !self.bound.is_empty() => Expr::Index(self.bound[0]),
            number => Expr::Int(1 + number as i64 % 2),
        };
        Place { variable: A, process: None, position: vec![index] }
    }

    fn local(&mut self) -> Place {
        let process = match &self.other {
            Some(other) if self.random.below(2) == 0 || self.process.is_none() => Some(other.clone()),
            _ => self.process.clone(),
        };
        Place { variable: OF_P, process, position: Vec::new() }
    }

    /// An assignment, most of the time of a value reduced to the range.
    fn assignment(&mut self) -> (Place, Expr) {
        match self.random.below(6) {
            0 => (Self::shared(Y), self.truth(1)),
            1 => (self.element(), self.truth(1)),
            2 if self.process.is_some() => {
                let reduced = Expr::binary(Operator::Mod, self.number(1), Expr::Int(3));
                (self.local(), Expr::binary(Operator::Sub, reduced, Expr::Int(1)))
            }
            3 if self.own_v => (Self::shared(OF_Q), self.truth(1)),
            _ if self.random.below(25) == 0 => (Self::shared(X), self.number(1)),
            _ => {
                let step = Expr::Sum(vec![Expr::Read(Self::shared(X)), self.number(1)]);
                (Self::shared(X), Expr::binary(Operator::Mod, step, Expr::Int(3)))
            }
        }
    }

    fn update(&mut self, depth: u64) -> Update {
        if depth == 0 {
            return match self.random.below(8) {
                0 => Update::Skip,
                1 => Update::Assign(vec![self.assignment(), self.assignment()]),
                _ => Update::Assign(vec![self.assignment()]),
            };
        }
        match self.random.below(8) {
            0 => Update::Sequence(vec![self.update(depth - 1), self.update(0)]),
            1 => Update::If(self.truth(1), Box::new(self.update(depth - 1)), Box::new(self.update(0))),
            2 => {
                let always = if self.random.below(6) == 0 { self.truth(0) } else { Expr::Bool(true) };
                Update::Either(vec![(always, self.update(depth - 1)), (self.truth(0), self.update(0))])
            }
            3 => {
                let wanted = if self.random.below(6) == 0 { self.truth(0) } else { Expr::Bool(true) };
                let reduced = Expr::binary(Operator::Mod, Expr::Index(J), Expr::Int(3));
                let body = Update::Assign(vec![(Self::shared(X), reduced)]);
                Update::Choose(Binder { index: J, span: Span::between(1, 2) }, wanted, Box::new(body))
            }
            _ => self.update(0),
        }
    }
}

/// Generates properties and fairness.
struct Properties<'a> {
    random: &'a mut Random,
    /// A pattern per action, with indices that are replaced later.
    actions: Vec<Pattern>,
}

impl Properties<'_> {
    fn state_predicate(&mut self) -> Expr {
        let one = Some(Box::new(Expr::Int(1)));
        let two = Some(Box::new(Expr::Int(2)));
        let mut scope =
            Scope { random: self.random, process: one, own_v: true, bound: Vec::new(), other: two };
        scope.truth(1)
    }

    /// An event: an action, a process, a family, anything, or one that depends on the state.
    fn event(&mut self) -> Pattern {
        let of = |family, process| Pattern {
            participants: vec![Party { family, process, label: None }],
            arguments: None,
        };
        let one_or_two = Box::new(Expr::Int(1 + self.random.below(2) as i64));
        match self.random.below(12) {
            0 => Pattern::default(),
            1 => of(Q, None),
            2 => of(P, None),
            3 => {
                let parity = Expr::binary(Operator::Mod, Expr::Read(Scope::shared(X)), Expr::Int(2));
                of(P, Some(Box::new(Expr::Sum(vec![parity, Expr::Int(1)]))))
            }
            4 | 5 => of(P, Some(one_or_two)),
            _ => {
                let mut pattern = self.actions[self.random.below(self.actions.len() as u64) as usize].clone();
                for (number, party) in pattern.participants.iter_mut().enumerate() {
                    if party.process.is_some() {
                        // Two participants of one family are different processes.
                        party.process = Some(Box::new(Expr::Int(1 + number as i64)));
                    }
                }
                match &mut pattern.arguments {
                    Some(arguments) if self.random.below(2) == 0 => {
                        for argument in arguments {
                            *argument = Expr::Int(1 + self.random.below(2) as i64);
                        }
                    }
                    arguments => *arguments = None,
                }
                pattern
            }
        }
    }

    fn step_predicate(&mut self) -> Expr {
        match self.random.below(7) {
            0 | 1 => Expr::Taken(self.event()),
            2 => Expr::Enabled(self.event()),
            3 => Expr::And(vec![Expr::Taken(self.event()), self.state_predicate()]),
            _ => self.state_predicate(),
        }
    }

    fn formula(&mut self, size: u64) -> Formula {
        if size <= 1 {
            return Formula::Atom(self.step_predicate());
        }
        let half = 1 + self.random.below(size - 1);
        let rest = (size - half).max(1);
        match self.random.below(14) {
            0 => Formula::Not(Box::new(self.formula(size - 1))),
            1 => Formula::Next(Box::new(self.formula(size - 1))),
            2 => Formula::Finally(Box::new(self.formula(size - 1))),
            3 => Formula::Globally(Box::new(self.formula(size - 1))),
            4 | 5 => Formula::Globally(Box::new(Formula::Finally(Box::new(self.formula(size - 1))))),
            6 => Formula::Finally(Box::new(Formula::Globally(Box::new(self.formula(size - 1))))),
            7 => {
                let later = Formula::Finally(Box::new(self.formula(rest)));
                let response = Formula::Implies(Box::new(self.formula(half)), Box::new(later));
                Formula::Globally(Box::new(response))
            }
            8 => Formula::And(vec![self.formula(half), self.formula(rest)]),
            9 => Formula::Or(vec![self.formula(half), self.formula(rest)]),
            10 => Formula::Until(Box::new(self.formula(half)), Box::new(self.formula(rest))),
            11 => Formula::WeakUntil(Box::new(self.formula(half)), Box::new(self.formula(rest))),
            12 => Formula::Release(Box::new(self.formula(half)), Box::new(self.formula(rest))),
            _ => Formula::Implies(Box::new(self.formula(half)), Box::new(self.formula(rest))),
        }
    }

    fn fairness(&mut self) -> Fairness {
        let alternatives = 1 + self.random.below(5) / 4;
        let mut assumptions = Vec::new();
        for _ in 0..alternatives {
            let count = self.random.below(4);
            let requirements = (0..count).map(|_| self.requirement()).collect();
            assumptions.push(Assumption { requirements, global: self.random.below(5) == 0 });
        }
        Fairness { alternatives: assumptions }
    }

    fn requirement(&mut self) -> Requirement {
        match self.random.below(7) {
            0 => Requirement::justice(self.step_predicate(), Vec::new()),
            1 | 2 => Requirement::compassion(self.step_predicate(), self.step_predicate(), Vec::new()),
            3 => Requirement::of(Word::Unconditional, self.event(), Vec::new()),
            4 => {
                // For each process of the family.
                let process = Some(Box::new(Expr::Index(I)));
                let every = Party { family: P, process, label: None };
                let binder = Binder { index: I, span: Span::between(1, 2) };
                let word = [Word::Weak, Word::Strong][self.random.below(2) as usize];
                Requirement::of(word, Pattern { participants: vec![every], arguments: None }, vec![binder])
            }
            5 => Requirement::of(Word::Weak, self.event(), Vec::new()),
            _ => Requirement::of(Word::Strong, self.event(), Vec::new()),
        }
    }
}
