//! Declarations, except for the code of processes.
//!
//! Each begins with its own keyword. There is one function per rule of the grammar, in the order of the reference. Each
//! reads up to the `;` at the end and returns `None` if not even the name was found.

use super::Parser;
use super::recovery::{ITEMS, NO_PROBABILITIES, NO_TIME};
use crate::diagnostic::Diagnostic;
use crate::lexer::{FUNCTIONS, Kind, PREFIXES};
use crate::syntax::{
    Binary, Binder, Expect, Expr, ExprKind, Fair, Field, File, Initial, Item, ItemKind, Members, Name,
    Network, Proposition, Range, Set, Type, Variables,
};

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut items = Vec::new();
        let mut first = true;
        while !self.at_end() {
            (self.lost, self.broken_off) = (false, false);
            items.extend(self.item(first));
            first = false;
        }
        File { items, trailing: self.trailing(first) }
    }

    fn item(&mut self, first: bool) -> Option<Item> {
        let lead = self.lead(first);
        let start = self.current().span;
        let environment = self.at("environment") && self.then("process") && self.eat("environment");
        if self.at("stuttering") && self.then(";") {
            self.advance();
            self.advance();
            let (span, comments) = (start.to(self.previous), self.attach_comments(lead));
            return Some(Item { kind: ItemKind::Stuttering, span, comments });
        }
        if self.at("event") && self.peek(1).kind == Kind::Word {
            self.advance();
            let names = self.separated(Self::name).into_iter().flatten().collect();
            self.semicolon();
            let (span, comments) = (start.to(self.previous), self.attach_comments(lead));
            return Some(Item { kind: ItemKind::Event(names), span, comments });
        }
        if self.at_include() {
            self.advance();
            let file = self.text();
            self.semicolon();
            let (span, comments) = (start.to(self.previous), self.attach_comments(lead));
            return Some(Item { kind: ItemKind::Include(file?), span, comments });
        }
        let Some(keyword) = self.keyword(ITEMS, "declaration") else {
            self.no_item();
            return None;
        };
        self.advance();
        self.formula = matches!(keyword, "define" | "property");
        let kind = match keyword {
            "const" => self.constant(),
            "param" => self.parameter(),
            "enum" => self.enumeration(),
            "record" => self.record_type(),
            "define" => self.definition(),
            "macro" => self.macro_(),
            "shared" => self.variables().map(ItemKind::Shared),
            "chan" => self.channel(),
            "init" => Some(self.restriction()),
            "process" => self.process(environment).map(ItemKind::Process),
            "fairness" => self.fairness(),
            "invariant" => self.invariant(),
            _ => self.property(),
        };
        if self.lost {
            self.recover();
        }
        let (span, comments) = (start.to(self.previous), self.attach_comments(lead));
        Some(Item { kind: kind?, span, comments })
    }

    fn no_item(&mut self) {
        let token = self.current();
        let found = self.describe(token);
        match self.word() {
            "}" => self.report(Diagnostic::error(token.span, "unmatched `}`", "no block is open here")),
            ";" => self.report(Diagnostic::error(
                token.span,
                "expected a declaration, found `;`",
                "nothing ends here; there is no `;` after `}`",
            )),
            _ => {
                let help = match self.word() {
                    "local" | "var" => "variables of the whole file are declared with `shared`",
                    "action" => "actions belong to a process",
                    "dtmc" | "ctmc" | "mdp" | "pta" | "probabilistic" => NO_PROBABILITIES,
                    "clock" => NO_TIME,
                    _ => {
                        "a declaration begins with one of `include`, `const`, `param`, `enum`, `record`, `define`, `macro`, `shared`, `chan`, \
                          `event`, `init`, `stuttering`, `process`, `environment process`, `fairness`, `invariant`, `property`"
                    }
                };
                self.unexpected_here(&format!("expected a declaration, found {found}"), help);
            }
        }
        self.recover();
    }

    fn constant(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        self.equals();
        let value = self.expression();
        self.semicolon();
        Some(ItemKind::Const { name, value })
    }

    fn parameter(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        if !self.eat(">=") {
            self.unexpected_with("`>=`", Some("say what it is at least, as in `param N >= 2;`"));
        }
        let least = self.expression();
        self.semicolon();
        Some(ItemKind::Param { name, least })
    }

    fn enumeration(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        self.expect("{");
        let mut members = Vec::new();
        while !self.lost && !self.at("}") {
            members.extend(self.name());
            if !self.eat(",") {
                break;
            }
        }
        if self.at("}") && members.is_empty() {
            self.unexpected("a name");
        } else if !self.eat("}") {
            self.unexpected("`,` or `}`");
        }
        Some(ItemKind::Enum { name, members })
    }

    fn record_type(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        self.expect("{");
        let mut fields = Vec::new();
        while !self.lost && !self.at("}") {
            let name = self.name()?;
            self.expect(":");
            fields.push(Field { name, kind: self.type_()? });
            if !self.eat(",") {
                break;
            }
        }
        if self.at("}") && fields.is_empty() {
            self.unexpected("a field");
        } else if !self.eat("}") {
            self.unexpected("`,` or `}`");
        }
        Some(ItemKind::Record { name, fields })
    }

    fn definition(&mut self) -> Option<ItemKind> {
        // With arguments, these words are operators.
        let applied = self.then("(");
        let name = if applied { self.name_except(&[PREFIXES, FUNCTIONS])? } else { self.name()? };
        let mut parameters = Vec::new();
        if self.eat("(") {
            parameters = self.separated(Self::name).into_iter().flatten().collect();
            self.expect(")");
        }
        self.equals();
        let body = self.expression();
        self.semicolon();
        Some(ItemKind::Define { name, parameters, body })
    }

    fn macro_(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        let mut parameters = Vec::new();
        self.expect("(");
        if !self.at(")") {
            parameters = self.separated(Self::name).into_iter().flatten().collect();
        }
        self.expect(")");
        let body = self.block();
        Some(ItemKind::Macro { name, parameters, body })
    }

    /// The rest of a `shared` or `local` declaration.
    pub(super) fn variables(&mut self) -> Option<Variables> {
        let names: Vec<_> = self.separated(Self::name).into_iter().collect::<Option<_>>()?;
        self.expect(":");
        let kind = self.type_()?;
        let initial = self.initial();
        self.semicolon();
        Some(Variables { names, kind, initial })
    }

    fn initial(&mut self) -> Option<Initial> {
        if self.eat("in") {
            return self.set().map(Initial::In);
        }
        if !self.at("=") && !self.at(":=") && !self.at("==") {
            return None;
        }
        self.equals();
        let start = self.current().span;
        if self.eat("any") {
            return Some(Initial::Any(start));
        }
        Some(Initial::Value(self.expression()))
    }

    fn channel(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        let mut range = None;
        if self.eat("[") {
            range = Some(self.range()?);
            if self.at(",") {
                let help = "give it one range of numbers, and compute the index: `c[3 * i + j]`";
                self.unexpected_here("an array of channels has one index", help);
                return None;
            }
            self.expect("]");
        }
        self.expect(":");
        self.expect("[");
        if self.at("]") {
            let help = "give it room, `chan c: [4] of int`; to know only how many messages there are, count them in an `int`";
            self.unexpected_here("a channel has room for a number of messages", help);
            return None;
        }
        let capacity = self.expression();
        self.expect("]");
        let network = self.network();
        if self.at("of") {
            self.advance();
        } else {
            let help =
                "`unordered`, `lossy` and `duplicating` say what a channel does, and `of` what it holds";
            self.unexpected_with("`of`", Some(help));
        }
        let fields: Vec<_> = self.separated(Self::type_).into_iter().collect::<Option<_>>()?;
        self.semicolon();
        Some(ItemKind::Chan { name, range, capacity, network, fields })
    }

    /// `unordered`, `lossy` and `duplicating`, in any order.
    fn network(&mut self) -> Network {
        const WORDS: &[&str] = &["unordered", "lossy", "duplicating"];
        let mut network = Network::default();
        while !self.lost && !self.at("of") && self.current().kind == Kind::Word {
            let span = self.current().span;
            let Some(word) = self.keyword(WORDS, "kind of channel") else { break };
            self.advance();
            let said = match word {
                "unordered" => &mut network.unordered,
                "lossy" => &mut network.lossy,
                _ => &mut network.duplicating,
            };
            if std::mem::replace(said, true) {
                self.report(Diagnostic::error(span, format!("`{word}` is said once"), "again here"));
            }
        }
        network
    }

    fn restriction(&mut self) -> ItemKind {
        let predicate = self.expression();
        self.semicolon();
        ItemKind::Init(predicate)
    }

    fn invariant(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        let family = self.members();
        self.expect(":");
        if self.at_automaton() {
            let message = "an automaton reads runs, and an invariant is about states";
            self.report(Diagnostic::error(self.current().span, message, "write `property`"));
            return self.never(name, family);
        }
        let body = self.expression();
        let span = self.current().span;
        if self.clause("under") {
            self.report(Diagnostic::error(
                span,
                "an invariant takes no fairness",
                "it is about reachable states, not about runs",
            ));
            self.fair();
        }
        let expect = self.expectation();
        self.semicolon();
        Some(ItemKind::Invariant { name, family, body, expect })
    }

    fn property(&mut self) -> Option<ItemKind> {
        let name = self.name()?;
        let family = self.members();
        self.expect(":");
        if self.at_automaton() {
            return self.never(name, family);
        }
        let body = self.expression();
        let (under, expect) = self.clauses();
        Some(ItemKind::Property { name, family, body, under, expect })
    }

    /// Whether an automaton follows. These words are names elsewhere, but two of them in a row are never an expression.
    fn at_automaton(&mut self) -> bool {
        let next = self.peek(1);
        !self.lost
            && (self.at("never") && (next.kind == Kind::Text || self.then("automaton"))
                || self.at("automaton") && next.kind == Kind::Text)
    }

    /// The rest of a property from `never automaton` on.
    fn never(&mut self, name: Name, family: Members) -> Option<ItemKind> {
        let (never, span) = (self.at("never"), self.current().span);
        self.advance();
        if !never {
            let message = "an automaton accepts what must not happen";
            self.report(Diagnostic::error(span, message, "expected `never automaton`").help(
                "one that accepts what should happen would have to be complemented; give its complement",
            ));
        } else if !self.eat("automaton") {
            self.report(Diagnostic::error(
                span,
                "expected `never automaton`",
                "expected `automaton` after this",
            ));
        }
        let file = self.text()?;
        let mut propositions = Vec::new();
        if self.clause("with") {
            propositions = self.separated(Self::proposition).into_iter().flatten().collect();
        }
        let (under, expect) = self.clauses();
        Some(ItemKind::Never { name, family, file, propositions, under, expect })
    }

    fn proposition(&mut self) -> Option<Proposition> {
        let quoted = self.current().kind == Kind::Text;
        let name = if quoted { self.text() } else { self.name_called("the name of a proposition") }?;
        self.equals();
        Some(Proposition { name, meaning: self.expression() })
    }

    /// A text in quotes, without them.
    fn text(&mut self) -> Option<Name> {
        let token = self.current();
        if self.lost || token.kind != Kind::Text {
            self.unexpected("the name of a file in quotes");
            return None;
        }
        self.advance();
        let text = self.text_of(token).trim_matches('"').to_owned();
        Some(Name { text, span: token.span })
    }

    /// The end of a property: its fairness and its expected answer.
    fn clauses(&mut self) -> (Option<Fair>, Option<Expect>) {
        if self.at("where") && !self.lost {
            let span = self.current().span;
            let message = "the condition on the members of a family stands after them";
            let diagnostic = Diagnostic::error(span, message, "expected `;`");
            self.fail(diagnostic.help("write `p[i: Node, j: Node] where i != j: …`"));
        }
        let mut under = if self.clause("under") { self.fair() } else { None };
        let expect = self.expectation();
        let span = self.current().span;
        if expect.is_some() && self.clause("under") {
            self.report(Diagnostic::error(span, "`under` stands before `expect`", "expected `;`"));
            under = self.fair();
        }
        self.semicolon();
        (under, expect)
    }

    fn expectation(&mut self) -> Option<Expect> {
        let missing = !self.lost && (self.at("holds") || self.at("fails"));
        if missing {
            let (word, span) = (self.word(), self.current().span);
            let diagnostic =
                Diagnostic::error(span, format!("expected `expect` before `{word}`"), "expected `;`");
            self.report(diagnostic.help(format!("write `expect {word}`")));
        } else if !self.clause("expect") {
            return None;
        }
        match self.keyword(&["holds", "fails"], "expectation") {
            _ if self.lost => None,
            Some(word) => {
                self.advance();
                Some(match word {
                    "holds" if self.clause("vacuously") => Expect::HoldsVacuously,
                    "holds" => Expect::Holds,
                    _ => Expect::Fails,
                })
            }
            None => {
                self.unexpected("`holds` or `fails`");
                None
            }
        }
    }

    /// `[i: 1..N, j: 1..N] where i != j` after the name of a property.
    fn members(&mut self) -> Members {
        let mut members = Members::default();
        if self.eat("[") {
            members.binders = self.binders();
            members.condition = self.clause("where").then(|| self.expression());
        }
        members
    }

    /// `[i: 1..N, k: 1..2]` after the name of a process.
    pub(super) fn family(&mut self) -> Vec<Binder> {
        if self.eat("[") { self.binders() } else { Vec::new() }
    }

    /// `i: 1..N, k: 1..2]`
    fn binders(&mut self) -> Vec<Binder> {
        let binders = self.separated(|parser| parser.binder(":"));
        self.expect("]");
        binders.into_iter().flatten().collect()
    }

    /// `i: 1..N` or `i in 1..N`.
    pub(super) fn binder(&mut self, separator: &str) -> Option<Binder> {
        let name = self.name()?;
        let other = if separator == "in" { ":" } else { "in" };
        if self.at(other) && !self.lost {
            let token = self.current();
            let mut error = Diagnostic::error(
                token.span,
                format!("expected `{separator}`, found `{other}`"),
                format!("expected `{separator}`"),
            );
            if separator == "in" {
                error = error.help(format!("a name is bound with its range, as in `{} in 1..N`", name.text));
            }
            self.report(error);
            self.advance();
            let lo = self.sum();
            if separator == "in" && !self.at("..") && !self.at(":") {
                // `count(i: P[i]@critical)`: this was the body.
                self.lost = true;
                return None;
            }
            return Some(Binder { name, range: self.range_from(lo)? });
        }
        self.expect(separator);
        Some(Binder { name, range: self.range()? })
    }

    pub(super) fn range(&mut self) -> Option<Range> {
        let lo = self.sum();
        self.range_from(lo)
    }

    /// The rest of a range that begins with this.
    fn range_from(&mut self, lo: Expr) -> Option<Range> {
        if !self.lost && !self.at("..") && can_be_a_set(&lo) {
            return Some(Range { hi: lo.clone(), lo, named: true });
        }
        self.expect("..").then(|| Range { lo, hi: self.sum(), named: false })
    }

    pub(super) fn set(&mut self) -> Option<Set> {
        let open = self.current().span;
        if self.eat("int") {
            return Some(Set::Integers(open));
        }
        let range = self.range()?;
        match range.lo.kind {
            ExprKind::Set(values) if range.named => Some(Set::Listed(values, range.lo.span)),
            _ => Some(Set::Range(range)),
        }
    }

    fn type_(&mut self) -> Option<Type> {
        self.nested(Self::type_inside).flatten()
    }

    fn type_inside(&mut self) -> Option<Type> {
        let span = self.current().span;
        if self.eat("bool") {
            return Some(Type::Bool(span));
        }
        if self.eat("int") {
            return Some(Type::Int(span));
        }
        if self.eat("array") {
            self.expect("[");
            let range = self.range()?;
            self.expect("]");
            self.expect("of");
            return Some(Type::Array(range, Box::new(self.type_()?)));
        }
        if self.at("set") && self.then("of") {
            self.advance();
            self.advance();
            return Some(Type::Set(Box::new(self.type_()?)));
        }
        if self.at("seq") && self.then("[") {
            self.advance();
            self.advance();
            let room = self.expression();
            self.expect("]");
            self.expect("of");
            return Some(Type::Seq(room, Box::new(self.type_()?)));
        }
        if !self.lost && !self.begins_operand(0) && !self.at("in") {
            let help = "a type is `bool`, `int`, `lo..hi`, `array[lo..hi] of …`, `set of …`, `seq[4] of …` or the name of \
                        an enum or a record";
            self.unexpected_with("a type", Some(help));
            return None;
        }
        let lo = self.sum();
        if self.eat("..") {
            return Some(Type::Range(Range { lo, hi: self.sum(), named: false }));
        }
        if let ExprKind::Name(text) = lo.kind {
            return Some(Type::Named(Name { text, span: lo.span }));
        }
        self.unexpected("`..`");
        None
    }

    /// Consumes a keyword that may follow an expression, even if it is misspelt.
    pub(super) fn clause(&mut self, word: &'static str) -> bool {
        let found = !self.lost && self.keyword(&[word], "word").is_some();
        if found {
            self.advance();
        }
        found
    }

    /// The `=` of a declaration or assignment; `:=` and `==` are slips.
    pub(super) fn equals(&mut self) {
        if !self.lost && (self.at(":=") || self.at("==")) {
            let token = self.current();
            let found = self.describe(token);
            self.report(
                Diagnostic::error(token.span, format!("expected `=`, found {found}"), "expected `=`")
                    .help("`=` gives a value, `==` compares"),
            );
            self.advance();
        } else {
            self.expect("=");
        }
    }
}

/// Whether an expression may stand where a range is expected: as the name of an enum, or as a set.
fn can_be_a_set(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Meet, a, _) => can_be_a_set(a),
        ExprKind::Name(_)
        | ExprKind::Item(..)
        | ExprKind::Field(..)
        | ExprKind::Call(..)
        | ExprKind::Set(_)
        | ExprKind::If(..) => true,
        _ => false,
    }
}
