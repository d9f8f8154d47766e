//! Parses SMV, by the grammar of `NuSMV` 2.6. Expressions are in `formulas`.

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::lexer::{Kind as Token, Token as Lexeme, tokens};
use super::syntax::{Definition, Expr, Item, Logic, Module, Name, Role, Type, When};

pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep expressions and types may nest.
const NESTING: usize = 150;

/// Words that are not names.
const RESERVED: [&str; 92] = [
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "NAME",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
    "CONSTRAINT",
    "SIMPWFF",
    "CTLWFF",
    "LTLWFF",
    "PSLWFF",
    "COMPWFF",
    "IN",
    "MIN",
    "MAX",
    "MIRROR",
    "PRED",
    "PREDICATES",
    "process",
    "array",
    "of",
    "boolean",
    "integer",
    "real",
    "word",
    "word1",
    "bool",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "swconst",
    "EX",
    "AX",
    "EF",
    "AF",
    "EG",
    "AG",
    "E",
    "F",
    "O",
    "G",
    "H",
    "X",
    "Y",
    "Z",
    "A",
    "U",
    "S",
    "V",
    "T",
    "BU",
    "EBF",
    "ABF",
    "EBG",
    "ABG",
    "case",
    "esac",
    "mod",
    "next",
    "init",
    "union",
    "in",
    "xor",
    "xnor",
    "self",
    "TRUE",
    "FALSE",
    "count",
    "abs",
    "max",
    "min",
    "toint",
    "typeof",
];

/// Words that begin a declaration, or end a list of them.
const SECTIONS: [&str; 24] = [
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
    "PRED",
    "MIRROR",
    "FUN",
];

/// The modules of a text.
pub(super) fn file(text: &str) -> Parsed<Vec<Module>> {
    let mut parser = Parser::new(text)?;
    let mut modules = Vec::new();
    while !parser.is_end() {
        modules.push(parser.module()?);
    }
    Ok(modules)
}

/// A formula on its own.
pub(super) fn formula(text: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(text)?;
    let formula = parser.expression()?;
    if parser.is_end() { Ok(formula) } else { Err(parser.expected("the end").into()) }
}

