//! Reads models of `NuSMV`, as far as they are finite: the language of version 2.6.
//!
//! A file is parsed (`parser`, `formulas`), its modules are instantiated (`flat`), its names get types (`sorts`) and names of
//! our language (`model`), and its steps become one action per process (`step`). A synchronous model has one process,
//! `main`. A file with `process` has one for each of them and one for `main`, as in `NuSMV`, where `main` may always run too.
//!
//! **Runs.** `NuSMV` considers infinite runs only: a run that comes to a state without a successor is none. In our
//! semantics such a state is repeated for ever. So a model that may get stuck is checked under `justice
//! (!deadlock)`, which leaves out exactly these runs, and the invariant `total` says whether there are any.
//!
//! **Initial states.** `NuSMV` judges a CTL formula only in initial states where a fair run begins. So under any fairness
//! the claim is `EG true -> formula`.
//!
//! **Fairness** (`fairness` below). JUSTICE and COMPASSION apply to every specification, but `NuSMV` checks CTL without COMPASSION, and so do we;
//! a warning says so.

mod core;
mod exhaustive;
mod flat;
mod formulas;
mod model;
mod parser;
mod psl;
mod reading;
mod sorts;
mod step;
mod syntax;

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{
    Binary as Operator, Binder, Comments, Event, Expr as Tree, ExprKind, Fair, FairKind, File, Item,
    ItemKind, Label, Member, MemberKind, Members, Party, Process, Set, Span, Unary as Prefix,
};

use self::core::{Core, Variable};
use self::flat::{Domain, Failed, flatten};
use self::model::{Model, plain};
use self::parser::Parsed;
use self::reading::{Reading, Running, joined};
use self::syntax::{Logic, Role};
use crate::import::{Claim, Refused, Translated};
use crate::text::refused;
use crate::tree::{binary, choice, declaration, expr, int, name, named, range, unary};

/// How many actions the values of inputs that a specification mentions may make.
const INPUTS: u64 = 1000;

/// Translates a file, and claims about it.
pub(crate) fn translate(text: &str, claims: &[Claim]) -> Result<Translated, Refused> {
    let modules = parser::file(text)?;
    let texts = claims.iter().map(|claim| match claim {
        Claim::Safety(text) | Claim::Ctl(text) | Claim::Ltl(text) => text,
    });
    let mut parsed = Vec::new();
    for (position, text) in texts.enumerate() {
        parsed.push(parser::formula(text).map_err(|error| Refused::Claim(position, error))?);
    }
    let (flat, asked) = flatten(&modules, &parsed).map_err(|failed| match failed {
        Failed::File(error) => Refused::File(error),
        Failed::Claim(position, error) => Refused::Claim(position, error),
    })?;
    let model = Model::new(&flat, &asked);
    Translation::new(&model, &asked)?.file(claims, &asked)
}

struct Translation<'a> {
    model: &'a Model<'a>,
    /// The inputs that specifications or fairness mention; they are parameters of the step.
    inputs: Vec<Variable>,
}

