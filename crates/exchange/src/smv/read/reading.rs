//! Translates resolved expressions to our language.
//!
//! A [`Reading`] says what a name stands for: the value of a variable now, what has been determined for its next value, an
//! input, which process runs. Division rounds towards zero. Words are numbers that wrap around; their bits are computed.
//!
//! Where an expression has no value (`Nothing`), the way there must be impossible. That is found out by trying the values
//! of all variables that decide it, if these are few; otherwise it is asserted in the step that evaluates it, and refused elsewhere.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lang::syntax::{Binary as Operator, Expr as Tree, ExprKind, PathUntil, Set, Span, Unary as Prefix};

use super::core::{Binary, Core, Kind, Unary, Variable};
use super::exhaustive::is_impossible;
use super::flat::{Domain, Value};
use super::model::Model;
use super::parser::Parsed;
use super::sorts::Sort;
use crate::text::refused;
use crate::tree::{binary, choice, expr, int, named, unary};

/// The greatest number of bits of a word in an expression. That of a variable has at most 32.
const WIDTH: u32 = 62;

/// What names stand for.
pub(super) struct Reading<'a> {
    pub(super) model: &'a Model<'a>,
    /// What has been determined: next values of state variables, and values of inputs.
    pub(super) later: &'a BTreeMap<Variable, Tree>,
    pub(super) running: Running,
    /// Whether temporal operators may occur.
    pub(super) temporal: bool,
    /// Conditions for the values that were translated, if they can be asserted.
    pub(super) asserted: Option<&'a RefCell<Vec<(Tree, &'static str)>>>,
    /// The conditions under which the part in hand is evaluated.
    path: RefCell<Vec<Core>>,
}

/// What `running` means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Running {
    /// This process runs.
    Process(usize),
    /// It is an event.
    Event,
    /// It is not known.
    Unknown,
}

