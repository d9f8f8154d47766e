//! The syntax tree of a file: what the parser returns and the printer writes.
//!
//! The tree keeps what the user wrote (names, order, comments), with a [`Span`] on everything a message may point at.
//! Spans do not take part in equality, so that tests can compare `parse(print(t)) == t`. State expressions, LTL and CTL
//! share one [`Expr`]; the checker separates them, because a precise message needs the whole expression.

/// A range of bytes of the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Spans do not take part in equality: two trees are equal if they say the same.
impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

/// A name as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A comment on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its text, without the leading `//`.
    pub text: String,
    /// Whether an empty line precedes it.
    pub spaced: bool,
}

/// The comments of an item, member or statement. A comment inside it is kept among those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// On the lines before it.
    pub before: Vec<Comment>,
    /// On the line where it ends, without the leading `//`.
    pub after: Option<String>,
    /// Whether an empty line precedes it, after the comments before it.
    pub spaced: bool,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its declarations, in order.
    pub items: Vec<Item>,
    /// Comments after the last item.
    pub trailing: Vec<Comment>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What is declared.
    pub kind: ItemKind,
    /// Where it stands.
    pub span: Span,
    /// Its comments.
    pub comments: Comments,
}

/// The kinds of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the source text at each variant names its fields
#[allow(clippy::large_enum_variant)] // a file has few of them
pub enum ItemKind {
    /// `include "file.fair";`
    Include(Name),
    /// `const N = 3;`
    Const { name: Name, value: Expr },
    /// `param N >= 2;`
    Param { name: Name, least: Expr },
    /// `enum Colour { red, green }`
    Enum { name: Name, members: Vec<Name> },
    /// `record Vote { term: 0..3, from: Node }`
    Record { name: Name, fields: Vec<Field> },
    /// `define busy(j) = …;`
    Define { name: Name, parameters: Vec<Name>, body: Expr },
    /// `macro take(f) { … }`
    Macro { name: Name, parameters: Vec<Name>, body: Block },
    /// `shared x, y: bool = true;`
    Shared(Variables),
    /// `chan c[1..N]: [4] unordered lossy of bool, 0..7;`
    Chan { name: Name, range: Option<Range>, capacity: Expr, network: Network, fields: Vec<Type> },
    /// `event barrier;`
    Event(Vec<Name>),
    /// `init e;`
    Init(Expr),
    /// `stuttering;`
    Stuttering,
    /// `process P[i: 1..N, k: 1..2] { … }`
    Process(Process),
    /// `fairness name: …;`
    Fairness { name: Option<Name>, fair: Fair },
    /// `invariant name[i: 1..N] where e: e;`
    Invariant { name: Name, family: Members, body: Expr, expect: Option<Expect> },
    /// `property name[i: 1..N]: φ under … expect …;`
    Property { name: Name, family: Members, body: Expr, under: Option<Fair>, expect: Option<Expect> },
    /// `property name[i: 1..N]: never automaton "file" with a = e, … under … expect …;`
    Never {
        name: Name,
        family: Members,
        file: Name,
        propositions: Vec<Proposition>,
        under: Option<Fair>,
        expect: Option<Expect>,
    },
}

/// What a channel does to its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a word of the declaration
pub struct Network {
    /// `unordered`: it delivers any of its messages.
    pub unordered: bool,
    /// `lossy`: it may lose one.
    pub lossy: bool,
    /// `duplicating`: it may double one.
    pub duplicating: bool,
}

/// The members of a family of properties: `[i: 1..N, j: 1..N] where i != j`. Without binders it is no family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Their indices.
    pub binders: Vec<Binder>,
    /// Which of them there are.
    pub condition: Option<Expr>,
}

/// A field of a record: `term: 0..3`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub kind: Type,
}

/// What a proposition of an automaton stands for: `a = e` or `"a b" = e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition {
    /// Its name, without quotes.
    pub name: Name,
    /// A condition on a position.
    pub meaning: Expr,
}

/// What the answer should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// `expect holds`
    Holds,
    /// `expect holds vacuously`: because there is nothing that could violate it.
    HoldsVacuously,
    /// `expect fails`
    Fails,
}

impl Expect {
    /// The words after `expect`.
    pub fn name(self) -> &'static str {
        match self {
            Expect::Holds => "holds",
            Expect::HoldsVacuously => "holds vacuously",
            Expect::Fails => "fails",
        }
    }

    /// Whether the property should hold.
    pub fn holds(self) -> bool {
        self != Expect::Fails
    }
}