pub(super) struct Parser<'a> {
    tokens: Vec<Lexeme<'a>>,
    at: usize,
    depth: usize,
    /// Whether words of PSL are operators.
    pub(super) psl: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser { tokens: tokens(text)?, at: 0, depth: 0, psl: false })
    }

    pub(super) fn current(&self) -> Lexeme<'a> {
        self.tokens[self.at]
    }

    pub(super) fn advance(&mut self) -> Lexeme<'a> {
        let token = self.current();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn is_end(&self) -> bool {
        self.current().kind == Token::End
    }

    /// Whether the current token is this symbol or word.
    pub(super) fn is(&self, text: &str) -> bool {
        self.current().text == text
    }

    pub(super) fn follows(&self, text: &str) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.text == text)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.is(text) && !self.is_end();
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<Span> {
        if self.is(text) { Ok(self.advance().span) } else { Err(self.expected(&format!("`{text}`")).into()) }
    }

    pub(super) fn expected(&self, expected: &str) -> Diagnostic {
        let token = self.current();
        let found = match token.kind {
            Token::End => "the text ends here".to_owned(),
            _ => format!("unexpected `{}`", token.text),
        };
        let error = Diagnostic::error(token.span, found, format!("expected {expected}"));
        match token.text {
            "#" => error.help("this is a directive of a preprocessor: run it first"),
            "define" => error.help("macros of m4 are not read: run m4 first"),
            _ => error,
        }
    }

    /// Runs a part of the parser one level deeper.
    pub(super) fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > NESTING {
            let message = format!("this nests more than {NESTING} levels deep");
            return Err(Diagnostic::error(self.current().span, message, "too deep").into());
        }
        let result = part(self);
        self.depth -= 1;
        result
    }

    pub(super) fn is_name(&self) -> bool {
        self.current().kind == Token::Word && !RESERVED.contains(&self.current().text)
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        if !self.is_name() {
            return Err(self.expected("a name").into());
        }
        let token = self.advance();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    fn module(&mut self) -> Parsed<Module> {
        self.expect("MODULE")?;
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.take("(") && !self.take(")") {
            loop {
                parameters.push(self.name()?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let mut items = Vec::new();
        while !self.is_end() && !self.is("MODULE") {
            self.item(&mut items)?;
        }
        Ok(Module { name, parameters, items })
    }

    /// Whether a list of declarations ends here.
    fn ends(&self) -> bool {
        self.is_end() || SECTIONS.contains(&self.current().text)
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let section = self.current();
        if section.kind != Token::Word || !SECTIONS.contains(&section.text) {
            return Err(self.expected("a declaration").into());
        }
        self.advance();
        match section.text {
            "VAR" => self.variables(Role::State, items)?,
            "IVAR" => self.variables(Role::Input, items)?,
            "FROZENVAR" => self.variables(Role::Frozen, items)?,
            "DEFINE" | "MDEFINE" => {
                while !self.ends() {
                    let name = self.name()?;
                    self.expect(":=")?;
                    let definition = self.definition()?;
                    self.expect(";")?;
                    items.push(Item::Define(name, definition));
                }
            }
            "CONSTANTS" => {
                let mut names = vec![self.name()?];
                while self.take(",") {
                    names.push(self.name()?);
                }
                self.expect(";")?;
                items.push(Item::Constants(names));
            }
            "ASSIGN" => {
                while !self.ends() {
                    items.push(self.assignment()?);
                }
            }
            "INIT" => self.constraint(items, Item::Init)?,
            "INVAR" => self.constraint(items, Item::Invar)?,
            "TRANS" => self.constraint(items, Item::Trans)?,
            "FAIRNESS" | "JUSTICE" => self.constraint(items, Item::Justice)?,
            "COMPASSION" => {
                self.expect("(")?;
                let when = self.expression()?;
                self.expect(",")?;
                let then = self.expression()?;
                self.expect(")")?;
                self.take(";");
                items.push(Item::Compassion(when, then));
            }
            "ISA" => items.push(Item::Isa(self.name()?)),
            "SPEC" | "CTLSPEC" => self.specification(Logic::Ctl, section, items)?,
            "LTLSPEC" => self.specification(Logic::Ltl, section, items)?,
            "INVARSPEC" => self.specification(Logic::Invariant, section, items)?,
            "PSLSPEC" => {
                self.psl = true;
                let result = self.specification(Logic::Psl, section, items);
                self.psl = false;
                result?;
            }
            "COMPUTE" => self.compute(section, items)?,
            other => {
                let message = format!("`{other}` is not supported");
                return Err(
                    Diagnostic::error(section.span, message, "not of NuSMV 2.6's finite models").into()
                );
            }
        }
        Ok(())
    }

    fn constraint(&mut self, items: &mut Vec<Item>, item: impl Fn(Expr) -> Item) -> Parsed<()> {
        // An empty one says nothing.
        if !self.ends() && !self.take(";") {
            items.push(item(self.expression()?));
            self.take(";");
        }
        Ok(())
    }

    fn specification(&mut self, logic: Logic, section: Lexeme, items: &mut Vec<Item>) -> Parsed<()> {
        let name = self.specification_name()?;
        let from = self.at;
        let body = match self.expression() {
            Ok(body) if self.is(";") || self.ends() => Ok(body),
            // Sequences of PSL have a grammar of their own. The rest of the file can be read all the same.
            _ if logic == Logic::Psl => {
                self.at = from;
                let mut depth = 0;
                while !self.ends() && (depth > 0 || !self.is(";")) {
                    match self.advance().text {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        _ => {}
                    }
                }
                Err("this formula of PSL is not one of LTL or CTL".to_owned())
            }
            Ok(_) if self.is("IN") => return Err(self.expected("`;`: `IN` is for the command line").into()),
            Ok(_) => return Err(self.expected("`;` or a declaration").into()),
            Err(error) => return Err(error),
        };
        let span = section.span.to(self.tokens[self.at.saturating_sub(1)].span);
        self.take(";");
        items.push(Item::Specification { logic, name, body, span });
        Ok(())
    }

    fn specification_name(&mut self) -> Parsed<Option<Name>> {
        if !self.take("NAME") {
            return Ok(None);
        }
        let name = self.name()?;
        self.expect(":=")?;
        Ok(Some(name))
    }

    fn compute(&mut self, section: Lexeme, items: &mut Vec<Item>) -> Parsed<()> {
        let name = self.specification_name()?;
        if !self.take("MIN") {
            self.expect("MAX")?;
        }
        self.expect("[")?;
        self.expression()?;
        self.expect(",")?;
        self.expression()?;
        let span = section.span.to(self.expect("]")?);
        self.take(";");
        let body = Err("COMPUTE asks for a number and not whether something holds".to_owned());
        items.push(Item::Specification { logic: Logic::Compute, name, body, span });
        Ok(())
    }

    fn variables(&mut self, role: Role, items: &mut Vec<Item>) -> Parsed<()> {
        let mut declared = Vec::new();
        while !self.ends() {
            let name = self.name()?;
            self.expect(":")?;
            let kind = self.variable_type(role)?;
            self.expect(";")?;
            declared.push((name, kind));
        }
        items.push(Item::Variables(role, declared));
        Ok(())
    }

    fn variable_type(&mut self, role: Role) -> Parsed<Type> {
        self.nested(|parser| {
            let start = parser.current();
            if parser.take("boolean") {
                return Ok(Type::Bool);
            }
            if parser.take("{") {
                let mut values = Vec::new();
                loop {
                    values.push(parser.expression()?);
                    if !parser.take(",") {
                        break;
                    }
                }
                parser.expect("}")?;
                return Ok(Type::Enumeration(values));
            }
            let signed = parser.is("signed") && parser.follows("word");
            if signed || parser.is("unsigned") && parser.follows("word") {
                parser.advance();
            }
            if parser.take("word") {
                parser.expect("[")?;
                let width = parser.expression()?;
                parser.expect("]")?;
                return Ok(Type::Word { signed, width });
            }
            if parser.take("array") {
                if parser.is("word") || parser.is("of") || parser.is("integer") {
                    return Err(parser.expected("the range of its indices").into());
                }
                let (lo, hi) = parser.bounds()?;
                parser.expect("of")?;
                return Ok(Type::Array(lo, hi, Box::new(parser.variable_type(role)?)));
            }
            if matches!(start.text, "integer" | "real") {
                let message = format!("`{}` is an infinite type", start.text);
                return Err(Diagnostic::error(start.span, message, "only finite models are read").into());
            }
            let process = parser.take("process");
            let is_instance = process || parser.is_name() && (parser.follows(";") || parser.follows("("));
            if is_instance && role == Role::State {
                let module = parser.name()?;
                let mut arguments = Vec::new();
                if parser.take("(") && !parser.take(")") {
                    loop {
                        arguments.push(parser.expression()?);
                        if !parser.take(",") {
                            break;
                        }
                    }
                    parser.expect(")")?;
                }
                return Ok(Type::Instance { process, module, arguments });
            }
            let (lo, hi) = parser.bounds()?;
            Ok(Type::Range(lo, hi))
        })
    }

    fn bounds(&mut self) -> Parsed<(Expr, Expr)> {
        let lo = self.shift()?;
        self.expect("..")?;
        Ok((lo, self.shift()?))
    }

    fn definition(&mut self) -> Parsed<Definition> {
        if !self.take("[") {
            return Ok(Definition::Value(self.expression()?));
        }
        self.nested(|parser| {
            let mut parts = vec![parser.definition()?];
            while parser.take(",") {
                parts.push(parser.definition()?);
            }
            parser.expect("]")?;
            Ok(Definition::Array(parts))
        })
    }

    fn assignment(&mut self) -> Parsed<Item> {
        let when = match self.current().text {
            "init" => When::First,
            "next" => When::Next,
            _ => When::Always,
        };
        let target = if when == When::Always {
            self.primary()?
        } else {
            self.advance();
            self.expect("(")?;
            let target = self.primary()?;
            self.expect(")")?;
            target
        };
        self.expect(":=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Item::Assign(when, target, value))
    }
}
