//! The flat model: modules are instantiated, names are resolved, arrays have become their elements.
//!
//! Parameters are passed by name, as in SMV: an argument may be an expression, an array or a whole instance. Everything is
//! declared first and resolved then, because a name may be used before its declaration.

use std::collections::{BTreeMap, HashMap};

use lang::diagnostic::{Diagnostic, nearest};
use lang::syntax::Span;

use super::core::{Binary, Core, Kind, Mentions, Unary, Variable};
use super::parser::Parsed;
use super::syntax::{Definition, Expr, Item, Kind as Written, Logic, Module, Name, Role, Type, When};

/// How many instances, variables and definitions there may be.
const LIMIT: usize = 100_000;

/// The values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Bool,
    /// Numbers, in order; a range has all between its ends.
    Numbers(Vec<i64>),
    Range(i64, i64),
    /// Names, perhaps with numbers among them.
    Symbols(Vec<Value>),
    Word {
        signed: bool,
        width: u32,
    },
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Value {
    Number(i64),
    Symbol(String),
}

/// A variable that is no array.
#[derive(Debug)]
pub(super) struct Declared {
    /// The names of the instances it is in, and its own.
    pub(super) path: Vec<String>,
    /// Where it is in its array, with the ends of each dimension.
    pub(super) position: Vec<(i64, i64, i64)>,
    pub(super) domain: Domain,
    pub(super) role: Role,
    pub(super) span: Span,
}

/// A `DEFINE`.
#[derive(Debug)]
pub(super) struct Defined {
    pub(super) path: Vec<String>,
    pub(super) body: Core,
    pub(super) mentions: Mentions,
    pub(super) span: Span,
}

/// A specification.
#[derive(Debug)]
pub(super) struct Specification {
    pub(super) logic: Logic,
    pub(super) name: Option<String>,
    /// The formula, or why there is none.
    pub(super) body: Result<Core, String>,
    pub(super) span: Span,
}

/// A flat model.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) variables: Vec<Declared>,
    pub(super) defines: Vec<Defined>,
    /// The paths of the processes; the first one is that of `main`. If it is the only one, the model is synchronous.
    pub(super) processes: Vec<(Vec<String>, Span)>,
    pub(super) init: Vec<Core>,
    pub(super) invar: Vec<Core>,
    pub(super) trans: Vec<Core>,
    pub(super) first: BTreeMap<Variable, Core>,
    pub(super) always: BTreeMap<Variable, Core>,
    /// By process.
    pub(super) next: BTreeMap<Variable, BTreeMap<usize, Core>>,
    pub(super) justice: Vec<Core>,
    pub(super) compassion: Vec<(Core, Core)>,
    pub(super) specifications: Vec<Specification>,
}

impl Flat {
    /// What an expression mentions, definitions included.
    pub(super) fn mentions(&self, core: &Core) -> Mentions {
        let mut found = Mentions::default();
        found.add(core, &|define| self.defines[define].mentions.clone());
        found
    }

    /// Whether there are processes.
    pub(super) fn is_asynchronous(&self) -> bool {
        self.processes.len() > 1
    }
}

#[derive(Clone, Debug)]
enum Member {
    Variable(Variable),
    Define(usize),
    Array(i64, Vec<Member>),
    Instance(usize),
}

struct Scope<'a> {
    path: Vec<String>,
    process: usize,
    /// Whether it is a process itself, and not only a part of one.
    is_process: bool,
    members: HashMap<&'a str, Member>,
    parameters: HashMap<&'a str, (&'a Expr, usize)>,
}

enum Resolved {
    Value(Core),
    Array(i64, Vec<Member>),
    Instance(usize),
}

enum Body<'a> {
    Waiting(&'a Expr, usize),
    Busy,
    Done(Defined),
}

