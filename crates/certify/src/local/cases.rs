//! Divides steps into cases, so that walks show what no single walk can.
//!
//! A walk (`implication`) follows a step that sets a test or copies it from another. It cannot follow `x = x + 1`. But an
//! action reads few bits. A *case* gives some inputs of the circuit fixed values, so many that it is known whether the
//! guard is true and what becomes of each test that the step changes. Then a walk through what remains of the diagrams is
//! enough.
//!
//! Inputs are fixed one at a time, each below a gate whose truth is still open. A case in which a fact is false, or a cell
//! leaves its range, is left out. All others are there, so whatever walks show in each case is true of every step on which
//! the facts are.

use rustc_hash::FxHashSet;

use super::circuit::{Circuit, Gate, Lit};
use super::encoder::Encoder;
use super::implication::TestEffects;
use super::sets::{Sets, Successor};

/// Limit on the cases of one kind of step.
const CASES: usize = 4096;
/// Limit on the gates looked at for one kind of step. `idle` asks every process, and cases that contradict themselves
/// are not counted: so without this limit its cost would grow much faster than the number of processes.
const WORK: u64 = 2_000_000;
/// Deeper gates count as open.
const DEPTH: usize = 300;

/// Some steps.
pub(crate) struct Case {
    /// What is known about tests before and after them.
    pub(crate) effects: TestEffects,
    /// Whether the literal that was to be decided is true on them.
    pub(crate) truth: bool,
}

/// All steps on which some facts are true, in cases in which `decided` is known; nothing if there are too many, or if it
/// depends on something other than the state and the choices of the step. Also the gates looked at.
pub(crate) fn cases(
    encoder: &Encoder<'_>,
    sets: &Sets<'_>,
    facts: &[Lit],
    decided: Lit,
    successor: Option<&Successor>,
) -> (Option<Vec<Case>>, u64) {
    let mut to_decide = sets.computed(encoder, successor);
    to_decide.push(decided);
    let mut found = Vec::new();
    let mut partial = Partial::new(&encoder.circuit, &encoder.selectors);
    let mut pending: Vec<Vec<Lit>> = vec![Vec::new()];
    while let Some(fixed) = pending.pop() {
        if found.len() + pending.len() > CASES || partial.work > WORK {
            return (None, partial.work);
        }
        partial.begin(facts.iter().chain(&fixed));
        let mut open = match partial.open_fact() {
            Err(Contradiction) => continue,
            Ok(open) => open,
        };
        if open.is_none()
            && let Some(lit) = to_decide.iter().find(|lit| partial.truth(**lit).is_none())
        {
            open = partial.open_below(lit.gate(), 0);
            if open.is_none() {
                return (None, partial.work);
            }
        }
        if let Some(input) = open {
            let with = |lit: Lit| fixed.iter().copied().chain([lit]).collect();
            pending.extend([with(Lit::of(input)), with(!Lit::of(input))]);
        } else {
            let cells = encoder.cells_of_inputs(partial.inputs());
            let effects = sets.effects(encoder, &cells, &mut |lit| partial.truth(lit), successor);
            found.push(Case { effects, truth: partial.truth(decided) == Some(true) });
        }
    }
    (Some(found), partial.work)
}

/// The facts of a case contradict each other: there is no such step.
struct Contradiction;

/// What is known about the truth of a gate: a byte, so that a fresh list costs nothing but its pages.
type Known = u8;

/// It has not been looked at.
const NOTHING: Known = 0;
/// Whatever is fixed, it may be true or false.
const OPEN: Known = 1;
const IS_FALSE: Known = 2;
const IS_TRUE: Known = 3;

/// That a gate has this truth.
fn is(truth: bool) -> Known {
    if truth { IS_TRUE } else { IS_FALSE }
}

/// The truth of gates where some literals are true, as far as it is known.
struct Partial<'c> {
    circuit: &'c Circuit,
    /// The inputs that are not to be fixed.
    selectors: &'c FxHashSet<usize>,
    known: Vec<Known>,
    /// The gates about which something is known.
    touched: Vec<usize>,
    /// The gates whose truth is given, and whether what they depend on is to be fixed.
    given: Vec<(usize, bool, bool)>,
    /// Whether a gate was given both truths.
    is_impossible: bool,
    /// The gates looked at so far.
    work: u64,
}

