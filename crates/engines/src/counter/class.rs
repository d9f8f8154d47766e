//! Recognises the systems whose processes can be counted, and refuses the others in the user's words.
//!
//! A family is *counted* if its size is a parameter plus a number. The values a process owns (its locals, and its
//! elements of shared arrays with the family's range) must be finite, and their initial values the same for all
//! processes. Then a process is a *letter*, and a state is a word of letters per counted family together with all
//! other values. Everything that is evaluated must be a function of what the context of a step keeps of such a word
//! ([`reading`](super::reading) checks that): the processes that act, how many others have which letter up to a bound, and which
//! letters of certain sets come before and after them.
//!
//! An unbounded local is a *ticket* if it begins at 0, is only set to 0 or to one more than the greatest ticket
//! ([`updates`](super::updates) checks that), and is only compared with 0 and with other tickets. New tickets are greater than all
//! others, so only their order can be observed, and which processes have one. Processes with a ticket stand in the
//! word in that order.
//!
//! A shared number from 0 to `N` is a *tally* if it is only changed by adding numbers and only compared with numbers
//! and with `N`. Its value is not part of the state: it is the number of processes with certain
//! letters.

use arith::Linear;
use model::instance::Environment;
use model::property::{Formula, Kind};
use model::system::{Initial, Scalar, Variable};
use model::{
    Binder, Declared, Expr, FamilyId, Index, Note, Refusal, RefusalKind, Span, System, Task, VariableId,
    semantics,
};

use super::fair::{self, Fair};
use super::reading::{Balance, CountBound, LARGEST, Order, Reader, Role, Roles};
use super::updates;

/// The greatest number of processes that an action may involve.
const FOCI: usize = 2;
/// The greatest number of processes that a property may name.
const MARKS: usize = 3;

/// A family whose size is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) family: FamilyId,
    /// The parameter that its size depends on.
    pub(super) parameter: usize,
    /// The least index.
    pub(super) first: i64,
    /// Its size minus the parameter.
    pub(super) offset: i64,
    /// The variables a process owns: locals, then elements of arrays.
    pub(super) variables: Vec<VariableId>,
    /// The local that holds a ticket.
    pub(super) ticket: Option<VariableId>,
}

/// A shared number that is always the number of processes in certain local states; [`sums`](super::sums) finds which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) variable: VariableId,
    /// The parameter and number that its greatest value is the sum of.
    pub(super) most: (usize, i64),
    /// Its first value: a number, perhaps added to a parameter.
    pub(super) initial: (Option<usize>, i64),
}

/// A process that a property names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) index: Index,
    /// Its family, by position among the counted ones.
    pub(super) family: usize,
}

/// A task in the class.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) counted: Vec<Counted>,
    pub(super) tallies: Vec<Tally>,
    /// The processes that each action involves.
    pub(super) actions: Vec<Roles>,
    pub(super) marks: Vec<Mark>,
    pub(super) kind: Kind,
    /// Per alternative, the requirements that can be used.
    pub(super) fairness: Vec<Vec<Fair>>,
    /// Notes about the other requirements.
    pub(super) unused: Vec<Note>,
    pub(super) orders: Vec<Order>,
    pub(super) count_bounds: Vec<CountBound>,
    pub(super) balances: Vec<Balance>,
}

/// A symbol in the end of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    Parameter(usize),
    Index(Index),
}

/// The end of a span: a number, perhaps added to a parameter or an index.
pub(super) type End = (Option<Symbol>, i64);

/// The class of a task, or why it is outside.
pub(super) fn class(task: &Task) -> Result<Class, Refusal> {
    let mut about = None;
    classify(task, &mut about).map_err(|refusal| Refusal { about: refusal.about.or(about), ..refusal })
}