struct Builder<'a> {
    modules: HashMap<&'a str, &'a Module>,
    scopes: Vec<Scope<'a>>,
    /// Declarations that are resolved when everything is declared, in order.
    pending: Vec<(usize, &'a Item)>,
    defines: Vec<Body<'a>>,
    constants: HashMap<String, Span>,
    /// Whether all constants are known.
    settled: bool,
    flat: Flat,
}

/// The flat model of some modules, and the formulas of some claims about it.
pub(super) fn flatten(modules: &[Module], claims: &[Expr]) -> Result<(Flat, Vec<Core>), Failed> {
    let mut known = HashMap::new();
    for module in modules {
        if known.insert(module.name.text.as_str(), module).is_some() {
            return Err(error(
                module.name.span,
                format!("there are two modules `{}`", module.name.text),
                "the second",
            )
            .into());
        }
    }
    let Some(main) = known.get("main").copied() else {
        let message = "there is no module `main`";
        return Err(Failed::File(
            Diagnostic::error(Span::default(), message, "nothing to begin with").into(),
        ));
    };
    let mut builder = Builder {
        modules: known,
        scopes: Vec::new(),
        pending: Vec::new(),
        defines: Vec::new(),
        constants: HashMap::new(),
        settled: false,
        flat: Flat::default(),
    };
    builder.flat.processes.push((Vec::new(), main.name.span));
    builder.instantiate(main, Vec::new(), HashMap::new(), 0, true, &mut Vec::new())?;
    for define in 0..builder.defines.len() {
        builder.define(define, Span::default())?;
    }
    builder.settled = true;
    for body in &builder.defines {
        if let Body::Done(defined) = body {
            builder.known_symbols(&defined.body)?;
        }
    }
    for (scope, item) in std::mem::take(&mut builder.pending) {
        builder.item(scope, item)?;
    }
    let mut formulas = Vec::new();
    for (position, claim) in claims.iter().enumerate() {
        formulas.push(builder.value(claim, 0).map_err(|error| Failed::Claim(position, error))?);
    }
    let defines = builder.defines.into_iter().filter_map(|body| match body {
        Body::Done(defined) => Some(defined),
        _ => None,
    });
    builder.flat.defines = defines.collect();
    builder.flat.specifications.sort_by_key(|specification| specification.logic);
    Ok((builder.flat, formulas))
}

