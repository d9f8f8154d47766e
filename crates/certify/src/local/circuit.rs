//! Circuits of conjunctions, choices and negations, with structural sharing.
//!
//! A literal is an input, a gate or the constant, or the negation of one. Equal gates are built once, and
//! simplifications that need only the operands are applied. So a formula about a successor shares every gate that the
//! step does not change with the formula about the state, and many premises are constant before a solver sees them.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

/// A literal: twice the number of its gate, plus one if negated. Gate 0 is the constant true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Lit(u32);

impl Lit {
    /// Always true.
    pub(crate) const TRUE: Lit = Lit(0);
    /// Always false.
    pub(crate) const FALSE: Lit = Lit(1);

    /// The literal of a gate.
    pub(crate) fn of(gate: usize) -> Lit {
        Lit((gate as u32) << 1)
    }

    /// The number of its gate.
    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negation of its gate.
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The constant with this truth.
    pub(crate) fn constant(truth: bool) -> Lit {
        if truth { Lit::TRUE } else { Lit::FALSE }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// The function of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gate {
    /// None: the constant, or an input.
    Free,
    /// The conjunction of two literals.
    And(Lit, Lit),
    /// The second if the first is true, else the third. The nodes of a diagram have this form.
    Choose(Lit, Lit, Lit),
}

impl Gate {
    /// The literals it depends on.
    pub(crate) fn below(self) -> impl Iterator<Item = Lit> {
        let (lits, count) = match self {
            Gate::Free => ([Lit::TRUE; 3], 0),
            Gate::And(a, b) => ([a, b, Lit::TRUE], 2),
            Gate::Choose(c, a, b) => ([c, a, b], 3),
        };
        lits.into_iter().take(count)
    }
}

/// Gates in topological order.
#[derive(Debug)]
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, Lit>,
    /// Per input, a fact that is always true of it.
    attached: FxHashMap<usize, Lit>,
}

impl Circuit {
    /// A circuit with only the constant.
    pub(crate) fn new() -> Circuit {
        Circuit { gates: vec![Gate::Free], known: HashMap::default(), attached: HashMap::default() }
    }

    /// The number of gates.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// The function of a gate.
    pub(crate) fn gate(&self, number: usize) -> Gate {
        self.gates[number]
    }

    /// A new input.
    pub(crate) fn input(&mut self) -> Lit {
        self.push(Gate::Free)
    }

    /// Declares that `fact` is true in every assignment in which this input matters.
    pub(crate) fn attach(&mut self, input: Lit, fact: Lit) {
        if fact != Lit::TRUE {
            self.attached.insert(input.gate(), fact);
        }
    }

    /// The fact attached to an input.
    pub(crate) fn attached(&self, gate: usize) -> Option<Lit> {
        self.attached.get(&gate).copied()
    }