/// The same. `about` is set to the declaration that is being read.
fn classify(task: &Task, about: &mut Option<Declared>) -> Result<Class, Refusal> {
    let system = task.system();
    if system.parameters.is_empty() {
        return Err(Refusal::of(RefusalKind::NotOpen));
    }
    let mut counted = Vec::new();
    for (number, family) in system.families.iter().enumerate() {
        let Some(binder) = &family.index else { continue };
        *about = Some(Declared::Family(FamilyId(number as u32)));
        match (end(&binder.span.lo), end(&binder.span.hi)) {
            (Some((None, _)), Some((None, _))) => {}
            (Some((None, first)), Some((Some(Symbol::Parameter(parameter)), offset))) => {
                if system.parameters[parameter].least + offset < first {
                    return refuse(
                        format!("the family `{}` may be empty", family.name),
                        format!("raise the bound of `{}`", system.parameters[parameter].name),
                    );
                }
                counted.push(Counted {
                    family: FamilyId(number as u32),
                    parameter,
                    first,
                    offset: offset - first + 1,
                    variables: Vec::new(),
                    ticket: None,
                });
            }
            _ => {
                return refuse(
                    format!("the size of the family `{}` is not a parameter plus a number", family.name),
                    "let its index range over `1..N`",
                );
            }
        }
    }
    let tallies = variables(system, &mut counted, about)?;
    *about = Some(Declared::Property(task.property.name.clone()));
    let (kind, binders) = claim(task)?;
    let mut reader = Reader::new(system, &counted, &tallies);
    let mut actions = Vec::new();
    for action in &system.actions {
        let label = action.participants.first().map_or("?", |participant| participant.label.as_str());
        let family = action.participants.first().map(|p| system.family(p.family).name.as_str());
        reader.begin(format!("`{}.{label}`", family.unwrap_or("?")), true);
        *about = action.participants.first().map(|first| Declared::Action(first.family, first.label.clone()));
        let roles = reader.roles_of(action)?;
        if roles.foci.len() > 1 {
            reader.forbid_order();
        }
        if roles.foci.len() > FOCI {
            return refuse(
                format!("{} involves more than {FOCI} processes of open families", reader.site()),
                "let the processes meet two at a time",
            );
        }
        // For one of several processes, the others are quantified.
        reader.quantified_predicate(&action.guard, roles.foci.len().saturating_sub(1))?;
        reader.begin_update(updates::shift(&reader, &action.update)?);
        updates::check(&mut reader, &roles, &action.update)?;
        actions.push(roles);
    }
    reader.begin("`init`".to_owned(), false);
    *about = Some(Declared::Init);
    for predicate in &system.init {
        reader.predicate(predicate)?;
    }
    reader.begin(format!("property `{}`", task.property.name), false);
    *about = Some(Declared::Property(task.property.name.clone()));
    let marks = marks(&mut reader, task, &binders)?;
    match &kind {
        Kind::Invariant(expr) => reader.predicate(expr)?,
        Kind::Ltl(formula) => atoms(&mut reader, formula)?,
        Kind::Ctl(_) | Kind::Never(_) => {
            let what = if matches!(kind, Kind::Ctl(_)) { "a CTL property" } else { "an automaton" };
            return refuse(
                format!("{} is {what}, and the counter engine checks invariants and LTL", reader.site()),
                "if what it says of all runs has an LTL form, write that",
            );
        }
    }
    *about = None;
    let finite = counted.iter().all(|counted| counted.ticket.is_none());
    let (fairness, unused) = fair::read(&mut reader, system, &counted, finite, &task.fairness)?;
    let (orders, count_bounds, balances) = reader.into_findings();
    Ok(Class { counted, tallies, actions, marks, kind, fairness, unused, orders, count_bounds, balances })
}

/// A refusal.
pub(super) fn refuse<T>(reason: impl Into<String>, instead: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::of(RefusalKind::Uncountable { why: reason.into(), instead: instead.into() }))
}

/// The reason of a refusal, as part of a longer sentence.
pub(super) fn why(refusal: Refusal) -> String {
    match refusal.kind {
        RefusalKind::Uncountable { why, .. } => why,
        RefusalKind::EndlessChoice => "it chooses among all integers".to_owned(),
        _ => "it is outside what can be counted".to_owned(),
    }
}

/// Reads an expression as the end of a span.
pub(super) fn end(expr: &Expr) -> Option<End> {
    let sum = linear(expr)?;
    let number = i64::try_from(sum.free()).ok()?;
    match sum.terms() {
        [] => Some((None, number)),
        [(symbol, 1)] => Some((Some(*symbol), number)),
        _ => None,
    }
}

/// A sum or difference of numbers, parameters and indices.
fn linear(expr: &Expr) -> Option<Linear<Symbol>> {
    match expr {
        Expr::Int(number) => Some(Linear::constant(i128::from(*number))),
        Expr::Parameter(id) => Some(Linear::var(Symbol::Parameter(id.0 as usize))),
        Expr::Index(index) => Some(Linear::var(Symbol::Index(*index))),
        Expr::Sum(parts) => {
            parts.iter().try_fold(Linear::default(), |sum, part| sum.plus(1, &linear(part)?).ok())
        }
        Expr::Binary(model::expr::Operator::Sub, a, b) => linear(a)?.plus(-1, &linear(b)?).ok(),
        _ => None,
    }
}

