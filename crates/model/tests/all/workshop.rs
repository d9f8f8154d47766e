//! A system that uses every feature, and random expressions over it.

use std::sync::Arc;

use model::expr::{Operator, Party};
use model::system::{
    Action, EnumId, Enumeration, Family, IndexName, Initial, Participant, Scalar, System, Type, Update,
    Variable,
};
use model::{
    Binder, Expr, FamilyId, Index, Instance, Label, Pattern, Place, Position, Quantifier, Span, State,
    VariableId,
};

pub(crate) const I: Index = Index(0);
pub(crate) const J: Index = Index(1);
pub(crate) const K: Index = Index(2);
pub(crate) const R: Index = Index(3);
pub(crate) const V: Index = Index(4);

pub(crate) const B: VariableId = VariableId(0);
pub(crate) const X: VariableId = VariableId(1);
pub(crate) const F: VariableId = VariableId(2);
pub(crate) const G: VariableId = VariableId(3);
pub(crate) const C: VariableId = VariableId(4);
pub(crate) const N: VariableId = VariableId(5);
pub(crate) const Y: VariableId = VariableId(6);
pub(crate) const AT: VariableId = VariableId(7);
pub(crate) const Z: VariableId = VariableId(8);
pub(crate) const W: VariableId = VariableId(9);

pub(crate) const P: FamilyId = FamilyId(0);
pub(crate) const S: FamilyId = FamilyId(1);
pub(crate) const Q: FamilyId = FamilyId(2);

/// A source of repeatable choices (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (model::splitmix::next(&mut self.0) % limit as u64) as usize
    }

    pub(crate) fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }
}

pub(crate) fn place(variable: VariableId, process: Option<Expr>, position: Vec<Expr>) -> Place {
    Place { variable, process: process.map(Box::new), position }
}

pub(crate) fn read(variable: VariableId, process: Option<Expr>, position: Vec<Expr>) -> Expr {
    Expr::Read(place(variable, process, position))
}

pub(crate) fn int(value: i64) -> Expr {
    Expr::Int(value)
}

pub(crate) fn binder(index: Index, lo: i64, hi: i64) -> Binder {
    Binder { index, span: Span::between(lo, hi) }
}

pub(crate) fn participant(family: FamilyId, index: Option<Index>, label: &str) -> Participant {
    Participant { family, index, only: None, label: label.to_owned() }
}

fn variable(name: &str, owner: Option<FamilyId>, kind: Type, initial: Initial) -> Variable {
    Variable { name: name.to_owned(), owner, kind, initial }
}

