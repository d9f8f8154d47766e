//! Definitions and references: what every name of a file means, for editors.
//!
//! An [`Index`] is made from the syntax tree with the scoping rules of the checker (`check::names`), and from files with
//! errors as well: what the parser understood is indexed, and a name without a meaning is not. So every occurrence of a
//! name is a definition, a use of a definition, or unknown. There is one exception to "one": `p.y` in a macro whose
//! parameter `p` stands for different processes is a use of the local `y` of each.
//!
//! Some names are not written where they are defined: the end of a process and its statements without a label. Their
//! definitions exist if the file uses them; they are [`implied`](Definition::implied).

mod collect;
mod facts;
mod rename;

use crate::syntax::{File, Span};
pub use facts::{Facts, facts};
pub use rename::rename;

/// The definitions of a file and their uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// In the order of the file.
    pub definitions: Vec<Definition>,
    /// Every place of a name with its definition, in the order of the file.
    places: Vec<(usize, usize, usize)>,
}

/// The definition of a name.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// What it is a name of.
    pub kind: Kind,
    /// Where it stands; if it is implied, what it names.
    pub span: Span,
    /// The whole declaration, statement or binder.
    pub whole: Span,
    /// The text in which the name can stand alone.
    pub scope: Span,
    /// The definition that this is a part of: the process of a local, the enum of a member.
    pub owner: Option<usize>,
    /// Where else the name stands, in order.
    pub uses: Vec<Span>,
    /// Whether the name is not written at its span.
    pub implied: bool,
    /// The comments at its declaration.
    pub comment: Option<String>,
}

/// Here spans take part in equality: two indices are equal if they are about the same text.
impl PartialEq for Definition {
    fn eq(&self, other: &Definition) -> bool {
        let key = |own: &Definition| {
            let place = |span: &Span| (span.start, span.end);
            let uses: Vec<(usize, usize)> = own.uses.iter().map(place).collect();
            (own.name.clone(), own.kind, place(&own.span), place(&own.scope), own.owner, uses, own.implied)
        };
        key(self) == key(other)
    }
}

impl Eq for Definition {}

/// What a name is a name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `const N = 3;`
    Constant,
    /// `param N >= 2;`
    Parameter,
    /// `enum Colour { … }`
    Enum,
    /// A record.
    Record,
    /// `red`
    Member,
    /// `define busy(j) = …;`
    Definition,
    /// `macro take(f) { … }`
    Macro,
    /// A parameter of a definition or macro.
    Argument,
    /// `shared x: bool;`
    Shared,
    /// `local y: bool;`
    Local,
    /// `chan c: [4] of bool;`
    Channel,
    /// `event barrier;`
    Event,
    /// `process P`
    Process,
    /// The label of a statement.
    Label,
    /// `action go { … }`
    Action,
    /// A name bound to the values of a range: by a family, a quantifier, an action, `for`, `choose`, `[j: e]`.
    Index,
    /// `let v = e;`
    Let,
    /// `fairness f: …;`
    Fairness,
    /// `invariant p: …;`
    Invariant,
    /// `property p: …;`
    Property,
    /// A proposition of an automaton in a file.
    Proposition,
}

impl Kind {
    /// What it is called in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::Parameter => "parameter",
            Kind::Enum => "enum",
            Kind::Record => "record",
            Kind::Member => "member of an enum",
            Kind::Definition => "definition",
            Kind::Macro => "macro",
            Kind::Argument => "parameter of a definition or macro",
            Kind::Shared => "shared variable",
            Kind::Local => "local variable",
            Kind::Channel => "channel",
            Kind::Event => "event",
            Kind::Process => "process",
            Kind::Label => "label",
            Kind::Action => "action",
            Kind::Index => "index",
            Kind::Let => "named value",
            Kind::Fairness => "fairness",
            Kind::Invariant => "invariant",
            Kind::Property => "property",
            Kind::Proposition => "proposition of an automaton",
        }
    }
}

/// A name at a place of the text.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence<'i> {
    /// The name itself.
    pub span: Span,
    /// What it means.
    pub definition: &'i Definition,
    /// The position of the definition in [`Index::definitions`].
    pub number: usize,
}

impl Index {
    /// The index of a tree of this text.
    pub fn new(text: &str, file: &File) -> Index {
        let definitions = collect::definitions(text, file);
        let mut places: Vec<(usize, usize, usize)> = Vec::new();
        for (number, definition) in definitions.iter().enumerate() {
            let own = (!definition.implied).then_some(definition.span);
            let spans = own.into_iter().chain(definition.uses.iter().copied());
            places.extend(spans.map(|span| (span.start, span.end, number)));
        }
        places.sort_unstable();
        Index { definitions, places }
    }

    /// The names at a byte of the text; one that ends there counts too, if none begins. There are several if a name has
    /// several meanings.
    pub fn at(&self, byte: usize) -> Vec<Occurrence<'_>> {
        let end = self.places.partition_point(|(start, ..)| *start <= byte);
        let before = self.places[..end].iter().rev();
        let near: Vec<_> = before.take_while(|(_, end, _)| *end >= byte).copied().collect();
        let last = near.first().map_or(0, |(start, ..)| *start);
        let found = near.into_iter().filter(|(start, ..)| *start == last);
        found.map(|(start, end, number)| self.occurrence(Span { start, end }, number)).collect()
    }

    /// Every name of the text that has a meaning, in the order of the file.
    pub fn occurrences(&self) -> impl Iterator<Item = Occurrence<'_>> {
        self.places
            .iter()
            .map(|(start, end, number)| self.occurrence(Span { start: *start, end: *end }, *number))
    }

    fn occurrence(&self, span: Span, number: usize) -> Occurrence<'_> {
        Occurrence { span, definition: &self.definitions[number], number }
    }

    /// The definitions whose names can stand alone at a byte of the text.
    pub fn visible(&self, byte: usize) -> impl Iterator<Item = &Definition> {
        let alone = |kind: Kind| {
            !matches!(
                kind,
                Kind::Label
                    | Kind::Action
                    | Kind::Fairness
                    | Kind::Invariant
                    | Kind::Property
                    | Kind::Proposition
            )
        };
        self.definitions.iter().filter(move |definition| {
            let Span { start, end } = definition.scope;
            alone(definition.kind) && (start..=end).contains(&byte)
        })
    }

    /// The parts of a definition: the locals and labels of a process, the members of an enum.
    pub fn parts(&self, number: usize) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(move |definition| definition.owner == Some(number))
    }
}
