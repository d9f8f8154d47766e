//! Properties of C programs: formulas as several tools write them, and the comments they stand in.
//!
//! ```text
//! formula := formula ("<==>" | "==>" | "=>" | "->" | "||" | "&&" | "U" | "W" | "R") formula | unary
//! unary   := ("!" | "[]" | "<>" | "G" | "F" | "X" | "A" | "E" | "AG" | … | "[AG]" | …) unary
//!          | ("AND" | "OR" | "AU" | "EU" | "AW" | "EW") "{" formula "}" "{" formula "}" | "AP" "(" formula ")"
//!          | LABEL ":" unary | comparison of terms
//! ```
//!
//! These are the spellings of Ultimate (`//@ ltl invariant name: …;`), `FuncTion` (`// -ctl "…"`) and T2. Parentheses
//! and braces mean the same. A letter such as `F` is an operator only if an operand follows, so it may also be a
//! variable. `LABEL: f` says that the program is at the label and `f` is true; `exit` is its end.

use std::collections::BTreeMap;

use lang::diagnostic::{Diagnostic, nearest};
use lang::syntax::Span;
use model::property::Paths;

use super::lexer::{self, Kind, Token};
use super::lower::Flow;
use super::parser::DEPTH;
use crate::program::syntax::{Comparison, Factor, Node, Temporal, Tree};

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// A property in a comment.
pub(super) struct Written {
    pub(super) name: String,
    pub(super) kind: Logic,
    pub(super) formula: String,
    /// Where the formula begins in the text.
    pub(super) start: usize,
}

/// What a formula is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    Linear,
    Branching,
    /// A condition on the first state.
    Precondition,
}

/// The properties in comments.
pub(super) fn written(text: &str, comments: &[(String, Span)]) -> Vec<Written> {
    let mut found = Vec::new();
    for (comment, span) in comments {
        let inner = span.start + 2;
        let at = |part: &str| inner + (part.as_ptr() as usize - comment.as_ptr() as usize);
        if let Some(rest) = comment.strip_prefix('@') {
            for (word, kind) in [("ltl", Logic::Linear), ("ctl", Logic::Branching)] {
                let Some(rest) =
                    rest.trim_start().strip_prefix(word).filter(|rest| rest.starts_with([' ', '\t']))
                else {
                    continue;
                };
                let rest = rest.trim_start();
                let rest = rest.strip_prefix("invariant").unwrap_or(rest);
                // `name: formula;`, where the formula may have labels.
                let Some((name, rest)) = rest.split_once(':') else { continue };
                let formula = rest.split_once(';').map_or(rest, |(formula, _)| formula);
                let name: String = name.trim().chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
                let name = if name.is_empty() { word.to_owned() } else { name };
                found.push(Written { name, kind, formula: formula.to_owned(), start: at(formula) });
            }
            continue;
        }
        for (word, kind) in [
            ("-ctl_str ", Logic::Branching),
            ("-ctl_cfg ", Logic::Branching),
            ("-ctl ", Logic::Branching),
            ("-ltl ", Logic::Linear),
            ("-precondition ", Logic::Precondition),
        ] {
            let mut rest = comment.as_str();
            while let Some(place) = rest.find(word) {
                rest = &rest[place + word.len()..];
                let trimmed = rest.trim_start();
                let formula = match trimmed.strip_prefix('"') {
                    Some(quoted) => quoted.split('"').next().unwrap_or(""),
                    None => trimmed.lines().next().unwrap_or(""),
                };
                let name = word.trim_start_matches('-').trim_end().to_owned();
                found.push(Written { name, kind, formula: formula.to_owned(), start: at(formula) });
                rest = &rest[rest.len() - trimmed.len() + formula.len()..];
            }
        }
    }
    debug_assert!(found.iter().all(|written| text[written.start..].starts_with(&written.formula)));
    found
}

