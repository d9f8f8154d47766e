//! Random syntax trees of the kind that the parser returns for a file without errors.
//!
//! Every construct of the language occurs. The trees only follow the grammar: names are not declared and types do not
//! fit.

use lang::syntax::{
    Binary, Binder, Block, Comment, Comments, Event, Expect, Expr, ExprKind, Fair, FairKind, FairWord, Field,
    File, Initial, Item, ItemKind, Label, Member, MemberKind, Members, Name, Network, Party, PathUntil,
    Process, Proposition, Quantifier, Range, Set, Span, Statement, StatementKind, Type, Unary, Variables,
};

/// A source of random numbers: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        model::splitmix::next(&mut self.0)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn some<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance(2).then(|| make(self))
    }

    fn many<T>(&mut self, least: usize, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| make(self)).collect()
    }
}

/// A file of up to `items` declarations.
pub(crate) fn file(random: &mut Random, items: usize) -> File {
    let mut file = File::default();
    for number in 0..random.below(items + 1) {
        let comments = comments(random, number == 0);
        file.items.push(Item { kind: item(random), span: Span::default(), comments });
    }
    file.trailing = trailing(random, file.items.is_empty());
    file
}

fn comment(random: &mut Random, first: bool) -> Comment {
    let text = random.pick(&["", " a word", "/ three", " x = 1; }", "\tä ∀", " // {", "*"]);
    Comment { text: text.to_owned(), spaced: !first && random.chance(3) }
}

fn trailing(random: &mut Random, first: bool) -> Vec<Comment> {
    let count = if random.chance(4) { 1 + random.below(2) } else { 0 };
    (0..count).map(|number| comment(random, first && number == 0)).collect()
}

fn comments(random: &mut Random, first: bool) -> Comments {
    let before = trailing(random, first);
    let after = random.chance(5).then(|| comment(random, true).text);
    let spaced = !(first && before.is_empty()) && random.chance(4);
    Comments { before, after, spaced }
}

const NAMES: &[&str] =
    &["x", "y", "P", "Q", "R", "U", "W", "try", "crit", "holds", "processes", "next", "never", "a_1"];

/// Names that are words of the language in other places.
const WORDS: &[&str] = &[
    "A", "E", "F", "G", "H", "O", "S", "X", "Y", "AG", "GF", "in", "release", "request", "count", "len",
    "event", "sync", "lossy",
];

fn name(random: &mut Random) -> Name {
    let names = if random.chance(4) { WORDS } else { NAMES };
    let text = random.pick(names);
    Name { text: text.to_owned(), span: Span::default() }
}

/// A name of something with arguments. Operators would be read otherwise.
fn applied(random: &mut Random) -> Name {
    Name { text: random.pick(NAMES).to_owned(), span: Span::default() }
}

fn item(random: &mut Random) -> ItemKind {
    match random.below(14) {
        13 => ItemKind::Record {
            name: name(random),
            fields: random.many(1, 3, |random| Field { name: name(random), kind: kind(random) }),
        },
        12 => ItemKind::Macro {
            name: applied(random),
            parameters: random.many(0, 2, name),
            body: block(random, 2),
        },
        0 => ItemKind::Const { name: name(random), value: expr(random, 3) },
        1 => ItemKind::Param { name: name(random), least: expr(random, 2) },
        2 => ItemKind::Enum { name: name(random), members: random.many(1, 3, name) },
        3 => ItemKind::Define {
            name: applied(random),
            parameters: random.many(0, 2, name),
            body: expr(random, 4),
        },
        4 => ItemKind::Shared(variables(random)),
        5 => ItemKind::Chan {
            name: name(random),
            range: random.some(range),
            capacity: expr(random, 1),
            network: Network {
                unordered: random.chance(4),
                lossy: random.chance(4),
                duplicating: random.chance(4),
            },
            fields: random.many(1, 3, kind),
        },
        6 if random.chance(5) => ItemKind::Stuttering,
        6 if random.chance(4) => ItemKind::Event(random.many(1, 2, name)),
        6 => ItemKind::Init(expr(random, 4)),
        7 => ItemKind::Process(process(random)),
        8 => ItemKind::Fairness { name: random.some(name), fair: fair(random, 3) },
        9 => ItemKind::Invariant {
            name: name(random),
            family: members(random),
            body: expr(random, 4),
            expect: expect(random),
        },
        10 => ItemKind::Never {
            name: name(random),
            family: members(random),
            file: quoted(random),
            propositions: random.many(0, 3, proposition),
            under: random.some(|random| fair(random, 3)),
            expect: expect(random),
        },
        _ => ItemKind::Property {
            name: name(random),
            family: members(random),
            body: expr(random, 5),
            under: random.some(|random| fair(random, 3)),
            expect: expect(random),
        },
    }
}

