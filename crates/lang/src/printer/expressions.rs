//! Prints expressions with the parentheses they need.
//!
//! An operand is put in parentheses if it binds more loosely than its place allows. Two things need more than a level.
//! A quantifier reaches as far to the right as possible, so it needs parentheses iff something of the same expression
//! follows it; `last` says that nothing does. And `!` takes temporal operators without parentheses, which makes it as
//! loose as they are.

use super::Printer;
use crate::lexer::{INFIXES, PREFIXES};
use crate::precedence::{self, COMPARISON, IFF, POSTFIX, SUM, TEMPORAL, UNARY};
use crate::syntax::{Binary, Binder, Expr, ExprKind, PathUntil, Quantifier, Range, Unary};

impl Printer {
    /// An expression that stands alone, between brackets or keywords.
    pub(super) fn expression(&mut self, expr: &Expr) {
        let before_block = std::mem::take(&mut self.before_block);
        self.whole(expr);
        self.before_block = before_block;
    }

    /// An expression before a block. Records in it are put in parentheses.
    pub(super) fn condition(&mut self, expr: &Expr) {
        self.before_block(|printer| printer.whole(expr));
    }

    /// Prints something with a block after it.
    pub(super) fn before_block(&mut self, put: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.before_block, true);
        put(self);
        self.before_block = outer;
    }

    fn whole(&mut self, expr: &Expr) {
        let tight = std::mem::take(&mut self.tight);
        self.operand(expr, IFF, true);
        self.tight = tight;
    }

    /// What a statement writes, or sends to. It begins with a name, never with an operator.
    pub(super) fn place(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Name(name) => self.put(name),
            ExprKind::Item(base, index) => {
                self.place(base);
                self.put("[");
                self.expression(index);
                self.put("]");
            }
            ExprKind::Field(base, name) => {
                self.place(base);
                self.put(".");
                self.name(name);
            }
            ExprKind::At(base, label) => {
                self.place(base);
                self.put("@");
                self.name(label);
            }
            _ => self.expression(place),
        }
    }

    pub(super) fn range(&mut self, range: &Range) {
        let tight = std::mem::replace(&mut self.tight, !range.named);
        self.operand(&range.lo, SUM, false);
        if !range.named {
            self.put("..");
            self.operand(&range.hi, SUM, false);
        }
        self.tight = tight;
    }

    pub(super) fn binder(&mut self, binder: &Binder, between: &str) {
        self.name(&binder.name);
        self.put(between);
        self.range(&binder.range);
    }

    pub(super) fn family(&mut self, indices: &[Binder]) {
        if !indices.is_empty() {
            self.put("[");
            self.list(indices, ", ", |printer, binder| printer.binder(binder, ": "));
            self.put("]");
        }
    }

    /// Prints an expression where only operators of level `least` and tighter may stand. `last` says that nothing
    /// follows it in the expression.
    fn operand(&mut self, expr: &Expr, least: u8, last: bool) {
        let open = match expr.kind {
            _ if is_open_quantifier(expr) => !last,
            ExprKind::Record(..) => self.before_block,
            _ => level(expr) < least,
        };
        if open {
            self.put("(");
            self.expression(expr);
            self.put(")");
        } else {
            self.bare(expr, last);
        }
    }

    fn bare(&mut self, expr: &Expr, last: bool) {
        match &expr.kind {
            ExprKind::Int(number) => self.put(&number.to_string()),
            ExprKind::Bool(value) => self.put(if *value { "true" } else { "false" }),
            ExprKind::Name(name) => match self.values.iter().find(|(of, _)| of == name) {
                Some((_, value)) => self.put(&value.clone()),
                None => self.operator_or_name(name),
            },
            ExprKind::Call(name, arguments) if self.could_be_an_operator(&name.text) => {
                self.put("(");
                self.call(&name.text, arguments);
                self.put(")");
            }
            ExprKind::Call(name, arguments) => self.call(&name.text, arguments),
            ExprKind::List(elements) => {
                self.put("[");
                self.list(elements, ", ", Self::expression);
                self.put("]");
            }
            ExprKind::Each(name, element) => {
                self.put("[");
                self.name(name);
                self.put(": ");
                self.expression(element);
                self.put("]");
            }
            ExprKind::Record(name, fields) => {
                self.name(name);
                self.put(" { ");
                self.list(fields, ", ", |printer, (name, value)| {
                    printer.name(name);
                    printer.put(": ");
                    printer.expression(value);
                });
                self.put(" }");
            }
            ExprKind::Set(values) => {
                self.put("{");
                self.list(values, ", ", Self::expression);
                self.put("}");
            }
            ExprKind::Size(set) => {
                self.put("|");
                let start = self.text.len();
                self.operand(set, SUM, false);
                if self.prefix.take().is_some_and(|(_, end)| end == self.text.len()) {
                    // Otherwise it would be read as an operator before a size.
                    self.text.insert(start, '(');
                    self.text.push(')');
                }
                self.put("|");
            }
            ExprKind::Min(arguments) => self.call_of_several("min", arguments),
            ExprKind::Max(arguments) => self.call_of_several("max", arguments),
            ExprKind::Len(channel) => self.call("len", std::slice::from_ref(&**channel)),
            ExprKind::Empty(channel) => self.call("empty", std::slice::from_ref(&**channel)),
            ExprKind::Full(channel) => self.call("full", std::slice::from_ref(&**channel)),
            ExprKind::Item(base, index) => {
                let path = matches!(&base.kind, ExprKind::Name(name) if matches!(name.as_str(), "A" | "E"));
                if path && index.is_about_runs() {
                    self.put("(");
                    self.expression(base);
                    self.put(")");
                } else {
                    self.operand(base, POSTFIX, false);
                }
                self.put("[");
                self.expression(index);
                self.put("]");
            }
            ExprKind::Field(base, name) => {
                self.operand(base, POSTFIX, false);
                self.put(".");
                self.name(name);
            }
            ExprKind::At(base, label) => {
                self.operand(base, POSTFIX, false);
                self.put("@");
                self.name(label);
            }
            ExprKind::Unary(operator, operand) => {
                self.put(prefix(*operator));
                let least = match operator {
                    Unary::Not if precedence::is_temporal_prefix(operand) => TEMPORAL,
                    Unary::Not | Unary::Neg => UNARY,
                    _ => TEMPORAL,
                };
                let start = self.text.len();
                self.operand(operand, least, last);
                let read_as_name = match self.text[start..].chars().next() {
                    Some('-') => !self.formula,
                    Some('{') => true,
                    Some('[') => !self.text[start..].starts_with("[]"),
                    _ => false,
                };
                if least == TEMPORAL && read_as_name {
                    // Otherwise it would be read as a name, and not as an operator.
                    self.text.insert(start, '(');
                    self.put(")");
                }
            }
            ExprKind::Binary(operator, left, right) => {
                let (mut left_least, right_least) = precedence::operands(*operator);
                if *operator == Binary::Implies && precedence::is_misleading_premise(left) {
                    left_least = POSTFIX;
                }
                let symbol = precedence::symbol(*operator);
                self.left(left, left_least, symbol);
                let tight = self.tight && precedence::level(*operator) >= SUM;
                self.put(if tight { "" } else { " " });
                self.put(precedence::symbol(*operator));
                self.put(if tight { "" } else { " " });
                self.operand(right, right_least, last);
            }
            ExprKind::In(element, set) => {
                self.operand(element, SUM, false);
                self.put(" ");
                self.put("in");
                self.put(" ");
                self.set(set);
            }
            ExprKind::Path(path, left, right) => {
                let (letter, operator) = match path {
                    PathUntil::AllUntil => ("A[", Binary::Until),
                    PathUntil::SomeUntil => ("E[", Binary::Until),
                    PathUntil::AllWeakUntil => ("A[", Binary::WeakUntil),
                    PathUntil::SomeWeakUntil => ("E[", Binary::WeakUntil),
                };
                let (left_least, right_least) = precedence::operands(operator);
                let tight = std::mem::take(&mut self.tight);
                self.put(letter);
                self.left(left, left_least, precedence::symbol(operator));
                self.put(" ");
                self.put(precedence::symbol(operator));
                self.put(" ");
                self.operand(right, right_least, true);
                self.put("]");
                self.tight = tight;
            }
            ExprKind::If(condition, yes, no) => {
                self.put("if ");
                self.condition(condition);
                self.put(" { ");
                self.expression(yes);
                self.put(" } else ");
                if matches!(no.kind, ExprKind::If(..)) {
                    return self.bare(no, last);
                }
                self.put("{ ");
                self.expression(no);
                self.put(" }");
            }
            ExprKind::Quantified(quantifier, binder, body) => {
                self.put(word(*quantifier));
                self.put(if is_open_quantifier(expr) { " " } else { "(" });
                self.binder(binder, " in ");
                self.put(": ");
                if is_open_quantifier(expr) {
                    self.whole(body);
                } else {
                    self.expression(body);
                    self.put(")");
                }
            }
            ExprKind::Taken(event) => {
                self.put("taken(");
                self.event(event);
                self.put(")");
            }
            ExprKind::Enabled(event) => {
                self.put("enabled(");
                self.event(event);
                self.put(")");
            }
            ExprKind::Deadlock => self.put("deadlock"),
            // It was reported already and has no source.
            ExprKind::Error => self.put("?"),
        }
    }

    /// The operand before an operator. At its end `[]` could be read as an operator, too.
    fn left(&mut self, left: &Expr, least: u8, symbol: &str) {
        let start = self.text.len();
        self.operand(left, least, false);
        if self.text[start..].ends_with("[]") && (symbol == "-" || INFIXES.contains(&symbol)) {
            self.text.insert(start, '(');
            self.put(")");
        }
    }

    /// A name. If it could be read as an operator, it is put in parentheses: after a prefix operator here, before an
    /// operator by [`Printer::put`].
    fn operator_or_name(&mut self, name: &str) {
        if self.could_be_an_operator(name) {
            self.put("(");
            self.put(name);
            return self.put(")");
        }
        let start = self.text.len();
        self.put(name);
        if PREFIXES.contains(&name) {
            self.prefix = Some((start, self.text.len()));
        }
    }

    /// Whether the name of an operator between operands follows a prefix operator, which would then be read as a name.
    fn could_be_an_operator(&self, name: &str) -> bool {
        let before = self.text.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        INFIXES.contains(&name) && before.is_some_and(|word| PREFIXES.contains(&word))
    }

    /// `min(a, b)`. Parentheses keep a first argument that begins with `x in` from being read as a binder.
    fn call_of_several(&mut self, name: &str, arguments: &[Expr]) {
        let start = self.text.len() + name.len() + 1;
        self.call(name, arguments);
        let first = &self.text[start..];
        let word = first.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(first.len());
        if first[word..].starts_with(" in ")
            && let Some((argument, others)) = arguments.split_first()
        {
            self.text.truncate(start);
            self.put("(");
            self.expression(argument);
            self.put(")");
            for other in others {
                self.put(", ");
                self.expression(other);
            }
            self.put(")");
        }
    }

    pub(super) fn call(&mut self, name: &str, arguments: &[Expr]) {
        self.put(name);
        self.put("(");
        self.list(arguments, ", ", Self::expression);
        self.put(")");
    }
}

fn level(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(operator, ..) => precedence::level(*operator),
        ExprKind::In(..) => COMPARISON,
        ExprKind::Unary(..) if precedence::is_temporal_prefix(expr) => TEMPORAL,
        ExprKind::Unary(..) => UNARY,
        _ => POSTFIX,
    }
}

fn is_open_quantifier(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists, ..))
}

fn prefix(operator: Unary) -> &'static str {
    match operator {
        Unary::Not => "!",
        Unary::Neg => "-",
        Unary::Globally => "G ",
        Unary::Finally => "F ",
        Unary::Next => "X ",
        Unary::Previous => "Y ",
        Unary::Once => "O ",
        Unary::Historically => "H ",
        Unary::AllGlobally => "AG ",
        Unary::AllFinally => "AF ",
        Unary::AllNext => "AX ",
        Unary::SomeGlobally => "EG ",
        Unary::SomeFinally => "EF ",
        Unary::SomeNext => "EX ",
    }
}

fn word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Forall => "forall",
        Quantifier::Exists => "exists",
        Quantifier::Count => "count",
        Quantifier::Sum => "sum",
        Quantifier::Min => "min",
        Quantifier::Max => "max",
    }
}