/// Parses a formula about a program.
pub(super) fn formula(text: &str, flow: &Flow, constants: &BTreeMap<String, i64>) -> Parsed<Tree> {
    let tokens = lexer::formula(text)?;
    let mut reader = Reader { tokens: &tokens, position: 0, depth: 0, flow, constants };
    let tree = reader.formula()?;
    match reader.peek().kind {
        Kind::End => Ok(condition(tree)),
        _ => Err(reader.unexpected("the end or an operator")),
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    position: usize,
    depth: usize,
    flow: &'a Flow,
    constants: &'a BTreeMap<String, i64>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> &'a Token {
        self.ahead(0)
    }

    fn ahead(&self, distance: usize) -> &'a Token {
        &self.tokens[(self.position + distance).min(self.tokens.len() - 1)]
    }

    fn is(&self, text: &str) -> bool {
        self.peek().text == text
    }

    fn next(&mut self) -> &'a Token {
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    fn take(&mut self, texts: &[&str]) -> bool {
        let taken = texts.contains(&self.peek().text.as_str());
        if taken {
            self.next();
        }
        taken
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.take(&[text]) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let message = match token.kind {
            Kind::End => "the formula ends too early".to_owned(),
            _ => format!("`{}` is not expected here", token.text),
        };
        Diagnostic::error(token.span, message, format!("expected {expected}")).into()
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Parsed<Tree>) -> Parsed<Tree> {
        if self.depth == DEPTH {
            return Err(
                Diagnostic::error(self.peek().span, "this is nested too deeply", "given up here").into()
            );
        }
        self.depth += 1;
        let tree = read(self);
        self.depth -= 1;
        tree
    }

    fn formula(&mut self) -> Parsed<Tree> {
        self.deeper(|reader| {
            let mut left = reader.implication()?;
            while reader.take(&["<==>", "<=>", "<->"]) {
                let (a, b) = (condition(left), condition(reader.implication()?));
                let span = a.span.to(b.span);
                let both = Tree { node: Node::And(vec![a.clone(), b.clone()]), span };
                let neither = Tree { node: Node::And(vec![not(a), not(b)]), span };
                left = Tree { node: Node::Or(vec![both, neither]), span };
            }
            Ok(left)
        })
    }

    fn implication(&mut self) -> Parsed<Tree> {
        let left = self.several(&["||", "|"], Node::Or, |reader| {
            reader.several(&["&&", "&"], Node::And, Reader::until)
        })?;
        if !self.take(&["==>", "=>", "->"]) {
            return Ok(left);
        }
        self.deeper(|reader| {
            let right = condition(reader.implication()?);
            let span = left.span.to(right.span);
            Ok(Tree { node: Node::Or(vec![not(condition(left)), right]), span })
        })
    }

    fn several(
        &mut self,
        signs: &[&str],
        join: fn(Vec<Tree>) -> Node,
        mut read: impl FnMut(&mut Self) -> Parsed<Tree>,
    ) -> Parsed<Tree> {
        let first = read(self)?;
        if !signs.contains(&self.peek().text.as_str()) {
            return Ok(first);
        }
        let mut parts = vec![condition(first)];
        while self.take(signs) {
            parts.push(condition(read(self)?));
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        Ok(Tree { node: join(parts), span })
    }

    fn until(&mut self) -> Parsed<Tree> {
        let left = self.unary()?;
        let word = self.peek();
        if word.kind != Kind::Word || !matches!(word.text.as_str(), "U" | "W" | "WU" | "R" | "V") {
            return Ok(left);
        }
        self.next();
        self.deeper(|reader| {
            let (a, b) = (condition(left), condition(reader.until()?));
            Ok(match word.text.as_str() {
                "U" => temporal(Temporal::Until, vec![a, b]),
                "W" | "WU" => temporal(Temporal::WeakUntil, vec![a, b]),
                _ => not(temporal(Temporal::Until, vec![not(a), not(b)])),
            })
        })
    }

    /// Whether a word is an operator here: an operand follows it.
    fn operates(&self) -> bool {
        let next = self.ahead(1);
        match next.kind {
            Kind::Number => true,
            Kind::Word => !matches!(next.text.as_str(), "U" | "W" | "WU" | "R" | "V"),
            Kind::Symbol => matches!(next.text.as_str(), "(" | "{" | "[" | "!" | "[]" | "<>"),
            Kind::Text | Kind::End => false,
        }
    }

    fn unary(&mut self) -> Parsed<Tree> {
        self.deeper(Reader::unary_here)
    }

    fn unary_here(&mut self) -> Parsed<Tree> {
        let token = self.peek();
        match token.text.as_str() {
            "!" => {
                self.next();
                return Ok(not(condition(self.unary()?)));
            }
            "[]" => {
                self.next();
                return Ok(temporal(Temporal::Globally, vec![condition(self.unary()?)]));
            }
            "<>" => {
                self.next();
                return Ok(temporal(Temporal::Finally, vec![condition(self.unary()?)]));
            }
            // As in T2: `[AG](f)` and `[AW](f),(g)`.
            "[" if self.ahead(2).text == "]" => {
                let word = self.ahead(1).text.clone();
                (0..3).for_each(|_| {
                    self.next();
                });
                let first = condition(self.unary()?);
                let mut operands = vec![first];
                if self.is(",") && word.ends_with(['U', 'W', 'R']) {
                    self.next();
                    operands.push(condition(self.unary()?));
                }
                return quantified(&word, operands).ok_or_else(|| {
                    Diagnostic::error(token.span, "this is no operator", "not understood").into()
                });
            }
            _ => {}
        }
        if token.kind == Kind::Word && self.ahead(1).text == ":" {
            return self.at_label();
        }
        if token.kind == Kind::Word && self.operates() {
            let word = token.text.as_str();
            match word {
                "G" | "F" | "X" => {
                    self.next();
                    let operator = match word {
                        "G" => Temporal::Globally,
                        "F" => Temporal::Finally,
                        _ => Temporal::Next,
                    };
                    return Ok(temporal(operator, vec![condition(self.unary()?)]));
                }
                "A" | "E" => {
                    self.next();
                    let paths = if word == "A" { Paths::All } else { Paths::Some };
                    let body = if self.take(&["["]) {
                        let body = self.formula()?;
                        self.expect("]")?;
                        body
                    } else {
                        self.unary()?
                    };
                    let span = token.span.to(body.span);
                    return Ok(Tree { node: Node::Quantified(paths, Box::new(condition(body))), span });
                }
                "AP" | "NOT" => {
                    self.next();
                    let body = condition(self.unary()?);
                    return Ok(if word == "NOT" { not(body) } else { body });
                }
                "AND" | "OR" | "AU" | "EU" | "AW" | "EW" | "AR" | "ER" => {
                    self.next();
                    let (a, b) = (condition(self.unary()?), condition(self.unary()?));
                    let span = token.span.to(b.span);
                    return Ok(match word {
                        "AND" => Tree { node: Node::And(vec![a, b]), span },
                        "OR" => Tree { node: Node::Or(vec![a, b]), span },
                        _ => quantified(word, vec![a, b]).unwrap_or(Tree { node: Node::Truth(true), span }),
                    });
                }
                "AG" | "AF" | "AX" | "EG" | "EF" | "EX" => {
                    self.next();
                    let body = condition(self.unary()?);
                    let span = body.span;
                    return Ok(quantified(word, vec![body]).unwrap_or(Tree { node: Node::Truth(true), span }));
                }
                _ => {}
            }
        }
        self.comparison()
    }

    /// `LABEL: f`
    fn at_label(&mut self) -> Parsed<Tree> {
        let label = self.next();
        self.next();
        let Some(locations) = self.flow.labels.get(&label.text) else {
            let message = format!("the program has no label `{}`", label.text);
            let fault = Diagnostic::error(label.span, message, "not in the program");
            return Err(match nearest(&label.text, self.flow.labels.keys().map(String::as_str)) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            }
            .into());
        };
        let at = |name: &String| Tree { node: Node::At(name.clone()), span: label.span };
        let there = Tree { node: Node::Or(locations.iter().map(at).collect()), span: label.span };
        let body = condition(self.unary()?);
        let span = label.span.to(body.span);
        Ok(Tree { node: Node::And(vec![there, body]), span })
    }

    fn comparison(&mut self) -> Parsed<Tree> {
        let left = self.sum()?;
        let comparison = match self.peek().text.as_str() {
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterEqual,
            "==" | "=" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            _ => return Ok(left),
        };
        self.next();
        let right = self.sum()?;
        let span = left.span.to(right.span);
        Ok(Tree { node: Node::Compare(comparison, Box::new(left), Box::new(right)), span })
    }

    fn sum(&mut self) -> Parsed<Tree> {
        let first = self.product()?;
        if !self.is("+") && !self.is("-") {
            return Ok(first);
        }
        let mut parts = vec![(false, first)];
        while self.is("+") || self.is("-") {
            let subtracted = self.next().text == "-";
            parts.push((subtracted, self.product()?));
        }
        let span = parts[0].1.span.to(parts[parts.len() - 1].1.span);
        Ok(Tree { node: Node::Sum(parts), span })
    }

    fn product(&mut self) -> Parsed<Tree> {
        let first = self.operand()?;
        let mut factors = Vec::new();
        let mut span = first.span;
        loop {
            let factor = match self.peek().text.as_str() {
                "*" => Factor::Times,
                "/" => Factor::Divided,
                "%" => Factor::Remainder,
                _ if factors.is_empty() => return Ok(first),
                _ => return Ok(Tree { node: Node::Product(Box::new(first), factors), span }),
            };
            self.next();
            let operand = self.operand()?;
            span = span.to(operand.span);
            factors.push((factor, operand));
        }
    }

    fn operand(&mut self) -> Parsed<Tree> {
        let token = self.peek();
        let span = token.span;
        match token.kind {
            Kind::Number => {
                self.next();
                let Ok(number) = token.text.parse() else {
                    return Err(Diagnostic::error(span, "this is no number", "not understood").into());
                };
                Ok(Tree { node: Node::Number(number), span })
            }
            Kind::Word => {
                self.next();
                let mut name = token.text.clone();
                loop {
                    if self.take(&["."]) {
                        name = format!("{name}.{}", self.next().text);
                    } else if self.take(&["["]) {
                        name = format!("{name}[{}]", self.next().text);
                        self.expect("]")?;
                    } else {
                        return self.name(&name, span);
                    }
                }
            }
            _ if self.take(&["-"]) => {
                let operand = self.deeper(Reader::operand)?;
                let span = span.to(operand.span);
                Ok(Tree { node: Node::Negative(Box::new(operand)), span })
            }
            _ if self.is("(") || self.is("{") => {
                let closing = if self.next().text == "(" { ")" } else { "}" };
                let tree = self.formula()?;
                self.expect(closing)?;
                Ok(tree)
            }
            _ => Err(self.unexpected("a condition")),
        }
    }

    /// The variable or constant of a name. One of several variables is meant if it is global, or if it is the only one of
    /// `main`.
    fn name(&self, name: &str, span: Span) -> Parsed<Tree> {
        let variables = self.flow.names.get(name).map_or(&[][..], Vec::as_slice);
        let in_main: Vec<&String> = variables.iter().filter(|one| !one.contains('.')).collect();
        let node = match variables {
            [one] => Node::Variable(one.clone()),
            _ if self.flow.globals.contains(name) => Node::Variable(name.to_owned()),
            [_, ..] if in_main.len() == 1 => Node::Variable(in_main[0].clone()),
            [] => {
                let full = self.flow.names.values().flatten().find(|full| *full == name);
                match (full, self.constants.get(name), name) {
                    (Some(full), ..) => Node::Variable(full.clone()),
                    (_, Some(value), _) => Node::Number(*value),
                    (.., "true" | "TRUE") => Node::Truth(true),
                    (.., "false" | "FALSE") => Node::Truth(false),
                    _ => {
                        let message = format!("the program has no variable `{name}`");
                        let fault = Diagnostic::error(span, message, "not declared anywhere");
                        return Err(match nearest(name, self.flow.names.keys().map(String::as_str)) {
                            Some(near) => fault.help(format!("did you mean `{near}`?")),
                            None => fault,
                        }
                        .into());
                    }
                }
            }
            several => {
                let message = format!("`{name}` may be several variables: {}", several.join(", "));
                return Err(Diagnostic::error(span, message, "which one?").into());
            }
        };
        Ok(Tree { node, span })
    }
}