impl<'a> Translation<'a> {
    fn new(model: &'a Model<'a>, asked: &[Core]) -> Parsed<Translation<'a>> {
        let flat = model.flat;
        let mut inputs = BTreeSet::new();
        let formulas = flat.specifications.iter().filter_map(|own| own.body.as_ref().ok());
        let pairs = flat.compassion.iter().flat_map(|(a, b)| [a, b]);
        for formula in formulas.chain(&flat.justice).chain(pairs).chain(asked) {
            let mentioned = flat.mentions(formula).now;
            inputs.extend(mentioned.into_iter().filter(|variable| model.is_input(*variable)));
        }
        let inputs: Vec<Variable> = inputs.into_iter().collect();
        let values = inputs.iter().map(|input| count(&flat.variables[*input].domain));
        if values.fold(1u64, u64::saturating_mul) > INPUTS {
            let span = flat.variables[inputs[0]].span;
            return refused(
                span,
                format!("specifications mention inputs with more than {INPUTS} combinations"),
                "an IVAR",
            );
        }
        Ok(Translation { model, inputs })
    }

    fn file(&self, claims: &[Claim], asked: &[Core]) -> Result<Translated, Refused> {
        let mut items = self.model.declarations()?;
        items.extend(self.initial()?);
        let (processes, waits) = self.processes()?;
        items.extend(processes);
        let (fairness, is_fair) = self.fairness(waits)?;
        items.extend(fairness);
        let mut warnings = Vec::new();
        items.extend(self.specifications(is_fair, &mut warnings)?);
        for (position, (claim, formula)) in claims.iter().zip(asked).enumerate() {
            let (word, logic) = match claim {
                Claim::Safety(_) => ("safety", Logic::Invariant),
                Claim::Ctl(_) => ("ctl", Logic::Ctl),
                Claim::Ltl(_) => ("ltl", Logic::Ltl),
            };
            let called = if claims.len() == 1 { word.to_owned() } else { format!("{word}_{}", position + 1) };
            let formula = match claim {
                Claim::Safety(_) => formula.clone().negated(),
                _ => formula.clone(),
            };
            let item = self.specification(logic, called, &formula, is_fair, Span::default());
            items.push(item.map_err(|error| Refused::Claim(position, error))?);
        }
        let span = Span::default();
        if waits {
            let body = unary(Prefix::Not, expr(ExprKind::Deadlock, span));
            let kind = ItemKind::Invariant {
                name: name("total", span),
                family: Members::default(),
                body,
                expect: None,
            };
            items.push(declaration(kind, span));
        }
        Ok(Translated {
            file: File { items, trailing: Vec::new() },
            automata: Vec::new(),
            warnings,
            implied: Vec::new(),
        })
    }

    /// The conditions on initial states, those on variables that come first before others.
    fn initial(&self) -> Parsed<Vec<Item>> {
        let (model, flat, none) = (self.model, self.model.flat, BTreeMap::new());
        let reading = Reading::new(model, &none, Running::Unknown);
        let mut conditions: Vec<(Option<Variable>, Tree)> = Vec::new();
        for (variable, declared) in flat.variables.iter().enumerate() {
            if declared.role == Role::Input {
                continue;
            }
            let own = Core::new(core::Kind::Read(variable), declared.span);
            if matches!(declared.domain, Domain::Symbols(_) | Domain::Numbers(_))
                && let Some(members) = model.members(variable)
            {
                let set = Set::Listed(members, declared.span);
                let place = model.places[variable].clone();
                let kind = ExprKind::In(Box::new(place), Box::new(set));
                conditions.push((Some(variable), expr(kind, declared.span)));
            }
            if let Some(value) = flat.first.get(&variable).or_else(|| flat.always.get(&variable)) {
                let last = flat.mentions(value).now.into_iter().max().max(Some(variable));
                conditions.push((last, reading.member(&own, value)?));
            }
        }
        for condition in flat.init.iter().chain(&flat.invar) {
            conjuncts(condition, &mut |part| {
                conditions.push((flat.mentions(part).now.into_iter().max(), reading.truth(part)?));
                Ok(())
            })?;
        }
        conditions.sort_by_key(|(last, _)| *last);
        Ok(conditions
            .into_iter()
            .map(|(_, condition)| {
                let span = condition.span;
                declaration(ItemKind::Init(condition), span)
            })
            .collect())
    }

    /// The processes, and whether the model may get stuck.
    fn processes(&self) -> Parsed<(Vec<Item>, bool)> {
        let mut items = Vec::new();
        let mut waits = true;
        for (process, (_, span)) in self.model.flat.processes.iter().enumerate() {
            let given: Vec<(Variable, Tree)> =
                self.inputs.iter().map(|input| (*input, self.given(*input))).collect();
            let step = step::step(self.model, process, &given)?;
            // One that never waits is enough, and so is one whose inputs are chosen inside.
            waits &= step.waits;
            let parameters = self.inputs.iter().map(|input| self.binder(*input));
            let label = Label { name: name("step", *span), annotation: None };
            let action = MemberKind::Action {
                environment: false,
                label,
                parameters: parameters.collect(),
                guard: None,
                body: step.body,
            };
            let member = Member { kind: action, span: *span, comments: Comments::default() };
            let family = Process {
                environment: false,
                name: name(self.model.processes[process].clone(), *span),
                indices: Vec::new(),
                members: vec![member],
                body: Vec::new(),
                trailing: Vec::new(),
            };
            items.push(declaration(ItemKind::Process(family), *span));
        }
        Ok((items, waits))
    }

    /// The parameter of an input: its value, or the number of its value if it is not a number.
    fn binder(&self, input: Variable) -> Binder {
        let declared = &self.model.flat.variables[input];
        let span = declared.span;
        let values = match &declared.domain {
            Domain::Range(lo, hi) => range(*lo, *hi, span),
            domain => range(0, count(domain) as i64 - 1, span),
        };
        Binder { name: name(self.model.next_names[input].clone(), span), range: values }
    }

    /// The value of an input, from its parameter.
    fn given(&self, input: Variable) -> Tree {
        let declared = &self.model.flat.variables[input];
        let span = declared.span;
        let parameter = || named(self.model.next_names[input].clone(), span);
        let is = |at: usize| binary(Operator::Eq, parameter(), int(at as i64, span));
        match (&declared.domain, self.model.members(input)) {
            (Domain::Bool, _) => is(1),
            (_, Some(members)) => {
                let mut rest = members.into_iter().enumerate().rev();
                let last = rest.next().map_or_else(parameter, |(_, member)| member);
                rest.fold(last, |all, (at, member)| choice(is(at), member, all))
            }
            (Domain::Word { signed: true, width }, _) => {
                binary(Operator::Sub, parameter(), int(1i64 << (width - 1), span))
            }
            _ => parameter(),
        }
    }

    /// The declared fairness, and whether there is any.
    fn fairness(&self, waits: bool) -> Parsed<(Vec<Item>, bool)> {
        let flat = self.model.flat;
        let mut justice = Vec::new();
        let one = |kind: FairKind, span: Span| Fair { kind, span };
        for condition in &flat.justice {
            justice.push(one(FairKind::Justice(self.event(condition)?), condition.span));
        }
        if waits {
            let span = Span::default();
            justice.push(one(FairKind::Justice(unary(Prefix::Not, expr(ExprKind::Deadlock, span))), span));
        }
        let mut all = justice.clone();
        for (when, then) in &flat.compassion {
            all.push(one(
                FairKind::Compassion(self.event(when)?, self.event(then)?),
                when.span.to(then.span),
            ));
        }
        let mut items = Vec::new();
        let declared = |title: Option<&str>, mut parts: Vec<Fair>| {
            let span = parts[0].span;
            let fair = if parts.len() == 1 { parts.remove(0) } else { one(FairKind::And(parts), span) };
            declaration(ItemKind::Fairness { name: title.map(|title| name(title, span)), fair }, span)
        };
        if !flat.compassion.is_empty() && !justice.is_empty() {
            items.push(declared(Some(JUSTICE), justice.clone()));
        }
        if !all.is_empty() {
            items.push(declared(None, all));
        }
        Ok((items, !justice.is_empty()))
    }

    /// A condition on a position: on a state, on inputs, and on who runs.
    fn event(&self, condition: &Core) -> Parsed<Tree> {
        self.formula(condition, false)
    }

    /// A formula. If it mentions inputs, it is true of a step whose parameters have values for which it is.
    fn formula(&self, core: &Core, temporal: bool) -> Parsed<Tree> {
        let flat = self.model.flat;
        let is_temporal = |core: &Core| match &core.kind {
            core::Kind::Unary(operator, _) => !matches!(operator, core::Unary::Not | core::Unary::Neg),
            core::Kind::Binary(operator, ..) => reading::is_temporal(*operator),
            _ => false,
        };
        let mentions_inputs = flat.mentions(core).now.iter().any(|variable| self.model.is_input(*variable));
        let none = BTreeMap::new();
        let mut reading = Reading::new(self.model, &none, Running::Event);
        reading.temporal = temporal;
        if !mentions_inputs {
            return reading.truth(core);
        }
        if any(core, &is_temporal) {
            // The operators are kept, and inputs are read in the parts without any.
            return match &core.kind {
                core::Kind::And(parts) | core::Kind::Or(parts) => {
                    let operator =
                        if matches!(core.kind, core::Kind::And(_)) { Operator::And } else { Operator::Or };
                    let parts: Parsed<Vec<Tree>> =
                        parts.iter().map(|part| self.formula(part, temporal)).collect();
                    Ok(joined(operator, parts?, core.span))
                }
                core::Kind::Unary(operator, a) => {
                    let a = self.formula(a, temporal)?;
                    Reading::prefixed(*operator, a, core.span)
                }
                core::Kind::Binary(operator, a, b) => {
                    let (a, b) = (self.formula(a, temporal)?, self.formula(b, temporal)?);
                    Reading::infixed(*operator, a, b, core.span)
                }
                _ => refused(core.span, "a formula about inputs cannot have this form", "not supported"),
            };
        }
        let mut parts = Vec::new();
        let mut values = vec![0usize; self.inputs.len()];
        loop {
            let trees: Vec<Tree> =
                self.inputs.iter().zip(&values).map(|(input, at)| self.input_value(*input, *at)).collect();
            let arguments: Vec<Tree> =
                self.inputs.iter().zip(&values).map(|(input, at)| self.argument(*input, *at)).collect();
            let known: BTreeMap<Variable, Tree> =
                self.inputs.iter().copied().zip(trees.iter().cloned()).collect();
            let reading = Reading::new(self.model, &known, Running::Event);
            let meaning = reading.truth(core)?;
            let party = |process: &String| Party {
                process: name(process.clone(), core.span),
                indices: Vec::new(),
                label: Some(name("step", core.span)),
            };
            let taken = self.model.processes.iter().map(|process| {
                let event = Event {
                    parties: vec![party(process)],
                    arguments: Some(arguments.clone()),
                    span: core.span,
                };
                expr(ExprKind::Taken(event), core.span)
            });
            let taken = joined(Operator::Or, taken.collect(), core.span);
            parts.push(binary(Operator::And, taken, meaning));
            let Some(at) = (0..values.len()).find(|at| {
                (values[*at] as u64) + 1 < count(&self.model.flat.variables[self.inputs[*at]].domain)
            }) else {
                break;
            };
            values[at] += 1;
            values[..at].fill(0);
        }
        Ok(joined(Operator::Or, parts, core.span))
    }

    /// The parameter that stands for a value of an input.
    fn argument(&self, input: Variable, at: usize) -> Tree {
        let declared = &self.model.flat.variables[input];
        match &declared.domain {
            Domain::Range(lo, _) => int(lo + at as i64, declared.span),
            _ => int(at as i64, declared.span),
        }
    }

    fn input_value(&self, input: Variable, at: usize) -> Tree {
        let declared = &self.model.flat.variables[input];
        match (&declared.domain, self.model.members(input)) {
            (_, Some(members)) => members[at].clone(),
            (Domain::Range(lo, _), _) => int(lo + at as i64, declared.span),
            (Domain::Word { signed: true, width }, _) => {
                int(at as i64 - (1i64 << (width - 1)), declared.span)
            }
            _ => int(at as i64, declared.span),
        }
    }

    fn specifications(&self, is_fair: bool, warnings: &mut Vec<Diagnostic>) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        let mut used = BTreeSet::new();
        for (number, own) in self.model.flat.specifications.iter().enumerate() {
            let body = match &own.body {
                Ok(body) if has_future_in_past(body, false) => {
                    Err("inside an operator of the past there is one of the future")
                }
                body => body.as_ref().map_err(String::as_str),
            };
            let body = match body {
                Ok(body) => body,
                Err(reason) => {
                    let message = format!("this specification is left out: {reason}");
                    warnings.push(Diagnostic::warning(own.span, message, "not checked"));
                    continue;
                }
            };
            let mut called = own.name.as_ref().map_or_else(|| format!("spec_{number}"), |name| plain(name));
            while lang::is_reserved(&called) || !used.insert(called.clone()) {
                called.push('_');
            }
            if own.logic == Logic::Ctl && !self.model.flat.compassion.is_empty() {
                let message = "COMPASSION is not assumed for this CTL formula, as in NuSMV";
                warnings.push(Diagnostic::warning(own.span, message, "checked under JUSTICE only"));
            }
            let logic = match own.logic {
                Logic::Psl if is_branching(body) => Logic::Ctl,
                Logic::Psl => Logic::Ltl,
                other => other,
            };
            items.push(self.specification(logic, called, body, is_fair, own.span)?);
        }
        Ok(items)
    }

    fn specification(
        &self,
        logic: Logic,
        called: String,
        body: &Core,
        is_fair: bool,
        span: Span,
    ) -> Parsed<Item> {
        let (name, family) = (name(called, span), Members::default());
        if logic == Logic::Invariant {
            let none = BTreeMap::new();
            let body = Reading::new(self.model, &none, Running::Unknown).truth(body)?;
            return Ok(declaration(ItemKind::Invariant { name, family, body, expect: None }, span));
        }
        let mut formula = self.formula(body, true)?;
        let mut under = None;
        if logic == Logic::Ctl {
            let mentions = self.model.flat.mentions(body);
            let event = mentions.now.iter().any(|variable| self.model.is_input(*variable));
            if event || !mentions.running.is_empty() && self.model.flat.is_asynchronous() {
                return refused(span, "a CTL formula cannot mention an input or `running`", "use LTL");
            }
            if is_fair {
                let fair = unary(Prefix::SomeGlobally, expr(ExprKind::Bool(true), span));
                formula = binary(Operator::Implies, fair, formula);
            }
            if !self.model.flat.compassion.is_empty() {
                let kind =
                    if is_fair { FairKind::Named(crate::tree::name(JUSTICE, span)) } else { FairKind::None };
                under = Some(Fair { kind, span });
            }
        }
        Ok(declaration(ItemKind::Property { name, family, body: formula, under, expect: None }, span))
    }
}

