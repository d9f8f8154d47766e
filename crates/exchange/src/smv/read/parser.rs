//! Parses SMV, by the grammar of `NuSMV` 2.6. Expressions are in `formulas`.

use lang::diagnostic::Diagnostic;

use super::syntax::{Definition, Expr, Item, Logic, Module, Name, Role, Type, When};
pub(super) use crate::text::Parsed;
use crate::text::{Kind, Reader, Style, Token, is_letter, is_of_word, length, nested, reads, tokens};

/// A name may contain `-`, `$`, `#` and `\`: `read-shared` is one name. Two dashes begin a comment even inside a name.
const STYLE: Style = Style {
    line_comment: "--",
    comment: ("/--", "--/"),
    word: |text| {
        if !text.starts_with(is_letter) {
            return 0;
        }
        let end = length(text, |next| is_of_word(next) || "-$#\\".contains(next));
        text[..end].find("--").unwrap_or(end)
    },
    number,
    symbols: &["<->", "->", ":=", "::", "..", "!=", "<=", ">=", "<<", ">>"],
    ..Style::C
};

/// The length of a number. A word constant has letters and underscores: `0ud8_15`.
fn number(text: &str) -> usize {
    let word = text.starts_with('0') && text[1..].starts_with(['u', 's', 'b', 'o', 'd', 'h']);
    let belongs = |next: char| next.is_ascii_digit() || word && is_of_word(next);
    let end = length(text, belongs);
    // The value of a signed one may have a sign.
    let signed = word && text[..end].ends_with('_') && text[end..].starts_with('-');
    if signed { end + 1 + length(&text[end + 1..], belongs) } else { end }
}

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
        modules.push(parser.module().map_err(|error| with_help(error, text))?);
    }
    Ok(modules)
}

/// Says what to do about the language of a preprocessor.
fn with_help(error: Box<Diagnostic>, text: &str) -> Box<Diagnostic> {
    match error.span.and_then(|span| text.get(span.start..span.end)) {
        Some("#") => error.help("this is a directive of a preprocessor: run it first").into(),
        Some("define") => error.help("macros of m4 are not read: run m4 first").into(),
        _ => error,
    }
}

/// A formula on its own.
pub(super) fn formula(text: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(text)?;
    let formula = parser.expression()?;
    if parser.is_end() { Ok(formula) } else { parser.unexpected("the end") }
}

pub(super) struct Parser<'a> {
    reader: Reader<'a>,
    /// Whether words of PSL are operators.
    pub(super) psl: bool,
}

reads!(Parser);

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser { reader: Reader::new(tokens(text, &STYLE)?), psl: false })
    }

    pub(super) fn is_name(&self) -> bool {
        self.current().kind == Kind::Word && !RESERVED.contains(&self.current().text)
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        if !self.is_name() {
            return self.unexpected("a name");
        }
        self.reader.name()
    }

    fn module(&mut self) -> Parsed<Module> {
        self.expect("MODULE")?;
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.takes("(") && !self.takes(")") {
            loop {
                parameters.push(self.name()?);
                if !self.takes(",") {
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
        if section.kind != Kind::Word || !SECTIONS.contains(&section.text) {
            return self.unexpected("a declaration");
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
                while self.takes(",") {
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
                self.takes(";");
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
        if !self.ends() && !self.takes(";") {
            items.push(item(self.expression()?));
            self.takes(";");
        }
        Ok(())
    }

    fn specification(&mut self, logic: Logic, section: Token, items: &mut Vec<Item>) -> Parsed<()> {
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
                        "{" | "case" => depth += 1,
                        "}" | "esac" => depth -= 1,
                        _ => {}
                    }
                }
                Err("this formula of PSL is not one of LTL or CTL".to_owned())
            }
            Ok(_) if self.is("IN") => return self.unexpected("`;`: `IN` is for the command line"),
            Ok(_) => return self.unexpected("`;` or a declaration"),
            Err(error) => return Err(error),
        };
        let span = section.span.to(self.last().span);
        self.takes(";");
        items.push(Item::Specification { logic, name, body, span });
        Ok(())
    }

    fn specification_name(&mut self) -> Parsed<Option<Name>> {
        if !self.takes("NAME") {
            return Ok(None);
        }
        let name = self.name()?;
        self.expect(":=")?;
        Ok(Some(name))
    }

    fn compute(&mut self, section: Token, items: &mut Vec<Item>) -> Parsed<()> {
        let name = self.specification_name()?;
        if !self.takes("MIN") {
            self.expect("MAX")?;
        }
        self.expect("[")?;
        self.expression()?;
        self.expect(",")?;
        self.expression()?;
        let span = section.span.to(self.expect("]")?);
        self.takes(";");
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
        nested(self, |parser| {
            let start = parser.current();
            if parser.takes("boolean") {
                return Ok(Type::Bool);
            }
            if parser.takes("{") {
                let mut values = Vec::new();
                loop {
                    values.push(parser.expression()?);
                    if !parser.takes(",") {
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
            if parser.takes("word") {
                parser.expect("[")?;
                let width = parser.expression()?;
                parser.expect("]")?;
                return Ok(Type::Word { signed, width });
            }
            if parser.takes("array") {
                if parser.is("word") || parser.is("of") || parser.is("integer") {
                    return parser.unexpected("the range of its indices");
                }
                let (lo, hi) = parser.bounds()?;
                parser.expect("of")?;
                return Ok(Type::Array(lo, hi, Box::new(parser.variable_type(role)?)));
            }
            if matches!(start.text, "integer" | "real") {
                let message = format!("`{}` is an infinite type", start.text);
                return Err(Diagnostic::error(start.span, message, "only finite models are read").into());
            }
            let process = parser.takes("process");
            let is_instance = process || parser.is_name() && (parser.follows(";") || parser.follows("("));
            if is_instance && role == Role::State {
                let module = parser.name()?;
                let mut arguments = Vec::new();
                if parser.takes("(") && !parser.takes(")") {
                    loop {
                        arguments.push(parser.expression()?);
                        if !parser.takes(",") {
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
        if !self.takes("[") {
            return Ok(Definition::Value(self.expression()?));
        }
        nested(self, |parser| {
            let mut parts = vec![parser.definition()?];
            while parser.takes(",") {
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
