//! Expressions and temporal formulas, by precedence climbing.
//!
//! Each operator has a level. Outside parentheses, an expression *at* a level contains only operators of that level and
//! tighter ones. Three things differ from the textbook. Prefix temporal operators are looser than comparison
//! (`G x == 1` is `G (x == 1)`), yet `!` may stand before them. Quantifiers reach as far to the right as possible
//! wherever they stand. And operators that are words are also names: `U`, `W`, `R` and `in` except between two
//! operands, `G`, `F` and the like except before an operand.

use super::recovery::quote;
use super::{HEIGHT, Parser, is_reserved};
use crate::diagnostic::{Diagnostic, nearest};
use crate::lexer::{INFIXES, Kind, PREFIXES, Token};
use crate::precedence::{self, operator};
use crate::syntax::{Binary, Expr, ExprKind, Span, Unary};

/// An operator found between two operands.
enum Infix {
    Binary(Binary),
    In,
}

impl Parser<'_> {
    /// An expression between brackets, or up to a keyword or a `;`.
    pub(super) fn expression(&mut self) -> Expr {
        let before_block = std::mem::take(&mut self.before_block);
        let expr = self.whole();
        self.before_block = before_block;
        expr
    }

    /// An expression with a block after it. A record in it stands in parentheses.
    pub(super) fn condition(&mut self) -> Expr {
        self.before_block(Self::whole)
    }

    /// Parses something with a block after it.
    pub(super) fn before_block<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.before_block, true);
        let parsed = parse(self);
        self.before_block = outer;
        parsed
    }

    /// An expression with operators of any level.
    pub(super) fn whole(&mut self) -> Expr {
        self.expression_at(precedence::IFF)
    }

    /// An expression that may be the end of a range.
    pub(super) fn sum(&mut self) -> Expr {
        self.expression_at(precedence::SUM)
    }

    /// A name with its indices: what an assignment may begin with.
    pub(super) fn place(&mut self) -> Expr {
        self.height = 0;
        let start = self.current().span;
        let Some(name) = self.name_called("a variable") else { return self.error() };
        let name = self.made(ExprKind::Name(name.text), start);
        self.postfix(name, start)
    }

    /// Also tracks the height of the tree. [`Parser::height`] starts at zero, each node adds one to the highest of its
    /// operands, and the maximum is left for the surrounding node.
    fn expression_at(&mut self, least: u8) -> Expr {
        let outer = std::mem::take(&mut self.height);
        let expr = self.nested(|parser| parser.expression_inside(least));
        self.height = self.height.max(outer);
        expr.unwrap_or_else(|| self.error())
    }

    fn expression_inside(&mut self, least: u8) -> Expr {
        let start = self.current().span;
        let mut left = self.operand(least);
        let mut compared = false;
        while let Some((infix, level)) = self.infix(least) {
            let token = self.advance();
            if level == precedence::COMPARISON && std::mem::replace(&mut compared, true) {
                self.report(match intersection(&left) {
                    Some(span) => {
                        Diagnostic::error(span, "expected `&&`, found `&`", "write `&&` between conditions")
                            .help("`&` is for sets and for fairness, `&&` combines conditions")
                    }
                    None => {
                        Diagnostic::error(token.span, "comparisons cannot be chained", "a second comparison")
                            .help("write `a < b && b < c`, or use parentheses")
                    }
                });
            }
            let kind = match infix {
                Infix::In => match self.set() {
                    Some(set) => ExprKind::In(Box::new(left), Box::new(set)),
                    None => ExprKind::Error,
                },
                Infix::Binary(operator) => {
                    let right = self.expression_at(precedence::operands(operator).1);
                    ExprKind::Binary(operator, Box::new(left), Box::new(right))
                }
            };
            left = self.made(kind, start);
        }
        left
    }

    /// The operator at the current position, if it binds at least as tightly as `least`.
    fn infix(&mut self, least: u8) -> Option<(Infix, u8)> {
        if self.lost {
            return None;
        }
        let (word, span) = (self.word(), self.current().span);
        if word == "in" {
            let alone = self.current().newlines > 0 && !self.is_infix(0);
            let found = precedence::COMPARISON >= least && !alone;
            return found.then_some((Infix::In, precedence::COMPARISON));
        }
        let (operator, slip) = match operator(word) {
            Some(operator) => (operator, None),
            None => slip(word).map(|(operator, meant)| (operator, Some(meant)))?,
        };
        let level = precedence::level(operator);
        // A word at the beginning of a line is an operator only if an operand follows. It may also be the first word of
        // a statement after a missing `;`.
        let token = self.current();
        let alone = token.kind == Kind::Word && token.newlines > 0 && !self.begins_operand(1);
        if level < least || alone {
            return None;
        }
        if let Some(meant) = slip {
            let message = format!("expected `{meant}`, found {}", quote(word));
            let diagnostic = Diagnostic::error(span, message, format!("write `{meant}`"));
            self.report(match word {
                "=" => diagnostic.help("`=` gives a value, `==` compares"),
                "|" => diagnostic.help("`|` combines fairness, `||` combines conditions, and `+` sets"),
                "=>" => diagnostic.help("implication is `->`, comparison is `>=`"),
                _ => diagnostic,
            });
        }
        Some((Infix::Binary(operator), level))
    }

    /// Prefix operators and what they apply to. Temporal ones are looser than comparison, so they may not be an
    /// operand of anything tighter, except of `!`.
    fn operand(&mut self, least: u8) -> Expr {
        let start = self.current().span;
        if self.lost {
            return self.error();
        }
        if self.misapplied.contains(self.word()) && self.then("(") {
            self.name_or_call();
            return self.error();
        }
        if let Some(operators) = self.temporal(least) {
            let span = start.to(self.previous);
            if least > precedence::TEMPORAL {
                let name = quote(&self.text[span.start..span.end]);
                let message = format!("{name} binds more loosely than the operator before it");
                self.report(Diagnostic::error(span, message, "put the formula in parentheses"));
            }
            let mut expr = self.expression_at(precedence::TEMPORAL);
            for operator in operators.iter().rev() {
                expr = self.made(ExprKind::Unary(*operator, Box::new(expr)), start);
            }
            return expr;
        }
        let (operator, inside) = match self.prefix() {
            Some(Unary::Not) => (Unary::Not, precedence::TEMPORAL),
            Some(operator) => (operator, precedence::UNARY),
            None => {
                let expr = self.primary();
                return self.postfix(expr, start);
            }
        };
        match self.nested(|parser| parser.operand(inside)) {
            Some(expr) => self.made(ExprKind::Unary(operator, Box::new(expr)), start),
            None => self.error(),
        }
    }

    /// Consumes a temporal prefix operator.
    fn temporal(&mut self, least: u8) -> Option<&'static [Unary]> {
        let word = self.word();
        if PREFIXES.contains(&word) && !self.is_prefix(least) {
            return None;
        }
        let operators: &[Unary] = match word {
            "G" => &[Unary::Globally],
            "F" | "<>" => &[Unary::Finally],
            "X" => &[Unary::Next],
            "Y" => &[Unary::Previous],
            "O" => &[Unary::Once],
            "H" => &[Unary::Historically],
            "GF" => &[Unary::Globally, Unary::Finally],
            "FG" => &[Unary::Finally, Unary::Globally],
            "AG" => &[Unary::AllGlobally],
            "AF" => &[Unary::AllFinally],
            "AX" => &[Unary::AllNext],
            "EG" => &[Unary::SomeGlobally],
            "EF" => &[Unary::SomeFinally],
            "EX" => &[Unary::SomeNext],
            "[" if self.then("]") && self.begins_operand(2) => {
                self.advance();
                &[Unary::Globally]
            }
            _ => return self.temporal_word(),
        };
        self.advance();
        Some(operators)
    }

    /// Whether the current word, one of [`PREFIXES`], is an operator here, and not a name. It is if an operand follows
    /// that cannot follow a name.
    fn is_prefix(&mut self, least: u8) -> bool {
        let next = self.peek(1);
        match self.text_of(next) {
            // `F U p` is about a variable `F`, `F U` about a variable `U`.
            word if INFIXES.contains(&word) => !self.is_infix(1),
            "-" => self.formula && least <= precedence::TEMPORAL,
            _ => self.begins_operand(1),
        }
    }

    /// Whether the token `distance` beyond the current one, one of [`INFIXES`], stands before an operand.
    fn is_infix(&mut self, distance: usize) -> bool {
        let (token, next) = (self.peek(distance), self.peek(distance + 1));
        self.begins_operand(distance + 1)
            || self.text_of(token) == "in" && ["{", "int"].contains(&self.text_of(next))
    }

    /// `always p` and similar words are slips, even if misspelt.
    fn temporal_word(&mut self) -> Option<&'static [Unary]> {
        const WORDS: &[&str] =
            &["always", "globally", "eventually", "finally", "next", "previously", "once", "historically"];
        let word = self.prefix_word(WORDS)?;
        let (operators, meant): (&[Unary], _) = match word {
            "always" | "globally" => (&[Unary::Globally], "G"),
            "eventually" | "finally" => (&[Unary::Finally], "F"),
            "previously" => (&[Unary::Previous], "Y"),
            "once" => (&[Unary::Once], "O"),
            "historically" => (&[Unary::Historically], "H"),
            _ => (&[Unary::Next], "X"),
        };
        self.report_word(meant);
        Some(operators)
    }

    /// Consumes `!` or `-`.
    fn prefix(&mut self) -> Option<Unary> {
        match self.word() {
            "!" => self.advance(),
            "-" => {
                self.advance();
                return Some(Unary::Neg);
            }
            "~" => self.report_word("!"),
            _ => {
                self.prefix_word(&["not"])?;
                self.report_word("!")
            }
        };
        Some(Unary::Not)
    }

    /// Reports the current word, which was meant to be an operator, and consumes it.
    fn report_word(&mut self, meant: &str) -> Token {
        let token = self.current();
        let message = format!("unknown operator {}", quote(self.word()));
        self.report(
            Diagnostic::error(token.span, message, "unknown").help(format!("did you mean `{meant}`?")),
        );
        self.advance()
    }

    /// The word among `words` that the current name is or is near to, if the name cannot be an operand because
    /// another operand follows on the line.
    fn prefix_word(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let (token, next) = (self.current(), self.peek(1));
        let followed = matches!(next.kind, Kind::Word | Kind::Number)
            && next.newlines == 0
            && self.begins_operand(1)
            && operator(self.text_of(next)).is_none()
            && slip(self.text_of(next)).is_none();
        if token.kind != Kind::Word || is_reserved(self.word()) || !followed {
            return None;
        }
        nearest(self.word(), words.iter().copied())
    }

    /// A closing bracket; without it the opening one is named.
    pub(super) fn closing(&mut self, text: &str, open: Span) {
        if self.eat(text) {
            return;
        }
        let before = self.diagnostics.len();
        self.unexpected(&format!("`{text}`"));
        if let Some(diagnostic) = self.diagnostics.get_mut(before) {
            diagnostic.related.push((open, "to close this".to_owned()));
        }
    }

    /// A node whose operands have been parsed, from `start` to here.
    pub(super) fn made(&mut self, kind: ExprKind, start: Span) -> Expr {
        let span = start.to(self.previous);
        self.height += 1;
        if self.height > HEIGHT {
            self.fail(
                Diagnostic::error(
                    span,
                    format!("more than {HEIGHT} operators in one chain"),
                    "this is too long",
                )
                .help("name parts of it with `define`"),
            );
            self.break_off();
            return self.error();
        }
        Expr { kind, span }
    }

    /// Stands for text that was not understood.
    pub(super) fn error(&mut self) -> Expr {
        Expr { kind: ExprKind::Error, span: self.current().span }
    }

    /// Whether the token `distance` beyond the current one can begin an operand.
    pub(super) fn begins_operand(&mut self, distance: usize) -> bool {
        let (token, next) = (self.peek(distance), self.peek(distance + 1));
        match (token.kind, self.text_of(token)) {
            (Kind::Number, _) | (_, "(" | "!" | "-" | "~" | "<>" | "|") => true,
            (_, "[") => self.text_of(next) == "]",
            (Kind::Word, word) => {
                word != "in" && !is_reserved(word) || OPERANDS.contains(&word) || self.misnamed.contains(word)
            }
            _ => false,
        }
    }
}

/// The reserved words that begin an operand.
const OPERANDS: &[&str] = &["deadlock", "exists", "false", "forall", "if", "true"];

/// Where the intersection stands that a comparison has on its right, if there is one.
fn intersection(compared: &Expr) -> Option<Span> {
    match &compared.kind {
        ExprKind::Binary(_, _, right) => match &right.kind {
            ExprKind::Binary(Binary::Meet, ..) => Some(right.span),
            _ => None,
        },
        _ => None,
    }
}

/// The operator that was meant by a word of another language, and how to write it.
fn slip(word: &str) -> Option<(Binary, &'static str)> {
    Some(match word {
        "=" => (Binary::Eq, "=="),
        "and" | "/\\" => (Binary::And, "&&"),
        "|" | "or" | "\\/" => (Binary::Or, "||"),
        "=>" | "implies" => (Binary::Implies, "->"),
        "<=>" | "iff" => (Binary::Iff, "<->"),
        "<>" => (Binary::Ne, "!="),
        "until" => (Binary::Until, "U"),
        "since" => (Binary::Since, "S"),
        "mod" => (Binary::Mod, "%"),
        _ => return None,
    })
}