/// The name of the fairness without COMPASSION.
const JUSTICE: &str = "only_justice";

/// How many values a variable has.
fn count(domain: &Domain) -> u64 {
    match domain {
        Domain::Bool => 2,
        Domain::Numbers(values) => values.len() as u64,
        Domain::Range(lo, hi) => lo.abs_diff(*hi).saturating_add(1),
        Domain::Symbols(values) => values.len() as u64,
        Domain::Word { width, .. } => 1 << width,
    }
}

/// Whether a formula has quantifiers over runs.
fn is_branching(core: &Core) -> bool {
    use self::core::{Binary, Kind, Unary};
    let own = match &core.kind {
        Kind::Unary(operator, _) => matches!(
            operator,
            Unary::AllNext
                | Unary::SomeNext
                | Unary::AllFinally
                | Unary::SomeFinally
                | Unary::AllGlobally
                | Unary::SomeGlobally
        ),
        Kind::Binary(operator, ..) => matches!(operator, Binary::AllUntil | Binary::SomeUntil),
        _ => false,
    };
    own || core.children().into_iter().any(is_branching)
}

/// Whether an operator of the past contains one of the future; `past` says whether one of the past is around the formula.
fn has_future_in_past(core: &Core, past: bool) -> bool {
    use self::core::{Binary, Kind, Unary};
    let (future, own) = match &core.kind {
        Kind::Unary(operator, _) => (
            matches!(operator, Unary::Next | Unary::Globally | Unary::Finally),
            matches!(operator, Unary::Previous | Unary::PreviousIfAny | Unary::Historically | Unary::Once),
        ),
        Kind::Binary(operator, ..) => (
            matches!(operator, Binary::Until | Binary::Release),
            matches!(operator, Binary::Since | Binary::Triggered),
        ),
        _ => (false, false),
    };
    past && future || core.children().into_iter().any(|part| has_future_in_past(part, past || own))
}

/// Does something with each part of a conjunction.
fn conjuncts(core: &Core, go: &mut dyn FnMut(&Core) -> Parsed<()>) -> Parsed<()> {
    match &core.kind {
        core::Kind::And(parts) => parts.iter().try_for_each(|part| conjuncts(part, go)),
        _ => go(core),
    }
}

/// Whether some part of an expression passes a test.
fn any(core: &Core, test: &dyn Fn(&Core) -> bool) -> bool {
    test(core) || core.children().into_iter().any(|part| any(part, test))
}
