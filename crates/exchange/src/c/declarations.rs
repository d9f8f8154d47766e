//! Parses the variables of a declaration: arrays, structures and pointers, and the values they begin with.
//!
//! A list of values becomes a list of parts with a value each, `[1].x`, whatever braces were left out or fields named. A
//! pointer is parsed and kept; whether its value can be used is known only where it is lowered.

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::lexer::{Kind as Lexeme, refused};
use super::operands::character;
use super::parser::{Parser, Specifiers};
use super::syntax::{Declaration, Expr, Kind, Node};

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Limit on the elements of an array.
const ELEMENTS: usize = 64;

/// A list of initial values.
enum Initial {
    Value(Expr),
    /// Values, perhaps with the fields that they are for.
    List(Vec<(Option<String>, Initial)>, Span),
}

impl Parser<'_> {
    /// The names of a declaration with their values, up to its semicolon.
    pub(super) fn declarators(&mut self, specifiers: &Specifiers) -> Parsed<Vec<Declaration>> {
        let mut declared = Vec::new();
        loop {
            let stars = self.pointers() + usize::from(specifiers.is_pointer);
            if self.is("(") {
                return Err(refused(self.peek().span, "a pointer to a function"));
            }
            let (name, span) = self.name()?;
            self.attributes()?;
            if self.is("(") {
                // The prototype of a function.
                self.parameters()?;
                self.attributes()?;
            } else if specifiers.is_typedef {
                if self.is("[") {
                    return Err(refused(self.peek().span, "a name for a type of arrays"));
                }
                let kind = if stars > 1 { Kind::Other } else { specifiers.kind };
                self.types.insert(name, (kind, specifiers.bytes, stars > 0));
            } else {
                let one = self.variable(name, span, specifiers, stars)?;
                declared.push(one);
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(declared)
    }

    /// A variable that is declared, after its name.
    fn variable(
        &mut self,
        name: String,
        span: Span,
        specifiers: &Specifiers,
        stars: usize,
    ) -> Parsed<Declaration> {
        let mut declared = Declaration {
            name,
            kind: if stars > 1 { Kind::Other } else { specifiers.kind },
            bytes: specifiers.bytes,
            is_pointer: stars > 0,
            value: None,
            sizes: Vec::new(),
            values: None,
            lasting: specifiers.is_static,
            elsewhere: specifiers.is_extern,
            span,
        };
        let mut first_is_open = false;
        while self.take("[") {
            if self.is("]") && declared.sizes.is_empty() && !first_is_open {
                first_is_open = true;
            } else {
                let written = self.conditional()?;
                declared.sizes.push(self.array_size(&written)?);
            }
            self.expect("]")?;
        }
        let is_array = first_is_open || !declared.sizes.is_empty();
        if is_array && stars > 0 {
            // It cannot be used.
            (declared.kind, declared.is_pointer, declared.sizes) = (Kind::Other, true, Vec::new());
            return Ok(Declaration { value: self.skipped()?, ..declared });
        }
        if declared.kind == Kind::Void && stars == 0 {
            return Err(Diagnostic::error(span, "a variable cannot be `void`", "declared here").into());
        }
        self.attributes()?;
        self.few_parts(&declared)?;
        let is_list = is_array || matches!(declared.kind, Kind::Structure(_)) && stars == 0;
        if !self.take("=") {
            if first_is_open {
                return Err(Diagnostic::error(span, "this array has no proper size", "not known").into());
            }
            return Ok(declared);
        }
        if declared.sizes.len() + usize::from(first_is_open) == 1
            && !matches!(declared.kind, Kind::Structure(_))
            && let Some(values) = self.characters()?
        {
            if first_is_open {
                declared.sizes.push(values.len());
                self.few_parts(&declared)?;
            }
            // The zero at the end may be left out, if there is no place for it.
            let places = declared.sizes[0];
            if values.len() > places + 1 {
                let message = "these are more values than there are parts";
                return Err(Diagnostic::error(span, message, "too many").into());
            }
            let placed = values.into_iter().take(places).enumerate();
            declared.values = Some(placed.map(|(at, value)| (format!("[{at}]"), value)).collect());
            return Ok(declared);
        }
        if !is_list || !self.is("{") {
            if is_array {
                return Err(refused(self.peek().span, "such a value of an array"));
            }
            if self.is("{") {
                return Err(refused(self.peek().span, "a list of values for a single one"));
            }
            declared.value = Some(self.assignment()?);
            return Ok(declared);
        }
        let initial = self.initial()?;
        if first_is_open {
            let count = if let Initial::List(items, _) = &initial { items.len() } else { 0 };
            declared.sizes.insert(0, count);
            self.few_parts(&declared)?;
        }
        let mut values = Vec::new();
        self.placed("", declared.kind, &declared.sizes, initial, &mut values)?;
        declared.values = Some(values);
        Ok(declared)
    }

    /// The characters of a text, with the zero at its end.
    fn characters(&mut self) -> Parsed<Option<Vec<Expr>>> {
        let token = self.peek();
        if token.kind != Lexeme::Text || !token.text.starts_with('"') || self.ahead(1).kind == Lexeme::Text {
            return Ok(None);
        }
        self.next();
        let mut rest = &token.text[1..token.text.len() - 1];
        let mut values = Vec::new();
        while let Some(first) = rest.chars().next() {
            let length = match rest.strip_prefix('\\') {
                Some(escaped) if escaped.starts_with('x') => {
                    2 + escaped[1..].chars().take_while(char::is_ascii_hexdigit).count()
                }
                Some(escaped) if escaped.starts_with(|c: char| c.is_digit(8)) => {
                    1 + escaped.chars().take(3).take_while(|c| c.is_digit(8)).count()
                }
                Some(escaped) => 1 + escaped.chars().next().map_or(0, char::len_utf8),
                None => first.len_utf8(),
            };
            let value = character(&rest[..length]).ok_or_else(|| refused(token.span, "this character"))?;
            values.push(value);
            rest = &rest[length..];
        }
        let number = |value: i64| Expr { node: Node::Number(value), span: token.span };
        Ok(Some(values.into_iter().chain([0]).map(number).collect()))
    }

    /// Skips the value of something that cannot be used.
    fn skipped(&mut self) -> Parsed<Option<Expr>> {
        if self.take("=") {
            if self.is("{") {
                self.initial()?;
            } else {
                self.assignment()?;
            }
        }
        Ok(None)
    }

    fn array_size(&self, written: &Expr) -> Parsed<usize> {
        let number = self.constant(written)?;
        let size = usize::try_from(number).ok().filter(|size| (1..=ELEMENTS).contains(size));
        size.ok_or_else(|| {
            refused(written.span, &format!("an array without elements or with more than {ELEMENTS}"))
        })
    }

    /// Refuses a variable with very many parts.
    fn few_parts(&self, declared: &Declaration) -> Parsed<()> {
        let parts = |sizes: &[usize]| sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
        let leaves = self.unit.leaves(declared.kind, &declared.sizes);
        if leaves.iter().any(|leaf| parts(&leaf.sizes).is_none_or(|all| all == 0 || all > ELEMENTS)) {
            let what = format!("an array without elements or with more than {ELEMENTS}");
            return Err(refused(declared.span, &what));
        }
        Ok(())
    }

    /// A value, or a list of them in braces.
    fn initial(&mut self) -> Parsed<Initial> {
        if !self.is("{") {
            return Ok(Initial::Value(self.assignment()?));
        }
        let begin = self.next().span;
        let mut items = Vec::new();
        while !self.is("}") {
            let mut field = None;
            if self.take(".") {
                field = Some(self.name()?.0);
                self.expect("=")?;
            } else if self.is("[") {
                return Err(refused(self.peek().span, "a value for a numbered element"));
            }
            let value = self.deeper(Parser::initial)?;
            items.push((field, value));
            if !self.take(",") {
                break;
            }
        }
        let end = self.expect("}")?;
        Ok(Initial::List(items, begin.to(end)))
    }

    /// Adds the values of a list with the parts that they are for.
    fn placed(
        &self,
        path: &str,
        kind: Kind,
        sizes: &[usize],
        initial: Initial,
        values: &mut Vec<(String, Expr)>,
    ) -> Parsed<()> {
        let parts: Vec<(String, Kind, Vec<usize>)> = match (sizes, kind) {
            ([first, rest @ ..], _) => {
                (0..*first).map(|number| (format!("[{number}]"), kind, rest.to_vec())).collect()
            }
            ([], Kind::Structure(number)) => {
                let fields = self.unit.structures[number].fields.iter();
                fields.map(|field| (format!(".{}", field.name), field.kind, field.sizes.clone())).collect()
            }
            ([], _) => Vec::new(),
        };
        let (items, span) = match initial {
            Initial::Value(value) if parts.is_empty() => {
                values.push((path.to_owned(), value));
                return Ok(());
            }
            Initial::Value(value) => return Err(refused(value.span, "such a value")),
            // `{ 3 }` for a single value.
            Initial::List(mut items, span) if parts.is_empty() => match (items.pop(), items.pop()) {
                (Some((None, Initial::Value(value))), None) => {
                    values.push((path.to_owned(), value));
                    return Ok(());
                }
                _ => return Err(refused(span, "such a list of values")),
            },
            Initial::List(items, span) => (items, span),
        };
        let many =
            || Diagnostic::error(span, "these are more values than there are parts", "too many").into();
        let is_flat = items.iter().all(|(field, item)| field.is_none() && matches!(item, Initial::Value(_)));
        let is_deep =
            parts.iter().any(|(_, kind, sizes)| !sizes.is_empty() || matches!(kind, Kind::Structure(_)));
        if is_flat && is_deep {
            // Without inner braces the values are for the smallest parts, one after the other.
            let mut leaves = Vec::new();
            for (part, kind, sizes) in &parts {
                self.smallest(&format!("{path}{part}"), *kind, sizes, &mut leaves);
            }
            if items.len() > leaves.len() {
                return Err(many());
            }
            for (leaf, (_, item)) in leaves.into_iter().zip(items) {
                if let Initial::Value(value) = item {
                    values.push((leaf, value));
                }
            }
            return Ok(());
        }
        let mut next = 0;
        for (field, item) in items {
            if let Some(field) = field {
                let named = format!(".{field}");
                let found = parts.iter().position(|(part, ..)| *part == named);
                next = found
                    .ok_or_else(|| refused(span, &format!("the field `{field}`, which is not there,")))?;
            }
            let Some((part, kind, sizes)) = parts.get(next) else { return Err(many()) };
            let path = format!("{path}{part}");
            if values.iter().any(|(known, _)| known.starts_with(&path)) {
                return Err(refused(span, "a list with two values for one part"));
            }
            self.placed(&path, *kind, sizes, item, values)?;
            next += 1;
        }
        Ok(())
    }

    /// The smallest parts of a part of a variable, in order.
    fn smallest(&self, path: &str, kind: Kind, sizes: &[usize], found: &mut Vec<String>) {
        match (sizes, kind) {
            ([first, rest @ ..], _) => {
                (0..*first).for_each(|number| self.smallest(&format!("{path}[{number}]"), kind, rest, found));
            }
            ([], Kind::Structure(number)) => {
                for field in &self.unit.structures[number].fields {
                    self.smallest(&format!("{path}.{}", field.name), field.kind, &field.sizes, found);
                }
            }
            ([], _) => found.push(path.to_owned()),
        }
    }
}