impl<'c> Partial<'c> {
    fn new(circuit: &'c Circuit, selectors: &'c FxHashSet<usize>) -> Partial<'c> {
        let known = vec![NOTHING; circuit.len()];
        let (touched, given) = (Vec::new(), Vec::new());
        Partial { circuit, selectors, known, touched, given, is_impossible: false, work: 0 }
    }

    /// Begins anew, with these literals.
    fn begin<'l>(&mut self, literals: impl Iterator<Item = &'l Lit>) {
        for gate in self.touched.drain(..) {
            self.known[gate] = NOTHING;
        }
        self.given.clear();
        self.is_impossible = false;
        self.set(0, IS_TRUE);
        let mut pending: Vec<(Lit, bool)> = literals.map(|lit| (*lit, true)).collect();
        while let Some((lit, matters)) = pending.pop() {
            let (gate, truth) = (lit.gate(), !lit.is_negated());
            if self.known[gate] != NOTHING {
                self.is_impossible |= self.known[gate] != is(truth);
                continue;
            }
            self.set(gate, is(truth));
            self.given.push((gate, truth, matters));
            if let (Gate::And(a, b), true) = (self.circuit.gate(gate), truth) {
                pending.extend([(a, matters), (b, matters)]);
            }
            pending.extend(self.circuit.attached(gate).map(|fact| (fact, false)));
        }
    }

    /// The inputs whose truth is given.
    fn inputs(&self) -> impl Iterator<Item = usize> {
        self.given.iter().map(|(gate, ..)| *gate).filter(|gate| self.circuit.gate(*gate) == Gate::Free)
    }

    /// An input to fix next, so that it is decided whether what is given is possible; nothing if that is decided.
    fn open_fact(&mut self) -> Result<Option<usize>, Contradiction> {
        let mut open = None;
        for place in 0..self.given.len() {
            let (gate, truth, matters) = self.given[place];
            match self.by_inputs(gate, 0) {
                Some(found) if found != truth => return Err(Contradiction),
                None if matters && open.is_none() => open = self.open_below(gate, 0),
                _ => {}
            }
        }
        if self.is_impossible { Err(Contradiction) } else { Ok(open) }
    }

    /// The truth of a literal, if it is known.
    fn truth(&mut self, lit: Lit) -> Option<bool> {
        self.value(lit, 0)
    }

    fn value(&mut self, lit: Lit, depth: usize) -> Option<bool> {
        let value = match self.known[lit.gate()] {
            IS_TRUE => Some(true),
            IS_FALSE => Some(false),
            NOTHING if depth <= DEPTH => {
                let value = self.by_inputs(lit.gate(), depth + 1);
                self.set(lit.gate(), value.map_or(OPEN, is));
                value
            }
            _ => None,
        };
        value.map(|value| value != lit.is_negated())
    }

    fn set(&mut self, gate: usize, known: Known) {
        self.known[gate] = known;
        self.touched.push(gate);
        self.work += 1;
    }

    /// The truth of a gate by what it depends on.
    fn by_inputs(&mut self, gate: usize, depth: usize) -> Option<bool> {
        match self.circuit.gate(gate) {
            Gate::Free => match self.known[gate] {
                IS_TRUE => Some(true),
                IS_FALSE => Some(false),
                _ => None,
            },
            Gate::And(a, b) => match (self.value(a, depth), self.value(b, depth)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Gate::Choose(c, a, b) => match self.value(c, depth) {
                Some(true) => self.value(a, depth),
                Some(false) => self.value(b, depth),
                None => match (self.value(a, depth), self.value(b, depth)) {
                    (Some(a), Some(b)) if a == b => Some(a),
                    _ => None,
                },
            },
        }
    }

    /// An input below an open gate that is itself open and may be fixed.
    fn open_below(&mut self, gate: usize, depth: usize) -> Option<usize> {
        if depth > DEPTH {
            return None;
        }
        let below = match self.circuit.gate(gate) {
            Gate::Free => return (!self.selectors.contains(&gate)).then_some(gate),
            Gate::And(a, b) => [Some(a), Some(b), None],
            Gate::Choose(c, a, b) => match self.value(c, depth) {
                None => [Some(c), Some(a), Some(b)],
                Some(true) => [Some(a), None, None],
                Some(false) => [Some(b), None, None],
            },
        };
        below.into_iter().flatten().find_map(|lit| match self.value(lit, depth) {
            None => self.open_below(lit.gate(), depth + 1),
            Some(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::ActionId;
    use model::proof::{Builder, Local, Root, Test};

    use super::*;
    use crate::local::budget::Budget;
    use crate::local::implication::Becomes;
    use crate::local::update;

    /// Every step of every action, with every choice, is in a case that says of it what is true.
    #[test]
    fn the_cases_of_an_action_are_all_its_steps() {
        let source = "shared x: 0..5; shared y: 0..2; shared b: bool;
            process P {
                action add when x + y <= 5 { x = x + y; b = !b; }
                action jump when b || x > y { either { y = 0; } or { y = (x + y) % 3; b = true; } }
                action copy when x == 3 { b = y == 1; x = if b { 2 * y } else { x - 1 }; }
            }
            invariant p: true;";
        let model = lang::load("test", source, &[]).model.expect("a model");
        let instance = Arc::clone(model.subject.instance().expect("no open parameters"));
        let budget = Budget::new(u64::MAX, &|| None);
        let mut encoder = Encoder::new(&instance, u64::MAX, &budget);
        let mut builder = Builder::default();
        let mut roots = Vec::new();
        for (cell, bits) in encoder.cells.iter().enumerate() {
            for bit in 0..bits.len() as u32 {
                roots.push((cell, bit, builder.node(Test::Bit { cell, bit }, Root::FALSE, Root::TRUE)));
            }
        }
        let local = Local { diagrams: builder.finish(), ..Local::default() };
        let mut sets = Sets::new(&mut encoder, &local).expect("no limit");
        let mut steps = 0;
        for action in (0..instance.actions.len() as u32).map(ActionId) {
            let step = update::step(&mut encoder, action).expect("no limit");
            let successor = sets.successor(&mut encoder, step.writes).expect("no limit");
            let decided = encoder.cells[1][0];
            let (found, _) = cases(&encoder, &sets, &[step.enabled], decided, Some(&successor));
            let found = found.expect("few cases");
            let circuit = &encoder.circuit;
            let is_input =
                |gate: &usize| circuit.gate(*gate) == Gate::Free && !encoder.selectors.contains(gate);
            let inputs: Vec<usize> = (1..circuit.len()).filter(is_input).collect();
            for word in 0..1usize << inputs.len() {
                let values = circuit.values(|gate| {
                    inputs.iter().position(|input| *input == gate).is_some_and(|i| word >> i & 1 == 1)
                });
                let in_range = inputs.iter().filter_map(|gate| circuit.attached(*gate));
                if !values.of(step.enabled) || !in_range.into_iter().all(|fact| values.of(fact)) {
                    continue;
                }
                steps += 1;
                let bits = |writes: Option<&Vec<Lit>>, cell: usize, bit: u32| {
                    values.of(writes.unwrap_or(&encoder.cells[cell])[bit as usize])
                };
                let before = |place: u32| {
                    let (cell, bit, _) =
                        roots.iter().find(|(.., root)| sets.place(*root) == place).expect("a test");
                    bits(None, *cell, *bit)
                };
                let is_right = |case: &Case| {
                    let after = roots.iter().all(|(cell, bit, root)| {
                        let new = bits(successor.writes.get(cell), *cell, *bit);
                        match case.effects.after.get(&sets.place(*root)) {
                            None => new == bits(None, *cell, *bit),
                            Some(Becomes::Known(outcome)) => new == *outcome,
                            Some(Becomes::Test(place, inverted)) => new == (before(*place) != *inverted),
                            Some(Becomes::Other) => false,
                        }
                    });
                    after && case.truth == values.of(decided)
                };
                let agrees = |case: &&Case| {
                    case.effects.before.iter().all(|(place, outcome)| before(*place) == *outcome)
                };
                assert!(found.iter().filter(agrees).any(is_right), "{action:?}, inputs {word:b}");
            }
        }
        assert!(steps > 60, "{steps}");
    }
}