/// What could not be read: the file, or a claim about it.
pub(super) enum Failed {
    File(Box<Diagnostic>),
    Claim(usize, Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Failed {
    fn from(diagnostic: Box<Diagnostic>) -> Failed {
        Failed::File(diagnostic)
    }
}

fn error(span: Span, message: impl Into<String>, label: &str) -> Box<Diagnostic> {
    Diagnostic::error(span, message, label).into()
}

impl<'a> Builder<'a> {
    fn instantiate(
        &mut self,
        module: &'a Module,
        path: Vec<String>,
        parameters: HashMap<&'a str, (&'a Expr, usize)>,
        process: usize,
        is_process: bool,
        around: &mut Vec<&'a str>,
    ) -> Parsed<usize> {
        let scope = self.scopes.len();
        if around.contains(&module.name.text.as_str()) {
            return Err(error(
                module.name.span,
                format!("module `{}` contains itself", module.name.text),
                "recursive",
            ));
        }
        if scope > LIMIT || around.len() > 100 {
            return Err(error(module.name.span, "there are too many instances", "at most 100,000"));
        }
        around.push(&module.name.text);
        self.scopes.push(Scope { path, process, is_process, members: HashMap::new(), parameters });
        let mut items = Vec::new();
        self.included(module, &mut items, 0)?;
        for item in &items {
            if let Item::Define(name, definition) = item {
                let member = self.defined(scope, definition)?;
                self.declare(scope, name, member)?;
            }
        }
        for item in items {
            match item {
                Item::Variables(role, declared) => {
                    for (name, kind) in declared {
                        let mut path = self.scopes[scope].path.clone();
                        path.push(name.text.clone());
                        let member = match kind {
                            Type::Instance { process: own, module, arguments } => {
                                let inner = self.instance(scope, path, *own, module, arguments, around)?;
                                Member::Instance(inner)
                            }
                            kind => self.variable(scope, &path, &mut Vec::new(), kind, *role, name.span)?,
                        };
                        self.declare(scope, name, member)?;
                    }
                }
                Item::Define(..) => {}
                Item::Constants(names) => {
                    for name in names {
                        self.constants.insert(name.text.clone(), name.span);
                    }
                }
                _ => self.pending.push((scope, item)),
            }
        }
        around.pop();
        Ok(scope)
    }

    /// The declarations of a module with those of the modules that it includes in their place.
    fn included(&self, module: &'a Module, items: &mut Vec<&'a Item>, depth: usize) -> Parsed<()> {
        for item in &module.items {
            let Item::Isa(name) = item else {
                items.push(item);
                continue;
            };
            let Some(other) = self.modules.get(name.text.as_str()) else {
                return Err(error(name.span, format!("there is no module `{}`", name.text), "unknown"));
            };
            if depth > 50 {
                return Err(error(name.span, format!("module `{}` includes itself", name.text), "recursive"));
            }
            self.included(other, items, depth + 1)?;
        }
        Ok(())
    }

    fn instance(
        &mut self,
        scope: usize,
        path: Vec<String>,
        own: bool,
        module: &'a Name,
        arguments: &'a [Expr],
        around: &mut Vec<&'a str>,
    ) -> Parsed<usize> {
        let Some(found) = self.modules.get(module.text.as_str()).copied() else {
            let message = format!("there is no module `{}`", module.text);
            let near = nearest(&module.text, self.modules.keys().copied()).map(str::to_owned);
            let error = Diagnostic::error(module.span, message, "unknown");
            return Err(near
                .map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?")))
                .into());
        };
        if found.parameters.len() != arguments.len() {
            let message = format!("module `{}` has {} parameters", module.text, found.parameters.len());
            return Err(error(module.span, message, &format!("{} arguments", arguments.len())));
        }
        let names = found.parameters.iter().map(|parameter| parameter.text.as_str());
        let parameters = names.zip(arguments.iter().map(|argument| (argument, scope))).collect();
        let process = if own {
            self.flat.processes.push((path.clone(), module.span));
            self.flat.processes.len() - 1
        } else {
            self.scopes[scope].process
        };
        self.instantiate(found, path, parameters, process, own, around)
    }

    fn declare(&mut self, scope: usize, name: &'a Name, member: Member) -> Parsed<()> {
        let scope = &mut self.scopes[scope];
        if scope.parameters.contains_key(name.text.as_str()) || scope.members.contains_key(name.text.as_str())
        {
            return Err(error(name.span, format!("`{}` is declared twice", name.text), "again"));
        }
        scope.members.insert(&name.text, member);
        Ok(())
    }

    fn defined(&mut self, scope: usize, definition: &'a Definition) -> Parsed<Member> {
        match definition {
            Definition::Value(body) => {
                self.defines.push(Body::Waiting(body, scope));
                Ok(Member::Define(self.defines.len() - 1))
            }
            Definition::Array(parts) => {
                let parts = parts.iter().map(|part| self.defined(scope, part));
                Ok(Member::Array(0, parts.collect::<Parsed<_>>()?))
            }
        }
    }

    fn variable(
        &mut self,
        scope: usize,
        path: &[String],
        position: &mut Vec<(i64, i64, i64)>,
        kind: &'a Type,
        role: Role,
        span: Span,
    ) -> Parsed<Member> {
        if let Type::Array(lo, hi, element) = kind {
            let (lo, hi) = (self.constant(lo, scope)?, self.constant(hi, scope)?);
            if hi < lo || hi - lo > LIMIT as i64 {
                return Err(error(span, format!("this array has indices {lo}..{hi}"), "not a usable range"));
            }
            let mut elements = Vec::new();
            for index in lo..=hi {
                position.push((index, lo, hi));
                elements.push(self.variable(scope, path, position, element, role, span)?);
                position.pop();
            }
            return Ok(Member::Array(lo, elements));
        }
        let domain = self.domain(kind, scope, span)?;
        if self.flat.variables.len() >= LIMIT {
            return Err(error(span, "there are too many variables", "at most 100,000"));
        }
        let (path, position) = (path.to_vec(), position.clone());
        self.flat.variables.push(Declared { path, position, domain, role, span });
        Ok(Member::Variable(self.flat.variables.len() - 1))
    }

    fn domain(&mut self, kind: &'a Type, scope: usize, span: Span) -> Parsed<Domain> {
        match kind {
            Type::Bool => Ok(Domain::Bool),
            Type::Range(lo, hi) => {
                let (lo, hi) = (self.constant(lo, scope)?, self.constant(hi, scope)?);
                if lo > hi {
                    return Err(error(span, format!("the range {lo}..{hi} is empty"), "has no value"));
                }
                Ok(Domain::Range(lo, hi))
            }
            Type::Enumeration(values) => self.enumeration(values, scope, span),
            Type::Word { signed, width } => match self.constant(width, scope)? {
                width @ 1..=32 => Ok(Domain::Word { signed: *signed, width: width as u32 }),
                width => {
                    Err(error(span, format!("words of {width} bits are not supported"), "at most 32 bits"))
                }
            },
            Type::Array(..) | Type::Instance { .. } => {
                Err(error(span, "an array of modules is not supported", "not an array of values"))
            }
        }
    }

    fn enumeration(&mut self, values: &'a [Expr], scope: usize, span: Span) -> Parsed<Domain> {
        let mut found = Vec::new();
        let mut truths = 0;
        for value in values {
            match &value.kind {
                Written::Name(name) if !self.scopes[scope].members.contains_key(name.as_str()) => {
                    self.constants.insert(name.clone(), value.span);
                    found.push(Value::Symbol(name.clone()));
                }
                Written::Bool(_) => truths += 1,
                Written::Range(lo, hi) => {
                    let (lo, hi) = (self.constant(lo, scope)?, self.constant(hi, scope)?);
                    if hi - lo > LIMIT as i64 {
                        return Err(error(span, "this enumeration is too large", "at most 100,000 values"));
                    }
                    found.extend((lo..=hi).map(Value::Number));
                }
                _ => found.push(Value::Number(self.constant(value, scope)?)),
            }
        }
        if truths > 0 && !found.is_empty() {
            return Err(error(span, "truth values and others are mixed", "not supported"));
        }
        found.sort();
        found.dedup();
        let number = |value: &Value| if let Value::Number(number) = value { Some(*number) } else { None };
        if found.is_empty() {
            return Ok(Domain::Bool);
        }
        match found.iter().map(number).collect::<Option<Vec<i64>>>() {
            None => Ok(Domain::Symbols(found)),
            Some(numbers) => {
                let (lo, hi) = (numbers[0], numbers[numbers.len() - 1]);
                Ok(if hi - lo + 1 == numbers.len() as i64 {
                    Domain::Range(lo, hi)
                } else {
                    Domain::Numbers(numbers)
                })
            }
        }
    }

    fn constant(&mut self, expr: &'a Expr, scope: usize) -> Parsed<i64> {
        let core = self.value(expr, scope)?;
        let mut core = &core;
        while let Kind::Define(number) = core.kind {
            match &self.defines[number] {
                Body::Done(defined) => core = &defined.body,
                _ => break,
            }
        }
        // Constants are small, so that the number of values can be computed.
        match core.constant() {
            Some(value) if value.abs() < 1 << 40 => Ok(value),
            _ => Err(error(expr.span, "this is not a constant number", "a constant is needed here")),
        }
    }

    /// Resolves a definition, if that is not done yet.
    fn define(&mut self, number: usize, used: Span) -> Parsed<()> {
        let (body, scope) = match std::mem::replace(&mut self.defines[number], Body::Busy) {
            Body::Waiting(body, scope) => (body, scope),
            Body::Busy => return Err(error(used, "this definition depends on itself", "recursive")),
            done @ Body::Done(_) => {
                self.defines[number] = done;
                return Ok(());
            }
        };
        let core = self.value(body, scope)?;
        let mentions = self.mentions(&core);
        let mut path = self.scopes[scope].path.clone();
        let is_own = |member: &Member| matches!(member, Member::Define(own) if *own == number);
        let name = self.scopes[scope].members.iter().find(|(_, member)| is_own(member));
        path.push(name.map_or("part", |(name, _)| name).to_owned());
        self.defines[number] = Body::Done(Defined { path, body: core, mentions, span: body.span });
        Ok(())
    }

    fn mentions(&self, core: &Core) -> Mentions {
        let mut found = Mentions::default();
        found.add(core, &|define| match &self.defines[define] {
            Body::Done(defined) => defined.mentions.clone(),
            _ => Mentions::default(),
        });
        found
    }

    /// A name or a part of one; `None` if it is a symbol.
    fn lookup(&mut self, name: &str, scope: usize, span: Span) -> Parsed<Option<Resolved>> {
        if let Some((argument, outer)) = self.scopes[scope].parameters.get(name).copied() {
            return self.resolve(argument, outer).map(Some);
        }
        let Some(member) = self.scopes[scope].members.get(name).cloned() else {
            return Ok((name == "running")
                .then(|| Resolved::Value(Core::new(Kind::Running(self.scopes[scope].process), span))));
        };
        self.member(member, span).map(Some)
    }

    fn member(&mut self, member: Member, span: Span) -> Parsed<Resolved> {
        Ok(match member {
            Member::Variable(variable) => Resolved::Value(Core::new(Kind::Read(variable), span)),
            Member::Define(define) => {
                self.define(define, span)?;
                Resolved::Value(Core::new(Kind::Define(define), span))
            }
            Member::Array(lo, parts) => Resolved::Array(lo, parts),
            Member::Instance(scope) => Resolved::Instance(scope),
        })
    }

    fn resolve(&mut self, expr: &'a Expr, scope: usize) -> Parsed<Resolved> {
        let span = expr.span;
        match &expr.kind {
            Written::This => Ok(Resolved::Instance(scope)),
            Written::Name(name) => match self.lookup(name, scope, span)? {
                Some(found) => Ok(found),
                None => Ok(Resolved::Value(Core::new(Kind::Symbol(name.clone()), span))),
            },
            Written::Dot(base, name) => match self.resolve(base, scope)? {
                Resolved::Instance(inner) => {
                    if name == "running" && !self.scopes[inner].is_process {
                        return Err(error(
                            span,
                            "`running` is of processes only",
                            "not an instance of a process",
                        ));
                    }
                    self.lookup(name, inner, span)?.ok_or_else(|| {
                        let near =
                            nearest(name, self.scopes[inner].members.keys().copied()).map(str::to_owned);
                        let error = Diagnostic::error(
                            span,
                            format!("there is no `{name}` in this instance"),
                            "unknown",
                        );
                        near.map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?")))
                            .into()
                    })
                }
                _ => Err(error(span, "this has no parts with a name", "not an instance of a module")),
            },
            Written::Index(base, index) => match self.resolve(base, scope)? {
                Resolved::Array(lo, parts) => {
                    let index = self.value(index, scope)?;
                    self.element(lo, &parts, &index, span)
                }
                Resolved::Value(core) => {
                    let at = self.constant(index, scope)?;
                    Self::bits(core, at, at, span).map(Resolved::Value)
                }
                Resolved::Instance(_) => Err(error(span, "an instance has no elements", "not an array")),
            },
            // An array with `next` around it.
            Written::Later(inner) if matches!(inner.kind, Written::Name(_) | Written::Dot(..)) => {
                match self.resolve(inner, scope)? {
                    Resolved::Value(core) => self.shifted(&core).map(Resolved::Value),
                    _ => Err(error(
                        span,
                        "`next` of a whole array or instance is not supported",
                        "name an element",
                    )),
                }
            }
            _ => self.plain(expr, scope).map(Resolved::Value),
        }
    }

    /// `a[e]`; an index that is not constant selects among all elements.
    fn element(&mut self, lo: i64, parts: &[Member], index: &Core, span: Span) -> Parsed<Resolved> {
        if let Some(at) = self.known(index) {
            let member = usize::try_from(at - lo).ok().and_then(|at| parts.get(at)).cloned();
            let Some(member) = member else {
                let hi = lo + parts.len() as i64 - 1;
                return Err(error(span, format!("the index {at} is outside {lo}..{hi}"), "no such element"));
            };
            return self.member(member, span);
        }
        let mut all = Core::new(Kind::Nothing("the index is outside the array"), span);
        for (at, part) in parts.iter().enumerate().rev() {
            let Resolved::Value(value) = self.member(part.clone(), span)? else {
                return Err(error(
                    span,
                    "only the last index of an array may depend on the state",
                    "not a constant",
                ));
            };
            let number = Core::new(Kind::Int(lo + at as i64), span);
            all = Core::choice(Core::binary(Binary::Eq, index.clone(), number), value, all);
        }
        Ok(Resolved::Value(all))
    }

    /// A constant, also one that a definition gives.
    fn known(&self, core: &Core) -> Option<i64> {
        match &core.kind {
            Kind::Define(number) => match &self.defines[*number] {
                Body::Done(defined) => self.known(&defined.body),
                _ => None,
            },
            _ => core.constant(),
        }
    }

    fn bits(core: Core, high: i64, low: i64, span: Span) -> Parsed<Core> {
        if !(0..=61).contains(&low) || !(low..=61).contains(&high) {
            return Err(error(span, format!("the bits {high}:{low} do not exist"), "not a part of a word"));
        }
        Ok(Core::new(Kind::Bits(Box::new(core), high as u32, low as u32), span))
    }

    fn value(&mut self, expr: &'a Expr, scope: usize) -> Parsed<Core> {
        match self.resolve(expr, scope)? {
            Resolved::Value(core) => {
                if self.settled {
                    self.known_symbol(&core)?;
                }
                Ok(core)
            }
            Resolved::Array(..) => {
                Err(error(expr.span, "a whole array is not a value here", "name an element"))
            }
            Resolved::Instance(_) => Err(error(expr.span, "an instance is not a value", "name a part of it")),
        }
    }

    /// Reports a name that is nothing.
    fn known_symbol(&self, core: &Core) -> Parsed<()> {
        let Kind::Symbol(name) = &core.kind else { return Ok(()) };
        if self.constants.contains_key(name) {
            return Ok(());
        }
        let near = nearest(name, self.constants.keys().map(String::as_str));
        let error = Diagnostic::error(core.span, format!("unknown name `{name}`"), "not declared");
        Err(near.map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?"))).into())
    }

    fn known_symbols(&self, core: &Core) -> Parsed<()> {
        self.known_symbol(core)?;
        core.children().into_iter().try_for_each(|part| self.known_symbols(part))
    }

    fn values(&mut self, parts: &'a [Expr], scope: usize) -> Parsed<Vec<Core>> {
        parts.iter().map(|part| self.value(part, scope)).collect()
    }

    /// An expression that is not a name.
    fn plain(&mut self, expr: &'a Expr, scope: usize) -> Parsed<Core> {
        let span = expr.span;
        let kind = match &expr.kind {
            Written::Bool(truth) => Kind::Bool(*truth),
            Written::Int(value) => Kind::Int(*value),
            Written::Word { signed, width, value } => {
                Kind::Word { signed: *signed, width: *width, value: *value }
            }
            Written::Unary(operator, a) => Kind::Unary(*operator, Box::new(self.value(a, scope)?)),
            Written::Binary(operator, a, b) => {
                Kind::Binary(*operator, Box::new(self.value(a, scope)?), Box::new(self.value(b, scope)?))
            }
            Written::And(parts) => Kind::And(self.values(parts, scope)?),
            Written::Or(parts) => Kind::Or(self.values(parts, scope)?),
            Written::If(c, a, b) => {
                return Ok(Core::choice(self.value(c, scope)?, self.value(a, scope)?, self.value(b, scope)?));
            }
            Written::Case(branches) => {
                let mut all = Core::new(Kind::Nothing("none of the conditions of this case is true"), span);
                for (condition, value) in branches.iter().rev() {
                    let (condition, value) = (self.value(condition, scope)?, self.value(value, scope)?);
                    all = match condition.kind {
                        Kind::Bool(true) => value,
                        _ => Core::choice(condition, value, all),
                    };
                }
                return Ok(Core { span, ..all });
            }
            Written::Set(parts) => Kind::Set(self.values(parts, scope)?),
            Written::Range(lo, hi) => Kind::Range(self.constant(lo, scope)?, self.constant(hi, scope)?),
            Written::Later(inner) => {
                let inner = self.value(inner, scope)?;
                return self.shifted(&inner);
            }
            Written::Call(name, parts) => Kind::Call(name.clone(), self.values(parts, scope)?),
            Written::Bits(base, high, low) => {
                let (high, low) = (self.constant(high, scope)?, self.constant(low, scope)?);
                let base = self.value(base, scope)?;
                return Self::bits(base, high, low, span);
            }
            Written::Bounded(operator, least, most, a) => {
                let a = self.value(a, scope)?;
                return bounded(*operator, *least, *most, &a, span);
            }
            Written::BoundedUntil { all, least, most, hold, reach } => {
                let (hold, reach) = (self.value(hold, scope)?, self.value(reach, scope)?);
                return bounded_until(*all, *least, *most, &hold, &reach, span);
            }
            Written::This | Written::Name(_) | Written::Dot(..) | Written::Index(..) => {
                return self.value(expr, scope);
            }
        };
        Ok(Core::new(kind, span))
    }

    /// An expression about the next state.
    fn shifted(&self, core: &Core) -> Parsed<Core> {
        match &core.kind {
            Kind::Read(variable) => match self.flat.variables[*variable].role {
                Role::State => Ok(Core::new(Kind::Later(*variable), core.span)),
                Role::Frozen => Ok(core.clone()),
                Role::Input => Err(error(core.span, "an input has no next value", "`next` of an IVAR")),
            },
            Kind::Later(_) => Err(error(core.span, "`next` inside `next`", "only one step ahead")),
            Kind::Running(_) => Err(error(core.span, "`running` inside `next`", "only of this step")),
            Kind::Define(number) => match &self.defines[*number] {
                Body::Done(defined) => self.shifted(&defined.body),
                _ => Err(error(core.span, "this definition depends on itself", "recursive")),
            },
            _ => core.rebuilt(&mut |part| self.shifted(part)),
        }
    }

    fn item(&mut self, scope: usize, item: &'a Item) -> Parsed<()> {
        match item {
            Item::Init(condition) => {
                let condition = self.value(condition, scope)?;
                self.flat.init.push(condition);
            }
            Item::Invar(condition) => {
                let condition = self.value(condition, scope)?;
                self.flat.invar.push(condition);
            }
            Item::Trans(condition) => {
                let condition = self.value(condition, scope)?;
                self.flat.trans.push(condition);
            }
            Item::Justice(condition) => {
                let condition = self.value(condition, scope)?;
                self.flat.justice.push(condition);
            }
            Item::Compassion(when, then) => {
                let pair = (self.value(when, scope)?, self.value(then, scope)?);
                self.flat.compassion.push(pair);
            }
            Item::Assign(when, target, value) => self.assignment(scope, *when, target, value)?,
            Item::Specification { logic, name, body, span } => {
                let body = match body {
                    Ok(body) => Ok(self.value(body, scope)?),
                    Err(reason) => Err(reason.clone()),
                };
                let name = name.as_ref().map(|name| {
                    let mut path = self.scopes[scope].path.clone();
                    path.push(name.text.clone());
                    path.join("_")
                });
                self.flat.specifications.push(Specification { logic: *logic, name, body, span: *span });
            }
            Item::Variables(..) | Item::Define(..) | Item::Constants(_) | Item::Isa(_) => {}
        }
        Ok(())
    }

    fn assignment(&mut self, scope: usize, when: When, target: &'a Expr, value: &'a Expr) -> Parsed<()> {
        let Kind::Read(variable) = self.value(target, scope)?.kind else {
            return Err(error(target.span, "only a variable can be assigned", "not a variable"));
        };
        let role = self.flat.variables[variable].role;
        if role == Role::Input || role == Role::Frozen && when != When::First {
            let what = if role == Role::Input { "an input" } else { "a frozen variable" };
            return Err(error(target.span, format!("{what} cannot be assigned so"), "not a state variable"));
        }
        let value = self.value(value, scope)?;
        let process = self.scopes[scope].process;
        let twice = match when {
            When::First => self.flat.first.insert(variable, value).is_some(),
            When::Always => {
                if process != 0 {
                    let message = "a process that assigns the current value of a variable is not supported";
                    return Err(error(target.span, message, "use `next`, or assign it in `main`"));
                }
                self.flat.always.insert(variable, value).is_some()
            }
            When::Next => self.flat.next.entry(variable).or_default().insert(process, value).is_some(),
        };
        let always = self.flat.always.contains_key(&variable);
        let other = self.flat.first.contains_key(&variable) || self.flat.next.contains_key(&variable);
        if twice || always && other {
            return Err(error(target.span, "this variable is assigned twice", "again"));
        }
        Ok(())
    }
}

/// An operator that looks at some of the next or last steps, written out.
fn bounded(operator: Unary, least: u32, most: u32, a: &Core, span: Span) -> Parsed<Core> {
    let (step, every) = match operator {
        Unary::Globally => (Unary::Next, true),
        Unary::Finally => (Unary::Next, false),
        Unary::Historically => (Unary::PreviousIfAny, true),
        Unary::Once => (Unary::Previous, false),
        Unary::AllGlobally => (Unary::AllNext, true),
        Unary::AllFinally => (Unary::AllNext, false),
        Unary::SomeGlobally => (Unary::SomeNext, true),
        _ => (Unary::SomeNext, false),
    };
    check_bounds(least, most, span)?;
    let mut all = a.clone();
    for _ in least..most {
        let parts = vec![a.clone(), Core::unary(step, all)];
        all = Core::new(if every { Kind::And(parts) } else { Kind::Or(parts) }, span);
    }
    Ok((0..least).fold(all, |inner, _| Core::unary(step, inner)))
}

fn bounded_until(all: bool, least: u32, most: u32, hold: &Core, reach: &Core, span: Span) -> Parsed<Core> {
    check_bounds(least, most, span)?;
    let step = if all { Unary::AllNext } else { Unary::SomeNext };
    let on = |inner: Core| Core::new(Kind::And(vec![hold.clone(), Core::unary(step, inner)]), span);
    let mut found = reach.clone();
    for _ in least..most {
        found = Core::new(Kind::Or(vec![reach.clone(), on(found)]), span);
    }
    Ok((0..least).fold(found, |inner, _| on(inner)))
}

fn check_bounds(least: u32, most: u32, span: Span) -> Parsed<()> {
    if least > most || most > 100 {
        return Err(error(
            span,
            format!("the bounds {least} and {most} are not supported"),
            "at most 100 steps",
        ));
    }
    Ok(())
}
