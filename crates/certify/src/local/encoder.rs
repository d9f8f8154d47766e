//! Encodes the model in a circuit: a state, the label of the step that leaves it, and expressions over both.
//!
//! The inputs are the bits of every cell (its value minus the least value of its domain, as in the tests of a proof)
//! and the number of the label. So a step predicate is encoded once for all labels. An expression becomes a number and
//! a literal that says whether evaluating it is a fault, by the rules of [`model::semantics`]: from left to right,
//! stopping where the result is known. If there is a fault, the number is meaningless.
//!
//! A successor is the set of cells that differ ([`Writes`]); all others are read from the state itself.

use std::collections::{BTreeMap, BTreeSet};

use model::expr::Operator;
use model::instance::Environment;
use model::{ActionId, Expr, FamilyId, Instance, Pattern, Place, ProcessId, Quantifier, StopReason};

use super::budget::Budget;
use super::circuit::{Circuit, Lit};
use super::number::Number;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why the judge could not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// A limit of the run.
    Stopped(StopReason),
    /// The work exceeds [`Effort`](crate::Effort).
    Effort,
    /// The encoder does not support this.
    Unsupported(&'static str),
}

/// The cells of a state that differ from the state of the inputs, with their bits.
pub(crate) type Writes = BTreeMap<usize, Vec<Lit>>;

/// A value, and whether computing it is a fault.
pub(crate) type Outcome = (Number, Lit);

/// Encodes expressions over the state of the inputs and its successors.
pub(crate) struct Encoder<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) circuit: Circuit,
    /// Per cell, its bits.
    pub(crate) cells: Vec<Vec<Lit>>,
    /// Per gate that is a bit of a cell, the cell.
    owners: FxHashMap<usize, usize>,
    label: Vec<Lit>,
    /// The inputs that are the number of the label, or of an edge of the automaton.
    pub(crate) selectors: FxHashSet<usize>,
    /// The labels that expressions have mentioned since this set was last taken.
    pub(crate) asked: BTreeSet<usize>,
    guards: Vec<Option<Outcome>>,
    /// The remaining work.
    pub(crate) budget: &'a Budget<'a>,
    /// Limit on the number of gates.
    gates: usize,
}

/// The scope of an expression: the state, the values of indices, and whether there is a step.
pub(crate) struct Scope<'s> {
    pub(crate) at: &'s Writes,
    pub(crate) environment: Environment,
    pub(crate) step: bool,
}