fn members(random: &mut Random) -> Members {
    let binders = random.many(0, 2, binder);
    let condition = if binders.is_empty() { None } else { random.some(|random| expr(random, 2)) };
    Members { binders, condition }
}

/// A name in quotes, which may be any text.
fn quoted(random: &mut Random) -> Name {
    let text = random.pick(&["bad.hoa", "a b/c.hoa", "", "x > 0", "F", "with", "p", "ü // ;"]);
    Name { text: text.to_owned(), span: Span::default() }
}

fn proposition(random: &mut Random) -> Proposition {
    Proposition { name: quoted(random), meaning: expr(random, 3) }
}

fn expect(random: &mut Random) -> Option<Expect> {
    random.pick(&[None, Some(Expect::Holds), Some(Expect::HoldsVacuously), Some(Expect::Fails)])
}

fn variables(random: &mut Random) -> Variables {
    let initial = random.some(|random| match random.below(4) {
        0 => Initial::Any(Span::default()),
        1 => Initial::Value(array(random, 1)),
        2 => Initial::In(set(random, 1)),
        _ => Initial::Value(expr(random, 2)),
    });
    Variables { names: random.many(1, 3, name), kind: kind(random), initial }
}

fn kind(random: &mut Random) -> Type {
    match random.below(7) {
        4 => Type::Set(Box::new(kind(random))),
        5 => Type::Seq(expr(random, 1), Box::new(kind(random))),
        0 => Type::Bool(Span::default()),
        1 => Type::Int(Span::default()),
        2 => Type::Named(name(random)),
        3 => Type::Array(range(random), Box::new(kind(random))),
        _ => Type::Range(numbers(random)),
    }
}

fn range(random: &mut Random) -> Range {
    if random.chance(5) {
        let set = match random.below(4) {
            0 => made(ExprKind::Item(Box::new(place(random)), Box::new(expr(random, 0)))),
            1 => made(ExprKind::Binary(
                random.pick(&[Binary::Add, Binary::Sub, Binary::Meet]),
                Box::new(made(ExprKind::Name(name(random).text))),
                Box::new(made(ExprKind::Set(random.many(0, 2, |random| expr(random, 1))))),
            )),
            _ => made(ExprKind::Name(name(random).text)),
        };
        return Range { lo: set.clone(), hi: set, named: true };
    }
    numbers(random)
}

fn numbers(random: &mut Random) -> Range {
    let depth = usize::from(random.chance(4));
    Range { lo: expr(random, 0), hi: expr(random, depth), named: false }
}

fn set(random: &mut Random, depth: usize) -> Set {
    if random.chance(2) {
        Set::Range(range(random))
    } else {
        Set::Listed(random.many(0, 3, |random| expr(random, depth)), Span::default())
    }
}

fn binder(random: &mut Random) -> Binder {
    Binder { name: name(random), range: range(random) }
}

fn process(random: &mut Random) -> Process {
    let mut members = Vec::new();
    for number in 0..random.below(3) {
        let comments = comments(random, number == 0);
        members.push(Member { kind: member(random), span: Span::default(), comments });
    }
    let first = members.is_empty();
    let (body, trailing) = statements(random, 3, first);
    Process {
        environment: random.chance(4),
        name: name(random),
        indices: random.many(0, 2, binder),
        members,
        body,
        trailing,
    }
}

fn member(random: &mut Random) -> MemberKind {
    if random.chance(2) {
        return MemberKind::Local(variables(random));
    }
    MemberKind::Action {
        environment: random.chance(4),
        label: label(random),
        parameters: random.many(0, 2, binder),
        guard: random.some(|random| expr(random, 3)),
        body: block(random, 2),
    }
}

fn label(random: &mut Random) -> Label {
    let annotation = if random.chance(3) { Some(fair_word(random)) } else { None };
    Label { name: name(random), annotation }
}

fn statements(random: &mut Random, depth: usize, first: bool) -> (Vec<Statement>, Vec<Comment>) {
    let mut statements = Vec::new();
    for number in 0..random.below(4) {
        let comments = comments(random, first && number == 0);
        let label = if random.chance(3) { Some(label(random)) } else { None };
        statements.push(Statement { label, kind: statement(random, depth), span: Span::default(), comments });
    }
    let trailing = trailing(random, first && statements.is_empty());
    (statements, trailing)
}

fn block(random: &mut Random, depth: usize) -> Block {
    let (statements, trailing) = statements(random, depth, true);
    Block { statements, trailing, span: Span::default() }
}

