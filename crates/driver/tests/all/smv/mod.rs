//! Reads and evaluates exported flat SMV by `NuSMV`'s rules, independently of our code.
//!
//! It supports enough of the language for `VAR`, `DEFINE`, `ASSIGN`, `INIT` and `TRANS`; fairness and specifications
//! are left to `NuSMV` itself. A value is a number: truth is 0 and 1, a symbol is the position where it was first
//! seen.

use std::collections::BTreeMap;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(i64),
    Name(String),
    Next(String),
    Unary(char, Box<Expr>),
    Binary(String, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Set(Vec<Expr>),
    Case(Vec<(Expr, Expr)>),
}

/// A model.
#[derive(Default)]
pub(crate) struct Smv {
    pub(crate) variables: Vec<String>,
    /// Per variable, its values.
    pub(crate) domains: BTreeMap<String, Vec<i64>>,
    pub(crate) symbols: BTreeMap<String, i64>,
    pub(crate) definitions: BTreeMap<String, Expr>,
    pub(crate) init: BTreeMap<String, Expr>,
    pub(crate) next: BTreeMap<String, Expr>,
    pub(crate) initial: Vec<Expr>,
    pub(crate) steps: Vec<Expr>,
}

/// The values of the variables.
pub(crate) type State = BTreeMap<String, i64>;

impl Smv {
    /// Reads a text.
    pub(crate) fn read(text: &str) -> Smv {
        let mut smv = Smv::default();
        let mut reader = Reader { tokens: tokens(text), at: 0 };
        let mut section = String::new();
        while let Some(token) = reader.peek().map(str::to_owned) {
            match token.as_str() {
                "MODULE" => reader.at += 2,
                "VAR" | "DEFINE" | "ASSIGN" | "INIT" | "TRANS" => {
                    reader.at += 1;
                    section = token;
                    let constraints = match section.as_str() {
                        "INIT" => &mut smv.initial,
                        "TRANS" => &mut smv.steps,
                        _ => continue,
                    };
                    constraints.push(reader.expression(0));
                    reader.expect(";");
                }
                "JUSTICE" | "COMPASSION" | "INVARSPEC" | "LTLSPEC" | "CTLSPEC" => break,
                _ if section == "VAR" => smv.variable(&mut reader),
                _ if section == "DEFINE" => {
                    let name = reader.take();
                    reader.expect(":=");
                    let meaning = reader.expression(0);
                    smv.definitions.insert(name, meaning);
                    reader.expect(";");
                }
                _ => {
                    let place = reader.take();
                    reader.expect("(");
                    let name = reader.take();
                    reader.expect(")");
                    reader.expect(":=");
                    let value = reader.expression(0);
                    reader.expect(";");
                    let table = if place == "init" { &mut smv.init } else { &mut smv.next };
                    assert!(table.insert(name, value).is_none(), "assigned twice");
                }
            }
        }
        smv
    }

    fn variable(&mut self, reader: &mut Reader) {
        let name = reader.take();
        reader.expect(":");
        let mut values = Vec::new();
        match reader.take().as_str() {
            "boolean" => values = vec![0, 1],
            "{" => loop {
                let symbol = reader.take();
                let number = 1000 + self.symbols.len() as i64;
                values.push(*self.symbols.entry(symbol).or_insert(number));
                if reader.take() == "}" {
                    break;
                }
            },
            first => {
                let lo = if first == "-" { -reader.number() } else { first.parse().expect("a number") };
                reader.expect("..");
                let negative = reader.peek() == Some("-");
                reader.at += usize::from(negative);
                let hi = reader.number();
                values.extend(lo..=if negative { -hi } else { hi });
            }
        }
        reader.expect(";");
        self.domains.insert(name.clone(), values);
        self.variables.push(name);
    }

    /// The values an expression may have: several if it has a set.
    pub(crate) fn values(&self, expr: &Expr, now: &State, next: &State) -> Vec<i64> {
        match expr {
            Expr::Set(parts) => parts.iter().flat_map(|part| self.values(part, now, next)).collect(),
            Expr::If(c, a, b) => self.values(if self.value(c, now, next) == 0 { b } else { a }, now, next),
            Expr::Case(cases) => {
                let case =
                    cases.iter().find(|(c, _)| self.value(c, now, next) != 0).expect("a case for everything");
                self.values(&case.1, now, next)
            }
            other => vec![self.value(other, now, next)],
        }
    }