/// Whether a span is that of a counted family.
pub(super) fn is_span_of(span: &Span, counted: &Counted) -> bool {
    end(&span.lo) == Some((None, counted.first)) && end(&span.hi) == Some(counted.end())
}

impl Counted {
    /// The end of the span of its index.
    pub(super) fn end(&self) -> End {
        (Some(Symbol::Parameter(self.parameter)), self.offset + self.first - 1)
    }
}

/// Finds the variables that the processes of counted families own, and refuses those that are not finite. Returns
/// those that may be tallies.
fn variables(
    system: &System,
    counted: &mut [Counted],
    about: &mut Option<Declared>,
) -> Result<Vec<Tally>, Refusal> {
    let mut tallies = Vec::new();
    if let Some(chooser) = system.endless_choice() {
        let about = Declared::Action(chooser.family, chooser.label.clone());
        return Err(Refusal::about(about, RefusalKind::EndlessChoice));
    }
    for (number, variable) in system.variables.iter().enumerate() {
        *about = Some(Declared::Variable(VariableId(number as u32)));
        let id = VariableId(number as u32);
        let name = match variable.owner {
            Some(family) => format!("{}.{}", system.family(family).name, variable.name),
            None => variable.name.clone(),
        };
        if let Some(tally) = tally(id, variable) {
            tallies.push(tally);
            continue;
        }
        let owner = variable.owner.and_then(|family| counted.iter().position(|c| c.family == family));
        let mut dimensions = &variable.kind.dimensions[..];
        let mut holder = owner;
        if let (None, Some(first)) = (variable.owner, dimensions.first())
            && !is_known(first)
        {
            let candidates: Vec<usize> =
                (0..counted.len()).filter(|c| is_span_of(first, &counted[*c])).collect();
            match candidates[..] {
                [only] => holder = Some(only),
                [] => {
                    return refuse(
                        format!(
                            "the range of the array `{name}` depends on a parameter, but is not that of a family"
                        ),
                        "give each process a local variable",
                    );
                }
                _ => {
                    return refuse(
                        format!("the array `{name}` has the range of several families"),
                        "give each process a local variable",
                    );
                }
            }
            dimensions = &dimensions[1..];
        }
        if !dimensions.iter().all(is_known) {
            return refuse(
                format!("the size of `{name}` depends on a parameter"),
                "an array may have one element per process, as its first dimension",
            );
        }
        let grows = |what: &str| {
            refuse(
                format!("`{name}` is {what}"),
                "give it a fixed range, or count processes: `count(j in 1..N: …) <= 2`",
            )
        };
        let mut ticket = false;
        match &variable.kind.scalar {
            Scalar::Bool | Scalar::Enum(_) => {}
            Scalar::Range(span) if is_known(span) => {
                let end = |expr: &Expr| semantics::rigid(expr, &mut Environment::default());
                let small = |end: Result<i64, _>| end.is_ok_and(|end| end.unsigned_abs() <= LARGEST);
                if !small(end(&span.lo)) || !small(end(&span.hi)) {
                    return grows("a number of a very large range");
                }
            }
            Scalar::Range(_) => {
                return grows("a number whose range depends on a parameter, or the index of a process");
            }
            Scalar::Int => {
                ticket = owner.is_some()
                    && dimensions.is_empty()
                    && variable.initial == Initial::Among(vec![Expr::Int(0)]);
                if !ticket {
                    return grows("unbounded, and only a local that begins at 0 can be a ticket");
                }
            }
        }
        let rigid = |value: &Expr| !value.any(&mut |part| matches!(part, Expr::Parameter(_)));
        if let Initial::Among(values) | Initial::Elements(values) = &variable.initial
            && !values.iter().all(rigid)
        {
            return refuse(
                format!("the initial value of `{name}` depends on a parameter"),
                "let it begin with a known value, or with any of several",
            );
        }
        let Some(holder) = holder else { continue };
        let own = system.family(counted[holder].family).index.as_ref().map(|binder| binder.index);
        let asymmetric = match &variable.initial {
            Initial::Any => false,
            Initial::Elements(_) => true,
            Initial::Among(values) => values.iter().any(|value| {
                value.any(&mut |part| matches!(part, Expr::Index(index) if Some(*index) == own))
            }),
        };
        if asymmetric {
            return refuse(
                format!("the initial value of `{name}` is not the same for all processes"),
                "let it be one of several values (`in {0, 1}`), or a process of its own",
            );
        }
        if ticket && counted[holder].ticket.replace(id).is_some() {
            return refuse(
                format!("`{name}` is a second unbounded variable of its family"),
                "a process may have one ticket",
            );
        }
        counted[holder].variables.push(id);
    }
    Ok(tallies)
}