fn statement(random: &mut Random, depth: usize) -> StatementKind {
    match random.below(if depth == 0 { 10 } else { 17 }) {
        0 => StatementKind::Skip,
        1 => StatementKind::Stay,
        2 => StatementKind::Halt,
        3 => StatementKind::Assign {
            targets: random.many(1, 2, place),
            values: random.many(1, 2, |random| expr(random, 2)),
        },
        4 => match random.below(6) {
            3 => StatementKind::Let {
                names: vec![Some(name(random))],
                value: expr(random, 2),
                receives: false,
            },
            4 => StatementKind::Let {
                names: random.many(1, 2, |random| random.some(name)),
                value: expr(random, 1),
                receives: true,
            },
            5 => StatementKind::Call(applied(random), random.many(0, 2, |random| expr(random, 2))),
            0 => StatementKind::Assign { targets: vec![place(random)], values: vec![array(random, 2)] },
            1 => StatementKind::Update {
                target: place(random),
                operator: random.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Mod]),
                value: expr(random, 2),
            },
            _ => StatementKind::Assert { condition: expr(random, 2), text: random.some(quoted) },
        },
        5 if random.chance(3) => StatementKind::Sync(name(random)),
        5 => StatementKind::Await(expr(random, 3)),
        6 => StatementKind::Request(place(random)),
        7 => StatementKind::Release(place(random)),
        8 => StatementKind::Send {
            channel: place(random),
            values: random.many(1, 2, |random| expr(random, 2)),
        },
        9 => match random.below(2) {
            0 => StatementKind::Goto(name(random)),
            _ => StatementKind::Receive {
                channel: place(random),
                targets: random.many(1, 3, |random| random.some(place)),
            },
        },
        10 => StatementKind::When(expr(random, 3), block(random, depth - 1)),
        11 => StatementKind::Atomic(block(random, depth - 1)),
        12 => StatementKind::Choose {
            name: name(random),
            set: set(random, 1),
            condition: random.some(|random| expr(random, 2)),
            body: block(random, depth - 1),
        },
        13 => StatementKind::While(expr(random, 2), block(random, depth - 1)),
        14 if random.chance(2) => StatementKind::For(binder(random), block(random, depth - 1)),
        14 => StatementKind::Loop(block(random, depth - 1)),
        15 => StatementKind::Either(random.many(1, 3, |random| block(random, depth - 1))),
        _ => StatementKind::If {
            condition: expr(random, 2),
            yes: block(random, depth - 1),
            no: random.some(|random| block(random, depth - 1)),
        },
    }
}

fn fair_word(random: &mut Random) -> FairWord {
    random.pick(&[FairWord::Weak, FairWord::Strong, FairWord::Unconditional])
}

fn fair(random: &mut Random, depth: usize) -> Fair {
    let kind = match random.below(if depth == 0 { 7 } else { 10 }) {
        0 => FairKind::All(fair_word(random)),
        1 => FairKind::Processes(fair_word(random)),
        2 => FairKind::Justice(expr(random, 2)),
        3 => FairKind::Compassion(expr(random, 2), expr(random, 2)),
        4 => fair_of(random),
        5 => FairKind::Named(name(random)),
        6 if random.chance(2) => FairKind::Global,
        6 => FairKind::None,
        7 => FairKind::For(binder(random), Box::new(fair(random, depth - 1))),
        8 => FairKind::And(random.many(2, 3, |random| fair(random, depth - 1))),
        _ => FairKind::Or(random.many(2, 3, |random| fair(random, depth - 1))),
    };
    Fair { kind, span: Span::default() }
}

/// `weak processes` refers to all processes, so it is never an event of a process of that name.
fn fair_of(random: &mut Random) -> FairKind {
    let (word, event) = (fair_word(random), event(random));
    match event.parties.as_slice() {
        [Party { process, indices, label: None }]
            if process.text == "processes" && indices.is_empty() && event.arguments.is_none() =>
        {
            FairKind::Processes(word)
        }
        _ => FairKind::Of(word, event),
    }
}

fn event(random: &mut Random) -> Event {
    let parties = random.many(0, 2, |random| {
        if random.chance(8) {
            let named = |text: &str| Name { text: text.to_owned(), span: Span::default() };
            return Party { process: named("stuttering"), indices: Vec::new(), label: Some(named("stay")) };
        }
        Party {
            process: name(random),
            indices: random.many(0, 2, |random| expr(random, 1)),
            label: random.some(name),
        }
    });
    let mut arguments = None;
    if !parties.is_empty() && random.chance(3) {
        arguments = Some(random.many(1, 2, |random| expr(random, 1)));
    }
    Event { parties, arguments, span: Span::default() }
}