    /// Removes all gates but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        for gate in self.gates.drain(len..) {
            self.known.remove(&gate);
        }
    }

    /// `a ∧ b`.
    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Lit::TRUE || a == b {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        self.gate_for(Gate::And(a, b))
    }

    /// `a ∨ b`.
    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The conjunction of all.
    pub(crate) fn all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut level: Vec<Lit> = lits.into_iter().filter(|lit| *lit != Lit::TRUE).collect();
        // A balanced tree, so that a conjunction of thousands is not thousands of gates deep.
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| if let [a, b] = *pair { self.and(a, b) } else { pair[0] })
                .collect();
        }
        level.first().copied().unwrap_or(Lit::TRUE)
    }

    /// The disjunction of all.
    pub(crate) fn any(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(lits.into_iter().map(|lit| !lit).collect::<Vec<_>>())
    }

    /// `if c then a else b`.
    pub(crate) fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        // Normalises the condition. Its value is known in either branch.
        let (c, a, b) = if c.is_negated() { (!c, b, a) } else { (c, a, b) };
        let known = |branch: Lit, value: Lit| {
            if branch == c {
                value
            } else if branch == !c {
                !value
            } else {
                branch
            }
        };
        let (a, b) = (known(a, Lit::TRUE), known(b, Lit::FALSE));
        if c == Lit::TRUE || a == b {
            return a;
        }
        match (a, b) {
            (Lit::TRUE, _) => self.or(c, b),
            (Lit::FALSE, _) => self.and(!c, b),
            (_, Lit::TRUE) => self.or(!c, a),
            (_, Lit::FALSE) => self.and(c, a),
            _ if a.is_negated() => !self.gate_for(Gate::Choose(c, !a, !b)),
            _ => self.gate_for(Gate::Choose(c, a, b)),
        }
    }

    /// Whether the binary number with these bits is at most `most`.
    pub(crate) fn at_most(&mut self, bits: &[Lit], most: u64) -> Lit {
        bits.iter().enumerate().fold(Lit::TRUE, |below, (position, bit)| {
            if most >> position & 1 == 1 { self.or(!*bit, below) } else { self.and(!*bit, below) }
        })
    }

    /// Whether `a` and `b` are the same.
    pub(crate) fn same(&mut self, a: Lit, b: Lit) -> Lit {
        self.choose(a, b, !b)
    }

    /// The truth of every gate, given that of the inputs.
    pub(crate) fn values(&self, input: impl Fn(usize) -> bool) -> Values {
        let mut values = vec![true];
        for (number, gate) in self.gates.iter().enumerate().skip(1) {
            let of = |lit: Lit| values[lit.gate()] != lit.is_negated();
            let value = match *gate {
                Gate::Free => input(number),
                Gate::And(a, b) => of(a) && of(b),
                Gate::Choose(c, a, b) => of(if of(c) { a } else { b }),
            };
            values.push(value);
        }
        Values(values)
    }

    fn gate_for(&mut self, gate: Gate) -> Lit {
        if let Some(known) = self.known.get(&gate) {
            return *known;
        }
        let lit = self.push(gate);
        self.known.insert(gate, lit);
        lit
    }

    fn push(&mut self, gate: Gate) -> Lit {
        self.gates.push(gate);
        Lit((self.gates.len() as u32 - 1) << 1)
    }
}

/// The truth of each gate.
pub(crate) struct Values(Vec<bool>);

impl Values {
    /// The truth of a literal.
    pub(crate) fn of(&self, lit: Lit) -> bool {
        self.0[lit.gate()] != lit.is_negated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_have_the_values_of_their_definitions() {
        let mut circuit = Circuit::new();
        let (a, b, c) = (circuit.input(), circuit.input(), circuit.input());
        let choice = circuit.choose(a, b, c);
        let same = circuit.same(b, c);
        let any = circuit.any([a, b, c]);
        let all = circuit.all([a, !b, c, Lit::TRUE]);
        // Every choice among three literals of one or more inputs, constants included.
        let lits = [a, !a, b, !b, c, Lit::TRUE, Lit::FALSE];
        let mut choices = Vec::new();
        for condition in lits {
            for yes in lits {
                for no in lits {
                    choices.push((condition, yes, no, circuit.choose(condition, yes, no)));
                }
            }
        }
        for word in 0..8 {
            let is = [0, 1, 2].map(|bit| word >> bit & 1 == 1);
            let values = circuit.values(|gate| word >> (gate - 1) & 1 == 1);
            assert_eq!(values.of(choice), if is[0] { is[1] } else { is[2] });
            assert_eq!(values.of(same), is[1] == is[2]);
            assert_eq!(values.of(any), is[0] || is[1] || is[2]);
            assert_eq!(values.of(all), is[0] && !is[1] && is[2]);
            for (condition, yes, no, choice) in &choices {
                let expected = values.of(if values.of(*condition) { *yes } else { *no });
                assert_eq!(values.of(*choice), expected);
            }
        }
    }

    #[test]
    fn equal_gates_are_one_and_contradictions_are_constant() {
        let mut circuit = Circuit::new();
        let (a, b) = (circuit.input(), circuit.input());
        assert_eq!(circuit.and(a, b), circuit.and(b, a));
        assert_eq!(circuit.and(a, !a), Lit::FALSE);
        assert_eq!(circuit.or(a, !a), Lit::TRUE);
        assert_eq!(circuit.choose(a, b, b), b);
        assert_eq!(circuit.all([]), Lit::TRUE);
    }
}