    /// The value of an expression.
    pub(crate) fn value(&self, expr: &Expr, now: &State, next: &State) -> i64 {
        let of = |expr: &Expr| self.value(expr, now, next);
        match expr {
            Expr::Number(value) => *value,
            Expr::Name(name) => match (now.get(name), self.definitions.get(name), self.symbols.get(name)) {
                (Some(value), ..) => *value,
                (_, Some(meaning), _) => of(meaning),
                (_, _, symbol) => *symbol.unwrap_or_else(|| panic!("`{name}` is not declared")),
            },
            // A definition is evaluated in the next state.
            Expr::Next(name) => self.value(&Expr::Name(name.clone()), next, next),
            Expr::Unary('!', a) => i64::from(of(a) == 0),
            Expr::Unary(_, a) => -of(a),
            Expr::If(c, a, b) => of(if of(c) == 0 { b } else { a }),
            Expr::Binary(sign, a, b) if sign == "in" => match &**b {
                Expr::Set(parts) => i64::from(parts.iter().any(|part| of(part) == of(a))),
                _ => panic!("`in` is followed by a set"),
            },
            Expr::Binary(sign, a, b) => {
                let (a, b) = (of(a), of(b));
                match sign.as_str() {
                    "->" => i64::from(a == 0 || b != 0),
                    "<->" | "=" => i64::from(a == b),
                    "!=" => i64::from(a != b),
                    "|" => a | b,
                    "&" => a & b,
                    "<" => i64::from(a < b),
                    "<=" => i64::from(a <= b),
                    ">" => i64::from(a > b),
                    ">=" => i64::from(a >= b),
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    // Towards 0, as NuSMV divides.
                    "/" => a / b,
                    "mod" => a % b,
                    other => panic!("the sign `{other}`"),
                }
            }
            Expr::Set(_) | Expr::Case(_) => match self.values(expr, now, next)[..] {
                [value] => value,
                _ => panic!("a choice where a value is needed"),
            },
        }
    }
}

/// The operators by precedence, the tightest last.
const SIGNS: [&[&str]; 7] = [
    &["->"],
    &["<->"],
    &["|"],
    &["&"],
    &["=", "!=", "<", "<=", ">", ">=", "in"],
    &["+", "-"],
    &["*", "/", "mod"],
];

struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn expect(&mut self, token: &str) {
        let taken = self.take();
        assert_eq!(taken, token, "after {:?}", &self.tokens[self.at.saturating_sub(12)..self.at]);
    }

    fn number(&mut self) -> i64 {
        self.take().parse().expect("a number")
    }

    fn expression(&mut self, level: usize) -> Expr {
        let Some(signs) = SIGNS.get(level) else { return self.operand() };
        let mut left = self.expression(level + 1);
        while let Some(sign) = self.peek().filter(|sign| signs.contains(sign)).map(str::to_owned) {
            self.at += 1;
            let right = self.expression(level + 1);
            left = Expr::Binary(sign, Box::new(left), Box::new(right));
        }
        if level == 0 && self.peek() == Some("?") {
            self.at += 1;
            let yes = self.expression(0);
            self.expect(":");
            let no = self.expression(0);
            left = Expr::If(Box::new(left), Box::new(yes), Box::new(no));
        }
        left
    }

    fn operand(&mut self) -> Expr {
        match self.take().as_str() {
            "TRUE" => Expr::Number(1),
            "FALSE" => Expr::Number(0),
            "!" => Expr::Unary('!', Box::new(self.operand())),
            "-" => Expr::Unary('-', Box::new(self.operand())),
            "(" => {
                let inner = self.expression(0);
                self.expect(")");
                inner
            }
            "next" => {
                self.expect("(");
                let name = self.take();
                self.expect(")");
                Expr::Next(name)
            }
            "{" => {
                let mut parts = vec![self.expression(0)];
                while self.take() == "," {
                    parts.push(self.expression(0));
                }
                Expr::Set(parts)
            }
            "case" => {
                let mut cases = Vec::new();
                while self.peek() != Some("esac") {
                    let condition = self.expression(0);
                    self.expect(":");
                    cases.push((condition, self.expression(0)));
                    self.expect(";");
                }
                self.at += 1;
                Expr::Case(cases)
            }
            token if token.starts_with(|c: char| c.is_ascii_digit()) => {
                Expr::Number(token.parse().expect("a number"))
            }
            token => Expr::Name(token.to_owned()),
        }
    }
}

/// The words, numbers and signs of a text without its comments.
fn tokens(text: &str) -> Vec<String> {
    let signs = ["<->", "->", ":=", "!=", "<=", ">=", ".."];
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line.split("--").next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = if word(first) {
                rest.find(|c: char| !word(c)).unwrap_or(rest.len())
            } else {
                signs.iter().find(|sign| rest.starts_with(**sign)).map_or(1, |sign| sign.len())
            };
            tokens.push(rest[..length].to_owned());
            rest = rest[length..].trim_start();
        }
    }
    tokens
}