/// A shared variable from 0 to a parameter that begins with one value.
fn tally(id: VariableId, variable: &Variable) -> Option<Tally> {
    let Initial::Among(values) = &variable.initial else { return None };
    let ([value], true) = (&values[..], variable.owner.is_none() && variable.kind.dimensions.is_empty())
    else {
        return None;
    };
    // The value of a variable that is not given one: 0 if that is in its range, else the least.
    let value = match value {
        Expr::If(_, a, b) if a == b => a,
        other => other,
    };
    let sum = |expr: &Expr| match end(expr)? {
        (Some(Symbol::Parameter(parameter)), number) => Some((Some(parameter), number)),
        (Some(Symbol::Index(_)), _) => None,
        (None, number) => Some((None, number)),
    };
    let Scalar::Range(span) = &variable.kind.scalar else { return None };
    let (parameter, number) = sum(&span.hi)?;
    let from_zero = end(&span.lo) == Some((None, 0));
    from_zero.then_some(Tally { variable: id, most: (parameter?, number), initial: sum(value)? })
}

/// Whether the ends of a span are numbers.
fn is_known(span: &Span) -> bool {
    let rigid = |expr: &Expr| !expr.any(&mut |part| matches!(part, Expr::Parameter(_) | Expr::Index(_)));
    rigid(&span.lo) && rigid(&span.hi)
}

/// The claim, with universal quantifiers around it as binders of the property.
fn claim(task: &Task) -> Result<(Kind, Vec<Binder>), Refusal> {
    let mut binders = task.property.binders.clone();
    let kind = match &task.property.kind {
        Kind::Ltl(formula) => {
            let mut formula = formula.clone();
            // `G forall i: f` is `forall i: G f`, and so for any number of `G`.
            let mut always = false;
            loop {
                formula = match formula {
                    Formula::Forall(binder, body) => {
                        binders.push(binder);
                        *body
                    }
                    Formula::Globally(body)
                        if matches!(*body, Formula::Forall(..) | Formula::Globally(_)) =>
                    {
                        always = true;
                        *body
                    }
                    other => {
                        break Kind::Ltl(if always { Formula::Globally(Box::new(other)) } else { other });
                    }
                };
            }
        }
        other => other.clone(),
    };
    if binders.len() > MARKS {
        return refuse(
            format!("property `{}` speaks of more than {MARKS} processes", task.property.name),
            "name fewer processes",
        );
    }
    Ok((kind, binders))
}

/// The processes that a property names.
fn marks(reader: &mut Reader<'_>, task: &Task, binders: &[Binder]) -> Result<Vec<Mark>, Refusal> {
    let mut marks = Vec::new();
    for binder in binders {
        let Some(family) = reader.family_of_span(&binder.span, binder.index, &task.property.kind)? else {
            return refuse(
                format!("the index of {} does not range over a family", reader.site()),
                "let it range over all processes of a family",
            );
        };
        reader.bind(binder.index, Role::Kept(family));
        marks.push(Mark { index: binder.index, family });
    }
    Ok(marks)
}

fn atoms(reader: &mut Reader<'_>, formula: &Formula) -> Result<(), Refusal> {
    match formula {
        Formula::Atom(atom) => reader.predicate(atom),
        Formula::Not(a)
        | Formula::Next(a)
        | Formula::Finally(a)
        | Formula::Globally(a)
        | Formula::Previous(a)
        | Formula::Once(a)
        | Formula::Historically(a) => atoms(reader, a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().try_for_each(|part| atoms(reader, part)),
        Formula::Implies(a, b)
        | Formula::Until(a, b)
        | Formula::WeakUntil(a, b)
        | Formula::Release(a, b)
        | Formula::Since(a, b) => {
            atoms(reader, a)?;
            atoms(reader, b)
        }
        Formula::Forall(..) | Formula::Exists(..) => refuse(
            format!("{}: a quantifier stands around temporal operators inside the formula", reader.site()),
            "write a family of properties (`p[i: 1..N]: …`), or move the quantifier inside",
        ),
    }
}