/// Variables declared together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variables {
    /// Their names.
    pub names: Vec<Name>,
    /// Their type.
    pub kind: Type,
    /// Their initial values.
    pub initial: Option<Initial>,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool(Span),
    /// `int`
    Int(Span),
    /// The name of an enum or a record.
    Named(Name),
    /// `lo..hi`
    Range(Range),
    /// `array[lo..hi] of T`
    Array(Range, Box<Type>),
    /// `set of T`
    Set(Box<Type>),
    /// `seq[4] of T`
    Seq(Expr, Box<Type>),
}

/// `lo..hi`, or one expression: the name of an enum, or a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least value; the name or set if there are no ends.
    pub lo: Expr,
    /// The greatest value; the same name or set if there are no ends.
    pub hi: Expr,
    /// Whether it is the name of an enum, or a set.
    pub named: bool,
}

/// Initial values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// `= e`; for an array also `= [e, …]` and `= [j: e]`
    Value(Expr),
    /// `= any`
    Any(Span),
    /// `in {e, …}` or `in lo..hi`
    In(Set),
}

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// `{e, …}`
    Listed(Vec<Expr>, Span),
    /// `lo..hi`
    Range(Range),
    /// `int`: all integers, to choose from.
    Integers(Span),
}

/// `i: 1..N` or `i in 1..N`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The bound name.
    pub name: Name,
    /// Its values.
    pub range: Range,
}

/// A process or a family of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Whether it belongs to the environment.
    pub environment: bool,
    /// Its name.
    pub name: Name,
    /// Its indices, if it is a family: `[i: 1..N]`, `[i: Node, k: 1..2]`.
    pub indices: Vec<Binder>,
    /// Local variables and actions, in order.
    pub members: Vec<Member>,
    /// Its code.
    pub body: Vec<Statement>,
    /// Comments before the closing brace.
    pub trailing: Vec<Comment>,
}

/// A local variable or an action of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Which.
    pub kind: MemberKind,
    /// Where it stands.
    pub span: Span,
    /// Its comments.
    pub comments: Comments,
}

/// The kinds of members.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the source text at each variant names its fields
pub enum MemberKind {
    /// `local y: 0..3 = 0;`
    Local(Variables),
    /// `action l(r: 1..N) when g { … }`, perhaps with `environment` before it
    Action { environment: bool, label: Label, parameters: Vec<Binder>, guard: Option<Expr>, body: Block },
}

/// A label, perhaps with a fairness annotation: `try`, `wf(try)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: Name,
    /// `wf`, `sf` or `uf`.
    pub annotation: Option<FairWord>,
}

impl Label {
    /// Whether it stands in the text; if not, the file uses the name that its statement has by its line.
    pub(crate) fn is_written(&self) -> bool {
        self.name.span.start < self.name.span.end
    }
}

/// Statements in braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// Comments before the closing brace.
    pub trailing: Vec<Comment>,
    /// Where it stands.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its label.
    pub label: Option<Label>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
    /// Its comments.
    pub comments: Comments,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the source text at each variant names its fields
pub enum StatementKind {
    /// `skip;`
    Skip,
    /// `stay;`
    Stay,
    /// `halt;`
    Halt,
    /// `x, y = e, f;` The targets are expressions that must denote places.
    Assign { targets: Vec<Expr>, values: Vec<Expr> },
    /// `x += e;` with an operator of arithmetic.
    Update { target: Expr, operator: Binary, value: Expr },
    /// `assert e "why";`
    Assert { condition: Expr, text: Option<Name> },
    /// `let v = e;`, or `let v, _ = c?;` if it receives. Only what is received may be ignored, or be several values.
    Let { names: Vec<Option<Name>>, value: Expr, receives: bool },
    /// `take(e, f);`: a macro.
    Call(Name, Vec<Expr>),
    /// `for j in 1..N { … }` inside a step.
    For(Binder, Block),
    /// `sync barrier;`
    Sync(Name),
    /// `await e;`
    Await(Expr),
    /// `request x;`
    Request(Expr),
    /// `release x;`
    Release(Expr),
    /// `when e { … }`
    When(Expr, Block),
    /// `atomic { … }`
    Atomic(Block),
    /// `choose v in S where e { … }`
    Choose { name: Name, set: Set, condition: Option<Expr>, body: Block },
    /// `c!e, f;`
    Send { channel: Expr, values: Vec<Expr> },
    /// `c?x, y;` `None` is `_`.
    Receive { channel: Expr, targets: Vec<Option<Expr>> },
    /// `if e { … } else { … }`; `else if` is an `else` block with one `if`.
    If { condition: Expr, yes: Block, no: Option<Block> },
    /// `while e { … }`
    While(Expr, Block),
    /// `loop { … }`
    Loop(Block),
    /// `either { … } or { … }`
    Either(Vec<Block>),
    /// `goto l;`
    Goto(Name),
}