/// Shared `b`, `x: -2..3`, `f: array[1..3] of 0..4`, `g: array[0..1] of array[1..2] of bool`, `c` of an enum,
/// `n: int`; processes `P[i: 1..2]` with `y: 0..2` and a location, `S` with `z: array[1..2] of 0..1`,
/// `Q[j: 3..5]` with `w: 0..1`; actions with arguments, choices and a rendezvous.
pub(crate) fn system() -> System {
    let scalar = |scalar: Scalar| Type { dimensions: Vec::new(), scalar };
    let range = |lo: i64, hi: i64| Scalar::Range(Span::between(lo, hi));
    let array = |dimensions: Vec<Span>, scalar: Scalar| Type { dimensions, scalar };
    let among = |value: i64| Initial::Among(vec![int(value)]);
    let enumeration = |name: &str, members: &[&str]| Enumeration {
        name: name.to_owned(),
        members: members.iter().map(|member| (*member).to_owned()).collect(),
    };
    let own = |variable: VariableId| place(variable, Some(Expr::Index(I)), Vec::new());
    let compare = |operator: Operator, a: Expr, b: Expr| Expr::binary(operator, a, b);
    let x = || read(X, None, Vec::new());
    let f = |k: Expr| place(F, None, vec![k]);

    let go = Action {
        participants: vec![participant(P, Some(I), "go")],
        parameters: Vec::new(),
        guard: Expr::And(vec![Expr::eq(Expr::Read(own(AT)), int(0)), compare(Operator::Gt, x(), int(0))]),
        // x and y are exchanged.
        update: Update::Sequence(vec![
            Update::Assign(vec![(place(X, None, Vec::new()), Expr::Read(own(Y))), (own(Y), x())]),
            Update::Assign(vec![(own(AT), int(1))]),
        ]),
    };
    let give = Action {
        participants: vec![participant(P, Some(I), "give")],
        parameters: vec![binder(R, 1, 3)],
        guard: Expr::And(vec![
            compare(Operator::Ne, Expr::Index(R), Expr::Index(I)),
            compare(Operator::Gt, Expr::Read(f(Expr::Index(R))), int(0)),
        ]),
        update: Update::If(
            read(B, None, Vec::new()),
            Box::new(Update::Assign(vec![(
                f(Expr::Index(R)),
                compare(Operator::Sub, Expr::Read(f(Expr::Index(R))), int(1)),
            )])),
            Box::new(Update::Assign(vec![(
                f(x()),
                Expr::Sum(vec![Expr::Read(f(Expr::Index(R))), Expr::Index(I)]),
            )])),
        ),
    };
    let meet = Action {
        participants: vec![participant(P, Some(I), "meet"), participant(Q, Some(J), "greet")],
        parameters: Vec::new(),
        guard: Expr::eq(Expr::Read(own(Y)), read(W, Some(Expr::Index(J)), Vec::new())),
        update: Update::Assign(vec![(
            place(W, Some(Expr::Index(J)), Vec::new()),
            compare(Operator::Sub, int(1), read(W, Some(Expr::Index(J)), Vec::new())),
        )]),
    };
    let roll = Action {
        participants: vec![participant(S, None, "roll")],
        parameters: Vec::new(),
        guard: compare(Operator::Lt, x(), int(3)),
        update: Update::Choose(
            binder(V, 1, 3),
            // Divides by zero if x can be chosen.
            compare(
                Operator::Ne,
                compare(Operator::Mod, int(6), compare(Operator::Sub, Expr::Index(V), x())),
                int(1),
            ),
            Box::new(Update::Either(vec![
                (Expr::Bool(true), Update::Assign(vec![(place(X, None, Vec::new()), Expr::Index(V))])),
                (
                    compare(Operator::Gt, Expr::Index(V), int(2)),
                    Update::Assign(vec![(
                        place(C, None, Vec::new()),
                        compare(Operator::Sub, Expr::Index(V), int(1)),
                    )]),
                ),
                (
                    Expr::Bool(false),
                    Update::Assign(vec![(
                        place(X, None, Vec::new()),
                        compare(Operator::Div, int(1), int(0)),
                    )]),
                ),
            ])),
        ),
    };
    let rest = Action {
        participants: vec![participant(S, None, "rest")],
        parameters: Vec::new(),
        guard: Expr::And(vec![
            read(B, None, Vec::new()),
            Expr::Quantified(
                Quantifier::Forall,
                binder(K, 1, 2),
                Box::new(Expr::eq(read(AT, Some(Expr::Index(K)), Vec::new()), int(1))),
            ),
        ]),
        update: Update::Skip,
    };
    let family = |name: &str, index: Option<Binder>, location: Option<VariableId>| Family {
        name: name.to_owned(),
        index,
        location,
    };
    System {
        name: "workshop".to_owned(),
        enums: vec![enumeration("Colour", &["red", "green", "blue"]), enumeration("P@", &["rest", "work"])],
        indices: ["i", "j", "k", "r", "v"].map(|name| IndexName::new(name, Scalar::Int)).to_vec(),
        variables: vec![
            variable("b", None, scalar(Scalar::Bool), Initial::Any),
            variable("x", None, scalar(range(-2, 3)), Initial::Among(vec![int(2), int(0), int(2)])),
            variable(
                "f",
                None,
                array(vec![Span::between(1, 3)], range(0, 4)),
                Initial::Elements(vec![int(3), int(1), int(2)]),
            ),
            variable(
                "g",
                None,
                array(vec![Span::between(0, 1), Span::between(1, 2)], Scalar::Bool),
                among(0),
            ),
            variable("c", None, scalar(Scalar::Enum(EnumId(0))), among(1)),
            variable("n", None, scalar(Scalar::Int), among(5)),
            variable("y", Some(P), scalar(range(0, 2)), Initial::Among(vec![Expr::Index(I)])),
            variable("@", Some(P), scalar(Scalar::Enum(EnumId(1))), among(0)),
            variable("z", Some(S), array(vec![Span::between(1, 2)], range(0, 1)), among(0)),
            variable("w", Some(Q), scalar(range(0, 1)), among(1)),
        ],
        families: vec![
            family("P", Some(binder(I, 1, 2)), Some(AT)),
            family("S", None, None),
            family("Q", Some(binder(J, 3, 5)), None),
        ],
        actions: vec![go, give, meet, roll, rest],
        ..System::default()
    }
}