/// A conjunction or disjunction of any number of parts, as a balanced tree.
pub(super) fn joined(operator: Operator, mut parts: Vec<Tree>, span: Span) -> Tree {
    match parts.len() {
        0 => expr(ExprKind::Bool(operator == Operator::And), span),
        1 => parts.remove(0),
        length => {
            let rest = parts.split_off(length / 2);
            binary(operator, joined(operator, parts, span), joined(operator, rest, span))
        }
    }
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        model: &'a Model<'a>,
        later: &'a BTreeMap<Variable, Tree>,
        running: Running,
    ) -> Reading<'a> {
        Reading { model, later, running, temporal: false, asserted: None, path: RefCell::default() }
    }

    /// An expression of a sort.
    pub(super) fn value(&self, core: &Core, sort: Sort) -> Parsed<Tree> {
        match sort {
            Sort::Bool => self.truth(core),
            Sort::Number => self.number(core),
            Sort::Word { signed, width } => self.word(core, signed, width),
            Sort::Symbol(own) => self.symbol(core, own),
            Sort::Nothing => refused(core.span, "this has no value", "none of its values is known"),
        }
    }

    pub(super) fn conditional(
        &self,
        c: &Core,
        a: &Core,
        b: &Core,
        of: &dyn Fn(&Core) -> Parsed<Tree>,
    ) -> Parsed<Tree> {
        let condition = self.truth(c)?;
        if matches!(b.kind, Kind::Nothing(_)) {
            self.on_path(c.clone().negated(), || self.nothing(b))?;
            return self.on_path(c.clone(), || of(a));
        }
        let yes = self.on_path(c.clone(), || of(a))?;
        let no = self.on_path(c.clone().negated(), || of(b))?;
        Ok(choice(condition, yes, no))
    }

    fn on_path<T>(&self, condition: Core, go: impl FnOnce() -> Parsed<T>) -> Parsed<T> {
        self.path.borrow_mut().push(condition);
        let result = go();
        self.path.borrow_mut().pop();
        result
    }

    /// Sees to it that no evaluation comes here.
    fn nothing(&self, core: &Core) -> Parsed<()> {
        let Kind::Nothing(message) = core.kind else { return Ok(()) };
        let path = self.path.borrow().clone();
        if is_impossible(self.model.flat, &path) {
            return Ok(());
        }
        let Some(asserted) = self.asserted else {
            return refused(core.span, format!("{message}, perhaps"), "not for all values of the variables");
        };
        self.path.borrow_mut().clear();
        let parts: Parsed<Vec<Tree>> = path.iter().map(|part| self.truth(part)).collect();
        *self.path.borrow_mut() = path;
        let never = unary(Prefix::Not, joined(Operator::And, parts?, core.span));
        asserted.borrow_mut().push((never, message));
        Ok(())
    }

    fn read(&self, core: &Core) -> Parsed<Tree> {
        let (variable, later) = match core.kind {
            Kind::Read(variable) => (variable, self.model.is_input(variable)),
            Kind::Later(variable) => (variable, true),
            _ => return refused(core.span, "this is not a variable", "expected a variable"),
        };
        if !later {
            return Ok(Tree { span: core.span, ..self.model.places[variable].clone() });
        }
        match self.later.get(&variable) {
            Some(known) => Ok(Tree { span: core.span, ..known.clone() }),
            None if self.model.is_input(variable) => {
                refused(core.span, "an input has no value here", "an IVAR")
            }
            None => refused(core.span, "the next value of a variable has no meaning here", "`next`"),
        }
    }

    /// The tree of a definition: by its name if it is about the state only.
    fn definition(&self, number: usize, span: Span) -> Option<Tree> {
        self.model.define_names[number].as_ref().map(|name| named(name.clone(), span))
    }

    /// A condition.
    pub(super) fn truth(&self, core: &Core) -> Parsed<Tree> {
        let span = core.span;
        Ok(match &core.kind {
            Kind::Bool(truth) => expr(ExprKind::Bool(*truth), span),
            Kind::Read(_) | Kind::Later(_) if self.model.sorts.of(core) == Sort::Bool => self.read(core)?,
            Kind::Define(define) if self.model.sorts.of(core) == Sort::Bool => {
                match self.definition(*define, span) {
                    Some(name) => name,
                    None => self.truth(&self.model.flat.defines[*define].body)?,
                }
            }
            Kind::Running(process) => match self.running {
                Running::Process(own) => expr(ExprKind::Bool(own == *process), span),
                _ if !self.model.flat.is_asynchronous() => expr(ExprKind::Bool(true), span),
                Running::Event => self.model.taken(*process, span),
                Running::Unknown => return refused(span, "`running` has no meaning here", "only of a step"),
            },
            Kind::Unary(Unary::Not, a) => unary(Prefix::Not, self.truth(a)?),
            Kind::Unary(operator, a) if *operator != Unary::Neg => self.formula(*operator, a, span)?,
            Kind::And(parts) => self.connective(Operator::And, parts, span)?,
            Kind::Or(parts) => self.connective(Operator::Or, parts, span)?,
            Kind::If(c, a, b) => self.conditional(c, a, b, &|part| self.truth(part))?,
            Kind::Nothing(_) => {
                self.nothing(core)?;
                expr(ExprKind::Bool(false), span)
            }
            Kind::Set(parts) if parts.len() == 1 => self.truth(&parts[0])?,
            Kind::Call(name, parts) if name == "bool" && parts.len() == 1 => {
                match self.model.sorts.of(&parts[0]) {
                    Sort::Bool => self.truth(&parts[0])?,
                    sort => binary(Operator::Ne, self.value(&parts[0], sort)?, int(0, span)),
                }
            }
            Kind::Binary(operator, a, b) => self.comparison(*operator, a, b, span)?,
            _ => return refused(span, "a truth value is needed here", "not a truth value"),
        })
    }

    /// `&` or `|`; what comes later is evaluated only if it matters, as in our language.
    fn connective(&self, operator: Operator, parts: &[Core], span: Span) -> Parsed<Tree> {
        let parts: Parsed<Vec<Tree>> = parts.iter().map(|part| self.truth(part)).collect();
        Ok(joined(operator, parts?, span))
    }

    fn formula(&self, operator: Unary, a: &Core, span: Span) -> Parsed<Tree> {
        if !self.temporal {
            return refused(span, "a temporal operator has no meaning here", "not a specification");
        }
        Self::prefixed(operator, self.truth(a)?, span)
    }

    /// A temporal operator with one operand.
    pub(super) fn prefixed(operator: Unary, a: Tree, span: Span) -> Parsed<Tree> {
        let prefix = match operator {
            Unary::Next => Prefix::Next,
            Unary::Globally => Prefix::Globally,
            Unary::Finally => Prefix::Finally,
            Unary::Previous => Prefix::Previous,
            Unary::PreviousIfAny => {
                return Ok(unary(Prefix::Not, unary(Prefix::Previous, unary(Prefix::Not, a))));
            }
            Unary::Historically => Prefix::Historically,
            Unary::Once => Prefix::Once,
            Unary::AllNext => Prefix::AllNext,
            Unary::SomeNext => Prefix::SomeNext,
            Unary::AllFinally => Prefix::AllFinally,
            Unary::SomeFinally => Prefix::SomeFinally,
            Unary::AllGlobally => Prefix::AllGlobally,
            Unary::SomeGlobally => Prefix::SomeGlobally,
            Unary::Not => Prefix::Not,
            Unary::Neg => return refused(span, "a truth value is needed here", "not a truth value"),
        };
        Ok(unary(prefix, a))
    }

    fn comparison(&self, operator: Binary, a: &Core, b: &Core, span: Span) -> Parsed<Tree> {
        let not = |tree: Tree| unary(Prefix::Not, tree);
        let logical = matches!(operator, Binary::Implies | Binary::Iff | Binary::Xor);
        if logical || self.temporal && is_temporal(operator) {
            return Self::infixed(operator, self.truth(a)?, self.truth(b)?, span);
        }
        match operator {
            Binary::Eq | Binary::Ne => {
                let equal = self.equal(a, b)?;
                Ok(if operator == Binary::Eq { equal } else { not(equal) })
            }
            Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => {
                let sort = self.model.sorts.either(&[a, b]);
                if !matches!(sort, Sort::Number | Sort::Word { .. }) {
                    return refused(span, "only numbers have an order", "not numbers");
                }
                let operator = match operator {
                    Binary::Lt => Operator::Lt,
                    Binary::Gt => Operator::Gt,
                    Binary::Le => Operator::Le,
                    _ => Operator::Ge,
                };
                Ok(binary(operator, self.value(a, sort)?, self.value(b, sort)?))
            }
            Binary::In => self.member(a, b),
            _ => refused(span, "this operator has no meaning here", "not a truth value"),
        }
    }

    /// A logical or temporal operator with two operands.
    pub(super) fn infixed(operator: Binary, a: Tree, b: Tree, span: Span) -> Parsed<Tree> {
        let not = |tree: Tree| unary(Prefix::Not, tree);
        let path =
            |until: PathUntil, a: Tree, b: Tree| expr(ExprKind::Path(until, Box::new(a), Box::new(b)), span);
        Ok(match operator {
            Binary::Implies => binary(Operator::Implies, a, b),
            Binary::Iff => binary(Operator::Iff, a, b),
            Binary::Xor => not(binary(Operator::Iff, a, b)),
            Binary::Until => binary(Operator::Until, a, b),
            Binary::Release => binary(Operator::Release, a, b),
            Binary::Since => binary(Operator::Since, a, b),
            Binary::Triggered => not(binary(Operator::Since, not(a), not(b))),
            Binary::AllUntil => path(PathUntil::AllUntil, a, b),
            Binary::SomeUntil => path(PathUntil::SomeUntil, a, b),
            _ => return refused(span, "this operator has no meaning here", "not a truth value"),
        })
    }

    fn equal(&self, a: &Core, b: &Core) -> Parsed<Tree> {
        for (set, other) in [(a, b), (b, a)] {
            if self.model.flat.mentions(set).set {
                return refused(set.span.to(other.span), "a set cannot be compared", "use `in`");
            }
        }
        let sort = self.model.sorts.either(&[a, b]);
        let (a, b) = (self.value(a, sort)?, self.value(b, sort)?);
        Ok(binary(if sort == Sort::Bool { Operator::Iff } else { Operator::Eq }, a, b))
    }

    /// Whether the value of `a` is one of those of `set`.
    pub(super) fn member(&self, a: &Core, set: &Core) -> Parsed<Tree> {
        let span = set.span;
        match &set.kind {
            Kind::Set(parts) => {
                let parts: Parsed<Vec<Tree>> = parts.iter().map(|part| self.member(a, part)).collect();
                Ok(joined(Operator::Or, parts?, span))
            }
            Kind::Range(lo, hi) => {
                let a = self.number(a)?;
                let above = binary(Operator::Le, int(*lo, span), a.clone());
                Ok(binary(Operator::And, above, binary(Operator::Le, a, int(*hi, span))))
            }
            Kind::Binary(Binary::Union, x, y) => {
                Ok(binary(Operator::Or, self.member(a, x)?, self.member(a, y)?))
            }
            Kind::If(c, x, y) => self.conditional(c, x, y, &|part| self.member(a, part)),
            Kind::Define(define) if self.model.flat.defines[*define].mentions.set => {
                self.member(a, &self.model.flat.defines[*define].body)
            }
            Kind::Nothing(_) => {
                self.nothing(set)?;
                Ok(expr(ExprKind::Bool(false), span))
            }
            _ => self.equal(a, set),
        }
    }

    /// A member of an enum.
    fn symbol(&self, core: &Core, own: usize) -> Parsed<Tree> {
        let span = core.span;
        let member = |value: &Value| self.model.member(own, value, span);
        match &core.kind {
            Kind::Symbol(name) => member(&Value::Symbol(name.clone())),
            Kind::Int(value) => member(&Value::Number(*value)),
            Kind::Read(variable) | Kind::Later(variable) => {
                match &self.model.flat.variables[*variable].domain {
                    Domain::Symbols(_) => self.read(core),
                    Domain::Range(lo, hi) if hi - lo < 64 => {
                        let mut all = member(&Value::Number(*hi))?;
                        for value in (*lo..*hi).rev() {
                            let is = binary(Operator::Eq, self.read(core)?, int(value, span));
                            all = choice(is, member(&Value::Number(value))?, all);
                        }
                        Ok(all)
                    }
                    _ => refused(span, "numbers and names are mixed here", "not supported for these numbers"),
                }
            }
            Kind::Define(define) => match (self.definition(*define, span), self.model.sorts.of(core)) {
                (Some(name), Sort::Symbol(_)) => Ok(name),
                _ => self.symbol(&self.model.flat.defines[*define].body, own),
            },
            Kind::If(c, a, b) => self.conditional(c, a, b, &|part| self.symbol(part, own)),
            Kind::Set(parts) if parts.len() == 1 => self.symbol(&parts[0], own),
            Kind::Nothing(_) => {
                self.nothing(core)?;
                member(&self.model.sorts.enums[own][0].clone())
            }
            // A number with few values, each of which is a member.
            _ => match self.model.interval(core) {
                Some((lo, hi)) if hi - lo < 64 && self.model.sorts.of(core) == Sort::Number => {
                    let mut all = member(&Value::Number(hi))?;
                    for value in (lo..hi).rev() {
                        let is = binary(Operator::Eq, self.number(core)?, int(value, span));
                        all = choice(is, member(&Value::Number(value))?, all);
                    }
                    Ok(all)
                }
                _ => refused(span, "a name of an enumeration is needed here", "not such a name"),
            },
        }
    }

    /// A number.
    pub(super) fn number(&self, core: &Core) -> Parsed<Tree> {
        let span = core.span;
        Ok(match &core.kind {
            Kind::Int(value) => int(*value, span),
            Kind::Read(_) | Kind::Later(_) if self.model.sorts.of(core) == Sort::Number => self.read(core)?,
            Kind::Define(define) if self.model.sorts.of(core) == Sort::Number => {
                match self.definition(*define, span) {
                    Some(name) => name,
                    None => self.number(&self.model.flat.defines[*define].body)?,
                }
            }
            Kind::Unary(Unary::Neg, a) => unary(Prefix::Neg, self.number(a)?),
            Kind::Binary(operator, a, b) => {
                let positive = self.model.interval(a).is_some_and(|(lo, _)| lo >= 0);
                arithmetic(*operator, self.number(a)?, self.number(b)?, positive, span)?
            }
            Kind::If(c, a, b) => self.conditional(c, a, b, &|part| self.number(part))?,
            Kind::Set(parts) if parts.len() == 1 => self.number(&parts[0])?,
            Kind::Nothing(_) => {
                self.nothing(core)?;
                int(0, span)
            }
            Kind::Call(name, parts) => self.number_call(name, parts, span)?,
            _ => return refused(span, "a number is needed here", "not a number"),
        })
    }

    fn number_call(&self, name: &str, parts: &[Core], span: Span) -> Parsed<Tree> {
        let numbers = || parts.iter().map(|part| self.number(part)).collect::<Parsed<Vec<Tree>>>();
        Ok(match (name, parts.len()) {
            ("count", 1..) => {
                let mut all = None;
                for part in parts {
                    let one = choice(self.truth(part)?, int(1, span), int(0, span));
                    all = Some(all.map_or(one.clone(), |so_far| binary(Operator::Add, so_far, one)));
                }
                all.unwrap_or(int(0, span))
            }
            ("min", 2) => expr(ExprKind::Min(numbers()?), span),
            ("max", 2) => expr(ExprKind::Max(numbers()?), span),
            ("abs", 1) => {
                let a = self.number(&parts[0])?;
                expr(ExprKind::Max(vec![a.clone(), unary(Prefix::Neg, a)]), span)
            }
            ("toint", 1) => match self.model.sorts.of(&parts[0]) {
                Sort::Bool => choice(self.truth(&parts[0])?, int(1, span), int(0, span)),
                sort => self.value(&parts[0], sort)?,
            },
            ("sizeof", 1) => match self.model.sorts.of(&parts[0]) {
                Sort::Word { width, .. } => int(i64::from(width), span),
                _ => return refused(span, "`sizeof` is of words", "not a word"),
            },
            _ => return refused(span, format!("`{name}` has no number here"), "not a number"),
        })
    }

    /// A word: a number of its range.
    fn word(&self, core: &Core, signed: bool, width: u32) -> Parsed<Tree> {
        let span = core.span;
        let of = |part: &Core| self.word(part, signed, width);
        let own = self.model.sorts.of(core);
        if !matches!(own, Sort::Word { .. } | Sort::Nothing)
            || own == Sort::Nothing && !matches!(core.kind, Kind::Nothing(_))
        {
            return refused(span, "a word is needed here", "not a word");
        }
        if let Sort::Word { signed: s, width: w } = own
            && (s, w) != (signed, width)
        {
            let message = format!("a word of {width} bits is needed here");
            return refused(span, message, &format!("has {w} bits, or another sign"));
        }
        if !(1..=WIDTH).contains(&width) {
            let message = format!("words of {width} bits are not supported");
            return refused(span, message, &format!("at most {WIDTH} bits"));
        }
        let wrapped = |tree: Tree| wrap(tree, signed, width, span);
        Ok(match &core.kind {
            Kind::Word { value, .. } => int(*value, span),
            Kind::Read(_) | Kind::Later(_) => self.read(core)?,
            Kind::Define(define) => match self.definition(*define, span) {
                Some(name) => name,
                None => of(&self.model.flat.defines[*define].body)?,
            },
            Kind::If(c, a, b) => self.conditional(c, a, b, &of)?,
            Kind::Set(parts) if parts.len() == 1 => of(&parts[0])?,
            Kind::Nothing(_) => {
                self.nothing(core)?;
                int(0, span)
            }
            Kind::Unary(Unary::Neg, a) => wrapped(unary(Prefix::Neg, of(a)?)),
            // All bits turned round.
            Kind::Unary(Unary::Not, a) => {
                let top = if signed { -1 } else { (1i64 << width) - 1 };
                binary(Operator::Sub, int(top, span), of(a)?)
            }
            // The product may need 64 bits, so the first operand is multiplied in two halves.
            Kind::Binary(Binary::Mul, a, b) if !signed && width == 32 => {
                let (a, b, half) = (of(a)?, of(b)?, int(1 << 16, span));
                let high = binary(Operator::Mul, binary(Operator::Div, a.clone(), half.clone()), b.clone());
                let high = binary(Operator::Mul, binary(Operator::Mod, high, half.clone()), half.clone());
                let low = binary(Operator::Mul, binary(Operator::Mod, a, half), b);
                wrapped(binary(Operator::Add, high, low))
            }
            Kind::Binary(
                operator @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod),
                a,
                b,
            ) => wrapped(arithmetic(*operator, of(a)?, of(b)?, !signed, span)?),
            Kind::Binary(operator @ (Binary::Shl | Binary::Shr), a, b) => {
                let left = *operator == Binary::Shl;
                self.shift(left, &of(a)?, b, (signed, width))?
            }
            Kind::And(parts) => {
                self.bitwise(parts, signed, width, span, &|bits| joined(Operator::And, bits, span))?
            }
            Kind::Or(parts) => {
                self.bitwise(parts, signed, width, span, &|bits| joined(Operator::Or, bits, span))?
            }
            Kind::Binary(operator @ (Binary::Xor | Binary::Iff), a, b) => {
                let parts = [(**a).clone(), (**b).clone()];
                self.bitwise(&parts, signed, width, span, &|mut bits| {
                    let second = bits.remove(1);
                    let same = binary(Operator::Iff, bits.remove(0), second);
                    if *operator == Binary::Iff { same } else { unary(Prefix::Not, same) }
                })?
            }
            Kind::Binary(Binary::Concat, a, b) => {
                let (high, low) = (self.unsigned(a)?, self.unsigned(b)?);
                let Sort::Word { width: below, .. } = self.model.sorts.of(b) else {
                    return refused(b.span, "a word is needed here", "not a word");
                };
                binary(Operator::Add, binary(Operator::Mul, high, int(1i64 << below, span)), low)
            }
            Kind::Bits(a, high, low) => {
                let Sort::Word { width: all, .. } = self.model.sorts.of(a) else {
                    return refused(a.span, "a word is needed here", "not a word");
                };
                if *high >= all {
                    return refused(
                        span,
                        format!("a word of {all} bits has no bit {high}"),
                        "outside the word",
                    );
                }
                let shifted = binary(Operator::Div, self.unsigned(a)?, int(1i64 << low, span));
                binary(Operator::Mod, shifted, int(1i64 << (high - low + 1), span))
            }
            Kind::Call(name, parts) => self.word_call(name, parts, signed, width, span)?,
            _ => return refused(span, "a word is needed here", "not a word"),
        })
    }

    /// A word whose bits are moved by a number. Where that is not constant, by each that it may be.
    fn shift(&self, left: bool, word: &Tree, by: &Core, (signed, width): (bool, u32)) -> Parsed<Tree> {
        let span = by.span;
        let sort = self.model.sorts.of(by);
        let (least, most) = match (by.constant(), sort) {
            (Some(constant), _) => (constant, constant),
            (None, Sort::Word { signed: false, width }) => (0, (1i64 << width.min(40)) - 1),
            _ => self.model.interval(by).unwrap_or((-1, -1)),
        };
        if least < 0 || most > i64::from(width) {
            let label = if least < 0 { "may be negative" } else { "too far" };
            return refused(span, format!("a word of {width} bits is shifted by 0 to {width}"), label);
        }
        let moved = |by: i64| {
            if !left {
                // Our division of a number by a positive one rounds down, as a shift does.
                return binary(Operator::Div, word.clone(), int(1i64 << by, span));
            }
            let kept = binary(Operator::Mod, word.clone(), int(1i64 << (i64::from(width) - by), span));
            let moved = binary(Operator::Mul, kept, int(1i64 << by, span));
            if signed { wrap(moved, true, width, span) } else { moved }
        };
        let mut all = moved(most);
        if least < most {
            let number = self.value(by, sort)?;
            for by in (least..most).rev() {
                let is = binary(Operator::Eq, number.clone(), int(by, span));
                all = choice(is, moved(by), all);
            }
        }
        Ok(all)
    }

    fn word_call(&self, name: &str, parts: &[Core], signed: bool, width: u32, span: Span) -> Parsed<Tree> {
        let Some(first) = parts.first() else { return refused(span, "an argument is missing", "none") };
        Ok(match name {
            "word1" => choice(self.truth(first)?, int(1, span), int(0, span)),
            "uwconst" | "swconst" => match first.constant() {
                Some(value) => wrap(int(value, span), signed, width, span),
                None => return refused(first.span, "this is not a constant", "a constant is needed"),
            },
            "signed" | "unsigned" => {
                wrap(self.value(first, self.model.sorts.of(first))?, signed, width, span)
            }
            // A sign is kept, so the number is.
            "extend" => self.value(first, self.model.sorts.of(first))?,
            "resize" => {
                let sort = self.model.sorts.of(first);
                let number = self.value(first, sort)?;
                match sort {
                    // A signed word keeps its sign, and of the other bits the last ones.
                    Sort::Word { signed: true, width: all } if width < all => {
                        let half = 1i64 << (width - 1);
                        let rest = binary(Operator::Mod, number.clone(), int(half, span));
                        let below = binary(Operator::Sub, rest.clone(), int(half, span));
                        choice(binary(Operator::Lt, number, int(0, span)), below, rest)
                    }
                    _ => wrap(number, signed, width, span),
                }
            }
            _ => return refused(span, format!("`{name}` has no word here"), "not a word"),
        })
    }

    /// A word as a number without a sign.
    fn unsigned(&self, core: &Core) -> Parsed<Tree> {
        let sort = self.model.sorts.of(core);
        let tree = self.value(core, sort)?;
        match sort {
            Sort::Word { signed: true, width } => {
                Ok(binary(Operator::Mod, tree, int(1i64 << width, core.span)))
            }
            Sort::Word { .. } => Ok(tree),
            _ => refused(core.span, "a word is needed here", "not a word"),
        }
    }

    /// An operation on each bit.
    fn bitwise(
        &self,
        parts: &[Core],
        signed: bool,
        width: u32,
        span: Span,
        of: &dyn Fn(Vec<Tree>) -> Tree,
    ) -> Parsed<Tree> {
        let words: Parsed<Vec<Tree>> = parts.iter().map(|part| self.unsigned(part)).collect();
        let words = words?;
        let mut sum = int(0, span);
        for bit in 0..width {
            let is_set = |word: &Tree| {
                let shifted = binary(Operator::Div, word.clone(), int(1i64 << bit, span));
                binary(Operator::Eq, binary(Operator::Mod, shifted, int(2, span)), int(1, span))
            };
            let value = choice(of(words.iter().map(is_set).collect()), int(1i64 << bit, span), int(0, span));
            sum = binary(Operator::Add, sum, value);
        }
        Ok(if signed { wrap(sum, true, width, span) } else { sum })
    }

    /// Whether a tree of the variable's sort is one of its values. `None` if it always is.
    pub(super) fn fits(&self, variable: Variable, tree: &Tree, from: &Core) -> Option<Tree> {
        let span = from.span;
        let numbers = |lo: i64, hi: i64| {
            let above = binary(Operator::Le, int(lo, span), tree.clone());
            binary(Operator::And, above, binary(Operator::Le, tree.clone(), int(hi, span)))
        };
        let listed = |values: Vec<Tree>| {
            expr(ExprKind::In(Box::new(tree.clone()), Box::new(Set::Listed(values, span))), span)
        };
        match &self.model.flat.variables[variable].domain {
            Domain::Bool | Domain::Word { .. } => None,
            Domain::Range(lo, hi) => {
                let inside = self.model.interval(from).is_some_and(|(low, high)| *lo <= low && high <= *hi);
                (!inside).then(|| numbers(*lo, *hi))
            }
            Domain::Numbers(values) => Some(listed(values.iter().map(|value| int(*value, span)).collect())),
            Domain::Symbols(values) => {
                let Sort::Symbol(own) = self.model.sorts.variable(variable) else { return None };
                let all = self.model.sorts.enums[own].len();
                let possible = self.model.possible(from);
                let inside = values.len() == all
                    || possible.is_some_and(|possible| possible.iter().all(|value| values.contains(value)));
                let members = values.iter().filter_map(|value| self.model.member(own, value, span).ok());
                (!inside).then(|| listed(members.collect()))
            }
        }
    }
}