fn place(random: &mut Random) -> Expr {
    let mut place = made(ExprKind::Name(name(random).text));
    for _ in 0..random.below(3) {
        place = made(match random.below(3) {
            0 => ExprKind::Field(Box::new(place), name(random)),
            1 => ExprKind::At(Box::new(place), name(random)),
            _ => ExprKind::Item(Box::new(place), Box::new(expr(random, 1))),
        });
    }
    place
}

fn made(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

const UNARY: &[Unary] = &[
    Unary::Not,
    Unary::Not,
    Unary::Neg,
    Unary::Globally,
    Unary::Finally,
    Unary::Next,
    Unary::Previous,
    Unary::Once,
    Unary::Historically,
    Unary::AllGlobally,
    Unary::AllFinally,
    Unary::AllNext,
    Unary::SomeGlobally,
    Unary::SomeFinally,
    Unary::SomeNext,
];

const BINARY: &[Binary] = &[
    Binary::Iff,
    Binary::Implies,
    Binary::LeadsTo,
    Binary::Or,
    Binary::And,
    Binary::Until,
    Binary::WeakUntil,
    Binary::Release,
    Binary::Since,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Mod,
    Binary::Meet,
];

const QUANTIFIERS: &[Quantifier] = &[
    Quantifier::Forall,
    Quantifier::Exists,
    Quantifier::Forall,
    Quantifier::Exists,
    Quantifier::Count,
    Quantifier::Sum,
    Quantifier::Min,
    Quantifier::Max,
];

const PATHS: &[PathUntil] =
    &[PathUntil::AllUntil, PathUntil::SomeUntil, PathUntil::AllWeakUntil, PathUntil::SomeWeakUntil];

/// `[e, …]` or `[j: e]`
fn array(random: &mut Random, depth: usize) -> Expr {
    made(match random.below(3) {
        0 => ExprKind::Each(name(random), Box::new(expr(random, depth))),
        1 => ExprKind::Each(name(random), Box::new(array(random, depth))),
        _ => ExprKind::List(random.many(0, 3, |random| expr(random, depth))),
    })
}

/// An expression at most `depth` operators high.
pub(crate) fn expr(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 {
        return made(match random.below(5) {
            0 => ExprKind::Int(random.pick(&[0, 1, 42, i64::MAX])),
            1 => ExprKind::Bool(random.chance(2)),
            2 => ExprKind::Deadlock,
            3 if random.chance(8) => {
                ExprKind::Name(random.pick(&["all", "none", "weak", "global"]).to_owned())
            }
            _ => ExprKind::Name(name(random).text),
        });
    }
    let depth = random.below(depth);
    let one = |random: &mut Random| Box::new(expr(random, depth));
    made(match random.below(24) {
        20 => {
            ExprKind::Record(applied(random), random.many(1, 2, |random| (name(random), expr(random, depth))))
        }
        21 => ExprKind::Set(random.many(0, 2, |random| expr(random, depth))),
        22 => ExprKind::List(random.many(0, 2, |random| expr(random, depth))),
        23 => ExprKind::Size(Box::new(made(ExprKind::Name(name(random).text)))),
        0..=5 => ExprKind::Binary(random.pick(BINARY), one(random), one(random)),
        6..=8 => ExprKind::Unary(random.pick(UNARY), one(random)),
        9 | 10 => ExprKind::Quantified(random.pick(QUANTIFIERS), Box::new(binder(random)), one(random)),
        11 => ExprKind::In(one(random), Box::new(set(random, depth))),
        12 => ExprKind::If(one(random), one(random), one(random)),
        13 => ExprKind::Path(random.pick(PATHS), one(random), one(random)),
        14 => ExprKind::Item(one(random), one(random)),
        15 if random.chance(2) => ExprKind::Field(one(random), name(random)),
        15 => ExprKind::At(one(random), name(random)),
        16 => ExprKind::Call(applied(random), random.many(1, 2, |random| expr(random, depth))),
        17 if random.chance(2) => ExprKind::Min(random.many(1, 2, |random| expr(random, depth))),
        17 => ExprKind::Max(random.many(1, 2, |random| expr(random, depth))),
        18 if random.chance(2) => ExprKind::Taken(event(random)),
        18 => ExprKind::Enabled(event(random)),
        _ => match random.below(3) {
            0 => ExprKind::Len(one(random)),
            1 => ExprKind::Empty(one(random)),
            _ => ExprKind::Full(one(random)),
        },
    })
}