pub(crate) fn instance() -> Instance {
    Instance::new(Arc::new(system())).expect("the workshop has an instance")
}

/// A random state; unbounded cells are sometimes at the limits of 64 bits.
pub(crate) fn random_state(random: &mut Random, instance: &Instance) -> State {
    let value = |cell: &model::instance::Cell| {
        if cell.domain.is_unbounded() {
            [i64::MIN, -1, 0, 1, 2, i64::MAX][random.below(6)]
        } else {
            random.between(cell.domain.lo, cell.domain.hi)
        }
    };
    State(instance.cells.iter().map(value).collect())
}

pub(crate) fn random_position(random: &mut Random, instance: &Instance) -> Position {
    let label = match random.below(instance.actions.len() + 1) {
        0 => Label::Idle,
        number => Label::Action(model::ActionId(number as u32 - 1)),
    };
    Position { state: random_state(random, instance), label }
}

/// An integer expression over the variables and the indices in scope.
pub(crate) fn random_int(random: &mut Random, scope: &mut Vec<Index>, depth: usize) -> Expr {
    if depth == 0 {
        return match random.below(5) {
            0 | 1 if !scope.is_empty() => Expr::Index(scope[random.below(scope.len())]),
            0..=2 => int(random.between(-1, 4)),
            3 => read([X, C, N][random.below(3)], None, Vec::new()),
            _ => read(Y, Some(int(random.between(1, 2))), Vec::new()),
        };
    }
    let mut next = |random: &mut Random| random_int(random, scope, depth - 1);
    match random.below(14) {
        0 => Expr::Neg(Box::new(next(random))),
        1 => Expr::Sum((0..random.below(4)).map(|_| next(random)).collect()),
        2 => Expr::Min((0..=random.below(3)).map(|_| next(random)).collect()),
        3 => Expr::Max((0..=random.below(3)).map(|_| next(random)).collect()),
        4 => Expr::binary(Operator::Sub, next(random), next(random)),
        5 => Expr::binary(Operator::Mul, next(random), next(random)),
        6 => Expr::binary(Operator::Div, next(random), next(random)),
        7 => Expr::binary(Operator::Mod, next(random), next(random)),
        8 => read(F, None, vec![next(random)]),
        9 => read(Z, None, vec![next(random)]),
        10 => read([Y, AT, W][random.below(3)], Some(next(random)), Vec::new()),
        11 => {
            let condition = random_bool(random, scope, depth - 1);
            let (a, b) = (random_int(random, scope, depth - 1), random_int(random, scope, depth - 1));
            Expr::If(Box::new(condition), Box::new(a), Box::new(b))
        }
        number => {
            let (index, binder) = random_binder(random, scope);
            scope.push(index);
            let quantifier = [Quantifier::Sum, Quantifier::Min, Quantifier::Max][random.below(3)];
            let counted = number == 12;
            let body = if counted {
                random_bool(random, scope, depth - 1)
            } else {
                random_int(random, scope, depth - 1)
            };
            scope.pop();
            let quantifier = if counted { Quantifier::Count } else { quantifier };
            Expr::Quantified(quantifier, binder, Box::new(body))
        }
    }
}

