//! Operands of operators: atoms, calls, quantifiers, with the indices, fields and locations after them. Whether a word is a
//! temporal operator is decided in [`expressions`](super::expressions), before this.
//!
//! All of these end with their own brackets, except `forall` and `exists`, which take everything that follows.

use super::recovery::quote;
use super::{Parser, is_reserved};
use crate::diagnostic::Diagnostic;
use crate::lexer::{FUNCTIONS, Kind};
use crate::syntax::{Binary, Binder, Event, Expr, ExprKind, Name, PathUntil, Quantifier, Span};

/// How far to look for the end of a set before a block.
const SET: usize = 200;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Expr {
        let (start, word) = (self.current().span, self.word());
        let kind = match word {
            _ if self.is_misnamed() => self.name_or_call(),
            "(" => {
                self.advance();
                let inside = self.expression();
                self.closing(")", start);
                return inside;
            }
            "true" => self.atom(ExprKind::Bool(true)),
            "false" => self.atom(ExprKind::Bool(false)),
            "deadlock" => self.atom(ExprKind::Deadlock),
            "forall" => self.open_quantifier(Quantifier::Forall),
            "exists" => self.open_quantifier(Quantifier::Exists),
            word if FUNCTIONS.contains(&word) && !self.then("(") => self.name_or_call(),
            "count" => self.closed_quantifier(Quantifier::Count),
            "sum" => self.closed_quantifier(Quantifier::Sum),
            "min" if self.binds() => self.closed_quantifier(Quantifier::Min),
            "max" if self.binds() => self.closed_quantifier(Quantifier::Max),
            "min" => ExprKind::Min(self.arguments()),
            "max" => ExprKind::Max(self.arguments()),
            "len" => self.applied(ExprKind::Len),
            "empty" => self.applied(ExprKind::Empty),
            "full" => self.applied(ExprKind::Full),
            "taken" => self.applied_to_event(ExprKind::Taken),
            "enabled" => self.applied_to_event(ExprKind::Enabled),
            "if" => self.conditional_expression(),
            "[" => self.array(),
            "{" if !self.before_block || self.is_set_before_block() => self.set_of_values(),
            "|" => self.size(),
            "A" | "E" if ["[", "F", "G", "X"].iter().any(|next| self.then(next)) => self.path(),
            _ if self.current().kind == Kind::Number => self.number(),
            _ if self.current().kind == Kind::Word && !is_reserved(word) => self.name_or_call(),
            _ => {
                self.unexpected("an expression");
                return self.error();
            }
        };
        self.made(kind, start)
    }

    /// Whether the current word is reserved but was reported as a name, and is used as one here.
    pub(super) fn is_misnamed(&mut self) -> bool {
        self.misnamed.contains(self.word()) && !self.begins_operand(1)
    }

    pub(super) fn postfix(&mut self, mut expr: Expr, start: Span) -> Expr {
        loop {
            let open = self.current().span;
            let kind = if self.eat("[") {
                let mut index = self.expression();
                while self.another_index() {
                    expr = self.made(ExprKind::Item(Box::new(expr), Box::new(index)), start);
                    index = self.expression();
                }
                self.closing("]", open);
                ExprKind::Item(Box::new(expr), Box::new(index))
            } else if self.eat(".") {
                let Some(name) = self.name_called("a variable") else { return expr };
                ExprKind::Field(Box::new(expr), name)
            } else if self.eat("@") {
                let Some(name) = self.name_called("a label") else { return expr };
                ExprKind::At(Box::new(expr), name)
            } else {
                return expr;
            };
            expr = self.made(kind, start);
        }
    }

    /// Whether another index follows in the same brackets, which is reported: `P[1, 2]`.
    pub(super) fn another_index(&mut self) -> bool {
        if self.lost || !self.at(",") {
            return false;
        }
        let span = self.advance().span;
        let message = "every index stands in brackets of its own";
        self.report(
            Diagnostic::error(span, message, "expected `][`").help("write `a[i][k]` for two indices"),
        );
        true
    }

    fn atom(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    /// `[1, 2, 3]` or `[j: e]`
    fn array(&mut self) -> ExprKind {
        let open = self.advance().span;
        let kind = if self.current().kind == Kind::Word && self.then(":") {
            let Some(name) = self.name() else { return ExprKind::Error };
            self.expect(":");
            ExprKind::Each(name, Box::new(self.expression()))
        } else if self.at("]") {
            ExprKind::List(Vec::new())
        } else {
            ExprKind::List(self.separated(Self::expression))
        };
        self.closing("]", open);
        kind
    }

    /// `{a, b}`
    fn set_of_values(&mut self) -> ExprKind {
        let open = self.advance().span;
        if self.current().kind == Kind::Word && self.then(":") && !self.lost {
            let message = "a record begins with the name of its type";
            self.fail(Diagnostic::error(open, message, "a set begins here").help("write `Vote { term: 1 }`"));
        }
        let values = if self.at("}") { Vec::new() } else { self.separated(Self::expression) };
        self.closing("}", open);
        ExprKind::Set(values)
    }

    /// Whether the braces here contain a set, and not statements, which end with `;`.
    fn is_set_before_block(&mut self) -> bool {
        let mut inside = (1..SET).map(|distance| {
            let token = self.peek(distance);
            self.text_of(token)
        });
        inside.find(|text| ["}", ";", ""].contains(text)) == Some("}")
    }

    /// `|S|`
    fn size(&mut self) -> ExprKind {
        let open = self.advance().span;
        let set = self.sum();
        self.closing("|", open);
        ExprKind::Size(Box::new(set))
    }

    /// `Vote { term: t, from: i }`
    fn record_value(&mut self) -> ExprKind {
        let Some(name) = self.name() else { return ExprKind::Error };
        let open = self.advance().span;
        let mut fields = Vec::new();
        while !self.lost && !self.at("}") {
            let Some(field) = self.name_called("a field") else { break };
            self.expect(":");
            fields.push((field, self.expression()));
            if !self.eat(",") {
                break;
            }
        }
        self.closing("}", open);
        ExprKind::Record(name, fields)
    }

    /// Whether a record begins here: `Vote { term:`.
    fn at_record(&mut self) -> bool {
        let (field, colon) = (self.peek(2), self.peek(3));
        !self.before_block && self.then("{") && field.kind == Kind::Word && self.text_of(colon) == ":"
    }

    /// Whether a record begins here although a block follows: its braces contain no statements, and an operator or
    /// the block stands after them.
    fn is_record_before_block(&mut self) -> bool {
        let (field, colon) = (self.peek(2), self.peek(3));
        if !self.then("{") || field.kind != Kind::Word || self.text_of(colon) != ":" {
            return false;
        }
        let mut depth = 0;
        for distance in 1..SET {
            let token = self.peek(distance);
            match self.text_of(token) {
                "{" => depth += 1,
                "}" => depth -= 1,
                ";" | "" => return false,
                _ => {}
            }
            if depth == 0 {
                let after = self.peek(distance + 1);
                return ["{", "&&", "||", "->", "<->", "==", "!="].contains(&self.text_of(after));
            }
        }
        false
    }

    fn number(&mut self) -> ExprKind {
        let (word, token) = (self.word(), self.advance());
        if let Ok(number) = word.parse() {
            return ExprKind::Int(number);
        }
        let message = format!("the number {} does not fit in 64 bits", quote(word));
        self.report(Diagnostic::error(token.span, message, format!("the greatest number is {}", i64::MAX)));
        ExprKind::Error
    }

    pub(super) fn name_or_call(&mut self) -> ExprKind {
        if self.at_record() {
            return self.record_value();
        }
        if self.before_block && self.is_record_before_block() {
            let start = self.current().span;
            let name = quote(self.word());
            let record = self.record_value();
            let message = "a record before a block stands in parentheses";
            let diagnostic = Diagnostic::error(start.to(self.previous), message, "the block begins after it");
            self.report(diagnostic.help(format!("put {name} and its fields in `(…)`")));
            return record;
        }
        if !self.then("(") {
            let text = self.word().to_owned();
            return self.atom(ExprKind::Name(text));
        }
        let name = Name { text: self.word().to_owned(), span: self.current().span };
        ExprKind::Call(name, self.arguments())
    }

    /// A word and its arguments: `(e, f)`.
    fn arguments(&mut self) -> Vec<Expr> {
        let word = self.word();
        self.advance();
        let open = self.current().span;
        if !self.expect("(") {
            return Vec::new();
        }
        if self.at(")") {
            let message = format!("{} has no arguments", quote(word));
            let span = open.to(self.advance().span);
            self.report(Diagnostic::error(span, message, "expected an expression between the parentheses"));
            return Vec::new();
        }
        let arguments = self.separated(Self::expression);
        self.closing(")", open);
        arguments
    }

    fn applied(&mut self, make: fn(Box<Expr>) -> ExprKind) -> ExprKind {
        self.advance();
        let open = self.current().span;
        self.expect("(");
        let argument = self.expression();
        self.closing(")", open);
        make(Box::new(argument))
    }

    fn applied_to_event(&mut self, make: fn(Event) -> ExprKind) -> ExprKind {
        self.advance();
        let open = self.current().span;
        self.expect("(");
        let event = self.event();
        self.closing(")", open);
        event.map_or(ExprKind::Error, make)
    }

    /// Whether `min` or `max` is followed by `(j in`.
    fn binds(&mut self) -> bool {
        let (open, name, word) = (self.peek(1), self.peek(2), self.peek(3));
        self.text_of(open) == "(" && name.kind == Kind::Word && self.text_of(word) == "in"
    }

    fn open_quantifier(&mut self, quantifier: Quantifier) -> ExprKind {
        self.advance();
        let Some(binder) = self.quantifier_binder() else { return ExprKind::Error };
        self.expect(":");
        let body = self.whole();
        ExprKind::Quantified(quantifier, Box::new(binder), Box::new(body))
    }

    fn closed_quantifier(&mut self, quantifier: Quantifier) -> ExprKind {
        self.advance();
        let open = self.current().span;
        self.expect("(");
        let Some(binder) = self.quantifier_binder() else { return ExprKind::Error };
        self.expect(":");
        let body = self.expression();
        self.closing(")", open);
        ExprKind::Quantified(quantifier, Box::new(binder), Box::new(body))
    }

    fn quantifier_binder(&mut self) -> Option<Binder> {
        if !self.lost && self.then(",") {
            let span = self.peek(1).span;
            self.fail(
                Diagnostic::error(span, "a quantifier binds one name", "expected `in`")
                    .help("write one quantifier for each name"),
            );
        }
        self.binder("in")
    }

    fn conditional_expression(&mut self) -> ExprKind {
        self.advance();
        let condition = self.condition();
        let yes = self.braced();
        self.expect("else");
        let start = self.current().span;
        let no = if self.at("if") && !self.lost {
            let inner = self.nested(Self::conditional_expression).unwrap_or(ExprKind::Error);
            self.made(inner, start)
        } else {
            self.braced()
        };
        ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no))
    }

    fn braced(&mut self) -> Expr {
        let open = self.current().span;
        self.expect("{");
        let expr = self.expression();
        self.closing("}", open);
        expr
    }

    /// `A[p U q]`; also `A G p`, which is a slip. Without a temporal operator, `A[i]` is an element of an array.
    fn path(&mut self) -> ExprKind {
        let letter = self.word();
        let start = self.advance().span;
        if let (false, word @ ("G" | "F" | "X")) = (self.lost, self.word()) {
            let span = start.to(self.current().span);
            let message = format!("`{letter}` is followed by `[`");
            self.fail(Diagnostic::error(span, message, format!("write `{letter}{word}`")));
        }
        let open = self.current().span;
        self.expect("[");
        let body = self.expression();
        self.closing("]", open);
        match (letter, body.kind) {
            ("A", ExprKind::Binary(Binary::Until, p, q)) => ExprKind::Path(PathUntil::AllUntil, p, q),
            ("A", ExprKind::Binary(Binary::WeakUntil, p, q)) => ExprKind::Path(PathUntil::AllWeakUntil, p, q),
            (_, ExprKind::Binary(Binary::Until, p, q)) => ExprKind::Path(PathUntil::SomeUntil, p, q),
            (_, ExprKind::Binary(Binary::WeakUntil, p, q)) => ExprKind::Path(PathUntil::SomeWeakUntil, p, q),
            (_, kind) => {
                let index = Expr { kind, span: body.span };
                if !index.is_about_runs() {
                    let name = Expr { kind: ExprKind::Name(letter.to_owned()), span: start };
                    return ExprKind::Item(Box::new(name), Box::new(index));
                }
                let message = format!("`{letter}[…]` contains `p U q` or `p W q`");
                self.report(
                    Diagnostic::error(body.span, message, "expected `U` or `W` as the loosest operator")
                        .help("put the operands of `U` and `W` in parentheses"),
                );
                ExprKind::Error
            }
        }
    }
}
