//! Parses C over integers: functions and statements; `declarations` has the variables, `operands` the expressions.
//!
//! The parser is by recursive descent and refuses what is not in the subset at the token where it begins: unions, pointers to
//! functions, floating point. `int` and `long` have 32 bits where that matters, beside unsigned types.
//! Everything nests at most [`DEPTH`] levels, so nothing here or later recurses deeper than that times a constant.

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::lexer::{Kind as Lexeme, Lexed, Token, refused};
use super::syntax::{Declaration, Do, Expr, Function, Kind, Node, Statement, Structure, Unit};

/// Limit on the nesting of statements and expressions.
pub(super) const DEPTH: usize = 200;

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Parses a program.
pub(super) fn unit(lexed: &Lexed) -> Parsed<Unit> {
    let mut parser = Parser::new(&lexed.tokens);
    while parser.peek().kind != Lexeme::End {
        parser.outside()?;
    }
    Ok(parser.unit)
}

/// Whether a condition of the preprocessor is true.
pub(super) fn condition(tokens: &[Token]) -> Parsed<bool> {
    let mut parser = Parser::new(tokens);
    let written = parser.conditional()?;
    if parser.peek().kind != Lexeme::End {
        return Err(parser.unexpected("the end of the line"));
    }
    Ok(constant(&written, &BTreeMap::new())? != 0)
}

/// A position in a list of tokens, and what was declared so far.
pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    position: usize,
    pub(super) depth: usize,
    pub(super) unit: Unit,
    /// The types that `typedef` names, with their sizes in bytes where these are known, and whether they are pointers.
    pub(super) types: BTreeMap<String, Named>,
    /// The structures that have a name.
    tags: BTreeMap<String, usize>,
}

/// A type with a name.
type Named = (Kind, Option<usize>, bool);