impl<'s> Scope<'s> {
    /// The scope of a predicate of a state.
    pub(crate) fn state(at: &'s Writes, environment: Environment) -> Scope<'s> {
        Scope { at, environment, step: false }
    }
}

impl<'a> Encoder<'a> {
    /// An encoder for an instance whose cells are bounded, with at most about `memory` bytes of gates.
    pub(crate) fn new(instance: &'a Instance, memory: u64, budget: &'a Budget<'a>) -> Encoder<'a> {
        let mut circuit = Circuit::new();
        let mut cells = Vec::with_capacity(instance.cells.len());
        for cell in &instance.cells {
            let most = cell.domain.hi.abs_diff(cell.domain.lo);
            let width = u64::BITS - most.leading_zeros();
            let bits: Vec<Lit> = (0..width).map(|_| circuit.input()).collect();
            let within = circuit.at_most(&bits, most);
            bits.iter().for_each(|bit| circuit.attach(*bit, within));
            cells.push(bits);
        }
        // One more than the number of actions, for `idle`.
        let width = usize::BITS - instance.actions.len().leading_zeros();
        let label: Vec<Lit> = (0..width).map(|_| circuit.input()).collect();
        let selectors = label.iter().map(|lit| lit.gate()).collect();
        let gates = usize::try_from(memory / 200).unwrap_or(usize::MAX).min(200_000_000);
        let guards = vec![None; instance.actions.len()];
        let bits = cells.iter().enumerate().flat_map(|(cell, bits)| bits.iter().map(move |bit| (bit, cell)));
        let owners = bits.map(|(bit, cell)| (bit.gate(), cell)).collect();
        let asked = BTreeSet::new();
        Encoder { instance, circuit, cells, owners, label, selectors, asked, guards, budget, gates }
    }

    /// Checks the limits now and then.
    pub(crate) fn tick(&mut self) -> Result<(), Halt> {
        if self.circuit.len() > self.gates {
            return Err(Halt::Stopped(StopReason::Memory));
        }
        self.budget.spend(1)
    }

    /// Whether this is the label of the step: an action, or `idle`, whose number is the number of actions.
    pub(crate) fn taken(&mut self, label: usize) -> Lit {
        let bits = self.label.clone();
        let literals =
            bits.iter().enumerate().map(|(bit, lit)| if label >> bit & 1 == 1 { *lit } else { !*lit });
        self.circuit.all(literals.collect::<Vec<_>>())
    }

    /// The cells that literals depend on.
    pub(crate) fn cells_of(&self, lits: &[Lit]) -> BTreeSet<usize> {
        let mut cells = BTreeSet::new();
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut pending: Vec<usize> = lits.iter().map(|lit| lit.gate()).collect();
        while let Some(gate) = pending.pop() {
            if seen.insert(gate) {
                cells.extend(self.owners.get(&gate));
                pending.extend(self.circuit.gate(gate).below().map(Lit::gate));
            }
        }
        cells
    }

    /// The cells that some inputs are bits of.
    pub(crate) fn cells_of_inputs(&self, inputs: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        inputs.filter_map(|input| self.owners.get(&input).copied()).collect()
    }

    /// The number of the label for these values of the inputs.
    pub(crate) fn label_in(&self, values: &super::circuit::Values) -> usize {
        self.label.iter().enumerate().map(|(bit, lit)| usize::from(values.of(*lit)) << bit).sum()
    }

    /// The bits of a cell in a state.
    pub(crate) fn bits(&self, at: &Writes, cell: usize) -> Vec<Lit> {
        at.get(&cell).unwrap_or(&self.cells[cell]).clone()
    }

    /// The truth of an expression (false where it faults), and whether it faults.
    pub(crate) fn predicate(&mut self, expr: &Expr, scope: &mut Scope<'_>) -> Result<(Lit, Lit), Halt> {
        let (number, fault) = self.value(expr, scope)?;
        let truth = self.circuit.truth(&number);
        Ok((self.circuit.and(truth, !fault), fault))
    }

    /// Whether an action is enabled in the state of the inputs, and whether its guard faults.
    pub(crate) fn guard(&mut self, action: ActionId) -> Result<(Lit, Lit), Halt> {
        let (number, fault) = if let Some(known) = &self.guards[action.0 as usize] {
            known.clone()
        } else {
            let known = self.guard_at(action, &Writes::new())?;
            self.guards[action.0 as usize] = Some(known.clone());
            known
        };
        let truth = self.circuit.truth(&number);
        Ok((self.circuit.and(truth, !fault), fault))
    }

    fn guard_at(&mut self, action: ActionId, at: &Writes) -> Result<Outcome, Halt> {
        let instance = self.instance;
        let action = instance.action(action);
        let guard = &instance.system.actions[action.action].guard;
        self.value(guard, &mut Scope::state(at, action.environment.clone()))
    }

    /// The value of an expression, and whether evaluating it faults.
    pub(crate) fn value(&mut self, expr: &Expr, scope: &mut Scope<'_>) -> Result<Outcome, Halt> {
        self.tick()?;
        let unsupported = |what: &'static str| Halt::Unsupported(what);
        Ok(match expr {
            Expr::Bool(truth) => (Number::constant(i128::from(*truth)), Lit::FALSE),
            Expr::Int(value) => (Number::constant(i128::from(*value)), Lit::FALSE),
            Expr::Parameter(_) => return Err(unsupported("a parameter without a value")),
            Expr::Index(index) => {
                let value =
                    scope.environment.get(*index).ok_or_else(|| unsupported("an index without a value"))?;
                (Number::constant(i128::from(value)), Lit::FALSE)
            }
            Expr::Read(place) => self.read(place, scope)?,
            Expr::Not(a) => {
                let (a, fault) = self.value(a, scope)?;
                let inverse = self.circuit.minus(&Number::constant(1), &a);
                self.narrowed(inverse, fault)
            }
            Expr::Neg(a) => {
                let (a, fault) = self.value(a, scope)?;
                let negative = self.circuit.negative(&a);
                self.narrowed(negative, fault)
            }
            Expr::And(parts) => self.junction(true, parts.len(), scope, &mut |encoder, scope, part| {
                encoder.value(&parts[part], scope)
            })?,
            Expr::Or(parts) => self.junction(false, parts.len(), scope, &mut |encoder, scope, part| {
                encoder.value(&parts[part], scope)
            })?,
            Expr::Sum(parts) => {
                self.fold(Quantifier::Sum, parts.len(), scope, &mut |encoder, scope, part| {
                    encoder.value(&parts[part], scope)
                })?
            }
            Expr::Min(parts) | Expr::Max(parts) => {
                let extreme = if matches!(expr, Expr::Min(_)) { Quantifier::Min } else { Quantifier::Max };
                self.fold(extreme, parts.len(), scope, &mut |encoder, scope, part| {
                    encoder.value(&parts[part], scope)
                })?
            }
            Expr::Binary(Operator::Implies, a, b) => {
                let (a, fault) = self.value(a, scope)?;
                let (b, then) = self.value(b, scope)?;
                let applies = self.circuit.truth(&a);
                let then = self.circuit.and(applies, then);
                let value = self.circuit.either(applies, &b, &Number::constant(1));
                (value, self.circuit.or(fault, then))
            }
            Expr::Binary(operator, a, b) => {
                let (a, fault) = self.value(a, scope)?;
                let (b, other) = self.value(b, scope)?;
                let fault = self.circuit.or(fault, other);
                self.binary(*operator, &a, &b, fault)
            }
            Expr::If(condition, a, b) => {
                let (condition, fault) = self.value(condition, scope)?;
                let (a, yes) = self.value(a, scope)?;
                let (b, no) = self.value(b, scope)?;
                let condition = self.circuit.truth(&condition);
                let branch = self.circuit.choose(condition, yes, no);
                (self.circuit.either(condition, &a, &b), self.circuit.or(fault, branch))
            }
            Expr::Quantified(quantifier, binder, body) => {
                let (lo, hi) = self.span(&binder.span, scope)?;
                let count = usize::try_from(i128::from(hi) - i128::from(lo) + 1).unwrap_or(0);
                let mut body = |encoder: &mut Self, scope: &mut Scope<'_>, number: usize| {
                    scope.environment.bind(binder.index, lo.saturating_add(number as i64));
                    let value = encoder.value(body, scope);
                    scope.environment.unbind();
                    value
                };
                match quantifier {
                    Quantifier::Forall => self.junction(true, count, scope, &mut body)?,
                    Quantifier::Exists => self.junction(false, count, scope, &mut body)?,
                    other => self.fold(*other, count, scope, &mut body)?,
                }
            }
            Expr::Taken(pattern) => {
                if !scope.step {
                    return Err(unsupported("`taken` outside a step predicate"));
                }
                let (actions, fault) = self.matching(pattern, scope)?;
                let mut taken = Vec::new();
                for (action, condition) in actions {
                    let label = self.taken(action.0 as usize);
                    self.asked.insert(action.0 as usize);
                    taken.push(self.circuit.and(condition, label));
                }
                (Number::truth(self.circuit.any(taken)), fault)
            }
            Expr::Enabled(pattern) => {
                // It has been shown before that guards do not fault here, so their order does not matter.
                let (actions, mut fault) = self.matching(pattern, scope)?;
                let mut enabled = Vec::new();
                for (action, condition) in actions {
                    let (guard, broken) = if scope.at.is_empty() {
                        self.guard(action)?
                    } else {
                        let (number, broken) = self.guard_at(action, scope.at)?;
                        (self.circuit.truth(&number), broken)
                    };
                    enabled.push(self.circuit.and(condition, guard));
                    let broken = self.circuit.and(condition, broken);
                    fault = self.circuit.or(fault, broken);
                }
                (Number::truth(self.circuit.any(enabled)), fault)
            }
        })
    }