/// `weak`, `strong`, `unconditional`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FairWord {
    Weak,
    Strong,
    Unconditional,
}

/// A fairness expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fair {
    /// What it says.
    pub kind: FairKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of fairness expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairKind {
    /// `weak P[1].try`
    Of(FairWord, Event),
    /// `weak all`
    All(FairWord),
    /// `weak processes`
    Processes(FairWord),
    /// `justice (p)`
    Justice(Expr),
    /// `compassion (p, q)`
    Compassion(Expr, Expr),
    /// `for i in 1..N: …`
    For(Binder, Box<Fair>),
    /// `global`
    Global,
    /// `none`
    None,
    /// The name of a fairness declaration.
    Named(Name),
    /// `a & b & …`
    And(Vec<Fair>),
    /// `a | b | …`
    Or(Vec<Fair>),
}

/// The actions that an event atom or a fairness word refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The processes; empty for `any`.
    pub parties: Vec<Party>,
    /// The arguments, if given.
    pub arguments: Option<Vec<Expr>>,
    /// Where it stands.
    pub span: Span,
}

/// `P[1].try`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// The process or family.
    pub process: Name,
    /// Its indices, if given.
    pub indices: Vec<Expr>,
    /// The label, if given.
    pub label: Option<Name>,
}

/// An expression or a temporal formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it says.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

impl Expr {
    /// Whether a temporal operator occurs in it.
    pub(crate) fn is_about_runs(&self) -> bool {
        let mut found = false;
        crate::visit::visit(self, &mut |part| {
            found |= match &part.kind {
                ExprKind::Unary(operator, _) => !matches!(operator, Unary::Not | Unary::Neg),
                ExprKind::Binary(operator, ..) => {
                    matches!(
                        operator,
                        Binary::Until | Binary::WeakUntil | Binary::Release | Binary::Since | Binary::LeadsTo
                    )
                }
                ExprKind::Path(..) => true,
                _ => false,
            };
        });
        found
    }
}

/// Quantifiers that bind an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Quantifier {
    Forall,
    Exists,
    Count,
    Sum,
    Min,
    Max,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Unary {
    Not,
    Neg,
    /// `G`, also written `[]`.
    Globally,
    /// `F`, also written `<>`.
    Finally,
    Next,
    /// `Y`
    Previous,
    /// `O`
    Once,
    /// `H`
    Historically,
    AllGlobally,
    AllFinally,
    AllNext,
    SomeGlobally,
    SomeFinally,
    SomeNext,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Iff,
    Implies,
    /// `p ~> q`: whenever `p`, then `q` at some time from there on.
    LeadsTo,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
    /// `S`
    Since,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// `S & T`: what is in both sets.
    Meet,
}

/// `A[p U q]` and its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PathUntil {
    AllUntil,
    SomeUntil,
    AllWeakUntil,
    SomeWeakUntil,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true`, `false`
    Bool(bool),
    /// A constant, variable, index, enum member, definition, process or channel.
    Name(String),
    /// `busy(3)`: a definition with arguments.
    Call(Name, Vec<Expr>),
    /// `a[e]`, `P[e]`
    Item(Box<Expr>, Box<Expr>),
    /// `P[e].y`
    Field(Box<Expr>, Name),
    /// `P[e]@l`
    At(Box<Expr>, Name),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `A[p U q]`
    Path(PathUntil, Box<Expr>, Box<Expr>),
    /// `e in {1, 3}`
    In(Box<Expr>, Box<Set>),
    /// `if c { a } else { b }`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall j in 1..N: e`, `count(j in 1..N: e)`
    Quantified(Quantifier, Box<Binder>, Box<Expr>),
    /// `[1, 2, 3]`: the elements of an array or a sequence.
    List(Vec<Expr>),
    /// `[j: e]`: the element of an array for each index `j`.
    Each(Name, Box<Expr>),
    /// `Vote { term: t, from: i }`
    Record(Name, Vec<(Name, Expr)>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `|S|`: the number of members of a set.
    Size(Box<Expr>),
    /// `min(a, b)`
    Min(Vec<Expr>),
    /// `max(a, b)`
    Max(Vec<Expr>),
    /// `taken(a)`
    Taken(Event),
    /// `enabled(a)`
    Enabled(Event),
    /// `deadlock`
    Deadlock,
    /// `len(c)`, also of a sequence
    Len(Box<Expr>),
    /// `empty(c)`
    Empty(Box<Expr>),
    /// `full(c)`
    Full(Box<Expr>),
    /// Text that could not be parsed; it was reported already.
    Error,
}