/// An operation on numbers; whether the first one is known not to be negative.
fn arithmetic(operator: Binary, a: Tree, b: Tree, positive: bool, span: Span) -> Parsed<Tree> {
    let neg = |tree: Tree| unary(Prefix::Neg, tree);
    // Towards zero. Our operators round so for numbers that are not negative.
    let towards_zero = |operator: Operator, a: Tree, b: Tree| {
        if positive {
            return binary(operator, a, b);
        }
        let above = binary(Operator::Ge, a.clone(), int(0, span));
        let below = neg(binary(operator, neg(a.clone()), b.clone()));
        choice(above, binary(operator, a, b), below)
    };
    Ok(match operator {
        Binary::Add => binary(Operator::Add, a, b),
        Binary::Sub => binary(Operator::Sub, a, b),
        Binary::Mul => binary(Operator::Mul, a, b),
        Binary::Div => towards_zero(Operator::Div, a, b),
        Binary::Mod => towards_zero(Operator::Mod, a, b),
        _ => return refused(span, "this operator has no meaning for numbers", "not a number"),
    })
}

/// A number as the word with the same last bits.
fn wrap(tree: Tree, signed: bool, width: u32, span: Span) -> Tree {
    let size = int(1i64 << width, span);
    if !signed {
        return binary(Operator::Mod, tree, size);
    }
    let half = 1i64 << (width - 1);
    let moved = binary(Operator::Mod, binary(Operator::Add, tree, int(half, span)), size);
    binary(Operator::Sub, moved, int(half, span))
}

/// Whether an operator with two operands is temporal.
pub(super) fn is_temporal(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Until
            | Binary::Release
            | Binary::Since
            | Binary::Triggered
            | Binary::AllUntil
            | Binary::SomeUntil
    )
}