/// A truth-valued expression over the variables, the events and the indices in scope.
pub(crate) fn random_bool(random: &mut Random, scope: &mut Vec<Index>, depth: usize) -> Expr {
    if depth == 0 {
        return match random.below(4) {
            0 => Expr::Bool(random.below(2) == 1),
            1 => read(B, None, Vec::new()),
            _ => Expr::binary(Operator::Le, random_int(random, scope, 0), random_int(random, scope, 0)),
        };
    }
    match random.below(12) {
        0 => Expr::Not(Box::new(random_bool(random, scope, depth - 1))),
        1 | 2 => Expr::And((0..random.below(4)).map(|_| random_bool(random, scope, depth - 1)).collect()),
        3 | 4 => Expr::Or((0..random.below(4)).map(|_| random_bool(random, scope, depth - 1)).collect()),
        5 => {
            let (a, b) = (random_bool(random, scope, depth - 1), random_bool(random, scope, depth - 1));
            Expr::binary(Operator::Implies, a, b)
        }
        6 => {
            let operators =
                [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Le, Operator::Gt, Operator::Ge];
            let (a, b) = (random_int(random, scope, depth - 1), random_int(random, scope, depth - 1));
            Expr::binary(operators[random.below(6)], a, b)
        }
        7 => read(G, None, vec![random_int(random, scope, depth - 1), random_int(random, scope, 0)]),
        8 => {
            let [a, b, c] = [0; 3].map(|_| Box::new(random_bool(random, scope, depth - 1)));
            Expr::If(a, b, c)
        }
        9 => {
            let (index, binder) = random_binder(random, scope);
            scope.push(index);
            let body = random_bool(random, scope, depth - 1);
            scope.pop();
            let quantifier = [Quantifier::Forall, Quantifier::Exists][random.below(2)];
            Expr::Quantified(quantifier, binder, Box::new(body))
        }
        10 => Expr::Taken(random_pattern(random, scope)),
        _ => Expr::Enabled(random_pattern(random, scope)),
    }
}

/// An index, perhaps one that is bound already, and a small span, perhaps empty or depending on another index.
fn random_binder(random: &mut Random, scope: &[Index]) -> (Index, Binder) {
    let index = [K, R, V][random.below(3)];
    let lo = random.between(-1, 3);
    let hi = match scope.last() {
        Some(other) if random.below(3) == 0 => Expr::Sum(vec![Expr::Index(*other), int(1)]),
        _ => int(lo + random.between(-1, 2)),
    };
    (index, Binder { index, span: Span { lo: Box::new(int(lo)), hi: Box::new(hi) } })
}

fn random_pattern(random: &mut Random, scope: &mut Vec<Index>) -> Pattern {
    let mut party = |random: &mut Random, family: FamilyId| {
        let labels: &[&str] = match family {
            P => &["go", "give", "meet", "nowhere"],
            S => &["roll", "rest"],
            _ => &["greet"],
        };
        let label = (random.below(2) == 0).then(|| labels[random.below(labels.len())].to_owned());
        let named = family != S && random.below(3) > 0;
        let process = named.then(|| match random.below(3) {
            0 => int(if family == P { random.between(1, 2) } else { random.between(3, 5) }),
            _ => random_int(random, scope, 0),
        });
        Party { family, process: process.map(Box::new), label }
    };
    let participants = match random.below(5) {
        0 => Vec::new(),
        1 => vec![party(random, S)],
        2 => vec![party(random, P), party(random, Q)],
        3 => vec![party(random, Q)],
        _ => vec![party(random, P)],
    };
    let arguments = (random.below(4) == 0).then(|| vec![random_int(random, scope, 0)]);
    Pattern { participants, arguments }
}