/// What stands before the names of a declaration.
#[allow(clippy::struct_excessive_bools)] // each word may be there or not
pub(super) struct Specifiers {
    pub(super) kind: Kind,
    pub(super) bytes: Option<usize>,
    /// Whether the type is a pointer to that, because a `typedef` says so.
    pub(super) is_pointer: bool,
    pub(super) is_typedef: bool,
    pub(super) is_static: bool,
    pub(super) is_extern: bool,
    /// Whether there was a word of a type at all.
    named: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Parser<'a> {
        let types =
            TYPES.iter().map(|(name, kind, bytes)| ((*name).to_owned(), (*kind, *bytes, false))).collect();
        let (unit, tags) = (Unit::default(), BTreeMap::new());
        Parser { tokens, position: 0, depth: 0, unit, types, tags }
    }

    pub(super) fn peek(&self) -> &'a Token {
        self.ahead(0)
    }

    /// A token further on. The last one is the end.
    pub(super) fn ahead(&self, distance: usize) -> &'a Token {
        &self.tokens[(self.position + distance).min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> &'a Token {
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn is(&self, text: &str) -> bool {
        let token = self.peek();
        token.text == text && token.kind != Lexeme::Text
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let taken = self.is(text);
        if taken {
            self.next();
        }
        taken
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<Span> {
        if self.is(text) { Ok(self.next().span) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    pub(super) fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let message = match token.kind {
            Lexeme::End => "the program ends too early".to_owned(),
            _ => format!("`{}` is not expected here", token.text),
        };
        Diagnostic::error(token.span, message, format!("expected {expected}")).into()
    }

    /// Does something one level deeper.
    pub(super) fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH {
            let span = self.peek().span;
            return Err(Diagnostic::error(span, "this is nested too deeply", "given up here").into());
        }
        self.depth += 1;
        let result = what(self);
        self.depth -= 1;
        result
    }

    /// A name that is being declared or used.
    pub(super) fn name(&mut self) -> Parsed<(String, Span)> {
        match self.peek() {
            Token { kind: Lexeme::Word, text, span } if !is_reserved(text) => {
                self.next();
                Ok((text.clone(), *span))
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// Skips `__attribute__((…))` and the like.
    pub(super) fn attributes(&mut self) -> Parsed<()> {
        while matches!(self.peek().text.as_str(), "__attribute__" | "__attribute" | "__asm__" | "asm") {
            self.next();
            self.expect("(")?;
            let mut open = 1;
            while open > 0 {
                match self.next() {
                    Token { kind: Lexeme::End, .. } => return Err(self.unexpected("`)`")),
                    token if token.text == "(" => open += 1,
                    token if token.text == ")" => open -= 1,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a declaration begins here.
    fn declares(&self) -> bool {
        let token = self.peek();
        token.kind == Lexeme::Word
            && (is_specifier(&token.text)
                || (self.types.contains_key(&token.text) && self.ahead(1).text != ":"))
    }

    /// Whether the name of a type begins at a token further on.
    pub(super) fn is_type(&self, distance: usize) -> bool {
        let token = self.ahead(distance);
        token.kind == Lexeme::Word && (is_specifier(&token.text) || self.types.contains_key(&token.text))
    }

    fn specifiers(&mut self) -> Parsed<Specifiers> {
        let mut found = Specifiers {
            kind: Kind::Integer,
            bytes: Some(4),
            is_pointer: false,
            is_typedef: false,
            is_static: false,
            is_extern: false,
            named: false,
        };
        let mut words = Vec::new();
        loop {
            self.attributes()?;
            let here = self.peek();
            let Token { kind: Lexeme::Word, text, span } = here else {
                found.sized(&words, here.span)?;
                return Ok(found);
            };
            let kind: Option<Named> = match text.as_str() {
                "typedef" => {
                    found.is_typedef = true;
                    None
                }
                "static" => {
                    found.is_static = true;
                    None
                }
                "extern" => {
                    found.is_extern = true;
                    None
                }
                "const" | "__const" | "register" | "auto" | "inline" | "__inline" | "__inline__"
                | "signed" | "__signed__" | "__extension__" | "_Noreturn" | "restrict" | "__restrict" => {
                    found.named |= text.contains("signed");
                    None
                }
                "int" | "long" | "short" | "char" | "unsigned" | "__unsigned__" => {
                    words.push(text.as_str());
                    Some((Kind::Integer, Some(4), false))
                }
                "void" => Some((Kind::Void, None, false)),
                "_Bool" => Some((Kind::Truth, Some(1), false)),
                "enum" => {
                    self.next();
                    self.enumeration()?;
                    found.named = true;
                    continue;
                }
                "float" | "double" => return Err(refused(*span, "floating point")),
                "struct" => {
                    self.next();
                    found.kind = self.structure()?;
                    found.bytes = None;
                    found.named = true;
                    continue;
                }
                "union" => return Err(refused(*span, "a union")),
                "volatile" | "__volatile__" => {
                    let message = "`volatile` is ignored: nothing outside the program changes a variable";
                    if !self.unit.warnings.iter().any(|known| known.message == message) {
                        self.unit.warnings.push(Diagnostic::warning(*span, message, "the first one"));
                    }
                    None
                }
                "_Atomic" | "_Thread_local" => {
                    return Err(refused(*span, "a variable that others may change"));
                }
                other => match self.types.get(other) {
                    Some(named) if !found.named => Some(*named),
                    None if !found.named && other == "bool" => Some((Kind::Truth, Some(1), false)),
                    _ => {
                        found.sized(&words, *span)?;
                        return Ok(found);
                    }
                },
            };
            if let Some((kind, bytes, is_pointer)) = kind {
                (found.kind, found.bytes, found.is_pointer) = (kind, bytes, is_pointer);
                found.named = true;
            }
            self.next();
        }
    }

    /// The name of a type in a cast, its size in bytes if that is known, and whether it is a pointer.
    pub(super) fn type_name(&mut self) -> Parsed<Named> {
        let specifiers = self.specifiers()?;
        let is_pointer = self.pointers() > 0 || specifiers.is_pointer;
        Ok((specifiers.kind, specifiers.bytes, is_pointer))
    }

    /// `struct`, after the word.
    fn structure(&mut self) -> Parsed<Kind> {
        self.attributes()?;
        let tag = if self.peek().kind == Lexeme::Word { Some(self.name()?.0) } else { None };
        self.attributes()?;
        let known = tag.as_ref().and_then(|tag| self.tags.get(tag)).copied();
        let number = known.unwrap_or(self.unit.structures.len());
        if known.is_none() {
            self.unit.structures.push(Structure::default());
            if let Some(tag) = tag {
                self.tags.insert(tag, number);
            }
        }
        if self.is("{") {
            let begin = self.next().span;
            let mut fields = Vec::new();
            while !self.is("}") {
                let specifiers = self.specifiers()?;
                let mut own = self.deeper(|parser| parser.declarators(&specifiers))?;
                if let Some(field) = own.iter().find(|field| field.value.is_some() || field.values.is_some())
                {
                    return Err(
                        Diagnostic::error(field.span, "a field has no value here", "not expected").into()
                    );
                }
                let inside = Kind::Structure(number);
                if let Some(field) = own.iter().find(|field| field.kind == inside && !field.is_pointer) {
                    return Err(refused(field.span, "a structure inside itself"));
                }
                // A pointer in a structure cannot be used.
                let pointers = own.iter_mut().filter(|field| field.is_pointer);
                pointers.for_each(|field| field.kind = Kind::Other);
                fields.extend(own);
            }
            let end = self.expect("}")?;
            if !self.unit.structures[number].fields.is_empty() || fields.is_empty() {
                return Err(refused(begin.to(end), "a structure without fields, or with two lists of them,"));
            }
            self.unit.structures[number].fields = fields;
        }
        Ok(Kind::Structure(number))
    }

    /// `enum`, after the word: its constants are numbers.
    fn enumeration(&mut self) -> Parsed<()> {
        if self.peek().kind == Lexeme::Word {
            self.name()?;
        }
        if !self.take("{") {
            return Ok(());
        }
        let mut next = 0i64;
        while !self.is("}") {
            let (name, span) = self.name()?;
            if self.take("=") {
                let value = self.conditional()?;
                next = self.constant(&value)?;
            }
            self.unit.constants.insert(name, next);
            next = next.checked_add(1).ok_or_else(|| too_large(span))?;
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(())
    }

    /// The value of an expression of constants.
    pub(super) fn constant(&self, expr: &Expr) -> Parsed<i64> {
        constant(expr, &self.unit.constants)
    }

    /// The length of a declaration that only says that one function exists, whatever its types are.
    fn prototype(&self) -> Option<usize> {
        let mut is_function = false;
        let mut open = 0usize;
        for distance in 0..self.tokens.len() - self.position {
            let token = self.ahead(distance);
            match token.text.as_str() {
                "(" => {
                    let before = self.ahead(distance.saturating_sub(1));
                    is_function |= before.kind == Lexeme::Word && !before.text.starts_with("__attribute");
                    open += 1;
                }
                ")" => {
                    open = open.saturating_sub(1);
                    // The types of parameters may stand behind them.
                    let next = self.ahead(distance + 1);
                    if open == 0 && self.is_type(distance + 1) && !next.text.starts_with("__") {
                        return None;
                    }
                }
                ";" if open == 0 => return is_function.then_some(distance + 1),
                "," if open == 0 => return None,
                "{" | "=" | "typedef" => return None,
                _ => {}
            }
        }
        None
    }

    /// Notes what a function returns that is only declared, if it is an integer or nothing.
    fn result_of_prototype(&mut self) {
        let Ok(specifiers) = self.specifiers() else { return };
        let plain = !specifiers.is_pointer && self.pointers() == 0;
        if let (true, Ok((name, _))) = (plain && specifiers.named, self.name())
            && !matches!(specifiers.kind, Kind::Structure(_) | Kind::Other)
        {
            self.unit.declared.insert(name, specifiers.kind);
        }
    }

    /// A declaration outside functions.
    fn outside(&mut self) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        if let Some(length) = self.prototype() {
            let begin = self.position;
            self.result_of_prototype();
            self.position = begin + length;
            return Ok(());
        }
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(());
        }
        // A function that is only declared may be anything, as long as it is not called.
        let before = self.position;
        let pointers = self.pointers() > 0 || specifiers.is_pointer;
        let (name, span) = self.name()?;
        self.attributes()?;
        if self.is("(") && !specifiers.is_typedef {
            let mut parameters = self.parameters()?;
            self.attributes()?;
            while self.declares() {
                // The types of parameters may stand behind them.
                let specifiers = self.specifiers()?;
                for declared in self.declarators(&specifiers)? {
                    if let Some(own) = parameters.iter_mut().find(|own| own.name == declared.name) {
                        *own = declared;
                    }
                }
            }
            if self.is("{") {
                return self.function(name, span, &specifiers, pointers, parameters);
            }
            // Prototypes, perhaps several.
            while self.take(",") {
                self.pointers();
                self.name()?;
                self.parameters()?;
                self.attributes()?;
            }
            self.expect(";")?;
            return Ok(());
        }
        if !specifiers.named && specifiers.is_typedef {
            return Err(self.unexpected("a type"));
        }
        self.position = before;
        let declared = self.declarators(&specifiers)?;
        self.unit.globals.extend(declared);
        Ok(())
    }

    /// Skips `*` and the like; says how many stars there were.
    pub(super) fn pointers(&mut self) -> usize {
        let mut found = 0;
        while ["*", "const", "restrict", "__restrict"].into_iter().any(|word| self.is(word)) {
            found += usize::from(self.is("*"));
            self.next();
        }
        found
    }

    pub(super) fn parameters(&mut self) -> Parsed<Vec<Declaration>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            if self.take("...") {
                break;
            }
            let begin = self.peek().span;
            let (mut kind, bytes, mut stars, named) = match self.parameter_type()? {
                Some(found) => (found.kind, found.bytes, usize::from(found.is_pointer), found.named),
                None => (Kind::Other, None, 0, true),
            };
            stars += self.pointers();
            if self.is("(") {
                // A pointer to a function, which cannot be used.
                self.group()?;
                if self.is("(") {
                    self.group()?;
                }
                kind = Kind::Other;
            }
            let mut span = begin;
            let mut name = String::new();
            if self.peek().kind == Lexeme::Word {
                (name, span) = self.name()?;
            } else if !named {
                return Err(self.unexpected("a parameter"));
            }
            while self.take("[") {
                stars += 1;
                while !self.is("]") && self.peek().kind != Lexeme::End {
                    self.next();
                }
                self.expect("]")?;
            }
            self.attributes()?;
            if kind != Kind::Void || stars > 0 {
                parameters.push(Declaration {
                    name,
                    kind,
                    bytes,
                    is_pointer: stars > 0,
                    value: None,
                    sizes: Vec::new(),
                    values: None,
                    lasting: false,
                    elsewhere: false,
                    span,
                });
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }

    /// Skips what stands in parentheses.
    fn group(&mut self) -> Parsed<()> {
        self.expect("(")?;
        let mut open = 1;
        while open > 0 {
            match self.next() {
                Token { kind: Lexeme::End, .. } => return Err(self.unexpected("`)`")),
                token if token.text == "(" => open += 1,
                token if token.text == ")" => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// The type of a parameter; `None` if no parameter that is used may have it.
    fn parameter_type(&mut self) -> Parsed<Option<Specifiers>> {
        let words = ["float", "double", "FILE"];
        let mut other = false;
        loop {
            let text = self.peek().text.as_str();
            if text == "union" {
                self.next();
                self.name()?;
            } else if words.contains(&text) {
                self.next();
            } else {
                break;
            }
            other = true;
        }
        let specifiers = self.specifiers()?;
        Ok(Some(specifiers).filter(|_| !other))
    }

    fn function(
        &mut self,
        name: String,
        span: Span,
        specifiers: &Specifiers,
        pointers: bool,
        parameters: Vec<Declaration>,
    ) -> Parsed<()> {
        let names: BTreeSet<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        if names.len() < parameters.len() || names.contains("") {
            return Err(Diagnostic::error(
                span,
                "the parameters need names of their own",
                "in this function",
            )
            .into());
        }
        if name != "main" && (pointers || matches!(specifiers.kind, Kind::Structure(_))) {
            return Err(refused(span, "a function that returns a pointer or a structure"));
        }
        let Statement { node: Do::Block(body), .. } = self.block()? else { return Ok(()) };
        // What `main` returns does not matter.
        let result = if name == "main" { Kind::Void } else { specifiers.kind };
        let function = Function { result, parameters, body, span };
        if let Some(other) = self.unit.functions.insert(name, function) {
            return Err(Diagnostic::error(span, "this function has two bodies", "the second one")
                .related(other.span, "the first one")
                .into());
        }
        Ok(())
    }

    fn block(&mut self) -> Parsed<Statement> {
        let begin = self.expect("{")?;
        let mut statements = Vec::new();
        while !self.is("}") {
            if self.peek().kind == Lexeme::End {
                return Err(self.unexpected("`}`"));
            }
            statements.push(self.statement()?);
        }
        let end = self.next().span;
        Ok(Statement { node: Do::Block(statements), span: begin.to(end) })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.deeper(Parser::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<Statement> {
        let token = self.peek();
        let begin = token.span;
        let done = |parser: &Self, node: Do| {
            // The span ends with the token before the next one.
            let end = parser.tokens[parser.position.saturating_sub(1)].span;
            Ok(Statement { node, span: begin.to(end) })
        };
        if token.kind == Lexeme::Word && self.ahead(1).text == ":" && !is_reserved(&token.text) {
            self.next();
            self.next();
            // A label may stand before a closing brace.
            let body =
                if self.is("}") { Statement { node: Do::Nothing, span: begin } } else { self.statement()? };
            return Ok(Statement { node: Do::Label(token.text.clone(), Box::new(body)), span: begin });
        }
        match token.text.as_str() {
            "{" => return self.block(),
            ";" => {
                self.next();
                return done(self, Do::Nothing);
            }
            "if" => {
                self.next();
                let test = self.test()?;
                let yes = self.statement()?;
                let no = if self.take("else") { Some(Box::new(self.statement()?)) } else { None };
                return Ok(Statement { span: begin.to(test.span), node: Do::If(test, Box::new(yes), no) });
            }
            "while" => {
                self.next();
                let test = self.test()?;
                let body = self.statement()?;
                return Ok(Statement { span: begin.to(test.span), node: Do::While(test, Box::new(body)) });
            }
            "do" => {
                self.next();
                let body = self.statement()?;
                self.expect("while")?;
                let test = self.test()?;
                self.expect(";")?;
                return Ok(Statement { node: Do::Repeat(Box::new(body), test), span: begin });
            }
            "for" => return self.for_loop(begin),
            "switch" => {
                self.next();
                let value = self.test()?;
                let body = self.statement()?;
                return Ok(Statement { span: begin.to(value.span), node: Do::Switch(value, Box::new(body)) });
            }
            "case" | "default" => {
                self.next();
                let value = if token.text == "case" { Some(self.conditional()?) } else { None };
                self.expect(":")?;
                let body = if self.is("}") {
                    Statement { node: Do::Nothing, span: begin }
                } else {
                    self.statement()?
                };
                let body = Box::new(body);
                let node = match value {
                    Some(value) => Do::Case(value, body),
                    None => Do::Default(body),
                };
                return Ok(Statement { node, span: begin });
            }
            _ => {}
        }
        let node = match token.text.as_str() {
            "goto" => {
                self.next();
                Do::Goto(self.name()?.0)
            }
            "break" | "continue" => {
                self.next();
                if token.text == "break" { Do::Break } else { Do::Continue }
            }
            "return" => {
                self.next();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                Do::Return(value)
            }
            _ if self.declares() => {
                let specifiers = self.specifiers()?;
                if self.take(";") {
                    return done(self, Do::Nothing);
                }
                let declared = self.declarators(&specifiers)?;
                return done(self, Do::Declare(declared));
            }
            _ => Do::Evaluate(self.expression()?),
        };
        self.expect(";")?;
        done(self, node)
    }

    fn for_loop(&mut self, begin: Span) -> Parsed<Statement> {
        self.next();
        self.expect("(")?;
        let here = self.peek().span;
        let first = if self.take(";") {
            None
        } else if self.declares() {
            let specifiers = self.specifiers()?;
            Some(Box::new(Statement { node: Do::Declare(self.declarators(&specifiers)?), span: here }))
        } else {
            let node = Do::Evaluate(self.expression()?);
            self.expect(";")?;
            Some(Box::new(Statement { node, span: here }))
        };
        let test = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        let end = self.expect(")")?;
        let body = Box::new(self.statement()?);
        Ok(Statement { node: Do::For { first, test, step, body }, span: begin.to(end) })
    }

    /// A condition in parentheses.
    fn test(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let expr = self.expression()?;
        self.expect(")")?;
        Ok(expr)
    }
}

/// The types that headers define.
const TYPES: [(&str, Kind, Option<usize>); 11] = [
    ("size_t", Kind::Natural(32), None),
    ("uint", Kind::Natural(32), Some(4)),
    ("uint8_t", Kind::Natural(8), Some(1)),
    ("uint16_t", Kind::Natural(16), Some(2)),
    ("uint32_t", Kind::Natural(32), Some(4)),
    ("int8_t", Kind::Integer, Some(1)),
    ("int16_t", Kind::Integer, Some(2)),
    ("int32_t", Kind::Integer, Some(4)),
    ("int64_t", Kind::Long, Some(8)),
    ("ssize_t", Kind::Integer, None),
    ("ptrdiff_t", Kind::Integer, None),
];

impl Specifiers {
    /// Sets the kind of an integer type by its words.
    fn sized(&mut self, words: &[&str], span: Span) -> Parsed<()> {
        let count = |word: &str| words.iter().filter(|own| **own == word).count();
        let unsigned = words.iter().any(|word| word.contains("unsigned"));
        if words.is_empty() {
            return Ok(());
        }
        self.bytes = match (count("char"), count("short"), count("long")) {
            (1.., ..) => Some(1),
            (_, 1.., _) => Some(2),
            (.., 2..) => Some(8),
            // As many as an `int`, or more.
            (.., 1) => None,
            _ => Some(4),
        };
        self.kind = match (unsigned, count("char"), count("short"), count("long")) {
            (true, 1.., ..) => Kind::Natural(8),
            (true, _, 1.., _) => Kind::Natural(16),
            (true, .., 2..) => return Err(refused(span, "an unsigned type of 64 bits")),
            (true, ..) => Kind::Natural(32),
            (false, .., 2..) => Kind::Long,
            (false, ..) => Kind::Integer,
        };
        Ok(())
    }
}

/// The value of an expression of constants.
pub(super) fn constant(expr: &Expr, constants: &BTreeMap<String, i64>) -> Parsed<i64> {
    use super::syntax::Binary as B;
    let of = |expr: &Expr| constant(expr, constants);
    let large = || too_large(expr.span);
    Ok(match &expr.node {
        Node::Number(number) => *number,
        Node::Name(name) if constants.contains_key(name) => constants[name],
        Node::Minus(operand) => of(operand)?.checked_neg().ok_or_else(large)?,
        Node::Not(operand) => i64::from(of(operand)? == 0),
        Node::Cast(Kind::Natural(bits), operand) => of(operand)?.rem_euclid(1 << bits),
        Node::Cast(Kind::Truth, operand) => i64::from(of(operand)? != 0),
        Node::Cast(_, operand) => of(operand)?,
        Node::Floored(operand, by) => of(operand)?.div_euclid(*by),
        Node::Modulo(operand, by) => of(operand)?.rem_euclid(*by),
        Node::And(a, b) => i64::from(of(a)? != 0 && of(b)? != 0),
        Node::Or(a, b) => i64::from(of(a)? != 0 || of(b)? != 0),
        Node::Conditional(test, a, b) => {
            if of(test)? != 0 {
                of(a)?
            } else {
                of(b)?
            }
        }
        Node::Binary(operator, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match operator {
                B::Add => a.checked_add(b),
                B::Sub => a.checked_sub(b),
                B::Mul => a.checked_mul(b),
                B::Div => a.checked_div(b),
                B::Rem => a.checked_rem(b),
                B::Less => Some(i64::from(a < b)),
                B::LessEqual => Some(i64::from(a <= b)),
                B::Greater => Some(i64::from(a > b)),
                B::GreaterEqual => Some(i64::from(a >= b)),
                B::Equal => Some(i64::from(a == b)),
                B::Unequal => Some(i64::from(a != b)),
            }
            .ok_or_else(large)?
        }
        _ => {
            return Err(Diagnostic::error(expr.span, "a constant is expected here", "not a constant").into());
        }
    })
}

pub(super) fn too_large(span: Span) -> Box<Diagnostic> {
    Diagnostic::error(span, "this number is too large", "beyond 64 bits").into()
}

/// Whether a word begins a declaration.
fn is_specifier(word: &str) -> bool {
    matches!(
        word,
        "typedef"
            | "static"
            | "extern"
            | "const"
            | "__const"
            | "register"
            | "auto"
            | "inline"
            | "__inline"
            | "__inline__"
            | "signed"
            | "__signed__"
            | "__extension__"
            | "_Noreturn"
            | "int"
            | "long"
            | "short"
            | "char"
            | "void"
            | "_Bool"
            | "enum"
            | "unsigned"
            | "__unsigned__"
            | "float"
            | "double"
            | "struct"
            | "union"
            | "volatile"
            | "__volatile__"
            | "_Atomic"
            | "_Thread_local"
            | "__attribute__"
    ) || word == "bool"
}

/// Whether a word can be no name.
fn is_reserved(word: &str) -> bool {
    (is_specifier(word) && word != "bool")
        || matches!(
            word,
            "if" | "else"
                | "while"
                | "do"
                | "for"
                | "switch"
                | "case"
                | "default"
                | "goto"
                | "break"
                | "continue"
                | "return"
                | "sizeof"
        )
}