/// `AG`, `EU` and the like.
fn quantified(word: &str, operands: Vec<Tree>) -> Option<Tree> {
    let mut letters = word.chars();
    let paths = match letters.next() {
        Some('A') => Paths::All,
        Some('E') => Paths::Some,
        _ => return None,
    };
    let body = match (letters.as_str(), &operands[..]) {
        ("G", [_]) => temporal(Temporal::Globally, operands),
        ("F", [_]) => temporal(Temporal::Finally, operands),
        ("X", [_]) => temporal(Temporal::Next, operands),
        ("U", [_, _]) => temporal(Temporal::Until, operands),
        ("W", [_, _]) => temporal(Temporal::WeakUntil, operands),
        ("R", [_, _]) => not(temporal(Temporal::Until, operands.into_iter().map(not).collect())),
        _ => return None,
    };
    let span = body.span;
    Some(Tree { node: Node::Quantified(paths, Box::new(body)), span })
}

fn temporal(operator: Temporal, operands: Vec<Tree>) -> Tree {
    let span = operands[0].span.to(operands[operands.len() - 1].span);
    Tree { node: Node::Temporal(operator, operands), span }
}

fn not(tree: Tree) -> Tree {
    let span = tree.span;
    Tree { node: Node::Not(Box::new(tree)), span }
}

/// A number as a condition is true if it is not 0.
fn condition(tree: Tree) -> Tree {
    let is_number = matches!(
        tree.node,
        Node::Number(_) | Node::Variable(_) | Node::Negative(_) | Node::Sum(_) | Node::Product(..)
    );
    if !is_number {
        return tree;
    }
    let span = tree.span;
    let zero = Tree { node: Node::Number(0), span };
    Tree { node: Node::Compare(Comparison::Unequal, Box::new(tree), Box::new(zero)), span }
}