    /// The ends of a span, which are the same in every state.
    pub(crate) fn span(&mut self, span: &model::Span, scope: &mut Scope<'_>) -> Result<(i64, i64), Halt> {
        let lo = self.value(&span.lo, scope)?;
        let hi = self.value(&span.hi, scope)?;
        match (lo.0.known(), hi.0.known()) {
            (Some(low), Some(high)) if lo.1 == Lit::FALSE && hi.1 == Lit::FALSE => {
                Ok((low as i64, high as i64))
            }
            _ => Err(Halt::Unsupported("a range whose ends depend on the state")),
        }
    }

    /// Conjunction or disjunction, evaluated only as far as needed.
    fn junction(
        &mut self,
        all: bool,
        count: usize,
        scope: &mut Scope<'_>,
        part: &mut dyn FnMut(&mut Self, &mut Scope<'_>, usize) -> Result<Outcome, Halt>,
    ) -> Result<Outcome, Halt> {
        // `open`: no part so far has decided the result.
        let (mut open, mut fault) = (Lit::TRUE, Lit::FALSE);
        for number in 0..count {
            if open == Lit::FALSE {
                break;
            }
            let (value, broken) = part(self, scope, number)?;
            let broken = self.circuit.and(open, broken);
            fault = self.circuit.or(fault, broken);
            let truth = self.circuit.truth(&value);
            open = self.circuit.and(open, if all { truth } else { !truth });
        }
        Ok((Number::truth(if all { open } else { !open }), fault))
    }

    /// A sum, or the least or greatest value. The latter two are faults if there are no values.
    fn fold(
        &mut self,
        quantifier: Quantifier,
        count: usize,
        scope: &mut Scope<'_>,
        part: &mut dyn FnMut(&mut Self, &mut Scope<'_>, usize) -> Result<Outcome, Halt>,
    ) -> Result<Outcome, Halt> {
        let is_sum = matches!(quantifier, Quantifier::Sum | Quantifier::Count);
        let mut total: Option<Number> = is_sum.then(|| Number::constant(0));
        let mut fault = Lit::FALSE;
        for number in 0..count {
            let (value, broken) = part(self, scope, number)?;
            fault = self.circuit.or(fault, broken);
            total = Some(match total {
                None => value,
                Some(total) if is_sum => {
                    let sum = self.circuit.plus(&total, &value);
                    let (sum, broken) = self.narrowed(sum, fault);
                    fault = broken;
                    sum
                }
                Some(best) => {
                    let less = self.circuit.less(&value, &best);
                    let better = if quantifier == Quantifier::Min { less } else { !less };
                    self.circuit.either(better, &value, &best)
                }
            });
        }
        Ok(total.map_or((Number::constant(0), Lit::TRUE), |total| (total, fault)))
    }

    fn narrowed(&mut self, number: Number, fault: Lit) -> Outcome {
        let (number, outside) = self.circuit.narrow(number);
        (number, self.circuit.or(fault, outside))
    }

    fn binary(&mut self, operator: Operator, a: &Number, b: &Number, fault: Lit) -> Outcome {
        let circuit = &mut self.circuit;
        let truth = match operator {
            Operator::Sub => {
                let difference = circuit.minus(a, b);
                return self.narrowed(difference, fault);
            }
            Operator::Mul => {
                let product = circuit.times(a, b);
                return self.narrowed(product, fault);
            }
            Operator::Div | Operator::Mod => {
                let zero = !circuit.truth(b);
                let fault = circuit.or(fault, zero);
                let (quotient, remainder) = circuit.divided(a, b);
                // The quotient of the least number by -1 does not fit, and then neither result has a value.
                let (quotient, outside) = circuit.narrow(quotient);
                let fault = circuit.or(fault, outside);
                return (if operator == Operator::Div { quotient } else { remainder }, fault);
            }
            Operator::Eq => circuit.equal(a, b),
            Operator::Ne => !circuit.equal(a, b),
            Operator::Lt => circuit.less(a, b),
            Operator::Ge => !circuit.less(a, b),
            Operator::Gt => circuit.less(b, a),
            Operator::Le => !circuit.less(b, a),
            Operator::Implies => {
                let (a, b) = (circuit.truth(a), circuit.truth(b));
                circuit.or(!a, b)
            }
        };
        (Number::truth(truth), fault)
    }

    fn read(&mut self, place: &Place, scope: &mut Scope<'_>) -> Result<Outcome, Halt> {
        let (cells, fault) = self.candidates(place, scope)?;
        let mut value: Option<Number> = None;
        for (condition, cell) in cells {
            let domain = self.instance.cells[cell].domain;
            let bits = self.bits(scope.at, cell);
            let number = self.circuit.offset(&bits, domain.lo, domain.hi);
            value = Some(match value {
                None => number,
                Some(other) => self.circuit.either(condition, &number, &other),
            });
        }
        Ok(value.map_or((Number::constant(0), Lit::TRUE), |value| (value, fault)))
    }

    /// The cells that a place may denote, each with its condition; and the condition that it denotes none.
    pub(crate) fn candidates(
        &mut self,
        place: &Place,
        scope: &mut Scope<'_>,
    ) -> Result<(Vec<(Lit, usize)>, Lit), Halt> {
        let instance = self.instance;
        let mut fault = Lit::FALSE;
        let owners: Vec<(Lit, Option<ProcessId>)> = match instance.system.variable(place.variable).owner {
            None => vec![(Lit::TRUE, None)],
            Some(family) => match &place.process {
                None => vec![(Lit::TRUE, instance.process(family, None).ok())],
                Some(index) => {
                    let (index, broken) = self.value(index, scope)?;
                    fault = broken;
                    let members = self.members(family, &index);
                    members.into_iter().map(|(is_meant, process)| (is_meant, Some(process))).collect()
                }
            },
        };
        let mut position = Vec::with_capacity(place.position.len());
        for index in &place.position {
            let (index, broken) = self.value(index, scope)?;
            fault = self.circuit.or(fault, broken);
            position.push(index);
        }
        let known: Option<Vec<i64>> = position.iter().map(|index| index.known().map(|v| v as i64)).collect();
        let mut candidates = Vec::new();
        for (condition, owner) in owners {
            if let Some(position) = &known {
                candidates.extend(
                    instance.cell(place.variable, owner, position).ok().map(|cell| (condition, cell)),
                );
                continue;
            }
            for cell in instance.cells_of(place.variable, owner) {
                self.tick()?;
                let mut meant = condition;
                for (index, value) in position.iter().zip(&instance.cells[cell].position) {
                    let same = self.circuit.equal(index, &Number::constant(i128::from(*value)));
                    meant = self.circuit.and(meant, same);
                }
                if meant != Lit::FALSE {
                    candidates.push((meant, cell));
                }
            }
        }
        let found = self.circuit.any(candidates.iter().map(|(condition, _)| *condition).collect::<Vec<_>>());
        Ok((candidates, self.circuit.or(fault, !found)))
    }

    /// The processes of a family that an index may denote, each with its condition.
    fn members(&mut self, family: FamilyId, index: &Number) -> Vec<(Lit, ProcessId)> {
        let instance = self.instance;
        if let Some(value) = index.known() {
            let process =
                i64::try_from(value).ok().and_then(|value| instance.process(family, Some(value)).ok());
            return process.map(|process| (Lit::TRUE, process)).into_iter().collect();
        }
        let mut members = Vec::new();
        for process in instance.members(family) {
            let own = i128::from(instance.processes[process.0 as usize].index.unwrap_or(0));
            let is_meant = self.circuit.equal(index, &Number::constant(own));
            if is_meant != Lit::FALSE {
                members.push((is_meant, process));
            }
        }
        members
    }

    /// The actions that a pattern may match, each with its condition; and whether the pattern faults.
    fn matching(
        &mut self,
        pattern: &Pattern,
        scope: &mut Scope<'_>,
    ) -> Result<(Vec<(ActionId, Lit)>, Lit), Halt> {
        let instance = self.instance;
        let mut fault = Lit::FALSE;
        let mut processes = Vec::with_capacity(pattern.participants.len());
        for party in &pattern.participants {
            let Some(index) = &party.process else {
                processes.push(None);
                continue;
            };
            let (index, broken) = self.value(index, scope)?;
            let members = self.members(party.family, &index);
            let exists =
                self.circuit.any(members.into_iter().map(|(is_meant, _)| is_meant).collect::<Vec<_>>());
            let broken = self.circuit.or(broken, !exists);
            fault = self.circuit.or(fault, broken);
            processes.push(Some(index));
        }
        let mut arguments = None;
        if let Some(values) = &pattern.arguments {
            let mut numbers = Vec::with_capacity(values.len());
            for value in values {
                let (value, broken) = self.value(value, scope)?;
                fault = self.circuit.or(fault, broken);
                numbers.push(value);
            }
            arguments = Some(numbers);
        }
        let mut matching = Vec::new();
        for (id, action) in (0..).map(ActionId).zip(&instance.actions) {
            let mut condition = Lit::TRUE;
            for (party, index) in pattern.participants.iter().zip(&processes) {
                let mut by_one = Lit::FALSE;
                for (participant, label) in &action.participants {
                    let process = &instance.processes[participant.0 as usize];
                    if process.family == party.family && party.label.as_ref().is_none_or(|at| at == label) {
                        let is_meant = match index {
                            None => Lit::TRUE,
                            Some(index) => {
                                let own = i128::from(process.index.unwrap_or(0));
                                self.circuit.equal(index, &Number::constant(own))
                            }
                        };
                        by_one = self.circuit.or(by_one, is_meant);
                    }
                }
                condition = self.circuit.and(condition, by_one);
                if condition == Lit::FALSE {
                    break;
                }
            }
            if let Some(values) = &arguments
                && condition != Lit::FALSE
            {
                if values.len() != action.arguments.len() {
                    continue;
                }
                for (value, own) in values.iter().zip(&action.arguments) {
                    let same = self.circuit.equal(value, &Number::constant(i128::from(*own)));
                    condition = self.circuit.and(condition, same);
                }
            }
            if condition != Lit::FALSE {
                matching.push((id, condition));
            }
        }
        self.tick()?;
        Ok((matching, fault))
    }
}
